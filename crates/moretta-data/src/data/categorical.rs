//! Tables of categories: every attribute a column of codes of a declared domain.
//!
//! Codes are places in the domain, from 0. A missing value, where there can be one, is one more
//! category in the last place. Distances and averages are those of the literature on categorical
//! microdata: ordered categories differ by |a - b| / L, others by 0 or 1, records by the sum over
//! their attributes; the average of a group is the lower median of ordered categories, and the
//! most frequent one of the others, of several the first.

use crate::error::{Error, Result};

/// An attribute whose values are categories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Whether the order of the codes means something.
    pub ordered: bool,
    /// How many categories the domain has, also those that no row shows.
    pub levels: usize,
}

impl Variable {
    /// An attribute of ordered categories.
    pub fn ordinal(levels: usize) -> Self {
        Variable {
            ordered: true,
            levels,
        }
    }

    /// An attribute of categories that are equal or not.
    pub fn nominal(levels: usize) -> Self {
        Variable {
            ordered: false,
            levels,
        }
    }

    /// How far two categories are apart, from 0 to less than 1, or 1.
    #[inline]
    pub fn distance(self, a: u32, b: u32) -> f64 {
        if self.ordered {
            f64::from(a.abs_diff(b)) / self.levels as f64
        } else {
            f64::from(a != b)
        }
    }

    /// The average of a group of which category `c` has `counts[c]` members; none of nothing.
    pub fn average(self, counts: &[usize]) -> Option<u32> {
        let size: usize = counts.iter().sum();
        if size == 0 {
            return None;
        }
        let code = if self.ordered {
            let middle = size.div_ceil(2);
            let mut below = 0;
            counts.iter().position(|count| {
                below += count;
                below >= middle
            })?
        } else {
            let most = counts.iter().max()?;
            counts.iter().position(|count| count == most)?
        };
        Some(code as u32)
    }
}

/// Rows of categories, column by column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CategoricalTable {
    variables: Vec<Variable>,
    columns: Vec<Vec<u32>>,
    rows: usize,
}

impl CategoricalTable {
    /// A table of these columns.
    ///
    /// # Errors
    /// When columns differ in length, or hold codes outside of their domain.
    pub fn new(variables: Vec<Variable>, columns: Vec<Vec<u32>>) -> Result<Self> {
        let rows = columns.first().map_or(0, Vec::len);
        let fits = |(variable, column): (&Variable, &Vec<u32>)| {
            column.len() == rows && column.iter().all(|&code| (code as usize) < variable.levels)
        };
        let same = variables.len() == columns.len();
        if !same || !variables.iter().zip(&columns).all(fits) {
            return Err(Error::bug("codes outside of their domain"));
        }
        Ok(CategoricalTable {
            variables,
            columns,
            rows,
        })
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many attributes a row has.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// The attributes.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The codes of an attribute.
    pub fn column(&self, attribute: usize) -> &[u32] {
        &self.columns[attribute]
    }

    /// The codes of an attribute, to be changed; they must stay in its domain.
    pub fn column_mut(&mut self, attribute: usize) -> &mut [u32] {
        &mut self.columns[attribute]
    }

    /// The codes of a row.
    pub fn row(&self, row: usize) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.columns.iter().map(move |column| column[row])
    }

    /// How far a row is from a record with these codes.
    pub fn distance(&self, row: usize, record: &[u32]) -> f64 {
        let codes = self.row(row).zip(record);
        let distances = self.variables.iter().zip(codes);
        distances.map(|(of, (a, &b))| of.distance(a, b)).sum()
    }

    /// The average record of some rows; none of no rows.
    pub fn average(&self, rows: &[usize]) -> Option<Vec<u32>> {
        let average = |(variable, column): (&Variable, &Vec<u32>)| {
            let mut counts = vec![0; variable.levels];
            for &row in rows {
                counts[column[row] as usize] += 1;
            }
            variable.average(&counts)
        };
        self.variables
            .iter()
            .zip(&self.columns)
            .map(average)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_divide_by_the_size_of_the_domain() {
        assert_eq!(Variable::ordinal(5).distance(4, 1), 0.6);
        assert_eq!(Variable::ordinal(5).distance(2, 2), 0.0);
        assert_eq!(Variable::nominal(5).distance(4, 1), 1.0);
        assert_eq!(Variable::nominal(5).distance(3, 3), 0.0);
    }

    #[test]
    fn averages_are_lower_medians_and_first_modes() {
        assert_eq!(Variable::ordinal(4).average(&[1, 1, 1, 1]), Some(1));
        assert_eq!(Variable::ordinal(4).average(&[1, 0, 1, 1]), Some(2));
        assert_eq!(Variable::nominal(4).average(&[0, 2, 1, 2]), Some(1));
        assert_eq!(Variable::nominal(4).average(&[0; 4]), None);
        let table = CategoricalTable::new(
            vec![Variable::ordinal(3), Variable::nominal(2)],
            vec![vec![0, 1, 2, 2], vec![1, 0, 1, 0]],
        );
        let table = table.expect("codes of their domains");
        assert_eq!(table.average(&[0, 2]), Some(vec![0, 1]));
        assert_eq!(table.average(&[0, 1, 2, 3]), Some(vec![1, 0]));
        assert_eq!(table.average(&[]), None);
        assert_eq!(table.distance(3, &[0, 1]), 2.0 / 3.0 + 1.0);
    }

    #[test]
    fn codes_outside_of_their_domain_are_refused() {
        let two = || vec![Variable::ordinal(2)];
        assert!(CategoricalTable::new(two(), vec![vec![0, 2]]).is_err());
        assert!(CategoricalTable::new(two(), vec![]).is_err());
        let uneven = vec![vec![0, 1], vec![0]];
        assert!(CategoricalTable::new([two(), two()].concat(), uneven).is_err());
    }
}
