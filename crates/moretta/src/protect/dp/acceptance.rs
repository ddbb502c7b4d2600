//! The tests that every sampler and mechanism must pass, and that planted bugs must fail.
//!
//! Bits are fixed, so a test that passes once passes always; a right sampler is
//! accepted at a level of 10⁻³, a wrong one must be rejected at 10⁻⁹.

/// Counts `n` draws from 0, 1, …, cells − 1; what lies above goes to the last cell.
pub(super) fn tally(cells: usize, n: usize, mut draw: impl FnMut() -> usize) -> Vec<u64> {
    let mut counts = vec![0; cells];
    for _ in 0..n {
        counts[draw().min(cells - 1)] += 1;
    }
    counts
}

/// The counts may come from these probabilities.
#[track_caller]
pub(super) fn accepts(counts: &[u64], probabilities: &[f64]) {
    let p = chi_square(counts, probabilities);
    assert!(p > 1e-3, "p = {p:e}");
}

/// The counts cannot come from these probabilities.
#[track_caller]
pub(super) fn rejects(counts: &[u64], probabilities: &[f64]) {
    let p = chi_square(counts, probabilities);
    assert!(p < 1e-9, "p = {p:e}: the planted bug was not found");
}

/// Probabilities of −reach, …, reach for a discrete distribution given by its
/// weight at |x|; the first and the last cell also hold the tails.
pub(super) fn two_sided(reach: i64, weight: impl Fn(f64) -> f64) -> Vec<f64> {
    let far = reach * 40;
    let total: f64 = (-far..=far).map(|x| weight(x.abs() as f64)).sum();
    let mut cells = vec![0.0; 2 * reach as usize + 1];
    for x in -far..=far {
        cells[cell(reach, x)] += weight(x.abs() as f64) / total;
    }
    cells
}

/// The cell of `x` among −reach, …, reach.
pub(super) fn cell(reach: i64, x: i64) -> usize {
    (x.clamp(-reach, reach) + reach) as usize
}

/// The probability of a χ² statistic at least as large; cells that expect under five are merged.
fn chi_square(counts: &[u64], probabilities: &[f64]) -> f64 {
    assert_eq!(counts.len(), probabilities.len());
    assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    let n = counts.iter().sum::<u64>() as f64;
    let (mut statistic, mut cells) = (0.0, 0);
    let (mut seen, mut expected) = (0.0, 0.0);
    for (&count, &probability) in counts.iter().zip(probabilities) {
        seen += count as f64;
        expected += probability * n;
        if expected >= 5.0 {
            statistic += (seen - expected) * (seen - expected) / expected;
            cells += 1;
            (seen, expected) = (0.0, 0.0);
        }
    }
    if seen > 0.0 || expected > 0.0 {
        statistic += (seen - expected) * (seen - expected) / expected.max(1e-9);
        cells += 1;
    }
    if cells < 2 {
        return 1.0;
    }
    upper_gamma(f64::from(cells - 1) / 2.0, statistic / 2.0)
}

/// The regularised upper incomplete gamma function Q(a, x).
fn upper_gamma(a: f64, x: f64) -> f64 {
    let front = (a * x.ln() - x - ln_gamma(a)).exp();
    if x <= 0.0 {
        return 1.0;
    }
    if x < a + 1.0 {
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        while term > sum * 1e-16 {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return 1.0 - front * sum;
    }
    // Lentz's continued fraction.
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (1e300, 1.0 / b);
    let mut fraction = d;
    for i in 1..10_000 {
        let an = -f64::from(i) * (f64::from(i) - a);
        b += 2.0;
        d = 1.0 / (an * d + b);
        c = b + an / c;
        fraction *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    front * fraction
}

/// Stirling's series, after lifting the argument above 10.
fn ln_gamma(a: f64) -> f64 {
    if a < 10.0 {
        return ln_gamma(a + 1.0) - a.ln();
    }
    (a - 0.5) * a.ln() - a + 0.5 * std::f64::consts::TAU.ln() + 1.0 / (12.0 * a)
        - 1.0 / (360.0 * a.powi(3))
        + 1.0 / (1260.0 * a.powi(5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_chi_square_are_those_of_the_tables() {
        for (freedom, statistic, p) in [
            (1.0, 3.841, 0.05),
            (10.0, 18.307, 0.05),
            (5.0, 20.515, 0.001),
            (100.0, 149.449, 0.001),
        ] {
            let found = upper_gamma(freedom / 2.0, statistic / 2.0);
            assert!((found / p - 1.0).abs() < 2e-3, "{freedom}: {found}");
        }
    }
}
