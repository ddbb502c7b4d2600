//! More columns are found to name persons: what they hold goes to the vault from all versions.
//!
//! Each version that has bytes is followed by one with pseudonyms in these columns, which is kept as
//! long as the old one would have been; the old one is deleted with its key.

use super::split::{Parts, split};
use crate::app::App;
use crate::data::set::DataSet;
use crate::data::version::{DataVersion, New};
use crate::http::{Call, Json, Nothing, Route, Tagged, outdated, put};
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::project::check_open;
use crate::rights::{Permit, Upload};
use crate::store::Act;
use crate::zone::{Leftover, RawZone, VaultZone};
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) fn routes() -> Vec<Route> {
    vec![
        put(
            "/projects/{project}/datasets/{dataset}/identifiers",
            "Moves what more columns hold to the vault, from all versions",
            declare,
        )
        .of_version(),
    ]
}

/// The columns that name persons.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Declared {
    /// All of them: those of before, which cannot be taken back, and more.
    identifiers: Vec<String>,
}

fn declare(
    app: &App,
    permit: Permit<Upload>,
    call: Call<Nothing, Json<Declared>>,
) -> Result<Tagged<Json<DataSet>>> {
    let (project, id, seen) = (permit.project()?, call.id("dataset")?, call.seen_version()?);
    let all = crate::data::set::check_identifiers(&call.body.0.identifiers)?;
    let (set, versions) = app.store.read(|sql| {
        let set = DataSet::find(sql, project, id)?;
        Ok((set, DataVersion::with_bytes(sql, id)?))
    })?;
    if set.version != seen {
        return Err(outdated());
    }
    if set.identifiers.iter().any(|before| !all.contains(before)) {
        return Err(
            Problem::unusable("columns that name persons do not come back from the vault")
                .help("name those of before, and more"),
        );
    }
    let more: Vec<String> = all
        .iter()
        .filter(|name| !set.identifiers.contains(name))
        .cloned()
        .collect();
    let mut made = Vec::with_capacity(versions.len());
    let done = make(app, id, &versions, &more, &mut made).and_then(|()| {
        app.store.act(|act| {
            check_open(&mut **act, project)?;
            let names = serde_json::to_string(&all).unwrap_or_default();
            let changed = act.execute(
                "UPDATE datasets SET identifiers = $1, version = version + 1 WHERE id = $2 AND version = $3",
                values![names, id, seen],
            )?;
            if changed == 0 || DataVersion::with_bytes(&mut **act, id)?.len() != versions.len() {
                return Err(outdated());
            }
            let mut leftover = Leftover::default();
            for (old, parts) in versions.iter().zip(&made) {
                leftover.and(replace(app, act, &permit, old, parts)?);
            }
            let mut entry = permit.entry("data.identifiers");
            entry.subject = Some(id);
            entry.facts = vec![("columns", all.len().to_string())];
            act.log(&entry)?;
            Ok((DataSet::find(&mut **act, project, id)?, leftover))
        })
    });
    match done {
        Ok((set, leftover)) => {
            leftover.remove(&app.store);
            Ok(Tagged(set.version, Json(set)))
        }
        Err(problem) => {
            forget(app, &made)?;
            Err(problem)
        }
    }
}

fn make(
    app: &App,
    set: Id,
    versions: &[DataVersion],
    more: &[String],
    made: &mut Vec<Parts>,
) -> Result<()> {
    for version in versions {
        let (placed, earlier) = app.store.read(|sql| {
            let placed = RawZone::of(app)?.place(sql, version.object()?)?;
            let earlier = match vault_of(sql, version.id)? {
                Some((object, entries)) => Some((VaultZone::of(app)?.open(sql, object)?, entries)),
                None => None,
            };
            Ok((placed, earlier))
        })?;
        made.push(split(app, placed, &version.place, (set, more), earlier)?);
    }
    Ok(())
}

/// The object of a version in the vault, and how many entries it has.
fn vault_of(sql: &mut dyn crate::db::Sql, version: Id) -> Result<Option<(Id, i64)>> {
    let select = "SELECT object_id, entries FROM vaults WHERE data_version_id = $1";
    let row = sql.row(select, values![version])?;
    row.map(|row| Ok((row.id(0)?, row.integer(1)?))).transpose()
}

/// A version with pseudonyms follows one without.
fn replace(
    app: &App,
    act: &mut Act<'_>,
    permit: &Permit<Upload>,
    old: &DataVersion,
    parts: &Parts,
) -> Result<Leftover> {
    let project = permit.project()?;
    let leftover = crate::data::deletion::delete(app, act, old, permit.at())?;
    let (object, written) = &parts.data;
    RawZone::of(app)?.record(act, object, written, (project, None), permit.at())?;
    let new = New {
        dataset: old.dataset,
        file_name: &old.file_name,
        place: old.place.clone(),
        object: object.id,
        written: *written,
        by: old.uploaded_by,
        at: old.uploaded_at,
        delete_after: old.delete_after,
    };
    let version = new.insert(&mut **act)?;
    parts.keep(app, act, &version, (project, permit.at()))?;
    crate::data::profile::look(act, permit, &version)?;
    let mut entry = permit.entry("data.version");
    entry.subject = Some(version.id);
    entry.facts = vec![
        ("dataset", version.dataset.to_string()),
        ("number", version.number.to_string()),
        ("sha256", version.sha256.clone()),
        ("replaces", old.id.to_string()),
    ];
    act.log(&entry)?;
    Ok(leftover)
}

/// Removes files that were not recorded.
fn forget(app: &App, made: &[Parts]) -> Result<()> {
    let mut leftover = Leftover::default();
    for parts in made {
        leftover.and(parts.leftover(app)?);
    }
    leftover.remove(&app.store);
    Ok(())
}
