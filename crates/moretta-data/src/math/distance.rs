//! Squared Euclidean distances from one record to many at once.
//!
//! Records lie in blocks of eight, attribute by attribute, so that the distances
//! of a block are summed in registers, eight at a time. The terms of each distance
//! are added in the order of the attributes, so the result is, bit for bit, that
//! of the obvious loop. Attributes may weigh differently. Nominal values differ by their
//! weight or not at all; of missing values (NaN) two are equal, and one is at distance 1
//! from any number, and at its weight from any nominal value.

use std::cmp::Ordering;

/// Records side by side.
const LANES: usize = 8;

/// Attributes that are summed before a block is looked at again.
const CUT: usize = 4;

/// Squares whose roots may be one double differ by less than this share.
const SLACK: f64 = 1.0 / (1_u64 << 48) as f64;

/// Records in numbered slots, to measure distances to.
#[derive(Clone, Debug)]
pub struct Slots {
    nominal: Box<[bool]>,
    /// What the squared difference of two numbers, or any of two nominal values, counts, by
    /// attribute; all 1 unless told.
    weights: Box<[f64]>,
    slots: usize,
    /// Block by block, in it attribute by attribute; 0 where no record is.
    lanes: Vec<[f64; LANES]>,
    /// How many missing or infinite values there are.
    odd: usize,
}

impl Slots {
    /// So many slots for records whose attributes are nominal or not.
    pub fn new(slots: usize, nominal: &[bool]) -> Self {
        Slots {
            nominal: nominal.into(),
            weights: vec![1.0; nominal.len()].into(),
            slots,
            lanes: vec![[0.0; LANES]; slots.div_ceil(LANES) * nominal.len()],
            odd: 0,
        }
    }

    /// How many slots there are.
    pub fn len(&self) -> usize {
        self.slots
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.slots == 0
    }

    /// From now on differences count so much: those of numbers squared.
    pub fn weigh(&mut self, weights: &[f64]) {
        self.weights.copy_from_slice(weights);
    }

    /// Puts a record into a slot.
    #[inline]
    pub fn set(&mut self, slot: usize, record: &[f64]) {
        let width = self.nominal.len();
        let block = &mut self.lanes[slot / LANES * width..][..width];
        for (lanes, &value) in block.iter_mut().zip(record) {
            let lane = &mut lanes[slot % LANES];
            self.odd += usize::from(!value.is_finite());
            self.odd -= usize::from(!lane.is_finite());
            *lane = value;
        }
    }

    /// One more slot, with this record.
    pub fn push(&mut self, record: &[f64]) {
        if self.slots.is_multiple_of(LANES) {
            let lanes = self.lanes.len() + self.nominal.len();
            self.lanes.resize(lanes, [0.0; LANES]);
        }
        self.slots += 1;
        self.set(self.slots - 1, record);
    }

    /// Drops a record; that of the last slot takes its place, and the last slot is gone.
    pub fn swap_remove(&mut self, slot: usize) {
        let width = self.nominal.len();
        let last = self.slots - 1;
        for attribute in 0..width {
            let from = &mut self.lanes[last / LANES * width + attribute][last % LANES];
            let moved = std::mem::take(from);
            let to = &mut self.lanes[slot / LANES * width + attribute][slot % LANES];
            // The last record leaves by moving onto itself: then it is what is dropped.
            let dropped = match slot == last {
                true => moved,
                false => std::mem::replace(to, moved),
            };
            self.odd -= usize::from(!dropped.is_finite());
        }
        self.slots = last;
        self.lanes.truncate(last.div_ceil(LANES) * width);
    }

    /// A value of the record in a slot.
    #[inline]
    pub fn value(&self, slot: usize, attribute: usize) -> f64 {
        self.lanes[slot / LANES * self.nominal.len() + attribute][slot % LANES]
    }

    /// Puts the mean of each attribute over the records where it is present into
    /// `means`; missing where it is in none.
    pub fn means(&self, means: &mut [f64]) {
        let width = self.nominal.len();
        for (attribute, mean) in means.iter_mut().enumerate() {
            let mut sums = [0.0; LANES];
            let mut missing = 0;
            for lanes in self.lanes.iter().skip(attribute).step_by(width) {
                for (sum, &value) in sums.iter_mut().zip(lanes) {
                    *sum += if value.is_nan() { 0.0 } else { value };
                }
                if self.odd > 0 {
                    missing += lanes.iter().filter(|value| value.is_nan()).count();
                }
            }
            *mean = sums.iter().sum::<f64>() / (self.slots - missing) as f64;
        }
    }

