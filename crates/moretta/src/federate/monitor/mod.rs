//! What makes and removes trouble nodes: monitors of candidates, of nodes, and of those that
//! were removed.
//!
//! After each labelled record the blacklist, candidates and nodes are updated, in this order;
//! between batches nodes are made, then removed, then candidates are found anew. One that stays
//! a candidate keeps its windows.
//!
//! Candidates do not know one another, and what they count matters between batches alone. So
//! records are noted, and each candidate takes all of them at once, several candidates at a time.

mod asked;
mod blacklist;
mod creation;
mod extended;
mod noted;
mod removal;

use super::state::{Reader, Writer};
use super::terms::{MonitorTerms, RankBy, Terms};
use super::topology::{SiteColumns, Topology};
use crate::error::Result;
use asked::AskedLengths;
use blacklist::Blacklisted;
use creation::Creation;
use extended::{extending, pairs};
use noted::Noted;
use rayon::prelude::*;
use removal::{Outcome, Removal};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Sources that may get a trouble node, for whoever watches a federation.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The sources, rising.
    pub sources: Vec<u16>,
    /// How much they agree in records whose final class was wrong.
    pub agreement: f64,
    /// T_a, more than which chance would hardly explain.
    pub threshold: f64,
}

/// What candidates have been told, for whoever asks why there is no trouble node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The smallest length of a candidate.
    pub least_length: u64,
    /// Records that were answered wrong and that a candidate remembers, at most.
    pub records: u32,
    /// Whether a source would have forwarded one of them.
    pub forwards: bool,
}

/// Sets that are monitored if there are no more; of more, those that extend the best pairs.
pub(super) const MOST_SETS: usize = 10_000;
/// Candidates that one thread takes at least.
const FEWEST_TOGETHER: usize = 64;

/// ε: how far the mean of n values of 0 to 1 can be from its expectation.
fn hoeffding(delta: f64, n: u32) -> f64 {
    ((1.0 / delta).ln() / (2.0 * f64::from(n))).sqrt()
}

/// What monitors are shown of a labelled record.
pub(super) struct Observed<'a> {
    /// Its number in the stream, from 0.
    pub(super) record: u64,
    /// The newest topology.
    pub(super) topology: &'a Topology,
    /// Whether the final class was right.
    pub(super) right: bool,
    /// The node that gave the final answer, if one did.
    pub(super) used: Option<u16>,
    /// Whether the most confident of lower order was right.
    pub(super) right_below: bool,
    /// Whether a source was right; none where it did not answer.
    pub(super) source_right: &'a dyn Fn(u16) -> Option<bool>,
    /// Whether a source would have forwarded the record to a node of a length; none where it was
    /// not asked or has not answered the batch.
    pub(super) would_forward: &'a dyn Fn(u16, u64) -> Option<bool>,
    /// Whether a node might have answered the record, but nothing of it has come: its monitor
    /// pauses.
    pub(super) is_silent: &'a dyn Fn(u16) -> bool,
}

/// What is to change.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Changes {
    /// Sources of nodes to be made, in order.
    pub(super) create: Vec<Vec<u16>>,
    /// Nodes to be removed, with their dependents.
    pub(super) remove: Vec<u16>,
}

impl Changes {
    pub(super) fn is_empty(&self) -> bool {
        self.create.is_empty() && self.remove.is_empty()
    }
}

/// All monitors.
#[derive(Clone, Debug)]
pub(super) struct Monitors {
    terms: MonitorTerms,
    rank_by: RankBy,
    group: usize,
    creations: Vec<Creation>,
    /// The sources and lengths that candidates ask for, rising, each once.
    questions: Vec<(u16, u64)>,
    /// What was answered to them of records that candidates have not taken.
    wrong: Noted,
    /// The sources that are blacklisted, rising, each once.
    listed: Vec<u16>,
    /// Whether they were right in records that the blacklist has not taken.
    judged: Noted,
    removals: BTreeMap<u16, Removal>,
    blacklist: Vec<Blacklisted>,
    changed_blacklist: bool,
    /// Candidates that were left out when they were found last.
    left_out: usize,
    /// Where there are too many sets to watch them all.
    scouting: Option<Scouting>,
}

