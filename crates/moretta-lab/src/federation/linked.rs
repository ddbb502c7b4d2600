//! A run over real links: gRPC with mutual TLS on this machine, a thread for each party.
//!
//! In lockstep the answers are those of one process, so every figure must come out again but two:
//! bytes also hold what links need (joining, acknowledgements), and processor time is that of all
//! parties, without that of the network. A failed party ends the others.

use crate::cpu::CpuClock;
use moretta::data::Records;
use moretta::federate::mask;
use moretta::federate::simulate::{Outcome, SiteSource};
use moretta::federate::{
    Aggregator, AggregatorOptions, Column, Consumer, Delivery, FragmentKind, Giver, LabelHolder,
    Mark, Outbox, Party, PartyId, Rows, Site, SiteOptions, Terms, Trust, own_numbers,
};
use moretta::{Error, Result, learn};
use moretta_federation::{
    Credential, Driver, Feed, Identity, Limits, Member, Name, Network, Protocol, Role, Roster,
    Station, keys,
};
use std::sync::Arc;
use std::time::Duration;

/// Milliseconds after which a frame that nobody acknowledged is sent again.
const RETRY: u64 = 1000;
/// Milliseconds without progress after which the aggregator gives up.
const STALL: u64 = 600_000;
/// How long links may take to close.
const CLOSING: Duration = Duration::from_secs(10);

/// A federation between its links, before it runs.
pub(super) struct Linked<'a> {
    pub(super) terms: Terms,
    pub(super) sources: &'a [SiteSource],
    pub(super) classes: &'a [u32],
    /// Records between two looks at candidates.
    pub(super) looks: Option<usize>,
}

impl Linked<'_> {
    /// Runs it to the end of the records; gives the seconds that its parties worked, too.
    pub(super) fn run(self) -> Result<(Outcome, f64)> {
        let terms = Arc::new(self.terms.clone());
        let parties = parties(&terms)?;
        let mut network = Network::start(1)?;
        let mut drivers = link(&parties, &terms, &mut network)?;
        let stoppers: Vec<_> = drivers.iter().map(Driver::stopper).collect();
        let runs: Vec<Result<(Outcome, f64)>> = std::thread::scope(|scope| {
            let threads = parties
                .iter()
                .zip(drivers.drain(..))
                .map(|(party, driver)| {
                    let (this, terms, stoppers) = (&self, &terms, &stoppers);
                    let pins = &parties;
                    scope.spawn(move || {
                        let clock = CpuClock::start();
                        let ran = this.run_party(party, pins, terms, driver);
                        if ran.is_err() {
                            stoppers.iter().for_each(moretta_federation::Stopper::stop);
                        }
                        ran.map(|outcome| (outcome, clock.seconds()))
                    })
                });
            let threads: Vec<_> = threads.collect();
            let ended = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
            ended
                .map(|ran| ran.unwrap_or_else(|_| Err(Error::bug("a party has ended in a panic"))))
                .collect()
        });
        network.close(CLOSING);
        let mut whole = (Outcome::default(), 0.0);
        for ran in runs {
            let (outcome, seconds) = ran?;
            add(&mut whole.0, outcome);
            whole.1 += seconds;
        }
        Ok(whole)
    }

    fn run_party(
        &self,
        party: &Known,
        all: &[Known],
        terms: &Arc<Terms>,
        driver: Driver,
    ) -> Result<Outcome> {
        let (terms, trust) = (Arc::clone(terms), trust(party, all)?);
        let delivery = delivery(party.number);
        match party.number {
            PartyId::AGGREGATOR => {
                let options = AggregatorOptions {
                    trust,
                    delivery,
                    has_consumer: true,
                    observes: true,
                    stall: Some(STALL),
                };
                let feed = Watched {
                    outcome: Outcome::default(),
                    looks: self.looks,
                };
                let feed = station(driver, Aggregator::new(terms, options)?, feed)?;
                Ok(feed.outcome)
            }
            PartyId::LABELS => {
                let size = terms.batch as usize;
                let rows = |batch: u64| {
                    let classes = self.classes.chunks(size).nth(batch as usize)?;
                    Some(Rows {
                        batch,
                        classes: classes.to_vec(),
                        ..Rows::default()
                    })
                };
                let holder = LabelHolder::new(terms, trust, delivery);
                told(driver, holder, rows)
            }
            PartyId::CONSUMER => told(driver, Consumer::new(terms, delivery), |_| None),
            PartyId(number) => {
                let place = terms.sites.iter().position(|id| *id == number);
                let source = place.and_then(|place| self.sources.get(place));
                let source = source.ok_or_else(|| Error::bug("a site without records"))?;
                let size = terms.batch as usize;
                let site = site(number, source, terms, trust, delivery)?;
                told(driver, site, |batch| rows_of(source, size, batch))
            }
        }
    }
}

