//! Keys in order, equal ones in the order of arrival, with their ranks.
//!
//! The keys lie in short sorted chunks, listed in a directory with what each begins
//! with and how many it holds. A key is found by a binary search for its chunk and one
//! pass over it, takes its place by moving less than a chunk, and its rank is a sum over
//! the directory. So nothing is ever sorted; up to some thousand keys the time grows
//! like their logarithm, and the directory is short enough not to be felt.

/// Keys of a chunk at most; a full one is split, and two that together are half full
/// are united.
const CHUNK: usize = 64;

/// Keys that are compared at once.
const LANES: usize = 8;

/// Keys in order, each with the place it belongs to.
pub(super) struct Order {
    chunks: Vec<Chunk>,
    /// The chunks in order; there is always one.
    directory: Vec<Entry>,
    /// Chunks that are not in the directory.
    free: Vec<usize>,
    len: usize,
}

struct Entry {
    /// No key of the chunk is smaller, none of the chunk before larger. That of the
    /// first is never asked.
    start: f64,
    chunk: usize,
    count: usize,
}

struct Chunk {
    /// Infinite beyond the last.
    keys: [f64; CHUNK],
    places: [u32; CHUNK],
}

const EMPTY: Chunk = Chunk {
    keys: [f64::INFINITY; CHUNK],
    places: [0; CHUNK],
};

impl Chunk {
    /// How many of the first `count` keys a condition holds for, which holds for none
    /// behind one for which it does not. Comparing all is faster than to search.
    #[inline]
    fn count(&self, count: usize, holds: impl Fn(f64) -> bool) -> usize {
        let blocks = self.keys[..count.next_multiple_of(LANES)].chunks_exact(LANES);
        let in_block = |block: &[f64]| block.iter().map(|&key| u64::from(holds(key))).sum::<u64>();
        (blocks.map(in_block).sum::<u64>() as usize).min(count)
    }

    fn insert(&mut self, index: usize, count: usize, key: f64, place: u32) {
        self.keys.copy_within(index..count, index + 1);
        self.places.copy_within(index..count, index + 1);
        self.keys[index] = key;
        self.places[index] = place;
    }

    fn remove(&mut self, index: usize, count: usize) -> u32 {
        let place = self.places[index];
        self.keys.copy_within(index + 1..count, index);
        self.places.copy_within(index + 1..count, index);
        self.keys[count - 1] = f64::INFINITY;
        place
    }

    /// Moves `count` keys of another chunk, from `from` on, to `to`.
    fn append(&mut self, to: usize, other: &mut Chunk, from: usize, count: usize) {
        let keys = &mut other.keys[from..from + count];
        self.keys[to..to + count].copy_from_slice(keys);
        keys.fill(f64::INFINITY);
        self.places[to..to + count].copy_from_slice(&other.places[from..from + count]);
    }
}

impl Order {
    pub(super) fn new() -> Self {
        Order {
            chunks: vec![EMPTY],
            directory: vec![Entry {
                start: f64::NEG_INFINITY,
                chunk: 0,
                count: 0,
            }],
            free: Vec::new(),
            len: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Puts a key, which is finite, behind all that are not larger.
    pub(super) fn insert(&mut self, key: f64, place: u32) {
        let mut at = self.directory[1..].partition_point(|entry| entry.start <= key);
        if self.directory[at].count == CHUNK {
            self.split(at);
            at += usize::from(self.directory[at + 1].start <= key);
        }
        let entry = &mut self.directory[at];
        let chunk = &mut self.chunks[entry.chunk];
        let index = chunk.count(entry.count, |other| other <= key);
        chunk.insert(index, entry.count, key, place);
        entry.count += 1;
        self.len += 1;
    }

    /// How many keys are smaller.
    pub(super) fn rank(&self, key: f64) -> usize {
        let at = self.directory[1..].partition_point(|entry| entry.start < key);
        let (before, from) = self.directory.split_at(at);
        let smaller = self.chunks[from[0].chunk].count(from[0].count, |other| other < key);
        before.iter().map(|entry| entry.count).sum::<usize>() + smaller
    }

    /// Takes the key of a rank out and gives its place.
    pub(super) fn take(&mut self, rank: usize) -> u32 {
        let (mut at, mut index) = (0, rank);
        while index >= self.directory[at].count {
            index -= self.directory[at].count;
            at += 1;
        }
        let entry = &mut self.directory[at];
        let place = self.chunks[entry.chunk].remove(index, entry.count);
        entry.count -= 1;
        self.len -= 1;
        self.thin(at);
        place
    }

    /// Moves the upper half of a full chunk into a new one behind it.
    fn split(&mut self, at: usize) {
        let chunk = self.free.pop().unwrap_or_else(|| {
            self.chunks.push(EMPTY);
            self.chunks.len() - 1
        });
        let half = CHUNK / 2;
        let [lower, upper] = self
            .chunks
            .get_disjoint_mut([self.directory[at].chunk, chunk])
            .expect("a free chunk is another one");
        upper.append(0, lower, half, half);
        self.directory[at].count = half;
        let entry = Entry {
            start: upper.keys[0],
            chunk,
            count: half,
        };
        self.directory.insert(at + 1, entry);
    }

    /// Unites a chunk with a neighbour if both have few keys.
    fn thin(&mut self, at: usize) {
        let few = |pair: &[Entry]| pair[0].count + pair[1].count <= CHUNK / 2;
        if self.directory.get(at..at + 2).is_some_and(few) {
            self.unite(at);
        } else if at > 0 && few(&self.directory[at - 1..=at]) {
            self.unite(at - 1);
        }
    }

    /// Moves the keys of the next chunk into this one.
    fn unite(&mut self, at: usize) {
        let next = self.directory.remove(at + 1);
        let entry = &mut self.directory[at];
        let [chunk, gone] = self
            .chunks
            .get_disjoint_mut([entry.chunk, next.chunk])
            .expect("each chunk is listed once");
        chunk.append(entry.count, gone, 0, next.count);
        entry.count += next.count;
        self.free.push(next.chunk);
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
                prop_assert!(order.directory.len() <= 1 + list.len() / (CHUNK / 4) + 1);
            }
            for (_, place) in list {
                prop_assert_eq!(order.take(0), place);
            }
        }
    }
}
