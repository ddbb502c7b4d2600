//! An output being written: a file readable by its owner only, or standard output.

use super::compression::{Packer, Target};
use super::files::{Files, Provider, Writable};
use super::input::{compression_of, is_standard};
use super::not_resumable;
use super::options::WriteOptions;
use moretta_data::error::{Error, Result};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// An output being written.
pub(super) struct Output {
    path: PathBuf,
    packer: Option<Packer>,
    /// Bytes before packing, with those that were there when it was reopened.
    bytes: u64,
}

impl Output {
    /// Creates exactly `path`; `-` is standard output.
    pub(super) fn create(path: &Path, options: &WriteOptions) -> Result<Self> {
        let compression = compression_of(path, options.compression);
        let failed = |e| Error::io("create", path, e);
        let target = match options.files.provider() {
            Some(provider) => Target::Provided(provider.create(path).map_err(failed)?),
            None if is_standard(path) => Target::Stdout(io::stdout()),
            None => Target::File(create_private(path).map_err(failed)?),
        };
        Ok(Output {
            path: path.to_owned(),
            packer: Some(Packer::new(target, compression).map_err(failed)?),
            bytes: 0,
        })
    }

    /// Reopens an unpacked file to go on after its first `bytes` bytes; the rest is cut off.
    pub(super) fn resume(path: &Path, files: &Files, bytes: u64) -> Result<Self> {
        let target = match files.provider() {
            Some(provider) => reopen_provided(provider, path, bytes).map(Target::Provided),
            None => reopen(path, bytes).map(Target::File),
        };
        let target = target.map_err(|e| Error::io("go on writing", path, e))?;
        Ok(Output {
            path: path.to_owned(),
            packer: Some(Packer::Plain(target)),
            bytes,
        })
    }

    /// Writes all bytes.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes += bytes.len() as u64;
        self.with(|packer| packer.write_all(bytes))
    }

    /// Hands what was written to the operating system.
    pub(super) fn flush(&mut self) -> Result<()> {
        self.with(Packer::flush)
    }

    /// Brings what was written to disk and tells how many bytes it is.
    pub(super) fn sync(&mut self) -> Result<u64> {
        let bytes = self.bytes;
        match &mut self.packer {
            Some(Packer::Plain(target)) => target.sync().map(|()| bytes),
            Some(Packer::Gzip(_) | Packer::Zstd(_)) => return Err(not_resumable()),
            None => return Err(Error::bug("a closed output is written to")),
        }
        .map_err(|e| Error::io("write", &self.path, e))
    }

    fn with(&mut self, act: impl FnOnce(&mut Packer) -> io::Result<()>) -> Result<()> {
        match &mut self.packer {
            Some(packer) => act(packer).map_err(|e| Error::io("write", &self.path, e)),
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
}

/// For formats that write bytes themselves.
#[cfg(any(feature = "parquet", feature = "ipc"))]
impl Output {
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

/// Opens the file at `bytes`, which must be the end of one of its lines.
fn reopen(path: &Path, bytes: u64) -> io::Result<File> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    check_line_end(&mut file, metadata.len(), bytes)?;
    file.set_len(bytes)?;
    file.seek(SeekFrom::Start(bytes))?;
    Ok(file)
}

/// The same with a file that a provider keeps.
fn reopen_provided(
    provider: &dyn Provider,
    path: &Path,
    bytes: u64,
) -> io::Result<Box<dyn Writable>> {
    let mut file = provider.open(path)?;
    let there = file.seek(SeekFrom::End(0))?;
    check_line_end(&mut *file, there, bytes)?;
    drop(file);
    provider.reopen(path, bytes)
}

/// Fails unless a line of the file, which has `there` bytes, ends after `bytes` bytes.
fn check_line_end<F: Read + Seek + ?Sized>(file: &mut F, there: u64, bytes: u64) -> io::Result<()> {
    if there < bytes {
        return Err(io::Error::other(format!(
            "it has {there} bytes, of {bytes} that were written"
        )));
    }
    if bytes > 0 {
        let mut last = [0];
        file.seek(SeekFrom::Start(bytes - 1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            return Err(io::Error::other(format!(
                "no line ends after the {bytes} bytes that were written"
            )));
        }
    }
    Ok(())
}

/// Creates a file that only its owner can read. A file that is there already is replaced
/// by a new one: its permissions, and readers who have it open, are those of the old one.
pub fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true);
    match fs::symlink_metadata(path).map(|there| there.file_type()) {
        Ok(kind) if kind.is_file() || kind.is_symlink() => {
            fs::remove_file(path)?;
            options.create_new(true);
        }
        // A device or a pipe is written into.
        Ok(_) => {}
        Err(_) => {
            options.create_new(true);
        }
    }
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
    fn a_file_that_is_replaced_does_not_keep_its_permissions() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.csv");
        let link = folder.path().join("link.csv");
        std::fs::write(&path, "older and longer").expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("opened");
        std::os::unix::fs::symlink(&path, &link).expect("linked");
        for place in [&link, &path] {
            let mut output = Output::create(place, &WriteOptions::default()).expect("creates");
            output.write(b"x").expect("writes");
            output.close().expect("closes");
            let written = std::fs::symlink_metadata(place).expect("there");
            assert_eq!(written.permissions().mode() & 0o777, 0o600);
            assert_eq!(std::fs::read(place).expect("read"), b"x");
        }
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error_of_the_system() {
        let path = Path::new("/no/such/folder/a.csv");
        let error = Output::create(path, &WriteOptions::default()).err();
        assert_eq!(error.map(|e| e.exit_code()), Some(5));
    }
}
