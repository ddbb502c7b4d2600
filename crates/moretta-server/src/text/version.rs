//! Versions of texts in the store.

use super::kind::{Hierarchy, TextKind};
use crate::app::App;
use crate::clock::Millis;
use crate::db::{Row, Sql, Value};
use crate::id::Id;
use crate::name::Name;
use crate::problem::{Problem, Result};
use crate::seal::Sealer;
use crate::secret::hex;
use crate::store::Act;
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use toml::de::{DeTable, DeValue};

/// A text and its last version, as lists show it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Listed {
    /// Its id.
    pub(super) id: Id,
    /// Its name.
    pub(super) name: String,
    /// The number of its last version.
    pub(super) number: i64,
    /// Who wrote that.
    pub(super) author: Id,
    /// When.
    pub(super) at: Millis,
}

/// A version of a text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TextVersion {
    /// Its id.
    pub id: Id,
    /// Its text.
    pub text: Id,
    /// The name of its text.
    pub name: String,
    /// Its place among the versions, from 1.
    pub number: i64,
    /// What it holds; empty in lists.
    pub content: String,
    /// The SHA-256 of what it holds.
    pub sha256: String,
    /// Who wrote it.
    pub author: Id,
    /// The version that it was made of.
    pub based_on: Option<Id>,
    /// The versions of the hierarchies that a policy names, by their names.
    pub uses: BTreeMap<String, Id>,
    /// When.
    pub at: Millis,
}

const COLUMNS: &str =
    "v.id, v.text_id, t.name, v.number, v.sha256, v.author, v.based_on, v.uses, v.at";

/// What the content of a version is sealed for.
fn context(id: Id) -> String {
    format!("text {id}")
}

impl TextVersion {
    fn read(row: &Row) -> Result<Self> {
        Ok(TextVersion {
            id: row.id(0)?,
            text: row.id(1)?,
            name: row.text(2)?.to_owned(),
            number: row.integer(3)?,
            content: String::new(),
            sha256: hex(row.bytes(4)?),
            author: row.id(5)?,
            based_on: row.maybe_id(6)?,
            uses: serde_json::from_str(row.text(7)?)
                .map_err(|_| Problem::bug("a text of the store cannot be read"))?,
            at: row.integer(8)?,
        })
    }

    fn opened(mut self, app: &App, sql: &mut dyn Sql) -> Result<Self> {
        let select = "SELECT content FROM text_versions WHERE id = $1";
        let row = sql.row(select, values![self.id])?;
        let row = row.ok_or_else(not_found)?;
        let plain = Sealer::of(app)?.open(&context(self.id), row.bytes(0)?)?;
        self.content = String::from_utf8(plain.to_vec())
            .map_err(|_| Problem::bug("a text of the store is no text"))?;
        Ok(self)
    }

    /// A version of any text of this kind of a project.
    ///
    /// # Errors
    /// 404 when there is none.
    pub fn find<K: TextKind>(app: &App, sql: &mut dyn Sql, project: Id, id: Id) -> Result<Self> {
        let select = format!(
            "SELECT {COLUMNS} FROM text_versions v JOIN texts t ON t.id = v.text_id \
             WHERE v.id = $1 AND t.project_id = $2 AND t.kind = $3"
        );
        let row = sql.row(&select, values![id, project, K::WORD])?;
        TextVersion::read(&row.ok_or_else(not_found)?)?.opened(app, sql)
    }

    /// The last version of a text.
    pub(super) fn last<K: TextKind>(
        app: &App,
        sql: &mut dyn Sql,
        project: Id,
        text: Id,
    ) -> Result<Self> {
        let mut versions = TextVersion::list::<K>(sql, project, text, i64::MAX, 1)?;
        versions.pop().ok_or_else(not_found)?.opened(app, sql)
    }

    /// Versions of a text before a number, the newest first, without what they hold.
    pub(super) fn list<K: TextKind>(
        sql: &mut dyn Sql,
        project: Id,
        text: Id,
        before: i64,
        limit: i64,
    ) -> Result<Vec<Self>> {
        let select = format!(
            "SELECT {COLUMNS} FROM text_versions v JOIN texts t ON t.id = v.text_id \
             WHERE v.text_id = $1 AND t.project_id = $2 AND t.kind = $3 AND v.number < $4 \
             ORDER BY v.number DESC LIMIT $5"
        );
        let rows = sql.query(&select, values![text, project, K::WORD, before, limit])?;
        rows.iter().map(TextVersion::read).collect()
    }
}

fn not_found() -> Problem {
    Problem::not_found("version")
}

