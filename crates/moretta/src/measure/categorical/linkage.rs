//! Linkage of masked records with originals by categories: how many find the record they come from.
//!
//! *By distance*: a masked record is linked to the nearest original. *By probability*: to the one
//! with the largest weight of Fellegi and Sunter. Where several originals are equally near or have
//! the same weight, a record counts one over their number if its own is among them.
//!
//! Originals never change, so everything about a masked *cell*, a combination of categories, is a
//! constant of them: the least distance, how many have it, and with how many the cell agrees in
//! which attributes. It is found once for each different cell, and not for each record. A record
//! that is changed costs a few counts.

use super::agreement::{Agreement, MOST_ATTRIBUTES, pattern};
use super::cells::Cells;
use super::fellegi_sunter::{FellegiSunter, LinkageMode};
use super::nearest::{Nearest, Sorted};
use crate::data::{Units, Variable};
use foldhash::fast::FixedState;
use std::collections::HashMap;

/// What is known of the originals that masked records are linked to.
#[derive(Clone, Debug)]
pub(super) struct Originals {
    variables: Vec<Variable>,
    units: Units,
    sorted: Sorted,
    agreement: Agreement,
    rows: u64,
}

impl Originals {
    /// Of different records, each with how often it occurs.
    pub(super) fn new(variables: &[Variable], cells: &Cells, counts: &[u64]) -> Self {
        let sorted = Sorted::new(variables.len(), cells, counts);
        Originals {
            units: Units::new(variables),
            agreement: Agreement::new(variables, &sorted),
            sorted,
            rows: counts.iter().sum(),
            variables: variables.to_vec(),
        }
    }

    pub(super) fn units(&self) -> &Units {
        &self.units
    }

    fn distance(&self, a: &[u32], b: &[u32]) -> u64 {
        let pairs = a.iter().zip(b).enumerate();
        pairs
            .map(|(attribute, (&a, &b))| self.units.distance(attribute, a, b))
            .sum()
    }

    /// Attributes of patterns.
    fn width(&self) -> usize {
        self.variables.len().min(MOST_ATTRIBUTES)
    }
}

/// Masked records beside the originals they come from.
#[derive(Clone, Debug)]
pub(super) struct Links {
    cells: Cells,
    slots: Vec<Slot>,
    patterns: Patterns,
    /// True pairs that agree in each attribute.
    agreed: Vec<i64>,
    rows: i64,
    by_distance: i128,
    alone: i64,
    by_weight: ByWeight,
    /// Cells that were left empty. They stay for a while, since a change that is taken back, or the
    /// next one, needs them again.
    empty: Vec<u32>,
    found: Vec<(u64, u64)>,
}

/// Times that cells are left empty before those that are are taken out.
const MOST_EMPTY: usize = 1 << 10;

/// A cell of masked records.
#[derive(Clone, Debug)]
struct Slot {
    rows: i64,
    nearest: Nearest,
    agreements: Vec<Agreed>,
}

/// A pattern in which a cell agrees with some originals.
#[derive(Clone, Copy, Debug)]
struct Agreed {
    pattern: u32,
    /// Originals with which the cell agrees in it.
    originals: u64,
    /// Records of the cell that agree in it with their own original.
    own: i64,
}

/// Records that are found by their weights, as long as the order of the weights stays.
#[derive(Clone, Debug, Default)]
struct ByWeight {
    ranks: Vec<u32>,
    /// How often the order has changed.
    orders: u64,
    found: i128,
    is_stale: bool,
    fresh_ranks: Vec<u32>,
    counts: Vec<(u64, f64)>,
}

/// Shares are counted in 2⁻⁶⁰, so that sums do not depend on their order.
const WHOLE: u64 = 1 << 60;

