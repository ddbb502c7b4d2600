//! The methods of the study: a random projection, and how it is blurred.

use moretta::Result;
use moretta::attack::reconstruction::Blur;
use moretta::data::Records;
use moretta::protect::random_projection::{Noise, RandomProjection};
use moretta::protect::{Filter, Masked, MaskedColumn};
use moretta_report::figure::Tone;
use std::collections::BTreeMap;
use std::fmt;

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

impl Method {
    /// Perturbs a whole stream, by the ranges of all its records. The same seed draws the
    /// same matrix for all methods.
    pub(super) fn perturb(self, records: &Records, seed: u64) -> Result<Perturbed> {
        let names: Vec<String> = (0..records.width())
            .map(|place| place.to_string())
            .collect();
        let projection = self.projection(records.len());
        let mut filter = projection.build(&MaskedColumn::numbers(&names), seed)?;
        let mut released = Masked::new(filter.width());
        for record in records.iter() {
            filter.push(record, &mut released)?;
        }
        filter.finish(&mut released)?;
        let mut features = Records::new(records.width());
        let mut encoded = Vec::new();
        for record in records.iter() {
            filter.features().encode(record, &mut encoded)?;
            features.push(&encoded);
        }
        Ok(Perturbed {
            features,
            released: released.into_records(),
            blur: self.blur(projection.deviation()),
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
}
