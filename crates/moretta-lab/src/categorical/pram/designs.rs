//! The designs of the literature over their parameters, as a policy names them.

use moretta::protect::pram::TransitionMatrix;

/// A design with its parameter.
pub(super) struct Design {
    pub(super) family: &'static str,
    pub(super) parameter: String,
    /// Its lines in a policy.
    pub(super) lines: String,
    made: Make,
    value: f64,
    invariant: bool,
}

/// Makes a matrix from frequencies and a parameter.
type Make = fn(&[f64], f64) -> TransitionMatrix;

impl Design {
    /// The matrix that the design makes from frequencies.
    pub(super) fn matrix(&self, frequencies: &[f64]) -> TransitionMatrix {
        let matrix = (self.made)(frequencies, self.value);
        if self.invariant {
            matrix.invariant(frequencies, 1.0)
        } else {
            matrix
        }
    }
}

/// Both designs with nine parameters each, as they are and made invariant.
pub(super) fn designs() -> Vec<Design> {
    let mut designs = Vec::new();
    let made: [(&str, &str, Make, [&'static str; 2]); 2] = [
        (
            "constant-diagonal",
            "p",
            TransitionMatrix::constant_diagonal,
            ["design A", "design A, invariant"],
        ),
        (
            "equal-counts",
            "theta",
            TransitionMatrix::equal_counts,
            ["design B", "design B, invariant"],
        ),
    ];
    for (design, key, made, [plain, invariant]) in made {
        for (family, alpha) in [(plain, ""), (invariant, "alpha = 1.0\n")] {
            designs.extend((1..=9).map(|tenths| {
                let value = f64::from(tenths) / 10.0;
                Design {
                    family,
                    parameter: format!("{key} = {value}"),
                    lines: format!("design = \"{design}\"\n{key} = {value}\n{alpha}"),
                    made,
                    value,
                    invariant: !alpha.is_empty(),
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
