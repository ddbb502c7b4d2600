//! Mondrian against a slow, obvious reference that tries every cut, on small random tables.

mod support;

use moretta::guarantee::{
    Absence, BetaLikeness, DeltaDisclosure, Diversity, Ground, Likeness, Sensitivity,
};
use moretta::protect::mondrian::{Mode, partition_codes};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use support::{
    Axis, SENSITIVE, Table, VALUES, exact_mondrian, guarantees, lines, only_k, tables, told,
};

/// Rows by their number in the table.
type Set = Vec<usize>;

/// The classes of a table of codes: k only, widths in codes.
fn slow_classes(columns: &[Vec<u32>], sizes: &[u32], k: usize, divided: bool) -> Vec<Vec<u32>> {
    fn divide(
        columns: &[Vec<u32>],
        sizes: &[u32],
        k: usize,
        divided: bool,
        rows: Vec<u32>,
        classes: &mut Vec<Vec<u32>>,
    ) {
        let value = |axis: usize, row: u32| columns[axis][row as usize];
        let mut widths: Vec<(f64, usize)> = (0..columns.len())
            .map(|axis| {
                let least = rows.iter().map(|&row| value(axis, row)).min().unwrap_or(0);
                let most = rows.iter().map(|&row| value(axis, row)).max().unwrap_or(0);
                (
                    f64::from(most - least) / f64::from(sizes[axis] - 1).max(1.0),
                    axis,
                )
            })
            .filter(|(width, _)| *width > 0.0)
            .collect();
        widths.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (_, axis) in widths {
            let mut sorted = rows.clone();
            sorted.sort_by_key(|&row| value(axis, row));
            let places = (1..rows.len()).filter(|&place| {
                divided || value(axis, sorted[place - 1]) < value(axis, sorted[place])
            });
            let allowable = places.filter(|&place| place >= k && rows.len() - place >= k);
            let Some(place) = allowable.min_by_key(|place| (2 * place).abs_diff(rows.len())) else {
                continue;
            };
            let left: BTreeSet<u32> = sorted[..place].iter().copied().collect();
            let (left, right) = rows.iter().partition(|row| left.contains(row));
            divide(columns, sizes, k, divided, left, classes);
            return divide(columns, sizes, k, divided, right, classes);
        }
        classes.push(rows);
    }
    let mut classes = Vec::new();
    let rows = (0..columns[0].len() as u32).collect();
    divide(columns, sizes, k, divided, rows, &mut classes);
    classes
}

/// Mondrian on a table of every kind of column, with every promise, told naively.
struct Reference<'a> {
    table: &'a Table,
}

