//! What a node does to the table: which classes fail a promise, how many rows go with them, and
//! what is lost.

use super::attribute::Attribute;
use super::classes::RollUp;
use super::key::{Field, Key};
use super::metric::{Measured, Outcome, Sizes};
use super::node::Node;
use super::search::Evaluation;
use crate::data::MISSING;
use crate::protect::limits::{ClassCounts, Growth, Histogram, Limits, first_that_stay};
use std::sync::Arc;

/// The rows of a table, as far as nodes are judged by them.
pub(super) struct Rows<'a> {
    pub(super) attributes: &'a Arc<[Attribute]>,
    /// The value of each quasi-identifier in each row.
    pub(super) values: &'a [Vec<u32>],
    /// The same of the population, where the guarantee asks for it.
    pub(super) population: Option<&'a [Vec<u32>]>,
    pub(super) limits: &'a Limits,
    pub(super) measured: &'a Measured,
    /// Rows that may be suppressed.
    pub(super) budget: u64,
    pub(super) bottom: Node,
}

impl Rows<'_> {
    /// The fields of a key: quasi-identifiers, the person, sensitive columns; and the words that
    /// they take.
    pub(super) fn layout(&self) -> (Vec<Field>, usize) {
        let bottom = self.bottom;
        let quasi = self.attributes.iter().enumerate();
        let quasi = quasi.map(|(column, attribute)| attribute.nodes(bottom.level(column)));
        let persons = self.limits.persons().map_or(1, count);
        let sensitive = self.limits.sensitive_codes().map(|(_, values)| values + 1);
        Field::layout(quasi.chain([persons]).chain(sensitive))
    }
}

/// How many codes there are, with one more for missing.
fn count(codes: &[u32]) -> usize {
    let present = codes.iter().filter(|&&code| code != MISSING);
    present.max().map_or(0, |&code| code as usize + 1) + 1
}

/// Judges nodes of one table.
pub(super) struct Judge<'a, const W: usize> {
    rows: &'a Rows<'a>,
    /// Rows by their quasi-identifiers.
    classes: RollUp<W>,
    /// Rows by quasi-identifiers and person, where persons are counted.
    persons: Option<RollUp<W>>,
    /// Rows by quasi-identifiers, sensitive value and, where they are counted, person; with the
    /// field of the value and what it is where it is missing.
    sensitive: Vec<(RollUp<W>, Field, u32)>,
    /// Rows of the population by quasi-identifiers, where the guarantee asks for it.
    population: Option<RollUp<W>>,
    /// The bits of the quasi-identifiers.
    quasi: Key<W>,
    verdicts: Vec<Verdict>,
    /// The values of each sensitive column, class by class.
    entries: Vec<Entries>,
    under: Vec<Vec<u64>>,
}

/// Whether a class keeps the promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Keeps,
    /// It does not, though classes below it may.
    Fails,
    /// Neither it nor any class below it does.
    Bars,
}

