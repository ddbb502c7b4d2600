//! What a node does to the table: which classes fail a promise, how many rows go with them, and
//! what is lost.

use super::attribute::Attribute;
use super::classes::RollUp;
use super::key::{Field, Key};
use super::metric::{Measured, Outcome, Sizes};
use super::node::Node;
use super::search::Evaluation;
use crate::data::MISSING;
use crate::protect::limits::{ClassCounts, Growth, Histogram, Limits};
use std::sync::Arc;

/// The rows of a table, as far as nodes are judged by them.
pub(super) struct Rows<'a> {
    pub(super) attributes: &'a Arc<[Attribute]>,
    /// The value of each quasi-identifier in each row.
    pub(super) values: &'a [Vec<u32>],
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
        let persons = self.limits.persons().map_or(1, |persons| count(persons));
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
        let n_rows = values.first().map_or(0, Vec::len);
        let mut keys = vec![[0; W]; n_rows];
        let mut quasi = [0; W];
        for (column, (field, values)) in quasi_fields.iter().zip(values.iter()).enumerate() {
            let (attribute, level) = (&attributes[column], bottom.level(column));
            for (key, &value) in keys.iter_mut().zip(values) {
                field.put(key, attribute.node(level, value as usize));
            }
            field.cover(&mut quasi);
        }
        let roll_up = |keys: &[Key<W>]| {
            RollUp::new(quasi_fields.to_vec(), Arc::clone(attributes), *bottom, keys)
        };
        let classes = roll_up(&keys);
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
        if !self.sensitive.is_empty() && self.gone(Verdict::Bars) <= self.rows.budget {
            self.judge_values(node, &sizes);
        }
        self.conclude(node)
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
                population: 0,
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

    fn conclude(&mut self, node: Node) -> Evaluation {
        let Rows {
            attributes,
            limits,
            measured,
            budget,
            ..
        } = self.rows;
        let suppressed = self.gone(Verdict::Fails);
        let holds = suppressed <= *budget;
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
            bars_below: self.gone(Verdict::Bars) > *budget
                || !holds && *budget == 0 && growth >= Growth::Unions,
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
