//! Learners by name, with options in parentheses: `ht(grace=50, criterion=gini)`.
//!
//! An option is a name, `=` and a value; a value may itself be a learner with options.

use super::options_of;
use crate::config::{Accepts, Parameter, Placed, Value, unknown};
use crate::error::{Error, Result};

/// Texts between commas that no parentheses enclose: `nb, ht(tie=0.1, grace=50)` are two.
pub fn split_learners(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let comma = |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    let parts = text.split(comma).map(str::trim);
    parts.filter(|part| !part.is_empty()).collect()
}

/// A learner that was asked for, and the options that nobody has taken yet.
pub(super) struct Options<'a> {
    pub(super) name: &'a str,
    values: Vec<(&'a str, &'a str)>,
}

impl<'a> Options<'a> {
    /// Fails on parentheses that do not close and on options without a value or given twice.
    pub(super) fn parse(text: &'a str) -> Result<Self> {
        let Some((name, rest)) = text.split_once('(') else {
            return Ok(Options {
                name: text.trim(),
                values: Vec::new(),
            });
        };
        let name = name.trim();
        let inside = rest.trim_end().strip_suffix(')');
        let inside = inside.ok_or_else(|| malformed(name, "the parenthesis is not closed"))?;
        let mut values: Vec<(&str, &str)> = Vec::new();
        for part in split_learners(inside) {
            let Some((option, value)) = part.split_once('=') else {
                return Err(malformed(name, "an option has no value"));
            };
            let option = option.trim();
            if values.iter().any(|(other, _)| *other == option) {
                return Err(malformed(name, &format!("`{option}` is given twice")));
            }
            values.push((option, value.trim()));
        }
        Ok(Options { name, values })
    }

    /// The value of an option, as it is declared.
    pub(super) fn value(&mut self, option: &Parameter) -> Result<Option<Placed>> {
        let mut names = self.values.iter().map(|(name, _)| *name);
        let Some(at) = names.position(|name| name == option.name) else {
            return Ok(None);
        };
        let (_, text) = self.values.swap_remove(at);
        let of_text = matches!(
            option.accepts,
            Accepts::Text | Accepts::Word(_) | Accepts::Form(_)
        );
        let value = match (text.parse(), text.parse()) {
            (Ok(n), _) if !of_text => Value::Whole(n),
            (_, Ok(n)) if !of_text => Value::Number(n),
            _ => Value::Text(text.to_owned()),
        };
        let placed = Placed { value, span: 0..0 };
        match option.accepts.check(option.name, &placed) {
            Ok(()) => Ok(Some(placed)),
            // What was given is not told.
            Err(_) => Err(self.unfit(option)),
        }
    }

    pub(super) fn number(&mut self, option: &Parameter, usual: f64) -> Result<f64> {
        let value = self.value(option)?;
        value.map_or(Ok(usual), |placed| placed.number(option.name))
    }

    pub(super) fn whole<T: TryFrom<i64>>(&mut self, option: &Parameter, usual: T) -> Result<T> {
        let value = self.value(option)?;
        value.map_or(Ok(usual), |placed| placed.whole(option.name))
    }

    pub(super) fn text(&mut self, option: &Parameter, usual: String) -> Result<String> {
        let value = self.value(option)?;
        value.map_or(Ok(usual), |placed| placed.text(option.name))
    }

    /// One of the words by which the option was declared.
    pub(super) fn word<T: Copy>(
        &mut self,
        option: &Parameter,
        words: &[(&str, T)],
        usual: T,
    ) -> Result<T> {
        let value = self.value(option)?;
        value.map_or(Ok(usual), |placed| placed.word(option.name, words))
    }

    /// Fails if an option is left that the learner does not have.
    pub(super) fn finish(self) -> Result<()> {
        let Some((option, _)) = self.values.first() else {
            return Ok(());
        };
        let known: Vec<&str> = options_of(self.name).map(|info| info.name).collect();
        let fault = Error::usage(format!("`{}` has no option `{option}`", self.name));
        if known.is_empty() {
            return Err(fault.help("it has none at all"));
        }
        Err(unknown(fault, option, &known))
    }

    fn unfit(&self, option: &Parameter) -> Error {
        let what = format!("`{}` of `{}` has an unfit value", option.name, self.name);
        Error::usage(what).help(format!("give {}", option.values()))
    }
}

fn malformed(name: &str, what: &str) -> Error {
    Error::usage(format!("the options of `{name}` cannot be read: {what}"))
        .help("write them as in `ht(grace=50, tie=0.1)`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Absent;

    #[test]
    fn commas_inside_parentheses_do_not_divide() {
        let check = |text, expected: &[&str]| assert_eq!(split_learners(text), expected, "{text}");
        check("nb", &["nb"]);
        check(
            "nb, ht(tie=0.1, grace=50) ,",
            &["nb", "ht(tie=0.1, grace=50)"],
        );
        check(
            "drift(learner=ht(tie=0,grace=9)),nb",
            &["drift(learner=ht(tie=0,grace=9))", "nb"],
        );
        check("", &[]);
    }

    const GRACE: Parameter = Parameter::new(
        "grace",
        Accepts::Number(1.0, f64::MAX),
        Absent::Means("200"),
        "",
    );
    const TIE: Parameter =
        Parameter::new("tie", Accepts::Number(0.0, 1.0), Absent::Means("0.05"), "");
    const LEAF: Parameter = Parameter::new(
        "leaf",
        Accepts::Word(|| vec!["nb", "majority"]),
        Absent::Means("nb"),
        "",
    );

    #[test]
    fn options_are_taken_by_name() {
        let mut options = Options::parse(" ht ( grace = 50, leaf=nb )").expect("sound");
        assert_eq!(options.name, "ht");
        assert_eq!(options.number(&GRACE, 200.0).expect("a number"), 50.0);
        assert_eq!(options.number(&TIE, 0.05).expect("the usual"), 0.05);
        let leaf = options.word(&LEAF, &[("nb", 1), ("majority", 2)], 0);
        assert_eq!(leaf.expect("a word"), 1);
        options.finish().expect("nothing is left");
    }

    #[test]
    fn unsound_options_are_usage_errors() {
        for text in ["ht(grace=50", "ht(grace)", "ht(tie=1,tie=2)"] {
            let error = Options::parse(text).err().expect(text);
            assert_eq!(error.exit_code(), 2);
        }
        let mut options = Options::parse("ht(grace=many)").expect("it can be read");
        let error = options.number(&GRACE, 1.0).expect_err("no number");
        assert!(!error.to_string().contains("many"));
        let options = Options::parse("ht(grcae=50)").expect("it can be read");
        let error = options.finish().expect_err("a slip");
        assert!(error.help_text().is_some_and(|help| help.contains("grace")));
    }
}
