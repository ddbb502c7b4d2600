//! Lines of a text for readers of their own: unpacked, as UTF-8, in blocks that end with a line.

use super::blocks::{Block, Blocks, Cut};
use super::input::Input;
use super::options::ReadOptions;
use super::text::BLOCK_BYTES;
use moretta_data::error::{Error, Result};
use std::path::{Path, PathBuf};

/// Whole lines, block by block.
pub struct LineBlocks {
    path: PathBuf,
    blocks: Blocks,
    line: u64,
}

/// Some lines that follow each other.
pub struct LineBlock {
    /// The number of the first one, from 1.
    pub first: u64,
    /// All of them.
    pub text: String,
}

struct AtLineEnds;

impl Cut for AtLineEnds {
    fn complete(&self, buffer: &[u8]) -> usize {
        memchr::memrchr(b'\n', buffer).map_or(0, |end| end + 1)
    }
}

impl LineBlocks {
    /// Opens a file, which may be packed, or standard input.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        super::packed::refuse_by_name(path)?;
        Ok(LineBlocks {
            blocks: Blocks::new(Input::open(path, options)?, options, BLOCK_BYTES),
            path: path.to_owned(),
            line: 1,
        })
    }

    /// The next lines; none at the end.
    ///
    /// # Errors
    /// When the file cannot be read, is not UTF-8 or has a line that is far too long.
    pub fn next_block(&mut self) -> Result<Option<LineBlock>> {
        let Some(block) = self.blocks.next(&AtLineEnds)? else {
            return Ok(None);
        };
        let Block {
            bytes, overlong, ..
        } = block;
        let first = self.line;
        if overlong {
            let error = Error::input("the line is too long to be read");
            return Err(error.in_file(&self.path).on_line(first));
        }
        self.line += memchr::memchr_iter(b'\n', &bytes).count() as u64;
        let text = String::from_utf8(bytes).map_err(|e| {
            let before = &e.as_bytes()[..e.utf8_error().valid_up_to()];
            let line = first + memchr::memchr_iter(b'\n', before).count() as u64;
            Error::input("the line is not UTF-8")
                .in_file(&self.path)
                .on_line(line)
                .help("save the file as UTF-8")
        })?;
        Ok(Some(LineBlock { first, text }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<(u64, String)>> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.jsonl");
        std::fs::write(&path, bytes).expect("writes");
        let options = ReadOptions::default();
        let mut blocks = LineBlocks::open(&path, &options)?;
        blocks.blocks = Blocks::new(Input::open(&path, &options)?, &options, 4);
        let mut all = Vec::new();
        while let Some(block) = blocks.next_block()? {
            all.push((block.first, block.text));
        }
        Ok(all)
    }

    #[test]
    fn blocks_hold_whole_lines_and_know_their_numbers() {
        let blocks = read(b"a\nbcdefgh\n\ni").expect("read");
        let all: String = blocks.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(all, "a\nbcdefgh\n\ni");
        for (first, text) in &blocks {
            let before = all.find(text.as_str()).expect("a part");
            assert_eq!(*first, 1 + all[..before].matches('\n').count() as u64);
        }
        let error = read(b"a\nb\n\xff\n").expect_err("not UTF-8").to_string();
        assert!(error.contains("line 3"), "{error}");
    }
}
