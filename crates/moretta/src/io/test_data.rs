//! What the tests of readers and writers share.

use super::input::Input;
use super::options::{ColumnPlan, ReadAs, ReadOptions, WriteOptions};
use super::{create, csv, names, open};
use crate::data::{Batch, Column, Kind, Role};
use crate::error::Result;
use std::path::{Path, PathBuf};

pub(super) fn plan(name: &str, role: Role, read: ReadAs) -> ColumnPlan {
    ColumnPlan {
        name: name.to_owned(),
        role,
        read,
    }
}

/// The batches of `text`; without plans every column is quasi and inferred.
pub(super) fn csv_batches(
    text: &[u8],
    options: &ReadOptions,
    plans: &[ColumnPlan],
    block_bytes: usize,
) -> Result<Vec<Batch>> {
    let input = Input::from_bytes(text, options)?;
    let plans = if plans.is_empty() {
        let csv = csv::Csv::new(Path::new("-"), options)?;
        let again = Input::from_bytes(text, options)?;
        csv::start(again, csv, options, block_bytes)
            .map_err(|e| e.in_file("-"))?
            .names
            .iter()
            .map(|name| plan(name, Role::Quasi, ReadAs::Infer))
            .collect()
    } else {
        plans.to_vec()
    };
    csv::open(input, options, &plans, block_bytes)?.collect()
}

/// The whole of `text` as one batch.
pub(super) fn read_csv(text: &[u8], options: &ReadOptions, plans: &[ColumnPlan]) -> Result<Batch> {
    csv_batches(text, options, plans, 7).map(|mut batches| batches.remove(0))
}

/// The cells of a column as text; empty when missing.
pub(super) fn column_text(batch: &Batch, index: usize) -> Vec<String> {
    let kind = &batch.schema().fields()[index].kind;
    (0..batch.len())
        .map(|row| match (batch.column(index), kind) {
            (Column::Number(n), Kind::Date(format)) => n
                .get(row)
                .map(|day| format.format(day as i32))
                .unwrap_or_default(),
            (Column::Number(n), _) => n.get(row).map(|n| n.to_string()).unwrap_or_default(),
            (Column::Category(c), _) => c.get(row).unwrap_or_default().to_owned(),
            (Column::Plain(array), _) => {
                let text = super::plain_text::plain_text(array).expect("text");
                text.iter()
                    .nth(row)
                    .flatten()
                    .unwrap_or_default()
                    .to_owned()
            }
        })
        .collect()
}

/// A CSV of categories, numbers and plain text, and plans to read it.
pub(super) fn table(rows: &[(Option<String>, Option<f64>, String)]) -> (Vec<u8>, Vec<ColumnPlan>) {
    let mut text = "c,n,p\n".to_owned();
    for (c, n, p) in rows {
        let quoted = |t: &str| format!("\"{}\"", t.replace('"', "\"\""));
        let n = n.map(|n| n.to_string()).unwrap_or_default();
        text += &format!("{},{n},{}\n", quoted(c.as_deref().unwrap_or("")), quoted(p));
    }
    let plans = vec![
        plan("c", Role::Quasi, ReadAs::Category),
        plan("n", Role::Quasi, ReadAs::Number),
        plan("p", Role::Plain, ReadAs::Plain),
    ];
    (text.into_bytes(), plans)
}

/// Writes the table in the format of `name`, reads it again and compares.
#[track_caller]
pub(super) fn check_round_trip(name: &str, text: &[u8], plans: &[ColumnPlan], typed: bool) {
    let batch = read_csv(text, &ReadOptions::default(), plans).expect("reads");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    let options = WriteOptions {
        guard_formulas: false,
        ..WriteOptions::default()
    };
    let mut sink = create(&path, &options, batch.schema()).expect("creates");
    let half = batch.len() / 2;
    sink.write(&batch.slice(0, half)).expect("writes");
    sink.write(&batch.slice(half, batch.len() - half))
        .expect("writes");
    sink.close().expect("closes");
    assert_eq!(
        names(&path, &ReadOptions::default()).expect("names"),
        plans.iter().map(|p| p.name.as_str()).collect::<Vec<_>>()
    );
    let again: Vec<Batch> = open(&path, &ReadOptions::default(), plans)
        .expect("opens")
        .collect::<Result<_>>()
        .expect("reads again");
    assert_eq!(again.len(), 1);
    for index in 0..batch.schema().len() {
        assert_eq!(column_text(&batch, index), column_text(&again[0], index));
        let missing = batch.column(index).missing_count();
        assert_eq!(missing, again[0].column(index).missing_count());
    }
    if typed {
        assert_eq!(batch.schema(), again[0].schema());
    }
}

/// A file of the shared data; under CI it must be there.
pub(super) fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data")
        .join(name);
    let found = path.exists();
    assert!(
        found || std::env::var_os("CI").is_none(),
        "CI needs the shared data: {name}"
    );
    found.then_some(path)
}
