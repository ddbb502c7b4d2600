//! Learners by name, with options in parentheses: `ht(grace=50, criterion=gini)`.
//!
//! An option is a name, `=` and a value; a value may itself be a learner with options.

use super::list::options_of;
use crate::config::unknown;
use crate::error::{Error, Result};
use std::str::FromStr;

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

    pub(super) fn take(&mut self, option: &str) -> Option<&'a str> {
        let at = self.values.iter().position(|(name, _)| *name == option)?;
        Some(self.values.swap_remove(at).1)
    }

    /// A number, a whole one where the type is.
    pub(super) fn number<T: FromStr>(&mut self, option: &str, usual: T) -> Result<T> {
        match self.take(option) {
            None => Ok(usual),
            Some(value) => value.parse().map_err(|_| self.unfit(option, "a number")),
        }
    }

    /// One of a few words.
    pub(super) fn word<T: Copy>(
        &mut self,
        option: &str,
        words: &[(&str, T)],
        usual: T,
    ) -> Result<T> {
        let Some(value) = self.take(option) else {
            return Ok(usual);
        };
        let found = words.iter().find(|(word, _)| *word == value);
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let meaning = found.ok_or_else(|| self.unfit(option, &names.join(", ")));
        meaning.map(|(_, meaning)| *meaning)
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

    pub(super) fn unfit(&self, option: &str, wanted: &str) -> Error {
        Error::usage(format!("`{option}` of `{}` has an unfit value", self.name))
            .help(format!("give {wanted}"))
    }
}

fn malformed(name: &str, what: &str) -> Error {
    Error::usage(format!("the options of `{name}` cannot be read: {what}"))
        .help("write them as in `ht(grace=50, tie=0.1)`")
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn options_are_taken_by_name() {
        let mut options = Options::parse(" ht ( grace = 50, leaf=nb )").expect("sound");
        assert_eq!(options.name, "ht");
        assert_eq!(options.number("grace", 200.0).expect("a number"), 50.0);
        assert_eq!(options.number("tie", 0.05).expect("the usual"), 0.05);
        let leaf = options.word("leaf", &[("nb", 1), ("majority", 2)], 0);
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
        let error = options.number("grace", 1.0).expect_err("no number");
        assert!(!error.to_string().contains("many"));
        let options = Options::parse("ht(grcae=50)").expect("it can be read");
        let error = options.finish().expect_err("a slip");
        assert!(error.help_text().is_some_and(|help| help.contains("grace")));
    }
}
