//! Round times between two times, and times as people read them: UTC, no finer
//! than the steps are.

use moretta::data::date::{from_day, to_day};
use std::fmt::Write;

const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Steps that divide a day or are days, from fine to coarse.
const STEPS: [i64; 26] = [
    1,
    10,
    100,
    SECOND,
    2 * SECOND,
    5 * SECOND,
    10 * SECOND,
    15 * SECOND,
    30 * SECOND,
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    4 * DAY,
    7 * DAY,
    14 * DAY,
    28 * DAY,
];

/// Steps beyond, in months.
const MONTHS: [i32; 9] = [1, 3, 6, 12, 24, 60, 120, 600, 1200];

/// A time at the axis.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) time: i64,
    pub(super) label: String,
    /// It begins a day, and its label says which.
    pub(super) day: bool,
}

/// Round times from `from` to `to`, at most `most` of them; none when the time
/// between them is nothing or more than a calendar holds.
pub(super) fn marks(from: i64, to: i64, most: usize) -> Vec<Mark> {
    let Some(length) = to.checked_sub(from).filter(|length| *length > 0) else {
        return Vec::new();
    };
    let most = i64::try_from(most.max(1)).unwrap_or(i64::MAX);
    let Some(step) = STEPS.into_iter().find(|step| length / step < most) else {
        return months(from, to, most);
    };
    let first = from.div_euclid(step) + i64::from(from.rem_euclid(step) > 0);
    (first..=to.div_euclid(step))
        .map(|number| mark(number * step, step))
        .collect()
}

fn mark(time: i64, step: i64) -> Mark {
    let day = time.rem_euclid(DAY) == 0;
    let label = match step {
        _ if day => date(time),
        _ if step >= MINUTE => clock(time)[..5].to_owned(),
        _ if step >= SECOND => clock(time)[..8].to_owned(),
        _ => clock(time),
    };
    Mark { time, label, day }
}

fn months(from: i64, to: i64, most: i64) -> Vec<Mark> {
    let (Some(first), Some(last)) = (month(from), month(to)) else {
        return Vec::new();
    };
    let fits = |step: &i32| i64::from((last - first) / step) < most;
    let step = MONTHS.into_iter().find(fits).unwrap_or(12_000);
    (first.div_euclid(step)..=last.div_euclid(step))
        .filter_map(|number| {
            let month = number * step;
            let day = to_day(month.div_euclid(12), month.rem_euclid(12) + 1, 1)?;
            let time = i64::from(day) * DAY;
            (from..=to).contains(&time).then(|| mark(time, DAY))
        })
        .collect()
}

/// Months since the year 0; none far outside of the calendar.
fn month(time: i64) -> Option<i32> {
    let (year, month, _) = from_day(day(time)?);
    Some(year * 12 + month - 1)
}

/// Days since 1970, of the years 0 to 9999.
fn day(time: i64) -> Option<i32> {
    const YEARS: std::ops::RangeInclusive<i64> = -719_528..=2_932_896;
    let day = time.div_euclid(DAY);
    YEARS.contains(&day).then_some(day as i32)
}

/// "2017-05-15"; a day far outside of the calendar as its number.
fn date(time: i64) -> String {
    match day(time).map(from_day) {
        Some((year, month, day)) => format!("{year:04}-{month:02}-{day:02}"),
        None => format!("day {}", time.div_euclid(DAY)),
    }
}

/// "13:05:38.217".
fn clock(time: i64) -> String {
    let rest = time.rem_euclid(DAY);
    let (hours, rest) = (rest / HOUR, rest % HOUR);
    let (minutes, rest) = (rest / MINUTE, rest % MINUTE);
    let (seconds, rest) = (rest / SECOND, rest % SECOND);
    format!("{hours:02}:{minutes:02}:{seconds:02}.{rest:03}")
}

/// "2017-05-15 13:05", with seconds and their parts where there are any.
pub(crate) fn date_and_time(time: i64) -> String {
    let mut text = date(time);
    let clock = clock(time);
    let clock = match () {
        () if time.rem_euclid(MINUTE) == 0 => &clock[..5],
        () if time.rem_euclid(SECOND) == 0 => &clock[..8],
        () => &clock,
    };
    write!(text, " {clock}").expect("a string takes every write");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(from: i64, to: i64) -> Vec<String> {
        let marks = marks(from, to, 9).into_iter();
        marks.map(|mark| mark.label).collect()
    }

    /// 2017-05-15 00:00.
    const MAY: i64 = 17_301 * DAY;

    #[test]
    fn marks_are_round_and_days_are_named() {
        assert_eq!(
            labels(MAY + 7 * MINUTE, MAY + 48 * HOUR),
            [
                "06:00",
                "12:00",
                "18:00",
                "2017-05-16",
                "06:00",
                "12:00",
                "18:00",
                "2017-05-17"
            ]
        );
        assert_eq!(
            labels(MAY, MAY + 2 * HOUR),
            [
                "2017-05-15",
                "00:15",
                "00:30",
                "00:45",
                "01:00",
                "01:15",
                "01:30",
                "01:45",
                "02:00"
            ]
        );
        assert_eq!(
            labels(MAY + 1, MAY + 3 * SECOND + 1),
            ["00:00:01", "00:00:02", "00:00:03"]
        );
        assert_eq!(
            labels(MAY, MAY + 700 * DAY),
            [
                "2017-07-01",
                "2017-10-01",
                "2018-01-01",
                "2018-04-01",
                "2018-07-01",
                "2018-10-01",
                "2019-01-01",
                "2019-04-01"
            ]
        );
    }

    #[test]
    fn marks_lie_inside_and_are_few_for_any_times() {
        let mut length = 1;
        while length < i64::MAX / 3 {
            for from in [-length, 0, MAY, MAY - 12_345] {
                let to = from + length;
                let marks = marks(from, to, 9);
                assert!(marks.len() <= 10, "{from} {to}: {}", marks.len());
                assert!(marks.iter().all(|mark| (from..=to).contains(&mark.time)));
            }
            length *= 3;
        }
        assert_eq!(marks(5, 5, 9), []);
        assert_eq!(marks(i64::MIN, i64::MAX, 9), []);
    }

    #[test]
    fn times_show_what_they_have() {
        for (time, expected) in [
            (0, "1970-01-01 00:00"),
            (-1, "1969-12-31 23:59:59.999"),
            (1_494_809_738_217, "2017-05-15 00:55:38.217"),
            (1_494_809_738_000, "2017-05-15 00:55:38"),
            (i64::MAX, "day 106751991167 07:12:55.807"),
        ] {
            assert_eq!(date_and_time(time), expected);
        }
    }
}
