//! Values and rows of a database.

use crate::id::Id;
use crate::problem::{Problem, Result};

/// A value of a row or of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Nothing.
    Null,
    /// `BIGINT`, and 0 or 1 for no and yes.
    Integer(i64),
    /// `TEXT`
    Text(String),
    /// `BYTEA`
    Bytes(Vec<u8>),
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Value::Integer(number)
    }
}

impl From<bool> for Value {
    fn from(yes: bool) -> Self {
        Value::Integer(i64::from(yes))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Text(text)
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Value::Text(text.clone())
    }
}

impl From<Id> for Value {
    fn from(id: Id) -> Self {
        Value::Text(id.to_string())
    }
}

impl From<Vec<u8>> for Value {
    fn from(bytes: Vec<u8>) -> Self {
        Value::Bytes(bytes)
    }
}

impl From<&[u8]> for Value {
    fn from(bytes: &[u8]) -> Self {
        Value::Bytes(bytes.to_vec())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

/// A row, whose values are read by their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row(pub(crate) Vec<Value>);

impl Row {
    fn value(&self, place: usize) -> Result<&Value> {
        let value = self.0.get(place);
        value.ok_or_else(|| Problem::bug("a row has fewer values"))
    }

    /// Whether nothing stands there.
    ///
    /// # Errors
    /// When the row has fewer values.
    pub fn is_null(&self, place: usize) -> Result<bool> {
        Ok(*self.value(place)? == Value::Null)
    }

    fn optional<T>(
        &self,
        place: usize,
        read: impl Fn(&Self, usize) -> Result<T>,
    ) -> Result<Option<T>> {
        match self.is_null(place)? {
            true => Ok(None),
            false => read(self, place).map(Some),
        }
    }

    /// A number.
    ///
    /// # Errors
    /// When it is none.
    pub fn integer(&self, place: usize) -> Result<i64> {
        match self.value(place)? {
            Value::Integer(number) => Ok(*number),
            _ => Err(Problem::bug("a value of the store is no number")),
        }
    }

    /// A number or nothing.
    ///
    /// # Errors
    /// When it is neither.
    pub fn maybe_integer(&self, place: usize) -> Result<Option<i64>> {
        self.optional(place, Row::integer)
    }

    /// Yes or no.
    ///
    /// # Errors
    /// When it is neither.
    pub fn yes(&self, place: usize) -> Result<bool> {
        Ok(self.integer(place)? != 0)
    }

    /// A text.
    ///
    /// # Errors
    /// When it is none.
    pub fn text(&self, place: usize) -> Result<&str> {
        match self.value(place)? {
            Value::Text(text) => Ok(text),
            _ => Err(Problem::bug("a value of the store is no text")),
        }
    }

    /// A text or nothing.
    ///
    /// # Errors
    /// When it is neither.
    pub fn maybe_text(&self, place: usize) -> Result<Option<String>> {
        self.optional(place, |row, place| row.text(place).map(str::to_owned))
    }

    /// An id.
    ///
    /// # Errors
    /// When it is none.
    pub fn id(&self, place: usize) -> Result<Id> {
        let id = Id::parse(self.text(place)?);
        id.ok_or_else(|| Problem::bug("a value of the store is no id"))
    }

    /// An id or nothing.
    ///
    /// # Errors
    /// When it is neither.
    pub fn maybe_id(&self, place: usize) -> Result<Option<Id>> {
        self.optional(place, Row::id)
    }

    /// Bytes.
    ///
    /// # Errors
    /// When there are none.
    pub fn bytes(&self, place: usize) -> Result<&[u8]> {
        match self.value(place)? {
            Value::Bytes(bytes) => Ok(bytes),
            _ => Err(Problem::bug("a value of the store is no bytes")),
        }
    }

    /// Bytes or nothing.
    ///
    /// # Errors
    /// When it is neither.
    pub fn maybe_bytes(&self, place: usize) -> Result<Option<Vec<u8>>> {
        self.optional(place, |row, place| row.bytes(place).map(<[u8]>::to_vec))
    }
}
