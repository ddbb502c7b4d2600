//! The policy file: one file says what to read, what to promise, how, and where to write.
//!
//! Reading it checks everything that can be known without the data; unknown
//! keys, bad ranges and paths that leave the folder are errors with their
//! place. Columns are matched with the data when the source is opened.

mod chain;
mod columns;
mod foreign;
mod guarantee;
mod hierarchies;
mod init;
mod levels;
mod masked;
mod measure;
mod outputs;
mod parse;
mod paths;
mod schema;
mod secret;
mod source;
mod source_paths;
mod vary;

pub use columns::{Action, ColumnPolicy, KeyPlace};
pub use init::{Guess, Proposal, propose};
pub use levels::Level;
pub use paths::Root;
pub use schema::{KEYS, schema};
pub use vary::Tunable;

use crate::config::{Parameter, Placed, Section, Value};
use crate::data::Role;
use crate::data::hierarchy::HierarchySpec;
use crate::error::{Error, Result};
use crate::guarantee::Guarantee;
use crate::io::{self, ReadOptions, WriteOptions};
use crate::measure::ACCURACY_LOSSES;
use crate::protect::z_anonymity::{Fakes, FakesOrder, ZAnonymity};
use crate::protect::{Masking, Method};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A policy that has been read and checked.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The file it was read from.
    pub file: Option<PathBuf>,
    /// The text of the file.
    pub text: String,
    /// What it calls itself.
    pub name: String,
    /// For randomness that may be drawn again; what must not be is not seeded.
    pub seed: Option<u64>,
    /// Where the data comes from.
    pub source: SourcePolicy,
    /// The columns that the policy speaks of.
    pub columns: Vec<ColumnPolicy>,
    /// What is promised.
    pub guarantee: Guarantee,
    /// Whether every row of a stream is counted again before it is written.
    pub audit: bool,
    /// Nested releases, from the least to the most protected; none when there is one release.
    pub levels: Vec<Level>,
    /// The methods, in order.
    pub protect: Vec<Method>,
    /// Limits on measures: the run fails above them.
    pub fail_above: Vec<(String, f64)>,
    /// The measures to show first; all of them when empty.
    pub report_measures: Vec<String>,
    /// How pairs of original and masked records are measured.
    pub pairs: PairPolicy,
    /// Where the release goes.
    pub sink: Option<SinkPolicy>,
    /// Where the report goes: HTML, or JSON by its ending.
    pub report: Option<PathBuf>,
    /// The key under which a report holds a sum of the source; none when it holds none.
    pub report_key: Option<KeyPlace>,
    /// What the release is for, as the report tells.
    pub report_purpose: Option<String>,
    /// Where and how often a stream notes how far it is.
    pub checkpoint: Option<CheckpointPolicy>,
}

/// Where and how often a stream notes how far it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointPolicy {
    /// The file.
    pub path: PathBuf,
    /// As the policy writes it.
    pub shown: String,
    /// How often.
    pub every: Every,
}

/// How often something is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Every {
    /// After so many rows.
    Rows(u64),
    /// After so many milliseconds of the clock.
    Milliseconds(i64),
}

/// How originals and what is released of them are measured against each other.
#[derive(Clone, Debug, PartialEq)]
pub struct PairPolicy {
    /// Originals among which a masked record is looked for, when the policy says.
    pub buffer: Option<usize>,
    /// Half the width of disclosure intervals, in percent.
    pub interval: f64,
    /// Share of a standard deviation within which numbers agree.
    pub tolerance: f64,
    /// The learner whose accuracy is compared.
    pub learner: String,
}

impl Default for PairPolicy {
    fn default() -> Self {
        PairPolicy {
            buffer: None,
            interval: 10.0,
            tolerance: 0.1,
            learner: "nb".to_owned(),
        }
    }
}

/// Where the data comes from.
#[derive(Clone, Debug)]
pub struct SourcePolicy {
    /// The file; `-` is standard input.
    pub path: PathBuf,
    /// As the policy writes it.
    pub shown: String,
    /// Further files of a table or a stream that comes in several.
    pub more: Vec<PathBuf>,
    /// How to read it.
    pub options: ReadOptions,
}

impl SourcePolicy {
    /// All files.
    pub fn paths(&self) -> Vec<&Path> {
        let more = self.more.iter().map(PathBuf::as_path);
        std::iter::once(self.path.as_path()).chain(more).collect()
    }

