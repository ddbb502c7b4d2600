//! Files and small secrets sealed at rest: who has the disk without the file of keys reads nothing,
//! and cannot change a byte that is not found.
//!
//! A file is a header and frames of 64 KiB, each sealed with AES-256-GCM under a fresh random nonce;
//! its object, its number and whether it is the last are authenticated, so that no frame can stand
//! in another place and none can be missing. Each frame opens alone: a page of a large file costs a
//! frame or two. A file has a key of its own, which the key of its zone wraps: without the wrapped
//! key the file is gone, wherever copies of it are. Not hidden: how long files are, and when they
//! were written. Who can write to the disk can put back an older state of a whole folder.
//!
//! ```
//! use moretta_server::id::Id;
//! use moretta_server::seal::{Key, SealedReader, SealedWriter};
//! use std::io::{Read, Seek, SeekFrom, Write};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("object");
//! let (key, of) = (Key::random(), Id::random());
//! let mut writer = SealedWriter::new(std::fs::File::create(&path)?, &key, of)?;
//! writer.write_all(b"age,ward\n34,7\n")?;
//! let written = writer.finish()?;
//!
//! let mut reader = SealedReader::new(std::fs::File::open(&path)?, &key, of, written.bytes)?;
//! reader.seek(SeekFrom::Start(9))?;
//! let mut row = String::new();
//! reader.read_to_string(&mut row)?;
//! assert_eq!(row, "34,7\n");
//! # Ok::<(), std::io::Error>(())
//! ```

mod cipher;
mod frame;
mod key;
mod read;
mod small;
#[cfg(test)]
mod tests;
mod write;
mod zone_keys;

pub use frame::FRAME;
pub(crate) use frame::sealed_length;
pub use key::Key;
pub use read::SealedReader;
pub use small::Sealer;
pub use write::{Paused, SealedWriter, Written};
pub use zone_keys::ZoneKeys;

use crate::problem::Problem;
use std::io::{Error, ErrorKind};

/// What the server says when a sealed file cannot be read or written.
pub(crate) fn problem(error: &Error) -> Problem {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => disk_full(),
        ErrorKind::InvalidData | ErrorKind::UnexpectedEof => damaged(),
        kind => Problem::unavailable(format!("a sealed file cannot be reached: {kind}")),
    }
}

/// The disk has no room.
pub(crate) fn disk_full() -> Problem {
    Problem::new(507, "disk-full", "the disk of the server is full")
        .help("delete data that are not needed any more")
}

/// What is sealed is not what was sealed.
pub(crate) fn damaged() -> Problem {
    Problem::new(500, "damaged", "something sealed was changed or is damaged")
        .help("have it restored from a backup")
}
