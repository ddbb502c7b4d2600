//! Which combinations of columns are looked at.

use super::MuArgus;
use crate::error::{Error, Result};
use crate::guarantee::Combination;
use std::collections::{BTreeMap, BTreeSet};

/// The combinations of these quasi-identifiers, smaller ones first.
pub(super) fn combinations(config: &MuArgus, quasi: &[&str]) -> Result<Vec<Combination>> {
    for (key, names) in [
        (
            "identification",
            config.identification.keys().collect::<Vec<_>>(),
        ),
        ("weights", config.weights.keys().collect()),
    ] {
        if let Some(name) = names
            .into_iter()
            .find(|name| !quasi.contains(&name.as_str()))
        {
            let what = format!("`{key}` names `{name}`, which is no quasi-identifier");
            return Err(Error::policy(what).help("name columns with the role quasi"));
        }
    }
    let sets = match config.identification.is_empty() {
        true => (1..=config.size.min(quasi.len()))
            .flat_map(|size| subsets(quasi.len(), size))
            .collect(),
        false => by_identification(config, quasi),
    };
    let combination = |set: Vec<usize>| Combination {
        k: config.k[set.len().min(config.k.len()) - 1],
        columns: set
            .into_iter()
            .map(|place| quasi[place].to_owned())
            .collect(),
    };
    Ok(sets.into_iter().map(combination).collect())
}

/// Of m levels in use, sets of m columns whose i-th most identifying one is at most at the i-th
/// level; none where no column has one, and then nothing is promised.
fn by_identification(config: &MuArgus, quasi: &[&str]) -> Vec<Vec<usize>> {
    let level = |place: usize| {
        config
            .identification
            .get(quasi[place])
            .copied()
            .unwrap_or(0)
    };
    let named: Vec<usize> = (0..quasi.len()).filter(|&place| level(place) > 0).collect();
    let levels = levels(&config.identification);
    if levels.is_empty() {
        return Vec::new();
    }
    let fits = |set: &Vec<usize>| {
        let mut own: Vec<usize> = set.iter().map(|&place| level(place)).collect();
        own.sort_unstable();
        own.iter().zip(&levels).all(|(own, most)| own <= most)
    };
    let sets = subsets(named.len(), levels.len()).into_iter();
    let sets = sets.map(|set| set.into_iter().map(|i| named[i]).collect::<Vec<_>>());
    sets.filter(fits).collect()
}

/// The levels that columns have, each once; combinations have as many columns.
pub(super) fn levels(identification: &BTreeMap<String, usize>) -> Vec<usize> {
    let levels: BTreeSet<usize> = identification.values().copied().collect();
    levels.into_iter().filter(|&level| level > 0).collect()
}

/// All sets of so many of the first `n` numbers, in order.
fn subsets(n: usize, size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut sets = Vec::new();
    for set in subsets(n, size - 1) {
        let next = set.last().map_or(0, |last| last + 1);
        sets.extend((next..n).map(|more| [&set[..], &[more]].concat()));
    }
    sets
}
