//! Holds a release of masked records against its source, by its certificate.
//!
//! The certificate names the row of the source of each released row, so what was not masked must
//! be as it was there. Every line is counted again: that it names the methods of the policy in
//! their order; that the records of a group are as many as it says, at least k, alike in the
//! release and with their own centroid; that windows are as long as the buffer; that swapped
//! values are those of the source, less than a buffer of rows away. Columns that are recoded show
//! what their rule makes of the source. Those that several methods change, one of them a mask, are
//! not compared with it.
//!
//! **Does not tell** whether rows are missing from the release, nor what noise was drawn.
//!
//! **Costs** source, release and certificate in memory.

use super::originals::Originals;
use super::{Fault, Rule, StreamVerification};
use crate::data::plain_text::plain_text;
use crate::data::{Batch, Column, Field, Kind, RowIds, Schema};
use crate::engine::facts::claim;
use crate::engine::masked::{recoded, released_schema};
use crate::engine::{Plan, Progress, rules};
use crate::error::{Error, Result};
use crate::guarantee::{Treatment, Truth};
use crate::io::{self, ColumnPlan, Header, ReadAs, ReadOptions};
use crate::pipeline::certificate::Row;
use crate::pipeline::certificate::records::{Line, Subject};
use crate::pipeline::report::{Claim, Verdict};
use crate::policy::{Action, Policy};
use crate::protect::{Company, Effect, Masking, Method};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// Holds `file` against the source of `policy` and against its certificate.
pub(super) fn verify(
    policy: &Policy,
    file: &Path,
    certificate: &Path,
    options: &ReadOptions,
    progress: &Progress,
) -> Result<StreamVerification> {
    let plan = &policy.plan;
    let read = Subject::new(plan).read((certificate, &policy.files))?;
    let source = Source::read(policy, progress)?;
    let released = open_release(policy, file, options, source.rows.schema())?;
    let steps = steps(plan, &source.rows, &released)?;
    let mut inspection = Inspection {
        lines: &read.lines,
        turned_away: &read.turned_away,
        steps: &steps,
        order: Vec::new(),
    };
    let mut fault = inspection.rows(&source, &released);
    let originals = source.rows.take(&inspection.order)?;
    let pairs = inspection.order.len().min(released.len());
    let (originals, shown) = (originals.slice(0, pairs), released.slice(0, pairs));
    if fault.is_none() {
        fault = untrue(policy, &recoded(plan, &originals)?, &shown)?;
    }
    for step in 0..steps.len() {
        fault = fault.or_else(|| inspection.step(step, &originals, &shown));
    }
    let rules = match rules::of_release(plan)? {
        None => Vec::new(),
        Some(mut checker) => {
            rules::judge(&mut checker, &released, || Ok(()))?;
            rules::claims(plan, &checker.counts())
        }
    };
    let broken = rules.iter().find(|claim| !claim.holds);
    let broken =
        broken.map(|claim| Rule::Columns.broken(format!("{} is {}", claim.name, claim.found_text)));
    let mut found = inspection.conclude(fault.or(broken), released.len() as u64);
    found.verdict.claims.extend(rules.iter().map(claim));
    Ok(found)
}

/// The rows of all sources, one after the other.
struct Source {
    rows: Batch,
    /// Where those of each source begin, and where the last ones end.
    starts: Vec<usize>,
}

impl Source {
    fn read(policy: &Policy, progress: &Progress) -> Result<Self> {
        let mut originals = Originals::open(policy, &HashMap::new(), progress)?;
        let (mut parts, mut starts) = (Vec::new(), vec![0]);
        for source in 0..originals.len() {
            let mut end = starts[source];
            while let Some(rows) = originals.next(source)? {
                end += rows.len();
                parts.push(rows);
            }
            starts.push(end);
        }
        let rows = Batch::concat(originals.schema(), parts)?;
        let ids = RowIds::Range {
            start: 0,
            len: rows.len(),
        };
        let rows = Batch::new(Arc::clone(originals.schema()), ids, rows.columns().to_vec())?;
        Ok(Source { rows, starts })
    }

