//! Tokens: for programs of a person, and for the events of one stream.

use crate::clock::{DAY, Millis};
use crate::db::{Row, Sql, Value};
use crate::id::{Id, random_bytes};
use crate::problem::{Problem, Result};
use crate::rights::{RIGHTS, Role, Signed};
use crate::secret::{Secret, hex};
use schemars::JsonSchema;
use serde::Serialize;

/// How long a token lasts at most.
pub const LONGEST: Millis = 90 * DAY;
/// How many tokens a person may have.
const MOST: i64 = 50;

/// A token that was found.
#[derive(Clone, Debug)]
pub struct Token {
    /// Whose it is.
    pub signed: Signed,
    /// The project and the stream that it is for; none of a person's.
    pub stream: Option<(Id, Id)>,
    /// Whether its person must have a second factor and has none.
    pub lacks_factor: bool,
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
    let query = format!(
        "SELECT t.scope, t.stream_id, s.project_id, u.id, u.number, u.admin, u.auditor, u.factor, \
                (SELECT count(*) FROM members m WHERE m.user_id = u.id AND {}) \
         FROM tokens t JOIN users u ON u.id = t.user_id LEFT JOIN streams s ON s.id = t.stream_id \
         WHERE t.secret = $1 AND t.ends_at > $2 AND u.state = 'active'",
        Role::TRUSTED
    );
    let sum = Secret::new(secret.to_owned()).sum();
    let row = sql.row(&query, values![&sum[..], at])?;
    let Some(row) = row else { return Ok(None) };
    let stream = match (row.maybe_id(2)?, row.maybe_id(1)?) {
        (Some(project), Some(stream)) => Some((project, stream)),
        (None, None) => None,
        // Its stream is gone.
        _ => return Ok(None),
    };
    let (admin, auditor) = (row.yes(5)?, row.yes(6)?);
    let needs_factor = admin || auditor || row.integer(8)? > 0;
    Ok(Some(Token {
        lacks_factor: needs_factor && row.is_null(7)?,
        signed: Signed {
            user: row.id(3)?,
            number: row.integer(4)?,
            // Tokens do not administer.
            admin: false,
            auditor,
            session: None,
        },
        stream,
        scope: row.text(0)?.to_owned(),
    }))
}

/// A token as its owner sees it; nobody sees its secret again.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Listed {
    /// Its id, which is no secret.
    pub id: Id,
    /// What its owner calls it.
    pub name: String,
    /// What it may do: names of rights or of their areas.
    pub scope: Vec<String>,
    /// The stream that it is for; none of a person's.
    pub stream: Option<Id>,
    /// When it was made.
    pub made_at: Millis,
    /// When it ends.
    pub ends_at: Millis,
}

impl Listed {
    fn read(row: &Row) -> Result<Self> {
        let scope = row.text(2)?.split(' ').filter(|scope| !scope.is_empty());
        Ok(Listed {
            id: row.id(0)?,
            name: row.text(1)?.to_owned(),
            scope: scope.map(str::to_owned).collect(),
            stream: row.maybe_id(3)?,
            made_at: row.integer(4)?,
            ends_at: row.integer(5)?,
        })
    }
}

/// What a token of a person can be for: rights that tokens may use, and their areas.
pub fn is_scope(text: &str) -> bool {
    let mut rights = RIGHTS.iter().filter(|right| right.token);
    rights.any(|right| right.name == text || right.name.split('.').next() == Some(text))
}

/// Makes a token for programs of a person; the secret is shown this once.
///
/// # Errors
/// 422 when the scope is not for tokens or the end is too far.
pub fn make(
    sql: &mut dyn Sql,
    user: Id,
    name: &str,
    scope: &[String],
    ends_at: Millis,
    at: Millis,
) -> Result<(Id, Secret)> {
    if scope.is_empty() || scope.len() > RIGHTS.len() || !scope.iter().all(|s| is_scope(s)) {
        let mut names: Vec<&str> = RIGHTS.iter().filter(|r| r.token).map(|r| r.name).collect();
        names.sort_unstable();
        return Err(Problem::unusable("tokens cannot have this scope")
            .help(format!("name some of: {}", names.join(", "))));
    }
    insert(sql, user, name, &scope.join(" "), None, ends_at, at)
}

