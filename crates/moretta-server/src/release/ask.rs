//! Asking for a release, and taking the request back.
//!
//! Rules are held before anything runs, and the data set is charged in the transaction in which the
//! job begins to wait: whatever becomes of it, the charge stays.

use super::ledger;
use super::record::Release;
use super::source;
use super::state::{State, Step};
use super::task::Options;
use crate::app::App;
use crate::clock::Millis;
use crate::http::{Accepted, Call, Done, Json, Nothing, Route, post};
use crate::id::Id;
use crate::job::{self, Kind, Spec};
use crate::problem::{Problem, Result};
use crate::project::Rules;
use crate::rights::{AskRelease, Permit};
use crate::store::Act;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

pub(super) fn routes() -> Vec<Route> {
    vec![
        post(
            "/projects/{project}/requests",
            "Asks for a release: it is run at once, and then waits for an officer",
            ask,
        ),
        post(
            "/projects/{project}/requests/{release}/run",
            "Runs a request again whose run has failed",
            run_again,
        ),
        post(
            "/projects/{project}/requests/{release}/withdrawal",
            "Takes a request back",
            withdraw,
        ),
    ]
}

/// What is asked for. Any change of it is a new request.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Request {
    /// What the release is called.
    name: String,
    /// What it is for.
    purpose: String,
    /// The version of the policy.
    policy: Id,
    /// The version of the data.
    data: Id,
    /// Who gets it: the levels that are published, 2 being the first of the policy.
    levels: BTreeSet<u32>,
    /// When it ends; none for never.
    ends_at: Option<Millis>,
}

/// What has become of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Asked {
    /// The release.
    id: Id,
    /// Its job.
    job: Id,
    /// How far it is.
    state: State,
    /// The head of the log after the request, to be kept elsewhere.
    receipt: String,
}

impl Request {
    fn check(&self, at: Millis) -> Result<()> {
        let is_text = |text: &str, most| {
            !text.trim().is_empty()
                && text.chars().count() <= most
                && !text.chars().any(|c| c.is_control() && c != '\n')
        };
        let wrong = if !is_text(&self.name, 100) || self.name.contains('\n') {
            "a release has a name of 1 to 100 characters in one line"
        } else if !is_text(&self.purpose, 2000) {
            "a release has a purpose, in at most 2,000 characters"
        } else if self.levels.is_empty() {
            "a release is for one level at least"
        } else if self.ends_at.is_some_and(|ends| ends <= at) {
            "the end is in the past"
        } else {
            return Ok(());
        };
        Err(Problem::unusable(wrong))
    }
}

fn ask(
    app: &App,
    permit: Permit<AskRelease>,
    call: Call<Nothing, Json<Request>>,
) -> Result<Accepted<Asked>> {
    let (request, project, at) = (&call.body.0, permit.project()?, permit.at());
    request.check(at)?;
    let levels: Vec<u32> = request.levels.iter().copied().collect();
    app.store
        .act(|act| {
            let dataset = source::dataset(&mut **act, project, request.data)?;
            let made_of = (request.data, request.policy);
            let terms = source::terms(app, &mut **act, project, made_of)?;
            if let Some(level) = levels
                .iter()
                .find(|level| !terms.levels.iter().any(|of| of.level == **level))
            {
                let last = terms.levels.last().map_or(0, |of| of.level);
                return Err(
                    Problem::unusable(format!("the policy has no level {level}"))
                        .help(format!("its levels are 2 to {last}")),
                );
            }
            let (rules, _) = Rules::of(&mut **act, project)?;
            terms.check(&levels, &rules)?;
            let id = Id::random();
            let text = serde_json::to_string(&levels)
                .map_err(|_| Problem::bug("levels cannot be written"))?;
            act.execute(
            "INSERT INTO releases (id, project_id, dataset_id, data_version_id, policy_version_id, \
             name, purpose, levels, state, ledger_version, asked_by, asked_at, ends_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'draft', 0, $9, $10, $11)",
            values![
                id,
                project,
                dataset,
                request.data,
                request.policy,
                request.name.trim(),
                request.purpose.trim(),
                &text,
                permit.user()?,
                at,
                request.ends_at
            ],
        )?;
            let mut release = Release::find(&mut **act, project, id)?;
            let job = begin(
                act,
                &mut release,
                permit.user()?,
                (terms.promised.epsilon, &rules),
                at,
            )?;
            let mut entry = permit.entry("release.ask");
            entry.subject = Some(id);
            entry.facts = vec![
                ("data", request.data.to_string()),
                ("job", job.to_string()),
                ("levels", text.clone()),
                ("policy", request.policy.to_string()),
            ];
            act.log(&entry)?;
            Ok(Asked {
                id,
                job,
                state: release.state,
                receipt: act.receipt()?,
            })
        })
        .map(Accepted)
}

