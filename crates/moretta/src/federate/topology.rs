//! Which trouble nodes there are from a batch on, over which sources.
//!
//! Sites are numbered from 0, trouble nodes go on in the order in which they were made, and no
//! number is used twice. A node's columns are those of its sources, each counted once.

use super::party_id::PartyId;
use super::ratio::Ratio;
use super::state::{Reader, Writer, odd};
use crate::error::Result;
use crate::learn::Input;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Trouble nodes at most.
pub const MOST_NODES: usize = 64;
/// Columns of all sites together, at most.
pub const MOST_COLUMNS: usize = 4096;
/// Lengths that one source is asked about, at most: more of them would tell the ranks of records, and
/// would not fit into frames.
pub(super) const MOST_LENGTHS: usize = 256;
/// The same of all sources together: a topology is one frame.
pub(super) const MOST_LENGTHS_TOGETHER: usize = 1 << 16;
/// Marks the numbers of columns that sites have in common.
pub(crate) const COMMON: u64 = 1 << 63;

/// A column of a site, without its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Column {
    /// Its number, the same at all sites that share it and at no other.
    pub id: u64,
    /// What it counts in lengths: 1, or its size in bytes.
    pub size: u32,
    /// How many values it has, or 0 for a number.
    pub values: u32,
}

/// In the number of a column that several sites have: the bits that follow from what its values mean.
/// Those above follow from its name.
const KIND_BITS: u32 = 23;

/// The number of a column that several sites have, from sums of its name and of what it is.
pub fn common_number(name: u64, kind: u64) -> u64 {
    COMMON | name << KIND_BITS | (kind & ((1 << KIND_BITS) - 1))
}

impl Column {
    /// What the numbers of all columns of one name have in common.
    pub(super) fn name(self) -> u64 {
        match self.id & COMMON {
            0 => self.id,
            _ => self.id >> KIND_BITS << KIND_BITS,
        }
    }

    /// What it is to a learner.
    pub fn input(self) -> Input {
        match self.values {
            0 => Input::Number,
            values => Input::Nominal {
                values: values as usize,
            },
        }
    }

    /// Whether a value can be one of it: any number, or the code of a category; or it is missing.
    pub(super) fn can_hold(self, value: f64) -> bool {
        match self.values {
            0 => !value.is_infinite(),
            values => {
                let is_code = (0.0..f64::from(values)).contains(&value) && value.fract() == 0.0;
                value.is_nan() || is_code
            }
        }
    }

    pub(super) fn write(self, out: &mut Writer) {
        out.u64(self.id);
        out.u32(self.size);
        out.u32(self.values);
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self> {
        Ok(Column {
            id: from.u64()?,
            size: from.u32()?,
            values: from.u32()?,
        })
    }
}

/// How records reach a trouble node, the least telling first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum FragmentKind {
    /// Not at all.
    None = 0,
    /// As shares of a sum of projections.
    Masked,
    /// As projections of each site.
    Projected,
    /// As they are.
    Raw,
}

impl FragmentKind {
    const ALL: [FragmentKind; 4] = [
        FragmentKind::None,
        FragmentKind::Masked,
        FragmentKind::Projected,
        FragmentKind::Raw,
    ];

    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self> {
        let byte = from.byte()?;
        let found = FragmentKind::ALL
            .into_iter()
            .find(|kind| *kind as u8 == byte);
        found.ok_or_else(|| odd("a kind of fragments that there is not"))
    }
}

/// A trouble node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its number.
    pub id: u16,
    /// 1 over sites, else one more than the highest of its sources.
    pub order: u8,
    /// Its sources, rising.
    pub sources: Vec<u16>,
    /// The sum of the sizes of its columns, L.
    pub length: u64,
    /// TF, or that of the first phase.
    pub factor: Ratio,
    /// That of the second phase, where there are two.
    pub second: Option<Ratio>,
    /// How records reach it.
    pub kind: FragmentKind,
    /// Whether sources send keys first and values of agreed records only.
    pub two_phase: bool,
    /// Values of a record that it learns.
    pub width: u16,
    /// Who runs it.
    pub host: PartyId,
    /// Its first batch.
    pub first: u64,
}

impl Node {
    /// Whether another entry is of the same node: phases alone may change from epoch to epoch.
    pub(super) fn is_but_for_phases(&self, other: &Node) -> bool {
        let two_phase = other.two_phase;
        Node {
            two_phase,
            ..self.clone()
        } == *other
    }
}

