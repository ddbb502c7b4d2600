//! Random walks: whatever people and workers do in whatever order, a release is in the state of the
//! table, and what may not be done is refused and changes nothing.

use super::hospital::{Hospital, Run};
use http::Method;
use moretta_server::id::Id;
use moretta_server::job::{Claimed, Outcome};
use moretta_server::problem::Problem;
use moretta_server::release::{State, Step};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};

/// What somebody tries.
const TRIED: [Step; 8] = [
    Step::Run,
    Step::Make,
    Step::Fail,
    Step::Withdraw,
    Step::Approve,
    Step::Refuse,
    Step::Revoke,
    Step::Publish,
];

/// Walks; each begins with a release of its own.
const CASES: u32 = 64;

struct Walk<'a> {
    hospital: &'a Hospital,
    release: Id,
    state: State,
    job: Option<Claimed>,
}

impl Walk<'_> {
    /// Tries a step; gives whether it was taken.
    fn step(&mut self, step: Step) -> bool {
        let hospital = self.hospital;
        let post = |who, rest: &str, body: &Value| {
            hospital
                .server
                .send(who, Method::POST, &hospital.path(rest), body)
                .status
                < 300
        };
        let of = |rest: &str| format!("/requests/{}/{rest}", self.release);
        match step {
            Step::Run => {
                let run = post(&hospital.steward, &of("run"), &Value::Null);
                if run {
                    self.job = Some(hospital.claim());
                }
                run
            }
            Step::Make | Step::Fail => {
                let Some(job) = self.job.take() else {
                    return false;
                };
                let outcome = match step {
                    Step::Make => hospital.made(
                        &job,
                        &Run {
                            ledger: false,
                            ..Run::default()
                        },
                    ),
                    _ => Outcome::Failed(Problem::new(422, "input", "no").into()),
                };
                hospital.end(&job, &outcome).expect("a job ends");
                self.state == State::Running
            }
            Step::Withdraw => post(&hospital.steward, &of("withdrawal"), &Value::Null),
            Step::Approve => {
                let manifest = hospital.manifest(self.release);
                post(
                    &hospital.officer,
                    &of("approval"),
                    &json!({ "manifest": manifest }),
                )
            }
            Step::Refuse => post(
                &hospital.officer,
                &of("refusal"),
                &json!({ "reason": "no" }),
            ),
            Step::Revoke => hospital.revoke(self.release).status < 300,
            // Nobody can publish by itself, nor end before the end.
            Step::Publish | Step::Expire => false,
        }
    }
}

/// The same walks each time; in a campaign others, and more of them.
fn runner() -> TestRunner {
    let long = std::env::var("MORETTA_LONG").ok();
    let long = long.and_then(|text| text.trim().parse::<u64>().ok());
    let mut seed = [5; 32];
    let cases = match long {
        Some(long) => {
            seed[..8].copy_from_slice(&long.to_le_bytes());
            CASES * 20
        }
        None => CASES,
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    TestRunner::new_with_rng(Config::with_cases(cases), rng)
}

#[test]
fn a_release_walks_by_the_table_alone() {
    let mut runner = runner();
    let hospital = Hospital::new();
    let steps = proptest::collection::vec(proptest::sample::select(&TRIED[..]), 1..12);
    let checked = runner.run(&steps, |steps| {
        hospital.server.clock.forward(10_000);
        let release = hospital.ask();
        let mut walk = Walk {
            hospital: &hospital,
            release,
            state: State::Running,
            job: Some(hospital.claim()),
        };
        for step in steps {
            let expected = match step {
                // An approval publishes, at once.
                Step::Approve => walk
                    .state
                    .after(step)
                    .and_then(|state| state.after(Step::Publish)),
                Step::Publish => None,
                step => walk.state.after(step),
            };
            // A job ends once; without one nothing is made.
            let is_possible = !matches!(step, Step::Make | Step::Fail) || walk.job.is_some();
            let expected = expected.filter(|_| is_possible);
            let taken = walk.step(step);
            prop_assert_eq!(taken, expected.is_some(), "{:?} {:?}", walk.state, step);
            walk.state = expected.unwrap_or(walk.state);
            prop_assert_eq!(hospital.state(release), walk.state.word());
        }
        // A job that is still claimed ends, so that the next walk claims its own.
        if let Some(job) = walk.job.take() {
            hospital.end(&job, &Outcome::Cancelled).expect("a job ends");
        }
        Ok(())
    });
    checked.expect("walks by the table");
}
