//! The most probable noise on the releases of known records.
//!
//! Relative to the first, k columns of releases are draws of N(0, Σ + C) with Σ from
//! the known originals and C from the noise. So the most probable noise is
//! C·(Σ + C)⁻¹·Y; the published attacks search for this maximum.

use super::blur::Blur;
use super::evidence::Evidence;
use super::posterior::{noise, relative};
use crate::math::cholesky::Cholesky;

/// The noise of the known releases, p × k; of cumulative noise relative to the first.
pub(super) fn estimate(evidence: &Evidence<'_>, blur: Blur) -> Vec<f64> {
    let (m, k, p) = (
        evidence.features(),
        evidence.output.len(),
        evidence.rows.len(),
    );
    let mut estimated = vec![0.0; p * k];
    let covariance = noise(&evidence.rows, true, &|a, b| blur.covariance(a, b));
    let q = p - 1;
    let inputs = relative(evidence.inputs.concat(), m, true);
    let mut solved = relative(evidence.outputs.concat(), k, true);
    let mut factor = Cholesky::new(q);
    factor.factor(|i, j| {
        let both = inputs[i * m..][..m].iter().zip(&inputs[j * m..][..m]);
        both.map(|(a, b)| a * b).sum::<f64>() / k as f64 + covariance[i * q + j]
    });
    if blur == Blur::None || !factor.is_definite() {
        return estimated;
    }
    factor.solve(&mut solved, k);
    let (first, others) = estimated.split_at_mut(k);
    for (i, row) in others.chunks_exact_mut(k).enumerate() {
        for (j, solved) in solved.chunks_exact(k).enumerate() {
            let share = match blur {
                // The part that is the first one's noise stays with the first.
                Blur::Independent { deviation } => {
                    deviation * deviation * f64::from(u8::from(i == j))
                }
                _ => covariance[i * q + j],
            };
            row.iter_mut()
                .zip(solved)
                .for_each(|(row, by)| *row += share * by);
        }
    }
    if let Blur::Independent { .. } = blur {
        for row in others.chunks_exact(k) {
            first
                .iter_mut()
                .zip(row)
                .for_each(|(first, row)| *first -= row);
        }
    }
    estimated
}

/// What is known of the noise of the unknown release, and the deviation of the rest.
pub(super) fn of_unknown(
    evidence: &Evidence<'_>,
    blur: Blur,
    estimated: &[f64],
) -> (Vec<f64>, f64) {
    let k = evidence.output.len();
    match blur {
        Blur::None => (vec![0.0; k], 0.0),
        Blur::Independent { deviation } => {
            // Of a single known release the noise is not taken off.
            let alone = evidence.rows.len() == 1;
            let variances = if alone { 2.0_f64 } else { 1.0 };
            (vec![0.0; k], variances.sqrt() * deviation)
        }
        Blur::Cumulative { deviation, .. } => {
            let (shift, steps) = interpolate(evidence, estimated);
            (shift, steps.sqrt() * deviation)
        }
    }
}

/// The walk at the unknown row, between its places at the known ones, and how many
/// steps of it are as uncertain as what is left.
fn interpolate(evidence: &Evidence<'_>, estimated: &[f64]) -> (Vec<f64>, f64) {
    let (k, row, place) = (evidence.output.len(), evidence.row, evidence.place());
    let at = |place: usize| &estimated[place * k..][..k];
    let gap = |place: usize| evidence.rows[place].abs_diff(row) as f64;
    if place == 0 {
        return (at(0).to_vec(), gap(0));
    }
    if place == evidence.rows.len() {
        return (at(place - 1).to_vec(), gap(place - 1));
    }
    let (before, after) = (gap(place - 1), gap(place));
    let whole = before + after;
    let both = at(place - 1).iter().zip(at(place));
    let shift = both.map(|(left, right)| (after * left + before * right) / whole);
    (shift.collect(), before * after / whole)
}

#[cfg(test)]
mod tests {
    use super::super::posterior::{Assumptions, Posterior};
    use super::*;
    use crate::math::optimize::Objective;
    use proptest::prelude::*;