impl Reference<'_> {
    fn cell(&self, axis: usize, row: usize) -> Option<u8> {
        self.table.rows[row].cells[axis]
    }

    /// Codes in the order of first appearance, as a source numbers nominal values.
    fn levels(&self, axis: usize) -> Vec<u8> {
        let mut levels = Vec::new();
        for row in 0..self.table.rows.len() {
            if let Some(code) = self.cell(axis, row).filter(|code| !levels.contains(code)) {
                levels.push(code);
            }
        }
        levels
    }

    /// Where a cell stands on its axis, missing ones last.
    fn place(&self, axis: usize, row: usize) -> f64 {
        let Some(code) = self.cell(axis, row) else {
            return f64::INFINITY;
        };
        match self.table.axes[axis] {
            Axis::Number | Axis::Date => self.table.axes[axis].number(code).expect("a number"),
            Axis::Nominal => {
                let levels = self.levels(axis);
                levels.iter().position(|&c| c == code).expect("a level") as f64
            }
            Axis::Ordered | Axis::Tree | Axis::NumberTree => f64::from(code),
        }
    }

    fn extent(&self, axis: usize, rows: &[usize]) -> (f64, f64) {
        let places = rows.iter().map(|&row| self.place(axis, row));
        let places = places.filter(|place| place.is_finite());
        places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), place| {
            (low.min(place), high.max(place))
        })
    }

    fn differ(&self, axis: usize, rows: &[usize]) -> bool {
        let first = self.cell(axis, rows[0]);
        rows.iter().any(|&row| self.cell(axis, row) != first)
    }

    fn has_missing(&self, axis: usize, rows: &[usize]) -> bool {
        rows.iter().any(|&row| self.cell(axis, row).is_none())
    }

    fn width(&self, axis: usize, rows: &[usize]) -> f64 {
        if !self.differ(axis, rows) {
            return 0.0;
        }
        if self.has_missing(axis, rows) {
            return 1.0;
        }
        let (low, high) = self.extent(axis, rows);
        let all: Set = (0..self.table.rows.len()).collect();
        match self.table.axes[axis] {
            Axis::Number | Axis::Date => {
                let (least, most) = self.extent(axis, &all);
                (high - low) / (most - least)
            }
            Axis::Ordered => (high - low) / f64::from(VALUES - 1),
            Axis::Nominal => (high - low) / (self.levels(axis).len() - 1) as f64,
            Axis::Tree | Axis::NumberTree => {
                let level = lowest_common(low as u8, high as u8);
                let node = LABELS[level][low as usize];
                let leaves = LABELS[level].iter().filter(|label| **label == node).count();
                leaves as f64 / f64::from(VALUES)
            }
        }
    }

    /// The parts of the best cut of `rows` along `axis`.
    fn cut(&self, axis: usize, rows: &[usize], divided: bool) -> Option<Vec<Set>> {
        let mut sorted = rows.to_vec();
        sorted.sort_by(|&a, &b| self.place(axis, a).total_cmp(&self.place(axis, b)));
        let tree = self.table.axes[axis].has_tree();
        let missing = self.has_missing(axis, rows);
        let (low, high) = self.extent(axis, rows);
        let kin = |row: usize| match self.cell(axis, row) {
            Some(code) if tree && !missing => {
                LABELS[lowest_common(low as u8, high as u8) - 1][code as usize].to_owned()
            }
            cell => format!("{cell:?}"),
        };
        let between = |place: &usize| kin(sorted[place - 1]) != kin(sorted[*place]);
        if tree && !missing && !divided {
            let mut parts: Vec<Set> = vec![Vec::new()];
            for (place, &row) in sorted.iter().enumerate() {
                if place > 0 && between(&place) {
                    parts.push(Vec::new());
                }
                parts.last_mut().expect("one at least").push(row);
            }
            return parts.iter().all(|part| self.fits(part)).then_some(parts);
        }
        let anywhere = divided && !tree && !missing;
        let allowable: Vec<usize> = (1..sorted.len())
            .filter(|place| anywhere || between(place))
            .filter(|&place| self.fits(&sorted[..place]) && self.fits(&sorted[place..]))
            .collect();
        let place = match missing {
            true => allowable.last().copied(),
            false => allowable
                .into_iter()
                .min_by_key(|place| (2 * place).abs_diff(sorted.len())),
        }?;
        Some(vec![sorted[..place].to_vec(), sorted[place..].to_vec()])
    }

    fn divide(&self, mut rows: Set, mode: Mode, classes: &mut Vec<Set>) {
        rows.sort_unstable();
        let mut axes: Vec<usize> = (0..self.table.axes.len())
            .filter(|&axis| self.differ(axis, &rows))
            .collect();
        axes.sort_by(|&a, &b| self.width(b, &rows).total_cmp(&self.width(a, &rows)));
        let ways: &[bool] = match mode {
            _ if self.persons_may_tip_a_union() => &[false],
            Mode::Strict => &[false],
            Mode::Relaxed => &[false, true],
            Mode::Balanced => &[true],
        };
        for &divided in ways {
            for &axis in &axes {
                if let Some(parts) = self.cut(axis, &rows, divided) {
                    return parts
                        .into_iter()
                        .for_each(|part| self.divide(part, mode, classes));
                }
            }
        }
        classes.push(rows);
    }

    /// Equal values are not divided where two classes that look alike could fail together.
    fn persons_may_tip_a_union(&self) -> bool {
        let guarantee = &self.table.guarantee;
        let distinct = guarantee.l.iter().all(|l| l.kind == Diversity::Distinct);
        let counts =
            guarantee.t.is_empty() && guarantee.beta.is_empty() && guarantee.delta.is_empty();
        let ignored = |delta: &DeltaDisclosure| delta.absent == Absence::Ignore;
        guarantee.delta.iter().any(ignored) || self.table.subject && !(distinct && counts)
    }

    /// What a class shows on an axis.
    fn text(&self, axis: usize, class: &[usize]) -> Option<String> {
        let kind = self.table.axes[axis];
        let first = self.cell(axis, class[0]);
        if !self.differ(axis, class) {
            return first.map(|code| kind.text(code));
        }
        if self.has_missing(axis, class) {
            return Some("*".to_owned());
        }
        let codes: BTreeSet<u8> = class
            .iter()
            .filter_map(|&row| self.cell(axis, row))
            .collect();
        let (low, high) = (*codes.first()?, *codes.last()?);
        Some(match kind {
            Axis::Number | Axis::Date | Axis::Ordered => {
                format!("{}..{}", kind.text(low), kind.text(high))
            }
            Axis::Nominal => {
                let levels = self.levels(axis).into_iter();
                let shown: Vec<String> = levels
                    .filter(|code| codes.contains(code))
                    .map(|code| kind.text(code))
                    .collect();
                format!("{{{}}}", shown.join("|"))
            }
            Axis::Tree | Axis::NumberTree => {
                LABELS[lowest_common(low, high)][low as usize].to_owned()
            }
        })
    }

    /// Distinct (person, value) pairs, or (row, value) without persons.
    fn pairs(&self, rows: &[usize]) -> BTreeSet<(usize, Option<u8>)> {
        let person = |row: usize| match self.table.subject {
            true => usize::from(self.table.rows[row].person),
            false => row,
        };
        rows.iter()
            .map(|&row| (person(row), self.table.rows[row].sensitive))
            .collect()
    }

    /// How often each sensitive value is there.
    fn counts(&self, rows: &[usize]) -> BTreeMap<Option<u8>, f64> {
        let mut counts = BTreeMap::new();
        for (_, value) in self.pairs(rows) {
            *counts.entry(value).or_insert(0.0) += 1.0;
        }
        counts
    }

    /// Whether the rows may be a class.
    fn fits(&self, rows: &[usize]) -> bool {
        let guarantee = &self.table.guarantee;
        let persons: BTreeSet<usize> = self.pairs(rows).iter().map(|pair| pair.0).collect();
        let mut counts: Vec<f64> = self
            .counts(rows)
            .iter()
            .filter(|(value, _)| value.is_some())
            .map(|(_, &count)| count)
            .collect();
        counts.sort_by(|a, b| b.total_cmp(a));
        let total: f64 = counts.iter().sum();
        let diverse = guarantee.l.iter().all(|l| match l.kind {
            Diversity::Distinct => counts.len() as f64 >= l.l,
            Diversity::Entropy => {
                let entropy: f64 = counts.iter().map(|c| c / total * (total / c).ln()).sum();
                !counts.is_empty() && entropy >= l.l.ln()
            }
            Diversity::Recursive { c } => {
                let tail: f64 = counts.iter().skip(l.l as usize - 1).sum();
                !counts.is_empty() && counts[0] < c * tail
            }
        });
        let close = |t| self.distance(rows, t);
        persons.len() >= guarantee.k.unwrap_or(1) as usize
            && diverse
            && guarantee.p.iter().all(|p| match p.kind {
                Sensitivity::Distinct => counts.len() >= p.p as usize,
                Sensitivity::Each => counts.iter().all(|&count| count >= f64::from(p.p)),
            })
            && guarantee.t.iter().all(|t| close(t.distance) <= t.t)
            && guarantee.beta.iter().all(|beta| self.is_like(rows, beta))
            && guarantee
                .delta
                .iter()
                .all(|delta| self.discloses_little(rows, delta))
    }

    /// The share of each value of the table among these rows and in the table, missing ones too.
    fn shares(&self, rows: &[usize]) -> Vec<(f64, f64)> {
        let all: Set = (0..self.table.rows.len()).collect();
        let (class, whole) = (self.counts(rows), self.counts(&all));
        let total = |counts: &BTreeMap<Option<u8>, f64>| counts.values().sum::<f64>();
        let share = |(value, count): (&Option<u8>, &f64)| {
            let here = class.get(value).copied().unwrap_or(0.0);
            (here / total(&class), count / total(&whole))
        };
        whole.iter().map(share).collect()
    }

    fn is_like(&self, rows: &[usize], beta: &BetaLikeness) -> bool {
        self.shares(rows).iter().all(|(q, p)| {
            let most = match beta.kind {
                Likeness::Basic => beta.beta,
                Likeness::Enhanced => beta.beta.min(-p.ln()),
            };
            *q == 0.0 || (q - p) / p <= most + 1e-12
        })
    }

    fn discloses_little(&self, rows: &[usize], delta: &DeltaDisclosure) -> bool {
        self.shares(rows).iter().all(|(q, p)| match delta.absent {
            Absence::Ignore if *q == 0.0 => true,
            _ => (q / p).log2().abs() < delta.delta,
        })
    }

    /// The earth mover's distance of a class to the whole table.
    fn distance(&self, rows: &[usize], ground: Ground) -> f64 {
        let all: Set = (0..self.table.rows.len()).collect();
        let (mut class, mut whole) = (self.counts(rows), self.counts(&all));
        if ground != Ground::Equal {
            class.remove(&None);
            whole.remove(&None);
        }
        if class.is_empty() {
            return 1.0;
        }
        let share = |counts: &BTreeMap<Option<u8>, f64>, value: &Option<u8>| {
            counts.get(value).copied().unwrap_or(0.0) / counts.values().sum::<f64>()
        };
        let extra = |value: &Option<u8>| share(&class, value) - share(&whole, value);
        let sum = |values: &[u8]| values.iter().map(|&v| extra(&Some(v))).sum::<f64>();
        match ground {
            Ground::Equal => whole.keys().map(|v| extra(v).abs()).sum::<f64>() / 2.0,
            Ground::Ordered => {
                let values: Vec<u8> = whole.keys().filter_map(|v| *v).collect();
                let steps = (1..values.len()).map(|i| sum(&values[..i]).abs());
                steps.sum::<f64>() / (values.len() - 1).max(1) as f64
            }
            // Within a family half the height is paid, between families all of it.
            Ground::Hierarchical => {
                let families = [&[0u8, 1][..], &[2, 3, 4]];
                let within = families.map(|family| {
                    let give: f64 = family.iter().map(|&v| extra(&Some(v)).max(0.0)).sum();
                    give.min(give - sum(family))
                });
                let between = families.map(|family| sum(family).max(0.0));
                within.iter().sum::<f64>() / 2.0 + between.iter().sum::<f64>()
            }
        }
    }
}

