//! Hyperplane: points of the unit cube on either side of a plane that may turn.
//!
//! Hulten, Spencer and Domingos, Mining time-changing data streams, KDD 2001;
//! after MOA's `HyperplaneGenerator`, which gives two classes whatever its option
//! for them says.

use super::{Generator, Header, MOST, Values, percent, within};
use moretta_data::error::Result;
use moretta_data::math::java_random::JavaRandom;

/// The options, by default MOA's.
#[derive(Clone, Debug)]
pub struct Hyperplane {
    /// Decides the plane and the records.
    pub seed: i64,
    /// How many numbers a record has.
    pub attributes: usize,
    /// How many of them change their weight.
    pub drift_attributes: usize,
    /// By how much a weight changes with each record.
    pub magnitude: f64,
    /// How many percent of the classes are wrong.
    pub noise: u32,
    /// How often, in percent, a change turns round.
    pub turning: u32,
}

impl Default for Hyperplane {
    fn default() -> Self {
        Hyperplane {
            seed: 1,
            attributes: 10,
            drift_attributes: 2,
            magnitude: 0.0,
            noise: 5,
            turning: 10,
        }
    }
}

impl Hyperplane {
    /// Draws the plane.
    pub fn generator(&self) -> Result<HyperplaneGenerator> {
        within("attributes", self.attributes, 1..=MOST as usize)?;
        within(
            "drift attributes",
            self.drift_attributes,
            0..=self.attributes,
        )?;
        within("magnitude", self.magnitude, 0.0..=1.0)?;
        within("noise", self.noise, 0..=100)?;
        within("turning", self.turning, 0..=100)?;
        let mut random = JavaRandom::new(self.seed);
        let weights = (0..self.attributes).map(|_| random.next_double()).collect();
        Ok(HyperplaneGenerator {
            weights,
            signs: vec![1.0; self.drift_attributes],
            random,
            magnitude: self.magnitude,
            noise: self.noise,
            turning: self.turning,
        })
    }
}

/// Points on either side of a plane.
#[derive(Clone, Debug)]
pub struct HyperplaneGenerator {
    random: JavaRandom,
    weights: Vec<f64>,
    /// Which way the weights that change go.
    signs: Vec<f64>,
    magnitude: f64,
    noise: u32,
    turning: u32,
}

impl HyperplaneGenerator {
    fn drift(&mut self) {
        for (weight, sign) in self.weights.iter_mut().zip(&mut self.signs) {
            *weight += *sign * self.magnitude;
            if percent(&mut self.random, self.turning) {
                *sign = -*sign;
            }
        }
    }
}

impl Generator for HyperplaneGenerator {
    fn header(&self) -> Header {
        Header::numbered(self.weights.len(), Values::Number, 2)
    }

    fn next(&mut self, record: &mut [f64]) -> u32 {
        let (mut sum, mut total) = (0.0, 0.0);
        for (value, weight) in record.iter_mut().zip(&self.weights) {
            *value = self.random.next_double();
            sum += weight * *value;
            total += weight;
        }
        let class = u32::from(sum >= total * 0.5);
        let wrong = percent(&mut self.random, self.noise);
        self.drift();
        class ^ u32::from(wrong)
    }
}
