//! Genetic programming: equations as genes, of a bounded depth.
//!
//! Equations are made by `grow` (a part may end early), by `full` (all parts end at one depth) or
//! half and half, for each depth in turn; their root is an operation. Two exchange parts, and one
//! is mutated in five ways: a token becomes another of its kind (*point*), a part becomes the whole
//! (*hoist*), a part becomes a new one (*subtree*), an operation with its sides becomes a variable
//! or constant (*collapse*), and one of those becomes an operation (*expansion*). None of it makes
//! an equation deeper than the limit.
//!
//! **From** Koza, Genetic programming, 1992; Poli, Langdon and McPhee, A field guide to genetic
//! programming, 2008.

use super::evolution::Draws;
use crate::math::equation::{Equation, Operation, Token};

/// How the first equations are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Initial {
    /// Parts may end before the depth is reached.
    Grow,
    /// All parts end at the depth.
    Full,
    /// Every other one is full, and depths go from 1 to the limit in turn.
    #[default]
    HalfAndHalf,
}

/// What equations are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grammar {
    /// How many variables there are.
    pub variables: u8,
    /// Operations above any token at most; at least 1.
    pub depth: usize,
}

/// How an equation is mutated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A token becomes another one that needs as many sides.
    Point,
    /// A part becomes the whole.
    Hoist,
    /// A part becomes a new one.
    Subtree,
    /// An operation with its sides becomes a variable or constant.
    Collapse,
    /// A variable or constant becomes an operation with its sides.
    Expansion,
}

/// How likely a part that grows ends before its depth.
const ENDS: f64 = 0.3;

impl Grammar {
    /// The equation with this number of those that a search begins with.
    pub fn initial(&self, initial: Initial, number: usize, draws: &mut Draws) -> Equation {
        let (depth, full) = match initial {
            Initial::Grow => (self.depth, false),
            Initial::Full => (self.depth, true),
            Initial::HalfAndHalf => (1 + number / 2 % self.depth.max(1), number.is_multiple_of(2)),
        };
        self.made(depth.max(1), full, draws)
    }

    /// A new equation, whose root is an operation unless the depth is 0.
    fn made(&self, depth: usize, full: bool, draws: &mut Draws) -> Equation {
        let mut tokens = Vec::new();
        self.add(depth, full, true, &mut tokens, draws);
        Equation::new(tokens).unwrap_or_else(|| Equation::constant(1.0))
    }

    fn add(&self, depth: usize, full: bool, root: bool, to: &mut Vec<Token>, draws: &mut Draws) {
        let ends = depth == 0 || !root && !full && draws.share() < ENDS;
        if ends {
            to.push(self.terminal(draws));
            return;
        }
        let operation = Operation::ALL[draws.below(4)];
        self.add(depth - 1, full, false, to, draws);
        self.add(depth - 1, full, false, to, draws);
        to.push(Token::Operation(operation));
    }

    /// A variable or a constant, each as likely; constants from 0 to 9.9.
    fn terminal(&self, draws: &mut Draws) -> Token {
        match draws.below(usize::from(self.variables) + 1) as u8 {
            number if number < self.variables => Token::Variable(number),
            _ => Token::Constant(draws.below(100) as f64 / 10.0),
        }
    }

    /// The roots of the parts that two equations exchange, so that neither becomes too deep.
    pub fn exchange(&self, one: &Equation, other: &Equation, draws: &mut Draws) -> [usize; 2] {
        let first = draws.below(one.tokens().len());
        let (level, height) = (one.levels()[first], one.heights()[first]);
        let (levels, heights) = (other.levels(), other.heights());
        // A node on the same level always fits, and where there is none, a leaf above it.
        let fits = (0..levels.len()).filter(|&second| {
            level + heights[second] <= self.depth && levels[second] + height <= self.depth
        });
        let fits: Vec<usize> = fits.collect();
        let second = fits.get(draws.below(fits.len())).copied();
        [first, second.unwrap_or(levels.len() - 1)]
    }

    /// An equation mutated at one of its tokens, in one of the ways that are possible there.
    pub fn mutated(&self, equation: &Equation, place: usize, draws: &mut Draws) -> Equation {
        let changes = self.changes(equation, place);
        let change = changes[draws.below(changes.len())];
        self.changed(equation, place, change, draws)
    }

    /// The ways in which an equation can be mutated at one of its tokens.
    fn changes(&self, equation: &Equation, place: usize) -> Vec<Change> {
        let is_root = place + 1 == equation.tokens().len();
        let mut changes = vec![Change::Point, Change::Subtree];
        if !is_root {
            changes.push(Change::Hoist);
        }
        match equation.tokens()[place] {
            Token::Operation(_) => changes.push(Change::Collapse),
            _ if equation.levels()[place] < self.depth => changes.push(Change::Expansion),
            _ => {}
        }
        changes
    }