/// How far the search for sets has come that are worth being watched.
#[derive(Clone, Copy, Debug)]
struct Scouting {
    /// Records that were answered wrong since candidates were found last.
    wrong: u32,
    /// Whether so much is known of pairs that sets extend them.
    extends: bool,
}

impl Monitors {
    pub(super) fn new(terms: MonitorTerms, rank_by: RankBy, group: usize) -> Self {
        Monitors {
            terms,
            rank_by,
            group,
            creations: Vec::new(),
            questions: Vec::new(),
            wrong: Noted::default(),
            listed: Vec::new(),
            judged: Noted::default(),
            removals: BTreeMap::new(),
            blacklist: Vec::new(),
            changed_blacklist: false,
            left_out: 0,
            scouting: None,
        }
    }

    /// Takes a labelled record. What is asked of the monitors next must wait for
    /// [`catch_up`](Self::catch_up).
    pub(super) fn observe(&mut self, seen: &Observed<'_>) {
        if !self.blacklist.is_empty() {
            let right = self
                .listed
                .iter()
                .map(|&source| (seen.source_right)(source));
            self.judged.note(seen.record, right);
        }
        if !seen.right {
            let questions = self.questions.iter();
            let told = questions.map(|&(source, length)| (seen.would_forward)(source, length));
            self.wrong.note(seen.record, told);
            if let Some(scouting) = &mut self.scouting {
                scouting.wrong = scouting.wrong.saturating_add(1);
            }
        }
        if self.judged.is_full() || self.wrong.is_full() {
            self.catch_up();
        }
        for (&node, removal) in &mut self.removals {
            let is_source = seen.topology.destinations(node).next().is_some();
            if is_source || seen.record < removal.from_record || (seen.is_silent)(node) {
                continue;
            }
            let outcome = match seen.used == Some(node) {
                true => Outcome::Used {
                    right: seen.right,
                    right_below: seen.right_below,
                },
                false => Outcome::Unused,
            };
            removal.push(outcome, &self.terms);
        }
    }

    /// Shows candidates and the blacklist all records that were noted.
    pub(super) fn catch_up(&mut self) {
        let (terms, wrong) = (&self.terms, &self.wrong);
        if !wrong.is_empty() {
            let creations = self.creations.par_iter_mut().with_min_len(FEWEST_TOGETHER);
            creations.for_each(|creation| creation.take_all(wrong, terms));
        }
        if !self.judged.is_empty() {
            self.hear_blacklist();
        }
        self.wrong.clear();
        self.judged.clear();
    }

    /// Takes those off the blacklist of whom one has changed.
    fn hear_blacklist(&mut self) {
        let (listed, judged) = (&self.listed, &self.judged);
        let place = |source: u16| listed.binary_search(&source).ok();
        let has_changed = |one: &mut Blacklisted| {
            let places: Vec<Option<usize>> =
                one.sources.iter().map(|&source| place(source)).collect();
            let right = |record: &[Option<bool>]| {
                let of = |place: &Option<usize>| record[(*place)?];
                one.push(places.iter().map(of))
            };
            judged.records().map(|(_, record)| record).any(right)
        };
        let changed: Vec<bool> = self.blacklist.par_iter_mut().map(has_changed).collect();
        let mut changed = changed.into_iter();
        let before = self.blacklist.len();
        self.blacklist.retain(|_| changed.next() != Some(true));
        self.changed_blacklist |= self.blacklist.len() < before;
        self.list();
    }

    /// Lists the sources of the blacklist.
    fn list(&mut self) {
        let sources = self
            .blacklist
            .iter()
            .flat_map(|one| one.sources.iter().copied());
        self.listed = sources.collect::<BTreeSet<u16>>().into_iter().collect();
    }

