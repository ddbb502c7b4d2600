//! Individual and household risk of a sample with weights (Benedetti and Franconi 1998, as
//! sdcMicro has it).
//!
//! A class of f sampled persons stands for F of the population, the sum of their weights. If the
//! class of the population is a negative binomial number given f, a person of the class is found
//! with the mean of 1/F. A household is found when one of its members is.

/// The risk of each row: `class_of` tells its class of `classes`, `weights` for how many it stands.
pub fn individual_risks(class_of: &[u32], classes: usize, weights: &[f64]) -> Vec<f64> {
    let mut sums = vec![(0u32, 0.0f64); classes];
    for (&class, weight) in class_of.iter().zip(weights) {
        let (size, sum) = &mut sums[class as usize];
        *size += 1;
        *sum += weight;
    }
    let risks: Vec<f64> = sums.into_iter().map(|(f, sum)| risk(f, sum)).collect();
    class_of
        .iter()
        .map(|&class| risks[class as usize])
        .collect()
}

/// The mean over the rows of the risk of their household, where the households of rows are
/// below `households`.
pub fn household_risk(risks: &[f64], household_of: &[u32], households: usize) -> f64 {
    let mut unfound = vec![1.0; households];
    for (&household, risk) in household_of.iter().zip(risks) {
        unfound[household as usize] *= 1.0 - risk;
    }
    let found = household_of.iter().map(|&h| 1.0 - unfound[h as usize]);
    found.sum::<f64>() / risks.len().max(1) as f64
}

/// Of a class of `f` persons who stand for `all`.
fn risk(f: u32, all: f64) -> f64 {
    let size = f64::from(f);
    let p = (size / all).min(1.0);
    if p >= 1.0 {
        return 1.0 / size;
    }
    let ratio = p / (1.0 - p);
    match f {
        1 => ratio * -p.ln(),
        2 => ratio + ratio * ratio * p.ln(),
        _ => p / (size - (1.0 - p)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn risks_by_hand() {
        // One person who stands for 4, two for 10, three for 30, two for themselves.
        let classes = [0, 1, 1, 2, 2, 2, 3, 3];
        let weights = [4.0, 6.0, 4.0, 10.0, 10.0, 10.0, 1.0, 1.0];
        let found = individual_risks(&classes, 4, &weights);
        let one = 0.25 / 0.75 * 4f64.ln();
        let two = 0.25 - 0.0625 * 5f64.ln();
        let three = 0.1 / (3.0 - 0.9);
        let expected = [one, two, two, three, three, three, 0.5, 0.5];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        let households = [0, 0, 1, 1, 1, 2, 2, 2];
        let together = |risks: &[f64]| 1.0 - risks.iter().map(|r| 1.0 - r).product::<f64>();
        let by_hand = (2.0 * together(&expected[..2])
            + 3.0 * together(&expected[2..5])
            + 3.0 * together(&expected[5..]))
            / 8.0;
        assert!((household_risk(&found, &households, 3) - by_hand).abs() < 1e-12);
        assert_eq!(household_risk(&[], &[], 0), 0.0);
    }

    #[test]
    fn a_weight_below_one_counts_as_one() {
        assert_eq!(individual_risks(&[0], 1, &[0.5]), [1.0]);
    }
}
