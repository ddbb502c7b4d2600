//! From classes to released columns: intervals, labels or representatives.

use super::axis::Axis;
use super::partition::Partition;
use crate::config::{Placed, unknown};
use crate::data::{Categories, Column, Domain, Levels, MISSING, Numbers, Region, Scale};
use crate::error::{Error, Result};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::sync::Arc;

/// What a class shows for a quasi-identifier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// The label of the hierarchy when there is one, else the interval.
    #[default]
    Auto,
    /// The interval of numbers or the set of categories that the class holds.
    Interval,
    /// The label of the lowest node of the hierarchy over the class.
    Label,
    /// The mean of the class; numbers and dates only.
    Mean,
    /// The median of the class, the lower one of two; ordered columns only.
    Median,
    /// The most frequent value of the class, the first of several.
    Mode,
}

const OUTPUTS: &[(&str, Output)] = &[
    ("auto", Output::Auto),
    ("interval", Output::Interval),
    ("label", Output::Label),
    ("mean", Output::Mean),
    ("median", Output::Median),
    ("mode", Output::Mode),
];

impl Output {
    /// Reads the word used in a policy.
    pub(super) fn read(placed: &Placed) -> Result<Output> {
        let word = placed.text("output")?;
        match OUTPUTS.iter().find(|(w, _)| *w == word) {
            Some((_, output)) => Ok(*output),
            None => {
                let words: Vec<&str> = OUTPUTS.iter().map(|(w, _)| *w).collect();
                Err(unknown(
                    placed.error(format!("`output` cannot be `{word}`")),
                    &word,
                    &words,
                ))
            }
        }
    }

    /// The word used in a policy.
    pub fn word(self) -> &'static str {
        OUTPUTS
            .iter()
            .find(|(_, o)| *o == self)
            .map_or("auto", |(word, _)| word)
    }

    /// What a column must have to be shown so.
    pub(super) fn needs(self) -> &'static str {
        match self {
            Output::Label => "a label needs a hierarchy",
            Output::Mean => "a mean needs numbers or dates",
            Output::Median => "a median needs numbers, dates or categories with a declared `order`",
            _ => "choose another output",
        }
    }

    /// Whether cuts follow the hierarchy.
    pub(super) fn follows_tree(self, domain: &Domain) -> bool {
        domain.hierarchy.is_some() && matches!(self, Output::Auto | Output::Label)
    }

    /// Whether it shows a value that stands for the class rather than a region that covers it.
    pub fn is_representative(self) -> bool {
        matches!(self, Output::Mean | Output::Median | Output::Mode)
    }
}

/// The released column of one axis, rows in the order of the table.
pub(super) fn recode(
    place: usize,
    n_axes: usize,
    axis: &Axis,
    column: &Column,
    domain: &Domain,
    output: Output,
    partition: &Partition,
) -> Result<Column> {
    let classes = Classes {
        place,
        n_axes,
        axis,
        partition,
    };
    match output {
        Output::Mean | Output::Median | Output::Mode => representatives(&classes, column, output),
        _ => Ok(Column::Category(regions(&classes, domain)?)),
    }
}

struct Classes<'a> {
    place: usize,
    n_axes: usize,
    axis: &'a Axis,
    partition: &'a Partition,
}

impl<'a> Classes<'a> {
    /// The rows of each class and its least and largest code.
    fn iter(&self) -> impl Iterator<Item = (&'a [u32], (u32, u32))> + '_ {
        let starts = [0].into_iter().chain(self.partition.ends.iter().copied());
        starts
            .zip(&self.partition.ends)
            .enumerate()
            .map(|(class, (start, &end))| {
                let span = self.partition.spans[class * self.n_axes + self.place];
                (&self.partition.rows[start..end], span)
            })
    }
}

/// The longest text of a set, in bytes; readers of tables refuse longer cells.
const LONGEST_SET: usize = 1 << 20;

/// The most bytes of all sets of a column together, where a row has more than [`LONG_SET`].
const MOST_SETS: usize = 256 << 20;

/// What a row may show of sets, in bytes, however many rows there are.
const LONG_SET: usize = 1 << 10;

/// Every row of a class shows the whole set, so their texts grow with the square of its size.
fn check_sets(longest: usize, bytes: usize, rows: usize) -> Result<()> {
    let many = bytes > MOST_SETS && bytes / rows.max(1) > LONG_SET;
    if longest <= LONGEST_SET && !many {
        return Ok(());
    }
    Err(
        Error::input("the classes hold so many categories that their sets are too long to write")
            .help("give the column a hierarchy or an `order`"),
    )
}

fn regions(classes: &Classes<'_>, domain: &Domain) -> Result<Categories> {
    let mut codes = vec![MISSING; classes.axis.codes.len()];
    let mut levels = Levels::default();
    let (mut longest, mut bytes) = (0, 0);
    let mut known: HashMap<Key, u32, FixedState> = HashMap::default();
    for (rows, span) in classes.iter() {
        let key = Key::new(classes.axis, domain, rows, span);
        if key == Key::Missing {
            continue;
        }
        let is_set = matches!(key, Key::Set(_));
        let code = match known.get(&key) {
            Some(&code) => code,
            None => {
                let text = key.region(classes.axis, domain).text(domain);
                levels.push(&text.ok_or_else(|| Error::bug("a region without a text"))?);
                let code = levels.len() as u32 - 1;
                known.insert(key, code);
                code
            }
        };
        if is_set {
            let length = levels.get(code).len();
            longest = longest.max(length);
            bytes += length * rows.len();
        }
        rows.iter().for_each(|&row| codes[row as usize] = code);
    }
    check_sets(longest, bytes, codes.len())?;
    Ok(Categories::new(codes, Arc::new(levels)))
}

/// A region by its codes, so that each text is made once.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Missing,
    Any,
    Span(u32, u32),
    Node(usize, u32),
    Set(Vec<u32>),
}

