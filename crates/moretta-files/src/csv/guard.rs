//! Cells that a spreadsheet would run as a formula.
//!
//! A cell that starts with `=`, `+`, `-`, `@`, a tab or a carriage return is
//! dangerous unless it is a number or an interval of numbers (`-5..-1`).

/// Whether `text` needs a leading `'`.
#[inline]
pub(super) fn is_formula(text: &str) -> bool {
    let suspicious = matches!(
        text.as_bytes().first(),
        Some(b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r')
    );
    suspicious && !is_number(text) && !is_interval(text)
}

fn is_number(text: &str) -> bool {
    // The standard library also reads words such as `-inf`, which are no numbers to a spreadsheet.
    text.bytes()
        .all(|b| matches!(b, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E'))
        && text.parse::<f64>().is_ok()
}

fn is_interval(text: &str) -> bool {
    text.split_once("..")
        .is_some_and(|(low, high)| is_number(low) && is_number(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_told_from_numbers_and_intervals() {
        for (text, expected) in [
            ("=cmd|' /C calc'!A0", true),
            ("+1+2", true),
            ("-2+3", true),
            ("@SUM(A1)", true),
            ("\tx", true),
            ("\rx", true),
            ("-inf", true),
            ("-", true),
            ("-5..=x", true),
            ("-5", false),
            ("+4.5", false),
            ("-1e-5", false),
            ("-5..-1", false),
            ("-0.5..2", false),
            ("a=b", false),
            ("", false),
        ] {
            assert_eq!(is_formula(text), expected, "{text:?}");
        }
    }
}
