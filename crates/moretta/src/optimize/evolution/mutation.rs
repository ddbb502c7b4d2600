//! How many genes a mutation changes.

use super::draws::Draws;

/// How the number of genes is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Always the same.
    Fixed,
    /// Drawn from the Poisson distribution, at least one.
    Poisson,
    /// The same, with a mean that grows while mutants succeed and shrinks while they do not.
    Adaptive,
}

/// How many genes a mutation changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mutation {
    /// The number, or its mean.
    pub genes: f64,
    /// How it is found.
    pub count: Count,
}

/// No mutation changes a larger share of the genes on average.
const MOST: f64 = 0.1;

/// A success raises the mean as much as four failures lower it, so that it stays where one of five
/// succeeds.
const RAISED: f64 = 0.2;
const LOWERED: f64 = 0.05;

impl Mutation {
    /// How many genes are changed, of `all`, when `mean` is the mean at this time.
    pub(super) fn genes(self, mean: f64, all: usize, draws: &mut Draws) -> usize {
        let drawn = match self.count {
            Count::Fixed => self.genes.round() as usize,
            Count::Poisson | Count::Adaptive => draws.poisson(mean),
        };
        drawn.clamp(1, all.max(1))
    }

    /// The mean after a mutant of `all` genes was taken or not.
    pub(super) fn adapted(self, mean: f64, taken: bool, all: usize) -> f64 {
        match (self.count, taken) {
            (Count::Adaptive, true) => (mean * RAISED.exp()).min((all as f64 * MOST).max(1.0)),
            (Count::Adaptive, false) => (mean * (-LOWERED).exp()).max(1.0),
            _ => mean,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutation(count: Count) -> Mutation {
        Mutation { genes: 4.0, count }
    }

    #[test]
    fn a_fixed_number_is_that_number_and_never_more_than_there_are() {
        let fixed = mutation(Count::Fixed);
        assert_eq!(fixed.genes(4.0, 100, &mut Draws::new(1)), 4);
        assert_eq!(fixed.genes(4.0, 2, &mut Draws::new(1)), 2);
        assert_eq!(fixed.adapted(4.0, true, 100), 4.0);
    }

    #[test]
    fn poisson_numbers_are_at_least_one() {
        let poisson = mutation(Count::Poisson);
        let mut draws = Draws::new(2);
        let all: Vec<usize> = (0..2000)
            .map(|_| poisson.genes(4.0, 100, &mut draws))
            .collect();
        assert_eq!(all.iter().min(), Some(&1));
        let mean = all.iter().sum::<usize>() as f64 / 2000.0;
        assert!((mean - 4.0).abs() < 0.3, "{mean}");
    }

    #[test]
    fn the_mean_stands_still_where_one_of_five_succeeds() {
        let adaptive = mutation(Count::Adaptive);
        let mut mean = 4.0;
        for step in 0..1000 {
            mean = adaptive.adapted(mean, step % 5 == 0, 1000);
        }
        assert!((mean - 4.0).abs() < 1e-6, "{mean}");
        for _ in 0..1000 {
            mean = adaptive.adapted(mean, false, 1000);
        }
        assert_eq!(mean, 1.0);
        for _ in 0..1000 {
            mean = adaptive.adapted(mean, true, 1000);
        }
        assert_eq!(mean, 100.0);
    }
}
