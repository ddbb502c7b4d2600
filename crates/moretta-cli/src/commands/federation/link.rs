//! A party on its links: from a policy to a driver that runs until the party is done.

use super::links::Links;
use moretta::federate::mask;
use moretta::federate::{self, Delivery, Durable, Note, Outbox, Party, PartyId, Trust};
use moretta::pipeline::{FileJournal, PartyRows, PartyState};
use moretta::policy::{FederationPolicy, FederationRole, IdentityFiles};
use moretta::{Error, Result};
use moretta_federation::{
    Ahead, Credential, Driver, Endpoint, Event, Feed, Identity, Limits, Member, Name, Network, Pin,
    Protocol, Role, Roster, Station,
};
use std::time::Duration;

/// Milliseconds after which a frame that nobody acknowledged is sent again.
const RETRY: federate::Time = 1000;

/// How long links may take to close, and those of a party that has failed.
const CLOSING: Duration = Duration::from_secs(10);
const CLOSING_FAILED: Duration = Duration::from_secs(2);

/// A party that survives a kill.
pub(crate) type Lasting<P> = Durable<P, FileJournal>;

/// A party that is linked, before it runs.
pub(crate) struct Linked<'a> {
    policy: &'a FederationPolicy,
    credential: Credential,
    driver: Driver,
}

impl<'a> Linked<'a> {
    /// Reads the keys of a party.
    pub(crate) fn new(policy: &'a FederationPolicy) -> Result<Self> {
        let identity = Identity {
            federation: name(&policy.federation)?,
            role: role(policy.role),
            id: name(&policy.id)?,
        };
        let files = files(policy)?;
        let credential =
            Credential::read(&files.certificate, &files.key, &files.authority, &identity)?;
        let own = policy
            .own()
            .ok_or_else(|| Error::bug("a party that is not listed"))?;
        let roster = Roster::new(identity.federation, members(policy)?)?;
        let protocol = Protocol::of(&policy.terms);
        let driver = Driver::new(own.number, roster, protocol, Limits::default());
        Ok(Linked {
            policy,
            credential,
            driver,
        })
    }

    /// Rows that this party is shown as they come.
    pub(crate) fn ahead(&self, mut rows: PartyRows) -> Ahead {
        Ahead::start(move |batch| rows.rows(batch), self.driver.waker())
    }

    /// Own key and those of the others, for what is signed inside of frames.
    pub(crate) fn trust(&self) -> Result<Trust> {
        let secret = self.credential.signing_secret()?;
        let pins = self.policy.parties.iter();
        Ok(Trust::Pinned {
            identity: Box::new(mask::Identity::from_seed(&secret)),
            pins: pins
                .filter_map(|party| Some((party.number, party.pin?)))
                .collect(),
        })
    }

    /// How frames of real links are delivered.
    pub(crate) fn delivery(state: &PartyState) -> Delivery {
        Delivery::Acknowledged {
            retry: RETRY,
            mark: state.mark(),
        }
    }

    /// Runs a party from its journal until its run is over; gives it back with its feed.
    pub(crate) fn run<P: Party, F: Feed<Lasting<P>>>(
        self,
        state: &PartyState,
        make: impl FnOnce(Option<&[u8]>) -> Result<P>,
        feed: F,
    ) -> Result<(Lasting<P>, F)> {
        self.run_watched(state, make, feed, None)
    }

    /// The same, where somebody looks at the links.
    pub(crate) fn run_watched<P: Party, F: Feed<Lasting<P>>>(
        self,
        state: &PartyState,
        make: impl FnOnce(Option<&[u8]>) -> Result<P>,
        mut feed: F,
        links: Option<&Links>,
    ) -> Result<(Lasting<P>, F)> {
        let party = match self.reopened(state, make, &mut feed) {
            Ok(party) => party,
            Err(error) => return Err(self.fail(error)),
        };
        let pressure = self.driver.pressure();
        let mut station = Station::new(party, feed, pressure, self.peers()?);
        match links {
            None => self.drive(&mut station)?,
            Some(links) => self.drive(&mut links.watch(&mut station))?,
        }
        Ok(station.into_parts())
    }

    /// The party as it was before a restart; what it told since its checkpoint goes to the feed.
    fn reopened<P: Party, F: Feed<Lasting<P>>>(
        &self,
        state: &PartyState,
        make: impl FnOnce(Option<&[u8]>) -> Result<P>,
        feed: &mut F,
    ) -> Result<Lasting<P>> {
        let journal = state.journal()?;
        let mut again = |batch: u64| feed.rows(batch)?.ok_or_else(shorter);
        let every = self.policy.checkpoint;
        let (mut party, mut replayed) = Durable::open(journal, every, make, &mut again)?;
        // Frames are sent again once links are there, and what was noted was told.
        let is_figure = |note: &Note| matches!(note, Note::Created(..) | Note::Removed(..));
        replayed.notes.retain(is_figure);
        let mut told = Outbox {
            answers: replayed.answers,
            notes: replayed.notes,
            ..Outbox::default()
        };
        feed.take(&mut party, &mut told)?;
        Ok(party)
    }

    /// Links a party that cannot go on for a moment, so that the others hear of it; gives back why.
    pub(crate) fn fail(self, why: Error) -> Error {
        let mut failing = Failing(Some(why));
        match self.drive(&mut failing) {
            // Without links nobody can be told, and why is still what matters.
            Err(error) => failing.0.unwrap_or(error),
            Ok(()) => Error::bug("a party that has failed goes on"),
        }
    }

