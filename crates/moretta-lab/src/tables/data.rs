//! The tables of the study, and the policy under which methods are tried on them.
//!
//! Fewer rows than a file has are taken at even distances from all of it; more are the same
//! rows again. All policies allow every method to suppress 5 % of the rows.

use crate::delimited::{read_columns, read_text};
use moretta::Result;
use moretta::policy::{Policy, Root};
use moretta::protect::Method;
use moretta::{Error, pipeline};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

/// A public table.
#[derive(Debug, PartialEq)]
pub(super) struct Table {
    pub(super) name: &'static str,
    /// What a reader should know of it.
    pub(super) note: &'static str,
    folder: &'static str,
    file: &'static str,
    delimiter: char,
    /// The quasi-identifiers, and what the policy says of them besides.
    columns: &'static [(&'static str, &'static str)],
    /// The share of rows that may be suppressed.
    suppress: &'static str,
}

/// A hierarchy lies beside the table, in `adult_hierarchy_NAME.csv`.
const SHIPPED: &str = "shipped";

/// A hierarchy of which each value is right under `*`.
const FLAT: &str = "flat";

/// Age and sampling weight: the table of which the source study printed figures.
pub(super) const AGE_AND_WEIGHT: Table = Table {
    name: "age and fnlwgt",
    note: "Adult as UCI ships it, the training part; the two numbers of the source study, without hierarchies; nothing may be suppressed",
    folder: "adult-uci",
    file: "adult-uci.csv",
    delimiter: ',',
    columns: &[("age", ""), ("fnlwgt", "")],
    suppress: "0",
};

/// Nine columns with the hierarchies of ARX.
pub(super) const ADULT: Table = Table {
    name: "adult",
    note: "complete rows of Adult, nine columns with the hierarchies that ARX ships; 5 % may be suppressed",
    folder: "adult",
    file: "adult.csv",
    delimiter: ';',
    columns: &[
        ("sex", SHIPPED),
        ("age", SHIPPED),
        ("race", SHIPPED),
        ("marital-status", SHIPPED),
        ("education", SHIPPED),
        ("native-country", SHIPPED),
        ("workclass", SHIPPED),
        ("occupation", SHIPPED),
        ("salary-class", SHIPPED),
    ],
    suppress: "0.05",
};

const GERMAN: Table = Table {
    name: "german",
    note: "German Credit, eight columns; age and duration in intervals, all other values right under *; 5 % may be suppressed",
    folder: "german",
    file: "german.csv",
    delimiter: ',',
    columns: &[
        ("age", "hierarchy = { intervals = [5, 10, 20, 40] }"),
        (
            "duration_months",
            "hierarchy = { intervals = [6, 12, 24, 48] }",
        ),
        ("personal_status_sex", FLAT),
        ("employment_since", FLAT),
        ("job", FLAT),
        ("housing", FLAT),
        ("residence_since", FLAT),
        ("foreign_worker", FLAT),
    ],
    suppress: "0.05",
};

const CENSUS: Table = Table {
    name: "census",
    note: "Census, five amounts in intervals that double; 5 % may be suppressed",
    folder: "census",
    file: "census.csv",
    delimiter: ',',
    columns: &[
        (
            "AFNLWGT",
            "hierarchy = { intervals = [50000, 100000, 200000, 400000] }",
        ),
        (
            "AGI",
            "hierarchy = { intervals = [10000, 20000, 40000, 80000] }",
        ),
        (
            "FEDTAX",
            "hierarchy = { intervals = [2500, 5000, 10000, 20000] }",
        ),
        (
            "PTOTVAL",
            "hierarchy = { intervals = [10000, 20000, 40000, 80000] }",
        ),
        (
            "FICA",
            "hierarchy = { intervals = [1000, 2000, 4000, 8000] }",
        ),
    ],
    suppress: "0.05",
};

/// The tables on which the methods stand side by side.
pub(super) const SIDE_BY_SIDE: [&Table; 3] = [&ADULT, &GERMAN, &CENSUS];

