//! Attacks on releases whose columns are those of the originals: intervals round each
//! number or rank, filters where the numbers are originals with noise, links where they are
//! swapped, and links by every set of columns that somebody may know.

use super::{AttackSettings, Attacked, MaskedKinds, yardstick};
use crate::attack::interval::disclosures;
use crate::attack::known_columns::by_known_columns;
use crate::attack::linkage::{nearest_record, rank_intersection};
use crate::attack::spectral::{self, Noise};
use crate::data::{Attribute, Batch, Records, Role};
use crate::error::{Error, Result};
use crate::protect::noise::{self, Kind, Transform};
use crate::protect::rank_swapping::RankSwapping;
use crate::protect::{MaskedColumn, Method, encoder, masked_columns};

/// Attacks the rows that were released, `in_order` or not; both sides hold the same rows in the
/// order of the source.
pub(super) fn attack(
    method: &Method,
    [original, released]: [&Batch; 2],
    in_order: bool,
    settings: &AttackSettings,
    attacked: &mut Attacked,
) -> Result<()> {
    let (columns, before, after) = pairs(method, original, released)?;
    let scalars = places(&columns, |column| column.attribute != Attribute::Nominal);
    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
    let kinds: Vec<Attribute> = columns.iter().map(|column| column.attribute).collect();
    attacked.masked = Some(MaskedKinds::of(&kinds));
    attacked.known_columns = by_known_columns(&names, &kinds, &before, &after);
    if scalars.is_empty() {
        attacked.notes.push(NO_NUMBERS.to_owned());
        return Ok(());
    }
    (attacked.features, attacked.released) = (scalars.len(), scalars.len());
    left_out(
        columns.len() - scalars.len(),
        "is a nominal category",
        &mut attacked.notes,
    );
    let [originals, release] = [&before, &after].map(|records| select(records, &scalars));
    let seed = settings.study.seed;
    attacked.intervals = disclosures("release as it is", &originals, &release, seed)?;
    let numbers = places(&columns, |column| {
        column.attribute == Attribute::Number && column.role != Role::Class
    });
    let sides = [&before, &after].map(|records| select(records, &numbers));
    let (noise, sides) = match method {
        Method::Noise(config) => (Some(known(config)), scaled(config, sides, attacked)),
        _ => (None, sides),
    };
    match method {
        Method::RankSwapping(config) => {
            link(config, [&originals, &release], original.len(), attacked);
        }
        Method::Resampling(_) | Method::Shuffling(_) | Method::Massc(_) => {
            attacked.links.push(nearest_record(&originals, &release))
        }
        _ => {}
    }
    filter(noise, in_order, &sides, settings, attacked)
}

const NO_NUMBERS: &str = "no masked column is a number or ordered, so that records were linked, and nothing was reconstructed; [measure] tells more of categories";

/// Looks for the rows that known originals became.
fn link(
    config: &RankSwapping,
    [originals, released]: [&Records; 2],
    rows: usize,
    attacked: &mut Attacked,
) {
    attacked.links.push(nearest_record(originals, released));
    match config.buffer {
        None => {
            let ranks = config.within.ranks(rows);
            let found = rank_intersection(originals, released, ranks);
            attacked.links.push(found);
        }
        Some(_) => attacked.notes.push(
            "rank intersection was not tried: in a stream ranks are those of a window, which nobody sees"
                .to_owned(),
        ),
    }
}

/// Tells of columns that an attack passes over.
fn left_out(columns: usize, why: &str, notes: &mut Vec<String>) {
    if columns > 0 {
        notes.push(format!(
            "masked columns left out by attacks, since each {why}: {columns}"
        ));
    }
}

/// The masked columns, and their records before and after.
fn pairs<'a>(
    method: &Method,
    original: &'a Batch,
    released: &Batch,
) -> Result<(Vec<MaskedColumn<'a>>, Records, Records)> {
    let masking = method
        .as_masking()
        .ok_or_else(|| Error::bug("a method without records"))?;
    let mut encoder = encoder(masking, original.schema())?;
    let (mut before, mut after) = (Records::default(), Records::default());
    encoder.encode(original, &mut before)?;
    let columns = masked_columns(&encoder, original.schema());
    let place = |column: &MaskedColumn<'_>| {
        let place = released.schema().index_of(column.name);
        place.ok_or_else(|| Error::bug("a masked column was not released"))
    };
    let places = columns.iter().map(place).collect::<Result<Vec<_>>>()?;
    encoder.encode_at(released, &places, &mut after)?;
    Ok((masked_columns(&encoder, original.schema()), before, after))
}

