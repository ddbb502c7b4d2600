//! Round numbers as bounds: a grid of cells into which numbers and dates fall.
//!
//! The least and the largest value of a class are values of single persons. With
//! rounded bounds a class shows the edges of cells instead, and the cuts know
//! only in which cell a value lies: tables whose values lie in the same cells get
//! the same release. So neither a bound nor the bounds of several classes held
//! against each other tell a value any closer than its cell.
//!
//! Cells of numbers are 1, 2 or 5 times a power of ten wide, of whole numbers at
//! least 2, also where a few others are among them; cells of dates are two days, weeks,
//! months, quarters, years or decades. They are the widest of which the middle nine tenths of
//! the rows span 64, or one for every 100 rows if that is more: single persons do not move
//! them, and the loss they add is small beside that of a class. Of at most 32 different
//! fractions two share a cell on average. A column of at most 32 different values each of
//! which k persons share has no grid: such values are categories, and nobody's own.
//! A policy may also say how wide they are.

use crate::data::date::{from_day, to_day};

/// The most different values that are shown as they are.
pub(super) const SHOWN: usize = 32;

/// The least number of cells that the middle of the rows spans.
const CELLS: usize = 64;

/// Rows of a table for each cell, where that makes more cells.
const ROWS: usize = 100;

/// Numbers of which nine in ten are whole count as whole where their middle spans so much.
const SPAN: f64 = 16.0;

/// Beyond so many cells from zero numbers are too coarse for a grid.
const FARTHEST: f64 = (1u64 << 50) as f64;

/// Equal cells, side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::protect) enum Grid {
    /// Cells of `digits` · 10^`exponent`; those of whole numbers end before the next begins.
    Decimal {
        digits: f64,
        exponent: i32,
        whole: bool,
    },
    /// Cells of so many days, one of them beginning with `first`.
    Days { days: i32, first: i32 },
    /// Cells of so many months.
    Months(i32),
}

/// Cells of dates and their length in days, ascending. Weeks begin on Mondays.
const DATES: [(f64, Grid); 6] = [
    (2.0, Grid::Days { days: 2, first: 0 }),
    (7.0, Grid::Days { days: 7, first: 4 }),
    (31.0, Grid::Months(1)),
    (92.0, Grid::Months(3)),
    (366.0, Grid::Months(12)),
    (3653.0, Grid::Months(120)),
];

impl Grid {
    /// The grid of a column, given its distinct values, ascending, and the rank of
    /// each row's value among them; higher ranks are missing values.
    pub(super) fn of(
        values: &[f64],
        codes: &[u32],
        dates: bool,
        sharing: &Sharing,
    ) -> Option<Grid> {
        let few = values.len() <= SHOWN;
        if values.len() < 2 || few && sharing.holds(codes, values.len()) {
            return None;
        }
        let middle = middle(values, codes);
        let width = middle / CELLS.max(codes.len() / ROWS) as f64;
        if dates {
            let fitting = DATES.iter().rev().find(|(days, _)| *days <= width);
            return Some(fitting.unwrap_or(&DATES[0]).1);
        }
        let whole = values.iter().all(|value| value.fract() == 0.0);
        let least = match whole || middle >= SPAN && is_mostly_whole(values, codes) {
            true => 2.0,
            false if few => middle / (values.len() / 2) as f64,
            false => 1e-290,
        };
        Some(Grid::decimal(width.max(least), whole))
    }

    /// Cells of a declared width, in days for dates.
    /// `whole`: so are all values.
    pub(in crate::protect) fn every(width: f64, whole: bool, dates: bool) -> Grid {
        if dates {
            let days = width.clamp(1.0, 1e6) as i32;
            return Grid::Days { days, first: 0 };
        }
        // 0.25 is 25 hundredths, so that edges are rounded once.
        let decimals = width
            .to_string()
            .split_once('.')
            .map_or(0, |(_, d)| d.len() as i32);
        Grid::Decimal {
            digits: (width * 10f64.powi(decimals)).round(),
            exponent: -decimals,
            whole: whole && width.fract() == 0.0,
        }
    }

    /// The widest cells that are not wider than `width`.
    fn decimal(width: f64, whole: bool) -> Grid {
        let exponent = width.log10().floor();
        let most = width / 10f64.powf(exponent);
        let digits = [5.0, 2.0].into_iter().find(|&digits| digits <= most);
        Grid::Decimal {
            digits: digits.unwrap_or(1.0),
            exponent: exponent as i32,
            whole,
        }
    }

