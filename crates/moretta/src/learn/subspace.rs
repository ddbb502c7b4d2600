//! The attributes that a leaf looks at: all of them, or some drawn at random.

use super::model::{Reader, Writer, odd, saved};
use super::{Header, Input};
use crate::error::Result;
use crate::math::java_random::JavaRandom;
use std::sync::Arc;

/// How attributes are drawn for a leaf: in either way all are as likely, but the same
/// seed draws others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Draw {
    /// From a list of those that are left.
    #[default]
    Shrinking,
    /// From all until one is new, and the last of several is left out: what MOA 17.06 did.
    Of2017,
}

saved!(enum Draw { Shrinking, Of2017 } else "a way to draw that there is not");

/// Places of attributes in the record, apart by kind.
#[derive(Debug)]
pub(super) struct Subspace {
    /// Places of numbers.
    pub(super) numbers: Vec<usize>,
    /// Places of nominal attributes, and how many values they have.
    pub(super) nominals: Vec<(usize, usize)>,
}

impl Subspace {
    /// All attributes.
    pub(super) fn whole(header: &Header) -> Arc<Self> {
        Subspace::of(header, 0..header.attributes().len())
    }

    /// So many attributes, drawn without replacement.
    pub(super) fn drawn(
        header: &Header,
        count: usize,
        draw: Draw,
        random: &mut JavaRandom,
    ) -> Arc<Self> {
        let attributes = header.attributes().len();
        let mut draws = |bound: usize| {
            let bound = i32::try_from(bound).unwrap_or(i32::MAX);
            random.next_int_below(bound) as usize
        };
        let count = count.min(attributes);
        let mut drawn = Vec::with_capacity(count);
        match draw {
            Draw::Shrinking => {
                let mut left: Vec<usize> = (0..attributes).collect();
                while drawn.len() < count {
                    drawn.push(left.remove(draws(left.len())));
                }
            }
            Draw::Of2017 => {
                let mut taken = vec![false; attributes];
                while drawn.len() < count {
                    let place = draws(attributes);
                    if !std::mem::replace(&mut taken[place], true) {
                        drawn.push(place);
                    }
                }
                drawn.truncate(count.saturating_sub(1).max(1));
            }
        }
        Subspace::of(header, drawn)
    }

    fn of(header: &Header, places: impl IntoIterator<Item = usize>) -> Arc<Self> {
        let mut subspace = Subspace {
            numbers: Vec::new(),
            nominals: Vec::new(),
        };
        for place in places {
            match header.attributes()[place] {
                Input::Number => subspace.numbers.push(place),
                Input::Nominal { values } => subspace.nominals.push((place, values)),
            }
        }
        subspace.numbers.shrink_to_fit();
        subspace.nominals.shrink_to_fit();
        Arc::new(subspace)
    }

    /// Numbers first, each kind in the order it was drawn in: that of observing.
    pub(super) fn save(&self, out: &mut Writer) {
        out.size(self.numbers.len() + self.nominals.len());
        self.numbers.iter().for_each(|&place| out.size(place));
        self.nominals.iter().for_each(|nominal| out.size(nominal.0));
    }

    pub(super) fn load(header: &Header, from: &mut Reader<'_>) -> Result<Arc<Self>> {
        let attributes = header.attributes().len();
        let length = from.size()?;
        if length > attributes {
            return Err(odd("more columns than there are"));
        }
        let mut taken = vec![false; attributes];
        let places = from.many(length, |from| {
            let place = from.size()?;
            match taken.get_mut(place) {
                Some(taken) if !*taken => *taken = true,
                _ => return Err(odd("a column that is drawn twice, or is none")),
            }
            Ok(place)
        })?;
        Ok(Subspace::of(header, places))
    }

    /// Bytes on the heap.
    pub(super) fn memory(&self) -> usize {
        self.numbers.capacity() * size_of::<usize>()
            + self.nominals.capacity() * size_of::<(usize, usize)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_attributes_differ_and_are_never_more_than_there_are() {
        let inputs = [Input::Number, Input::Nominal { values: 3 }].repeat(3);
        let header = Header::new(inputs, 2).expect("small");
        let mut random = JavaRandom::new(1);
        let mut check = |count, draw, expected| {
            let subspace = Subspace::drawn(&header, count, draw, &mut random);
            let nominals = subspace.nominals.iter().map(|nominal| nominal.0);
            let mut places: Vec<usize> = nominals.chain(subspace.numbers.iter().copied()).collect();
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), expected, "{draw:?} {count}");
        };
        for count in 1..9 {
            check(count, Draw::Shrinking, count.min(6));
            check(count, Draw::Of2017, (count.min(6) - 1).max(1));
        }
        let whole = Subspace::whole(&header);
        assert_eq!(whole.numbers, [0, 2, 4]);
        assert_eq!(whole.nominals, [(1, 3), (3, 3), (5, 3)]);
    }
}
