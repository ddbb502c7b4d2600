//! Recoding: columns become coarser by the same rule in all rows, whatever the data.
//!
//! Each rule stands in the policy, so that none depends on a row: a quasi-identifier goes to
//! a `levels` of its hierarchy; numbers go to steps of a width (`round`), 33 in steps of 5 to
//! 30; numbers, dates and ordered categories beyond a `top` or `bottom` become one. A
//! quasi-identifier shows what its rule leaves open: `30..34`, `90..` (90 or more), `..19`.
//! A sensitive or plain column stays a number: that with which its step begins, or the top or
//! bottom itself; l, t and p then count these numbers. Missing values stay missing.
//!
//! With a `buffer` the rows are a stream: each is recoded by itself as it comes, alone or beside
//! masks and z-anonymity, on what these do not count. No promise is counted then. Steps of whole
//! numbers end before the next begins (`30..34`) where the type is `integer`; of other numbers
//! they touch (`30..35`), since nobody knows what is still to come.
//!
//! Before mondrian or generalization in a policy, that method gets the recoded values, and what
//! it shows covers all that they stand for; with `bounds = "exact"` mondrian shows no wider
//! intervals than the steps make. Alone, the promises must hold of what the rules make, else
//! nothing is released. Loss counts an open end as far as the `range` of its column, and without
//! one as if it said nothing. Numbers that are too large to be rounded exactly, beyond 2^53 or 2^50 steps, are
//! refused, unless a `top` or `bottom` is before them.
//!
//! **Protects against** an attacker who knows an exact or an outstanding value: the oldest
//! person, the highest income.
//! **Does not protect against** much by itself: rows stay alone that were alone in other
//! columns, which is why k has to be promised and counted. A `top` that one row alone reaches
//! hides nobody, and one that was chosen by looking at the data tells where its largest values
//! are: choose it from what is known of the population.
//!
//! **Costs** one pass over the rows for each recoded column; rows of a stream leave at once.
//!
//! **From** global recoding, top and bottom coding and rounding of statistical offices:
//! Hundepool et al., Statistical disclosure control, Wiley 2012, chapter 3.
//!
//! ```toml
//! [[protect]]
//! method = "recoding"
//! levels = { zip = 2 }
//! round  = { age = 5, cost = 500 }
//! top    = { age = 90, cost = 20000 }
//! bottom = { age = 15 }
//! ```

mod cells;
mod coding;
mod stream;

pub use stream::{Declared, Recoded};

use super::Setting;
use super::config::{MethodConfig, Shown};
use super::generalization::{Generalization, generalize};
use super::table::{Release, TableMethod};
use crate::config::{Absent, Accepts, POSITIVE, Parameter, Placed, Section, Value};
use crate::data::hierarchy::Hierarchy;
use crate::data::{Batch, Domain, Domains, Field, Kind, Role, Schema};
use crate::error::{Error, Result};
use cells::Cells;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Recoding with its parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recoding {
    /// The levels of hierarchies, by column.
    pub levels: BTreeMap<String, usize>,
    /// The widths of steps, by column.
    pub round: BTreeMap<String, f64>,
    /// By column, what smaller values become.
    pub bottom: BTreeMap<String, Bound>,
    /// By column, what larger values become.
    pub top: BTreeMap<String, Bound>,
    /// Rows of a stream that may be held back, though none is; `None` for a whole table.
    pub buffer: Option<usize>,
}

/// A value of a column, as a policy says it.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// A number.
    Number(f64),
    /// A date or a category.
    Text(String),
}

impl Bound {
    fn read(placed: &Placed, name: &str) -> Result<Self> {
        match &placed.value {
            Value::Text(text) => Ok(Bound::Text(text.clone())),
            _ => placed.number(name).map(Bound::Number),
        }
    }
}

impl From<Bound> for Value {
    fn from(bound: Bound) -> Self {
        match bound {
            Bound::Number(number) => Value::from(number),
            Bound::Text(text) => Value::from(text),
        }
    }
}

