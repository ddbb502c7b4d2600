//! A first record that looks like a row: then there is no header, and the names of the
//! columns, which are released, would be the cells of a person.
//!
//! A name looks like a cell when it is a number, a date, a time or an e-mail address and
//! so are the cells below it, or when it is one of the cells below it. Whole numbers that
//! count up by one (years, or places) are names. Only places are told, never a name.

use super::super::number;
use moretta_data::data::{DateFormat, TimeFormat};
use std::collections::HashSet;

/// Rows that are compared with the header.
pub(super) const LOOK: usize = 100;

/// The places, counted from 1, of names that look like cells; none when there seems to
/// be a header.
pub(super) fn cells_among(names: &[String], rows: &[Vec<String>]) -> Vec<usize> {
    // A header may come again where files were joined.
    let rows: Vec<&Vec<String>> = rows.iter().filter(|row| *row != names).collect();
    let column = |i: usize| {
        rows.iter()
            .filter_map(move |row| row.get(i))
            .map(|c| c.trim())
    };
    let valued: Vec<usize> = (0..names.len())
        .filter(|&i| is_value(&names[i], column(i)))
        .collect();
    let repeated: Vec<usize> = (0..names.len())
        .filter(|&i| !names[i].trim().is_empty())
        .filter(|&i| column(i).any(|cell| cell == names[i].trim()))
        .collect();
    let valued = match counts_up(valued.iter().map(|&i| &*names[i])) {
        true => Vec::new(),
        false => valued,
    };
    if valued.is_empty() && 3 * repeated.len() < names.len() {
        return Vec::new();
    }
    let both: HashSet<usize> = valued.into_iter().chain(repeated).collect();
    let mut places: Vec<usize> = both.into_iter().map(|i| i + 1).collect();
    places.sort_unstable();
    places
}

/// What is odd about the header, by the places of the names that look like cells.
pub(super) fn warning(places: &[usize], columns: usize) -> String {
    const SHOWN: usize = 8;
    let mut shown: Vec<String> = places.iter().take(SHOWN).map(usize::to_string).collect();
    if places.len() > SHOWN {
        shown.push("…".to_owned());
    }
    format!(
        "the first line looks like a row and not like a header: {} of its {columns} cells look like values (columns {}); names are released, so the person of that row would be",
        places.len(),
        shown.join(", ")
    )
}

/// What a cell is, if it is more than a word.
#[derive(Clone, Copy, PartialEq)]
enum Value {
    Number,
    Date,
    Time,
    Address,
}

fn value(text: &str) -> Option<Value> {
    let text = text.trim();
    if number::parse(text).is_ok() {
        return Some(Value::Number);
    }
    let date = |format: &DateFormat| format.parse(text).is_some();
    if DateFormat::GUESSED.iter().any(date) {
        return Some(Value::Date);
    }
    if text.starts_with(|c: char| c.is_ascii_digit()) && TimeFormat::Iso.parse(text).is_some() {
        return Some(Value::Time);
    }
    let (user, host) = text.split_once('@')?;
    let address = !user.is_empty() && host.contains('.') && !text.contains(' ');
    address.then_some(Value::Address)
}

/// Whether the name is a value as most cells below it are; without cells, whether it is one.
fn is_value<'a>(name: &str, cells: impl Iterator<Item = &'a str>) -> bool {
    let Some(kind) = value(name) else {
        return false;
    };
    let (mut same, mut all) = (0, 0);
    for cell in cells.filter(|cell| !cell.is_empty()) {
        all += 1;
        same += usize::from(value(cell) == Some(kind));
    }
    5 * same >= 4 * all
}

/// Whether at least three whole numbers follow each other, as years and places do.
fn counts_up<'a>(names: impl Iterator<Item = &'a str>) -> bool {
    let numbers: Option<Vec<i64>> = names.map(|name| name.trim().parse().ok()).collect();
    numbers.is_some_and(|n| n.len() >= 3 && n.windows(2).all(|pair| pair[1] == pair[0] + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(lines: &[&str]) -> Vec<usize> {
        let cells = |line: &&str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        let rows: Vec<Vec<String>> = lines.iter().map(cells).collect();
        cells_among(&rows[0], &rows[1..])
    }

    #[test]
    fn rows_are_told_from_headers() {
        for (lines, expected) in [
            (&["name,age", "Anna,34", "Bruno,41"][..], &[][..]),
            (&["Anna,34", "Bruno,41", "Carla,29"], &[2]),
            (&["f,Rome", "m,Rome", "f,Pisa"], &[1, 2]),
            (&["Anna,a@x.org", "Bruno,b@x.org"], &[2]),
            (&["x,2024-03-01", "y,2024-04-01"], &[2]),
            (&["1494809738.217,u1,a*b"], &[1]),
            (&["t,user,attribute"], &[]),
            (&["country,2019,2020,2021", "IT,1,2,3"], &[]),
            (&["0,1,2,3", "4,5,6,7"], &[]),
            (&["a,b", "1,2", "a,b", "3,4"], &[]),
            (&["other,word,size", "other,x,1", "y,z,2"], &[1]),
            (&["other,word,size,age", "other,x,1,5", "y,z,2,6"], &[]),
        ] {
            assert_eq!(places(lines), expected, "{lines:?}");
        }
    }

    #[test]
    fn a_warning_tells_places_and_no_cell() {
        let text = warning(&[2, 5], 7);
        assert!(
            text.contains("2 of its 7 cells") && text.contains("columns 2, 5"),
            "{text}"
        );
    }
}
