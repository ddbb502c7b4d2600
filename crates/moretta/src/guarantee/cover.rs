//! Whether a released value of a protected column is true of the original one.
//!
//! Each distinct text of the release is read once as a region of the column's
//! domain, each distinct original value is looked up once in domain and
//! hierarchy; a row then costs a comparison of numbers or a binary search.

use super::classes::Texts;
use super::findings::Rule;
use crate::data::hierarchy::TOP;
use crate::data::{Categories, Column, Domain, Levels, LevelsBuilder, MISSING, Region, Scale};
use crate::error::Result;
use hashbrown::HashMap;
use std::ops::Range;

/// Compares the released and the original values of one protected column.
pub(super) struct Cover {
    domain: Domain,
    codes: LevelsBuilder,
    representative: bool,
    escapes: bool,
    released: Texts,
    says: Vec<Says>,
    original: Texts,
    places: Vec<Place>,
    leaf_of_number: HashMap<u64, Option<u32>, foldhash::fast::FixedState>,
    released_codes: Vec<u32>,
    original_codes: Vec<u32>,
}

/// Which texts of a release cover which values of a column of other rows.
pub(super) struct Covered {
    cover: Cover,
    /// What each text of the release says.
    says: Vec<Says>,
    /// What each distinct value of the rows is.
    places: Vec<Place>,
    /// The value of each row, or missing.
    codes: Vec<u32>,
}

impl Covered {
    /// `texts` of the release beside the values of `rows`.
    pub(super) fn new(domain: Domain, texts: &Levels, rows: &Column) -> Result<Self> {
        let mut cover = Cover::new(domain, false, true);
        let says = texts.iter().map(|text| cover.read_escaped(text)).collect();
        let (mut places, mut codes) = (Vec::new(), Vec::with_capacity(rows.len()));
        match rows {
            Column::Category(categories) => {
                cover.place_categories(categories);
                codes.clone_from(&cover.original_codes);
                places.clone_from(&cover.places);
            }
            _ => {
                let mut known: HashMap<u64, u32, foldhash::fast::FixedState> = HashMap::default();
                for row in 0..rows.len() {
                    let Some(place) = cover.place(rows, row)? else {
                        codes.push(MISSING);
                        continue;
                    };
                    let next = places.len() as u32;
                    let code = *known.entry(place.number.to_bits()).or_insert(next);
                    if code == next {
                        places.push(place);
                    }
                    codes.push(code);
                }
            }
        }
        Ok(Covered {
            cover,
            says,
            places,
            codes,
        })
    }

    /// The value of each row, or missing.
    pub(super) fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// Whether a text, or a missing cell, of the release covers a value, or a missing one.
    pub(super) fn covers(&self, text: u32, value: u32) -> bool {
        let place = self.places.get(value as usize).copied();
        match self.says.get(text as usize) {
            None => place.is_none(),
            Some(says) => self.cover.is_true(says, place),
        }
    }
}

/// What a released text says, ready to be compared.
#[derive(Clone)]
enum Says {
    /// It is no region of the domain.
    Nonsense,
    Anything,
    Between(f64, f64),
    OneOf(Vec<u32>),
    Under(Range<u32>),
}

/// An original value: a number or a category, and its leaf in the hierarchy.
#[derive(Clone, Copy)]
struct Place {
    number: f64,
    code: Option<u32>,
    leaf: Option<u32>,
}

impl Cover {
    pub(super) fn new(domain: Domain, representative: bool, escapes: bool) -> Self {
        // A representative is a value, though a node of the tree may be called the same.
        let domain = if representative {
            domain.without_hierarchy()
        } else {
            domain
        };
        let codes = match &domain.scale {
            Scale::Category { levels, .. } => LevelsBuilder::from_levels(levels),
            Scale::Number { .. } => LevelsBuilder::default(),
        };
        Cover {
            domain,
            codes,
            representative,
            escapes,
            released: Texts::default(),
            says: Vec::new(),
            original: Texts::default(),
            places: Vec::new(),
            leaf_of_number: HashMap::default(),
            released_codes: Vec::new(),
            original_codes: Vec::new(),
        }
    }

    /// How many rows break which rule.
    pub(super) fn compare(
        &mut self,
        original: &Column,
        released: &Column,
    ) -> Result<Vec<(Rule, u64)>> {
        let released = super::same::texts_of(released)?;
        self.released.translate(&released, &mut self.released_codes);
        self.read_new_texts();
        let (mut foreign, mut untrue) = (0, 0);
        if let Column::Category(original) = original {
            self.place_categories(original);
        }
        for row in 0..self.released_codes.len() {
            let place = self.place(original, row)?;
            match (self.released_codes[row], place) {
                (MISSING, None) => {}
                (MISSING, Some(_)) => untrue += 1,
                (code, place) => match &self.says[code as usize] {
                    Says::Nonsense => foreign += 1,
                    says => untrue += u64::from(!self.is_true(says, place)),
                },
            }
        }
        Ok(vec![
            (Rule::NotInDomain, foreign),
            (Rule::NotCovered, untrue),
        ])
    }

    fn is_true(&self, says: &Says, place: Option<Place>) -> bool {
        match (says, place) {
            (Says::Anything, _) => true,
            _ if self.representative => true,
            (Says::Between(low, high), Some(place)) => {
                *low <= place.number && place.number <= *high
            }
            (Says::OneOf(codes), Some(place)) => place
                .code
                .is_some_and(|code| codes.binary_search(&code).is_ok()),
            (Says::Under(leaves), Some(place)) => {
                place.leaf.is_some_and(|leaf| leaves.contains(&leaf))
            }
            _ => false,
        }
    }

