//! One run of the study: a stream, and the terms of the federation that takes it, or none where
//! one forest sees all columns.

use super::measures::{Measured, central, measure};
use super::sets::{FOREST, Set};
use super::streams::Stream;
use crate::cpu::CpuClock;
use crate::workers;
use moretta::data::Records;
use moretta::federate::simulate::{Outcome, Process, SiteSource};
use moretta::federate::{Column, FragmentKind, Range, Ratio, Rule, Sharing, Terms, TroubleTerms};
use moretta::learn::{self, Input};
use moretta::{Error, Result};
use std::collections::BTreeMap;

/// A run.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) set: &'static Set,
    pub(super) parties: Parties,
    /// Records between two looks at candidates for trouble nodes.
    pub(super) looks: Option<usize>,
}

/// What carries the frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Network {
    /// All parties in one process and one thread
    Sim,
    /// A thread for each party, and links of this machine with mutual TLS
    Grpc,
}

/// Who takes the records.
#[derive(Clone, Debug)]
pub(super) enum Parties {
    /// One forest that sees all columns, by its seed.
    Central(u64),
    /// Sites that keep their columns.
    Federation(Box<Terms>),
}

impl Case {
    /// One forest that sees all columns.
    pub(super) fn central(set: &'static Set, seed: u64) -> Self {
        Case {
            set,
            parties: Parties::Central(seed),
            looks: None,
        }
    }

    /// Sites that answer alone; the seed is that of a stack.
    pub(super) fn flat(set: &'static Set, rule: Rule) -> Self {
        let mut terms = Terms::of_study(set.sites(), set.classes, rule);
        terms.first_record = set.first_record;
        FOREST.clone_into(&mut terms.answer.stacker);
        Case {
            set,
            parties: Parties::Federation(Box::new(terms)),
            looks: None,
        }
    }

    /// HDSM with so many halves of the widest site as its trouble factor.
    pub(super) fn hierarchical(set: &'static Set, rule: Rule, halves: u32, seed: u64) -> Self {
        let factor = Ratio::new(u32::from(set.width) * halves, 2);
        let case = Case::flat(set, rule);
        let case = case.with(|terms| *terms = terms.clone().with_trouble(factor));
        case.with_trouble(|trouble| {
            set.learners[1].clone_into(&mut trouble.learner);
            trouble.seed = seed;
        })
    }

    /// Park's baseline: one node over all sites, with this learner.
    pub(super) fn park(set: &'static Set, learner: &str, seed: u64) -> Self {
        let case = Case::hierarchical(set, Rule::MaxConfidence, 4, seed);
        case.with_trouble(|trouble| {
            learner.clone_into(&mut trouble.learner);
            trouble.fixed = true;
        })
    }

    /// The same with other terms.
    pub(super) fn with(mut self, change: impl FnOnce(&mut Terms)) -> Self {
        if let Parties::Federation(terms) = &mut self.parties {
            change(terms);
        }
        self
    }

    /// The same with other trouble nodes.
    pub(super) fn with_trouble(self, change: impl FnOnce(&mut TroubleTerms)) -> Self {
        self.with(|terms| {
            if let Some(trouble) = &mut terms.trouble {
                change(trouble);
            }
        })
    }

    /// By which runs are known: two with the same key are the same run.
    fn key(&self) -> String {
        format!("{} {:?}", self.set.name, self.parties)
    }

    fn run(&self, stream: &Stream, network: Network) -> Result<Measured> {
        let clock = CpuClock::start();
        let mut worked = None;
        let mut measured = match &self.parties {
            Parties::Central(seed) => {
                let mut learner = learn::build(FOREST, &stream.header, *seed)?;
                let mut votes = Vec::new();
                learner.predict_then_learn(&stream.records, &stream.classes, &mut votes);
                central(stream, &votes)?
            }
            Parties::Federation(terms) => {
                let terms = Terms::clone(terms);
                let sources = self.sources(stream, &terms);
                let columns: Vec<usize> = sources.iter().map(|site| site.columns.len()).collect();
                let outcome = match network {
                    Network::Sim => self.simulate(terms, sources, stream)?,
                    Network::Grpc => {
                        let (outcome, seconds) = self.link(terms, &sources, stream)?;
                        worked = Some(seconds);
                        outcome
                    }
                };
                if outcome.finals.len() < stream.records.len() {
                    let answered = outcome.finals.len();
                    let what = format!("{} stands still after {answered} answers", self.set.name);
                    return Err(Error::bug(what));
                }
                measure(&columns, stream, outcome)?
            }
        };
        measured.seconds = worked.unwrap_or_else(|| clock.seconds());
        Ok(measured)
    }

