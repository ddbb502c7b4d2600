//! Writes a graph: its nodes as rows come, its edges when they are known.

use super::super::Sink;
use super::super::files::Files;
use super::super::options::GraphTable;
use super::super::output::Output;
use arrow_array::{Array, StringArray};
use moretta_data::data::plain_text::plain_text;
use moretta_data::data::{Batch, Categories, Column, DateFormat, Kind, Numbers, Schema};
use moretta_data::data::{json_column, push_number};
use moretta_data::error::{Error, Result};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                    <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";

const TAIL: &str = "</graph>\n</graphml>\n";

/// Writes nodes.
pub(super) struct GraphMlSink {
    output: Output,
    /// The place of the column that is the id; without one nodes are numbered.
    id: Option<usize>,
    rows: u64,
}

impl GraphMlSink {
    pub(super) fn new(output: Output, table: &GraphTable, schema: &Schema) -> Result<Self> {
        let (name, directed) = match table {
            GraphTable::Nodes { id, directed } => (Some(id), *directed),
            _ => (None, false),
        };
        let id = match name {
            None => None,
            Some(name) => Some(
                schema
                    .index_of(name)
                    .ok_or_else(|| Error::bug("the column of ids is not released"))?,
            ),
        };
        let mut sink = GraphMlSink {
            output,
            id,
            rows: 0,
        };
        let mut head = HEAD.as_bytes().to_vec();
        let keys = schema.fields().iter().enumerate();
        for (place, field) in keys.filter(|(place, _)| Some(*place) != id) {
            let kind = match field.kind {
                Kind::Number { integer: true } => "long",
                Kind::Number { integer: false } => "double",
                _ => "string",
            };
            head.extend_from_slice(
                format!("<key id=\"d{place}\" for=\"node\" attr.name=\"").as_bytes(),
            );
            push_escaped(&mut head, &field.name)?;
            head.extend_from_slice(format!("\" attr.type=\"{kind}\"/>\n").as_bytes());
        }
        let direction = if directed { "directed" } else { "undirected" };
        head.extend_from_slice(format!("<graph edgedefault=\"{direction}\">\n").as_bytes());
        sink.output.write(&head)?;
        Ok(sink)
    }
}

impl Sink for GraphMlSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let columns = batch.columns().iter().zip(batch.schema().fields());
        let columns = columns.map(|(column, field)| {
            let cells = Cells::of(column, &field.kind);
            cells.map_err(|e| e.in_column(&*field.name))
        });
        let columns = columns.collect::<Result<Vec<Cells<'_>>>>()?;
        let (mut out, mut text) = (Vec::new(), Vec::new());
        for row in 0..batch.len() {
            self.rows += 1;
            out.extend_from_slice(b"<node id=\"");
            match self.id.map(|place| columns[place].push(row, &mut text)) {
                None => out.extend_from_slice(self.rows.to_string().as_bytes()),
                Some(true) => push_escaped(&mut out, as_text(&text)?)?,
                Some(false) => return Err(Error::input("a node without an id")),
            }
            out.extend_from_slice(b"\">");
            for (place, cells) in columns.iter().enumerate() {
                if Some(place) == self.id || !cells.push(row, &mut text) {
                    continue;
                }
                out.extend_from_slice(format!("<data key=\"d{place}\">").as_bytes());
                let escaped = push_escaped(&mut out, as_text(&text)?);
                escaped.map_err(|e| e.in_column(&*batch.schema().fields()[place].name))?;
                out.extend_from_slice(b"</data>");
            }
            out.extend_from_slice(b"</node>\n");
            if out.len() > 1 << 20 {
                self.output.write(&out)?;
                out.clear();
            }
        }
        self.output.write(&out)
    }

    fn close(&mut self) -> Result<()> {
        self.output.write(TAIL.as_bytes())?;
        self.output.close()
    }
}

fn as_text(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|_| Error::bug("a cell is always text"))
}

/// The cells of a column.
enum Cells<'a> {
    Number(&'a Numbers),
    Date(&'a Numbers, DateFormat),
    Category(&'a Categories),
    Text(StringArray),
}

impl<'a> Cells<'a> {
    fn of(column: &'a Column, kind: &Kind) -> Result<Self> {
        Ok(match (column, kind) {
            (Column::Number(numbers), Kind::Date(format)) => Cells::Date(numbers, *format),
            (Column::Number(numbers), _) => Cells::Number(numbers),
            (Column::Category(categories), _) => Cells::Category(categories),
            (Column::Plain(array), _) => Cells::Text(match json_column::tokens(array) {
                Some(tokens) => tokens,
                None => plain_text(array)?,
            }),
        })
    }

    /// Writes a cell; false where it is missing.
    fn push(&self, row: usize, text: &mut Vec<u8>) -> bool {
        text.clear();
        match self {
            Cells::Number(numbers) => match numbers.get(row) {
                Some(number) => push_number(text, number),
                None => return false,
            },
            Cells::Date(numbers, format) => match numbers.get(row) {
                Some(day) => text.extend_from_slice(format.format(day as i32).as_bytes()),
                None => return false,
            },
            Cells::Category(categories) => match categories.get(row) {
                Some(value) => text.extend_from_slice(value.as_bytes()),
                None => return false,
            },
            Cells::Text(texts) if texts.is_valid(row) => {
                text.extend_from_slice(texts.value(row).as_bytes());
            }
            Cells::Text(_) => return false,
        }
        true
    }
}

/// Writes text so that it stays text, in content and in attributes.
fn push_escaped(out: &mut Vec<u8>, text: &str) -> Result<()> {
    for byte in text.bytes() {
        match byte {
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            b'"' => out.extend_from_slice(b"&quot;"),
            // Readers make others of them.
            b'\r' | b'\n' | b'\t' => out.extend_from_slice(format!("&#{byte};").as_bytes()),
            0..0x20 => {
                return Err(Error::input("a text with a character that XML cannot hold")
                    .help("write another format, or take control characters out"));
            }
            byte => out.push(byte),
        }
    }
    Ok(())
}

/// Writes edges into an unpacked file of nodes, which was closed, as numbers of nodes from 1. What
/// was there stays as it is, byte by byte.
///
/// # Errors
/// When the file is not one of ours, or cannot be written.
pub fn append_edges(
    path: &Path,
    files: &Files,
    edges: impl Iterator<Item = (u32, u32)>,
) -> Result<()> {
    let failed = |e| Error::io("write", path, e);
    let mut file = files.open(path).map_err(failed)?;
    let length = file.seek(SeekFrom::End(0)).map_err(failed)?;
    let tail = length.checked_sub(TAIL.len() as u64);
    let tail = tail.ok_or_else(|| Error::bug("a file of nodes without an end"))?;
    file.seek(SeekFrom::Start(tail)).map_err(failed)?;
    let mut end = String::new();
    file.read_to_string(&mut end).map_err(failed)?;
    if end != TAIL {
        return Err(Error::bug("a file of nodes with another end"));
    }
    let mut output = Output::resume(path, files, tail)?;
    let mut out = Vec::new();
    for (from, to) in edges {
        let (from, to) = (u64::from(from) + 1, u64::from(to) + 1);
        out.extend_from_slice(format!("<edge source=\"{from}\" target=\"{to}\"/>\n").as_bytes());
        if out.len() > 1 << 20 {
            output.write(&out)?;
            out.clear();
        }
    }
    out.extend_from_slice(TAIL.as_bytes());
    output.write(&out)?;
    output.close()
}
