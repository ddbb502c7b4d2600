//! `moretta aggregate`: runs the aggregator of a federation.

use crate::args::AggregateArgs;
use crate::console::Console;
use crate::failure::Failure;
use moretta::Error;
use moretta::policy::FederationRole;
use std::process::ExitCode;

pub(crate) fn run(args: &AggregateArgs, console: &Console) -> Result<ExitCode, Failure> {
    let policy = super::federation::load(&args.policy, args.root.as_deref())?;
    if policy.role != FederationRole::Aggregator {
        let what = format!(
            "this is the policy of a party with the role {}",
            policy.role.word()
        );
        return Err(Error::usage(what).help("run it with `moretta site`").into());
    }
    linked::run(&policy, args, console).map_err(|error| Failure::of_policy(error, &args.policy))
}

#[cfg(not(feature = "federation"))]
mod linked {
    use super::*;
    use moretta::policy::FederationPolicy;

    pub(super) fn run(
        _: &FederationPolicy,
        _: &AggregateArgs,
        _: &Console,
    ) -> moretta::Result<ExitCode> {
        Err(Error::left_out("the links of a federation", "federation"))
    }
}

#[cfg(feature = "federation")]
mod linked {
    use super::*;
    use crate::commands::federation::heed::Heed;
    use crate::commands::federation::link::{Lasting, Linked};
    use crate::commands::federation::links::Links;
    use crate::commands::federation::live::LiveView;
    use crate::commands::federation::page::Page;
    use crate::commands::federation::told::told;
    use moretta::Result;
    use moretta::federate::{Aggregator, Outbox, PartyId, Rows};
    use moretta::pipeline::{Chronicle, PartyState, aggregator_of};
    use moretta::policy::FederationPolicy;
    use moretta_federation::Feed;

    pub(super) fn run(
        policy: &FederationPolicy,
        args: &AggregateArgs,
        console: &Console,
    ) -> Result<ExitCode> {
        let page = Page::new(
            args.report.as_deref(),
            std::slice::from_ref(policy),
            args.force,
        )?;
        let linked = Linked::new(policy)?;
        let trust = linked.trust()?;
        let state = PartyState::open(policy, args.force)?;
        if state.is_begun() {
            console.hint("this run goes on; figures are counted from the restart on");
        }
        let delivery = Linked::delivery(&state);
        let make = |saved: Option<&[u8]>| aggregator_of(policy, trust, delivery, saved);
        let view = LiveView::new(console);
        let links = Links::of(policy, view.changes());
        let feed = Watch {
            heed: Heed::new(policy, console),
            console,
            view,
            links: links.clone(),
            chronicle: Chronicle::of_aggregator(policy),
            goes_on: state.is_begun(),
        };
        let others = policy.parties.iter().filter(|party| party.id != policy.id);
        let others: Vec<&str> = others.map(|party| party.id.as_str()).collect();
        console.hint(&format!("{} waits for {}", policy.id, others.join(", ")));
        let (_, feed) = linked.run_watched(&state, make, feed, Some(&links))?;
        state.end()?;
        feed.view.end(&feed.chronicle);
        let facts = feed.chronicle.facts();
        page.write(&facts)?;
        let shown = console.result(&facts, || told(&facts));
        shown.map_err(|_| Error::bug("a result that cannot be shown"))
    }

    /// Adds up what happens, and shows it.
    struct Watch<'a> {
        heed: Heed<'a>,
        console: &'a Console,
        view: LiveView,
        links: Links,
        chronicle: Chronicle,
        /// Whether the next that it takes is from before a restart.
        goes_on: bool,
    }

    impl Feed<Lasting<Aggregator>> for Watch<'_> {
        fn rows(&mut self, _: u64) -> Result<Option<Rows>> {
            Ok(None)
        }

        fn lacks(&mut self, parties: &[PartyId]) {
            let text = (!parties.is_empty()).then(|| self.heed.lacking(parties));
            self.view.lacks(text, self.console);
        }

        fn gone(&mut self, party: PartyId, code: u8) {
            if let Some(text) = self.heed.gone(party, code) {
                self.view.beside(|| self.console.warn(&text));
            }
        }

        fn heard(&mut self, from: PartyId, bytes: &[u8]) {
            self.heed.heard(from);
            self.chronicle.frame(from, PartyId::AGGREGATOR, bytes);
        }

        fn take(&mut self, party: &mut Lasting<Aggregator>, out: &mut Outbox) -> Result<()> {
            let party = party.party_mut();
            if std::mem::take(&mut self.goes_on) {
                self.chronicle.restart(party);
            }
            for (to, bytes) in &out.frames {
                self.chronicle.frame(PartyId::AGGREGATOR, *to, bytes);
            }
            self.chronicle.notes(&out.notes);
            self.chronicle.look(party);
            let links = &self.links;
            let link = |site: &str| links.word(site, |one| party.has_shut_out(one));
            self.view.show(&self.chronicle, Some(&link));
            match out.notes.is_empty() {
                true => Ok(()),
                false => self.view.beside(|| self.heed.notes(&out.notes)),
            }
        }
    }
}
