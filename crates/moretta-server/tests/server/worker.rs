//! Jobs end to end: sealed inputs in, lines and sealed files out, and nothing in the clear.

use moretta::pipeline::{Options, Progress, run_levels};
use moretta::policy::{Policy, Root};
use moretta_server::id::Id;
use moretta_server::job::Kind;
use moretta_server::job::protocol::{Failure, LEDGER_KEY, Made, Sealed, Task, Text, Told};
use moretta_server::release::{Part, Table};
use moretta_server::seal::{Key, SealedReader, SealedWriter};
use moretta_server::worker::{Process, work};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

const POLICY: &str = r#"version = 1
name = "admissions"

[source]
path = "data.csv"

[columns]
name      = { role = "identifier" }
patient   = { role = "subject" }
age       = { role = "quasi" }
sex       = { role = "quasi" }
zip       = { role = "quasi", type = "category", hierarchy = { mask = "right" } }
education = { role = "quasi", hierarchy = { file = "education.csv" } }
admission = { role = "quasi", hierarchy = { dates = ["month", "quarter", "year"] } }
ward      = { role = "plain" }
diagnosis = { role = "sensitive" }
cost      = { role = "identifier" }

[guarantee]
k = 5

[[protect]]
method = "mondrian"
"#;

const PLACES: &str = "\n[sink]\npath = \"release.csv\"\n\n[report]\npath = \"report.html\"\n";

const LEVELS: &str = "\n[levels]\nresearcher = { k = 5 }\nexternal = { k = 25 }\n";

fn example(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/hospital");
    fs::read(folder.join(name)).expect("an example")
}

/// A job and what came of it.
struct Done {
    folder: TempDir,
    lines: String,
    told: Vec<Told>,
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("lines").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn sealed(folder: &Path, name: &str, bytes: &[u8]) -> Sealed {
    let (object, key) = (Id::random(), Key::random());
    let path = folder.join(object.to_string());
    let file = File::create(&path).expect("created");
    let mut writer = SealedWriter::new(file, &key, object).expect("begun");
    writer.write_all(bytes).expect("written");
    let written = writer.finish().expect("whole");
    Sealed {
        name: name.to_owned(),
        object,
        path,
        key: key.digits().to_string(),
        bytes: written.bytes,
    }
}

impl Done {
    fn of(kind: Kind, policy: &str, options: Value) -> Self {
        Done::with(kind, policy, options, &[], true)
    }

    fn with(
        kind: Kind,
        policy: &str,
        options: Value,
        more: &[(&str, Vec<u8>)],
        stays: bool,
    ) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let made = folder.path().join("made");
        fs::create_dir(&made).expect("a folder");
        let data = ("data.csv", example("admissions.csv"));
        let has_data = more.iter().any(|(name, _)| *name == data.0);
        let usual = (!has_data).then_some(&data);
        // What is recorded needs a key.
        let recorded = options["ledger"] == true;
        let key = recorded.then(|| (LEDGER_KEY.to_owned(), "0123456789abcdef".repeat(2)));
        let given = |(name, bytes): &(&str, Vec<u8>)| sealed(folder.path(), name, bytes);
        let task = Task {
            job: Id::random(),
            kind,
            policy: policy.to_owned(),
            options,
            inputs: more.iter().chain(usual).map(given).collect(),
            texts: vec![Text {
                name: "education.csv".to_owned(),
                content: String::from_utf8(example("education.csv")).expect("a text"),
            }],
            folder: made,
            secrets: key.into_iter().collect(),
            date: "2026-03-01".to_owned(),
            memory: 4 << 30,
            threads: 2,
        };
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        let mut line = serde_json::to_vec(&task).expect("a line");
        line.push(b'\n');
        let sent = std::thread::spawn(move || {
            writer.write_all(&line).expect("sent");
            stays.then_some(writer)
        });
        let lines = Lines::default();
        let process = Process {
            limit: |_| Ok(()),
            gone: || (),
        };
        let output = lines.clone();
        let is_done = work(BufReader::new(reader), output, &process);
        drop(sent.join().expect("sent"));
        let lines = lines.0.lock().expect("lines").clone();
        let lines = String::from_utf8(lines).expect("texts");
        let told: Vec<Told> = lines
            .lines()
            .map(|line| serde_json::from_str(line).expect("a line"))
            .collect();
        let is_last = matches!(told.last(), Some(Told::Done { .. }));
        assert_eq!(is_done, is_last);
        let done = Done {
            folder,
            lines,
            told,
        };
        done.tells_nobody();
        done
    }

