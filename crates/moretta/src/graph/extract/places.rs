//! The place that a free text means, as a node of a taxonomy of places.
//!
//! Labels and aliases are looked for word by word, the longest first, so `New York` is found in
//! `NEW YORK city!`. Where a text names several places, one must lie within all others: `Barcelona,
//! Spain` is Barcelona, and `Valencia / Venezuela` the Valencia of Venezuela if the aliases know
//! one. `London & Madrid` names two places and means none of them for sure.

use super::phrases::Phrases;
use super::{Words, named};
use crate::data::Taxonomy;
use crate::error::{Error, Result};

/// Finds places in texts.
#[derive(Clone, Debug)]
pub struct Places<'a> {
    taxonomy: &'a Taxonomy,
    phrases: Phrases<Vec<u32>>,
}

/// What a text means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// One place: a node of the taxonomy.
    Known(u32),
    /// Places that do not lie within each other, or one of which there are several.
    Several,
    /// No place that is known.
    Unknown,
}

impl<'a> Places<'a> {
    /// The labels of a taxonomy below its top, and other names of them: lines of a list, each with
    /// the other name and the label.
    ///
    /// # Errors
    /// When a line names no label, or has no word.
    pub fn new(taxonomy: &'a Taxonomy, aliases: &[(u64, Vec<String>)]) -> Result<Self> {
        let mut places = Places {
            taxonomy,
            phrases: Phrases::default(),
        };
        for node in 1..taxonomy.missing() {
            let label = taxonomy.shown(node).unwrap_or_default();
            places.add(label, node);
        }
        for (line, cells) in aliases {
            let [alias, label] = &cells[..] else {
                return Err(Error::input("a line is another name and a label").on_line(*line));
            };
            let node = named(taxonomy, *line, label)?;
            if !places.add(alias, node) {
                return Err(Error::input("the other name has no word").on_line(*line));
            }
        }
        Ok(places)
    }

    fn add(&mut self, text: &str, node: u32) -> bool {
        let nodes = self.phrases.entry(text);
        nodes.is_some_and(|nodes| {
            if !nodes.contains(&node) {
                nodes.push(node);
            }
            true
        })
    }

    /// The place that a text means.
    pub fn find(&self, text: &str) -> Place {
        let words = Words::of(text);
        let found: Vec<&Vec<u32>> = self.phrases.find(&words).map(|(nodes, _)| nodes).collect();
        let within = |node: u32, nodes: &&Vec<u32>| {
            let mut nodes = nodes.iter();
            nodes.any(|&above| self.taxonomy.covers(above, node))
        };
        let fits = |node: &&u32| found.iter().all(|nodes| within(**node, nodes));
        let mut fitting: Vec<u32> = found
            .iter()
            .copied()
            .flatten()
            .filter(fits)
            .copied()
            .collect();
        fitting.sort_unstable();
        fitting.dedup();
        match (&fitting[..], found.is_empty()) {
            (_, true) => Place::Unknown,
            ([node], false) => Place::Known(*node),
            _ => Place::Several,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::hierarchy::Hierarchy;

    const ROWS: [&str; 7] = [
        "Barcelona;Spain;Europe;World",
        "Valencia;Spain;Europe;World",
        "Valencia (VE);Venezuela;America;World",
        "London;UK;Europe;World",
        "New York;USA;America;World",
        "York;UK;Europe;World",
        "Málaga;Spain;Europe;World",
    ];

    fn taxonomy() -> Taxonomy {
        let chains: Vec<Vec<&str>> = ROWS.iter().map(|row| row.split(';').collect()).collect();
        Taxonomy::of_hierarchy(&Hierarchy::from_chains(&chains).expect("a tree"))
    }

    fn aliases(rows: &[[&str; 2]]) -> Vec<(u64, Vec<String>)> {
        let cells = rows.iter().map(|row| row.map(str::to_owned).to_vec());
        (1..).zip(cells).collect()
    }

    #[test]
    fn messy_spellings_are_the_places_that_they_mean() {
        let taxonomy = taxonomy();
        let aliases = aliases(&[
            ["NYC", "New York"],
            ["BCN", "Barcelona"],
            ["valencia", "Valencia (VE)"],
            ["España", "Spain"],
        ]);
        let places = Places::new(&taxonomy, &aliases).expect("places");
        for (text, expected) in [
            ("Barcelona", "Barcelona"),
            ("BARCELONA, spain", "Barcelona"),
            ("Barcelona (Catalunya) · España", "Barcelona"),
            ("bcn", "Barcelona"),
            ("n.y.c.", "New York"),
            ("NEW YORK city!!", "New York"),
            ("york, uk", "York"),
            ("malaga", "Málaga"),
            ("living in London, Europe", "London"),
            ("Spain", "Spain"),
            ("europe", "Europe"),
            ("Valencia, Venezuela", "Valencia (VE)"),
            ("Valencia, España", "Valencia"),
            ("London & Barcelona", "several"),
            ("London, Spain", "several"),
            ("Valencia", "several"),
            ("world", "unknown"),
            ("the moon", "unknown"),
            ("", "unknown"),
        ] {
            let found = match places.find(text) {
                Place::Known(node) => taxonomy.shown(node).unwrap_or("missing"),
                Place::Several => "several",
                Place::Unknown => "unknown",
            };
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn bad_aliases_are_told_by_their_line() {
        let taxonomy = taxonomy();
        for (rows, told) in [
            ([["NYC", "New York"], ["LA", "Los Angeles"]], "no label"),
            ([["NYC", "New York"], ["?!", "London"]], "no word"),
            ([["NYC", "New York"], ["all", "World"]], "below its top"),
        ] {
            let error = Places::new(&taxonomy, &aliases(&rows)).expect_err(told);
            let text = error.to_string();
            assert!(text.contains(told) && text.contains("line 2"), "{text}");
        }
    }
}
