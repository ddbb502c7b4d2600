//! Looks for what frames of a federation must not hold, as who has recorded all of them would.
//!
//! It knows what no party of a federation knows together: the cells of sites and the names of their
//! columns. Cells are looked for as doubles and floats in both byte orders, as scaled integers,
//! as decimal text and inside of base64; values that are packed are unpacked first. Frames are
//! held against what their kinds may say: one masked frame for a node and batch, words that are
//! neither small nor repeated nor near a column, confidences as coarse as agreed, keys that all
//! sites share.
//!
//! **Sees** the leaks that tests plant into recorded frames, twelve kinds of them. **Does not see**
//! what a clever sender hides below these: frames that are whole say nothing of who made them.
//!
//! **Costs** a pass over all bytes, and the sums of all masked frames in memory.

mod cells;
mod search;
mod words;

pub use search::Search;

use super::frame::{Body, Coarse, Header, decode};
use super::party::PartyId;
use super::terms::Terms;
use super::topology::{FragmentKind, Topology};
use crate::data::Records;
use cells::Cells;
use std::collections::BTreeMap;
use words::MaskedWords;

/// A frame on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Who sent it.
    pub from: PartyId,
    /// Who got it.
    pub to: PartyId,
    /// The frame.
    pub bytes: Vec<u8>,
}

/// What was found, and in which frame or text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leak {
    /// The place of the frame, or of the text behind all frames.
    pub place: usize,
    /// What it is.
    pub kind: LeakKind,
}

/// What a frame must not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LeakKind {
    /// A cell, as a double.
    Double,
    /// More cells as floats than chance explains.
    Float,
    /// A cell as a scaled integer.
    Integer,
    /// A cell as text.
    Text,
    /// A cell inside of base64.
    Base64,
    /// The name of a column.
    ColumnName,
    /// A word that was looked for.
    Word,
    /// Values of a site that allows none.
    Fragment,
    /// A confidence finer than agreed.
    Confidence,
    /// Numbers where a site has none to tell: ranks, windows, other keys.
    Number,
    /// A mask that was used before.
    ReusedMask,
    /// No mask at all.
    NoMask,
    /// A second masked frame for the same batch, or one for other members.
    SecondFrame,
    /// Masked words that are not uniform, or go with a column.
    Pattern,
    /// The same record projected in two ways.
    RedrawnNoise,
    /// Bytes that are no frame.
    Malformed,
}

/// What is known to be secret.
#[derive(Clone, Debug)]
pub struct Secrets<'a> {
    /// The cells of each site, by its number.
    pub cells: BTreeMap<u16, &'a Records>,
    /// Names of columns.
    pub names: Vec<String>,
    /// The most telling kind of fragments that each site allows.
    pub allows: BTreeMap<u16, FragmentKind>,
}

/// Everything that leaks from these frames and texts (errors, logs, files).
pub fn audit(
    terms: &Terms,
    secrets: &Secrets<'_>,
    frames: &[Recorded],
    texts: &[&[u8]],
) -> Vec<Leak> {
    let mut audit = Audit {
        terms,
        secrets,
        cells: Cells::new(secrets.cells.values().flat_map(|records| records.values())),
        topologies: BTreeMap::new(),
        keys: BTreeMap::new(),
        projected: BTreeMap::new(),
        masked: MaskedWords::default(),
        leaks: Vec::new(),
    };
    for (place, frame) in frames.iter().enumerate() {
        audit.look_at(place, frame);
    }
    for (place, text) in (frames.len()..).zip(texts) {
        audit.search(place, text, false);
    }
    let found = audit.masked.finish(terms, secrets, &audit.topologies);
    audit.leaks.extend(found);
    let floats = audit.cells.floats();
    audit.leaks.extend(floats);
    audit.leaks.sort_by_key(|leak| (leak.place, leak.kind));
    audit.leaks.dedup();
    audit.leaks
}

struct Audit<'a> {
    terms: &'a Terms,
    secrets: &'a Secrets<'a>,
    cells: Cells,
    topologies: BTreeMap<u32, Topology>,
    /// The keyed sum of each batch.
    keys: BTreeMap<u64, u64>,
    /// Projected values by source, node and record.
    projected: BTreeMap<(u16, u16, u64), Vec<u64>>,
    masked: MaskedWords,
    leaks: Vec<Leak>,
}

