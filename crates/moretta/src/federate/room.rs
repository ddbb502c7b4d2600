//! Which numbers the columns of a site have, and how many values a federation has room for.
//!
//! Every limit is one that a site is held to before anything is made of what it says, so a site
//! that says too much keeps nobody else from taking part.

use super::terms::Terms;
use super::topology::{COMMON, Column, FragmentKind};
use crate::learn::MOST_COUNTS;
use std::ops::Range;

/// Numbers for columns that one site alone has, and values of raw columns, at most.
const ROOM: u64 = 1 << 16;

/// The numbers of columns that a site alone has: no two sites share one.
pub fn own_numbers(site: u16, sites: usize) -> Range<u64> {
    let count = ROOM / (sites.max(1) as u64);
    let first = u64::from(site) * count;
    first..first + count
}

/// Whether a site may have columns of these numbers.
pub(super) fn are_own(site: u16, columns: &[Column], terms: &Terms) -> bool {
    let own = own_numbers(site, terms.sites.len());
    columns
        .iter()
        .all(|column| column.id >= COMMON || own.contains(&column.id))
}

/// Values that the columns of one site may have, where a trouble node counts the values of raw
/// records: an equal part for each site of what a learner can hold.
pub(crate) fn most_values(terms: &Terms) -> Option<u64> {
    let trouble = terms.trouble.as_ref();
    trouble.filter(|trouble| trouble.fragments == FragmentKind::Raw)?;
    let counts = MOST_COUNTS as u64 / u64::from(terms.classes.max(1));
    Some(counts.saturating_sub(1).min(ROOM) / (terms.sites.len().max(1) as u64))
}

/// Values of columns; a number counts as one.
pub(crate) fn values_of<'a>(columns: impl IntoIterator<Item = &'a Column>) -> u64 {
    let columns = columns.into_iter();
    columns.map(|column| u64::from(column.values.max(1))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::federate::{Ratio, Rule};
    use crate::learn::{Header, Input};

    fn column(id: u64, values: u32) -> Column {
        Column {
            id,
            size: 1,
            values,
        }
    }

    #[test]
    fn each_site_has_numbers_of_its_own_and_common_ones_are_nobodys() {
        let terms = Terms::of_study(3, 2, Rule::Vote);
        let check = |site, id, is_own| {
            assert_eq!(are_own(site, &[column(id, 0)], &terms), is_own, "{id}");
        };
        check(0, 0, true);
        check(0, 21_844, true);
        check(0, 21_845, false);
        check(1, 21_845, true);
        check(2, 65_534, true);
        check(2, 65_535, false);
        check(1, COMMON, true);
        check(1, u64::MAX, true);
        check(1, COMMON - 1, false);
    }

    #[test]
    fn what_all_sites_may_have_together_a_learner_can_be_made_for() {
        for (sites, classes) in [(2, 2), (4, 2), (100, 3), (1024, 64), (3, 100_000)] {
            let mut terms = Terms::of_study(sites, classes, Rule::Vote);
            assert_eq!(most_values(&terms), None);
            terms = terms.with_trouble(Ratio::ONE);
            let most = most_values(&terms).expect("raw") as usize;
            let inputs = vec![Input::Nominal { values: most }; usize::from(sites)];
            assert!(Header::new(inputs, classes as usize).is_ok(), "{sites}");
        }
        assert_eq!(values_of(&[column(0, 0), column(1, 7)]), 8);
    }
}
