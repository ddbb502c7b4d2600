//! ADWIN: a window as long as its mean did not change.
//!
//! The window is cut where the means of its older and newer part differ by more
//! than ε = √(2/m σ² ln(2 ln(n)/δ)) + 2/(3m) ln(2 ln(n)/δ), 1/m being the sum of the
//! inverse lengths of both parts. An exponential histogram holds it: buckets of 1, 2,
//! 4, … values, at most five of a size, so memory is O(log n), and a value costs O(1)
//! but every 32nd, which looks for a cut in O(log n). A drift can go either way;
//! compare [`Adwin::mean`] before and after. A. Bifet, R. Gavaldà, "Learning from
//! Time-Changing Data with Adaptive Windowing", SDM 2007; as in MOA, of which it gives
//! the same windows.

use std::collections::VecDeque;

/// Buckets of one size before the two oldest are merged.
const BUCKETS: usize = 5;
/// Values between two looks for a cut.
const CLOCK: u64 = 32;
/// A window this short is not looked at.
const SHORTEST_WINDOW: u64 = 10;
/// A part this short is not compared.
const SHORTEST_PART: u64 = 5;
/// Rows of a window of 2^53 values, more than are ever counted.
pub const MOST_ROWS: usize = 52;

/// The window.
#[derive(Clone, Debug)]
pub struct Adwin {
    delta: f64,
    time: u64,
    width: u64,
    total: f64,
    /// Sum of squared differences from the mean.
    variance: f64,
    /// Row i has buckets of 2^i values, the oldest first.
    rows: Vec<VecDeque<Bucket>>,
}

/// Neighbouring values of the window, as their sum and their squared differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    /// Their sum.
    pub total: f64,
    /// The sum of their squared differences from their mean.
    pub variance: f64,
}

/// All that a window remembers besides δ, for whoever saves it.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    /// How many values it was shown.
    pub time: u64,
    /// The sum of its values.
    pub total: f64,
    /// The sum of their squared differences from the mean.
    pub variance: f64,
    /// Row i has buckets of 2^i values, the oldest first.
    pub rows: Vec<VecDeque<Bucket>>,
}

impl Adwin {
    /// An empty window; `delta` bounds the probability of a false alarm, so that a
    /// greater one cuts sooner.
    pub fn new(delta: f64) -> Self {
        Adwin {
            delta,
            time: 0,
            width: 0,
            total: 0.0,
            variance: 0.0,
            rows: vec![VecDeque::new()],
        }
    }

    /// How many values are in the window.
    pub fn width(&self) -> u64 {
        self.width
    }

    /// The mean of the values in the window, or 0 if there is none.
    pub fn mean(&self) -> f64 {
        match self.width {
            0 => 0.0,
            width => self.total / width as f64,
        }
    }

    /// All that it remembers.
    pub fn parts(&self) -> Parts {
        Parts {
            time: self.time,
            total: self.total,
            variance: self.variance,
            rows: self.rows.clone(),
        }
    }

