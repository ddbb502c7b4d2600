//! Deletion of a user: everything personal goes; a number stays, under which the log has their acts.

use super::user::User;
use crate::clock::Millis;
use crate::db::Sql;
use crate::id::Id;
use crate::problem::Result;
use crate::rights::{ManageUsers, Permit};
use crate::store::Act;

/// Tables in which everything of a user goes.
const OWN: [&str; 8] = [
    "sessions", "tokens", "devices", "recovery", "links", "drafts", "members", "repeats",
];

/// Deletes a user; what waits for a second person about them or by them is refused.
pub(super) fn delete(act: &mut Act<'_>, permit: &Permit<ManageUsers>, user: &User) -> Result<()> {
    end_memberships(act, permit, user.id)?;
    forget(&mut **act, user.id)?;
    refuse_wishes(&mut **act, user.id, permit.user()?, permit.at())?;
    let mut entry = permit.entry("user.delete");
    entry.subject = Some(user.id);
    entry.facts = vec![("number", user.number.to_string())];
    act.log(&entry)
}

/// The log says of each project that they can read nothing of it any more.
fn end_memberships(act: &mut Act<'_>, permit: &Permit<ManageUsers>, user: Id) -> Result<()> {
    let projects = "SELECT project_id FROM members WHERE user_id = $1 ORDER BY project_id";
    for row in act.query(projects, values![user])? {
        let mut entry = permit.entry("member.end");
        entry.project = Some(row.id(0)?);
        entry.subject = Some(user);
        act.log(&entry)?;
    }
    Ok(())
}

fn forget(sql: &mut dyn Sql, user: Id) -> Result<()> {
    sql.execute_one(
        "UPDATE users SET name = NULL, password = NULL, factor = NULL, new_factor = NULL, preferences = NULL, \
         own_idle_minutes = NULL, factor_step = 0, admin = 0, auditor = 0, state = 'deleted', \
         version = version + 1 WHERE id = $1",
        values![user],
    )?;
    for table in OWN {
        let delete = format!("DELETE FROM {table} WHERE user_id = $1");
        sql.execute(&delete, values![user])?;
    }
    sql.execute(
        "DELETE FROM guesses WHERE of LIKE $1",
        values![format!("%{user}")],
    )
    .map(drop)
}

fn refuse_wishes(sql: &mut dyn Sql, user: Id, by: Id, at: Millis) -> Result<()> {
    sql.execute(
        "UPDATE wishes SET state = 'refused', decided_by = $1, decided_at = $2 \
         WHERE state = 'waiting' AND (subject = $3 OR asked_by = $3)",
        values![by, at, user],
    )
    .map(drop)
}
