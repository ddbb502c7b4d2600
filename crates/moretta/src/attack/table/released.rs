//! A release as its reader has it, and the persons whom the reader knows.

use super::column::ReleasedColumn;
use super::find::find;
use super::intersection::{Fitting, ValuesOfClasses};
use crate::data::{Batch, Categories, Domains, MISSING, Region, Role};
use crate::error::{Error, Result};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A release of coarser values.
pub struct ReleasedTable {
    /// The quasi-identifiers.
    pub quasi: Vec<ReleasedColumn>,
    /// The class of each row, from 0 on.
    pub class_of: Vec<u32>,
    /// Persons of each class, or rows where there is no subject.
    pub sizes: Vec<u32>,
    /// The sensitive columns: their names, and the values of the rows as a reader sees them.
    pub sensitive: Vec<(String, Categories)>,
    /// Rows whose quasi-identifiers the attacker knows.
    pub people: Batch,
    /// The class that each of them is in, [`MISSING`] for one that is in none; of several that
    /// may be it, the first.
    pub known: Vec<u32>,
    /// All classes that may be it, where people are looked for in a release.
    pub fitting: Fitting,
    /// What everybody knows of how it was made.
    pub rules: Rules,
}

/// What everybody knows of how a release was made: the policy without its secrets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules {
    /// The least number of persons of a class.
    pub k: u32,
    /// With what probability an allowed division is refused, of a method that divides classes as
    /// far as it may; none of other methods.
    pub refused: Option<f64>,
    /// The largest share that a value of a sensitive column may have in a class, by column.
    pub most: Vec<(String, Most)>,
}

/// The largest share that a sensitive value may have in a class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Most {
    /// Not all of it.
    NotAll,
    /// This share.
    Share(f64),
    /// So much more than its share of the release.
    Gain(f64),
}

impl ReleasedTable {
    /// `released` holds texts; `persons` tells who each row is about, where persons have several.
    /// The attacker knows nobody yet.
    ///
    /// # Errors
    /// When a column of the release was not read as categories.
    pub fn new(released: &Batch, domains: &Domains, persons: Option<&[u32]>) -> Result<Self> {
        let schema = released.schema();
        let quasi = schema.with_role(Role::Quasi);
        let mut class_of = vec![0_u32; released.len()];
        let mut first: Vec<usize> = (0..released.len().min(1)).collect();
        let mut known: HashMap<(u32, u32), u32, FixedState> = HashMap::default();
        for &place in &quasi {
            known.clear();
            first.clear();
            let codes = categories(released, place)?.codes();
            for (row, class) in class_of.iter_mut().enumerate() {
                let next = known.len() as u32;
                *class = *known.entry((*class, codes[row])).or_insert(next);
                if *class == next {
                    first.push(row);
                }
            }
        }
        let columns = quasi.iter().map(|&place| {
            let name = &schema.fields()[place].name;
            let column = categories(released, place)?;
            let domain = domains.get(name);
            let region = |text: &str| domain.and_then(|domain| Region::parse(Some(text), domain));
            Ok(ReleasedColumn {
                name: name.to_string(),
                regions: column.levels().iter().map(region).collect(),
                text_of_class: first.iter().map(|&row| column.codes()[row]).collect(),
                domain: domain.cloned(),
            })
        });
        let sensitive = schema.with_role(Role::Sensitive).into_iter().map(|place| {
            let name = schema.fields()[place].name.to_string();
            Ok((name, categories(released, place)?.as_they_look()))
        });
        Ok(ReleasedTable {
            quasi: columns.collect::<Result<_>>()?,
            sizes: sizes(&class_of, first.len(), persons),
            sensitive: sensitive.collect::<Result<_>>()?,
            people: Batch::empty(Arc::clone(schema)),
            known: Vec::new(),
            fitting: Fitting::default(),
            rules: Rules::default(),
            class_of,
        })
    }

    /// The attacker knows how the release was made.
    #[must_use]
    pub fn made_by(mut self, rules: Rules) -> Self {
        self.rules = rules;
        self
    }

    /// The attacker knows `people`; row `i` of the release was made from row `places[i]` of them.
    #[must_use]
    pub fn made_from(mut self, people: &Batch, places: &[u32]) -> Self {
        self.people = people.clone();
        self.known = vec![MISSING; people.len()];
        for (&place, &class) in places.iter().zip(&self.class_of) {
            self.known[place as usize] = class;
        }
        self
    }

    /// The attacker knows `people`, and finds the class that covers each.
    #[must_use]
    pub fn found_among(mut self, people: &Batch, domains: &Domains) -> Self {
        self.fitting = find(people, &self.quasi, self.sizes.len(), domains);
        let first = |person| self.fitting.of(person).first().copied();
        self.known = (0..people.len())
            .map(|person| first(person).unwrap_or(MISSING))
            .collect();
        self.people = people.clone();
        self
    }

    /// How many persons there are, each counted in every class that they are in.
    pub fn persons_in_classes(&self) -> u64 {
        self.sizes.iter().map(|&size| u64::from(size)).sum()
    }

    /// The values of a sensitive column in each class, ascending; none without such a column.
    /// A missing one may be any, so a class with one has all values of the column.
    pub fn values_of_classes(&self, name: &str) -> Option<ValuesOfClasses> {
        let (_, values) = self.sensitive.iter().find(|(other, _)| other == name)?;
        let mut classes: Vec<BTreeSet<&str>> = vec![BTreeSet::new(); self.sizes.len()];
        for (row, &class) in self.class_of.iter().enumerate() {
            match values.get(row) {
                Some(text) => {
                    classes[class as usize].insert(text);
                }
                None => classes[class as usize].extend(values.levels().iter()),
            }
        }
        let texts = |set: BTreeSet<&str>| set.into_iter().map(str::to_owned).collect();
        Some(classes.into_iter().map(texts).collect())
    }

    /// For each class, how many distinct values of a sensitive column it has; none where one is
    /// missing, so that nothing is certain.
    pub(super) fn distinct_values(&self, values: &Categories) -> Vec<Option<usize>> {
        let mut pairs: Vec<u64> = (self.class_of.iter().zip(values.codes()))
            .map(|(&class, &value)| u64::from(class) << 32 | u64::from(value))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut counts = vec![Some(0); self.sizes.len()];
        for pair in pairs {
            let count = &mut counts[(pair >> 32) as usize];
            *count = match pair as u32 {
                MISSING => None,
                _ => count.map(|count| count + 1),
            };
        }
        counts
    }
}

fn categories(batch: &Batch, place: usize) -> Result<&Categories> {
    batch.column(place).as_categories().ok_or_else(|| {
        let name = &batch.schema().fields()[place].name;
        Error::bug(format!(
            "column `{name}` of the release was not read as categories"
        ))
    })
}

/// Persons, or rows, of each class.
fn sizes(class_of: &[u32], classes: usize, persons: Option<&[u32]>) -> Vec<u32> {
    let mut sizes = vec![0; classes];
    let mut seen: HashSet<(u32, u32), FixedState> = HashSet::default();
    for (row, &class) in class_of.iter().enumerate() {
        let is_new = persons.is_none_or(|persons| seen.insert((class, persons[row])));
        sizes[class as usize] += u32::from(is_new);
    }
    sizes
}
