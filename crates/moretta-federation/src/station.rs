//! A party of a federation as the endpoint of links: shows it rows, and knows when it is done.
//!
//! A run is over when the aggregator says so: it does once all rows of all parties are answered.
//! Who has heard that is done. The aggregator is done when all others have acknowledged it, have
//! closed their links in an orderly way, or have had no link for a while: a party may hear that the
//! run is over, end, and lose its acknowledgement on the way.

use std::collections::{BTreeMap, BTreeSet};

use moretta::federate::frame::{Kind, decode_header};
use moretta::federate::{self, Note, Party, PartyId, Rows};
use moretta_data::Result;

use crate::outlet::Pressure;
use crate::party::{Endpoint, Event, Outbox, Time};

/// Where the rows of a party come from and what it has to tell goes to.
pub trait Feed<P> {
    /// The rows of a batch; none at the end of the source.
    fn rows(&mut self, batch: u64) -> Result<Option<Rows>>;

    /// Whether rows are given at once when they are asked for: who waits for rows hears nothing. If
    /// not, and `calls` is true, the party is called again when they are; at the end it always is.
    fn is_ready(&mut self, _calls: bool) -> bool {
        true
    }

    /// These parties have had no link for a while; told now and then, and with nobody once all
    /// have one.
    fn lacks(&mut self, _parties: &[PartyId]) {}

    /// A party has ended with this exit code before the end of the run.
    fn gone(&mut self, _party: PartyId, _code: u8) {}

    /// A frame came.
    fn heard(&mut self, _from: PartyId, _bytes: &[u8]) {}

    /// Takes what the party told at an event: answers and notes.
    fn take(&mut self, party: &mut P, out: &mut federate::Outbox) -> Result<()>;
}

/// Milliseconds that the aggregator waits at the end for a party without a link.
const GRACE: Time = 10_000;
/// Milliseconds until a party without a link is told of, and until it is again.
const SOON: Time = 3_000;
const AGAIN: Time = 30_000;

/// A party, its rows, and who has left.
pub struct Station<P, F> {
    party: P,
    feed: F,
    pressure: Pressure,
    left: BTreeSet<PartyId>,
    /// Who should have a link, when it is next told who has none, and whether it was told.
    peers: Vec<PartyId>,
    tells_at: Time,
    has_told: bool,
    /// Who has a link.
    linked: BTreeSet<PartyId>,
    /// Since when others have none.
    lost: BTreeMap<PartyId, Time>,
    /// Since when the run is over.
    over: Option<Time>,
}

fn is_refusal(frame: &[u8]) -> bool {
    decode_header(frame).is_ok_and(|header| header.kind == Kind::Refuse)
}

impl<P: Party, F: Feed<P>> Station<P, F> {
    /// A party that nobody has left yet, and who should be linked with it.
    pub fn new(party: P, feed: F, pressure: Pressure, peers: Vec<PartyId>) -> Self {
        Station {
            party,
            feed,
            pressure,
            left: BTreeSet::new(),
            peers,
            tells_at: SOON,
            has_told: false,
            linked: BTreeSet::new(),
            lost: BTreeMap::new(),
            over: None,
        }
    }

    /// The party and its feed.
    pub fn into_parts(self) -> (P, F) {
        (self.party, self.feed)
    }