    /// Runs a party on its links until it is done or fails.
    fn drive(mut self, party: &mut dyn Endpoint) -> Result<()> {
        let mut network = self.network()?;
        if let Some(address) = self.listens_on()? {
            network.listen(&self.driver, &self.credential, &address)?;
        }
        for (peer, address) in self.dials()? {
            network.dial(&self.driver, &self.credential, &address, peer)?;
        }
        self.driver.tells(self.peers()?);
        let ran = network.run(self.driver, party);
        network.close(match ran {
            Ok(_) => CLOSING,
            Err(_) => CLOSING_FAILED,
        });
        ran.map(drop)
    }

    /// Who computes much has a thread for its links besides.
    fn network(&self) -> Result<Network> {
        match self.policy.role {
            FederationRole::Aggregator | FederationRole::Trouble => Network::start(1),
            FederationRole::Site | FederationRole::Labels | FederationRole::Consumer => {
                Network::on_the_thread_of_the_party()
            }
        }
    }

    /// What this party listens on, if others dial it.
    fn listens_on(&self) -> Result<Option<String>> {
        let addresses = &self.policy.addresses;
        let dialled = match self.policy.role {
            FederationRole::Aggregator => self.aggregator()?,
            FederationRole::Labels => self.labels()?,
            FederationRole::Trouble => self.host(&self.policy.id)?,
            FederationRole::Site | FederationRole::Consumer => return Ok(None),
        };
        let port = dialled.rsplit_once(':').map_or("0", |(_, port)| port);
        let usual = || format!("0.0.0.0:{port}");
        Ok(Some(addresses.listen.clone().unwrap_or_else(usual)))
    }

    /// Whom this party dials, and where.
    fn dials(&self) -> Result<Vec<(PartyId, String)>> {
        let own = self.policy.own().map_or(PartyId(0), |own| own.number);
        let parties = self.policy.parties.iter();
        let hosts = parties.filter(|party| party.role == FederationRole::Trouble);
        let mut dialled = Vec::new();
        let role = self.policy.role;
        if role != FederationRole::Aggregator {
            dialled.push((PartyId::AGGREGATOR, self.aggregator()?));
        }
        if matches!(role, FederationRole::Site | FederationRole::Trouble) {
            dialled.push((PartyId::LABELS, self.labels()?));
            for host in hosts.filter(|host| role == FederationRole::Site || host.number < own) {
                dialled.push((host.number, self.host(&host.id)?));
            }
        }
        Ok(dialled)
    }

    /// Who should be linked with this party: whom it dials, and who dials it.
    fn peers(&self) -> Result<Vec<PartyId>> {
        let own = self.policy.own().map_or(PartyId(0), |own| own.number);
        let parties = self.policy.parties.iter();
        Ok(match self.policy.role {
            FederationRole::Aggregator => parties
                .map(|party| party.number)
                .filter(|&number| number != own)
                .collect(),
            _ => self.dials()?.into_iter().map(|(peer, _)| peer).collect(),
        })
    }

    fn aggregator(&self) -> Result<String> {
        let address = self.policy.addresses.aggregator.clone();
        address.ok_or_else(|| no_address("aggregator", "aggregator = \"agg.example.org:7443\""))
    }

    fn labels(&self) -> Result<String> {
        let address = self.policy.addresses.labels.clone();
        address.ok_or_else(|| no_address("label holder", "labels = \"labels.example.org:7444\""))
    }

    fn host(&self, id: &str) -> Result<String> {
        let address = self.policy.addresses.hosts.get(id).cloned();
        address.ok_or_else(|| no_address(id, "hosts = { … = \"node.example.org:7445\" }"))
    }
}

/// A party that has failed before it was linked.
struct Failing(Option<Error>);

impl Endpoint for Failing {
    fn handle(
        &mut self,
        _: Event<'_>,
        _: federate::Time,
        _: &mut moretta_federation::Outbox,
    ) -> Result<()> {
        let why = self.0.take();
        Err(why.unwrap_or_else(|| Error::bug("a party that has failed goes on")))
    }
}

fn shorter() -> Error {
    Error::input("the source has fewer records than before the restart")
        .help("give the same source as before, or begin all parties anew with --force")
}

fn no_address(who: &str, key: &str) -> Error {
    Error::policy(format!("nothing says where {who} listens"))
        .help(format!("add {key} to [federation]"))
}

/// The files of a party.
pub(crate) fn files(policy: &FederationPolicy) -> Result<&IdentityFiles> {
    policy.identity.as_ref().ok_or_else(|| {
        Error::policy("[federation] has no `identity`, and links need one")
            .help("`moretta federation keys` makes the files")
    })
}

fn members(policy: &FederationPolicy) -> Result<Vec<Member>> {
    let member = |party: &moretta::policy::FederationParty| {
        let pin = party.pin.ok_or_else(|| {
            Error::policy(format!("the public key of `{}` is not known", party.id))
                .help("`moretta federation keys` makes keys of all parties and pins.toml, which `pins` names")
        })?;
        Ok(Member {
            number: party.number,
            role: role(party.role),
            id: name(&party.id)?,
            pin: Pin(pin),
        })
    };
    policy.parties.iter().map(member).collect()
}

/// A name as certificates have it.
pub(crate) fn name(text: &str) -> Result<Name> {
    Name::new(text)
}

/// A role as certificates have it.
pub(crate) fn role(role: FederationRole) -> Role {
    match role {
        FederationRole::Site => Role::Site,
        FederationRole::Aggregator => Role::Aggregator,
        FederationRole::Trouble => Role::Trouble,
        FederationRole::Labels => Role::Labels,
        FederationRole::Consumer => Role::Consumer,
    }
}
