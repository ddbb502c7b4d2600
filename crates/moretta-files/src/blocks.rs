//! Big blocks of text that end where a record ends.
//!
//! A block is cut after its last complete record; the rest is carried into the
//! next. A record that fills the buffer makes it grow, up to a limit.

use super::input::Input;
use super::options::ReadOptions;
use moretta_data::error::Result;

/// Records of text, found without looking inside them.
pub(super) trait Cut {
    /// Bytes of `buffer`, which starts at a record, up to the end of its last
    /// record that is surely complete; 0 when there is none.
    fn complete(&self, buffer: &[u8]) -> usize;
}

/// A piece of the input that starts and ends with a record.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) bytes: Vec<u8>,
    /// Where the records that are still to be parsed start.
    pub(super) start: usize,
    /// The byte of the file after its last one, where it can be gone to.
    pub(super) end: Option<u64>,
    /// It is the start of a record that is too large to be read.
    pub(super) overlong: bool,
}

impl Block {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

/// What a pipe holds at most, so that asking for more only costs.
const PIPE_BYTES: usize = 64 << 10;

/// Cuts an input into blocks.
pub(super) struct Blocks {
    input: Input,
    carry: Vec<u8>,
    spare: Vec<Vec<u8>>,
    block_bytes: usize,
    record_bytes: usize,
    /// Hand on what has come instead of waiting for a full block.
    live: bool,
    stream: bool,
    /// The byte of the file after the last block, where it can be gone to.
    end: Option<u64>,
    done: bool,
}

impl Blocks {
    /// Blocks of about `block_bytes`, if options do not say otherwise; a record may have 64 times
    /// the bytes of a field.
    pub(super) fn new(input: Input, options: &ReadOptions, block_bytes: usize) -> Self {
        Blocks {
            live: (options.stream || options.batch_rows.is_some()) && input.is_live(),
            stream: options.stream,
            end: input.first_byte(),
            input,
            carry: Vec::new(),
            spare: Vec::new(),
            block_bytes: options.block_bytes.unwrap_or(block_bytes).max(1),
            record_bytes: options.limits.field_bytes.saturating_mul(64),
            done: false,
        }
    }

    /// Whether a block is to be parsed as soon as it is there.
    pub(super) fn is_live(&self) -> bool {
        self.live
    }

    /// Whether the first row is to be handed on before the second has come.
    pub(super) fn is_live_stream(&self) -> bool {
        self.live && self.stream
    }

    /// Takes back the memory of a block.
    pub(super) fn recycle(&mut self, block: Block) {
        if self.spare.len() < 64 {
            self.spare.push(block.bytes);
        }
    }

    /// The next block; none at the end.
    pub(super) fn next(&mut self, cut: &impl Cut) -> Result<Option<Block>> {
        if self.done {
            return Ok(None);
        }
        let mut bytes = self.spare.pop().unwrap_or_default();
        bytes.clear();
        bytes.append(&mut self.carry);
        let mut target = self.block_bytes;
        loop {
            let more = self.fill(&mut bytes, target)?;
            let end = if more {
                cut.complete(&bytes)
            } else {
                bytes.len()
            };
            let overlong = end == 0 && bytes.len() > self.record_bytes;
            self.done = !more || overlong;
            if end > 0 || self.done {
                if !overlong {
                    self.carry.extend_from_slice(&bytes[end..]);
                    bytes.truncate(end);
                }
                let length = bytes.len() as u64;
                self.end = self.end.map(|end| end + length);
                return Ok((!bytes.is_empty()).then_some(Block {
                    bytes,
                    start: 0,
                    end: self.end,
                    overlong,
                }));
            }
            target = self.block_bytes.max(bytes.len() * 2);
        }
    }

    /// Goes to a byte of the file at which a record begins; false where it cannot.
    pub(super) fn seek(&mut self, position: u64) -> Result<bool> {
        if self.end.is_none() || !self.input.seek(position)? {
            return Ok(false);
        }
        self.carry.clear();
        self.end = Some(position);
        self.done = false;
        Ok(true)
    }

    /// Reads until there are `target` bytes; tells whether there may be more.
    fn fill(&mut self, bytes: &mut Vec<u8>, target: usize) -> Result<bool> {
        loop {
            let room = target.saturating_sub(bytes.len()).max(1);
            let most = if self.live {
                room.min(PIPE_BYTES)
            } else {
                room
            };
            if !self.input.read_into(bytes, most)? {
                return Ok(false);
            }
            if self.live || bytes.len() >= target {
                return Ok(true);
            }
        }
    }
}
