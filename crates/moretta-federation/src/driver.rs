//! Runs a party: what its links bring, in the order in which it arrives, timers, and what it sends.
//!
//! The party runs on the thread that calls [`Network::run`](crate::Network::run) and is called with one
//! event at a time; the network has threads of its own, or works on that thread between events. Frames of a link are handed on in order and once. Those that were
//! under way when a link was replaced are dropped, so that none comes after the new link's
//! announcement that belongs before it. A party that fails says so on its links before they end, see
//! `farewell.rs`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::time::{Duration, Instant};

use bytes::Bytes;
use moretta_data::{Error, Result};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

use crate::farewell::Farewell;
use crate::header::Protocol;
use crate::limits::Limits;
use crate::link::{Arrival, Context};
use crate::outlet::Outlet;
use crate::party::{Endpoint, Event, Outbox, PartyId, Time};
use crate::refusal::{Refusal, Refusals};
use crate::roster::Roster;

pub use crate::outlet::Pressure;

/// Runs a party between its links.
pub struct Driver {
    pub(crate) context: Arc<Context>,
    arrivals: Receiver<Arrival>,
    routes: HashMap<PartyId, Route>,
    start: Instant,
    wake: Option<Time>,
    undelivered: u64,
    /// Who should be told if the party fails.
    peers: Vec<PartyId>,
    /// At the aggregator: who has failed, and with which code, for those who link later.
    gone: BTreeMap<PartyId, u8>,
}

struct Route {
    link: u64,
    outlet: Outlet,
    /// Whether the peer has said that it has failed: its link does not end in an orderly way.
    has_failed: bool,
}

/// Ends a driver from another thread.
#[derive(Clone)]
pub struct Stopper(Arc<Context>);

impl Stopper {
    /// Ends it once all events that have arrived are handled.
    pub fn stop(&self) {
        self.0.announce(Arrival::Stop);
    }
}

/// Calls a party from another thread.
#[derive(Clone)]
pub struct Waker(Arc<Context>);

impl Waker {
    /// Calls its [`Endpoint::relieved`], behind all events that have arrived.
    pub fn wake(&self) {
        self.0.announce(Arrival::Relieved);
    }
}

impl Driver {
    /// A driver for the party `own` of the roster, without links yet.
    pub fn new(own: PartyId, roster: Roster, protocol: Protocol, limits: Limits) -> Self {
        let (sender, arrivals) = channel();
        let context = Context {
            own,
            roster,
            protocol,
            limits,
            refusals: Arc::default(),
            pressure: Pressure::default(),
            arrivals: sender,
            arrived: Notify::new(),
            links: AtomicU64::new(0),
            stop: watch::Sender::new(false),
        };
        Driver {
            context: Arc::new(context),
            arrivals,
            routes: HashMap::new(),
            start: Instant::now(),
            wake: Some(0),
            undelivered: 0,
            peers: Vec::new(),
            gone: BTreeMap::new(),
        }
    }

    /// These parties are told if the party fails, also where they are linked a moment later.
    pub fn tells(&mut self, peers: Vec<PartyId>) {
        self.peers = peers;
    }

