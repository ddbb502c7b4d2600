//! Matrices as genes: whole numbers whose rows add up to the same sum, a gene each row.

use super::{Genotype, designs};
use crate::optimize::evolution::{Crossover, Draws, Exchange};
use crate::optimize::{MatrixRules, WholeMatrix};
use crate::protect::pram::{MatrixEquation, TransitionMatrix};
use foldhash::fast::FixedState;
use std::hash::BuildHasher;

/// A matrix for each column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Matrices(pub(super) Vec<WholeMatrix>);

impl Matrices {
    /// The column and the row of a gene.
    fn place(&self, gene: usize) -> Option<(usize, usize)> {
        let mut row = gene;
        for (column, matrix) in self.0.iter().enumerate() {
            match row.checked_sub(matrix.width()) {
                None => return Some((column, row)),
                Some(rest) => row = rest,
            }
        }
        None
    }
}

impl Genotype for Matrices {
    type Exchange = Exchange;
    type Rules = MatrixRules;

    fn start(rules: &MatrixRules, frequencies: &[Vec<f64>], _: u64) -> Vec<(String, Self)> {
        let whole =
            |matrix: &TransitionMatrix| WholeMatrix::rounded(matrix.rows(), rules.denominator);
        let start = designs(frequencies).into_iter();
        start
            .map(|(label, matrices)| (label, Matrices(matrices.iter().map(whole).collect())))
            .collect()
    }

    fn len(&self, _: &MatrixRules) -> usize {
        self.0.iter().map(WholeMatrix::width).sum()
    }

    fn mutated(&self, gene: usize, rules: &MatrixRules, draws: &mut Draws) -> Option<Self> {
        let (column, row) = self.place(gene)?;
        let mut mutant = self.clone();
        let moved = mutant.0[column].mutate(row, rules.delta_max, draws);
        moved.then_some(mutant)
    }

    fn exchange(
        &self,
        _: &Self,
        rules: &MatrixRules,
        crossover: Crossover,
        draws: &mut Draws,
    ) -> [Exchange; 2] {
        crossover.exchange(self.len(rules), draws).for_both()
    }

    fn crossed(&self, other: &Self, exchange: &Exchange) -> Self {
        let mut child = self.clone();
        for (column, row) in exchange.iter().filter_map(|gene| self.place(gene)) {
            child.0[column].take(row, &other.0[column]);
        }
        child
    }

    fn shared(&self, other: &Self, _: &MatrixRules) -> usize {
        let pairs = self.0.iter().zip(&other.0);
        let rows = pairs.flat_map(|(one, other)| one.rows().zip(other.rows()));
        rows.filter(|(one, other)| one == other).count()
    }

    fn fingerprint(&self) -> u64 {
        FixedState::with_seed(0).hash_one(&self.0)
    }

    fn is_same(&self, other: &Self, column: usize) -> bool {
        self.0[column] == other.0[column]
    }

    fn matrix(&self, column: usize, frequencies: &[f64], rules: &MatrixRules) -> TransitionMatrix {
        let matrix = TransitionMatrix::new(&self.0[column].probabilities())
            .expect("rows of whole parts add up to their denominator");
        match rules.invariant {
            true => matrix.repaired(frequencies, rules.diagonal.unwrap_or(0.0)),
            false => matrix,
        }
    }

    fn equation(&self) -> Option<&MatrixEquation> {
        None
    }
}
