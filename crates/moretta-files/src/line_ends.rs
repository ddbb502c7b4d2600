//! How the lines of a text end: mixed ends are read, and noted, since they often mean glued files.

use moretta_data::error::{Error, Result};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The line ends seen so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LineEnds {
    cr: bool,
    lf: bool,
    cr_lf: bool,
}

impl LineEnds {
    /// Takes note of the bytes that end a line.
    #[inline]
    pub(super) fn see(&mut self, end: &[u8]) {
        match end {
            b"\n" => self.lf = true,
            b"\r\n" => self.cr_lf = true,
            b"\r" => self.cr = true,
            _ => {}
        }
    }

    /// Adds what was seen elsewhere in the same text.
    pub(super) fn merge(&mut self, other: LineEnds) {
        self.cr |= other.cr;
        self.lf |= other.lf;
        self.cr_lf |= other.cr_lf;
    }

    /// What a steward should know of them.
    pub(super) fn notes(self) -> Vec<String> {
        self.note().map(str::to_owned).into_iter().collect()
    }

    fn note(self) -> Option<&'static str> {
        match (self.cr, self.lf, self.cr_lf) {
            (false, false, _) | (false, true, false) => None,
            (true, false, false) => Some("the lines end with CR, as on old computers"),
            (true, true, false) => Some("the lines end in different ways: CR and LF"),
            (true, false, true) => Some("the lines end in different ways: CR and CR LF"),
            (false, true, true) => Some("the lines end in different ways: LF and CR LF"),
            (true, true, true) => Some("the lines end in different ways: CR, LF and CR LF"),
        }
    }
}

/// How many lines end before a byte of a file.
pub(super) fn lines_before(path: &Path, byte: u64) -> Result<u64> {
    let failed = |e| Error::io("read", path, e);
    let mut file = File::open(path).map_err(failed)?.take(byte);
    let (mut buffer, mut lines, mut carriage) = (vec![0; 1 << 16], 0, false);
    loop {
        let read = file.read(&mut buffer).map_err(failed)?;
        let bytes = &buffer[..read];
        // A line that ends with CR LF may do so in two pieces, and is counted with the first.
        let joined = carriage && bytes.first() == Some(&b'\n');
        lines += count_lines(bytes) - u64::from(joined);
        carriage = bytes.last() == Some(&b'\r');
        if read == 0 {
            return Ok(lines);
        }
    }
}

/// How many lines end in `bytes`; CR, LF and CR LF each end one.
pub(super) fn count_lines(bytes: &[u8]) -> u64 {
    memchr::memchr2_iter(b'\n', b'\r', bytes)
        .filter(|&i| bytes[i] == b'\n' || bytes.get(i + 1) != Some(&b'\n'))
        .count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unusual_line_ends_are_noted() {
        for (ends, noted) in [
            (&[][..], false),
            (&["\n", "\n"], false),
            (&["\r\n", ""], false),
            (&["\r"], true),
            (&["\n", "\r\n"], true),
            (&["\r", "\n"], true),
            (&["\r", "\r\n"], true),
            (&["\r", "\n", "\r\n"], true),
        ] {
            let mut seen = LineEnds::default();
            for end in ends {
                let mut one = LineEnds::default();
                one.see(end.as_bytes());
                seen.merge(one);
            }
            assert_eq!(seen.note().is_some(), noted, "{ends:?}");
        }
    }
}