    fn result(&self) -> &Value {
        match self.told.last() {
            Some(Told::Done { result, .. }) => result,
            other => panic!("not done: {other:?}"),
        }
    }

    fn made(&self) -> &[Made] {
        match self.told.last() {
            Some(Told::Done { made, .. }) => made,
            other => panic!("not done: {other:?}"),
        }
    }

    fn failure(&self) -> &Failure {
        match self.told.last() {
            Some(Told::Failed(failure)) => failure,
            other => panic!("done: {other:?}"),
        }
    }

    fn reader(&self, name: &str) -> SealedReader<File> {
        let made = self.made().iter().find(|made| made.name == name);
        let made = made.unwrap_or_else(|| panic!("{name} was not made"));
        let path = self
            .folder
            .path()
            .join("made")
            .join(made.object.to_string());
        let file = File::open(path).expect("there");
        let key = Key::parse(&made.key).expect("a key");
        SealedReader::new(file, &key, made.object, made.bytes).expect("sealed")
    }

    fn plain(&self, name: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.reader(name).read_to_end(&mut bytes).expect("opened");
        bytes
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.plain(name)).expect("JSON")
    }

    /// No name, number of a patient or bill is told, and no file holds one in the clear; nothing
    /// lies in the folder but what was made.
    fn tells_nobody(&self) {
        let canaries = canaries();
        for canary in &canaries {
            assert!(!self.lines.contains(canary), "a line tells of somebody");
        }
        let mut files = Vec::new();
        all_files(self.folder.path(), &mut files);
        for file in &files {
            let bytes = fs::read(file).expect("read");
            for canary in canaries
                .iter()
                .chain(&["diagnosis".to_owned(), "policy".to_owned()])
            {
                let holds = bytes
                    .windows(canary.len())
                    .any(|part| part == canary.as_bytes());
                assert!(!holds, "{} is in the clear", file.display());
            }
        }
        if let Some(Told::Done { made, .. }) = self.told.last() {
            let there = fs::read_dir(self.folder.path().join("made")).expect("a folder");
            assert_eq!(there.count(), made.len(), "what is not made is removed");
        }
    }
}

fn all_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => all_files(&path, into),
            false => into.push(path),
        }
    }
}

/// What would tell a person: names, and bills to the cent.
fn canaries() -> Vec<String> {
    let text = String::from_utf8(example("admissions.csv")).expect("a text");
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let place = |name: &str| {
        header
            .iter()
            .position(|column| *column == name)
            .expect(name)
    };
    let (name, cost) = (place("name"), place("cost"));
    let rows = lines.step_by(97);
    rows.flat_map(|row| {
        let cells: Vec<&str> = row.split(',').collect();
        [cells[name].to_owned(), format!(",{}", cells[cost])]
    })
    .filter(|canary| canary.len() > 5)
    .collect()
}

