//! Transition matrices of PRAM as individuals: evolved themselves, or made by evolved equations.
//!
//! What genes are, is for a [`Genotype`] to say; what they lead to is a matrix for each column.
//! Loss and risk are the mean of IL and DR over a few files that PRAM makes with these matrices, by
//! draws that are the same for all individuals.
//!
//! **Costs** for a mutant the cells that change in each file, and the rounds of EM of each: thousands
//! a second of 1,000 rows.
//!
//! **From** Marés and Torra, 2010 and Marés and Shlomo, 2014 (matrices); Marés, 2013 (equations).

mod applications;
mod equations;
mod genome;
mod matrices;
mod study;
#[cfg(test)]
mod tests;

pub(super) use genome::{EquationGenome, MatrixGenome};
pub use study::{PramFound, PramSearch, PramSolution};

use crate::error::Result;
use crate::measure::categorical::Scored;
use crate::optimize::evolution::{Crossover, Draws, Individual, TradeOff};
use crate::protect::pram::{MatrixEquation, TransitionMatrix};
use applications::{Changed, Ground, Undone};
use std::sync::Arc;

/// Genes that lead to a matrix for each column.
pub(super) trait Genotype: Clone + Send + Sync + Sized {
    /// What a child takes over from its other parent.
    type Exchange: Sync;
    /// What operators keep to.
    type Rules: Clone + Send + Sync;

    /// Those that a search begins with, and what they are called.
    fn start(rules: &Self::Rules, frequencies: &[Vec<f64>], seed: u64) -> Vec<(String, Self)>;
    /// How many genes there are.
    fn len(&self, rules: &Self::Rules) -> usize;
    /// Gives a gene another value; none where it can have no other one.
    fn mutated(&self, gene: usize, rules: &Self::Rules, draws: &mut Draws) -> Option<Self>;
    /// What each of two takes over from the other.
    fn exchange(
        &self,
        other: &Self,
        rules: &Self::Rules,
        crossover: Crossover,
        draws: &mut Draws,
    ) -> [Self::Exchange; 2];
    /// These with some genes of another.
    fn crossed(&self, other: &Self, exchange: &Self::Exchange) -> Self;
    /// In how many genes both are equal.
    fn shared(&self, other: &Self, rules: &Self::Rules) -> usize;
    /// A number that differs, but for chance, between those that differ.
    fn fingerprint(&self) -> u64;
    /// Whether both lead to the same matrix of a column, where that is plain to see.
    fn is_same(&self, other: &Self, column: usize) -> bool;
    /// The matrix of a column with these frequencies.
    fn matrix(&self, column: usize, frequencies: &[f64], rules: &Self::Rules) -> TransitionMatrix;
    /// The equations behind them; none where there are none.
    fn equation(&self) -> Option<&MatrixEquation>;
}

/// Where individuals of one search come from.
pub(super) struct Breed<G: Genotype> {
    ground: Ground,
    rules: G::Rules,
}

impl<G: Genotype> Breed<G> {
    fn new(ground: Ground, rules: G::Rules) -> Arc<Self> {
        Arc::new(Breed { ground, rules })
    }

    /// The individual with these genes.
    ///
    /// # Errors
    /// When its files cannot be scored.
    pub(super) fn individual(self: &Arc<Self>, genotype: G) -> Result<Randomizer<G>> {
        let matrices = self.matrices(&genotype);
        Ok(Randomizer {
            breed: Arc::clone(self),
            files: self.ground.applied(&matrices)?,
            genotype,
            matrices,
        })
    }

    /// The matrices of these genes.
    pub(super) fn matrices(&self, genotype: &G) -> Vec<TransitionMatrix> {
        let columns = 0..self.ground.width();
        columns
            .map(|column| self.matrix(genotype, column))
            .collect()
    }

    fn matrix(&self, genotype: &G, column: usize) -> TransitionMatrix {
        genotype.matrix(column, self.ground.frequencies(column), &self.rules)
    }

    /// The mean loss and risk of matrices.
    ///
    /// # Errors
    /// When their files cannot be scored.
    pub(super) fn measured(&self, matrices: &[TransitionMatrix]) -> Result<TradeOff> {
        let mut files = self.ground.applied(matrices)?;
        Ok(applications::mean(files.iter_mut().map(Scored::figures)))
    }
}

/// Genes with their matrices, and the files that PRAM makes with them.
pub(super) struct Randomizer<G: Genotype> {
    breed: Arc<Breed<G>>,
    genotype: G,
    matrices: Vec<TransitionMatrix>,
    files: Vec<Scored>,
}

