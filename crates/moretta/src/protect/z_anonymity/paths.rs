//! The paths that were met: every value and every label it generalises to.
//!
//! A label is known by its column and text, so one that is a whole value in one
//! row and part of another's path is one path and both rows count for it.

use super::names::{GONE, Hashed, Names, hashed};
use crate::data::hierarchy::{Ladder, MOST_PARTS, Rungs};
use memchr::memrchr;

/// A value that its hierarchy does not know.
pub(super) const UNKNOWN: u32 = GONE;

/// The paths that were met, each with its parent.
pub(super) struct Paths {
    ladders: Vec<Ladder>,
    names: Names,
    /// The next more general path; [`GONE`] at the root.
    parents: Vec<u32>,
    /// How many paths there are from this one to its root, both included.
    depths: Vec<u16>,
    rungs: Rungs,
}

impl Paths {
    /// One ladder for each column of attributes.
    pub(super) fn new(ladders: Vec<Ladder>) -> Self {
        Paths {
            ladders,
            names: Names::default(),
            parents: Vec::new(),
            depths: Vec::new(),
            rungs: Rungs::default(),
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The label.
    pub(super) fn label(&self, path: u32) -> &str {
        self.names.get(path)
    }

    /// The next more general path; [`GONE`] at the root.
    #[inline]
    pub(super) fn parent(&self, path: u32) -> u32 {
        self.parents[path as usize]
    }

    /// How many paths there are from this one to its root, both included.
    #[inline]
    pub(super) fn depth(&self, path: u32) -> usize {
        usize::from(self.depths[path as usize])
    }

    /// The path and all it generalises to.
    pub(super) fn up(&self, path: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(path), |&path| {
            Some(self.parent(path)).filter(|&parent| parent != GONE)
        })
    }

    /// The path of a value; [`UNKNOWN`] when its hierarchy does not know it.
    pub(super) fn leaf(&mut self, column: usize, value: &str) -> u32 {
        let space = column as u16;
        let hash = hashed(space, value);
        match self.names.find(space, value, hash) {
            Some(path) if self.ladders[column].labels_are_values() => path,
            // Where labels are no values, one that was met as a label may be unknown as a value.
            Some(_) => self.climb_again(column, value),
            None => self.climb(column, value, hash),
        }
    }

    /// The path of a value whose label was met before.
    fn climb_again(&mut self, column: usize, value: &str) -> u32 {
        let mut rungs = std::mem::take(&mut self.rungs);
        let mut path = UNKNOWN;
        if self.ladders[column].climb(value, &mut rungs) {
            for label in rungs.iter().rev() {
                path = self.add(column as u16, label, path);
            }
        }
        self.rungs = rungs;
        path
    }

    /// Makes the path of a value that was not met before, and those above it.
    fn climb(&mut self, column: usize, value: &str, hash: Hashed) -> u32 {
        let space = column as u16;
        // Most new values have a parent that is known, which need not be climbed from.
        if let Some(separator) = self.ladders[column].separator()
            && let Some(end) = memrchr(separator, value.as_bytes())
        {
            let label = &value[..end];
            if let Some(parent) = self.names.find(space, label, hashed(space, label)) {
                return match self.depth(parent) < MOST_PARTS {
                    true => self.push(space, value, hash, parent),
                    false => UNKNOWN,
                };
            }
        }
        let mut rungs = std::mem::take(&mut self.rungs);
        let mut path = UNKNOWN;
        if self.ladders[column].climb(value, &mut rungs) {
            for label in rungs.iter().rev() {
                // The value itself was looked for already.
                path = match label == value {
                    true => self.push(space, label, hash, path),
                    false => self.add(space, label, path),
                };
            }
        }
        self.rungs = rungs;
        path
    }

    fn add(&mut self, space: u16, label: &str, parent: u32) -> u32 {
        let hash = hashed(space, label);
        match self.names.find(space, label, hash) {
            Some(path) => path,
            None => self.push(space, label, hash, parent),
        }
    }

    fn push(&mut self, space: u16, label: &str, hash: Hashed, parent: u32) -> u32 {
        self.parents.push(parent);
        let above = match parent {
            GONE => 0,
            parent => self.depths[parent as usize],
        };
        self.depths.push(above.saturating_add(1));
        self.names.push(space, label, hash)
    }

    /// Forgets the paths that are not kept; a kept path keeps those above it.
    /// Gives the new number of each.
    pub(super) fn retain(&mut self, keep: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut kept: Vec<bool> = (0..self.len() as u32).map(&keep).collect();
        for path in 0..self.len() as u32 {
            if kept[path as usize] {
                let mut above = self.parent(path);
                while above != GONE && !kept[above as usize] {
                    kept[above as usize] = true;
                    above = self.parent(above);
                }
            }
        }
        let moved = self.names.retain(|path| kept[path as usize]);
        let parents = std::mem::take(&mut self.parents).into_iter().enumerate();
        self.parents = parents
            .filter(|&(path, _)| kept[path])
            .map(|(_, parent)| match parent {
                GONE => GONE,
                parent => moved[parent as usize],
            })
            .collect();
        let mut place = 0;
        self.depths.retain(|_| {
            place += 1;
            kept[place - 1]
        });
        moved
    }

    /// Bytes held besides the texts.
    pub(super) fn overhead(&self) -> usize {
        self.names.overhead()
            + self.parents.capacity() * size_of::<u32>()
            + self.depths.capacity() * size_of::<u16>()
    }

    /// Bytes of the texts.
    pub(super) fn text_bytes(&self) -> usize {
        self.names.text_bytes()
    }
}
