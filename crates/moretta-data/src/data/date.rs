//! Calendar dates as whole days, in the format a file uses.
//!
//! A date is the number of days since 1970-01-01 in the proleptic Gregorian
//! calendar. Only dates that exist are accepted: 30 February is an error.

use serde::{Deserialize, Serialize};

/// The order of year, month and day and the character between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DateFormat {
    /// Which part comes first.
    pub order: DateOrder,
    /// The character between the parts; none in `20240301`.
    pub separator: Option<char>,
    /// Years have two digits: 69 to 99 are 1969 to 1999, 00 to 68 are 2000 to 2068, as
    /// POSIX reads them.
    pub short_year: bool,
    /// Months are the first three letters of their English names, in any case.
    pub names: bool,
}

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// Which part of a date comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DateOrder {
    /// 2024-03-01
    YearMonthDay,
    /// 01.03.2024
    DayMonthYear,
    /// 03/01/2024
    MonthDayYear,
}

impl DateFormat {
    /// 2024-03-01
    pub const ISO: DateFormat = DateFormat {
        order: DateOrder::YearMonthDay,
        separator: Some('-'),
        short_year: false,
        names: false,
    };

    /// The formats that are recognised without being declared. Day-first and
    /// month-first with the same separator cannot be told apart, so `/` is not among them.
    pub const GUESSED: [DateFormat; 3] = [
        DateFormat::ISO,
        DateFormat {
            order: DateOrder::YearMonthDay,
            separator: Some('/'),
            ..DateFormat::ISO
        },
        DateFormat {
            order: DateOrder::DayMonthYear,
            separator: Some('.'),
            ..DateFormat::ISO
        },
    ];

    /// From a pattern such as `%Y-%m-%d`, `%d.%m.%Y`, `%m/%d/%y`, `%d-%b-%y` or `%Y%m%d`.
    pub fn from_pattern(pattern: &str) -> Option<Self> {
        let parts: Vec<char> = pattern.chars().collect();
        if parts == ['%', 'Y', '%', 'm', '%', 'd'] {
            return Some(DateFormat {
                separator: None,
                ..DateFormat::ISO
            });
        }
        let ['%', a, separator, '%', b, second, '%', c] = parts[..] else {
            return None;
        };
        let order = match (a, b, c) {
            ('Y' | 'y', 'm' | 'b', 'd') => DateOrder::YearMonthDay,
            ('d', 'm' | 'b', 'Y' | 'y') => DateOrder::DayMonthYear,
            ('m' | 'b', 'd', 'Y' | 'y') => DateOrder::MonthDayYear,
            _ => return None,
        };
        (separator == second && !separator.is_alphanumeric()).then_some(DateFormat {
            order,
            separator: Some(separator),
            short_year: a == 'y' || c == 'y',
            names: a == 'b' || b == 'b',
        })
    }

    /// The pattern, such as `%Y-%m-%d`.
    pub fn pattern(self) -> String {
        let year = if self.short_year { "%y" } else { "%Y" };
        let month = if self.names { "%b" } else { "%m" };
        self.joined([year, month, "%d"])
    }

    /// Year, month and day in the order of the format.
    fn joined(self, [year, month, day]: [&str; 3]) -> String {
        let [a, b, c] = match self.order {
            DateOrder::YearMonthDay => [year, month, day],
            DateOrder::DayMonthYear => [day, month, year],
            DateOrder::MonthDayYear => [month, day, year],
        };
        match self.separator {
            Some(s) => format!("{a}{s}{b}{s}{c}"),
            None => format!("{a}{b}{c}"),
        }
    }

    /// The day that `text` names, when it is a date of this format that exists.
    pub fn parse(self, text: &str) -> Option<i32> {
        let Some(separator) = self.separator else {
            let whole = text.len() == 8 && text.is_ascii();
            return whole.then(|| {
                let (year, rest) = text.split_at(4);
                let (month, day) = rest.split_at(2);
                to_day(digits(year)?, digits(month)?, digits(day)?)
            })?;
        };
        let mut parts = text.split(separator);
        let (a, b, c) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        let (year, month, day) = match self.order {
            DateOrder::YearMonthDay => (a, b, c),
            DateOrder::DayMonthYear => (c, b, a),
            DateOrder::MonthDayYear => (c, a, b),
        };
        let year = match (year.len(), self.short_year) {
            (4, false) => digits(year)?,
            (2, true) => digits(year)? + if year < "69" { 2000 } else { 1900 },
            _ => return None,
        };
        let month = match self.names {
            true => {
                let is_month = |name: &&str| name.eq_ignore_ascii_case(month);
                MONTHS.iter().position(is_month)? as i32 + 1
            }
            false => digits(month)?,
        };
        to_day(year, month, digits(day)?)
    }

