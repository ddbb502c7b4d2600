//! All parties over a network that delays, loses, repeats and cuts, with parties that are killed
//! and go on from their journals: one process, one thread, and a clock of its own.
//!
//! Frames are really encoded. A kill strikes before an event is written, or after the party has
//! taken it and before anything it said has left; rows are read again after a restart. The same
//! seed gives the same run.

mod run;
mod seat;

use super::process::SiteSource;
use super::record_stream::{RecordStream, Table};
use super::weather::Weather;
use crate::error::Result;
use crate::federate::frame::Final;
use crate::federate::journal::MemoryJournal;
use crate::federate::{Event, Note, Outbox, Party, PartyId, Rows, Terms, Time};
use crate::math::java_random::JavaRandom;
pub use run::{Run, Watch};

use seat::Seats;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// The network and its parties.
pub struct Network<W> {
    stream: Box<dyn RecordStream>,
    weather: Weather,
    watch: W,
    random: JavaRandom,
    seats: Seats,
    due: BinaryHeap<Reverse<Due>>,
    numbers: u64,
    in_flight: usize,
    now: Time,
    run: Run,
}

/// Something at a time; of several at once the first to be planned.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Due(Time, u64, What);

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Start(PartyId),
    Kill(PartyId, Option<Time>),
    Heal(usize),
    Deliver(PartyId, PartyId, Vec<u8>),
    Feed(PartyId),
    Timer(PartyId),
}

impl<W: Watch> Network<W> {
    /// Parties that have seen nothing, and all of their records.
    pub fn new(
        terms: Terms,
        sources: Vec<SiteSource>,
        classes: Vec<u32>,
        weather: Weather,
        watch: W,
    ) -> Self {
        let table = Table::new(terms.batch, &terms.sites, &sources, classes);
        Network::over(terms, sources, Box::new(table), weather, watch)
    }

    /// The same over a stream; records of the sources are not looked at.
    pub fn over(
        terms: Terms,
        sources: Vec<SiteSource>,
        stream: Box<dyn RecordStream>,
        weather: Weather,
        watch: W,
    ) -> Self {
        let terms = Arc::new(terms);
        Network {
            seats: Seats::new(&terms, sources, &weather),
            random: JavaRandom::new(weather.seed),
            due: BinaryHeap::new(),
            numbers: 0,
            in_flight: 0,
            now: 0,
            run: Run::default(),
            stream,
            weather,
            watch,
        }
    }

    /// Runs until all batches are answered, a party fails, or time is up; gives back who looked.
    pub fn run(mut self) -> Result<(Run, W)> {
        for party in self.seats.all() {
            self.plan(0, What::Start(party));
        }
        for kill in self.weather.kills.clone() {
            self.plan(kill.at, What::Kill(kill.party, kill.down));
        }
        for place in 0..self.weather.partitions.len() {
            self.plan(self.weather.partitions[place].until, What::Heal(place));
        }
        while !self.is_over() {
            let Some(Reverse(Due(at, _, what))) = self.due.pop() else {
                break;
            };
            if at > self.weather.until {
                break;
            }
            self.now = at;
            self.happen(what)?;
        }
        self.run.is_over = self.is_over();
        for party in self.seats.all() {
            if let Some(journal) = self.seats.take_journal(party) {
                self.look(party, &journal);
            }
        }
        self.run.ended = self.now;
        Ok((self.run, self.watch))
    }

    fn is_over(&mut self) -> bool {
        let answered = self.run.answered >= self.stream.batches();
        let to_the_end = self.weather.to_the_end;
        self.run.failure.is_some() || answered && (!to_the_end || self.seats.are_over())
    }

    fn plan(&mut self, at: Time, what: What) {
        self.numbers += 1;
        self.due.push(Reverse(Due(at, self.numbers, what)));
    }

    fn happen(&mut self, what: What) -> Result<()> {
        match what {
            What::Start(party) => self.start(party)?,
            What::Kill(party, down) => self.kill(party, down),
            What::Heal(place) => self.heal(place),
            What::Deliver(from, to, bytes) => {
                self.in_flight -= 1;
                let bytes = &bytes[..];
                self.handle(to, Event::Frame { from, bytes });
            }
            What::Feed(party) => self.feed(party),
            What::Timer(party) => {
                let seat = self.seats.seat(party);
                if seat.wake == Some(self.now) {
                    seat.wake = None;
                    self.handle(party, Event::Timer);
                }
            }
        }
        Ok(())
    }

    /// Opens the journal of a party; links are there at once, both ways.
    fn start(&mut self, party: PartyId) -> Result<()> {
        let stream = &*self.stream;
        let mut rows = |batch: u64| -> Result<Rows> { Ok(stream.rows(party, batch)) };
        let every = self.weather.checkpoint_every;
        let Some((out, is_same)) = self.seats.open(party, every, &mut rows)? else {
            return Ok(());
        };
        self.run.deviations += u64::from(!is_same);
        self.take_answers(out.answers);
        for peer in self.seats.peers(party) {
            self.handle(party, Event::Linked(peer));
            self.handle(peer, Event::Linked(party));
        }
        Ok(())
    }

    fn kill(&mut self, party: PartyId, down: Option<Time>) {
        let Some(journal) = self.seats.kill(party) else {
            return;
        };
        self.look(party, &journal);
        self.seats.seat(party).journal = Some(journal);
        self.run.kills += 1;
        if let Some(down) = down {
            self.plan(self.now + down, What::Start(party));
        }
    }

