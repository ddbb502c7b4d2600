//! The text of columns that pass through, for formats that know only text.

use super::json_column;
use crate::error::{Error, Result};
use arrow_array::{Array, ArrayRef, StringArray};
use arrow_cast::display::{ArrayFormatter, FormatOptions};

/// The cells as text: text as it is, JSON without the quotes of its strings,
/// anything else as Arrow writes it.
pub(super) fn plain_text(array: &ArrayRef) -> Result<StringArray> {
    if let Some(text) = array.as_any().downcast_ref::<StringArray>() {
        return Ok(text.clone());
    }
    if let Some(tokens) = json_column::tokens(array) {
        return Ok(tokens.iter().map(|t| t.map(json_column::text)).collect());
    }
    let failed = |_| Error::bug("a column that passes through has no text");
    let options = FormatOptions::default();
    let formatter = ArrayFormatter::try_new(array.as_ref(), &options).map_err(failed)?;
    (0..array.len())
        .map(|row| {
            array
                .is_valid(row)
                .then(|| formatter.value(row).try_to_string().map_err(failed))
                .transpose()
        })
        .collect()
}
