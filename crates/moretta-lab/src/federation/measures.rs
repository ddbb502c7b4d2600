//! What is measured of a run: how often it was right, and how much of the data left its site.
//!
//! The first 1000 records count for nothing; blocks have 100 records. All shares are in percent.

use super::streams::Stream;
use moretta::Result;
use moretta::federate::simulate::Outcome;
use moretta::federate::{Candidate, Note, Settled};
use moretta::learn::predicted;
use moretta::learn::prequential::{Score, ScoreSettings};
use std::collections::{BTreeMap, BTreeSet};

const WARM_UP: usize = 1000;
const BLOCK: usize = 100;

/// The figures of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    /// The share of right answers, and its deviation over blocks.
    pub(super) accuracy: f64,
    pub(super) deviation: f64,
    /// TDTV: the share of the data that was sent to trouble nodes, which can be above 100.
    pub(super) volume: f64,
    /// That of records of which every source of a node agreed to send its part: what two phases
    /// send.
    pub(super) agreed_volume: f64,
    /// MDTV as the study's program counts it, and as its text says.
    pub(super) busiest: [f64; 2],
    pub(super) nodes: Vec<NodeFigures>,
    /// Bytes by the kind of frames.
    pub(super) bytes: BTreeMap<u8, u64>,
    pub(super) records: usize,
    /// Time of one processor.
    pub(super) seconds: f64,
    pub(super) samples: Vec<(usize, Vec<Candidate>)>,
}

/// A trouble node.
#[derive(Clone, Debug)]
pub(super) struct NodeFigures {
    /// By its sources, as in `[[2,3],5]`.
    pub(super) name: String,
    /// Numbers of its sources, rising.
    pub(super) sources: Vec<u16>,
    /// The first record that it could answer, and the first that it could not any more.
    pub(super) life: [usize; 2],
    /// Its part of TDTV.
    pub(super) volume: f64,
    /// The share of records that it answered.
    pub(super) used: f64,
}

impl Measured {
    /// The TDTV of all nodes over the same sources.
    pub(super) fn volume_of(&self, name: &str) -> f64 {
        let nodes = self.nodes.iter().filter(|node| node.name == name);
        nodes.map(|node| node.volume).sum()
    }

    /// Bytes of all frames, each with its header.
    pub(super) fn bytes_a_record(&self) -> f64 {
        self.bytes.values().sum::<u64>() as f64 / self.records.max(1) as f64
    }

    /// The share of records that nodes over the same sources answered.
    pub(super) fn used_of(&self, name: &str) -> f64 {
        let nodes = self.nodes.iter().filter(|node| node.name == name);
        nodes.map(|node| node.used).sum()
    }
}

/// Of one learner that saw all columns.
pub(super) fn central(stream: &Stream, votes: &[f64]) -> Result<Measured> {
    let votes = votes.chunks_exact(stream.header.classes());
    let [accuracy, deviation] = accuracy(stream, votes.map(predicted))?;
    Ok(Measured {
        accuracy,
        deviation,
        records: stream.records.len(),
        ..Measured::default()
    })
}

/// Of a federation whose sites have so many columns.
pub(super) fn measure(columns: &[usize], stream: &Stream, outcome: Outcome) -> Result<Measured> {
    let answers = outcome.finals.iter().map(|answer| answer.class);
    let [accuracy, deviation] = accuracy(stream, answers)?;
    let volumes = Volumes::new(columns, &outcome);
    Ok(Measured {
        accuracy,
        deviation,
        volume: volumes.whole(),
        agreed_volume: volumes.agreed(),
        busiest: [true, false].map(|as_coded| volumes.busiest(as_coded)),
        nodes: volumes.nodes(),
        bytes: outcome.bytes,
        records: stream.records.len(),
        seconds: 0.0,
        samples: outcome.samples,
    })
}

