//! XML as a stream of elements and texts, as far as GraphML needs it.
//!
//! Memory is that of one tag or text, each of which has a limit. Entities are the five that XML knows
//! and numbers of characters; a document type is refused, since it could declare others that grow
//! without end or name files. Comments and instructions are skipped. Tags must be closed in their
//! order.

use super::super::compression::size_text;
use super::super::input::Input;
use moretta_data::error::{Error, Result};

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// An element begins: [`Xml::name`], [`Xml::attribute`].
    Start,
    /// An element ends.
    End,
    /// Text between tags: [`Xml::text`]. A text may come in several pieces.
    Text,
    /// The document has ended.
    Done,
}

/// Bytes that are read at a time.
const BYTES: usize = 256 << 10;

/// Elements inside each other.
const MOST_DEPTH: usize = 256;

/// A document that is read.
pub(super) struct Xml {
    input: Input,
    buffer: Vec<u8>,
    /// The first byte of the buffer that was not looked at.
    at: usize,
    ended: bool,
    line: u64,
    /// The line on which what came last begins.
    began: u64,
    /// Bytes of a tag or a text.
    limit: usize,
    /// Names of the elements that are open.
    open: Vec<Box<str>>,
    /// An element without content, whose end is still to be told.
    closes: bool,
    seen_root: bool,
    name: String,
    attributes: Vec<(String, String)>,
    used_attributes: usize,
    text: String,
}

impl Xml {
    pub(super) fn new(input: Input, limit: usize) -> Self {
        Xml {
            input,
            buffer: Vec::new(),
            at: 0,
            ended: false,
            line: 1,
            began: 1,
            limit,
            open: Vec::new(),
            closes: false,
            seen_root: false,
            name: String::new(),
            attributes: Vec::new(),
            used_attributes: 0,
            text: String::new(),
        }
    }

    /// The line on which what came last begins.
    pub(super) fn began(&self) -> u64 {
        self.began
    }

    /// How many elements are open.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// The name of the element that has just begun or ended, with its prefix.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The value of an attribute of the element that has just begun.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let mut attributes = self.attributes[..self.used_attributes].iter();
        let found = attributes.find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The text that has just come.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// An error at this place.
    pub(super) fn error(&self, what: impl Into<String>) -> Error {
        Error::input(what)
            .in_file(self.input.path())
            .on_line(self.line)
    }

    /// What comes next.
    pub(super) fn next(&mut self) -> Result<Event> {
        if std::mem::take(&mut self.closes) {
            self.open.pop();
            return Ok(Event::End);
        }
        loop {
            if self.at == self.buffer.len() && !self.more()? {
                return self.finish();
            }
            self.began = self.line;
            if self.buffer[self.at] != b'<' {
                if let Some(event) = self.characters()? {
                    return Ok(event);
                }
                continue;
            }
            if self.starts_with(b"<!--")? {
                self.skip_to(b"-->")?;
            } else if self.starts_with(b"<![CDATA[")? {
                return self.literal();
            } else if self.starts_with(b"<!")? {
                let error = self.error("a document type, which is not read");
                return Err(error.help("take the line that begins with <!DOCTYPE out"));
            } else if self.starts_with(b"<?")? {
                self.instruction()?;
            } else {
                return self.tag();
            }
        }
    }

    fn finish(&self) -> Result<Event> {
        match (self.open.is_empty(), self.seen_root) {
            (true, true) => Ok(Event::Done),
            (false, _) => Err(self
                .error("the file ends within an element")
                .help("it may be cut off")),
            (true, false) => Err(self.error("the file holds no element")),
        }
    }

    /// Reads on; false at the end. What was looked at is let go of.
    fn more(&mut self) -> Result<bool> {
        self.buffer.drain(..self.at);
        self.at = 0;
        let before = self.buffer.len();
        while !self.ended && self.buffer.len() == before {
            self.ended = !self.input.read_into(&mut self.buffer, BYTES)?;
        }
        Ok(self.buffer.len() > before)
    }

    fn starts_with(&mut self, what: &[u8]) -> Result<bool> {
        while self.buffer.len() - self.at < what.len() {
            if !self.more()? {
                return Ok(false);
            }
        }
        Ok(self.buffer[self.at..].starts_with(what))
    }

