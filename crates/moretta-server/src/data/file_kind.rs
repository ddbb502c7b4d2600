//! What kind of table a file is, by its name and its first bytes.

use crate::problem::{Problem, Result};
use moretta::io::{Compression, FORMATS, Format};
use std::path::Path;

/// How many first bytes tell what a file is.
pub(super) const HEAD: usize = 64;

/// The first bytes of files, and the ending that they belong to; none of what is no table of ours.
const BEGINNINGS: &[(&[u8], Option<&str>)] = &[
    (b"\x1f\x8b", Some("gz")),
    (b"\x28\xb5\x2f\xfd", Some("zst")),
    (b"PAR1", Some("parquet")),
    (b"ARROW1", Some("arrow")),
    (b"PK\x03\x04", None),
    (b"%PDF", None),
    (b"\xd0\xcf\x11\xe0", None),
    (b"\x7fELF", None),
    (b"SQLite format 3\0", None),
];

/// A kind of file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileKind {
    format: Format,
    /// The endings of its name, such as `csv.gz`.
    endings: String,
}

impl FileKind {
    /// That of a file with this name.
    ///
    /// # Errors
    /// When the name ends as that of no table.
    pub(super) fn of(name: &str) -> Result<Self> {
        let path = Path::new(name);
        let format = Format::from_path(path).ok_or_else(no_table)?;
        let mut endings: Vec<String> = name
            .rsplit('.')
            .take(if Compression::from_path(path) == Compression::None {
                1
            } else {
                2
            })
            .map(str::to_ascii_lowercase)
            .collect();
        endings.reverse();
        let endings = endings.join(".");
        let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'.';
        match endings.bytes().all(plain) {
            true => Ok(FileKind { format, endings }),
            false => Err(no_table()),
        }
    }

    /// The name that the library has for such a file; made by the server.
    pub(super) fn place(&self) -> String {
        format!("data.{}", self.endings)
    }

    /// Holds a file against what its name says.
    ///
    /// # Errors
    /// When it is something else.
    pub(super) fn check(&self, head: &[u8]) -> Result<()> {
        let begins = |(bytes, _): &&(&[u8], _)| head.starts_with(bytes);
        let found = BEGINNINGS.iter().find(begins).map(|(_, ending)| *ending);
        let last = self.endings.rsplit('.').next().unwrap_or_default();
        let expected = match (last, self.format) {
            ("gz" | "zst", _) => Some(last),
            (_, Format::Parquet) => Some("parquet"),
            (_, Format::Arrow) => Some("arrow"),
            _ => None,
        };
        let other = "the file is not what its name says";
        match (found, expected) {
            (Some(Some(found)), Some(expected)) if found == expected => Ok(()),
            (None, None) if self.format == Format::ArrowStream => Ok(()),
            (None, None) if head.is_empty() => Err(Problem::unusable("the file is empty")),
            (None, None) if !head.contains(&0) => Ok(()),
            (None, None) => Err(Problem::unusable(
                "the file holds NUL bytes, as no text in UTF-8 does",
            )
            .help("store it as text in UTF-8")),
            _ => Err(Problem::unusable(other).help("give it the ending of its own kind")),
        }
    }
}

fn no_table() -> Problem {
    let endings = FORMATS.iter().flat_map(|info| info.endings.iter().copied());
    let endings: Vec<&str> = endings.collect();
    Problem::unusable("the name of the file does not tell which kind of table it is").help(format!(
        "end it with {}, perhaps with .gz or .zst behind it",
        endings.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_the_kind_and_nothing_else_of_it_is_kept() {
        for (name, place) in [
            ("a.csv", Some("data.csv")),
            ("Ward 7.TSV.GZ", Some("data.tsv.gz")),
            ("../../etc/passwd.csv", Some("data.csv")),
            ("C:\\a\\..\\b.parquet", Some("data.parquet")),
            ("CON.jsonl", Some("data.jsonl")),
            ("a.b.c.ndjson.zst", Some("data.ndjson.zst")),
            ("passwd", None),
            ("a.exe", None),
            ("a.gz", None),
            ("a.csv/", None),
            ("a.csv/.gz", None),
            ("", None),
        ] {
            let kind = FileKind::of(name).ok().map(|kind| kind.place());
            assert_eq!(kind.as_deref(), place, "{name}");
        }
    }

    #[test]
    fn a_file_is_what_its_name_says_or_is_refused() {
        for (name, head, fits) in [
            ("a.csv", &b"age,ward\n"[..], true),
            ("a.csv", b"", false),
            ("a.csv", b"a\0b", false),
            ("a.csv", b"PAR1\x15", false),
            ("a.csv", b"PK\x03\x04", false),
            ("a.csv", b"\x1f\x8b\x08", false),
            ("a.csv.gz", b"\x1f\x8b\x08", true),
            ("a.csv.gz", b"age,ward\n", false),
            ("a.csv.zst", b"\x28\xb5\x2f\xfd", true),
            ("a.parquet", b"PAR1", true),
            ("a.parquet", b"age", false),
            ("a.arrow", b"ARROW1\0\0", true),
            ("a.arrows", b"\xff\xff\xff\xff\0", true),
        ] {
            let kind = FileKind::of(name).expect(name);
            assert_eq!(kind.check(head).is_ok(), fits, "{name}");
        }
    }
}