    /// The place of a row.
    fn place(&self, row: Row) -> Option<u32> {
        let source = usize::try_from(row.source.checked_sub(1)?).ok()?;
        let number = usize::try_from(row.number.checked_sub(1)?).ok()?;
        let place = self.starts.get(source)?.checked_add(number)?;
        let place = (place < *self.starts.get(source + 1)?).then_some(place)?;
        u32::try_from(place).ok()
    }
}

fn open_release(
    policy: &Policy,
    file: &Path,
    options: &ReadOptions,
    source: &Arc<Schema>,
) -> Result<Batch> {
    let schema = released_schema(&policy.plan, source)?;
    let fields = schema.fields();
    let headless = policy.sink.as_ref().is_some_and(|s| !s.options.header);
    let names: Vec<String> = fields.iter().map(|field| field.name.to_string()).collect();
    let options = ReadOptions {
        names: names.clone(),
        header: match headless {
            true => Header::None,
            false => options.header,
        },
        ..options.clone()
    };
    // Without a header a release of no rows has no bytes.
    let bytes = options.files.length(file);
    let bytes = bytes.map_err(|e| Error::io("read", file, e))?;
    if headless && bytes == Some(0) {
        return Ok(Batch::empty(schema));
    }
    if io::names(file, &options)? != names {
        return Err(
            Error::input("the columns are not those that the policy releases")
                .in_file(file)
                .help("is it a release of this policy?"),
        );
    }
    let plan = |field: &Field| ColumnPlan {
        name: field.name.to_string(),
        role: field.role,
        read: match (&field.kind, is_named(policy, &field.name)) {
            (Kind::Category { .. }, _) | (_, true) => ReadAs::Category,
            (Kind::Number { .. }, _) => ReadAs::Number,
            (Kind::Date(format), _) => ReadAs::Date(*format),
            (Kind::Plain(_), _) => ReadAs::Plain,
        },
    };
    let plans: Vec<ColumnPlan> = fields.iter().map(plan).collect();
    let source = io::open(file, &options, &plans)?;
    let schema = Arc::clone(source.schema());
    Batch::concat(&schema, source.collect::<Result<Vec<_>>>()?)
}

/// Whether a column holds pseudonyms.
fn is_named(policy: &Policy, name: &str) -> bool {
    let column = policy.plan.column(name);
    column.is_some_and(|column| matches!(column.action, Action::Pseudonym { .. }))
}

/// What is not masked must be as it was in the row that the certificate names, recoded by the
/// rules of the policy.
fn untrue(policy: &Policy, originals: &Batch, released: &Batch) -> Result<Option<Fault>> {
    let plan = &policy.plan;
    let schema = originals.schema();
    let effects = plan.protect.iter().map(|method| method.effects(schema));
    let effects = effects.collect::<Result<Vec<Vec<Effect>>>>()?;
    let treatment = |(place, field): (usize, &Field)| {
        let has = |effect: Effect| effects.iter().any(|effects| effects[place] == effect);
        let column = plan.column(&field.name);
        let treatment = match column.map(|column| (&column.action, column.rotates())) {
            Some((Action::Drop | Action::Number, _)) => Treatment::Dropped,
            _ if has(Effect::Replaced) => Treatment::Dropped,
            _ if has(Effect::Masked) => Treatment::Masked,
            Some((Action::Pseudonym { .. }, true)) => Treatment::Masked,
            Some((Action::Pseudonym { .. }, false)) => Treatment::Pseudonym,
            _ => Treatment::Kept,
        };
        (field.name.to_string(), treatment)
    };
    let treatments: Vec<(String, Treatment)> =
        schema.fields().iter().enumerate().map(treatment).collect();
    let made = released.schema().fields().iter();
    let made = made.filter(|field| schema.index_of(&field.name).is_none());
    let made = made.map(|field| field.name.to_string()).collect();
    let sink = policy.sink.as_ref();
    let missing = sink.map_or(Ok(None), |s| io::unmarked_missing(&s.path, &s.options))?;
    let escapes = missing.is_some() && sink.is_some_and(|sink| sink.options.guard_formulas);
    let mut truth = Truth::new(schema, &treatments, escapes)?
        .with_made(made)
        .with_missing(missing);
    let ids = RowIds::Range {
        start: 0,
        len: originals.len(),
    };
    let originals = Batch::new(Arc::clone(schema), ids, originals.columns().to_vec())?;
    truth.observe(&originals, released)?;
    let found = truth.findings(None).into_iter().next();
    Ok(found.map(|fault| Rule::Rows.broken(format!("rows of the certificate: {fault}"))))
}

