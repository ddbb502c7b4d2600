//! DDM: the error rate of a learner rises above its lowest.
//!
//! With p the error rate since the last drift and s = √(p(1−p)/n), it warns where p + s
//! exceeds p_min + 2 s_min and tells a drift beyond 3 s_min, then starts afresh. Quick
//! on abrupt changes, slow on gradual ones. Constant time and memory. J. Gama et al.,
//! "Learning with Drift Detection", SBIA 2004; with MOA's defaults.

use super::super::model::{Loaded, Reader, Saved, Writer};
use super::{Detector, Signal};
use crate::error::Result;

/// The options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ddm {
    /// Values before anything is told.
    pub least: u64,
    /// Standard deviations that make a warning: more of them, fewer warnings.
    pub warning: f64,
    /// Standard deviations that make a drift.
    pub drift: f64,
}

impl Default for Ddm {
    fn default() -> Self {
        Ddm {
            least: 30,
            warning: 2.0,
            drift: 3.0,
        }
    }
}

impl Ddm {
    /// A detector that saw nothing yet.
    pub fn build(self) -> DdmDetector {
        DdmDetector {
            options: self,
            count: 0,
            rate: 0.0,
            lowest: None,
        }
    }
}

/// Watches errors, 0 or 1.
#[derive(Clone, Debug)]
pub struct DdmDetector {
    options: Ddm,
    count: u64,
    rate: f64,
    /// The rate and its deviation when their sum was lowest.
    lowest: Option<(f64, f64)>,
}

/// All but the options, which are the usual ones.
impl Saved for DdmDetector {
    fn save(&self, out: &mut Writer) {
        out.count(self.count);
        let (rate, deviation) = self.lowest.unwrap_or_default();
        out.f64s(&[self.rate, rate, deviation]);
        out.bool(self.lowest.is_some());
    }
}

impl<With> Loaded<With> for DdmDetector {
    fn load(_: &With, from: &mut Reader<'_>) -> Result<Self> {
        let (count, rate) = (from.count()?, from.f64()?);
        let lowest = (from.f64()?, from.f64()?);
        Ok(DdmDetector {
            count,
            rate,
            lowest: from.bool()?.then_some(lowest),
            ..Ddm::default().build()
        })
    }
}

impl Detector for DdmDetector {
    fn update(&mut self, value: f64) -> Signal {
        if !value.is_finite() {
            return Signal::None;
        }
        self.count += 1;
        self.rate += (value - self.rate) / self.count as f64;
        let variance = (self.rate * (1.0 - self.rate)).max(0.0);
        let deviation = (variance / self.count as f64).sqrt();
        if self.count + 1 < self.options.least {
            return Signal::None;
        }
        let level = self.rate + deviation;
        let (rate, least) = match self.lowest {
            Some((rate, least)) if level > rate + least => (rate, least),
            _ => *self.lowest.insert((self.rate, deviation)),
        };
        if self.count >= self.options.least && level > rate + self.options.drift * least {
            *self = self.options.build();
            return Signal::Drift;
        }
        match level > rate + self.options.warning * least {
            true => Signal::Warning,
            false => Signal::None,
        }
    }

    fn memory(&self) -> usize {
        size_of::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_warns_before_it_tells_a_drift_and_starts_afresh() {
        let mut ddm = Ddm::default().build();
        for at in 0..300 {
            let error = f64::from(at % 10 == 9);
            assert_ne!(ddm.update(error), Signal::Drift, "at {at}");
        }
        let signals: Vec<Signal> = (0..60).map(|_| ddm.update(1.0)).collect();
        let first = |signal| signals.iter().position(|&found| found == signal);
        let (warning, drift) = (first(Signal::Warning), first(Signal::Drift));
        assert!(
            warning.is_some() && warning < drift,
            "{warning:?} {drift:?}"
        );
        let after = drift.expect("a drift") + 1;
        assert!(
            signals[after..]
                .iter()
                .all(|&signal| signal == Signal::None)
        );
    }

    #[test]
    fn nothing_is_told_too_early() {
        let mut ddm = Ddm::default().build();
        let signals: Vec<Signal> = (0..29).map(|at| ddm.update(f64::from(at > 14))).collect();
        assert!(signals.iter().all(|&signal| signal != Signal::Drift));
    }
}