/// The labels of the tree of the tables, level by level.
const LABELS: [[&str; VALUES as usize]; 4] = [
    ["v0", "v1", "v2", "v3", "v4", "v5"],
    ["a", "a", "b1", "b1", "b2", "c"],
    ["a", "a", "b", "b", "b", "c"],
    ["*"; 6],
];

fn lowest_common(a: u8, b: u8) -> usize {
    LABELS
        .iter()
        .position(|level| level[a as usize] == level[b as usize])
        .expect("the top covers all")
}

/// The release as the reference makes it, or none where the table cannot be one class.
fn slow_release(table: &Table, mode: Mode) -> Option<Vec<(u64, Vec<Option<String>>)>> {
    let reference = Reference { table };
    let all: Set = (0..table.rows.len()).collect();
    if !reference.fits(&all) {
        return None;
    }
    let mut classes = Vec::new();
    reference.divide(all, mode, &mut classes);
    let mut release = Vec::new();
    for class in classes {
        for &row in &class {
            let axes = 0..table.axes.len();
            let mut cells: Vec<_> = axes.map(|axis| reference.text(axis, &class)).collect();
            let sensitive = table.rows[row].sensitive;
            cells.push(sensitive.map(|s| SENSITIVE[s as usize].to_owned()));
            cells.push(Some(format!("p{}", table.rows[row].person)));
            release.push((row as u64, cells));
        }
    }
    release.sort();
    Some(release)
}

