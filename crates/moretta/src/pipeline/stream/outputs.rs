//! What leaves: pseudonyms put in, columns that stay here taken out, rows written.

use super::certificate::{Certificate, Subject};
use super::checkpoint::Checkpoint;
use crate::data::{Batch, Column, Role, Schema, TimeFormat, times};
use crate::error::{Error, Result};
use crate::io::{self, Sink};
use crate::pipeline::place::{self, Endless};
use crate::policy::{Action, Policy, SinkPolicy, load_key};
use crate::protect::Operator;
use crate::protect::identifiers::Pseudonyms;
use crate::protect::rotation::Rotation;
use crate::protect::z_anonymity::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where released rows go.
pub(super) struct Outputs {
    sink: Box<dyn Sink>,
    rotation: Option<Rotation>,
    pseudonyms: Option<Pseudonyms>,
    /// Places of the columns that are released.
    kept: Vec<usize>,
    schema: Arc<Schema>,
    released: u64,
    certificate: Option<Certificate>,
    /// What nobody can read without its end, and what tells of it.
    endless: Vec<Endless>,
    /// Place and format of the times, for the certificate.
    time: usize,
    format: Option<TimeFormat>,
}

impl Outputs {
    /// Opens the sink, or goes on where the checkpoint says.
    pub(super) fn open(
        policy: &Policy,
        sink: &SinkPolicy,
        schema: &Arc<Schema>,
        window: i64,
        resumed: Option<&Checkpoint>,
    ) -> Result<Self> {
        let kept = kept(policy, schema);
        let fields = kept.iter().map(|&place| schema.fields()[place].clone());
        let released = Arc::new(Schema::new(fields.collect())?);
        let file = match resumed {
            // A release without a header is empty until the first row leaves.
            Some(checkpoint) if checkpoint.has_begun() => {
                io::resume(&sink.path, &sink.options, &released, checkpoint.bytes)?
            }
            _ => create(&sink.path, sink, &released)?,
        };
        let certificate = match &sink.certificate {
            None => None,
            Some(path) => Some(certify(policy, path, schema, window, resumed)?),
        };
        let time = time_of(schema)?;
        let format = policy
            .plan
            .column(&schema.fields()[time].name)
            .and_then(|column| column.unit);
        let (rotation, pseudonyms) = pseudonyms(policy, schema, time, format)?;
        Ok(Outputs {
            sink: file,
            rotation,
            pseudonyms,
            kept,
            schema: released,
            released: resumed.map_or(0, |checkpoint| checkpoint.released),
            certificate,
            endless: match is_whole(sink) {
                true => Vec::new(),
                false => files(sink).map(|path| Endless::new(path)).collect(),
            },
            time,
            format,
        })
    }

    /// Writes the rows, and why each was released.
    pub(super) fn write(&mut self, batch: &Batch, cells: &[Cell]) -> Result<()> {
        if batch.is_empty() {
            return Ok(());
        }
        if let Some(certificate) = &mut self.certificate {
            let times = times(batch, self.time, &mut self.format)?;
            certificate.write(batch.rows(), &times, cells)?;
        }
        let mut batch = batch.clone();
        if let Some(rotation) = &mut self.rotation {
            batch = rotation.apply(&batch)?;
        }
        if let Some(pseudonyms) = &mut self.pseudonyms {
            batch = pseudonyms.push(batch)?;
        }
        let columns: Vec<Column> = self
            .kept
            .iter()
            .map(|&place| batch.column(place).clone())
            .collect();
        let batch = Batch::new(Arc::clone(&self.schema), batch.rows().clone(), columns)?;
        self.released += batch.len() as u64;
        self.sink.write(&batch)
    }

    /// Notes the rows that were turned away.
    pub(super) fn turn_away(&mut self, ids: &[u64]) -> Result<()> {
        let certificate = self.certificate.as_mut();
        certificate.map_or(Ok(()), |certificate| certificate.turn_away(ids))
    }

    /// Hands everything to the operating system.
    pub(super) fn flush(&mut self) -> Result<()> {
        self.sink.flush()?;
        self.certificate.as_mut().map_or(Ok(()), Certificate::flush)
    }

    /// Brings everything to disk; gives the bytes of the release and of the certificate.
    pub(super) fn sync(&mut self) -> Result<(u64, Option<u64>)> {
        let certificate = self.certificate.as_mut().map(Certificate::sync);
        Ok((self.sink.sync()?, certificate.transpose()?))
    }

