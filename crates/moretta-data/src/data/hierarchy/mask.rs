//! Texts lose their characters one by one from one side: 4041, 404*, 40**, 4***, *.
//!
//! Level i hides i characters of each text, whatever the others are: beside 4041 the
//! text 40 becomes 4* on level 1 and * from level 2 on, where nothing of it is left. A
//! label thus depends on its own text alone, and one long text, which may not even be
//! released, does not make a level show more of the others.
//!
//! That is a tree for any texts: the stars keep the length, so a label other than `*`
//! tells on its level how long the text was, and with it what the next level calls it.
//! Texts of different lengths meet only in `*`.
//!
//! Costs one pass over the values a level; texts of more than 63 characters are
//! refused.

use super::labels::Labels;
use super::{Hierarchy, MAX_LEVELS, Rungs, TOP};
use crate::data::levels::Levels;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// The side from which a text is masked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MaskSide {
    /// 4041, *041, **41
    Left,
    /// 4041, 404*, 40**
    Right,
}

pub(super) fn build(side: MaskSide, column: &str, values: &Levels) -> Result<Hierarchy> {
    let lengths: Vec<usize> = values.iter().map(|text| text.chars().count()).collect();
    let longest = lengths.iter().copied().max().unwrap_or(0);
    if longest >= MAX_LEVELS {
        let long = lengths
            .iter()
            .filter(|&&length| length >= MAX_LEVELS)
            .count();
        return Err(Error::policy(format!(
            "column `{column}`: {long} values have more than {} characters, too many to mask one by one",
            MAX_LEVELS - 1
        ))
        .help("give the column a hierarchy from a file"));
    }
    let mut levels: Vec<Labels> = vec![values.iter().collect()];
    for hidden in 1..longest {
        let texts = values.iter().zip(&lengths);
        levels.push(Labels::by_key(texts, |&(text, &length), label| {
            mask(side, text, length, hidden, label);
        }));
    }
    Ok(Hierarchy::growing(levels))
}

/// The text and then its masks down to one character; false when it is too long.
pub(super) fn climb(side: MaskSide, text: &str, rungs: &mut Rungs) -> bool {
    let length = text.chars().take(MAX_LEVELS).count();
    if length == MAX_LEVELS {
        return false;
    }
    rungs.push(text);
    for hidden in 1..length {
        rungs.write(|label| mask(side, text, length, hidden, label));
    }
    true
}

/// Stars the last (or first) `hidden` characters of the text; `*` when none is left.
fn mask(side: MaskSide, text: &str, length: usize, hidden: usize, label: &mut String) {
    if hidden >= length {
        label.push_str(TOP);
        return;
    }
    let stars = std::iter::repeat_n('*', hidden);
    match side {
        MaskSide::Right => {
            label.extend(text.chars().take(length - hidden));
            label.extend(stars);
        }
        MaskSide::Left => {
            label.extend(stars);
            label.extend(text.chars().skip(hidden));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chains(side: MaskSide, values: &[&str]) -> Vec<String> {
        let h = build(side, "zip", &values.iter().collect()).expect("masks");
        let chain = |leaf| h.chain(leaf).collect::<Vec<_>>().join(" ");
        (0..h.leaf_count() as u32).map(chain).collect()
    }

    #[test]
    fn characters_go_one_by_one() {
        let right = chains(MaskSide::Right, &["4041", "4050", "4042", "40", "é"]);
        assert_eq!(
            right,
            [
                "4041 404* 40** 4*** *",
                "4042 404* 40** 4*** *",
                "4050 405* 40** 4*** *",
                "40 4* * * *",
                "é * * * *"
            ]
        );
        let left = chains(MaskSide::Left, &["041", "941", "1"]);
        assert_eq!(left, ["041 *41 **1 *", "941 *41 **1 *", "1 * * *"]);
        assert_eq!(chains(MaskSide::Right, &["a", "b"]), ["a *", "b *"]);
        assert_eq!(chains(MaskSide::Right, &[""]), [" *"]);
        assert!(chains(MaskSide::Right, &[]).is_empty());
    }

    #[test]
    fn a_long_text_is_refused_without_being_shown() {
        let values: Levels = ["x".repeat(64), "y".repeat(63)].iter().collect();
        let error = build(MaskSide::Left, "note", &values).expect_err("too long");
        assert!(
            error.to_string().starts_with("column `note`: 1 values"),
            "{error}"
        );
        assert_eq!(error.exit_code(), 3);
    }

    proptest! {
        #[test]
        fn a_mask_is_always_a_tree(
            values in proptest::collection::hash_set("[ab*é]{0,5}", 0..30),
            left in any::<bool>(),
        ) {
            let side = if left { MaskSide::Left } else { MaskSide::Right };
            let levels: Levels = values.iter().collect();
            let h = build(side, "c", &levels).expect("masks");
            prop_assert_eq!(h.leaf_count(), values.len());
            // Level n hides n characters of every value, whatever the others are.
            for text in levels.iter() {
                let alone = build(side, "c", &[text].iter().collect()).expect("masks");
                let alone: Vec<&str> = alone.chain(0).collect();
                for (level, label) in h.chain(h.leaf(text).expect("a leaf")).enumerate() {
                    prop_assert_eq!(label, *alone.get(level).unwrap_or(&TOP));
                    let shown = match side {
                        MaskSide::Left => text.chars().skip(level).collect::<String>(),
                        MaskSide::Right => {
                            let length = text.chars().count();
                            text.chars().take(length.saturating_sub(level)).collect()
                        }
                    };
                    let stars = "*".repeat(level);
                    let expected = match (shown.is_empty() && level > 0, side) {
                        (true, _) => TOP.to_owned(),
                        (false, MaskSide::Left) => format!("{stars}{shown}"),
                        (false, MaskSide::Right) => format!("{shown}{stars}"),
                    };
                    prop_assert_eq!(label, expected);
                }
            }
            // Whatever a value is released as is read back as a node that covers it.
            for text in levels.iter() {
                let leaf = h.leaf(text).expect("a leaf");
                for level in 0..h.level_count() {
                    let node = h.node(level, leaf);
                    prop_assert!(h.leaves_under(level, node).contains(&leaf));
                    let (level, node) = h.find(h.label(level, node)).expect("a node");
                    prop_assert!(h.leaves_under(level, node).contains(&leaf));
                }
            }
        }
    }
}
