//! Equations as people write them.

use super::{Equation, MOST_TOKENS, Operation, Token};
use std::fmt;

/// Characters of a written equation at most.
pub const MOST_CHARACTERS: usize = 16_384;

/// What is wrong with a written equation, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The character, from 1.
    pub position: usize,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "position {}: {}", self.position, self.what)
    }
}

impl std::error::Error for Fault {}

impl Operation {
    fn sign(self) -> char {
        match self {
            Operation::Plus => '+',
            Operation::Minus => '-',
            Operation::Times => '*',
            Operation::Over => '/',
        }
    }

    /// Products bind closer than sums.
    fn binds(self) -> u8 {
        match self {
            Operation::Plus | Operation::Minus => 1,
            Operation::Times | Operation::Over => 2,
        }
    }
}

/// What waits for its right side.
#[derive(Clone, Copy)]
enum Waiting {
    Operation(Operation),
    Parenthesis(usize),
}

impl Equation {
    /// Reads `S - Tk - Tl`: names of variables, numbers, `+ - * /` and parentheses. Products bind
    /// closer than sums, and what binds alike is taken from left to right.
    ///
    /// # Errors
    /// When it is none, with the character where that shows.
    pub fn parse(text: &str, names: &[&str]) -> Result<Self, Fault> {
        let mut reader = Reader {
            characters: text.chars().take(MOST_CHARACTERS + 1).collect(),
            next: 0,
            names,
            tokens: Vec::new(),
            waiting: Vec::new(),
        };
        if reader.characters.len() > MOST_CHARACTERS {
            let what = format!("an equation has at most {MOST_CHARACTERS} characters");
            return Err(reader.fault(MOST_CHARACTERS, what));
        }
        reader.read()?;
        let end = reader.characters.len();
        let tokens = std::mem::take(&mut reader.tokens);
        Equation::new(tokens).ok_or_else(|| reader.fault(end, "no equation".to_owned()))
    }

    /// Writes it as [`Equation::parse`] reads it, with no more parentheses than it takes.
    pub fn write(&self, names: &[&str]) -> String {
        /// Binds closest.
        const ALONE: u8 = 3;
        let mut stack: Vec<(String, u8)> = Vec::new();
        let inside = |(text, binds): (String, u8), least: u8| match binds < least {
            true => format!("({text})"),
            false => text,
        };
        for token in self.tokens() {
            let written = match *token {
                Token::Variable(number) => {
                    let name = names.get(usize::from(number)).copied();
                    (name.unwrap_or("?").to_owned(), ALONE)
                }
                Token::Constant(constant) => (constant.to_string(), ALONE),
                Token::Operation(operation) => {
                    let binds = operation.binds();
                    let [right, left] = [stack.pop(), stack.pop()].map(Option::unwrap_or_default);
                    // The right side of a difference, and of what is rounded, is not taken apart.
                    let (left, right) = (inside(left, binds), inside(right, binds + 1));
                    (format!("{left} {} {right}", operation.sign()), binds)
                }
            };
            stack.push(written);
        }
        stack.pop().unwrap_or_default().0
    }
}

struct Reader<'a> {
    characters: Vec<char>,
    next: usize,
    names: &'a [&'a str],
    tokens: Vec<Token>,
    waiting: Vec<Waiting>,
}

