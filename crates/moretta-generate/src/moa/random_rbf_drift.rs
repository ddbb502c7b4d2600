//! RandomRBF with drift: the first centroids move, and turn back at the walls of the unit cube.
//!
//! The directions come from the model's seed again and are positive at first.
//! The centroids move before every record, also the first. After MOA's
//! `RandomRBFGeneratorDrift`.

use super::{Generator, Header, MOST, RandomRbf, RandomRbfGenerator, within};
use moretta_data::error::Result;
use moretta_data::math::java_random::JavaRandom;

/// The options, by default MOA's.
#[derive(Clone, Debug)]
pub struct RandomRbfDrift {
    /// Centroids and records.
    pub rbf: RandomRbf,
    /// How far a centroid moves for each record; 0 stands still.
    pub speed: f64,
    /// How many centroids move; when there are fewer, all do.
    pub drift_centroids: usize,
}

impl Default for RandomRbfDrift {
    fn default() -> Self {
        RandomRbfDrift {
            rbf: RandomRbf::default(),
            speed: 0.0,
            drift_centroids: 50,
        }
    }
}

impl RandomRbfDrift {
    /// Draws the model and the directions.
    pub fn generator(&self) -> Result<RandomRbfDriftGenerator> {
        within("speed", self.speed, 0.0..=f64::MAX)?;
        within("drift centroids", self.drift_centroids, 0..=MOST as usize)?;
        let rbf = self.rbf.generator()?;
        let moving = self.drift_centroids.min(self.rbf.centroids);
        let mut random = JavaRandom::new(self.rbf.model_seed);
        let mut steps: Vec<f64> = (0..moving * self.rbf.attributes)
            .map(|_| random.next_double())
            .collect();
        for step in steps.chunks_exact_mut(self.rbf.attributes) {
            let square: f64 = step.iter().map(|part| part * part).sum();
            let norm = square.sqrt();
            step.iter_mut().for_each(|part| *part /= norm);
        }
        Ok(RandomRbfDriftGenerator {
            rbf,
            steps,
            speed: self.speed,
        })
    }
}

/// Records around moving centroids.
#[derive(Clone, Debug)]
pub struct RandomRbfDriftGenerator {
    rbf: RandomRbfGenerator,
    /// The directions of the centroids that move, one after the other.
    steps: Vec<f64>,
    speed: f64,
}

impl RandomRbfDriftGenerator {
    fn drift(&mut self) {
        for (place, step) in self.rbf.centres.iter_mut().zip(&mut self.steps) {
            *place += *step * self.speed;
            if *place > 1.0 {
                *place = 1.0;
                *step = -*step;
            }
            if *place < 0.0 {
                *place = 0.0;
                *step = -*step;
            }
        }
    }
}

impl Generator for RandomRbfDriftGenerator {
    fn header(&self) -> Header {
        self.rbf.header()
    }

    fn next(&mut self, record: &mut [f64]) -> u32 {
        self.drift();
        self.rbf.next(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centroids_stay_in_the_cube_and_only_the_first_move() {
        let options = RandomRbfDrift {
            speed: 0.3,
            drift_centroids: 3,
            ..RandomRbfDrift::default()
        };
        let still = options.rbf.generator().expect("sound options");
        let mut drift = options.generator().expect("sound options");
        for _ in 0..100 {
            drift.drift();
            assert!(drift.rbf.centres.iter().all(|c| (0.0..=1.0).contains(c)));
        }
        assert_eq!(drift.rbf.centres[30..], still.centres[30..]);
        let moved = drift.rbf.centres.iter().zip(&still.centres);
        assert!(moved.take(30).all(|(now, before)| now != before));
    }
}
