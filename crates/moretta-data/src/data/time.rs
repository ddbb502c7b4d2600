//! Times of a stream as whole milliseconds since 1970, in the ways files write them.
//!
//! Windows are compared in whole milliseconds, so that no rounding of floats can
//! count a person who has left the window. More than three decimals are cut, not
//! rounded. There are no leap seconds and no local time: a time without a zone is
//! UTC. Reading and writing allocate nothing.
//!
//! A method that makes up rows writes their times in the manner of a real one
//! ([`TimeFormat::write`]); otherwise the format would betray them. Decimals
//! beyond milliseconds are zeros then, which betrays them all the same where
//! real times are finer.

use super::date::{from_day, to_day};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// How the times of a stream are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeFormat {
    /// Seconds since 1970, with or without decimals: `1494809738.217`
    Seconds,
    /// Whole milliseconds since 1970: `1494809738217`
    Milliseconds,
    /// `2017-05-15T00:55:38.217+02:00`; decimals and zone may be missing, the zone
    /// may be `Z` or without its colon, and `T` may be a blank.
    Iso,
}

const DAY: i64 = 86_400_000;

impl TimeFormat {
    /// The time that `text` writes, in milliseconds since 1970; none when it is no
    /// time of this format or does not fit.
    pub fn parse(self, text: &str) -> Option<i64> {
        match self {
            TimeFormat::Seconds => {
                if let Some(time) = of_our_days(text.as_bytes()) {
                    return Some(time);
                }
                let (negative, text) = sign(text.as_bytes());
                let (seconds, rest) = digits(text)?;
                let (decimals, rest) = fraction(rest)?;
                let kept = seconds.checked_mul(1000)?.checked_add(decimals.kept)?;
                rest.is_empty().then(|| signed(negative, kept))?
            }
            TimeFormat::Milliseconds => {
                let (negative, text) = sign(text.as_bytes());
                let (milliseconds, rest) = digits(text)?;
                rest.is_empty().then(|| signed(negative, milliseconds))?
            }
            TimeFormat::Iso => Iso::read(text.as_bytes()).map(|(time, _)| time),
        }
    }

    /// The least difference of times that can be written in the manner of `like`,
    /// in milliseconds; 1 where it is less than that.
    pub fn resolution(self, like: &str) -> i64 {
        let decimals = match self {
            TimeFormat::Seconds => decimals_of(like),
            TimeFormat::Milliseconds => 3,
            TimeFormat::Iso => Iso::of(like).decimals,
        };
        [1000, 100, 10].get(decimals).copied().unwrap_or(1)
    }

    /// Appends a time in the manner of `like`, a time of this format: with as many
    /// decimals, the same zone and the same sign between date and time. What does
    /// not fit is cut; ISO times keep to the years 0 to 9999.
    pub fn write(self, milliseconds: i64, like: &str, out: &mut String) {
        match self {
            TimeFormat::Seconds => write_seconds(milliseconds, decimals_of(like), out),
            TimeFormat::Milliseconds => {
                let _ = write!(out, "{milliseconds}");
            }
            TimeFormat::Iso => Iso::of(like).write(milliseconds, out),
        }
    }

    /// The format that `text` seems to have: ISO if it begins like a date,
    /// milliseconds if it is a whole number of at least 12 digits, otherwise
    /// seconds if it is a number.
    pub fn guess(text: &str) -> Option<TimeFormat> {
        if date_and_rest(text.as_bytes()).is_some() {
            return Some(TimeFormat::Iso);
        }
        let (_, magnitude) = sign(text.as_bytes());
        [TimeFormat::Milliseconds, TimeFormat::Seconds]
            .into_iter()
            .filter(|&format| format == TimeFormat::Seconds || magnitude.len() >= 12)
            .find(|format| format.parse(text).is_some())
    }
}

/// What stands after the seconds: how many decimals, and the first three as milliseconds.
#[derive(Clone, Copy, Default)]
struct Decimals {
    count: usize,
    kept: u64,
}

fn sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    }
}

fn signed(negative: bool, magnitude: u64) -> Option<i64> {
    match negative {
        true => 0_i64.checked_sub_unsigned(magnitude),
        false => 0_i64.checked_add_unsigned(magnitude),
    }
}

/// The whole number at the beginning of `text`, and the rest.
fn digits(text: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0_u64;
    let mut length = 0;
    for &byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        number = number.checked_mul(10)?.checked_add(u64::from(digit))?;
        length += 1;
    }
    (length > 0).then(|| (number, &text[length..]))
}