    /// Puts the squared distance of each slot's record to `target` into `distances`.
    pub fn squared_distances(&self, target: &[f64], distances: &mut Vec<f64>) {
        distances.clear();
        if self.nominal.is_empty() {
            distances.resize(self.slots, 0.0);
            return;
        }
        let (plain, equal) = (self.is_plain(target), self.is_equal());
        distances.reserve(self.slots.next_multiple_of(LANES));
        for block in self.lanes.chunks_exact(self.nominal.len()) {
            let sums = match (plain, equal) {
                (true, true) => numbers(block, target),
                (true, false) => weighted(block, target, &self.weights),
                (false, _) => self.mixed(block, target),
            };
            distances.extend_from_slice(&sums);
        }
        distances.truncate(self.slots);
    }

    /// How many of the first `filled` slots are at the distance from `target` whose
    /// square is `squared`; none when one is nearer.
    ///
    /// Distances are equal when their roots are the same double. Sums only grow, so
    /// a block is left as soon as all its sums are too large.
    pub fn ties(&self, filled: usize, target: &[f64], squared: f64) -> Option<usize> {
        match (self.is_plain(target), self.is_equal()) {
            (true, true) => self.ties_of(filled, squared, |block, most| {
                sums_within(block, most, |sums, from, block| {
                    add_numbers(sums, block, &target[from..]);
                })
            }),
            (true, false) => self.ties_of(filled, squared, |block, most| {
                sums_within(block, most, |sums, from, block| {
                    add_weighted(sums, block, &target[from..], &self.weights[from..]);
                })
            }),
            (false, _) => self.ties_of(filled, squared, |block, _| Some(self.mixed(block, target))),
        }
    }

    /// Ties among sums that `sums` gives for a block, or none when all are above a bound.
    #[inline]
    fn ties_of(
        &self,
        filled: usize,
        squared: f64,
        sums: impl Fn(&[[f64; LANES]], f64) -> Option<[f64; LANES]>,
    ) -> Option<usize> {
        if self.nominal.is_empty() {
            return (squared <= 0.0).then_some(filled);
        }
        let nearness = Nearness::new(squared);
        let mut ties = 0;
        let mut left = filled.min(self.slots);
        for block in self.lanes.chunks_exact(self.nominal.len()) {
            let lanes = left.min(LANES);
            let sums = sums(block, nearness.high);
            for &sum in sums.iter().flat_map(|sums| &sums[..lanes]) {
                match nearness.compare(sum) {
                    Ordering::Less => return None,
                    Ordering::Equal => ties += 1,
                    Ordering::Greater => {}
                }
            }
            left -= lanes;
            if left == 0 {
                break;
            }
        }
        Some(ties)
    }

    /// Puts into `patterns`, for each of the first `filled` slots, which of the first
    /// 64 attributes agree with `target`: bit j is set when values j are equal, differ
    /// by at most `tolerances[j]`, or are both missing.
    pub fn agreements(
        &self,
        filled: usize,
        target: &[f64],
        tolerances: &[f64],
        patterns: &mut Vec<u64>,
    ) {
        patterns.clear();
        let width = self.nominal.len();
        if width > 0 {
            let blocks = self.lanes.chunks_exact(width);
            for block in blocks.take(filled.div_ceil(LANES)) {
                patterns.extend_from_slice(&agreement(block, target, tolerances));
            }
        }
        patterns.resize(filled, 0);
    }

    /// Whether differences can be taken without looking at the values.
    fn is_plain(&self, target: &[f64]) -> bool {
        let odd = self.odd > 0 || target.iter().any(|value| !value.is_finite());
        !odd && !self.nominal.contains(&true)
    }

    /// Whether all attributes weigh the same.
    fn is_equal(&self) -> bool {
        self.weights.iter().all(|&weight| weight == 1.0)
    }

