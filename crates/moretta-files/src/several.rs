//! A table that comes in several files: one after the other, as if they were one.
//!
//! All files have the same columns in the same order. What a column holds is decided by the
//! policy or by the first file; a cell of a later one that does not fit is an error.

use super::options::{ColumnPlan, ReadAs, ReadOptions};
use super::{Source, names, open};
use moretta_data::data::{Batch, Kind, RowIds, Schema};
use moretta_data::error::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Opens the files as one table; each is opened when the one before has ended.
pub fn open_all(
    paths: &[&Path],
    options: &ReadOptions,
    plans: &[ColumnPlan],
) -> Result<Box<dyn Source>> {
    same_names(paths, options)?;
    let [first, rest @ ..] = paths else {
        return Err(Error::bug("a table without a file"));
    };
    let first = open(first, options, plans)?;
    if rest.is_empty() {
        return Ok(first);
    }
    let schema = Arc::clone(first.schema());
    Ok(Box::new(Several {
        plans: plans.iter().map(|plan| decided(plan, &schema)).collect(),
        waiting: rest.iter().rev().map(|path| path.to_path_buf()).collect(),
        options: options.clone(),
        notes: Vec::new(),
        source: first,
        schema,
        rows: 0,
    }))
}

/// Fails unless all files have the columns of the first, in the same order.
pub fn same_names(paths: &[&Path], options: &ReadOptions) -> Result<()> {
    let [first, rest @ ..] = paths else {
        return Err(Error::bug("a table without a file"));
    };
    if rest.is_empty() {
        return Ok(());
    }
    // The header of standard input can be read once.
    if paths.contains(&Path::new("-")) {
        return Err(
            Error::policy("standard input is no part of a table of several files")
                .help("write it to a file first"),
        );
    }
    let expected = names(first, options)?;
    for path in rest {
        if names(path, options)? != expected {
            let what = format!("the columns are not those of {}", first.display());
            return Err(Error::input(what)
                .in_file(path)
                .help("files of one table have the same header, in the same order"));
        }
    }
    Ok(())
}

/// The plan with what the first file decided.
fn decided(plan: &ColumnPlan, schema: &Schema) -> ColumnPlan {
    let kind = schema
        .index_of(&plan.name)
        .map(|i| &schema.fields()[i].kind);
    let read = match (&plan.read, kind) {
        (ReadAs::Infer, Some(Kind::Number { integer: true })) => ReadAs::Integer,
        (ReadAs::Infer, Some(Kind::Number { integer: false })) => ReadAs::Number,
        (ReadAs::Infer, Some(Kind::Date(format))) => ReadAs::Date(*format),
        (ReadAs::Infer, Some(Kind::Category { .. })) => ReadAs::Category,
        (read, _) => read.clone(),
    };
    ColumnPlan {
        read,
        ..plan.clone()
    }
}

/// Files that are read one after the other.
struct Several {
    schema: Arc<Schema>,
    plans: Vec<ColumnPlan>,
    options: ReadOptions,
    source: Box<dyn Source>,
    /// Files that were not opened yet, the next one last.
    waiting: Vec<PathBuf>,
    /// What was odd about those that have ended.
    notes: Vec<String>,
    /// Rows given so far.
    rows: u64,
}

impl Several {
    /// The rows of a batch, numbered on.
    fn numbered(&mut self, batch: Batch) -> Result<Batch> {
        let ids = RowIds::Range {
            start: self.rows,
            len: batch.len(),
        };
        self.rows += batch.len() as u64;
        Batch::new(Arc::clone(&self.schema), ids, batch.columns().to_vec())
    }
}

impl Iterator for Several {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Result<Batch>> {
        loop {
            match self.source.next() {
                Some(batch) => return Some(batch.and_then(|batch| self.numbered(batch))),
                None => {
                    let path = self.waiting.pop()?;
                    match open(&path, &self.options, &self.plans) {
                        Ok(next) => {
                            self.notes.extend(self.source.notes());
                            self.source = next;
                        }
                        Err(error) => {
                            self.waiting.clear();
                            return Some(Err(error));
                        }
                    }
                }
            }
        }
    }
}

impl Source for Several {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        notes.extend(self.source.notes());
        notes.dedup();
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_data::{column_text, plan};
    use super::*;
    use moretta_data::data::Role;

    fn read(files: &[(&str, &str)]) -> Result<(Vec<String>, Vec<u64>)> {
        let folder = tempfile::tempdir().expect("a folder");
        let paths: Vec<PathBuf> = files
            .iter()
            .map(|(name, text)| {
                let path = folder.path().join(name);
                std::fs::write(&path, text).expect("written");
                path
            })
            .collect();
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        let plans = ["a", "b"].map(|name| plan(name, Role::Quasi, ReadAs::Infer));
        let source = open_all(&paths, &ReadOptions::default(), &plans)?;
        let (mut cells, mut ids) = (Vec::new(), Vec::new());
        for batch in source {
            let batch = batch?;
            cells.extend(column_text(&batch, 1));
            ids.extend(batch.rows().iter());
        }
        Ok((cells, ids))
    }

    #[test]
    fn files_with_one_header_are_one_table() {
        let files = [
            ("a.csv", "a,b\n1,x\n2,y\n"),
            ("b.csv", "a,b\n"),
            ("c.jsonl", "{\"a\":3,\"b\":\"x\"}\n"),
        ];
        let (cells, ids) = read(&files).expect("reads");
        assert_eq!(cells, ["x", "y", "x"]);
        assert_eq!(ids, [0, 1, 2]);
    }

    #[test]
    fn other_columns_and_cells_that_do_not_fit_are_refused() {
        for (second, what) in [
            ("b,a\n1,x\n", "the columns are not those of"),
            ("a,b,c\n1,x,2\n", "the columns are not those of"),
            ("a,b\n1.5,x\n", "not a whole number"),
        ] {
            let error = read(&[("a.csv", "a,b\n1,x\n"), ("b.csv", second)]).expect_err(second);
            assert!(error.to_string().contains(what), "{error}");
            assert!(error.to_string().contains("b.csv"), "{error}");
            assert_eq!(error.exit_code(), 4);
        }
    }
}
