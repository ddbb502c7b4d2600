//! Records that are in no group yet, and the search for the next to group.
//!
//! They lie close together: a record that leaves is replaced by the last one, so
//! searches get shorter as groups are made. Where distances are equal the record
//! that came first wins, however the records lie.

use super::axes::Axes;
use super::centroid::Tally;
use super::sum_scale::SumScale;
use crate::data::Attribute;
use crate::math::distance::Slots;
use std::cmp::Ordering;

pub(super) struct Pool {
    axes: Axes,
    slots: Slots,
    /// The record of each slot, counted in the order of arrival.
    ids: Vec<usize>,
    /// For each column that is not a number.
    tallies: Vec<(usize, Tally)>,
    /// From each slot to what was measured last.
    distances: Vec<f64>,
    nearest: Vec<Candidate>,
    target: Vec<f64>,
}

#[derive(Clone, Copy)]
struct Candidate {
    distance: f64,
    id: usize,
    slot: usize,
}

impl Candidate {
    fn order(&self, other: &Self) -> Ordering {
        let distance = self.distance.total_cmp(&other.distance);
        distance.then(self.id.cmp(&other.id))
    }
}

impl Pool {
    pub(super) fn new(axes: &Axes) -> Self {
        let nominal = |attribute: &Attribute| *attribute == Attribute::Nominal;
        let nominal: Vec<bool> = axes.attributes().iter().map(nominal).collect();
        let columns = axes.columns();
        let counted = (0..columns.len()).filter(|&place| columns[place] != Attribute::Number);
        Pool {
            axes: axes.clone(),
            tallies: counted.map(|place| (place, Tally::default())).collect(),
            target: vec![0.0; nominal.len()],
            slots: Slots::new(0, &nominal),
            ids: Vec::new(),
            distances: Vec::new(),
            nearest: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// What the squared difference of each attribute counts.
    pub(super) fn weigh(&mut self, weights: &[f64]) {
        self.slots.weigh(weights);
    }

    /// One more record, which came after all others.
    pub(super) fn push(&mut self, id: usize, record: &[f64]) {
        self.slots.push(record);
        self.ids.push(id);
        for (place, tally) in &mut self.tallies {
            tally.add(record[*place]);
        }
    }

    /// Takes the record of a slot out; what was measured stays in step.
    pub(super) fn take(&mut self, slot: usize) -> usize {
        for (place, tally) in &mut self.tallies {
            tally.remove(self.slots.value(slot, *place));
        }
        self.slots.swap_remove(slot);
        if slot < self.distances.len() {
            self.distances.swap_remove(slot);
        }
        self.ids.swap_remove(slot)
    }

    /// Takes all records out, in the order of arrival.
    pub(super) fn take_all(&mut self) -> Vec<usize> {
        let mut ids = self.ids.clone();
        while !self.is_empty() {
            self.take(self.len() - 1);
        }
        ids.sort_unstable();
        ids
    }

    /// Takes a record out by its number, if it is here.
    pub(super) fn take_id(&mut self, id: usize) -> Option<usize> {
        let slot = self.ids.iter().position(|&other| other == id)?;
        Some(self.take(slot))
    }

    /// The centroid of all records here.
    pub(super) fn centroid(&self) -> Vec<f64> {
        let columns = self.axes.columns();
        let mut centre = vec![0.0; self.target.len()];
        self.slots.means(&mut centre[..columns.len()]);
        for (place, tally) in &self.tallies {
            centre[*place] = match columns[*place] {
                Attribute::Nominal => tally.mode(),
                _ => tally.median(),
            };
        }
        self.axes.climb(&mut centre);
        centre
    }

    /// Measures the distance of each record to `target`.
    pub(super) fn measure(&mut self, target: &[f64]) {
        self.slots.squared_distances(target, &mut self.distances);
    }

    /// Measures the sum of the differences of each record from `target`.
    pub(super) fn measure_sum(&mut self, target: &[f64], scale: &SumScale) {
        let slots = &self.slots;
        let sum = |slot: usize| {
            let columns = target.iter().enumerate();
            let differences =
                columns.map(|(i, &value)| scale.difference(i, slots.value(slot, i), value));
            differences.sum::<f64>()
        };
        self.distances.clear();
        self.distances.extend((0..self.ids.len()).map(sum));
    }

    /// Measures the distance of each record to that of a slot.
    pub(super) fn measure_from(&mut self, slot: usize) {
        for (place, value) in self.target.iter_mut().enumerate() {
            *value = self.slots.value(slot, place);
        }
        self.slots
            .squared_distances(&self.target, &mut self.distances);
    }

    /// The squared distances that were measured, slot by slot.
    pub(super) fn distances(&self) -> &[f64] {
        &self.distances
    }

    /// The slot that is farthest from what was measured.
    pub(super) fn farthest(&self) -> usize {
        self.best(&self.distances, |distance, best| distance > best)
    }

    /// The slot of the smallest of some distances, which are in step with the slots.
    pub(super) fn closest(&self, distances: &[f64]) -> usize {
        self.best(distances, |distance, best| distance < best)
    }

    fn best(&self, distances: &[f64], better: impl Fn(f64, f64) -> bool) -> usize {
        let mut best = 0;
        for (slot, &distance) in distances.iter().enumerate().skip(1) {
            let equal = distance == distances[best] && self.ids[slot] < self.ids[best];
            if better(distance, distances[best]) || equal {
                best = slot;
            }
        }
        best
    }

    /// Takes out the record of a slot and the `k` - 1 nearest to it.
    pub(super) fn gather(&mut self, slot: usize, k: usize) -> Vec<usize> {
        self.measure_from(slot);
        let mut group = Vec::with_capacity(k);
        group.push(self.take(slot));
        self.take_nearest(k - 1, &mut group);
        group
    }

    /// Moves so many of the nearest to what was measured into `group`.
    pub(super) fn take_nearest(&mut self, count: usize, group: &mut Vec<usize>) {
        self.find_nearest(count);
        // The last slot first: then those to come keep their places.
        self.nearest
            .sort_unstable_by_key(|candidate| std::cmp::Reverse(candidate.slot));
        for place in 0..self.nearest.len() {
            let id = self.take(self.nearest[place].slot);
            group.push(id);
        }
    }

    /// Collects those that are nearer than the worst so far, and thins them out
    /// whenever they are twice as many as wanted: one pass, whatever the count.
    fn find_nearest(&mut self, count: usize) {
        self.nearest.clear();
        if count == 0 {
            return;
        }
        let most = (2 * count).max(16);
        let mut bound = f64::INFINITY;
        for (slot, &distance) in self.distances.iter().enumerate() {
            // A distance that is no number is as good as any beyond the bound.
            if distance > bound {
                continue;
            }
            let id = self.ids[slot];
            self.nearest.push(Candidate { distance, id, slot });
            if self.nearest.len() == most {
                keep(&mut self.nearest, count);
                bound = self.nearest[count - 1].distance;
            }
        }
        if self.nearest.len() > count {
            keep(&mut self.nearest, count);
        }
    }
}

/// Keeps the nearest, the last of which is the farthest of them.
fn keep(nearest: &mut Vec<Candidate>, count: usize) {
    nearest.select_nth_unstable_by(count - 1, Candidate::order);
    nearest.truncate(count);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_nearest_are_those_of_a_sort_with_ties_by_arrival(
            values in prop::collection::vec(0..20_u8, 1..80),
            gone in prop::collection::vec(any::<prop::sample::Index>(), 0..10),
            count in 0..40_usize,
        ) {
            let mut pool = Pool::new(&Axes::new(&[Attribute::Number]));
            for (id, &value) in values.iter().enumerate() {
                pool.push(id, &[f64::from(value)]);
            }
            let mut left: Vec<usize> = (0..values.len()).collect();
            for index in gone {
                let id = index.index(values.len());
                prop_assert_eq!(pool.take_id(id).is_some(), left.contains(&id));
                left.retain(|&other| other != id);
            }
            pool.measure(&[7.0]);
            let distance = |id: usize| (f64::from(values[id]) - 7.0).powi(2) as usize;
            if let Some(&farthest) = left.iter().max_by_key(|&&id| (distance(id), usize::MAX - id)) {
                prop_assert_eq!(pool.ids[pool.farthest()], farthest);
                let closest = left.iter().min_by_key(|&&id| (distance(id), id)).copied();
                prop_assert_eq!(Some(pool.ids[pool.closest(pool.distances())]), closest);
            }
            left.sort_by_key(|&id| (distance(id), id));
            let mut group = Vec::new();
            pool.take_nearest(count, &mut group);
            group.sort_by_key(|&id| (distance(id), id));
            let split = count.min(left.len());
            prop_assert_eq!(&group, &left[..split]);
            left[split..].sort_unstable();
            prop_assert_eq!(pool.take_all(), &left[split..]);
        }
    }
}
