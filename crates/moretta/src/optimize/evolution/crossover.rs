//! Which genes two parents exchange.

use super::draws::Draws;
use std::ops::Range;

/// How genes of two parents are mixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crossover {
    /// Cut at so many places; every other piece is exchanged.
    Points(usize),
    /// Each gene with a chance of one half.
    Uniform,
}

/// The genes that are exchanged, as runs in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange(Vec<Range<usize>>);

impl Exchange {
    /// Of these runs, which ascend and do not meet.
    pub fn of(runs: Vec<Range<usize>>) -> Self {
        Exchange(runs)
    }

    /// The same for both children.
    pub fn for_both(self) -> [Self; 2] {
        [self.clone(), self]
    }

    /// The runs.
    pub fn runs(&self) -> &[Range<usize>] {
        &self.0
    }

    /// How many genes are exchanged.
    pub fn genes(&self) -> usize {
        self.0.iter().map(Range::len).sum()
    }

    /// Each gene in turn.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().cloned().flatten()
    }
}

impl Crossover {
    /// The exchange of one crossing of `genes` genes.
    pub fn exchange(self, genes: usize, draws: &mut Draws) -> Exchange {
        match self {
            Crossover::Points(points) => {
                let mut cuts: Vec<usize> = (0..points).map(|_| draws.below(genes + 1)).collect();
                cuts.sort_unstable();
                if cuts.len() % 2 == 1 {
                    cuts.push(genes);
                }
                let runs = cuts.chunks_exact(2).map(|pair| pair[0]..pair[1]);
                Exchange(runs.filter(|run| !run.is_empty()).collect())
            }
            Crossover::Uniform => {
                let mut runs: Vec<Range<usize>> = Vec::new();
                for gene in (0..genes).filter(|_| draws.share() < 0.5) {
                    match runs.last_mut() {
                        Some(last) if last.end == gene => last.end += 1,
                        _ => runs.push(gene..gene + 1),
                    }
                }
                Exchange(runs)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_ascend_and_stay_inside(genes in 0..60_usize, points in 1..7_usize, seed in 0..99_u64) {
            for crossover in [Crossover::Points(points), Crossover::Uniform] {
                let exchange = crossover.exchange(genes, &mut Draws::new(seed));
                let all: Vec<usize> = exchange.iter().collect();
                prop_assert_eq!(all.len(), exchange.genes());
                prop_assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
                prop_assert!(all.last().is_none_or(|last| *last < genes));
                if let Crossover::Points(points) = crossover {
                    prop_assert!(exchange.runs().len() <= points.div_ceil(2));
                }
            }
        }
    }

    #[test]
    fn one_point_exchanges_the_tail_and_two_a_piece_in_the_middle() {
        let mut tails = 0;
        let mut middles = 0;
        for seed in 0..200 {
            let one = Crossover::Points(1).exchange(9, &mut Draws::new(seed));
            assert!(one.runs().iter().all(|run| run.end == 9));
            tails += one.runs().len();
            let two = Crossover::Points(2).exchange(9, &mut Draws::new(seed));
            middles += two.runs().iter().filter(|run| run.end < 9).count();
        }
        assert!(tails > 150 && middles > 100, "{tails} {middles}");
    }

    #[test]
    fn uniform_crossover_takes_half_of_the_genes() {
        let taken: usize = (0..100)
            .map(|seed| {
                Crossover::Uniform
                    .exchange(100, &mut Draws::new(seed))
                    .genes()
            })
            .sum();
        // Five standard deviations of 10,000 coins.
        assert!(taken.abs_diff(5000) < 250, "{taken}");
    }
}
