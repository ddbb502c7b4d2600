//! From the text of a policy to sections that know their places.

use super::secret;
use crate::config::{Placed, Section, Value};
use crate::error::{Error, Result};
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// The whole policy as one section.
pub(super) fn parse(text: &str) -> Result<Section> {
    let table = DeTable::parse(text).map_err(|error| {
        let place = error.span().unwrap_or(0..0);
        let error = Error::policy(error.message().to_owned()).at(place);
        match secret::suspected(text) {
            true => error.secret(),
            false => error,
        }
    })?;
    section("the policy", 0..text.len().min(1), table.get_ref())
}

/// Whether a text has a section; none where it is not TOML.
pub(super) fn has_section(text: &str, name: &str) -> Option<bool> {
    let table = DeTable::parse(text).ok()?;
    Some(table.get_ref().iter().any(|(key, _)| key.get_ref() == name))
}

fn section(name: &str, span: Range<usize>, table: &DeTable<'_>) -> Result<Section> {
    let mut section = Section::new(name, span);
    for (key, value) in table.iter() {
        let value = Placed {
            value: convert(key.get_ref(), value.span(), value.get_ref())?,
            span: value.span(),
        };
        section.insert(key.get_ref(), key.span(), value);
    }
    Ok(section)
}

fn convert(key: &str, span: Range<usize>, value: &DeValue<'_>) -> Result<Value> {
    Ok(match value {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Integer(n) => match i64::from_str_radix(n.as_str(), n.radix()) {
            Ok(n) => Value::Whole(n),
            Err(_) => return Err(Error::policy(format!("`{key}` is too large a number")).at(span)),
        },
        DeValue::Float(n) => match n.as_str().parse() {
            Ok(n) => Value::Number(n),
            Err(_) => return Err(Error::policy(format!("`{key}` is not a number")).at(span)),
        },
        DeValue::Array(list) => Value::List(
            list.iter()
                .map(|item| {
                    Ok(Placed {
                        value: convert(key, item.span(), item.get_ref())?,
                        span: item.span(),
                    })
                })
                .collect::<Result<_>>()?,
        ),
        DeValue::Table(table) => Value::Table(section(&format!("[{key}]"), span, table)?),
        DeValue::Datetime(_) => {
            return Err(Error::policy(format!("`{key}` is a date; write it as a text")).at(span));
        }
    })
}
