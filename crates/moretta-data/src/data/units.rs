//! Distances between records of categories as whole numbers.
//!
//! 1/3 + 1/6 and 1/2 are equal, but not as sums of `f64`. Who counts ties needs them to be, so
//! distances are counted in units of which every category of every attribute takes a whole number.

use super::categorical::Variable;

/// What one step between ordered categories, or one difference of others, is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Units {
    one: u64,
    steps: Vec<(bool, u64)>,
}

/// Units of a distance of 1 at most, so that sums over thousands of attributes are exact, also
/// as `f64`.
const MOST: u64 = 1 << 40;

impl Units {
    /// Units in which all distances between these attributes are whole: the least common multiple
    /// of the sizes of ordered domains. Where that is too large, steps are rounded to 2⁻⁴⁰.
    pub fn new(variables: &[Variable]) -> Self {
        let ordered = variables.iter().filter(|variable| variable.ordered);
        let exact = ordered.clone().try_fold(1, |one: u64, variable| {
            let levels = variable.levels.max(1) as u64;
            let next = one / greatest_common_divisor(one, levels);
            next.checked_mul(levels).filter(|&next| next <= MOST)
        });
        let one = exact.unwrap_or(MOST);
        let step = |variable: &Variable| {
            let levels = variable.levels.max(1) as u64;
            let step = if variable.ordered {
                (one + levels / 2) / levels
            } else {
                one
            };
            (variable.ordered, step)
        };
        Units {
            one,
            steps: variables.iter().map(step).collect(),
        }
    }

    /// How many units a distance of 1 has.
    pub fn one(&self) -> u64 {
        self.one
    }

    /// Whether the order of an attribute means something, and what a step or a difference is worth.
    pub fn step(&self, attribute: usize) -> (bool, u64) {
        self.steps[attribute]
    }

    /// The distance of two categories of an attribute.
    #[inline]
    pub fn distance(&self, attribute: usize, a: u32, b: u32) -> u64 {
        let (ordered, step) = self.steps[attribute];
        if ordered {
            u64::from(a.abs_diff(b)) * step
        } else {
            u64::from(a != b) * step
        }
    }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, a % b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_distances_are_equal_numbers() {
        let variables = [
            Variable::ordinal(3),
            Variable::ordinal(6),
            Variable::nominal(9),
        ];
        let units = Units::new(&variables);
        assert_eq!(units.one(), 6);
        let third_and_sixth = units.distance(0, 0, 1) + units.distance(1, 2, 1);
        assert_eq!(third_and_sixth, units.distance(1, 0, 3));
        assert_eq!(units.distance(2, 8, 1), units.one());
        assert_eq!(units.distance(2, 8, 8), 0);
    }

    #[test]
    fn domains_without_a_common_multiple_in_bounds_are_rounded() {
        let primes = [999_983, 999_979, 999_961].map(Variable::ordinal);
        let units = Units::new(&primes);
        assert_eq!(units.one(), MOST);
        let distance = units.distance(0, 0, 500_000) as f64 / units.one() as f64;
        assert!((distance - 0.5).abs() < 1e-5, "{distance}");
        assert_eq!(Units::new(&[Variable::ordinal(0)]).one(), 1);
    }
}
