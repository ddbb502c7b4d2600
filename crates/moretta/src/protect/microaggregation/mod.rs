//! Microaggregation: similar records in groups of k or more, each shown as its group's centroid.
//!
//! Numbers become the mean of their group, ordered categories the (lower) median,
//! other categories the most frequent one (of several the one seen first). A
//! missing value becomes the centroid of those present, and stays missing only if
//! it is missing in the whole group.
//!
//! On a table `grouping` is *mdav*, with groups of k to 2k - 1 records, or *v-mdav*,
//! whose groups grow where records lie close (γ). With a `buffer` of b rows it works
//! on a stream: *nearest* groups each record that must leave with its k - 1 nearest
//! in the window; *mdav* and *v-mdav* group b - k rows at a time. A record leaves
//! less than b rows after it came, in its turn, and so do all others of its group:
//! each released combination of masked values is there at least k times. Only a
//! stream of fewer than k records is suppressed.
//!
//! Distances are Euclidean. Each number or rank is divided by the standard deviation
//! of its column or by its range (in a stream, of all records so far) or taken as it
//! is, as `scale` says; categories without order, and missing values, differ by 1.
//!
//! **Protects against** linking a person to fewer than k records by the masked
//! columns: the release is k-anonymous on them, as far as each record is a person
//! of its own.
//! **Does not protect against** learning a sensitive value that a whole group shares,
//! nor against linking by columns that are not masked. A group whose values are all
//! equal, or of which only one is present, shows that value. Nor does it stop one who
//! knows the other records of a group, or sees the same persons in several releases.
//!
//! **Costs** n²/k distances for a table; about b/k distances a record in a window,
//! b records in memory and a delay of less than b rows. A larger k protects more and
//! loses more; a larger b finds nearer neighbours.
//!
//! **From** Domingo-Ferrer and Torra, Ordinal, continuous and heterogeneous k-anonymity
//! through microaggregation, DMKD 2005; Solanas and Martínez-Ballesté, V-MDAV,
//! COMPSTAT 2006. The stream filter is what Martínez Rodríguez, Nin and
//! Nuñez-del-Prado, Towards the adaptation of SDC methods to stream mining, 2017,
//! describe; its published code grouped consecutive records and released raw ones.
//!
//! ```
//! use moretta::data::{Attribute, Records};
//! use moretta::protect::microaggregation::Microaggregation;
//! let mut ages = Records::new(1);
//! for age in [20.0, 61.0, 24.0, 67.0, 22.0, 64.0] {
//!     ages.push(&[age]);
//! }
//! Microaggregation::new(3).mask(&[Attribute::Number], &mut ages);
//! assert!(ages.column(0).eq([22.0, 64.0, 22.0, 64.0, 22.0, 64.0]));
//! ```

mod centroid;
mod mdav;
mod nearest;
mod pool;
mod scale;
#[cfg(test)]
mod tests;
mod v_mdav;

pub use scale::Scale;

use super::config::MethodConfig;
use super::filter::{Filter, MaskedColumn, Masking};
use super::parameters::{COLUMNS, buffer};
use super::window::{Mask, Window};
use crate::cancel::Cancel;
use crate::config::{Absent, Accepts, Parameter, Placed, Protects, Section, words};
use crate::data::{Attribute, Records};
use crate::error::{Error, Result};
use centroid::Centroid;
use nearest::Nearest;
use pool::Pool;
use scale::Spread;

/// How groups are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// Around the records farthest out, of k to 2k - 1.
    Mdav,
    /// Around the records farthest out, extended where others are close.
    VMdav,
    /// Around each record of a stream that must leave.
    Nearest,
}

/// Microaggregation with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Microaggregation {
    /// The least size of a group.
    pub k: usize,
    /// The most rows held at a time; none: the whole table.
    pub buffer: Option<usize>,
    /// How groups are made.
    pub grouping: Grouping,
    /// How readily groups of V-MDAV grow.
    pub gamma: f64,
    /// How columns weigh in distances.
    pub scale: Scale,
    /// The columns that are masked; none named: all quasi-identifiers.
    pub columns: Option<Vec<String>>,
}

const GROUPINGS: &[(&str, Grouping)] = &[
    ("mdav", Grouping::Mdav),
    ("v-mdav", Grouping::VMdav),
    ("nearest", Grouping::Nearest),
];

