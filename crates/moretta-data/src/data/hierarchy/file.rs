//! A hierarchy from a CSV file in the layout of ARX.
//!
//! No header; a row is a value and, to its right, ever more general labels; the
//! last one is usually `*`. The delimiter is `;`, `,` or a tab, as the first
//! line shows. Rows that are not a value of the data count as leaves all the
//! same, so the loss of a generalisation does not depend on the sample.
//!
//! ```text
//! Bachelors;Undergraduate;Higher education;*
//! 11th;High School;Secondary education;*
//! ```
//!
//! For a column of numbers or dates the values of the file are read as such, so
//! that `39.0` is the value 39. Siblings keep the order of the file, unless all
//! values are numbers (or dates) and the tree allows ascending order.

use super::labels::{Labels, in_tree_order};
use super::{Hierarchy, Rungs, TOP, Texts, chains, coverage};
use crate::data::levels::Levels;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The rows of a hierarchy file, for a tool that wants to look at them. Empty lines are skipped.
///
/// # Errors
/// When the file cannot be read, is not UTF-8 or has a quote that is never closed.
pub fn read_file(path: &Path) -> Result<Vec<Vec<String>>> {
    Ok(unnumbered(read_numbered(path)?))
}

/// The same of what such a file holds, read elsewhere; messages name it.
///
/// # Errors
/// When it is not UTF-8 or has a quote that is never closed.
pub fn parse_file(name: &Path, bytes: Vec<u8>) -> Result<Vec<Vec<String>>> {
    Ok(unnumbered(numbered(name, &text_of(name, bytes)?)?))
}

fn unnumbered(rows: Vec<(u64, Vec<String>)>) -> Vec<Vec<String>> {
    rows.into_iter().map(|(_, row)| row).collect()
}

/// The same with the line on which each row begins; also of other small files without a header, such
/// as lists of pairs.
///
/// # Errors
/// When the file cannot be read, is not UTF-8 or has a quote that is never closed.
pub fn read_numbered(path: &Path) -> Result<Vec<(u64, Vec<String>)>> {
    numbered(path, &read(path)?)
}

fn numbered(path: &Path, text: &str) -> Result<Vec<(u64, Vec<String>)>> {
    let Rows { cells, lines } = parse(text, path)?;
    let owned = |row: Vec<Cow<'_, str>>| row.into_iter().map(Cow::into_owned).collect();
    Ok(lines
        .into_iter()
        .zip(cells.into_iter().map(owned))
        .collect())
}

/// The rows of a hierarchy in the layout of a file, each with ever more general labels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HierarchyTable {
    /// The file that it was read from, or any other name; messages tell it.
    pub name: PathBuf,
    /// The rows, as they stand in the file.
    pub text: String,
}

impl HierarchyTable {
    /// Reads a file.
    pub(super) fn read(path: &Path) -> Result<Self> {
        Ok(HierarchyTable {
            name: path.to_owned(),
            text: read(path)?,
        })
    }

    /// What a file holds, read elsewhere.
    ///
    /// # Errors
    /// When it is not UTF-8.
    pub fn of_bytes(name: &Path, bytes: Vec<u8>) -> Result<Self> {
        Ok(HierarchyTable {
            name: name.to_owned(),
            text: text_of(name, bytes)?,
        })
    }

    pub(super) fn build(&self, column: &str, values: &Levels, texts: Texts) -> Result<Hierarchy> {
        let hierarchy = self.tree(texts)?;
        coverage(&hierarchy, values).require(self.name.display(), column)?;
        Ok(hierarchy)
    }

    /// The tree, whatever the values of the data.
    pub(super) fn tree(&self, texts: Texts) -> Result<Hierarchy> {
        let Rows { mut cells, lines } = parse(&self.text, &self.name)?;
        let refuse =
            |what: String| Error::policy(format!("hierarchy {}: {what}", self.name.display()));
        if cells.is_empty() {
            return Err(refuse("the file holds no rows".into())
                .help("write a row for each value: the value, then ever more general labels"));
        }
        for row in &mut cells {
            if let Some(same) = texts.canonical(&row[0]) {
                row[0] = Cow::Owned(same);
            }
        }
        let levels =
            chains::check(&cells).map_err(|fault| refuse(fault.at(|row| lines[row] as usize)))?;
        Ok(Hierarchy::from_labels(ascending(levels, texts)))
    }
}

/// The labels of `value` below the top; false when it is not in the file or is
/// the top itself.
pub(super) fn climb(tree: &Hierarchy, texts: Texts, value: &str, rungs: &mut Rungs) -> bool {
    let same = || tree.leaf(&texts.canonical(value)?);
    let Some(leaf) = tree.leaf(value).or_else(same) else {
        return false;
    };
    let top = tree.label(tree.level_count() - 1, 0);
    let below = |label: &&str| ![top, TOP].contains(label);
    tree.chain(leaf)
        .filter(below)
        .for_each(|label| rungs.push(label));
    !rungs.is_empty()
}

