//! The parameters of a lattice search in a policy.

use super::metric::{Mean, Metric};
use super::{Lattice, SearchKind};
use crate::config::{Absent, Accepts, Parameter, Placed, Section, Value, words};
use crate::error::Result;
use crate::protect::parameters::SUPPRESS;
use std::collections::BTreeMap;

const LEVEL: Accepts = Accepts::Whole(0, 63);

const SEARCH: Parameter = Parameter::new(
    "search",
    Accepts::Word(|| words(SEARCHES)),
    Absent::Text("optimal"),
    "optimal looks until the best node is proven, heuristic at most at `most` nodes; cuts looks for the best cuts of ordered values, without hierarchies",
);
const MOST: Parameter = Parameter::new(
    "most",
    Accepts::Whole(1, 1_000_000_000),
    Absent::Means("10000 for search = \"heuristic\", 100000 for \"cuts\""),
    "how many nodes, or sets of cuts, are looked at; more find a better one or prove that there is none",
)
.examples(&["10000"]);
const CUTS_PER_COLUMN: Parameter = Parameter::new(
    "cuts_per_column",
    Accepts::Whole(1, 511),
    Absent::Means("between all neighbouring values"),
    "at how many places search = \"cuts\" can cut a column; fewer are searched faster and lose more",
)
.examples(&["15"]);
const METRIC: Parameter = Parameter::new(
    "metric",
    Accepts::Word(|| METRICS.iter().map(|metric| metric.name()).collect()),
    Absent::Text("loss"),
    "what is to be as small as it can",
);
const MEAN: Parameter = Parameter::new(
    "mean",
    Accepts::Word(|| words(MEANS)),
    Absent::Means("geometric for metric = \"loss\""),
    "how the losses of columns are put together; the geometric mean counts a column that loses nearly all for more",
);
const BALANCE: Parameter = Parameter::new(
    "balance",
    Accepts::Number(0.0, 1.0),
    Absent::Number(0.5),
    "weighs generalization against suppression in loss and precision; a smaller one suppresses more rows",
);
const LEVELS: Parameter = Parameter::new(
    "levels",
    Accepts::By("column", &Accepts::OneOf(&[LEVEL, Accepts::Ends(&LEVEL)])),
    Absent::Means("all levels of every column"),
    "the level that a column must have, or the lowest and the highest one that it may have",
)
.examples(&["{ age = [1, 3], zip = 2 }"]);

#[derive(Clone, Copy, PartialEq)]
enum SearchWord {
    Optimal,
    Heuristic,
    Cuts,
}

const SEARCHES: &[(&str, SearchWord)] = &[
    ("optimal", SearchWord::Optimal),
    ("heuristic", SearchWord::Heuristic),
    ("cuts", SearchWord::Cuts),
];

const MEANS: &[(&str, Mean)] = &[
    ("geometric", Mean::Geometric),
    ("arithmetic", Mean::Arithmetic),
];

const METRICS: &[Metric] = &[
    Metric::Loss {
        mean: Mean::Geometric,
    },
    Metric::Precision,
    Metric::Discernibility,
    Metric::AverageClassSize,
    Metric::Entropy,
    Metric::Ambiguity,
];

/// Nodes that a heuristic search looks at unless the policy says otherwise.
const MOST_NODES: usize = 10_000;

/// Sets of cuts that are looked at unless the policy says otherwise.
const MOST_SETS: usize = 100_000;