const SCALES: &[(&str, Scale)] = &[
    ("deviation", Scale::Deviation),
    ("range", Scale::Range),
    ("none", Scale::None),
];

/// What Solanas and Martínez-Ballesté advise for data that is scattered.
const USUAL_GAMMA: f64 = 0.2;

/// A larger k is a mistake.
const MOST: i64 = 1 << 23;

const K: Parameter = Parameter::new(
    "k",
    Accepts::Whole(2, MOST),
    Absent::Refused,
    "the least size of a group",
)
.examples(&["5"])
.tunable(Protects::More);
const BUFFER: Parameter = Parameter {
    meaning: "the most rows held at a time, 2k at least: then it works on a stream, and a row waits for fewer others than this",
    ..buffer(4)
};
const GROUPING: Parameter = Parameter::new(
    "grouping",
    Accepts::Word(|| words(GROUPINGS)),
    Absent::Means("nearest with a buffer, else mdav"),
    "how groups are made: around the records farthest out, of k to 2k - 1 (mdav) or growing where others are close (v-mdav); or around each record that must leave (nearest, only with a buffer)",
);
const GAMMA: Parameter = Parameter::new(
    "gamma",
    Accepts::Number(0.0, 10.0),
    Absent::Means("0.2"),
    "with v-mdav: a record joins a full group if it is nearer to it than gamma times its distance to the next outside; about 0.2 for scattered data, 1.1 for clusters",
);
const SCALE: Parameter = Parameter::new(
    "scale",
    Accepts::Word(|| words(SCALES)),
    Absent::Text("deviation"),
    "what differences of numbers and ranks are divided by in distances",
);

impl Microaggregation {
    /// Its parameters in a policy.
    pub const PARAMETERS: &'static [Parameter] = &[K, BUFFER, GROUPING, GAMMA, SCALE, COLUMNS];

    /// On whole tables, by MDAV, with groups of at least k.
    pub fn new(k: usize) -> Self {
        Microaggregation {
            k,
            buffer: None,
            grouping: Grouping::Mdav,
            gamma: USUAL_GAMMA,
            scale: Scale::Deviation,
            columns: None,
        }
    }

    /// Reads its parameters.
    pub fn read(section: &mut Section) -> Result<Self> {
        let k: usize = section.whole(&K)?;
        let buffer = section.optional(&buffer(2 * k as i64), Placed::whole)?;
        let grouping = section.optional_word(&GROUPING, GROUPINGS)?;
        let gamma = section.optional(&GAMMA, Placed::number)?;
        let grouping = match (grouping, buffer) {
            (Some(Grouping::Nearest), None) => {
                let what = "`grouping` can be `nearest` only with a buffer";
                return Err(section.error(what).help("say `buffer = 100`, or take mdav"));
            }
            (Some(grouping), _) => grouping,
            (None, Some(_)) => Grouping::Nearest,
            (None, None) => Grouping::Mdav,
        };
        if gamma.is_some() && grouping != Grouping::VMdav {
            return Err(section.error("`gamma` is only for `grouping = \"v-mdav\"`"));
        }
        Ok(Microaggregation {
            k,
            buffer,
            grouping,
            gamma: gamma.unwrap_or(USUAL_GAMMA),
            scale: section.word(&SCALE, SCALES)?,
            columns: section.optional(&COLUMNS, Placed::texts)?,
        })
    }

    /// Writes its parameters as [`Microaggregation::read`] reads them.
    pub fn write(&self, section: &mut Section) {
        section.set(&K, self.k);
        section.set_optional(&buffer(2), self.buffer);
        section.set_word(&GROUPING, GROUPINGS, self.grouping);
        if self.grouping == Grouping::VMdav {
            section.set(&GAMMA, self.gamma);
        }
        section.set_word(&SCALE, SCALES, self.scale);
        section.set_optional(&COLUMNS, self.columns.clone());
    }

