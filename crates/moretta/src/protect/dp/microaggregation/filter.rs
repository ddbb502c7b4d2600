//! The windows of differentially private microaggregation, and the sums of their groups.

use super::{DpMicroaggregation, Order};
use crate::error::{Error, Result};
use crate::protect::dp::sample::DiscreteLaplace;
use crate::protect::dp::{Accountant, Bounds, Budget, Entropy, Grid, Loss, Scope};

/// One column: its grid, and the noise that its sums get.
#[derive(Clone, Debug)]
pub(super) struct NoisyColumn {
    pub(super) bounds: Bounds,
    pub(super) grid: Grid,
    noise: DiscreteLaplace,
}

impl DpMicroaggregation {
    /// The attributes in the order of their names, if ε allows noise that can be computed.
    pub(super) fn attributes(&self) -> Option<Vec<NoisyColumn>> {
        let (share, factor) = (self.share(), self.sensitivity());
        let attribute = |&bounds: &Bounds| {
            let scale = bounds.width() * factor as f64 / share.value();
            let grid = Grid::new(bounds, scale);
            let sensitivity = u64::from(grid.top()).checked_mul(factor as u64)?;
            let noise = DiscreteLaplace::new(share.per(sensitivity)?);
            Some(NoisyColumn {
                bounds,
                grid,
                noise,
            })
        };
        self.bounds.values().map(attribute).collect()
    }

    /// Ready for records with these attributes, each of which must have bounds.
    pub fn build(&self, attributes: &[&str]) -> Result<DpMicroaggregationFilter> {
        self.build_with(attributes, Entropy::os()?)
    }

    pub(super) fn build_with(
        &self,
        names: &[&str],
        entropy: Entropy,
    ) -> Result<DpMicroaggregationFilter> {
        if let Some(name) = names.iter().find(|&&name| !self.bounds.contains_key(name)) {
            return Err(
                Error::policy(format!("dp-microaggregation has no bounds for `{name}`"))
                    .help("declare what the column can be, or give it another role"),
            );
        }
        if let Some(name) = self
            .bounds
            .keys()
            .find(|name| !names.contains(&name.as_str()))
        {
            return Err(Error::policy(format!(
                "`bounds` names `{name}`, which is no column that is protected"
            )));
        }
        let all = self
            .attributes()
            .ok_or_else(|| Error::policy("`epsilon` is too small for so many attributes"))?;
        let place = |name: &&str| self.bounds.keys().position(|key| key == name);
        let attributes: Vec<NoisyColumn> = names
            .iter()
            .filter_map(place)
            .map(|i| all[i].clone())
            .collect();
        let promise = Budget {
            epsilon: self.epsilon,
            delta: 0.0,
        };
        let mut accountants = vec![Accountant::new(promise, Scope::Windows(self.w))];
        accountants.extend(self.budget.map(|b| Accountant::new(b, Scope::Stream)));
        Ok(DpMicroaggregationFilter {
            k: self.k,
            buffer: self.buffer,
            order: self.order,
            clamp: self.clamp,
            loss: self.loss(),
            accountants,
            values: vec![0; self.buffer * attributes.len()],
            held: 0,
            sums: Vec::new(),
            column: Vec::new(),
            ranks: Vec::new(),
            attributes,
            entropy,
        })
    }
}

/// Collects windows and releases noisy centroids.
pub struct DpMicroaggregationFilter {
    k: usize,
    buffer: usize,
    order: Order,
    clamp: bool,
    attributes: Vec<NoisyColumn>,
    loss: Loss,
    accountants: Vec<Accountant>,
    /// The window, attribute after attribute, on the grids.
    values: Vec<u32>,
    /// How many records the window holds.
    held: usize,
    /// Reused: the sums of one attribute, its released values, and the order of records.
    sums: Vec<i64>,
    column: Vec<f64>,
    ranks: Vec<u32>,
    entropy: Entropy,
}

impl DpMicroaggregationFilter {
    /// Takes a record; when it fills the window, appends the window's release to
    /// `out`, record after record, one for each that was taken.
    ///
    /// Fails if the budget does not allow it; then nothing is released, and never again.
    pub fn push(&mut self, record: &[f64], out: &mut Vec<f64>) -> Result<()> {
        if self.held == self.buffer {
            self.release(out)?;
        }
        let columns = self.values.chunks_exact_mut(self.buffer);
        for ((column, attribute), &value) in columns.zip(&self.attributes).zip(record) {
            column[self.held] = attribute.grid.index(value);
        }
        self.held += 1;
        if self.held == self.buffer {
            self.release(out)?;
        }
        Ok(())
    }

