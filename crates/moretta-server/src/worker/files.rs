//! The files of a job by the names that its policy has for them: sealed ones that it was given,
//! texts of the store, and sealed ones that it makes, each with a key of its own.
//!
//! What is written goes into a sealed file of the job's folder at once, also while it is aside;
//! what is removed is removed there.

use crate::id::Id;
use crate::job::protocol::{Failure, Made, Task};
use crate::problem::Problem;
use crate::seal::{Key, SealedReader, SealedWriter, Written};
use crate::secret::hex;
use moretta::io::{Provider, Readable, Writable, create_private};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{Cursor, Error, ErrorKind, Read, Result, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use zeroize::Zeroizing;

/// The files of a job; clones are the same files.
#[derive(Clone)]
pub(super) struct SealedFiles(Arc<Shared>);

struct Shared {
    folder: PathBuf,
    files: Mutex<BTreeMap<PathBuf, Entry>>,
}

#[derive(Clone)]
enum Entry {
    /// A text of the store.
    Text(Arc<Zeroizing<Vec<u8>>>),
    /// A file that it was given.
    Given {
        path: PathBuf,
        key: Key,
        object: Id,
        bytes: u64,
    },
    /// A file that it makes.
    Own(Arc<Own>),
}

/// A file that is made.
struct Own {
    path: PathBuf,
    key: Key,
    object: Id,
    state: Mutex<State>,
}

enum State {
    Growing(Box<SealedWriter>),
    Whole(Written),
    /// It could not be ended.
    Broken,
}

impl SealedFiles {
    /// Those of a task.
    pub(super) fn new(task: &Task) -> std::result::Result<Self, Failure> {
        let mut files = BTreeMap::new();
        for text in &task.texts {
            let bytes = Zeroizing::new(text.content.clone().into_bytes());
            files.insert(PathBuf::from(&text.name), Entry::Text(Arc::new(bytes)));
        }
        for given in &task.inputs {
            let key = Key::parse(&given.key);
            let key = key.ok_or_else(|| Problem::bug("a key of a task is none"))?;
            let entry = Entry::Given {
                path: given.path.clone(),
                key,
                object: given.object,
                bytes: given.bytes,
            };
            files.insert(PathBuf::from(&given.name), entry);
        }
        Ok(SealedFiles(Arc::new(Shared {
            folder: task.folder.clone(),
            files: Mutex::new(files),
        })))
    }

    /// What was made and is whole, by its names.
    pub(super) fn made(&self) -> std::result::Result<Vec<Made>, Failure> {
        let files = locked(&self.0.files);
        let own = files.iter().filter_map(|(name, entry)| match entry {
            Entry::Own(own) => Some((name, own)),
            _ => None,
        });
        own.map(|(name, own)| match &*locked(&own.state) {
            State::Whole(written) => Ok(Made {
                name: name.display().to_string(),
                object: own.object,
                key: own.key.digits().to_string(),
                bytes: written.bytes,
                sha256: hex(&written.sha256),
            }),
            _ => Err(Problem::bug("a file that was made is not whole").into()),
        })
        .collect()
    }

    fn entry(&self, path: &Path) -> Result<Entry> {
        let found = locked(&self.0.files).get(path).cloned();
        found.ok_or_else(|| ErrorKind::NotFound.into())
    }

    fn begin(&self, path: &Path) -> Result<Arc<Own>> {
        let (object, key) = (Id::random(), Key::random());
        let place = self.0.folder.join(object.to_string());
        let writer = SealedWriter::new(create_private(&place)?, &key, object)?;
        let own = Arc::new(Own {
            path: place,
            key,
            object,
            state: Mutex::new(State::Growing(Box::new(writer))),
        });
        let entry = Entry::Own(Arc::clone(&own));
        if let Some(older) = locked(&self.0.files).insert(path.to_owned(), entry) {
            older.forget();
        }
        Ok(own)
    }
}

impl Entry {
    /// Removes what is gone from the folder; what was given stays.
    fn forget(self) {
        if let Entry::Own(own) = self {
            let _ = std::fs::remove_file(&own.path);
        }
    }
}

impl Own {
    fn open(&self) -> Result<Box<dyn Readable>> {
        let file = File::open(&self.path)?;
        match &*locked(&self.state) {
            State::Whole(written) => {
                let reader = SealedReader::new(file, &self.key, self.object, written.bytes)?;
                Ok(Box::new(reader))
            }
            State::Growing(writer) => Ok(Box::new(writer.so_far(file, &self.key))),
            State::Broken => Err(broken()),
        }
    }
}

impl Provider for SealedFiles {
    fn open(&self, path: &Path) -> Result<Box<dyn Readable>> {
        match self.entry(path)? {
            Entry::Text(text) => Ok(Box::new(Cursor::new(Shown(text)))),
            Entry::Given {
                path,
                key,
                object,
                bytes,
            } => {
                let reader = SealedReader::new(File::open(path)?, &key, object, bytes)?;
                Ok(Box::new(reader))
            }
            Entry::Own(own) => own.open(),
        }
    }

    fn create(&self, path: &Path) -> Result<Box<dyn Writable>> {
        Ok(Box::new(Growing(self.begin(path)?)))
    }

    fn reopen(&self, path: &Path, bytes: u64) -> Result<Box<dyn Writable>> {
        // Frames are written once, so what stays is sealed anew.
        let mut before = self.open(path)?.take(bytes);
        let aside = PathBuf::from(format!(".again-{}", Id::random()));
        let mut again = Growing(self.begin(&aside)?);
        let copied = std::io::copy(&mut before, &mut again)?;
        if copied < bytes {
            self.remove(&aside)?;
            return Err(Error::other("it is shorter than what was written"));
        }
        self.rename(&aside, path, true)?;
        Ok(Box::new(again))
    }

    fn rename(&self, from: &Path, to: &Path, replace: bool) -> Result<()> {
        let mut files = locked(&self.0.files);
        if !replace && files.contains_key(to) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        let entry = files.remove(from).ok_or(ErrorKind::NotFound)?;
        if let Some(older) = files.insert(to.to_owned(), entry) {
            older.forget();
        }
        Ok(())
    }

    fn remove(&self, path: &Path) -> Result<()> {
        let removed = locked(&self.0.files).remove(path);
        removed
            .map(Entry::forget)
            .ok_or_else(|| ErrorKind::NotFound.into())
    }

    fn exists(&self, path: &Path) -> bool {
        locked(&self.0.files).contains_key(path)
    }
}

/// A text that is read.
struct Shown(Arc<Zeroizing<Vec<u8>>>);

impl AsRef<[u8]> for Shown {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// A file that is being written.
struct Growing(Arc<Own>);

impl Growing {
    fn with<T>(&self, act: impl FnOnce(&mut SealedWriter) -> Result<T>) -> Result<T> {
        match &mut *locked(&self.0.state) {
            State::Growing(writer) => act(writer),
            _ => Err(broken()),
        }
    }
}

impl Write for Growing {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.with(|writer| writer.write(bytes))
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

impl Writable for Growing {
    fn sync(&mut self) -> Result<()> {
        // What has not filled a frame is kept in memory: a job that is killed begins anew.
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        let mut state = locked(&self.0.state);
        match std::mem::replace(&mut *state, State::Broken) {
            State::Growing(writer) => {
                *state = State::Whole(writer.finish()?);
                Ok(())
            }
            whole @ State::Whole(_) => {
                *state = whole;
                Ok(())
            }
            State::Broken => Err(broken()),
        }
    }
}

fn broken() -> Error {
    Error::other("the file was ended already, or could not be")
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Without names, keys and contents.
impl fmt::Debug for SealedFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealedFiles")
    }
}
