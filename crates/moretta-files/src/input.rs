//! An opened input: a file or standard input, unpacked; text as UTF-8.
//!
//! A byte order mark is taken off; UTF-16 is recognised and refused by name. A
//! file that changes size or time while it is read is an error at its end,
//! because half of the old and half of the new table are no table.

use super::compression::{Limited, damage, too_large, unpack};
use super::files::Files;
use super::options::{Compression, Encoding, ReadOptions};
use moretta_data::error::{Error, Result};
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// An opened input.
pub(super) struct Input {
    path: PathBuf,
    bytes: Limited,
    limit: u64,
    compression: Compression,
    latin1: bool,
    /// Bytes of a byte order mark.
    mark: u64,
    /// Bytes that were read ahead and are to be given first.
    ahead: Vec<u8>,
    watch: Option<Watch>,
    files: Files,
    /// Bytes may come slowly.
    live: bool,
    /// Where bytes that come slowly are read to: filled with zeros once, and not for each few of them.
    arrived: Vec<u8>,
}

/// Notices that a file changes while it is read.
pub(super) struct Watch {
    file: File,
    size: u64,
    modified: Option<SystemTime>,
}

impl Watch {
    /// Watches a regular file; pipes and devices have no size to compare.
    pub(super) fn new(path: &Path, file: &File, metadata: &Metadata) -> Result<Option<Self>> {
        if !metadata.is_file() {
            return Ok(None);
        }
        Ok(Some(Watch {
            file: file.try_clone().map_err(|e| Error::io("read", path, e))?,
            size: metadata.len(),
            modified: metadata.modified().ok(),
        }))
    }

    /// Fails when size or time are not those of the start.
    pub(super) fn check(&self, path: &Path) -> Result<()> {
        let now = self
            .file
            .metadata()
            .map_err(|e| Error::io("read", path, e))?;
        if now.len() == self.size && now.modified().ok() == self.modified {
            return Ok(());
        }
        Err(Error::input("the file changed while it was read")
            .in_file(path)
            .help("read a copy that nobody writes to"))
    }
}

/// Whether `path` means standard input or output.
pub(super) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Opens a regular file or a pipe; a directory is refused.
pub(super) fn open_file(path: &Path) -> Result<(File, Metadata)> {
    let failed = |e| Error::io("read", path, e);
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if metadata.is_dir() {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    }
    Ok((file, metadata))
}

