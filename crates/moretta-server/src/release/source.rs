//! What a release is made of: a version of data and one of a policy, and who has made them.

use super::terms::Terms;
use crate::app::App;
use crate::db::Sql;
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::text::{Places, compose};
use moretta::policy::{Policy, Root};
use std::collections::BTreeSet;

/// A version of data.
pub(super) struct Data {
    pub(super) dataset: Id,
    pub(super) dataset_name: String,
    pub(super) number: i64,
}

/// A version of data of a project that can still be read.
///
/// # Errors
/// 404 when there is none, 409 when it was deleted.
pub(super) fn data(sql: &mut dyn Sql, project: Id, version: Id) -> Result<Data> {
    let row = sql.row(
        "SELECT d.id, d.name, v.number, v.object_id FROM data_versions v \
         JOIN datasets d ON d.id = v.dataset_id WHERE v.id = $1 AND d.project_id = $2",
        values![version, project],
    )?;
    let row = row.ok_or_else(|| Problem::not_found("data version"))?;
    if row.is_null(3)? {
        return Err(Problem::conflict("deleted", "these data were deleted")
            .help("take another version of the data"));
    }
    Ok(Data {
        dataset: row.id(0)?,
        dataset_name: row.text(1)?.to_owned(),
        number: row.integer(2)?,
    })
}

/// The text of a version of a policy of a project.
///
/// # Errors
/// 404 when there is none.
pub(super) fn policy_text(sql: &mut dyn Sql, project: Id, version: Id) -> Result<String> {
    let row = sql.row(
        "SELECT v.content FROM text_versions v JOIN texts t ON t.id = v.text_id \
         WHERE v.id = $1 AND t.project_id = $2 AND t.kind = 'policy'",
        values![version, project],
    )?;
    let row = row.ok_or_else(|| Problem::not_found("policy version"))?;
    String::from_utf8(row.bytes(0)?.to_vec()).map_err(|_| Problem::bug("a policy is no text"))
}

/// What a version of a policy promises.
///
/// # Errors
/// 422 when the library would not run it.
pub(super) fn terms(app: &App, sql: &mut dyn Sql, project: Id, version: Id) -> Result<Terms> {
    let text = policy_text(sql, project, version)?;
    let places = Places {
        source: "data.csv".to_owned(),
        sink: Some("release.csv".to_owned()),
        report: None,
        ledger: None,
    };
    let composed = compose(&text, &places)?;
    // Nothing is read at these places: the policy is only looked at.
    let root = Root::of_policy(&app.settings.data.join("policy.toml"), None)?;
    let policy = Policy::parse(&composed.text, &root)?;
    Ok(Terms::of(&policy))
}

/// Everybody who has a hand in a release: who asked for it, uploaded its data, wrote any version of
/// its policy up to this one, or any version of a hierarchy that the policy names.
///
/// # Errors
/// When the store does not answer.
pub(super) fn authors(
    sql: &mut dyn Sql,
    project: Id,
    (asked_by, data, policy): (Id, Id, Id),
) -> Result<BTreeSet<Id>> {
    let mut authors = BTreeSet::from([asked_by]);
    let mut add = |rows: Vec<crate::db::Row>| -> Result<()> {
        for row in rows {
            authors.insert(row.id(0)?);
        }
        Ok(())
    };
    add(sql.query(
        "SELECT uploaded_by FROM data_versions WHERE id = $1",
        values![data],
    )?)?;
    add(sql.query(
        "SELECT e.author FROM text_versions v JOIN text_versions e ON e.text_id = v.text_id \
         WHERE v.id = $1 AND e.number <= v.number",
        values![policy],
    )?)?;
    let text = policy_text(sql, project, policy)?;
    let named = sql.query(
        "SELECT id, name FROM texts WHERE project_id = $1 AND kind = 'hierarchy'",
        values![project],
    )?;
    for row in named {
        // Wherever the name stands in the policy: who is one too many can be replaced by another.
        if text.contains(row.text(1)?) {
            add(sql.query(
                "SELECT author FROM text_versions WHERE text_id = $1",
                values![row.id(0)?],
            )?)?;
        }
    }
    Ok(authors)
}
