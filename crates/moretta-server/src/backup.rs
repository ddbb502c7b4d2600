//! Copies of the store, made while the server runs.
//!
//! The store is the only file that must not be copied while it is written to: sealed files are
//! written once. So whoever backs up the data folder asks for a copy first, and takes it together
//! with the sealed files. A copy holds the wrapped keys of all files that there were, so that it would
//! bring back what is deleted later: when raw data are deleted, the copies here are deleted as well,
//! and those that were taken elsewhere are for whoever took them.

use crate::app::App;
use crate::clock::Millis;
use crate::http::{Call, Created, Json, Nothing, Route, get, post};
use crate::problem::Result;
use crate::rights::{ManageServer, Permit};
use crate::seal::problem;
use crate::zone::{check_room, private_folder};
use schemars::JsonSchema;
use serde::Serialize;
use std::fs;
use std::path::PathBuf;

/// How many copies are kept.
const KEPT: usize = 3;

/// The routes of this file.
pub fn routes() -> Vec<Route> {
    vec![
        get("/backups", "Copies of the store that are kept", list),
        post(
            "/backups",
            "Copies the store as it is now, beside it, and deletes all but the last three copies",
            make,
        ),
    ]
}

/// A copy of the store.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Backup {
    /// Its name in the folder `backups` of the data folder.
    name: String,
    /// When it was begun.
    made_at: Millis,
    /// How many bytes it has.
    bytes: u64,
}

/// A copy that was just made.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Made {
    /// The copy.
    #[serde(flatten)]
    backup: Backup,
    /// The head of the log in it at least, to be kept elsewhere and given as `--seen` at a restore.
    receipt: String,
}

fn folder(app: &App) -> Result<PathBuf> {
    let folder = app.settings.data.join("backups");
    private_folder(&folder).map_err(|e| problem(&e))?;
    Ok(folder)
}

/// The copies, the newest first.
fn kept(app: &App) -> Result<Vec<Backup>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder(app)?).map_err(|e| problem(&e))? {
        let entry = entry.map_err(|e| problem(&e))?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        // What is still written has another name.
        let made_at = name.strip_prefix("store-").and_then(|at| at.parse().ok());
        let (Some(made_at), Ok(told)) = (made_at, entry.metadata()) else {
            continue;
        };
        found.push(Backup {
            name,
            made_at,
            bytes: told.len(),
        });
    }
    found.sort_by_key(|backup| std::cmp::Reverse(backup.made_at));
    Ok(found)
}

/// When the last copy was made.
pub(crate) fn last(app: &App) -> Result<Option<Millis>> {
    Ok(kept(app)?.first().map(|backup| backup.made_at))
}

fn list(
    app: &App,
    _: Permit<ManageServer>,
    _: Call<Nothing, Nothing>,
) -> Result<Json<Vec<Backup>>> {
    kept(app).map(Json)
}

fn make(
    app: &App,
    permit: Permit<ManageServer>,
    _: Call<Nothing, Nothing>,
) -> Result<Created<Made>> {
    let (folder, made_at) = (folder(app)?, permit.at());
    check_room(&folder, 0, app.settings.limits.reserve_bytes)?;
    let receipt = app.store.act(|act| {
        act.log(&permit.entry("settings.backup"))?;
        act.receipt()
    })?;
    let beside = folder.join(format!("begun-{}", permit.request()));
    let copied = app.store.db().copy_to(&beside);
    let name = format!("store-{made_at}");
    let named =
        copied.and_then(|()| fs::rename(&beside, folder.join(&name)).map_err(|e| problem(&e)));
    if let Err(problem) = named {
        let _ = fs::remove_file(&beside);
        return Err(problem);
    }
    let mut all = kept(app)?;
    for old in all.drain(KEPT.min(all.len())..) {
        let _ = fs::remove_file(folder.join(old.name));
    }
    let backup = all.into_iter().find(|backup| backup.name == name);
    let backup = backup.ok_or_else(|| crate::problem::Problem::not_found("backup"))?;
    Ok(Created(Made { backup, receipt }))
}

/// Deletes all copies, since they hold keys of what was just deleted.
///
/// # Errors
/// When one cannot be deleted.
pub(crate) fn forget(app: &App) -> Result<()> {
    let folder = folder(app)?;
    for backup in kept(app)? {
        fs::remove_file(folder.join(backup.name)).map_err(|e| problem(&e))?;
    }
    Ok(())
}
