//! Opens the database that the settings name.

use super::folder::DataFolder;
use crate::db::{Copied, Db, PostgresDb, SqliteDb, copy, migrate};
use crate::problem::Problem;
use moretta::error::{Error, Result};
use std::path::Path;
use std::sync::Arc;
use zeroize::Zeroizing;

/// The store's database: PostgreSQL at the address that a file holds, or SQLite in a data folder.
///
/// # Errors
/// When the file does not hold an address, or the database does not answer.
pub fn database(address: Option<&Path>, data: &Path) -> Result<Arc<dyn Db>> {
    match address {
        Some(file) => {
            let address = address_in(file)?;
            let opened = PostgresDb::open(&address);
            Ok(Arc::new(opened.map_err(|p| failure(file, p))?))
        }
        None => {
            let file = data.join("store");
            Ok(Arc::new(
                SqliteDb::open(&file).map_err(|p| failure(&file, p))?,
            ))
        }
    }
}

/// An address can hold a password, so it stands in a file that is its owner's alone, and in no
/// message.
fn address_in(file: &Path) -> Result<Zeroizing<String>> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let told = std::fs::metadata(file).map_err(|e| Error::io("read", file, e))?;
        if told.mode() & 0o007 != 0 {
            let what = format!("everybody can read the address in {}", file.display());
            return Err(Error::usage(what).help("take the rights of others away: chmod o= FILE"));
        }
    }
    let text = std::fs::read_to_string(file).map_err(|e| Error::io("read", file, e))?;
    let text = Zeroizing::new(text);
    let address = text.trim();
    if !address.starts_with("postgres://") && !address.starts_with("postgresql://") {
        return Err(
            Error::usage(format!("{} holds no address of PostgreSQL", file.display()))
                .help("it is one line: postgres://USER:PASSWORD@HOST/DATABASE"),
        );
    }
    Ok(Zeroizing::new(address.to_owned()))
}

/// A problem of the server as an error of the program, about a file.
pub(super) fn failure(file: &Path, problem: Problem) -> Error {
    match (problem.status, problem.code) {
        (_, "keys" | "usage" | "newer-store") => {
            let error = Error::usage(problem.what);
            match problem.help {
                Some(help) => error.help(help),
                None => error,
            }
        }
        (503 | 507, _) => Error::io("use", file, std::io::Error::other(problem.what)),
        _ => Error::bug(problem.what),
    }
}

/// A store that is copied from or to, while no server uses it.
pub struct OpenedStore {
    db: Arc<dyn Db>,
    place: std::path::PathBuf,
    _folder: Option<DataFolder>,
}

impl OpenedStore {
    /// One that there is: a data folder of SQLite, or a file that holds the address of PostgreSQL.
    ///
    /// # Errors
    /// When there is none, or a server uses it.
    pub fn from(place: &Path) -> Result<Self> {
        if place.is_dir() && !place.join("store").exists() {
            let what = format!("{} is no data folder with a store", place.display());
            return Err(Error::usage(what).help("name that of the server, as --data does"));
        }
        std::fs::metadata(place).map_err(|e| Error::io("read", place, e))?;
        Self::open(place)
    }

    /// The same, or a folder that there is not yet.
    ///
    /// # Errors
    /// When it cannot be opened, or a server uses it.
    pub fn to(place: &Path) -> Result<Self> {
        Self::open(place)
    }

    fn open(place: &Path) -> Result<Self> {
        let (folder, db) = match place.is_file() {
            true => (None, database(Some(place), place)?),
            false => {
                let folder = DataFolder::open(place, false)?;
                let db = database(None, place)?;
                (Some(folder), db)
            }
        };
        migrate(&*db).map_err(|problem| failure(place, problem))?;
        Ok(OpenedStore {
            db,
            place: place.to_owned(),
            _folder: folder,
        })
    }

    /// Copies every row to another store, which has none, and compares both.
    ///
    /// # Errors
    /// When it has some, or a store does not answer; nothing is copied then.
    pub fn copy(&self, to: &OpenedStore) -> Result<Copied> {
        copy(&*self.db, &*to.db).map_err(|problem| failure(&to.place, problem))
    }
}

impl std::fmt::Debug for OpenedStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenedStore").finish_non_exhaustive()
    }
}
