//! Chunks handed on as batches of their own, as soon as they are parsed.
//!
//! What a chunk holds is moved, not copied: its dictionary becomes the levels of
//! the batch. So the cut into batches follows how the input came, but the rows,
//! their ids and the first error do not depend on it: rows before a faulty one
//! are given first, then the error of that one alone.
//!
//! A row without its subject is no fault here: it would end a stream for good, and
//! whoever decides rows of a stream must count it and not release it.

use super::Source;
use super::chunk::{Chunk, ChunkColumn, Chunks, Values};
use super::feed::Feed;
use super::misfit::{Misfits, Unfit};
use super::slots::{check_distinct, present, text_column, too_much_text};
use arrow_schema::DataType;
use moretta_data::data::{Batch, Categories, Column, Field, Kind, Levels, Numbers, Schema};
use moretta_data::error::{Error, Result};
use std::sync::Arc;

/// A source that hands on each chunk.
pub(super) struct Stream<C> {
    feed: Feed<C>,
    /// The error that comes after the rows before it.
    failed: Option<Error>,
    done: bool,
}

impl<C: Chunks> Stream<C> {
    pub(super) fn new(feed: Feed<C>) -> Self {
        Stream {
            feed,
            failed: None,
            done: false,
        }
    }

    /// The next batch that has rows; none at the end.
    fn next_batch(&mut self) -> Result<Option<Batch>> {
        loop {
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            let Some((chunk, first_line)) = self.feed.next_chunk()? else {
                return Ok(None);
            };
            let batch = self.batch(chunk, first_line)?;
            if !batch.is_empty() {
                self.feed.tell(batch.len());
                return Ok(Some(batch));
            }
        }
    }

    /// The rows of the chunk up to its first fault, which is kept for later.
    fn batch(&mut self, chunk: Chunk, first_line: u64) -> Result<Batch> {
        let (good, misfit) = self.first_misfit(&chunk, first_line);
        let flaw = chunk.flaw;
        let flaw = || flaw.map(|flaw| self.feed.flaw_error(flaw, first_line));
        self.failed = misfit.or_else(flaw);
        let columns = chunk
            .columns
            .into_iter()
            .zip(self.feed.schema.fields())
            .zip(&self.feed.ordered)
            .map(|((column, field), ordered)| {
                self.column(column, field, ordered.as_ref(), chunk.rows)
                    .map_err(|e| self.feed.in_file(e).in_column(&*field.name))
            })
            .collect::<Result<_>>()?;
        let batch = self.feed.batch(chunk.rows, columns)?;
        Ok(if good < chunk.rows {
            batch.slice(0, good)
        } else {
            batch
        })
    }

    /// How many rows come before the first cell that does not fit, and its error.
    fn first_misfit(&self, chunk: &Chunk, first_line: u64) -> (usize, Option<Error>) {
        let firsts = chunk.columns.iter().zip(self.feed.schema.fields());
        let first = firsts
            .filter_map(|(column, field)| {
                let mut faults = column.misfits.iter();
                Some((faults.find(|misfit| misfit.why != Unfit::Subject)?, field))
            })
            .filter(|(misfit, _)| (misfit.row as usize) < chunk.rows)
            .min_by_key(|(misfit, _)| misfit.row);
        let Some((misfit, field)) = first else {
            return (chunk.rows, None);
        };
        let misfits = Misfits {
            count: 1,
            first_line: first_line + u64::from(misfit.line),
            first: misfit.why,
        };
        let error = misfits.error(&field.name, 1, self.feed.has_lines());
        (misfit.row as usize, Some(self.feed.in_file(error)))
    }

    /// The first `rows` cells of a column; those of a record that is not complete are left.
    fn column(
        &self,
        column: ChunkColumn,
        field: &Field,
        ordered: Option<&Arc<Levels>>,
        rows: usize,
    ) -> Result<Column> {
        Ok(match (column.values, ordered) {
            (
                Values::Number {
                    mut values,
                    missing,
                },
                _,
            ) => {
                values.truncate(rows);
                Column::Number(Numbers::with_missing(values, present(&missing, rows)))
            }
            (Values::Category { mut codes, levels }, _) => {
                check_distinct(levels.len(), field, &self.feed.limits)?;
                codes.truncate(rows);
                Column::Category(Categories::new(codes, Arc::new(levels)))
            }
            (Values::Ordered { mut codes }, Some(levels)) => {
                codes.truncate(rows);
                Column::Category(Categories::new(codes, Arc::clone(levels)))
            }
            (
                Values::Text {
                    ends,
                    text,
                    missing,
                },
                _,
            ) => {
                if i32::try_from(text.len()).is_err() {
                    return Err(too_much_text());
                }
                let json = field.kind != Kind::Plain(DataType::Utf8);
                let starts = ends[..rows].iter().map(|&end| end as i32);
                let offsets = std::iter::once(0).chain(starts).collect();
                text_column(offsets, text.into_bytes(), present(&missing, rows), json)?
            }
            (Values::Array(array), _) => Column::Plain(array.slice(0, rows)),
            (Values::Ordered { .. }, None) => {
                return Err(Error::bug("a chunk does not fit its table"));
            }
        })
    }
}