fn accuracy(stream: &Stream, answers: impl Iterator<Item = u32>) -> Result<[f64; 2]> {
    let settings = ScoreSettings {
        warm_up: WARM_UP as u64,
        block: BLOCK as u64,
        ..ScoreSettings::default()
    };
    let mut score = Score::new(stream.header.classes(), &settings)?;
    for (answer, &class) in answers.zip(&stream.classes) {
        score.observe(class, answer);
    }
    let figures = [score.accuracy(), score.deviation()];
    Ok(figures.map(|share| 100.0 * share.unwrap_or(f64::NAN)))
}

/// Who sent which records to whom.
struct Volumes<'a> {
    settled: &'a [Settled],
    /// Sites and nodes by their columns and sources.
    members: BTreeMap<u16, Member>,
    all_columns: usize,
}

struct Member {
    columns: BTreeSet<usize>,
    sources: Vec<u16>,
}

impl<'a> Volumes<'a> {
    fn new(widths: &[usize], outcome: &'a Outcome) -> Self {
        let mut members: BTreeMap<u16, Member> = BTreeMap::new();
        let mut start = 0;
        for (site, width) in (0..).zip(widths) {
            let columns = (start..start + width).collect();
            let sources = Vec::new();
            members.insert(site, Member { columns, sources });
            start += width;
        }
        let mut add = |node: u16, sources: &[u16]| {
            let parts = sources.iter().filter_map(|source| members.get(source));
            let columns = parts.flat_map(|part| part.columns.clone()).collect();
            let sources = sources.to_vec();
            members.insert(node, Member { columns, sources });
        };
        for note in &outcome.notes {
            if let Note::Created(node, sources, _) = note {
                add(*node, sources);
            }
        }
        // A node that is there from the beginning is over all sites.
        let sites: Vec<u16> = (0..widths.len() as u16).collect();
        let first = outcome.settled.first();
        for &node in first.iter().flat_map(|first| &first.nodes) {
            add(node, &sites);
        }
        Volumes {
            settled: &outcome.settled,
            members,
            all_columns: start,
        }
    }

    fn columns(&self, source: u16) -> usize {
        self.members
            .get(&source)
            .map_or(0, |member| member.columns.len())
    }

    fn counted(&self) -> &[Settled] {
        self.settled.get(WARM_UP..).unwrap_or_default()
    }

    fn share(&self, cells: usize, records: usize) -> f64 {
        match records {
            0 => 0.0,
            records => 100.0 * cells as f64 / (records * self.all_columns) as f64,
        }
    }

    fn whole(&self) -> f64 {
        let forwarded = self.counted().iter().flat_map(|record| &record.forwarded);
        let cells = forwarded.map(|&(_, source)| self.columns(source)).sum();
        self.share(cells, self.counted().len())
    }

    fn agreed(&self) -> f64 {
        let mut cells = 0;
        for record in self.counted() {
            for node in &record.nodes {
                let senders = record.forwarded.iter().filter(|(to, _)| to == node);
                let sources = self.members.get(node).map_or(0, |node| node.sources.len());
                if senders.clone().count() == sources {
                    cells += senders.map(|&(_, from)| self.columns(from)).sum::<usize>();
                }
            }
        }
        self.share(cells, self.counted().len())
    }

    /// The share of the data that the busiest node of a block got, on average over blocks, of
    /// which each counts alike. Of a node that comes or goes within a block only the records in
    /// between count; in the study's program those after it went dilute its share.
    fn busiest(&self, as_coded: bool) -> f64 {
        let blocks = self.counted().chunks(BLOCK);
        let count = blocks.len().max(1) as f64;
        let busiest = blocks.map(|block| {
            let mut sent: BTreeMap<u16, usize> = BTreeMap::new();
            for &(node, source) in block.iter().flat_map(|record| &record.forwarded) {
                *sent.entry(node).or_default() += self.columns(source);
            }
            let share = |(node, cells): (u16, usize)| {
                let there = |record: &Settled| record.nodes.contains(&node);
                let first = block.iter().position(there).unwrap_or(0);
                let last = match as_coded {
                    true => block.len(),
                    false => block.iter().rposition(there).map_or(0, |last| last + 1),
                };
                self.share(cells, last.saturating_sub(first))
            };
            sent.into_iter().map(share).fold(0.0, f64::max)
        });
        busiest.sum::<f64>() / count
    }