    /// What is to change now.
    pub(super) fn decide(&self, topology: &Topology) -> Changes {
        debug_assert!(self.wrong.is_empty() && self.judged.is_empty(), "caught up");
        let mut changes = Changes::default();
        let mut fired: Vec<&Creation> = self
            .creations
            .iter()
            .filter(|creation| self.is_whole(creation) && creation.fires(&self.terms))
            .collect();
        fired.sort_by(|a, b| self.rank(b, a).then(a.sources.cmp(&b.sources)));
        let mut taken = BTreeSet::new();
        for creation in fired {
            if !creation.sources.iter().any(|source| taken.contains(source)) {
                taken.extend(creation.sources.iter().copied());
                changes.create.push(creation.sources.clone());
            }
        }
        for (&node, removal) in &self.removals {
            if removal.fires(&self.terms) && !changes.remove.contains(&node) {
                changes.remove.extend(topology.with_dependents(node));
            }
        }
        changes
    }

    fn rank(&self, a: &Creation, b: &Creation) -> Ordering {
        self.worth(a).total_cmp(&self.worth(b))
    }

    /// What candidates are ranked by.
    fn worth(&self, creation: &Creation) -> f64 {
        match self.rank_by {
            RankBy::Agreement => creation.agreement(),
            RankBy::Excess => creation.excess(),
        }
    }

    /// Whether a candidate has as many sources as a node, and is no pair that others extend.
    fn is_whole(&self, creation: &Creation) -> bool {
        creation.sources.len() == self.group
    }

    /// Blacklists the sources of a node that is removed by itself.
    pub(super) fn blacklist(&mut self, sources: Vec<u16>) {
        self.blacklist
            .push(Blacklisted::new(sources, self.terms.drift));
        self.list();
    }

    /// Whether the removal of a node fired, and not only that of one it stands on.
    pub(super) fn has_fired(&self, node: u16) -> bool {
        self.removals
            .get(&node)
            .is_some_and(|removal| removal.fires(&self.terms))
    }

    /// Whether candidates must be found anew although the topology is the same.
    pub(super) fn is_stale(&self) -> bool {
        let ripens = |scouting: Scouting| match scouting.extends {
            true => scouting.wrong as usize >= self.terms.window,
            false => scouting.wrong >= self.pair_time(),
        };
        self.changed_blacklist || self.scouting.is_some_and(ripens)
    }

    /// Records that were answered wrong after which enough is known of pairs.
    fn pair_time(&self) -> u32 {
        let window = u32::try_from(self.terms.window).unwrap_or(u32::MAX);
        self.terms.creation_time.min(window)
    }

    /// Finds candidates and nodes anew. `first` is the first record under the topology; a node
    /// is judged by those that come `delay` later, when labels can have taught it. `may_join`
    /// says whether sources may share a node at all.
    pub(super) fn rebuild(
        &mut self,
        topology: &Topology,
        first: u64,
        delay: u64,
        may_join: &dyn Fn(&[u16]) -> bool,
    ) {
        self.changed_blacklist = false;
        let known: BTreeSet<u16> = topology.sources().collect();
        self.blacklist
            .retain(|listed| listed.sources.iter().all(|source| known.contains(source)));
        self.list();
        self.removals.retain(|node, _| known.contains(node));
        for node in &topology.nodes {
            let terms = &self.terms;
            let removal = || Removal::new(first + delay, terms);
            self.removals.entry(node.id).or_insert_with(removal);
        }
        let mut old: BTreeMap<Vec<u16>, Creation> = std::mem::take(&mut self.creations)
            .into_iter()
            .map(|creation| (creation.sources.clone(), creation))
            .collect();
        let mut free: Vec<u16> = topology.free_sources().collect();
        free.retain(|&source| may_join(&vec![source; self.group]));
        let may = |sources: &[u16]| may_join(sources) && !self.is_blacklisted(sources);
        let is_too_many = self.group > 2 && sets(free.len(), self.group) > MOST_SETS;
        let knows_pairs = || {
            let mut pairs = old.values().filter(|one| one.sources.len() < self.group);
            pairs.any(|pair| pair.taken().0 >= self.pair_time())
        };
        let scouting = is_too_many.then(|| Scouting {
            wrong: 0,
            extends: knows_pairs(),
        });
        let mut found = match scouting {
            Some(scouting) => self.of_too_many(topology, &free, &old, scouting.extends, &may),
            None => {
                let all = subsets(&free, self.group).into_iter();
                let possible = all.filter(|sources| may(sources));
                possible
                    .map(|sources| with_length(topology, sources))
                    .collect()
            }
        };
        self.scouting = scouting;
        self.leave_out(&mut found, &old);
        for (sources, length) in found {
            let kept = old.remove(&sources).filter(|kept| kept.length == length);
            let new = || Creation::new(sources.clone(), length, first, &self.terms);
            let creation = kept.unwrap_or_else(new);
            self.creations.push(creation);
        }
        self.ask();
    }

