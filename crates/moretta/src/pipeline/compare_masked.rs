//! Risk and loss of two files of masked records, each held against the originals.
//!
//! Where rows leave in the order of the source, each released record is paired with its original,
//! and every measure of pairs is told. Where they leave in another order nobody can say which row
//! became which, and only measures are told that do not depend on it: of tables of counts, means and
//! correlations.

use super::estimates::Compare;
use super::no_rows::filled;
use super::release_columns::{Taken, release_plans};
use super::standing::Standing;
use super::trial::read;
use crate::data::{Attribute, Batch, Column, Encoder, Field, Kind, Records, Schema};
use crate::engine::masked::{Masks, Watch};
use crate::engine::{Order, Original, Plan, Progress, Stage, Wanted};
use crate::error::{Error, Result};
use crate::io::{self, ReadAs};
use crate::measure::{self, Goal};
use crate::policy::Policy;
use std::sync::Arc;

/// Measures that do not depend on which released record is which original.
const OF_ANY_ORDER: &[&str] = &[
    "mean_discrepancy",
    "covariance_discrepancy",
    "correlation_discrepancy",
    "probabilistic_information_loss",
];

/// The same, of categories, among which a missing value is one.
const OF_CATEGORIES: &[&str] = &["ctbil", "chi_square_change"];

const NO_PAIRS: &str = "rows leave in an order of their own, so that nobody can say which row became which: told are measures that do not depend on it; with order = \"input\" under [sink] all are told, and the report of a release has all of them";

/// The measures of both files, and what is to be known of them.
///
/// # Errors
/// When a file cannot be read, or does not hold as many rows as the source.
pub(super) fn masked_standings(
    policy: &Policy,
    files: &[Compare<'_>; 2],
    progress: &Progress,
) -> Result<(Vec<Standing>, Vec<String>)> {
    let original = read(policy, progress)?;
    progress.enter(Stage::Check);
    let plan = Plan {
        report_measures: Vec::new(),
        fail_above: Vec::new(),
        ..policy.loaded_plan()?
    };
    let schema = original.batch.schema();
    let masks = Masks::new(&plan, schema)?.ok_or_else(|| Error::bug("nothing was masked"))?;
    if !masks.is_comparable || masks.is_private() || masks.leaving.is_empty() {
        return Err(not_comparable(&masks));
    }
    let in_order = plan.is_stream() || plan.order == Order::Input;
    let paired = files.iter().all(|of| of.is_source || in_order);
    let [a, b] = files
        .each_ref()
        .map(|of| measured(policy, (&plan, &masks), of, &original));
    let (a, b) = (a?, b?);
    let whole = numbers_are_whole(&original.batch, &masks)?;
    let told = |name: &str| {
        paired || OF_CATEGORIES.contains(&name) || whole && OF_ANY_ORDER.contains(&name)
    };
    let standings = a.into_iter().zip(b).filter_map(|((name, a), (_, b))| {
        let info = measure::find(name).filter(|_| told(name))?;
        Some(Standing {
            name: name.to_owned(),
            a: a?,
            b: b?,
            percent: info.percent,
            lower_is_better: info.goal == Goal::Low,
        })
    });
    let notes = (!paired).then(|| NO_PAIRS.to_owned());
    Ok((standings.collect(), notes.into_iter().collect()))
}

type Values = Vec<(&'static str, Option<f64>)>;

/// All measures of a file.
fn measured(
    policy: &Policy,
    (plan, masks): (&Plan, &Masks),
    of: &Compare<'_>,
    original: &Original,
) -> Result<Values> {
    let released = read_masked(policy, masks, of, original.batch.schema())?;
    let rows = original.batch.len();
    if released.len() != rows {
        return Err(Error::input(format!(
            "it has {} rows, and the source {rows}: masked records are compared row by row",
            released.len()
        ))
        .in_file(of.file)
        .help("compare releases of all rows of the source; the report of a release tells what it loses"));
    }
    let ids = original.batch.rows().clone();
    let released = Batch::new(
        Arc::clone(released.schema()),
        ids,
        released.columns().to_vec(),
    )?;
    let schemas = (&**original.batch.schema(), &**released.schema());
    // What learners lose is told by `learn`.
    let mut learn = |_, _| Ok(None);
    let wanted = Wanted {
        all: true,
        live: false,
    };
    let table = (!plan.is_stream()).then_some((rows, &mut learn as _));
    let mut watch = Watch::new(plan, masks, schemas, table, wanted)?;
    if !plan.is_stream() {
        watch.prepare(&original.batch)?;
    }
    watch.read(&original.batch);
    watch.look(&released)?;
    Ok(watch.values())
}

/// A file with its masked columns in the types that they have in the source.
fn read_masked(policy: &Policy, masks: &Masks, of: &Compare<'_>, schema: &Schema) -> Result<Batch> {
    let mut plans = release_plans(policy, of.file, of.options, Taken::Either)?;
    let masked: Vec<&Field> = masks.leaving.iter().map(|&i| &schema.fields()[i]).collect();
    for plan in &mut plans {
        let field = masked.iter().find(|field| *field.name == *plan.name);
        plan.read = match field.map(|field| &field.kind) {
            None => ReadAs::Skip,
            Some(Kind::Number { .. }) => ReadAs::Number,
            Some(Kind::Category { ordered: false }) => ReadAs::Category,
            Some(_) => {
                let column = policy.plan.column(&plan.name);
                column.map_or(ReadAs::Infer, |column| column.read.clone())
            }
        };
    }
    let source = io::open(of.file, of.options, &plans)?;
    let read = Arc::clone(source.schema());
    let rows = Batch::concat(&read, source.collect::<Result<Vec<_>>>()?)?;
    for field in masked {
        let category = matches!(field.kind, Kind::Category { .. });
        let column = rows.column_named(&field.name);
        if column.is_none_or(|column| matches!(column, Column::Category(_)) != category) {
            return Err(Error::input("its cells are not of the type of the source")
                .in_file(of.file)
                .in_column(&*field.name));
        }
    }
    filled(rows, of.file, policy)
}

/// Whether no number is missing, so that means of both sides are of all rows.
fn numbers_are_whole(rows: &Batch, masks: &Masks) -> Result<bool> {
    let mut encoder = Encoder::new(rows.schema(), &masks.leaving)?;
    let mut records = Records::default();
    encoder.encode(rows, &mut records)?;
    let mut kinds = encoder.attributes().into_iter().enumerate();
    Ok(kinds
        .all(|(place, kind)| kind == Attribute::Nominal || !records.column(place).any(f64::is_nan)))
}

fn not_comparable(masks: &Masks) -> Error {
    let (what, help) = match () {
        _ if masks.is_private() => (
            "`compare` holds records against their originals, which no ε covers",
            "name measures under [measure]; the report of the release tells them",
        ),
        _ if !masks.is_comparable => (
            "mixtures of columns have no originals to be held against",
            "`moretta attack` tells what can be got back of them, and `moretta learn` what they are good for",
        ),
        _ => (
            "no masked column is released as it was masked",
            "compare a policy without the other method",
        ),
    };
    Error::policy(what).help(help)
}
