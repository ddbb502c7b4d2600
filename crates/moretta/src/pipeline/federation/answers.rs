//! Writes the final answers of a federation: one row a record, in the order of the stream.
//!
//! With a position a run that was killed goes on where it was: what was written after the last
//! whole batch is cut off, and batches that are written already are not written again.

use super::answer_position::{AnswerPosition, Written};
use crate::data::{Batch, Categories, Column, Field, Kind, Numbers, Role, RowIds, Schema};
use crate::error::{Error, Result};
use crate::federate::frame::Final;
use crate::io::{self, Sink};
use crate::pipeline::check_outputs;
use crate::policy::FederationPolicy;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Writes answers as they come.
pub struct AnswerWriter {
    sink: Box<dyn Sink>,
    schema: Arc<Schema>,
    classes: Vec<String>,
    path: PathBuf,
    first: u64,
    next: u64,
    batch: u64,
    position: Option<AnswerPosition>,
}

impl AnswerWriter {
    /// Begins the file of the policy's `[sink]`; one that is there is replaced with `force` alone.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(policy: &FederationPolicy, force: bool) -> Result<Self> {
        let sink = policy.sink.as_ref();
        let sink = sink.ok_or_else(|| Error::bug("answers without a place to go"))?;
        let read: Vec<&Path> = policy.file.as_deref().into_iter().collect();
        check_outputs(&[&sink.path], &read, force)?;
        if let Some(folder) = sink.path.parent().filter(|f| !f.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|e| Error::io("create", folder, e))?;
        }
        if force && sink.path.is_file() {
            std::fs::remove_file(&sink.path).map_err(|e| Error::io("replace", &sink.path, e))?;
        }
        let schema = schema()?;
        Ok(AnswerWriter {
            sink: io::create(&sink.path, &sink.options, &schema)?,
            schema,
            classes: policy.classes.clone(),
            path: sink.path.clone(),
            first: policy.terms.first_record,
            next: policy.terms.first_record,
            batch: 0,
            position: None,
        })
    }

    /// The same, where a run that was killed goes on after what it has written.
    ///
    /// # Errors
    /// As [`create`](Self::create), and when the file is not as it was left.
    pub fn resume(
        policy: &FederationPolicy,
        force: bool,
        mut position: AnswerPosition,
    ) -> Result<Self> {
        let sink = policy.sink.as_ref();
        let sink = sink.ok_or_else(|| Error::bug("answers without a place to go"))?;
        let known = position.known;
        if known.is_none() {
            check_outputs(&[&sink.path], &[], force)?;
            // From here on a file of that name is ours.
            position.write(Written::default())?;
        }
        let mut writer = match known.filter(|known| known.bytes > 0) {
            None => AnswerWriter::create(policy, true)?,
            Some(known) => {
                let schema = schema()?;
                AnswerWriter {
                    sink: io::resume(&sink.path, &sink.options, &schema, known.bytes)
                        .map_err(not_continued)?,
                    schema,
                    classes: policy.classes.clone(),
                    path: sink.path.clone(),
                    first: policy.terms.first_record,
                    next: policy.terms.first_record + known.records,
                    batch: known.batch,
                    position: None,
                }
            }
        };
        writer.position = Some(position);
        Ok(writer)
    }

    /// Writes the answers to a batch, unless it was written before a restart.
    ///
    /// # Errors
    /// When they cannot be written, or answers between are missing.
    pub fn write_batch(&mut self, batch: u64, answers: &[Final]) -> Result<()> {
        if batch < self.batch {
            return Ok(());
        }
        if batch > self.batch {
            return Err(Error::input("answers between two batches are lost")
                .in_file(&self.path)
                .help("begin all parties anew with --force"));
        }
        self.write(answers)?;
        self.batch += 1;
        if let Some(position) = &mut self.position {
            // What cannot be gone on with has no bytes to go on from.
            let bytes = std::fs::metadata(&self.path).map_or(0, |file| file.len());
            let (batch, records) = (self.batch, self.next - self.first);
            position.write(Written {
                batch,
                bytes: bytes.max(1),
                records,
            })?;
        }
        Ok(())
    }
}

fn not_continued(error: Error) -> Error {
    error.help("answers of a run that was killed go on in a file of csv or jsonl that is not packed; begin all parties anew with --force")
}

fn schema() -> Result<Arc<Schema>> {
    let number = |integer| Kind::Number { integer };
    let word = || Kind::Category { ordered: false };
    let fields = [
        ("record", number(true)),
        ("class", word()),
        ("confidence", number(false)),
        ("order", number(true)),
        ("flags", word()),
    ];
    let fields = fields.map(|(name, kind)| Field::new(name, Role::Plain, kind));
    Ok(Arc::new(Schema::new(fields.to_vec())?))
}

impl AnswerWriter {
    /// Writes the answers to the next records.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn write(&mut self, answers: &[Final]) -> Result<()> {
        let numbers = |of: &dyn Fn(&Final) -> f64| {
            Column::Number(Numbers::new(answers.iter().map(of).collect()))
        };
        let class = |answer: &Final| self.classes.get(answer.class as usize);
        let classes: Categories = answers.iter().map(class).collect();
        let flags: Categories = answers.iter().map(|answer| flags(answer)).collect();
        let first = self.next;
        self.next += answers.len() as u64;
        let columns = vec![
            Column::Number(Numbers::new((first..self.next).map(|n| n as f64).collect())),
            Column::Category(classes),
            numbers(&|answer| answer.confidence),
            numbers(&|answer| f64::from(answer.order)),
            Column::Category(flags),
        ];
        let rows = RowIds::Range {
            start: first,
            len: answers.len(),
        };
        let batch = Batch::new(Arc::clone(&self.schema), rows, columns)?;
        self.sink.write(&batch)?;
        self.sink.flush()
    }

    /// How many answers were written.
    pub fn written(&self) -> u64 {
        self.next.saturating_sub(1)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn close(mut self) -> Result<()> {
        self.sink.close()
    }
}

/// What a consumer should know of an answer besides its class.
fn flags(answer: &Final) -> Option<&'static str> {
    match (answer.partial, answer.early) {
        (false, false) => None,
        (true, false) => Some("partial"),
        (false, true) => Some("early"),
        (true, true) => Some("partial early"),
    }
}
