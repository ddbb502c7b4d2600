//! Where files are: in the file system, or with a provider that keeps them otherwise, such as
//! sealed or in memory.
//!
//! What reads or writes a table takes the handle from its options, so that one program can work
//! with both at a time; nothing is global. With a provider no byte of a file reaches the file
//! system but by it: a file that is written aside is aside with the provider, too.
//!
//! ```
//! use moretta_files::{Files, MemoryFiles, ReadOptions, names};
//! use std::path::Path;
//!
//! let memory = MemoryFiles::default();
//! memory.put(Path::new("ages.csv"), b"age,note\n34,a\n".to_vec());
//! let options = ReadOptions {
//!     files: Files::provided(memory),
//!     ..ReadOptions::default()
//! };
//! assert_eq!(names(Path::new("ages.csv"), &options)?, ["age", "note"]);
//! # Ok::<(), moretta_data::error::Error>(())
//! ```

use super::output::create_private;
use std::fmt;
use std::fs::File;
use std::io::{Read, Result, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

/// Keeps files by the names that a policy has for them.
///
/// Two paths are one file only when they are equal. A file that was created can be opened for
/// reading before it is closed, and holds what was flushed.
pub trait Provider: fmt::Debug + Send + Sync {
    /// Opens a file for reading, from its first byte.
    ///
    /// # Errors
    /// When there is none of this name, or it cannot be read.
    fn open(&self, path: &Path) -> Result<Box<dyn Readable>>;

    /// Creates an empty file; one of this name is replaced.
    ///
    /// # Errors
    /// When it cannot be created.
    fn create(&self, path: &Path) -> Result<Box<dyn Writable>>;

    /// Goes on with a file after its first `bytes` bytes; what comes after them is cut off.
    ///
    /// # Errors
    /// When there is none of this name, it is shorter, or it cannot be gone on with.
    fn reopen(&self, path: &Path, bytes: u64) -> Result<Box<dyn Writable>>;

    /// Gives a file another name; a file that has it already goes only where `replace` is true.
    ///
    /// # Errors
    /// `AlreadyExists` when there is such a file, else when there is none of the old name.
    fn rename(&self, from: &Path, to: &Path, replace: bool) -> Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// When there is none of this name.
    fn remove(&self, path: &Path) -> Result<()>;

    /// Whether there is a file of this name.
    fn exists(&self, path: &Path) -> bool;
}

/// A file that is read.
pub trait Readable: Read + Seek + Send {}

impl<T: Read + Seek + Send> Readable for T {}

/// A file that is written.
pub trait Writable: Write + Send {
    /// Brings what was written so far to where it lasts.
    ///
    /// # Errors
    /// When that fails.
    fn sync(&mut self) -> Result<()>;

    /// Ends the file and brings it to where it lasts; nothing is written after that.
    ///
    /// # Errors
    /// When that fails.
    fn close(&mut self) -> Result<()> {
        self.sync()
    }
}

impl Writable for File {
    fn sync(&mut self) -> Result<()> {
        self.sync_all()
    }
}

/// Where files are; in the file system unless a provider is given.
#[derive(Clone, Default)]
pub struct Files(Option<Arc<dyn Provider>>);

impl Files {
    /// Files that a provider keeps.
    pub fn provided(provider: impl Provider + 'static) -> Self {
        Files(Some(Arc::new(provider)))
    }

    /// Who keeps the files; none of those in the file system.
    pub fn provider(&self) -> Option<&dyn Provider> {
        self.0.as_deref()
    }

    /// Whether a provider keeps them.
    pub fn are_provided(&self) -> bool {
        self.0.is_some()
    }

    /// Opens a file for reading.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub fn open(&self, path: &Path) -> Result<Box<dyn Readable>> {
        match self.provider() {
            Some(provider) => provider.open(path),
            None => Ok(Box::new(File::open(path)?)),
        }
    }

    /// The whole file.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub fn read(&self, path: &Path) -> Result<Vec<u8>> {
        let Some(provider) = self.provider() else {
            return std::fs::read(path);
        };
        let mut bytes = Vec::new();
        provider.open(path)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The whole file as text.
    ///
    /// # Errors
    /// `InvalidData` when it is not UTF-8; else as of [`Files::read`].
    pub fn read_text(&self, path: &Path) -> Result<String> {
        let bytes = self.read(path)?;
        String::from_utf8(bytes).map_err(|_| {
            let what = "stream did not contain valid UTF-8";
            std::io::Error::new(std::io::ErrorKind::InvalidData, what)
        })
    }

    /// How many bytes a file has; none of a pipe or a device.
    ///
    /// # Errors
    /// When there is none.
    pub fn length(&self, path: &Path) -> Result<Option<u64>> {
        match self.provider() {
            Some(provider) => provider.open(path)?.seek(SeekFrom::End(0)).map(Some),
            None => {
                let metadata = std::fs::metadata(path)?;
                Ok(metadata.is_file().then_some(metadata.len()))
            }
        }
    }

    /// Whether there is anything of this name.
    pub fn exists(&self, path: &Path) -> bool {
        match self.provider() {
            Some(provider) => provider.exists(path),
            None => path.exists(),
        }
    }

    /// Whether there is a file of this name that can be read more than once.
    pub fn is_file(&self, path: &Path) -> bool {
        match self.provider() {
            Some(provider) => provider.exists(path),
            None => path.is_file(),
        }
    }

    /// Removes a file.
    ///
    /// # Errors
    /// When there is none, or it cannot be removed.
    pub fn remove(&self, path: &Path) -> Result<()> {
        match self.provider() {
            Some(provider) => provider.remove(path),
            None => std::fs::remove_file(path),
        }
    }

    /// Gives a file another name, whatever had it.
    ///
    /// # Errors
    /// When there is none of the old name.
    pub fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        match self.provider() {
            Some(provider) => provider.rename(from, to, true),
            None => std::fs::rename(from, to),
        }
    }

    /// Creates a file that only its owner can read.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn create(&self, path: &Path) -> Result<Box<dyn Writable>> {
        match self.provider() {
            Some(provider) => provider.create(path),
            None => Ok(Box::new(create_private(path)?)),
        }
    }

    /// Writes a whole file that only its owner can read, and brings it to where it lasts.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        let mut file = self.create(path)?;
        file.write_all(bytes)?;
        file.flush()?;
        file.close()
    }
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.provider() {
            Some(_) => f.write_str("Files(provided)"),
            None => f.write_str("Files(system)"),
        }
    }
}
