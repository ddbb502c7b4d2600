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
    linked::run(&policy, console).map_err(|error| Failure::of_policy(error, &args.policy))
}

#[cfg(not(feature = "federation"))]
mod linked {
    use super::*;
    use moretta::policy::FederationPolicy;

    pub(super) fn run(_: &FederationPolicy, _: &Console) -> moretta::Result<ExitCode> {
        Err(Error::left_out("the links of a federation", "federation"))
    }
}

#[cfg(feature = "federation")]
mod linked {
    use super::*;
    use crate::commands::federation::link::{DELIVERY, Linked, heed};
    use indicatif::{ProgressBar, ProgressStyle};
    use moretta::Result;
    use moretta::federate::{Aggregator, Note, Outbox, Rows};
    use moretta::pipeline::aggregator_of;
    use moretta::policy::FederationPolicy;
    use moretta_federation::Feed;
    use moretta_report::count;
    use serde::Serialize;
    use std::time::{Duration, Instant};

    /// Between two changes of the line that is shown.
    const PAUSE: Duration = Duration::from_millis(200);

    #[derive(Default, Serialize)]
    struct Told {
        records: u64,
        right: u64,
        sites: usize,
        created: u64,
        removed: u64,
        bytes_sent: u64,
        bytes_received: u64,
    }

    impl Told {
        fn accuracy(&self) -> f64 {
            100.0 * self.right as f64 / (self.records as f64).max(1.0)
        }

        fn bytes_a_record(&self) -> f64 {
            (self.bytes_sent + self.bytes_received) as f64 / (self.records as f64).max(1.0)
        }
    }

    pub(super) fn run(policy: &FederationPolicy, console: &Console) -> Result<ExitCode> {
        let linked = Linked::new(policy)?;
        let aggregator = aggregator_of(policy, linked.trust()?, DELIVERY)?;
        let feed = Watch {
            console,
            line: console.is_live().then(line),
            shown: Instant::now(),
            told: Told {
                sites: policy.terms.sites.len(),
                ..Told::default()
            },
        };
        let sites = policy
            .parties
            .iter()
            .filter(|party| party.role == FederationRole::Site);
        let sites: Vec<String> = sites
            .map(|party| format!("{} {}", party.number.0, party.id))
            .collect();
        console.hint(&format!("sites: {}", sites.join(", ")));
        let (_, feed) = linked.run(aggregator, feed)?;
        if let Some(line) = &feed.line {
            line.finish_and_clear();
        }
        let told = feed.told;
        let shown = console.result(&told, || {
            format!(
                "{} records at {} sites, accuracy {:.2} %, {:.1} bytes a record; {} trouble nodes made, {} removed",
                count(told.records),
                told.sites,
                told.accuracy(),
                told.bytes_a_record(),
                told.created,
                told.removed
            )
        });
        shown.map_err(|_| Error::bug("a result that cannot be shown"))
    }

    fn line() -> ProgressBar {
        let line = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner:.cyan} {msg}") {
            line.set_style(style);
        }
        line
    }

    /// Counts what is settled, and shows it.
    struct Watch<'a> {
        console: &'a Console,
        line: Option<ProgressBar>,
        shown: Instant,
        told: Told,
    }

    impl Feed<Aggregator> for Watch<'_> {
        fn rows(&mut self, _: u64) -> Result<Option<Rows>> {
            Ok(None)
        }

        fn heard(&mut self, bytes: usize) {
            self.told.bytes_received += bytes as u64;
        }

        fn take(&mut self, party: &mut Aggregator, out: &mut Outbox) -> Result<()> {
            let told = &mut self.told;
            told.bytes_sent += out.frames.iter().map(|(_, b)| b.len() as u64).sum::<u64>();
            for settled in party.take_settled() {
                told.records += 1;
                told.right += u64::from(settled.answer.class == settled.label);
            }
            for note in &out.notes {
                match note {
                    Note::Created(..) => told.created += 1,
                    Note::Removed(..) => told.removed += 1,
                    _ => {}
                }
            }
            if let Some(line) = self.line.as_ref().filter(|_| self.shown.elapsed() >= PAUSE) {
                self.shown = Instant::now();
                let topology = party.topology();
                let agreements = party.agreements();
                let best = agreements
                    .iter()
                    .map(|(_, agreement)| *agreement)
                    .fold(0.0, f64::max);
                line.set_message(format!(
                    "{} records  sites {}  agreement {best:.2}  trouble nodes {}  accuracy {:.1} %  {:.1} bytes a record",
                    count(told.records),
                    topology.map_or(0, |topology| topology.sites.len()),
                    topology.map_or(0, |topology| topology.nodes.len()),
                    told.accuracy(),
                    told.bytes_a_record()
                ));
            }
            heed(&out.notes, self.console)
        }
    }
}
