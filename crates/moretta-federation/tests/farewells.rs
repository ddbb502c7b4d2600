//! Parties that fail say so on their links, whenever these are made, and have not left in order.

mod support;

use std::sync::{Arc, Mutex};

use moretta_data::{Error, Result};
use moretta_federation::{Endpoint, Event, Limits, Network, Outbox, PartyId, Time};
use support::{Federation, HUB, LONG, Running, close, wait_until};

/// Notes what links do until its one peer is lost or has left.
struct Diary(Arc<Mutex<Vec<String>>>);

impl Diary {
    fn note(&self, what: &str, peer: PartyId) {
        let mut diary = self.0.lock().expect("no panic");
        diary.push(format!("{what} {}", peer.0));
    }
}

impl Endpoint for Diary {
    fn handle(&mut self, event: Event<'_>, _: Time, _: &mut Outbox) -> Result<()> {
        match event {
            Event::Linked(peer) => self.note("linked", peer),
            Event::Frame { from, .. } => self.note("frame", from),
            Event::Timer | Event::Rows(_) | Event::RowsEnded => {}
        }
        Ok(())
    }

    fn gone(&mut self, party: PartyId, code: u8) {
        self.note(&format!("gone with {code}"), party);
    }

    fn lost(&mut self, peer: PartyId, _: Time, out: &mut Outbox) -> Result<()> {
        self.note("lost", peer);
        out.finished = true;
        Ok(())
    }

    fn left(&mut self, peer: PartyId, _: Time, out: &mut Outbox) -> Result<()> {
        self.note("left", peer);
        out.finished = true;
        Ok(())
    }
}

/// What a hub sees of a site that runs so.
fn seen_of(
    network: Network,
    party: impl FnMut(Event<'_>, Time, &mut Outbox) -> Result<()> + Send + 'static,
) -> Vec<String> {
    let federation = Federation::new(1);
    let site = PartyId(1);
    let mut hub_network = Network::start(1).expect("threads");
    let driver = federation.driver(HUB, Limits::default());
    let address = hub_network
        .listen(&driver, &federation.credential(HUB), "127.0.0.1:0")
        .expect("a port");
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut diary = Diary(Arc::clone(&seen));
    let hub = std::thread::spawn(move || driver.run(&mut diary));
    let mut network = network;
    let limits = Limits {
        last_words: LONG,
        ..Limits::default()
    };
    let mut driver = federation.driver(site, limits);
    let credential = federation.credential(site);
    network
        .dial(&driver, &credential, &address.to_string(), HUB)
        .expect("dials");
    driver.tells(vec![HUB]);
    let ended = network.run(driver, &mut support::Scripted(party));
    assert!(ended.is_err());
    close(network);
    wait_until("the hub has seen it", || hub.is_finished());
    hub.join().expect("no panic").expect("an orderly end");
    close(hub_network);
    let seen = seen.lock().expect("no panic");
    seen.clone()
}

#[test]
fn a_party_that_fails_before_it_is_linked_says_so_once_it_is() {
    let fails = |_: Event<'_>, _, _: &mut Outbox| Err(Error::input("other rows"));
    let expected = ["linked 1", "gone with 4 1", "lost 1"];
    assert_eq!(
        seen_of(Network::start(1).expect("threads"), fails),
        expected
    );
    let shared = Network::on_the_thread_of_the_party().expect("a network");
    assert_eq!(seen_of(shared, fails), expected);
}

#[test]
fn a_party_that_fails_says_so_behind_what_it_has_said_before() {
    let mut is_linked = false;
    let fails = move |event: Event<'_>, now: Time, out: &mut Outbox| match event {
        Event::Linked(peer) => {
            is_linked = true;
            out.frames.push((peer, support::frame(PartyId(1), 0, b"x")));
            out.wake = Some(now);
            Ok(())
        }
        Event::Timer if is_linked => Err(Error::budget("no consent")),
        _ => Ok(()),
    };
    let seen = seen_of(Network::start(1).expect("threads"), fails);
    assert_eq!(seen, ["linked 1", "frame 1", "gone with 7 1", "lost 1"]);
}

#[test]
fn nobody_waits_for_long_where_nobody_can_be_told() {
    let federation = Federation::new(1);
    let limits = Limits {
        last_words: std::time::Duration::from_millis(50),
        ..Limits::default()
    };
    let mut driver = federation.driver(PartyId(1), limits);
    driver.tells(vec![HUB]);
    let party = Running::start(driver, |_: Event<'_>, _, _: &mut Outbox| {
        Err(Error::input("other rows"))
    });
    assert_eq!(party.finish().expect_err("failed").exit_code(), 4);
}
