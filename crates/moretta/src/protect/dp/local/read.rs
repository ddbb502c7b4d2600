//! The parameters of local differential privacy in a policy.

use super::{LocalColumn, LocalDp, Mechanism};
use crate::config::{Absent, Accepts, Length, Parameter, Placed, Section, Value, words};
use crate::error::Result;
use crate::protect::dp::sample::KaryResponse;
use crate::protect::dp::{Bounds, Budget, Epsilon};
use crate::protect::parameters::buffer;
use std::collections::BTreeMap;

#[derive(Clone, Copy, PartialEq)]
enum MechanismWord {
    Laplace,
    Gaussian,
    Geometric,
    Exponential,
    RandomisedResponse,
    Kary,
}

const KINDS: &[(&str, MechanismWord)] = &[
    ("laplace", MechanismWord::Laplace),
    ("gaussian", MechanismWord::Gaussian),
    ("geometric", MechanismWord::Geometric),
    ("exponential", MechanismWord::Exponential),
    ("randomised-response", MechanismWord::RandomisedResponse),
    ("k-ary", MechanismWord::Kary),
];

const COLUMNS: Parameter = Parameter::new(
    "columns",
    Accepts::By("column", &Accepts::Table(COLUMN)),
    Absent::Refused,
    "which columns are protected and how",
)
.examples(&["{ age = { mechanism = \"laplace\", epsilon = 0.5, bounds = [0, 120] } }"]);
const COLUMN: &[Parameter] = &[MECHANISM, EPSILON, BOUNDS, DELTA, CATEGORIES];
const MECHANISM: Parameter = Parameter::new(
    "mechanism",
    Accepts::Word(|| words(KINDS)),
    Absent::Refused,
    "how noise is made: laplace, gaussian and geometric for numbers, the others for categories",
)
.examples(&["\"laplace\""]);
const EPSILON: Parameter = Parameter::new(
    "epsilon",
    Epsilon::ACCEPTED,
    Absent::Refused,
    "what a value loses at most; a smaller one protects more and adds noise in proportion to 1/epsilon",
)
.examples(&["0.5"]);
const BOUNDS: Parameter = Parameter::new(
    "bounds",
    Bounds::ACCEPTED,
    Absent::Means("none; numbers need them"),
    "what a number can be",
)
.examples(&["[0, 120]"]);
const DELTA: Parameter = Parameter::new(
    "delta",
    Accepts::Number(1e-30, 0.1),
    Absent::Means("none; gaussian needs it"),
    "the probability that more than epsilon is lost",
)
.examples(&["1e-9"]);
const REQUIRED_DELTA: Parameter = Parameter {
    absent: Absent::Refused,
    ..DELTA
};
const CATEGORIES: Parameter = Parameter::new(
    "categories",
    Accepts::List(
        &Accepts::Text,
        Length {
            least: 2,
            most: KaryResponse::MOST as usize,
            distinct: true,
        },
    ),
    Absent::Means("none; categories need them"),
    "all that a category can be, in order",
)
.examples(&["[\"f\", \"m\"]"]);
pub(in crate::protect::dp) const CLAMP: Parameter = Parameter::new(
    "clamp",
    Accepts::Flag,
    Absent::Flag(false),
    "whether noisy numbers are taken back into their bounds: each nearer to the truth, sums biased",
);
pub(in crate::protect::dp) const BUDGET: Parameter = Parameter::new(
    "budget",
    Accepts::OneOf(&[
        Epsilon::ACCEPTED,
        Accepts::Table(&[BUDGET_EPSILON, BUDGET_DELTA]),
    ]),
    Absent::Means("none"),
    "what the columns of a record together may lose at most; more is refused",
)
.examples(&["1.5"]);
const BUDGET_EPSILON: Parameter = Parameter {
    meaning: "the loss that is allowed",
    ..EPSILON
};
const BUDGET_DELTA: Parameter = Parameter {
    absent: Absent::Number(0.0),
    meaning: "the probability of a larger loss that is allowed",
    ..DELTA
};
const BUFFER: Parameter = Parameter {
    meaning: "1 makes the rows a stream of which each leaves at once; without it they are a table, released in an order that tells nothing",
    ..buffer(1)
};

impl LocalDp {
    /// Its parameters in a policy.
    pub const PARAMETERS: &'static [Parameter] = &[COLUMNS, CLAMP, BUDGET, BUFFER];

    /// Reads the parameters.
    pub fn read(section: &mut Section) -> Result<Self> {
        let columns = section.by_name(&COLUMNS, |placed, name| {
            read_column(placed.table(name)?.clone(), name)
        })?;
        let columns: BTreeMap<String, LocalColumn> = columns.into_iter().flatten().collect();
        if columns.is_empty() {
            return Err(section.error("`columns` names no column"));
        }
        Ok(LocalDp {
            columns,
            clamp: section.flag(&CLAMP)?,
            budget: section.optional(&BUDGET, read_budget)?,
            buffer: section.optional(&BUFFER, Placed::whole)?,
        })
    }

