//! Hierarchies and policies: made, read, edited, taken back.

use super::kind::{Hierarchy, Policy, TextKind};
use super::version::{self, Listed, New, TextVersion};
use crate::app::App;
use crate::http::{Call, Created, Json, Nothing, Route, Tagged, get, outdated, post, put};
use crate::id::Id;
use crate::name::Name;
use crate::page::{Page, PageQuery};
use crate::problem::{Problem, Result};
use crate::project::check_open;
use crate::rights::{Permit, ReadTexts, WriteTexts};
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "/projects/{project}/hierarchies",
            "Hierarchies of a project",
            list::<Hierarchy>,
        ),
        post(
            "/projects/{project}/hierarchies",
            "Makes a hierarchy",
            make::<Hierarchy>,
        ),
        get(
            "/projects/{project}/hierarchies/{text}",
            "The last version of a hierarchy, in the layout of ARX",
            show::<Hierarchy>,
        ),
        put(
            "/projects/{project}/hierarchies/{text}",
            "Makes a new version of a hierarchy",
            edit::<Hierarchy>,
        )
        .of_version(),
        get(
            "/projects/{project}/hierarchies/{text}/versions",
            "Versions of a hierarchy, the newest first",
            versions::<Hierarchy>,
        ),
        get(
            "/projects/{project}/hierarchies/{text}/versions/{version}",
            "A version of a hierarchy",
            show_version::<Hierarchy>,
        ),
        post(
            "/projects/{project}/hierarchies/{text}/versions/{version}/restoration",
            "Makes a new version of a hierarchy with the content of an old one",
            restore::<Hierarchy>,
        )
        .of_version(),
        get(
            "/projects/{project}/policies",
            "Policies of a project",
            list::<Policy>,
        ),
        post(
            "/projects/{project}/policies",
            "Makes a policy",
            make::<Policy>,
        ),
        get(
            "/projects/{project}/policies/{text}",
            "The last version of a policy",
            show::<Policy>,
        ),
        put(
            "/projects/{project}/policies/{text}",
            "Makes a new version of a policy",
            edit::<Policy>,
        )
        .of_version(),
        get(
            "/projects/{project}/policies/{text}/versions",
            "Versions of a policy, the newest first",
            versions::<Policy>,
        ),
        get(
            "/projects/{project}/policies/{text}/versions/{version}",
            "A version of a policy",
            show_version::<Policy>,
        ),
        post(
            "/projects/{project}/policies/{text}/versions/{version}/restoration",
            "Makes a new version of a policy with the content of an old one",
            restore::<Policy>,
        )
        .of_version(),
    ]
}

fn list<K: TextKind>(
    app: &App,
    permit: Permit<ReadTexts>,
    call: Call<PageQuery, Nothing>,
) -> Result<Json<Page<Listed>>> {
    let (project, limit) = (permit.project()?, call.query.limit()?);
    let after = call.query.after_text();
    let texts = app
        .store
        .read(|sql| version::list::<K>(sql, project, after, limit + 1))?;
    Ok(Json(Page::of(texts, limit, |text| text.name.clone())))
}

/// A new text.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewText {
    /// Its name; hierarchies are named so in policies.
    name: Name,
    /// What it holds.
    content: String,
}

fn make<K: TextKind>(
    app: &App,
    permit: Permit<WriteTexts>,
    call: Call<Nothing, Json<NewText>>,
) -> Result<Tagged<Created<TextVersion>>> {
    let (project, author, at) = (permit.project()?, permit.user()?, permit.at());
    let NewText { name, content } = &call.body.0;
    K::check(name.text(), content)?;
    let made = app.store.act(|act| {
        check_open(&mut **act, project)?;
        let new = New {
            project,
            text: version::insert::<K>(&mut **act, project, name, (author, at))?,
            name: name.text(),
            number: 1,
            content,
            based_on: None,
            author,
            at,
        };
        let made = new.insert::<K>(app, act)?;
        log::<K>(act, &permit, &made)?;
        Ok(made)
    })?;
    Ok(Tagged(1, Created(made)))
}

