//! Colours for a policy: headings, keys, strings, other values, comments.
//!
//! A scanner, not a parser: what it does not know stays plain, and every
//! character of the text is written exactly once whatever the text is.

use super::markup::Markup;

pub(super) fn highlight(text: &str, page: &mut Markup) {
    let mut rest = text;
    let mut place = Place::LineStart;
    while !rest.is_empty() {
        let (kind, length) = token(rest, place);
        let (piece, after) = rest.split_at(length);
        match kind {
            Some(class) => page.leaf("span", &[("class", &class)], piece),
            None => page.text(piece),
        }
        place = place.after(kind, piece);
        rest = after;
    }
}

/// Where in a line the scanner stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    LineStart,
    /// Before a key inside an inline table.
    TableStart,
    Inside,
}

impl Place {
    fn after(self, kind: Option<&'static str>, piece: &str) -> Self {
        match piece {
            _ if kind.is_some() => Place::Inside,
            _ if piece.contains('\n') => Place::LineStart,
            "{" | "," => Place::TableStart,
            _ if piece.trim().is_empty() => self,
            _ => Place::Inside,
        }
    }
}

/// The class and the length in bytes of the first token of a text that is not empty.
fn token(text: &str, place: Place) -> (Option<&'static str>, usize) {
    let first = text.chars().next().unwrap_or(' ');
    match first {
        '#' => (Some("comment"), until(text, |c| c == '\n')),
        '[' if place == Place::LineStart => {
            let line = &text[..until(text, |c| c == '\n')];
            let close = line.rfind(']').map_or(line.len(), |at| at + 1);
            (
                Some("heading"),
                line.find('#').map_or(close, |at| at.min(close)),
            )
        }
        '"' | '\'' if place != Place::Inside && before_equals(&text[string(text, first)..]) => {
            (Some("key"), string(text, first))
        }
        '"' | '\'' => (Some("string"), string(text, first)),
        _ if first.is_whitespace() => (None, until(text, |c| !c.is_whitespace())),
        _ if is_bare(first) => {
            let length = until(text, |c| !is_bare(c));
            let key = place != Place::Inside && before_equals(&text[length..]);
            (Some(if key { "key" } else { "value" }), length)
        }
        _ => (None, first.len_utf8()),
    }
}

fn is_bare(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | '+' | ':')
}

fn before_equals(text: &str) -> bool {
    text.trim_start_matches([' ', '\t']).starts_with('=')
}

fn until(text: &str, stop: impl Fn(char) -> bool) -> usize {
    text.find(stop).unwrap_or(text.len())
}

/// Length of the string that begins here: to its closing quote, or to the end
/// of the line when it has none.
fn string(text: &str, quote: char) -> usize {
    let triple = if quote == '"' { "\"\"\"" } else { "'''" };
    if let Some(body) = text.strip_prefix(triple) {
        return body.find(triple).map_or(text.len(), |at| at + 6);
    }
    let mut escaped = false;
    for (position, character) in text.char_indices().skip(1) {
        match character {
            '\n' => return position,
            _ if escaped => escaped = false,
            '\\' if quote == '"' => escaped = true,
            _ if character == quote => return position + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn highlighted(text: &str) -> String {
        let mut page = Markup::default();
        highlight(text, &mut page);
        page.into_string()
    }

    #[test]
    fn tokens_get_their_class() {
        for (text, expected) in [
            (
                "[a] # b",
                "<span class=\"heading\">[a]</span> <span class=\"comment\"># b</span>",
            ),
            (
                "k = 5",
                "<span class=\"key\">k</span> = <span class=\"value\">5</span>",
            ),
            (
                "a = { b = 'x' }",
                "<span class=\"key\">a</span> = { <span class=\"key\">b</span> = <span class=\"string\">&#39;x&#39;</span> }",
            ),
            (
                "x = [\n 1]",
                "<span class=\"key\">x</span> = [\n <span class=\"value\">1</span>]",
            ),
            (
                "\"a b\" = 1",
                "<span class=\"key\">&quot;a b&quot;</span> = <span class=\"value\">1</span>",
            ),
        ] {
            assert_eq!(highlighted(text), expected);
        }
    }

    #[test]
    fn no_character_is_lost_whatever_the_text() {
        for text in [
            "a = \"unclosed # [\nb = 'c\\'",
            "\"\"\"",
            "'''x",
            "\"\\",
            "[",
            "[[[",
            "= = =",
            "é = \"ü\" # ß",
            "\r\n\t",
            "]#[",
            "[a # ]",
        ] {
            let plain: String = highlighted(text)
                .split('<')
                .map(|piece| match piece.split_once('>') {
                    Some((_, text)) => text,
                    None => piece,
                })
                .collect();
            let plain = plain.replace("&quot;", "\"").replace("&#39;", "'");
            assert_eq!(plain, text);
        }
    }
}
