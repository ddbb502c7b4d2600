//! The study's algorithm as one plain loop over records: slow, obvious, and the measure of
//! every other implementation.
//!
//! Sites and trouble nodes stand in one list, in the order they came to be; a place is never
//! used twice. Windows are plain lists that are counted through for every record, ranks and
//! agreements are fractions that are compared without rounding. What the rules leave open is
//! decided by the published figures:
//!
//! - A confidence is in its window before its rank is taken, and the number of sources that
//!   forwarded is in its window before agreement is.
//! - A node whose agreement is 0 forwards all but what ranks highest.
//! - The agreement of a pair is compared as it was before the record, the threshold is that
//!   with it; pairs are created by their agreement with it.
//! - Pairs that can still become nodes keep what they have counted when the hierarchy changes;
//!   a removed or created node's pairs start anew.
//! - While a node is a source, its removal counts neither records nor time.
//! - The best answer of lower order is the most confident one, the sites' common one included.
//!
//! In batches sites learn and monitors count record by record, but nodes are created and
//! removed at the end of a batch only, if their monitors still say so there. With late labels
//! monitors look at a record as it was answered: pairs of which one did not exist yet do not
//! count it, nor do nodes that had not had their first labels by then.

pub(crate) mod measures;
mod monitor;
mod node;

use crate::support::Stream;
use moretta::learn::{self, Header, Input, Learner};
use moretta::math::java_random::JavaRandom;
use monitor::{Blacklisted, Pair};
use node::{Node, Opinion, opinion};
use std::collections::VecDeque;

/// How sites answer together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    MostConfident,
    Vote,
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
    /// The id of the first record, by which guesses are drawn.
    pub(crate) first_id: i64,
    /// Records between two changes of the hierarchy.
    pub(crate) batch: usize,
    /// Records that are answered before a label is there.
    pub(crate) delay: usize,
    /// Whether removal counts only records that a node could have learnt before.
    pub(crate) patient_removal: bool,
}

/// The forest of the study.
pub(crate) const FOREST: &str = "arf(preset=2017, leaf=nb, resplit=yes)";

impl Settings {
    /// The study on sites of `width` consecutive columns, at a trouble factor of one site.
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

/// The answer to a record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Final {
    pub(crate) class: u32,
    pub(crate) confidence: f64,
    /// The trouble node that gave it; none if the sites did.
    pub(crate) node: Option<usize>,
}

/// A change of the hierarchy after a record, which is counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Created { record: usize, node: usize },
    Removed { record: usize, node: usize },
    Freed { record: usize, pair: [usize; 2] },
}

/// What a run gave.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) answers: Vec<Final>,
    pub(crate) events: Vec<Event>,
    /// Sites first, then trouble nodes, also those that were removed: their sources and columns.
    pub(crate) nodes: Vec<(Vec<usize>, Vec<usize>)>,
    /// Of each record, who forwarded it to which trouble node.
    pub(crate) forwards: Vec<Vec<Forward>>,
}

/// A record's way from a source to a trouble node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Forward {
    pub(crate) source: usize,
    pub(crate) node: usize,
}

/// Runs a stream through the sites.
pub(crate) fn run(stream: &Stream, settings: &Settings) -> Run {
    let mut federation = Federation::new(stream, settings);
    let mut unlabelled = VecDeque::new();
    for (record, values) in stream.records.iter().enumerate() {
        unlabelled.push_back(federation.answer(record, values));
        if record >= settings.delay {
            let answered: Answered = unlabelled.pop_front().expect("it was answered");
            let labelled = record - settings.delay;
            let (values, class) = (stream.records.record(labelled), stream.classes[labelled]);
            federation.learn(&answered, values, class);
            if settings.hierarchy == Hierarchy::Monitored {
                federation.watch(&answered, labelled, record, class);
            }
        }
        if settings.hierarchy == Hierarchy::Monitored && (record + 1) % settings.batch == 0 {
            federation.rebuild(record);
        }
    }
    federation.finish()
}

struct Federation<'a> {
    settings: &'a Settings,
    header: &'a Header,
    nodes: Vec<Node>,
    /// The learner on the classes of all sites, and how many records it has learnt.
    stack: Option<(Box<dyn Learner>, u64)>,
    /// Decides between classes with as many votes.
    random: JavaRandom,
    pairs: Vec<Pair>,
    blacklist: Vec<Blacklisted>,
    run: Run,
}

/// A record as it was answered.
struct Answered {
    /// By place; none from nodes that did not answer, and none yet from later ones.
    opinions: Vec<Option<Opinion>>,
    /// That of all sites together.
    candidate: Opinion,
    answer: Final,
}

