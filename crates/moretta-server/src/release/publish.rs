//! Bytes on their way from staging to who may read them.
//!
//! Files get their names in the zone of releases first, on disk, and then one transaction makes all
//! of them visible. A server that is killed before it leaves an approved release, which is published
//! at the next start, and names that the sweep of the zones takes away.

use super::ledger;
use super::manifest::{Manifest, sum, text};
use super::record::Release;
use super::state::{State, Step};
use crate::app::App;
use crate::audit::Entry;
use crate::clock::Millis;
use crate::db::Sql;
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::seal;
use crate::store::Act;
use crate::zone::{Leftover, ReleaseZone, StagingZone};
use sha2::{Digest, Sha256};
use std::io::Read;

/// Reads every staged file that is to be published, to its end: each frame opens, and the sum is that
/// which the manifest has.
///
/// # Errors
/// 409 when a byte is another one.
pub(super) fn check_bytes(app: &App, release: &Release) -> Result<()> {
    let staging = StagingZone::of(app)?;
    let places = app.store.read(|sql| {
        let objects = published(sql, release)?;
        objects
            .into_iter()
            .map(|object| staging.place(sql, object))
            .collect::<Result<Vec<_>>>()
    })?;
    for place in places {
        let mut file = place.open().map_err(|_| changed())?;
        let mut sum = Sha256::new();
        let mut piece = vec![0; seal::FRAME];
        loop {
            match file.read(&mut piece) {
                Ok(0) => break,
                Ok(read) => sum.update(&piece[..read]),
                Err(_) => return Err(changed()),
            }
        }
        if sum.finalize()[..] != place.sha256 {
            return Err(changed());
        }
    }
    Ok(())
}

fn changed() -> Problem {
    Problem::conflict(
        "changed-bytes",
        "a staged file is not as it was made: nothing was published",
    )
    .help("refuse this release, have it asked for again, and find out who writes to the disk of the server")
}

/// Fails when the manifest that was approved is not that of the files as they are recorded now.
///
/// # Errors
/// 409
pub(super) fn check_manifest(sql: &mut dyn Sql, release: &Release) -> Result<()> {
    let now = sum(&text(&Manifest::of(sql, release)?)?);
    match release.manifest_sha256.as_deref() == Some(&now[..]) {
        true => Ok(()),
        false => Err(changed()),
    }
}

/// The objects that are published: those of the audience's levels, and the ledger.
fn published(sql: &mut dyn Sql, release: &Release) -> Result<Vec<Id>> {
    let files = release.files(sql)?.into_iter();
    let files = files.filter(|(level, _)| release.levels.contains(level));
    Ok(files
        .map(|(_, object)| object)
        .chain(release.ledger)
        .collect())
}

/// Publishes an approved release whose bytes were checked: its files have their names on disk before
/// the transaction ends that makes them visible.
///
/// # Errors
/// When a file cannot be named, or somebody was faster.
pub(super) fn publish(app: &App, project: Id, id: Id) -> Result<()> {
    let (staging, to) = (StagingZone::of(app)?, ReleaseZone::of(app)?);
    let at = app.clock.now();
    let left = app.store.act(|act| {
        let mut release = Release::find(&mut **act, project, id)?;
        release.state.step(Step::Publish)?;
        check_manifest(&mut **act, &release)?;
        let mut left = Leftover::default();
        for object in published(&mut **act, &release)? {
            left.and(staging.publish(act, object, &to)?);
        }
        if let Some(classes) = release.ledger {
            let seen = release.ledger_version;
            if let Some(before) = ledger::enter(act, release.dataset, seen, classes)? {
                left.and(to.delete(act, before)?);
            }
        }
        // What nobody asked for is not kept.
        for (level, object) in release.files(&mut **act)? {
            if !release.levels.contains(&level) {
                left.and(staging.delete(act, object)?);
                act.execute(
                    "DELETE FROM release_files WHERE object_id = $1",
                    values![object],
                )?;
            }
        }
        for level in unpublished(&mut **act, &release)? {
            act.execute(
                "DELETE FROM release_levels WHERE release_id = $1 AND level = $2",
                values![id, level],
            )?;
        }
        act.execute_one(
            "UPDATE releases SET published_at = $1 WHERE id = $2",
            values![at, id],
        )?;
        release.step(act, Step::Publish, at)?;
        act.log(&Entry {
            at,
            act: "release.publish",
            project: Some(project),
            subject: Some(id),
            facts: vec![("manifest", hex(&release))],
            ..Entry::default()
        })?;
        Ok(left)
    })?;
    left.remove(&app.store);
    Ok(())
}