    /// The file, when there is one alone.
    pub fn only_path(&self) -> Option<&Path> {
        self.more.is_empty().then_some(&self.path)
    }
}

/// Where the release goes.
#[derive(Clone, Debug)]
pub struct SinkPolicy {
    /// The file; `-` is standard output.
    pub path: PathBuf,
    /// As the policy writes it.
    pub shown: String,
    /// How to write it.
    pub options: WriteOptions,
    /// The order of the rows.
    pub order: Order,
    /// Where a stream says why each row was released.
    pub certificate: Option<PathBuf>,
}

/// The order of released rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By a hash of what each row shows, so that the place of a row says nothing more.
    #[default]
    Shuffled,
    /// As they were read.
    Input,
}

impl Policy {
    /// Reads and checks a policy file; its paths must stay under `root`.
    pub fn load(path: &Path, root: &Root) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| match e.kind() {
            std::io::ErrorKind::InvalidData => foreign::error(),
            _ => Error::io("read", path, e),
        })?;
        Ok(Policy {
            file: Some(path.to_owned()),
            ..Policy::parse(&text, root)?
        })
    }

    /// Reads and checks the text of a policy.
    pub fn parse(text: &str, root: &Root) -> Result<Self> {
        parse::parse(text)
            .and_then(|top| Policy::read(top, text, root))
            .map_err(|error| foreign::without_content(error, text))
    }

    /// Checks what was parsed of `text`.
    fn read(mut top: Section, text: &str, root: &Root) -> Result<Self> {
        secret::refuse(&top)?;
        version(&mut top)?;
        let name = top.text(&schema::NAME)?;
        let seed = top.optional(&schema::SEED, Placed::whole)?;
        for (head, key, help) in SECTIONS {
            if !top.has(key.name) {
                return Err(top.error(format!("the policy has no {head}")).help(*help));
            }
        }
        let source = SourcePolicy::read(top.table(&schema::SOURCE)?, root)?;
        let mut columns = columns::read(top.table(&schema::COLUMNS)?, root)?;
        let (mut guarantee, audit) = match top.optional_table(&schema::GUARANTEE)? {
            Some(section) => guarantee::read(section, &columns)?,
            None => (Guarantee::default(), None),
        };
        let levels = match top.optional_table(&schema::LEVELS)? {
            Some(section) => levels::read(section, guarantee.k)?,
            None => Vec::new(),
        };
        let (protect, spans) = read_protect(&mut top)?;
        chain::check_kinds(&protect, &spans)?;
        let (report_measures, fail_above, pairs) =
            measure::read(top.optional_table(&schema::MEASURE)?, &protect)?;
        let sink = top
            .optional_table(&schema::SINK)?
            .map(|section| SinkPolicy::read(section, root, &source))
            .transpose()?;
        let report = top
            .optional_table(&schema::REPORT)?
            .map(|section| outputs::read_report(section, root))
            .transpose()?;
        let checkpoint = top
            .optional_table(&schema::CHECKPOINT)?
            .map(|section| CheckpointPolicy::read(section, root))
            .transpose()?;
        top.finish()?;
        if !protect.iter().any(Method::keeps_guarantee) {
            masked::promise(&protect, &mut guarantee, &levels)?;
        }
        let is_stream = protect.iter().any(|method| method.as_stream().is_some());
        if guarantee != Guarantee::default() && !is_stream {
            columns::count_pseudonyms(&mut columns)?;
        }
        let policy = Policy {
            file: None,
            text: text.to_owned(),
            name,
            seed,
            source,
            columns,
            guarantee,
            levels,
            protect,
            fail_above,
            report_measures,
            pairs,
            sink,
            report: report.as_ref().map(|report| report.path.clone()),
            report_purpose: report.as_ref().and_then(|report| report.purpose.clone()),
            report_key: report.and_then(|report| report.key),
            audit: audit.unwrap_or(true),
            checkpoint,
        };
        chain::check(&policy, &spans)?;
        policy.check_limits()?;
        policy.check_learning()?;
        policy.check_stream(audit)?;
        hierarchies::check(&policy)?;
        policy.check_weights()?;
        masked::check(&policy)?;
        Ok(policy)
    }

    /// Loss is read off the released regions; a representative looks as if nothing were lost.
    fn check_limits(&self) -> Result<()> {
        let column = self
            .columns
            .iter()
            .find(|column| column.role == Role::Quasi && self.represents(&column.name));
        let limit = self
            .fail_above
            .iter()
            .find(|(name, _)| matches!(name.as_str(), "gcp" | "ncp" | "loss"));
        match (column, limit) {
            (Some(column), Some((measure, _))) => Err(Error::policy(format!(
                "a limit on {measure} cannot hold while `{}` is shown as a representative, whose loss it does not see",
                column.name
            ))
            .help("take the limit away, or show regions: output = \"auto\"")),
            _ => Ok(()),
        }
    }

    /// Whether a measure is asked for by its name, to be shown or to be kept low.
    pub fn measures(&self, name: &str) -> bool {
        let limits = self.fail_above.iter().map(|(limited, _)| limited);
        let mut asked = self.report_measures.iter().chain(limits);
        asked.any(|asked| asked == name)
    }

    /// A learner needs records, and something to predict.
    fn check_learning(&self) -> Result<()> {
        let mut losses = ACCURACY_LOSSES.into_iter();
        let Some(asked) = losses.find(|name| self.measures(name)) else {
            return Ok(());
        };
        if self.stream().is_some() {
            return Err(Error::policy(format!(
                "{asked} needs records, and events of z-anonymity are none"
            ))
            .help("take it out of [measure]"));
        }
        let classes = self.columns.iter().filter(|c| c.role == Role::Class);
        match classes.count() {
            1 => Ok(()),
            _ => Err(
                Error::policy(format!("{asked} needs one column with the role class"))
                    .help("give the column to predict the role class, or take the measure out"),
            ),
        }
    }

    /// The method of a stream, if that is what the policy is about.
    pub fn stream(&self) -> Option<&ZAnonymity> {
        self.protect.iter().find_map(Method::as_stream)
    }

    /// The first method that masks records.
    pub fn masking(&self) -> Option<&dyn Masking> {
        self.maskings().next()
    }

    /// The methods that mask records.
    pub fn maskings(&self) -> impl Iterator<Item = &dyn Masking> {
        self.protect.iter().filter_map(Method::as_masking)
    }

    /// Whether a method makes values coarser until the promises of `[guarantee]` hold.
    pub fn keeps_guarantee(&self) -> bool {
        self.protect.iter().any(Method::keeps_guarantee)
    }

    /// Whether records are masked as a stream, of which only so many rows wait.
    pub fn is_buffered(&self) -> bool {
        self.maskings().any(|masking| masking.buffer().is_some())
    }

    /// What goes with streams only, and what does not go with them.
    fn check_stream(&self, audit: Option<bool>) -> Result<()> {
        let Some(config) = self.stream() else {
            let rotates = self.columns.iter().any(|column| {
                matches!(
                    column.action,
                    Action::Pseudonym {
                        rotate: Some(_),
                        ..
                    }
                )
            });
            let certified = self.sink.as_ref().is_some_and(|s| s.certificate.is_some());
            let only = [
                (audit.is_some(), "`audit` under [guarantee]"),
                (self.checkpoint.is_some(), "[checkpoint]"),
                (certified, "`certificate` under [sink]"),
                (rotates, "`rotate`"),
            ];
            return match only.iter().find(|(there, _)| *there) {
                Some((_, what)) => Err(Error::policy(format!("{what} is for streams"))
                    .help("take it out, or use method = \"z-anonymity\"")),
                None => Ok(()),
            };
        };
        if self.guarantee != Guarantee::default() || !self.levels.is_empty() {
            return Err(Error::policy("k, l, t, p and [levels] are for tables")
                .help("z-anonymity promises its own z: take them out"));
        }
        if !self.fail_above.is_empty() {
            return Err(Error::policy(
                "`fail_above` is for tables: a stream has left before it is measured",
            )
            .help("take it out"));
        }
        let hidden = |f: &Fakes| f.order == FakesOrder::Hidden && f.key.is_none();
        if self.checkpoint.is_some() && config.fakes.as_ref().is_some_and(hidden) {
            return Err(
                Error::policy("fakes that can be drawn again after a restart need a key")
                    .help("add key = \"env:MORETTA_KEY\" to `fakes`"),
            );
        }
        self.check_rotation(config)?;
        match (&self.checkpoint, &self.sink) {
            (Some(_), Some(sink)) => io::resumable(&sink.path, &sink.options),
            _ => Ok(()),
        }
    }

    /// A pseudonym rotates in vain beside another name of the person that stays the same.
    fn check_rotation(&self, config: &ZAnonymity) -> Result<()> {
        let rotates = |column: &&ColumnPolicy| {
            column.role == Role::Subject
                && matches!(
                    &column.action,
                    Action::Pseudonym {
                        rotate: Some(_),
                        ..
                    }
                )
        };
        let Some(subject) = self.columns.iter().find(rotates) else {
            return Ok(());
        };
        let is_group = |column: &ColumnPolicy| {
            let group = config.group.as_ref();
            group.is_some_and(|group| group.column == column.name)
        };
        let stays = |column: &&ColumnPolicy| {
            // A group that is an attribute is shown only where enough users share it.
            let named = column.role == Role::Key || is_group(column) && column.role != Role::Quasi;
            column.role != Role::Subject
                && (matches!(column.action, Action::Pseudonym { .. })
                    || named && column.action != Action::Drop)
        };
        match self.columns.iter().find(stays) {
            None => Ok(()),
            Some(column) => Err(Error::policy(format!(
                "the pseudonym of `{}` rotates and `{}` beside it does not: rows of one person \
                 before and after a rotation would be linked by it",
                subject.name, column.name
            ))
            .at(column.span.clone())
            .help(format!(
                "write action = \"drop\" for `{}`, or take `rotate` out",
                column.name
            ))),
        }
    }

    /// Every file that a run reads: the policy, the data, hierarchies and keys.
    pub fn inputs(&self) -> Vec<&Path> {
        let mut inputs = self.source.paths();
        inputs.extend(self.file.as_deref());
        for column in &self.columns {
            if let Some(HierarchySpec::File(path)) = &column.hierarchy {
                inputs.push(path);
            }
            if let Action::Pseudonym {
                key: KeyPlace::File(path),
                ..
            } = &column.action
            {
                inputs.push(path);
            }
        }
        if let Some(KeyPlace::File(path)) = &self.report_key {
            inputs.push(path);
        }
        inputs
    }

    /// Whether a released value of the column `name` stands for a class rather than covers it.
    pub fn represents(&self, name: &str) -> bool {
        self.protect.iter().any(|method| method.represents(name))
    }

    /// How much what the column `name` loses counts.
    pub fn weight(&self, name: &str) -> f64 {
        self.column(name).map_or(1.0, |column| column.weight)
    }

    /// Only methods on tables weigh columns against each other.
    fn check_weights(&self) -> Result<()> {
        let weighed = self.columns.iter().find(|column| column.weight != 1.0);
        match weighed {
            Some(column) if !self.keeps_guarantee() => {
                Err(Error::policy("`weight` is for tables that are generalised")
                    .at(column.span.clone())
                    .help("take it out, or use method = \"mondrian\" or \"generalization\""))
            }
            _ => Ok(()),
        }
    }

    /// What the policy says of the column `name`.
    pub fn column(&self, name: &str) -> Option<&ColumnPolicy> {
        self.columns.iter().find(|column| column.name == name)
    }
}