    /// Goes on to byte `end` of the buffer.
    fn advance(&mut self, end: usize) {
        let passed = &self.buffer[self.at..end];
        self.line += memchr::memchr_iter(b'\n', passed).count() as u64;
        self.at = end;
    }

    /// Where `what` begins, from `from` bytes after here on; within the limit.
    fn find(&mut self, what: &[u8], from: usize) -> Result<usize> {
        let mut looked = from;
        loop {
            let rest = &self.buffer[self.at..];
            let start = looked.min(rest.len());
            if let Some(found) = memchr::memmem::find(&rest[start..], what) {
                return Ok(start + found);
            }
            // The beginning of what is looked for may be there already.
            looked = rest.len().saturating_sub(what.len() - 1).max(from);
            self.check_limit(rest.len())?;
            if !self.more()? {
                return Err(self
                    .error("the file ends within a tag")
                    .help("it may be cut off"));
            }
        }
    }

    fn check_limit(&self, bytes: usize) -> Result<()> {
        match bytes > self.limit {
            true => Err(self.error(format!(
                "a tag or text over {}",
                size_text(self.limit as u64)
            ))),
            false => Ok(()),
        }
    }

    fn skip_to(&mut self, end: &[u8]) -> Result<()> {
        let found = self.find(end, 4)?;
        self.advance(self.at + found + end.len());
        Ok(())
    }

    fn instruction(&mut self) -> Result<()> {
        let end = self.find(b"?>", 2)?;
        let text = self.buffer[self.at..self.at + end].to_ascii_lowercase();
        if text.starts_with(b"<?xml ") {
            let declares = |what: &[u8]| memchr::memmem::find(&text, what).is_some();
            let known: [&[u8]; 2] = [b"utf-8", b"us-ascii"];
            if declares(b"encoding") && !known.iter().any(|known| declares(known)) {
                let error = self.error("the file is in another encoding than UTF-8");
                return Err(error.help("save it as UTF-8"));
            }
        }
        self.advance(self.at + end + 2);
        Ok(())
    }

    /// Text up to the next tag; none where it is blank and outside of all elements.
    fn characters(&mut self) -> Result<Option<Event>> {
        let end = loop {
            let rest = &self.buffer[self.at..];
            match memchr::memchr(b'<', rest) {
                Some(end) => break end,
                None => {
                    self.check_limit(rest.len())?;
                    if !self.more()? {
                        break self.buffer.len() - self.at;
                    }
                }
            }
        };
        self.check_limit(end)?;
        let raw = &self.buffer[self.at..self.at + end];
        if self.open.is_empty() {
            if !raw.trim_ascii().is_empty() {
                return Err(self.error("text outside of all elements: this is no GraphML"));
            }
            self.advance(self.at + end);
            return Ok(None);
        }
        let raw = raw.to_vec();
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        self.decode(&raw, &mut text)?;
        self.text = text;
        self.advance(self.at + end);
        Ok(Some(Event::Text))
    }

    /// `<![CDATA[text]]>`
    fn literal(&mut self) -> Result<Event> {
        const HEAD: usize = 9;
        let end = self.find(b"]]>", HEAD)?;
        let raw = self.buffer[self.at + HEAD..self.at + end].to_vec();
        let text = self.utf8(&raw)?;
        self.text.clear();
        self.text.push_str(text);
        self.advance(self.at + end + 3);
        match self.open.is_empty() {
            true => Err(self.error("text outside of all elements: this is no GraphML")),
            false => Ok(Event::Text),
        }
    }

    fn tag(&mut self) -> Result<Event> {
        let end = self.tag_end()?;
        let raw = self.buffer[self.at + 1..self.at + end].to_vec();
        let event = match raw.strip_prefix(b"/") {
            Some(name) => self.end_tag(name),
            None => self.start_tag(&raw),
        };
        let event = event?;
        self.advance(self.at + end + 1);
        Ok(event)
    }