    fn mixed(&self, block: &[[f64; LANES]], target: &[f64]) -> [f64; LANES] {
        let mut sums = [0.0; LANES];
        let attributes = self.nominal.iter().zip(&self.weights);
        for ((lanes, &value), (&nominal, &weight)) in block.iter().zip(target).zip(attributes) {
            let pairs = sums.iter_mut().zip(lanes);
            match (nominal, value.is_nan()) {
                // Branches of a lane would keep the eight from being summed at a time.
                (true, false) => pairs.for_each(|(sum, &other)| {
                    *sum += if other == value { 0.0 } else { weight };
                }),
                (false, false) => pairs.for_each(|(sum, &other)| {
                    let difference = other - value;
                    let term = difference * difference * weight;
                    let odd = if other.is_nan() { 1.0 } else { 0.0 };
                    *sum += if difference.is_nan() { odd } else { term };
                }),
                (_, true) => pairs.for_each(|(sum, &other)| {
                    *sum += weighted_difference(value, other, nominal, weight);
                }),
            }
        }
        sums
    }
}

/// Compares squares with one by their roots, which are only taken where they could be equal.
pub(super) struct Nearness {
    squared: f64,
    low: f64,
    high: f64,
}

impl Nearness {
    pub(super) fn new(squared: f64) -> Self {
        Nearness {
            squared,
            low: squared * (1.0 - SLACK),
            high: squared * (1.0 + SLACK),
        }
    }

    /// Whether the root of `sum` is below, at or above that of the square.
    #[inline]
    pub(super) fn compare(&self, sum: f64) -> Ordering {
        if sum < self.low {
            Ordering::Less
        } else if sum <= self.high {
            sum.sqrt().total_cmp(&self.squared.sqrt())
        } else {
            Ordering::Greater
        }
    }
}

fn agreement(block: &[[f64; LANES]], target: &[f64], tolerances: &[f64]) -> [u64; LANES] {
    let mut patterns = [0; LANES];
    let terms = block.iter().zip(target).zip(tolerances).zip(0..64);
    for (((lanes, &value), &tolerance), bit) in terms {
        for (pattern, &other) in patterns.iter_mut().zip(lanes) {
            *pattern |= u64::from(agree(other, value, tolerance)) << bit;
        }
    }
    patterns
}

/// Which of the first 64 attributes of two records agree, as of [`Slots::agreements`].
pub fn agreement_of(a: &[f64], b: &[f64], tolerances: &[f64]) -> u64 {
    let terms = a.iter().zip(b).zip(tolerances).zip(0..64);
    terms.fold(0, |pattern, (((&a, &b), &tolerance), bit)| {
        pattern | u64::from(agree(a, b, tolerance)) << bit
    })
}

#[inline]
fn agree(a: f64, b: f64, tolerance: f64) -> bool {
    let near = (a - b).abs() <= tolerance;
    near | (a == b) | (a.is_nan() & b.is_nan())
}

/// The sums of a block; none when all are above `most`. `add` adds the terms of some
/// attributes, from a first one on.
#[inline]
fn sums_within(
    block: &[[f64; LANES]],
    most: f64,
    add: impl Fn(&mut [f64; LANES], usize, &[[f64; LANES]]),
) -> Option<[f64; LANES]> {
    let mut sums = [0.0; LANES];
    for (part, lanes) in block.chunks(CUT).enumerate() {
        add(&mut sums, part * CUT, lanes);
        let least = |least, &sum| if sum < least { sum } else { least };
        if sums.iter().fold(f64::INFINITY, least) > most {
            return None;
        }
    }
    Some(sums)
}

#[inline]
fn numbers(block: &[[f64; LANES]], target: &[f64]) -> [f64; LANES] {
    let mut sums = [0.0; LANES];
    add_numbers(&mut sums, block, target);
    sums
}

#[inline]
fn weighted(block: &[[f64; LANES]], target: &[f64], weights: &[f64]) -> [f64; LANES] {
    let mut sums = [0.0; LANES];
    add_weighted(&mut sums, block, target, weights);
    sums
}

#[inline]
fn add_numbers(sums: &mut [f64; LANES], block: &[[f64; LANES]], target: &[f64]) {
    for (lanes, &value) in block.iter().zip(target) {
        for (sum, &other) in sums.iter_mut().zip(lanes) {
            let difference = other - value;
            *sum += difference * difference;
        }
    }
}

