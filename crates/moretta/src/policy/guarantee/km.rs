//! k^m-anonymity in a policy.

use super::Model;
use super::k::LARGEST;
use crate::config::{Absent, Accepts, Parameter, Section};
use crate::guarantee::KmAnonymous;

pub(super) const MODEL: Model = Model {
    key: KM,
    read: |section, _, guarantee| {
        let Some(mut table) = section.optional_table(&KM)? else {
            return Ok(());
        };
        guarantee.km = Some(KmAnonymous {
            k: table.whole(&K)?,
            m: table.whole(&M)?,
        });
        table.finish()
    },
    write: |guarantee, section| {
        if let Some(KmAnonymous { k, m }) = guarantee.km {
            let mut table = Section::default();
            table.set(&K, k);
            table.set(&M, m);
            section.set(&KM, table);
        }
    },
};

const KM: Parameter = Parameter::new(
    "km",
    Accepts::Table(&[K, M]),
    Absent::Means("not promised"),
    "every set of at most m items that a person shows is shown by at least k persons",
)
.examples(&["{ k = 5, m = 2 }"]);
const K: Parameter = Parameter::new(
    "k",
    Accepts::Whole(2, LARGEST),
    Absent::Refused,
    "how many persons show each set of items at least",
)
.examples(&["5"]);
const M: Parameter = Parameter::new(
    "m",
    Accepts::Whole(1, 4),
    Absent::Whole(2),
    "how many items an attacker may know of a person; a larger number protects and loses more",
);
