//! No row of a stream is ever released with fewer than z users in its window:
//! more than a million shuffled, late and repeated rows through whole runs,
//! judged by counting everything again the slow way.

use moretta::pipeline::{self, Options, Progress};
use moretta::policy::{Policy, Root};
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::fmt::Write;
use std::path::Path;

/// A generator that anyone can read: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

#[derive(Clone)]
struct Row {
    /// Milliseconds.
    time: i64,
    user: u64,
    attribute: String,
}

/// Rows that mostly come in order; `disorder` seconds of it, and some that come an hour late.
fn rows(count: usize, disorder: u64, seed: u64) -> Vec<Row> {
    let mut random = Random(seed);
    let (mut now, mut rows) = (1_000_000_i64, Vec::<Row>::with_capacity(count));
    while rows.len() < count {
        now += random.below(3) as i64 * 500;
        let back = match random.below(200) {
            _ if disorder == 0 => 0,
            0 => 1000 * random.below(4000) as i64,
            1..80 => 1000 * random.below(disorder) as i64,
            _ => 0,
        };
        let branch = random.below(3);
        let leaf = random.below(2 + 6 * branch);
        let row = Row {
            time: now - back,
            user: random.below(60),
            attribute: match random.below(30) {
                0 => format!("a{branch}"),
                _ => format!("a{branch}*b{}*c{leaf}", leaf % 3),
            },
        };
        // Some rows come twice, one right after the other or later.
        if random.below(20) == 0 {
            rows.push(row.clone());
        }
        rows.push(row);
    }
    rows
}

/// The labels of an attribute, most specific first.
fn labels(attribute: &str) -> Vec<&str> {
    let mut labels = vec![attribute];
    while let Some((above, _)) = labels[labels.len() - 1].rsplit_once('*') {
        labels.push(above);
    }
    labels
}

/// Runs a policy; gives the number of each released row and the label it shows.
fn release(rows: &[Row], method: &str, batches: usize) -> Vec<(usize, String)> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut paths = Vec::new();
    for batch in 0..batches {
        let mut text = "t,user,attribute,n\n".to_owned();
        for (n, row) in rows
            .iter()
            .enumerate()
            .filter(|(n, _)| n % batches == batch)
        {
            let (seconds, rest) = (row.time.div_euclid(1000), row.time.rem_euclid(1000));
            writeln!(
                text,
                "{seconds}.{rest:03},u{},{},{n}",
                row.user, row.attribute
            )
            .expect("a text");
        }
        let name = format!("{batch}.csv");
        std::fs::write(folder.path().join(&name), text).expect("written");
        paths.push(format!("{name:?}"));
    }
    let policy = format!(
        "version = 1\n[source]\npath = [{}]\n[columns]\nt = {{ role = \"time\" }}\n\
         user = {{ role = \"subject\", action = \"keep\" }}\nattribute = {{ role = \"quasi\", hierarchy = {{ path = \"*\" }} }}\n\
         n = {{ role = \"plain\" }}\n[[protect]]\nmethod = \"z-anonymity\"\nwindow = \"100s\"\n{method}\n\
         [sink]\npath = \"out.csv\"\n",
        paths.join(", ")
    );
    let root = Root::of_policy(&folder.path().join("policy.toml"), None).expect("a folder");
    let policy = Policy::parse(&policy, &root).expect("a policy");
    let options = Options {
        command: String::new(),
        date: None,
        force: false,
        strict: false,
        render: &|_| String::new(),
        progress: &Progress::default(),
    };
    pipeline::run(&policy, &options).expect("runs");
    read(&folder.path().join("out.csv"))
}

fn read(path: &Path) -> Vec<(usize, String)> {
    let text = std::fs::read_to_string(path).expect("a release");
    text.lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            (cells[3].parse().expect("a number"), cells[2].to_owned())
        })
        .collect()
}

const WINDOW: i64 = 100_000;

/// How many users showed a label between two times, among the rows that were noted.
#[derive(Default)]
struct Shown(HashMap<String, Vec<(i64, u64)>>);

impl Shown {
    fn note(&mut self, row: &Row) {
        for label in labels(&row.attribute) {
            self.0
                .entry(label.to_owned())
                .or_default()
                .push((row.time, row.user));
        }
    }

    fn users(&self, label: &str, to: i64) -> usize {
        let shown = self.0.get(label).map_or(&[][..], Vec::as_slice);
        // What is an hour older than the newest is not looked at; rows are at most so late.
        let recent = shown.iter().rev().take(600);
        let inside = recent.filter(|(time, _)| (to - WINDOW..=to).contains(time));
        inside.map(|(_, user)| user).collect::<HashSet<_>>().len()
    }
}

