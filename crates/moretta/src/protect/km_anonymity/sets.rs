//! Counts by how many persons each set of labels is shown.

use super::cut::Cut;
use super::transactions::Transactions;
use crate::cancel::Cancel;
use crate::error::Result;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use rayon::prelude::*;

/// The largest sets that are counted: four nodes make one key.
pub(crate) const LARGEST_SET: usize = 4;

/// A set of at most [`LARGEST_SET`] labels, ascending, as one number.
pub(super) type Set = u128;

/// Persons whose sets are counted at a time.
const CHUNK: usize = 1 << 12;

/// The labels of a set; one is added to each, so that none is 0.
pub(super) fn labels(set: Set) -> impl Iterator<Item = u32> {
    let labels = (0..LARGEST_SET).map(move |place| (set >> (32 * place)) as u32);
    labels
        .take_while(|&label| label != 0)
        .map(|label| label - 1)
}

/// By how many of these persons each set of just `size` labels is shown.
pub(super) fn supports(
    transactions: &Transactions,
    cut: &Cut<'_>,
    persons: &[u32],
    size: usize,
    cancel: &Cancel,
) -> Result<HashMap<Set, u32, FixedState>> {
    let chunks = persons.par_chunks(CHUNK).map(|chunk| {
        cancel.check()?;
        let mut counts = HashMap::default();
        count(transactions, cut, chunk, size, |_| true, &mut counts);
        Ok(counts)
    });
    chunks.try_reduce(HashMap::default, |a, b| {
        let (mut more, less) = if a.len() < b.len() { (b, a) } else { (a, b) };
        for (set, persons) in less {
            *more.entry(set).or_default() += persons;
        }
        Ok(more)
    })
}

/// Adds the sets of `size` labels, at least one of them `wanted`, that some persons show.
pub(super) fn count(
    transactions: &Transactions,
    cut: &Cut<'_>,
    persons: &[u32],
    size: usize,
    wanted: impl Fn(u32) -> bool,
    counts: &mut HashMap<Set, u32, FixedState>,
) {
    let mut shown = Vec::new();
    for &person in persons {
        shown.clear();
        let items = transactions.of(person as usize).iter();
        shown.extend(items.map(|&leaf| cut.shown(leaf)));
        // Leaves ascend, so those under one node follow each other.
        shown.dedup();
        shown.sort_unstable();
        extend(&shown, 0, false, (size, 0), &wanted, counts);
    }
}

/// Adds all sets that begin with `set` and have so many more labels of those shown.
fn extend(
    shown: &[u32],
    set: Set,
    has_wanted: bool,
    (more, place): (usize, usize),
    wanted: &impl Fn(u32) -> bool,
    counts: &mut HashMap<Set, u32, FixedState>,
) {
    if more == 0 {
        if has_wanted {
            *counts.entry(set).or_default() += 1;
        }
        return;
    }
    for (next, &label) in shown.iter().enumerate() {
        let set = set | Set::from(label + 1) << (32 * place);
        let has_wanted = has_wanted || wanted(label);
        let rest = &shown[next + 1..];
        extend(rest, set, has_wanted, (more - 1, place + 1), wanted, counts);
    }
}
