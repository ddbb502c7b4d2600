//! Probabilistic record linkage: how often the likeliest original is the right one.
//!
//! A protected record is compared with each original that an intruder knows: of a table
//! with all of them, in whatever place, of a stream with the last b, the newest included.
//! Attribute by attribute they agree or not. Numbers and ordinals agree within `tolerance`
//! standard deviations of the originals, of a stream those so far, nominal values when they
//! are equal, two missing values also. If attributes agreed independently,
//! with chance m for a pair that belongs together and u for another, the weight
//!
//! ```text
//! w = Σ ln(mⱼ/uⱼ) where they agree + Σ ln((1 − mⱼ)/(1 − uⱼ)) where they do not
//! ```
//!
//! ranks the originals. If the right one has the largest weight, it is found with
//! chance 1/|G|, G being those of this weight; the measure is the mean over the
//! records. m, u and the share of true pairs are estimated by EM from the counts of
//! agreement patterns, which an intruder has too: after 16 records, then whenever
//! there are twice as many. Weights in force decide, so what was decided stays;
//! the first have m = 0.9, u = 0.1.
//!
//! *Does not tell* more than patterns can: of numbers that agree with many, record
//! linkage by distance finds more. The first 64 attributes count. Of a table of more than
//! 6,000 records an even sample is looked for, of 40 million comparisons in all, but of 400
//! records at least: the value is within 5 points of that of all records 19 times of 20.
//! *Costs* a comparison of each attribute and a look-up for each original that is known;
//! memory for these and 4,096 patterns (of more, the rare late ones are not counted in EM).
//! *From* Fellegi, Sunter, "A theory for record linkage" (1969); Jaro, "Advances in
//! record-linkage methodology" (1989).

use super::PairSettings;
use super::sample::EvenSample;
use super::window::Window;
use crate::data::{Attribute, Records};
use crate::math::distance::{Slots, agreement_of};
use crate::math::moments::Moments;
use crate::measure::Measure;
use foldhash::fast::FixedState;
use std::collections::HashMap;

/// Different patterns that are counted.
const MOST_PATTERNS: usize = 4096;

/// Records before the first estimate.
const FIRST: u64 = 16;

/// Rounds of EM.
const ROUNDS: usize = 30;

/// Chances stay this far from 0 and 1, so that weights are finite.
const LEAST: f64 = 1e-6;

/// Comparisons of records of a table with originals, and the fewest records compared.
const COMPARISONS: usize = 40_000_000;
const LEAST_RECORDS: usize = 400;

/// Share of records found again by agreement.
pub(in crate::measure) struct ProbabilisticLinkage {
    kinds: Vec<Attribute>,
    tolerance: f64,
    known: Known,
    tested: u64,
    moments: Vec<Moments>,
    tolerances: Vec<f64>,
    patterns: Vec<u64>,
    counts: HashMap<u64, Pattern, FixedState>,
    model: Model,
    next_estimate: u64,
    found: f64,
}

/// The originals that the intruder knows.
enum Known {
    /// Those that came last.
    Last(Window),
    /// Those of the whole table, and the records that are looked for.
    All(Slots, EvenSample),
}

impl Known {
    /// Puts the agreements of a record with each of them into `patterns`.
    fn agreements(&self, protected: &[f64], tolerances: &[f64], patterns: &mut Vec<u64>) {
        let (slots, filled) = match self {
            Known::Last(window) => (window.slots(), window.filled()),
            Known::All(slots, _) => (slots, slots.len()),
        };
        slots.agreements(filled, protected, tolerances, patterns);
    }
}

/// A pattern that was seen.
struct Pattern {
    count: u64,
    weight: f64,
}

/// Chances of agreement.
struct Model {
    /// Of two that belong together.
    m: Vec<f64>,
    /// Of two that do not.
    u: Vec<f64>,
    /// Share of pairs that belong together.
    matched: f64,
}

impl Model {
    fn new(width: usize) -> Self {
        Model {
            m: vec![0.9; width],
            u: vec![0.1; width],
            matched: 0.0,
        }
    }

