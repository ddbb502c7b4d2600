//! RandomRBF: records scattered around centroids that have a class each.
//!
//! The model draws centroids with a place, a class, a spread and a weight. A
//! record takes a centroid by weight and steps from it in a random direction, by
//! a normal distance of the centroid's spread. After MOA's `RandomRBFGenerator`.

use super::{Generator, Header, MOST, Values, within};
use moretta_data::error::Result;
use moretta_data::math::java_random::JavaRandom;

/// The options, by default MOA's.
#[derive(Clone, Debug)]
pub struct RandomRbf {
    /// Decides the centroids.
    pub model_seed: i64,
    /// Decides the records.
    pub seed: i64,
    /// How many classes the centroids share.
    pub classes: u32,
    /// How many numbers a record has.
    pub attributes: usize,
    /// How many centroids there are.
    pub centroids: usize,
}

impl Default for RandomRbf {
    fn default() -> Self {
        RandomRbf {
            model_seed: 1,
            seed: 1,
            classes: 2,
            attributes: 10,
            centroids: 50,
        }
    }
}

impl RandomRbf {
    /// Draws the model.
    pub fn generator(&self) -> Result<RandomRbfGenerator> {
        within("classes", self.classes, 2..=MOST)?;
        within("attributes", self.attributes, 1..=MOST as usize)?;
        within("centroids", self.centroids, 1..=MOST as usize)?;
        let mut random = JavaRandom::new(self.model_seed);
        let mut centres = Vec::with_capacity(self.attributes * self.centroids);
        let mut centroids = Vec::with_capacity(self.centroids);
        for _ in 0..self.centroids {
            centres.extend((0..self.attributes).map(|_| random.next_double()));
            centroids.push(Centroid {
                class: random.next_int_below(self.classes as i32) as u32,
                deviation: random.next_double(),
                weight: random.next_double(),
            });
        }
        Ok(RandomRbfGenerator {
            attributes: self.attributes,
            classes: self.classes,
            centres,
            weight: centroids.iter().map(|centroid| centroid.weight).sum(),
            centroids,
            random: JavaRandom::new(self.seed),
        })
    }
}

#[derive(Clone, Debug)]
struct Centroid {
    class: u32,
    deviation: f64,
    weight: f64,
}

/// Records around centroids.
#[derive(Clone, Debug)]
pub struct RandomRbfGenerator {
    attributes: usize,
    classes: u32,
    /// The places of the centroids, one after the other.
    pub(super) centres: Vec<f64>,
    centroids: Vec<Centroid>,
    /// Of all centroids.
    weight: f64,
    random: JavaRandom,
}

impl RandomRbfGenerator {
    /// A centroid, by weight.
    fn choose(&mut self) -> usize {
        let value = self.random.next_double() * self.weight;
        let (mut sum, mut next) = (0.0, 0);
        while sum <= value && next < self.centroids.len() {
            sum += self.centroids[next].weight;
            next += 1;
        }
        next - 1
    }
}

impl Generator for RandomRbfGenerator {
    fn header(&self) -> Header {
        Header::numbered(self.attributes, Values::Number, self.classes)
    }

    fn next(&mut self, record: &mut [f64]) -> u32 {
        let chosen = self.choose();
        let centre = &self.centres[chosen * self.attributes..][..self.attributes];
        let Centroid {
            class, deviation, ..
        } = self.centroids[chosen];
        let mut square = 0.0;
        for direction in record.iter_mut() {
            *direction = self.random.next_double() * 2.0 - 1.0;
            square += *direction * *direction;
        }
        let scale = self.random.next_gaussian() * deviation / square.sqrt();
        for (value, centre) in record.iter_mut().zip(centre) {
            *value = centre + *value * scale;
        }
        class
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_is_that_of_a_centroid_and_heavy_centroids_come_often() {
        let mut rbf = RandomRbf {
            classes: 7,
            attributes: 2,
            centroids: 7,
            ..RandomRbf::default()
        }
        .generator()
        .expect("sound options");
        let mut times = vec![0_u32; 7];
        for _ in 0..20_000 {
            times[rbf.choose()] += 1;
        }
        for (centroid, times) in rbf.centroids.iter().zip(times) {
            let expected = centroid.weight / rbf.weight;
            assert!((f64::from(times) / 20_000.0 - expected).abs() < 0.015);
        }
    }
}
