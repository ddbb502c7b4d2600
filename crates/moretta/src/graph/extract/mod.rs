//! Nodes of a graph made of what persons write: places of free texts, topics of posts.
//!
//! A social network tells some things of a person outright (a name, a location in any words) and
//! others between the lines (what the posts are about). Before either can be protected it must be a
//! value of a taxonomy: [`Places`] finds the place that a text means, [`Lexicon`] the topics of a
//! post, and [`Interests`] counts them and orders the topics of each person by their weight.
//!
//! The weight of a topic is the share of a person's posts that mention it.

mod interests;
mod phrases;
mod places;
mod words;

pub use interests::{Interests, Lexicon};
pub use places::{Place, Places};
pub use words::Words;

use crate::data::Taxonomy;
use crate::error::{Error, Result};

/// The node of a taxonomy that line `line` of a list names.
fn named(taxonomy: &Taxonomy, line: u64, label: &str) -> Result<u32> {
    let node = taxonomy.find(label.trim());
    node.filter(|&node| node != Taxonomy::ROOT).ok_or_else(|| {
        Error::input("the last cell is no label of the taxonomy below its top")
            .on_line(line)
            .help("write a label as the taxonomy has it")
    })
}

/// The rows of a taxonomy with one more for each inner label below the top that is no value yet, so
/// that a person who names a country and no city has a value.
///
/// ```
/// use moretta::graph::extract::with_inner_labels;
/// let rows = [["Madrid", "Spain", "world"], ["London", "UK", "world"]];
/// let rows: Vec<Vec<String>> = rows.map(|row| row.map(str::to_owned).to_vec()).to_vec();
/// let more = with_inner_labels(&rows);
/// assert_eq!(more[2], ["Spain", "Spain", "world"]);
/// assert_eq!(more.len(), 4);
/// ```
pub fn with_inner_labels(rows: &[Vec<String>]) -> Vec<Vec<String>> {
    use std::collections::HashSet;
    let mut values: HashSet<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    let mut more = rows.to_vec();
    let levels = rows.first().map_or(0, Vec::len);
    for level in 1..levels.saturating_sub(1) {
        for row in rows.iter().filter(|row| row.len() == levels) {
            let is_top = row[level] == row[levels - 1];
            if !is_top && values.insert(&row[level]) {
                let below = std::iter::repeat_n(&row[level], level);
                more.push(below.chain(&row[level..]).cloned().collect());
            }
        }
    }
    more
}
