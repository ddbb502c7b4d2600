//! Holds back what would leave a user's released labels to fewer than k users.
//!
//! Before a label is released for a user at time t, take all labels released for
//! the user since t − window, and the new one. At least k users, this one among
//! them, must have shown every one of them within [t − window, t]; otherwise the
//! next more general label is tried, and when none passes, nothing is released.
//!
//! **Protects against** recognising a user of the window by the combination of
//! what was released of it: at each release the combination fits k users.
//! **Does not protect against** combinations over more than a window, nor promise
//! that k users have *equal* released sets: without delay that cannot be a rule,
//! since the first to show anything is always alone. The share of users with equal
//! sets, p_k, stays a measured statistic. Rows out of order count too few.
//!
//! **Costs** 8 bytes for each label released for a user within the window, and a
//! look-up for each of the user's labels and each user of the rarest of them. No
//! more than [`LOOKED_AT`] users are looked at; if k are not found among them, the
//! label is held back.

use super::count::Event;
use super::names::GONE;
use super::recency::Recency;

/// How many users are looked at before a label is held back.
const LOOKED_AT: usize = 4096;

/// What was released of each user, and for how many it must fit.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    k: u32,
    window: u32,
    /// How long a release may matter to a row that comes late.
    kept: u32,
    /// For each user the paths that were released and when each last was.
    released: Vec<Vec<(u32, u32)>>,
    /// The paths in question, the rarest first.
    rarest: Vec<(u32, u32)>,
}

impl Guard {
    /// Times are in milliseconds.
    pub(super) fn new(k: u32, window: i64, lateness: i64) -> Self {
        Guard {
            k,
            window: window as u32,
            kept: (window + lateness) as u32,
            released: Vec::new(),
            rarest: Vec::new(),
        }
    }

    /// Whether enough users showed all that is released of this one and `path` too.
    pub(super) fn allows(&mut self, event: &Event, path: u32, recency: &mut Recency) -> bool {
        let from = event.time.saturating_sub(self.window).max(1);
        self.rarest.clear();
        let before = self.released.get(event.user as usize).into_iter().flatten();
        let before = before.filter(|&&(_, time)| time >= from);
        for path in before.map(|&(path, _)| path).chain([path]) {
            recency.clear(path, event.reached.saturating_sub(self.kept).max(1));
            self.rarest.push((recency.len(path), path));
        }
        self.rarest.sort_unstable();
        self.rarest.dedup();
        self.rarest[0].0 >= self.k && self.fits_enough(from, event.time, recency)
    }

    /// Whether k users showed every path in question between `from` and `to`.
    fn fits_enough(&self, from: u32, to: u32, recency: &Recency) -> bool {
        let (_, rarest) = self.rarest[0];
        let shown = |path: u32, user: u32| {
            let last = recency.last(path, user);
            last.is_some_and(|last| (from..=to).contains(&last))
        };
        let mut groups = Vec::new();
        let mut found = 0;
        let users = recency.users(rarest).take_while(|&(_, last)| last >= from);
        for (user, last) in users.take(LOOKED_AT) {
            let fits = last <= to && self.rarest[1..].iter().all(|&(_, path)| shown(path, user));
            if fits && recency.counts_beside(&mut groups, rarest, user) {
                found += 1;
                if found >= self.k {
                    return true;
                }
            }
        }
        false
    }

    /// Remembers that `path` is released for the user of the event.
    pub(super) fn note(&mut self, event: &Event, path: u32) {
        let user = event.user as usize;
        if user >= self.released.len() {
            self.released.resize_with(user + 1, Vec::new);
        }
        let released = &mut self.released[user];
        let expired = event.time.saturating_sub(self.kept);
        released.retain(|&(_, time)| time >= expired);
        match released.iter_mut().find(|(other, _)| *other == path) {
            Some((_, time)) => *time = event.time.max(*time),
            None => released.push((path, event.time)),
        }
    }

    /// Makes all times earlier by `shift`.
    pub(super) fn shift(&mut self, shift: u32) {
        for (_, time) in self.released.iter_mut().flatten() {
            *time = time.saturating_sub(shift);
        }
    }

    /// Gives paths and users new numbers; those without one are forgotten.
    pub(super) fn renumber(&mut self, paths: &[u32], users: &[u32]) {
        let old = std::mem::take(&mut self.released);
        for (mut released, &user) in old.into_iter().zip(users) {
            released.retain_mut(|(path, _)| {
                *path = paths[*path as usize];
                *path != GONE
            });
            // Users that are kept stay in their order, so each comes behind those before it.
            if user != GONE {
                self.released.resize_with(user as usize, Vec::new);
                self.released.push(released);
            }
        }
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        let lists = self.released.iter().map(Vec::capacity).sum::<usize>();
        self.released.capacity() * size_of::<Vec<(u32, u32)>>() + lists * size_of::<(u32, u32)>()
    }
}

