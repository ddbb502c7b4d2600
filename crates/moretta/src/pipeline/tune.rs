//! Finds how much a policy may protect and still meet goals: nothing is written.
//!
//! The rows are read once. For each value of one number the policy is read anew, the
//! rows are protected in memory as `run` would, and the goals are measured. The seed is
//! the same for all values, so that luck is, too; another seed, as of a run without one,
//! gives somewhat other figures. What is released is not checked: `run` does that.
//!
//! *Does not protect* the choice: a value that was found on the data tells a little about
//! it, as any measure does. So private methods cannot be tuned.

use super::domains::domains;
use super::learn::accuracy_loss;
use super::masked;
use super::progress::{Progress, Stage};
use super::read::{Original, read};
use super::run::protect;
use super::stream;
use crate::error::{Error, Result};
use crate::measure::Measures;
use crate::optimize::{self, Prefer, Range, Scale, Tried};
use crate::policy::{Policy, Root};
use crate::protect::Tunable;
use serde::Serialize;
use std::sync::Arc;

/// What is varied, and what must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct TuneSettings {
    /// The parameter of the method, or k of the guarantee.
    pub parameter: String,
    /// Its smallest and greatest value.
    pub between: [f64; 2],
    /// Values that are tried first.
    pub steps: usize,
    /// How they lie apart; none for equal ratios where the greatest is at least ten
    /// times the smallest.
    pub scale: Option<Scale>,
    /// More values that are tried between the best and the next.
    pub bisections: usize,
    /// Which end protects more; none for what is known of the parameter.
    pub prefer: Option<Prefer>,
    /// Measures and what they may be at most.
    pub goals: Vec<(String, f64)>,
    /// For policies without a seed.
    pub seed: u64,
}

/// What was tried, and what was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tuned {
    /// The parameter.
    pub parameter: String,
    /// The section of the policy that it belongs to.
    pub section: String,
    /// Which end protects more.
    pub prefer: Prefer,
    /// Every value that was tried, in ascending order.
    pub tried: Vec<Attempt>,
    /// The value with the most protection that meets all goals.
    pub best: Option<f64>,
    /// The value that misses them by least, or `best`.
    pub nearest: Option<f64>,
    /// The best is the end of the range: beyond it may be better ones.
    pub at_end: bool,
    /// A value misses the goals between two that meet them: between the values tried
    /// there may be better ones.
    pub ragged: bool,
}

/// A value and what was measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Attempt {
    /// The value.
    pub value: f64,
    /// All goals are met.
    pub meets: bool,
    /// The goals, in their order.
    pub measures: Vec<Figure>,
    /// Why nothing would be released.
    pub refused: Option<String>,
}

/// A measure and its limit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// The measure.
    pub name: String,
    /// None where it could not be measured.
    pub value: Option<f64>,
    /// What it may be at most.
    pub limit: f64,
}

/// Varies a number of the policy, whose paths are under `root`.
pub fn tune(
    policy: &Policy,
    root: &Root,
    settings: &TuneSettings,
    progress: &Progress,
) -> Result<Tuned> {
    stream::refuse(policy, "tune")?;
    let what = policy.tunable(&settings.parameter)?;
    let range = range(what, settings)?;
    let prefer = settings.prefer.unwrap_or(match what.more_protects {
        true => Prefer::High,
        false => Prefer::Low,
    });
    let variant = |value: f64| {
        let mut policy = policy.varied(root, what, value, &settings.goals)?;
        policy.seed = Some(policy.seed.unwrap_or(settings.seed));
        Ok::<_, Error>(policy)
    };
    // A bad range or goal is told before the rows are read.
    variant(range.low)?;
    variant(range.high)?;
    let original = read(policy, progress)?;
    progress.enter(Stage::Protect);
    let tuning = optimize::tune(&range, prefer, settings.bisections, |value| {
        evaluate(&variant(value)?, &original, &settings.goals, progress)
    })?;
    let value = |tried: &Tried<Found>| tried.value;
    let best = tuning.best().map(value);
    let end = match prefer {
        Prefer::High => range.high,
        Prefer::Low => range.low,
    };
    Ok(Tuned {
        parameter: settings.parameter.clone(),
        section: match what.method {
            Some(_) => "[[protect]]".to_owned(),
            None => "[guarantee]".to_owned(),
        },
        prefer,
        best,
        nearest: tuning.nearest().map(value),
        at_end: best == Some(end),
        ragged: tuning.is_ragged(),
        tried: tuning.tried.into_iter().map(Attempt::from).collect(),
    })
}