/// A site that consents to everything, as in one process.
fn site(
    id: u16,
    source: &SiteSource,
    terms: Arc<Terms>,
    trust: Trust,
    delivery: Delivery,
) -> Result<Site> {
    let inputs = source.columns.iter().map(|column| column.input()).collect();
    let header = learn::Header::new(inputs, terms.classes as usize)?;
    // Over links a site names its columns by its own numbers only.
    let own = own_numbers(id, terms.sites.len());
    let columns = source.columns.iter().zip(own);
    let options = SiteOptions {
        id,
        columns: columns
            .map(|(column, id)| Column { id, ..*column })
            .collect(),
        learner: learn::build(&source.learner, &header, 1)?,
        allows: FragmentKind::Raw,
        min_sources: 2,
        giver: Giver::new(source.sharing.clone()),
        trust,
        delivery,
    };
    Site::new(terms, options)
}

fn rows_of(source: &SiteSource, size: usize, batch: u64) -> Option<Rows> {
    let start = batch as usize * size;
    let end = (start + size).min(source.records.len());
    let mut records = Records::new(source.records.width());
    (start..end).for_each(|row| records.push(source.records.record(row)));
    (start < end).then(|| Rows {
        batch,
        records,
        ..Rows::default()
    })
}

/// Runs a party of which answers and bytes alone are kept.
fn told<P: Party>(
    driver: Driver,
    party: P,
    rows: impl FnMut(u64) -> Option<Rows>,
) -> Result<Outcome> {
    let feed = Told {
        outcome: Outcome::default(),
        rows,
    };
    Ok(station(driver, party, feed)?.outcome)
}

fn station<P: Party, F: Feed<P>>(driver: Driver, party: P, feed: F) -> Result<F> {
    let mut station = Station::new(party, feed, driver.pressure(), Vec::new());
    driver.run(&mut station)?;
    Ok(station.into_parts().1)
}

struct Told<R> {
    outcome: Outcome,
    rows: R,
}

impl<P: Party, R: FnMut(u64) -> Option<Rows>> Feed<P> for Told<R> {
    fn rows(&mut self, batch: u64) -> Result<Option<Rows>> {
        Ok((self.rows)(batch))
    }

    fn take(&mut self, _: &mut P, out: &mut Outbox) -> Result<()> {
        count(&mut self.outcome, out);
        for (_, answers) in out.answers.drain(..) {
            self.outcome.finals.extend(answers);
        }
        Ok(())
    }
}

/// The aggregator, of which everything is kept.
struct Watched {
    outcome: Outcome,
    looks: Option<usize>,
}

impl Feed<Aggregator> for Watched {
    fn rows(&mut self, _: u64) -> Result<Option<Rows>> {
        Ok(None)
    }

    fn take(&mut self, party: &mut Aggregator, out: &mut Outbox) -> Result<()> {
        let outcome = &mut self.outcome;
        count(outcome, out);
        outcome.notes.append(&mut out.notes);
        outcome.settled.extend(party.take_settled());
        let settled = outcome.settled.len();
        if let Some(every) = self.looks {
            let last = outcome.samples.last();
            if settled >= last.map_or(every, |(last, _)| last + every) {
                outcome.samples.push((settled, party.candidates()));
            }
        }
        Ok(())
    }
}

