//! Where cells end: delimiters and line ends, found 64 bytes at a time.
//!
//! Cells are short, so a search that starts anew in each of them spends most of
//! its time starting. Here every byte is looked at once, without a branch, and
//! the marks of a window are remembered as the bits of a word.

/// Bytes that are looked at together, one for each bit.
const WINDOW: usize = 64;

/// The delimiters and line ends of a text, in order.
pub(super) struct Marks<'t> {
    bytes: &'t [u8],
    delimiter: u8,
    /// Where the current window starts.
    base: usize,
    /// The marks of the window that are still to be given.
    marks: u64,
}

impl<'t> Marks<'t> {
    pub(super) fn new(bytes: &'t [u8], delimiter: u8) -> Self {
        let mut marks = Marks {
            bytes,
            delimiter,
            base: 0,
            marks: 0,
        };
        marks.look_at(0);
        marks
    }

    /// The first mark at or after `at`, or the end of the text. The places that
    /// are asked for must grow.
    #[inline]
    pub(super) fn after(&mut self, at: usize) -> usize {
        loop {
            while self.marks != 0 {
                let place = self.base + self.marks.trailing_zeros() as usize;
                self.marks &= self.marks - 1;
                if place >= at {
                    return place;
                }
            }
            let next = (self.base + WINDOW).max(at - at % WINDOW);
            if next >= self.bytes.len() {
                return self.bytes.len();
            }
            self.look_at(next);
        }
    }

    fn look_at(&mut self, base: usize) {
        let rest = &self.bytes[base..];
        self.base = base;
        self.marks = match rest.first_chunk() {
            Some(window) => marks_of(window, self.delimiter),
            None => marks_of(&filled_up(rest), self.delimiter),
        };
    }
}

/// Bit `i` tells whether byte `i` is a mark.
fn marks_of(window: &[u8; WINDOW], delimiter: u8) -> u64 {
    let is_mark = |byte: u8| u8::from(byte == delimiter || byte == b'\n' || byte == b'\r');
    let flags = window.map(is_mark);
    let (words, _) = flags.as_chunks();
    let bytes = words.iter().map(|&word| gather(u64::from_le_bytes(word)));
    bytes.rev().fold(0, |marks, byte| marks << 8 | byte)
}

/// Gathers the lowest bits of the bytes of `word`: byte `i` becomes bit `i`.
fn gather(word: u64) -> u64 {
    // The factor brings bit 8i to bit 56 + i, and no two of its products meet.
    word.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The last bytes, followed by what is no mark.
fn filled_up(rest: &[u8]) -> [u8; WINDOW] {
    let mut window = [0xff; WINDOW];
    window[..rest.len()].copy_from_slice(rest);
    window
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_marks_are_found_in_order(
            bytes in proptest::collection::vec(
                prop_oneof![Just(b','), Just(b'\n'), Just(b'\r'), any::<u8>()], 0..200),
            skip in 0usize..150,
        ) {
            let is_mark = |b: &u8| matches!(b, b',' | b'\n' | b'\r');
            let expected: Vec<usize> = (skip.min(bytes.len())..bytes.len()).filter(|&i| is_mark(&bytes[i])).collect();
            let mut marks = Marks::new(&bytes, b',');
            let (mut found, mut at) = (Vec::new(), skip);
            loop {
                let place = marks.after(at);
                if place == bytes.len() {
                    break;
                }
                found.push(place);
                at = place + 1;
            }
            prop_assert_eq!(found, expected);
        }
    }
}
