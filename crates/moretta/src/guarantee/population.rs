//! How many persons of the population each class of a release could be.
//!
//! A row of the population fits a class when every quasi-identifier of the class covers its
//! value, as the released texts say it; regions of classes may overlap, and then it fits
//! several. The classes are laid out as a tree, column by column, and each distinct row of the
//! population goes down all branches that cover it: its cost is what it fits, not all classes.

use super::claims::Worst;
use super::classes::{Classes, Texts};
use super::cover::Covered;
use super::findings::ClaimFinding;
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
