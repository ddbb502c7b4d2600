//! Attacks on mixtures of columns: by attackers who know some of the records, and by
//! those who know others of the same population.

use super::{AttackSettings, Attacked, yardstick};
use crate::attack::Guess;
use crate::attack::interval::disclosures;
use crate::attack::known_sample;
use crate::attack::reconstruction::{Blur, Stream, study};
use crate::data::{Batch, Records};
use crate::error::Result;
use crate::protect::random_projection::{Noise, RandomProjection};
use crate::protect::{Filter, Masked, encoder, masked_columns};

/// Attacks the rows in the order of the source, as a stream.
pub(super) fn attack(
    projection: &RandomProjection,
    original: &Batch,
    seed: u64,
    settings: &AttackSettings,
    attacked: &mut Attacked,
) -> Result<()> {
    let (inputs, outputs) = project(projection, original, seed)?;
    let stream = Stream {
        inputs: &inputs,
        outputs: &outputs,
        blur: blur(projection),
        translated: projection.translation > 0.0,
    };
    let found = study(&stream, &settings.study)?;
    (attacked.features, attacked.released) = (found.features, found.released);
    attacked.known = Some(found.known);
    attacked.attacks = found.attacks;
    intervals(&found.originals, &found.guesses, settings, attacked)?;
    by_sample(&stream, settings, attacked)
}

/// What a sample tells. Where nobody asked for a sample of this size, one that is too
/// small is only noted.
fn by_sample(
    stream: &Stream<'_>,
    settings: &AttackSettings,
    attacked: &mut Attacked,
) -> Result<()> {
    if !known_sample::applies(attacked.features, attacked.released) {
        attacked.notes.push(
            "attacks by a known sample were not tried: they need as many numbers as features (k = m), at most 100"
                .to_owned(),
        );
        return Ok(());
    }
    let seed = settings.study.seed;
    let found = match (
        known_sample::attack(stream, settings.sample, seed),
        settings.sample,
    ) {
        (Err(error), None) => {
            let note = format!("attacks by a known sample were not tried: {error}");
            attacked.notes.push(note);
            return Ok(());
        }
        (found, _) => found?,
    };
    attacked.sample = Some(found.sample);
    attacked
        .attacks
        .extend(found.successes(yardstick(settings)));
    // Guesses that are all the same have no ranks.
    match &found.guesses[..] {
        [telling @ .., _mean] => intervals(&found.originals, telling, settings, attacked),
        [] => Ok(()),
    }
}

/// Intervals round what attacks took for the originals.
fn intervals(
    originals: &Records,
    guesses: &[Guess],
    settings: &AttackSettings,
    attacked: &mut Attacked,
) -> Result<()> {
    for guess in guesses.iter().filter(|_| originals.len() > 1) {
        let seed = settings.study.seed;
        let disclosed = disclosures(&guess.attack, originals, &guess.records, seed)?;
        attacked.intervals.extend(disclosed);
    }
    Ok(())
}

/// The features of all records, and what is released of them.
fn project(
    projection: &RandomProjection,
    original: &Batch,
    seed: u64,
) -> Result<(Records, Records)> {
    let schema = original.schema();
    let mut encoder = encoder(projection, schema)?;
    let mut filter = projection.build(&masked_columns(&encoder, schema), seed)?;
    let mut records = Records::default();
    encoder.encode(original, &mut records)?;
    let mut masked = Masked::new(filter.width());
    for record in records.iter() {
        filter.push(record, &mut masked)?;
    }
    filter.finish(&mut masked)?;
    let mut inputs = Records::new(filter.features().width());
    let mut features = Vec::new();
    for record in records.iter() {
        filter.features().encode(record, &mut features)?;
        inputs.push(&features);
    }
    Ok((inputs, masked.into_records()))
}

fn blur(projection: &RandomProjection) -> Blur {
    let deviation = projection.deviation();
    match projection.noise {
        _ if deviation == 0.0 => Blur::None,
        Noise::None => Blur::None,
        Noise::Independent => Blur::Independent { deviation },
        Noise::Cumulative => Blur::Cumulative {
            deviation,
            reset: projection.reset,
        },
    }
}
