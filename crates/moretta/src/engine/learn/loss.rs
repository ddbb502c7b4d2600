//! Accuracy lost by learning from a release: the one way to measure it, of tables and of streams
//! of records.
//!
//! ```text
//! accuracy loss = accuracy of a learner of originals − accuracy of one of the release
//! ```
//!
//! Both learners are led through [`Lessons`], as `moretta learn` leads them: all released columns
//! that have a type, rows in the order of the source, each a test before it is a lesson,
//! suppressed rows and rows without a class left out. `accuracy_loss` tests both with
//! originals, as a reader who applies what was learnt to persons does; `accuracy_loss_masked`
//! tests the second with what is released, as one who has nothing else does. The two can differ
//! much: near records that became one are hard to tell apart, whatever was learnt. Mixtures of
//! columns can only be tested with mixtures, and both measures do. Where the class is masked,
//! too, the second learner is taught the released class and judged by the original one. Below 0
//! the release is easier to learn.
//!
//! A stream is never there as a whole: its classes and categories are those of the first
//! [`LOOK`] rows, a later class is left out, and a later category counts as missing.
//!
//! *Does not tell* what another learner would lose, nor one that could prepare the data.
//! *Costs* what two learners cost; of a table both sides in memory, of a stream [`LOOK`] rows.
//! *From* Denham, Pears, Naeem, "Enhancing random projection with independent and cumulative
//! additive noise for privacy-preserving data stream mining" (2020), where accuracy on the
//! perturbed stream is the utility.

use super::accuracy::Pupil;
use super::classroom::{Classroom, Strange};
use super::lessons::{Arm, Lessons, Side, class_of};
use super::release::used;
use super::trials::lead;
use crate::data::{Batch, Schema};
use crate::engine::columns::without_dropped;
use crate::engine::original::Original;
use crate::engine::plan::Plan;
use crate::error::{Error, Result};
use crate::learn::prequential::{Schedule, ScoreSettings, Trial};
use crate::learn::{self, Vocabulary};
use crate::measure::{self, Info, Measure, Of};
use std::sync::Arc;

/// Rows of a stream that are looked at before its learners are built.
const LOOK: usize = 1000;

/// For random numbers of learners.
const SEED: u64 = 1;

/// What a learner loses in the release of a table, for each measure that the plan asks for;
/// none where nothing was released to learn from.
pub(crate) fn accuracy_losses(
    plan: &Plan,
    original: &Original,
    release: &Batch,
) -> Result<Vec<(&'static str, f64)>> {
    let mut losses = Vec::new();
    for info in measure::learnt().filter(|info| plan.measures(info.name)) {
        let loss = accuracy_loss(plan, original, release, info)?;
        losses.extend(loss.map(|loss| (info.name, loss)));
    }
    Ok(losses)
}

/// What a learner loses by one measure in the release of a table.
pub(crate) fn accuracy_loss(
    plan: &Plan,
    original: &Original,
    release: &Batch,
    info: &Info,
) -> Result<Option<f64>> {
    if release.is_empty() {
        return Ok(None);
    }
    let pupil = Pupil {
        name: &plan.pairs.learner,
        class: None,
        seed: SEED,
    };
    let lessons = pupil.lessons(plan, original, release.clone())?;
    let arms = [Arm::ORIGINAL, arm(&lessons, info)];
    let accuracies = pupil.accuracies(&lessons, &arms)?;
    Ok(accuracies[0]
        .zip(accuracies[1])
        .map(|(before, after)| before - after))
}

/// What the learner of the release goes through.
fn arm(lessons: &Lessons, info: &Info) -> Arm {
    match info.of {
        Of::Lessons { masked: false } => lessons.applied(),
        _ => Arm::PROTECTED,
    }
}

/// What a learner has lost so far in a stream of records.
pub(crate) struct AccuracyLoss {
    info: &'static Info,
    plan: Arc<Plan>,
    class: usize,
    halves: Halves,
}

enum Halves {
    /// Not enough was seen.
    Waiting(Vec<(Batch, Batch)>),
    Learning(Box<Pupils>),
    /// There is nothing to learn.
    None,
}

