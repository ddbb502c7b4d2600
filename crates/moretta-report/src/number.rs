//! Numbers as people read them: separated thousands, no more digits than mean
//! something, and small counts hidden.

use moretta::pipeline::report::SMALL_CELL;

/// Stands for a value that does not exist.
pub(crate) const NONE: &str = "–";

const NARROW_SPACE: char = '\u{202f}';

/// 1234567 as "1,234,567".
pub fn count(value: u64) -> String {
    group(&value.to_string())
}

/// A count that may be told; small ones are not, even when given.
pub(crate) fn told(value: Option<u64>) -> Option<u64> {
    value.filter(|value| *value == 0 || *value > SMALL_CELL)
}

/// A count, or that it is hidden.
pub(crate) fn hidden_or_count(value: Option<u64>) -> String {
    told(value).map_or_else(|| format!("1–{SMALL_CELL}, hidden"), count)
}

/// At most four significant digits, none after the point from 1000 on.
pub fn number(value: f64) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    let size = value.abs();
    match size {
        _ if size >= 1e15 || (size > 0.0 && size < 1e-4) => format!("{value:.2e}"),
        _ if size >= 1000.0 => group(&format!("{value:.0}")),
        _ if size >= 100.0 => trim(&format!("{value:.1}")),
        _ if size >= 10.0 => trim(&format!("{value:.2}")),
        _ if size >= 1.0 => trim(&format!("{value:.3}")),
        _ => trim(&format!("{value:.4}")),
    }
}

/// A share as a percentage. What is not all is never rounded to all, nor what
/// is something to nothing.
pub(crate) fn percent(share: f64) -> String {
    let value = share * 100.0;
    let digits = match value {
        _ if !value.is_finite() => return NONE.to_owned(),
        _ if value > 0.0 && value < 0.01 => "<0.01".to_owned(),
        _ if value < 100.0 && value > 99.9 => ">99.9".to_owned(),
        _ if value.abs() < 1.0 => trim(&format!("{value:.2}")),
        _ if value.abs() < 1000.0 => trim(&format!("{value:.1}")),
        _ => number(value),
    };
    format!("{digits}{NARROW_SPACE}%")
}

/// A share in whole percents, too coarse to give a small count away.
pub(crate) fn coarse_percent(share: f64) -> String {
    let value = share * 100.0;
    match value {
        _ if !value.is_finite() => NONE.to_owned(),
        _ if value > 0.0 && value < 1.0 => format!("<1{NARROW_SPACE}%"),
        _ if value > 99.0 && value < 100.0 => format!(">99{NARROW_SPACE}%"),
        _ => format!("{value:.0}{NARROW_SPACE}%"),
    }
}

/// Bytes with a decimal prefix.
pub(crate) fn bytes(value: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "kB", "MB", "GB", "TB"];
    let mut scaled = value as f64;
    let mut unit = 0;
    while scaled >= 999.5 && unit + 1 < UNITS.len() {
        scaled /= 1000.0;
        unit += 1;
    }
    let digits = usize::from(unit > 0 && scaled < 9.95);
    format!("{scaled:.digits$}{NARROW_SPACE}{}", UNITS[unit])
}

/// Seconds, or milliseconds below one.
pub(crate) fn seconds(value: f64) -> String {
    match value {
        _ if !value.is_finite() => NONE.to_owned(),
        _ if value < 1.0 => format!("{:.0}{NARROW_SPACE}ms", value * 1000.0),
        _ if value < 100.0 => format!("{value:.1}{NARROW_SPACE}s"),
        _ => format!("{}{NARROW_SPACE}s", group(&format!("{value:.0}"))),
    }
}

fn group(digits: &str) -> String {
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", digits),
    };
    let mut grouped = String::from(sign);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

fn trim(digits: &str) -> String {
    let trimmed = digits.trim_end_matches('0').trim_end_matches('.');
    match trimmed {
        "" | "-" | "-0" => "0".to_owned(),
        _ => trimmed.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        for (value, expected) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(count(value), expected);
        }
    }

    #[test]
    fn numbers_keep_four_significant_digits() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (0.25, "0.25"),
            (2.0 / 3.0, "0.6667"),
            (12.3456, "12.35"),
            (100.0, "100"),
            (-1234.5, "-1,234"),
            (45_976_728.0, "45,976,728"),
            (f64::NAN, NONE),
            (f64::INFINITY, NONE),
        ] {
            assert_eq!(number(value), expected);
        }
    }

    #[test]
    fn percentages_round_neither_to_all_nor_to_nothing() {
        for (share, expected) in [
            (0.0, "0\u{202f}%"),
            (0.000_001, "<0.01\u{202f}%"),
            (0.0042, "0.42\u{202f}%"),
            (0.2, "20\u{202f}%"),
            (0.12345, "12.3\u{202f}%"),
            (0.999_99, ">99.9\u{202f}%"),
            (1.0, "100\u{202f}%"),
            (f64::NAN, NONE),
        ] {
            assert_eq!(percent(share), expected);
        }
        assert_eq!(coarse_percent(3.0 / 5000.0), "<1\u{202f}%");
        assert_eq!(coarse_percent(0.9999), ">99\u{202f}%");
    }

    #[test]
    fn small_counts_are_hidden_even_when_given() {
        for (value, expected) in [
            (None, "1–10, hidden"),
            (Some(0), "0"),
            (Some(1), "1–10, hidden"),
            (Some(10), "1–10, hidden"),
            (Some(11), "11"),
        ] {
            assert_eq!(hidden_or_count(value), expected);
        }
    }

    #[test]
    fn bytes_and_seconds_choose_their_unit() {
        assert_eq!(bytes(512), "512\u{202f}bytes");
        assert_eq!(bytes(1_234), "1.2\u{202f}kB");
        assert_eq!(bytes(999_999), "1.0\u{202f}MB");
        assert_eq!(bytes(412_000), "412\u{202f}kB");
        assert_eq!(seconds(0.0123), "12\u{202f}ms");
        assert_eq!(seconds(2.34), "2.3\u{202f}s");
    }
}
