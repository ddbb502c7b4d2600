//! Lists, page by page: a page ends with the mark where the next one begins.

use crate::problem::{Problem, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which page of a list.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageQuery {
    /// The `next` of the page before.
    pub after: Option<String>,
    /// How many at most, up to 500; 100 without.
    pub limit: Option<u32>,
}

/// A page of a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Page<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// Where the next page begins; none at the end.
    pub next: Option<String>,
}

impl PageQuery {
    /// How many are wanted.
    ///
    /// # Errors
    /// When there would be none or too many.
    pub fn limit(&self) -> Result<i64> {
        match self.limit.unwrap_or(100) {
            limit @ 1..=500 => Ok(i64::from(limit)),
            _ => Err(Problem::unusable("a page has 1 to 500 entries")),
        }
    }

    /// The number after which the page begins.
    ///
    /// # Errors
    /// When the mark is none of ours.
    pub fn after_number(&self) -> Result<Option<i64>> {
        let number = |mark: &String| {
            mark.parse()
                .map_err(|_| Problem::unusable("`after` is no mark of a page"))
        };
        self.after.as_ref().map(number).transpose()
    }

    /// The text after which the page begins.
    pub fn after_text(&self) -> &str {
        self.after.as_deref().unwrap_or_default()
    }
}

impl<T> Page<T> {
    /// A page of what was read, one more than `limit` where there are more.
    pub fn of(mut items: Vec<T>, limit: i64, mark: impl Fn(&T) -> String) -> Self {
        let more = items.len() as i64 > limit;
        items.truncate(limit as usize);
        let next = items.last().filter(|_| more).map(mark);
        Page { items, next }
    }
}
