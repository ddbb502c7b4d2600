//! What must hold for streams of masked records: they go on after a kill as if nothing had
//! happened, from one source or several, and noise that is a secret is drawn once.

use super::generated::{Random, seeds};
use super::verify_masked;
use crate::engine::{Clock, Every, Progress};
use crate::error::Result;
use crate::io::{Files, ReadOptions};
use crate::pipeline::checkpoint::Lock;
use crate::pipeline::output::is_seen;
use crate::pipeline::place::partial;
use crate::pipeline::run::Run;
use crate::pipeline::{self, Options};
use crate::policy::{Policy, Root};
use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Masks that draw from a seed, or not at all.
pub(super) const SEEDED: &[&str] = &[
    "method = \"noise\"\namount = 0.2\nbuffer = 7\ncolumns = [\"x\", \"y\"]",
    "method = \"noise\"\namount = 0.1\nkind = \"correlated\"\nbuffer = 9\ncolumns = [\"x\", \"y\"]",
    "method = \"microaggregation\"\nk = 3\nbuffer = 10\ncolumns = [\"x\", \"y\"]",
    "method = \"rank-swapping\"\nwithin = \"30%\"\nbuffer = 8\ncolumns = [\"x\", \"y\"]",
    "method = \"random-projection\"\nsigma = 0.1\nnoise = \"cumulative\"\nbuffer = 5\ncolumns = [\"x\", \"y\"]\nbounds = { x = [0, 100], y = [0, 100] }",
    "method = \"noise\"\namount = 0.2\nbuffer = 3\ncolumns = [\"x\"]\n[[protect]]\nmethod = \"rank-swapping\"\nwithin = \"40%\"\nbuffer = 6\ncolumns = [\"y\"]",
    RECODING,
    "method = \"recoding\"\nbuffer = 1\nround = { x = 10 }\n[[protect]]\nmethod = \"noise\"\namount = 0.2\nbuffer = 5\ncolumns = [\"x\"]",
    "method = \"noise\"\namount = 0.2\nbuffer = 5\ncolumns = [\"x\"]\n[[protect]]\nmethod = \"recoding\"\nbuffer = 1\nround = { x = 10, y = 20 }",
    "method = \"microaggregation\"\nk = 3\nbuffer = 10\ncolumns = [\"x\", \"y\"]\n[[protect]]\nmethod = \"recoding\"\nbuffer = 1\nround = { x = 10 }",
];

/// Recoding of each row by itself.
pub(super) const RECODING: &str = "method = \"recoding\"\nbuffer = 1\nround = { x = 10, y = 2.5 }\ntop = { x = 80 }\nbottom = { x = 20 }";

/// Masks whose noise is a secret.
pub(super) const PRIVATE: &[&str] = &[
    "method = \"local-dp\"\nbuffer = 1\ncolumns = { x = { mechanism = \"laplace\", epsilon = 1.0, bounds = [0, 100] } }",
    "method = \"dp-microaggregation\"\nk = 3\nbuffer = 7\nepsilon = 1.0\nbounds = { x = [0, 100], y = [0, 100] }",
    "method = \"recoding\"\nbuffer = 1\nround = { x = 10 }\n[[protect]]\nmethod = \"local-dp\"\nbuffer = 1\ncolumns = { x = { mechanism = \"laplace\", epsilon = 1.0, bounds = [0, 100] } }\n[[protect]]\nmethod = \"recoding\"\nbuffer = 1\nround = { y = 5 }",
];

