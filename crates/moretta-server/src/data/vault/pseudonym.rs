//! Pseudonyms, and the lines of the vault that tell what they stand for.

use crate::id::Id;
use crate::seal::{Key, ZoneKeys};
use crate::secret::hex;
use serde::{Deserialize, Serialize};

/// Makes the pseudonyms of a data set.
pub(super) struct Pseudonyms {
    key: Key,
    purpose: String,
}

impl Pseudonyms {
    /// Those of a data set.
    pub(super) fn of(keys: &ZoneKeys, dataset: Id) -> Self {
        Pseudonyms {
            key: keys.vault.clone(),
            purpose: format!("pseudonym {dataset}"),
        }
    }

    /// The pseudonym of a value of a column: 32 hexadecimal digits.
    pub(super) fn of_value(&self, column: &str, value: &str) -> String {
        // The length of the name keeps `ab` + `c` apart from `a` + `bc`.
        let told = format!("{} {column} {value}", column.len());
        hex(&self.key.sum(&self.purpose, told.as_bytes())[..16])
    }

    /// What the log has of a pseudonym that was looked up: that two looks were for the same one can be
    /// seen, and not for which.
    pub(super) fn tag(&self, pseudonym: &str) -> String {
        hex(&self.key.sum("looks", pseudonym.as_bytes())[..8])
    }
}

/// A line of the vault.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    /// The pseudonym.
    pub(super) pseudonym: String,
    /// The column.
    pub(super) column: String,
    /// What the pseudonym stands for.
    pub(super) value: String,
}
