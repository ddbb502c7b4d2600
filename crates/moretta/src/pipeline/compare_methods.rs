//! Puts the same rows through every method that decides by itself how coarse values become, and
//! measures what each would release; nothing is written.
//!
//! The policy is taken as it is but for that method: hierarchies, promises and the share of rows
//! that may be suppressed stay the same, other parameters are the defaults, and those of the
//! policy for its own method. μ-Argus cannot keep such a promise: it is tried with k for what few
//! columns show together, which the comparison says, and its risk is measured as that of all.
//! Each may also be tried in clusters of near rows, beside the table as a whole.

use super::stream;
use super::trial::Rows;
use super::trials::{assess, value_of};
use crate::engine::{Context, Plan, Progress};
use crate::error::{Error, Result};
use crate::guarantee::Guarantee;
use crate::measure::{self, Family};
use crate::optimize::front;
use crate::policy::Policy;
use crate::protect::mu_argus::MuArgus;
use crate::protect::{METHODS, Method};
use serde::Serialize;
use std::time::Instant;

/// What is compared.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonSettings {
    /// The methods, each under the name that the comparison tells; where none is given, that of
    /// the policy and every other one that decides by itself.
    pub methods: Vec<(String, Method)>,
    /// Each method is tried with each k; with that of the policy where none is given.
    pub k: Vec<u32>,
    /// Each method is also tried in so many clusters; as the policy says where none is given.
    pub clusters: Vec<usize>,
    /// The measure of risk by which trade-offs are judged.
    pub risk: String,
    /// The measure of loss by which they are judged.
    pub loss: String,
}

impl ComparisonSettings {
    /// The measures that are compared, the risk and the loss first.
    pub fn measures(&self) -> Vec<String> {
        let others = MEASURES.iter().map(|name| (*name).to_owned());
        let others = others.filter(|name| *name != self.risk && *name != self.loss);
        let first = [self.risk.clone(), self.loss.clone()];
        first.into_iter().chain(others).collect()
    }
}

/// What every method would release.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The policy.
    pub name: String,
    /// Rows of the table.
    pub rows: u64,
    /// The measures that are compared, the risk and the loss of the settings first.
    pub measures: Vec<String>,
    /// Every method with every k.
    pub tried: Vec<TriedMethod>,
}

/// One method.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TriedMethod {
    /// Its name.
    pub method: String,
    /// The k that was promised; none where none is.
    pub k: Option<u32>,
    /// The measures, in the order of the comparison; none of what could not be measured.
    pub values: Vec<Option<f64>>,
    /// What it promises instead of the policy's promises.
    pub promises_less: Option<String>,
    /// Rows that would leave.
    pub released: u64,
    /// Why nothing would leave.
    pub refused: Option<String>,
    /// No other one has at most this risk and this loss.
    pub on_front: bool,
    /// Seconds that protecting, checking and measuring took.
    pub seconds: f64,
}

/// The measures of a comparison besides the risk and the loss that it is about.
const MEASURES: [&str; 7] = [
    "prosecutor_risk",
    "marketer_risk",
    "gcp",
    "loss",
    "discernibility",
    "average_class_size",
    "classification",
];

/// Tries every method on the rows of a policy.
///
/// # Errors
/// When the policy has no method that makes values coarser until promises hold, or a measure is
/// none of risk or loss.
pub fn compare_methods(
    policy: &Policy,
    settings: &ComparisonSettings,
    progress: &Progress,
) -> Result<Comparison> {
    policy.need_one_release("`compare-methods`")?;
    policy.refuse_evolve("`compare-methods`")?;
    stream::refuse(policy, "compare-methods")?;
    let place = coarsening(policy)?;
    check_measures(settings)?;
    let methods = match settings.methods.is_empty() {
        true => candidates(&policy.plan.protect[place]),
        false => settings.methods.clone(),
    };
    let rows = Rows::read(policy, progress)?;
    let context = Context {
        measure_all: false,
        ..policy.context(progress)?
    };
    let measures = settings.measures();
    let plan = Plan {
        levels: Vec::new(),
        fail_above: Vec::new(),
        report_measures: measures.clone(),
        ..policy.loaded_plan()?
    };
    let ks: Vec<Option<u32>> = match settings.k.is_empty() {
        true => vec![plan.guarantee.k.or(own_k(&plan.protect[place]))],
        false => settings.k.iter().copied().map(Some).collect(),
    };
    let clusters = match settings.clusters.is_empty() {
        true => plan.clusters.into_iter().collect(),
        false => settings.clusters.clone(),
    };
    let divided: Vec<Option<usize>> = std::iter::once(None)
        .chain(clusters.into_iter().map(Some))
        .collect();
    let mut tried = Vec::new();
    for (name, method) in &methods {
        for (&k, &clusters) in ks.iter().flat_map(|k| divided.iter().map(move |c| (k, c))) {
            let (mut plan, promises_less) = tried_plan(&plan, place, method, k);
            plan.clusters = clusters;
            let name = match clusters {
                None => name.clone(),
                Some(count) => format!("{name}, {count} clusters"),
            };
            let began = Instant::now();
            let (values, released, refused) = match assess(&plan, &rows, &context) {
                Ok(found) => {
                    let values = measures.iter().map(|name| value_of(&found.values, name));
                    (values.collect(), found.released, None)
                }
                Err(error @ (Error::Guarantee(_) | Error::Policy(_))) => {
                    (vec![None; measures.len()], 0, Some(error.to_string()))
                }
                Err(error) => return Err(error),
            };
            let attempt = TriedMethod {
                method: name,
                k,
                values,
                promises_less,
                released,
                refused,
                on_front: false,
                seconds: began.elapsed().as_secs_f64(),
            };
            progress.found(&attempt)?;
            tried.push(attempt);
        }
    }
    mark_front(&mut tried);
    Ok(Comparison {
        name: policy.name.clone(),
        rows: rows.len(),
        measures,
        tried,
    })
}

