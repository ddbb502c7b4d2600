//! Attacks what a policy would release, in memory: nothing is written.
//!
//! The attacker knows the method and its parameters, but not its seed. What is tried
//! depends on the method: mixtures of columns are reconstructed from known records and
//! from a known sample; additive noise is filtered, over neighbours where rows leave in
//! their order; swapped records are linked; and of every release that can be held
//! against its originals column by column, intervals are taken, and records are linked by every set
//! of columns that somebody may know. Tables whose values were made
//! coarser are attacked class by class (`tables.rs`).
//!
//! *Does not protect* anything: the figures are computed from the originals.

mod comparable;
mod federation;
mod projection;
mod tables;

pub use federation::{
    AttackedFederation, AttackedNode, Coalition, ConfidenceLeak, Tried, attack_federation,
    attack_policies,
};
pub use tables::{AttackedRelease, AttackedTables, attack_files, attack_table};

use super::lessons::NOT_COVERED;
use super::trial::Rows;
use crate::attack::interval::Disclosure;
use crate::attack::known_columns::KnownColumns;
use crate::attack::linkage::Linkage;
use crate::attack::reconstruction::StudySettings;
use crate::attack::{Success, Yardstick};
use crate::data::{Attribute, Batch, Column, Role, Schema};
use crate::engine::masked::{self, Masks, secret_seed};
use crate::engine::original::{in_order_of_ids, originals_of};
use crate::engine::{
    Action, Candidate, Order, Plan, Progress, Pupil, Purpose, Stage, accuracy_of_release,
};
use crate::error::{Error, Result};
use crate::policy::Policy;
use crate::protect::{Family, METHODS, Masking, Method};
use projection::Public;
use serde::Serialize;
use std::collections::BTreeMap;

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
    /// What the masked columns hold; none where they were mixed into others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub masked: Option<MaskedKinds>,
    /// Numbers and ranks of a record that attackers want.
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
    /// How often known originals are found among the released records.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Linkage>,
    /// How often they are found by who knows some columns of them alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub known_columns: Vec<KnownColumns>,
    /// The attack that reconstructs most; none where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strongest: Option<Strongest>,
    /// The one that finds most known records again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strongest_link: Option<Strongest>,
    /// What was odd, and what was not tried.
    pub notes: Vec<String>,
}

/// How many masked columns hold what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MaskedKinds {
    /// Numbers, or dates.
    pub numbers: usize,
    /// Ordered categories.
    pub ordered: usize,
    /// Nominal categories.
    pub nominal: usize,
}

impl MaskedKinds {
    fn of(kinds: &[Attribute]) -> Self {
        let mut found = MaskedKinds::default();
        for kind in kinds {
            match kind {
                Attribute::Number => found.numbers += 1,
                Attribute::Ordinal { .. } => found.ordered += 1,
                Attribute::Nominal => found.nominal += 1,
            }
        }
        found
    }
}

/// The attack that gets most of a release.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Strongest {
    /// Its name.
    pub attack: String,
    /// What the attacker knows, besides the method and its parameters.
    pub knows: String,
    /// The share of the records that it reconstructs, or finds again.
    pub share: f64,
}

impl Strongest {
    /// Of attacks with these names, knowledge and shares; of equals the first.
    fn of<'a>(attacks: impl Iterator<Item = (&'a String, &'a String, f64)>) -> Option<Self> {
        let best = attacks.reduce(|best, other| match other.2 > best.2 {
            true => other,
            false => best,
        });
        best.map(|(attack, knows, share)| Strongest {
            attack: attack.clone(),
            knows: knows.clone(),
            share,
        })
    }
}

