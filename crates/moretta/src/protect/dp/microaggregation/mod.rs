//! Differentially private microaggregation: noisy centroids of groups of k, in windows of b records.
//!
//! Each window of b records (the last one may be shorter) is put in order and
//! cut into groups of k, the last group of k to 2k − 1. Of each group and
//! attribute only the sum is used; it gets discrete Laplace noise on a grid
//! between declared bounds and, divided by the size of the group, is released
//! once for each member. The orders differ in what they keep and cost:
//!
//! | `order` | groups | scale of the noise on a centroid | what survives |
//! |---|---|---|---|
//! | `univariate` | each attribute sorted by itself | m Δ / (k ε) | the distribution of each attribute |
//! | `multivariate` | records by distance to the corner of the lower bounds | m Δ ⌊b/k⌋ / (k ε) | relations between attributes |
//! | `arrival` | k records that follow each other | m Δ / (k ε) | relations, and the course over time |
//!
//! Here m is the number of attributes, Δ = upper − lower, and w (default 1) times
//! as much if any w successive windows are to be protected together.
//!
//! **Proof.** Two windows are neighbours if one record differs; how many records
//! there are and when they came is public. Let Dⱼ be the number of steps of the
//! grid of attribute j, so values are whole numbers from 0 to Dⱼ.
//!
//! - *univariate*: let v become v′ > v. No order statistic falls, and all of
//!   them together rise by v′ − v, because their sum is the sum of the window.
//!   Hence the group sums, too, only rise, by v′ − v ≤ Dⱼ together: the list
//!   of all sums of the attribute has L1 sensitivity Dⱼ, whatever b/k is.
//! - *multivariate*: the order depends on each record alone, so taking one out
//!   and putting one in moves the records between the two places by one. Each
//!   of the ⌊b/k⌋ groups loses at most one record and gains one, and its sum
//!   changes by at most Dⱼ: ⌊b/k⌋ Dⱼ in all. No better bound holds, for records
//!   near each other in that order may lie at both ends of an attribute; so
//!   this order pays only if k is above √b.
//! - *arrival*: a record is in one group only, whose sum changes by at most Dⱼ.
//!
//! With S the sensitivity, noise P(x) ∝ e^−|x|εⱼ/S on each sum makes the list of
//! the attribute's sums εⱼ-private, and εⱼ = ε/m makes the lists of all
//! attributes ε-private together. The rest must not look at the data again:
//! sizes follow from the number of records, division and scaling are by public
//! numbers, and **which place of the window gets which group** is drawn at
//! random (by `arrival`, it is public). Giving each record the centroid of its
//! *own* group, as published, shows how records rank among one another, which
//! no noise on the centroids hides: with all others known, the rank of the last
//! one is read off. So with `univariate` and `multivariate` a released record
//! stands for the window and for no one record in it; who needs a value for each
//! record takes `local-dp`.
//!
//! A missing value counts as the middle of its bounds, one beyond them as the
//! nearest bound. A last window of fewer than k records is suppressed.
//!
//! **Protects against** anybody who wants to learn about one record of the
//! stream, whatever else they know: odds change by a factor of at most e^ε.
//! Each record is in one window, so the ε of one window is that of the stream
//! (event level). With `w`, it covers whoever has at most one record in each of
//! any w successive windows; `budget` bounds what the whole stream may spend,
//! and ends it with an error.
//! **Does not protect against** conclusions from columns that are not named (a
//! quasi-identifier among them is refused),
//! from the number and the times of records, or, at event level, from the many
//! records of one person.
//!
//! **Costs** a delay of at most b records, memory for one window, and time in
//! log b a value to sort. The noise has the scale given above: at m = 10,
//! k = 3 and ε = 1 it is over three times the range of the attribute.
//!
//! **From** Soria-Comas, Domingo-Ferrer, Sánchez and Martínez, Enhancing data
//! utility in differential privacy via microaggregation-based k-anonymity, VLDB
//! Journal 2014 (the fixed order and its factor n/k); Sánchez, Domingo-Ferrer,
//! Martínez and Soria-Comas, Utility-preserving differentially private data
//! releases via individual ranking microaggregation, Information Fusion 2016
//! (Δ/k for one attribute); Kellaris and others, Differentially private event
//! sequences over infinite streams, VLDB 2014 (w-event).

mod filter;

pub use filter::DpMicroaggregationFilter;

use super::local::{read_budget, written_budget};
use super::{Bounds, Budget, Epsilon, Loss};
use crate::config::{Absent, Accepts, Parameter, Placed, Section, words};
use crate::error::Result;
use std::collections::BTreeMap;

/// By what records are put into groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Each attribute by its own values.
    #[default]
    Univariate,
    /// All attributes by the distance from the corner of the lower bounds.
    Multivariate,
    /// All attributes by the order in which they came.
    Arrival,
}

