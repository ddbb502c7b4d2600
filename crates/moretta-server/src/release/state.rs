//! The states of a release, and every step from one to another: one table.

use crate::problem::{Problem, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far a release is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It was asked for and does not run: it has not begun, or its run has failed.
    Draft,
    /// A job makes it, in staging.
    Running,
    /// It lies in staging and waits for an officer.
    Ready,
    /// An officer has approved its bytes, which are on their way to who may read them.
    Approved,
    /// An officer did not approve it.
    Refused,
    /// Who asked for it does not want it any more.
    Withdrawn,
    /// Who has its level reads it.
    Published,
    /// An officer has taken it back.
    Revoked,
    /// Its end has come.
    Expired,
}

/// What happens to a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A job begins to make it.
    Run,
    /// The job has made it.
    Make,
    /// The job could not make it.
    Fail,
    /// Who asked takes the request back.
    Withdraw,
    /// An officer approves.
    Approve,
    /// An officer refuses.
    Refuse,
    /// Its files lie where they are read.
    Publish,
    /// An officer takes it back.
    Revoke,
    /// Its end has come.
    Expire,
}

impl State {
    /// All of them.
    pub const ALL: [State; 9] = [
        State::Draft,
        State::Running,
        State::Ready,
        State::Approved,
        State::Refused,
        State::Withdrawn,
        State::Published,
        State::Revoked,
        State::Expired,
    ];

    /// The state after a step; none where the step cannot be taken. There is no way back from what
    /// was decided, and none to other bytes: a change is a new request.
    pub fn after(self, step: Step) -> Option<State> {
        match (self, step) {
            (State::Draft, Step::Run) => Some(State::Running),
            (State::Running, Step::Make) => Some(State::Ready),
            (State::Running, Step::Fail) => Some(State::Draft),
            (State::Draft | State::Running | State::Ready, Step::Withdraw) => {
                Some(State::Withdrawn)
            }
            (State::Ready, Step::Approve) => Some(State::Approved),
            (State::Ready, Step::Refuse) => Some(State::Refused),
            (State::Approved, Step::Publish) => Some(State::Published),
            (State::Approved | State::Published, Step::Revoke) => Some(State::Revoked),
            (State::Ready | State::Approved | State::Published, Step::Expire) => {
                Some(State::Expired)
            }
            _ => None,
        }
    }

    /// The state after a step.
    ///
    /// # Errors
    /// 409 where the step cannot be taken.
    pub fn step(self, step: Step) -> Result<State> {
        self.after(step).ok_or_else(|| {
            let what = format!(
                "a release that is {} cannot be {}",
                self.word(),
                step.done()
            );
            let help = match step {
                Step::Approve | Step::Refuse => "read it again: somebody may have decided already",
                _ => "read it again; a change is a new request",
            };
            Problem::conflict("state", what).help(help)
        })
    }

    /// As the store and the API write it.
    pub fn word(self) -> &'static str {
        match self {
            State::Draft => "draft",
            State::Running => "running",
            State::Ready => "ready",
            State::Approved => "approved",
            State::Refused => "refused",
            State::Withdrawn => "withdrawn",
            State::Published => "published",
            State::Revoked => "revoked",
            State::Expired => "expired",
        }
    }

    /// Reads it from the store.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(word: &str) -> Result<Self> {
        let found = State::ALL.into_iter().find(|state| state.word() == word);
        found.ok_or_else(|| Problem::bug("the store has a state of a release that is none"))
    }

    /// Whether its files lie in staging, for who reviews.
    pub fn is_staged(self) -> bool {
        matches!(self, State::Ready | State::Approved)
    }

    /// Whether nothing follows.
    pub fn is_last(self) -> bool {
        Step::ALL.into_iter().all(|step| self.after(step).is_none())
    }
}

impl Step {
    /// All of them.
    pub const ALL: [Step; 9] = [
        Step::Run,
        Step::Make,
        Step::Fail,
        Step::Withdraw,
        Step::Approve,
        Step::Refuse,
        Step::Publish,
        Step::Revoke,
        Step::Expire,
    ];

    fn done(self) -> &'static str {
        match self {
            Step::Run => "run",
            Step::Make => "made",
            Step::Fail => "given up",
            Step::Withdraw => "withdrawn",
            Step::Approve => "approved",
            Step::Refuse => "refused",
            Step::Publish => "published",
            Step::Revoke => "revoked",
            Step::Expire => "ended",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_published_that_was_not_approved() {
        let before: Vec<State> = State::ALL
            .into_iter()
            .filter(|state| state.after(Step::Publish).is_some())
            .collect();
        assert_eq!(before, [State::Approved]);
        let before: Vec<State> = State::ALL
            .into_iter()
            .filter(|state| state.after(Step::Approve).is_some())
            .collect();
        assert_eq!(before, [State::Ready]);
    }

    #[test]
    fn what_is_decided_against_stays_so() {
        for state in [
            State::Refused,
            State::Withdrawn,
            State::Revoked,
            State::Expired,
        ] {
            assert!(state.is_last(), "{state:?}");
        }
    }

    #[test]
    fn words_are_read_as_they_are_written() {
        for state in State::ALL {
            assert_eq!(State::parse(state.word()), Ok(state));
        }
    }
}
