//! Files in memory, for programs that hold tables already and for tests.

use super::files::{Provider, Readable, Writable};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{Error, ErrorKind, Read, Result, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Files in memory; clones share them.
#[derive(Clone, Default)]
pub struct MemoryFiles(Arc<Mutex<BTreeMap<PathBuf, Content>>>);

type Content = Arc<Mutex<Vec<u8>>>;

impl MemoryFiles {
    /// Puts a file there; one of this name is replaced.
    pub fn put(&self, path: &Path, bytes: Vec<u8>) {
        let content = Arc::new(Mutex::new(bytes));
        locked(&self.0).insert(path.to_owned(), content);
    }

    /// What a file holds; none where there is no such file.
    pub fn get(&self, path: &Path) -> Option<Vec<u8>> {
        let content = self.content(path).ok()?;
        let bytes = locked(&content).clone();
        Some(bytes)
    }

    /// What was written to a file since it was last taken; none where there is no such file. Whoever
    /// writes it goes on.
    pub fn take(&self, path: &Path) -> Option<Vec<u8>> {
        let content = self.content(path).ok()?;
        let bytes = std::mem::take(&mut *locked(&content));
        Some(bytes)
    }

    /// How long a file is; none where there is no such file.
    pub fn bytes(&self, path: &Path) -> Option<u64> {
        let content = self.content(path).ok()?;
        let bytes = locked(&content).len() as u64;
        Some(bytes)
    }

    /// The names of all files, in their order.
    pub fn names(&self) -> Vec<PathBuf> {
        locked(&self.0).keys().cloned().collect()
    }

    fn content(&self, path: &Path) -> Result<Content> {
        let found = locked(&self.0).get(path).map(Arc::clone);
        found.ok_or_else(|| ErrorKind::NotFound.into())
    }
}

impl Provider for MemoryFiles {
    fn open(&self, path: &Path) -> Result<Box<dyn Readable>> {
        let content = self.content(path)?;
        Ok(Box::new(Cursor { content, at: 0 }))
    }

    fn create(&self, path: &Path) -> Result<Box<dyn Writable>> {
        let content = Content::default();
        locked(&self.0).insert(path.to_owned(), Arc::clone(&content));
        Ok(Box::new(Cursor { content, at: 0 }))
    }

    fn reopen(&self, path: &Path, bytes: u64) -> Result<Box<dyn Writable>> {
        let content = self.content(path)?;
        let length = usize::try_from(bytes).ok();
        match length.filter(|&length| length <= locked(&content).len()) {
            Some(length) => locked(&content).truncate(length),
            None => return Err(Error::other("it is shorter than what was written")),
        }
        Ok(Box::new(Cursor { content, at: bytes }))
    }

    fn rename(&self, from: &Path, to: &Path, replace: bool) -> Result<()> {
        let mut files = locked(&self.0);
        if !replace && files.contains_key(to) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        let content = files.remove(from).ok_or(ErrorKind::NotFound)?;
        files.insert(to.to_owned(), content);
        Ok(())
    }

    fn remove(&self, path: &Path) -> Result<()> {
        let removed = locked(&self.0).remove(path);
        removed.map(drop).ok_or_else(|| ErrorKind::NotFound.into())
    }

    fn exists(&self, path: &Path) -> bool {
        locked(&self.0).contains_key(path)
    }
}

/// A place in a file.
struct Cursor {
    content: Content,
    at: u64,
}

impl Read for Cursor {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        let content = locked(&self.content);
        let at = usize::try_from(self.at).unwrap_or(usize::MAX);
        let rest = content.get(at..).unwrap_or_default();
        let taken = rest.len().min(into.len());
        into[..taken].copy_from_slice(&rest[..taken]);
        self.at += taken as u64;
        Ok(taken)
    }
}

impl Seek for Cursor {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => (locked(&self.content).len() as u64).checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or_else(|| Error::new(ErrorKind::InvalidInput, "before the beginning"))?;
        Ok(self.at)
    }
}

impl Write for Cursor {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        locked(&self.content).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

impl Writable for Cursor {
    fn sync(&mut self) -> Result<()> {
        Ok(())
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Without contents, which are data.
impl fmt::Debug for MemoryFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MemoryFiles")
    }
}
