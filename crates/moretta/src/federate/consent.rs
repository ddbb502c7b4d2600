//! What a site lets a topology ask of it.
//!
//! The aggregator makes topologies, and a site need not believe it. All that a topology may
//! choose is which sources join; what follows from that and from the terms is computed again
//! here, and one that says otherwise is refused as a whole.
//!
//! **Protects against** an aggregator that asks for values instead of sums, for more records than
//! the trouble factor gives, for a host that nobody agreed on, for several views of one record, or
//! for so many lengths that what-if bits tell the rank of a record. **Does not protect against**
//! one that makes nodes without need: terms say what a node is given, not when there is one. Of
//! more than 10,000 possible groups lengths are held against bounds and a number alone, and a site
//! that works with the aggregator can say that its columns are of any length.

use super::frame::MOST_BYTES;
use super::give::sites_of;
use super::monitor::{MOST_SETS, sets, subsets};
use super::party_id::PartyId;
use super::room::{most_values, values_of};
use super::terms::{Terms, TroubleTerms};
use super::topology::{Column, FragmentKind, MOST_LENGTHS, Node, SiteColumns, Topology};
use std::collections::BTreeMap;

/// Who is asked.
pub(super) struct Asking<'a> {
    pub(super) terms: &'a Terms,
    pub(super) site: u16,
    pub(super) columns: &'a [Column],
    /// Columns of other sites, as these have signed them.
    pub(super) others: &'a BTreeMap<u16, Vec<Column>>,
    /// The most telling kind of fragments that the site's own policy allows.
    pub(super) allows: FragmentKind,
    /// Sources that a node must have for it.
    pub(super) min_sources: u16,
}

impl Asking<'_> {
    /// Whether the site can do what a topology asks.
    pub(super) fn may(&self, topology: &Topology) -> bool {
        let is_listed = topology.sites.iter().any(|site| site.id == self.site);
        topology.sites.iter().all(|site| self.is_true(site))
            && can_be(topology, self.terms)
            && topology.destinations(self.site).count() <= 1
            && self.may_feed(topology)
            && (is_listed || topology.lengths_of(self.site).is_empty())
            && self.may_ask(topology)
    }

    /// Whether a site has the columns that a topology says it has. Lengths and widths follow from
    /// them; without trouble nodes nothing does.
    fn is_true(&self, site: &SiteColumns) -> bool {
        match site.id == self.site {
            true => site.columns == self.columns,
            false => {
                let signed = self.others.get(&site.id);
                self.terms.trouble.is_none() || signed == Some(&site.columns)
            }
        }
    }

    /// Whether it may feed the nodes that a topology asks it to, whatever columns others have.
    pub(super) fn may_feed(&self, topology: &Topology) -> bool {
        let mut nodes = topology.destinations(self.site);
        nodes.all(|node| self.may_join(topology, node))
    }

    fn may_join(&self, topology: &Topology, node: &Node) -> bool {
        let Some(trouble) = &self.terms.trouble else {
            return false;
        };
        let hosted = match self.terms.hosts.is_empty() {
            true => node.host == PartyId::AGGREGATOR,
            false => self.terms.hosts.contains(&node.host.0),
        };
        let sites = sites_of(topology, node).count();
        let expected = trouble.fixed || node.sources.len() == usize::from(trouble.group);
        hosted
            && expected
            && node.kind == trouble.fragments
            && node.kind <= self.allows
            && counted(node.kind, sites, node.sources.len()) >= usize::from(self.min_sources)
            && (node.kind != FragmentKind::Masked || sites >= trouble.fewest_sites())
            && trouble.allows_phases(node.two_phase)
            && node.factor == trouble.factor
            && node.second == trouble.second_factor
    }

    /// Whether every length that it is asked about is that of a group which could be.
    fn may_ask(&self, topology: &Topology) -> bool {
        let asked = topology.lengths_of(self.site);
        if asked.is_empty() {
            return true;
        }
        let Some(trouble) = &self.terms.trouble else {
            return false;
        };
        let others: Vec<u16> = topology
            .free_sources()
            .filter(|&s| s != self.site)
            .collect();
        let size = usize::from(trouble.group).saturating_sub(1);
        let length_with = |others: &[u16]| topology.length_of_all(&[&[self.site], others].concat());
        if asked.len() > MOST_LENGTHS || !asked.is_sorted_by(|a, b| a < b) {
            return false;
        }
        if sets(others.len(), size) > MOST_SETS {
            let all = length_with(&others);
            let least = length_with(&[]);
            let possible = |length: &u64| (least..=all).contains(length);
            return asked.iter().all(possible);
        }
        let mut possible: Vec<u64> = match size {
            1 => others.iter().map(|&other| length_with(&[other])).collect(),
            _ => subsets(&others, size)
                .iter()
                .map(|o| length_with(o))
                .collect(),
        };
        possible.sort_unstable();
        asked
            .iter()
            .all(|length| possible.binary_search(length).is_ok())
    }
}

