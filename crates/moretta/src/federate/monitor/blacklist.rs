//! Sources whose node was removed wait until one of them has drifted.

use crate::error::{Error, Result};
use crate::federate::state::{Reader, Writer};
use crate::math::adwin::{Adwin, Bucket, MOST_ROWS, Parts};

/// Sources that get no node, and how often each is right.
#[derive(Clone, Debug)]
pub(super) struct Blacklisted {
    pub(super) sources: Vec<u16>,
    correctness: Vec<Adwin>,
    delta: f64,
}

impl Blacklisted {
    pub(super) fn new(sources: Vec<u16>, delta: f64) -> Self {
        Blacklisted {
            correctness: vec![Adwin::new(delta); sources.len()],
            sources,
            delta,
        }
    }

    /// Takes whether each source was right, none where it did not answer. Says whether any has
    /// changed.
    pub(super) fn push(&mut self, right: impl Iterator<Item = Option<bool>>) -> bool {
        let mut changed = false;
        for (right, adwin) in right.zip(&mut self.correctness) {
            if let Some(right) = right {
                changed |= adwin.add(f64::from(right));
            }
        }
        changed
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.size(self.sources.len());
        self.sources.iter().for_each(|&source| out.u16(source));
        for adwin in &self.correctness {
            let parts = adwin.parts();
            out.u64(parts.time);
            out.f64s(&[parts.total, parts.variance]);
            out.size(parts.rows.len());
            for row in &parts.rows {
                out.size(row.len());
                row.iter()
                    .for_each(|bucket| out.f64s(&[bucket.total, bucket.variance]));
            }
        }
    }

    pub(super) fn load(delta: f64, from: &mut Reader<'_>) -> Result<Self> {
        let length = from.length()?;
        let sources = from.many(length, Reader::u16)?;
        let mut listed = Blacklisted::new(sources, delta);
        for adwin in &mut listed.correctness {
            let (time, total, variance) = (from.u64()?, from.f64()?, from.f64()?);
            let rows = from.length()?.min(MOST_ROWS + 1);
            let bucket = |from: &mut Reader<'_>| {
                Ok(Bucket {
                    total: from.f64()?,
                    variance: from.f64()?,
                })
            };
            let rows = from.many(rows, |from| {
                let buckets = from.length()?;
                Ok(from.many(buckets, bucket)?.into())
            })?;
            let parts = Parts {
                time,
                total,
                variance,
                rows,
            };
            *adwin = Adwin::from_parts(listed.delta, parts).map_err(Error::input)?;
        }
        Ok(listed)
    }
}
