//! The public tables of the study, with the declared domains of their protected columns.

use crate::delimited::read_columns;
use crate::output::write;
use moretta::data::CategoricalTable;
use moretta::measure::categorical::{ScoreSettings, Scorer};
use moretta::pipeline::SearchTable;
use moretta::policy::{Policy, Root};
use moretta::{Error, Result};
use std::fmt::Write;
use std::ops::Range;
use std::path::Path;

/// What the cells of a column are.
#[derive(Debug)]
pub(super) enum Domain {
    /// Categories in their order, also those that no row shows.
    Ordered(&'static str),
    /// Categories that are equal or not.
    Nominal,
    Number,
}

/// A public table.
#[derive(Debug)]
pub(super) struct DataSet {
    pub(super) name: &'static str,
    /// What a reader should know of it.
    pub(super) note: &'static str,
    folder: &'static str,
    file: &'static str,
    columns: &'static [(&'static str, Domain)],
    /// Columns that no method changes, with which a changed one is crossed.
    untouched: &'static [&'static str],
    /// The first rows alone.
    rows: Option<usize>,
    /// Files of the first population of the source study, as recalled.
    pub(super) recalled: Option<usize>,
}

pub(super) const GERMAN: DataSet = DataSet {
    name: "german",
    note: "German Credit: EXISTACC (checking_status), SAVINGS and PRESEMPLOY (employment_since), ordered as coded",
    folder: "german",
    file: "german.csv",
    columns: &[
        ("checking_status", Domain::Ordered("A11 A12 A13 A14")),
        ("savings_status", Domain::Ordered("A61 A62 A63 A64 A65")),
        ("employment_since", Domain::Ordered("A71 A72 A73 A74 A75")),
    ],
    untouched: &["purpose", "age"],
    rows: None,
    recalled: Some(104),
};

pub(super) const FLARE: DataSet = DataSet {
    name: "flare",
    note: "Solar Flare, the second part: CLASS, LARGSPOT and SPOTDIST in the order of the description; class A is declared and never seen",
    folder: "flare",
    file: "flare2.csv",
    columns: &[
        ("class", Domain::Ordered("A B C D E F H")),
        ("largest_spot_size", Domain::Ordered("X R S A H K")),
        ("spot_distribution", Domain::Ordered("X O I C")),
    ],
    untouched: &["evolution", "C"],
    rows: None,
    recalled: Some(104),
};

pub(super) const ADULT: DataSet = DataSet {
    name: "adult",
    note: "the first 1,000 rows of Adult as UCI ships it: education in its order, marital-status and occupation without one; which rows the source study took is not known",
    rows: Some(1000),
    ..ALL_OF_ADULT
};

pub(super) const ALL_OF_ADULT: DataSet = DataSet {
    name: "adult, all rows",
    note: "the training part of Adult as UCI ships it",
    folder: "adult-uci",
    file: "adult-uci.csv",
    columns: &[
        (
            "education",
            Domain::Ordered(
                "Preschool 1st-4th 5th-6th 7th-8th 9th 10th 11th 12th HS-grad Some-college \
                 Assoc-voc Assoc-acdm Bachelors Masters Prof-school Doctorate",
            ),
        ),
        ("marital-status", Domain::Nominal),
        ("occupation", Domain::Nominal),
    ],
    untouched: &[],
    rows: None,
    recalled: Some(86),
};

pub(super) const TARRAGONA: DataSet = DataSet {
    name: "tarragona",
    note: "Tarragona, three of 13 numbers of 834 companies, as many as of the other tables, since a file of all 13 takes a third of a second to measure; loss is probabilistic information loss",
    folder: "tarragona",
    file: "tarragona.csv",
    columns: &[
        ("FIXED.ASSETS", Domain::Number),
        ("CURRENT.ASSETS", Domain::Number),
        ("SALES", Domain::Number),
    ],
    untouched: &[],
    rows: None,
    recalled: None,
};

