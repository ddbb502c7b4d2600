//! Reads `[measure]`.

use super::PairPolicy;
use crate::config::{
    Absent, Accepts, Length, POSITIVE, Parameter, Placed, Section, unknown, words,
};
use crate::engine::Plan;
use crate::error::{Error, Result};
use crate::learn::check_learner;
use crate::measure::categorical::{CategoricalSettings, LinkageMode};
use crate::measure::{self, Info, Population, RiskSetting};
use crate::protect::Method;

/// The keys of `[measure]`.
pub(super) const KEYS: &[Parameter] = &[
    REPORT,
    FAIL_ABOVE,
    LEARNER,
    BUFFER,
    INTERVAL,
    TOLERANCE,
    LINKAGE,
    TABLE_ORDER,
    CLUSTERS,
    THRESHOLD,
    POPULATION,
    FRACTION,
    WEIGHTS,
    HOUSEHOLDS,
];

const REPORT: Parameter = Parameter::new(
    "report",
    Accepts::List(&Accepts::Name("measure", names), Length::ANY),
    Absent::Means("all"),
    "the measures to show first; of masked records those that are computed",
)
.examples(&["[\"gcp\"]"]);
const FAIL_ABOVE: Parameter = Parameter::new(
    "fail_above",
    Accepts::ByWord(names, &Accepts::Number(f64::MIN, f64::MAX)),
    Absent::Means("no limits"),
    "limits on measures: a run that exceeds one fails, and nothing is written",
)
.examples(&["{ gcp = 0.35 }"]);
const LEARNER: Parameter = Parameter::new(
    "learner",
    Accepts::Text,
    Absent::Text("nb"),
    "the learner of accuracy_loss, with options in parentheses",
)
.examples(&["\"ht(grace=50)\""]);
const BUFFER: Parameter = Parameter::new(
    "buffer",
    Accepts::Whole(1, 1 << 20),
    Absent::Means("100"),
    "of a stream: originals among which a masked record is looked for",
);
const INTERVAL: Parameter = Parameter::new(
    "interval",
    Accepts::Number(0.01, 100.0),
    Absent::Number(10.0),
    "half the width of disclosure intervals, in percent",
);
const TOLERANCE: Parameter = Parameter::new(
    "tolerance",
    Accepts::Number(0.0001, 10.0),
    Absent::Number(0.1),
    "share of a standard deviation within which numbers agree",
);
/// The words of `linkage`.
const LINKAGES: &[(&str, LinkageMode)] = &[
    ("em", LinkageMode::Em),
    ("em_fixed_pi", LinkageMode::EmFixedPi),
    ("supervised", LinkageMode::Supervised),
];
const LINKAGE: Parameter = Parameter::new(
    "linkage",
    Accepts::Word(|| words(LINKAGES)),
    Absent::Text("em_fixed_pi"),
    "how the chances of categorical_probabilistic_linkage are found: by EM (`em`), by EM where one of n pairs belongs together, or from the pairs themselves as only the protector can (`supervised`, the worst case)",
);
const TABLE_ORDER: Parameter = Parameter::new(
    "table_order",
    Accepts::Whole(1, 3),
    Absent::Whole(2),
    "the most columns of a contingency table of ctbil",
);
const CLUSTERS: Parameter = Parameter::new(
    "clusters",
    Accepts::Whole(1, 1000),
    Absent::Whole(10),
    "clusters into which cluster_loss puts masked categories",
);
const THRESHOLD: Parameter = Parameter::new(
    "threshold",
    Accepts::Number(0.0, 1.0),
    Absent::Number(0.2),
    "persons whose chance to be found is above this are at risk",
);
const POPULATION: Parameter = Parameter::new(
    "population",
    Accepts::Whole(1, i64::MAX),
    Absent::Means("not known"),
    "persons of the population that the table is a sample of, for population_uniques and suda_risk",
)
.examples(&["1000000"]);
const FRACTION: Parameter = Parameter::new(
    "fraction",
    Accepts::Number(POSITIVE, 1.0),
    Absent::Means("not known"),
    "the share of the population that is in the table, instead of `population`",
)
.examples(&["0.1"]);
const WEIGHTS: Parameter = Parameter::new(
    "weights",
    Accepts::Text,
    Absent::Means("none"),
    "the column that tells for how many persons of the population each row stands, for individual_risk; it is read also where its role is drop",
)
.examples(&["\"sampling_weight\""]);
const HOUSEHOLDS: Parameter = Parameter::new(
    "households",
    Accepts::Text,
    Absent::Means("none"),
    "the column that tells which persons belong together, for household_risk; it is read also where its role is drop or identifier",
)
.examples(&["\"household\""]);

/// All measures of tables and of masked records.
fn names() -> Vec<&'static str> {
    measured(true, true).map(|info| info.name).collect()
}

fn measured(coarse: bool, masks: bool) -> impl Iterator<Item = &'static Info> {
    let list = measure::LIST.iter();
    list.filter(move |info| info.is_of(coarse, masks))
}

/// What to report, limits, and how pairs and risks are measured.
pub(super) type Measures = (Vec<String>, Vec<(String, f64)>, PairPolicy, RiskSetting);