    fn show(&mut self, event: Event<'_>, now: Time, out: &mut Outbox) -> Result<()> {
        let mut told = federate::Outbox::default();
        let handled = self.party.handle(event, now, &mut told);
        // What it noted says why it cannot go on.
        let taken = self.feed.take(&mut self.party, &mut told);
        let shown = handled.and(taken);
        if shown.is_err() {
            // Whoever is refused hears of it, also where this party ends for it. Nothing else leaves:
            // what it follows from may not be on disk.
            told.frames.retain(|(_, frame)| is_refusal(frame));
        }
        out.frames.append(&mut told.frames);
        shown?;
        out.wake = match (out.wake, told.wake) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => b.or(a),
        };
        Ok(())
    }

    /// Shows it batches as long as it wants some.
    fn feed(&mut self, now: Time, out: &mut Outbox) -> Result<()> {
        while !self.party.has_ended() && !self.pressure.is_full() {
            let Some(batch) = self.party.wants() else {
                break;
            };
            if !self.feed.is_ready(self.party.needs_rows()) {
                break;
            }
            match self.feed.rows(batch)? {
                None => self.show(Event::RowsEnded, now, out)?,
                Some(rows) => self.show(Event::Rows(&rows), now, out)?,
            }
        }
        Ok(())
    }

    /// Tells who has had no link for a while, and asks to be woken to do so.
    fn tell_of_links(&mut self, now: Time, out: &mut Outbox) {
        let lacks = |peer: &&PartyId| !self.linked.contains(peer) && !self.left.contains(peer);
        let lacking: Vec<PartyId> = self.peers.iter().filter(lacks).copied().collect();
        if lacking.is_empty() || self.party.is_over() {
            if std::mem::take(&mut self.has_told) {
                self.feed.lacks(&[]);
            }
            self.tells_at = now + SOON;
            return;
        }
        if now >= self.tells_at {
            self.feed.lacks(&lacking);
            (self.tells_at, self.has_told) = (now + AGAIN, true);
        }
        let wake = self.tells_at;
        out.wake = Some(out.wake.map_or(wake, |earlier| earlier.min(wake)));
    }

    /// Whether nothing is left to do; asks to be woken where time alone is waited for.
    fn is_done(&mut self, now: Time, out: &mut Outbox) -> bool {
        if !self.party.is_over() {
            return false;
        }
        let over = *self.over.get_or_insert(now);
        let mut is_done = true;
        for peer in self.party.awaits() {
            if self.left.contains(&peer) || !self.party.waits_at_the_end() {
                continue;
            }
            let since = self.lost.get(&peer).copied().unwrap_or(over).max(over);
            if self.linked.contains(&peer) {
                is_done = false;
            } else if now < since + GRACE {
                is_done = false;
                let wake = since + GRACE;
                out.wake = Some(out.wake.map_or(wake, |earlier| earlier.min(wake)));
            }
        }
        is_done
    }
}

impl<P: Party, F: Feed<P>> Endpoint for Station<P, F> {
    fn handle(&mut self, event: Event<'_>, now: Time, out: &mut Outbox) -> Result<()> {
        match event {
            Event::Linked(peer) => {
                self.left.remove(&peer);
                self.linked.insert(peer);
            }
            Event::Frame { from, bytes } => self.feed.heard(from, bytes),
            Event::Rows(_) | Event::RowsEnded | Event::Timer => {}
        }
        self.show(event, now, out)?;
        self.feed(now, out)?;
        if matches!(event, Event::Linked(_) | Event::Timer) {
            self.tell_of_links(now, out);
        }
        out.finished = self.is_done(now, out);
        Ok(())
    }

    /// Records alone are shown: an event that tells a party nothing need not be written down.
    fn relieved(&mut self, now: Time, out: &mut Outbox) -> Result<()> {
        self.feed(now, out)?;
        out.finished = self.is_done(now, out);
        Ok(())
    }

    fn lost(&mut self, peer: PartyId, now: Time, out: &mut Outbox) -> Result<()> {
        self.linked.remove(&peer);
        self.lost.insert(peer, now);
        self.tells_at = now + SOON;
        self.tell_of_links(now, out);
        out.finished = self.is_done(now, out);
        Ok(())
    }

    fn gone(&mut self, party: PartyId, code: u8) {
        self.feed.gone(party, code);
    }

    fn left(&mut self, peer: PartyId, now: Time, out: &mut Outbox) -> Result<()> {
        self.left.insert(peer);
        self.linked.remove(&peer);
        self.lost.insert(peer, now);
        out.finished = self.is_done(now, out);
        Ok(())
    }
}

