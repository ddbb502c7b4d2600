//! Mondrian: cuts the table into ever smaller boxes, each of at least k persons.
//!
//! The rows are cut in two along the quasi-identifier on which they spread the
//! widest, and each part again, as long as both sides keep to the guarantee
//! (k, l, t, p). What remains are the classes; each shows, for every
//! quasi-identifier, the interval, set or hierarchy label that covers its rows.
//!
//! - *Strict* keeps equal values together, so boxes never overlap and a value
//!   is generalised the same way wherever it stands with the same neighbours.
//!   With a hierarchy a cut opens a node into all its children at once.
//! - *Relaxed* may divide rows with equal values between both sides, so parts
//!   balance; boxes may overlap (local recoding). Where persons are counted and
//!   t, entropy or recursive l is promised, it cuts as strict does: a person in
//!   two boxes that look alike would count once and tip the promise.
//!
//! Boxes that show the same are one class to a reader and are judged as one; where
//! that breaks a promise, the cuts between them are undone.
//!
//! The bounds of intervals are *rounded*: numbers and dates are put into the cells
//! of a grid before they are cut (1, 2 or 5 times a power of ten wide, whole
//! numbers at least 2; two days to decades), and a class shows the edges of its
//! cells. A column of at most 32 different values, each of which k persons share, has no
//! grid; a width as `bounds` makes one for any column. With `hierarchy` numbers and dates show labels of their
//! hierarchies only, and one without is refused. *Exact* bounds are
//! the least and the largest value of the class, so each tells what somebody in it
//! has. Rounded ones tell a value no closer than its cell, however many classes are
//! compared. On Adult (k = 5) they raise `gcp` from 3.5 to 3.7 %, and 7.5 % instead of
//! 14.9 % of the rows with an interval of ages have one of its bounds alone in their
//! class; with `bounds = 5` it is 5.2 %, at a `gcp` of 4.2 %.
//!
//! With `suppress`, rows that would make their class much wider may be left out.
//!
//! With `refuse`, each allowed cut is refused with that probability. Without it a class that was
//! not cut tells that no cut was allowed, and so how its rows lie (downcoding), or why
//! (minimality). On Adult (k = 5, nine quasi-identifiers with hierarchies but for the age) it raises
//! `gcp` from 11.2 to 12.5 % (`refuse = 0.1`) and 15.2 % (0.25); the classes that move beliefs of
//! how their rows lie by more than half fall from 85 of 3,461 to 40 and none.
//!
//! **Protects against** linking a person to a row by the quasi-identifiers and,
//! with l, t or p, against learning a sensitive value from a whole class.
//! **Does not protect against** an attacker who compares several releases of
//! one table, nor, without `refuse`, one who knows the algorithm and the other rows
//! (minimality, downcoding); for release to everybody prefer differential privacy.
//!
//! **Costs** n log(n/k) time for k alone, two copies of the codes in memory, and
//! needs the whole table. A missing value is a value of its own; a class that mixes
//! missing and present values shows `*`.
//!
//! **From** LeFevre, DeWitt and Ramakrishnan, Mondrian multidimensional
//! k-anonymity, ICDE 2006. Public code tries the median value only and so misses
//! cuts; here every cut value is a candidate.
//!
//! ```
//! use moretta::protect::mondrian::{partition_codes, Mode};
//! // One column 1,1,2,2,2,2 and k = 2: the median value is 2, yet the cut 1|2 is allowable.
//! let classes = partition_codes(&[vec![1, 1, 2, 2, 2, 2]], &[3], 2, Mode::Strict);
//! assert_eq!(classes, [vec![0, 1], vec![2, 3, 4, 5]]);
//! ```

mod alike;
mod axis;
mod bounds;
mod cut;
pub(in crate::protect) mod grid;
mod partition;
mod recode;
mod refusal;
mod trim;

pub use bounds::Bounds;
pub use recode::Output;

use super::Setting;
use super::config::{MethodConfig, Nested, Shown};
use super::limits::Limits;
use super::table::{Release, TableMethod};
use crate::config::{Absent, Accepts, Parameter, Placed, Section, Value, words};
use crate::data::{Batch, Column, Field, Kind, Role, Schema};
use crate::error::{Error, Result};
use axis::Axis;
use cut::Ties;
use grid::Sharing;
use partition::{MOST_AXES, Partition, Rules};
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use refusal::Refusal;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Whether rows with equal values may be parted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Equal values stay together; boxes never overlap.
    #[default]
    Strict,
    /// Equal values are divided where no cut between values is allowable.
    Relaxed,
    /// Equal values are divided wherever that balances the parts.
    Balanced,
}

