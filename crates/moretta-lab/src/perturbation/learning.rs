//! How well a stream can be learnt.

use super::data_sets::DataSet;
use moretta::Result;
use moretta::data::Records;
use moretta::learn::prequential::{Score, ScoreSettings};
use moretta::learn::{AdaptiveRandomForest, Header, Input, LeafPrediction, Learner, predicted};

/// The seed of the forest, as in the published runs.
const SEED: u64 = 1;

/// What a forest made of a stream.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Learnt {
    /// Share of records that were predicted rightly before they were learnt.
    pub(super) accuracy: f64,
    /// The same over the last records, after so many.
    pub(super) over_time: Vec<(u64, f64)>,
}

/// Tests and teaches the forest of MOA 17.06 with naive Bayes in its leaves, from the
/// first record on: `records` are those of the set, or what was released of them.
pub(super) fn learn(set: &DataSet, records: &Records) -> Result<Learnt> {
    let header = Header::new(vec![Input::Number; records.width()], set.class_count)?;
    let mut options = AdaptiveRandomForest::of_moa_2017();
    options.tree.leaf = LeafPrediction::NaiveBayes;
    let mut forest = options.build(&header, SEED)?;
    let mut votes = Vec::new();
    forest.predict_then_learn(records, &set.classes, &mut votes);
    let settings = ScoreSettings {
        window: (records.len() / 25).clamp(50, 2000),
        ..ScoreSettings::default()
    };
    let mut score = Score::new(set.class_count, &settings)?;
    for (votes, &class) in votes.chunks_exact(set.class_count).zip(&set.classes) {
        score.observe(class, predicted(votes));
    }
    let points = score.points().iter();
    Ok(Learnt {
        accuracy: score.accuracy().unwrap_or(f64::NAN),
        over_time: points
            .filter_map(|point| Some((point.results, point.accuracy?)))
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_that_a_number_tells_is_learnt() {
        let mut records = Records::new(1);
        (0..600_u32).for_each(|row| records.push(&[f64::from(row % 2)]));
        let set = DataSet {
            name: "alternating",
            classes: (0..600).map(|row| row % 2).collect(),
            class_count: 2,
            records,
        };
        let learnt = learn(&set, &set.records).expect("learnt");
        assert!(learnt.accuracy > 0.98, "{learnt:?}");
        assert_eq!(learnt.over_time.last(), Some(&(600, 1.0)));
    }
}
