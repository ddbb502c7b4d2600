//! Noise on records.

use super::ordered::{Amount, Ordered};
use super::transform::{Ranks, Scale, Transform};
use super::{Kind, Noise};
use crate::data::{Attribute, Records, Role};
use crate::error::{Error, Result};
use crate::math::cholesky::Cholesky;
use crate::math::moments::{CoMoments, Moments};
use crate::protect::filter::{Filter, Masked, MaskedColumn};
use rand_core::SeedableRng;
use rand_distr::{Distribution, Exp1, StandardNormal, StandardUniform};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Adds noise to records as they come, once the spread of the columns is known.
pub struct NoiseFilter {
    kind: Kind,
    columns: Vec<Noisy>,
    /// The amount of noise of the numbers.
    amount: f64,
    joint: Option<Joint>,
    /// The scale of each column.
    scales: Vec<Scale>,
    /// Numbers are taken to the scale of their ranks when all are there.
    ranked: bool,
    /// Rows to wait for; none waits for all.
    wait: Option<usize>,
    waiting: Option<Records>,
    generator: Xoshiro256PlusPlus,
    record: Vec<f64>,
    scaled: Vec<f64>,
}

/// How one attribute is masked.
enum Noisy {
    Number {
        amount: f64,
        /// Its noise follows the covariances.
        joint: bool,
        moments: Moments,
    },
    Ordered(Ordered),
    Category {
        replace: f64,
        seen: Seen,
    },
}

/// Categories that were seen.
#[derive(Default)]
struct Seen {
    codes: Vec<f64>,
    known: Vec<bool>,
}

/// What noise that follows the covariances of the numbers needs.
struct Joint {
    /// The attributes that are numbers.
    places: Vec<usize>,
    moments: CoMoments,
    factor: Cholesky,
    /// Records that were masked, and at how many the factor is made anew.
    seen: u64,
    due: u64,
    numbers: Vec<f64>,
    normal: Vec<f64>,
}

