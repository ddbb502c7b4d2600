//! The stream of the study's demonstration: six coins, and a class that follows pairs of them.

use crate::reference::{Hierarchy, Rule, Settings};
use crate::support::Stream;
use moretta_generate::CrossTerms;

/// The records and their classes.
pub(crate) fn stream() -> Stream {
    let coins = CrossTerms::default().generator().expect("sound");
    Stream::generated(coins, 30_000).expect("sound")
}

/// Sites of one coin each that answer by confidence; all learn by the same tree.
pub(crate) fn settings(stream: &Stream, hierarchy: Hierarchy) -> Settings {
    Settings {
        first_id: 0,
        site_learner: "ht(leaf=nb, resplit=yes)",
        node_learner: "ht(leaf=nb, resplit=yes)",
        ..Settings::of(stream, 1, Rule::MostConfident, hierarchy)
    }
}