    /// Leaves candidates out whose sources would be asked about more lengths than there is room for:
    /// those that were watched stay first, then all others in the order of their sources.
    fn leave_out(&mut self, found: &mut Vec<(Vec<u16>, u64)>, old: &BTreeMap<Vec<u16>, Creation>) {
        let is_watched = |(sources, length): &(Vec<u16>, u64)| {
            old.get(sources).is_some_and(|old| old.length == *length)
        };
        let mut asked = AskedLengths::default();
        let mut stays: BTreeSet<usize> = BTreeSet::new();
        for watched in [true, false] {
            for (place, candidate) in found.iter().enumerate() {
                if is_watched(candidate) == watched && asked.has_room(&candidate.0, candidate.1) {
                    stays.insert(place);
                }
            }
        }
        self.left_out = found.len() - stays.len();
        let mut place = 0;
        found.retain(|_| {
            place += 1;
            stays.contains(&(place - 1))
        });
    }

    /// Numbers what candidates ask for, so that each is looked up once a record.
    fn ask(&mut self) {
        let asked = |creation: &Creation| {
            let length = creation.length;
            let sources = creation.sources.iter();
            sources
                .map(move |&source| (source, length))
                .collect::<Vec<_>>()
        };
        let mut questions: Vec<(u16, u64)> = self.creations.iter().flat_map(asked).collect();
        questions.sort_unstable();
        questions.dedup();
        self.creations
            .iter_mut()
            .for_each(|creation| creation.find_questions(&questions));
        self.questions = questions;
    }

    fn is_blacklisted(&self, sources: &[u16]) -> bool {
        self.blacklist
            .iter()
            .any(|listed| listed.sources == sources)
    }

    /// Pairs, and once enough is known of these the sets that extend the best of them.
    fn of_too_many(
        &self,
        topology: &Topology,
        free: &[u16],
        old: &BTreeMap<Vec<u16>, Creation>,
        extends: bool,
        may: &dyn Fn(&[u16]) -> bool,
    ) -> Vec<(Vec<u16>, u64)> {
        let mut found = pairs(topology, free, self.group);
        if extends {
            let of_pairs = found.iter().filter_map(|(pair, _)| old.get(pair));
            let known = of_pairs.filter(|pair| pair.taken().0 > 0);
            let known = known.map(|pair| (pair.sources.clone(), self.worth(pair)));
            let sets = extending(&known.collect(), free, self.group, may);
            found.extend(
                sets.into_iter()
                    .map(|sources| with_length(topology, sources)),
            );
        }
        found.sort_unstable();
        found
    }

    /// Candidates and how much their sources agree.
    pub(super) fn agreements(&self) -> impl Iterator<Item = (&[u16], f64)> {
        let whole = self.creations.iter().filter(|one| self.is_whole(one));
        whole.map(|creation| (&creation.sources[..], creation.agreement()))
    }

