//! The made-up admissions that the tests spoil.

use super::{CANARY, CANARY_NUMBER};

/// The names of the columns.
pub(crate) const HEADER: [&str; 8] = [
    "name",
    "patient",
    "age",
    "sex",
    "zip",
    "admission",
    "diagnosis",
    "cost",
];

/// Rows of cells under [`HEADER`].
#[derive(Clone)]
pub(crate) struct Table {
    /// The cells, row by row.
    pub(crate) rows: Vec<[String; 8]>,
}

impl Table {
    /// `n` admissions of as many persons, each name and id a canary.
    pub(crate) fn of(n: usize) -> Self {
        let diagnoses = ["asthma", "burn", "cold"];
        let row = |i: usize| {
            [
                format!("{CANARY}-{i}"),
                format!("{CANARY_NUMBER}{i}"),
                (20 + i * 7 % 60).to_string(),
                ["f", "m"][i / 2 % 2].to_owned(),
                (4040 + i % 20).to_string(),
                format!("2024-{:02}-{:02}", 1 + i % 12, 1 + i % 28),
                diagnoses[i % 3].to_owned(),
                (100 + i).to_string(),
            ]
        };
        Table {
            rows: (0..n).map(row).collect(),
        }
    }

    /// With another cell on line `line` of the file.
    pub(crate) fn with(mut self, line: usize, column: &str, cell: &str) -> Self {
        self.rows[line - 2][place(column)] = cell.to_owned();
        self
    }

    /// With the same cell in every row of a column.
    pub(crate) fn with_all(mut self, column: &str, cell: &str) -> Self {
        for row in &mut self.rows {
            row[place(column)] = cell.to_owned();
        }
        self
    }

    /// With the cells of a column made from the number of the row.
    pub(crate) fn with_each(mut self, column: &str, cell: impl Fn(usize) -> String) -> Self {
        for (i, row) in self.rows.iter_mut().enumerate() {
            row[place(column)] = cell(i);
        }
        self
    }

    /// The lines of the file, the header first.
    pub(crate) fn lines(&self) -> Vec<String> {
        let rows = self.rows.iter().map(|row| row.join(","));
        [HEADER.join(",")].into_iter().chain(rows).collect()
    }

    /// The file.
    pub(crate) fn csv(&self) -> String {
        self.lines().join("\n") + "\n"
    }

    /// The file, with one line (counted from 1) changed.
    pub(crate) fn csv_with_line(&self, line: usize, change: impl Fn(&str) -> String) -> String {
        let mut lines = self.lines();
        lines[line - 1] = change(&lines[line - 1]);
        lines.join("\n") + "\n"
    }
}

fn place(column: &str) -> usize {
    HEADER
        .iter()
        .position(|name| *name == column)
        .expect("a column of the table")
}
