//! An output being written: a file readable by its owner only, or standard output.

use super::compression::{Packer, Target};
use super::input::is_standard;
use super::options::{Compression, Format, WriteOptions};
use crate::error::{Error, Result};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// An output being written.
pub(super) struct Output {
    path: PathBuf,
    packer: Option<Packer>,
}

impl Output {
    /// Creates exactly `path`; `-` is standard output.
    pub(super) fn create(path: &Path, options: &WriteOptions) -> Result<Self> {
        let compression = options
            .compression
            .or(Format::from_path(path).map(|(_, compression)| compression))
            .unwrap_or(Compression::None);
        let failed = |e| Error::io("create", path, e);
        let target = if is_standard(path) {
            Target::Stdout(io::stdout())
        } else {
            Target::File(create_private(path).map_err(failed)?)
        };
        Ok(Output {
            path: path.to_owned(),
            packer: Some(Packer::new(target, compression).map_err(failed)?),
        })
    }

    /// Writes all bytes.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let path = &self.path;
        match &mut self.packer {
            Some(packer) => packer
                .write_all(bytes)
                .map_err(|e| Error::io("write", path, e)),
            None => Err(Error::bug("a closed output is written to")),
        }
    }

    /// Ends the file and brings it to disk; closing again does nothing.
    pub(super) fn close(&mut self) -> Result<()> {
        match self.packer.take() {
            Some(packer) => packer
                .finish()
                .map_err(|e| Error::io("write", &self.path, e)),
            None => Ok(()),
        }
    }

    /// The path as the user named it.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The output for a format that writes bytes itself; it must be given back to be closed.
    pub(super) fn take(&mut self) -> Result<Packer> {
        self.packer
            .take()
            .ok_or_else(|| Error::bug("a closed output is written to"))
    }

    /// Gives back what was taken.
    pub(super) fn put_back(&mut self, packer: Packer) {
        self.packer = Some(packer);
    }
}

fn create_private(path: &Path) -> io::Result<std::fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn only_the_owner_can_read_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.csv");
        let mut output = Output::create(&path, &WriteOptions::default()).expect("creates");
        output.write(b"x").expect("writes");
        let mode = std::fs::metadata(&path)
            .expect("there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
        output.close().expect("closes");
        assert!(output.write(b"y").is_err());
        output.close().expect("closing again does nothing");
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error_of_the_system() {
        let path = Path::new("/no/such/folder/a.csv");
        let error = Output::create(path, &WriteOptions::default()).err();
        assert_eq!(error.map(|e| e.exit_code()), Some(5));
    }
}
