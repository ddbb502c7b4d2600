//! Model files: read with a bound, written beside their place and only for their owner.

use super::place::Outputs;
use crate::engine::{SavedModel, Trained};
use crate::error::{Error, Result};
use crate::learn::Model;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Bytes of the greatest file that is read: 4 GiB.
const MOST_BYTES: u64 = 1 << 32;

impl SavedModel {
    /// Reads the file and checks it.
    pub fn open(path: &Path) -> Result<Self> {
        let bytes = read(path)?;
        SavedModel::from_bytes(bytes).map_err(|error| error.in_file(path))
    }
}

impl Trained {
    /// Writes the model so that only its owner can read it; a file that is there is
    /// replaced only with `force`.
    pub fn save(&self, path: &Path, force: bool) -> Result<()> {
        if path == Path::new("-") {
            return Err(Error::usage("a model is not written to standard output")
                .help("name a file to keep it in"));
        }
        let mut outputs = Outputs::default();
        outputs.add_private(path, &self.model)?;
        outputs.commit(force)
    }
}

/// The bytes of a file that begins as a model does, and not many more than it tells.
fn read(path: &Path) -> Result<Vec<u8>> {
    let failed = |e| Error::io("read", path, e);
    let mut file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    Read::by_ref(&mut file)
        .take(Model::START as u64)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    let length = Model::length(&bytes).map_err(|error| error.in_file(path))?;
    if length > MOST_BYTES {
        return Err(Error::input("the model claims to be larger than 4 GiB")
            .in_file(path)
            .help("take a copy that was not changed, or learn the model again"));
    }
    let rest = length - bytes.len() as u64;
    file.take(rest + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::lessons::lessons_of_file;
    use super::*;
    use crate::engine::{Arm, LearnSettings, Lessons, Side, train};
    use crate::io::ReadOptions;
    use crate::learn::Vocabulary;
    use crate::learn::prequential::{Schedule, ScoreSettings};
    use crate::pipeline::Progress;

    /// Rows whose class is told by the colour and by the number.
    fn rows(colours: &[&str], from: usize, rows: usize) -> String {
        let mut text = "colour,x,kind\n".to_owned();
        for n in from..from + rows {
            let colour = colours[n % colours.len()];
            let kind = if colour == "red" || n * 7 % 10 > 6 {
                "yes"
            } else {
                "no"
            };
            text += &format!("{colour},{},{kind}\n", n * 7 % 10);
        }
        text
    }

    fn lessons(folder: &Path, text: &str, known: Option<&Vocabulary>) -> Result<Lessons> {
        let path = folder.join("rows.csv");
        std::fs::write(&path, text).expect("written");
        let options = ReadOptions::default();
        lessons_of_file(&path, &options, "kind", known, &Progress::default())
    }

    fn settings(learner: &str) -> LearnSettings {
        LearnSettings {
            learners: vec![learner.to_owned()],
            arms: vec![Arm::ORIGINAL],
            schedule: Schedule::TestThenTrain,
            score: ScoreSettings::default(),
            seed: 1,
        }
    }

    #[test]
    fn a_model_goes_on_with_a_file_of_other_columns_and_codes() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("tree.model");
        let all = rows(&["green", "red", "blue"], 0, 600);
        let whole = lessons(folder.path(), &all, None).expect("lessons");
        let whole = train(&whole, &settings("nb"), None).expect("trained");
        let first = lessons(
            folder.path(),
            &rows(&["green", "red", "blue"], 0, 300),
            None,
        );
        let first = first.expect("lessons");
        train(&first, &settings("nb"), None)
            .expect("trained")
            .save(&place, false)
            .expect("saved");
        // The rest, with its columns in another order, and one more.
        let mut lines = all.lines();
        let mut rest = "kind,z,x,colour\n".to_owned();
        for line in lines.by_ref().skip(301) {
            let cells: Vec<&str> = line.split(',').collect();
            rest += &format!("{},{},{},{}\n", cells[2], cells[1], cells[1], cells[0]);
        }
        let model = SavedModel::open(&place).expect("a model");
        let rest = lessons(folder.path(), &rest, Some(model.vocabulary())).expect("lessons");
        assert_eq!(rest.notes, ["`z` is unknown to the model and is left out"]);
        let rest = train(&rest, &settings("nb"), Some(&model)).expect("trained");
        assert!(rest.model == whole.model, "not as if it had never stopped");
        assert!(rest.from_originals && rest.learned.results == 300);
    }

    #[test]
    fn what_a_model_does_not_know_is_missing_or_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("tree.model");
        let known = lessons(folder.path(), &rows(&["green", "red"], 0, 90), None);
        let trained = train(&known.expect("lessons"), &settings("ht"), None);
        trained
            .expect("trained")
            .save(&place, false)
            .expect("saved");
        let model = SavedModel::open(&place).expect("a model");
        let go_on = |text: &str| lessons(folder.path(), text, Some(model.vocabulary()));
        let lessons = go_on(&rows(&["blue", "green", "red"], 0, 30)).expect("lessons");
        let (records, ..) = lessons.of(Side::Original).expect("a side");
        let missing = records.column(0).filter(|value| value.is_nan()).count();
        assert_eq!((missing, lessons.notes.len()), (10, 1));
        assert!(
            !lessons.notes[0].contains("blue") && lessons.notes[0].contains("10 original rows")
        );
        let refused = |text: &str, told: &str| {
            let error = go_on(text).expect_err("it does not fit");
            assert_eq!(error.exit_code(), 4);
            assert!(error.to_string().contains(told), "{error}");
            assert!(!error.to_string().contains("maybe"), "{error}");
        };
        let text = rows(&["red"], 0, 20);
        refused(&text.replace("yes", "maybe"), "1 of 1 classes");
        refused(&text.replace("colour", "tint"), "`colour`");
        refused(&text.replace(",1,", ",maybe,"), "number");
        let error = train(&lessons, &settings("nb"), Some(&model)).expect_err("not that learner");
        assert!(error.to_string().contains("`ht`"), "{error}");
    }

    #[test]
    fn a_file_is_its_owners_and_not_replaced_without_force() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("deep/tree.model");
        let lessons = lessons(folder.path(), &rows(&["red", "green"], 0, 40), None);
        let lessons = lessons.expect("lessons");
        let trained = train(&lessons, &settings("majority"), None).expect("trained");
        trained.save(&place, false).expect("saved");
        assert_eq!(
            trained.save(&place, false).expect_err("there").exit_code(),
            2
        );
        trained.save(&place, true).expect("replaced");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&place)
                .expect("there")
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        let mut settings = settings("majority");
        settings.learners.push("nb".to_owned());
        assert_eq!(
            train(&lessons, &settings, None)
                .expect_err("two")
                .exit_code(),
            2
        );
        let error = trained.save(Path::new("-"), true).expect_err("no file");
        assert_eq!(error.exit_code(), 2);
    }

    #[test]
    fn files_that_are_no_models_are_not_read_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.model");
        let check = |bytes: &[u8], told: &str| {
            std::fs::write(&path, bytes).expect("written");
            let error = SavedModel::open(&path).err().expect("no model").to_string();
            assert!(error.contains(told) && error.contains("x.model"), "{error}");
        };
        check(b"a,b\n1,2\n", "no model");
        check(b"moretta\0\x01\0\0\0", "cut short");
        check(
            b"moretta\0\x01\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff",
            "4 GiB",
        );
        check(b"moretta\0\x01\0\0\0\xff\xff\xff\x7f\0\0\0\0", "cut short");
        assert_eq!(
            SavedModel::open(&folder.path().join("no"))
                .err()
                .expect("none")
                .exit_code(),
            5
        );
        #[cfg(unix)]
        assert!(SavedModel::open(Path::new("/dev/zero")).is_err());
    }
}
