//! What a site gives to a trouble node of the records that it forwards: as its own policy says.
//!
//! Projections and masks follow from the site's seed of this run, the node and the record, so a
//! site that was restarted gives the same bytes again, and nothing but the public keys of other sites need
//! be remembered. A record with a missing value or one out of its bounds is not forwarded.

use super::frame::{Bits, Body, Fragment, Masked};
use super::mask::{LARGEST, MaskKey, Member, PairSecrets, Scope, trace};
use super::project::{Creation, Group, Projection};
use super::state::{Reader, Writer};
use super::terms::Terms;
use super::topology::{FragmentKind, Node, Topology};
use crate::data::{Attribute, Records, Role};
use crate::error::{Error, Result};
use crate::protect::MaskedColumn;
use crate::protect::dp::Bounds;
use crate::protect::random_projection::{Noise, RandomProjection};
use std::collections::BTreeMap;
use std::fmt;

/// What the values of a shared column can be.
#[derive(Clone, Debug, PartialEq)]
pub enum Range {
    /// Numbers within bounds.
    Bounds(f64, f64),
    /// So many categories.
    Categories(u32),
}

/// What a site shares of its columns.
#[derive(Clone, Default)]
pub struct Sharing {
    /// The site's secret of this run.
    pub seed: [u8; 32],
    /// What values of each column can be, in the order of columns; none for one that is not
    /// shared in projections.
    pub ranges: Vec<Option<Range>>,
}

impl fmt::Debug for Sharing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sharing({} columns, secret)", self.ranges.len())
    }
}

/// Makes fragments.
#[derive(Default)]
pub struct Giver {
    sharing: Sharing,
    /// By number, first batch and sources of their node.
    projections: BTreeMap<(u16, u64, Vec<u16>), Projection>,
    /// Public keys of masks, by epoch and site.
    met: BTreeMap<(u32, u16), [u8; 32]>,
    /// Which site has shown a key, whatever its text, by epoch.
    shown: BTreeMap<(u32, [u8; 32]), u16>,
    secrets: BTreeMap<(u32, u16), PairSecrets>,
}

impl fmt::Debug for Giver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Giver({:?})", self.sharing)
    }
}

/// A fragment to be made: of which records, for which node.
pub(super) struct Asked<'a> {
    pub(super) terms: &'a Terms,
    pub(super) topology: &'a Topology,
    pub(super) node: &'a Node,
    /// Values of a projected record.
    pub(super) width: usize,
    pub(super) source: u16,
    pub(super) batch: u64,
    pub(super) records: &'a Records,
    /// The records that are given.
    pub(super) places: &'a Bits,
    /// Whether the node is told which these are.
    pub(super) with_keys: bool,
}

impl Giver {
    /// One that shares this.
    pub fn new(sharing: Sharing) -> Self {
        Giver {
            sharing,
            ..Giver::default()
        }
    }

    /// The site's secret.
    pub(super) fn seed(&self) -> &[u8; 32] {
        &self.sharing.seed
    }

    /// The public key of this site's masks under a topology; before the first one for the first.
    pub(super) fn public(&self, terms: &Terms, topology: Option<&Topology>) -> [u8; 32] {
        self.mask_key(terms, topology).public()
    }

    fn mask_key(&self, terms: &Terms, topology: Option<&Topology>) -> MaskKey {
        let later = topology.filter(|topology| topology.epoch > 0);
        let (epoch, sum) = later.map_or((0, [0; 32]), |later| (later.epoch, later.sum()));
        MaskKey::derive(&self.sharing.seed, &terms.federation, epoch, &sum)
    }

    /// Takes the public key of another site; whether it can be one, and is that of no third site.
    pub(super) fn meet(&mut self, epoch: u32, site: u16, public: [u8; 32]) -> bool {
        let Some(trace) = trace(&public) else {
            return false;
        };
        let is_own = *self.shown.entry((epoch, trace)).or_insert(site) == site;
        if is_own {
            self.met.entry((epoch, site)).or_insert(public);
        }
        is_own
    }