#[inline]
fn add_weighted(sums: &mut [f64; LANES], block: &[[f64; LANES]], target: &[f64], weights: &[f64]) {
    for ((lanes, &value), &weight) in block.iter().zip(target).zip(weights) {
        for (sum, &other) in sums.iter_mut().zip(lanes) {
            let difference = other - value;
            *sum += difference * difference * weight;
        }
    }
}

/// The term of one attribute in a squared distance.
#[inline]
pub fn squared_difference(a: f64, b: f64, nominal: bool) -> f64 {
    weighted_difference(a, b, nominal, 1.0)
}

#[inline]
fn weighted_difference(a: f64, b: f64, nominal: bool, weight: f64) -> f64 {
    let difference = a - b;
    match nominal {
        true if a == b || a.is_nan() && b.is_nan() => 0.0,
        true => weight,
        false if difference.is_nan() => f64::from(a.is_nan() != b.is_nan()),
        false => difference * difference * weight,
    }
}

/// The squared distance of two records.
pub fn squared_distance(a: &[f64], b: &[f64], nominal: &[bool]) -> f64 {
    let terms = a.iter().zip(b).zip(nominal);
    terms.fold(0.0, |sum, ((&a, &b), &nominal)| {
        sum + squared_difference(a, b, nominal)
    })
}

