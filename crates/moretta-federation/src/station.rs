//! A party of a federation as the endpoint of links: shows it rows, and knows when it is done.
//!
//! A party that has rows of its own is done when its source has ended, every batch of it is
//! answered, and all who are still there have acknowledged what it sent. The aggregator is done when
//! all sites and the label holder have left, whoever only listens to it when it has left itself. A
//! party leaves by closing its links in an orderly way; one that crashes or is interrupted does not,
//! and the others wait for it.

use std::collections::BTreeSet;

use moretta::federate::{self, Note, Party, PartyId, Rows};
use moretta_data::Result;

use crate::outlet::Pressure;
use crate::party::{Endpoint, Event, Outbox, Time};

/// Where the rows of a party come from and what it has to tell goes to.
pub trait Feed<P> {
    /// The rows of a batch; none at the end of the source.
    fn rows(&mut self, batch: u64) -> Result<Option<Rows>>;

    /// So many bytes came in a frame.
    fn heard(&mut self, _bytes: usize) {}

    /// Takes what the party told at an event: answers and notes.
    fn take(&mut self, party: &mut P, out: &mut federate::Outbox) -> Result<()>;
}

/// When a party is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Until {
    /// All of its own batches are answered.
    Answered,
    /// All of these have left.
    Left(Vec<PartyId>),
}

/// A party, its rows, and who has left.
pub struct Station<P, F> {
    party: P,
    feed: F,
    until: Until,
    pressure: Pressure,
    /// Batches of the source, once it has ended.
    ended: Option<u64>,
    left: BTreeSet<PartyId>,
}

impl<P: Party, F: Feed<P>> Station<P, F> {
    /// A party that nobody has left yet.
    pub fn new(party: P, feed: F, until: Until, pressure: Pressure) -> Self {
        Station {
            party,
            feed,
            until,
            pressure,
            ended: None,
            left: BTreeSet::new(),
        }
    }

    /// The party and its feed.
    pub fn into_parts(self) -> (P, F) {
        (self.party, self.feed)
    }

    fn show(&mut self, event: Event<'_>, now: Time, out: &mut Outbox) -> Result<()> {
        let mut told = federate::Outbox::default();
        self.party.handle(event, now, &mut told)?;
        self.feed.take(&mut self.party, &mut told)?;
        out.frames.append(&mut told.frames);
        out.wake = match (out.wake, told.wake) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => b.or(a),
        };
        Ok(())
    }

    /// Shows it batches as long as it wants some.
    fn feed(&mut self, now: Time, out: &mut Outbox) -> Result<()> {
        while self.ended.is_none() && !self.pressure.is_full() {
            let Some(batch) = self.party.wants() else {
                break;
            };
            match self.feed.rows(batch)? {
                None => self.ended = Some(batch),
                Some(rows) => self.show(Event::Rows(&rows), now, out)?,
            }
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        let awaits = self.party.awaits();
        let heard = awaits.iter().all(|peer| self.left.contains(peer));
        heard
            && match &self.until {
                Until::Answered => self.ended.is_some_and(|end| self.party.answered() >= end),
                Until::Left(peers) => peers.iter().all(|peer| self.left.contains(peer)),
            }
    }
}

impl<P: Party, F: Feed<P>> Endpoint for Station<P, F> {
    fn handle(&mut self, event: Event<'_>, now: Time, out: &mut Outbox) -> Result<()> {
        match event {
            Event::Linked(peer) => {
                self.left.remove(&peer);
            }
            Event::Frame { bytes, .. } => self.feed.heard(bytes.len()),
            Event::Rows(_) | Event::Timer => {}
        }
        self.show(event, now, out)?;
        self.feed(now, out)?;
        out.finished = self.is_done();
        Ok(())
    }

    fn left(&mut self, peer: PartyId, _: Time, out: &mut Outbox) -> Result<()> {
        self.left.insert(peer);
        out.finished = self.is_done();
        Ok(())
    }
}

