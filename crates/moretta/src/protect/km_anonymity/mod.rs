//! k^m-anonymity: the items of a person made coarser until any m of them fit k persons.
//!
//! For sets of items, such as baskets or the diagnoses of a patient. They come as a column with
//! the role `items`: one item a row beside a `subject`, or all items of a person in one cell with
//! a `separator` between them, one row a person. An item becomes itself or a node of the hierarchy
//! above it, the same one wherever it occurs, so that every set of at most m released labels that
//! one person shows is shown by at least k persons, as `km` under `[guarantee]` says, for example
//! `km = { k = 5, m = 2 }`. A label is shown once for each person: of rows that would repeat it one
//! is released.
//!
//! Sets of one label come first, then pairs, and so on. Each set that too few persons
//! show needs one of its labels raised to its parent; those are raised that mend most sets
//! for what they lose. At the end, nodes are divided again as far as the promise
//! allows, so that none could be replaced by its children. One rare pair of coarse labels makes
//! both coarser for everybody; with `suppress`, persons who show rare sets may be left out
//! instead, where that loses less.
//!
//! **Protects against** an attacker who knows at most m items of a person and looks for the others:
//! at least k persons show what these items became.
//! **Does not protect against** an attacker who knows more than m items, or that a person does *not*
//! have an item; nor against learning an item that all k persons share. Other columns are
//! released as they are: what they tell of a person adds to the m items.
//!
//! **Costs** for each pass all sets of m labels of all persons, n·C(l, m) for n persons with l
//! labels, and memory for the different ones; a few passes for each m. A larger k or m protects
//! more and loses more.
//!
//! **From** Terrovitis, Mamoulis and Kalnis, Privacy-preserving anonymization of set-valued data,
//! VLDB 2008. Their apriori algorithm mends one set after the other; ours chooses among all of a
//! size, and takes back what was raised too far.
//!
//! ```toml
//! [[protect]]
//! method = "km-anonymity"
//! suppress = 0.05
//! ```

mod cut;
mod search;
mod sets;
#[cfg(test)]
mod tests;
mod transactions;

use super::Setting;
use super::config::MethodConfig;
use super::parameters::SUPPRESS;
use super::table::{Release, TableMethod};
use crate::config::{Parameter, Section};
use crate::data::hierarchy::Hierarchy;
use crate::data::{
    Batch, Categories, Column, Field, Kind, LevelsBuilder, MISSING, Role, Schema, items,
};
use crate::error::{Error, Result};
use cut::Cut;
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use search::Search;
use std::sync::Arc;
use transactions::Transactions;

/// k^m-anonymity; what it promises is said under `[guarantee]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KmAnonymity {
    /// The largest share of rows that may be suppressed.
    pub suppress: f64,
}

impl KmAnonymity {
    /// Its parameters in a policy.
    pub const PARAMETERS: &'static [Parameter] = &[SUPPRESS];

    /// Reads its parameters.
    pub fn read(section: &mut Section) -> Result<Self> {
        Ok(KmAnonymity {
            suppress: section.number(&SUPPRESS)?,
        })
    }

    /// Writes its parameters as [`KmAnonymity::read`] reads them.
    pub fn write(&self, section: &mut Section) {
        section.set(&SUPPRESS, self.suppress);
    }
}

impl MethodConfig for KmAnonymity {
    fn is_random(&self) -> bool {
        false
    }

    fn suppress(&self) -> Option<f64> {
        Some(self.suppress)
    }

    fn suppress_at_most(&mut self, share: f64) {
        self.suppress = share;
    }

    fn covers_items(&self) -> bool {
        true
    }

    fn works_in_clusters(&self) -> bool {
        false
    }

    fn table(&self, setting: &Setting) -> Option<Box<dyn TableMethod>> {
        Some(Box::new(Ready {
            suppress: self.suppress,
            setting: setting.clone(),
        }))
    }
}