/// Makes a token for the events of one stream; the secret is shown this once.
///
/// # Errors
/// 422 when the end is too far.
pub fn make_ingest(
    sql: &mut dyn Sql,
    user: Id,
    stream: Id,
    name: &str,
    ends_at: Millis,
    at: Millis,
) -> Result<(Id, Secret)> {
    insert(sql, user, name, "", Some(stream), ends_at, at)
}

fn insert(
    sql: &mut dyn Sql,
    user: Id,
    name: &str,
    scope: &str,
    stream: Option<Id>,
    ends_at: Millis,
    at: Millis,
) -> Result<(Id, Secret)> {
    if ends_at <= at || ends_at > at + LONGEST {
        return Err(Problem::unusable(
            "a token ends after now, and after 90 days at most",
        ));
    }
    sql.execute("DELETE FROM tokens WHERE ends_at <= $1", values![at])?;
    let count = "SELECT count(*) FROM tokens WHERE user_id = $1";
    if sql.number(count, values![user])? >= MOST {
        let what = format!("nobody has more than {MOST} tokens");
        return Err(Problem::conflict("too-many-tokens", what).help("end some that are not used"));
    }
    let id = Id::random();
    let secret = Secret::new(format!("moretta_{}", hex(&random_bytes::<32>())));
    sql.execute(
        "INSERT INTO tokens (id, secret, user_id, name, scope, stream_id, made_at, ends_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        &[
            Value::from(id),
            Value::from(&secret.sum()[..]),
            Value::from(user),
            Value::from(name),
            Value::from(scope),
            Value::from(stream),
            Value::from(at),
            Value::from(ends_at),
        ],
    )?;
    Ok((id, secret))
}

const COLUMNS: &str = "id, name, scope, stream_id, made_at, ends_at";

/// The tokens of a person that have not ended.
///
/// # Errors
/// When the store does not answer.
pub fn list(sql: &mut dyn Sql, user: Id, at: Millis) -> Result<Vec<Listed>> {
    let query = format!(
        "SELECT {COLUMNS} FROM tokens WHERE user_id = $1 AND ends_at > $2 ORDER BY made_at, id"
    );
    let rows = sql.query(&query, values![user, at])?;
    rows.iter().map(Listed::read).collect()
}

/// The tokens for the events of a stream that have not ended.
///
/// # Errors
/// When the store does not answer.
pub fn list_ingest(sql: &mut dyn Sql, stream: Id, at: Millis) -> Result<Vec<Listed>> {
    let query = format!(
        "SELECT {COLUMNS} FROM tokens WHERE stream_id = $1 AND ends_at > $2 ORDER BY made_at, id"
    );
    let rows = sql.query(&query, values![stream, at])?;
    rows.iter().map(Listed::read).collect()
}

/// Ends a token of a person.
///
/// # Errors
/// 404 when they have none with this id.
pub fn end(sql: &mut dyn Sql, user: Id, token: Id) -> Result<()> {
    let delete = "DELETE FROM tokens WHERE id = $1 AND user_id = $2";
    match sql.execute(delete, values![token, user])? {
        1 => Ok(()),
        _ => Err(Problem::not_found("token")),
    }
}

/// Ends all tokens of a person, which who had their account before may have made; those for streams
/// send events and read nothing.
///
/// # Errors
/// When the store does not answer.
pub fn end_all(sql: &mut dyn Sql, user: Id) -> Result<()> {
    let delete = "DELETE FROM tokens WHERE user_id = $1 AND stream_id IS NULL";
    sql.execute(delete, values![user]).map(drop)
}

/// Ends a token for the events of a stream, whoever made it.
///
/// # Errors
/// 404 when the stream has none with this id.
pub fn end_ingest(sql: &mut dyn Sql, stream: Id, token: Id) -> Result<()> {
    let delete = "DELETE FROM tokens WHERE id = $1 AND stream_id = $2";
    match sql.execute(delete, values![token, stream])? {
        1 => Ok(()),
        _ => Err(Problem::not_found("token")),
    }
}
