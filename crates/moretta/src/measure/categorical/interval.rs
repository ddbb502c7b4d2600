//! Interval disclosure of categories: how often an original lies near what is released.
//!
//! *Ordered* attributes are ranked by their released categories: the mid-rank of a category is the
//! number of records with a lower one, and half of those with this one. An original lies inside the
//! interval of p percent if the mid-ranks of both differ by at most p · n / 100 / 2. *Nominal* ones
//! lie inside if they were released unchanged, for any p. What is told is the mean over all widths
//! and attributes.

use super::joint::Joint;

/// Widths of intervals, for any number of rows.
#[derive(Clone, Debug)]
pub(super) struct Intervals {
    percents: Vec<u32>,
    rows: u64,
    /// By twice a difference of mid-ranks, which is whole, how many intervals of `rows` rows are
    /// wide enough; none are beyond the end.
    wide_enough: Vec<u32>,
}

impl Intervals {
    /// Of these percents; tables of `rows` rows are the fastest.
    pub(super) fn new(percents: &[u32], rows: u64) -> Self {
        Intervals {
            wide_enough: wide_enough(percents, rows),
            percents: percents.to_vec(),
            rows,
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.percents.len()
    }

    /// The originals of an attribute that are found, each as often as there are intervals that find
    /// it. Costs the categories and the different pairs of them; `ranks` is room for the first.
    pub(super) fn found(&self, joint: &Joint, ranks: &mut Vec<u64>) -> u64 {
        let mut found = 0;
        if !joint.variable().ordered {
            joint.each(|original, masked, count| {
                found += if original == masked { count } else { 0 };
            });
            return found * self.len() as u64;
        }
        let other;
        let wide_enough = if joint.rows() == self.rows {
            &self.wide_enough
        } else {
            other = wide_enough(&self.percents, joint.rows());
            &other
        };
        let mut below = 0;
        ranks.clear();
        ranks.extend(joint.masked().iter().map(|&count| {
            let twice_rank = below + below + count;
            below += count;
            twice_rank
        }));
        joint.each(|original, masked, count| {
            let difference = ranks[original as usize].abs_diff(ranks[masked as usize]);
            let intervals = wide_enough.get(difference as usize).copied();
            found += count * u64::from(intervals.unwrap_or(0));
        });
        found
    }
}

fn wide_enough(percents: &[u32], rows: u64) -> Vec<u32> {
    let widths = percents.iter().map(|&p| u64::from(p) * rows / 100);
    let mut widths: Vec<u64> = widths.collect();
    widths.sort_unstable();
    let widest = widths.last().copied().unwrap_or(0);
    let mut narrower = 0;
    let wider = |difference: u64| {
        while widths
            .get(narrower)
            .is_some_and(|&width| width < difference)
        {
            narrower += 1;
        }
        (widths.len() - narrower) as u32
    };
    (0..=widest).map(wider).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_find_the_intervals_that_are_as_wide() {
        // Of 250 rows intervals of 1, 2 and 4 percent are 2, 5 and 10 wide.
        let expected = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1];
        assert_eq!(wide_enough(&[4, 1, 2], 250), expected);
        assert_eq!(wide_enough(&[5], 0), [1]);
        assert_eq!(wide_enough(&[], 100), [0]);
    }
}