    /// Where the tag ends that begins here: a `>` may stand within quotes.
    fn tag_end(&mut self) -> Result<usize> {
        let (mut looked, mut quote) = (1, None);
        loop {
            let rest = &self.buffer[self.at..];
            let found = match quote {
                Some(quote) => memchr::memchr(quote, &rest[looked..]),
                None => memchr::memchr3(b'>', b'"', b'\'', &rest[looked..]),
            };
            match found {
                Some(place) => {
                    let place = looked + place;
                    looked = place + 1;
                    match (quote, rest[place]) {
                        (None, b'>') => {
                            self.check_limit(place)?;
                            return Ok(place);
                        }
                        (None, byte) => quote = Some(byte),
                        (Some(_), _) => quote = None,
                    }
                }
                None => {
                    looked = rest.len();
                    self.check_limit(looked)?;
                    if !self.more()? {
                        return Err(self
                            .error("the file ends within a tag")
                            .help("it may be cut off"));
                    }
                }
            }
        }
    }

    fn end_tag(&mut self, name: &[u8]) -> Result<Event> {
        let name = self.utf8(name.trim_ascii())?;
        match self.open.last() {
            Some(open) if **open == *name => {}
            _ => return Err(self.error("an element is closed that is not the one that is open")),
        }
        self.name.clear();
        self.name.push_str(name);
        self.open.pop();
        Ok(Event::End)
    }

    fn start_tag(&mut self, raw: &[u8]) -> Result<Event> {
        let raw = self.utf8(raw)?;
        let (raw, is_empty) = match raw.strip_suffix('/') {
            Some(raw) => (raw, true),
            None => (raw, false),
        };
        let end = raw
            .find(|c: char| c.is_ascii_whitespace())
            .unwrap_or(raw.len());
        let (name, rest) = raw.split_at(end);
        if name.is_empty() || name.contains(['<', '=', '&', '"']) {
            return Err(self.error("a tag without a name"));
        }
        if self.open.is_empty() && std::mem::replace(&mut self.seen_root, true) {
            return Err(self.error("an element after the end of the document"));
        }
        if self.open.len() == MOST_DEPTH {
            return Err(self.error("elements too deep within each other"));
        }
        self.name.clear();
        self.name.push_str(name);
        self.open.push(name.into());
        self.closes = is_empty;
        self.read_attributes(rest)?;
        Ok(Event::Start)
    }

    fn read_attributes(&mut self, mut rest: &str) -> Result<()> {
        self.used_attributes = 0;
        let mut attributes = std::mem::take(&mut self.attributes);
        loop {
            rest = rest.trim_ascii_start();
            if rest.is_empty() {
                break;
            }
            let parts = rest.split_once('=').and_then(|(name, after)| {
                let after = after.trim_ascii_start();
                let quote = after.chars().next().filter(|c| ['"', '\''].contains(c))?;
                let (value, rest) = after[1..].split_once(quote)?;
                Some((name.trim_ascii_end(), value, rest))
            });
            let Some((name, value, after)) = parts else {
                return Err(self.error("an attribute without a value in quotes"));
            };
            if name.is_empty()
                || name.contains(|c: char| c.is_ascii_whitespace())
                || value.contains('<')
            {
                return Err(self.error("an attribute that cannot be read"));
            }
            let used = self.used_attributes;
            if attributes[..used].iter().any(|(known, _)| known == name) {
                return Err(self.error("an attribute that is there twice"));
            }
            if attributes.len() == used {
                attributes.push((String::new(), String::new()));
            }
            let slot = &mut attributes[used];
            slot.0.clear();
            slot.0.push_str(name);
            slot.1.clear();
            self.decode(value.as_bytes(), &mut slot.1)?;
            self.used_attributes += 1;
            rest = after;
        }
        self.attributes = attributes;
        Ok(())
    }

    fn utf8<'a>(&self, raw: &'a [u8]) -> Result<&'a str> {
        std::str::from_utf8(raw).map_err(|_| {
            let error = self.error("the text is not UTF-8");
            error.help("save it as UTF-8, or try encoding = 'latin-1'")
        })
    }

    /// The text with its entities replaced; line ends are `\n`.
    fn decode(&self, raw: &[u8], text: &mut String) -> Result<()> {
        let mut rest = self.utf8(raw)?;
        while let Some(place) = memchr::memchr2(b'&', b'\r', rest.as_bytes()) {
            text.push_str(&rest[..place]);
            let after = &rest[place + 1..];
            if rest.as_bytes()[place] == b'\r' {
                if !after.starts_with('\n') {
                    text.push('\n');
                }
                rest = after;
                continue;
            }
            // The longest is &#x10FFFF; with some zeros.
            let end = after.bytes().take(16).position(|byte| byte == b';');
            let character = end.and_then(|end| entity(&after[..end]));
            let (Some(end), Some(character)) = (end, character) else {
                let passed = &raw[..raw.len() - after.len()];
                let lines = memchr::memchr_iter(b'\n', passed).count() as u64;
                return Err(Error::input("an entity that is not read")
                    .in_file(self.input.path())
                    .on_line(self.line + lines)
                    .help("use &lt; &gt; &amp; &quot; &apos; or the number of a character"));
            };
            text.push(character);
            rest = &after[end + 1..];
        }
        text.push_str(rest);
        Ok(())
    }
}

