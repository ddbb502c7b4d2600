//! Text formats: blocks of records parsed in parallel into chunks.
//!
//! While one wave of blocks is parsed the next is read. Only the blocks of two
//! waves are held as text, never the whole file.

use super::Source;
use super::blocks::{Block, Blocks, Cut};
use super::chunk::{Cells, Chunk, ChunkBuilder, Chunks, Flaw, Layout};
use super::gather;
use super::infer::{Guess, SAMPLE_ROWS};
use super::line_ends::count_lines;
use super::misfit::Unfit;
use super::options::{ColumnPlan, ReadAs, ReadOptions};
use super::plan;
use arrow_schema::DataType;
use moretta_data::data::Declared;
use moretta_data::error::{Error, Result};
use rayon::prelude::*;
use std::collections::VecDeque;
use std::path::PathBuf;

/// Bytes of a block: small enough for the cache, large enough to be worth a task.
pub(super) const BLOCK_BYTES: usize = 1 << 20;

/// The first rows end, for the purpose of guessing types, after so many bytes.
const SAMPLE_BYTES: usize = 64 << 20;

/// How the records of a text format are written.
pub(super) trait Syntax: Cut + Send + Sync {
    /// Hands the cells of all records in `text` to `cells`. Gives the number of
    /// lines read, and the flaw that ended the reading early.
    fn records(&self, text: &str, cells: &mut impl Cells) -> (u64, Option<Flaw>);
}

/// The chunks of a text.
pub(super) struct TextChunks<S> {
    syntax: S,
    layout: Layout,
    blocks: Blocks,
    /// Blocks that are read and not yet parsed.
    waiting: VecDeque<Block>,
    ready: VecDeque<Chunk>,
    failed: Option<Error>,
}

impl<S: Syntax + 'static> TextChunks<S> {
    /// The source of these chunks, whose first row stands on `first_line`;
    /// `passing` is the type of the i-th column when it only passes through, `declared`
    /// what the source says of it.
    pub(super) fn into_source(
        self,
        path: PathBuf,
        first_line: u64,
        options: &ReadOptions,
        passing: impl Fn(usize) -> DataType,
        declared: impl Fn(usize) -> Option<Declared>,
    ) -> Result<Box<dyn Source>> {
        let schema = plan::schema(&self.layout.plans, passing, declared)?;
        let columns = Layout::new(self.layout.plans.clone(), &[]);
        let first_line = Some(first_line);
        Ok(gather::source(
            self, schema, &columns, path, first_line, options,
        ))
    }
}

impl<S: Syntax> TextChunks<S> {
    /// `first` is a block that was read already.
    pub(super) fn new(syntax: S, layout: Layout, blocks: Blocks, first: Block) -> Self {
        TextChunks {
            syntax,
            layout,
            blocks,
            waiting: VecDeque::from([first]),
            ready: VecDeque::new(),
            failed: None,
        }
    }

    /// How each column is read.
    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// How the records are written.
    pub(super) fn syntax_mut(&mut self) -> &mut S {
        &mut self.syntax
    }

    /// How many rows are looked at before a type is decided. Of a live stream it
    /// is one, because more may be long in coming and chance must not decide.
    pub(super) fn sample_rows(&self) -> usize {
        if self.blocks.is_live_stream() {
            1
        } else {
            SAMPLE_ROWS
        }
    }

    /// Hands the first rows to `cells`, up to a flaw, and keeps them to be parsed later.
    pub(super) fn sample(&mut self, cells: &mut impl Cells) -> Result<()> {
        let (mut next, mut bytes) = (0, 0);
        while cells.wants_more() && bytes < SAMPLE_BYTES {
            if next == self.waiting.len() {
                match self.blocks.next(&self.syntax)? {
                    Some(block) => self.waiting.push_back(block),
                    None => return Ok(()),
                }
            }
            let block = &self.waiting[next];
            bytes += block.bytes().len();
            let (_, flaw) = read_records(&self.syntax, block, cells);
            if flaw.is_some() {
                return Ok(());
            }
            next += 1;
        }
        Ok(())
    }

    /// Decides what the columns to be inferred are, from the first rows.
    pub(super) fn infer(&mut self) -> Result<()> {
        if self
            .layout
            .plans
            .iter()
            .all(|plan| plan.read != ReadAs::Infer)
        {
            return Ok(());
        }
        let decimal_comma = self.layout.decimal_comma;
        let mut sampler = Sampler {
            guesses: self
                .layout
                .plans
                .iter()
                .map(|plan| (plan.read == ReadAs::Infer).then(|| Guess::new(decimal_comma)))
                .collect(),
            tokens: self.layout.missing.clone(),
            left: self.sample_rows(),
        };
        self.sample(&mut sampler)?;
        let plans = std::mem::take(&mut self.layout.plans)
            .into_iter()
            .zip(&sampler.guesses)
            .map(|(plan, guess)| match guess {
                Some(guess) => ColumnPlan {
                    read: guess.verdict(),
                    ..plan
                },
                None => plan,
            })
            .collect();
        self.layout = Layout {
            decimal_comma,
            ..Layout::new(plans, &sampler.tokens)
        };
        Ok(())
    }

