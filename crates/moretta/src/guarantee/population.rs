//! How many persons of the population each class of a release could be.
//!
//! A row of the population fits a class when every quasi-identifier of the class covers its
//! value, as the released texts say it; regions of classes may overlap, and then it fits
//! several. The classes are laid out as a tree, column by column, and each distinct row of the
//! population goes down all branches that cover it: its cost is what it fits, not all classes.

use super::classes::{Classes, Texts};
use super::cover::Covered;
use super::findings::ClaimFinding;
use super::worst::Worst;
use super::{Guarantee, Population};
use crate::data::{Batch, Domain};
use crate::error::{Error, Result};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The rows of a population, one a person, and the domains of their quasi-identifiers.
#[derive(Clone, Debug)]
pub struct PopulationRows {
    /// The quasi-identifiers; other columns are not looked at.
    pub rows: Arc<Batch>,
    /// The domain of each, with its hierarchy.
    pub domains: HashMap<String, Domain>,
}

/// How the population falls into the classes of a release.
pub(super) struct Fit {
    /// Rows of the population that fit each class.
    pub(super) counts: Vec<u64>,
    /// Rows that fit none.
    pub(super) outside: u64,
}

impl Fit {
    /// Counts the rows that fit each class of a release with these columns and their texts.
    pub(super) fn new(
        population: &PopulationRows,
        columns: &[(&str, &Texts)],
        classes: &Classes,
    ) -> Result<Self> {
        let covered = columns.iter().map(|(name, texts)| {
            let column = population.rows.column_named(name);
            let domain = population.domains.get(*name);
            let (Some(column), Some(domain)) = (column, domain) else {
                return Err(Error::bug(format!("the population has no column `{name}`")));
            };
            Covered::new(domain.clone(), texts.levels(), column)
        });
        let covered = covered.collect::<Result<Vec<Covered>>>()?;
        let codes: Vec<Vec<u32>> = covered.iter().map(|c| c.codes().to_vec()).collect();
        let mut kinds = Classes::new(columns.len());
        let mut kind_of_row = Vec::new();
        kinds.assign(&codes, population.rows.len(), &mut kind_of_row);
        let mut persons = vec![0_u64; kinds.len()];
        kind_of_row
            .iter()
            .for_each(|&kind| persons[kind as usize] += 1);
        let tree = Tree::new(classes);
        let counts: Vec<AtomicU64> = (0..classes.len()).map(|_| AtomicU64::new(0)).collect();
        let outside: u64 = (0..kinds.len())
            .into_par_iter()
            .map(|kind| {
                let mut fits = false;
                tree.visit(kinds.tuple(kind), &covered, &mut |class| {
                    counts[class as usize].fetch_add(persons[kind], Ordering::Relaxed);
                    fits = true;
                });
                if fits { 0 } else { persons[kind] }
            })
            .sum();
        Ok(Fit {
            counts: counts.into_iter().map(AtomicU64::into_inner).collect(),
            outside,
        })
    }

    /// What is promised of the population, for classes of these sizes.
    pub(super) fn claims(&self, guarantee: &Guarantee, sizes: &[u32]) -> Vec<ClaimFinding> {
        let mut claims = Vec::new();
        if let Some(map) = &guarantee.k_map
            && matches!(map.population, Population::Table(_))
        {
            let figures = self.counts.iter().map(|&count| count as f64);
            let worst = Worst::of(figures, |count| count >= f64::from(map.k), f64::min);
            let promised = format!("at least {} of the population", map.k);
            claims.push(worst.claim("k-map".to_owned(), promised, f64::from(map.k)));
        }
        if let Some(presence) = &guarantee.presence {
            const ROUNDING: f64 = 1e-12;
            let (min, max) = (presence.min, presence.max);
            let shares = self.counts.iter().zip(sizes);
            let shares = shares.map(|(&count, &size)| f64::from(size) / count as f64);
            let none = (self.outside > 0 && min > 0.0).then_some(0.0);
            let holds = |share: f64| share >= min - ROUNDING && share <= max + ROUNDING;
            // The share that is farthest outside of the bounds, or nearest to one of them.
            let excess = |share: f64| f64::max(share - max, min - share);
            let worse = |a: f64, b: f64| if excess(a) >= excess(b) { a } else { b };
            let worst = Worst::of(shares.chain(none), holds, worse);
            let promised = format!("from {min} to {max} of the population");
            claims.push(worst.claim("delta-presence".to_owned(), promised, max));
        }
        claims
    }
}

/// The classes by the texts of their columns: the branches of each node lie side by side.
struct Tree {
    /// For each column, its nodes in order.
    levels: Vec<Vec<Node>>,
    /// The class of each node of the last column, or the one class of no columns.
    classes: Vec<u32>,
}

/// A text of a column, behind those of the columns before it.
#[derive(Clone, Copy)]
struct Node {
    label: u32,
    /// Where its branches begin in the next column; they end where those of the next node begin.
    first: u32,
}

impl Tree {
    fn new(classes: &Classes) -> Self {
        let mut order: Vec<u32> = (0..classes.len() as u32).collect();
        let tuple = |class: u32| classes.tuple(class as usize);
        order.par_sort_unstable_by(|&a, &b| tuple(a).cmp(tuple(b)));
        let width = classes.width();
        let mut levels: Vec<Vec<Node>> = vec![Vec::new(); width];
        for (place, &class) in order.iter().enumerate() {
            let here = tuple(class);
            let before = place.checked_sub(1).map(|before| tuple(order[before]));
            let same = before.map_or(0, |before| {
                let pairs = here.iter().zip(before);
                pairs.take_while(|(a, b)| a == b).count()
            });
            for column in same..width {
                let next = levels.get(column + 1).map_or(place, Vec::len);
                levels[column].push(Node {
                    label: here[column],
                    first: next as u32,
                });
            }
        }
        Tree {
            levels,
            classes: order,
        }
    }

