//! Lattice: finds, of all full-domain recodings, the one that loses least.
//!
//! Every quasi-identifier is recoded to one level of its hierarchy, the same for all rows; a column
//! without a hierarchy is shown as it is or as `*`. All combinations of levels make a lattice, of
//! which `generalization` is one node. Rows whose class misses the guarantee are suppressed whole,
//! up to a limit. The node that is released keeps all promises and loses least by the chosen
//! metric; of equals, the one with less levels in all.
//!
//! - *optimal* looks until no other node can lose less, which is proven, not guessed: a node that
//!   suppresses too much rules out those below it, and what a node must lose at least rules out
//!   those above it. Most nodes are never looked at, and those that are cost as many steps as a
//!   node below them has classes, not rows.
//! - *heuristic* stops after `most` nodes, with the best so far and a proven bound on how much
//!   less any other node could lose: for lattices that are too large.
//!
//! | metric | what is small |
//! |---|---|
//! | `loss` | the share of its domain that a value stands for, mean over rows, then over columns (`mean`), by their `weight` |
//! | `precision` | the level of each column over the height of its hierarchy |
//! | `discernibility` | the sum of squared class sizes; a suppressed row counts all rows |
//! | `average-class-size` | the rows in a class; all suppressed ones are one class |
//! | `entropy` | the bits that tell a value from those that it was put together with |
//! | `ambiguity` | the combinations of values that a row could have had |
//!
//! `balance` weighs generalization against suppression in `loss` and `precision`: at 0.5 both
//! count alike, below it suppressed rows count less, above it generalized values do.
//!
//! **Protects against** linking a person to a row by the quasi-identifiers and, with promises on
//! sensitive values, against learning them from a whole class. A value means the same in every
//! row, so nothing can be learnt from how neighbours were recoded.
//! **Does not protect against** an attacker who compares several releases, nor one who knows that
//! nothing less general would have kept the promises (minimality); and loses more than Mondrian,
//! since one rare value makes a whole column coarser.
//!
//! **Costs** a pass over the rows to find those that differ; then steps as there are classes, for
//! hundreds or thousands of nodes. Needs the whole table.
//!
//! **From** Samarati, Protecting respondents' identities in microdata release, TKDE 2001; El Emam
//! et al., A globally optimal k-anonymity method, JAMIA 2009; Kohlmayer, Prasser et al., Flash,
//! PASSAT 2012. Levels and losses on Adult are those of ARX.
//!
//! ```toml
//! [[protect]]
//! method = "lattice"
//! suppress = 0.05
//! ```

mod attribute;
mod classes;
mod encode;
mod judge;
mod key;
mod metric;
mod node;
mod read;
mod release;
mod search;
#[cfg(test)]
mod tests;

pub use metric::{Mean, Metric};

use super::Setting;
use super::config::{MethodConfig, Nested, Shown};
use super::table::TableMethod;
use std::collections::BTreeMap;

/// Optimal full-domain generalization with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Lattice {
    /// When to stop.
    pub search: SearchKind,
    /// What is to be small.
    pub metric: Metric,
    /// How generalization and suppression are weighed: 0.5 alike.
    pub balance: f64,
    /// The lowest and the highest level that a column may have; all where it is not named.
    pub levels: BTreeMap<String, (usize, usize)>,
    /// The largest share of rows that may be suppressed.
    pub suppress: f64,
}

/// When a search stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchKind {
    /// When the best node is proven.
    Optimal,
    /// The same, or when so many nodes were looked at.
    Heuristic {
        /// Nodes at most.
        most: usize,
    },
}

impl Default for Lattice {
    fn default() -> Self {
        Lattice {
            search: SearchKind::Optimal,
            metric: Metric::Loss {
                mean: Mean::Geometric,
            },
            balance: 0.5,
            levels: BTreeMap::new(),
            suppress: 0.0,
        }
    }
}

impl MethodConfig for Lattice {
    fn is_random(&self) -> bool {
        false
    }

    fn depends_on_order(&self) -> bool {
        false
    }

    fn shows(&self, column: &str, hierarchy: bool) -> Shown {
        match self.levels.get(column) {
            Some(&(low, high)) if low == high && low > 0 => Shown::Level(low),
            _ if hierarchy => Shown::Labels,
            _ => Shown::Values,
        }
    }

    fn decides(&self) -> bool {
        true
    }

    fn suppress(&self) -> Option<f64> {
        Some(self.suppress)
    }

    fn suppress_at_most(&mut self, share: f64) {
        self.suppress = share;
    }

    fn nests(&self) -> Option<Nested> {
        Some(Nested::Recoded)
    }

    fn table(&self, setting: &Setting) -> Option<Box<dyn TableMethod>> {
        Some(Box::new(release::Ready {
            config: self.clone(),
            setting: setting.clone(),
        }))
    }
}
