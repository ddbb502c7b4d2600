//! What a steward should know before a release: promises that are weaker than they look.

use super::masked::Masks;
use super::original::Original;
use crate::data::{Batch, Column, Field, Levels, Role, Schema, folded};
use crate::engine::plan::{Action, Plan};
use crate::error::{Error, Result};
use crate::protect::Method;
use foldhash::{HashMap, HashSet};
use std::sync::Arc;

/// A person with more than this share of the rows is worth a warning.
const MOST_OF_ONE: f64 = 0.4;

/// Values of a column that the search for look-alikes looks at.
const LOOKED_AT: usize = 200_000;

/// The share of rows with a value of their own from which on a column names persons…
const NEARLY_ALL: f64 = 0.9;

/// …unless there are too few rows to say so.
const FEW_ROWS: usize = 20;

/// Warnings about a policy and its table. With `strict`, a promise that leaves
/// sensitive values open is an error.
pub fn warnings(plan: &Plan, original: &Original, strict: bool) -> Result<Vec<String>> {
    let mut warnings = Vec::new();
    let notes = &original.notes;
    let original = &original.batch;
    let guarantee = &plan.guarantee;
    if plan.promises_nothing()? {
        return Err(
            Error::policy("the policy promises no k, so nothing hides a person")
                .help("add [guarantee] with k = 5"),
        );
    }
    let masking = plan.masking();
    let promises_k = guarantee.hides_persons() || masking.is_some_and(|m| m.k().is_some());
    let sensitive = original.schema().with_role(Role::Sensitive);
    if promises_k && !sensitive.is_empty() && guarantee.of_columns().next().is_none() {
        let what = "only k is promised although a sensitive column exists: a class in which all share one value gives it away";
        if strict {
            return Err(Error::policy(what)
                .help("add l, t, p, beta or delta under [guarantee], or run without --strict"));
        }
        warnings.push(format!("{what}; add l, t or p under [guarantee]"));
    }
    // Masks show neither classes with missing cells nor sets and intervals.
    if plan.keeps_guarantee() {
        warnings.extend(missing_cells(original));
        warnings.extend(one_value_per_person(plan, original));
        warnings.extend(representatives(plan));
    }
    warnings.extend(look_alikes(original));
    for column in &plan.columns {
        if column.role == Role::Subject && column.action == Action::Keep {
            warnings.push(format!(
                "column `{}` tells persons and is released as it is; a pseudonym would be safer",
                column.name
            ));
        }
    }
    warnings.extend(linked_rows(plan, original));
    warnings.extend(largest_person(original));
    warnings.extend_from_slice(notes);
    Ok(warnings)
}

/// The warnings of a run whose methods make values coarser and mask others.
pub(crate) fn run_warnings(
    plan: &Plan,
    original: &Original,
    masks: Option<&Masks>,
    strict: bool,
) -> Result<Vec<String>> {
    let Some(masks) = masks else {
        return warnings(plan, original, strict);
    };
    let mut told = warnings(plan, &without(original, &masks.private)?, strict)?;
    let is_quasi = |name: &&str| {
        let column = plan.column(name);
        column.is_some_and(|column| column.role == Role::Quasi)
    };
    let quasi = masks.names.iter().map(String::as_str).filter(is_quasi);
    told.extend(
        list(quasi).map(|names| {
            format!("gcp, ncp and loss take masked values for the originals: {names}")
        }),
    );
    Ok(told)
}

/// What a sample leaves open, as far as the policy tells.
pub(crate) fn sample_warnings(plan: &Plan) -> Vec<String> {
    let mut warnings = Vec::new();
    let quasi = plan.columns.iter();
    let quasi = quasi.filter(|c| c.role == Role::Quasi && c.action == Action::Keep);
    if plan.only_samples() {
        let open = list(quasi.map(|column| column.name.as_str()));
        warnings.extend(open.map(|names| {
            format!("quasi-identifiers of the sample are released as they are: {names}")
        }));
    }
    let differs = |method: &Method| match method {
        Method::Massc(massc) => massc.fraction.iter().any(|rate| *rate != massc.fraction[0]),
        _ => false,
    };
    if plan.protect.iter().any(differs) {
        warnings.push(
            "massc draws different fractions: the weights tell who was alone or rare; give one fraction for all"
                .to_owned(),
        );
    }
    if plan.samples() && plan.seed.is_some() {
        warnings.push(
            "the policy has a seed: whoever knows it and the rows can tell who was drawn"
                .to_owned(),
        );
    }
    warnings
}