/// A site as all know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteColumns {
    /// Its number.
    pub id: u16,
    /// Its columns, none twice.
    pub columns: Vec<Column>,
}

/// The hierarchy from a batch on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Rises by one with each change.
    pub epoch: u32,
    /// The first batch under it.
    pub first_batch: u64,
    /// The sites, rising.
    pub sites: Vec<SiteColumns>,
    /// The nodes, rising, which is from low to high order along each chain.
    pub nodes: Vec<Node>,
    /// Of each source that may get a new destination, the lengths that it is asked about.
    pub lengths: Vec<(u16, Vec<u64>)>,
    /// The aggregator's signature; zeros inside of one process.
    pub signature: [u8; 64],
}

impl Topology {
    /// Sites and no nodes.
    pub fn of_sites(sites: Vec<SiteColumns>) -> Self {
        Topology {
            epoch: 0,
            first_batch: 0,
            sites,
            nodes: Vec::new(),
            lengths: Vec::new(),
            signature: [0; 64],
        }
    }

    /// A node by its number.
    pub fn node(&self, id: u16) -> Option<&Node> {
        let place = self.nodes.binary_search_by_key(&id, |node| node.id).ok()?;
        Some(&self.nodes[place])
    }

    /// The nodes that have this source.
    pub fn destinations(&self, source: u16) -> impl Iterator<Item = &Node> {
        let has = move |node: &&Node| node.sources.contains(&source);
        self.nodes.iter().filter(has)
    }

    /// The lengths that a source is asked about.
    pub fn lengths_of(&self, source: u16) -> &[u64] {
        let found = self.lengths.binary_search_by_key(&source, |(id, _)| *id);
        found.map_or(&[], |place| &self.lengths[place].1)
    }

    /// Sites and nodes, rising.
    pub fn sources(&self) -> impl Iterator<Item = u16> {
        let sites = self.sites.iter().map(|site| site.id);
        sites.chain(self.nodes.iter().map(|node| node.id))
    }

    /// Those that are nobody's source.
    pub fn free_sources(&self) -> impl Iterator<Item = u16> {
        let taken = self.nodes.iter().flat_map(|node| &node.sources);
        let mut taken: Vec<u16> = taken.copied().collect();
        taken.sort_unstable();
        self.sources()
            .filter(move |id| taken.binary_search(id).is_err())
    }

    /// 0 of a site.
    pub fn order_of(&self, source: u16) -> u8 {
        self.node(source).map_or(0, |node| node.order)
    }

    /// The columns of a source, each once: of a site in its own order, of a node rising.
    pub fn columns_of(&self, source: u16) -> Vec<Column> {
        match self.sites.binary_search_by_key(&source, |site| site.id) {
            Ok(place) => self.sites[place].columns.clone(),
            Err(_) => self.columns_of_all(&[source]),
        }
    }

    /// The columns of several sources, rising, each once.
    pub fn columns_of_all(&self, sources: &[u16]) -> Vec<Column> {
        let mut columns = Vec::new();
        self.gather(sources, &mut columns);
        columns.sort_unstable();
        columns.dedup_by_key(|column| column.id);
        columns
    }

    fn gather(&self, sources: &[u16], columns: &mut Vec<Column>) {
        for source in sources {
            let site = self.sites.binary_search_by_key(source, |site| site.id);
            match (site, self.node(*source)) {
                (Ok(place), _) => columns.extend_from_slice(&self.sites[place].columns),
                (Err(_), Some(node)) => self.gather(&node.sources, columns),
                (Err(_), None) => {}
            }
        }
    }

    /// L of several sources together.
    pub fn length_of_all(&self, sources: &[u16]) -> u64 {
        let columns = self.columns_of_all(sources);
        columns.iter().map(|column| u64::from(column.size)).sum()
    }

    /// A node with all that stands on it, low orders first.
    pub fn with_dependents(&self, node: u16) -> Vec<u16> {
        let mut gone = vec![node];
        for other in &self.nodes {
            if other.sources.iter().any(|source| gone.contains(source)) {
                gone.push(other.id);
            }
        }
        gone
    }

    /// The sum of all that is signed.
    pub(super) fn sum(&self) -> [u8; 32] {
        let mut out = Writer::default();
        self.signed(&mut out);
        Sha256::digest(out.into_bytes()).into()
    }

