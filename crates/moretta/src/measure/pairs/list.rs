//! The list of measures of pairs: names, meanings, which way is better, and who computes them.

use super::{
    PairMeasure, PairSettings, accuracy_loss, entropy, il1s, interval_disclosure, moments,
    probabilistic_information_loss, probabilistic_linkage, record_linkage, sse,
};
use crate::measure::list::{ACCURACY_LOSS, ACCURACY_LOSS_MASKED};
use crate::measure::{Family, Goal, Info};

/// Makes a measure that has seen nothing yet.
type Build = fn(&PairSettings) -> Box<dyn PairMeasure>;

/// Every measure of pairs and how it is computed, in the order of the report.
pub(super) const MEASURES: &[(Info, Build)] = &[
    (
        info(
            "record_linkage",
            Family::Risk,
            "share of records linked to their original, the nearest by Euclidean distance of all originals of a table, wherever they are in it, or of the last b of a stream; a tie of g counts 1/g",
            true,
        ),
        |settings| Box::new(record_linkage::RecordLinkage::new(settings)),
    ),
    (
        info(
            "distance_linkage",
            Family::Risk,
            "share of records linked to their original, the nearest of all originals of a table, or of the last b of a stream, with every attribute divided by its standard deviation",
            true,
        ),
        |settings| Box::new(record_linkage::RecordLinkage::standardised(settings)),
    ),
    (
        info(
            "probabilistic_linkage",
            Family::Risk,
            "share of records linked to their original, the one of all originals of a table, or of the last b of a stream, with the largest Fellegi-Sunter weight, estimated by EM from the patterns of agreement",
            true,
        ),
        |settings| Box::new(probabilistic_linkage::ProbabilisticLinkage::new(settings)),
    ),
    (
        info(
            "rank_interval_disclosure",
            Family::Risk,
            "share of values within p percent of the ranks from their protected value, among the last b protected values",
            true,
        ),
        |settings| Box::new(interval_disclosure::RankIntervals::new(settings)),
    ),
    (
        info(
            "sd_interval_disclosure",
            Family::Risk,
            "share of values within p percent of a standard deviation from their protected value",
            true,
        ),
        |settings| Box::new(interval_disclosure::DeviationIntervals::new(settings)),
    ),
    (
        info(
            "sse",
            Family::Loss,
            "sum of squared differences between records and what is released of them; a category that changed counts 1",
            false,
        ),
        |settings| Box::new(sse::Sse::new(settings)),
    ),
    (
        info(
            "sse_ratio",
            Family::Loss,
            "squared differences over those of a release that shows only means and most frequent categories, on average over the attributes: 0 as it was, 1 as bad as that",
            true,
        ),
        |settings| Box::new(sse::SseRatio::new(settings)),
    ),
    (
        info(
            "il1s",
            Family::Loss,
            "mean absolute difference between values and what is released of them, in units of √2 standard deviations",
            false,
        ),
        |settings| Box::new(il1s::Il1s::new(settings)),
    ),
    (
        info(
            "mean_discrepancy",
            Family::Loss,
            "by how much means moved, in standard deviations, on average over the attributes",
            false,
        ),
        |settings| Box::new(moments::Discrepancy::of_means(settings)),
    ),
    (
        info(
            "covariance_discrepancy",
            Family::Loss,
            "by how much variances and covariances changed, over the product of the standard deviations, on average over the pairs of attributes",
            false,
        ),
        |settings| Box::new(moments::Discrepancy::of_covariances(settings)),
    ),
    (
        info(
            "correlation_discrepancy",
            Family::Loss,
            "by how much correlations changed, on average over the pairs of attributes",
            false,
        ),
        |settings| Box::new(moments::Discrepancy::of_correlations(settings)),
    ),
    (
        info(
            "probabilistic_information_loss",
            Family::Loss,
            "chance that a sample as large would differ less in its means, variances, covariances, correlations and quantiles than the release does, on average: 0 as it was, 1 beyond chance",
            true,
        ),
        |settings| Box::new(probabilistic_information_loss::Pil::new(settings)),
    ),
    (
        info(
            "entropy_loss",
            Family::Loss,
            "share of the information about a value that the protected value no longer tells, H(original | protected) / H(original), on average over the attributes",
            true,
        ),
        |settings| Box::new(entropy::EntropyLoss::new(settings)),
    ),
    (ACCURACY_LOSS, |settings| {
        Box::new(accuracy_loss::AccuracyLoss::new(settings))
    }),
    (ACCURACY_LOSS_MASKED, |settings| {
        Box::new(accuracy_loss::AccuracyLoss::of_masked(settings))
    }),
];

/// What is known of every measure of pairs, in the order of the report.
pub const PAIR_LIST: &[Info] = &infos();

const fn infos() -> [Info; MEASURES.len()] {
    let mut infos = [MEASURES[0].0; MEASURES.len()];
    let mut i = 1;
    while i < infos.len() {
        infos[i] = MEASURES[i].0;
        i += 1;
    }
    infos
}

const fn info(name: &'static str, family: Family, meaning: &'static str, percent: bool) -> Info {
    Info {
        name,
        family,
        meaning,
        goal: Goal::Low,
        percent,
    }
}
