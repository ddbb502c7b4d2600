//! Writes the final answers of a federation: one row a record, in the order of the stream.

use crate::data::{Batch, Categories, Column, Field, Kind, Numbers, Role, RowIds, Schema};
use crate::error::{Error, Result};
use crate::federate::frame::Final;
use crate::io::{self, Sink};
use crate::pipeline::check_outputs;
use crate::policy::FederationPolicy;
use std::path::Path;
use std::sync::Arc;

/// Writes answers as they come.
pub struct AnswerWriter {
    sink: Box<dyn Sink>,
    schema: Arc<Schema>,
    classes: Vec<String>,
    next: u64,
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
        let schema = Arc::new(Schema::new(fields.to_vec())?);
        Ok(AnswerWriter {
            sink: io::create(&sink.path, &sink.options, &schema)?,
            schema,
            classes: policy.classes.clone(),
            next: policy.terms.first_record,
        })
    }

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
