//! The log of acts as its readers see it.

use super::{Entered, Fault, Head, head, verify};
use crate::app::App;
use crate::clock::Millis;
use crate::db::{Row, Sql, Value};
use crate::http::{Call, Chunks, Download, Head as Asked, Json, Nothing, PlainText, Route, get};
use crate::id::Id;
use crate::page::Page;
use crate::problem::{Problem, Result};
use crate::rights::{Permit, ReadAdminAudit, ReadAudit, ReadWholeAudit, Right, Role, still};
use crate::secret::hex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        get("/audit", "The log of everything", list_all),
        get("/audit/admin", "What administrators did", list_admin),
        get(
            "/audit/verification",
            "Reads the whole log again and recomputes its sums",
            verification,
        ),
        get(
            "/audit/export",
            "The whole log with its sums, as `moretta audit` verifies it",
            export,
        ),
        get(
            "/projects/{project}/audit",
            "The log of a project",
            list_project,
        ),
        get(
            "/projects/{project}/audit/verification",
            "Reads the whole log again, for readers of that of a project",
            verification_of_project,
        ),
        get(
            "/projects/{project}/audit/export",
            "The entries of a project with their sums, which are those of the whole log",
            export_project,
        ),
        get(
            "/projects/{project}/readers",
            "Who could read what at a time, by the log",
            readers,
        ),
    ]
}

/// What of the log is asked for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wanted {
    /// The `next` of the page before; pages go back in time.
    after: Option<i64>,
    /// How many entries at most, up to 500.
    limit: Option<i64>,
    /// Not before this time.
    from: Option<Millis>,
    /// Before this time.
    until: Option<Millis>,
    /// Of this person, by number.
    actor: Option<i64>,
    /// Acts whose names begin so.
    act: Option<String>,
}

/// An entry as it is shown.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Shown {
    /// Its place.
    number: i64,
    /// When.
    at: Millis,
    /// The number of who did it.
    actor: Option<i64>,
    /// Their name, while they have an account.
    name: Option<String>,
    /// What was done.
    act: String,
    /// Whether it was refused.
    refused: bool,
    /// In which project.
    project: Option<Id>,
    /// To what.
    subject: Option<Id>,
    /// What else is to be known.
    facts: BTreeMap<String, String>,
}

/// What administrators do is told by the first word of an act.
const ADMIN_ACTS: &str = "(a.act LIKE 'user.%' OR a.act LIKE 'project.%' OR a.act LIKE 'member.%' \
                          OR a.act LIKE 'settings.%' OR a.act LIKE 'admin.%')";

fn list(app: &App, wanted: &Wanted, project: Option<Id>, only: &str) -> Result<Json<Page<Shown>>> {
    let limit = wanted.limit.unwrap_or(100);
    if !(1..=500).contains(&limit) {
        return Err(Problem::unusable("a page has 1 to 500 entries"));
    }
    let mut query = format!(
        "SELECT a.number, a.entry, u.name FROM audit a LEFT JOIN users u ON u.number = a.actor WHERE {only}"
    );
    let mut values: Vec<Value> = Vec::new();
    let mut also = |condition: &str, value: Value| {
        values.push(value);
        query += &format!(" AND {condition} ${}", values.len());
    };
    if let Some(project) = project {
        also("a.project_id =", project.into());
    }
    if let Some(after) = wanted.after {
        also("a.number <", after.into());
    }
    if let Some(from) = wanted.from {
        also("a.at >=", from.into());
    }
    if let Some(until) = wanted.until {
        also("a.at <", until.into());
    }
    if let Some(actor) = wanted.actor {
        also("a.actor =", actor.into());
    }
    if let Some(act) = &wanted.act {
        let escaped = act.replace(['%', '_', '\\'], "");
        also("a.act LIKE", format!("{escaped}%").into());
    }
    also("1 = 1 ORDER BY a.number DESC LIMIT", (limit + 1).into());
    let query = query.replace("AND 1 = 1 ORDER", "ORDER");
    let rows = app.store.read(|sql| sql.query(&query, &values))?;
    let shown = rows.iter().map(show).collect::<Result<Vec<_>>>()?;
    Ok(Json(Page::of(shown, limit, |entry| {
        entry.number.to_string()
    })))
}

