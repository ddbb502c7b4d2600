//! What a release is made of: a version of data and one of a policy, and who has made them.

use super::terms::Terms;
use crate::app::App;
use crate::data::DataVersion;
use crate::db::Sql;
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::text::{Policy, TextVersion, policy_of};
use std::collections::BTreeSet;

/// The data set of a version of data of a project that can still be read.
///
/// # Errors
/// 404 when there is none, 409 when it was deleted.
pub(super) fn dataset(sql: &mut dyn Sql, project: Id, version: Id) -> Result<Id> {
    DataVersion::find(sql, project, version)?.object()?;
    let row = sql.row(
        "SELECT dataset_id FROM data_versions WHERE id = $1",
        values![version],
    )?;
    row.ok_or_else(|| Problem::not_found("data version"))?.id(0)
}

/// The text of a version of a policy of a project.
///
/// # Errors
/// 404 when there is none.
pub(super) fn policy_text(
    app: &App,
    sql: &mut dyn Sql,
    project: Id,
    version: Id,
) -> Result<String> {
    Ok(TextVersion::find::<Policy>(app, sql, project, version)?.content)
}

/// What a version of a policy promises.
///
/// # Errors
/// 422 when the library would not run it.
pub(super) fn terms(
    app: &App,
    sql: &mut dyn Sql,
    project: Id,
    (data, policy): (Id, Id),
) -> Result<Terms> {
    let place = DataVersion::find(sql, project, data)?.place;
    Ok(Terms::of(&policy_of(app, sql, project, policy, &place)?))
}

/// Everybody who has a hand in a release: who asked for it, uploaded its data, or wrote its policy or
/// a hierarchy that this names, in this version or an earlier one.
///
/// # Errors
/// When the store does not answer.
pub(super) fn authors(
    app: &App,
    sql: &mut dyn Sql,
    project: Id,
    (asked_by, data, policy): (Id, Id, Id),
) -> Result<BTreeSet<Id>> {
    let mut authors = BTreeSet::from([asked_by]);
    let uploaded = "SELECT uploaded_by FROM data_versions WHERE id = $1";
    let wrote = "SELECT e.author FROM text_versions v JOIN text_versions e ON e.text_id = v.text_id \
                 WHERE v.id = $1 AND e.number <= v.number";
    let version = TextVersion::find::<Policy>(app, sql, project, policy)?;
    let texts = version.uses.values().copied().chain([policy]);
    let asked = texts.map(|text| (wrote, text)).chain([(uploaded, data)]);
    for (query, of) in asked {
        for row in sql.query(query, values![of])? {
            authors.insert(row.id(0)?);
        }
    }
    Ok(authors)
}
