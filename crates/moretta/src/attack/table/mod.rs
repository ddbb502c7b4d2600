//! Attacks on tables whose values were made coarser: what their reader learns after all.
//!
//! The reader has the release and knows the quasi-identifiers of persons. Each attack is a share
//! between 0 and 1 of what it could get, with evidence in counts; none of them tells a value.
//! They look at classes as the reader sees them: rows whose quasi-identifiers show the same texts.

pub mod background;
pub mod bounds;
mod column;
pub mod downcoding;
mod find;
pub mod homogeneity;
pub mod intersection;
pub mod minimality;
mod released;

pub use column::ReleasedColumn;
pub use released::{Most, ReleasedTable, Rules};

use serde::Serialize;

/// An attack on one release.
pub struct TableAttack {
    /// What a policy and a report call it: it is a measure of this name.
    pub name: &'static str,
    /// What the attacker knows besides the release.
    pub knows: &'static str,
    /// What stops it.
    pub way_out: &'static str,
    /// Runs it; none where the release has nothing that it is about.
    pub run: fn(&ReleasedTable) -> Option<Evidence>,
}

/// **The list of attacks** on one release, in the order in which they are told of. Attacks on
/// several releases are in [`intersection`].
pub const ATTACKS: &[TableAttack] = &[
    homogeneity::ATTACK,
    background::ATTACK,
    bounds::ATTACK,
    minimality::ATTACK,
    downcoding::ATTACK,
];

/// How an attack went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evidence {
    /// The attack.
    pub attack: &'static str,
    /// What it gets of what it could get, from 0 to 1.
    pub share: f64,
    /// What was counted: persons, bounds, …
    pub unit: &'static str,
    /// In how many of them it succeeds.
    pub succeeds: u64,
    /// How many there are.
    pub of: u64,
    /// In how many classes it succeeds.
    pub classes: u64,
    /// The column in which it gets most, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// More about it, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// What the attacker knows besides the release.
    pub knows: &'static str,
    /// What stops it.
    pub way_out: &'static str,
}

impl TableAttack {
    fn evidence(&self, unit: &'static str, succeeds: u64, of: u64) -> Evidence {
        Evidence {
            attack: self.name,
            share: if of == 0 {
                0.0
            } else {
                succeeds as f64 / of as f64
            },
            unit,
            succeeds,
            of,
            classes: 0,
            column: None,
            details: Vec::new(),
            knows: self.knows,
            way_out: self.way_out,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Batch, Column, Domain, Domains, Field, Kind, Role, RowIds, Schema};
    use std::sync::Arc;

    fn batch(fields: Vec<Field>, columns: Vec<Column>) -> Batch {
        let len = columns[0].len();
        let schema = Arc::new(Schema::new(fields).expect("names differ"));
        Batch::new(schema, RowIds::Range { start: 0, len }, columns).expect("fits")
    }

    fn letters(text: &str) -> Column {
        let texts = text.chars().map(|c| (c != '-').then(|| c.to_string()));
        Column::Category(texts.collect())
    }

    /// One letter a row for what the class shows and for the sensitive value, `-` for missing.
    pub(super) fn table(classes: &str, values: &str) -> ReleasedTable {
        let kind = || Kind::Category { ordered: false };
        let fields = vec![
            Field::new("q", Role::Quasi, kind()),
            Field::new("s", Role::Sensitive, kind()),
        ];
        let released = batch(fields, vec![letters(classes), letters(values)]);
        ReleasedTable::new(&released, &Domains::default(), None).expect("texts")
    }

    /// Ages, and what is released of each.
    pub(super) fn table_of_ages(ages: &[u8], texts: &[&str]) -> ReleasedTable {
        let age = Field::new("age", Role::Quasi, Kind::Number { integer: true });
        let numbers = Column::Number(ages.iter().map(|&age| Some(f64::from(age))).collect());
        let domain = Domain::of(&age, &numbers, None).expect("numbers");
        let text = Field::new("age", Role::Quasi, Kind::Category { ordered: false });
        let released = batch(
            vec![text],
            vec![Column::Category(texts.iter().map(Some).collect())],
        );
        let original = batch(vec![age], vec![numbers]);
        let domains = Domains::new([("age".to_owned(), domain)]);
        let table = ReleasedTable::new(&released, &domains, None).expect("texts");
        let places: Vec<u32> = (0..ages.len() as u32).collect();
        let made = table.made_from(&original, &places);
        // Who knows the ages finds the classes.
        let again = ReleasedTable::new(&released, &domains, None).expect("texts");
        assert_eq!(again.found_among(&original, &domains).known, made.known);
        made
    }

    #[test]
    fn persons_count_once_in_each_class() {
        let kind = || Kind::Category { ordered: false };
        let released = batch(
            vec![Field::new("q", Role::Quasi, kind())],
            vec![letters("aabba")],
        );
        let domains = Domains::default();
        let persons = [7, 7, 7, 8, 8];
        let table = ReleasedTable::new(&released, &domains, Some(&persons));
        let table = table.expect("texts");
        assert_eq!(
            (table.sizes.clone(), table.persons_in_classes()),
            (vec![2, 2], 4)
        );
        assert!(ATTACKS.iter().all(|attack| (attack.run)(&table).is_none()));
    }
}
