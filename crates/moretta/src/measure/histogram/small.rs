//! Which cells of a row of counts must be hidden so that no small count can be had.
//!
//! Whoever sees the total and the shown cells knows the sum of the hidden ones.
//! So a small cell is never hidden alone, and the hidden cells together are
//! never a small count themselves: further cells, smallest first, are hidden
//! until both hold. When that would need more than there is, everything is hidden.

/// Counts above 0 and up to this are hidden.
pub const SMALL_CELL: u64 = 10;

/// Whether each cell must be hidden; a cell has several counts, such as before and after.
pub(super) fn hidden<const N: usize>(cells: &[[f64; N]]) -> Vec<bool> {
    let mut hidden: Vec<bool> = cells
        .iter()
        .map(|cell| cell.iter().any(|&count| is_small(count)))
        .collect();
    if !hidden.contains(&true) {
        return hidden;
    }
    while gives_away(cells, &hidden) {
        let shown = (0..cells.len()).filter(|&i| !hidden[i] && total(&cells[i]) > 0.0);
        match shown.min_by(|&a, &b| total(&cells[a]).total_cmp(&total(&cells[b]))) {
            Some(next) => hidden[next] = true,
            None => return vec![true; cells.len()],
        }
    }
    hidden
}

/// Whether the sum of the hidden cells says what one of them is.
fn gives_away<const N: usize>(cells: &[[f64; N]], hidden: &[bool]) -> bool {
    let among = || cells.iter().zip(hidden).filter(|(_, hidden)| **hidden);
    let number = among().count() as f64;
    (0..N).any(|i| {
        let sum: f64 = among().map(|(cell, _)| cell[i]).sum();
        // If all are as large as a small count can be, their sum says so.
        number < 2.0 || is_small(sum) || sum == number * SMALL_CELL as f64
    })
}

fn is_small(count: f64) -> bool {
    count > 0.0 && count <= SMALL_CELL as f64
}

fn total<const N: usize>(cell: &[f64; N]) -> f64 {
    cell.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The least and the largest that cell `i` can be for someone who knows the shown
    /// cells, the total, and that no count is negative.
    fn bounds(counts: &[u64], hidden: &[bool], i: usize) -> (u64, u64) {
        let among: Vec<usize> = (0..counts.len()).filter(|&j| hidden[j]).collect();
        let total: u64 = counts.iter().sum();
        let shown: u64 = (0..counts.len())
            .filter(|&j| !hidden[j])
            .map(|j| counts[j])
            .sum();
        match among.as_slice() {
            [only] if *only == i => (total - shown, total - shown),
            _ => (0, total - shown),
        }
    }

    proptest! {
        #[test]
        fn no_small_count_is_shown_or_follows_by_subtraction(
            cells in proptest::collection::vec((0u64..25, 0u64..25), 1..12),
        ) {
            let counts: Vec<[f64; 2]> = cells.iter().map(|&(a, b)| [a as f64, b as f64]).collect();
            let hidden = hidden(&counts);
            let sides: [Vec<u64>; 2] = [
                cells.iter().map(|c| c.0).collect(),
                cells.iter().map(|c| c.1).collect(),
            ];
            for counts in sides {
                let small = |n: u64| (1..=SMALL_CELL).contains(&n);
                for i in 0..counts.len() {
                    prop_assert!(hidden[i] || !small(counts[i]));
                    let everything = hidden.iter().all(|&h| h);
                    if hidden[i] && small(counts[i]) && !everything {
                        let (least, largest) = bounds(&counts, &hidden, i);
                        prop_assert!(least < largest);
                        prop_assert!(largest > SMALL_CELL);
                    }
                }
            }
        }
    }

    #[test]
    fn nothing_is_hidden_without_need() {
        assert_eq!(hidden(&[[0.0], [11.0], [30.0]]), [false; 3]);
        assert_eq!(
            hidden(&[[3.0], [9.0], [30.0], [12.0]]),
            [true, true, false, false]
        );
        assert_eq!(
            hidden(&[[3.0], [4.0], [30.0], [12.0]]),
            [true, true, false, true]
        );
        assert_eq!(hidden(&[[3.0], [0.0]]), [true, true]);
    }
}
