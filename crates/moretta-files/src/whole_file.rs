//! A file of a format that is read from its end, and at any place of it.

use super::files::{Files, Readable};
use super::input::{Watch, open_file};
use bytes::Bytes;
use moretta_data::error::{Error, Result};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A file that can be read at any place.
pub(super) enum WholeFile {
    /// In the file system.
    System(File),
    /// With a provider, and how many bytes it has.
    Provided(Arc<Mutex<Box<dyn Readable>>>, u64),
}

impl WholeFile {
    /// Opens a file, and what notices that it changes, where it can.
    pub(super) fn open(path: &Path, files: &Files) -> Result<(Self, Option<Watch>)> {
        let Some(provider) = files.provider() else {
            let (file, metadata) = open_file(path)?;
            let watch = Watch::new(path, &file, &metadata)?;
            return Ok((WholeFile::System(file), watch));
        };
        let opened = provider.open(path).and_then(|mut file| {
            let length = file.seek(SeekFrom::End(0))?;
            Ok(WholeFile::Provided(Arc::new(Mutex::new(file)), length))
        });
        let file = opened.map_err(|e| Error::io("read", path, e))?;
        Ok((file, None))
    }
}

fn locked(file: &Mutex<Box<dyn Readable>>) -> MutexGuard<'_, Box<dyn Readable>> {
    file.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads all of `into` from the bytes that begin at `at`.
fn read_at(file: &Mutex<Box<dyn Readable>>, at: u64, into: &mut [u8]) -> io::Result<()> {
    let mut file = locked(file);
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(into)
}

impl Length for WholeFile {
    fn len(&self) -> u64 {
        match self {
            WholeFile::System(file) => file.len(),
            WholeFile::Provided(_, length) => *length,
        }
    }
}

impl ChunkReader for WholeFile {
    type T = Part;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Part> {
        Ok(match self {
            WholeFile::System(file) => Part::System(file.get_read(start)?),
            WholeFile::Provided(file, _) => Part::Provided(Arc::clone(file), start),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        let (file, whole) = match self {
            WholeFile::System(file) => return file.get_bytes(start, length),
            WholeFile::Provided(file, whole) => (file, *whole),
        };
        let end = start.checked_add(length as u64);
        if end.is_none_or(|end| end > whole) {
            return Err(ParquetError::EOF("beyond the end of the file".to_owned()));
        }
        let mut bytes = vec![0; length];
        read_at(file, start, &mut bytes)?;
        Ok(bytes.into())
    }
}

/// The bytes of a file from one place on.
pub(super) enum Part {
    System(BufReader<File>),
    Provided(Arc<Mutex<Box<dyn Readable>>>, u64),
}

impl Read for Part {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Part::System(file) => file.read(into),
            Part::Provided(file, at) => {
                let mut file = locked(file);
                file.seek(SeekFrom::Start(*at))?;
                let read = file.read(into)?;
                *at += read as u64;
                Ok(read)
            }
        }
    }
}
