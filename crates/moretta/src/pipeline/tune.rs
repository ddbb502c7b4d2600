//! Finds how much a policy may protect and still meet goals: nothing is written.
//!
//! The rows are read once. For each value of one number the policy is read anew, the
//! rows go through a session without a sink, and the goals are measured as `run` does. A value
//! whose release would break a promise meets none. The seed is
//! the same for all values, so that luck is, too; another seed, as of a run without one,
//! gives somewhat other figures, which is told, and the mean over several draws can be
//! taken instead.
//!
//! *Does not protect* the choice: a value that was found on the data tells a little about
//! it, as any measure does. So private methods cannot be tuned.

use super::stream;
use super::trial::Rows;
use super::trials::{Values, assess, value_of};
use crate::engine::{Context, Plan, Progress, Side};
use crate::error::{Error, PolicyError, Result};
use crate::measure::{self, Of};
use crate::optimize::{self, Prefer, Range, Scale, Tried};
use crate::policy::{Policy, Root, Tunable};
use crate::protect::Method;
use serde::Serialize;

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
    /// Releases whose mean is taken where a method draws by chance, each of another seed.
    pub draws: u32,
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
    /// Draws whose mean the figures are; none where nothing is drawn by chance.
    pub draws: Option<u32>,
    /// What is to be known of the figures.
    pub caution: Option<&'static str>,
}

/// Of figures that chance has made.
const ONE_DRAW: &str = "the method draws by chance and each figure is of one draw: another seed (that of the policy, or --seed) gives others, and --draws 10 takes the mean of ten";

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
    /// What the learner of the release is tested with, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tested: Option<Side>,
}

/// Varies a number of the policy, whose paths are under `root`.
pub fn tune(
    policy: &Policy,
    root: &Root,
    settings: &TuneSettings,
    progress: &Progress,
) -> Result<Tuned> {
    policy.need_one_release("`tune`")?;
    policy.refuse_evolve("`tune`")?;
    stream::refuse(policy, "tune")?;
    let what = &policy.tunable(&settings.parameter)?;
    let range = range(what, settings)?;
    let prefer = settings.prefer.unwrap_or(match what.more_protects {
        true => Prefer::High,
        false => Prefer::Low,
    });
    // A bad range or goal is told before the rows are read.
    for end in [range.low, range.high] {
        let varied = policy.varied(root, what, end, &[]);
        varied.map_err(|error| of_option(error, &vary(what, settings.between)))?;
    }
    for goal in &settings.goals {
        let measured = policy.varied(root, what, range.low, std::slice::from_ref(goal));
        let option = format!("--goal {}={}", goal.0, goal.1);
        measured.map_err(|error| of_option(error, &option))?;
        if goal.1 < 0.0 && !measure::find(&goal.0).is_some_and(|info| info.is_learnt()) {
            let what = format!("{option}: `{}` is never below 0", goal.0);
            return Err(Error::usage(what).help("take a limit from 0 up"));
        }
    }
    let random = policy.plan.protect.iter().any(Method::is_random);
    let draws = if random { settings.draws.max(1) } else { 1 };
    let seed = policy.plan.seed.unwrap_or(settings.seed);
    let variants = |value: f64| {
        let varied = policy.varied(root, what, value, &settings.goals);
        let varied = varied.map_err(|error| of_option(error, &vary(what, settings.between)))?;
        let plan = varied.loaded_plan()?;
        let drawn = |draw: u32| Plan {
            seed: Some(seed.wrapping_add(draw.into())),
            ..plan.clone()
        };
        Ok::<_, Error>((0..draws).map(drawn).collect::<Vec<_>>())
    };
    let rows = Rows::read(policy, progress)?;
    let context = policy.context(progress)?;
    let tuning = optimize::tune(&range, prefer, settings.bisections, |value| {
        let (excess, found) = evaluate(&variants(value)?, &rows, &settings.goals, &context)?;
        progress.found(&Attempt {
            value,
            meets: excess <= 0.0,
            measures: found.measures.clone(),
            refused: found.refused.clone(),
        })?;
        Ok::<_, Error>((excess, found))
    })?;
    let value = |tried: &Tried<Found>| tried.value;
    let best = tuning.best().map(value);
    let end = match prefer {
        Prefer::High => range.high,
        Prefer::Low => range.low,
    };
    Ok(Tuned {
        parameter: what.parameter.to_owned(),
        section: match what.method.and_then(|place| policy.plan.protect.get(place)) {
            None => "[guarantee]".to_owned(),
            Some(method) if policy.plan.protect.len() > 1 => {
                format!("[[protect]]\nmethod = \"{}\"", method.name())
            }
            Some(_) => "[[protect]]".to_owned(),
        },
        prefer,
        best,
        nearest: tuning.nearest().map(value),
        at_end: best == Some(end),
        ragged: tuning.is_ragged(),
        draws: random.then_some(draws),
        caution: (random && draws == 1).then_some(ONE_DRAW),
        tried: tuning.tried.into_iter().map(Attempt::from).collect(),
    })
}

