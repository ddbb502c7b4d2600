//! What the columns of a file are like, for those who prepare data and may not see the rows.
//!
//! Counts are rounded and small ones hidden (`rounded.rs`); a label is told where more than 10
//! persons share it, rarer ones are one block; of identifiers nothing is told. The roles are
//! guesses, as `moretta init` makes them, each with its reason.

use super::rounded::{rounded_count, rounded_share, rounded_text};
use crate::data::coded::Coded;
use crate::data::{Batch, Column, ColumnPlan, Kind, MISSING, ReadAs, Role};
use crate::engine::column_sets::column_sets;
use crate::engine::report::{ColumnSet, SMALL_CELL};
use crate::engine::telling::THOROUGH;
use crate::engine::{Progress, Stage};
use crate::error::Result;
use crate::io::{self, Limits, ReadOptions};
use crate::policy::{Guess, Proposal, propose};
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// Labels of a column that are told.
const LABELS: usize = 100;

/// Bins of a column of numbers, about.
const BINS: f64 = 12.0;

/// What a file holds.
#[derive(Clone, Debug, Serialize)]
pub struct Profile {
    /// Its rows.
    pub rows: Option<u64>,
    /// Its persons, where a column tells them.
    pub persons: Option<u64>,
    /// Every column, in the order of the file.
    pub columns: Vec<ProfiledColumn>,
    /// Columns that single persons out together, of each number of columns those that do it most.
    pub column_sets: Vec<ColumnSet>,
    /// What was odd.
    pub notes: Vec<String>,
    /// A first policy, without places.
    pub policy: String,
}

/// What a column holds.
#[derive(Clone, Debug, Serialize)]
pub struct ProfiledColumn {
    /// Its name.
    pub name: String,
    /// What it seems to mean for privacy.
    pub role: &'static str,
    /// Why.
    pub why: String,
    /// "number", "date", "category" or "text"; none of identifiers, of which nothing more is told.
    pub kind: Option<&'static str>,
    /// Rows without a value.
    pub missing: Option<u64>,
    /// Different values.
    pub distinct: Option<u64>,
    /// The share of those who are alone with their value.
    pub alone: Option<f64>,
    /// Labels or bins, with how many have them.
    pub values: Vec<ProfiledValue>,
    /// How many have a value that is not told since at most 10 share it.
    pub rare: Option<u64>,
}

/// A label or a bin.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProfiledValue {
    /// What it is.
    pub label: String,
    /// How many have it.
    pub count: u64,
}

/// Looks at all rows of a file.
///
/// # Errors
/// When the file cannot be read, or has no rows.
pub fn profile(path: &Path, options: &ReadOptions, progress: &Progress) -> Result<Profile> {
    progress.enter(Stage::Read);
    let mut proposal = propose(path, options)?;
    let batch = read(path, options, &proposal, progress)?;
    progress.enter(Stage::Check);
    let columns: Vec<Coded> = (0..batch.schema().len())
        .map(|place| Coded::new(&batch, place))
        .collect();
    let persons = columns.iter().find(|column| column.role == Role::Subject);
    let rows = batch.len() as u64;
    let whose = Whose {
        persons: persons.map(|persons| &*persons.codes),
        all: persons.map_or(rows, |persons| persons.distinct),
    };
    let told = proposal.columns.iter();
    let told = told.map(|guess| profiled(guess, &batch, &whose)).collect();
    let sets = column_sets(&columns, batch.len(), persons, THOROUGH.visits);
    let sets = sets.into_iter().filter_map(|set| {
        let singled_out = rounded_count(set.singled_out, whose.all)?;
        Some(ColumnSet { singled_out, ..set })
    });
    let notes = proposal.headless.iter().map(|note| rounded_text(note));
    let notes = notes.collect();
    proposal.rows =
        rounded_count(proposal.rows as u64, proposal.rows as u64).unwrap_or_default() as usize;
    Ok(Profile {
        rows: rounded_count(rows, rows),
        persons: persons.and_then(|persons| rounded_count(persons.distinct, persons.distinct)),
        columns: told,
        column_sets: sets.collect(),
        notes,
        policy: without_places(&proposal.text("data", "release")),
    })
}

