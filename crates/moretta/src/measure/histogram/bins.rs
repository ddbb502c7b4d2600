//! Bins with round edges, which do not give the least and the largest value away.

use crate::data::DateFormat;
use crate::data::date::{from_day, to_day};

/// As many bins as a histogram has at most.
const MOST: f64 = 20.0;

/// Consecutive bins of one width, and one for each open end.
pub(super) struct NumberBins {
    unit: Unit,
    first: i64,
    count: usize,
    ends: Ends,
    date: Option<DateFormat>,
}

/// No bins.
const NONE: (Unit, i64, usize) = (Unit::Months(1), 0, 0);

/// Where intervals without an end begin: all beyond is one bin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Ends {
    /// All numbers up to this one.
    bottom: Option<f64>,
    /// All numbers from this one on.
    top: Option<f64>,
}

impl Ends {
    /// Those of intervals; none where a number would be beyond both.
    pub(super) fn of(spans: &[(f64, f64)]) -> Option<Self> {
        let bottoms = spans.iter().filter(|span| span.0.is_infinite());
        let tops = spans.iter().filter(|span| span.1.is_infinite());
        let bottom = bottoms.map(|span| span.1).reduce(f64::max);
        let top = tops.map(|span| span.0).reduce(f64::min);
        let apart = bottom.zip(top).is_none_or(|(bottom, top)| bottom < top);
        apart.then_some(Ends { bottom, top })
    }

    /// The part of an interval between them.
    fn between(&self, (low, high): (f64, f64)) -> Option<(f64, f64)> {
        let low = self.bottom.map_or(low, |bottom| low.max(bottom));
        let high = self.top.map_or(high, |top| high.min(top));
        (low <= high).then_some((low, high))
    }
}

enum Unit {
    /// Multiples of `step`, written with so many decimals.
    Step { step: f64, decimals: usize },
    /// So many months, counted from the year 0.
    Months(i64),
}

impl NumberBins {
    /// Bins for the numbers, or days, from `low` to `high`; none when there are no such.
    pub(super) fn new(low: f64, high: f64, days: bool) -> Self {
        let (unit, first, count) = NumberBins::finest(low, high, days).unwrap_or(NONE);
        NumberBins {
            unit,
            first,
            count,
            ends: Ends::default(),
            date: None,
        }
    }

    /// Bins for the numbers, or days, of these intervals, whose open ends are `ends`.
    pub(super) fn of(spans: &[(f64, f64)], ends: Ends, date: Option<DateFormat>) -> Self {
        let beyond = |span: &&(f64, f64)| {
            ends.bottom.is_some_and(|bottom| span.1 <= bottom)
                || ends.top.is_some_and(|top| span.0 >= top)
        };
        let inside = spans.iter().filter(|span| !beyond(span));
        let inside = inside.filter_map(|&span| ends.between(span));
        let hull = inside.reduce(|hull, span| (hull.0.min(span.0), hull.1.max(span.1)));
        let (low, high) = hull.unwrap_or((f64::NAN, f64::NAN));
        NumberBins {
            ends,
            date,
            ..NumberBins::new(low, high, date.is_some())
        }
    }

    /// The finest bins from `low` to `high` of which there are not too many.
    fn finest(low: f64, high: f64, days: bool) -> Option<(Unit, i64, usize)> {
        let units: Box<dyn Iterator<Item = Unit>> = match days {
            true => Box::new(
                [1, 3, 12, 60, 120, 600, 1_200, 12_000]
                    .map(Unit::Months)
                    .into_iter(),
            ),
            false => Box::new(steps(high - low)),
        };
        let bins = units.map(|unit| NumberBins::between_values(unit, low, high));
        bins.flatten().next()
    }

    fn between_values(unit: Unit, low: f64, high: f64) -> Option<(Unit, i64, usize)> {
        let (first, last) = (unit.index(low)?, unit.index(high)?);
        let count = last.checked_sub(first)?.checked_add(1)?;
        let few = (1..=MOST as i64).contains(&count);
        few.then_some((unit, first, count as usize))
    }

    /// How many bins there are.
    pub(super) fn len(&self) -> usize {
        let ends = [self.ends.bottom, self.ends.top].into_iter().flatten();
        self.count + ends.count()
    }

    /// Bins before those of one width.
    fn before(&self) -> usize {
        usize::from(self.ends.bottom.is_some())
    }

