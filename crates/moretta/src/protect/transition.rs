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

impl Transition {
    /// Whether most rows of a category were released as one other category: who knows the matrix
    /// undoes that, and no measure of linkage sees it.
    pub fn exchanges(&self) -> bool {
        let rows = self.matrix.iter().enumerate();
        let mut others = rows.flat_map(|(from, row)| {
            let cells = row.iter().enumerate();
            cells.filter(move |(to, _)| *to != from)
        });
        others.any(|(_, &chance)| chance > 0.5)
    }

    /// A warning where it does.
    pub fn warning(&self) -> Option<String> {
        let names = || self.columns.join("`, `");
        self.exchanges().then(|| {
            format!(
                "the matrix of `{}` turns most rows of a category into one other: who knows the matrix undoes that, and figures of linkage do not see it",
                names()
            )
        })
    }
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
