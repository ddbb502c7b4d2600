//! Waveform: a class is a mixture of two of three triangular waves, plus normal noise.
//!
//! Breiman and others, Classification and Regression Trees, 1984; after MOA's
//! `WaveformGenerator`.

use super::{Generator, Header, Values};
use crate::error::Result;
use crate::math::java_random::JavaRandom;

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
}

impl Default for Waveform {
    fn default() -> Self {
        Waveform {
            seed: 1,
            noise: false,
        }
    }
}

impl Waveform {
    /// Cannot fail; the result is that of the other generators.
    pub fn generator(&self) -> Result<WaveformGenerator> {
        Ok(WaveformGenerator {
            random: JavaRandom::new(self.seed),
            attributes: WAVE + if self.noise { NOISE } else { 0 },
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
    attributes: usize,
    waves: [[f64; WAVE]; 3],
}

impl Generator for WaveformGenerator {
    fn header(&self) -> Header {
        Header::numbered(self.attributes, Values::Number, 3)
    }

    fn next(&mut self, record: &mut [f64]) -> u32 {
        let class = self.random.next_int_below(3) as usize;
        let (first, second) = PAIRS[class];
        let share = self.random.next_double();
        let (waves, noise) = record.split_at_mut(WAVE);
        let pairs = self.waves[first].iter().zip(&self.waves[second]);
        for (value, (first, second)) in waves.iter_mut().zip(pairs) {
            *value = share * first + (1.0 - share) * second + self.random.next_gaussian();
        }
        for value in noise {
            *value = self.random.next_gaussian();
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
