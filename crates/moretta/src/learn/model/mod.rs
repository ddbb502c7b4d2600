//! What a saved model consists of: bytes, what its records mean, and what its learner knows.
//!
//! Most types are saved by their fields (`saved!`), the rest by hand. Lengths that follow from
//! the vocabulary are not written, so they cannot be wrong, and a reader can say what a file may
//! hold. A text format would lose NaN and infinity.

mod bytes;
mod fields;
mod vocabulary;

pub(crate) use bytes::{MOST_COUNTED, Reader, Writer, odd};
pub(crate) use fields::{Loaded, Saved, saved};
pub use vocabulary::{Meaning, Vocabulary};

use std::fmt;

/// What a learner knows, in the words of the file.
pub struct Knowledge {
    pub(crate) name: &'static str,
    pub(crate) bytes: Vec<u8>,
}

impl Knowledge {
    pub(crate) fn new(name: &'static str, save: impl FnOnce(&mut Writer)) -> Option<Self> {
        let mut out = Writer::default();
        save(&mut out);
        Some(Knowledge {
            name,
            bytes: out.into_bytes(),
        })
    }
}

/// Says how much it is and not what.
impl fmt::Debug for Knowledge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of {}", self.bytes.len(), self.name)
    }
}
