//! Figures that are counts in another form, as they are told: chances to find somebody, and shares of
//! persons. Who chooses columns and hierarchies makes classes of whom they like, so that sizes of
//! classes are counts of raw data like any others.

use moretta::pipeline::{rounded_json, rounded_share, rounded_size};
use serde_json::{Value, json};

/// Whether this promise or measure is about the smallest class.
pub(super) fn is_of_smallest(name: &str) -> bool {
    ["k-anonymity", "prosecutor_risk", "journalist_risk"].contains(&name)
}

/// The chance to find somebody of the smallest class, by the size that is told of it where `least` were
/// promised.
pub(super) fn chance(chance: &mut Value, least: u64) {
    if let Some(found) = chance.as_f64().filter(|found| *found > 0.0) {
        let size = rounded_size((1.0 / found).round() as u64, least.max(1));
        *chance = rounded_json((1.0 / size as f64).into());
    }
}

/// A share of so many; none where it stands for few, or for all but a few.
pub(super) fn share(share: &mut Value, of: u64) {
    if let Some(found) = share.as_f64() {
        *share = json!(rounded_share(found, of));
    }
}

/// The items of a list.
pub(super) fn items(values: &mut Value) -> impl Iterator<Item = &mut Value> {
    values.as_array_mut().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chance_tells_no_size_of_a_small_class() {
        for (found, least, told) in [
            (1.0 / 3.0, 2, 0.5),
            (1.0 / 14.0, 5, 0.2),
            (1.0 / 17.0, 5, 0.0667),
            (1.0, 0, 1.0),
            (0.0, 5, 0.0),
        ] {
            let mut figure = Value::from(found);
            chance(&mut figure, least);
            assert_eq!(figure, told, "{found}");
        }
    }
}
