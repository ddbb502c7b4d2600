//! Whether what a policy promises is enough for the rules of its project: asked of releases when they
//! are asked for and approved, of streams when they are defined and approved, and of approved streams
//! whenever rules change.

use super::rules::Rules;
use crate::problem::{Problem, Result};
use moretta::engine::Plan;
use moretta::protect::Method;

/// The ε of a policy up to which it counts as a promise where the rules name no budget.
const USUAL_EPSILON: f64 = 10.0;

/// What of a policy rules are about.
#[derive(Clone, Debug, PartialEq)]
pub struct Promised {
    /// Among how many persons each one is hidden, k or z; none where it promises something else.
    pub persons: Option<u32>,
    /// The ε that a release of it spends.
    pub epsilon: Option<f64>,
    /// Among how many it hides persons in another way, such as in the population; none where it does not.
    hides: Option<u32>,
    /// The methods that it names.
    methods: Vec<&'static str>,
    /// Whether the methods are searched for.
    searches: bool,
}

impl Promised {
    /// By a plan; `searches` when the policy leaves the method to a search.
    pub fn of(plan: &Plan, searches: bool) -> Self {
        let z = plan.protect.iter().filter_map(|method| match method {
            Method::ZAnonymity(z) => Some(z.least_z()),
            _ => None,
        });
        let epsilons = plan.maskings().filter_map(|masking| masking.epsilon());
        Promised {
            persons: z.chain(plan.guarantee.class_size()).max(),
            epsilon: epsilons.reduce(|sum, epsilon| sum + epsilon),
            hides: plan.guarantee.hides_among(),
            methods: plan.protect.iter().map(|method| method.name()).collect(),
            searches,
        }
    }

    /// Holds what is promised at a level, by its number and name, against the rules.
    ///
    /// # Errors
    /// 409 with the rule that is not kept.
    pub fn check_level(
        &self,
        rules: &Rules,
        (level, name): (u32, &str),
        persons: Option<u32>,
    ) -> Result<()> {
        let least = rules.least_k_of(level);
        let is_named = rules.names_k_of(level);
        // Another promise counts where no k is named, and for as many persons.
        let counts = self.epsilon.is_none() && !is_named && !rules.unpromised;
        let otherwise = self.hides.filter(|_| counts);
        if let Some(persons) = persons.or(otherwise) {
            return match persons >= least {
                true => Ok(()),
                false => {
                    let what = format!(
                        "level `{name}` hides everybody among {persons}, and the rules want {least} at least"
                    );
                    Err(broken(what).help("raise k or z in the policy"))
                }
            };
        }
        let wants = || {
            let what =
                format!("the rules want k = {least} at least, and the policy promises no k or z");
            broken(what).help(
                "promise k under [guarantee], or have an officer loosen the rules: `unpromised`",
            )
        };
        match (self.epsilon, is_named) {
            _ if rules.unpromised => Ok(()),
            // What spends ε is held by the budget of the year, where there is one.
            (Some(_), true) if rules.epsilon_a_year.is_none() => Err(wants()),
            (Some(epsilon), _) => {
                let most = rules.epsilon_a_year.unwrap_or(USUAL_EPSILON);
                match epsilon <= most {
                    true => Ok(()),
                    false => {
                        let what =
                            format!("the policy spends ε = {epsilon}, and the rules allow {most}");
                        Err(broken(what).help(
                            "take a smaller ε, or have an officer set a budget: `epsilon_a_year`",
                        ))
                    }
                }
            }
            (None, _) => Err(wants()),
        }
    }

    /// Holds the methods against the rules.
    ///
    /// # Errors
    /// 409 with the method that is not allowed.
    pub fn check_methods(&self, rules: &Rules) -> Result<()> {
        let Some(methods) = &rules.methods else {
            return Ok(());
        };
        if self.searches {
            return Err(
                broken("the rules name methods, and the policy searches for one")
                    .help("name the method that was found under [[protect]]"),
            );
        }
        let is_allowed = |method: &&str| methods.iter().any(|of| of == method);
        match self.methods.iter().find(|method| !is_allowed(method)) {
            Some(method) => Err(
                broken(format!("the rules do not allow the method `{method}`"))
                    .help(format!("use one of: {}", methods.join(", "))),
            ),
            None => Ok(()),
        }
    }
}

/// A rule is not kept.
pub fn broken(what: impl Into<String>) -> Problem {
    Problem::conflict("rules", what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn promised(epsilon: Option<f64>, hides: Option<u32>) -> Promised {
        Promised {
            persons: None,
            epsilon,
            hides,
            methods: Vec::new(),
            searches: false,
        }
    }

    #[test]
    fn a_policy_that_promises_nothing_leaves_only_where_the_rules_say_so() {
        let named = |k: u32, budget: Option<f64>| Rules {
            least_k: [(2, k)].into(),
            epsilon_a_year: budget,
            ..Rules::default()
        };
        let unpromised = Rules {
            unpromised: true,
            ..named(5, None)
        };
        let (usual, masked) = (Rules::default(), promised(None, None));
        let private = |epsilon: f64| promised(Some(epsilon), None);
        for (place, (rules, promised, persons, kept)) in [
            (&usual, &masked, Some(4), false),
            (&usual, &masked, Some(5), true),
            (&named(2, None), &masked, Some(2), true),
            (&usual, &masked, None, false),
            (&unpromised, &masked, None, true),
            (&unpromised, &masked, Some(4), false),
            (&usual, &promised(None, Some(5)), None, true),
            (&usual, &promised(None, Some(1)), None, false),
            (&unpromised, &promised(None, Some(1)), None, true),
            (&named(5, None), &promised(None, Some(5)), None, false),
            (&usual, &private(1.0), None, true),
            (&usual, &private(1e9), None, false),
            (&usual, &private(f64::NAN), None, false),
            (&named(5, None), &private(1.0), None, false),
            (&named(5, Some(20.0)), &private(15.0), None, true),
            (&named(5, Some(1.0)), &private(2.0), None, false),
        ]
        .into_iter()
        .enumerate()
        {
            let held = promised.check_level(rules, (2, "web"), persons);
            assert_eq!(held.is_ok(), kept, "{place}: {held:?}");
        }
    }
}
