//! Where a stream of features drifts.
//!
//! Each feature has a window of ADWIN, which is cut where its mean has changed; a cut of
//! any is a drift, after which all windows start empty. δ is divided among the features,
//! so that many of them raise no more false alarms than one. A missing value is passed
//! over.
//!
//! **Does not see** what leaves the means as they are: a change of spread, of how
//! features hang together, or of which records belong to which class. Rows that follow
//! from each other (prices, temperatures) drift all the time by this measure, since
//! ADWIN takes them for independent draws.
//!
//! **Costs** a constant time a value, and every 32nd value a look at log n buckets;
//! memory of m·log n buckets.

use crate::math::adwin::Adwin;

/// Watches records of features.
pub(super) struct Watch {
    /// Of one window.
    delta: f64,
    windows: Vec<Adwin>,
}

impl Watch {
    /// Of so many features; together they raise false alarms as rarely as `delta` says.
    pub(super) fn new(features: usize, delta: f64) -> Self {
        let delta = delta / features.max(1) as f64;
        Watch {
            delta,
            windows: vec![Adwin::new(delta); features],
        }
    }

    /// Takes the features of a record and says whether the stream has drifted.
    pub(super) fn sees_drift(&mut self, features: &[f64]) -> bool {
        let windows = self.windows.iter_mut().zip(features);
        // Every window takes its value, also after one was cut.
        let cuts = windows.filter_map(|(window, &value)| window.add(value).then_some(()));
        let drifted = cuts.count() > 0;
        if drifted {
            self.windows.fill(Adwin::new(self.delta));
        }
        drifted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::java_random::JavaRandom;

    /// Records of three even features, the first of which is moved from some row on; of
    /// each so many are missing.
    fn drifts(rows: usize, moved: Option<(usize, f64)>, missing: f64, seed: i64) -> Vec<usize> {
        let mut random = JavaRandom::new(seed);
        let mut watch = Watch::new(3, 0.002);
        let mut value = |shift: f64| {
            let value = random.next_double() + shift;
            match random.next_double() < missing {
                true => f64::NAN,
                false => value,
            }
        };
        let drifted = (0..rows).filter(|&row| {
            let shift = moved.map_or(0.0, |(from, by)| if row >= from { by } else { 0.0 });
            watch.sees_drift(&[value(shift), value(0.0), value(0.0)])
        });
        drifted.collect()
    }

    #[test]
    fn an_abrupt_drift_is_seen_soon_and_once() {
        for (by, within) in [(0.5, 100), (0.2, 400), (-0.2, 400)] {
            for missing in [0.0, 0.3] {
                let found = drifts(20_000, Some((10_000, by)), missing, 5);
                let soon = 10_000..10_000 + within;
                assert!(
                    matches!(found[..], [row] if soon.contains(&row)),
                    "{by} {missing}: {found:?}"
                );
            }
        }
    }

    #[test]
    fn without_drift_there_is_almost_never_one() {
        let alarms: usize = (0..20)
            .map(|seed| drifts(20_000, None, 0.0, seed).len())
            .sum();
        assert!(alarms <= 1, "{alarms} false alarms in 400,000 records");
    }

    #[test]
    fn what_is_missing_throughout_never_drifts() {
        let mut watch = Watch::new(2, 0.002);
        assert!((0..5_000).all(|_| !watch.sees_drift(&[f64::NAN, 0.5])));
    }
}
