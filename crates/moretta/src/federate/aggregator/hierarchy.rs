//! How the hierarchy begins and changes, and how far parties may go under it.

use super::{AHEAD, Aggregator};
use crate::federate::consent::{counted, widest, width_of_all};
use crate::federate::forward::next_state;
use crate::federate::frame::{Body, Credit, Kind};
use crate::federate::links::Address;
use crate::federate::monitor::{Changes, Monitors};
use crate::federate::party::{Note, Outbox, PartyId, Time};
use crate::federate::ratio::Ratio;
use crate::federate::terms::Mode;
use crate::federate::topology::{FragmentKind, MOST_NODES, Node, SiteColumns, Topology};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Milliseconds after which a silent host is lost, and its nodes with it.
const LOST_AFTER: Time = 3000;
/// Parties are told at once of this part of the batches that they may be ahead.
const CREDIT_PART: u64 = 4;
/// Batches of answers that the consumer may be behind.
const MOST_ANSWERS: usize = 1024;

impl Aggregator {
    /// Announces the first topology once all sites have said hello.
    pub(super) fn begin(&mut self, now: Time, out: &mut Outbox) {
        if self.hellos.len() < self.terms.sites.len() {
            return;
        }
        let sites = self.hellos.iter().map(|(&id, hello)| SiteColumns {
            id,
            columns: hello.columns.clone(),
        });
        let mut topology = Topology::of_sites(sites.collect());
        let fixed = self
            .terms
            .trouble
            .as_ref()
            .is_some_and(|trouble| trouble.fixed);
        if fixed {
            let sources = self.terms.sites.clone();
            self.add_node(&mut topology, sources, &[]);
            self.decide_phases(&mut topology);
        }
        if self.terms.trouble.is_some() {
            self.introduce(now, out);
        }
        self.announce(topology, now, out);
        self.allow(now, out);
    }

    /// Shows every site what the others have signed of themselves: how many columns they have
    /// decides how much it forwards, and it need not believe the aggregator.
    fn introduce(&mut self, now: Time, out: &mut Outbox) {
        for (site, hello) in self.hellos.clone() {
            let others = self.hellos.keys().filter(|&&other| other != site);
            let others: Vec<u16> = others.copied().collect();
            self.pass_on(PartyId(site), 0, &hello, &others, now, out);
        }
    }

    /// Between batches: makes and removes nodes, and lets parties go on.
    pub(super) fn change_hierarchy(&mut self, now: Time, out: &mut Outbox) {
        let done = self.done();
        let lost = self.lost_hosts(now, out);
        let is_ahead = self
            .links
            .is_behind(PartyId::CONSUMER, Kind::Final, MOST_ANSWERS);
        if self.topologies.is_empty() || is_ahead || !self.owes_credit() {
            return;
        }
        let Some(newest) = self.topologies.back().map(Arc::clone) else {
            return;
        };
        let shut_out = newest
            .sites
            .iter()
            .any(|site| self.links.is_shut_out(PartyId(site.id)));
        let changes = self
            .monitors
            .as_ref()
            .map(|monitors| monitors.decide(&newest));
        let changes = changes.unwrap_or_default();
        let stale = self
            .monitors
            .as_ref()
            .is_some_and(|monitors| monitors.is_stale());
        let is_lost = |node: &Node| lost.contains(&node.host);
        let loses = newest.nodes.iter().any(is_lost);
        let rephases = self.changes_phases(&newest);
        if !changes.is_empty() || stale || shut_out || loses || rephases {
            let next = self.changed(&newest, changes, &lost, out);
            self.announce(next, now, out);
        }
        self.allow(now, out);
        let oldest = self.batches.keys().next().copied();
        let oldest = oldest.unwrap_or(done).min(done);
        let before = self.topologies.len();
        while self
            .topologies
            .get(1)
            .is_some_and(|second| second.first_batch <= oldest)
        {
            self.topologies.pop_front();
        }
        if self.topologies.len() < before {
            self.forget_gone();
        }
    }

    /// Forgets what is remembered of sources that are in no topology any more, and of old epochs.
    fn forget_gone(&mut self) {
        let topologies = self.topologies.iter();
        let known = topologies.flat_map(|topology| topology.sources());
        let known: BTreeSet<u16> = known.chain(self.nodes.ids()).collect();
        let is_there = |source: u16| known.contains(&source) || self.terms.sites.contains(&source);
        self.links.forget_streams(is_there);
        self.qualities.retain(|&source, _| is_there(source));
        self.agreements_told.retain(|&node, _| is_there(node));
        let oldest = self.topologies.front().map_or(0, |oldest| oldest.epoch);
        self.masks = self.masks.split_off(&(oldest, [0; 32]));
        // In lockstep all batches are waited for, and so are topologies of them.
        if self.terms.mode != Mode::Lockstep {
            self.links.drop_before(oldest);
        }
    }

