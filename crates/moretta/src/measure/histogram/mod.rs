//! The distribution of a column before and after, over the same rows and bins.
//!
//! Suppressed rows are in neither: what they held would be the difference of the two.
//!
//! Bins follow from what is released. Numbers fall into at most 20 bins with round edges
//! (1, 2 or 5 times a power of ten), dates into months, quarters or years, from the least to
//! the largest bound of a released interval, and what lies beyond an open end (`90..`) into one bin
//! more; categories and labels are those that the
//! release names, the 20 most frequent of them with a bin each and one more for the rest. A
//! released row is spread evenly over the values that its region covers. Missing values are
//! in no bin.
//!
//! Of originals only their counts are told, and of a bin in which few of them are, nothing:
//! nor whether it holds anybody, unless the release says so. More bins are hidden where
//! small counts could be had by subtraction. The counts that are told are rounded to multiples
//! of 11, unless the release tells them itself. What is told *after* follows from the release.
//!
//! Cost: one count a row; memory for the distinct texts.

mod bins;
mod cells;
mod generalised;
mod kept;
mod small;
mod span;

pub use generalised::HistogramBuilder;
pub use kept::kept;
pub use small::SMALL_CELL;

/// Categories with a bin of their own.
const TOP_CATEGORIES: usize = 20;

/// Counts over bins, before and after.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    /// The bins in order, without categories that must be hidden.
    pub bins: Vec<Bin>,
    /// Bins of which nothing is told, because a count was small or would give a small one away.
    pub hidden_bins: u64,
}

impl Histogram {
    /// Counts of originals to the next multiple of what is not small: with exact ones, whoever
    /// counts the released rows could find a small count as the difference.
    fn rounded(mut self) -> Self {
        let step = (SMALL_CELL + 1) as f64;
        for bin in &mut self.bins {
            bin.before = bin.before.map(|rows| (rows / step).round() * step);
        }
        self
    }
}

/// One bin.
#[derive(Clone, Debug, PartialEq)]
pub struct Bin {
    /// "30 to 40", "2024-Q1", or the category.
    pub label: String,
    /// Rows before; none when hidden.
    pub before: Option<f64>,
    /// Rows after; none when hidden.
    pub after: Option<f64>,
}

/// A bin before small ones are hidden.
struct Cell {
    label: String,
    before: u64,
    after: f64,
    /// The release tells that no original is in it.
    empty: bool,
}

/// What becomes of bins that must be hidden.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hidden {
    /// Edges are round and tell of nobody, and a gap would mislead.
    InPlace,
    /// A name that few share is not shown.
    LeftOut,
}

/// What may be shown of cells with names; none when no name has enough originals.
fn hide_names(cells: Vec<Cell>, ordered: bool, elsewhere: Option<u64>) -> Option<Histogram> {
    let shared = cells.iter().any(|cell| cell.before > SMALL_CELL);
    let cells = shared.then(|| most_frequent(cells, ordered))?;
    hide(cells, elsewhere, Hidden::LeftOut)
}

/// The most frequent cells and the rest together; ordered ones keep their order.
fn most_frequent(cells: Vec<Cell>, ordered: bool) -> Vec<Cell> {
    let mut ranked: Vec<(usize, Cell)> = cells.into_iter().enumerate().collect();
    ranked.sort_by(|(_, a), (_, b)| b.after.total_cmp(&a.after));
    let rest = ranked.split_off(ranked.len().min(TOP_CATEGORIES));
    if ordered {
        ranked.sort_by_key(|(place, _)| *place);
    }
    let mut cells: Vec<Cell> = ranked.into_iter().map(|(_, cell)| cell).collect();
    if !rest.is_empty() {
        let rest = || rest.iter().map(|(_, cell)| cell);
        cells.push(Cell {
            label: format!("{} others", rest().count()),
            before: rest().map(|cell| cell.before).sum(),
            after: rest().map(|cell| cell.after).sum(),
            empty: rest().all(|cell| cell.empty),
        });
    }
    cells
}

