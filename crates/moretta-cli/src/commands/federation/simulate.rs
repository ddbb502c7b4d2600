//! `moretta federation simulate`: all parties in one process.

use super::live::LiveView;
use super::load_all;
use super::page::Page;
use super::told::told;
use crate::args::FederationSimulateArgs;
use crate::console::Console;
use crate::failure::Failure;
use moretta::federate::frame::Final;
use moretta::federate::simulate::Witness;
use moretta::federate::{Aggregator, Note, PartyId};
use moretta::pipeline::{AnswerWriter, Chronicle, made_up_seed, open_simulated, secret_of_run};
use moretta::policy::{FederationPolicy, FederationRole};
use moretta::{Error, Result};
use std::process::ExitCode;

pub(crate) fn run(
    args: &FederationSimulateArgs,
    console: &Console,
) -> std::result::Result<ExitCode, Failure> {
    let policies = load_all(&args.policies)?;
    let page = Page::new(args.report.as_deref(), &policies, args.force)?;
    let mut writer = match args.write {
        true => Some(AnswerWriter::create(consumer(&policies)?, args.force)?),
        false => None,
    };
    let chronicle = simulate(&policies, console, |answers| match &mut writer {
        Some(writer) if !answers.is_empty() => writer.write(answers),
        _ => Ok(()),
    })?;
    if let Some(writer) = writer {
        writer.close()?;
    }
    let facts = chronicle.facts();
    page.write(&facts)?;
    console.result(&facts, || told(&facts))
}

/// Runs all parties; a site that has not begun a run gets a secret that is made up.
pub(super) fn simulate(
    policies: &[FederationPolicy],
    console: &Console,
    answers: impl FnMut(&[Final]) -> Result<()>,
) -> Result<Chronicle> {
    let simulated = open_simulated(policies, seed_of)?;
    let first = policies.first();
    let first = first.ok_or_else(|| Error::bug("a federation without policies"))?;
    let mut looker = Looker {
        chronicle: Chronicle::of_all(first),
        view: LiveView::new(console),
        answers,
    };
    let ran = simulated.run_before(&mut looker);
    match ran {
        Ok(()) => looker.view.end(&looker.chronicle),
        Err(_) => looker.view.clear(),
    }
    ran.map(|()| looker.chronicle)
}

/// The secret of a site's masks.
pub(crate) fn seed_of(policy: &FederationPolicy) -> Result<[u8; 32]> {
    let begun = secret_of_run(policy)?;
    Ok(begun.unwrap_or_else(|| made_up_seed(policy)))
}

/// Adds up, shows, and passes answers on.
struct Looker<F> {
    chronicle: Chronicle,
    view: LiveView,
    answers: F,
}

impl<F: FnMut(&[Final]) -> Result<()>> Witness for Looker<F> {
    fn frame(&mut self, from: PartyId, to: PartyId, bytes: &[u8]) {
        self.chronicle.frame(from, to, bytes);
    }

    fn pause(
        &mut self,
        aggregator: &mut Aggregator,
        finals: Vec<Final>,
        notes: Vec<Note>,
    ) -> Result<()> {
        self.chronicle.notes(&notes);
        self.chronicle.look(aggregator);
        self.view.show(&self.chronicle, None);
        (self.answers)(&finals)
    }
}

fn consumer(policies: &[FederationPolicy]) -> Result<&FederationPolicy> {
    let found = policies
        .iter()
        .find(|policy| policy.role == FederationRole::Consumer);
    found.ok_or_else(|| {
        Error::usage("no policy is that of the consumer, which says where answers go")
            .help("add one with the role consumer, or take --write out")
    })
}
