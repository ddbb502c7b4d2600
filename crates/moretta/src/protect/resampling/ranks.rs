//! What each rank has on average in samples that are drawn with replacement.
//!
//! A sample is drawn as how often it holds each value, so it need not be sorted.

use crate::cancel::Cancel;
use crate::error::Result;
use crate::math::uniform::below;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The mean of each rank in samples of values in ascending order.
pub(super) fn means(
    ascending: &[f64],
    samples: usize,
    generator: &mut Xoshiro256PlusPlus,
    cancel: &Cancel,
) -> Result<Vec<f64>> {
    let share = samples as f64;
    let mut means = vec![0.0; ascending.len()];
    let mut held = vec![0_u32; ascending.len()];
    for _ in 0..samples {
        cancel.check()?;
        held.fill(0);
        for _ in ascending {
            held[below(generator, ascending.len() as u64) as usize] += 1;
        }
        let mut ranks = means.iter_mut();
        for (&value, &times) in ascending.iter().zip(&held) {
            for mean in ranks.by_ref().take(times as usize) {
                *mean += value / share;
            }
        }
    }
    Ok(means)
}

/// The lower median of each rank in samples of values in ascending order.
///
/// The j-th smallest of a sample is at most x exactly if the sample holds j or more values up to x.
/// So the median of rank j is at most x if more than half of the samples do, and of each x only the
/// median of these counts matters: no sample is kept.
pub(super) fn medians(
    ascending: &[f64],
    samples: usize,
    generator: &mut Xoshiro256PlusPlus,
    cancel: &Cancel,
) -> Result<Vec<f64>> {
    let mut distinct = ascending.to_vec();
    distinct.dedup();
    let mut until: Vec<Vec<u32>> = vec![Vec::with_capacity(samples); distinct.len()];
    let place = |value: &f64| distinct.partition_point(|other| other < value);
    let places: Vec<usize> = ascending.iter().map(place).collect();
    let mut held = vec![0_u32; distinct.len()];
    for _ in 0..samples {
        cancel.check()?;
        held.fill(0);
        for _ in ascending {
            held[places[below(generator, ascending.len() as u64) as usize]] += 1;
        }
        let mut sum = 0;
        for (until, &times) in until.iter_mut().zip(&held) {
            sum += times;
            until.push(sum);
        }
    }
    let mut medians = Vec::with_capacity(ascending.len());
    for (&value, until) in distinct.iter().zip(&mut until) {
        // So many samples agree that the lower median of their values is among them.
        let agree = samples.div_ceil(2);
        until.sort_unstable_by(|a, b| b.cmp(a));
        let ranks = until.get(agree - 1).map_or(0, |&ranks| ranks as usize);
        medians.resize(ranks.max(medians.len()), value);
    }
    Ok(medians)
}
