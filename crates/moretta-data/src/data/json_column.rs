//! Columns of raw JSON tokens, so that numbers and nested values pass through to the letter.
//!
//! The type is a structure with one field of text that bears the name of Arrow's
//! canonical extension `arrow.json`; no other column looks like that.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StringArray, StructArray};
use arrow_schema::{DataType, Field, Fields};
use std::borrow::Cow;
use std::sync::Arc;

/// The type of a column of JSON tokens.
pub fn data_type() -> DataType {
    DataType::Struct(fields())
}

fn fields() -> Fields {
    let extension = [("ARROW:extension:name".to_owned(), "arrow.json".to_owned())];
    let field = Field::new("json", DataType::Utf8, true).with_metadata(extension.into());
    Fields::from(vec![field])
}

/// A column of these tokens; a missing token is a missing cell.
pub fn column(tokens: StringArray) -> ArrayRef {
    Arc::new(StructArray::new(fields(), vec![Arc::new(tokens)], None))
}

/// The tokens, when `array` is a column of them.
pub fn tokens(array: &ArrayRef) -> Option<StringArray> {
    (*array.data_type() == data_type())
        .then(|| array.as_struct().column(0).as_string::<i32>().clone())
}

/// The text that a token stands for: a string without quotes, else the token.
pub fn text(token: &str) -> Cow<'_, str> {
    if token.starts_with('"')
        && let Ok(text) = serde_json::from_str::<String>(token)
    {
        return Cow::Owned(text);
    }
    Cow::Borrowed(token)
}
