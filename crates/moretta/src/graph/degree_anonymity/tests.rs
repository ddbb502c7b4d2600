use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn list(nodes: u32, pairs: &[(u32, u32)]) -> EdgeList {
    EdgeList::new(nodes, pairs.to_vec(), false).0
}

fn anonymized(edges: &EdgeList, k: u32, seed: u64) -> Changed {
    anonymize(edges, k, seed, &Cancel::default()).expect("enough nodes")
}

/// How many nodes have each degree, counted the slow way.
fn counts(edges: &EdgeList) -> BTreeMap<usize, u32> {
    let mut counts = BTreeMap::new();
    for node in 0..edges.nodes() {
        let degree = edges.pairs().iter();
        let degree = degree.filter(|&&(a, b)| a == node || b == node).count();
        *counts.entry(degree).or_insert(0) += 1;
    }
    counts
}

#[test]
fn a_star_becomes_a_graph_in_which_the_centre_is_one_of_k() {
    let star: Vec<(u32, u32)> = (1..10).map(|leaf| (0, leaf)).collect();
    let changed = anonymized(&list(10, &star), 3, 1);
    assert!(counts(&changed.edges).values().all(|&count| count >= 3));
}

#[test]
fn a_graph_that_is_anonymous_stays_as_it_is() {
    let ring: Vec<(u32, u32)> = (0..12).map(|node| (node, (node + 1) % 12)).collect();
    let ring = list(12, &ring);
    let changed = anonymized(&ring, 5, 1);
    assert_eq!((changed.added, changed.removed), (0, 0));
    assert_eq!(changed.edges, ring);
}

#[test]
fn too_few_nodes_and_directions_are_refused() {
    let few = anonymize(&list(2, &[(0, 1)]), 3, 1, &Cancel::default());
    assert_eq!(few.expect_err("refused").exit_code(), 1);
    let (directed, _) = EdgeList::new(4, vec![(0, 1)], true);
    let refused = anonymize(&directed, 2, 1, &Cancel::default());
    assert_eq!(refused.expect_err("refused").exit_code(), 3);
    let cancel = Cancel::default();
    cancel.cancel();
    assert!(anonymize(&list(4, &[(0, 1)]), 2, 1, &cancel).is_err());
}

#[test]
fn hubs_that_nobody_else_can_fill_take_edges_of_others() {
    // One hub of 40, and a long ring of nodes with two neighbours each.
    let hub = (1..=40).map(|leaf| (0, leaf * 2));
    let ring = (1..200).map(|node| (node, node % 199 + 1));
    let edges = list(200, &hub.chain(ring).collect::<Vec<_>>());
    let changed = anonymized(&edges, 4, 7);
    assert!(changed.removed > 0, "edges were taken");
    assert!(counts(&changed.edges).values().all(|&count| count >= 4));
    let most = changed.edges.degrees().into_iter().max();
    assert_eq!(most, Some(40));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn every_degree_is_that_of_k_nodes_in_any_graph(
        nodes in 1u32..24,
        ends in prop::collection::vec((0u32..24, 0u32..24), 0..160),
        k in 1u32..9,
        seed in 0u64..4,
    ) {
        prop_assume!(nodes >= k);
        let pairs: Vec<_> = ends.iter().map(|&(a, b)| (a % nodes, b % nodes)).collect();
        let edges = list(nodes, &pairs);
        let changed = anonymized(&edges, k, seed);
        prop_assert!(counts(&changed.edges).values().all(|&count| count >= k));
        let before: BTreeSet<_> = edges.pairs().iter().collect();
        let after: BTreeSet<_> = changed.edges.pairs().iter().collect();
        prop_assert_eq!(after.difference(&before).count() as u64, changed.added);
        prop_assert_eq!(before.difference(&after).count() as u64, changed.removed);
        prop_assert_eq!(&changed, &anonymized(&edges, k, seed));
    }
}
