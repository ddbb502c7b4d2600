//! An intruder who knows how many neighbours a person has.
//!
//! The intruder looks for nodes that have as many neighbours in the release and takes one of
//! them; where the person has another number now, that is a wrong one. One who knows the
//! attributes besides looks among the nodes whose released values cover them.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// How often the intruder is right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DegreeAttack {
    /// The mean chance to find a person.
    pub mean: f64,
    /// The chance to find the person who is found most easily.
    pub largest: f64,
    /// The share of persons who are found for sure.
    pub certain: f64,
}

/// Attacks the release with the degrees before. `classes` are what is released of the attributes
/// of each node, where the intruder knows those as well; equal numbers show the same.
pub fn degree_attack(before: &[u32], after: &[u32], classes: Option<&[u32]>) -> DegreeAttack {
    let class = |node: usize| classes.map_or(0, |classes| classes[node]);
    let mut alike: HashMap<(u32, u32), u64, FixedState> = HashMap::default();
    for (node, &degree) in after.iter().enumerate() {
        *alike.entry((class(node), degree)).or_insert(0) += 1;
    }
    let chance = |node: usize| match before[node] == after[node] {
        true => 1.0 / alike[&(class(node), after[node])] as f64,
        false => 0.0,
    };
    let nodes = before.len();
    let (mut sum, mut largest, mut certain) = (0.0, 0.0f64, 0u64);
    for chance in (0..nodes).map(chance) {
        sum += chance;
        largest = largest.max(chance);
        certain += u64::from(chance == 1.0);
    }
    let all = nodes.max(1) as f64;
    DegreeAttack {
        mean: sum / all,
        largest,
        certain: certain as f64 / all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hub_is_found_before_and_is_one_of_several_after() {
        let before = [9, 2, 2, 1, 1, 1];
        let plain = degree_attack(&before, &before, None);
        assert_eq!((plain.largest, plain.certain), (1.0, 1.0 / 6.0));
        assert!((plain.mean - 3.0 / 6.0).abs() < 1e-12);
        let after = [9, 9, 9, 1, 1, 1];
        let found = degree_attack(&before, &after, None);
        assert_eq!((found.largest, found.certain), (1.0 / 3.0, 0.0));
        // The hub and three others kept their degree, each one of three.
        assert!((found.mean - 4.0 / 18.0).abs() < 1e-12);
    }

    #[test]
    fn attributes_and_degree_together_tell_more() {
        let degrees = [2, 2, 2, 2];
        let found = degree_attack(&degrees, &degrees, Some(&[0, 1, 1, 1]));
        assert_eq!((found.largest, found.certain), (1.0, 0.25));
        assert!((found.mean - 0.5).abs() < 1e-12);
    }
}
