//! Cells that are called what the release calls its values.
//!
//! Of sets, every category that one of them names is a cell. Of labels of a tree, every
//! released label is one, and an original value is counted in the finest released label
//! above it, so that no value is named which the release does not name. A label that has
//! others below it stands for what is left: "other 47***".

use crate::data::hierarchy::Hierarchy;
use crate::data::{Domain, Region, Scale};
use foldhash::HashMap;
use std::ops::Range;

/// Cells by released label or category.
pub(super) struct Cells {
    labels: Vec<String>,
    of: Of,
}

enum Of {
    /// The cell of each code.
    Codes(HashMap<u32, usize>),
    /// Nodes with the run of cells below them, and the cell of each leaf.
    Nodes {
        below: HashMap<(usize, u32), Range<usize>>,
        of_leaf: Vec<Option<usize>>,
    },
}

impl Cells {
    /// The cells of some released regions.
    pub(super) fn new(regions: &[(Region, u64)], domain: &Domain) -> Self {
        match (&domain.hierarchy, &domain.scale) {
            (Some(tree), _) => Self::of_nodes(regions, tree),
            (None, Scale::Category { levels, .. }) => {
                let mut codes: Vec<u32> = (regions.iter())
                    .filter_map(|(region, _)| match region {
                        Region::Set(codes) => Some(codes),
                        _ => None,
                    })
                    .flatten()
                    .copied()
                    .collect();
                codes.sort_unstable();
                codes.dedup();
                let label = |&code: &u32| levels.get(code).to_owned();
                Cells {
                    labels: codes.iter().map(label).collect(),
                    of: Of::Codes(codes.into_iter().zip(0..).collect()),
                }
            }
            (None, Scale::Number { .. }) => Cells {
                labels: Vec::new(),
                of: Of::Codes(HashMap::default()),
            },
        }
    }

    fn of_nodes(regions: &[(Region, u64)], tree: &Hierarchy) -> Self {
        let mut nodes: Vec<(usize, u32)> = (regions.iter())
            .filter_map(|(region, _)| match region {
                Region::Node(level, node) => Some((*level, *node)),
                _ => None,
            })
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        let leaves = |&(level, node): &(usize, u32)| tree.leaves_under(level, node);
        // Nodes are nested or apart, so in this order those below a node follow it.
        nodes.sort_by_key(|node| {
            let under = leaves(node);
            (under.start, std::cmp::Reverse((under.end, node.0)))
        });
        let mut of_leaf = vec![None; tree.leaf_count()];
        let mut below = HashMap::default();
        let mut labels = Vec::new();
        for (place, node) in nodes.iter().enumerate() {
            let under = leaves(node);
            for leaf in under.clone() {
                of_leaf[leaf as usize] = Some(place);
            }
            let inside = |other: &&(usize, u32)| leaves(other).start < under.end;
            let end = place + nodes[place..].iter().take_while(inside).count();
            let label = tree.label(node.0, node.1);
            labels.push(match end - place {
                1 => label.to_owned(),
                _ => format!("other {label}"),
            });
            below.insert(*node, place..end);
        }
        Cells {
            labels,
            of: Of::Nodes { below, of_leaf },
        }
    }

    /// What each cell is called.
    pub(super) fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The cell of an original value, if the release names one that covers it.
    pub(super) fn place(&self, text: &str, domain: &Domain) -> Option<usize> {
        match (&self.of, &domain.hierarchy, &domain.scale) {
            (Of::Nodes { of_leaf, .. }, Some(tree), _) => of_leaf[tree.leaf(text)? as usize],
            (Of::Codes(cells), _, Scale::Category { levels, .. }) => {
                cells.get(&levels.find(text)?).copied()
            }
            _ => None,
        }
    }

    /// The cells of the values that a region may stand for.
    pub(super) fn covered(&self, region: &Region) -> Vec<usize> {
        match (region, &self.of) {
            (Region::Any, _) => (0..self.labels.len()).collect(),
            (Region::Set(codes), Of::Codes(cells)) => {
                let cells = codes.iter().filter_map(|code| cells.get(code));
                cells.copied().collect()
            }
            (Region::Node(level, node), Of::Nodes { below, .. }) => {
                (below.get(&(*level, *node))).map_or_else(Vec::new, |cells| cells.clone().collect())
            }
            _ => Vec::new(),
        }
    }
}
