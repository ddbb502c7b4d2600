//! The users of a label, counted by looking at every exposure in its window.
//!
//! Every exposure is kept with its time, not only each user's last one, so the
//! count is exact also when rows are out of order. It stops once there are
//! enough. Where groups are bounded, a user that showed the label in several groups
//! within the window counts for any of them: which row was its last one is not sure,
//! since that may have been ahead of the clock.

use crate::data::hierarchy::{Ladder, Rungs};
use foldhash::quality::RandomState;
use hashbrown::{HashMap, HashSet};
use std::collections::VecDeque;
use std::hash::BuildHasher;

/// Everything that was shown and can still count.
pub(super) struct Recount {
    window: i64,
    ladders: Vec<Ladder>,
    at_most: Option<u32>,
    /// For each column the exposures to each label, in the order of their times.
    labels: Vec<HashMap<String, VecDeque<Exposure>, RandomState>>,
    fingerprints: RandomState,
    entries: usize,
    kept: usize,
    rungs: Rungs,
}

/// Groups with a number of places each, in which users are seated, as many as can be.
struct Places {
    most: usize,
    /// The groups of each user.
    groups: Vec<Vec<u64>>,
    taken: HashMap<u64, Vec<usize>, RandomState>,
}

impl Places {
    /// Seats a user, if need be by moving others to another of their groups.
    fn seat(&mut self, user: usize, tried: &mut HashSet<u64, RandomState>) -> bool {
        for group in self.groups[user].clone() {
            if !tried.insert(group) {
                continue;
            }
            let taken = self.taken.entry(group).or_default();
            if taken.len() < self.most {
                taken.push(user);
                return true;
            }
            for place in 0..taken.len() {
                let other = self.taken[&group][place];
                if self.seat(other, tried) {
                    if let Some(taken) = self.taken.get_mut(&group) {
                        taken[place] = user;
                    }
                    return true;
                }
            }
        }
        false
    }
}

#[derive(Clone, Copy)]
struct Exposure {
    time: i64,
    user: u64,
    group: u64,
}

impl Recount {
    pub(super) fn new(window: i64, ladders: Vec<Ladder>, at_most: Option<u32>) -> Self {
        Recount {
            window,
            at_most,
            labels: vec![HashMap::default(); ladders.len()],
            ladders,
            fingerprints: RandomState::default(),
            entries: 0,
            kept: 0,
            rungs: Rungs::default(),
        }
    }

    /// Notes that a user of a group showed the value of a column, and all it generalises to.
    pub(super) fn expose(
        &mut self,
        time: i64,
        (user, group): (&str, Option<&str>),
        column: usize,
        value: &str,
    ) {
        let exposure = Exposure {
            time,
            user: self.fingerprints.hash_one(user),
            group: self.fingerprints.hash_one(group),
        };
        self.ladders[column].climb(value, &mut self.rungs);
        for label in self.rungs.iter() {
            let shown = self.labels[column].entry_ref(label).or_default();
            let place = shown.partition_point(|other| other.time <= time);
            shown.insert(place, exposure);
            self.entries += 1;
        }
    }

    /// How many rungs above the value of a column the label is, if it is one of its labels.
    pub(super) fn level(&mut self, column: usize, value: &str, label: &str) -> Option<usize> {
        self.ladders[column].climb(value, &mut self.rungs);
        self.rungs.iter().position(|rung| rung == label)
    }

    /// The label so many rungs above the value of a column, if there is one.
    pub(super) fn label(&mut self, column: usize, value: &str, level: usize) -> Option<&str> {
        self.ladders[column].climb(value, &mut self.rungs);
        (level < self.rungs.len()).then(|| self.rungs.get(level))
    }

