//! What every method says of itself.

use super::{Masking, Setting, TableMethod};
use crate::error::Result;
use crate::guarantee::{Combination, Missing};

/// What a method says of itself, once its parameters are read. It is one of three: a function
/// on tables, a masking of records, or, with neither, a decision on each event of a stream.
pub trait MethodConfig {
    /// Whether chance has a part in what it releases: another seed gives another release.
    fn is_random(&self) -> bool;
    /// Whether it gets the rows of a table in an order of their content, since what it
    /// releases depends on their order.
    fn depends_on_order(&self) -> bool {
        true
    }
    /// Whether it shows, for this column, a value that stands for a class rather than a region
    /// that covers it.
    fn represents(&self, _column: &str) -> bool {
        false
    }
    /// What it shows of a quasi-identifier, which has a hierarchy or not.
    fn shows(&self, _column: &str, _hierarchy: bool) -> Shown {
        Shown::Values
    }
    /// Whether it decides by itself how coarse values become, so that methods can be compared by
    /// what they lose for the same promise.
    fn decides(&self) -> bool {
        false
    }
    /// The largest share of rows that it may suppress, where it makes values coarser until
    /// the promises of `[guarantee]` hold.
    fn suppress(&self) -> Option<f64> {
        None
    }
    /// The combinations of quasi-identifiers of which it promises k, where it promises none of
    /// all of them together.
    ///
    /// # Errors
    /// When its parameters do not fit these columns.
    fn combinations(&self, _quasi: &[&str]) -> Result<Option<Vec<Combination>>> {
        Ok(None)
    }
    /// What empty cells of its release mean.
    fn reads_missing(&self) -> Missing {
        Missing::Own
    }
    /// Lets it suppress no larger share of the rows of a table than this.
    fn suppress_at_most(&mut self, _share: f64) {}
    /// How its release can lie inside a coarser one of the same rows ([`Setting::nest`]); none
    /// where it cannot.
    fn nests(&self) -> Option<Nested> {
        None
    }
    /// Gives it another k, where that is a parameter of its own.
    fn promise(&mut self, _k: u32) {}
    /// Whether it draws a sample: which rows leave is decided by chance, not by what they hold.
    fn samples(&self) -> bool {
        false
    }
    /// Whether it puts regions in place of items, each once for a person, and not of
    /// quasi-identifiers.
    fn covers_items(&self) -> bool {
        false
    }
    /// Whether it could protect parts of a table each by itself; not where what it does follows
    /// from all rows, as from how frequent categories are.
    fn works_in_clusters(&self) -> bool {
        true
    }
    /// The columns that it looks at besides those that it changes.
    fn reads(&self) -> Vec<&str> {
        Vec::new()
    }
    /// Columns of which it computes all values anew, and which say nothing of a person.
    fn remakes(&self) -> Vec<&str> {
        Vec::new()
    }
    /// The function on tables, ready to work in this setting.
    fn table(&self, _setting: &Setting) -> Option<Box<dyn TableMethod>> {
        None
    }
    /// The masking of records, of tables or of streams.
    fn masking(&self) -> Option<&dyn Masking> {
        None
    }
}

/// How a release lies inside a coarser one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nested {
    /// Each class of the coarser one is divided by itself. It holds undivided, so that no row of
    /// it need be suppressed.
    Divided,
    /// Whole columns are recoded to no higher level.
    Recoded,
}

/// What a method shows of a quasi-identifier, as far as a reader of the release can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Any values.
    Values,
    /// Labels of any level of the hierarchy.
    Labels,
    /// Labels of this level of the hierarchy.
    Level(usize),
    /// Intervals of numbers or dates, and at most so many different single values.
    Intervals(usize),
}