/// A note as a line for the person who runs a party: names and places, never a value. `name` gives
/// the name of a party; a source that is none is a trouble node.
pub fn told(note: &Note, name: impl Fn(PartyId) -> Option<String>) -> String {
    let known = |party: &PartyId| name(*party).unwrap_or_else(|| party.to_string());
    match note {
        Note::Refused(party, why) => {
            format!("a frame of {} was refused: {why:?}", known(party))
        }
        Note::RefusedBy(party, why) => format!("{} refused a frame: {why:?}", known(party)),
        Note::KeysDiffer(party, batch) => {
            format!(
                "the keys of batch {batch} are others than at {}",
                known(party)
            )
        }
        Note::Quarantined(party) => format!("{} is not listened to any more", known(party)),
        Note::Stalled(party) => format!("nothing comes from {}", known(party)),
        Note::Dropped(batch) => {
            format!("batch {batch} was dropped: too many waited, or it was answered before")
        }
        Note::Late(party, batch) => format!("batch {batch} of {} came too late", known(party)),
        Note::Created(node, sources, batch) => {
            let source = |id: &u16| name(PartyId(*id)).unwrap_or_else(|| id.to_string());
            let sources: Vec<String> = sources.iter().map(source).collect();
            let sources = sources.join(", ");
            format!("trouble node {node} over {sources} from batch {batch} on")
        }
        Note::Removed(node, batch) => format!("trouble node {node} removed at batch {batch}"),
        Note::Overconfident(party) => {
            let party = known(party);
            format!("{party} is surer of its answers than it is right, by more than a quarter")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use moretta::federate::frame::{Body, Header, Refusal, encode};

    const PEER: PartyId = PartyId(3);

    /// Wants two batches; a frame says that the run is over, and a timer that its peer knows.
    #[derive(Default)]
    struct Scripted {
        shown: u64,
        ended: bool,
        over: bool,
        awaits: Vec<PartyId>,
        waits: bool,
    }

    impl Party for Scripted {
        fn handle(&mut self, event: Event<'_>, _: Time, out: &mut federate::Outbox) -> Result<()> {
            match event {
                Event::Rows(rows) => {
                    self.shown += 1;
                    self.awaits = vec![PEER];
                    out.frames.push((PEER, vec![rows.batch as u8]));
                }
                Event::RowsEnded => self.ended = true,
                Event::Frame { .. } => self.over = true,
                Event::Timer => self.awaits.clear(),
                Event::Linked(_) => {}
            }
            Ok(())
        }

        fn wants(&self) -> Option<u64> {
            Some(self.shown)
        }

        fn has_ended(&self) -> bool {
            self.ended
        }

        fn is_over(&self) -> bool {
            self.over
        }

        fn waits_at_the_end(&self) -> bool {
            self.waits
        }

        fn awaits(&self) -> Vec<PartyId> {
            self.awaits.clone()
        }

        fn save(&self) -> Result<Vec<u8>> {
            Ok(Vec::new())
        }
    }

    /// Two batches; remembers who lacked a link.
    #[derive(Default)]
    struct Two(Vec<Vec<PartyId>>);

    impl Feed<Scripted> for Two {
        fn rows(&mut self, batch: u64) -> Result<Option<Rows>> {
            let rows = Rows {
                batch,
                ..Rows::default()
            };
            Ok((batch < 2).then_some(rows))
        }

        fn lacks(&mut self, parties: &[PartyId]) {
            self.0.push(parties.to_vec());
        }

        fn take(&mut self, _: &mut Scripted, _: &mut federate::Outbox) -> Result<()> {
            Ok(())
        }
    }

    fn station(waits: bool) -> Station<Scripted, Two> {
        let party = Scripted {
            waits,
            ..Scripted::default()
        };
        Station::new(party, Two::default(), Pressure::default(), vec![PEER])
    }

    fn finished(station: &mut Station<Scripted, Two>, event: Event<'_>, now: Time) -> bool {
        let mut out = Outbox::default();
        station.handle(event, now, &mut out).expect("no error");
        out.finished
    }

    const FRAME: Event<'static> = Event::Frame {
        from: PEER,
        bytes: &[],
    };

    #[test]
    fn notes_name_parties_and_number_nodes() {
        let name = |party: PartyId| (party == PEER).then(|| "lab".to_owned());
        let check = |note: Note, expected: &str| assert_eq!(told(&note, name), expected);
        check(
            Note::Created(7, vec![3, 6], 9),
            "trouble node 7 over lab, 6 from batch 9 on",
        );
        check(Note::Stalled(PEER), "nothing comes from lab");
        check(Note::Stalled(PartyId(4)), "nothing comes from site 4");
    }

    #[test]
    fn a_party_is_shown_all_rows_and_done_when_the_run_is_over() {
        let mut station = station(false);
        assert!(!finished(&mut station, Event::Linked(PEER), 0));
        assert!(station.party.ended && station.party.shown == 2);
        assert!(finished(&mut station, FRAME, 0));
    }

    #[test]
    fn an_aggregator_waits_until_those_who_are_there_know() {
        let mut station = station(true);
        assert!(!finished(&mut station, Event::Linked(PEER), 0));
        assert!(!finished(&mut station, FRAME, 5));
        assert!(finished(&mut station, Event::Timer, 6));
    }

    #[test]
    fn who_has_left_is_not_waited_for_and_who_is_lost_for_a_while() {
        let mut station = station(true);
        assert!(!finished(&mut station, Event::Linked(PEER), 0));
        assert!(!finished(&mut station, FRAME, 5));
        let mut out = Outbox::default();
        station.lost(PEER, 7, &mut out).expect("no error");
        assert_eq!((out.finished, out.wake), (false, Some(7 + GRACE)));
        assert!(!finished(&mut station, FRAME, 6 + GRACE));
        assert!(finished(&mut station, FRAME, 7 + GRACE));
        assert!(!finished(&mut station, Event::Linked(PEER), 8 + GRACE));
        station.left(PEER, 9, &mut out).expect("no error");
        assert!(out.finished);
    }

    #[test]
    fn a_missing_link_is_told_now_and_then_and_that_it_is_there() {
        let mut station = station(false);
        let wake = |station: &mut Station<Scripted, Two>, event, now| {
            let mut out = Outbox::default();
            station.handle(event, now, &mut out).expect("no error");
            out.wake
        };
        assert_eq!(wake(&mut station, Event::Timer, 0), Some(SOON));
        assert!(station.feed.0.is_empty());
        assert_eq!(wake(&mut station, Event::Timer, SOON), Some(SOON + AGAIN));
        assert_eq!(wake(&mut station, Event::Linked(PEER), SOON + 1), None);
        assert_eq!(station.feed.0, [vec![PEER], vec![]]);
        let mut out = Outbox::default();
        station.lost(PEER, 50_000, &mut out).expect("no error");
        assert_eq!(out.wake, Some(50_000 + SOON));
    }

    /// Cannot take what the party tells: a refusal and something else.
    struct Fails;

    fn refusal() -> Vec<u8> {
        let header = Header {
            kind: Kind::Refuse,
            federation: 7,
            epoch: 0,
            sender: PartyId::AGGREGATOR,
            node: 0,
            batch: 0,
        };
        encode(&header, &Body::Refuse(Refusal::Keys))
    }

    impl Feed<Scripted> for Fails {
        fn rows(&mut self, _: u64) -> Result<Option<Rows>> {
            Ok(None)
        }

        fn take(&mut self, _: &mut Scripted, out: &mut federate::Outbox) -> Result<()> {
            let mut other = refusal();
            other[3] = 0;
            out.frames = vec![(PEER, other), (PEER, refusal())];
            Err(moretta_data::Error::input("other keys"))
        }
    }

    #[test]
    fn a_party_that_ends_for_another_one_has_refused_it() {
        let peers = vec![PEER];
        let mut station = Station::new(Scripted::default(), Fails, Pressure::default(), peers);
        let mut out = Outbox::default();
        let ended = station.handle(Event::Linked(PEER), 0, &mut out);
        assert!(ended.is_err());
        assert_eq!(out.frames, [(PEER, refusal())]);
    }
}