impl<'a, const W: usize> Judge<'a, W> {
    /// `fields` are those of [`Rows::layout`].
    pub(super) fn new(rows: &'a Rows<'a>, fields: &[Field]) -> Self {
        let Rows {
            attributes,
            values,
            limits,
            bottom,
            ..
        } = rows;
        let (quasi_fields, others) = fields.split_at(attributes.len());
        let mut quasi = [0; W];
        quasi_fields
            .iter()
            .for_each(|field| field.cover(&mut quasi));
        let keys_of = |values: &[Vec<u32>]| {
            let mut keys = vec![[0; W]; values.first().map_or(0, Vec::len)];
            for (column, (field, values)) in quasi_fields.iter().zip(values).enumerate() {
                let (attribute, level) = (&attributes[column], bottom.level(column));
                for (key, &value) in keys.iter_mut().zip(values) {
                    field.put(key, attribute.node(level, value as usize));
                }
            }
            keys
        };
        let mut keys = keys_of(values);
        let roll_up = |keys: &[Key<W>]| {
            RollUp::new(quasi_fields.to_vec(), Arc::clone(attributes), *bottom, keys)
        };
        let classes = roll_up(&keys);
        let population = rows.population.map(|values| roll_up(&keys_of(values)));
        if let Some(persons) = limits.persons() {
            put(&mut keys, &others[0], persons, count(persons) - 1);
        }
        let persons = limits.persons().map(|_| roll_up(&keys));
        let columns = limits.sensitive_codes().zip(&others[1..]);
        let sensitive = columns.map(|((codes, missing), field)| {
            let mut keys = keys.clone();
            put(&mut keys, field, codes, missing);
            (roll_up(&keys), *field, missing as u32)
        });
        let sensitive: Vec<_> = sensitive.collect();
        Judge {
            rows,
            classes,
            persons,
            entries: sensitive.iter().map(|_| Entries::default()).collect(),
            sensitive,
            population,
            quasi,
            verdicts: Vec::new(),
            under: Vec::new(),
        }
    }

    /// Looks at the classes of a node.
    pub(super) fn evaluate(&mut self, node: Node) -> Evaluation {
        self.classes.classes(node);
        let sizes = self.sizes(node);
        let limits = self.rows.limits;
        let large = |&size: &u32| match size as usize >= limits.k {
            true => Verdict::Keeps,
            false => Verdict::Bars,
        };
        self.verdicts.clear();
        self.verdicts.extend(sizes.iter().map(large));
        let asked = !self.sensitive.is_empty() || self.population.is_some();
        if asked && self.gone(Verdict::Bars) <= self.rows.budget {
            self.judge_values(node, &sizes);
        }
        let barred = match limits.average_risk() {
            None => self.gone(Verdict::Bars),
            Some(risk) => self.keep_average(risk, node, &sizes),
        };
        let complete = !limits.asks_for_all() || self.is_complete();
        self.conclude(node, barred, complete)
    }

    /// Gives up the smallest classes until those that are left keep the average risk; of equals,
    /// first those that lose least by it. Gives the rows that any node below must suppress, too.
    fn keep_average(&mut self, risk: f64, node: Node, sizes: &[u32]) -> u64 {
        let classes = self.classes.last();
        let gone = |least: Verdict| {
            let stay = (0..sizes.len()).filter(|&class| self.verdicts[class] < least);
            let mut stay: Vec<usize> = stay.collect();
            stay.sort_by(|&a, &b| {
                let coarseness = |class: usize| self.coarseness(&classes.keys[class], node);
                (sizes[a].cmp(&sizes[b]))
                    .then_with(|| coarseness(b).total_cmp(&coarseness(a)))
                    .then_with(|| classes.keys[a].cmp(&classes.keys[b]))
            });
            let sizes = stay.iter().map(|&class| u64::from(sizes[class]));
            stay.truncate(first_that_stay(risk, &sizes.collect::<Vec<u64>>()));
            stay
        };
        let barred = gone(Verdict::Bars);
        let barred: u64 = barred
            .iter()
            .map(|&class| u64::from(classes.rows[class]))
            .sum();
        let barred = barred + self.gone(Verdict::Bars);
        for class in gone(Verdict::Fails) {
            self.verdicts[class] = Verdict::Fails;
        }
        barred
    }

    /// How coarse a class is: the sum of the shares of its nodes.
    fn coarseness(&self, key: &Key<W>, node: Node) -> f64 {
        let attributes = self.rows.attributes.iter().zip(self.classes.fields());
        let shares = attributes.enumerate().map(|(column, (attribute, field))| {
            attribute.shares(node.level(column))[field.get(key)]
        });
        shares.sum()
    }

    /// Whether every row of the population falls into a class of the table.
    fn is_complete(&self) -> bool {
        let population = self.population.as_ref();
        let mut keys = population
            .iter()
            .flat_map(|population| &population.last().keys);
        keys.all(|key| self.classes.place(key).is_some())
    }

