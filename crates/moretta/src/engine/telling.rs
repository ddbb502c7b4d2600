//! Columns that single persons out though nobody called them quasi-identifiers.
//!
//! A value that one row alone has, such as a bill to the cent, finds the row again whatever
//! class it is in, for a reader who knows it. `plan` looks at the originals, a run at what it
//! releases; no value is told, only names and shares of the rows.
//!
//! **Costs** what [`column_sets`](super::column_sets) costs, within the bounds of [`Search`]; of a
//! larger table the first rows are looked at, by which more rows seem alone than are.

use super::column_sets::each_set;
use crate::data::coded::Coded;
use crate::data::{Batch, Column, Field, Role, Schema};
use crate::error::Result;
use serde::Serialize;
use std::sync::Arc;

/// A set that makes at least this share of the rows unique is told.
const TELLING: f64 = 0.05;

/// Sets that a warning names.
const NAMED: usize = 3;

/// How far to look.
pub(crate) struct Search {
    /// Visits of rows.
    pub(crate) visits: u64,
    /// Rows, the first ones.
    pub(crate) rows: usize,
    /// Also sets of which some columns are quasi-identifiers.
    pub(crate) with_quasi: bool,
}

/// Before a run there is time.
pub(crate) const THOROUGH: Search = Search {
    visits: 400_000_000,
    rows: 200_000,
    with_quasi: true,
};

/// In a run quasi-identifiers are released as regions, and a second is long.
pub(crate) const BRIEF: Search = Search {
    visits: 20_000_000,
    rows: 100_000,
    with_quasi: false,
};

/// Columns that single rows out together.
#[derive(Clone, Debug, Serialize)]
pub struct TellingSet {
    /// Their names.
    pub columns: Vec<String>,
    /// Share of rows unique by them.
    pub uniques: f64,
}

/// What a steward should know of a release.
pub(crate) fn warning(release: &Batch) -> Option<String> {
    let release = &release.slice(0, release.len().min(BRIEF.rows));
    let open = |&place: &usize| is_open(release.schema().fields()[place].role);
    let places = (0..release.schema().len()).filter(open);
    let columns: Vec<Coded> = places.map(|place| Coded::new(release, place)).collect();
    let mut sets = telling(&columns, release.len(), &BRIEF);
    sets.sort_by(|one, other| other.uniques.total_cmp(&one.uniques));
    let name = |set: &TellingSet| {
        let names: Vec<String> = set.columns.iter().map(|name| format!("`{name}`")).collect();
        format!(
            "{} ({:.0} % of the rows)",
            names.join(" with "),
            set.uniques * 100.0
        )
    };
    let named: Vec<String> = sets.iter().take(NAMED).map(name).collect();
    let more = match sets.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(", and {more} more sets of columns"),
    };
    (!named.is_empty()).then(|| {
        format!(
            "columns that are no quasi-identifiers single rows out, and whoever knows them finds the persons: {}{more}; make them quasi or coarser, or leave them out",
            named.join(", ")
        )
    })
}

/// The first rows of what leaves batch by batch, in columns that nothing protects.
pub(crate) struct Leaving {
    /// Names of columns that are protected, or whose values are always different.
    protected: Vec<String>,
    parts: Vec<Batch>,
    rows: usize,
}

impl Leaving {
    /// Looks at all columns but these.
    pub(crate) fn new(protected: Vec<String>) -> Self {
        Leaving {
            protected,
            parts: Vec::new(),
            rows: 0,
        }
    }

    /// Takes rows that leave.
    pub(crate) fn observe(&mut self, released: &Batch) -> Result<()> {
        let rows = released.len().min(BRIEF.rows - self.rows);
        let part = released.slice(0, rows);
        let columns = part.schema().fields().iter().zip(part.columns());
        let (fields, columns): (Vec<Field>, Vec<Column>) = columns
            .filter(|(field, _)| is_open(field.role))
            .filter(|(field, _)| self.protected.iter().all(|name| **name != *field.name))
            .map(|(field, column)| (field.clone(), column.clone()))
            .unzip();
        if rows > 0 && !fields.is_empty() {
            self.rows += rows;
            let schema = Arc::new(Schema::new(fields)?);
            self.parts
                .push(Batch::new(schema, part.rows().clone(), columns)?);
        }
        Ok(())
    }

    /// What a steward should know of what has left.
    pub(crate) fn warning(self) -> Result<Option<String>> {
        let Some(schema) = self.parts.first().map(|part| Arc::clone(part.schema())) else {
            return Ok(None);
        };
        Ok(warning(&Batch::concat(&schema, self.parts)?))
    }
}

/// Released as it is, and not counted among what outsiders know.
fn is_open(role: Role) -> bool {
    matches!(
        role,
        Role::Sensitive | Role::Class | Role::Time | Role::Plain
    )
}