    /// Ready to mask records of these attributes; nothing is drawn by lot, so the seed
    /// does not matter.
    pub fn filter(&self, attributes: &[Attribute], _seed: u64) -> Result<Box<dyn Filter>> {
        if attributes.is_empty() {
            return Err(Error::policy("there is no column to microaggregate"));
        }
        if self.k < 2
            || self
                .buffer
                .is_some_and(|rows| rows < self.k.saturating_mul(2))
        {
            let what = "microaggregation needs a k of 2 or more, and a buffer of 2k or more";
            return Err(Error::policy(what));
        }
        match (self.grouping, self.buffer) {
            (Grouping::Nearest, Some(buffer)) => {
                let nearest = Nearest::new(self.k, buffer, self.scale, attributes);
                Ok(Box::new(nearest))
            }
            (Grouping::Nearest, None) => Err(Error::policy(
                "`grouping` can be `nearest` only with a buffer",
            )),
            (_, buffer) => {
                let mask = Box::new(Ready::new(self, attributes));
                Ok(Box::new(Window::new(
                    mask,
                    attributes.len(),
                    buffer,
                    self.k,
                )))
            }
        }
    }

    /// The groups of a whole table, as rows. There are none if it has fewer than k.
    pub fn groups(&self, attributes: &[Attribute], records: &Records) -> Vec<Vec<usize>> {
        match records.len() < self.k.max(2) {
            true => Vec::new(),
            false => {
                Ready::new(self, attributes).groups(records, records.len(), &Cancel::default())
            }
        }
    }

    /// Masks a whole table in its place; a table of fewer than k records is not changed.
    pub fn mask(&self, attributes: &[Attribute], records: &mut Records) {
        let groups = self.groups(attributes, records);
        aggregate(&groups, attributes, records);
    }
}

impl MethodConfig for Microaggregation {
    fn is_random(&self) -> bool {
        false
    }

    fn masking(&self) -> Option<&dyn Masking> {
        Some(self)
    }
}

impl Masking for Microaggregation {
    fn buffer(&self) -> Option<usize> {
        self.buffer
    }

    fn columns(&self) -> Option<Vec<&str>> {
        let columns = self.columns.as_ref()?;
        Some(columns.iter().map(String::as_str).collect())
    }

    fn k(&self) -> Option<u32> {
        u32::try_from(self.k).ok()
    }

    fn filter(&self, columns: &[MaskedColumn<'_>], seed: u64) -> Result<Box<dyn Filter>> {
        let attributes: Vec<Attribute> = columns.iter().map(|column| column.attribute).collect();
        Microaggregation::filter(self, &attributes, seed)
    }
}

/// The table function, which knows the spread of what it saw.
struct Ready {
    config: Microaggregation,
    attributes: Vec<Attribute>,
    spread: Spread,
}

impl Ready {
    fn new(config: &Microaggregation, attributes: &[Attribute]) -> Self {
        Ready {
            config: config.clone(),
            attributes: attributes.to_vec(),
            spread: Spread::new(config.scale, attributes),
        }
    }

    fn groups(&mut self, records: &Records, rows: usize, cancel: &Cancel) -> Vec<Vec<usize>> {
        let k = self.config.k.max(2);
        let mut pool = Pool::new(&self.attributes);
        for (row, record) in records.iter().enumerate().take(rows) {
            self.spread.observe(record);
            pool.push(row, record);
        }
        let weights = self.spread.weights();
        pool.weigh(weights);
        match self.config.grouping {
            Grouping::VMdav => {
                let extent = (k, self.config.gamma);
                v_mdav::v_mdav(
                    records,
                    &self.attributes,
                    weights,
                    &mut pool,
                    extent,
                    cancel,
                )
            }
            Grouping::Mdav | Grouping::Nearest => mdav::mdav(&mut pool, k, cancel),
        }
    }
}

impl Mask for Ready {
    fn mask(
        &mut self,
        records: &mut Records,
        rows: usize,
        cancel: &Cancel,
    ) -> Result<Vec<Vec<usize>>> {
        let groups = self.groups(records, rows, cancel);
        // What was grouped then is not whole.
        cancel.check()?;
        aggregate(&groups, &self.attributes, records);
        Ok(groups)
    }
}

/// Gives the records of each group their centroid.
fn aggregate(groups: &[Vec<usize>], attributes: &[Attribute], records: &mut Records) {
    let mut centroid = Centroid::new(attributes);
    let mut centre = vec![0.0; attributes.len()];
    for group in groups {
        centroid.of(group.iter().map(|&row| records.record(row)), &mut centre);
        for &row in group {
            records.record_mut(row).copy_from_slice(&centre);
        }
    }
}
