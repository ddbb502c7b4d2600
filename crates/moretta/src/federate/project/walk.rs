//! A random walk that can be entered anywhere.
//!
//! Cumulative noise is the place of a walk that makes one normal step a record. Summed step by
//! step, record n would need all n draws before it, with every restart again. Here the places are
//! filled in from far to near instead: place 2n is place n and a normal of variance n; the middle
//! of two known places a distance d apart is their mean and a normal of variance d/4. The joint
//! distribution is the same, steps of variance 1 that do not depend on each other; each place
//! has one vector of draws, which follows from the number of its record; and a place is found
//! from at most 2·log₂(n) others.
//!
//! A walk remembers the places on its way, so that going through all records in order costs one
//! vector of draws each, and a gap at most 2·log₂(n). Going back starts from the beginning: the
//! places are the same, whatever way led to them.
//!
//! **From** Lévy's construction of Brownian motion, 1939.

use super::draws::Draws;
use crate::error::{Error, Result};
use crate::federate::mask::derive;

/// Records beyond this have no place; no stream gets there.
const MOST_RECORDS: u64 = 1 << 62;

/// The random walk of one site for one node.
pub(super) struct Walk {
    key: [u8; 32],
    deviation: f64,
    /// Records after which it starts anew, with draws of its own.
    reset: Option<u64>,
    segment: u64,
    draws: Draws,
    here: Place,
    /// Known places ahead, the nearest last.
    ahead: Vec<Place>,
}

#[derive(Clone)]
struct Place {
    /// Steps from the start.
    steps: u64,
    values: Vec<f64>,
}

impl Walk {
    /// Of `width` numbers, with steps of this standard deviation.
    pub(super) fn new(key: [u8; 32], width: usize, deviation: f64, reset: Option<u64>) -> Self {
        Walk {
            deviation,
            reset: reset.filter(|&rows| rows > 0),
            segment: 0,
            draws: Draws::new(segment_key(&key, 0)),
            here: Place::start(width),
            ahead: Vec::new(),
            key,
        }
    }

    /// Where it is with a record, the first of which has made one step.
    ///
    /// # Errors
    /// When the number of the record is 2⁶² or more.
    pub(super) fn at(&mut self, record: u64) -> Result<&[f64]> {
        if record >= MOST_RECORDS {
            return Err(Error::input("the number of a record is too large"));
        }
        let rows = self.reset.unwrap_or(MOST_RECORDS);
        let (segment, steps) = (record / rows, record % rows + 1);
        if segment != self.segment {
            self.segment = segment;
            self.draws = Draws::new(segment_key(&self.key, segment));
            self.restart();
        } else if steps < self.here.steps {
            self.restart();
        }
        while self.here.steps < steps {
            self.approach(steps);
        }
        Ok(&self.here.values)
    }

    fn restart(&mut self) {
        self.here = Place::start(self.here.values.len());
        self.ahead.clear();
    }

    /// Comes nearer to a place ahead, or knows one more place on the way to it.
    fn approach(&mut self, steps: u64) {
        let next = match self.ahead.pop() {
            Some(next) if next.steps <= steps => {
                self.here = next;
                return;
            }
            Some(far) => {
                let middle = self.middle(&far);
                self.ahead.push(far);
                middle
            }
            None => self.beyond(),
        };
        self.ahead.push(next);
    }

    /// The place halfway to another.
    fn middle(&mut self, far: &Place) -> Place {
        let distance = far.steps - self.here.steps;
        let ends = self.here.values.iter().zip(&far.values);
        let means = ends.map(|(near, far)| (near + far) / 2.0).collect();
        self.place(self.here.steps + distance / 2, means, distance as f64 / 4.0)
    }

    /// The place twice as far from the start.
    fn beyond(&mut self) -> Place {
        let distance = self.here.steps.max(1);
        let values = self.here.values.clone();
        self.place(self.here.steps + distance, values, distance as f64)
    }

    /// A place that is normal around its mean.
    fn place(&mut self, steps: u64, mut means: Vec<f64>, variance: f64) -> Place {
        let mut normals = vec![0.0; means.len()];
        self.draws.normals(steps, &mut normals);
        let deviation = self.deviation * variance.sqrt();
        for (mean, normal) in means.iter_mut().zip(normals) {
            *mean += deviation * normal;
        }
        Place {
            steps,
            values: means,
        }
    }
}

impl Place {
    fn start(width: usize) -> Self {
        Place {
            steps: 0,
            values: vec![0.0; width],
        }
    }
}