    /// The window of which these are the parts.
    ///
    /// # Errors
    /// What is odd about them: rows are as full as merging leaves them, so that the last always
    /// has a bucket to drop.
    pub fn from_parts(delta: f64, parts: Parts) -> Result<Self, &'static str> {
        let rows = parts.rows.len();
        if !(1..=MOST_ROWS).contains(&rows) {
            return Err("a window without an end");
        }
        let mut width = 0;
        for (row, buckets) in parts.rows.iter().enumerate() {
            let least = match row + 1 < rows {
                true => BUCKETS - 1,
                false => usize::from(rows > 1),
            };
            if !(least..=BUCKETS).contains(&buckets.len()) {
                return Err("a window with a hole");
            }
            width += buckets.len() as u64 * bucket_size(row);
        }
        if width > parts.time {
            return Err("a window that is longer than its stream");
        }
        Ok(Adwin {
            delta,
            time: parts.time,
            width,
            total: parts.total,
            variance: parts.variance,
            rows: parts.rows,
        })
    }

    /// Takes a value and says whether older ones were dropped.
    pub fn add(&mut self, value: f64) -> bool {
        if !value.is_finite() {
            return false;
        }
        self.time += 1;
        self.insert(value);
        self.merge();
        let due = self.time.is_multiple_of(CLOCK) && self.width > SHORTEST_WINDOW;
        due && self.shrink()
    }

    /// Bytes that it occupies.
    pub fn bytes(&self) -> usize {
        let row = |row: &VecDeque<Bucket>| {
            size_of::<VecDeque<Bucket>>() + row.capacity() * size_of::<Bucket>()
        };
        size_of::<Self>() + self.rows.iter().map(row).sum::<usize>()
    }

    /// Bytes that a window of up to 2^32 values occupies at most.
    pub const fn most_memory() -> usize {
        let row = BUCKETS.next_power_of_two() * size_of::<Bucket>();
        size_of::<Self>() + 30 * row + 32 * size_of::<VecDeque<Bucket>>()
    }

    fn insert(&mut self, value: f64) {
        let width = self.width as f64;
        if self.width > 0 {
            let difference = value - self.total / width;
            self.variance += width * difference * difference / (width + 1.0);
        }
        self.width += 1;
        self.total += value;
        self.rows[0].push_back(Bucket {
            total: value,
            variance: 0.0,
        });
    }

    fn merge(&mut self) {
        for row in 0..64 {
            if self.rows[row].len() <= BUCKETS {
                return;
            }
            if row + 1 == self.rows.len() {
                self.rows.push(VecDeque::new());
            }
            let older = self.rows[row].pop_front().expect("more than five buckets");
            let newer = self.rows[row].pop_front().expect("more than four buckets");
            let size = bucket_size(row) as f64;
            let difference = (older.total - newer.total) / size;
            self.rows[row + 1].push_back(Bucket {
                total: older.total + newer.total,
                variance: older.variance + newer.variance + size / 2.0 * difference * difference,
            });
        }
    }

    /// Drops the oldest buckets one by one while some cut is justified.
    fn shrink(&mut self) -> bool {
        let mut shrunk = false;
        while self.has_cut() {
            self.drop_oldest();
            shrunk = true;
        }
        shrunk
    }

    /// Whether two parts of the window differ too much.
    fn has_cut(&self) -> bool {
        let spread = (2.0 * (self.width as f64).ln() / self.delta).ln();
        let variance = self.variance / self.width as f64;
        let (mut older, mut older_total) = (0, 0.0);
        for (row, buckets) in self.rows.iter().enumerate().rev() {
            for bucket in buckets {
                older += bucket_size(row);
                older_total += bucket.total;
                let newer = self.width - older;
                if newer <= SHORTEST_PART + 1 {
                    return false;
                }
                if older <= SHORTEST_PART + 1 {
                    continue;
                }
                let newer_total = self.total - older_total;
                let difference = older_total / older as f64 - newer_total / newer as f64;
                let inverse = 1.0 / (older - SHORTEST_PART + 1) as f64
                    + 1.0 / (newer - SHORTEST_PART + 1) as f64;
                let epsilon =
                    (2.0 * inverse * variance * spread).sqrt() + 2.0 / 3.0 * spread * inverse;
                if difference.abs() > epsilon {
                    return true;
                }
            }
        }
        false
    }

    fn drop_oldest(&mut self) {
        let row = self.rows.len() - 1;
        let bucket = self.rows[row].pop_front().expect("the last row has some");
        let size = bucket_size(row) as f64;
        self.width -= bucket_size(row);
        self.total -= bucket.total;
        let width = self.width as f64;
        let difference = bucket.total / size - self.total / width;
        self.variance -= bucket.variance + size * width * difference * difference / (size + width);
        if self.rows[row].is_empty() && row > 0 {
            self.rows.pop();
        }
    }
}

impl Default for Adwin {
    /// With δ = 0.002.
    fn default() -> Self {
        Adwin::new(0.002)
    }
}