/// Ten digits, and maybe a point and three more: nearly all times are written so.
#[inline]
fn of_our_days(text: &[u8]) -> Option<i64> {
    let whole = |digits: &[u8]| -> Option<i64> {
        let mut number = 0;
        let mut odd = false;
        for &digit in digits {
            let value = digit.wrapping_sub(b'0');
            odd |= value > 9;
            number = number * 10 + i64::from(value);
        }
        (!odd).then_some(number)
    };
    match text.len() {
        10 => Some(whole(text)? * 1000),
        14 if text[10] == b'.' => Some(whole(&text[..10])? * 1000 + whole(&text[11..])?),
        _ => None,
    }
}

/// The decimals at the beginning of `text`, which may be none, and the rest. A
/// point without digits is a mistake.
fn fraction(text: &[u8]) -> Option<(Decimals, &[u8])> {
    let Some((b'.', text)) = text.split_first() else {
        return Some((Decimals::default(), text));
    };
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let digit = |place: usize| match place < count {
        true => u64::from(text[place] - b'0'),
        false => 0,
    };
    let kept = digit(0) * 100 + digit(1) * 10 + digit(2);
    (count > 0).then_some((Decimals { count, kept }, &text[count..]))
}

fn decimals_of(like: &str) -> usize {
    like.split_once('.')
        .map_or(0, |(_, decimals)| decimals.len())
}

/// Cut towards 0, as reading does, and 0 without a sign.
fn write_seconds(milliseconds: i64, decimals: usize, out: &mut String) {
    let magnitude = milliseconds.unsigned_abs();
    let (seconds, thousandths) = (magnitude / 1000, magnitude % 1000);
    let kept = cut(thousandths, decimals);
    if milliseconds < 0 && (seconds, kept) != (0, 0) {
        out.push('-');
    }
    let _ = write!(out, "{seconds}");
    write_decimals(kept, decimals, out);
}

/// The first `decimals` of three decimals.
fn cut(thousandths: u64, decimals: usize) -> u64 {
    match decimals {
        0 => 0,
        1 => thousandths / 100,
        2 => thousandths / 10,
        _ => thousandths,
    }
}

fn write_decimals(kept: u64, decimals: usize, out: &mut String) {
    if decimals > 0 {
        let _ = write!(out, ".{kept:0width$}", width = decimals.min(3));
        out.extend(std::iter::repeat_n('0', decimals.saturating_sub(3)));
    }
}

/// The manner of an ISO time.
#[derive(Clone, Copy)]
struct Iso<'a> {
    between: u8,
    decimals: usize,
    zone: &'a [u8],
    /// Of local time over UTC, in milliseconds.
    offset: i64,
}

impl<'a> Iso<'a> {
    /// The manner of `like`, a plain one if it is no ISO time.
    fn of(like: &'a str) -> Self {
        Iso::read(like.as_bytes()).map_or(
            Iso {
                between: b'T',
                decimals: 0,
                zone: b"Z",
                offset: 0,
            },
            |(_, iso)| iso,
        )
    }

    fn read(text: &'a [u8]) -> Option<(i64, Self)> {
        let ([year, month, day], rest) = date_and_rest(text)?;
        let days = i64::from(to_day(year, month, day)?);
        let (&between, rest) = rest.split_first()?;
        let (clock, rest) = rest.split_at_checked(8)?;
        let (decimals, zone) = fraction(rest)?;
        if !matches!(between, b'T' | b' ') {
            return None;
        }
        let offset = offset(zone)?;
        let iso = Iso {
            between,
            decimals: decimals.count,
            zone,
            offset,
        };
        Some((
            days * DAY + time_of_day(clock)? + decimals.kept as i64 - offset,
            iso,
        ))
    }

    fn write(self, milliseconds: i64, out: &mut String) {
        // From the year 0 to the year 9999; others have no four digits.
        let local = milliseconds
            .saturating_add(self.offset)
            .clamp(-719_528 * DAY, 2_932_897 * DAY - 1);
        let (year, month, day) = from_day(local.div_euclid(DAY) as i32);
        let rest = local.rem_euclid(DAY);
        let (minutes, seconds) = (rest / 60_000, rest / 1000 % 60);
        let _ = write!(
            out,
            "{year:04}-{month:02}-{day:02}{}{:02}:{:02}:{seconds:02}",
            char::from(self.between),
            minutes / 60,
            minutes % 60,
        );
        let kept = cut((rest % 1000) as u64, self.decimals);
        write_decimals(kept, self.decimals, out);
        out.extend(self.zone.iter().copied().map(char::from));
    }
}

/// `2017-05-15` as numbers, which need not be a date that exists, and what follows.
fn date_and_rest(text: &[u8]) -> Option<([i32; 3], &[u8])> {
    let (date, rest) = text.split_at_checked(10)?;
    let &[a, b, c, d, b'-', e, f, b'-', g, h] = date else {
        return None;
    };
    let year = pair(a, b)? * 100 + pair(c, d)?;
    let date = [year, pair(e, f)?, pair(g, h)?];
    Some((date.map(|part| part as i32), rest))
}

