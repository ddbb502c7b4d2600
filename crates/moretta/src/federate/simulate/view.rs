//! What a trouble node sees, put together from recorded frames, and what its sources know of it.

use super::SiteSource;
use crate::data::Records;
use crate::error::{Error, Result};
use crate::federate::audit::Recorded;
use crate::federate::frame::{Agreed, Bits, Body, decode};
use crate::federate::give::{Asked, Giver, sites_of};
use crate::federate::mask::{MaskedSum, Member};
use crate::federate::nodes::width_of;
use crate::federate::terms::Terms;
use crate::federate::topology::{FragmentKind, Node, Topology};
use std::collections::BTreeMap;

/// The sums that a trouble node has seen.
#[derive(Clone, Debug)]
pub struct NodeView {
    /// The node.
    pub node: Node,
    topology: Topology,
    /// Numbers of records in the stream, from 0, rising.
    pub records: Vec<u64>,
    /// The sum over its sites for each of them.
    pub sums: Records,
}

/// Frames of one batch for one node.
#[derive(Default)]
struct Batch {
    agreed: Option<Agreed>,
    masked: BTreeMap<u16, Vec<u64>>,
    values: BTreeMap<u16, (Option<Bits>, Vec<f64>)>,
}

/// What each trouble node that sites give projections to has seen, the longest view first.
pub fn views(terms: &Terms, frames: &[Recorded]) -> Result<Vec<NodeView>> {
    let (mut topologies, mut batches) = (BTreeMap::new(), BTreeMap::<_, Batch>::new());
    for frame in frames {
        let Ok((header, body)) = decode(&frame.bytes) else {
            return Err(Error::bug("a recorded frame that is none"));
        };
        let of = (header.node, header.batch, header.epoch);
        match body {
            Body::Topology(topology) => {
                topologies.insert(topology.epoch, topology);
            }
            Body::Agreed(agreed) => batches.entry(of).or_default().agreed = Some(agreed),
            Body::Masked(masked) => {
                batches
                    .entry(of)
                    .or_default()
                    .masked
                    .insert(masked.source, masked.words);
            }
            Body::Fragment(fragment) => {
                let values = (fragment.forwarded, fragment.values);
                batches
                    .entry(of)
                    .or_default()
                    .values
                    .insert(fragment.source, values);
            }
            _ => {}
        }
    }
    let mut views: BTreeMap<u16, NodeView> = BTreeMap::new();
    for ((id, number, epoch), batch) in batches {
        let Some(topology) = topologies.get(&epoch) else {
            continue;
        };
        let Some(node) = topology.node(id) else {
            continue;
        };
        let Some(first) = sites_of(topology, node).next() else {
            continue;
        };
        let width = width_of(topology, node, first);
        let view = views.entry(id).or_insert_with(|| NodeView {
            node: node.clone(),
            topology: topology.clone(),
            records: Vec::new(),
            sums: Records::new(width),
        });
        let (places, sums) = batch.sums(topology, node, width)?;
        let first = number * u64::from(terms.batch);
        view.records
            .extend(places.iter().map(|&at| first + at as u64));
        sums.chunks_exact(width.max(1))
            .for_each(|row| view.sums.push(row));
    }
    let mut views: Vec<NodeView> = views.into_values().collect();
    views.sort_by_key(|view| std::cmp::Reverse(view.records.len()));
    Ok(views)
}

impl Batch {
    /// The places of records that all sources forward, and the sums over sites.
    fn sums(
        &self,
        topology: &Topology,
        node: &Node,
        width: usize,
    ) -> Result<(Vec<usize>, Vec<f64>)> {
        let nothing = (Vec::new(), Vec::new());
        if node.kind == FragmentKind::Masked {
            let Some(agreed) = &self.agreed else {
                return Ok(nothing);
            };
            let member = |&id: &u16| Member {
                id,
                public: [0; 32],
            };
            let sites: Vec<u16> = sites_of(topology, node).collect();
            if sites.iter().any(|site| !self.masked.contains_key(site)) {
                return Ok(nothing);
            }
            let members: Vec<Member> = sites.iter().map(member).collect();
            let places: Vec<usize> = agreed.records.places().collect();
            let mut sum = MaskedSum::new(&members, places.len() * width)?;
            for (&site, words) in &self.masked {
                sum.add(site, words)?;
            }
            return Ok((places, sum.finish()?));
        }
        let keys = |source: &u16| -> Option<&Bits> {
            let own = self.values.get(source)?.0.as_ref();
            own.or(self.agreed.as_ref().map(|agreed| &agreed.records))
        };
        let all: Option<Vec<&Bits>> = node.sources.iter().map(keys).collect();
        let Some(all) = all else {
            return Ok(nothing);
        };
        let count = all.first().map_or(0, |bits| bits.len());
        let agreed = |at: &usize| all.iter().all(|bits| bits.get(*at));
        let places: Vec<usize> = (0..count).filter(agreed).collect();
        let mut sums = vec![0.0; places.len() * width];
        for (site, keys) in node.sources.iter().zip(&all) {
            let Some((_, values)) = self.values.get(site) else {
                continue;
            };
            if topology.node(*site).is_some() {
                continue;
            }
            let rows: BTreeMap<usize, usize> = keys
                .places()
                .enumerate()
                .map(|(row, at)| (at, row))
                .collect();
            for (slot, at) in sums.chunks_exact_mut(width.max(1)).zip(&places) {
                let row = &values[rows[at] * width..][..width];
                slot.iter_mut()
                    .zip(row)
                    .for_each(|(slot, value)| *slot += value);
            }
        }
        Ok((places, sums))
    }
}

impl NodeView {
    /// The sites among its sources.
    pub fn sites(&self) -> Vec<u16> {
        sites_of(&self.topology, &self.node).collect()
    }

    /// What a site has given to the sum of each record, which only it can tell.
    pub fn part(&self, terms: &Terms, site: u16, source: &SiteSource) -> Result<Records> {
        let width = self.sums.width();
        let mut giver = Giver::new(source.sharing.clone());
        let mut parts = Records::new(width);
        let size = u64::from(terms.batch);
        for &record in &self.records {
            let batch = record / size;
            let mut own = Records::new(source.records.width());
            let first = (batch * size) as usize;
            let end = (first + size as usize).min(source.records.len());
            (first..end).for_each(|row| own.push(source.records.record(row)));
            let mut places = Bits::new(end - first);
            places.set((record % size) as usize);
            let values = giver.project(&Asked {
                terms,
                topology: &self.topology,
                node: &self.node,
                width,
                source: site,
                batch,
                records: &own,
                places: &places,
                with_keys: false,
            })?;
            parts.push(&values);
        }
        Ok(parts)
    }
}
