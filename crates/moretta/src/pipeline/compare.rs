//! Risk and loss of two files, whoever made them, measured against one original.
//!
//! The files need not keep the order or the number of rows: each is measured
//! by itself, its loss against the domains of the original.

use super::domains::domains;
use super::judge::release_plans;
use super::progress::{Progress, Stage};
use super::read::{locate, read};
use super::stream;
use crate::data::{Batch, Domain};
use crate::error::{Error, Result};
use crate::io::{self, ReadAs, ReadOptions};
use crate::measure::{self, Goal, Measures};
use crate::policy::Policy;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

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
    stream::refuse(policy, "compare")?;
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
    let batch = read_file(policy, file, options)?;
    if let Some((name, _)) = domains
        .iter()
        .find(|(name, _)| batch.schema().index_of(name).is_none())
    {
        return Err(Error::input("the quasi-identifier is not there")
            .in_file(file)
            .in_column(name)
            .help("compare files that have every quasi-identifier of the policy"));
    }
    let mut measures = Measures::new(batch.schema(), domains, policy.guarantee.k.unwrap_or(1))
        .weighted(|name| policy.weight(name));
    measures.observe(&batch, &batch)?;
    Ok((batch.len() as u64, measures.values()))
}

/// The table; where it still has latitude and longitude, with their cell instead.
fn read_file(policy: &Policy, file: &Path, options: &ReadOptions) -> Result<Batch> {
    let mut plans = release_plans(policy, file, options)?;
    let has = |name: &String| plans.iter().any(|plan| plan.name == *name);
    let located: Vec<_> = policy
        .columns
        .iter()
        .filter_map(|column| Some((column, column.from.as_ref()?)))
        .filter(|(_, from)| from.iter().all(has))
        .collect();
    for plan in &mut plans {
        if located.iter().any(|(_, from)| from.contains(&plan.name)) {
            plan.read = ReadAs::Number;
        }
    }
    let source = io::open(file, options, &plans)?;
    let schema = Arc::clone(source.schema());
    let mut batch = Batch::concat(&schema, source.collect::<Result<Vec<_>>>()?)?;
    for (column, from) in located {
        (batch, _) = locate(batch, column, from)?;
    }
    Ok(batch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Root;

    const POLICY: &str = r#"
        version = 1
        [source]
        path = "original.csv"
        [columns]
        place = { role = "quasi", from = ["lat", "lon"], hierarchy = { grid = ["1km", "10km"] } }
        age = { role = "quasi" }
        [guarantee]
        k = 2
        [[protect]]
        method = "mondrian"
    "#;

    fn check(file: &str, expected: std::result::Result<f64, &str>) {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        let write = |name: &str, text: &str| std::fs::write(place(name), text).expect("written");
        let original = "lat,lon,age\n44.80,10.30,1\n44.81,10.31,2\n";
        write("original.csv", original);
        write("file.csv", file);
        let root = Root::of_policy(&place("policy.toml"), None).expect("a root");
        let policy = Policy::parse(POLICY, &root).expect("a policy");
        let (a, b) = (place("original.csv"), place("file.csv"));
        let options = ReadOptions::default();
        let found = compare(&policy, [&a, &b], &options, &Progress::default());
        let gcp = found.map(|all| all.into_iter().find(|s| s.name == "gcp").expect("gcp"));
        match (gcp, expected) {
            (Ok(gcp), Ok(expected)) => assert_eq!((gcp.a, gcp.b), (0.0, expected)),
            (Err(error), Err(what)) => assert!(error.to_string().contains(what), "{error}"),
            (found, expected) => panic!("{found:?} {expected:?}"),
        }
    }

    #[test]
    fn an_original_is_compared_by_the_cells_of_its_coordinates() {
        check("lat,lon,age\n44.80,10.30,1\n44.81,10.31,2\n", Ok(0.0));
        check("place,age\n*,1..2\n*,1..2\n", Ok(1.0));
    }

    #[test]
    fn a_file_without_a_quasi_identifier_is_refused() {
        check(
            "age\n1..2\n1..2\n",
            Err("the quasi-identifier is not there"),
        );
    }
}
