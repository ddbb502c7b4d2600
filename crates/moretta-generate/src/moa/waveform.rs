//! Waveform: a class is a mixture of two of three triangular waves, plus normal noise.
//!
//! Breiman and others, Classification and Regression Trees, 1984; after MOA's
//! `WaveformGenerator`. With drift, as in `WaveformGeneratorDrift`, attributes have
//! changed places: a stream of it after one without is a change of concept.

use super::{Generator, Header, Values, within};
use moretta_data::error::Result;
use moretta_data::math::java_random::JavaRandom;

/// Attributes that carry a wave.
const WAVE: usize = 21;
/// Attributes that carry nothing, on request.
const NOISE: usize = 19;
/// Where the waves have their peaks of 6.
const PEAKS: [i32; 3] = [6, 14, 10];
/// The two waves of each class.
const PAIRS: [(usize, usize); 3] = [(0, 1), (0, 2), (1, 2)];

/// The options, by default MOA's.
#[derive(Clone, Debug)]
pub struct Waveform {
    /// Decides the records.
    pub seed: i64,
    /// Adds 19 attributes of mere noise.
    pub noise: bool,
    /// How many attributes, 0 to 40, change places; `None` draws no places, so that the
    /// records are others than with 0.
    pub drift_attributes: Option<usize>,
}

impl Default for Waveform {
    fn default() -> Self {
        Waveform {
            seed: 1,
            noise: false,
            drift_attributes: None,
        }
    }
}

impl Waveform {
    /// Checks the options.
    pub fn generator(&self) -> Result<WaveformGenerator> {
        let attributes = WAVE + if self.noise { NOISE } else { 0 };
        let mut random = JavaRandom::new(self.seed);
        let mut places: Vec<usize> = (0..attributes).collect();
        if let Some(moved) = self.drift_attributes {
            within("drift attributes", moved, 0..=WAVE + NOISE)?;
            let [one, other] = [(); 2].map(|()| random.next_int_below(attributes as i32) as usize);
            for at in 0..moved {
                places.swap((at + one) % attributes, (at + other) % attributes);
            }
        }
        Ok(WaveformGenerator {
            random,
            places,
            waves: PEAKS.map(wave),
        })
    }
}

fn wave(peak: i32) -> [f64; WAVE] {
    std::array::from_fn(|at| f64::from((6 - (at as i32 - peak).abs()).max(0)))
}

/// Records of waves.
#[derive(Clone, Debug)]
pub struct WaveformGenerator {
    random: JavaRandom,
    /// Where each attribute is written, the waves first.
    places: Vec<usize>,
    waves: [[f64; WAVE]; 3],
}

impl Generator for WaveformGenerator {
    fn header(&self) -> Header {
        Header::numbered(self.places.len(), Values::Number, 3)
    }

    fn next(&mut self, record: &mut [f64]) -> u32 {
        let class = self.random.next_int_below(3) as usize;
        let (first, second) = PAIRS[class];
        let share = self.random.next_double();
        let (waves, noise) = self.places.split_at(WAVE);
        let pairs = self.waves[first].iter().zip(&self.waves[second]);
        for (&place, (first, second)) in waves.iter().zip(pairs) {
            record[place] = share * first + (1.0 - share) * second + self.random.next_gaussian();
        }
        for &place in noise {
            record[place] = self.random.next_gaussian();
        }
        class as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_are_triangles_of_height_six() {
        let [first, second, third] = PEAKS.map(wave);
        assert_eq!(first[..8], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 5.0]);
        assert_eq!(first[12..], [0.0; 9]);
        assert_eq!(
            (second[8], second[9], second[14], second[20]),
            (0.0, 1.0, 6.0, 0.0)
        );
        assert_eq!(
            (third[4], third[5], third[10], third[16]),
            (0.0, 1.0, 6.0, 0.0)
        );
    }
}
