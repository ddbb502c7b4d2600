//! Reads a source on a thread of its own, a few batches ahead of whoever takes
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
    /// On another one.
    Ahead(Ahead),
}

impl Input {
    pub(super) fn new(source: Box<dyn Source>) -> Self {
        match rayon::current_num_threads() {
            1 => Input::Here(source),
            _ => Input::Ahead(Ahead::new(source)),
        }
    }
}

impl engine::Source for Input {
    fn next(&mut self) -> Result<Option<Batch>> {
        match self {
            Input::Here(source) => source.next().transpose(),
            Input::Ahead(ahead) => ahead.next(),
        }
    }

    /// What was odd about the rows, once the source has ended.
    fn notes(&self) -> Vec<String> {
        match self {
            Input::Here(source) => source.notes(),
            Input::Ahead(ahead) => ahead.notes.clone(),
        }
    }
}

/// A source that is read ahead.
pub(super) struct Ahead {
    batches: Receiver<Result<Batch>>,
    /// Gives what was odd about the rows when the source has ended.
    reader: Option<JoinHandle<Vec<String>>>,
    notes: Vec<String>,
}

impl Ahead {
    fn new(mut source: Box<dyn Source>) -> Self {
        let (sender, batches) = sync_channel(READY);
        let reader = std::thread::spawn(move || {
            for batch in source.by_ref() {
                // Nobody wants more.
                if sender.send(batch).is_err() {
                    break;
                }
            }
            source.notes()
        });
        Ahead {
            batches,
            reader: Some(reader),
            notes: Vec::new(),
        }
    }

    fn next(&mut self) -> Result<Option<Batch>> {
        if let Ok(batch) = self.batches.recv() {
            return batch.map(Some);
        }
        if let Some(reader) = self.reader.take() {
            let died = |_| Error::bug("the thread that reads a source has died");
            self.notes = reader.join().map_err(died)?;
        }
        Ok(None)
    }
}
