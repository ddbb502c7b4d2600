//! Pages of raw rows.
//!
//! What names persons is not among them: its columns hold pseudonyms, and the names lie in the vault.

use crate::app::App;
use crate::data::check_purpose;
use crate::data::one_file::SealedTable;
use crate::data::version::DataVersion;
use crate::http::{Call, Json, Nothing, Route, get};
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::rights::{Permit, ReadRaw};
use crate::seal::Key;
use crate::secret::hex;
use crate::zone::RawZone;
use moretta::data::plain_text::plain_text;
use moretta::data::{Batch, Column};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) fn routes() -> Vec<Route> {
    vec![get(
        "/projects/{project}/datasets/{dataset}/versions/{version}/rows",
        "Raw rows of a version, a page at a time, for a stated purpose",
        rows,
    )]
}

/// Which rows, and what for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wanted {
    /// What they are needed for; it stands in the log.
    purpose: String,
    /// The `next` of the page before.
    after: Option<String>,
    /// How many at most, up to 500; 100 without.
    limit: Option<usize>,
}

/// A page of raw rows.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Rows {
    /// The names of the columns.
    columns: Vec<String>,
    /// The cells, row by row; none where one is missing.
    rows: Vec<Vec<Option<String>>>,
    /// The number of the first row, counted from 0.
    first: u64,
    /// Where the next page begins; none at the end.
    next: Option<String>,
}

/// Where a page begins: the number of its first row and, where the file can be gone into, its byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mark {
    row: u64,
    byte: Option<u64>,
}

/// Reads and writes marks of a version. Which byte a row begins at is signed: else readers would choose
/// what the log says of the rows that they see.
struct Marks<'a> {
    key: &'a Key,
    version: Id,
}

impl Marks<'_> {
    fn read(&self, text: &str) -> Option<Mark> {
        let mut parts = text.split('.');
        let row = parts.next()?.parse().ok()?;
        let byte = match (parts.next(), parts.next(), parts.next()) {
            (None, ..) => None,
            (Some(byte), Some(signature), None) => {
                let byte = byte.parse().ok()?;
                (signature == self.signature(row, byte)).then_some(Some(byte))?
            }
            _ => return None,
        };
        Some(Mark { row, byte })
    }

    fn write(&self, mark: Mark) -> String {
        let Mark { row, byte } = mark;
        match byte {
            Some(byte) => format!("{row}.{byte}.{}", self.signature(row, byte)),
            None => row.to_string(),
        }
    }

    fn signature(&self, row: u64, byte: u64) -> String {
        let purpose = format!("page of {}", self.version);
        let sum = self.key.sum(&purpose, format!("{row}.{byte}").as_bytes());
        hex(&sum[..16])
    }
}

fn rows(app: &App, permit: Permit<ReadRaw>, call: Call<Wanted, Nothing>) -> Result<Json<Rows>> {
    let (project, dataset, id) = (permit.project()?, call.id("dataset")?, call.id("version")?);
    let wanted = &call.query;
    check_purpose(&wanted.purpose)?;
    let limit = match wanted.limit.unwrap_or(100) {
        limit @ 1..=500 => limit,
        _ => return Err(Problem::unusable("a page has 1 to 500 rows")),
    };
    let marks = Marks {
        key: &app.keys()?.secrets,
        version: id,
    };
    let from = match &wanted.after {
        None => Mark::default(),
        Some(mark) => marks
            .read(mark)
            .ok_or_else(|| Problem::unusable("`after` is no mark of a page"))?,
    };
    let (version, placed) = app.store.read(|sql| {
        let version = DataVersion::find_of(sql, project, dataset, id)?;
        let placed = RawZone::of(app)?.place(sql, version.object()?)?;
        Ok((version, placed))
    })?;
    let table = SealedTable::open(app, placed, &version.place)?;
    let page = page(&table, &marks, from, limit)?;
    app.store.act(|act| {
        let mut entry = permit.entry("data.raw");
        entry.subject = Some(id);
        entry.facts = vec![
            ("first", page.first.to_string()),
            ("rows", page.rows.len().to_string()),
            ("purpose", wanted.purpose.clone()),
        ];
        act.log(&entry)
    })?;
    Ok(Json(page))
}

fn page(table: &SealedTable, marks: &Marks<'_>, from: Mark, limit: usize) -> Result<Rows> {
    let mut source = table.rows(limit, &[])?;
    let sought = match from.byte {
        Some(byte) => source.seek(byte)?,
        None => false,
    };
    // What is packed can only be read from its beginning.
    let mut skip = if sought { 0 } else { from.row };
    let mut rows: Vec<Vec<Option<String>>> = Vec::new();
    let mut byte = None;
    let mut more = false;
    while let Some(batch) = source.next().transpose()? {
        let taken = skip.min(batch.len() as u64);
        skip -= taken;
        let rest = batch.slice(taken as usize, batch.len() - taken as usize);
        if rest.is_empty() {
            continue;
        }
        if rows.len() + rest.len() > limit {
            more = true;
        }
        let room = rest.len().min(limit - rows.len());
        rows.extend(texts(&rest.slice(0, room))?);
        if more {
            byte = None;
            break;
        }
        byte = source.offset();
        if rows.len() == limit {
            more = source
                .next()
                .transpose()?
                .is_some_and(|batch| !batch.is_empty());
            break;
        }
    }
    let row = from.row + rows.len() as u64;
    Ok(Rows {
        columns: table.columns.clone(),
        first: from.row,
        next: more.then(|| marks.write(Mark { row, byte })),
        rows,
    })
}

/// The cells of a batch, row by row.
fn texts(batch: &Batch) -> Result<Vec<Vec<Option<String>>>> {
    let mut rows = vec![Vec::with_capacity(batch.columns().len()); batch.len()];
    for column in batch.columns() {
        let Column::Plain(array) = column else {
            return Err(Problem::bug("a raw column was not read as it is"));
        };
        for (row, cell) in rows.iter_mut().zip(plain_text(array)?.iter()) {
            row.push(cell.map(str::to_owned));
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_as_it_is_written_and_not_as_anybody_else_writes_it() {
        let key = Key::random();
        let marks = Marks {
            key: &key,
            version: Id::random(),
        };
        for mark in [
            Mark::default(),
            Mark { row: 7, byte: None },
            Mark {
                row: 7,
                byte: Some(120),
            },
        ] {
            assert_eq!(marks.read(&marks.write(mark)), Some(mark));
        }
        for text in ["", "-1", "1.", ".1", "1.2", "1.2.3", "1.2.3.4", "x"] {
            assert_eq!(marks.read(text), None, "{text}");
        }
        let mark = marks.write(Mark {
            row: 7,
            byte: Some(120),
        });
        assert_eq!(marks.read(&mark.replacen('7', "0", 1)), None);
        let other = Marks {
            key: &key,
            version: Id::random(),
        };
        assert_eq!(other.read(&mark), None);
    }
}