fn version(top: &mut Section) -> Result<()> {
    match top.take(schema::VERSION.name) {
        None => Err(top
            .error("the policy has no version")
            .help("add `version = 1` at the top")),
        Some(Placed {
            value: Value::Whole(1),
            ..
        }) => Ok(()),
        Some(placed) => Err(placed.error("this program reads policies of version 1")),
    }
}

/// What a policy cannot do without, and the way out.
const SECTIONS: &[(&str, Parameter, &str)] = &[
    (
        "[source]",
        schema::SOURCE,
        "add [source] with path = \"file.csv\"",
    ),
    (
        "[columns]",
        schema::COLUMNS,
        "`moretta init FILE` writes a first one",
    ),
    (
        "[[protect]]",
        schema::PROTECT,
        "add [[protect]] with method = \"mondrian\"",
    ),
];

/// The methods, and where each of them stands.
fn read_protect(top: &mut Section) -> Result<(Vec<Method>, Vec<Range<usize>>)> {
    let list = top.read(&schema::PROTECT, |placed, name| {
        placed.list(name).map(<[_]>::to_vec)
    })?;
    if list.is_empty() {
        return Err(top
            .error("[[protect]] is empty")
            .help("add [[protect]] with method = \"mondrian\""));
    }
    list.into_iter()
        .map(|placed| match placed.value {
            Value::Table(section) => Ok((Method::read(section)?, placed.span)),
            _ => Err(placed.error("each [[protect]] is a table")),
        })
        .collect()
}

#[cfg(test)]
mod tests;