impl<C: Chunks> Iterator for Stream<C> {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let batch = self.next_batch();
        self.done = !matches!(batch, Ok(Some(_)));
        batch.transpose()
    }
}

impl<C: Chunks> Source for Stream<C> {
    fn schema(&self) -> &Arc<Schema> {
        &self.feed.schema
    }

    fn offset(&self) -> Option<u64> {
        match self.failed {
            None => self.feed.offset(),
            Some(_) => None,
        }
    }

    fn seek(&mut self, position: u64) -> Result<bool> {
        self.feed.seek(position)
    }

    fn notes(&self) -> Vec<String> {
        self.feed.notes()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::options::{ColumnPlan, ReadAs, ReadOptions};
    use super::super::test_data::{
        column_text, csv_batches, plan, read_csv, sample_arrays, table, write_plain,
    };
    use super::super::{csv, input::Input, open};
    use super::*;
    use moretta_data::data::Role;
    use proptest::prelude::*;
    use std::io::Write;
    use std::path::Path;
    use std::sync::mpsc;
    use std::time::Duration;

    fn streaming() -> ReadOptions {
        ReadOptions {
            stream: true,
            ..ReadOptions::default()
        }
    }

    fn events() -> [ColumnPlan; 3] {
        [
            plan("t", Role::Time, ReadAs::Plain),
            plan("user", Role::Subject, ReadAs::Category),
            plan("n", Role::Quasi, ReadAs::Infer),
        ]
    }

    fn cells(batches: &[Batch]) -> Vec<Vec<String>> {
        let columns = batches.first().map_or(0, |batch| batch.columns().len());
        (0..columns)
            .map(|i| batches.iter().flat_map(|b| column_text(b, i)).collect())
            .collect()
    }

    fn ids(batches: &[Batch]) -> Vec<u64> {
        batches.iter().flat_map(|b| b.rows().iter()).collect()
    }

    proptest! {
        #[test]
        fn the_rows_do_not_depend_on_the_blocks(
            rows in proptest::collection::vec(
                ("[a-c\n\", é]{0,3}", proptest::option::of(-9i8..9), "[x,\"\r\n]{0,3}"), 1..12),
            block_bytes in 1usize..64,
        ) {
            let rows: Vec<_> = rows
                .into_iter()
                .map(|(c, n, p)| (Some(c), n.map(f64::from), p))
                .collect();
            let (text, plans) = table(&rows);
            let whole = [read_csv(&text, &ReadOptions::default(), &plans).expect("reads")];
            let parts = csv_batches(&text, &streaming(), &plans, block_bytes).expect("reads");
            prop_assert_eq!(cells(&whole), cells(&parts));
            prop_assert_eq!(ids(&whole), ids(&parts));
            for (whole, column) in whole[0].columns().iter().zip(0..) {
                let missing = parts.iter().map(|b| b.column(column).missing_count());
                prop_assert_eq!(whole.missing_count(), missing.sum::<usize>());
            }
        }
    }

    /// Opens a file of text, with a byte order mark or not.
    fn written(folder: &Path, name: &str, text: &str) -> std::path::PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("written");
        path
    }

