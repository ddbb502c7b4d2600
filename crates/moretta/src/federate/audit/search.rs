//! Cells and words in bytes of any origin: what passed a wire, a file, the memory of a process.
//!
//! Unlike frames such bytes follow no plan, and there are many of them. So nothing is decoded:
//! cells are looked for at every byte, as doubles and scaled integers in both byte orders, as text
//! and inside of base64; with [`Search::shifted`] at every bit.
//!
//! Six digits of a number name a cell where the point stands where the cell has it, nine name it
//! without: counters of bytes have six digits, too. Floats are counted only, since four bytes
//! meet one of many cells by chance: hold the count against that of cells that were never used.
//!
//! **Costs** one look into a small table a byte; what it lets through is looked up.

use super::LeakKind;
use super::cells::{DIGITS, DIGITS_AMONG_NUMBERS, SCALE, decoded, digits, sextet};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Bits of the table that most bytes do not pass.
const SIEVE_BITS: u32 = 22;
/// Sextets of eight bytes.
const SEXTETS: usize = 11;

/// Cells and words that are looked for.
pub struct Search {
    numbers: HashMap<u64, LeakKind>,
    sieve: Vec<u64>,
    floats: HashSet<u32>,
    float_sieve: Vec<u64>,
    pointed: HashSet<Vec<u8>>,
    long: HashSet<Vec<u8>>,
    /// Words by their length.
    words: BTreeMap<usize, HashSet<Vec<u8>>>,
}

impl Search {
    /// Of cells with many digits, since others are everywhere, and of words: names of columns,
    /// categories, keys.
    pub fn new<'a>(
        cells: impl IntoIterator<Item = f64>,
        words: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut search = Search {
            numbers: HashMap::new(),
            sieve: vec![0; 1 << (SIEVE_BITS - 6)],
            floats: HashSet::new(),
            float_sieve: vec![0; 1 << (SIEVE_BITS - 6)],
            pointed: HashSet::new(),
            long: HashSet::new(),
            words: BTreeMap::new(),
        };
        cells.into_iter().for_each(|cell| search.add(cell));
        for word in words {
            let of_length = search.words.entry(word.len()).or_default();
            of_length.insert(word.as_bytes().to_vec());
        }
        search
    }

    fn add(&mut self, cell: f64) {
        let text = cell.to_string();
        let significant = digits(text.as_bytes());
        if !cell.is_finite() || significant.len() < DIGITS {
            return;
        }
        let integer = (cell * SCALE).round_ties_even() as i64 as u64;
        for (word, kind) in [
            (cell.to_bits(), LeakKind::Double),
            (integer, LeakKind::Integer),
        ] {
            for word in [word, word.swap_bytes()] {
                set(&mut self.sieve, word);
                self.numbers.insert(word, kind);
            }
        }
        let float = (cell as f32).to_bits();
        for word in [float, float.swap_bytes()] {
            set(&mut self.float_sieve, u64::from(word));
            self.floats.insert(word);
        }
        let pointed = text.as_bytes().get(..=DIGITS);
        let has_point = |text: &&[u8]| text[1..DIGITS].contains(&b'.');
        self.pointed
            .extend(pointed.filter(has_point).map(<[u8]>::to_vec));
        let long = significant.get(..DIGITS_AMONG_NUMBERS);
        self.long.extend(long.map(<[u8]>::to_vec));
    }

    /// What these bytes hold, and how often.
    pub fn find(&self, bytes: &[u8]) -> BTreeMap<LeakKind, u64> {
        let mut found = BTreeMap::new();
        self.find_numbers(bytes, &mut found);
        self.find_words(bytes, &mut found);
        for run in runs(bytes, |byte| byte.is_ascii_digit() || byte == b'.') {
            self.find_digits(run, &mut found);
        }
        for run in runs(bytes, |byte| sextet(byte).is_some()) {
            if run.len() >= SEXTETS {
                self.find_base64(run, &mut found);
            }
        }
        found
    }

    /// The same at every bit, for bytes in which values are packed.
    pub fn shifted(&self, bytes: &[u8]) -> BTreeMap<LeakKind, u64> {
        let mut found = BTreeMap::new();
        for shift in 1..8 {
            let pairs = bytes.windows(2);
            let shifted: Vec<u8> = pairs
                .map(|pair| pair[0] >> shift | pair[1] << (8 - shift))
                .collect();
            self.find_numbers(&shifted, &mut found);
            let pairs = bytes.windows(2);
            let shifted: Vec<u8> = pairs
                .map(|pair| pair[0] << shift | pair[1] >> (8 - shift))
                .collect();
            self.find_numbers(&shifted, &mut found);
        }
        found
    }

    /// The cells that are somewhere as a float, by chance or not: an address that looks like one may
    /// stand in many places.
    pub fn floats(&self, bytes: &[u8]) -> HashSet<u32> {
        let mut word = 0_u32;
        let mut found = HashSet::new();
        for (at, &byte) in bytes.iter().enumerate() {
            word = word >> 8 | u32::from(byte) << 24;
            let may_be = at >= 3 && has(&self.float_sieve, u64::from(word));
            if may_be && self.floats.contains(&word) {
                found.insert(word);
            }
        }
        found
    }

    fn find_numbers(&self, bytes: &[u8], found: &mut BTreeMap<LeakKind, u64>) {
        let mut word = 0_u64;
        for (at, &byte) in bytes.iter().enumerate() {
            word = word >> 8 | u64::from(byte) << 56;
            if at >= 7
                && has(&self.sieve, word)
                && let Some(kind) = self.numbers.get(&word)
            {
                *found.entry(*kind).or_default() += 1;
            }
        }
    }

    fn find_words(&self, bytes: &[u8], found: &mut BTreeMap<LeakKind, u64>) {
        for (length, words) in &self.words {
            let mut begins = [false; 256];
            words
                .iter()
                .for_each(|word| begins[usize::from(word[0])] = true);
            let hits = bytes
                .windows(*length)
                .filter(|window| begins[usize::from(window[0])] && words.contains(*window));
            let hits = hits.count() as u64;
            if hits > 0 {
                *found.entry(LeakKind::Word).or_default() += hits;
            }
        }
    }

    fn find_digits(&self, run: &[u8], found: &mut BTreeMap<LeakKind, u64>) {
        let pointed = run.windows(DIGITS + 1);
        let mut hits = pointed.filter(|text| self.pointed.contains(*text)).count();
        let bare: Vec<u8> = run.iter().copied().filter(u8::is_ascii_digit).collect();
        let long = bare.windows(DIGITS_AMONG_NUMBERS);
        hits += long.filter(|text| self.long.contains(*text)).count();
        if hits > 0 {
            *found.entry(LeakKind::Text).or_default() += hits as u64;
        }
    }

    fn find_base64(&self, run: &[u8], found: &mut BTreeMap<LeakKind, u64>) {
        let mut inside = BTreeMap::new();
        for start in 0..4 {
            let bytes = decoded(&run[start..]);
            self.find_numbers(&bytes, &mut inside);
            self.find_words(&bytes, &mut inside);
        }
        let hits: u64 = inside.values().sum();
        if hits > 0 {
            *found.entry(LeakKind::Base64).or_default() += hits;
        }
    }
}

