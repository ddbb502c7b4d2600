//! Rounds of expectation and maximisation for the chances of Fellegi and Sunter.
//!
//! E: a pair with pattern γ belongs together with chance `g = π M(γ) / (π M(γ) + (1 - π) U(γ))`. M: a
//! chance m is the share of agreement among pairs weighted by g, u among those weighted by 1 - g, and
//! π is the mean of g. How many pairs agree in an attribute does not change, so that what u counts is
//! what m does not.
//!
//! A search asks for the chances after each changed value, and most of its time goes here: of few
//! attributes all patterns are in an array whose size is known when it is compiled.

use super::fellegi_sunter::{FellegiSunter, bounded};

/// The change of a chance below which rounds end.
const LEAST_CHANGE: f64 = 1e-9;

/// Of `W` attributes, with `P` = 2ᵂ patterns.
pub(super) fn few<const W: usize, const P: usize>(
    model: &mut FellegiSunter,
    patterns: &[(u64, f64)],
    fixed_pi: bool,
    rounds: usize,
) {
    let mut counts = [0.0; P];
    for &(pattern, count) in patterns {
        counts[pattern as usize % P] = count;
    }
    let (agreed, pairs) = by_attribute::<W, P>(counts);
    let (mut m, mut u) = ([0.0; W], [0.0; W]);
    m.copy_from_slice(&model.m);
    u.copy_from_slice(&model.u);
    for _ in 0..rounds {
        // (1 - π) U / π M of each pattern, attribute by attribute.
        let mut against = [0.0; P];
        against[0] = (1.0 - model.pi) / model.pi;
        for k in 0..W {
            let (differ, agree) = ((1.0 - u[k]) / (1.0 - m[k]), u[k] / m[k]);
            let known = 1 << k;
            for pattern in 0..known {
                against[known + pattern] = against[pattern] * agree;
                against[pattern] *= differ;
            }
        }
        let mut together = [0.0; P];
        for pattern in 0..P {
            together[pattern] = counts[pattern] / (1.0 + against[pattern]);
        }
        let (together, all) = by_attribute::<W, P>(together);
        let (of_m, of_u) = (1.0 / all, 1.0 / (pairs - all));
        let mut change = 0.0_f64;
        for k in 0..W {
            let next_m = bounded(together[k] * of_m);
            let next_u = bounded((agreed[k] - together[k]) * of_u);
            change = change.max((next_m - m[k]).abs()).max((next_u - u[k]).abs());
            (m[k], u[k]) = (next_m, next_u);
        }
        if !fixed_pi {
            let next = bounded(all / pairs);
            change = change.max((next - model.pi).abs());
            model.pi = next;
        }
        if change < LEAST_CHANGE {
            break;
        }
    }
    model.m.copy_from_slice(&m);
    model.u.copy_from_slice(&u);
}

/// The sum over the patterns that agree in each attribute, and over all of them.
fn by_attribute<const W: usize, const P: usize>(mut values: [f64; P]) -> ([f64; W], f64) {
    let mut sums = [0.0; W];
    for k in (0..W).rev() {
        // The upper half agrees in attribute k; then both halves become one.
        let half = 1 << k;
        for pattern in 0..half {
            sums[k] += values[half + pattern];
            values[pattern] += values[half + pattern];
        }
    }
    (sums, values[0])
}

/// Of any number of attributes, pattern by pattern.
pub(super) fn many(
    model: &mut FellegiSunter,
    patterns: &[(u64, f64)],
    fixed_pi: bool,
    rounds: usize,
) {
    let width = model.m.len();
    let pairs: f64 = patterns.iter().map(|(_, count)| count).sum();
    let sums = |weights: &[f64]| -> Vec<f64> {
        let mut sums = vec![0.0; width];
        for (&(pattern, _), weight) in patterns.iter().zip(weights) {
            for (bit, sum) in sums.iter_mut().enumerate() {
                *sum += weight * (pattern >> bit & 1) as f64;
            }
        }
        sums
    };
    let counts: Vec<f64> = patterns.iter().map(|(_, count)| *count).collect();
    let agreed = sums(&counts);
    for _ in 0..rounds {
        let chances = model.m.iter().zip(&model.u);
        let ratios: Vec<[f64; 2]> = chances
            .map(|(m, u)| [(1.0 - u) / (1.0 - m), u / m])
            .collect();
        let apart = (1.0 - model.pi) / model.pi;
        let together = |&(pattern, count): &(u64, f64)| {
            let ratios = ratios.iter().enumerate();
            let against = ratios.fold(apart, |product, (bit, ratios)| {
                product * ratios[(pattern >> bit & 1) as usize]
            });
            count / (1.0 + against)
        };
        let weights: Vec<f64> = patterns.iter().map(together).collect();
        let all: f64 = weights.iter().sum();
        let mut change = 0.0_f64;
        let mut set = |chance: &mut f64, value: f64| {
            let value = bounded(value);
            change = change.max((value - *chance).abs());
            *chance = value;
        };
        let chances = model.m.iter_mut().zip(&mut model.u);
        for ((together, agreed), (m, u)) in sums(&weights).iter().zip(&agreed).zip(chances) {
            set(m, together / all);
            set(u, (agreed - together) / (pairs - all));
        }
        if !fixed_pi {
            set(&mut model.pi, all / pairs);
        }
        if change < LEAST_CHANGE {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn few_attributes_are_estimated_as_many_are(
            counts in prop::collection::vec(0_u32..1000, 16),
            fixed_pi in any::<bool>(),
        ) {
            let counts = counts.iter().enumerate();
            let patterns: Vec<(u64, f64)> = counts
                .map(|(pattern, &count)| (pattern as u64, f64::from(count) + 1.0))
                .collect();
            let [mut one, mut other] = [0.2, 0.2].map(|pi| FellegiSunter::start(4, pi));
            few::<4, 16>(&mut one, &patterns, fixed_pi, 5);
            many(&mut other, &patterns, fixed_pi, 5);
            let pairs = one.m.iter().chain(&one.u).zip(other.m.iter().chain(&other.u));
            for (a, b) in pairs.chain([(&one.pi, &other.pi)]) {
                prop_assert!((a - b).abs() < 1e-9, "{one:?} {other:?}");
            }
        }
    }
}
