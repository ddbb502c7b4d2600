//! Classes of rows that are made finer column by column, without those of one person.
//!
//! A person who is alone by some columns is alone by more of them, and is not looked at again:
//! the more columns, the fewer rows are left ("stripped partitions" of Huhtala and others 1999).

use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Rows in classes of at least two persons.
#[derive(Clone, Debug, Default)]
pub(crate) struct Partition {
    /// The rows, class after class.
    rows: Vec<u32>,
    /// Where each class ends.
    ends: Vec<u32>,
}

impl Partition {
    /// All rows in one class.
    pub(crate) fn whole(rows: usize) -> Self {
        match rows {
            0 | 1 => Partition::default(),
            _ => Partition {
                rows: (0..rows as u32).collect(),
                ends: vec![rows as u32],
            },
        }
    }

    /// Whether every row is alone.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Rows that are not alone.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The classes.
    pub(crate) fn classes(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let bounds = starts.zip(&self.ends);
        bounds.map(|(start, &end)| &self.rows[start as usize..end as usize])
    }

    /// The classes by one more column of codes; `alone` is told of rows of classes that now
    /// hold rows of one person.
    pub(crate) fn refined(
        &self,
        codes: &[u32],
        person: impl Fn(u32) -> u32,
        mut alone: impl FnMut(u32),
    ) -> Self {
        let mut finer = Partition {
            rows: Vec::with_capacity(self.rows.len()),
            ends: Vec::new(),
        };
        let mut parts: HashMap<u32, Part, FixedState> = HashMap::default();
        let mut order: Vec<u32> = Vec::new();
        for class in self.classes() {
            parts.clear();
            order.clear();
            for &row in class {
                let (code, person) = (codes[row as usize], person(row));
                let part = parts.entry(code).or_insert_with(|| {
                    order.push(code);
                    Part {
                        person,
                        mixed: false,
                        count: 0,
                    }
                });
                part.mixed |= part.person != person;
                part.count += 1;
            }
            let mut next = finer.rows.len() as u32;
            for code in &order {
                if let Some(part) = parts.get_mut(code).filter(|part| part.mixed) {
                    let start = next;
                    next += part.count;
                    part.count = start;
                    finer.ends.push(next);
                }
            }
            finer.rows.resize(next as usize, 0);
            for &row in class {
                match parts.get_mut(&codes[row as usize]) {
                    Some(part) if part.mixed => {
                        finer.rows[part.count as usize] = row;
                        part.count += 1;
                    }
                    _ => alone(row),
                }
            }
        }
        finer
    }
}

/// The rows of a class that have one code.
struct Part {
    /// Whose the first one is.
    person: u32,
    /// Others are somebody else's.
    mixed: bool,
    /// How many there are, then the place of the next one.
    count: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_those_of_equal_codes_and_rows_alone_are_told_once() {
        let (a, b) = ([1, 1, 2, 2, 2, 3], [7, 8, 7, 7, 9, 7]);
        let mut alone = Vec::new();
        let own = |row| row;
        let by_a = Partition::whole(6).refined(&a, own, |row| alone.push(row));
        let classes: Vec<Vec<u32>> = by_a.classes().map(<[u32]>::to_vec).collect();
        assert_eq!(classes, [vec![0, 1], vec![2, 3, 4]]);
        assert_eq!(alone, [5]);
        let by_both = by_a.refined(&b, own, |row| alone.push(row));
        let classes: Vec<Vec<u32>> = by_both.classes().map(<[u32]>::to_vec).collect();
        assert_eq!((classes, by_both.len()), (vec![vec![2, 3]], 2));
        assert_eq!(alone, [5, 0, 1, 4]);
        let mut alone = Vec::new();
        let persons = [5, 5, 6, 6, 6, 7];
        let of = |row: u32| persons[row as usize];
        let none = Partition::whole(6).refined(&a, of, |row| alone.push(row));
        assert!(none.is_empty());
        assert_eq!(alone, [0, 1, 2, 3, 4, 5]);
        assert!(Partition::whole(1).is_empty() && Partition::whole(0).is_empty());
    }
}
