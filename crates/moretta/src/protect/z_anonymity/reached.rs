//! How far a stream has come: the latest time that two users have reached.
//!
//! Were it the latest time of all rows, one client with a fast clock could make
//! everybody else late. So it is the second latest of the users' latest times:
//! one user alone moves nothing, wherever its clock is, and at most one user is
//! ahead at any time. It never goes back, and it depends on the rows alone, so a
//! restart finds it again.

/// The latest time that two users have reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reached {
    time: i64,
    leader: Option<Leader>,
}

/// The user whose latest time is the latest of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Leader {
    user: u64,
    time: i64,
    /// The last row of another user had an earlier time, so it is ahead of the stream, not
    /// its head. The last one, and not any since it leads: a restart sees no others.
    is_ahead: bool,
}

impl Reached {
    /// Two users had reached this time. Who leads need not be known: once two users have
    /// come further than all rows before, it is found again.
    pub(crate) fn at(time: i64) -> Self {
        Reached { time, leader: None }
    }

    /// Takes the time of a row of this user.
    #[inline]
    pub(crate) fn see(&mut self, user: u64, time: i64) {
        match &mut self.leader {
            Some(leader) if leader.user == user => leader.time = leader.time.max(time),
            Some(leader) if leader.time >= time => {
                leader.is_ahead = leader.time > time;
                self.time = self.time.max(time);
            }
            before => {
                self.time = before.map_or(self.time, |before| before.time.max(self.time));
                self.leader = Some(Leader {
                    user,
                    time,
                    is_ahead: false,
                });
            }
        }
    }

    /// The latest time that two users have reached; `i64::MIN` before a second one came.
    #[inline]
    pub(crate) fn time(&self) -> i64 {
        self.time
    }

    /// The latest time of all.
    pub(crate) fn latest(&self) -> i64 {
        self.leader.map_or(self.time, |leader| leader.time)
    }

    /// The user whose latest time is the latest of all.
    pub(super) fn leader(&self) -> Option<u64> {
        self.leader.map(|leader| leader.user)
    }

    /// The user who has reached a later time than this, if it is another one.
    #[inline]
    pub(super) fn ahead_of(&self, user: u64, time: i64) -> Option<u64> {
        let leader = self.leader?;
        (leader.time > time && leader.user != user).then_some(leader.user)
    }

    /// Whether a row of this user and time is ahead of the stream.
    #[inline]
    pub(super) fn is_ahead(&self, user: u64, time: i64) -> bool {
        let leads = |leader: Leader| leader.is_ahead && leader.user == user;
        time > self.time && self.leader.is_some_and(leads)
    }

    /// Gives the users new numbers; the one who leads must have one.
    pub(super) fn renumber(&mut self, users: &[u32]) {
        if let Some(leader) = &mut self.leader {
            leader.user = u64::from(users[leader.user as usize]);
        }
    }
}

impl Default for Reached {
    fn default() -> Self {
        Reached::at(i64::MIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn of(start: Reached, rows: &[(u64, i64)]) -> Reached {
        rows.iter().fold(start, |mut reached, &(user, time)| {
            reached.see(user, time);
            reached
        })
    }

    /// The user who leads had an earlier row behind it once, long before the restart.
    #[test]
    fn what_was_ahead_long_ago_is_not_needed_to_go_on() {
        let rows = [(0, 10), (1, 9), (0, 50), (1, 50), (0, 51)];
        let whole = of(Reached::default(), &rows);
        let again = of(Reached::at(9), &rows[2..]);
        assert_eq!(whole, again);
    }

    proptest! {
        #[test]
        fn a_restart_finds_it_again_once_two_users_have_passed_all_rows_before(
            rows in proptest::collection::vec((0..4_u64, 0..30_i64), 1..40),
            place in 0..40_usize,
        ) {
            let (before, after) = rows.split_at(place.min(rows.len()));
            let start = of(Reached::default(), before);
            let whole = of(start, after);
            let last = before.iter().map(|&(_, time)| time).max().unwrap_or(i64::MIN);
            if whole.time() > last {
                prop_assert_eq!(of(Reached::at(start.time()), after), whole);
            }
        }

        #[test]
        fn it_is_the_second_latest_of_the_users_latest_times(
            rows in proptest::collection::vec((0..5_u64, 0..40_i64), 1..60),
        ) {
            let mut reached = Reached::default();
            let mut latest: BTreeMap<u64, i64> = BTreeMap::new();
            for (user, time) in rows {
                reached.see(user, time);
                let last = latest.entry(user).or_insert(time);
                *last = time.max(*last);
                let mut times: Vec<i64> = latest.values().copied().collect();
                times.sort_unstable();
                prop_assert_eq!(reached.latest(), times[times.len() - 1]);
                let second = times.len().checked_sub(2).map_or(i64::MIN, |place| times[place]);
                prop_assert_eq!(reached.time(), second);
                // Nobody but the leader is ahead of a row that is not late.
                if time >= second {
                    let later = latest.iter().filter(|&(&other, &last)| other != user && last > time);
                    let later: Vec<u64> = later.map(|(&other, _)| other).collect();
                    let ahead: Vec<u64> = reached.ahead_of(user, time).into_iter().collect();
                    prop_assert_eq!(ahead, later);
                }
            }
        }
    }
}
