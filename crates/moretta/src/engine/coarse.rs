//! Counts of rows that were not released, told so coarsely that no person can be told by them.
//!
//! Two counts that differ by 1 would tell what one person did. So a count is
//! told as a bound: 0 as it is, 1 to [`SMALL_CELL`] as [`SMALL_CELL`], and more rounded up to
//! two digits, to tens at least. Everything in a report that depends on suppressed rows is
//! computed from these bounds.

use super::report::{Reason, SMALL_CELL};

/// Rounds a count up to the next number of a public grid.
pub(crate) fn at_most(count: u64) -> u64 {
    let mut step = SMALL_CELL;
    while count > step.saturating_mul(100) {
        step *= 10;
    }
    count.div_ceil(step).saturating_mul(step)
}

/// Reasons for suppression, with bounds for their rows.
pub(crate) fn reasons(given: &[(String, u64)], total: u64) -> Vec<Reason> {
    let explained: u64 = given.iter().map(|(_, rows)| rows).sum();
    let rest = (
        "held back by the method".to_owned(),
        total.saturating_sub(explained),
    );
    given
        .iter()
        .chain([&rest])
        .filter(|(_, rows)| *rows > 0)
        .map(|(why, rows)| Reason {
            why: why.clone(),
            at_most: at_most(*rows),
        })
        .collect()
}

/// The most rows that were suppressed for these reasons.
pub(crate) fn suppressed(reasons: &[Reason]) -> u64 {
    reasons.iter().map(|reason| reason.at_most).sum()
}

/// A figure that suppressed rows have a part in, in steps that few rows do not make.
pub(crate) fn rounded(figure: f64, step: f64) -> f64 {
    (figure / step).round() * step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_told_as_the_next_number_of_the_grid() {
        for (count, told) in [
            (0, 0),
            (1, 10),
            (10, 10),
            (11, 20),
            (99, 100),
            (101, 110),
            (1_000, 1_000),
            (1_001, 1_100),
            (1_346, 1_400),
            (123_456, 130_000),
        ] {
            assert_eq!(at_most(count), told, "{count}");
        }
        assert_eq!(at_most(u64::MAX), u64::MAX);
    }

    #[test]
    fn a_bin_of_the_grid_holds_ten_counts_at_least() {
        let mut first = 1;
        for count in 1..20_000 {
            assert!(at_most(count) >= count);
            if at_most(count) != at_most(count + 1) {
                assert!(count + 1 - first >= SMALL_CELL, "{first} to {count}");
                first = count + 1;
            }
        }
    }

    #[test]
    fn every_reason_has_a_bound_of_its_own() {
        let open = reasons(&[("too small".to_owned(), 45), ("late".to_owned(), 0)], 48);
        let told: Vec<(&str, u64)> = open.iter().map(|r| (r.why.as_str(), r.at_most)).collect();
        assert_eq!(told, [("too small", 50), ("held back by the method", 10)]);
        assert_eq!(suppressed(&open), 60);
    }
}
