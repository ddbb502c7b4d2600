//! Releases of one data set, taken together: does everybody still stand among k?
//!
//! **Protects against** whoever has several releases and intersects the classes of a person.
//! **Does not protect against** releases that were not recorded, and says nothing of sensitive
//! values in cells. Labels that overlap are taken as if they were told apart, which errs on the
//! safe side.
//!
//! Where the table grows, rows keep their class (`grow`), and new ones wait.
//!
//! The ledger itself is a file of `pipeline`; a session gets what earlier releases have told
//! ([`History`]), refuses or joins classes, and gives back what this one tells ([`Recorded`]).

pub(crate) mod cells;
mod coarsen;
mod grow;
mod join;

pub(crate) use grow::together;

pub use cells::{SUPPRESSED, Unit};

use super::plan::Plan;
use crate::data::coded::{Coded, classes};
use crate::data::{Batch, Column, Domains, Role, plain_text};
use crate::error::{Error, Result};
use crate::protect::identifiers::Key;
use cells::Cells;
use foldhash::fast::FixedState;
use grow::Labels;
use hashbrown::HashSet;
use rayon::prelude::*;
use std::fmt;

/// What earlier releases have told of the rows of a data set.
#[derive(Clone)]
pub struct History {
    key: Key,
    cells: Cells,
    /// The smallest k that was promised.
    k: Option<u32>,
    /// What the latest release shows, where it was recorded.
    latest: Option<Labels>,
}

/// What a class shows, column by column; none where the cell is missing.
pub type Label = Vec<Option<String>>;

/// What a release tells of the rows of a data set.
#[derive(Clone, Default)]
pub struct Recorded {
    /// Each row of the table, once.
    pub units: Vec<Unit>,
    /// The k that was promised; none when the release has no classes.
    pub k: Option<u32>,
    /// The quasi-identifiers, and what each class shows in them, from class 1 on; empty where
    /// the table does not grow.
    pub columns: Vec<String>,
    /// What each class shows.
    pub labels: Vec<Label>,
}

impl fmt::Debug for Recorded {
    /// Shows nobody.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recorded({} rows)", self.units.len())
    }
}

impl History {
    /// Nothing was released yet; ids are made under `key`, which must be the same for all
    /// releases.
    pub fn new(key: Key) -> Self {
        History {
            key,
            cells: Cells::default(),
            k: None,
            latest: None,
        }
    }

    /// One more release.
    pub fn add(&mut self, recorded: &Recorded) {
        if let Some(k) = recorded.k {
            self.cells = self.cells.after(&recorded.units);
            self.k = Some(self.k.map_or(k, |least| least.min(k)));
            let released = recorded.units.iter();
            let released = released.filter(|unit| unit.class != SUPPRESSED);
            self.latest = (!recorded.labels.is_empty()).then(|| Labels {
                class_of: released.map(|unit| (unit.id, unit.class)).collect(),
                columns: recorded.columns.clone(),
                labels: recorded.labels.clone(),
            });
        }
    }

    /// Rows that it knows.
    pub fn rows(&self) -> usize {
        self.cells.rows()
    }

    /// By what the rows of a table are known in all releases: its columns with the role key, else
    /// its subject.
    ///
    /// # Errors
    /// When there is neither, a cell of them is missing, or two rows have the same name.
    pub(crate) fn known_rows(&self, table: &Batch) -> Result<KnownRows> {
        let keys = table.schema().with_role(Role::Key);
        let subject = table.schema().with_role(Role::Subject).first().copied();
        if keys.is_empty() && subject.is_none() {
            return Err(unknown_rows());
        }
        let persons = match subject {
            Some(place) => Some(self.ids(table, &[place])?),
            None => None,
        };
        let ids = match (keys.is_empty(), persons.clone()) {
            (true, Some(persons)) => persons,
            _ => self.ids(table, &keys)?,
        };
        let mut distinct = ids.clone();
        distinct.par_sort_unstable();
        if distinct.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(same_names(keys.is_empty()));
        }
        let persons = persons.unwrap_or_else(|| ids.clone());
        if table.rows().iter().zip(0..).any(|(id, place)| id != place) {
            return Err(Error::bug(
                "the rows of a table are not in the order of their ids",
            ));
        }
        let rows = ids.into_iter().zip(persons);
        Ok(KnownRows {
            rows: rows.map(|(id, person)| (id, person as u64)).collect(),
        })
    }

    /// A number of each row that its cells in these columns tell under the key.
    fn ids(&self, table: &Batch, places: &[usize]) -> Result<Vec<u128>> {
        let columns = places.iter().map(|&place| texts(table, place));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let id = |row: usize| {
            let mut parts: Vec<&[u8]> = vec![b"ledger"];
            parts.extend(columns.iter().map(|texts| texts[row].as_bytes()));
            let block = self.key.block(&parts);
            u128::from_be_bytes(block[..16].try_into().expect("a block has 32 bytes"))
        };
        Ok((0..table.len()).into_par_iter().map(id).collect())
    }

    /// Joins classes of `rows` that would split cells, and holds rows back where that does not
    /// help; gives the rows that are left, and how many are not.
    pub(crate) fn coarsen(
        &self,
        plan: &Plan,
        known: &KnownRows,
        rows: Batch,
        domains: &Domains,
    ) -> Result<(Batch, u64)> {
        let Some(k) = self.least(plan) else {
            return Ok((rows, 0));
        };
        let (all, _) = known.units(&rows);
        let components = coarsen::coarsened(&self.cells, &all, k);
        let same = all.iter().zip(&components);
        if same
            .clone()
            .all(|(unit, component)| unit.class == *component)
        {
            return Ok((rows, 0));
        }
        let of_rows: Vec<u32> = rows
            .rows()
            .iter()
            .map(|id| components[id as usize])
            .collect();
        let gone = of_rows.iter().filter(|&&c| c == SUPPRESSED).count() as u64;
        Ok((join::joined(&rows, &of_rows, domains)?, gone))
    }

    /// What `release` tells of the rows.
    ///
    /// # Errors
    /// When somebody would stand in a cell of fewer than k.
    pub(crate) fn record(
        &self,
        plan: &Plan,
        known: &KnownRows,
        release: &Batch,
    ) -> Result<Recorded> {
        let Some(k) = self.least(plan) else {
            return Ok(Recorded::default());
        };
        let (units, classes) = known.units(release);
        let small = self.cells.after(&units).small(k);
        if small.cells > 0 {
            return Err(Error::budget(format!(
                "with earlier releases in hand, a reader could tell {} groups of fewer than {k} persons apart ({} persons in all)",
                small.cells, small.persons
            ))
            .help("nothing was written. on_conflict = \"coarsen\" under [ledger], without [levels], joins classes until nobody can be told; `moretta ledger list` shows what was released"));
        }
        let grows = plan.ledger.is_some_and(|ledger| ledger.growth);
        let (columns, labels) = match grows {
            true => grow::labels_of(release, &classes)?,
            false => Default::default(),
        };
        Ok(Recorded {
            units,
            k: promised(plan),
            columns,
            labels,
        })
    }

    /// The smallest k that is or was promised; none when this release promises none.
    fn least(&self, plan: &Plan) -> Option<u32> {
        let k = promised(plan)?;
        Some(self.k.map_or(k, |least| least.min(k)))
    }
}

