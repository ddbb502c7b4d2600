//! How far an attack got: errors of guesses, breaches, and what they weigh beside the
//! accuracy that a learner keeps.

use crate::data::Records;
use crate::math::moments::Moments;
use serde::Serialize;

/// What attacks are judged by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Yardstick {
    /// A relative error below this is a breach.
    pub epsilon: f64,
    /// The accuracy of a learner on the release, where it is known.
    pub accuracy: Option<f64>,
}

/// How one attack went.
#[derive(Clone, Debug, Serialize)]
pub struct Success {
    /// Its name.
    pub attack: String,
    /// What the attacker knows, besides the method and its parameters.
    pub knows: String,
    /// Records that were attacked, each counted once.
    pub records: usize,
    /// Share of the attacks whose relative error |x̂ − x|/|x| was below ε.
    pub breach: f64,
    /// Between these the probability of a breach lies with 95 % confidence; none of an
    /// attack on all records at once, where one estimate decides about all of them.
    pub interval: Option<[f64; 2]>,
    /// Median relative error.
    pub median_error: f64,
    /// The [`magnitude`] with the error of a learner, where that is known.
    pub magnitude: Option<f64>,
    /// Mean time for one record.
    pub seconds: f64,
    /// The error by the distance to the nearest known record, in fifths of the attacks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_distance: Vec<AtDistance>,
    /// The relative error of each attack.
    #[serde(skip)]
    errors: Vec<f64>,
}

/// Attacks on records that are so far from the nearest known one.
#[derive(Clone, Debug, Serialize)]
pub struct AtDistance {
    /// Rows at least.
    pub from: u64,
    /// Rows at most.
    pub to: u64,
    /// How many attacks.
    pub records: usize,
    /// Their median relative error.
    pub median_error: f64,
    /// The share of breaches.
    pub breach: f64,
}

/// What an attack on all records at once takes for them.
#[derive(Clone, Debug)]
pub struct Guess {
    /// The name of the attack.
    pub attack: String,
    /// What the attacker knows, besides the method and its parameters.
    pub knows: String,
    /// The originals as it sees them.
    pub records: Records,
    /// How long it took, for all of them.
    pub seconds: f64,
}

/// The privacy–accuracy magnitude: the squared error rate of a learner and the
/// squared probability of a breach; 0 were perfect.
pub fn magnitude(error: f64, breach: f64) -> f64 {
    error * error + breach * breach
}

impl Success {
    /// Of attacks with these relative errors on so many different records; `seconds` for
    /// all of them.
    pub(super) fn new(
        (attack, knows): (&str, &str),
        errors: &[f64],
        records: usize,
        seconds: f64,
        yardstick: Yardstick,
    ) -> Self {
        let breach = share(breaches(errors, yardstick.epsilon), errors.len());
        Success {
            attack: attack.to_owned(),
            knows: knows.to_owned(),
            records,
            breach,
            interval: Some(wilson(breach, records)),
            median_error: median(errors),
            magnitude: yardstick
                .accuracy
                .map(|accuracy| magnitude(1.0 - accuracy, breach)),
            seconds: seconds / errors.len().max(1) as f64,
            by_distance: Vec::new(),
            errors: errors.to_vec(),
        }
    }

    /// Of guesses at different records with these relative errors.
    pub(crate) fn of_errors(names: (&str, &str), errors: &[f64], epsilon: f64) -> Self {
        let yardstick = Yardstick {
            epsilon,
            accuracy: None,
        };
        Success::new(names, errors, errors.len(), 0.0, yardstick)
    }

    /// The relative error of a guess, |x̂ − x|/|x|.
    pub(crate) fn error_of(found: &[f64], original: &[f64]) -> f64 {
        relative_error(found, original)
    }

    /// The share of breaches at another ε, and its 95 % confidence interval.
    pub fn breach_at(&self, epsilon: f64) -> (f64, [f64; 2]) {
        let breach = share(breaches(&self.errors, epsilon), self.errors.len());
        (breach, wilson(breach, self.records))
    }

