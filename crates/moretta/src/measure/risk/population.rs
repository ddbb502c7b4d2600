//! Who else could be behind a released row: suppressed persons that a class covers.
//!
//! The journalist's population is the original table. Of it, a class may stand
//! for its own rows and for suppressed rows that its regions cover.
//!
//! Cost: classes × groups of suppressed rows. When that is over
//! [`COMPARISONS`], nobody is counted, so that the risk is rather shown too
//! high than too low.

use crate::data::region::Value;
use crate::data::{Domain, Levels, Region, Scale};
use crate::measure::column::MISSING_WORD;
use crate::measure::groups::Groups;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Pairs of a class and a group of suppressed rows that are compared at most.
const COMPARISONS: usize = 10_000_000;

/// A column: its domain and the texts of its original and released words.
pub(in crate::measure) struct Matched<'a> {
    pub(in crate::measure) domain: &'a Domain,
    pub(in crate::measure) original: &'a Levels,
    pub(in crate::measure) released: &'a Levels,
}

/// How many suppressed persons each class covers.
pub(in crate::measure) fn covered_persons(
    classes: &Groups,
    suppressed: &Groups,
    columns: &[Matched<'_>],
) -> Vec<u64> {
    let sizes = suppressed.sizes().persons;
    let count = classes.tuples().count();
    if sizes.len().saturating_mul(count) > COMPARISONS {
        return vec![0; count];
    }
    let mut known: Vec<HashMap<(u64, u64), bool, FixedState>> =
        columns.iter().map(|_| HashMap::default()).collect();
    let mut covers = |class: &[u64], group: &[u64]| {
        (0..columns.len()).all(|i| {
            *known[i]
                .entry((class[i], group[i]))
                .or_insert_with(|| columns[i].covers(class[i], group[i]))
        })
    };
    classes
        .tuples()
        .map(|class| {
            let groups = suppressed.tuples().zip(&sizes);
            let inside = groups.filter(|(group, _)| covers(class, group));
            inside.map(|(_, &persons)| u64::from(persons)).sum()
        })
        .collect()
}

impl Matched<'_> {
    fn covers(&self, released: u64, original: u64) -> bool {
        if released == MISSING_WORD {
            return original == MISSING_WORD;
        }
        // The release holds numbers, not texts: each stands for itself.
        if released >= self.released.len() as u64 {
            return released == original;
        }
        let text = self.released.get(released as u32);
        Region::parse(Some(text), self.domain)
            .is_some_and(|region| region.covers(self.value(original), self.domain))
    }

    fn value(&self, original: u64) -> Value<'_> {
        match &self.domain.scale {
            _ if original == MISSING_WORD => Value::Missing,
            Scale::Number { .. } => Value::Number(f64::from_bits(original)),
            Scale::Category { levels, .. } => {
                let text = self.original.get(original as u32);
                let code = levels.iter().position(|level| level == text);
                Value::Category(code.unwrap_or(levels.len()) as u32, text)
            }
        }
    }
}
