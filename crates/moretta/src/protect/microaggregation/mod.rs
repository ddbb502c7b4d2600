//! Microaggregation: similar records in groups of k or more, each shown as its group's centroid.
//!
//! Numbers become the mean of their group, ordered categories the (lower) median,
//! other categories the most frequent one (of several the first in their order). A
//! missing value becomes the centroid of those present, and stays missing only if
//! it is missing in the whole group.
//!
//! `grouping` says how groups are made:
//!
//! - *mdav*: around the records farthest out, of k to 2k - 1 records.
//! - *v-mdav*: the same, and groups grow where records lie close (γ).
//! - *hansen-mukherjee*: of one column of numbers, the groups that lose least of all possible.
//! - *projection*: records in the order of one `axis`, cut where that loses least; fast, and
//!   good where columns go together.
//! - *mu-approx*: trees of nearest records cut into groups of k to max(2k - 1, 3k - 5); the
//!   loss is at most a factor above the least possible.
//! - *nearest*: only on a stream, see below.
//!
//! In a table of more than `exact` rows *mdav* goes straight inwards, without opposite
//! records, and an index finds the nearest; that is far faster and loses as much, give or take
//! 1 %. Where a column is called the subject, each person is one point, the centroid of their
//! rows; k counts persons, and all their rows show the centroid of the group.
//!
//! With `groups` the columns of each list are grouped by themselves. That loses less, and
//! promises less: records are alike in k or more in each list of columns, **not in all
//! columns together**, so somebody who knows columns of two lists may find one record. The
//! checker counts k for each list.
//!
//! With a `buffer` of b rows it works on a stream: *nearest* groups each record that must
//! leave with its k - 1 nearest in the window; *mdav* and *v-mdav* group b - k rows at a
//! time. A record leaves less than b rows after it came, in its turn, and so do all others
//! of its group: each released combination of masked values is there at least k times. Only
//! a stream of fewer than k records is suppressed.
//!
//! Distances are Euclidean. Each number is divided by the standard deviation of its column or
//! by its range (in a stream, of all records so far) or taken as it is, as `scale` says; a
//! rank by the number of levels less one (in a stream as a number). Categories without order
//! differ by 1, or, in a table, by the level of their lowest common ancestor where the column
//! has a hierarchy: l/h of one of height h. Missing values differ by 1 from all others.
//! Where distances are equal the first row counts. With `distance = "sum"`, as the literature on
//! categorical data has it, the differences of all columns are added up instead: ranks of L levels
//! differ by |a - b|/L, numbers by their difference over the range of their column (in a stream, of
//! all records so far). That is for *mdav*, of tables and windows, and for *nearest*; *mdav* looks
//! at equal records once, and so needs no index where few are different.
//!
//! **Protects against** linking a person to fewer than k records by the masked
//! columns: the release is k-anonymous on them, as far as each record is a person
//! of its own or persons are told by a subject.
//! **Does not protect against** learning a sensitive value that a whole group shares,
//! nor against linking by columns that are not masked. A group whose values are all
//! equal, or of which only one is present, shows that value. Nor does it stop one who
//! knows the other records of a group, or sees the same persons in several releases.
//!
//! **Costs** n²/k distances for a table of n rows up to `exact` and for *v-mdav*, of one column
//! a sort; beyond, n/k searches of an index, of some thousand distances at most, and for
//! *mu-approx* n of them; k·n steps for *projection* and *hansen-mukherjee*. About b/k distances a record in a
//! window, b records in memory and a delay of less than b rows. A larger k protects more and
//! loses more; a larger buffer finds nearer neighbours.
//!
//! **From** Domingo-Ferrer and Torra, Ordinal, continuous and heterogeneous k-anonymity
//! through microaggregation, DMKD 2005 (MDAV-generic); Solanas and Martínez-Ballesté, V-MDAV,
//! COMPSTAT 2006; Hansen and Mukherjee, A polynomial algorithm for optimal univariate
//! microaggregation, TKDE 2003; Domingo-Ferrer, Sebé and Solanas, A polynomial-time
//! approximation to optimal multivariate microaggregation, CMA 2008; Mateo-Sanz and
//! Domingo-Ferrer, A comparative study of microaggregation methods, Qüestiió 1998. The stream
//! filter is what Martínez Rodríguez, Nin and Nuñez-del-Prado, Towards the adaptation of SDC
//! methods to stream mining, 2017, describe; its published code grouped consecutive records
//! and released raw ones.
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

