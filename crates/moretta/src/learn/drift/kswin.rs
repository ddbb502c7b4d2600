//! KSWIN: the newest values are distributed unlike a sample of the older ones.
//!
//! In a window of the last n values it compares the newest r with r drawn from the
//! rest by the test of Kolmogorov and Smirnov; a distance above √(−ln(α)/r) is a
//! drift, and only the newest r stay. It sees changes of shape as well as of the mean,
//! at O(r log r) a value; memory is n values. C. Raab et al., "Reactive Soft Prototype
//! Computing for Concept Drift Streams", Neurocomputing 2020; with its defaults.

use super::super::model::{Loaded, Reader, Saved, Writer, odd};
use super::{Detector, Signal};
use crate::error::Result;
use crate::math::java_random::JavaRandom;
use std::collections::VecDeque;

/// The options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kswin {
    /// The level of the test: greater ones see more drifts, real or not.
    pub alpha: f64,
    /// Values in the window; the newest `recent` are among them.
    pub window: usize,
    /// How many of the newest values are compared.
    pub recent: usize,
}

impl Default for Kswin {
    fn default() -> Self {
        Kswin {
            alpha: 0.005,
            window: 100,
            recent: 30,
        }
    }
}

impl Kswin {
    /// A detector that saw nothing yet and draws its samples from `seed`.
    pub fn build(self, seed: i64) -> KswinDetector {
        KswinDetector {
            options: self,
            window: VecDeque::with_capacity(self.window),
            random: JavaRandom::new(seed),
            recent: Vec::with_capacity(self.recent),
            sample: Vec::with_capacity(self.recent),
        }
    }
}

/// Watches any numbers.
#[derive(Clone, Debug)]
pub struct KswinDetector {
    options: Kswin,
    window: VecDeque<f64>,
    random: JavaRandom,
    recent: Vec<f64>,
    sample: Vec<f64>,
}

impl KswinDetector {
    fn differs(&mut self) -> bool {
        let older = self.window.len() - self.options.recent;
        let bound = i32::try_from(older).unwrap_or(i32::MAX);
        self.recent.clear();
        self.recent.extend(self.window.iter().skip(older));
        self.sample.clear();
        for _ in 0..self.options.recent {
            let drawn = self.random.next_int_below(bound) as usize;
            self.sample.push(self.window[drawn]);
        }
        self.recent.sort_unstable_by(f64::total_cmp);
        self.sample.sort_unstable_by(f64::total_cmp);
        let critical = (-self.options.alpha.ln() / self.options.recent as f64).sqrt();
        kolmogorov_smirnov(&self.recent, &self.sample) > critical
    }
}

/// All but the options, which are the usual ones.
impl Saved for KswinDetector {
    fn save(&self, out: &mut Writer) {
        self.random.save(out);
        out.size(self.window.len());
        for &value in &self.window {
            out.f64(value);
        }
    }
}

impl<With> Loaded<With> for KswinDetector {
    fn load(with: &With, from: &mut Reader<'_>) -> Result<Self> {
        let mut detector = Kswin::default().build(0);
        detector.random = Loaded::load(with, from)?;
        let length = from.length()?;
        if length > detector.options.window {
            return Err(odd("a window longer than its limit"));
        }
        detector.window.extend(from.f64s(length)?);
        Ok(detector)
    }
}

impl Detector for KswinDetector {
    fn update(&mut self, value: f64) -> Signal {
        let Kswin { window, recent, .. } = self.options;
        if !value.is_finite() || recent == 0 || window <= recent {
            return Signal::None;
        }
        if self.window.len() >= window {
            self.window.pop_front();
        }
        self.window.push_back(value);
        if self.window.len() < window || !self.differs() {
            return Signal::None;
        }
        self.window.drain(..window - recent);
        Signal::Drift
    }

    fn memory(&self) -> usize {
        let values = self.window.capacity() + self.recent.capacity() + self.sample.capacity();
        size_of::<Self>() + values * size_of::<f64>()
    }
}

/// The greatest distance between the distribution functions of two sorted samples.
fn kolmogorov_smirnov(first: &[f64], second: &[f64]) -> f64 {
    let (mut i, mut j, mut distance) = (0, 0, 0.0f64);
    while i < first.len() && j < second.len() {
        let value = first[i].min(second[j]);
        i += first[i..].iter().take_while(|&&x| x <= value).count();
        j += second[j..].iter().take_while(|&&x| x <= value).count();
        let apart = i as f64 / first.len() as f64 - j as f64 / second.len() as f64;
        distance = distance.max(apart.abs());
    }
    distance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_distributions_are_those_counted_by_hand() {
        let check = |first: &[f64], second: &[f64], expected: f64| {
            assert!((kolmogorov_smirnov(first, second) - expected).abs() < 1e-12);
            assert!((kolmogorov_smirnov(second, first) - expected).abs() < 1e-12);
        };
        check(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0], 0.0);
        check(&[1.0, 2.0], &[3.0, 4.0], 1.0);
        check(&[1.0, 2.0, 3.0, 4.0], &[3.0, 4.0, 5.0, 6.0], 0.5);
        check(&[0.0, 0.0, 1.0, 1.0], &[0.0, 1.0, 1.0, 1.0], 0.25);
    }

    #[test]
    fn a_change_of_spread_is_seen_though_the_mean_stays() {
        let mut random = JavaRandom::new(3);
        let mut detector = Kswin::default().build(1);
        let mut drifts = Vec::new();
        for at in 0..1000 {
            let spread = if at < 500 { 1.0 } else { 20.0 };
            if detector.update(random.next_gaussian() * spread) == Signal::Drift {
                drifts.push(at);
            }
        }
        assert!(
            drifts.iter().any(|at| (500..600).contains(at)),
            "{drifts:?}"
        );
    }
}