    /// Tells `found` the classes that cover these values.
    fn visit(&self, values: &[u32], covered: &[Covered], found: &mut impl FnMut(u32)) {
        match self.levels.first() {
            None => self.classes.iter().for_each(|&class| found(class)),
            Some(nodes) => self.descend(0, 0..nodes.len(), values, covered, found),
        }
    }

    fn descend(
        &self,
        column: usize,
        nodes: std::ops::Range<usize>,
        values: &[u32],
        covered: &[Covered],
        found: &mut impl FnMut(u32),
    ) {
        let level = &self.levels[column];
        for place in nodes {
            let node = level[place];
            if !covered[column].covers(node.label, values[column]) {
                continue;
            }
            let Some(below) = self.levels.get(column + 1) else {
                found(self.classes[node.first as usize]);
                continue;
            };
            let end = level
                .get(place + 1)
                .map_or(below.len(), |n| n.first as usize);
            self.descend(column + 1, node.first as usize..end, values, covered, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Field, Kind, Role, RowIds, Schema};
    use proptest::prelude::*;

    const NUMBERS: [Option<&str>; 5] = [Some("3"), Some("0..4"), Some("2..9"), Some("*"), None];
    const WORDS: [Option<&str>; 4] = [Some("x"), Some("{x|y}"), Some("*"), None];

    /// Whether texts of [`NUMBERS`] and [`WORDS`] cover a person, said case by case.
    fn covers(number: Option<&str>, word: Option<&str>, person: (Option<u8>, Option<u8>)) -> bool {
        let covers_number = match (number, person.0) {
            (Some("*"), _) => true,
            (Some("3"), Some(n)) => n == 3,
            (Some("0..4"), Some(n)) => n <= 4,
            (Some("2..9"), Some(n)) => (2..=9).contains(&n),
            (None, None) => true,
            _ => false,
        };
        let covers_word = match (word, person.1) {
            (Some("*"), _) => true,
            (Some("x"), Some(w)) => w == 0,
            (Some("{x|y}"), Some(w)) => w <= 1,
            (None, None) => true,
            _ => false,
        };
        covers_number && covers_word
    }

    fn population(people: &[(Option<u8>, Option<u8>)]) -> PopulationRows {
        let fields = vec![
            Field::new("n", Role::Quasi, Kind::Number { integer: true }),
            Field::new("w", Role::Quasi, Kind::Category { ordered: false }),
        ];
        let word = |w: u8| ["x", "y", "z"][w as usize];
        let columns = vec![
            Column::Number(people.iter().map(|p| p.0.map(f64::from)).collect()),
            Column::Category(people.iter().map(|p| p.1.map(word)).collect()),
        ];
        let all = [
            Column::Number([Some(0.0), Some(9.0)].into_iter().collect()),
            Column::Category(["x", "y", "z"].into_iter().map(Some).collect()),
        ];
        let domain = |(field, column): (&Field, &Column)| {
            let domain = Domain::of(field, column, None).expect("a domain");
            (field.name.to_string(), domain)
        };
        let domains = fields.iter().zip(&all).map(domain).collect();
        let ids = RowIds::Range {
            start: 0,
            len: people.len(),
        };
        let schema = Arc::new(Schema::new(fields).expect("names differ"));
        PopulationRows {
            rows: Arc::new(Batch::new(schema, ids, columns).expect("fits")),
            domains,
        }
    }

    proptest! {
        #[test]
        fn persons_fit_the_classes_that_cover_them(
            release in proptest::collection::vec((0usize..5, 0usize..4), 1..12),
            people in proptest::collection::vec(
                (proptest::option::weighted(0.9, 0u8..10), proptest::option::weighted(0.9, 0u8..3)),
                0..40,
            ),
        ) {
            let (mut numbers, mut words) = (Texts::default(), Texts::default());
            let mut codes = [Vec::new(), Vec::new()];
            numbers.translate(&release.iter().map(|r| NUMBERS[r.0]).collect(), &mut codes[0]);
            words.translate(&release.iter().map(|r| WORDS[r.1]).collect(), &mut codes[1]);
            let mut classes = Classes::new(2);
            let mut class_of = Vec::new();
            classes.assign(&codes, release.len(), &mut class_of);
            let columns = [("n", &numbers), ("w", &words)];
            let fit = Fit::new(&population(&people), &columns, &classes).expect("columns");
            for (row, &class) in release.iter().zip(&class_of) {
                let fits = |p: &&(_, _)| covers(NUMBERS[row.0], WORDS[row.1], **p);
                let expected = people.iter().filter(fits).count() as u64;
                prop_assert_eq!(fit.counts[class as usize], expected);
            }
            let nowhere = |p: &&(_, _)| !release.iter().any(|r| covers(NUMBERS[r.0], WORDS[r.1], **p));
            prop_assert_eq!(fit.outside, people.iter().filter(nowhere).count() as u64);
        }
    }

    #[test]
    fn without_columns_everybody_fits_the_one_class() {
        let mut classes = Classes::new(0);
        classes.assign(&[], 2, &mut Vec::new());
        let people = population(&[(Some(1), None), (None, Some(2))]);
        let fit = Fit::new(&people, &[], &classes).expect("no columns");
        assert_eq!((fit.counts, fit.outside), (vec![2], 0));
    }
}
