//! Guesses that see no fragment, and guesses by the nearest known record.

use crate::attack::Success;
use crate::attack::reconstruction::StudySettings;
use crate::data::Records;
use crate::math::uniform::Uniform;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Originals of records and what an attacker sees of each, in the same order.
pub(super) struct Seen<'a> {
    pub(super) originals: &'a Records,
    /// Fragments.
    pub(super) fragments: &'a Records,
    /// Classes and confidences of the victims, which the aggregator reads.
    pub(super) answers: &'a Records,
}

/// The mean and the median of everybody, which need no fragment but the distribution of values.
pub(super) fn of_everybody(seen: &Seen<'_>, settings: &StudySettings) -> Vec<Success> {
    let width = seen.originals.width();
    let column = |at: usize| -> Vec<f64> { seen.originals.column(at).collect() };
    let mean = |at: usize| column(at).iter().sum::<f64>() / seen.originals.len().max(1) as f64;
    let median = |at: usize| {
        let mut values = column(at);
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(0.0)
    };
    let guesses: [(&str, Vec<f64>); 2] = [
        ("mean of everybody", (0..width).map(mean).collect()),
        ("median of everybody", (0..width).map(median).collect()),
    ];
    let success = |(name, guess): (&str, Vec<f64>)| {
        let originals = seen.originals.iter();
        let errors: Vec<f64> = originals
            .map(|one| Success::error_of(&guess, one))
            .collect();
        Success::of_errors(
            (name, "how values are distributed"),
            &errors,
            settings.epsilon,
        )
    };
    guesses.into_iter().map(success).collect()
}

/// What the nearest of some known records is near by.
#[derive(Clone, Copy)]
pub(super) enum By {
    /// Its fragment.
    Fragment,
    /// Answers of the victims.
    Answers,
}

/// Takes the original of the nearest of so many known records.
pub(super) fn nearest_known(
    seen: &Seen<'_>,
    by: By,
    known: usize,
    settings: &StudySettings,
) -> Option<Success> {
    let (name, signs) = match by {
        By::Fragment => ("nearest known record", seen.fragments),
        By::Answers => ("nearest known record by answers", seen.answers),
    };
    let count = seen.originals.len();
    if count <= known || signs.width() == 0 {
        return None;
    }
    let mut errors = Vec::with_capacity(settings.attacks);
    for number in 0..settings.attacks as u64 {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(settings.seed.wrapping_add(number));
        let mut draw = || ((generator.draw() * count as f64) as usize).min(count - 1);
        let unknown = draw();
        let mut nearest: Option<(f64, usize)> = None;
        let mut drawn = vec![unknown];
        while drawn.len() <= known {
            let candidate = draw();
            if drawn.contains(&candidate) {
                continue;
            }
            drawn.push(candidate);
            let distance = distance(signs.record(unknown), signs.record(candidate));
            if nearest.is_none_or(|(least, _)| distance < least) {
                nearest = Some((distance, candidate));
            }
        }
        if let Some((_, found)) = nearest {
            let found = seen.originals.record(found);
            errors.push(Success::error_of(found, seen.originals.record(unknown)));
        }
    }
    let knows = match by {
        By::Fragment => format!("{known} records and their fragments"),
        By::Answers => format!("{known} records and the answers to them"),
    };
    Some(Success::of_errors(
        (name, &knows),
        &errors,
        settings.epsilon,
    ))
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// Share of records of which another one shows the same fragment: who knows one knows both.
pub(super) fn repeats(fragments: &Records) -> f64 {
    let mut rows: Vec<&[f64]> = fragments.iter().collect();
    let order = |a: &&[f64], b: &&[f64]| {
        let pairs = a.iter().zip(*b);
        let mut orders = pairs.map(|(a, b)| a.total_cmp(b));
        orders
            .find(|order| order.is_ne())
            .unwrap_or(std::cmp::Ordering::Equal)
    };
    rows.sort_by(order);
    // A sum of doubles depends on the order of its parts in its last digits.
    let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-7);
    let is_repeated = |at: usize| {
        (at > 0 && same(rows[at - 1], rows[at]))
            || rows.get(at + 1).is_some_and(|next| same(rows[at], next))
    };
    let repeated = (0..rows.len()).filter(|&at| is_repeated(at)).count();
    repeated as f64 / rows.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(rows: &[&[f64]]) -> Records {
        let mut records = Records::new(rows[0].len());
        rows.iter().for_each(|row| records.push(row));
        records
    }

    #[test]
    fn equal_fragments_are_repeats() {
        let fragments = records(&[&[1.0, 2.0], &[3.0, 4.0], &[1.0, 2.0], &[1.0, 2.5]]);
        assert_eq!(repeats(&fragments), 0.5);
    }
}