    fn nodes(&self) -> Vec<NodeFigures> {
        let mut found: BTreeMap<u16, ([usize; 2], usize, usize)> = BTreeMap::new();
        for (place, record) in self.settled.iter().enumerate() {
            for node in &record.nodes {
                let (life, _, _) = found.entry(*node).or_insert(([place, place], 0, 0));
                life[1] = place + 1;
            }
        }
        for record in self.counted() {
            for &(node, source) in &record.forwarded {
                if let Some((_, cells, _)) = found.get_mut(&node) {
                    *cells += self.columns(source);
                }
            }
            if let Some((_, _, used)) = found.get_mut(&record.answer.who) {
                *used += 1;
            }
        }
        let count = self.counted().len();
        let figures =
            |(node, (life, cells, used)): (u16, ([usize; 2], usize, usize))| NodeFigures {
                name: self.name(node),
                sources: self.sources(node),
                life,
                volume: self.share(cells, count),
                used: 100.0 * used as f64 / count.max(1) as f64,
            };
        found.into_iter().map(figures).collect()
    }

    fn sources(&self, node: u16) -> Vec<u16> {
        let found = self.members.get(&node);
        let mut sources = found.map_or_else(Vec::new, |node| node.sources.clone());
        sources.sort_unstable();
        sources
    }

    fn name(&self, member: u16) -> String {
        let Some(found) = self.members.get(&member).filter(|m| !m.sources.is_empty()) else {
            return member.to_string();
        };
        let mut sources = found.sources.clone();
        let first = |source: &u16| self.members.get(source).and_then(|m| m.columns.first());
        sources.sort_by_key(|source| first(source).copied());
        let names: Vec<String> = sources.iter().map(|&source| self.name(source)).collect();
        format!("[{}]", names.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use moretta::federate::frame::{Final, NO_NODE};

    #[test]
    fn what_is_sent_is_counted_as_by_hand() {
        let settled = |record: usize| {
            let is_there = (1050..1075).contains(&record);
            let pair = |source| is_there.then_some((2, source));
            Settled {
                record: record as u64,
                label: 0,
                answer: Final {
                    class: 0,
                    confidence: 1.0,
                    who: if is_there { 2 } else { NO_NODE },
                    order: u8::from(is_there),
                    partial: false,
                    early: false,
                },
                forwarded: match record % 5 {
                    0 => pair(0).into_iter().chain(pair(1)).collect(),
                    _ => pair(0).into_iter().collect(),
                },
                nodes: pair(0).into_iter().map(|(node, _)| node).collect(),
                judgements: Vec::new(),
            }
        };
        let outcome = Outcome {
            finals: Vec::new(),
            settled: (0..1200).map(settled).collect(),
            notes: vec![Note::Created(2, vec![0, 1], 1050)],
            bytes: BTreeMap::new(),
            samples: Vec::new(),
            frames: Vec::new(),
        };
        let volumes = Volumes::new(&[1, 1], &outcome);
        // 25 records of the first site and 5 of the second, of 400 cells.
        assert_eq!(volumes.whole(), 100.0 * 30.0 / 400.0);
        assert_eq!(volumes.agreed(), 100.0 * 10.0 / 400.0);
        // The first of two blocks: of 50 records from its begin on, and of 25 that it was there.
        assert_eq!(volumes.busiest(true), 15.0);
        assert_eq!(volumes.busiest(false), 30.0);
        let nodes = volumes.nodes();
        assert_eq!((&*nodes[0].name, nodes[0].life), ("[0,1]", [1050, 1075]));
        assert_eq!((nodes[0].used, nodes[0].volume), (12.5, 7.5));
    }
}
