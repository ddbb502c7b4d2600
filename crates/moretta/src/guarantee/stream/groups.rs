//! How many users of one group count for a label.

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

/// At most so many users of a group count for a label.
pub(super) struct Groups {
    at_most: u32,
    /// Users of each label and group in the window.
    users: HashMap<(u32, u32), u32, FixedState>,
    /// The number of each group by its fingerprint.
    numbers: HashMap<u64, u32, FixedState>,
    next: u32,
}

impl Groups {
    pub(super) fn new(at_most: u32) -> Self {
        Groups {
            at_most,
            users: HashMap::default(),
            numbers: HashMap::default(),
            next: 0,
        }
    }

    /// The number of the group with this fingerprint.
    pub(super) fn number(&mut self, fingerprint: u64) -> u32 {
        let next = &mut self.next;
        *self.numbers.entry(fingerprint).or_insert_with(|| {
            *next = next.wrapping_add(1);
            *next
        })
    }

    /// One more user of the group shows the label; 1 if that one counts.
    pub(super) fn join(&mut self, label: u32, group: u32) -> u32 {
        let users = self.users.entry((label, group)).or_default();
        *users += 1;
        u32::from(*users <= self.at_most)
    }

    /// One user of the group less; 1 if that makes one less that counts.
    pub(super) fn leave(&mut self, label: u32, group: u32) -> u32 {
        let Some(users) = self.users.get_mut(&(label, group)) else {
            return 0;
        };
        *users -= 1;
        let counted = *users < self.at_most;
        if *users == 0 {
            self.users.remove(&(label, group));
        }
        u32::from(counted)
    }

    /// How many count when groups have so many users more, or less, than the
    /// window of the newest row holds, of whom `counted` count.
    pub(super) fn counted(&self, label: u32, counted: u32, mut changes: Vec<(u32, i64)>) -> u64 {
        changes.sort_unstable();
        let most = i64::from(self.at_most);
        let mut total = i64::from(counted);
        for run in changes.chunk_by(|one, other| one.0 == other.0) {
            let users = self.users.get(&(label, run[0].0)).copied().unwrap_or(0);
            let users = i64::from(users);
            let changed = users + run.iter().map(|change| change.1).sum::<i64>();
            total += changed.min(most) - users.min(most);
        }
        total.max(0) as u64
    }

    /// Gives labels new numbers and forgets the groups that have no user any more.
    pub(super) fn renumber(&mut self, labels: &[u32], used: impl Iterator<Item = u32>) {
        let users = std::mem::take(&mut self.users);
        let renumbered = users
            .into_iter()
            .map(|((label, group), users)| ((labels[label as usize], group), users));
        self.users = renumbered.collect();
        let used: HashSet<u32, FixedState> = used.collect();
        self.numbers.retain(|_, number| used.contains(number));
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.users.allocation_size() + self.numbers.allocation_size()
    }
}
