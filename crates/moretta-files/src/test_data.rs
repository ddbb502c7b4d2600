//! What the tests of readers and writers share.

use super::input::Input;
use super::options::{ColumnPlan, ReadAs, ReadOptions, WriteOptions};
use super::{create, csv, names, open};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Int64Array, ListArray,
    TimestampMicrosecondArray,
};
use moretta_data::data::{Batch, Column, Field, Kind, Role, RowIds, Schema};
use moretta_data::error::Result;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
                let text = moretta_data::data::plain_text::plain_text(array).expect("text");
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
        // What a file declares of a column is more than was known before.
        let kinds = |batch: &Batch| -> Vec<(String, Role, Kind)> {
            let fields = batch.schema().fields().iter();
            fields
                .map(|f| (f.name.to_string(), f.role, f.kind.clone()))
                .collect()
        };
        assert_eq!(kinds(&batch), kinds(&again[0]));
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

/// All rows of a file as one batch.
pub(super) fn read_all(path: &Path, options: &ReadOptions, plans: &[ColumnPlan]) -> Result<Batch> {
    open(path, options, plans)?.next().expect("one batch")
}

/// Arrays of many types with a missing cell in the middle.
pub(super) fn sample_arrays() -> Vec<(&'static str, ArrayRef)> {
    let days = [Some(19_783), None, Some(-1)];
    let micros = [Some(19_783 * 86_400_000_000), None, Some(0)];
    let moments = micros.map(|m| m.map(|m: i64| m + 1));
    let nested = vec![Some(vec![Some(1), None]), None, Some(vec![])];
    let words: DictionaryArray<Int32Type> = vec![Some("b"), None, Some("a")].into_iter().collect();
    vec![
        (
            "id",
            Arc::new(Int64Array::from(vec![Some(i64::MAX), None, Some(i64::MIN)])),
        ),
        (
            "decimal",
            Arc::new(
                Decimal128Array::from(vec![Some(1_500), None, Some(-2_250)])
                    .with_precision_and_scale(20, 3)
                    .expect("fits"),
            ),
        ),
        ("day", Arc::new(Date32Array::from(days.to_vec()))),
        (
            "midnight",
            Arc::new(TimestampMicrosecondArray::from(micros.to_vec())),
        ),
        (
            "moment",
            Arc::new(TimestampMicrosecondArray::from(moments.to_vec())),
        ),
        ("word", Arc::new(words)),
        (
            "flag",
            Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])),
        ),
        (
            "nested",
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(nested)),
        ),
    ]
}

/// Writes the arrays as columns that pass through.
pub(super) fn write_plain(path: &Path, arrays: &[(&str, ArrayRef)]) {
    let fields = arrays
        .iter()
        .map(|(name, array)| Field::new(*name, Role::Plain, Kind::Plain(array.data_type().clone())))
        .collect();
    let columns = arrays
        .iter()
        .map(|(_, array)| Column::Plain(array.clone()))
        .collect();
    let rows = RowIds::Range { start: 0, len: 3 };
    let schema = Arc::new(Schema::new(fields).expect("names differ"));
    let batch = Batch::new(Arc::clone(&schema), rows, columns).expect("fits");
    let mut sink = create(path, &WriteOptions::default(), &schema).expect("creates");
    sink.write(&batch).expect("writes");
    sink.close().expect("closes");
}
