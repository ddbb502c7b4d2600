//! The one list of measures: policies, reports, `tune`, `explain`, the JSON Schema and the
//! manual are made from it.

use super::categorical::{Categorical, Figures, PartitionPairs};
use super::pairs::{self, PairSettings};
use super::{Family, Goal, Info, Measure, Of, risk, utility};
use crate::error::{Error, Result};

/// Every measure, in the order of the report.
pub const LIST: &[Info] = &[
    risk(
        "prosecutor_risk",
        "chance of finding a person who is known to be in the release, in the smallest class: the largest 1/f",
        true,
        Of::Classes(|of| of.both(|sizes, _| risk::prosecutor_risk(sizes))),
    ),
    risk(
        "average_risk",
        "chance of finding a person who is known to be in the release, on average: the mean of 1/f, which is classes over persons",
        true,
        Of::Classes(|of| of.both(|sizes, _| risk::average_risk(sizes))),
    ),
    risk(
        "at_risk",
        "share of persons whose 1/f is above the `threshold` under [measure]",
        true,
        Of::Classes(|of| of.both(|sizes, _| risk::at_risk(sizes, of.threshold()))),
    ),
    risk(
        "journalist_risk",
        "chance of finding the person behind a released row of the smallest class, among all persons of the original that fit it: the largest 1/F",
        true,
        Of::Classes(|of| of.in_population(|_, population| risk::journalist_risk(population))),
    ),
    risk(
        "journalist_average",
        "chance of finding the person behind a released row on average: classes over the persons of the original that fit them, or marketer_risk where that is more",
        true,
        Of::Classes(|of| of.in_population(risk::journalist_average)),
    ),
    risk(
        "journalist_at_risk",
        "share of persons whose 1/F is above the `threshold` under [measure]",
        true,
        Of::Classes(|of| {
            of.in_population(|sizes, population| {
                risk::journalist_at_risk(sizes, population, of.threshold())
            })
        }),
    ),
    risk(
        "marketer_risk",
        "share of persons that one guess for each would find, among all persons of the original that fit a class: the mean of 1/F",
        true,
        Of::Classes(|of| of.in_population(risk::marketer_risk)),
    ),
    risk(
        "uniques",
        "share of persons who are alone in their class",
        true,
        Of::Classes(|of| of.both(|sizes, _| risk::uniques(sizes))),
    ),
    risk(
        "population_uniques",
        "share of the population that is estimated to be alone with its quasi-identifiers, by the model that Dankar chooses: pitman_uniques where at most a tenth of the population is in the table, else the smaller of zayatz_uniques and snb_uniques; needs `population` or `fraction` under [measure]",
        true,
        Of::Classes(|of| of.uniques(|uniques| Some(uniques.chosen()))),
    ),
    risk(
        "pitman_uniques",
        "the same by Pitman's sampling formula, fitted by maximum likelihood; none where it does not fit",
        true,
        Of::Classes(|of| of.uniques(|uniques| uniques.pitman)),
    ),
    risk(
        "zayatz_uniques",
        "the same by Zayatz: classes of the population are as those of the table",
        true,
        Of::Classes(|of| of.uniques(|uniques| Some(uniques.zayatz))),
    ),
    risk(
        "snb_uniques",
        "the same by the slide negative binomial model; none where it does not fit",
        true,
        Of::Classes(|of| of.uniques(|uniques| uniques.snb)),
    ),
    risk(
        "suda_risk",
        "the largest DIS score of a row: the chance that a match with it is a true one, larger for rows that few of their values single out (special uniques); needs `population` or `fraction` under [measure]",
        true,
        Of::Classes(|of| of.suda(|suda| suda.dis.iter().copied().fold(0.0, f64::max))),
    ),
    risk(
        "suda_average",
        "the mean DIS score of the rows",
        true,
        Of::Classes(|of| {
            of.suda(|suda| suda.dis.iter().sum::<f64>() / suda.dis.len().max(1) as f64)
        }),
    ),
    risk(
        "individual_risk",
        "chance that a person is found in the population on average, where each row stands for as many persons as the column `weights` under [measure] says",
        true,
        Of::Classes(|of| of.individual_risk()),
    ),
    risk(
        "household_risk",
        "chance that somebody of a person's household is found, on average over the persons; needs `weights`, and the column `households` under [measure] that groups persons",
        true,
        Of::Classes(|of| of.household_risk()),
    ),
    risk(
        "belief_change",
        "the largest change of belief in a sensitive value, up or down: from its share in the release to its share in a class (Bayes-optimal privacy), in the sensitive column where it is largest",
        true,
        Of::Classes(|of| of.beliefs(|change| change.largest)),
    ),
    risk(
        "belief_change_mean",
        "the change of belief in the sensitive value that a row shows, on average over the rows, in the sensitive column where it is largest",
        true,
        Of::Classes(|of| of.beliefs(|change| change.mean)),
    ),
    risk(
        "hiding_failure",
        "groups smaller than k that are left, as a share of those there were",
        true,
        Of::Classes(|of| of.only(risk::hiding_failure(of.before(), of.after(), of.k()))),
    ),
    risk(
        "homogeneity",
        "share of persons in classes whose rows all have one value of a sensitive column, which is then known of them",
        true,
        Of::Attacks,
    ),
    risk(
        "background_knowledge",
        "share of persons of whom a sensitive value is known to who can exclude any one: in classes with at most two",
        true,
        Of::Attacks,
    ),
    risk(
        "exact_bounds",
        "share of the ends of released intervals that are the exact value of a person in the class, beyond chance",
        true,
        Of::Attacks,
    ),
    risk(
        "minimality",
        "share of persons of whom a sensitive value is believed more than is promised, by who knows all quasi-identifiers and that classes are divided as far as they may",
        true,
        Of::Attacks,
    ),
    risk(
        "downcoding",
        "how far beliefs move of how the persons of a class lie under the children of the node it shows, since it would have been divided if that were allowed: the share of the ways that are excluded, on average",
        true,
        Of::Attacks,
    ),
    loss(
        "gcp",
        "global certainty penalty: ncp over all cells, 0 as it was and 1 nothing left; suppressed rows count 1, in a report as many as there can be",
        true,
        Of::Classes(|of| of.only(of.gcp())),
    ),
    loss(
        "ncp",
        "normalised certainty penalty, of all cells together: width over range for an interval, (c - 1)/(D - 1) for c of D categories, leaves under it over all leaves for a label, 1 for `*` and in suppressed rows; range, categories and leaves are those that the policy declares, else those of released rows, without few that would stretch a range to more than 5 times its width",
        false,
        Of::Classes(|of| of.only(of.ncp())),
    ),
    loss(
        "loss",
        "geometric mean over the columns of 1 + mean loss, less 1, where a value that stands for c of D loses (c - 1)/(D - 1)",
        true,
        Of::Classes(|of| of.only(of.loss())),
    ),
    loss(
        "discernibility",
        "sum of squared class sizes; a suppressed row counts as many as there are rows",
        false,
        Of::Classes(|of| of.both(utility::discernibility)),
    ),
    loss(
        "average_class_size",
        "rows in a class on average, over k: 1 is as good as k allows",
        false,
        Of::Classes(|of| {
            of.both(|sizes, suppressed| utility::average_class_size(sizes, suppressed, of.k()))
        }),
    ),
    loss(
        "classification",
        "share of rows that are suppressed or not of their class's most frequent label",
        true,
        Of::Classes(|of| of.both(utility::classification).filter(|_| of.has_labels())),
    ),
    risk(
        "record_linkage",
        "share of records linked to their original, the nearest by Euclidean distance of all originals of a table, wherever they are in it, or of the last b of a stream; a tie of g counts 1/g",
        true,
        Of::Records(|settings| Box::new(pairs::record_linkage::RecordLinkage::new(settings))),
    ),
    risk(
        "distance_linkage",
        "share of records linked to their original, the nearest of all originals of a table, or of the last b of a stream, with every attribute divided by its standard deviation",
        true,
        Of::Records(|settings| {
            Box::new(pairs::record_linkage::RecordLinkage::standardised(settings))
        }),
    ),
    risk(
        "probabilistic_linkage",
        "share of records linked to their original, the one of all originals of a table, or of the last b of a stream, with the largest Fellegi-Sunter weight, estimated by EM from the patterns of agreement",
        true,
        Of::Records(|settings| {
            Box::new(pairs::probabilistic_linkage::ProbabilisticLinkage::new(
                settings,
            ))
        }),
    ),
    risk(
        "rank_interval_disclosure",
        "share of values within p percent of the ranks from their protected value, among the last b protected values",
        true,
        Of::Records(|settings| Box::new(pairs::interval_disclosure::RankIntervals::new(settings))),
    ),
    risk(
        "sd_interval_disclosure",
        "share of values within p percent of a standard deviation from their protected value",
        true,
        Of::Records(|settings| {
            Box::new(pairs::interval_disclosure::DeviationIntervals::new(
                settings,
            ))
        }),
    ),
    loss(
        "sse",
        "sum of squared differences between records and what is released of them; a category that changed counts 1",
        false,
        Of::Records(|settings| Box::new(pairs::sse::Sse::new(settings))),
    ),
    loss(
        "sse_ratio",
        "squared differences over those of a release that shows only means and most frequent categories, on average over the attributes: 0 as it was, 1 as bad as that",
        true,
        Of::Records(|settings| Box::new(pairs::sse::SseRatio::new(settings))),
    ),
    loss(
        "il1s",
        "mean absolute difference between values and what is released of them, in units of √2 standard deviations",
        false,
        Of::Records(|settings| Box::new(pairs::il1s::Il1s::new(settings))),
    ),
    loss(
        "mean_discrepancy",
        "by how much means moved, in standard deviations, on average over the attributes",
        false,
        Of::Records(|settings| Box::new(pairs::moments::Discrepancy::of_means(settings))),
    ),
    loss(
        "covariance_discrepancy",
        "by how much variances and covariances changed, over the product of the standard deviations, on average over the pairs of attributes",
        false,
        Of::Records(|settings| Box::new(pairs::moments::Discrepancy::of_covariances(settings))),
    ),
    loss(
        "correlation_discrepancy",
        "by how much correlations changed, on average over the pairs of attributes",
        false,
        Of::Records(|settings| Box::new(pairs::moments::Discrepancy::of_correlations(settings))),
    ),
    loss(
        "mean_variation",
        "by how much values, means, covariances and variances of numbers changed relative to what they were, and correlations by themselves, on average of the five; may be more than all, where values are near 0",
        true,
        Of::Records(|settings| Box::new(pairs::variation::MeanVariation::new(settings))),
    ),
    loss(
        "probabilistic_information_loss",
        "chance that a sample as large would differ less in its means, variances, covariances, correlations and quantiles than the release does, on average: 0 as it was, 1 beyond chance",
        true,
        Of::Records(|settings| Box::new(pairs::probabilistic_information_loss::Pil::new(settings))),
    ),
    loss(
        "entropy_loss",
        "share of the information about a value that the protected value no longer tells, H(original | protected) / H(original), on average over the attributes",
        true,
        Of::Records(|settings| Box::new(pairs::entropy::EntropyLoss::new(settings))),
    ),
    loss(
        "dbil",
        "distance-based information loss: the mean distance of masked categories from what they were, |a - b| / L of L ordered ones, 1 of others that differ",
        true,
        Of::Categories(|of| of.share(|figures| figures.dbil)),
    ),
    loss(
        "ctbil",
        "contingency-table-based information loss: the share of records that lie in another cell, on average over the tables of up to `table_order` masked categories: half of the absolute differences over the records",
        true,
        Of::Categories(|of| of.share(|figures| figures.ctbil)),
    ),
    loss(
        "ebil",
        "entropy-based information loss: bits of a category that its masked value leaves open, H(original | masked), over log2 of the categories it can have; unlike entropy_loss it is held against what the domain could tell",
        true,
        Of::Categories(|of| of.share(|figures| figures.ebil)),
    ),
    loss(
        "il",
        "information loss of masked categories: the mean of dbil, ctbil and ebil",
        true,
        Of::Categories(|of| of.share(Figures::il)),
    ),
    loss(
        "chi_square_change",
        "by how much χ² of two masked categories changes, over what it was, on average over all pairs of columns",
        false,
        Of::Categories(Categorical::chi_square_change),
    ),
    loss(
        "cluster_loss",
        "clustering-based information loss: the mean of cluster_loss_rand, cluster_loss_jaccard and cluster_loss_adjusted_rand, where originals and masked categories are put into as many `clusters` by c-median from the same records",
        true,
        Of::Categories(|of| of.partitions().map(PartitionPairs::loss)),
    ),
    loss(
        "cluster_loss_rand",
        "1 less the Rand index of both clusterings: the share of pairs of records that are together in one of them alone",
        true,
        Of::Categories(|of| of.partitions().map(|pairs| 1.0 - pairs.rand())),
    ),
    loss(
        "cluster_loss_adjusted_rand",
        "the same of Hubert and Arabie's index A, which takes off what chance gives, as 1 - (1 + A) / 2: one half by chance, 0 where clusters are as they were",
        true,
        Of::Categories(|of| {
            of.partitions()
                .map(|pairs| (1.0 - pairs.adjusted_rand()) / 2.0)
        }),
    ),
    loss(
        "cluster_loss_jaccard",
        "1 less the Jaccard index of both clusterings: of the pairs of records together in one of them, the share that is not in both",
        true,
        Of::Categories(|of| of.partitions().map(|pairs| 1.0 - pairs.jaccard())),
    ),
    loss(
        "cluster_loss_fowlkes_mallows",
        "1 less the Fowlkes-Mallows index of both clusterings, the geometric mean of both shares of Wallace",
        true,
        Of::Categories(|of| of.partitions().map(|pairs| 1.0 - pairs.fowlkes_mallows())),
    ),
    loss(
        "cluster_loss_wallace",
        "1 less the Wallace index of both clusterings: of the pairs of originals that are in one cluster, the share that no longer is",
        true,
        Of::Categories(|of| of.partitions().map(|pairs| 1.0 - pairs.wallace()[0])),
    ),
    risk(
        "categorical_interval_disclosure",
        "share of masked categories whose original is near: of ordered ones within p percent of the ranks of the masked column, on average over p = 1 to 10, of others the same",
        true,
        Of::Categories(|of| of.share(|figures| figures.interval)),
    ),
    risk(
        "categorical_distance_linkage",
        "share of records linked to their original by the masked categories alone, the nearest of all by the distance of dbil; a tie of g counts 1/g",
        true,
        Of::Categories(|of| of.share(|figures| figures.distance_linkage)),
    ),
    risk(
        "categorical_probabilistic_linkage",
        "share of records linked to their original by the masked categories alone, the one of all with the largest Fellegi-Sunter weight, with chances found as `linkage` under [measure] says",
        true,
        Of::Categories(|of| of.share(|figures| figures.probabilistic_linkage)),
    ),
    risk(
        "unique_pairs_kept",
        "share of records that nobody else is like in two masked columns, that stay as they were and whom nobody else is like in the release, on average over all pairs of columns with such records",
        true,
        Of::Categories(Categorical::unique_pairs_kept),
    ),
    risk(
        "dr",
        "disclosure risk of masked categories: half of categorical_interval_disclosure and a quarter of each categorical linkage",
        true,
        Of::Categories(|of| of.share(Figures::dr)),
    ),
    risk(
        "score_mean",
        "the mean of il and dr",
        true,
        Of::Categories(|of| of.share(Figures::mean)),
    ),
    risk(
        "score_max",
        "the larger of il and dr, which is low where both are",
        true,
        Of::Categories(|of| of.share(Figures::max)),
    ),
    loss(
        "accuracy_loss",
        "accuracy that a learner loses by learning from the release, of all released columns that have a type, row by row in the order of the source: of two copies of it, each tested with an original row before it learns what it is shown of it, the one that learns from originals is right so much more often; suppressed rows are left out of both; a learner of mixtures of columns is tested with mixtures",
        true,
        Of::Lessons { masked: false },
    ),
    loss(
        "accuracy_loss_masked",
        "as accuracy_loss, but the learner of the release is tested with released rows as well: what is lost by whoever has nothing else to apply it to",
        true,
        Of::Lessons { masked: true },
    ),
    high(risk(
        "p_k",
        "share of users with a released row who are in a group of at least k users with the same set of released labels, within the window and over all time",
        true,
        Of::Events,
    )),
    risk(
        "unique_sets",
        "share of users whose set of released labels nobody else has, within the window and over all time; who knows such a set knows the person",
        true,
        Of::Events,
    ),
    high(loss(
        "residual_information",
        "share of the information about the attribute that the release still gives, I(before; after) / H(before): 1 when a label tells the value, 0 when it tells nothing",
        true,
        Of::Events,
    )),
    high(loss(
        "entropy",
        "bits of the distribution of attributes before, and of released labels after, where what is not released is one label: log2 of as many equally frequent values",
        false,
        Of::Events,
    )),
    loss(
        "delay",
        "milliseconds that a released row waited, by how far two users of its source came meanwhile, mean and most",
        false,
        Of::Events,
    ),
];

