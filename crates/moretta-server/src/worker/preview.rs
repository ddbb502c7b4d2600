//! A policy tried on a sample: risk and loss, no row.

use super::told::{chance, is_of_smallest, items, share};
use super::{Failure, Job, failure, json, rounded};
use crate::job::options::Preview;
use moretta::engine::report::{Claim, SizeCount};
use moretta::pipeline::{self, Report, rounded_count, rounded_json, rounded_size};
use serde_json::{Value, json as object};
use std::collections::BTreeMap;

pub(super) fn work(job: &Job<'_>) -> Result<Value, Failure> {
    let asked: Preview = job.options()?;
    let policy = job.policy()?;
    let found = pipeline::preview(&policy, asked.rows, asked.seed, job.progress);
    let found = found.map_err(failure)?;
    let levels = policy.of_levels();
    let releases = found.reports.iter().zip(&levels);
    let releases = releases.map(|(report, level)| {
        let mut told = figures(report)?;
        told["level"] = level.level.clone().into();
        Ok(told)
    });
    Ok(object!({
        "rows": pipeline::rounded_count(found.rows, found.rows),
        "made_up": found.made_up,
        "releases": releases.collect::<Result<Vec<Value>, Failure>>()?,
    }))
}

/// Measures that are shares of persons.
const OF_PERSONS: &[&str] = &["at_risk", "journalist_at_risk", "uniques"];

/// What may be told of a release that nobody has approved.
fn figures(report: &Report) -> Result<Value, Failure> {
    let told = Told::of(report);
    Ok(object!({
        "claims": told.claims(&report.verdict.claims)?,
        "passed": report.verdict.passed,
        "rows": rounded(&report.rows)?,
        "class_sizes": told.sizes(&report.class_sizes),
        "measures": told.measures(json(&report.measures)?),
        "columns": told.columns(json(&report.columns)?),
        "risk": told.bands(json(&report.risk)?),
        "risk_by_column": told.by_column(json(&report.risk_by_column)?),
        "column_sets": rounded(&report.column_sets)?,
        "rules": rounded(&report.rules)?,
        // The lattice, where a method has searched one.
        "search": json(&report.search)?,
        "warnings": rounded(&report.warnings)?,
    }))
}

/// How figures are told that are counts in another form: sizes, chances and shares.
struct Told {
    rows: u64,
    /// The least size of a class, where one was promised and is kept; else 1.
    least: u64,
}

impl Told {
    fn of(report: &Report) -> Self {
        let mut claims = report.verdict.claims.iter();
        let size = claims.find(|claim| is_of_smallest(&claim.name) && claim.holds);
        let least = size.and_then(|claim| claim.promised_value);
        Told {
            rows: report.rows.released,
            least: least.map_or(1, |least| least as u64),
        }
    }

    fn claims(&self, claims: &[Claim]) -> Result<Value, Failure> {
        let told = claims.iter().map(|claim| {
            let mut claim = claim.clone();
            if is_of_smallest(&claim.name) {
                let found = claim.found_value.filter(|_| claim.holds);
                let found = found.map(|found| rounded_size(found as u64, self.least));
                claim.found = found.map_or("fewer".to_owned(), |found| found.to_string());
                claim.found_value = found.map(|found| found as f64);
            } else if let Some(found) = claim.found_value.filter(|found| found.fract() != 0.0) {
                let found = rounded_json(found.into());
                claim.found = found.to_string();
                claim.found_value = found.as_f64();
            }
            json(&claim)
        });
        told.collect()
    }

    /// Classes by size, those of sizes that are told alike together.
    fn sizes(&self, sizes: &[SizeCount]) -> Value {
        let mut told: BTreeMap<u64, u64> = BTreeMap::new();
        for one in sizes {
            *told.entry(rounded_size(one.size, self.least)).or_default() += one.classes;
        }
        let one = |(size, classes)| {
            let classes = rounded_count(classes, classes);
            object!({ "size": size, "classes": classes })
        };
        told.into_iter().map(one).collect()
    }

