//! How the links of a party are: there, lost since when, or shut out.
//!
//! What links do is seen between the driver and the party, which is not told when one is lost.

use moretta::Result;
use moretta::federate::{PartyId, Time};
use moretta::policy::FederationPolicy;
use moretta_federation::{Endpoint, Event, Outbox};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Between two looks at a link that is lost.
const PAUSE: Time = 1000;

/// How each link is, as the driver tells it and the view shows it.
#[derive(Clone, Default)]
pub(crate) struct Links(Rc<RefCell<States>>);

#[derive(Default)]
struct States {
    /// The parties, by their ids.
    parties: BTreeMap<String, PartyId>,
    now: Time,
    links: BTreeMap<PartyId, Link>,
    /// Whether somebody looks, and wants to see how long a link has been lost.
    is_looked_at: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Link {
    There,
    Lost(Time),
    Closed,
    /// The party has failed with this exit code.
    Failed(u8),
}

impl Links {
    /// Those of the parties of a policy, none of which is there yet.
    pub(crate) fn of(policy: &FederationPolicy, is_looked_at: bool) -> Self {
        let names = policy.names().into_iter();
        Links(Rc::new(RefCell::new(States {
            parties: names.map(|(party, id)| (id, party)).collect(),
            is_looked_at,
            ..States::default()
        })))
    }

    /// The link of a party, in words.
    pub(crate) fn word(&self, id: &str, is_shut_out: impl Fn(PartyId) -> bool) -> String {
        let states = self.0.borrow();
        let party = states.parties.get(id);
        if party.is_some_and(|party| is_shut_out(*party)) {
            return "shut out".to_owned();
        }
        match party.and_then(|party| states.links.get(party)) {
            None => "not yet".to_owned(),
            Some(Link::There) => "linked".to_owned(),
            Some(Link::Closed) => "closed".to_owned(),
            Some(Link::Failed(code)) => format!("ended with {code}"),
            Some(Link::Lost(since)) => {
                format!("lost for {} s", states.now.saturating_sub(*since) / 1000)
            }
        }
    }

    /// A party behind which its links are looked at.
    pub(crate) fn watch<'a>(&self, party: &'a mut dyn Endpoint) -> Watched<'a> {
        Watched {
            party,
            links: self.clone(),
        }
    }

    fn set(&self, peer: PartyId, link: Link) {
        self.0.borrow_mut().links.insert(peer, link);
    }

    /// Asks to be woken where a time passes that is shown.
    fn wake(&self, now: Time, out: &mut Outbox) {
        let states = self.0.borrow();
        let is_lost = states.links.values().any(|l| matches!(l, Link::Lost(_)));
        if is_lost && states.is_looked_at && !out.finished {
            let wake = now + PAUSE;
            out.wake = Some(out.wake.map_or(wake, |earlier| earlier.min(wake)));
        }
    }
}

/// A party whose links are looked at on the way.
pub(crate) struct Watched<'a> {
    party: &'a mut dyn Endpoint,
    links: Links,
}

impl Endpoint for Watched<'_> {
    fn handle(&mut self, event: Event<'_>, now: Time, out: &mut Outbox) -> Result<()> {
        self.links.0.borrow_mut().now = now;
        if let Event::Linked(peer) = event {
            self.links.set(peer, Link::There);
        }
        self.party.handle(event, now, out)?;
        self.links.wake(now, out);
        Ok(())
    }

    fn relieved(&mut self, now: Time, out: &mut Outbox) -> Result<()> {
        self.party.relieved(now, out)
    }

    fn lost(&mut self, peer: PartyId, now: Time, out: &mut Outbox) -> Result<()> {
        let known = self.links.0.borrow().links.get(&peer).copied();
        if !matches!(known, Some(Link::Failed(_))) {
            self.links.set(peer, Link::Lost(now));
        }
        self.party.lost(peer, now, out)?;
        self.links.wake(now, out);
        Ok(())
    }

    fn gone(&mut self, party: PartyId, code: u8) {
        self.links.set(party, Link::Failed(code));
        self.party.gone(party, code);
    }

    fn left(&mut self, peer: PartyId, now: Time, out: &mut Outbox) -> Result<()> {
        self.links.set(peer, Link::Closed);
        self.party.left(peer, now, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAB: PartyId = PartyId(2);

    /// Wants to be woken late.
    struct Sleeper(Vec<Time>);

    impl Endpoint for Sleeper {
        fn handle(&mut self, _: Event<'_>, now: Time, out: &mut Outbox) -> Result<()> {
            self.0.push(now);
            out.wake = Some(now + 30_000);
            Ok(())
        }
    }

    fn word(links: &Links) -> String {
        links.word("lab", |_| false)
    }

    fn links(is_looked_at: bool) -> Links {
        Links(Rc::new(RefCell::new(States {
            parties: BTreeMap::from([("lab".to_owned(), LAB)]),
            is_looked_at,
            ..States::default()
        })))
    }

    #[test]
    fn a_link_is_there_is_lost_and_comes_back() {
        let (links, mut party) = (links(true), Sleeper(Vec::new()));
        let mut watched = links.watch(&mut party);
        assert_eq!(word(&links), "not yet");
        let handle = |watched: &mut Watched<'_>, event, now| {
            let mut out = Outbox::default();
            watched.handle(event, now, &mut out).expect("no error");
            out.wake
        };
        assert_eq!(handle(&mut watched, Event::Linked(LAB), 5), Some(30_005));
        assert_eq!(word(&links), "linked");
        let mut out = Outbox::default();
        watched.lost(LAB, 10, &mut out).expect("no error");
        assert_eq!(out.wake, Some(1010));
        assert_eq!(handle(&mut watched, Event::Timer, 1010), Some(2010));
        assert_eq!(word(&links), "lost for 1 s");
        assert_eq!(handle(&mut watched, Event::Timer, 61_500), Some(62_500));
        assert_eq!(word(&links), "lost for 61 s");
        let again = handle(&mut watched, Event::Linked(LAB), 62_000);
        assert_eq!((&*word(&links), again), ("linked", Some(92_000)));
        watched.left(LAB, 63_000, &mut out).expect("no error");
        assert_eq!(word(&links), "closed");
        watched.gone(LAB, 4);
        watched.lost(LAB, 64_000, &mut out).expect("no error");
        assert_eq!(word(&links), "ended with 4");
        assert_eq!(party.0, [5, 1010, 61_500, 62_000]);
    }

    #[test]
    fn who_is_shut_out_is_so_with_a_link_or_without() {
        let (links, mut party) = (links(true), Sleeper(Vec::new()));
        let mut watched = links.watch(&mut party);
        let word = |shut_out: PartyId| links.word("lab", |party| party == shut_out);
        assert_eq!(word(LAB), "shut out");
        let (linked, mut out) = (Event::Linked(LAB), Outbox::default());
        watched.handle(linked, 5, &mut out).expect("no error");
        assert_eq!(
            (word(PartyId(1)).as_str(), &*word(LAB)),
            ("linked", "shut out")
        );
        watched.lost(LAB, 10, &mut out).expect("no error");
        assert_eq!(word(LAB), "shut out");
    }

    #[test]
    fn a_party_that_nobody_looks_at_is_not_woken() {
        let (links, mut party) = (links(false), Sleeper(Vec::new()));
        let mut watched = links.watch(&mut party);
        let mut out = Outbox::default();
        watched.lost(LAB, 10, &mut out).expect("no error");
        assert_eq!(out.wake, None);
    }
}
