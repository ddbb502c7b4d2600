//! `moretta federation check`, and `moretta check` of a party: mistakes, and what others see.

use super::{key_files, load, load_all};
use crate::args::{FederationPoliciesArgs, PolicyArgs};
use crate::console::{Console, counted};
use crate::failure::Failure;
use moretta::pipeline::{agreed, check_common_columns, check_room, federation_sees};
use moretta::policy::{FederationPolicy, FederationRole};
use moretta::{Error, io, learn};
use serde::Serialize;
use std::fmt::Write;
use std::process::ExitCode;

#[derive(Serialize)]
struct CheckedParty {
    id: String,
    role: &'static str,
    columns: usize,
    terms: String,
    /// What of its key files could not be checked.
    unchecked: Vec<String>,
    sees: Vec<String>,
    warnings: Vec<String>,
}

pub(crate) fn run(args: &FederationPoliciesArgs, console: &Console) -> Result<ExitCode, Failure> {
    let policies = load_all(args)?;
    let mut checked = policies
        .iter()
        .map(|policy| check(policy).map_err(|error| of(policy, error)))
        .collect::<Result<Vec<_>, Failure>>()?;
    agreed(&policies)?;
    check_common_columns(&policies)?;
    let warning = check_room(&policies)?;
    // The aggregator makes trouble nodes, so it is warned, or who comes first where it is not there.
    let aggregates = |policy: &FederationPolicy| policy.role == FederationRole::Aggregator;
    let place = policies.iter().position(aggregates).unwrap_or(0);
    if let Some(party) = checked.get_mut(place) {
        party.warnings.extend(warning);
    }
    show(&checked, console)
}

/// Checks one party.
pub(crate) fn run_one(args: &PolicyArgs, console: &Console) -> Result<ExitCode, Failure> {
    let policy = load(&args.policy, args.root.as_deref())?;
    let checked = check(&policy).map_err(|error| of(&policy, error))?;
    show(&[checked], console)
}

fn of(policy: &FederationPolicy, error: Error) -> Failure {
    match &policy.file {
        Some(file) => Failure::of_policy(error, file),
        None => error.into(),
    }
}

fn check(policy: &FederationPolicy) -> moretta::Result<CheckedParty> {
    let inputs = policy.features.iter().map(|f| f.column.input()).collect();
    if policy.role == FederationRole::Site {
        let header = learn::Header::new(inputs, policy.terms.classes as usize)?;
        learn::build(&policy.learner, &header, 1)?;
    }
    if let Some(source) = &policy.source {
        let names = io::names(&source.path, &source.options)?;
        let known = |name: &String| policy.columns.iter().any(|column| column.name == *name);
        if let Some(name) = names.iter().find(|name| !known(name)) {
            return Err(Error::policy(format!(
                "the rows have a column `{name}`, and [columns] does not say what it is"
            ))
            .help("give it a role; drop leaves it out"));
        }
        let absent = policy
            .columns
            .iter()
            .find(|column| !names.contains(&column.name));
        if let Some(column) = absent {
            return Err(
                Error::policy(format!("the rows have no column `{}`", column.name))
                    .help("take it out of [columns]"),
            );
        }
    }
    let sum = policy.terms.sum();
    Ok(CheckedParty {
        id: policy.id.clone(),
        role: policy.role.word(),
        columns: policy.features.len(),
        terms: sum[..8].iter().map(|byte| format!("{byte:02x}")).collect(),
        unchecked: key_files::check(policy)?,
        sees: federation_sees(policy.role, &policy.terms),
        warnings: policy.warnings(),
    })
}

fn show(checked: &[CheckedParty], console: &Console) -> Result<ExitCode, Failure> {
    for party in checked {
        let warnings = party.warnings.iter();
        let named: Vec<String> = warnings
            .map(|text| format!("{}: {text}", party.id))
            .collect();
        console.warnings(&named);
    }
    console.result(&checked, || {
        let mut text = String::new();
        for party in checked {
            let _ = write!(text, "{}: ok; {}", party.id, party.role);
            if party.columns > 0 {
                let _ = write!(text, ", {}", counted(party.columns as u64, "column"));
            }
            let keys = match party.unchecked.is_empty() {
                true => "keys checked",
                false => "keys not checked",
            };
            let _ = writeln!(text, ", terms {}, {keys}", party.terms);
            for reason in &party.unchecked {
                let _ = writeln!(text, "  keys not checked: {reason}");
            }
            for sentence in &party.sees {
                let _ = writeln!(text, "  {sentence}");
            }
        }
        text
    })
}
