//! Wishes: what one person asks for and another one grants, so that nobody reaches data alone.

use crate::clock::Millis;
use crate::db::{Row, Sql, Value};
use crate::events;
use crate::id::Id;
use crate::problem::{Problem, Result};
use schemars::JsonSchema;
use serde::Serialize;

/// Something that was asked for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Wish {
    /// Its id.
    pub id: Id,
    /// What kind it is: `member`, `rules`, `delete-raw`, `factor`, `reset`, `admin` or `auditor`.
    pub kind: String,
    /// The project that it is about.
    pub project: Option<Id>,
    /// Who or what it is about.
    pub subject: Id,
    /// What is wished, in JSON.
    pub wish: String,
    /// Why.
    pub reason: String,
    /// `waiting`, `granted` or `refused`.
    pub state: String,
    /// Who asked.
    pub asked_by: Id,
    /// When.
    pub asked_at: Millis,
    /// Who decided.
    pub decided_by: Option<Id>,
    /// When.
    pub decided_at: Option<Millis>,
}

const COLUMNS: &str = "id, kind, project_id, subject, wish, reason, state, asked_by, asked_at, decided_by, decided_at";

impl Wish {
    fn read(row: &Row) -> Result<Self> {
        Ok(Wish {
            id: row.id(0)?,
            kind: row.text(1)?.to_owned(),
            project: row.maybe_id(2)?,
            subject: row.id(3)?,
            wish: row.text(4)?.to_owned(),
            reason: row.text(5)?.to_owned(),
            state: row.text(6)?.to_owned(),
            asked_by: row.id(7)?,
            asked_at: row.integer(8)?,
            decided_by: row.maybe_id(9)?,
            decided_at: row.maybe_integer(10)?,
        })
    }
}

/// What is to be asked for.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// The kind of wish.
    pub kind: &'a str,
    /// The project that it is about.
    pub project: Option<Id>,
    /// Who or what it is about.
    pub subject: Id,
    /// What is wished, in JSON.
    pub wish: String,
    /// Why.
    pub reason: &'a str,
    /// Who asks.
    pub by: Id,
    /// When.
    pub at: Millis,
}

/// Enters a wish, which waits.
///
/// # Errors
/// When the same was asked for already.
pub fn ask(sql: &mut dyn Sql, asked: &Asked<'_>) -> Result<Id> {
    let same = "SELECT count(*) FROM wishes WHERE state = 'waiting' AND kind = $1 AND subject = $2 AND wish = $3";
    if sql.number(same, values![asked.kind, asked.subject, &asked.wish])? > 0 {
        return Err(Problem::conflict(
            "asked",
            "this was asked for already, and waits",
        ));
    }
    let id = Id::random();
    sql.execute(
        "INSERT INTO wishes (id, kind, project_id, subject, wish, reason, state, asked_by, asked_at) \
         VALUES ($1, $2, $3, $4, $5, $6, 'waiting', $7, $8)",
        &[
            Value::from(id),
            Value::from(asked.kind),
            Value::from(asked.project),
            Value::from(asked.subject),
            Value::from(&asked.wish),
            Value::from(asked.reason),
            Value::from(asked.by),
            Value::from(asked.at),
        ],
    )?;
    events::tell_inbox(sql, asked.project, asked.at)?;
    Ok(id)
}

/// Grants or refuses a wish that waits. Nobody grants what they asked for, or what they would get.
///
/// # Errors
/// 404 where there is none in `project`, 403 of who asked, 409 when it was decided already.
pub fn decide(
    sql: &mut dyn Sql,
    id: Id,
    project: Option<Id>,
    grant: bool,
    by: Id,
    at: Millis,
) -> Result<Wish> {
    let wish = find(sql, id)?.filter(|wish| wish.project == project);
    let wish = wish.ok_or_else(|| Problem::not_found("wish"))?;
    if grant && (wish.asked_by == by || wish.subject == by || !are_independent(sql, &wish, by)?) {
        let what = "a second person with an independent account has to grant this";
        let help = "one who neither asked for it nor gets it, whose account does not go back to the same \
                    administrator; officers of the project are independent";
        return Err(Problem::new(403, "second-person", what).help(help));
    }
    let state = if grant { "granted" } else { "refused" };
    let changed = sql.execute(
        "UPDATE wishes SET state = $1, decided_by = $2, decided_at = $3 WHERE id = $4 AND state = 'waiting'",
        values![state, by, at, id],
    )?;
    match changed {
        1 => {
            events::tell_inbox(sql, project, at)?;
            Ok(wish)
        }
        _ => Err(Problem::conflict("decided", "this was decided already")),
    }
}