fn show(row: &Row) -> Result<Shown> {
    let entered = entered(row.text(1)?)?;
    Ok(Shown {
        number: entered.number,
        at: entered.at,
        actor: entered.actor,
        name: row.maybe_text(2)?,
        act: entered.act,
        refused: entered.refused,
        project: entered.project,
        subject: entered.subject,
        facts: entered.facts,
    })
}

fn entered(text: &str) -> Result<Entered> {
    serde_json::from_str(text).map_err(|_| Problem::bug("an entry of the log cannot be read"))
}

fn list_all(
    app: &App,
    _: Permit<ReadWholeAudit>,
    call: Call<Wanted, Nothing>,
) -> Result<Json<Page<Shown>>> {
    list(app, &call.query, None, "1 = 1")
}

fn list_admin(
    app: &App,
    _: Permit<ReadAdminAudit>,
    call: Call<Wanted, Nothing>,
) -> Result<Json<Page<Shown>>> {
    list(app, &call.query, None, ADMIN_ACTS)
}

fn list_project(
    app: &App,
    permit: Permit<ReadAudit>,
    call: Call<Wanted, Nothing>,
) -> Result<Json<Page<Shown>>> {
    list(app, &call.query, Some(permit.project()?), "1 = 1")
}

/// A head that was printed or told earlier.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Seen {
    /// Its place.
    number: Option<i64>,
    /// Its sum, in hexadecimal digits.
    hash: Option<String>,
}

/// What reading the log again has found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Told {
    /// Whether all of it is as it was written.
    holds: bool,
    /// The last entry that holds.
    number: i64,
    /// Its sum.
    hash: String,
    /// The place of the first entry that does not hold.
    fault: Option<i64>,
    /// What is wrong with it.
    what: Option<&'static str>,
}

fn verification(
    app: &App,
    permit: Permit<ReadWholeAudit>,
    call: Call<Seen, Nothing>,
) -> Result<Json<Told>> {
    told(app, &permit, &call.query)
}

fn verification_of_project(
    app: &App,
    permit: Permit<ReadAudit>,
    call: Call<Seen, Nothing>,
) -> Result<Json<Told>> {
    told(app, &permit, &call.query)
}

/// Verifies the whole log, since a chain has no part that holds by itself.
fn told<R>(app: &App, permit: &Permit<R>, seen: &Seen) -> Result<Json<Told>> {
    let seen = match (seen.number, &seen.hash) {
        (Some(number), Some(hash)) => Some(Head {
            number,
            hash: super::verify::unhex(hash)
                .and_then(|hash| hash.try_into().ok())
                .ok_or_else(|| Problem::unusable("`hash` has 64 hexadecimal digits"))?,
        }),
        (None, None) => None,
        _ => return Err(Problem::unusable("`number` and `hash` go together")),
    };
    let verified = app.store.read(|sql| verify(sql, seen.as_ref()))?;
    let Fault { number, what } = verified.fault.clone().unwrap_or(Fault {
        number: 0,
        what: "",
    });
    let holds = verified.fault.is_none();
    app.store.act(|act| {
        let mut entry = permit.entry("audit.verify");
        entry.facts = vec![("holds", holds.to_string())];
        act.log(&entry)
    })?;
    Ok(Json(Told {
        holds,
        number: verified.head.number,
        hash: hex(&verified.head.hash),
        fault: (!holds).then_some(number),
        what: (!holds).then_some(what),
    }))
}

/// How many entries are exported at once.
const PIECE: i64 = 1000;

fn export(
    app: &App,
    permit: Permit<ReadWholeAudit>,
    call: Call<Nothing, Nothing>,
) -> Result<PlainText> {
    exported(app, &permit, &call.head, None)
}

fn export_project(
    app: &App,
    permit: Permit<ReadAudit>,
    call: Call<Nothing, Nothing>,
) -> Result<PlainText> {
    exported(app, &permit, &call.head, Some(permit.project()?))
}