    fn look(&mut self, party: PartyId, journal: &MemoryJournal) {
        let greatest = self.run.greatest_checkpoint;
        self.run.greatest_checkpoint = greatest.max(journal.greatest_checkpoint());
        self.watch.journal(party, journal);
    }

    /// Tells parties that were separated that their links are there again.
    fn heal(&mut self, place: usize) {
        let side = self.weather.partitions[place].side.clone();
        for &party in &side {
            for peer in self.seats.peers(party) {
                if !side.contains(&peer) {
                    self.handle(party, Event::Linked(peer));
                    self.handle(peer, Event::Linked(party));
                }
            }
        }
    }

    /// Shows a party the next batch of its own.
    fn feed(&mut self, party: PartyId) {
        let seat = self.seats.seat(party);
        seat.is_fed = false;
        let batch = match self.weather.interval {
            None => seat.party.as_ref().and_then(Party::wants),
            Some(_) => seat.party.as_ref().map(Party::received),
        };
        let Some(batch) = batch else {
            return;
        };
        if batch >= self.stream.batches() {
            self.handle(party, Event::RowsEnded);
            return;
        }
        let rows = self.stream.rows(party, batch);
        self.handle(party, Event::Rows(&rows));
    }

    /// Plans to show a party its next batch.
    fn plan_feed(&mut self, party: PartyId) {
        let has_rows = party.is_site() || party == PartyId::LABELS;
        let now = self.now;
        let interval = self.weather.interval;
        let seat = self.seats.seat(party);
        let is_fed = seat.is_fed;
        let known = seat.party.as_ref().filter(|_| has_rows && !is_fed);
        let Some(known) = known.filter(|party| !party.has_ended()) else {
            return;
        };
        let next = match interval {
            None => known.wants().map(|batch| (batch, now + 1)),
            Some(interval) => {
                let batch = known.received();
                Some((batch, now.max((batch + 1) * interval)))
            }
        };
        if let Some((_, at)) = next {
            seat.is_fed = true;
            self.plan(at, What::Feed(party));
        }
    }

    /// Lets a party take an event, unless it is down or is killed now.
    fn handle(&mut self, party: PartyId, event: Event<'_>) {
        let share = self.weather.kill_share;
        let strikes = share > 0.0 && self.random.next_double() < share;
        let is_written = strikes && self.random.next_boolean();
        let Some(known) = self.seats.seat(party).party.as_mut() else {
            return;
        };
        let mut out = Outbox::default();
        if !strikes || is_written {
            self.run.events += 1;
            let taken = known.handle(event, self.now, &mut out);
            if let Err(error) = taken {
                self.note(party, std::mem::take(&mut out.notes));
                self.run.failure.get_or_insert((party, error));
                return;
            }
        }
        if strikes {
            let down = Time::from(self.random.next_int_below(400) as u32);
            self.kill(party, Some(down));
            return;
        }
        self.post(party, out);
        self.plan_feed(party);
    }

    fn post(&mut self, from: PartyId, out: Outbox) {
        if let Some(wake) = out.wake {
            let wake = wake.max(self.now + 1);
            self.seats.seat(from).wake = Some(wake);
            self.plan(wake, What::Timer(from));
        }
        for (to, bytes) in out.frames {
            for bytes in self.watch.frame(from, to, bytes, self.now) {
                self.send(from, to, bytes);
            }
        }
        self.note(from, out.notes);
        self.take_answers(out.answers);
    }

    fn note(&mut self, party: PartyId, notes: Vec<Note>) {
        let now = self.now;
        let notes = notes.into_iter().map(|note| (now, party, note));
        self.run.notes.extend(notes);
    }

    fn send(&mut self, from: PartyId, to: PartyId, bytes: Vec<u8>) {
        let link = self.weather.link(from, to);
        self.run.frames += 1;
        let lost = link.loss > 0.0 && self.random.next_double() < link.loss;
        if lost || self.weather.separates(from, to, self.now) {
            self.run.lost += 1;
            return;
        }
        let twice = link.repeats > 0.0 && self.random.next_double() < link.repeats;
        if twice {
            self.send_once(from, to, bytes.clone());
        }
        self.send_once(from, to, bytes);
    }

    fn send_once(&mut self, from: PartyId, to: PartyId, bytes: Vec<u8>) {
        let link = self.weather.link(from, to);
        let spread = (link.most.saturating_sub(link.least) + 1).min(1 << 30);
        let delay = link.least + self.random.next_int_below(spread as i32) as Time;
        self.in_flight += 1;
        self.run.most_in_flight = self.run.most_in_flight.max(self.in_flight);
        self.plan(self.now + delay, What::Deliver(from, to, bytes));
    }

    /// Stores answers: each batch once, as its number says.
    fn take_answers(&mut self, answers: Vec<(u64, Vec<Final>)>) {
        for (batch, finals) in answers {
            if batch < self.run.answered {
                let known = self.run.answers.get(batch as usize);
                let differs = known.is_some_and(|known| *known != finals);
                self.run.contradictions += u64::from(differs);
                continue;
            }
            self.run.contradictions += u64::from(batch > self.run.answered);
            self.run.answered = batch + 1;
            self.watch.answer(batch, &finals);
            if self.weather.keeps_answers {
                self.run.answers.push(finals);
            }
        }
    }
}

#[cfg(test)]
mod tests;
