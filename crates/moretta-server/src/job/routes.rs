//! Jobs asked for, seen, cancelled and tried again.

use super::dispatcher::is_repeatable;
use super::kind::Kind;
use super::options::{self, About};
use super::queue::{self, Job};
use super::spec::Spec;
use super::weight;
use crate::app::App;
use crate::clock::Millis;
use crate::db::Sql;
use crate::http::{Accepted, Call, Done, Json, Nothing, Route, get, post};
use crate::id::Id;
use crate::page::{Page, PageQuery};
use crate::problem::{Problem, Result};
use crate::rights::{
    Attack, CancelJobs, Permit, ReadProfile, Right, Role, RunJobs, SeeJobs, Verify,
};
use crate::store::Act;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        get("/projects/{project}/jobs", "Jobs, the newest first", list),
        get(
            "/projects/{project}/jobs/{job}",
            "A job and what it has found",
            show,
        ),
        post(
            "/projects/{project}/jobs/{job}/cancel",
            "Ends a job that nobody wants any more",
            cancel,
        ),
        post(
            "/projects/{project}/jobs/{job}/retry",
            "Has a job done again that failed or was cancelled",
            retry,
        ),
        post(
            "/projects/{project}/jobs/profile",
            "Says what columns are like, in rounded counts",
            profile,
        ),
        post(
            "/projects/{project}/jobs/preview",
            "Tries a policy on a sample",
            preview,
        ),
        post(
            "/projects/{project}/jobs/plan",
            "Says what a run of a policy would face",
            plan,
        ),
        post(
            "/projects/{project}/jobs/explore",
            "Tries methods and values of k",
            explore,
        ),
        post(
            "/projects/{project}/jobs/tune",
            "Finds how much a policy may protect and still meet goals",
            tune,
        ),
        post(
            "/projects/{project}/jobs/learn",
            "Compares learners on original and protected rows",
            learn,
        ),
        post(
            "/projects/{project}/jobs/attack",
            "Attacks what a policy would release",
            attack,
        ),
        post(
            "/projects/{project}/jobs/verify",
            "Holds a release against its policy again",
            verify,
        ),
        get(
            "/projects/{project}/previews",
            "How many previews were made in the last day, and jobs that tell as much of raw data",
            previews,
        ),
    ]
}

/// Whether a member with this role sees a job: analysts their own ones, operators those of streams, of
/// which there are none.
pub fn may_see(role: Role, own: bool) -> bool {
    match role {
        Role::Officer | Role::Steward | Role::Auditor => true,
        Role::Analyst => own,
        Role::Operator => false,
    }
}

fn list(
    app: &App,
    permit: Permit<SeeJobs>,
    call: Call<PageQuery, Nothing>,
) -> Result<Json<Page<Job>>> {
    let (member, user) = (permit.member()?, permit.user()?);
    let of = match member.role {
        Some(role) if may_see(role, false) => None,
        Some(role) if may_see(role, true) => Some(user),
        _ => {
            let (items, next) = (Vec::new(), None);
            return Ok(Json(Page { items, next }));
        }
    };
    let (limit, after) = (call.query.limit()?, after(&call.query)?);
    let jobs = app
        .store
        .read(|sql| queue::list(sql, member.project, of, (after.0, &after.1), limit + 1))?;
    Ok(Json(Page::of(jobs, limit, |job| {
        format!("{}.{}", job.made_at, job.id)
    })))
}

/// After which job a page begins: when it was made, and its id.
fn after(query: &PageQuery) -> Result<(Millis, String)> {
    let Some(mark) = &query.after else {
        return Ok((Millis::MAX, String::new()));
    };
    let parts = mark
        .split_once('.')
        .and_then(|(made_at, id)| Some((made_at.parse().ok()?, Id::parse(id)?.to_string())));
    parts.ok_or_else(|| Problem::unusable("`after` is no mark of a page"))
}

fn show(app: &App, permit: Permit<SeeJobs>, call: Call<Nothing, Nothing>) -> Result<Json<Job>> {
    let (member, user, id) = (permit.member()?, permit.user()?, call.id("job")?);
    let job = app.store.read(|sql| queue::find(sql, member.project, id))?;
    let seen = job.filter(|job| {
        member
            .role
            .is_some_and(|role| may_see(role, job.user == user))
    });
    seen.map(Json).ok_or_else(|| Problem::not_found("job"))
}

fn cancel(app: &App, permit: Permit<CancelJobs>, call: Call<Nothing, Nothing>) -> Result<Done> {
    let (project, id) = (permit.project()?, call.id("job")?);
    app.store.act(|act| {
        queue::cancel(app, act, project, id, permit.at())?;
        let mut entry = permit.entry("job.cancel");
        entry.subject = Some(id);
        act.log(&entry)
    })?;
    Ok(Done)
}

/// A job that was put into the queue.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
struct Queued {
    /// Its id.
    id: Id,
}

fn retry(
    app: &App,
    permit: Permit<RunJobs>,
    call: Call<Nothing, Nothing>,
) -> Result<Accepted<Queued>> {
    let (project, id) = (permit.project()?, call.id("job")?);
    let ask = |act: &mut Act<'_>| {
        let job = queue::find(&mut **act, project, id)?.ok_or_else(|| Problem::not_found("job"))?;
        if !matches!(job.state, queue::State::Failed | queue::State::Cancelled) {
            let what = "only what failed or was cancelled is done again";
            return Err(Problem::conflict("state", what));
        }
        if !is_repeatable(job.kind) {
            return Err(Problem::conflict("release", "a release is asked for anew"));
        }
        let spec = queue::spec_of(&mut **act, project, id)?;
        ask_in(app, act, &permit, job.kind, &spec)
    };
    app.store.act(ask).map(Accepted)
}

