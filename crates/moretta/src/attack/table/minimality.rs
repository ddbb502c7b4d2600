//! Minimality: a class that was merged tells that its parts could not be released.
//!
//! A method that makes values coarser only when forced leaves a trace. Who knows all
//! quasi-identifiers sees that a class could have been two parts large enough for k, and
//! concludes that a part would have broken the promise about sensitive values. Of all ways in which
//! the h carriers of a value can lie in parts of n₁ and n₂ persons, only those remain in which a part
//! has more than its share of them, and with those the credence that a person of a part has the
//! value: E(a)/n₁ over C(n₁, a) C(n₂, h − a). Where allowed divisions are refused with probability
//! r, the other ways keep the weight r.
//!
//! It succeeds for persons of a part who are believed to have a value with more than the share that
//! the promise allows. Parts are those that the hierarchy of a column gives, each against the
//! rest; it is tried on methods that divide classes as far as they may, and for promises
//! that bound a share: distinct l and p (not all), recursive (c, 2) and beta.
//!
//! **From** Wong, Fu, Wang and Pei, Minimality attack in privacy preserving data publishing, VLDB
//! 2007.

use super::{Evidence, Most, ReleasedTable, TableAttack};
use crate::data::MISSING;
use std::collections::BTreeMap;

/// The attack.
pub const ATTACK: TableAttack = TableAttack {
    name: "minimality",
    knows: "the quasi-identifiers of everybody, the method and what is promised",
    way_out: "refuse allowed cuts at random (`refuse` of mondrian), or choose the recoding by quasi-identifiers alone: method = \"generalization\"",
    run,
};

fn run(table: &ReleasedTable) -> Option<Evidence> {
    let refused = table.rules.refused?;
    if table.rules.most.is_empty() || table.known.is_empty() {
        return None;
    }
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); table.sizes.len()];
    for (person, &class) in (0..).zip(&table.known) {
        if class != MISSING {
            members[class as usize].push(person);
        }
    }
    let carriers = Carriers::of(table);
    let mut evidence = ATTACK.evidence("persons", 0, table.persons_in_classes());
    for (class, members) in members.iter().enumerate() {
        let exposed = (0..table.quasi.len())
            .map(|column| exposed(table, class, members, column, &carriers, refused))
            .max();
        let exposed = exposed.unwrap_or(0);
        evidence.succeeds += exposed;
        evidence.classes += u64::from(exposed > 0);
    }
    evidence.share = evidence.succeeds as f64 / evidence.of.max(1) as f64;
    Some(evidence)
}

/// Persons of parts of a class of whom a value is believed more than is allowed.
fn exposed(
    table: &ReleasedTable,
    class: usize,
    members: &[u32],
    column: usize,
    carriers: &Carriers,
    refused: f64,
) -> u64 {
    let column = &table.quasi[column];
    let Some((tree, level, _)) = column.parts(class) else {
        return 0;
    };
    let mut parts: BTreeMap<u32, u32> = BTreeMap::new();
    for &person in members {
        let Some(leaf) = column.leaf(&table.people, person as usize) else {
            return 0;
        };
        *parts.entry(tree.node(level, leaf)).or_insert(0) += 1;
    }
    // A part that is too small explains by itself why the class was not divided.
    if parts.len() < 2 || parts.values().any(|&size| size < table.rules.k) {
        return 0;
    }
    let size: u32 = parts.values().sum();
    let believed = |&part: &u32| {
        carriers.of_class(class).any(|(most, carriers)| {
            let parts = Parts {
                sizes: [part, size - part],
                carriers: carriers.min(size),
            };
            let credence = parts.credence(most, refused);
            credence.is_some_and(|credence| credence.of_parts[0] > most + 1e-9)
        })
    };
    let exposed = parts.values().copied().filter(believed);
    exposed.map(u64::from).sum()
}

/// How many rows of each class have each value of the columns that something is promised of,
/// and what share is allowed.
struct Carriers(Vec<Vec<(f64, u32)>>);

impl Carriers {
    fn of(table: &ReleasedTable) -> Self {
        let mut of_classes = vec![Vec::new(); table.sizes.len()];
        for (name, most) in &table.rules.most {
            let Some((_, values)) = table.sensitive.iter().find(|(other, _)| other == name) else {
                continue;
            };
            let mut pairs: Vec<(u32, u32)> = (table.class_of.iter().copied())
                .zip(values.codes().iter().copied())
                .filter(|(_, value)| *value != MISSING)
                .collect();
            let mut totals: BTreeMap<u32, u32> = BTreeMap::new();
            pairs
                .iter()
                .for_each(|(_, value)| *totals.entry(*value).or_insert(0) += 1);
            pairs.sort_unstable();
            let rows = table.class_of.len() as f64;
            for run in pairs.chunk_by(|a, b| a == b) {
                let (class, value) = run[0];
                let allowed = match most {
                    Most::NotAll => 1.0 - 1.0 / (rows + 1.0),
                    Most::Share(share) => *share,
                    Most::Gain(gain) => (1.0 + gain) * f64::from(totals[&value]) / rows,
                };
                of_classes[class as usize].push((allowed, run.len() as u32));
            }
        }
        Carriers(of_classes)
    }

