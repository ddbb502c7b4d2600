//! What a handler is given besides its permit.

use super::head::Head;
use crate::id::Id;
use crate::problem::{Problem, Result};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A request on its way to a handler.
#[derive(Debug)]
pub struct Call<Q, B> {
    /// Method, path and headers.
    pub head: Head,
    /// What stands behind the mark in the address.
    pub query: Q,
    /// The body.
    pub body: B,
}

impl<Q, B> Call<Q, B> {
    /// A part of the path that is an id.
    ///
    /// # Errors
    /// 404 when it is none.
    pub fn id(&self, name: &'static str) -> Result<Id> {
        self.head.id(name)
    }

    /// The version that the caller has seen, which an edit must name.
    ///
    /// # Errors
    /// 428 without one.
    pub fn seen_version(&self) -> Result<i64> {
        let tag = self.head.header("if-match").unwrap_or_default();
        let number = tag.trim().trim_matches('"').parse();
        number.map_err(|_| {
            Problem::new(
                428,
                "version-needed",
                "the request does not say which version it changes",
            )
            .help("send the ETag of what you have read as If-Match")
        })
    }
}

/// The version that was to be changed is no longer the last.
pub fn outdated() -> Problem {
    Problem::new(412, "outdated", "it was changed since you read it").help("read it again")
}

/// A body without content, and a query without names.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// Bytes as they are.
#[derive(Debug)]
pub struct Octets(pub Vec<u8>);

/// What a body can be.
pub trait Body: Sized + 'static {
    /// The type that the request must name; none without a body.
    const TYPES: &'static [&'static str];
    /// How many bytes it may have.
    const LIMIT: usize;

    /// Reads it.
    ///
    /// # Errors
    /// When it is not what the route takes.
    fn read(bytes: Vec<u8>) -> Result<Self>;

    /// How the documentation describes it.
    fn schema(generator: &mut SchemaGenerator) -> Option<Schema>;
}

impl Body for Nothing {
    const TYPES: &'static [&'static str] = &[];
    const LIMIT: usize = 1 << 10;

    fn read(bytes: Vec<u8>) -> Result<Self> {
        match bytes.iter().all(|b| b.is_ascii_whitespace()) || bytes == b"{}" {
            true => Ok(Nothing {}),
            false => Err(Problem::unusable("this request has no body")),
        }
    }

    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}

impl Body for Octets {
    const TYPES: &'static [&'static str] = &["application/octet-stream", "application/x-ndjson"];
    const LIMIT: usize = 8 << 20;

    fn read(bytes: Vec<u8>) -> Result<Self> {
        Ok(Octets(bytes))
    }

    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        Some(json_schema!({ "type": "string", "contentMediaType": "application/octet-stream" }))
    }
}

impl<T: DeserializeOwned + JsonSchema + 'static> Body for super::Json<T> {
    const TYPES: &'static [&'static str] = &["application/json"];
    const LIMIT: usize = 1 << 20;

    fn read(bytes: Vec<u8>) -> Result<Self> {
        let read = serde_json::from_slice(&bytes).map(super::Json);
        let value = serde_json::from_slice(&bytes).unwrap_or_default();
        if read.is_ok() && !super::strict::fits::<T>(value) {
            return Err(
                Problem::unusable("the body has a list where this takes an object")
                    .help("the documentation of the interface has its schema"),
            );
        }
        read.map_err(|error| {
            // The sentence of the reader can hold what was sent, so only the place is told.
            let what = match error.classify() {
                serde_json::error::Category::Data => "the body has not the fields that this takes",
                _ => "the body is not JSON",
            };
            let place = crate::problem::Place {
                line: error.line() as u64,
                column: error.column() as u64,
            };
            Problem::unusable(what)
                .at(Some(place))
                .help("the documentation of the interface has its schema")
        })
    }

    fn schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<T>())
    }
}

/// Reads a query: names and values between `&`.
pub(super) fn read_query<Q: DeserializeOwned>(query: &str) -> Result<Q> {
    serde_urlencoded::from_str(query)
        .map_err(|_| Problem::unusable("the query of the address is not what this takes"))
}

/// Takes `%41` in a part of a path back.
pub(super) fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes().iter();
    while let Some(&byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit = || (*rest.next()? as char).to_digit(16);
                (digit()? << 4 | digit()?) as u8
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes)
        .ok()
        .filter(|text| !text.contains('\0'))
}