/// The table without these columns, of which a private method masks the originals: a
/// warning about them would not be private.
fn without(original: &Original, names: &[String]) -> Result<Original> {
    let batch = &original.batch;
    let columns = batch.schema().fields().iter().zip(batch.columns());
    let (fields, columns) = columns
        .filter(|(field, _)| names.iter().all(|name| **name != *field.name))
        .map(|(field, column)| (field.clone(), column.clone()))
        .unzip::<_, _, Vec<Field>, Vec<Column>>();
    Ok(Original {
        batch: Batch::new(
            Arc::new(Schema::new(fields)?),
            batch.rows().clone(),
            columns,
        )?,
        made: original.made.clone(),
        notes: original.notes.clone(),
    })
}

/// Quasi-identifiers with missing cells, and those that have nothing else.
fn missing_cells(original: &Batch) -> Vec<String> {
    let named = |all: bool| {
        let columns = original.schema().with_role(Role::Quasi).into_iter();
        let columns = columns.filter(|&i| {
            let column = original.column(i);
            let missing = column.missing_count();
            missing > 0 && (missing == column.len()) == all
        });
        list(columns.map(|i| &*original.schema().fields()[i].name))
    };
    let some = named(false).map(|names| {
        format!("missing cells count as a value of their own, equal only to missing: {names}")
    });
    let all = named(true).map(|names| format!("all cells are missing: {names}"));
    some.into_iter().chain(all).collect()
}

/// Quasi-identifiers of which nearly every row has a value that no other person has, and which
/// no hierarchy makes coarser: a set or an interval of such values shows values of single
/// persons.
fn one_value_per_person(plan: &Plan, original: &Batch) -> Option<String> {
    let original = original.slice(0, original.len().min(LOOKED_AT));
    let subject = original.schema().with_role(Role::Subject).first().copied();
    let persons = subject.and_then(|subject| original.column(subject).as_categories());
    let person = |row: usize| persons.map_or(row as u32, |persons| persons.codes()[row]);
    let open = |field: &Field| {
        let column = plan.column(&field.name);
        field.role == Role::Quasi
            && column.is_some_and(|column| column.hierarchy.is_none())
            && !plan.represents(&field.name)
    };
    let fields = original.schema().fields().iter().zip(original.columns());
    let telling = fields.filter(|(field, column)| {
        open(field) && lone_rows(column, person) as f64 >= NEARLY_ALL * original.len() as f64
    });
    let names = list(telling.map(|(field, _)| &*field.name))?;
    (original.len() >= FEW_ROWS).then(|| {
        format!("nearly every person has a value of their own, so that sets and bounds of intervals name persons: {names}; make it an identifier, or give it a hierarchy")
    })
}

/// Rows with a value that no other person has.
fn lone_rows(column: &Column, person: impl Fn(usize) -> u32) -> usize {
    let value = |row: usize| match column {
        Column::Category(values) => Some(u64::from(values.codes()[row])),
        Column::Number(numbers) => numbers.get(row).map(f64::to_bits),
        Column::Plain(_) => None,
    };
    // The rows of a value, as long as they are those of one person.
    let mut rows_of: HashMap<u64, Option<(u32, usize)>> = HashMap::default();
    for row in 0..column.len() {
        let Some(value) = value(row) else { continue };
        let rows = rows_of.entry(value).or_insert(Some((person(row), 0)));
        *rows = rows
            .filter(|(owner, _)| *owner == person(row))
            .map(|(owner, count)| (owner, count + 1));
    }
    rows_of.values().flatten().map(|(_, count)| count).sum()
}

/// Columns whose loss the measures cannot see.
fn representatives(plan: &Plan) -> Option<String> {
    let columns = plan.columns.iter();
    let shown = columns.filter(|c| c.role == Role::Quasi && plan.represents(&c.name));
    list(shown.map(|column| column.name.as_str())).map(|names| {
        format!("one value stands for each class, which gcp, ncp and loss take for the original: {names}")
    })
}

/// Names in backticks, if there are any.
fn list<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Columns with values that a reader takes for one.
fn look_alikes(original: &Batch) -> Option<String> {
    let counted = original.schema().fields().iter().zip(original.columns());
    let alike = counted.filter(|(field, column)| match (field.role, column) {
        (Role::Sensitive | Role::Subject, Column::Category(values)) => {
            has_look_alikes(values.levels())
        }
        _ => false,
    });
    list(alike.map(|(field, _)| &*field.name)).map(|names| {
        format!("values differ only in spaces, letter case, Unicode form or the way a number is written, and each counts as a value of its own (l and p take values that look alike for one, not numbers), so the promise may hold in name only: {names}")
    })
}

/// Whether two values look the same to a reader or are the same number.
fn has_look_alikes(levels: &Levels) -> bool {
    let mut seen = HashSet::default();
    let same = |text: &str| digits(text).unwrap_or_else(|| folded(text).into_owned());
    !levels
        .iter()
        .take(LOOKED_AT)
        .all(|text| seen.insert(same(text)))
}