impl Links {
    pub(super) fn new(originals: &Originals) -> Self {
        Links {
            cells: Cells::new(originals.variables.len()),
            slots: Vec::new(),
            patterns: Patterns::new(originals.width()),
            agreed: vec![0; originals.width()],
            rows: 0,
            by_distance: 0,
            alone: 0,
            by_weight: ByWeight {
                is_stale: true,
                ..ByWeight::default()
            },
            empty: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Adds a masked record that comes from an original, or with a negative weight takes it out.
    pub(super) fn add(
        &mut self,
        originals: &Originals,
        original: &[u32],
        masked: &[u32],
        weight: i64,
    ) {
        let place = self.slot(originals, masked);
        let slot = &mut self.slots[place as usize];
        slot.rows += weight;
        self.rows += weight;
        for agreed in &slot.agreements {
            self.patterns.counts[agreed.pattern as usize] += agreed.originals as i64 * weight;
        }
        if slot.nearest.distance == originals.distance(original, masked) {
            let records = slot.nearest.records;
            self.by_distance += i128::from(WHOLE / records) * i128::from(weight);
            self.alone += if records == 1 { weight } else { 0 };
        }
        let own = pattern(original, masked);
        for (bit, agreed) in self.agreed.iter_mut().enumerate() {
            *agreed += weight * (own >> bit & 1) as i64;
        }
        let own = self.patterns.id(own);
        if !self.by_weight.is_stale {
            self.by_weight.found += self.by_weight.share(slot, own) * i128::from(weight);
        }
        let mut agreements = slot.agreements.iter_mut();
        if let Some(agreed) = agreements.find(|agreed| agreed.pattern == own) {
            agreed.own += weight;
        }
        if slot.rows == 0 {
            self.empty.push(place);
            if self.empty.len() > MOST_EMPTY {
                self.forget_empty();
            }
        }
    }

    /// Takes out cells that no record has. One that was left empty may have got records since, or
    /// have been left more than once.
    fn forget_empty(&mut self) {
        for place in self.empty.drain(..) {
            if self.slots[place as usize].rows == 0 {
                self.cells.remove(place);
            }
        }
    }

    /// The place of a masked cell, which is made if it is new.
    fn slot(&mut self, originals: &Originals, masked: &[u32]) -> u32 {
        let (place, is_new) = self.cells.insert(masked);
        if !is_new {
            return place;
        }
        if place as usize == self.slots.len() {
            self.slots.push(Slot {
                rows: 0,
                nearest: Nearest {
                    distance: 0,
                    records: 0,
                },
                agreements: Vec::new(),
            });
        }
        let Originals {
            sorted,
            units,
            agreement,
            ..
        } = originals;
        agreement.count(sorted, masked, &mut self.found);
        let slot = &mut self.slots[place as usize];
        slot.nearest = sorted.nearest(units, masked);
        slot.agreements.clear();
        for &(pattern, originals) in &self.found {
            let known = self.patterns.bits.len();
            let pattern = self.patterns.id(pattern);
            // The order does not tell of a pattern that it has not seen.
            self.by_weight.is_stale |= pattern as usize >= known;
            slot.agreements.push(Agreed {
                pattern,
                originals,
                own: 0,
            });
        }
        place
    }

    /// The share of records that are found by their distance, where ties count their share.
    pub(super) fn by_distance(&self) -> f64 {
        share_of(self.by_distance, self.rows)
    }

    /// The share of records that are found by their distance, where ties do not count.
    pub(super) fn by_distance_alone(&self) -> f64 {
        share_of(i128::from(self.alone) * i128::from(WHOLE), self.rows)
    }

    /// The share of records that are found by their weight, and the chances behind it.
    pub(super) fn by_weight(
        &mut self,
        originals: &Originals,
        mode: LinkageMode,
    ) -> (f64, FellegiSunter) {
        let model = self.model(originals, mode);
        (self.by_weights_of(&model), model)
    }

    /// The share of records that are found by the weights of some chances.
    pub(super) fn by_weights_of(&mut self, model: &FellegiSunter) -> f64 {
        let mut ranks = std::mem::take(&mut self.by_weight.fresh_ranks);
        model.ranks(&self.patterns.bits, &mut ranks);
        if self.by_weight.is_stale || ranks != self.by_weight.ranks {
            std::mem::swap(&mut ranks, &mut self.by_weight.ranks);
            self.by_weight.orders += 1;
            let slots = self.slots.iter().filter(|slot| slot.rows > 0);
            self.by_weight.found = slots.map(|slot| self.by_weight.found_of(slot)).sum();
            self.by_weight.is_stale = false;
        }
        self.by_weight.fresh_ranks = ranks;
        share_of(self.by_weight.found, self.rows)
    }

    /// The same by weights in the order in which they were when this was asked last; none where
    /// that does not tell.
    pub(super) fn by_weights_as_before(&self) -> Option<f64> {
        let share = share_of(self.by_weight.found, self.rows);
        (!self.by_weight.is_stale).then_some(share)
    }

    /// A number that is another one after the order of the weights has changed.
    pub(super) fn orders(&self) -> u64 {
        self.by_weight.orders
    }

    fn model(&mut self, originals: &Originals, mode: LinkageMode) -> FellegiSunter {
        let matched = self.rows as f64;
        let pairs = matched * originals.rows as f64;
        let mut counts = std::mem::take(&mut self.by_weight.counts);
        self.patterns.list(&mut counts);
        let start = FellegiSunter::start(originals.width(), matched / pairs);
        let model = match mode {
            LinkageMode::Em => start.estimated(&counts, false),
            LinkageMode::EmFixedPi => start.estimated(&counts, true),
            LinkageMode::Supervised => {
                let agreed: Vec<f64> = self.agreed.iter().map(|&count| count as f64).collect();
                let others = |(bit, own): (usize, &f64)| {
                    let agree = counts.iter().filter(|(bits, _)| bits >> bit & 1 == 1);
                    agree.map(|(_, count)| count).sum::<f64>() - own
                };
                let others: Vec<f64> = agreed.iter().enumerate().map(others).collect();
                FellegiSunter::supervised(&agreed, matched, &others, pairs - matched)
            }
        };
        self.by_weight.counts = counts;
        model
    }

    /// How many pairs have each pattern.
    #[cfg(test)]
    pub(super) fn pattern_counts(&self) -> Vec<(u64, f64)> {
        let mut counts = Vec::new();
        self.patterns.list(&mut counts);
        counts
    }
}

fn share_of(found: i128, rows: i64) -> f64 {
    if rows == 0 {
        return 0.0;
    }
    found as f64 / WHOLE as f64 / rows as f64
}

impl ByWeight {
    /// What a record of a cell counts whose own original has the pattern `own`.
    #[inline]
    fn share(&self, slot: &Slot, own: u32) -> i128 {
        let (rank, originals, _) = self.best(slot);
        let own_rank = self.ranks.get(own as usize);
        if own_rank == Some(&rank) {
            i128::from(WHOLE / originals)
        } else {
            0
        }
    }

    /// What all records of a cell count.
    fn found_of(&self, slot: &Slot) -> i128 {
        let (_, originals, own) = self.best(slot);
        i128::from(WHOLE / originals.max(1)) * i128::from(own)
    }

    /// The first rank of a cell's patterns, the originals with it, and the records whose own
    /// original is one of them.
    #[inline]
    fn best(&self, slot: &Slot) -> (u32, u64, i64) {
        let start = (u32::MAX, 0, 0);
        let agreements = slot.agreements.iter();
        agreements.fold(start, |best, agreed| {
            let rank = self.ranks[agreed.pattern as usize];
            if rank < best.0 {
                (rank, agreed.originals, agreed.own)
            } else if rank == best.0 {
                (rank, best.1 + agreed.originals, best.2 + agreed.own)
            } else {
                best
            }
        })
    }
}

/// Patterns of agreement, and how many pairs of all masked and all original records have each.
#[derive(Clone, Debug)]
struct Patterns {
    bits: Vec<u64>,
    counts: Vec<i64>,
    ids: HashMap<u64, u32, FixedState>,
}

/// Attributes of which all patterns are listed.
const MOST_LISTED: usize = 6;

impl Patterns {
    fn new(width: usize) -> Self {
        let bits: Vec<u64> = if width <= MOST_LISTED {
            (0..1 << width).collect()
        } else {
            Vec::new()
        };
        Patterns {
            counts: vec![0; bits.len()],
            ids: HashMap::default(),
            bits,
        }
    }

    /// The place of a pattern: itself where all are listed.
    #[inline]
    fn id(&mut self, pattern: u64) -> u32 {
        if self.ids.is_empty() && (pattern as usize) < self.bits.len() {
            return pattern as u32;
        }
        let next = self.bits.len() as u32;
        let id = *self.ids.entry(pattern).or_insert(next);
        if id == next {
            self.bits.push(pattern);
            self.counts.push(0);
        }
        id
    }

    /// Puts the patterns that occur into `counts`, in ascending order.
    fn list(&self, counts: &mut Vec<(u64, f64)>) {
        counts.clear();
        let patterns = self.bits.iter().zip(&self.counts);
        let occur = patterns.filter(|(_, count)| **count > 0);
        counts.extend(occur.map(|(&bits, &count)| (bits, count as f64)));
        if !self.ids.is_empty() {
            counts.sort_unstable_by_key(|(bits, _)| *bits);
        }
    }
}
