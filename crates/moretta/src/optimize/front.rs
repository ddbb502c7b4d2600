//! The front: of many trade-offs, those that no other one beats on both sides.

/// The places of the points that no other one is better than: at most as large on both sides and
/// smaller on one. In ascending order of the first side; of equal points the first one.
///
/// Costs a sort.
///
/// ```
/// use moretta::optimize::front;
/// let points = [(0.5, 0.1), (0.2, 0.3), (0.2, 0.4), (0.3, 0.3), (0.1, 0.9)];
/// assert_eq!(front(&points), [4, 1, 0]);
/// ```
pub fn front(points: &[(f64, f64)]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..points.len()).collect();
    places.retain(|&place| !points[place].0.is_nan() && !points[place].1.is_nan());
    places.sort_by(|&a, &b| {
        let ((a_first, a_second), (b_first, b_second)) = (points[a], points[b]);
        a_first
            .total_cmp(&b_first)
            .then(a_second.total_cmp(&b_second))
    });
    let mut least = f64::INFINITY;
    places.retain(|&place| {
        let beats = points[place].1 < least;
        least = least.min(points[place].1);
        beats
    });
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_front_is_what_comparing_all_pairs_finds(
            points in proptest::collection::vec((0..6i32, 0..6i32), 0..20)
        ) {
            let points: Vec<(f64, f64)> =
                points.into_iter().map(|(a, b)| (f64::from(a), f64::from(b))).collect();
            let beaten = |place: usize| {
                let (a, b) = points[place];
                points.iter().enumerate().any(|(other, &(c, d))| {
                    let equal = (a, b) == (c, d);
                    c <= a && d <= b && (!equal || other < place)
                })
            };
            let mut found = front(&points);
            found.sort_unstable();
            let expected: Vec<usize> = (0..points.len()).filter(|&place| !beaten(place)).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn what_could_not_be_measured_is_in_no_front() {
        assert_eq!(front(&[(f64::NAN, 0.0), (0.0, f64::NAN), (1.0, 1.0)]), [2]);
    }
}