/// Places ahead may lie beyond the next start, where they must not be drawn alike.
fn segment_key(key: &[u8; 32], segment: u64) -> [u8; 32] {
    derive(&[], key, &[b"segment", &segment.to_le_bytes()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(seed: u8, reset: Option<u64>) -> Walk {
        Walk::new([seed; 32], 2, 0.5, reset)
    }

    fn bits(walk: &mut Walk, record: u64) -> Vec<u64> {
        let place = walk.at(record).expect("a place");
        place.iter().map(|value| value.to_bits()).collect()
    }

    #[test]
    fn a_place_is_the_same_whatever_way_leads_to_it() {
        for reset in [None, Some(1), Some(3), Some(50), Some(64)] {
            let mut all = walk(1, reset);
            let places: Vec<Vec<u64>> = (0..300).map(|record| bits(&mut all, record)).collect();
            for step in [1, 2, 3, 7, 64, 299] {
                let mut some = walk(1, reset);
                for record in (0..300).step_by(step) {
                    assert_eq!(bits(&mut some, record as u64), places[record]);
                    assert_eq!(bits(&mut some, record as u64), places[record]);
                }
            }
            let mut back = walk(1, reset);
            for record in (0..300).rev() {
                assert_eq!(bits(&mut back, record as u64), places[record]);
            }
        }
    }

    #[test]
    fn steps_are_normal_and_do_not_depend_on_each_other() {
        let mut walk = walk(2, None);
        let records = 100_000;
        let mut places = vec![0.0];
        places.extend((0..records).map(|record| walk.at(record).expect("a place")[0]));
        let steps: Vec<f64> = places
            .windows(2)
            .map(|pair| (pair[1] - pair[0]) / 0.5)
            .collect();
        let count = steps.len() as f64;
        for lag in [0, 1, 2, 3, 4, 8, 64, 1024] {
            let products = steps.iter().zip(&steps[lag..]).map(|(a, b)| a * b);
            let mean = products.sum::<f64>() / count;
            let (expected, deviation) = match lag {
                0 => (1.0, (2.0 / count).sqrt()),
                _ => (0.0, (1.0 / count).sqrt()),
            };
            assert!((mean - expected).abs() < 5.0 * deviation, "{lag}: {mean}");
        }
        // Steps into even and odd places, which are drawn in other ways.
        for start in [0, 1] {
            let squares = steps.iter().skip(start).step_by(2).map(|step| step * step);
            let variance = squares.sum::<f64>() / (count / 2.0);
            assert!((variance - 1.0).abs() < 5.0 * (4.0 / count).sqrt());
        }
    }

    #[test]
    fn variance_grows_with_the_steps() {
        for record in [0, 1, 2, 5, 6, 99, 1000, 123_456_789] {
            let square = |seed: u64| {
                let mut key = [0; 32];
                key[..8].copy_from_slice(&seed.to_le_bytes());
                let mut walk = Walk::new(key, 2, 1.0, None);
                let place = walk.at(record).expect("a place");
                place[0] * place[0] + place[1] * place[1]
            };
            let variance = (0..2_000).map(square).sum::<f64>() / 4_000.0;
            let ratio = variance / (record + 1) as f64;
            // Five standard deviations of a mean of 4,000 squares.
            assert!((ratio - 1.0).abs() < 0.112, "{record}: {ratio}");
        }
    }

    #[test]
    fn it_starts_anew_with_draws_of_its_own() {
        let mut walk = walk(3, Some(3));
        let mut firsts = std::collections::BTreeSet::new();
        let mut steps = [0.0; 2];
        for segment in 0..20_000 {
            assert!(firsts.insert(bits(&mut walk, 3 * segment)));
            let last = walk.at(3 * segment + 2).expect("a place")[0];
            let next = walk.at(3 * segment + 3).expect("a place")[0];
            steps[0] += next * next / 20_000.0;
            steps[1] += next * last / 20_000.0;
        }
        assert!((steps[0] / 0.25 - 1.0).abs() < 0.05, "{steps:?}");
        // Independent of where the last walk ended: 5·√(0.25·0.75/20,000).
        assert!(steps[1].abs() < 0.0154, "{steps:?}");
    }

    #[test]
    fn numbers_of_records_have_an_end() {
        assert!(walk(4, None).at(MOST_RECORDS).is_err());
        assert!(walk(4, None).at(MOST_RECORDS - 1).is_ok());
        assert!(walk(4, Some(7)).at(MOST_RECORDS - 1).is_ok());
    }
}