impl<'a> Federation<'a> {
    fn new(stream: &'a Stream, settings: &'a Settings) -> Self {
        let (header, classes) = (&stream.header, stream.header.classes());
        let mut federation = Federation {
            settings,
            header,
            nodes: Vec::new(),
            stack: None,
            random: JavaRandom::new(1),
            pairs: Vec::new(),
            blacklist: Vec::new(),
            run: Run {
                answers: Vec::new(),
                events: Vec::new(),
                nodes: Vec::new(),
                forwards: Vec::new(),
            },
        };
        for columns in &settings.sites {
            federation.add(Vec::new(), columns.clone(), settings.site_learner, 0);
        }
        if settings.rule == Rule::Stack {
            let inputs = vec![Input::Nominal { values: classes }; settings.sites.len()];
            let header = Header::new(inputs, classes).expect("small");
            let learner = learn::build(settings.node_learner, &header, settings.seed);
            federation.stack = Some((learner.expect("in the list"), 0));
        }
        match settings.hierarchy {
            Hierarchy::Flat => {}
            Hierarchy::Park => federation.add_node((0..settings.sites.len()).collect(), 0),
            Hierarchy::Monitored => federation.renew_pairs(),
        }
        federation
    }

    fn add(&mut self, sources: Vec<usize>, columns: Vec<usize>, learner: &str, first: usize) {
        let inputs = columns.iter().map(|&place| self.header.attributes()[place]);
        let header = Header::new(inputs.collect(), self.header.classes()).expect("small");
        let learner = learn::build(learner, &header, self.settings.seed).expect("in the list");
        let orders = sources.iter().map(|&source| self.nodes[source].order + 1);
        let order = orders.max().unwrap_or(0);
        let classes = self.header.classes();
        self.nodes
            .push(Node::new(sources, columns, order, learner, classes, first));
    }

    fn add_node(&mut self, sources: Vec<usize>, first: usize) {
        let columns = sources.iter().flat_map(|&source| &self.nodes[source].columns);
        let mut columns: Vec<usize> = columns.copied().collect();
        columns.sort_unstable();
        self.add(sources, columns, self.settings.node_learner, first);
    }

    /// Shows a record to all nodes and lets them answer.
    fn answer(&mut self, record: usize, values: &[f64]) -> Answered {
        let id = self.settings.first_id + record as i64;
        let (mut opinions, mut forwards) = (Vec::new(), Vec::new());
        for (place, node) in self.nodes.iter_mut().enumerate() {
            let factor = self.settings.twice_factor;
            let forwards_to = |source: &usize| {
                let opinion: &Option<Opinion> = &opinions[*source];
                opinion.is_some_and(|opinion| opinion.is_troubled(factor, node.columns.len()))
            };
            let troubled = node.sources.iter().copied().filter(forwards_to);
            let troubled: Vec<usize> = troubled.collect();
            opinions.push(match node.removed {
                true => None,
                false => node.answer(values, troubled.len(), factor, id),
            });
            if !node.removed {
                forwards.extend(troubled.into_iter().map(|source| Forward { source, node: place }));
            }
        }
        let sites: Vec<Opinion> = opinions[..self.settings.sites.len()]
            .iter()
            .map(|opinion| opinion.expect("a site always answers"))
            .collect();
        let candidate = self.candidate(&sites, id);
        let node = best(&candidate, &opinions, |_| true);
        let opinion = node.map_or(candidate, |node| opinions[node].expect("it answered"));
        let answer = Final {
            class: opinion.class,
            confidence: opinion.confidence,
            node,
        };
        self.run.answers.push(answer);
        self.run.forwards.push(forwards);
        Answered {
            opinions,
            candidate,
            answer,
        }
    }

    /// The answer of all sites together.
    fn candidate(&mut self, sites: &[Opinion], id: i64) -> Opinion {
        match self.settings.rule {
            Rule::MostConfident => *sites
                .iter()
                .reduce(|best, next| match next.confidence > best.confidence {
                    true => next,
                    false => best,
                })
                .expect("a site"),
            Rule::Vote => {
                let sum: f64 = sites.iter().map(|site| site.confidence).sum();
                Opinion::new(elected(sites, &mut self.random), sum / sites.len() as f64)
            }
            Rule::Stack => {
                let classes = classes_of(sites.iter());
                let (learner, learnt) = self.stack.as_ref().expect("the rule asks for it");
                opinion(learner.as_ref(), *learnt, &classes, self.header.classes(), id)
            }
        }
    }

    /// Teaches all that answered.
    fn learn(&mut self, answered: &Answered, values: &[f64], class: u32) {
        for (node, opinion) in self.nodes.iter_mut().zip(&answered.opinions) {
            if opinion.is_some() && !node.removed {
                node.learn(values, class);
            }
        }
        if let Some((learner, learnt)) = &mut self.stack {
            let sites = answered.opinions[..self.settings.sites.len()].iter();
            learner.learn(&classes_of(sites.flatten()), class);
            *learnt += 1;
        }
    }

