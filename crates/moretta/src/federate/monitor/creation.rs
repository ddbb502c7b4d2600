//! When sources should get a trouble node: they agree more than chance would explain.
//!
//! Of each record whose final class was wrong, the monitor pushes whether each source would have
//! forwarded it to a node over all of them. Their agreement a = s·#(all)/Σ(ones) must reach
//! T_a = min(1, ã + (1 - ã^θ)·ε), where ã is the product of the means, which independence would
//! give, and ε Hoeffding's bound for as many records as there are and 500 more. As in the study,
//! the agreement is that before the push and T_a that after it.

use super::hoeffding;
use super::noted::Noted;
use crate::error::Result;
use crate::federate::bit_window::BitWindow;
use crate::federate::state::{Reader, Writer, odd};
use crate::federate::terms::MonitorTerms;

/// A candidate for a trouble node.
#[derive(Clone, Debug)]
pub(super) struct Creation {
    pub(super) sources: Vec<u16>,
    /// L of all sources together.
    pub(super) length: u64,
    /// The first record whose sources were asked.
    pub(super) from_record: u64,
    windows: Vec<BitWindow>,
    /// Records that all would have forwarded.
    full: u32,
    streak: u32,
    excess: f64,
    /// Where the answers of its sources are among all that are asked.
    questions: Vec<usize>,
    /// ε for so many records, kept since windows that are full have the same one.
    bound: (u32, f64),
}

impl Creation {
    pub(super) fn new(
        sources: Vec<u16>,
        length: u64,
        from_record: u64,
        terms: &MonitorTerms,
    ) -> Self {
        Creation {
            windows: vec![BitWindow::new(terms.window); sources.len()],
            sources,
            length,
            from_record,
            full: 0,
            streak: 0,
            excess: 0.0,
            questions: Vec::new(),
            bound: (0, f64::INFINITY),
        }
    }

    /// Finds what it asks among all that are asked.
    pub(super) fn find_questions(&mut self, all: &[(u16, u64)]) {
        let place = |&source: &u16| all.binary_search(&(source, self.length)).ok();
        self.questions = self.sources.iter().filter_map(place).collect();
    }

    /// Takes the records whose final class was wrong, but those of which a source has not told.
    pub(super) fn take_all(&mut self, wrong: &Noted, terms: &MonitorTerms) {
        let questions = std::mem::take(&mut self.questions);
        let from = self.from_record;
        for (_, told) in wrong.records().filter(|(record, _)| *record >= from) {
            let mut answers = questions.iter().map(|&question| told[question]);
            if answers.all(|answer| answer.is_some()) {
                let bits = questions
                    .iter()
                    .map(|&question| told[question] == Some(true));
                self.push(bits, terms);
            }
        }
        self.questions = questions;
    }

    /// s·#(all)/Σ(ones), 0 of nothing.
    pub(super) fn agreement(&self) -> f64 {
        match self.windows.iter().map(BitWindow::ones).sum::<u32>() {
            0 => 0.0,
            ones => f64::from(self.full * self.windows.len() as u32) / f64::from(ones),
        }
    }

    /// By how much the agreement exceeded T_a when it was looked at.
    pub(super) fn excess(&self) -> f64 {
        self.excess
    }

    /// Records that it has taken and remembers, and whether a source would have forwarded one.
    pub(super) fn taken(&self) -> (u32, bool) {
        let size = self.windows.first().map_or(0, BitWindow::size);
        (size, self.windows.iter().any(|window| window.ones() > 0))
    }

