//! The methods of the study: a random projection, and how it is blurred.

use moretta::Result;
use moretta::attack::reconstruction::Blur;
use moretta::data::{Batch, Column, Encoder, Field, Kind, Records, Role, RowIds, Schema};
use moretta::engine::{ColumnPolicy, Context, Order, Plan, Session};
use moretta::protect::random_projection::{Noise, RandomProjection};
use moretta::protect::{self, MaskedColumn};
use moretta_report::figure::Tone;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Deviations of independent noise; cumulative noise is on average as large.
pub(super) const SIGMAS: [f64; 3] = [0.05, 0.1, 0.25];

/// A way to perturb a stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Method {
    pub(super) family: Family,
    /// 0 without noise.
    pub(super) sigma: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Projection,
    Independent,
    Cumulative,
}

impl Family {
    pub(super) const ALL: [Family; 3] =
        [Family::Projection, Family::Independent, Family::Cumulative];

    pub(super) fn name(self) -> &'static str {
        match self {
            Family::Projection => "RP",
            Family::Independent => "RPIN",
            Family::Cumulative => "RPCN",
        }
    }

    /// Its colour; that of the original is the first.
    pub(super) fn tone(self) -> Tone {
        Tone(1 + self as usize)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.family {
            Family::Projection => f.pad(self.family.name()),
            family => f.pad(&format!("{} {}", family.name(), self.sigma)),
        }
    }
}

/// All methods, in the order of the tables.
pub(super) fn methods() -> Vec<Method> {
    let plain = Method {
        family: Family::Projection,
        sigma: 0.0,
    };
    let noisy = [Family::Independent, Family::Cumulative].into_iter();
    let noisy = noisy.flat_map(|family| SIGMAS.map(|sigma| Method { family, sigma }));
    std::iter::once(plain).chain(noisy).collect()
}

/// A stream as features between 0 and 1, and what is released of it.
pub(super) struct Perturbed {
    pub(super) features: Records,
    pub(super) released: Records,
    pub(super) blur: Blur<'static>,
}

/// What a session releases of records with these columns, in their order.
fn release(
    projection: RandomProjection,
    names: &[String],
    records: &Records,
    seed: u64,
) -> Result<Records> {
    let columns = names.iter();
    let plan = Plan {
        seed: Some(seed),
        columns: columns
            .map(|name| ColumnPolicy::new(name, Role::Quasi))
            .collect(),
        protect: vec![protect::Method::RandomProjection(projection)],
        order: Order::Input,
        ..Plan::default()
    };
    let number = Kind::Number { integer: false };
    let fields = names
        .iter()
        .map(|name| Field::new(name.as_str(), Role::Quasi, number.clone()));
    let schema = Arc::new(Schema::new(fields.collect())?);
    let column = |place: usize| {
        let values = records.column(place);
        Column::Number(values.map(|x| (!x.is_nan()).then_some(x)).collect())
    };
    let ids = RowIds::Range {
        start: 0,
        len: records.len(),
    };
    let columns = (0..records.width()).map(column).collect();
    let rows = Batch::new(Arc::clone(&schema), ids, columns)?;
    let mut session = Session::open(&Arc::new(plan), &schema, Context::default())?;
    session.push(rows)?;
    let (checked, _) = session.finish()?;
    let released = checked.rows();
    let places: Vec<usize> = (0..released.schema().len()).collect();
    let mut mixtures = Records::default();
    Encoder::new(released.schema(), &places)?.encode(released, &mut mixtures)?;
    Ok(mixtures)
}

impl Method {
    /// Perturbs a whole stream, by the ranges of all its records. The same seed draws the
    /// same matrix for all methods.
    pub(super) fn perturb(self, records: &Records, seed: u64) -> Result<Perturbed> {
        let names: Vec<String> = (0..records.width())
            .map(|place| place.to_string())
            .collect();
        let projection = self.projection(records.len());
        let (features, _) = projection.features_of(&MaskedColumn::numbers(&names), records)?;
        let blur = self.blur(projection.deviation());
        Ok(Perturbed {
            features,
            released: release(projection, &names, records, seed)?,
            blur,
        })
    }

    fn projection(self, records: usize) -> RandomProjection {
        RandomProjection {
            k: None,
            noise: match self.family {
                Family::Projection => Noise::None,
                Family::Independent => Noise::Independent,
                Family::Cumulative => Noise::Cumulative,
            },
            sigma: self.sigma,
            records: records as u64,
            reset: None,
            translation: 0.0,
            bounds: BTreeMap::new(),
            categories: BTreeMap::new(),
            buffer: None,
            columns: None,
        }
    }

