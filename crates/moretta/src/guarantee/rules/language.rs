//! The language of conditions: text in, [`Formula`] out, every mistake with its place.
//!
//! ```text
//! condition  = and { "or" and }
//! and        = not { "and" not }
//! not        = "not" not | "(" condition ")" | comparison
//! comparison = column ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) ( column | constant )
//!            | column [ "not" ] "in" "(" constant { "," constant } ")"
//!            | column "is" [ "not" ] "missing"
//! column     = a word, or any name in backticks
//! constant   = a number, or a text in quotes, 'as this' or "this"; a quote in it is doubled
//! ```
//!
//! A word begins with a letter or `_` and goes on with letters, digits, `_`, `-` and `.`.

use super::formula::{Comparison, Constant, Formula, Operand};
use std::ops::Range;

/// Why a text is no condition, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misread {
    /// What is wrong.
    pub what: String,
    /// The way out.
    pub help: String,
    /// The bytes of the text that are meant.
    pub at: Range<usize>,
}

/// Parentheses and `not` inside of each other.
const DEEPEST: usize = 32;
/// Columns and constants of one condition.
const LONGEST: usize = 1000;

pub(super) fn parse(text: &str) -> Result<Formula, Misread> {
    let tokens = tokens(text)?;
    if tokens.len() > 4 * LONGEST {
        return Err(Misread {
            what: "the condition is too long".to_owned(),
            help: "split it into several rules".to_owned(),
            at: 0..text.len(),
        });
    }
    let mut parser = Parser {
        tokens,
        next: 0,
        end: text.len(),
        depth: 0,
    };
    let formula = parser.condition()?;
    match parser.peek() {
        None => Ok(formula),
        Some(_) => Err(parser.misread(
            "something follows that does not belong to the condition",
            "join conditions with `and` or `or`",
        )),
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A word of the language, or a column.
    Word(String),
    /// A column in backticks.
    Name(String),
    Text(String),
    Number(f64),
    Compare(Comparison),
    Open,
    Close,
    Comma,
}

const KEYWORDS: [&str; 6] = ["and", "or", "not", "in", "is", "missing"];

fn tokens(text: &str) -> Result<Vec<(Token, Range<usize>)>, Misread> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (token, length) =
            token(&text[at..], first).map_err(|(what, help, length)| Misread {
                what: what.to_owned(),
                help: help.to_owned(),
                at: at..at + length,
            })?;
        found.push((token, at..at + length));
        at += length;
    }
    Ok(found)
}

/// What is wrong, the way out, and how many bytes are meant.
type Flaw = (&'static str, &'static str, usize);

/// The token at the beginning of `rest`, and its bytes.
fn token(rest: &str, first: char) -> Result<(Token, usize), Flaw> {
    let digit = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let two = rest.get(..2).unwrap_or_default();
    Ok(match first {
        '(' => (Token::Open, 1),
        ')' => (Token::Close, 1),
        ',' => (Token::Comma, 1),
        _ if two == "!=" => (Token::Compare(Comparison::NotEqual), 2),
        _ if two == "<=" => (Token::Compare(Comparison::AtMost), 2),
        _ if two == ">=" => (Token::Compare(Comparison::AtLeast), 2),
        _ if matches!(two, "==" | "<>" | "=<" | "=>") => {
            return Err((
                "this is no comparison",
                "the comparisons are =, !=, <, <=, > and >=",
                2,
            ));
        }
        '=' => (Token::Compare(Comparison::Equal), 1),
        '<' => (Token::Compare(Comparison::Less), 1),
        '>' => (Token::Compare(Comparison::Greater), 1),
        '\'' | '"' => {
            let (text, length) = quoted(rest, first)?;
            (Token::Text(text), length)
        }
        '`' => {
            let (name, length) = quoted(rest, first)?;
            (Token::Name(name), length)
        }
        _ if digit(rest) || first == '-' && digit(&rest[1..]) => number(rest)?,
        _ if first.is_alphabetic() || first == '_' => {
            let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
            let length = rest.find(|c| !part(c)).unwrap_or(rest.len());
            (Token::Word(rest[..length].to_owned()), length)
        }
        _ => {
            return Err((
                "this character means nothing here",
                "put names of columns into backticks and texts into quotes",
                first.len_utf8(),
            ));
        }
    })
}

/// A text between two marks; a mark in it is doubled.
fn quoted(rest: &str, mark: char) -> Result<(String, usize), Flaw> {
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c != mark {
            text.push(c);
        } else if chars.next_if(|&(_, next)| next == mark).is_some() {
            text.push(mark);
        } else {
            return Ok((text, at + 1));
        }
    }
    Err(("a quote is opened and not closed", "close it", rest.len()))
}

