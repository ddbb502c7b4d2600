//! What becomes of jobs whose worker or server ends in any way.

use crate::office::{Office, kill, lives, until};
use moretta_server::id::Id;
use moretta_server::job::{self, LEASE, State};
use serde_json::{Value, json};

/// All of them.
pub const TESTS: &[(&str, fn())] = &[
    ("a_job_is_done_by_a_child_without_environment", done),
    ("what_a_job_makes_is_in_staging_once", makes),
    ("a_file_that_is_not_as_told_fails_the_job", lies),
    ("a_job_that_fails_says_why", fails),
    ("worker_panics", panics),
    ("worker_out_of_memory", out_of_memory),
    ("worker_that_leaves_or_babbles_fails_its_job", silent),
    (
        "worker_killed_each_time_fails_after_three_tries",
        killed_each_time,
    ),
    ("worker_killed_first_try_is_never_visible", killed_once),
    ("a_running_job_is_cancelled_and_its_worker_ends", cancelled),
    (
        "kill_9_of_the_server_ends_workers_and_jobs_go_on",
        server_killed,
    ),
    ("a_stopped_server_puts_its_jobs_back_at_no_cost", stopped),
    ("ownerless_staging_is_swept_at_start", swept),
    ("a_try_that_lost_its_claim_changes_nothing", lost),
    ("a_full_disk_stops_jobs_before_they_begin", full),
];

fn done() {
    let office = Office::new();
    let _dispatcher = office.open();
    let job = office.ended(office.ask(&json!({ "do": "done" })));
    assert_eq!(job.state, State::Done);
    assert_eq!(job.result, Some(json!({ "variables": 0 })));
    assert_eq!(job.attempts, 1);
    let ends = "SELECT count(*) FROM audit WHERE act = 'job.end'";
    assert_eq!(office.count(ends), 1);
}

fn makes() {
    let office = Office::new();
    let dispatcher = office.open();
    let job = office.ended(office.ask(&json!({ "do": "make" })));
    assert_eq!(job.state, State::Done, "{:?}", job.problem);
    let objects = "SELECT count(*) FROM objects WHERE zone = 'staging'";
    assert_eq!((office.count(objects), office.files("staging")), (1, 1));
    drop(dispatcher);
    assert_eq!(office.files("tries"), 0);
}

fn lies() {
    let office = Office::new();
    let dispatcher = office.open();
    let job = office.ended(office.ask(&json!({ "do": "lie" })));
    assert_eq!(job.state, State::Failed);
    assert_eq!(office.count("SELECT count(*) FROM objects"), 0);
    drop(dispatcher);
    assert_eq!((office.files("staging"), office.files("tries")), (0, 0));
}

fn problem(options: &Value) -> (Value, i64) {
    let office = Office::new();
    let _dispatcher = office.open();
    let job = office.ended(office.ask(options));
    assert_eq!(job.state, State::Failed);
    (
        job.problem.expect("a problem")["code"].clone(),
        job.attempts,
    )
}

fn fails() {
    assert_eq!(problem(&json!({ "do": "fail" })), (json!("policy"), 1));
}

fn panics() {
    assert_eq!(problem(&json!({ "do": "panic" })), (json!("worker"), 1));
}

fn out_of_memory() {
    assert_eq!(problem(&json!({ "do": "memory" })), (json!("memory"), 1));
}

fn silent() {
    assert_eq!(problem(&json!({ "do": "leave" })), (json!("worker"), 1));
    assert_eq!(problem(&json!({ "do": "babble" })), (json!("worker"), 1));
}

fn make_and_wait(office: &Office) -> Id {
    office.ask(&json!({ "do": "make", "until": office.sign() }))
}

fn killed_each_time() {
    let office = Office::new();
    let dispatcher = office.open();
    let id = make_and_wait(&office);
    for attempt in 1..=3 {
        kill(office.waiting_worker(id, attempt));
    }
    let job = office.ended(id);
    assert_eq!((job.state, job.attempts), (State::Failed, 3));
    assert_eq!(job.problem.expect("a problem")["code"], "killed");
    assert_eq!(office.count("SELECT count(*) FROM objects"), 0);
    drop(dispatcher);
    assert_eq!((office.files("staging"), office.files("tries")), (0, 0));
}

