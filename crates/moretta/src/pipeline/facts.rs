//! From a run to its report.

use super::judge::Judgement;
use super::progress::Progress;
use super::read::Original;
use super::report::{
    Bin, Claim, ColumnFact, FileFacts, Histogram, MeasureFact, Reason, Report, RiskBand, RowFacts,
    SMALL_CELL, SizeCount, StageFact, Verdict,
};
use super::sha256;
use crate::data::{Column, Field, Role};
use crate::error::Result;
use crate::guarantee::Findings;
use crate::io::Format;
use crate::measure;
use crate::policy::{Action, Policy, SinkPolicy};
use std::path::Path;

/// Everything a report is made from.
pub(super) struct Facts<'a> {
    pub(super) policy: &'a Policy,
    pub(super) sink: &'a SinkPolicy,
    pub(super) original: &'a Original,
    pub(super) judgement: &'a Judgement,
    pub(super) suppressed: Vec<(String, u64)>,
    pub(super) escaped: u64,
    pub(super) warnings: Vec<String>,
    pub(super) temporary: &'a Path,
    pub(super) command: &'a str,
    pub(super) progress: &'a Progress,
}

/// The report of a run.
pub(super) fn report(facts: &Facts<'_>) -> Result<Report> {
    let Facts {
        policy, judgement, ..
    } = facts;
    let read = facts.original.batch.len() as u64;
    let findings = &judgement.findings;
    let (source, sink) = rayon::join(
        || {
            file_facts(
                &policy.source.path,
                &policy.source.shown,
                policy.source.options.format,
                read,
            )
        },
        || {
            file_facts(
                facts.temporary,
                &facts.sink.shown,
                facts.sink.options.format,
                findings.rows,
            )
        },
    );
    Ok(Report {
        version: 1,
        program: format!("moretta {}", env!("CARGO_PKG_VERSION")),
        name: policy.name.clone(),
        policy: policy.text.clone(),
        policy_sha256: sha256::of_text(&policy.text),
        command: facts.command.to_owned(),
        source: source?,
        sink: Some(sink?),
        verdict: verdict(findings, Some(judgement.untruths.is_empty())),
        rows: RowFacts {
            read,
            released: findings.rows,
            suppressed: reasons(&facts.suppressed, judgement.suppressed),
            classes_before: count(&judgement.measures.class_sizes_before()),
            classes_after: findings.classes,
            escaped: facts.escaped,
        },
        class_sizes: findings
            .class_sizes
            .iter()
            .map(|(&size, &classes)| SizeCount { size, classes })
            .collect(),
        measures: measures(policy, judgement),
        columns: columns(facts),
        risk: judgement
            .measures
            .risk_bands()
            .into_iter()
            .map(|band| RiskBand {
                from: band.from,
                to: band.to,
                before: band.before,
                after: band.after,
            })
            .collect(),
        warnings: facts.warnings.clone(),
        stages: facts
            .progress
            .leave()
            .into_iter()
            .map(|(stage, seconds)| StageFact {
                name: stage.word().to_owned(),
                seconds,
            })
            .collect(),
    })
}

/// What the checker found, in words.
pub(super) fn verdict(findings: &Findings, truthful: Option<bool>) -> Verdict {
    let claims = findings.claims.iter().map(|claim| Claim {
        name: claim.name.clone(),
        promised: claim.promised.clone(),
        found: claim.found_text.clone(),
        holds: claim.holds,
    });
    Verdict {
        passed: findings.passed() && truthful != Some(false),
        claims: claims.collect(),
        unit: findings.unit.word().to_owned(),
        truthful,
    }
}

fn file_facts(path: &Path, shown: &str, format: Option<Format>, rows: u64) -> Result<FileFacts> {
    let format = format
        .or(Format::from_path(path).map(|(format, _)| format))
        .unwrap_or(Format::Csv);
    let (sha256, bytes) = match path == Path::new("-") {
        true => (None, 0),
        false => {
            let (sha256, bytes) = sha256::of_file(path)?;
            (Some(sha256), bytes)
        }
    };
    let format = serde_json::to_value(format)
        .ok()
        .and_then(|v| v.as_str().map(str::to_owned));
    Ok(FileFacts {
        path: shown.to_owned(),
        format: format.unwrap_or_default(),
        rows,
        bytes,
        sha256,
    })
}