/// The k of a plan, also where it is promised as a risk.
pub(crate) fn promised(plan: &Plan) -> Option<u32> {
    let masked = || plan.maskings().filter_map(|masking| masking.k()).min();
    plan.guarantee.class_size().or_else(masked)
}

/// A ledger cannot follow rows that have no name.
pub(crate) fn unknown_rows() -> Error {
    Error::policy("the ledger does not know which rows of two releases are the same")
        .help("give the column that names persons the role subject, or one that names rows the role key; neither is released")
}

/// What is said where persons have several rows.
const SEVERAL_ROWS: &str = "persons have several rows, which the ledger could not tell apart";

/// Whether an error says that the data hold persons with several rows, so that no ledger can follow
/// them. Nothing was written then, and whoever keeps a ledger unasked may release without one.
pub fn is_of_several_rows(error: &Error) -> bool {
    matches!(error, Error::Policy(error) if error.what == SEVERAL_ROWS)
}

/// Two rows that the ledger could not tell apart.
fn same_names(of_persons: bool) -> Error {
    let what = match of_persons {
        true => SEVERAL_ROWS,
        false => "rows have the same key, so the ledger could not tell them apart",
    };
    Error::policy(what)
        .help("give a column that names each row, the same in all releases, the role key; it is not released")
}

/// Which row of the ledger each row of a table is, by its place.
#[derive(Clone)]
pub(crate) struct KnownRows {
    /// Its id, and whose it is.
    rows: Vec<(u128, u64)>,
}

impl KnownRows {
    /// Persons among some rows.
    pub(crate) fn persons(&self, rows: &Batch) -> usize {
        let persons = rows
            .rows()
            .iter()
            .filter_map(|id| self.rows.get(id as usize));
        let persons: HashSet<u64, FixedState> = persons.map(|(_, person)| *person).collect();
        persons.len()
    }

    /// What some rows, which look alike by their quasi-identifiers, tell of all rows, and the
    /// class of each of them, from 0 on.
    fn units(&self, released: &Batch) -> (Vec<Unit>, Vec<u32>) {
        let quasi = released.schema().with_role(Role::Quasi);
        let columns: Vec<Coded> = quasi.iter().map(|&i| Coded::new(released, i)).collect();
        let columns: Vec<&[u32]> = columns.iter().map(|column| &*column.codes).collect();
        let mut units: Vec<Unit> = self
            .rows
            .iter()
            .map(|&(id, person)| Unit {
                id,
                person,
                class: SUPPRESSED,
            })
            .collect();
        let classes = classes(&columns, released.len());
        for (id, class) in released.rows().iter().zip(&classes) {
            if let Some(unit) = units.get_mut(id as usize) {
                unit.class = class + 1;
            }
        }
        (units, classes)
    }
}

/// The cells of a column as texts.
fn texts(table: &Batch, place: usize) -> Result<Vec<String>> {
    let name = &table.schema().fields()[place].name;
    let cells: Vec<Option<String>> = match table.column(place) {
        Column::Category(cells) => (0..cells.len())
            .map(|row| cells.get(row).map(str::to_owned))
            .collect(),
        Column::Number(numbers) => numbers.iter().map(|n| n.map(|n| n.to_string())).collect(),
        Column::Plain(array) => plain_text::shown(array)?
            .iter()
            .map(|text| text.map(str::to_owned))
            .collect(),
    };
    let missing = cells.iter().filter(|cell| cell.is_none()).count();
    match missing {
        0 => Ok(cells.into_iter().flatten().collect()),
        _ => Err(Error::input(format!(
            "column `{name}` names rows for the ledger, and {missing} of its cells are missing"
        ))
        .help("fill them in, or leave these rows out of the source")),
    }
}
