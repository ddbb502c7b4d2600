//! Transition matrices that an equation makes of frequencies.
//!
//! Of category k that becomes another one, l ≠ k, the weight is an equation of Tk and Tl, how many
//! rows have them, of S, how many have any, and of L, how many categories there are. A weight that
//! is below 0, infinite or not a number is 0, and where all of a row are, they are alike. What
//! stays is one probability for all categories, or an equation of Tk, S and L, cut off at 0 and 1.
//! `S - Tk - Tl` with p makes the matrix of `constant-diagonal`.

use super::matrix::TransitionMatrix;
use crate::error::{Error, Result};
use crate::math::equation::{Equation, Fault};

/// What an equation of weights can be of.
pub const WEIGHT_VARIABLES: [&str; 4] = ["Tk", "S", "L", "Tl"];

/// What an equation of the diagonal can be of.
pub const DIAGONAL_VARIABLES: [&str; 3] = ["Tk", "S", "L"];

/// Equations that make a matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixEquation {
    /// How likely a category becomes another one, compared with others.
    pub weights: Equation,
    /// How likely it stays.
    pub diagonal: Diagonal,
}

/// How likely a category stays.
#[derive(Clone, Debug, PartialEq)]
pub enum Diagonal {
    /// All alike.
    Constant(f64),
    /// By an equation, cut off at 0 and 1.
    Equation(Equation),
}

impl MatrixEquation {
    /// Reads the equation of weights, for matrices in which all categories stay alike.
    ///
    /// # Errors
    /// When it is none, with the place where that shows.
    pub fn parse(weights: &str, p: f64) -> Result<Self> {
        Ok(MatrixEquation {
            weights: read("equation", weights, &WEIGHT_VARIABLES)?,
            diagonal: Diagonal::Constant(p),
        })
    }

    /// The matrix of these frequencies.
    pub fn matrix(&self, frequencies: &[f64]) -> TransitionMatrix {
        let levels = frequencies.len();
        let all: f64 = frequencies.iter().sum();
        let mut stack = Vec::new();
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(levels);
        for (k, &of_k) in frequencies.iter().enumerate() {
            let mut variables = [of_k, all, levels as f64, 0.0];
            let stays = match &self.diagonal {
                _ if levels == 1 => 1.0,
                Diagonal::Constant(p) => *p,
                Diagonal::Equation(equation) => {
                    let stays = equation.value(&variables, &mut stack);
                    if stays.is_nan() {
                        0.0
                    } else {
                        stays.clamp(0.0, 1.0)
                    }
                }
            };
            let mut weight = |(l, &of_l): (usize, &f64)| {
                variables[3] = of_l;
                let weight = self.weights.value(&variables, &mut stack);
                if l != k && weight.is_finite() {
                    weight.max(0.0)
                } else {
                    0.0
                }
            };
            let mut row: Vec<f64> = frequencies.iter().enumerate().map(&mut weight).collect();
            // Divided by the largest first, as the sum of finite weights may be infinite.
            let largest = row.iter().copied().fold(0.0, f64::max);
            for (l, weight) in row.iter_mut().enumerate() {
                *weight = match largest > 0.0 {
                    true => *weight / largest,
                    false => f64::from(l != k),
                };
            }
            let sum: f64 = row.iter().sum();
            row.iter_mut()
                .for_each(|weight| *weight *= (1.0 - stays) / sum.max(1.0));
            row[k] = stays;
            rows.push(row);
        }
        TransitionMatrix::of(levels, |k, l| rows[k][l])
    }

    /// The equation of weights as people write it.
    pub fn weights_text(&self) -> String {
        self.weights.write(&WEIGHT_VARIABLES)
    }

    /// The equation of the diagonal as people write it; none where it is a number.
    pub fn diagonal_text(&self) -> Option<String> {
        match &self.diagonal {
            Diagonal::Constant(_) => None,
            Diagonal::Equation(equation) => Some(equation.write(&DIAGONAL_VARIABLES)),
        }
    }
}

impl std::fmt::Display for MatrixEquation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.weights_text())?;
        match (&self.diagonal, self.diagonal_text()) {
            (Diagonal::Constant(p), _) => write!(f, ", p = {p}"),
            (_, text) => write!(f, ", stays {}", text.unwrap_or_default()),
        }
    }
}

/// Reads an equation that a key of a policy holds.
///
/// # Errors
/// When it is none, with the place where that shows.
pub(super) fn read(key: &str, text: &str, names: &[&str]) -> Result<Equation> {
    Equation::parse(text, names).map_err(|Fault { position, what }| {
        Error::policy(format!("`{key}`, position {position}: {what}")).help(format!(
            "an equation has {}, numbers, + - * / and parentheses, such as S - Tk",
            names.join(", ")
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(weights: &str, diagonal: Option<&str>, frequencies: &[f64]) -> TransitionMatrix {
        let mut equation = MatrixEquation::parse(weights, 0.5).expect("an equation");
        if let Some(text) = diagonal {
            let read = read("diagonal", text, &DIAGONAL_VARIABLES);
            equation.diagonal = Diagonal::Equation(read.expect("an equation"));
        }
        equation.matrix(frequencies)
    }

    fn assert_near(found: &TransitionMatrix, expected: &TransitionMatrix) {
        for (a, b) in found.rows().flatten().zip(expected.rows().flatten()) {
            assert!((a - b).abs() < 1e-12, "{found:?} {expected:?}");
        }
    }

    const FREQUENCIES: [f64; 4] = [10.0, 20.0, 30.0, 40.0];

    #[test]
    fn both_designs_of_the_literature_are_equations() {
        assert_near(
            &matrix("S - Tk - Tl", None, &FREQUENCIES),
            &TransitionMatrix::constant_diagonal(&FREQUENCIES, 0.5),
        );
        assert_near(
            &matrix("1", Some("1 - 0.8 * 10 / Tk"), &FREQUENCIES),
            &TransitionMatrix::equal_counts(&FREQUENCIES, 0.8),
        );
    }

    #[test]
    fn rows_are_probabilities_whatever_the_equation_and_the_frequencies() {
        for weights in [
            "0 - Tl",
            "Tk / 0",
            "1 / Tl",
            "Tl * Tl * 1e300",
            "Tk - Tl",
            "1e300 * 1e300 - 1e300 * 1e300",
        ] {
            for diagonal in [
                None,
                Some("0 - Tk"),
                Some("Tk"),
                Some("1e300 * 1e300 - 1e300 * 1e300"),
            ] {
                for frequencies in [
                    &FREQUENCIES[..],
                    &[0.0, 5.0, 0.0],
                    &[7.0],
                    &[0.0, 0.0],
                    &[1e300, 1e300],
                ] {
                    let matrix = matrix(weights, diagonal, frequencies);
                    for row in matrix.rows() {
                        assert!(
                            row.iter().all(|p| (0.0..=1.0).contains(p)),
                            "{weights} {row:?}"
                        );
                        assert!(
                            (row.iter().sum::<f64>() - 1.0).abs() < 1e-12,
                            "{weights} {row:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn weights_that_are_all_nothing_are_alike() {
        let found = matrix("0 - 1", None, &[1.0, 2.0, 3.0]);
        assert_eq!(found.rows().next(), Some(&[0.5, 0.25, 0.25][..]));
    }

    #[test]
    fn faults_name_the_key_and_the_position() {
        let error = MatrixEquation::parse("S - Tx", 0.5).expect_err("no variable");
        assert!(
            error.to_string().contains("`equation`, position 5"),
            "{error}"
        );
        assert!(read("diagonal", "Tl", &DIAGONAL_VARIABLES).is_err());
    }
}
