//! Attacks what a policy would release, in memory: nothing is written.
//!
//! Rows are projected in the order of the source, as a stream; the attacker knows the
//! method and its parameters, but not its seed.

use super::masked::{self, secret_seed};
use super::progress::{Progress, Stage};
use super::read::read;
use crate::attack::reconstruction::{Blur, Restarts, Stream, Study, StudySettings, study};
use crate::data::Records;
use crate::error::{Error, Result};
use crate::policy::Policy;
use crate::protect::random_projection::{Noise, RandomProjection, Reset};
use crate::protect::{Filter, Masked, Method, encoder, masked_columns};

/// Attacks the random projection of the policy.
pub fn attack(policy: &Policy, settings: &StudySettings, progress: &Progress) -> Result<Study> {
    let projections = policy.protect.iter();
    let Some(projection) = projections.filter_map(Method::as_projection).next() else {
        return Err(
            Error::policy("only random projections can be attacked so far").help(
                "take method = \"random-projection\", or `verify` and `compare` for other methods",
            ),
        );
    };
    masked::check(policy, projection)?;
    let Projected {
        inputs,
        outputs,
        starts,
    } = project(policy, projection, progress)?;
    progress.enter(Stage::Check);
    let stream = Stream {
        inputs: &inputs,
        outputs: &outputs,
        blur: blur(projection, &starts),
        translated: projection.translation > 0.0,
    };
    study(&stream, settings)
}

/// The features of all records, what is released of them, and the rows with which
/// cumulative noise started.
struct Projected {
    inputs: Records,
    outputs: Records,
    starts: Vec<u64>,
}

fn project(
    policy: &Policy,
    projection: &RandomProjection,
    progress: &Progress,
) -> Result<Projected> {
    let original = read(policy, progress)?;
    progress.enter(Stage::Protect);
    let schema = original.batch.schema();
    let seed = policy.seed.map_or_else(secret_seed, Ok)?;
    let mut encoder = encoder(projection, schema)?;
    let mut filter = projection.build(&masked_columns(&encoder, schema), seed)?;
    filter.note_starts();
    let mut records = Records::default();
    encoder.encode(&original.batch, &mut records)?;
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
    Ok(Projected {
        inputs,
        outputs: masked.into_records(),
        starts: filter.starts().to_vec(),
    })
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