    fn wave_size(&self) -> usize {
        if self.blocks.is_live() {
            1
        } else {
            2 * rayon::current_num_threads()
        }
    }
}

impl<S: Syntax> Chunks for TextChunks<S> {
    fn seek(&mut self, position: u64) -> Result<bool> {
        let found = self.blocks.seek(position)?;
        if found {
            self.waiting.clear();
            self.ready.clear();
            self.failed = None;
        }
        Ok(found)
    }

    fn next_chunk(&mut self) -> Result<Option<Chunk>> {
        if let Some(chunk) = self.ready.pop_front() {
            return Ok(Some(chunk));
        }
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let size = self.wave_size();
        if self.waiting.is_empty() {
            self.waiting = read_wave(&mut self.blocks, &self.syntax, size)?;
        }
        let wave: Vec<Block> = self.waiting.drain(..).collect();
        let (syntax, layout, blocks) = (&self.syntax, &self.layout, &mut self.blocks);
        let parse = |block| parse(syntax, layout, block);
        if blocks.is_live() {
            self.ready = wave.iter().map(parse).collect();
        } else {
            let parse_wave = || wave.par_iter().map(parse).collect();
            let (ready, next) = rayon::join(parse_wave, || read_wave(blocks, syntax, size));
            self.ready = ready;
            match next {
                Ok(next) => self.waiting = next,
                Err(error) => self.failed = Some(error),
            }
        }
        wave.into_iter()
            .for_each(|block| self.blocks.recycle(block));
        Ok(self.ready.pop_front())
    }
}

fn read_wave<S: Syntax>(blocks: &mut Blocks, syntax: &S, size: usize) -> Result<VecDeque<Block>> {
    let mut wave = VecDeque::with_capacity(size);
    while wave.len() < size {
        match blocks.next(syntax)? {
            Some(block) => wave.push_back(block),
            None => break,
        }
    }
    Ok(wave)
}

fn parse<S: Syntax>(syntax: &S, layout: &Layout, block: &Block) -> Chunk {
    let mut builder = ChunkBuilder::new(layout);
    let (lines, flaw) = read_records(syntax, block, &mut builder);
    let mut chunk = builder.finish(lines, flaw);
    chunk.end = block.end;
    if block.overlong {
        chunk.rows = 0;
        chunk.flaw.get_or_insert(Flaw::new(
            0,
            "a record is over 64 times the limit of a field",
        ));
    }
    chunk
}

/// Reads the records up to the first byte that is not UTF-8.
fn read_records<S: Syntax>(
    syntax: &S,
    block: &Block,
    cells: &mut impl Cells,
) -> (u64, Option<Flaw>) {
    let bytes = block.bytes();
    let bad = match std::str::from_utf8(bytes) {
        Ok(text) => return syntax.records(text, cells),
        Err(error) => error.valid_up_to(),
    };
    let end = syntax.complete(&bytes[..bad]);
    let text = std::str::from_utf8(&bytes[..end]).expect("valid up to a later place");
    let (lines, flaw) = syntax.records(text, cells);
    let flaw = flaw.unwrap_or_else(|| {
        let record = &bytes[end..bad];
        let line_start = memchr::memrchr2(b'\n', b'\r', record).map_or(0, |i| i + 1);
        let byte = record.len() - line_start + 1;
        Flaw::new(
            lines + count_lines(record),
            format!("byte {byte} of the line is not UTF-8"),
        )
        .help("try encoding = 'latin-1'")
    });
    (lines, Some(flaw))
}

/// Guesses types from the first rows.
struct Sampler {
    guesses: Vec<Option<Guess>>,
    tokens: Vec<String>,
    /// Rows still to be looked at.
    left: usize,
}

impl Cells for Sampler {
    fn cell(&mut self, column: usize, text: &str, _line: u64) {
        let present = !text.is_empty() && !self.tokens.iter().any(|token| token == text);
        if let (Some(guess), true) = (&mut self.guesses[column], present && self.left > 0) {
            guess.see(text);
        }
    }

    fn missing(&mut self, _column: usize, _line: u64) {}

    fn unfit(&mut self, _column: usize, _why: Unfit, _line: u64) {}

    fn end_row(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    fn wants_more(&self) -> bool {
        self.left > 0
    }
}
