//! What values a column can take, as far as the original data shows.

use super::batch::Column;
use super::date::DateFormat;
use super::hierarchy::Hierarchy;
use super::levels::Levels;
use super::schema::{Field, Kind, Role, Schema};
use crate::error::{Error, Result};
use std::collections::HashMap;
use std::sync::Arc;

/// The values of a quasi-identifier in the original data and, if it has one, its hierarchy.
#[derive(Clone, Debug)]
pub struct Domain {
    /// Numbers or categories.
    pub scale: Scale,
    /// The tree over the values.
    pub hierarchy: Option<Arc<Hierarchy>>,
}

/// The scale of a domain.
#[derive(Clone, Debug)]
pub enum Scale {
    /// Numbers between the least and the largest one present.
    Number {
        /// The least number present.
        low: f64,
        /// The largest number present.
        high: f64,
        /// How numbers are written, when they are dates.
        date: Option<DateFormat>,
    },
    /// Categories.
    Category {
        /// The levels, in code order.
        levels: Arc<Levels>,
        /// The level order means something.
        ordered: bool,
    },
}

impl Domain {
    /// The domain of a column as it is in the original data.
    pub fn of(field: &Field, column: &Column, hierarchy: Option<Arc<Hierarchy>>) -> Result<Self> {
        let scale = match column {
            Column::Number(numbers) => {
                let (low, high) = numbers
                    .iter()
                    .flatten()
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
                        (low.min(v), high.max(v))
                    });
                let date = match field.kind {
                    Kind::Date(format) => Some(format),
                    _ => None,
                };
                Scale::Number { low, high, date }
            }
            Column::Category(categories) => Scale::Category {
                levels: Arc::clone(categories.levels()),
                ordered: field.kind == Kind::Category { ordered: true },
            },
            Column::Plain(_) => {
                return Err(Error::bug(format!(
                    "column `{}` is protected but was read as plain",
                    field.name
                )));
            }
        };
        Ok(Domain { scale, hierarchy })
    }

    /// Whether its numbers are days.
    pub fn is_date(&self) -> bool {
        matches!(self.scale, Scale::Number { date: Some(_), .. })
    }

    /// The same values without their hierarchy.
    pub fn without_hierarchy(self) -> Self {
        Domain {
            hierarchy: None,
            ..self
        }
    }
}

/// The domains of the quasi-identifiers and the trees of the sensitive columns, by name.
#[derive(Clone, Debug, Default)]
pub struct Domains {
    domains: HashMap<String, Domain>,
    weights: HashMap<String, f64>,
    separators: HashMap<String, String>,
}

impl Domains {
    /// From names and domains.
    pub fn new(domains: impl IntoIterator<Item = (String, Domain)>) -> Self {
        Domains {
            domains: domains.into_iter().collect(),
            weights: HashMap::new(),
            separators: HashMap::new(),
        }
    }

    /// The same with how much what a column loses counts, where that is not 1.
    #[must_use]
    pub fn weighted(self, weights: impl IntoIterator<Item = (String, f64)>) -> Self {
        Domains {
            weights: weights.into_iter().collect(),
            ..self
        }
    }

    /// The same with what is between the items of a cell, for columns of lists.
    #[must_use]
    pub fn listed(self, separators: impl IntoIterator<Item = (String, String)>) -> Self {
        Domains {
            separators: separators.into_iter().collect(),
            ..self
        }
    }

    /// What is between the items of a cell of the column `name`; none where it holds one value.
    pub fn separator(&self, name: &str) -> Option<&str> {
        self.separators.get(name).map(String::as_str)
    }

    /// The same with other domains of some columns.
    #[must_use]
    pub fn with(&self, others: impl IntoIterator<Item = (String, Domain)>) -> Self {
        let mut domains = self.clone();
        domains.domains.extend(others);
        domains
    }

    /// The same values with the trees that `others` have over theirs.
    #[must_use]
    pub fn with_trees_of(&self, others: &Domains) -> Self {
        let mut domains = self.clone();
        for (name, domain) in &mut domains.domains {
            domain.hierarchy = others.get(name).and_then(|other| other.hierarchy.clone());
        }
        domains
    }

    /// How much what the column `name` loses counts.
    pub fn weight(&self, name: &str) -> f64 {
        self.weights.get(name).copied().unwrap_or(1.0)
    }

    /// The domain of the column `name`.
    pub fn get(&self, name: &str) -> Option<&Domain> {
        self.domains.get(name)
    }

    /// Names and domains of the quasi-identifiers of `schema`, in its order.
    pub fn quasi(&self, schema: &Schema) -> Vec<(String, Domain)> {
        let places = schema.with_role(Role::Quasi).into_iter();
        let names = places.map(|place| schema.fields()[place].name.to_string());
        names
            .filter_map(|name| self.get(&name).cloned().map(|domain| (name, domain)))
            .collect()
    }

    /// The domain of a column that a operator works on.
    pub fn require(&self, name: &str) -> Result<&Domain> {
        self.get(name)
            .ok_or_else(|| Error::bug(format!("column `{name}` has no domain")))
    }
}