    /// Ends the release.
    pub(super) fn close(&mut self) -> Result<()> {
        self.sink.close()?;
        self.endless.clear();
        self.certificate.take().map_or(Ok(()), Certificate::close)
    }

    /// The stream has failed. What was released stays; files without a row, or that
    /// nobody can read without their end, go.
    pub(super) fn abandon(self, sink: &SinkPolicy) {
        if self.released > 0 && is_whole(sink) {
            return;
        }
        drop(self.sink);
        for path in files(sink) {
            let _ = std::fs::remove_file(path);
        }
    }

    /// Rows released so far.
    pub(super) fn released(&self) -> u64 {
        self.released
    }

    /// Cells escaped against formulas.
    pub(super) fn escaped(&self) -> u64 {
        self.sink.escaped()
    }
}

/// Whether what has been released can be read before its end has.
fn is_whole(sink: &SinkPolicy) -> bool {
    sink.path == Path::new("-") || io::resumable(&sink.path, &sink.options).is_ok()
}

/// The release and its certificate; none when the release goes to standard output.
fn files(sink: &SinkPolicy) -> impl Iterator<Item = &PathBuf> {
    let release = std::iter::once(&sink.path).chain(&sink.certificate);
    release.filter(|_| sink.path != Path::new("-"))
}

/// The places of the columns that are released.
pub(super) fn kept(policy: &Policy, schema: &Schema) -> Vec<usize> {
    let is_kept = |place: &usize| {
        let column = policy.plan.column(&schema.fields()[*place].name);
        column.is_none_or(|column| column.action != Action::Drop)
    };
    (0..schema.len()).filter(is_kept).collect()
}

/// Creates the release; its rows are checked before they are written, so others may read them.
fn create(path: &Path, sink: &SinkPolicy, schema: &Arc<Schema>) -> Result<Box<dyn Sink>> {
    if path == Path::new("-") {
        return io::create(path, &sink.options, schema);
    }
    place::make_folders(place::folder_of(path))?;
    let file = io::create(path, &sink.options, schema)?;
    place::open_to_readers(path).map_err(|e| Error::io("create", path, e))?;
    Ok(file)
}

/// Opens the certificate, or goes on where the checkpoint says.
fn certify(
    policy: &Policy,
    path: &Path,
    schema: &Schema,
    window: i64,
    resumed: Option<&Checkpoint>,
) -> Result<Certificate> {
    let attributes = schema.with_role(Role::Quasi);
    let columns: Vec<&str> = attributes
        .into_iter()
        .map(|place| &*schema.fields()[place].name)
        .collect();
    let subject = Subject {
        columns: &columns,
        window,
        sources: 1 + policy.source.more.len(),
    };
    match resumed.and_then(|checkpoint| checkpoint.certificate_bytes) {
        Some(bytes) => Certificate::resume(path, &subject, bytes),
        None => {
            place::make_folders(place::folder_of(path))?;
            Certificate::create(path, &subject)
        }
    }
}

fn time_of(schema: &Schema) -> Result<usize> {
    let times = schema.with_role(Role::Time);
    let first = times.first().copied();
    first.ok_or_else(|| Error::bug("a stream without a time"))
}

/// Pseudonyms of the subject, and of other columns.
pub(super) fn pseudonyms(
    policy: &Policy,
    schema: &Arc<Schema>,
    time: usize,
    format: Option<TimeFormat>,
) -> Result<(Option<Rotation>, Option<Pseudonyms>)> {
    let (mut rotation, mut others) = (None, Vec::new());
    for column in &policy.plan.columns {
        let Action::Pseudonym {
            domain,
            key,
            rotate,
        } = &column.action
        else {
            continue;
        };
        let Some(place) = schema.index_of(&column.name) else {
            continue;
        };
        let key = load_key(key).map_err(|e| e.at(column.span.clone()))?;
        match column.role {
            Role::Subject => {
                rotation = Some(Rotation::new(place, time, format, domain, key, *rotate));
            }
            _ if rotate.is_some() => {
                return Err(Error::policy("only the pseudonym of a subject can rotate")
                    .at(column.span.clone())
                    .help("take `rotate` out"));
            }
            _ => others.push((place, domain.clone(), key)),
        }
    }
    let others = (!others.is_empty()).then(|| Pseudonyms::new(schema, others));
    Ok((rotation, others))
}