/// Attacks the method of the policy that masks records.
pub fn attack(policy: &Policy, settings: &AttackSettings, progress: &Progress) -> Result<Attacked> {
    policy.need_one_release("`attack`")?;
    refuse_found(policy)?;
    let masks = |method: &&Method| method.as_masking().is_some();
    let method = policy
        .plan
        .protect
        .iter()
        .find(masks)
        .ok_or_else(not_masked)?;
    let masking = method.as_masking().ok_or_else(not_masked)?;
    masked::check(&policy.plan)?;
    let seed = policy.plan.seed.map_or_else(secret_seed, Ok)?;
    let Candidate {
        plan,
        original,
        rows,
        ..
    } = release(policy, method, seed, progress)?;
    refuse_covered(policy, masking, original.batch.schema())?;
    let released = in_order_of_ids(&rows)?;
    let originals = originals_of(&original.batch, released.rows())?;
    progress.enter(Stage::Check);
    let mut settings = settings.clone();
    if let Some(name) = &settings.learner {
        let pupil = Pupil {
            name,
            class: settings.class.as_deref(),
            seed: settings.study.seed,
        };
        let accuracy = accuracy_of_release(&plan, &original, released.clone(), &pupil)?;
        settings.study.accuracy = Some(accuracy);
    }
    let mut attacked = Attacked {
        method: method.name(),
        masked: None,
        features: 0,
        released: 0,
        known: None,
        sample: None,
        epsilon: settings.study.epsilon,
        learner: settings.learner.clone(),
        accuracy: settings.study.accuracy,
        attacks: Vec::new(),
        intervals: Vec::new(),
        links: Vec::new(),
        known_columns: Vec::new(),
        strongest: None,
        strongest_link: None,
        notes: original.notes.clone(),
    };
    if masking.loss().is_some() {
        attacked.notes.push(NOT_COVERED.to_owned());
    }
    match method {
        Method::RandomProjection(projection) => {
            let classes = classes(policy, &released);
            let public = Public {
                released: &released,
                classes: classes.as_deref(),
                in_order: in_order(policy, masking),
            };
            projection::attack(
                projection,
                &originals,
                public,
                &settings,
                &mut attacked,
                progress,
            )?;
        }
        _ => {
            let sides = [&originals, &released];
            comparable::attack(
                method,
                sides,
                in_order(policy, masking),
                &settings,
                &mut attacked,
            )?;
        }
    }
    let guesses = attacked.attacks.iter();
    attacked.strongest = Strongest::of(guesses.map(|one| (&one.attack, &one.knows, one.breach)));
    let links = attacked.links.iter();
    attacked.strongest_link = Strongest::of(links.map(|one| (&one.attack, &one.knows, one.linked)));
    Ok(attacked)
}

/// What a search has put in place of cells follows no rule that an attack could use.
fn refuse_found(policy: &Policy) -> Result<()> {
    let Some(evolve) = &policy.evolve else {
        return Ok(());
    };
    let help = match policy.finds_matrices() {
        true => {
            "name pram under [[protect]] of a copy, with the equation or the matrices that were found, and attack that"
        }
        false => {
            "the report of the release tells how many records are found again by linkage, and by intervals"
        }
    };
    Err(
        Error::policy("no attack is known on what a search has found")
            .at(evolve.span.clone())
            .help(help),
    )
}

/// A masked column that is made coarser later does not leave as it was masked.
fn refuse_covered(policy: &Policy, masking: &dyn Masking, schema: &Schema) -> Result<()> {
    let leaving = Masks::new(&policy.plan, schema)?.map_or_else(Vec::new, |masks| masks.leaving);
    let places = masking.places(schema)?;
    match places.iter().find(|place| !leaving.contains(place)) {
        None => Ok(()),
        Some(&place) => Err(Error::policy(format!(
            "`{}` is made coarser after it was masked, and no attack is known on that",
            schema.fields()[place].name
        ))
        .help("attack a policy without the other method")),
    }
}

/// What all attacks are judged by.
fn yardstick(settings: &AttackSettings) -> Yardstick {
    Yardstick {
        epsilon: settings.study.epsilon,
        accuracy: settings.study.accuracy,
    }
}

