//! Finds the classes of a release that cover each known person.
//!
//! Columns are joined one after the other, the one that shows the fewest texts first. People with
//! the same values so far are looked at together, with the classes that are left for them, so that
//! what the first columns say is worked out once for all who share it. Several classes may cover a
//! person, as where equal values were divided; of very many the first ones are taken.
//!
//! Cost: for each column, and each group of people who share a value of it, the classes that cover
//! the columns before; memory for a few numbers a person and column.

use super::column::ReleasedColumn;
use super::intersection::Fitting;
use crate::data::region::Value;
use crate::data::{Batch, Column, Domain, Domains, MISSING, Region, Scale};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use rayon::prelude::*;

/// Classes of one person that are told.
const MOST: usize = 16;

/// More people than these are looked for on several threads.
const CHUNK: usize = 4096;

/// The classes that cover each of `people`.
pub(super) fn find(
    people: &Batch,
    quasi: &[ReleasedColumn],
    classes: usize,
    domains: &Domains,
) -> Fitting {
    let known = quasi.iter().map(|released| {
        let column = people.column_named(&released.name)?;
        Some(KnownColumn::new(
            released,
            column,
            domains.get(&released.name)?,
        ))
    });
    let Some(mut columns) = known.collect::<Option<Vec<KnownColumn<'_>>>>() else {
        // Of a column that nobody knows no value is covered.
        return Fitting::single(&vec![MISSING; people.len()]);
    };
    columns.sort_by_key(|column| column.released.regions.len());
    let sorted = sorted(people.len(), &columns);
    let all: Vec<u32> = (0..classes as u32).collect();
    let found = covering(&columns, &sorted, &all);
    let mut place_of = vec![0_u32; sorted.len()];
    for (place, &person) in sorted.iter().enumerate() {
        place_of[person as usize] = place as u32;
    }
    let mut fitting = Fitting::default();
    for place in place_of {
        fitting.push(found.of(place as usize).iter().copied());
    }
    fitting
}

