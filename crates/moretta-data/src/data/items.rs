//! Cells that hold several items, with a separator between them.

/// The items of a cell, without spaces around them; empty ones are none.
///
/// ```
/// # use moretta_data::data::items::split;
/// assert!(split("milk; bread;;", ";").eq(["milk", "bread"]));
/// ```
pub fn split<'a>(cell: &'a str, separator: &'a str) -> impl Iterator<Item = &'a str> {
    let items = cell.split(separator).map(str::trim);
    items.filter(|item| !item.is_empty())
}
