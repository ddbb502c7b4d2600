//! Decisions of officers: these bytes are published, or not, or not any more.
//!
//! The approver has had no hand in the release, names the manifest that they have seen, and the rules
//! of the day are held once more.

use super::ledger;
use super::publish;
use super::record::Release;
use super::source;
use super::state::{State, Step};
use super::terms::check_made;
use crate::app::App;
use crate::db::Value;
use crate::http::{Call, Json, Nothing, Route, post};
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::project::{Rules, check_open};
use crate::rights::{DecideRelease, Permit};
use crate::secret::hex;
use crate::store::Act;
use crate::wish;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) fn routes() -> Vec<Route> {
    vec![
        post(
            "/projects/{project}/requests/{release}/approval",
            "Approves and publishes exactly the bytes that a manifest names",
            approve,
        ),
        post(
            "/projects/{project}/requests/{release}/refusal",
            "Refuses a release",
            refuse,
        ),
        post(
            "/projects/{project}/releases/{release}/revocation",
            "Takes a release back, at once",
            revoke,
        ),
    ]
}

/// An approval.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Approval {
    /// The hash of the manifest that was reviewed.
    manifest: String,
    /// Why, where something is to be said.
    reason: Option<String>,
}

/// Why not.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Refusal {
    /// The reason.
    reason: String,
}

/// What has become of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Decided {
    /// How far it is.
    state: State,
    /// The hash of what was decided on.
    manifest: String,
    /// Whether it says "approved by its author".
    by_author: bool,
    /// The head of the log after the decision, to be kept elsewhere.
    receipt: String,
}

impl Decided {
    fn of(release: &Release, receipt: String) -> Self {
        Decided {
            receipt,
            state: release.state,
            manifest: hex(release.manifest_sha256.as_deref().unwrap_or_default()),
            by_author: release.alone,
        }
    }
}

fn approve(
    app: &App,
    permit: Permit<DecideRelease>,
    call: Call<Nothing, Json<Approval>>,
) -> Result<Json<Decided>> {
    let (id, project) = (call.id("release")?, permit.project()?);
    let approval = &call.body.0;
    let reason = approval.reason.as_deref().unwrap_or_default();
    if reason.chars().count() > REASON {
        return Err(long());
    }
    let release = app.store.read(|sql| Release::find(sql, project, id))?;
    check_seen(&release, &approval.manifest)?;
    if let Err(problem) = publish::check_bytes(app, &release) {
        // Files also leave staging when another officer was faster.
        let now = app.store.read(|sql| Release::find(sql, project, id))?;
        check_seen(&now, &approval.manifest)?;
        let mut entry = permit.entry("release.approve");
        entry.refused = true;
        entry.subject = Some(id);
        entry.facts = vec![("code", problem.code.to_owned())];
        app.store.act(|act| act.log(&entry))?;
        return Err(problem);
    }
    let receipt = app.store.act(|act| {
        let mut release = Release::find(&mut **act, project, id)?;
        check_seen(&release, &approval.manifest)?;
        let alone = check_rules(app, act, &permit, &release)?;
        act.execute_one(
            "UPDATE releases SET alone = $1 WHERE id = $2",
            values![alone, id],
        )?;
        note(act, &permit, &release, "approved", reason)?;
        release.step(act, Step::Approve, permit.at())?;
        let mut entry = permit.entry("release.approve");
        entry.subject = Some(id);
        entry.facts = vec![("manifest", approval.manifest.clone())];
        if alone {
            entry
                .facts
                .push(("alone", "approved by its author".to_owned()));
        }
        act.log(&entry)?;
        act.receipt()
    })?;
    publish::publish(app, project, id)?;
    let release = app.store.read(|sql| Release::find(sql, project, id))?;
    Ok(Json(Decided::of(&release, receipt)))
}

/// How long a reason may be.
const REASON: usize = 2000;

fn long() -> Problem {
    Problem::unusable("a reason has 1 to 2,000 characters")
}

/// Fails when this is not what the officer has seen.
fn check_seen(release: &Release, manifest: &str) -> Result<()> {
    release.state.step(Step::Approve)?;
    match &release.manifest_sha256 {
        Some(sum) if hex(sum) == manifest => Ok(()),
        _ => Err(Problem::conflict(
            "other-manifest",
            "this is not the hash of what waits for approval",
        )
        .help("read the request again, and name the hash of its manifest")),
    }
}

