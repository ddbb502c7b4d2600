//! What a method promises of the rows that leave it, and what such a promise outlives.
//!
//! A method says what it does to columns ([`Effect`]) and what it promises ([`Claim`]). Whether
//! a promise outlives the methods after it follows from both, so no method has to know another.

use super::{Effect, Method};

/// What a method promises by how it works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Nothing that could be counted.
    Nothing,
    /// Rows are alike in classes that keep the promises of `[guarantee]`.
    Classes,
    /// Records are alike in groups, in the columns that it masks.
    Groups,
    /// What a record can change is bounded: ε.
    Privacy,
}

/// What a promise is about, in one column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// That rows are alike in it: k.
    Likeness,
    /// Which of its values the rows of a class hold together, whichever row holds which:
    /// l, t and p.
    Values,
}

impl About {
    /// Whether a promise of a column survives a later method that does this to it.
    pub fn survives(self, effect: Effect) -> bool {
        match (self, effect) {
            (_, Effect::Kept) => true,
            (About::Values, Effect::Exchanged) => true,
            (About::Likeness, Effect::Exchanged) => false,
            (
                _,
                Effect::Covered
                | Effect::Coded
                | Effect::Represented
                | Effect::Masked
                | Effect::Replaced,
            ) => false,
        }
    }
}

impl Method {
    /// What it promises of the rows that leave it.
    pub fn claim(&self) -> Claim {
        if self.keeps_guarantee() {
            return Claim::Classes;
        }
        match self.as_masking() {
            Some(masking) if masking.loss().is_some() => Claim::Privacy,
            Some(masking) if masking.k().is_some() => Claim::Groups,
            _ => Claim::Nothing,
        }
    }

    /// Whether what a row shows may follow from the values of others.
    pub fn mixes_records(&self) -> bool {
        self.as_masking().is_some() && self.claim() != Claim::Privacy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_change_places_in_a_class_are_still_those_of_the_class() {
        assert!(About::Values.survives(Effect::Exchanged));
        assert!(!About::Likeness.survives(Effect::Exchanged));
        for effect in [Effect::Masked, Effect::Coded, Effect::Covered] {
            assert!(!About::Values.survives(effect), "{effect:?}");
            assert!(!About::Likeness.survives(effect), "{effect:?}");
        }
    }
}