    /// Shows a labelled record to the monitors.
    fn watch(&mut self, answered: &Answered, labelled: usize, record: usize, class: u32) {
        let Answered {
            opinions,
            candidate,
            answer,
        } = answered;
        let right = |place: usize| {
            let opinion = opinions.get(place).copied().flatten();
            opinion.map(|opinion| opinion.class == class)
        };
        self.blacklist.retain_mut(|blacklisted| {
            let freed = blacklisted.observe(right);
            if freed {
                let pair = blacklisted.pair;
                self.run.events.push(Event::Freed { record, pair });
            }
            !freed
        });
        if answer.class != class {
            for pair in &mut self.pairs {
                let exist = pair.sources.iter().all(|&place| place < opinions.len());
                if exist {
                    pair.observe(opinions, self.settings.twice_factor);
                }
            }
        }
        let sources = self.sources();
        for place in self.settings.sites.len()..self.nodes.len() {
            let order = self.nodes[place].order;
            let lower = best(candidate, opinions, |other| self.nodes[other].order < order);
            let lower = lower.map_or(candidate.class == class, |lower| right(lower) == Some(true));
            let node = &mut self.nodes[place];
            let first = match self.settings.patient_removal {
                true => node.first + self.settings.delay,
                false => node.first,
            };
            if !node.removed && !sources.contains(&place) && labelled >= first {
                let used = answer.node == Some(place);
                node.removal.observe(used.then_some([answer.class == class, lower]));
            }
        }
    }

    /// Creates and removes nodes as the monitors say.
    fn rebuild(&mut self, record: usize) {
        let mut fired: Vec<&Pair> = self.pairs.iter().filter(|pair| pair.fires()).collect();
        fired.sort_by(|a, b| {
            let order = b.agreement().total_cmp(&a.agreement());
            order.then(a.sources.cmp(&b.sources))
        });
        let fired: Vec<[usize; 2]> = fired.iter().map(|pair| pair.sources).collect();
        let mut taken: Vec<usize> = Vec::new();
        for pair in fired {
            if !pair.iter().any(|source| taken.contains(source)) {
                taken.extend(pair);
                let node = self.nodes.len();
                self.add_node(pair.to_vec(), record + 1);
                self.run.events.push(Event::Created { record, node });
            }
        }
        for place in 0..self.nodes.len() {
            let node = &self.nodes[place];
            if !node.removed && node.removal.fires() {
                let pair = [node.sources[0], node.sources[1]];
                self.blacklist.push(Blacklisted::new(pair));
                self.remove(place, record);
            }
        }
        self.renew_pairs();
    }

    /// Removes a node and all that depend on it.
    fn remove(&mut self, place: usize, record: usize) {
        self.nodes[place].removed = true;
        self.run.events.push(Event::Removed {
            record,
            node: place,
        });
        for other in place + 1..self.nodes.len() {
            let node = &self.nodes[other];
            if !node.removed && node.sources.contains(&place) {
                self.remove(other, record);
            }
        }
    }

    /// Pairs of nodes that are no source, but for those that are blacklisted.
    fn renew_pairs(&mut self) {
        let sources = self.sources();
        let free = |place: &usize| !self.nodes[*place].removed && !sources.contains(place);
        let free: Vec<usize> = (0..self.nodes.len()).filter(free).collect();
        let mut old = std::mem::take(&mut self.pairs);
        for (at, &first) in free.iter().enumerate() {
            for &second in &free[at + 1..] {
                let pair = [first, second];
                if self.blacklist.iter().any(|listed| listed.pair == pair) {
                    continue;
                }
                let known = old.iter().position(|old| old.sources == pair);
                let columns = [first, second].map(|place| self.nodes[place].columns.len());
                let new = || Pair::new(pair, columns.iter().sum());
                let pair = known.map_or_else(new, |place| old.swap_remove(place));
                self.pairs.push(pair);
            }
        }
    }

    /// The places of all sources.
    fn sources(&self) -> Vec<usize> {
        let nodes = self.nodes.iter().filter(|node| !node.removed);
        nodes.flat_map(|node| node.sources.clone()).collect()
    }

    fn finish(mut self) -> Run {
        let nodes = self.nodes.into_iter();
        self.run.nodes = nodes.map(|node| (node.sources, node.columns)).collect();
        self.run
    }
}

/// The first of the most confident trouble nodes, if it is more confident than all sites together.
fn best(
    candidate: &Opinion,
    opinions: &[Option<Opinion>],
    counts: impl Fn(usize) -> bool,
) -> Option<usize> {
    let (mut best, mut confidence) = (None, candidate.confidence);
    for (place, opinion) in opinions.iter().enumerate() {
        if let Some(opinion) = opinion
            && !opinion.is_of_site
            && opinion.confidence > confidence
            && counts(place)
        {
            (best, confidence) = (Some(place), opinion.confidence);
        }
    }
    best
}

/// The class of most sites; of several, taken in the order they appear, chance decides.
fn elected(sites: &[Opinion], random: &mut JavaRandom) -> u32 {
    let mut counts: Vec<(u32, usize)> = Vec::new();
    for site in sites {
        match counts.iter_mut().find(|(class, _)| *class == site.class) {
            Some((_, count)) => *count += 1,
            None => counts.push((site.class, 1)),
        }
    }
    let most = counts.iter().map(|(_, count)| *count).max();
    counts.retain(|(_, count)| Some(*count) == most);
    random.shuffle(&mut counts);
    counts[0].0
}

fn classes_of<'a>(sites: impl Iterator<Item = &'a Opinion>) -> Vec<f64> {
    sites.map(|site| f64::from(site.class)).collect()
}