    /// Whether a value, in units of the last decimal of the cells, is at most `most`, and in a
    /// cell of its own.
    pub(in crate::protect) fn is_exact(&self, value: f64, most: f64) -> bool {
        match *self {
            Grid::Decimal {
                digits, exponent, ..
            } => {
                let units = (value / edge(1.0, exponent)).abs();
                units <= most && units < digits * FARTHEST
            }
            Grid::Days { .. } | Grid::Months(_) => true,
        }
    }

    /// The least and the largest value of the cell that holds `value`.
    pub(in crate::protect) fn cell(&self, value: f64) -> (f64, f64) {
        match *self {
            Grid::Decimal {
                digits,
                exponent,
                whole,
            } => decimal_cell(value, |n| edge(n * digits, exponent), whole),
            Grid::Days { days, first } => {
                let start = (value as i32 - first).div_euclid(days) * days + first;
                within_calendar(start, start + days - 1)
            }
            Grid::Months(months) => {
                let (year, month, _) = from_day(value as i32);
                let start = (12 * year + month - 1).div_euclid(months) * months;
                within_calendar(first_day(start), first_day(start + months) - 1)
            }
        }
    }
}

/// How many have to share a value for it to be nobody's own.
pub(super) struct Sharing<'a> {
    /// Persons, or rows where there is no subject.
    pub(super) k: usize,
    /// The person of each row.
    pub(super) persons: Option<&'a [u32]>,
}

impl Sharing<'_> {
    /// Whether k persons share each of the values that codes below `values` stand for.
    fn holds(&self, codes: &[u32], values: usize) -> bool {
        let mut seen: Vec<Vec<u32>> = vec![Vec::new(); values];
        let mut rare = values;
        for (row, &code) in codes.iter().enumerate() {
            let person = self.persons.map_or(row as u32, |persons| persons[row]);
            let Some(seen) = seen.get_mut(code as usize) else {
                continue;
            };
            if seen.len() < self.k && !seen.contains(&person) {
                seen.push(person);
                rare -= usize::from(seen.len() == self.k);
            }
            if rare == 0 {
                return true;
            }
        }
        false
    }
}

/// Whether nine rows in ten have a whole number: one other must not narrow the cells of all.
fn is_mostly_whole(values: &[f64], codes: &[u32]) -> bool {
    let rows = codes.iter().filter_map(|&code| values.get(code as usize));
    let (mut whole, mut all) = (0_usize, 0_usize);
    for value in rows {
        whole += usize::from(value.fract() == 0.0);
        all += 1;
    }
    10 * whole >= 9 * all
}

/// The first day of a month, counted from January of the year 0.
fn first_day(month: i32) -> i32 {
    to_day(month.div_euclid(12), month.rem_euclid(12) + 1, 1).expect("every month has a first day")
}

/// The days of a cell that have a year of four digits.
fn within_calendar(first: i32, last: i32) -> (f64, f64) {
    let (least, largest) = (first_day(0), first_day(120_000) - 1);
    (f64::from(first.max(least)), f64::from(last.min(largest)))
}

/// n · 10^exponent, rounded once.
fn edge(n: f64, exponent: i32) -> f64 {
    // Adding 0 makes one zero of both.
    0.0 + if exponent < 0 {
        n / 10f64.powi(-exponent)
    } else {
        n * 10f64.powi(exponent)
    }
}

fn decimal_cell(value: f64, edge: impl Fn(f64) -> f64, whole: bool) -> (f64, f64) {
    if value >= edge(FARTHEST) {
        return (edge(FARTHEST), f64::MAX);
    }
    if value < edge(-FARTHEST) {
        return (f64::MIN, edge(-FARTHEST));
    }
    let mut n = (value / edge(1.0)).floor();
    // The quotient is rounded and may be off by one.
    while edge(n) > value {
        n -= 1.0;
    }
    while edge(n + 1.0) <= value {
        n += 1.0;
    }
    let end = edge(n + 1.0);
    (edge(n), if whole { end - 1.0 } else { end })
}