    /// How many users showed the label within the window up to `time`; counts no
    /// further than `enough`.
    pub(super) fn count(&self, column: usize, label: &str, time: i64, enough: u64) -> u64 {
        let Some(shown) = self.labels[column].get(label) else {
            return 0;
        };
        let from = time.saturating_sub(self.window);
        let inside = shown.iter().rev();
        let inside = inside
            .skip_while(|exposure| exposure.time > time)
            .take_while(|exposure| exposure.time >= from);
        let Some(most) = self.at_most else {
            let mut users: HashSet<u64, RandomState> = HashSet::default();
            let mut fresh = inside.filter(|exposure| users.insert(exposure.user));
            return fresh.by_ref().take(enough as usize).count() as u64;
        };
        let mut groups: HashMap<u64, Vec<u64>, RandomState> = HashMap::default();
        for exposure in inside {
            let mine = groups.entry(exposure.user).or_default();
            if !mine.contains(&exposure.group) {
                mine.push(exposure.group);
            }
        }
        let mut places = Places {
            most: most as usize,
            groups: groups.into_values().collect(),
            taken: HashMap::default(),
        };
        let users = 0..places.groups.len();
        let seated = users.filter(|&user| places.seat(user, &mut HashSet::default()));
        seated.count() as u64
    }

    /// Forgets what was shown before a time, once that is about half of all.
    pub(super) fn forget(&mut self, before: i64) {
        if self.entries < 2 * self.kept + (1 << 16) {
            return;
        }
        for labels in &mut self.labels {
            labels.retain(|_, shown| {
                let gone = shown.partition_point(|exposure| exposure.time < before);
                shown.drain(..gone);
                !shown.is_empty()
            });
        }
        let lengths = self.labels.iter().flat_map(HashMap::values);
        self.kept = lengths.map(VecDeque::len).sum();
        self.entries = self.kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::hierarchy::{HierarchySpec, Texts};

    #[test]
    fn a_user_counts_by_any_of_its_exposures() {
        let ladder = HierarchySpec::Path("*".to_owned()).ladder("a", Texts::Category);
        let mut recount = Recount::new(10, vec![ladder.expect("a ladder")], Some(1));
        for (time, user, group, value) in [
            (5, "u", Some("g"), "a*b"),
            (20, "u", Some("g"), "a*b"),
            (7, "v", None, "a*c"),
            (9, "w", Some("g"), "a"),
        ] {
            recount.expose(time, (user, group), 0, value);
        }
        let cases = [
            ("a*b", 10, 1),
            ("a", 10, 2),
            ("a", 17, 2),
            ("a", 18, 1),
            ("a", 4, 0),
            ("b", 10, 0),
        ];
        for (label, time, expected) in cases {
            assert_eq!(recount.count(0, label, time, 9), expected, "{label} {time}");
        }
        let whole = HierarchySpec::Path("*".to_owned()).ladder("a", Texts::Category);
        let mut unbounded = Recount::new(10, vec![whole.expect("a ladder")], None);
        for user in ["u", "v", "u"] {
            unbounded.expose(5, (user, None), 0, "a");
        }
        assert_eq!(unbounded.count(0, "a", 10, 9), 2);
        assert_eq!(unbounded.count(0, "a", 10, 1), 1);
        assert_eq!(recount.level(0, "a*b", "a"), Some(1));
        assert_eq!(recount.level(0, "a*b", "b"), None);
        assert_eq!(recount.label(0, "a*b", 1), Some("a"));
        assert_eq!(recount.label(0, "a*b", 2), None);
    }
    #[test]
    fn a_user_of_several_groups_counts_for_the_one_that_has_a_place() {
        let mut recount = Recount::new(10, vec![Ladder::flat()], Some(1));
        for (user, group) in [("u", "g"), ("u", "h"), ("v", "g"), ("v", "i"), ("w", "g")] {
            recount.expose(5, (user, Some(group)), 0, "a");
        }
        assert_eq!(recount.count(0, "a", 9, 9), 3);
        recount.expose(6, ("x", Some("i")), 0, "a");
        assert_eq!(recount.count(0, "a", 9, 9), 3);
        recount.expose(6, ("x", Some("j")), 0, "a");
        assert_eq!(recount.count(0, "a", 9, 9), 4);
    }
}
