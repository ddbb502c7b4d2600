//! Local differential privacy: each value is made noisy by itself, before anybody collects it.
//!
//! | mechanism | for | what it releases |
//! |---|---|---|
//! | `laplace` | numbers | the value plus discrete Laplace noise on a fine grid, scale (upper − lower) / ε |
//! | `gaussian` | numbers | the value plus discrete Gaussian noise, (ε, δ) by way of zCDP |
//! | `geometric` | whole numbers | the value plus two-sided geometric noise |
//! | `exponential` | ordered categories | a category, the likelier the nearer in rank |
//! | `randomised-response` | two categories | the truth with probability e^ε / (e^ε + 1) |
//! | `k-ary` | categories | the truth with probability e^ε / (e^ε + k − 1), else any other |
//!
//! Each column has its own ε; a record loses their sum. Bounds and categories
//! are declared, never learnt from the data. Values beyond the bounds count as
//! the nearest bound, missing ones as the middle of the range or as a category
//! drawn at random, so that the release does not tell which they were. A value
//! that is no declared category is an error.
//!
//! **Protects against** anybody, the collector included, who wants to know a
//! value of one record from the protected columns: whatever else they know, the
//! odds of any two values change by a factor of at most e^ε (and with `gaussian`
//! with probability 1 − δ). Records are independent, so over a stream one event
//! keeps its ε.
//! **Does not protect against** conclusions from many records of one person,
//! whose losses add up, from columns without a mechanism, or from how long a
//! value took.
//!
//! **Costs** a few dozen nanoseconds a value, no delay, no memory. The noise is
//! that of a whole range: single values are of little use, sums over many
//! records are. `clamp` takes noisy numbers back into their bounds: each one
//! comes nearer to the truth, but sums become biased.
//!
//! **From** Warner 1965; Kasiviswanathan and others, What can we learn
//! privately?, FOCS 2008; Dwork and Roth, The algorithmic foundations of
//! differential privacy, 2014; Canonne, Kamath and Steinke, The discrete
//! Gaussian for differential privacy, NeurIPS 2020.

mod read;

pub(super) use read::{BUDGET, CLAMP, read_budget, written_budget};

use super::accountant::rho_of;
use super::sample::{DiscreteGaussian, DiscreteLaplace, KaryResponse, Ratio, exponential};
use super::{Accountant, Bounds, Budget, Entropy, Epsilon, Grid, Loss, Scope};
use crate::error::{Error, Result};
use std::collections::BTreeMap;

/// Local differential privacy with its parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocalDp {
    /// The columns that are protected, and how.
    pub columns: BTreeMap<String, LocalColumn>,
    /// Noisy numbers are taken back into their bounds.
    pub clamp: bool,
    /// What all columns of a record together may lose at most.
    pub budget: Option<Budget>,
    /// Rows of a stream may leave at once; none for a whole table.
    pub buffer: Option<usize>,
}

/// How one column is protected.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalColumn {
    /// By which mechanism.
    pub mechanism: Mechanism,
    /// At which loss.
    pub epsilon: Epsilon,
}

/// A mechanism and what it must know of the column.
#[derive(Clone, Debug, PartialEq)]
pub enum Mechanism {
    /// Laplace noise on a fine grid.
    Laplace(Bounds),
    /// Gaussian noise on a fine grid.
    Gaussian {
        /// The range of the column.
        bounds: Bounds,
        /// The probability that more than ε is lost.
        delta: f64,
    },
    /// Laplace noise on whole numbers.
    Geometric(Bounds),
    /// A category near in rank.
    Exponential(Vec<String>),
    /// The truth or any other category; with two of them, randomised response.
    Kary(Vec<String>),
}

impl LocalDp {
    /// What one record loses over all its columns.
    pub fn loss(&self) -> Loss {
        let losses = self.columns.values().map(LocalColumn::loss);
        losses.fold(Loss::default(), Loss::plus)
    }

    /// The declared categories of a column, whose places are their codes.
    pub fn categories(&self, column: &str) -> Option<&[String]> {
        match &self.columns.get(column)?.mechanism {
            Mechanism::Exponential(categories) | Mechanism::Kary(categories) => Some(categories),
            _ => None,
        }
    }

    /// Ready for records with these attributes, each of which must have a mechanism.
    pub fn build(&self, attributes: &[&str]) -> Result<LocalFilter> {
        if let Some(budget) = self.budget {
            Accountant::new(budget, Scope::Event).spend(self.loss())?;
        }
        if let Some(name) = self
            .columns
            .keys()
            .find(|name| !attributes.contains(&name.as_str()))
        {
            return Err(Error::policy(format!(
                "local-dp names `{name}`, which is no column that is protected"
            )));
        }
        let ready = |&name: &&str| match self.columns.get(name) {
            None => Err(
                Error::policy(format!("local-dp has no mechanism for `{name}`"))
                    .help("nothing is released unprotected: give it a mechanism, or another role"),
            ),
            Some(column) => column.ready().ok_or_else(|| {
                Error::policy(format!("`{name}` cannot be protected with this epsilon"))
            }),
        };
        Ok(LocalFilter {
            names: attributes.iter().map(|&name| name.to_owned()).collect(),
            attributes: attributes.iter().map(ready).collect::<Result<_>>()?,
            undeclared: vec![0; attributes.len()],
            clamp: self.clamp,
            entropy: Entropy::os()?,
        })
    }
}