const LEVELS: Parameter = Parameter::new(
    "levels",
    Accepts::By("column", &Accepts::Whole(1, 255)),
    Absent::Means("none"),
    "the level of the hierarchy to which a quasi-identifier goes; growing it loses detail",
)
.examples(&["{ zip = 2 }"]);
const ROUND: Parameter = Parameter::new(
    "round",
    Accepts::By("column", &Accepts::Number(POSITIVE, f64::MAX)),
    Absent::Means("none"),
    "the width of the steps to which numbers are rounded down; growing it loses detail",
)
.examples(&["{ income = 500 }"]);
const ENDS: Accepts = Accepts::By(
    "column",
    &Accepts::OneOf(&[Accepts::Number(f64::MIN, f64::MAX), Accepts::Text]),
);
const BOTTOM: Parameter = Parameter::new(
    "bottom",
    ENDS,
    Absent::Means("none"),
    "what smaller values become: a number, date or ordered category that follows from no row",
)
.examples(&["{ age = 15 }"]);
const TOP: Parameter = Parameter::new(
    "top",
    ENDS,
    Absent::Means("none"),
    "what larger values become: a number, date or ordered category that follows from no row",
)
.examples(&["{ age = 90 }"]);

const BUFFER: Parameter = Parameter::new(
    "buffer",
    Accepts::Whole(1, 1 << 24),
    Absent::Means("the whole table"),
    "makes the rows a stream, of which recoding holds none back, whatever the number",
)
.examples(&["1"]);

impl Recoding {
    /// Its parameters in a policy.
    pub const PARAMETERS: &'static [Parameter] = &[LEVELS, ROUND, BOTTOM, TOP, BUFFER];

    /// Reads its parameters.
    pub fn read(section: &mut Section) -> Result<Self> {
        let levels = section.by_name(&LEVELS, Placed::whole)?;
        let round = section.by_name(&ROUND, Placed::number)?;
        let bottom = section.by_name(&BOTTOM, Bound::read)?;
        let top = section.by_name(&TOP, Bound::read)?;
        Ok(Recoding {
            levels: levels.into_iter().flatten().collect(),
            round: round.into_iter().flatten().collect(),
            bottom: bottom.into_iter().flatten().collect(),
            top: top.into_iter().flatten().collect(),
            buffer: section.optional(&BUFFER, Placed::whole)?,
        })
    }

    /// Whether it has a rule for a column.
    pub(crate) fn recodes(&self, column: &str) -> bool {
        self.levels.contains_key(column) || self.coded().any(|(_, coded)| coded == column)
    }

    fn check_names(&self, schema: &Schema) -> Result<()> {
        let names = self.levels.keys().map(|name| ("levels", &**name));
        for (key, name) in names.chain(self.coded()) {
            if schema.index_of(name).is_none() {
                let what = format!("`{key}` names `{name}`, and there is no such column");
                return Err(Error::policy(what).help("name columns of [columns] that are read"));
            }
        }
        Ok(())
    }

    /// Writes its parameters as [`Recoding::read`] reads them.
    pub fn write(&self, section: &mut Section) {
        section.set(&LEVELS, self.levels.clone());
        section.set(&ROUND, self.round.clone());
        section.set(&BOTTOM, self.bottom.clone());
        section.set(&TOP, self.top.clone());
        section.set_optional(&BUFFER, self.buffer);
    }

    /// The columns that have steps or ends, each with the key that names it.
    pub(crate) fn coded(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let round = self.round.keys().map(|name| ("round", name.as_str()));
        let bottom = self.bottom.keys().map(|name| ("bottom", name.as_str()));
        let top = self.top.keys().map(|name| ("top", name.as_str()));
        round.chain(bottom).chain(top)
    }

    /// Ready to recode tables before `then` protects them.
    pub(super) fn before(&self, then: Then, setting: &Setting) -> Box<dyn TableMethod> {
        Box::new(Ready {
            config: self.clone(),
            then,
            setting: setting.clone(),
        })
    }
}

impl MethodConfig for Recoding {
    fn is_random(&self) -> bool {
        false
    }

