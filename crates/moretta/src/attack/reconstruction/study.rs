//! Many attacks on one stream, and how often they succeed.

use super::blur::Blur;
use super::evidence::{Evidence, draw, norm};
use super::maximum::{Attack, Optimizer, Search, reconstruct};
use crate::data::Records;
use crate::error::{Error, Result};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use serde::Serialize;
use std::time::Instant;

/// Originals as features, and their releases.
#[derive(Clone, Copy, Debug)]
pub struct Stream<'a> {
    /// The originals, in the order of the stream.
    pub inputs: &'a Records,
    /// What they became.
    pub outputs: &'a Records,
    /// The noise, as far as an attacker knows it.
    pub blur: Blur,
    /// All records may have been shifted.
    pub translated: bool,
}

/// What is tried.
#[derive(Clone, Debug)]
pub struct StudySettings {
    /// Records that an attacker knows.
    pub known: usize,
    /// How many records are attacked.
    pub attacks: usize,
    /// A relative error below this is a breach.
    pub epsilon: f64,
    /// How maxima are searched for.
    pub optimizer: Optimizer,
    /// From how many points.
    pub starts: usize,
    /// The accuracy of a learner on the release, where it is known.
    pub accuracy: Option<f64>,
    /// Chooses records and starts.
    pub seed: u64,
}

/// How the attacks went.
#[derive(Clone, Debug, Serialize)]
pub struct Study {
    /// Features of a record.
    pub features: usize,
    /// Numbers that were released of it.
    pub released: usize,
    /// Records that an attacker knew.
    pub known: usize,
    /// A relative error below this was a breach.
    pub epsilon: f64,
    /// Each attack.
    pub attacks: Vec<Success>,
}

/// How one attack went.
#[derive(Clone, Debug, Serialize)]
pub struct Success {
    /// Its name.
    pub attack: String,
    /// Records that were attacked.
    pub records: usize,
    /// Share of them whose relative error |x̂ − x|/|x| was below ε.
    pub breach: f64,
    /// Between these the probability of a breach lies with 95 % confidence.
    pub interval: [f64; 2],
    /// Median relative error.
    pub median_error: f64,
    /// The [`magnitude`] with the error of a learner, where that is known.
    pub magnitude: Option<f64>,
    /// Mean time of one attack.
    pub seconds: f64,
    /// The error by the distance to the nearest known record, in fifths of the attacks.
    pub by_distance: Vec<AtDistance>,
    /// The relative error of each attack.
    #[serde(skip)]
    errors: Vec<f64>,
}

impl Success {
    /// The share of breaches at another ε, and its 95 % confidence interval.
    pub fn breach_at(&self, epsilon: f64) -> (f64, [f64; 2]) {
        let breaches = self.errors.iter().filter(|error| **error < epsilon).count();
        let count = self.errors.len();
        (
            breaches as f64 / count.max(1) as f64,
            wilson(breaches, count),
        )
    }
}

/// Attacks on records that are so far from the nearest known one.
#[derive(Clone, Debug, Serialize)]
pub struct AtDistance {
    /// Rows at least.
    pub from: u64,
    /// Rows at most.
    pub to: u64,
    /// How many attacks.
    pub records: usize,
    /// Their median relative error.
    pub median_error: f64,
    /// The share of breaches.
    pub breach: f64,
}

/// Runs all attacks that make sense; the same for any number of threads.
///
/// # Errors
/// Too few complete and different records.
pub fn study(stream: &Stream<'_>, settings: &StudySettings) -> Result<Study> {
    let Stream { inputs, blur, .. } = *stream;
    let complete = |&row: &usize| {
        let record = inputs.record(row);
        record.iter().all(|value| value.is_finite()) && norm(record) > 0.0
    };
    let candidates: Vec<usize> = (0..inputs.len()).filter(complete).collect();
    if candidates.len() <= settings.known {
        let what = format!(
            "{} complete records, and an attacker who knows {} needs more",
            candidates.len(),
            settings.known
        );
        return Err(Error::input(what).help("know fewer with --known, or take more rows"));
    }
    let attacks = Attack::all(blur, settings.known, inputs.width(), stream.translated);
    let tried: Option<Vec<Vec<Trial>>> = (0..settings.attacks as u64)
        .into_par_iter()
        .map(|attack| attack_one(stream, settings, &candidates, &attacks, attack))
        .collect();
    let tried = tried.ok_or_else(|| {
        Error::input("too few records are linearly independent of each other")
            .help("know fewer with --known, or project fewer columns that are alike")
    })?;
    let success = |(place, attack): (usize, &Attack)| {
        let trials: Vec<Trial> = tried.iter().map(|trials| trials[place]).collect();
        success(attack.name(blur), trials, settings)
    };
    Ok(Study {
        features: inputs.width(),
        released: stream.outputs.width(),
        known: settings.known,
        epsilon: settings.epsilon,
        attacks: attacks.iter().enumerate().map(success).collect(),
    })
}