    /// All parties in one process and one thread.
    fn simulate(&self, terms: Terms, sources: Vec<SiteSource>, stream: &Stream) -> Result<Outcome> {
        let mut process = Process::new(terms, sources, stream.classes.clone())?;
        if let Some(every) = self.looks {
            process = process.sampled(every);
        }
        process.run()
    }

    /// Parties on real links, and the seconds that they worked.
    #[cfg(feature = "grpc")]
    fn link(
        &self,
        terms: Terms,
        sources: &[SiteSource],
        stream: &Stream,
    ) -> Result<(Outcome, f64)> {
        let linked = super::linked::Linked {
            terms,
            sources,
            classes: &stream.classes,
            looks: self.looks,
        };
        linked.run()
    }

    #[cfg(not(feature = "grpc"))]
    fn link(&self, _: Terms, _: &[SiteSource], _: &Stream) -> Result<(Outcome, f64)> {
        Err(Error::left_out("the links of a federation", "grpc"))
    }

    fn sources(&self, stream: &Stream, terms: &Terms) -> Vec<SiteSource> {
        let width = usize::from(self.set.width);
        let kind = terms.trouble.as_ref().map(|trouble| trouble.fragments);
        let starts = (0..usize::from(self.set.columns)).step_by(width);
        let source = |(site, start): (u8, usize)| {
            let columns = start..start + width;
            let mut records = Records::new(width);
            for record in stream.records.iter() {
                records.push(&record[columns.clone()]);
            }
            let ranges = match kind {
                None | Some(FragmentKind::Raw) => vec![None; width],
                _ => (0..width).map(|at| Some(range(&records, at))).collect(),
            };
            let column = |id: usize| Column {
                id: id as u64,
                size: 1,
                values: match stream.header.attributes()[id] {
                    Input::Number => 0,
                    Input::Nominal { values } => values as u32,
                },
            };
            SiteSource {
                columns: columns.clone().map(column).collect(),
                learner: self.set.learners[0].to_owned(),
                records,
                sharing: Sharing {
                    seed: [site; 32],
                    ranges,
                },
            }
        };
        (1..).zip(starts).map(source).collect()
    }
}

/// The least and the greatest value of a column, as its site would declare them.
fn range(records: &Records, column: usize) -> Range {
    let least = records.column(column).fold(f64::INFINITY, f64::min);
    let most = records.column(column).fold(f64::NEG_INFINITY, f64::max);
    Range::Bounds(least, most)
}

/// What came of runs, each done once.
pub(super) struct Book {
    results: BTreeMap<String, Measured>,
    streams: BTreeMap<&'static str, Stream>,
}

impl Book {
    /// Does all runs.
    pub(super) fn fill(
        cases: &[Case],
        network: Network,
        stream: impl Fn(&Set) -> Result<Stream>,
    ) -> Result<Self> {
        let mut streams: BTreeMap<&'static str, Stream> = BTreeMap::new();
        let mut tasks: BTreeMap<String, &Case> = BTreeMap::new();
        for case in cases {
            if !streams.contains_key(case.set.name) {
                streams.insert(case.set.name, stream(case.set)?);
            }
            let known = tasks.entry(case.key()).or_insert(case);
            if case.looks.is_some() {
                *known = case;
            }
        }
        let tasks: Vec<(String, &Case)> = tasks.into_iter().collect();
        let results = workers::each(&tasks, |(_, case)| {
            case.run(&streams[case.set.name], network)
        })?;
        let keys = tasks.into_iter().map(|(key, _)| key);
        let results = keys.zip(results).collect();
        Ok(Book { results, streams })
    }

    /// What came of a run.
    pub(super) fn of(&self, case: &Case) -> Result<&Measured> {
        let found = self.results.get(&case.key());
        found.ok_or_else(|| Error::bug("a run that was not asked for"))
    }

    /// The records of a set.
    pub(super) fn stream(&self, set: &Set) -> Result<&Stream> {
        let found = self.streams.get(set.name);
        found.ok_or_else(|| Error::bug("a stream that was not asked for"))
    }
}
