//! Columns of a public file of delimited values without quotes.

use moretta::{Error, Result};
use std::io::ErrorKind;
use std::path::Path;

/// The cells of some columns, row by row.
///
/// # Errors
/// When there is no such file or column.
pub(crate) fn read_columns(
    path: &Path,
    delimiter: char,
    names: &[&str],
) -> Result<Vec<Vec<String>>> {
    let text = read_text(path)?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(delimiter).collect();
    let place = |name: &&str| {
        let place = header.iter().position(|column| column == name);
        let fault = Error::input("there is no such column");
        place.ok_or_else(|| fault.in_file(path).in_column(*name))
    };
    let places: Vec<usize> = names.iter().map(place).collect::<Result<_>>()?;
    let cells = |line: &str| {
        let cells: Vec<&str> = line.split(delimiter).collect();
        let cell = |&place: &usize| cells.get(place).copied().unwrap_or_default().to_owned();
        places.iter().map(cell).collect()
    };
    Ok(lines.map(cells).collect())
}

/// A public file.
///
/// # Errors
/// When it is not there.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|e| match e.kind() {
        ErrorKind::NotFound => Error::input("there is no such file")
            .in_file(path)
            .help("name the folder of the public data with --data"),
        _ => Error::io("read", path, e),
    })
}