/// The decimal digits of a number, however it is written, and all of them: two numbers of 17
/// digits can be one float.
fn digits(text: &str) -> Option<String> {
    let text = text.trim();
    if text.contains(['e', 'E']) {
        let number = text.parse().ok();
        let short = number.filter(|n: &f64| n.is_finite() && n.abs() < 1e15)?;
        return digits(&short.to_string());
    }
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let fraction = fraction.trim_end_matches('0');
    let negative = negative && whole.len() + fraction.len() > 0;
    Some(format!(
        "{}{whole}.{fraction}",
        if negative { "-" } else { "" }
    ))
}

/// Released pseudonyms join the rows of a person over all classes.
fn linked_rows(plan: &Plan, original: &Batch) -> Option<String> {
    let subject = *original.schema().with_role(Role::Subject).first()?;
    let name = &original.schema().fields()[subject].name;
    let released = plan
        .column(name)
        .is_some_and(|column| column.action != Action::Drop);
    let persons = original.column(subject).as_categories()?;
    // Sets of items are what is promised.
    let promised = plan.guarantee.km.is_some();
    (released && !promised && persons.distinct() < persons.len()).then(|| {
        format!(
            "column `{name}` links the rows of one person: whoever knows several of them may single the person out, though each class holds k"
        )
    })
}

fn largest_person(original: &Batch) -> Option<String> {
    let subject = *original.schema().with_role(Role::Subject).first()?;
    let Column::Category(persons) = original.column(subject) else {
        return None;
    };
    let mut counts = vec![0usize; persons.levels().len()];
    for &code in persons.codes() {
        if let Some(count) = counts.get_mut(code as usize) {
            *count += 1;
        }
    }
    let most = counts.into_iter().max()? as f64 / persons.len() as f64;
    (most >= MOST_OF_ONE && persons.len() > 1).then(|| {
        format!(
            "one person has {:.0} % of the rows; it counts once in every class",
            most * 100.0
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Kind, Numbers, RowIds, Schema};
    use std::sync::Arc;

    #[test]
    fn different_fractions_of_massc_are_warned_about() {
        let told = |fraction: &str| {
            let plan = Plan::parse(&format!(
                "[columns]\nage = {{ role = \"quasi\" }}\nw = {{ role = \"plain\", type = \"number\" }}\n\
                 [[protect]]\nmethod = \"massc\"\nweight = \"w\"\nfraction = {fraction}\n"
            ));
            sample_warnings(&plan.expect("a plan")).join("; ")
        };
        assert!(told("{ unique = 0.5, rare = 0.3 }").contains("different fractions"));
        assert!(!told("0.5").contains("different fractions"));
    }

    #[test]
    fn values_that_look_alike_are_found() {
        for (values, alike) in [
            (&["flu", "cold"][..], false),
            (&["flu", "flu "], true),
            (&["flu", "FLU"], true),
            (&["caf\u{e9}", "cafe\u{301}"], true),
            (&["1", "+1"], true),
            (&["007", "7.0"], true),
            (&["J45.0", "J45.1"], false),
            (&["flu", "fl\u{200b}u"], true),
            (&["90071992547409930", "90071992547409931"], false),
            (&["90071992547409930", "090071992547409930.0"], true),
            (&["-0", "0.00"], true),
            (&["1e3", "1000", "x"], true),
            (&["1e300", "1e301", ".", "e", "-", "+"], false),
            (&["5", "-5", "0.5", ".05"], false),
        ] {
            assert_eq!(
                has_look_alikes(&values.iter().collect()),
                alike,
                "{values:?}"
            );
        }
    }

    #[test]
    fn values_that_one_person_alone_has_are_counted() {
        let numbers = [Some(1.0), Some(1.0), Some(2.0), Some(3.0), Some(3.0), None];
        let column = Column::Number(Numbers::from_iter(numbers));
        // Rows 0 and 1 are of one person, 3 and 4 of two.
        assert_eq!(lone_rows(&column, |row| [0, 0, 1, 2, 3, 4][row]), 3);
        assert_eq!(lone_rows(&column, |row| row as u32), 1);
    }

    #[test]
    fn missing_cells_are_told_without_their_number() {
        let columns = [[Some(1.0), Some(2.0)], [Some(1.0), None], [None, None]];
        let fields = ["a", "b", "c"]
            .map(|name| Field::new(name, Role::Quasi, Kind::Number { integer: true }));
        let schema = Arc::new(Schema::new(fields.to_vec()).expect("names differ"));
        let columns = columns.map(|cells| Column::Number(Numbers::from_iter(cells)));
        let batch =
            Batch::new(schema, RowIds::Range { start: 0, len: 2 }, columns.to_vec()).expect("fits");
        assert_eq!(
            missing_cells(&batch),
            [
                "missing cells count as a value of their own, equal only to missing: `b`",
                "all cells are missing: `c`",
            ]
        );
    }
}
