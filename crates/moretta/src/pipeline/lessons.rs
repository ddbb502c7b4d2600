//! From a policy or a file to records and classes that learners can take.

use super::stream;
use super::trial::Rows;
use crate::data::{Batch, ColumnPlan, ReadAs, Role};
use crate::engine::{
    Candidate, Classroom, Lessons, Progress, Purpose, Stage, Strange, class_of, lessons_of_release,
};
use crate::error::Result;
use crate::io::{self, ReadOptions};
use crate::learn::{Meaning, Vocabulary};
use crate::policy::{Guess, Policy, propose};
use crate::protect::Method;
use std::path::Path;
use std::sync::Arc;

/// The rows of a policy's source, as they are and as they would be released. The
/// class is the column with that role, or the one named. What is `known` to a model
/// gets the numbers that the model knows it by; it must be there.
pub fn lessons(
    policy: &Policy,
    class: Option<&str>,
    known: Option<&Vocabulary>,
    progress: &Progress,
) -> Result<Lessons> {
    lessons_for(policy, class, known, Purpose::Rows, progress)
}

/// The same for a model that is kept: what it learns from the release is with whoever has it, so
/// the release must be one that `run` would write.
///
/// # Errors
/// The promise or goal that the release does not keep.
pub fn lessons_to_keep(
    policy: &Policy,
    class: Option<&str>,
    known: Option<&Vocabulary>,
    progress: &Progress,
) -> Result<Lessons> {
    lessons_for(policy, class, known, Purpose::Assess, progress)
}

fn lessons_for(
    policy: &Policy,
    class: Option<&str>,
    known: Option<&Vocabulary>,
    purpose: Purpose,
    progress: &Progress,
) -> Result<Lessons> {
    stream::refuse(policy, "learn")?;
    policy.need_one_release("`learn`")?;
    policy.refuse_evolve("`learn`")?;
    let plan = policy.loaded_plan()?;
    let read = Rows::read(policy, progress)?;
    let Candidate {
        plan,
        original,
        rows,
        assessment,
    } = read.try_out(plan, purpose, &policy.context(progress)?)?;
    let mut faults = assessment.into_iter().flat_map(|found| found.faults);
    if let Some(fault) = faults.next() {
        return Err(fault);
    }
    let class = class_of(original.batch.schema(), class)?;
    let mut lessons = lessons_of_release(&plan, &original, rows, class, known)?;
    lessons.notes.extend(cautions(policy, known.is_some()));
    Ok(lessons)
}

/// What is to be known of figures about what is masked.
fn cautions(policy: &Policy, goes_on: bool) -> Vec<String> {
    let Some(masking) = policy.plan.masking() else {
        return Vec::new();
    };
    let mut notes = Vec::new();
    if policy.plan.seed.is_none() && goes_on && !masking.is_comparable() {
        notes.push("without a seed the columns are mixed in another way each time, and the model knows other mixtures".to_owned());
    } else if policy.plan.seed.is_none() && policy.plan.protect.iter().any(Method::is_random) {
        notes.push("the method draws by chance, and the figures are of one draw; a seed in the policy draws the same again".to_owned());
    }
    if masking.loss().is_some() {
        notes.push(NOT_COVERED.to_owned());
    }
    notes
}

/// Of figures about private releases.
pub(super) const NOT_COVERED: &str =
    "the figures are computed from the originals, and no ε covers them: do not publish them";

/// The rows of a file that no policy describes, with the types that they seem to have,
/// or that a model knows them by.
pub fn lessons_of_file(
    path: &Path,
    options: &ReadOptions,
    class: &str,
    known: Option<&Vocabulary>,
    progress: &Progress,
) -> Result<Lessons> {
    progress.enter(Stage::Read);
    let proposal = propose(path, options)?;
    let mut options = options.clone();
    options.delimiter = proposal.delimiter.or(options.delimiter);
    options.missing.extend(proposal.missing);
    if !proposal.header {
        options.header = io::Header::None;
    }
    options.progress = Some(progress.counter());
    let plan = |guess: Guess| match guess.name == class {
        true => ColumnPlan {
            name: guess.name,
            role: Role::Class,
            read: ReadAs::Category,
        },
        false => ColumnPlan {
            role: Role::Quasi,
            read: known.map_or(guess.read.clone(), |known| read_as(&guess, known)),
            name: guess.name,
        },
    };
    let plans: Vec<ColumnPlan> = proposal.columns.into_iter().map(plan).collect();
    let mut source = io::open(path, &options, &plans)?;
    let schema = Arc::clone(source.schema());
    let place = class_of(&schema, Some(class)).map_err(|error| error.in_file(path))?;
    let batch = Batch::concat(&schema, source.by_ref().collect::<Result<Vec<_>>>()?)?;
    Classroom {
        original: &batch,
        released: None,
        class: place,
        known,
        strange: Strange::Refused,
        notes: source.notes(),
    }
    .lessons(|_| true)
    .map_err(|error| error.in_file(path))
}