    /// Candidates with what their monitors compare.
    pub(super) fn watched(&self) -> impl Iterator<Item = Candidate> + '_ {
        let whole = self.creations.iter().filter(|one| self.is_whole(one));
        whole.map(|creation| Candidate {
            sources: creation.sources.clone(),
            agreement: creation.agreement(),
            threshold: creation.threshold(&self.terms),
        })
    }

    /// What candidates have been told; none where there are no candidates.
    pub(super) fn asked(&self) -> Option<Asked> {
        let one = |creation: &Creation| {
            let (records, forwards) = creation.taken();
            Asked {
                least_length: creation.length,
                records,
                forwards,
            }
        };
        let all = self.creations.iter().map(one);
        all.reduce(|a, b| Asked {
            least_length: a.least_length.min(b.least_length),
            records: a.records.max(b.records),
            forwards: a.forwards || b.forwards,
        })
    }

    /// Of each free source, the lengths of the candidates that it belongs to.
    pub(super) fn lengths(&self) -> Vec<(u16, Vec<u64>)> {
        let mut lengths: BTreeMap<u16, BTreeSet<u64>> = BTreeMap::new();
        for creation in &self.creations {
            for &source in &creation.sources {
                lengths.entry(source).or_default().insert(creation.length);
            }
        }
        let listed = lengths.into_iter();
        listed
            .map(|(source, lengths)| (source, lengths.into_iter().collect()))
            .collect()
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.size(self.creations.len());
        self.creations
            .iter()
            .for_each(|creation| creation.save(out));
        out.size(self.removals.len());
        for (node, removal) in &self.removals {
            out.u16(*node);
            removal.save(out);
        }
        out.size(self.blacklist.len());
        self.blacklist.iter().for_each(|listed| listed.save(out));
        out.bool(self.changed_blacklist);
        out.bool(self.scouting.is_some());
        if let Some(scouting) = self.scouting {
            out.u32(scouting.wrong);
            out.bool(scouting.extends);
        }
    }

    pub(super) fn load(&mut self, from: &mut Reader<'_>) -> Result<()> {
        let terms = self.terms;
        let creations = from.length()?;
        self.creations = from.many(creations, |from| Creation::load(&terms, from))?;
        for _ in 0..from.length()? {
            let node = from.u16()?;
            self.removals.insert(node, Removal::load(&terms, from)?);
        }
        let listed = from.length()?;
        self.blacklist = from.many(listed, |from| Blacklisted::load(terms.drift, from))?;
        self.changed_blacklist = from.bool()?;
        if from.bool()? {
            self.scouting = Some(Scouting {
                wrong: from.u32()?,
                extends: from.bool()?,
            });
        }
        self.list();
        self.ask();
        Ok(())
    }
}

/// Candidates of a federation, for whoever checks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidates {
    /// Those that are watched.
    pub watched: usize,
    /// Those that are not, since their sources would be asked about too many lengths.
    pub left_out: usize,
    /// How many there are, where these are too many to watch them all: pairs are watched then, and the
    /// sets that extend the best of these.
    pub too_many: Option<usize>,
}

/// The candidates that there are before the first trouble node is made, if all sites consent.
pub fn candidates_at_first(terms: &Terms, sites: Vec<SiteColumns>) -> Option<Candidates> {
    let trouble = terms.trouble.as_ref().filter(|trouble| !trouble.fixed)?;
    let group = usize::from(trouble.group);
    let mut monitors = Monitors::new(terms.monitors, trouble.rank_by, group);
    let all = sets(sites.len(), group);
    monitors.rebuild(&Topology::of_sites(sites), 0, 0, &|_| true);
    let too_many = monitors.scouting.map(|_| all);
    Some(Candidates {
        watched: too_many.map_or(monitors.creations.len(), |_| MOST_SETS),
        left_out: monitors.left_out,
        too_many,
    })
}

fn with_length(topology: &Topology, sources: Vec<u16>) -> (Vec<u16>, u64) {
    let length = topology.length_of_all(&sources);
    (sources, length)
}

/// How many sets of `size` there are of `of`, or more than can be counted.
pub(super) fn sets(of: usize, size: usize) -> usize {
    let mut count = 1_usize;
    for step in 0..size.min(of) {
        count = count.saturating_mul(of - step) / (step + 1);
    }
    if size > of { 0 } else { count }
}

/// All sets of `size` of these, in order.
pub(super) fn subsets(of: &[u16], size: usize) -> Vec<Vec<u16>> {
    let mut all = Vec::with_capacity(sets(of.len(), size).min(MOST_SETS));
    extend(of, size, &mut Vec::with_capacity(size), &mut all);
    all
}

