//! How raw data go: two persons wish it, or their time is over.
//!
//! A deleted version keeps its number, its sum and who uploaded it; its bytes, and what it has in the
//! vault, are gone, since the keys that open them are.

use super::version::DataVersion;
use crate::app::App;
use crate::audit::Entry;
use crate::backup;
use crate::clock::{DAY, Millis};
use crate::http::{Accepted, Call, Done, Json, Nothing, Route, get, post};
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::project::Rules;
use crate::rights::{DeleteRaw, Permit, ReadProfile};
use crate::store::Act;
use crate::wish::{self, Asked, Wish};
use crate::zone::{Leftover, RawZone, VaultZone};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kind of wish.
const KIND: &str = "delete-raw";

pub(super) fn routes() -> Vec<Route> {
    vec![
        post(
            "/projects/{project}/datasets/{dataset}/versions/{version}/deletion",
            "Asks a second person to delete the bytes of a version",
            ask,
        ),
        get(
            "/projects/{project}/deletions",
            "Deletions that wait for a second person",
            waiting,
        ),
        post(
            "/projects/{project}/deletions/{wish}/decision",
            "Deletes the bytes of a version as another person has asked, or refuses to",
            decide,
        ),
    ]
}

/// Why something is to be deleted.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Why {
    /// The reason.
    reason: String,
}

/// What has become of a wish to delete.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Outcome {
    /// `deleted`, or `waiting` for a second person.
    state: &'static str,
    /// The wish that waits.
    wish: Option<Id>,
    /// The head of the log after this, to be kept elsewhere.
    receipt: String,
}

fn ask(
    app: &App,
    permit: Permit<DeleteRaw>,
    call: Call<Nothing, Json<Why>>,
) -> Result<Accepted<Outcome>> {
    let (project, dataset, id) = (permit.project()?, call.id("dataset")?, call.id("version")?);
    let reason = &call.body.0.reason;
    if reason.trim().is_empty() || reason.chars().count() > 1000 {
        return Err(Problem::unusable("say why, in at most 1,000 characters"));
    }
    let (outcome, leftover) = app.store.act(|act| {
        let version = DataVersion::find_of(&mut **act, project, dataset, id)?;
        version.object()?;
        if !app.settings.four_eyes {
            let leftover = delete(app, act, &version, permit.at())?;
            let mut entry = permit.entry("data.delete");
            entry.subject = Some(id);
            entry.facts = vec![("alone", "four_eyes is off".to_owned())];
            act.log(&entry)?;
            let outcome = Outcome {
                state: "deleted",
                wish: None,
                receipt: act.receipt()?,
            };
            return Ok((outcome, leftover));
        }
        let asked = Asked {
            kind: KIND,
            project: Some(project),
            subject: id,
            wish: String::new(),
            reason,
            by: permit.user()?,
            at: permit.at(),
        };
        let wish = wish::ask(&mut **act, &asked)?;
        let mut entry = permit.entry("data.delete.ask");
        entry.subject = Some(id);
        act.log(&entry)?;
        let outcome = Outcome {
            state: "waiting",
            wish: Some(wish),
            receipt: act.receipt()?,
        };
        Ok((outcome, Leftover::default()))
    })?;
    leftover.remove(&app.store);
    if outcome.wish.is_none() {
        backup::forget(app)?;
    }
    Ok(Accepted(outcome))
}

fn waiting(
    app: &App,
    permit: Permit<ReadProfile>,
    _: Call<Nothing, Nothing>,
) -> Result<Json<Vec<Wish>>> {
    let project = permit.project()?;
    let all = app.store.read(|sql| wish::waiting(sql, project))?;
    Ok(Json(
        all.into_iter().filter(|wish| wish.kind == KIND).collect(),
    ))
}

/// A decision.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Decision {
    /// Whether it is granted.
    grant: bool,
}

