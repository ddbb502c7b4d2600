//! What columns are like, in rounded counts, as a job has found out; and what is new since the version
//! before.

use super::version::DataVersion;
use crate::app::App;
use crate::db::Row;
use crate::http::{Call, Json, Nothing, Route, get};
use crate::id::Id;
use crate::job::{self, Kind, Spec};
use crate::problem::{Problem, Result};
use crate::rights::{Permit, ReadProfile, Upload};
use crate::store::Act;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

pub(super) fn routes() -> Vec<Route> {
    vec![get(
        "/projects/{project}/datasets/{dataset}/versions/{version}/profile",
        "What the columns of a version are like, and what is new since the one before",
        show,
    )]
}

/// What is known of the columns of a version.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Profile {
    /// The state of the job that looks at the columns; none when nobody has asked for it.
    state: Option<String>,
    /// The job.
    job: Option<Id>,
    /// What it has found.
    found: Option<Value>,
    /// What is new.
    difference: Option<Difference>,
}

/// What is new since the version before.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
struct Difference {
    /// The number of the version before.
    since: i64,
    /// Columns that it does not have.
    added: Vec<String>,
    /// Columns that only it has.
    removed: Vec<String>,
    /// Columns whose rounded figures are others.
    changed: Vec<String>,
}

fn show(
    app: &App,
    permit: Permit<ReadProfile>,
    call: Call<Nothing, Nothing>,
) -> Result<Json<Profile>> {
    let (project, dataset, id) = (permit.project()?, call.id("dataset")?, call.id("version")?);
    let profile = app.store.read(|sql| {
        let version = DataVersion::find_of(sql, project, dataset, id)?;
        let own = "SELECT profile FROM data_versions WHERE id = $1";
        let own = sql.row(own, values![id])?;
        let found = own
            .map(|row| read(row.maybe_text(0)?))
            .transpose()?
            .flatten();
        let before = sql.row(
            "SELECT number, profile FROM data_versions WHERE dataset_id = $1 AND number < $2 \
             AND profile IS NOT NULL ORDER BY number DESC LIMIT 1",
            values![dataset, version.number],
        )?;
        let before = before.map(|row| numbered(&row));
        let difference = match (&found, before.transpose()?) {
            (Some(found), Some((since, Some(before)))) => Some(difference(since, &before, found)),
            _ => None,
        };
        let state = "SELECT state FROM jobs WHERE id = $1";
        let state = sql.row(state, values![version.profile_job])?;
        let state = state.map(|row| row.maybe_text(0)).transpose()?.flatten();
        Ok(Profile {
            state,
            job: version.profile_job,
            found,
            difference,
        })
    })?;
    Ok(Json(profile))
}

/// Has the columns of a version looked at.
pub(super) fn look(
    act: &mut Act<'_>,
    permit: &Permit<Upload>,
    version: &DataVersion,
) -> Result<Id> {
    let spec = Spec {
        data: Some(version.id),
        ..Spec::default()
    };
    let by = (permit.project()?, permit.user()?);
    let job = job::enqueue(&mut **act, by, Kind::Profile, &spec, permit.at())?;
    let note = "UPDATE data_versions SET profile_job = $1 WHERE id = $2";
    act.execute_one(note, values![job, version.id])?;
    Ok(job)
}

fn numbered(row: &Row) -> Result<(i64, Option<Value>)> {
    Ok((row.integer(0)?, read(row.maybe_text(1)?)?))
}

fn read(text: Option<String>) -> Result<Option<Value>> {
    let read = |text: String| {
        serde_json::from_str(&text)
            .map_err(|_| Problem::bug("a profile of the store cannot be read"))
    };
    text.map(read).transpose()
}

fn columns(found: &Value) -> Vec<(&str, &Value)> {
    let columns = found["columns"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    columns
        .iter()
        .filter_map(|column| Some((column["name"].as_str()?, column)))
        .collect()
}

fn difference(since: i64, earlier: &Value, found: &Value) -> Difference {
    let (before, after) = (columns(earlier), columns(found));
    let of = |columns: &[(&str, &Value)], name: &str| {
        let found = columns.iter().find(|(other, _)| *other == name);
        found.map(|(_, column)| (*column).clone())
    };
    let names = |of_these: &[(&str, &Value)], keep: &dyn Fn(&str) -> bool| {
        let names = of_these.iter().map(|(name, _)| *name);
        names.filter(|name| keep(name)).map(str::to_owned).collect()
    };
    Difference {
        since,
        added: names(&after, &|name| of(&before, name).is_none()),
        removed: names(&before, &|name| of(&after, name).is_none()),
        changed: names(&after, &|name| {
            of(&before, name).is_some_and(|column| Some(column) != of(&after, name))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_difference_names_columns_and_no_value() {
        let column = |name, distinct| json!({ "name": name, "distinct": distinct });
        let earlier = json!({ "columns": [column("age", 40), column("zip", 5), column("old", 5)] });
        let found = json!({ "columns": [column("age", 45), column("zip", 5), column("new", 5)] });
        let expected = Difference {
            since: 3,
            added: vec!["new".to_owned()],
            removed: vec!["old".to_owned()],
            changed: vec!["age".to_owned()],
        };
        assert_eq!(difference(3, &earlier, &found), expected);
    }
}
