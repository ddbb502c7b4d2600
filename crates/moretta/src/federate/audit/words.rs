//! Masked words: whether they are masked, once, and tell nothing by themselves.

use super::{Leak, LeakKind, Secrets};
use crate::federate::frame::{Agreed, Bits, Header, Masked};
use crate::federate::terms::Terms;
use crate::federate::topology::Topology;
use std::collections::BTreeMap;

/// Below this a word is no masked number: values are at most 2^20, scaled by 2^32.
const SMALL: i64 = 1 << 54;
/// Words of which chance makes all small once in 2^27.
const LEAST_WORDS: usize = 3;
/// Words from which a distribution can be judged.
const ENOUGH: usize = 2048;

#[derive(Default)]
pub(super) struct MaskedWords {
    /// By source, node, epoch and batch.
    frames: BTreeMap<(u16, u16, u32, u64), (usize, Masked)>,
    agreed: BTreeMap<(u16, u32, u64), (usize, Agreed)>,
}

impl MaskedWords {
    pub(super) fn agree(&mut self, place: usize, header: &Header, agreed: &Agreed) {
        let of = (header.node, header.epoch, header.batch);
        self.agreed.insert(of, (place, agreed.clone()));
    }

    pub(super) fn take(
        &mut self,
        place: usize,
        header: &Header,
        masked: &Masked,
    ) -> impl Iterator<Item = LeakKind> + use<> {
        let mut found = Vec::new();
        let small = |word: &&u64| (**word as i64).unsigned_abs() < SMALL as u64;
        let words = masked.words.iter();
        if words.len() >= LEAST_WORDS && words.clone().filter(small).count() == words.len() {
            found.push(LeakKind::NoMask);
        }
        let of = (masked.source, header.node, header.epoch, header.batch);
        match self.frames.get(&of) {
            Some((_, known)) if known == masked => {}
            Some(_) => found.push(LeakKind::SecondFrame),
            None => {
                self.frames.insert(of, (place, masked.clone()));
            }
        }
        found.into_iter()
    }

    /// What all frames together show.
    pub(super) fn finish(
        &self,
        terms: &Terms,
        secrets: &Secrets<'_>,
        topologies: &BTreeMap<u32, Topology>,
    ) -> Vec<Leak> {
        let mut leaks = self.other_members(topologies);
        let mut sources: Vec<u16> = self.frames.keys().map(|of| of.0).collect();
        sources.dedup();
        for source in sources {
            leaks.extend(self.reused(source));
            leaks.extend(self.pattern(source, terms, secrets));
        }
        leaks
    }

    /// Lists of members that are not the sources of their node.
    fn other_members(&self, topologies: &BTreeMap<u32, Topology>) -> Vec<Leak> {
        let other = self
            .agreed
            .iter()
            .filter(|((node, epoch, _), (_, agreed))| {
                let node = topologies
                    .get(epoch)
                    .and_then(|topology| topology.node(*node));
                node.is_some_and(|node| node.sources != agreed.members)
            });
        let leak = |(_, (place, _)): (_, &(usize, Agreed))| Leak {
            place: *place,
            kind: LeakKind::SecondFrame,
        };
        other.map(leak).collect()
    }

    fn of_source(
        &self,
        source: u16,
    ) -> impl Iterator<Item = (&(u16, u16, u32, u64), usize, &Masked)> {
        let frames = self
            .frames
            .range((source, 0, 0, 0)..=(source, u16::MAX, u32::MAX, u64::MAX));
        frames.map(|(of, (place, masked))| (of, *place, masked))
    }