#[test]
fn decided_on_arrival_no_row_leaves_with_too_few_users() {
    let (mut judged, mut released) = (0, 0);
    for (seed, disorder, method) in [
        (1, 0, "z = 4"),
        (2, 30, "z = 4"),
        (3, 30, "z = 4\nlateness = \"20s\""),
        (4, 300, "z = 3\nlateness = \"5m\""),
        (
            5,
            30,
            "z = 5\nlateness = \"20s\"\nk = 2\nunique_sets = \"hold\"",
        ),
        (
            6,
            30,
            "z = 6\nlateness = \"20s\"\ntune = { goal = 0.5, every = \"1m\" }",
        ),
        (7, 0, "tune = { goal = 0.3, every = \"1m\" }"),
    ] {
        let rows = rows(90_000, disorder, seed);
        let tuned = method.contains("tune");
        let z = match tuned {
            true => 1,
            false => method[4..5].parse().expect("a number"),
        };
        let out: HashMap<usize, String> = release(&rows, method, 1).into_iter().collect();
        let mut shown = Shown::default();
        for (n, row) in rows.iter().enumerate() {
            shown.note(row);
            judged += 1;
            if let Some(label) = out.get(&n) {
                released += 1;
                assert!(
                    labels(&row.attribute).contains(&label.as_str()),
                    "{method}: row {n}"
                );
                let users = shown.users(label, row.time);
                assert!(users >= z, "{method}: row {n} left with {users} users");
            } else if disorder == 0 && !tuned {
                let users = shown.users(
                    labels(&row.attribute)[labels(&row.attribute).len() - 1],
                    row.time,
                );
                assert!(users < z, "{method}: row {n} was held with {users} users");
            }
        }
    }
    assert!(
        judged >= 600_000 && released > 300_000,
        "{judged} {released}"
    );
}

/// The latest time of each user.
#[derive(Clone, Default)]
struct Latest(HashMap<u64, i64>);

impl Latest {
    fn see(&mut self, row: &Row) {
        let latest = self.0.entry(row.user).or_insert(row.time);
        *latest = row.time.max(*latest);
    }

    /// The latest time that two users have reached.
    fn reached(&self) -> i64 {
        let mut times: Vec<i64> = self.0.values().copied().collect();
        times.sort_unstable();
        let second = times.len().checked_sub(2);
        second.map_or(i64::MIN, |place| times[place])
    }
}

/// What a stream decided on arrival releases, by its definition: users count by when
/// each last showed a label, if that is within the window up to the row.
fn on_arrival(rows: &[Row], z: usize, lateness: i64) -> Vec<(usize, String)> {
    let mut last: HashMap<&str, HashMap<u64, i64>> = HashMap::new();
    let (mut latest, mut out) = (Latest::default(), Vec::new());
    for (n, row) in rows.iter().enumerate() {
        latest.see(row);
        for label in labels(&row.attribute) {
            let users = last.entry(label).or_default();
            let seen = users.entry(row.user).or_insert(row.time);
            *seen = row.time.max(*seen);
        }
        let enough = |label: &&str| {
            let window = row.time - WINDOW..=row.time;
            let times = last[label].values();
            times.filter(|time| window.contains(time)).count() >= z
        };
        if row.time >= latest.reached().saturating_sub(lateness) {
            let label = labels(&row.attribute).into_iter().find(enough);
            out.extend(label.map(|label| (n, label.to_owned())));
        }
    }
    out
}

#[test]
fn decided_on_arrival_every_row_with_enough_users_leaves_in_any_order() {
    for (seed, disorder, z, lateness) in [
        (31, 0, 4, 20),
        (32, 30, 4, 20),
        (33, 30, 12, 60),
        (34, 300, 3, 300),
        (35, 300, 20, 40),
        (36, 30, 4, 0),
    ] {
        let rows = rows(30_000, disorder, seed);
        let expected = on_arrival(&rows, z, 1000 * lateness);
        assert!(expected.len() > 5_000, "{}", expected.len());
        let found = release(&rows, &format!("z = {z}\nlateness = \"{lateness}s\""), 1);
        let (found_rows, rows) = (found.len(), expected.len());
        assert!(found == expected, "{z} {lateness}: {found_rows} of {rows}");
    }
}

