//! Which released rows are wanted, by what their cells say.

use super::csv::Cell;
use super::says::Says;
use crate::problem::{Problem, Result};
use schemars::JsonSchema;
use serde::Deserialize;

/// How many conditions there may be.
const MOST: usize = 8;
/// How many values a condition may name.
const VALUES: usize = 100;

/// A condition on a column.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Condition {
    /// The column.
    column: String,
    /// How the cell is compared.
    is: Comparison,
    /// With what; none for a missing cell.
    values: Vec<Cell>,
}

/// How a cell is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub(super) enum Comparison {
    /// The cell is written so.
    #[serde(rename = "=")]
    Equal,
    /// The cell is written as one of these.
    #[serde(rename = "in")]
    In,
    /// The cell is or covers this value: `57..80` contains 60.
    #[serde(rename = "contains")]
    Contains,
    /// The cell and this interval have a value in common.
    #[serde(rename = "overlaps")]
    Overlaps,
}

/// Conditions, all of which a row meets.
#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    conditions: Vec<(usize, Condition)>,
}

impl Filter {
    /// Reads conditions, a JSON list, on the columns of a release.
    ///
    /// # Errors
    /// When they are no conditions on these columns.
    pub(super) fn read(text: Option<&str>, columns: &[String]) -> Result<Self> {
        let Some(text) = text else {
            return Ok(Filter::default());
        };
        let conditions: Vec<Condition> = serde_json::from_str(text).map_err(|_| {
            Problem::unusable("`where` is no list of conditions").help(
                "such as [{\"column\": \"age\", \"is\": \"contains\", \"values\": [\"60\"]}], with \
                 =, in, contains or overlaps",
            )
        })?;
        if conditions.len() > MOST {
            let what = format!("there are more than {MOST} conditions");
            return Err(Problem::unusable(what));
        }
        let place = |condition: Condition| {
            let values = condition.values.len();
            if !(condition.is == Comparison::In && (1..=VALUES).contains(&values) || values == 1) {
                let what = "a condition names one value, and `in` up to 100";
                return Err(Problem::unusable(what));
            }
            let column = place_of(&condition.column, columns)?;
            Ok((column, condition))
        };
        let conditions = conditions.into_iter().map(place).collect::<Result<_>>()?;
        Ok(Filter { conditions })
    }

    /// Whether a row meets all conditions.
    pub(super) fn keeps(&self, row: &[Cell]) -> bool {
        self.conditions.iter().all(|(column, condition)| {
            row.get(*column)
                .is_some_and(|cell| condition.is_met(cell.as_deref()))
        })
    }
}

/// The place of a column that a request names.
///
/// # Errors
/// When the release has none of this name.
pub(super) fn place_of(name: &str, columns: &[String]) -> Result<usize> {
    let place = columns.iter().position(|column| column == name);
    place.ok_or_else(|| {
        Problem::unusable("the release has no such column").help("its dictionary lists the columns")
    })
}

impl Condition {
    fn is_met(&self, cell: Option<&str>) -> bool {
        let mut values = self.values.iter().map(Option::as_deref);
        values.any(|value| match (self.is, cell, value) {
            (Comparison::Equal | Comparison::In, cell, value) => cell == value,
            (_, None, None) => true,
            (_, Some(cell), Some(value)) => {
                cell == value || Says::read(cell).overlaps(&Says::read(value))
            }
            _ => false,
        })
    }
}
