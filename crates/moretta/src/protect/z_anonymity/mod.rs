//! Releases of each event the most specific attribute that enough people share, at once.
//!
//! A row (time, user, attribute) is released only if at least z distinct users
//! showed the attribute within the last window, the row's own user included. With
//! generalization the attribute climbs its hierarchy (a path such as
//! `shoes*boots*4711`, or any hierarchy of the policy) to the most specific label
//! with z users; when there is none, nothing is released. z is fixed, or tunes
//! itself so that a share of the users is alike in what they show.
//!
//! **Protects against** recognising a person by a rare event: whoever sees an
//! attribute in the release knows that z people showed it within the window. Rows
//! that come late or out of order are counted too low rather than too high, and names that
//! differ only in letter case, spaces, invisible characters or Unicode form are one person.
//! **Does not protect against** recognising a person by the combination of many
//! common events under one name; over a long stream most users have a set of
//! their own. Rotate pseudonyms (`rotate`), drop the subject, or hold back what
//! makes sets rare (`unique_sets = "hold"`: at each release k users of the window
//! showed all that was released of the user within it). Colluding users can fake a
//! crowd; `group` bounds how many of a group count. How far a stream has come is what
//! two users have reached, so one client with a fast clock makes nobody late; two of
//! them can, by at most `skew` where the stream is live. `fakes` give up that an
//! attribute in the release was shown by z people: some of them did not show it.
//! Fakes as published are recognised by their place and time, nearly all of them.
//! Hidden fakes withstand that, and the order, rhythm and repetition within a
//! burst. A recogniser that was trained on rows of which it was told which are made up
//! still tells most of them: the area under its curve is 0.86 to 0.88 on rows that it
//! has not seen, where 0.5 is blind. A fake must have shown the parent of the value, so
//! whoever has shown nothing visible before is nearly always real.
//!
//! **Costs** no delay, O(z) words a row and level, 8(z + 1) bytes a path at most for a
//! fixed z; 12 bytes and the gaps of a table for each (path, user) pair of the
//! window when z is tuned, and 12 bytes and 8 a level for each row of the window; with
//! `lateness`, 24 bytes and the gaps for each pair, and a look at the users seen later.
//! What leaves the window is forgotten. `mode = "exact"` delays rows until two users
//! have come `lateness` further.
//! With `unique_sets = "hold"`, 8 bytes for each label released for a user in the
//! window, and a look at no more than 4,096 users a label. Hidden fakes delay all rows
//! by `spread` and put those of one time in an order that is drawn; a waiting row
//! takes its texts and about 100 bytes, and 16 bytes a released row of the window.
//!
//! **From** Jha, Favale, Vassio, Trevisan and Mellia, z-anonymity: zero-delay
//! anonymization for data streams (2020); Bacconi (2021) for generalization, tuned
//! z and fake tuples. Differs from both: counted are paths, not names, and the
//! search for z looks at every z from the least on, since the share of users who
//! are alike may fall as z grows.

mod cell;
mod count;
mod draft;
mod engine;
mod guard;
mod hidden;
mod names;
mod pairs;
mod paths;
mod places;
mod reached;
mod read;
mod recency;
mod release;
mod sweep;
mod tally;
mod top;
mod tune;
mod users;
mod waiting;

pub use cell::Cell;
pub(crate) use reached::Reached;
pub use read::{Fakes, FakesOrder, Group};
pub use release::{MADE_UP, Stream};
pub use tally::Tally;
pub use tune::{Known, Search, Tune, Update};
pub(crate) use waiting::greatest_common_divisor;

/// z-anonymity with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct ZAnonymity {
    /// How many users must share an attribute; where z is tuned, the z to start with.
    pub z: u32,
    /// Milliseconds back that count.
    pub window: i64,
    /// Whether attributes may climb their hierarchies.
    pub generalize: bool,
    /// When rows are decided.
    pub mode: Mode,
    /// Milliseconds that a row may be behind what two users have reached and still be released.
    pub lateness: i64,
    /// Milliseconds that a row may be ahead of the clock.
    pub skew: i64,
    /// How many users must have the same set to be alike.
    pub k: u32,
    /// How z tunes itself.
    pub tune: Option<Tune>,
    /// How fake rows help a value over z.
    pub fakes: Option<Fakes>,
    /// Whether an item is held back that would make a user's released set too rare.
    pub hold_unique: bool,
    /// How many users of a group count.
    pub group: Option<Group>,
}

/// When rows are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// When they arrive.
    ZeroDelay,
    /// In the order of their times, once no row before them can come any more.
    Exact,
}

impl ZAnonymity {
    /// A fixed z, decided on arrival, with generalization and nothing else.
    pub fn fixed(z: u32, window: i64) -> Self {
        ZAnonymity {
            z,
            window,
            generalize: true,
            mode: Mode::ZeroDelay,
            lateness: 0,
            skew: 300_000,
            k: 2,
            tune: None,
            fakes: None,
            hold_unique: false,
            group: None,
        }
    }

    /// Milliseconds that rows of so many sources wait for others; none where they do not wait.
    pub(crate) fn waits(&self, sources: usize) -> Option<i64> {
        match self.mode {
            Mode::Exact => Some(self.lateness),
            Mode::ZeroDelay if sources > 1 => Some(0),
            Mode::ZeroDelay => None,
        }
    }

    /// How far a row may be behind what two users have reached when it is decided.
    pub(crate) fn allowed_lateness(&self) -> i64 {
        match self.mode {
            Mode::ZeroDelay => self.lateness,
            // Rows have been put in order before; what is still behind came too late.
            Mode::Exact => 0,
        }
    }

    /// The least z that can be in use.
    pub fn least_z(&self) -> u32 {
        match self.tune {
            None => self.z,
            // As published, it may fall to nothing.
            Some(tune) if tune.search == Search::Compat => 0,
            Some(tune) => tune.at_least,
        }
    }

    /// The z that the stream begins with.
    pub(crate) fn first_z(&self) -> u32 {
        self.z.max(self.least_z())
    }
}
