//! Linking by few items: an attacker who knows some items of a person looks for everybody who
//! shows the labels of these items.
//!
//! Whoever knows a diagnosis or two of a neighbour looks for the persons of a release who show
//! them. For each number m of known items, told is how many persons have m items or fewer by which
//! nobody else fits, and by which fewer than k fit. Items are taken as the release labels them; a
//! label that a person shows twice is two items of that person. What m items do not tell, fewer do
//! not either: the counts never fall with m.
//!
//! *Costs* every set of up to three labels of each person, and memory for the different ones;
//! sizes of which there are more than some ten million are not tried.
//! *From* Terrovitis, Mamoulis and Kalnis, Privacy-preserving anonymization of set-valued data,
//! VLDB 2008, whose attacker knows up to m items.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use serde::Serialize;

/// What is found by who knows some items.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KnownItems {
    /// How many items of a person the attacker knows at most.
    pub items: usize,
    /// Persons who show an item.
    pub persons: u64,
    /// Those of them who are the only ones that fit some known items.
    pub singled_out: u64,
    /// Those of them who have known items that fewer than k persons fit, the others among them.
    pub below_k: u64,
    /// The fewest persons that fit.
    pub fewest: u64,
}

/// The most items that an attacker is taken to know.
pub const MOST_ITEMS: usize = 3;

/// Sets of one size over all persons that are looked at.
const MOST_SETS: u64 = 20_000_000;

/// A set of labels in order; places behind the last are filled up.
type Set = [u32; MOST_ITEMS];

/// For 1, 2 and 3 known items, as far as there are not too many sets: rows are a person and a label.
pub fn by_known_items(rows: impl Iterator<Item = (u32, u32)>, k: u32) -> Vec<KnownItems> {
    by_few_sets(rows, k, MOST_SETS)
}

fn by_few_sets(rows: impl Iterator<Item = (u32, u32)>, k: u32, most_sets: u64) -> Vec<KnownItems> {
    let mut rows: Vec<(u32, u32)> = rows.collect();
    rows.sort_unstable();
    let labels: Vec<u32> = rows.iter().map(|&(_, label)| label).collect();
    let mut persons: Vec<&[u32]> = Vec::new();
    let mut from = 0;
    for person in rows.chunk_by(|a, b| a.0 == b.0) {
        persons.push(&labels[from..from + person.len()]);
        from += person.len();
    }
    let mut fewest = vec![u64::MAX; persons.len()];
    let mut found = Vec::new();
    for size in 1..=MOST_ITEMS {
        let sets = persons.iter().map(|labels| choose(labels.len(), size));
        if persons.is_empty() || sets.sum::<u64>() > most_sets {
            break;
        }
        let mut fit: HashMap<Set, u64, FixedState> = HashMap::default();
        for labels in &persons {
            each_set(labels, size, &mut |set| *fit.entry(set).or_default() += 1);
        }
        for (labels, fewest) in persons.iter().zip(&mut fewest) {
            each_set(labels, size, &mut |set| *fewest = (*fewest).min(fit[&set]));
        }
        let below = |bound: u64| fewest.iter().filter(|&&fit| fit < bound).count() as u64;
        found.push(KnownItems {
            items: size,
            persons: persons.len() as u64,
            singled_out: below(2),
            below_k: below(u64::from(k).max(2)),
            fewest: fewest.iter().copied().min().unwrap_or(0),
        });
    }
    found
}

/// How many sets of this size there are.
fn choose(labels: usize, size: usize) -> u64 {
    let n = labels as u64;
    let product = (0..size as u64).map(|i| n.saturating_sub(i));
    let product = product.fold(1_u64, u64::saturating_mul);
    product / (1..=size as u64).product::<u64>()
}

/// Shows each different set of so many labels, which are in order, once.
fn each_set(labels: &[u32], size: usize, show: &mut impl FnMut(Set)) {
    fn extend(
        labels: &[u32],
        (set, filled): (Set, usize),
        size: usize,
        show: &mut impl FnMut(Set),
    ) {
        if filled == size {
            return show(set);
        }
        for (place, &label) in labels.iter().enumerate() {
            // The same label at a later place makes no other set.
            if place > 0 && labels[place - 1] == label {
                continue;
            }
            let mut longer = set;
            longer[filled] = label;
            extend(&labels[place + 1..], (longer, filled + 1), size, show);
        }
    }
    extend(labels, ([u32::MAX; MOST_ITEMS], 0), size, show);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(baskets: &[&str], k: u32) -> Vec<(u64, u64, u64)> {
        let rows = baskets.iter().zip(0..);
        let rows =
            rows.flat_map(|(basket, person)| basket.bytes().map(move |b| (person, b.into())));
        let found = by_known_items(rows, k);
        found
            .iter()
            .map(|one| (one.singled_out, one.below_k, one.fewest))
            .collect()
    }

    #[test]
    fn more_items_single_more_persons_out() {
        // a and b are in three baskets each, together in two; only the last has both and c.
        assert_eq!(
            found(&["a", "b", "ab", "abc", "cd", "cd"], 3),
            [(0, 2, 2), (1, 4, 1), (1, 4, 1)]
        );
        assert_eq!(found(&["", ""], 3), []);
    }

    #[test]
    fn a_label_that_is_shown_twice_is_two_items() {
        assert_eq!(found(&["aa", "a", "a"], 2)[..2], [(0, 0, 3), (1, 1, 1)]);
    }

    #[test]
    fn where_there_are_too_many_sets_fewer_items_are_known() {
        let rows = (0..4).flat_map(|person| (0..5).map(move |label| (person, label)));
        let sizes = |most| by_few_sets(rows.clone(), 2, most).len();
        assert_eq!([19, 20, 40].map(sizes), [0, 1, 3]);
    }

    /// Every person against every other, for every set of known items.
    fn slow(persons: &[Vec<u32>], items: usize, bound: usize) -> u64 {
        let shows = |set: &[u32], labels: &[u32]| {
            let count = |list: &[u32], label| list.iter().filter(|&&l| l == label).count();
            set.iter()
                .all(|&label| count(labels, label) >= count(set, label))
        };
        let is_found = |labels: &&Vec<u32>| {
            (1_u32..1 << labels.len()).any(|chosen| {
                let set: Vec<u32> = (0..labels.len())
                    .filter(|place| chosen >> place & 1 == 1)
                    .map(|place| labels[place])
                    .collect();
                let fit = persons.iter().filter(|other| shows(&set, other)).count();
                set.len() <= items && fit < bound
            })
        };
        persons.iter().filter(is_found).count() as u64
    }

    proptest! {
        #[test]
        fn persons_are_those_of_a_slow_search(
            persons in prop::collection::vec(prop::collection::vec(0..5_u32, 0..5), 0..12),
            k in 2..5_u32,
        ) {
            let rows = persons.iter().zip(0..);
            let rows = rows.flat_map(|(labels, person)| labels.iter().map(move |&l| (person, l)));
            for found in by_known_items(rows, k) {
                prop_assert_eq!(found.singled_out, slow(&persons, found.items, 2));
                prop_assert_eq!(found.below_k, slow(&persons, found.items, k as usize));
            }
        }
    }
}
