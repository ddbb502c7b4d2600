//! μ-Argus: makes combinations of a few columns frequent, by recoding and then by empty cells.
//!
//! Looked at are all combinations of 1 to `size` quasi-identifiers, or, with `identification`,
//! those that take one column of each level: of m levels in use, m columns of which the i-th most
//! identifying one is at most at the i-th level. What a row shows in a combination is unsafe if
//! fewer than k rows (persons, where a subject is known) show it.
//!
//! While more than `recode_until` of the rows show something unsafe, the column that takes
//! part in most of it goes one level up its hierarchy, for all rows. Then cells are emptied
//! (`*`), row by row: the cell that is in most unsafe combinations of its row, of several the one
//! with the least weight, then that of the column with the least entropy. Combinations with an
//! empty cell are not counted, so others may become rare: it is counted again until nothing is
//! unsafe. Cells that were missing are shown as `*`, too.
//!
//! **Protects against** finding a person by a few columns: whoever knows at most `size` of them
//! finds k or none by each combination that is shown. With `identification` that is so of the
//! combinations that it makes alone, not of fewer columns.
//! **Does not protect against** an attacker who knows more columns: **this is not
//! k-anonymity**, and rows may be unique in all columns together; the report tells how many
//! are alike there. Nor against learning a sensitive value, nor against one who fills empty cells
//! by what goes together with the others of a row.
//!
//! **Costs** one pass over the rows for each combination and round: 129 combinations for 9
//! columns and `size` 3; needs the whole table.
//!
//! **From** Hundepool and Willenborg, μ- and τ-Argus: software for statistical disclosure
//! control, 1996; the manual of μ-Argus, Statistics Netherlands. There, combinations of
//! at most t rows are unsafe: k is t + 1.
//!
//! A policy with it has no `[guarantee]`:
//!
//! ```text
//! [[protect]]
//! method = "mu-argus"
//! k = 3
//! size = 2
//! ```

mod cells;
mod sets;
#[cfg(test)]
mod tests;

use super::Setting;
use super::config::{MethodConfig, Shown};
use super::datafly::recoded;
use super::limits::Limits;
use super::table::{Release, TableMethod, quasi_as_text};
use super::tree_codes::TreeCodes;
use crate::config::{Absent, Accepts, Length, Parameter, Placed, Protects, Section, Value};
use crate::data::hierarchy::TOP;
use crate::data::{Batch, Categories, Column, Domain, LevelsBuilder, MISSING, Role, Schema};
use crate::error::{Error, Result};
use crate::guarantee::{Combination, Guarantee};
use cells::Cells;
use std::collections::BTreeMap;
use std::sync::Arc;

/// μ-Argus with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct MuArgus {
    /// How often what combinations show must be there, by their size; the last also for larger
    /// ones.
    pub k: Vec<u32>,
    /// The largest number of columns of a combination.
    pub size: usize,
    /// How identifying columns are, 1 the most, 0 for none; empty: all combinations.
    pub identification: BTreeMap<String, usize>,
    /// The share of rows with something unsafe from which on columns are recoded.
    pub recode_until: f64,
    /// How much an empty cell of a column counts; 1 where it is not named.
    pub weights: BTreeMap<String, f64>,
}

impl Default for MuArgus {
    fn default() -> Self {
        MuArgus {
            k: vec![2],
            size: 2,
            identification: BTreeMap::new(),
            recode_until: 0.05,
            weights: BTreeMap::new(),
        }
    }
}

/// A larger k is a mistake.
const MOST_K: i64 = 1 << 30;

const EACH_K: Accepts = Accepts::Whole(2, MOST_K);