    fn evidence<'a>(inputs: &'a [f64], outputs: &'a [f64], row: u64) -> Evidence<'a> {
        Evidence {
            rows: vec![2, 5, 9],
            inputs: inputs.chunks(4).collect(),
            outputs: outputs.chunks(3).collect(),
            row,
            output: &[0.0; 3],
        }
    }

    /// The logarithm of the density of the noise, and of the releases without it, up
    /// to constants.
    fn density(evidence: &Evidence<'_>, blur: Blur, noise: &[f64]) -> f64 {
        let unknown = Evidence {
            rows: evidence.rows[..2].to_vec(),
            inputs: evidence.inputs[..2].to_vec(),
            outputs: evidence.outputs[..2].to_vec(),
            row: evidence.rows[2],
            output: evidence.outputs[2],
        };
        let minus = |outputs: Vec<f64>, noise: &[f64]| -> Vec<f64> {
            outputs.iter().zip(noise).map(|(y, e)| y - e).collect()
        };
        let mut posterior = Posterior::new(
            &unknown,
            Assumptions {
                outputs: minus(unknown.outputs.concat(), noise),
                output: minus(unknown.output.to_vec(), &noise[6..]),
                anchored: true,
                unknown_noise: None,
                covariance: &|_, _| 0.0,
                prior: None,
            },
        );
        let squares = |from: usize, to: usize, variance: f64| {
            let steps = (0..3).map(|i| match blur {
                Blur::Cumulative { .. } => noise[3 * to + i] - noise[3 * from + i],
                _ => noise[3 * to + i],
            });
            steps.map(|step| step * step).sum::<f64>() / variance
        };
        let sum = match blur {
            Blur::Cumulative { deviation, .. } => {
                let variance = deviation * deviation;
                squares(0, 1, 3.0 * variance) + squares(1, 2, 4.0 * variance)
            }
            Blur::Independent { deviation } => {
                (0..3).map(|i| squares(i, i, deviation * deviation)).sum()
            }
            Blur::None => 0.0,
        };
        posterior.value(evidence.inputs[2]) - 0.5 * sum
    }

    proptest! {
        #[test]
        fn no_other_noise_is_more_probable(
            inputs in prop::collection::vec(0.0..1.0_f64, 12),
            outputs in prop::collection::vec(-1.0..1.0_f64, 9),
            other in prop::collection::vec(-0.1..0.1_f64, 9),
        ) {
            let evidence = evidence(&inputs, &outputs, 7);
            for blur in [
                Blur::Independent { deviation: 0.3 },
                Blur::Cumulative { deviation: 0.2, reset: None },
            ] {
                let found = estimate(&evidence, blur);
                let best = density(&evidence, blur, &found);
                // Cumulative noise is relative to the first, which stays.
                let free = if matches!(blur, Blur::Cumulative { .. }) { 3 } else { 0 };
                let moved: Vec<f64> = found.iter().enumerate()
                    .map(|(i, e)| if i < free { *e } else { e + other[i] }).collect();
                prop_assert!(density(&evidence, blur, &moved) <= best + 1e-9);
            }
        }
    }

    #[test]
    fn a_walk_is_interpolated_and_its_rest_is_a_bridge() {
        let outputs = [0.0; 9];
        let walk = [0.0, 0.0, 0.0, 3.0, 3.0, 3.0, 7.0, 7.0, 7.0];
        let blur = Blur::Cumulative {
            deviation: 0.5,
            reset: None,
        };
        for (row, shift, variance) in [
            (0, 0.0, 2.0),
            (3, 1.0, 2.0 / 3.0),
            (6, 4.0, 3.0 / 4.0),
            (12, 7.0, 3.0),
        ] {
            let evidence = evidence(&[0.0; 12], &outputs, row);
            let (found, deviation) = of_unknown(&evidence, blur, &walk);
            assert_eq!(found, [shift; 3], "{row}");
            assert!((deviation - 0.5 * f64::sqrt(variance)).abs() < 1e-12);
        }
    }
}
