//! What searches for transition matrices keep to: matrices themselves as genes, or equations that
//! make them.

use super::programming::Initial;

/// What is searched for.
#[derive(Clone, Debug, PartialEq)]
pub enum PramForm {
    /// A matrix for each column.
    Matrices(MatrixRules),
    /// An equation that makes the matrices of all columns.
    Equations(EquationRules),
}

/// What operators on matrices keep to.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixRules {
    /// What each row of whole numbers adds up to.
    pub denominator: u32,
    /// Parts that a mutation moves at most.
    pub delta_max: u32,
    /// Whether matrices are made invariant: frequencies are expected to stay.
    pub invariant: bool,
    /// The share of all rows that an invariant matrix lets stay at least.
    pub diagonal: Option<f64>,
}

impl Default for MatrixRules {
    fn default() -> Self {
        MatrixRules {
            denominator: 100,
            delta_max: 10,
            invariant: false,
            diagonal: None,
        }
    }
}

/// What operators on equations keep to.
#[derive(Clone, Debug, PartialEq)]
pub struct EquationRules {
    /// Operations above any part of an equation at most.
    pub depth: usize,
    /// How the first equations are made.
    pub initial: Initial,
    /// How many there are.
    pub members: usize,
    /// Whether an equation says what stays, rather than one probability.
    pub diagonal_tree: bool,
    /// The probability that stays the same for all; none where it evolves.
    pub p: Option<f64>,
}

impl Default for EquationRules {
    fn default() -> Self {
        EquationRules {
            depth: 4,
            initial: Initial::default(),
            members: 54,
            diagonal_tree: false,
            p: None,
        }
    }
}
