//! Full-domain generalization: every column goes to one level of its hierarchy, small classes go.
//!
//! Each quasi-identifier is recoded to the level that the policy names, the
//! same for all rows; rows whose class then misses the guarantee are suppressed
//! whole, up to a limit. Without a level a column stays as it is.
//!
//! **Protects against** linking a person to a row by the quasi-identifiers and,
//! with l, t or p, against learning a sensitive value from a whole class.
//! **Does not protect against** an attacker who compares several releases, and
//! loses more than Mondrian, since one rare value makes a whole column coarser;
//! in return every value means the same in all rows.
//!
//! **Costs** one pass over the rows for each quasi-identifier and a hash table
//! of the classes; needs the whole table.
//!
//! **From** Samarati, Protecting respondents' identities in microdata release,
//! TKDE 2001, and the record suppression of ARX.
//!
//! ```toml
//! [[protect]]
//! method = "generalization"
//! levels = { age = 2, zip = 3 }
//! suppress = 0.05
//! ```

use super::Setting;
use super::config::{MethodConfig, Shown};
use super::limits::{Limits, first_that_stay};
use super::parameters::SUPPRESS;
use super::ranks::ranks;
use super::table::{Release, TableMethod, quasi_as_text};
use crate::config::{Absent, Accepts, Parameter, Placed, Section};
use crate::data::hierarchy::{Hierarchy, TOP};
use crate::data::{
    Batch, Categories, Column, Domain, Field, Kind, LevelsBuilder, MISSING, Role, Schema,
};
use crate::error::{Error, Result};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Full-domain generalization with its parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Generalization {
    /// The level of each column's hierarchy; 0, the values themselves, when not named.
    pub levels: BTreeMap<String, usize>,
    /// The largest share of rows that may be suppressed.
    pub suppress: f64,
}

const LEVELS: Parameter = Parameter::new(
    "levels",
    Accepts::By("column", &Accepts::Whole(0, 255)),
    Absent::Means("0 for every column"),
    "the level of the hierarchy to recode to; growing it loses detail and makes classes larger; above the top of a mask or path it is the top",
)
.examples(&["{ age = 1 }"]);

impl Generalization {
    /// Its parameters in a policy.
    pub const PARAMETERS: &'static [Parameter] = &[LEVELS, SUPPRESS];

    /// Reads its parameters.
    pub fn read(section: &mut Section) -> Result<Self> {
        let levels = section.by_name(&LEVELS, Placed::whole)?;
        Ok(Generalization {
            levels: levels.into_iter().flatten().collect(),
            suppress: section.number(&SUPPRESS)?,
        })
    }

    /// Writes its parameters as [`Generalization::read`] reads them.
    pub fn write(&self, section: &mut Section) {
        section.set(&LEVELS, self.levels.clone());
        section.set(&SUPPRESS, self.suppress);
    }
}

impl MethodConfig for Generalization {
    fn is_random(&self) -> bool {
        false
    }

    fn depends_on_order(&self) -> bool {
        false
    }

    fn shows(&self, column: &str, _hierarchy: bool) -> Shown {
        match self.levels.get(column) {
            Some(&level) if level > 0 => Shown::Level(level),
            _ => Shown::Values,
        }
    }

    fn suppress(&self) -> Option<f64> {
        Some(self.suppress)
    }

    fn suppress_at_most(&mut self, share: f64) {
        self.suppress = share;
    }

    fn table(&self, setting: &Setting) -> Option<Box<dyn TableMethod>> {
        Some(Box::new(FullDomain {
            config: self.clone(),
            setting: setting.clone(),
            as_text: false,
        }))
    }
}

/// Recodes whole columns and suppresses the classes that then miss the guarantee.
pub(super) struct FullDomain {
    pub(super) config: Generalization,
    pub(super) setting: Setting,
    /// Whether quasi-identifiers that keep their values are released as texts, too.
    pub(super) as_text: bool,
}

impl TableMethod for FullDomain {
    fn schema(&self, original: &Schema) -> Result<Schema> {
        for name in self.config.levels.keys() {
            let known = original.index_of(name).map(|i| original.fields()[i].role);
            if known != Some(Role::Quasi) {
                return Err(Error::policy(format!(
                    "`levels` names `{name}`, which is no quasi-identifier"
                )));
            }
        }
        if self.as_text {
            return quasi_as_text(original);
        }
        let released = |field: &Field| match self.level(&field.name) {
            0 => field.clone(),
            _ => Field {
                kind: Kind::Category { ordered: false },
                ..field.clone()
            },
        };
        Schema::new(original.fields().iter().map(released).collect())
    }