    /// To end it from another thread.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.context.clone())
    }

    /// To call the party from another thread.
    pub fn waker(&self) -> Waker {
        Waker(self.context.clone())
    }

    /// To hold back new records while a peer is slow.
    pub fn pressure(&self) -> Pressure {
        self.context.pressure.clone()
    }

    /// What was refused so far, and in future.
    pub fn refusals(&self) -> Arc<Refusals> {
        self.context.refusals.clone()
    }

    /// Runs the party until it has finished or is stopped; gives the number of frames that had no
    /// link to go to. The first event is a timer. At the end queued frames are still sent and links
    /// closed: [`Network::close`](crate::Network::close) waits for that. After an error the same is
    /// done once all peers were told of it, so that nobody takes it for the end.
    pub fn run(mut self, party: &mut dyn Endpoint) -> Result<u64> {
        let mut out = Outbox::default();
        let ended = loop {
            let arrival = match self.pause() {
                Some(Duration::ZERO) => Err(RecvTimeoutError::Timeout),
                Some(pause) => self.arrivals.recv_timeout(pause),
                None => self
                    .arrivals
                    .recv()
                    .map_err(|_| RecvTimeoutError::Disconnected),
            };
            match self.step(arrival, party, &mut out) {
                Ok(true) => {}
                Ok(false) => break Ok(self.undelivered),
                Err(error) => break Err(error),
            }
        };
        if let Err(error) = &ended {
            let until = Instant::now() + self.context.limits.last_words;
            let mut untold = self.part(error.exit_code());
            while !untold.is_empty() {
                let pause = until.saturating_duration_since(Instant::now());
                match self.arrivals.recv_timeout(pause) {
                    Ok(arrival) => self.part_later(arrival, error.exit_code(), &mut untold),
                    Err(_) => break,
                }
            }
        }
        ended
    }

    /// The same on the thread of the network, which works whenever nothing has arrived.
    pub(crate) async fn run_between(mut self, party: &mut dyn Endpoint) -> Result<u64> {
        let mut out = Outbox::default();
        let ended = loop {
            let pause = self.pause();
            let arrival = match pause {
                Some(Duration::ZERO) => Err(RecvTimeoutError::Timeout),
                _ => match self.arrivals.try_recv() {
                    Ok(arrival) => Ok(arrival),
                    Err(TryRecvError::Disconnected) => Err(RecvTimeoutError::Disconnected),
                    Err(TryRecvError::Empty) => {
                        let arrived = self.context.arrived.notified();
                        match pause {
                            // Whether it arrived or is due is seen in the next turn.
                            Some(pause) => drop(timeout(pause, arrived).await),
                            None => arrived.await,
                        }
                        continue;
                    }
                },
            };
            match self.step(arrival, party, &mut out) {
                Ok(true) => {}
                Ok(false) => break Ok(self.undelivered),
                Err(error) => break Err(error),
            }
        };
        if let Err(error) = &ended {
            let until = Instant::now() + self.context.limits.last_words;
            let mut untold = self.part(error.exit_code());
            while !untold.is_empty() {
                let arrived = self.context.arrived.notified();
                match self.arrivals.try_recv() {
                    Ok(arrival) => self.part_later(arrival, error.exit_code(), &mut untold),
                    Err(_) => {
                        let pause = until.saturating_duration_since(Instant::now());
                        if timeout(pause, arrived).await.is_err() {
                            break;
                        }
                    }
                }
            }
        }
        ended
    }

    /// The time until the party wants to be woken.
    fn pause(&self) -> Option<Duration> {
        let now = self.now();
        let pause = self.wake.map(|wake| wake.saturating_sub(now));
        pause.map(Duration::from_millis)
    }

    /// Shows the party what has arrived, or that it is time; whether it goes on.
    fn step(
        &mut self,
        arrival: std::result::Result<Arrival, RecvTimeoutError>,
        party: &mut dyn Endpoint,
        out: &mut Outbox,
    ) -> Result<bool> {
        let shown = match arrival {
            Ok(Arrival::Stop) | Err(RecvTimeoutError::Disconnected) => return Ok(false),
            Ok(arrival) => self.take(arrival, party, out),
            Err(RecvTimeoutError::Timeout) => {
                self.wake = None;
                party.handle(Event::Timer, self.now(), out)
            }
        };
        // What a party has said before it failed, such as whom it refuses, is said before its farewell.
        let sent = self.send(out);
        shown.and(sent)?;
        Ok(!out.finished)
    }

    /// Says on all links that the party has failed, and closes them; who has not been told.
    fn part(&mut self, code: u8) -> BTreeSet<PartyId> {
        let mut untold: BTreeSet<PartyId> = self.peers.iter().copied().collect();
        for (peer, route) in std::mem::take(&mut self.routes) {
            self.say_farewell(&route.outlet, code);
            untold.remove(&peer);
        }
        untold
    }

    /// The same on a link that was made since then.
    fn part_later(&self, arrival: Arrival, code: u8, untold: &mut BTreeSet<PartyId>) {
        if let Arrival::Linked { peer, outlet, .. } = arrival {
            self.say_farewell(&outlet, code);
            untold.remove(&peer);
        }
    }

    /// Where so much waits for a peer that this does not fit, the link is cut: it has not ended in
    /// an orderly way.
    fn say_farewell(&self, outlet: &Outlet, code: u8) {
        let party = self.context.own;
        let frame = Farewell { party, code }.frame(&self.context.protocol, party);
        if outlet.send(Bytes::from(frame)).is_err() {
            outlet.cut();
        }
    }

    /// A peer has failed, or the aggregator says that a party has.
    fn hear(&mut self, peer: PartyId, farewell: Farewell, party: &mut dyn Endpoint) {
        let Some(route) = self.routes.get_mut(&peer) else {
            return;
        };
        match farewell.party == peer {
            true if route.has_failed => return,
            true => route.has_failed = true,
            false if peer != PartyId::AGGREGATOR => return,
            false => {}
        }
        if self.context.own == PartyId::AGGREGATOR {
            self.gone.insert(farewell.party, farewell.code);
            for (other, route) in &self.routes {
                if *other != peer {
                    self.pass_on(farewell, &route.outlet);
                }
            }
        }
        let is_other = farewell.party != self.context.own;
        if is_other && self.context.roster.member(farewell.party).is_some() {
            party.gone(farewell.party, farewell.code);
        }
    }

    /// Tells a peer that another one has failed. Where it does not fit, it is not told.
    fn pass_on(&self, farewell: Farewell, outlet: &Outlet) {
        let frame = farewell.frame(&self.context.protocol, self.context.own);
        let _ = outlet.send(Bytes::from(frame));
    }

    fn take(&mut self, arrival: Arrival, party: &mut dyn Endpoint, out: &mut Outbox) -> Result<()> {
        let now = self.now();
        match arrival {
            Arrival::Linked { peer, link, outlet } => {
                self.gone.remove(&peer);
                for (&party, &code) in &self.gone {
                    self.pass_on(Farewell { party, code }, &outlet);
                }
                let route = Route {
                    link,
                    outlet,
                    has_failed: false,
                };
                if let Some(old) = self.routes.insert(peer, route) {
                    old.outlet.cut();
                }
                party.handle(Event::Linked(peer), now, out)
            }
            Arrival::Frame {
                peer,
                link,
                frame,
                credits,
            } => {
                if !self.is_current(peer, link) {
                    return Ok(());
                }
                if let Some(farewell) = Farewell::of(&frame) {
                    self.hear(peer, farewell, party);
                    return Ok(());
                }
                let from = peer;
                let bytes = &frame;
                let handled = party.handle(Event::Frame { from, bytes }, now, out);
                drop(credits);
                handled
            }
            Arrival::Unlinked { peer, link, closed } => {
                if !self.is_current(peer, link) {
                    return Ok(());
                }
                let route = self.routes.remove(&peer);
                let has_failed = route.is_some_and(|route| route.has_failed);
                match closed && !has_failed {
                    true => party.left(peer, now, out),
                    false => party.lost(peer, now, out),
                }
            }
            Arrival::Relieved => party.relieved(now, out),
            Arrival::Failed(error) => Err(error),
            Arrival::Stop => Ok(()),
        }
    }

    fn is_current(&self, peer: PartyId, link: u64) -> bool {
        self.routes
            .get(&peer)
            .is_some_and(|route| route.link == link)
    }

    fn send(&mut self, out: &mut Outbox) -> Result<()> {
        if let Some(wake) = out.wake.take() {
            // One that was asked for before still comes: not every event asks for all of them.
            self.wake = Some(self.wake.map_or(wake, |earlier| earlier.min(wake)));
        }
        for (to, frame) in out.frames.drain(..) {
            self.check(&frame)?;
            let Some(route) = self.routes.get(&to) else {
                self.undelivered += 1;
                continue;
            };
            if let Err(refusal) = route.outlet.send(Bytes::from(frame)) {
                self.context.refusals.count(refusal);
                self.undelivered += 1;
                route.outlet.cut();
                self.routes.remove(&to);
            }
        }
        Ok(())
    }

    /// A frame that every peer would refuse is a mistake of the party.
    fn check(&self, frame: &[u8]) -> Result<()> {
        let checked = match frame.len() > self.context.limits.frame_bytes {
            true => Err(Refusal::FrameTooLong),
            false => self.context.protocol.check(frame, self.context.own),
        };
        checked.map_err(|refusal| Error::bug(format!("a party sends what is refused: {refusal}")))
    }

    fn now(&self) -> Time {
        self.start.elapsed().as_millis() as Time
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.context.stop();
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::Semaphore;

    use super::*;
    use crate::identity::Name;
    use crate::outlet;

    const PEER: PartyId = PartyId(1);
    const PROTOCOL: Protocol = Protocol {
        magic: 1,
        version: 1,
        federation: 1,
    };

    /// Writes down what happens to it.
    #[derive(Default)]
    struct Diary(Vec<String>);

    impl Endpoint for Diary {
        fn handle(&mut self, event: Event<'_>, _: Time, _: &mut Outbox) -> Result<()> {
            self.0.push(match event {
                Event::Linked(PartyId(peer)) => format!("linked {peer}"),
                Event::Frame { bytes, .. } => format!("frame {}", bytes[0]),
                Event::Timer | Event::Rows(_) | Event::RowsEnded => "timer".to_owned(),
            });
            Ok(())
        }
    }

    #[test]
    fn nothing_of_a_replaced_link_comes_after_the_new_one() {
        let roster = Roster::new(Name::new("w").expect("a name"), Vec::new()).expect("a list");
        let driver = Driver::new(PartyId(0), roster, PROTOCOL, Limits::default());
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let runtime = runtime.expect("a runtime");
        let connection = runtime.spawn(std::future::pending::<()>()).abort_handle();
        let context = driver.context.clone();
        let credits = Arc::new(Semaphore::new(10));
        let linked = |link| {
            let (outlet, _) = outlet::pair(&context, connection.clone());
            let peer = PEER;
            context.announce(Arrival::Linked { peer, link, outlet });
        };
        let frame = |link, byte| {
            let credits = credits.clone().try_acquire_owned().expect("a credit");
            context.announce(Arrival::Frame {
                peer: PEER,
                link,
                frame: Bytes::from(vec![byte]),
                credits,
            });
        };
        linked(7);
        frame(7, 1);
        linked(8);
        frame(7, 2);
        context.announce(Arrival::Unlinked {
            peer: PEER,
            link: 7,
            closed: true,
        });
        frame(8, 3);
        driver.stopper().stop();
        frame(8, 4);
        let mut diary = Diary::default();
        driver.run(&mut diary).expect("an orderly end");
        assert_eq!(
            diary.0,
            ["timer", "linked 1", "frame 1", "linked 1", "frame 3"]
        );
        assert_eq!(credits.available_permits(), 10);
    }
}