impl Mode {
    /// The ways to cut, in the order in which they are tried.
    fn ties(self) -> &'static [Ties] {
        match self {
            Mode::Strict => &[Ties::Together],
            Mode::Relaxed => &[Ties::Together, Ties::Divided],
            Mode::Balanced => &[Ties::Divided],
        }
    }
}

/// Mondrian with its parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mondrian {
    /// Whether rows with equal values may be parted.
    pub mode: Mode,
    /// What a class shows.
    pub output: Output,
    /// What a class shows for single columns.
    pub output_of: BTreeMap<String, Output>,
    /// What the bounds of intervals are.
    pub bounds: Bounds,
    /// What they are in single columns.
    pub bounds_of: BTreeMap<String, Bounds>,
    /// The largest share of rows that may be suppressed.
    pub suppress: f64,
    /// The probability with which an allowed cut is refused, so that a class that was not cut says
    /// less of its rows.
    pub refuse: f64,
}

const MODES: &[(&str, Mode)] = &[
    ("strict", Mode::Strict),
    ("relaxed", Mode::Relaxed),
    ("balanced", Mode::Balanced),
];

const MODE: Parameter = Parameter::new(
    "mode",
    Accepts::Word(|| words(MODES)),
    Absent::Text("strict"),
    "strict keeps equal values together; relaxed divides them where no other cut is allowable; balanced always halves",
);
const OUTPUT: Parameter = Parameter::new(
    "output",
    Accepts::OneOf(&[Output::ACCEPTED, Accepts::By("column", &Output::ACCEPTED)]),
    Absent::Text("auto"),
    "what a class shows: a region that covers its rows (auto: the label of the hierarchy, else the interval) or a representative",
);
const BOUNDS: Parameter = Parameter::new(
    "bounds",
    Accepts::OneOf(&[Bounds::ACCEPTED, Accepts::By("column", &Bounds::ACCEPTED)]),
    Absent::Text("rounded"),
    "the bounds of intervals: round numbers that tell no value, only labels of a hierarchy, multiples of a width (of days, for dates), or the least and the largest value of the class, which loses a little less",
);
const SUPPRESS: Parameter = Parameter {
    meaning: "the largest share of rows that may be suppressed, where that spares the others more than it costs",
    ..super::parameters::SUPPRESS
};

const REFUSE: Parameter = Parameter::new(
    "refuse",
    Accepts::Number(0.0, 0.9),
    Absent::Number(0.0),
    "the probability with which an allowed cut is refused, by the policy's seed or a secret one: a class that was not cut then does not tell that it could not be; growing it blurs more and loses more",
)
.examples(&["0.1"]);

impl Mondrian {
    /// Its parameters in a policy.
    pub const PARAMETERS: &'static [Parameter] = &[MODE, OUTPUT, BOUNDS, SUPPRESS, REFUSE];

    /// Reads its parameters.
    pub fn read(section: &mut Section) -> Result<Self> {
        let (output, output_of) = for_columns(section, &OUTPUT, Output::read)?;
        let (bounds, bounds_of) = for_columns(section, &BOUNDS, Bounds::read)?;
        Ok(Mondrian {
            mode: section.word(&MODE, MODES)?,
            output,
            output_of,
            bounds,
            bounds_of,
            suppress: section.number(&SUPPRESS)?,
            refuse: section.number(&REFUSE)?,
        })
    }

    /// Writes its parameters as [`Mondrian::read`] reads them.
    pub fn write(&self, section: &mut Section) {
        section.set_word(&MODE, MODES, self.mode);
        set_for_columns(section, &OUTPUT, self.output, &self.output_of);
        set_for_columns(section, &BOUNDS, self.bounds, &self.bounds_of);
        section.set(&SUPPRESS, self.suppress);
        section.set(&REFUSE, self.refuse);
    }

