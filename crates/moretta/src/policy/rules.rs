//! Reads `[[rules]]`: what must be true of every row.

use crate::config::{Absent, Accepts, Parameter, Placed, Section, Value, word, words};
use crate::error::{Error, Result};
use crate::guarantee::{Breach, ColumnRule, Condition, Misread};

/// The keys of a rule.
pub(super) const KEYS: &[Parameter] = &[NAME, WHEN, THEN, REQUIRE, SOURCE, RELEASE];

const NAME: Parameter = Parameter::new(
    "name",
    Accepts::Text,
    Absent::Refused,
    "what the rule is called in messages and reports",
)
.examples(&["\"adults-marry\""]);
const WHEN: Parameter = Parameter::new(
    "when",
    Accepts::Text,
    Absent::Means("all rows"),
    "the condition on rows that `then` is about",
)
.examples(&["\"age < 16\""]);
const THEN: Parameter = Parameter::new(
    "then",
    Accepts::Text,
    Absent::Means("`require` is given"),
    "what must not be false in rows where `when` is true",
)
.examples(&["\"kind = 'child'\""]);
const REQUIRE: Parameter = Parameter::new(
    "require",
    Accepts::Text,
    Absent::Means("`when` and `then` are given"),
    "what must not be false in any row",
)
.examples(&["\"age >= 0\""]);
const SOURCE: Parameter = Parameter::new(
    "source",
    Accepts::Word(|| words(BREACHES)),
    Absent::Text("refuse"),
    "what becomes of a source in which rows break the rule",
);
const RELEASE: Parameter = Parameter::new(
    "release",
    Accepts::Word(|| words(BREACHES)),
    Absent::Text("refuse"),
    "what becomes of a release in which rows break the rule",
);

const BREACHES: &[(&str, Breach)] = &[("refuse", Breach::Refuse), ("warn", Breach::Warn)];

/// Reads the rules, whose columns are looked at later.
pub(super) fn read(list: &[Placed]) -> Result<Vec<ColumnRule>> {
    list.iter()
        .map(|placed| match &placed.value {
            Value::Table(section) => read_rule(section.clone(), placed),
            _ => Err(placed.error("each [[rules]] is a table")),
        })
        .collect()
}

fn read_rule(mut section: Section, placed: &Placed) -> Result<ColumnRule> {
    let name = section.text(&NAME)?;
    let [when, then, require] = [&WHEN, &THEN, &REQUIRE].map(|key| section.placed(key));
    let (when, then) = match (when?, then?, require?) {
        (when @ Some(_), Some(then), None) => (when, then),
        (None, None, Some(require)) => (None, require),
        _ => {
            return Err(section
                .error(format!(
                    "rule `{name}` has neither `require` alone nor `when` and `then`"
                ))
                .help("write require = \"a <= b\", or when = \"c = 'x'\" and then = \"a <= b\""));
        }
    };
    let rule = ColumnRule {
        when: when.map(|when| condition(&when, WHEN.name)).transpose()?,
        then: condition(&then, THEN.name)?,
        source: section.word(&SOURCE, BREACHES)?,
        release: section.word(&RELEASE, BREACHES)?,
        span: placed.span.clone(),
        name,
    };
    section.finish()?;
    Ok(rule)
}

fn condition(placed: &Placed, name: &str) -> Result<Condition> {
    let text = placed.text(name)?;
    Condition::parse(&text).map_err(|misread| at(placed, &text, misread))
}

/// The mistake with its place in the policy: inside of the text where that is written as it is.
fn at(placed: &Placed, text: &str, misread: Misread) -> Error {
    let Misread { what, help, at } = misread;
    let span = match placed.span.len() == text.len() + 2 {
        true => placed.span.start + 1 + at.start..placed.span.start + 1 + at.end,
        false => placed.span.clone(),
    };
    Error::policy(what).at(span).help(help)
}

/// A rule as [`read`] reads it.
pub(super) fn written(rule: &ColumnRule) -> Section {
    let mut section = Section::default();
    section.set(&NAME, rule.name.clone());
    match &rule.when {
        None => section.set(&REQUIRE, rule.then.text.clone()),
        Some(when) => {
            section.set(&WHEN, when.text.clone());
            section.set(&THEN, rule.then.text.clone());
        }
    }
    for (key, breach) in [(&SOURCE, rule.source), (&RELEASE, rule.release)] {
        if breach != Breach::default()
            && let Some(word) = word(BREACHES, &breach)
        {
            section.set(key, word);
        }
    }
    section
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Policy, Root};
    use std::path::Path;

    const REST: &str = r#"
