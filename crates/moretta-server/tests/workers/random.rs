//! Workers and servers killed at moments that a fixed seed chooses, with jobs that make a file each.
//! Releases are run by the whole program, which tests of `moretta-cli` kill.

use crate::kills::{Numbers, times};
use crate::office::{Office, kill, until};
use moretta_server::audit;
use moretta_server::job::{LEASE, State};
use serde_json::json;
use std::time::Duration;

/// All of them.
pub const TESTS: &[(&str, fn())] = &[("jobs_survive_random_kills", random_kills)];

/// How many times somebody is killed.
const KILLS: usize = 20;
const SEED: u64 = 0x6d6f_7265;

/// Whenever the kills come, each job ends once, with one file or with none, and nothing is left.
fn random_kills() {
    let office = Office::new();
    std::fs::write(office.sign(), "").expect("a sign");
    let mut numbers = Numbers::new(SEED);
    let mut jobs = Vec::new();
    let mut server = office.process();
    for _ in 0..times(KILLS) {
        jobs.push(office.ask(&json!({ "do": "make", "until": office.sign() })));
        std::thread::sleep(Duration::from_millis(numbers.below(60)));
        if numbers.below(2) == 0 {
            let running = jobs.iter().find_map(|id| {
                let progress = office.job(*id).progress?;
                i32::try_from(progress["rows"].as_i64()?).ok()
            });
            if let Some(worker) = running {
                kill(worker);
                continue;
            }
        }
        server.kill().expect("a server");
        server.wait().expect("a server");
        office.server.clock.forward(LEASE + 1);
        server = office.process();
    }
    // The clock of each server stands, so a claim of one that was killed ends when ours is moved.
    server.kill().expect("a server");
    server.wait().expect("a server");
    office.server.clock.forward(LEASE + 1);
    let dispatcher = office.open();
    let mut done = 0;
    for id in &jobs {
        match office.ended(*id) {
            job if job.state == State::Done => done += 1,
            job => {
                let code = &job.problem.as_ref().expect("a problem")["code"];
                assert_eq!((job.state, code), (State::Failed, &json!("killed")));
            }
        }
    }
    assert!(done > 0);
    assert_eq!(office.count("SELECT count(*) FROM objects"), done);
    let ends = "SELECT count(*) FROM audit WHERE act = 'job.end'";
    assert_eq!(office.count(ends), jobs.len() as i64);
    drop(dispatcher);
    assert_eq!(office.files("staging") as i64, done);
    until("nothing is left", || {
        (office.files("tries") == 0).then_some(())
    });
    let read = office.server.app.store.read(|sql| audit::verify(sql, None));
    let verified = read.expect("the store answers");
    assert!(verified.fault.is_none(), "{:?}", verified.fault);
}