    /// The bin of a number, if it is in one.
    pub(super) fn place(&self, number: f64) -> Option<usize> {
        if self.ends.bottom.is_some_and(|bottom| number <= bottom) {
            return Some(0);
        }
        if self.ends.top.is_some_and(|top| number >= top) {
            return Some(self.len() - 1);
        }
        let place = self.unit.index(number)?.checked_sub(self.first)?;
        let place = usize::try_from(place).ok().filter(|&bin| bin < self.count);
        place.map(|bin| bin + self.before())
    }

    /// The bins that have a number between these, with the share of the numbers
    /// that each has: whole numbers and days are counted, others measured.
    pub(super) fn between(&self, low: f64, high: f64) -> Vec<(usize, f64)> {
        let Ends { bottom, top } = self.ends;
        let last = self.len().saturating_sub(1);
        if bottom.is_some_and(|bottom| high <= bottom) {
            return vec![(0, 1.0)];
        }
        if top.is_some_and(|top| low >= top) {
            return vec![(last, 1.0)];
        }
        let Some((inner_low, inner_high)) = self.ends.between((low, high)) else {
            return Vec::new();
        };
        let part = |width: f64| {
            if width > 0.0 {
                width / (high - low)
            } else {
                0.0
            }
        };
        let (below, above) = (part(inner_low - low), part(high - inner_high));
        let inside = self.inside(inner_low, inner_high).into_iter();
        let inside = inside.map(|(bin, share)| (bin, share * (1.0 - below - above)));
        let ends = [(0, below), (last, above)];
        let mut shares: Vec<(usize, f64)> = ends.into_iter().chain(inside).collect();
        shares.retain(|(_, share)| *share > 0.0);
        shares
    }

    /// As [`between`](Self::between), of an interval between the ends.
    fn inside(&self, low: f64, high: f64) -> Vec<(usize, f64)> {
        let (Some(first), Some(last)) = (self.unit.index(low), self.unit.index(high)) else {
            return Vec::new();
        };
        let end = self.first + self.count as i64;
        let bins = first.max(self.first)..(last + 1).min(end);
        let one = f64::from(u8::from(self.unit.is_whole(low, high)));
        let sizes: Vec<f64> = bins
            .clone()
            .map(|bin| {
                let (from, to) = (self.unit.edge(bin), self.unit.edge(bin + 1));
                (high.min(to - one) - low.max(from) + one).max(0.0)
            })
            .collect();
        let all: f64 = sizes.iter().sum();
        let even = 1.0 / sizes.len() as f64;
        let share = |size: f64| if all > 0.0 { size / all } else { even };
        bins.zip(sizes)
            .map(|(bin, size)| ((bin - self.first) as usize + self.before(), share(size)))
            .collect()
    }

    /// "30 to 40", "2024-03", "2024-Q1", "2024" or "2020 to 2029".
    pub(super) fn label(&self, bin: usize) -> String {
        let text = |end: f64| match self.date {
            Some(format) => format.format(end as i32),
            None => end.to_string(),
        };
        match (self.ends.bottom, self.ends.top) {
            (Some(bottom), _) if bin == 0 => return format!("up to {}", text(bottom)),
            (_, Some(top)) if bin + 1 == self.len() => return format!("from {} on", text(top)),
            _ => {}
        }
        let index = self.first + (bin - self.before()) as i64;
        match self.unit {
            Unit::Step { step, decimals } => {
                let next = (index + 1) as f64 * step;
                format!("{:.decimals$} to {next:.decimals$}", index as f64 * step)
            }
            Unit::Months(months) => {
                let month = index * months;
                let (year, in_year) = (month.div_euclid(12), month.rem_euclid(12));
                match months {
                    1 => format!("{year:04}-{:02}", in_year + 1),
                    3 => format!("{year:04}-Q{}", in_year / 3 + 1),
                    12 => format!("{year:04}"),
                    _ => format!("{year:04} to {:04}", year + months / 12 - 1),
                }
            }
        }
    }
}

impl Unit {
    /// Where a bin begins.
    fn edge(&self, index: i64) -> f64 {
        match self {
            Unit::Step { step, .. } => index as f64 * step,
            Unit::Months(months) => {
                let month = index * months;
                let (year, in_year) = (month.div_euclid(12), month.rem_euclid(12));
                to_day(year as i32, in_year as i32 + 1, 1).map_or(f64::NAN, f64::from)
            }
        }
    }

    /// Whether what lies between these is counted in whole numbers.
    fn is_whole(&self, low: f64, high: f64) -> bool {
        match self {
            Unit::Step { step, .. } => *step >= 1.0 && low.fract() == 0.0 && high.fract() == 0.0,
            Unit::Months(_) => true,
        }
    }