impl Lattice {
    /// Its parameters in a policy.
    pub const PARAMETERS: &'static [Parameter] = &[
        SEARCH,
        MOST,
        CUTS_PER_COLUMN,
        METRIC,
        MEAN,
        BALANCE,
        LEVELS,
        SUPPRESS,
    ];

    /// Reads its parameters.
    pub fn read(section: &mut Section) -> Result<Self> {
        let word = section.word(&SEARCH, SEARCHES)?;
        let most = section.optional(&MOST, Placed::whole)?;
        let per_column = section.optional(&CUTS_PER_COLUMN, Placed::whole)?;
        if per_column.is_some() && word != SearchWord::Cuts {
            let error = section.error("`cuts_per_column` is for a search for cuts");
            return Err(error.help("add search = \"cuts\", or take it out"));
        }
        let search = match (word, most) {
            (SearchWord::Heuristic, most) => SearchKind::Heuristic {
                most: most.unwrap_or(MOST_NODES),
            },
            (SearchWord::Cuts, most) => SearchKind::Cuts {
                most: most.unwrap_or(MOST_SETS),
                per_column,
            },
            (SearchWord::Optimal, None) => SearchKind::Optimal,
            (SearchWord::Optimal, Some(_)) => {
                let error = section.error("`most` is for a heuristic search");
                return Err(error.help("add search = \"heuristic\", or take `most` out"));
            }
        };
        let named: Vec<(&str, Metric)> = METRICS.iter().map(|m| (m.name(), *m)).collect();
        let mut metric = section.word(&METRIC, &named)?;
        let mean = section.optional_word(&MEAN, MEANS)?;
        match (&mut metric, mean) {
            (Metric::Loss { mean }, given) => *mean = given.unwrap_or_default(),
            (_, None) => {}
            (_, Some(_)) => {
                let error = section.error("`mean` is for metric = \"loss\"");
                return Err(error.help("take it out"));
            }
        }
        let levels = section.by_name(&LEVELS, read_levels)?;
        let balance = section.number(&BALANCE)?;
        if word == SearchWord::Cuts {
            let fits = matches!(metric, Metric::Loss { .. } | Metric::Discernibility);
            if !fits || levels.is_some() || balance != 0.5 {
                return Err(section
                    .error("search = \"cuts\" knows no levels, and neither `balance` nor this metric")
                    .help("take `levels` and `balance` out; the metric is \"discernibility\" or \"loss\""));
            }
        }
        Ok(Lattice {
            search,
            metric,
            balance,
            levels: levels.into_iter().flatten().collect(),
            suppress: section.number(&SUPPRESS)?,
        })
    }

    /// Writes its parameters as [`Lattice::read`] reads them.
    pub fn write(&self, section: &mut Section) {
        match self.search {
            SearchKind::Optimal => {}
            SearchKind::Heuristic { most } => {
                section.set_word(&SEARCH, SEARCHES, SearchWord::Heuristic);
                section.set(&MOST, most);
            }
            SearchKind::Cuts { most, per_column } => {
                section.set_word(&SEARCH, SEARCHES, SearchWord::Cuts);
                section.set(&MOST, most);
                section.set_optional(&CUTS_PER_COLUMN, per_column);
            }
        }
        section.set(&METRIC, self.metric.name());
        if let Metric::Loss { mean } = self.metric
            && mean != Mean::default()
        {
            section.set_word(&MEAN, MEANS, mean);
        }
        section.set(&BALANCE, self.balance);
        let levels = self.levels.iter().map(|(column, &(low, high))| {
            let ends = match low == high {
                true => Value::from(low),
                false => Value::from(vec![low, high]),
            };
            (column.clone(), ends)
        });
        let levels: BTreeMap<String, Value> = levels.collect();
        if !levels.is_empty() {
            section.set(&LEVELS, levels);
        }
        section.set(&SUPPRESS, self.suppress);
    }
}

impl Metric {
    /// The name used in a policy.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Metric::Loss { .. } => "loss",
            Metric::Precision => "precision",
            Metric::Discernibility => "discernibility",
            Metric::AverageClassSize => "average-class-size",
            Metric::Entropy => "entropy",
            Metric::Ambiguity => "ambiguity",
        }
    }
}

/// One level, or the lowest and the highest one.
fn read_levels(placed: &Placed, name: &str) -> Result<(usize, usize)> {
    let Value::List(ends) = &placed.value else {
        let level = placed.whole(name)?;
        return Ok((level, level));
    };
    match ends.as_slice() {
        [low, high] => {
            let (low, high) = (low.whole(name)?, high.whole(name)?);
            match low <= high {
                true => Ok((low, high)),
                false => Err(placed.error(format!("the levels of `{name}` go from high to low"))),
            }
        }
        _ => Err(placed.error(format!("`{name}` is the lowest and the highest level"))),
    }
}