/// Masks of what events carry that z-anonymity lets through.
const EVENTS: &[&str] = &[
    "method = \"z-anonymity\"\nz = 2\nwindow = \"20s\"\n[[protect]]\nmethod = \"noise\"\namount = 0.2\nbuffer = 7\ncolumns = [\"x\"]",
    "method = \"z-anonymity\"\nz = 3\nwindow = \"30s\"\nmode = \"exact\"\nlateness = \"5s\"\n[[protect]]\nmethod = \"rank-swapping\"\nwithin = \"30%\"\nbuffer = 6\ncolumns = [\"x\", \"y\"]",
    "method = \"z-anonymity\"\nz = 2\nwindow = \"20s\"\n[[protect]]\nmethod = \"recoding\"\nbuffer = 1\nround = { x = 10 }",
    "method = \"recoding\"\nbuffer = 1\ntop = { y = 50 }\n[[protect]]\nmethod = \"z-anonymity\"\nz = 3\nwindow = \"30s\"\nmode = \"exact\"\nlateness = \"5s\"\n[[protect]]\nmethod = \"noise\"\namount = 0.2\nbuffer = 7\ncolumns = [\"x\"]",
];
const PRIVATE_EVENTS: &str = "method = \"z-anonymity\"\nz = 2\nwindow = \"20s\"\n[[protect]]\nmethod = \"local-dp\"\nbuffer = 1\ncolumns = { x = { mechanism = \"laplace\", epsilon = 1.0, bounds = [0, 100] } }";

/// A policy in a folder of its own.
pub(super) struct Place {
    folder: tempfile::TempDir,
    pub(super) policy: Policy,
    pub(super) rows: usize,
    every: usize,
    /// That of the last run.
    certificate: RefCell<String>,
}

/// How the rows come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    seed: u64,
    sources: usize,
    /// Rows wait for earlier ones.
    late: bool,
}

impl Place {
    pub(super) fn new(case: Case, method: &str, seeded: bool) -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let folder = folder.expect("a folder");
        let events = method.contains("z-anonymity");
        let mut random = Random::new(case.seed);
        let rows = 20 + random.below(80) as usize;
        let every = 1 + random.below(9) as usize;
        let mut texts = vec!["t,user,c,x,y\n".to_owned(); case.sources];
        let mut now = 1_700_000_000;
        for _ in 0..rows {
            now += random.below(4);
            let time = now - if case.late { random.below(6) } else { 0 };
            let source = random.below(case.sources as u64) as usize;
            let (user, x, y) = (random.below(9), random.below(100), random.below(100));
            let c = random.below(3);
            let _ = writeln!(texts[source], "{time},u{user},c{c},{x},{y}");
        }
        for (number, text) in texts.iter().enumerate() {
            let path = folder.path().join(format!("{number}.csv"));
            std::fs::write(path, text).expect("written");
        }
        std::fs::write(folder.path().join("key"), "k".repeat(32)).expect("written");
        let paths: Vec<String> = (0..case.sources).map(|n| format!("\"{n}.csv\"")).collect();
        let text = format!(
            "version = 1\n{}[source]\npath = [{}]\n[columns]\n\
             t = {{ role = \"time\", unit = \"s\"{} }}\n\
             user = {{ {} }}\n\
             c = {{ role = \"{}\" }}\n\
             x = {{ role = \"plain\", type = \"number\" }}\ny = {{ role = \"plain\", type = \"number\" }}\n\
             [[protect]]\n{method}\n[checkpoint]\npath = \"progress.json\"\nevery = {every}\n\
             [sink]\npath = \"out.csv\"\ncertificate = \"why.csv\"\n",
            if seeded { "seed = 4\n" } else { "" },
            paths.join(", "),
            if case.late && !events {
                ", lateness = \"3s\""
            } else {
                ""
            },
            // Groups count rows and not persons.
            match method.contains("microaggregation") {
                true => "role = \"plain\"",
                false => {
                    "role = \"subject\", action = \"pseudonym\", key = \"file:key\", rotate = \"20s\""
                }
            },
            if events { "quasi" } else { "plain" },
        );
        let root = Root::of_policy(&folder.path().join("policy.toml"), None).expect("a root");
        let policy = Policy::parse(&text, &root).unwrap_or_else(|e| panic!("{e}\n{text}"));
        Place {
            folder,
            policy,
            rows,
            every,
            certificate: RefCell::default(),
        }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs until the end, or until so many steps were made; none when the end was not reached.
    fn run(&self, steps: Option<usize>) -> Result<Option<String>> {
        let progress = Progress::default();
        let options = Options::plain(&progress);
        let mut run = Run::begin(&self.policy, &options, Clock::default())?;
        for step in 0.. {
            if steps.is_some_and(|steps| step >= steps) {
                return Ok(None);
            }
            if !run.step()? {
                break;
            }
        }
        run.finish(&options)?;
        let release = self.take("out.csv");
        self.certificate.replace(self.take("why.csv"));
        Ok(Some(release))
    }