/// The measure called `name`.
pub fn find(name: &str) -> Option<&'static Info> {
    LIST.iter().find(|info| info.name == name)
}

/// The measures that need a learner.
pub fn learnt() -> impl Iterator<Item = &'static Info> {
    LIST.iter().filter(|info| info.is_learnt())
}

/// The measure of pairs of records called `name`.
///
/// # Errors
/// When there is none, or the settings mean nothing.
pub fn build(name: &str, settings: &PairSettings) -> Result<Box<dyn Measure>> {
    settings.check()?;
    match find(name).map(|info| info.of) {
        Some(Of::Records(build)) => Ok(build(settings)),
        _ => {
            let of_records = LIST.iter().filter(|info| info.is_of(false, true));
            let names: Vec<&str> = of_records.map(|info| info.name).collect();
            Err(Error::policy(format!("`{name}` is no measure of records"))
                .help(format!("choose from {}", names.join(", "))))
        }
    }
}

const fn risk(name: &'static str, meaning: &'static str, percent: bool, of: Of) -> Info {
    Info {
        name,
        family: Family::Risk,
        meaning,
        goal: Goal::Low,
        percent,
        of,
    }
}

const fn loss(name: &'static str, meaning: &'static str, percent: bool, of: Of) -> Info {
    Info {
        family: Family::Loss,
        ..risk(name, meaning, percent, of)
    }
}

const fn high(info: Info) -> Info {
    Info {
        goal: Goal::High,
        ..info
    }
}
