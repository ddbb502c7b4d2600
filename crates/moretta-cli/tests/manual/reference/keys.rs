//! Keys of a policy, as they are declared.

use super::{head, table};
use moretta::config::{Absent, Accepts, Parameter};
use moretta::policy::KEYS;

/// The keys at the top of a policy, and those of each section.
pub(super) fn policy() -> String {
    let (sections, top): (Vec<&Parameter>, Vec<&Parameter>) =
        KEYS.iter().partition(|key| !key.inner().is_empty());
    let top: Vec<Parameter> = top.into_iter().copied().collect();
    let mut text = format!("## At the top\n\n{}", parameters(&top));
    for section in sections {
        let (name, meaning) = (section.name, section.meaning);
        let heading = match section.accepts {
            Accepts::List(..) => format!("[[{name}]]"),
            _ => format!("[{name}]"),
        };
        let absent = match section.absent {
            Absent::Refused => "It must be given".to_owned(),
            _ => format!("Without it: {}", section.default()),
        };
        text.push_str(&format!(
            "\n## `{heading}`\n\n{}. {absent}.\n",
            capital(meaning)
        ));
        if let Accepts::By(what, _) = section.accepts {
            text.push_str(&format!("One table for each {what}, with these keys.\n"));
        }
        text.push_str(&format!("\n{}", parameters(section.inner())));
        if name == "protect" {
            text.push_str("\nThe other keys are those of the [method](methods.md).\n");
        }
    }
    text
}

/// A table of parameters; those inside of a table stand below it with its name before theirs.
pub(super) fn parameters(parameters: &[Parameter]) -> String {
    let mut rows = vec![head(["key", "value", "default", "meaning"])];
    add(parameters, "", &mut rows);
    table(&rows)
}

fn add(parameters: &[Parameter], above: &str, rows: &mut Vec<Vec<String>>) {
    for parameter in parameters {
        let name = format!("{above}{}", parameter.name);
        let mut meaning = parameter.meaning.to_owned();
        if parameter.tunable.is_some() {
            meaning.push_str("; `moretta tune` can vary it");
        }
        if let [first, ..] = parameter.examples {
            meaning.push_str(&format!(", as in `{} = {first}`", parameter.name));
        }
        let cells = [
            format!("`{name}`"),
            values(parameter),
            default(parameter),
            meaning,
        ];
        rows.push(cells.to_vec());
        let below = match parameter.accepts {
            Accepts::By(what, _) => format!("{name}.<{what}>."),
            _ => format!("{name}."),
        };
        add(parameter.inner(), &below, rows);
    }
}

/// What it can be; words as code.
fn values(parameter: &Parameter) -> String {
    match parameter.accepts {
        Accepts::Word(words) | Accepts::Name(_, words) => format!("`{}`", words().join("`, `")),
        _ => parameter.values(),
    }
}

/// What holds without it; values as code.
fn default(parameter: &Parameter) -> String {
    match parameter.absent {
        Absent::Refused => "*must be given*".to_owned(),
        Absent::Means(words) => words.to_owned(),
        _ => format!("`{}`", parameter.default()),
    }
}

pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}
