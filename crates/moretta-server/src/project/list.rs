//! Projects: made, renamed and closed by administrators, who are members of none.

use super::rules::Rules;
use crate::app::App;
use crate::clock::Millis;
use crate::db::Row;
use crate::http::{Call, Created, Json, Nothing, Route, Tagged, get, outdated, patch, post};
use crate::id::Id;
use crate::name::Name;
use crate::page::{Page, PageQuery};
use crate::problem::{Problem, Result};
use crate::rights::{ManageProjects, Permit, Role, SignedIn};
use crate::stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "/projects",
            "Projects of which one is a member; of administrators and auditors, all",
            list,
        ),
        post("/projects", "Makes a project", make),
        patch(
            "/projects/{project}",
            "Renames, closes or opens a project",
            change,
        )
        .of_version(),
    ]
}

/// A project.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Project {
    /// Its id.
    id: Id,
    /// Its name.
    name: String,
    /// `open` or `closed`.
    state: String,
    /// When it was made.
    made_at: Millis,
    /// The role of who asks; none of who is no member.
    role: Option<Role>,
    /// The finest level that who asks may read.
    level: Option<i64>,
    /// When the membership ends.
    ends_at: Option<Millis>,
    /// The version, which an edit names.
    version: i64,
}

fn read(row: &Row) -> Result<Project> {
    Ok(Project {
        id: row.id(0)?,
        name: row.text(1)?.to_owned(),
        state: row.text(2)?.to_owned(),
        made_at: row.integer(3)?,
        version: row.integer(4)?,
        role: row
            .maybe_text(5)?
            .map(|role| Role::parse(&role))
            .transpose()?,
        level: row.maybe_integer(6)?.filter(|level| *level > 0),
        ends_at: row.maybe_integer(7)?,
    })
}

fn list(
    app: &App,
    permit: Permit<SignedIn>,
    call: Call<PageQuery, Nothing>,
) -> Result<Json<Page<Project>>> {
    let signed = permit.signed()?;
    let (limit, after) = (call.query.limit()?, call.query.after_text().to_owned());
    let all = signed.admin || signed.auditor;
    let rows = app.store.read(|sql| {
        sql.query(
            "SELECT p.id, p.name, p.state, p.made_at, p.version, m.role, m.level, m.ends_at \
             FROM projects p LEFT JOIN members m ON m.project_id = p.id AND m.user_id = $1 \
             AND (m.ends_at IS NULL OR m.ends_at > $2) \
             WHERE (m.role IS NOT NULL OR $3 = 1) AND p.name > $4 ORDER BY p.name LIMIT $5",
            values![signed.user, permit.at(), i64::from(all), &after, limit + 1],
        )
    })?;
    let projects = rows.iter().map(read).collect::<Result<Vec<_>>>()?;
    Ok(Json(Page::of(projects, limit, |project| {
        project.name.clone()
    })))
}

/// A new project.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewProject {
    /// Its name, which no other one has.
    name: Name,
}

fn make(
    app: &App,
    permit: Permit<ManageProjects>,
    call: Call<Nothing, Json<NewProject>>,
) -> Result<Tagged<Created<Project>>> {
    let name = call.body.0.name;
    let id = Id::random();
    app.store.act(|act| {
        let made = act.execute(
            "INSERT INTO projects (id, name, rules, state, made_at, made_by) VALUES ($1, $2, $3, 'open', $4, $5)",
            values![id, name.text(), Rules::default().text(), permit.at(), permit.user()?],
        );
        made.map_err(|problem| name.taken(problem))?;
        let mut entry = permit.entry("project.make");
        entry.project = Some(id);
        act.log(&entry)
    })?;
    Ok(Tagged(
        1,
        Created(Project {
            id,
            name: name.text().to_owned(),
            state: "open".to_owned(),
            made_at: permit.at(),
            role: None,
            level: None,
            ends_at: None,
            version: 1,
        }),
    ))
}

/// What changes of a project.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ChangedProject {
    /// Another name.
    name: Option<Name>,
    /// `open` or `closed`; in a closed one nothing new begins.
    state: Option<ProjectState>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ProjectState {
    Open,
    Closed,
}

fn change(
    app: &App,
    permit: Permit<ManageProjects>,
    call: Call<Nothing, Json<ChangedProject>>,
) -> Result<Tagged<Json<Project>>> {
    let (id, seen) = (call.id("project")?, call.seen_version()?);
    let changed = &call.body.0;
    let state = changed.state.map(|state| match state {
        ProjectState::Open => "open",
        ProjectState::Closed => "closed",
    });
    let project = app.store.act(|act| {
        let name = changed.name.as_ref().map(Name::text);
        let updated = act.execute(
            "UPDATE projects SET name = COALESCE($1, name), state = COALESCE($2, state), version = version + 1 \
             WHERE id = $3 AND version = $4",
            values![name, state, id, seen],
        );
        let updated = match &changed.name {
            Some(name) => updated.map_err(|problem| name.taken(problem))?,
            None => updated?,
        };
        if updated == 0 {
            return Err(outdated());
        }
        act.log(&permit.entry("project.change"))?;
        if state == Some("closed") {
            stream::stop_all(act, &permit, id)?;
        }
        let row = act.row(
            "SELECT id, name, state, made_at, version, NULL, NULL, NULL FROM projects WHERE id = $1",
            values![id],
        )?;
        read(&row.ok_or_else(|| Problem::not_found("project"))?)
    })?;
    Ok(Tagged(project.version, Json(project)))
}
