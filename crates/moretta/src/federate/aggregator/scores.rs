//! T of the records of a batch, for the sites among the sources of each node.

use super::Aggregator;
use super::batch::Batch;
use super::quality::Quality;
use crate::federate::frame::{Bits, Body, Scores};
use crate::federate::links::Address;
use crate::federate::party::{Outbox, PartyId, Time};
use crate::federate::score::score;
use crate::federate::terms::ScoreForm;

impl Aggregator {
    /// Tells T where terms ask for it: of every so many-th record that all sources answered.
    pub(super) fn tell_scores(&mut self, number: u64, batch: &Batch, now: Time, out: &mut Outbox) {
        let Some(terms) = self
            .terms
            .trouble
            .as_ref()
            .and_then(|trouble| trouble.score)
        else {
            return;
        };
        let count = batch.count().unwrap_or(0);
        let first = number * u64::from(self.terms.batch);
        let mut frames = Vec::new();
        for node in &batch.topology.nodes {
            let places: Vec<usize> = node
                .sources
                .iter()
                .filter_map(|&source| batch.place(source))
                .collect();
            let variance =
                |source: &u16| self.qualities.get(source).map_or(0.25, Quality::variance);
            let variances: Vec<f64> = match terms.form {
                ScoreForm::VarianceWeighted => node.sources.iter().map(variance).collect(),
                _ => Vec::new(),
            };
            let mut records = Bits::new(count);
            let mut scores = Vec::new();
            for at in 0..count {
                if !(first + at as u64).is_multiple_of(u64::from(terms.every.max(1))) {
                    continue;
                }
                let answers = places.iter().map(|&place| batch.judgement(place, at));
                let confidences: Option<Vec<f64>> = answers
                    .map(|answer| answer.map(|answer| answer.confidence))
                    .collect();
                if let Some(confidences) = confidences {
                    records.set(at);
                    scores.push(score(terms.form, &confidences, &variances) as f32);
                }
            }
            let body = Body::Scores(Scores { records, scores });
            let sites = node
                .sources
                .iter()
                .filter(|&&id| batch.topology.node(id).is_none());
            for &site in sites {
                let address = Address::new(PartyId(site), batch.topology.epoch, number);
                frames.push((address.about(node.id), body.clone()));
            }
        }
        for (address, body) in frames {
            self.links.send(address, &body, now, out);
        }
    }
}
