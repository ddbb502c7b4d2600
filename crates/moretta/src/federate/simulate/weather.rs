//! What a simulated network does to frames and parties; all of it follows from a seed.

use crate::federate::{PartyId, Time};
use std::collections::BTreeMap;

/// What happens to frames on their way from one party to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The shortest delay in milliseconds.
    pub least: Time,
    /// The longest. Each frame has its own delay, so frames overtake each other.
    pub most: Time,
    /// The share of frames that are lost.
    pub loss: f64,
    /// The share of frames that come twice.
    pub repeats: f64,
}

impl Link {
    /// A link that takes a millisecond and loses nothing.
    pub const GOOD: Link = Link {
        least: 1,
        most: 1,
        loss: 0.0,
        repeats: 0.0,
    };
}

/// A time during which some parties reach each other, but no others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// When it begins.
    pub from: Time,
    /// When it ends.
    pub until: Time,
    /// The parties on one side.
    pub side: Vec<PartyId>,
}

/// A party that is killed and started again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kill {
    /// Who.
    pub party: PartyId,
    /// When.
    pub at: Time,
    /// For how long it is down; none for ever.
    pub down: Option<Time>,
}

/// All that happens.
#[derive(Clone, Debug, PartialEq)]
pub struct Weather {
    /// What chance begins with.
    pub seed: i64,
    /// Links that are not named.
    pub link: Link,
    /// Links, by sender and receiver.
    pub links: BTreeMap<(PartyId, PartyId), Link>,
    /// When parties do not reach each other.
    pub partitions: Vec<Partition>,
    /// Kills at given times.
    pub kills: Vec<Kill>,
    /// The share of events at which the party that they are for is killed.
    pub kill_share: f64,
    /// Events between two checkpoints of a party.
    pub checkpoint_every: u64,
    /// Milliseconds after which an unacknowledged frame is sent again.
    pub retry: Time,
    /// Milliseconds between two batches of live sources; none where rows wait until they are
    /// wanted.
    pub interval: Option<Time>,
    /// Milliseconds without progress after which the aggregator gives up in lockstep.
    pub stall: Option<Time>,
    /// When the simulation gives up.
    pub until: Time,
    /// Whether the run keeps all answers.
    pub keeps_answers: bool,
    /// Whether it goes on after the last answer until all parties know that it is over.
    pub to_the_end: bool,
}

impl Weather {
    /// Links that lose nothing, and no kills.
    pub fn good(seed: i64) -> Self {
        Weather {
            seed,
            link: Link::GOOD,
            links: BTreeMap::new(),
            partitions: Vec::new(),
            kills: Vec::new(),
            kill_share: 0.0,
            checkpoint_every: 100,
            retry: 50,
            interval: None,
            stall: None,
            until: Time::MAX,
            keeps_answers: true,
            to_the_end: false,
        }
    }

    /// Links that lose, repeat and overtake, and parties that are killed now and then.
    pub fn bad(seed: i64) -> Self {
        Weather {
            link: Link {
                least: 1,
                most: 30,
                loss: 0.1,
                repeats: 0.1,
            },
            kill_share: 0.003,
            ..Weather::good(seed)
        }
    }

    /// The link from one party to another.
    pub(super) fn link(&self, from: PartyId, to: PartyId) -> Link {
        self.links.get(&(from, to)).copied().unwrap_or(self.link)
    }

    /// Whether a partition lies between two parties.
    pub(super) fn separates(&self, from: PartyId, to: PartyId, now: Time) -> bool {
        self.partitions.iter().any(|partition| {
            let lasts = (partition.from..partition.until).contains(&now);
            lasts && partition.side.contains(&from) != partition.side.contains(&to)
        })
    }
}