impl LocalColumn {
    /// What a value of the column loses.
    pub fn loss(&self) -> Loss {
        match self.mechanism {
            Mechanism::Gaussian { delta, .. } => {
                Loss::gaussian(self.epsilon, delta, rho_of(self.epsilon, delta))
            }
            _ => Loss::pure(self.epsilon),
        }
    }

    /// The sampler, if the parameters allow one.
    fn ready(&self) -> Option<Ready> {
        let epsilon = self.epsilon.value();
        match &self.mechanism {
            &Mechanism::Laplace(bounds) => {
                let grid = Grid::new(bounds, bounds.width() / epsilon);
                Ready::laplace(bounds, grid, self.epsilon)
            }
            &Mechanism::Geometric(bounds) => {
                Ready::laplace(bounds, Grid::whole(bounds), self.epsilon)
            }
            &Mechanism::Gaussian { bounds, delta } => {
                Ready::gaussian(bounds, rho_of(self.epsilon, delta))
            }
            Mechanism::Exponential(categories) => Some(Ready::Exponential {
                categories: categories.len() as u32,
                // A change of value changes a distance of ranks by up to k − 1.
                rate: self.epsilon.per(2 * (categories.len() as u64 - 1))?,
            }),
            Mechanism::Kary(categories) => Some(Ready::Kary {
                categories: categories.len() as u32,
                response: KaryResponse::new(categories.len() as u32, self.epsilon.per(1)?)?,
            }),
        }
    }
}

/// A mechanism with its sampler.
#[derive(Clone, Debug)]
enum Ready {
    Laplace {
        bounds: Bounds,
        grid: Grid,
        noise: Box<DiscreteLaplace>,
    },
    Gaussian {
        bounds: Bounds,
        grid: Grid,
        noise: Box<DiscreteGaussian>,
    },
    Exponential {
        categories: u32,
        rate: Ratio,
    },
    Kary {
        categories: u32,
        response: KaryResponse,
    },
}

impl Ready {
    fn laplace(bounds: Bounds, grid: Grid, epsilon: Epsilon) -> Option<Self> {
        let noise = Box::new(DiscreteLaplace::new(epsilon.per(grid.top().into())?));
        Some(Ready::Laplace {
            bounds,
            grid,
            noise,
        })
    }

    /// Noise of σ = Δ / √(2ρ), the square rounded up.
    fn gaussian(bounds: Bounds, rho: f64) -> Option<Self> {
        let grid = Grid::new(bounds, bounds.width() / (2.0 * rho).sqrt());
        let top = f64::from(grid.top());
        let variance = (top * top / (2.0 * rho) * (1.0 + 1e-12)).ceil();
        let noise = Box::new(DiscreteGaussian::new(variance as u64)?);
        Some(Ready::Gaussian {
            bounds,
            grid,
            noise,
        })
    }

    /// A value to release; none if there is no such category.
    fn protect(&self, entropy: &mut Entropy, value: f64, clamp: bool) -> Option<f64> {
        let number = |bounds: &Bounds, grid: &Grid, noise: i64| {
            let noisy = grid.value((i64::from(grid.index(value)) + noise) as f64);
            if clamp { bounds.clamp(noisy) } else { noisy }
        };
        Some(match self {
            Ready::Laplace {
                bounds,
                grid,
                noise,
            } => number(bounds, grid, noise.sample(entropy)),
            Ready::Gaussian {
                bounds,
                grid,
                noise,
            } => number(bounds, grid, noise.sample(entropy)),
            Ready::Exponential { categories, rate } => {
                let truth = code(entropy, *categories, value)?;
                let drawn = exponential(entropy, *categories, *rate, |i| i.abs_diff(truth));
                f64::from(drawn)
            }
            Ready::Kary {
                categories,
                response,
            } => {
                let truth = code(entropy, *categories, value)?;
                f64::from(response.answer(entropy, truth))
            }
        })
    }
}

/// The code of a category; any one for a missing value.
fn code(entropy: &mut Entropy, categories: u32, value: f64) -> Option<u32> {
    if value.is_nan() {
        return Some(entropy.below(categories));
    }
    let code = value as u32;
    (code < categories && f64::from(code) == value).then_some(code)
}

/// Makes records noisy, one at a time.
pub struct LocalFilter {
    names: Vec<String>,
    attributes: Vec<Ready>,
    /// By attribute, values that are no declared category.
    undeclared: Vec<u64>,
    clamp: bool,
    entropy: Entropy,
}

impl LocalFilter {
    /// Protects one record in place: numbers as they are, categories as their places
    /// in the declared list. What is no declared category becomes one drawn at
    /// random and makes [`LocalFilter::check`] fail.
    pub fn protect(&mut self, record: &mut [f64]) {
        for (i, (value, ready)) in record.iter_mut().zip(&self.attributes).enumerate() {
            *value = match ready.protect(&mut self.entropy, *value, self.clamp) {
                Some(noisy) => noisy,
                None => {
                    self.undeclared[i] += 1;
                    let missing = ready.protect(&mut self.entropy, f64::NAN, self.clamp);
                    missing.unwrap_or(f64::NAN)
                }
            };
        }
    }

    /// Fails if a value was no declared category; to be asked before anything is released.
    pub fn check(&self) -> Result<()> {
        let Some(i) = self.undeclared.iter().position(|&count| count > 0) else {
            return Ok(());
        };
        let count = self.undeclared[i];
        let what = match count {
            1 => "1 value is no declared category".to_owned(),
            _ => format!("{count} values are no declared category"),
        };
        Err(Error::input(what).in_column(&self.names[i]).help(
            "declare all that the column can be under `categories`, for example one for all others",
        ))
    }
}

#[cfg(test)]
mod tests;