fn places(columns: &[MaskedColumn<'_>], wanted: impl Fn(&MaskedColumn<'_>) -> bool) -> Vec<usize> {
    let wanted = columns
        .iter()
        .enumerate()
        .filter(|(_, column)| wanted(column));
    wanted.map(|(place, _)| place).collect()
}

/// Some attributes of all records.
fn select(records: &Records, places: &[usize]) -> Records {
    let mut selected = Records::new(places.len());
    let mut some = Vec::with_capacity(places.len());
    for record in records.iter() {
        some.clear();
        some.extend(places.iter().map(|&place| record[place]));
        selected.push(&some);
    }
    selected
}

/// Takes the numbers as they are and, where noise is known, that off; where this cannot
/// be tried, a note says why.
fn filter(
    noise: Option<Noise>,
    in_order: bool,
    [originals, released]: &[Records; 2],
    settings: &AttackSettings,
    attacked: &mut Attacked,
) -> Result<()> {
    let found = match spectral::attack(originals, released, noise, in_order) {
        Ok(found) => found,
        Err(error) => {
            let note = format!("errors of whole records were not measured: {error}");
            attacked.notes.push(note);
            return Ok(());
        }
    };
    let constant = originals.width() - found.originals.width();
    left_out(constant, "does not vary", &mut attacked.notes);
    attacked.attacks = found.successes(yardstick(settings));
    for guess in found.guesses.iter().skip(1) {
        let seed = settings.study.seed;
        let disclosed = disclosures(&guess.attack, &found.originals, &guess.records, seed)?;
        attacked.intervals.extend(disclosed);
    }
    Ok(())
}

/// Both sides on the scale on which noise was added, which is told.
fn scaled(config: &noise::Noise, sides: [Records; 2], attacked: &mut Attacked) -> [Records; 2] {
    if config.transform != Transform::None {
        let note = "errors of whole records are told on the scale on which noise was added";
        attacked.notes.push(note.to_owned());
    }
    on_scale(config, sides)
}

/// Both sides on the scale of the noise. Ranks are known from the release itself; its places are
/// spread as far as the noise has spread them.
fn on_scale(config: &noise::Noise, sides: [Records; 2]) -> [Records; 2] {
    let spread = match config.kind {
        Kind::Transformed => 1.0,
        _ => (1.0 + config.amount * config.amount).sqrt(),
    };
    match config.transform {
        Transform::None => sides,
        Transform::Log => sides.map(|records| noise::logarithms(&records)),
        Transform::RankNormal => {
            let [originals, mut released] = sides.map(|records| noise::normal_scores(&records));
            for row in 0..released.len() {
                let record = released.record_mut(row);
                record.iter_mut().for_each(|place| *place *= spread);
            }
            [originals, released]
        }
    }
}

/// What the parameters of the method tell an attacker of the noise.
fn known(config: &noise::Noise) -> Noise {
    let amount = config.amount;
    match config.kind {
        Kind::Uncorrelated | Kind::Laplace => Noise::Independent { amount },
        Kind::Correlated => Noise::Correlated {
            amount,
            shrunk: false,
        },
        Kind::Transformed => Noise::Correlated {
            amount,
            shrunk: true,
        },
        Kind::Multiplicative => Noise::Factors {
            variance: cut_variance(amount),
        },
        Kind::LogNormal => Noise::Factors {
            variance: amount * amount,
        },
    }
}

