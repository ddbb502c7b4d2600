//! Streams defined by stewards: a policy, and who may read what it releases.

use super::policy;
use super::row::{self, Stream};
use crate::app::App;
use crate::db::Sql;
use crate::events::tell_inbox;
use crate::http::{Call, Created, Json, Nothing, Route, Tagged, get, outdated, patch, post};
use crate::id::{Id, random_bytes};
use crate::name::Name;
use crate::page::{Page, PageQuery};
use crate::problem::{Problem, Result};
use crate::project::{Promised, Rules, check_open};
use crate::rights::{DefineStreams, Permit, ReadStreams};
use crate::secret::hex;
use crate::text::{Policy, TextVersion, hierarchies_for};
use moretta::io::{Files, MemoryFiles};
use moretta::policy::Secrets;
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::Path;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get("/projects/{project}/streams", "Streams of a project", list),
        get(
            "/projects/{project}/streams/{stream}",
            "A stream, and what it is doing",
            show,
        ),
        post(
            "/projects/{project}/streams",
            "Defines a stream, which waits for approval",
            define,
        ),
        patch(
            "/projects/{project}/streams/{stream}",
            "Gives a stopped stream another policy or audience, which waits for approval again",
            change,
        )
        .of_version(),
    ]
}

fn list(
    app: &App,
    permit: Permit<ReadStreams>,
    call: Call<PageQuery, Nothing>,
) -> Result<Json<Page<Stream>>> {
    let (project, limit) = (permit.project()?, call.query.limit()?);
    let after = call.query.after_text();
    let streams = app
        .store
        .read(|sql| row::list(sql, (project, 0), after, limit + 1))?;
    Ok(Json(Page::of(streams, limit, |stream| stream.name.clone())))
}

fn show(
    app: &App,
    permit: Permit<ReadStreams>,
    call: Call<Nothing, Nothing>,
) -> Result<Tagged<Json<Stream>>> {
    let (project, id) = (permit.project()?, call.id("stream")?);
    let stream = app.store.read(|sql| row::find(sql, project, id))?;
    Ok(Tagged(stream.version, Json(stream)))
}

/// A new stream.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewStream {
    /// Its name, which no other one of the project has.
    name: Name,
    /// The version of the policy by which rows are released.
    policy_version: Id,
    /// The level of what it releases: 2 and up.
    level: i64,
}

fn define(
    app: &App,
    permit: Permit<DefineStreams>,
    call: Call<Nothing, Json<NewStream>>,
) -> Result<Tagged<Created<Stream>>> {
    let (new, project, at) = (&call.body.0, permit.project()?, permit.at());
    let (by, id) = (permit.user()?, Id::random());
    check_new(app, project, (new.policy_version, new.level))?;
    let stream = app.store.act(|act| {
        let made = act.execute(
            "INSERT INTO streams (id, project_id, name, policy_version_id, level, wanted, state, decision, \
             made_at, made_by) VALUES ($1, $2, $3, $4, $5, 'stopped', 'stopped', 'waiting', $6, $7)",
            values![id, project, new.name.text(), new.policy_version, new.level, at, by],
        );
        made.map_err(|problem| new.name.taken(problem))?;
        let mut entry = permit.entry("stream.define");
        entry.subject = Some(id);
        entry.facts = facts(new.policy_version, new.level);
        act.log(&entry)?;
        tell_inbox(&mut **act, Some(project), at)?;
        row::find(&mut **act, project, id)
    })?;
    Ok(Tagged(stream.version, Created(stream)))
}

/// What changes of a stream.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ChangedStream {
    /// Another version of a policy.
    policy_version: Option<Id>,
    /// Another level.
    level: Option<i64>,
}