mod axes;
mod centroid;
mod cuts;
mod indexed;
mod line;
mod mdav;
mod mu_approx;
mod nearest;
mod points;
mod pool;
mod projection;
mod scale;
mod sum;
mod sum_scale;
mod table;
#[cfg(test)]
mod tests;
mod v_mdav;

pub use projection::Axis;
pub use scale::Scale;

use super::config::{MethodConfig, Nested};
use super::filter::{Filter, MaskedColumn, Masking};
use super::parameters::{COLUMNS, buffer};
use super::window::{Mask, Window};
use super::{Setting, TableMethod};
use crate::cancel::Cancel;
use crate::config::{Absent, Accepts, Length, NAMES, Parameter, Placed, Protects, Section, words};
use crate::data::{Attribute, Records};
use crate::error::{Error, Result};
use axes::Axes;
use centroid::Centroid;
use nearest::Nearest;
use points::Points;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use scale::Spread;
use sum_scale::Ends;
use table::WholeTable;

/// How groups are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// Around the records farthest out, of k to 2k - 1.
    Mdav,
    /// Around the records farthest out, extended where others are close.
    VMdav,
    /// Of one column, those of least loss.
    HansenMukherjee,
    /// In the order of an axis.
    Projection,
    /// Of trees that join nearest records.
    MuApprox,
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
    /// What distances are.
    pub distance: Distance,
    /// How columns weigh in distances.
    pub scale: Scale,
    /// The order of a projection.
    pub axis: Axis,
    /// The most rows of a table of which MDAV looks at all for each group.
    pub exact: usize,
    /// The columns that are masked; none named: all quasi-identifiers.
    pub columns: Option<Vec<String>>,
    /// The columns that are masked, in lists that are grouped each by itself.
    pub groups: Option<Vec<Vec<String>>>,
}

const GROUPINGS: &[(&str, Grouping)] = &[
    ("mdav", Grouping::Mdav),
    ("v-mdav", Grouping::VMdav),
    ("hansen-mukherjee", Grouping::HansenMukherjee),
    ("projection", Grouping::Projection),
    ("mu-approx", Grouping::MuApprox),
    ("nearest", Grouping::Nearest),
];

/// What the distance of two records is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Distance {
    /// The root of the sum of squared differences.
    #[default]
    Euclidean,
    /// The sum of differences.
    Sum,
}

const DISTANCES: &[(&str, Distance)] =
    &[("euclidean", Distance::Euclidean), ("sum", Distance::Sum)];

const AXES: &[(&str, Axis)] = &[("principal", Axis::Principal), ("sum", Axis::Sum)];

const SCALES: &[(&str, Scale)] = &[
    ("deviation", Scale::Deviation),
    ("range", Scale::Range),
    ("none", Scale::None),
];

/// What Solanas and Martínez-Ballesté advise for data that is scattered.
const USUAL_GAMMA: f64 = 0.2;

/// So many rows of ten columns are grouped in a second or two.
const USUAL_EXACT: usize = 1 << 15;

/// A larger k is a mistake.
const MOST: i64 = 1 << 23;

/// More rows than this take weeks.
const MOST_EXACT: i64 = 1 << 31;

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
    "how groups are made: around the records farthest out, of k to 2k - 1 (mdav) or growing where others are close (v-mdav); with least loss, of one column (hansen-mukherjee); in the order of one axis (projection); from trees of nearest records (mu-approx); or around each record that must leave (nearest, only with a buffer)",
);
const AXIS: Parameter = Parameter::new(
    "axis",
    Accepts::Word(|| words(AXES)),
    Absent::Means("principal"),
    "with projection: the order of the records, by the first principal component or by the sum of the columns, each divided by its scale",
);
const EXACT: Parameter = Parameter::new(
    "exact",
    Accepts::Whole(0, MOST_EXACT),
    Absent::Whole(USUAL_EXACT as i64),
    "with mdav and mu-approx: the most rows of a table that are all looked at for each group; of more rows the nearest are found by an index",
);
const GROUPS: Parameter = Parameter::new(
    "groups",
    Accepts::List(
        &NAMES,
        Length {
            least: 1,
            ..Length::ANY
        },
    ),
    Absent::Means("one list of all columns"),
    "instead of `columns`: lists of columns that are grouped each by itself; k holds in each list and not in all columns together",
)
.examples(&["[[\"age\", \"income\"], [\"height\"]]"]);
const GAMMA: Parameter = Parameter::new(
    "gamma",
    Accepts::Number(0.0, 10.0),
    Absent::Means("0.2"),
    "with v-mdav: a record joins a full group if it is nearer to it than gamma times its distance to the next outside; about 0.2 for scattered data, 1.1 for clusters",
);
const DISTANCE: Parameter = Parameter::new(
    "distance",
    Accepts::Word(|| words(DISTANCES)),
    Absent::Text("euclidean"),
    "how differences of columns are put together: as the root of the sum of their squares, or as their sum, with ranks divided by the number of levels, as usual for categories (only for mdav and nearest)",
);
const SCALE: Parameter = Parameter::new(
    "scale",
    Accepts::Word(|| words(SCALES)),
    Absent::Text("deviation"),
    "what differences of numbers and ranks are divided by in distances",
);

