//! Numbers to text: the shortest that reads back the same, never with an exponent.

use std::io::Write;

/// Appends the number in decimal.
pub fn push_number(out: &mut Vec<u8>, number: f64) {
    if number.fract() == 0.0 && number.abs() < 1e18 {
        out.extend_from_slice(itoa::Buffer::new().format(number as i64).as_bytes());
        return;
    }
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format(number);
    if text.bytes().any(|b| b.is_ascii_alphabetic()) {
        // Very large and very small numbers: the standard library writes all digits.
        write!(out, "{number}").expect("a vector takes all bytes");
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(number: f64) -> String {
        let mut out = Vec::new();
        push_number(&mut out, number);
        String::from_utf8(out).expect("ASCII")
    }

    #[test]
    fn numbers_are_short_and_plain() {
        for (number, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (34.0, "34"),
            (-7.0, "-7"),
            (0.1, "0.1"),
            (2.5e-7, "0.00000025"),
            (1e20, "100000000000000000000"),
        ] {
            assert_eq!(text(number), expected);
        }
    }

    proptest! {
        #[test]
        fn every_finite_number_reads_back(number in proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL) {
            prop_assert_eq!(text(number).parse::<f64>().expect("a number"), number);
            prop_assert!(!text(number).contains('e'));
        }
    }
}