/// The squared distance of two records, with a weight for each attribute.
pub fn weighted_distance(a: &[f64], b: &[f64], weights: &[f64], nominal: &[bool]) -> f64 {
    let terms = a.iter().zip(b).zip(weights).zip(nominal);
    terms.fold(0.0, |sum, (((&a, &b), &weight), &nominal)| {
        sum + weighted_difference(a, b, nominal, weight)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_value() -> impl Strategy<Value = f64> {
        prop_oneof![
            8 => -1e3..1e3,
            2 => prop::sample::select(vec![0.0, 1.0, 2.0]),
            1 => Just(f64::NAN),
        ]
    }

    fn any_width() -> impl Strategy<Value = (Vec<bool>, Vec<f64>)> {
        let plain = prop::sample::select(vec![0.0, 0.25, 1.0, 2.0]);
        prop_oneof![
            (Just(vec![false; 7]), prop::collection::vec(plain, 7 * 30)),
            (
                prop::collection::vec(any::<bool>(), 7),
                prop::collection::vec(any_value(), 7 * 30)
            ),
        ]
    }

    proptest! {
        #[test]
        fn distances_are_those_of_the_obvious_loop(
            nominal in prop::collection::vec(any::<bool>(), 0..12),
            values in prop::collection::vec(any_value(), 12 * 30),
            slots in 0..29_usize,
        ) {
            let record = |row: usize| &values[row * 12..][..nominal.len()];
            let mut held = Slots::new(slots, &nominal);
            for slot in 0..slots {
                held.set(slot, record(29));
                held.set(slot, record(slot));
            }
            let mut distances = Vec::new();
            held.squared_distances(record(29), &mut distances);
            let expected: Vec<f64> = (0..slots)
                .map(|slot| squared_distance(record(slot), record(29), &nominal))
                .collect();
            prop_assert_eq!(distances, expected);
        }

        #[test]
        fn ties_are_those_of_the_sorted_distances(
            (nominal, values) in any_width(),
            filled in 1..29_usize,
            own in 0..29_usize,
        ) {
            let record = |row: usize| &values[row * 7..][..7];
            let mut held = Slots::new(29, &nominal);
            (0..29).for_each(|slot| held.set(slot, record(slot)));
            let square = |slot: usize| squared_distance(record(slot), record(29), &nominal);
            let own = square(own % filled);
            let roots = || (0..filled).map(|slot| square(slot).sqrt());
            let nearer = roots().any(|root| root < own.sqrt());
            let equal = roots().filter(|root| *root == own.sqrt()).count();
            let found = held.ties(filled, record(29), own);
            prop_assert_eq!(found, (!nearer).then_some(equal));
            let weights = [0.5, 0.0, 1.0, 3.0, 0.1, 0.2, 0.3];
            let square =
                |slot: usize| weighted_distance(record(slot), record(29), &weights, &nominal);
            let least = (0..filled).map(square).fold(f64::INFINITY, f64::min);
            let equal = (0..filled).filter(|&slot| square(slot).sqrt() == least.sqrt()).count();
            held.weigh(&weights);
            let found = held.ties(filled, record(29), least);
            prop_assert_eq!(found, Some(equal));
        }

        #[test]
        fn agreements_are_those_of_each_value(
            (nominal, values) in any_width(),
            filled in 0..29_usize,
        ) {
            let record = |row: usize| &values[row * 7..][..7];
            let mut held = Slots::new(29, &nominal);
            (0..29).for_each(|slot| held.set(slot, record(slot)));
            let tolerances = [0.25, 0.5, 0.0, -1.0, 1.0, f64::NAN, 100.0];
            let mut patterns = Vec::new();
            held.agreements(filled, record(29), &tolerances, &mut patterns);
            prop_assert_eq!(patterns.len(), filled);
            for (slot, pattern) in patterns.into_iter().enumerate() {
                for (bit, (&a, &b)) in record(slot).iter().zip(record(29)).enumerate() {
                    let near = (a - b).abs() <= tolerances[bit] || a == b;
                    let agrees = near || a.is_nan() && b.is_nan();
                    prop_assert_eq!(pattern >> bit & 1 == 1, agrees);
                }
            }
        }

        #[test]
        fn slots_that_come_and_go_are_those_of_a_vector(
            nominal in prop::collection::vec(any::<bool>(), 1..5),
            weights in prop::collection::vec(0.0..4.0_f64, 5),
            steps in prop::collection::vec((any::<bool>(), 0..40_usize, prop::collection::vec(any_value(), 5)), 0..60),
        ) {
            let width = nominal.len();
            let mut slots = Slots::new(0, &nominal);
            slots.weigh(&weights[..width]);
            let mut rows: Vec<&[f64]> = Vec::new();
            for (add, place, record) in &steps {
                let record = &record[..width];
                if *add || rows.is_empty() {
                    slots.push(record);
                    rows.push(record);
                } else {
                    slots.swap_remove(place % rows.len());
                    rows.swap_remove(place % rows.len());
                }
                let mut distances = Vec::new();
                slots.squared_distances(record, &mut distances);
                let distance = |row: &&[f64]| {
                    let pairs = row.iter().zip(record).zip(nominal.iter().zip(&weights));
                    pairs.fold(0.0, |sum, ((&a, &b), (&nominal, &weight))| {
                        sum + weighted_difference(a, b, nominal, weight)
                    })
                };
                prop_assert_eq!(distances, rows.iter().map(distance).collect::<Vec<_>>());
                let mut means = vec![0.0; width];
                slots.means(&mut means);
                for (attribute, mean) in means.into_iter().enumerate() {
                    let present = rows.iter().map(|row| row[attribute]).filter(|v| !v.is_nan());
                    let expected = present.clone().sum::<f64>() / present.count() as f64;
                    prop_assert!((mean - expected).abs() < 1e-9 || mean.is_nan() && expected.is_nan());
                }
            }
        }
    }

    #[test]
    fn squares_with_the_same_root_tie() {
        let (a, b) = (2.0_f64, 2.0_f64.next_up());
        assert_eq!(a.sqrt(), b.sqrt());
        let compare = |sum, squared| Nearness::new(squared).compare(sum);
        assert_eq!(compare(b, a), Ordering::Equal);
        assert_eq!(compare(3.0, a), Ordering::Greater);
        assert_eq!(compare(a, 3.0), Ordering::Less);
    }

    #[test]
    fn a_missing_value_is_far_from_all_but_another_missing_one() {
        let nan = f64::NAN;
        for (a, b, nominal, expected) in [
            (3.0, 1.0, false, 4.0),
            (3.0, 1.0, true, 1.0),
            (3.0, 3.0, true, 0.0),
            (nan, 3.0, false, 1.0),
            (nan, nan, true, 0.0),
            (f64::INFINITY, f64::INFINITY, false, 0.0),
        ] {
            assert_eq!(squared_difference(a, b, nominal), expected, "{a} {b}");
        }
    }
}
