//! Large tables in parts, so that no row is compared with all others.
//!
//! A table that is not too large is one part. In a larger one equal rows that may be a group are
//! one, and what is left is divided: a part that is still too large is cut in two where the
//! taxonomy of its widest column branches, as near to its middle as the guarantee allows, or,
//! where no branch can be cut off, in the middle of its rows in the order of their values.

use super::super::limits::Limits;
use super::{Group, Records};
use crate::error::Result;
use rayon::prelude::*;

/// The groups of all rows, in parts of at most `most` rows where they can be divided. One of
/// them, of rare rows, may not hold.
pub(super) fn groups(records: &Records, limits: &Limits, most: usize) -> Result<Vec<Group>> {
    let all: Vec<u32> = (0..records.rows as u32).collect();
    if all.len() <= most {
        let groups = records.nearest_groups(limits, all)?.into_iter();
        return Ok(groups.map(|rows| records.group(rows)).collect());
    }
    let (mut groups, rare) = records.alike(limits, all);
    if rare.is_empty() {
        return Ok(groups);
    }
    if !limits.hold(&rare) {
        // Too few to be a group: they are joined with the nearest one.
        groups.push(records.group(rare));
        return Ok(groups);
    }
    let mut parts = Vec::new();
    records.divide(limits, rare, most, &mut parts)?;
    let parts: Vec<Vec<Vec<u32>>> = parts
        .into_par_iter()
        .map(|part| records.nearest_groups(limits, part))
        .collect::<Result<_>>()?;
    let parts = parts.into_iter().flatten();
    groups.extend(parts.map(|rows| records.group(rows)));
    Ok(groups)
}

impl Records {
    /// Equal rows that may be a group each, and the other rows in ascending order.
    fn alike(&self, limits: &Limits, mut rows: Vec<u32>) -> (Vec<Group>, Vec<u32>) {
        self.sort(&mut rows);
        let same = |a: &u32, b: &u32| self.values(*a).eq(self.values(*b));
        let mut groups = Vec::new();
        let mut rare = Vec::new();
        for run in rows.chunk_by(same) {
            match limits.hold(run) {
                true => groups.push(self.group(run.to_vec())),
                false => rare.extend_from_slice(run),
            }
        }
        rare.sort_unstable();
        (groups, rare)
    }

    fn sort(&self, rows: &mut [u32]) {
        rows.par_sort_unstable_by(|&a, &b| self.values(a).cmp(self.values(b)).then(a.cmp(&b)));
    }

    fn values(&self, row: u32) -> impl Iterator<Item = u32> + '_ {
        self.columns.iter().map(move |column| column[row as usize])
    }

    /// Divides rows, which hold, into parts that hold.
    fn divide(
        &self,
        limits: &Limits,
        rows: Vec<u32>,
        most: usize,
        parts: &mut Vec<Vec<u32>>,
    ) -> Result<()> {
        self.cancel.check()?;
        let cut = match rows.len() <= most {
            true => None,
            false => self.cut(limits, &rows),
        };
        match cut {
            None => parts.push(rows),
            Some([one, other]) => {
                self.divide(limits, one, most, parts)?;
                self.divide(limits, other, most, parts)?;
            }
        }
        Ok(())
    }

    /// Both sides of the best cut, in ascending order; none where none is allowed.
    fn cut(&self, limits: &Limits, rows: &[u32]) -> Option<[Vec<u32>; 2]> {
        let mut columns: Vec<(f64, usize, u32)> = (0..self.columns.len())
            .map(|column| {
                let taxonomy = &self.space.taxonomies()[column];
                let common = self.common(column, rows);
                let depth = f64::from(taxonomy.depth(common));
                let width = 1.0 - depth / f64::from(taxonomy.height());
                (width, column, common)
            })
            .collect();
        columns.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut ways = columns.into_iter();
        ways.find_map(|(_, column, common)| self.cut_branches(limits, rows, column, common))
            .or_else(|| self.cut_middle(limits, rows))
    }

    /// Cuts between the branches below the lowest node that covers a column of the rows.
    fn cut_branches(
        &self,
        limits: &Limits,
        rows: &[u32],
        column: usize,
        common: u32,
    ) -> Option<[Vec<u32>; 2]> {
        let taxonomy = &self.space.taxonomies()[column];
        let branch = |mut node: u32| {
            while node != common && taxonomy.parent(node) != common {
                node = taxonomy.parent(node);
            }
            node
        };
        let nodes = &self.columns[column];
        let key = |&row: &u32| (branch(nodes[row as usize]), row);
        let mut ordered: Vec<(u32, u32)> = rows.iter().map(key).collect();
        ordered.sort_unstable();
        let mut ends = Vec::new();
        let mut end = 0;
        for run in ordered.chunk_by(|a, b| a.0 == b.0) {
            end += run.len();
            ends.push(end);
        }
        ends.pop();
        let ordered: Vec<u32> = ordered.into_iter().map(|(_, row)| row).collect();
        let allowed = limits.allow(&ordered, &ends);
        let allowed = ends.iter().zip(allowed).filter(|(_, allowed)| *allowed);
        let middle = ordered.len() / 2;
        let (&best, _) = allowed.min_by_key(|(end, _)| end.abs_diff(middle))?;
        Some(sides(&ordered, best))
    }

    /// Cuts in the middle of the rows in the order of their values.
    fn cut_middle(&self, limits: &Limits, rows: &[u32]) -> Option<[Vec<u32>; 2]> {
        let mut ordered = rows.to_vec();
        self.sort(&mut ordered);
        let middle = ordered.len() / 2;
        let allowed = limits.allow(&ordered, &[middle]);
        allowed[0].then(|| sides(&ordered, middle))
    }
}

fn sides(ordered: &[u32], cut: usize) -> [Vec<u32>; 2] {
    let (one, other) = ordered.split_at(cut);
    [one, other].map(|side| {
        let mut side = side.to_vec();
        side.sort_unstable();
        side
    })
}
