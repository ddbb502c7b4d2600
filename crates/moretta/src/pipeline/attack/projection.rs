//! Attacks on mixtures of columns: by attackers who know some of the records, by those
//! who know others of the same population, and by those who know both.

use super::{AttackSettings, Attacked, yardstick};
use crate::attack::Guess;
use crate::attack::fitted_matrix::{self, Release};
use crate::attack::interval::disclosures;
use crate::attack::known_sample;
use crate::attack::reconstruction::{Blur, Restarts, Stream, StudySettings, study_by_parts};
use crate::data::{Batch, Encoder, Records};
use crate::engine::Progress;
use crate::error::{Error, Result};
use crate::protect::random_projection::{Noise, RandomProjection, Reset};
use crate::protect::{MaskedColumn, Masking, encoder, masked_columns};

/// What everybody sees.
pub(super) struct Public<'a> {
    /// The rows, with mixtures in place of the columns that are projected.
    pub(super) released: &'a Batch,
    /// The class of each row.
    pub(super) classes: Option<&'a [u32]>,
    /// Rows leave in the order of the source.
    pub(super) in_order: bool,
}

/// Attacks the rows in the order of the source, as a stream.
pub(super) fn attack(
    projection: &RandomProjection,
    original: &Batch,
    public: Public<'_>,
    settings: &AttackSettings,
    attacked: &mut Attacked,
    progress: &Progress,
) -> Result<()> {
    let Public {
        released,
        classes,
        in_order,
    } = public;
    let mut encoder = encoder(projection, original.schema())?;
    let mut records = Records::default();
    encoder.encode(original, &mut records)?;
    let columns = masked_columns(&encoder, original.schema());
    let (inputs, starts) = projection.features_of(&columns, &records)?;
    let outputs = mixtures(projection, &columns, released)?;
    let stream = Stream {
        inputs: &inputs,
        outputs: &outputs,
        blur: blur(projection, &starts),
        translated: projection.translation > 0.0,
    };
    let found = study_by_parts(&stream, &settings.study, |so_far| progress.found(so_far))?;
    (attacked.features, attacked.released) = (found.features, found.released);
    attacked.known = Some(found.known);
    attacked.attacks = found.attacks;
    intervals(&found.originals, &found.guesses, settings, attacked)?;
    by_sample(&stream, settings, attacked)?;
    let release = Release {
        stream: &stream,
        classes,
        in_order,
    };
    by_fit(&release, settings, attacked)
}

/// What records and a sample tell together.
fn by_fit(release: &Release<'_>, settings: &AttackSettings, attacked: &mut Attacked) -> Result<()> {
    if !fitted_matrix::applies(attacked.features) {
        attacked
            .notes
            .push("no matrix was fitted: there are more than 100 features".to_owned());
        return Ok(());
    }
    let StudySettings { known, seed, .. } = settings.study;
    let found = match (
        fitted_matrix::attack(release, known, settings.sample, seed),
        settings.sample,
    ) {
        (Err(error), None) => {
            let note = format!("no matrix was fitted: {error}");
            attacked.notes.push(note);
            return Ok(());
        }
        (found, _) => found?,
    };
    attacked.sample = Some(found.sample);
    let successes = found.successes(yardstick(settings));
    attacked.attacks.extend(successes);
    telling(&found.originals, &found.guesses, settings, attacked)
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
            "components of a known sample were not matched: that needs as many numbers as features (k = m), at most 100"
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
    telling(&found.originals, &found.guesses, settings, attacked)
}

/// Intervals round all guesses but the last, a mean: what is always the same has no ranks.
fn telling(
    originals: &Records,
    guesses: &[Guess],
    settings: &AttackSettings,
    attacked: &mut Attacked,
) -> Result<()> {
    match guesses {
        [telling @ .., _mean] => intervals(originals, telling, settings, attacked),
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

/// The numbers that were released in place of the columns.
fn mixtures(
    projection: &RandomProjection,
    columns: &[MaskedColumn<'_>],
    released: &Batch,
) -> Result<Records> {
    let names = projection.replaced_by(columns)?.unwrap_or_default();
    let place = |name: &String| {
        let place = released.schema().index_of(name);
        place.ok_or_else(|| Error::bug("a mixture was not released"))
    };
    let places = names.iter().map(place).collect::<Result<Vec<_>>>()?;
    let mut mixtures = Records::default();
    Encoder::new(released.schema(), &places)?.encode(released, &mut mixtures)?;
    Ok(mixtures)
}

/// What the attacker knows of the noise: all but its draws.
fn blur<'a>(projection: &RandomProjection, starts: &'a [u64]) -> Blur<'a> {
    let deviation = projection.deviation();
    match projection.noise {
        _ if deviation == 0.0 => Blur::None,
        Noise::None => Blur::None,
        Noise::Independent => Blur::Independent { deviation },
        Noise::Cumulative => Blur::Cumulative {
            deviation,
            reset: projection.reset.map(|reset| match reset {
                Reset::Rows(rows) => Restarts::Every(rows),
                Reset::Drift { .. } => Restarts::At(starts),
            }),
        },
    }
}
