//! A stream that is stopped and cut at any place releases what one undisturbed run does.

use super::*;
use crate::id::Id;
use crate::seal::{Key, LogReader, LogWriter};
use crate::stream::protocol::Start;
use moretta::pipeline::{self, Options};
use std::fs::{self, OpenOptions};
use std::io::{BufReader, Read};
use std::sync::mpsc::RecvTimeoutError;
use std::thread::JoinHandle;

const POLICY: &str = r#"
version = 1
seed = 7
[source]
path = "events.jsonl"
[columns]
t = { role = "time", unit = "s" }
user = { role = "subject", action = "keep" }
place = { role = "quasi", hierarchy = { path = "/" } }
note = { role = "plain" }
[[protect]]
method = "z-anonymity"
z = 3
window = "60s"
[sink]
path = "released.jsonl"
"#;

const NOISE: &str = r#"
version = 1
seed = 7
[source]
path = "events.jsonl"
[columns]
x = { role = "quasi", type = "number" }
[[protect]]
method = "noise"
amount = 0.2
buffer = 6
[sink]
path = "released.jsonl"
"#;

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

fn events(policy: &str, count: u64) -> Vec<String> {
    let mut dice = Dice(5);
    let mut event = |n: u64| match policy == POLICY {
        true => format!(
            "{{\"t\":\"{}\",\"user\":\"u{}\",\"place\":\"p{}/{}\",\"note\":\"n{n}\"}}\n",
            1_700_000_000 + n * 2,
            dice.roll(9),
            dice.roll(2),
            dice.roll(3)
        ),
        false => format!("{{\"x\":\"{}.5\"}}\n", dice.roll(1000)),
    };
    (0..count).map(&mut event).collect()
}

/// The logs of a stream.
struct World {
    folder: tempfile::TempDir,
    events: Segment,
    released: Segment,
    policy: &'static str,
}

impl World {
    fn new(policy: &'static str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let segment = |name: &str| Segment {
            number: 1,
            first: 0,
            object: Id::random(),
            path: folder.path().join(name),
            key: Key::random().digits().to_string(),
        };
        World {
            events: segment("events"),
            released: segment("released"),
            folder,
            policy,
        }
    }

    fn writer(&self) -> LogWriter {
        let key = Key::parse(&self.events.key).expect("a key");
        let (path, of) = (&self.events.path, self.events.object);
        match path.exists() {
            true => LogWriter::open(path, &key, of, 0),
            false => LogWriter::create(path, &key, of, 0),
        }
        .expect("a log")
    }

    fn task(&self) -> StreamTask {
        StreamTask {
            stream: self.events.object,
            folder: self.folder.path().to_owned(),
            policy: self.policy.to_owned(),
            texts: Vec::new(),
            secrets: Vec::new(),
            events: vec![self.events.clone()],
            released: vec![self.released.clone()],
            from: Start::default(),
            memory: 1 << 30,
        }
    }

    /// The text of all rows that were released.
    fn rows(&self) -> String {
        let key = Key::parse(&self.released.key).expect("a key");
        let mut reader =
            LogReader::open(&self.released.path, &key, self.released.object, 0).expect("a log");
        let mut rows = Vec::new();
        while let Some(record) = reader.record().expect("reads") {
            let (_, text) = parse(&record.content).expect("a record");
            let count = text.iter().filter(|&&byte| byte == b'\n').count() as u64;
            assert_eq!(record.next - record.first, count);
            rows.extend_from_slice(text);
        }
        String::from_utf8(rows).expect("text")
    }
}

/// A child on threads of this process.
struct Child {
    say: Option<Sender<Vec<u8>>>,
    told: Receiver<StreamTold>,
    thread: JoinHandle<()>,
}

struct Said {
    lines: Receiver<Vec<u8>>,
    rest: Vec<u8>,
}

