//! Where checked rows go: a file that appears when all is well, one that grows in its place, or
//! standard output at once.

use super::certificate::{About, Certificate, events, records};
use super::checkpoint::{self, Checkpoint, Sum, changed};
use super::place::{self, Endless, Pending};
use super::read_back::{Following, read_back};
use crate::data::{Batch, Role, Schema};
use crate::engine::report::Report;
use crate::engine::{self, Checked, Progress, Resume, Stage};
use crate::error::{Error, Result};
use crate::io::{self, Files, Sink};
use crate::policy::{CheckpointPolicy, Policy, SinkPolicy};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows written at a time.
const CHUNK: usize = 1 << 16;

/// A release on its way.
pub(super) struct Output<'a> {
    policy: &'a Policy,
    sink: &'a SinkPolicy,
    progress: &'a Progress,
    way: Way,
    file: Option<Box<dyn Sink>>,
    certificate: Option<Certificate>,
    /// The rows of a table, which are compared with the file.
    table: Option<Checked>,
    /// Reads the rows of a stream back; none where nobody can.
    following: Option<Following<'a>>,
    saving: Option<Saving<'a>>,
    rows: u64,
    escaped: u64,
}

/// The checkpoints of a run.
pub(super) struct Saving<'a> {
    place: &'a CheckpointPolicy,
    files: Files,
    /// The one that is there.
    saved: Checkpoint,
}

impl<'a> Saving<'a> {
    /// Goes on with a checkpoint, or makes the first one: before the release is created, or a
    /// crash in between could not be told from a finished run.
    pub(super) fn new(
        (place, files): (&'a CheckpointPolicy, &Files),
        resumed: Option<&Checkpoint>,
        start: Checkpoint,
    ) -> Result<Self> {
        let mut saving = Saving {
            place,
            files: files.clone(),
            saved: start,
        };
        match resumed {
            Some(checkpoint) => saving.saved = checkpoint.clone(),
            None => saving.save(saving.saved.clone())?,
        }
        Ok(saving)
    }

    fn save(&mut self, checkpoint: Checkpoint) -> Result<()> {
        checkpoint.save(&self.place.path, &self.files)?;
        self.saved = checkpoint;
        Ok(())
    }
}

/// How rows get to their place.
enum Way {
    /// The columns are not known yet.
    Unknown,
    /// Written aside and put in place when all is well, the release and its certificate.
    Aside(Pending, Option<Pending>),
    /// Where they belong, as they come. What nobody can read without its end goes with a
    /// program that is told to end.
    InPlace(Vec<Endless>),
}

impl<'a> Output<'a> {
    /// Nothing is created before the columns are known.
    pub(super) fn new(
        policy: &'a Policy,
        sink: &'a SinkPolicy,
        progress: &'a Progress,
        saving: Option<Saving<'a>>,
    ) -> Self {
        Output {
            policy,
            sink,
            progress,
            way: Way::Unknown,
            file: None,
            certificate: None,
            table: None,
            following: None,
            saving,
            rows: 0,
            escaped: 0,
        }
    }

    /// Opens the release, or goes on where the checkpoint says.
    pub(super) fn open(
        &mut self,
        schema: &Arc<Schema>,
        resumed: Option<&Checkpoint>,
    ) -> Result<()> {
        let (path, options) = (&self.sink.path, &self.sink.options);
        self.way = match (is_seen(self.policy, self.sink), &self.policy.checkpoint) {
            (false, checkpoint) => {
                let aside = |path: &PathBuf| match checkpoint {
                    None => Pending::new(path, &self.policy.files),
                    Some(_) => Pending::resumable(path, &self.policy.files),
                };
                let certificate = self.sink.certificate.as_ref().map(aside).transpose()?;
                Way::Aside(aside(path)?, certificate.map(Pending::private))
            }
            (true, _) if is_whole(self.sink) || self.policy.files.are_provided() => {
                Way::InPlace(Vec::new())
            }
            (true, _) => Way::InPlace(files(self.sink).map(|path| Endless::new(path)).collect()),
        };
        if let (Way::Aside(..), Some(checkpoint)) = (&self.way, resumed)
            && checkpoint.resume.has_begun()
        {
            let whole = checkpoint.sum.bytes() == checkpoint.bytes;
            let found = checkpoint.sum.check(self.path(), &self.policy.files);
            if !whole || found.is_err() {
                return Err(changed(path));
            }
        }
        let file = match (&self.way, resumed) {
            // A release without a header is empty until the first row leaves.
            (_, Some(checkpoint)) if checkpoint.resume.has_begun() => {
                io::resume(self.path(), options, schema, checkpoint.bytes)
            }
            (Way::InPlace(_), _) => create(self.sink, schema),
            _ => io::create(self.path(), options, schema),
        };
        self.file = Some(file.map_err(|e| self.named(e))?);
        self.rows = resumed.map_or(0, |checkpoint| checkpoint.resume.released());
        if self.is_read_back() {
            let whole = !is_whole(self.sink);
            let (bytes, sum) = resumed.map_or_else(Default::default, |c| (c.bytes, c.sum));
            let sum = matches!(self.way, Way::Aside(..)).then_some(sum);
            let following = Following::new((self.policy, self.sink), schema, (bytes, sum), whole)?;
            self.following = Some(following);
        }
        if let (Some(path), Some(told)) = (self.certificate_path(), &self.sink.certificate) {
            let certificate = certify(self.policy, path, schema, resumed);
            let certificate = certificate.map_err(|e| e.instead_of(path, told))?;
            self.certificate = Some(certificate);
        }
        Ok(())
    }