/// Texts of a kind, in the order of their names.
pub(super) fn list<K: TextKind>(
    sql: &mut dyn Sql,
    project: Id,
    after: &str,
    limit: i64,
) -> Result<Vec<Listed>> {
    let rows = sql.query(
        "SELECT t.id, t.name, v.number, v.author, v.at FROM texts t JOIN text_versions v ON v.text_id = t.id \
         WHERE t.project_id = $1 AND t.kind = $2 AND t.name > $3 \
         AND v.number = (SELECT MAX(w.number) FROM text_versions w WHERE w.text_id = t.id) \
         ORDER BY t.name LIMIT $4",
        values![project, K::WORD, after, limit],
    )?;
    let listed = |row: &Row| {
        Ok(Listed {
            id: row.id(0)?,
            name: row.text(1)?.to_owned(),
            number: row.integer(2)?,
            author: row.id(3)?,
            at: row.integer(4)?,
        })
    };
    rows.iter().map(listed).collect()
}

/// Makes a text, without a version.
pub(super) fn insert<K: TextKind>(
    sql: &mut dyn Sql,
    project: Id,
    name: &Name,
    (author, at): (Id, Millis),
) -> Result<Id> {
    let id = Id::random();
    let made = sql.execute(
        "INSERT INTO texts (id, project_id, kind, name, made_at, made_by) VALUES ($1, $2, $3, $4, $5, $6)",
        values![id, project, K::WORD, name.text(), at, author],
    );
    made.map_err(|problem| name.taken(problem))?;
    Ok(id)
}

/// A version that is to be made.
pub(super) struct New<'a> {
    pub(super) project: Id,
    pub(super) text: Id,
    pub(super) name: &'a str,
    pub(super) number: i64,
    pub(super) content: &'a str,
    pub(super) based_on: Option<Id>,
    pub(super) author: Id,
    pub(super) at: Millis,
}

impl New<'_> {
    /// Makes it, and pins the hierarchies that a policy names.
    pub(super) fn insert<K: TextKind>(&self, app: &App, act: &mut Act<'_>) -> Result<TextVersion> {
        let id = Id::random();
        let uses = match K::WORD == Hierarchy::WORD {
            true => BTreeMap::new(),
            false => pins(&mut **act, self.project, self.content)?,
        };
        let sum = Sha256::digest(self.content.as_bytes());
        let sealed = Sealer::of(app)?.seal(&context(id), self.content.as_bytes());
        let insert = "INSERT INTO text_versions (id, text_id, number, content, sha256, author, based_on, uses, at) \
                      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        let cells = [
            Value::from(id),
            Value::from(self.text),
            Value::from(self.number),
            Value::from(sealed),
            Value::from(&sum[..]),
            Value::from(self.author),
            Value::from(self.based_on),
            Value::from(serde_json::to_string(&uses).unwrap_or_default()),
            Value::from(self.at),
        ];
        act.execute(insert, &cells)?;
        Ok(TextVersion {
            id,
            text: self.text,
            name: self.name.to_owned(),
            number: self.number,
            content: self.content.to_owned(),
            sha256: hex(&sum),
            author: self.author,
            based_on: self.based_on,
            uses,
            at: self.at,
        })
    }
}

/// The last versions of the hierarchies that a policy names.
fn pins(sql: &mut dyn Sql, project: Id, policy: &str) -> Result<BTreeMap<String, Id>> {
    let rows = sql.query(
        "SELECT t.name, v.id FROM texts t JOIN text_versions v ON v.text_id = t.id \
         WHERE t.project_id = $1 AND t.kind = 'hierarchy' \
         AND v.number = (SELECT MAX(w.number) FROM text_versions w WHERE w.text_id = t.id)",
        values![project],
    )?;
    let mut named = Vec::new();
    if let Ok(table) = DeTable::parse(policy) {
        for value in table.get_ref().values() {
            texts_in(value.get_ref(), &mut named);
        }
    }
    let mut pins = BTreeMap::new();
    for row in rows {
        let name = row.text(0)?;
        if named.iter().any(|other| other == name) {
            pins.insert(name.to_owned(), row.id(1)?);
        }
    }
    Ok(pins)
}

/// All texts of a value.
fn texts_in(value: &DeValue<'_>, found: &mut Vec<String>) {
    match value {
        DeValue::String(text) => found.push(text.to_string()),
        DeValue::Array(values) => {
            values
                .iter()
                .for_each(|value| texts_in(value.get_ref(), found));
        }
        DeValue::Table(table) => {
            table
                .values()
                .for_each(|value| texts_in(value.get_ref(), found));
        }
        _ => {}
    }
}

/// Names and contents of the hierarchies for a policy: of a saved version those that it keeps, of a
/// text that is not saved the last ones.
///
/// # Errors
/// When the store or the keys cannot be read.
pub fn hierarchies_for(
    app: &App,
    sql: &mut dyn Sql,
    project: Id,
    policy: &str,
    saved: Option<&TextVersion>,
) -> Result<Vec<(String, String)>> {
    let pins = match saved {
        Some(saved) => saved.uses.clone(),
        None => pins(sql, project, policy)?,
    };
    let mut found = Vec::with_capacity(pins.len());
    for (name, id) in pins {
        let version = TextVersion::find::<Hierarchy>(app, sql, project, id)?;
        found.push((name, version.content));
    }
    Ok(found)
}
