//! Attacks on what trouble nodes see of a federation, alone and with sites that collude.
//!
//! A node sees sums of projections of its sites' columns. Who runs it and knows some of the records
//! reconstructs others from them, as from any random projection; sites that collude take their
//! own parts off the sum, and what is left is a projection of the others' columns under less
//! noise. Records stand at their places in the stream, so that noise that accumulates is known to
//! do so.

use crate::attack::Success;
use crate::attack::reconstruction::{Blur, Stream, StudySettings, study};
use crate::data::Records;
use crate::error::{Error, Result};
use crate::federate::simulate::{NodeView, Process, SiteSource, views};
use crate::federate::{Range, Terms, TroubleTerms};
use crate::protect::random_projection::{Noise, RandomProjection};
use serde::Serialize;
use std::collections::BTreeMap;

/// How attacks on one node went.
#[derive(Clone, Debug, Serialize)]
pub struct AttackedNode {
    /// The node.
    pub node: u16,
    /// The sites whose projections are in the sum.
    pub sites: Vec<u16>,
    /// Those that help the node.
    pub colluders: Vec<u16>,
    /// Records that all sources forwarded.
    pub records: usize,
    /// Features that attackers want: shared columns of the other sites.
    pub features: usize,
    /// Numbers that the node sees of a record.
    pub released: usize,
    /// Each attack.
    pub attacks: Vec<Success>,
    /// Why nothing was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Runs a federation in memory and attacks each of its nodes: alone, with one site, and with as
/// many as may collude.
pub fn attack_federation(
    terms: &Terms,
    sources: Vec<SiteSource>,
    classes: Vec<u32>,
    settings: &StudySettings,
) -> Result<Vec<AttackedNode>> {
    let trouble = terms.trouble.as_ref();
    let trouble = trouble.ok_or_else(|| {
        Error::policy("this federation has no trouble nodes")
            .help("there is nothing but answers that could be attacked")
    })?;
    let kept: Vec<SiteSource> = sources.iter().map(copied).collect();
    let process = Process::new(terms.clone(), sources, classes)?;
    let outcome = process.recording().run()?;
    let mut attacked = Vec::new();
    for view in views(terms, &outcome.frames)? {
        let sites = view.sites();
        let most = usize::from(trouble.colluders)
            .max(1)
            .min(sites.len().saturating_sub(1));
        let mut counts = vec![0, 1, most];
        counts.dedup();
        for count in counts {
            let colluders = sites[sites.len() - count..].to_vec();
            attacked.push(attack_node(
                terms, trouble, &view, colluders, &kept, settings,
            )?);
        }
    }
    Ok(attacked)
}

pub(super) fn copied(source: &SiteSource) -> SiteSource {
    SiteSource {
        columns: source.columns.clone(),
        learner: source.learner.clone(),
        records: source.records.clone(),
        sharing: source.sharing.clone(),
    }
}

fn attack_node(
    terms: &Terms,
    trouble: &TroubleTerms,
    view: &NodeView,
    colluders: Vec<u16>,
    sources: &[SiteSource],
    settings: &StudySettings,
) -> Result<AttackedNode> {
    let by_id: BTreeMap<u16, &SiteSource> = terms.sites.iter().copied().zip(sources).collect();
    let sites = view.sites();
    let sums = without(terms, view, &colluders, &by_id)?;
    let victims: Vec<&SiteSource> = sites
        .iter()
        .filter(|site| !colluders.contains(site))
        .filter_map(|site| by_id.get(site).copied())
        .collect();
    let (inputs, outputs) = in_stream(view, &sums, &victims);
    let left = (sites.len() - colluders.len()) as f64;
    let share = left / (sites.len() - usize::from(trouble.colluders)).max(1) as f64;
    let stream = Stream {
        inputs: &inputs,
        outputs: &outputs,
        blur: blur(trouble, share),
        translated: true,
    };
    let mut attacked = AttackedNode {
        node: view.node.id,
        sites,
        colluders,
        records: view.records.len(),
        features: inputs.width(),
        released: outputs.width(),
        attacks: Vec::new(),
        note: None,
    };
    match study(&stream, settings) {
        Ok(found) => attacked.attacks = found.attacks,
        Err(error) => attacked.note = Some(error.to_string()),
    }
    Ok(attacked)
}

/// The sums less what colluders gave to them.
pub(super) fn without(
    terms: &Terms,
    view: &NodeView,
    colluders: &[u16],
    by_id: &BTreeMap<u16, &SiteSource>,
) -> Result<Records> {
    let mut sums = view.sums.clone();
    for site in colluders {
        let part = view.part(terms, *site, by_id[site])?;
        for row in 0..sums.len() {
            let slots = sums.record_mut(row).iter_mut();
            slots
                .zip(part.record(row))
                .for_each(|(slot, part)| *slot -= part);
        }
    }
    Ok(sums)
}

/// Features of the victims and what is left of the sums, each at its place in the stream; other
/// places hold nothing.
pub(super) fn in_stream(
    view: &NodeView,
    sums: &Records,
    victims: &[&SiteSource],
) -> (Records, Records) {
    let features = |source: &SiteSource, record: usize| -> Vec<f64> {
        let values = source.records.record(record);
        let ranges = source.sharing.ranges.iter().zip(values);
        let encoded = ranges.flat_map(|(range, &value)| match range {
            None => Vec::new(),
            Some(Range::Bounds(least, most)) => vec![(value - least) / (most - least)],
            Some(Range::Categories(count)) => (0..*count)
                .map(|code| f64::from(f64::from(code) == value))
                .collect(),
        });
        encoded.collect()
    };
    let width: usize = victims.iter().map(|source| features(source, 0).len()).sum();
    let length = victims.first().map_or(0, |source| source.records.len());
    let (mut inputs, mut outputs) = (Records::new(width), Records::new(sums.width()));
    let (nothing, zeros) = (vec![f64::NAN; width], vec![0.0; sums.width()]);
    let rows: BTreeMap<u64, usize> = view
        .records
        .iter()
        .enumerate()
        .map(|(row, &record)| (record, row))
        .collect();
    for record in 0..length {
        match rows.get(&(record as u64)) {
            Some(&row) => {
                let joined: Vec<f64> = victims
                    .iter()
                    .flat_map(|source| features(source, record))
                    .collect();
                inputs.push(&joined);
                outputs.push(sums.record(row));
            }
            None => {
                inputs.push(&nothing);
                outputs.push(&zeros);
            }
        }
    }
    (inputs, outputs)
}

/// The noise that is left on a sum, as an attacker who knows the terms knows it.
pub(super) fn blur(trouble: &TroubleTerms, share: f64) -> Blur<'static> {
    if trouble.noise <= 0.0 {
        return Blur::None;
    }
    let projection = RandomProjection {
        k: None,
        noise: Noise::Cumulative,
        sigma: trouble.noise,
        records: trouble.noise_records,
        reset: None,
        translation: 1.0,
        bounds: BTreeMap::new(),
        categories: BTreeMap::new(),
        buffer: None,
        columns: None,
    };
    Blur::Cumulative {
        deviation: projection.deviation() * share.sqrt(),
        reset: None,
    }
}