fn number(rest: &str) -> Result<(Token, usize), Flaw> {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_');
    let mut length = 1 + rest[1..].find(|c| !part(c)).unwrap_or(rest.len() - 1);
    // The sign of an exponent.
    if rest[..length].ends_with(['e', 'E']) && rest[length..].starts_with(['+', '-']) {
        let after = &rest[length + 1..];
        length += 1 + after.find(|c| !part(c)).unwrap_or(after.len());
    }
    match rest[..length].parse::<f64>() {
        Ok(number) if number.is_finite() => Ok((Token::Number(number), length)),
        _ => Err((
            "this is no number",
            "numbers are written as 18, -0.5 or 1e6; texts and dates go into quotes, names of columns that begin with a digit into backticks",
            length,
        )),
    }
}

struct Parser {
    tokens: Vec<(Token, Range<usize>)>,
    next: usize,
    /// Where the text ends.
    end: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(token, _)| token)
    }

    /// Goes on if the next token is this word.
    fn word(&mut self, word: &str) -> bool {
        let there = matches!(self.peek(), Some(Token::Word(found)) if found == word);
        self.next += usize::from(there);
        there
    }

    /// Goes on if the next token is this one.
    fn sign(&mut self, sign: &Token) -> bool {
        let there = self.peek() == Some(sign);
        self.next += usize::from(there);
        there
    }

    /// A mistake at the next token.
    fn misread(&self, what: &str, help: &str) -> Misread {
        let at = self.tokens.get(self.next).map(|(_, at)| at.clone());
        Misread {
            what: what.to_owned(),
            help: help.to_owned(),
            at: at.unwrap_or(self.end..self.end),
        }
    }

    fn condition(&mut self) -> Result<Formula, Misread> {
        let mut parts = vec![self.all()?];
        while self.word("or") {
            parts.push(self.all()?);
        }
        Ok(joined(parts, Formula::Or))
    }

    fn all(&mut self) -> Result<Formula, Misread> {
        let mut parts = vec![self.not()?];
        while self.word("and") {
            parts.push(self.not()?);
        }
        Ok(joined(parts, Formula::And))
    }

    fn not(&mut self) -> Result<Formula, Misread> {
        if self.depth == DEEPEST {
            return Err(self.misread(
                "parentheses are nested too deeply",
                "split the condition into several rules",
            ));
        }
        self.depth += 1;
        let formula = if self.word("not") {
            Formula::Not(Box::new(self.not()?))
        } else if self.sign(&Token::Open) {
            let inner = self.condition()?;
            if !self.sign(&Token::Close) {
                return Err(self.misread("a parenthesis is not closed", "add `)`"));
            }
            inner
        } else {
            self.comparison()?
        };
        self.depth -= 1;
        Ok(formula)
    }

    fn comparison(&mut self) -> Result<Formula, Misread> {
        let Some(column) = self.column() else {
            return Err(self.misread(
                "a comparison begins with a column",
                "for example `age >= 18`; names with spaces or signs go into backticks",
            ));
        };
        if self.word("is") {
            let negated = self.word("not");
            if !self.word("missing") {
                return Err(self.misread(
                    "`is` is followed by `missing` or `not missing`",
                    "to compare values write `=`",
                ));
            }
            return Ok(negate(negated, Formula::Missing(column)));
        }
        let negated = self.word("not");
        if self.word("in") {
            return Ok(negate(negated, Formula::In(column, self.constants()?)));
        }
        let Some(Token::Compare(comparison)) = self.peek().filter(|_| !negated).cloned() else {
            return Err(self.misread(
                "a column is followed by a comparison",
                "use =, !=, <, <=, >, >=, `in ('a', 'b')`, `is missing` or `is not missing`",
            ));
        };
        self.next += 1;
        let operand = match self.constant() {
            Some(constant) => Operand::Constant(constant),
            None => Operand::Column(self.column().ok_or_else(|| {
                self.misread(
                    "a comparison ends with a column or a constant",
                    "write a number, a text in quotes, or the name of a column",
                )
            })?),
        };
        Ok(Formula::Compare(column, comparison, operand))
    }

    fn constants(&mut self) -> Result<Vec<Constant>, Misread> {
        let wrong = |parser: &Parser| {
            parser.misread(
                "`in` is followed by constants in parentheses",
                "for example `in ('married', 'widowed')`",
            )
        };
        if !self.sign(&Token::Open) {
            return Err(wrong(self));
        }
        let mut constants = Vec::new();
        loop {
            constants.push(self.constant().ok_or_else(|| wrong(self))?);
            if self.sign(&Token::Close) {
                return Ok(constants);
            }
            if !self.sign(&Token::Comma) {
                return Err(wrong(self));
            }
        }
    }

    fn constant(&mut self) -> Option<Constant> {
        let constant = match self.peek()? {
            Token::Number(number) => Constant::Number(*number),
            Token::Text(text) => Constant::Text(text.clone()),
            _ => return None,
        };
        self.next += 1;
        Some(constant)
    }

    fn column(&mut self) -> Option<String> {
        let name = match self.peek()? {
            Token::Name(name) => name.clone(),
            Token::Word(word) if !KEYWORDS.contains(&word.as_str()) => word.clone(),
            _ => return None,
        };
        self.next += 1;
        Some(name)
    }
}