    fn release(&self, table: &Batch) -> Result<Release> {
        let mut limits = Limits::new(&self.setting.guarantee, table, &self.setting.domains)?;
        if let Some(error) = limits.refusal(table.len(), true) {
            return Err(error);
        }
        let mut columns = table.columns().to_vec();
        let quasi = table.schema().with_role(Role::Quasi);
        for &i in &quasi {
            columns[i] = self.recode(&table.schema().fields()[i].name, &columns[i])?;
        }
        let classes = match &self.setting.population {
            Some(population) if limits.asks_population() => {
                let all = self.recode_all(table, &quasi, population)?;
                sampled(
                    group(all.iter(), table.len() + population.len()),
                    table.len(),
                )
            }
            _ => {
                let classes = group(quasi.iter().map(|&i| &columns[i]), table.len());
                let class = |rows| Class {
                    rows,
                    population: 0,
                };
                classes.into_iter().map(class).collect()
            }
        };
        let coarseness = |rows: &[u32]| self.coarseness(table, &quasi, rows[0] as usize);
        let shown = |rows: &[u32]| shown(quasi.iter().map(|&i| &columns[i]), rows[0] as usize);
        let first = |a: &Class, b: &Class| {
            (coarseness(&b.rows).total_cmp(&coarseness(&a.rows)))
                .then_with(|| shown(&a.rows).cmp(&shown(&b.rows)))
        };
        let (keep, obstacles) = keep(classes, &mut limits, first)?;
        let gone = table.len() - keep.len();
        self.within_limit(gone, table.len(), &obstacles)?;
        let schema = Arc::new(self.schema(table.schema())?);
        let all = Batch::new(schema, table.rows().clone(), columns)?;
        let batch = if gone == 0 { all } else { all.take(&keep)? };
        let suppressed = vec![(
            "the class was too small or not diverse enough".to_owned(),
            gone as u64,
        )];
        Ok(Release::new(batch, suppressed))
    }
}

impl FullDomain {
    fn level(&self, name: &str) -> usize {
        self.config.levels.get(name).copied().unwrap_or(0)
    }

    fn recode(&self, name: &str, column: &Column) -> Result<Column> {
        let level = self.level(name);
        if level == 0 && !self.as_text {
            return Ok(column.clone());
        }
        let domain = self.setting.domains.require(name)?;
        if domain.hierarchy.is_none() && self.as_text {
            return Ok(Column::Category(without_tree(column, domain, level > 0)));
        }
        let hierarchy = domain.hierarchy.as_deref().ok_or_else(|| {
            Error::policy(format!("column `{name}` has a level but no hierarchy")).help(format!(
                "give `{name}` a `hierarchy` under [columns], or leave it out of `levels`"
            ))
        })?;
        let level = hierarchy.level(level).ok_or_else(|| {
            Error::policy(format!(
                "column `{name}` has levels 0 to {}, not {level}",
                hierarchy.level_count() - 1
            ))
        })?;
        generalize(column, domain, hierarchy, level).ok_or_else(|| {
            Error::policy(format!(
                "the hierarchy of column `{name}` misses values of the data"
            ))
        })
    }

    /// The quasi-identifiers of the table and, behind them, of the population, recoded alike.
    fn recode_all(&self, table: &Batch, quasi: &[usize], people: &Batch) -> Result<Vec<Column>> {
        let recode = |&i: &usize| {
            let name = &*table.schema().fields()[i].name;
            let of_people = people.column_named(name).ok_or_else(|| {
                Error::bug(format!("the population came without column `{name}`"))
            })?;
            let both = Column::concat(&[table.column(i), of_people])?;
            self.recode(name, &both)
        };
        quasi.iter().map(recode).collect()
    }

    /// How coarse the values of a row are made: what is lost already where its class is kept, as
    /// a sum of shares of the columns.
    fn coarseness(&self, table: &Batch, quasi: &[usize], row: usize) -> f64 {
        let share = |&i: &usize| {
            let name = &*table.schema().fields()[i].name;
            let domain = self.setting.domains.get(name)?;
            let hierarchy = domain.hierarchy.as_deref()?;
            let level = hierarchy.level(self.level(name))?;
            let leaf = match table.column(i) {
                Column::Category(c) => hierarchy.leaf(c.get(row)?)?,
                Column::Number(n) => hierarchy.leaf(&domain.number_text(n.get(row)?))?,
                Column::Plain(_) => return None,
            };
            let leaves = hierarchy.leaves_under(level, hierarchy.node(level, leaf));
            Some(leaves.len() as f64 / hierarchy.leaf_count() as f64)
        };
        quasi.iter().filter_map(share).sum()
    }

