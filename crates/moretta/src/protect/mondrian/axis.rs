//! A quasi-identifier as an axis of whole-number codes.
//!
//! Numbers are coded by rank or by cell, categories by level, values with a
//! hierarchy by their leaf in tree order, and a missing value by the code after the last.
//! The partitioning then knows nothing but codes.

use super::super::ranks::ranks;
use super::bounds::Bounds;
use super::grid::{Grid, Sharing};
use crate::data::hierarchy::Hierarchy;
use crate::data::{Categories, Column, Domain, Numbers, Scale};
use crate::error::{Error, Result};
use std::sync::Arc;

/// One quasi-identifier: a code for each row and what the codes mean.
pub(super) struct Axis {
    /// One code a row.
    pub(super) codes: Vec<u32>,
    /// What a run of codes is worth.
    pub(super) ruler: Ruler,
}

/// How wide a run of codes is, from 0 (one value) to 1 (the whole domain), times a weight.
pub(super) struct Ruler {
    /// The code of a missing value, one more than the last code of a value.
    pub(super) missing: u32,
    /// How much the width counts beside that of other axes.
    pub(super) weight: f64,
    kind: RulerKind,
}

enum RulerKind {
    /// The distinct numbers, ascending.
    Numbers(Vec<f64>),
    /// The cells that hold numbers, ascending: the least and the largest value of each.
    Cells(Vec<(f64, f64)>),
    Categories,
    Tree(Arc<Hierarchy>),
}

impl Axis {
    /// Codes the column; a hierarchy of the domain is used when `tree` says so.
    pub(super) fn new(name: &str, column: &Column, domain: &Domain, tree: bool) -> Result<Self> {
        if !is_of(column, domain) {
            return Err(Error::policy(format!(
                "column `{name}` was changed by an earlier method and cannot be generalised again"
            ))
            .help("keep one method under [[protect]]"));
        }
        let hierarchy = domain.hierarchy.as_ref().filter(|_| tree);
        match (column, hierarchy) {
            (Column::Number(numbers), None) => Ok(Axis::of_numbers(numbers)),
            (Column::Number(numbers), Some(hierarchy)) => {
                let Axis { mut codes, ruler } = Axis::of_numbers(numbers);
                let leaves = ruler
                    .numbers()
                    .iter()
                    .map(|&n| leaf(name, hierarchy, &domain.number_text(n)))
                    .collect::<Result<Vec<u32>>>()?;
                Ok(Axis::of_leaves(&mut codes, &leaves, hierarchy))
            }
            (Column::Category(categories), None) => Ok(Axis::of_categories(categories)),
            (Column::Category(categories), Some(hierarchy)) => {
                let mut codes = Axis::of_categories(categories).codes;
                let leaves = categories
                    .levels()
                    .iter()
                    .map(|text| leaf(name, hierarchy, text))
                    .collect::<Result<Vec<u32>>>()?;
                Ok(Axis::of_leaves(&mut codes, &leaves, hierarchy))
            }
            (Column::Plain(_), _) => Err(Error::bug(format!(
                "column `{name}` is a quasi-identifier but was read as plain"
            ))),
        }
    }

    fn of_numbers(numbers: &Numbers) -> Self {
        let (values, codes) = ranks(numbers);
        let missing = values.len() as u32;
        let kind = RulerKind::Numbers(values);
        Axis {
            codes,
            ruler: Ruler::new(missing, kind),
        }
    }

    /// Numbers and dates by the cells of a grid, if the bounds are to have one.
    pub(super) fn within(mut self, bounds: Bounds, dates: bool, sharing: &Sharing) -> Self {
        let RulerKind::Numbers(values) = &self.ruler.kind else {
            return self;
        };
        let grid = match bounds {
            Bounds::Exact | Bounds::Hierarchy => None,
            Bounds::Rounded => Grid::of(values, &self.codes, dates, sharing),
            Bounds::Every(width) => {
                let whole = values.iter().all(|value| value.fract() == 0.0);
                Some(Grid::every(width, whole, dates))
            }
        };
        let Some(grid) = grid else {
            return self;
        };
        let mut cells: Vec<(f64, f64)> = Vec::new();
        let mut cell_of: Vec<u32> = Vec::with_capacity(values.len() + 1);
        for &value in values {
            let cell = grid.cell(value);
            if cells.last() != Some(&cell) {
                cells.push(cell);
            }
            cell_of.push(cells.len() as u32 - 1);
        }
        let missing = cells.len() as u32;
        cell_of.push(missing);
        for code in &mut self.codes {
            *code = cell_of[*code as usize];
        }
        let kind = RulerKind::Cells(cells);
        self.ruler = Ruler {
            missing,
            kind,
            ..self.ruler
        };
        self
    }

    fn of_categories(categories: &Categories) -> Self {
        Axis::of_codes(categories.codes(), categories.levels().len() as u32)
    }

    /// Codes below `size`; any other is a missing value.
    pub(super) fn of_codes(codes: &[u32], size: u32) -> Self {
        let kind = RulerKind::Categories;
        Axis {
            codes: codes.iter().map(|&code| code.min(size)).collect(),
            ruler: Ruler::new(size, kind),
        }
    }

    fn of_leaves(codes: &mut Vec<u32>, leaves: &[u32], hierarchy: &Arc<Hierarchy>) -> Self {
        let missing = hierarchy.leaf_count() as u32;
        for code in codes.iter_mut() {
            *code = leaves.get(*code as usize).copied().unwrap_or(missing);
        }
        let kind = RulerKind::Tree(Arc::clone(hierarchy));
        Axis {
            codes: std::mem::take(codes),
            ruler: Ruler::new(missing, kind),
        }
    }
}