fn decide(
    app: &App,
    permit: Permit<DeleteRaw>,
    call: Call<Nothing, Json<Decision>>,
) -> Result<Done> {
    let (project, id, grant) = (permit.project()?, call.id("wish")?, call.body.0.grant);
    let leftover = app.store.act(|act| {
        let found = wish::find(&mut **act, id)?;
        if found.is_none_or(|wish| wish.kind != KIND || wish.project != Some(project)) {
            return Err(Problem::not_found("wish"));
        }
        let (by, at) = (permit.user()?, permit.at());
        let wish = wish::decide(&mut **act, id, Some(project), grant, by, at)?;
        let mut leftover = Leftover::default();
        if grant {
            let version = DataVersion::find(&mut **act, project, wish.subject)?;
            leftover = delete(app, act, &version, at)?;
        }
        let mut entry = permit.entry(if grant {
            "data.delete"
        } else {
            "data.delete.refuse"
        });
        entry.subject = Some(wish.subject);
        act.log(&entry)?;
        Ok(leftover)
    })?;
    leftover.remove(&app.store);
    if grant {
        backup::forget(app)?;
    }
    Ok(Done)
}

/// Deletes the bytes of a version, and what it has in the vault.
pub(super) fn delete(
    app: &App,
    act: &mut Act<'_>,
    version: &DataVersion,
    at: Millis,
) -> Result<Leftover> {
    let mut leftover = RawZone::of(app)?.delete(act, version.object()?)?;
    let select = "SELECT object_id FROM vaults WHERE data_version_id = $1";
    if let Some(row) = act.row(select, values![version.id])? {
        leftover.and(VaultZone::of(app)?.delete(act, row.id(0)?)?);
        let delete = "DELETE FROM vaults WHERE data_version_id = $1";
        act.execute_one(delete, values![version.id])?;
    }
    act.execute_one(
        "UPDATE data_versions SET object_id = NULL, deleted_at = $1 WHERE id = $2",
        values![at, version.id],
    )?;
    Ok(leftover)
}

/// Deletes the bytes of versions whose time is over, by the rules of their projects now and when they
/// were uploaded, and uploads that nobody has finished in a week; gives their number. To be done each
/// hour.
///
/// # Errors
/// When the store does not answer.
pub fn retention(app: &App) -> Result<u64> {
    let at = app.clock.now();
    let given_up = super::ingest::give_up_old(app)?;
    let due = app.store.read(|sql| due(sql, at))?;
    for (project, id) in &due {
        let leftover = app.store.act(|act| {
            let version = DataVersion::find(&mut **act, *project, *id)?;
            if version.object.is_none() {
                return Ok(Leftover::default());
            }
            let leftover = delete(app, act, &version, at)?;
            act.log(&Entry {
                at,
                act: "data.retention",
                project: Some(*project),
                subject: Some(*id),
                ..Entry::default()
            })?;
            Ok(leftover)
        })?;
        leftover.remove(&app.store);
    }
    if !due.is_empty() {
        backup::forget(app)?;
    }
    Ok(given_up + due.len() as u64)
}

fn due(sql: &mut dyn crate::db::Sql, at: Millis) -> Result<Vec<(Id, Id)>> {
    let rows = sql.query(
        "SELECT d.project_id, v.id, v.uploaded_at, v.delete_after FROM data_versions v \
         JOIN datasets d ON d.id = v.dataset_id WHERE v.object_id IS NOT NULL ORDER BY d.project_id",
        values![],
    )?;
    let mut due = Vec::new();
    let mut rules: Option<(Id, Option<u32>)> = None;
    for row in rows {
        let project = row.id(0)?;
        let days = match rules {
            Some((of, days)) if of == project => days,
            _ => Rules::of(sql, project)?.0.retention_days,
        };
        rules = Some((project, days));
        let uploaded = row.integer(2)?;
        let by_rule = days.is_some_and(|days| uploaded + i64::from(days) * DAY <= at);
        if by_rule || row.maybe_integer(3)?.is_some_and(|after| after <= at) {
            due.push((project, row.id(1)?));
        }
    }
    Ok(due)
}
