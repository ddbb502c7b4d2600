//! One file a command.

pub(crate) mod aggregate;
pub(crate) mod attack;
#[cfg(feature = "serve")]
pub(crate) mod audit;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod compare_methods;
pub(crate) mod completions;
pub(crate) mod evolve;
pub(crate) mod explain;
pub(crate) mod federation;
pub(crate) mod generate;
pub(crate) mod graph;
pub(crate) mod hierarchy;
pub(crate) mod init;
pub(crate) mod key;
pub(crate) mod learn;
pub(crate) mod ledger;
pub(crate) mod plan;
pub(crate) mod run;
pub(crate) mod schema;
#[cfg(feature = "serve")]
pub(crate) mod serve;
pub(crate) mod site;
#[cfg(feature = "serve")]
pub(crate) mod store;
pub(crate) mod tune;
pub(crate) mod verify;
#[cfg(feature = "serve")]
pub(crate) mod worker;

use crate::args::{AgainstArgs, PolicyArgs, ReadingArgs};
use crate::failure::Failure;
use crate::memory;
use moretta::io::{Encoding, GraphTable, Header, ReadOptions};
use moretta::policy::{Policy, Root};
use moretta::{Error, Result};
use std::path::Path;

/// Reads and checks a policy; errors about it show where.
pub(crate) fn load(args: &PolicyArgs) -> std::result::Result<Policy, Failure> {
    let mut policy = load_at(&args.policy, args.root.as_deref())?;
    if let Some(memory) = args.memory {
        policy.source.options.limits.memory = memory;
    }
    Ok(policy)
}

fn load_at(policy: &Path, root: Option<&Path>) -> std::result::Result<Policy, Failure> {
    let root = Root::of_policy(policy, root)?;
    let mut policy =
        Policy::load(policy, &root).map_err(|error| Failure::of_policy(error, policy))?;
    let limit = &mut policy.source.options.limits.memory;
    if *limit == u64::MAX {
        *limit = memory::share();
    }
    Ok(policy)
}

impl AgainstArgs {
    /// The policy, and how to read a release: as the policy writes one, unless
    /// the command line says otherwise.
    pub(crate) fn load(&self) -> std::result::Result<(Policy, ReadOptions), Failure> {
        load_against(&self.policy, self.root.as_deref(), &self.reading)
    }
}

fn load_against(
    policy: &Path,
    root: Option<&Path>,
    reading: &ReadingArgs,
) -> std::result::Result<(Policy, ReadOptions), Failure> {
    let policy = load_at(policy, root)?;
    let options = release_options(&policy, reading)?;
    Ok((policy, options))
}

impl ReadingArgs {
    /// The options that the command line asks for.
    pub(crate) fn options(&self) -> Result<ReadOptions> {
        let mut options = ReadOptions::default();
        options.limits.memory = memory::share();
        let byte = |character: char, option: &str| {
            let byte = u8::try_from(character).ok().filter(u8::is_ascii);
            byte.ok_or_else(|| Error::usage(format!("{option} is one ASCII character")))
        };
        if let Some(delimiter) = self.delimiter {
            options.delimiter = Some(byte(delimiter, "--delimiter")?);
        }
        if let Some(quote) = self.quote {
            options.quote = byte(quote, "--quote")?;
        }
        if self.latin1 {
            options.encoding = Encoding::Latin1;
        }
        if self.no_header {
            options.header = Header::None;
        }
        options.decimal_comma = self.decimal.as_deref() == Some(",");
        options.missing.clone_from(&self.missing);
        Ok(options)
    }
}

fn release_options(policy: &Policy, reading: &ReadingArgs) -> Result<ReadOptions> {
    let asked = reading.options()?;
    let sink = policy.sink.as_ref().map(|sink| &sink.options);
    Ok(ReadOptions {
        delimiter: asked.delimiter.or(sink.and_then(|sink| sink.delimiter)),
        missing: policy
            .source
            .options
            .missing
            .iter()
            .cloned()
            .chain(sink.map(|sink| sink.missing.clone()))
            .chain(asked.missing.iter().cloned())
            .collect(),
        graph: match &policy.graph {
            Some(graph) => graph.node_table(),
            None => GraphTable::default(),
        },
        ..asked
    })
}