/// Whether all nodes of a hierarchy follow from the terms and the columns of sites, whoever feeds
/// them. A site that was called a node would have any columns and any width.
pub(super) fn can_be(topology: &Topology, terms: &Terms) -> bool {
    let Some(trouble) = &terms.trouble else {
        return topology.nodes.is_empty();
    };
    let most = most_values(terms);
    let has_room = |site: &SiteColumns| most.is_none_or(|most| values_of(&site.columns) <= most);
    let last_site = terms.sites.iter().max();
    let follows = |node: &Node| {
        last_site.is_none_or(|&last| last < node.id)
            && node.first <= topology.first_batch
            && node.length == topology.length_of_all(&node.sources)
            && node.width == width_of_all(topology, &node.sources, terms, trouble)
    };
    // Before the first epoch there is no topology that mask keys could follow from.
    (topology.epoch > 0 || topology.first_batch == 0)
        && topology.sites.iter().all(has_room)
        && topology.nodes.iter().all(follows)
}

/// Sources that count for a site that asks for a number of them: what nodes give hides nothing in
/// a masked sum.
pub(super) fn counted(kind: FragmentKind, sites: usize, sources: usize) -> usize {
    match kind {
        FragmentKind::Masked => sites,
        _ => sources,
    }
}

/// Values of a record that a node learns: its columns, or as many coordinates as a projection
/// has, and the records of nodes as they are.
pub(super) fn width_of_all(
    topology: &Topology,
    sources: &[u16],
    terms: &Terms,
    trouble: &TroubleTerms,
) -> u16 {
    if trouble.fragments == FragmentKind::Raw {
        return topology.columns_of_all(sources).len() as u16;
    }
    let (nodes, sites): (Vec<u16>, Vec<u16>) = sources
        .iter()
        .partition(|&&source| topology.node(source).is_some());
    let nodes = nodes.iter().filter_map(|&node| topology.node(node));
    let nodes = nodes.fold(0, |sum: u16, node| sum.saturating_add(node.width));
    let columns = topology.columns_of_all(&sites).len() as u16;
    let projected = trouble
        .projected_width
        .map_or(columns, |width| width.min(columns));
    nodes.saturating_add(projected.min(widest(terms.batch)))
}

/// Values of a record that a frame has room for, if all records of a batch are in it.
pub(crate) fn widest(batch: u32) -> u16 {
    let room = (MOST_BYTES - ROOM) / 8 / (batch.max(1) as usize);
    u16::try_from(room).unwrap_or(u16::MAX)
}

