//! Packing and unpacking of whole files.
//!
//! The limit on the unpacked size is held where the bytes come out, because a
//! small file can unpack to anything.

use super::files::Writable;
use super::options::Compression;
use moretta_data::error::{Error, Result};
use std::fs::File;
use std::io::{self, Read, Write};

/// Unpacks what `packed` holds.
pub(super) fn unpack(
    packed: Box<dyn Read + Send>,
    compression: Compression,
) -> io::Result<Box<dyn Read + Send>> {
    Ok(match compression {
        Compression::None => packed,
        Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(io::BufReader::new(
            packed,
        ))),
        Compression::Zstd => Box::new(zstd::Decoder::new(packed)?),
    })
}

/// The error of a file that cannot be unpacked; `None` when the system failed instead.
pub(super) fn damage(error: &io::Error, compression: Compression) -> Option<Error> {
    let name = match compression {
        Compression::None => return None,
        Compression::Gzip => "gzip",
        Compression::Zstd => "Zstandard",
    };
    use io::ErrorKind::*;
    match error.kind() {
        UnexpectedEof | InvalidData | InvalidInput | Other => {
            Some(Error::input(format!("not a complete {name} file")).help(
                "copy the file again, or unpack it with another program to see where it breaks",
            ))
        }
        _ => None,
    }
}

/// Where packed bytes end up.
pub(super) enum Target {
    /// A file, brought to disk when closed.
    File(File),
    /// A file that a provider keeps.
    Provided(Box<dyn Writable>),
    /// Standard output.
    Stdout(io::Stdout),
}

impl Target {
    /// Brings a file to disk; pipes and devices only take what was written.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        match self {
            Target::File(file) if file.metadata()?.is_file() => file.sync_all(),
            Target::Provided(file) => file.sync(),
            _ => Ok(()),
        }
    }

    /// Ends it, and brings it to disk as [`Target::sync`] does.
    fn close(&mut self) -> io::Result<()> {
        match self {
            Target::Provided(file) => file.flush().and_then(|()| file.close()),
            _ => self.sync(),
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Target::File(file) => file.write(bytes),
            Target::Provided(file) => file.write(bytes),
            Target::Stdout(stdout) => stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::File(file) => file.flush(),
            Target::Provided(file) => file.flush(),
            Target::Stdout(stdout) => stdout.flush(),
        }
    }
}

/// Packs what is written to it.
pub(super) enum Packer {
    /// Not at all.
    Plain(Target),
    /// gzip, without name and time in its header.
    Gzip(flate2::write::GzEncoder<Target>),
    /// Zstandard.
    Zstd(zstd::Encoder<'static, Target>),
}

impl Packer {
    pub(super) fn new(target: Target, compression: Compression) -> io::Result<Self> {
        Ok(match compression {
            Compression::None => Packer::Plain(target),
            Compression::Gzip => Packer::Gzip(flate2::write::GzEncoder::new(
                target,
                flate2::Compression::default(),
            )),
            Compression::Zstd => Packer::Zstd(zstd::Encoder::new(target, 3)?),
        })
    }

    /// Ends the packed stream and brings it to disk.
    pub(super) fn finish(self) -> io::Result<()> {
        let mut target = match self {
            Packer::Plain(target) => target,
            Packer::Gzip(encoder) => encoder.finish()?,
            Packer::Zstd(encoder) => encoder.finish()?,
        };
        target.close()
    }
}

impl Write for Packer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Packer::Plain(target) => target.write(bytes),
            Packer::Gzip(encoder) => encoder.write(bytes),
            Packer::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Packer::Plain(target) => target.flush(),
            Packer::Gzip(encoder) => encoder.flush(),
            Packer::Zstd(encoder) => encoder.flush(),
        }
    }
}

/// Reads `reader` and fails once more than `limit` bytes came out.
pub(super) struct Limited {
    /// What is read.
    pub(super) reader: Box<dyn Read + Send>,
    /// How many more bytes may come.
    pub(super) left: u64,
}

impl Limited {
    /// Reads some bytes; `Ok(None)` when the limit is exceeded.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let n = self.reader.read(buffer)?;
        match self.left.checked_sub(n as u64) {
            Some(left) => {
                self.left = left;
                Ok(Some(n))
            }
            None => Ok(None),
        }
    }
}

/// The size as people write it: `20 GiB`, `1 MiB`, `900 bytes`.
pub(super) fn size_text(bytes: u64) -> String {
    for (unit, name) in [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")] {
        if bytes >= unit && bytes.is_multiple_of(unit) {
            return format!("{} {name}", bytes / unit);
        }
    }
    format!("{bytes} bytes")
}

/// The error of a file that unpacks to too much.
pub(super) fn too_large(limit: u64) -> Result<usize> {
    Err(
        Error::input(format!("unpacked size over {} limit", size_text(limit)))
            .help("raise the limit if the file is really that large"),
    )
}
