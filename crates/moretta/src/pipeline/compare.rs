//! Risk and loss of two files, made by any tool, measured against one original.
//!
//! The files need not keep the order or the number of rows: each is measured by itself,
//! its loss against what both files show and, in hierarchies, the values of the original. Files
//! of masked records are held against the originals record by record (`compare_masked.rs`). Where
//! pram has changed categories and its matrices are known, the frequencies of the original are
//! estimated from either file.

use super::compare_masked::masked_standings;
use super::estimates::{Compare, EstimatedTable, estimates};
use super::no_rows::filled;
use super::release_columns::{Taken, release_plans};
use super::standing::Standing;
use super::stream;
use super::trial::read;
use crate::data::{Batch, Domain, Role};
use crate::engine::domains::domains;
use crate::engine::items;
use crate::engine::original::locate;
use crate::engine::{Progress, Stage, published};
use crate::error::Result;
use crate::io::{self, ReadAs, ReadOptions};
use crate::measure::{self, Goal, Measures};
use crate::policy::Policy;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// What is found of two files.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// Risk and loss.
    pub measures: Vec<Standing>,
    /// Frequencies of the original, estimated by transition matrices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub estimates: Vec<EstimatedTable>,
    /// What was not told, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Measures both files.
pub fn compare(
    policy: &Policy,
    files: [&Path; 2],
    options: &ReadOptions,
    progress: &Progress,
) -> Result<Compared> {
    // The files may be of levels, whose columns are the same.
    let policy = &policy.of_levels().swap_remove(0);
    policy.need_one_release("`compare`")?;
    stream::refuse(policy, "compare")?;
    let files = files.map(|file| Compare {
        file,
        is_source: is_source(policy, file),
        // The source is read as the policy says, whatever a release is written like.
        options: match is_source(policy, file) {
            true => &policy.source.options,
            false => options,
        },
    });
    let (estimates, why) = match policy.changes_by_matrices() {
        true => estimates(policy, &files)?,
        false => (Vec::new(), None),
    };
    let (measures, mut notes) = match policy.plan.keeps_guarantee() {
        true => (standings(policy, &files, progress)?, Vec::new()),
        false => masked_standings(policy, &files, progress)?,
    };
    notes.extend(why);
    Ok(Compared {
        measures,
        estimates,
        notes,
    })
}

/// Risk and loss of both files.
fn standings(
    policy: &Policy,
    files: &[Compare<'_>; 2],
    progress: &Progress,
) -> Result<Vec<Standing>> {
    let original = read(policy, progress)?;
    let all = domains(&policy.plan, &original, None)?;
    let domains = match policy.plan.items() {
        Some(items) => vec![(items.name.clone(), all.require(&items.name)?.clone())],
        None => all.quasi(original.batch.schema()),
    };
    drop(original);
    progress.enter(Stage::Check);
    let [a, b] = files
        .each_ref()
        .map(|of| measure_file(policy, of.file, of.options, &domains));
    let (mut a, mut b) = (a?, b?);
    let extents = a.1.extents().into_iter().zip(b.1.extents());
    let extents: Vec<_> = extents.map(|(a, b)| a.joined(&b)).collect();
    for measures in [&mut a.1, &mut b.1] {
        measures.measure_against(extents.clone());
    }
    let rows = Standing {
        name: "rows".to_owned(),
        a: a.0 as f64,
        b: b.0 as f64,
        percent: false,
        lower_is_better: false,
    };
    let standings =
        a.1.values()
            .into_iter()
            .zip(b.1.values())
            .filter_map(|(a, b)| {
                let info = measure::find(a.name)?;
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

fn is_source(policy: &Policy, file: &Path) -> bool {
    if policy.files.are_provided() {
        return policy.source.paths().contains(&file);
    }
    let place = std::fs::canonicalize(file).ok();
    let mut sources = policy.source.paths().into_iter();
    place.is_some() && sources.any(|source| std::fs::canonicalize(source).ok() == place)
}

type Measured = (u64, Measures);

fn measure_file(
    policy: &Policy,
    file: &Path,
    options: &ReadOptions,
    domains: &[(String, Domain)],
) -> Result<Measured> {
    let batch = read_file(policy, file, options)?;
    let rows = items::labels_a_row(&policy.plan, &batch)?;
    let rows = rows.as_ref().unwrap_or(&batch);
    let mut measures = published::measures(&policy.plan, rows.schema(), domains);
    measures.count_all_leaves();
    measures.observe(rows, rows)?;
    Ok((batch.len() as u64, measures))
}

/// The table; where it still has latitude and longitude, with their cell instead.
fn read_file(policy: &Policy, file: &Path, options: &ReadOptions) -> Result<Batch> {
    let mut plans = release_plans(policy, file, options, Taken::Either)?;
    let has = |name: &String| plans.iter().any(|plan| plan.name == *name);
    let located: Vec<_> = policy
        .plan
        .columns
        .iter()
        .filter_map(|column| Some((column, column.from.as_ref()?)))
        .filter(|(_, from)| from.iter().all(has))
        .collect();
    for plan in &mut plans {
        if located.iter().any(|(_, from)| from.contains(&plan.name)) {
            plan.read = ReadAs::Number;
        } else if options.decimal_comma && plan.role == Role::Quasi {
            // Regions are written with points.
            plan.read = policy
                .plan
                .column(&plan.name)
                .map_or(ReadAs::Infer, |column| column.read.clone());
        }
    }
    let source = io::open(file, options, &plans)?;
    let schema = Arc::clone(source.schema());
    let mut batch = Batch::concat(&schema, source.collect::<Result<Vec<_>>>()?)?;
    for (column, from) in located {
        (batch, _) = locate(batch, column, from)?;
    }
    filled(batch, file, policy)
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
        let gcp = found.map(|all| {
            all.measures
                .into_iter()
                .find(|s| s.name == "gcp")
                .expect("gcp")
        });
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
    fn the_source_is_read_as_the_policy_says() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        let root = Root::of_policy(&place("policy.toml"), None).expect("a root");
        let release = "column1,column2\n1..2.5,a\n1..2.5,a\n3.5..4,\u{e9}\n3.5..4,\u{e9}\n";
        std::fs::write(place("release.csv"), release).expect("written");
        std::fs::write(place("o.csv"), b"1,0;a\n2,5;a\n3,5;\xe9\n4,0;\xe9\n").expect("written");
        let text = "version = 1\n[source]\npath = \"o.csv\"\ndelimiter = \";\"\nheader = false\n\
                    decimal = \",\"\nencoding = \"latin-1\"\n[columns]\n\
                    column1 = { role = \"quasi\" }\ncolumn2 = { role = \"quasi\" }\n\
                    [guarantee]\nk = 2\n[[protect]]\nmethod = \"mondrian\"\n";
        let policy = Policy::parse(text, &root).expect("a policy");
        let files = [place("o.csv"), place("release.csv")];
        let found = compare(
            &policy,
            [&files[0], &files[1]],
            &ReadOptions::default(),
            &Progress::default(),
        );
        let found = found.expect("both can be read").measures;
        let gcp = found.iter().find(|s| s.name == "gcp").expect("gcp");
        assert_eq!(gcp.a, 0.0);
        assert!((gcp.b - (0.5 + 0.5 / 3.0) / 4.0).abs() < 1e-9, "{}", gcp.b);
    }

    #[test]
    fn a_file_without_a_quasi_identifier_is_refused() {
        check("age\n1..2\n1..2\n", Err("lacks columns that are counted"));
        check("place,Age\n*,1..2\n*,1..2\n", Err("lacks columns"));
    }
}
