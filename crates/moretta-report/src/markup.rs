//! HTML and SVG that cannot be broken by data.
//!
//! Markup comes only from `&'static str`; whatever is computed or read goes
//! through [`Markup::text`] or an attribute and is escaped on the way. Elements
//! are closed by the call that opened them, so nesting is right by construction.

use moretta::data::is_invisible;
use std::fmt::{self, Display, Write};

/// Names and values of attributes; values are escaped.
pub type Attributes<'a> = &'a [(&'static str, &'a dyn Display)];

/// A page in the making.
#[derive(Default)]
pub struct Markup(String);

impl Markup {
    /// The page as text.
    pub fn into_string(self) -> String {
        self.0
    }

    /// Markup of the program's own.
    pub fn raw(&mut self, markup: &'static str) {
        self.0.push_str(markup);
    }

    /// What was written elsewhere.
    pub(crate) fn append(&mut self, part: Markup) {
        self.0.push_str(&part.0);
    }

    /// Anything, escaped.
    pub fn text(&mut self, text: impl Display) {
        write!(Escape(&mut self.0), "{text}").expect("a string takes every write");
    }

    /// Text in which names stand between backticks.
    pub fn prose(&mut self, text: &str) {
        let mut pieces = text.split('`').peekable();
        let mut name = false;
        while let Some(piece) = pieces.next() {
            match (name, pieces.peek()) {
                (true, Some(_)) => self.leaf("code", &[], piece),
                (true, None) => self.text(format_args!("`{piece}")),
                (false, _) => self.text(piece),
            }
            name = !name;
        }
    }

    /// `<tag attributes>` content `</tag>`.
    pub fn element(
        &mut self,
        tag: &'static str,
        attributes: Attributes<'_>,
        content: impl FnOnce(&mut Self),
    ) {
        self.start(tag, attributes);
        self.0.push('>');
        content(self);
        self.0.push_str("</");
        self.0.push_str(tag);
        self.0.push('>');
    }

    /// An element that holds only text.
    pub fn leaf(&mut self, tag: &'static str, attributes: Attributes<'_>, text: impl Display) {
        self.element(tag, attributes, |inside| inside.text(text));
    }

    /// An SVG element without content.
    pub fn shape(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.start(tag, attributes);
        self.0.push_str("/>");
    }

    fn start(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.0.push('<');
        self.0.push_str(tag);
        for (name, value) in attributes {
            self.0.push(' ');
            self.0.push_str(name);
            self.0.push_str("=\"");
            self.text(value);
            self.0.push('"');
        }
    }
}

/// Writes text so that it stays text in content and in quoted attributes.
struct Escape<'a>(&'a mut String);

impl Write for Escape<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            match character {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                '\n' | '\r' | '\t' => self.0.push(character),
                // Other control characters, marks that turn the reading direction and what
                // is not seen could make a label look like what it is not.
                _ if character.is_control() || is_invisible(character) => {
                    self.0.extend(character.escape_unicode());
                }
                _ => self.0.push(character),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_attributes_are_escaped() {
        let mut markup = Markup::default();
        markup.leaf(
            "b",
            &[("title", &"\"'><i>")],
            "<script>&\u{0}\u{202e}\u{200b}",
        );
        assert_eq!(
            markup.into_string(),
            "<b title=\"&quot;&#39;&gt;&lt;i&gt;\">&lt;script&gt;&amp;\\u{0}\\u{202e}\\u{200b}</b>"
        );
    }

    #[test]
    fn names_in_prose_are_set_as_code() {
        for (text, expected) in [
            ("plain", "plain"),
            ("l of `a<b`", "l of <code>a&lt;b</code>"),
            ("`a` and `b`", "<code>a</code> and <code>b</code>"),
            ("it`s", "it`s"),
        ] {
            let mut markup = Markup::default();
            markup.prose(text);
            assert_eq!(markup.into_string(), expected);
        }
    }

    #[test]
    fn shapes_close_themselves() {
        let mut markup = Markup::default();
        markup.shape("rect", &[("x", &1), ("class", &"bar")]);
        assert_eq!(markup.into_string(), "<rect x=\"1\" class=\"bar\"/>");
    }
}