fn ask<R: Right>(
    app: &App,
    permit: &Permit<R>,
    kind: Kind,
    spec: &Spec,
) -> Result<Accepted<Queued>> {
    app.store
        .act(|act| ask_in(app, act, permit, kind, spec))
        .map(Accepted)
}

fn ask_in<R: Right>(
    app: &App,
    act: &mut Act<'_>,
    permit: &Permit<R>,
    kind: Kind,
    spec: &Spec,
) -> Result<Queued> {
    let (project, at) = (permit.project()?, permit.at());
    check(&mut **act, project, spec)?;
    let tries = weight::weight(kind, spec);
    if tries > 0 {
        let made = weight::of_a_day(&mut **act, project, at)?;
        let most = app.settings.limits.previews;
        if made.saturating_add(tries) > i64::from(most) {
            let what = format!(
                "a project has {most} previews a day, which tell of raw data; {made} were made, and this \
                 tries {tries} settings"
            );
            return Err(Problem::new(429, "previews", what).after(3600));
        }
    }
    let id = queue::enqueue(&mut **act, (project, permit.user()?), kind, spec, at)?;
    if let (Kind::Profile, Some(version)) = (kind, spec.data) {
        // Who looks at the version sees how far this job is, and not the one before.
        let note = "UPDATE data_versions SET profile_job = $1 WHERE id = $2";
        act.execute_one(note, values![id, version])?;
    }
    let mut entry = permit.entry("job.ask");
    entry.subject = Some(id);
    entry.facts = vec![("kind", kind.word().to_owned())];
    act.log(&entry)?;
    Ok(Queued { id })
}

/// Fails when what a job is about is not there.
fn check(sql: &mut dyn Sql, project: Id, spec: &Spec) -> Result<()> {
    let missing = |sql: &mut dyn Sql, query: &str, id: Option<Id>, kind: &'static str| match id {
        Some(id) if sql.number(query, values![id, project])? == 0 => Err(Problem::not_found(kind)),
        _ => Ok(()),
    };
    let data = "SELECT count(*) FROM data_versions v JOIN datasets d ON d.id = v.dataset_id \
                WHERE v.id = $1 AND d.project_id = $2 AND v.object_id IS NOT NULL";
    missing(sql, data, spec.data, "data")?;
    let policy = "SELECT count(*) FROM text_versions v JOIN texts t ON t.id = v.text_id \
                  WHERE v.id = $1 AND t.project_id = $2 AND t.kind = 'policy'";
    missing(sql, policy, spec.policy, "policy")?;
    let release = "SELECT count(*) FROM releases WHERE id = $1 AND project_id = $2";
    missing(sql, release, spec.release, "release")
}

/// Which data and policy, and options of the kind.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wanted<T> {
    /// The data and the policy.
    about: About,
    /// What exactly; without, as the command of the same name does it.
    options: Option<T>,
}

impl<T: Serialize + for<'a> Deserialize<'a>> Wanted<T> {
    fn spec(&self) -> Result<Spec> {
        let About { policy, text, .. } = &self.about;
        if policy.is_some() == text.is_some() {
            let what = "a job has a saved policy or the text of one";
            return Err(Problem::unusable(what).help("give either `policy` or `text`"));
        }
        match &self.options {
            Some(options) => Ok(Spec::about(&self.about, options)),
            None => {
                let none = serde_json::from_str::<T>("{}");
                let options = none.map_err(|_| Problem::unusable("this needs `options`"))?;
                Ok(Spec::about(&self.about, &options))
            }
        }
    }
}

macro_rules! asked {
    ($($name:ident $right:ident $kind:ident;)+) => {
        $(fn $name(
            app: &App,
            permit: Permit<$right>,
            call: Call<Nothing, Json<Wanted<options::$kind>>>,
        ) -> Result<Accepted<Queued>> {
            ask(app, &permit, Kind::$kind, &call.body.0.spec()?)
        })+
    };
}

asked! {
    preview RunJobs Preview;
    plan RunJobs Plan;
    explore RunJobs Explore;
    tune RunJobs Tune;
    learn RunJobs Learn;
    attack Attack Attack;
}

fn profile(
    app: &App,
    permit: Permit<RunJobs>,
    call: Call<Nothing, Json<options::Profile>>,
) -> Result<Accepted<Queued>> {
    let spec = Spec {
        data: Some(call.body.0.data),
        ..Spec::default()
    };
    ask(app, &permit, Kind::Profile, &spec)
}

fn verify(
    app: &App,
    permit: Permit<Verify>,
    call: Call<Nothing, Json<options::Verify>>,
) -> Result<Accepted<Queued>> {
    let (project, release) = (permit.project()?, call.body.0.release);
    // What has no files is refused now and not by a job.
    app.store
        .read(|sql| crate::release::again(app, sql, project, release).map(drop))?;
    let spec = Spec {
        release: Some(release),
        ..Spec::default()
    };
    ask(app, &permit, Kind::Verify, &spec)
}

/// Previews of a project, and what counts like them: profiles, plans, attacks, and each setting that a
/// search or a comparison of learners tries.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
struct Previews {
    /// How many were asked for in the last 24 hours.
    made: i64,
    /// How many may be.
    at_most: u32,
}

fn previews(
    app: &App,
    permit: Permit<ReadProfile>,
    _: Call<Nothing, Nothing>,
) -> Result<Json<Previews>> {
    let project = permit.project()?;
    let made = app
        .store
        .read(|sql| weight::of_a_day(sql, project, permit.at()))?;
    Ok(Json(Previews {
        made,
        at_most: app.settings.limits.previews,
    }))
}
