//! Which run of a federation this is, and who belongs to it.
//!
//! The secrets of a site are those of one run, so a party that was begun anew must not be taken
//! for the one that it replaces, and nobody may go on with a run of others. Every party draws a
//! [`Mark`] when it is begun, and keeps it over restarts. The run has its number from the mark of
//! the aggregator. A party asks to join before it says anything else; the aggregator takes one mark
//! of each party, and refuses any other, and whoever belongs to another run. Every other frame has
//! the number of its run, and one of another run is not looked at.
//!
//! **Does not protect against** an aggregator that tells one number for two runs: what a site sends
//! in them is masked under two secrets all the same.

use super::party::PartyId;
use super::state::{Reader, Writer};
use crate::error::Result;
use std::collections::BTreeMap;

/// What a party draws when it is begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(pub [u8; 16]);

impl Mark {
    /// The number of the run that an aggregator with this mark begins.
    fn run(self) -> u32 {
        let [a, b, c, d, ..] = self.0;
        u32::from_le_bytes([a, b, c, d]).max(1)
    }
}

/// The run as a party knows it.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) mark: Mark,
    number: Option<u32>,
    /// At the aggregator: who has joined.
    members: BTreeMap<PartyId, Mark>,
}

impl Run {
    pub(super) fn new(me: PartyId, mark: Mark) -> Self {
        Run {
            mark,
            number: (me == PartyId::AGGREGATOR).then(|| mark.run()),
            members: BTreeMap::new(),
        }
    }

    /// Its number, once this party has joined.
    pub(super) fn number(&self) -> Option<u32> {
        self.number
    }

    /// Joins a run; whether this party has not joined another one before.
    pub(super) fn join(&mut self, number: u32) -> bool {
        *self.number.get_or_insert(number) == number
    }

    /// Takes a party into the run; whether it belongs there.
    pub(super) fn admit(&mut self, party: PartyId, mark: Mark, run: u32) -> bool {
        let knows = run == 0 || self.number == Some(run);
        // A party that knows the run has joined it before, and is known by its mark.
        let fits = match self.members.get(&party) {
            Some(known) => *known == mark,
            None => run == 0,
        };
        if knows && fits {
            self.members.insert(party, mark);
        }
        knows && fits
    }

    /// Whether a party has joined.
    pub(super) fn has(&self, party: PartyId) -> bool {
        self.members.contains_key(&party)
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.u32(self.number.unwrap_or(0));
        out.size(self.members.len());
        for (party, mark) in &self.members {
            out.u16(party.0);
            out.raw(&mark.0);
        }
    }

    pub(super) fn load(&mut self, from: &mut Reader<'_>) -> Result<()> {
        let number = from.u32()?;
        self.number = (number > 0).then_some(number);
        for _ in 0..from.length()? {
            let party = PartyId(from.u16()?);
            self.members.insert(party, Mark(from.array()?));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mark_of_each_party_belongs_to_a_run() {
        let mut run = Run::new(PartyId::AGGREGATOR, Mark([1; 16]));
        let number = run.number().expect("its own");
        let mut check = |site, mark, run_of, expected| {
            let admitted = run.admit(PartyId(site), Mark([mark; 16]), run_of);
            assert_eq!(admitted, expected, "{site} {mark} {run_of}");
        };
        check(0, 5, number, false);
        check(0, 5, 0, true);
        check(0, 5, 0, true);
        check(0, 5, number, true);
        check(0, 6, 0, false);
        check(0, 5, number + 1, false);
        check(1, 6, number + 1, false);
        check(1, 6, 0, true);
    }

    #[test]
    fn a_party_joins_once() {
        let mut run = Run::new(PartyId(3), Mark([1; 16]));
        assert_eq!(run.number(), None);
        assert!(run.join(7) && run.join(7) && !run.join(8));
        assert_eq!(run.number(), Some(7));
    }
}
