//! What a node loses, and the least that it and all nodes above can lose.

use super::attribute::Attribute;
use super::node::Node;
use std::sync::Arc;

/// What a search keeps as small as it can.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Metric {
    /// Mean share of the domain that a value was made to stand for.
    Loss {
        /// How the columns are put together.
        mean: Mean,
    },
    /// Mean share of its hierarchy that a column was raised.
    Precision,
    /// Sum of squared class sizes; a suppressed row counts all rows.
    Discernibility,
    /// Rows in a class on average; all suppressed ones are one class.
    AverageClassSize,
    /// Bits by which values are less certain, by how frequent they are.
    Entropy,
    /// Combinations of values that a row could have been, summed over the rows.
    Ambiguity,
}

/// How losses of columns are put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mean {
    /// The geometric mean of 1 + loss, less 1.
    #[default]
    Geometric,
    /// The arithmetic mean.
    Arithmetic,
}

/// A metric ready for one table.
pub(super) struct Measured {
    metric: Metric,
    attributes: Arc<[Attribute]>,
    rows: f64,
    /// Rows that may be suppressed.
    budget: f64,
    /// How much generalization counts.
    generalized: f64,
    /// How much suppression counts.
    suppressed: f64,
    /// The weight of each attribute, the largest being 1.
    weights: Vec<f64>,
    /// For each attribute and level, what its rows lose where none is suppressed: the sum of
    /// shares or of bits.
    of_rows: Vec<Vec<f64>>,
}

/// What a node does to the rows, as far as metrics ask.
pub(super) struct Outcome<'a> {
    /// The node.
    pub(super) node: Node,
    /// Rows that are suppressed.
    pub(super) suppressed: u64,
    /// For each attribute, suppressed rows under each node of its level.
    pub(super) suppressed_under: &'a [Vec<u64>],
    /// The sizes of kept classes: their number, the sum of their squares, and the sum over their
    /// rows of the combinations that they could have been.
    pub(super) kept: Sizes,
    /// The same of all classes, as if none were suppressed.
    pub(super) all: Sizes,
}

/// Sums over classes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sizes {
    pub(super) classes: u64,
    pub(super) squares: f64,
    pub(super) ambiguity: f64,
}

impl Measured {
    /// `balance` weighs generalization against suppression: 0 counts only generalization, 1 only
    /// suppression, 0.5 both alike.
    pub(super) fn new(
        metric: Metric,
        attributes: Arc<[Attribute]>,
        (rows, budget): (u64, u64),
        balance: f64,
    ) -> Self {
        let heaviest = attributes.iter().map(|a| a.weight).fold(0.0, f64::max);
        let weight = |a: &Attribute| {
            if heaviest > 0.0 {
                a.weight / heaviest
            } else {
                1.0
            }
        };
        let of_rows = |attribute: &Attribute| -> Vec<f64> {
            let levels = 0..=attribute.height;
            match metric {
                Metric::Loss { .. } => levels.map(|l| attribute.share_of_rows(l)).collect(),
                Metric::Entropy => levels.map(|l| attribute.bits_of_rows(l)).collect(),
                _ => Vec::new(),
            }
        };
        Measured {
            metric,
            rows: rows as f64,
            budget: budget as f64,
            generalized: (2.0 - 2.0 * balance).min(1.0),
            suppressed: (2.0 * balance).min(1.0),
            weights: attributes.iter().map(weight).collect(),
            of_rows: attributes.iter().map(of_rows).collect(),
            attributes,
        }
    }

    /// Whether the rows that are suppressed must be counted by what they show.
    pub(super) fn asks_what_is_suppressed(&self) -> bool {
        matches!(self.metric, Metric::Loss { .. } | Metric::Entropy)
    }

    /// Whether it counts combinations.
    pub(super) fn counts_combinations(&self) -> bool {
        self.metric == Metric::Ambiguity
    }