    fn weight(&self, pattern: u64) -> f64 {
        let chances = self.m.iter().zip(&self.u);
        chances.enumerate().fold(0.0, |sum, (bit, (m, u))| {
            sum + match agrees(pattern, bit) {
                true => (m / u).ln(),
                false => ((1.0 - m) / (1.0 - u)).ln(),
            }
        })
    }

    /// Estimates everything anew from the patterns and how often each was seen.
    fn estimate(&mut self, patterns: &[(u64, f64)], matched: f64) {
        let width = self.m.len();
        *self = Model::new(width);
        self.matched = bounded(matched);
        for _ in 0..ROUNDS {
            let (mut m, mut u) = (vec![0.0; width], vec![0.0; width]);
            let (mut together, mut apart) = (0.0, 0.0);
            for &(pattern, count) in patterns {
                let odds = self.matched / (1.0 - self.matched) * self.weight(pattern).exp();
                let share = if odds.is_finite() {
                    odds / (1.0 + odds)
                } else {
                    1.0
                };
                together += count * share;
                apart += count * (1.0 - share);
                for bit in (0..width).filter(|&bit| agrees(pattern, bit)) {
                    m[bit] += count * share;
                    u[bit] += count * (1.0 - share);
                }
            }
            self.m = m.iter().map(|sum| bounded(sum / together)).collect();
            self.u = u.iter().map(|sum| bounded(sum / apart)).collect();
            self.matched = bounded(together / (together + apart));
        }
    }
}

fn agrees(pattern: u64, bit: usize) -> bool {
    pattern >> bit & 1 == 1
}

/// A chance that is neither 0 nor 1; the least where there is none.
fn bounded(chance: f64) -> f64 {
    match chance > LEAST {
        true => chance.min(1.0 - LEAST),
        false => LEAST,
    }
}

impl ProbabilisticLinkage {
    pub(in crate::measure) fn new(settings: &PairSettings) -> Self {
        let width = settings.attributes.len().min(64);
        ProbabilisticLinkage {
            kinds: settings.attributes[..width].to_vec(),
            tolerance: settings.tolerance,
            known: Known::Last(Window::new(settings.buffer, &settings.nominal()[..width])),
            tested: 0,
            moments: vec![Moments::default(); width],
            tolerances: vec![0.0; width],
            patterns: Vec::new(),
            counts: HashMap::default(),
            model: Model::new(width),
            next_estimate: FIRST,
            found: 0.0,
        }
    }

    /// Takes the value of each attribute into its deviation.
    fn measure(&mut self, original: &[f64]) {
        let columns = self.moments.iter_mut().zip(&mut self.tolerances);
        for (((moments, tolerance), &value), kind) in columns.zip(original).zip(&self.kinds) {
            if *kind != Attribute::Nominal {
                moments.push(value);
                *tolerance = self.tolerance * moments.deviation();
            }
        }
    }

    /// Counts the patterns and gives the chance that the original with pattern `own` is found.
    fn find(&mut self, own: u64) -> f64 {
        let own = self.model.weight(own);
        let (mut ties, mut larger) = (0_u64, false);
        for &pattern in &self.patterns {
            let room = self.counts.len() < MOST_PATTERNS;
            let weight = match self.counts.get_mut(&pattern) {
                Some(seen) => {
                    seen.count += 1;
                    seen.weight
                }
                None => {
                    let weight = self.model.weight(pattern);
                    if room {
                        self.counts.insert(pattern, Pattern { count: 1, weight });
                    }
                    weight
                }
            };
            ties += u64::from(weight == own);
            larger |= weight > own;
        }
        match larger {
            true => 0.0,
            false => 1.0 / ties as f64,
        }
    }

    fn estimate(&mut self) {
        let counts = self.counts.iter();
        let mut patterns: Vec<(u64, f64)> = counts
            .map(|(&pattern, seen)| (pattern, seen.count as f64))
            .collect();
        // Sums depend on the order, and that of the map on chance.
        patterns.sort_unstable_by_key(|(pattern, _)| *pattern);
        let pairs: f64 = patterns.iter().map(|(_, count)| count).sum();
        self.model.estimate(&patterns, self.tested as f64 / pairs);
        for (&pattern, seen) in &mut self.counts {
            seen.weight = self.model.weight(pattern);
        }
    }
}

