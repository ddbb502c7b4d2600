//! The incomplete beta function, and the tail of F that it gives.

/// How probable F with these degrees of freedom is at least this large.
pub(super) fn f_tail(value: f64, [above, below]: [f64; 2]) -> f64 {
    if value.is_infinite() {
        return 0.0;
    }
    regularized(below / (below + above * value), below / 2.0, above / 2.0)
}

/// I_x(a, b) for a, b > 0 (Press et al., "Numerical Recipes", 6.4).
fn regularized(x: f64, a: f64, b: f64) -> f64 {
    if x.is_nan() || x >= 1.0 {
        return 1.0;
    }
    if x <= 0.0 {
        return 0.0;
    }
    let whole = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b);
    let scale = (whole + a * x.ln() + b * (1.0 - x).ln()).exp();
    // The fraction converges fast below the mean only; above it the other tail is taken.
    match x < (a + 1.0) / (a + b + 2.0) {
        true => scale * fraction(x, a, b) / a,
        false => 1.0 - scale * fraction(1.0 - x, b, a) / b,
    }
}

/// Lentz's method.
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    const MOST: u32 = 10_000;
    let away = |value: f64| match value.abs() < f64::MIN_POSITIVE {
        true => f64::MIN_POSITIVE,
        false => value,
    };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut product = d;
    for m in (1..MOST).map(f64::from) {
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = product;
        for numerator in [even, odd] {
            d = 1.0 / away(1.0 + numerator * d);
            c = away(1.0 + numerator / c);
            product *= c * d;
        }
        if (product / before - 1.0).abs() < 1e-15 {
            break;
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_of_f_are_those_of_the_tables() {
        for (value, freedom, expected) in [
            (161.447_638_797_588_27, [1.0, 1.0], 0.05),
            (2.845_067_788_024_8, [3.0, 39.0], 0.05),
            (4.102_821_015_300_1, [2.0, 10.0], 0.05),
            (9.276_628_153_122_4, [3.0, 3.0], 0.05),
            (2.978_237_016_082_5, [10.0, 10.0], 0.05),
        ] {
            let found = f_tail(value, freedom);
            assert!((found - expected).abs() < 1e-6, "{value}: {found}");
        }
        assert_eq!(f_tail(0.0, [3.0, 39.0]), 1.0);
        assert_eq!(f_tail(f64::INFINITY, [3.0, 39.0]), 0.0);
    }

    #[test]
    fn simple_parameters_have_closed_forms() {
        for x in [0.0, 0.1, 0.5, 0.77, 1.0] {
            assert!((regularized(x, 1.0, 1.0) - x).abs() < 1e-14);
            assert!((regularized(x, 3.0, 1.0) - x.powi(3)).abs() < 1e-14);
            let tail = 1.0 - (1.0_f64 - x).powi(4);
            assert!((regularized(x, 1.0, 4.0) - tail).abs() < 1e-14);
        }
    }
}
