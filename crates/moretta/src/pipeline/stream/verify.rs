//! Holds a release of a stream against its source, long after it was made.
//!
//! Every released row must be a row of the source, with the same time and person
//! and a label of its value, and enough users must have shown that label within
//! the window among the rows decided up to it. Rows of a release come in the order
//! of the decisions; so taking for each the first row of the source that fits,
//! after the one before, finds originals for all of them whenever that is possible.
//! With a certificate each row is named and every line is counted again too.
//!
//! Which rows were ahead of the clock when they came is known from the certificate
//! only. Without it a release that does not fit is put to all rows in the order of
//! their times, whenever they came, and a note says so: a row ahead of the clock that
//! was not turned away would have made others late, which are not in the release then.
//!
//! **Does not tell** whether rows are missing from the release. z that was tuned is
//! known from the certificate only; without it every cell is held to the least z that
//! the policy allows. Made-up rows are known from the certificate only, too.
//!
//! **Costs** all exposures of one window and the lateness in memory, and for each
//! released cell a look at its latest users.

mod certified;
mod masked;
mod matched;
mod originals;
mod recount;
mod rows;

use crate::data::hierarchy::Ladder;
use crate::data::{Role, Schema, duration_text, folded};
use crate::engine::columns::Kept;
use crate::engine::events::ladders;
use crate::engine::{Progress, Stage};
use crate::error::{Error, Result};
use crate::io::{self, Header, ReadOptions};
use crate::pipeline::certificate::events::Lines;
use crate::pipeline::release_columns::{Taken, release_plans};
use crate::pipeline::report::{Claim, Verdict};
use crate::policy::{Action, Policy};
use crate::protect::z_anonymity::{Fakes, FakesOrder, Reached, ZAnonymity};
use foldhash::fast::FixedState;
use originals::Originals;
use recount::Recount;
use rows::{Arrival, Decided, Places, Released, Rows};
use std::collections::HashSet;
use std::hash::BuildHasher;
use std::path::Path;

/// What a release of a stream really keeps.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamVerification {
    /// Rows of the release.
    pub rows: u64,
    /// Rows that are rows of the source.
    pub matched: u64,
    /// Rows that were made up; known with a certificate only.
    pub made_up: u64,
    /// Lines of the certificate that were counted again.
    pub lines: u64,
    /// The fewest users of a released cell that no made-up rows helped.
    pub smallest_count: Option<u64>,
    /// The same in words.
    pub verdict: Verdict,
    /// What is wrong; looking ends with the first fault.
    pub faults: Vec<String>,
    /// What could not be told.
    pub notes: Vec<String>,
}

/// Holds a release of masked records against the source of `policy` and against its certificate.
pub(in crate::pipeline) fn verify_masked(
    policy: &Policy,
    file: &Path,
    certificate: &Path,
    options: &ReadOptions,
    progress: &Progress,
) -> Result<StreamVerification> {
    progress.enter(Stage::Check);
    masked::verify(policy, file, certificate, options, progress)
}

/// Holds `file` against the source of `policy`, and against its certificate if there is one.
pub(in crate::pipeline) fn verify(
    policy: &Policy,
    config: &ZAnonymity,
    file: &Path,
    certificate: Option<&Path>,
    options: &ReadOptions,
    progress: &Progress,
) -> Result<StreamVerification> {
    progress.enter(Stage::Check);
    if config.fakes.is_some() && certificate.is_none() {
        return Err(Error::policy(
            "a release with fakes cannot be checked without its certificate",
        )
        .help("give --certificate FILE; only it tells made-up rows from others"));
    }
    let inspect = Inspect {
        policy,
        config,
        file,
        certificate,
        options,
        progress,
    };
    let (found, late) = inspect.release(Arrival::AsRead)?;
    if found.faults.is_empty() || certificate.is_some() || !late {
        return Ok(found);
    }
    let (mut other, _) = inspect.release(Arrival::AnyTime)?;
    if !other.faults.is_empty() {
        return Ok(found);
    }
    other.notes.push(
        "rows of the source came late, unless others were ahead of the clock, which only the \
         certificate tells; all were counted"
            .to_owned(),
    );
    Ok(other)
}

/// What is held against what.
struct Inspect<'a> {
    policy: &'a Policy,
    config: &'a ZAnonymity,
    file: &'a Path,
    certificate: Option<&'a Path>,
    options: &'a ReadOptions,
    progress: &'a Progress,
}

