//! How often a source was right of late, and how sure it was.

use crate::error::Result;
use crate::federate::bit_window::BitWindow;
use crate::federate::state::{Reader, Writer, odd};
use std::collections::VecDeque;

/// A source that is surer than right by more than this is reported.
const OVERCONFIDENT: f64 = 0.25;
/// Records before an accuracy is believed.
const LEAST: u32 = 100;

pub(super) struct Quality {
    right: BitWindow,
    confidences: VecDeque<f64>,
    most: usize,
    pub(super) is_told: bool,
}

impl Quality {
    pub(super) fn new(window: usize) -> Self {
        Quality {
            right: BitWindow::new(window),
            confidences: VecDeque::new(),
            most: window.max(1),
            is_told: false,
        }
    }

    pub(super) fn push(&mut self, right: bool, confidence: f64) {
        self.right.push(right);
        if self.confidences.len() == self.most {
            self.confidences.pop_front();
        }
        self.confidences.push_back(confidence);
    }

    /// No more than the accuracy that was observed.
    pub(super) fn cap(&self, confidence: f64) -> f64 {
        match self.right.size() < LEAST {
            true => confidence,
            false => confidence.min(self.right.mean()),
        }
    }

    /// The weight of its vote.
    pub(super) fn weight(&self) -> f64 {
        match self.right.size() < LEAST {
            true => 1.0,
            false => self.right.mean(),
        }
    }

    /// The variance of its confidence; of none that of a coin.
    pub(super) fn variance(&self) -> f64 {
        let count = self.confidences.len() as f64;
        if count < 2.0 {
            return 0.25;
        }
        let mean = self.confidences.iter().sum::<f64>() / count;
        let squares = self
            .confidences
            .iter()
            .map(|confidence| (confidence - mean).powi(2));
        squares.sum::<f64>() / (count - 1.0)
    }

    /// Whether a full window is surer than right; asked seldom, since it adds up the window.
    pub(super) fn is_overconfident(&self) -> bool {
        let full = self.confidences.len() == self.most;
        let sum: f64 = self.confidences.iter().sum();
        full && sum / self.most as f64 - self.right.mean() > OVERCONFIDENT
    }

    pub(super) fn save(&self, out: &mut Writer) {
        self.right.save(out);
        out.bool(self.is_told);
        out.size(self.confidences.len());
        self.confidences
            .iter()
            .for_each(|&confidence| out.f64(confidence));
    }

    pub(super) fn load(window: usize, from: &mut Reader<'_>) -> Result<Self> {
        let mut quality = Quality::new(window);
        quality.right = BitWindow::load(window, from)?;
        quality.is_told = from.bool()?;
        let length = from.length()?;
        quality.confidences = from.f64s(length)?.into();
        match quality.confidences.len() <= quality.most {
            true => Ok(quality),
            false => Err(odd("a window that there cannot be")),
        }
    }
}