/// What may be shown of some cells; none when that is nothing. `elsewhere` is the number of
/// originals in no cell, where there may be some.
fn hide(cells: Vec<Cell>, elsewhere: Option<u64>, how: Hidden) -> Option<Histogram> {
    let counts = cells.iter().map(|cell| match cell.empty {
        true => None,
        false => Some(cell.before),
    });
    let hidden = small::hidden(&counts.collect::<Vec<_>>(), elsewhere);
    let hidden_bins = hidden.iter().filter(|&&hidden| hidden).count() as u64;
    let bins = cells.into_iter().zip(hidden);
    let bins = bins.filter(|(_, hidden)| how == Hidden::InPlace || !hidden);
    let bins: Vec<Bin> = bins
        .map(|(cell, hidden)| Bin {
            label: cell.label,
            before: (!hidden).then_some(cell.before as f64),
            after: (!hidden).then_some(cell.after),
        })
        .collect();
    let told = bins
        .iter()
        .any(|bin| bin.after.is_some_and(|rows| rows > 0.0));
    told.then_some(Histogram { bins, hidden_bins })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::hierarchy::{Hierarchy, HierarchySpec, Texts};
    use crate::data::{Categories, Column, Domain, Levels, Numbers, Scale};
    use std::sync::Arc;

    fn numbers(low: f64, high: f64) -> Domain {
        Domain {
            scale: Scale::Number {
                low,
                high,
                date: None,
            },
            hierarchy: None,
        }
    }

    fn categories(levels: &[&str], tree: Option<Hierarchy>) -> Domain {
        Domain {
            scale: Scale::Category {
                levels: Arc::new(levels.iter().collect()),
                ordered: false,
            },
            hierarchy: tree.map(Arc::new),
        }
    }

    fn texts(texts: &[(&str, usize)]) -> Column {
        let slots = texts
            .iter()
            .flat_map(|&(text, n)| std::iter::repeat_n(Some(text), n));
        Column::Category(slots.collect::<Categories>())
    }

    fn years(years: &[(f64, usize)]) -> Column {
        let slots = years
            .iter()
            .flat_map(|&(year, n)| std::iter::repeat_n(year, n));
        Column::Number(slots.collect::<Numbers>())
    }

    fn histogram(
        domain: &Domain,
        original: &Column,
        released: &[(&str, usize)],
    ) -> Option<Histogram> {
        let mut builder = HistogramBuilder::new(domain);
        builder.observe_released(&texts(released));
        let rows: Vec<u64> = (0..original.len() as u64).collect();
        builder.finish(original, &rows)
    }

    fn shown(histogram: &Histogram) -> Vec<(&str, f64, f64)> {
        let told = |bin: &'_ Bin| Some((bin.before?, bin.after?));
        let bins = histogram.bins.iter();
        bins.filter_map(|bin| told(bin).map(|(before, after)| (&*bin.label, before, after)))
            .collect()
    }

    #[test]
    fn a_generalised_row_is_spread_over_the_values_it_covers() {
        let values: Numbers = (0..900).map(|i| f64::from(i % 9) * 5.0).collect();
        let released = [("0..9", 200), ("10..39", 600), ("40", 100)];
        let found = histogram(&numbers(0.0, 40.0), &Column::Number(values), &released);
        let found = found.expect("bins");
        assert_eq!(found.bins.len(), 21 - 4 - 8);
        for (label, before, after) in shown(&found) {
            assert_eq!(before, 99.0, "{label}: to a multiple of 11");
            assert!((after - 100.0).abs() < 1e-9, "{label} {after}");
        }
        assert_eq!(found.bins[8].label, "40 to 45");
    }

    /// Of the 33 between 20 and 27, 30 are above 26: with their exact count, the three below
    /// would be the difference.
    #[test]
    fn no_small_count_is_the_difference_of_released_rows_and_a_bin() {
        let ages = years(&[(21.0, 3), (27.0, 30), (42.0, 12)]);
        let released = [("20..27", 33), ("42..44", 12)];
        let found = histogram(&numbers(21.0, 44.0), &ages, &released).expect("bins");
        let told: f64 = shown(&found).iter().map(|(_, before, _)| before).sum();
        assert_eq!(told, 33.0);
    }

    /// The data may end anywhere in a released interval.
    #[test]
    fn bins_end_where_released_intervals_end() {
        let released = [("20..39", 300), ("40..109", 100)];
        let people = |oldest: f64| {
            let ages = [
                (22.0, 150),
                (37.0, 150),
                (45.0, 60),
                (52.0, 37),
                (oldest, 3),
            ];
            histogram(&numbers(22.0, oldest), &years(&ages), &released).expect("bins")
        };
        let first = people(61.0);
        let labels: Vec<&str> = first.bins.iter().map(|bin| &*bin.label).collect();
        assert_eq!(labels.first(), Some(&"20 to 25"));
        assert_eq!(labels.last(), Some(&"105 to 110"));
        for oldest in [71.0, 88.0, 103.0, 109.0] {
            assert_eq!(people(oldest), first, "{oldest}");
        }
    }

    #[test]
    fn what_lies_beyond_an_open_end_is_one_bin() {
        let people = |youngest: f64, oldest: f64| {
            let between = (5..18).map(|five| (f64::from(five) * 5.0 + 2.0, 20));
            let ends = [(youngest, 50), (95.0, 20), (oldest, 13)];
            years(&ends.into_iter().chain(between).collect::<Vec<_>>())
        };
        let released = [("..24", 50), ("25..59", 140), ("60..89", 120), ("90..", 33)];
        let bins = |youngest: f64, oldest: f64, released: &[(&str, usize)]| {
            let ages = people(youngest, oldest);
            histogram(&numbers(youngest, oldest), &ages, released)
        };
        let found = bins(12.0, 104.0, &released).expect("bins");
        let (first, last) = (&found.bins[0], &found.bins[found.bins.len() - 1]);
        assert_eq!((&*first.label, first.after), ("up to 24", Some(50.0)));
        assert_eq!((&*last.label, last.after), ("from 90 on", Some(33.0)));
        assert_eq!(last.before, Some(33.0));
        let after: f64 = shown(&found).iter().map(|(_, _, after)| after).sum();
        assert!((after - 343.0).abs() < 1e-9, "{after}");
        assert_eq!(found.bins[1].label, "25 to 30");
        // Where the data ends is not told.
        assert_eq!(bins(3.0, 119.0, &released).as_ref(), Some(&found));
        // A class of mondrian may begin below the end of another.
        let released = [("10..69", 230), ("50..", 80), ("90..", 33)];
        let found = bins(12.0, 104.0, &released).expect("bins");
        let last = &found.bins[found.bins.len() - 1];
        assert_eq!(last.label, "from 50 on");
        let beyond = 113.0 + 230.0 * 19.0 / 59.0;
        assert!(
            (last.after.expect("told") - beyond).abs() < 1e-9,
            "{last:?}"
        );
        assert_eq!(bins(12.0, 104.0, &[("..60", 200), ("50..", 143)]), None);
    }

    #[test]
    fn no_category_is_named_that_the_release_does_not_name() {
        let zips = ["47111", "47112", "47121", "50001", "50002", "90210"];
        let values: Levels = zips.iter().collect();
        let spec = HierarchySpec::Mask(crate::data::hierarchy::MaskSide::Right);
        let tree = spec
            .build("zip", &values, Texts::Category)
            .expect("a hierarchy");
        let domain = categories(&zips, Some(tree));
        let original = texts(&[
            ("47111", 20),
            ("47112", 30),
            ("47121", 25),
            ("50001", 40),
            ("50002", 41),
        ]);
        let released = [("4711*", 50), ("471**", 25), ("5000*", 81)];
        let found = histogram(&domain, &original, &released).expect("bins");
        assert_eq!(
            shown(&found),
            [
                ("5000*", 77.0, 81.0),
                ("4711*", 55.0, 62.5),
                ("other 471**", 22.0, 12.5)
            ]
        );
    }

    #[test]
    fn categories_are_spread_over_sets() {
        let original = texts(&[("c", 60), ("a", 20), ("b", 40)]);
        let found = histogram(
            &categories(&["a", "b", "c", "d"], None),
            &original,
            &[("{a|b}", 60), ("c", 60)],
        );
        assert_eq!(
            shown(&found.expect("bins")),
            [("c", 55.0, 60.0), ("a", 22.0, 30.0), ("b", 44.0, 30.0)]
        );
    }

    #[test]
    fn rare_categories_are_hidden_with_another_bin() {
        let rows = [("a", 50), ("b", 3), ("c", 20)];
        let found = histogram(&categories(&["a", "b", "c"], None), &texts(&rows), &rows);
        let found = found.expect("bins");
        assert_eq!(shown(&found), [("a", 50.0, 50.0)]);
        assert_eq!((found.bins.len(), found.hidden_bins), (1, 2));
    }

    /// `*` may stand for a value that no other row shows, so a bin is hidden for its sake.
    #[test]
    fn a_value_behind_a_star_is_not_named_and_cannot_be_counted() {
        let domain = categories(&["a", "b", "c", "gone"], None);
        let released = [("a", 50), ("b", 40), ("c", 30), ("*", 3)];
        let with = |hidden: &str| {
            let original = texts(&[("a", 50), ("b", 40), ("c", 30), (hidden, 3)]);
            histogram(&domain, &original, &released).expect("bins")
        };
        let labels: Vec<String> = with("gone").bins.into_iter().map(|b| b.label).collect();
        assert_eq!(labels, ["a", "b"]);
        assert_eq!(with("gone"), with("c"));
    }

    #[test]
    fn originals_beyond_the_representatives_are_not_told() {
        let found = |oldest: f64| {
            let ages = (0..400).map(|i| f64::from(20 + i % 20)).chain([oldest]);
            let ages = Column::Number(ages.collect::<Numbers>());
            let mut builder = HistogramBuilder::of_representatives(&numbers(20.0, oldest));
            builder.observe_released(&texts(&[("22", 100), ("27.5", 200), ("38", 101)]));
            builder.finish(&ages, &(0..401).collect::<Vec<u64>>())
        };
        let bins = found(93.0).expect("bins").bins;
        assert_eq!(bins.first().map(|bin| &*bin.label), Some("22 to 23"));
        assert_eq!(bins.last().map(|bin| &*bin.label), Some("38 to 39"));
        assert_eq!(found(93.0), found(104.0));
    }

    #[test]
    fn a_column_without_values_has_no_bins() {
        let domain = numbers(f64::INFINITY, f64::NEG_INFINITY);
        assert_eq!(histogram(&domain, &years(&[]), &[]), None);
        assert_eq!(histogram(&domain, &years(&[]), &[("*", 30)]), None);
    }
}