/// The leaves in ascending order, if they are numbers and the tree allows it.
fn ascending(levels: Vec<Labels>, texts: Texts) -> Vec<Labels> {
    let numbers = (0..levels[0].len()).map(|row| texts.number(levels[0].name(row)));
    let Some(numbers) = numbers.collect::<Option<Vec<f64>>>() else {
        return levels;
    };
    let mut order: Vec<u32> = (0..numbers.len() as u32).collect();
    order.sort_by(|&a, &b| numbers[a as usize].total_cmp(&numbers[b as usize]));
    let sorted: Vec<Labels> = levels
        .iter()
        .map(|level| level.clone().in_order(&order))
        .collect();
    match in_tree_order(&sorted) {
        true => sorted,
        false => levels,
    }
}

fn read(path: &Path) -> Result<String> {
    text_of(
        path,
        std::fs::read(path).map_err(|e| Error::io("read", path, e))?,
    )
}

fn text_of(path: &Path, bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|e| {
        let before = &e.as_bytes()[..e.utf8_error().valid_up_to()];
        let line = 1 + memchr::memchr_iter(b'\n', before).count() as u64;
        Error::input("the hierarchy is not UTF-8")
            .in_file(path)
            .on_line(line)
            .help("save it as UTF-8")
    })
}

/// The rows of a file and the line on which each begins.
struct Rows<'a> {
    cells: Vec<Vec<Cow<'a, str>>>,
    lines: Vec<u64>,
}

fn parse<'a>(text: &'a str, path: &Path) -> Result<Rows<'a>> {
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let delimiter = sniff(rest);
    let mut rows = Rows {
        cells: Vec::new(),
        lines: Vec::new(),
    };
    let mut line = 1;
    while !rest.is_empty() {
        let begin = line;
        let mut row = Vec::with_capacity(rows.cells.last().map_or(4, Vec::len));
        loop {
            let (cell, end) = cell(rest, delimiter, &mut line).ok_or_else(|| {
                Error::input("a quote is opened and never closed")
                    .in_file(path)
                    .on_line(begin)
            })?;
            row.push(cell);
            let stop = rest[end..].chars().next();
            rest = &rest[end + stop.map_or(0, char::len_utf8)..];
            if stop != Some(delimiter) {
                break;
            }
        }
        line += 1;
        if row.len() > 1 || !row[0].is_empty() {
            rows.cells.push(row);
            rows.lines.push(begin);
        }
    }
    Ok(rows)
}

/// The first cell of `rest` and where it ends: at a delimiter, a line end or the end of the text.
fn cell<'a>(rest: &'a str, delimiter: char, line: &mut u64) -> Option<(Cow<'a, str>, usize)> {
    let ends = |c: char| c == delimiter || c == '\n';
    let Some(inner) = rest.strip_prefix('"') else {
        let end = rest.find(ends).unwrap_or(rest.len());
        let cell = &rest[..end];
        let at_line_end = !rest[end..].starts_with(delimiter);
        let cell = if at_line_end {
            cell.strip_suffix('\r').unwrap_or(cell)
        } else {
            cell
        };
        return Some((Cow::Borrowed(cell), end));
    };
    let mut from = 0;
    let close = loop {
        let quote = from + inner[from..].find('"')?;
        if !inner[quote + 1..].starts_with('"') {
            break quote;
        }
        from = quote + 2;
    };
    let quoted = &inner[..close];
    *line += memchr::memchr_iter(b'\n', quoted.as_bytes()).count() as u64;
    let after = &inner[close + 1..];
    let end = after.find(ends).unwrap_or(after.len());
    // What stands between the closing quote and the delimiter belongs to the cell.
    let tail = after[..end].trim_end_matches('\r');
    let cell = match (quoted.contains('"'), tail.is_empty()) {
        (false, true) => Cow::Borrowed(quoted),
        _ => Cow::Owned(quoted.replace("\"\"", "\"") + tail),
    };
    Some((cell, close + 2 + end))
}