struct Ready {
    suppress: f64,
    setting: Setting,
}

/// The column of items, its hierarchy, and what stands between items of one cell.
struct Items<'a> {
    place: usize,
    tree: &'a Hierarchy,
    separator: Option<&'a str>,
}

impl TableMethod for Ready {
    fn schema(&self, original: &Schema) -> Result<Schema> {
        let released = |field: &Field| match field.role {
            Role::Items => Field {
                kind: Kind::Category { ordered: false },
                ..field.clone()
            },
            _ => field.clone(),
        };
        Schema::new(original.fields().iter().map(released).collect())
    }

    fn release(&self, table: &Batch) -> Result<Release> {
        let items = self.items(table.schema())?;
        let km = self.setting.guarantee.km;
        let km = km.ok_or_else(|| Error::bug("k^m-anonymity was not promised"))?;
        let cells = Cells::new(&items, table.categories(items.place)?)?;
        let persons = persons(table, items.separator.is_some())?;
        let pairs = (0..table.len()).flat_map(|row| {
            let person = persons[row];
            cells.of_row(row).iter().map(move |&leaf| (person, leaf))
        });
        let transactions = Transactions::new(pairs, items.tree.leaf_count());
        if !transactions.is_empty() && transactions.persons() < km.k as usize {
            return Err(Error::guarantee(format!(
                "{} persons have items; k={} needs at least {}",
                transactions.persons(),
                km.k,
                km.k
            ))
            .help("lower k, or bring more data"));
        }
        let mut rows_of: HashMap<u32, u32, FixedState> = HashMap::default();
        for &person in &persons {
            *rows_of.entry(person).or_default() += 1;
        }
        let known = 0..transactions.persons() as u32;
        let rows: Vec<u32> = known.map(|p| rows_of[&transactions.code(p)]).collect();
        let found = Search {
            transactions: &transactions,
            tree: items.tree,
            km,
            budget: (self.suppress * table.len() as f64).floor() as usize,
            rows: &rows,
            cancel: &self.setting.cancel,
        };
        let found = found.find()?;
        let gone = found.gone.iter().map(|&person| transactions.code(person));
        let gone: HashSet<u32, FixedState> = gone.collect();
        let shown = match items.separator {
            Some(separator) => cells.lists(&found.cut, separator),
            None => cells.labels(&found.cut),
        };
        let mut kept: Vec<u32> = (0..table.len() as u32).collect();
        kept.retain(|&row| !gone.contains(&persons[row as usize]));
        let suppressed = (table.len() - kept.len()) as u64;
        if items.separator.is_none() {
            first_of_each(&mut kept, &shown, &persons);
        }
        let schema = Arc::new(self.schema(table.schema())?);
        let all = with_column(table, schema, items.place, shown)?;
        let left_out = (all.len() - kept.len()) as u64 - suppressed;
        let batch = match kept.len() == all.len() {
            true => all,
            false => all.take(&kept)?,
        };
        let reasons = vec![("too few persons have their items".to_owned(), suppressed)];
        Ok(Release {
            left_out,
            ..Release::new(batch, reasons)
        })
    }
}

impl Ready {
    fn items(&self, schema: &Schema) -> Result<Items<'_>> {
        let place = *schema
            .with_role(Role::Items)
            .first()
            .ok_or_else(|| Error::bug("no column has the role items"))?;
        let name = &schema.fields()[place].name;
        let domain = self.setting.domains.require(name)?;
        let tree = domain.hierarchy.as_deref();
        Ok(Items {
            place,
            tree: tree.ok_or_else(|| Error::bug("items have no hierarchy"))?,
            separator: self.setting.domains.separator(name),
        })
    }
}

/// The items of each cell as leaves of the hierarchy.
struct Cells<'a> {
    codes: &'a [u32],
    /// Of each different text.
    leaves: Vec<Vec<u32>>,
}

