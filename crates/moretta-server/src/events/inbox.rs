//! What waits for a person.

use crate::clock::Millis;
use crate::db::Sql;
use crate::problem::Result;
use crate::rights::Signed;
use crate::stream::alarms::alarms;

/// How much waits for somebody: requests, releases and streams of the projects whose officer they are,
/// alarms of streams for operators too, and of administrators requests about the whole server. None
/// for who is none of them.
///
/// # Errors
/// When the store does not answer.
pub fn waiting_for(sql: &mut dyn Sql, signed: &Signed, at: Millis) -> Result<Option<i64>> {
    let officer = "SELECT project_id FROM members WHERE user_id = $1 AND role = 'officer' \
                   AND (ends_at IS NULL OR ends_at > $2)";
    let concerned = "SELECT count(*) FROM members WHERE user_id = $1 AND role IN ('officer', 'operator') \
                     AND (ends_at IS NULL OR ends_at > $2)";
    if sql.number(concerned, values![signed.user, at])? == 0 && !signed.admin {
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
    let mut count = alarms(sql, signed.user, at)?.len() as i64;
    for query in [wishes, releases, streams] {
        count += sql.number(&query, values![signed.user, at])?;
    }
    if signed.admin {
        let server = "SELECT count(*) FROM wishes WHERE project_id IS NULL AND state = 'waiting' \
                      AND asked_by <> $1 AND subject <> $1";
        count += sql.number(server, values![signed.user])?;
    }
    Ok(Some(count))
}
