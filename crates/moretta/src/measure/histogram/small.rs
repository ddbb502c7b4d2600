//! Which cells of a row of counts must be hidden so that no small count can be had.
//!
//! Whoever sees the total and the shown cells knows the sum of the hidden ones.
//! So a small cell is never hidden alone, and the hidden cells together are
//! never a small count themselves: further cells, smallest first, are hidden
//! until both hold. When that would need more than there is, everything is hidden.
//!
//! A cell without anybody is small too, unless the release says that it is empty: the
//! last of the cells that hold somebody would tell how far the oldest person got.

/// Counts up to this are hidden.
pub const SMALL_CELL: u64 = 10;

/// Whether each cell must be hidden. A count is none where the release tells that there is
/// nobody; `elsewhere` counts who is in no cell, where somebody may be.
pub(super) fn hidden(counts: &[Option<u64>], elsewhere: Option<u64>) -> Vec<bool> {
    let mut hidden: Vec<bool> = (counts.iter())
        .map(|count| count.is_some_and(is_small))
        .collect();
    if !hidden.contains(&true) && elsewhere.is_none() {
        return hidden;
    }
    while gives_away(counts, &hidden, elsewhere) {
        let shown = (0..counts.len()).filter(|&i| !hidden[i] && counts[i].is_some());
        match shown.min_by_key(|&i| counts[i]) {
            Some(next) => hidden[next] = true,
            None => return counts.iter().map(Option::is_some).collect(),
        }
    }
    hidden
}

/// Whether the sum of the hidden cells says what one of them is.
fn gives_away(counts: &[Option<u64>], hidden: &[bool], elsewhere: Option<u64>) -> bool {
    let among = counts.iter().zip(hidden).filter(|(_, hidden)| **hidden);
    let among: Vec<u64> = among
        .filter_map(|(count, _)| *count)
        .chain(elsewhere)
        .collect();
    let sum: u64 = among.iter().sum();
    // If all are as large as a small count can be, their sum says so.
    among.len() < 2 || is_small(sum) || sum == among.len() as u64 * SMALL_CELL
}

fn is_small(count: u64) -> bool {
    count <= SMALL_CELL
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whoever knows the shown cells and the total can give any of them to any hidden cell.
        #[test]
        fn no_small_count_is_shown_or_follows_by_subtraction(
            cells in proptest::collection::vec(proptest::option::of(0u64..25), 1..12),
            elsewhere in proptest::option::of(0u64..25),
        ) {
            let hidden = hidden(&cells, elsewhere);
            let mut left = elsewhere.unwrap_or(0);
            let mut places = usize::from(elsewhere.is_some());
            let mut shown = 0;
            for (cell, hidden) in cells.iter().zip(&hidden) {
                match (cell, hidden) {
                    (Some(count), true) => {
                        left += count;
                        places += 1;
                    }
                    (Some(count), false) => {
                        shown += 1;
                        prop_assert!(*count > SMALL_CELL);
                    }
                    (None, hidden) => prop_assert!(!hidden),
                }
            }
            if shown > 0 && places > 0 {
                prop_assert!(places > 1 && left > SMALL_CELL);
            }
        }

        /// One person more or less in a small cell, or nobody at all, looks the same.
        #[test]
        fn it_is_not_told_which_small_cell_somebody_is_in(
            small in proptest::collection::vec(0u64..10, 3..9),
            at in 0usize..3,
        ) {
            let one = |place: usize| {
                let mut cells: Vec<Option<u64>> = small.iter().map(|&n| Some(n)).collect();
                cells[place] = cells[place].map(|n| n + 1);
                cells.extend([Some(30), Some(50)]);
                cells
            };
            prop_assert_eq!(hidden(&one(at), None), hidden(&one(at.abs_diff(2)), None));
        }
    }

    #[test]
    fn nothing_is_hidden_without_need() {
        for (counts, expected) in [
            (&[None, Some(11), Some(30)][..], &[false, false, false][..]),
            (
                &[Some(3), Some(9), Some(30), Some(12)],
                &[true, true, false, false],
            ),
            (
                &[Some(3), Some(4), Some(30), Some(12)],
                &[true, true, false, true],
            ),
            (&[Some(0), Some(30), Some(12)], &[true, false, true]),
            (&[Some(3), None], &[true, false]),
        ] {
            assert_eq!(hidden(counts, None), expected, "{counts:?}");
        }
        assert_eq!(hidden(&[Some(40), Some(12)], Some(0)), [false, true]);
    }
}
