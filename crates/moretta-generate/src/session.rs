//! Sessions: what one user does in one go, and the worlds that they happen in.

use super::clock::Clock;
use super::random::Random;
use std::collections::VecDeque;
use std::fmt::Debug;

/// Who there is, what they can show and how a session goes. Users and paths are
/// numbers from 0 until they are written.
pub(super) trait World: Debug + Send + Sync {
    /// How many users there are.
    fn users(&self) -> u32;
    /// How many paths there are.
    fn paths(&self) -> u32;
    /// Shows at least one event.
    fn session(&self, session: &mut Session<'_>);
    /// Appends the name of a user; different users have different names.
    fn write_user(&self, user: u32, text: &mut String);
    /// Appends a path; different numbers have different paths.
    fn write_path(&self, path: u32, text: &mut String);
}

/// One row, before its names are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    /// Ticks of the clock since it began.
    pub(super) time: u32,
    pub(super) user: u32,
    pub(super) path: u32,
}

/// A user's visit while it goes on.
pub(super) struct Session<'a> {
    /// Everything that is left to chance.
    pub(super) random: &'a mut Random,
    /// Events by minute, from `minute` on.
    waiting: &'a mut VecDeque<Vec<Event>>,
    clock: Clock,
    minute: u32,
    time: u32,
    /// How many events there may be, and how many there were.
    most: usize,
    events: usize,
}

impl<'a> Session<'a> {
    /// Begins some time in `minute`, the first of those in `waiting`; `most` is above 0.
    pub(super) fn new(
        clock: Clock,
        minute: u32,
        most: usize,
        random: &'a mut Random,
        waiting: &'a mut VecDeque<Vec<Event>>,
    ) -> Self {
        let ticks = clock.ticks_of_a_minute();
        Session {
            time: minute * ticks + random.below(u64::from(ticks)) as u32,
            random,
            waiting,
            clock,
            minute,
            most,
            events: 0,
        }
    }

    /// How many events there were.
    pub(super) fn events(&self) -> usize {
        self.events
    }

    /// An event at this moment.
    pub(super) fn show(&mut self, user: u32, path: u32) {
        if self.is_over() {
            return;
        }
        let ahead = (self.time / self.clock.ticks_of_a_minute() - self.minute) as usize;
        if self.waiting.len() <= ahead {
            self.waiting.resize_with(ahead + 1, Vec::new);
        }
        let time = self.time;
        self.waiting[ahead].push(Event { time, user, path });
        self.events += 1;
    }

    /// Lets time pass, in seconds.
    pub(super) fn wait(&mut self, seconds: f64) {
        let ticks = seconds * f64::from(self.clock.ticks_of_a_second());
        self.time = self.time.saturating_add(ticks.round() as u32);
    }

    /// Whether one more follows, in a series of `mean` on average.
    pub(super) fn goes_on(&mut self, mean: f64) -> bool {
        !self.is_over() && self.random.chance(1.0 - 1.0 / mean)
    }

    /// No row is left to fill, or the stream has come to its end.
    fn is_over(&self) -> bool {
        let end = self.clock.minutes() * self.clock.ticks_of_a_minute();
        self.events == self.most || self.time >= end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: Clock = Clock {
        midnight: 0,
        hours: 1,
        day: [1; 24],
        milliseconds: false,
    };

    #[test]
    fn events_wait_in_the_minute_they_fall_into() {
        let (mut random, mut waiting) = (Random::new(1), VecDeque::new());
        let mut session = Session::new(CLOCK, 4, 9, &mut random, &mut waiting);
        for path in 0..3 {
            session.show(7, path);
            session.wait(60.0);
        }
        assert_eq!(session.events(), 3);
        for (ahead, events) in waiting.iter().enumerate() {
            assert_eq!(events.len(), 1);
            assert_eq!(events[0].time / 60, 4 + ahead as u32);
            assert_eq!((events[0].user, events[0].path), (7, ahead as u32));
        }
    }

    #[test]
    fn nothing_happens_after_the_last_row_or_the_last_minute() {
        for (minute, most, pause, expected) in [(0, 5, 1.0, 5), (59, 5, 60.0, 1)] {
            let (mut random, mut waiting) = (Random::new(1), VecDeque::new());
            let mut session = Session::new(CLOCK, minute, most, &mut random, &mut waiting);
            for _ in 0..10 {
                session.show(0, 0);
                session.wait(pause);
            }
            assert!(!session.goes_on(1e9));
            assert_eq!(session.events(), expected);
        }
    }

    #[test]
    fn a_series_is_as_long_as_it_should_be_on_average() {
        let (mut random, mut waiting) = (Random::new(5), VecDeque::new());
        let mut session = Session::new(CLOCK, 0, 1, &mut random, &mut waiting);
        let mut length = 0;
        for _ in 0..20_000 {
            length += 1;
            while session.goes_on(3.2) {
                length += 1;
            }
        }
        let mean = f64::from(length) / 20_000.0;
        assert!((mean - 3.2).abs() < 0.1, "{mean}");
    }
}