    /// Takes a record whose final class was wrong: a bit of each source.
    pub(super) fn push(&mut self, bits: impl Iterator<Item = bool>, terms: &MonitorTerms) {
        let before = self.agreement();
        let (mut all, mut left) = (true, Some(true));
        for (window, bit) in self.windows.iter_mut().zip(bits) {
            all &= bit;
            let gone = window.push(bit);
            left = left.and_then(|left| gone.map(|gone| left && gone));
        }
        self.full += u32::from(all);
        self.full -= u32::from(left == Some(true));
        let size = self.records(terms);
        if self.bound.0 != size {
            self.bound = (size, hoeffding(terms.delta, size));
        }
        self.excess = before - self.threshold_within(self.bound.1, terms);
        self.streak = match self.excess >= 0.0 {
            true => self.streak.saturating_add(1),
            false => 0,
        };
    }

    /// T_a.
    pub(super) fn threshold(&self, terms: &MonitorTerms) -> f64 {
        let bound = hoeffding(terms.delta, self.records(terms));
        self.threshold_within(bound, terms)
    }

    /// T_a with ε.
    fn threshold_within(&self, bound: f64, terms: &MonitorTerms) -> f64 {
        let expected: f64 = self.windows.iter().map(BitWindow::mean).product();
        let smooth = 1.0 - expected.powi(terms.sharpness);
        (expected + smooth * bound).min(1.0)
    }

    /// Records that ε is for.
    fn records(&self, terms: &MonitorTerms) -> u32 {
        self.windows.first().map_or(0, BitWindow::size) + terms.creation_time
    }

    /// Whether the test has held long enough.
    pub(super) fn fires(&self, terms: &MonitorTerms) -> bool {
        self.streak >= terms.creation_time
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.size(self.sources.len());
        self.sources.iter().for_each(|&source| out.u16(source));
        out.u64(self.length);
        out.u64(self.from_record);
        self.windows.iter().for_each(|window| window.save(out));
        out.u32(self.full);
        out.u32(self.streak);
        out.f64(self.excess);
    }

    pub(super) fn load(terms: &MonitorTerms, from: &mut Reader<'_>) -> Result<Self> {
        let length = from.length()?;
        let sources = from.many(length, Reader::u16)?;
        let mut creation = Creation::new(sources, from.u64()?, from.u64()?, terms);
        for window in &mut creation.windows {
            *window = BitWindow::load(terms.window, from)?;
        }
        creation.full = from.u32()?;
        creation.streak = from.u32()?;
        creation.excess = from.f64()?;
        match creation
            .windows
            .iter()
            .all(|window| creation.full <= window.ones())
        {
            true => Ok(creation),
            false => Err(odd("more records of all sources than of each")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_that_agree_fire_after_their_time_and_independent_ones_never() {
        let terms = MonitorTerms::default();
        let check = |pattern: &[[bool; 2]], expected: Option<usize>| {
            let mut creation = Creation::new(vec![0, 1], 2, 0, &terms);
            let fired = (0..4000).find(|at| {
                creation.push(pattern[at % pattern.len()].into_iter(), &terms);
                creation.fires(&terms)
            });
            assert_eq!(fired, expected, "{pattern:?}");
        };
        // The first push sees an empty window.
        check(&[[true, true], [false, false]], Some(500));
        check(&[[true, false], [false, true]], None);
        let seldom: Vec<[bool; 2]> = (0..30).map(|at| [at < 11, at == 0 || at > 19]).collect();
        check(&seldom, None);
    }

    #[test]
    fn the_threshold_is_that_of_the_formula() {
        let terms = MonitorTerms::default();
        let mut creation = Creation::new(vec![0, 1], 2, 0, &terms);
        creation.push([true, false].into_iter(), &terms);
        creation.push([true, true].into_iter(), &terms);
        let bound = (1000.0_f64.ln() / (2.0 * 502.0)).sqrt();
        let expected = 0.5 + (1.0 - 0.5_f64.powi(5)) * bound;
        assert!((creation.threshold(&terms) - expected).abs() < 1e-12);
        assert!((creation.agreement() - 2.0 / 3.0).abs() < 1e-12);
        assert!(
            (creation.excess() + expected).abs() < 1e-12,
            "before it was 0"
        );
    }
}