/// A method that masks or recodes records, and its columns before and after.
struct Step<'a> {
    name: String,
    /// None where it recodes.
    masking: Option<&'a dyn Masking>,
    /// Those that no other method masks, as places in the source and in the release.
    columns: Vec<(usize, usize)>,
    buffer: usize,
}

fn steps<'a>(plan: &'a Plan, originals: &Batch, released: &Batch) -> Result<Vec<Step<'a>>> {
    let schema = originals.schema();
    let methods = plan.protect.iter().filter(|method| {
        // Events were decided before.
        method.as_masking().is_some() || method.is_recoding()
    });
    let places = methods.clone().map(|method| match method.as_masking() {
        Some(masking) => masking.places(schema),
        None => Ok(Vec::new()),
    });
    let places = places.collect::<Result<Vec<_>>>()?;
    let is_alone = |place: &usize| {
        let masks = places.iter().filter(|step| step.contains(place));
        masks.count() == 1 && !plan.recodes_in_stream(&schema.fields()[*place].name)
    };
    let step = |(method, places): (&'a Method, &Vec<usize>)| {
        let after = |place: usize| released.schema().index_of(&schema.fields()[place].name);
        let masking = method.as_masking();
        Step {
            name: method.name().to_owned(),
            masking,
            columns: (places.iter().copied().filter(is_alone))
                .filter_map(|place| Some((place, after(place)?)))
                .collect(),
            buffer: masking.and_then(Masking::buffer).unwrap_or(usize::MAX),
        }
    };
    Ok(methods.zip(&places).map(step).collect())
}

/// A certificate, and what it is about.
struct Inspection<'a> {
    lines: &'a [Line],
    turned_away: &'a HashSet<u64>,
    steps: &'a [Step<'a>],
    /// The places of the released rows in the source.
    order: Vec<u32>,
}

