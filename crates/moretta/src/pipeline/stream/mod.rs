//! Releases of events long after they were made, and what must hold for every stream.

#[cfg(test)]
mod certificate_tests;
#[cfg(test)]
mod changed_tests;
#[cfg(test)]
mod generated;
#[cfg(test)]
mod masked_tests;
#[cfg(test)]
mod tests;
mod verify;

pub use verify::StreamVerification;
pub(super) use verify::{verify, verify_masked};

use crate::error::{Error, Result};
use crate::policy::Policy;

/// Refuses what only a table has.
pub(super) fn refuse(policy: &Policy, what: &str) -> Result<()> {
    match policy.plan.stream() {
        None => Ok(()),
        Some(_) => Err(Error::policy(format!(
            "`{what}` is for tables and records, and this policy is about events of z-anonymity"
        ))
        .help("`moretta run` with a [report] tells risk and loss of a stream")),
    }
}