impl Audit<'_> {
    fn leak(&mut self, place: usize, kind: LeakKind) {
        self.leaks.push(Leak { place, kind });
    }

    fn look_at(&mut self, place: usize, frame: &Recorded) {
        let Ok((header, body)) = decode(&frame.bytes) else {
            self.leak(place, LeakKind::Malformed);
            self.search(place, &frame.bytes, false);
            return;
        };
        self.hold_against_kind(place, &header, &body);
        let allowed = match &body {
            Body::Fragment(fragment) => self.allows(fragment.source) == FragmentKind::Raw,
            // Uniform words hold every float sooner or later; they are looked at by themselves.
            Body::Masked(_) => true,
            _ => false,
        };
        if !allowed {
            let numbers = matches!(body, Body::Answers(_) | Body::Final(_) | Body::Fragment(_));
            self.search(place, &frame.bytes, numbers);
            if let Body::Fragment(fragment) = &body {
                let unpacked: Vec<u8> = fragment
                    .values
                    .iter()
                    .flat_map(|value| value.to_le_bytes())
                    .collect();
                self.search(place, &unpacked, true);
            }
        }
    }

    /// What a site allows; trouble nodes forward what they were given.
    fn allows(&self, source: u16) -> FragmentKind {
        self.secrets
            .allows
            .get(&source)
            .copied()
            .unwrap_or(FragmentKind::Raw)
    }

    fn search(&mut self, place: usize, bytes: &[u8], numbers: bool) {
        for kind in self.cells.search(place, bytes, numbers) {
            self.leak(place, kind);
        }
        let named = |name: &String| {
            name.len() >= 4
                && bytes
                    .windows(name.len())
                    .any(|window| window == name.as_bytes())
        };
        if self.secrets.names.iter().any(named) {
            self.leak(place, LeakKind::ColumnName);
        }
    }

    fn hold_against_kind(&mut self, place: usize, header: &Header, body: &Body) {
        match body {
            Body::Topology(topology) => {
                self.topologies.insert(topology.epoch, topology.clone());
            }
            Body::Answers(answers) if self.secrets.cells.contains_key(&answers.source) => {
                if answers.coarse != self.terms.coarse || is_finer(answers, self.terms.coarse) {
                    self.leak(place, LeakKind::Confidence);
                }
                let known = *self.keys.entry(header.batch).or_insert(answers.keys);
                if answers.agreement != (0, 0) || known != answers.keys {
                    self.leak(place, LeakKind::Number);
                }
            }
            Body::Fragment(fragment) if self.secrets.cells.contains_key(&fragment.source) => {
                let kind = match self.allows(fragment.source) {
                    FragmentKind::Raw => return,
                    kind => kind,
                };
                if kind < FragmentKind::Projected && fragment.rows() > 0 {
                    self.leak(place, LeakKind::Fragment);
                }
                let Some(forwarded) = &fragment.forwarded else {
                    return;
                };
                let rows = fragment
                    .values
                    .chunks_exact(usize::from(fragment.width).max(1));
                for (at, row) in forwarded.places().zip(rows) {
                    let first = header.batch.saturating_mul(u64::from(self.terms.batch));
                    let record = first.saturating_add(at as u64);
                    let of = (fragment.source, header.node, record);
                    let row: Vec<u64> = row.iter().map(|value| value.to_bits()).collect();
                    if *self.projected.entry(of).or_insert_with(|| row.clone()) != row {
                        self.leaks.push(Leak {
                            place,
                            kind: LeakKind::RedrawnNoise,
                        });
                    }
                }
            }
            Body::Agreed(agreed) => self.masked.agree(place, header, agreed),
            Body::Masked(masked) => {
                let found = self.masked.take(place, header, masked);
                self.leaks.extend(found.map(|kind| Leak { place, kind }));
            }
            _ => {}
        }
    }
}

/// Whether confidences lie between the steps that were agreed on.
fn is_finer(answers: &super::frame::Answers, coarse: Coarse) -> bool {
    answers
        .confidences
        .iter()
        .any(|&confidence| coarse.round(confidence) != confidence)
}

#[cfg(test)]
mod tests;
