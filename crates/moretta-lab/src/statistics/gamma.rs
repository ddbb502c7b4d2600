//! The incomplete gamma function, and the tail of χ² that it gives.

/// How probable χ² with so many degrees of freedom is at least this large.
pub(super) fn chi_square_tail(value: f64, freedom: f64) -> f64 {
    upper(freedom / 2.0, value / 2.0)
}

/// Q(a, x) = Γ(a, x)/Γ(a), for a > 0: a series below the mean and a continued fraction
/// above it, each where it converges fast (Press et al., "Numerical Recipes", 6.2).
fn upper(a: f64, x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return 1.0;
    }
    if x.is_infinite() {
        return 0.0;
    }
    let scale = (a * x.ln() - x - libm::lgamma(a)).exp();
    match x < a + 1.0 {
        true => 1.0 - scale * series(a, x),
        false => scale * fraction(a, x),
    }
}

fn series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
    while term > sum * f64::EPSILON {
        n += 1.0;
        term *= x / n;
        sum += term;
    }
    sum
}

/// Lentz's method.
fn fraction(a: f64, x: f64) -> f64 {
    const MOST: u32 = 10_000;
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (1.0 / f64::MIN_POSITIVE, 1.0 / b);
    let mut product = d;
    for i in (1..MOST).map(f64::from) {
        let numerator = -i * (i - a);
        b += 2.0;
        d = 1.0 / (numerator * d + b);
        c = b + numerator / c;
        product *= c * d;
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_of_chi_square_are_those_of_the_tables() {
        for (value, freedom, expected) in [
            (3.841_458_820_694_124, 1.0, 0.05),
            (5.991_464_547_107_979, 2.0, 0.05),
            (11.344_866_730_144_37, 3.0, 0.01),
            (7.814_727_903_251_179, 3.0, 0.05),
            (18.307_038_053_275_14, 10.0, 0.05),
            (2.167_349_909_298_057, 7.0, 0.95),
            (124.342_113_404_004_1, 100.0, 0.05),
        ] {
            let found = chi_square_tail(value, freedom);
            assert!((found - expected).abs() < 1e-10, "{value}: {found}");
        }
    }

    #[test]
    fn two_degrees_of_freedom_are_an_exponential() {
        for x in [0.0, 1e-9, 0.5, 3.9, 4.1, 40.0, 1000.0] {
            assert!((chi_square_tail(x, 2.0) - (-x / 2.0).exp()).abs() < 1e-14);
        }
        assert_eq!(chi_square_tail(f64::INFINITY, 3.0), 0.0);
    }
}
