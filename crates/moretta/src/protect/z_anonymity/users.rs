//! Users known by number.
//!
//! Users are told apart by 64 bits of a hash of their names, without looking at the
//! names: should two ever fall together, they count as one, which is too few and
//! so does no harm. Names are kept only where made-up rows need them.

use super::names::GONE;
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Users known by number.
#[derive(Debug, Default)]
pub(super) struct Users {
    table: HashTable<(u64, u32)>,
    len: u32,
    names: Option<Vec<Box<str>>>,
}

/// The hash by which a user is known.
pub(super) fn hash_of(name: &str) -> u64 {
    FixedState::with_seed(0x7573_6572).hash_one(name)
}

impl Users {
    /// Keeps the names when they are `named`.
    pub(super) fn new(named: bool) -> Self {
        Users {
            names: named.then(Vec::new),
            ..Users::default()
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.len as usize
    }

    /// The number of a user, a new one if it has none.
    #[inline]
    pub(super) fn intern(&mut self, name: &str) -> u32 {
        let hash = hash_of(name);
        if let Some(&(_, number)) = self.table.find(hash, |entry| entry.0 == hash) {
            return number;
        }
        let number = self.len;
        self.len += 1;
        self.table
            .insert_unique(hash, (hash, number), |entry| entry.0);
        if let Some(names) = &mut self.names {
            names.push(name.into());
        }
        number
    }

    /// The name of a user, where names are kept.
    pub(super) fn name(&self, number: u32) -> &str {
        let name = self
            .names
            .as_ref()
            .and_then(|names| names.get(number as usize));
        name.map_or("", |name| name)
    }

    /// Forgets the users that are not kept; the others move up. Gives the new
    /// number of each, [`GONE`] for those that were forgotten.
    pub(super) fn retain(&mut self, keep: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut next = 0;
        let moved: Vec<u32> = (0..self.len)
            .map(|number| match keep(number) {
                true => {
                    next += 1;
                    next - 1
                }
                false => GONE,
            })
            .collect();
        self.table.retain(|entry| {
            entry.1 = moved[entry.1 as usize];
            entry.1 != GONE
        });
        self.table.shrink_to(2 * next as usize, |entry| entry.0);
        if let Some(names) = &mut self.names {
            let mut place = 0;
            names.retain(|_| {
                place += 1;
                moved[place - 1] != GONE
            });
        }
        self.len = next;
        moved
    }

    /// Bytes held besides the names.
    pub(super) fn overhead(&self) -> usize {
        let names = self.names.as_ref().map_or(0, Vec::capacity);
        self.table.allocation_size() + names * size_of::<Box<str>>()
    }

    /// Bytes of the names.
    pub(super) fn text_bytes(&self) -> usize {
        let names = self.names.iter().flatten();
        names.map(|name| name.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_has_one_number_until_it_is_forgotten() {
        for named in [false, true] {
            let mut users = Users::new(named);
            let name = |number: u32| format!("user {number}");
            for number in 0..1000 {
                assert_eq!(users.intern(&name(number)), number);
            }
            assert_eq!((users.intern(&name(7)), users.len()), (7, 1000));
            let moved = users.retain(|number| number % 4 == 1);
            assert_eq!(users.len(), 250);
            for number in (1..1000).step_by(4) {
                assert_eq!(users.intern(&name(number)), moved[number as usize]);
                let kept = if named { name(number) } else { String::new() };
                assert_eq!(users.name(moved[number as usize]), kept);
            }
            assert_eq!(moved[2], GONE);
            assert_eq!(users.intern(&name(2)), 250);
        }
    }
}
