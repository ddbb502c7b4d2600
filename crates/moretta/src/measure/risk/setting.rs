//! What measures of risk need to know besides the rows.

use serde::{Deserialize, Serialize};

/// The population that a table is a sample of, and columns that tell of it.
#[derive(Clone, Debug, PartialEq)]
pub struct RiskSetting {
    /// Persons whose chance to be found is above this are at risk.
    pub threshold: f64,
    /// How large the population is, if that is known.
    pub population: Option<Population>,
    /// The column that tells for how many persons of the population each row stands.
    pub weights: Option<String>,
    /// The column that tells which persons belong together.
    pub households: Option<String>,
}

/// How large the population is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Population {
    /// So many persons.
    Size(u64),
    /// The table is this share of it.
    Fraction(f64),
}

impl Default for RiskSetting {
    fn default() -> Self {
        RiskSetting {
            threshold: 0.2,
            population: None,
            weights: None,
            households: None,
        }
    }
}

impl RiskSetting {
    /// The columns that are read for measures alone.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        let named = [self.weights.as_deref(), self.households.as_deref()];
        named.into_iter().flatten()
    }
}

impl Population {
    /// Persons, when `sample` of them are in the table: at least those.
    pub fn persons(self, sample: u64) -> u64 {
        match self {
            Population::Size(size) => size.max(sample),
            Population::Fraction(share) => (sample as f64 / share).round() as u64,
        }
    }

    /// The share of the population that `sample` persons are.
    pub fn fraction(self, sample: u64) -> f64 {
        match self {
            Population::Size(size) => sample as f64 / size.max(sample).max(1) as f64,
            Population::Fraction(share) => share,
        }
    }
}