    /// The topology after changes.
    fn changed(
        &mut self,
        newest: &Topology,
        changes: Changes,
        lost: &[PartyId],
        out: &mut Outbox,
    ) -> Topology {
        let mut next = newest.clone();
        next.epoch += 1;
        next.first_batch = self.below;
        for sources in changes.create {
            self.add_node(&mut next, sources, lost);
        }
        for node in &changes.remove {
            let Some(entry) = next.node(*node).cloned() else {
                continue;
            };
            if let Some(monitors) = &mut self.monitors
                && monitors.has_fired(*node)
            {
                monitors.blacklist(entry.sources);
            }
        }
        let dependents = changes
            .remove
            .iter()
            .flat_map(|&node| next.with_dependents(node));
        let mut gone: Vec<u16> = dependents.collect();
        for site in &newest.sites {
            if self.links.is_shut_out(PartyId(site.id)) {
                gone.extend(next.with_dependents(site.id));
            }
        }
        for node in newest.nodes.iter().filter(|node| lost.contains(&node.host)) {
            gone.extend(next.with_dependents(node.id));
        }
        next.sites.retain(|site| !gone.contains(&site.id));
        next.nodes.retain(|node| !gone.contains(&node.id));
        self.decide_phases(&mut next);
        for node in &newest.nodes {
            if next.node(node.id).is_none() {
                out.notes.push(Note::Removed(node.id, next.first_batch));
                self.qualities.remove(&node.id);
            }
        }
        for node in &next.nodes {
            if newest.node(node.id).is_none() {
                out.notes
                    .push(Note::Created(node.id, node.sources.clone(), node.first));
            }
        }
        next
    }

    /// In flow mode: hosts that have not answered for three seconds.
    fn lost_hosts(&self, now: Time, out: &mut Outbox) -> Vec<PartyId> {
        let mut lost = Vec::new();
        if self.terms.mode == Mode::Lockstep {
            return lost;
        }
        for host in self.terms.hosts.iter().map(|&host| PartyId(host)) {
            let Some(since) = self.links.unheard_since(host) else {
                continue;
            };
            let deadline = since + LOST_AFTER;
            match now < deadline {
                true => out.wake_at(deadline),
                false => lost.push(host),
            }
        }
        lost
    }

    fn add_node(&mut self, topology: &mut Topology, sources: Vec<u16>, lost: &[PartyId]) {
        let Some(trouble) = self.terms.trouble.clone() else {
            return;
        };
        // Numbers are used once; a stream that has used them all gets no more nodes.
        if topology.nodes.len() >= MOST_NODES || self.next_node >= 0xe000 {
            return;
        }
        let orders = sources.iter().map(|&source| topology.order_of(source));
        let order = orders.max().unwrap_or(0).saturating_add(1);
        let hosts = self.terms.hosts.iter().map(|&host| PartyId(host));
        let hosts: Vec<PartyId> = hosts.filter(|host| !lost.contains(host)).collect();
        let host = match hosts.len() {
            0 if self.terms.hosts.is_empty() => PartyId::AGGREGATOR,
            // Sites have not agreed that anybody else sees their records.
            0 => return,
            count => hosts[usize::from(self.next_node) % count],
        };
        let width = width_of_all(topology, &sources, &self.terms, &trouble);
        let node = Node {
            id: self.next_node,
            order,
            length: topology.length_of_all(&sources),
            factor: trouble.factor,
            second: trouble.second_factor,
            kind: trouble.fragments,
            two_phase: true,
            width,
            host,
            first: self.below,
            sources,
        };
        topology.nodes.push(node);
        self.next_node += 1;
    }