impl Inspect<'_> {
    /// Looks at the release; tells whether rows of the source came late, too.
    fn release(&self, arrival: Arrival) -> Result<(StreamVerification, bool)> {
        let mut inspection = Inspection::open(self, arrival)?;
        let fault = match self.certificate {
            None => inspection.match_in_order()?,
            Some(path) => {
                let lines = self.lines(path, &inspection.names)?;
                inspection.match_lines(lines)?
            }
        };
        let late = inspection.decided.has_late();
        let found = inspection.conclude(fault, self.certificate.is_some())?;
        Ok((found, late))
    }

    fn lines(&self, path: &Path, names: &[String]) -> Result<Lines> {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let hidden = |fakes: &Fakes| fakes.order == FakesOrder::Hidden;
        let mixed = self.config.fakes.as_ref().is_some_and(hidden);
        Lines::open((path, &self.policy.files), &names, mixed)
    }
}

/// What is wrong, and with which promise.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fault {
    rule: Rule,
    what: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Users,
    Rows,
    Certificate,
    /// Those between columns.
    Columns,
}

impl Rule {
    fn broken(self, what: String) -> Fault {
        Fault { rule: self, what }
    }
}

/// A release and its source side by side.
struct Inspection<'a> {
    config: &'a ZAnonymity,
    /// The names of the attributes.
    names: Vec<String>,
    recount: Recount,
    decided: Decided,
    released: Released,
    /// How far the rows of the source are that were decided so far.
    reached: Reached,
    matched: u64,
    made_up: u64,
    lines: u64,
    smallest: Option<u64>,
}

impl<'a> Inspection<'a> {
    fn open(inspect: &Inspect<'a>, arrival: Arrival) -> Result<Self> {
        let Inspect {
            policy,
            config,
            file,
            options,
            progress,
            ..
        } = *inspect;
        let ladders = ladders(&policy.plan)?;
        let sources = Originals::open(policy, &ladders, progress)?;
        let schema = sources.schema();
        let places = places(config, schema)?;
        let name = |place: usize| schema.fields()[place].name.to_string();
        let names: Vec<String> = places.attributes.iter().map(|&place| name(place)).collect();
        let ladder = |name: &String| ladders.get(name).cloned().unwrap_or_else(Ladder::flat);
        let released = open_release(policy, file, options, schema, &places)?;
        let turned_away = match inspect.certificate {
            None => HashSet::new(),
            Some(path) => inspect.lines(path, &names)?.into_turned_away()?,
        };
        let decided = Decided::new(policy, config, sources, places, arrival)?;
        Ok(Inspection {
            recount: Recount::new(
                config.window,
                names.iter().map(ladder).collect(),
                config.group.as_ref().map(|group| group.at_most),
            ),
            decided: decided.without(turned_away),
            config,
            names,
            released,
            reached: Reached::default(),
            matched: 0,
            made_up: 0,
            lines: 0,
            smallest: None,
        })
    }

    /// Notes what a row of the source shows; false when it is nobody's.
    fn expose(&mut self, rows: &Rows, row: usize) -> bool {
        let Some(user) = rows.subject(row) else {
            return false;
        };
        let user = folded(user);
        let group = rows.group(row).map(folded);
        let known = FixedState::default().hash_one(&user);
        self.reached.see(known, rows.time(row));
        for column in 0..self.names.len() {
            if let Some(value) = rows.value(row, column) {
                let person = (&*user, group.as_deref());
                self.recount.expose(rows.time(row), person, column, value);
            }
        }
        true
    }

    /// Forgets what no row of the release from here on can see: a released row is
    /// behind what two users have reached by the lateness at most.
    fn forget(&mut self) {
        let spread = self
            .config
            .fakes
            .as_ref()
            .map_or(0, |fakes| 2 * fakes.spread);
        let horizon = self.config.window + self.config.lateness + spread;
        self.recount
            .forget(self.reached.time().saturating_sub(horizon));
    }

    /// Counts the users of a cell, at least up to `needed` and to the fewest so far.
    fn count(&self, column: usize, label: &str, time: i64, needed: u64) -> u64 {
        let enough = self.smallest.unwrap_or(u64::MAX).max(needed);
        self.recount.count(column, label, time, enough)
    }

    fn note_count(&mut self, users: u64) {
        self.smallest = Some(self.smallest.map_or(users, |least| least.min(users)));
    }

    /// Counts the rest of the release and puts everything into words.
    fn conclude(mut self, fault: Option<Fault>, certified: bool) -> Result<StreamVerification> {
        while !self.released.is_done() {
            self.released.advance()?;
        }
        let rows = self.released.number() - 1;
        let verdict = self.verdict(fault.as_ref(), certified, rows);
        let mut notes = Vec::new();
        if self.config.tune.is_some() && !certified {
            notes.push(format!(
                "z was tuned and only the certificate tells its values; every cell was held to {}",
                self.config.least_z().max(1)
            ));
        }
        if self.config.fakes.is_some() && fault.is_none() {
            notes.push(format!("{} rows are made up", self.made_up));
        }
        Ok(StreamVerification {
            rows,
            matched: self.matched,
            made_up: self.made_up,
            lines: self.lines,
            smallest_count: self.smallest,
            verdict,
            faults: fault.into_iter().map(|fault| fault.what).collect(),
            notes,
        })
    }