    fn index(&self, number: f64) -> Option<i64> {
        match self {
            Unit::Step { step, .. } => {
                let index = (number / step).floor();
                // Beyond this, neighbouring numbers fall together.
                (index.abs() < 1e15).then_some(index as i64)
            }
            Unit::Months(months) => {
                let whole = number.is_finite() && number.abs() < 1e8;
                let (year, month, _) = from_day(whole.then_some(number as i32)?);
                Some((i64::from(year) * 12 + i64::from(month) - 1).div_euclid(*months))
            }
        }
    }
}

/// 1, 2 and 5 times ascending powers of ten, from about a twentieth of the span.
fn steps(span: f64) -> impl Iterator<Item = Unit> {
    let exponent = (span / MOST).log10().floor();
    let exponent = if exponent.is_finite() {
        exponent as i32
    } else {
        0
    };
    (exponent..exponent + 3).flat_map(|exponent| {
        [1.0, 2.0, 5.0].map(|digit| Unit::Step {
            step: digit * 10f64.powi(exponent),
            decimals: usize::try_from(-exponent).unwrap_or(0),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::DateFormat;
    use proptest::prelude::*;

    fn check(low: f64, high: f64, first: &str, last: &str, count: usize) {
        let bins = NumberBins::new(low, high, false);
        assert_eq!(bins.len(), count, "{low} {high}");
        assert_eq!(bins.label(0), first);
        assert_eq!(bins.label(count - 1), last);
    }

    #[test]
    fn edges_are_round() {
        check(17.0, 90.0, "15 to 20", "90 to 95", 16);
        check(-0.03, 0.021, "-0.030 to -0.025", "0.020 to 0.025", 11);
        check(5.0, 5.0, "5 to 6", "5 to 6", 1);
        check(
            1_000.0,
            1_999_999.0,
            "0 to 100000",
            "1900000 to 2000000",
            20,
        );
    }

    #[test]
    fn an_interval_is_shared_among_bins_by_the_numbers_it_has_in_each() {
        let day = |text| f64::from(DateFormat::ISO.parse(text).expect("a date"));
        let ages = NumberBins::new(17.0, 90.0, false);
        let shares = NumberBins::new(0.0, 0.9, false);
        let months = NumberBins::new(day("2024-01-05"), day("2024-03-01"), true);
        for (bins, low, high, expected) in [
            (
                &ages,
                34.0,
                40.0,
                &[(3, 1.0 / 7.0), (4, 5.0 / 7.0), (5, 1.0 / 7.0)][..],
            ),
            (&ages, 40.0, 40.0, &[(5, 1.0)]),
            (&ages, 85.0, 99.0, &[(14, 0.5), (15, 0.5)]),
            (
                &shares,
                0.12,
                0.21,
                &[(2, 1.0 / 3.0), (3, 5.0 / 9.0), (4, 1.0 / 9.0)],
            ),
            (&shares, 0.12, 0.12, &[(2, 1.0)]),
            (
                &months,
                day("2024-01-31"),
                day("2024-02-03"),
                &[(0, 0.25), (1, 0.75)],
            ),
        ] {
            let found = bins.between(low, high);
            assert_eq!(found.len(), expected.len(), "{low} {high}: {found:?}");
            for ((bin, share), (expected_bin, expected)) in found.iter().zip(expected) {
                assert_eq!(bin, expected_bin);
                assert!((share - expected).abs() < 1e-9, "{low} {high}: {found:?}");
            }
        }
    }

    #[test]
    fn dates_fall_into_months_quarters_and_years() {
        let day = |text| f64::from(DateFormat::ISO.parse(text).expect("a date"));
        for (low, high, first, last) in [
            ("2024-01-05", "2024-03-01", "2024-01", "2024-03"),
            ("2021-02-05", "2024-03-01", "2021-Q1", "2024-Q1"),
            ("2011-02-05", "2024-03-01", "2011", "2024"),
            ("1931-02-05", "2024-03-01", "1930 to 1934", "2020 to 2024"),
        ] {
            let bins = NumberBins::new(day(low), day(high), true);
            assert_eq!(bins.label(0), first);
            assert_eq!(bins.label(bins.len() - 1), last);
        }
    }

    proptest! {
        #[test]
        fn every_number_has_one_of_at_most_twenty_bins(a in -1e9f64..1e9, width in 0f64..1e6, at in 0f64..1.0) {
            let bins = NumberBins::new(a, a + width, false);
            prop_assert!((1..=20).contains(&bins.len()));
            let place = bins.place((a + width * at).min(a + width));
            prop_assert!(place.is_some());
            prop_assert_eq!(bins.between(f64::MIN / 2.0, 0.0).len(), 0);
            prop_assert!(bins.between(a, a + width).len() == bins.len());
        }
    }
}
