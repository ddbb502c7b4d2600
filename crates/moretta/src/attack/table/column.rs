//! What a column of a release says, class by class.

use crate::data::hierarchy::Hierarchy;
use crate::data::{Batch, Column, Domain, Region};
use std::ops::Range;

/// A quasi-identifier of a release.
pub struct ReleasedColumn {
    /// Its name.
    pub name: String,
    /// What each of its texts says; none for a text that says nothing.
    pub regions: Vec<Option<Region>>,
    /// The text that each class shows, or missing.
    pub text_of_class: Vec<u32>,
    /// Its values and its hierarchy, where they are known.
    pub domain: Option<Domain>,
}

impl ReleasedColumn {
    /// Where a class shows a node that has several parts in the hierarchy: these, by the level they
    /// are at.
    pub(super) fn parts(&self, class: usize) -> Option<(&Hierarchy, usize, Range<u32>)> {
        let tree = self.domain.as_ref()?.hierarchy.as_deref()?;
        let text = self.text_of_class[class] as usize;
        let (mut level, mut node) = match self.regions.get(text)?.as_ref()? {
            Region::Node(level, node) => (*level, *node),
            Region::Any => (tree.level_count() - 1, 0),
            _ => return None,
        };
        while level > 0 {
            let children = tree.children(level, node);
            level -= 1;
            if children.len() > 1 {
                return Some((tree, level, children));
            }
            node = children.start;
        }
        None
    }

    /// The leaf of a known person's value.
    pub(super) fn leaf(&self, people: &Batch, row: usize) -> Option<u32> {
        let domain = self.domain.as_ref()?;
        let tree = domain.hierarchy.as_deref()?;
        match people.column_named(&self.name)? {
            Column::Category(c) => tree.leaf(c.get(row)?),
            Column::Number(n) => tree.leaf(&domain.number_text(n.get(row)?)),
            Column::Plain(_) => None,
        }
    }
}