/// What an exact stream releases, by its definition.
fn exact(rows: &[Row], z: usize, lateness: i64, sources: usize) -> Vec<(usize, String)> {
    let (mut shown, mut out) = (Shown::default(), Vec::new());
    let mut waiting = BinaryHeap::new();
    let mut latest = vec![Latest::default(); sources];
    let mut decide = |shown: &mut Shown, n: usize| {
        shown.note(&rows[n]);
        let label = labels(&rows[n].attribute)
            .into_iter()
            .find(|label| shown.users(label, rows[n].time) >= z);
        out.extend(label.map(|label| (n, label.to_owned())));
    };
    for (n, row) in rows.iter().enumerate() {
        let watermark = |latest: &[Latest]| {
            let reached = latest.iter().map(Latest::reached).min();
            reached.map_or(i64::MIN, |time| time.saturating_sub(lateness))
        };
        if row.time < watermark(&latest) {
            shown.note(row);
            continue;
        }
        waiting.push(std::cmp::Reverse((row.time, n % sources, n)));
        latest[n % sources].see(row);
        while let Some(&std::cmp::Reverse((time, _, first))) = waiting.peek()
            && time < watermark(&latest)
        {
            waiting.pop();
            decide(&mut shown, first);
        }
    }
    while let Some(std::cmp::Reverse((_, _, n))) = waiting.pop() {
        decide(&mut shown, n);
    }
    out
}

#[test]
fn decided_in_order_exactly_the_rows_with_enough_users_leave() {
    for (seed, disorder, lateness) in [(11, 0, 0), (12, 30, 30), (13, 300, 60), (14, 30, 0)] {
        let rows = rows(90_000, disorder, seed);
        let method = format!("z = 4\nmode = \"exact\"\nlateness = \"{lateness}s\"");
        let found = release(&rows, &method, 1);
        assert!(found.len() > 10_000);
        assert_eq!(
            found,
            exact(&rows, 4, lateness * 1000, 1),
            "{disorder} {lateness}"
        );
    }
}

#[test]
fn several_sources_are_one_stream() {
    let rows = rows(50_000, 0, 21);
    for method in ["z = 4", "z = 4\nmode = \"exact\""] {
        let one: Vec<(usize, String)> = release(&rows, method, 1);
        let several = release(&rows, method, 3);
        // Rows of one time are in the order of their sources, so only those may differ.
        let expected = {
            let mut order: Vec<usize> = (0..rows.len()).collect();
            order.sort_by_key(|&n| (rows[n].time, n % 3, n));
            let sorted: Vec<Row> = order.iter().map(|&n| rows[n].clone()).collect();
            let found = exact(&sorted, 4, 0, 1);
            found
                .into_iter()
                .map(|(n, label)| (order[n], label))
                .collect::<Vec<_>>()
        };
        assert_eq!(several, expected, "{method}");
        assert!(one.len().abs_diff(several.len()) < 100);
    }
}

/// The rows, and among them one client whose clock is 299 seconds fast: every five minutes
/// (`every` milliseconds) it shows what the row before it shows, at the time of its clock.
fn with_a_fast_clock(rows: &[Row], every: i64) -> Vec<Row> {
    let (mut all, mut next) = (Vec::with_capacity(rows.len()), rows[0].time);
    for row in rows {
        all.push(row.clone());
        if row.time >= next {
            all.push(Row {
                time: row.time + 299_000,
                user: 1_000_000,
                attribute: row.attribute.clone(),
            });
            next = row.time + every;
        }
    }
    all
}

#[test]
fn one_client_with_a_fast_clock_silences_nobody() {
    for (seed, disorder, method) in [
        (41, 0, "z = 4"),
        (42, 30, "z = 4\nlateness = \"30s\""),
        (43, 30, "z = 4\nlateness = \"30s\"\nmode = \"exact\""),
        (44, 0, "z = 4\nmode = \"exact\""),
        (45, 0, "z = 6\nk = 2\nunique_sets = \"hold\""),
        (46, 0, "z = 4\ngroup = { column = \"n\" }"),
        (47, 0, "tune = { goal = 0.5, every = \"1m\", at_least = 4 }"),
        (
            48,
            30,
            "lateness = \"30s\"\ntune = { goal = 0.5, every = \"1m\", at_least = 4 }",
        ),
    ] {
        let rows = rows(6_000, disorder, seed);
        let alone = release(&rows, method, 1).len();
        assert!(alone > 3_000, "{method}: {alone}");
        // Every five minutes, and between almost all rows.
        for every in [300_000, 1] {
            let attacked = with_a_fast_clock(&rows, every);
            let honest = release(&attacked, method, 1);
            let honest = honest
                .iter()
                .filter(|(n, _)| attacked[*n].user != 1_000_000)
                .count();
            assert!(
                100 * honest >= 99 * alone,
                "{method}, every {every} ms: {honest} of {alone}"
            );
        }
    }
}