    /// The day of a date or of a date with a time of day, such as `2024-03-01T12:30:00Z` or
    /// `14/02/2016 0:10`: the date as it is written, in whatever zone.
    pub fn day_of(self, text: &str) -> Option<i32> {
        let date = match text.find(['T', ' ']) {
            Some(end) if self.separator != Some(' ') && is_time_of_day(text[end + 1..].trim()) => {
                &text[..end]
            }
            _ => text,
        };
        self.parse(date)
    }

    /// The date in this format.
    pub fn format(self, day: i32) -> String {
        let (y, m, d) = from_day(day);
        let y = match self.short_year {
            true => format!("{:02}", y.rem_euclid(100)),
            false => format!("{y:04}"),
        };
        let m = match (self.names, MONTHS.get(m as usize - 1)) {
            (true, Some(name)) => (*name).to_owned(),
            _ => format!("{m:02}"),
        };
        self.joined([&y, &m, &format!("{d:02}")])
    }
}

/// Hours and minutes, maybe with seconds, decimals, `AM` or `PM`, and a zone.
fn is_time_of_day(text: &str) -> bool {
    let zone = text.find(['Z', '+', '-']).unwrap_or(text.len());
    let (clock, zone) = text.split_at(zone);
    let zone = zone.trim_start_matches(['Z', '+', '-']);
    let clock = clock.trim_end();
    let half = |end: &str| clock.strip_suffix(end).map(str::trim_end);
    let clock = ["AM", "PM", "am", "pm"]
        .into_iter()
        .find_map(half)
        .unwrap_or(clock);
    let (clock, decimals) = clock.split_once(['.', ',']).unwrap_or((clock, "0"));
    let below = |text: Option<&str>, end: i32| {
        text.is_none_or(|text| text.len() <= 2 && digits(text).is_some_and(|n| n < end))
    };
    let mut parts = clock.split(':');
    let (hours, minutes, seconds) = (parts.next(), parts.next(), parts.next());
    minutes.is_some()
        && parts.next().is_none()
        && below(hours, 25)
        && below(minutes, 60)
        && below(seconds, 61)
        && decimals.bytes().all(|b| b.is_ascii_digit())
        && zone.bytes().all(|b| b.is_ascii_digit() || b == b':')
}

fn digits(text: &str) -> Option<i32> {
    (matches!(text.len(), 1..=4) && text.bytes().all(|b| b.is_ascii_digit()))
        .then(|| text.bytes().fold(0, |n, b| n * 10 + i32::from(b - b'0')))
}

