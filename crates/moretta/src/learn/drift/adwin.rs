//! ADWIN as a detector, and as a part of saved models.

use super::super::model::{Loaded, MOST_COUNTED, Reader, Saved, Writer, odd};
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
impl Saved for Adwin {
    fn save(&self, out: &mut Writer) {
        let parts = match self.width() > MOST_COUNTED {
            // Only a made-up window is as wide; it starts again, since it could not be read.
            true => Adwin::default().parts(),
            false => self.parts(),
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
}

/// A window with this δ.
impl Loaded<f64> for Adwin {
    fn load(delta: &f64, from: &mut Reader<'_>) -> Result<Self> {
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
        Adwin::from_parts(*delta, parts).map_err(odd)
    }
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
