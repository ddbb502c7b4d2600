//! The flow of a stream: rows are read, decided, counted again, measured and
//! written, batch by batch, with as little delay as the policy allows.

mod ahead;
mod bound;
mod certificate;
mod checkpoint;
mod facts;
mod flow;
#[cfg(test)]
mod generated;
mod outputs;
mod refused;
mod reorder;
mod run;
mod sources;
#[cfg(test)]
mod tests;
mod verify;
mod watch;

pub(super) use run::run;
pub use verify::StreamVerification;
pub(super) use verify::verify;

use crate::data::Role;
use crate::error::{Error, Result};
use crate::policy::Policy;

/// What can be known of the policy of a stream without reading its rows.
pub(super) fn check(policy: &Policy) -> Result<()> {
    sources::ladders(policy)?;
    for (role, example) in [
        (Role::Time, "t = { role = \"time\" }"),
        (Role::Subject, "user = { role = \"subject\" }"),
        (
            Role::Quasi,
            "page = { role = \"quasi\", hierarchy = { path = \"/\" } }",
        ),
    ] {
        let columns = policy
            .plan
            .columns
            .iter()
            .filter(|column| column.role == role);
        match columns.count() {
            0 => {
                let what = format!("z-anonymity needs a column with the role {}", role.word());
                return Err(Error::policy(what).help(format!("for example {example}")));
            }
            2.. if role == Role::Time => {
                return Err(Error::policy("a stream has one column with the role time")
                    .help("make the others plain, or drop them"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Refuses what only a table has.
pub(super) fn refuse(policy: &Policy, what: &str) -> Result<()> {
    match policy.plan.stream() {
        None => Ok(()),
        Some(_) => Err(Error::policy(format!(
            "`{what}` is for tables, and this policy is about a stream"
        ))
        .help("`moretta run` with a [report] tells risk and loss of a stream")),
    }
}
