//! Bodies as the documentation has them: what is an object there is one, and no list of its fields.

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{
    DeserializeOwned, Deserializer, Error as _, IntoDeserializer, Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Value};

/// Whether a value has the form of `T`, where the reader of JSON would also take lists for objects.
pub(super) fn fits<T: DeserializeOwned>(value: Value) -> bool {
    T::deserialize(Strict(value)).is_ok()
}

struct Strict(Value);

impl<'de> IntoDeserializer<'de, Error> for Strict {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Strict {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(items) => {
                let mut items = SeqDeserializer::new(items.into_iter().map(Strict));
                let read = visitor.visit_seq(&mut items)?;
                items.end().map(|()| read)
            }
            Value::Object(fields) => {
                let fields = fields
                    .into_iter()
                    .map(|(name, field)| (Name(name), Strict(field)));
                let mut fields = MapDeserializer::new(fields);
                let read = visitor.visit_map(&mut fields)?;
                fields.end().map(|()| read)
            }
            other => other.deserialize_any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(_) => Err(Error::invalid_type(Unexpected::Seq, &visitor)),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}

/// The name of a field, or a key of a map, which may be of numbers.
struct Name(String);

impl<'de> IntoDeserializer<'de, Error> for Name {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

macro_rules! numbers {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.0.parse() {
                Ok(number) => visitor.visit_i64(number),
                Err(_) => visitor.visit_string(self.0),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Name {
    type Error = Error;

    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16
        deserialize_u32 deserialize_u64
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_string(self.0)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        Value::String(self.0).deserialize_enum(name, variants, visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i128 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;
    use std::collections::BTreeMap;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its form matters")]
    struct Body {
        name: String,
        about: Option<About>,
        #[serde(default)]
        pairs: Vec<(String, f64)>,
        #[serde(default)]
        levels: BTreeMap<u32, u32>,
    }

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only its form matters")]
    struct About {
        data: u32,
    }

    #[test]
    fn lists_are_no_objects_at_any_depth() {
        for (body, expected) in [
            (json!({ "name": "a" }), true),
            (json!({ "name": "a", "about": { "data": 1 } }), true),
            (
                json!({ "name": "a", "about": null, "pairs": [["b", 2]] }),
                true,
            ),
            (json!({ "name": "a", "levels": { "2": 5 } }), true),
            (json!({ "name": "a", "levels": { "-2": 5 } }), false),
            (json!({ "name": "a", "levels": { "b": 5 } }), false),
            (json!({ "name": "a", "levels": [[2, 5]] }), false),
            (json!(["a"]), false),
            (json!(["a", null, []]), false),
            (json!({ "name": "a", "about": [1] }), false),
            (json!({ "name": "a", "pairs": [["b", 2, 3]] }), false),
            (json!({ "name": "a", "more": 1 }), false),
        ] {
            assert_eq!(fits::<Body>(body.clone()), expected, "{body}");
        }
    }
}
