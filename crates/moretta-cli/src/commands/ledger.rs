//! `moretta ledger`: what was released of a data set.

use super::load;
use super::run::today;
use crate::args::{LedgerArgs, LedgerCommand, PolicyArgs};
use crate::console::{Console, table};
use crate::failure::Failure;
use moretta::Error;
use moretta::pipeline::{self, Listing};
use moretta::policy::Policy;
use moretta_report::count;
use std::process::ExitCode;

pub(crate) fn run(args: &LedgerArgs, console: &Console) -> Result<ExitCode, Failure> {
    let listing = match &args.command {
        LedgerCommand::List(args) => of(args, |policy| pipeline::list_ledger(policy, None))?,
        LedgerCommand::Verify(args) => of(&args.policy, |policy| {
            pipeline::list_ledger(policy, args.head.as_deref())
        })?,
        LedgerCommand::Revoke(args) => of(&args.policy, |policy| {
            pipeline::revoke(policy, &args.release, today().as_deref())
        })?,
    };
    console.result(&listing, || match &args.command {
        LedgerCommand::Verify(args) => {
            let head = match args.head {
                Some(_) => ", which the head that you gave is part of",
                None => "",
            };
            format!(
                "every byte is as it was written: {} entries{head}\nhead: {}",
                count(listing.entries),
                listing.head
            )
        }
        _ => text(&listing),
    })?;
    Ok(ExitCode::SUCCESS)
}

fn of(
    args: &PolicyArgs,
    list: impl Fn(&Policy) -> Result<Listing, Error>,
) -> Result<Listing, Failure> {
    let policy = load(args)?;
    list(&policy).map_err(|error| Failure::of_policy(error, &args.policy))
}

fn text(listing: &Listing) -> String {
    let head = ["release", "time", "policy", "k", "ε", "rows", ""];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for release in &listing.releases {
        rows.push(vec![
            release.id.clone(),
            match release.time.is_empty() {
                true => release.date.clone(),
                false => release.time.clone(),
            },
            match release.level.is_empty() {
                true => release.name.clone(),
                false => format!("{} ({})", release.name, release.level),
            },
            release.k.map_or_else(String::new, |k| k.to_string()),
            release.epsilon.map_or_else(String::new, |e| e.to_string()),
            count(release.rows),
            if release.revoked { "revoked" } else { "" }.to_owned(),
        ]);
    }
    let spent = match listing.epsilon > 0.0 {
        true => format!("\nε spent: {}", listing.epsilon),
        false => String::new(),
    };
    format!(
        "{}\n{} rows are known{spent}\nhead: {}",
        table(&rows),
        count(listing.known_rows),
        listing.head
    )
}