impl Input {
    /// Opens `path` for reading as text.
    pub(super) fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        let mut input = Input::open_bytes(path, options)?;
        input.look_at_the_start()?;
        Ok(input)
    }

    /// Opens `path` for reading as bytes.
    pub(super) fn open_bytes(path: &Path, options: &ReadOptions) -> Result<Self> {
        let compression = compression_of(path, options.compression);
        let (raw, watch): (Box<dyn Read + Send>, _) =
            if let Some(provider) = options.files.provider() {
                let raw = provider.open(path);
                (Box::new(raw.map_err(|e| Error::io("read", path, e))?), None)
            } else if is_standard(path) {
                (Box::new(io::stdin()), None)
            } else {
                let (file, metadata) = open_file(path)?;
                let watch = Watch::new(path, &file, &metadata)?;
                (Box::new(file), watch)
            };
        Input::new(path, raw, watch, compression, options)
    }

    /// Reads `bytes` as if they were a file.
    #[cfg(test)]
    pub(super) fn from_bytes(bytes: &[u8], options: &ReadOptions) -> Result<Self> {
        let raw = Box::new(io::Cursor::new(bytes.to_vec()));
        let mut input = Input::new(Path::new("-"), raw, None, Compression::None, options)?;
        input.look_at_the_start()?;
        Ok(input)
    }

    fn new(
        path: &Path,
        raw: Box<dyn Read + Send>,
        watch: Option<Watch>,
        compression: Compression,
        options: &ReadOptions,
    ) -> Result<Self> {
        let limit = match compression {
            Compression::None => u64::MAX,
            _ => options.limits.unpacked_bytes,
        };
        let reader = unpack(raw, compression).map_err(|e| Error::io("read", path, e))?;
        let input = Input {
            path: path.to_owned(),
            bytes: Limited {
                reader,
                left: limit,
            },
            limit,
            compression,
            latin1: options.encoding == Encoding::Latin1,
            mark: 0,
            ahead: Vec::new(),
            live: watch.is_none() && !options.files.are_provided(),
            watch,
            files: options.files.clone(),
            arrived: Vec::new(),
        };
        Ok(input)
    }

    /// What a reader has made of the file at `path`, as UTF-8.
    pub(super) fn converted(path: &Path, raw: Box<dyn Read + Send>) -> Self {
        Input {
            path: path.to_owned(),
            bytes: Limited {
                reader: raw,
                left: u64::MAX,
            },
            limit: u64::MAX,
            compression: Compression::None,
            latin1: false,
            mark: 0,
            ahead: Vec::new(),
            watch: None,
            files: Files::default(),
            live: false,
            arrived: Vec::new(),
        }
    }

    /// The path as the user named it.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether bytes may come slowly, so that a full block is not to be waited for.
    pub(super) fn is_live(&self) -> bool {
        self.live
    }

    /// The byte of the file that is read first, where bytes are those of a file.
    pub(super) fn first_byte(&self) -> Option<u64> {
        let plain = self.compression == Compression::None && !self.latin1;
        let is_file = self.watch.is_some() || self.files.are_provided();
        (plain && is_file).then_some(self.mark)
    }

    /// Goes to a byte of the file; false where bytes are not those of a file.
    pub(super) fn seek(&mut self, position: u64) -> Result<bool> {
        if self.first_byte().is_none() {
            return Ok(false);
        }
        let failed = |e| Error::io("read", &self.path, e);
        let mut file = self.files.open(&self.path).map_err(failed)?;
        file.seek(SeekFrom::Start(position)).map_err(failed)?;
        self.bytes.reader = file;
        self.ahead.clear();
        Ok(true)
    }

    /// Appends some bytes to `buffer` and tells whether there may be more.
    pub(super) fn read_into(&mut self, buffer: &mut Vec<u8>, most: usize) -> Result<bool> {
        if !self.ahead.is_empty() {
            let ahead = std::mem::take(&mut self.ahead);
            self.append(&ahead, buffer);
            return Ok(true);
        }
        if self.latin1 || self.live {
            let mut arrived = std::mem::take(&mut self.arrived);
            arrived.resize(arrived.len().max(most), 0);
            let n = self.read(&mut arrived[..most])?;
            self.append(&arrived[..n], buffer);
            self.arrived = arrived;
            return Ok(n > 0);
        }
        let start = buffer.len();
        buffer.resize(start + most, 0);
        let n = self.read(&mut buffer[start..])?;
        buffer.truncate(start + n);
        Ok(n > 0)
    }

    fn append(&self, raw: &[u8], buffer: &mut Vec<u8>) {
        if self.latin1 && !raw.is_ascii() {
            for &byte in raw {
                let mut utf8 = [0; 2];
                buffer.extend_from_slice(char::from(byte).encode_utf8(&mut utf8).as_bytes());
            }
        } else {
            buffer.extend_from_slice(raw);
        }
    }

    /// Reads some bytes; 0 at the end.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        loop {
            match self.bytes.read(buffer) {
                Ok(Some(0)) => return self.check_unchanged(),
                Ok(Some(n)) => return Ok(n),
                Ok(None) => {
                    return too_large(self.limit).map_err(|e| e.in_file(&self.path));
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.get_ref().is_some_and(|inner| inner.is::<Error>()) => {
                    // What a reader has found out about the file.
                    return Err(match e.downcast::<Error>() {
                        Ok(error) => error,
                        Err(e) => Error::io("read", &self.path, e),
                    });
                }
                Err(e) => {
                    return Err(match damage(&e, self.compression) {
                        Some(error) => error.in_file(&self.path),
                        None => Error::io("read", &self.path, e),
                    });
                }
            }
        }
    }

    fn check_unchanged(&self) -> Result<usize> {
        match &self.watch {
            Some(watch) => watch.check(&self.path).map(|()| 0),
            None => Ok(0),
        }
    }

    fn look_at_the_start(&mut self) -> Result<()> {
        let mut start = vec![0; 4];
        let mut n = 0;
        while n < start.len() {
            match self.read(&mut start[n..])? {
                0 => break,
                more => n += more,
            }
        }
        start.truncate(n);
        if start.starts_with(&[0xef, 0xbb, 0xbf]) {
            start.drain(..3);
            self.mark = 3;
        } else if is_utf16(&start) {
            return Err(Error::input("the text is UTF-16, not UTF-8")
                .in_file(&self.path)
                .help("save it as UTF-8, for example: iconv -f UTF-16 -t UTF-8"));
        }
        super::packed::refuse_by_start(&start, &self.path)?;
        self.ahead = start;
        Ok(())
    }
}

