//! What a run would face: sizes, uniques, and columns that single persons out though nobody called them quasi-identifiers.

use super::domains::domains;
use super::memory;
use super::progress::{Progress, Stage};
use super::read::read;
use super::stream;
use super::warnings::warnings;
use crate::data::{Batch, Categories, Column, MISSING, Role, plain_text};
use crate::error::Result;
use crate::policy::Policy;
use arrow_array::ArrayRef;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use serde::Serialize;

/// Sets of columns are looked at up to this size.
const LARGEST_SET: usize = 4;

/// At most so many columns and sets are looked at…
const MOST_SETS: usize = 2_000;

/// …and at most so many more of each size passed over.
const MOST_PASSED: usize = 100_000;

/// A set that makes at least this share of the rows unique is told.
const TELLING: f64 = 0.05;

/// Rows that the search for telling sets looks at.
const LOOK: usize = 200_000;

/// What a run would face.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    /// Rows of the table.
    pub rows: u64,
    /// Persons, or rows when there is no subject.
    pub persons: u64,
    /// "persons" or "rows".
    pub unit: &'static str,
    /// Memory that a run needs, about.
    pub megabytes: u64,
    /// Classes of equal quasi-identifiers.
    pub classes: u64,
    /// Share of persons alone in their class.
    pub uniques: f64,
    /// Share of persons in classes smaller than k.
    pub below_k: f64,
    /// Every column that is read.
    pub columns: Vec<PlannedColumn>,
    /// Sets of released columns, not all of them quasi-identifiers, by which many rows are unique.
    pub telling: Vec<TellingSet>,
    /// What a steward should know.
    pub warnings: Vec<String>,
}

/// One column.
#[derive(Clone, Debug, Serialize)]
pub struct PlannedColumn {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: String,
    /// Distinct values; none for plain columns.
    pub distinct: Option<u64>,
    /// Share of missing values.
    pub missing: f64,
    /// Levels of its hierarchy.
    pub hierarchy_levels: Option<usize>,
}

/// Columns that single rows out together.
#[derive(Clone, Debug, Serialize)]
pub struct TellingSet {
    /// Their names.
    pub columns: Vec<String>,
    /// Share of rows unique by them.
    pub uniques: f64,
}

/// Reads the table and looks ahead.
pub fn plan(policy: &Policy, progress: &Progress) -> Result<Plan> {
    stream::refuse(policy, "plan")?;
    let original = read(policy, progress)?;
    progress.enter(Stage::Check);
    let domains = domains(policy, &original)?;
    let batch = &original.batch;
    let columns: Vec<Coded> = (0..batch.schema().len())
        .map(|i| Coded::new(batch, i))
        .collect();
    let quasi: Vec<&Coded> = columns.iter().filter(|c| c.role == Role::Quasi).collect();
    let persons = columns.iter().find(|c| c.role == Role::Subject);
    let sizes = class_sizes(&quasi, batch.len(), persons);
    let total: u64 = sizes.iter().sum();
    let k = u64::from(policy.guarantee.k.unwrap_or(1));
    let share = |below: u64| {
        sizes.iter().filter(|&&size| size < below).sum::<u64>() as f64 / total.max(1) as f64
    };
    Ok(Plan {
        rows: batch.len() as u64,
        persons: persons.map_or(batch.len() as u64, |c| c.distinct),
        unit: if persons.is_some() { "persons" } else { "rows" },
        megabytes: memory::run_bytes(batch, sizes.len()).div_ceil(1_000_000),
        classes: sizes.len() as u64,
        uniques: share(2),
        below_k: share(k),
        telling: telling(&columns, batch.len().min(LOOK)),
        columns: columns
            .iter()
            .zip(batch.columns())
            .map(|(coded, column)| PlannedColumn {
                name: coded.name.clone(),
                role: coded.role.word().to_owned(),
                distinct: (!coded.codes.is_empty()).then_some(coded.distinct),
                missing: column.missing_count() as f64 / column.len().max(1) as f64,
                hierarchy_levels: domains
                    .get(&coded.name)
                    .and_then(|d| d.hierarchy.as_ref())
                    .map(|h| h.level_count()),
            })
            .collect(),
        warnings: warnings(policy, &original, false)?,
    })
}

/// A column as codes; plain columns have none.
struct Coded {
    name: String,
    role: Role,
    codes: Vec<u32>,
    distinct: u64,
}

impl Coded {
    fn new(batch: &Batch, i: usize) -> Self {
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
    let categories: Categories = texts.into_iter().collect();
    (categories.codes().to_vec(), categories.levels().len())
}

/// Persons (or rows) in each class of equal codes.
fn class_sizes(columns: &[&Coded], rows: usize, persons: Option<&Coded>) -> Vec<u64> {
    let classes = classes(columns, rows);
    let n_classes = classes.iter().max().map_or(0, |&most| most as usize + 1);
    let mut sizes = vec![0; n_classes];
    match persons {
        None => classes.iter().for_each(|&class| sizes[class as usize] += 1),
        Some(persons) => {
            let mut seen: HashMap<(u32, u32), (), FixedState> = HashMap::default();
            for (&class, &person) in classes.iter().zip(&persons.codes) {
                if seen.insert((class, person), ()).is_none() {
                    sizes[class as usize] += 1;
                }
            }
        }
    }
    sizes
}

fn classes(columns: &[&Coded], rows: usize) -> Vec<u32> {
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
fn telling(columns: &[Coded], rows: usize) -> Vec<TellingSet> {
    let open: Vec<&Coded> = columns
        .iter()
        .filter(|c| {
            matches!(
                c.role,
                Role::Quasi | Role::Sensitive | Role::Class | Role::Time | Role::Plain
            ) && c.codes.len() >= rows
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
            if looked > MOST_SETS {
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
        let found = telling(&columns, 50);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].columns, ["cost"]);
    }

    #[test]
    fn ten_thousand_columns_are_not_combined_in_memory() {
        let columns: Vec<Coded> = (0..10_000)
            .map(|i| coded(&i.to_string(), Role::Class, [0, 0].into_iter()))
            .collect();
        assert!(telling(&columns, 2).is_empty());
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
            let sets = telling(&columns, 4);
            let names: Vec<_> = sets.iter().map(|set| set.columns.join(" ")).collect();
            let expected: &[&str] = if told { &["age other"] } else { &[] };
            assert_eq!(names, expected, "{role:?}");
        }
    }
}
