//! Models that are saved, and go on as if they had never been put away.
//!
//! A loaded learner gives the same votes, bit for bit, as the saved one would have,
//! also after it has learnt more. The layout, all numbers little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `moretta` and a zero |
//! | 4 | the version, now 1 |
//! | 8 | the length of the body |
//! | … | the body: the learner's name, whether it learnt from originals, the [`Vocabulary`], what it knows |
//! | 32 | the SHA-256 of all that is before |
//!
//! Loading checks every index and length that is left and allocates no more than the
//! file fills, times a constant, so that a file that was cut, changed or crafted gives an
//! error and no panic. It does not tell who wrote the file: the sum is no signature.
//!
//! *Does not protect* anything. A model tells about the records that it learnt, nearest
//! neighbours hold them as they are, and the vocabulary holds cells.
//! *Costs* the size of the model, about what [`Learner::memory`] says.

use super::Learner;
use super::list::{self, LEARNERS};
use super::model::{Reader, Vocabulary, Writer, odd};
use crate::error::{Error, Result};
use sha2::{Digest, Sha256};
use std::fmt;

const MAGIC: &[u8; 8] = b"moretta\0";
const VERSION: u32 = 1;
/// Bytes before the body.
const START: usize = 20;
/// Bytes after it.
const SUM: usize = 32;

const AGAIN: &str = "take a copy that is whole, or learn the model again";

/// A learner that was loaded, and what its records mean.
pub struct Model {
    /// It goes on where the saved one was.
    pub learner: Box<dyn Learner>,
    /// What the records that it was built for hold.
    pub vocabulary: Vocabulary,
    /// Whether it has ever learnt from rows that were not protected.
    pub from_originals: bool,
    name: &'static str,
}

impl Model {
    /// A learner that was built for the header of this vocabulary, as a file holds it.
    /// Fails if it is none of [`LEARNERS`].
    pub fn save(
        learner: &dyn Learner,
        vocabulary: &Vocabulary,
        from_originals: bool,
    ) -> Result<Vec<u8>> {
        let knowledge = learner.knowledge().ok_or_else(cannot_be_saved)?;
        let mut out = Writer::default();
        out.raw(MAGIC);
        out.u32(VERSION);
        out.size(0);
        out.text(knowledge.name);
        out.bool(from_originals);
        vocabulary.save(&mut out);
        out.raw(&knowledge.bytes);
        let mut bytes = out.into_bytes();
        let length = (bytes.len() - START) as u64;
        bytes[START - size_of::<u64>()..START].copy_from_slice(&length.to_le_bytes());
        let sum = Sha256::digest(&bytes);
        bytes.extend_from_slice(&sum);
        Ok(bytes)
    }

    /// The model that a file holds.
    pub fn load(bytes: &[u8]) -> Result<Self> {
        let mut body = Reader::new(body(bytes)?);
        let name = body.text()?;
        let info = LEARNERS.iter().find(|info| info.name == name);
        let info = info.ok_or_else(|| odd("a learner that this program does not know"))?;
        let from_originals = body.bool()?;
        let vocabulary = Vocabulary::load(&mut body)?;
        let learner = list::load(info.name, vocabulary.header(), &mut body)?;
        body.end()?;
        Ok(Model {
            learner,
            vocabulary,
            from_originals,
            name: info.name,
        })
    }

    /// How long a file is that begins with these [`START`](Self::START) bytes, so that no
    /// other need be read whole.
    pub fn length(start: &[u8]) -> Result<u64> {
        let length = length_of_body(start)?;
        Ok(length.saturating_add((START + SUM) as u64))
    }

    /// Bytes that tell the length of a file.
    pub const START: usize = START;

    /// The name of the learner, one of [`LEARNERS`].
    pub fn name(&self) -> &'static str {
        self.name
    }
}

/// Says which learner it is and not what it knows.
impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "model of {} over {:?}", self.name, self.vocabulary)
    }
}

/// What lies between the start and the sum, if both are right.
fn body(bytes: &[u8]) -> Result<&[u8]> {
    let length = length_of_body(bytes)?;
    let rest = &bytes[START..];
    let body = usize::try_from(length)
        .ok()
        .and_then(|length| rest.get(..length));
    let body = body.ok_or_else(cut)?;
    let sum = &rest[body.len()..];
    if sum.len() < SUM {
        return Err(cut());
    }
    if sum.len() > SUM {
        return Err(Error::input("something follows the model").help(AGAIN));
    }
    if Sha256::digest(&bytes[..START + body.len()])[..] != *sum {
        return Err(Error::input("the model was changed since it was saved").help(AGAIN));
    }
    Ok(body)
}

/// What the start of a file says.
fn length_of_body(bytes: &[u8]) -> Result<u64> {
    if !bytes.starts_with(MAGIC) {
        return Err(Error::input("this is no model of ours")
            .help("give a file that `moretta learn --save-model` has written"));
    }
    let start = bytes.get(MAGIC.len()..START).ok_or_else(cut)?;
    let mut start = Reader::new(start);
    match start.u32()? {
        VERSION => start.u64(),
        version => {
            let what = format!("the model has version {version}, this program reads {VERSION}");
            Err(Error::input(what).help(match version > VERSION {
                true => "read it with a newer program, or learn it again with this one",
                false => AGAIN,
            }))
        }
    }
}

fn cut() -> Error {
    Error::input("the model is cut short").help(AGAIN)
}

fn cannot_be_saved() -> Error {
    let names: Vec<&str> = LEARNERS.iter().map(|info| info.name).collect();
    Error::usage("this learner cannot be saved").help(format!("these can be: {}", names.join(", ")))
}
