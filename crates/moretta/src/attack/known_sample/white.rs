//! Records as directions that vary, each by itself.

use crate::data::Records;
use crate::math::eigen::Eigen;
use crate::math::moments::CoMoments;

/// Share of the largest spread below which a direction has none.
const FLAT: f64 = 1e-9;

/// One side as directions that vary, each by itself, the most first.
pub(super) struct White {
    pub(super) means: Vec<f64>,
    eigen: Eigen,
    /// Deviations along the directions.
    deviations: Vec<f64>,
    /// Deviations without noise, over those with it.
    signal: Vec<f64>,
}

impl White {
    /// Of records with noise of this variance on each number.
    pub(super) fn new(records: &Records, noise: f64) -> Self {
        let mut moments = CoMoments::new(records.width());
        for record in records.iter() {
            moments.push(record);
        }
        let eigen = Eigen::new(records.width(), |i, j| moments.covariance(i, j));
        let most = eigen.values.first().copied().unwrap_or(0.0);
        let varying = eigen.values.iter().filter(|&&value| value > FLAT * most);
        let varying: Vec<f64> = varying.copied().collect();
        let signal = |value: &f64| ((value - noise).max(0.0) / value).sqrt();
        White {
            means: moments.means().to_vec(),
            deviations: varying.iter().map(|value| value.sqrt()).collect(),
            signal: varying.iter().map(signal).collect(),
            eigen,
        }
    }

    /// Directions that vary.
    pub(super) fn width(&self) -> usize {
        self.deviations.len()
    }

    /// The first `out.len()` directions of a record, each of mean 0 and variance 1.
    pub(super) fn whiten(&self, record: &[f64], out: &mut [f64]) {
        for (place, (out, deviation)) in out.iter_mut().zip(&self.deviations).enumerate() {
            let centred = record.iter().zip(&self.means).map(|(x, mean)| x - mean);
            let along = centred.zip(self.eigen.vector(place)).map(|(x, v)| x * v);
            *out = along.sum::<f64>() / deviation;
        }
    }

    /// The weights of a centred record that give a component of its signal.
    pub(super) fn reader(&self, component: &[f64]) -> Vec<f64> {
        self.combined(component, |place| {
            self.signal[place] / self.deviations[place]
        })
    }

    /// What a component of 1 adds to a record.
    pub(super) fn direction(&self, component: &[f64]) -> Vec<f64> {
        self.combined(component, |place| self.deviations[place])
    }

    fn combined(&self, component: &[f64], weight: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut sum = vec![0.0; self.means.len()];
        for (place, share) in component.iter().enumerate() {
            let share = share * weight(place);
            let parts = sum.iter_mut().zip(self.eigen.vector(place));
            parts.for_each(|(sum, v)| *sum += share * v);
        }
        sum
    }
}