fn entity(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let number = match number.strip_prefix('x') {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
                None => number.parse(),
            };
            let number = number.ok().filter(|number| *number > 0)?;
            char::from_u32(number)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::ReadOptions;
    use super::*;

    fn events(text: &str, limit: usize) -> Result<Vec<String>> {
        let input = Input::from_bytes(text.as_bytes(), &ReadOptions::default())?;
        let mut xml = Xml::new(input, limit);
        let mut events = Vec::new();
        loop {
            events.push(match xml.next()? {
                Event::Start => {
                    let line = xml.began();
                    let used = &xml.attributes[..xml.used_attributes];
                    format!("{line}<{}{used:?}", xml.name())
                }
                Event::End => ">".to_owned(),
                Event::Text => xml.text().to_owned(),
                Event::Done => return Ok(events),
            });
        }
    }

    #[test]
    fn elements_texts_and_entities_are_read() {
        let text = "<?xml version='1.0' encoding=\"UTF-8\"?>\n<!-- <a> -->\n<g:a x = '1>2' y=\"&lt;&#65;&#x42;\">\r\n\
                    t&amp;<b/><![CDATA[<&]]></g:a >\n<!-- end -->";
        let expected = [
            "3<g:a[(\"x\", \"1>2\"), (\"y\", \"<AB\")]",
            "\nt&",
            "4<b[]",
            ">",
            "<&",
            ">",
        ];
        assert_eq!(events(text, 1000).expect("read"), expected);
    }

    #[test]
    fn what_is_no_xml_is_told_by_its_line_and_without_a_value() {
        for (text, told) in [
            ("<a>\n<b", "line 2: the file ends within a tag"),
            ("<a>\n<b>", "line 2: the file ends within an element"),
            ("", "no element"),
            ("secret", "no GraphML"),
            ("<a>\n</b>", "line 2: an element is closed"),
            ("<a></a>\n<b/>", "line 2: an element after the end"),
            ("<a>\n\n&secret;</a>", "line 3: an entity"),
            ("<a>&#0;</a>", "an entity"),
            ("<a>&#xD800;</a>", "an entity"),
            ("<a>& </a>", "an entity"),
            (
                "<!DOCTYPE a [<!ENTITY b 'secret'>]><a>&b;</a>",
                "line 1: a document type",
            ),
            ("<a b=secret/>", "an attribute without a value"),
            ("<a b='1' b='2'/>", "there twice"),
            ("<a b='1' 'secret'/>", "an attribute without"),
            ("< a/>", "a tag without a name"),
            (
                "<?xml version='1.0' encoding='ISO-8859-1'?><a/>",
                "another encoding",
            ),
        ] {
            let error = events(text, 1000).expect_err(text).to_string();
            assert!(error.contains(told), "{text}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
        let deep = "<a>".repeat(300);
        assert!(
            events(&deep, 1000)
                .expect_err("deep")
                .to_string()
                .contains("too deep")
        );
    }

    #[test]
    fn long_tags_and_texts_are_refused_before_they_are_held() {
        let long = "x".repeat(2 << 20);
        for text in [
            format!("<a b='{long}'/>"),
            format!("<a>{long}</a>"),
            format!("<a><![CDATA[{long}]]></a>"),
            format!("<a><!-- {long} --></a>"),
            format!("<{long}/>"),
        ] {
            let error = events(&text, 1 << 20).expect_err("long").to_string();
            assert!(
                error.contains("over 1 MB") || error.contains("over 1"),
                "{error}"
            );
        }
    }
}
