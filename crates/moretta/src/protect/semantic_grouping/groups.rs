//! One group after the other: the first free row and the rows nearest to it.

use super::super::limits::Limits;
use super::Records;
use crate::cancel::Cancel;
use crate::data::SemanticSpace;
use crate::error::Result;

/// The groups of at least `k` rows that [semantic grouping](super) makes of records, given as
/// nodes of the taxonomies, column by column.
///
/// # Errors
/// Never: nobody cancels it.
pub fn nearest_groups(
    space: &SemanticSpace,
    columns: &[Vec<u32>],
    k: usize,
) -> Result<Vec<Vec<u32>>> {
    let rows = columns.first().map_or(0, Vec::len);
    let records = Records {
        space: space.clone(),
        columns: columns.to_vec(),
        rows,
        cancel: Cancel::default(),
    };
    records.nearest_groups(&Limits::rows(k), (0..rows as u32).collect())
}

impl Records {
    /// Groups of rows, which hold together. Each holds, and so do those that are left after it.
    pub(super) fn nearest_groups(
        &self,
        limits: &Limits,
        mut open: Vec<u32>,
    ) -> Result<Vec<Vec<u32>>> {
        let mut groups = Vec::new();
        let mut distances = Distances::new(self);
        while !open.is_empty() {
            self.cancel.check()?;
            if open.len() < 2 * limits.k {
                groups.push(open);
                break;
            }
            let near = distances.from(open[0], &open);
            let size = match limits.only_rows() {
                true => {
                    near.select_nth_unstable(limits.k - 1);
                    Some(limits.k)
                }
                false => {
                    near.sort_unstable();
                    first_that_hold(limits, near)
                }
            };
            let size = size.unwrap_or(open.len());
            let mut group: Vec<u32> = near[..size].iter().map(|&(_, row)| row).collect();
            group.sort_unstable();
            let mut next = group.iter().copied().peekable();
            let rest: Vec<u32> = (open.iter().copied())
                .filter(|row| next.next_if_eq(row).is_none())
                .collect();
            if !limits.hold(&rest) {
                groups.push(open);
                break;
            }
            groups.push(group);
            open = rest;
        }
        Ok(groups)
    }
}

/// How many of the nearest rows may be a group.
fn first_that_hold(limits: &Limits, near: &[(u64, u32)]) -> Option<usize> {
    let mut profile = limits.profile();
    near.iter()
        .position(|&(_, row)| {
            profile.add(limits, row);
            profile.holds(limits)
        })
        .map(|before| before + 1)
}

/// How far rows are from one of them; each distance of two nodes is computed once a row.
struct Distances<'a> {
    records: &'a Records,
    /// For each column how far each node is, and for which row that was computed.
    of_nodes: Vec<Vec<(u32, u64)>>,
    near: Vec<(u64, u32)>,
}

/// No row.
const NONE: u32 = u32::MAX;

impl<'a> Distances<'a> {
    fn new(records: &'a Records) -> Self {
        let nodes = records.space.taxonomies().iter();
        Distances {
            of_nodes: nodes.map(|t| vec![(NONE, 0); t.node_count()]).collect(),
            near: Vec::new(),
            records,
        }
    }

    /// The distance of each row, and the row.
    fn from(&mut self, seed: u32, rows: &[u32]) -> &mut [(u64, u32)] {
        self.near.clear();
        self.near.extend(rows.iter().map(|&row| (0, row)));
        for (place, column) in self.records.columns.iter().enumerate() {
            let own = column[seed as usize];
            let known = &mut self.of_nodes[place];
            for (distance, row) in &mut self.near {
                let node = column[*row as usize];
                let (of, parts) = &mut known[node as usize];
                if *of != seed {
                    (*of, *parts) = (seed, self.records.space.parts(place, own, node));
                }
                *distance += *parts;
            }
        }
        &mut self.near
    }
}
