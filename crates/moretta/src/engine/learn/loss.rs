//! Accuracy lost by learning from the release of a table, as measures of the run.
//!
//! They are what [`learn`](super::learn) finds with one learner, and so what `moretta learn`
//! tells of the plan: rows in the order of the source, all released columns that have a
//! type, suppressed rows left out. `accuracy_loss` is tested with original rows,
//! `accuracy_loss_masked` with released ones. They are computed where the policy names them,
//! since they need both sides in memory as records.

use super::accuracy::Pupil;
use super::lessons::Arm;
use crate::data::Batch;
use crate::engine::original::Original;
use crate::engine::plan::Plan;
use crate::error::Result;
use crate::measure::ACCURACY_LOSSES;

/// Accuracy of a learner of the originals less that of one of the release, for each of the
/// measures that the policy asks for; none where nothing was released to learn from.
pub(crate) fn accuracy_losses(
    plan: &Plan,
    original: &Original,
    release: &Batch,
) -> Result<Vec<(&'static str, f64)>> {
    let asked = ACCURACY_LOSSES.map(|name| plan.measures(name));
    if asked == [false; 2] || release.is_empty() {
        return Ok(Vec::new());
    }
    let pupil = Pupil {
        name: &plan.pairs.learner,
        class: None,
        seed: 1,
    };
    let lessons = pupil.lessons(plan, original, release.clone())?;
    let mut losses = Vec::new();
    let arms = [lessons.applied(), Arm::PROTECTED];
    for ((name, arm), asked) in ACCURACY_LOSSES.into_iter().zip(arms).zip(asked) {
        if asked {
            let accuracies = pupil.accuracies(&lessons, &[Arm::ORIGINAL, arm])?;
            let loss = accuracies[0].zip(accuracies[1]);
            losses.extend(loss.map(|(before, after)| (name, before - after)));
        }
    }
    Ok(losses)
}

#[cfg(test)]
mod tests {
    use super::super::trials::{LearnSettings, learn};
    use super::*;
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
        measures.find(|fact| fact.name == ACCURACY_LOSSES[0])
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
                let lessons = lessons(&policy, None, None, &Progress::default()).expect("lessons");
                let settings = LearnSettings {
                    learners: vec![learner.to_owned()],
                    arms: vec![Arm::ORIGINAL, Arm::APPLIED, Arm::PROTECTED],
                    schedule: Schedule::TestThenTrain,
                    score: ScoreSettings::default(),
                    seed: 1,
                };
                let learned = learn(&lessons, &settings, None).expect("learnt");
                let accuracy = |place: usize| learned[place].whole.accuracy.expect("tested");
                let expected = [1, 2].map(|place| accuracy(0) - accuracy(place));
                assert_eq!(found, expected, "{method} {learner}");
                let names = [0, 1].map(|place: usize| &*report.measures[place].name);
                assert_eq!(names, ACCURACY_LOSSES, "named first");
            }
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