/// Reasons for suppression; counts from 1 to [`SMALL_CELL`] are hidden.
fn reasons(given: &[(String, u64)], total: u64) -> Vec<Reason> {
    let explained: u64 = given.iter().map(|(_, rows)| rows).sum();
    let rest = (
        "held back by the method".to_owned(),
        total.saturating_sub(explained),
    );
    given
        .iter()
        .chain([&rest])
        .filter(|(_, rows)| *rows > 0)
        .map(|(why, rows)| Reason {
            why: why.clone(),
            rows: (*rows > SMALL_CELL).then_some(*rows),
        })
        .collect()
}

fn count(sizes: &[measure::SizeCount]) -> u64 {
    sizes.iter().map(|size| size.groups).sum()
}

/// The measures, those that the policy names first.
fn measures(policy: &Policy, judgement: &Judgement) -> Vec<MeasureFact> {
    let place = |name: &str| {
        policy
            .report_measures
            .iter()
            .position(|m| m == name)
            .unwrap_or(usize::MAX)
    };
    let mut values = judgement.measures.values();
    values.sort_by_key(|value| place(value.name));
    values
        .into_iter()
        .filter_map(|value| {
            let info = measure::info(value.name)?;
            Some(MeasureFact {
                name: info.name.to_owned(),
                meaning: info.meaning.to_owned(),
                family: info.family.word().to_owned(),
                before: value.before,
                after: value.after,
                percent: info.percent,
                limit: policy
                    .fail_above
                    .iter()
                    .find(|(name, _)| name == info.name)
                    .map(|(_, limit)| *limit),
            })
        })
        .collect()
}

/// Every column of the file, also those that were never read.
fn columns(facts: &Facts<'_>) -> Vec<ColumnFact> {
    let schema = facts.original.batch.schema();
    let unread = facts
        .policy
        .columns
        .iter()
        .filter(|column| schema.index_of(&column.name).is_none());
    let unread = unread.map(|column| ColumnFact {
        name: column.name.clone(),
        role: column.role.word().to_owned(),
        treatment: "dropped".to_owned(),
        loss: None,
        missing_before: 0.0,
        missing_after: None,
        histogram: None,
    });
    let read = schema.fields().iter().zip(facts.original.batch.columns());
    unread
        .chain(read.map(|(field, column)| column_fact(facts, field, column)))
        .collect()
}

fn column_fact(facts: &Facts<'_>, field: &Field, column: &Column) -> ColumnFact {
    let action = facts
        .policy
        .column(&field.name)
        .map(|column| &column.action);
    let treatment = match (action, field.role) {
        (Some(Action::Drop), _) => "dropped",
        (Some(Action::Pseudonym { .. }), _) => "pseudonym",
        (_, Role::Quasi) => "generalised",
        _ => "kept",
    };
    let loss = facts.judgement.measures.column_loss();
    ColumnFact {
        name: field.name.to_string(),
        role: field.role.word().to_owned(),
        treatment: treatment.to_owned(),
        loss: loss
            .into_iter()
            .find(|(name, _)| **name == *field.name)
            .map(|(_, loss)| loss),
        missing_before: share(column.missing_count(), column.len()),
        missing_after: facts
            .judgement
            .missing
            .get(&*field.name)
            .map(|&missing| share(missing as usize, facts.judgement.findings.rows as usize)),
        histogram: facts.judgement.histograms.get(&*field.name).map(histogram),
    }
}

fn histogram(counted: &measure::Histogram) -> Histogram {
    let bins = counted.bins.iter().map(|bin| Bin {
        label: bin.label.clone(),
        before: bin.before,
        after: bin.after,
    });
    Histogram {
        bins: bins.collect(),
        hidden_bins: counted.hidden_bins,
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}
