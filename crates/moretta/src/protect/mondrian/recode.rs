//! From classes to released columns: intervals, labels or representatives.

use super::axis::Axis;
use super::partition::Partition;
use crate::config::{Accepts, Placed, Value, word, words};
use crate::data::{Categories, Column, Domain, LevelsBuilder, MISSING, Numbers, Region, Scale};
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
    /// The median of numbers, dates and ordered categories, the most frequent one of others.
    MedianOrMode,
}

const OUTPUTS: &[(&str, Output)] = &[
    ("auto", Output::Auto),
    ("interval", Output::Interval),
    ("label", Output::Label),
    ("mean", Output::Mean),
    ("median", Output::Median),
    ("mode", Output::Mode),
    ("median-or-mode", Output::MedianOrMode),
];

impl From<Output> for Value {
    fn from(output: Output) -> Self {
        Value::from(output.word())
    }
}

impl Output {
    /// The words of a policy.
    pub(super) const ACCEPTED: Accepts = Accepts::Word(|| words(OUTPUTS));

    pub(super) fn read(placed: &Placed, name: &str) -> Result<Output> {
        placed.word(name, OUTPUTS)
    }

    /// The word used in a policy.
    pub fn word(self) -> &'static str {
        word(OUTPUTS, &self).unwrap_or("auto")
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
        matches!(
            self,
            Output::Mean | Output::Median | Output::Mode | Output::MedianOrMode
        )
    }

    /// What a column of this domain shows.
    fn of(self, domain: &Domain) -> Self {
        match (self, &domain.scale) {
            (Output::MedianOrMode, Scale::Category { ordered: false, .. }) => Output::Mode,
            (Output::MedianOrMode, _) => Output::Median,
            _ => self,
        }
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
    match output.of(domain) {
        output if output.is_representative() => representatives(&classes, column, domain, output),
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
        let classes = self.partition.classes().enumerate();
        classes.map(|(class, rows)| {
            let span = self.partition.spans[class * self.n_axes + self.place];
            (rows, span)
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
    let mut levels = LevelsBuilder::default();
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
                let text = text.ok_or_else(|| Error::bug("a region without a text"))?;
                let code = levels.intern(&text);
                known.insert(key, code);
                code
            }
        };
        if is_set {
            let length = levels.levels().get(code).len();
            longest = longest.max(length);
            bytes += length * rows.len();
        }
        rows.iter().for_each(|&row| codes[row as usize] = code);
    }
    check_sets(longest, bytes, codes.len())?;
    Ok(Categories::new(codes, Arc::new(levels.finish())))
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
                let (low, high) = axis.ruler.interval(*low, *high);
                Region::Interval(low, high)
            }
            (Key::Span(low, high), Scale::Category { .. }) => Region::Set((*low..=*high).collect()),
        }
    }
}

