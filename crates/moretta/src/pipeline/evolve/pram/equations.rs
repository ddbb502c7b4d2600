//! Equations that make matrices, as genes: one for the weights, and a probability or another
//! equation for what stays. One pair makes the matrices of all columns.

use super::Genotype;
use crate::math::equation::{Equation, Token};
use crate::optimize::EquationRules;
use crate::optimize::evolution::{Crossover, Draws};
use crate::optimize::programming::Grammar;
use crate::protect::pram::{
    DIAGONAL_VARIABLES, Diagonal, MatrixEquation, TransitionMatrix, WEIGHT_VARIABLES,
};
use foldhash::fast::FixedState;
use std::hash::BuildHasher;

/// What equations of weights are made of.
fn weights(rules: &EquationRules) -> Grammar {
    Grammar {
        variables: WEIGHT_VARIABLES.len() as u8,
        depth: rules.depth,
    }
}

/// What equations of the diagonal are made of.
fn diagonal(rules: &EquationRules) -> Grammar {
    Grammar {
        variables: DIAGONAL_VARIABLES.len() as u8,
        depth: rules.depth,
    }
}

/// What a child takes over: the roots of parts, its own first; of a probability all of it.
pub(crate) struct Parts {
    weights: Option<[usize; 2]>,
    diagonal: Option<[usize; 2]>,
}

/// Sets the draws of the start apart from those of steps.
const START: u64 = 0x6571_7561_7469_6f6e;

/// A mutation moves a probability by so many hundredths at most.
const HUNDREDTHS: usize = 10;

/// Probabilities have so many digits that hundredths are told apart and sums are not seen.
fn hundredths(p: f64) -> f64 {
    (p * 100.0).round().clamp(0.0, 100.0) / 100.0
}

/// The number of tokens, from the roots on, that are the same.
fn shared(one: &Equation, other: &Equation) -> usize {
    let pairs = one.tokens().iter().rev().zip(other.tokens().iter().rev());
    pairs.filter(|(one, other)| one == other).count()
}

/// A token as a number.
fn coded(token: &Token) -> (u8, u64) {
    match token {
        Token::Variable(number) => (0, u64::from(*number)),
        Token::Constant(constant) => (1, constant.to_bits()),
        Token::Operation(operation) => (2, *operation as u64),
    }
}

impl Genotype for MatrixEquation {
    type Exchange = Parts;
    type Rules = EquationRules;

    fn start(rules: &EquationRules, _: &[Vec<f64>], seed: u64) -> Vec<(String, Self)> {
        let mut draws = Draws::new(seed ^ START);
        let member = |number: usize| {
            let made = weights(rules).initial(rules.initial, number, &mut draws);
            let tenth = (1 + number % 9) as f64 / 10.0;
            let stays = match (rules.diagonal_tree, rules.p) {
                (true, _) => {
                    Diagonal::Equation(diagonal(rules).initial(rules.initial, number, &mut draws))
                }
                (false, p) => Diagonal::Constant(p.unwrap_or(tenth)),
            };
            let made = MatrixEquation {
                weights: made,
                diagonal: stays,
            };
            (made.to_string(), made)
        };
        (0..rules.members).map(member).collect()
    }

    /// A probability that evolves counts as much as the equation of weights.
    fn len(&self, rules: &EquationRules) -> usize {
        let weights = self.weights.tokens().len();
        match &self.diagonal {
            Diagonal::Equation(equation) => weights + equation.tokens().len(),
            Diagonal::Constant(_) if rules.p.is_none() => 2 * weights,
            Diagonal::Constant(_) => weights,
        }
    }

    fn mutated(&self, gene: usize, rules: &EquationRules, draws: &mut Draws) -> Option<Self> {
        let mut mutant = self.clone();
        match gene.checked_sub(self.weights.tokens().len()) {
            None => mutant.weights = weights(rules).mutated(&self.weights, gene, draws),
            Some(place) => {
                mutant.diagonal = match &self.diagonal {
                    Diagonal::Equation(equation) => {
                        Diagonal::Equation(diagonal(rules).mutated(equation, place, draws))
                    }
                    Diagonal::Constant(p) => {
                        let moved = (1 + draws.below(HUNDREDTHS)) as f64 / 100.0;
                        let sign = [-1.0, 1.0][draws.below(2)];
                        Diagonal::Constant(hundredths(p + sign * moved))
                    }
                };
            }
        }
        (mutant != *self).then_some(mutant)
    }

    fn exchange(
        &self,
        other: &Self,
        rules: &EquationRules,
        _: Crossover,
        draws: &mut Draws,
    ) -> [Parts; 2] {
        let which = match rules.p.is_some() && !rules.diagonal_tree {
            true => 0,
            false => draws.below(3),
        };
        let of_weights =
            (which != 1).then(|| weights(rules).exchange(&self.weights, &other.weights, draws));
        let of_diagonal = (which != 0).then(|| match (&self.diagonal, &other.diagonal) {
            (Diagonal::Equation(one), Diagonal::Equation(other)) => {
                diagonal(rules).exchange(one, other, draws)
            }
            _ => [0, 0],
        });
        let swapped = |places: [usize; 2]| [places[1], places[0]];
        [
            Parts {
                weights: of_weights,
                diagonal: of_diagonal,
            },
            Parts {
                weights: of_weights.map(swapped),
                diagonal: of_diagonal.map(swapped),
            },
        ]
    }

    fn crossed(&self, other: &Self, parts: &Parts) -> Self {
        let taken = |one: &Equation, other: &Equation, [own, foreign]: [usize; 2]| {
            one.with_part(own, &other.tokens()[other.part(foreign)])
        };
        let mut child = self.clone();
        if let Some(places) = parts.weights {
            child.weights = taken(&self.weights, &other.weights, places);
        }
        if let Some(places) = parts.diagonal {
            child.diagonal = match (&self.diagonal, &other.diagonal) {
                (Diagonal::Equation(one), Diagonal::Equation(other)) => {
                    Diagonal::Equation(taken(one, other, places))
                }
                _ => other.diagonal.clone(),
            };
        }
        child
    }

    fn shared(&self, other: &Self, rules: &EquationRules) -> usize {
        let weights = shared(&self.weights, &other.weights);
        weights
            + match (&self.diagonal, &other.diagonal) {
                (Diagonal::Equation(one), Diagonal::Equation(other)) => shared(one, other),
                (one, two) if rules.p.is_none() && one == two => self
                    .weights
                    .tokens()
                    .len()
                    .min(other.weights.tokens().len()),
                _ => 0,
            }
    }

    fn fingerprint(&self) -> u64 {
        let weights: Vec<_> = self.weights.tokens().iter().map(coded).collect();
        let diagonal: Vec<_> = match &self.diagonal {
            Diagonal::Constant(p) => vec![(3, p.to_bits())],
            Diagonal::Equation(equation) => equation.tokens().iter().map(coded).collect(),
        };
        FixedState::with_seed(0).hash_one((weights, diagonal))
    }

    fn is_same(&self, _: &Self, _: usize) -> bool {
        false
    }

    fn matrix(&self, _: usize, frequencies: &[f64], _: &EquationRules) -> TransitionMatrix {
        MatrixEquation::matrix(self, frequencies)
    }

    fn equation(&self) -> Option<&MatrixEquation> {
        Some(self)
    }
}
