//! A journal in memory, for simulations: it survives the party, not the process.

use super::{Journal, Stored};
use crate::error::{Error, Result};

/// The journal. With a limit it is a disk that gets full.
#[derive(Debug, Default)]
pub struct MemoryJournal {
    checkpoint: Option<Vec<u8>>,
    entries: Vec<Vec<u8>>,
    limit: Option<usize>,
    most: usize,
}

impl MemoryJournal {
    /// One that has room for so many bytes.
    pub fn with_limit(bytes: usize) -> Self {
        MemoryJournal {
            limit: Some(bytes),
            ..MemoryJournal::default()
        }
    }

    /// Bytes that it holds.
    pub fn size(&self) -> usize {
        let entries: usize = self.entries.iter().map(Vec::len).sum();
        entries + self.checkpoint.as_ref().map_or(0, Vec::len)
    }

    /// The greatest checkpoint so far, in bytes.
    pub fn greatest_checkpoint(&self) -> usize {
        self.most
    }

    /// The last checkpoint.
    pub fn last_checkpoint(&self) -> Option<&[u8]> {
        self.checkpoint.as_deref()
    }

    /// The entries since then.
    pub fn entries(&self) -> impl Iterator<Item = &[u8]> {
        self.entries.iter().map(Vec::as_slice)
    }

    fn has_room(&self, bytes: usize) -> Result<()> {
        match self.limit {
            Some(limit) if self.size() + bytes > limit => Err(Error::io(
                "write",
                "the journal",
                std::io::ErrorKind::StorageFull.into(),
            )),
            _ => Ok(()),
        }
    }
}

impl Journal for MemoryJournal {
    fn append(&mut self, entry: &[u8]) -> Result<()> {
        if self.limit.is_some() {
            self.has_room(entry.len())?;
        }
        self.entries.push(entry.to_vec());
        Ok(())
    }

    fn take_back(&mut self) -> Result<()> {
        self.entries.pop();
        Ok(())
    }

    fn checkpoint(&mut self, state: &[u8]) -> Result<()> {
        self.has_room(state.len())?;
        self.most = self.most.max(state.len());
        self.checkpoint = Some(state.to_vec());
        self.entries.clear();
        Ok(())
    }

    fn read(&mut self) -> Result<Stored> {
        Ok(Stored {
            checkpoint: self.checkpoint.clone(),
            entries: self.entries.clone(),
        })
    }
}
