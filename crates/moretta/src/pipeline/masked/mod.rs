//! The flow of methods that mask records, of tables and of streams: rows are read,
//! masked, paired with their originals to be measured, written, and counted again.
//!
//! A table is one batch and is released in an order that tells nothing; a stream is
//! many, and leaves in the order in which it came. A file appears only when all of
//! it was written, read back and found good. What goes to standard output of a
//! stream is counted as it leaves, and the stream stops at the first fault.

mod facts;
mod flow;
mod output;
mod pairs;
mod run;

pub(super) use flow::secret_seed;
pub(super) use run::run;

use crate::data::{Field, Kind, Role, Schema};
use crate::error::{Error, Result};
use crate::policy::{Action, Policy};
use crate::protect::Masking;

/// What can be known of the policy without reading the rows.
pub(super) fn check(policy: &Policy, masking: &dyn Masking) -> Result<()> {
    let read = policy.columns.iter();
    let fields = read
        .filter(|column| column.action != Action::Drop || column.role != Role::Identifier)
        .map(|column| Field::new(&*column.name, column.role, Kind::Number { integer: false }));
    let schema = Schema::new(fields.collect())?;
    for place in masking.places(&schema)? {
        let name = &schema.fields()[place].name;
        let column = policy.column(name);
        if column.is_some_and(|column| column.action != Action::Keep) {
            return Err(
                Error::policy(format!("`{name}` is masked and not released as it is"))
                    .help("leave it out of `columns`, or let it be released"),
            );
        }
    }
    Ok(())
}
