//! Keys in order, equal ones in the order of arrival, with their ranks.
//!
//! The keys lie in short sorted chunks beside a list of where each chunk begins and
//! how many it holds. So a key is found by two binary searches, takes its place by
//! moving less than a chunk, and its rank is a sum over chunks, which are few: nothing
//! is ever sorted, and the time grows with the logarithm of the number of keys as
//! long as that is below some ten thousands.

/// Keys of a chunk at most; a full one is split, and two that are together half full
/// are united.
const CHUNK: usize = 64;

/// Keys in order, each with the place it belongs to.
pub(super) struct Order {
    chunks: Vec<Chunk>,
    /// The chunks in order; there is always one.
    directory: Vec<usize>,
    /// No key of a chunk is smaller, none of the chunk before larger. The first is
    /// never asked.
    starts: Vec<f64>,
    counts: Vec<usize>,
    free: Vec<usize>,
    len: usize,
}

struct Chunk {
    keys: [f64; CHUNK],
    places: [u32; CHUNK],
}

const EMPTY: Chunk = Chunk {
    keys: [0.0; CHUNK],
    places: [0; CHUNK],
};

impl Order {
    pub(super) fn new() -> Self {
        Order {
            chunks: vec![EMPTY],
            directory: vec![0],
            starts: vec![f64::NEG_INFINITY],
            counts: vec![0],
            free: Vec::new(),
            len: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Puts a key behind all that are not larger. It is a number.
    pub(super) fn insert(&mut self, key: f64, place: u32) {
        let mut at = self.starts[1..].partition_point(|&start| start <= key);
        if self.counts[at] == CHUNK {
            self.split(at);
            at += usize::from(self.starts[at + 1] <= key);
        }
        let count = self.counts[at];
        let chunk = &mut self.chunks[self.directory[at]];
        let index = chunk.keys[..count].partition_point(|&other| other <= key);
        chunk.keys.copy_within(index..count, index + 1);
        chunk.places.copy_within(index..count, index + 1);
        chunk.keys[index] = key;
        chunk.places[index] = place;
        self.counts[at] += 1;
        self.len += 1;
    }

    /// How many keys are smaller.
    pub(super) fn rank(&self, key: f64) -> usize {
        let at = self.starts[1..].partition_point(|&start| start < key);
        let before: usize = self.counts[..at].iter().sum();
        let chunk = &self.chunks[self.directory[at]];
        before + chunk.keys[..self.counts[at]].partition_point(|&other| other < key)
    }

    /// Takes the key of a rank out and gives its place.
    pub(super) fn take(&mut self, rank: usize) -> u32 {
        let (mut at, mut index) = (0, rank);
        while index >= self.counts[at] {
            index -= self.counts[at];
            at += 1;
        }
        let count = self.counts[at];
        let chunk = &mut self.chunks[self.directory[at]];
        let place = chunk.places[index];
        chunk.keys.copy_within(index + 1..count, index);
        chunk.places.copy_within(index + 1..count, index);
        self.counts[at] -= 1;
        self.len -= 1;
        if at + 1 < self.counts.len() && self.counts[at] + self.counts[at + 1] <= CHUNK / 2 {
            self.unite(at);
        } else if at > 0 && self.counts[at - 1] + self.counts[at] <= CHUNK / 2 {
            self.unite(at - 1);
        }
        place
    }

    /// Moves the upper half of a full chunk into a new one behind it.
    fn split(&mut self, at: usize) {
        let new = self.free.pop().unwrap_or_else(|| {
            self.chunks.push(EMPTY);
            self.chunks.len() - 1
        });
        let [old, upper] = self
            .chunks
            .get_disjoint_mut([self.directory[at], new])
            .expect("a new chunk is another one");
        let half = CHUNK / 2;
        upper.keys[..half].copy_from_slice(&old.keys[half..]);
        upper.places[..half].copy_from_slice(&old.places[half..]);
        self.directory.insert(at + 1, new);
        self.starts.insert(at + 1, upper.keys[0]);
        self.counts[at] = half;
        self.counts.insert(at + 1, half);
    }

    /// Moves the keys of the next chunk into this one.
    fn unite(&mut self, at: usize) {
        let next = self.directory.remove(at + 1);
        self.starts.remove(at + 1);
        let more = self.counts.remove(at + 1);
        let count = self.counts[at];
        let [chunk, gone] = self
            .chunks
            .get_disjoint_mut([self.directory[at], next])
            .expect("each chunk is listed once");
        chunk.keys[count..count + more].copy_from_slice(&gone.keys[..more]);
        chunk.places[count..count + more].copy_from_slice(&gone.places[..more]);
        self.counts[at] += more;
        self.free.push(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn it_is_a_sorted_list_with_ties_in_order_of_arrival(
            steps in prop::collection::vec((0..40_u8, any::<prop::sample::Index>()), 0..1500),
            spread in prop::sample::select(vec![1_u8, 3, 40]),
            share in 1..4_u8,
        ) {
            let mut order = Order::new();
            let mut list: Vec<(u8, u32)> = Vec::new();
            for (time, (number, index)) in steps.into_iter().enumerate() {
                // Grows for a while, then shrinks, in waves.
                let grow = (time / 300) % 2 == 0 && number % 4 < share + 1 || number % 4 == 0;
                let key = number % spread;
                if grow || list.is_empty() {
                    let place = list.partition_point(|&(other, _)| other <= key);
                    list.insert(place, (key, time as u32));
                    order.insert(f64::from(key), time as u32);
                } else {
                    let rank = index.index(list.len());
                    prop_assert_eq!(order.take(rank), list.remove(rank).1);
                }
                let smaller = list.iter().filter(|&&(other, _)| other < key).count();
                prop_assert_eq!(order.rank(f64::from(key)), smaller);
                prop_assert_eq!(order.len(), list.len());
                prop_assert!(order.counts.len() <= 1 + list.len() / (CHUNK / 4) + 1);
            }
            for (_, place) in list {
                prop_assert_eq!(order.take(0), place);
            }
        }
    }
}