    /// The persons of each class, or the rows where there are no persons.
    fn sizes(&mut self, node: Node) -> Vec<u32> {
        let Some(persons) = &mut self.persons else {
            return self.classes.last().rows.clone();
        };
        let mut sizes = vec![0; self.classes.last().keys.len()];
        for key in &persons.classes(node).keys {
            if let Some(class) = self.classes.place(&masked(key, &self.quasi)) {
                sizes[class] += 1;
            }
        }
        sizes
    }

    /// Puts the sensitive values of the classes that are large enough to what is asked of them.
    fn judge_values(&mut self, node: Node, sizes: &[u32]) {
        let with_persons = self.persons.is_some();
        let (classes, quasi) = (&self.classes, &self.quasi);
        for ((roll_up, field, missing), entries) in self.sensitive.iter_mut().zip(&mut self.entries)
        {
            let values = roll_up.classes(node);
            let of_class = values
                .keys
                .iter()
                .zip(&values.rows)
                .filter_map(|(key, &rows)| {
                    let class = classes.place(&masked(key, quasi))?;
                    // A person counts once a value.
                    let count = if with_persons { 1 } else { rows };
                    Some((class, (field.get(key) as u32, count)))
                });
            entries.sort(of_class, sizes.len(), *missing);
        }
        if let Some(population) = &mut self.population {
            population.classes(node);
        }
        let limits = self.rows.limits;
        let mut histograms = Vec::with_capacity(self.entries.len());
        for (class, verdict) in self.verdicts.iter_mut().enumerate() {
            if *verdict == Verdict::Bars {
                continue;
            }
            histograms.clear();
            histograms.extend(self.entries.iter().map(|entries| entries.of(class)));
            let counts = ClassCounts {
                size: sizes[class] as usize,
                population: self.population.as_ref().map_or(0, |population| {
                    let place = population.place(&self.classes.last().keys[class]);
                    place.map_or(0, |place| u64::from(population.last().rows[place]))
                }),
                histograms: &histograms,
            };
            *verdict = match limits.holds_counts(&counts) {
                true => Verdict::Keeps,
                false if limits.holds_growing(&counts) => Verdict::Fails,
                false => Verdict::Bars,
            };
        }
    }

    /// Rows of the classes of which this or worse is found.
    fn gone(&self, least: Verdict) -> u64 {
        let classes = self.verdicts.iter().zip(&self.classes.last().rows);
        let failing = classes.filter(|(verdict, _)| **verdict >= least);
        failing.map(|(_, &rows)| u64::from(rows)).sum()
    }

    /// `barred` rows must be suppressed by every node below as well; where classes are not
    /// complete, a part of the population is in none.
    fn conclude(&mut self, node: Node, barred: u64, complete: bool) -> Evaluation {
        let Rows {
            attributes,
            limits,
            measured,
            ..
        } = self.rows;
        // Where all of the population must be in the release, no class can go.
        let budget = if limits.asks_for_all() {
            0
        } else {
            self.rows.budget
        };
        let suppressed = self.gone(Verdict::Fails);
        let holds = suppressed <= budget && complete;
        let growth = limits.growth();
        let classes = self.classes.last();
        self.under.clear();
        if holds && suppressed > 0 && measured.asks_what_is_suppressed() {
            for (column, attribute) in attributes.iter().enumerate() {
                let mut under = vec![0; attribute.nodes(node.level(column))];
                let field = self.classes.fields()[column];
                let failing = classes.keys.iter().zip(&classes.rows).zip(&self.verdicts);
                let failing = failing.filter(|(_, verdict)| **verdict != Verdict::Keeps);
                failing.for_each(|((key, &rows), _)| under[field.get(key)] += u64::from(rows));
                self.under.push(under);
            }
        } else {
            self.under.resize(attributes.len(), Vec::new());
        }
        let mut all = Sizes::default();
        let mut kept = Sizes::default();
        for ((key, &rows), verdict) in classes.keys.iter().zip(&classes.rows).zip(&self.verdicts) {
            let ambiguity = match measured.counts_combinations() {
                true => self.combinations(key, node),
                false => 0.0,
            };
            all.add(rows, ambiguity);
            if *verdict == Verdict::Keeps {
                kept.add(rows, ambiguity);
            }
        }
        let outcome = Outcome {
            node,
            suppressed,
            suppressed_under: &self.under,
            kept,
            all,
        };
        Evaluation {
            suppressed,
            classes: kept.classes,
            holds,
            bars_below: barred > budget
                || !complete
                || !holds && budget == 0 && growth >= Growth::Unions,
            frees_above: holds
                && (growth == Growth::Always || suppressed == 0 && growth == Growth::Unions),
            value: if holds {
                measured.value(&outcome)
            } else {
                f64::INFINITY
            },
            bound: measured.bound_by_classes(&outcome),
        }
    }

