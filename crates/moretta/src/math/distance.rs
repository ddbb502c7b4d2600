//! Squared Euclidean distances from one record to many at once.
//!
//! Records lie in blocks of eight, attribute by attribute, so that the distances
//! of a block are summed in registers, eight at a time. The terms of each distance
//! are added in the order of the attributes, so the result is, bit for bit, that
//! of the obvious loop. Nominal values differ by 1 or 0; of missing values (NaN)
//! two are equal, and one is at distance 1 from any value.

/// Records side by side.
const LANES: usize = 8;

/// Records in numbered slots, to measure distances to.
#[derive(Clone, Debug)]
pub struct Slots {
    nominal: Box<[bool]>,
    slots: usize,
    /// Block by block, in it attribute by attribute.
    lanes: Vec<[f64; LANES]>,
    /// Whether a missing value was ever put in.
    missing: bool,
}

impl Slots {
    /// So many slots for records whose attributes are nominal or not.
    pub fn new(slots: usize, nominal: &[bool]) -> Self {
        Slots {
            nominal: nominal.into(),
            slots,
            lanes: vec![[0.0; LANES]; slots.div_ceil(LANES) * nominal.len()],
            missing: false,
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

    /// Puts a record into a slot.
    #[inline]
    pub fn set(&mut self, slot: usize, record: &[f64]) {
        let width = self.nominal.len();
        let block = &mut self.lanes[slot / LANES * width..][..width];
        for (lanes, &value) in block.iter_mut().zip(record) {
            lanes[slot % LANES] = value;
            self.missing |= value.is_nan();
        }
    }

    /// A value of the record in a slot.
    #[inline]
    pub fn value(&self, slot: usize, attribute: usize) -> f64 {
        self.lanes[slot / LANES * self.nominal.len() + attribute][slot % LANES]
    }

    /// Puts the squared distance of each slot's record to `target` into `distances`.
    pub fn squared_distances(&self, target: &[f64], distances: &mut Vec<f64>) {
        distances.clear();
        if self.nominal.is_empty() {
            distances.resize(self.slots, 0.0);
            return;
        }
        let missing = self.missing || target.iter().any(|value| value.is_nan());
        let plain = !missing && !self.nominal.contains(&true);
        for block in self.lanes.chunks_exact(self.nominal.len()) {
            let sums = match plain {
                true => numbers(block, target),
                false => mixed(block, target, &self.nominal),
            };
            distances.extend_from_slice(&sums);
        }
        distances.truncate(self.slots);
    }
}

#[inline]
fn numbers(block: &[[f64; LANES]], target: &[f64]) -> [f64; LANES] {
    let mut sums = [0.0; LANES];
    for (lanes, &value) in block.iter().zip(target) {
        for (sum, &other) in sums.iter_mut().zip(lanes) {
            let difference = other - value;
            *sum += difference * difference;
        }
    }
    sums
}

fn mixed(block: &[[f64; LANES]], target: &[f64], nominal: &[bool]) -> [f64; LANES] {
    let mut sums = [0.0; LANES];
    for ((lanes, &value), &nominal) in block.iter().zip(target).zip(nominal) {
        for (sum, &other) in sums.iter_mut().zip(lanes) {
            *sum += squared_difference(value, other, nominal);
        }
    }
    sums
}

/// The term of one attribute in a squared distance.
#[inline]
pub fn squared_difference(a: f64, b: f64, nominal: bool) -> f64 {
    let difference = a - b;
    if difference.is_nan() {
        f64::from(a.is_nan() != b.is_nan())
    } else if nominal {
        f64::from(a != b)
    } else {
        difference * difference
    }
}

/// The squared distance of two records.
pub fn squared_distance(a: &[f64], b: &[f64], nominal: &[bool]) -> f64 {
    let terms = a.iter().zip(b).zip(nominal);
    terms.fold(0.0, |sum, ((&a, &b), &nominal)| {
        sum + squared_difference(a, b, nominal)
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
