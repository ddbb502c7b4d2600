//! The measures of a stream that can be explained. A policy cannot ask for them:
//! the report of a stream tells them all.

use crate::measure::{Family, Goal, Info};

/// Every measure of a stream.
pub const STREAM_LIST: &[Info] = &[
    Info {
        name: "p_k",
        family: Family::Risk,
        meaning: "share of users with a released row who are in a group of at least k users with the same set of released labels, within the window and over all time",
        goal: Goal::High,
        percent: true,
    },
    Info {
        name: "unique_sets",
        family: Family::Risk,
        meaning: "share of users whose set of released labels nobody else has, within the window and over all time; who knows such a set knows the person",
        goal: Goal::Low,
        percent: true,
    },
    Info {
        name: "residual_information",
        family: Family::Loss,
        meaning: "share of the information about the attribute that the release still gives, I(before; after) / H(before): 1 when a label tells the value, 0 when it tells nothing",
        goal: Goal::High,
        percent: true,
    },
    Info {
        name: "entropy",
        family: Family::Loss,
        meaning: "bits of the distribution of attributes before, and of released labels after, where what is not released is one label: log2 of as many equally frequent values",
        goal: Goal::High,
        percent: false,
    },
    Info {
        name: "delay",
        family: Family::Loss,
        meaning: "milliseconds that a released row waited, by how far two users of its source came meanwhile, mean and most",
        goal: Goal::Low,
        percent: false,
    },
];