#[test]
fn a_release_has_the_bytes_of_the_command_line_and_all_that_goes_with_it() {
    let policy = format!("{POLICY}{LEVELS}{PLACES}");
    let done = Done::of(Kind::Release, &policy, Value::Null);
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("data.csv"), example("admissions.csv")).expect("written");
    fs::write(
        folder.path().join("education.csv"),
        example("education.csv"),
    )
    .expect("written");
    let root = Root::of_policy(&folder.path().join("policy.toml"), None).expect("a root");
    let same = Policy::parse(&policy, &root).expect("a policy");
    let progress = Progress::default();
    let options = Options {
        command: "moretta run policy.toml".to_owned(),
        date: Some("2026-03-01".to_owned()),
        force: false,
        strict: false,
        render: &moretta_report::html,
        progress: &progress,
    };
    run_levels(&same, &options).expect("released");
    for (level, name) in [(2, "researcher"), (3, "external")] {
        let there = folder.path().join(format!("release-{name}.csv"));
        let expected = fs::read(there).expect("there");
        let part = |part: Part| part.file(level);
        assert!(done.plain(&part(Part::Rows)) == expected, "{name}");
        let report = folder.path().join(format!("report-{name}.html"));
        let report = fs::read(report).expect("there");
        assert!(done.plain(&part(Part::Page)) == report, "{name}");
        assert_eq!(done.json(&part(Part::Report))["verdict"]["passed"], true);
        let text = String::from_utf8(expected).expect("a text");
        let rows = text.lines().count() as u64 - 1;
        let told = &done.result()["levels"][level as usize - 2];
        assert_eq!(told, &json!({ "level": level, "name": name, "rows": rows }));
        let (file, index) = (part(Part::Rows), part(Part::Index));
        let mut table = Table::open(done.reader(&file), done.reader(&index)).expect("a table");
        let page = table.page(None, 150, 2).expect("a page");
        let cells: Vec<String> = page.rows[0]
            .iter()
            .map(|cell| cell.clone().unwrap_or_default())
            .collect();
        assert_eq!(Some(cells.join(",").as_str()), text.lines().nth(151));
        let dictionary = done.json(&part(Part::Dictionary));
        let ages = &dictionary["columns"][0];
        assert_eq!(ages["name"], "age");
        let counted = ages["values"].as_array().expect("values").iter();
        let counted: u64 = counted
            .map(|value| value["rows"].as_u64().expect("rows"))
            .sum();
        assert_eq!(counted + ages["missing"].as_u64().expect("missing"), rows);
    }
    assert_eq!(done.result()["verified"]["passed"], true);
    assert_eq!(done.result()["verified"]["nested"], true);
    let attacked = &done.result()["attacks"]["tables"]["releases"];
    assert_eq!(attacked.as_array().map(Vec::len), Some(2));
    let files = ["release-2.csv", "release-3.csv"].map(|name| (name, done.plain(name)));
    let sums = files.each_ref().map(|(name, bytes)| {
        let sum: String = Sha256::digest(bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        json!({ "name": name, "sha256": sum })
    });
    let options = json!({ "files": sums });
    let verified = Done::with(Kind::Verify, &policy, options.clone(), &files, true);
    assert_eq!(verified.result()["passed"], true);
    assert_eq!(verified.result()["nested"], true);
    // One level of the two was published: it is held against its own promises.
    let coarser = json!({ "files": [sums[1]] });
    let verified = Done::with(Kind::Verify, &policy, coarser, &files[1..], true);
    assert_eq!(verified.result()["passed"], true);
    assert_eq!(verified.result()["levels"][0]["level"], "external");
    let other = [files[0].clone(), ("release-3.csv", files[0].1.clone())];
    let refused = Done::with(Kind::Verify, &policy, options.clone(), &other, true);
    assert_eq!(refused.result()["same_bytes"], false);
    assert_eq!(refused.result()["passed"], false);
    let damaged = [
        files[0].clone(),
        ("release-3.csv", example("admissions.csv")),
    ];
    let refused = Done::with(Kind::Verify, &policy, options, &damaged, true);
    assert!(matches!(refused.told.last(), Some(Told::Failed(_))));
}

