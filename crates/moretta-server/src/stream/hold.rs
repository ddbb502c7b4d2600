//! Streams that stop by what happens to their project: tightened rules that they do not keep, and its
//! end.

use super::define;
use super::points::mark;
use crate::app::App;
use crate::db::Sql;
use crate::events::tell_alarm;
use crate::id::Id;
use crate::problem::Result;
use crate::project::Rules;
use crate::rights::Permit;
use crate::store::Act;

/// Approved streams of a project that may release more: their version of a policy, and their level.
fn approved(sql: &mut dyn Sql, project: Id) -> Result<Vec<(Id, Id, i64)>> {
    let query = "SELECT id, policy_version_id, level FROM streams WHERE project_id = $1 \
                 AND decision = 'approved' AND state <> 'finished' ORDER BY id";
    let rows = sql.query(query, values![project])?;
    rows.iter()
        .map(|row| Ok((row.id(0)?, row.id(1)?, row.integer(2)?)))
        .collect()
}

/// Stops approved streams that do not keep the rules of their project as they are now: they wait for
/// another approval, and the log and the inbox say why.
///
/// # Errors
/// When the store does not answer.
pub(crate) fn hold_to_rules<R>(app: &App, act: &mut Act<'_>, permit: &Permit<R>) -> Result<()> {
    let (project, at) = (permit.project()?, permit.at());
    let (rules, _) = Rules::of(&mut **act, project)?;
    for (stream, version, level) in approved(&mut **act, project)? {
        let why = match define::check(app, &mut **act, (project, &rules), (version, level)) {
            Ok(()) => continue,
            Err(problem) if problem.status >= 500 => return Err(problem),
            Err(problem) => problem,
        };
        let reason = format!("held, since rules were tightened: {}", why.what);
        act.execute_one(
            "UPDATE streams SET decision = 'waiting', reason = $1, decided_by = NULL, decided_at = NULL, \
             wanted = 'stopped', version = version + 1 WHERE id = $2",
            values![reason, stream],
        )?;
        mark(&mut **act, stream, "hold", at)?;
        let mut entry = permit.entry("stream.hold");
        entry.subject = Some(stream);
        entry.facts = vec![
            ("code", why.code.to_owned()),
            ("policy_version", version.to_string()),
        ];
        act.log(&entry)?;
        tell_alarm(&mut **act, project, stream, at)?;
    }
    Ok(())
}

/// Stops all streams of a project that is closed.
///
/// # Errors
/// When the store does not answer.
pub(crate) fn stop_all<R>(act: &mut Act<'_>, permit: &Permit<R>, project: Id) -> Result<()> {
    let wanted = "SELECT id FROM streams WHERE project_id = $1 AND wanted <> 'stopped' ORDER BY id";
    for row in act.query(wanted, values![project])? {
        let stream = row.id(0)?;
        act.execute_one(
            "UPDATE streams SET wanted = 'stopped', version = version + 1 WHERE id = $1",
            values![stream],
        )?;
        mark(&mut **act, stream, "stop", permit.at())?;
        let mut entry = permit.entry("stream.stop");
        entry.project = Some(project);
        entry.subject = Some(stream);
        entry.facts = vec![("why", "the project was closed".to_owned())];
        act.log(&entry)?;
    }
    Ok(())
}
