//! What waits for a person.

use crate::clock::Millis;
use crate::db::Sql;
use crate::problem::Result;
use crate::rights::Signed;
use crate::stream::ALARMS;

/// How much waits for somebody: requests, releases and streams of the projects whose officer they are,
/// alarms of streams that they run, and of administrators requests about the whole server. None for
/// who does none of it.
///
/// # Errors
/// When the store does not answer.
pub fn waiting_for(sql: &mut dyn Sql, signed: &Signed, at: Millis) -> Result<Option<i64>> {
    let of = |role: &str| {
        format!(
            "SELECT project_id FROM members WHERE user_id = $1 AND role = '{role}' \
             AND (ends_at IS NULL OR ends_at > $2)"
        )
    };
    let (officer, operator) = (of("officer"), of("operator"));
    let mut projects = 0;
    for role in [&officer, &operator] {
        projects += sql.query(role, values![signed.user, at])?.len();
    }
    if projects == 0 && !signed.admin {
        return Ok(None);
    }
    let wishes = format!(
        "SELECT count(*) FROM wishes WHERE project_id IN ({officer}) AND state = 'waiting' \
         AND asked_by <> $1 AND subject <> $1"
    );
    let releases = format!(
        "SELECT count(*) FROM releases WHERE project_id IN ({officer}) AND state = 'ready' \
         AND asked_by <> $1"
    );
    let streams = format!(
        "SELECT count(*) FROM streams WHERE project_id IN ({officer}) AND decision = 'waiting' \
         AND made_by <> $1"
    );
    let [failed, under_goal, no_events] = ALARMS;
    let alarms = format!(
        "SELECT count(*) FROM streams s JOIN marks m ON m.stream_id = s.id \
         WHERE m.at = (SELECT MAX(l.at) FROM marks l WHERE l.stream_id = s.id) AND (\
         s.project_id IN ({operator}) AND m.what IN ('{failed}', '{under_goal}', '{no_events}') \
         OR s.project_id IN ({officer}) AND m.what = '{under_goal}')"
    );
    let mut count = 0;
    for waiting in [wishes, releases, streams, alarms] {
        count += sql.number(&waiting, values![signed.user, at])?;
    }
    if signed.admin {
        let server = "SELECT count(*) FROM wishes WHERE project_id IS NULL AND state = 'waiting' \
                      AND asked_by <> $1 AND subject <> $1";
        count += sql.number(server, values![signed.user])?;
    }
    Ok(Some(count))
}