fn runs(bytes: &[u8], belongs: impl Fn(u8) -> bool) -> impl Iterator<Item = &[u8]> {
    bytes
        .split(move |byte| !belongs(*byte))
        .filter(|run| run.len() >= DIGITS)
}

/// A place in the sieve: the upper bits of a product depend on all bits of the word.
fn place(word: u64) -> (usize, u64) {
    let mixed = word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SIEVE_BITS);
    ((mixed >> 6) as usize, 1 << (mixed & 63))
}

fn set(sieve: &mut [u64], word: u64) {
    let (at, bit) = place(word);
    sieve[at] |= bit;
}

fn has(sieve: &[u64], word: u64) -> bool {
    let (at, bit) = place(word);
    sieve[at] & bit != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELLS: [f64; 2] = [482.913_745_612_345_6, 0.123_456_789_012];

    fn check(bytes: &[u8], expected: &[LeakKind]) {
        let search = Search::new(CELLS, ["haemoglobin"]);
        let found: Vec<LeakKind> = search.find(bytes).into_keys().collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn cells_are_found_in_every_form() {
        for cell in CELLS {
            let integer = (cell * SCALE).round_ties_even() as i64;
            let around = |bytes: &[u8]| [&b"abc"[..], bytes, b"xyz"].concat();
            check(&around(&cell.to_le_bytes()), &[LeakKind::Double]);
            check(&around(&cell.to_be_bytes()), &[LeakKind::Double]);
            check(&around(&integer.to_le_bytes()), &[LeakKind::Integer]);
            check(&around(&integer.to_be_bytes()), &[LeakKind::Integer]);
            check(&around(format!(" {cell} ").as_bytes()), &[LeakKind::Text]);
        }
        check(b"the value 482.913 is too large", &[LeakKind::Text]);
        check(b"482913745 times", &[LeakKind::Text]);
        check(b"a haemoglobin b", &[LeakKind::Word]);
        check(b"482913 bytes, 48.2913", &[]);
        check(b"", &[]);
    }

    #[test]
    fn cells_and_words_are_found_inside_of_base64() {
        // Two bytes, then a cell; and a name behind one byte.
        let packed = b"\x01\x02\x3d\xd2\x4e\x52\x9c\x2e\x7e\x40";
        let cell = f64::from_le_bytes(packed[2..].try_into().expect("eight bytes"));
        let search = Search::new([cell], ["haemoglobin"]);
        for text in ["AQI90k5SnC5+QA==", "IWhhZW1vZ2xvYmlu"] {
            let found: Vec<_> = search.find(text.as_bytes()).into_keys().collect();
            assert_eq!(found, [LeakKind::Base64], "{text}");
        }
    }

    #[test]
    fn packed_cells_are_found_at_every_bit() {
        let search = Search::new(CELLS, []);
        for shift in 1..8 {
            let word = u128::from(CELLS[0].to_bits()) << shift;
            for bytes in [word.to_le_bytes(), word.to_be_bytes()] {
                assert_eq!(search.find(&bytes), BTreeMap::new());
                let found = search.shifted(&bytes);
                assert_eq!(found.get(&LeakKind::Double), Some(&1), "{shift}");
            }
        }
    }

    #[test]
    fn floats_are_counted() {
        let search = Search::new(CELLS, []);
        let mut bytes = b"abc".to_vec();
        bytes.extend((CELLS[0] as f32).to_le_bytes());
        bytes.extend((CELLS[1] as f32).to_be_bytes());
        bytes.extend((CELLS[1] as f32).to_be_bytes());
        assert_eq!(search.floats(&bytes).len(), 2, "each once");
        assert_eq!(search.floats(&bytes[1..9]).len(), 1);
    }
}
