//! The greatest value of a function of several variables, from a point to start at.
//!
//! [`lbfgs`] follows gradients and needs few evaluations; [`nelder_mead`] needs
//! values only. Both find a local maximum, and never one below the start.

mod lbfgs;
mod nelder_mead;

pub use lbfgs::lbfgs;
pub use nelder_mead::nelder_mead;

/// A function that is to be maximised; −∞ where it is not defined.
pub trait Objective {
    /// Its value.
    fn value(&mut self, point: &[f64]) -> f64;
    /// Its value, and its gradient into `gradient`.
    fn gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> f64;
}

/// The best point that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Maximum {
    /// Where it is.
    pub point: Vec<f64>,
    /// What the function is there.
    pub value: f64,
    /// How often the function was asked.
    pub evaluations: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// −100(y − x²)² − (1 − x)², greatest at (1, 1); not defined where x > 3.
    struct Rosenbrock;

    impl Objective for Rosenbrock {
        fn value(&mut self, point: &[f64]) -> f64 {
            self.gradient(point, &mut [0.0; 2])
        }

        fn gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> f64 {
            let (x, y) = (point[0], point[1]);
            if x > 3.0 {
                return f64::NEG_INFINITY;
            }
            let slope = y - x * x;
            gradient[0] = 400.0 * slope * x + 2.0 * (1.0 - x);
            gradient[1] = -200.0 * slope;
            -100.0 * slope * slope - (1.0 - x) * (1.0 - x)
        }
    }

    fn check(found: &Maximum, tolerance: f64) {
        for value in &found.point {
            assert!((value - 1.0).abs() < tolerance, "{found:?}");
        }
    }

    #[test]
    fn both_find_the_top_of_a_curved_ridge() {
        for start in [[-1.2, 1.0], [2.9, -3.0], [0.0, 0.0]] {
            check(&lbfgs(&mut Rosenbrock, &start, 500), 1e-4);
            check(&nelder_mead(&mut Rosenbrock, &start, 1e-10, 4_000), 1e-3);
        }
    }

    #[test]
    fn evaluations_are_bounded_and_the_best_point_is_given() {
        for most in 1..30 {
            let found = nelder_mead(&mut Rosenbrock, &[-1.2, 1.0], 1e-10, most);
            assert!(found.evaluations <= most);
            assert!(found.value >= Rosenbrock.value(&[-1.2, 1.0]));
            assert_eq!(found.value, Rosenbrock.value(&found.point));
        }
    }

    #[test]
    fn a_start_where_nothing_is_defined_is_no_trouble() {
        let found = lbfgs(&mut Rosenbrock, &[4.0, 0.0], 100);
        assert_eq!(found.value, f64::NEG_INFINITY);
        // Each vertex of the simplex is raised further.
        let found = nelder_mead(&mut Rosenbrock, &[4.0, 0.0], 1e-4, 100);
        assert_eq!(found.evaluations, 100);
    }
}
