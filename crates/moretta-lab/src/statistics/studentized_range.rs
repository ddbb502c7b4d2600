//! The range of standard normals: how far the largest of k lies above the least.
//!
//! The studentized range with infinite degrees of freedom,
//! P(Q ≤ q) = k ∫ φ(z)·(Φ(z) − Φ(z − q))^(k−1) dz, by Simpson's rule.

use std::f64::consts::{PI, SQRT_2};

/// The range of k normals that is exceeded with probability `tail`.
pub(super) fn quantile(k: usize, tail: f64) -> f64 {
    let (mut low, mut high) = (0.0, 64.0);
    // Each step halves the error, so these reach the last bit.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        match cumulative(k, middle) < 1.0 - tail {
            true => low = middle,
            false => high = middle,
        }
    }
    0.5 * (low + high)
}

fn cumulative(k: usize, q: f64) -> f64 {
    // Beyond 9 the density is below the last bit of the sum.
    const END: f64 = 9.0;
    const STEPS: i32 = 1024;
    let step = 2.0 * END / f64::from(STEPS);
    let value = |place: i32| {
        let z = -END + step * f64::from(place);
        density(z) * (below(z) - below(z - q)).powi(k as i32 - 1)
    };
    let inner = (1..STEPS).map(|place| value(place) * f64::from(2 + 2 * (place % 2)));
    k as f64 * step / 3.0 * (inner.sum::<f64>() + value(0) + value(STEPS))
}

fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * PI).sqrt()
}

fn below(z: f64) -> f64 {
    0.5 * libm::erfc(-z / SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        // Studentized range, infinite degrees of freedom.
        for (k, tail, expected) in [
            (2, 0.05, 2.772),
            (3, 0.05, 3.314),
            (5, 0.05, 3.858),
            (10, 0.05, 4.474),
            (20, 0.05, 5.012),
            (3, 0.01, 4.120),
            (10, 0.01, 5.157),
        ] {
            let found = quantile(k, tail);
            assert!((found - expected).abs() < 0.001, "{k}: {found}");
        }
    }

    #[test]
    fn the_range_of_two_is_the_size_of_a_normal() {
        for q in [0.1, 1.0, 2.5, 4.0] {
            let expected = 2.0 * below(q / SQRT_2) - 1.0;
            assert!((cumulative(2, q) - expected).abs() < 1e-12);
        }
    }
}
