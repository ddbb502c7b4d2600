//! Reads `[sink]`, `[report]`, `[manifest]`, `[ledger]` and `[checkpoint]`.

use super::paths::Root;
use super::secrets::read_key;
use super::source::{COMPRESSION, COMPRESSIONS, DELIMITER, FORMAT, byte, read_format};
use super::{
    CheckpointPolicy, Every, KeyPlace, LedgerPolicy, ManifestPolicy, Order, SinkPolicy,
    SourcePolicy,
};
use crate::config::{
    Absent, Accepts, POSITIVE, POSITIVE_DURATION, Parameter, Placed, Section, Value, words,
};
use crate::engine::{Conflict, LedgerPlan};
use crate::error::Result;
use crate::io::{self, Format, GraphTable, WriteOptions};
use std::path::{Path, PathBuf};

/// The keys of `[sink]`.
pub(super) const SINK: &[Parameter] = &[
    SINK_PATH,
    FORMAT,
    COMPRESSION,
    SINK_DELIMITER,
    MISSING,
    GUARD_FORMULAS,
    HEADER,
    ORDER,
    CERTIFICATE,
    MATRICES,
    EDGES,
];

const SINK_PATH: Parameter = Parameter::new(
    "path",
    Accepts::Text,
    Absent::Refused,
    "where the release goes, below the folder of the policy; \"-\" is standard output",
)
.examples(&["\"out/release.csv\""]);
const SINK_DELIMITER: Parameter = Parameter {
    absent: Absent::Means("that of the source"),
    ..DELIMITER
};
const MISSING: Parameter = Parameter::new(
    "missing",
    Accepts::Text,
    Absent::Text(""),
    "what a missing cell of CSV is written as",
);
const GUARD_FORMULAS: Parameter = Parameter::new(
    "guard_formulas",
    Accepts::Flag,
    Absent::Flag(true),
    "whether cells of CSV that a spreadsheet would run as a formula get a leading '",
);
const HEADER: Parameter = Parameter::new(
    "header",
    Accepts::Flag,
    Absent::Flag(true),
    "whether CSV starts with the names of the columns",
);
const ORDER: Parameter = Parameter::new(
    "order",
    Accepts::Word(|| words(ORDERS)),
    Absent::Text("shuffled"),
    "the order of released rows of a table: by what they show, so that a place tells nothing, or that of the input",
);
const CERTIFICATE: Parameter = Parameter::new(
    "certificate",
    Accepts::Text,
    Absent::Means("none"),
    "a file in which a stream says why each row was released, by how many users or among which records; for those who may see the source, never to be published",
);
const MATRICES: Parameter = Parameter::new(
    "matrices",
    Accepts::Text,
    Absent::Means("none; they are not published"),
    "a JSON file in which the transition matrices of pram are published with the release, so that readers can estimate the original frequencies; a matrix that was designed from the rows tells how many have each category",
)
.examples(&["\"out/matrices.json\""]);

const EDGES: Parameter = Parameter::new(
    "edges",
    Accepts::Text,
    Absent::Means("must be given with [graph], unless the release is GraphML, which holds them"),
    "where the edges of a graph go, in the format that the ending of the name tells",
)
.examples(&["\"out/edges.csv\""]);

const ORDERS: &[(&str, Order)] = &[("shuffled", Order::Shuffled), ("input", Order::Input)];

/// Reads a `[sink]` that is no file and has an order alone.
pub(super) fn read_order(mut section: Section) -> Result<Order> {
    let order = section.word(&ORDER, ORDERS)?;
    section.finish()?;
    Ok(order)
}

/// The section as [`read_order`] reads it.
pub(super) fn written_order(order: Order) -> Section {
    let mut section = Section::default();
    section.set_word(&ORDER, ORDERS, order);
    section
}

