//! Attacks what a policy would release, in memory: nothing is written.
//!
//! The attacker knows the method and its parameters, but not its seed. What is tried
//! depends on the method: mixtures of columns are reconstructed from known records and
//! from a known sample; additive noise is filtered; and of every release that can be
//! held against its originals column by column, intervals are taken.
//!
//! *Does not protect* anything: the figures are computed from the originals.

mod comparable;
mod projection;

use super::learn::{NOT_COVERED, Pupil, accuracy_of_release};
use super::masked::{self, secret_seed};
use super::order;
use super::progress::{Progress, Stage};
use super::read::read;
use crate::attack::interval::Disclosure;
use crate::attack::reconstruction::StudySettings;
use crate::attack::{Success, Yardstick};
use crate::data::Batch;
use crate::error::{Error, Result};
use crate::policy::Policy;
use crate::protect::{Family, Filtered, METHODS, Masking, Method, Protector};
use serde::Serialize;
use std::sync::Arc;

/// How a release is attacked.
#[derive(Clone, Debug)]
pub struct AttackSettings {
    /// Of attackers who know some of the records; others share ε, accuracy and seed.
    pub study: StudySettings,
    /// Records that an attacker has who knows none of the released ones.
    pub sample: Option<usize>,
    /// The learner whose accuracy on the release is measured, instead of a given one.
    pub learner: Option<String>,
    /// The column that it predicts; none for the one with the role class.
    pub class: Option<String>,
}

/// How the attacks went.
#[derive(Clone, Debug, Serialize)]
pub struct Attacked {
    /// The method that was attacked.
    pub method: &'static str,
    /// Numbers of a record that attackers want.
    pub features: usize,
    /// Numbers that were released of it.
    pub released: usize,
    /// Records that attackers knew who reconstruct others from them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<usize>,
    /// Records that attackers had who knew none of the released ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<usize>,
    /// A relative error below this was a breach.
    pub epsilon: f64,
    /// The learner whose accuracy was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learner: Option<String>,
    /// The accuracy of a learner on the release, measured or given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// Each attack that makes a record of a release.
    pub attacks: Vec<Success>,
    /// How often intervals hold the originals.
    pub intervals: Vec<Disclosure>,
    /// What was odd, and what was not tried.
    pub notes: Vec<String>,
}

/// Attacks the method of the policy that masks records.
pub fn attack(policy: &Policy, settings: &AttackSettings, progress: &Progress) -> Result<Attacked> {
    let masks = |method: &&Method| method.as_masking().is_some();
    let method = policy.protect.iter().find(masks).ok_or_else(not_masked)?;
    let masking = method.as_masking().ok_or_else(not_masked)?;
    masked::check(policy, masking)?;
    let original = read(policy, progress)?;
    progress.enter(Stage::Protect);
    let seed = policy.seed.map_or_else(secret_seed, Ok)?;
    let released = release(policy, masking, &original.batch, seed)?;
    progress.enter(Stage::Check);
    let mut settings = settings.clone();
    if let Some(name) = &settings.learner {
        let pupil = Pupil {
            name,
            class: settings.class.as_deref(),
            seed: settings.study.seed,
        };
        let accuracy = accuracy_of_release(policy, &original, released.clone(), &pupil)?;
        settings.study.accuracy = Some(accuracy);
    }
    let mut attacked = Attacked {
        method: method.name(),
        features: 0,
        released: 0,
        known: None,
        sample: None,
        epsilon: settings.study.epsilon,
        learner: settings.learner.clone(),
        accuracy: settings.study.accuracy,
        attacks: Vec::new(),
        intervals: Vec::new(),
        notes: original.notes.clone(),
    };
    if masking.loss().is_some() {
        attacked.notes.push(NOT_COVERED.to_owned());
    }
    match method {
        Method::RandomProjection(projection) => {
            projection::attack(projection, &original.batch, seed, &settings, &mut attacked)?;
        }
        _ => comparable::attack(method, &original.batch, &released, &settings, &mut attacked)?,
    }
    Ok(attacked)
}

/// What all attacks are judged by.
fn yardstick(settings: &AttackSettings) -> Yardstick {
    Yardstick {
        epsilon: settings.study.epsilon,
        accuracy: settings.study.accuracy,
    }
}

/// What would be released: a projection in the order of the source, as a stream is, and
/// the rest in the order in which a run masks.
fn release(policy: &Policy, masking: &dyn Masking, original: &Batch, seed: u64) -> Result<Batch> {
    let streams = masking.buffer().is_some() || !masking.is_comparable();
    let rows = match streams {
        true => original.clone(),
        false => order::for_methods(policy, original)?,
    };
    let mut filtered = Filtered::build(masking, original.schema(), seed)?;
    let parts = vec![filtered.protect(rows)?, filtered.finish()?];
    Batch::concat(&Arc::clone(filtered.schema()), parts)
}

fn not_masked() -> Error {
    let masks = METHODS.iter().filter(|info| info.family == Family::Filter);
    let names: Vec<&str> = masks.map(|info| info.name).collect();
    Error::policy("no attack is known on what this policy releases").help(format!(
        "attacks are on {}; `verify` and `compare` tell of other methods",
        names.join(", ")
    ))
}
