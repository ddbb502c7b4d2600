//! The filters of the product in the place of the published ones.
//!
//! - *noise* is the same method with another generator of chance; the published one
//!   lets the first record pass unchanged, ours waits for a second.
//! - *microaggregation* groups the k nearest records of the window, by plain
//!   distances, and releases their centroid. The published one averages k records
//!   that follow each other and releases the raw ones.
//! - *rank swapping* is the same method, fed with the same chance, without a sort
//!   for each record.
//! - *differential privacy* takes its bounds from what the streams can be, splits ε
//!   over the attributes, and gives no record the centroid of its own group, which
//!   would tell its rank. The published one learns the range from the data, spends
//!   ε on each attribute and lets every seventh record pass without a group. So ours
//!   loses far more at the same ε: it is the price of the promise.

use super::filter::{Filter, Pair};
use super::point::{Method, Setting};
use super::{noise, rank_swapping};
use moretta::math::java_random::JavaRandom;
use moretta::protect::dp::microaggregation::{DpMicroaggregation, Order};
use moretta::protect::dp::{Bounds, Epsilon};
use moretta::protect::microaggregation::{Grouping, Microaggregation, Scale};
use moretta::protect::noise::{Kind, Noise, Transform};
use moretta::protect::rank_swapping::{Direction, Inside, RankSwapping, Within};
use moretta::protect::{self, Masked, MaskedColumn, Masking};
use std::collections::VecDeque;

/// The product's filter for a point of the grid; none where it refuses the parameters.
pub(crate) fn build(setting: &Setting) -> Option<Box<dyn Filter>> {
    let Setting {
        method,
        attributes,
        seeds,
    } = *setting;
    let names: Vec<String> = (1..=attributes).map(|n| format!("att{n}")).collect();
    let columns = MaskedColumn::numbers(&names);
    // Centres in the unit cube and offsets of deviation up to 1; triangles up to 6 and
    // offsets of deviation 1: beyond these lies less than one value in ten thousand.
    let bounds = match attributes {
        10 => Bounds::new(-4.0, 5.0)?,
        _ => Bounds::new(-4.0, 10.0)?,
    };
    let filter = match method {
        Method::Noise { a } => {
            let noise = Noise {
                transform: Transform::None,
                kind: Kind::Uncorrelated,
                amount: a,
                steps: None,
                replace: 0.0,
                class: 0.0,
                buffer: Some(2),
                columns: None,
            };
            noise.filter(&columns, seeds.of(noise::SEED) as u64)
        }
        Method::Microaggregation { k, b } => {
            let microaggregation = Microaggregation {
                buffer: Some(b),
                grouping: Grouping::Nearest,
                scale: Scale::None,
                ..Microaggregation::new(k)
            };
            Masking::filter(&microaggregation, &columns, 0)
        }
        Method::RankSwapping { p, b } => {
            let swapping = RankSwapping {
                inside: Inside::Table,
                within: Within::Ranks(p),
                direction: Direction::Descending,
                buffer: Some(b),
                columns: None,
            };
            let chance = JavaRandom::new(seeds.of(rank_swapping::SEED));
            swapping.filter_with(attributes, chance)
        }
        Method::DifferentialPrivacy { epsilon, k, b } => {
            let private = DpMicroaggregation {
                k,
                buffer: b,
                is_stream: true,
                epsilon: Epsilon::new(epsilon)?,
                bounds: names.iter().map(|name| (name.clone(), bounds)).collect(),
                order: Order::Univariate,
                w: 1,
                budget: None,
                clamp: false,
            };
            private.filter(&columns, 0)
        }
    };
    Some(Box::new(Ours::new(filter.ok()?, attributes)))
}

/// A filter of the product, one pair at a time.
struct Ours {
    filter: Box<dyn protect::Filter>,
    masked: Masked,
    originals: VecDeque<Vec<f64>>,
    released: VecDeque<Vec<f64>>,
}

impl Ours {
    fn new(filter: Box<dyn protect::Filter>, attributes: usize) -> Self {
        Ours {
            filter,
            masked: Masked::new(attributes),
            originals: VecDeque::new(),
            released: VecDeque::new(),
        }
    }
}

impl Filter for Ours {
    fn push(&mut self, record: &[f64], pair: &mut Pair) -> bool {
        self.originals.push_back(record.to_vec());
        if self.filter.push(record, &mut self.masked).is_err() {
            return false;
        }
        let released = self.masked.records().iter().map(<[f64]>::to_vec);
        self.released.extend(released);
        self.masked.clear();
        let Some(released) = self.released.pop_front() else {
            return false;
        };
        pair.released.copy_from_slice(&released);
        if let Some(original) = self.originals.pop_front() {
            pair.original.copy_from_slice(&original);
        }
        true
    }
}
