//! The table as Parquet and Arrow IPC, all cells as text.

use super::{HEADER, Table};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use parquet::arrow::ArrowWriter;
use std::sync::Arc;

/// The bytes of a Parquet file that is not packed.
pub(crate) fn write_parquet(table: &Table) -> Vec<u8> {
    let batch = batch(table);
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("written");
    writer.close().expect("closed");
    bytes
}

/// The bytes of an Arrow IPC file.
pub(crate) fn write_arrow(table: &Table) -> Vec<u8> {
    let batch = batch(table);
    let mut writer = FileWriter::try_new(Vec::new(), &batch.schema()).expect("a writer");
    writer.write(&batch).expect("written");
    writer.into_inner().expect("closed")
}

/// The bytes of an Arrow IPC stream.
pub(crate) fn write_arrow_stream(table: &Table) -> Vec<u8> {
    let batch = batch(table);
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).expect("a writer");
    writer.write(&batch).expect("written");
    writer.into_inner().expect("closed")
}

fn batch(table: &Table) -> RecordBatch {
    let columns = HEADER.iter().enumerate().map(|(i, name)| {
        let cells: StringArray = table.rows.iter().map(|row| Some(&row[i])).collect();
        (*name, Arc::new(cells) as ArrayRef)
    });
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}