    fn depends_on_order(&self) -> bool {
        false
    }

    fn shows(&self, column: &str, _hierarchy: bool) -> Shown {
        match self.levels.contains_key(column) {
            true => Shown::Labels,
            false => Shown::Values,
        }
    }

    /// Alone it must keep the promises without suppressing a row of a table.
    fn suppress(&self) -> Option<f64> {
        self.buffer.is_none().then_some(0.0)
    }

    fn table(&self, setting: &Setting) -> Option<Box<dyn TableMethod>> {
        let as_it_is = Arc::new(Generalization::default());
        let is_table = self.buffer.is_none();
        is_table.then(|| self.before(as_it_is, setting))
    }
}

/// A method that protects what was recoded.
pub(super) type Then = Arc<dyn MethodConfig + Send + Sync>;

struct Ready {
    config: Recoding,
    then: Then,
    setting: Setting,
}

/// What becomes of a column.
enum Rule {
    Stays,
    Level(usize),
    Cells(Cells),
}

impl TableMethod for Ready {
    fn schema(&self, original: &Schema) -> Result<Schema> {
        let rules = self.rules(original)?;
        let recoded = recoded_schema(original, &rules)?;
        let released = self.then(&self.setting)?.schema(&recoded)?;
        self.shown_schema(&released, &rules)
    }

    fn release(&self, table: &Batch) -> Result<Release> {
        let mut rules = self.rules(table.schema())?;
        for (rule, column) in rules.iter_mut().zip(table.columns()) {
            if let Rule::Cells(cells) = rule {
                cells.of(column);
            }
        }
        let recoded = self.recoded(table, &rules)?;
        let setting = Setting {
            domains: Arc::new(self.domains(&recoded, &rules)?),
            ..self.setting.clone()
        };
        let release = self.then(&setting)?.release(&recoded)?;
        let batch = &release.batch;
        let mut columns = batch.columns().to_vec();
        for (place, cells) in self.shown(&rules, batch.schema()) {
            let name = &batch.schema().fields()[place].name;
            columns[place] = cells.shown(&columns[place], setting.domains.require(name)?)?;
        }
        let schema = Arc::new(self.shown_schema(batch.schema(), &rules)?);
        Ok(Release {
            batch: Batch::new(schema, batch.rows().clone(), columns)?,
            ..release
        })
    }
}

impl Ready {
    fn then(&self, setting: &Setting) -> Result<Box<dyn TableMethod>> {
        let table = self.then.table(setting);
        table.ok_or_else(|| Error::bug("recoding before a method that is not for tables"))
    }

    /// The rule of each column.
    fn rules(&self, schema: &Schema) -> Result<Vec<Rule>> {
        self.config.check_names(schema)?;
        let rule = |field: &Field| {
            if let Some(&level) = self.config.levels.get(&*field.name) {
                return Ok(Rule::Level(level));
            }
            let coding = self.config.coding(field)?;
            Ok(coding.map_or(Rule::Stays, |coding| Rule::Cells(Cells::new(coding))))
        };
        schema.fields().iter().map(rule).collect()
    }

    fn recoded(&self, table: &Batch, rules: &[Rule]) -> Result<Batch> {
        let fields = table.schema().fields();
        let recoded = |place: usize| {
            let column = table.column(place);
            match &rules[place] {
                Rule::Stays => Ok(column.clone()),
                Rule::Cells(cells) => {
                    let recoded = cells.recoded(column);
                    recoded.map_err(|error| error.in_column(&*fields[place].name))
                }
                Rule::Level(level) => {
                    let name = &fields[place].name;
                    let domain = self.setting.domains.require(name)?;
                    let (tree, level) = tree_and_level(name, domain, *level)?;
                    generalize(column, domain, tree, level).ok_or_else(|| {
                        Error::policy(format!(
                            "the hierarchy of column `{name}` misses values of the data"
                        ))
                    })
                }
            }
        };
        let columns = (0..fields.len()).into_par_iter().map(recoded);
        let columns = columns.collect::<Result<_>>()?;
        let schema = Arc::new(recoded_schema(table.schema(), rules)?);
        Batch::new(schema, table.rows().clone(), columns)
    }

