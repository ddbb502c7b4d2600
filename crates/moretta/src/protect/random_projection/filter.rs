//! Random projection of records as they come.

use super::starts::Starts;
use super::{Features, Noise, RandomProjection};
use crate::data::Records;
use crate::error::{Error, Result};
use crate::math::uniform::Uniform;
use crate::protect::filter::{Filter, Masked};
use rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Projects records by one secret matrix, and blurs what comes out.
pub struct RandomProjectionFilter {
    features: Features,
    /// m × k, scaled, a row for each feature.
    matrix: Vec<f64>,
    translation: Vec<f64>,
    noise: Noise,
    /// Of one draw of noise.
    deviation: f64,
    /// Where the random walk is.
    walk: Vec<f64>,
    starts: Starts,
    generator: Xoshiro256PlusPlus,
    /// Rows to wait for; none waits for all.
    wait: Option<usize>,
    waiting: Option<Records>,
    record: Vec<f64>,
    projected: Vec<f64>,
}

impl RandomProjectionFilter {
    pub(super) fn new(config: &RandomProjection, features: Features, k: usize, seed: u64) -> Self {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
        let scale = 1.0 / (k as f64).sqrt();
        let mut normal = || -> f64 { StandardNormal.sample(&mut generator) };
        let matrix = (0..features.width() * k).map(|_| scale * normal());
        let matrix = matrix.collect();
        let mut shift = || (2.0 * generator.draw() - 1.0) * config.translation;
        let translation = (0..k).map(|_| shift()).collect();
        let columns = features.columns();
        RandomProjectionFilter {
            matrix,
            translation,
            noise: config.noise,
            deviation: config.deviation(),
            walk: vec![0.0; k],
            starts: Starts::new(config, features.width()),
            generator,
            wait: config.buffer,
            waiting: features.are_learnt().then(|| Records::new(columns)),
            record: Vec::with_capacity(features.width()),
            projected: vec![0.0; k],
            features,
        }
    }

    /// How records become features, as far as their ranges are known.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// Numbers of a released record: k.
    pub fn width(&self) -> usize {
        self.projected.len()
    }

    fn release(&mut self, record: &[f64], out: &mut Masked) -> Result<()> {
        self.features.encode(record, &mut self.record)?;
        self.projected.copy_from_slice(&self.translation);
        let k = self.projected.len();
        for (&feature, row) in self.record.iter().zip(self.matrix.chunks_exact(k)) {
            for (projected, &weight) in self.projected.iter_mut().zip(row) {
                *projected += feature * weight;
            }
        }
        self.blur();
        let known = self.record.iter().all(|feature| feature.is_finite());
        if known && !self.projected.iter().all(|value| value.is_finite()) {
            return Err(Error::input("numbers are too large to be projected")
                .help("scale the columns first, or look for numbers that are wrong"));
        }
        out.release(&self.projected);
        Ok(())
    }

    /// Adds noise; a record with missing values takes its step, too.
    fn blur(&mut self) {
        match self.noise {
            Noise::None => {}
            Noise::Independent => {
                for projected in &mut self.projected {
                    let normal: f64 = StandardNormal.sample(&mut self.generator);
                    *projected += self.deviation * normal;
                }
            }
            Noise::Cumulative => {
                if self.starts.with(&self.record) {
                    self.walk.fill(0.0);
                }
                for (projected, place) in self.projected.iter_mut().zip(&mut self.walk) {
                    let normal: f64 = StandardNormal.sample(&mut self.generator);
                    *place += self.deviation * normal;
                    *projected += *place;
                }
            }
        }
    }

    /// What has waited leaves, now that ranges are known.
    fn release_waiting(&mut self, out: &mut Masked) -> Result<()> {
        let waiting = self.waiting.take().unwrap_or_default();
        let mut records = waiting.iter();
        records.try_for_each(|record| self.release(record, out))
    }
}

impl Filter for RandomProjectionFilter {
    fn push(&mut self, record: &[f64], out: &mut Masked) -> Result<()> {
        let Some(waiting) = &mut self.waiting else {
            return self.release(record, out);
        };
        self.features.observe(record);
        waiting.push(record);
        match self.wait.is_some_and(|rows| waiting.len() >= rows) {
            true => self.release_waiting(out),
            false => Ok(()),
        }
    }

    fn finish(&mut self, out: &mut Masked) -> Result<()> {
        self.release_waiting(out)
    }
}
