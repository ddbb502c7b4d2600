//! The study's algorithm as one plain loop over records: slow, obvious, and what every other
//! implementation is held against.
//!
//! Sites and trouble nodes stand in one list, in the order in which they came to be; a place is
//! never used twice. Windows are lists that are counted through for every record; ranks and
//! agreements are fractions that are compared without rounding. What the rules leave open is
//! decided by the figures of these tests; done the other way round, some of them are missed:
//!
//! - A confidence is in its window before its rank is taken, and the number of sources that
//!   forwarded is in its window before agreement is.
//! - A pair's agreement is compared as it was before the record, with a threshold that knows the
//!   record. Of pairs that fire together the one that agrees most is created first.
//! - Pairs that can still become nodes keep what they have counted when the hierarchy changes;
//!   all others start anew.
//! - While a node is a source, its removal counts neither records nor time.
//! - A node that is used exactly as often as it must be stays.
//!
//! These follow descriptions of the study's program; no figure here is known to depend on them:
//!
//! - Pairs that fire together are ordered by agreement with the record.
//! - The best answer of lower order is the most confident one, that of all sites included.
//! - What depends on a node goes with it, and its pair may be tried again.
//! - A node whose agreement is 0 would forward all but what ranks highest.
//!
//! *In batches* nodes learn and monitors count record by record, but nodes are created and removed
//! at the end of a batch only, if their monitors say so at that moment. *With late labels* a
//! record is judged as it was answered. Pairs are shown only records that came after they were found,
//! since nobody asked their sources about others; removal counts only records from a node's
//! first and the delay on. By the rule as published it counts every record whose label comes after
//! the node was made, also those from before.

mod answer;
mod federation;
mod measures;
mod monitor;
mod node;

use crate::support::Stream;
use federation::Federation;
use std::collections::VecDeque;

/// Runs a stream through the sites.
pub(crate) fn run(stream: &Stream, settings: &Settings) -> Run {
    let monitored = settings.hierarchy == Hierarchy::Monitored;
    let mut federation = Federation::new(&stream.header, settings);
    let mut unlabelled = VecDeque::new();
    for (record, values) in stream.records.iter().enumerate() {
        unlabelled.push_back(federation.answer(record, values));
        if record >= settings.delay {
            let answered = unlabelled.pop_front().expect("it was answered");
            let labelled = record - settings.delay;
            let class = stream.classes[labelled];
            federation.learn(&answered, stream.records.record(labelled), class);
            if monitored {
                federation.watch(&answered, labelled, record, class);
            }
        }
        if monitored && (record + 1) % settings.batch == 0 {
            federation.rebuild(record);
        }
    }
    federation.finish()
}

/// How sites answer together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// The most confident site answers.
    MostConfident,
    /// The class of most sites.
    Vote,
    /// A learner on the classes of all sites.
    Stack,
}

/// Which trouble nodes there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hierarchy {
    /// None.
    Flat,
    /// One over all sites, from the first record to the last.
    Park,
    /// Those that monitors create and remove.
    Monitored,
}

/// What a run depends on, beside its stream.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The columns of each site.
    pub(crate) sites: Vec<Vec<usize>>,
    pub(crate) rule: Rule,
    pub(crate) hierarchy: Hierarchy,
    /// Twice the trouble factor, which can be a half.
    pub(crate) twice_factor: u64,
    /// The learner of sites, by its name in the list.
    pub(crate) site_learner: &'static str,
    /// That of trouble nodes and of the stack.
    pub(crate) node_learner: &'static str,
    /// The seed of every learner.
    pub(crate) seed: u64,
    /// The id of the first record; guesses are drawn by ids.
    pub(crate) first_id: i64,
    /// Records between two changes of the hierarchy.
    pub(crate) batch: usize,
    /// Records that are answered between a record and its label.
    pub(crate) delay: usize,
    /// Whether removal counts only records from a node's first and the delay on.
    pub(crate) patient_removal: bool,
}

/// The forest of the study.
pub(crate) const FOREST: &str = "arf(preset=2017, leaf=nb, resplit=yes)";

impl Settings {
    /// The study on sites of `width` consecutive columns, with the least of its trouble factors.
    pub(crate) fn of(stream: &Stream, width: usize, rule: Rule, hierarchy: Hierarchy) -> Self {
        let columns: Vec<usize> = (0..stream.records.width()).collect();
        Settings {
            sites: columns.chunks_exact(width).map(<[usize]>::to_vec).collect(),
            rule,
            hierarchy,
            twice_factor: 2 * width as u64,
            site_learner: "nb",
            node_learner: FOREST,
            seed: 1,
            first_id: 1,
            batch: 1,
            delay: 0,
            patient_removal: true,
        }
    }
}

/// What a run gave; two runs are equal if all bits are.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Run {
    pub(crate) answers: Vec<Final>,
    /// In the order in which they happened.
    pub(crate) events: Vec<Event>,
    /// Sites first, then trouble nodes, also those that were removed.
    pub(crate) nodes: Vec<Member>,
    /// Of each record, who forwarded it to which trouble node.
    pub(crate) forwards: Vec<Vec<Forward>>,
}

/// The answer to a record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Final {
    pub(crate) class: u32,
    pub(crate) confidence: f64,
    /// The trouble node that gave it; none if the sites did.
    pub(crate) node: Option<usize>,
}

/// A change after a record, which is counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A trouble node that can answer the next record.
    Created { record: usize, node: usize },
    /// A trouble node that cannot any more.
    Removed { record: usize, node: usize },
    /// A pair that is off the blacklist.
    Freed { record: usize, pair: [usize; 2] },
}

/// A site or a trouble node by its place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// None of a site.
    pub(crate) sources: Vec<usize>,
    pub(crate) columns: Vec<usize>,
}

/// A record's way from a source to a trouble node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Forward {
    pub(crate) source: usize,
    pub(crate) node: usize,
}
