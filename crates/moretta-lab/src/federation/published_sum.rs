//! The secure sum of the study, which must not be used: it adds up wrongly, and tells.
//!
//! The node draws ζ from 0 to θ for the first source, which sends z = (y + ζ) mod θ to the
//! second. Each further source adds its own number and sends the result on, the last one to the
//! node, which takes ζ off again, modulo θ. θ is the bound of the features.
//!
//! 1. *Wrong*: projected numbers are negative or above θ, and so are sums: .7 + .6 is .3.
//! 2. *The wrap shows*: what comes after z is not reduced. So whenever the true sum lies between
//!    0 and θ, the node sees by the sign whether z went round, that is whether y ≥ θ − ζ, a
//!    threshold that it knows; with another ζ for each record it closes in on a number that stays.
//! 3. *One colluder is enough*: the node knows ζ and the second source z, so these two have y. The
//!    claim was that all sources but one are needed.
//!
//! The product masks whole numbers in pairs instead (`moretta::federate::mask`).
//!
//! **From** the study's description; it was never coded there.

/// θ and ζ of one record, as the node and the first source know them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Secret {
    /// θ, the bound of the features.
    pub(crate) bound: f64,
    /// ζ, from 0 to θ.
    pub(crate) shift: f64,
}

impl Secret {
    /// z, what the first source sends to the second.
    pub(crate) fn first(self, value: f64) -> f64 {
        (value + self.shift).rem_euclid(self.bound)
    }

    /// What the last source sends to the node, of values in the order of the chain.
    pub(crate) fn chain(self, values: &[f64]) -> f64 {
        match values {
            [] => self.shift,
            [first, others @ ..] => others.iter().fold(self.first(*first), |sent, y| sent + y),
        }
    }

    /// The sum, as the node finds it.
    pub(crate) fn sum(self, received: f64) -> f64 {
        (received - self.shift).rem_euclid(self.bound)
    }

    /// What the node sees of the first source where the true sum lies between 0 and θ: the least
    /// and the most that its value can be.
    pub(crate) fn seen(self, received: f64) -> (f64, f64) {
        let threshold = self.bound - self.shift;
        match received < self.shift {
            true => (threshold, self.bound),
            false => (0.0, threshold),
        }
    }

    /// What the node and the second source have together: the value of the first.
    pub(crate) fn collude(self, sent_by_first: f64) -> f64 {
        (sent_by_first - self.shift).rem_euclid(self.bound)
    }
}

/// The least and the most that the first value can be for a node that has seen many records, in
/// which the first value was the same.
pub(crate) fn close_in(seen: &[(f64, f64)]) -> (f64, f64) {
    let start = (f64::NEG_INFINITY, f64::INFINITY);
    seen.iter().fold(start, |(least, most), (lower, upper)| {
        (least.max(*lower), most.min(*upper))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use moretta::math::java_random::JavaRandom;

    fn secret(shift: f64) -> Secret {
        Secret { bound: 1.0, shift }
    }

    #[test]
    fn sums_of_projected_numbers_are_wrong() {
        let check = |values: &[f64], found: f64| {
            for shift in [0.0, 0.25, 0.5, 0.9] {
                let secret = secret(shift);
                let sum = secret.sum(secret.chain(values));
                assert!((sum - found).abs() < 1e-12, "{values:?}: {sum}");
            }
        };
        // Features are within the bound, and so is their sum by chance.
        check(&[0.25, 0.5], 0.75);
        check(&[0.7, 0.6], 0.3);
        check(&[0.2, -0.5], 0.7);
        check(&[-1.3, 0.1], 0.8);
        check(&[2.5, 0.25, 0.125], 0.875);
    }

    #[test]
    fn the_node_sees_whether_the_first_number_went_round() {
        let mut random = JavaRandom::new(4);
        for _ in 0..10_000 {
            let secret = secret(random.next_double());
            let first = random.next_double();
            let second = random.next_double() * (1.0 - first);
            let (least, most) = secret.seen(secret.chain(&[first, second]));
            let slack = 1e-12;
            assert!(least - slack <= first && first <= most + slack);
        }
    }

    #[test]
    fn a_number_that_stays_is_found_record_by_record() {
        let mut random = JavaRandom::new(5);
        let first = 0.37;
        let mut seen = Vec::new();
        for (records, width) in [(10, 0.4), (100, 0.05), (1_000, 0.005)] {
            while seen.len() < records {
                let secret = secret(random.next_double());
                // The other number hides nothing, whatever it is.
                let second = random.next_double() * (1.0 - first);
                seen.push(secret.seen(secret.chain(&[first, second])));
            }
            let (least, most) = close_in(&seen);
            assert!(least <= first && first <= most);
            assert!(most - least < width, "{records}: {least} to {most}");
        }
    }

    #[test]
    fn the_node_and_one_source_have_the_value_of_the_first() {
        for first in [0.0, 0.125, 0.37, 0.999] {
            for shift in [0.0, 0.3, 0.8] {
                let secret = secret(shift);
                let found = secret.collude(secret.first(first));
                assert!((found - first).abs() < 1e-12, "{first}: {found}");
            }
        }
    }
}
