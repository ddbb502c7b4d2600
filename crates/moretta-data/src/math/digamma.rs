//! The digamma and trigamma functions: derivatives of the logarithm of the gamma function.
//!
//! Arguments are moved above `FAR` by the recurrence ψ(x) = ψ(x + 1) - 1/x, where the
//! asymptotic series is exact to the last digits.

/// From here on the series is used.
const FAR: f64 = 12.0;

/// ψ(x), for x above 0.
pub fn digamma(mut x: f64) -> f64 {
    let mut moved = 0.0;
    while x < FAR {
        moved -= 1.0 / x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    // Bernoulli numbers B(2k) / 2k.
    let terms = [
        1.0 / 12.0,
        -1.0 / 120.0,
        1.0 / 252.0,
        -1.0 / 240.0,
        1.0 / 132.0,
        -691.0 / 32_760.0,
        1.0 / 12.0,
    ];
    let tail = terms.iter().rfold(0.0, |sum, term| (sum + term) * square);
    moved + x.ln() - 0.5 / x - tail
}

/// ψ′(x), for x above 0.
pub fn trigamma(mut x: f64) -> f64 {
    let mut moved = 0.0;
    while x < FAR {
        moved += 1.0 / (x * x);
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    // Bernoulli numbers B(2k).
    let terms = [
        1.0 / 6.0,
        -1.0 / 30.0,
        1.0 / 42.0,
        -1.0 / 30.0,
        5.0 / 66.0,
        -691.0 / 2_730.0,
        7.0 / 6.0,
    ];
    let tail = terms.iter().rfold(0.0, |sum, term| (sum + term) * square);
    moved + (1.0 + 0.5 / x + tail) / x
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(found: f64, expected: f64) {
        assert!(
            (found - expected).abs() <= 1e-13 * expected.abs().max(1.0),
            "{found} {expected}"
        );
    }

    #[test]
    fn known_values() {
        const EULER: f64 = 0.577_215_664_901_532_9;
        let pi_squared = std::f64::consts::PI.powi(2);
        check(digamma(1.0), -EULER);
        check(digamma(0.5), -EULER - 2.0 * std::f64::consts::LN_2);
        check(digamma(10.0), 2.251_752_589_066_721);
        check(trigamma(1.0), pi_squared / 6.0);
        check(trigamma(0.5), pi_squared / 2.0);
    }

    #[test]
    fn differences_are_sums_of_fractions() {
        for start in [0.003, 0.4, 1.0, 11.9, 12.1, 750.25] {
            let steps = || (0..500).map(|i| start + f64::from(i));
            let first: f64 = steps().map(|x| 1.0 / x).sum();
            let second: f64 = steps().map(|x| 1.0 / (x * x)).sum();
            check(digamma(start + 500.0) - digamma(start), first);
            check(trigamma(start) - trigamma(start + 500.0), second);
        }
    }
}