/// All rows, without what identifies persons, but for the column that counts them.
fn read(
    path: &Path,
    options: &ReadOptions,
    proposal: &Proposal,
    progress: &Progress,
) -> Result<Batch> {
    let plans: Vec<ColumnPlan> = proposal
        .columns
        .iter()
        .map(|guess| ColumnPlan {
            name: guess.name.clone(),
            role: guess.role,
            read: match guess.role {
                Role::Identifier | Role::Key => ReadAs::Skip,
                Role::Subject => ReadAs::Category,
                // A time that nothing generalises is a text like others.
                Role::Time | Role::Plain => ReadAs::Category,
                _ => guess.read.clone(),
            },
        })
        .collect();
    let options = ReadOptions {
        delimiter: proposal.delimiter.or(options.delimiter),
        header: match proposal.header {
            true => options.header,
            false => io::Header::None,
        },
        missing: proposal.missing.clone(),
        decimal_comma: proposal.decimal_comma,
        progress: Some(progress.counter()),
        limits: Limits {
            categories: usize::MAX,
            ..options.limits
        },
        ..options.clone()
    };
    let source = io::open(path, &options, &plans)?;
    let schema = Arc::clone(source.schema());
    let mut batches = Vec::new();
    for batch in source {
        progress.cancel().check()?;
        batches.push(batch?);
    }
    Batch::concat(&schema, batches)
}

/// Who is counted: persons, or rows where no column tells persons.
struct Whose<'a> {
    persons: Option<&'a [u32]>,
    all: u64,
}

impl Whose<'_> {
    /// How many have each code; none is counted without one.
    fn counts(&self, codes: impl Iterator<Item = Option<u64>>) -> BTreeMap<u64, u64> {
        let mut seen: HashSet<(u64, u32), foldhash::fast::FixedState> = HashSet::default();
        let mut counts = BTreeMap::new();
        for (row, code) in codes.enumerate() {
            let Some(code) = code else { continue };
            let first = match self.persons {
                Some(persons) => seen.insert((code, persons[row])),
                None => true,
            };
            *counts.entry(code).or_insert(0) += u64::from(first);
        }
        counts
    }
}

fn profiled(guess: &Guess, batch: &Batch, whose: &Whose<'_>) -> ProfiledColumn {
    let mut told = ProfiledColumn {
        name: guess.name.clone(),
        role: guess.role.word(),
        why: rounded_text(&guess.why),
        kind: None,
        missing: None,
        distinct: None,
        alone: None,
        values: Vec::new(),
        rare: None,
    };
    let place = batch.schema().index_of(&guess.name);
    let Some(place) = place.filter(|_| guess.role != Role::Subject) else {
        return told;
    };
    let (kind, column) = (&batch.schema().fields()[place].kind, batch.column(place));
    told.missing = rounded_count(column.missing_count() as u64, column.len() as u64);
    let (counts, values) = match column {
        Column::Category(categories) => {
            told.kind = Some("category");
            let codes = categories.codes().iter();
            let code = |&code: &u32| (code != MISSING).then_some(u64::from(code));
            let counts = whose.counts(codes.map(code));
            let labels: Vec<(String, u64)> = counts
                .iter()
                .map(|(&code, &count)| {
                    let label = categories.levels().get(code as u32);
                    (label.to_owned(), count)
                })
                .collect();
            let values = shared(labels);
            (counts, values)
        }
        Column::Number(numbers) => {
            let dates = match kind {
                Kind::Date(format) => Some(*format),
                _ => None,
            };
            told.kind = Some(if dates.is_some() { "date" } else { "number" });
            let bits = numbers.iter().map(|n| n.map(|n| (n + 0.0).to_bits()));
            let counts = whose.counts(bits);
            let all: Vec<Option<f64>> = numbers.iter().collect();
            let label = |edge: f64| match dates {
                Some(format) => format.format(edge as i32),
                None => edge.to_string(),
            };
            (counts, binned(&all, dates.is_some(), whose, label))
        }
        Column::Plain(_) => {
            told.kind = Some("text");
            return told;
        }
    };
    let single = counts.values().filter(|&&count| count == 1).count();
    told.alone = rounded_share(single as f64 / whose.all.max(1) as f64, whose.all);
    let few = counts
        .values()
        .filter(|&&count| count <= SMALL_CELL)
        .count() as u64;
    told.distinct = match few {
        0 => Some(counts.len() as u64),
        // How many are rare tells how many have them.
        _ => rounded_count(counts.len() as u64, counts.len() as u64),
    };
    (told.values, told.rare) = values;
    told
}