/// The milliseconds since midnight at `00:55:38`.
fn time_of_day(clock: &[u8]) -> Option<i64> {
    let &[a, b, b':', c, d, b':', e, f] = clock else {
        return None;
    };
    let (hours, minutes, seconds) = (pair(a, b)?, pair(c, d)?, pair(e, f)?);
    (hours < 24 && minutes < 60 && seconds < 60)
        .then_some(((hours * 60 + minutes) * 60 + seconds) * 1000)
}

/// What a zone adds to UTC, in milliseconds.
fn offset(zone: &[u8]) -> Option<i64> {
    let (sign, hours, minutes) = match *zone {
        [] | [b'Z'] => return Some(0),
        [sign, a, b, b':', c, d] | [sign, a, b, c, d] => (sign, pair(a, b)?, pair(c, d)?),
        _ => return None,
    };
    let amount = (hours * 60 + minutes) * 60_000;
    match sign {
        _ if hours > 23 || minutes > 59 => None,
        b'+' => Some(amount),
        b'-' => Some(-amount),
        _ => None,
    }
}

/// The number of two digits.
fn pair(tens: u8, ones: u8) -> Option<i64> {
    let both = tens.is_ascii_digit() && ones.is_ascii_digit();
    both.then(|| i64::from(tens - b'0') * 10 + i64::from(ones - b'0'))
}

#[cfg(test)]
mod tests {
    use super::TimeFormat::{Iso, Milliseconds, Seconds};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_times_are_read() {
        for (format, text, expected) in [
            (Seconds, "1494809738", Some(1_494_809_738_000)),
            (Seconds, "1494809738.217", Some(1_494_809_738_217)),
            (Seconds, "1494809738.2179999", Some(1_494_809_738_217)),
            (Seconds, "1494809738.2", Some(1_494_809_738_200)),
            (Seconds, "-1.5", Some(-1500)),
            (Seconds, "-0.0009", Some(0)),
            (Seconds, "007", Some(7000)),
            (Seconds, "9223372036854775.807", Some(i64::MAX)),
            (Seconds, "-9223372036854775.808", Some(i64::MIN)),
            (Seconds, "9223372036854775.808", None),
            (Seconds, "99999999999999999999999", None),
            (Seconds, "", None),
            (Seconds, "-", None),
            (Seconds, ".5", None),
            (Seconds, "5.", None),
            (Seconds, "5.x", None),
            (Seconds, "5.1.2", None),
            (Seconds, "+5", None),
            (Seconds, " 5", None),
            (Seconds, "1e9", None),
            (Seconds, "NaN", None),
            (Milliseconds, "1494809738217", Some(1_494_809_738_217)),
            (Milliseconds, "-9223372036854775808", Some(i64::MIN)),
            (Milliseconds, "9223372036854775808", None),
            (Milliseconds, "5.0", None),
            (Milliseconds, "--5", None),
            (Iso, "2017-05-15T00:55:38", Some(1_494_809_738_000)),
            (Iso, "2017-05-15 00:55:38.2179Z", Some(1_494_809_738_217)),
            (
                Iso,
                "2017-05-15T02:55:38.217+02:00",
                Some(1_494_809_738_217),
            ),
            (Iso, "2017-05-14T17:25:38-0730", Some(1_494_809_738_000)),
            (Iso, "1969-12-31T23:59:59.5", Some(-500)),
            (Iso, "2017-05-15", None),
            (Iso, "2017-05-15T00:55", None),
            (Iso, "2017-05-15x00:55:38", None),
            (Iso, "2017-02-30T00:00:00", None),
            (Iso, "2017-05-15T24:00:00", None),
            (Iso, "2017-05-15T23:59:60", None),
            (Iso, "2017-05-15T00:55:38.", None),
            (Iso, "2017-05-15T00:55:38+2", None),
            (Iso, "2017-05-15T00:55:38+25:00", None),
            (Iso, "2017-05-15T00:55:38Zz", None),
            (Iso, "1494809738", None),
        ] {
            assert_eq!(format.parse(text), expected, "{format:?} {text}");
        }
    }

