//! Rank swapping as published: the head's value is exchanged with one at most p ranks below it.
//!
//! p counts ranks, though the text says percent, and the ranks descend, so the head
//! never receives a larger value. A value is swapped once. The published code
//! sorts the window for every record and attribute; here the order is kept, with
//! the same result.

use super::filter::{Filter, Pair};
use super::window::Window;
use moretta::math::java_random::JavaRandom;

/// What the filter uses unless told.
pub(crate) const SEED: i64 = 3_141_592;

#[derive(Clone, Debug)]
pub(crate) struct RankSwapping {
    p: usize,
    random: JavaRandom,
    originals: Window,
    swapped: Window,
    /// The values of each attribute that were not swapped yet.
    ranks: Vec<Ranks>,
}

impl RankSwapping {
    pub(crate) fn new(p: usize, b: usize, attributes: usize, seed: i64) -> Self {
        RankSwapping {
            p,
            random: JavaRandom::new(seed),
            originals: Window::new(b, attributes),
            swapped: Window::new(b, attributes),
            ranks: vec![Ranks::default(); attributes],
        }
    }

    /// Swaps the head's value of an attribute, unless it was swapped before.
    fn swap(&mut self, attribute: usize) {
        let head = self.originals.head();
        let value = self.originals.get(head)[attribute];
        let ranks = &mut self.ranks[attribute];
        let Some(rank) = ranks.find(value, head) else {
            return;
        };
        let below = self.p.min(ranks.0.len() - 1 - rank);
        if below > 0 {
            let draw = self.random.next_double() / (1.0 / below as f64) + 1.0;
            let (partners, partner) = ranks.0.remove(rank + (draw as usize).min(below));
            self.swapped.get_mut(head)[attribute] = partners;
            self.swapped.get_mut(partner)[attribute] = value;
        }
        ranks.0.remove(rank);
    }
}

impl Filter for RankSwapping {
    fn push(&mut self, record: &[f64], pair: &mut Pair) -> bool {
        let number = self.originals.numbers().end;
        for (ranks, &value) in self.ranks.iter_mut().zip(record) {
            ranks.insert(value, number);
        }
        self.swapped.push(record);
        if !self.originals.push(record) {
            return false;
        }
        for attribute in 0..record.len() {
            self.swap(attribute);
        }
        let head = self.originals.head();
        pair.original.copy_from_slice(self.originals.get(head));
        pair.released.copy_from_slice(self.swapped.get(head));
        self.originals.pop();
        self.swapped.pop();
        true
    }
}

/// Values with the number of their record, the largest first, equal ones by number.
#[derive(Clone, Debug, Default)]
struct Ranks(Vec<(f64, usize)>);

impl Ranks {
    fn place(&self, value: f64, number: usize) -> usize {
        self.0
            .partition_point(|&(other, of)| other > value || (other == value && of < number))
    }

    fn insert(&mut self, value: f64, number: usize) {
        self.0.insert(self.place(value, number), (value, number));
    }

    fn find(&self, value: f64, number: usize) -> Option<usize> {
        let place = self.place(value, number);
        let there = self.0.get(place).is_some_and(|&(_, of)| of == number);
        there.then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published procedure, letter for letter: a sort for every record and attribute.
    fn slow(records: &[f64], p: usize, b: usize) -> Vec<f64> {
        let mut random = JavaRandom::new(SEED);
        let mut values = records.to_vec();
        let mut swapped = vec![false; values.len()];
        for head in 0..=records.len() - b {
            if swapped[head] {
                continue;
            }
            let mut order: Vec<usize> = (head..head + b).filter(|&at| !swapped[at]).collect();
            order.sort_by(|&x, &y| records[y].total_cmp(&records[x]));
            let rank = order
                .iter()
                .position(|&at| at == head)
                .expect("it is there");
            let window = p.min(order.len() - 1 - rank);
            swapped[head] = true;
            if window > 0 {
                let step = (random.next_double() / (1.0 / window as f64) + 1.0) as usize;
                let partner = order[rank + step];
                swapped[partner] = true;
                values.swap(head, partner);
            }
        }
        values.truncate(records.len() - b + 1);
        values
    }

    #[test]
    fn keeping_the_order_gives_what_sorting_gives() {
        let mut random = JavaRandom::new(3);
        for (p, b) in [(1, 10), (3, 10), (10, 25), (100, 30)] {
            // Whole numbers, so that there are ties.
            let records: Vec<f64> = (0..400)
                .map(|_| f64::from(random.next_int_below(50)))
                .collect();
            let mut filter = RankSwapping::new(p, b, 1, SEED);
            let mut pair = Pair::new(1);
            let mut fast = Vec::new();
            for &value in &records {
                if filter.push(&[value], &mut pair) {
                    fast.push(pair.released[0]);
                }
            }
            assert_eq!(fast, slow(&records, p, b), "p = {p}, b = {b}");
        }
    }
}
