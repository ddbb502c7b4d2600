//! Numbers from text: a fast exact path for short ones, the standard library for the rest.
//!
//! A number that a 64-bit float cannot hold exactly when it is whole, or at all
//! when it is not finite, is refused rather than rounded. −0 is read as 0.

use super::misfit::Unfit;

/// A number and whether it was written as a whole one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Parsed {
    pub(super) value: f64,
    pub(super) whole: bool,
}

/// The largest magnitude up to which every whole number is a float: 2^53.
pub(super) const EXACT: u64 = 1 << 53;

const POWERS: [f64; 16] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
];

/// The number that `text` writes; spaces around it do not matter.
pub(super) fn parse(text: &str) -> Result<Parsed, Unfit> {
    short(text.as_bytes()).map_or_else(|| long(text), Ok)
}

/// The number that `text` writes with a comma before its decimals. A point in it would mean
/// thousands to some and decimals to others, so it is refused.
pub(super) fn parse_with_comma(text: &str) -> Result<Parsed, Unfit> {
    match (text.contains('.'), text.contains(',')) {
        (true, _) => Err(Unfit::Number),
        (false, false) => parse(text),
        (false, true) => parse(&text.replacen(',', ".", 1)),
    }
}

/// Up to 15 digits with an optional sign and point. Both the digits and the
/// power of ten are exact floats then, so their quotient is correctly rounded.
fn short(text: &[u8]) -> Option<Parsed> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 15 {
        return None;
    }
    let mut mantissa = 0u64;
    let mut point = None;
    for (i, &byte) in digits.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            mantissa = mantissa * 10 + u64::from(digit);
        } else if byte == b'.' && point.is_none() && i > 0 {
            point = Some(i);
        } else {
            return None;
        }
    }
    let value = match point {
        None => mantissa as f64,
        Some(i) => mantissa as f64 / POWERS[digits.len() - 1 - i],
    };
    Some(Parsed {
        value: if negative { 0.0 - value } else { value },
        whole: point.is_none(),
    })
}

fn long(text: &str) -> Result<Parsed, Unfit> {
    let text = text.trim_matches([' ', '\t']);
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        let value = text.parse::<i64>().map_err(|_| Unfit::Overflow)?;
        if value.unsigned_abs() > EXACT {
            return Err(Unfit::Inexact);
        }
        return Ok(Parsed {
            value: value as f64,
            whole: true,
        });
    }
    let value = text.parse::<f64>().map_err(|_| Unfit::Number)?;
    if !value.is_finite() {
        return Err(Unfit::Finite);
    }
    Ok(Parsed {
        value: value + 0.0,
        whole: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_that_fit_and_numbers_that_do_not() {
        for (text, expected) in [
            ("34", Ok((34.0, true))),
            ("-0", Ok((0.0, true))),
            ("-0.0", Ok((0.0, false))),
            ("+7", Ok((7.0, true))),
            (" 7 ", Ok((7.0, true))),
            ("0.1", Ok((0.1, false))),
            ("5.", Ok((5.0, false))),
            (".5", Ok((0.5, false))),
            ("1e5", Ok((1e5, false))),
            ("9007199254740992", Ok((9_007_199_254_740_992.0, true))),
            ("9007199254740993", Err(Unfit::Inexact)),
            ("9223372036854775808", Err(Unfit::Overflow)),
            ("NaN", Err(Unfit::Finite)),
            ("-inf", Err(Unfit::Finite)),
            ("Infinity", Err(Unfit::Finite)),
            ("1e400", Err(Unfit::Finite)),
            ("", Err(Unfit::Number)),
            ("-", Err(Unfit::Number)),
            ("1,5", Err(Unfit::Number)),
            ("1.2.3", Err(Unfit::Number)),
        ] {
            let found = parse(text).map(|p| (p.value, p.whole));
            assert_eq!(found, expected, "{text}");
            if let Ok((value, _)) = found {
                assert!(value != 0.0 || value.is_sign_positive(), "{text}");
            }
        }
    }

    proptest! {
        #[test]
        fn the_fast_path_agrees_with_the_standard_library(
            text in "-?[0-9]{0,9}(\\.[0-9]{0,9})?"
        ) {
            let expected = text.parse::<f64>().ok().map(|n| n + 0.0);
            prop_assert_eq!(parse(&text).ok().map(|p| p.value.to_bits()), expected.map(f64::to_bits));
        }
    }
}