    /// `obstacles`: what kept classes from being released.
    fn within_limit(&self, gone: usize, rows: usize, obstacles: &[String]) -> Result<()> {
        // As in ARX, the budget is rounded down.
        if gone as f64 <= (self.config.suppress * rows as f64).floor() {
            return Ok(());
        }
        Err(Error::guarantee(format!(
            "{} not reachable within {} % suppression; best {} %",
            obstacles.join(", "),
            percent(self.config.suppress),
            percent(gone as f64 / rows as f64)
        ))
        .help("raise `levels` or `suppress`, add hierarchies, or use method = \"mondrian\""))
    }
}

/// A share as a percentage with at most one digit after the point.
pub(super) fn percent(share: f64) -> f64 {
    (share * 1000.0).round() / 10.0
}

/// The column with each value replaced by its node of `level`; none when a value is not in the tree.
pub(super) fn generalize(
    column: &Column,
    domain: &Domain,
    hierarchy: &Hierarchy,
    level: usize,
) -> Option<Column> {
    let mut builder = LevelsBuilder::default();
    let top = level + 1 == hierarchy.level_count();
    // The top says nothing at all, so a missing value is among what it covers.
    let missing = if top { builder.intern(TOP) } else { MISSING };
    let mut label = |text: &str| {
        let leaf = hierarchy.leaf(text)?;
        let label = if top {
            TOP
        } else {
            hierarchy.label(level, hierarchy.node(level, leaf))
        };
        Some(builder.intern(label))
    };
    let codes: Vec<u32> = match column {
        Column::Category(categories) => {
            let new = categories
                .levels()
                .iter()
                .map(&mut label)
                .collect::<Option<Vec<u32>>>()?;
            categories
                .codes()
                .iter()
                .map(|&c| new.get(c as usize).copied().unwrap_or(missing))
                .collect()
        }
        Column::Number(numbers) => {
            let mut known: HashMap<u64, u32, FixedState> = HashMap::default();
            let mut codes = Vec::with_capacity(numbers.len());
            for slot in numbers.iter() {
                let Some(n) = slot else {
                    codes.push(missing);
                    continue;
                };
                let code = match known.get(&n.to_bits()) {
                    Some(&code) => code,
                    None => {
                        let code = label(&domain.number_text(n))?;
                        known.insert(n.to_bits(), code);
                        code
                    }
                };
                codes.push(code);
            }
            codes
        }
        Column::Plain(_) => return None,
    };
    Some(Column::Category(Categories::new(
        codes,
        Arc::new(builder.finish()),
    )))
}

/// The column as texts, or as `*` all over.
fn without_tree(column: &Column, domain: &Domain, top: bool) -> Categories {
    match column {
        _ if top => (0..column.len()).map(|_| Some(TOP)).collect(),
        Column::Number(numbers) => {
            let mut builder = LevelsBuilder::default();
            let (values, mut codes) = ranks(numbers);
            let texts = values.iter().map(|&value| domain.number_text(value));
            let mut text: Vec<u32> = texts.map(|text| builder.intern(&text)).collect();
            text.push(MISSING);
            codes
                .iter_mut()
                .for_each(|code| *code = text[*code as usize]);
            Categories::new(codes, Arc::new(builder.finish()))
        }
        Column::Category(categories) => categories.clone(),
        Column::Plain(_) => (0..column.len()).map(|_| None::<&str>).collect(),
    }
}

/// The rows of each class of equal values, classes in the order of appearance.
pub(super) fn group<'a>(columns: impl Iterator<Item = &'a Column>, n_rows: usize) -> Vec<Vec<u32>> {
    let (class_of, n_classes) = class_of_rows(columns, n_rows);
    let mut classes = vec![Vec::new(); n_classes];
    for (row, class) in class_of.into_iter().enumerate() {
        classes[class as usize].push(row as u32);
    }
    classes
}

/// The class of each row among those of equal values, in the order of appearance, and how many
/// classes there are.
pub(super) fn class_of_rows<'a>(
    columns: impl Iterator<Item = &'a Column>,
    n_rows: usize,
) -> (Vec<u32>, usize) {
    let mut class_of = vec![0u32; n_rows];
    let mut n_classes = 1;
    for column in columns {
        let mut known: HashMap<(u32, u64), u32, FixedState> = HashMap::default();
        for (row, class) in class_of.iter_mut().enumerate() {
            let value = match column {
                Column::Category(c) => u64::from(c.codes()[row]),
                // Both zeros have one text.
                Column::Number(n) => n.get(row).map_or(u64::MAX, |n| (n + 0.0).to_bits()),
                Column::Plain(_) => 0,
            };
            let next = known.len() as u32;
            *class = *known.entry((*class, value)).or_insert(next);
        }
        n_classes = known.len();
    }
    (class_of, n_classes)
}