fn range(what: &Tunable, settings: &TuneSettings) -> Result<Range> {
    let [low, high] = settings.between;
    let name = what.parameter;
    if !(low.is_finite() && high.is_finite() && low < high) {
        return Err(
            Error::usage(format!("there is nothing between the ends of `{name}`"))
                .help(format!("the smaller comes first: {name}=0.1..1")),
        );
    }
    if what.whole && (low.fract() != 0.0 || high.fract() != 0.0) {
        return Err(Error::usage(format!("`{name}` is a whole number"))
            .help(format!("for example {name}=2..50")));
    }
    let scale = settings
        .scale
        .unwrap_or(match low > 0.0 && high >= 10.0 * low {
            true => Scale::Logarithmic,
            false => Scale::Linear,
        });
    if scale == Scale::Logarithmic && low <= 0.0 {
        return Err(Error::usage("equal ratios need values above 0")
            .help("begin above 0, or take --scale linear"));
    }
    Ok(Range {
        low,
        high,
        steps: settings.steps,
        scale,
        whole: what.whole,
    })
}

/// What is remembered of a value.
#[derive(Clone, Debug)]
struct Found {
    measures: Vec<Figure>,
    refused: Option<String>,
}

impl From<Tried<Found>> for Attempt {
    fn from(tried: Tried<Found>) -> Self {
        Attempt {
            value: tried.value,
            meets: tried.meets(),
            measures: tried.found.measures,
            refused: tried.found.refused,
        }
    }
}

/// By how much the goals are missed, in shares of their limits. A guarantee that cannot
/// be kept is a value that meets none.
fn evaluate(
    policy: &Policy,
    original: &Original,
    goals: &[(String, f64)],
    progress: &Progress,
) -> Result<(f64, Found)> {
    let (values, refused) = match measured(policy, original, progress) {
        Ok(values) => (values, None),
        Err(error @ Error::Guarantee(_)) => (Vec::new(), Some(error.to_string())),
        Err(error) => return Err(error),
    };
    let figure = |(name, limit): &(String, f64)| Figure {
        name: name.clone(),
        value: values
            .iter()
            .find(|(measured, _)| measured == name)
            .and_then(|(_, value)| *value),
        limit: *limit,
    };
    let measures: Vec<Figure> = goals.iter().map(figure).collect();
    let excess = measures.iter().map(Figure::excess);
    let excess = excess.fold(f64::NEG_INFINITY, f64::max);
    Ok((excess, Found { measures, refused }))
}

impl Figure {
    fn excess(&self) -> f64 {
        let over = |value| (value - self.limit) / self.limit.abs().max(0.01);
        self.value.map_or(f64::INFINITY, over)
    }
}

