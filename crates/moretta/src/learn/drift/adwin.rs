//! ADWIN as a detector, and as a part of saved models.

use super::super::model::{MOST_COUNTED, Reader, Writer, odd};
use super::{Detector, Signal};
use crate::error::Result;
use crate::math::adwin::{Adwin, BUCKETS, Bucket, bucket_size};
use std::collections::VecDeque;

/// Rows of a window of 2^53 values, more than are ever counted.
const MOST_ROWS: usize = 52;

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

impl Adwin {
    /// All but δ and the width, which the buckets tell.
    pub(in crate::learn) fn save(&self, out: &mut Writer) {
        if self.width > MOST_COUNTED {
            // Only a made-up window is as wide; it starts again, since it could not be read.
            return Adwin::new(self.delta).save(out);
        }
        out.count(self.time);
        out.f64s(&[self.total, self.variance]);
        out.size(self.rows.len());
        for row in &self.rows {
            out.byte(row.len() as u8);
            for bucket in row {
                out.f64s(&[bucket.total, bucket.variance]);
            }
        }
    }

    /// The window as it was saved. Rows are as full as merging leaves them, so that the
    /// last always has a bucket to drop.
    pub(in crate::learn) fn load(delta: f64, from: &mut Reader<'_>) -> Result<Self> {
        let mut adwin = Adwin {
            time: from.count()?,
            total: from.f64()?,
            variance: from.f64()?,
            rows: Vec::new(),
            ..Adwin::new(delta)
        };
        let rows = from.size()?;
        if !(1..=MOST_ROWS).contains(&rows) {
            return Err(odd("a window without an end"));
        }
        for row in 0..rows {
            let buckets = usize::from(from.byte()?);
            let least = match row + 1 < rows {
                true => BUCKETS - 1,
                false => usize::from(rows > 1),
            };
            if !(least..=BUCKETS).contains(&buckets) {
                return Err(odd("a window with a hole"));
            }
            adwin.width += buckets as u64 * bucket_size(row);
            adwin.rows.push(load_row(buckets, from)?);
        }
        match adwin.width <= adwin.time {
            true => Ok(adwin),
            false => Err(odd("a window that is longer than its stream")),
        }
    }
}

fn load_row(buckets: usize, from: &mut Reader<'_>) -> Result<VecDeque<Bucket>> {
    let mut row = VecDeque::with_capacity(BUCKETS + 1);
    for _ in 0..buckets {
        row.push_back(Bucket {
            total: from.f64()?,
            variance: from.f64()?,
        });
    }
    Ok(row)
}