/// Rows that are recoded alike.
struct Class {
    rows: Vec<u32>,
    /// Rows of the population that are recoded to the same.
    population: u64,
}

/// Classes of a table, whose rows come before those of its population.
fn sampled(classes: Vec<Vec<u32>>, n_rows: usize) -> Vec<Class> {
    let class = |mut rows: Vec<u32>| {
        let sample = rows.partition_point(|&row| (row as usize) < n_rows);
        let population = (rows.len() - sample) as u64;
        rows.truncate(sample);
        Class { rows, population }
    };
    classes.into_iter().map(class).collect()
}

/// What a row shows.
fn shown<'a>(columns: impl Iterator<Item = &'a Column>, row: usize) -> Vec<Option<String>> {
    let text = |column: &Column| match column {
        Column::Category(c) => c.get(row).map(str::to_owned),
        Column::Number(n) => n.get(row).map(|n| n.to_string()),
        Column::Plain(_) => None,
    };
    columns.map(text).collect()
}

/// The rows of the classes that may be released, in the order of the table, and
/// what kept others from it. What goes changes what the others are compared with,
/// so closeness is asked again until nothing more goes. Of classes of equal size, `first` says
/// which goes before the other for the sake of the average.
fn keep(
    mut classes: Vec<Class>,
    limits: &mut Limits,
    first: impl Fn(&Class, &Class) -> Ordering,
) -> Result<(Vec<u32>, Vec<String>)> {
    let mut obstacles = Vec::new();
    let mut note = |obstacle: Option<String>| {
        obstacles.extend(obstacle.filter(|obstacle| !obstacles.contains(obstacle)));
    };
    loop {
        let before = classes.len();
        classes.retain(|class| {
            let obstacle = match limits.hold(&class.rows) {
                true => limits.misfit(&class.rows, class.population),
                false => limits.obstacle(&class.rows),
            };
            let holds = obstacle.is_none() && !class.rows.is_empty();
            note(obstacle);
            holds
        });
        if classes.len() < before && limits.asks_for_all() {
            return Err(Error::guarantee(
                "a part of the population would not be in the release, and presence has a `min` above 0",
            )
            .help("raise `levels`, or lower `min`"));
        }
        if let Some(risk) = limits.average_risk() {
            classes.sort_by(|a, b| {
                let size = |class: &Class| limits.size_of(&class.rows);
                size(a).cmp(&size(b)).then_with(|| first(a, b))
            });
            let sizes = classes
                .iter()
                .map(|class| limits.size_of(&class.rows) as u64);
            let gone = first_that_stay(risk, &sizes.collect::<Vec<u64>>());
            note((gone > 0).then(|| format!("average_risk={risk}")));
            classes.drain(..gone);
        }
        let mut rows: Vec<u32> = Vec::new();
        classes.iter().for_each(|class| rows.extend(&class.rows));
        rows.sort_unstable();
        if classes.len() == before || !limits.refer_to(&rows) {
            return Ok((rows, obstacles));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::RowIds;
    use crate::guarantee::{Ground, Guarantee, TCloseness};

    /// Ages with a hierarchy of tens, one sensitive letter a row.
    fn table(ages: &[Option<u8>], letters: &str) -> (Batch, Arc<crate::data::Domains>) {
        let age = Field::new("age", Role::Quasi, Kind::Number { integer: true });
        let kind = Kind::Category { ordered: false };
        let fields = vec![age.clone(), Field::new("s", Role::Sensitive, kind)];
        let ages = Column::Number(ages.iter().map(|a| a.map(f64::from)).collect());
        let letters: Vec<String> = letters.chars().map(|c| c.to_string()).collect();
        let chains: Vec<Vec<String>> = (0..100)
            .map(|a| vec![a.to_string(), format!("{}0s", a / 10), "*".to_owned()])
            .collect();
        let tree = Arc::new(Hierarchy::from_chains(&chains).expect("a tree"));
        let domain = Domain::of(&age, &ages, Some(tree)).expect("numbers");
        let ids = RowIds::Range {
            start: 0,
            len: ages.len(),
        };
        let letters = Column::Category(letters.iter().map(Some).collect());
        let schema = Arc::new(Schema::new(fields).expect("names differ"));
        let batch = Batch::new(schema, ids, vec![ages, letters]).expect("fits");
        let domains = crate::data::Domains::new([("age".to_owned(), domain)]);
        (batch, Arc::new(domains))
    }

    fn release(
        (batch, domains): &(Batch, Arc<crate::data::Domains>),
        guarantee: Guarantee,
        level: usize,
        suppress: f64,
    ) -> Result<(Vec<u64>, Vec<Option<String>>)> {
        let config = Generalization {
            levels: [("age".to_owned(), level)].into(),
            suppress,
        };
        let setting = Setting {
            guarantee,
            domains: Arc::clone(domains),
            seed: 0,
            ..Setting::default()
        };
        let table = config.table(&setting).expect("a function on tables");
        let release = table.release(batch)?.batch;
        let text = |row: usize| match release.column(0) {
            Column::Number(numbers) => numbers.get(row).map(|n| n.to_string()),
            Column::Category(c) => c.get(row).map(str::to_owned),
            Column::Plain(_) => None,
        };
        let texts = (0..release.len()).map(text).collect();
        Ok((release.rows().iter().collect(), texts))
    }

    fn k(k: u32) -> Guarantee {
        Guarantee {
            k: Some(k),
            ..Guarantee::default()
        }
    }

    fn texts(texts: &[&str]) -> Vec<Option<String>> {
        texts.iter().map(|text| Some((*text).to_owned())).collect()
    }

    #[test]
    fn every_value_goes_to_its_level_and_small_classes_go() {
        let table = table(&[Some(21), Some(25), Some(31), Some(29), Some(39)], "abcde");
        let (rows, shown) = release(&table, k(2), 1, 0.0).expect("two classes");
        assert_eq!(rows, [0, 1, 2, 3, 4]);
        assert_eq!(shown, texts(&["20s", "20s", "30s", "20s", "30s"]));
        let (rows, shown) = release(&table, k(3), 1, 0.4).expect("one class");
        assert_eq!((rows, shown), (vec![0, 1, 3], texts(&["20s"; 3])));
        let (_, shown) = release(&table, k(5), 2, 0.0).expect("all alike");
        assert_eq!(shown, texts(&["*"; 5]));
    }

    #[test]
    fn a_level_of_zero_keeps_the_values_and_what_is_missing() {
        let table = table(&[Some(21), None, Some(21), None, Some(22)], "abcde");
        let (rows, shown) = release(&table, k(2), 0, 0.2).expect("two classes");
        let expected = [Some("21".to_owned()), None, Some("21".to_owned()), None];
        assert_eq!((rows, shown), (vec![0, 1, 2, 3], expected.to_vec()));
        let (_, shown) = release(&table, k(5), 2, 0.0).expect("one class");
        assert_eq!(shown, texts(&["*"; 5]), "the top covers missing values too");
    }

    #[test]
    fn more_than_the_budget_is_refused() {
        let table = table(&[Some(21), Some(25), Some(31), Some(29), Some(39)], "abcde");
        let error = release(&table, k(3), 1, 0.39).expect_err("two of five");
        let words = "k=3 not reachable within 39 % suppression; best 40 %";
        assert_eq!((error.exit_code(), error.to_string().as_str()), (1, words));
    }

    #[test]
    fn what_goes_changes_what_the_others_are_compared_with() {
        // Twenty rows half a and half b, four with three b, and three b, too few for a class.
        // The four are at 0.157 of the table, but at 0.208 of it without the three.
        let ages = [vec![Some(10); 20], vec![Some(20); 4], vec![Some(30); 3]].concat();
        let letters = "ab".repeat(10) + "abbb" + "bbb";
        let close = |t| Guarantee {
            t: vec![TCloseness {
                column: "s".to_owned(),
                t,
                distance: Ground::Equal,
            }],
            ..k(4)
        };
        for (t, released) in [(0.21, 24), (0.18, 20)] {
            let found = release(&table(&ages, &letters), close(t), 1, 1.0).expect("released");
            assert_eq!(found.0, (0..released).collect::<Vec<u64>>(), "{t}");
        }
    }

    #[test]
    fn columns_are_named_that_have_no_level_or_no_such_level() {
        let table = table(&[Some(21), Some(25)], "ab");
        let error = release(&table, k(2), 3, 0.0).expect_err("two levels and a top");
        assert_eq!(error.to_string(), "column `age` has levels 0 to 2, not 3");
        assert_eq!(error.exit_code(), 3);
    }

    #[test]
    fn shares_are_shown_as_people_write_percentages() {
        for (share, text) in [(1.0, "100"), (0.05, "5"), (0.07, "7"), (0.123_49, "12.3")] {
            assert_eq!(percent(share).to_string(), text);
        }
    }
}
