//! The model of Zayatz 1991: classes of the population are distributed as those of the sample.
//!
//! A class of j persons is seen as one with P₁(j) = j C(N - j, n - 1) / C(N, n), so of those
//! who are alone in the sample c₁ P₁(1) / Σ cⱼ P₁(j) are alone in the population.

use super::Sample;

/// How many persons of the population are alone.
pub(super) fn uniques(sample: &Sample) -> f64 {
    let (n, all) = (sample.persons, sample.population);
    let alone = sample.of_size(1.0);
    if alone == 0.0 {
        return 0.0;
    }
    // P₁(j) over P₁(1), from one size to the next: of factorials nothing would be left.
    let (mut weight, mut size) = (1.0, 1.0);
    let mut seen = 0.0;
    for &(wanted, count) in &sample.classes {
        while size < wanted && weight > 0.0 {
            let others = (all - size - n + 1.0).max(0.0) / (all - size);
            weight *= (size + 1.0) / size * others;
            size += 1.0;
        }
        seen += count * weight;
        if weight == 0.0 {
            break;
        }
    }
    alone * alone / seen / sample.fraction()
}
