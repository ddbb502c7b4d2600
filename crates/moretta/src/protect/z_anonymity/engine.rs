//! Row by row: what of each attribute may be released.

use super::count::{Counts, Event, Expiry, Shards};
use super::guard::Guard;
use super::hidden::{Burst, Companions, Fake};
use super::names::{GONE, Names};
use super::pairs::Pairs;
use super::paths::{Paths, UNKNOWN};
use super::reached::Reached;
use super::recency::Recency;
use super::top::TopZ;
use super::tune::{Update, Window};
use super::users::{Users, hash_of};
use super::{Known, Mode, ZAnonymity};
use crate::data::hierarchy::Ladder;

/// What becomes of one attribute of one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) fate: Fate,
    /// The released path; that of the value when nothing is released.
    pub(super) path: u32,
    /// How many rungs above the value it is.
    pub(super) level: u16,
    /// How many users share it.
    pub(super) counter: u32,
    /// How many were needed.
    pub(super) z: u32,
}

/// Whether an attribute is released, and if not, why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Released,
    /// Released together with so many made-up rows.
    Faked(u32),
    Rare,
    Late,
    Unknown,
    /// It would make the user's released set too rare.
    Telling,
}

/// An attribute of a row before it is decided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute {
    /// Milliseconds.
    pub(super) time: i64,
    pub(super) user: u32,
    pub(super) group: u32,
    pub(super) leaf: u32,
    /// It came too late to be released, whatever its time.
    pub(super) late: bool,
}

/// Everything that is remembered of the stream.
pub(super) struct Engine {
    config: ZAnonymity,
    pub(super) paths: Paths,
    pub(super) users: Users,
    pub(super) groups: Names,
    state: State,
    guard: Option<Guard>,
    /// The time that is 0 for the state.
    base: Option<i64>,
    newest: i64,
    reached: Reached,
    first: Option<i64>,
    pub(super) z: u32,
    window: Window,
    last_update: Option<i64>,
    /// The choices of z, also those that were made before a restart and are to be made again.
    pub(super) updates: Vec<Update>,
    /// How many of them have been made.
    chosen: usize,
    /// Rows come that were decided before a restart, with choices of z that are known.
    is_catching_up: bool,
    /// Made-up rows in the order of the verdicts that ask for them; where they are
    /// hidden, others are drawn in their places later.
    pub(super) fakes: Vec<Fake>,
    /// Made-up rows that are hidden and have been drawn.
    pub(super) drawn: Vec<Fake>,
    /// How many verdicts have asked for made-up rows.
    bursts: u64,
    /// Who they are when they are hidden.
    companions: Option<Companions>,
    /// When each user was last seen.
    seen: Vec<u32>,
    shards: u8,
    events: Vec<Event>,
    counters: Vec<u32>,
    /// How many names there were when the forgotten ones were last cleared away.
    cleared: usize,
}

enum State {
    Counts(Shards),
    Recency(Recency),
}

impl Engine {
    pub(super) fn new(config: &ZAnonymity, ladders: Vec<Ladder>, shards: u8) -> Self {
        let named = config.fakes.is_some() || config.hold_unique || config.group.is_some();
        let reordered = config.mode == Mode::ZeroDelay && config.lateness > 0;
        let counts = match &config.tune {
            None => Counts::Top(TopZ::new(config.z)),
            Some(_) => Counts::Pairs(Pairs::default(), Expiry::default()),
        };
        let state = match named || reordered {
            true => State::Recency(Recency::new(config.group.as_ref().map(|g| g.at_most))),
            false => State::Counts(Shards::new(&counts, usize::from(shards))),
        };
        Engine {
            config: config.clone(),
            paths: Paths::new(ladders),
            users: Users::new(config.fakes.is_some()),
            groups: Names::default(),
            state,
            guard: config
                .hold_unique
                .then(|| Guard::new(config.k, config.window, config.allowed_lateness())),
            base: None,
            newest: i64::MIN,
            reached: Reached::default(),
            first: None,
            z: config.first_z(),
            window: Window::default(),
            last_update: None,
            updates: Vec::new(),
            chosen: 0,
            is_catching_up: false,
            fakes: Vec::new(),
            drawn: Vec::new(),
            bursts: 0,
            companions: None,
            seen: Vec::new(),
            shards: shards.max(1),
            events: Vec::new(),
            counters: Vec::new(),
            cleared: 0,
        }
    }

