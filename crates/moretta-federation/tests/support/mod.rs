//! A federation on loopback: keys in a folder, rosters, parties made of closures, and a forwarder.
#![allow(dead_code, reason = "each test crate uses a part of it")]

pub(crate) mod forwarder;

use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use moretta_data::Result;
use moretta_federation::keys::{Made, Order, make};
use moretta_federation::{
    Credential, Driver, Endpoint, Event, Limits, Member, Name, Network, Outbox, PartyId, Protocol,
    Refusals, Role, Roster, Stopper, Time,
};

pub(crate) const PROTOCOL: Protocol = Protocol {
    magic: 0x464d,
    version: 1,
    federation: 0xabab_abab_abab_abab,
};
pub(crate) const HUB: PartyId = PartyId(0);
/// How long a test waits for what must happen; it is never waited for where all is well.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// Keys of an aggregator (number 0) and sites (from 1).
pub(crate) struct Federation {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) made: Made,
    pub(crate) made_at: SystemTime,
    pub(crate) name: Name,
}

impl Federation {
    pub(crate) fn new(sites: u16) -> Self {
        Self::made("ward-7", sites, SystemTime::now())
    }

    pub(crate) fn made(federation: &str, sites: u16, now: SystemTime) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let name = Name::new(federation).expect("a name");
        let site = |i| Name::new(&format!("site-{i}")).expect("a name");
        let mut parties = vec![(Role::Aggregator, Name::new("hub").expect("a name"))];
        parties.extend((1..=sites).map(|i| (Role::Site, site(i))));
        let order = Order {
            now,
            ..Order::new(name.clone(), parties)
        };
        let made = make(folder.path(), &order).expect("keys");
        Federation {
            folder,
            made,
            made_at: now,
            name,
        }
    }

    pub(crate) fn members(&self) -> Vec<Member> {
        let member = |(number, party): (usize, &moretta_federation::keys::MadeParty)| Member {
            number: PartyId(number as u16),
            role: party.identity.role,
            id: party.identity.id.clone(),
            pin: party.pin,
        };
        self.made.parties.iter().enumerate().map(member).collect()
    }

    pub(crate) fn roster(&self) -> Roster {
        Roster::new(self.name.clone(), self.members()).expect("a roster")
    }

    pub(crate) fn credential(&self, party: PartyId) -> Credential {
        self.credential_of(party, &self.made.authority)
    }

    /// A credential that believes another authority.
    pub(crate) fn credential_of(&self, party: PartyId, authority: &Path) -> Credential {
        let party = &self.made.parties[usize::from(party.0)];
        let (certificate, key) = (&party.certificate_file, &party.key_file);
        let own = Credential::read_at(
            certificate,
            key,
            &self.made.authority,
            &party.identity,
            self.made_at,
        );
        let own = own.expect("a credential");
        own.believing(authority).expect("an authority")
    }

    pub(crate) fn driver(&self, party: PartyId, limits: Limits) -> Driver {
        Driver::new(party, self.roster(), PROTOCOL, limits)
    }
}

/// Limits with times that a test can wait for.
pub(crate) fn quick() -> Limits {
    Limits {
        keepalive: Duration::from_secs(1),
        dead: Duration::from_secs(4),
        first_pause: Duration::from_millis(20),
        longest_pause: Duration::from_millis(200),
        ..Limits::default()
    }
}

/// A frame of our protocol.
pub(crate) fn frame(sender: PartyId, batch: u64, body: &[u8]) -> Vec<u8> {
    let header = PROTOCOL.header(1, sender, batch, body.len() as u32);
    [&header[..], body].concat()
}

/// A party made of a closure.
pub(crate) struct Scripted<F>(pub(crate) F);

impl<F: FnMut(Event<'_>, Time, &mut Outbox) -> Result<()> + Send> Endpoint for Scripted<F> {
    fn handle(&mut self, event: Event<'_>, now: Time, out: &mut Outbox) -> Result<()> {
        (self.0)(event, now, out)
    }
}

/// A driver that runs on a thread of its own.
pub(crate) struct Running {
    thread: Option<JoinHandle<Result<u64>>>,
    stopper: Stopper,
    pub(crate) refusals: Arc<Refusals>,
}

impl Running {
    pub(crate) fn start<F>(driver: Driver, party: F) -> Self
    where
        F: FnMut(Event<'_>, Time, &mut Outbox) -> Result<()> + Send + 'static,
    {
        let (stopper, refusals) = (driver.stopper(), driver.refusals());
        let thread = std::thread::spawn(move || driver.run(&mut Scripted(party)));
        Running {
            thread: Some(thread),
            stopper,
            refusals,
        }
    }

    pub(crate) fn stop(mut self) -> Result<u64> {
        self.stopper.stop();
        self.join()
    }

    /// Waits until the party has finished by itself.
    pub(crate) fn finish(mut self) -> Result<u64> {
        let thread = self.thread.as_ref().expect("joined once");
        wait_until("a party has finished", || thread.is_finished());
        self.join()
    }

    fn join(&mut self) -> Result<u64> {
        let thread = self.thread.take().expect("joined once");
        thread.join().expect("no panic")
    }
}

/// Waits for what must happen.
pub(crate) fn wait_until(what: &str, mut happened: impl FnMut() -> bool) {
    let start = Instant::now();
    while !happened() {
        assert!(start.elapsed() < LONG, "{what}: waited in vain");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Closes a network whose drivers have ended; all links must end in an orderly way.
pub(crate) fn close(network: Network) {
    assert!(network.close(LONG), "links are closed");
}

/// An aggregator that sends each frame back under its own name, and keeps the batches it saw.
pub(crate) fn echo(
    seen: Arc<std::sync::Mutex<Vec<Vec<u64>>>>,
) -> impl FnMut(Event<'_>, Time, &mut Outbox) -> Result<()> + Send + 'static {
    move |event, _, out| {
        if let Event::Frame { from, bytes } = event {
            let batch = moretta_federation::header::batch(bytes).expect("a checked frame");
            let mut seen = seen.lock().expect("no panic");
            let place = usize::from(from.0);
            if seen.len() <= place {
                seen.resize(place + 1, Vec::new());
            }
            seen[place].push(batch);
            out.frames.push((from, frame(HUB, batch, &bytes[32..])));
        }
        Ok(())
    }
}
