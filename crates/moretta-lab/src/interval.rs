//! The mean of a few runs, with its 95 % confidence interval after Student.

/// Quantiles 0.975 of Student's t for 1 to 30 degrees of freedom.
const QUANTILES: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

/// A mean and how far the interval reaches to either side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub(crate) mean: f64,
    pub(crate) reach: f64,
}

impl Interval {
    /// Of two values or more; one tells nothing about its spread.
    pub(crate) fn of(values: impl Iterator<Item = f64> + Clone) -> Option<Self> {
        let count = values.clone().count();
        if count < 2 {
            return None;
        }
        let mean = values.clone().sum::<f64>() / count as f64;
        let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
        let freedom = count - 1;
        let error = (squares / freedom as f64 / count as f64).sqrt();
        Some(Interval {
            mean,
            reach: quantile(freedom) * error,
        })
    }
}

fn quantile(freedom: usize) -> f64 {
    // Beyond the table two terms of the expansion around the normal quantile are
    // right to three decimals.
    let n = freedom as f64;
    let beyond = 1.959_964 + (2.372_3 + 2.823 / n) / n;
    QUANTILES.get(freedom - 1).copied().unwrap_or(beyond)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_students() {
        let interval = Interval::of([1.0, 2.0, 3.0].into_iter()).expect("three values");
        assert_eq!(interval.mean, 2.0);
        assert!((interval.reach - 4.303 / 3.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(Interval::of([1.0].into_iter()), None);
    }

    #[test]
    fn quantiles_fall_without_a_jump() {
        let all: Vec<f64> = (1..100).map(quantile).collect();
        assert!(all.is_sorted_by(|before, after| before > after));
        assert!((quantile(31) - 2.0395).abs() < 0.001);
        assert!((quantile(100) - 1.984).abs() < 0.001);
    }
}