#[test]
fn releases_of_the_same_data_are_held_against_each_other() {
    // One row a patient, so that a ledger can tell rows apart.
    let text = String::from_utf8(example("admissions.csv")).expect("a text");
    let mut seen = std::collections::HashSet::new();
    let patient = |row: &&str| seen.insert(row.split(',').nth(1).expect("a patient").to_owned());
    let rows = text
        .lines()
        .filter(patient)
        .map(|row| row.to_owned() + "\n");
    let data = ("data.csv", rows.collect::<String>().into_bytes());
    let policy = format!("{POLICY}{PLACES}");
    let release = |more: &[(&str, Vec<u8>)]| {
        Done::with(
            Kind::Release,
            &policy,
            json!({ "ledger": true }),
            more,
            true,
        )
    };
    let first = release(std::slice::from_ref(&data));
    assert_eq!(first.result()["ledger"]["entries"], 1);
    let ledger = first.plain("ledger");
    let again = release(&[data.clone(), ("ledger", ledger.clone())]);
    assert_eq!(again.result()["ledger"]["entries"], 2);
    let mut changed = ledger;
    changed[40] ^= 1;
    let refused = release(&[data, ("ledger", changed)]);
    assert_eq!(refused.failure().code, "budget");
}

#[test]
fn a_profile_and_a_plan_are_rounded_and_tell_nothing_of_identifiers() {
    let done = Done::of(Kind::Profile, "", json!({ "data": Id::random() }));
    let profile = done.result();
    assert_eq!(profile["rows"], 4000);
    let columns = profile["columns"].as_array().expect("columns");
    let column = |name: &str| {
        let found = columns.iter().find(|column| column["name"] == name);
        found.expect(name)
    };
    assert_eq!(column("name")["role"], "identifier");
    assert_eq!(column("name")["values"], json!([]));
    assert_eq!(column("name")["distinct"], Value::Null);
    let sexes = column("sex")["values"].as_array().expect("labels");
    assert!(sexes.len() >= 2);
    let ages = column("age")["values"].as_array().expect("bins");
    assert!(ages.len() > 3);
    for value in columns
        .iter()
        .flat_map(|c| c["values"].as_array().into_iter().flatten())
    {
        let count = value["count"].as_u64().expect("a count");
        assert!(count >= 10 && count % 5 == 0, "{value}");
    }
    let policy = profile["policy"].as_str().expect("a policy");
    assert!(
        policy.contains("[columns]") && !policy.contains("path ="),
        "{policy}"
    );

    let plan = Done::of(Kind::Plan, POLICY, json!({}));
    assert_eq!(plan.result()["rows"], 4000);
    assert_eq!(plan.result()["columns"][0]["distinct"], Value::Null);
}

#[test]
fn a_preview_is_of_a_sample_and_private_methods_see_made_up_rows() {
    let options = json!({ "rows": 1000, "seed": 7 });
    let done = Done::of(Kind::Preview, &format!("{POLICY}{LEVELS}"), options.clone());
    assert_eq!(done.result()["rows"], 1000);
    assert_eq!(done.result()["made_up"], false);
    let releases = done.result()["releases"].as_array().expect("releases");
    let levels: Vec<&Value> = releases.iter().map(|release| &release["level"]).collect();
    assert_eq!(levels, ["researcher", "external"]);
    assert!(releases.iter().all(|release| release["passed"] == true));

    for release in releases {
        let sizes = release["class_sizes"].as_array().expect("sizes").iter();
        let sizes: Vec<u64> = sizes.filter_map(|one| one["size"].as_u64()).collect();
        let (least, larger) = sizes.split_first().expect("a class");
        assert!([5, 25].contains(least), "what was promised: {least}");
        assert!(larger.iter().all(|size| size % 5 == 0), "{sizes:?}");
        for column in release["columns"].as_array().expect("columns") {
            let bins = column["histogram"]["bins"].as_array();
            for bin in bins.into_iter().flatten() {
                for side in ["before", "after"] {
                    let count = bin[side].as_f64().unwrap_or(0.0);
                    assert_eq!(count % 5.0, 0.0, "{bin}");
                }
            }
        }
    }

    let (columns, _) = POLICY.split_once("[guarantee]").expect("columns");
    let private = format!(
        "{columns}[[protect]]\nmethod = \"local-dp\"\n\
         columns.age = {{ mechanism = \"laplace\", epsilon = 1.0, bounds = [0, 120] }}\n"
    );
    let plain = ["sex", "zip", "education", "admission"];
    let private = plain.iter().fold(private, |text, name| {
        let line = text
            .lines()
            .find(|line| line.starts_with(name))
            .expect("a line")
            .to_owned();
        text.replace(&line, &format!("{name} = {{ role = \"plain\" }}"))
    });
    let done = Done::of(Kind::Preview, &private, options);
    assert_eq!(done.result()["made_up"], true);
}

