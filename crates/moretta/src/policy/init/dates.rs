//! Dates and times as files write them: which form, and what is doubtful about it.

use crate::data::date::DateOrder::{DayMonthYear, MonthDayYear, YearMonthDay};
use crate::data::{DateFormat, TimeFormat};

/// Distinct values that are looked at.
const LOOK: usize = 10_000;

/// The share of values that must be dates.
const SHARE: f64 = 0.9;

/// The dates of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dates {
    /// Their form.
    pub(super) format: DateFormat,
    /// Day first or month first: the values fit both.
    pub(super) ambiguous: bool,
    /// A time of day follows some of them.
    pub(super) timed: bool,
    /// All values are dates.
    pub(super) complete: bool,
}

impl Dates {
    /// What a steward should know of them, if anything.
    pub(super) fn doubts(&self) -> String {
        let mut doubts = String::new();
        if self.timed {
            doubts.push_str("; the time of day is left out");
        }
        if self.ambiguous {
            doubts.push_str("; is the day first or the month? the values fit both");
        }
        if self.format.short_year {
            doubts.push_str("; years of two digits are 1969 to 2068: is nobody born before?");
        }
        if !self.complete {
            doubts.push_str("; some cells are no dates: name what means missing under [source]");
        }
        doubts
    }
}

/// The form in which most values are dates, if nearly all are.
pub(super) fn recognise<'a>(values: impl Iterator<Item = &'a str> + Clone) -> Option<Dates> {
    let values = values.take(LOOK).map(str::trim);
    let n = values.clone().count();
    let fits = |format: DateFormat| {
        values
            .clone()
            .filter(|v| format.day_of(v).is_some())
            .count()
    };
    let mut best: Option<(DateFormat, usize)> = None;
    // Of forms that fit equally well the first one is taken.
    for format in forms() {
        let count = fits(format);
        if count > best.map_or(0, |(_, most)| most) {
            best = Some((format, count));
        }
    }
    let (format, count) = best.filter(|(_, count)| *count as f64 >= n as f64 * SHARE)?;
    let turned = DateFormat {
        order: MonthDayYear,
        ..format
    };
    Some(Dates {
        format,
        // Points are written between day, month and year alone.
        ambiguous: format.order == DayMonthYear
            && format.separator != Some('.')
            && fits(turned) == count,
        timed: values
            .clone()
            .any(|v| format.parse(v).is_none() && format.day_of(v).is_some()),
        complete: count == n,
    })
}

/// The common forms, the likelier ones first.
fn forms() -> impl Iterator<Item = DateFormat> {
    let separated = |names: bool, separators: &'static [char]| {
        [false, true].into_iter().flat_map(move |short_year| {
            let orders = match short_year {
                false => [YearMonthDay, DayMonthYear, MonthDayYear],
                true => [DayMonthYear, MonthDayYear, YearMonthDay],
            };
            orders.into_iter().flat_map(move |order| {
                separators.iter().map(move |&separator| DateFormat {
                    order,
                    separator: Some(separator),
                    short_year,
                    names,
                })
            })
        })
    };
    separated(false, &['-', '/', '.']).chain(separated(true, &['-', '/', ' ']))
}

/// Whether all values are times of events as a stream reads them, finer than days.
pub(super) fn are_moments<'a>(values: impl Iterator<Item = &'a str> + Clone) -> bool {
    const YEAR_2000: i64 = 946_684_800_000;
    const YEAR_2100: i64 = 4_102_444_800_000;
    let mut values = values.take(LOOK);
    let Some(format) = values.clone().next().and_then(TimeFormat::guess) else {
        return false;
    };
    let is_moment = |value: &str| match format {
        TimeFormat::Iso => value.len() > 10 && format.parse(value).is_some(),
        _ => format
            .parse(value)
            .is_some_and(|time| (YEAR_2000..YEAR_2100).contains(&time)),
    };
    values.all(is_moment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_forms_are_seen() {
        for (values, pattern) in [
            (&["2024-03-01", "1985-12-31"][..], "%Y-%m-%d"),
            (&["2024/03/01"], "%Y/%m/%d"),
            (&["01.03.2024", "2.3.2024"], "%d.%m.%Y"),
            (&["31/01/2024", "01/02/2024"], "%d/%m/%Y"),
            (&["01/31/2024", "02/01/2024"], "%m/%d/%Y"),
            (&["31-01-2024"], "%d-%m-%Y"),
            (&["31.01.85", "01.02.24"], "%d.%m.%y"),
            (&["01/31/85", "02/01/24"], "%m/%d/%y"),
            (&["85-01-31"], "%y-%m-%d"),
            (&["2024-03-01T10:00:00Z", "2024-03-02 11:30"], "%Y-%m-%d"),
            (&["10-Jan-67", "1-Feb-99"], "%d-%b-%y"),
            (&["10 Jan 1967", "01 Feb 1999"], "%d %b %Y"),
            (&["14/02/2016 0:00", "14/02/2016 0:10"], "%d/%m/%Y"),
        ] {
            let dates = recognise(values.iter().copied()).expect(pattern);
            assert_eq!(dates.format.pattern(), pattern, "{values:?}");
            assert!(dates.complete);
            assert_eq!(dates.timed, values[0].contains(':'), "{values:?}");
        }
        for values in [
            &["1.2.3", "4.5.6"][..],
            &["soon", "2024-03-01"],
            &["12", "13"],
            &[],
        ] {
            assert_eq!(recognise(values.iter().copied()), None, "{values:?}");
        }
    }

    #[test]
    fn doubts_are_told() {
        let doubts =
            |values: &[&'static str]| recognise(values.iter().copied()).expect("dates").doubts();
        assert_eq!(doubts(&["2024-03-01"]), "");
        assert_eq!(doubts(&["01.03.2024"]), "");
        assert!(doubts(&["01/03/2024"]).contains("fit both"));
        assert!(!doubts(&["01/03/2024", "31/03/2024"]).contains("fit both"));
        assert!(doubts(&["31.03.24"]).contains("1969 to 2068"));
        assert!(doubts(&["2024-03-01 10:00"]).contains("time of day"));
        let mut mixed = vec!["2024-03-01"; 19];
        mixed.push("unknown");
        assert!(doubts(&mixed).contains("no dates"));
    }

    #[test]
    fn moments_are_finer_than_days() {
        for (values, moments) in [
            (&["2024-03-01T10:00:00Z"][..], true),
            (&["1494809707.045", "1494809708"], true),
            (&["1494809707045"], true),
            (&["2024-03-01"], false),
            (&["17", "42"], false),
            (&["1494809707", "soon"], false),
            (&[], false),
        ] {
            assert_eq!(are_moments(values.iter().copied()), moments, "{values:?}");
        }
    }
}
