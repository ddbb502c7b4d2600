//! k-anonymity in a policy.

use super::Model;
use crate::config::{Absent, Accepts, Parameter, Placed, Protects};

/// The largest number of persons or values that can be asked for.
pub(super) const LARGEST: i64 = 1_000_000_000;

pub(super) const MODEL: Model = Model {
    key: K,
    read: |section, _, guarantee| {
        guarantee.k = section.optional(&K, Placed::whole)?;
        Ok(())
    },
    write: |guarantee, section| section.set_optional(&K, guarantee.k),
};

pub(in crate::policy) const K: Parameter = Parameter::new(
    "k",
    Accepts::Whole(2, LARGEST),
    Absent::Means("not promised"),
    "every class of equal quasi-identifiers holds at least so many persons",
)
.examples(&["5"])
.tunable(Protects::More);
