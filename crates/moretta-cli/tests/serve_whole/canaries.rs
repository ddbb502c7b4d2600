//! Values that are in an uploaded table and nowhere else, looked for wherever they must not be.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Letters or digits of a canary.
const LONG: usize = 16;

/// Numbers that look random and are the same each time (Marsaglia's xorshift).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Canaries: as texts, and numbers also as a memory has them.
pub(crate) struct Canaries {
    texts: HashSet<[u8; LONG]>,
    numbers: HashSet<[u8; 8]>,
    random: Numbers,
}

impl Canaries {
    /// A table whose columns `name` and `cost` hold canaries, and these.
    pub(crate) fn in_table(table: &str) -> (String, Self) {
        let mut canaries = Canaries {
            texts: HashSet::new(),
            numbers: HashSet::new(),
            random: Numbers(0x6d6f_7265),
        };
        let mut lines = table.lines();
        let header = lines.next().expect("a header");
        let columns: Vec<&str> = header.split(',').collect();
        let place = |wanted: &str| {
            let found = columns.iter().position(|column| *column == wanted);
            found.expect("a column")
        };
        let (name, cost) = (place("name"), place("cost"));
        let mut made = format!("{header}\n");
        for line in lines {
            let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
            cells[name] = canaries.text();
            // Three digits before the point and twelve after it.
            cells[cost] = format!(
                "{}.{:012}",
                100 + canaries.random.next() % 900,
                canaries.random.next() % 999_999_999_999
            );
            canaries.keep(&cells[cost]);
            let number: f64 = cells[cost].parse().expect("a number");
            canaries.numbers.insert(number.to_le_bytes());
            made += &cells.join(",");
            made.push('\n');
        }
        (made, canaries)
    }

    /// Another one.
    pub(crate) fn text(&mut self) -> String {
        let letter = |bits: u64| char::from(b'a' + (bits % 26) as u8);
        let text: String = (0..LONG).map(|_| letter(self.random.next())).collect();
        self.keep(&text);
        text
    }

    fn keep(&mut self, text: &str) {
        let bytes = text.as_bytes().try_into().expect("as many bytes");
        self.texts.insert(bytes);
    }

    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// How many there are in some bytes.
    pub(crate) fn count_in(&self, bytes: &[u8]) -> usize {
        let texts = bytes.windows(LONG);
        let texts = texts.filter(|window| self.texts.contains(*window)).count();
        let numbers = bytes.windows(8);
        let numbers = numbers
            .filter(|window| self.numbers.contains(*window))
            .count();
        texts + numbers
    }

    /// Fails when there is one in a file below a folder; gives how many bytes were looked through.
    pub(crate) fn are_not_below(&self, folder: &Path) -> usize {
        let mut looked = 0;
        for file in files(folder) {
            // One that is gone meanwhile holds nothing.
            let Ok(bytes) = std::fs::read(&file) else {
                continue;
            };
            assert_eq!(self.count_in(&bytes), 0, "{}", file.display());
            looked += bytes.len();
        }
        looked
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found
}