fn joined(mut parts: Vec<Formula>, join: fn(Vec<Formula>) -> Formula) -> Formula {
    match parts.len() {
        1 => parts.remove(0),
        _ => join(parts),
    }
}

fn negate(negated: bool, formula: Formula) -> Formula {
    match negated {
        true => Formula::Not(Box::new(formula)),
        false => formula,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn less(name: &str, number: f64) -> Formula {
        let operand = Operand::Constant(Constant::Number(number));
        Formula::Compare(name.to_owned(), Comparison::Less, operand)
    }

    #[test]
    fn and_binds_more_than_or_and_not_more_than_both() {
        let not = |inner| Formula::Not(Box::new(inner));
        for (text, expected) in [
            ("a < 1", less("a", 1.0)),
            (
                "a<1 or b<2 and c<3",
                Formula::Or(vec![
                    less("a", 1.0),
                    Formula::And(vec![less("b", 2.0), less("c", 3.0)]),
                ]),
            ),
            (
                "not a < 1 and (b < -2.5e-1 or c<3)",
                Formula::And(vec![
                    not(less("a", 1.0)),
                    Formula::Or(vec![less("b", -0.25), less("c", 3.0)]),
                ]),
            ),
            (
                "`is it` is not missing",
                not(Formula::Missing("is it".to_owned())),
            ),
            (
                "marital-status not in ('it''s', \"b\", 3)",
                not(Formula::In(
                    "marital-status".to_owned(),
                    vec![
                        Constant::Text("it's".to_owned()),
                        Constant::Text("b".to_owned()),
                        Constant::Number(3.0),
                    ],
                )),
            ),
            (
                "città >= `a``b`",
                Formula::Compare(
                    "città".to_owned(),
                    Comparison::AtLeast,
                    Operand::Column("a`b".to_owned()),
                ),
            ),
        ] {
            assert_eq!(parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_mistake_is_told_with_its_place() {
        for (text, what, place) in [
            ("", "begins with a column", ""),
            ("18 <= age", "begins with a column", "18"),
            ("age => 18", "no comparison", "=>"),
            ("age == 18", "no comparison", "=="),
            ("age", "followed by a comparison", ""),
            ("age not 18", "followed by a comparison", "18"),
            ("age >= ", "ends with a column or a constant", ""),
            ("age >= 18 years", "something follows", "years"),
            ("age >= 1.2.3", "no number", "1.2.3"),
            ("age >= 1e999", "no number", "1e999"),
            ("age in 18", "constants in parentheses", "18"),
            ("age in (18 19)", "constants in parentheses", "19"),
            ("age in ()", "constants in parentheses", ")"),
            ("age is 18", "`missing`", "18"),
            ("(age > 1", "not closed", ""),
            ("name = 'Ada", "not closed", "'Ada"),
            ("age + 1 > 2", "means nothing", "+"),
            ("and > 2", "begins with a column", "and"),
        ] {
            let misread = parse(text).expect_err(text);
            assert!(misread.what.contains(what), "{text}: {misread:?}");
            assert_eq!(&text[misread.at.clone()], place, "{text}");
            assert!(!misread.help.is_empty());
        }
        let deep = "(".repeat(100) + "a > 1" + &")".repeat(100);
        let misread = parse(&deep).expect_err("too deep");
        assert!(misread.what.contains("nested"));
        let long = vec!["a > 1"; 2000].join(" or ");
        assert!(
            parse(&long)
                .expect_err("too long")
                .what
                .contains("too long")
        );
    }

    #[test]
    fn no_text_makes_the_reader_panic() {
        let pieces = [
            "a", "`", "'", "(", ")", "-", "1", "e", "é", "\u{301}", "<", "=", " ", "not ", "in",
            ".",
        ];
        let mut state = 3_u64;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..8 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
            }
            if let Err(misread) = parse(&text) {
                assert!(
                    text.get(misread.at.clone()).is_some(),
                    "{text}: {misread:?}"
                );
            }
        }
    }
}