impl SinkPolicy {
    pub(super) fn read(
        mut section: Section,
        root: &Root,
        source: Option<&SourcePolicy>,
    ) -> Result<Self> {
        let placed = section.read(&SINK_PATH, |placed, _| Ok(placed.clone()))?;
        let shown = placed.text(SINK_PATH.name)?;
        let path = root.resolve(&placed, &shown)?;
        let format = section.optional(&FORMAT, read_format)?;
        let delimiter = section.optional(&SINK_DELIMITER, byte)?;
        let options = WriteOptions {
            // What goes to standard output is written under another name first.
            format: format.or((path == Path::new("-")).then_some(Format::Csv)),
            compression: section.optional_word(&COMPRESSION, COMPRESSIONS)?,
            delimiter: delimiter.or(source.and_then(|source| source.options.delimiter)),
            missing: section.text(&MISSING)?,
            guard_formulas: section.flag(&GUARD_FORMULAS)?,
            header: section.flag(&HEADER)?,
            graph: GraphTable::default(),
            files: root.files().clone(),
        };
        let order = section.word(&ORDER, ORDERS)?;
        let certificate =
            section.optional(&CERTIFICATE, |placed, name| resolve(placed, name, root))?;
        let matrices = section.optional(&MATRICES, |placed, name| resolve(placed, name, root))?;
        let edges = section.optional(&EDGES, |placed, name| resolve(placed, name, root))?;
        section.finish()?;
        io::writable(Path::new(&shown), &options).map_err(|e| e.at(placed.span.clone()))?;
        Ok(SinkPolicy {
            path,
            shown,
            options,
            order,
            certificate,
            matrices,
            edges,
        })
    }
}

fn resolve(placed: &Placed, name: &str, root: &Root) -> Result<PathBuf> {
    root.resolve(placed, &placed.text(name)?)
}

/// The keys of `[report]`.
pub(super) const REPORT: &[Parameter] = &[REPORT_PATH, KEY, PURPOSE];

const REPORT_PATH: Parameter = Parameter::new(
    "path",
    Accepts::Text,
    Absent::Refused,
    "where the report goes: HTML, or JSON by its ending",
)
.examples(&["\"out/report.html\""]);
const KEY: Parameter = Parameter {
    absent: Absent::Means("none; the report holds no sum of the source"),
    meaning: "where the key is under which the report holds a sum of the source",
    ..super::columns::KEY
};

const PURPOSE: Parameter = Parameter::new(
    "purpose",
    Accepts::Text,
    Absent::Means("none"),
    "what the release is for, as the report tells it",
)
.examples(&["\"yearly statistics\""]);

/// What `[report]` says.
pub(super) struct ReportPolicy {
    pub(super) path: PathBuf,
    pub(super) key: Option<KeyPlace>,
    pub(super) purpose: Option<String>,
}

pub(super) fn read_report(mut section: Section, root: &Root) -> Result<ReportPolicy> {
    let path = section.read(&REPORT_PATH, |placed, name| resolve(placed, name, root))?;
    let key = section.optional(&KEY, |placed, name| read_key(placed, name, root))?;
    let purpose = section.optional(&PURPOSE, |placed, name| placed.text(name))?;
    section.finish()?;
    Ok(ReportPolicy { path, key, purpose })
}

/// The keys of `[manifest]`.
pub(super) const MANIFEST: &[Parameter] = &[MANIFEST_PATH, SIGNING_KEY];

const MANIFEST_PATH: Parameter = Parameter::new(
    "path",
    Accepts::Text,
    Absent::Refused,
    "the file that tells, signed, what was released and promised",
)
.examples(&["\"out/manifest.json\""]);
const SIGNING_KEY: Parameter = Parameter {
    absent: Absent::Refused,
    meaning: "where the Ed25519 key is that signs: 64 hexadecimal digits, which `moretta key new` makes",
    ..super::columns::KEY
}
.examples(&["\"env:MORETTA_SIGNING_KEY\""]);

impl ManifestPolicy {
    pub(super) fn read(mut section: Section, root: &Root) -> Result<Self> {
        let path = section.read(&MANIFEST_PATH, |placed, name| resolve(placed, name, root))?;
        let (key, span) = section.read(&SIGNING_KEY, |placed, name| {
            Ok((read_key(placed, name, root)?, placed.span.clone()))
        })?;
        section.finish()?;
        Ok(ManifestPolicy { path, key, span })
    }
}

