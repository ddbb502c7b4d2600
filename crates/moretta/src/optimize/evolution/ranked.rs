//! How members rank by their scores.

/// The places of scores from the best, the lowest, to the worst; of equals the first.
pub fn best_first(scores: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]).then(a.cmp(&b)));
    order
}

/// Scores and the order that they make.
#[derive(Clone, Debug)]
pub(super) struct Ranked {
    scores: Vec<f64>,
    /// Places from the best to the worst; of equals the first.
    order: Vec<usize>,
    /// The lots of a roulette, and how many there are.
    lots: Vec<f64>,
    all_lots: f64,
}

/// Scores below this count as this in a roulette, so that none takes all lots.
const FLOOR: f64 = 1e-9;

/// The lots of a score in a roulette.
pub(super) fn lots(score: f64) -> f64 {
    1.0 / score.max(FLOOR)
}

impl Ranked {
    pub(super) fn new(scores: Vec<f64>) -> Self {
        let lots: Vec<f64> = scores.iter().map(|&score| lots(score)).collect();
        Ranked {
            order: best_first(&scores),
            all_lots: lots.iter().sum(),
            lots,
            scores,
        }
    }

    /// The score of each place.
    pub(super) fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// The places from the best to the worst.
    pub(super) fn order(&self) -> &[usize] {
        &self.order
    }

    /// The lots of each place in a roulette, and those of all.
    pub(super) fn lots(&self) -> (&[f64], f64) {
        (&self.lots, self.all_lots)
    }

    pub(super) fn set(&mut self, place: usize, score: f64) {
        self.lots[place] = lots(score);
        self.all_lots = self.lots.iter().sum();
        let Ranked { scores, order, .. } = self;
        order.retain(|&other| other != place);
        scores[place] = score;
        let before = |&other: &usize| {
            let order = scores[other].total_cmp(&score);
            order.then(other.cmp(&place)).is_lt()
        };
        order.insert(order.partition_point(before), place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_order_is_that_of_sorting_anew(
            start in proptest::collection::vec(0..9_u32, 1..20),
            changes in proptest::collection::vec((0..20_usize, 0..9_u32), 0..30),
        ) {
            let mut ranked = Ranked::new(start.iter().map(|&score| f64::from(score)).collect());
            for (place, score) in changes {
                ranked.set(place % start.len(), f64::from(score));
                let anew = Ranked::new(ranked.scores().to_vec());
                prop_assert_eq!(ranked.order(), anew.order());
            }
        }
    }
}