    /// The text of a file, which is taken away.
    fn take(&self, name: &str) -> String {
        let text = std::fs::read_to_string(self.path(name)).expect("a text");
        std::fs::remove_file(self.path(name)).expect("removed");
        text
    }

    /// Kills a run some times; gives the release, and what had been committed at each kill.
    fn killed(&self, random: &mut Random) -> Result<(String, Vec<String>)> {
        let most = (self.rows / self.every + 2) as u64;
        let mut committed = Vec::new();
        loop {
            let patience = (committed.len() < 4).then(|| random.below(most) as usize);
            if let Some(release) = self.run(patience)? {
                return Ok((release, committed));
            }
            committed.push(self.committed());
        }
    }

    /// What the next run goes on with.
    fn committed(&self) -> String {
        let checkpoint = std::fs::read_to_string(self.path("progress.json")).expect("a checkpoint");
        let body: serde_json::Value =
            serde_json::from_str(checkpoint.lines().next().expect("a line")).expect("JSON");
        let bytes = body["bytes"].as_u64().expect("a number") as usize;
        let release = self.path("out.csv");
        let seen = is_seen(&self.policy, self.policy.sink.as_ref().expect("a sink"));
        assert!(seen || !release.exists(), "nobody sees half a release");
        let written = match seen {
            true => release,
            false => partial(&release),
        };
        let written = std::fs::read_to_string(written).expect("a part");
        written[..bytes].to_owned()
    }
}

pub(super) fn cases(seed: u64) -> [Case; 4] {
    [(1, false), (1, true), (2, false), (3, true)].map(|(sources, late)| Case {
        seed,
        sources,
        late,
    })
}

/// Every row is what its own cells make it, in the order in which rows come.
#[test]
fn recoded_rows_follow_from_themselves_alone() {
    for seed in seeds(12) {
        let place = Place::new(cases(seed)[0], RECODING, true);
        let source = std::fs::read_to_string(place.path("0.csv")).expect("a source");
        let release = place.run(None).expect("a run").expect("it ends");
        let numbers = |line: &str| -> Vec<f64> {
            let cells = line.split(',').skip(3);
            cells.map(|cell| cell.parse().expect("a number")).collect()
        };
        assert_eq!(release.lines().count(), source.lines().count());
        for (before, after) in source.lines().zip(release.lines()).skip(1) {
            let (before, after) = (numbers(before), numbers(after));
            let x = ((before[0] / 10.0).floor() * 10.0).clamp(20.0, 80.0);
            let y = (before[1] / 2.5).floor() * 2.5;
            assert_eq!(after, [x, y], "MORETTA_SEED={seed} {before:?}");
        }
    }
}

#[test]
fn masked_records_leave_the_same_bytes_after_kills() {
    for seed in seeds(12) {
        for case in cases(seed) {
            for method in SEEDED.iter().chain(EVENTS) {
                let place = Place::new(case, method, true);
                let whole = place.run(None).expect("a run").expect("it ends");
                let certificate = place.certificate.take();
                let mut random = Random::new(seed ^ 0x6D61_736B);
                let (release, committed) = place.killed(&mut random).expect("runs");
                let told = format!("MORETTA_SEED={seed} {case:?}\n{method}");
                assert_eq!(release, whole, "{told}");
                assert_eq!(place.certificate.take(), certificate, "{told}");
                for part in committed {
                    assert!(whole.starts_with(&part), "MORETTA_SEED={seed}\n{method}");
                }
                assert!(!place.path("progress.json").exists());
            }
        }
    }
}