/// The variance of a factor that is normal around 1 and redrawn outside (0, 2).
fn cut_variance(amount: f64) -> f64 {
    if amount == 0.0 {
        return 0.0;
    }
    let cut = 1.0 / amount;
    let density = (-0.5 * cut * cut).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let within = libm::erf(cut * std::f64::consts::FRAC_1_SQRT_2);
    amount * amount * (1.0 - 2.0 * cut * density / within)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protect::{Masked, Masking};
    use rand_core::SeedableRng;
    use rand_distr::{Distribution, StandardNormal};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// Two columns that go together, far from 0, and their release.
    fn release(config: &noise::Noise) -> [Records; 2] {
        let names = ["a".to_owned(), "b".to_owned()];
        let columns = MaskedColumn::numbers(&names);
        let mut filter = config.filter(&columns, 7).expect("numbers");
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(3);
        let mut normal = || -> f64 { StandardNormal.sample(&mut generator) };
        let (mut originals, mut masked) = (Records::new(2), Masked::new(2));
        for _ in 0..4000 {
            let common = normal();
            let record = [20.0 + 3.0 * common, 9.0 + common + 0.5 * normal()];
            originals.push(&record);
            filter.push(&record, &mut masked).expect("masked");
        }
        filter.finish(&mut masked).expect("masked");
        [originals, masked.into_records()]
    }

    #[test]
    fn what_the_attacker_knows_of_each_kind_is_what_the_method_does() {
        for kind in [
            Kind::Uncorrelated,
            Kind::Laplace,
            Kind::Correlated,
            Kind::Transformed,
            Kind::Multiplicative,
            Kind::LogNormal,
        ] {
            let config = noise::Noise {
                kind,
                transform: Transform::None,
                amount: 0.4,
                steps: None,
                replace: 0.0,
                class: 0.0,
                buffer: None,
                columns: None,
            };
            let [originals, released] = release(&config);
            let found =
                spectral::attack(&originals, &released, Some(known(&config)), false).expect("rows");
            // The best linear estimate with a little more or less of it is no better.
            let squares = |scale: f64| {
                let guess = found.guesses.last().expect("four");
                let pairs = guess.records.iter().zip(found.originals.iter());
                let differences = pairs.flat_map(|(a, b)| a.iter().zip(b));
                let squares = differences.map(|(a, b)| (scale * a - b).powi(2));
                squares.sum::<f64>()
            };
            let best = squares(1.0);
            assert!(
                squares(0.95) > best && squares(1.05) > best,
                "{kind:?}: {:?}",
                [0.95, 1.0, 1.05].map(squares)
            );
        }
    }

    #[test]
    fn noise_on_another_scale_is_taken_off_there() {
        for transform in [Transform::RankNormal, Transform::Log] {
            let config = noise::Noise {
                kind: Kind::Correlated,
                transform,
                amount: 0.6,
                steps: None,
                replace: 0.0,
                class: 0.0,
                buffer: None,
                columns: None,
            };
            let [originals, released] = on_scale(&config, release(&config));
            let found =
                spectral::attack(&originals, &released, Some(known(&config)), false).expect("rows");
            let squares = found.guesses.iter().map(|guess| {
                let pairs = guess.records.iter().zip(found.originals.iter());
                let differences = pairs.flat_map(|(a, b)| a.iter().zip(b));
                differences.map(|(a, b)| (a - b).powi(2)).sum::<f64>()
            });
            let squares: Vec<f64> = squares.collect();
            let (first, last) = (squares[0], squares[squares.len() - 1]);
            assert!(last < 0.95 * first, "{transform:?}: {squares:?}");
        }
    }

    #[test]
    fn factors_that_are_redrawn_vary_less() {
        // Uniform in (0, 2) is the limit of ever larger amounts.
        for (amount, expected) in [(0.0, 0.0), (0.1, 0.01), (1e4, 1.0 / 3.0)] {
            assert!((cut_variance(amount) - expected).abs() < 1e-6, "{amount}");
        }
        // By integration over (0, 2), for amount 0.5.
        let step = 1e-4;
        let sums = (1..20_000).map(|n| f64::from(n) * step - 1.0);
        let (squares, weights) = sums.fold((0.0, 0.0), |(squares, weights), x| {
            let density = (-0.5 * (x / 0.5) * (x / 0.5)).exp();
            (squares + x * x * density, weights + density)
        });
        let expected: f64 = squares / weights;
        assert!((cut_variance(0.5) - expected).abs() < 1e-4);
    }
}