    /// Whether the keys of all other sites of a node are known.
    pub(super) fn knows(&self, own: u16, topology: &Topology, node: &Node) -> bool {
        let epoch = topology.epoch;
        let mut sites = sites_of(topology, node).filter(|&site| site != own);
        node.kind != FragmentKind::Masked || sites.all(|site| self.met.contains_key(&(epoch, site)))
    }

    /// Whether a record can be given to nodes of a kind.
    pub(super) fn accepts(&self, kind: FragmentKind, record: &[f64]) -> bool {
        let fits = |(range, value): (&Option<Range>, &f64)| match range {
            None => true,
            Some(Range::Bounds(least, most)) => (least..=most).contains(&value),
            Some(Range::Categories(count)) => (0.0..f64::from(*count)).contains(value),
        };
        kind == FragmentKind::Raw || self.sharing.ranges.iter().zip(record).all(fits)
    }

    /// Makes the fragment.
    pub(super) fn give(&mut self, asked: &Asked<'_>) -> Result<Body> {
        if asked.node.kind == FragmentKind::Raw {
            let columns = asked.topology.columns_of(asked.source);
            let mut values = Vec::with_capacity(asked.places.ones() * asked.records.width());
            for at in asked.places.places() {
                // A category that was not declared is missing.
                let pairs = columns.iter().zip(asked.records.record(at));
                values.extend(pairs.map(|(column, &value)| match column.can_hold(value) {
                    true => value,
                    false => f64::NAN,
                }));
            }
            return Ok(fragment(asked, asked.records.width(), values));
        }
        let values = self.project(asked)?;
        if asked.node.kind == FragmentKind::Projected {
            if values
                .iter()
                .any(|value| value.is_nan() || value.abs() > LARGEST)
            {
                return Err(
                    Error::input("a projected number is missing or too large to be sent")
                        .help("look at the bounds of the columns, and at `sigma`"),
                );
            }
            return Ok(fragment(asked, asked.width, values));
        }
        let positions: Vec<u16> = asked.places.places().map(|at| at as u16).collect();
        let scope = Scope {
            node: u32::from(asked.node.id),
            batch: asked.batch,
            positions: &positions,
            width: asked.width,
        };
        Ok(Body::Masked(Masked {
            source: asked.source,
            width: asked.width as u16,
            words: self.secrets_for(asked)?.mask(&scope, &values)?,
        }))
    }

    /// Projections of the records, one after the other.
    pub(super) fn project(&mut self, asked: &Asked<'_>) -> Result<Vec<f64>> {
        let node = (asked.node.id, asked.node.first, asked.node.sources.clone());
        if !self.projections.contains_key(&node) {
            let projection = self.new_projection(asked)?;
            self.projections.insert(node.clone(), projection);
        }
        let ranges = &self.sharing.ranges;
        let shared: Vec<usize> = (0..ranges.len())
            .filter(|&at| ranges[at].is_some())
            .collect();
        let first = asked.batch * u64::from(asked.terms.batch);
        let (mut values, mut record) = (Vec::new(), Vec::new());
        let Some(projection) = self.projections.get_mut(&node) else {
            return Ok(values);
        };
        for at in asked.places.places() {
            record.clear();
            record.extend(
                shared
                    .iter()
                    .map(|&column| asked.records.record(at)[column]),
            );
            projection.project(first + at as u64, &record, &mut values)?;
        }
        Ok(values)
    }

