//! Attacks on what parties of a federation see of each other's cells.
//!
//! Who runs a trouble node (the host; the aggregator where there are no hosts) sees fragments of the
//! records that all sources of the node forward. Sites may collude with it, up to all but one, and it
//! may know some records, or how values are distributed. Each kind of fragments is tried, not only
//! that of the policy, so that one sees what another choice would give away:
//!
//! - *raw*: the cells are read off the frames.
//! - *projected*: each site's projection is attacked by itself.
//! - *masked*: colluders take their parts off the sum, and what is left is attacked as a projection
//!   of the others' columns. Every set of colluders of a size is tried, and the worst one counts.
//!
//! The attacks are those on random projections from known records, and the plain one: the nearest known
//! record by its fragment or, where the host is the aggregator or works with it, by answers. Beside
//! the strongest stands the best guess of who sees neither fragments nor answers, the mean or median
//! of everybody: where it does as well, nothing was gained. The aggregator also reads confidences
//! and bits (`confidence.rs`).

mod coalition;
mod confidence;
mod guess;
mod node;

pub use coalition::{Coalition, Tried};
pub use confidence::ConfidenceLeak;
pub use node::{AttackedNode, attack_federation};

use super::super::federation::{Gathering, gather};
use crate::attack::reconstruction::StudySettings;
use crate::engine::Progress;
use crate::error::{Error, Result};
use crate::federate::{FragmentKind, Terms};
use crate::policy::FederationPolicy;
use coalition::Attacker;
use serde::Serialize;

/// Relative errors below these are breaches.
pub(super) const EPSILONS: [f64; 2] = [0.1, 0.2];

/// How attacks on a federation went.
#[derive(Clone, Debug, Serialize)]
pub struct AttackedFederation {
    /// The federation.
    pub federation: String,
    /// How its policies let records reach trouble nodes.
    pub fragments: &'static str,
    /// Errors below these are breaches.
    pub epsilons: [f64; 2],
    /// What hosts of trouble nodes got, alone and with sites that collude.
    pub coalitions: Vec<Coalition>,
    /// What the aggregator reads from confidences and bits.
    pub confidences: Vec<ConfidenceLeak>,
    /// What was odd, and what was not tried.
    pub notes: Vec<String>,
}

/// Runs the federation of some policies in memory with each kind of fragments, and attacks it.
///
/// # Errors
/// When policies do not belong together, rows cannot be read, or there are no trouble nodes.
pub fn attack_policies(
    policies: &[FederationPolicy],
    seed: impl Fn(&FederationPolicy) -> Result<[u8; 32]>,
    settings: &StudySettings,
    progress: &Progress,
) -> Result<AttackedFederation> {
    let gathering = gather(policies, seed)?;
    let trouble = gathering.terms.trouble.as_ref().ok_or_else(|| {
        Error::policy("this federation has no trouble nodes")
            .help("there is nothing but answers that could be attacked")
    })?;
    let own = trouble.fragments;
    progress.enter(crate::engine::Stage::Check);
    let first = policies.first();
    let mut attacked = AttackedFederation {
        federation: first.map_or(String::new(), |policy| policy.federation.clone()),
        fragments: word(own),
        epsilons: EPSILONS,
        coalitions: Vec::new(),
        confidences: confidence::leaks(policies, &gathering)?,
        notes: Vec::new(),
    };
    for kind in [
        FragmentKind::Raw,
        FragmentKind::Projected,
        FragmentKind::Masked,
    ] {
        let attacker = Attacker {
            policies,
            gathering: &gathering,
            terms: with_fragments(&gathering.terms, kind),
            kind,
            is_own: kind == own,
            settings,
        };
        let found = attacker.attack(&mut attacked.notes)?;
        attacked.coalitions.extend(found);
    }
    Ok(attacked)
}

/// The word of a policy for a kind of fragments.
fn word(kind: FragmentKind) -> &'static str {
    match kind {
        FragmentKind::None => "none",
        FragmentKind::Masked => "masked",
        FragmentKind::Projected => "projected",
        FragmentKind::Raw => "raw",
    }
}

/// The same terms with another kind of fragments; masked sums have three sources at least.
fn with_fragments(terms: &Terms, kind: FragmentKind) -> Terms {
    let mut terms = terms.clone();
    if let Some(trouble) = &mut terms.trouble {
        trouble.fragments = kind;
        if kind == FragmentKind::Masked {
            trouble.group = trouble.group.max(3);
        }
    }
    terms
}
