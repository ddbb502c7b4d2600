//! Text that a terminal shows and does not obey.
//!
//! Names of columns, files and classes come from others. A control character in
//! them could clear the screen, move the cursor or change what was printed before; one that
//! is not seen, or that turns the direction of reading, could make two names look alike.

use moretta::data::is_invisible;
use std::borrow::Cow;
use std::fmt::Write;

/// The text with control and invisible characters written out, except ends of lines and tabs.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    written_out(text, is_dangerous, |shown, c| {
        shown.extend(c.escape_default());
    })
}

/// The same for what stands in one line.
pub(crate) fn printable_line(text: &str) -> Cow<'_, str> {
    let dangerous = |c: char| c.is_control() || is_invisible(c);
    written_out(text, dangerous, |shown, c| {
        shown.extend(c.escape_default());
    })
}

/// The same for JSON, which means the same afterwards.
pub(crate) fn printable_json(json: &str) -> Cow<'_, str> {
    written_out(json, is_dangerous, |shown, c| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(shown, "\\u{unit:04x}");
        }
    })
}

/// The text with each control or invisible character replaced by as many bytes, so that
/// places in it stay what they are.
pub(crate) fn printable_in_place(text: String) -> String {
    match text.contains(is_dangerous) {
        false => text,
        true => text
            .chars()
            .fold(String::with_capacity(text.len()), |mut shown, c| {
                match (is_dangerous(c), c.len_utf8()) {
                    (false, _) => shown.push(c),
                    (true, 1) => shown.push('?'),
                    (true, 2) => shown.push('¿'),
                    (true, 3) => shown.push('\u{fffd}'),
                    (true, _) => shown.push_str("¿¿"),
                }
                shown
            }),
    }
}

fn is_dangerous(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t') || is_invisible(c)
}

fn written_out(
    text: &str,
    dangerous: impl Fn(char) -> bool,
    write: impl Fn(&mut String, char),
) -> Cow<'_, str> {
    if !text.contains(&dangerous) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match dangerous(c) {
            true => write(&mut shown, c),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out() {
        for (text, all, line) in [
            ("größe\t1\n", "größe\t1\n", "größe\\t1\\n"),
            ("\x1b[2J", "\\u{1b}[2J", "\\u{1b}[2J"),
            ("a\rb\x7f", "a\\rb\\u{7f}", "a\\rb\\u{7f}"),
            ("\u{9b}31m", "\\u{9b}31m", "\\u{9b}31m"),
            ("ag\u{200b}e", "ag\\u{200b}e", "ag\\u{200b}e"),
            ("\u{202e}ega", "\\u{202e}ega", "\\u{202e}ega"),
            ("a\u{e0061}", "a\\u{e0061}", "a\\u{e0061}"),
            (
                "age\u{feff}\u{ad}",
                "age\\u{feff}\\u{ad}",
                "age\\u{feff}\\u{ad}",
            ),
        ] {
            assert_eq!(printable(text), all);
            assert_eq!(printable(&printable(text)), all, "once is enough");
            assert_eq!(printable_line(text), line);
        }
    }

    #[test]
    fn json_means_the_same_and_places_stay() {
        let text = "\u{9b}31m\x1b\x7f\u{202e}\u{e0061}";
        let json = serde_json::to_string(text).expect("JSON");
        let shown = printable_json(&json);
        assert!(!shown.contains(is_dangerous));
        let back: String = serde_json::from_str(&shown).expect("JSON");
        assert_eq!(back, text);
        let replaced = printable_in_place(format!("a{text}\nb"));
        assert_eq!(replaced, "a¿31m??\u{fffd}¿¿\nb");
        assert_eq!(replaced.len(), text.len() + 3);
    }
}