fn log<K: TextKind>(
    act: &mut crate::store::Act<'_>,
    permit: &Permit<WriteTexts>,
    made: &TextVersion,
) -> Result<()> {
    let name = format!("{}.version", K::WORD);
    let mut entry = permit.entry(&name);
    entry.subject = Some(made.id);
    entry.facts = vec![
        ("text", made.text.to_string()),
        ("number", made.number.to_string()),
        ("sha256", made.sha256.clone()),
    ];
    act.log(&entry)
}

fn show<K: TextKind>(
    app: &App,
    permit: Permit<ReadTexts>,
    call: Call<Nothing, Nothing>,
) -> Result<Tagged<Json<TextVersion>>> {
    let (project, text) = (permit.project()?, call.id("text")?);
    let last = app
        .store
        .read(|sql| TextVersion::last::<K>(app, sql, project, text))?;
    Ok(Tagged(last.number, Json(last)))
}

fn versions<K: TextKind>(
    app: &App,
    permit: Permit<ReadTexts>,
    call: Call<PageQuery, Nothing>,
) -> Result<Json<Page<TextVersion>>> {
    let (project, text) = (permit.project()?, call.id("text")?);
    let (limit, before) = (call.query.limit()?, call.query.after_number()?);
    let before = before.unwrap_or(i64::MAX);
    let found = app
        .store
        .read(|sql| TextVersion::list::<K>(sql, project, text, before, limit + 1))?;
    if found.is_empty() && call.query.after.is_none() {
        return Err(Problem::not_found("text"));
    }
    Ok(Json(Page::of(found, limit, |version| {
        version.number.to_string()
    })))
}

fn find_of<K: TextKind>(app: &App, project: Id, text: Id, id: Id) -> Result<TextVersion> {
    let found = app
        .store
        .read(|sql| TextVersion::find::<K>(app, sql, project, id))?;
    match found.text == text {
        true => Ok(found),
        false => Err(Problem::not_found("version")),
    }
}

fn show_version<K: TextKind>(
    app: &App,
    permit: Permit<ReadTexts>,
    call: Call<Nothing, Nothing>,
) -> Result<Json<TextVersion>> {
    let (project, text, id) = (permit.project()?, call.id("text")?, call.id("version")?);
    find_of::<K>(app, project, text, id).map(Json)
}

/// A new version of a text.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Edit {
    /// What it holds.
    content: String,
}

fn edit<K: TextKind>(
    app: &App,
    permit: Permit<WriteTexts>,
    call: Call<Nothing, Json<Edit>>,
) -> Result<Tagged<Json<TextVersion>>> {
    let (project, text, seen) = (permit.project()?, call.id("text")?, call.seen_version()?);
    follow::<K>(
        app,
        &permit,
        (project, text),
        seen,
        &call.body.0.content,
        None,
    )
}

fn restore<K: TextKind>(
    app: &App,
    permit: Permit<WriteTexts>,
    call: Call<Nothing, Nothing>,
) -> Result<Tagged<Json<TextVersion>>> {
    let (project, text, seen) = (permit.project()?, call.id("text")?, call.seen_version()?);
    let old = find_of::<K>(app, project, text, call.id("version")?)?;
    follow::<K>(
        app,
        &permit,
        (project, text),
        seen,
        &old.content,
        Some(old.id),
    )
}

/// Makes the version after the one that was seen.
fn follow<K: TextKind>(
    app: &App,
    permit: &Permit<WriteTexts>,
    (project, text): (Id, Id),
    seen: i64,
    content: &str,
    based_on: Option<Id>,
) -> Result<Tagged<Json<TextVersion>>> {
    let made = app.store.act(|act| {
        check_open(&mut **act, project)?;
        let last = TextVersion::last::<K>(app, &mut **act, project, text)?;
        if last.number != seen {
            return Err(outdated());
        }
        K::check(&last.name, content)?;
        let new = New {
            project,
            text,
            name: &last.name,
            number: last.number + 1,
            content,
            based_on: based_on.or(Some(last.id)),
            author: permit.user()?,
            at: permit.at(),
        };
        let made = new.insert::<K>(app, act)?;
        log::<K>(act, permit, &made)?;
        Ok(made)
    })?;
    Ok(Tagged(made.number, Json(made)))
}
