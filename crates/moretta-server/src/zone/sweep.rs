//! Files that a killed server has left are removed at the next start.

use super::{Raw, Release, Staging, Vault, Zone, ZoneKind};
use crate::app::App;
use crate::id::Id;
use crate::problem::Result;
use crate::seal::problem;
use std::fs::{self, DirEntry};
use std::time::{Duration, SystemTime};

/// Removes files of all zones that no record names and that nobody has written to for `age`; gives
/// their number. Where other processes may be at work on the same folder, `age` is longer than a
/// file takes from its last byte to its record.
///
/// # Errors
/// When a folder cannot be read, or the store does not answer.
pub fn sweep(app: &App, age: Duration) -> Result<u64> {
    let before = SystemTime::now().checked_sub(age);
    Ok(sweep_zone::<Raw>(app, before)?
        + sweep_zone::<Staging>(app, before)?
        + sweep_zone::<Release>(app, before)?
        + sweep_zone::<Vault>(app, before)?)
}

fn sweep_zone<Z: ZoneKind>(app: &App, before: Option<SystemTime>) -> Result<u64> {
    let zone = Zone::<Z>::of(app)?;
    let entries = fs::read_dir(zone.folder()).and_then(Iterator::collect);
    let entries: Vec<DirEntry> = entries.map_err(|e| problem(&e))?;
    let mut swept = 0;
    for entry in entries {
        let id = entry.file_name().to_str().and_then(Id::parse);
        let told = entry.metadata().ok().filter(|told| told.is_file());
        let modified = told.and_then(|told| told.modified().ok());
        let is_old = modified
            .zip(before)
            .is_some_and(|(at, before)| at <= before);
        let Some(id) = id.filter(|_| is_old) else {
            continue;
        };
        if !is_known::<Z>(app, id)? && fs::remove_file(entry.path()).is_ok() {
            swept += 1;
        }
    }
    Ok(swept)
}

fn is_known<Z: ZoneKind>(app: &App, id: Id) -> Result<bool> {
    app.store.read(|sql| {
        let recorded = "SELECT count(*) FROM objects WHERE id = $1 AND zone = $2";
        Ok(sql.number(recorded, values![id, Z::NAME])? > 0
            || sql.number(
                "SELECT count(*) FROM uploads WHERE object_id = $1",
                values![id],
            )? > 0
            || sql.number(
                "SELECT count(*) FROM segments WHERE object_id = $1",
                values![id],
            )? > 0)
    })
}
