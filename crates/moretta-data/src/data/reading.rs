//! What the cells of each column are to be read as.

use super::{DateFormat, Role};

/// What the cells of a column are read as.
#[derive(Clone, Debug, PartialEq)]
pub enum ReadAs {
    /// Not read at all.
    Skip,
    /// Decided from the first rows of text formats and from the types of typed ones.
    Infer,
    /// Finite numbers.
    Number,
    /// Whole numbers up to 2^53.
    Integer,
    /// Dates of one format.
    Date(DateFormat),
    /// Categories in the order of first appearance.
    Category,
    /// Categories with these levels, in this order.
    Ordered(Vec<String>),
    /// Passed through loss-free.
    Plain,
}

/// What is to be done with a column of the input.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnPlan {
    /// As in the header.
    pub name: String,
    /// What it means for privacy.
    pub role: Role,
    /// What its cells are read as.
    pub read: ReadAs,
}