/// A byte order mark of UTF-16, or an ASCII character in it.
fn is_utf16(start: &[u8]) -> bool {
    matches!(start, [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
        || matches!(start, [0, a, 0, b] | [a, 0, b, 0] if *a != 0 && *b != 0)
}

/// The compression that was asked for or that the ending of the name tells.
pub(super) fn compression_of(path: &Path, given: Option<Compression>) -> Compression {
    given.unwrap_or_else(|| Compression::from_path(path))
}

#[cfg(test)]
mod tests {
    use super::super::test_data::{column_text, plan, read_all};
    use super::super::{Limits, ReadAs, open};
    use super::*;
    use moretta_data::data::Role;
    use std::io::Write;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).expect("packs");
        encoder.finish().expect("packs")
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        zstd::encode_all(bytes, 3).expect("packs")
    }

    fn plans() -> [super::super::ColumnPlan; 2] {
        ["a", "b"].map(|name| plan(name, Role::Quasi, ReadAs::Category))
    }

    fn read(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Vec<String>> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("writes");
        read_all(&path, options, &plans()).map(|batch| column_text(&batch, 1))
    }

    #[test]
    fn packed_files_are_unpacked() {
        let text = b"a,b\n1,x\n2,y\n";
        let members = [gzip(b"a,b\n1,x\n"), gzip(b"2,y\n")].concat();
        for (name, bytes) in [
            ("a.csv", text.to_vec()),
            ("a.csv.gz", gzip(text)),
            ("b.csv.gz", members),
            ("a.csv.zst", zstd(text)),
        ] {
            let cells = read(name, &bytes, &ReadOptions::default()).expect(name);
            assert_eq!(cells, ["x", "y"], "{name}");
        }
    }

    #[test]
    fn damaged_packed_files_are_refused() {
        let text = "a,b\n1,x\n".repeat(100);
        let half = |bytes: Vec<u8>| bytes[..bytes.len() / 2].to_vec();
        for (name, bytes, what) in [
            ("a.csv.gz", half(gzip(text.as_bytes())), "gzip"),
            ("b.csv.gz", text.clone().into_bytes(), "gzip"),
            ("a.csv.zst", half(zstd(text.as_bytes())), "Zstandard"),
            ("b.csv.zst", text.clone().into_bytes(), "Zstandard"),
        ] {
            let error = read(name, &bytes, &ReadOptions::default()).expect_err(name);
            let expected = format!("{name}: not a complete {what} file");
            assert!(error.to_string().ends_with(&expected), "{error}");
            assert_eq!(error.exit_code(), 4);
        }
    }

    #[test]
    fn a_file_that_unpacks_to_too_much_is_refused() {
        let options = ReadOptions {
            limits: Limits {
                unpacked_bytes: 1 << 20,
                ..Limits::default()
            },
            ..ReadOptions::default()
        };
        let bomb = ["a,b\n", &"1,x\n".repeat(1 << 20)].concat();
        for (name, bytes) in [
            ("a.csv.gz", gzip(bomb.as_bytes())),
            ("a.csv.zst", zstd(bomb.as_bytes())),
        ] {
            let error = read(name, &bytes, &options).expect_err(name);
            let expected = "unpacked size over 1 MiB limit";
            assert!(error.to_string().ends_with(expected), "{error}");
            assert_eq!(error.exit_code(), 4);
        }
    }

    #[test]
    fn a_file_that_changes_while_it_is_read_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.csv");
        let text = "a,b\n".to_owned() + &"1,x\n".repeat(2 << 20);
        std::fs::write(&path, text).expect("writes");
        let options = ReadOptions {
            batch_rows: Some(100_000),
            ..ReadOptions::default()
        };
        // With one thread less is read ahead than the file holds.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let error = pool.expect("a thread").install(|| {
            let mut source = open(&path, &options, &plans()).expect("opens");
            assert!(source.next().expect("a batch").is_ok());
            let file = std::fs::OpenOptions::new().append(true).open(&path);
            file.expect("opens").write_all(b"2,y\n").expect("appends");
            source.find_map(Result::err).expect("an error")
        });
        assert!(
            error
                .to_string()
                .ends_with("the file changed while it was read")
        );
        assert_eq!(error.exit_code(), 4);
    }

    #[test]
    fn what_comes_slowly_is_handed_on_at_once() {
        struct Slow(std::vec::IntoIter<&'static str>, Arc<AtomicUsize>);
        impl Read for Slow {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.1.fetch_add(1, Ordering::Relaxed);
                let piece = self.0.next().unwrap_or("");
                buffer[..piece.len()].copy_from_slice(piece.as_bytes());
                Ok(piece.len())
            }
        }
        let options = ReadOptions {
            batch_rows: Some(1),
            ..ReadOptions::default()
        };
        let reads = Arc::new(AtomicUsize::new(0));
        let pieces = vec!["a,b", "\n1,x\n2", ",y\n3,é\n"].into_iter();
        let raw = Box::new(Slow(pieces, Arc::clone(&reads)));
        let path = Path::new("-");
        let input = Input::new(path, raw, None, Compression::None, &options).expect("opens");
        let mut source = super::super::csv::open(input, &options, &plans(), 64).expect("opens");
        let mut next = || {
            let batch = source.next()?.expect("reads");
            Some(column_text(&batch, 1).remove(0))
        };
        let first = next();
        assert_eq!(
            reads.load(Ordering::Relaxed),
            2,
            "the third piece is not waited for"
        );
        let cells: Vec<String> = first.into_iter().chain(std::iter::from_fn(next)).collect();
        assert_eq!(cells, ["x", "y", "é"]);
    }
}
