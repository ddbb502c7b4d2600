//! What is told of a level of a release to who reviews or reads it, taken from its report.
//!
//! It tells no more than the report, and of counts less: who may review need not read rows.

use moretta::attack::table::ATTACKS;
use moretta::engine::report::Report;
use moretta::pipeline::rounded_size;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is told of a level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Facts {
    /// The level.
    pub(super) level: u32,
    /// What the policy calls it.
    pub(super) name: String,
    /// Released rows.
    pub(super) rows: u64,
    /// What was promised, and whether it holds.
    pub(super) promises: Vec<Promise>,
    /// The smallest class: what was promised, or more in steps of 5 from 15 on; none without
    /// classes.
    pub(super) smallest_class: Option<u64>,
    /// Whether every released value is true of its original; none where that cannot be said.
    pub(super) truthful: Option<bool>,
    /// What attackers find.
    pub(super) attacks: Vec<Share>,
    /// What was lost, by measure.
    pub(super) losses: Vec<Share>,
    /// The columns: role, treatment, loss.
    pub(super) columns: Vec<Column>,
    /// Columns that single persons out together, in percent of released rows.
    pub(super) singled_out: Vec<Together>,
    /// Rows that were suppressed, by reason, at most.
    pub(super) suppressed: Vec<Reason>,
    /// What should be known, the worst first.
    pub(super) warnings: Vec<String>,
}

/// A promise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Promise {
    /// What it is called.
    pub(super) name: String,
    /// What was promised.
    pub(super) promised: String,
    /// Whether it holds.
    pub(super) holds: bool,
}

/// A measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Share {
    /// What it is called.
    pub(super) name: String,
    /// What it means, in a sentence.
    pub(super) meaning: String,
    /// Of the release.
    pub(super) share: f64,
    /// Whether it is shown as a percentage.
    pub(super) percent: bool,
    /// What the policy allows at most.
    pub(super) limit: Option<f64>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Column {
    /// Its name.
    pub(super) name: String,
    /// Its role.
    pub(super) role: String,
    /// What was done to it.
    pub(super) treatment: String,
    /// What its cells have lost, from 0 to 1.
    pub(super) loss: Option<f64>,
}

/// Columns together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Together {
    /// Their names.
    pub(super) columns: Vec<String>,
    /// How many percent of the released rows they single out, in steps of 1.
    pub(super) percent: f64,
}

/// Why rows were suppressed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Reason {
    /// The reason.
    pub(super) why: String,
    /// At most so many.
    pub(super) at_most: u64,
}

impl Facts {
    /// Those of a report.
    pub(super) fn of(level: u32, name: &str, report: &Report) -> Self {
        let measures = |keep: &dyn Fn(&str, &str) -> bool| {
            let measures = report.measures.iter();
            let kept = measures.filter(|measure| keep(&measure.name, &measure.family));
            kept.map(|measure| Share {
                name: measure.name.clone(),
                meaning: measure.meaning.clone(),
                share: measure.after,
                percent: measure.percent,
                limit: measure.limit,
            })
            .collect()
        };
        let is_attack = |name: &str| ATTACKS.iter().any(|attack| attack.name == name);
        let released = report.rows.released;
        Facts {
            level,
            name: name.to_owned(),
            rows: released,
            promises: report.verdict.claims.iter().map(promise).collect(),
            smallest_class: smallest_class(report),
            truthful: report.verdict.truthful,
            attacks: measures(&|name, _| is_attack(name)),
            losses: measures(&|_, family| family == "loss"),
            columns: report.columns.iter().map(column).collect(),
            singled_out: report
                .column_sets
                .iter()
                .map(|set| Together {
                    columns: set.columns.clone(),
                    percent: (set.singled_out as f64 * 100.0 / released.max(1) as f64).round(),
                })
                .collect(),
            suppressed: report
                .rows
                .suppressed
                .iter()
                .map(|reason| Reason {
                    why: reason.why.clone(),
                    at_most: reason.at_most,
                })
                .collect(),
            warnings: report.warnings.clone(),
        }
    }
}

fn promise(claim: &moretta::engine::report::Claim) -> Promise {
    Promise {
        name: claim.name.clone(),
        promised: claim.promised.clone(),
        holds: claim.holds,
    }
}

fn column(fact: &moretta::engine::report::ColumnFact) -> Column {
    Column {
        name: fact.name.clone(),
        role: fact.role.clone(),
        treatment: fact.treatment.clone(),
        loss: fact.loss,
    }
}

/// Small classes are told as the promise, larger ones in steps, so that no count of few persons is
/// told to who cannot read rows.
fn smallest_class(report: &Report) -> Option<u64> {
    let promised = report
        .verdict
        .claims
        .iter()
        .find(|claim| claim.name == "k-anonymity")?;
    let least = promised.promised_value? as u64;
    let found = report.class_sizes.iter().map(|class| class.size).min()?;
    Some(rounded_size(found, least))
}

#[cfg(test)]
mod tests {
    use super::*;
    use moretta::engine::report::{Claim, SizeCount};

    #[test]
    fn the_smallest_class_is_told_as_promised_or_in_steps() {
        for (promised, found, expected) in [
            (5.0, 5, 5),
            (5.0, 7, 5),
            (5.0, 14, 5),
            (5.0, 15, 15),
            (5.0, 19, 15),
            (17.0, 18, 17),
        ] {
            let mut report = Report::default();
            report.verdict.claims = vec![Claim {
                name: "k-anonymity".to_owned(),
                promised: "at least".to_owned(),
                promised_value: Some(promised),
                found: String::new(),
                found_value: None,
                holds: true,
            }];
            report.class_sizes = vec![SizeCount {
                size: found,
                classes: 1,
            }];
            assert_eq!(smallest_class(&report), Some(expected), "{found}");
        }
    }
}