/// The classes that are released, of rows in the order of the source; different numbers
/// are different classes.
fn classes(policy: &Policy, released: &Batch) -> Option<Vec<u32>> {
    let [class] = released.schema().with_role(Role::Class)[..] else {
        return None;
    };
    let name = &released.schema().fields()[class].name;
    let kept = policy.plan.column(name)?.action == Action::Keep;
    match released.column(class) {
        Column::Category(categories) if kept => Some(categories.codes().to_vec()),
        Column::Number(numbers) if kept => {
            let mut codes = BTreeMap::new();
            let mut code = |number: Option<f64>| {
                let next = codes.len() as u32;
                *codes.entry(number.map(f64::to_bits)).or_insert(next)
            };
            Some(numbers.iter().map(&mut code).collect())
        }
        _ => None,
    }
}

/// Whether rows leave in the order of the source, which then everybody knows.
fn in_order(policy: &Policy, masking: &dyn Masking) -> bool {
    masking.buffer().is_some() || policy.sink.is_some() && policy.plan.order == Order::Input
}

/// What would be released. Mixtures are attacked as a stream is, in the order of the source.
fn release(policy: &Policy, method: &Method, seed: u64, progress: &Progress) -> Result<Candidate> {
    let plan = policy.loaded_plan()?;
    let drawn = Plan {
        seed: Some(seed),
        order: match method.as_projection() {
            Some(_) => Order::Input,
            None => plan.order,
        },
        ..plan
    };
    let rows = Rows::read(policy, progress)?;
    rows.try_out(drawn, Purpose::Rows, &policy.context(progress)?)
}

fn not_masked() -> Error {
    let masks = METHODS.iter().filter(|info| info.family == Family::Filter);
    let names: Vec<&str> = masks.map(|info| info.name).collect();
    Error::policy("no attack is known on what this policy releases").help(format!(
        "attacks are on {}, and on mondrian and others that make tables coarser",
        names.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::reconstruction::Optimizer;
    use crate::policy::Root;

    #[test]
    fn a_mask_behind_z_anonymity_is_attacked_on_the_rows_that_leave() {
        let folder = tempfile::tempdir().expect("a folder");
        let row = |n: usize| {
            let (time, user, place) = (1_700_000_000 + 10 * n, n * 7 % 23, n % 4);
            format!("{time},u{user},p{place},{}\n", n * 37 % 101)
        };
        let rows: String = (0..600).map(row).collect();
        let text = format!("t,user,place,load\n{rows}");
        std::fs::write(folder.path().join("rows.csv"), text).expect("written");
        let root = Root::of_policy(&folder.path().join("policy.toml"), None).expect("a root");
        let settings = AttackSettings {
            study: StudySettings {
                known: 4,
                attacks: 10,
                epsilon: 0.2,
                optimizer: Optimizer::Lbfgs,
                starts: 1,
                accuracy: None,
                seed: 1,
            },
            sample: None,
            learner: None,
            class: None,
        };
        let policy = "version = 1\nseed = 3\n[source]\npath = \"rows.csv\"\n[columns]\n\
             t = { role = \"time\", unit = \"s\" }\nuser = { role = \"subject\" }\n\
             place = { role = \"quasi\" }\nload = { role = \"plain\", type = \"number\" }\n\
             [[protect]]\nmethod = \"z-anonymity\"\nz = 4\nwindow = \"1h\"\n\
             [[protect]]\nmethod = \"noise\"\namount = 0.01\nbuffer = 20\ncolumns = [\"load\"]\n";
        let policy = Policy::parse(policy, &root).unwrap_or_else(|e| panic!("{e}\n{policy}"));
        let attacked = attack(&policy, &settings, &Progress::default()).expect("attacked");
        assert_eq!((attacked.method, attacked.features), ("noise", 1));
        let strongest = attacked.strongest.expect("an attack");
        assert!(
            strongest.share > 0.8,
            "so little noise hides nothing: {strongest:?}"
        );
    }
}
