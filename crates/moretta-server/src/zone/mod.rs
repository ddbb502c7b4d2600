//! Zones: raw data, what waits for approval, what was published, and what names persons lie apart,
//! each sealed under a key of its own.
//!
//! An object is a sealed file and a row of the store with its wrapped key. The row decides: a file
//! without one is an orphan that the next start sweeps away, and once the row is gone nobody opens
//! the file any more, wherever copies of it are. So files are written before they are recorded, and
//! removed after they are forgotten; a server that is killed in between loses nothing and shows
//! nothing twice. Each zone is a type: a function that takes a [`ReleaseZone`] cannot be given raw
//! data, and only ingest, the view of raw rows and the dispatcher of jobs name the raw zone.
//!
//! Against what it does not protect: who has the file of keys, the store and the files reads all.

mod kind;
mod leftover;
mod object;
mod room;
mod sweep;

pub use kind::{Raw, Release, Staging, Vault, ZoneKind};
pub use leftover::Leftover;
pub use object::{Object, Placed};
pub use room::{check_quota, check_room, free};
pub use sweep::sweep;

use crate::app::App;
use crate::clock::Millis;
use crate::db::{Sql, Value};
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::seal::{Key, Paused, SealedReader, SealedWriter, Written, damaged, problem};
use crate::store::Act;
use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

/// Where uploaded data lie.
pub type RawZone = Zone<Raw>;
/// Where lies what waits for approval.
pub type StagingZone = Zone<Staging>;
/// Where lies what was published.
pub type ReleaseZone = Zone<Release>;
/// Where lies what names persons.
pub type VaultZone = Zone<Vault>;

/// A folder of sealed files and the key that wraps theirs.
pub struct Zone<Z> {
    folder: PathBuf,
    key: Key,
    reserve: u64,
    kind: PhantomData<fn() -> Z>,
}

impl<Z: ZoneKind> Zone<Z> {
    /// That of a server.
    ///
    /// # Errors
    /// When its keys cannot be used, or its folder cannot be made.
    pub fn of(app: &App) -> Result<Self> {
        let zone = Zone {
            folder: app.settings.data.join(Z::NAME),
            key: Z::key(app.keys()?).clone(),
            reserve: app.settings.limits.reserve_bytes,
            kind: PhantomData,
        };
        private_folder(&zone.folder).map_err(|e| problem(&e))?;
        Ok(zone)
    }

    /// Where its files lie, each named by its object.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the file of an object lies.
    pub fn path(&self, object: Id) -> PathBuf {
        self.folder.join(object.to_string())
    }

    /// Fails when `more` bytes would take what is kept free of the disk.
    ///
    /// # Errors
    /// 507
    pub fn check_room(&self, more: u64) -> Result<()> {
        check_room(&self.folder, more, self.reserve)
    }

    /// Begins a new object. Until it is recorded, nobody knows of it.
    ///
    /// # Errors
    /// When the disk is full.
    pub fn create(&self) -> Result<(Object, SealedWriter)> {
        self.check_room(0)?;
        let object = Object::random();
        let file = moretta::io::create_private(&self.path(object.id));
        let writer = file.and_then(|file| SealedWriter::new(file, &object.key, object.id));
        Ok((object, writer.map_err(|e| problem(&e))?))
    }

