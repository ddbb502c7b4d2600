//! Poisson numbers: how often a record counts in online bagging.

use crate::math::java_random::JavaRandom;

/// Draws from the Poisson distribution with mean `lambda` by inversion, as MOA does.
pub(super) fn poisson(lambda: f64, random: &mut JavaRandom) -> u32 {
    let threshold = random.next_double() * lambda.exp();
    let most = (10.0 * lambda.ceil()).max(100.0) as u32;
    let (mut product, mut sum, mut count) = (1.0, 1.0, 0);
    while count + 1 < most && sum <= threshold {
        count += 1;
        product *= lambda / f64::from(count);
        sum += product;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_as_frequent_as_the_distribution_says() {
        for lambda in [1.0, 6.0] {
            let mut random = JavaRandom::new(1);
            let mut frequency = [0.0; 40];
            for _ in 0..100_000 {
                frequency[poisson(lambda, &mut random) as usize] += 1e-5;
            }
            let mut expected = f64::exp(-lambda);
            for (count, found) in frequency.into_iter().enumerate() {
                assert!((found - expected).abs() < 0.005, "{lambda}: {count}");
                expected *= lambda / (count + 1) as f64;
            }
        }
    }
}
