//! Ranks that fall off as a power law, without a table.
//!
//! The law of Zipf and Mandelbrot gives rank x a weight of (x + shift)^-s. Its
//! continuous form can be inverted, so that a draw costs one uniform number and
//! no memory, for two ranks as for twenty million. The exponents are quarters:
//! then the inverse needs square roots and products alone, which are the same on
//! every machine.

use super::random::Random;

/// The exponent s: how steeply the weights fall.
#[derive(Clone, Copy, Debug)]
pub(super) enum Exponent {
    /// 1/2: all ranks matter.
    Half,
    /// 3/4.
    ThreeQuarters,
    /// 5/4: a few ranks take most.
    FiveQuarters,
    /// 3/2.
    ThreeHalves,
}

impl Exponent {
    /// y^(1 - s), which grows like the weight of all ranks up to y, or falls like the rest.
    fn integral(self, y: f64) -> f64 {
        match self {
            Exponent::Half => y.sqrt(),
            Exponent::ThreeQuarters => y.sqrt().sqrt(),
            Exponent::FiveQuarters => 1.0 / y.sqrt().sqrt(),
            Exponent::ThreeHalves => 1.0 / y.sqrt(),
        }
    }

    fn inverse(self, integral: f64) -> f64 {
        let square = integral * integral;
        match self {
            Exponent::Half => square,
            Exponent::ThreeQuarters => square * square,
            Exponent::FiveQuarters => 1.0 / (square * square),
            Exponent::ThreeHalves => 1.0 / square,
        }
    }
}

/// Draws ranks from 0, the most popular, to one less than `ranks`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Zipf {
    ranks: u32,
    exponent: Exponent,
    shift: f64,
    /// The integral at the first rank, and how far it is to the last.
    start: f64,
    span: f64,
}

impl Zipf {
    /// `ranks` and `shift` are above 0; a larger `shift` flattens the first ranks.
    pub(super) fn new(ranks: u32, exponent: Exponent, shift: f64) -> Self {
        debug_assert!(ranks > 0 && shift > 0.0);
        let start = exponent.integral(shift);
        Zipf {
            ranks,
            exponent,
            shift,
            start,
            span: exponent.integral(shift + f64::from(ranks)) - start,
        }
    }

    /// How many ranks there are.
    pub(super) fn ranks(&self) -> u32 {
        self.ranks
    }

    /// A rank, popular ones more often.
    pub(super) fn pick(&self, random: &mut Random) -> u32 {
        let integral = self.start + random.unit() * self.span;
        let rank = (self.exponent.inverse(integral) - self.shift) as u32;
        rank.min(self.ranks - 1)
    }

    /// Any rank, each as often as the others.
    pub(super) fn uniform(&self, random: &mut Random) -> u32 {
        random.below(u64::from(self.ranks)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_come_as_often_as_the_law_says() {
        let draws = 200_000;
        for (exponent, s) in [
            (Exponent::Half, 0.5),
            (Exponent::ThreeQuarters, 0.75),
            (Exponent::FiveQuarters, 1.25),
            (Exponent::ThreeHalves, 1.5),
        ] {
            let (ranks, shift) = (50, 0.8);
            let zipf = Zipf::new(ranks, exponent, shift);
            let mut random = Random::new(3);
            let mut counts = vec![0_u32; ranks as usize];
            for _ in 0..draws {
                counts[zipf.pick(&mut random) as usize] += 1;
            }
            let weight = |from: f64, to: f64| {
                ((to + shift).powf(1.0 - s) - (from + shift).powf(1.0 - s)) / (1.0 - s)
            };
            let total = weight(0.0, f64::from(ranks));
            for rank in [0, 1, 7, 49] {
                let from = f64::from(rank);
                let expected = weight(from, from + 1.0) / total;
                let seen = f64::from(counts[rank as usize]) / f64::from(draws);
                assert!((seen - expected).abs() < 0.004, "{exponent:?} {rank}");
            }
        }
    }

    #[test]
    fn one_rank_is_always_the_first() {
        let mut random = Random::new(1);
        let zipf = Zipf::new(1, Exponent::FiveQuarters, 0.5);
        assert!((0..100).all(|_| zipf.pick(&mut random) == 0 && zipf.uniform(&mut random) == 0));
    }
}