/// Holds a release and its approver against the rules; gives whether they are its author, where that
/// is allowed.
fn check_rules(
    app: &App,
    act: &mut Act<'_>,
    permit: &Permit<DecideRelease>,
    release: &Release,
) -> Result<bool> {
    let (project, user, at) = (permit.project()?, permit.user()?, permit.at());
    check_open(&mut **act, project)?;
    if app.settings.four_eyes {
        wish::check_confirmed(&mut **act, project, user)?;
    }
    let of = (release.asked_by, release.data, release.policy);
    let alone = source::authors(app, &mut **act, project, of)?.contains(&user);
    if alone && app.settings.four_eyes {
        let what = "a second person has to approve this: you have a hand in it";
        return Err(Problem::new(403, "second-person", what).help(
            "ask an officer who did not ask for it, upload its data, or edit its policy or hierarchies",
        ));
    }
    if release.ends_at.is_some_and(|ends| ends <= at) {
        return Err(
            Problem::conflict("ended", "the end of this release has come")
                .help("have it asked for again with another end"),
        );
    }
    if release.ledger.is_some() {
        ledger::check_classes(&mut **act, release.dataset, release.ledger_version)?;
    }
    publish::check_manifest(&mut **act, release)?;
    let (rules, _) = Rules::of(&mut **act, project)?;
    let made_of = (release.data, release.policy);
    let terms = source::terms(app, &mut **act, project, made_of)?;
    terms.check(&release.levels, &rules)?;
    let facts = super::made::facts(&mut **act, release)?;
    check_made(&facts, &rules)?;
    Ok(alone)
}

/// Writes a decision down.
fn note(
    act: &mut Act<'_>,
    permit: &Permit<DecideRelease>,
    release: &Release,
    decision: &str,
    reason: &str,
) -> Result<()> {
    let cells = [
        Value::from(Id::random()),
        Value::from(release.id),
        Value::from(decision),
        Value::from(reason),
        Value::from(release.manifest_sha256.clone().unwrap_or_default()),
        Value::from(permit.user()?),
        Value::from(permit.at()),
    ];
    act.execute(
        "INSERT INTO approvals (id, release_id, decision, reason, manifest_sha256, decided_by, at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        &cells,
    )
    .map(drop)
}

fn refuse(
    app: &App,
    permit: Permit<DecideRelease>,
    call: Call<Nothing, Json<Refusal>>,
) -> Result<Json<Decided>> {
    against(
        app,
        &permit,
        call.id("release")?,
        &call.body.0,
        Step::Refuse,
    )
}

fn revoke(
    app: &App,
    permit: Permit<DecideRelease>,
    call: Call<Nothing, Json<Refusal>>,
) -> Result<Json<Decided>> {
    against(
        app,
        &permit,
        call.id("release")?,
        &call.body.0,
        Step::Revoke,
    )
}

/// Decides against a release. Its files are gone with the transaction.
fn against(
    app: &App,
    permit: &Permit<DecideRelease>,
    id: Id,
    refusal: &Refusal,
    step: Step,
) -> Result<Json<Decided>> {
    let (project, reason) = (permit.project()?, refusal.reason.trim());
    if reason.is_empty() || reason.chars().count() > REASON {
        return Err(long());
    }
    let decision = match step {
        Step::Revoke => "revoked",
        _ => "refused",
    };
    let (release, left, receipt) = app.store.act(|act| {
        let mut release = Release::find(&mut **act, project, id)?;
        let was = release.state;
        release.step(act, step, permit.at())?;
        note(act, permit, &release, decision, reason)?;
        let left = match was {
            State::Published => publish::forget_published(app, act, &release)?,
            _ => publish::forget_staged(app, act, &release)?,
        };
        let mut entry = match step {
            Step::Revoke => permit.entry("release.revoke"),
            _ => permit.entry("release.refuse"),
        };
        entry.subject = Some(id);
        entry.facts = vec![(
            "manifest",
            hex(release.manifest_sha256.as_deref().unwrap_or_default()),
        )];
        act.log(&entry)?;
        Ok((release, left, act.receipt()?))
    })?;
    left.remove(&app.store);
    Ok(Json(Decided::of(&release, receipt)))
}
