//! A worker that does what the options of its task say.

use moretta_server::id::Id;
use moretta_server::job::protocol::{Failure, Made, Progress, Task, Told};
use moretta_server::seal::{Key, SealedReader, SealedWriter};
use moretta_server::secret::hex;
use moretta_server::worker::Process;
use moretta_server::worker::limits::limit;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{BufRead, Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::path::Path;
use std::time::Duration;

fn tell(told: &Told) {
    let mut line = serde_json::to_string(told).expect("JSON");
    line.push('\n');
    let mut output = std::io::stdout().lock();
    // A server that is gone hears nothing.
    let _ = output.write_all(line.as_bytes());
    let _ = output.flush();
}

fn done(result: Value, made: Vec<Made>) {
    tell(&Told::Done { result, made });
}

/// Reads its task, and does it.
pub fn work() {
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut line)
        .expect("a task");
    if line.contains("\"stream\"") {
        return stream(&line);
    }
    let task: Task = serde_json::from_str(&line).expect("a task");
    let what = task.options["do"].as_str().unwrap_or("done").to_owned();
    if what == "limits" {
        return limited(&task);
    }
    if what == "memory" {
        limit(&(&task).into()).expect("limits");
    }
    std::thread::spawn(|| {
        let mut rest = Vec::new();
        let _ = std::io::stdin().lock().read_to_end(&mut rest);
        std::process::exit(0);
    });
    match &*what {
        "done" => done(json!({ "variables": std::env::vars().count() }), Vec::new()),
        "make" => {
            let made = make(&task);
            wait(&task);
            done(json!({ "rows": 3 }), vec![made]);
        }
        "lie" => {
            let mut made = make(&task);
            made.bytes += 1;
            done(json!({}), vec![made]);
        }
        "fail" => tell(&Told::Failed(Failure {
            status: 422,
            code: "policy".to_owned(),
            what: "a column is missing".to_owned(),
            help: None,
            at: None,
            place: None,
        })),
        "memory" => {
            let mut all: Vec<Vec<u8>> = Vec::new();
            loop {
                all.push(vec![1; 16 << 20]);
            }
        }
        "panic" => panic!("as wished"),
        "babble" => println!("no line of the protocol"),
        "leave" => {}
        _ => unreachable!("the tests know what they wish"),
    }
}

/// Runs a stream as the program does.
fn stream(line: &str) {
    let input = line.to_owned();
    let input = std::io::Cursor::new(input).chain(std::io::BufReader::new(std::io::stdin()));
    let process = Process {
        limit: moretta_server::worker::limits::hold,
        gone: || std::process::exit(0),
    };
    moretta_server::worker::work(input, std::io::stdout(), &process);
}

/// A sealed file in the folder of the task.
fn make(task: &Task) -> Made {
    let (object, key) = (Id::random(), Key::random());
    let file = File::create_new(task.folder.join(object.to_string())).expect("a file");
    let mut writer = SealedWriter::new(file, &key, object).expect("a file");
    writer.write_all(b"age\n34\n").expect("a file");
    let written = writer.finish().expect("a file");
    Made {
        name: "release.csv".to_owned(),
        object,
        key: key.digits().to_string(),
        bytes: written.bytes,
        sha256: hex(&written.sha256),
    }
}

/// Says which process it is, and waits for a file that says to go on.
fn wait(task: &Task) {
    let Some(until) = task.options["until"].as_str() else {
        return;
    };
    tell(&Told::Progress(Progress {
        stage: "wait".to_owned(),
        rows: u64::from(std::process::id()),
        share: Some(0.5),
    }));
    while !Path::new(until).exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Limits itself and tries what it may not do.
fn limited(task: &Task) {
    let text = |name: &str| task.options[name].as_str().unwrap_or_default().to_owned();
    let limits = limit(&task.into()).expect("limits");
    let input = task.inputs.first().expect("an input");
    let key = Key::parse(&input.key).expect("a key");
    let own = File::open(&input.path)
        .and_then(|file| SealedReader::new(file, &key, input.object, input.bytes));
    let mut read = String::new();
    let own = own.and_then(|mut reader| reader.read_to_string(&mut read));
    let made = make(task);
    let removed = fs::remove_file(task.folder.join(made.object.to_string()));
    let udp = UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.send_to(b"x", text("udp")));
    let result = json!({
        "files": format!("{:?}", limits.files),
        "network": format!("{:?}", limits.network),
        "own": own.is_ok() && read == "age\n34\n",
        "removed": removed.is_ok(),
        "other": File::open(text("other")).is_ok(),
        "listed": fs::read_dir(text("folder")).is_ok(),
        "written": File::create(Path::new(&text("folder")).join("new")).is_ok(),
        "changed": File::options().write(true).open(&input.path).is_ok(),
        "run": std::process::Command::new("/bin/true").status().is_ok(),
        "tcp": TcpStream::connect(text("tcp")).is_ok(),
        "udp": udp.is_ok(),
        "variables": std::env::vars().count(),
    });
    done(result, Vec::new());
}
