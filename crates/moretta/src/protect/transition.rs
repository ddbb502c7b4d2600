//! Transition matrices as they are published: who becomes what, by the texts of categories.

use serde::{Deserialize, Serialize};

/// The matrix by which the categories of a column, or of several taken together, were changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transition {
    /// The columns.
    pub columns: Vec<String>,
    /// The categories in order, each with a text for every column; none where a value is missing.
    pub categories: Vec<Vec<Option<String>>>,
    /// For each category, with what probability it was released as each of them.
    pub matrix: Vec<Vec<f64>>,
    /// The least number of rows above 0 that have a category, where the matrix follows from how
    /// many rows have each; it is told to nobody.
    #[serde(skip)]
    pub fewest: Option<u64>,
}

/// The same by codes, before anybody knows their texts.
#[derive(Clone, Debug)]
pub struct CodedTransition {
    /// The places of the columns in a record.
    pub places: Vec<usize>,
    /// The categories in order, each with a code for every column; NaN where a value is missing.
    pub categories: Vec<Vec<f64>>,
    /// See [`Transition::matrix`].
    pub matrix: Vec<Vec<f64>>,
    /// See [`Transition::fewest`].
    pub fewest: Option<u64>,
}