impl Reader<'_> {
    fn fault(&self, place: usize, what: String) -> Fault {
        Fault {
            position: place + 1,
            what,
        }
    }

    /// A value, then an operation and a value, and so on (shunting yard, Dijkstra 1961).
    fn read(&mut self) -> Result<(), Fault> {
        loop {
            self.value()?;
            match self.operation()? {
                Some(operation) => self.waiting.push(Waiting::Operation(operation)),
                None => return Ok(()),
            }
        }
    }

    fn peek(&mut self) -> Option<char> {
        while self
            .characters
            .get(self.next)
            .is_some_and(|c| c.is_whitespace())
        {
            self.next += 1;
        }
        self.characters.get(self.next).copied()
    }

    /// Reads a value behind any parentheses that open.
    fn value(&mut self) -> Result<(), Fault> {
        loop {
            let place = self.peek();
            let at = self.next;
            match place {
                Some('(') => {
                    self.waiting.push(Waiting::Parenthesis(at));
                    self.next += 1;
                }
                Some(first) if first.is_ascii_digit() || first == '.' => {
                    let token = self.number()?;
                    return self.push(at, token);
                }
                Some(first) if first.is_alphabetic() => {
                    let token = self.variable()?;
                    return self.push(at, token);
                }
                Some('-') => {
                    let what = "a value is missing before `-`; a number below 0 is written `0 - 3`";
                    return Err(self.fault(at, what.to_owned()));
                }
                _ => {
                    return Err(self.fault(at, "a variable, a number or `(` is missing".to_owned()));
                }
            }
        }
    }

    /// Reads an operation behind any parentheses that close; none at the end.
    fn operation(&mut self) -> Result<Option<Operation>, Fault> {
        loop {
            let Some(sign) = self.peek() else {
                return self.end().map(|()| None);
            };
            let at = self.next;
            self.next += 1;
            if sign == ')' {
                self.apply(at, 0)?;
                match self.waiting.pop() {
                    Some(Waiting::Parenthesis(_)) => continue,
                    _ => return Err(self.fault(at, "no `(` belongs to this `)`".to_owned())),
                }
            }
            let operation = Operation::ALL.into_iter().find(|o| o.sign() == sign);
            let operation = operation
                .ok_or_else(|| self.fault(at, "one of + - * / or `)` is missing".to_owned()))?;
            self.apply(at, operation.binds())?;
            return Ok(Some(operation));
        }
    }

    /// Gives what binds at least so close its right side.
    fn apply(&mut self, at: usize, binds: u8) -> Result<(), Fault> {
        while let Some(&Waiting::Operation(operation)) = self.waiting.last() {
            if operation.binds() < binds {
                break;
            }
            self.waiting.pop();
            self.push(at, Token::Operation(operation))?;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), Fault> {
        self.apply(self.next, 0)?;
        match self.waiting.last() {
            Some(&Waiting::Parenthesis(at)) => {
                Err(self.fault(at, "no `)` belongs to this `(`".to_owned()))
            }
            _ => Ok(()),
        }
    }

    fn push(&mut self, at: usize, token: Token) -> Result<(), Fault> {
        if self.tokens.len() == MOST_TOKENS {
            let what = format!("an equation has at most {MOST_TOKENS} values and operations");
            return Err(self.fault(at, what));
        }
        self.tokens.push(token);
        Ok(())
    }

    /// The characters from here on that belong together.
    fn word(&mut self, belongs: impl Fn(char) -> bool) -> String {
        let rest = self.characters[self.next..].iter().copied();
        let word: String = rest.take_while(|&c| belongs(c)).collect();
        self.next += word.chars().count();
        word
    }

    fn number(&mut self) -> Result<Token, Fault> {
        let at = self.next;
        let mut word = self.word(|c| c.is_ascii_alphanumeric() || c == '.');
        // 1e-3: the sign belongs to the exponent where digits and an e come before it.
        let has_exponent =
            word.ends_with(['e', 'E']) && word.starts_with(|c: char| c.is_ascii_digit());
        if has_exponent && matches!(self.characters.get(self.next), Some('+' | '-')) {
            word.push(self.characters[self.next]);
            self.next += 1;
            word += &self.word(|c| c.is_ascii_digit());
        }
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Token::Constant(number)),
            _ => Err(self.fault(at, "this is no number".to_owned())),
        }
    }

    fn variable(&mut self) -> Result<Token, Fault> {
        let at = self.next;
        let word = self.word(|c| c.is_alphanumeric() || c == '_');
        let number = self.names.iter().position(|name| *name == word);
        let number = number.and_then(|number| u8::try_from(number).ok());
        number.map(Token::Variable).ok_or_else(|| {
            let what = format!("no such variable; there are {}", self.names.join(", "));
            self.fault(at, what)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NAMES: [&str; 3] = ["Tk", "S", "x_1"];

    fn token() -> impl Strategy<Value = Token> {
        prop_oneof![
            (0..3_u8).prop_map(Token::Variable),
            (0..1000_u32).prop_map(|n| Token::Constant(f64::from(n) / 10.0)),
            prop_oneof![Just(0.0), Just(1e-300), Just(1e300), Just(0.1 + 0.2)]
                .prop_map(Token::Constant),
        ]
    }

    fn equation() -> impl Strategy<Value = Equation> {
        let tokens = token().prop_map(|token| vec![token]);
        let tokens = tokens.prop_recursive(6, 60, 2, |inner| {
            (inner.clone(), inner, 0..4_usize).prop_map(|(mut left, right, operation)| {
                left.extend(right);
                left.push(Token::Operation(Operation::ALL[operation]));
                left
            })
        });
        tokens.prop_map(|tokens| Equation::new(tokens).expect("one value"))
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_as_the_same_equation(equation in equation()) {
            let text = equation.write(&NAMES);
            prop_assert_eq!(Equation::parse(&text, &NAMES), Ok(equation.clone()), "{}", text);
            // No parentheses can be left out.
            let pairs = text.matches('(').count();
            for place in text.match_indices('(').map(|(place, _)| place).take(pairs) {
                let mut open = 0;
                let close = text[place..].char_indices().find(|&(_, c)| {
                    open += i32::from(c == '(') - i32::from(c == ')');
                    open == 0
                });
                let (close, _) = close.expect("it closes");
                let mut fewer = text.clone();
                fewer.remove(place + close);
                fewer.remove(place);
                prop_assert_ne!(Equation::parse(&fewer, &NAMES), Ok(equation.clone()));
            }
        }

        #[test]
        fn any_text_is_read_or_refused_with_a_position(text in "[Tkx_1 S0-9.+*/()e-]{0,40}") {
            if let Err(fault) = Equation::parse(&text, &NAMES) {
                prop_assert!(fault.position <= text.chars().count() + 1, "{}", fault);
            }
        }
    }

    #[test]
    fn texts_are_written_as_people_do() {
        for text in [
            "S - Tk - x_1",
            "S - (Tk - x_1)",
            "(S + Tk) * 2.5",
            "S / (Tk * 2)",
            "S / Tk * 2",
            "1 - 16 / Tk",
        ] {
            let equation = Equation::parse(text, &NAMES).expect(text);
            assert_eq!(equation.write(&NAMES), text);
        }
        let same = Equation::parse("((S)*( Tk))+1e1", &NAMES).expect("an equation");
        assert_eq!(same.write(&NAMES), "S * Tk + 10");
        let small = Equation::parse("25e-2*S-1E+1", &NAMES).expect("an equation");
        assert_eq!(small.write(&NAMES), "0.25 * S - 10");
    }

    #[test]
    fn faults_say_where() {
        let long = "S+".repeat(MOST_TOKENS) + "S";
        let deep = "(".repeat(MOST_CHARACTERS + 9);
        for (text, position, what) in [
            ("", 1, "is missing"),
            ("S - ", 5, "is missing"),
            ("S Tk", 3, "one of + - * /"),
            ("(S - Tk", 1, "no `)`"),
            ("S - Tk)", 7, "no `(`"),
            ("S - Tx", 5, "there are Tk, S, x_1"),
            ("S - 1.2.3", 5, "no number"),
            ("S - 1e999", 5, "no number"),
            ("S - 1e-", 5, "no number"),
            ("S * -3", 5, "0 - 3"),
            ("S ^ 2", 3, "one of + - * /"),
            (&long, MOST_TOKENS + 2, "at most 1023"),
            (&deep, MOST_CHARACTERS + 1, "at most 16384"),
        ] {
            let fault = Equation::parse(text, &NAMES).expect_err(what);
            assert!(fault.what.contains(what), "{text:.20}: {fault}");
            assert_eq!(fault.position, position, "{text:.20}: {fault}");
        }
    }
}
