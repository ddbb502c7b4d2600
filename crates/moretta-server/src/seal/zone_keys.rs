//! The file of keys: one for each zone, and one for secrets.
//!
//! The file is its owner's alone and lies outside the data folder, so that a copy of the folder is
//! worth nothing without it. It is made at the first start. A seal in the data folder tells whether
//! the keys are those of the folder: lost keys are not replaced by new ones, with which nothing
//! could be opened any more.

use super::key::Key;
use super::small::Sealer;
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::settings::Settings;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// The first line of the file.
const HEADER: &str =
    "# moretta keys 1: keep a copy apart from the data; whoever has both can read them\n";

/// The keys of a server. They are wiped when they are dropped.
pub struct ZoneKeys {
    /// Of uploaded data.
    pub(crate) raw: Key,
    /// Of what waits for approval.
    pub(crate) staging: Key,
    /// Of what was published.
    pub(crate) release: Key,
    /// Of secrets in the store.
    pub(crate) secrets: Key,
    /// Of what names persons.
    pub(crate) vault: Key,
}

impl ZoneKeys {
    /// Reads those of a server; makes them at its first start.
    ///
    /// # Errors
    /// When others can read the file, when it lies in the data folder, when it is no file of keys,
    /// or one of another data folder.
    pub fn of(settings: &Settings) -> Result<Self> {
        let (path, seal) = (&settings.keys, seal_of(settings));
        let mut read = Self::read(path);
        if read
            .as_ref()
            .is_err_and(|e| e.kind() == ErrorKind::NotFound)
        {
            if seal.exists() {
                return Err(refused("the file of keys is missing")
                    .help("restore it: without it nothing that is sealed can be opened"));
            }
            make(path)
                .map_err(|e| refused(format!("no file of keys can be made: {}", e.kind())))?;
            read = Self::read(path);
        }
        let keys = read.map_err(|error| match error.kind() {
            ErrorKind::InvalidData | ErrorKind::PermissionDenied => refused(error.to_string()),
            kind => refused(format!("the file of keys cannot be read: {kind}")),
        })?;
        if lies_in(path, &settings.data) {
            return Err(refused("the file of keys lies in the folder that it seals")
                .help("move it elsewhere and name it with --keys"));
        }
        keys.check(&seal)?;
        Ok(keys)
    }

    fn read(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let told = file.metadata()?;
        if !told.is_file() {
            return Err(unusable("the file of keys is no file"));
        }
        #[cfg(unix)]
        if std::os::unix::fs::MetadataExt::mode(&told) & 0o077 != 0 {
            let what = "others can read the file of keys; take their rights away (chmod 600), and \
                        take new keys if somebody may have read it";
            return Err(io::Error::new(ErrorKind::PermissionDenied, what));
        }
        // So long that it never grows, which would leave a copy behind.
        let mut text = Zeroizing::new(String::with_capacity(4096));
        file.take(4096).read_to_string(&mut text)?;
        let key = |name| {
            let line = text.lines().find_map(|line| {
                let (key, value) = line.split_once('=')?;
                (key.trim() == name).then(|| value.trim())
            });
            line.and_then(Key::parse).ok_or_else(|| {
                unusable(format!("the file of keys has no key `{name}` of 64 digits"))
            })
        };
        Ok(ZoneKeys {
            raw: key("raw")?,
            staging: key("staging")?,
            release: key("release")?,
            secrets: key("secrets")?,
            vault: key("vault")?,
        })
    }

    /// Fails when these are not the keys of the folder with this seal; a folder without gets one.
    fn check(&self, seal: &Path) -> Result<()> {
        let sealer = Sealer::new(self.secrets.clone());
        let all = [&self.raw, &self.staging, &self.release, &self.vault];
        let sums: Vec<u8> = all.iter().flat_map(|key| key.sum("seal", b"")).collect();
        let found = match fs::read(seal) {
            Ok(found) => found,
            Err(e) if e.kind() == ErrorKind::NotFound => {
                let made = put(seal, &sealer.seal("keys", &sums));
                made.map_err(|e| super::problem(&e))?;
                fs::read(seal).map_err(|e| super::problem(&e))?
            }
            Err(e) => return Err(super::problem(&e)),
        };
        match sealer.open("keys", &found) {
            Ok(opened) if **opened == *sums => Ok(()),
            _ => Err(refused("the file of keys is that of another data folder")
                .help("name the right one with --keys")),
        }
    }
}

/// What tells whether keys are those of a data folder.
fn seal_of(settings: &Settings) -> PathBuf {
    settings.data.join("keys-seal")
}

fn make(path: &Path) -> io::Result<()> {
    let mut text = Zeroizing::new(String::with_capacity(4096));
    text.push_str(HEADER);
    for name in ["raw", "staging", "release", "secrets", "vault"] {
        let digits = Key::random().digits();
        text.push_str(name);
        text.push_str(" = ");
        text.push_str(&digits);
        text.push('\n');
    }
    put(path, text.as_bytes())
}

/// Puts a file there whole, unless there is one.
fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder)?;
    let beside = folder.join(format!(".{}", Id::random()));
    let mut file = moretta::io::create_private(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    // A link is not made over another file: who was first has made the keys.
    let linked = fs::hard_link(&beside, path);
    fs::remove_file(&beside)?;
    match linked {
        Err(e) if e.kind() != ErrorKind::AlreadyExists => return Err(e),
        _ => {}
    }
    File::open(folder)?.sync_all()
}

fn lies_in(path: &Path, folder: &Path) -> bool {
    match (fs::canonicalize(path), fs::canonicalize(folder)) {
        (Ok(path), Ok(folder)) => path.starts_with(folder),
        _ => path.starts_with(folder),
    }
}

fn unusable(what: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what.into())
}

fn refused(what: impl Into<String>) -> Problem {
    Problem::new(503, "keys", what)
}

impl fmt::Debug for ZoneKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ZoneKeys")
    }
}
