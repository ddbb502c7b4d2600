//! What waits for a person.

use crate::clock::Millis;
use crate::db::Sql;
use crate::problem::Result;
use crate::rights::Signed;

/// How much waits for somebody: requests and releases of the projects whose officer they are, and of
/// administrators requests about the whole server. None for who decides nothing.
///
/// # Errors
/// When the store does not answer.
pub fn waiting_for(sql: &mut dyn Sql, signed: &Signed, at: Millis) -> Result<Option<i64>> {
    let officer = "SELECT project_id FROM members WHERE user_id = $1 AND role = 'officer' \
                   AND (ends_at IS NULL OR ends_at > $2)";
    let projects = sql.query(officer, values![signed.user, at])?.len();
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
    let mut count = sql.number(&wishes, values![signed.user, at])?
        + sql.number(&releases, values![signed.user, at])?;
    if signed.admin {
        let server = "SELECT count(*) FROM wishes WHERE project_id IS NULL AND state = 'waiting' \
                      AND asked_by <> $1 AND subject <> $1";
        count += sql.number(server, values![signed.user])?;
    }
    Ok(Some(count))
}
