//! A policy is shared and printed in reports, so it must hold no secret.

use super::columns::is_place;
use crate::config::{Placed, Section, Value};
use crate::error::Result;

const TELLING: &[&str] = &["secret", "password", "passphrase", "token", "salt"];

/// Refuses keys that are written out, without showing them.
pub(super) fn refuse(section: &Section) -> Result<()> {
    let mut copy = section.clone();
    for (key, _) in section.keys() {
        let Some(placed) = copy.take_named(&key) else {
            continue;
        };
        let telling = TELLING.contains(&key.as_str());
        match &placed.value {
            Value::Table(inner) => refuse(inner)?,
            Value::List(list) if !telling => {
                for item in list {
                    if let Value::Table(inner) = &item.value {
                        refuse(inner)?;
                    }
                }
            }
            Value::Text(text) if telling || key == "key" => check(&key, text, &placed)?,
            _ if telling => check(&key, "", &placed)?,
            _ => {}
        }
    }
    Ok(())
}

fn check(key: &str, text: &str, placed: &Placed) -> Result<()> {
    if is_place(text) {
        return Ok(());
    }
    Err(placed
        .error(format!("`{key}` holds a secret; a policy must not"))
        .help("use \"file:PATH\" or \"env:NAME\" instead, and make a new secret")
        .secret())
}

/// Whether a text that cannot be parsed seems to hold a secret, so that no line of it is shown.
pub(super) fn suspected(text: &str) -> bool {
    let written_out = |key: &str| {
        text.match_indices(key).any(|(at, _)| {
            let rest = text[at + key.len()..].trim_start_matches(['"', '\'', ' ', '\t']);
            rest.strip_prefix('=').is_some_and(|value| {
                let value = value.trim_start_matches(['"', '\'', ' ', '\t']);
                !is_place(value)
            })
        })
    };
    let credentials = |line: &str| {
        let address = line.split_once("://").map(|(_, address)| address);
        address.is_some_and(|address| address.contains('@'))
    };
    TELLING.iter().copied().chain(["key"]).any(written_out) || text.lines().any(credentials)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_suspected_in_broken_policies() {
        for (text, expected) in [
            ("a = { key = \"hunter2\" }\nk = = 5", true),
            ("\"password\"='hunter2", true),
            ("path = \"https://me:hunter2@example.org\"", true),
            (
                "a = { key = \"env:KEY\" }\nsalt = \"file:salt\"\nk = = 5",
                false,
            ),
            (
                "path = \"https://example.org\"\nmail = \"a@example.org\"",
                false,
            ),
            ("keys and tokens", false),
        ] {
            assert_eq!(suspected(text), expected, "{text}");
        }
    }
}
