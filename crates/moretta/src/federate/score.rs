//! T in place of a confidence: how sure all sources of a node were of records like this one.
//!
//! A record troubles sources together if they are unsure of it together, and that a site cannot
//! see by itself. So the aggregator tells it T of each record, T = Σ C² over the sources of the
//! node, and the site keeps a mean for each of its local schemas: the values of its nominal
//! columns, or the leaf of its tree. A schema that it has not seen counts as C² and a quarter for
//! each other source. Low values are troublesome, through a window as for confidences.
//!
//! **Does not protect** the other source of a node of two: T − C² is its confidence. So it is off
//! unless it is asked for.
//!
//! **Costs** 4 bytes a record and site, and at most 4,096 means.

use super::quantile::Quantile;
use super::ratio::Rank;
use super::state::{Reader, Writer, odd};
use super::terms::{ScoreForm, ScoreTerms};
use super::topology::Column;
use crate::error::Result;
use crate::learn::Learner;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Schemas whose means are kept.
const MOST_SCHEMAS: usize = 4096;
/// The weight of the newest T.
const NEWEST: f64 = 0.01;
/// What another source is taken for: as sure as a coin.
const UNKNOWN: f64 = 0.25;

/// T of one record, of the confidences of the sources and the variances of each.
pub(super) fn score(form: ScoreForm, confidences: &[f64], variances: &[f64]) -> f64 {
    let squares = confidences.iter().map(|confidence| confidence * confidence);
    match form {
        ScoreForm::Sum => squares.sum(),
        ScoreForm::Maximum => squares.fold(0.0, f64::max),
        ScoreForm::VarianceWeighted => {
            let total: f64 = variances.iter().sum();
            let count = confidences.len() as f64;
            let weight = |variance: f64| match total > 0.0 {
                true => count * variance / total,
                false => 1.0,
            };
            squares
                .zip(variances)
                .map(|(square, &variance)| weight(variance) * square)
                .sum()
        }
    }
}

/// What a site expects of T.
#[derive(Clone, Debug)]
pub(super) struct ScoreBook {
    terms: ScoreTerms,
    /// Of each schema, the mean T and the mean of what others had of it.
    means: BTreeMap<u64, (f64, f64)>,
    quantile: Quantile,
}

impl ScoreBook {
    pub(super) fn new(terms: ScoreTerms, window: usize) -> Self {
        ScoreBook {
            terms,
            means: BTreeMap::new(),
            quantile: Quantile::new(window),
        }
    }

    /// What is expected of a record of this schema, among the last ones.
    pub(super) fn rank(&mut self, schema: u64, confidence: f64, others: usize) -> Rank {
        let own = confidence * confidence;
        let expected = match self.means.get(&schema) {
            Some((mean, _)) if self.terms.by_mean => *mean,
            Some((_, of_others)) => own + of_others,
            None => own + UNKNOWN * others as f64,
        };
        self.quantile.push(expected)
    }

    /// Takes T of a record of this schema.
    pub(super) fn learn(&mut self, schema: u64, confidence: f64, score: f64) {
        if !score.is_finite() {
            return;
        }
        let others = score - confidence * confidence;
        let has_room = self.means.len() < MOST_SCHEMAS;
        match self.means.get_mut(&schema) {
            Some((mean, of_others)) => {
                *mean += NEWEST * (score - *mean);
                *of_others += NEWEST * (others - *of_others);
            }
            None if has_room => {
                self.means.insert(schema, (score, others));
            }
            None => {}
        }
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.size(self.means.len());
        for (schema, (mean, others)) in &self.means {
            out.u64(*schema);
            out.f64s(&[*mean, *others]);
        }
        self.quantile.save(out);
    }

    pub(super) fn load(terms: ScoreTerms, window: usize, from: &mut Reader<'_>) -> Result<Self> {
        let mut book = ScoreBook::new(terms, window);
        for _ in 0..from.length()? {
            let schema = from.u64()?;
            book.means.insert(schema, (from.f64()?, from.f64()?));
        }
        if book.means.len() > MOST_SCHEMAS {
            return Err(odd("more schemas than are kept"));
        }
        book.quantile = Quantile::load(window, from)?;
        Ok(book)
    }
}

/// The local schema of a record: its nominal values, and the leaf of a tree. It is a sum under
/// the site's secret, so that what a site remembers holds no value.
pub(super) fn schema(
    seed: &[u8; 32],
    columns: &[Column],
    learner: &dyn Learner,
    record: &[f64],
) -> u64 {
    let mut sum = Sha256::new();
    sum.update(seed);
    for (column, value) in columns.iter().zip(record) {
        if column.values > 0 {
            sum.update((*value as u32).to_le_bytes());
        }
    }
    if let Some(leaf) = learner.region(record) {
        sum.update(leaf.to_le_bytes());
    }
    let sum: [u8; 32] = sum.finalize().into();
    u64::from_le_bytes(sum[..8].try_into().expect("32 bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMS: ScoreTerms = ScoreTerms {
        form: ScoreForm::Sum,
        every: 1,
        by_mean: true,
    };

    #[test]
    fn scores_are_those_of_their_forms() {
        let check = |form, variances: &[f64], expected: f64| {
            let found = score(form, &[0.5, 0.9], variances);
            assert!((found - expected).abs() < 1e-12, "{form:?} {found}");
        };
        check(ScoreForm::Sum, &[], 1.06);
        check(ScoreForm::Maximum, &[], 0.81);
        check(
            ScoreForm::VarianceWeighted,
            &[1.0, 3.0],
            0.5 * 0.25 + 1.5 * 0.81,
        );
        check(ScoreForm::VarianceWeighted, &[0.0, 0.0], 1.06);
    }

    /// The example of the study: by confidence each source is troubled by another record, by T
    /// both by the same.
    #[test]
    fn sources_that_know_t_are_troubled_together() {
        let records = [[0.9, 0.5], [0.7, 0.7]];
        let forwards = |rank: Rank| 2 * rank.at_most <= rank.size;
        let mut by_confidence = [Quantile::new(10), Quantile::new(10)];
        let mut by_score = [(); 2].map(|()| ScoreBook::new(TERMS, 10));
        let (mut confident, mut scored) = ([[false; 2]; 2], [[false; 2]; 2]);
        for round in 0..10 {
            for (at, record) in records.iter().enumerate() {
                let total = score(ScoreForm::Sum, record, &[]);
                for site in 0..2 {
                    let rank = by_confidence[site].push(record[site]);
                    confident[at][site] = forwards(rank);
                    let rank = by_score[site].rank(at as u64, record[site], 1);
                    scored[at][site] = round > 0 && forwards(rank);
                    by_score[site].learn(at as u64, record[site], total);
                }
            }
        }
        let both = |found: [[bool; 2]; 2]| found.iter().filter(|site| site[0] && site[1]).count();
        assert_eq!((both(confident), both(scored)), (0, 1));
    }

    #[test]
    fn an_unseen_schema_counts_a_quarter_for_each_other_source() {
        let mut book = ScoreBook::new(TERMS, 10);
        book.rank(1, 0.5, 2);
        book.learn(2, 0.5, 0.76);
        let rank = book.rank(2, 0.5, 2);
        assert_eq!(
            (rank.at_most, rank.size),
            (2, 2),
            "0.76 is above 0.25 + 2/4"
        );
    }
}