    /// An equation mutated at one of its tokens in a given way.
    ///
    /// # Panics
    /// When there is no such token.
    pub fn changed(
        &self,
        equation: &Equation,
        place: usize,
        change: Change,
        draws: &mut Draws,
    ) -> Equation {
        let left = self.depth.saturating_sub(equation.levels()[place]);
        let part = match change {
            Change::Point => {
                let token = match equation.tokens()[place] {
                    Token::Operation(old) => {
                        let others = Operation::ALL.into_iter().filter(|&other| other != old);
                        let others: Vec<Operation> = others.collect();
                        Token::Operation(others[draws.below(others.len())])
                    }
                    _ => self.terminal(draws),
                };
                let mut tokens = equation.tokens()[equation.part(place)].to_vec();
                tokens.pop();
                tokens.push(token);
                tokens
            }
            Change::Hoist => {
                let tokens = equation.tokens()[equation.part(place)].to_vec();
                return Equation::new(tokens).unwrap_or_else(|| equation.clone());
            }
            Change::Subtree => {
                let mut tokens = Vec::new();
                self.add(left, false, false, &mut tokens, draws);
                tokens
            }
            Change::Collapse => vec![self.terminal(draws)],
            Change::Expansion => self.made(left, false, draws).tokens().to_vec(),
        };
        equation.with_part(place, &part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn grammar(depth: usize) -> Grammar {
        Grammar {
            variables: 4,
            depth,
        }
    }

    fn is_equation(equation: &Equation) -> bool {
        Equation::new(equation.tokens().to_vec()).is_some()
    }

    #[test]
    fn full_ones_end_at_the_depth_grown_ones_at_most_and_all_begin_with_an_operation() {
        let mut draws = Draws::new(3);
        for depth in 1..=5 {
            let grammar = grammar(depth);
            let mut depths = std::collections::BTreeSet::new();
            for number in 0..60 {
                let full = grammar.initial(Initial::Full, number, &mut draws);
                assert_eq!(full.tokens().len(), (1 << (depth + 1)) - 1);
                let grown = grammar.initial(Initial::Grow, number, &mut draws);
                let half = grammar.initial(Initial::HalfAndHalf, number, &mut draws);
                for equation in [&full, &grown, &half] {
                    assert!(is_equation(equation));
                    assert!((1..=depth).contains(&equation.depth()));
                    let root = equation.tokens().last();
                    assert!(matches!(root, Some(Token::Operation(_))));
                }
                depths.insert(half.depth());
            }
            assert_eq!(depths.len(), depth, "all depths in turn");
        }
    }

    proptest! {
        #[test]
        fn no_operator_makes_an_equation_deeper_than_the_limit(depth in 1..7_usize, seed in 0..9999_u64) {
            let mut draws = Draws::new(seed);
            let grammar = grammar(depth);
            let mut pair = [0, 1].map(|n| grammar.initial(Initial::HalfAndHalf, n + seed as usize, &mut draws));
            for _ in 0..60 {
                let place = draws.below(pair[0].tokens().len());
                pair[0] = grammar.mutated(&pair[0], place, &mut draws);
                let [a, b] = grammar.exchange(&pair[0], &pair[1], &mut draws);
                let parts = [pair[0].part(a), pair[1].part(b)];
                let lengths = pair[0].tokens().len() + pair[1].tokens().len();
                let first = pair[0].with_part(a, &pair[1].tokens()[parts[1].clone()]);
                let second = pair[1].with_part(b, &pair[0].tokens()[parts[0].clone()]);
                prop_assert_eq!(first.tokens().len() + second.tokens().len(), lengths);
                pair = [first, second];
                for equation in &pair {
                    prop_assert!(is_equation(equation) && equation.depth() <= depth);
                }
            }
        }
    }

    #[test]
    fn each_mutation_does_what_its_name_says() {
        let names = ["Tk", "S", "L", "Tl"];
        let start = Equation::parse("S - Tk * 2", &names).expect("an equation");
        let grammar = grammar(3);
        let mut draws = Draws::new(1);
        let mut changed = |place, change| grammar.changed(&start, place, change, &mut draws);
        // Tokens: S Tk 2 * -
        assert_eq!(changed(3, Change::Hoist).write(&names), "Tk * 2");
        assert_eq!(changed(3, Change::Collapse).tokens().len(), 3);
        let point = changed(3, Change::Point);
        assert_eq!(point.tokens().len(), 5);
        assert_ne!(point, start);
        let expanded = changed(0, Change::Expansion);
        assert!(expanded.tokens().len() >= 7);
        assert_eq!(
            expanded.tokens()[expanded.tokens().len() - 4..],
            start.tokens()[1..]
        );
        let subtree = changed(3, Change::Subtree);
        assert_eq!(subtree.tokens()[0], start.tokens()[0]);
        assert_eq!(subtree.tokens().last(), start.tokens().last());
    }
}