    fn blur(self, deviation: f64) -> Blur<'static> {
        match self.family {
            Family::Projection => Blur::None,
            Family::Independent => Blur::Independent { deviation },
            Family::Cumulative => Blur::Cumulative {
                deviation,
                reset: None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use moretta::protect::{Filter, Masked};

    fn stream() -> Records {
        let mut records = Records::new(2);
        (0..400_u32).for_each(|row| records.push(&[f64::from(row), f64::from(row % 7)]));
        records
    }

    fn noise(method: Method) -> Vec<f64> {
        let plain = methods()[0].perturb(&stream(), 3).expect("projected");
        let noisy = method.perturb(&stream(), 3).expect("projected");
        let pairs = noisy.released.column(0).zip(plain.released.column(0));
        pairs.map(|(noisy, plain)| noisy - plain).collect()
    }

    fn deviation(values: impl ExactSizeIterator<Item = f64>) -> f64 {
        let count = values.len() as f64;
        (values.map(|value| value * value).sum::<f64>() / count).sqrt()
    }

    #[test]
    fn all_methods_share_the_matrix_and_differ_by_their_noise() {
        let [independent, cumulative] = [Family::Independent, Family::Cumulative].map(|family| {
            let method = Method { family, sigma: 0.1 };
            noise(method)
        });
        assert!((deviation(independent.iter().copied()) / 0.1 - 1.0).abs() < 0.15);
        // 400 · 0.1 / (√1 + … + √400), the deviation of a step.
        let steps = cumulative.windows(2).map(|pair| pair[1] - pair[0]);
        assert!((deviation(steps) / 0.007_486 - 1.0).abs() < 0.15);
    }

    #[test]
    fn features_fill_the_range_from_0_to_1() {
        let perturbed = methods()[0].perturb(&stream(), 3).expect("projected");
        for column in 0..2 {
            let values: Vec<f64> = perturbed.features.column(column).collect();
            assert_eq!(values.iter().copied().fold(1.0, f64::min), 0.0);
            assert_eq!(values.iter().copied().fold(0.0, f64::max), 1.0);
        }
        assert_eq!(perturbed.released.width(), 2);
    }

    #[test]
    fn there_are_seven_methods_with_names_of_their_own() {
        let names: Vec<String> = methods().iter().map(Method::to_string).collect();
        assert_eq!(
            names,
            [
                "RP",
                "RPIN 0.05",
                "RPIN 0.1",
                "RPIN 0.25",
                "RPCN 0.05",
                "RPCN 0.1",
                "RPCN 0.25"
            ]
        );
    }

    /// The session adds nothing to what the filter makes, to the last bit.
    #[test]
    fn a_session_releases_what_the_filter_makes() {
        let mut records = Records::new(3);
        for n in 0..300_u32 {
            let missing = if n == 7 {
                f64::NAN
            } else {
                f64::from(n * 53 % 97)
            };
            records.push(&[f64::from(n * 37 % 101), missing, f64::from(n).sqrt()]);
        }
        for method in methods() {
            let perturbed = method.perturb(&records, 5).expect("numbers");
            let names: Vec<String> = (0..3).map(|place| place.to_string()).collect();
            let projection = method.projection(records.len());
            let filter = projection.build(&MaskedColumn::numbers(&names), 5);
            let (mut filter, mut masked) = (filter.expect("numbers"), Masked::new(3));
            for record in records.iter() {
                filter.push(record, &mut masked).expect("projected");
            }
            filter.finish(&mut masked).expect("projected");
            let bits_of = |x: &f64| if x.is_nan() { 0 } else { x.to_bits() };
            let bits = |records: &Records| -> Vec<Vec<u64>> {
                let record = |record: &[f64]| record.iter().map(bits_of).collect();
                records.iter().map(record).collect()
            };
            assert_eq!(
                bits(&perturbed.released),
                bits(masked.records()),
                "{method}"
            );
            let mut features = Vec::new();
            for (place, record) in records.iter().enumerate() {
                let encoded = filter.features().encode(record, &mut features);
                encoded.expect("in range");
                let found = perturbed.features.record(place);
                let same = features.iter().zip(found);
                assert!(same.into_iter().all(|(a, b)| bits_of(a) == bits_of(b)));
            }
        }
    }
}
