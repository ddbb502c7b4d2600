//! What the cells of one column lose: the normalised certainty penalty and the loss metric,
//! both measured against an [`Extent`].
//!
//! Each distinct released text is read once; a row adds to the count of its
//! text. A text that is no region of the domain says nothing and loses 1; so
//! does a cell that is missing though the original was not.

use super::extent::Extent;
use crate::data::{Column, Domain, MISSING, Region, Scale};
use crate::error::Result;
use crate::measure::column::Codes;

/// Adds up what one column loses.
pub struct ColumnLoss {
    domain: Domain,
    range: Option<(f64, f64)>,
    codes: Codes,
    counts: Vec<u64>,
    lost: u64,
    rows: u64,
    /// The originals of released rows, where they tell which leaves count.
    originals: Option<Codes>,
}

/// What one column lost in all released rows together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lost {
    /// The sum of NCP.
    pub ncp: f64,
    /// The sum of (c − 1)/(D − 1).
    pub loss: f64,
}

impl ColumnLoss {
    /// For a column with this domain.
    pub fn new(domain: Domain) -> Self {
        let tree = domain.hierarchy.as_ref();
        let made = tree.is_some_and(|tree| !tree.is_declared());
        ColumnLoss {
            domain,
            range: None,
            codes: Codes::default(),
            counts: Vec::new(),
            lost: 0,
            rows: 0,
            originals: made.then(Codes::default),
        }
    }

    /// The policy says between what numbers the values are.
    pub fn declare_range(&mut self, range: (f64, f64)) {
        self.range = Some(range);
    }

    /// All leaves of the hierarchy count: the originals are not known row by row.
    pub fn count_all_leaves(&mut self) {
        self.originals = None;
    }

    /// Slot `i` of `released` was released for slot `i` of `original`.
    pub fn observe(&mut self, original: &Column, released: &Column) -> Result<()> {
        self.rows += released.len() as u64;
        match (&mut self.originals, original) {
            (Some(seen), Column::Category(values)) => seen.each(values, |_| {}),
            (Some(seen), Column::Number(values)) => seen.each_number(values, |_| {}),
            _ => {}
        }
        let is_missing = |row: usize| original.is_missing(row);
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

    /// Rows released.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// What the policy declares and the release shows of the column's values.
    pub fn extent(&self) -> Extent {
        let regions: Vec<(Region, u64)> = self.regions().filter_map(known).collect();
        let leaves = self.leaves();
        Extent::new(&regions, &self.domain, self.range, leaves.as_deref())
    }

    /// What was lost, measured against `extent`.
    pub fn lost(&self, extent: &Extent) -> Lost {
        let tree = self.domain.hierarchy.as_deref();
        let whole = self.lost as f64;
        let mut lost = Lost {
            ncp: whole,
            loss: whole,
        };
        for (region, rows) in self.regions() {
            let of = |loss: fn(&Extent, &Region, Option<&_>) -> f64| {
                region.as_ref().map_or(1.0, |r| loss(extent, r, tree))
            };
            lost.ncp += rows as f64 * of(Extent::ncp);
            lost.loss += rows as f64 * of(Extent::loss);
        }
        lost
    }

    /// What each released text says and in how many rows; none where it says nothing.
    fn regions(&self) -> impl Iterator<Item = (Option<Region>, u64)> + '_ {
        let texts = self.counts.iter().zip(self.codes.texts().iter());
        texts.map(|(&rows, text)| (Region::parse(Some(text), &self.domain), rows))
    }

    /// Which leaves released rows had; none when all count.
    fn leaves(&self) -> Option<Vec<bool>> {
        let tree = self.domain.hierarchy.as_ref()?;
        let mut seen = vec![false; tree.leaf_count()];
        for text in self.originals.as_ref()?.texts().iter() {
            let leaf = match (&self.domain.scale, text.parse()) {
                (Scale::Number { .. }, Ok(number)) => tree.leaf(&self.domain.number_text(number)),
                _ => tree.leaf(text),
            };
            if let Some(leaf) = leaf {
                seen[leaf as usize] = true;
            }
        }
        Some(seen)
    }
}

fn known((region, rows): (Option<Region>, u64)) -> Option<(Region, u64)> {
    region.map(|region| (region, rows))
}

/// The geometric mean of 1 + loss, less 1, over columns with these mean losses.
pub fn geometric_loss(means: &[f64]) -> f64 {
    if means.is_empty() {
        return 0.0;
    }
    let logarithms: f64 = means.iter().map(|mean| mean.ln_1p()).sum();
    (logarithms / means.len() as f64).exp_m1()
}