/// Without a seed in the policy a run goes on with the one that it has drawn.
#[test]
fn a_secret_seed_is_gone_on_with() {
    for seed in seeds(8) {
        for case in cases(seed) {
            for method in SEEDED.iter().chain(PRIVATE) {
                let place = Place::new(case, method, false);
                let mut random = Random::new(seed ^ 0x7365_6564);
                let (release, committed) = place.killed(&mut random).expect("runs");
                for part in &committed {
                    let told = format!("MORETTA_SEED={seed} {case:?}\n{method}");
                    assert!(release.starts_with(part.as_str()), "{told}");
                }
                let lost = match method.contains("dp-micro") {
                    // The last window may be too small to leave.
                    true => place.rows % 7 % 3,
                    false => 0,
                };
                // Groups and windows are numbered as if nothing had happened.
                let files = ["out.csv", "why.csv"].map(|name| place.path(name));
                std::fs::write(&files[0], &release).expect("written");
                std::fs::write(&files[1], place.certificate.take()).expect("written");
                let (options, progress) = (ReadOptions::default(), Progress::default());
                let [out, why] = &files;
                let found = verify_masked(&place.policy, out, why, &options, &progress);
                assert_eq!(
                    found.expect("verified").faults,
                    [""; 0],
                    "{case:?}\n{method}"
                );
                let lines = release.lines().count() - 1;
                let left = [place.rows, place.rows - lost];
                assert!(
                    left.contains(&lines),
                    "{lines} of {} rows\n{method}",
                    place.rows
                );
            }
        }
    }
}

/// Rows that were written after the last checkpoint are drawn again, so nobody may have seen
/// them: the release appears when it is whole.
#[test]
fn secret_noise_on_events_is_seen_once() {
    for seed in seeds(12) {
        for case in cases(seed) {
            let place = Place::new(case, PRIVATE_EVENTS, false);
            let mut random = Random::new(seed ^ 0x6F6E_6365);
            let (release, committed) = place.killed(&mut random).expect("runs");
            for part in &committed {
                assert!(
                    release.starts_with(part.as_str()),
                    "MORETTA_SEED={seed} {case:?}"
                );
            }
            // What z-anonymity lets through does not depend on the mask.
            let alone = PRIVATE_EVENTS
                .split("[[protect]]")
                .next()
                .expect("a method");
            let alone = Place::new(case, alone, false);
            let alone = alone.run(None).expect("a run").expect("it ends");
            let kept = |text: &str| -> Vec<String> {
                let cells = |line: &str| {
                    let cells: Vec<&str> = line.split(',').collect();
                    [cells[0], cells[1], cells[2], cells[4]].join(",")
                };
                text.lines().map(cells).collect()
            };
            assert_eq!(kept(&release), kept(&alone), "MORETTA_SEED={seed} {case:?}");
        }
    }
}

#[test]
fn files_of_records_are_merged_by_their_times_or_come_one_after_the_other() {
    for seed in seeds(20) {
        for late in [false, true] {
            let case = Case {
                seed,
                sources: 3,
                late,
            };
            let place = Place::new(case, SEEDED[0], true);
            let release = place.run(None).expect("a run").expect("it ends");
            let times: Vec<i64> = release
                .lines()
                .skip(1)
                .map(|line| {
                    line.split(',')
                        .next()
                        .expect("a time")
                        .parse()
                        .expect("a number")
                })
                .collect();
            assert_eq!(times.len(), place.rows);
            let files = (0..3).flat_map(|n| {
                let text = std::fs::read_to_string(place.path(&format!("{n}.csv")));
                let text = text.expect("a source");
                let times = text.lines().skip(1).map(|line| {
                    let time = line.split(',').next().expect("a time");
                    time.parse::<i64>().expect("a number")
                });
                times.collect::<Vec<i64>>()
            });
            let mut expected: Vec<i64> = files.collect();
            if late {
                // Rows are at most five seconds behind, and wait for three: nearly all are in order.
                expected.sort_unstable();
                let behind = times.windows(2).filter(|pair| pair[0] > pair[1]).count();
                assert!(behind * 4 < times.len(), "{behind} of {}", times.len());
                let mut sorted = times.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, expected);
            } else {
                assert_eq!(times, expected);
            }
        }
    }
}