impl<G: Genotype> Clone for Randomizer<G> {
    fn clone(&self) -> Self {
        Randomizer {
            breed: Arc::clone(&self.breed),
            genotype: self.genotype.clone(),
            matrices: self.matrices.clone(),
            files: self.files.clone(),
        }
    }
}

/// What it takes to undo a mutation.
pub(super) struct Before<G> {
    genotype: G,
    matrices: Vec<(usize, TransitionMatrix)>,
    files: Vec<Undone>,
}

impl<G: Genotype> Randomizer<G> {
    /// Takes other genes on; matrices and files follow.
    fn take_on(&mut self, genotype: G) -> Before<G> {
        let mut changed = Vec::new();
        for column in 0..self.matrices.len() {
            if genotype.is_same(&self.genotype, column) {
                continue;
            }
            let matrix = self.breed.matrix(&genotype, column);
            let rows = matrix.rows().zip(self.matrices[column].rows()).enumerate();
            let rows = rows.filter(|(_, (now, before))| now != before);
            let rows: Vec<usize> = rows.map(|(row, _)| row).collect();
            if !rows.is_empty() {
                changed.push(Changed {
                    column,
                    rows,
                    matrix,
                });
            }
        }
        let files = self.breed.ground.follow(&mut self.files, &changed);
        let matrices = changed.into_iter().map(|Changed { column, matrix, .. }| {
            (
                column,
                std::mem::replace(&mut self.matrices[column], matrix),
            )
        });
        Before {
            matrices: matrices.collect(),
            genotype: std::mem::replace(&mut self.genotype, genotype),
            files,
        }
    }
}

impl<G: Genotype> Individual for Randomizer<G> {
    type Undo = Before<G>;
    type Genes = G;
    type Exchange = G::Exchange;

    fn len(&self) -> usize {
        self.genotype.len(&self.breed.rules)
    }

    fn trade_off(&mut self) -> TradeOff {
        applications::mean(self.files.iter_mut().map(Scored::figures))
    }

    fn glance(&mut self) -> Option<TradeOff> {
        let figures = self.files.iter_mut().map(Scored::figures_in_order);
        let figures: Vec<_> = figures.collect::<Option<_>>()?;
        Some(applications::mean(figures.into_iter()))
    }

    fn mutate(&mut self, gene: usize, draws: &mut Draws) -> Option<Before<G>> {
        let mutated = self.genotype.mutated(gene, &self.breed.rules, draws)?;
        Some(self.take_on(mutated))
    }

    fn undo(&mut self, before: Before<G>) {
        self.genotype = before.genotype;
        for (column, matrix) in before.matrices {
            self.matrices[column] = matrix;
        }
        applications::undo(&mut self.files, before.files);
    }

    fn exchange(&self, other: &Self, crossover: Crossover, draws: &mut Draws) -> [G::Exchange; 2] {
        let rules = &self.breed.rules;
        self.genotype
            .exchange(&other.genotype, rules, crossover, draws)
    }

    fn crossed(&self, other: &Self, exchange: &G::Exchange) -> Self {
        let mut child = self.clone();
        child.take_on(self.genotype.crossed(&other.genotype, exchange));
        child
    }

    fn shared(&self, other: &Self) -> usize {
        self.genotype.shared(&other.genotype, &self.breed.rules)
    }

    fn fingerprint(&self) -> u64 {
        self.genotype.fingerprint()
    }

    fn genes(&self) -> G {
        self.genotype.clone()
    }
}

/// The designs of the literature that a search begins with or is held against: p and theta from 0.1
/// to 0.9.
fn designs(frequencies: &[Vec<f64>]) -> Vec<(String, Vec<TransitionMatrix>)> {
    type Design = fn(&[f64], f64) -> TransitionMatrix;
    let designs: [(&str, Design); 2] = [
        ("constant-diagonal p", TransitionMatrix::constant_diagonal),
        ("equal-counts theta", TransitionMatrix::equal_counts),
    ];
    let of = |(name, design): (&str, Design)| {
        let tenths = (1..=9).map(|tenths| f64::from(tenths) / 10.0);
        let made = tenths.map(|strength| {
            let matrices = frequencies.iter().map(|column| design(column, strength));
            (format!("{name}={strength}"), matrices.collect())
        });
        made.collect::<Vec<_>>()
    };
    designs.into_iter().flat_map(of).collect()
}