impl Inspection<'_> {
    /// Finds the rows that the certificate names.
    fn rows(&mut self, source: &Source, released: &Batch) -> Option<Fault> {
        let mut seen = HashSet::new();
        for lines in self.lines.chunks(self.steps.len()) {
            let first = &lines[0];
            let steps = lines.iter().map(|line| (line.row, line.step));
            let expected = (0..self.steps.len()).map(|step| (first.row, Some(step)));
            if !steps.eq(expected) {
                return Some(Rule::Certificate.broken(format!(
                    "line {} does not begin a line for each method of the policy, about one row",
                    first.number
                )));
            }
            let Some(place) = source.place(first.row) else {
                return Some(
                    Rule::Rows.broken(format!("line {}: there is no {}", first.number, first.row)),
                );
            };
            let turned_away = first
                .row
                .id()
                .is_some_and(|id| self.turned_away.contains(&id));
            if turned_away || !seen.insert(place) {
                return Some(Rule::Certificate.broken(format!(
                    "line {}: {} left before, or was turned away",
                    first.number, first.row
                )));
            }
            self.order.push(place);
        }
        let (told, rows) = (self.order.len(), released.len());
        (told != rows).then(|| {
            Rule::Certificate.broken(format!(
                "the certificate is about {told} rows and the release has {rows}"
            ))
        })
    }

    /// The lines about a method, in the order of the release.
    fn lines_of(&self, step: usize) -> impl Iterator<Item = &Line> {
        self.lines.iter().skip(step).step_by(self.steps.len())
    }

    fn step(&self, place: usize, originals: &Batch, released: &Batch) -> Option<Fault> {
        let step = &self.steps[place];
        match step.company() {
            Company::Group => self.groups(place, originals, released),
            company => {
                let rows = released.len();
                for (row, line) in self.lines_of(place).enumerate() {
                    let expected = match company {
                        Company::Window => {
                            let window = row / step.buffer;
                            let members = step.buffer.min(rows - window * step.buffer);
                            (Some(window as u64 + 1), Some(members as u64))
                        }
                        Company::Held => (None, Some(step.buffer.min(rows - row) as u64)),
                        Company::Group | Company::Alone => (None, None),
                    };
                    if (line.group, line.members) != expected {
                        return Some(miscounted(line, &step.name));
                    }
                }
                match company {
                    Company::Held => step.exchanged(originals, released),
                    _ => None,
                }
            }
        }
    }

    /// Groups have as many records as is said, k or more, and their own centroid.
    fn groups(&self, place: usize, originals: &Batch, released: &Batch) -> Option<Fault> {
        let step = &self.steps[place];
        let mut groups: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (row, line) in self.lines_of(place).enumerate() {
            match line.group {
                Some(group) => groups.entry(group).or_default().push(row),
                None => return Some(miscounted(line, &step.name)),
            }
        }
        for (row, line) in self.lines_of(place).enumerate() {
            let group = line.group.and_then(|group| groups.get(&group))?;
            let members = group.len() as u64;
            if line.members != Some(members) {
                return Some(miscounted(line, &step.name));
            }
            let spans = group[group.len() - 1] - group[0];
            if members < step.k() || spans >= step.buffer {
                return Some(Rule::Users.broken(format!(
                    "line {}: the group of {} has {members} records within {} rows of the release",
                    line.number,
                    line.row,
                    spans + 1
                )));
            }
            if group[0] == row && !step.is_centroid(group, originals, released) {
                return Some(Rule::Rows.broken(format!(
                    "line {}: the group of {} does not show its centroid",
                    line.number, line.row
                )));
            }
        }
        None
    }

    /// The fewest records of a group.
    fn smallest(&self, step: usize) -> Option<u64> {
        self.lines_of(step).filter_map(|line| line.members).min()
    }

    fn conclude(&self, fault: Option<Fault>, rows: u64) -> StreamVerification {
        let holds = |rule: Rule| fault.as_ref().is_none_or(|fault| fault.rule != rule);
        let lines = self.lines.len() as u64;
        let grouped = || {
            let steps = self.steps.iter().enumerate();
            steps.filter(|(_, step)| step.company() == Company::Group)
        };
        let mut claims: Vec<Claim> = grouped()
            .map(|(place, step)| Claim {
                name: format!("groups of {}", step.name),
                promised: format!("at least {} records", step.k()),
                promised_value: Some(step.k() as f64),
                found: match (holds(Rule::Users), self.smallest(place)) {
                    (false, _) => "fewer".to_owned(),
                    (true, Some(records)) => records.to_string(),
                    (true, None) => "nothing released".to_owned(),
                },
                found_value: self.smallest(place).map(|records| records as f64),
                holds: holds(Rule::Users)
                    && self
                        .smallest(place)
                        .is_none_or(|records| records >= step.k()),
            })
            .collect();
        // Rows are compared once lines and rows fit.
        let compared = fault
            .as_ref()
            .is_none_or(|fault| matches!(fault.rule, Rule::Users | Rule::Columns));
        let matched = if compared { rows } else { 0 };
        claims.push(Claim {
            name: "rows of the source".to_owned(),
            promised: "every released row".to_owned(),
            promised_value: Some(rows as f64),
            found: match (compared, holds(Rule::Rows)) {
                (true, _) => format!("{rows} of {rows}"),
                (false, true) => "not compared".to_owned(),
                (false, false) => "not all".to_owned(),
            },
            found_value: compared.then_some(rows as f64),
            holds: compared,
        });
        claims.push(Claim {
            name: "certificate".to_owned(),
            promised: "every line counts right".to_owned(),
            promised_value: None,
            found: format!("{lines} lines"),
            found_value: Some(lines as f64),
            holds: holds(Rule::Certificate),
        });
        let losses = self.steps.iter().filter_map(|step| step.masking?.loss());
        StreamVerification {
            rows,
            matched,
            made_up: 0,
            lines,
            smallest_count: grouped()
                .filter_map(|(place, _)| self.smallest(place))
                .min(),
            verdict: Verdict {
                passed: fault.is_none(),
                claims,
                unit: "rows".to_owned(),
                truthful: Some(compared),
            },
            faults: fault.into_iter().map(|fault| fault.what).collect(),
            notes: losses
                .map(|loss| format!("{loss}: kept by how the noise is made, which no file shows"))
                .collect(),
        }
    }
}

fn miscounted(line: &Line, method: &str) -> Fault {
    Rule::Certificate.broken(format!(
        "line {}: {method} did not mask {} among such records",
        line.number, line.row
    ))
}