/// Charges the data set and puts the job into the queue.
fn begin(
    act: &mut Act<'_>,
    release: &mut Release,
    user: Id,
    (epsilon, rules): (Option<f64>, &Rules),
    at: Millis,
) -> Result<Id> {
    let (classes, version) = ledger::classes(&mut **act, release.dataset)?;
    let options = serde_json::to_value(Options { ledger: classes })
        .map_err(|_| Problem::bug("options cannot be written"))?;
    let spec = Spec {
        data: Some(release.data),
        policy: Some(release.policy),
        release: Some(release.id),
        options,
        ..Spec::default()
    };
    let job = job::enqueue(
        &mut **act,
        (release.project, user),
        Kind::Release,
        &spec,
        at,
    )?;
    ledger::charge(
        &mut **act,
        (release.dataset, job, Some(release.id)),
        epsilon.unwrap_or(0.0),
        rules.epsilon_a_year,
        at,
    )?;
    act.execute_one(
        "UPDATE releases SET job_id = $1, ledger_version = $2, problem = NULL WHERE id = $3",
        values![job, version, release.id],
    )?;
    release.step(act, Step::Run, at)?;
    Ok(job)
}

fn run_again(
    app: &App,
    permit: Permit<AskRelease>,
    call: Call<Nothing, Nothing>,
) -> Result<Accepted<Asked>> {
    let (id, project, at) = (call.id("release")?, permit.project()?, permit.at());
    app.store
        .act(|act| {
            let mut release = Release::find(&mut **act, project, id)?;
            release.state.step(Step::Run)?;
            source::dataset(&mut **act, project, release.data)?;
            let made_of = (release.data, release.policy);
            let terms = source::terms(app, &mut **act, project, made_of)?;
            let (rules, _) = Rules::of(&mut **act, project)?;
            terms.check(&release.levels, &rules)?;
            let of = (terms.promised.epsilon, &rules);
            let job = begin(act, &mut release, permit.user()?, of, at)?;
            let mut entry = permit.entry("release.run");
            entry.subject = Some(id);
            entry.facts = vec![("job", job.to_string())];
            act.log(&entry)?;
            Ok(Asked {
                id,
                job,
                state: release.state,
                receipt: act.receipt()?,
            })
        })
        .map(Accepted)
}

fn withdraw(app: &App, permit: Permit<AskRelease>, call: Call<Nothing, Nothing>) -> Result<Done> {
    let (id, project, at) = (call.id("release")?, permit.project()?, permit.at());
    let left = app.store.act(|act| {
        let mut release = Release::find(&mut **act, project, id)?;
        let before = release.state;
        release.step(act, Step::Withdraw, at)?;
        if let (State::Running, Some(job)) = (before, release.job) {
            // A job that has just ended does not mind.
            match job::cancel(app, act, project, job, at) {
                Err(problem) if problem.status != 409 => return Err(problem),
                _ => {}
            }
        }
        let left = super::publish::forget_staged(app, act, &release)?;
        let mut entry = permit.entry("release.withdraw");
        entry.subject = Some(id);
        act.log(&entry)?;
        Ok(left)
    })?;
    left.remove(&app.store);
    Ok(Done)
}
