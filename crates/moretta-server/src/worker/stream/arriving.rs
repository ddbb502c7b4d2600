//! Events as they arrive, read on a thread of their own, so that what has left is committed also
//! while none come.

use super::released::Reached;
use moretta::data::Batch;
use moretta::engine::Source;
use moretta::{Error, Result, io};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// Batches that may lie ready.
const READY: usize = 2;
/// How long it is waited for events before the session goes on without.
const WAIT: Duration = Duration::from_millis(50);

pub(super) struct Arriving {
    batches: Receiver<Result<(Batch, Option<u64>)>>,
    /// Events so far; those that are not wanted count below 0.
    events: i64,
    byte: u64,
    position: Option<u64>,
    reached: Reached,
    /// A batch without rows.
    none: Option<Batch>,
}

impl Arriving {
    /// From a byte at which an event begins, before which `before` events have come.
    pub(super) fn new(
        mut source: Box<dyn io::Source>,
        (before, byte): (i64, u64),
        reached: &Reached,
    ) -> Result<Self> {
        if !source.seek(byte)? {
            return Err(Error::bug("events cannot be read from where they begin"));
        }
        reached.note(before, byte);
        let (sender, batches) = sync_channel(READY);
        std::thread::spawn(move || {
            while let Some(batch) = source.next() {
                let batch = batch.map(|batch| (batch, source.offset()));
                if sender.send(batch).is_err() {
                    break;
                }
            }
        });
        Ok(Arriving {
            batches,
            events: before,
            byte,
            position: None,
            reached: reached.clone(),
            none: None,
        })
    }
}

impl Source for Arriving {
    fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            let (batch, position) = match self.batches.recv_timeout(WAIT) {
                Ok(arrived) => arrived?,
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => match &self.none {
                    Some(none) => return Ok(Some(none.clone())),
                    None => continue,
                },
            };
            let unwanted = usize::try_from(-self.events).unwrap_or(0).min(batch.len());
            self.events += batch.len() as i64;
            self.position = position;
            if let Some(byte) = position {
                self.reached.note(self.events, byte);
            }
            self.none = Some(batch.slice(0, 0));
            if unwanted < batch.len() {
                return Ok(Some(batch.slice(unwanted, batch.len() - unwanted)));
            }
        }
    }

    fn position(&self) -> Option<u64> {
        self.position
    }

    fn seek(&mut self, position: u64) -> Result<bool> {
        Ok(position == self.byte && self.position.is_none())
    }
}
