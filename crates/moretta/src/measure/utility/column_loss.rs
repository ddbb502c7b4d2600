//! What the cells of one column lose: the normalised certainty penalty and the loss metric.
//!
//! Each distinct released text is read once; a row adds to the count of its
//! text. A text that is no region of the domain says nothing and loses 1; so
//! does a cell that is missing though the original was not.

use crate::data::hierarchy::Hierarchy;
use crate::data::{Column, Domain, MISSING, Region};
use crate::error::Result;
use crate::measure::column::Codes;

/// Adds up what one column loses.
pub struct ColumnLoss {
    domain: Domain,
    codes: Codes,
    counts: Vec<u64>,
    lost: u64,
    rows: u64,
}

impl ColumnLoss {
    /// For a column with this domain.
    pub fn new(domain: Domain) -> Self {
        ColumnLoss {
            domain,
            codes: Codes::default(),
            counts: Vec::new(),
            lost: 0,
            rows: 0,
        }
    }

    /// Slot `i` of `released` was released for slot `i` of `original`.
    pub fn observe(&mut self, original: &Column, released: &Column) -> Result<()> {
        self.rows += released.len() as u64;
        let is_missing = |row: usize| match original {
            Column::Number(numbers) => numbers.is_missing(row),
            Column::Category(categories) => categories.is_missing(row),
            Column::Plain(array) => array.is_null(row),
        };
        match released {
            Column::Category(categories) => {
                let (counts, lost, mut row) = (&mut self.counts, &mut self.lost, 0);
                self.codes.each(categories, |code| {
                    if code == MISSING {
                        *lost += u64::from(!is_missing(row));
                    } else {
                        let code = code as usize;
                        if code >= counts.len() {
                            counts.resize(code + 1, 0);
                        }
                        counts[code] += 1;
                    }
                    row += 1;
                });
            }
            // A number stands for itself.
            Column::Number(numbers) if numbers.missing_count() > 0 => {
                let rows = 0..numbers.len();
                let lost = rows.filter(|&row| numbers.is_missing(row) && !is_missing(row));
                self.lost += lost.count() as u64;
            }
            Column::Number(_) | Column::Plain(_) => {}
        }
        Ok(())
    }

    /// The sum of NCP over the released rows.
    pub fn ncp(&self) -> f64 {
        self.sum(|region| region.ncp(&self.domain))
    }

    /// The sum of (c − 1)/(D − 1) over the released rows.
    pub fn loss(&self) -> f64 {
        self.sum(|region| match (region, &self.domain.hierarchy) {
            (Region::Node(level, node), Some(tree)) => node_loss(tree, *level, *node),
            _ => region.ncp(&self.domain),
        })
    }

    /// Mean NCP of a released row.
    pub fn mean(&self) -> f64 {
        self.ncp() / self.rows.max(1) as f64
    }

    fn sum(&self, loss: impl Fn(&Region) -> f64) -> f64 {
        let texts = self.codes.texts();
        let of_text = |text| Region::parse(Some(text), &self.domain).map_or(1.0, |r| loss(&r));
        let counts = self.counts.iter().zip(texts.iter());
        let read: f64 = counts.map(|(&n, text)| n as f64 * of_text(text)).sum();
        read + self.lost as f64
    }
}

fn node_loss(tree: &Hierarchy, level: usize, node: u32) -> f64 {
    let leaves = tree.leaves_under(level, node).len();
    let others = tree.leaf_count().saturating_sub(1).max(1);
    leaves.saturating_sub(1) as f64 / others as f64
}

/// The geometric mean of 1 + loss, less 1, over columns with these mean losses.
pub fn geometric_loss(means: &[f64]) -> f64 {
    if means.is_empty() {
        return 0.0;
    }
    let logarithms: f64 = means.iter().map(|mean| mean.ln_1p()).sum();
    (logarithms / means.len() as f64).exp_m1()
}
