//! Who else could be behind a released row: suppressed persons that a class covers.
//!
//! The journalist's population is the original table. Of it, a class may stand
//! for its own rows and for suppressed rows that its regions cover.
//!
//! Cost: classes × groups of suppressed rows. When that is over
//! [`COMPARISONS`], nobody is counted, so that the risk is rather shown too
//! high than too low.

use crate::data::region::Value;
use crate::data::{Domain, Region, Scale};
use crate::measure::column::{Held, Values};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Pairs of a class and a group of suppressed rows that are compared at most.
const COMPARISONS: usize = 10_000_000;

/// A column: its domain, and the codes of its released and suppressed values.
pub(in crate::measure) struct Matched<'a> {
    pub(in crate::measure) domain: &'a Domain,
    pub(in crate::measure) released: &'a Values,
    /// The code of each class.
    pub(in crate::measure) classes: Vec<u32>,
    pub(in crate::measure) original: &'a Values,
    /// The code of each group of suppressed rows.
    pub(in crate::measure) groups: Vec<u32>,
}

/// How many suppressed persons each of `classes` covers, where `persons` are those of each
/// group of suppressed rows.
pub(in crate::measure) fn covered_persons(
    classes: usize,
    persons: &[u32],
    columns: &[Matched<'_>],
) -> Vec<u64> {
    if persons.is_empty() || persons.len().saturating_mul(classes) > COMPARISONS {
        return vec![0; classes];
    }
    let mut known: Vec<HashMap<(u32, u32), bool, FixedState>> =
        columns.iter().map(|_| HashMap::default()).collect();
    let mut covers = |class: usize, group: usize| {
        columns.iter().zip(&mut known).all(|(column, known)| {
            let pair = (column.classes[class], column.groups[group]);
            *known
                .entry(pair)
                .or_insert_with(|| column.covers(pair.0, pair.1))
        })
    };
    (0..classes)
        .map(|class| {
            let groups = persons.iter().enumerate();
            let inside = groups.filter(|(group, _)| covers(class, *group));
            inside.map(|(_, &persons)| u64::from(persons)).sum()
        })
        .collect()
}

impl Matched<'_> {
    fn covers(&self, released: u32, original: u32) -> bool {
        let original = self.original.get(original);
        match self.released.get(released) {
            // A number stands for itself.
            Held::Missing | Held::Number(_) => self.released.get(released) == original,
            Held::Text(text) => Region::parse(Some(text), self.domain)
                .is_some_and(|region| region.covers(self.value(original), self.domain)),
        }
    }

    fn value<'a>(&self, original: Held<'a>) -> Value<'a> {
        match (original, &self.domain.scale) {
            (Held::Missing, _) => Value::Missing,
            (Held::Number(number), _) => Value::Number(number),
            (Held::Text(text), Scale::Category { levels, .. }) => {
                let code = levels.iter().position(|level| level == text);
                Value::Category(code.unwrap_or(levels.len()) as u32, text)
            }
            (Held::Text(text), Scale::Number { .. }) => Value::Category(u32::MAX, text),
        }
    }
}