    /// Where the certificate is written.
    fn certificate_path(&self) -> Option<&Path> {
        match &self.way {
            Way::Aside(_, Some(pending)) => Some(pending.temporary()),
            _ => self.sink.certificate.as_deref(),
        }
    }

    /// Hands everything to the operating system, where it can be seen.
    fn flush(&mut self) -> Result<()> {
        if let (Way::InPlace(_), Some(file)) = (&self.way, &mut self.file) {
            file.flush()?;
        }
        self.certificate.as_mut().map_or(Ok(()), Certificate::flush)
    }

    /// Whether the rows of a stream are read back: always where nobody has seen them, and from a
    /// file that grows in its place as rows are counted again.
    fn is_read_back(&self) -> bool {
        let plan = &self.policy.plan;
        match &self.way {
            Way::Unknown => false,
            Way::Aside(..) => plan.is_stream(),
            // Who reads from a pipe takes its rows away.
            Way::InPlace(_) => plan.audit && self.policy.files.is_file(&self.sink.path),
        }
    }

    /// Ends the release, and reads back what was not read back yet.
    fn end(&mut self) -> Result<()> {
        if self.following.is_some() {
            self.progress.enter(Stage::Check);
        }
        self.close()?;
        let (policy, sink, path) = (self.policy, self.sink, self.path());
        if let Some(table) = &self.table {
            return read_back(policy, sink, path, table.rows(), self.progress);
        }
        let Some(following) = self.following.take() else {
            return Ok(());
        };
        let found = following.end(self.path(), self.escaped, self.progress);
        found.map_err(|e| self.seen(e))
    }

    /// Hands everything to the operating system and reads it back, as far as that can be read.
    fn follow(&mut self) -> Result<()> {
        if let Some(file) = &mut self.file {
            file.flush()?;
        }
        self.compare()
    }

    /// Reads back what was handed to the operating system.
    fn compare(&mut self) -> Result<()> {
        let Some(mut following) = self.following.take() else {
            return Ok(());
        };
        let found = following.read_back(self.path());
        self.following = Some(following);
        found.map_err(|e| self.seen(e))
    }

    /// What can be done when a file that grows in its place is not what was written.
    fn seen(&self, error: Error) -> Error {
        match &self.way {
            Way::InPlace(_) if error.exit_code() == 1 => error.help(
                "rows in the file may have been seen; has somebody else written into it? If not, please report this",
            ),
            _ => error,
        }
    }

    fn append(&mut self, rows: &Checked) -> Result<()> {
        let Some(file) = &mut self.file else {
            return Err(Error::bug("rows left before their columns were known"));
        };
        if let Some(certificate) = &mut self.certificate {
            let mut why = rows.why().iter();
            why.try_for_each(|why| certificate.write(why))?;
        }
        let rows = rows.rows();
        self.rows += rows.len() as u64;
        for start in (0..rows.len()).step_by(CHUNK) {
            let part = rows.slice(start, CHUNK.min(rows.len() - start));
            file.write(&part)?;
            if let Way::Aside(..) = &self.way {
                self.progress.add(part.len());
            }
            if let Some(following) = &mut self.following {
                following.add(&part)?;
            }
        }
        match self.following.as_ref().is_some_and(Following::is_long) {
            true => self.follow(),
            false => Ok(()),
        }
    }

    /// Brings everything to disk and reads it back; gives the bytes of the release and of the
    /// certificate.
    fn sync(&mut self) -> Result<(u64, Option<u64>)> {
        let file = self.file.as_mut();
        let file = file.ok_or_else(|| Error::bug("a release was saved before it began"))?;
        let certificate = self.certificate.as_mut().map(Certificate::sync);
        let (bytes, certificate) = (file.sync()?, certificate.transpose()?);
        self.compare()?;
        Ok((bytes, certificate))
    }

    fn close(&mut self) -> Result<()> {
        if let Some(mut file) = self.file.take() {
            file.close()?;
            self.escaped = file.escaped();
        }
        if let Way::InPlace(endless) = &mut self.way {
            endless.clear();
        }
        self.certificate.take().map_or(Ok(()), Certificate::close)
    }

    /// A run that is killed from here on may find its own report, or its release in its place.
    /// What nobody has seen is whole now, and is not made again.
    pub(super) fn about_to_appear(&mut self, report: &Report) -> Result<()> {
        let aside = matches!(self.way, Way::Aside(..));
        let Some(saving) = &mut self.saving else {
            return Ok(());
        };
        let report = serde_json::to_string(report)
            .map_err(|e| Error::bug(format!("a report that is no JSON: {e}")))?;
        saving.save(Checkpoint {
            replaces: saving.saved.replaces || !aside,
            finished: aside.then_some(report),
            ..saving.saved.clone()
        })
    }

