//! Equations as tokens in postfix order, executed on a stack.
//!
//! `S Tk - Tl -` is S − Tk − Tl: a variable or a constant is put on the stack, an operation takes
//! two values from it and puts one back. What is divided by 0 is 1, so that every equation has a
//! value, which may be infinite or not a number. [`Equation::parse`] and [`Equation::write`] read
//! and write the same as people do, `S - Tk - Tl`, with no more parentheses than it takes.
//!
//! **From** Koza, Genetic programming, 1992 (protected division); equations of transition matrices
//! from Marés, 2013.
//!
//! ```
//! use moretta_data::math::equation::Equation;
//! let sum = Equation::parse("(a + b) * 2", &["a", "b"]).expect("an equation");
//! assert_eq!(sum.value(&[1.0, 3.0], &mut Vec::new()), 8.0);
//! assert_eq!(sum.write(&["a", "b"]), "(a + b) * 2");
//! ```

mod text;

pub use text::{Fault, MOST_CHARACTERS};

use std::ops::Range;

/// A part of an equation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token {
    /// The variable with this number.
    Variable(u8),
    /// A number, finite and not below 0.
    Constant(f64),
    /// What is done with two values.
    Operation(Operation),
}

/// What is done with two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The sum.
    Plus,
    /// The difference.
    Minus,
    /// The product.
    Times,
    /// The quotient; 1 where it is divided by 0.
    Over,
}

impl Operation {
    /// All of them.
    pub const ALL: [Operation; 4] = [
        Operation::Plus,
        Operation::Minus,
        Operation::Times,
        Operation::Over,
    ];

    /// What it makes of two values.
    #[inline]
    pub fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Operation::Plus => a + b,
            Operation::Minus => a - b,
            Operation::Times => a * b,
            Operation::Over if b == 0.0 => 1.0,
            Operation::Over => a / b,
        }
    }
}

/// Executes tokens on a stack, which keeps what is left. A variable that has no value, and an
/// operation without two values, give what is not a number.
pub fn execute(tokens: &[Token], variables: &[f64], stack: &mut Vec<f64>) {
    for token in tokens {
        let value = match *token {
            Token::Variable(number) => variables.get(usize::from(number)).copied(),
            Token::Constant(constant) => Some(constant),
            Token::Operation(operation) => {
                let (b, a) = (stack.pop(), stack.pop());
                a.zip(b).map(|(a, b)| operation.of(a, b))
            }
        };
        stack.push(value.unwrap_or(f64::NAN));
    }
}

/// Tokens that leave exactly one value.
#[derive(Clone, Debug, PartialEq)]
pub struct Equation(Vec<Token>);

/// Tokens of an equation at most.
pub const MOST_TOKENS: usize = 1023;

impl Equation {
    /// The equation of these tokens; none where they do not leave one value, are too many, or hold
    /// a constant that is infinite or below 0.
    pub fn new(tokens: Vec<Token>) -> Option<Self> {
        let mut values = 0_usize;
        for token in &tokens {
            match token {
                Token::Variable(_) => values += 1,
                Token::Constant(constant) => {
                    let fits = constant.is_finite() && constant.is_sign_positive();
                    values += fits.then_some(1)?;
                }
                Token::Operation(_) => values = values.checked_sub(1).filter(|&left| left > 0)?,
            }
        }
        (values == 1 && tokens.len() <= MOST_TOKENS).then_some(Equation(tokens))
    }

    /// A number.
    ///
    /// # Panics
    /// When it is infinite or below 0.
    pub fn constant(value: f64) -> Self {
        Equation::new(vec![Token::Constant(value)]).expect("finite and not below 0")
    }

    /// The tokens in postfix order; the last one is the root.
    pub fn tokens(&self) -> &[Token] {
        &self.0
    }

    /// The value for these variables; `stack` is only there to be used again.
    pub fn value(&self, variables: &[f64], stack: &mut Vec<f64>) -> f64 {
        stack.clear();
        execute(&self.0, variables, stack);
        stack.pop().unwrap_or(f64::NAN)
    }