/// The policy is right as it is written: what is wrong came by an option.
fn of_option(error: Error, option: &str) -> Error {
    match error {
        Error::Policy(PolicyError { what, help, .. }) => {
            let error = Error::usage(format!("{option}: {what}"));
            match help {
                Some(help) => error.help(help),
                None => error,
            }
        }
        other => other,
    }
}

/// The option that varies a number between these ends.
fn vary(what: &Tunable, [low, high]: [f64; 2]) -> String {
    format!("--vary {}={low}..{high}", what.parameter)
}

fn range(what: &Tunable, settings: &TuneSettings) -> Result<Range> {
    let [low, high] = settings.between;
    let name = what.parameter;
    let example = vary(what, if what.whole { [2.0, 50.0] } else { [0.1, 1.0] });
    let option = vary(what, settings.between);
    let fault =
        |fault: &str, help: String| Err(Error::usage(format!("{option}: {fault}")).help(help));
    if !(low.is_finite() && high.is_finite()) {
        return fault(
            "the ends are finite numbers",
            format!("for example {example}"),
        );
    }
    if low >= high {
        let nothing = "there is nothing between the ends";
        return match low > high {
            true => fault(
                nothing,
                format!("the smaller comes first: {}", vary(what, [high, low])),
            ),
            false => fault(nothing, "give it two ends that differ".to_owned()),
        };
    }
    if what.whole && (low.fract() != 0.0 || high.fract() != 0.0) {
        return fault(
            &format!("{name} is a whole number"),
            format!("for example {example}"),
        );
    }
    let scale = settings
        .scale
        .unwrap_or(match low > 0.0 && high >= 10.0 * low {
            true => Scale::Logarithmic,
            false => Scale::Linear,
        });
    if scale == Scale::Logarithmic && low <= 0.0 {
        return fault(
            "equal ratios need values above 0",
            "begin above 0, or take --scale linear".to_owned(),
        );
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

/// By how much the goals are missed, in shares of their limits, on average over policies
/// that differ in their seeds. A guarantee that cannot be kept is a value that meets none.
fn evaluate(
    draws: &[Plan],
    rows: &Rows,
    goals: &[(String, f64)],
    context: &Context,
) -> Result<(f64, Found)> {
    let measured = draws.iter();
    let measured = measured.map(|plan| Ok(assess(plan, rows, context)?.values));
    let (drawn, refused): (Vec<Values>, _) = match measured.collect() {
        Ok(drawn) => (drawn, None),
        Err(error @ Error::Guarantee(_)) => (Vec::new(), Some(error.to_string())),
        Err(error) => return Err(error),
    };
    let figure = |(name, limit): &(String, f64)| Figure {
        name: name.clone(),
        value: mean(&drawn, name),
        limit: *limit,
        tested: draws.first().and_then(|plan| tested(plan, name)),
    };
    let measures: Vec<Figure> = goals.iter().map(figure).collect();
    let excess = measures.iter().map(Figure::excess);
    let excess = excess.fold(f64::NEG_INFINITY, f64::max);
    Ok((excess, Found { measures, refused }))
}

/// What the learner of a measure is tested with: originals, unless the measure is of
/// released rows or what is released are mixtures of columns.
fn tested(plan: &Plan, name: &str) -> Option<Side> {
    let mixes = plan.masking().is_some_and(|mask| !mask.is_comparable());
    match measure::find(name)?.of {
        Of::Lessons { masked } if masked || mixes => Some(Side::Protected),
        Of::Lessons { .. } => Some(Side::Original),
        _ => None,
    }
}

impl Figure {
    fn excess(&self) -> f64 {
        let over = |value| (value - self.limit) / self.limit.abs().max(0.01);
        self.value.map_or(f64::INFINITY, over)
    }
}

/// The mean of a measure; none if it could not be measured each time.
fn mean(drawn: &[Values], name: &str) -> Option<f64> {
    let sum: Option<f64> = drawn.iter().map(|values| value_of(values, name)).sum();
    (!drawn.is_empty()).then_some(sum? / drawn.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::{Options, run};
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
            draws: 1,
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
        let tested = found.tried[0].measures.iter().map(|figure| figure.tested);
        assert_eq!(tested.collect::<Vec<_>>(), [None, Some(Side::Original)]);
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
            let policy = policy.varied(&root, &what, value, &goals).expect("varied");
            let options = Options {
                command: String::new(),
                date: None,
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
            // Sums over rows in another order; of masked records a report tells three digits, or
            // tenths of a percent.
            let rounded = if report.pairs.is_some() { 0.005 } else { 1e-9 };
            let near = (figure - expected).abs() <= rounded * expected.abs().max(0.1);
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
        let tested = found.tried[0].measures[0].tested;
        assert_eq!(tested, Some(Side::Protected), "mixtures have no originals");
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
            (MONDRIAN, settings("k", [1.0, 20.0], &[("gcp", 0.2)]), 2),
            (MONDRIAN, settings("sigma", [1.0, 20.0], &[("gcp", 0.2)]), 2),
            (MONDRIAN, settings("k", [2.0, 20.0], &[("sse", 0.2)]), 2),
            (MONDRIAN, settings("k", [2.0, 20.0], &[("gcp", -0.2)]), 2),
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

    #[test]
    fn figures_of_chance_are_the_mean_of_their_draws() {
        let folder = folder();
        let tuned_by = |seed, draws| {
            let settings = TuneSettings {
                steps: 2,
                bisections: 0,
                seed,
                draws,
                ..settings("amount", [0.5, 1.0], &[("sse", 1e12)])
            };
            let root = Root::of_policy(&folder.path().join("policy.toml"), None);
            let root = root.expect("a root");
            let head = HEAD.replace("seed = 5", "");
            let policy = format!("{head}[[protect]]\nmethod = \"noise\"\n");
            let policy = Policy::parse(&policy, &root).expect("a policy");
            tune(&policy, &root, &settings, &Progress::default()).expect("tuned")
        };
        let figure = |tuned: &Tuned| tuned.tried[0].measures[0].value.expect("measured");
        let alone: Vec<Tuned> = (7..10).map(|seed| tuned_by(seed, 1)).collect();
        assert!(alone.iter().all(|tuned| tuned.caution.is_some()));
        assert_ne!(figure(&alone[0]), figure(&alone[1]));
        let together = tuned_by(7, 3);
        assert_eq!((together.draws, together.caution), (Some(3), None));
        let mean = alone.iter().map(figure).sum::<f64>() / 3.0;
        assert!((figure(&together) / mean - 1.0).abs() < 1e-12);
        let still = settings("k", [2.0, 20.0], &[("gcp", 0.2)]);
        let still = tuned(folder.path(), MONDRIAN, &still).expect("tuned");
        assert_eq!((still.draws, still.caution), (None, None));
    }
}