    fn measures(&self, mut measures: Value) -> Value {
        for one in items(&mut measures) {
            let name = one["name"].as_str().unwrap_or_default().to_owned();
            // Nothing was promised of the originals.
            for (side, least) in [("before", 1), ("after", self.least)] {
                if is_of_smallest(&name) {
                    chance(&mut one[side], least);
                } else if OF_PERSONS.contains(&&*name) {
                    share(&mut one[side], self.rows);
                }
            }
        }
        rounded_json(measures)
    }

    fn columns(&self, mut columns: Value) -> Value {
        for column in items(&mut columns) {
            share(&mut column["missing_before"], self.rows);
            share(&mut column["missing_after"], self.rows);
            if column["histogram"].is_null() {
                continue;
            }
            for bin in items(&mut column["histogram"]["bins"]) {
                for side in ["before", "after"] {
                    let count = bin[side].as_f64().map(|count| count.round() as u64);
                    let told = count.and_then(|count| rounded_count(count, self.rows));
                    bin[side] = object!(told);
                }
            }
        }
        rounded_json(columns)
    }

    fn bands(&self, mut bands: Value) -> Value {
        for band in items(&mut bands) {
            share(&mut band["before"], self.rows);
            share(&mut band["after"], self.rows);
        }
        rounded_json(bands)
    }

    fn by_column(&self, mut risks: Value) -> Value {
        match &mut risks {
            Value::Object(fields) => {
                for (name, value) in fields {
                    match &**name {
                        "highest" => chance(value, self.least),
                        "below_k" => share(value, self.rows),
                        _ => *value = self.by_column(value.take()),
                    }
                }
                risks
            }
            Value::Array(values) => {
                for value in values {
                    *value = self.by_column(value.take());
                }
                risks
            }
            _ => rounded_json(risks),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLD: Told = Told {
        rows: 4000,
        least: 2,
    };

    #[test]
    fn sizes_of_classes_are_no_exact_counts() {
        let sizes = [(2, 1), (7, 30), (17, 1), (18, 12), (201, 1)];
        let sizes = sizes.map(|(size, classes)| SizeCount { size, classes });
        let told = object!([
            { "size": 2, "classes": 30 },
            { "size": 15, "classes": 15 },
            { "size": 200, "classes": null },
        ]);
        assert_eq!(TOLD.sizes(&sizes), told);
        let claim = |found: u64, holds| Claim {
            name: "k-anonymity".to_owned(),
            promised: "at least 2".to_owned(),
            promised_value: Some(2.0),
            found: found.to_string(),
            found_value: Some(found as f64),
            holds,
        };
        let claims = TOLD.claims(&[claim(7, true), claim(23, true), claim(1, false)]);
        let claims = claims.unwrap_or_default();
        let found: Vec<&Value> = items_of(&claims).map(|claim| &claim["found"]).collect();
        assert_eq!(found, ["2", "20", "fewer"]);
    }

    fn items_of(values: &Value) -> impl Iterator<Item = &Value> {
        values.as_array().into_iter().flatten()
    }

    #[test]
    fn chances_shares_and_bins_tell_no_more_than_counts() {
        let measures = TOLD.measures(object!([
            { "name": "prosecutor_risk", "before": 1.0 / 3.0, "after": 1.0 / 17.0 },
            { "name": "at_risk", "before": 0.0005, "after": 0.1 },
            { "name": "gcp", "before": null, "after": 0.123456 },
        ]));
        let told = object!([
            { "name": "prosecutor_risk", "before": 1.0, "after": 0.0667 },
            { "name": "at_risk", "before": null, "after": 0.1 },
            { "name": "gcp", "before": null, "after": 0.123 },
        ]);
        assert_eq!(measures, told);
        let bins = object!({ "bins": [{ "label": "a", "before": 34.0, "after": 3.0 }] });
        let columns = TOLD.columns(object!([
            { "histogram": bins, "missing_before": 0.002, "missing_after": 0.0 },
        ]));
        let bins = object!({ "bins": [{ "label": "a", "before": 35, "after": null }] });
        let told = object!([
            { "histogram": bins, "missing_before": null, "missing_after": 0.0 },
        ]);
        assert_eq!(columns, told);
        let risk = TOLD.by_column(object!({ "all": { "highest": 0.2, "below_k": 0.001 } }));
        let told = object!({ "all": { "highest": 0.5, "below_k": null } });
        assert_eq!(risk, told);
    }
}
