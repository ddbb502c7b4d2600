//! Results as sheets: each is a table on the terminal and a file of comma-separated values.

use crate::text_rows::add_rows;
use moretta_report::count;

/// A cell of a sheet.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Text(String),
    Number(f64),
    Whole(u64),
    Nothing,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Cell::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Cell::Text(text)
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Cell::Number(number)
    }
}

impl From<Option<f64>> for Cell {
    fn from(number: Option<f64>) -> Self {
        number.map_or(Cell::Nothing, Cell::Number)
    }
}

impl From<usize> for Cell {
    fn from(number: usize) -> Self {
        Cell::Whole(number as u64)
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Self {
        Cell::Whole(number)
    }
}

impl From<u32> for Cell {
    fn from(number: u32) -> Self {
        Cell::Whole(u64::from(number))
    }
}

impl Cell {
    /// As a terminal shows it: numbers to two digits behind the point.
    fn shown(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Number(number) => format!("{number:.2}"),
            Cell::Whole(number) => count(*number),
            Cell::Nothing => "–".to_owned(),
        }
    }

    /// As a file holds it: all digits.
    fn written(&self) -> String {
        match self {
            Cell::Text(text) => format!("\"{}\"", text.replace('"', "\"\"")),
            Cell::Number(number) => number.to_string(),
            Cell::Whole(number) => number.to_string(),
            Cell::Nothing => String::new(),
        }
    }
}

/// Where a sheet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Terminal,
    File,
    Both,
}

/// A table of results.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    /// The name of its file, without the ending.
    pub(crate) name: &'static str,
    pub(crate) title: String,
    pub(crate) place: Place,
    pub(crate) head: Vec<String>,
    pub(crate) rows: Vec<Vec<Cell>>,
    /// What a reader should know, below the table.
    pub(crate) notes: Vec<String>,
}

impl Sheet {
    pub(crate) fn new(name: &'static str, title: &str, place: Place, head: &[&str]) -> Self {
        Sheet {
            name,
            title: title.to_owned(),
            place,
            head: head.iter().map(|word| (*word).to_owned()).collect(),
            rows: Vec::new(),
            notes: Vec::new(),
        }
    }

    pub(crate) fn note(&mut self, words: impl Into<String>) {
        self.notes.push(words.into());
    }
}

/// A row of a sheet.
macro_rules! row {
    ($($cell:expr),* $(,)?) => { vec![$(crate::sheet::Cell::from($cell)),*] };
}
pub(crate) use row;

/// The sheets of a terminal.
pub(crate) fn text(sheets: &[Sheet]) -> String {
    let mut text = String::new();
    for sheet in sheets.iter().filter(|sheet| sheet.place != Place::File) {
        text += &sheet.title;
        text.push('\n');
        let mut rows = vec![sheet.head.clone()];
        let shown = |row: &Vec<Cell>| row.iter().map(Cell::shown).collect();
        rows.extend(sheet.rows.iter().map(shown));
        add_rows(&mut text, &rows);
        for note in &sheet.notes {
            text += note;
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

/// The name and the text of each file.
pub(crate) fn files(sheets: &[Sheet]) -> Vec<(String, String)> {
    let sheets = sheets.iter().filter(|sheet| sheet.place != Place::Terminal);
    sheets
        .map(|sheet| {
            let mut text = sheet.head.join(",").replace(' ', "_") + "\n";
            for row in &sheet.rows {
                let cells: Vec<String> = row.iter().map(Cell::written).collect();
                text += &cells.join(",");
                text.push('\n');
            }
            (format!("{}.csv", sheet.name), text)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sheet;

    #[test]
    fn a_sheet_is_short_on_a_terminal_and_exact_in_a_file() {
        let mut sheet = Sheet::new("x", "Title", Place::Both, &["data", "best score", "n"]);
        sheet.rows.push(sheet::row!["a \"b\"", 1.23456, 1000_u64]);
        sheet.rows.push(sheet::row!["c", None, 7_usize]);
        sheet.note("told");
        let sheets = [sheet];
        let shown = text(&sheets);
        assert_eq!(
            shown,
            "Title\ndata   best score      n\na \"b\"        1.23  1,000\nc               –      7\ntold\n\n"
        );
        let expected = "data,best_score,n\n\"a \"\"b\"\"\",1.23456,1000\n\"c\",,7\n";
        assert_eq!(files(&sheets), [("x.csv".to_owned(), expected.to_owned())]);
    }
}