fn count(outcome: &mut Outcome, out: &Outbox) {
    for (_, bytes) in &out.frames {
        let kind = bytes.get(3).copied().unwrap_or(0);
        *outcome.bytes.entry(kind).or_default() += bytes.len() as u64;
    }
}

/// What one party has seen, beside what others have.
fn add(whole: &mut Outcome, part: Outcome) {
    whole.finals.extend(part.finals);
    whole.settled.extend(part.settled);
    whole.notes.extend(part.notes);
    whole.samples.extend(part.samples);
    for (kind, bytes) in part.bytes {
        *whole.bytes.entry(kind).or_default() += bytes;
    }
}

/// A party and its keys.
struct Known {
    number: PartyId,
    credential: Credential,
}

/// Makes keys of all parties, which live as long as the run.
fn parties(terms: &Terms) -> Result<Vec<Known>> {
    let folder = tempfile::tempdir();
    let folder = folder.map_err(|error| Error::io("create", "a folder of keys", error))?;
    let mut numbers = vec![
        (PartyId::AGGREGATOR, Role::Aggregator, "hub".to_owned()),
        (PartyId::LABELS, Role::Labels, "desk".to_owned()),
        (PartyId::CONSUMER, Role::Consumer, "viewer".to_owned()),
    ];
    let site = |&id: &u16| (PartyId(id), Role::Site, format!("site-{id}"));
    numbers.extend(terms.sites.iter().map(site));
    let named = numbers
        .iter()
        .map(|(_, role, id)| Ok((*role, Name::new(id)?)));
    let order = keys::Order::new(Name::new("study")?, named.collect::<Result<Vec<_>>>()?);
    let made = keys::make(folder.path(), &order)?;
    let known = numbers
        .iter()
        .zip(&made.parties)
        .map(|((number, ..), party)| {
            Ok(Known {
                number: *number,
                credential: Credential::read(
                    &party.certificate_file,
                    &party.key_file,
                    &made.authority,
                    &party.identity,
                )?,
            })
        });
    known.collect()
}

/// Listens for and dials all parties; sites and the consumer only dial.
fn link(parties: &[Known], terms: &Terms, network: &mut Network) -> Result<Vec<Driver>> {
    let member = |party: &Known| {
        let Identity { role, id, .. } = party.credential.identity().clone();
        Member {
            number: party.number,
            role,
            id,
            pin: party.credential.pin(),
        }
    };
    let members: Vec<Member> = parties.iter().map(member).collect();
    let mut drivers = Vec::new();
    let mut listeners: Vec<(PartyId, String)> = Vec::new();
    for party in parties {
        let roster = Roster::new(Name::new("study")?, members.clone())?;
        let protocol = Protocol::of(terms);
        let driver = Driver::new(party.number, roster, protocol, Limits::default());
        let role = party.credential.identity().role;
        for (peer, address) in &listeners {
            let hub_alone = matches!(role, Role::Labels | Role::Consumer);
            if *peer == PartyId::AGGREGATOR || !hub_alone {
                network.dial(&driver, &party.credential, address, *peer)?;
            }
        }
        if role.listens() {
            let address = network.listen(&driver, &party.credential, "127.0.0.1:0")?;
            listeners.push((party.number, address.to_string()));
        }
        drivers.push(driver);
    }
    Ok(drivers)
}

fn trust(party: &Known, all: &[Known]) -> Result<Trust> {
    let secret = party.credential.signing_secret()?;
    let pins = all.iter().map(|one| (one.number, one.credential.pin().0));
    Ok(Trust::Pinned {
        identity: Box::new(mask::Identity::from_seed(&secret)),
        pins: pins.collect(),
    })
}

fn delivery(number: PartyId) -> Delivery {
    let [low, high] = number.0.to_le_bytes();
    let mut mark = [1; 16];
    (mark[0], mark[1]) = (low, high);
    Delivery::Acknowledged {
        retry: RETRY,
        mark: Mark(mark),
    }
}