impl Read for Said {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.rest.is_empty() {
            self.rest = self.lines.recv().unwrap_or_default();
        }
        let taken = self.rest.len().min(into.len());
        into[..taken].copy_from_slice(&self.rest[..taken]);
        self.rest.drain(..taken);
        Ok(taken)
    }
}

struct Lines {
    line: Vec<u8>,
    told: Sender<StreamTold>,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        for &byte in bytes {
            match byte {
                b'\n' => {
                    let told = serde_json::from_slice(&self.line).expect("a line of the protocol");
                    let _ = self.told.send(told);
                    self.line.clear();
                }
                byte => self.line.push(byte),
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Child {
    fn start(world: &World) -> Self {
        let (say, lines) = channel();
        let (tell, told) = channel();
        let task = world.task();
        let thread = std::thread::spawn(move || {
            let rest = Vec::new();
            let line = Vec::new();
            run_stream(
                task,
                BufReader::new(Said { lines, rest }),
                Lines { line, told: tell },
                &Process {
                    limit: |_| Ok(()),
                    gone: || (),
                },
            );
        });
        Child {
            say: Some(say),
            told,
            thread,
        }
    }

    fn say(&self, what: &ToStream) {
        let mut line = serde_json::to_vec(what).expect("a line");
        line.push(b'\n');
        if let Some(say) = &self.say {
            say.send(line).expect("it listens");
        }
    }

    /// What it tells last.
    fn last(mut self) -> StreamTold {
        loop {
            match self.told.recv_timeout(Duration::from_secs(60)) {
                Ok(StreamTold::Running | StreamTold::Figures(_)) => {}
                Ok(last) => {
                    self.say = None;
                    self.thread.join().expect("no panic");
                    return last;
                }
                Err(RecvTimeoutError::Timeout) => panic!("nothing is told"),
                Err(RecvTimeoutError::Disconnected) => panic!("no last word"),
            }
        }
    }
}

/// What one run of the library releases of all events.
fn undisturbed(policy: &str, events: &[String]) -> String {
    let memory = MemoryFiles::default();
    memory.put(Path::new(EVENTS), events.concat().into_bytes());
    let root = moretta::policy::Root::of_files(Files::provided(memory.clone()));
    let policy = Policy::parse(policy, &root).expect("a policy");
    let progress = Progress::default();
    let options = Options {
        command: String::new(),
        date: None,
        force: false,
        strict: false,
        render: &moretta_report::html,
        progress: &progress,
    };
    pipeline::run(&policy, &options).expect("a release");
    let released = memory.get(Path::new("released.jsonl")).expect("a file");
    String::from_utf8(released).expect("text")
}

#[test]
fn a_segment_whose_file_is_still_to_be_made_has_no_event_yet() {
    let world = World::new(POLICY);
    let read = |segments: Vec<Segment>| {
        let events = super::tail::Events::new(segments);
        events.finish();
        let mut text = Vec::new();
        events.read(0).read_to_end(&mut text).map(|_| text)
    };
    assert_eq!(
        read(vec![world.events.clone()]).expect("none yet"),
        b"".to_vec()
    );
    // A process was killed before the file of its log had a header.
    fs::write(world.events.path.with_extension("new"), "more").expect("written");
    drop(world.writer());
    assert_eq!(
        read(vec![world.events.clone()]).expect("none yet"),
        b"".to_vec()
    );
    fs::remove_file(&world.events.path).expect("removed");
    let next = Segment {
        number: 2,
        first: 100,
        ..world.events.clone()
    };
    assert!(
        read(vec![world.events.clone(), next]).is_err(),
        "it was lost"
    );
}

#[test]
fn a_stream_that_is_stopped_and_cut_anywhere_releases_what_an_undisturbed_one_does() {
    for policy in [POLICY, NOISE] {
        let events = events(policy, 240);
        let expected = undisturbed(policy, &events);
        assert!(
            expected.lines().count() > 100,
            "{}",
            expected.lines().count()
        );
        let world = World::new(policy);
        let mut dice = Dice(11);
        let mut sent = 0;
        while sent < events.len() {
            let child = Child::start(&world);
            for _ in 0..=dice.roll(3) {
                let until = events.len().min(sent + 1 + dice.roll(30) as usize);
                let mut writer = world.writer();
                let mut content = 1_i64.to_be_bytes().to_vec();
                content.extend(events[sent..until].concat().into_bytes());
                let next = writer.next() + (content.len() - ACCEPTED) as u64;
                writer.append(next, &content).expect("written");
                sent = until;
                std::thread::sleep(Duration::from_millis(dice.roll(120)));
            }
            child.say(&ToStream::Stop);
            let last = child.last();
            assert!(
                matches!(last, StreamTold::Stopped { finished: false }),
                "{last:?}"
            );
            // The beginning of a record that was being written when somebody pulled the plug.
            if dice.roll(2) == 0 && world.released.path.exists() {
                let length = fs::metadata(&world.released.path).expect("a file").len();
                let file = OpenOptions::new()
                    .write(true)
                    .open(&world.released.path)
                    .expect("a file");
                file.set_len(length.saturating_sub(dice.roll(40)).max(8))
                    .expect("cut");
            }
        }
        let child = Child::start(&world);
        child.say(&ToStream::Finish);
        let last = child.last();
        assert!(
            matches!(last, StreamTold::Stopped { finished: true }),
            "{last:?}"
        );
        assert_eq!(world.rows(), expected);
        let again = Child::start(&world).last();
        assert!(
            matches!(again, StreamTold::Stopped { finished: true }),
            "{again:?}"
        );
        assert_eq!(world.rows(), expected, "nothing is released twice");
        drop(world.folder);
    }
}

#[test]
fn a_child_ends_when_its_server_has_ended_and_tells_what_fails() {
    let world = World::new(POLICY);
    drop(world.writer());
    let mut child = Child::start(&world);
    child.say = None;
    assert!(matches!(
        child.last(),
        StreamTold::Stopped { finished: false }
    ));

    let table = World::new(
        "version = 1\n[source]\npath = \"events.jsonl\"\n[columns]\nx = { role = \"plain\" }\n[sink]\npath = \"released.jsonl\"\n",
    );
    drop(table.writer());
    let last = Child::start(&table).last();
    assert!(
        matches!(&last, StreamTold::Failed { code, .. } if code == "policy"),
        "{last:?}"
    );
}

#[test]
fn of_two_children_of_a_stream_one_writes() {
    let world = World::new(NOISE);
    let mut content = 1_i64.to_be_bytes().to_vec();
    content.extend(events(NOISE, 20).concat().into_bytes());
    let next = (content.len() - ACCEPTED) as u64;
    world.writer().append(next, &content).expect("written");
    let first = Child::start(&world);
    let told = first.told.recv_timeout(Duration::from_secs(60));
    assert!(matches!(told, Ok(StreamTold::Running)), "{told:?}");
    let second = Child::start(&world).last();
    assert!(
        matches!(second, StreamTold::Stopped { finished: false }),
        "{second:?}"
    );
    first.say(&ToStream::Finish);
    let last = first.last();
    assert!(
        matches!(last, StreamTold::Stopped { finished: true }),
        "{last:?}"
    );
    assert_eq!(world.rows(), undisturbed(NOISE, &events(NOISE, 20)));
}

#[test]
fn shares_of_few_users_are_not_told() {
    for (share, users, told) in [
        (Some(0.5), 10, None),
        (Some(0.5), 11, Some(0.5)),
        (Some(39.0 / 40.0), 40, Some(0.98)),
        (Some(1.0), 2, None),
        (None, 100, None),
    ] {
        assert_eq!(
            super::shown_share(share, users),
            told,
            "{share:?} of {users}"
        );
    }
}