    /// Draws the users of made-up rows so that they cannot be told.
    pub(super) fn hide_fakes(&mut self, companions: Companions) {
        self.companions = Some(companions);
    }

    /// Where a user is counted: by name, so that it stays there under any number.
    pub(super) fn shard_of(&self, name: &str) -> u8 {
        match self.shards {
            1 => 0,
            shards => (hash_of(name) % u64::from(shards)) as u8,
        }
    }

    /// Decides attributes in the order of the stream.
    pub(super) fn decide(
        &mut self,
        attributes: &[Attribute],
        shard_of: impl Fn(usize) -> u8,
        verdicts: &mut Vec<Verdict>,
    ) {
        self.seen.resize(self.users.len(), 0);
        let mut start = 0;
        while start < attributes.len() {
            let end =
                self.take_events(&attributes[start..], |place| shard_of(start + place)) + start;
            self.decide_events(&attributes[start..end], verdicts);
            start = end;
        }
    }

    /// Turns attributes into events up to where the times no longer fit.
    fn take_events(&mut self, attributes: &[Attribute], shard_of: impl Fn(usize) -> u8) -> usize {
        self.events.clear();
        let lateness = self.config.allowed_lateness();
        for (place, &Attribute { time, user, .. }) in attributes.iter().enumerate() {
            let mut reached = self.reached;
            reached.see(u64::from(user), time);
            let too_far = self.is_too_far(&reached, time);
            if !too_far && !self.fits(&reached, time) {
                if place > 0 {
                    return place;
                }
                self.rebase(match reached.time() {
                    i64::MIN => time,
                    reached => reached,
                });
            }
            self.reached = reached;
            self.first.get_or_insert(time);
            self.newest = self.newest.max(time);
            // What cannot be told beside the times of the others counts for nothing.
            let relative = match too_far {
                true => 0,
                false => self.relative(time),
            };
            let seen = &mut self.seen[user as usize];
            *seen = relative.max(*seen);
            let leader = reached.ahead_of(u64::from(user), time);
            self.events.push(Event {
                time: relative,
                user,
                leaf: attributes[place].leaf,
                group: attributes[place].group,
                shard: shard_of(place),
                late: attributes[place].late
                    || too_far
                    || time < reached.time().saturating_sub(lateness),
                reached: self.relative(reached.time()),
                leader: leader.map_or(GONE, |leader| leader as u32),
                is_ahead: reached.is_ahead(u64::from(user), time),
            });
        }
        attributes.len()
    }

    fn decide_events(&mut self, attributes: &[Attribute], verdicts: &mut Vec<Verdict>) {
        let window = self.config.window as u32;
        let mut events = std::mem::take(&mut self.events);
        let mut counters = std::mem::take(&mut self.counters);
        if let State::Counts(shards) = &mut self.state {
            // A value that its hierarchy does not know is no path and counts for none.
            let known: Vec<Event>;
            let counted: &[Event] = match events.iter().any(|event| event.leaf == UNKNOWN) {
                false => &events,
                true => {
                    known = events
                        .iter()
                        .copied()
                        .filter(|e| e.leaf != UNKNOWN)
                        .collect();
                    &known
                }
            };
            shards.run(counted, &self.paths, window, &mut counters);
            let mut place = 0;
            for (event, attribute) in events.iter().zip(attributes) {
                self.tune(event, attribute.time);
                let depth = match event.leaf {
                    UNKNOWN => 0,
                    leaf => self.paths.depth(leaf),
                };
                let verdict = self.choose(event, &counters[place..place + depth]);
                place += depth;
                verdicts.push(verdict);
            }
        } else {
            for (event, attribute) in events.iter().zip(attributes) {
                self.tune(event, attribute.time);
                self.draw_fakes(Some(self.absolute(event.reached)));
                self.count_one(event, &mut counters);
                let verdict = self.choose(event, &counters);
                if let (Some(companions), true) = (&mut self.companions, verdict.is_released()) {
                    companions.note(event.user, attribute.time, verdict.path);
                }
                verdicts.push(verdict);
            }
        }
        events.clear();
        (self.events, self.counters) = (events, counters);
    }

