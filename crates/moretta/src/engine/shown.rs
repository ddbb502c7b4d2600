//! Released columns as the texts that a reader of the file sees.

use crate::data::{
    Batch, Categories, Column, Kind, Levels, MISSING, Numbers, Role, Schema, push_number,
};
use crate::error::Result;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::sync::Arc;

/// The rows with quasi-identifiers as texts.
pub(crate) fn covered_as_text(rows: &Batch) -> Result<Batch> {
    with_texts(rows, |role| role == Role::Quasi)
}

/// The rows as the checker reads them from a file, where it counts rows that look alike.
pub(crate) fn counted_as_text(rows: &Batch) -> Result<Batch> {
    with_texts(rows, |role| {
        matches!(
            role,
            Role::Quasi | Role::Sensitive | Role::Class | Role::Subject
        )
    })
}

fn with_texts(rows: &Batch, has_texts: impl Fn(Role) -> bool) -> Result<Batch> {
    let (mut fields, mut columns) = (rows.schema().fields().to_vec(), rows.columns().to_vec());
    for (field, column) in fields.iter_mut().zip(&mut columns) {
        if let (true, Column::Number(numbers)) = (has_texts(field.role), &*column) {
            *column = Column::Category(texts(numbers, &field.kind));
            field.kind = Kind::Category { ordered: false };
        }
    }
    let schema = Arc::new(Schema::new(fields)?);
    Batch::new(schema, rows.rows().clone(), columns)
}

/// The numbers as they are written.
fn texts(numbers: &Numbers, kind: &Kind) -> Categories {
    let mut codes_of: HashMap<u64, u32, FixedState> = HashMap::default();
    let (mut levels, mut text) = (Levels::default(), Vec::new());
    let mut code = |number: f64| {
        let number = match kind {
            Kind::Date(_) => f64::from(number as i32),
            _ => number,
        };
        // Adding 0 makes the two zeros equal. Other numbers that differ have texts that
        // differ, so that no text has to be looked up.
        *codes_of.entry((number + 0.0).to_bits()).or_insert_with(|| {
            if let Kind::Date(format) = kind {
                levels.push(&format.format(number as i32));
            } else {
                text.clear();
                push_number(&mut text, number);
                levels.push(std::str::from_utf8(&text).unwrap_or_default());
            }
            levels.len() as u32 - 1
        })
    };
    let codes = numbers.iter();
    let codes = codes
        .map(|number| number.map_or(MISSING, &mut code))
        .collect();
    Categories::new(codes, Arc::new(levels))
}
