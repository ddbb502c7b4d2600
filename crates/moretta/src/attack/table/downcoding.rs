//! Downcoding: a class that was not divided tells that no division was allowed.
//!
//! A method that is minimal and follows a hierarchy divides a class whenever every non-empty part
//! keeps k, and shows the lowest node that it can. Who knows that sees a class of n persons under a
//! node with m children, and excludes all ways in which the persons lie in the children so that
//! each child has none or at least k of them; also those in which all are in one child, which
//! would have been shown. What is left may say how many of them are in one child.
//!
//! Persons are taken to be equally likely in each child before. If an allowed division is refused
//! with probability r, excluded ways keep the weight r, and what is learnt is blurred: that is what
//! the option `refuse` of mondrian does.
//!
//! **From** Cohen, Attacks on deidentification's defenses, USENIX Security 2022.

use super::{Evidence, ReleasedTable, TableAttack};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// The attack: by how much what is believed of how persons lie in the children of a released node
/// changes, on average over classes and columns that show one.
pub const ATTACK: TableAttack = TableAttack {
    name: "downcoding",
    knows: "the method, its parameters and the hierarchies",
    way_out: "refuse allowed cuts at random: `refuse` of mondrian",
    run,
};

/// The largest class that is looked at.
const LARGEST: u32 = 1_000;

fn run(table: &ReleasedTable) -> Option<Evidence> {
    let refused = table.rules.refused?;
    let k = table.rules.k.max(1);
    let mut known: HashMap<(u32, u32), f64, FixedState> = HashMap::default();
    let (mut sum, mut nodes, mut certain, mut skipped) = (0.0, 0_u64, 0_u64, 0_u64);
    let mut classes = 0;
    for (class, &size) in table.sizes.iter().enumerate() {
        let mut is_open = false;
        for column in &table.quasi {
            let Some((_, _, children)) = column.parts(class) else {
                continue;
            };
            let children = children.len() as u32;
            if size > LARGEST {
                skipped += 1;
                continue;
            }
            let changed = *known
                .entry((size, children))
                .or_insert_with(|| change(allowed_share(size, children, k), refused));
            nodes += 1;
            sum += changed;
            is_open |= changed > 0.5;
            let few = size <= 30 && children <= 4;
            let found = few.then(|| undivided(size, children, k, refused)).flatten();
            certain += u64::from(found.is_some_and(|found| found.certainty > 0.999));
        }
        classes += u64::from(is_open);
    }
    if nodes == 0 {
        return None;
    }
    let mut details = vec![format!(
        "in {certain} of them one division of counts is left"
    )];
    if skipped > 0 {
        details.push(format!(
            "{skipped} of classes larger than {LARGEST} were not looked at"
        ));
    }
    Some(Evidence {
        share: sum / nodes as f64,
        classes,
        details,
        ..ATTACK.evidence("nodes of classes", sum.round() as u64, nodes)
    })
}

/// The distance in variation between beliefs before and after it is seen that a class was not divided:
/// the ways that were allowed, which had the probability `allowed`, keep the weight `refused`. Where
/// no allowed cut is refused, it is the share of the ways that are excluded.
fn change(allowed: f64, refused: f64) -> f64 {
    let left = 1.0 - allowed + refused * allowed;
    match left > 0.0 {
        true => allowed - refused * allowed / left,
        false => 1.0,
    }
}

/// The probability that, of persons who are equally likely in each child, every child has none or
/// at least k: of independent Poisson counts that sum to their number.
fn allowed_share(persons: u32, children: u32, k: u32) -> f64 {
    let mean = f64::from(persons) / f64::from(children);
    let poisson =
        |count: u32, mean: f64| (f64::from(count) * mean.ln() - mean - ln_factorial(count)).exp();
    let one: Vec<f64> = (0..=persons)
        .map(|count| match count == 0 || count >= k {
            true => poisson(count, mean),
            false => 0.0,
        })
        .collect();
    let mut power = one;
    let mut all: Option<Vec<f64>> = None;
    let mut left = children;
    while left > 0 {
        if left % 2 == 1 {
            all = Some(match all {
                None => power.clone(),
                Some(all) => convolved(&all, &power),
            });
        }
        left /= 2;
        if left > 0 {
            power = convolved(&power, &power);
        }
    }
    let joint = all.and_then(|all| all.last().copied()).unwrap_or(1.0);
    (joint / poisson(persons, f64::from(persons))).min(1.0)
}

/// The distribution of a sum, as far as both go.
fn convolved(a: &[f64], b: &[f64]) -> Vec<f64> {
    let at = |sum: usize| (0..=sum).map(|i| a[i] * b[sum - i]).sum();
    (0..a.len()).map(at).collect()
}

/// What a class that was not divided tells of the children of its node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Undivided {
    /// The share of the ways to place persons into children that are excluded, or have less weight.
    pub excluded: f64,
    /// The largest probability of a vector of counts, in any order of the children, that remains.
    pub certainty: f64,
    /// The same before the release.
    pub before: f64,
}

/// The most persons and children for which all vectors of counts are gone through.
const MOST_VECTORS: usize = 2_000_000;