    /// Releases the last window; gives the number of records suppressed because they were fewer than k.
    pub fn finish(&mut self, out: &mut Vec<f64>) -> Result<usize> {
        if self.held >= self.k {
            self.release(out)?;
        }
        Ok(std::mem::take(&mut self.held))
    }

    /// After how many more records it holds none.
    pub(in crate::protect::dp) fn settles_in(&self) -> u64 {
        match self.held {
            0 => 0,
            held => (self.buffer - held) as u64,
        }
    }

    /// Spends what whole windows of so many records have cost.
    pub(in crate::protect::dp) fn skip(&mut self, records: u64) -> Result<()> {
        for _ in 0..records / self.buffer as u64 {
            for accountant in &mut self.accountants {
                accountant.spend(self.loss)?;
            }
        }
        Ok(())
    }

    fn release(&mut self, out: &mut Vec<f64>) -> Result<()> {
        for accountant in &mut self.accountants {
            accountant.spend(self.loss)?;
        }
        let held = std::mem::take(&mut self.held);
        let start = out.len();
        let width = self.attributes.len();
        out.resize(start + held * width, 0.0);
        self.rank(held);
        for place in 0..width {
            let values = &mut self.values[place * self.buffer..][..held];
            self.sums.clear();
            match self.order {
                Order::Univariate => sorted_sums(values, self.k, &mut self.sums),
                Order::Arrival => sums(values.iter().copied(), self.k, &mut self.sums),
                Order::Multivariate => {
                    let ranked = self.ranks.iter().map(|&i| values[i as usize]);
                    sums(ranked, self.k, &mut self.sums);
                }
            }
            self.fill_column(place, held);
            let released = out[start..].iter_mut().skip(place).step_by(width);
            for (cell, &value) in released.zip(&self.column) {
                *cell = value;
            }
        }
        if self.order == Order::Multivariate {
            shuffle_records(&mut self.entropy, &mut out[start..], width);
        }
        Ok(())
    }

    /// The records by distance from the corner of the lower bounds; equal ones by their
    /// values, so that the order is a matter of the records alone.
    fn rank(&mut self, held: usize) {
        if self.order != Order::Multivariate {
            return;
        }
        let value = |place: usize, i: u32| self.values[place * self.buffer + i as usize];
        let distance = |i: u32| -> f64 {
            let parts = self
                .attributes
                .iter()
                .enumerate()
                .map(|(place, attribute)| {
                    f64::from(value(place, i)) / f64::from(attribute.grid.top())
                });
            parts.map(|part| part * part).sum()
        };
        let distances: Vec<f64> = (0..held as u32).map(distance).collect();
        self.ranks.clear();
        self.ranks.extend(0..held as u32);
        self.ranks.sort_unstable_by(|&i, &j| {
            let values = |i| (0..self.attributes.len()).map(move |place| value(place, i));
            distances[i as usize]
                .total_cmp(&distances[j as usize])
                .then_with(|| values(i).cmp(values(j)))
        });
    }

    /// Noise on each sum, then the centroid once for each member of the group.
    fn fill_column(&mut self, place: usize, held: usize) {
        let attribute = &self.attributes[place];
        self.column.clear();
        for (group, sum) in self.sums.iter().enumerate() {
            let last = group + 1 == self.sums.len();
            let size = if last { held - group * self.k } else { self.k };
            let noisy = sum + attribute.noise.sample(&mut self.entropy);
            let centroid = attribute.grid.value(noisy as f64 / size as f64);
            let released = if self.clamp {
                attribute.bounds.clamp(centroid)
            } else {
                centroid
            };
            self.column.extend(std::iter::repeat_n(released, size));
        }
        if self.order == Order::Univariate {
            self.entropy.shuffle(&mut self.column);
        }
    }
}

/// The sums of groups of k, the last of k to 2k − 1; their sizes follow from the number of values.
pub(super) fn sums(values: impl ExactSizeIterator<Item = u32>, k: usize, sums: &mut Vec<i64>) {
    let groups = (values.len() / k).max(1);
    sums.resize(groups, 0);
    for (i, value) in values.enumerate() {
        sums[(i / k).min(groups - 1)] += i64::from(value);
    }
}

/// The sums of groups of values that are near each other.
pub(super) fn sorted_sums(values: &mut [u32], k: usize, into: &mut Vec<i64>) {
    values.sort_unstable();
    sums(values.iter().copied(), k, into);
}

/// Puts whole records into an order drawn from all orders alike.
fn shuffle_records(entropy: &mut Entropy, records: &mut [f64], width: usize) {
    for last in (1..records.len() / width).rev() {
        let other = entropy.below(last as u32 + 1) as usize;
        for place in 0..width {
            records.swap(last * width + place, other * width + place);
        }
    }
}
