//! What becomes of promises that a check finds broken.

use crate::error::{Error, Result};

/// What becomes of a promise or a goal that is not kept.
pub(crate) enum Faults {
    /// It ends the session: nothing that breaks a promise leaves.
    Refused,
    /// It is kept, since nothing leaves.
    Noted(Vec<Error>),
}

impl Faults {
    /// What a check has found; `None` where a fault was noted.
    ///
    /// # Errors
    /// The fault, unless it is to be noted; and whatever else went wrong.
    pub(crate) fn take<T>(&mut self, checked: Result<T>) -> Result<Option<T>> {
        match (self, checked) {
            (Faults::Noted(found), Err(fault @ (Error::Guarantee(_) | Error::Goal(_)))) => {
                found.push(fault);
                Ok(None)
            }
            (_, checked) => checked.map(Some),
        }
    }

    /// Whether what breaks a promise may go on.
    pub(crate) fn are_noted(&self) -> bool {
        matches!(self, Faults::Noted(_))
    }

    /// The faults that were noted.
    pub(crate) fn noted(self) -> Vec<Error> {
        match self {
            Faults::Refused => Vec::new(),
            Faults::Noted(found) => found,
        }
    }
}