    /// The least that `node` and every node above it can lose, as far as the columns tell.
    pub(super) fn bound(&self, node: Node) -> f64 {
        let columns = self.attributes.iter().zip(&self.of_rows).enumerate();
        match self.metric {
            Metric::Loss { mean } => {
                let lost = columns.map(|(column, (attribute, of_rows))| {
                    self.loss(attribute, self.generalized * of_rows[node.level(column)])
                });
                self.mean(mean, lost)
            }
            Metric::Precision => {
                let lost = columns.map(|(column, (attribute, _))| {
                    let raised = self.raised(attribute, node.level(column));
                    // Suppression may count less than the level; then as many rows as may be are.
                    let gained = (raised - self.suppressed).max(0.0);
                    raised - gained * self.budget / self.rows.max(1.0)
                });
                lost.sum::<f64>() / self.attributes.len().max(1) as f64
            }
            Metric::Entropy => columns
                .map(|(column, (_, of_rows))| of_rows[node.level(column)])
                .sum(),
            Metric::Discernibility | Metric::AverageClassSize | Metric::Ambiguity => 0.0,
        }
    }

    /// The same once the classes of the node are known.
    pub(super) fn bound_by_classes(&self, outcome: &Outcome<'_>) -> f64 {
        match self.metric {
            Metric::Discernibility => outcome.all.squares,
            Metric::AverageClassSize => self.rows / outcome.all.classes.max(1) as f64,
            Metric::Ambiguity => outcome.all.ambiguity,
            _ => self.bound(outcome.node),
        }
    }

    /// What is lost.
    pub(super) fn value(&self, outcome: &Outcome<'_>) -> f64 {
        let gone = outcome.suppressed as f64;
        let columns = self.attributes.iter().zip(&self.of_rows).enumerate();
        let node = outcome.node;
        match self.metric {
            Metric::Loss { mean } => {
                let lost = columns.map(|(column, (attribute, of_rows))| {
                    let shares = attribute.shares(node.level(column));
                    let under = &outcome.suppressed_under[column];
                    let more: f64 = shares
                        .iter()
                        .zip(under)
                        .map(|(share, &rows)| {
                            let kept = self.generalized * share;
                            let gone = share + self.suppressed * (1.0 - share);
                            rows as f64 * (gone - kept)
                        })
                        .sum();
                    self.loss(
                        attribute,
                        self.generalized * of_rows[node.level(column)] + more,
                    )
                });
                self.mean(mean, lost)
            }
            Metric::Precision => {
                let lost = columns.map(|(column, (attribute, _))| {
                    let raised = self.raised(attribute, node.level(column));
                    ((self.rows - gone) * raised + gone * self.suppressed) / self.rows.max(1.0)
                });
                lost.sum::<f64>() / self.attributes.len().max(1) as f64
            }
            Metric::Discernibility => outcome.kept.squares + gone * self.rows,
            Metric::AverageClassSize => {
                let classes = outcome.kept.classes + u64::from(outcome.suppressed > 0);
                self.rows / classes.max(1) as f64
            }
            Metric::Entropy => {
                let more = |under: &Vec<u64>| -> f64 {
                    let under = under
                        .iter()
                        .filter(|&&rows| rows > 0)
                        .map(|&rows| rows as f64);
                    under.map(|rows| -rows * (rows / gone).log2()).sum()
                };
                self.bound(node) + outcome.suppressed_under.iter().map(more).sum::<f64>()
            }
            Metric::Ambiguity => {
                let all: f64 = self.attributes.iter().map(|a| a.domain).product();
                outcome.kept.ambiguity + gone * all
            }
        }
    }

    /// The loss of a column, from what its rows lose together: 0 where each stands for itself.
    fn loss(&self, attribute: &Attribute, lost: f64) -> f64 {
        let least = self.generalized * self.rows / attribute.domain;
        match self.rows - least {
            range if attribute.domain > 1.0 && range > 0.0 => ((lost - least) / range).max(0.0),
            _ => 0.0,
        }
    }

    fn mean(&self, mean: Mean, lost: impl Iterator<Item = f64>) -> f64 {
        let columns = self.weights.len().max(1) as f64;
        let weighted = lost.zip(&self.weights).map(|(lost, weight)| lost * weight);
        match mean {
            Mean::Geometric => {
                weighted
                    .map(|lost| 1.0 + lost)
                    .product::<f64>()
                    .powf(1.0 / columns)
                    - 1.0
            }
            Mean::Arithmetic => weighted.sum::<f64>() / columns,
        }
    }

    /// What raising a column to a level counts.
    fn raised(&self, attribute: &Attribute, level: usize) -> f64 {
        match attribute.height {
            0 => 0.0,
            height => self.generalized * level as f64 / height as f64,
        }
    }
}
