//! The list of measures of pairs: names, meanings, and which way is better.

use crate::measure::list::{ACCURACY_LOSS, ACCURACY_LOSS_MASKED};
use crate::measure::{Family, Goal, Info};

/// Every measure of pairs, in the order of the report.
pub const PAIR_LIST: &[Info] = &[
    info(
        "record_linkage",
        Family::Risk,
        "share of records linked to their original, the nearest by Euclidean distance of all originals of a table, wherever they are in it, or of the last b of a stream; a tie of g counts 1/g",
        true,
    ),
    info(
        "distance_linkage",
        Family::Risk,
        "share of records linked to their original, the nearest of all originals of a table, or of the last b of a stream, with every attribute divided by its standard deviation",
        true,
    ),
    info(
        "probabilistic_linkage",
        Family::Risk,
        "share of records linked to their original, the one of all originals of a table, or of the last b of a stream, with the largest Fellegi-Sunter weight, estimated by EM from the patterns of agreement",
        true,
    ),
    info(
        "rank_interval_disclosure",
        Family::Risk,
        "share of values within p percent of the ranks from their protected value, among the last b protected values",
        true,
    ),
    info(
        "sd_interval_disclosure",
        Family::Risk,
        "share of values within p percent of a standard deviation from their protected value",
        true,
    ),
    info(
        "sse",
        Family::Loss,
        "sum of squared differences between records and what is released of them; a category that changed counts 1",
        false,
    ),
    info(
        "sse_ratio",
        Family::Loss,
        "squared differences over those of a release that shows only means and most frequent categories, on average over the attributes: 0 as it was, 1 as bad as that",
        true,
    ),
    info(
        "il1s",
        Family::Loss,
        "mean absolute difference between values and what is released of them, in units of √2 standard deviations",
        false,
    ),
    info(
        "mean_discrepancy",
        Family::Loss,
        "by how much means moved, in standard deviations, on average over the attributes",
        false,
    ),
    info(
        "covariance_discrepancy",
        Family::Loss,
        "by how much variances and covariances changed, over the product of the standard deviations, on average over the pairs of attributes",
        false,
    ),
    info(
        "correlation_discrepancy",
        Family::Loss,
        "by how much correlations changed, on average over the pairs of attributes",
        false,
    ),
    info(
        "probabilistic_information_loss",
        Family::Loss,
        "chance that a sample as large would differ less in its means, variances, covariances, correlations and quantiles than the release does, on average: 0 as it was, 1 beyond chance",
        true,
    ),
    info(
        "entropy_loss",
        Family::Loss,
        "share of the information about a value that the protected value no longer tells, H(original | protected) / H(original), on average over the attributes",
        true,
    ),
    ACCURACY_LOSS,
    ACCURACY_LOSS_MASKED,
];

const fn info(name: &'static str, family: Family, meaning: &'static str, percent: bool) -> Info {
    Info {
        name,
        family,
        meaning,
        goal: Goal::Low,
        percent,
    }
}
