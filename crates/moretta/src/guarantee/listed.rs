//! Whether released lists and rows of items are true of the original ones.
//!
//! Every original item must be under a label that the same list, or the same person, shows, and every
//! label must be over such an item.

use super::findings::Rule;
use crate::data::hierarchy::Hierarchy;
use crate::data::items;
use crate::data::{Categories, Column, Domain, MISSING};
use crate::error::{Error, Result};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// Compares lists of labels with lists of items.
pub(super) struct Listed {
    tree: Option<Arc<Hierarchy>>,
    separator: String,
}

impl Listed {
    /// Of lists over this domain, with a separator between items.
    pub(super) fn new(domain: Domain, separator: String) -> Self {
        Listed {
            tree: domain.hierarchy,
            separator,
        }
    }

    /// How many rows break which rule.
    pub(super) fn compare(&self, original: &Column, released: &Column) -> Result<Vec<(Rule, u64)>> {
        let before = original.as_categories();
        let before = before.ok_or_else(|| Error::bug("items were not read as categories"))?;
        let after = super::same::texts_of(released)?;
        let mut of_pair: HashMap<(u32, u32), Option<Rule>> = HashMap::new();
        let (mut foreign, mut untrue) = (0, 0);
        for (&a, &b) in before.codes().iter().zip(after.codes()) {
            let broken = match of_pair.get(&(a, b)) {
                Some(broken) => *broken,
                None => {
                    let broken = self.broken(text(before, a), text(&after, b));
                    of_pair.insert((a, b), broken);
                    broken
                }
            };
            foreign += u64::from(broken == Some(Rule::NotInDomain));
            untrue += u64::from(broken == Some(Rule::NotCovered));
        }
        Ok(vec![
            (Rule::NotInDomain, foreign),
            (Rule::NotCovered, untrue),
        ])
    }

    /// The rule that a list breaks.
    fn broken(&self, original: &str, released: &str) -> Option<Rule> {
        let Some(tree) = &self.tree else {
            return Some(Rule::NotInDomain);
        };
        let leaves: Option<Vec<u32>> = items::split(original, &self.separator)
            .map(|item| tree.leaf(item))
            .collect();
        let labels: Option<Vec<Range<u32>>> = items::split(released, &self.separator)
            .map(|label| tree.leaves_of(label))
            .collect();
        let (Some(leaves), Some(labels)) = (leaves, labels) else {
            return Some(Rule::NotInDomain);
        };
        let covered = |leaf: &u32| labels.iter().any(|label| label.contains(leaf));
        let covers = |label: &Range<u32>| leaves.iter().any(|leaf| label.contains(leaf));
        match leaves.iter().all(covered) && labels.iter().all(covers) {
            true => None,
            false => Some(Rule::NotCovered),
        }
    }
}

fn text(column: &Categories, code: u32) -> &str {
    match code {
        MISSING => "",
        code => column.levels().get(code),
    }
}

/// How many items of persons are under no label that the same person shows; persons without a released
/// row were suppressed. Items and labels come row
/// by row with their persons; released rows are some of the original ones.
///
/// # Errors
/// A bug, when there is no hierarchy.
pub fn items_lost(
    original: (&Categories, &[u32]),
    released: (&Categories, &[u32]),
    domain: &Domain,
) -> Result<u64> {
    let tree = domain.hierarchy.as_deref();
    let tree = tree.ok_or_else(|| Error::bug("items have no hierarchy"))?;
    let ranges = released
        .0
        .levels()
        .iter()
        .map(|label| tree.leaves_of(label));
    let ranges: Vec<Option<Range<u32>>> = ranges.collect();
    let mut shown: HashMap<u32, HashSet<u32>> = HashMap::new();
    for (&label, &person) in released.0.codes().iter().zip(released.1) {
        let labels = shown.entry(person).or_default();
        if label != MISSING {
            labels.insert(label);
        }
    }
    let leaves = original.0.levels().iter().map(|item| tree.leaf(item));
    let leaves: Vec<Option<u32>> = leaves.collect();
    let is_lost = |(&item, person): (&u32, &u32)| {
        let (Some(leaf), Some(labels)) = (leaves.get(item as usize), shown.get(person)) else {
            return false;
        };
        let mut ranges = labels
            .iter()
            .filter_map(|&label| ranges[label as usize].as_ref());
        !leaf.is_some_and(|leaf| ranges.any(|range| range.contains(&leaf)))
    };
    let rows = original.0.codes().iter().zip(original.1);
    Ok(rows.filter(|row| is_lost(*row)).count() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Scale;

    fn drinks() -> Domain {
        let chains = [
            ["tea", "hot", "*"],
            ["coffee", "hot", "*"],
            ["milk", "cold", "*"],
        ];
        let chains = chains.map(|chain| chain.to_vec());
        Domain {
            scale: Scale::Category {
                levels: Arc::default(),
                ordered: false,
            },
            hierarchy: Some(Arc::new(Hierarchy::from_chains(&chains).expect("a tree"))),
        }
    }

    #[test]
    fn lists_are_true_when_each_label_and_each_item_has_its_other() {
        let listed = Listed::new(drinks(), ";".to_owned());
        let check = |original: &str, released: &str| {
            let column = |text: &str| {
                let cells = [Some(text).filter(|text| !text.is_empty())];
                Column::Category(cells.into_iter().collect())
            };
            let found = listed.compare(&column(original), &column(released));
            let found = found.expect("categories");
            [found[0].1, found[1].1]
        };
        assert_eq!(check("tea; coffee", "hot"), [0, 0]);
        assert_eq!(check("tea;milk", "hot;milk"), [0, 0]);
        assert_eq!(check("tea;milk", "*"), [0, 0]);
        assert_eq!(check("", ""), [0, 0]);
        assert_eq!(check("tea;milk", "hot"), [0, 1], "the milk is gone");
        assert_eq!(check("tea", "hot;cold"), [0, 1], "nobody had a cold one");
        assert_eq!(check("", "hot"), [0, 1]);
        assert_eq!(check("tea", ""), [0, 1]);
        assert_eq!(check("tea", "warm"), [1, 0]);
    }

    #[test]
    fn a_row_may_be_gone_where_its_person_shows_a_label_over_its_item() {
        let original: Categories = [Some("tea"), Some("coffee"), Some("milk"), None]
            .into_iter()
            .collect();
        let released: Categories = [Some("hot"), Some("milk")].into_iter().collect();
        let lost = |persons: [u32; 4], shown: [u32; 2]| {
            items_lost((&original, &persons), (&released, &shown), &drinks()).expect("a tree")
        };
        assert_eq!(lost([1, 1, 2, 2], [1, 2]), 0);
        assert_eq!(lost([1, 2, 2, 2], [1, 2]), 1, "the coffee of the second");
        assert_eq!(lost([1, 1, 1, 2], [1, 2]), 1, "the milk");
        assert_eq!(lost([1, 1, 2, 2], [1, 1]), 0, "the second is suppressed");
    }
}
