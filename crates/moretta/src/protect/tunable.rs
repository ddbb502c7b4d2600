//! The list of parameters that a search may vary, with the end that protects more.

/// A number that says how much is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunable {
    /// The method; none for `[guarantee]`, which several methods keep.
    pub method: Option<&'static str>,
    /// The parameter.
    pub parameter: &'static str,
    /// It is a whole number.
    pub whole: bool,
    /// More of it protects more.
    pub more_protects: bool,
}

/// Every one.
pub const TUNABLE: &[Tunable] = &[
    number("noise", "amount", true),
    number("noise", "replace", true),
    number("noise", "class", true),
    whole(Some("microaggregation"), "k", true),
    whole(Some("rank-swapping"), "within", true),
    number("random-projection", "sigma", true),
    number("random-projection", "translation", true),
    whole(Some("random-projection"), "k", false),
    // More rows make the steps of cumulative noise smaller.
    whole(Some("random-projection"), "records", false),
    whole(Some("random-projection"), "reset", true),
    whole(None, "k", true),
];

/// What can be varied of a policy with this method; `[guarantee]` where it is kept.
pub fn tunable(method: &str, keeps_guarantee: bool) -> impl Iterator<Item = &'static Tunable> {
    TUNABLE.iter().filter(move |one| match one.method {
        Some(name) => name == method,
        None => keeps_guarantee,
    })
}

const fn number(method: &'static str, parameter: &'static str, more_protects: bool) -> Tunable {
    Tunable {
        method: Some(method),
        parameter,
        whole: false,
        more_protects,
    }
}

const fn whole(
    method: Option<&'static str>,
    parameter: &'static str,
    more_protects: bool,
) -> Tunable {
    Tunable {
        method,
        parameter,
        whole: true,
        more_protects,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protect::MethodInfo;

    #[test]
    fn every_one_is_a_parameter_of_its_method() {
        for one in TUNABLE {
            let Some(method) = one.method else {
                continue;
            };
            let info = MethodInfo::find(method).expect("a method");
            let mut parameters = info.parameters.iter();
            assert!(parameters.any(|p| p.name == one.parameter), "{one:?}");
        }
        let names = |method, keeps| -> Vec<&str> {
            tunable(method, keeps).map(|one| one.parameter).collect()
        };
        assert_eq!(names("microaggregation", false), ["k"]);
        assert_eq!(names("mondrian", true), ["k"]);
        assert!(names("local-dp", false).is_empty());
    }
}