/// The keys of `[ledger]`.
pub(super) const LEDGER: &[Parameter] = &[LEDGER_PATH, LEDGER_KEY, ON_CONFLICT, GROWTH, EPSILON];

const LEDGER_PATH: Parameter = Parameter::new(
    "path",
    Accepts::Text,
    Absent::Refused,
    "the file that records every release of the data set; never to be published",
)
.examples(&["\"patients.ledger\""]);
const LEDGER_KEY: Parameter = Parameter {
    absent: Absent::Refused,
    meaning: "where the key is under which the ledger knows rows; it must stay the same",
    ..super::columns::KEY
}
.examples(&["\"env:MORETTA_KEY\""]);
const ON_CONFLICT: Parameter = Parameter::new(
    "on_conflict",
    Accepts::Word(|| words(CONFLICTS)),
    Absent::Text("refuse"),
    "what is done where this and earlier releases, taken together, would leave somebody among fewer than k: the release is refused, or classes are joined and rows held back",
);
const GROWTH: Parameter = Parameter::new(
    "growth",
    Accepts::Flag,
    Absent::Flag(false),
    "whether the table grows: rows that were released keep their class and what it shows, new ones wait until they form a class or k of them join one",
);
const EPSILON: Parameter = Parameter::new(
    "epsilon",
    Accepts::Number(POSITIVE, 1e9),
    Absent::Means("no bound"),
    "the ε that all private releases of the data set may spend together",
)
.examples(&["5"]);

const CONFLICTS: &[(&str, Conflict)] =
    &[("refuse", Conflict::Refuse), ("coarsen", Conflict::Coarsen)];

/// Where the ledger is, and what is done where it forbids a release.
pub(super) fn read_ledger(mut section: Section, root: &Root) -> Result<(LedgerPolicy, LedgerPlan)> {
    let path = section.read(&LEDGER_PATH, |placed, name| resolve(placed, name, root))?;
    let (key, span) = section.read(&LEDGER_KEY, |placed, name| {
        Ok((read_key(placed, name, root)?, placed.span.clone()))
    })?;
    let plan = LedgerPlan {
        on_conflict: section.word(&ON_CONFLICT, CONFLICTS)?,
        growth: section.flag(&GROWTH)?,
    };
    let epsilon = section.optional(&EPSILON, Placed::number)?;
    section.finish()?;
    let ledger = LedgerPolicy {
        path,
        key,
        epsilon,
        span,
    };
    Ok((ledger, plan))
}

/// The keys of `[checkpoint]`.
pub(super) const CHECKPOINT: &[Parameter] = &[CHECKPOINT_PATH, EVERY];

const CHECKPOINT_PATH: Parameter = Parameter::new(
    "path",
    Accepts::Text,
    Absent::Refused,
    "the file in which a stream notes how far it is",
)
.examples(&["\"out/checkpoint.json\""]);
const EVERY: Parameter = Parameter::new(
    "every",
    Accepts::OneOf(&[Accepts::Whole(1, i64::MAX), POSITIVE_DURATION]),
    Absent::Text("30s"),
    "how often: a number of rows or a duration",
)
.examples(&["1000000", "\"30s\""]);

impl CheckpointPolicy {
    pub(super) fn read(mut section: Section, root: &Root) -> Result<Self> {
        let placed = section.read(&CHECKPOINT_PATH, |placed, _| Ok(placed.clone()))?;
        let shown = placed.text(CHECKPOINT_PATH.name)?;
        let path = root.resolve(&placed, &shown)?;
        let every = section.read(&EVERY, |placed, name| match placed.value {
            Value::Text(_) => placed.duration(name).map(Every::Milliseconds),
            _ => placed.whole(name).map(Every::Rows),
        })?;
        section.finish()?;
        Ok(CheckpointPolicy { path, shown, every })
    }
}