/// What was told before the end.
fn points(done: &Done) -> impl Iterator<Item = &Value> {
    done.told.iter().filter_map(|told| match told {
        Told::Found { value } => Some(value),
        _ => None,
    })
}

#[test]
fn searches_tell_points_as_they_are_found() {
    let explored = Done::of(Kind::Explore, POLICY, json!({ "k": [5] }));
    let found = |done: &Done| points(done).count();
    let tried = explored.result()["comparison"]["tried"]
        .as_array()
        .map(Vec::len);
    assert_eq!(tried, Some(found(&explored)));
    assert!(tried > Some(3));
    let options = json!({ "parameter": "k", "between": [2.0, 50.0], "goals": [["gcp", 0.3]],
                          "steps": 3, "bisections": 2 });
    let tuned = Done::of(Kind::Tune, POLICY, options);
    assert!(tuned.result()["best"].as_f64().is_some_and(|k| k >= 2.0));
    assert_eq!(
        tuned.result()["tried"].as_array().map(Vec::len),
        Some(found(&tuned))
    );
}

#[test]
fn learners_and_attacks_tell_rates() {
    let learnt = Done::of(
        Kind::Learn,
        POLICY,
        json!({ "class": "sex", "learners": ["nb"] }),
    );
    assert_eq!(learnt.result()["records"], 4000);
    // Windows of one record tell no more than long ones.
    let options = json!({ "class": "sex", "learners": ["nb"], "window": 1, "warm_up": 1 });
    let single = Done::of(Kind::Learn, POLICY, options);
    for one in single.result()["learners"].as_array().expect("learners") {
        assert_eq!(one["counted"].as_u64().map(|counted| counted % 5), Some(0));
        for name in ["whole", "lately", "faded"] {
            assert_eq!(one[name]["classes"], json!([]), "{one}");
        }
        let points = one["points"].as_array().expect("points");
        assert!(points.len() > 3, "{one}");
        for point in points {
            assert!(point["results"].as_u64() >= Some(200), "{point}");
            let share = point["accuracy"].as_f64();
            let share = share.map(|share| (share * 40.0).round() / 40.0 - share);
            assert!(share.is_none_or(|rest| rest.abs() < 1e-9), "{point}");
        }
    }
    let curves: Vec<&Value> = points(&learnt).collect();
    let sides = learnt.result()["learners"].as_array().map_or(0, Vec::len);
    assert!(curves.len() > 3 * sides, "a curve grows before it ends");
    let ends = learnt.result()["learners"].as_array().into_iter().flatten();
    let last: Vec<&Value> = ends
        .flat_map(|one| one["points"].as_array().and_then(|all| all.last()))
        .collect();
    assert!(
        last.iter()
            .all(|last| curves.iter().any(|one| one["point"] == **last))
    );
    for point in &curves {
        assert!(point["point"]["results"].as_u64() >= Some(200), "{point}");
    }
    let attacked = Done::of(Kind::Attack, POLICY, json!({}));
    let attacks = attacked.result()["tables"]["releases"][0]["attacks"].clone();
    for one in attacks.as_array().expect("attacks") {
        for name in ["succeeds", "of", "classes"] {
            let count = one[name].as_u64();
            let is_rounded = count.is_none_or(|count| count % 5 == 0 && count != 5);
            assert!(is_rounded, "{name}: {one}");
        }
        let rest = one["of"].as_u64().zip(one["succeeds"].as_u64());
        assert!(
            rest.is_none_or(|(of, got)| of - got == 0 || of - got >= 10),
            "{one}"
        );
        if one["succeeds"].is_null() {
            assert_eq!((&one["share"], &one["details"]), (&Value::Null, &json!([])));
        }
    }
    let attacks = &attacked.result()["tables"]["releases"][0]["attacks"];
    let attacks = attacks.as_array().into_iter().flatten();
    let attacks: Vec<&Value> = attacks.map(|attack| &attack["attack"]).collect();
    let told: Vec<&Value> = points(&attacked).map(|told| &told["attack"]).collect();
    assert!(!told.is_empty());
    assert_eq!(attacks, told, "each attack is told as it ends");
}