[source]
path = "a.csv"
[columns]
name = { role = "identifier" }
age = { role = "quasi", type = "integer" }
status = { role = "quasi" }
from = { role = "plain", type = "date" }
to = { role = "plain", type = "date" }
note = { role = "plain" }
other = { role = "plain" }
[guarantee]
k = 2
"#;

    fn read(rules: &str, method: &str) -> Result<Policy> {
        let root = Root::of_policy(Path::new("policy.toml"), None)?;
        let text = format!("version = 1\n{REST}[[protect]]\n{method}\n{rules}");
        Policy::parse(&text, &root)
    }

    const MONDRIAN: &str = "method = \"mondrian\"";

    #[test]
    fn rules_are_read_and_written_as_they_were_read() {
        let rules = "[[rules]]\nname = \"adults\"\nwhen = \"status in ('married', 'widowed')\"\n\
                     then = \"age >= 18\"\nsource = \"warn\"\n\
                     [[rules]]\nname = \"stay\"\nrequire = \"to >= from\"\nrelease = \"warn\"\n";
        let policy = read(rules, MONDRIAN).expect("a policy");
        let [adults, stay] = policy.plan.rules.as_slice() else {
            panic!("two rules");
        };
        assert_eq!(
            (adults.source, adults.release),
            (Breach::Warn, Breach::Refuse)
        );
        assert_eq!((stay.source, stay.release), (Breach::Refuse, Breach::Warn));
        assert_eq!(
            adults.text(),
            "age >= 18 where status in ('married', 'widowed')"
        );
        let text = policy.plan.to_toml().expect("a text");
        let again = crate::engine::Plan::parse(&text).expect(&text);
        assert_eq!(again.rules, policy.plan.rules, "{text}");
    }

    #[test]
    fn mistakes_are_told_with_place_and_way_out() {
        let rule = |text: &str| format!("[[rules]]\nname = \"r\"\n{text}\n");
        let require = |text: &str| rule(&format!("require = \"{text}\""));
        for (rules, what, place) in [
            (require("age >="), "ends with a column", ""),
            (
                require("agee >= 18"),
                "`agee`, which is no column",
                "[[rules]]",
            ),
            (
                require("name = 'x'"),
                "`name`, which is not released",
                "[[rules]]",
            ),
            (require("age >= '18'"), "`age` is a number", "[[rules]]"),
            (require("age => 18"), "no comparison", "=>"),
            (require("age >= from"), "cannot be compared", "[[rules]]"),
            (
                require("note = other"),
                "values of column `note`",
                "[[rules]]",
            ),
            (require("from >= '2024'"), "`from` is a date", "[[rules]]"),
            (require("status < 'm'"), "without an order", "[[rules]]"),
            (
                rule("when = \"age > 3\""),
                "neither `require` alone",
                "[[rules]]",
            ),
            (
                rule("require = \"age > 3\"\nthen = \"age > 4\""),
                "neither `require` alone",
                "[[rules]]",
            ),
            (
                rule("require = 3"),
                "`require` is a whole number, not a text",
                "3",
            ),
            (
                rule("require = \"age > 3\"\nsource = \"drop\""),
                "`source`",
                "\"drop\"",
            ),
            (
                rule("require = \"age > 3\"\nif = 3"),
                "unknown key `if`",
                "if",
            ),
            (
                "[[rules]]\nrequire = \"age > 3\"\n".to_owned(),
                "`name`",
                "[[rules]]",
            ),
            (
                rule("require = \"age > 3\"") + &require("age > 4"),
                "two rules are called `r`",
                "[[rules]]",
            ),
            (
                require("age > 3") + "[[rules]]\nname = \"s\"\nrequire = \"age > 3\"\n",
                "`r` and `s` say the same",
                "[[rules]]",
            ),
        ] {
            let root = Root::of_policy(Path::new("policy.toml"), None).expect("a root");
            let text = format!("version = 1\n{REST}[[protect]]\n{MONDRIAN}\n{rules}");
            let Err(Error::Policy(error)) = Policy::parse(&text, &root) else {
                panic!("{rules} is read");
            };
            assert!(error.what.contains(what), "{rules}: {}", error.what);
            let span = error.span.clone().expect("a place");
            let found = &text[span];
            assert!(found.contains(place), "{rules}: {found}");
        }
    }

    #[test]
    fn what_cannot_be_seen_in_a_release_is_refused() {
        let rules = "[[rules]]\nname = \"r\"\nrequire = \"age >= 18\"\n";
        let projected = "method = \"random-projection\"\nnoise = \"none\"\ncolumns = [\"age\"]";
        for (method, what) in [(projected, "in whose place other columns are released")] {
            let text = REST.replace("[guarantee]\nk = 2\n", "");
            let root = Root::of_policy(Path::new("policy.toml"), None).expect("a root");
            let text = format!("version = 1\n{text}[[protect]]\n{method}\n{rules}");
            let error = Policy::parse(&text, &root).expect_err("refused");
            assert!(error.to_string().contains(what), "{error}");
        }
        assert!(read(rules, MONDRIAN).is_ok());
    }
}