    /// What is signed.
    pub(super) fn signed(&self, out: &mut Writer) {
        out.u32(self.epoch);
        out.u64(self.first_batch);
        out.u16(self.sites.len() as u16);
        for site in &self.sites {
            out.u16(site.id);
            out.u16(site.columns.len() as u16);
            site.columns.iter().for_each(|column| column.write(out));
        }
        out.u16(self.nodes.len() as u16);
        for node in &self.nodes {
            out.u16(node.id);
            out.byte(node.order);
            out.u16(node.sources.len() as u16);
            node.sources.iter().for_each(|&source| out.u16(source));
            out.u64(node.length);
            for share in [Some(node.factor), node.second] {
                let share = share.unwrap_or(Ratio::new(0, 0));
                out.u32(share.part);
                out.u32(share.over);
            }
            out.byte(node.kind as u8);
            out.bool(node.two_phase);
            out.u16(node.width);
            out.u16(node.host.0);
            out.u64(node.first);
        }
        out.u16(self.lengths.len() as u16);
        for (source, lengths) in &self.lengths {
            out.u16(*source);
            out.u16(lengths.len() as u16);
            lengths.iter().for_each(|&length| out.u64(length));
        }
    }

    pub(super) fn write(&self, out: &mut Writer) {
        self.signed(out);
        out.raw(&self.signature);
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self> {
        let (epoch, first_batch) = (from.u32()?, from.u64()?);
        let sites = from.u16()?;
        let sites = from.many(usize::from(sites), |from| {
            let (id, columns) = (from.u16()?, from.u16()?);
            let columns = from.many(usize::from(columns), Column::read)?;
            Ok(SiteColumns { id, columns })
        })?;
        let nodes = from.u16()?;
        let nodes = from.many(usize::from(nodes), read_node)?;
        let lengths = from.u16()?;
        let lengths = from.many(usize::from(lengths), |from| {
            let (source, count) = (from.u16()?, from.u16()?);
            Ok((source, from.many(usize::from(count), Reader::u64)?))
        })?;
        let topology = Topology {
            epoch,
            first_batch,
            sites,
            nodes,
            lengths,
            signature: from.array()?,
        };
        match topology.is_sound() {
            true => Ok(topology),
            false => Err(odd("a hierarchy that there cannot be")),
        }
    }

    /// Whether numbers rise, sources come before their nodes, each feeds one at most, and nothing is
    /// beyond its limit. Who feeds several would be counted once for each way up.
    fn is_sound(&self) -> bool {
        let rises = |ids: &[u16]| ids.is_sorted_by(|a, b| a < b);
        let ids: Vec<u16> = self.sources().collect();
        if !rises(&ids) {
            return false;
        }
        let columns: usize = self.sites.iter().map(|site| site.columns.len()).sum();
        let sites = self.sites.iter().all(|site| PartyId(site.id).is_site());
        let lists = self.sites.iter().map(|site| &*site.columns);
        let nodes = self.nodes.iter().all(|node| {
            let known = |source: &u16| *source < node.id && ids.binary_search(source).is_ok();
            let orders = node.sources.iter().map(|&source| self.order_of(source));
            node.sources.len() > 1
                && rises(&node.sources)
                && node.sources.iter().all(known)
                && node.order > orders.max().unwrap_or(0)
                && node.factor.over > 0
                && node.second.is_none_or(|second| second.over > 0)
        });
        let mut fed: Vec<u16> = self
            .nodes
            .iter()
            .flat_map(|n| &n.sources)
            .copied()
            .collect();
        fed.sort_unstable();
        let limits = rises(&fed) && self.nodes.len() <= MOST_NODES && columns <= MOST_COLUMNS;
        let asked = || self.lengths.iter().map(|(_, asked)| asked.len());
        let lengths = self.lengths.is_sorted_by(|a, b| a.0 < b.0)
            && asked().all(|count| count <= MOST_LENGTHS)
            && asked().sum::<usize>() <= MOST_LENGTHS_TOGETHER;
        sites && nodes && limits && lengths && are_alike(lists)
    }
}

/// Whether no site has a column twice, and columns that several have are the same at all of them.
pub(super) fn are_alike<'a>(sites: impl Iterator<Item = &'a [Column]>) -> bool {
    let mut known: BTreeMap<u64, (usize, Column)> = BTreeMap::new();
    for (site, columns) in sites.enumerate() {
        for &column in columns {
            match known.insert(column.id, (site, column)) {
                Some((before, other)) if before == site || other != column => return false,
                _ => {}
            }
        }
    }
    true
}