fn change(
    app: &App,
    permit: Permit<DefineStreams>,
    call: Call<Nothing, Json<ChangedStream>>,
) -> Result<Tagged<Json<Stream>>> {
    let (project, id, seen) = (permit.project()?, call.id("stream")?, call.seen_version()?);
    let before = app.store.read(|sql| row::find(sql, project, id))?;
    let version = call.body.0.policy_version.unwrap_or(before.policy_version);
    let level = call.body.0.level.unwrap_or(before.level);
    check_new(app, project, (version, level))?;
    let (by, at) = (permit.user()?, permit.at());
    let stream = app.store.act(|act| {
        let stream = row::find(&mut **act, project, id)?;
        if matches!(&*stream.state, "starting" | "running") || stream.wanted == "running" {
            return Err(Problem::conflict("running", "the stream is running")
                .help("have an operator stop it first"));
        }
        if level > stream.level && stream.released > 0 {
            let what = "rows that were released for finer levels would be shown to others";
            return Err(Problem::conflict("level", what).help("define another stream"));
        }
        // Another policy begins after what the one before has taken.
        let from = match version == stream.policy_version {
            true => "",
            false => ", taken = 0, problem = NULL, state = 'stopped'",
        };
        let update = format!(
            "UPDATE streams SET policy_version_id = $1, level = $2, decision = 'waiting', reason = NULL, \
             decided_by = NULL, decided_at = NULL, wanted = 'stopped', made_by = $3, \
             version = version + 1{from} WHERE id = $4 AND version = $5"
        );
        if act.execute(&update, values![version, level, by, id, seen])? == 0 {
            return Err(outdated());
        }
        let mut entry = permit.entry("stream.change");
        entry.subject = Some(id);
        entry.facts = facts(version, level);
        act.log(&entry)?;
        tell_inbox(&mut **act, Some(project), at)?;
        row::find(&mut **act, project, id)
    })?;
    app.intakes.close(id);
    Ok(Tagged(stream.version, Json(stream)))
}

fn facts(version: Id, level: i64) -> Vec<(&'static str, String)> {
    vec![
        ("policy_version", version.to_string()),
        ("level", level.to_string()),
    ]
}

/// Fails when the project is closed, or the stream would not keep its rules.
fn check_new(app: &App, project: Id, of: (Id, i64)) -> Result<()> {
    app.store.read(|sql| {
        check_open(sql, project)?;
        let (rules, _) = Rules::of(sql, project)?;
        check(app, sql, (project, &rules), of)
    })
}

/// Fails when the policy, by its version, is none for a stream of the project of this level, or breaks
/// the rules.
pub(super) fn check(
    app: &App,
    sql: &mut dyn Sql,
    (project, rules): (Id, &Rules),
    (version, level): (Id, i64),
) -> Result<()> {
    let number = u32::try_from(level).ok();
    let Some(number) = number.filter(|level| (2..=100).contains(level)) else {
        return Err(Problem::unusable("the level of a stream is 2 to 100"));
    };
    let (text, hierarchies) = texts_of(app, sql, project, version)?;
    let files = MemoryFiles::default();
    for (name, content) in hierarchies {
        files.put(Path::new(&name), content.into_bytes());
    }
    let composed = policy::composed(&text)?;
    let secrets = Secrets::by(|_| Some(hex(&random_bytes::<32>()).into_bytes()));
    let policy = policy::open(&composed.text, Files::provided(files), secrets)?;
    let promised = Promised::of(&policy.plan, false);
    promised.check_methods(rules)?;
    promised.check_level(rules, (number, &level.to_string()), promised.persons)
}

/// The text of a policy version, and hierarchies by their names.
type Texts = (String, Vec<(String, String)>);

/// A version of a policy, and the hierarchies that it was saved with.
pub(super) fn texts_of(app: &App, sql: &mut dyn Sql, project: Id, version: Id) -> Result<Texts> {
    let saved = TextVersion::find::<Policy>(app, sql, project, version)?;
    let hierarchies = hierarchies_for(app, sql, project, &saved.content, Some(&saved))?;
    Ok((saved.content, hierarchies))
}
