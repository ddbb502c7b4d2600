//! The kinds of jobs.

use crate::problem::{Problem, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a job does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// What the columns of uploaded data are like, in rounded counts, with a guessed policy.
    Profile,
    /// A policy tried on a sample: risk and loss, no row.
    Preview,
    /// What a run of a policy would face, in rounded counts.
    Plan,
    /// Methods and numbers tried one after the other, with what each one keeps and loses.
    Explore,
    /// One number of a policy tuned for a goal.
    Tune,
    /// What learners lose on protected data.
    Learn,
    /// Attacks on what a policy would release.
    Attack,
    /// A release held against its policy again.
    Verify,
    /// A release made, checked, attacked and sealed in staging.
    Release,
}

/// Who waits for a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pool {
    /// A person who looks at a page.
    Interactive,
    /// Nobody in particular.
    Batch,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 9] = [
        Kind::Profile,
        Kind::Preview,
        Kind::Plan,
        Kind::Explore,
        Kind::Tune,
        Kind::Learn,
        Kind::Attack,
        Kind::Verify,
        Kind::Release,
    ];

    /// As the store and the API write it.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Profile => "profile",
            Kind::Preview => "preview",
            Kind::Plan => "plan",
            Kind::Explore => "explore",
            Kind::Tune => "tune",
            Kind::Learn => "learn",
            Kind::Attack => "attack",
            Kind::Verify => "verify",
            Kind::Release => "release",
        }
    }

    /// Reads it from the store.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(word: &str) -> Result<Self> {
        let found = Kind::ALL.into_iter().find(|kind| kind.word() == word);
        found.ok_or_else(|| Problem::bug("the store has a kind of job that is none"))
    }

    /// Where it waits.
    pub fn pool(self) -> Pool {
        match self {
            Kind::Profile | Kind::Preview => Pool::Interactive,
            _ => Pool::Batch,
        }
    }
}

impl Pool {
    /// Both.
    pub const ALL: [Pool; 2] = [Pool::Interactive, Pool::Batch];

    /// As the store writes it.
    pub fn word(self) -> &'static str {
        match self {
            Pool::Interactive => "interactive",
            Pool::Batch => "batch",
        }
    }
}
