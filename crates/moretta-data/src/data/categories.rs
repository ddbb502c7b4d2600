//! A column of categories: codes into shared levels.

use super::levels::{Levels, LevelsBuilder};
use super::{folded, seen};
use arrow_buffer::ScalarBuffer;
use std::sync::Arc;

/// The code of a missing category.
pub const MISSING: u32 = u32::MAX;

/// Codes into shared [`Levels`]; [`MISSING`] marks a missing one. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct Categories {
    codes: ScalarBuffer<u32>,
    levels: Arc<Levels>,
}

impl Categories {
    /// Each code is a code of `levels` or [`MISSING`].
    pub fn new(codes: Vec<u32>, levels: Arc<Levels>) -> Self {
        debug_assert!(
            codes
                .iter()
                .all(|&c| c == MISSING || (c as usize) < levels.len())
        );
        Categories {
            codes: codes.into(),
            levels,
        }
    }

    /// How many slots there are.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The codes in order.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The levels that the codes name.
    pub fn levels(&self) -> &Arc<Levels> {
        &self.levels
    }

    /// Whether slot `row` holds no value.
    pub fn is_missing(&self, row: usize) -> bool {
        self.codes[row] == MISSING
    }

    /// The text in slot `row`.
    pub fn get(&self, row: usize) -> Option<&str> {
        let code = self.codes[row];
        (code != MISSING).then(|| self.levels.get(code))
    }

    /// How many are missing.
    pub fn missing_count(&self) -> usize {
        self.codes.iter().filter(|&&c| c == MISSING).count()
    }

    /// How many levels a slot holds.
    pub fn distinct(&self) -> usize {
        let mut held = vec![false; self.levels.len()];
        for &code in self.codes.iter().filter(|&&code| code != MISSING) {
            held[code as usize] = true;
        }
        held.into_iter().filter(|&held| held).count()
    }

    /// The slots at `rows`, in that order; the levels stay shared.
    pub fn take(&self, rows: &[u32]) -> Self {
        Categories {
            codes: rows.iter().map(|&r| self.codes[r as usize]).collect(),
            levels: Arc::clone(&self.levels),
        }
    }

    /// A run of slots, shared with this column.
    pub fn slice(&self, start: usize, len: usize) -> Self {
        Categories {
            codes: self.codes.slice(start, len),
            levels: Arc::clone(&self.levels),
        }
    }

    /// The values that a reader takes for different ones: those that look alike are one, and
    /// a cell that is suppressed, `*`, is missing.
    pub fn as_they_look(&self) -> Self {
        let mut looks = LevelsBuilder::default();
        let mut code = |text: &str| seen(text).map_or(MISSING, |text| looks.intern(&text));
        let codes: Vec<u32> = self.levels.iter().map(&mut code).collect();
        let new = |&old: &u32| codes.get(old as usize).copied().unwrap_or(MISSING);
        Categories::new(
            self.codes.iter().map(new).collect(),
            Arc::new(looks.finish()),
        )
    }

    /// The same column with only the levels it uses, in the order of their
    /// texts, so that nothing depends on which one appeared first.
    pub fn sorted(&self) -> Self {
        let used = self.compact();
        let mut order: Vec<u32> = (0..used.levels.len() as u32).collect();
        order.sort_unstable_by_key(|&code| used.levels.get(code));
        let mut place = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old as usize] = new as u32;
        }
        let new = |&code: &u32| place.get(code as usize).copied().unwrap_or(MISSING);
        let levels = order.iter().map(|&code| used.levels.get(code)).collect();
        Categories::new(used.codes.iter().map(new).collect(), Arc::new(levels))
    }

    /// The same column with every text as it looks to a reader ([`folded`]).
    pub fn folded(&self) -> Self {
        let mut levels = LevelsBuilder::default();
        let texts = self.levels.iter();
        let codes_of: Vec<u32> = texts.map(|text| levels.intern(&folded(text))).collect();
        let new = |&code: &u32| codes_of.get(code as usize).copied().unwrap_or(MISSING);
        let codes = self.codes.iter().map(new).collect();
        Categories::new(codes, Arc::new(levels.finish()))
    }

    /// The same column with only the levels it uses, so that a written
    /// dictionary holds nothing that no row shows.
    pub fn compact(&self) -> Self {
        let mut codes_of = vec![MISSING; self.levels.len()];
        let mut used = Levels::default();
        let codes = self
            .codes
            .iter()
            .map(|&code| {
                if code == MISSING {
                    return MISSING;
                }
                let new = &mut codes_of[code as usize];
                if *new == MISSING {
                    *new = used.len() as u32;
                    used.push(self.levels.get(code));
                }
                *new
            })
            .collect::<Vec<u32>>();
        Categories::new(codes, Arc::new(used))
    }
}

impl<S: AsRef<str>> FromIterator<Option<S>> for Categories {
    fn from_iter<I: IntoIterator<Item = Option<S>>>(texts: I) -> Self {
        let mut builder = LevelsBuilder::default();
        let codes = texts
            .into_iter()
            .map(|text| text.map_or(MISSING, |t| builder.intern(t.as_ref())))
            .collect();
        Categories::new(codes, Arc::new(builder.finish()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorted_levels_do_not_tell_which_came_first() {
        let column = Categories::from_iter([Some("c"), None, Some("a"), Some("c")]);
        let sorted = column.sorted();
        assert_eq!(sorted.levels().iter().collect::<Vec<_>>(), ["a", "c"]);
        let texts: Vec<Option<&str>> = (0..4).map(|row| sorted.get(row)).collect();
        assert_eq!(texts, [Some("c"), None, Some("a"), Some("c")]);
    }

    #[test]
    fn compact_forgets_unused_levels() {
        let all = Categories::from_iter([Some("a"), Some("b"), None, Some("c")]);
        assert_eq!(all.take(&[3, 2, 3]).distinct(), 1);
        let some = all.take(&[3, 2, 3]).compact();
        assert_eq!(some.levels().iter().collect::<Vec<_>>(), ["c"]);
        assert_eq!(some.get(0), Some("c"));
        assert_eq!(some.get(1), None);
    }
}
