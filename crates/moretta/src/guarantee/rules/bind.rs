//! Formulas with columns by number and constants as numbers, once kinds of columns are known.
//!
//! Every value is a number here: a number itself, the day of a date, the place of a category in
//! its order, or the code of a text. Texts are only compared for being equal, so their codes
//! need no order.

use super::formula::{Comparison, Constant, Formula, Operand};
use crate::data::DateFormat;
use std::collections::HashMap;

/// What the values of a column are.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnKind {
    /// Numbers; `whole` when all are.
    Number {
        /// No number between two whole ones is a value.
        whole: bool,
    },
    /// Dates of this format.
    Date(DateFormat),
    /// Categories from the least to the largest.
    Ordered(Vec<String>),
    /// Categories without an order.
    Text,
}

impl ColumnKind {
    fn word(&self) -> &'static str {
        match self {
            ColumnKind::Number { .. } => "a number",
            ColumnKind::Date(_) => "a date",
            ColumnKind::Ordered(_) => "an ordered category",
            ColumnKind::Text => "a category",
        }
    }

    /// Whether only whole numbers stand for values.
    pub(super) fn is_whole(&self) -> bool {
        !matches!(self, ColumnKind::Number { whole: false })
    }

    /// Whether values of both can be compared.
    fn is_like(&self, other: &ColumnKind) -> bool {
        match (self, other) {
            (ColumnKind::Number { .. }, ColumnKind::Number { .. })
            | (ColumnKind::Date(_), ColumnKind::Date(_))
            | (ColumnKind::Text, ColumnKind::Text) => true,
            (ColumnKind::Ordered(one), ColumnKind::Ordered(other)) => one == other,
            _ => false,
        }
    }
}

/// Why a rule does not fit its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// What is wrong.
    pub what: String,
    /// The way out.
    pub help: String,
}

/// A formula on columns by number, whose values are numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Bound {
    Constant(usize, Comparison, f64),
    Columns(usize, Comparison, usize),
    /// One of these, ascending.
    In(usize, Vec<f64>),
    Missing(usize),
    Not(Box<Bound>),
    And(Vec<Bound>),
    Or(Vec<Bound>),
}

/// Codes of texts.
#[derive(Default)]
pub(super) struct Codes {
    codes: HashMap<String, f64>,
}

impl Codes {
    pub(super) fn intern(&mut self, text: &str) -> f64 {
        if let Some(&code) = self.codes.get(text) {
            return code;
        }
        let code = self.codes.len() as f64;
        self.codes.insert(text.to_owned(), code);
        code
    }

    pub(super) fn find(&self, text: &str) -> Option<f64> {
        self.codes.get(text).copied()
    }
}

/// Whether a formula fits columns of these kinds.
///
/// # Errors
/// Why it does not.
pub fn check_kinds(
    formula: &Formula,
    kind: &dyn Fn(&str) -> Option<ColumnKind>,
) -> Result<(), Mismatch> {
    let names: Vec<&str> = formula.columns();
    let mut kinds = Vec::new();
    for name in &names {
        kinds.push(kind(name).ok_or_else(|| Mismatch {
            what: format!("nobody knows what the values of column `{name}` are"),
            help: format!("give `{name}` a type under [columns]"),
        })?);
    }
    bind(formula, &names, &kinds, &mut Codes::default()).map(|_| ())
}

/// The formula on the columns of `names`.
pub(super) fn bind(
    formula: &Formula,
    names: &[&str],
    kinds: &[ColumnKind],
    codes: &mut Codes,
) -> Result<Bound, Mismatch> {
    let place = |name: &str| names.iter().position(|known| *known == name).unwrap_or(0);
    let mut all = |parts: &[Formula]| {
        let parts = parts.iter().map(|part| bind(part, names, kinds, codes));
        parts.collect::<Result<Vec<Bound>, Mismatch>>()
    };
    Ok(match formula {
        Formula::Not(inner) => Bound::Not(Box::new(bind(inner, names, kinds, codes)?)),
        Formula::And(parts) => Bound::And(all(parts)?),
        Formula::Or(parts) => Bound::Or(all(parts)?),
        Formula::Missing(name) => Bound::Missing(place(name)),
        Formula::In(name, constants) => {
            let kind = &kinds[place(name)];
            let constants = constants.iter();
            let values = constants.map(|constant| value(name, kind, constant, codes));
            let mut values = values.collect::<Result<Vec<f64>, Mismatch>>()?;
            values.sort_by(f64::total_cmp);
            values.dedup();
            Bound::In(place(name), values)
        }
        Formula::Compare(name, comparison, operand) => {
            let kind = &kinds[place(name)];
            if comparison.is_of_order() && *kind == ColumnKind::Text {
                return Err(Mismatch {
                    what: format!("column `{name}` is a category without an order"),
                    help: format!(
                        "compare it by = and !=, or give `{name}` an `order` under [columns]"
                    ),
                });
            }
            match operand {
                Operand::Constant(constant) => {
                    let constant = value(name, kind, constant, codes)?;
                    Bound::Constant(place(name), *comparison, constant)
                }
                Operand::Column(other) => {
                    let kinds = (kind, &kinds[place(other)]);
                    if !kinds.0.is_like(kinds.1) {
                        return Err(Mismatch {
                            what: format!(
                                "columns `{name}` and `{other}` cannot be compared: one is {}, the other {}",
                                kinds.0.word(),
                                kinds.1.word()
                            ),
                            help: "give both the same type under [columns]; ordered categories need the same order".to_owned(),
                        });
                    }
                    Bound::Columns(place(name), *comparison, place(other))
                }
            }
        }
    })
}

/// What a constant is among the values of a column.
fn value(
    name: &str,
    kind: &ColumnKind,
    constant: &Constant,
    codes: &mut Codes,
) -> Result<f64, Mismatch> {
    let found = match (kind, constant) {
        (ColumnKind::Number { .. }, Constant::Number(number)) => Some(*number + 0.0),
        (ColumnKind::Date(format), Constant::Text(text)) => format
            .parse(text)
            .or_else(|| DateFormat::ISO.parse(text))
            .map(f64::from),
        (ColumnKind::Ordered(order), Constant::Text(text)) => {
            let place = order.iter().position(|known| known == text);
            place.map(|place| place as f64)
        }
        (ColumnKind::Text, Constant::Text(text)) => Some(codes.intern(text)),
        _ => None,
    };
    found.ok_or_else(|| {
        let help = match kind {
            ColumnKind::Number { .. } => "compare it with a number, without quotes".to_owned(),
            ColumnKind::Date(format) => {
                format!("write a date as '{}' or '2024-12-31'", format.pattern())
            }
            ColumnKind::Ordered(_) => "compare it with a category of its `order`".to_owned(),
            ColumnKind::Text => {
                "put the text into quotes; for numbers give the column a type".to_owned()
            }
        };
        Mismatch {
            what: format!(
                "column `{name}` is {}, and the rule compares it with something else",
                kind.word()
            ),
            help,
        }
    })
}
