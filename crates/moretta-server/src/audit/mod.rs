//! The log of acts: who did what and when, in a chain of sums, without a cell.
//!
//! Each entry is JSON with its keys in one order; its sum is that of the sum before and its text, so
//! that a changed, removed or exchanged entry is found. A cut end is found by whoever has seen a
//! later head: it is printed each hour and stands in receipts. Persons stand in it by their numbers,
//! so that a name can be deleted.

mod routes;
mod verify;

pub use routes::routes;
pub use verify::{Fault, Verified, verify, verify_export};

use crate::clock::Millis;
use crate::db::{Sql, Value};
use crate::id::Id;
use crate::problem::Result;
use crate::secret::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// A SHA-256 sum.
pub type Hash = [u8; 32];

/// What is to be entered.
#[derive(Clone, Debug, Default)]
pub struct Entry<'a> {
    /// When.
    pub at: Millis,
    /// The number of who did it; none for the server itself and for nobody known.
    pub actor: Option<i64>,
    /// What was done, such as `release.approve`.
    pub act: &'a str,
    /// Whether it was refused.
    pub refused: bool,
    /// In which project.
    pub project: Option<Id>,
    /// To what.
    pub subject: Option<Id>,
    /// What else is to be known, by name.
    pub facts: Vec<(&'a str, String)>,
}

/// An entry as it stands in the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entered {
    /// Its place, counted from 1.
    pub number: i64,
    /// When, in milliseconds since 1970.
    pub at: Millis,
    /// The number of who did it.
    pub actor: Option<i64>,
    /// What was done.
    pub act: String,
    /// Whether it was refused.
    pub refused: bool,
    /// In which project.
    pub project: Option<Id>,
    /// To what.
    pub subject: Option<Id>,
    /// What else is to be known.
    pub facts: BTreeMap<String, String>,
}

/// The last entry of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its place; 0 of an empty log.
    pub number: i64,
    /// Its sum.
    pub hash: Hash,
}

impl Head {
    /// As people, files and receipts have it: `NUMBER:HASH`.
    pub fn text(&self) -> String {
        format!("{}:{}", self.number, hex(&self.hash))
    }
}

/// The head of a log without entries.
pub fn beginning() -> Head {
    Head {
        number: 0,
        hash: Sha256::digest(b"moretta audit 1").into(),
    }
}

/// The sum of an entry after the one with sum `before`.
pub fn chained(before: &Hash, entry: &str) -> Hash {
    Sha256::new()
        .chain_update(before)
        .chain_update(entry.as_bytes())
        .finalize()
        .into()
}

/// The end of the log.
///
/// # Errors
/// When the store does not answer.
pub fn head(sql: &mut dyn Sql) -> Result<Head> {
    let row = sql.row(
        "SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1",
        values![],
    )?;
    match row {
        None => Ok(beginning()),
        Some(row) => Ok(Head {
            number: row.integer(0)?,
            hash: verify::hash_of(row.bytes(1)?)?,
        }),
    }
}

/// Adds an entry, in the transaction of what it tells of.
///
/// # Errors
/// When the store does not answer.
pub fn append(sql: &mut dyn Sql, entry: &Entry<'_>) -> Result<Head> {
    let before = head(sql)?;
    let facts = entry
        .facts
        .iter()
        .map(|(name, fact)| ((*name).to_owned(), fact.clone()));
    let entered = Entered {
        number: before.number + 1,
        at: entry.at,
        actor: entry.actor,
        act: entry.act.to_owned(),
        refused: entry.refused,
        project: entry.project,
        subject: entry.subject,
        facts: facts.collect(),
    };
    let text = entered.text();
    let hash = chained(&before.hash, &text);
    sql.execute(
        "INSERT INTO audit (number, entry, hash, at, actor, act, project_id) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        &[
            Value::from(entered.number),
            Value::from(text),
            Value::from(&hash[..]),
            Value::from(entered.at),
            Value::from(entered.actor),
            Value::from(entered.act),
            Value::from(entered.project),
        ],
    )?;
    Ok(Head {
        number: entered.number,
        hash,
    })
}

impl Entered {
    /// The one text of this entry.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