/// People in the order of their values, column by column.
fn sorted(people: usize, columns: &[KnownColumn<'_>]) -> Vec<u32> {
    let mut sorted: Vec<u32> = (0..people as u32).collect();
    for column in columns.iter().rev() {
        let mut next = vec![0_usize; column.values.len()];
        let counts = column.value_of.iter();
        counts.for_each(|&value| next[value as usize] += 1);
        let mut start = 0;
        for next in &mut next {
            start += std::mem::replace(next, start);
        }
        let before = std::mem::replace(&mut sorted, vec![0; people]);
        for person in before {
            let place = &mut next[column.value_of[person as usize] as usize];
            sorted[*place] = person;
            *place += 1;
        }
    }
    sorted
}

/// The classes among `classes` that cover each of some people, in their order.
fn covering(columns: &[KnownColumn<'_>], people: &[u32], classes: &[u32]) -> Fitting {
    let mut fitting = Fitting::default();
    let Some((column, rest)) = columns.split_first() else {
        let mut classes = classes.to_vec();
        classes.sort_unstable();
        classes.truncate(MOST);
        let each = people.iter();
        each.for_each(|_| fitting.push(classes.iter().copied()));
        return fitting;
    };
    let mut by_text = classes.to_vec();
    let text = |class: &u32| column.released.text_of_class[*class as usize];
    by_text.sort_unstable_by_key(text);
    let texts: Vec<&[u32]> = by_text.chunk_by(|a, b| text(a) == text(b)).collect();
    let of_group = |group: &[u32]| {
        let value = &column.values[column.value_of[group[0] as usize] as usize];
        let covering = texts.iter();
        let covering = covering.filter(|classes| column.covers(text(&classes[0]), value));
        let left: Vec<u32> = covering.flat_map(|classes| *classes).copied().collect();
        self::covering(rest, group, &left)
    };
    let value = |person: &u32| column.value_of[*person as usize];
    let groups = people.chunk_by(|a, b| value(a) == value(b));
    if people.len() <= CHUNK {
        groups.for_each(|group| fitting.append(&of_group(group)));
        return fitting;
    }
    let groups: Vec<&[u32]> = groups.collect();
    let found: Vec<Fitting> = groups.into_par_iter().map(of_group).collect();
    found.iter().for_each(|found| fitting.append(found));
    fitting
}

/// A column that the release shows and of which the values of people are known.
struct KnownColumn<'a> {
    released: &'a ReleasedColumn,
    column: &'a Column,
    domain: &'a Domain,
    /// Its distinct values.
    values: Vec<Known>,
    /// The distinct value of each person.
    value_of: Vec<u32>,
}

/// A value of a known column.
struct Known {
    /// A row that has it.
    row: u32,
    /// Its category in the domain, and its leaf in the hierarchy; [`MISSING`] where there is none.
    code: u32,
    leaf: u32,
}

impl<'a> KnownColumn<'a> {
    fn new(released: &'a ReleasedColumn, column: &'a Column, domain: &'a Domain) -> Self {
        let mut known = KnownColumn {
            released,
            column,
            domain,
            values: Vec::new(),
            value_of: Vec::with_capacity(column.len()),
        };
        let mut places: HashMap<Option<u64>, u32, FixedState> = HashMap::default();
        for row in 0..column.len() {
            let key = match column {
                Column::Category(c) => c.get(row).map(|_| u64::from(c.codes()[row])),
                Column::Number(n) => n.get(row).map(f64::to_bits),
                Column::Plain(_) => None,
            };
            let next = known.values.len() as u32;
            let value = *places.entry(key).or_insert(next);
            if value == next {
                known.values.push(known.value(row));
            }
            known.value_of.push(value);
        }
        known
    }

    fn value(&self, row: usize) -> Known {
        let tree = self.domain.hierarchy.as_deref();
        let leaf = |text: &str| tree.and_then(|tree| tree.leaf(text));
        let (code, leaf) = match (self.column, &self.domain.scale) {
            (Column::Category(c), Scale::Category { levels, .. }) => {
                let text = c.get(row);
                (text.and_then(|text| levels.find(text)), text.and_then(leaf))
            }
            (Column::Number(n), _) => {
                let text = |n| self.domain.number_text(n);
                let number = n.get(row).filter(|_| tree.is_some());
                (None, number.and_then(|n| leaf(&text(n))))
            }
            _ => (None, None),
        };
        Known {
            row: row as u32,
            code: code.unwrap_or(MISSING),
            leaf: leaf.unwrap_or(MISSING),
        }
    }

    /// Whether a class that shows a text covers a value.
    fn covers(&self, text: u32, known: &Known) -> bool {
        let row = known.row as usize;
        let value = match self.column {
            Column::Number(n) => n.get(row).map_or(Value::Missing, Value::Number),
            Column::Category(c) => match (c.get(row), &self.domain.scale) {
                (None, _) => Value::Missing,
                (Some(text), Scale::Category { .. }) => Value::Category(known.code, text),
                _ => return false,
            },
            Column::Plain(_) => return false,
        };
        match (self.released.regions.get(text as usize), value) {
            // An empty cell.
            (None, value) => value == Value::Missing,
            (Some(None), _) => false,
            // The leaf was found once for all nodes.
            (Some(Some(Region::Node(level, node))), Value::Number(_) | Value::Category(..)) => {
                let tree = self.domain.hierarchy.as_deref();
                tree.is_some_and(|tree| tree.leaves_under(*level, *node).contains(&known.leaf))
            }
            (Some(Some(region)), value) => region.covers(value, self.domain),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ReleasedTable;
    use super::*;
    use crate::data::hierarchy::Hierarchy;
    use crate::data::{Field, Kind, Role, RowIds, Schema};
    use proptest::prelude::*;
    use std::sync::Arc;

    fn batch(columns: Vec<(&str, Kind, Column)>) -> Batch {
        let len = columns[0].2.len();
        let fields = columns.iter();
        let fields = fields.map(|(name, kind, _)| Field::new(*name, Role::Quasi, kind.clone()));
        let schema = Arc::new(Schema::new(fields.collect()).expect("names differ"));
        let columns = columns.into_iter().map(|(_, _, column)| column).collect();
        Batch::new(schema, RowIds::Range { start: 0, len }, columns).expect("fits")
    }

    const CATEGORY: Kind = Kind::Category { ordered: false };
    const NUMBER: Kind = Kind::Number { integer: true };

    /// The classes of each person by the meaning of each cell alone.
    fn one_by_one(people: &Batch, table: &ReleasedTable, domains: &Domains) -> Fitting {
        let mut fitting = Fitting::default();
        for person in 0..people.len() {
            let covers = |column: &ReleasedColumn, class: usize| {
                let text = column.text_of_class[class];
                let domain = domains.get(&column.name).expect("a domain");
                let value = match people.column_named(&column.name).expect("a column") {
                    Column::Number(n) => n.get(person).map_or(Value::Missing, Value::Number),
                    Column::Category(c) => match (c.get(person), &domain.scale) {
                        (Some(text), Scale::Category { levels, .. }) => {
                            Value::Category(levels.find(text).unwrap_or(MISSING), text)
                        }
                        _ => Value::Missing,
                    },
                    Column::Plain(_) => unreachable!("no column passes through"),
                };
                match column.regions.get(text as usize) {
                    None => value == Value::Missing,
                    Some(region) => region.as_ref().is_some_and(|r| r.covers(value, domain)),
                }
            };
            let covers_all = |class: &u32| {
                let mut quasi = table.quasi.iter();
                quasi.all(|column| covers(column, *class as usize))
            };
            let classes = 0..table.sizes.len() as u32;
            fitting.push(classes.filter(covers_all).take(MOST));
        }
        fitting
    }

    fn some<T: std::fmt::Debug + Clone>(
        of: impl Strategy<Value = T>,
    ) -> impl Strategy<Value = Option<T>> {
        prop::option::weighted(0.9, of)
    }

    fn shown_age() -> impl Strategy<Value = String> {
        prop_oneof![
            Just("*".to_owned()),
            Just("old".to_owned()),
            (0..9_u8).prop_map(|age| age.to_string()),
            (0..9_u8, 0..9_u8).prop_map(|(a, b)| format!("{}..{}", a.min(b), a.max(b))),
            (0..9_u8).prop_map(|age| format!("..{age}")),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn everybody_is_found_in_the_classes_whose_cells_cover_them(
            people in prop::collection::vec((some(0..9_u8), some(prop::sample::select(vec!["a", "b", "c", "d"]))), 1..60),
            cells in prop::collection::vec(
                (some(shown_age()), some(prop::sample::select(vec!["a", "b", "x", "y", "{a|c}", "{b|c|d}", "*"]))),
                1..60,
            ),
        ) {
            let chains = [["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"], ["d", "y", "*"]];
            let chains: Vec<Vec<&str>> = chains.iter().map(|chain| chain.to_vec()).collect();
            let tree = Arc::new(Hierarchy::from_chains(&chains).expect("a tree"));
            let levels = Arc::new(["a", "b", "c", "d"].iter().collect());
            let domains = Domains::new([
                ("age".to_owned(), Domain { scale: Scale::Number { low: 0.0, high: 9.0, date: None }, hierarchy: None }),
                ("ward".to_owned(), Domain { scale: Scale::Category { levels, ordered: false }, hierarchy: Some(tree) }),
            ]);
            let ages = Column::Number(people.iter().map(|(age, _)| age.map(f64::from)).collect());
            let wards = Column::Category(people.iter().map(|(_, ward)| *ward).collect());
            let people = batch(vec![("age", NUMBER, ages), ("ward", CATEGORY, wards)]);
            let ages = Column::Category(cells.iter().map(|(age, _)| age.clone()).collect());
            let wards = Column::Category(cells.iter().map(|(_, ward)| *ward).collect());
            let released = batch(vec![("age", CATEGORY, ages), ("ward", CATEGORY, wards)]);
            let table = ReleasedTable::new(&released, &domains, None).expect("texts");
            let found = find(&people, &table.quasi, table.sizes.len(), &domains);
            prop_assert_eq!(found, one_by_one(&people, &table, &domains));
        }
    }

    #[test]
    fn many_people_are_found_on_several_threads_as_on_one() {
        let ages: Vec<f64> = (0..3 * CHUNK).map(|row| (row * 7 % 9000) as f64).collect();
        let texts = (0..900).map(|class| Some(format!("{}..{}", 10 * class, 10 * class + 9)));
        let released = batch(vec![("age", CATEGORY, Column::Category(texts.collect()))]);
        let numbers = Column::Number(ages.iter().copied().map(Some).collect());
        let people = batch(vec![("age", NUMBER, numbers)]);
        let scale = Scale::Number {
            low: 0.0,
            high: 9000.0,
            date: None,
        };
        let domain = Domain {
            scale,
            hierarchy: None,
        };
        let domains = Domains::new([("age".to_owned(), domain)]);
        let table = ReleasedTable::new(&released, &domains, None).expect("texts");
        let found = find(&people, &table.quasi, table.sizes.len(), &domains);
        for (person, age) in ages.iter().enumerate() {
            assert_eq!(found.of(person), [*age as u32 / 10]);
        }
    }

    #[test]
    fn nobody_is_found_by_a_column_that_is_not_known() {
        let released = batch(vec![(
            "ward",
            CATEGORY,
            Column::Category([Some("*")].into_iter().collect()),
        )]);
        let table = ReleasedTable::new(&released, &Domains::default(), None).expect("texts");
        let numbers = Column::Number([Some(1.0), None].into_iter().collect());
        let people = batch(vec![("age", NUMBER, numbers)]);
        let found = find(&people, &table.quasi, 1, &Domains::default());
        assert_eq!(
            (found.len(), found.of(0), found.of(1)),
            (2, &[][..], &[][..])
        );
    }
}
