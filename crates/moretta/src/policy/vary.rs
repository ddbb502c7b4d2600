//! The same policy with one number changed, and with other measures.

use super::guarantee::K;
use super::{Policy, Root, parse};
use crate::config::{Accepts, Parameter, Placed, Protects, Section, Value, unknown};
use crate::error::{Error, Result};
use crate::protect::{Claim, Method, MethodInfo};

/// A number of a policy that a search may vary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunable {
    /// The parameter.
    pub parameter: &'static str,
    /// The place of its method among those of the policy; none where it belongs to
    /// `[guarantee]`.
    pub method: Option<usize>,
    /// It is a whole number.
    pub whole: bool,
    /// More of it protects more.
    pub more_protects: bool,
}

impl Tunable {
    fn new(parameter: &Parameter, method: Option<usize>) -> Option<Self> {
        let protects = parameter.tunable?;
        let whole = match parameter.accepts {
            Accepts::Whole(..) => true,
            // Only the number of several kinds is varied.
            Accepts::OneOf(kinds) => matches!(kinds.first(), Some(Accepts::Whole(..))),
            _ => false,
        };
        Some(Tunable {
            parameter: parameter.name,
            method,
            whole,
            more_protects: protects == Protects::More,
        })
    }
}

impl Policy {
    /// The number of its protection that is called `name`, or `method.name` where several
    /// methods have one of that name.
    ///
    /// # Errors
    /// There is none that could be varied; of private methods there is none.
    pub fn tunable(&self, name: &str) -> Result<Tunable> {
        let methods = self.plan.protect.iter().map(Method::name);
        if let Some(private) = self
            .plan
            .protect
            .iter()
            .find(|m| m.claim() == Claim::Privacy)
        {
            return Err(Error::policy(format!(
                "{} is private, and each look at the data would cost budget",
                private.name()
            ))
            .help("choose epsilon by what persons may lose, and try it on made-up data"));
        }
        let mut known: Vec<(String, Tunable)> = Vec::new();
        for (place, method) in methods.clone().enumerate() {
            let parameters = MethodInfo::find(method).map_or(&[][..], |info| info.parameters);
            let own = parameters
                .iter()
                .filter_map(|p| Tunable::new(p, Some(place)));
            known.extend(own.map(|one| (format!("{method}.{}", one.parameter), one)));
        }
        if let (true, Some(k)) = (self.plan.keeps_guarantee(), Tunable::new(&K, None)) {
            known.push(("guarantee.k".to_owned(), k));
        }
        let meant = |(whole, one): &&(String, Tunable)| one.parameter == name || whole == name;
        let found: Vec<&(String, Tunable)> = known.iter().filter(meant).collect();
        // A name alone is the promise, or the number of one method.
        let promise = found.iter().find(|(_, one)| one.method.is_none());
        match (promise, &found[..]) {
            (Some((_, one)), _) | (None, [(_, one)]) => Ok(*one),
            (None, []) => {
                let methods: Vec<&str> = methods.collect();
                let methods = methods.join(" and ");
                let what = format!("--vary {name}: `{name}` of {methods} cannot be varied");
                let names: Vec<&str> = known.iter().map(|(_, one)| one.parameter).collect();
                Err(match names.is_empty() {
                    true => Error::usage(what).help("no number of this method can be"),
                    false => unknown(Error::usage(what), name, &names),
                })
            }
            (None, several) => {
                let names: Vec<&str> = several.iter().map(|(whole, _)| whole.as_str()).collect();
                let what = format!("--vary {name}: several methods have a `{name}`");
                Err(Error::usage(what).help(format!("say which: {}", names.join(", "))))
            }
        }
    }

    /// This policy with another value of `what`, to be measured by what `goals` limits
    /// and by nothing else. It is read and checked like any policy.
    pub fn varied(
        &self,
        root: &Root,
        what: &Tunable,
        value: f64,
        goals: &[(String, f64)],
    ) -> Result<Policy> {
        let mut top = parse::parse(&self.text)?;
        let number = match what.whole {
            true => Value::Whole(value as i64),
            false => Value::Number(value),
        };
        let section = match what.method {
            None => table(&mut top, "guarantee")?,
            Some(place) => method(&mut top, place)?,
        };
        set(section, what.parameter, number);
        let names = goals
            .iter()
            .map(|(name, _)| placed(Value::Text(name.clone())));
        let measure = table(&mut top, "measure")?;
        measure.take_named("fail_above");
        set(measure, "report", Value::List(names.collect()));
        let mut policy = Policy {
            file: self.file.clone(),
            ..Policy::read(top, &self.text, root)?
        };
        policy.plan.fail_above = goals.to_vec();
        policy.plan.check_limits()?;
        Ok(policy)
    }
}

fn placed(value: Value) -> Placed {
    Placed { value, span: 0..0 }
}

/// Sets a value at the place of the one that was there.
fn set(section: &mut Section, key: &str, value: Value) {
    let span = section.take_named(key).map_or(0..0, |old| old.span);
    section.insert(key, span.clone(), Placed { value, span });
}

/// The table of this name, made if it is not there.
fn table<'a>(top: &'a mut Section, key: &'static str) -> Result<&'a mut Section> {
    if top.get_mut(key).is_none() {
        let empty = Section::new(format!("[{key}]"), 0..0);
        top.insert(key, 0..0, placed(Value::Table(empty)));
    }
    match top.get_mut(key) {
        Some(Value::Table(section)) => Ok(section),
        _ => Err(Error::policy(format!("[{key}] is no table"))),
    }
}

