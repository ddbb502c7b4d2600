//! Streams and their policies drawn by lot, for tests that must hold for all of them.
//!
//! A seed gives one [`Case`]: a policy with any combination of the options of a stream,
//! and rows with whatever streams have: quiet spells longer than anything is
//! remembered, rows that come late, twice, at the same time or ahead of the clock,
//! attributes that are missing, users written in several ways.

use crate::engine::{Clock, Progress};
use crate::error::Result;
use crate::pipeline::Options;
use crate::pipeline::run::Run;
use crate::policy::{Policy, Root};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// A generator that anyone can read: xorshift.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..8 {
            random.below(2);
        }
        random
    }

    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// A row of a source; times are in milliseconds.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) time: i64,
    pub(super) user: u64,
    pub(super) values: Vec<Option<String>>,
    group: u64,
}

/// A stream and its policy.
pub(super) struct Case {
    pub(super) seed: u64,
    /// The rows of each source.
    pub(super) sources: Vec<Vec<Row>>,
    pub(super) text: String,
    /// Milliseconds.
    pub(super) window: i64,
    pub(super) attributes: usize,
    pub(super) fakes: bool,
    pub(super) json: bool,
    pub(super) header: bool,
    /// What the clock shows while the rows of each source go through, one time for each row.
    clocks: Vec<i64>,
    pub(super) every: usize,
    /// The source is of JSON lines.
    json_source: bool,
    /// Users are written in several ways.
    respelled: bool,
}

/// The first time of all streams.
const BEGIN: i64 = 1_700_000_000_000;

/// Milliseconds that a row may be ahead of the clock.
const SKEW: i64 = 20_000;

impl Case {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let random = &mut random;
        let window = random.pick(&[5, 12, 40]) * 1000;
        let exact = random.one_in(2);
        let lateness = match random.below(4) {
            0 => 0,
            1 => window / 4,
            2 => window,
            _ => 2 * window + 1000,
        };
        let several = random.one_in(5);
        let tuned = random.below(2) == 0;
        let fakes = random.below(5);
        let hidden = fakes < 2;
        let attributes = if fakes < 3 || random.below(3) > 0 {
            1
        } else {
            2
        };
        let hold = fakes >= 3 && random.one_in(5);
        let group = random.one_in(3).then(|| 1 + random.below(2));
        let json = random.one_in(3);
        let header = json || random.below(3) > 0;
        let users = 3 + random.below(9);
        let json_source = random.one_in(6);
        let every = 1 + random.below(9) as usize;