/// Sets of up to four released columns, at least one of them no
/// quasi-identifier, by which many rows are unique; the smallest sets only.
pub(crate) fn telling(columns: &[Coded], rows: usize, search: &Search) -> Vec<TellingSet> {
    let rows = rows.min(search.rows);
    let open: Vec<&Coded> = columns
        .iter()
        .filter(|c| {
            let looked_at = is_open(c.role) || (search.with_quasi && c.role == Role::Quasi);
            looked_at && c.codes.len() >= rows
        })
        .collect();
    let codes: Vec<&[u32]> = open.iter().map(|c| &c.codes[..rows]).collect();
    let mut found: Vec<(Vec<usize>, f64)> = Vec::new();
    let mut look = |set: &[usize], unique: u64| {
        let share = unique as f64 / rows.max(1) as f64;
        let all_quasi = || set.iter().all(|&i| open[i].role == Role::Quasi);
        let holds = |smaller: &[usize]| smaller.iter().all(|i| set.contains(i));
        let known = || found.iter().any(|(smaller, _)| holds(smaller));
        if share >= TELLING && !all_quasi() && !known() {
            found.push((set.to_vec(), share));
        }
    };
    each_set(&codes, rows, None, search.visits, &mut look);
    found
        .into_iter()
        .map(|(set, uniques)| TellingSet {
            columns: set.iter().map(|&i| open[i].name.clone()).collect(),
            uniques,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Kind, RowIds};

    fn coded(name: &str, role: Role, codes: impl Iterator<Item = u32>) -> Coded {
        let codes: Vec<u32> = codes.collect();
        Coded {
            name: name.to_owned(),
            role,
            distinct: codes.len() as u64,
            codes,
        }
    }

    #[test]
    fn a_plain_column_that_singles_rows_out_is_told() {
        let columns = [
            coded("age", Role::Quasi, 0..50),
            coded("cost", Role::Plain, 0..50),
            coded("name", Role::Identifier, 0..50),
        ];
        let found = telling(&columns, 50, &THOROUGH);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].columns, ["cost"]);
    }

    #[test]
    fn ten_thousand_columns_are_not_combined_in_memory() {
        let columns: Vec<Coded> = (0..10_000)
            .map(|i| coded(&i.to_string(), Role::Class, [0, 0].into_iter()))
            .collect();
        assert!(telling(&columns, 2, &THOROUGH).is_empty());
    }

    #[test]
    fn every_released_column_that_singles_rows_out_is_told() {
        let column = |name: &str, role, codes: &[u32]| Coded {
            name: name.to_owned(),
            role,
            codes: codes.to_vec(),
            distinct: 0,
        };
        for (role, told) in [
            (Role::Plain, true),
            (Role::Sensitive, true),
            (Role::Class, true),
            (Role::Time, true),
            (Role::Identifier, false),
            (Role::Quasi, false),
        ] {
            let columns = [
                column("age", Role::Quasi, &[0, 0, 1, 1]),
                column("other", role, &[0, 1, 0, 1]),
            ];
            let sets = telling(&columns, 4, &THOROUGH);
            let names: Vec<_> = sets.iter().map(|set| set.columns.join(" ")).collect();
            let expected: &[&str] = if told { &["age other"] } else { &[] };
            assert_eq!(names, expected, "{role:?}");
        }
    }

    #[test]
    fn a_release_is_warned_of_by_names_and_shares_alone() {
        let text = |n: usize| Some(format!("secret {n}"));
        let column = |values: Vec<Option<String>>| Column::Category(values.into_iter().collect());
        let kind = Kind::Category { ordered: false };
        let fields = [
            ("age", Role::Quasi),
            ("bill", Role::Sensitive),
            ("ward", Role::Plain),
        ]
        .map(|(name, role)| Field::new(name, role, kind.clone()));
        let columns = vec![
            column((0..200).map(text).collect()),
            column((0..200).map(|n| text(n.max(20))).collect()),
            column((0..200).map(|n| text(n % 4)).collect()),
        ];
        let schema = Arc::new(Schema::new(fields.to_vec()).expect("names differ"));
        let ids = RowIds::Range { start: 0, len: 200 };
        let release = Batch::new(schema, ids, columns).expect("fits");
        let mut leaving = Leaving::new(vec!["age".to_owned()]);
        for start in (0..200).step_by(50) {
            leaving.observe(&release.slice(start, 50)).expect("rows");
        }
        let told = warning(&release).expect("a warning");
        assert_eq!(leaving.warning().expect("rows"), Some(told.clone()));
        assert!(told.contains("`bill` (90 % of the rows)"), "{told}");
        assert!(!told.contains("age") && !told.contains("secret"), "{told}");
    }
}
