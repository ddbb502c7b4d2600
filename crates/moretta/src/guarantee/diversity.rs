//! l-diversity of one class, from the counts of its present sensitive values.
//!
//! After Machanavajjhala et al., "l-Diversity: privacy beyond k-anonymity"
//! (2007). A missing value is no value here, so a class without any present
//! value has no diversity at all. Diversity does not stop an attacker who knows
//! that two values mean the same, nor one who knows how the whole table is
//! distributed; that is what t-closeness is for.

use super::Diversity;

/// How far a sum of rounded terms may fall short of l, or c be overstepped.
pub(super) const TOLERANCE: f64 = 1e-9;

/// The figure of a class: distinct values, the exponential of the entropy, or
/// the ratio r1/(r_l + … + r_m). `counts` is sorted by the last kind.
pub(super) fn figure(kind: Diversity, l: f64, counts: &mut [u32]) -> f64 {
    match kind {
        Diversity::Distinct => counts.len() as f64,
        Diversity::Entropy => effective_values(counts),
        Diversity::Recursive { .. } => recursive_ratio(l, counts),
    }
}

/// Whether a class with this figure is diverse enough.
pub(super) fn holds(kind: Diversity, l: f64, figure: f64) -> bool {
    match kind {
        Diversity::Distinct => figure >= l,
        Diversity::Entropy => figure >= l - TOLERANCE,
        // Equality fails, so rounding must not let it pass.
        Diversity::Recursive { c } => figure < c - TOLERANCE,
    }
}

/// The worse of two figures.
pub(super) fn worse(kind: Diversity, a: f64, b: f64) -> f64 {
    match kind {
        Diversity::Distinct | Diversity::Entropy => a.min(b),
        Diversity::Recursive { .. } => a.max(b),
    }
}

/// exp(H): how many equally frequent values would be as uncertain; 0 for none.
fn effective_values(counts: &[u32]) -> f64 {
    if counts.is_empty() {
        return 0.0;
    }
    let total: f64 = counts.iter().map(|&n| f64::from(n)).sum();
    let entropy: f64 = counts
        .iter()
        .map(|&n| f64::from(n) / total)
        .map(|p| -p * p.ln())
        .sum();
    entropy.exp()
}

/// Infinite when there are fewer than l values.
fn recursive_ratio(l: f64, counts: &mut [u32]) -> f64 {
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let skipped = (l.ceil() as usize).max(1) - 1;
    let tail: f64 = counts.iter().skip(skipped).map(|&n| f64::from(n)).sum();
    match counts.first() {
        Some(&largest) if tail > 0.0 => f64::from(largest) / tail,
        _ => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_known_classes() {
        let recursive = Diversity::Recursive { c: 2.0 };
        for (kind, l, counts, expected) in [
            (Diversity::Distinct, 2.0, vec![4, 1, 1], 3.0),
            (Diversity::Distinct, 2.0, vec![], 0.0),
            (Diversity::Entropy, 2.0, vec![3, 3, 3], 3.0),
            (Diversity::Entropy, 2.0, vec![], 0.0),
            (Diversity::Entropy, 2.0, vec![7], 1.0),
            (recursive, 2.0, vec![1, 4, 2], 4.0 / 3.0),
            (recursive, 3.0, vec![1, 4, 2], 4.0),
            (recursive, 4.0, vec![1, 4, 2], f64::INFINITY),
            (recursive, 1.0, vec![1, 4, 2], 4.0 / 7.0),
        ] {
            let found = figure(kind, l, &mut counts.clone());
            assert!(
                found == expected || (found - expected).abs() < 1e-12,
                "{kind:?} {l} {counts:?}: {found}"
            );
        }
    }

    #[test]
    fn the_boundary_of_the_recursive_kind_fails() {
        for (c, largest, tail) in [(2.0, 4, 2), (0.1, 3, 30), (0.3, 3, 10)] {
            let mut counts = vec![1; tail];
            counts.push(largest);
            let kind = Diversity::Recursive { c };
            let ratio = figure(kind, 2.0, &mut counts);
            assert!(!holds(kind, 2.0, ratio), "{c}");
        }
    }
}
