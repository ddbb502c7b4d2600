//! Reads labels of a release back, when the values that they stand for are not known.
//!
//! A label is one of a level if a value can be called so there: from the text a value is made
//! that would have it (the lower end of an interval, the first day of a month), and that value
//! is called by the rule. Values themselves can be written in many ways, so where they are
//! allowed any number, and any text of a mask, is taken for one. Levels of a path depend on
//! the deepest path and cells are named by their makers, so of these nothing can be said.

use super::{DateUnit, Hierarchy, HierarchySpec, HierarchyTable, MaskSide, TOP, Texts};
use crate::data::date::to_day;
use crate::error::Result;

/// Knows the labels of a rule without the values of a column.
pub struct Reading<'a> {
    spec: &'a HierarchySpec,
    texts: Option<Texts>,
    /// The tree of a file.
    tree: Option<Hierarchy>,
}

impl HierarchySpec {
    /// For a column whose values are `texts`, as far as they are declared.
    ///
    /// # Errors
    /// Those of reading a file.
    pub fn reading(&self, texts: Option<Texts>) -> Result<Reading<'_>> {
        let tree = match self {
            HierarchySpec::File(path) => {
                Some(HierarchyTable::read(path)?.tree(texts.unwrap_or(Texts::Category))?)
            }
            HierarchySpec::Table(table) => Some(table.tree(texts.unwrap_or(Texts::Category))?),
            _ => None,
        };
        Ok(Reading {
            spec: self,
            texts,
            tree,
        })
    }
}

impl HierarchySpec {
    /// The tree that a file declares; `None` where the rule makes one of the values.
    ///
    /// # Errors
    /// Those of reading a file.
    pub fn declared_tree(&self, texts: Texts) -> Result<Option<Hierarchy>> {
        Ok(self.reading(Some(texts))?.tree)
    }

    /// Between which numbers, or days, all values are that are called so by a rule of intervals
    /// or dates.
    pub fn numbers_called(&self, label: &str) -> Option<(f64, f64)> {
        let number = |text: &str| text.parse::<f64>().ok().filter(|n| n.is_finite());
        match self {
            HierarchySpec::Intervals(_) => {
                if let Some((low, high)) = half_open(label) {
                    return Some((number(low)?, number(high)?.next_down()));
                }
                match label.split_once("..") {
                    Some((low, high)) => Some((number(low)?, number(high)?)),
                    None => number(label).map(|n| (n, n)),
                }
            }
            HierarchySpec::Dates(_) => {
                let (unit, first) = first_day(label)?;
                // No unit is longer than ten years with three leap days.
                let days = (first..=first + 3653).take_while(|&day| unit.label(day) == label);
                Some((f64::from(first), f64::from(days.last()?)))
            }
            _ => None,
        }
    }
}

impl Reading<'_> {
    /// Whether some value is called `label` on this level, or on any when none is given.
    pub fn knows(&self, label: &str, level: Option<usize>) -> bool {
        if label == TOP || level.unwrap_or(0) == 0 && self.may_be_value(label) {
            return true;
        }
        match self.spec {
            HierarchySpec::Path(_) | HierarchySpec::Grid(_) | HierarchySpec::H3(_) => true,
            HierarchySpec::Mask(side) => is_masked(*side, label, level.unwrap_or(0)),
            HierarchySpec::File(_) | HierarchySpec::Table(_) => {
                (self.tree.as_ref()).is_some_and(|tree| {
                    let found = tree.find(label);
                    let leaves = found.map(|(level, node)| tree.leaves_under(level, node));
                    let mut leaves = leaves.into_iter().flatten();
                    leaves.any(|leaf| is_called(tree, leaf, label, level))
                })
            }
            _ => self.value(label).is_some_and(|value| {
                let values = [value].iter().collect();
                let tree = self.spec.build("", &values, self.texts());
                tree.is_ok_and(|tree| is_called(&tree, 0, label, level))
            }),
        }
    }

    /// Whether the text can be a value, in whatever way it is written.
    fn may_be_value(&self, text: &str) -> bool {
        match (self.spec, self.texts) {
            (HierarchySpec::Mask(_), _) => true,
            (HierarchySpec::Intervals(_), _) => self.texts().is_number(text),
            (HierarchySpec::Dates(_), None) => true,
            (HierarchySpec::Dates(_), Some(texts)) => texts.is_number(text),
            (HierarchySpec::File(_) | HierarchySpec::Table(_), None) => {
                Texts::Number.is_number(text)
            }
            _ => false,
        }
    }

    fn texts(&self) -> Texts {
        match (self.texts, self.spec) {
            (Some(texts), _) => texts,
            (None, HierarchySpec::Dates(_)) => Texts::Date(crate::data::DateFormat::ISO),
            (None, HierarchySpec::Intervals(_)) => Texts::Number,
            (None, _) => Texts::Category,
        }
    }

    /// A value that could have this label.
    fn value(&self, label: &str) -> Option<String> {
        match self.spec {
            HierarchySpec::Intervals(_) => inner_number(label),
            HierarchySpec::Dates(_) => {
                let Texts::Date(format) = self.texts() else {
                    return None;
                };
                let day = format
                    .parse(label)
                    .or_else(|| first_day(label).map(|(_, day)| day))?;
                Some(format.format(day))
            }
            _ => None,
        }
    }
}

fn is_called(tree: &Hierarchy, leaf: u32, label: &str, level: Option<usize>) -> bool {
    match level {
        Some(number) => tree
            .level(number)
            .is_some_and(|level| tree.label(level, tree.node(level, leaf)) == label),
        None => tree.chain(leaf).any(|text| text == label),
    }
}