fn compare(table: &Table, mode: Mode) {
    let found = table.protect(&exact_mondrian(mode), usize::MAX);
    match (found, slow_release(table, mode)) {
        (Ok(found), Some(expected)) => assert_eq!(lines(&found), expected),
        (Err(error), None) => assert_eq!(told(&error).0, 1, "{error}"),
        (Ok(_), None) => panic!("a table that misses its own guarantee was released"),
        (Err(error), Some(_)) => panic!("refused: {error}"),
    }
}

/// Codes and sizes of some columns, close together or far apart, of few and many columns:
/// the fast way holds codes in two or four bytes and rows in arrays of several widths.
fn columns() -> impl Strategy<Value = Vec<(Vec<u32>, u32)>> {
    let axes = prop_oneof![8 => 1usize..6, 1 => 6usize..40, 1 => 64usize..70];
    (axes, 1usize..60).prop_flat_map(|(axes, rows)| {
        let apart = proptest::sample::select(vec![1, 1, 97, 7_919]);
        let column = (1u32..9, 0u32..4, apart).prop_flat_map(move |(size, spare, apart)| {
            let codes = proptest::collection::vec((0..size).prop_map(move |c| c * apart), rows);
            codes.prop_map(move |codes| (codes, (size + spare) * apart))
        });
        proptest::collection::vec(column, axes)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn strict_and_balanced_classes_are_those_of_the_reference(
        columns in columns(),
        k in 1usize..8,
    ) {
        let (codes, sizes): (Vec<Vec<u32>>, Vec<u32>) = columns.into_iter().unzip();
        for (mode, divided) in [(Mode::Strict, false), (Mode::Balanced, true)] {
            let expected = slow_classes(&codes, &sizes, k, divided);
            prop_assert_eq!(partition_codes(&codes, &sizes, k, mode), expected);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn releases_under_k_alone_are_those_of_the_reference(
        table in tables(40, 0.1, (1u32..6).prop_map(only_k)),
        mode in support::modes(),
    ) {
        let table = Table { subject: false, ..table };
        compare(&table, mode);
    }

    #[test]
    fn releases_of_persons_under_every_promise_are_those_of_the_reference(
        table in tables(40, 0.1, guarantees()),
        mode in support::modes(),
    ) {
        compare(&table, mode);
    }
}
