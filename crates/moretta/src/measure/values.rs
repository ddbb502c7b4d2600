//! What the measures of the [`LIST`] say of a table.

use super::{Grouped, Info, LIST, Measures, Of, find};

/// A measure before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Its name in the list.
    pub name: &'static str,
    /// Of the original; none when it makes no sense there.
    pub before: Option<f64>,
    /// Of the release.
    pub after: f64,
}

impl Measures {
    /// Every measure that makes sense here, in the order of the list.
    pub fn values(&self) -> Vec<Value> {
        self.values_with(self.rows_suppressed())
    }

    /// As [`Measures::values`], as if so many rows had been suppressed.
    pub fn values_with(&self, suppressed: u64) -> Vec<Value> {
        let grouped = self.grouped(suppressed);
        let value = |info| self.value_of(info, &grouped);
        LIST.iter().filter_map(value).collect()
    }

    /// The measure called `name`, if it makes sense here; others are not computed.
    pub fn value(&self, name: &str) -> Option<Value> {
        self.value_of(find(name)?, &self.grouped(self.rows_suppressed()))
    }

    fn value_of(&self, info: &'static Info, grouped: &Grouped<'_>) -> Option<Value> {
        let (before, after) = match info.of {
            Of::Classes(measure) => {
                let figure = measure(grouped)?;
                (figure.before, figure.after)
            }
            Of::Lessons { .. } => (None, self.accuracy_loss(info.name)?),
            Of::Attacks => (None, self.attack(info.name)?),
            Of::Records(_) | Of::Categories(_) | Of::Events => return None,
        };
        Some(Value {
            name: info.name,
            before,
            after,
        })
    }
}
