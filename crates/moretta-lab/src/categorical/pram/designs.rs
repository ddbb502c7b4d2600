//! The designs of the literature over their parameters, as a policy names them.

/// A design with its parameter.
pub(super) struct Design {
    pub(super) family: &'static str,
    pub(super) parameter: String,
    /// Its lines in a policy.
    pub(super) lines: String,
}

/// Both designs with nine parameters each, as they are and made invariant.
pub(super) fn designs() -> Vec<Design> {
    let mut designs = Vec::new();
    for (design, key, plain, invariant) in [
        ("constant-diagonal", "p", "design A", "design A, invariant"),
        ("equal-counts", "theta", "design B", "design B, invariant"),
    ] {
        for (family, alpha) in [(plain, ""), (invariant, "alpha = 1.0\n")] {
            designs.extend((1..=9).map(|tenths| {
                let value = f64::from(tenths) / 10.0;
                Design {
                    family,
                    parameter: format!("{key} = {value}"),
                    lines: format!("design = \"{design}\"\n{key} = {value}\n{alpha}"),
                }
            }));
        }
    }
    designs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_families_have_nine_designs_each() {
        let designs = designs();
        let families: std::collections::BTreeSet<&str> =
            designs.iter().map(|design| design.family).collect();
        assert_eq!((designs.len(), families.len()), (36, 4));
        assert!(designs[0].lines.contains("p = 0.1"));
    }
}
