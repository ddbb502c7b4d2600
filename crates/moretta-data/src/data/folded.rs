//! Texts that a reader takes for one, as one text.

use super::{TOP, is_invisible};
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// How a text looks to a reader: composed, letters in one form and in lower case, with single spaces between words and
/// none at the ends, without characters that show nothing.
pub fn folded(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !byte.is_ascii_uppercase();
    if text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let visible: String = text
        .chars()
        .nfkc()
        .filter(|&c| c.is_whitespace() || !is_invisible(c) && !c.is_control() && c != BLANK)
        .collect();
    let words: Vec<&str> = visible.split_whitespace().collect();
    // Some letters have several small forms, such as σ and ς, or none of one letter, such as ß.
    let letters = words.join(" ").to_uppercase().to_lowercase();
    Cow::Owned(letters.nfkc().collect())
}

/// What a reader takes for a value: texts that look alike are one, and a cell that is
/// suppressed, `*`, is none.
pub fn seen(text: &str) -> Option<Cow<'_, str>> {
    let text = text.trim();
    (text != TOP).then(|| folded(text))
}

/// A pattern of Braille without dots.
const BLANK: char = '\u{2800}';

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_alike_is_one_text() {
        for (text, expected) in [
            ("anna", "anna"),
            ("ANNA", "anna"),
            (" Anna\t Rossi ", "anna rossi"),
            ("an\u{200b}na\u{feff}", "anna"),
            ("Ren\u{e9}e", "ren\u{e9}e"),
            ("rene\u{301}e", "ren\u{e9}e"),
            ("a\u{2028}b", "a b"),
            ("u-7", "u-7"),
            ("STRA\u{df}E", "strasse"),
            ("\u{3c3}\u{3b1}\u{3c3}", "\u{3c3}\u{3b1}\u{3c2}"),
            ("\u{fb01}n", "fin"),
            ("\u{ff42}ob\u{1}\u{7f}\u{2800}", "bob"),
            ("", ""),
            (" \u{200b}", ""),
        ] {
            assert_eq!(folded(text), expected, "{text:?}");
        }
    }
}
