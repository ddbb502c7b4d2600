//! Federations over bad networks.

mod claims;
mod evasions;
mod faults;
mod forged;
mod long;
mod phases;
mod replay;
mod seeds;
mod variants;

use super::*;
use crate::data::Records;
use crate::federate::frame::{Body, Coarse, Kind, decode, decode_header};
use crate::federate::simulate::{Kill, Link, Partition, Process};
use crate::federate::{Column, FragmentKind, MonitorTerms, Phases, Range, Ratio, Rule, Sharing};
use std::collections::BTreeMap;

/// Sites of one column, four of them unless records have more; the class is told by pairs of
/// columns, so trouble nodes help.
pub(super) struct Case {
    terms: Terms,
    records: Vec<Vec<f64>>,
    classes: Vec<u32>,
    /// Columns of a site; those after the first follow from it.
    width: usize,
    /// Values of each column; 0 for numbers.
    values: u32,
}

impl Case {
    fn new(rule: Rule, kind: Option<FragmentKind>, batch: u32, records: usize, seed: i64) -> Self {
        let mut terms = Terms::of_study(4, 2, rule);
        terms.federation = [7; 32];
        terms.batch = batch;
        terms.coarse = Coarse::Bits8;
        terms.answer.stacker = "nb".to_owned();
        terms.monitors = MonitorTerms {
            window: 60,
            creation_time: 12,
            removal_time: 40,
            ..MonitorTerms::default()
        };
        if let Some(kind) = kind {
            terms = terms.with_trouble(Ratio::new(2, 1));
            if let Some(trouble) = &mut terms.trouble {
                trouble.learner = "ht(leaf=nb)".to_owned();
                trouble.fragments = kind;
                trouble.phases = Phases::One;
                if kind == FragmentKind::Masked {
                    trouble.group = 3;
                    trouble.colluders = 1;
                    trouble.noise = 0.05;
                }
            }
        }
        let mut random = JavaRandom::new(seed);
        let (mut all, mut classes) = (Vec::new(), Vec::new());
        for at in 0..records {
            let record: Vec<f64> = (0..4).map(|_| random.next_double()).collect();
            let (a, b) = if at < records / 2 { (0, 1) } else { (2, 3) };
            let class = (record[a] > 0.5) != (record[b] > 0.5) || record[2] > 0.9;
            all.push(record);
            classes.push(u32::from(class));
        }
        Case {
            terms,
            records: all,
            classes,
            width: 1,
            values: 0,
        }
    }

    fn sources(&self) -> Vec<SiteSource> {
        let source = |site: usize| {
            let mut records = Records::new(self.width);
            for record in &self.records {
                let number = |at: usize| (record[site] + 0.3 * at as f64).fract();
                let value = |at: usize| match self.values {
                    0 => number(at),
                    values => (number(at) * f64::from(values)).floor(),
                };
                records.push(&(0..self.width).map(value).collect::<Vec<f64>>());
            }
            let column = |at: usize| Column {
                id: (site * self.width + at) as u64,
                size: 1,
                values: self.values,
            };
            SiteSource {
                columns: (0..self.width).map(column).collect(),
                learner: "nb".to_owned(),
                records,
                sharing: Sharing {
                    seed: [site as u8 + 1; 32],
                    ranges: vec![Some(Range::Bounds(0.0, 1.0)); self.width],
                },
            }
        };
        let sites = self.records.first().map_or(0, Vec::len);
        (0..sites).map(source).collect()
    }

    fn copy(&self) -> Self {
        Case {
            terms: self.terms.clone(),
            records: self.records.clone(),
            classes: self.classes.clone(),
            width: self.width,
            values: self.values,
        }
    }

    /// The answers of one process.
    fn expected(&self) -> Vec<Final> {
        let process = Process::new(self.terms.clone(), self.sources(), self.classes.clone());
        let outcome = process.and_then(Process::run).expect("a run");
        assert_eq!(outcome.finals.len(), self.classes.len());
        outcome.finals
    }

    fn run<W: Watch>(&self, weather: Weather, watch: W) -> (Run, W) {
        let (terms, classes) = (self.terms.clone(), self.classes.clone());
        let network = Network::new(terms, self.sources(), classes, weather, watch);
        network.run().expect("journals that can be opened")
    }

    fn batches(&self) -> usize {
        self.classes.len().div_ceil(self.terms.batch as usize)
    }
}

/// Answers as bytes.
fn bytes(finals: &[Final]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for answer in finals {
        bytes.extend(answer.class.to_le_bytes());
        bytes.extend(answer.confidence.to_le_bytes());
        bytes.extend(answer.who.to_le_bytes());
        bytes.extend([
            answer.order,
            u8::from(answer.partial),
            u8::from(answer.early),
        ]);
    }
    bytes
}