    /// What a class shows for the column `name`.
    pub fn output_for(&self, name: &str) -> Output {
        let output = self.output_of.get(name).copied().unwrap_or(self.output);
        match (output, self.bounds_for(name)) {
            (Output::Interval, Bounds::Hierarchy) => Output::Auto,
            _ => output,
        }
    }

    /// What the bounds of intervals of the column `name` are.
    pub fn bounds_for(&self, name: &str) -> Bounds {
        self.bounds_of.get(name).copied().unwrap_or(self.bounds)
    }
}

/// One for all columns, or a table of them by column.
fn for_columns<T: Default>(
    section: &mut Section,
    parameter: &Parameter,
    read: fn(&Placed, &str) -> Result<T>,
) -> Result<(T, BTreeMap<String, T>)> {
    section.read(parameter, |placed, name| match &placed.value {
        Value::Table(columns) => {
            let single = columns
                .values()
                .map(|(column, value)| Ok((column.clone(), read(value, name)?)));
            Ok((T::default(), single.collect::<Result<_>>()?))
        }
        _ => Ok((read(placed, name)?, BTreeMap::new())),
    })
}

/// As [`for_columns`] reads it.
fn set_for_columns<T: Copy + Into<Value>>(
    section: &mut Section,
    parameter: &Parameter,
    all: T,
    single: &BTreeMap<String, T>,
) {
    match single.is_empty() {
        true => section.set(parameter, all),
        false => section.set(parameter, single.clone()),
    }
}

impl MethodConfig for Mondrian {
    fn is_random(&self) -> bool {
        self.refuse > 0.0
    }

    /// Rows with equal values are divided in the order in which they come.
    fn depends_on_order(&self) -> bool {
        self.mode != Mode::Strict
    }

    fn represents(&self, column: &str) -> bool {
        self.output_for(column).is_representative()
    }

    fn shows(&self, column: &str, hierarchy: bool) -> Shown {
        let output = self.output_for(column);
        match self.bounds_for(column) {
            _ if output.is_representative() => Shown::Values,
            _ if hierarchy && output != Output::Interval => Shown::Labels,
            Bounds::Rounded => Shown::Intervals(grid::SHOWN),
            Bounds::Every(width) if width >= 2.0 => Shown::Intervals(0),
            _ => Shown::Values,
        }
    }

    fn decides(&self) -> bool {
        true
    }

    fn suppress(&self) -> Option<f64> {
        Some(self.suppress)
    }

    fn suppress_at_most(&mut self, share: f64) {
        self.suppress = share;
    }

    /// Boxes that divide equal values overlap, and a finer one could lie in several.
    fn nests(&self) -> Option<Nested> {
        (self.mode == Mode::Strict).then_some(Nested::Divided)
    }

    fn table(&self, setting: &Setting) -> Option<Box<dyn TableMethod>> {
        Some(Box::new(Ready {
            config: self.clone(),
            setting: setting.clone(),
        }))
    }
}

struct Ready {
    config: Mondrian,
    setting: Setting,
}

impl TableMethod for Ready {
    fn schema(&self, original: &Schema) -> Result<Schema> {
        if original.with_role(Role::Quasi).is_empty() {
            return Err(Error::policy(
                "no column has the role `quasi`; there is nothing to generalise",
            ));
        }
        if original.with_role(Role::Quasi).len() > MOST_AXES {
            return Err(Error::policy(format!(
                "more than {MOST_AXES} quasi-identifiers"
            )));
        }
        let outputs = self.config.output_of.keys().map(|name| ("output", name));
        let bounds = self.config.bounds_of.keys().map(|name| ("bounds", name));
        for (key, name) in outputs.chain(bounds) {
            let place = original.index_of(name);
            if place.map(|i| original.fields()[i].role) != Some(Role::Quasi) {
                return Err(Error::policy(format!(
                    "`{key}` names `{name}`, which is no quasi-identifier"
                )));
            }
        }
        let categories = original.fields().iter().find(|field| {
            matches!(field.kind, Kind::Category { .. })
                && self.config.bounds_of.contains_key(&*field.name)
        });
        if let Some(field) = categories {
            return Err(Error::policy(format!(
                "`bounds` names `{}`, which has no numbers or dates",
                field.name
            )));
        }
        let fields = original
            .fields()
            .iter()
            .map(|field| self.released(field))
            .collect::<Result<_>>()?;
        Schema::new(fields)
    }

