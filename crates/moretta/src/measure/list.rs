//! The one list of measures: the policy, the program and the documentation are made from it.

use super::Goal;

/// What a measure is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// How easily persons are found again.
    Risk,
    /// What the release no longer says.
    Loss,
}

impl Family {
    /// "risk" or "loss".
    pub fn word(self) -> &'static str {
        match self {
            Family::Risk => "risk",
            Family::Loss => "loss",
        }
    }
}

/// A measure that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info {
    /// The name used in a policy.
    pub name: &'static str,
    /// Risk or loss.
    pub family: Family,
    /// What it says, in one sentence.
    pub meaning: &'static str,
    /// Which way is better.
    pub goal: Goal,
    /// A share, shown as a percentage.
    pub percent: bool,
}

/// Every measure, in the order of the report.
pub const LIST: &[Info] = &[
    risk(
        "prosecutor_risk",
        "chance of finding a person who is known to be in the release, in the smallest class: the largest 1/f",
    ),
    risk(
        "journalist_risk",
        "chance of finding the person behind a released row of the smallest class, among all persons of the original that fit it: the largest 1/F",
    ),
    risk(
        "marketer_risk",
        "share of persons that one guess for each would find: the mean of 1/f, which is classes over persons",
    ),
    risk("uniques", "share of persons who are alone in their class"),
    risk(
        "hiding_failure",
        "groups smaller than k that are left, as a share of those there were",
    ),
    loss(
        "gcp",
        "global certainty penalty: ncp over all cells, 0 as it was and 1 nothing left; suppressed rows count 1",
        true,
    ),
    loss(
        "ncp",
        "normalised certainty penalty, of all cells together: width over range for an interval, (c - 1)/(D - 1) for c of D categories, leaves under it over all leaves for a label, 1 for `*` and in suppressed rows",
        false,
    ),
    loss(
        "loss",
        "geometric mean over the columns of 1 + mean loss, less 1, where a value that stands for c of D loses (c - 1)/(D - 1)",
        true,
    ),
    loss(
        "discernibility",
        "sum of squared class sizes; a suppressed row counts as many as there are rows",
        false,
    ),
    loss(
        "average_class_size",
        "rows in a class on average, over k: 1 is as good as k allows",
        false,
    ),
    loss(
        "classification",
        "share of rows that are suppressed or not of their class's most frequent label",
        true,
    ),
    ACCURACY_LOSS,
    ACCURACY_LOSS_MASKED,
];

/// What a learner loses, tested with original and with released rows.
pub const ACCURACY_LOSSES: [&str; 2] = [ACCURACY_LOSS.name, ACCURACY_LOSS_MASKED.name];

/// Whether the measure called `name` needs a learner.
pub fn is_accuracy_loss(name: &str) -> bool {
    ACCURACY_LOSSES.contains(&name)
}

/// Of tables and of pairs of records alike.
pub(super) const ACCURACY_LOSS: Info = loss(
    "accuracy_loss",
    "accuracy that a learner loses by learning from the release: of two copies of it, each tested with an original record before it learns what it is shown of it, the one that learns from originals is right so much more often; suppressed records are left out of both; a learner of mixtures of columns is tested with mixtures",
    true,
);

/// The same, tested with what is released.
pub(super) const ACCURACY_LOSS_MASKED: Info = loss(
    "accuracy_loss_masked",
    "as accuracy_loss, but the learner of the release is tested with released records as well: what is lost by whoever has nothing else to apply it to",
    true,
);

/// The measure called `name`.
pub fn info(name: &str) -> Option<&'static Info> {
    LIST.iter().find(|info| info.name == name)
}

const fn risk(name: &'static str, meaning: &'static str) -> Info {
    Info {
        name,
        family: Family::Risk,
        meaning,
        goal: Goal::Low,
        percent: true,
    }
}

const fn loss(name: &'static str, meaning: &'static str, percent: bool) -> Info {
    Info {
        name,
        family: Family::Loss,
        meaning,
        goal: Goal::Low,
        percent,
    }
}