fn killed_once() {
    let office = Office::new();
    let dispatcher = office.open();
    let id = make_and_wait(&office);
    kill(office.waiting_worker(id, 1));
    office.waiting_worker(id, 2);
    assert_eq!(office.count("SELECT count(*) FROM objects"), 0);
    assert_eq!(office.files("staging"), 0);
    std::fs::write(office.sign(), "").expect("a sign");
    let job = office.ended(id);
    assert_eq!((job.state, job.attempts), (State::Done, 2));
    assert_eq!(office.count("SELECT count(*) FROM objects"), 1);
    drop(dispatcher);
    assert_eq!((office.files("staging"), office.files("tries")), (1, 0));
}

fn cancelled() {
    let office = Office::new();
    let dispatcher = office.open();
    let id = make_and_wait(&office);
    let worker = office.waiting_worker(id, 1);
    let (app, at) = (&office.server.app, office.server.clock.now());
    let cancelled = app
        .store
        .act(|act| job::cancel(app, act, office.project, id, at));
    cancelled.expect("a running job");
    assert_eq!(office.ended(id).state, State::Cancelled);
    until("the worker ends", || (!lives(worker)).then_some(()));
    drop(dispatcher);
    assert_eq!((office.files("staging"), office.files("tries")), (0, 0));
}

fn server_killed() {
    let office = Office::new();
    let mut server = office.process();
    let id = make_and_wait(&office);
    let worker = office.waiting_worker(id, 1);
    server.kill().expect("a server");
    server.wait().expect("a server");
    until("the worker ends", || (!lives(worker)).then_some(()));
    assert_eq!(office.job(id).state, State::Running);
    office.server.clock.forward(LEASE + 1);
    std::fs::write(office.sign(), "").expect("a sign");
    let dispatcher = office.open();
    let job = office.ended(id);
    assert_eq!((job.state, job.attempts), (State::Done, 2));
    assert_eq!(office.count("SELECT count(*) FROM objects"), 1);
    drop(dispatcher);
    assert_eq!((office.files("staging"), office.files("tries")), (1, 0));
}

fn stopped() {
    let office = Office::new();
    let dispatcher = office.open();
    let id = make_and_wait(&office);
    let worker = office.waiting_worker(id, 1);
    drop(dispatcher);
    assert!(!lives(worker));
    let job = office.job(id);
    assert_eq!((job.state, job.attempts), (State::Waiting, 0));
    assert_eq!(office.files("tries"), 0);
}

fn swept() {
    let office = Office::new();
    let at = |name: &str| office.path(name).join(Id::random().to_string());
    let (tried, made) = (at("tries"), at("staging"));
    std::fs::create_dir_all(&tried).expect("a folder");
    std::fs::write(tried.join("x"), "x").expect("a file");
    std::fs::create_dir_all(office.path("staging")).expect("a folder");
    std::fs::write(&made, "x").expect("a file");
    drop(office.open());
    assert!(!tried.exists() && !made.exists());
}

fn full() {
    let office = Office::with(|settings| settings.limits.reserve_bytes = u64::MAX / 2);
    let dispatcher = office.open();
    let job = office.ended(office.ask(&json!({ "do": "make" })));
    let problem = job.problem.expect("a problem");
    assert_eq!(
        (job.state, &problem["code"]),
        (State::Failed, &json!("disk-full"))
    );
    assert_eq!(problem["status"], 507);
    drop(dispatcher);
    assert_eq!((office.files("staging"), office.files("tries")), (0, 0));
}

fn lost() {
    let office = Office::new();
    let id = make_and_wait(&office);
    let first = office.open();
    office.waiting_worker(id, 1);
    // The lease runs out, and somebody else claims the job; where a heartbeat of the first one came in
    // between, it runs out again.
    let app = &office.server.app;
    let taken = until("somebody else claims the job", || {
        office.server.clock.forward(LEASE + 1);
        let at = office.server.clock.now();
        let claim = app
            .store
            .act(|act| job::claim(app, act, job::Pool::Batch, at));
        claim.expect("the store answers")
    });
    std::fs::write(office.sign(), "").expect("a sign");
    assert_eq!((taken.id, taken.attempt), (id, 2));
    drop(first);
    let job = office.job(id);
    assert_eq!((job.state, job.attempts), (State::Running, 2));
    assert_eq!(office.count("SELECT count(*) FROM objects"), 0);
}