        let mut method = format!("window = \"{}s\"\n", window / 1000);
        if exact {
            method += "mode = \"exact\"\n";
        }
        if lateness > 0 || random.one_in(2) {
            let _ = writeln!(method, "lateness = \"{}ms\"", lateness);
        }
        let _ = writeln!(method, "skew = \"{}s\"", SKEW / 1000);
        if random.one_in(5) {
            method += "generalize = false\n";
        }
        let most = users / 2 + 1;
        match tuned {
            false => {
                let _ = writeln!(method, "z = {}", 1 + random.below(most));
            }
            true => {
                let (goal, every) = (
                    random.pick(&["0.3", "0.7", "1.0"]),
                    random.pick(&[1, 3, 10]),
                );
                let search = random.pick(&["minz", "minz", "incremental"]);
                let least = 1 + random.below(most);
                if random.one_in(2) {
                    let _ = writeln!(method, "z = {}", 1 + random.below(most));
                }
                let _ = writeln!(
                    method,
                    "tune = {{ goal = {goal}, every = \"{every}s\", at_least = {least}, search = \"{search}\" }}"
                );
            }
        }
        if fakes < 3 {
            let share = random.pick(&["z/4", "z/2", "2z/3"]);
            let spread = random.pick(&[1000, window / 3, window]);
            let order = if hidden { "hidden" } else { "thesis" };
            let _ = writeln!(
                method,
                "fakes = {{ at_most = \"{share}\", order = \"{order}\", spread = \"{spread}ms\", key = \"env:PATH\" }}"
            );
        }
        if hold {
            let _ = writeln!(
                method,
                "k = {}\nunique_sets = \"hold\"",
                2 + random.below(2)
            );
        }
        if let Some(most) = group {
            let _ = writeln!(method, "group = {{ column = \"house\", at_most = {most} }}");
        }
        let subject = random.pick(&[
            "action = \"keep\"",
            "action = \"keep\"",
            "action = \"drop\"",
            "action = \"pseudonym\", key = \"file:key\"",
            "action = \"pseudonym\", key = \"file:key\", rotate = \"7s\"",
        ]);
        let hierarchy = match random.one_in(8) {
            true => "",
            false => ", hierarchy = { path = \"*\" }",
        };
        let mut columns = format!(
            "t = {{ role = \"time\", unit = \"s\" }}\nuser = {{ role = \"subject\", {subject} }}\n"
        );
        for attribute in 0..attributes {
            let _ = writeln!(columns, "a{attribute} = {{ role = \"quasi\"{hierarchy} }}");
        }
        if group.is_some() {
            columns += "house = { role = \"key\", action = \"drop\" }\n";
        }
        let ending = if json { "jsonl" } else { "csv" };
        let source = if json_source { "jsonl" } else { "csv" };
        let number = if several { 2 + random.below(2) } else { 1 };
        let paths: Vec<String> = (0..number).map(|n| format!("\"{n}.{source}\"")).collect();
        let text = format!(
            "version = 1\n[source]\npath = [{}]\n[columns]\n{columns}[[protect]]\nmethod = \"z-anonymity\"\n{method}\
             [checkpoint]\npath = \"progress.json\"\nevery = {every}\n\
             [sink]\npath = \"out.{ending}\"\ncertificate = \"why.csv\"\n{}",
            paths.join(", "),
            if header { "" } else { "header = false\n" },
        );
        let shape = Shape {
            window,
            lateness,
            users,
            attributes,
            ahead: random.one_in(3),
        };
        let (rows, clocks) = shape.rows(random);
        let mut sources = vec![Vec::new(); number as usize];
        for row in rows {
            let source = random.below(number) as usize;
            sources[source].push(row);
        }
        // A file of JSON lines without a row has no columns.
        let first = sources.iter().flatten().next().cloned();
        let empty = sources.iter_mut().filter(|rows| rows.is_empty());
        empty.for_each(|rows| rows.extend(first.clone()));
        Case {
            seed,
            sources,
            text,
            window,
            attributes,
            fakes: fakes < 3,
            json,
            header,
            clocks,
            every,
            json_source,
            respelled: seed % 4 == 3,
        }
    }

    /// A user as a row writes it.
    fn user(&self, row: &Row, random: &mut Random) -> String {
        let user = row.user;
        match random.below(6) {
            _ if !self.respelled => format!("u{user}"),
            0 => format!("E\u{301}{user}"),
            1 => format!("e\u{301}{user}"),
            2 => format!("\u{e9}\u{200b}{user}"),
            3 => format!("\u{c9}{user} "),
            _ => format!("\u{e9}{user}"),
        }
    }

    /// The same with so many rows of a source read at a time.
    pub(super) fn reading(mut self, rows: usize) -> Self {
        let every = format!("\nevery = {}\n", self.every);
        self.text = self.text.replace(&every, &format!("\nevery = {rows}\n"));
        self.every = rows;
        self
    }

    fn write_sources(&self, folder: &Path) {
        for (number, rows) in self.sources.iter().enumerate() {
            let mut text = String::new();
            let mut random = Random::new(self.seed ^ 0x7370_656C);
            let grouped = self.text.contains("house");
            if !self.json_source {
                text += "t,user";
                let names: Vec<String> = (0..self.attributes).map(|a| format!(",a{a}")).collect();
                text += &names.concat();
                text += if grouped { ",house\n" } else { "\n" };
            }
            for row in rows {
                let (seconds, rest) = (row.time / 1000, row.time % 1000);
                let value = |value: &Option<String>| value.clone().unwrap_or_default();
                let values = row.values.iter().map(value);
                let user = self.user(row, &mut random);
                match self.json_source {
                    false => {
                        let _ = write!(text, "{seconds}.{rest:03},{user}");
                        values.for_each(|value| text.extend([",", &value]));
                        if grouped {
                            let _ = write!(text, ",h{}", row.group);
                        }
                    }
                    true => {
                        let _ = write!(text, "{{\"t\":\"{seconds}.{rest:03}\",\"user\":\"{user}\"");
                        for (number, value) in row.values.iter().enumerate() {
                            let value = value
                                .as_ref()
                                .map_or("null".to_owned(), |v| format!("\"{v}\""));
                            let _ = write!(text, ",\"a{number}\":{value}");
                        }
                        if grouped {
                            let _ = write!(text, ",\"house\":\"h{}\"", row.group);
                        }
                        text += "}";
                    }
                }
                text += "\n";
            }
            let ending = if self.json_source { "jsonl" } else { "csv" };
            std::fs::write(folder.join(format!("{number}.{ending}")), text).expect("written");
        }
        std::fs::write(folder.join("key"), "0123456789abcdef0123456789abcdef").expect("written");
    }
}

/// What rows are drawn by.
struct Shape {
    window: i64,
    lateness: i64,
    users: u64,
    attributes: usize,
    /// Whether some rows are ahead of the clock.
    ahead: bool,
}