const K: Parameter = Parameter::new(
    "k",
    Accepts::OneOf(&[
        EACH_K,
        Accepts::List(
            &EACH_K,
            Length {
                least: 1,
                most: 3,
                distinct: false,
            },
        ),
    ]),
    Absent::Refused,
    "how often at least what a combination shows must be there; a list says it for one, two and three columns, for as many as combinations have",
)
.examples(&["3", "[5, 3, 2]"]);
const SIZE: Parameter = Parameter::new(
    "size",
    Accepts::Whole(1, 3),
    Absent::Whole(2),
    "the most columns of a combination",
)
.tunable(Protects::More);
const IDENTIFICATION: Parameter = Parameter::new(
    "identification",
    Accepts::By("column", &Accepts::Whole(0, 4)),
    Absent::Means("all combinations up to `size`"),
    "instead of `size`: how identifying columns are, from 1, the most, to 4; 0 for never",
)
.examples(&["{ region = 1, sex = 2, age = 2, job = 3 }"]);
const RECODE_UNTIL: Parameter = Parameter::new(
    "recode_until",
    Accepts::Number(0.0, 1.0),
    Absent::Number(0.05),
    "columns are recoded while a larger share of the rows shows something unsafe; 1 only empties cells",
);
const WEIGHTS: Parameter = Parameter::new(
    "weights",
    Accepts::By("column", &Accepts::Number(0.0, 1e9)),
    Absent::Means("1 for every column"),
    "how much an empty cell of a column counts, where several could be emptied",
)
.examples(&["{ age = 2 }"]);

impl MuArgus {
    /// Its parameters in a policy.
    pub const PARAMETERS: &'static [Parameter] = &[K, SIZE, IDENTIFICATION, RECODE_UNTIL, WEIGHTS];

    /// Reads its parameters.
    pub fn read(section: &mut Section) -> Result<Self> {
        let place = section.place(K.name);
        let k: Vec<u32> = section.read(&K, |placed, name| match &placed.value {
            Value::List(list) => list.iter().map(|k| k.whole(name)).collect(),
            _ => Ok(vec![placed.whole(name)?]),
        })?;
        let given = section.has(SIZE.name);
        let size = section.whole(&SIZE)?;
        let identification = section.by_name(&IDENTIFICATION, Placed::whole)?;
        if given && identification.is_some() {
            let what = "`size` and `identification` both say which combinations count";
            return Err(section.error(what).help("keep one of them"));
        }
        let identification: BTreeMap<String, usize> =
            identification.into_iter().flatten().collect();
        let largest = match identification.is_empty() {
            true => size,
            false => sets::levels(&identification).len(),
        };
        if (2..largest).contains(&k.len()) {
            let said = k.len();
            let what = format!(
                "`k` says how often for up to {said} columns, and combinations have up to {largest}"
            );
            let fix = format!("list {largest} numbers, or one number for all sizes");
            return Err(Error::policy(what).at(place).help(fix));
        }
        let weights = section.by_name(&WEIGHTS, Placed::number)?;
        Ok(MuArgus {
            k,
            size,
            identification,
            recode_until: section.number(&RECODE_UNTIL)?,
            weights: weights.into_iter().flatten().collect(),
        })
    }

    /// Writes its parameters as [`MuArgus::read`] reads them.
    pub fn write(&self, section: &mut Section) {
        match self.k[..] {
            [k] => section.set(&K, k),
            _ => section.set(&K, self.k.clone()),
        }
        if self.identification.is_empty() {
            section.set(&SIZE, self.size);
        }
        section.set(&IDENTIFICATION, self.identification.clone());
        section.set(&RECODE_UNTIL, self.recode_until);
        section.set(&WEIGHTS, self.weights.clone());
    }
}

impl MethodConfig for MuArgus {
    fn is_random(&self) -> bool {
        false
    }

    fn depends_on_order(&self) -> bool {
        false
    }

    fn shows(&self, _column: &str, hierarchy: bool) -> Shown {
        match hierarchy {
            true => Shown::Labels,
            false => Shown::Values,
        }
    }

    fn suppress(&self) -> Option<f64> {
        Some(0.0)
    }

    fn combinations(&self, quasi: &[&str]) -> Result<Option<Vec<Combination>>> {
        sets::combinations(self, quasi).map(Some)
    }

    fn table(&self, setting: &Setting) -> Option<Box<dyn TableMethod>> {
        Some(Box::new(Ready {
            config: self.clone(),
            setting: setting.clone(),
        }))
    }
}

struct Ready {
    config: MuArgus,
    setting: Setting,
}

impl TableMethod for Ready {
    fn schema(&self, original: &Schema) -> Result<Schema> {
        quasi_as_text(original)
    }