/// How far the middle nine tenths of the rows lie apart, or of the values if those rows are equal.
fn middle(values: &[f64], codes: &[u32]) -> f64 {
    let present = codes.iter().copied();
    let mut ranks: Vec<u32> = present.filter(|&c| (c as usize) < values.len()).collect();
    let apart = |low: usize, high: usize| (values[high] - values[low]).min(f64::MAX);
    let cut = ranks.len() / 20;
    let (low, high) = (cut, ranks.len() - 1 - cut);
    let low = *ranks.select_nth_unstable(low).1 as usize;
    let high = *ranks.select_nth_unstable(high).1 as usize;
    if low < high {
        return apart(low, high);
    }
    let cut = values.len() / 20;
    apart(cut, values.len() - 1 - cut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::DateFormat;
    use proptest::prelude::*;

    const ROWS_OF_5: Sharing<'static> = Sharing {
        k: 5,
        persons: None,
    };

    fn of(values: &[f64], codes: &[u32], dates: bool) -> Option<Grid> {
        Grid::of(values, codes, dates, &ROWS_OF_5)
    }

    fn grid(values: &[f64], dates: bool) -> Option<Grid> {
        let codes: Vec<u32> = (0..values.len() as u32).collect();
        of(values, &codes, dates)
    }

    fn decimal(digits: f64, exponent: i32, whole: bool) -> Grid {
        Grid::Decimal {
            digits,
            exponent,
            whole,
        }
    }

    #[test]
    fn cells_are_round_and_about_a_sixty_fourth_of_the_range() {
        let ages: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(grid(&ages, false), Some(decimal(2.0, 0, true)));
        let pay: Vec<f64> = ages.iter().map(|age| 250.0 * age).collect();
        assert_eq!(grid(&pay, false), Some(decimal(2.0, 2, true)));
        let shares: Vec<f64> = ages.iter().map(|age| age / 100.0).collect();
        assert_eq!(grid(&shares, false), Some(decimal(1.0, -2, false)));
    }

    #[test]
    fn few_values_are_shown_only_where_k_persons_share_each() {
        let ages: Vec<f64> = (20..52).map(f64::from).collect();
        let codes = |times: u32| -> Vec<u32> { (0..32 * times).map(|row| row % 32).collect() };
        assert_eq!(of(&ages, &codes(5), false), None, "as good as categories");
        let rounded = Some(decimal(2.0, 0, true));
        assert_eq!(of(&ages, &codes(4), false), rounded);
        assert_eq!(of(&ages, &codes(5)[1..], false), rounded, "one is rare");
        // One person with all rows of a value is one person.
        let persons: Vec<u32> = (0..320).map(|row| row % 64).collect();
        let sharing = Sharing {
            k: 5,
            persons: Some(&persons),
        };
        assert_eq!(Grid::of(&ages, &codes(10), false, &sharing), rounded);
        // Of fractions two share a cell on average.
        let shares: Vec<f64> = (0..20).map(|n| f64::from(n) / 20.0 + 0.01).collect();
        assert_eq!(grid(&shares, false), Some(decimal(5.0, -2, false)));
        for values in [&[][..], &[0.25]] {
            assert_eq!(grid(values, false), None);
        }
    }

    #[test]
    fn an_outlier_and_a_heap_of_equal_values_do_not_move_the_cells() {
        let mut ages: Vec<f64> = (0..100).map(f64::from).collect();
        ages.push(1e9);
        assert_eq!(grid(&ages, false), Some(decimal(2.0, 0, true)));
        let heap = vec![50; 5000]
            .into_iter()
            .chain(0..101)
            .collect::<Vec<u32>>();
        assert_eq!(of(&ages, &heap, false), Some(decimal(2.0, 0, true)));
    }

    #[test]
    fn one_fraction_among_whole_numbers_does_not_narrow_the_cells_of_all() {
        let mut ages: Vec<f64> = (0..100).map(f64::from).collect();
        ages.insert(45, 44.5);
        let found = grid(&ages, false);
        assert_eq!(found, Some(decimal(2.0, 0, false)));
        assert_eq!(found.map(|grid| grid.cell(21.0)), Some((20.0, 22.0)));
        // Shares that are mostly 0 or 1 keep their decimals.
        let shares: Vec<f64> = (0..=40).map(|n| f64::from(n) / 40.0).collect();
        let codes: Vec<u32> = vec![0; 500].into_iter().chain(0..41).collect();
        let found = of(&shares, &codes, false).map(|grid| grid.cell(0.5));
        assert!(
            found.is_some_and(|(low, high)| high - low < 0.1),
            "{found:?}"
        );
    }

    #[test]
    fn many_rows_get_finer_cells() {
        let values: Vec<f64> = (0..40_000).map(|i| f64::from(i) / 40_000.0).collect();
        assert_eq!(grid(&values, false), Some(decimal(2.0, -3, false)));
    }

    #[test]
    fn a_declared_width_is_kept() {
        for (width, value, expected) in [
            (5.0_f64, 34.0_f64, (30.0, 34.0)),
            (0.25, 0.3, (0.25, 0.5)),
            (2.5, -1.0, (-2.5, 0.0)),
            (0.1, 0.3, (0.3, 0.4)),
            (1e-7, 1e-7, (1e-7, 2e-7)),
        ] {
            assert_eq!(
                Grid::every(width, value.fract() == 0.0, false).cell(value),
                expected
            );
        }
        assert_eq!(Grid::every(10.0, true, true).cell(25.0), (20.0, 29.0));
    }

    #[test]
    fn a_number_lies_in_its_cell() {
        for (grid, value, expected) in [
            (decimal(2.0, 0, true), 35.0, (34.0, 35.0)),
            (decimal(2.0, 0, true), -1.0, (-2.0, -1.0)),
            (decimal(5.0, 1, true), 99.0, (50.0, 99.0)),
            (decimal(1.0, -1, false), 0.3, (0.3, 0.4)),
            (decimal(1.0, -1, false), -0.05, (-0.1, 0.0)),
            (
                decimal(1.0, -1, false),
                1e300,
                ((1u64 << 50) as f64 / 10.0, f64::MAX),
            ),
        ] {
            assert_eq!(grid.cell(value), expected, "{grid:?} {value}");
        }
        let zero = decimal(1.0, -1, false).cell(-0.05).1;
        assert_eq!(zero.to_string(), "0");
    }

    #[test]
    fn dates_lie_in_weeks_months_or_years() {
        let day = |text: &str| f64::from(DateFormat::ISO.parse(text).expect("a date"));
        for (cell, date, first, last) in [
            (0, "2024-03-14", "2024-03-14", "2024-03-15"),
            (1, "2024-03-14", "2024-03-11", "2024-03-17"),
            (2, "2024-02-14", "2024-02-01", "2024-02-29"),
            (3, "1969-12-31", "1969-10-01", "1969-12-31"),
            (4, "1900-01-01", "1900-01-01", "1900-12-31"),
            (5, "9999-12-31", "9990-01-01", "9999-12-31"),
            (1, "9999-12-31", "9999-12-27", "9999-12-31"),
        ] {
            let found = DATES[cell].1.cell(day(date));
            assert_eq!(found, (day(first), day(last)), "{date}");
        }
        for (years, cell) in [(1, 0), (4, 1), (10, 2), (30, 3), (80, 4), (800, 5)] {
            let days: Vec<f64> = (0..100).map(|i| f64::from(i * years * 365 / 100)).collect();
            assert_eq!(grid(&days, true), Some(DATES[cell].1), "{years}");
        }
    }

    proptest! {
        #[test]
        fn every_value_lies_in_its_cell_and_cells_do_not_overlap(
            values in proptest::collection::vec(prop_oneof![
                -1e3..1e3f64, (-100i32..100).prop_map(f64::from), any::<f64>().prop_filter("finite", |v| v.is_finite()),
            ], 40..80),
            dates in any::<bool>(),
        ) {
            let mut values = values;
            if dates {
                values.iter_mut().for_each(|v| *v = (*v % 1e5).floor());
            }
            values.sort_by(f64::total_cmp);
            values.dedup();
            let Some(grid) = grid(&values, dates) else {
                return Ok(());
            };
            let cells: Vec<(f64, f64)> = values.iter().map(|&value| grid.cell(value)).collect();
            for (&value, &(low, high)) in values.iter().zip(&cells) {
                prop_assert!(low <= value && value <= high, "{:?} {} {} {}", grid, low, value, high);
            }
            for pair in cells.windows(2) {
                prop_assert!(pair[0] == pair[1] || pair[0].1 <= pair[1].0, "{:?} {:?}", grid, pair);
            }
        }
    }
}