    fn release(&self, table: &Batch) -> Result<Release> {
        let limits = Limits::new(&self.setting.guarantee, table, &self.setting.domains)?;
        let mut limits = limits.average_by_size();
        if let Some(error) = limits.refusal(table.len(), false) {
            return Err(error);
        }
        let quasi = table.schema().with_role(Role::Quasi);
        let axes = quasi
            .par_iter()
            .map(|&i| self.axis(table, i, limits.k))
            .collect::<Result<Vec<Axis>>>()?;
        let show = |partition: &Partition| {
            quasi
                .par_iter()
                .enumerate()
                .map(|(place, &i)| self.recode(table, i, place, &axes, partition))
                .collect::<Result<Vec<Column>>>()
        };
        let fields = table.schema().fields();
        let names: Vec<&str> = quasi.iter().map(|&i| &*fields[i].name).collect();
        let within = self.setting.nest.classes(table, &names)?;
        let (partition, recoded) = match within {
            None => self.partition(&axes, &mut limits, table.len(), show)?,
            Some(classes) => self.inside(&axes, &classes, &limits, show)?,
        };
        let mut columns = table.columns().to_vec();
        for (&i, column) in quasi.iter().zip(recoded) {
            columns[i] = column;
        }
        let schema = Arc::new(self.schema(table.schema())?);
        let all = Batch::new(schema, table.rows().clone(), columns)?;
        let gone = table.len() - partition.rows.len();
        if gone == 0 {
            return Ok(Release::new(all, Vec::new()));
        }
        let mut kept = partition.rows;
        kept.sort_unstable();
        let why = "it would have made its class much wider".to_owned();
        Ok(Release::new(all.take(&kept)?, vec![(why, gone as u64)]))
    }
}

impl Ready {
    /// The classes and what they show, all of which keeps to the limits.
    fn partition(
        &self,
        axes: &[Axis],
        limits: &mut Limits,
        n_rows: usize,
        show: impl Fn(&Partition) -> Result<Vec<Column>>,
    ) -> Result<(Partition, Vec<Column>)> {
        let all: Vec<u32> = (0..n_rows as u32).collect();
        let budget = (self.config.suppress * n_rows as f64).floor() as usize;
        // If what is left after suppression cannot hold, nothing is suppressed.
        for budget in [budget, 0] {
            let unite = limits.unite();
            let rules = Rules {
                limits,
                inside: None,
                // Divided equal values would give many classes that look alike.
                ties: if unite {
                    self.config.mode
                } else {
                    Mode::Strict
                }
                .ties(),
                budget,
                refusal: Refusal {
                    share: self.config.refuse,
                    seed: self.setting.seed,
                },
            };
            let partition = partition::partition(axes, rules);
            let changed = partition.rows.len() < n_rows && limits.refer_to(&partition.rows);
            if unite && !changed {
                let columns = show(&partition)?;
                return Ok((partition, columns));
            }
            if let Some(mended) = alike::mend(partition, limits, &show)? {
                return Ok(mended);
            }
            limits.refer_to(&all);
        }
        Err(Error::bug("the whole table holds, but no set of its rows"))
    }

    /// The classes inside of those of a coarser release, and what they show, all of which keeps to
    /// the limits. No class shows what one inside of another coarser class shows: a reader would
    /// see one class that lies in both. Where that happens, as `*` also stands for missing and
    /// present values together, these coarser classes stay as they are.
    fn inside(
        &self,
        axes: &[Axis],
        classes: &[u32],
        limits: &Limits,
        show: impl Fn(&Partition) -> Result<Vec<Column>>,
    ) -> Result<(Partition, Vec<Column>)> {
        let count = classes.iter().max().map_or(0, |&most| most as usize + 1);
        let mut uncut = vec![false; count];
        loop {
            let rules = Rules {
                limits,
                inside: Some((classes, &uncut)),
                ties: Mode::Strict.ties(),
                budget: 0,
                refusal: Refusal {
                    share: self.config.refuse,
                    seed: self.setting.seed,
                },
            };
            let partition = partition::partition(axes, rules);
            let made = match limits.unite() || uncut.iter().all(|&uncut| uncut) {
                true => {
                    let columns = show(&partition)?;
                    Some((partition, columns))
                }
                false => alike::mend(partition, limits, &show)?,
            };
            let Some((partition, columns)) = made else {
                // They hold as they did in the coarser release.
                uncut.fill(true);
                continue;
            };
            let spread = alike::spread(&partition, &columns, classes);
            let before = uncut.iter().filter(|&&uncut| uncut).count();
            spread
                .iter()
                .for_each(|&class| uncut[class as usize] = true);
            if uncut.iter().filter(|&&uncut| uncut).count() == before {
                return Ok((partition, columns));
            }
        }
    }