    /// Of a guess at all `originals`, in the same order.
    pub(super) fn of_guess(originals: &Records, guess: &Guess, yardstick: Yardstick) -> Self {
        let pairs = guess.records.iter().zip(originals.iter());
        let errors: Vec<f64> = pairs.map(|(x, y)| relative_error(x, y)).collect();
        Success {
            interval: None,
            ..Success::new(
                (&guess.attack, &guess.knows),
                &errors,
                errors.len(),
                guess.seconds,
                yardstick,
            )
        }
    }
}

impl AtDistance {
    /// Of attacks with these errors.
    pub(super) fn new(distances: [u64; 2], errors: &[f64], epsilon: f64) -> Self {
        AtDistance {
            from: distances[0],
            to: distances[1],
            records: errors.len(),
            median_error: median(errors),
            breach: share(breaches(errors, epsilon), errors.len()),
        }
    }
}

/// |x̂ − x|/|x|.
pub(super) fn relative_error(found: &[f64], original: &[f64]) -> f64 {
    let squares = found.iter().zip(original).map(|(f, o)| (f - o) * (f - o));
    squares.sum::<f64>().sqrt() / norm(original)
}

pub(super) fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|value| value * value).sum::<f64>().sqrt()
}

/// The moments of each attribute, each of its finite values.
pub(super) fn moments(records: &Records) -> Vec<Moments> {
    (0..records.width())
        .map(|attribute| records.column(attribute).collect())
        .collect()
}

fn breaches(errors: &[f64], epsilon: f64) -> usize {
    errors.iter().filter(|&&error| error < epsilon).count()
}

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn median(errors: &[f64]) -> f64 {
    let mut errors = errors.to_vec();
    errors.sort_by(f64::total_cmp);
    errors.get(errors.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Wilson's interval of a probability, with 95 % confidence, from a share of so many
/// records. Attacks on one record again are no new records.
fn wilson(share: f64, records: usize) -> [f64; 2] {
    const Z: f64 = 1.959_963_984_540_054;
    let n = records.max(1) as f64;
    let middle = share + Z * Z / (2.0 * n);
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let end = |value: f64| (value / (1.0 + Z * Z / n)).clamp(0.0, 1.0);
    [end(middle - half), end(middle + half)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_wilsons() {
        // Newcombe 1998, table I: 81 of 263, and 0 of 20.
        for ((successes, trials), expected) in [
            ((81_u32, 263_u32), [0.2553, 0.3662]),
            ((0, 20), [0.0, 0.1611]),
            ((1, 29), [0.0061, 0.1718]),
        ] {
            let found = wilson(f64::from(successes) / f64::from(trials), trials as usize);
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 5e-5, "{found} {expected}");
            }
        }
    }

    #[test]
    fn errors_are_relative_to_the_original_and_breaches_are_below_epsilon() {
        let (mut originals, mut guessed) = (Records::new(2), Records::new(2));
        for (original, guess) in [
            ([3.0, 4.0], [3.0, 4.0]),
            ([3.0, 4.0], [3.0, 5.0]),
            ([0.0, 2.0], [0.0, 1.0]),
        ] {
            originals.push(&original);
            guessed.push(&guess);
        }
        let guess = Guess {
            attack: "a guess".to_owned(),
            knows: "little".to_owned(),
            records: guessed,
            seconds: 6.0,
        };
        let yardstick = Yardstick {
            epsilon: 0.2,
            accuracy: Some(0.5),
        };
        // The second error is just ε.
        let found = Success::of_guess(&originals, &guess, yardstick);
        assert_eq!((found.breach, found.median_error), (1.0 / 3.0, 0.2));
        assert_eq!((found.records, found.seconds), (3, 2.0));
        assert_eq!(found.magnitude, Some(0.25 + 1.0 / 9.0));
        assert_eq!(found.interval, None, "one estimate decided about all");
    }
}
