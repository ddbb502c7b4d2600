//! Columns that single persons out though nobody called them quasi-identifiers.
//!
//! A value that one row alone has, such as a bill to the cent, finds the row again whatever
//! class it is in, for a reader who knows it. `plan` looks at the originals, a run at what it
//! releases; no value is told, only names and shares of the rows.
//!
//! **Costs** a look-up for each row and set of columns, within the bounds of [`Search`]; of a
//! larger table the first rows are looked at, by which more rows seem alone than are.

use crate::data::{Batch, Categories, Column, Field, MISSING, Role, Schema, plain_text};
use crate::error::Result;
use arrow_array::ArrayRef;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use serde::Serialize;
use std::sync::Arc;

/// Sets of columns are looked at up to this size.
const LARGEST_SET: usize = 4;

/// The most sets of each size that are skipped without a look.
const MOST_PASSED: usize = 100_000;

/// A set that makes at least this share of the rows unique is told.
const TELLING: f64 = 0.05;

/// Sets that a warning names.
const NAMED: usize = 3;

/// How far to look.
pub(crate) struct Search {
    /// Sets of columns.
    pub(crate) sets: usize,
    /// Rows, the first ones.
    pub(crate) rows: usize,
    /// Also sets of which some columns are quasi-identifiers.
    pub(crate) with_quasi: bool,
}

/// Before a run there is time.
pub(crate) const THOROUGH: Search = Search {
    sets: 2_000,
    rows: 200_000,
    with_quasi: true,
};

/// In a run quasi-identifiers are released as regions, and a second is long.
pub(crate) const BRIEF: Search = Search {
    sets: 100,
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

/// A column as codes; plain columns have none.
pub(crate) struct Coded {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) codes: Vec<u32>,
    pub(crate) distinct: u64,
}

impl Coded {
    /// The column at place `i`.
    pub(crate) fn new(batch: &Batch, i: usize) -> Self {
        let field = &batch.schema().fields()[i];
        let (codes, distinct) = match batch.column(i) {
            Column::Category(categories) => (
                categories.codes().to_vec(),
                categories.compact().levels().len(),
            ),
            Column::Number(numbers) => {
                let mut known: HashMap<u64, u32, FixedState> = HashMap::default();
                let codes = numbers
                    .iter()
                    .map(|slot| {
                        let next = known.len() as u32;
                        slot.map_or(MISSING, |n| *known.entry(n.to_bits()).or_insert(next))
                    })
                    .collect();
                (codes, known.len())
            }
            Column::Plain(array) => plain_codes(array),
        };
        Coded {
            name: field.name.to_string(),
            role: field.role,
            codes,
            distinct: distinct as u64,
        }
    }
}

/// Codes of a plain column's texts; none when it has no text form.
fn plain_codes(array: &ArrayRef) -> (Vec<u32>, usize) {
    let Ok(texts) = plain_text::shown(array) else {
        return (Vec::new(), 0);
    };
    let categories: Categories = texts.iter().collect();
    (categories.codes().to_vec(), categories.levels().len())
}

/// The class of each row, of rows with equal codes.
pub(crate) fn classes(columns: &[&Coded], rows: usize) -> Vec<u32> {
    let mut class_of = vec![0u32; rows];
    for column in columns {
        refine(&mut class_of, column);
    }
    class_of
}

fn refine(class_of: &mut [u32], column: &Coded) {
    let mut known: HashMap<(u32, u32), u32, FixedState> = HashMap::default();
    for (class, &code) in class_of.iter_mut().zip(&column.codes) {
        let next = known.len() as u32;
        *class = *known.entry((*class, code)).or_insert(next);
    }
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
    let mut found: Vec<(Vec<usize>, f64)> = Vec::new();
    let mut looked = 0;
    for size in 1..=LARGEST_SET.min(open.len()) {
        for set in combinations(open.len(), size).take(MOST_PASSED) {
            let known = found
                .iter()
                .any(|(smaller, _)| smaller.iter().all(|i| set.contains(i)));
            let all_quasi = set.iter().all(|&i| open[i].role == Role::Quasi);
            if known || all_quasi {
                continue;
            }
            looked += 1;
            if looked > search.sets {
                break;
            }
            let chosen: Vec<&Coded> = set.iter().map(|&i| open[i]).collect();
            let uniques = uniques(&chosen, rows);
            if uniques >= TELLING {
                found.push((set, uniques));
            }
        }
    }
    found
        .into_iter()
        .map(|(set, uniques)| TellingSet {
            columns: set.iter().map(|&i| open[i].name.clone()).collect(),
            uniques,
        })
        .collect()
}

fn uniques(columns: &[&Coded], rows: usize) -> f64 {
    let classes = classes(columns, rows);
    let mut sizes = vec![0u32; classes.iter().max().map_or(0, |&most| most as usize + 1)];
    classes.iter().for_each(|&class| sizes[class as usize] += 1);
    sizes.iter().filter(|&&size| size == 1).count() as f64 / rows.max(1) as f64
}

/// All sets of `size` of the numbers below `n`, in order; one at a time, as there may be billions.
fn combinations(n: usize, size: usize) -> impl Iterator<Item = Vec<usize>> {
    let first = (size <= n).then(|| (0..size).collect::<Vec<usize>>());
    std::iter::successors(first, move |set| {
        let grows = (0..size).rfind(|&place| set[place] < n - size + place)?;
        let start = set[grows] + 1;
        let tail = (start..).take(size - grows);
        Some(set[..grows].iter().copied().chain(tail).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Kind, RowIds};

    #[test]
    fn combinations_are_all_there_once() {
        assert_eq!(
            combinations(4, 2).collect::<Vec<_>>(),
            [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
        );
        assert_eq!(combinations(3, 3).count(), 1);
        assert_eq!(combinations(3, 4).count(), 0);
        assert_eq!(combinations(20, 4).count(), 4_845);
    }

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
