//! Users known by number.
//!
//! Names that look the same to a reader ([`folded`]) are one user: counted as several, one
//! person could make a crowd. Users are told apart by 64 bits of a hash of their folded
//! names, without looking at the names: should two ever fall together, they count as one,
//! which is too few and so does no harm. Names are kept, folded, only where made-up rows
//! need them.

use super::names::GONE;
use crate::data::folded;
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::borrow::Cow;
use std::hash::BuildHasher;

/// Users known by number.
#[derive(Debug, Default)]
pub(super) struct Users {
    table: HashTable<User>,
    len: u32,
    names: Option<Vec<Box<str>>>,
    /// Whether a user was written in several ways.
    respelled: bool,
}

#[derive(Clone, Copy, Debug)]
struct User {
    hash: u64,
    number: u32,
    /// Part of the hash of the name as it was first written.
    spelling: u32,
}

/// The hash by which a user is known.
pub(super) fn hash_of(name: &str) -> u64 {
    hash(&folded(name))
}

fn hash(text: &str) -> u64 {
    FixedState::with_seed(0x7573_6572).hash_one(text)
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
        let folded = folded(name);
        let known = hash(&folded);
        let spelling = match folded {
            Cow::Borrowed(_) => known as u32,
            Cow::Owned(_) => hash(name) as u32,
        };
        if let Some(user) = self.table.find(known, |user| user.hash == known) {
            self.respelled |= user.spelling != spelling;
            return user.number;
        }
        let number = self.len;
        self.len += 1;
        let user = User {
            hash: known,
            number,
            spelling,
        };
        self.table.insert_unique(known, user, |user| user.hash);
        if let Some(names) = &mut self.names {
            names.push(folded.into());
        }
        number
    }

    /// Whether a user that is known was written in several ways.
    pub(super) fn respelled(&self) -> bool {
        self.respelled
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
        self.table.retain(|user| {
            user.number = moved[user.number as usize];
            user.number != GONE
        });
        self.table.shrink_to(2 * next as usize, |user| user.hash);
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
    fn spellings_of_a_name_are_one_user() {
        let mut users = Users::new(true);
        assert_eq!((users.intern("ann\u{e9}"), users.intern("bob")), (0, 1));
        assert_eq!((users.intern("bob"), users.respelled()), (1, false));
        for spelling in ["ANN\u{c9}", " anne\u{301}", "an\u{200b}n\u{e9} "] {
            assert_eq!(users.intern(spelling), 0);
            assert_eq!(hash_of(spelling), hash_of("ann\u{e9}"));
        }
        assert_eq!((users.respelled(), users.name(0)), (true, "ann\u{e9}"));
    }

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
