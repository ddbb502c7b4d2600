//! A file of comma-separated cells, none of them quoted, with a header.

use moretta::{Error, Result};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The cells of a file.
pub(super) struct TextTable {
    path: PathBuf,
    text: String,
}

impl TextTable {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| match e.kind() {
            ErrorKind::NotFound => Error::input("there is no such file").in_file(path).help(
                "name the folder of the public data with --data, or choose other sets with --sets",
            ),
            _ => Error::io("read", path, e),
        })?;
        Ok(TextTable {
            path: path.to_owned(),
            text,
        })
    }

    /// The numbers of some columns, row by row; none for a row that lacks one (`?`).
    pub(super) fn numbers(&self, columns: &[&str]) -> Result<Vec<Option<Vec<f64>>>> {
        let places: Vec<usize> = columns
            .iter()
            .map(|column| self.place(column))
            .collect::<Result<_>>()?;
        let lines = self.lines();
        lines
            .map(|(number, line)| {
                let cells: Vec<&str> = line.split(',').collect();
                let cell = |(&place, column): (&usize, &&str)| {
                    let cell = cells.get(place).copied().unwrap_or_default();
                    match cell {
                        "?" => Ok(None),
                        _ => self.number(cell, number, column).map(Some),
                    }
                };
                places.iter().zip(columns).map(cell).collect()
            })
            .collect()
    }

    /// The texts of a column as codes, in the order of their first appearance.
    pub(super) fn codes(&self, column: &str) -> Result<Vec<u32>> {
        let place = self.place(column)?;
        let mut names: Vec<&str> = Vec::new();
        let mut codes = Vec::new();
        for (number, line) in self.lines() {
            let Some(name) = line.split(',').nth(place) else {
                return Err(self.fault("a cell is missing", number, column));
            };
            let known = names.iter().position(|known| *known == name);
            codes.push(known.unwrap_or(names.len()) as u32);
            if known.is_none() {
                names.push(name);
            }
        }
        Ok(codes)
    }

    fn lines(&self) -> impl Iterator<Item = (u64, &str)> {
        (1..).zip(self.text.lines()).skip(1)
    }

    fn place(&self, column: &str) -> Result<usize> {
        let header = self.text.lines().next().unwrap_or_default();
        let place = header.split(',').position(|name| name == column);
        place.ok_or_else(|| self.fault("there is no such column", 1, column))
    }

    fn number(&self, cell: &str, line: u64, column: &str) -> Result<f64> {
        let number = cell.parse().ok().filter(|number: &f64| number.is_finite());
        number.ok_or_else(|| self.fault("not a number", line, column))
    }

    fn fault(&self, what: &str, line: u64, column: &str) -> Error {
        Error::input(what)
            .in_file(&self.path)
            .on_line(line)
            .in_column(column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> TextTable {
        TextTable {
            path: PathBuf::from("file.csv"),
            text: text.to_owned(),
        }
    }

    #[test]
    fn columns_are_read_by_name_and_rows_that_lack_a_number_are_none() {
        let table = table("a,b,class\n1,2,x\n?,3,y\n4,5,x\n");
        let numbers = table.numbers(&["b", "a"]).expect("numbers");
        assert_eq!(numbers, [Some(vec![2.0, 1.0]), None, Some(vec![5.0, 4.0])]);
        assert_eq!(table.codes("class").expect("codes"), [0, 1, 0]);
    }

    #[test]
    fn faults_name_the_place_and_not_the_cell() {
        for (text, column, place) in [
            ("a,b\n1,secret\n", "b", "line 2"),
            ("a,b\n1,2\n1\n", "b", "line 3"),
            ("a,b\n1,inf\n", "b", "line 2"),
            ("a,b\n1,2\n", "c", "line 1"),
            ("", "c", "line 1"),
        ] {
            let error = table(text).numbers(&[column]).expect_err("a fault");
            let told = error.to_string();
            assert!(told.contains(place) && told.contains("file.csv"), "{told}");
            assert!(!told.contains("secret"), "{told}");
        }
        assert!(table("a,b\n1\n").codes("b").is_err());
    }
}