    /// `k`: the least number of persons of a class.
    fn axis(&self, table: &Batch, i: usize, k: usize) -> Result<Axis> {
        let name = &*table.schema().fields()[i].name;
        let domain = self.setting.domains.require(name)?;
        let output = self.config.output_for(name);
        let mut axis = Axis::new(name, table.column(i), domain, output.follows_tree(domain))?;
        axis.ruler.weight = self.setting.domains.weight(name);
        if output.is_representative() {
            return Ok(axis);
        }
        let subject = table.schema().with_role(Role::Subject).first().copied();
        let persons = subject.and_then(|subject| table.column(subject).as_categories());
        let sharing = Sharing {
            k,
            persons: persons.map(|persons| persons.codes()),
        };
        Ok(axis.within(self.config.bounds_for(name), domain.is_date(), &sharing))
    }

    fn recode(
        &self,
        table: &Batch,
        i: usize,
        place: usize,
        axes: &[Axis],
        partition: &Partition,
    ) -> Result<Column> {
        let name = &*table.schema().fields()[i].name;
        let domain = self.setting.domains.require(name)?;
        let output = self.config.output_for(name);
        recode::recode(
            place,
            axes.len(),
            &axes[place],
            table.column(i),
            domain,
            output,
            partition,
        )
        .map_err(|error| error.in_column(name))
    }

    fn released(&self, field: &Field) -> Result<Field> {
        if field.role != Role::Quasi {
            return Ok(field.clone());
        }
        let output = self.config.output_for(&field.name);
        let number = !matches!(field.kind, Kind::Category { .. });
        if number
            && !output.is_representative()
            && self.config.bounds_for(&field.name) == Bounds::Hierarchy
            && self
                .setting
                .domains
                .require(&field.name)?
                .hierarchy
                .is_none()
        {
            return Err(Error::policy(format!(
                "column `{}` has no hierarchy to take its bounds from",
                field.name
            ))
            .help("give it one under [columns], or use bounds = \"rounded\""));
        }
        let fits = match output {
            Output::Label => self
                .setting
                .domains
                .require(&field.name)?
                .hierarchy
                .is_some(),
            Output::Mean => number,
            Output::Median => number || field.kind == Kind::Category { ordered: true },
            _ => true,
        };
        if !fits {
            return Err(Error::policy(format!(
                "column `{}` cannot be shown as its {}",
                field.name,
                output.word()
            ))
            .help(output.needs()));
        }
        let kind = match (output, &field.kind) {
            (Output::Median | Output::Mode | Output::MedianOrMode, kind) => kind.clone(),
            (Output::Mean, Kind::Date(format)) => Kind::Date(*format),
            (Output::Mean, _) => Kind::Number { integer: false },
            _ => Kind::Category { ordered: false },
        };
        Ok(Field {
            kind,
            ..field.clone()
        })
    }
}

/// The classes of a table given as columns of codes, for the study of the
/// method: rows of each class, classes in the order of the cuts. Widths are
/// counted in codes; `sizes` says how many codes each column could hold, and a
/// column without a size, or with too small a one, could hold those up to its
/// largest.
pub fn partition_codes(columns: &[Vec<u32>], sizes: &[u32], k: usize, mode: Mode) -> Vec<Vec<u32>> {
    let axes: Vec<Axis> = columns
        .iter()
        .enumerate()
        .map(|(place, codes)| {
            let least = codes.iter().max().map_or(0, |&most| most + 1);
            let size = sizes.get(place).map_or(least, |&size| size.max(least));
            Axis::of_codes(codes, size)
        })
        .collect();
    let rules = Rules {
        limits: &Limits::rows(k),
        inside: None,
        ties: mode.ties(),
        budget: 0,
        refusal: Refusal::default(),
    };
    let partition = partition::partition(&axes, rules);
    partition.classes().map(<[u32]>::to_vec).collect()
}
