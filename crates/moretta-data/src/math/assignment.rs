//! Which of n things goes with which of n others, so that all together cost least.
//!
//! *Costs* `n³` steps. *From* Kuhn 1955, Munkres 1957 (the Hungarian method), with
//! shortest augmenting paths as Jonker and Volgenant 1987.

/// A cost that no number tells.
const WITHOUT_MEASURE: f64 = 1e200;

/// For each row the column that it goes with; `cost` is asked for by row and column.
pub fn assign(n: usize, cost: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    let cost = |row: usize, column: usize| match cost(row, column) {
        cost if cost.is_finite() => cost,
        _ => WITHOUT_MEASURE,
    };
    // Places are counted from 1: column 0 stands for the row that looks for one.
    let (mut of_rows, mut of_columns) = (vec![0.0; n + 1], vec![0.0; n + 1]);
    let mut row_of = vec![0_usize; n + 1];
    for row in 1..=n {
        row_of[0] = row;
        let mut least = vec![f64::INFINITY; n + 1];
        let mut from = vec![0_usize; n + 1];
        let mut seen = vec![false; n + 1];
        let mut column = 0;
        while row_of[column] != 0 {
            seen[column] = true;
            let current = row_of[column];
            let (mut step, mut next) = (f64::INFINITY, 0);
            for other in 1..=n {
                if seen[other] {
                    continue;
                }
                let rest = cost(current - 1, other - 1) - of_rows[current] - of_columns[other];
                if rest < least[other] {
                    (least[other], from[other]) = (rest, column);
                }
                if least[other] < step {
                    (step, next) = (least[other], other);
                }
            }
            for other in 0..=n {
                match seen[other] {
                    true => {
                        of_rows[row_of[other]] += step;
                        of_columns[other] -= step;
                    }
                    false => least[other] -= step,
                }
            }
            column = next;
        }
        while column != 0 {
            row_of[column] = row_of[from[column]];
            column = from[column];
        }
    }
    let mut assigned = vec![0; n];
    (1..=n).for_each(|column| assigned[row_of[column] - 1] = column - 1);
    assigned
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The least cost of giving the rows from `row` on columns that are free.
    fn least(costs: &[f64], n: usize, row: usize, free: &mut Vec<usize>) -> f64 {
        if row == n {
            return 0.0;
        }
        let mut best = f64::INFINITY;
        for place in 0..free.len() {
            let column = free.remove(place);
            best = best.min(costs[row * n + column] + least(costs, n, row + 1, free));
            free.insert(place, column);
        }
        best
    }

    #[test]
    fn what_costs_no_number_is_taken_last() {
        let costs = [f64::NAN, 1.0, 2.0, f64::INFINITY];
        assert_eq!(assign(2, |row, column| costs[row * 2 + column]), [1, 0]);
        assert_eq!(assign(2, |_, _| f64::NAN).len(), 2);
    }

    proptest! {
        #[test]
        fn no_other_assignment_costs_less(
            n in 0..6_usize, costs in prop::collection::vec(0..20_i32, 36),
        ) {
            let costs: Vec<f64> = costs.into_iter().map(f64::from).collect();
            let assigned = assign(n, |row, column| costs[row * n + column]);
            let mut sorted = assigned.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..n).collect::<Vec<_>>());
            let pairs = assigned.iter().enumerate();
            let total: f64 = pairs.map(|(row, column)| costs[row * n + column]).sum();
            prop_assert_eq!(total, least(&costs, n, 0, &mut (0..n).collect()));
        }
    }
}