    /// Notes one event in the lists of users and counts it.
    fn count_one(&mut self, event: &Event, counters: &mut Vec<u32>) {
        counters.clear();
        let State::Recency(recency) = &mut self.state else {
            return;
        };
        if event.leaf == UNKNOWN {
            return;
        }
        recency.grow(self.paths.len());
        let from = event.time.saturating_sub(self.config.window as u32).max(1);
        let horizon = self.config.window + self.config.allowed_lateness();
        // A fixed z need not be counted beyond, and what is kept for rows that are behind costs no time.
        let enough = (self.config.tune.is_none() && self.config.group.is_none()).then_some(self.z);
        for path in self.paths.up(event.leaf) {
            recency.clear(path, event.reached.saturating_sub(horizon as u32));
            if event.time > 0 {
                recency.observe(path, event.user, event.group, event.time);
            }
            counters.push(match (event.late, enough) {
                (true, _) => 0,
                (false, None) => recency.count(path, from, event.time),
                (false, Some(z)) => recency.count_up_to(path, from, event.time, z),
            });
        }
    }

    /// The most specific path with enough users.
    #[inline]
    fn choose(&mut self, event: &Event, counters: &[u32]) -> Verdict {
        let z = self.z;
        let verdict = |fate| Verdict {
            fate,
            path: event.leaf,
            level: 0,
            counter: 0,
            z,
        };
        if event.leaf == UNKNOWN {
            return verdict(Fate::Unknown);
        }
        if event.late {
            return verdict(Fate::Late);
        }
        if self.config.tune.is_some() {
            self.remember(event, counters);
        }
        if let Some(fakes) = self.fakes_for(event, counters[0]) {
            return Verdict {
                counter: counters[0],
                ..verdict(Fate::Faked(fakes))
            };
        }
        let mut path = event.leaf;
        let rungs = self.rungs(counters);
        let mut fate = Fate::Rare;
        for (level, &counter) in counters[..rungs].iter().enumerate() {
            if counter >= z {
                fate = Fate::Telling;
            }
            if counter >= z && self.passes(event, path) {
                return Verdict {
                    path,
                    level: level as u16,
                    counter,
                    ..verdict(Fate::Released)
                };
            }
            path = self.paths.parent(path);
        }
        verdict(fate)
    }

    /// Whether the guard lets the path be released; it remembers that it is.
    #[inline]
    fn passes(&mut self, event: &Event, path: u32) -> bool {
        let (Some(guard), State::Recency(recency)) = (&mut self.guard, &mut self.state) else {
            return true;
        };
        let passes = guard.allows(event, path, recency);
        if passes {
            guard.note(event, path);
        }
        passes
    }

    /// Draws the made-up rows of earlier rows that can be drawn at `now`, of all
    /// rows when there is none.
    pub(super) fn draw_fakes(&mut self, now: Option<i64>) {
        while let Some(companions) = &mut self.companions
            && let State::Recency(recency) = &self.state
            && let Some((burst, reserve)) = companions.due(now)
        {
            let base = self.base.unwrap_or(0);
            let from = burst
                .time
                .saturating_sub(self.config.window)
                .saturating_sub(base)
                .clamp(1, i64::from(u32::MAX));
            let names = (self.paths.label(burst.leaf), self.users.name(burst.user));
            let (before, time) = (self.drawn.len(), burst.time.saturating_sub(base));
            let known = (burst, reserve);
            companions.draw(known, names, from as u32, recency, &mut self.drawn);
            for fake in &self.drawn[before..] {
                // A companion must be known as long as it may be needed again.
                let seen = &mut self.seen[fake.user as usize];
                *seen = (time.max(0) as u32).max(*seen);
            }
        }
    }

    /// How many of the paths may be released, from the leaf up.
    fn rungs(&self, counters: &[u32]) -> usize {
        match self.config.generalize {
            true => counters.len(),
            false => 1,
        }
    }

    /// Keeps the counters of a row for the next choice of z.
    fn remember(&mut self, event: &Event, counters: &[u32]) {
        let counters = &counters[..self.rungs(counters)];
        let paths = self.paths.up(event.leaf).zip(counters.iter().copied());
        self.window.push(event.time, event.user, paths);
    }

