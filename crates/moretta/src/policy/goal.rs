//! Reads `[goal]`: what a search over methods and their numbers is to find.
//!
//! `minimize` names a measure, `subject_to` limits on others. Measures of classes are those of
//! methods that make values coarser, and k is searched; measures of records those of masks, and
//! their own number is.

use super::measure::check_share;
use crate::config::{Absent, Accepts, Length, Parameter, Placed, Section, unknown};
use crate::error::{Error, Result};
use crate::measure::{self, Info};
use crate::protect::{Claim, METHODS, Method, MethodInfo, SUPPRESS};
use std::ops::Range;

/// What a search over methods is to find.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// The measure that is to be as small as it can.
    pub minimize: String,
    /// Measures and what they may be at most.
    pub subject_to: Vec<(String, f64)>,
    /// The methods that are tried.
    pub methods: Vec<Method>,
    /// Its place in the text of the policy.
    pub span: Range<usize>,
}

/// The keys of `[goal]`.
pub(super) const KEYS: &[Parameter] = &[MINIMIZE, SUBJECT_TO, METHOD_NAMES, SHARE];

const MINIMIZE: Parameter = Parameter::new(
    "minimize",
    Accepts::Name("measure", names),
    Absent::Refused,
    "the measure that is to be as small as it can",
)
.examples(&["\"gcp\""]);
const SUBJECT_TO: Parameter = Parameter::new(
    "subject_to",
    Accepts::ByWord(names, &Accepts::Number(f64::MIN, f64::MAX)),
    Absent::Refused,
    "measures and what they may be at most",
)
.examples(&["{ prosecutor_risk = 0.05 }"]);
const METHOD_NAMES: Parameter = Parameter::new(
    "methods",
    Accepts::List(&Accepts::Name("method", method_names), Length::ANY),
    Absent::Means("all that fit the measures"),
    "the methods that are tried, each with the defaults of its other parameters",
)
.examples(&["[\"mondrian\", \"lattice\"]"]);

const SHARE: Parameter = Parameter {
    meaning: "the largest share of rows that methods which make values coarser may suppress",
    ..SUPPRESS
};

fn names() -> Vec<&'static str> {
    let measured = measure::LIST.iter().filter(|info| info.is_of(true, true));
    measured.map(|info| info.name).collect()
}

fn method_names() -> Vec<&'static str> {
    METHODS.iter().map(|info| info.name).collect()
}

/// Reads the section.
pub(super) fn read(mut section: Section, span: Range<usize>) -> Result<Goal> {
    let [limits_place, methods_place] =
        [&SUBJECT_TO, &METHOD_NAMES].map(|key| section.place(key.name));
    let minimize = section.text(&MINIMIZE)?;
    let limits = section.by_name(&SUBJECT_TO, Placed::number)?;
    let subject_to = limits.unwrap_or_default();
    for (name, limit) in &subject_to {
        if !names().contains(&name.as_str()) {
            let error = Error::policy(format!("there is no measure `{name}`")).at(limits_place);
            return Err(unknown(error, name, &names()));
        }
        check_share(name, *limit).map_err(|error| error.at(limits_place.clone()))?;
    }
    if subject_to.is_empty() {
        return Err(Error::policy("[goal] has no limit in `subject_to`")
            .at(limits_place)
            .help("for example subject_to = { prosecutor_risk = 0.05 }"));
    }
    let named = section.optional(&METHOD_NAMES, Placed::texts)?;
    let suppress = section.number(&SHARE)?;
    let infos: Vec<&Info> = std::iter::once(&minimize)
        .chain(subject_to.iter().map(|(name, _)| name))
        .filter_map(|name| measure::find(name))
        .collect();
    let of_classes = infos.iter().all(|info| info.is_of(true, false));
    if !of_classes && !infos.iter().all(|info| info.is_of(false, true)) {
        return Err(Error::policy(
            "[goal] names measures of classes and measures of records, and no method has both",
        )
        .at(limits_place)
        .help("`moretta explain` lists which measures are of what"));
    }
    let methods = match named {
        None => METHODS
            .iter()
            .filter_map(|info| fitting(info, of_classes, suppress))
            .collect(),
        Some(names) => names
            .iter()
            .map(|name| {
                let method =
                    MethodInfo::find(name).and_then(|info| fitting(info, of_classes, suppress));
                method.ok_or_else(|| {
                    let what = format!("`{name}` cannot be searched for this goal");
                    let fit = METHODS
                        .iter()
                        .filter(|info| fitting(info, of_classes, suppress).is_some());
                    let fit: Vec<&str> = fit.map(|info| info.name).collect();
                    Error::policy(what).at(methods_place.clone()).help(format!(
                        "of what `minimize` and `subject_to` measure, these can be searched: {}",
                        fit.join(", ")
                    ))
                })
            })
            .collect::<Result<Vec<Method>>>()?,
    };
    section.finish()?;
    if methods.is_empty() {
        return Err(Error::policy("[goal] has no method to try").at(span));
    }
    Ok(Goal {
        minimize,
        subject_to,
        methods,
        span,
    })
}

/// The method with its defaults, if it can be searched.
fn fitting(info: &'static MethodInfo, of_classes: bool, suppress: f64) -> Option<Method> {
    let method = info.with_defaults(of_classes.then_some(suppress))?;
    let fits = match of_classes {
        true => method.decides(),
        false => {
            let masks = method.as_masking().is_some_and(|mask| mask.is_comparable());
            let tunable = info.parameters.iter().any(|p| p.tunable.is_some());
            masks && tunable && method.claim() != Claim::Privacy
        }
    };
    fits.then_some(method)
}