impl Shape {
    /// The rows, and what the clock shows when each of them comes.
    fn rows(&self, random: &mut Random) -> (Vec<Row>, Vec<i64>) {
        let count = 10 + random.below(90) as usize;
        let tick = random.pick(&[1, 250, 1000]);
        let spell = 3 * (self.window + self.lateness);
        let disorder = random.below(4);
        let (mut now, mut rows, mut clocks) = (BEGIN, Vec::<Row>::new(), Vec::new());
        while rows.len() < count {
            now += match random.below(40) {
                0 => spell + random.below(spell as u64) as i64,
                1..12 => 0,
                12..30 => tick * random.below(3) as i64,
                _ => tick * random.below(1 + self.window as u64 / tick as u64) as i64,
            };
            let back = match random.below(12) {
                _ if disorder == 0 => 0,
                0 => random.below(3 * spell as u64) as i64,
                1 | 2 => random.below(1 + 2 * self.lateness as u64) as i64,
                3..6 if disorder > 1 => random.below(1 + self.lateness as u64) as i64,
                _ => 0,
            };
            let mut time = now - back / tick * tick;
            match random.below(25) {
                0 if self.ahead => time = now + SKEW + tick * (1 + random.below(60)) as i64,
                1 if self.ahead => time = now + SKEW + spell + random.below(spell as u64) as i64,
                2 if self.ahead => time = now + random.below(SKEW as u64) as i64 / tick * tick,
                _ => {}
            }
            let value = |random: &mut Random| {
                let parts = [random.below(2), random.below(3), random.below(2)];
                let [a, b, c] = parts;
                match random.below(12) {
                    0 => None,
                    1 => Some(format!("a{a}")),
                    2 => Some(format!("a{a}*b{b}")),
                    _ => Some(format!("a{a}*b{b}*c{c}")),
                }
            };
            let user = random.below(self.users);
            let row = Row {
                time,
                user,
                values: (0..self.attributes).map(|_| value(random)).collect(),
                group: match random.one_in(10) {
                    true => random.below(4),
                    false => user % 4,
                },
            };
            let again = random
                .one_in(15)
                .then(|| random.below(1 + rows.len() as u64) as usize);
            rows.push(again.and_then(|n| rows.get(n)).unwrap_or(&row).clone());
            clocks.push(now);
        }
        (rows, clocks)
    }
}

/// A case in a folder of its own.
pub(super) struct Place {
    folder: tempfile::TempDir,
    pub(super) policy: Policy,
    pub(super) case: Case,
}

/// What a run leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Left {
    pub(super) release: String,
    pub(super) certificate: String,
}

impl Place {
    pub(super) fn new(case: Case) -> Self {
        // Nothing here must outlive the machine, and every checkpoint is brought to disk.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let folder = folder.expect("a folder");
        case.write_sources(folder.path());
        let root = Root::of_policy(&folder.path().join("policy.toml"), None).expect("a root");
        let policy = Policy::parse(&case.text, &root).expect("a policy");
        Place {
            folder,
            policy,
            case,
        }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn release_path(&self) -> PathBuf {
        self.path(if self.case.json {
            "out.jsonl"
        } else {
            "out.csv"
        })
    }

    /// Runs until the end, or until so many steps were made; none when the end was not reached.
    pub(super) fn run(&self, steps: Option<usize>) -> Result<Option<Left>> {
        let progress = Progress::default();
        let options = Options::plain(&progress);
        let clock = Arc::new(AtomicI64::new(0));
        let shown = Arc::clone(&clock);
        let shown = Clock::new(move || shown.load(Ordering::Relaxed));
        let mut run = Run::begin(&self.policy, &options, shown)?;
        for step in 0.. {
            if steps.is_some_and(|steps| step >= steps) {
                return Ok(None);
            }
            let time = self.clock(run.rows(), run.is_behind());
            clock.store(time, Ordering::Relaxed);
            if !run.step()? {
                break;
            }
        }
        run.finish(&options)?;
        Ok(Some(self.left()))
    }

    /// What the clock shows before so many rows have come. It has gone on when rows are read again, so they
    /// would not be ahead of it any more.
    fn clock(&self, rows: usize, again: bool) -> i64 {
        let clocks = &self.case.clocks;
        let last = clocks[clocks.len() - 1];
        if again {
            return last + 1_000_000_000;
        }
        match self.case.sources.len() {
            1 => clocks.get(rows).copied().unwrap_or(last),
            _ => last,
        }
    }

    fn left(&self) -> Left {
        let read = |path: &Path| std::fs::read_to_string(path).expect("a text");
        Left {
            release: read(&self.release_path()),
            certificate: read(&self.path("why.csv")),
        }
    }

    /// Takes away what a run has left.
    pub(super) fn clear(&self) {
        for path in [self.release_path(), self.path("why.csv")] {
            std::fs::remove_file(path).expect("removed");
        }
    }
}

/// The seeds to try: so many fixed ones or, in the long campaign, many more from the one in
/// `MORETTA_LONG` on. With `MORETTA_SEED` that case alone is tried again.
#[expect(clippy::print_stdout, reason = "a campaign tells how to repeat it")]
pub(super) fn seeds(fixed: u64) -> impl Iterator<Item = u64> {
    let seed = |name: &str| -> Option<u64> { std::env::var(name).ok()?.parse().ok() };
    let long = seed("MORETTA_LONG");
    let one = seed("MORETTA_SEED");
    let first = one.or(long).unwrap_or(0);
    let count = match (one, long) {
        (Some(_), _) => 1,
        (None, Some(_)) => 20 * fixed,
        (None, None) => fixed,
    };
    println!("{count} cases, MORETTA_SEED={first}");
    (0..count).map(move |n| first.wrapping_add(n))
}