#[cfg(test)]
mod tests {
    use super::super::engine::{Attribute, Engine, Fate, Verdict};
    use super::super::{Mode, ZAnonymity};
    use super::*;
    use crate::data::hierarchy::{HierarchySpec, Texts};
    use proptest::prelude::*;
    use std::collections::HashSet;

    /// Time, user and value; user u is of group u % 3.
    type Row = (i64, u32, String);

    fn config(z: u32, k: u32, window: i64) -> ZAnonymity {
        ZAnonymity {
            z,
            window,
            generalize: true,
            mode: Mode::ZeroDelay,
            lateness: 0,
            skew: 0,
            k,
            tune: None,
            fakes: None,
            hold_unique: true,
            group: None,
        }
    }

    fn engine(config: &ZAnonymity) -> Engine {
        let ladder = HierarchySpec::Path("*".to_owned())
            .ladder("attribute", Texts::Category)
            .expect("a ladder");
        Engine::new(config, vec![ladder], 1)
    }

    fn decide(engine: &mut Engine, (time, user, value): &Row) -> (Fate, Option<String>) {
        let attribute = Attribute {
            time: *time,
            user: engine.users.intern(&user.to_string()),
            group: engine.groups.intern(0, &(user % 3).to_string()),
            leaf: engine.paths.leaf(0, value),
            late: false,
            row: 0,
        };
        let mut verdicts: Vec<Verdict> = Vec::new();
        engine.decide(&[attribute], |_| 0, &mut verdicts);
        let label = || engine.paths.label(verdicts[0].path).to_owned();
        let fate = verdicts[0].fate;
        (fate, (fate == Fate::Released).then(label))
    }

    /// The labels of a value, the value first.
    fn labels(value: &str) -> impl Iterator<Item = &str> {
        let cuts = value.rmatch_indices('*').map(|(at, _)| &value[..at]);
        std::iter::once(value).chain(cuts)
    }

