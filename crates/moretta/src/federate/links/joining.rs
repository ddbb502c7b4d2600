//! How a party joins a [`Run`], and frames of other runs are kept out.

use super::{Address, Links};
use crate::federate::frame::{Body, Header, Join, Kind, Refusal, encode};
use crate::federate::party::{Note, Outbox, PartyId, Time};
use crate::federate::run::{Mark, Run};

/// Where a frame has the number of its run.
const RUN_AT: usize = 8;

impl Links {
    /// The number of the run, once this party has joined it; 0 inside of one process.
    pub(in crate::federate) fn run(&self) -> Option<u32> {
        self.run.as_ref().map_or(Some(0), Run::number)
    }

    /// The federation and the run that frames name.
    pub(super) fn number(&self) -> u64 {
        match &self.run {
            None => self.federation,
            Some(run) => self.plain_number() | u64::from(run.number().unwrap_or(0)) << 32,
        }
    }

    /// The same before a party has joined.
    pub(super) fn plain_number(&self) -> u64 {
        self.federation & u64::from(u32::MAX)
    }

    /// Whether a party would look at frames of this one.
    pub(super) fn reaches(&self, to: PartyId) -> bool {
        reaches(self.me, self.run.as_ref(), to)
    }

    /// Whether a frame is of this party's run; frames about runs are answered here.
    pub(super) fn is_of_run(
        &mut self,
        from: PartyId,
        header: &Header,
        body: &Body,
        about: Address,
        out: &mut Outbox,
    ) -> bool {
        let (number, plain) = (self.number(), self.plain_number());
        let Some(run) = &mut self.run else {
            return true;
        };
        match body {
            Body::Join(join) if self.me == PartyId::AGGREGATOR => {
                if join.terms != self.terms {
                    self.turn_away(from, Refusal::Stranger, about, out);
                    return false;
                }
                let is_new = !run.has(from);
                if !run.admit(from, Mark(join.mark), join.run) {
                    self.turn_away(from, Refusal::Run, about, out);
                    return false;
                }
                let run = run.number().unwrap_or(0);
                let join = Body::Join(Join { run, ..*join });
                let header = self.header(Address::new(from, 0, 0), Kind::Join);
                out.frames.push((from, encode(&header, &join)));
                // All that waits for it is sent once, however often it asks.
                if is_new {
                    self.joined.push(from);
                }
                false
            }
            Body::Join(join) => {
                let own = from == PartyId::AGGREGATOR && join.mark == run.mark.0;
                if own && !run.join(join.run) {
                    self.turn_away(from, Refusal::Run, about, out);
                } else if own {
                    // Frames that waited are of this run, too.
                    let bytes = join.run.to_le_bytes();
                    let place = RUN_AT..RUN_AT + 4;
                    self.outgoing
                        .change_all(|frame| frame[place.clone()].copy_from_slice(&bytes));
                }
                false
            }
            // The aggregator alone decides who joins.
            Body::Refuse(why @ (Refusal::Run | Refusal::Stranger))
                if header.federation == plain && from == PartyId::AGGREGATOR =>
            {
                out.notes.push(Note::RefusedBy(from, *why));
                false
            }
            Body::Refuse(_) if header.federation == plain => false,
            _ if header.federation == number && number != plain => true,
            _ => {
                if self.me == PartyId::AGGREGATOR {
                    self.turn_away(from, Refusal::Run, about, out);
                }
                false
            }
        }
    }

    /// Asks the aggregator to let this party join, or tells it which run it belongs to.
    pub(super) fn ask(&mut self, now: Time, out: &mut Outbox) {
        let Some(run) = &self.run else {
            return;
        };
        let join = Body::Join(Join {
            mark: run.mark.0,
            run: run.number().unwrap_or(0),
            terms: self.terms,
        });
        let header = self.header(Address::new(PartyId::AGGREGATOR, 0, 0), Kind::Join);
        self.asked = Some(now);
        out.frames
            .push((PartyId::AGGREGATOR, encode(&header, &join)));
    }
}

/// Whether a party would look at frames of `me`: the aggregator writes to those who have joined,
/// all others once they have joined themselves.
pub(super) fn reaches(me: PartyId, run: Option<&Run>, to: PartyId) -> bool {
    match run {
        Some(run) if me == PartyId::AGGREGATOR => run.has(to),
        Some(run) => run.number().is_some(),
        None => true,
    }
}