/// A table in memory.
pub(super) struct Loaded {
    pub(super) set: &'static DataSet,
    pub(super) table: SearchTable,
    /// The cells of each column that no method changes.
    pub(super) untouched: Vec<(&'static str, Vec<String>)>,
}

impl DataSet {
    /// Reads its rows, at most so many from the first.
    pub(super) fn load(&'static self, data: &Path, most: usize) -> Result<Loaded> {
        self.load_columns(data, most, 0..self.width())
    }

    /// The same with some of its protected columns alone.
    pub(super) fn load_columns(
        &'static self,
        data: &Path,
        most: usize,
        places: Range<usize>,
    ) -> Result<Loaded> {
        let path = data.join(self.folder).join(self.file);
        let columns = &self.columns[places];
        let columns: Vec<(&str, &Domain)> = columns
            .iter()
            .map(|(name, domain)| (*name, domain))
            .collect();
        let read = |names: &[&str]| -> Result<Vec<Vec<String>>> {
            let mut rows = read_columns(&path, ',', names)?;
            rows.truncate(self.rows.unwrap_or(usize::MAX).min(most));
            Ok(rows)
        };
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        let untouched = |name: &&'static str| Ok((*name, read(&[*name])?.concat()));
        Ok(Loaded {
            set: self,
            table: in_memory(&columns, &read(&names)?)?,
            untouched: self
                .untouched
                .iter()
                .map(untouched)
                .collect::<Result<_>>()?,
        })
    }

    /// How many columns are protected.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }
}

/// A table of these rows through the product's own reader.
pub(super) fn in_memory(columns: &[(&str, &Domain)], rows: &[Vec<String>]) -> Result<SearchTable> {
    let folder = tempfile::tempdir().map_err(|e| Error::io("create", "a folder", e))?;
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let mut text = names.join(",") + "\n";
    for row in rows {
        text += &row.join(",");
        text.push('\n');
    }
    write(&folder.path().join("rows.csv"), &text)?;
    let root = Root::of_policy(&folder.path().join("policy.toml"), None)?;
    SearchTable::read(&Policy::parse(&policy_text(columns), &root)?)
}

fn policy_text(columns: &[(&str, &Domain)]) -> String {
    let mut text = "version = 1\n[source]\npath = \"rows.csv\"\n[columns]\n".to_owned();
    for (name, domain) in columns {
        let rest = match domain {
            Domain::Number => "type = \"number\"".to_owned(),
            Domain::Nominal => "type = \"category\"".to_owned(),
            Domain::Ordered(order) => {
                let order: Vec<&str> = order.split(' ').collect();
                format!("order = [\"{}\"]", order.join("\", \""))
            }
        };
        let _ = writeln!(text, "\"{name}\" = {{ role = \"quasi\", {rest} }}");
    }
    text + "[evolve]\n[sink]\npath = \"release.csv\"\n"
}

impl Loaded {
    pub(super) fn rows(&self) -> usize {
        self.table.originals().len()
    }

    /// The originals; an error of numbers.
    pub(super) fn originals(&self) -> Result<CategoricalTable> {
        self.table.categorical(self.table.originals())
    }

    /// Scores masked files of it.
    pub(super) fn scorer(&self) -> Result<Scorer> {
        Scorer::new(self.originals()?, ScoreSettings::default())
    }

    pub(super) fn holds_numbers(&self) -> bool {
        self.table.categories(0).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_its_declared_domains() {
        let rows = [["B", "x"], ["H", "y"], ["B", "x"]].map(|row| row.map(str::to_owned).to_vec());
        let ordered = Domain::Ordered("A B C D E F H");
        let columns = [("class", &ordered), ("other", &Domain::Nominal)];
        let table = in_memory(&columns, &rows).expect("read");
        let categories = table.categorical(table.originals()).expect("categories");
        let levels: Vec<usize> = categories.variables().iter().map(|v| v.levels).collect();
        assert_eq!(levels, [7, 2]);
        assert_eq!(categories.column(0), [1, 6, 1]);
        assert!(categories.variables()[0].ordered && !categories.variables()[1].ordered);
    }
}