/// Entries with their sums, a line each: of a project, or all.
fn exported<R: Right>(
    app: &App,
    permit: &Permit<R>,
    asked: &Asked,
    project: Option<Id>,
) -> Result<PlainText> {
    let end = app.store.act(|act| {
        act.log(&permit.entry("audit.export"))?;
        head(&mut **act)
    })?;
    let of = match project {
        Some(project) => format!("AND project_id = '{project}'"),
        None => String::new(),
    };
    let length = format!(
        "SELECT CAST(COALESCE(SUM(LENGTH(CAST(entry AS BYTEA)) + 66), 0) AS BIGINT) FROM audit \
         WHERE number <= $1 {of}"
    );
    let length = match app.store.db().name() {
        "SQLite" => length.replace("BYTEA", "BLOB"),
        _ => length.replace("LENGTH(CAST(entry AS BYTEA))", "OCTET_LENGTH(entry)"),
    };
    let length = app
        .store
        .read(|sql| sql.number(&length, values![end.number]))?;
    let select = format!(
        "SELECT number, hash, entry FROM audit WHERE number > $1 AND number <= $2 {of} \
         ORDER BY number LIMIT $3"
    );
    let (store, mut last) = (app.store.clone(), Some(0));
    let pieces = std::iter::from_fn(move || {
        let after = last?;
        let read = store.read(|sql| piece(sql, &select, after, end.number));
        last = read.as_ref().ok().and_then(|(_, last)| *last);
        Some(read.map(|(text, _)| text))
    });
    Ok(PlainText(Download {
        name: "moretta-audit.log".to_owned(),
        media_type: "",
        length: length as u64,
        headers: Vec::new(),
        chunks: Box::new(pieces) as Chunks,
        still: Box::new(still::<R>(app, asked)),
    }))
}

/// A piece of an export, and the last entry of it; none at the end.
fn piece(
    sql: &mut dyn Sql,
    select: &str,
    after: i64,
    until: i64,
) -> Result<(Vec<u8>, Option<i64>)> {
    let rows = sql.query(select, values![after, until, PIECE])?;
    let mut text = String::new();
    for row in &rows {
        text += &hex(row.bytes(1)?);
        text.push(' ');
        text += row.text(2)?;
        text.push('\n');
    }
    let last = rows.last().filter(|_| rows.len() as i64 == PIECE);
    let last = last.map(|row| row.integer(0)).transpose()?;
    Ok((text.into_bytes(), last))
}

/// A time.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct When {
    /// The time; now without.
    at: Option<Millis>,
}

/// What somebody was in a project.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Reader {
    /// Who.
    user: Id,
    /// Their role.
    role: Role,
    /// The finest level that they could read.
    level: Option<i64>,
    /// Until when.
    ends_at: Option<Millis>,
    /// The entry of the log that says so.
    entry: i64,
}

fn readers(
    app: &App,
    permit: Permit<ReadAudit>,
    call: Call<When, Nothing>,
) -> Result<Json<Vec<Reader>>> {
    let (project, at) = (permit.project()?, call.query.at.unwrap_or(permit.at()));
    let (rows, accounts) = app.store.read(|sql| {
        let members = "SELECT entry FROM audit WHERE project_id = $1 AND at <= $2 \
                       AND act IN ('member.grant', 'member.end') ORDER BY number";
        let accounts = "SELECT entry FROM audit WHERE at <= $1 \
                        AND act IN ('user.disable', 'user.enable', 'user.delete') ORDER BY number";
        Ok((
            sql.query(members, values![project, at])?,
            sql.query(accounts, values![at])?,
        ))
    })?;
    let mut readers = BTreeMap::new();
    for row in rows {
        let entry = entered(row.text(0)?)?;
        let Some(user) = entry.subject else { continue };
        readers.remove(&user);
        let fact = |name: &str| {
            entry
                .facts
                .get(name)
                .and_then(|fact| fact.parse::<i64>().ok())
        };
        let ends_at = fact("ends_at");
        if entry.act == "member.grant" && ends_at.is_none_or(|ends| ends > at) {
            let role = Role::parse(entry.facts.get("role").map_or("", |role| role))?;
            readers.insert(
                user,
                Reader {
                    user,
                    role,
                    level: fact("level"),
                    ends_at,
                    entry: entry.number,
                },
            );
        }
    }
    // Who may not sign in reads nothing, whatever they are.
    let mut out = BTreeSet::new();
    for row in accounts {
        let entry = entered(row.text(0)?)?;
        let Some(user) = entry.subject else { continue };
        match entry.act == "user.enable" {
            true => out.remove(&user),
            false => out.insert(user),
        };
    }
    readers.retain(|user, _| !out.contains(user));
    Ok(Json(readers.into_values().collect()))
}
