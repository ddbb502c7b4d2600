//! Who becomes a parent: members with lower scores, more often.

use super::draws::Draws;
use super::ranked::{Ranked, lots};

/// How a parent is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Each with a chance that is proportional to the inverse of its score.
    Roulette,
    /// The best of so many that are drawn.
    Tournament(usize),
    /// Each with a chance that falls linearly from the best to the worst.
    Rank,
}

/// The chances of a roulette, which add up to 1.
pub fn roulette(scores: &[f64]) -> Vec<f64> {
    let ranked = Ranked::new(scores.to_vec());
    let (_, all) = ranked.lots();
    scores.iter().map(|&score| lots(score) / all).collect()
}

impl Selection {
    /// The place of a parent.
    pub(super) fn choose(self, ranked: &Ranked, draws: &mut Draws) -> usize {
        let size = ranked.scores().len();
        match self {
            Selection::Roulette => {
                let (lots, all) = ranked.lots();
                let mut left = draws.share() * all;
                let chosen = lots.iter().position(|lots| {
                    left -= lots;
                    left < 0.0
                });
                // Rounding may leave a rest behind the last one.
                chosen.unwrap_or(size - 1)
            }
            Selection::Tournament(entrants) => {
                let drawn = (0..entrants.max(1)).map(|_| draws.below(size));
                drawn
                    .min_by(|&a, &b| ranked.scores()[a].total_cmp(&ranked.scores()[b]))
                    .unwrap_or(0)
            }
            Selection::Rank => {
                // The place r from the best has size - r of size (size + 1) / 2 lots.
                let mut lot = draws.below(size * (size + 1) / 2);
                let mut rank = 0;
                while lot >= size - rank {
                    lot -= size - rank;
                    rank += 1;
                }
                ranked.order()[rank]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each of some scores is chosen, of 20,000 draws.
    fn shares(selection: Selection, scores: &[f64]) -> Vec<f64> {
        let ranked = Ranked::new(scores.to_vec());
        let mut counts = vec![0.0; scores.len()];
        let mut draws = Draws::new(5);
        for _ in 0..20_000 {
            counts[selection.choose(&ranked, &mut draws)] += 1.0 / 20_000.0;
        }
        counts
    }

    /// Within five standard deviations.
    fn assert_near(found: &[f64], expected: &[f64]) {
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 0.018, "{found} {expected}");
        }
    }

    const SCORES: [f64; 4] = [30.0, 20.0, 25.0, 40.0];

    #[test]
    fn a_roulette_follows_the_inverse_of_scores() {
        let expected = roulette(&SCORES);
        assert!((expected[0] - 0.224_719_101_123_595_47).abs() < 1e-12);
        assert_near(&shares(Selection::Roulette, &SCORES), &expected);
        let zero = roulette(&[0.0, 0.0]);
        assert_eq!(zero, [0.5, 0.5]);
    }

    #[test]
    fn a_tournament_takes_the_best_of_those_drawn() {
        // Of two draws the best of four is in 7 of 16, the next in 5, 3 and 1.
        let found = shares(Selection::Tournament(2), &SCORES);
        assert_near(&found, &[3.0 / 16.0, 7.0 / 16.0, 5.0 / 16.0, 1.0 / 16.0]);
        assert_near(&shares(Selection::Tournament(1), &SCORES), &[0.25; 4]);
    }

    #[test]
    fn ranks_fall_linearly() {
        let found = shares(Selection::Rank, &SCORES);
        assert_near(&found, &[0.2, 0.4, 0.3, 0.1]);
    }

    #[test]
    fn one_member_is_always_chosen() {
        for selection in [
            Selection::Roulette,
            Selection::Tournament(3),
            Selection::Rank,
        ] {
            assert_eq!(shares(selection, &[7.0]).len(), 1);
        }
    }
}