    /// How many combinations of values of the domains a class could be.
    fn combinations(&self, key: &Key<W>, node: Node) -> f64 {
        let attributes = self.rows.attributes.iter().zip(self.classes.fields());
        let values = attributes.enumerate().map(|(column, (attribute, field))| {
            attribute.shares(node.level(column))[field.get(key)] * attribute.domain
        });
        values.product()
    }
}

impl Sizes {
    fn add(&mut self, rows: u32, combinations: f64) {
        let rows = f64::from(rows);
        self.classes += 1;
        self.squares += rows * rows;
        self.ambiguity += rows * combinations;
    }
}

/// Puts a code of each row into its key, `missing` where it has none.
fn put<const W: usize>(keys: &mut [Key<W>], field: &Field, codes: &[u32], missing: usize) {
    for (key, &code) in keys.iter_mut().zip(codes) {
        field.put(key, code.min(missing as u32));
    }
}

fn masked<const W: usize>(key: &Key<W>, mask: &Key<W>) -> Key<W> {
    std::array::from_fn(|word| key[word] & mask[word])
}

/// Values and counts, class by class.
#[derive(Default)]
struct Entries {
    /// Where the entries of each class begin and end.
    ends: Vec<(u32, u32)>,
    entries: Vec<(u32, u32)>,
    /// The value that says that there is none.
    missing: u32,
}

impl Entries {
    /// Sorts entries by class and value; those of one class and value are added up.
    fn sort(
        &mut self,
        entries: impl Iterator<Item = (usize, (u32, u32))> + Clone,
        classes: usize,
        missing: u32,
    ) {
        self.missing = missing;
        self.ends.clear();
        self.ends.resize(classes, (0, 0));
        entries
            .clone()
            .for_each(|(class, _)| self.ends[class].1 += 1);
        let mut start = 0;
        for ends in &mut self.ends {
            let len = ends.1;
            *ends = (start, start);
            start += len;
        }
        self.entries.clear();
        self.entries.resize(start as usize, (0, 0));
        for (class, entry) in entries {
            let end = &mut self.ends[class].1;
            self.entries[*end as usize] = entry;
            *end += 1;
        }
        for (start, end) in &mut self.ends {
            let class = &mut self.entries[*start as usize..*end as usize];
            class.sort_unstable();
            let mut last = 0;
            for next in 1..class.len() {
                if class[next].0 == class[last].0 {
                    class[last].1 += class[next].1;
                } else {
                    last += 1;
                    class[last] = class[next];
                }
            }
            *end = *start + (last + usize::from(!class.is_empty())) as u32;
        }
    }

    /// The values of a class.
    fn of(&self, class: usize) -> Histogram<'_> {
        let (start, end) = self.ends[class];
        let counts = &self.entries[start as usize..end as usize];
        match counts.split_last() {
            Some((&(value, missing), counts)) if value == self.missing => {
                Histogram { counts, missing }
            }
            _ => Histogram { counts, missing: 0 },
        }
    }
}