    fn named(&self, error: Error) -> Error {
        error.instead_of(self.path(), &self.sink.path)
    }

    /// Rows in it, with those of an earlier run that it goes on with.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// The rows of a table that were written; none of a stream.
    pub(super) fn table(&self) -> Option<&Batch> {
        self.table.as_ref().map(Checked::rows)
    }

    /// Cells escaped against formulas.
    pub(super) fn escaped(&self) -> u64 {
        self.escaped
    }

    /// Where the file lies now.
    pub(super) fn path(&self) -> &Path {
        match &self.way {
            Way::Aside(pending, _) => pending.temporary(),
            _ => &self.sink.path,
        }
    }

    /// Where the file lies whose sum a report or a manifest tells. One that was in its place
    /// all along is read again only for them.
    pub(super) fn summed(&self) -> &Path {
        let told = self.policy.report.is_some() || self.policy.manifest.is_some();
        match (&self.way, told) {
            (Way::InPlace(_), false) => Path::new("-"),
            _ => self.path(),
        }
    }

    /// The files aside, to be put in place: the release comes last.
    pub(super) fn into_pending(self) -> Vec<Pending> {
        match self.way {
            Way::Aside(release, certificate) => certificate.into_iter().chain([release]).collect(),
            _ => Vec::new(),
        }
    }
}

impl engine::Sink for Output<'_> {
    fn write(&mut self, rows: &Checked) -> Result<()> {
        if let Way::Unknown = self.way {
            // A table comes at once.
            self.progress.enter(Stage::Write);
            self.open(rows.rows().schema(), None)?;
            self.table = Some(rows.clone());
        }
        let written = self.append(rows).and_then(|()| self.flush());
        written.map_err(|e| self.named(e))
    }

    fn commit(&mut self, so_far: Option<&Resume>) -> Result<()> {
        let Some(resume) = so_far else {
            return self.end().map_err(|e| self.named(e));
        };
        let (bytes, certificate_bytes) = self.sync()?;
        let sum = self.following.as_ref().and_then(Following::sum);
        let sum = match sum {
            // Names of columns are read back with the first rows.
            Some(sum) => sum.up_to(self.path(), &self.policy.files, bytes)?,
            None => Sum::default(),
        };
        let certificate = self.saving.as_ref().and_then(|s| s.saved.certificate);
        let certificate = certificate_bytes
            .zip(self.certificate_path())
            .map(|(bytes, path)| {
                let sum = certificate.unwrap_or_default();
                sum.up_to(path, &self.policy.files, bytes)
            })
            .transpose()?;
        match &mut self.saving {
            None => Ok(()),
            Some(saving) => saving.save(Checkpoint {
                resume: resume.clone(),
                bytes,
                sum,
                certificate,
                ..saving.saved.clone()
            }),
        }
    }

    /// What can be gone on with stays, and so does what could be seen; files without a row, or
    /// that nobody can read without their end, go.
    fn abort(&mut self) {
        let seen = matches!(self.way, Way::InPlace(_));
        let useful = self.rows > 0 && is_whole(self.sink);
        if self.saving.is_some() || !seen || useful {
            return;
        }
        self.file = None;
        for path in files(self.sink) {
            let _ = self.policy.files.remove(path);
        }
    }
}

/// Whether rows can be seen as soon as they are written: those of events, and those of a
/// stream on standard output. A restart would draw noise again for rows that were written
/// after the last checkpoint, so where it is a secret nobody may have seen them.
pub(super) fn is_seen(policy: &Policy, sink: &SinkPolicy) -> bool {
    let plan = &policy.plan;
    let standard = sink.path == Path::new("-");
    let private = plan.maskings().any(|masking| masking.loss().is_some());
    let drawn_again = private && policy.checkpoint.is_some();
    standard && plan.is_stream() || plan.stream().is_some() && !drawn_again
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

/// Creates a release in its place; its rows are checked before they are written, so others may
/// read them.
fn create(sink: &SinkPolicy, schema: &Arc<Schema>) -> Result<Box<dyn Sink>> {
    let path = &sink.path;
    if path == Path::new("-") || sink.options.files.are_provided() {
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
    resumed: Option<&Checkpoint>,
) -> Result<Certificate> {
    let about = match policy.plan.stream() {
        None => About::Records(records::Subject::new(&policy.plan)),
        Some(config) => {
            let attributes = schema.with_role(Role::Quasi).into_iter();
            let columns = attributes.map(|place| &*schema.fields()[place].name);
            let columns: Vec<&str> = columns.collect();
            About::Events(events::Subject::new(&columns, config.window))
        }
    };
    let several = checkpoint::sources(policy) > 1;
    match resumed.and_then(|checkpoint| checkpoint.certificate) {
        Some(sum) => {
            sum.check(path, &policy.files)?;
            Certificate::resume((path, &policy.files), about, several, sum.bytes())
        }
        None => {
            if !policy.files.are_provided() {
                place::make_folders(place::folder_of(path))?;
            }
            Certificate::create((path, &policy.files), about, several)
        }
    }
}