/// Labels that more than 10 share, the most frequent first, and how many have another one. Where
/// these are few, more labels go with them.
fn shared(mut labels: Vec<(String, u64)>) -> (Vec<ProfiledValue>, Option<u64>) {
    labels.sort_by(|(a, many), (b, other)| other.cmp(many).then_with(|| a.cmp(b)));
    let told = labels.iter().take(LABELS);
    let mut told = told.take_while(|(_, count)| *count > SMALL_CELL).count();
    let rest = |told: usize| labels[told..].iter().map(|(_, count)| count).sum::<u64>();
    while told > 0 && (1..=SMALL_CELL).contains(&rest(told)) {
        told -= 1;
    }
    let rare = rest(told);
    let values = labels[..told].iter().map(|(label, count)| ProfiledValue {
        label: label.clone(),
        count: rounded_count(*count, *count).unwrap_or_default(),
    });
    (values.collect(), rounded_count(rare, rare))
}

/// Numbers in bins between round edges, each with more than 10. The outer ones are open: their
/// ends would be values of single persons.
fn binned(
    numbers: &[Option<f64>],
    whole: bool,
    whose: &Whose<'_>,
    label: impl Fn(f64) -> String,
) -> (Vec<ProfiledValue>, Option<u64>) {
    let mut sorted: Vec<f64> = numbers.iter().flatten().copied().collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let margin = SMALL_CELL as usize;
    let (Some(low), Some(high)) = (
        sorted.get(margin).copied(),
        sorted
            .len()
            .checked_sub(margin + 1)
            .map(|place| sorted[place]),
    ) else {
        return (Vec::new(), None);
    };
    if high < low {
        return (Vec::new(), None);
    }
    let step = round_step((high - low) / BINS, whole);
    let bin = |n: f64| (n.clamp(low, high) / step).floor() as i64;
    let first = bin(low);
    let codes = numbers.iter().map(|n| n.map(|n| (bin(n) - first) as u64));
    let mut bins: Vec<(i64, u64)> = Vec::new();
    let mut open = 0;
    for (place, count) in whose.counts(codes) {
        open += count;
        if open > SMALL_CELL {
            // It ends where the next one begins.
            bins.push((first + place as i64 + 1, open));
            open = 0;
        }
    }
    if let (Some(last), 1..) = (bins.last_mut(), open) {
        last.1 += open;
    }
    let ends = bins.len().saturating_sub(1);
    let edge = |place: i64| label(place as f64 * step);
    let told = bins.iter().enumerate().map(|(i, (end, count))| {
        let from = i
            .checked_sub(1)
            .map_or_else(String::new, |i| edge(bins[i].0));
        let to = if i < ends { edge(*end) } else { String::new() };
        ProfiledValue {
            label: format!("{from}..{to}"),
            count: rounded_count(*count, *count).unwrap_or_default(),
        }
    });
    (told.collect(), Some(0))
}

/// 1, 2 or 5 times a power of ten, at least `least`.
fn round_step(least: f64, whole: bool) -> f64 {
    let least = least.max(if whole { 1.0 } else { 1e-9 });
    let power = 10_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|times| times * power);
    let step = steps.into_iter().find(|step| *step >= least);
    step.unwrap_or(10.0 * power)
}

/// A policy whose places somebody else gives.
fn without_places(text: &str) -> String {
    let is_place =
        |line: &&str| !line.starts_with("path = ") && !line.starts_with("# A first policy");
    let lines = text.lines().filter(is_place);
    lines.map(|line| line.to_owned() + "\n").collect()
}
