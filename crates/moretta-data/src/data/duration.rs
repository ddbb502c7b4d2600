//! Lengths of time as people write them: `1h`, `1h30m`, `250ms`.
//!
//! A length is one or more numbers with a unit, largest unit first. A number may
//! have decimals as long as the whole is a count of milliseconds: `1.5h`.

use std::fmt::Write;

/// Units and their milliseconds, largest first.
const UNITS: [(&str, i64); 6] = [
    ("w", 604_800_000),
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1000),
    ("ms", 1),
];

/// The milliseconds of a length such as `90s` or `1h30m`; none when it is no
/// length, is negative or is finer than milliseconds.
///
/// ```
/// use moretta_data::data::parse_duration;
///
/// assert_eq!(parse_duration("1h30m"), Some(5_400_000));
/// assert_eq!(parse_duration("1.5h"), Some(5_400_000));
/// assert_eq!(parse_duration("90"), None);
/// ```
pub fn parse_duration(text: &str) -> Option<i64> {
    let mut units = &UNITS[..];
    let mut rest = text;
    let mut sum = 0_i64;
    while !rest.is_empty() || text.is_empty() {
        let (number, after) = split(rest, |byte| byte.is_ascii_digit() || byte == b'.');
        let (name, after) = split(after, |byte| byte.is_ascii_alphabetic());
        let place = units.iter().position(|(unit, _)| *unit == name)?;
        sum = sum.checked_add(times(number, units[place].1)?)?;
        units = &units[place + 1..];
        rest = after;
    }
    Some(sum)
}

/// The longest beginning of such bytes, all of them ASCII, and the rest.
fn split(text: &str, belongs: impl Fn(u8) -> bool) -> (&str, &str) {
    let end = text.bytes().position(|byte| !belongs(byte));
    text.split_at(end.unwrap_or(text.len()))
}

/// A decimal number of units, when it is a whole number of milliseconds.
fn times(number: &str, unit: i64) -> Option<i64> {
    let (whole, decimals) = match number.split_once('.') {
        Some((_, "")) => return None,
        Some(parts) => parts,
        None => (number, ""),
    };
    let decimals = decimals.trim_end_matches('0');
    let one = 10_i64.checked_pow(decimals.len().try_into().ok()?)?;
    let parts = match decimals {
        "" => 0,
        decimals => decimals.parse::<i64>().ok()?.checked_mul(unit)?,
    };
    let whole = whole.parse::<i64>().ok()?.checked_mul(unit)?;
    (parts % one == 0).then(|| whole.checked_add(parts / one))?
}

/// The length in whole units, largest first: `1h30m`. Weeks are used only when
/// nothing else is needed. [`parse_duration`] reads it back; a negative length,
/// which it does not read, has a minus.
pub fn duration_text(milliseconds: i64) -> String {
    let mut rest = milliseconds.unsigned_abs();
    let mut text = String::from(if milliseconds < 0 { "-" } else { "" });
    for (unit, length) in UNITS {
        let length = length.unsigned_abs();
        let count = rest / length;
        if count == 0 || (unit == "w" && !rest.is_multiple_of(length)) {
            continue;
        }
        let _ = write!(text, "{count}{unit}");
        rest %= length;
    }
    match milliseconds {
        0 => "0s".to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lengths_are_read() {
        for (text, expected) in [
            ("1h", Some(3_600_000)),
            ("30m", Some(1_800_000)),
            ("1.5h", Some(5_400_000)),
            ("0.10s", Some(100)),
            ("90s", Some(90_000)),
            ("250ms", Some(250)),
            ("2d", Some(172_800_000)),
            ("1w", Some(604_800_000)),
            ("1w2d3h4m5s6ms", Some(788_645_006)),
            ("0s", Some(0)),
            ("9223372036854775807ms", Some(i64::MAX)),
            ("9223372036854775808ms", None),
            ("99999999999999999w", None),
            ("", None),
            ("1", None),
            ("h", None),
            ("1h30", None),
            ("30m1h", None),
            ("1h1h", None),
            ("-1h", None),
            ("+1h", None),
            (" 1h", None),
            ("1 h", None),
            ("1H", None),
            ("1.h", None),
            (".5h", None),
            ("1.2.3h", None),
            ("0.5ms", None),
            ("1min", None),
            ("1é", None),
        ] {
            assert_eq!(parse_duration(text), expected, "{text}");
        }
    }

    #[test]
    fn lengths_are_written() {
        for (milliseconds, text) in [
            (0, "0s"),
            (250, "250ms"),
            (90_000, "1m30s"),
            (3_600_000, "1h"),
            (129_600_000, "1d12h"),
            (691_200_000, "8d"),
            (1_209_600_000, "2w"),
            (-1500, "-1s500ms"),
        ] {
            assert_eq!(duration_text(milliseconds), text);
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            milliseconds in prop_oneof![0..=i64::MAX, (0..100_000_i64).prop_map(|n| n * 60_000)],
        ) {
            prop_assert_eq!(parse_duration(&duration_text(milliseconds)), Some(milliseconds));
        }

        #[test]
        fn no_text_makes_it_panic(text in any::<String>(), near in "[0-9.wdhms-]{0,30}", any in any::<i64>()) {
            parse_duration(&text);
            prop_assert!(parse_duration(&near).is_none_or(|length| length >= 0));
            prop_assert!(!duration_text(any).is_empty());
        }
    }
}
