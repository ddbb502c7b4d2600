//! ADWIN as a detector, and as a part of saved models.

use super::super::model::{MOST_COUNTED, Reader, Writer, odd};
use super::{Detector, Signal};
use crate::error::Result;
use crate::math::adwin::{Adwin, Bucket, MOST_ROWS, Parts};
use std::collections::VecDeque;

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

/// All but δ and the width, which the buckets tell.
pub(in crate::learn) fn save_window(window: &Adwin, out: &mut Writer) {
    let parts = match window.width() > MOST_COUNTED {
        // Only a made-up window is as wide; it starts again, since it could not be read.
        true => Adwin::default().parts(),
        false => window.parts(),
    };
    out.count(parts.time);
    out.f64s(&[parts.total, parts.variance]);
    out.size(parts.rows.len());
    for row in &parts.rows {
        out.byte(row.len() as u8);
        for bucket in row {
            out.f64s(&[bucket.total, bucket.variance]);
        }
    }
}

/// The window as it was saved.
pub(in crate::learn) fn load_window(delta: f64, from: &mut Reader<'_>) -> Result<Adwin> {
    let mut parts = Parts {
        time: from.count()?,
        total: from.f64()?,
        variance: from.f64()?,
        rows: Vec::new(),
    };
    // One more than there can be is enough to be refused.
    for _ in 0..from.size()?.min(MOST_ROWS + 1) {
        parts.rows.push(load_row(from)?);
    }
    Adwin::from_parts(delta, parts).map_err(odd)
}

fn load_row(from: &mut Reader<'_>) -> Result<VecDeque<Bucket>> {
    let buckets = from.byte()?;
    let mut row = VecDeque::new();
    for _ in 0..buckets {
        row.push_back(Bucket {
            total: from.f64()?,
            variance: from.f64()?,
        });
    }
    Ok(row)
}
