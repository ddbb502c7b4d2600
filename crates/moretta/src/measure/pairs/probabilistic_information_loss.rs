//! Probabilistic information loss (PIL): whether statistics of the release differ
//! from those of the original by more than chance, from 0 to 1.
//!
//! The original so far is taken for the population and the release for a sample of n
//! of it. A statistic θ of the population and its estimate θ' of the sample differ by
//! z = (θ' − θ) / √Var(θ') standard errors, and
//!
//! ```text
//! pil(θ) = P(|Z| < |z|) = 2·Φ(|z|) − 1 = erf(|z| / √2)      Z standard normal
//! ```
//!
//! is the chance that a sample differs less. With central moments μ of the original:
//!
//! ```text
//! means         Var = μ₂ / n
//! variances     Var = (μ₄ − μ₂²) / n
//! covariances   Var = (μ₂₂ − μ₁₁²) / n
//! correlations  Var = [μ₂₂/(μ₂₀μ₀₂) + r²/4·(μ₄₀/μ₂₀² + μ₀₄/μ₀₂² + 2μ₂₂/(μ₂₀μ₀₂))
//!                      − μ₁₁/(μ₂₀μ₀₂)·(μ₃₁/μ₂₀ + μ₁₃/μ₀₂)] / n
//! quantiles     Var = q(1 − q) / (n f²),  f = 0.1 / (Q(q + 0.05) − Q(q − 0.05))
//! ```
//!
//! The value is the mean of the five means (over attributes, pairs of attributes, and
//! quantiles 5 %, 10 %, … 95 %), of those that exist. Quantiles, and their n, are of a
//! [`SystematicSample`] of 512 pairs. Where a variance is 0, any difference is a loss
//! of 1. Whatever differs at all is beyond chance for n large enough: compare methods
//! at equal n.
//!
//! Numbers and ordinals count, nominal attributes do not; pairs in which one of their
//! values is missing on either side are left out.
//!
//! *Costs* `8 · width²` operations a pair; a sort of the sample when asked.
//! *From* Mateo-Sanz, Domingo-Ferrer, Sebé, "Probabilistic information loss measures
//! in confidentiality protection of continuous microdata" (2005); variances from
//! Kendall, Stuart, "The advanced theory of statistics".

use super::moments::{BothMoments, couples};
use super::sample::SystematicSample;
use super::{PairSettings, mean};
use crate::measure::Measure;
use std::f64::consts::FRAC_1_SQRT_2;

/// Pairs that quantiles are taken from.
const SAMPLE: usize = 512;

/// Quantiles 1/20, 2/20, … 19/20.
const QUANTILES: usize = 20;

/// Mean over the statistics of the chance to differ less.
pub(in crate::measure) struct Pil {
    moments: BothMoments,
    powers: Powers,
    original: SystematicSample,
    protected: SystematicSample,
}

impl Pil {
    pub(in crate::measure) fn new(settings: &PairSettings) -> Self {
        let moments = BothMoments::new(settings);
        let width = moments.original.width();
        Pil {
            moments,
            powers: Powers::new(width),
            original: SystematicSample::new(width, SAMPLE),
            protected: SystematicSample::new(width, SAMPLE),
        }
    }

    fn count(&self) -> f64 {
        self.moments.original.count() as f64
    }

    fn means(&self) -> Option<f64> {
        let BothMoments {
            original,
            protected,
            ..
        } = &self.moments;
        mean((0..original.width()).map(|i| {
            let difference = protected.means()[i] - original.means()[i];
            pil(difference, self.powers.central(i, i).m11, self.count())
        }))
    }

    fn variances(&self) -> Option<f64> {
        let columns = 0..self.moments.original.width();
        mean(columns.map(|i| self.covariance(i, i)))
    }

    fn covariances(&self) -> Option<f64> {
        let columns: Vec<usize> = (0..self.moments.original.width()).collect();
        mean(couples(&columns, false).map(|(i, j)| self.covariance(i, j)))
    }

    fn covariance(&self, i: usize, j: usize) -> f64 {
        let BothMoments {
            original,
            protected,
            ..
        } = &self.moments;
        let central = self.powers.central(i, j);
        // Moments of a population are over n, not n − 1.
        let difference = protected.covariance(i, j) - original.covariance(i, j);
        pil(
            difference * (self.count() - 1.0) / self.count(),
            central.m22 - central.m11 * central.m11,
            self.count(),
        )
    }

    fn correlations(&self) -> Option<f64> {
        let BothMoments {
            original,
            protected,
            ..
        } = &self.moments;
        let columns: Vec<usize> = (0..original.width()).collect();
        mean(couples(&columns, false).filter_map(|(i, j)| {
            let before = original.correlation(i, j)?;
            let after = protected.correlation(i, j)?;
            let variance = self.powers.central(i, j).variance_of_correlation();
            Some(pil(after - before, variance, self.count()))
        }))
    }

