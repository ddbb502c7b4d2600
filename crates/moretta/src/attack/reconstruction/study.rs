//! Many attacks on one stream, and how often they succeed.

use super::blur::Blur;
use super::evidence::{Evidence, draw};
use super::maximum::{Attack, Optimizer, Search, reconstruct};
use crate::attack::success::{AtDistance, Guess, Success, Yardstick, norm, relative_error};
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
    pub blur: Blur<'a>,
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
    /// The first 10,000 records that were attacked…
    #[serde(skip)]
    pub originals: Records,
    /// …and what each attack took for them; missing where it found nothing.
    #[serde(skip)]
    pub guesses: Vec<Guess>,
}

/// How one attack is doing, told while records are attacked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SoFar {
    /// Its name.
    pub attack: String,
    /// What the attacker knows.
    pub knows: String,
    /// How many records were attacked.
    pub tried: u64,
    /// The share of them that was reconstructed.
    pub breach: f64,
}

/// Attacks whose records are kept.
const KEPT: usize = 10_000;

/// Into how many parts attacks are cut, and how many each has at least.
const PARTS: (usize, usize) = (20, 25);

/// Runs all attacks that make sense; the same for any number of threads.
///
/// # Errors
/// Too few complete and different records.
pub fn study(stream: &Stream<'_>, settings: &StudySettings) -> Result<Study> {
    study_by_parts(stream, settings, |_| Ok(()))
}

/// The same; `found` hears of each attack after each part of the records.
///
/// # Errors
/// As [`study`], and those of `found`.
pub fn study_by_parts(
    stream: &Stream<'_>,
    settings: &StudySettings,
    mut found: impl FnMut(&SoFar) -> Result<()>,
) -> Result<Study> {
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
    let mut tried: Vec<Tried> = Vec::new();
    let size = settings.attacks.div_ceil(PARTS.0).max(PARTS.1);
    for start in (0..settings.attacks).step_by(size) {
        let part = start as u64..(start + size).min(settings.attacks) as u64;
        let part: Option<Vec<Tried>> = part
            .into_par_iter()
            .map(|attack| attack_one(stream, settings, &candidates, &attacks, attack))
            .collect();
        tried.extend(part.ok_or_else(|| {
            Error::input("too few records are linearly independent of each other")
                .help("know fewer with --known, or project fewer columns that are alike")
        })?);
        for (place, attack) in attacks.iter().enumerate() {
            let breaches = tried.iter().map(|tried| tried.trials[place].error);
            let breaches = breaches.filter(|&error| error < settings.epsilon).count();
            found(&SoFar {
                attack: attack.name(blur),
                knows: knows(settings.known),
                tried: tried.len() as u64,
                breach: breaches as f64 / tried.len() as f64,
            })?;
        }
    }
    let mut rows: Vec<usize> = tried.iter().map(|tried| tried.unknown).collect();
    rows.sort_unstable();
    rows.dedup();
    let records = rows.len();
    let success = |(place, attack): (usize, &Attack)| {
        let trials = tried.iter().map(|tried| &tried.trials[place]).collect();
        success(&attack.name(blur), trials, records, settings)
    };
    let mut originals = Records::new(inputs.width());
    for tried in tried.iter().take(KEPT) {
        originals.push(inputs.record(tried.unknown));
    }
    let guess = |(place, attack): (usize, &Attack)| {
        let trials = tried.iter().take(KEPT).map(|tried| &tried.trials[place]);
        let names = (attack.name(blur), knows(settings.known));
        guess(names, inputs.width(), trials)
    };
    Ok(Study {
        features: inputs.width(),
        released: stream.outputs.width(),
        known: settings.known,
        epsilon: settings.epsilon,
        attacks: attacks.iter().enumerate().map(success).collect(),
        guesses: attacks.iter().enumerate().map(guess).collect(),
        originals,
    })
}

/// What an attacker knows of whom so many records are known.
fn knows(records: usize) -> String {
    match records {
        1 => "1 record and the row it became".to_owned(),
        _ => format!("{records} records and the rows they became"),
    }
}

/// All attacks on one record.
struct Tried {
    unknown: usize,
    trials: Vec<Trial>,
}

/// One attack on one record.
struct Trial {
    /// What was found, as far as it is kept.
    found: Option<Vec<f64>>,
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
) -> Option<Tried> {
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
        let found = found.map(|found| found.record);
        let error = found.as_ref().map_or(f64::INFINITY, |found| {
            relative_error(found, inputs.record(unknown))
        });
        Trial {
            found: found.filter(|_| number < KEPT as u64),
            error,
            distance: evidence.distance(),
            seconds,
        }
    };
    Some(Tried {
        unknown,
        trials: attacks.iter().map(trial).collect(),
    })
}

fn guess<'a>(
    (attack, knows): (String, String),
    width: usize,
    trials: impl Iterator<Item = &'a Trial>,
) -> Guess {
    let nothing = vec![f64::NAN; width];
    let (mut records, mut seconds) = (Records::new(width), 0.0);
    for trial in trials {
        records.push(trial.found.as_ref().unwrap_or(&nothing));
        seconds += trial.seconds;
    }
    Guess {
        attack,
        knows,
        records,
        seconds,
    }
}

fn success(
    attack: &str,
    mut trials: Vec<&Trial>,
    records: usize,
    settings: &StudySettings,
) -> Success {
    const FIFTHS: usize = 5;
    trials.sort_by_key(|trial| trial.distance);
    let errors: Vec<f64> = trials.iter().map(|trial| trial.error).collect();
    let seconds = trials.iter().map(|trial| trial.seconds).sum();
    let yardstick = Yardstick {
        epsilon: settings.epsilon,
        accuracy: settings.accuracy,
    };
    let count = trials.len();
    let fifth = |fifth: usize| {
        let part = fifth * count / FIFTHS..(fifth + 1) * count / FIFTHS;
        let (first, last) = (trials[part.clone()].first()?, trials[part.clone()].last()?);
        let distances = [first.distance, last.distance];
        Some(AtDistance::new(distances, &errors[part], settings.epsilon))
    };
    let names = (attack, &*knows(settings.known));
    let mut success = Success::new(names, &errors, records, seconds, yardstick);
    success.by_distance = (0..FIFTHS).filter_map(fifth).collect();
    success
}

#[cfg(test)]
mod tests;
