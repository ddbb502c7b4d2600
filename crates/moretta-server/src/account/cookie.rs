//! Cookies of a browser: the secret of its session, and that it was here before.

use super::guess::{DEVICE, is_known};
use crate::clock::{Millis, SECOND};
use crate::db::Sql;
use crate::http::{COOKIE_NAME, DEVICE_COOKIE, Head};
use crate::id::{Id, random_bytes};
use crate::problem::Result;
use crate::secret::{Secret, hex};

/// How many devices of a person are known.
const MOST: i64 = 20;

/// Sets the secret of a session.
pub(super) fn session(secret: &Secret) -> String {
    format!(
        "{COOKIE_NAME}={}; Path=/; Secure; HttpOnly; SameSite=Strict",
        secret.show()
    )
}

/// Takes it away.
pub(super) fn none() -> String {
    format!("{COOKIE_NAME}=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0")
}

/// Remembers the browser in which somebody has shown everything that they have; sets its cookie if
/// it has none.
pub(super) fn device(
    sql: &mut dyn Sql,
    head: &Head,
    user: Id,
    at: Millis,
) -> Result<Option<String>> {
    let given = head
        .cookie(DEVICE_COOKIE)
        .filter(|secret| secret.len() == 64);
    if let Some(secret) = &given
        && is_known(sql, &Secret::new(secret.clone()).sum(), user, at)?
    {
        return Ok(None);
    }
    // Several people may share a browser.
    let secret = given.unwrap_or_else(|| hex(&random_bytes::<32>()));
    let sum = Secret::new(secret.clone()).sum();
    sql.execute(
        "INSERT INTO devices (secret, user_id, made_at) VALUES ($1, $2, $3) \
         ON CONFLICT (secret, user_id) DO UPDATE SET made_at = excluded.made_at",
        values![&sum[..], user, at],
    )?;
    sql.execute(
        "DELETE FROM devices WHERE user_id = $1 AND secret NOT IN \
         (SELECT secret FROM devices WHERE user_id = $1 ORDER BY made_at DESC, secret LIMIT $2)",
        values![user, MOST],
    )?;
    let seconds = DEVICE / SECOND;
    Ok(Some(format!(
        "{DEVICE_COOKIE}={secret}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age={seconds}"
    )))
}
