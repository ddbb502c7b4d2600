//! Whose word counts: signatures under topologies and hellos, by keys that policies pin.
//!
//! Inside of one process nobody can speak for another, and nothing is signed.

use super::frame::Hello;
use super::mask::{Identity, has_signed};
use super::party::PartyId;
use super::room::are_own;
use super::state::Writer;
use super::terms::Terms;
use super::topology::{Column, Topology};
use std::collections::BTreeMap;

/// Own key and those of others.
#[derive(Debug)]
pub enum Trust {
    /// All parties run in one process.
    Process,
    /// Each party has a key.
    Pinned {
        /// Own key.
        identity: Box<Identity>,
        /// Public keys of others; who has none here is not believed.
        pins: BTreeMap<PartyId, [u8; 32]>,
    },
}

/// The federation and the run that something is signed for.
pub(super) type Place<'a> = (&'a Terms, u32);

impl Trust {
    pub(super) fn sign_hello(
        &self,
        place: Place<'_>,
        me: PartyId,
        epoch: u32,
        hello: &Hello,
    ) -> [u8; 64] {
        self.sign(&hello_text(place, me, epoch, hello))
    }

    pub(super) fn has_signed(
        &self,
        place: Place<'_>,
        from: PartyId,
        epoch: u32,
        hello: &Hello,
    ) -> bool {
        self.is_by(
            from,
            &hello_text(place, from, epoch, hello),
            &hello.signature,
        )
    }

    pub(super) fn sign_topology(&self, place: Place<'_>, topology: &Topology) -> [u8; 64] {
        self.sign(&topology_text(place, topology))
    }

    /// Whether the aggregator has made a topology.
    pub(super) fn has_made(&self, place: Place<'_>, topology: &Topology) -> bool {
        let text = topology_text(place, topology);
        self.is_by(PartyId::AGGREGATOR, &text, &topology.signature)
    }

    /// Whether columns have numbers that their site may give: its own, or those of columns that sites
    /// have in common. Such a number is claimed by each site that has the column, so one site alone
    /// makes no column of another one common.
    pub(super) fn may_have(&self, terms: &Terms, site: PartyId, columns: &[Column]) -> bool {
        match self {
            Trust::Process => true,
            Trust::Pinned { .. } => are_own(site.0, columns, terms),
        }
    }

    fn sign(&self, text: &[u8]) -> [u8; 64] {
        match self {
            Trust::Process => [0; 64],
            Trust::Pinned { identity, .. } => identity.sign(text),
        }
    }

    fn is_by(&self, party: PartyId, text: &[u8], signature: &[u8; 64]) -> bool {
        match self {
            Trust::Process => true,
            Trust::Pinned { pins, .. } => pins
                .get(&party)
                .is_some_and(|pin| has_signed(pin, text, signature)),
        }
    }
}

fn hello_text(place: Place<'_>, from: PartyId, epoch: u32, hello: &Hello) -> Vec<u8> {
    let mut out = Writer::default();
    out.raw(b"moretta/hello/1");
    out.raw(&place.0.federation);
    out.u32(place.1);
    out.u32(epoch);
    out.u16(from.0);
    hello.signed(&mut out);
    out.into_bytes()
}

fn topology_text(place: Place<'_>, topology: &Topology) -> Vec<u8> {
    let mut out = Writer::default();
    out.raw(b"moretta/topology/1");
    out.raw(&place.0.federation);
    out.u32(place.1);
    topology.signed(&mut out);
    out.into_bytes()
}
