//! The statements of an ARFF header.

use super::token::{Value, next_value, quoted};

/// What an attribute holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type {
    /// `numeric` or `real`
    Numeric,
    /// `integer`
    Integer,
    /// `string`, or a date of another form than year-month-day
    Text,
    /// `date "yyyy-MM-dd"`
    IsoDate,
    /// `{a, b, c}`
    Nominal(Vec<String>),
}

/// A declared attribute.
#[derive(Debug, PartialEq)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) declared: Type,
}

/// What a line of the header says.
#[derive(Debug, PartialEq)]
pub(super) enum Statement {
    /// Nothing that matters: a comment, an empty line, `@relation`.
    None,
    Attribute(Attribute),
    Data,
}

/// Reads one line of the header.
pub(super) fn statement(line: &str) -> Result<Statement, String> {
    let line = line.trim_ascii();
    if line.is_empty() || line.starts_with('%') {
        return Ok(Statement::None);
    }
    let end = line.find([' ', '\t']).unwrap_or(line.len());
    match line[..end].to_ascii_lowercase().as_str() {
        "@relation" => Ok(Statement::None),
        "@data" => Ok(Statement::Data),
        "@attribute" => attribute(line[end..].trim_ascii_start()).map(Statement::Attribute),
        _ => Err("not a line of an ARFF header".to_owned()),
    }
}

fn attribute(text: &str) -> Result<Attribute, String> {
    let (name, rest) = match text.as_bytes().first() {
        Some(&quote @ (b'\'' | b'"')) => {
            let (name, rest) = quoted(text, quote)?;
            (name.into_owned(), rest)
        }
        _ => {
            let end = text.find([' ', '\t', '{']).unwrap_or(text.len());
            (text[..end].to_owned(), &text[end..])
        }
    };
    let declared = declared_type(rest.trim_ascii())?;
    Ok(Attribute { name, declared })
}

fn declared_type(text: &str) -> Result<Type, String> {
    if let Some(rest) = text.strip_prefix('{') {
        let inside = rest
            .strip_suffix('}')
            .ok_or("the values of the attribute are not closed with }")?;
        return nominal(inside).map(Type::Nominal);
    }
    let end = text.find([' ', '\t']).unwrap_or(text.len());
    match text[..end].to_ascii_lowercase().as_str() {
        "numeric" | "real" => Ok(Type::Numeric),
        "integer" => Ok(Type::Integer),
        "string" => Ok(Type::Text),
        "date" => {
            let pattern = text[end..].trim_ascii().trim_matches(['"', '\'']);
            Ok(if pattern == "yyyy-MM-dd" {
                Type::IsoDate
            } else {
                Type::Text
            })
        }
        "relational" => Err("relational attributes are not supported".to_owned()),
        _ => Err("the attribute has no type that ARFF knows".to_owned()),
    }
}

fn nominal(inside: &str) -> Result<Vec<String>, String> {
    let mut values = Vec::new();
    let mut rest = Some(inside);
    while let Some(text) = rest {
        let (value, next) = next_value(text)?;
        if let Value::Text(value) = value {
            values.push(value.into_owned());
        }
        rest = next;
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_declared() {
        let nominal =
            |values: &[&str]| Type::Nominal(values.iter().map(|v| (*v).to_owned()).collect());
        for (line, name, declared) in [
            ("@attribute age numeric", "age", Type::Numeric),
            ("@ATTRIBUTE 'the age'\tINTEGER", "the age", Type::Integer),
            ("@attribute sex {M, 'F x'}", "sex", nominal(&["M", "F x"])),
            ("@attribute sex{M}", "sex", nominal(&["M"])),
            ("@attribute d date \"yyyy-MM-dd\"", "d", Type::IsoDate),
            ("@attribute d date \"HH:mm\"", "d", Type::Text),
        ] {
            let expected = Attribute {
                name: name.to_owned(),
                declared,
            };
            assert_eq!(
                statement(line),
                Ok(Statement::Attribute(expected)),
                "{line}"
            );
        }
        assert_eq!(statement(" @DATA "), Ok(Statement::Data));
        assert_eq!(statement("% text"), Ok(Statement::None));
        for bad in [
            "x",
            "@attribute a",
            "@attribute a {b",
            "@attribute 'a numeric",
            "@attribute a relational",
        ] {
            assert!(statement(bad).is_err(), "{bad}");
        }
    }
}