impl<'a> Cells<'a> {
    fn new(items: &Items<'_>, column: &'a Categories) -> Result<Self> {
        let leaf = |item: &str| {
            items.tree.leaf(item).ok_or_else(|| {
                Error::policy("the hierarchy of items misses some of the data")
                    .help("add them to the hierarchy")
            })
        };
        let leaves = column.levels().iter().map(|text| match items.separator {
            None => Ok(vec![leaf(text)?]),
            Some(separator) => items::split(text, separator).map(leaf).collect(),
        });
        Ok(Cells {
            leaves: leaves.collect::<Result<_>>()?,
            codes: column.codes(),
        })
    }

    fn of_row(&self, row: usize) -> &[u32] {
        let leaves = self.leaves.get(self.codes[row] as usize);
        leaves.map_or(&[], Vec::as_slice)
    }

    /// What each cell of one item shows.
    fn labels(&self, cut: &Cut<'_>) -> Categories {
        self.shown(|leaves| leaves.first().map(|&leaf| cut.label(leaf).to_owned()))
    }

    /// What each cell of several items shows, in the order of the hierarchy.
    fn lists(&self, cut: &Cut<'_>, separator: &str) -> Categories {
        self.shown(|leaves| {
            let mut nodes: Vec<u32> = leaves.iter().map(|&leaf| cut.shown(leaf)).collect();
            nodes.sort_unstable_by_key(|&node| cut.under(node).start);
            nodes.dedup();
            let labels: Vec<&str> = nodes.iter().map(|&node| cut.text(node)).collect();
            (!labels.is_empty()).then(|| labels.join(separator))
        })
    }

    fn shown(&self, text: impl Fn(&[u32]) -> Option<String>) -> Categories {
        let mut levels = LevelsBuilder::default();
        let code = |leaves: &Vec<u32>| text(leaves).map_or(MISSING, |text| levels.intern(&text));
        let codes: Vec<u32> = self.leaves.iter().map(code).collect();
        let rows = self.codes.iter();
        let rows = rows.map(|&code| codes.get(code as usize).copied().unwrap_or(MISSING));
        Categories::new(rows.collect(), Arc::new(levels.levels().clone()))
    }
}

/// The person of each row. A list holds all items of a person, so nobody has two.
fn persons(table: &Batch, lists: bool) -> Result<Vec<u32>> {
    let Some(&subject) = table.schema().with_role(Role::Subject).first() else {
        return Ok((0..table.len() as u32).collect());
    };
    let persons = table.categories(subject)?.codes().to_vec();
    let missing = persons.iter().filter(|&&person| person == MISSING).count();
    if missing > 0 {
        let what = format!("{missing} rows do not tell their person");
        return Err(Error::input(what)
            .in_column(&*table.schema().fields()[subject].name)
            .help("fill the cells, or leave these rows out"));
    }
    if lists {
        let mut seen = HashSet::<u32, FixedState>::default();
        let again = persons.iter().filter(|&&person| !seen.insert(person));
        match again.count() {
            0 => {}
            again => {
                let what = format!("{again} rows are of persons who have a list already");
                return Err(Error::input(what)
                    .in_column(&*table.schema().fields()[subject].name)
                    .help("put all items of a person into one list, or release one item a row"));
            }
        }
    }
    Ok(persons)
}

/// Keeps the first row of each person with each label.
fn first_of_each(rows: &mut Vec<u32>, labels: &Categories, persons: &[u32]) {
    let mut seen = HashSet::<(u32, u32), FixedState>::default();
    rows.retain(|&row| {
        let row = row as usize;
        seen.insert((persons[row], labels.codes()[row]))
    });
}

fn with_column(
    table: &Batch,
    schema: Arc<Schema>,
    place: usize,
    column: Categories,
) -> Result<Batch> {
    let mut columns = table.columns().to_vec();
    columns[place] = Column::Category(column);
    Batch::new(schema, table.rows().clone(), columns)
}
