//! Whether a policy keeps the rules of its project: said when a release is asked for, and again when
//! it is approved, by the rules of that day.

use super::facts::Facts;
use crate::problem::{Problem, Result};
use crate::project::Rules;
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
    /// The methods that it names.
    methods: Vec<&'static str>,
    /// Whether the methods are searched for.
    searches: bool,
    /// The ε that a release of it spends.
    pub(super) epsilon: Option<f64>,
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
        let epsilons = plan.maskings().filter_map(|masking| masking.epsilon());
        Terms {
            levels,
            methods: plan.protect.iter().map(|method| method.name()).collect(),
            searches: policy.goal.is_some() || policy.evolve.is_some(),
            epsilon: epsilons.reduce(|sum, epsilon| sum + epsilon),
        }
    }

    /// Holds the levels of an audience against the rules.
    ///
    /// # Errors
    /// 409 with the first rule that is not kept.
    pub(super) fn check(&self, levels: &[u32], rules: &Rules) -> Result<()> {
        for level in self.levels.iter().filter(|of| levels.contains(&of.level)) {
            let least = rules.least_k_of(level.level);
            let is_ruled = rules.least_k.range(..=level.level).next().is_some();
            match level.k {
                Some(k) if k < least => {
                    let what = format!(
                        "level `{}` has k = {k}, and the rules want {least} at least",
                        level.name
                    );
                    return Err(broken(what).help("raise k in the policy"));
                }
                // What spends ε is held by the budget of the year, where there is one.
                None if is_ruled && (self.epsilon.is_none() || rules.epsilon_a_year.is_none()) => {
                    let what = format!(
                        "the rules want k = {least} at least, and the policy promises no k"
                    );
                    return Err(broken(what).help("promise k under [guarantee]"));
                }
                _ => {}
            }
        }
        let Some(methods) = &rules.methods else {
            return Ok(());
        };
        if self.searches {
            return Err(
                broken("the rules name methods, and the policy searches for one")
                    .help("name the method that was found under [[protect]]"),
            );
        }
        match self
            .methods
            .iter()
            .find(|method| !methods.iter().any(|of| of == *method))
        {
            Some(method) => Err(
                broken(format!("the rules do not allow the method `{method}`"))
                    .help(format!("use one of: {}", methods.join(", "))),
            ),
            None => Ok(()),
        }
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

fn broken(what: impl Into<String>) -> Problem {
    Problem::conflict("rules", what)
}
