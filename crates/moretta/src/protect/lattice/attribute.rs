//! A quasi-identifier as the search sees it: which node of each level covers each value, and how
//! much of the domain that node is.

/// A quasi-identifier with its levels, from the lowest to the highest that may be released.
#[derive(Clone, Debug)]
pub(super) struct Attribute {
    /// How much what it loses counts.
    pub(super) weight: f64,
    /// How many values its domain has.
    pub(super) domain: f64,
    /// The height of its hierarchy: the number of its top level.
    pub(super) height: usize,
    levels: Vec<Level>,
}

/// One level of an attribute.
#[derive(Clone, Debug)]
struct Level {
    /// The node of each value.
    node_of_value: Vec<u32>,
    /// The share of the domain under each node.
    shares: Vec<f64>,
    /// Rows under each node.
    rows: Vec<u64>,
}

impl Attribute {
    /// Of a domain of so many values. Each level says which node covers each value that the table
    /// holds, nodes counted from 0, and how many values of the domain lie under each node; level 0
    /// are the values themselves. `rows` tells how many rows hold each value.
    pub(super) fn new(
        domain: usize,
        levels: Vec<(Vec<u32>, Vec<u32>)>,
        rows: &[u64],
        weight: f64,
    ) -> Self {
        let level = |(node_of_value, leaves): (Vec<u32>, Vec<u32>)| {
            let mut under = vec![0; leaves.len()];
            for (&node, &rows) in node_of_value.iter().zip(rows) {
                under[node as usize] += rows;
            }
            let share = |&leaves: &u32| f64::from(leaves) / domain as f64;
            Level {
                shares: leaves.iter().map(share).collect(),
                rows: under,
                node_of_value,
            }
        };
        Attribute {
            weight,
            domain: domain as f64,
            height: levels.len() - 1,
            levels: levels.into_iter().map(level).collect(),
        }
    }

    /// How many nodes a level has.
    pub(super) fn nodes(&self, level: usize) -> usize {
        self.levels[level].shares.len()
    }

    /// The node of `level` that covers a value.
    pub(super) fn node(&self, level: usize, value: usize) -> u32 {
        self.levels[level].node_of_value[value]
    }

    /// The share of the domain under each node of a level.
    pub(super) fn shares(&self, level: usize) -> &[f64] {
        &self.levels[level].shares
    }

    /// Which node of the level `to` covers each node of the level `from` below it.
    pub(super) fn rise(&self, from: usize, to: usize) -> Vec<u32> {
        let mut nodes = vec![0; self.nodes(from)];
        let (from, to) = (&self.levels[from], &self.levels[to]);
        for (&below, &above) in from.node_of_value.iter().zip(&to.node_of_value) {
            nodes[below as usize] = above;
        }
        nodes
    }

    /// The sum over all rows of the share of the domain that their node of `level` is.
    pub(super) fn share_of_rows(&self, level: usize) -> f64 {
        let Level { shares, rows, .. } = &self.levels[level];
        let rows = rows.iter().map(|&rows| rows as f64);
        shares
            .iter()
            .zip(rows)
            .map(|(share, rows)| share * rows)
            .sum()
    }

    /// The sum over all rows of the bits that a reader needs to tell the value from the node of
    /// `level`: -log2 of how many of the node's rows hold the value.
    pub(super) fn bits_of_rows(&self, level: usize) -> f64 {
        let values = self.levels[0].node_of_value.iter();
        let places = values.zip(&self.levels[level].node_of_value);
        let bits = |(&value, &node): (&u32, &u32)| {
            let held = self.levels[0].rows[value as usize] as f64;
            let under = self.levels[level].rows[node as usize] as f64;
            if held > 0.0 {
                -held * (held / under).log2()
            } else {
                0.0
            }
        };
        places.map(bits).sum()
    }
}