/// The `[[protect]]` at this place.
fn method(top: &mut Section, place: usize) -> Result<&mut Section> {
    let found = match top.get_mut("protect") {
        Some(Value::List(list)) => list.get_mut(place).map(|placed| &mut placed.value),
        _ => None,
    };
    match found {
        Some(Value::Table(section)) => Ok(section),
        _ => Err(Error::policy("the policy has no [[protect]]")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const HEAD: &str = r#"
        version = 1
        source = { path = "rows.csv" }
        columns = { x = { role = "quasi" }, kind = { role = "class" } }
    "#;

    fn policy(rest: &str) -> (Policy, Root) {
        let root = Root::of_policy(Path::new("policy.toml"), None).expect("a root");
        let policy = Policy::parse(&format!("{HEAD}{rest}"), &root).expect("a policy");
        (policy, root)
    }

    #[test]
    fn a_parameter_is_set_whether_it_was_there_or_not() {
        for protect in [
            "[[protect]]\nmethod = \"random-projection\"\nsigma = 0.5\n",
            "[[protect]]\nmethod = \"random-projection\"\n",
            "protect = [{ method = \"random-projection\" }]\n[measure]\nfail_above = { accuracy_loss = 0.1 }\n",
        ] {
            let (policy, root) = policy(protect);
            let sigma = policy.tunable("sigma").expect("known");
            let goals = [("accuracy_loss".to_owned(), 0.3)];
            let varied = policy
                .varied(&root, &sigma, 0.25, &goals)
                .expect("a policy");
            let Some(Method::RandomProjection(config)) = varied.plan.protect.last() else {
                panic!("another method");
            };
            assert_eq!(config.sigma, 0.25);
            assert_eq!(varied.plan.report_measures, ["accuracy_loss"]);
            assert_eq!(varied.plan.fail_above, goals);
            let beyond = policy
                .varied(&root, &sigma, 25.0, &[])
                .expect_err("too much");
            assert_eq!(beyond.exit_code(), 3);
        }
    }

    #[test]
    fn k_of_a_guarantee_is_a_whole_number() {
        let (policy, root) = policy("[guarantee]\nk = 3\n[[protect]]\nmethod = \"mondrian\"\n");
        let k = policy.tunable("k").expect("known");
        let goals = [("gcp".to_owned(), 0.5)];
        let varied = policy.varied(&root, &k, 7.0, &goals).expect("a policy");
        assert_eq!(
            (varied.plan.guarantee.k, policy.plan.guarantee.k),
            (Some(7), Some(3))
        );
    }

    #[test]
    fn any_method_of_a_chain_can_be_varied_by_its_name() {
        let noisy = "[[protect]]\nmethod = \"noise\"\ncolumns = [\"x\"]\n";
        let (chain, root) = policy(&format!(
            "[guarantee]\nk = 3\n{noisy}[[protect]]\nmethod = \"mondrian\"\n"
        ));
        let amounts = |varied: &Policy| -> Vec<f64> {
            let methods = varied.plan.protect.iter();
            let amount = |method: &Method| match method {
                Method::Noise(noise) => Some(noise.amount),
                _ => None,
            };
            methods.filter_map(amount).collect()
        };
        for name in ["amount", "noise.amount"] {
            let amount = chain.tunable(name).expect("of the first method");
            let varied = chain.varied(&root, &amount, 0.75, &[]).expect("a policy");
            assert_eq!(amounts(&varied), [0.75], "{name}");
        }
        let k = chain.tunable("k").expect("known");
        let varied = chain.varied(&root, &k, 7.0, &[]).expect("a policy");
        assert_eq!(varied.plan.guarantee.k, Some(7));
        // Two of a name have to be told apart, and two of one method cannot be.
        let swapped = "[[protect]]\nmethod = \"microaggregation\"\nk = 3\ncolumns = [\"x\"]\n";
        let (chain, root) = policy(&format!(
            "[guarantee]\nk = 3\n{swapped}[[protect]]\nmethod = \"mondrian\"\n"
        ));
        assert_eq!(chain.tunable("k").expect("the promise").method, None);
        let groups = chain.tunable("microaggregation.k").expect("of the groups");
        let varied = chain.varied(&root, &groups, 9.0, &[]).expect("a policy");
        let Some(Method::Microaggregation(groups)) = varied.plan.protect.first() else {
            panic!("another method");
        };
        assert_eq!((groups.k, varied.plan.guarantee.k), (9, Some(3)));
        let (twice, _) = policy(&format!("{noisy}{noisy}"));
        let error = twice.tunable("amount").expect_err("of which?");
        assert!(error.to_string().contains("several methods"), "{error}");
    }

    #[test]
    fn goals_are_measures_that_the_method_has() {
        let (policy, root) = policy("[guarantee]\nk = 3\n[[protect]]\nmethod = \"mondrian\"\n");
        let k = policy.tunable("k").expect("known");
        let error = policy.varied(&root, &k, 7.0, &[("sse".to_owned(), 0.5)]);
        assert_eq!(error.expect_err("of masked records").exit_code(), 3);
    }

    #[test]
    fn what_cannot_be_varied_is_told_with_what_can() {
        let (projected, _) = policy("[[protect]]\nmethod = \"random-projection\"\n");
        let error = projected.tunable("sigm").expect_err("unknown");
        assert!(format!("{error:?}").contains("sigma"), "{error:?}");
        let (private, _) = policy(
            "[[protect]]\nmethod = \"dp-microaggregation\"\nk = 5\nepsilon = 1\nbuffer = 20\nbounds = { x = [0, 1] }\n",
        );
        let error = private.tunable("epsilon").expect_err("refused");
        assert!(error.to_string().contains("private"), "{error}");
    }
}
