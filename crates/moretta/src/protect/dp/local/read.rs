//! The parameters of local differential privacy in a policy.

use super::{LocalColumn, LocalDp, Mechanism};
use crate::config::{Placed, Section, Value};
use crate::error::Result;
use crate::protect::dp::sample::KaryResponse;
use crate::protect::dp::{Bounds, Budget, Epsilon};
use crate::protect::filter::read_buffer;
use std::collections::BTreeSet;

#[derive(Clone, Copy)]
enum Kind {
    Laplace,
    Gaussian,
    Geometric,
    Exponential,
    RandomisedResponse,
    Kary,
}

const KINDS: &[(&str, Kind)] = &[
    ("laplace", Kind::Laplace),
    ("gaussian", Kind::Gaussian),
    ("geometric", Kind::Geometric),
    ("exponential", Kind::Exponential),
    ("randomised-response", Kind::RandomisedResponse),
    ("k-ary", Kind::Kary),
];

impl LocalDp {
    /// Reads the parameters.
    pub fn read(section: &mut Section) -> Result<Self> {
        let Some(mut columns) = section.table("columns")? else {
            return Err(section.error("local-dp needs `columns`").help(
                "columns = { age = { mechanism = \"laplace\", epsilon = 0.5, bounds = [0, 120] } }",
            ));
        };
        let mut config = LocalDp {
            clamp: section.flag("clamp")?.unwrap_or(false),
            budget: section
                .take("budget")
                .map(|placed| read_budget(&placed))
                .transpose()?,
            buffer: read_buffer(section, 1)?,
            ..LocalDp::default()
        };
        for (name, span) in columns.keys() {
            match columns.take_named(&name) {
                Some(Placed {
                    value: Value::Table(table),
                    ..
                }) => {
                    config
                        .columns
                        .insert(name.clone(), read_column(table, &name)?);
                }
                _ => {
                    return Err(crate::error::Error::policy(format!("`{name}` needs a mechanism"))
                        .at(span)
                        .help("for example { mechanism = \"laplace\", epsilon = 0.5, bounds = [0, 120] }"));
                }
            }
        }
        if config.columns.is_empty() {
            return Err(section.error("`columns` names no column"));
        }
        Ok(config)
    }
}

fn read_column(mut section: Section, name: &str) -> Result<LocalColumn> {
    let Some(kind) = section.word("mechanism", KINDS)? else {
        return Err(section.error(format!("`{name}` needs `mechanism`")));
    };
    let placed = section.required("epsilon")?;
    let epsilon = read_epsilon(&placed, "epsilon")?;
    let mechanism = match kind {
        Kind::Laplace => Mechanism::Laplace(bounds(&mut section, name)?),
        Kind::Geometric => {
            let bounds = bounds(&mut section, name)?;
            if !bounds.are_whole() {
                return Err(section
                    .error(format!("the geometric mechanism is for whole numbers, the bounds of `{name}` are not"))
                    .help("take \"laplace\" for numbers with fractions"));
            }
            Mechanism::Geometric(bounds)
        }
        Kind::Gaussian => Mechanism::Gaussian {
            bounds: bounds(&mut section, name)?,
            delta: read_delta(&section.required("delta")?)?,
        },
        Kind::Exponential => Mechanism::Exponential(categories(&mut section, name)?),
        Kind::RandomisedResponse => {
            let categories = categories(&mut section, name)?;
            if categories.len() != 2 {
                return Err(section
                    .error(format!(
                        "randomised response is for two categories, `{name}` has {}",
                        categories.len()
                    ))
                    .help("take \"k-ary\" for more"));
            }
            Mechanism::Kary(categories)
        }
        Kind::Kary => Mechanism::Kary(categories(&mut section, name)?),
    };
    let column = LocalColumn { mechanism, epsilon };
    if column.ready().is_none() {
        return Err(placed
            .error(format!("`{name}` cannot be protected with this epsilon"))
            .help("a larger epsilon makes noise that can be computed; one of 256 or more protects nothing"));
    }
    section.finish()?;
    Ok(column)
}

fn bounds(section: &mut Section, name: &str) -> Result<Bounds> {
    match section.take("bounds") {
        Some(placed) => Bounds::read(&placed, name),
        None => Err(section.error(format!("`{name}` needs `bounds`")).help(
            "for example [0, 120]; take them from what the column can be, never from the data",
        )),
    }
}

fn categories(section: &mut Section, name: &str) -> Result<Vec<String>> {
    let Some(categories) = section.texts("categories")? else {
        return Err(section
            .error(format!("`{name}` needs `categories`"))
            .help("name all that the column can be, in order; never take them from the data"));
    };
    let distinct: BTreeSet<&String> = categories.iter().collect();
    if distinct.len() < categories.len() {
        return Err(section.error(format!("a category of `{name}` is named twice")));
    }
    if !(2..=KaryResponse::MOST as usize).contains(&categories.len()) {
        return Err(section.error(format!(
            "`{name}` needs from 2 to {} categories",
            KaryResponse::MOST
        )));
    }
    Ok(categories)
}

/// Reads ε.
pub(in crate::protect::dp) fn read_epsilon(placed: &Placed, key: &str) -> Result<Epsilon> {
    Epsilon::new(placed.number(key)?).ok_or_else(|| {
        let (least, most) = (Epsilon::LEAST, Epsilon::MOST);
        placed.error(format!("`{key}` must lie between {least} and {most}"))
    })
}

fn read_delta(placed: &Placed) -> Result<f64> {
    let delta = placed.number("delta")?;
    if (1e-30..=0.1).contains(&delta) {
        return Ok(delta);
    }
    Err(placed
        .error("`delta` must lie between 1e-30 and 0.1")
        .help("far less than one over the number of records, for example 1e-9"))
}

/// Reads `1.0` or `{ epsilon = 1.0, delta = 1e-9 }`.
pub(in crate::protect::dp) fn read_budget(placed: &Placed) -> Result<Budget> {
    let Value::Table(table) = &placed.value else {
        return Ok(Budget {
            epsilon: read_epsilon(placed, "budget")?,
            delta: 0.0,
        });
    };
    let mut table = table.clone();
    let budget = Budget {
        epsilon: read_epsilon(&table.required("epsilon")?, "epsilon")?,
        delta: table
            .take("delta")
            .map_or(Ok(0.0), |placed| read_delta(&placed))?,
    };
    table.finish()?;
    Ok(budget)
}