    /// Finds users for made-up rows when the value lacks few enough; gives their number.
    fn fakes_for(&mut self, event: &Event, counter: u32) -> Option<u32> {
        let (top, bottom) = self.config.fakes.as_ref()?.at_most;
        let State::Recency(recency) = &self.state else {
            return None;
        };
        let needed = self.z.checked_sub(counter).filter(|&needed| needed > 0)?;
        let parent = self.paths.parent(event.leaf);
        if parent == GONE
            || u64::from(needed) * u64::from(bottom) > u64::from(self.z) * u64::from(top)
        {
            return None;
        }
        let burst = Burst {
            number: self.bursts,
            time: self.absolute(event.time),
            user: event.user,
            leaf: event.leaf,
            parent,
            needed: needed as usize,
        };
        let from = event.time.saturating_sub(self.config.window as u32).max(1);
        let latest = burst.latest(from, recency)?;
        self.bursts += 1;
        let before = self.fakes.len();
        self.fakes.extend_from_slice(&latest);
        if let Some(companions) = &mut self.companions {
            companions.add(burst, latest);
            for fake in &self.fakes[before..] {
                // They must be known until they may be needed.
                let seen = &mut self.seen[fake.user as usize];
                *seen = event.time.max(*seen);
            }
        }
        Some(needed)
    }

    /// Chooses z anew when it is time, before the row of this time is decided; it is
    /// never time for a row that is ahead of the stream.
    fn tune(&mut self, event: &Event, time: i64) {
        let Some(tune) = self.config.tune.filter(|_| !event.is_ahead) else {
            return;
        };
        // The row that a choice was made before is the first one of its time or later.
        while let Some(update) = self.updates.get(self.chosen) {
            if update.time > time {
                return;
            }
            self.z = update.z;
            self.last_update = Some(update.time);
            self.chosen += 1;
        }
        if self.is_catching_up {
            return;
        }
        let warm = time.saturating_sub(self.first.unwrap_or(time)) >= self.config.window;
        let due = self
            .last_update
            .is_none_or(|last| time.saturating_sub(last) >= tune.every);
        if !(warm && due) {
            return;
        }
        self.last_update = Some(time);
        let from = self.relative(time.saturating_sub(self.config.window));
        self.window.forget(from);
        let (z, p, found) = tune.search.choose(&tune, self.z, &mut self.window);
        self.z = z;
        self.updates.push(Update { time, z, p, found });
        self.chosen += 1;
    }

    /// Goes on after a restart: the rows that come next were decided before.
    pub(super) fn resume(&mut self, known: &Known, updates: &[Update]) {
        self.first = known.first;
        self.newest = known.newest.unwrap_or(i64::MIN);
        self.reached = known.reached.map_or_else(Reached::default, Reached::at);
        self.updates = updates.to_vec();
        self.chosen = known.choices.min(updates.len());
        self.is_catching_up = true;
        if let Some(last) = self.updates[..self.chosen].last() {
            self.z = last.z;
            self.last_update = Some(last.time);
        }
    }

    /// All rows that were decided before a restart have come. Where the first of them are
    /// ahead of the stream is not known again, so a choice may not have been made by them.
    pub(super) fn caught_up(&mut self) {
        self.is_catching_up = false;
        self.chosen = self.updates.len();
        if let Some(last) = self.updates.last() {
            self.z = last.z;
            self.last_update = Some(last.time);
        }
    }

    /// What is known besides the rows themselves.
    pub(super) fn known(&self) -> Known {
        Known {
            first: self.first,
            newest: (self.newest > i64::MIN).then_some(self.newest),
            reached: Some(self.reached.time()).filter(|&time| time > i64::MIN),
            choices: self.chosen,
            tick: None,
        }
    }

    /// The time of the first row and of the latest.
    pub(super) fn span(&self) -> Option<(i64, i64)> {
        self.first
            .filter(|_| self.newest > i64::MIN)
            .map(|first| (first, self.newest))
    }

    /// The latest time that two users have reached.
    pub(super) fn reached(&self) -> i64 {
        self.reached.time()
    }

    /// Milliseconds of the stream that may still matter.
    fn horizon(&self) -> i64 {
        self.config.window + self.config.allowed_lateness()
    }

    fn relative(&self, time: i64) -> u32 {
        let base = self.base.unwrap_or(time);
        time.saturating_sub(base).clamp(0, i64::from(u32::MAX)) as u32
    }

    fn absolute(&self, time: u32) -> i64 {
        self.base.unwrap_or(0).saturating_add(i64::from(time))
    }

    /// Whether a time can be told from the base on, and the stream is not before it.
    fn fits(&self, reached: &Reached, time: i64) -> bool {
        let is_before = |base: i64| reached.time() > i64::MIN && reached.time() <= base;
        self.base
            .is_some_and(|base| time.saturating_sub(base) < i64::from(u32::MAX) && !is_before(base))
    }