    #[test]
    fn times_are_written_like_another() {
        for (format, time, like, expected) in [
            (Seconds, 1_494_809_738_217, "1", "1494809738"),
            (Seconds, 1_494_809_738_217, "1.5", "1494809738.2"),
            (Seconds, 1_494_809_738_007, "-1.500", "1494809738.007"),
            (Seconds, 1_494_809_738_217, "1.500000", "1494809738.217000"),
            (Seconds, -1500, "7.00", "-1.50"),
            (Seconds, -500, "7", "0"),
            (Seconds, -50, "7.0", "0.0"),
            (Seconds, i64::MIN, "7.000", "-9223372036854775.808"),
            (Milliseconds, -5, "12", "-5"),
            (
                Iso,
                1_494_809_738_217,
                "2000-01-01T00:00:00",
                "2017-05-15T00:55:38",
            ),
            (
                Iso,
                1_494_809_738_217,
                "2000-01-01 00:00:00.0Z",
                "2017-05-15 00:55:38.2Z",
            ),
            (
                Iso,
                1_494_809_738_217,
                "2000-01-01T00:00:00.1234+02:00",
                "2017-05-15T02:55:38.2170+02:00",
            ),
            (
                Iso,
                -1,
                "2000-01-01T00:00:00.00-0030",
                "1969-12-31T23:29:59.99-0030",
            ),
            (
                Iso,
                i64::MAX,
                "2000-01-01T00:00:00+01:00",
                "9999-12-31T23:59:59+01:00",
            ),
            (
                Iso,
                i64::MIN,
                "2000-01-01T00:00:00.000",
                "0000-01-01T00:00:00.000",
            ),
            (Iso, 0, "no time", "1970-01-01T00:00:00Z"),
        ] {
            let mut out = String::from("at ");
            format.write(time, like, &mut out);
            assert_eq!(out, format!("at {expected}"), "{format:?} {like}");
        }
    }

    #[test]
    fn formats_are_guessed() {
        for (text, expected) in [
            ("2017-05-15T00:55:38", Some(Iso)),
            ("2017-02-30", Some(Iso)),
            ("1494809738217", Some(Milliseconds)),
            ("-149480973821", Some(Milliseconds)),
            ("14948097382", Some(Seconds)),
            ("1494809738.217", Some(Seconds)),
            ("0", Some(Seconds)),
            ("", None),
            ("15.05.2017", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(TimeFormat::guess(text), expected, "{text}");
        }
    }

    #[test]
    fn texts_tell_how_fine_their_clock_is() {
        for (format, like, expected) in [
            (Seconds, "1494809738", 1000),
            (Seconds, "1494809738.2", 100),
            (Seconds, "1494809738.217", 1),
            (Seconds, "1494809738.217999", 1),
            (Milliseconds, "1494809738000", 1),
            (Iso, "2017-05-15T00:55:38Z", 1000),
            (Iso, "2017-05-15T00:55:38.21+02:00", 10),
        ] {
            assert_eq!(format.resolution(like), expected, "{like}");
        }
    }

    fn written(format: TimeFormat, time: i64, like: &str) -> String {
        let mut out = String::new();
        format.write(time, like, &mut out);
        out
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            time in any::<i64>(),
            in_years in -62_167_219_200_000_i64..253_402_300_800_000,
            seconds in "-?[0-9]{1,9}\\.[0-9]{3,9}",
            decimals in "(\\.[0-9]{3,9})",
            zone in "(Z|[+-][01][0-9]:?[0-5][0-9])?",
            between in "[T ]",
        ) {
            prop_assert_eq!(Seconds.parse(&written(Seconds, time, &seconds)), Some(time));
            prop_assert_eq!(Milliseconds.parse(&written(Milliseconds, time, "1")), Some(time));
            let like = format!("2017-05-15{between}00:55:38{decimals}{zone}");
            let text = written(Iso, in_years, &like);
            prop_assert_eq!(text.len(), like.len());
            // A zone may push the first and last hours out of the years that can be written.
            let inside = in_years.clamp(-62_167_100_000_000, 253_402_100_000_000) == in_years;
            prop_assert!(!inside || Iso.parse(&text) == Some(in_years));
        }

        #[test]
        fn a_time_written_like_itself_is_itself(
            seconds in "-?[1-9][0-9]{0,9}(\\.[0-9]{1,3})?",
            year in 1..9999_i32, month in 1..=12_i32, day in 1..=28_i32, hour in 0..24_i32,
            rest in "[T ]", tail in ":[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,3})?(Z|[+-][01][0-9]:?[0-5][0-9])?",
        ) {
            let time = Seconds.parse(&seconds).expect("a time");
            prop_assert_eq!(written(Seconds, time, &seconds), seconds);
            let iso = format!("{year:04}-{month:02}-{day:02}{rest}{hour:02}{tail}");
            let time = Iso.parse(&iso).expect("a time");
            prop_assert_eq!(written(Iso, time, &iso), iso);
        }

        #[test]
        fn no_text_makes_it_panic(text in any::<String>(), near in "[0-9TZ:. +-]{0,30}", time in any::<i64>()) {
            for text in [text, near] {
                TimeFormat::guess(&text);
                for format in [Seconds, Milliseconds, Iso] {
                    format.parse(&text);
                    format.write(time, &text, &mut String::new());
                }
            }
        }
    }
}
