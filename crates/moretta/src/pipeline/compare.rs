//! Risk and loss of two files, whoever made them, measured against one original.
//!
//! The files need not keep the order or the number of rows: each is measured
//! by itself, its loss against the domains of the original.

use super::domains::domains;
use super::judge::release_plans;
use super::progress::{Progress, Stage};
use super::read::read;
use crate::data::Domain;
use crate::error::Result;
use crate::io::{self, ReadOptions};
use crate::measure::{self, Goal, Measures};
use crate::policy::Policy;
use serde::Serialize;
use std::path::Path;

/// One measure of both files.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// The measure.
    pub name: String,
    /// Of the first file.
    pub a: f64,
    /// Of the second file.
    pub b: f64,
    /// A share, shown as a percentage.
    pub percent: bool,
    /// Which way is better.
    pub lower_is_better: bool,
}

/// Measures both files.
pub fn compare(
    policy: &Policy,
    files: [&Path; 2],
    options: &ReadOptions,
    progress: &Progress,
) -> Result<Vec<Standing>> {
    let original = read(policy, progress)?;
    let domains = domains(policy, &original)?.quasi(original.batch.schema());
    drop(original);
    progress.enter(Stage::Check);
    let [a, b] = files.map(|file| measure_file(policy, file, options, &domains));
    let (a, b) = (a?, b?);
    let rows = Standing {
        name: "rows".to_owned(),
        a: a.0 as f64,
        b: b.0 as f64,
        percent: false,
        lower_is_better: false,
    };
    let standings = a.1.into_iter().zip(b.1).filter_map(|(a, b)| {
        let info = measure::info(a.name)?;
        Some(Standing {
            name: a.name.to_owned(),
            a: a.after,
            b: b.after,
            percent: info.percent,
            lower_is_better: info.goal == Goal::Low,
        })
    });
    // How many small groups are left needs the rows of the original.
    Ok([rows]
        .into_iter()
        .chain(standings.filter(|s| s.name != "hiding_failure"))
        .collect())
}

type Measured = (u64, Vec<measure::Value>);

fn measure_file(
    policy: &Policy,
    file: &Path,
    options: &ReadOptions,
    domains: &[(String, Domain)],
) -> Result<Measured> {
    let source = io::open(file, options, &release_plans(policy, file, options)?)?;
    let mut measures = Measures::new(source.schema(), domains, policy.guarantee.k.unwrap_or(1));
    let mut rows = 0;
    for batch in source {
        let batch = batch?;
        rows += batch.len() as u64;
        measures.observe(&batch, &batch)?;
    }
    Ok((rows, measures.values()))
}
