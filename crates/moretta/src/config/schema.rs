//! Declarations as JSON Schema (draft 2020-12), for editors, forms and other checkers.
//!
//! A schema may let more pass than a reader, which also knows what goes together; it refuses
//! nothing that a reader takes.

use super::{Absent, Accepts, Length, POSITIVE, Parameter};
use serde_json::{Map, Value, json};

/// A table with these keys and no other.
pub fn object(parameters: &[Parameter]) -> Value {
    let property = |parameter: &Parameter| (parameter.name.to_owned(), parameter.schema());
    let properties: Map<String, Value> = parameters.iter().map(property).collect();
    let required = parameters.iter().filter(|p| p.absent == Absent::Refused);
    let required: Vec<&str> = required.map(|parameter| parameter.name).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

impl Parameter {
    /// What its value is.
    pub fn schema(&self) -> Value {
        let mut schema = self.accepts.schema();
        let description = match self.absent {
            Absent::Means(words) => format!("{} (default: {words})", self.meaning),
            _ => self.meaning.to_owned(),
        };
        schema["description"] = description.into();
        match self.absent {
            Absent::Refused | Absent::Means(_) => {}
            Absent::Whole(n) => schema["default"] = n.into(),
            Absent::Number(n) => schema["default"] = n.into(),
            Absent::Flag(flag) => schema["default"] = flag.into(),
            Absent::Text(text) => schema["default"] = text.into(),
        }
        if !self.examples.is_empty() {
            let examples = self.examples.iter().filter_map(|text| example(text));
            schema["examples"] = examples.collect();
        }
        schema
    }
}

/// A value as a policy writes it.
fn example(text: &str) -> Option<Value> {
    let table: toml::Table = format!("x = {text}").parse().ok()?;
    serde_json::to_value(table.get("x")?).ok()
}

impl Accepts {
    /// What a value of this kind is.
    pub fn schema(&self) -> Value {
        match *self {
            Accepts::Whole(low, high) => {
                let mut schema = json!({ "type": "integer", "minimum": low });
                if high < i64::MAX {
                    schema["maximum"] = high.into();
                }
                schema
            }
            Accepts::Number(low, high) => {
                let mut schema = json!({ "type": "number" });
                if low == POSITIVE {
                    schema["exclusiveMinimum"] = 0.into();
                } else if low > f64::MIN {
                    schema["minimum"] = low.into();
                }
                if high < f64::MAX {
                    schema["maximum"] = high.into();
                }
                schema
            }
            Accepts::Flag => json!({ "type": "boolean" }),
            Accepts::Text => json!({ "type": "string" }),
            Accepts::Word(words) | Accepts::Name(_, words) => json!({ "enum": words() }),
            Accepts::Form(form) => json!({
                "type": "string",
                "pattern": form.pattern,
                "examples": [form.example],
            }),
            Accepts::List(of, length) => list(of, length),
            Accepts::Ends(of) => list(
                of,
                Length {
                    least: 2,
                    most: 2,
                    distinct: false,
                },
            ),
            Accepts::OneOrMore(of) => json!({ "anyOf": [of.schema(), list(of, Length::ANY)] }),
            Accepts::By(_, of) => json!({ "type": "object", "additionalProperties": of.schema() }),
            Accepts::ByWord(words, of) => json!({
                "type": "object",
                "propertyNames": { "enum": words() },
                "additionalProperties": of.schema(),
            }),
            Accepts::Table(keys) => object(keys),
            Accepts::One(keys) => {
                let mut schema = object(keys);
                schema["minProperties"] = 1.into();
                schema["maxProperties"] = 1.into();
                schema
            }
            Accepts::OneOf(kinds) => {
                let schemas: Vec<Value> = kinds.iter().map(Accepts::schema).collect();
                json!({ "anyOf": schemas })
            }
        }
    }
}

fn list(of: &Accepts, length: Length) -> Value {
    let mut schema = json!({ "type": "array", "items": of.schema() });
    if length.least > 0 {
        schema["minItems"] = length.least.into();
    }
    if length.most < usize::MAX {
        schema["maxItems"] = length.most.into();
    }
    if length.distinct {
        schema["uniqueItems"] = true.into();
    }
    schema
}