    /// Frames whose first words differ by small numbers: the same mask was taken off.
    fn reused(&self, source: u16) -> Option<Leak> {
        let mut frames: Vec<(&[u64], usize)> = self
            .of_source(source)
            .map(|(_, place, masked)| (&masked.words[..], place))
            .filter(|(words, _)| words.len() >= LEAST_WORDS)
            .collect();
        // Words that differ by little are neighbours in the order of their first.
        frames.sort_unstable_by_key(|(words, _)| words[0]);
        let near = |a: &[u64], b: &[u64]| {
            let mut pairs = a.iter().zip(b).take(LEAST_WORDS);
            pairs.all(|(a, b)| (a.wrapping_sub(*b) as i64).unsigned_abs() < SMALL as u64)
        };
        // With 2^54 of 2^64 a thousandth of the neighbours is near by chance in one word, and
        // several frames may lie in between.
        for (at, (words, place)) in frames.iter().enumerate() {
            let rest = frames[at + 1..].iter();
            let close =
                rest.take_while(|(other, _)| other[0].wrapping_sub(words[0]) < SMALL as u64);
            if close.into_iter().any(|(other, _)| near(words, other)) {
                return Some(Leak {
                    place: *place,
                    kind: LeakKind::ReusedMask,
                });
            }
        }
        None
    }

    /// Bytes that are not uniform (chi-square beyond six deviations), or words that go with a
    /// column of the source: |r| ≥ 5/√n, where four would be met by chance among many columns.
    fn pattern(&self, source: u16, terms: &Terms, secrets: &Secrets<'_>) -> Option<Leak> {
        let first = self.of_source(source).next()?.1;
        let leak = Leak {
            place: first,
            kind: LeakKind::Pattern,
        };
        let mut counts = [0_u64; 256];
        let (mut total, mut pairs) = (0_u64, Vec::new());
        for ((_, node, epoch, batch), _, masked) in self.of_source(source) {
            for byte in masked.words.iter().flat_map(|word| word.to_le_bytes()) {
                counts[usize::from(byte)] += 1;
                total += 1;
            }
            if let Some((_, agreed)) = self.agreed.get(&(*node, *epoch, *batch)) {
                let width = usize::from(masked.width).max(1);
                pairs.extend(rows(&agreed.records, *batch, terms, &masked.words, width));
            }
        }
        if (total as usize) < ENOUGH * 8 {
            return None;
        }
        let expected = total as f64 / 256.0;
        let square = |&count: &u64| (count as f64 - expected).powi(2) / expected;
        let chi_square: f64 = counts.iter().map(square).sum();
        let cells = secrets.cells.get(&source)?;
        let column = |column: usize| {
            let of = |record: u64| cells.record(record as usize).get(column).copied();
            let pairs = pairs
                .iter()
                .filter(|(record, _)| (*record as usize) < cells.len());
            pairs
                .filter_map(|(record, word)| Some((of(*record)?, *word as i64 as f64)))
                .collect()
        };
        let goes_with = |at: usize| {
            let pairs: Vec<(f64, f64)> = column(at);
            correlation(&pairs).abs() >= 5.0 / (pairs.len() as f64).sqrt()
        };
        let odd = chi_square > 255.0 + 6.0 * 510.0_f64.sqrt() || (0..cells.width()).any(goes_with);
        odd.then_some(leak)
    }
}

/// Each record beside the first of its words.
fn rows<'a>(
    agreed: &Bits,
    batch: u64,
    terms: &Terms,
    words: &'a [u64],
    width: usize,
) -> impl Iterator<Item = (u64, u64)> + use<'a> {
    let first = batch * u64::from(terms.batch);
    let records: Vec<u64> = agreed.places().map(|at| first + at as u64).collect();
    records
        .into_iter()
        .zip(words.chunks_exact(width).map(|row| row[0]))
}

/// Pearson's; 0 where a side does not vary.
fn correlation(pairs: &[(f64, f64)]) -> f64 {
    let n = pairs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (a, b) in pairs {
        xx += (a - x) * (a - x);
        yy += (b - y) * (b - y);
        xy += (a - x) * (b - y);
    }
    match xx > 0.0 && yy > 0.0 {
        true => xy / (xx * yy).sqrt(),
        false => 0.0,
    }
}
