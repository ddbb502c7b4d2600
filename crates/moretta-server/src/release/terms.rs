//! Whether a policy keeps the rules of its project: said when a release is asked for, and again when
//! it is approved, by the rules of that day.

use super::facts::Facts;
use crate::problem::Result;
use crate::project::{Promised, Rules, broken};
use moretta::policy::Policy;
use schemars::JsonSchema;
use serde::Serialize;

/// The first level that is not raw.
pub(super) const FIRST: u32 = 2;

/// What a policy promises that rules are about.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Terms {
    /// Its levels, from the least to the most protected.
    pub(super) levels: Vec<Level>,
    /// What it promises at all of them.
    pub(super) promised: Promised,
}

/// A level of a policy.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(super) struct Level {
    /// Its number: 2 and up.
    pub(super) level: u32,
    /// What the policy calls it.
    pub(super) name: String,
    /// Among how many others it hides everybody; none where it promises something else.
    pub(super) k: Option<u32>,
}

impl Terms {
    /// Those of a policy.
    pub(super) fn of(policy: &Policy) -> Self {
        let plan = &policy.plan;
        let level = |number: usize, name: &str, k| Level {
            level: FIRST + number as u32,
            name: name.to_owned(),
            k,
        };
        let levels = match plan.levels.is_empty() {
            true => vec![level(0, "release", plan.guarantee.class_size())],
            false => {
                let levels = plan.levels.iter().enumerate();
                levels
                    .map(|(number, of)| level(number, &of.name, Some(of.k)))
                    .collect()
            }
        };
        let searches = policy.goal.is_some() || policy.evolve.is_some();
        Terms {
            levels,
            promised: Promised::of(plan, searches),
        }
    }

    /// Holds the levels of an audience against the rules.
    ///
    /// # Errors
    /// 409 with the first rule that is not kept.
    pub(super) fn check(&self, levels: &[u32], rules: &Rules) -> Result<()> {
        for level in self.levels.iter().filter(|of| levels.contains(&of.level)) {
            let persons = level.k.or(self.promised.persons);
            let of = (level.level, &*level.name);
            self.promised.check_level(rules, of, persons)?;
        }
        self.promised.check_methods(rules)
    }
}

/// Holds what was made against the rules: what attacks found, and whether every promise holds.
///
/// # Errors
/// 409 with the first rule or promise that is not kept.
pub(super) fn check_made(facts: &[Facts], rules: &Rules) -> Result<()> {
    for level in facts {
        if let Some(promise) = level.promises.iter().find(|promise| !promise.holds) {
            let what = format!("`{}` does not hold at level `{}`", promise.name, level.name);
            return Err(broken(what).help("refuse the release"));
        }
        let Some(most) = rules.attacks_at_most else {
            continue;
        };
        if let Some(attack) = level.attacks.iter().find(|attack| attack.share > most) {
            let what = format!(
                "the attack `{}` finds {:.1} % at level `{}`, and the rules allow {:.1} %",
                attack.name,
                attack.share * 100.0,
                level.name,
                most * 100.0
            );
            return Err(broken(what).help("protect more, or refuse the release"));
        }
    }
    Ok(())
}