/// Killed when its release was whole and not yet in its place, a run does not make it again:
/// noise that is a secret would be other noise.
#[test]
fn a_release_that_was_whole_appears_as_it_was() {
    for method in [PRIVATE[0], PRIVATE[1], SEEDED[0]] {
        let case = cases(3)[0];
        let place = Place::new(case, method, false);
        let progress = Progress::default();
        let options = Options::plain(&progress);
        let mut run = Run::begin(&place.policy, &options, Clock::default()).expect("begun");
        while run.step().expect("a step") {}
        // Nothing can be put where a folder is.
        std::fs::create_dir(place.path("out.csv")).expect("in the way");
        run.finish(&options).expect_err("in the way");
        std::fs::remove_dir(place.path("out.csv")).expect("out of the way");
        let whole = std::fs::read_to_string(partial(&place.path("out.csv"))).expect("a part");
        let path = partial(&place.path("out.csv"));
        std::fs::write(&path, format!("{whole}1,u,c,2,3\n")).expect("changed");
        let refused = pipeline::run(&place.policy, &options).expect_err("changed");
        assert!(
            refused.to_string().contains("not what was written"),
            "{refused}"
        );
        assert!(!place.path("out.csv").exists());
        std::fs::write(&path, &whole).expect("as it was");
        let outcome = pipeline::run(&place.policy, &options).expect("it appears");
        assert!(outcome.report.rows.released > 0);
        let found = std::fs::read_to_string(place.path("out.csv")).expect("a release");
        assert_eq!(found, whole, "{method}");
        assert!(!place.path("progress.json").exists());
        assert!(!partial(&place.path("out.csv")).exists());
    }
}

/// Rows of events can be seen at once, so what their masks draw from is noted before the first.
#[test]
fn a_mask_behind_events_draws_the_same_after_a_kill_before_any_commit() {
    for seed in seeds(8) {
        let case = cases(seed)[0];
        let method = EVENTS[0].replace("buffer = 7", "buffer = 2");
        let mut place = Place::new(case, &method, false);
        if let Some(checkpoint) = &mut place.policy.checkpoint {
            checkpoint.every = Every::Milliseconds(3_600_000);
        }
        place.run(Some(1)).expect("killed");
        let before = std::fs::read_to_string(place.path("out.csv")).expect("seen");
        assert!(before.lines().count() > 5, "MORETTA_SEED={seed}");
        let release = place.run(None).expect("a run").expect("it ends");
        assert!(release.starts_with(&before), "MORETTA_SEED={seed}");
    }
}

#[test]
fn what_somebody_has_changed_meanwhile_is_not_gone_on_with() {
    for (method, name) in [
        (SEEDED[0], "out.csv"),
        (SEEDED[2], "out.csv"),
        (PRIVATE[0], "out.csv"),
        (SEEDED[0], "why.csv"),
        (PRIVATE[0], "why.csv"),
    ] {
        let place = Place::new(cases(5)[0], method, false);
        let steps = place.rows / place.every;
        assert!(place.run(Some(steps)).expect("killed").is_none());
        let path = partial(&place.path(name));
        let text = std::fs::read_to_string(&path).expect("a part");
        let last = match name {
            "out.csv" => place.committed().len() - 2,
            // In the line about the first row.
            _ => text.find('\n').expect("a line") + 1,
        };
        let digit = if &text[last..=last] == "1" { "2" } else { "1" };
        std::fs::write(
            &path,
            format!("{}{digit}{}", &text[..last], &text[last + 1..]),
        )
        .expect("changed");
        let refused = place.run(None).expect_err("changed");
        assert_eq!(refused.exit_code(), 5);
        assert!(refused.to_string().contains("--force"), "{refused}");
    }
}

#[test]
fn two_runs_do_not_go_on_with_one_checkpoint() {
    let place = Place::new(cases(4)[0], SEEDED[0], true);
    let lock = Lock::new(&place.path("progress.json"), &Files::default()).expect("the first");
    let refused = place.run(None).expect_err("the second");
    assert_eq!(refused.exit_code(), 2);
    assert!(refused.to_string().contains("another run"), "{refused}");
    drop(lock);
    place.run(None).expect("a run").expect("it ends");
    assert!(!place.path(".progress.json.lock").exists());
}

