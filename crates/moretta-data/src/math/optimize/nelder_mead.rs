//! Nelder and Mead's simplex as Apache Commons Math 3.6 has it, vertex for vertex:
//! reflection 1, expansion 2, contraction and shrinkage ½, side 1.
//!
//! The first simplex is the start and a vertex for each variable, the i-th with its
//! first i variables raised by 1. It ends when in one step no vertex has changed its
//! value by more than a share of it, or when the evaluations are used up.

use super::{Maximum, Objective};

/// Climbs from `start`, until values change by less than the share `threshold`, with
/// at most so many evaluations.
pub fn nelder_mead(
    objective: &mut impl Objective,
    start: &[f64],
    threshold: f64,
    most: usize,
) -> Maximum {
    let mut simplex = Simplex {
        objective,
        vertices: Vec::with_capacity(start.len() + 1),
        best: (f64::NEG_INFINITY, start.to_vec()),
        left: most,
    };
    simplex.climb(start, threshold);
    Maximum {
        point: simplex.best.1,
        value: simplex.best.0,
        evaluations: most - simplex.left,
    }
}

type Vertex = (f64, Vec<f64>);

struct Simplex<'a, O> {
    objective: &'a mut O,
    /// From the best to the worst.
    vertices: Vec<Vertex>,
    best: Vertex,
    left: usize,
}

impl<O: Objective> Simplex<'_, O> {
    /// Ends with none when the evaluations are used up.
    fn climb(&mut self, start: &[f64], threshold: f64) -> Option<()> {
        let first = self.evaluate(start.to_vec())?;
        self.vertices.push(first);
        for raised in 1..=start.len() {
            let raise = |(place, value): (usize, &f64)| match place < raised {
                true => value + 1.0,
                false => *value,
            };
            let vertex = self.evaluate(start.iter().enumerate().map(raise).collect())?;
            self.vertices.push(vertex);
        }
        self.sort();
        let mut values: Vec<f64> = Vec::new();
        loop {
            values.clear();
            values.extend(self.vertices.iter().map(|vertex| vertex.0));
            self.step()?;
            let mut both = values.iter().zip(&self.vertices);
            if both.all(|(&before, after)| settled(before, after.0, threshold)) {
                return Some(());
            }
        }
    }

    fn step(&mut self) -> Option<()> {
        let last = self.vertices.len() - 1;
        let centroid = self.centroid(last);
        let along = |share: f64, from: &[f64]| -> Vec<f64> {
            let both = centroid.iter().zip(from);
            both.map(|(c, x)| c + share * (x - c)).collect()
        };
        let worst = along(1.0, &self.vertices[last].1);
        let (best, second) = (self.vertices[0].0, self.vertices[last - 1].0);
        let reflected = self.evaluate(along(-1.0, &worst))?;
        if reflected.0 > best {
            let expanded = self.evaluate(along(2.0, &reflected.1))?;
            self.replace_worst(if expanded.0 > reflected.0 {
                expanded
            } else {
                reflected
            });
        } else if reflected.0 > second {
            self.replace_worst(reflected);
        } else if reflected.0 > self.vertices[last].0 {
            let outside = self.evaluate(along(0.5, &reflected.1))?;
            match outside.0 >= reflected.0 {
                true => self.replace_worst(outside),
                false => self.shrink()?,
            }
        } else {
            let inside = self.evaluate(along(0.5, &worst))?;
            match inside.0 > self.vertices[last].0 {
                true => self.replace_worst(inside),
                false => self.shrink()?,
            }
        }
        Some(())
    }

    /// Of all vertices but the worst.
    fn centroid(&self, last: usize) -> Vec<f64> {
        let mut centroid = vec![0.0; last];
        for (_, vertex) in &self.vertices[..last] {
            for (sum, value) in centroid.iter_mut().zip(vertex) {
                *sum += value;
            }
        }
        centroid.iter_mut().for_each(|sum| *sum /= last as f64);
        centroid
    }

    fn shrink(&mut self) -> Option<()> {
        let best = self.vertices[0].1.clone();
        for place in 1..self.vertices.len() {
            let both = best.iter().zip(&self.vertices[place].1);
            let nearer = both.map(|(b, x)| b + 0.5 * (x - b)).collect();
            self.vertices[place] = self.evaluate(nearer)?;
        }
        self.sort();
        Some(())
    }

    /// Puts a vertex behind those that are as good.
    fn replace_worst(&mut self, vertex: Vertex) {
        self.vertices.pop();
        let place = self.vertices.partition_point(|other| other.0 >= vertex.0);
        self.vertices.insert(place, vertex);
    }

    fn sort(&mut self) {
        self.vertices.sort_by(|a, b| b.0.total_cmp(&a.0));
    }

    fn evaluate(&mut self, point: Vec<f64>) -> Option<Vertex> {
        self.left = self.left.checked_sub(1)?;
        let value = self.objective.value(&point);
        let value = if value.is_nan() {
            f64::NEG_INFINITY
        } else {
            value
        };
        if value > self.best.0 {
            self.best = (value, point.clone());
        }
        Some((value, point))
    }
}

fn settled(before: f64, after: f64, threshold: f64) -> bool {
    (before - after).abs() <= threshold * before.abs().max(after.abs())
}