    /// The domains of the recoded rows. Of a hierarchy what lies above its level is left.
    fn domains(&self, recoded: &Batch, rules: &[Rule]) -> Result<Domains> {
        let mut domains = Vec::new();
        for (place, rule) in rules.iter().enumerate() {
            let (field, column) = (&recoded.schema().fields()[place], recoded.column(place));
            let tree = match rule {
                _ if field.role != Role::Quasi => continue,
                Rule::Stays => continue,
                Rule::Cells(_) => None,
                Rule::Level(level) => {
                    let domain = self.setting.domains.require(&field.name)?;
                    let (tree, level) = tree_and_level(&field.name, domain, *level)?;
                    tree_above(tree, level)?
                }
            };
            let domain = Domain::of(field, column, tree)?;
            domains.push((field.name.to_string(), domain));
        }
        Ok(self.setting.domains.with(domains))
    }

    /// The quasi-identifiers that show cells.
    fn shown<'a>(
        &'a self,
        rules: &'a [Rule],
        schema: &'a Schema,
    ) -> impl Iterator<Item = (usize, &'a Cells)> + 'a {
        let rules = rules.iter().zip(schema.fields()).enumerate();
        rules.filter_map(|(place, (rule, field))| match rule {
            Rule::Cells(cells)
                if field.role == Role::Quasi && !self.then.represents(&field.name) =>
            {
                Some((place, cells))
            }
            _ => None,
        })
    }

    fn shown_schema(&self, released: &Schema, rules: &[Rule]) -> Result<Schema> {
        let mut fields = released.fields().to_vec();
        for (place, _) in self.shown(rules, released) {
            fields[place].kind = Kind::Category { ordered: false };
        }
        Schema::new(fields)
    }
}

fn recoded_schema(original: &Schema, rules: &[Rule]) -> Result<Schema> {
    let mut fields = original.fields().to_vec();
    for (field, rule) in fields.iter_mut().zip(rules) {
        field.kind = match rule {
            Rule::Stays => continue,
            Rule::Level(_) => Kind::Category { ordered: false },
            Rule::Cells(cells) => recoded_kind(&field.kind, cells),
        };
    }
    Schema::new(fields)
}

/// What the beginnings of cells are: those of whole numbers may be fractions.
fn recoded_kind(kind: &Kind, cells: &Cells) -> Kind {
    match kind {
        Kind::Number { integer } => Kind::Number {
            integer: *integer && cells.are_whole(),
        },
        kind => kind.clone(),
    }
}

fn tree_and_level<'a>(
    name: &str,
    domain: &'a Domain,
    level: usize,
) -> Result<(&'a Hierarchy, usize)> {
    let tree = domain.hierarchy.as_deref().ok_or_else(|| {
        Error::policy(format!("column `{name}` has a level but no hierarchy")).help(format!(
            "give `{name}` a `hierarchy` under [columns], or leave it out of `levels`"
        ))
    })?;
    let found = tree.level(level).ok_or_else(|| {
        let most = tree.level_count() - 1;
        Error::policy(format!(
            "column `{name}` has levels 0 to {most}, not {level}"
        ))
    })?;
    Ok((tree, found))
}

/// The tree over the labels of a level; none where that is the top.
fn tree_above(tree: &Hierarchy, level: usize) -> Result<Option<Arc<Hierarchy>>> {
    if level + 1 >= tree.level_count() {
        return Ok(None);
    }
    let chain = |node: u32| {
        let leaf = tree.leaves_under(level, node).start;
        let levels = level..tree.level_count();
        let labels = levels.map(|level| tree.label(level, tree.node(level, leaf)));
        labels.collect::<Vec<&str>>()
    };
    let chains: Vec<Vec<&str>> = (0..tree.node_count(level) as u32).map(chain).collect();
    Ok(Some(Arc::new(Hierarchy::from_chains(&chains)?)))
}

#[cfg(test)]
mod tests;