/// The plan with another method and k, and what it then promises instead of its promises.
fn tried_plan(
    plan: &Plan,
    place: usize,
    method: &Method,
    k: Option<u32>,
) -> (Plan, Option<String>) {
    let mut plan = plan.clone();
    plan.protect[place] = method.clone();
    let Method::MuArgus(of_few) = &mut plan.protect[place] else {
        plan.guarantee.k = k;
        return (plan, None);
    };
    if let Some(k) = k {
        of_few.k = vec![k];
    }
    let columns = match of_few.identification.is_empty() {
        true => format!("at most {} columns", of_few.size),
        false => "the columns that `identification` puts together".to_owned(),
    };
    plan.guarantee = Guarantee::default();
    let what = format!("promises k only for what {columns} show together; rows may be unique");
    (plan, Some(what))
}

/// The k of a method that has one of its own.
fn own_k(method: &Method) -> Option<u32> {
    match method {
        Method::MuArgus(of_few) => of_few.k.iter().copied().max(),
        _ => None,
    }
}

/// The place of the method that makes values coarser until promises hold.
fn coarsening(policy: &Policy) -> Result<usize> {
    let mut methods = policy.plan.protect.iter();
    methods.position(Method::keeps_guarantee).ok_or_else(|| {
        Error::policy("methods are compared by what they lose for the same promise, and no method of the policy keeps one")
            .help("add a [guarantee] and [[protect]] method = \"mondrian\"")
    })
}

fn check_measures(settings: &ComparisonSettings) -> Result<()> {
    for (option, name, family) in [
        ("--risk", &settings.risk, Family::Risk),
        ("--loss", &settings.loss, Family::Loss),
    ] {
        let known = measure::find(name).filter(|info| info.is_of(true, false));
        if known.is_none_or(|info| info.family != family) {
            let fits = measure::LIST.iter();
            let fits = fits.filter(|info| info.family == family && info.is_of(true, false));
            let names: Vec<&str> = fits.map(|info| info.name).collect();
            return Err(
                Error::usage(format!("{option} {name}: no such measure of classes"))
                    .help(format!("choose from {}", names.join(", "))),
            );
        }
    }
    Ok(())
}

/// The method of the policy, and every other one that decides by itself.
fn candidates(own: &Method) -> Vec<(String, Method)> {
    let others = METHODS.iter().filter(|info| info.name != own.name());
    let others = others.filter_map(|info| match info.name == of_few_columns().name() {
        true => Some(of_few_columns()),
        false => info.with_defaults(own.suppress()).filter(Method::decides),
    });
    std::iter::once(own.clone())
        .chain(others)
        .map(|method| (method.name().to_owned(), method))
        .collect()
}

fn of_few_columns() -> Method {
    Method::MuArgus(MuArgus::default())
}

/// Marks those that no other one beats by risk and loss.
fn mark_front(tried: &mut [TriedMethod]) {
    let at = |one: &TriedMethod| {
        let value = |place: usize| one.values.get(place).copied().flatten();
        (value(0).unwrap_or(f64::NAN), value(1).unwrap_or(f64::NAN))
    };
    let points: Vec<(f64, f64)> = tried.iter().map(at).collect();
    for place in front(&points) {
        tried[place].on_front = true;
    }
}