fn representatives(
    classes: &Classes<'_>,
    column: &Column,
    domain: &Domain,
    output: Output,
) -> Result<Column> {
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
                let value = value.map(|value| {
                    if domain.is_date() {
                        value.floor()
                    } else {
                        value
                    }
                });
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
        // A sum is rounded; the mean must not leave the values for that.
        Output::Mean => {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            Some(mean.clamp(values[0], values[values.len() - 1]))
        }
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
    use crate::data::hierarchy::Hierarchy;
    use crate::data::{DateFormat, Field, Kind, Role};

    /// What each of the classes, given as runs of rows, shows.
    fn shown(
        column: &Column,
        kind: Kind,
        tree: Option<Hierarchy>,
        sizes: &[usize],
        output: Output,
    ) -> Vec<Option<String>> {
        let field = Field::new("c", Role::Quasi, kind);
        let domain = Domain::of(&field, column, tree.map(Arc::new)).expect("protected");
        let axis = Axis::new("c", column, &domain, output.follows_tree(&domain)).expect("fits");
        let mut partition = Partition {
            rows: (0..column.len() as u32).collect(),
            ends: Vec::new(),
            spans: Vec::new(),
            depths: vec![1; sizes.len()],
        };
        let mut start = 0;
        for size in sizes {
            let codes = &axis.codes[start..start + size];
            let span = |codes: &[u32]| Some((*codes.iter().min()?, *codes.iter().max()?));
            partition.spans.push(span(codes).expect("rows"));
            start += size;
            partition.ends.push(start);
        }
        let released = recode(0, 1, &axis, column, &domain, output, &partition).expect("recoded");
        let text = |row: usize| match &released {
            Column::Number(numbers) => numbers.get(row).map(|n| domain.number_text(n)),
            Column::Category(categories) => categories.get(row).map(str::to_owned),
            Column::Plain(_) => None,
        };
        partition.ends.iter().map(|end| text(end - 1)).collect()
    }

    fn check(found: Vec<Option<String>>, expected: &[&str]) {
        let found: Vec<String> = found
            .into_iter()
            .map(|text| text.unwrap_or_else(|| "(missing)".to_owned()))
            .collect();
        assert_eq!(found, expected);
    }

    fn numbers() -> Column {
        let slots = [
            Some(1.0),
            Some(4.0),
            Some(4.0),
            Some(9.5),
            None,
            None,
            Some(2.0),
        ];
        Column::Number(slots.into_iter().collect())
    }

    #[test]
    fn numbers_show_an_interval_one_value_anything_or_missing() {
        let kind = || Kind::Number { integer: false };
        let found = shown(&numbers(), kind(), None, &[2, 1, 2, 1, 1], Output::Auto);
        check(found, &["1..4", "4", "*", "(missing)", "2"]);
    }

    #[test]
    fn dates_show_dates() {
        let kind = Kind::Date(DateFormat::ISO);
        let found = shown(&numbers(), kind, None, &[2, 1, 2, 1, 1], Output::Interval);
        let expected = [
            "1970-01-02..1970-01-05",
            "1970-01-05",
            "*",
            "(missing)",
            "1970-01-03",
        ];
        check(found, &expected);
    }

    fn words() -> Column {
        let slots = [
            Some("a"),
            Some("c"),
            Some("b"),
            Some("b"),
            None,
            None,
            Some("|"),
        ];
        Column::Category(slots.into_iter().collect())
    }

    #[test]
    fn categories_show_a_set_and_ordered_ones_a_run() {
        let unordered = Kind::Category { ordered: false };
        let found = shown(&words(), unordered, None, &[3, 1, 1, 1, 1], Output::Auto);
        check(found, &["{a|c|b}", "b", "(missing)", "(missing)", "|"]);
        let found = shown(
            &words(),
            Kind::Category { ordered: false },
            None,
            &[2, 5],
            Output::Auto,
        );
        check(found, &["{a|c}", "*"]);
        let ordered = Kind::Category { ordered: true };
        let found = shown(&words(), ordered, None, &[3, 1, 2, 1], Output::Auto);
        check(found, &["a..b", "b", "(missing)", "|"]);
    }

    #[test]
    fn a_hierarchy_shows_its_lowest_label_unless_intervals_are_asked_for() {
        let tree = || {
            let rows = ["a;x;*", "c;x;*", "b;y;*", "|;z;*"];
            let chains: Vec<Vec<&str>> = rows.iter().map(|row| row.split(';').collect()).collect();
            Some(Hierarchy::from_chains(&chains).expect("a tree"))
        };
        let kind = || Kind::Category { ordered: false };
        let found = shown(&words(), kind(), tree(), &[2, 2, 2, 1], Output::Auto);
        check(found, &["x", "b", "(missing)", "|"]);
        let found = shown(&words(), kind(), tree(), &[4, 3], Output::Label);
        check(found, &["*", "*"]);
        let found = shown(&words(), kind(), tree(), &[2, 5], Output::Interval);
        check(found, &["{a|c}", "*"]);
    }

    #[test]
    fn representatives_are_of_the_present_values() {
        let kind = || Kind::Number { integer: false };
        for (output, expected) in [
            (Output::Mean, ["3", "9.5", "(missing)", "2"]),
            (Output::Median, ["4", "9.5", "(missing)", "2"]),
            (Output::Mode, ["4", "9.5", "(missing)", "2"]),
        ] {
            check(
                shown(&numbers(), kind(), None, &[3, 2, 1, 1], output),
                &expected,
            );
        }
        let kind = || Kind::Category { ordered: true };
        let found = shown(&words(), kind(), None, &[4, 1, 2], Output::Median);
        check(found, &["c", "(missing)", "|"]);
        let found = shown(&words(), kind(), None, &[4, 1, 2], Output::Mode);
        check(found, &["b", "(missing)", "|"]);
    }

    #[test]
    fn the_first_of_several_modes_and_the_lower_of_two_medians_is_taken() {
        assert_eq!(mode(&[1, 1, 2, 2, 3]), Some(1));
        assert_eq!(mode::<u32>(&[]), None);
        assert_eq!(
            representative_number(&mut [4.0, 1.0, 3.0, 2.0], Output::Median),
            Some(2.0)
        );
        assert_eq!(representative_number(&mut [], Output::Mean), None);
    }

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