/// Of a class of `persons` under a node with so many children, in which every non-empty part of a
/// division must have `k`; allowed divisions were refused with this probability. None where there
/// are too many ways to go through.
pub fn undivided(persons: u32, children: u32, k: u32, refused: f64) -> Option<Undivided> {
    let vectors = partitions(persons, children)?;
    let ways = |vector: &[u32]| {
        let counts = vector.iter().map(|&count| ln_factorial(count));
        let orders = ln_factorial(children) - repeats(vector);
        let placed = ln_factorial(persons) - counts.sum::<f64>();
        (placed + orders - f64::from(persons) * f64::from(children).ln()).exp()
    };
    let allowed = |vector: &[u32]| vector.iter().all(|&count| count == 0 || count >= k);
    let (mut total, mut largest, mut before, mut excluded) = (0.0, 0.0_f64, 0.0_f64, 0.0);
    for vector in &vectors {
        let prior = ways(vector);
        let weight = match allowed(vector) {
            true => prior * refused,
            false => prior,
        };
        excluded += prior - weight;
        total += weight;
        largest = largest.max(weight);
        before = before.max(prior);
    }
    (total > 0.0).then(|| Undivided {
        excluded,
        certainty: largest / total,
        before,
    })
}

/// Every way to write a number as so many counts, the largest first.
fn partitions(persons: u32, children: u32) -> Option<Vec<Vec<u32>>> {
    let mut found = Vec::new();
    let mut vector = Vec::new();
    let complete = divide(persons, children, persons, &mut vector, &mut found);
    complete.then_some(found)
}

fn divide(
    persons: u32,
    children: u32,
    most: u32,
    vector: &mut Vec<u32>,
    found: &mut Vec<Vec<u32>>,
) -> bool {
    if children == 0 {
        if persons == 0 {
            found.push(vector.clone());
        }
        return found.len() * vector.len().max(1) < MOST_VECTORS;
    }
    // No count is larger than the one before, and the rest must fit into the others.
    for count in (persons.div_ceil(children)..=persons.min(most)).rev() {
        vector.push(count);
        let complete = divide(persons - count, children - 1, count, vector, found);
        vector.pop();
        if !complete {
            return false;
        }
    }
    true
}

/// The logarithm of how many orders of a vector are the same.
fn repeats(vector: &[u32]) -> f64 {
    let runs = vector.chunk_by(|a, b| a == b);
    runs.map(|run| ln_factorial(run.len() as u32)).sum()
}

fn ln_factorial(n: u32) -> f64 {
    (2..=n).map(|i| f64::from(i).ln()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Values 0..3 in halves, four rows published as 0-3: of the 16 ways into two halves those
    /// with 2:2 are excluded, and those with 4:0, where the half would have been shown.
    #[test]
    fn four_rows_in_halves_lie_one_to_three() {
        let found = undivided_class(4, 2, 2, 0.0);
        // 256 inputs fit, 128 survive: 1:3 or 3:1.
        assert_eq!((256.0 * found.0, found.1), (128.0, 1.0));
        // Refused with r = 0.25: 128 + 128 · 0.25 = 160 of weight, of which 128 are 1:3.
        let found = undivided_class(4, 2, 2, 0.25);
        assert!((found.1 - 0.8).abs() < 1e-12, "{found:?}");
    }

    /// The share of ways that survive, and the probability of the likeliest counts among them.
    fn undivided_class(persons: u32, children: u32, k: u32, refused: f64) -> (f64, f64) {
        let found = undivided(persons, children, k, refused).expect("few ways");
        let remaining = 1.0 - found.excluded;
        (remaining, found.certainty)
    }

    #[test]
    fn refused_cuts_leave_less_to_conclude() {
        // Half of the ways are excluded, or keep a quarter: 0.2 instead of 0.5 of the probability.
        assert_eq!(change(0.5, 0.0), 0.5);
        assert!((change(0.5, 0.25) - 0.3).abs() < 1e-12);
        // Where nearly all ways are allowed, the class was refused for sure.
        assert!(change(0.999, 0.1) < 0.01 && change(0.999, 0.0) > 0.99);
        assert_eq!((change(1.0, 0.0), change(0.0, 0.3)), (1.0, 0.0));
    }

    proptest! {
        #[test]
        fn what_is_excluded_is_that_of_going_through_all_ways(
            persons in 1u32..7,
            children in 2u32..4,
            k in 1u32..4,
            refused in 0.0f64..1.0,
        ) {
            let found = undivided(persons, children, k, refused);
            let allowed = allowed_share(persons, children, k);
            let (mut weights, mut total, mut excluded) = (std::collections::BTreeMap::new(), 0.0, 0.0);
            let all = children.pow(persons);
            for way in 0..all {
                let mut counts = vec![0u32; children as usize];
                let mut rest = way;
                for _ in 0..persons {
                    counts[(rest % children) as usize] += 1;
                    rest /= children;
                }
                counts.sort_unstable();
                let allowed = counts.iter().all(|&count| count == 0 || count >= k);
                let weight = if allowed { refused } else { 1.0 };
                excluded += (1.0 - weight) / f64::from(all);
                total += weight / f64::from(all);
                *weights.entry(counts).or_insert(0.0) += weight / f64::from(all);
            }
            prop_assert!((allowed * (1.0 - refused) - excluded).abs() < 1e-9);
            match found {
                None => prop_assert!(total < 1e-12),
                Some(found) => {
                    prop_assert!((found.excluded - excluded).abs() < 1e-9);
                    let largest = weights.values().copied().fold(0.0, f64::max);
                    prop_assert!((found.certainty - largest / total).abs() < 1e-9);
                }
            }
        }
    }
}