impl Measure for ProbabilisticLinkage {
    fn prepare(&mut self, originals: &Records) {
        let nominal: Vec<bool> = self
            .kinds
            .iter()
            .map(|kind| *kind == Attribute::Nominal)
            .collect();
        let mut slots = Slots::new(originals.len(), &nominal);
        for (slot, record) in originals.iter().enumerate() {
            slots.set(slot, record);
            self.measure(record);
        }
        let most = COMPARISONS / originals.len().max(1);
        let sample = EvenSample::new(originals.len(), most.max(LEAST_RECORDS));
        self.known = Known::All(slots, sample);
    }

    fn observe_record(&mut self, original: &[f64], protected: &[f64]) {
        match &mut self.known {
            Known::All(_, sample) => {
                if !sample.takes_next() {
                    return;
                }
            }
            Known::Last(window) => {
                window.push(original);
                self.measure(original);
            }
        }
        let known = &self.known;
        known.agreements(protected, &self.tolerances, &mut self.patterns);
        let own = agreement_of(original, protected, &self.tolerances);
        self.found += self.find(own);
        self.tested += 1;
        if self.tested == self.next_estimate {
            self.estimate();
            self.next_estimate *= 2;
        }
    }

    fn value(&self) -> Option<f64> {
        (self.tested > 0).then(|| self.found / self.tested as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::reference::{Pair, any_pairs, average, check, settings};
    use super::*;
    use proptest::prelude::*;

    /// Which attributes agree, with the deviation of the originals so far.
    fn agreement(so_far: &[Pair], original: &[f64], protected: &[f64]) -> Vec<bool> {
        let agree = |place: usize| {
            let (x, y) = (original[place], protected[place]);
            let moments: Moments = so_far.iter().map(|(original, _)| original[place]).collect();
            let tolerance = settings().tolerance * moments.deviation();
            x == y || x.is_nan() && y.is_nan() || place < 3 && (x - y).abs() <= tolerance
        };
        (0..4).map(agree).collect()
    }

    /// The pairs whose originals a record is compared with, its own the last of them.
    type Candidates = fn(&[Pair], usize) -> Vec<Pair>;

    fn of_stream(pairs: &[Pair], end: usize) -> Vec<Pair> {
        pairs[end.saturating_sub(settings().buffer)..end].to_vec()
    }

    fn of_table(pairs: &[Pair], end: usize) -> Vec<Pair> {
        let mut turned = pairs.to_vec();
        turned.rotate_left(end);
        turned
    }

    /// Compares everything with everything, and estimates from a list of all comparisons.
    fn reference(pairs: &[Pair], candidates: Candidates, whole: bool) -> Option<f64> {
        let mut model = Model::new(4);
        let mut compared: Vec<Vec<bool>> = Vec::new();
        let mut chances = Vec::new();
        let code = |agreement: &[bool]| -> u64 {
            let bits = agreement.iter().enumerate();
            bits.map(|(bit, agrees)| u64::from(*agrees) << bit).sum()
        };
        for end in 1..=pairs.len() {
            let candidates = candidates(pairs, end);
            let protected = &pairs[end - 1].1;
            let so_far = if whole { pairs } else { &pairs[..end] };
            let agreements: Vec<Vec<bool>> = candidates
                .iter()
                .map(|(original, _)| agreement(so_far, original, protected))
                .collect();
            let weight = |agreement: &Vec<bool>| model.weight(code(agreement));
            let weights: Vec<f64> = agreements.iter().map(weight).collect();
            let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let ties = weights.iter().filter(|weight| **weight == most).count();
            let found = weights.last() == Some(&most);
            chances.push(if found { 1.0 / ties as f64 } else { 0.0 });
            compared.extend(agreements);
            if end as u64 >= FIRST && end.is_power_of_two() {
                let mut codes: Vec<u64> = compared.iter().map(|one| code(one)).collect();
                codes.sort_unstable();
                let groups = codes.chunk_by(|a, b| a == b);
                let patterns: Vec<(u64, f64)> =
                    groups.map(|group| (group[0], group.len() as f64)).collect();
                model.estimate(&patterns, end as f64 / compared.len() as f64);
            }
        }
        average(&chances)
    }

    proptest! {
        #[test]
        fn the_risk_is_that_of_comparing_all_with_all(pairs in any_pairs(true)) {
            let expected = |pairs: &[Pair]| reference(pairs, of_stream, false);
            check(ProbabilisticLinkage::new(&settings()), &pairs, expected)?;
        }

        #[test]
        fn of_a_table_each_is_compared_with_all_originals(pairs in any_pairs(true)) {
            let found = measured(&pairs);
            match (found, reference(&pairs, of_table, true)) {
                (Some(a), Some(b)) => prop_assert!((a - b).abs() < 1e-9, "{a} {b}"),
                (a, b) => prop_assert_eq!(a, b),
            }
        }
    }

    fn measured(pairs: &[Pair]) -> Option<f64> {
        let mut linkage = ProbabilisticLinkage::new(&settings());
        let mut originals = Records::new(4);
        pairs
            .iter()
            .for_each(|(original, _)| originals.push(original));
        linkage.prepare(&originals);
        for (original, protected) in pairs {
            linkage.observe_record(original, protected);
        }
        linkage.value()
    }

    #[test]
    fn a_table_of_a_row_more_makes_no_jump() {
        let x = |n: u64, step: u64| (n * step % 10_007) as f64;
        let pair = |n: u64| {
            let original = vec![x(n, 7), x(n, 4_999), x(n, 31), (n % 3) as f64];
            let mut protected = original.clone();
            protected[0] += x(n, 613) / 5.0;
            protected[1] -= x(n, 17) / 5.0;
            (original, protected)
        };
        let pairs: Vec<Pair> = (0..2_001).map(pair).collect();
        let [few, more] = [2_000, 2_001].map(|rows| measured(&pairs[..rows]).expect("pairs"));
        assert!((0.005..0.98).contains(&few), "{few}");
        assert!((few - more).abs() < 0.001, "{few} {more}");
    }

    #[test]
    fn the_estimate_finds_the_chances_that_made_the_patterns() {
        let (m, u, matched) = ([0.95, 0.8, 0.7, 0.9], [0.1, 0.3, 0.2, 0.05], 0.1);
        let chance = |pattern: u64, chances: &[f64; 4]| -> f64 {
            let bits = chances.iter().enumerate();
            bits.map(|(bit, c)| if agrees(pattern, bit) { *c } else { 1.0 - c })
                .product()
        };
        let count = |pattern: u64| {
            1e6 * (matched * chance(pattern, &m) + (1.0 - matched) * chance(pattern, &u))
        };
        let patterns: Vec<(u64, f64)> = (0..16).map(|one| (one, count(one))).collect();
        let mut model = Model::new(4);
        model.estimate(&patterns, 0.1);
        for (found, expected) in model.m.iter().chain(&model.u).zip(m.iter().chain(&u)) {
            assert!((found - expected).abs() < 0.02, "{found} is not {expected}");
        }
        assert!((model.matched - matched).abs() < 0.02);
    }

    #[test]
    fn exact_copies_of_different_records_are_found_and_noise_is_not() {
        let value = |noise: f64| {
            let mut linkage = ProbabilisticLinkage::new(&settings());
            for n in 0..400 {
                let x = |step: i32| f64::from(n * step % 101);
                let original = [x(7), x(13), x(29), x(53)];
                let spread = [x(17), x(41), x(67), x(71)].map(|x| (x - 50.0) * noise);
                let protected = [0, 1, 2, 3].map(|i| original[i] + spread[i]);
                linkage.observe_record(&original, &protected);
            }
            linkage.value().expect("there are records")
        };
        assert_eq!(value(0.0), 1.0);
        let noisy = value(1.0);
        assert!(noisy < 0.5, "{noisy}");
    }

    #[test]
    fn more_than_64_attributes_are_no_trouble() {
        let settings = PairSettings::new(vec![Attribute::Number; 70]);
        let mut linkage = ProbabilisticLinkage::new(&settings);
        for n in 0..40 {
            let record: Vec<f64> = (0..70).map(|place| f64::from(n * place % 37)).collect();
            linkage.observe_record(&record, &record);
        }
        assert!(linkage.value() > Some(0.9));
    }
}