    fn quantiles(&self) -> Option<f64> {
        let columns = 0..self.moments.original.width();
        mean(columns.map(|i| {
            let original = sorted(self.original.records().column(i));
            let protected = sorted(self.protected.records().column(i));
            quantile_loss(&original, &protected)
        }))
    }
}

impl Measure for Pil {
    fn observe_record(&mut self, original: &[f64], protected: &[f64]) {
        if self.moments.push(original, protected) {
            let (x, y) = &self.moments.last;
            self.powers.push(x);
            self.original.push(x);
            self.protected.push(y);
        }
    }

    fn value(&self) -> Option<f64> {
        if self.moments.original.count() < 2 {
            return None;
        }
        let statistics = [
            self.means(),
            self.variances(),
            self.covariances(),
            self.correlations(),
            self.quantiles(),
        ];
        mean(statistics.into_iter().flatten())
    }
}

/// The chance that the mean of n draws of this variance differs less.
fn pil(difference: f64, variance: f64, n: f64) -> f64 {
    let error = (variance.max(0.0) / n).sqrt();
    match difference.abs() {
        0.0 => 0.0,
        difference => libm::erf(difference / error * FRAC_1_SQRT_2),
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    values
}

/// Mean over the quantiles of two samples of the same size.
fn quantile_loss(original: &[f64], protected: &[f64]) -> f64 {
    let n = original.len();
    // The nearest rank of the quantile number/20.
    let rank = |number: usize| (2 * number * (n - 1) + QUANTILES) / (2 * QUANTILES);
    let losses = (1..QUANTILES).map(|number| {
        let q = number as f64 / QUANTILES as f64;
        let width = original[rank(number + 1)] - original[rank(number - 1)];
        let density = 2.0 / QUANTILES as f64 / width;
        let difference = protected[rank(number)] - original[rank(number)];
        pil(difference, q * (1.0 - q) / (density * density), n as f64)
    });
    losses.sum::<f64>() / (QUANTILES - 1) as f64
}

/// Sums of products of powers up to the fourth, of differences from the first record.
struct Powers {
    pivot: Vec<f64>,
    differences: Vec<f64>,
    count: u64,
    /// Sums of each column.
    ones: Vec<f64>,
    /// Sums of each two columns, the first not after the second, row by row.
    couples: Vec<Sums>,
}

/// Sums of xᵃyᵇ.
#[derive(Clone, Copy, Default)]
struct Sums {
    s11: f64,
    s21: f64,
    s12: f64,
    s22: f64,
    s31: f64,
    s13: f64,
}

/// Central moments of two columns.
struct Central {
    m20: f64,
    m02: f64,
    m11: f64,
    m22: f64,
    m31: f64,
    m13: f64,
    m40: f64,
    m04: f64,
}

impl Central {
    /// n times the variance of the correlation of a sample of n.
    fn variance_of_correlation(&self) -> f64 {
        let scale = self.m20 * self.m02;
        let square = self.m11 * self.m11 / scale;
        let tails = self.m40 / (self.m20 * self.m20) + self.m04 / (self.m02 * self.m02);
        self.m22 / scale + square / 4.0 * (tails + 2.0 * self.m22 / scale)
            - self.m11 / scale * (self.m31 / self.m20 + self.m13 / self.m02)
    }
}

impl Powers {
    fn new(width: usize) -> Self {
        Powers {
            pivot: Vec::new(),
            differences: vec![0.0; width],
            count: 0,
            ones: vec![0.0; width],
            couples: vec![Sums::default(); width * (width + 1) / 2],
        }
    }

    fn push(&mut self, record: &[f64]) {
        if self.count == 0 {
            self.pivot = record.to_vec();
        }
        self.count += 1;
        let places = self.differences.iter_mut().zip(&mut self.ones);
        for ((difference, sum), (value, pivot)) in places.zip(record.iter().zip(&self.pivot)) {
            *difference = value - pivot;
            *sum += *difference;
        }
        let mut couples = self.couples.iter_mut();
        for (i, &x) in self.differences.iter().enumerate() {
            for (&y, sums) in self.differences[i..].iter().zip(&mut couples) {
                let xy = x * y;
                sums.s11 += xy;
                sums.s21 += x * xy;
                sums.s12 += xy * y;
                sums.s22 += xy * xy;
                sums.s31 += x * x * xy;
                sums.s13 += xy * y * y;
            }
        }
    }

    /// The mean powers of two columns.
    fn raw(&self, i: usize, j: usize) -> Sums {
        let place = i * (2 * self.ones.len() + 1 - i) / 2 + j - i;
        let Sums {
            s11,
            s21,
            s12,
            s22,
            s31,
            s13,
        } = self.couples[place];
        let [s11, s21, s12, s22, s31, s13] =
            [s11, s21, s12, s22, s31, s13].map(|sum| sum / self.count as f64);
        Sums {
            s11,
            s21,
            s12,
            s22,
            s31,
            s13,
        }
    }

    /// The central moments of two columns, the first not after the second.
    fn central(&self, i: usize, j: usize) -> Central {
        let (x, y, both) = (self.raw(i, i), self.raw(j, j), self.raw(i, j));
        let mean = |column: usize| self.ones[column] / self.count as f64;
        let (p, q) = (mean(i), mean(j));
        // Of one column s11 is the second power, s21 the third and s22 the fourth.
        let fourth = |sums: Sums, p: f64| {
            sums.s22 - 4.0 * p * sums.s21 + 6.0 * p * p * sums.s11 - 3.0 * p * p * p * p
        };
        Central {
            m20: x.s11 - p * p,
            m02: y.s11 - q * q,
            m11: both.s11 - p * q,
            m22: both.s22 - 2.0 * q * both.s21 - 2.0 * p * both.s12
                + q * q * x.s11
                + p * p * y.s11
                + 4.0 * p * q * both.s11
                - 3.0 * p * p * q * q,
            m31: both.s31 - q * x.s21 - 3.0 * p * both.s21
                + 3.0 * p * q * x.s11
                + 3.0 * p * p * both.s11
                - 3.0 * p * p * p * q,
            m13: both.s13 - p * y.s21 - 3.0 * q * both.s12
                + 3.0 * p * q * y.s11
                + 3.0 * q * q * both.s11
                - 3.0 * q * q * q * p,
            m40: fourth(x, p),
            m04: fourth(y, q),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::reference::{
        Pair, any_pairs, check, complete, same_pairs, settings, worked_example,
    };
    use super::*;
    use crate::data::Attribute;
    use proptest::prelude::*;

    /// Mean of the products of powers of differences from the means.
    fn central(records: &[&Vec<f64>], i: usize, a: i32, j: usize, b: i32) -> f64 {
        let n = records.len() as f64;
        let mean = |column: usize| records.iter().map(|record| record[column]).sum::<f64>() / n;
        let (p, q) = (mean(i), mean(j));
        let terms = records
            .iter()
            .map(|record| (record[i] - p).powi(a) * (record[j] - q).powi(b));
        terms.sum::<f64>() / n
    }

    /// As the paper writes it, for pairs without ties of quantiles.
    fn reference(pairs: &[Pair]) -> Option<f64> {
        let pairs = complete(pairs, &[0, 1, 2]);
        if pairs.len() < 2 {
            return None;
        }
        let n = pairs.len() as f64;
        let x: Vec<&Vec<f64>> = pairs.iter().map(|pair| &pair.0).collect();
        let y: Vec<&Vec<f64>> = pairs.iter().map(|pair| &pair.1).collect();
        let loss = |after: f64, before: f64, variance: f64| match (after - before).abs() {
            difference if difference < 1e-12 => 0.0,
            difference => libm::erf(difference / (variance.max(0.0) / n).sqrt() / 2_f64.sqrt()),
        };
        let mu = |i, a, j, b| central(&x, i, a, j, b);
        let covariance = |i, j| {
            let variance = mu(i, 2, j, 2) - mu(i, 1, j, 1).powi(2);
            loss(central(&y, i, 1, j, 1), mu(i, 1, j, 1), variance)
        };
        let correlation = |i, j| {
            let r = |side: &[&Vec<f64>]| {
                let scale = central(side, i, 2, j, 0) * central(side, i, 0, j, 2);
                central(side, i, 1, j, 1) / scale.sqrt()
            };
            let (vi, vj) = (mu(i, 2, j, 0), mu(i, 0, j, 2));
            let before = r(&x);
            // Of the published form, with μ11 cancelled.
            let variance = mu(i, 2, j, 2) / (vi * vj)
                + before.powi(2) / 4.0
                    * (mu(i, 4, j, 0) / vi.powi(2)
                        + mu(i, 0, j, 4) / vj.powi(2)
                        + 2.0 * mu(i, 2, j, 2) / (vi * vj))
                - before / (vi * vj).sqrt() * (mu(i, 3, j, 1) / vi + mu(i, 1, j, 3) / vj);
            loss(r(&y), before, variance)
        };
        let quantiles = |i: usize| {
            let column = |side: &[&Vec<f64>]| sorted(side.iter().map(|record| record[i]));
            let (x, y) = (column(&x), column(&y));
            let at = |q: f64| (q * (n - 1.0) + 1e-9).round() as usize;
            let losses = (1..20).map(|number| {
                let q = f64::from(number) * 0.05;
                let f = 0.1 / (x[at(q + 0.05)] - x[at(q - 0.05)]);
                loss(y[at(q)], x[at(q)], q * (1.0 - q) / f.powi(2))
            });
            losses.sum::<f64>() / 19.0
        };
        let couples = [(0, 1), (0, 2), (1, 2)];
        let three = |f: &dyn Fn(usize) -> f64| (0..3).map(f).sum::<f64>() / 3.0;
        let varies = |i: usize, side: &[&Vec<f64>]| central(side, i, 2, i, 0) > 1e-20;
        let known = couples
            .iter()
            .filter(|(i, j)| [*i, *j].iter().all(|&i| varies(i, &x) && varies(i, &y)));
        let correlations: Vec<f64> = known.map(|&(i, j)| correlation(i, j)).collect();
        let parts = [
            Some(three(&|i| {
                let mean = |side: &[&Vec<f64>]| side.iter().map(|record| record[i]).sum::<f64>();
                loss(mean(&y) / n, mean(&x) / n, mu(i, 2, i, 0))
            })),
            Some(three(&|i| covariance(i, i))),
            Some(couples.iter().map(|&(i, j)| covariance(i, j)).sum::<f64>() / 3.0),
            super::super::reference::average(&correlations),
            Some(three(&quantiles)),
        ];
        let parts: Vec<f64> = parts.into_iter().flatten().collect();
        super::super::reference::average(&parts)
    }

    proptest! {
        #[test]
        fn what_is_released_as_it_was_loses_nothing_and_nothing_loses_more_than_all(
            same in same_pairs(),
            pairs in any_pairs(true),
        ) {
            let none = |pairs: &[Pair]| (complete(pairs, &[0, 1, 2]).len() > 1).then_some(0.0);
            check(Pil::new(&settings()), &same, none)?;
            let mut measure = Pil::new(&settings());
            for (original, protected) in &pairs {
                measure.observe_record(original, protected);
                prop_assert!(measure.value().is_none_or(|loss| (0.0..=1.0).contains(&loss)));
            }
        }
    }

    /// Numbers without pattern.
    fn noise(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        }
    }

    fn noisy_pairs(count: usize, share: f64) -> Vec<Pair> {
        let mut random = noise(7);
        let pair = |_| {
            let (a, b, c) = (random(), random(), random());
            let original = vec![100.0 + a, a + b, 5.0 * c * c, 0.0];
            let protected = original.iter().map(|x| x + share * random()).collect();
            (original, protected)
        };
        (0..count).map(pair).collect()
    }

    #[test]
    fn losses_are_those_of_the_published_formulas() {
        let pairs = noisy_pairs(300, 0.3);
        let mut measure = Pil::new(&settings());
        for (n, (original, protected)) in pairs.iter().enumerate() {
            measure.observe_record(original, protected);
            // Of very few, variances are nearly 0 and rounding decides.
            if n >= 20 {
                let (found, expected) = (measure.value(), reference(&pairs[..=n]));
                let (found, expected) = (found.expect("pairs"), expected.expect("pairs"));
                assert!(
                    (found - expected).abs() < 1e-6,
                    "{n}: {found} is not {expected}"
                );
            }
        }
    }

    #[test]
    fn losses_are_those_of_the_worked_example() {
        let Some((pairs, expected)) = worked_example("il-continuous-a") else {
            return;
        };
        let mut measure = Pil::new(&PairSettings::new(vec![Attribute::Number; 2]));
        for (original, protected) in &pairs {
            measure.observe_record(original, protected);
        }
        let expected = &expected["pil_without_quantiles"];
        let parts = [
            (measure.means(), "PIL_mean"),
            (measure.variances(), "PIL_var"),
            (measure.covariances(), "PIL_cov"),
            (measure.correlations(), "PIL_corr"),
        ];
        let mut sum = 0.0;
        for (found, name) in parts {
            let (found, expected) = (found.expect("pairs"), expected[name].as_f64());
            assert!(
                (found - expected.expect("a number")).abs() < 1e-9,
                "{name}: {found}"
            );
            sum += found;
        }
        let four = expected["PIL4"].as_f64().expect("a number");
        assert!((100.0 * sum / 4.0 - four).abs() < 1e-9);
    }

    #[test]
    fn more_noise_loses_more() {
        let value = |share: f64| {
            let mut measure = Pil::new(&settings());
            for (original, protected) in noisy_pairs(2000, share) {
                measure.observe_record(&original, &protected);
            }
            measure.value().expect("there are pairs")
        };
        let losses = [0.0, 0.01, 0.1, 1.0].map(value);
        assert_eq!(losses[0], 0.0);
        assert!(losses.windows(2).all(|two| two[0] < two[1]), "{losses:?}");
        assert!(losses[3] > 0.7, "{losses:?}");
    }
}