/// The most frequent of `;`, tab and `,` outside quotes on the first line; `;` when there is none.
fn sniff(text: &str) -> char {
    let mut counts = [(';', 0), ('\t', 0), (',', 0)];
    let mut quoted = false;
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            '\n' if !quoted => break,
            _ if !quoted => counts
                .iter_mut()
                .filter(|(delimiter, _)| *delimiter == c)
                .for_each(|(_, count)| *count += 1),
            _ => {}
        }
    }
    let mut best = counts[0];
    for count in counts {
        if count.1 > best.1 {
            best = count;
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::DateFormat;
    use proptest::prelude::*;
    use std::io::Write;

    fn adult() -> Option<PathBuf> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/adult");
        if !folder.exists() {
            assert!(std::env::var_os("CI").is_none(), "the data is needed here");
            return None;
        }
        Some(folder)
    }

    fn with_file<T>(text: &[u8], use_it: impl FnOnce(&Path) -> T) -> T {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(text).expect("written");
        use_it(file.path())
    }

    fn load(path: &Path, texts: Texts) -> Result<Hierarchy> {
        HierarchyTable::read(path)?.tree(texts)
    }

    fn cells(text: &str) -> Vec<Vec<String>> {
        with_file(text.as_bytes(), |path| read_file(path).expect("reads"))
    }

    fn leaves(text: &str, texts: Texts) -> Vec<String> {
        let h = with_file(text.as_bytes(), |path| load(path, texts).expect("a tree"));
        (0..h.leaf_count() as u32)
            .map(|leaf| h.label(0, leaf).to_owned())
            .collect()
    }

    #[test]
    fn delimiters_quotes_line_ends_and_a_byte_order_mark_are_understood() {
        let rows = vec![vec!["a", "b", "*"], vec!["c", "d", "*"]];
        for text in [
            "a;b;*\nc;d;*",
            "a,b,*\r\nc,d,*\r\n",
            "\u{feff}a\tb\t*\n\nc\td\t*\n",
            "\"a\";\"b\";*\r\n\"c\";d;\"*\"\r\n",
        ] {
            assert_eq!(cells(text), rows, "{text:?}");
        }
        assert_eq!(cells("\"a,;\"\"x\"\"\",*"), [["a,;\"x\"", "*"]]);
        assert_eq!(cells("a\nb\n"), [["a"], ["b"]]);
        assert!(cells("\n\r\n").is_empty());
    }

    #[test]
    fn a_fault_names_file_and_line() {
        for (text, code, message) in [
            (
                &b"\"a\nb\";*\n\nc;*\nc;*"[..],
                3,
                ": 1 value stands there twice, on line 5",
            ),
            (
                b"a;*\nb;*\n\"c;*",
                4,
                ": line 3: a quote is opened and never closed",
            ),
            (b"a;*\n\xff;*", 4, ": line 2: the hierarchy is not UTF-8"),
            (b"\n", 3, ": the file holds no rows"),
        ] {
            let error = with_file(text, |path| {
                load(path, Texts::Category).expect_err("a fault")
            });
            assert!(error.to_string().ends_with(message), "{error}");
            assert_eq!(error.exit_code(), code, "{error}");
        }
        let error = load(Path::new("no such file"), Texts::Category).expect_err("no file");
        assert_eq!(error.exit_code(), 5);
    }

    #[test]
    fn numbers_ascend_when_the_tree_allows_it() {
        let number = Texts::Number;
        assert_eq!(
            leaves("10.0;1;*\n9;0;*\n8e0;0;*\n", number),
            ["8", "9", "10"]
        );
        assert_eq!(
            leaves("3;x;*\n1;y;*\n2;x;*\n4;y;*", number),
            ["3", "2", "1", "4"]
        );
        assert_eq!(leaves("b;x;*\na;x;*", number), ["b", "a"]);
        let german = Texts::Date(DateFormat::from_pattern("%d.%m.%Y").expect("a pattern"));
        assert_eq!(
            leaves("2.1.2024;*\n1.2.2023;*", german),
            ["01.02.2023", "02.01.2024"]
        );
    }

    proptest! {
        #[test]
        fn no_file_makes_it_panic(
            text in "[ab1;,\t\"\r\n*\u{feff}é]{0,60}",
            bytes in proptest::collection::vec(any::<u8>(), 0..60),
        ) {
            for bytes in [text.as_bytes(), &bytes] {
                let Ok(h) = with_file(bytes, |path| load(path, Texts::Number)) else {
                    continue;
                };
                let rows = with_file(bytes, |path| read_file(path).expect("read before"));
                prop_assert_eq!(h.leaf_count(), rows.len());
            }
        }
    }

    #[test]
    fn the_files_of_the_adult_data_load_and_cover_it() {
        let Some(folder) = adult() else { return };
        let table = std::fs::read_to_string(folder.join("adult.csv")).expect("reads");
        let rows: Vec<Vec<&str>> = table.lines().map(|l| l.split(';').collect()).collect();
        for (column, leaves, levels) in [
            ("sex", 2, 2),
            ("age", 100, 5),
            ("race", 5, 2),
            ("marital-status", 7, 3),
            ("education", 16, 4),
            ("native-country", 41, 3),
            ("workclass", 8, 3),
            ("occupation", 14, 3),
            ("salary-class", 2, 2),
        ] {
            let place = rows[0]
                .iter()
                .position(|name| *name == column)
                .expect("a column");
            let mut values: Vec<&str> = rows[1..].iter().map(|row| row[place]).collect();
            values.sort_unstable();
            values.dedup();
            let values: Levels = values.iter().collect();
            let file = |name: &str| folder.join(format!("adult_hierarchy_{name}.csv"));
            let texts = if column == "age" {
                Texts::Number
            } else {
                Texts::Category
            };
            let build =
                |name: &str| HierarchyTable::read(&file(name))?.build(column, &values, texts);
            let h = build(column).expect("covers");
            assert_eq!(
                (h.leaf_count(), h.level_count()),
                (leaves, levels),
                "{column}"
            );
            if column == "age" {
                assert!((0..100).all(|leaf| h.label(0, leaf) == (leaf + 1).to_string()));
            }
            let other = if column == "sex" { "race" } else { "sex" };
            let error = build(other).expect_err("another column");
            assert!(error.to_string().contains(" covers 0 of "), "{error}");
            assert_eq!(error.exit_code(), 3);
        }
    }
}