/// A file is gone on with at the byte where the rows begin that the method must know.
#[test]
fn the_first_rows_of_a_file_are_not_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = Random::new(5);
    let mut text = "t,user,c,x,y\n".to_owned();
    for row in 0..120_000 {
        let (user, c, x) = (random.below(50), random.below(5), random.below(100));
        let time = 1_700_000_000 + row / 10;
        let _ = writeln!(text, "{time},user-{user:04},place-{c},{x},{x}");
    }
    std::fs::write(folder.path().join("events.csv"), text).expect("written");
    let root = Root::of_policy(&folder.path().join("policy.toml"), None).expect("a root");
    let policy = |method: &str, role: &str| {
        let text = format!(
            "version = 1\n[source]\npath = \"events.csv\"\n[columns]\n\
             t = {{ role = \"time\", unit = \"s\" }}\nuser = {{ role = \"{role}\" }}\n\
             c = {{ role = \"quasi\" }}\nx = {{ role = \"plain\", type = \"number\" }}\n\
             y = {{ role = \"plain\" }}\n[[protect]]\n{method}\n\
             [checkpoint]\npath = \"progress.json\"\nevery = 10000\n[sink]\npath = \"out.csv\"\n"
        );
        Policy::parse(&text, &root).unwrap_or_else(|e| panic!("{e}\n{text}"))
    };
    let z = "method = \"z-anonymity\"\nz = 5\nwindow = \"1m\"";
    let private = PRIVATE[0].replace("columns = {", "columns = { c = { mechanism = \"k-ary\", epsilon = 1.0, categories = [\"place-0\", \"place-1\", \"place-2\", \"place-3\", \"place-4\"] },");
    let recoding = "method = \"recoding\"\nbuffer = 1\nround = { x = 10 }\ntop = { x = 80 }";
    for (policy, same) in [
        (policy(z, "subject"), true),
        (policy(recoding, "plain"), true),
        (policy(&private, "plain"), false),
    ] {
        // The rows that it has read, and those that it has written aside.
        let run = |steps: usize| {
            let progress = &Progress::default();
            let options = Options::plain(progress);
            let mut run = Run::begin(&policy, &options, Clock::default()).expect("begun");
            for _ in 0..steps {
                if !run.step().expect("a step") {
                    let rows = progress.rows();
                    run.finish(&options).expect("finished");
                    return rows;
                }
            }
            progress.rows()
        };
        let release = folder.path().join("out.csv");
        let take = || {
            let text = std::fs::read_to_string(&release).expect("a release");
            std::fs::remove_file(&release).expect("removed");
            text
        };
        let all = run(usize::MAX);
        assert!(all >= 120_000);
        let whole = take();
        run(11);
        let again = run(usize::MAX);
        assert!(2 * again < all, "{again} of {all} rows");
        let found = take();
        match same {
            true => assert!(found == whole),
            false => assert_eq!(found.lines().count(), whole.lines().count()),
        }
    }
}

/// Of several files an error names the one.
#[test]
fn a_row_without_a_time_is_told_with_its_file() {
    for method in [SEEDED[0], EVENTS[0]] {
        let place = Place::new(cases(6)[3], method, true);
        let path = place.path("1.csv");
        let mut text = std::fs::read_to_string(&path).expect("a source");
        let rows = text.lines().count();
        text.push_str("soon,u1,c1,1,1\n");
        std::fs::write(&path, text).expect("written");
        let progress = Progress::default();
        let error = pipeline::run(&place.policy, &Options::plain(&progress));
        let error = error.expect_err("no time").to_string();
        assert!(error.contains(&format!("{}: ", path.display())), "{error}");
        assert!(
            error.contains(&format!("row {rows} has no time")),
            "{error}"
        );
    }
}

