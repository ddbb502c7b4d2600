//! Columns of a typed file whose cells are numbers of values in a dictionary.
//!
//! A dictionary may hold values that no row shows, and it may hold them in the order in which
//! the rows of the source came. So what is released has a dictionary of its own: the values of
//! the released rows alone, in the order of their texts, or in that of the source where an
//! Arrow file says that the order means something.

use super::plain_text::{flat_type, plain_text};
use super::{Categories, LevelsBuilder, MISSING};
use crate::error::Result;
use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use std::sync::Arc;

/// The type that a dictionary is written as, when its values can be put into one again.
pub fn dictionary_type(data_type: &DataType) -> Option<DataType> {
    let DataType::Dictionary(key, value) = data_type else {
        return None;
    };
    let value = flat_type(value);
    let dictionary = DataType::Dictionary(key.clone(), Box::new(value.clone()));
    arrow_cast::can_cast_types(&value, &dictionary).then_some(dictionary)
}

/// The cells of a dictionary of texts as categories, with the values that rows show; in the
/// order of the dictionary when that is `ordered`. None of other columns.
pub fn shown_values(array: &ArrayRef, ordered: bool) -> Result<Option<Categories>> {
    let is_text = |value: &DataType| matches!(value, DataType::Utf8 | DataType::LargeUtf8);
    let dictionary = match (array.data_type(), array.as_any_dictionary_opt()) {
        (DataType::Dictionary(_, value), Some(found)) if is_text(&flat_type(value)) => found,
        _ => return Ok(None),
    };
    let cells: Categories = plain_text(array)?.iter().collect();
    let cells = cells.sorted();
    if !ordered {
        return Ok(Some(cells));
    }
    let mut levels = LevelsBuilder::default();
    let mut places = vec![MISSING; cells.levels().len()];
    for value in plain_text(dictionary.values())?.iter().flatten() {
        if let Some(code) = cells.levels().find(value) {
            places[code as usize] = levels.intern(value);
        }
    }
    let place = |&code: &u32| places.get(code as usize).copied().unwrap_or(MISSING);
    let codes = cells.codes().iter().map(place).collect();
    Ok(Some(Categories::new(codes, Arc::new(levels.finish()))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::types::Int8Type;
    use arrow_array::{DictionaryArray, Int8Array, StringArray};

    #[test]
    fn only_values_of_rows_are_shown_in_their_order() {
        let values = Arc::new(StringArray::from(vec!["low", "secret", "mid", "high"]));
        let keys = Int8Array::from(vec![Some(3), None, Some(0), Some(2), Some(0)]);
        let array: ArrayRef = Arc::new(DictionaryArray::<Int8Type>::new(keys, values));
        let shown = |ordered: bool| {
            let cells = shown_values(&array, ordered)
                .expect("texts")
                .expect("texts");
            let rows = (0..5).map(|row| cells.get(row).map(str::to_owned));
            let rows: Vec<Option<String>> = rows.collect();
            assert_eq!(
                rows,
                ["high", "", "low", "mid", "low"].map(|t| (!t.is_empty()).then(|| t.to_owned()))
            );
            let levels: Vec<String> = cells.levels().iter().map(str::to_owned).collect();
            levels
        };
        assert_eq!(shown(true), ["low", "mid", "high"]);
        assert_eq!(shown(false), ["high", "low", "mid"]);
    }
}