impl Key {
    fn new(axis: &Axis, domain: &Domain, rows: &[u32], (low, high): (u32, u32)) -> Key {
        let missing = axis.ruler.missing;
        if low == missing {
            return Key::Missing;
        }
        if high == missing {
            return Key::Any;
        }
        if let Some(tree) = axis.ruler.tree() {
            let (level, node) = tree.lowest_common(low, high);
            return if level + 1 == tree.level_count() && level > 0 {
                Key::Any
            } else {
                Key::Node(level, node)
            };
        }
        match domain.scale {
            Scale::Category { ordered: false, .. } if low < high => {
                let mut set: Vec<u32> = rows.iter().map(|&row| axis.codes[row as usize]).collect();
                set.sort_unstable();
                set.dedup();
                Key::Set(set)
            }
            _ => Key::Span(low, high),
        }
    }

    fn region(&self, axis: &Axis, domain: &Domain) -> Region {
        match (self, &domain.scale) {
            (Key::Missing, _) => Region::Missing,
            (Key::Any, _) => Region::Any,
            (Key::Node(level, node), _) => Region::Node(*level, *node),
            (Key::Set(codes), _) => Region::Set(codes.clone()),
            (Key::Span(low, high), Scale::Number { .. }) => {
                let numbers = axis.ruler.numbers();
                Region::Interval(numbers[*low as usize], numbers[*high as usize])
            }
            (Key::Span(low, high), Scale::Category { .. }) => Region::Set((*low..=*high).collect()),
        }
    }
}

fn representatives(classes: &Classes<'_>, column: &Column, output: Output) -> Result<Column> {
    let missing = classes.axis.ruler.missing;
    match column {
        Column::Number(numbers) => {
            let mut slots = vec![None; numbers.len()];
            for (rows, _) in classes.iter() {
                let mut values: Vec<f64> = rows
                    .iter()
                    .filter_map(|&row| numbers.get(row as usize))
                    .collect();
                let value = representative_number(&mut values, output);
                rows.iter().for_each(|&row| slots[row as usize] = value);
            }
            Ok(Column::Number(Numbers::from_iter(slots)))
        }
        Column::Category(categories) => {
            let mut codes = vec![MISSING; categories.len()];
            for (rows, _) in classes.iter() {
                let mut values: Vec<u32> = rows
                    .iter()
                    .map(|&row| categories.codes()[row as usize])
                    .filter(|&code| code < missing)
                    .collect();
                values.sort_unstable();
                let code = match output {
                    Output::Mode => mode(&values).unwrap_or(MISSING),
                    _ if values.is_empty() => MISSING,
                    _ => values[(values.len() - 1) / 2],
                };
                rows.iter().for_each(|&row| codes[row as usize] = code);
            }
            Ok(Column::Category(Categories::new(
                codes,
                Arc::clone(categories.levels()),
            )))
        }
        Column::Plain(_) => Err(Error::bug("a plain column has no representative")),
    }
}

fn representative_number(values: &mut [f64], output: Output) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    match output {
        _ if values.is_empty() => None,
        Output::Mean => Some(values.iter().sum::<f64>() / values.len() as f64),
        Output::Mode => mode(values),
        _ => Some(values[(values.len() - 1) / 2]),
    }
}

/// The most frequent of sorted values, the first of several.
fn mode<T: PartialEq + Copy>(sorted: &[T]) -> Option<T> {
    let mut best: Option<&[T]> = None;
    for run in sorted.chunk_by(|a, b| a == b) {
        if best.is_none_or(|b| run.len() > b.len()) {
            best = Some(run);
        }
    }
    best.map(|run| run[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_that_cannot_be_written_are_refused() {
        for (longest, bytes, rows, refused) in [
            (100, 100 << 20, 1 << 20, false),
            (900, 9 << 30, 10 << 20, false),
            (100_000, 200 << 20, 2_000, false),
            (600_000, 18 << 30, 30_000, true),
            (2 << 20, 4 << 20, 2, true),
        ] {
            let found = check_sets(longest, bytes, rows);
            assert_eq!(found.is_err(), refused, "{longest} {bytes} {rows}");
            assert!(found.err().is_none_or(|error| error.exit_code() == 4));
        }
    }
}
