//! The policy of a stream as the engine reads it: events by the names of its columns, each of a kind
//! that does not depend on what came first.

use crate::problem;
use crate::text::{Composed, Places, compose};
use crate::worker::stream::EVENTS;
use moretta::io::{Files, ReadAs, ReadOptions};
use moretta::policy::{Policy, Root, Secrets};
use moretta::{Error, Result};

/// What the policy calls released rows.
const RELEASED: &str = "released.jsonl";

/// The text with the places of a stream.
pub(super) fn composed(text: &str) -> problem::Result<Composed> {
    compose(
        text,
        &Places {
            source: EVENTS.to_owned(),
            sink: Some(RELEASED.to_owned()),
            report: None,
            ledger: None,
        },
    )
}

/// Reads a composed policy; `files` has its hierarchies.
///
/// # Errors
/// When the policy is none for a stream of the server.
pub(crate) fn open(text: &str, files: Files, secrets: Secrets) -> Result<Policy> {
    let root = Root::of_files(files).with_secrets(secrets.alone());
    let mut policy = Policy::parse(text, &root)?;
    if !policy.plan.is_stream() {
        return Err(refused("the policy is one for tables")
            .help("use z-anonymity, or a method with a `buffer`: see `stream` in the catalogue of methods"));
    }
    let is_events = policy.plan.stream().is_some();
    for plan in policy.plan.column_plans()? {
        if plan.read != ReadAs::Infer {
            continue;
        }
        let columns = policy.plan.columns.iter_mut();
        match columns.into_iter().find(|column| column.name == plan.name) {
            // Values that are counted are counted by their texts.
            Some(column) if is_events => column.read = ReadAs::Category,
            _ => {
                let what = format!(
                    "column `{}` has no type, and what comes first would decide it",
                    plan.name
                );
                return Err(
                    refused(&what).help("add type = \"number\", \"integer\" or \"category\"")
                );
            }
        }
    }
    Ok(policy)
}

/// How events are read by a policy.
pub(crate) fn options(policy: &Policy, files: Files) -> ReadOptions {
    let columns = policy.plan.columns.iter();
    ReadOptions {
        files,
        stream: true,
        names: columns.map(|column| column.name.clone()).collect(),
        ..policy.source.options.clone()
    }
}

fn refused(what: &str) -> Error {
    Error::policy(what)
}