/// Rows of a table.
pub(super) struct Rows {
    pub(super) table: &'static Table,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// Its rows, at most so many.
    pub(super) fn read(&'static self, data: &Path, most: usize) -> Result<Rows> {
        let path = data.join(self.folder).join(self.file);
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| *name).collect();
        let all = Rows {
            table: self,
            rows: read_columns(&path, self.delimiter, &names)?,
        };
        Ok(match all.len() > most {
            true => all.taken(most),
            false => all,
        })
    }

    fn policy_text(&self, method: &str) -> String {
        let mut text = "version = 1\n[source]\npath = \"rows.csv\"\n[columns]\n".to_owned();
        for (name, rest) in self.columns {
            let rest = match *rest {
                "" => String::new(),
                SHIPPED | FLAT => {
                    let file = hierarchy_file(name);
                    format!(", type = \"category\", hierarchy = {{ file = \"{file}\" }}")
                }
                other => format!(", {other}"),
            };
            let _ = writeln!(text, "{name} = {{ role = \"quasi\"{rest} }}");
        }
        let guarantee = match method.contains("mu-argus") || method.contains("microaggregation") {
            true => "",
            false => "[guarantee]\nk = 2\n",
        };
        text + guarantee + "[[protect]]\n" + method + "\n"
    }

    /// A method by the lines of a policy; `SUPPRESS` stands for the share of this table.
    pub(super) fn method(&self, lines: &str) -> Result<Method> {
        let share = format!("suppress = {}", self.suppress);
        let text = self.policy_text(&lines.replace("SUPPRESS", &share));
        let root = Root::of_policy(Path::new("policy.toml"), None)?;
        Ok(Policy::parse(&text, &root)?.plan.protect.remove(0))
    }
}

impl Rows {
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// So many rows: at even distances, or all of them again and again.
    pub(super) fn taken(&self, count: usize) -> Rows {
        let all = self.len();
        let place = |row: usize| match count < all {
            true => row * all / count,
            false => row % all,
        };
        Rows {
            table: self.table,
            rows: (0..count)
                .map(|row| self.rows[place(row)].clone())
                .collect(),
        }
    }

    /// The cells of a column as numbers.
    pub(super) fn numbers(&self, column: usize) -> Result<Vec<f64>> {
        let number = |row: &Vec<String>| row[column].parse().ok();
        let numbers: Option<Vec<f64>> = self.rows.iter().map(number).collect();
        let fault = || Error::input("not a number").in_column(self.table.columns[column].0);
        numbers.ok_or_else(fault)
    }

    /// A hierarchy of the values of a column right under `*`.
    fn flat(&self, column: usize) -> String {
        let values: BTreeSet<&str> = self.rows.iter().map(|row| &*row[column]).collect();
        let lines = values.iter().map(|value| format!("{value};*\n"));
        lines.collect()
    }

    /// Writes the rows and what belongs to them into a folder, and reads the policy that Mondrian
    /// is in.
    pub(super) fn policy(&self, data: &Path, folder: &Path) -> Result<Policy> {
        let names: Vec<&str> = self.table.columns.iter().map(|(name, _)| *name).collect();
        let mut text = names.join(",") + "\n";
        for row in &self.rows {
            text += &row.join(",");
            text.push('\n');
        }
        crate::output::write(&folder.join("rows.csv"), &text)?;
        for (column, (name, rest)) in self.table.columns.iter().enumerate() {
            let file = hierarchy_file(name);
            let hierarchy = match *rest {
                SHIPPED => read_text(&data.join(self.table.folder).join(&file))?,
                FLAT => self.flat(column),
                _ => continue,
            };
            crate::output::write(&folder.join(file), &hierarchy)?;
        }
        let suppress = self.table.suppress;
        let method = format!("method = \"mondrian\"\nsuppress = {suppress}");
        let root = Root::of_policy(&folder.join("policy.toml"), None)?;
        let policy = Policy::parse(&self.table.policy_text(&method), &root)?;
        pipeline::check(&policy)?;
        Ok(policy)
    }
}

fn hierarchy_file(column: &str) -> String {
    format!("adult_hierarchy_{column}.csv")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ten() -> Rows {
        Rows {
            table: &AGE_AND_WEIGHT,
            rows: (0..10)
                .map(|row| vec![row.to_string(), "7".to_owned()])
                .collect(),
        }
    }

    #[test]
    fn fewer_rows_come_from_all_of_the_table_and_more_are_repeated() {
        let ages = |count| ten().taken(count).numbers(0).expect("numbers");
        assert_eq!(ages(4), [0.0, 2.0, 5.0, 7.0]);
        assert_eq!(ages(12)[9..], [9.0, 0.0, 1.0]);
        assert_eq!(ages(10), ten().numbers(0).expect("numbers"));
    }

    #[test]
    fn a_table_that_is_not_there_names_the_option() {
        let error = AGE_AND_WEIGHT.read(Path::new("nowhere"), 10).err();
        let help = error.and_then(|error| error.help_text().map(str::to_owned));
        assert!(help.is_some_and(|help| help.contains("--data")));
    }

    #[test]
    fn every_table_has_a_policy_that_can_be_read() {
        for table in [&AGE_AND_WEIGHT, &ADULT, &GERMAN, &CENSUS] {
            let method = table.method("method = \"mondrian\"\nSUPPRESS");
            assert_eq!(method.expect("read").name(), "mondrian", "{}", table.name);
        }
    }
}