fn bucket_size(row: usize) -> u64 {
    1 << row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::java_random::JavaRandom;
    use proptest::prelude::*;

    /// The same rule on a window that keeps every value, with the sizes of buckets beside it.
    #[derive(Default)]
    struct Slow {
        values: Vec<f64>,
        sizes: Vec<usize>,
        time: usize,
    }

    impl Slow {
        fn add(&mut self, value: f64, delta: f64) -> bool {
            self.values.push(value);
            self.sizes.push(1);
            self.time += 1;
            self.merge();
            let before = self.values.len();
            while self.time.is_multiple_of(32) && self.values.len() > 6 && self.has_cut(delta) {
                let size = self.sizes.remove(0);
                self.values.drain(..size);
            }
            self.values.len() < before
        }

        fn merge(&mut self) {
            for exponent in 0..20 {
                let of_size = |size: &&usize| **size == 1 << exponent;
                if self.sizes.iter().filter(of_size).count() > BUCKETS {
                    let first = self.sizes.iter().position(|&size| size == 1 << exponent);
                    let first = first.expect("six of them");
                    self.sizes.remove(first);
                    self.sizes[first] *= 2;
                }
            }
        }

        fn has_cut(&self, delta: f64) -> bool {
            let n = self.values.len() as f64;
            let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
            let center = mean(&self.values);
            let squares = self.values.iter().map(|value| (value - center).powi(2));
            let variance = squares.sum::<f64>() / n;
            let spread = (2.0 * n.ln() / delta).ln();
            let mut cut = 0;
            self.sizes.iter().any(|size| {
                cut += size;
                let (older, newer) = self.values.split_at(cut);
                if older.len() < 7 || newer.len() < 7 {
                    return false;
                }
                let inverse = 1.0 / (older.len() - 4) as f64 + 1.0 / (newer.len() - 4) as f64;
                let bound =
                    (2.0 * inverse * variance * spread).sqrt() + 2.0 / 3.0 * spread * inverse;
                (mean(older) - mean(newer)).abs() > bound
            })
        }
    }

    fn check(values: &[f64], delta: f64) -> usize {
        let (mut fast, mut slow) = (Adwin::new(delta), Slow::default());
        let mut drifts = 0;
        for (at, &value) in values.iter().enumerate() {
            let dropped = fast.add(value);
            assert_eq!(dropped, slow.add(value, delta), "after value {at}");
            assert_eq!(fast.width(), slow.values.len() as u64);
            let mean = slow.values.iter().sum::<f64>() / slow.values.len() as f64;
            assert!((fast.mean() - mean).abs() < 1e-9, "after value {at}");
            drifts += usize::from(dropped);
        }
        drifts
    }

    #[test]
    fn windows_are_those_of_a_window_that_keeps_every_value() {
        let mut random = JavaRandom::new(1);
        let mut stream = |length: usize, level: f64| -> Vec<f64> {
            let value = |_| f64::from(random.next_double() < level);
            (0..length).map(value).collect()
        };
        let stream = [stream(700, 0.2), stream(700, 0.7), stream(600, 0.3)].concat();
        assert!(check(&stream, 0.002) >= 2);
        assert!(check(&stream, 0.3) >= 2);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn any_stream_gives_the_same_windows(
            levels in prop::collection::vec((0.0f64..1.0, 20usize..150), 1..4),
            seed in 0i64..1000,
            delta in 0.001f64..0.5,
        ) {
            let mut random = JavaRandom::new(seed);
            let mut values = Vec::new();
            for (level, length) in levels {
                values.extend((0..length).map(|_| level + 0.3 * random.next_double()));
            }
            check(&values, delta);
        }
    }

    #[test]
    fn a_constant_stream_keeps_its_window() {
        let mut adwin = Adwin::default();
        assert!((0..10_000).all(|_| !adwin.add(0.25)));
        assert_eq!((adwin.width(), adwin.mean()), (10_000, 0.25));
        assert_eq!(Adwin::default().mean(), 0.0);
    }

    #[test]
    fn a_window_goes_on_from_its_parts_and_odd_parts_are_refused() {
        let mut window = Adwin::default();
        let mut random = JavaRandom::new(3);
        for _ in 0..1000 {
            window.add(random.next_double());
        }
        let parts = window.parts();
        let mut again = Adwin::from_parts(0.002, parts.clone()).expect("its own parts");
        for value in 0..1000 {
            assert_eq!(window.add(f64::from(value)), again.add(f64::from(value)));
        }
        assert_eq!(window.parts(), again.parts());

        let refused = |change: fn(&mut Parts)| {
            let mut parts = parts.clone();
            change(&mut parts);
            Adwin::from_parts(0.002, parts).expect_err("odd")
        };
        let endless = "a window without an end";
        assert_eq!(refused(|parts| parts.rows.clear()), endless);
        let many = |parts: &mut Parts| parts.rows = vec![parts.rows[0].clone(); MOST_ROWS + 1];
        assert_eq!(refused(many), endless);
        let hole = "a window with a hole";
        assert_eq!(refused(|parts| parts.rows[0].clear()), hole);
        assert_eq!(refused(|parts| parts.rows.push(VecDeque::new())), hole);
        let more = |parts: &mut Parts| parts.rows[0] = vec![parts.rows[1][0]; 6].into();
        assert_eq!(refused(more), hole);
        let longer = "a window that is longer than its stream";
        assert_eq!(refused(|parts| parts.time = 9), longer);
    }
}
