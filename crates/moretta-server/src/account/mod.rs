//! Accounts: passwords, second factors, sessions, links, tokens, drafts, and who administers them.
//!
//! What is proved by guessing is counted before it is looked at ([`guess`]), so that tries at the
//! same time are counted like tries one after another. Passwords go through a gate ([`gate`]) that
//! lets as many be hashed at once as there are cores. Whoever shows more than before gets a new
//! secret for the session. Administrators hand out links and never a password; what could give one
//! of them an account that reads data waits for a second person ([`users`]). It does not help
//! against somebody who has both the password and the second factor of another person.

mod cookie;
mod drafts;
mod factor;
mod gate;
mod guess;
mod link;
mod me;
mod own_tokens;
mod password;
mod phc;
mod setup;
mod sign_in;
pub mod totp;
mod user;
mod users;
mod weak;

pub use factor::set_factor;
pub use gate::Gate;
pub use setup::setup_link;

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
        me::routes(),
        own_tokens::routes(),
        users::routes(),
        drafts::routes(),
    ];
    areas.into_iter().flatten().collect()
}

/// A password, a code or the secret of a link as somebody sent it. It is never shown again.
#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
struct Typed(String);

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