type Values = Vec<(&'static str, Option<f64>)>;

/// What the policy measures of what it would release.
fn measured(policy: &Policy, original: &Original, progress: &Progress) -> Result<Values> {
    if let Some(masking) = policy.masking() {
        return masked::measured(policy, masking, &original.batch);
    }
    let domains = Arc::new(domains(policy, original)?);
    let (release, _) = protect(policy, original, &domains, progress)?;
    let schema = original.batch.schema();
    let k = policy.guarantee.k.unwrap_or(1);
    let mut measures = Measures::new(schema, &domains.quasi(schema), k);
    let mut gone = vec![true; original.batch.len()];
    let ids: Vec<u32> = release.rows().iter().map(|id| id as u32).collect();
    ids.iter().for_each(|&id| gone[id as usize] = false);
    measures.observe(&original.batch.take(&ids)?, &release)?;
    let gone: Vec<u32> = (0..)
        .zip(gone)
        .filter_map(|(id, gone)| gone.then_some(id))
        .collect();
    measures.suppressed(&original.batch.take(&gone)?)?;
    measures.tell_accuracy_loss(accuracy_loss(policy, original, &release)?);
    let values = measures.values().into_iter();
    Ok(values
        .map(|value| (value.name, Some(value.after)))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::run::{Options, run};
    use std::fmt::Write;
    use std::path::Path;

    const HEAD: &str = r#"
        version = 1
        seed = 5
        [source]
        path = "rows.csv"
        [columns]
        x = { role = "quasi" }
        y = { role = "quasi" }
        kind = { role = "class" }
        [sink]
        path = "out.csv"
    "#;

    /// 400 rows; the class is told by `x`.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let mut rows = String::from("x,y,kind\n");
        for n in 0..400 {
            let (x, y) = (n * 37 % 101, n * 53 % 97);
            let _ = writeln!(rows, "{x},{y},{}", if x < 50 { "low" } else { "high" });
        }
        std::fs::write(folder.path().join("rows.csv"), rows).expect("written");
        folder
    }

    fn settings(parameter: &str, between: [f64; 2], goals: &[(&str, f64)]) -> TuneSettings {
        TuneSettings {
            parameter: parameter.to_owned(),
            between,
            steps: 5,
            scale: None,
            bisections: 6,
            prefer: None,
            goals: goals
                .iter()
                .map(|(name, limit)| ((*name).to_owned(), *limit))
                .collect(),
            seed: 1,
        }
    }

    fn tuned(folder: &Path, rest: &str, settings: &TuneSettings) -> Result<Tuned> {
        let root = Root::of_policy(&folder.join("policy.toml"), None)?;
        let policy = Policy::parse(&format!("{HEAD}{rest}"), &root)?;
        tune(&policy, &root, settings, &Progress::default())
    }

    const MONDRIAN: &str = "[guarantee]\nk = 3\n[[protect]]\nmethod = \"mondrian\"\n";
    const PROJECTION: &str =
        "[[protect]]\nmethod = \"random-projection\"\n[measure]\nlearner = \"knn\"\n";

    #[test]
    fn the_best_meets_the_goals_and_one_step_more_does_not() {
        let folder = folder();
        let goals = [("gcp", 0.2), ("accuracy_loss", 0.1)];
        let found = tuned(
            folder.path(),
            MONDRIAN,
            &settings("k", [2.0, 200.0], &goals),
        );
        let found = found.expect("tuned");
        let best = found.best.expect("a small k meets");
        assert!(found.tried.iter().all(|tried| tried.value.fract() == 0.0));
        let at = |value: f64| found.tried.iter().find(|tried| tried.value == value);
        assert!(at(best).expect("tried").meets);
        assert!(!at(best + 1.0).expect("bisected to the end").meets);
        assert_eq!(
            (found.section.as_str(), found.prefer),
            ("[guarantee]", Prefer::High)
        );
        let out = folder.path().join("out.csv");
        assert!(!out.exists(), "nothing is written");
    }

    #[test]
    fn figures_are_those_of_a_run() {
        let folder = folder();
        for (rest, parameter, value, measure) in [
            (MONDRIAN, "k", 7.0, "gcp"),
            (MONDRIAN, "k", 7.0, "discernibility"),
            (
                "[guarantee]\nk = 3\n[[protect]]\nmethod = \"mondrian\"\noutput = \"mean\"\n",
                "k",
                7.0,
                "prosecutor_risk",
            ),
            (
                "[guarantee]\nk = 3\n[[protect]]\nmethod = \"mondrian\"\nsuppress = 0.2\n",
                "k",
                30.0,
                "journalist_risk",
            ),
            ("[[protect]]\nmethod = \"noise\"\n", "amount", 0.5, "sse"),
            (
                "[[protect]]\nmethod = \"noise\"\nbuffer = 30\n",
                "amount",
                0.5,
                "record_linkage",
            ),
            (PROJECTION, "sigma", 0.5, "accuracy_loss"),
        ] {
            let settings = TuneSettings {
                steps: 2,
                bisections: 0,
                ..settings(parameter, [value, 2.0 * value], &[(measure, 1e12)])
            };
            let found = tuned(folder.path(), rest, &settings).expect("tuned");
            let root = Root::of_policy(&folder.path().join("policy.toml"), None).expect("a root");
            let policy = Policy::parse(&format!("{HEAD}{rest}"), &root).expect("a policy");
            let what = policy.tunable(parameter).expect("known");
            let goals = [(measure.to_owned(), 1e12)];
            let policy = policy.varied(&root, what, value, &goals).expect("varied");
            let options = Options {
                command: String::new(),
                force: true,
                strict: false,
                render: &|_| String::new(),
                progress: &Progress::default(),
            };
            let report = run(&policy, &options).expect("released").report;
            let table = report
                .measures
                .iter()
                .map(|fact| (&fact.name, Some(fact.after)));
            let pairs = report.pairs.iter().flat_map(|pairs| &pairs.measures);
            let pairs = pairs.map(|fact| (&fact.name, fact.value));
            let expected = table.chain(pairs).find(|(name, _)| *name == measure);
            let expected = expected.and_then(|(_, value)| value).expect("reported");
            let figure = found.tried[0].measures[0].value.expect("measured");
            // Sums over rows in another order.
            let near = (figure - expected).abs() <= 1e-9 * expected.abs();
            assert!(near, "{rest} {measure}: {figure} {expected}");
        }
    }

    #[test]
    fn noise_is_raised_until_a_learner_loses_too_much() {
        let folder = folder();
        let goals = [("accuracy_loss", 0.1)];
        let found = tuned(
            folder.path(),
            PROJECTION,
            &settings("sigma", [0.001, 10.0], &goals),
        );
        let found = found.expect("tuned");
        let best = found.best.expect("little noise meets");
        assert!((0.01..5.0).contains(&best), "{best}");
        assert_eq!(found.tried.len(), 11);
        let again = tuned(
            folder.path(),
            PROJECTION,
            &settings("sigma", [0.001, 10.0], &goals),
        );
        assert_eq!(again.expect("tuned"), found);
    }

    #[test]
    fn the_nearest_is_told_where_nothing_meets() {
        let folder = folder();
        let goals = [("accuracy_loss", -0.9)];
        let found = tuned(
            folder.path(),
            PROJECTION,
            &settings("sigma", [0.1, 1.0], &goals),
        );
        let found = found.expect("tried");
        assert_eq!((found.best, found.tried.len()), (None, 5));
        assert!(found.nearest.is_some());
    }

    #[test]
    fn what_makes_no_sense_is_refused_before_rows_are_read() {
        let folder = tempfile::tempdir().expect("no rows");
        let good = settings("k", [2.0, 20.0], &[("gcp", 0.2)]);
        for (rest, settings, code) in [
            (MONDRIAN, settings("k", [20.0, 2.0], &[("gcp", 0.2)]), 2),
            (MONDRIAN, settings("k", [2.5, 20.0], &[("gcp", 0.2)]), 2),
            (MONDRIAN, settings("k", [1.0, 20.0], &[("gcp", 0.2)]), 3),
            (MONDRIAN, settings("sigma", [1.0, 20.0], &[("gcp", 0.2)]), 3),
            (MONDRIAN, settings("k", [2.0, 20.0], &[("sse", 0.2)]), 3),
            (
                "[[protect]]\nmethod = \"local-dp\"\ncolumns = { x = { mechanism = \"laplace\", epsilon = 1, bounds = [0, 100] } }\n",
                good.clone(),
                3,
            ),
            (MONDRIAN, good, 5),
        ] {
            let error = tuned(folder.path(), rest, &settings).expect_err("refused");
            assert_eq!(error.exit_code(), code, "{error}");
        }
    }
}
