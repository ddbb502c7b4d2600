//! How a policy describes a hierarchy, before the values are known.

use super::dates::{self, DateUnit};
use super::file::HierarchyTable;
use super::mask::{self, MaskSide};
use super::texts::Texts;
use super::{Hierarchy, intervals, path};
use crate::data::levels::Levels;
use crate::data::schema::Kind;
use crate::data::{Column, Field};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The rule by which the values of a column generalise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HierarchySpec {
    /// A CSV file in the layout of ARX: no header, a row a value, most special first.
    File(PathBuf),
    /// What such a file holds, for whoever has no files.
    Table(HierarchyTable),
    /// Numbers fall into intervals of these widths, each a multiple of the one before.
    Intervals(Vec<f64>),
    /// Characters are masked from one side: 4041, 404*, 40**.
    Mask(MaskSide),
    /// Dates become months, quarters, years, decades.
    Dates(Vec<DateUnit>),
    /// A path with this separator, most general part first.
    Path(String),
    /// Square cells of these sizes in metres on latitude and longitude, finest first.
    Grid(Vec<f64>),
    /// H3 cells of these resolutions, finest (largest number) first.
    H3(Vec<u8>),
}

impl HierarchySpec {
    /// The tree over `values`, the distinct texts of the column `column` as they
    /// stand in the file (numbers written as Rust displays an `f64`, dates in
    /// their format), numbers and dates in ascending order.
    ///
    /// # Errors
    /// `Error::policy` when the rule does not fit the values or the file is no
    /// tree or misses values, with counts and no value; `Error::input` when values
    /// differ from the file only in spaces, letter case or Unicode form.
    pub fn build(&self, column: &str, values: &Levels, texts: Texts) -> Result<Hierarchy> {
        match self {
            HierarchySpec::File(path) => HierarchyTable::read(path)?.build(column, values, texts),
            HierarchySpec::Table(table) => table.build(column, values, texts),
            HierarchySpec::Intervals(widths) => intervals::build(widths, column, values, texts),
            HierarchySpec::Mask(side) => mask::build(*side, column, values),
            HierarchySpec::Dates(units) => dates::build(units, column, values, texts),
            HierarchySpec::Path(separator) => path::build(separator, column, values),
            HierarchySpec::Grid(_) | HierarchySpec::H3(_) => Err(Error::policy(format!(
                "column `{column}`: a geographic hierarchy is made from a latitude and a longitude"
            ))
            .help("name both columns, or give the column another hierarchy")),
        }
    }

    /// The same rule with what its file holds in place of the file.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn loaded(&self) -> Result<Self> {
        match self {
            HierarchySpec::File(path) => Ok(HierarchySpec::Table(HierarchyTable::read(path)?)),
            other => Ok(other.clone()),
        }
    }

    /// The same rule, by who reads files from elsewhere.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn loaded_by(&self, read: impl FnOnce(&Path) -> Result<Vec<u8>>) -> Result<Self> {
        match self {
            HierarchySpec::File(path) => {
                let table = HierarchyTable::of_bytes(path, read(path)?)?;
                Ok(HierarchySpec::Table(table))
            }
            other => Ok(other.clone()),
        }
    }

    /// The tree over the values that a column holds.
    ///
    /// # Errors
    /// As [`HierarchySpec::build`].
    pub fn build_for(&self, field: &Field, column: &Column) -> Result<Hierarchy> {
        let values = distinct_texts(&field.kind, column)?;
        self.build(&field.name, &values, Texts::of(&field.kind))
    }
}

/// The distinct texts of a column as they stand in the file: numbers and dates
/// in ascending order, categories in the order of their texts.
pub fn distinct_texts(kind: &Kind, column: &Column) -> Result<Levels> {
    match column {
        Column::Category(categories) => Ok(categories.sorted().levels().as_ref().clone()),
        Column::Number(numbers) => {
            // Adding 0 makes −0 the same text as 0.
            let mut values: Vec<f64> = numbers.iter().flatten().map(|n| n + 0.0).collect();
            values.sort_unstable_by(f64::total_cmp);
            values.dedup();
            Ok(match kind {
                Kind::Date(format) => values.iter().map(|&n| format.format(n as i32)).collect(),
                _ => values.iter().map(f64::to_string).collect(),
            })
        }
        Column::Plain(_) => Err(Error::bug("a column with a hierarchy was read as plain")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, DateFormat, Numbers};

    #[test]
    fn distinct_texts_are_those_of_the_file() {
        let number = Kind::Number { integer: false };
        let date = Kind::Date(DateFormat::ISO);
        let numbers = [Some(2.5), None, Some(-0.0), Some(0.0), Some(-3.0)];
        let numbers = Column::Number(Numbers::from_iter(numbers));
        let days = Column::Number(Numbers::new(vec![1.0, 0.0, 1.0]));
        let words = Categories::from_iter([Some("b"), Some("x"), Some("a")]).take(&[2, 0, 2]);
        for (kind, column, expected) in [
            (&number, numbers, &["-3", "0", "2.5"][..]),
            (&date, days, &["1970-01-01", "1970-01-02"]),
            (
                &Kind::Category { ordered: false },
                Column::Category(words),
                &["a", "b"],
            ),
        ] {
            let texts = distinct_texts(kind, &column).expect("texts");
            assert_eq!(texts.iter().collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_geographic_hierarchy_is_not_made_from_one_column() {
        let spec = HierarchySpec::Grid(vec![100.0]);
        let error = spec.build("place", &Levels::default(), Texts::Category);
        assert_eq!(error.expect_err("refused").exit_code(), 3);
    }
}