    fn read_new_texts(&mut self) {
        for code in self.says.len()..self.released.levels().len() {
            let text = self.released.levels().get(code as u32);
            let says = self.read_escaped(text);
            self.says.push(says);
        }
    }

    /// What a text says, or what it says without the sign that guards a formula.
    fn read_escaped(&self, text: &str) -> Says {
        let says = self.read(text);
        match super::same::unescaped(text) {
            Some(plain) if self.escapes && matches!(says, Says::Nonsense) => self.read(plain),
            _ => says,
        }
    }

    fn read(&self, text: &str) -> Says {
        let says = match (self.codes.find(text), &self.domain.hierarchy) {
            // A value as it was; looked up here because a region is read in a time that
            // grows with the domain.
            (Some(code), None) if text != TOP => Says::OneOf(vec![code]),
            _ => Region::parse(Some(text), &self.domain)
                .map_or(Says::Nonsense, |region| says(region, &self.domain)),
        };
        if self.representative && !is_one_value_within(&says, &self.domain) {
            return Says::Nonsense;
        }
        says
    }

    fn place_categories(&mut self, original: &Categories) {
        self.original.translate(original, &mut self.original_codes);
        let levels = self.original.levels();
        for known in self.places.len()..levels.len() {
            let text = levels.get(known as u32);
            self.places.push(Place {
                number: f64::NAN,
                code: self.codes.find(text),
                leaf: self.domain.hierarchy.as_ref().and_then(|h| h.leaf(text)),
            });
        }
    }

    fn place(&mut self, original: &Column, row: usize) -> Result<Option<Place>> {
        match original {
            Column::Category(_) => Ok(self.places.get(self.original_codes[row] as usize).copied()),
            Column::Number(numbers) => Ok(numbers.get(row).map(|number| Place {
                number,
                code: None,
                leaf: self.leaf(number),
            })),
            Column::Plain(_) => Err(crate::Error::bug("a protected column was read as plain")),
        }
    }

    fn leaf(&mut self, number: f64) -> Option<u32> {
        let hierarchy = self.domain.hierarchy.as_ref()?;
        *self
            .leaf_of_number
            .entry(number.to_bits())
            .or_insert_with(|| hierarchy.leaf(&self.domain.number_text(number)))
    }
}

fn says(region: Region, domain: &Domain) -> Says {
    match region {
        Region::Missing => Says::Nonsense,
        Region::Any => Says::Anything,
        Region::Interval(low, high) => Says::Between(low, high),
        Region::Set(codes) => Says::OneOf(codes),
        Region::Node(level, node) => match &domain.hierarchy {
            Some(tree) => Says::Under(tree.leaves_under(level, node)),
            None => Says::Nonsense,
        },
    }
}

/// A representative is a single value between the least and the largest original one.
fn is_one_value_within(says: &Says, domain: &Domain) -> bool {
    match (says, &domain.scale) {
        (Says::Anything, _) => true,
        (Says::Between(a, b), Scale::Number { low, high, .. }) => a == b && low <= a && b <= high,
        (Says::OneOf(codes), Scale::Category { .. }) => codes.len() == 1,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::hierarchy::Hierarchy;
    use crate::data::region::Value;
    use std::sync::Arc;

    fn ages(tree: bool) -> Domain {
        let chains = [["-5", "young", "*"], ["1", "young", "*"], ["2", "old", "*"]];
        let chains = chains.map(|chain| chain.to_vec());
        Domain {
            scale: Scale::Number {
                low: -5.0,
                high: 2.0,
                date: None,
            },
            hierarchy: tree.then(|| Arc::new(Hierarchy::from_chains(&chains).expect("a tree"))),
        }
    }

    /// Rows that are foreign and rows that are untrue.
    fn compare(cover: &mut Cover, original: Option<f64>, released: Option<&str>) -> [u64; 2] {
        let original = Column::Number([original].into_iter().collect());
        let released = Column::Category([released].into_iter().collect());
        let found = cover.compare(&original, &released).expect("fits");
        [found[0].1, found[1].1]
    }

    #[test]
    fn it_agrees_with_the_region_that_a_text_is() {
        for tree in [true, false] {
            let domain = ages(tree);
            let mut cover = Cover::new(domain.clone(), false, false);
            let texts = ["young", "old", "*", "-5", "-5..1", "2..1", "1..2", "x", ""];
            for text in texts.into_iter().map(Some).chain([None]) {
                for original in [None, Some(-5.0), Some(1.0), Some(2.0), Some(3.0)] {
                    let value = original.map_or(Value::Missing, Value::Number);
                    let expected = match Region::parse(text, &domain) {
                        None => [1, 0],
                        Some(region) => [0, u64::from(!region.covers(value, &domain))],
                    };
                    let found = compare(&mut cover, original, text);
                    assert_eq!(found, expected, "{text:?} {original:?} {tree}");
                }
            }
        }
    }

    #[test]
    fn an_escaped_region_is_read_when_that_is_allowed() {
        for (escapes, expected) in [(true, [0, 0]), (false, [1, 0])] {
            let mut cover = Cover::new(ages(false), false, escapes);
            let found = compare(&mut cover, Some(-5.0), Some("'-5..-1"));
            assert_eq!(found, expected);
        }
    }
}