    #[test]
    fn reading_goes_on_at_any_offset_that_was_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let row = |n: usize| format!("{n},\"u{}\n{}\",{}\r\n", n % 7, n % 3, n * 37 % 101);
        let rows: String = (0..60).map(row).collect();
        for (name, mark) in [("plain.csv", ""), ("marked.csv", "\u{feff}")] {
            let path = written(folder.path(), name, &format!("{mark}t,user,n\r\n{rows}"));
            let open = |block_bytes: usize| {
                let input = Input::open(&path, &streaming()).expect("opens");
                csv::open(input, &streaming(), &events(), block_bytes).expect("opens")
            };
            for block_bytes in [20, 100, 333] {
                let mut source = open(block_bytes);
                let mut batches = Vec::new();
                let mut offsets = Vec::new();
                while let Some(batch) = source.next() {
                    batches.push(batch.expect("reads"));
                    offsets.push(source.offset().expect("a file"));
                }
                assert!(batches.len() > 1);
                for (done, &offset) in offsets.iter().enumerate() {
                    let mut rest = open(block_bytes + 7);
                    assert!(rest.seek(offset).expect("seeks"));
                    assert_eq!(rest.offset(), Some(offset));
                    let rest: Vec<Batch> = rest.map(|batch| batch.expect("reads")).collect();
                    let expected = &batches[done + 1..];
                    match expected.is_empty() {
                        true => assert!(rest.is_empty()),
                        false => assert_eq!(cells(&rest), cells(expected)),
                    }
                }
            }
        }
    }

    #[test]
    fn errors_behind_an_offset_tell_lines_of_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        for end in ["\n", "\r\n", "\r"] {
            let row = |n: usize| format!("{n},a,{n}{end}");
            let rows: String = (0..30).map(row).collect();
            let text = format!("t,user,n{end}{rows}30,a,x{end}");
            let path = written(folder.path(), "rows.csv", &text);
            let open = || {
                let input = Input::open(&path, &streaming()).expect("opens");
                let mut plans = events();
                plans[2].read = ReadAs::Integer;
                csv::open(input, &streaming(), &plans, 50).expect("opens")
            };
            let mut source = open();
            let told = |mut source: Box<dyn Source>| {
                let error = source.by_ref().find_map(|batch| batch.err());
                error.expect("an error").to_string()
            };
            source.next().expect("rows").expect("reads");
            let offset = source.offset().expect("a file");
            let expected = told(source);
            assert!(expected.contains("line 32"), "{expected}");
            let mut again = open();
            assert!(again.seek(offset).expect("seeks"));
            assert_eq!(told(again), expected);
        }
    }

    #[test]
    fn what_is_packed_or_piped_has_no_offsets() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows.csv.zst");
        let packed = zstd::encode_all(&b"t,user,n\n1,a,1\n"[..], 3).expect("packs");
        std::fs::write(&path, packed).expect("written");
        let mut source = open(&path, &streaming(), &events()).expect("opens");
        source.next().expect("rows").expect("reads");
        assert_eq!(source.offset(), None);
        assert!(!source.seek(9).expect("no fault"));
    }

    #[test]
    fn a_batch_has_the_levels_of_its_own_rows() {
        let text = b"t,user,n\n1,b,1\n2,a,2\n3,b,3\n4,c,4\n";
        let batches = csv_batches(text, &streaming(), &events(), 12).expect("reads");
        let levels: Vec<Vec<&str>> = batches
            .iter()
            .filter_map(|batch| batch.column(1).as_categories())
            .map(|users| users.levels().iter().collect())
            .collect();
        assert_eq!(levels, [vec!["b", "a"], vec!["b", "c"]]);
    }

    #[test]
    fn rows_before_a_fault_are_given_first() {
        let bad = [
            ("3,c\n", "line 4: 2 fields, header has 3"),
            ("3,c,3,3\n", "line 4: 4 fields, header has 3"),
            ("3,c,x\n4,,y\n5,b,z\n", "line 4: column `n`: not a number"),
            ("3,,x\n", "line 4: column `n`: not a number"),
            (
                "\"3,c\n",
                "line 4: column `t`: the quote opened on this line is never closed",
            ),
            (
                "3,c,\0\n",
                "line 4: column `n`: there is a NUL byte in the text",
            ),
        ];
        for (row, expected) in bad {
            for block_bytes in [1, 7, 30, 1 << 20] {
                let text = format!("t,user,n\n1,a,1\n2,b,2\n{row}");
                let mut plans = events();
                plans[2].read = ReadAs::Integer;
                let input = Input::from_bytes(text.as_bytes(), &streaming()).expect("opens");
                let mut source =
                    csv::open(input, &streaming(), &plans, block_bytes).expect("opens");
                let (mut good, mut error) = (Vec::new(), None);
                for batch in source.by_ref() {
                    match batch {
                        Ok(batch) => good.push(batch),
                        Err(e) => error = Some(e),
                    }
                }
                let error = error.expect("an error").to_string();
                assert!(error.ends_with(expected), "{error} in {block_bytes}");
                let users = vec!["a".to_owned(), "b".to_owned()];
                assert_eq!(cells(&good)[1], users, "{row:?} in {block_bytes}");
                assert_eq!(ids(&good), [0, 1]);
            }
        }
    }

    #[test]
    fn a_row_without_its_subject_does_not_end_a_stream() {
        let text = b"t,user,n\n1,a,1\n2,,2\n3,NA,3\n4,d,4\n";
        let mut options = streaming();
        options.missing = vec!["NA".to_owned()];
        for block_bytes in [1, 7, 1 << 20] {
            let batches = csv_batches(text, &options, &events(), block_bytes).expect("reads");
            assert_eq!(ids(&batches), [0, 1, 2, 3]);
            let missing = batches.iter().map(|batch| batch.column(1).missing_count());
            assert_eq!(missing.sum::<usize>(), 2);
        }
        let whole = read_csv(text, &ReadOptions::default(), &events()).expect_err("a table");
        assert!(whole.to_string().contains("the person is missing"));
    }

    #[test]
    fn an_input_without_rows_has_no_batch() {
        let batches = csv_batches(b"t,user,n\n", &streaming(), &events(), 64).expect("reads");
        assert!(batches.is_empty());
    }

    #[test]
    fn the_limit_on_categories_holds_in_each_batch() {
        let mut options = streaming();
        options.limits.categories = 2;
        let plans = [plan("c", Role::Quasi, ReadAs::Category)];
        let few = csv_batches(b"c\nw\nx\ny\nz\n", &options, &plans, 4).expect("reads");
        assert!(few.len() > 1);
        let many = csv_batches(b"c\nw\nx\ny\nz\n", &options, &plans, 64);
        let error = many.expect_err("four in one batch").to_string();
        assert_eq!(error, "-: column `c`: more than 2 distinct values");
    }

    #[test]
    fn typed_formats_come_as_they_are() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["a.parquet", "a.arrow", "a.arrows"] {
            let path = folder.path().join(name);
            write_plain(&path, &sample_arrays()[..1]);
            let options = ReadOptions {
                batch_rows: Some(2),
                ..streaming()
            };
            let plans = [plan("id", Role::Quasi, ReadAs::Category)];
            let source = open(&path, &options, &plans).expect("opens");
            let batches: Vec<Batch> = source.collect::<Result<_>>().expect("reads");
            assert_eq!(ids(&batches), [0, 1, 2], "{name}");
            assert_eq!(cells(&batches)[0][2], i64::MIN.to_string());
            let expected = if name == "a.parquet" { 2 } else { 1 };
            assert_eq!(batches.len(), expected, "{name}");
        }
    }

    /// Each row is sent only after the one before was handed on.
    #[cfg(target_os = "linux")]
    #[test]
    fn rows_of_a_pipe_are_handed_on_one_by_one() {
        use std::os::fd::AsRawFd;
        let arff = "@relation r\n@attribute t string\n@attribute user string\n\
                    @attribute n numeric\n@data\n";
        let json = |i: usize| format!("{{\"t\":\"{i}\",\"user\":\"é\",\"n\":{i}}}\n");
        let comma = |i: usize| format!("{i},é,{i}\n");
        for (format, header, row) in [
            (
                Format::Csv,
                "t,user,n\n",
                &comma as &dyn Fn(usize) -> String,
            ),
            (Format::Jsonl, "", &json),
            (Format::Arff, arff, &comma),
        ] {
            let (reader, mut writer) = std::io::pipe().expect("a pipe");
            let (send, seen) = mpsc::channel();
            let reading = std::thread::spawn(move || {
                let path = format!("/dev/fd/{}", reader.as_raw_fd());
                let options = ReadOptions {
                    format: Some(format),
                    ..streaming()
                };
                let source = open(Path::new(&path), &options, &events()).expect("opens");
                drop(reader);
                source.for_each(|batch| send.send(batch.expect("reads")).expect("sends"));
            });
            writer.write_all(header.as_bytes()).expect("writes");
            for i in 0..5 {
                let text = row(i);
                let (start, end) = text.as_bytes().split_at(i);
                writer.write_all(start).expect("writes");
                writer.write_all(end).expect("writes");
                let batch = seen.recv_timeout(Duration::from_secs(20));
                let batch = batch.expect("the row is handed on");
                assert_eq!(batch.rows().iter().collect::<Vec<_>>(), [i as u64]);
                assert_eq!(column_text(&batch, 0), [i.to_string()]);
                assert_eq!(column_text(&batch, 2), [i.to_string()]);
                assert!(batch.column(2).as_numbers().is_some(), "{format:?}");
            }
            drop(writer);
            reading.join().expect("no panic");
            assert!(seen.recv().is_err(), "no rows are left");
        }
    }
}
