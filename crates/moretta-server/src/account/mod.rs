//! Accounts: passwords, second factors, sessions, links, tokens, drafts, and who administers them.
//!
//! What is proved by guessing is counted before it is looked at (`proof`), so that tries at the
//! same time are counted like tries one after another. Passwords go through a gate (`gate`) that
//! lets as many be hashed at once as there are cores. Whoever shows more than before gets a new
//! secret for the session. Administrators hand out links and never a password; what could give one
//! of them an account that reads data waits for a second person (`users`, `decisions`). It does
//! not help against somebody who has both the password and the second factor of another person.

mod begin;
mod cookie;
mod decisions;
mod deletion;
mod demo;
mod drafts;
mod factor;
mod gate;
mod guess;
mod link;
mod me;
mod own_sessions;
mod own_tokens;
mod password;
mod phc;
mod proof;
mod setup;
mod sign_in;
pub mod totp;
mod user;
mod users;
mod weak;

pub use demo::{DemoPerson, demo_people};
pub use factor::set_factor;
pub use gate::Gate;
pub use setup::{SetupLink, setup_links};

use crate::http::{Head, Route};
use crate::problem::{Problem, Result};
use schemars::JsonSchema;
use serde::Deserialize;

/// The routes of accounts.
pub(crate) fn routes() -> Vec<Route> {
    let areas = [
        sign_in::routes(),
        setup::routes(),
        link::routes(),
        factor::routes(),
        me::routes(),
        own_sessions::routes(),
        own_tokens::routes(),
        drafts::routes(),
        users::routes(),
        decisions::routes(),
        demo::routes(),
    ];
    areas.into_iter().flatten().collect()
}

/// A password, a code or the secret of a link as somebody sent it. It is never shown again.
#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
struct Typed(String);

impl Typed {
    /// How many bytes are looked at; more than any password has.
    const LONGEST: usize = 4096;

    /// Its text.
    fn text(&self) -> Result<&str> {
        match self.0.len() <= Self::LONGEST {
            true => Ok(&self.0),
            false => Err(Problem::unusable("nothing that is typed is so long")),
        }
    }
}

/// Fails when a page of another server sent a request for which nobody has to be signed in.
fn check_site(head: &Head) -> Result<()> {
    match head.header("sec-fetch-site") {
        None | Some("same-origin") => Ok(()),
        Some(_) => Err(Problem::new(
            403,
            "other-origin",
            "the request does not come from a page of this server",
        )),
    }
}
