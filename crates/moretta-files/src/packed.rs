//! Files that are packed in a way that is not read here, told by their ending or first bytes.
//!
//! gzip and Zstandard are read; for the others a program is on every machine, and a pure-Rust
//! reader of each would be a dependency for what one command does.

use moretta_data::error::{Error, Result};
use std::path::Path;

/// A way to pack files.
struct Packing {
    name: &'static str,
    ending: &'static str,
    /// The first bytes of such a file.
    start: &'static [u8],
    help: &'static str,
}

const PACKINGS: &[Packing] = &[
    Packing {
        name: "xz",
        ending: "xz",
        start: b"\xfd7zX",
        help: "unpack it first: xz -dk FILE",
    },
    Packing {
        name: "bzip2",
        ending: "bz2",
        start: b"BZh",
        help: "unpack it first: bzip2 -dk FILE",
    },
    Packing {
        name: "zip",
        ending: "zip",
        start: b"PK\x03\x04",
        help: "unpack it first: unzip FILE; a workbook of a spreadsheet is such a file, too: save it as CSV",
    },
    Packing {
        name: "7-Zip",
        ending: "7z",
        start: b"7z\xbc\xaf",
        help: "unpack it first: 7z x FILE",
    },
    Packing {
        name: "gzip",
        ending: "",
        start: b"\x1f\x8b",
        help: "let its name end in .gz, or set compression = \"gzip\" under [source]",
    },
    Packing {
        name: "Zstandard",
        ending: "",
        start: b"\x28\xb5\x2f\xfd",
        help: "let its name end in .zst, or set compression = \"zstd\" under [source]",
    },
];

/// Fails if the ending of the name tells a packing that is not read.
pub(super) fn refuse_by_name(path: &Path) -> Result<()> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let told = |packing: &&Packing| {
        ending.is_some_and(|ending| ending.eq_ignore_ascii_case(packing.ending))
    };
    refuse(PACKINGS.iter().find(told), path)
}

/// Fails if the first bytes, once unpacked, are those of a packed file.
pub(super) fn refuse_by_start(start: &[u8], path: &Path) -> Result<()> {
    let told = |packing: &&Packing| start.starts_with(packing.start);
    refuse(PACKINGS.iter().find(told), path)
}

fn refuse(packing: Option<&Packing>, path: &Path) -> Result<()> {
    match packing {
        None => Ok(()),
        Some(packing) => Err(Error::input(format!("packed with {}", packing.name))
            .in_file(path)
            .help(packing.help)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ReadOptions, names};

    #[test]
    fn packed_files_are_told_by_ending_and_by_first_bytes() {
        let folder = tempfile::tempdir().expect("a folder");
        for (file, bytes, packing) in [
            ("a.csv.xz", &b"a,b\n1,2\n"[..], "xz"),
            ("a.CSV.BZ2", b"a,b\n1,2\n", "bzip2"),
            ("a.zip", b"a,b\n1,2\n", "zip"),
            ("a.csv", b"\xfd7zXZ\x00\x00\x04", "xz"),
            ("b.csv", b"BZh91AY&SY", "bzip2"),
            ("a.jsonl", b"PK\x03\x04\x14\x00", "zip"),
            ("a.arff", b"7z\xbc\xaf\x27\x1c", "7-Zip"),
            ("c.csv", b"\x1f\x8b\x08\x00", "gzip"),
            ("d.csv", b"\x28\xb5\x2f\xfd\x04", "Zstandard"),
        ] {
            let path = folder.path().join(file);
            std::fs::write(&path, bytes).expect("written");
            let error = names(&path, &ReadOptions::default()).expect_err(file);
            let expected = format!("{file}: packed with {packing}");
            assert!(error.to_string().ends_with(&expected), "{error}");
            assert_eq!(error.exit_code(), 4, "{file}");
            assert!(error.help_text().is_some(), "{file}");
        }
    }
}
