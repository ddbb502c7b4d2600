//! What a person is in a project.

use crate::problem::{Problem, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The role of a member of a project.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Approves, refuses, revokes, sets rules; never sees a raw row.
    Officer,
    /// Uploads, protects and asks for releases.
    Steward,
    /// Reads releases of a level.
    Analyst,
    /// Runs streams.
    Operator,
    /// Reads the log, and no row.
    Auditor,
}

impl Role {
    /// All of them.
    pub const ALL: [Role; 5] = [
        Role::Officer,
        Role::Steward,
        Role::Analyst,
        Role::Operator,
        Role::Auditor,
    ];

    /// As the store and the API write it.
    pub fn word(self) -> &'static str {
        match self {
            Role::Officer => "officer",
            Role::Steward => "steward",
            Role::Analyst => "analyst",
            Role::Operator => "operator",
            Role::Auditor => "auditor",
        }
    }

    /// Whether somebody with this role sees or decides what nobody has approved yet, so that a second
    /// person confirms them and a second factor is fixed.
    pub fn is_trusted(self) -> bool {
        matches!(self, Role::Officer | Role::Steward | Role::Auditor)
    }

    /// Whether the member `m` of a statement is trusted so, or reads raw rows: in SQL.
    pub(crate) const TRUSTED: &'static str =
        "(m.role IN ('officer', 'steward', 'auditor') OR m.level = 1)";

    /// Reads it from the store.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(word: &str) -> Result<Self> {
        let found = Role::ALL.into_iter().find(|role| role.word() == word);
        found.ok_or_else(|| Problem::bug("the store has a role that is none"))
    }
}
