//! One sealed file, as the readers of the library see it: unsealed in memory, frame by frame.

use crate::app::App;
use crate::problem::{Problem, Result};
use crate::zone::Placed;
use moretta::data::Role;
use moretta::io::{
    self, ColumnPlan, Files, Provider, ReadAs, ReadOptions, Readable, Source, Writable,
};
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

/// Delimiters of CSV besides the usual one.
const DELIMITERS: [u8; 3] = [b';', b'\t', b'|'];

/// A sealed file under the name that the library has for it. There is no other file.
#[derive(Debug)]
struct OneFile {
    name: PathBuf,
    placed: Placed,
}

impl Provider for OneFile {
    fn open(&self, path: &Path) -> std::io::Result<Box<dyn Readable>> {
        match path == self.name {
            true => Ok(Box::new(self.placed.open().map_err(Error::other)?)),
            false => Err(ErrorKind::NotFound.into()),
        }
    }

    fn create(&self, _: &Path) -> std::io::Result<Box<dyn Writable>> {
        Err(ErrorKind::PermissionDenied.into())
    }

    fn reopen(&self, _: &Path, _: u64) -> std::io::Result<Box<dyn Writable>> {
        Err(ErrorKind::PermissionDenied.into())
    }

    fn rename(&self, _: &Path, _: &Path, _: bool) -> std::io::Result<()> {
        Err(ErrorKind::PermissionDenied.into())
    }

    fn remove(&self, _: &Path) -> std::io::Result<()> {
        Err(ErrorKind::PermissionDenied.into())
    }

    fn exists(&self, path: &Path) -> bool {
        path == self.name
    }
}

/// Another delimiter, with which a table has more than one column.
fn delimited(name: &Path, options: &ReadOptions) -> Option<(u8, Vec<String>)> {
    DELIMITERS.into_iter().find_map(|delimiter| {
        let options = ReadOptions {
            delimiter: Some(delimiter),
            ..options.clone()
        };
        let columns = io::names(name, &options).ok()?;
        (columns.len() > 1).then_some((delimiter, columns))
    })
}

/// A sealed table: its columns, and how it is read.
pub(super) struct SealedTable {
    name: PathBuf,
    pub(super) columns: Vec<String>,
    pub(super) options: ReadOptions,
}

impl SealedTable {
    /// Looks at the names of the columns.
    ///
    /// # Errors
    /// When it is no table of the format that its name tells.
    pub(super) fn open(app: &App, placed: Placed, name: &str) -> Result<Self> {
        let name = PathBuf::from(name);
        let file = OneFile {
            name: name.clone(),
            placed,
        };
        let mut options = ReadOptions {
            files: Files::provided(file),
            block_bytes: Some(1 << 16),
            ..ReadOptions::default()
        };
        options.limits.unpacked_bytes = app.settings.limits.unpacked_bytes;
        let columns = match io::names(&name, &options) {
            Ok(columns) if columns.len() > 1 => columns,
            found => match delimited(&name, &options) {
                Some((delimiter, columns)) => {
                    options.delimiter = Some(delimiter);
                    columns
                }
                None => found?,
            },
        };
        Ok(SealedTable {
            name,
            columns,
            options,
        })
    }

    /// Its rows, `rows` at a time; cells pass through as they are, but for columns that are read as
    /// texts.
    pub(super) fn rows(&self, rows: usize, texts: &[String]) -> Result<Box<dyn Source>> {
        let options = ReadOptions {
            batch_rows: Some(rows),
            ..self.options.clone()
        };
        let plan = |name: &String| match texts.contains(name) {
            true => ColumnPlan {
                name: name.clone(),
                role: Role::Identifier,
                read: ReadAs::Category,
            },
            false => ColumnPlan {
                name: name.clone(),
                role: Role::Plain,
                read: ReadAs::Plain,
            },
        };
        let plans: Vec<ColumnPlan> = self.columns.iter().map(plan).collect();
        io::open(&self.name, &options, &plans).map_err(Problem::from)
    }
}