    fn new_projection(&self, asked: &Asked<'_>) -> Result<Projection> {
        let trouble = super::trouble::trouble_terms(asked.terms)?;
        let ranges = self.sharing.ranges.iter().enumerate();
        let shared: Vec<(String, &Range)> = ranges
            .filter_map(|(at, range)| Some((at.to_string(), range.as_ref()?)))
            .collect();
        let (mut bounds, mut categories) = (BTreeMap::new(), BTreeMap::new());
        for (name, range) in &shared {
            match range {
                Range::Bounds(least, most) => {
                    let range = Bounds::new(*least, *most).ok_or_else(|| {
                        Error::policy("bounds of a shared column are no range")
                            .help("give the least and the greatest number that it can hold")
                    })?;
                    bounds.insert(name.clone(), range);
                }
                Range::Categories(count) => {
                    let all = (0..*count).map(|code| code.to_string()).collect();
                    categories.insert(name.clone(), all);
                }
            }
        }
        let config = RandomProjection {
            k: Some(asked.width),
            noise: match trouble.noise > 0.0 {
                true => Noise::Cumulative,
                false => Noise::None,
            },
            sigma: trouble.noise,
            records: trouble.noise_records,
            reset: None,
            translation: 1.0,
            bounds,
            categories,
            buffer: None,
            columns: None,
        };
        let column = |shared: &'_ (String, &Range)| -> Attribute {
            match shared.1 {
                Range::Bounds(..) => Attribute::Number,
                Range::Categories(_) => Attribute::Nominal,
            }
        };
        let columns: Vec<MaskedColumn<'_>> = shared
            .iter()
            .map(|shared| MaskedColumn {
                name: &shared.0,
                role: Role::Quasi,
                attribute: column(shared),
            })
            .collect();
        let sites = sites_of(asked.topology, asked.node).count();
        let group = match asked.node.kind {
            FragmentKind::Masked => Group::new(sites, usize::from(trouble.colluders))?,
            _ => Group::alone(),
        };
        let creation = Creation {
            federation: asked.terms.federation,
            node: u32::from(asked.node.id),
            first: asked.node.first,
            sources: &asked.node.sources,
        };
        Projection::new(&config, &columns, group, &self.sharing.seed, &creation)
    }

    fn secrets_for(&mut self, asked: &Asked<'_>) -> Result<&PairSecrets> {
        let epoch = asked.topology.epoch;
        let place = (epoch, asked.node.id);
        if !self.secrets.contains_key(&place) {
            let own = self.mask_key(asked.terms, Some(asked.topology));
            let member = |site: u16| {
                let public = match site == asked.source {
                    true => Some(own.public()),
                    false => self.met.get(&(epoch, site)).copied(),
                };
                let public = public.ok_or_else(|| Error::bug("a mask without its key"))?;
                Ok(Member { id: site, public })
            };
            let sites = sites_of(asked.topology, asked.node);
            let members: Vec<Member> = sites.map(member).collect::<Result<_>>()?;
            let secrets = own.pair_with(asked.source, &members)?;
            self.secrets.insert(place, secrets);
        }
        self.secrets
            .get(&place)
            .ok_or_else(|| Error::bug("secrets that were just made"))
    }

    /// Forgets what no epoch from this one on needs, and nodes that are gone.
    pub(super) fn forget_below(&mut self, epoch: u32, node_is_there: impl Fn(u16) -> bool) {
        self.met = self.met.split_off(&(epoch, 0));
        self.shown = self.shown.split_off(&(epoch, [0; 32]));
        self.secrets = self.secrets.split_off(&(epoch, 0));
        self.projections
            .retain(|(node, ..), _| node_is_there(*node));
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.size(self.met.len());
        for ((epoch, site), public) in &self.met {
            out.u32(*epoch);
            out.u16(*site);
            out.raw(public);
        }
    }

    pub(super) fn load(&mut self, from: &mut Reader<'_>) -> Result<()> {
        for _ in 0..from.length()? {
            let (epoch, site) = (from.u32()?, from.u16()?);
            self.meet(epoch, site, from.array()?);
        }
        Ok(())
    }
}

/// The sites among the sources of a node. Numbers do not tell: those of nodes follow on those of sites.
pub(super) fn sites_of(topology: &Topology, node: &Node) -> impl Iterator<Item = u16> {
    let sources = node.sources.iter().copied();
    sources.filter(|&source| topology.node(source).is_none())
}

fn fragment(asked: &Asked<'_>, width: usize, values: Vec<f64>) -> Body {
    Body::Fragment(Fragment {
        source: asked.source,
        forwarded: asked.with_keys.then(|| asked.places.clone()),
        width: width as u16,
        values,
    })
}