/// The privacy–accuracy magnitude: the squared error rate of a learner and the
/// squared probability of a breach; 0 were perfect.
pub fn magnitude(error: f64, breach: f64) -> f64 {
    error * error + breach * breach
}

/// One attack on one record.
#[derive(Clone, Copy, Debug)]
struct Trial {
    error: f64,
    distance: u64,
    seconds: f64,
}

/// None if no records were found that are different enough.
fn attack_one(
    stream: &Stream<'_>,
    settings: &StudySettings,
    candidates: &[usize],
    attacks: &[Attack],
    number: u64,
) -> Option<Vec<Trial>> {
    let Stream {
        inputs,
        outputs,
        blur,
        translated,
    } = *stream;
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(settings.seed.wrapping_add(number));
    let record = |row| inputs.record(row);
    let (unknown, known) = draw(candidates, record, settings.known, &mut generator)?;
    let evidence = Evidence {
        rows: known.iter().map(|&row| row as u64).collect(),
        inputs: known.iter().map(|&row| inputs.record(row)).collect(),
        outputs: known.iter().map(|&row| outputs.record(row)).collect(),
        row: unknown as u64,
        output: outputs.record(unknown),
    };
    let search = Search {
        optimizer: settings.optimizer,
        starts: settings.starts,
    };
    let trial = |&attack: &Attack| {
        let start = Instant::now();
        let found = reconstruct(attack, &evidence, blur, translated, search, &mut generator);
        let seconds = start.elapsed().as_secs_f64();
        let error = found.map_or(f64::INFINITY, |found| {
            relative_error(&found.record, inputs.record(unknown))
        });
        Trial {
            error,
            distance: evidence.distance(),
            seconds,
        }
    };
    Some(attacks.iter().map(trial).collect())
}

fn relative_error(found: &[f64], original: &[f64]) -> f64 {
    let difference: Vec<f64> = found.iter().zip(original).map(|(f, o)| f - o).collect();
    norm(&difference) / norm(original)
}

fn success(attack: String, mut trials: Vec<Trial>, settings: &StudySettings) -> Success {
    const FIFTHS: usize = 5;
    let epsilon = settings.epsilon;
    trials.sort_by_key(|trial| trial.distance);
    let count = trials.len();
    let breaches = |trials: &[Trial]| trials.iter().filter(|trial| trial.error < epsilon).count();
    let share = |trials: &[Trial]| breaches(trials) as f64 / trials.len().max(1) as f64;
    let fifth = |fifth: usize| {
        let part = &trials[fifth * count / FIFTHS..(fifth + 1) * count / FIFTHS];
        Some(AtDistance {
            from: part.first()?.distance,
            to: part.last()?.distance,
            records: part.len(),
            median_error: median(part),
            breach: share(part),
        })
    };
    Success {
        attack,
        records: count,
        breach: share(&trials),
        interval: wilson(breaches(&trials), count),
        median_error: median(&trials),
        magnitude: settings
            .accuracy
            .map(|accuracy| magnitude(1.0 - accuracy, share(&trials))),
        seconds: trials.iter().map(|trial| trial.seconds).sum::<f64>() / count.max(1) as f64,
        by_distance: (0..FIFTHS).filter_map(fifth).collect(),
        errors: trials.iter().map(|trial| trial.error).collect(),
    }
}

fn median(trials: &[Trial]) -> f64 {
    let mut errors: Vec<f64> = trials.iter().map(|trial| trial.error).collect();
    errors.sort_by(f64::total_cmp);
    errors.get(errors.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Wilson's interval of a probability, with 95 % confidence.
fn wilson(successes: usize, trials: usize) -> [f64; 2] {
    const Z: f64 = 1.959_963_984_540_054;
    let n = trials.max(1) as f64;
    let share = successes as f64 / n;
    let middle = share + Z * Z / (2.0 * n);
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let end = |value: f64| (value / (1.0 + Z * Z / n)).clamp(0.0, 1.0);
    [end(middle - half), end(middle + half)]
}

#[cfg(test)]
mod tests;
