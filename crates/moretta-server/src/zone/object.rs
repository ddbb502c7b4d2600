//! An object and its key, and where it lies.

use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::seal::{Key, SealedReader, problem};
use std::fmt;
use std::fs::File;
use std::path::PathBuf;
use zeroize::Zeroizing;

/// A sealed file by its id, and the key that opens it.
#[derive(Clone)]
pub struct Object {
    /// Its id, which names its file.
    pub id: Id,
    /// Its key.
    pub(crate) key: Key,
}

impl Object {
    /// A new one.
    pub fn random() -> Self {
        Object {
            id: Id::random(),
            key: Key::random(),
        }
    }

    /// One that a child has made, with the digits of the key that it told.
    ///
    /// # Errors
    /// When they are not those of a key.
    pub fn told(id: Id, digits: &str) -> Result<Self> {
        let key =
            Key::parse(digits).ok_or_else(|| Problem::bug("a worker told a key that is none"))?;
        Ok(Object { id, key })
    }

    /// The digits of its key, for a child.
    pub fn digits(&self) -> Zeroizing<String> {
        self.key.digits()
    }
}

/// An object and all that is needed to read it.
#[derive(Clone, Debug)]
pub struct Placed {
    /// Which.
    pub object: Object,
    /// Where its file lies.
    pub path: PathBuf,
    /// How many bytes it has when it is open.
    pub bytes: u64,
    /// Their SHA-256.
    pub sha256: [u8; 32],
}

impl Placed {
    /// Opens it.
    ///
    /// # Errors
    /// When its file is missing or was changed.
    pub fn open(&self) -> Result<SealedReader<File>> {
        let file = File::open(&self.path);
        let (key, of) = (&self.object.key, self.object.id);
        file.and_then(|file| SealedReader::new(file, key, of, self.bytes))
            .map_err(|e| problem(&e))
    }
}

/// Without its key.
impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Object").field(&self.id).finish()
    }
}
