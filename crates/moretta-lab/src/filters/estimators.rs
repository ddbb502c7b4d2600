//! The two figures of the tables: disclosure risk by a buffered linker, information loss as a sum of squares.
//!
//! **Linker.** Each original joins the last b originals; then all of them that lie
//! nearest to the released record are suspects. If the newest is among them, the
//! intruder is right with 1/suspects. The risk is the mean over all records.
//! Distances are compared after the square root, as published, where sums that
//! differ in the last bits tie.
//!
//! **Loss.** The sum over all pairs and attributes of the squared difference.
//!
//! Cost: b distances a record. Originals lie in blocks of [`LANES`], attribute by
//! attribute, so a block's distances are computed side by side; a block is left as
//! soon as none of it can be as near as the newest, and the search ends with the
//! first that is nearer.

use super::filter::Pair;

/// Distances computed at a time.
const LANES: usize = 16;

/// Attributes added between two looks at whether a block is lost.
const STRIDE: usize = 4;

type Lanes = [f64; LANES];

/// Disclosure risk and information loss so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) risk: f64,
    pub(crate) loss: f64,
}

/// Both estimators, fed with pairs.
#[derive(Clone, Debug)]
pub(crate) struct Estimators {
    linker: Linker,
    linked: f64,
    loss: f64,
    pairs: u64,
}

impl Estimators {
    /// With a linker over the last `b` originals.
    pub(crate) fn new(b: usize, attributes: usize) -> Self {
        Estimators {
            linker: Linker::new(b, attributes),
            linked: 0.0,
            loss: 0.0,
            pairs: 0,
        }
    }

    pub(crate) fn observe(&mut self, pair: &Pair) {
        for (original, released) in pair.original.iter().zip(&pair.released) {
            self.loss += (original - released).powi(2);
        }
        self.linked += self.linker.link(&pair.original, &pair.released);
        self.pairs += 1;
    }

    pub(crate) fn outcome(&self) -> Outcome {
        Outcome {
            risk: self.linked / self.pairs.max(1) as f64,
            loss: self.loss,
        }
    }
}

#[derive(Clone, Debug)]
struct Linker {
    attributes: usize,
    b: usize,
    next: usize,
    /// For each block of originals, for each attribute, the values. Empty places
    /// are infinitely far away.
    blocks: Vec<Lanes>,
}

impl Linker {
    fn new(b: usize, attributes: usize) -> Self {
        Linker {
            attributes,
            b,
            next: 0,
            blocks: vec![[f64::INFINITY; LANES]; b.div_ceil(LANES) * attributes],
        }
    }

    /// The probability that the released record gives its original away.
    fn link(&mut self, original: &[f64], released: &[f64]) -> f64 {
        self.remember(original);
        let square = distance_squared(original, released);
        let distance = square.sqrt();
        // No larger square can have the same root.
        let limit = square * (1.0 + 4.0 * f64::EPSILON);
        let mut suspects = 0;
        for block in self.blocks.chunks_exact(self.attributes) {
            let Some(squares) = near(block, released, limit) else {
                continue;
            };
            for root in squares.map(f64::sqrt) {
                if root < distance {
                    return 0.0;
                }
                suspects += u32::from(root == distance);
            }
        }
        1.0 / f64::from(suspects)
    }

    fn remember(&mut self, original: &[f64]) {
        let (block, lane) = (self.next / LANES, self.next % LANES);
        let block = &mut self.blocks[block * self.attributes..][..self.attributes];
        for (lanes, &value) in block.iter_mut().zip(original) {
            lanes[lane] = value;
        }
        self.next = (self.next + 1) % self.b;
    }
}

/// The squared distances of a block to `record`, unless all of them exceed `limit`.
#[inline]
fn near(block: &[Lanes], record: &[f64], limit: f64) -> Option<Lanes> {
    let mut squares = [0.0; LANES];
    for (lanes, values) in block.chunks(STRIDE).zip(record.chunks(STRIDE)) {
        for (lanes, value) in lanes.iter().zip(values) {
            for (square, lane) in squares.iter_mut().zip(lanes) {
                *square += (lane - value) * (lane - value);
            }
        }
        let nearest = squares
            .iter()
            .fold(false, |any, &square| any | (square <= limit));
        if !nearest {
            return None;
        }
    }
    Some(squares)
}

fn distance_squared(a: &[f64], b: &[f64]) -> f64 {
    let differences = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
    differences.fold(0.0, |sum, square| sum + square)
}

#[cfg(test)]
mod tests {
    use super::*;
    use moretta::math::java_random::JavaRandom;
    use std::collections::VecDeque;

    /// The definition, literally.
    fn slow(pairs: &[Pair], b: usize) -> f64 {
        let mut seen: VecDeque<&[f64]> = VecDeque::new();
        let mut sum = 0.0;
        for pair in pairs {
            if seen.len() == b {
                seen.pop_front();
            }
            seen.push_back(&pair.original);
            let distances: Vec<f64> = seen
                .iter()
                .map(|original| distance_squared(original, &pair.released).sqrt())
                .collect();
            let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
            let suspects = distances.iter().filter(|&&d| d == least).count();
            if distances.last() == Some(&least) {
                sum += 1.0 / suspects as f64;
            }
        }
        sum / pairs.len() as f64
    }

    #[test]
    fn the_linker_is_the_definition() {
        let mut random = JavaRandom::new(11);
        for (b, attributes) in [(10, 1), (16, 2), (17, 5), (100, 21)] {
            let pairs: Vec<Pair> = (0..500)
                .map(|_| {
                    // Few values, so that there are ties.
                    let mut value = || f64::from(random.next_int_below(4)) / 3.0;
                    let original: Vec<f64> = (0..attributes).map(|_| value()).collect();
                    let released = original.iter().map(|x| x + value() / 4.0).collect();
                    Pair { original, released }
                })
                .collect();
            let mut estimators = Estimators::new(b, attributes);
            pairs.iter().for_each(|pair| estimators.observe(pair));
            let risk = estimators.outcome().risk;
            assert!((risk - slow(&pairs, b)).abs() < 1e-12, "b = {b}: {risk}");
            assert!(risk > 0.0);
        }
    }

    #[test]
    fn the_loss_is_one_sum_over_pairs() {
        let mut estimators = Estimators::new(10, 2);
        for (original, released) in [([1.0, 2.0], [2.0, 4.0]), ([0.0, 0.0], [0.0, 3.0])] {
            estimators.observe(&Pair {
                original: original.into(),
                released: released.into(),
            });
        }
        assert_eq!(estimators.outcome().loss, 14.0);
    }
}
