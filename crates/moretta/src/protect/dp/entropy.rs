//! Random bits for privacy: from the operating system, and from nowhere else.
//!
//! Noise that can be replayed is no noise: who knows the seed subtracts it. So
//! [`Entropy`] has one constructor, which asks the operating system, and no
//! sampler takes anything else; a policy's `seed` has no way in. Bytes are
//! fetched 4 KiB at a time, because a call to the system for each sample would
//! cost more than the sample. Tests, and only they, can be given fixed bits.

use crate::error::{Error, Result};

const BUFFER: usize = 4096;

/// A supply of unpredictable bits.
pub struct Entropy {
    bytes: Box<[u8; BUFFER]>,
    next: usize,
    source: Source,
}

enum Source {
    OperatingSystem,
    #[cfg(test)]
    Fixed(rand_xoshiro::Xoshiro256PlusPlus),
}

impl Entropy {
    /// Bits of the operating system's generator.
    pub fn os() -> Result<Self> {
        let mut bytes = Box::new([0; BUFFER]);
        getrandom::fill(&mut bytes[..])
            .map_err(|_| Error::bug("the operating system gives no random bytes"))?;
        Ok(Entropy {
            bytes,
            next: 0,
            source: Source::OperatingSystem,
        })
    }

    /// The same bits each time, so that a test never fails by chance.
    #[cfg(test)]
    pub(crate) fn fixed(seed: u64) -> Self {
        use rand_xoshiro::rand_core::SeedableRng;
        Entropy {
            bytes: Box::new([0; BUFFER]),
            next: BUFFER,
            source: Source::Fixed(SeedableRng::seed_from_u64(seed)),
        }
    }

    /// The next `n` bytes, at most 4096; each is given once.
    #[inline]
    pub(super) fn bytes(&mut self, n: usize) -> &[u8] {
        if BUFFER - self.next < n {
            self.refill();
        }
        self.next += n;
        &self.bytes[self.next - n..self.next]
    }

    #[cold]
    fn refill(&mut self) {
        self.next = 0;
        match &mut self.source {
            Source::OperatingSystem => getrandom::fill(&mut self.bytes[..])
                .expect("the system's generator, once it has given bytes, goes on giving them"),
            #[cfg(test)]
            Source::Fixed(generator) => {
                use rand_xoshiro::rand_core::Rng;
                generator.fill_bytes(&mut self.bytes[..]);
            }
        }
    }

    /// 32 bits.
    #[inline]
    pub fn next_u32(&mut self) -> u32 {
        u32::from_le_bytes(self.bytes(4).try_into().expect("four bytes"))
    }

    /// 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        u64::from_le_bytes(self.bytes(8).try_into().expect("eight bytes"))
    }

    /// 128 bits.
    #[inline]
    pub fn next_u128(&mut self) -> u128 {
        u128::from_le_bytes(self.bytes(16).try_into().expect("sixteen bytes"))
    }

    /// One of 0, 1, …, n − 1, each with the same probability; n must not be 0.
    ///
    /// Lemire, Fast random integer generation in an interval, 2019: the high
    /// half of a product, with the few products rejected that would be one too many.
    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        debug_assert!(n > 0);
        if n <= 1 << 12 {
            return self.below_small(n);
        }
        loop {
            let product = u64::from(self.next_u32()) * u64::from(n);
            let low = product as u32;
            if low >= n || low >= n.wrapping_neg() % n {
                return (product >> 32) as u32;
            }
        }
    }

    /// The same with half the bits.
    #[inline]
    fn below_small(&mut self, n: u32) -> u32 {
        loop {
            let bits = u16::from_le_bytes(self.bytes(2).try_into().expect("two bytes"));
            let product = u32::from(bits) * n;
            let low = product & 0xFFFF;
            if low >= n || low >= (0x1_0000 - n) % n {
                return product >> 16;
            }
        }
    }

    /// As [`Entropy::below`] for large n, by rejecting numbers of as many bits as n − 1 has.
    #[inline]
    pub fn below_wide(&mut self, n: u128) -> u128 {
        debug_assert!(n > 0);
        let spare = ((n - 1) | 1).leading_zeros();
        loop {
            let number = if spare >= 64 {
                u128::from(self.next_u64() >> (spare - 64))
            } else {
                self.next_u128() >> spare
            };
            if number < n {
                return number;
            }
        }
    }

    /// Puts `items` into an order drawn from all orders alike.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u32 + 1);
            items.swap(last, other as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protect::dp::acceptance::{accepts, rejects, tally};

    fn uniform(n: usize) -> Vec<f64> {
        vec![1.0 / n as f64; n]
    }

    #[test]
    fn numbers_below_n_are_uniform() {
        let mut entropy = Entropy::fixed(1);
        for n in [1, 2, 3, 7, 100, 5000] {
            let counts = tally(n, 100_000, || entropy.below(n as u32) as usize);
            accepts(&counts, &uniform(n));
            let counts = tally(n, 100_000, || entropy.below_wide(n as u128) as usize);
            accepts(&counts, &uniform(n));
        }
    }

    #[test]
    fn a_biased_remainder_and_a_range_off_by_one_are_rejected() {
        let mut entropy = Entropy::fixed(2);
        let counts = tally(7, 100_000, || entropy.bytes(1)[0] as usize % 16 % 7);
        rejects(&counts, &uniform(7));
        let counts = tally(7, 100_000, || entropy.below(6) as usize);
        rejects(&counts, &uniform(7));
    }

    #[test]
    fn wide_numbers_use_all_their_bits() {
        let mut entropy = Entropy::fixed(3);
        let n = 3 << 100;
        let counts = tally(3, 30_000, || (entropy.below_wide(n) >> 100) as usize);
        accepts(&counts, &uniform(3));
        let counts = tally(2, 30_000, || (entropy.below_wide(n) & 1) as usize);
        accepts(&counts, &uniform(2));
        let counts = tally(2, 30_000, || (entropy.below_wide(1 << 64) >> 63) as usize);
        accepts(&counts, &uniform(2));
    }

    #[test]
    fn every_order_is_equally_likely() {
        let mut entropy = Entropy::fixed(4);
        let counts = tally(27, 60_000, || {
            let mut items = [0, 1, 2];
            entropy.shuffle(&mut items);
            items[0] * 9 + items[1] * 3 + items[2]
        });
        let seen: Vec<u64> = counts.into_iter().filter(|&count| count > 0).collect();
        accepts(&seen, &uniform(6));
    }

    #[test]
    fn the_system_gives_other_bits_each_time() {
        let draw = || Entropy::os().expect("the system has entropy").next_u128();
        assert_ne!(draw(), draw());
    }
}