    /// The rule itself, computed from all rows.
    struct Reference<'a> {
        config: &'a ZAnonymity,
        rows: &'a [Row],
        released: Vec<Row>,
    }

    impl Reference<'_> {
        /// How many users showed all the labels in the window that ends with row `at`.
        fn users(&self, at: usize, wanted: &HashSet<&str>) -> u32 {
            let time = self.rows[at].0;
            let window: Vec<&Row> = self.rows[..=at]
                .iter()
                .filter(|row| (time - self.config.window..=time).contains(&row.0))
                .collect();
            let users: HashSet<u32> = window.iter().map(|row| row.1).collect();
            let shows = |user: u32, label: &str| {
                window
                    .iter()
                    .any(|row| row.1 == user && labels(&row.2).any(|l| l == label))
            };
            let most = self.config.group.as_ref().map_or(u32::MAX, |g| g.at_most);
            let mut groups = [0; 3];
            for user in users {
                groups[user as usize % 3] += u32::from(wanted.iter().all(|l| shows(user, l)));
            }
            groups.map(|n: u32| n.min(most)).iter().sum()
        }

        fn allows(&self, at: usize, label: &str) -> bool {
            let (time, user, _) = self.rows[at];
            let from = time - self.config.window;
            let before = self.released.iter();
            let set = before
                .filter(|row| row.1 == user && row.0 >= from)
                .map(|row| row.2.as_str())
                .chain([label])
                .collect();
            self.users(at, &set) >= self.config.k
        }

        fn has_z(&self, at: usize, label: &str) -> bool {
            self.users(at, &HashSet::from([label])) >= self.config.z
        }

        fn decide(&self, at: usize) -> (Fate, Option<String>) {
            let value = &self.rows[at].2;
            let with_z: Vec<&str> = labels(value).filter(|l| self.has_z(at, l)).collect();
            match with_z.iter().find(|label| self.allows(at, label)) {
                Some(&label) => (Fate::Released, Some(label.to_owned())),
                None if with_z.is_empty() => (Fate::Rare, None),
                None => (Fate::Telling, None),
            }
        }

        fn note(&mut self, at: usize, label: Option<String>) {
            let (time, user, _) = self.rows[at];
            self.released.extend(label.map(|label| (time, user, label)));
        }
    }

    fn rows(pause: impl Strategy<Value = i64>) -> impl Strategy<Value = Vec<Row>> {
        let value = prop_oneof!["[ab]", "[ab]\\*[ab]", "[ab]\\*[ab]\\*[ab]"];
        proptest::collection::vec((pause, 0..7_u32, value), 1..120)
    }

    proptest! {
        #[test]
        fn exactly_what_the_rule_forbids_is_held_back(
            (z, k) in (1..5_u32, 1..5_u32),
            window in 1..40_i64,
            most in proptest::option::of(1..3_u32),
            // Days make the engine move its base of time within the window.
            unit in prop_oneof![Just(1), Just(21_600_000_i64)],
            mut rows in rows(0..3_i64),
        ) {
            let mut now = 0;
            for row in &mut rows {
                now += row.0 * unit;
                row.0 = now;
            }
            let mut config = config(z, k, window * unit);
            config.group = most.map(|at_most| super::super::Group { column: "group".into(), at_most });
            let mut engine = engine(&config);
            let mut reference = Reference { config: &config, rows: &rows, released: Vec::new() };
            for (at, row) in rows.iter().enumerate() {
                let found = decide(&mut engine, row);
                prop_assert_eq!(&found, &reference.decide(at), "row {}", at);
                reference.note(at, found.1);
            }
        }

        #[test]
        fn rows_out_of_order_never_release_what_the_rule_forbids(
            (z, k) in (1..4_u32, 1..4_u32),
            (window, lateness) in (1..40_i64, 0..40_i64),
            mut rows in rows(-20..30_i64),
        ) {
            let mut now = 1000;
            for row in &mut rows {
                now = (now + row.0).max(0);
                row.0 = now;
            }
            let config = ZAnonymity { lateness, ..config(z, k, window) };
            let mut engine = engine(&config);
            let mut reference = Reference { config: &config, rows: &rows, released: Vec::new() };
            for (at, row) in rows.iter().enumerate() {
                let (_, label) = decide(&mut engine, row);
                if let Some(label) = &label {
                    prop_assert!(reference.has_z(at, label) && reference.allows(at, label), "row {}", at);
                }
                reference.note(at, label);
            }
        }
    }

    fn row(time: i64, user: u32, value: &str) -> Row {
        (time, user, value.to_owned())
    }

    #[test]
    fn a_combination_that_fits_nobody_else_climbs_and_then_is_held_back() {
        let mut engine = engine(&config(1, 2, 100));
        for (row, expected) in [
            (row(0, 1, "a*x"), None),
            (row(0, 2, "a*x"), Some("a*x")),
            (row(0, 3, "a*y"), Some("a")),
            (row(1, 4, "a*y"), Some("a*y")),
            (row(1, 5, "b"), None),
            (row(1, 6, "b"), Some("b")),
            // Nobody but user 6 has shown b and something of a.
            (row(2, 6, "a*x"), None),
            (row(3, 5, "a*x"), Some("a*x")),
            (row(4, 6, "a*x"), Some("a*x")),
        ] {
            let (fate, label) = decide(&mut engine, &row);
            assert_eq!(label.as_deref(), expected, "{row:?}");
            assert!(expected.is_some() || fate == Fate::Telling, "{row:?}");
        }
    }

    #[test]
    fn a_set_that_only_a_user_far_back_shares_is_held_back() {
        let others = LOOKED_AT as u32;
        for (between, expected) in [(others / 2, Fate::Released), (2 * others, Fate::Telling)] {
            let mut engine = engine(&config(1, 2, 100));
            for row in [row(0, 1, "a"), row(0, 1, "b"), row(1, 2, "a")] {
                decide(&mut engine, &row);
            }
            for user in 0..between {
                decide(&mut engine, &row(2, 10 + 2 * user, "a"));
                decide(&mut engine, &row(2, 11 + 2 * user, "b"));
            }
            let (fate, _) = decide(&mut engine, &row(3, 2, "b"));
            assert_eq!(fate, expected, "{between} users between");
        }
    }

    #[test]
    fn forgetting_names_changes_nothing() {
        let config = config(2, 2, 3000);
        let (mut kept, mut cleared) = (engine(&config), engine(&config));
        for place in 0..200_000_u32 {
            let user = place / 2 + place % 3;
            let value = format!("{}*{}", place % 5, place / 7 % 11);
            let row = (i64::from(place), user, value);
            let found = decide(&mut cleared, &row);
            assert_eq!(found, decide(&mut kept, &row), "{place}");
            cleared.clear();
        }
        assert!(cleared.users.len() < kept.users.len());
    }
}