    /// Opens the file of an object for writing, alone: nobody else gets it until this is dropped.
    ///
    /// # Errors
    /// 409 while somebody else writes to it.
    pub fn lock(&self, id: Id) -> Result<Locked> {
        let file = OpenOptions::new().write(true).open(self.path(id));
        let file = file.map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => Problem::not_found("object"),
            _ => problem(&e),
        })?;
        match file.try_lock() {
            Ok(()) => Ok(Locked(file)),
            Err(TryLockError::WouldBlock) => {
                Err(Problem::conflict("busy", "somebody else is sending to it").after(1))
            }
            Err(TryLockError::Error(e)) => Err(problem(&e)),
        }
    }

    /// Goes on with an object that was paused, in its locked file.
    ///
    /// # Errors
    /// When the file is not as it was left.
    pub fn resume(&self, file: File, object: &Object, paused: &Paused) -> Result<SealedWriter> {
        SealedWriter::resume(file, &object.key, object.id, paused).map_err(|e| problem(&e))
    }

    /// The key of an object as the store keeps it.
    pub fn wrapped(&self, object: &Object) -> Vec<u8> {
        self.key.wrap(Z::NAME, object.id, &object.key)
    }

    /// The object with this wrapped key.
    ///
    /// # Errors
    /// When the key is not of this zone or object.
    pub fn unwrapped(&self, id: Id, wrapped: &[u8]) -> Result<Object> {
        let key = self.key.unwrap(Z::NAME, id, wrapped).ok_or_else(damaged)?;
        Ok(Object { id, key })
    }

    /// Records an object whose file is whole; `job` is the one that made it. Also what a child has
    /// made in the folder of the zone is recorded so, with the key that it tells.
    ///
    /// # Errors
    /// When the file is not on disk, or the store does not answer.
    pub fn record(
        &self,
        act: &mut Act<'_>,
        object: &Object,
        written: &Written,
        (project, job): (Id, Option<Id>),
        at: Millis,
    ) -> Result<()> {
        fs::metadata(self.path(object.id)).map_err(|e| problem(&e))?;
        sync_folder(&self.folder).map_err(|e| problem(&e))?;
        let insert = "INSERT INTO objects (id, zone, project_id, job_id, wrapped_key, bytes, sha256, made_at) \
                      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        let cells = [
            Value::from(object.id),
            Value::from(Z::NAME),
            Value::from(project),
            Value::from(job),
            Value::from(self.wrapped(object)),
            Value::from(written.bytes as i64),
            Value::from(&written.sha256[..]),
            Value::from(at),
        ];
        act.execute(insert, &cells).map(drop)
    }

    /// What opens an object, for a child that reads it.
    ///
    /// # Errors
    /// 404 when there is none, or none any more.
    pub fn place(&self, sql: &mut dyn Sql, id: Id) -> Result<Placed> {
        let select = "SELECT wrapped_key, bytes, sha256 FROM objects WHERE id = $1 AND zone = $2";
        let row = sql.row(select, values![id, Z::NAME])?;
        let row = row.ok_or_else(|| Problem::not_found("object"))?;
        Ok(Placed {
            object: self.unwrapped(id, row.bytes(0)?)?,
            path: self.path(id),
            bytes: row.integer(1)? as u64,
            sha256: row.bytes(2)?.try_into().map_err(|_| damaged())?,
        })
    }

    /// Opens an object.
    ///
    /// # Errors
    /// 404 when there is none; when its file was changed.
    pub fn open(&self, sql: &mut dyn Sql, id: Id) -> Result<SealedReader<File>> {
        self.place(sql, id)?.open()
    }

    /// Forgets an object: from the end of the transaction on nothing opens it. Its file is removed
    /// after that, by what is given back.
    ///
    /// # Errors
    /// 404 when there is none.
    pub fn delete(&self, act: &mut Act<'_>, id: Id) -> Result<Leftover> {
        let delete = "DELETE FROM objects WHERE id = $1 AND zone = $2";
        match act.execute(delete, values![id, Z::NAME])? {
            1 => Ok(Leftover::of(self.path(id))),
            _ => Err(Problem::not_found("object")),
        }
    }
}

impl StagingZone {
    /// Moves an object to what was published. Its file has both names until the transaction has
    /// ended; that in this zone is removed by what is given back.
    ///
    /// # Errors
    /// 404 when there is none.
    pub fn publish(&self, act: &mut Act<'_>, id: Id, to: &ReleaseZone) -> Result<Leftover> {
        let placed = self.place(&mut **act, id)?;
        move_file(&placed.path, &to.path(id)).map_err(|e| problem(&e))?;
        act.execute_one(
            "UPDATE objects SET zone = $1, wrapped_key = $2 WHERE id = $3 AND zone = $4",
            values![Release::NAME, to.wrapped(&placed.object), id, Staging::NAME],
        )?;
        Ok(Leftover::of(placed.path))
    }
}

/// Gives a file a second name in another folder, on disk.
fn move_file(from: &Path, to: &Path) -> io::Result<()> {
    // A name that an earlier try has left is not of a recorded object.
    match fs::remove_file(to) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    fs::hard_link(from, to)?;
    File::open(to)?.sync_all()?;
    sync_folder(to.parent().unwrap_or(Path::new(".")))
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Makes a folder that only its owner can look into.
pub(crate) fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// The file of an object that nobody else writes to. It is let go when this is dropped, also where a
/// process that begins at the same moment still has the file for an instant.
#[derive(Debug)]
pub struct Locked(File);

impl Locked {
    /// Another handle of it.
    ///
    /// # Errors
    /// When there are too many.
    pub fn handle(&self) -> Result<File> {
        self.0.try_clone().map_err(|e| problem(&e))
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

impl<Z: ZoneKind> fmt::Debug for Zone<Z> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Zone").field(&Z::NAME).finish()
    }
}