/// Two learners, and what each knows of the columns.
struct Pupils {
    vocabularies: [Vocabulary; 2],
    arms: [Arm; 2],
    trials: [Trial; 2],
}

impl AccuracyLoss {
    /// Of rows of this schema.
    pub(crate) fn new(plan: &Plan, schema: &Schema, info: &'static Info) -> Result<Self> {
        Ok(AccuracyLoss {
            info,
            class: class_of(schema, None)?,
            plan: Arc::new(plan.clone()),
            halves: Halves::Waiting(Vec::new()),
        })
    }

    /// `released` is none where only the originals are wanted.
    fn lessons(
        &self,
        (original, released): (&Batch, Option<&Batch>),
        known: Option<&Vocabulary>,
    ) -> Result<Lessons> {
        Classroom {
            original,
            released,
            class: self.class,
            known,
            strange: match known {
                None => Strange::Refused,
                Some(_) => Strange::LeftOut,
            },
            notes: Vec::new(),
        }
        .lessons(|name| self.plan.keeps(name))
    }

    /// Two learners that have learnt the first rows; none where these teach nothing.
    fn begin(&self, first: &[(Batch, Batch)]) -> Result<Option<Pupils>> {
        let Some((before, after)) = first.first() else {
            return Ok(None);
        };
        let (originals, released) = first.iter().cloned().unzip();
        let originals = used(&Batch::concat(before.schema(), originals)?)?;
        let released = Batch::concat(after.schema(), released)?;
        let lessons = match self.lessons((&originals, Some(&released)), None) {
            Ok(lessons) => lessons,
            Err(Error::Input(_) | Error::Policy(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        let arms = [Arm::ORIGINAL, arm(&lessons, self.info)];
        let vocabulary = |side| lessons.vocabulary(side).cloned();
        let (Some(original), Some(protected)) =
            (vocabulary(Side::Original), vocabulary(Side::Protected))
        else {
            return Ok(None);
        };
        let trial = |vocabulary: &Vocabulary| {
            let header = vocabulary.header();
            let learner = learn::build(&self.plan.pairs.learner, header, SEED)?;
            let settings = ScoreSettings::default();
            Trial::new(learner, header, Schedule::TestThenTrain, &settings)
        };
        let mut pupils = Pupils {
            trials: [trial(&original)?, trial(&protected)?],
            vocabularies: [original, protected],
            arms,
        };
        for (trial, arm) in pupils.trials.iter_mut().zip(arms) {
            lead(trial, &lessons, arm)?;
        }
        Ok(Some(pupils))
    }

    fn go_on(&self, pupils: &mut Pupils, rows: (&Batch, &Batch)) -> Result<()> {
        let known = pupils.vocabularies.iter().zip(pupils.arms);
        for (trial, (known, arm)) in pupils.trials.iter_mut().zip(known) {
            let released = (arm != Arm::ORIGINAL).then_some(rows.1);
            let lessons = self.lessons((rows.0, released), Some(known))?;
            lead(trial, &lessons, arm)?;
        }
        Ok(())
    }
}

impl Pupils {
    fn loss(&self) -> Option<f64> {
        let [original, protected] = &self.trials;
        Some(original.score().accuracy()? - protected.score().accuracy()?)
    }
}

impl Measure for AccuracyLoss {
    fn observe(&mut self, original: &Batch, released: &Batch) -> Result<()> {
        let released = without_dropped(&self.plan, released)?;
        self.halves = match std::mem::replace(&mut self.halves, Halves::None) {
            Halves::None => Halves::None,
            Halves::Waiting(mut first) => {
                let seen: usize = first.iter().map(|(rows, _)| rows.len()).sum();
                let rows = original.len().min(LOOK - seen);
                first.push((original.slice(0, rows), released.slice(0, rows)));
                match seen + rows < LOOK {
                    true => Halves::Waiting(first),
                    false => match self.begin(&first)? {
                        None => Halves::None,
                        Some(mut pupils) => {
                            // However rows come, the same ones are looked at first.
                            let left = original.len() - rows;
                            let left = (original.slice(rows, left), released.slice(rows, left));
                            if !left.0.is_empty() {
                                self.go_on(&mut pupils, (&left.0, &left.1))?;
                            }
                            Halves::Learning(Box::new(pupils))
                        }
                    },
                }
            }
            Halves::Learning(mut pupils) => {
                self.go_on(&mut pupils, (original, &released))?;
                Halves::Learning(pupils)
            }
        };
        Ok(())
    }

    fn value(&self) -> Option<f64> {
        match &self.halves {
            Halves::None => None,
            Halves::Waiting(first) => self.begin(first).ok().flatten()?.loss(),
            Halves::Learning(pupils) => pupils.loss(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::trials::{LearnSettings, learn};
    use super::*;
    use crate::data::{Column, Field, Kind, Role, RowIds};
    use crate::engine::progress::Progress;
    use crate::engine::report::{MeasureFact, Report};
    use crate::learn::prequential::{Schedule, ScoreSettings};
    use crate::pipeline::{Options, lessons, run};
    use crate::policy::{Policy, Root};
    use std::path::Path;

    const HEAD: &str = r#"
        version = 1
        [source]
        path = "rows.csv"
        [columns]
        x = { role = "quasi", hierarchy = { intervals = [10, 50] } }
        colour = { role = "quasi", hierarchy = { mask = "right" } }
        kind = { role = "class" }
        [sink]
        path = "out.csv"
        [guarantee]
    "#;

    /// 600 rows; the class is told by `x`.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let row = |n: u32| {
            let x = n * 37 % 101;
            let colour = ["red", "green", "blue"][n as usize % 3];
            format!("{x},{colour},{}\n", if x < 50 { "low" } else { "high" })
        };
        let rows: String = (0..600).map(row).collect();
        let text = format!("x,colour,kind\n{rows}");
        std::fs::write(folder.path().join("rows.csv"), text).expect("written");
        folder
    }

    fn policy(folder: &Path, rest: &str) -> Result<Policy> {
        let root = Root::of_policy(&folder.join("policy.toml"), None)?;
        Policy::parse(&format!("{HEAD}{rest}"), &root)
    }

    fn report(policy: &Policy) -> Result<Report> {
        let options = Options {
            command: String::new(),
            date: None,
            force: true,
            strict: false,
            render: &|_| String::new(),
            progress: &Progress::default(),
        };
        run(policy, &options).map(|outcome| outcome.report)
    }

    fn fact(report: &Report) -> Option<&MeasureFact> {
        let mut measures = report.measures.iter();
        measures.find(|fact| fact.name == "accuracy_loss")
    }

    const METHODS: [&str; 3] = [
        "k = 5\n[[protect]]\nmethod = \"mondrian\"\n",
        "k = 40\n[[protect]]\nmethod = \"mondrian\"\nsuppress = 0.1\n",
        "k = 40\n[[protect]]\nmethod = \"generalization\"\nlevels = { x = 2, colour = 1 }\nsuppress = 0.05\n",
    ];

    #[test]
    fn it_is_what_learn_tells_of_the_same_policy() {
        let folder = folder();
        for method in METHODS {
            for learner in ["nb", "knn"] {
                let measure = format!(
                    "[measure]\nreport = [\"accuracy_loss\", \"accuracy_loss_masked\"]\nlearner = \"{learner}\"\n"
                );
                let policy = policy(folder.path(), &format!("{method}{measure}")).expect("fine");
                let report = report(&policy).expect("released");
                let found = [0, 1].map(|place: usize| report.measures[place].after);
                assert_eq!(found, by_learn(&policy, learner), "{method} {learner}");
                let names = [0, 1].map(|place: usize| &*report.measures[place].name);
                assert_eq!(
                    names,
                    ["accuracy_loss", "accuracy_loss_masked"],
                    "named first"
                );
            }
        }
    }

    /// The figures of `accuracy_loss` and `accuracy_loss_masked` by what `learn` tells.
    fn by_learn(policy: &Policy, learner: &str) -> [f64; 2] {
        let lessons = lessons(policy, None, None, &Progress::default()).expect("lessons");
        let settings = LearnSettings {
            learners: vec![learner.to_owned()],
            arms: vec![Arm::ORIGINAL, lessons.applied(), Arm::PROTECTED],
            schedule: Schedule::TestThenTrain,
            score: ScoreSettings::default(),
            seed: 1,
        };
        let learned = learn(&lessons, &settings, None, &Progress::default()).expect("learnt");
        let accuracy = |place: usize| learned[place].whole.accuracy.expect("tested");
        [1, 2].map(|place| accuracy(0) - accuracy(place))
    }

    /// Rows whose class is told by `x`; `colour` and `weight` are not masked.
    fn masked(rows: u32, mask: &str) -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().expect("a folder");
        let row = |n: u32| {
            let x = n * 37 % 101;
            let colour = ["red", "green", "blue"][n as usize % 3];
            let (weight, kind) = (n * 53 % 97, if x < 50 { "low" } else { "high" });
            format!("{x},{colour},{weight},{kind}\n")
        };
        let rows: String = (0..rows).map(row).collect();
        let text = format!("x,colour,weight,kind\n{rows}");
        std::fs::write(folder.path().join("rows.csv"), text).expect("written");
        let policy = format!(
            r#"
            version = 1
            seed = 5
            source = {{ path = "rows.csv" }}
            sink = {{ path = "out.csv" }}
            [columns]
            x = {{ role = "quasi" }}
            colour = {{ role = "plain", type = "category" }}
            weight = {{ role = "plain", type = "number" }}
            kind = {{ role = "class" }}
            [measure]
            report = ["accuracy_loss", "accuracy_loss_masked"]
            [[protect]]
            columns = ["x"]
            {mask}
            "#
        );
        (folder, policy)
    }

    fn of_pairs(folder: &Path, text: &str) -> (Policy, [Option<f64>; 2]) {
        let root = Root::of_policy(&folder.join("policy.toml"), None).expect("a root");
        let policy = Policy::parse(text, &root).expect("a policy");
        let pairs = report(&policy).expect("released").pairs.expect("measured");
        let names: Vec<&str> = pairs.measures.iter().map(|one| &*one.name).collect();
        assert_eq!(names, ["accuracy_loss", "accuracy_loss_masked"]);
        (
            policy,
            [0, 1].map(|place: usize| pairs.measures[place].value),
        )
    }

    #[test]
    fn of_masked_tables_and_streams_it_is_what_learn_tells_too() {
        for mask in [
            "method = \"noise\"\namount = 1",
            "method = \"noise\"\namount = 1\nbuffer = 100",
            "method = \"microaggregation\"\nk = 60",
            "method = \"microaggregation\"\nk = 60\nbuffer = 200",
            "method = \"random-projection\"\nsigma = 1",
            "method = \"random-projection\"\nsigma = 1\nbuffer = 100",
        ] {
            for rows in [300, 1_000, 2_345] {
                let (folder, text) = masked(rows, mask);
                let (policy, found) = of_pairs(folder.path(), &text);
                let expected = by_learn(&policy, "nb");
                // A report tells tenths of a percent.
                let told = expected.map(|loss| Some((loss * 1000.0).round() / 1000.0));
                assert_eq!(found, told, "{mask}, {rows} rows");
                let hides = expected.iter().any(|loss| *loss > 0.005);
                assert!(hides, "{mask}: {expected:?}");
            }
        }
    }

    #[test]
    fn of_a_stream_a_class_or_category_that_comes_late_is_no_trouble() {
        let (folder, text) = masked(1_500, "method = \"noise\"\namount = 0.1\nbuffer = 50");
        let path = folder.path().join("rows.csv");
        let mut rows = std::fs::read_to_string(&path).expect("written");
        let (policy, before) = of_pairs(folder.path(), &text);
        rows.push_str(&"3,violet,7,low\n5,red,9,middle\n5,red,9,\n".repeat(40));
        std::fs::write(&path, &rows).expect("written");
        let (_, after) = of_pairs(folder.path(), &text);
        for (before, after) in before.iter().zip(after) {
            let moved = before
                .zip(after)
                .map(|(before, after)| (before - after).abs());
            assert!(
                moved.is_some_and(|moved| moved < 0.03),
                "{before:?} {after:?}"
            );
        }
        drop(policy);
        // Without any class there is nothing to lose.
        let rows: String = rows
            .lines()
            .map(|line| {
                let end = line.rfind(',').map_or(line.len(), |comma| comma + 1);
                format!(
                    "{}\n",
                    if line.ends_with("kind") {
                        line
                    } else {
                        &line[..end]
                    }
                )
            })
            .collect();
        std::fs::write(&path, rows).expect("written");
        assert_eq!(of_pairs(folder.path(), &text).1, [None, None]);
    }

    #[test]
    fn a_release_that_is_learnt_well_may_be_of_no_use_on_originals() {
        // All of x turned round: learnt as well as before, and applied it is always wrong.
        let plan = Plan::parse(
            "[columns]\nx = { role = \"quasi\" }\nkind = { role = \"class\" }\n[[protect]]\nmethod = \"noise\"\namount = 1\nbuffer = 10\n",
        )
        .expect("a plan");
        let fields = vec![
            Field::new("x", Role::Quasi, Kind::Number { integer: true }),
            Field::new("kind", Role::Class, Kind::Category { ordered: false }),
        ];
        let schema = Arc::new(Schema::new(fields).expect("two names"));
        let rows = |start: u32, len: u32, turned: bool, wrong: bool| {
            let x = |n: u32| f64::from(n * 37 % 101);
            let shown = |n: u32| Some(if turned { 100.0 - x(n) } else { x(n) });
            let kind = |n: u32| {
                let low = (x(n) < 50.0) != (wrong && n.is_multiple_of(3));
                Some(if low { "low" } else { "high" })
            };
            let ids = RowIds::Range {
                start: start.into(),
                len: len as usize,
            };
            let columns = vec![
                Column::Number((start..start + len).map(shown).collect()),
                Column::Category((start..start + len).map(kind).collect()),
            ];
            Batch::new(Arc::clone(&schema), ids, columns).expect("fits")
        };
        let in_parts = |len: u32, part: u32, turned: bool, wrong: bool| {
            let mut losses = measure::learnt()
                .map(|info| AccuracyLoss::new(&plan, &schema, info).expect("a class"))
                .collect::<Vec<_>>();
            for start in (0..len).step_by(part as usize) {
                for loss in &mut losses {
                    let (before, after) = (
                        rows(start, part, false, false),
                        rows(start, part, turned, wrong),
                    );
                    loss.observe(&before, &after).expect("rows");
                }
            }
            [0, 1].map(|place: usize| losses[place].value().expect("classes"))
        };
        let losses = |len: u32, turned: bool, wrong: bool| in_parts(len, 100, turned, wrong);
        for part in [1, 300, 700, 2_100] {
            let whole = in_parts(2_100, 2_100, true, true);
            assert_eq!(in_parts(2_100, part, true, true), whole, "parts of {part}");
        }
        for len in [900, 1_500] {
            assert_eq!(losses(len, false, false), [0.0, 0.0]);
            let [original, masked] = losses(len, true, false);
            assert!(original > 0.8 && masked.abs() < 0.02, "{original} {masked}");
            // A masked class teaches wrongly, and is judged by the original one.
            let [original, _] = losses(len, false, true);
            assert!((0.0..0.4).contains(&original), "{original}");
        }
    }

    #[test]
    fn more_protection_loses_more_and_a_limit_holds() {
        let folder = folder();
        let loss = |k: u32| {
            let rest = format!(
                "k = {k}\n[[protect]]\nmethod = \"mondrian\"\n[measure]\nreport = [\"accuracy_loss\"]\n"
            );
            let policy = policy(folder.path(), &rest).expect("fine");
            fact(&report(&policy).expect("released"))
                .expect("measured")
                .after
        };
        let (little, much) = (loss(5), loss(500));
        assert!(little < 0.1 && much > 0.3, "{little} {much}");
        for (k, kept) in [(5, true), (500, false)] {
            let rest = format!(
                "k = {k}\n[[protect]]\nmethod = \"mondrian\"\n[measure]\nfail_above = {{ accuracy_loss = 0.2 }}\n"
            );
            let policy = policy(folder.path(), &rest).expect("fine");
            match report(&policy) {
                Ok(report) => assert!(kept && fact(&report).expect("told").limit == Some(0.2)),
                Err(error) => assert!(!kept && error.exit_code() == 6, "{error}"),
            }
        }
    }

    #[test]
    fn a_projection_is_measured_by_its_mixtures_as_table_and_as_stream() {
        let folder = folder();
        let run = |method: &str, measure: &str| {
            let rest = format!(
                "[[protect]]\nmethod = \"random-projection\"\ncolumns = [\"x\"]\n{method}\n[measure]\n{measure}\n"
            );
            report(&policy(folder.path(), &rest)?)
        };
        let measure = "report = [\"accuracy_loss\"]\nlearner = \"knn\"";
        for buffer in ["", "buffer = 100"] {
            for (sigma, lost) in [("0", -0.01..0.01), ("5", 0.3..0.6)] {
                let report = run(&format!("sigma = {sigma}\n{buffer}"), measure).expect("released");
                let pairs = report.pairs.expect("measured");
                assert_eq!((pairs.records, pairs.measures.len()), (600, 1));
                assert!(pairs.columns.is_empty(), "mixtures have no originals");
                let found = pairs.measures[0].value.expect("a value");
                assert!(lost.contains(&found), "{sigma} {buffer}: {found}");
            }
        }
        for (measure, code) in [
            ("fail_above = { accuracy_loss = 0.2 }", 6),
            ("report = [\"sse\", \"accuracy_loss\"]", 3),
        ] {
            let error = run("sigma = 5", measure).expect_err("refused");
            assert_eq!(error.exit_code(), code, "{error}");
        }
        // A class that is mixed into the others is not there to be predicted.
        let rest = "[[protect]]\nmethod = \"random-projection\"\ncolumns = [\"x\", \"kind\"]\ncategories = { kind = [\"low\", \"high\"] }\n[measure]\nreport = [\"accuracy_loss\"]\n";
        let error = report(&policy(folder.path(), rest).expect("fine")).expect_err("no class");
        assert_eq!(error.exit_code(), 3, "{error}");
    }

    #[test]
    fn what_cannot_be_learnt_is_refused_with_the_policy() {
        let folder = folder();
        let root = Root::of_policy(&folder.path().join("policy.toml"), None).expect("a root");
        let measure = "[measure]\nreport = [\"accuracy_loss\"]\n";
        let text = format!("{HEAD}{}{measure}", METHODS[0]);
        for (from, to) in [
            ("role = \"class\"", "role = \"sensitive\""),
            ("[measure]", "[measure]\nlearner = \"oracle\""),
            ("[measure]", "[measure]\ninterval = 5"),
        ] {
            let error = Policy::parse(&text.replace(from, to), &root).expect_err("refused");
            assert_eq!(error.exit_code(), 3, "{error}");
        }
        let stream = r#"
            version = 1
            source = { path = "rows.csv" }
            protect = [{ method = "z-anonymity", z = 2, window = "1h" }]
            measure = { report = ["accuracy_loss"] }
            [columns]
            t = { role = "time" }
            user = { role = "subject" }
            kind = { role = "quasi" }
        "#;
        let error = Policy::parse(stream, &root).expect_err("events");
        assert!(error.to_string().contains("accuracy_loss"), "{error}");
    }

    #[test]
    fn nobody_asks_and_nothing_is_learnt() {
        let folder = folder();
        let policy = policy(folder.path(), METHODS[0]).expect("fine");
        assert_eq!(fact(&report(&policy).expect("released")), None);
    }
}