#[test]
fn a_source_that_has_changed_is_told_with_a_way_out() {
    let place = Place::new(cases(4)[0], SEEDED[0], true);
    assert!(
        place
            .run(Some(2 + place.rows / place.every / 2))
            .expect("killed")
            .is_none()
    );
    let path = place.path("0.csv");
    let text = std::fs::read_to_string(&path).expect("a source");
    let lines: Vec<&str> = text.lines().take(3).collect();
    std::fs::write(&path, lines.join("\n")).expect("written");
    let progress = Progress::default();
    let error = pipeline::run(&place.policy, &Options::plain(&progress));
    let error = error.expect_err("fewer rows");
    assert!(error.to_string().contains("--force"), "{error}");
}

/// The rules of recoding in a stream of records with quasi-identifiers: its release and its
/// warnings.
fn recoded(methods: &str) -> (String, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let row = |n: u32| {
        format!(
            "{},{},{}\n",
            ["low", "mid", "high"][n as usize % 3],
            n * 7 % 60,
            n
        )
    };
    let rows: String = (0..60).map(row).collect();
    std::fs::write(folder.path().join("in.csv"), format!("g,age,n\n{rows}")).expect("written");
    let root = Root::of_policy(&folder.path().join("policy.toml"), None).expect("a root");
    let text = format!(
        "version = 1\n[source]\npath = \"in.csv\"\n[columns]\n\
         g = {{ role = \"quasi\", order = [\"low\", \"mid\", \"high\"] }}\n\
         age = {{ role = \"quasi\", type = \"integer\" }}\nn = {{ role = \"plain\" }}\n{methods}\
         [sink]\npath = \"out.csv\"\ncertificate = \"why.csv\"\n"
    );
    let policy = Policy::parse(&text, &root).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let progress = Progress::default();
    let outcome = pipeline::run(&policy, &Options::plain(&progress));
    let outcome = outcome.unwrap_or_else(|e| panic!("{e}\n{text}"));
    let path = |name: &str| folder.path().join(name);
    let (release, certificate) = (path("out.csv"), path("why.csv"));
    let verify = |file: &Path| {
        let options = ReadOptions::default();
        verify_masked(&policy, file, &certificate, &options, &progress)
    };
    let found = verify(&release).expect("a certificate");
    assert!(found.faults.is_empty(), "{:?}\n{methods}", found.faults);
    let text = std::fs::read_to_string(release).expect("a release");
    (text, outcome.report.warnings)
}

#[test]
fn ends_of_ordered_categories_are_those_of_the_policy() {
    let method = "[[protect]]\nmethod = \"recoding\"\nbuffer = 1\nbottom = { g = \"mid\" }\n";
    let (release, warnings) = recoded(method);
    let cells: HashSet<&str> = (release.lines().skip(1))
        .filter_map(|line| line.split(',').next())
        .collect();
    assert_eq!(cells, HashSet::from(["low..mid", "high"]));
    let open = "quasi-identifiers are released as they are: `age`";
    assert!(
        warnings.iter().any(|warning| warning == open),
        "{warnings:?}"
    );
}

/// A mean of whole numbers is none, and lies between the steps of whole ones.
#[test]
fn what_was_masked_before_has_steps_of_fractions() {
    for mask in [
        "[[protect]]\nmethod = \"microaggregation\"\nk = 2\nbuffer = 10\ncolumns = [\"age\", \"g\"]\n",
        "[[protect]]\nmethod = \"noise\"\namount = 0.5\nbuffer = 10\ncolumns = [\"age\"]\n",
    ] {
        let recoding = "[[protect]]\nmethod = \"recoding\"\nbuffer = 1\nround = { age = 5 }\n";
        let (release, _) = recoded(&format!("{mask}{recoding}"));
        for line in release.lines().skip(1) {
            let age = line.split(',').nth(1).expect("an age");
            let (low, high) = age.split_once("..").expect("a step");
            let [low, high] = [low, high].map(|end| end.parse::<f64>().expect("a number"));
            assert_eq!((low % 5.0, high - low), (0.0, 5.0), "{age}");
        }
    }
}