    /// Finds candidates anew, and tells a topology to all. Candidates stay where phases alone have
    /// changed, so that answers do not depend on these.
    fn announce(&mut self, mut topology: Topology, now: Time, out: &mut Outbox) {
        let last = self.topologies.back();
        let stays = last.is_some_and(|last| last.sources().eq(topology.sources()));
        let found_anew = |monitors: &mut Monitors| !stays || monitors.is_stale();
        if let Some(mut monitors) = self.monitors.take_if(found_anew) {
            let first = topology.first_batch * u64::from(self.terms.batch);
            let may_join = |sources: &[u16]| self.may_join(&topology, sources);
            monitors.rebuild(&topology, first, self.terms.label_delay, &may_join);
            topology.lengths = monitors.lengths();
            self.monitors = Some(monitors);
        }
        topology.signature = self.trust.sign_topology(self.place(), &topology);
        let body = Body::Topology(topology.clone());
        let (epoch, first) = (topology.epoch, topology.first_batch);
        let parties = self.parties();
        self.links.send_all(&parties, epoch, first, &body, now, out);
        self.nodes.course().announce(topology.clone());
        self.topologies.push_back(Arc::new(topology));
    }

    /// Whether sources may share a node: all consent, and masked sums have enough sites.
    fn may_join(&self, topology: &Topology, sources: &[u16]) -> bool {
        let Some(trouble) = &self.terms.trouble else {
            return false;
        };
        let sites = || {
            sources
                .iter()
                .filter(|&&source| topology.node(source).is_none())
        };
        let count = counted(trouble.fragments, sites().count(), sources.len());
        let consents = sites().all(|site| {
            self.hellos.get(site).is_some_and(|hello| {
                hello.allows >= trouble.fragments && count >= usize::from(hello.min_sources)
            })
        });
        let enough = trouble.fragments != FragmentKind::Masked
            || sites().count() == 0
            || sites().count() >= trouble.fewest_sites();
        // What a node has joined goes on in frames as it is.
        let widths = sources.iter().filter_map(|&source| topology.node(source));
        let fits = widths
            .map(|node| node.width)
            .all(|width| width <= widest(self.terms.batch));
        consents && enough && fits
    }

    pub(super) fn parties(&self) -> Vec<PartyId> {
        let sites = self.terms.sites.iter().map(|&site| PartyId(site));
        let hosts = self.terms.hosts.iter().map(|&host| PartyId(host));
        sites.chain(hosts).chain([PartyId::LABELS]).collect()
    }

    /// The first batch that is not allowed once all below this one are done.
    fn allowed_for(&self, done: u64) -> u64 {
        let trouble = self.terms.trouble.as_ref();
        let depends = self.monitors.is_some()
            || trouble
                .is_some_and(|trouble| trouble.second_factor.is_some() || trouble.score.is_some());
        match self.terms.mode {
            Mode::Lockstep if depends => done + 1,
            Mode::Lockstep => done + AHEAD,
            Mode::Flow { ahead, .. } => done + ahead.max(1),
        }
    }

    /// Whether parties should be told how far they may go. Where nothing depends on the last batch
    /// they are told of several at once, long before they have to wait.
    fn owes_credit(&self) -> bool {
        let (below, ahead) = (self.allowed_for(self.done()), self.allowed_for(0));
        let step = match self.terms.trouble.is_some() {
            true => 1,
            false => (ahead / CREDIT_PART).max(1),
        };
        below >= self.below + step
    }

    /// Lets parties go on.
    pub(super) fn allow(&mut self, now: Time, out: &mut Outbox) {
        let done = self.done();
        let Some(topology) = self.topologies.back().map(Arc::clone) else {
            return;
        };
        let below = self.allowed_for(done);
        if self
            .terms
            .trouble
            .as_ref()
            .is_some_and(|trouble| trouble.second_factor.is_some())
        {
            let state = Body::State(next_state(&topology, |node| self.agreement_of(node)));
            for batch in self.below..below {
                // The label holder forwards nothing and would refuse it.
                let forwarding = |party: &PartyId| *party != PartyId::LABELS;
                for party in self.parties().into_iter().filter(forwarding) {
                    self.links
                        .send(Address::new(party, topology.epoch, batch), &state, now, out);
                }
                if let Body::State(state) = &state {
                    self.nodes.course().set_state(batch, state.clone());
                }
            }
        }
        self.below = below;
        let credit = Credit {
            below,
            epoch: topology.epoch,
            closed: done,
        };
        let parties = self.parties();
        for &party in &parties {
            self.links.supersede(party, Kind::Credit);
        }
        let body = Body::Credit(credit);
        self.links
            .send_all(&parties, topology.epoch, done, &body, now, out);
        self.nodes.course().allow(credit);
    }

    /// The agreement that a node has told last.
    fn agreement_of(&self, node: u16) -> Ratio {
        self.agreements_told
            .get(&node)
            .copied()
            .unwrap_or(Ratio::new(0, 1))
    }
}