/// Adds all sets that begin with `begun` and go on with `size` of these.
fn extend(of: &[u16], size: usize, begun: &mut Vec<u16>, all: &mut Vec<Vec<u16>>) {
    if size == 0 {
        all.push(begun.clone());
        return;
    }
    for (at, &next) in of.iter().enumerate() {
        begun.push(next);
        extend(&of[at + 1..], size - 1, begun, all);
        begun.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::federate::{Column, Ratio, Rule};

    #[test]
    fn sets_are_counted_and_listed_in_order() {
        assert_eq!(subsets(&[1, 2, 5], 2), [[1, 2], [1, 5], [2, 5]]);
        for (of, size) in [(3, 2), (6, 3), (2, 3), (5, 5), (7, 1)] {
            let all: Vec<u16> = (0..of).collect();
            assert_eq!(subsets(&all, size).len(), sets(usize::from(of), size));
        }
    }

    /// Sites of one column each, of these sizes.
    fn sites(count: u16, size: impl Fn(u32) -> u32) -> Vec<SiteColumns> {
        let site = |id: u16| SiteColumns {
            id,
            columns: vec![Column {
                id: u64::from(id),
                size: size(u32::from(id)),
                values: 0,
            }],
        };
        (0..count).map(site).collect()
    }

    fn monitors(topology: &Topology, group: usize) -> Monitors {
        let mut monitors = Monitors::new(MonitorTerms::default(), RankBy::Agreement, group);
        monitors.rebuild(topology, 0, 0, &|_| true);
        monitors
    }

    /// Shows a record that was answered wrong.
    fn show(
        monitors: &mut Monitors,
        topology: &Topology,
        record: u64,
        would: &dyn Fn(u16) -> bool,
    ) {
        monitors.observe(&Observed {
            record,
            topology,
            right: false,
            used: None,
            right_below: false,
            source_right: &|_| None,
            would_forward: &|source, _| Some(would(source)),
            is_silent: &|_| false,
        });
    }

    /// A bit of a record at a source, as if by chance.
    fn bit(record: u64, source: u16) -> bool {
        let mixed = (record * 4099 + u64::from(source) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 63 == 1
    }

    /// What sources are asked fits into frames and is what sites allow, whatever columns weigh.
    #[test]
    fn candidates_that_ask_for_too_many_lengths_are_left_out() {
        let check = |count: u16, group: u8, size: fn(u32) -> u32, leaves_out: bool| {
            let mut topology = Topology::of_sites(sites(count, size));
            let mut monitors = monitors(&topology, usize::from(group));
            let is_asked = |topology: &mut Topology, monitors: &Monitors| {
                topology.lengths = monitors.lengths();
                let most = topology.lengths.iter().map(|(_, asked)| asked.len()).max();
                assert!(most <= Some(256), "{most:?}");
                let mut out = Writer::default();
                topology.write(&mut out);
                let bytes = out.into_bytes();
                assert!(bytes.len() < 1 << 20, "{}", bytes.len());
                let read = Topology::read(&mut Reader::new(&bytes));
                assert_eq!(read.expect("a hierarchy that can be"), *topology);
            };
            is_asked(&mut topology, &monitors);

            let mut terms = Terms::of_study(count, 2, Rule::Vote).with_trouble(Ratio::ONE);
            terms.trouble.as_mut().expect("nodes").group = group;
            let found = candidates_at_first(&terms, topology.sites.clone()).expect("candidates");
            let all = sets(usize::from(count), usize::from(group));
            let too_many = group > 2 && all > MOST_SETS;
            assert_eq!(found.too_many, too_many.then_some(all));
            if too_many {
                assert_eq!(found.watched, MOST_SETS);
                for record in 0..u64::from(monitors.terms.creation_time) {
                    show(&mut monitors, &topology, record, &|source| {
                        bit(record, source)
                    });
                }
                monitors.catch_up();
                assert!(monitors.is_stale());
                monitors.rebuild(&topology, 0, 0, &|_| true);
                is_asked(&mut topology, &monitors);
            } else {
                assert_eq!(found.watched, monitors.creations.len());
            }
            assert_eq!(monitors.left_out > 0, leaves_out, "{}", monitors.left_out);
            assert!(monitors.watched().count() > 100, "{found:?}");
        };
        check(32, 4, |site| 1 + site * site * 977, true);
        check(45, 4, |site| 1 + site * site * 31 % 1000, true);
        check(22, 4, |site| 1 + site * site * 977, true);
        check(32, 4, |_| 1, false);
        check(23, 3, |site| 1 + site * site * 977, false);
        check(1000, 2, |site| 1 + site * 65_537 % 999_983, true);
    }

    #[test]
    fn candidates_that_were_watched_are_not_left_out_for_others() {
        let topology = Topology::of_sites(sites(22, |site| 1 + site * site * 977));
        let mut monitors = Monitors::new(MonitorTerms::default(), RankBy::Agreement, 4);
        monitors.rebuild(&topology, 0, 0, &|sources| !sources.contains(&0));
        let sources = |monitors: &Monitors| -> BTreeSet<Vec<u16>> {
            let creations = monitors.creations.iter();
            creations.map(|creation| creation.sources.clone()).collect()
        };
        let before = sources(&monitors);
        assert!(monitors.left_out > 0);
        monitors.rebuild(&topology, 0, 0, &|_| true);
        let after = sources(&monitors);
        assert!(before.is_subset(&after) && after.len() > before.len());
        assert!(
            monitors
                .creations
                .is_sorted_by(|a, b| a.sources < b.sources)
        );
    }

    /// Of 161,700 sets of three of a hundred sites the one that is worth a node is the last.
    #[test]
    fn a_useful_group_of_late_sites_is_found_among_too_many() {
        let terms = MonitorTerms {
            window: 200,
            creation_time: 60,
            ..MonitorTerms::default()
        };
        let topology = Topology::of_sites(sites(100, |_| 1));
        let mut monitors = Monitors::new(terms, RankBy::Agreement, 3);
        let rebuild = |monitors: &mut Monitors| monitors.rebuild(&topology, 0, 0, &|_| true);
        rebuild(&mut monitors);
        assert_eq!(monitors.watched().count(), 0, "pairs are watched first");
        let (mut record, mut found_anew) = (0, Vec::new());
        let created = loop {
            let would = |source: u16| bit(record, source.min(97));
            show(&mut monitors, &topology, record, &would);
            monitors.catch_up();
            let create = monitors.decide(&topology).create;
            record += 1;
            // Nobody agrees more, so it is the first.
            if create.contains(&vec![97, 98, 99]) {
                break create;
            }
            if monitors.is_stale() {
                found_anew.push(record);
                rebuild(&mut monitors);
                assert_eq!(monitors.watched().count(), MOST_SETS);
                let sources = monitors.agreements().map(|(sources, _)| sources.to_vec());
                assert!(sources.collect::<Vec<_>>().contains(&vec![97, 98, 99]));
            }
            assert!(record < 200);
        };
        assert_eq!(created[0], [97, 98, 99]);
        assert_eq!(found_anew, [60]);
        assert!(record > 120, "{record}");
    }

    /// Sources 0 and 1 forward the same nine of ten records, and source 2 five of these: the first two
    /// agree more, and would do so by chance as well.
    #[test]
    fn excess_ranks_candidates_by_what_chance_does_not_explain() {
        let topology = Topology::of_sites(sites(3, |_| 1));
        for (rank_by, expected) in [(RankBy::Agreement, [0, 1]), (RankBy::Excess, [0, 2])] {
            let mut monitors = Monitors::new(MonitorTerms::default(), rank_by, 2);
            monitors.rebuild(&topology, 0, 0, &|_| true);
            for record in 0..2000 {
                let would = |source: u16| record % 10 < if source == 2 { 5 } else { 9 };
                show(&mut monitors, &topology, record, &would);
            }
            monitors.catch_up();
            let fires = monitors
                .creations
                .iter()
                .filter(|one| one.fires(&monitors.terms));
            assert_eq!(fires.count(), 3);
            assert_eq!(monitors.decide(&topology).create, [expected]);
        }
    }
}
