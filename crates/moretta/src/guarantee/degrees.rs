//! Whether every degree of a released graph is that of k nodes.
//!
//! Counts from the rows of the edge file alone, which may say anything: an edge whose end is no
//! node, one that links a node to itself and one that is there twice are faults.
//!
//! Cost: a counter a node, and 8 bytes an edge to find those that are there twice.

use super::findings::{ClaimFinding, Fault, Rule};

/// Counts the edges of a released graph.
pub struct DegreeChecker {
    degrees: Vec<u64>,
    edges: Vec<(u32, u32)>,
    directed: bool,
    strangers: u64,
    loops: u64,
}

impl DegreeChecker {
    /// For a graph whose nodes are numbered from 0; where edges have directions, both ways are
    /// two edges.
    pub fn new(nodes: u32, directed: bool) -> Self {
        DegreeChecker {
            degrees: vec![0; nodes as usize],
            edges: Vec::new(),
            directed,
            strangers: 0,
            loops: 0,
        }
    }

    /// The next edge of the file; an end is none where the cell holds no number of a node.
    pub fn observe(&mut self, ends: [Option<u32>; 2]) {
        let known = |end: Option<u32>| end.filter(|&end| (end as usize) < self.degrees.len());
        let [Some(a), Some(b)] = ends.map(known) else {
            self.strangers += 1;
            return;
        };
        if a == b {
            self.loops += 1;
            return;
        }
        self.degrees[a as usize] += 1;
        self.degrees[b as usize] += 1;
        let turned = !self.directed && b < a;
        self.edges.push(if turned { (b, a) } else { (a, b) });
    }

    /// What the edges keep of the promise that every degree is that of `k` nodes; none where
    /// nothing is promised.
    pub fn claim(&self, k: Option<u32>) -> Option<ClaimFinding> {
        let k = u64::from(k?);
        let mut sorted = self.degrees.clone();
        sorted.sort_unstable();
        let sizes = || sorted.chunk_by(|a, b| a == b).map(|run| run.len() as u64);
        let least = sizes().min();
        Some(ClaimFinding {
            name: "k-degree anonymity".to_owned(),
            promised: format!("at least {k}"),
            promised_value: k as f64,
            found: least.map(|least| least as f64),
            found_text: least.map_or("no nodes".to_owned(), |least| least.to_string()),
            holds: least.is_none_or(|least| least >= k),
            failing_classes: sizes().filter(|&size| size < k).count() as u64,
        })
    }

    /// What no edge file may hold.
    pub fn faults(&mut self) -> Vec<Fault> {
        self.edges.sort_unstable();
        let repeated = self.edges.windows(2).filter(|pair| pair[0] == pair[1]);
        let repeated = repeated.count() as u64;
        let found = [
            (Rule::NoSuchNode, self.strangers),
            (Rule::LinkedToItself, self.loops),
            (Rule::EdgeTwice, repeated),
        ];
        let faults = found.into_iter().filter(|(_, count)| *count > 0);
        faults
            .map(|(rule, count)| Fault {
                column: None,
                rule,
                count,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(nodes: u32, directed: bool, edges: &[(u32, u32)]) -> DegreeChecker {
        let mut checker = DegreeChecker::new(nodes, directed);
        for &(a, b) in edges {
            checker.observe([Some(a), Some(b)]);
        }
        checker
    }

    const RING: [(u32, u32); 4] = [(0, 1), (1, 2), (2, 3), (0, 3)];

    #[test]
    fn the_rarest_degree_counts_and_isolated_nodes_have_one() {
        for (nodes, edges, least) in [
            (4, &RING[..], 4),
            (5, &RING[..], 1),
            (6, &RING[..], 2),
            (4, &RING[..3], 2),
            (4, &[][..], 4),
        ] {
            let mut checker = checked(nodes, false, edges);
            let claim = checker.claim(Some(2)).expect("a promise");
            assert_eq!(claim.found, Some(f64::from(least)), "{nodes} {edges:?}");
            assert_eq!(claim.holds, least >= 2);
            assert_eq!(checker.faults(), []);
            assert_eq!(checker.claim(None), None);
        }
        let nobody = DegreeChecker::new(0, false).claim(Some(3));
        assert!(nobody.expect("a promise").holds);
    }

    #[test]
    fn edges_of_strangers_loops_and_repetitions_are_faults() {
        let mut checker = checked(4, false, &[(0, 1), (1, 0), (2, 2), (3, 4)]);
        checker.observe([None, Some(1)]);
        let found: Vec<(Rule, u64)> = checker.faults().iter().map(|f| (f.rule, f.count)).collect();
        let expected = [
            (Rule::NoSuchNode, 2),
            (Rule::LinkedToItself, 1),
            (Rule::EdgeTwice, 1),
        ];
        assert_eq!(found, expected);
        let mut both_ways = checked(4, true, &[(0, 1), (1, 0)]);
        assert_eq!(both_ways.faults(), []);
    }
}