const MIXED: &str = r#"version = 1
seed = 3

[source]
path = "data.csv"

[columns]
name      = { role = "identifier" }
patient   = { role = "identifier" }
age       = { role = "quasi", type = "number" }
sex       = { role = "identifier" }
zip       = { role = "identifier" }
education = { role = "identifier" }
admission = { role = "identifier" }
ward      = { role = "identifier" }
diagnosis = { role = "identifier" }
cost      = { role = "quasi", type = "number" }

[[protect]]
method = "random-projection"
"#;

#[test]
fn attacks_on_masked_records_tell_how_many_were_found_so_far() {
    let options = json!({ "known": 1, "attacks": 100 });
    let attacked = Done::of(Kind::Attack, MIXED, options);
    let curves = &attacked.result()["curves"];
    let told: Value = points(&attacked).cloned().collect();
    assert_eq!(*curves, told);
    let tried = told.as_array().into_iter().flatten();
    let tried: BTreeSet<Option<u64>> = tried.map(|point| point["tried"].as_u64()).collect();
    assert_eq!(tried, [25, 50, 75, 100].map(Some).into());
}

#[test]
fn errors_have_their_place_in_the_policy() {
    let wrong = POLICY.replace("\"sensitive\"", "\"secret-ish\"");
    let done = Done::of(Kind::Plan, &wrong, json!({}));
    let failure = done.failure();
    assert_eq!((failure.status, failure.code.as_str()), (422, "policy"));
    assert_eq!(failure.at, wrong.find("\"secret-ish\""));

    for (from, to, what) in [
        ("\"data.csv\"", "\"../data.csv\"", "its name alone"),
        ("\"data.csv\"", "\"/etc/passwd\"", "its name alone"),
        ("\"education.csv\"", "\"other.csv\"", "other.csv"),
        (
            "patient   = { role = \"subject\" }",
            "patient = { role = \"subject\", action = \"pseudonym\", key = \"env:HOME\" }",
            "not taken from files or the environment",
        ),
        (
            "patient   = { role = \"subject\" }",
            "patient = { role = \"subject\", action = \"pseudonym\", key = \"secret:none\" }",
            "there is no key",
        ),
    ] {
        let options = json!({ "rows": 100, "seed": 1 });
        let done = Done::of(Kind::Preview, &POLICY.replace(from, to), options);
        let told = &done.failure().what;
        assert!(told.contains(what), "{told}");
    }
}

#[test]
fn a_job_ends_with_its_input() {
    let options = json!({ "k": [2, 3, 5, 7, 11, 13, 17, 19, 23, 29] });
    let done = Done::with(Kind::Explore, POLICY, options, &[], false);
    assert_eq!(done.failure().code, "cancelled");
}

