//! Pages, counts and files of a level: of what waits, for who reviews, and of what was published.

use super::csv::Cell;
use super::record::Release;
use super::table::Table;
use super::task::Part;
use crate::app::App;
use crate::http::{Answer, Chunks, Described, Download, Given, Ready};
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::seal::{FRAME, SealedReader};
use crate::zone::{ReleaseZone, StagingZone};
use schemars::{JsonSchema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read;

/// Which rows.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    /// The `next` of the page before.
    after: Option<u64>,
    /// How many rows at most, up to 500; 100 without.
    limit: Option<u32>,
    /// Conditions that rows meet, a list in JSON:
    /// `[{"column": "age", "is": "contains", "values": ["60"]}]`, with `=`, `in`, `contains` (the
    /// cell covers the value) or `overlaps` (the cell and the interval share a value).
    r#where: Option<String>,
}

/// A page of rows.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Rows {
    /// The columns.
    columns: Vec<String>,
    /// The rows, cell by cell, in the words of the release; none where a cell is missing.
    items: Vec<Vec<Cell>>,
    /// Where the next page begins; none at the end. A page may be short before that: not all rows are
    /// looked at at once.
    next: Option<u64>,
    /// Rows of the release.
    total: u64,
}

/// What is counted.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Counted {
    /// Up to three columns, a list in JSON; none to count all rows that meet the conditions.
    by: Option<String>,
    /// Conditions, as for rows.
    r#where: Option<String>,
}

/// Counts of rows.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Counts {
    /// The columns that were counted by.
    by: Vec<String>,
    /// What rows show in them, and how many do.
    items: Vec<Count>,
    /// Rows that were counted.
    total: u64,
}

/// A count.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Count {
    /// What the rows show.
    shows: Vec<Cell>,
    /// How many do.
    rows: u64,
}

/// The table of a level.
pub(super) type Opened = Table<SealedReader<File>>;

/// Opens the files of a level of a release, wherever they lie.
///
/// # Errors
/// 404 when it has no such level.
pub(super) fn open_table(app: &App, release: &Release, level: u32) -> Result<Opened> {
    let rows = open(app, release, level, Part::Rows)?;
    Table::open(rows, open(app, release, level, Part::Index)?)
}

/// Opens one file of a level.
///
/// # Errors
/// 404 when it has none.
pub(super) fn open(
    app: &App,
    release: &Release,
    level: u32,
    part: Part,
) -> Result<SealedReader<File>> {
    app.store.read(|sql| {
        let object = release.part(sql, level, part)?;
        let object: Id = object.ok_or_else(|| Problem::not_found("level"))?;
        match release.state.is_staged() {
            true => StagingZone::of(app)?.open(sql, object),
            false => ReleaseZone::of(app)?.open(sql, object),
        }
    })
}

/// A page of rows of a table.
///
/// # Errors
/// When the wish cannot be fulfilled, or the files cannot be read.
pub(super) fn page(mut table: Opened, wanted: &Wanted) -> Result<Rows> {
    let limit = match wanted.limit.unwrap_or(100) {
        limit @ 1..=500 => limit as usize,
        _ => return Err(Problem::unusable("a page has 1 to 500 rows")),
    };
    let found = table.page(wanted.r#where.as_deref(), wanted.after.unwrap_or(0), limit)?;
    Ok(Rows {
        columns: table.head().columns.clone(),
        items: found.rows,
        next: found.next,
        total: table.head().rows,
    })
}

/// Counts of a table.
///
/// # Errors
/// When the wish cannot be fulfilled, or the files cannot be read.
pub(super) fn count(mut table: Opened, counted: &Counted) -> Result<Counts> {
    let by: Vec<String> = match &counted.by {
        Some(by) => serde_json::from_str(by).map_err(|_| {
            Problem::unusable("`by` is no list of columns").help("such as [\"ward\", \"age\"]")
        })?,
        None => Vec::new(),
    };
    let counts = table.counts(counted.r#where.as_deref(), &by)?;
    let total = counts.values().sum();
    let items = counts.into_iter();
    Ok(Counts {
        by,
        items: items.map(|(shows, rows)| Count { shows, rows }).collect(),
        total,
    })
}

/// A whole file of at most this many bytes is answered at once.
const WHOLE: u64 = 256 << 20;

/// All bytes of a file.
///
/// # Errors
/// When it cannot be read.
pub(super) fn whole(file: SealedReader<File>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = file.take(WHOLE).read_to_end(&mut bytes);
    read.map_err(|e| crate::seal::problem(&e))?;
    Ok(bytes)
}

/// A file on its way, as long as `still` says so.
pub(super) fn download(
    mut file: SealedReader<File>,
    name: String,
    still: Box<dyn Fn() -> bool + Send>,
) -> Download {
    // `Read` has a method of this name too.
    let length = SealedReader::bytes(&file);
    let mut piece = vec![0; FRAME];
    let chunks = std::iter::from_fn(move || match file.read(&mut piece) {
        Ok(0) => None,
        Ok(read) => Some(Ok(piece[..read].to_vec())),
        Err(e) => Some(Err(crate::seal::problem(&e))),
    });
    Download {
        name,
        media_type: "",
        length,
        headers: Vec::new(),
        chunks: Box::new(chunks.fuse()) as Chunks,
        still,
    }
}

/// A report as a page in a sandbox: whatever stands in it, no script runs and nothing is fetched.
pub(super) struct Page(pub(super) Vec<u8>);

/// What browsers may do with a report.
const SANDBOX: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
                       base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

impl Answer for Page {
    fn give(self) -> Result<Given> {
        Ok(Given::Ready(Ready {
            status: 200,
            headers: vec![
                ("content-type", "text/html; charset=utf-8".to_owned()),
                ("content-security-policy", SANDBOX.to_owned()),
            ],
            body: self.0,
        }))
    }

    fn describe(_: &mut SchemaGenerator) -> Described {
        Described {
            status: 200,
            media_type: "text/html",
            schema: None,
        }
    }
}