/// Whether the domain was made for this column, so that its codes mean the same.
fn is_of(column: &Column, domain: &Domain) -> bool {
    match (column, &domain.scale) {
        (Column::Number(_), Scale::Number { .. }) | (Column::Plain(_), _) => true,
        (Column::Category(categories), Scale::Category { levels, .. }) => {
            Arc::ptr_eq(categories.levels(), levels) || categories.levels() == levels
        }
        _ => false,
    }
}

fn leaf(name: &str, hierarchy: &Hierarchy, text: &str) -> Result<u32> {
    hierarchy.leaf(text).ok_or_else(|| {
        Error::policy(format!(
            "the hierarchy of column `{name}` misses a value of the data"
        ))
        .help("run `moretta hierarchy check` to see how many")
    })
}

impl Ruler {
    fn new(missing: u32, kind: RulerKind) -> Self {
        Ruler {
            missing,
            weight: 1.0,
            kind,
        }
    }

    /// The width of the codes `low..=high`, times the weight; the whole domain when a missing
    /// value is among others.
    pub(super) fn width(&self, low: u32, high: u32) -> f64 {
        self.weight * self.share(low, high)
    }

    fn share(&self, low: u32, high: u32) -> f64 {
        if low == high {
            return 0.0;
        }
        if high == self.missing {
            return 1.0;
        }
        match &self.kind {
            RulerKind::Numbers(_) | RulerKind::Cells(_) => {
                let (least, largest) = self.interval(0, self.missing - 1);
                let (from, to) = self.interval(low, high);
                (to - from) / (largest - least)
            }
            RulerKind::Categories => f64::from(high - low) / f64::from(self.missing - 1),
            RulerKind::Tree(hierarchy) => {
                let (level, node) = hierarchy.lowest_common(low, high);
                hierarchy.leaves_under(level, node).len() as f64 / f64::from(self.missing)
            }
        }
    }

    /// The tree whose leaves the codes are.
    pub(super) fn tree(&self) -> Option<&Hierarchy> {
        match &self.kind {
            RulerKind::Tree(hierarchy) => Some(hierarchy),
            _ => None,
        }
    }

    /// The interval of numbers that the codes `low..=high` stand for.
    pub(super) fn interval(&self, low: u32, high: u32) -> (f64, f64) {
        let (low, high) = (low as usize, high as usize);
        match &self.kind {
            RulerKind::Numbers(values) => (values[low], values[high]),
            RulerKind::Cells(cells) => (cells[low].0, cells[high].1),
            RulerKind::Categories | RulerKind::Tree(_) => (low as f64, high as f64),
        }
    }

    /// The distinct numbers that the codes are ranks of.
    pub(super) fn numbers(&self) -> &[f64] {
        match &self.kind {
            RulerKind::Numbers(values) => values,
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Field, Kind, Role};

    fn domain(column: &Column, tree: Option<&[&str]>) -> Domain {
        let kind = match column {
            Column::Number(_) => Kind::Number { integer: false },
            _ => Kind::Category { ordered: false },
        };
        let tree = tree.map(|rows| {
            let chains: Vec<Vec<&str>> = rows.iter().map(|row| row.split(';').collect()).collect();
            Arc::new(Hierarchy::from_chains(&chains).expect("a tree"))
        });
        Domain::of(&Field::new("c", Role::Quasi, kind), column, tree).expect("protected")
    }

    fn axis(column: &Column, tree: Option<&[&str]>) -> Axis {
        Axis::new("c", column, &domain(column, tree), true).expect("fits")
    }

    #[test]
    fn widths_are_shares_of_the_domain() {
        let numbers = axis(
            &Column::Number([0.0, 1.0, 10.0].into_iter().map(Some).collect()),
            None,
        );
        assert_eq!(numbers.ruler.width(0, 1), 0.1);
        assert_eq!(numbers.ruler.width(0, 2), 1.0);
        assert_eq!(numbers.ruler.width(1, 1), 0.0);
        assert_eq!(numbers.ruler.width(2, 3), 1.0, "missing among others");
        assert_eq!(numbers.ruler.width(3, 3), 0.0, "missing alone");
        let column = Column::Category(["b", "a", "c"].into_iter().map(Some).collect());
        assert_eq!(axis(&column, None).ruler.width(0, 1), 0.5);
        let tree = axis(&column, Some(&["a;x;*", "b;x;*", "c;y;*", "d;y;*"]));
        assert_eq!(tree.codes, [1, 0, 2]);
        assert_eq!(tree.ruler.width(0, 1), 0.5);
        assert_eq!(tree.ruler.width(1, 2), 1.0);
        assert_eq!(
            tree.ruler.missing, 4,
            "all leaves count, not those that occur"
        );
    }

    #[test]
    fn a_value_outside_the_tree_is_refused_without_being_told() {
        let column = Column::Category(["a", "hunter2"].into_iter().map(Some).collect());
        let domain = domain(&column, Some(&["a;*", "b;*"]));
        let error = Axis::new("c", &column, &domain, true)
            .err()
            .expect("refused");
        assert_eq!(error.exit_code(), 3);
        assert!(!error.to_string().contains("hunter2"));
        assert!(Axis::new("c", &column, &domain, false).is_ok());
    }

    #[test]
    fn a_column_that_is_not_of_the_domain_is_refused() {
        let words = Column::Category(["a", "b"].into_iter().map(Some).collect());
        let others = Column::Category(["a", "c"].into_iter().map(Some).collect());
        let numbers = Column::Number([1.0, 2.0].into_iter().map(Some).collect());
        for (column, of) in [(&words, &numbers), (&numbers, &words), (&others, &words)] {
            let error = Axis::new("c", column, &domain(of, None), true).err();
            assert_eq!(error.expect("refused").exit_code(), 3);
        }
    }
}
