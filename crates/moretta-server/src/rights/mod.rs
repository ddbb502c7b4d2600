//! Who may do what: one list, which router, documentation and tests are made from.

mod list;
mod permit;
mod role;

pub use list::*;
pub(crate) use permit::Refused;
pub use permit::{Caller, Member, Permit, Signed, permit, standing, still};
pub use role::Role;

use serde::Serialize;

/// To whom a right is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase", tag = "kind", content = "of")]
pub enum To {
    /// To everybody, signed in or not.
    Anyone,
    /// To who has shown a password, also while the session is locked or waits for a second factor.
    Half,
    /// To who is signed in.
    Signed,
    /// To administrators.
    Admin,
    /// To auditors of everything.
    Auditor,
    /// To members of the project with this role.
    Role(Role),
    /// To stewards and analysts of the project who have level 1.
    Raw,
    /// To tokens made for one stream.
    Ingest,
}

/// What is known of a right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RightInfo {
    /// Its name.
    pub name: &'static str,
    /// Who has it.
    pub to: &'static [To],
    /// Whether the second factor must have been shown in the last quarter of an hour.
    pub fresh: bool,
    /// Whether tokens of persons may use it; never for raw rows, approvals and grants.
    pub token: bool,
}

impl RightInfo {
    /// Whether it is about one project.
    pub fn is_of_project(&self) -> bool {
        self.to.iter().any(|to| matches!(to, To::Role(_) | To::Raw))
    }

    /// Whether members with this role and level have it.
    pub fn has(&self, role: Role, level: i64) -> bool {
        self.to.iter().any(|to| match to {
            To::Role(of) => *of == role,
            To::Raw => level == 1 && matches!(role, Role::Steward | Role::Analyst),
            _ => false,
        })
    }
}

/// A right as a type: handlers take the permit of theirs, and nobody else can make one.
pub trait Right: 'static {
    /// What it is.
    const INFO: RightInfo;
}