#[test]
fn what_is_no_task_is_told_without_quoting_it() {
    let lines = Lines::default();
    let process = Process {
        limit: |_| Ok(()),
        gone: || (),
    };
    let input = std::io::Cursor::new(b"{\"canary\": 17}\n".to_vec());
    assert!(!work(input, lines.clone(), &process));
    let lines = lines.0.lock().expect("lines").clone();
    let text = String::from_utf8(lines).expect("a text");
    assert!(
        text.contains("failed") && !text.contains("canary"),
        "{text}"
    );
}

#[test]
fn persons_with_several_rows_are_released_without_a_ledger_and_it_is_told() {
    // The patients of the example come again, so no ledger can follow its rows.
    let policy = format!("{POLICY}{PLACES}");
    let recorded = json!({ "ledger": true });
    let done = Done::of(Kind::Release, &policy, recorded.clone());
    let result = done.result();
    assert_eq!(result["verified"]["passed"], true);
    let why = result["ledger"]["none"].as_str().expect("why not");
    assert!(why.contains("several rows"), "{why}");
    // After a release that was recorded, one that cannot be held against it does not go out.
    let earlier = [("ledger", b"anything".to_vec())];
    let refused = Done::with(Kind::Release, &policy, recorded, &earlier, true);
    assert!(matches!(refused.told.last(), Some(Told::Failed(_))));
}

#[test]
fn a_script_in_a_column_name_stands_in_a_report_as_text() {
    let script = "<script>alert(1)</script>";
    let image = "<img src=x onerror=alert(2)>";
    let rows: String = (0..40)
        .map(|n| format!("{},{}\n", 20 + n % 4, n % 3))
        .collect();
    let data = ("data.csv", format!("{script},{image}\n{rows}").into_bytes());
    let policy = format!(
        "version = 1\nname = \"{image}\"\n[source]\npath = \"data.csv\"\n[columns]\n\
         \"{script}\" = {{ role = \"quasi\" }}\n\"{image}\" = {{ role = \"plain\" }}\n\
         [guarantee]\nk = 2\n[[protect]]\nmethod = \"mondrian\"\n{PLACES}"
    );
    let done = Done::with(Kind::Release, &policy, Value::Null, &[data], true);
    let page = String::from_utf8(done.plain(&Part::Page.file(2))).expect("a page");
    assert!(page.contains("&lt;script&gt;alert(1)"), "the name is shown");
    assert!(!page.contains("<script>alert") && !page.contains("<img src=x"));
    assert!(done.result()["verified"]["passed"] == true);
}

#[test]
fn a_private_method_is_run_on_data_by_a_release_alone() {
    let (columns, _) = POLICY.split_once("[guarantee]").expect("columns");
    let private = format!(
        "{columns}[[protect]]\nmethod = \"local-dp\"\n\
         columns.age = {{ mechanism = \"laplace\", epsilon = 1.0, bounds = [0, 120] }}\n"
    );
    let tune =
        json!({ "parameter": "local-dp.epsilon", "between": [1.0, 2.0], "goals": [["sse", 9.0]] });
    for (kind, options) in [
        (Kind::Explore, json!({})),
        (Kind::Tune, tune),
        (Kind::Learn, json!({ "class": "sex" })),
        (Kind::Attack, json!({})),
    ] {
        let refused = Done::of(kind, &private, options);
        assert_eq!(refused.failure().code, "private", "{kind:?}");
    }
    // What is tried by a search counts as well.
    let goal = format!(
        "{columns}[goal]\nminimize = \"gcp\"\nsubject_to = {{ prosecutor_risk = 0.2 }}\n\
         methods = [\"dp-microaggregation\"]\n"
    );
    let refused = Done::of(Kind::Plan, &goal, json!({}));
    assert!(
        matches!(&*refused.failure().code, "private" | "policy"),
        "{:?}",
        refused.failure()
    );
}