    fn verdict(&self, fault: Option<&Fault>, certified: bool, rows: u64) -> Verdict {
        let holds = |rule: Rule| fault.is_none_or(|fault| fault.rule != rule);
        let window = duration_text(self.config.window);
        let promised = match self.config.tune {
            None => format!("at least {} users within {window}", self.config.z),
            Some(_) => format!("at least z users within {window}, z tuned"),
        };
        let found = match (fault, self.smallest) {
            (Some(fault), _) if fault.rule == Rule::Users => "fewer".to_owned(),
            (_, Some(users)) => users.to_string(),
            (_, None) => "nothing released".to_owned(),
        };
        let mut claims = vec![
            Claim {
                name: "z-anonymity".to_owned(),
                promised,
                promised_value: self.config.tune.is_none().then(|| f64::from(self.config.z)),
                found,
                found_value: self.smallest.map(|users| users as f64),
                holds: holds(Rule::Users),
            },
            Claim {
                name: "rows of the source".to_owned(),
                promised: "every released row".to_owned(),
                promised_value: Some((rows - self.made_up.min(rows)) as f64),
                found: format!("{} of {}", self.matched, rows - self.made_up.min(rows)),
                found_value: Some(self.matched as f64),
                holds: holds(Rule::Rows),
            },
        ];
        if certified {
            claims.push(Claim {
                name: "certificate".to_owned(),
                promised: "every line counts right".to_owned(),
                promised_value: None,
                found: format!("{} lines", self.lines),
                found_value: Some(self.lines as f64),
                holds: holds(Rule::Certificate),
            });
        }
        Verdict {
            passed: fault.is_none(),
            claims,
            unit: "persons".to_owned(),
            truthful: Some(holds(Rule::Rows)),
        }
    }
}

/// Where the columns of the source are that matter.
fn places(config: &ZAnonymity, schema: &Schema) -> Result<Places> {
    let first = |role: Role| schema.with_role(role).first().copied();
    let group = config.group.as_ref();
    Ok(Places {
        time: first(Role::Time).ok_or_else(|| {
            Error::policy("a stream needs a column with the role time")
                .help("for example t = { role = \"time\" }")
        })?,
        subject: first(Role::Subject),
        attributes: schema.with_role(Role::Quasi),
        group: group.and_then(|group| schema.index_of(&group.column)),
    })
}

/// Opens the release and finds the columns of the source in it.
fn open_release(
    policy: &Policy,
    file: &Path,
    options: &ReadOptions,
    schema: &Schema,
    places: &Places,
) -> Result<Released> {
    let name = |place: usize| &schema.fields()[place].name;
    let sink = policy.sink.as_ref().map(|sink| &sink.options);
    let headless = sink.is_some_and(|options| !options.header);
    let kept = Kept::new(&policy.plan, schema)?;
    let columns = || {
        let fields = kept.schema().fields().iter();
        fields.map(|field| field.name.to_string())
    };
    let mut options = ReadOptions {
        stream: true,
        names: columns().collect(),
        ..options.clone()
    };
    if headless {
        options.header = Header::None;
    }
    // Without a header a release of no rows has no bytes.
    let bytes = options.files.length(file);
    let bytes = bytes.map_err(|e| Error::io("read", file, e))?;
    let source = match bytes == Some(0) {
        true => None,
        false => Some(io::open(
            file,
            &options,
            &release_plans(policy, file, &options, Taken::Release)?,
        )?),
    };
    let names: Vec<String> = match &source {
        None => columns().collect(),
        Some(source) => {
            let fields = source.schema().fields().iter();
            fields.map(|field| field.name.to_string()).collect()
        }
    };
    let find = |place: usize| {
        let found = names.iter().position(|other| **other == **name(place));
        found.ok_or_else(|| {
            Error::input(format!("the release has no column `{}`", name(place)))
                .in_file(file)
                .help("is it a release of this policy?")
        })
    };
    let is_dropped = |place: &usize| {
        let column = policy.plan.column(name(*place));
        column.is_some_and(|column| column.action == Action::Drop)
    };
    let released = Places {
        time: find(places.time)?,
        subject: places
            .subject
            .filter(|place| !is_dropped(place))
            .map(find)
            .transpose()?,
        attributes: places
            .attributes
            .iter()
            .map(|&place| find(place))
            .collect::<Result<_>>()?,
        group: None,
    };
    let format = policy.plan.column(name(places.time)).and_then(|c| c.unit);
    let escapes = sink.is_none_or(|options| options.guard_formulas);
    Released::new(source, released, format, escapes)
}

#[cfg(test)]
mod tests;