impl Microaggregation {
    /// Its parameters in a policy.
    pub const PARAMETERS: &'static [Parameter] = &[
        K, BUFFER, GROUPING, GAMMA, AXIS, DISTANCE, SCALE, EXACT, COLUMNS, GROUPS,
    ];

    /// On whole tables, by MDAV, with groups of at least k.
    pub fn new(k: usize) -> Self {
        Microaggregation {
            k,
            buffer: None,
            grouping: Grouping::Mdav,
            gamma: USUAL_GAMMA,
            distance: Distance::Euclidean,
            scale: Scale::Deviation,
            axis: Axis::Principal,
            exact: USUAL_EXACT,
            columns: None,
            groups: None,
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
        let axis = section.optional_word(&AXIS, AXES)?;
        if axis.is_some() && grouping != Grouping::Projection {
            return Err(section.error("`axis` is only for `grouping = \"projection\"`"));
        }
        if buffer.is_some() {
            refuse_in_stream(section, grouping)?;
        }
        let has_scale = section.has(SCALE.name);
        let distance = section.word(&DISTANCE, DISTANCES)?;
        let sums = matches!(grouping, Grouping::Mdav | Grouping::Nearest);
        if distance == Distance::Sum && (!sums || has_scale) {
            return Err(section
                .error("`distance = \"sum\"` is for the groupings mdav and nearest, and has a scale of its own")
                .help("take `grouping` and `scale` out, or the distance"));
        }
        let columns = section.optional(&COLUMNS, Placed::texts)?;
        let groups = section.optional(&GROUPS, |placed, name| {
            let lists = placed.list(name)?.iter();
            lists
                .map(|list| list.texts(name))
                .collect::<Result<Vec<_>>>()
        })?;
        if columns.is_some() && groups.is_some() {
            let what = "`columns` and `groups` both say what is masked";
            return Err(section.error(what).help("keep one of them"));
        }
        if groups.iter().flatten().any(Vec::is_empty) {
            return Err(section.error("a list of `groups` names no column"));
        }
        Ok(Microaggregation {
            k,
            buffer,
            grouping,
            gamma: gamma.unwrap_or(USUAL_GAMMA),
            distance,
            scale: section.word(&SCALE, SCALES)?,
            axis: axis.unwrap_or_default(),
            exact: section.whole(&EXACT)?,
            columns,
            groups,
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
        if self.grouping == Grouping::Projection {
            section.set_word(&AXIS, AXES, self.axis);
        }
        section.set_word(&DISTANCE, DISTANCES, self.distance);
        if self.distance == Distance::Euclidean {
            section.set_word(&SCALE, SCALES, self.scale);
        }
        if self.buffer.is_none() {
            section.set(&EXACT, self.exact);
        }
        section.set_optional(&COLUMNS, self.columns.clone());
        section.set_optional(&GROUPS, self.groups.clone());
    }

    /// Ready to mask a stream of records of these attributes; nothing is drawn by lot, so the
    /// seed does not matter.
    ///
    /// # Errors
    /// Without a buffer: tables are masked as a whole.
    pub fn filter(&self, attributes: &[Attribute], _seed: u64) -> Result<Box<dyn Filter>> {
        self.check_size(attributes)?;
        match (self.grouping, self.buffer) {
            (_, None) => Err(Error::policy(
                "microaggregation without a buffer is of a table",
            )),
            (Grouping::Nearest, Some(buffer)) => {
                let nearest = Nearest::new(self.k, buffer, self.scale, attributes);
                Ok(Box::new(match self.distance {
                    Distance::Euclidean => nearest,
                    Distance::Sum => nearest.by_sum(),
                }))
            }
            (_, buffer) => {
                let axes = Axes::new(attributes);
                let mask = Box::new(InWindow {
                    spread: Spread::new(self.scale, &axes),
                    ends: Ends::new(attributes),
                    config: self.clone(),
                    axes,
                });
                Ok(Box::new(Window::new(
                    mask,
                    attributes.len(),
                    buffer,
                    self.k,
                )))
            }
        }
    }

    fn check_size(&self, attributes: &[Attribute]) -> Result<()> {
        if attributes.is_empty() {
            return Err(Error::policy("there is no column to microaggregate"));
        }
        let too_short = |rows: usize| rows < self.k.saturating_mul(2);
        if self.k < 2 || self.buffer.is_some_and(too_short) {
            let what = "microaggregation needs a k of 2 or more, and a buffer of 2k or more";
            return Err(Error::policy(what));
        }
        Ok(())
    }

    /// Whether records of these columns, which are grouped together, can be grouped so.
    fn check_columns(&self, columns: &[MaskedColumn<'_>]) -> Result<()> {
        let has = |unfit: fn(&Attribute) -> bool| columns.iter().find(|c| unfit(&c.attribute));
        let categories = match self.grouping {
            Grouping::HansenMukherjee if columns.len() > 1 => {
                let what = "`hansen-mukherjee` groups by one column and several are masked";
                return Err(Error::policy(what).help(
                    "put each column into a list of its own under `groups`, or take `projection` or `mdav`",
                ));
            }
            Grouping::HansenMukherjee => has(|attribute| *attribute != Attribute::Number),
            Grouping::Projection => has(|attribute| *attribute == Attribute::Nominal),
            _ => None,
        };
        match categories {
            None => Ok(()),
            Some(column) => Err(Error::policy(format!(
                "column `{}` has categories, by which records cannot be put in this order",
                column.name
            ))
            .help("take `grouping = \"mdav\"`, which groups numbers and categories together")),
        }
    }

    /// The groups of a whole table, as rows. There are none if it has fewer than k.
    pub fn groups(&self, attributes: &[Attribute], records: &Records) -> Vec<Vec<usize>> {
        match records.len() < self.k.max(2) {
            true => Vec::new(),
            false => self.partition(&Axes::new(attributes), records, None, &Cancel::default()),
        }
    }

    /// Masks a whole table in its place; a table of fewer than k records is not changed.
    pub fn mask(&self, attributes: &[Attribute], records: &mut Records) {
        let groups = self.groups(attributes, records);
        aggregate(&groups, attributes, records);
    }

    /// The groups of points, at least k, which lie on these axes; inside of classes of at least k
    /// points, if there are any. Once it is cancelled, in any way.
    fn partition(
        &self,
        axes: &Axes,
        points: &Records,
        classes: Option<&[u32]>,
        cancel: &Cancel,
    ) -> Vec<Vec<usize>> {
        let mut spread = Spread::new(self.scale, axes);
        points.iter().for_each(|point| spread.observe(point));
        let weights = spread.weights();
        let group = |records: &Records| {
            let points = Points {
                axes,
                records,
                weights,
            };
            self.group(&points, self.exact, cancel)
        };
        let Some(classes) = classes else {
            return group(points);
        };
        let count = classes.iter().max().map_or(0, |&class| class as usize + 1);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (point, &class) in classes.iter().enumerate() {
            members[class as usize].push(point);
        }
        let inside = |members: &Vec<usize>| {
            let mut own = Records::new(points.width());
            members
                .iter()
                .for_each(|&point| own.push(points.record(point)));
            let groups = group(&own).into_iter();
            let numbered = groups.map(|group| group.iter().map(|&i| members[i]).collect());
            numbered.collect::<Vec<Vec<usize>>>()
        };
        members.par_iter().flat_map(inside).collect()
    }

    fn group(&self, points: &Points<'_>, exact: usize, cancel: &Cancel) -> Vec<Vec<usize>> {
        let k = self.k.max(2);
        let is_large = points.records.len() > exact;
        match self.grouping {
            Grouping::HansenMukherjee => projection::projected(points, Axis::Sum, k, cancel),
            Grouping::Projection => projection::projected(points, self.axis, k, cancel),
            Grouping::VMdav => v_mdav::v_mdav(points, (k, self.gamma), cancel),
            Grouping::MuApprox if is_large => {
                mu_approx::mu_approx(points, k, indexed::LOOKED_AT, cancel)
            }
            Grouping::MuApprox => mu_approx::mu_approx(points, k, usize::MAX, cancel),
            Grouping::Mdav if self.distance == Distance::Sum => {
                let mut ends = Ends::new(points.axes.columns());
                points.records.iter().for_each(|point| ends.observe(point));
                sum::mdav_by_sum(&ends.scale(), points.records, k, cancel)
            }
            Grouping::Mdav | Grouping::Nearest => match line::mdav_on_a_line(points, k) {
                Some(groups) => groups,
                None if is_large => indexed::mdav_by_index(points, k, cancel),
                None => mdav::mdav(&mut points.pool(), k, cancel),
            },
        }
    }
}

/// A stream keeps few rows and no persons, so some settings are for tables only.
fn refuse_in_stream(section: &Section, grouping: Grouping) -> Result<()> {
    let of_table = [
        Grouping::HansenMukherjee,
        Grouping::Projection,
        Grouping::MuApprox,
    ];
    let key = match [GROUPS.name, EXACT.name]
        .into_iter()
        .find(|key| section.has(key))
    {
        Some(key) => key,
        None if of_table.contains(&grouping) => "this `grouping`",
        None => return Ok(()),
    };
    Err(section
        .error(format!(
            "{key} is for tables, and a `buffer` makes the rows a stream"
        ))
        .help("take one of the two out; a stream can be grouped by nearest, mdav and v-mdav"))
}

impl MethodConfig for Microaggregation {
    fn is_random(&self) -> bool {
        false
    }

    fn table(&self, setting: &Setting) -> Option<Box<dyn TableMethod>> {
        match self.buffer {
            None => Some(Box::new(WholeTable::new(self, setting))),
            Some(_) => None,
        }
    }

    fn masking(&self) -> Option<&dyn Masking> {
        Some(self)
    }

    fn nests(&self) -> Option<Nested> {
        self.buffer.is_none().then_some(Nested::Divided)
    }

    fn promise(&mut self, k: u32) {
        self.k = k as usize;
    }
}

impl Masking for Microaggregation {
    fn buffer(&self) -> Option<usize> {
        self.buffer
    }

    fn columns(&self) -> Option<Vec<&str>> {
        let all = match &self.groups {
            Some(groups) => groups.iter().flatten().collect(),
            None => self.columns.as_ref()?.iter().collect::<Vec<_>>(),
        };
        Some(all.into_iter().map(String::as_str).collect())
    }

    fn parts(&self) -> Option<Vec<Vec<&str>>> {
        let groups = self.groups.as_ref()?.iter();
        Some(
            groups
                .map(|group| group.iter().map(String::as_str).collect())
                .collect(),
        )
    }

    fn counts_persons(&self) -> bool {
        self.buffer.is_none()
    }

    fn follows_hierarchies(&self) -> bool {
        self.buffer.is_none() && self.distance == Distance::Euclidean
    }

    fn check(&self, columns: &[MaskedColumn<'_>]) -> Result<()> {
        let attributes: Vec<Attribute> = columns.iter().map(|column| column.attribute).collect();
        self.check_size(&attributes)?;
        for part in table::parts(self, columns) {
            let part: Vec<_> = part.iter().map(|&place| columns[place].clone()).collect();
            self.check_columns(&part)?;
        }
        Ok(())
    }

    fn k(&self) -> Option<u32> {
        u32::try_from(self.k).ok()
    }

    fn filter(&self, columns: &[MaskedColumn<'_>], seed: u64) -> Result<Box<dyn Filter>> {
        let attributes: Vec<Attribute> = columns.iter().map(|column| column.attribute).collect();
        Microaggregation::filter(self, &attributes, seed)
    }
}

/// The table function in a window, which knows the spread of what it saw.
struct InWindow {
    config: Microaggregation,
    axes: Axes,
    spread: Spread,
    ends: Ends,
}

impl Mask for InWindow {
    fn mask(
        &mut self,
        records: &mut Records,
        rows: usize,
        cancel: &Cancel,
    ) -> Result<Vec<Vec<usize>>> {
        let mut window = Records::new(records.width());
        window.extend_from(records, 0..rows);
        let groups = match self.config.distance {
            Distance::Sum => {
                window.iter().for_each(|record| self.ends.observe(record));
                sum::mdav_by_sum(&self.ends.scale(), &window, self.config.k, cancel)
            }
            Distance::Euclidean => {
                window.iter().for_each(|record| self.spread.observe(record));
                let points = Points {
                    axes: &self.axes,
                    records: &window,
                    weights: self.spread.weights(),
                };
                self.config.group(&points, usize::MAX, cancel)
            }
        };
        // What was grouped then is not whole.
        cancel.check()?;
        aggregate(&groups, self.axes.columns(), records);
        Ok(groups)
    }

    fn know(&mut self, attributes: &[Attribute]) {
        self.ends.know(attributes);
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
