//! Which confidences would have given the same bits: what forward and what-if bits tell of one.
//!
//! A bit says whether the rank of a confidence in its window lies below TF/L. All bits of a record
//! together say between which two confidences of the window it lies, and who knows the window,
//! as who knows the model of the site does, knows these two.
//!
//! **Leaves out** what two trouble factors make of agreement, and ranks by T.

use super::forward::{Reaches, would_forward};
use super::quantile::Quantile;
use super::ratio::{Rank, Ratio};
use super::terms::Terms;
use super::topology::Topology;

/// The window of a site, as who knows its model knows it.
pub struct RankSpans {
    site: u16,
    quantile: Quantile,
    factor: Option<Ratio>,
    two_factors: bool,
}

impl RankSpans {
    /// An empty window. Without trouble nodes, and where ranks are not those of confidences, bits
    /// tell nothing.
    pub fn new(terms: &Terms, site: u16) -> Self {
        let trouble = terms.trouble.as_ref();
        let trouble = trouble.filter(|trouble| trouble.score.is_none());
        RankSpans {
            site,
            quantile: Quantile::new(terms.window),
            factor: trouble.map(|trouble| trouble.factor),
            two_factors: trouble.is_some_and(|trouble| trouble.second_factor.is_some()),
        }
    }

    /// Pushes the confidence of a record; gives the confidences from the first on and below the
    /// second that would have given the same bits under a topology.
    pub fn push(&mut self, confidence: f64, topology: &Topology) -> (f64, f64) {
        let rank = self.quantile.push(confidence);
        let everything = (f64::NEG_INFINITY, f64::INFINITY);
        let Some(factor) = self.factor else {
            return everything;
        };
        let nodes = topology.destinations(self.site);
        let fed = nodes.map(|node| (node.factor, node.length));
        let asked = topology.lengths_of(self.site).iter();
        let asked = asked.map(|&length| (factor, length));
        let (mut low, mut high) = (1, rank.size);
        for (factor, length) in fed.chain(asked) {
            let cut = self.cut(rank.size, factor, length);
            match rank.at_most < cut {
                true => high = high.min(cut - 1),
                false => low = low.max(cut),
            }
        }
        self.quantile.span(low, high)
    }

    /// The least rank whose bit is not set.
    fn cut(&self, size: u32, factor: Ratio, length: u64) -> u32 {
        let (mut low, mut high) = (1, size + 1);
        while low < high {
            let at_most = low + (high - low) / 2;
            let rank = Rank { at_most, size };
            match would_forward(rank, factor, self.two_factors, Reaches::SITE, length) {
                true => low = at_most + 1,
                false => high = at_most,
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::federate::terms::Rule;
    use crate::federate::topology::{Column, SiteColumns};
    use crate::math::java_random::JavaRandom;

    fn topology(lengths: &[u64]) -> Topology {
        let columns = vec![Column {
            id: 0,
            size: 1,
            values: 0,
        }];
        let mut topology = Topology::of_sites(vec![SiteColumns { id: 0, columns }]);
        topology.lengths = vec![(0, lengths.to_vec())];
        topology
    }

    /// Whatever else the confidence had been, its bits differ exactly where the span ends.
    #[test]
    fn a_span_holds_all_confidences_with_the_same_bits_and_no_other() {
        let mut terms = Terms::of_study(3, 2, Rule::Vote).with_trouble(Ratio::new(1, 1));
        terms.window = 20;
        let lengths = [2, 3, 7];
        let topology = topology(&lengths);
        let bits = |rank: Rank| {
            lengths.map(|length| would_forward(rank, Ratio::ONE, false, Reaches::SITE, length))
        };
        let mut random = JavaRandom::new(4);
        let mut spans = RankSpans::new(&terms, 0);
        let mut window = Quantile::new(terms.window);
        for _ in 0..300 {
            let confidence = f64::from(random.next_int_below(12)) / 12.0;
            let (from, to) = spans.push(confidence, &topology);
            assert!((from..to).contains(&confidence));
            let known = bits(window.clone().push(confidence));
            for other in (0..12).map(|other| f64::from(other) / 12.0) {
                let same = bits(window.clone().push(other)) == known;
                assert_eq!((from..to).contains(&other), same, "{confidence} {other}");
            }
            window.push(confidence);
        }
    }

    #[test]
    fn without_bits_nothing_is_told() {
        let terms = Terms::of_study(3, 2, Rule::Vote);
        let mut spans = RankSpans::new(&terms, 0);
        let everything = (f64::NEG_INFINITY, f64::INFINITY);
        assert_eq!(spans.push(0.5, &topology(&[])), everything);
        let mut troubled = RankSpans::new(&terms.with_trouble(Ratio::ONE), 0);
        assert_eq!(troubled.push(0.5, &topology(&[])), everything);
    }
}
