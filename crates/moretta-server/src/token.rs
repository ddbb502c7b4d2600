//! Tokens: for programs of a person, and for the events of one stream.

use crate::clock::Millis;
use crate::db::Sql;
use crate::id::Id;
use crate::problem::Result;
use crate::rights::Signed;
use crate::secret::Secret;

/// A token that was found.
#[derive(Clone, Debug)]
pub struct Token {
    /// Whose it is.
    pub signed: Signed,
    /// The project and the stream that it is for; none of a person's.
    pub stream: Option<(Id, Id)>,
    scope: String,
}

impl Token {
    /// Whether its scope holds a right: by its name, or by what stands before the point.
    pub fn allows(&self, right: &str) -> bool {
        let area = right.split('.').next().unwrap_or_default();
        self.scope
            .split(' ')
            .any(|scope| scope == right || scope == area)
    }
}

/// Finds the token with a secret; none that has ended or whose user is disabled.
///
/// # Errors
/// When the store does not answer.
pub fn find(sql: &mut dyn Sql, secret: &str, at: Millis) -> Result<Option<Token>> {
    let row = sql.row(
        "SELECT t.scope, t.stream_id, s.project_id, u.id, u.number, u.admin, u.auditor \
         FROM tokens t JOIN users u ON u.id = t.user_id LEFT JOIN streams s ON s.id = t.stream_id \
         WHERE t.secret = $1 AND t.ends_at > $2 AND u.state = 'active'",
        values![&Secret::new(secret.to_owned()).sum()[..], at],
    )?;
    let Some(row) = row else { return Ok(None) };
    let stream = match (row.maybe_id(2)?, row.maybe_id(1)?) {
        (Some(project), Some(stream)) => Some((project, stream)),
        (None, None) => None,
        // Its stream is gone.
        _ => return Ok(None),
    };
    Ok(Some(Token {
        signed: Signed {
            user: row.id(3)?,
            number: row.integer(4)?,
            // Tokens do not administer.
            admin: false,
            auditor: row.yes(6)?,
            session: None,
        },
        stream,
        scope: row.text(0)?.to_owned(),
    }))
}