/// Differentially private microaggregation with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct DpMicroaggregation {
    /// The size of a group.
    pub k: usize,
    /// b: the records of a window.
    pub buffer: usize,
    /// Whether rows leave window by window in the order of the input; those of a table leave
    /// in an order of their content.
    pub is_stream: bool,
    /// What one record loses at most, over all attributes and any `w` successive windows.
    pub epsilon: Epsilon,
    /// The attributes and their declared ranges.
    pub bounds: BTreeMap<String, Bounds>,
    /// By what records are put into groups.
    pub order: Order,
    /// How many successive windows share ε.
    pub w: usize,
    /// What all windows together may spend.
    pub budget: Option<Budget>,
    /// Released values are taken back into their bounds.
    pub clamp: bool,
}

const ORDERS: &[(&str, Order)] = &[
    ("univariate", Order::Univariate),
    ("multivariate", Order::Multivariate),
    ("arrival", Order::Arrival),
];

/// The largest window.
const LARGEST: i64 = 1_000_000;

const K: Parameter = Parameter::new(
    "k",
    Accepts::Whole(2, LARGEST),
    Absent::Refused,
    "the size of a group; the noise is divided by it, and detail is lost within it",
)
.examples(&["5"]);
const EPSILON: Parameter = Parameter::new(
    "epsilon",
    Epsilon::ACCEPTED,
    Absent::Refused,
    "what a record loses at most; the noise grows like 1/epsilon",
)
.examples(&["1.0"]);
const BUFFER: Parameter = Parameter::new(
    "buffer",
    Accepts::Whole(2, LARGEST),
    Absent::Means("100, of a table"),
    "the records of a window, k at least, in the order of the input; given, rows leave as they come; the delay, and for the multivariate order the noise, grow with it",
);
const BOUNDS: Parameter = Parameter::new(
    "bounds",
    Accepts::By("column", &Bounds::ACCEPTED),
    Absent::Refused,
    "what a column can be, never learnt from the data; the noise grows with the width",
)
.examples(&["{ age = [0, 120] }"]);
const ORDER: Parameter = Parameter::new(
    "order",
    Accepts::Word(|| words(ORDERS)),
    Absent::Text("univariate"),
    "by what records are put into groups: each attribute by itself, all by distance from the lower bounds, or as they came",
);
const W: Parameter = Parameter::new(
    "w",
    Accepts::Whole(1, LARGEST),
    Absent::Whole(1),
    "how many successive windows share epsilon; the noise grows with it",
);
const BUDGET: Parameter = Parameter {
    meaning: "what all windows together may spend, counted for a person who is in every one; then it is refused to go on",
    ..super::local::BUDGET
};
const CLAMP: Parameter = Parameter {
    meaning: "whether released values are taken back into their bounds: each nearer to the truth, means biased",
    ..super::local::CLAMP
};

impl DpMicroaggregation {
    /// Its parameters in a policy.
    pub const PARAMETERS: &'static [Parameter] =
        &[K, EPSILON, BUFFER, BOUNDS, ORDER, W, BUDGET, CLAMP];

    /// Reads its parameters.
    pub fn read(section: &mut Section) -> Result<Self> {
        let k: i64 = section.whole(&K)?;
        let buffer = BUFFER.accepts(Accepts::Whole(k, LARGEST));
        let buffer = section.optional(&buffer, Placed::whole)?;
        let bounds = section.by_name(&BOUNDS, Bounds::read)?;
        let bounds: BTreeMap<String, Bounds> = bounds.into_iter().flatten().collect();
        if bounds.is_empty() {
            return Err(section.error("`bounds` names no column"));
        }
        let placed = section.read(&EPSILON, |placed, _| Ok(placed.clone()))?;
        let config = DpMicroaggregation {
            k: k as usize,
            buffer: buffer.unwrap_or(100.max(k as usize)),
            is_stream: buffer.is_some(),
            epsilon: Epsilon::read(&placed, EPSILON.name)?,
            bounds,
            order: section.word(&ORDER, ORDERS)?,
            w: section.whole(&W)?,
            budget: section.optional(&BUDGET, read_budget)?,
            clamp: section.flag(&CLAMP)?,
        };
        if config.attributes().is_none() {
            return Err(placed
                .error("`epsilon` is too small for so many attributes and windows")
                .help("declare fewer columns, a smaller `w` or a larger `epsilon`"));
        }
        Ok(config)
    }

    /// Writes its parameters as [`DpMicroaggregation::read`] reads them.
    pub fn write(&self, section: &mut Section) {
        section.set(&K, self.k);
        if self.is_stream {
            section.set(&BUFFER, self.buffer);
        }
        section.set(&EPSILON, self.epsilon.value());
        section.set(&BOUNDS, self.bounds.clone());
        section.set_word(&ORDER, ORDERS, self.order);
        section.set(&W, self.w);
        section.set_optional(&BUDGET, self.budget.map(written_budget));
        section.set(&CLAMP, self.clamp);
    }

    /// What one window costs each of its records.
    pub fn loss(&self) -> Loss {
        Loss::pure(self.epsilon.split(self.w))
    }

    /// The part of ε that one attribute of one window gets.
    fn share(&self) -> Epsilon {
        self.epsilon.split(self.w).split(self.bounds.len())
    }

    /// How many ranges of an attribute the sums of a window change by at most.
    fn sensitivity(&self) -> usize {
        match self.order {
            Order::Univariate | Order::Arrival => 1,
            Order::Multivariate => self.buffer / self.k,
        }
    }
}

#[cfg(test)]
mod tests;