fn read_node(from: &mut Reader<'_>) -> Result<Node> {
    let (id, order) = (from.u16()?, from.byte()?);
    let sources = from.u16()?;
    let sources = from.many(usize::from(sources), Reader::u16)?;
    let length = from.u64()?;
    let share = |from: &mut Reader<'_>| Ok(Ratio::new(from.u32()?, from.u32()?));
    let (factor, second) = (share(from)?, share(from)?);
    Ok(Node {
        id,
        order,
        sources,
        length,
        factor,
        second: (second != Ratio::new(0, 0)).then_some(second),
        kind: FragmentKind::read(from)?,
        two_phase: from.bool()?,
        width: from.u16()?,
        host: PartyId(from.u16()?),
        first: from.u64()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(id: u64) -> Column {
        Column {
            id,
            size: 1,
            values: 0,
        }
    }

    fn node(id: u16, order: u8, sources: &[u16]) -> Node {
        Node {
            id,
            order,
            sources: sources.to_vec(),
            length: 2,
            factor: Ratio::ONE,
            second: None,
            kind: FragmentKind::Raw,
            two_phase: false,
            width: 2,
            host: PartyId::AGGREGATOR,
            first: 0,
        }
    }

    fn sites(columns: &[&[u64]]) -> Topology {
        let sites = (0..).zip(columns).map(|(id, ids)| SiteColumns {
            id,
            columns: ids.iter().map(|&id| column(id)).collect(),
        });
        Topology::of_sites(sites.collect())
    }

    #[test]
    fn columns_that_sites_share_count_once() {
        let mut topology = sites(&[&[0, 1], &[1, 2], &[3]]);
        topology.nodes = vec![node(3, 1, &[0, 1]), node(4, 2, &[2, 3])];
        assert_eq!(topology.length_of_all(&[0, 1]), 3);
        assert_eq!(topology.length_of_all(&[4]), 4);
        assert_eq!(topology.free_sources().collect::<Vec<_>>(), [4]);
        assert_eq!(topology.with_dependents(3), [3, 4]);
        assert_eq!(topology.order_of(4), 2);
        assert_eq!(topology.destinations(1).count(), 1);
    }

    #[test]
    fn columns_that_sites_share_must_be_the_same_at_all_of_them() {
        let check = |sites: &[&[(u64, u32, u32)]], alike: bool| {
            let sites: Vec<Vec<Column>> = sites
                .iter()
                .map(|columns| {
                    let column = |&(id, size, values)| Column { id, size, values };
                    columns.iter().map(column).collect()
                })
                .collect();
            assert_eq!(are_alike(sites.iter().map(|s| &**s)), alike, "{sites:?}");
        };
        check(&[&[(1, 1, 0), (2, 1, 0)], &[(3, 1, 0)]], true);
        check(&[&[(9, 2, 0), (2, 1, 0)], &[(3, 1, 0), (9, 2, 0)]], true);
        check(&[&[(9, 2, 0)], &[(9, 4, 0)]], false);
        check(&[&[(9, 2, 0)], &[], &[(9, 2, 3)]], false);
        check(&[&[(9, 2, 0), (2, 1, 0), (9, 2, 0)]], false);
    }

    #[test]
    fn hierarchies_that_cannot_be_are_refused() {
        let check = |nodes: Vec<Node>, sound: bool| {
            let mut topology = sites(&[&[0], &[1], &[2]]);
            topology.nodes = nodes;
            topology.lengths = vec![(2, vec![2, 3])];
            let mut out = Writer::default();
            topology.write(&mut out);
            let bytes = out.into_bytes();
            match Topology::read(&mut Reader::new(&bytes)) {
                Ok(read) => assert!(sound && read == topology),
                Err(_) => assert!(!sound, "{topology:?}"),
            }
        };
        check(vec![node(3, 1, &[0, 1])], true);
        check(vec![node(3, 1, &[0, 1]), node(5, 2, &[2, 3])], true);
        check(vec![node(3, 1, &[0, 1]), node(4, 1, &[1, 2])], false);
        check(vec![node(3, 0, &[0, 1])], false);
        check(vec![node(3, 1, &[0, 3])], false);
        check(vec![node(3, 1, &[1, 0])], false);
        check(vec![node(3, 1, &[0])], false);
        check(vec![node(3, 1, &[0, 1]), node(4, 1, &[2, 3])], false);
        check(vec![node(2, 1, &[0, 1])], false);
        check(vec![node(3, 1, &[0, 9])], false);
    }
}
