//! The data folder: its owner's alone, and one server's at a time.

use moretta::error::{Error, Result};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// A data folder that is in use.
#[derive(Debug)]
pub struct DataFolder {
    path: PathBuf,
    /// Locked until it is closed, however the process ends.
    _lock: File,
}

impl DataFolder {
    /// Makes the folder if there is none, takes the rights of others away, and locks it; `shared`
    /// with others that say so, as servers on one PostgreSQL are.
    ///
    /// # Errors
    /// When another server uses it, or the system refuses.
    pub fn open(path: &Path, shared: bool) -> Result<Self> {
        make(path).map_err(|e| Error::io("make the data folder", path, e))?;
        close_to_others(path).map_err(|e| Error::io("close to others", path, e))?;
        let place = path.join("lock");
        let lock = lock_file(&place).map_err(|e| Error::io("open", &place, e))?;
        let locked = match shared {
            true => lock.try_lock_shared(),
            false => lock.try_lock(),
        };
        match locked {
            Ok(()) => Ok(DataFolder {
                path: path.to_owned(),
                _lock: lock,
            }),
            Err(TryLockError::WouldBlock) => Err(Error::usage(format!(
                "another server uses the data folder {}",
                path.display()
            ))
            .help("stop it, or name another folder with --data")),
            Err(TryLockError::Error(e)) => Err(Error::io("lock", &place, e)),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn make(path: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(unix)]
fn close_to_others(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    match fs::metadata(path)?.mode() & 0o077 {
        0 => Ok(()),
        _ => fs::set_permissions(path, fs::Permissions::from_mode(0o700)),
    }
}

#[cfg(not(unix))]
fn close_to_others(path: &Path) -> std::io::Result<()> {
    fs::metadata(path).map(drop)
}

fn lock_file(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_server_or_several_that_share_it() {
        let root = tempfile::tempdir().expect("a folder");
        let path = root.path().join("a/b");
        let first = DataFolder::open(&path, false).expect("a folder");
        let refused = DataFolder::open(&path, false).expect_err("one is there");
        assert_eq!(refused.exit_code(), 2);
        assert!(DataFolder::open(&path, true).is_err());
        drop(first);
        let shared = DataFolder::open(&path, true).expect("free again");
        assert!(DataFolder::open(&path, true).is_ok());
        assert!(DataFolder::open(&path, false).is_err());
        drop(shared);
    }

    #[cfg(unix)]
    #[test]
    fn others_lose_their_rights_to_it() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        let root = tempfile::tempdir().expect("a folder");
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o755)).expect("set");
        let folder = DataFolder::open(root.path(), false).expect("a folder");
        let mode = |path: &Path| fs::metadata(path).expect("there").mode() & 0o777;
        assert_eq!(mode(folder.path()), 0o700);
        assert_eq!(mode(&folder.path().join("lock")), 0o600);
    }
}
