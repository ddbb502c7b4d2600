//! Votes of several learners, brought to one measure.

/// Adds to `sums` the share that each class has of `votes`, times `weight`. Without
/// votes nothing is added; infinite votes share all of it.
pub(super) fn add_shares(votes: &[f64], weight: f64, sums: &mut [f64]) {
    let total: f64 = votes.iter().sum();
    if total.is_infinite() {
        let infinite = votes.iter().filter(|vote| vote.is_infinite()).count();
        let classes = sums.iter_mut().zip(votes);
        for (sum, _) in classes.filter(|(_, vote)| vote.is_infinite()) {
            *sum += weight / infinite.max(1) as f64;
        }
    } else if total > 0.0 {
        for (sum, vote) in sums.iter_mut().zip(votes) {
            *sum += vote / total * weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_to_the_weight() {
        let check = |votes: [f64; 3], expected: [f64; 3]| {
            let mut sums = [1.0; 3];
            add_shares(&votes, 4.0, &mut sums);
            assert_eq!(sums.map(|sum| sum - 1.0), expected, "{votes:?}");
        };
        check([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]);
        check([1.0, 0.0, 3.0], [1.0, 0.0, 3.0]);
        check([1e-320, 0.0, 1e-320], [2.0, 0.0, 2.0]);
        check([1.0, f64::INFINITY, 3.0], [0.0, 4.0, 0.0]);
        check([f64::INFINITY, f64::INFINITY, 0.0], [2.0, 2.0, 0.0]);
        check([f64::MAX, f64::MAX, 0.0], [0.0, 0.0, 0.0]);
    }
}