    /// Writes its parameters as [`LocalDp::read`] reads them.
    pub fn write(&self, section: &mut Section) {
        let columns = self.columns.iter();
        let columns: BTreeMap<String, Section> = columns
            .map(|(name, column)| (name.clone(), column.written()))
            .collect();
        section.set(&COLUMNS, columns);
        section.set(&CLAMP, self.clamp);
        section.set_optional(&BUDGET, self.budget.map(written_budget));
        section.set_optional(&BUFFER, self.buffer);
    }
}

impl LocalColumn {
    fn written(&self) -> Section {
        let mut section = Section::default();
        let (kind, bounds, categories) = match &self.mechanism {
            Mechanism::Laplace(bounds) => (MechanismWord::Laplace, Some(bounds), None),
            Mechanism::Gaussian { bounds, .. } => (MechanismWord::Gaussian, Some(bounds), None),
            Mechanism::Geometric(bounds) => (MechanismWord::Geometric, Some(bounds), None),
            Mechanism::Exponential(all) => (MechanismWord::Exponential, None, Some(all)),
            Mechanism::Kary(all) => (MechanismWord::Kary, None, Some(all)),
        };
        section.set_word(&MECHANISM, KINDS, kind);
        section.set(&EPSILON, self.epsilon.value());
        section.set_optional(&BOUNDS, bounds.copied());
        section.set_optional(&CATEGORIES, categories.cloned());
        if let Mechanism::Gaussian { delta, .. } = self.mechanism {
            section.set(&DELTA, delta);
        }
        section
    }
}

fn read_column(mut section: Section, name: &str) -> Result<LocalColumn> {
    let kind = section.word(&MECHANISM, KINDS)?;
    let placed = section.read(&EPSILON, |placed, _| Ok(placed.clone()))?;
    let epsilon = Epsilon::read(&placed, EPSILON.name)?;
    let mechanism = match kind {
        MechanismWord::Laplace => Mechanism::Laplace(bounds(&mut section, name)?),
        MechanismWord::Geometric => {
            let bounds = bounds(&mut section, name)?;
            if !bounds.are_whole() {
                return Err(section
                    .error(format!("the geometric mechanism is for whole numbers, the bounds of `{name}` are not"))
                    .help("take \"laplace\" for numbers with fractions"));
            }
            Mechanism::Geometric(bounds)
        }
        MechanismWord::Gaussian => Mechanism::Gaussian {
            bounds: bounds(&mut section, name)?,
            delta: section.number(&REQUIRED_DELTA)?,
        },
        MechanismWord::Exponential => Mechanism::Exponential(categories(&mut section, name)?),
        MechanismWord::RandomisedResponse => {
            let categories = categories(&mut section, name)?;
            if categories.len() != 2 {
                return Err(section
                    .error(format!(
                        "randomised response is for two categories, `{name}` has {}",
                        categories.len()
                    ))
                    .help("take \"k-ary\" for more"));
            }
            Mechanism::Kary(categories)
        }
        MechanismWord::Kary => Mechanism::Kary(categories(&mut section, name)?),
    };
    let column = LocalColumn { mechanism, epsilon };
    if column.ready().is_none() {
        return Err(placed
            .error(format!("`{name}` cannot be protected with this epsilon"))
            .help("a larger epsilon makes noise that can be computed; one of 256 or more protects nothing"));
    }
    section.finish()?;
    Ok(column)
}

fn bounds(section: &mut Section, name: &str) -> Result<Bounds> {
    let bounds = section.optional(&BOUNDS, |placed, _| Bounds::read(placed, name))?;
    bounds.ok_or_else(|| {
        section.error(format!("`{name}` needs `bounds`")).help(
            "for example [0, 120]; take them from what the column can be, never from the data",
        )
    })
}

fn categories(section: &mut Section, name: &str) -> Result<Vec<String>> {
    let categories = section.optional(&CATEGORIES, Placed::texts)?;
    categories.ok_or_else(|| {
        section
            .error(format!("`{name}` needs `categories`"))
            .help("name all that the column can be, in order; never take them from the data")
    })
}

/// Reads `1.0` or `{ epsilon = 1.0, delta = 1e-9 }`.
pub(in crate::protect::dp) fn read_budget(placed: &Placed, name: &str) -> Result<Budget> {
    let Value::Table(table) = &placed.value else {
        return Ok(Budget {
            epsilon: Epsilon::read(placed, name)?,
            delta: 0.0,
        });
    };
    let mut table = table.clone();
    let budget = Budget {
        epsilon: table.read(&BUDGET_EPSILON, Epsilon::read)?,
        delta: table.number(&BUDGET_DELTA)?,
    };
    table.finish()?;
    Ok(budget)
}

pub(in crate::protect::dp) fn written_budget(budget: Budget) -> Section {
    let mut section = Section::default();
    section.set(&BUDGET_EPSILON, budget.epsilon.value());
    section.set(&BUDGET_DELTA, budget.delta);
    section
}
