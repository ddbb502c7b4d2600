//! `moretta site`: runs a site, the label holder, the consumer or a host of trouble nodes.

use crate::args::PartyArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::memory;
use moretta::Error;
use moretta::policy::FederationRole;
use std::process::ExitCode;

pub(crate) fn run(args: &PartyArgs, console: &Console) -> Result<ExitCode, Failure> {
    let policy = super::federation::load(&args.policy, args.root.as_deref())?;
    // Forests are searched faster in large pages.
    memory::use_large_pages(policy.role == FederationRole::Trouble);
    if policy.role == FederationRole::Aggregator {
        return Err(Error::usage("this is the policy of the aggregator")
            .help("run it with `moretta aggregate`")
            .into());
    }
    linked::run(&policy, args.force, console)
        .map_err(|error| Failure::of_policy(error, &args.policy))
}

#[cfg(not(feature = "federation"))]
mod linked {
    use super::*;
    use moretta::policy::FederationPolicy;

    pub(super) fn run(_: &FederationPolicy, _: bool, _: &Console) -> moretta::Result<ExitCode> {
        Err(Error::left_out("the links of a federation", "federation"))
    }
}

#[cfg(feature = "federation")]
mod linked {
    use super::*;
    use crate::commands::federation::heed::Heed;
    use crate::commands::federation::link::{Lasting, Linked, files};
    use moretta::Result;
    use moretta::federate::{Outbox, Party, PartyId, Rows};
    use moretta::pipeline::{
        AnswerWriter, PartyRows, PartyState, consumer_of, host_of, label_holder_of, site_of,
    };
    use moretta::policy::FederationPolicy;
    use moretta_federation::{Ahead, Feed};
    use moretta_report::count;
    use serde::Serialize;

    #[derive(Default, Serialize)]
    struct Told {
        id: String,
        role: &'static str,
        /// Whether the run goes on, and all of this is counted from the restart on.
        restarted: bool,
        batches: u64,
        answers: u64,
        bytes_sent: u64,
    }

    pub(super) fn run(
        policy: &FederationPolicy,
        force: bool,
        console: &Console,
    ) -> Result<ExitCode> {
        let linked = Linked::new(policy)?;
        let trust = linked.trust()?;
        let records = match policy.source {
            Some(_) => Some(files(policy)?.read_records()?),
            None => None,
        };
        let state = PartyState::open(policy, force)?;
        let source = policy.source.as_ref();
        if state.is_begun() && source.is_some_and(|source| source.path.as_os_str() == "-") {
            let what = "rows from standard input cannot be read again, and this run has begun";
            return Err(Error::usage(what)
                .help("begin all parties anew with --force; with rows in a file a party goes on"));
        }
        let delivery = Linked::delivery(&state);
        let rows = records.map(|secret| PartyRows::open(policy, secret));
        let rows = match rows.transpose() {
            Ok(rows) => rows,
            Err(error) => return Err(linked.fail(error)),
        };
        let feed = Own {
            heed: Heed::new(policy, console),
            rows: rows.map(|rows| linked.ahead(rows)),
            answers: match policy.sink {
                Some(_) => Some(AnswerWriter::resume(policy, force, state.answers()?)?),
                None => None,
            },
            told: Told {
                id: policy.id.clone(),
                role: policy.role.word(),
                restarted: state.is_begun(),
                ..Told::default()
            },
            is_new: true,
            next: 0,
            answers_before: 0,
        };
        let feed = match policy.role {
            FederationRole::Site => {
                let secret = records.ok_or_else(|| Error::bug("a site without rows"))?;
                let make = |saved: Option<&[u8]>| {
                    site_of(policy, state.secret(), &secret, trust, delivery, saved)
                };
                linked.run(&state, make, feed)?.1
            }
            FederationRole::Labels => {
                let make = |saved: Option<&[u8]>| label_holder_of(policy, trust, delivery, saved);
                linked.run(&state, make, feed)?.1
            }
            FederationRole::Consumer => {
                let make = |saved: Option<&[u8]>| consumer_of(policy, delivery, saved);
                linked.run(&state, make, feed)?.1
            }
            FederationRole::Trouble | FederationRole::Aggregator => {
                let make = |saved: Option<&[u8]>| host_of(policy, trust, delivery, saved);
                linked.run(&state, make, feed)?.1
            }
        };
        let told = feed.told;
        if let Some(answers) = feed.answers {
            answers.close()?;
        }
        state.end()?;
        let since = match told.restarted {
            true => " since the restart",
            false => "",
        };
        let text = || match told.role {
            "consumer" => format!("{}: {} answers{since}", told.id, count(told.answers)),
            "trouble" => format!("{}: done", told.id),
            _ => format!(
                "{}: {} batches, {} bytes sent{since}",
                told.id,
                count(told.batches),
                count(told.bytes_sent)
            ),
        };
        let standard = policy
            .sink
            .as_ref()
            .is_some_and(|sink| sink.path.as_os_str() == "-");
        match standard {
            true => console.aside(&told, text),
            false => {
                let shown = console.result(&told, text);
                shown.map_err(|_| Error::bug("a result that cannot be shown"))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Own rows, and the place of answers.
    struct Own<'a> {
        heed: Heed<'a>,
        rows: Option<Ahead>,
        answers: Option<AnswerWriter>,
        told: Told,
        /// Whether it was shown nothing yet: what comes first was done before a restart.
        is_new: bool,
        /// The first batch that is not counted, and answers that were written before.
        next: u64,
        answers_before: u64,
    }

    impl<P: Party> Feed<Lasting<P>> for Own<'_> {
        fn is_ready(&mut self, calls: bool) -> bool {
            let rows = self.rows.as_mut();
            rows.is_none_or(|rows| rows.is_ready(calls))
        }

        fn rows(&mut self, batch: u64) -> Result<Option<Rows>> {
            let Some(rows) = &mut self.rows else {
                return Ok(None);
            };
            let rows = rows.rows(batch)?;
            // Others are read once more after a restart.
            if rows.is_some() && batch >= self.next {
                self.told.batches += 1;
                self.next = batch + 1;
            }
            Ok(rows)
        }

        fn lacks(&mut self, parties: &[PartyId]) {
            self.heed.lacks(parties);
        }

        fn gone(&mut self, party: PartyId, code: u8) {
            self.heed.shows_gone(party, code);
        }

        fn heard(&mut self, from: PartyId, _: &[u8]) {
            self.heed.heard(from);
        }

        fn take(&mut self, party: &mut Lasting<P>, out: &mut Outbox) -> Result<()> {
            self.told.bytes_sent += out.frames.iter().map(|(_, b)| b.len() as u64).sum::<u64>();
            for (batch, answers) in out.answers.drain(..) {
                if let Some(writer) = &mut self.answers {
                    writer.write_batch(batch, &answers)?;
                    self.told.answers = writer.written() - self.answers_before;
                }
            }
            if std::mem::take(&mut self.is_new) && self.told.restarted {
                let written = self.answers.as_ref().map_or(0, AnswerWriter::written);
                (self.next, self.answers_before) = (party.received(), written);
                (self.told.batches, self.told.answers, self.told.bytes_sent) = (0, 0, 0);
            }
            self.heed.notes(&out.notes)
        }
    }
}
