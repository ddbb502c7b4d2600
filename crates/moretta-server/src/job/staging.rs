//! What workers write: a folder for each try, emptied after it, and the zone of staging, into which
//! what they made is moved in the transaction that ends the job.

use super::end::Object;
use super::protocol::Made;
use super::queue::Claimed;
use crate::app::App;
use crate::clock::Millis;
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::seal::{self, Key};
use crate::store::Act;
use crate::zone::{StagingZone, check_room};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The folder of a try.
pub(super) fn folder(app: &App, claim: Id) -> PathBuf {
    tries(app).join(claim.to_string())
}

fn tries(app: &App) -> PathBuf {
    app.settings.data.join("tries")
}

/// The folder of the zone, which is there.
fn zone(app: &App) -> Result<PathBuf> {
    StagingZone::of(app).map(|zone| zone.folder().to_owned())
}

/// Makes the folder of a try, if the disk has room.
pub(super) fn begin(app: &App, folder: &Path) -> Result<()> {
    make(folder)?;
    check_room(folder, 0, app.settings.limits.reserve_bytes)
}

/// Makes a folder that is its owner's alone.
fn make(folder: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|e| seal::problem(&e))
}

/// Moves what a try has made into the zone, and enters it in the store. What has not the length that
/// the worker told is refused.
pub(super) fn keep(
    app: &App,
    act: &mut Act<'_>,
    job: &Claimed,
    made: &[Made],
    at: Millis,
) -> Result<Vec<Object>> {
    if made.is_empty() {
        return Ok(Vec::new());
    }
    let (keys, zone) = (app.keys()?, zone(app)?);
    let mut objects = Vec::with_capacity(made.len());
    for one in made {
        let key = Key::parse(&one.key).ok_or_else(untrue)?;
        let sha256 = unhex(&one.sha256).ok_or_else(untrue)?;
        let name = one.object.to_string();
        let from = folder(app, job.claim).join(&name);
        let told = fs::symlink_metadata(&from).map_err(|_| untrue())?;
        if !told.is_file() || told.len() != seal::sealed_length(one.bytes) {
            return Err(untrue());
        }
        act.execute(
            "INSERT INTO objects (id, zone, project_id, job_id, wrapped_key, bytes, sha256, made_at) \
             VALUES ($1, 'staging', $2, $3, $4, $5, $6, $7)",
            values![
                one.object,
                job.project,
                job.id,
                keys.staging.wrap("staging", one.object, &key),
                i64::try_from(one.bytes).map_err(|_| untrue())?,
                &sha256[..],
                at
            ],
        )?;
        fs::rename(&from, zone.join(&name)).map_err(|e| seal::problem(&e))?;
        objects.push(Object {
            name: one.name.clone(),
            id: one.object,
            bytes: one.bytes,
            sha256,
        });
    }
    // The store names the files from now on, so their names are on disk before.
    let synced = File::open(&zone).and_then(|folder| folder.sync_all());
    synced.map_err(|e| seal::problem(&e))?;
    Ok(objects)
}

fn untrue() -> Problem {
    Problem::bug("a worker has told of a file that is not there")
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    if digits.len() != 64 || !digits.is_ascii() {
        return None;
    }
    let byte = |at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    (0..64).step_by(2).map(byte).collect()
}

/// Deletes what nobody owns: folders of tries whose claim has run out, and files of the zone that the
/// store does not know. Nobody else can be moving files meanwhile, since they would write to the store.
///
/// # Errors
/// When the store does not answer, or the folders cannot be read.
pub(super) fn sweep(app: &App) -> Result<()> {
    make(&tries(app))?;
    let at = app.clock.now();
    app.store.act(|act| {
        let running = "SELECT lease_by FROM jobs WHERE state = 'running' AND lease_until >= $1";
        let running = act.query(running, values![at])?;
        let claims = running.iter().map(|row| Ok(row.text(0)?.to_owned()));
        let claims: HashSet<String> = claims.collect::<Result<_>>()?;
        for name in names(&tries(app))? {
            if !claims.contains(&name) {
                let removed = fs::remove_dir_all(tries(app).join(&name));
                removed.map_err(|e| seal::problem(&e))?;
            }
        }
        let zone = zone(app)?;
        for name in names(&zone)? {
            let Some(id) = Id::parse(&name) else { continue };
            let known = "SELECT count(*) FROM objects WHERE id = $1";
            if act.number(known, values![id])? == 0 {
                let removed = fs::remove_file(zone.join(&name));
                removed.map_err(|e| seal::problem(&e))?;
            }
        }
        Ok(())
    })
}

/// The names in a folder; none where there is none.
fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(seal::problem(&e)),
    };
    let name = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry.map_err(|e| seal::problem(&e))?;
        Ok(entry.file_name().into_string().ok())
    };
    entries
        .filter_map(|entry| name(entry).transpose())
        .collect()
}