    /// How many operations are above the deepest token: 0 of a variable or a constant alone.
    pub fn depth(&self) -> usize {
        self.heights().last().copied().unwrap_or(0)
    }

    /// For each token, the depth of the part of which it is the root.
    pub fn heights(&self) -> Vec<usize> {
        let mut stack: Vec<usize> = Vec::new();
        let height = |token: &Token| {
            let height = match token {
                Token::Operation(_) => {
                    let below = [stack.pop(), stack.pop()];
                    1 + below.into_iter().flatten().max().unwrap_or(0)
                }
                _ => 0,
            };
            stack.push(height);
            height
        };
        self.0.iter().map(height).collect()
    }

    /// For each token, how many operations are above it.
    pub fn levels(&self) -> Vec<usize> {
        let mut levels = vec![0; self.0.len()];
        let mut open = vec![0];
        for (level, token) in levels.iter_mut().zip(&self.0).rev() {
            *level = open.pop().unwrap_or(0);
            if matches!(token, Token::Operation(_)) {
                open.extend([*level + 1; 2]);
            }
        }
        levels
    }

    /// The tokens of the part whose root is at a place.
    ///
    /// # Panics
    /// When there is no such token.
    pub fn part(&self, root: usize) -> Range<usize> {
        let mut needed = 1_usize;
        let mut first = root + 1;
        while needed > 0 {
            first -= 1;
            match self.0[first] {
                Token::Operation(_) => needed += 1,
                _ => needed -= 1,
            }
        }
        first..root + 1
    }

    /// This one with other tokens, which are those of an equation, in place of the part whose root
    /// is at a place.
    ///
    /// # Panics
    /// When there is no such token.
    #[must_use]
    pub fn with_part(&self, root: usize, part: &[Token]) -> Self {
        let mut tokens = self.0.clone();
        tokens.splice(self.part(root), part.iter().copied());
        Equation(tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 4] = ["Tk", "S", "L", "Tl"];

    fn parsed(text: &str) -> Equation {
        Equation::parse(text, &NAMES).expect("an equation")
    }

    #[test]
    fn what_is_divided_by_nothing_is_one() {
        let value = |text: &str| parsed(text).value(&[5.0, 10.0, 2.0, 0.0], &mut Vec::new());
        assert_eq!(value("Tk / Tl"), 1.0);
        assert_eq!(value("Tk / (Tl - Tl)"), 1.0);
        assert_eq!(value("S - Tk / L"), 7.5);
        assert_eq!(value("(S - Tk) / L * 3"), 7.5);
    }

    #[test]
    fn tokens_that_leave_no_value_or_several_are_no_equation() {
        let [a, plus] = [Token::Variable(0), Token::Operation(Operation::Plus)];
        assert!(Equation::new(vec![]).is_none());
        assert!(Equation::new(vec![a, a]).is_none());
        assert!(Equation::new(vec![a, plus]).is_none());
        assert!(Equation::new(vec![plus, a, a]).is_none());
        assert!(Equation::new(vec![a, a, plus, plus]).is_none());
        assert!(Equation::new(vec![a, a, plus]).is_some());
        for constant in [f64::NAN, f64::INFINITY, -1.0, -0.0] {
            assert!(Equation::new(vec![Token::Constant(constant)]).is_none());
        }
        let mut long = vec![a];
        while long.len() <= MOST_TOKENS {
            long.extend([a, plus]);
        }
        assert!(Equation::new(long).is_none());
    }

    #[test]
    fn parts_levels_and_heights_are_those_of_the_tree() {
        // Tokens: S Tk - Tl 2 * +
        let equation = parsed("S - Tk + Tl * 2");
        assert_eq!(equation.depth(), 2);
        assert_eq!(equation.levels(), [2, 2, 1, 2, 2, 1, 0]);
        assert_eq!(equation.heights(), [0, 0, 1, 0, 0, 1, 2]);
        assert_eq!(equation.part(6), 0..7);
        assert_eq!(equation.part(5), 3..6);
        assert_eq!(equation.part(1), 1..2);
        let other = equation.with_part(2, &[Token::Constant(7.0)]);
        assert_eq!(other, parsed("7 + Tl * 2"));
    }
}