/// Whether so many characters are stars on the side that is masked, and not all.
fn is_masked(side: MaskSide, label: &str, hidden: usize) -> bool {
    let stars = match side {
        MaskSide::Left => label.chars().take_while(|&c| c == '*').count(),
        MaskSide::Right => label.chars().rev().take_while(|&c| c == '*').count(),
    };
    stars >= hidden && label.chars().count() > hidden
}

/// A number in `34`, `30..39` or `[0.5, 1)`; in the last, one that is not whole.
fn inner_number(label: &str) -> Option<String> {
    let number = |text: &str| text.parse::<f64>().ok().filter(|n| n.is_finite());
    if let Some((low, high)) = half_open(label) {
        let (low, high) = (number(low)?, number(high)?);
        return Some((low + (high - low) * std::f64::consts::FRAC_1_PI).to_string());
    }
    let low = label.split_once("..").map_or(label, |(low, _)| low);
    number(low).map(|low| low.to_string())
}

/// The ends of `[0.5, 1)`.
fn half_open(label: &str) -> Option<(&str, &str)> {
    let ends = label.strip_prefix('[')?.strip_suffix(')')?;
    ends.split_once(", ")
}

/// What `2024-03`, `2024-Q1`, `2024` or `2020s` is, and its first day.
fn first_day(label: &str) -> Option<(DateUnit, i32)> {
    let year = label.get(..4)?.parse().ok()?;
    let rest = &label[4..];
    let (unit, month) = match (rest, rest.strip_prefix("-Q"), rest.strip_prefix('-')) {
        ("", ..) => (DateUnit::Year, 1),
        ("s", ..) => (DateUnit::Decade, 1),
        (_, Some(quarter), _) => (DateUnit::Quarter, 3 * quarter.parse::<i32>().ok()? - 2),
        (_, _, Some(month)) => (DateUnit::Month, month.parse().ok()?),
        _ => return None,
    };
    let day = to_day(year, month, 1).filter(|&day| unit.label(day) == label);
    day.map(|day| (unit, day))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::hierarchy::MaskSide;

    #[test]
    fn a_label_tells_between_which_numbers_its_values_are() {
        let intervals = HierarchySpec::Intervals(vec![5.0]);
        let dates = HierarchySpec::Dates(vec![DateUnit::Month]);
        let day = |year, month, day| f64::from(to_day(year, month, day).expect("a day"));
        for (spec, label, expected) in [
            (&intervals, "34", Some((34.0, 34.0))),
            (&intervals, "-30..-26", Some((-30.0, -26.0))),
            (&intervals, "[0.5, 1)", Some((0.5, 1.0_f64.next_down()))),
            (&intervals, "old", None),
            (&dates, "2024-02", Some((day(2024, 2, 1), day(2024, 2, 29)))),
            (
                &dates,
                "2024-Q4",
                Some((day(2024, 10, 1), day(2024, 12, 31))),
            ),
            (&dates, "2023", Some((day(2023, 1, 1), day(2023, 12, 31)))),
            (&dates, "2020s", Some((day(2020, 1, 1), day(2029, 12, 31)))),
            (&dates, "2024-13", None),
        ] {
            assert_eq!(spec.numbers_called(label), expected, "{label}");
        }
    }

    /// Which of the texts are labels of each level, as digits; `-` for none.
    fn check(spec: &HierarchySpec, texts: Texts, expected: &[(&str, &str)]) {
        let reading = spec.reading(Some(texts)).expect("a rule");
        for (label, levels) in expected {
            let known = (0..=9).filter(|&level| reading.knows(label, Some(level)));
            let known: String = known.map(|level| level.to_string()).collect();
            let known = if known.is_empty() { "-" } else { &known };
            assert_eq!(known, *levels, "{label}");
            assert_eq!(reading.knows(label, None), *levels != "-", "{label}");
        }
    }

    #[test]
    fn a_label_is_one_of_its_levels_only() {
        let any = "0123456789";
        check(
            &HierarchySpec::Intervals(vec![5.0, 10.0]),
            Texts::Number,
            &[
                ("34", "0"),
                ("30..34", "1"),
                ("30..39", "2"),
                ("[30, 35)", "1"),
                ("31..35", "-"),
                ("[30, 36)", "-"),
                ("old", "-"),
                ("*", any),
            ],
        );
        check(
            &HierarchySpec::Mask(MaskSide::Right),
            Texts::Category,
            &[
                ("4041", "0"),
                ("404*", "01"),
                ("40**", "012"),
                ("4*", "01"),
                ("*04", "0"),
            ],
        );
        check(
            &HierarchySpec::Mask(MaskSide::Left),
            Texts::Category,
            &[("*041", "01"), ("404*", "0")],
        );
        let dates = [DateUnit::Month, DateUnit::Quarter, DateUnit::Decade];
        let format = crate::data::DateFormat::ISO;
        check(
            &HierarchySpec::Dates(dates.to_vec()),
            Texts::Date(format),
            &[
                ("2024-03-07", "0"),
                ("2024-03", "1"),
                ("2024-13", "-"),
                ("2024-3", "-"),
                ("2024-Q1", "2"),
                ("2024", "-"),
                ("2020s", "3"),
                ("2024s", "-"),
                ("été 2024", "-"),
            ],
        );
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("school.csv");
        std::fs::write(&path, "b;b;a;*\na;a;a;*\nc;d;d;*\n").expect("written");
        check(
            &HierarchySpec::File(path),
            Texts::Category,
            &[
                ("a", "012"),
                ("b", "01"),
                ("c", "0"),
                ("d", "12"),
                ("e", "-"),
                ("*", any),
            ],
        );
    }
}
