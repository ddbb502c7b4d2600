//! What the aggregator reads from confidences.
//!
//! It sees class and confidence of each site for each record. Where both belong to one value of a
//! column alone, who knows the site's model reads the value. The model here has learnt all records of
//! the site and stands still, which is the attacker's best case; that of a running site changes
//! with every record. Beside it stands who guesses the most frequent value.

use super::super::super::federation::Gathering;
use crate::error::Result;
use crate::federate::frame::Coarse;
use crate::federate::simulate::SiteSource;
use crate::learn;
use crate::policy::FederationPolicy;
use serde::Serialize;
use std::collections::BTreeMap;

/// Confidences of a site with so many bits.
#[derive(Clone, Debug, Serialize)]
pub struct ConfidenceLeak {
    /// The site.
    pub site: String,
    /// Its columns.
    pub columns: usize,
    /// Bits of a confidence.
    pub bits: u8,
    /// Whether the policy has these.
    pub is_own: bool,
    /// Different confidences that it tells.
    pub confidences: usize,
    /// Of the column that is told most: share of records whose class and confidence belong to one
    /// value alone.
    pub single: f64,
    /// Share of records whose value is guessed right as the most frequent one with the same class
    /// and confidence.
    pub guessed: f64,
    /// The same as the most frequent value of all.
    pub by_chance: f64,
}

/// Of all sites, with 8, 16 and 64 bits.
pub(super) fn leaks(
    policies: &[FederationPolicy],
    gathering: &Gathering,
) -> Result<Vec<ConfidenceLeak>> {
    let own = gathering.terms.coarse;
    let mut leaks = Vec::new();
    for (&number, source) in gathering.terms.sites.iter().zip(&gathering.sources) {
        let judged = judged(source, gathering)?;
        let parties = policies.first().map_or(&[][..], |policy| &policy.parties);
        let site = parties.iter().find(|party| party.number.0 == number);
        for coarse in [Coarse::Bits8, Coarse::Bits16, Coarse::Exact] {
            let name = site.map_or(String::new(), |party| party.id.clone());
            let leak = (0..source.records.width())
                .map(|column| leak(source, column, &judged, coarse))
                .max_by(|a, b| a.single.total_cmp(&b.single));
            leaks.extend(leak.map(|leak| ConfidenceLeak {
                site: name,
                is_own: coarse == own,
                ..leak
            }));
        }
    }
    Ok(leaks)
}

/// Class and exact confidence of each record, of a model that has learnt all of them.
fn judged(source: &SiteSource, gathering: &Gathering) -> Result<Vec<(u32, f64)>> {
    let inputs = source.columns.iter().map(|column| column.input()).collect();
    let header = learn::Header::new(inputs, gathering.terms.classes as usize)?;
    let mut learner = learn::build(&source.learner, &header, 1)?;
    for (record, &class) in source.records.iter().zip(&gathering.classes) {
        if class < gathering.terms.classes {
            learner.learn(record, class);
        }
    }
    let mut votes = Vec::new();
    let judge = |record: &[f64]| {
        learner.predict(record, &mut votes);
        let class = learn::predicted(&votes);
        let confidence = votes.get(class as usize).copied().unwrap_or(0.0);
        let confidence = confidence / votes.iter().sum::<f64>();
        (class, if confidence.is_nan() { 0.0 } else { confidence })
    };
    Ok(source.records.iter().map(judge).collect())
}

fn leak(
    source: &SiteSource,
    column: usize,
    judged: &[(u32, f64)],
    coarse: Coarse,
) -> ConfidenceLeak {
    let mut groups: BTreeMap<(u32, u64), BTreeMap<u64, u64>> = BTreeMap::new();
    let mut all: BTreeMap<u64, u64> = BTreeMap::new();
    for (value, &(class, confidence)) in source.records.column(column).zip(judged) {
        let group = groups.entry((class, coarse.round(confidence).to_bits()));
        *group.or_default().entry(value.to_bits()).or_default() += 1;
        *all.entry(value.to_bits()).or_default() += 1;
    }
    let records = judged.len().max(1) as f64;
    let most = |values: &BTreeMap<u64, u64>| values.values().max().copied().unwrap_or(0);
    let single = groups.values().filter(|values| values.len() == 1);
    let single: u64 = single.map(most).sum();
    let guessed: u64 = groups.values().map(most).sum();
    ConfidenceLeak {
        site: String::new(),
        columns: source.records.width(),
        bits: coarse.bits(),
        is_own: false,
        confidences: groups.len(),
        single: single as f64 / records,
        guessed: guessed as f64 / records,
        by_chance: most(&all) as f64 / records,
    }
}
