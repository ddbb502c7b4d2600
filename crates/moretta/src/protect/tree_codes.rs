//! A column as nodes of its hierarchy, which go up level by level.

use crate::data::hierarchy::Hierarchy;
use crate::data::{Column, Domain, MISSING};
use crate::error::{Error, Result};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Which nodes a column shows at its level.
pub(super) struct TreeCodes<'a> {
    tree: Option<&'a Hierarchy>,
    level: usize,
    /// The nodes that are shown; missing values are one, until the top.
    shown: Vec<u32>,
}

impl<'a> TreeCodes<'a> {
    /// The column at level 0, and the node of each row; without a hierarchy, a number for each
    /// different value.
    ///
    /// # Errors
    /// When the hierarchy misses a value.
    pub(super) fn new(name: &str, column: &Column, domain: &'a Domain) -> Result<(Self, Vec<u32>)> {
        let tree = domain.hierarchy.as_deref();
        let missed = || {
            let what = format!("the hierarchy of column `{name}` misses values of the data");
            Error::policy(what)
        };
        let mut known: HashMap<u64, u32, FixedState> = HashMap::default();
        let mut codes = Vec::new();
        match column {
            Column::Category(categories) => {
                let leaf = |(code, text): (u32, &str)| match tree {
                    Some(tree) => tree.leaf(text).ok_or_else(missed),
                    None => Ok(code),
                };
                let leaves = (0..).zip(categories.levels().iter()).map(leaf);
                let leaves = leaves.collect::<Result<Vec<u32>>>()?;
                let code = |&code: &u32| leaves.get(code as usize).copied().unwrap_or(MISSING);
                codes.extend(categories.codes().iter().map(code));
            }
            Column::Number(numbers) => {
                for number in numbers.iter() {
                    // Both zeros have one text.
                    let Some(number) = number.map(|number| number + 0.0) else {
                        codes.push(MISSING);
                        continue;
                    };
                    let next = known.len() as u32;
                    let code = match (known.get(&number.to_bits()), tree) {
                        (Some(&code), _) => code,
                        (None, None) => next,
                        (None, Some(tree)) => {
                            tree.leaf(&domain.number_text(number)).ok_or_else(missed)?
                        }
                    };
                    known.insert(number.to_bits(), code);
                    codes.push(code);
                }
            }
            Column::Plain(_) => return Err(Error::bug("a plain column among quasi-identifiers")),
        }
        let mut shown = codes.clone();
        shown.sort_unstable();
        shown.dedup();
        let level = 0;
        Ok((TreeCodes { tree, level, shown }, codes))
    }

    pub(super) fn level(&self) -> usize {
        self.level
    }

    /// Whether nothing is above; so it is without a hierarchy.
    pub(super) fn is_at_top(&self) -> bool {
        self.tree
            .is_none_or(|tree| self.level + 1 >= tree.level_count())
    }

    /// How many different values it shows.
    pub(super) fn distinct(&self) -> usize {
        self.shown.len()
    }

    /// Goes up a level; gives the node above each of those that were shown.
    pub(super) fn raise(&mut self) -> HashMap<u32, u32, FixedState> {
        let mut above = HashMap::default();
        let Some(tree) = self.tree.filter(|_| !self.is_at_top()) else {
            above.extend(self.shown.iter().map(|&node| (node, node)));
            return above;
        };
        let next = self.level + 1;
        let top = next + 1 == tree.level_count();
        for &node in &self.shown {
            let parent = match node {
                // The top says nothing at all, so a missing value is among what it covers.
                MISSING if top => 0,
                MISSING => MISSING,
                node => tree.node(next, tree.leaves_under(self.level, node).start),
            };
            above.insert(node, parent);
        }
        self.level = next;
        self.shown = above.values().copied().collect();
        self.shown.sort_unstable();
        self.shown.dedup();
        above
    }
}
