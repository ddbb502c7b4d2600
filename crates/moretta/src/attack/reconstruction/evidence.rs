//! What an attacker has in hand.

use crate::attack::success::norm;
use crate::math::uniform::Uniform;

/// Known records with what became of them, and what became of an unknown one.
#[derive(Clone, Debug)]
pub struct Evidence<'a> {
    /// Rows of the known records in the stream, ascending.
    pub rows: Vec<u64>,
    /// Their originals, each of m features.
    pub inputs: Vec<&'a [f64]>,
    /// Their releases, each of k numbers.
    pub outputs: Vec<&'a [f64]>,
    /// The row of the unknown record.
    pub row: u64,
    /// Its release.
    pub output: &'a [f64],
}

impl Evidence<'_> {
    /// Features of a record: m.
    pub fn features(&self) -> usize {
        self.inputs.first().map_or(0, |input| input.len())
    }

    /// The place of the unknown record among the known ones.
    pub(super) fn place(&self) -> usize {
        self.rows.partition_point(|&row| row < self.row)
    }

    /// The same with the known record only that is nearest in the stream; of two
    /// the later.
    pub(super) fn nearest(&self) -> Self {
        let distances = self.rows.iter().map(|&row| row.abs_diff(self.row));
        let nearest = distances
            .zip(0..)
            .min_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
        let place: usize = nearest.map_or(0, |(_, place)| place);
        Evidence {
            rows: vec![self.rows[place]],
            inputs: vec![self.inputs[place]],
            outputs: vec![self.outputs[place]],
            ..self.clone()
        }
    }

    /// Rows between the unknown record and the nearest known one.
    pub fn distance(&self) -> u64 {
        let distances = self.rows.iter().map(|&row| row.abs_diff(self.row));
        distances.min().unwrap_or(0)
    }
}

/// Draws from `candidates` the place of an unknown record and of `known` others, in
/// ascending order, that are linearly independent of it and of each other as far as
/// their width allows. None if a hundred trials find none.
pub(super) fn draw<'a>(
    candidates: &[usize],
    record: impl Fn(usize) -> &'a [f64],
    known: usize,
    generator: &mut impl Uniform,
) -> Option<(usize, Vec<usize>)> {
    const TRIALS: usize = 100;
    (0..TRIALS).find_map(|_| {
        let mut span = Span::default();
        let mut chosen: Vec<usize> = Vec::with_capacity(known + 1);
        for _ in 0..TRIALS * (known + 1) {
            let drawn = (generator.draw() * candidates.len() as f64) as usize;
            let candidate = candidates[drawn];
            if !chosen.contains(&candidate) && span.widen(record(candidate)) {
                chosen.push(candidate);
            }
            if chosen.len() == known + 1 {
                let unknown = chosen.swap_remove(0);
                chosen.sort_unstable();
                return Some((unknown, chosen));
            }
        }
        None
    })
}

/// What vectors span, as an orthonormal base.
#[derive(Default)]
struct Span(Vec<Vec<f64>>);

impl Span {
    /// Adds a vector; false if it lies within, unless everything does.
    fn widen(&mut self, vector: &[f64]) -> bool {
        if self.0.len() >= vector.len() {
            return true;
        }
        let mut rest = vector.to_vec();
        // Once more, or rounding leaves a part of the base in the rest.
        for _ in 0..2 {
            for base in &self.0 {
                let share: f64 = base.iter().zip(&rest).map(|(b, r)| b * r).sum();
                rest.iter_mut().zip(base).for_each(|(r, b)| *r -= share * b);
            }
        }
        let length = norm(&rest);
        if length <= 1e-9 * norm(vector) || length == 0.0 {
            return false;
        }
        rest.iter_mut().for_each(|value| *value /= length);
        self.0.push(rest);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn the_nearest_known_record_is_kept_and_of_two_the_later() {
        let values = [[1.0], [2.0], [3.0]];
        let evidence = Evidence {
            rows: vec![2, 6, 20],
            inputs: values.iter().map(|v| &v[..]).collect(),
            outputs: values.iter().map(|v| &v[..]).collect(),
            row: 4,
            output: &[0.0],
        };
        assert_eq!((evidence.place(), evidence.distance()), (1, 2));
        let nearest = evidence.nearest();
        assert_eq!((nearest.rows, nearest.inputs), (vec![6], vec![&[2.0][..]]));
    }

    #[test]
    fn records_are_drawn_that_are_independent_of_each_other() {
        let records = [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [0.0, 1.0], [0.0, 3.0]];
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(1);
        let candidates: Vec<usize> = (0..5).collect();
        for known in 1..4 {
            for _ in 0..50 {
                let drawn = draw(&candidates, |row| &records[row], known, &mut generator);
                let (unknown, chosen) = drawn.expect("there are some");
                assert!(chosen.is_sorted_by(|a, b| a < b) && !chosen.contains(&unknown));
                if known == 1 {
                    let kind = |row: usize| usize::from(row > 2);
                    assert_ne!(kind(unknown), kind(chosen[0]));
                    assert!(unknown > 0 && chosen[0] > 0);
                }
            }
        }
        let alike = draw(&[1, 2], |row| &records[row], 1, &mut generator);
        assert_eq!(alike, None);
    }
}