    fn release(&self, table: &Batch) -> Result<Release> {
        self.refuse_few(table)?;
        let quasi = table.schema().with_role(Role::Quasi);
        let fields = quasi.iter().map(|&place| &table.schema().fields()[place]);
        let names: Vec<&str> = fields.map(|field| &*field.name).collect();
        let mut cells = Cells::new(table, &quasi, sets::combinations(&self.config, &names)?)?;
        let mut columns = Vec::new();
        for (place, &column) in quasi.iter().enumerate() {
            let domain = self.setting.domains.require(names[place])?;
            let (codes, shown) = TreeCodes::new(names[place], table.column(column), domain)?;
            columns.push(codes);
            cells.show(place, shown);
        }
        self.recode(&mut cells, &mut columns)?;
        let weights: Vec<f64> = names.iter().map(|name| self.weight(name)).collect();
        while cells.empty_unsafe(&weights) {
            self.setting.cancel.check()?;
        }
        let levels: Vec<usize> = columns.iter().map(TreeCodes::level).collect();
        let mut released = recoded(table, &quasi, &levels, &self.setting)?;
        for (place, &column) in quasi.iter().enumerate() {
            let domain = self.setting.domains.require(names[place])?;
            // A cell that was missing is shown as one that was emptied: nobody sees who had none.
            let missing = table.column(column);
            let empty = |row: usize| cells.is_emptied(place, row) || missing.is_missing(row);
            released[column] = with_empty(&released[column], domain, empty)?;
        }
        let schema = Arc::new(self.schema(table.schema())?);
        let batch = Batch::new(schema, table.rows().clone(), released)?;
        Ok(Release::new(batch, Vec::new()))
    }
}

impl Ready {
    /// Where there are fewer than k of all, nothing can be shown.
    fn refuse_few(&self, table: &Batch) -> Result<()> {
        let k = self
            .config
            .k
            .iter()
            .copied()
            .chain(self.setting.guarantee.k)
            .max();
        let all = Guarantee {
            k,
            ..Guarantee::default()
        };
        let limits = Limits::new(&all, table, &self.setting.domains)?;
        limits.refusal(table.len(), false).map_or(Ok(()), Err)
    }

    /// Raises columns until few rows show something unsafe, or all are at the top.
    fn recode(&self, cells: &mut Cells, columns: &mut [TreeCodes<'_>]) -> Result<()> {
        loop {
            self.setting.cancel.check()?;
            let (rows, pairs) = cells.unsafe_pairs();
            if rows as f64 <= self.config.recode_until * cells.rows() as f64 {
                return Ok(());
            }
            let open = (0..columns.len()).filter(|&i| !columns[i].is_at_top() && pairs[i] > 0);
            // Of several the first: the last one of those that are as large, backwards.
            let Some(place) = open.rev().max_by_key(|&i| pairs[i]) else {
                return Ok(());
            };
            let above = columns[place].raise();
            cells.raise(place, &above, columns[place].is_at_top());
        }
    }

    fn weight(&self, name: &str) -> f64 {
        self.config.weights.get(name).copied().unwrap_or(1.0)
    }
}

/// The texts of a column, with `*` in empty cells.
pub(super) fn with_empty(
    column: &Column,
    domain: &Domain,
    empty: impl Fn(usize) -> bool,
) -> Result<Column> {
    let mut texts = LevelsBuilder::default();
    let top = texts.intern(TOP);
    let codes: Vec<u32> = match column {
        Column::Category(categories) => {
            let own = categories.levels().iter().map(|text| texts.intern(text));
            let own: Vec<u32> = own.collect();
            let codes = categories.codes().iter();
            codes
                .map(|&code| own.get(code as usize).copied().unwrap_or(MISSING))
                .collect()
        }
        Column::Number(numbers) => numbers
            .iter()
            .map(|n| n.map_or(MISSING, |n| texts.intern(&domain.number_text(n))))
            .collect(),
        Column::Plain(_) => return Err(Error::bug("a plain column among quasi-identifiers")),
    };
    let codes = codes.into_iter().enumerate();
    let codes = codes.map(|(row, code)| if empty(row) { top } else { code });
    Ok(Column::Category(Categories::new(
        codes.collect(),
        Arc::new(texts.finish()),
    )))
}
