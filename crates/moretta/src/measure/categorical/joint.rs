//! Joint counts of one attribute: how often each original category became each masked one.
//!
//! Distance-based loss, entropy-based loss and interval disclosure of an attribute are functions
//! of these counts.

use crate::data::Variable;
use foldhash::fast::FixedState;
use std::collections::HashMap;

/// Domains up to this size have a whole table of counts; of larger ones what is not 0 is kept.
const MOST_LEVELS: usize = 256;

/// How often original and masked categories occur together.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    variable: Variable,
    counts: Counts,
    masked: Vec<u64>,
    rows: u64,
    changes: u64,
}

#[derive(Clone, Debug)]
enum Counts {
    /// By masked category, and in it by the original one.
    Dense(Vec<u64>),
    Sparse(HashMap<(u32, u32), u64, FixedState>),
}

impl Joint {
    pub(super) fn new(variable: Variable) -> Self {
        let counts = if variable.levels <= MOST_LEVELS {
            Counts::Dense(vec![0; variable.levels * variable.levels])
        } else {
            Counts::Sparse(HashMap::default())
        };
        Joint {
            variable,
            counts,
            masked: vec![0; variable.levels],
            rows: 0,
            changes: 0,
        }
    }

    pub(super) fn variable(&self) -> Variable {
        self.variable
    }

    /// How many pairs there are.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// How often masked categories occur.
    pub(super) fn masked(&self) -> &[u64] {
        &self.masked
    }

    /// A number that is another one after each change.
    pub(super) fn changes(&self) -> u64 {
        self.changes
    }

    /// Adds pairs, or with a negative weight takes them out; returns how many of them and how many
    /// with this masked category there were before.
    #[inline]
    pub(super) fn add(&mut self, original: u32, masked: u32, weight: i64) -> (u64, u64) {
        self.changes += 1;
        self.rows = self.rows.wrapping_add_signed(weight);
        let all = &mut self.masked[masked as usize];
        let of_masked = *all;
        *all = all.wrapping_add_signed(weight);
        let both = match &mut self.counts {
            Counts::Dense(counts) => {
                let count = &mut counts[masked as usize * self.variable.levels + original as usize];
                let before = *count;
                *count = count.wrapping_add_signed(weight);
                before
            }
            Counts::Sparse(counts) => {
                let count = counts.entry((masked, original)).or_insert(0);
                let before = *count;
                *count = count.wrapping_add_signed(weight);
                if *count == 0 {
                    counts.remove(&(masked, original));
                }
                before
            }
        };
        (both, of_masked)
    }

    /// Calls `each` with original, masked and how often both occur together, in any order.
    pub(super) fn each(&self, mut each: impl FnMut(u32, u32, u64)) {
        match &self.counts {
            Counts::Dense(counts) => {
                let by_masked = counts.chunks_exact(self.variable.levels.max(1));
                for (masked, originals) in by_masked.enumerate() {
                    for (original, &count) in originals.iter().enumerate() {
                        if count > 0 {
                            each(original as u32, masked as u32, count);
                        }
                    }
                }
            }
            Counts::Sparse(counts) => {
                for (&(masked, original), &count) in counts {
                    each(original, masked, count);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_domains_count_alike() {
        for levels in [4, 1000] {
            let mut joint = Joint::new(Variable::ordinal(levels));
            assert_eq!(joint.add(1, 3, 1), (0, 0));
            assert_eq!(joint.add(1, 3, 1), (1, 1));
            assert_eq!(joint.add(2, 3, 1), (0, 2));
            assert_eq!(joint.add(2, 3, -1), (1, 3));
            let mut seen = Vec::new();
            joint.each(|original, masked, count| seen.push((original, masked, count)));
            assert_eq!(seen, [(1, 3, 2)]);
            assert_eq!((joint.rows(), joint.masked()[3]), (2, 2));
        }
    }
}
