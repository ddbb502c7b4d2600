//! A policy is shared and printed in reports, so it must hold no secret.

use crate::config::{Placed, Section, Value};
use crate::error::{Error, Result};

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
            Value::List(list) => {
                for item in list {
                    if let Value::Table(inner) = &item.value {
                        refuse(inner)?;
                    }
                }
            }
            Value::Text(text) if telling || key == "key" => check(&key, text, &placed)?,
            _ => {}
        }
    }
    Ok(())
}

fn check(key: &str, text: &str, placed: &Placed) -> Result<()> {
    if text.starts_with("env:") || text.starts_with("file:") {
        return Ok(());
    }
    let mut error = placed
        .error(format!("`{key}` holds a secret; a policy must not"))
        .help("use \"file:PATH\" or \"env:NAME\" instead, and make a new secret");
    if let Error::Policy(inner) = &mut error {
        inner.secret = true;
    }
    Err(error)
}
