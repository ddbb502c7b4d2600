//! Reads `[source]`.

use super::paths::Root;
use super::{SourcePolicy, source_paths};
use crate::config::{Absent, Accepts, Form, NAMES, Parameter, Placed, Section, words};
use crate::error::Result;
use crate::io::{Compression, Encoding, FORMATS, Format, Header, ReadOptions};

/// The keys of `[source]`.
pub(super) const KEYS: &[Parameter] = &[
    PATH,
    FORMAT,
    COMPRESSION,
    DELIMITER,
    QUOTE,
    HEADER,
    ENCODING,
    DECIMAL,
    MISSING,
    LIMITS,
];

const PATH: Parameter = Parameter::new(
    "path",
    Accepts::OneOrMore(&Accepts::Text),
    Absent::Refused,
    "the data: a file, several, a pattern such as \"parts/*.csv\" or a folder, below the folder of the policy; \"-\" is standard input",
)
.examples(&["\"file.csv\""]);
pub(super) const FORMAT: Parameter = Parameter::new(
    "format",
    Accepts::Word(|| FORMATS.iter().map(|info| info.name).collect()),
    Absent::Means("what the ending of the name tells"),
    "how the file is written",
);
pub(super) const COMPRESSION: Parameter = Parameter::new(
    "compression",
    Accepts::Word(|| words(COMPRESSIONS)),
    Absent::Means("what the ending of the name tells"),
    "how the whole file is packed",
);
pub(super) const DELIMITER: Parameter = Parameter::new(
    "delimiter",
    CHARACTER,
    Absent::Means("a comma, or a tab for .tsv"),
    "the character between cells of CSV",
);
const QUOTE: Parameter = Parameter::new(
    "quote",
    CHARACTER,
    Absent::Text("\""),
    "the character around cells of CSV that hold delimiters",
);
const HEADER: Parameter = Parameter::new(
    "header",
    Accepts::Flag,
    Absent::Flag(true),
    "whether the first line of CSV holds the names of the columns; else they are column1, column2, …",
);
const ENCODING: Parameter = Parameter::new(
    "encoding",
    Accepts::Word(|| words(ENCODINGS)),
    Absent::Text("utf-8"),
    "the encoding of text formats",
);
const DECIMAL: Parameter = Parameter::new(
    "decimal",
    Accepts::Word(|| words(DECIMALS)),
    Absent::Text("."),
    "what stands before the decimals of numbers in CSV",
);
const MISSING: Parameter = Parameter::new(
    "missing",
    NAMES,
    Absent::Means("none"),
    "texts that mean missing, besides the empty cell",
)
.examples(&["[\"NA\", \"?\"]"]);
const LIMITS: Parameter = Parameter::new(
    "limits",
    Accepts::Table(&[FIELD_BYTES, UNPACKED_BYTES, COLUMNS, CATEGORIES, MEMORY]),
    Absent::Means("as each says"),
    "what the data may not exceed",
);
const FIELD_BYTES: Parameter = limit("field_bytes", "1 MiB", "bytes of one cell");
const UNPACKED_BYTES: Parameter = limit(
    "unpacked_bytes",
    "20 GiB",
    "bytes of a packed file once unpacked",
);
const COLUMNS: Parameter = limit("columns", "10000", "columns");
const CATEGORIES: Parameter = limit(
    "categories",
    "1000000",
    "distinct values of a quasi, sensitive or class column",
);
const MEMORY: Parameter = limit(
    "memory",
    "three quarters of the machine's",
    "bytes of memory that a table may need",
);

const fn limit(name: &'static str, usual: &'static str, meaning: &'static str) -> Parameter {
    let kind = Accepts::Whole(1, i64::MAX);
    Parameter::new(name, kind, Absent::Means(usual), meaning)
}

const CHARACTER: Accepts = Accepts::Form(&Form {
    what: "one ASCII character",
    example: ";",
    pattern: r"^[\x01-\x09\x0b\x0c\x0e-\x7f]$",
    fits: |text| matches!(text.as_bytes(), &[b] if b.is_ascii() && !matches!(b, b'\n' | b'\r' | 0)),
});

pub(super) const COMPRESSIONS: &[(&str, Compression)] = &[
    ("none", Compression::None),
    ("gzip", Compression::Gzip),
    ("zstd", Compression::Zstd),
];

const ENCODINGS: &[(&str, Encoding)] = &[("utf-8", Encoding::Utf8), ("latin-1", Encoding::Latin1)];

/// Whether a comma stands before the decimals.
const DECIMALS: &[(&str, bool)] = &[(".", false), (",", true)];

impl SourcePolicy {
    pub(super) fn read(mut section: Section, root: &Root) -> Result<Self> {
        let placed = section.read(&PATH, |placed, _| Ok(placed.clone()))?;
        let (paths, shown) = source_paths::read(&placed, root)?;
        let mut options = ReadOptions {
            format: section.optional(&FORMAT, read_format)?,
            compression: section.optional_word(&COMPRESSION, COMPRESSIONS)?,
            delimiter: section.optional(&DELIMITER, byte)?,
            quote: section.read(&QUOTE, byte)?,
            header: if section.flag(&HEADER)? {
                Header::First
            } else {
                Header::None
            },
            encoding: section.word(&ENCODING, ENCODINGS)?,
            decimal_comma: section.word(&DECIMAL, DECIMALS)?,
            missing: section
                .optional(&MISSING, Placed::texts)?
                .unwrap_or_default(),
            files: root.files().clone(),
            ..ReadOptions::default()
        };
        if let Some(mut table) = section.optional_table(&LIMITS)? {
            let limits = &mut options.limits;
            set(&mut limits.field_bytes, &mut table, &FIELD_BYTES)?;
            set(&mut limits.unpacked_bytes, &mut table, &UNPACKED_BYTES)?;
            set(&mut limits.columns, &mut table, &COLUMNS)?;
            set(&mut limits.categories, &mut table, &CATEGORIES)?;
            set(&mut limits.memory, &mut table, &MEMORY)?;
            table.finish()?;
        }
        section.finish()?;
        let mut paths = paths.into_iter();
        let path = paths
            .next()
            .ok_or_else(|| placed.error("`path` names no file"))?;
        Ok(SourcePolicy {
            path,
            shown,
            more: paths.collect(),
            options,
        })
    }
}

/// Sets a limit that is given.
fn set<T: TryFrom<i64>>(limit: &mut T, section: &mut Section, key: &Parameter) -> Result<()> {
    if let Some(given) = section.optional(key, Placed::whole)? {
        *limit = given;
    }
    Ok(())
}

/// The format that a word names.
pub(super) fn read_format(placed: &Placed, name: &str) -> Result<Format> {
    let words = FORMATS.iter().map(|info| (info.name, info.format));
    placed.word(name, &words.collect::<Vec<_>>())
}

/// The byte of a character.
pub(super) fn byte(placed: &Placed, name: &str) -> Result<u8> {
    let text = placed.text(name)?;
    text.bytes()
        .next()
        .ok_or_else(|| placed.error(format!("`{name}` is one ASCII character")))
}
