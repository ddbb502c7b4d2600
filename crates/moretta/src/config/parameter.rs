//! Declarations: what a key of a policy can be, stated once.
//!
//! A [`Parameter`] says what a key is called, what it can be, what holds without it, what it
//! means and whether a search may vary it. Values are read through it, and errors, pages,
//! tables and the JSON Schema are made from it, so none of them can say something else.

use super::{Placed, Section, Value, unknown};
use crate::data::parse_duration;
use crate::error::{Error, Result};
use std::collections::HashSet;

/// One key of a policy.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The key.
    pub name: &'static str,
    /// What it can be.
    pub accepts: Accepts,
    /// What holds where it is not given.
    pub absent: Absent,
    /// What it does.
    pub meaning: &'static str,
    /// Values, as a policy writes them.
    pub examples: &'static [&'static str],
    /// Which end protects more, where a search may vary it.
    pub tunable: Option<Protects>,
}

/// The end of a number that protects more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protects {
    /// The larger one.
    More,
    /// The smaller one.
    Less,
}

/// What holds where a key is not given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Absent {
    /// It must be given.
    Refused,
    /// This whole number.
    Whole(i64),
    /// This number.
    Number(f64),
    /// True or false.
    Flag(bool),
    /// This text.
    Text(&'static str),
    /// What these words say; there is no value.
    Means(&'static str),
}

/// What a value can be.
#[derive(Clone, Copy, Debug)]
pub enum Accepts {
    /// A whole number from the first to the second.
    Whole(i64, i64),
    /// A number from the first to the second: [`POSITIVE`] is told as above 0, [`f64::MAX`] as
    /// no end.
    Number(f64, f64),
    /// True or false.
    Flag,
    /// Any text.
    Text,
    /// One of these words.
    Word(fn() -> Vec<&'static str>),
    /// The name of one of these things, which are called so.
    Name(&'static str, fn() -> Vec<&'static str>),
    /// A text that is written in a certain way.
    Form(&'static Form),
    /// A list.
    List(&'static Accepts, Length),
    /// A list of a lower and an upper end.
    Ends(&'static Accepts),
    /// One, or a list of them.
    OneOrMore(&'static Accepts),
    /// A table whose keys are names of such things, each with one.
    By(&'static str, &'static Accepts),
    /// The same, of names that are one of these words.
    ByWord(fn() -> Vec<&'static str>, &'static Accepts),
    /// A table with these keys.
    Table(&'static [Parameter]),
    /// A table with one of these keys.
    One(&'static [Parameter]),
    /// One of these.
    OneOf(&'static [Accepts]),
}

/// The least number that counts as above 0: one can divide by it.
pub const POSITIVE: f64 = 1e-200;

/// How long a list is.
#[derive(Clone, Copy, Debug)]
pub struct Length {
    /// At least.
    pub least: usize,
    /// At most.
    pub most: usize,
    /// No value may be there twice.
    pub distinct: bool,
}

impl Length {
    /// Any length.
    pub const ANY: Length = Length {
        least: 0,
        most: usize::MAX,
        distinct: false,
    };
}

/// How a text is written.
#[derive(Debug)]
pub struct Form {
    /// What it is, with its article.
    pub what: &'static str,
    /// One that fits.
    pub example: &'static str,
    /// The same as a regular expression, which may let more pass.
    pub pattern: &'static str,
    /// Whether a text fits.
    pub fits: fn(&str) -> bool,
}

/// The names of columns.
pub const NAMES: Accepts = Accepts::List(&Accepts::Text, Length::ANY);

/// A length of time.
pub const DURATION: Accepts = Accepts::Form(&Form {
    what: "a duration",
    example: "30m",
    pattern: DURATION_PATTERN,
    fits: |text| parse_duration(text).is_some(),
});

/// A length of time above 0.
pub const POSITIVE_DURATION: Accepts = Accepts::Form(&Form {
    what: "a duration above 0",
    example: "30m",
    pattern: DURATION_PATTERN,
    fits: |text| parse_duration(text).is_some_and(|ms| ms > 0),
});

const DURATION_PATTERN: &str = r"^([0-9]+(\.[0-9]+)?(w|d|h|m|s|ms))+$";

/// The words of a list of words with what they mean.
pub fn words<T>(list: &[(&'static str, T)]) -> Vec<&'static str> {
    list.iter().map(|(word, _)| *word).collect()
}

impl Parameter {
    /// A key without examples that no search may vary.
    pub const fn new(
        name: &'static str,
        accepts: Accepts,
        absent: Absent,
        meaning: &'static str,
    ) -> Self {
        Parameter {
            name,
            accepts,
            absent,
            meaning,
            examples: &[],
            tunable: None,
        }
    }

    /// With values, as a policy writes them.
    pub const fn examples(self, examples: &'static [&'static str]) -> Self {
        Parameter { examples, ..self }
    }

    /// A search may vary it.
    pub const fn tunable(self, protects: Protects) -> Self {
        Parameter {
            tunable: Some(protects),
            ..self
        }
    }

    /// The same key where other values are possible.
    pub const fn accepts(self, accepts: Accepts) -> Self {
        Parameter { accepts, ..self }
    }

    /// What it can be, in words.
    pub fn values(&self) -> String {
        self.accepts.told()
    }

    /// What holds where it is not given, in words.
    pub fn default(&self) -> String {
        match self.absent {
            Absent::Refused => "none; it must be given".to_owned(),
            Absent::Whole(n) => n.to_string(),
            Absent::Number(n) => n.to_string(),
            Absent::Flag(flag) => flag.to_string(),
            Absent::Text(text) => text.to_owned(),
            Absent::Means(words) => words.to_owned(),
        }
    }

    /// The keys of its table, if it can be one; those of each where it is a table by name.
    pub fn inner(&self) -> &'static [Parameter] {
        self.accepts.inner()
    }

    /// The value that stands in where none is given.
    pub(super) fn default_value(&self) -> Option<Value> {
        Some(match self.absent {
            Absent::Refused | Absent::Means(_) => return None,
            Absent::Whole(n) => Value::Whole(n),
            Absent::Number(n) => Value::Number(n),
            Absent::Flag(flag) => Value::Flag(flag),
            Absent::Text(text) => Value::Text(text.to_owned()),
        })
    }

    /// The way out of an error about it, where there is an example.
    fn hint(&self, error: Error) -> Error {
        let name = self.name;
        match (self.examples, self.accepts) {
            ([], Accepts::Form(form)) => {
                error.help(format!("for example {name} = \"{}\"", form.example))
            }
            ([], _) => error,
            (examples, _) => {
                let shown: Vec<String> = examples.iter().map(|e| format!("{name} = {e}")).collect();
                error.help(format!("for example {}", shown.join(" or ")))
            }
        }
    }

    fn undeclared(&self) -> Error {
        Error::bug(format!("`{}` is read otherwise than declared", self.name))
    }
}

impl Accepts {
    /// Fails unless the value of `name` is one of these; inside of tables nothing is looked at.
    pub fn check(&self, name: &str, placed: &Placed) -> Result<()> {
        match *self {
            Accepts::Whole(low, high) => match placed.value {
                Value::Whole(n) if (low..=high).contains(&n) => Ok(()),
                Value::Whole(_) => Err(placed.error(format!(
                    "`{name}` must be a whole number from {low} to {high}"
                ))),
                Value::Number(_) => Err(placed.error(format!("`{name}` must be a whole number"))),
                _ => Err(self.wanted(name, placed)),
            },
            Accepts::Number(low, high) => match placed.number(name)? {
                n if (low..=high).contains(&n) => Ok(()),
                _ => Err(placed.error(format!("`{name}` must {}", self.range()))),
            },
            Accepts::Word(words) => {
                let words: Vec<(&str, ())> = words().into_iter().map(|word| (word, ())).collect();
                placed.word(name, &words)
            }
            Accepts::Name(what, names) => {
                let (text, names) = (placed.text(name)?, names());
                let error = placed.error(format!("there is no {what} `{text}`"));
                if names.contains(&text.as_str()) {
                    Ok(())
                } else {
                    Err(unknown(error, &text, &names))
                }
            }
            Accepts::Form(form) if (form.fits)(&placed.text(name)?) => Ok(()),
            Accepts::Form(form) => Err(placed.error(format!("`{name}` is {}", form.what))),
            Accepts::List(of, length) => {
                let list = placed.list(name)?;
                list.iter().try_for_each(|item| of.check(name, item))?;
                length.check(name, placed, list)
            }
            Accepts::Ends(of) => match placed.list(name) {
                Ok(ends @ [_, _]) if ends.iter().all(|end| of.check(name, end).is_ok()) => Ok(()),
                _ => Err(placed.error(format!("`{name}` is the least and the largest value"))),
            },
            Accepts::OneOrMore(of) => match &placed.value {
                Value::List(list) => list.iter().try_for_each(|item| of.check(name, item)),
                _ => of.check(name, placed),
            },
            Accepts::By(_, of) | Accepts::ByWord(_, of) => {
                let mut values = placed.table(name)?.values();
                values.try_for_each(|(key, value)| of.check(&format!("{name}.{key}"), value))
            }
            Accepts::OneOf(kinds) => {
                let of_type = kinds.iter().filter(|kind| kind.is_of(&placed.value));
                let checked = of_type.map(|kind| kind.check(name, placed));
                checked.reduce(Result::or).unwrap_or_else(|| {
                    let nouns: Vec<&str> = kinds.iter().map(Accepts::noun).collect();
                    Err(placed.error(format!("`{name}` is {}", nouns.join(" or "))))
                })
            }
            Accepts::Flag | Accepts::Text | Accepts::Table(_) | Accepts::One(_) => {
                if self.is_of(&placed.value) {
                    Ok(())
                } else {
                    Err(self.wanted(name, placed))
                }
            }
        }
    }

    fn wanted(&self, name: &str, placed: &Placed) -> Error {
        placed.wanted(name, self.noun())
    }

    /// Whether a value is of this type, whatever it is.
    fn is_of(&self, value: &Value) -> bool {
        match (self, value) {
            (Accepts::Whole(..) | Accepts::Number(..), Value::Whole(_) | Value::Number(_))
            | (Accepts::Flag, Value::Flag(_))
            | (
                Accepts::Text | Accepts::Word(_) | Accepts::Name(..) | Accepts::Form(_),
                Value::Text(_),
            )
            | (Accepts::List(..) | Accepts::Ends(_) | Accepts::OneOrMore(_), Value::List(_))
            | (
                Accepts::By(..) | Accepts::ByWord(..) | Accepts::Table(_) | Accepts::One(_),
                Value::Table(_),
            ) => true,
            (Accepts::OneOrMore(of), value) => of.is_of(value),
            (Accepts::OneOf(kinds), value) => kinds.iter().any(|kind| kind.is_of(value)),
            _ => false,
        }
    }

    fn noun(&self) -> &'static str {
        match self {
            Accepts::Whole(..) => "a whole number",
            Accepts::Number(..) => "a number",
            Accepts::Flag => "true or false",
            Accepts::Text | Accepts::Word(_) | Accepts::Name(..) | Accepts::Form(_) => "a text",
            Accepts::List(..) | Accepts::Ends(_) | Accepts::OneOrMore(_) => "a list",
            Accepts::By(..) | Accepts::ByWord(..) | Accepts::Table(_) | Accepts::One(_) => {
                "a table"
            }
            Accepts::OneOf(_) => "one of several kinds",
        }
    }

    /// "lie between 0 and 1", what a number must.
    fn range(&self) -> String {
        match *self {
            Accepts::Number(low, high) if low == POSITIVE && high == f64::MAX => {
                "be above 0".into()
            }
            Accepts::Number(low, high) if low == POSITIVE => format!("be above 0, at most {high}"),
            Accepts::Number(low, f64::MAX) => format!("be at least {low}"),
            Accepts::Number(low, high) => format!("lie between {} and {high}", number(low)),
            _ => String::new(),
        }
    }

    /// What it is, in words.
    fn told(&self) -> String {
        match *self {
            Accepts::Whole(low, high) if high < 1 << 20 => {
                format!("a whole number from {low} to {high}")
            }
            Accepts::Whole(low, _) => format!("a whole number from {low}"),
            Accepts::Number(low, high) => match (low == POSITIVE, high == f64::MAX) {
                (true, true) => "a number above 0".to_owned(),
                (true, false) => format!("above 0, at most {high}"),
                (false, true) if low > f64::MIN => format!("a number from {low}"),
                (false, true) => "a number".to_owned(),
                (false, false) => format!("{} to {high}", number(low)),
            },
            Accepts::Flag => "true or false".to_owned(),
            Accepts::Text => "a text".to_owned(),
            Accepts::Word(words) | Accepts::Name(_, words) => words().join(", "),
            Accepts::Form(form) => format!("{} such as \"{}\"", form.what, form.example),
            Accepts::List(of, _) => format!("a list of {}", of.told()),
            Accepts::Ends(_) => "[lower, upper]".to_owned(),
            Accepts::OneOrMore(of) => format!("{}, or a list", of.told()),
            Accepts::By(what, of) => format!("a table by {what} of {}", of.told()),
            Accepts::ByWord(_, of) => format!("a table by name of {}", of.told()),
            Accepts::Table(keys) | Accepts::One(keys) => {
                let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
                format!("a table of {}", names.join(", "))
            }
            Accepts::OneOf(kinds) => {
                let told: Vec<String> = kinds.iter().map(Accepts::told).collect();
                told.join(" or ")
            }
        }
    }

    fn inner(&self) -> &'static [Parameter] {
        match self {
            Accepts::Table(keys) | Accepts::One(keys) => keys,
            Accepts::By(_, of)
            | Accepts::ByWord(_, of)
            | Accepts::OneOrMore(of)
            | Accepts::List(of, _) => of.inner(),
            Accepts::OneOf(kinds) => {
                let inner = kinds.iter().map(Accepts::inner);
                inner.max_by_key(|keys| keys.len()).unwrap_or_default()
            }
            _ => &[],
        }
    }
}

/// Very small ones by their power of ten.
fn number(n: f64) -> String {
    if n != 0.0 && n.abs() < 1e-9 {
        format!("{n:e}")
    } else {
        n.to_string()
    }
}

impl Length {
    fn check(&self, name: &str, placed: &Placed, list: &[Placed]) -> Result<()> {
        let Length { least, most, .. } = *self;
        if list.is_empty() && least > 0 {
            return Err(placed.error(format!("`{name}` names no value")));
        }
        if !(least..=most).contains(&list.len()) {
            return Err(placed.error(if least == most {
                format!("`{name}` needs {least} values")
            } else {
                format!("`{name}` needs from {least} to {most} values")
            }));
        }
        let mut seen = HashSet::new();
        let mut texts = list.iter().filter(|item| match &item.value {
            Value::Text(text) => !seen.insert(text.as_str()),
            _ => false,
        });
        match texts.next() {
            Some(twice) if self.distinct => {
                Err(twice.error(format!("`{name}` names this value twice")))
            }
            _ => Ok(()),
        }
    }
}

/// Values through their declarations. Those that are not optional are given, or their
/// declaration has a default.
impl Section {
    /// The value of a parameter, which fits its kind, or its default; none if there is neither.
    fn value(&mut self, parameter: &Parameter) -> Result<Option<Placed>> {
        match (self.take(parameter.name), parameter.default_value()) {
            (Some(placed), _) => {
                let checked = parameter.accepts.check(parameter.name, &placed);
                checked.map_err(|error| match error.help_text() {
                    Some(_) => error,
                    None => parameter.hint(error),
                })?;
                Ok(Some(placed))
            }
            (None, Some(value)) => Ok(Some(Placed {
                value,
                span: self.span.clone(),
            })),
            (None, None) if parameter.absent == Absent::Refused => {
                let what = format!("{} needs `{}`", self.name(), parameter.name);
                Err(parameter.hint(self.error(what)))
            }
            (None, None) => Ok(None),
        }
    }

    /// Takes a value that may be absent.
    pub fn optional<T>(
        &mut self,
        parameter: &Parameter,
        read: impl FnOnce(&Placed, &str) -> Result<T>,
    ) -> Result<Option<T>> {
        let placed = self.value(parameter)?;
        placed
            .map(|placed| read(&placed, parameter.name))
            .transpose()
    }

    /// Takes a value.
    pub fn read<T>(
        &mut self,
        parameter: &Parameter,
        read: impl FnOnce(&Placed, &str) -> Result<T>,
    ) -> Result<T> {
        self.optional(parameter, read)?
            .ok_or_else(|| parameter.undeclared())
    }

    /// Takes a value as it is.
    pub fn placed(&mut self, parameter: &Parameter) -> Result<Option<Placed>> {
        self.value(parameter)
    }

    /// Takes a number.
    pub fn number(&mut self, parameter: &Parameter) -> Result<f64> {
        self.read(parameter, Placed::number)
    }

    /// Takes a whole number.
    pub fn whole<T: TryFrom<i64>>(&mut self, parameter: &Parameter) -> Result<T> {
        self.read(parameter, Placed::whole)
    }

    /// Takes true or false.
    pub fn flag(&mut self, parameter: &Parameter) -> Result<bool> {
        self.read(parameter, Placed::flag)
    }

    /// Takes a text.
    pub fn text(&mut self, parameter: &Parameter) -> Result<String> {
        self.read(parameter, Placed::text)
    }

    /// Takes a length of time, in milliseconds.
    pub fn duration(&mut self, parameter: &Parameter) -> Result<i64> {
        self.read(parameter, Placed::duration)
    }

    /// Takes one of the words by which the parameter was declared.
    pub fn word<T: Copy>(&mut self, parameter: &Parameter, words: &[(&str, T)]) -> Result<T> {
        self.optional_word(parameter, words)?
            .ok_or_else(|| parameter.undeclared())
    }

    /// Takes one of the words by which the parameter was declared, which may be absent.
    pub fn optional_word<T: Copy>(
        &mut self,
        parameter: &Parameter,
        words: &[(&str, T)],
    ) -> Result<Option<T>> {
        self.optional(parameter, |placed, name| placed.word(name, words))
    }

    /// Takes a table, whose keys are read through their own declarations.
    pub fn table(&mut self, parameter: &Parameter) -> Result<Section> {
        self.read(parameter, |placed, name| placed.table(name).cloned())
    }

    /// Takes a table that may be absent.
    pub fn optional_table(&mut self, parameter: &Parameter) -> Result<Option<Section>> {
        self.optional(parameter, |placed, name| placed.table(name).cloned())
    }

    /// Takes the values of a table by name, in the order of the policy.
    pub fn by_name<T>(
        &mut self,
        parameter: &Parameter,
        read: impl Fn(&Placed, &str) -> Result<T>,
    ) -> Result<Option<Vec<(String, T)>>> {
        let Some(mut table) = self.optional_table(parameter)? else {
            return Ok(None);
        };
        let keys = table.keys().into_iter();
        keys.filter_map(|(name, _)| Some((table.take_named(&name)?, name)))
            .map(|(placed, name)| Ok((read(&placed, &name)?, name)))
            .map(|read| read.map(|(value, name)| (name, value)))
            .collect::<Result<_>>()
            .map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AMOUNT: Parameter = Parameter::new(
        "amount",
        Accepts::Number(0.0, 10.0),
        Absent::Number(0.1),
        "how much",
    );
    const WIDTH: Parameter = Parameter::new(
        "width",
        Accepts::OneOf(&[
            Accepts::Whole(1, 9),
            Accepts::Word(|| vec!["auto", "all"]),
            Accepts::By("column", &Accepts::Whole(1, 9)),
        ]),
        Absent::Refused,
        "how wide",
    )
    .examples(&["3"]);
    const AGES: Parameter = Parameter::new(
        "ages",
        Accepts::List(
            &Accepts::Text,
            Length {
                least: 1,
                most: 3,
                distinct: true,
            },
        ),
        Absent::Means("all"),
        "which",
    );

    fn section(settings: &str) -> Section {
        let mut section = Section::new("[here]", 0..1);
        let table: toml::Table = settings.parse().expect("TOML");
        for (key, value) in &table {
            section.insert(key, 0..1, placed(value));
        }
        section
    }

    fn placed(value: &toml::Value) -> Placed {
        let value = match value {
            toml::Value::String(text) => Value::Text(text.clone()),
            toml::Value::Integer(n) => Value::Whole(*n),
            toml::Value::Float(n) => Value::Number(*n),
            toml::Value::Array(list) => Value::List(list.iter().map(placed).collect()),
            toml::Value::Table(table) => Value::Table(section(&table.to_string())),
            _ => Value::Flag(true),
        };
        Placed { value, span: 3..4 }
    }

    #[test]
    fn a_value_is_read_through_its_declaration() {
        let number = |text: &str| section(text).number(&AMOUNT);
        assert_eq!(number("amount = 2").ok(), Some(2.0));
        assert_eq!(number("").ok(), Some(0.1), "the default");
        let ages = |text: &str| section(text).optional(&AGES, Placed::texts);
        assert_eq!(ages("").ok(), Some(None));
        assert_eq!(
            ages("ages = [\"a\"]").ok().flatten(),
            Some(vec!["a".to_owned()])
        );
    }

    #[test]
    fn what_does_not_fit_is_told_by_its_kind() {
        for (parameter, text, what, help) in [
            (
                &AMOUNT,
                "amount = 11",
                "`amount` must lie between 0 and 10",
                None,
            ),
            (
                &AMOUNT,
                "amount = \"x\"",
                "`amount` is a text, not a number",
                None,
            ),
            (
                &WIDTH,
                "",
                "[here] needs `width`",
                Some("for example width = 3"),
            ),
            (
                &WIDTH,
                "width = 0",
                "`width` must be a whole number from 1 to 9",
                Some("for example width = 3"),
            ),
            (
                &WIDTH,
                "width = \"al\"",
                "`width` cannot be `al`",
                Some("did you mean `all`?"),
            ),
            (
                &WIDTH,
                "width = { a = 12 }",
                "`width.a` must be a whole number from 1 to 9",
                Some("for example width = 3"),
            ),
            (
                &WIDTH,
                "width = [1]",
                "`width` is a whole number or a text or a table",
                Some("for example width = 3"),
            ),
            (&AGES, "ages = []", "`ages` names no value", None),
            (
                &AGES,
                "ages = [\"a\", \"b\", \"a\"]",
                "`ages` names this value twice",
                None,
            ),
            (
                &AGES,
                "ages = [\"a\", \"b\", \"c\", \"d\"]",
                "`ages` needs from 1 to 3 values",
                None,
            ),
        ] {
            let error = section(text).placed(parameter).expect_err(text);
            assert_eq!(
                (error.to_string().as_str(), error.help_text()),
                (what, help)
            );
        }
    }

    #[test]
    fn what_is_read_otherwise_than_declared_is_a_bug_of_ours() {
        let unfit = section("").number(&AGES).expect_err("no number");
        assert_eq!(unfit.exit_code(), 8);
    }
}