impl Step<'_> {
    /// The least records of a group.
    fn k(&self) -> u64 {
        let k = self.masking.and_then(Masking::k);
        k.map_or(1, u64::from)
    }

    /// Among which records each is masked.
    fn company(&self) -> Company {
        self.masking.map_or(Company::Alone, Masking::company)
    }

    /// Whether records look alike, and numbers are the mean of those that were there.
    fn is_centroid(&self, group: &[usize], originals: &Batch, released: &Batch) -> bool {
        let is_date =
            |place: usize| matches!(originals.schema().fields()[place].kind, Kind::Date(_));
        self.columns.iter().all(|&(before_place, after)| {
            match (originals.column(before_place), released.column(after)) {
                (Column::Number(before), Column::Number(after)) => {
                    let shown = after.get(group[0]);
                    let present: Vec<f64> =
                        group.iter().filter_map(|&row| before.get(row)).collect();
                    let mean = present.iter().sum::<f64>() / present.len() as f64;
                    let near = match shown {
                        // A mean of days is a day.
                        Some(shown) if is_date(before_place) => (shown - mean).abs() <= 1.0,
                        Some(shown) => (shown - mean).abs() <= 1e-9 * mean.abs().max(1.0),
                        None => present.is_empty(),
                    };
                    near && group.iter().all(|&row| after.get(row) == shown)
                }
                (Column::Category(before), Column::Category(after)) => {
                    let shown = after.get(group[0]);
                    let was_there = group.iter().any(|&row| before.get(row) == shown);
                    was_there && group.iter().all(|&row| after.get(row) == shown)
                }
                _ => false,
            }
        })
    }

    /// Whether a value is that of no row less than a buffer away.
    fn is_far(&self, before: &[Option<String>], after: &[Option<String>]) -> bool {
        let mut around: HashMap<&Option<String>, usize> = HashMap::new();
        let (mut first, mut last) = (0, 0);
        after.iter().enumerate().any(|(row, value)| {
            while last < before.len().min(row.saturating_add(self.buffer)) {
                *around.entry(&before[last]).or_default() += 1;
                last += 1;
            }
            while first < row.saturating_sub(self.buffer - 1) {
                if let Some(rows) = around.get_mut(&before[first]) {
                    *rows -= 1;
                }
                first += 1;
            }
            around.get(value).is_none_or(|&rows| rows == 0)
        })
    }

    /// Whether each value is one of the source, less than a buffer of rows away, and none is lost.
    fn exchanged(&self, originals: &Batch, released: &Batch) -> Option<Fault> {
        let rows: Vec<usize> = (0..released.len()).collect();
        for &(before, after) in &self.columns {
            let name = &originals.schema().fields()[before].name;
            let kept = (
                numbers_or_texts(originals.column(before), &rows),
                numbers_or_texts(released.column(after), &rows),
            );
            let (Some(mut before), Some(mut after)) = kept else {
                continue;
            };
            let far = self.is_far(&before, &after);
            before.sort_unstable();
            after.sort_unstable();
            if far || before != after {
                return Some(Rule::Rows.broken(format!(
                    "the values of `{name}` are not those of rows around them"
                )));
            }
        }
        None
    }
}

/// Cells as texts, where the column is read as such.
fn texts(column: &Column, rows: &[usize]) -> Option<Vec<Option<String>>> {
    match column {
        Column::Plain(array) => {
            let texts = plain_text(array).ok()?;
            let all: Vec<Option<&str>> = texts.iter().collect();
            Some(
                rows.iter()
                    .map(|&row| all[row].map(str::to_owned))
                    .collect(),
            )
        }
        Column::Category(cells) => {
            let text = |&row: &usize| cells.get(row).map(str::to_owned);
            Some(rows.iter().map(text).collect())
        }
        Column::Number(numbers) => {
            let text = |&row: &usize| numbers.get(row).map(|number| number.to_string());
            Some(rows.iter().map(text).collect())
        }
    }
}

/// The same, but for dates, which are numbers in the source and texts in the release.
fn numbers_or_texts(column: &Column, rows: &[usize]) -> Option<Vec<Option<String>>> {
    match column {
        Column::Plain(_) => None,
        column => texts(column, rows),
    }
}