/// Of records that are masked, pairs can be measured; of values that are made coarser,
/// classes and regions.
pub(super) fn read(section: Option<Section>, protect: &[Method]) -> Result<Measures> {
    let Some(mut section) = section else {
        return Ok(Measures::default());
    };
    let masks = protect.iter().any(|method| method.as_masking().is_some());
    let coarse = |method: &Method| method.as_masking().is_none() && !method.recodes_stream();
    let coarse = protect.iter().any(coarse);
    let names: Vec<&str> = measured(coarse, masks).map(|info| info.name).collect();
    let check = |name: &str, error: Error| match names.contains(&name) {
        true => Ok(()),
        false => Err(unknown(error, name, &names)),
    };
    let pairs = PairPolicy::read(&mut section, masks)?;
    let risk = match coarse {
        true => read_risk(&mut section)?,
        false => RiskSetting::default(),
    };
    let report = section.optional(&REPORT, |placed, key| {
        let list = placed.list(key)?.iter();
        list.map(|placed| {
            let name = placed.text(key)?;
            check(&name, placed.error(format!("there is no measure `{name}`")))?;
            Ok(name)
        })
        .collect::<Result<_>>()
    })?;
    let mut limits = Vec::new();
    if let Some(mut table) = section.optional_table(&FAIL_ABOVE)? {
        for (name, span) in table.keys() {
            check(
                &name,
                Error::policy(format!("there is no measure `{name}`")).at(span),
            )?;
            if let Some(placed) = table.take_named(&name) {
                let limit = placed.number(&name)?;
                check_share(&name, limit).map_err(|error| error.at(placed.span.clone()))?;
                limits.push((name.clone(), limit));
            }
        }
    }
    section.finish()?;
    Ok((report.unwrap_or_default(), limits, pairs, risk))
}

/// Refuses a limit above 1 on a share, which would hold of everything: it was meant in percent.
pub(super) fn check_share(name: &str, limit: f64) -> Result<()> {
    let is_share = measure::find(name).is_some_and(|info| info.percent);
    match is_share && limit > 1.0 {
        false => Ok(()),
        true => Err(Error::policy(format!(
            "`{name}` is a share from 0 to 1, so a limit of {limit} keeps nothing away"
        ))
        .help(format!("for {limit} percent write {}", limit / 100.0))),
    }
}

/// What measures of risk need to know besides the rows.
fn read_risk(section: &mut Section) -> Result<RiskSetting> {
    let threshold = section.number(&THRESHOLD)?;
    let size: Option<u64> = section.optional(&POPULATION, Placed::whole)?;
    let fraction = section.optional(&FRACTION, |placed, name| {
        let fraction = placed.number(name)?;
        match size {
            None => Ok(fraction),
            Some(_) => Err(placed
                .error("`population` and `fraction` say the same")
                .help("leave one of them out")),
        }
    })?;
    let fraction = fraction.map(Population::Fraction);
    Ok(RiskSetting {
        threshold,
        population: size.map(Population::Size).or(fraction),
        weights: section.optional(&WEIGHTS, Placed::text)?,
        households: section.optional(&HOUSEHOLDS, Placed::text)?,
    })
}

/// The section as [`read`] reads it.
pub(super) fn written(plan: &Plan) -> Section {
    let mut section = Section::default();
    if !plan.report_measures.is_empty() {
        section.set(&REPORT, plan.report_measures.clone());
    }
    let mut limits = Section::default();
    for (name, limit) in &plan.fail_above {
        limits.put(name, *limit);
    }
    section.set(&FAIL_ABOVE, limits);
    section.set(&LEARNER, &plan.pairs.learner);
    section.set_optional(&BUFFER, plan.pairs.buffer);
    section.set(&INTERVAL, plan.pairs.interval);
    section.set(&TOLERANCE, plan.pairs.tolerance);
    section.set_word(&LINKAGE, LINKAGES, plan.pairs.categories.linkage);
    section.set(&TABLE_ORDER, plan.pairs.categories.table_order);
    section.set(&CLUSTERS, plan.pairs.categories.clusters);
    let RiskSetting {
        threshold,
        population,
        weights,
        households,
    } = &plan.risk;
    section.set(&THRESHOLD, *threshold);
    match population {
        Some(Population::Size(size)) => section.set(&POPULATION, *size),
        Some(Population::Fraction(share)) => section.set(&FRACTION, *share),
        None => {}
    }
    section.set_optional(&WEIGHTS, weights.clone());
    section.set_optional(&HOUSEHOLDS, households.clone());
    section
}

impl PairPolicy {
    /// Of a table only the learner matters.
    fn read(section: &mut Section, masks: bool) -> Result<Self> {
        let learner = section.read(&LEARNER, |placed, name| {
            let text = placed.text(name)?;
            check_learner(&text).map_err(|fault| {
                let help = fault.help_text().unwrap_or("name a learner").to_owned();
                placed.error(fault.to_string()).help(help)
            })?;
            Ok(text)
        })?;
        if !masks {
            return Ok(PairPolicy {
                learner,
                ..PairPolicy::default()
            });
        }
        Ok(PairPolicy {
            buffer: section.optional(&BUFFER, Placed::whole)?,
            interval: section.number(&INTERVAL)?,
            tolerance: section.number(&TOLERANCE)?,
            categories: CategoricalSettings {
                linkage: section.word(&LINKAGE, LINKAGES)?,
                table_order: section.whole(&TABLE_ORDER)?,
                clusters: section.whole(&CLUSTERS)?,
            },
            learner,
        })
    }
}