    /// Whether a row is so many days ahead of all others that its time cannot be told
    /// beside theirs. Half of what could be told is left to them, or the base would have
    /// to be moved for every such row.
    fn is_too_far(&self, reached: &Reached, time: i64) -> bool {
        let most = (i64::from(u32::MAX) - self.horizon()) / 2;
        reached.time() > i64::MIN && time.saturating_sub(reached.time()) > most
    }

    /// Moves the base so that what matters at `time` fits, and what comes days before or after.
    fn rebase(&mut self, time: i64) {
        let days = (i64::from(u32::MAX) - self.horizon()) / 4;
        let base = time.saturating_sub(self.horizon() + 1 + days);
        if let Some(old) = self.base.replace(base) {
            // Before an earlier base everything is forgotten.
            let shift = u32::try_from(base.saturating_sub(old)).unwrap_or(u32::MAX);
            self.window.shift(shift);
            if let Some(guard) = &mut self.guard {
                guard.shift(shift);
            }
            for seen in &mut self.seen {
                *seen = seen.saturating_sub(shift);
            }
            match &mut self.state {
                State::Counts(shards) => shards.shift(shift),
                State::Recency(recency) => recency.shift(shift),
            }
        }
    }

    /// Forgets users and paths that left the window, once there are many of them.
    pub(super) fn clear(&mut self) {
        let names = self.users.len() + self.paths.len();
        if names < 2 * self.cleared + (1 << 16) {
            return;
        }
        self.seen.resize(self.users.len(), 0);
        let reached = self.reached.time();
        let cutoff = self.relative(reached.saturating_sub(self.horizon())).max(1);
        self.window.forget(cutoff);
        if let State::Counts(shards) = &mut self.state {
            shards.bring_back(cutoff, &self.paths);
        }
        // Rows without a subject bring paths that nobody has shown.
        match &mut self.state {
            State::Counts(shards) => shards.grow(self.paths.len()),
            State::Recency(recency) => recency.grow(self.paths.len()),
        }
        let state = &self.state;
        let paths = self.paths.retain(|path| match state {
            State::Counts(shards) => shards.is_live(path, cutoff),
            State::Recency(recency) => recency.latest(path) >= cutoff,
        });
        let seen = &self.seen;
        let leader = self.reached.leader();
        let users = self
            .users
            .retain(|user| seen[user as usize] >= cutoff || leader == Some(u64::from(user)));
        let mut place = 0;
        self.seen.retain(|_| {
            place += 1;
            users[place - 1] != GONE
        });
        let groups = match &self.state {
            State::Counts(_) => Vec::new(),
            State::Recency(recency) => {
                let live = recency.live_groups(self.groups.len());
                self.groups.retain(|group| live[group as usize])
            }
        };
        match &mut self.state {
            State::Counts(shards) => shards.renumber(&paths, &users),
            State::Recency(recency) => recency.renumber(&paths, &users, &groups),
        }
        self.window.renumber(&paths, &users);
        if let Some(guard) = &mut self.guard {
            guard.renumber(&paths, &users);
        }
        if let Some(companions) = &mut self.companions {
            companions.renumber(&paths, &users);
        }
        self.reached.renumber(&users);
        self.cleared = self.users.len() + self.paths.len();
    }

    /// How many (path, user) pairs are live, and the bytes of their table.
    pub(super) fn pairs(&self) -> Option<(usize, usize)> {
        match &self.state {
            State::Counts(shards) => shards.pairs(),
            State::Recency(_) => None,
        }
    }

    /// Bytes held, without the texts.
    pub(super) fn memory(&self) -> usize {
        let state = match &self.state {
            State::Counts(shards) => shards.memory(),
            State::Recency(recency) => recency.memory(),
        };
        state
            + self.paths.overhead()
            + self.users.overhead()
            + self.groups.overhead()
            + self.window.memory()
            + self.guard.as_ref().map_or(0, Guard::memory)
            + self.companions.as_ref().map_or(0, Companions::memory)
            + self.seen.capacity() * size_of::<u32>()
    }

    /// Bytes of the texts of users and paths.
    pub(super) fn text_bytes(&self) -> usize {
        self.users.text_bytes() + self.paths.text_bytes() + self.groups.text_bytes()
    }
}
