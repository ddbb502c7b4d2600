//! ADWIN as a detector.

use super::{Detector, Signal};
use crate::math::adwin::Adwin;

impl Detector for Adwin {
    fn update(&mut self, value: f64) -> Signal {
        match self.add(value) {
            true => Signal::Drift,
            false => Signal::None,
        }
    }

    fn memory(&self) -> usize {
        self.bytes()
    }
}
