//! What learners are taught and tested with: records and classes of both sides.

use crate::data::{Records, Role, Schema};
use crate::error::{Error, Result};
use crate::learn::{Header, Vocabulary};
use serde::Serialize;

/// Which half of the pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Rows as they were read.
    Original,
    /// What is released of them.
    Protected,
}

impl Side {
    /// "original" or "protected".
    pub fn word(self) -> &'static str {
        match self {
            Side::Original => "original",
            Side::Protected => "protected",
        }
    }
}

/// What a learner is taught, and what it is tested with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arm {
    /// What it is taught.
    pub learnt: Side,
    /// What it is tested with.
    pub tested: Side,
}

impl Arm {
    /// Nothing is protected.
    pub const ORIGINAL: Arm = Arm {
        learnt: Side::Original,
        tested: Side::Original,
    };
    /// Nothing is known but the release.
    pub const PROTECTED: Arm = Arm {
        learnt: Side::Protected,
        tested: Side::Protected,
    };
    /// What was learnt from the release is applied to persons.
    pub const APPLIED: Arm = Arm {
        learnt: Side::Protected,
        tested: Side::Original,
    };
}

/// Records in the order of the source, with their classes.
#[derive(Clone, Debug)]
pub struct Lessons {
    original: Option<Taught>,
    protected: Option<Taught>,
    /// The originals as a learner of the protected records can take them.
    exams: Option<Records>,
    /// The original class of each record.
    actual: Vec<u32>,
    /// What was odd about the input.
    pub notes: Vec<String>,
}

/// One side of the records, and the classes that come with them.
#[derive(Clone, Debug)]
pub(crate) struct Taught {
    pub(crate) vocabulary: Vocabulary,
    pub(crate) records: Records,
    pub(crate) classes: Vec<u32>,
}

impl Lessons {
    /// The sides, one at least, what those who learn the second are tested with, and the
    /// original class of each record.
    pub(crate) fn new(
        original: Option<Taught>,
        protected: Option<Taught>,
        exams: Option<Records>,
        actual: Vec<u32>,
        notes: Vec<String>,
    ) -> Self {
        Lessons {
            original,
            protected,
            exams,
            actual,
            notes,
        }
    }

    /// What the records of a side hold. Mixtures of columns are other columns than those
    /// they were made of.
    pub fn header(&self, side: Side) -> Option<&Header> {
        self.vocabulary(side).map(Vocabulary::header)
    }

    /// What the numbers of a side stand for.
    pub fn vocabulary(&self, side: Side) -> Option<&Vocabulary> {
        self.side(side).map(|taught| &taught.vocabulary)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.actual.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.actual.is_empty()
    }

    /// Whether there is something to learn from on a side: something was protected, and
    /// a model that goes on fits.
    pub fn has(&self, side: Side) -> bool {
        self.side(side).is_some()
    }

    /// The records of a side in order, their original classes and those that come with
    /// them; none where there is no such side.
    pub fn of(&self, side: Side) -> Option<(&Records, &[u32], &[u32])> {
        let taught = self.side(side)?;
        Some((&taught.records, &self.actual[..], &taught.classes[..]))
    }

    /// The records that learners are tested with in this arm, in the order of those that
    /// they are taught; none where there are none that they could take.
    pub fn exams(&self, arm: Arm) -> Option<&Records> {
        match arm {
            Arm::APPLIED => self.exams.as_ref(),
            Arm { learnt, tested } if learnt == tested => Some(&self.side(learnt)?.records),
            _ => None,
        }
    }

    /// The arm that tells what a learner of the release is worth: applied to originals,
    /// where it can take them.
    pub fn applied(&self) -> Arm {
        match self.exams(Arm::APPLIED) {
            Some(_) => Arm::APPLIED,
            None => Arm::PROTECTED,
        }
    }

    fn side(&self, side: Side) -> Option<&Taught> {
        match side {
            Side::Original => self.original.as_ref(),
            Side::Protected => self.protected.as_ref(),
        }
    }
}

/// The place of the class.
pub(crate) fn class_of(schema: &Schema, named: Option<&str>) -> Result<usize> {
    if let Some(name) = named {
        return schema.index_of(name).ok_or_else(|| {
            Error::usage(format!("there is no column `{name}`"))
                .help("give --class the name of a column that is read")
        });
    }
    match schema.with_role(Role::Class)[..] {
        [class] => Ok(class),
        [] => Err(Error::policy("no column has the role class")
            .help("give the column to predict the role class, or name it with --class")),
        _ => Err(Error::policy("several columns have the role class")
            .help("name the one to predict with --class")),
    }
}