/// How a model would have a column read.
fn read_as(guess: &Guess, known: &Vocabulary) -> ReadAs {
    match known.meaning(&guess.name) {
        Some(Meaning::Number) => ReadAs::Number,
        Some(Meaning::Nominal(_)) => ReadAs::Category,
        Some(Meaning::Ordered(levels)) => {
            ReadAs::Ordered(levels.iter().map(str::to_owned).collect())
        }
        Some(Meaning::Date) | None => guess.read.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Arm, Side};
    use crate::learn::Input;
    use crate::policy::Root;

    const HEAD: &str = r#"
        version = 1
        seed = 7
        [source]
        path = "rows.csv"
        [columns]
        name = { role = "identifier" }
        x = { role = "quasi" }
        colour = { role = "quasi" }
        kind = { role = "class" }
    "#;

    /// 40 rows with names that no learner may see; the class is told by `x`.
    fn rows() -> String {
        let mut text = "name,x,colour,kind\n".to_owned();
        for n in 0..40 {
            let x = n * 17 % 40;
            let colour = ["red", "green", "blue"][n % 3];
            let kind = if x < 20 { "low" } else { "high" };
            text += &format!("person-{n},{x},{colour},{kind}\n");
        }
        text
    }

    fn of_policy(rows: &str, rest: &str, class: Option<&str>) -> Result<Lessons> {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("rows.csv"), rows).expect("written");
        let root = Root::of_policy(&folder.path().join("policy.toml"), None)?;
        let policy = Policy::parse(&format!("{HEAD}{rest}"), &root)?;
        lessons(&policy, class, None, &Progress::default())
    }

    fn values(lessons: &Lessons, side: Side) -> Vec<(Vec<f64>, u32, u32)> {
        let (records, actual, taught) = lessons.of(side).expect("a side");
        let classes = actual.iter().zip(taught);
        let owned = records.iter().zip(classes);
        owned
            .map(|(record, (&actual, &class))| (record.to_vec(), actual, class))
            .collect()
    }

    /// Two files whose rows come late, merged and masked: learners see what a run releases.
    #[test]
    fn of_a_stream_learners_see_what_a_run_releases() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut texts = ["t,row,x,kind\n".to_owned(), "t,row,x,kind\n".to_owned()];
        for n in 0..200_usize {
            let time = 1_700_000_000 + n - n * 7 % 5;
            let kind = if n * 37 % 101 < 50 { "low" } else { "high" };
            let file = n * 11 % 3 / 2;
            // Numbered file by file.
            let row = texts[file].lines().count() - 1 + 1_000 * file;
            texts[file] += &format!("{time},{row},{},{kind}\n", n * 37 % 101);
        }
        for (file, text) in texts.iter().enumerate() {
            std::fs::write(folder.path().join(format!("{file}.csv")), text).expect("written");
        }
        let root = Root::of_policy(&folder.path().join("policy.toml"), None).expect("a root");
        let mask = |method: &str| format!("[[protect]]\nmethod = \"{method}\"\n");
        for methods in [
            mask("noise") + "buffer = 20\ncolumns = [\"x\"]\n",
            mask("rank-swapping") + "within = \"20%\"\nbuffer = 15\ncolumns = [\"x\"]\n",
            mask("recoding") + "buffer = 1\nround = { x = 10 }\n",
        ] {
            let text = format!(
                "version = 1\nseed = 5\n[source]\npath = [\"0.csv\", \"1.csv\"]\n[columns]\n\
                 t = {{ role = \"time\", unit = \"s\", lateness = \"3s\" }}\nrow = {{ role = \"plain\" }}\n\
                 x = {{ role = \"plain\", type = \"number\" }}\nkind = {{ role = \"class\" }}\n\
                 {methods}[sink]\npath = \"out.csv\"\n"
            );
            let policy = Policy::parse(&text, &root).unwrap_or_else(|e| panic!("{e}\n{text}"));
            let progress = Progress::default();
            let options = crate::pipeline::Options::plain(&progress);
            let options = crate::pipeline::Options {
                force: true,
                ..options
            };
            crate::pipeline::run(&policy, &options).expect("released");
            let release = std::fs::read_to_string(folder.path().join("out.csv")).expect("a file");
            let mut released: Vec<(u64, f64)> = release
                .lines()
                .skip(1)
                .map(|line| {
                    let cells: Vec<&str> = line.split(',').collect();
                    (
                        cells[1].parse().expect("a row"),
                        cells[2].parse().expect("x"),
                    )
                })
                .collect();
            released.sort_by_key(|(row, _)| *row);
            let lessons = lessons(&policy, None, None, &progress).expect("lessons");
            let seen = values(&lessons, Side::Protected);
            let seen: Vec<f64> = seen.iter().map(|(record, ..)| record[0]).collect();
            let released: Vec<f64> = released.into_iter().map(|(_, x)| x).collect();
            assert_eq!(seen, released, "{methods}");
        }
    }

    #[test]
    fn both_sides_are_in_the_order_of_the_source_whatever_the_method() {
        for method in [
            "[[protect]]\nmethod = \"noise\"\namount = 0.1\n",
            "[[protect]]\nmethod = \"microaggregation\"\nk = 4\n",
            "[[protect]]\nmethod = \"microaggregation\"\nk = 2\nbuffer = 20\n",
            "[guarantee]\nk = 4\n[[protect]]\nmethod = \"mondrian\"\n",
        ] {
            let lessons = of_policy(&rows(), method, None).expect("lessons");
            assert_eq!(lessons.len(), 40, "{method}");
            for side in [Side::Original, Side::Protected] {
                let header = lessons.header(side).expect("both sides");
                assert_eq!((header.attributes().len(), header.classes()), (2, 2));
            }
            let (before, after) = (
                values(&lessons, Side::Original),
                values(&lessons, Side::Protected),
            );
            let (mut changed, mut moved) = (0, 0.0);
            for (n, (before, after)) in before.iter().zip(&after).enumerate() {
                let x = (n * 17 % 40) as f64;
                // Codes are in the order of the texts: high, low.
                let class = u32::from(x < 20.0);
                assert_eq!((before.0[0], before.1, before.2), (x, class, class));
                assert_eq!(after.1, class, "judged by the original class");
                moved += (after.0[0] - x).abs() / 40.0;
                changed += usize::from(before.0 != after.0);
            }
            assert!(changed > 20, "{method}: {changed}");
            // In a wrong order values would differ by 13 on average.
            assert!(moved < 8.0, "{method}: {moved}");
        }
    }

    #[test]
    fn learners_of_the_release_are_tested_with_originals_that_they_can_take() {
        let method = "[guarantee]\nk = 20\n[[protect]]\nmethod = \"mondrian\"\n";
        let lessons = of_policy(&rows(), method, None).expect("lessons");
        assert_eq!(lessons.applied(), Arm::APPLIED);
        let exams = lessons.exams(Arm::APPLIED).expect("the same columns");
        let released = values(&lessons, Side::Protected);
        let is_released = |code: f64| released.iter().any(|(record, ..)| record[1] == code);
        let mut missing = 0;
        let originals = values(&lessons, Side::Original);
        for (exam, (original, ..)) in exams.iter().zip(&originals) {
            assert_eq!(exam[0], original[0], "numbers are as they were");
            match is_released(original[1]) {
                true => assert_eq!(exam[1], original[1]),
                false => missing += usize::from(exam[1].is_nan()),
            }
        }
        let unseen = originals
            .iter()
            .filter(|(record, ..)| !is_released(record[1]));
        assert_eq!(missing, unseen.count());
        assert!(missing > 0, "colours are shown in sets");
        let method = "[[protect]]\nmethod = \"random-projection\"\ncolumns = [\"x\"]\n";
        let lessons = of_policy(&rows(), method, None).expect("lessons");
        assert_eq!(lessons.applied(), Arm::PROTECTED);
    }

    #[test]
    fn a_projection_is_learnt_from_its_mixtures_and_from_what_stayed() {
        let method = "[[protect]]\nmethod = \"random-projection\"\ncolumns = [\"x\"]\n";
        let lessons = of_policy(&rows(), method, None).expect("lessons");
        let inputs = |side| lessons.header(side).expect("a side").attributes().to_vec();
        let nominal = Input::Nominal { values: 3 };
        assert_eq!(inputs(Side::Original), [Input::Number, nominal]);
        assert_eq!(inputs(Side::Protected), [Input::Number, nominal]);
        let sides = [Side::Original, Side::Protected].map(|side| values(&lessons, side));
        for (before, after) in sides[0].iter().zip(&sides[1]) {
            assert_eq!((before.0[1], before.1), (after.0[1], after.1));
            assert!(before.0[0] != after.0[0], "a mixture is no value");
        }
    }

    #[test]
    fn what_knows_mixtures_goes_on_with_mixtures_only() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("rows.csv"), rows()).expect("written");
        let root = Root::of_policy(&folder.path().join("policy.toml"), None).expect("a root");
        let method = "[[protect]]\nmethod = \"random-projection\"\ncolumns = [\"x\"]\n";
        for seed in ["seed = 7", ""] {
            let text = format!("{HEAD}{method}").replace("seed = 7", seed);
            let policy = Policy::parse(&text, &root).expect("a policy");
            let lessons = |known| lessons(&policy, None, known, &Progress::default());
            let first = lessons(None).expect("lessons");
            let again = lessons(first.vocabulary(Side::Protected)).expect("lessons");
            assert!(again.has(Side::Protected) && !again.has(Side::Original));
            assert!(again.notes[0].contains("do not fit the model"));
            assert_eq!(again.notes.len(), 1 + usize::from(seed.is_empty()));
        }
    }

    #[test]
    fn what_figures_about_masks_mean_is_noted() {
        let notes = |method: &str| {
            let text = format!("[[protect]]\n{method}\n");
            of_policy(&rows(), &text, None).expect("lessons").notes
        };
        assert_eq!(notes("method = \"noise\"\ncolumns = [\"x\"]"), [""; 0]);
        let local = "method = \"local-dp\"\ncolumns.x = { mechanism = \"laplace\", epsilon = 1.0, bounds = [0, 40] }";
        assert_eq!(notes(local), [NOT_COVERED]);
        // Labels with noise are hardly ever labels.
        let folder = tempfile::tempdir().expect("a folder");
        let numbered = rows().replace("low", "0").replace("high", "1");
        std::fs::write(folder.path().join("rows.csv"), numbered).expect("written");
        let root = Root::of_policy(&folder.path().join("policy.toml"), None).expect("a root");
        let text = format!("{HEAD}[[protect]]\nmethod = \"noise\"\nclass = 0.5\n")
            .replace(
                "kind = { role = \"class\" }",
                "kind = { role = \"class\", type = \"number\" }",
            )
            .replace(
                "colour = { role = \"quasi\" }",
                "colour = { role = \"plain\" }",
            )
            .replace("seed = 7", "");
        let policy = Policy::parse(&text, &root).expect("a policy");
        let notes = lessons(&policy, None, None, &Progress::default())
            .expect("lessons")
            .notes;
        assert_eq!(notes.len(), 3, "{notes:?}");
        for (note, said) in
            notes
                .iter()
                .zip(["no original row has", "`colour` has no type", "one draw"])
        {
            assert!(note.contains(said), "{note}");
        }
    }

    #[test]
    fn rows_without_a_class_are_left_out_and_counted() {
        let rows = rows().replace(",low\n", ",\n");
        let method = "[[protect]]\nmethod = \"noise\"\n";
        let lessons = of_policy(&rows, method, None).expect("lessons");
        let header = lessons.header(Side::Protected).expect("protected");
        assert_eq!((lessons.len(), header.classes()), (20, 1));
        assert_eq!(lessons.notes, ["20 rows without a class are left out"]);
    }

    #[test]
    fn a_class_that_is_none_is_refused_without_showing_it() {
        let method = "[[protect]]\nmethod = \"noise\"\n";
        let error = of_policy(&rows(), method, Some("size")).expect_err("no column");
        assert_eq!(error.exit_code(), 2);
        let rows = rows().replace(",low\n", ",\n").replace(",high\n", ",\n");
        let error = of_policy(&rows, method, None).expect_err("no classes");
        assert!(error.to_string().contains("0 different values"), "{error}");
    }

    #[test]
    fn a_file_is_read_as_what_it_looks_like() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows.csv");
        let many: String = (0..1500)
            .map(|n| format!("text {n};{n};{}\n", n % 2))
            .collect();
        std::fs::write(&path, format!("id;x;kind\n{many}")).expect("written");
        let progress = Progress::default();
        let options = ReadOptions::default();
        let lessons = lessons_of_file(&path, &options, "kind", None, &progress).expect("lessons");
        let header = lessons.header(Side::Original).expect("a header");
        assert_eq!(header.attributes(), [Input::Number]);
        assert_eq!(lessons.notes.len(), 1, "the texts are left out");
        assert!(!lessons.has(Side::Protected));
        let error =
            lessons_of_file(&path, &options, "class", None, &progress).expect_err("no column");
        assert_eq!(error.exit_code(), 2);
    }
}
