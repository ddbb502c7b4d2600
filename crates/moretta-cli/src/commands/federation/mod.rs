//! `moretta federation`: keys, checks and simulations of a federation.

mod audit;
pub(crate) mod check;
#[cfg(feature = "federation")]
pub(crate) mod heed;
mod key_files;
mod keys;
#[cfg(feature = "federation")]
pub(crate) mod link;
#[cfg(feature = "federation")]
pub(crate) mod links;
pub(crate) mod live;
pub(crate) mod page;
pub(crate) mod simulate;
pub(crate) mod told;

use crate::args::{FederationArgs, FederationCommand, FederationPoliciesArgs};
use crate::console::Console;
use crate::failure::Failure;
use moretta::policy::{FederationPolicy, Root, may_be_federation};
use moretta::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) fn run(
    args: &FederationArgs,
    console: &Console,
) -> std::result::Result<ExitCode, Failure> {
    match &args.command {
        FederationCommand::Keys(args) => keys::run(args, console),
        FederationCommand::Check(args) => check::run(args, console),
        FederationCommand::Simulate(args) => simulate::run(args, console),
        FederationCommand::Audit(args) => audit::run(args, console),
    }
}

/// Reads the policy of a party.
pub(crate) fn load(
    path: &Path,
    root: Option<&Path>,
) -> std::result::Result<FederationPolicy, Failure> {
    let root = Root::of_policy(path, root)?;
    FederationPolicy::load(path, &root).map_err(|error| Failure::of_policy(error, path))
}

/// Reads all policies that were named.
fn load_all(args: &FederationPoliciesArgs) -> std::result::Result<Vec<FederationPolicy>, Failure> {
    load_policies(&args.policies, args.root.as_deref())
}

/// Reads policies, and those of folders.
pub(crate) fn load_policies(
    paths: &[PathBuf],
    root: Option<&Path>,
) -> std::result::Result<Vec<FederationPolicy>, Failure> {
    let mut policies = Vec::new();
    for path in paths {
        for path in named(path)? {
            policies.push(load(&path, root)?);
        }
    }
    Ok(policies)
}

/// The policy, or those of a folder in the order of their names. A file of TOML that cannot be read
/// may be the policy of a party: it is among them, so that its error is told.
fn named(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let failed = |error| Error::io("read", path, error);
    let (mut files, mut has_toml) = (Vec::new(), false);
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        let is_toml = file.extension().is_some_and(|ending| ending == "toml");
        let may_be =
            || std::fs::read_to_string(&file).map_or(true, |text| may_be_federation(&text));
        has_toml |= is_toml;
        if is_toml && may_be() {
            files.push(file);
        }
    }
    files.sort();
    let folder = path.display();
    match (files.is_empty(), has_toml) {
        (false, _) => Ok(files),
        (true, true) => Err(
            Error::usage(format!("no policy in {folder} has [federation]"))
                .help("name the folder with the policies of the parties, or the policies themselves"),
        ),
        (true, false) => Err(Error::usage(format!("there is no policy in {folder}"))
            .help("policies of a folder are files that end in .toml; those of its folders are not read")),
    }
}
