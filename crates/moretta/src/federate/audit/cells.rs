//! Cells in bytes, in whatever form.

use super::{Leak, LeakKind};
use std::collections::{BTreeMap, HashSet};

/// Digits of a text that name a cell.
pub(super) const DIGITS: usize = 6;
/// Digits that name a cell among packed numbers, of which some look like digits.
pub(super) const DIGITS_AMONG_NUMBERS: usize = 9;
/// What makes a decoy of a float: other low bits, the same size.
const DECOY: u32 = 0x5a5a;
/// Fractional bits of scaled integers.
pub(super) const SCALE: f64 = 4_294_967_296.0;

/// The cells that are looked for. Small whole numbers are no secret: every frame holds them.
pub(super) struct Cells {
    doubles: HashSet<u64>,
    floats: HashSet<u32>,
    /// Floats as large as those of cells that are none: what numbers of that size hit by chance.
    decoys: HashSet<u32>,
    integers: HashSet<u64>,
    texts: HashSet<Vec<u8>>,
    long_texts: HashSet<Vec<u8>>,
    /// Windows of four bytes that were looked at, and those that are a float, by place.
    windows: u64,
    hits: BTreeMap<usize, u64>,
    decoyed: u64,
}

impl Cells {
    pub(super) fn new<'a>(cells: impl Iterator<Item = &'a f64>) -> Self {
        let mut all = Cells {
            doubles: HashSet::new(),
            floats: HashSet::new(),
            decoys: HashSet::new(),
            integers: HashSet::new(),
            texts: HashSet::new(),
            long_texts: HashSet::new(),
            windows: 0,
            hits: BTreeMap::new(),
            decoyed: 0,
        };
        for &cell in cells.filter(|cell| cell.is_finite()) {
            let text = digits(format!("{cell}").as_bytes());
            if text.len() < DIGITS {
                continue;
            }
            all.doubles
                .extend([cell.to_bits(), cell.to_bits().swap_bytes()]);
            let float = (cell as f32).to_bits();
            all.floats.extend([float, float.swap_bytes()]);
            let decoy = float ^ DECOY;
            all.decoys.extend([decoy, decoy.swap_bytes()]);
            let integer = (cell * SCALE).round_ties_even() as i64 as u64;
            all.integers.extend([integer, integer.swap_bytes()]);
            all.texts.insert(text[..DIGITS].to_vec());
            all.long_texts
                .extend(text.get(..DIGITS_AMONG_NUMBERS).map(<[u8]>::to_vec));
        }
        all.decoys.retain(|decoy| !all.floats.contains(decoy));
        all
    }

    /// What these bytes hold; `numbers` says whether they are numbers side by side.
    pub(super) fn search(&mut self, place: usize, bytes: &[u8], numbers: bool) -> Vec<LeakKind> {
        let mut found = Vec::new();
        if self.has_word(bytes, |cells| &cells.doubles) {
            found.push(LeakKind::Double);
        }
        if self.has_word(bytes, |cells| &cells.integers) {
            found.push(LeakKind::Integer);
        }
        if self.has_text(bytes, numbers) {
            found.push(LeakKind::Text);
        }
        if self.has_base64(bytes) {
            found.push(LeakKind::Base64);
        }
        let words = || {
            let windows = bytes.windows(4);
            windows.map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]))
        };
        self.windows += words().count() as u64;
        self.decoyed += words().filter(|word| self.decoys.contains(word)).count() as u64;
        let hits = words().filter(|word| self.floats.contains(word)).count() as u64;
        if hits > 0 {
            *self.hits.entry(place).or_default() += hits;
        }
        found
    }

    fn has_word(&self, bytes: &[u8], of: impl Fn(&Self) -> &HashSet<u64>) -> bool {
        bytes.windows(8).any(|window| {
            let word = window
                .iter()
                .rev()
                .fold(0, |sum, &byte| sum << 8 | u64::from(byte));
            of(self).contains(&word)
        })
    }

    /// A run of digits, with a point or not, that begins as a cell does.
    fn has_text(&self, bytes: &[u8], numbers: bool) -> bool {
        let (length, texts) = match numbers {
            true => (DIGITS_AMONG_NUMBERS, &self.long_texts),
            false => (DIGITS, &self.texts),
        };
        let runs = bytes.split(|byte| !(byte.is_ascii_digit() || *byte == b'.'));
        let mut runs = runs.map(digits).filter(|run| run.len() >= length);
        runs.any(|run| run.windows(length).any(|window| texts.contains(window)))
    }

    fn has_base64(&self, bytes: &[u8]) -> bool {
        let runs = bytes.split(|byte| sextet(*byte).is_none());
        let mut runs = runs.filter(|run| run.len() >= 11);
        runs.any(|run| {
            (0..4).any(|start| self.has_word(&decoded(&run[start..]), |cells| &cells.doubles))
        })
    }

    /// Places with floats, where there are more of them than chance explains.
    pub(super) fn floats(&self) -> Vec<Leak> {
        let expected = self.windows as f64 * self.floats.len() as f64 / 4_294_967_296.0;
        let expected = expected.max(self.decoyed as f64);
        let hits: u64 = self.hits.values().sum();
        if hits as f64 <= expected + 6.0 * expected.sqrt() + 1.0 {
            return Vec::new();
        }
        let leak = |&place: &usize| Leak {
            place,
            kind: LeakKind::Float,
        };
        self.hits.keys().map(leak).collect()
    }
}

/// Significant digits of a decimal number.
pub(super) fn digits(text: &[u8]) -> Vec<u8> {
    let mantissa = text
        .split(|byte| matches!(byte, b'e' | b'E'))
        .next()
        .unwrap_or(text);
    let digits = mantissa.iter().copied().filter(u8::is_ascii_digit);
    digits.skip_while(|digit| *digit == b'0').collect()
}

pub(super) fn sextet(byte: u8) -> Option<u32> {
    match byte {
        b'A'..=b'Z' => Some(u32::from(byte - b'A')),
        b'a'..=b'z' => Some(u32::from(byte - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(byte - b'0') + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

pub(super) fn decoded(run: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for four in run.chunks(4) {
        let word = four
            .iter()
            .fold(0, |sum, &byte| sum << 6 | sextet(byte).unwrap_or(0));
        let word = word << (6 * (4 - four.len()));
        bytes.extend([(word >> 16) as u8, (word >> 8) as u8, word as u8]);
    }
    bytes
}