impl NoiseFilter {
    /// Noise on records of these columns.
    pub fn new(config: &Noise, columns: &[MaskedColumn<'_>], seed: u64) -> Self {
        let correlated = matches!(config.kind, Kind::Correlated | Kind::Transformed);
        let noisy = columns.iter();
        let columns: Vec<Noisy> = noisy
            .map(|column| match (column.attribute, column.role) {
                (Attribute::Number, Role::Class) => number(config.class, false),
                (Attribute::Number, _) => number(config.amount, correlated),
                (Attribute::Ordinal { .. }, Role::Class) => ordered(Amount::Share(config.class)),
                (Attribute::Ordinal { .. }, _) => {
                    let steps = config.steps.map(Amount::Steps);
                    ordered(steps.unwrap_or(Amount::Share(config.amount)))
                }
                (Attribute::Nominal, Role::Class) => category(config.class),
                (Attribute::Nominal, _) => category(config.replace),
            })
            .collect();
        let scale = |column: &Noisy| match (column, config.transform) {
            (Noisy::Number { amount, .. }, Transform::Log) if *amount > 0.0 => Scale::Log,
            _ => Scale::Plain,
        };
        NoiseFilter {
            kind: config.kind,
            scales: columns.iter().map(scale).collect(),
            ranked: config.transform == Transform::RankNormal,
            joint: correlated.then(|| Joint::new(&columns)),
            amount: config.amount,
            wait: config.buffer,
            waiting: Some(Records::new(columns.len())),
            generator: Xoshiro256PlusPlus::seed_from_u64(seed),
            record: Vec::with_capacity(columns.len()),
            scaled: Vec::with_capacity(columns.len()),
            columns,
        }
    }

    fn observe(&mut self, record: &[f64]) {
        for (column, &value) in self.columns.iter_mut().zip(record) {
            match column {
                Noisy::Number { moments, .. } => moments.push(value),
                Noisy::Ordered(ordered) => ordered.observe(value),
                Noisy::Category { seen, .. } => seen.push(value),
            }
        }
        if let Some(joint) = &mut self.joint {
            joint.observe(record);
        }
    }

    fn release(&mut self, record: &[f64], out: &mut Masked) -> Result<()> {
        self.record.clear();
        self.record.extend_from_slice(record);
        if let Some(joint) = &mut self.joint {
            let shrink = self.kind == Kind::Transformed;
            let noise = (self.amount, shrink);
            joint.mask(&mut self.record, noise, &self.columns, &mut self.generator);
        }
        for (column, value) in self.columns.iter().zip(&mut self.record) {
            match column {
                Noisy::Number { joint: true, .. } => {}
                Noisy::Number {
                    amount, moments, ..
                } => {
                    *value = noisy(self.kind, *value, *amount, moments, &mut self.generator);
                }
                Noisy::Ordered(ordered) => {
                    *value = ordered.noisy(*value, self.kind, &mut self.generator);
                }
                Noisy::Category { replace, seen } => {
                    let drawn: f64 = StandardUniform.sample(&mut self.generator);
                    if drawn < *replace {
                        *value = seen.another(*value, &mut self.generator);
                    }
                }
            }
        }
        for (value, scale) in self.record.iter_mut().zip(&self.scales) {
            *value = scale.back(*value);
        }
        let mut values = self.record.iter().zip(record);
        if !values.all(|(masked, original)| masked.is_finite() || !original.is_finite()) {
            return Err(
                Error::input("numbers are too large for noise of their spread")
                    .help("scale the columns first, or look for numbers that are wrong"),
            );
        }
        out.release(&self.record);
        Ok(())
    }

    /// Takes numbers to the scale of their ranks, of which the spread is known then.
    fn rank(&mut self, records: &mut Records) {
        for (place, column) in self.columns.iter().enumerate() {
            if matches!(column, Noisy::Number { amount, .. } if *amount > 0.0) {
                let ranks = Ranks::take(records, place, &mut self.generator);
                self.scales[place] = Scale::Ranks(ranks);
            }
        }
        for record in records.iter() {
            self.observe(record);
        }
    }

    /// What has waited leaves, now that the spread is known as well as it will be.
    fn release_waiting(&mut self, out: &mut Masked) -> Result<()> {
        let Some(mut waiting) = self.waiting.take() else {
            return Ok(());
        };
        if self.ranked {
            self.rank(&mut waiting);
        }
        for record in waiting.iter() {
            match waiting.len() {
                // Of one record no spread is known: it would leave as it is.
                1 => out.suppress(),
                _ => self.release(record, out)?,
            }
        }
        Ok(())
    }
}

impl NoiseFilter {
    /// Takes a record on the scales of its columns.
    fn take(&mut self, record: &[f64], out: &mut Masked) -> Result<()> {
        if !self.ranked {
            self.observe(record);
        }
        match &mut self.waiting {
            None => self.release(record, out),
            Some(waiting) => {
                waiting.push(record);
                match self.wait.is_some_and(|rows| waiting.len() >= rows) {
                    true => self.release_waiting(out),
                    false => Ok(()),
                }
            }
        }
    }
}

impl Filter for NoiseFilter {
    fn push(&mut self, record: &[f64], out: &mut Masked) -> Result<()> {
        let mut scaled = std::mem::take(&mut self.scaled);
        scaled.clear();
        for (&value, scale) in record.iter().zip(&self.scales) {
            scaled.push(scale.forward(value)?);
        }
        let taken = self.take(&scaled, out);
        self.scaled = scaled;
        taken
    }

    fn finish(&mut self, out: &mut Masked) -> Result<()> {
        self.release_waiting(out)
    }