/// Days from 1970-01-01 to this date, if it exists.
pub fn to_day(year: i32, month: i32, day: i32) -> Option<i32> {
    if !(1..=12).contains(&month) || day < 1 || day > month_length(year, month) {
        return None;
    }
    // Years start in March here, so that the leap day is the last of its year.
    let y = year - i32::from(month <= 2);
    let era = y.div_euclid(400);
    let year_of_era = y.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

/// Year, month and day of a number of days since 1970-01-01.
pub fn from_day(day: i32) -> (i32, i32, i32) {
    let z = day + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let m = (5 * day_of_year + 2) / 153;
    let month = if m < 10 { m + 3 } else { m - 9 };
    let year = year_of_era + era * 400 + i32::from(month <= 2);
    (year, month, day_of_year - (153 * m + 2) / 5 + 1)
}

fn month_length(year: i32, month: i32) -> i32 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days() {
        for (text, day) in [
            ("1970-01-01", 0),
            ("1969-12-31", -1),
            ("2000-02-29", 11_016),
            ("2024-03-01", 19_783),
            ("1600-01-01", -135_140),
        ] {
            assert_eq!(DateFormat::ISO.parse(text), Some(day), "{text}");
            assert_eq!(DateFormat::ISO.format(day), text);
        }
    }

    #[test]
    fn years_of_two_digits_are_read_as_posix_does() {
        let short = DateFormat::from_pattern("%d/%m/%y").expect("a pattern");
        for (text, day) in [
            ("31/12/69", Some("1969-12-31")),
            ("01/01/68", Some("2068-01-01")),
            ("29/02/00", Some("2000-02-29")),
            ("01/01/1968", None),
            ("01/01/8", None),
        ] {
            let day = day.and_then(|day| DateFormat::ISO.parse(day));
            assert_eq!(short.parse(text), day, "{text}");
            if let Some(day) = day {
                assert_eq!(short.format(day), text);
            }
        }
        assert_eq!(short.pattern(), "%d/%m/%y");
    }

    #[test]
    fn months_may_have_names_and_parts_no_separator() {
        for (pattern, text, day) in [
            ("%d-%b-%Y", "01-Mar-2024", Some("2024-03-01")),
            ("%d-%b-%y", "10-Jan-69", Some("1969-01-10")),
            ("%b %d %Y", "Dec 31 1999", Some("1999-12-31")),
            ("%Y/%b/%d", "2000/Feb/29", Some("2000-02-29")),
            ("%Y%m%d", "20240301", Some("2024-03-01")),
            ("%d-%b-%Y", "01-Mrz-2024", None),
            ("%d-%b-%Y", "01-03-2024", None),
            ("%Y%m%d", "20240230", None),
            ("%Y%m%d", "2024031", None),
            ("%Y%m%d", "2024é31", None),
        ] {
            let format = DateFormat::from_pattern(pattern).expect(pattern);
            assert_eq!(format.pattern(), pattern);
            let day = day.and_then(|day| DateFormat::ISO.parse(day));
            assert_eq!(format.parse(text), day, "{text}");
            if let Some(day) = day {
                assert_eq!(format.format(day), text);
            }
        }
        let named = DateFormat::from_pattern("%d-%b-%Y").expect("a pattern");
        assert_eq!(
            named.parse("1-MAR-2024"),
            DateFormat::ISO.parse("2024-03-01")
        );
        for pattern in ["%d%m%Y", "%b%Y%d", "%Y-%b", "%b-%m-%Y", "%d-%B-%Y"] {
            assert_eq!(DateFormat::from_pattern(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn a_time_of_day_may_follow_a_date() {
        let iso = DateFormat::ISO;
        let day = iso.parse("2024-03-01");
        for text in [
            "2024-03-01",
            "2024-03-01T12:30",
            "2024-03-01T23:59:60.123456Z",
            "2024-03-01 00:00:00+02:00",
            "2024-03-01 00:00:00 -0500",
            "2024-03-01 3:15 PM",
            "2024-03-01 24:00:00",
        ] {
            assert_eq!(iso.day_of(text), day, "{text}");
            assert_eq!(iso.parse(text).is_some(), text.len() == 10, "{text}");
        }
        for text in [
            "2024-03-01 ",
            "2024-03-01 soon",
            "2024-03-01T",
            "2024-03-01T25:00",
            "2024-03-01T12:60",
            "2024-03-01T12:00:00 CET",
            "2024-02-30T12:00",
            "2024-03-01T12é:00",
        ] {
            assert_eq!(iso.day_of(text), None, "{text}");
        }
        let spaced = DateFormat::from_pattern("%d %m %Y").expect("a pattern");
        assert_eq!(spaced.day_of("01 03 2024"), day);
    }

    #[test]
    fn every_day_of_a_thousand_years_comes_back() {
        for day in -200_000..200_000 {
            let (y, m, d) = from_day(day);
            assert_eq!(to_day(y, m, d), Some(day));
        }
    }

    #[test]
    fn dates_that_do_not_exist_are_refused() {
        for text in [
            "2026-02-30",
            "2023-02-29",
            "2024-13-01",
            "2024-00-10",
            "24-01-01",
            "2024-1",
            "x-1-1",
            "2024-01-01-01",
        ] {
            assert_eq!(DateFormat::ISO.parse(text), None, "{text}");
        }
    }

    #[test]
    fn patterns_name_formats() {
        let format = DateFormat::from_pattern("%d.%m.%Y").expect("a pattern");
        assert_eq!(format.parse("01.03.2024"), Some(19_783));
        assert_eq!(format.format(19_783), "01.03.2024");
        assert_eq!(format.pattern(), "%d.%m.%Y");
        assert_eq!(DateFormat::from_pattern("%Y-%d"), None);
    }
}