    fn of_class(&self, class: usize) -> impl Iterator<Item = (f64, u32)> + '_ {
        let held = self.0[class].iter().copied();
        held.filter(|(allowed, _)| *allowed < 1.0)
    }
}

/// Two parts of a class, and how many of the class carry a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Persons of both parts.
    pub sizes: [u32; 2],
    /// Persons of the class who have the value.
    pub carriers: u32,
}

/// What is believed of a person in each part, given that one of them breaks the promise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Credence {
    /// The probability that a person of each part has the value.
    pub of_parts: [f64; 2],
    /// What the class alone says.
    pub before: f64,
    /// The share of the ways to place the carriers that remain.
    pub remaining: f64,
}

impl Parts {
    /// With a promise that at most a share of `most` of a part may carry the value, and allowed
    /// divisions refused with this probability. None where no way remains: then the promise
    /// cannot have been the reason.
    pub fn credence(self, most: f64, refused: f64) -> Option<Credence> {
        let [first, second] = self.sizes;
        let carriers = self.carriers;
        let class = first + second;
        let fails = |carriers: u32, size: u32| f64::from(carriers) > most * f64::from(size) + 1e-9;
        let least = carriers.saturating_sub(second);
        let total = ln_choose(class, carriers);
        let (mut weight, mut expected) = (0.0, 0.0);
        for here in least..=carriers.min(first) {
            let is_reason = fails(here, first) || fails(carriers - here, second);
            let ways = ln_choose(first, here) + ln_choose(second, carriers - here) - total;
            let ways = ways.exp() * if is_reason { 1.0 } else { refused };
            weight += ways;
            expected += ways * f64::from(here);
        }
        (weight > 0.0).then(|| {
            let here = expected / weight;
            let of = |carriers: f64, size: u32| carriers / f64::from(size.max(1));
            Credence {
                of_parts: [of(here, first), of(f64::from(carriers) - here, second)],
                before: of(f64::from(carriers), class),
                remaining: weight.min(1.0),
            }
        })
    }
}

/// ln C(n, k), as a sum of min(k, n − k) logarithms.
fn ln_choose(n: u32, k: u32) -> f64 {
    let k = k.min(n - k);
    let terms = (1..=k).map(|i| (f64::from(n - k + i) / f64::from(i)).ln());
    terms.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn two_carriers_among_two_and_five_are_both_in_the_smaller_part() {
        let parts = Parts {
            sizes: [2, 5],
            carriers: 2,
        };
        let found = parts.credence(0.5, 0.0).expect("a way remains");
        assert!((found.remaining - 1.0 / 21.0).abs() < 1e-12);
        assert!((found.of_parts[0] - 1.0).abs() < 1e-12 && found.of_parts[1].abs() < 1e-12);
        assert!((found.before - 2.0 / 7.0).abs() < 1e-12);
        assert_eq!(parts.credence(1.0, 0.0), None);
    }

    proptest! {
        /// All sets of carriers, one by one.
        #[test]
        fn credence_is_that_of_counting_every_way(
            first in 1u32..6,
            second in 1u32..6,
            carriers in 0u32..11,
            most in 0.2f64..0.95,
            refused in prop_oneof![Just(0.0), Just(1.0), 0.1f64..0.9],
        ) {
            let class = first + second;
            let carriers = carriers.min(class);
            let (mut ways, mut remaining, mut here) = (0.0, 0.0, 0.0);
            for set in 0u32..1 << class {
                if set.count_ones() != carriers {
                    continue;
                }
                ways += 1.0;
                let inside = (set & ((1 << first) - 1)).count_ones();
                let over = |carriers: u32, size: u32| f64::from(carriers) > most * f64::from(size) + 1e-9;
                let is_reason = over(inside, first) || over(carriers - inside, second);
                let weight = if is_reason { 1.0 } else { refused };
                remaining += weight;
                here += weight * f64::from(inside);
            }
            let found = Parts { sizes: [first, second], carriers }.credence(most, refused);
            prop_assert_eq!(found.is_some(), remaining > 0.0);
            if let Some(found) = found {
                let expected = here / remaining / f64::from(first);
                prop_assert!((found.of_parts[0] - expected).abs() < 1e-9);
                prop_assert!((found.remaining - remaining / ways).abs() < 1e-9);
            }
        }
    }
}
