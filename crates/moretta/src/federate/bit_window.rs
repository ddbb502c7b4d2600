//! The last W answers to a question of yes or no, a bit each.

use super::state::{Reader, Writer, odd};
use crate::error::Result;

/// The window.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BitWindow {
    words: Vec<u64>,
    most: u32,
    length: u32,
    next: u32,
    ones: u32,
}

impl BitWindow {
    /// An empty window of at most so many bits.
    pub(super) fn new(most: usize) -> Self {
        let most = most.clamp(1, 1 << 24) as u32;
        BitWindow {
            words: vec![0; most.div_ceil(64) as usize],
            most,
            length: 0,
            next: 0,
            ones: 0,
        }
    }

    /// Pushes a bit and gives back the one that left.
    pub(super) fn push(&mut self, bit: bool) -> Option<bool> {
        let (word, shift) = ((self.next / 64) as usize, self.next % 64);
        let old = self.words[word] >> shift & 1 == 1;
        self.words[word] = self.words[word] & !(1 << shift) | u64::from(bit) << shift;
        self.next = (self.next + 1) % self.most;
        self.ones += u32::from(bit);
        if self.length < self.most {
            self.length += 1;
            return None;
        }
        self.ones -= u32::from(old);
        Some(old)
    }

    /// Bits in the window.
    pub(super) fn size(&self) -> u32 {
        self.length
    }

    /// Those that are set.
    pub(super) fn ones(&self) -> u32 {
        self.ones
    }

    /// The share of those that are set; 0 of none.
    pub(super) fn mean(&self) -> f64 {
        match self.length {
            0 => 0.0,
            length => f64::from(self.ones) / f64::from(length),
        }
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.u32(self.length);
        out.u32(self.next);
        self.words.iter().for_each(|&word| out.u64(word));
    }

    pub(super) fn load(most: usize, from: &mut Reader<'_>) -> Result<Self> {
        let mut window = BitWindow::new(most);
        (window.length, window.next) = (from.u32()?, from.u32()?);
        for word in &mut window.words {
            *word = from.u64()?;
            window.ones += word.count_ones();
        }
        let filled = window.length == window.most || window.next == window.length;
        let sound = window.length <= window.most && window.next < window.most && filled;
        match sound && window.ones <= window.length {
            true => Ok(window),
            false => Err(odd("a window that there cannot be")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::java_random::JavaRandom;

    #[test]
    fn windows_hold_the_last_bits() {
        for most in [1, 7, 64, 130] {
            let mut random = JavaRandom::new(9);
            let (mut window, mut all) = (BitWindow::new(most), Vec::new());
            for at in 0..400 {
                let bit = random.next_int_below(3) == 0;
                let left = window.push(bit);
                assert_eq!(
                    left,
                    at_least(&all, most).first().copied(),
                    "{most} at {at}"
                );
                all.push(bit);
                let last = &all[all.len().saturating_sub(most)..];
                let ones = last.iter().filter(|&&bit| bit).count() as u32;
                assert_eq!((window.size(), window.ones()), (last.len() as u32, ones));
            }
            let mut out = Writer::default();
            window.save(&mut out);
            let bytes = out.into_bytes();
            let loaded = BitWindow::load(most, &mut Reader::new(&bytes));
            assert_eq!(loaded.expect("whole"), window);
        }
    }

    /// The last `most` bits if there are so many.
    fn at_least(all: &[bool], most: usize) -> &[bool] {
        match all.len() < most {
            true => &[],
            false => &all[all.len() - most..],
        }
    }
}
