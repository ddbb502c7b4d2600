//! What makes one score of a loss and a risk.

use super::TradeOff;

/// What makes one score of a loss and a risk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fitness {
    /// Their mean.
    Mean,
    /// The larger one.
    Max,
    /// Each place of the population has a direction of its own, from little loss to little risk,
    /// and the score is the larger one of both, weighted by it: what is found are many trade-offs.
    Front,
}

impl Fitness {
    /// The score of a trade-off at a place among `places`.
    #[inline]
    pub fn score(self, of: TradeOff, place: usize, places: usize) -> f64 {
        match self {
            Fitness::Mean => (of.loss + of.risk) / 2.0,
            Fitness::Max => of.loss.max(of.risk),
            Fitness::Front => {
                let weight = direction(place, places);
                (2.0 * weight * of.loss).max(2.0 * (1.0 - weight) * of.risk)
            }
        }
    }
}

/// The weight of loss at a place: from 0.05 to 0.95.
fn direction(place: usize, places: usize) -> f64 {
    match places {
        0 | 1 => 0.5,
        _ => 0.05 + 0.9 * place as f64 / (places - 1) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_the_mean_the_larger_one_or_a_direction() {
        let of = TradeOff {
            loss: 24.0,
            risk: 38.0,
        };
        assert_eq!(Fitness::Mean.score(of, 0, 5), 31.0);
        assert_eq!(Fitness::Max.score(of, 0, 5), 38.0);
        // The place in the middle weighs both alike.
        assert_eq!(Fitness::Front.score(of, 2, 5), 38.0);
        assert!((Fitness::Front.score(of, 0, 5) - 1.9 * 38.0).abs() < 1e-12);
        assert!((Fitness::Front.score(of, 4, 5) - 1.9 * 24.0).abs() < 1e-12);
        assert_eq!(Fitness::Front.score(of, 0, 1), 38.0);
    }
}
