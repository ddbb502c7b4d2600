//! The trade-offs that no other one beats, of all that ever were in the population.

use super::TradeOff;

/// What is kept of a solution that no other one beats.
#[derive(Clone, Debug)]
pub struct Found<G> {
    /// Its loss and risk.
    pub of: TradeOff,
    /// Its genes.
    pub genes: G,
}

/// Trade-offs of which none is beaten by another: from little loss to little risk.
#[derive(Clone, Debug)]
pub struct Archive<G> {
    found: Vec<Found<G>>,
    most: usize,
}

impl<G> Archive<G> {
    /// Of at most so many, which must be more than two.
    pub(super) fn new(most: usize) -> Self {
        Archive {
            found: Vec::new(),
            most: most.max(3),
        }
    }

    /// In ascending order of loss.
    pub fn found(&self) -> &[Found<G>] {
        &self.found
    }

    /// Adds a solution unless another one is as good on both sides; those that it beats go. When
    /// there are too many the one goes that lies closest between its neighbours, never an end.
    pub(super) fn add(&mut self, of: TradeOff, genes: impl FnOnce() -> G) {
        if !(of.loss.is_finite() && of.risk.is_finite()) {
            return;
        }
        // Losses ascend and risks descend, so one neighbour says whether it is beaten.
        let place = self.found.partition_point(|other| other.of.loss <= of.loss);
        let before = place.checked_sub(1).map(|before| self.found[before].of);
        if before.is_some_and(|before| before.risk <= of.risk) {
            return;
        }
        let from = self.found.partition_point(|other| other.of.loss < of.loss);
        let beaten = self.found[from..].iter();
        let beaten = beaten.take_while(|other| other.of.risk >= of.risk).count();
        let found = Found { of, genes: genes() };
        self.found.splice(from..from + beaten, [found]);
        if self.found.len() > self.most {
            self.thin();
        }
    }

    /// Takes out the one whose neighbours are closest together.
    fn thin(&mut self) {
        let span =
            |one: TradeOff, other: TradeOff| (other.loss - one.loss) + (one.risk - other.risk);
        let crowded = (1..self.found.len() - 1).min_by(|&a, &b| {
            let around = |place: usize| span(self.found[place - 1].of, self.found[place + 1].of);
            around(a).total_cmp(&around(b))
        });
        if let Some(place) = crowded {
            self.found.remove(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::front;
    use proptest::prelude::*;

    fn of(loss: u32, risk: u32) -> TradeOff {
        TradeOff {
            loss: f64::from(loss),
            risk: f64::from(risk),
        }
    }

    proptest! {
        #[test]
        fn it_holds_the_front_of_all_that_were_added(
            points in proptest::collection::vec((0..12_u32, 0..12_u32), 0..40)
        ) {
            let mut archive = Archive::new(1000);
            for (place, &(loss, risk)) in points.iter().enumerate() {
                archive.add(of(loss, risk), || place);
            }
            let plain: Vec<(f64, f64)> =
                points.iter().map(|&(a, b)| (f64::from(a), f64::from(b))).collect();
            let places: Vec<usize> = archive.found().iter().map(|found| found.genes).collect();
            prop_assert_eq!(places, front(&plain));
        }
    }

    #[test]
    fn too_many_lose_the_most_crowded_and_keep_the_ends() {
        let mut archive = Archive::new(4);
        for (loss, risk) in [(0, 100), (100, 0), (50, 50), (52, 48), (20, 80), (51, 49)] {
            archive.add(of(loss, risk), || ());
        }
        let losses: Vec<f64> = archive.found().iter().map(|found| found.of.loss).collect();
        assert_eq!(losses.len(), 4);
        assert_eq!((losses[0], losses[3]), (0.0, 100.0));
        archive.add(
            TradeOff {
                loss: f64::NAN,
                risk: 0.0,
            },
            || (),
        );
        assert_eq!(archive.found().len(), 4);
    }
}