/// Bytes of a frame for what is not a value: header, places of records, lengths.
const ROOM: usize = 16 << 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::federate::Ratio;
    use crate::federate::terms::{Phases, Rule};

    fn columns(site: u16) -> Vec<Column> {
        let column = |id| Column {
            id,
            size: 1,
            values: 0,
        };
        let first = 2 * u64::from(site);
        vec![column(first), column(first + 1)]
    }

    /// Five sites of two columns; groups of three share masked sums.
    fn terms() -> Terms {
        let mut terms = Terms::of_study(5, 2, Rule::Vote).with_trouble(Ratio::new(2, 1));
        if let Some(trouble) = &mut terms.trouble {
            trouble.group = 3;
            trouble.fragments = FragmentKind::Masked;
            trouble.projected_width = Some(4);
        }
        terms
    }

    /// One node over the first three sites; the other two are free, and the node with them.
    fn topology() -> Topology {
        let sites = (0..5).map(|id| SiteColumns {
            id,
            columns: columns(id),
        });
        let mut topology = Topology::of_sites(sites.collect());
        (topology.epoch, topology.first_batch) = (1, 3);
        topology.nodes.push(Node {
            id: 1024,
            order: 1,
            sources: vec![0, 1, 2],
            length: 6,
            factor: Ratio::new(2, 1),
            second: None,
            kind: FragmentKind::Masked,
            two_phase: true,
            width: 4,
            host: PartyId::AGGREGATOR,
            first: 3,
        });
        topology.lengths = vec![(3, vec![10])];
        topology
    }

    fn may(site: u16, change: impl FnOnce(&mut Topology)) -> bool {
        may_under(&terms(), site, change)
    }

    fn may_under(terms: &Terms, site: u16, change: impl FnOnce(&mut Topology)) -> bool {
        let mut asked = topology();
        change(&mut asked);
        let others = (0..5).map(|id| (id, columns(id))).collect();
        let asking = Asking {
            terms,
            site,
            columns: &columns(site),
            others: &others,
            allows: FragmentKind::Projected,
            min_sources: 3,
        };
        asking.may(&asked)
    }

    fn may_with_node(change: impl FnOnce(&mut Node)) -> bool {
        may(0, |topology| change(&mut topology.nodes[0]))
    }

    #[test]
    fn what_follows_from_the_terms_is_given() {
        (0..5).for_each(|site| assert!(may(site, |_| {}), "{site}"));
    }

    #[test]
    fn a_node_that_asks_for_more_than_the_terms_is_refused() {
        assert!(!may_with_node(|node| node.kind = FragmentKind::Raw));
        assert!(!may_with_node(|node| node.kind = FragmentKind::None));
        assert!(!may_with_node(|node| node.factor = Ratio::new(200, 1)));
        assert!(!may_with_node(|node| node.second = Some(Ratio::ONE)));
        assert!(!may_with_node(|node| node.length = 1));
        assert!(!may_with_node(|node| node.width = 6));
        assert!(!may_with_node(|node| node.two_phase = false));
        assert!(!may_with_node(|node| node.host = PartyId::host(0)));
        assert!(!may(0, |topology| topology.sites[0].columns.truncate(1)));
        assert!(!may_with_node(|node| node.first = 4));
        assert!(!may_with_node(|node| {
            (node.sources, node.length) = (vec![0, 1, 2, 3], 8);
        }));
    }

    #[test]
    fn phases_are_those_of_the_terms_and_masked_sums_always_have_two() {
        let may = |kind: FragmentKind, phases: Phases, two_phase: bool| {
            let mut terms = terms();
            let trouble = terms.trouble.as_mut().expect("nodes");
            (trouble.fragments, trouble.phases) = (kind, phases);
            may_under(&terms, 0, |topology| {
                (topology.nodes[0].kind, topology.nodes[0].two_phase) = (kind, two_phase);
            })
        };
        for phases in [Phases::One, Phases::Two, Phases::Auto] {
            assert!(may(FragmentKind::Masked, phases, true));
            assert!(!may(FragmentKind::Masked, phases, false));
            let projected = [false, true].map(|two| may(FragmentKind::Projected, phases, two));
            assert_eq!(projected, [phases != Phases::Two, phases != Phases::One]);
        }
    }

    #[test]
    fn nodes_do_not_count_among_the_sources_of_a_masked_sum() {
        let padded = |topology: &mut Topology| {
            let mut node = topology.nodes[0].clone();
            (node.id, node.order) = (1025, 2);
            node.sources = vec![3, 4, 1024];
            (node.length, node.width) = (10, 8);
            topology.nodes.push(node);
            topology.lengths.clear();
        };
        assert!(!may(3, padded));
    }

    /// Its own columns would count for nothing, and its projection would be as wide as is said.
    #[test]
    fn a_site_that_is_called_a_node_refuses() {
        let called = |group: u8, width: u16| {
            let mut terms = terms();
            let trouble = terms.trouble.as_mut().expect("nodes");
            (trouble.fragments, trouble.group) = (FragmentKind::Projected, group);
            may_under(&terms, 4, |topology| {
                let mut fake = topology.nodes[0].clone();
                fake.two_phase = false;
                (fake.kind, fake.id, fake.sources) = (FragmentKind::Projected, 4, vec![0, 1]);
                (fake.length, fake.width) = (4, width);
                let mut node = fake.clone();
                (node.id, node.order, node.sources) = (5, 2, vec![2, 3, 4]);
                (node.length, node.width) = (8, 4 + width);
                topology.sites.pop();
                topology.nodes = vec![fake, node];
                topology.lengths.clear();
            })
        };
        assert!(!called(3, 4) && !called(3, 1000));
    }

    #[test]
    fn a_site_that_is_left_out_is_asked_nothing() {
        let left_out = |lengths: Vec<(u16, Vec<u64>)>| {
            may(4, |topology| {
                topology.sites.pop();
                topology.nodes.clear();
                topology.lengths = lengths;
            })
        };
        assert!(left_out(Vec::new()) && !left_out(vec![(4, vec![4])]));
    }

    /// Also where others feed it: who stands on it would be as long and as wide as is said.
    #[test]
    fn all_nodes_are_as_long_and_as_wide_as_their_columns() {
        let may = |change: fn(&mut Node)| {
            may(3, |topology| {
                change(&mut topology.nodes[0]);
                topology.lengths.clear();
            })
        };
        assert!(may(|_| {}));
        assert!(!may(|node| node.width = u16::MAX) && !may(|node| node.length = 1));
        assert!(!may(|node| node.id = 4) && !may(|node| node.first = 4));
    }

    #[test]
    fn the_first_hierarchy_begins_with_the_first_batch() {
        let first = |batch| {
            may(0, |topology| {
                (topology.epoch, topology.first_batch) = (0, batch);
                topology.nodes[0].first = 0;
            })
        };
        assert!(first(0) && !first(3));
    }

    #[test]
    fn a_masked_sum_has_two_sites_more_than_may_collude() {
        let may = |colluders| {
            let mut terms = terms();
            terms.trouble.as_mut().expect("nodes").colluders = colluders;
            may_under(&terms, 0, |_| {})
        };
        assert!(may(1) && !may(2));
    }

    #[test]
    fn one_record_is_shown_to_one_node() {
        let twice = |topology: &mut Topology| {
            let mut node = topology.nodes[0].clone();
            (node.id, node.sources) = (1025, vec![0, 3, 4]);
            topology.nodes.push(node);
            topology.lengths.clear();
        };
        assert!(!may(0, twice));
        assert!(may(3, twice));
    }

    #[test]
    fn columns_of_other_sites_are_those_that_they_have_signed() {
        for site in [0, 3] {
            assert!(!may(site, |topology| topology.sites[1].columns.truncate(1)));
            assert!(!may(site, |topology| topology.sites[1].columns[0].size = 9));
            let made_up = SiteColumns {
                id: 7,
                columns: columns(7),
            };
            assert!(!may(site, |topology| topology.sites.push(made_up)));
        }
    }

    #[test]
    fn a_whole_batch_of_records_fits_into_a_frame() {
        for batch in [1, 64, 256, 4096] {
            let bytes = usize::from(widest(batch)) * batch as usize * 8;
            assert!(bytes + ROOM <= MOST_BYTES && widest(batch) > 0, "{batch}");
        }
    }

    /// With lengths of its choice an aggregator would read the rank of each record from bits.
    #[test]
    fn lengths_are_those_of_groups_that_could_be() {
        let asked = |lengths: Vec<u64>| may(3, |topology| topology.lengths = vec![(3, lengths)]);
        assert!(asked(vec![10]) && asked(vec![]));
        assert!(!asked(vec![9, 10]) && !asked(vec![2]) && !asked((1..=100).collect()));
        assert!(!asked(vec![10, 10]));
        // Site 0 feeds a node already and is in no group that could be with others free.
        let begun = |lengths: Vec<u64>| {
            may(4, |topology| {
                topology.nodes.clear();
                topology.lengths = vec![(4, lengths)];
            })
        };
        assert!(begun(vec![6]) && !begun(vec![4]) && !begun(vec![6, 8]));
    }
}
