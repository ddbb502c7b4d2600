//! From originals and their release to records and classes that learners can take.

use super::super::domains::domains;
use super::super::original::{Original, in_order_of_ids, originals_of};
use super::super::plan::Plan;
use super::classroom::{Classroom, Strange};
use super::lessons::Lessons;
use crate::data::{Batch, Categories, Column, Domain, Kind, Numbers, Region, Scale, Schema};
use crate::error::Result;
use crate::learn::Vocabulary;
use std::sync::Arc;

/// The rows that were released, as they were and as they are. `class` is the place of
/// the class among the original columns.
pub(crate) fn lessons_of_release(
    plan: &Plan,
    original: &Original,
    released: Batch,
    class: usize,
    known: Option<&Vocabulary>,
) -> Result<Lessons> {
    let released = with_middles(plan, original, released)?;
    let released = in_order_of_ids(&released)?;
    let kept = used(&originals_of(&original.batch, released.rows())?)?;
    Classroom {
        original: &kept,
        released: Some(&released),
        class,
        known,
        strange: Strange::Refused,
        notes: original.notes.clone(),
    }
    .lessons(|name| plan.keeps(name))
}

/// A learner counts categories, and those of other rows are not to be told.
pub(super) fn used(rows: &Batch) -> Result<Batch> {
    let columns = rows.schema().fields().iter().zip(rows.columns());
    let columns = columns.map(|(field, column)| column.used(&field.kind));
    Batch::new(
        Arc::clone(rows.schema()),
        rows.rows().clone(),
        columns.collect(),
    )
}

/// Numbers that were generalised, as the middles of their intervals.
fn with_middles(plan: &Plan, original: &Original, released: Batch) -> Result<Batch> {
    let schema = original.batch.schema();
    // How a text is read must not depend on rows that are not released.
    let ids = in_order_of_ids(&released)?.rows().clone();
    let domains = domains(plan, &original.alone(&ids)?, None)?.quasi(schema);
    let mut fields = released.schema().fields().to_vec();
    let mut columns = released.columns().to_vec();
    for (name, domain) in &domains {
        let places = (schema.index_of(name), released.schema().index_of(name));
        let (Some(before), Some(place)) = places else {
            continue;
        };
        let number = !matches!(schema.fields()[before].kind, Kind::Category { .. });
        if let (true, Column::Category(texts)) = (number, released.column(place)) {
            columns[place] = Column::Number(middles(texts, domain));
            fields[place].kind = Kind::Number { integer: false };
        }
    }
    Batch::new(
        Arc::new(Schema::new(fields)?),
        released.rows().clone(),
        columns,
    )
}

fn middles(texts: &Categories, domain: &Domain) -> Numbers {
    let levels = texts.levels().iter();
    let middles: Vec<Option<f64>> = levels.map(|text| middle(text, domain)).collect();
    let codes = texts.codes().iter();
    codes
        .map(|&code| middles.get(code as usize).copied().flatten())
        .collect()
}

/// The middle of what a text says of a number; none where it may be any.
fn middle(text: &str, domain: &Domain) -> Option<f64> {
    let between = |low: f64, high: f64| match (low.is_finite(), high.is_finite()) {
        (true, true) => low / 2.0 + high / 2.0,
        (true, false) => low,
        (false, _) => high,
    };
    match Region::parse(Some(text), domain)? {
        Region::Interval(low, high) => Some(between(low, high)),
        Region::Node(level, node) => {
            let hierarchy = domain.hierarchy.as_ref()?;
            let leaves = hierarchy.leaves_under(level, node);
            let value = |leaf| number(hierarchy.label(0, leaf), domain);
            let last = leaves.end.checked_sub(1)?;
            Some(between(value(leaves.start)?, value(last)?))
        }
        _ => None,
    }
}

/// A number or date as it stands in the data.
fn number(text: &str, domain: &Domain) -> Option<f64> {
    match domain.scale {
        Scale::Number {
            date: Some(format), ..
        } => format.parse(text).map(f64::from),
        _ => text.parse().ok(),
    }
}
