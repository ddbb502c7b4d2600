//! Reads `[guarantee]`: **the list of models** that can be promised, one file a model.

mod beta;
mod delta;
mod k;
mod km;
mod l;
mod on_columns;
mod p;
mod population;
mod risk;
mod t;

pub(super) use k::K;

use super::{ColumnPolicy, Root};
use crate::config::{Absent, Accepts, Parameter, Placed, Section};
use crate::error::Result;
use crate::guarantee::Guarantee;

/// A model: its key in `[guarantee]`, and how it is read and written.
struct Model {
    key: Parameter,
    read: fn(&mut Section, &Around<'_>, &mut Guarantee) -> Result<()>,
    /// Writes what [`Model::read`] reads.
    write: fn(&Guarantee, &mut Section),
}

/// What a model is read beside.
struct Around<'a> {
    columns: &'a [ColumnPolicy],
    root: &'a Root,
}

/// Every model, in the order in which they are told of.
const MODELS: &[Model] = &[
    k::MODEL,
    l::MODEL,
    t::MODEL,
    p::MODEL,
    beta::MODEL,
    delta::MODEL,
    risk::MAXIMUM,
    risk::AVERAGE,
    population::K_MAP,
    population::PRESENCE,
    km::MODEL,
];

/// The keys of `[guarantee]`.
pub(super) const KEYS: &[Parameter] = &{
    let mut keys = [AUDIT; MODELS.len() + 1];
    let mut place = 0;
    while place < MODELS.len() {
        keys[place] = MODELS[place].key;
        place += 1;
    }
    keys
};

const AUDIT: Parameter = Parameter::new(
    "audit",
    Accepts::Flag,
    Absent::Means("true"),
    "whether every row of a stream is counted again before it is written, and rows of events are read back from their file",
);

/// What is promised, and whether a stream is audited, where the policy says so.
pub(super) fn read(
    mut section: Section,
    columns: &[ColumnPolicy],
    root: &Root,
) -> Result<(Guarantee, Option<bool>)> {
    let mut guarantee = Guarantee::default();
    let audit = section.optional(&AUDIT, Placed::flag)?;
    let around = Around { columns, root };
    for model in MODELS {
        (model.read)(&mut section, &around, &mut guarantee)?;
    }
    section.finish()?;
    Ok((guarantee, audit))
}

/// The section as [`read`] reads it.
pub(super) fn written(guarantee: &Guarantee, audit: bool) -> Section {
    let mut section = Section::default();
    for model in MODELS {
        (model.write)(guarantee, &mut section);
    }
    if !audit {
        section.set(&AUDIT, audit);
    }
    section
}
