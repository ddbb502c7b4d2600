//! Where the nodes of a small graph are drawn, so that linked ones are near each other.
//!
//! Stress majorization: nodes are moved until the distances in the plane are as near as can be to
//! the numbers of steps between them in the graph. It starts with hubs in the middle and draws
//! nothing by chance, so it is a function of the released graph alone.
//!
//! **Costs** n² for each of a fixed number of rounds. **From** Gansner, Koren and North, Graph drawing
//! by stress majorization, 2005.

use std::collections::VecDeque;

/// Rounds; later ones change nothing that can be seen.
const ROUNDS: usize = 250;

/// Steps between nodes that no path leads between, as a share of the root of their number.
const APART: f64 = 0.55;

/// A place for each node, within the unit square.
pub(super) fn layout(nodes: usize, edges: &[(u32, u32)]) -> Vec<(f64, f64)> {
    let neighbours = neighbours(nodes, edges);
    let steps = steps(&neighbours);
    let mut places = spiral(&neighbours);
    for _ in 0..ROUNDS {
        round(&mut places, &steps);
    }
    within_unit(&places)
}

fn neighbours(nodes: usize, edges: &[(u32, u32)]) -> Vec<Vec<usize>> {
    let mut neighbours = vec![Vec::new(); nodes];
    for &(a, b) in edges {
        let (a, b) = (a as usize, b as usize);
        if a != b && a < nodes && b < nodes {
            neighbours[a].push(b);
            neighbours[b].push(a);
        }
    }
    neighbours
}

/// Steps between all nodes.
fn steps(neighbours: &[Vec<usize>]) -> Vec<Vec<f64>> {
    let from = |start: usize| -> Vec<Option<u32>> {
        let mut steps = vec![None; neighbours.len()];
        steps[start] = Some(0);
        let mut waiting = VecDeque::from([(start, 0)]);
        while let Some((node, so_far)) = waiting.pop_front() {
            for &next in &neighbours[node] {
                if steps[next].is_none() {
                    steps[next] = Some(so_far + 1);
                    waiting.push_back((next, so_far + 1));
                }
            }
        }
        steps
    };
    let all: Vec<Vec<Option<u32>>> = (0..neighbours.len()).map(from).collect();
    let longest = all.iter().flatten().flatten().max().copied().unwrap_or(1);
    let apart = f64::from(longest).max(1.0) / 2.0 + APART * (neighbours.len() as f64).sqrt();
    let distance = |steps: &Option<u32>| steps.map_or(apart, f64::from);
    all.iter()
        .map(|row| row.iter().map(distance).collect())
        .collect()
}

/// Hubs in the middle, others around them.
fn spiral(neighbours: &[Vec<usize>]) -> Vec<(f64, f64)> {
    let mut order: Vec<usize> = (0..neighbours.len()).collect();
    order.sort_by_key(|&node| (std::cmp::Reverse(neighbours[node].len()), node));
    let mut places = vec![(0.0, 0.0); neighbours.len()];
    // The golden angle leaves no two nodes in one direction.
    let angle = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    for (turn, node) in order.into_iter().enumerate() {
        let radius = (turn as f64 + 0.5).sqrt();
        let (sine, cosine) = (turn as f64 * angle).sin_cos();
        places[node] = (radius * cosine, radius * sine);
    }
    places
}

/// Moves every node to where its distances fit best, one after the other.
fn round(places: &mut [(f64, f64)], steps: &[Vec<f64>]) {
    for node in 0..places.len() {
        let (mut x, mut y, mut weights) = (0.0, 0.0, 0.0);
        for other in 0..places.len() {
            let wanted = steps[node][other];
            if other == node || wanted <= 0.0 {
                continue;
            }
            let (dx, dy) = (
                places[node].0 - places[other].0,
                places[node].1 - places[other].1,
            );
            let distance = dx.hypot(dy).max(1e-9);
            let weight = 1.0 / (wanted * wanted);
            x += weight * (places[other].0 + wanted * dx / distance);
            y += weight * (places[other].1 + wanted * dy / distance);
            weights += weight;
        }
        if weights > 0.0 {
            places[node] = (x / weights, y / weights);
        }
    }
}

/// The same places with the longer side from 0 to 1, and the other one in the middle.
fn within_unit(places: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let ends = |of: fn(&(f64, f64)) -> f64| {
        let values = places.iter().map(of);
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        })
    };
    let (left, right) = ends(|place| place.0);
    let (top, bottom) = ends(|place| place.1);
    let extent = [right - left, bottom - top];
    let scale = |value: f64, low: f64, side: f64| match side > 1e-9 {
        true => (value - low) / side,
        false => 0.5,
    };
    let place = |&(x, y): &(f64, f64)| (scale(x, left, extent[0]), scale(y, top, extent[1]));
    places.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(a: (f64, f64), b: (f64, f64)) -> f64 {
        (a.0 - b.0).hypot(a.1 - b.1)
    }

    #[test]
    fn linked_nodes_are_nearer_than_others() {
        // Two rings that one edge links.
        let ring = |first: u32| (0..6).map(move |i| (first + i, first + (i + 1) % 6));
        let edges: Vec<(u32, u32)> = ring(0).chain(ring(6)).chain([(0, 6)]).collect();
        let places = layout(12, &edges);
        let mean = |pairs: &[(u32, u32)]| {
            let sum: f64 = pairs
                .iter()
                .map(|&(a, b)| distance(places[a as usize], places[b as usize]))
                .sum();
            sum / pairs.len() as f64
        };
        let across: Vec<(u32, u32)> = (1..6).map(|i| (i, i + 6)).collect();
        assert!(mean(&edges) * 2.0 < mean(&across), "{places:?}");
    }

    #[test]
    fn every_graph_has_places_within_the_unit_square() {
        for (nodes, edges) in [
            (0, vec![]),
            (1, vec![]),
            (1, vec![(0, 0)]),
            (2, vec![(0, 1)]),
            (9, vec![]),
            (5, vec![(0, 1), (1, 0), (3, 3), (7, 9)]),
            (60, (1..60).map(|i| (0, i)).collect()),
        ] {
            let places = layout(nodes, &edges);
            assert_eq!(places.len(), nodes);
            let inside = |value: f64| (0.0..=1.0).contains(&value);
            assert!(
                places.iter().all(|p| inside(p.0) && inside(p.1)),
                "{places:?}"
            );
            for (i, a) in places.iter().enumerate() {
                let near = places[..i].iter().filter(|b| distance(*a, **b) < 1e-4);
                assert_eq!(near.count(), 0, "{nodes} {places:?}");
            }
            assert_eq!(places, layout(nodes, &edges));
        }
    }
}