fn hex(release: &Release) -> String {
    crate::secret::hex(release.manifest_sha256.as_deref().unwrap_or_default())
}

fn unpublished(sql: &mut dyn Sql, release: &Release) -> Result<Vec<i64>> {
    let rows = sql.query(
        "SELECT level FROM release_levels WHERE release_id = $1",
        values![release.id],
    )?;
    let levels = rows.iter().map(|row| row.integer(0));
    let levels = levels.collect::<Result<Vec<i64>>>()?;
    let is_kept = |level: &i64| release.levels.iter().any(|of| i64::from(*of) == *level);
    Ok(levels.into_iter().filter(|level| !is_kept(level)).collect())
}

/// Forgets what lies in staging of a release that will not be published.
pub(super) fn forget_staged(app: &App, act: &mut Act<'_>, release: &Release) -> Result<Leftover> {
    let staging = StagingZone::of(app)?;
    let mut left = Leftover::default();
    for (_, object) in release.files(&mut **act)? {
        left.and(staging.delete(act, object)?);
    }
    if let Some(ledger) = release.ledger {
        left.and(staging.delete(act, ledger)?);
    }
    act.execute(
        "DELETE FROM release_files WHERE release_id = $1",
        values![release.id],
    )?;
    act.execute_one(
        "UPDATE releases SET ledger_id = NULL WHERE id = $1",
        values![release.id],
    )?;
    Ok(left)
}

/// Forgets the files of a release that was published. What was entered in the ledger stays.
pub(super) fn forget_published(
    app: &App,
    act: &mut Act<'_>,
    release: &Release,
) -> Result<Leftover> {
    let zone = ReleaseZone::of(app)?;
    let mut left = Leftover::default();
    for (_, object) in release.files(&mut **act)? {
        left.and(zone.delete(act, object)?);
    }
    act.execute(
        "DELETE FROM release_files WHERE release_id = $1",
        values![release.id],
    )?;
    Ok(left)
}

/// Does what is due: approved releases whose publication was interrupted are published, and those
/// whose end has come are ended. For the start of a server, and each minute.
///
/// # Errors
/// When the store does not answer. A release that cannot be published stays approved.
pub fn tend(app: &App) -> Result<()> {
    let at = app.clock.now();
    expire(app, at)?;
    let approved = app
        .store
        .read(|sql| Release::find_where(sql, "state = 'approved'", values![]))?;
    for release in approved {
        let published =
            check_bytes(app, &release).and_then(|()| publish(app, release.project, release.id));
        match published {
            Err(problem) if problem.status >= 500 => return Err(problem),
            // An officer sees that it is approved and not published, and may revoke it.
            _ => {}
        }
    }
    Ok(())
}

/// Ends releases whose end has come; nobody could read them from that moment on.
fn expire(app: &App, at: Millis) -> Result<()> {
    let due = app.store.read(|sql| {
        let due = "ends_at <= $1 AND state IN ('ready', 'approved', 'published')";
        Release::find_where(sql, due, values![at])
    })?;
    for mut release in due {
        let left = app.store.act(|act| {
            let staged = release.state != State::Published;
            release.step(act, Step::Expire, at)?;
            let left = match staged {
                true => forget_staged(app, act, &release)?,
                false => forget_published(app, act, &release)?,
            };
            act.log(&Entry {
                at,
                act: "release.expire",
                project: Some(release.project),
                subject: Some(release.id),
                ..Entry::default()
            })?;
            Ok(left)
        });
        match left {
            Ok(left) => left.remove(&app.store),
            // Somebody has decided meanwhile.
            Err(problem) if problem.status == 409 => {}
            Err(problem) => return Err(problem),
        }
    }
    Ok(())
}