/// Whether who grants has an account that who asked cannot have made, through whomever. Officers whom a
/// second person has confirmed are independent.
fn are_independent(sql: &mut dyn Sql, wish: &Wish, by: Id) -> Result<bool> {
    if let Some(project) = wish.project
        && is_confirmed_officer(sql, project, by)?
    {
        return Ok(true);
    }
    Ok(first_of(sql, wish.asked_by)? != first_of(sql, by)?)
}

/// Whether somebody is an officer of a project whom a second person has confirmed: not one whom a
/// single person made while nobody else was needed.
///
/// # Errors
/// When the store does not answer.
pub fn is_confirmed_officer(sql: &mut dyn Sql, project: Id, user: Id) -> Result<bool> {
    let confirmed = "SELECT count(*) FROM members WHERE project_id = $1 AND user_id = $2 \
                     AND role = 'officer' AND confirmed_by <> asked_by";
    Ok(sql.number(confirmed, values![project, user])? > 0)
}

/// Fails when an officer who approves was made by one person alone.
///
/// # Errors
/// 403
pub fn check_confirmed(sql: &mut dyn Sql, project: Id, officer: Id) -> Result<()> {
    match is_confirmed_officer(sql, project, officer)? {
        true => Ok(()),
        false => {
            let what = "one person alone has made you an officer, while no second one was needed";
            Err(Problem::new(403, "second-person", what)
                .help("have your membership asked for again, and confirmed by a second person"))
        }
    }
}

/// The account to which an account goes back: it invited the one that invited it, and so on.
fn first_of(sql: &mut dyn Sql, user: Id) -> Result<Id> {
    let mut first = user;
    loop {
        let row = sql.row("SELECT made_by FROM users WHERE id = $1", values![first])?;
        match row.map(|row| row.maybe_id(0)).transpose()?.flatten() {
            Some(maker) if maker != user => first = maker,
            _ => return Ok(first),
        }
    }
}

/// Refuses what waits for a membership of somebody in a project.
///
/// # Errors
/// When the store does not answer.
pub fn refuse_of(sql: &mut dyn Sql, (project, user): (Id, Id), by: Id, at: Millis) -> Result<()> {
    let refused = sql.execute(
        "UPDATE wishes SET state = 'refused', decided_by = $1, decided_at = $2 \
         WHERE state = 'waiting' AND kind = 'member' AND project_id = $3 AND subject = $4",
        values![by, at, project, user],
    )?;
    match refused {
        0 => Ok(()),
        _ => events::tell_inbox(sql, Some(project), at),
    }
}

/// Finds a wish.
///
/// # Errors
/// When the store does not answer.
pub fn find(sql: &mut dyn Sql, id: Id) -> Result<Option<Wish>> {
    let row = sql.row(
        &format!("SELECT {COLUMNS} FROM wishes WHERE id = $1"),
        values![id],
    )?;
    row.as_ref().map(Wish::read).transpose()
}

/// Wishes of a project that wait, the oldest first.
///
/// # Errors
/// When the store does not answer.
pub fn waiting(sql: &mut dyn Sql, project: Id) -> Result<Vec<Wish>> {
    let query = format!(
        "SELECT {COLUMNS} FROM wishes WHERE state = 'waiting' AND project_id = $1 ORDER BY asked_at LIMIT 500"
    );
    sql.query(&query, values![project])?
        .iter()
        .map(Wish::read)
        .collect()
}

/// Wishes about accounts that wait, the oldest first.
///
/// # Errors
/// When the store does not answer.
pub fn waiting_of_accounts(sql: &mut dyn Sql) -> Result<Vec<Wish>> {
    let query = format!(
        "SELECT {COLUMNS} FROM wishes WHERE state = 'waiting' AND project_id IS NULL ORDER BY asked_at LIMIT 500"
    );
    let rows = sql.query(&query, values![])?;
    rows.iter().map(Wish::read).collect()
}