/// A note as a line for the person who runs a party: names and places, never a value.
pub fn told(note: &Note) -> String {
    match note {
        Note::Refused(party, why) => format!("a frame of {party} was refused: {why:?}"),
        Note::RefusedBy(party, why) => format!("{party} refused a frame: {why:?}"),
        Note::Quarantined(party) => format!("{party} is not listened to any more"),
        Note::Stalled(party) => format!("nothing comes from {party}"),
        Note::Dropped(batch) => format!("batch {batch} was dropped: too many were kept"),
        Note::Late(party, batch) => format!("batch {batch} of {party} came too late"),
        Note::Created(node, sources, batch) => {
            format!("trouble node {node} over {sources:?} from batch {batch} on")
        }
        Note::Removed(node, batch) => format!("trouble node {node} removed at batch {batch}"),
        Note::Overconfident(party) => {
            format!("{party} is surer of its answers than it is right, by more than a quarter")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PEER: PartyId = PartyId(3);

    /// Wants two batches, which a frame answers, and awaits its peer until a timer comes.
    #[derive(Default)]
    struct Scripted {
        shown: u64,
        answered: u64,
        awaits: Vec<PartyId>,
    }

    impl Party for Scripted {
        fn handle(&mut self, event: Event<'_>, _: Time, out: &mut federate::Outbox) -> Result<()> {
            match event {
                Event::Rows(rows) => {
                    self.shown += 1;
                    self.awaits = vec![PEER];
                    out.frames.push((PEER, vec![rows.batch as u8]));
                }
                Event::Frame { .. } => self.answered = self.shown,
                Event::Timer => self.awaits.clear(),
                Event::Linked(_) => {}
            }
            Ok(())
        }

        fn wants(&self) -> Option<u64> {
            Some(self.shown)
        }

        fn answered(&self) -> u64 {
            self.answered
        }

        fn awaits(&self) -> Vec<PartyId> {
            self.awaits.clone()
        }

        fn save(&self) -> Result<Vec<u8>> {
            Ok(Vec::new())
        }
    }

    /// Two batches.
    struct Two;

    impl Feed<Scripted> for Two {
        fn rows(&mut self, batch: u64) -> Result<Option<Rows>> {
            let rows = Rows {
                batch,
                ..Rows::default()
            };
            Ok((batch < 2).then_some(rows))
        }

        fn take(&mut self, _: &mut Scripted, _: &mut federate::Outbox) -> Result<()> {
            Ok(())
        }
    }

    fn finished(station: &mut Station<Scripted, Two>, event: Event<'_>) -> bool {
        let mut out = Outbox::default();
        station.handle(event, 0, &mut out).expect("no error");
        out.finished
    }

    const FRAME: Event<'static> = Event::Frame {
        from: PEER,
        bytes: &[],
    };

    #[test]
    fn a_party_with_rows_is_done_when_they_are_answered_and_acknowledged() {
        let party = Scripted::default();
        let mut station = Station::new(party, Two, Until::Answered, Pressure::default());
        assert!(!finished(&mut station, Event::Linked(PEER)));
        assert_eq!(station.ended, Some(2));
        assert!(!finished(&mut station, FRAME));
        assert!(finished(&mut station, Event::Timer));
    }

    #[test]
    fn who_has_left_is_not_waited_for() {
        let party = Scripted::default();
        let mut station = Station::new(party, Two, Until::Answered, Pressure::default());
        assert!(!finished(&mut station, FRAME));
        assert!(!finished(&mut station, FRAME));
        let mut out = Outbox::default();
        station.left(PEER, 0, &mut out).expect("no error");
        assert!(out.finished);
        assert!(!finished(&mut station, Event::Linked(PEER)), "it is back");
    }

    #[test]
    fn a_listener_is_done_when_all_have_left() {
        let party = Scripted::default();
        let peers = vec![PEER, PartyId(4)];
        let mut station = Station::new(party, Two, Until::Left(peers), Pressure::default());
        let mut left = |peer| {
            let mut out = Outbox::default();
            station.left(peer, 0, &mut out).expect("no error");
            out.finished
        };
        assert!(!left(PEER));
        assert!(left(PartyId(4)));
    }
}