    fn know(&mut self, attributes: &[Attribute]) {
        for (column, &attribute) in self.columns.iter_mut().zip(attributes) {
            if let Noisy::Ordered(ordered) = column {
                ordered.know(attribute);
            }
        }
    }
}

fn ordered(amount: Amount) -> Noisy {
    Noisy::Ordered(Ordered::new(amount))
}

fn number(amount: f64, joint: bool) -> Noisy {
    Noisy::Number {
        amount,
        joint,
        moments: Moments::default(),
    }
}

fn category(replace: f64) -> Noisy {
    Noisy::Category {
        replace,
        seen: Seen::default(),
    }
}

/// A number with noise of its own; NaN stays NaN.
#[inline]
fn noisy(
    kind: Kind,
    value: f64,
    amount: f64,
    moments: &Moments,
    generator: &mut Xoshiro256PlusPlus,
) -> f64 {
    match kind {
        Kind::Uncorrelated | Kind::Correlated | Kind::Transformed => {
            let normal: f64 = StandardNormal.sample(generator);
            value + normal * moments.deviation() * amount
        }
        Kind::Laplace => {
            // The difference of two exponentials of mean b has the variance 2b².
            let one: f64 = Exp1.sample(generator);
            let other: f64 = Exp1.sample(generator);
            let scale = moments.deviation() * amount * std::f64::consts::FRAC_1_SQRT_2;
            value + (one - other) * scale
        }
        Kind::Multiplicative => loop {
            let normal: f64 = StandardNormal.sample(generator);
            let factor = 1.0 + amount * normal;
            if 0.0 < factor && factor < 2.0 {
                return value * factor;
            }
        },
        Kind::LogNormal => {
            let normal: f64 = StandardNormal.sample(generator);
            // exp(sN − s²/2) has mean 1 and variance exp(s²) − 1.
            let variance = (amount * amount).ln_1p();
            value * (variance.sqrt() * normal - 0.5 * variance).exp()
        }
    }
}

impl Seen {
    fn push(&mut self, code: f64) {
        if code.is_nan() {
            return;
        }
        let place = code as usize;
        if self.known.len() <= place {
            self.known.resize(place + 1, false);
        }
        if !std::mem::replace(&mut self.known[place], true) {
            self.codes.push(code);
        }
    }

    /// Another category, each with equal chance; missing stays missing, and the only one itself.
    fn another(&self, code: f64, generator: &mut Xoshiro256PlusPlus) -> f64 {
        if code.is_nan() || self.codes.len() < 2 {
            return code;
        }
        loop {
            let drawn: f64 = StandardUniform.sample(generator);
            let other = self.codes[(drawn * self.codes.len() as f64) as usize];
            if other != code {
                return other;
            }
        }
    }
}

impl Joint {
    fn new(columns: &[Noisy]) -> Self {
        let joint = |place: &usize| matches!(columns[*place], Noisy::Number { joint: true, .. });
        let places: Vec<usize> = (0..columns.len()).filter(joint).collect();
        let width = places.len();
        Joint {
            moments: CoMoments::new(width),
            factor: Cholesky::new(width),
            seen: 0,
            due: 0,
            numbers: vec![0.0; width],
            normal: vec![0.0; width],
            places,
        }
    }

    fn observe(&mut self, record: &[f64]) {
        for (number, &place) in self.numbers.iter_mut().zip(&self.places) {
            *number = record[place];
        }
        self.moments.push(&self.numbers);
    }

    /// Adds noise with the deviation of each column and the correlations so far. Their
    /// factor is made anew whenever there is one record in a hundred more, since it
    /// changes little in between.
    fn mask(
        &mut self,
        record: &mut [f64],
        (amount, shrink): (f64, bool),
        columns: &[Noisy],
        generator: &mut Xoshiro256PlusPlus,
    ) {
        self.seen += 1;
        if self.seen >= self.due {
            // Correlations are of records without a missing value; the spread of a
            // column is its own, or a column that is seldom whole would get no noise.
            let moments = &self.moments;
            self.factor.factor(|i, j| match i == j {
                true => 1.0,
                false => moments.correlation(i, j).unwrap_or(0.0),
            });
            self.due = self.seen + self.seen / 100 + 1;
        }
        for normal in &mut self.normal {
            *normal = StandardNormal.sample(generator);
        }
        self.factor.multiply(&self.normal, &mut self.numbers);
        let towards = 1.0 / (1.0 + amount * amount).sqrt();
        for (noise, &place) in self.numbers.iter().zip(&self.places) {
            let Noisy::Number { moments, .. } = &columns[place] else {
                continue;
            };
            let value = record[place] + amount * noise * moments.deviation();
            record[place] = match shrink {
                true => towards * value + (1.0 - towards) * moments.mean(),
                false => value,
            };
        }
    }
}

#[cfg(test)]
mod tests;
