//! Reads a source on a thread of its own, a few batches ahead of the session that takes
//! them, where there is more than one core to work on.

use crate::data::Batch;
use crate::engine;
use crate::error::{Error, Result};
use crate::io::Source;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

/// Batches that may lie ready.
const READY: usize = 2;

/// A source that is read ahead, or when it is asked for.
pub(super) enum Input {
    /// On this thread.
    Here(Box<dyn Source>),
    /// On another one, once rows are asked for; none while it is started.
    Later(Option<Box<dyn Source>>),
    /// On another one.
    Ahead(Ahead),
}

impl Input {
    pub(super) fn new(source: Box<dyn Source>) -> Self {
        match rayon::current_num_threads() {
            1 => Input::Here(source),
            _ => Input::Later(Some(source)),
        }
    }

    /// The same with what `other` makes of a source that was not begun.
    pub(super) fn through(self, other: impl FnOnce(Box<dyn Source>) -> Box<dyn Source>) -> Self {
        match self {
            Input::Here(source) => Input::Here(other(source)),
            Input::Later(source) => Input::Later(source.map(other)),
            Input::Ahead(ahead) => Input::Ahead(ahead),
        }
    }
}

impl engine::Source for Input {
    fn next(&mut self) -> Result<Option<Batch>> {
        if let Input::Later(source) = self
            && let Some(source) = source.take()
        {
            *self = Input::Ahead(Ahead::new(source));
        }
        match self {
            Input::Here(source) => source.next().transpose(),
            Input::Later(_) => Err(Error::bug("a source was started twice")),
            Input::Ahead(ahead) => ahead.next(),
        }
    }

    fn position(&self) -> Option<u64> {
        match self {
            Input::Here(source) => source.offset(),
            Input::Later(_) => None,
            Input::Ahead(ahead) => ahead.position,
        }
    }

    fn seek(&mut self, position: u64) -> Result<bool> {
        match self {
            Input::Here(source) | Input::Later(Some(source)) => source.seek(position),
            Input::Later(None) | Input::Ahead(_) => Ok(false),
        }
    }

    /// What was odd about the rows, once the source has ended.
    fn notes(&self) -> Vec<String> {
        match self {
            Input::Here(source) | Input::Later(Some(source)) => source.notes(),
            Input::Later(None) => Vec::new(),
            Input::Ahead(ahead) => ahead.notes.clone(),
        }
    }
}

/// A source that is read ahead.
pub(super) struct Ahead {
    batches: Receiver<Result<(Batch, Option<u64>)>>,
    /// Where the source was after the batch that was taken last.
    position: Option<u64>,
    /// Gives what was odd about the rows when the source has ended.
    reader: Option<JoinHandle<Vec<String>>>,
    notes: Vec<String>,
}

impl Ahead {
    fn new(mut source: Box<dyn Source>) -> Self {
        let (sender, batches) = sync_channel(READY);
        let reader = std::thread::spawn(move || {
            while let Some(batch) = source.next() {
                let batch = batch.map(|batch| (batch, source.offset()));
                // Nobody wants more.
                if sender.send(batch).is_err() {
                    break;
                }
            }
            source.notes()
        });
        Ahead {
            batches,
            position: None,
            reader: Some(reader),
            notes: Vec::new(),
        }
    }

    fn next(&mut self) -> Result<Option<Batch>> {
        if let Ok(batch) = self.batches.recv() {
            let (batch, position) = batch?;
            self.position = position;
            return Ok(Some(batch));
        }
        if let Some(reader) = self.reader.take() {
            let died = |_| Error::bug("the thread that reads a source has died");
            self.notes = reader.join().map_err(died)?;
        }
        Ok(None)
    }
}
