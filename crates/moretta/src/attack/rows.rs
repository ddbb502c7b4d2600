//! Which records an attacker has, drawn from those that are attacked.

use super::reconstruction::Stream;
use super::success::norm;
use crate::error::{Error, Result};
use crate::math::uniform::Uniform;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Rows without missing values, each on one side only.
pub(super) struct Rows {
    /// Records that the attacker has and that are taken out of the release.
    pub(super) sample: Vec<usize>,
    /// Released records whose originals the attacker knows, in ascending order.
    pub(super) known: Vec<usize>,
    /// All others, in ascending order.
    pub(super) others: Vec<usize>,
}

impl Rows {
    /// A sample of so many, without a number of a thousand or half of them, and known
    /// ones.
    ///
    /// # Errors
    /// Fewer records of the sample, or of the others, than features.
    pub(super) fn draw(
        stream: &Stream<'_>,
        sample: Option<usize>,
        known: usize,
        generator: &mut Xoshiro256PlusPlus,
    ) -> Result<Self> {
        let (inputs, outputs) = (stream.inputs, stream.outputs);
        let m = inputs.width();
        let complete = |&row: &usize| {
            let values = inputs.record(row).iter().chain(outputs.record(row));
            values.into_iter().all(|value| value.is_finite()) && norm(inputs.record(row)) > 0.0
        };
        let mut rows: Vec<usize> = (0..inputs.len()).filter(complete).collect();
        let wanted = sample.unwrap_or(1000.min(rows.len() / 2));
        let left = rows.len().saturating_sub(wanted + known);
        if wanted <= m + 1 || left <= m + 1 {
            let what = format!(
                "a sample of {wanted} records leaves {left} to attack, and {m} features need more on both sides"
            );
            return Err(Error::input(what).help("change --sample, or take more rows"));
        }
        for place in 0..wanted + known {
            let other = place + (generator.draw() * (rows.len() - place) as f64) as usize;
            rows.swap(place, other);
        }
        let mut others = rows.split_off(wanted + known);
        let mut known = rows.split_off(wanted);
        others.sort_unstable();
        known.sort_unstable();
        Ok(Rows {
            sample: rows,
            known,
            others,
        })
    }
}
