//! From a run to its report.

use super::judge::Judgement;
use super::progress::Progress;
use super::read::Original;
use super::report::{
    Bin, Claim, ColumnFact, FileFacts, Histogram, MeasureFact, Reason, Report, RiskBand, RowFacts,
    SMALL_CELL, SizeCount, StageFact, Verdict,
};
use super::sha256;
use crate::data::{Field, Role};
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
    let findings = &judgement.findings;
    let suppressed = reasons(&facts.suppressed, judgement.suppressed);
    let read = shown_read(findings.rows, &suppressed);
    let (source, sink) = rayon::join(
        || {
            file_facts(
                policy.source.only_path().unwrap_or(Path::new("-")),
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
    let blank = blank(&Blank {
        policy,
        command: facts.command,
        source: source?,
        sink: sink?,
        released: findings.rows,
        suppressed,
        escaped: facts.escaped,
    });
    Ok(Report {
        verdict: verdict(findings, Some(judgement.untruths.is_empty())),
        rows: RowFacts {
            classes_before: count(&judgement.measures.class_sizes_before()),
            classes_after: findings.classes,
            ..blank.rows
        },
        class_sizes: findings
            .class_sizes
            .iter()
            .map(|(&size, &classes)| SizeCount { size, classes })
            .collect(),
        measures: measures(policy, judgement),
        columns: columns(facts),
        risk: risk(judgement),
        warnings: facts.warnings.clone(),
        stages: stages(facts.progress),
        ..blank
    })
}

/// What every report begins with.
pub(super) struct Blank<'a> {
    pub(super) policy: &'a Policy,
    pub(super) command: &'a str,
    pub(super) source: FileFacts,
    pub(super) sink: FileFacts,
    /// Rows of the source that were released.
    pub(super) released: u64,
    pub(super) suppressed: Vec<Reason>,
    pub(super) escaped: u64,
}

/// A report that tells what was run and how rows fared, with the rest to be filled in.
pub(super) fn blank(facts: &Blank<'_>) -> Report {
    let Blank {
        policy, suppressed, ..
    } = facts;
    let hidden = suppressed.iter().any(|reason| reason.rows.is_none());
    Report {
        version: 1,
        program: format!("moretta {}", env!("CARGO_PKG_VERSION")),
        name: policy.name.clone(),
        policy: policy.text.clone(),
        policy_sha256: sha256::of_text(&policy.text),
        command: facts.command.to_owned(),
        source: FileFacts {
            // A sum of few rows would let them be guessed.
            sha256: facts.source.sha256.clone().filter(|_| !hidden),
            bytes: if hidden { 0 } else { facts.source.bytes },
            ..facts.source.clone()
        },
        sink: Some(facts.sink.clone()),
        verdict: Verdict {
            passed: true,
            claims: Vec::new(),
            unit: "rows".to_owned(),
            truthful: None,
        },
        rows: RowFacts {
            read: shown_read(facts.released, suppressed),
            read_is_bound: hidden,
            released: facts.released,
            suppressed: suppressed.clone(),
            classes_before: 0,
            classes_after: 0,
            escaped: facts.escaped,
        },
        class_sizes: Vec::new(),
        measures: Vec::new(),
        columns: Vec::new(),
        risk: Vec::new(),
        warnings: Vec::new(),
        stream: None,
        pairs: None,
        stages: Vec::new(),
    }
}

/// The stages of a run and the seconds spent in each; it ends the last of them.
pub(super) fn stages(progress: &Progress) -> Vec<StageFact> {
    let stages = progress.leave().into_iter();
    stages
        .map(|(stage, seconds)| StageFact {
            name: stage.word().to_owned(),
            seconds,
        })
        .collect()
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

pub(super) fn file_facts(
    path: &Path,
    shown: &str,
    format: Option<Format>,
    rows: u64,
) -> Result<FileFacts> {
    let format = format
        .or(Format::from_path(path).map(|(format, _)| format))
        .unwrap_or(Format::Csv);
    // A pipe cannot be read again.
    let (sha256, bytes) = match path.is_file() {
        false => (None, 0),
        true => {
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
pub(super) fn reasons(given: &[(String, u64)], total: u64) -> Vec<Reason> {
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

/// The rows read; where a reason is hidden, the most there can have been, so
/// that the hidden count cannot be had by subtraction.
pub(super) fn shown_read(released: u64, suppressed: &[Reason]) -> u64 {
    let gone = suppressed
        .iter()
        .map(|reason| reason.rows.unwrap_or(SMALL_CELL));
    released + gone.sum::<u64>()
}

/// A share of `rows` in which counts from 1 to [`SMALL_CELL`] look alike.
fn coarse_share(count: usize, rows: usize) -> f64 {
    let small = (1..=SMALL_CELL as usize).contains(&count);
    let count = if small {
        SMALL_CELL as usize + 1
    } else {
        count
    };
    share(count.min(rows), rows)
}

/// Shares by risk; bands of the original with few persons go into its largest one.
fn risk(judgement: &Judgement) -> Vec<RiskBand> {
    let persons = persons_before(judgement);
    let mut bands: Vec<RiskBand> = judgement
        .measures
        .risk_bands()
        .into_iter()
        .map(|band| RiskBand {
            from: band.from,
            to: band.to,
            before: band.before,
            after: band.after,
        })
        .collect();
    let mut moved = 0.0;
    for band in &mut bands {
        if is_small(band.before, persons) {
            moved += std::mem::take(&mut band.before);
        }
    }
    if let Some(largest) = bands
        .iter_mut()
        .max_by(|a, b| a.before.total_cmp(&b.before))
    {
        largest.before += moved;
    }
    bands
}

fn persons_before(judgement: &Judgement) -> u64 {
    let sizes = judgement.measures.class_sizes_before();
    sizes.iter().map(|size| size.size * size.groups).sum()
}

/// Whether a share stands for 1 to [`SMALL_CELL`] persons.
fn is_small(share: f64, persons: u64) -> bool {
    let count = (share * persons as f64).round();
    (1.0..=SMALL_CELL as f64).contains(&count)
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
    let persons = persons_before(judgement);
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
                before: value
                    .before
                    .filter(|&share| value.name != "uniques" || !is_small(share, persons)),
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
    let read = schema.fields().iter();
    unread
        .chain(read.map(|field| column_fact(facts, field)))
        .collect()
}

fn column_fact(facts: &Facts<'_>, field: &Field) -> ColumnFact {
    let action = facts
        .policy
        .column(&field.name)
        .map(|column| &column.action);
    let treatment = match (action, field.role) {
        (Some(Action::Drop), _) => "dropped",
        (Some(Action::Pseudonym { .. }), _) => "pseudonym",
        (_, Role::Quasi) if facts.policy.represents(&field.name) => "representative",
        (_, Role::Quasi) => "generalised",
        _ => "kept",
    };
    let loss = facts.judgement.measures.column_loss();
    let measured = !facts.policy.represents(&field.name);
    let rows = facts.judgement.findings.rows as usize;
    let shown = |missing: u64| coarse_share(missing as usize, rows);
    let distributions = &facts.judgement.distributions;
    ColumnFact {
        name: field.name.to_string(),
        role: field.role.word().to_owned(),
        treatment: treatment.to_owned(),
        loss: loss
            .into_iter()
            .find(|(name, _)| measured && **name == *field.name)
            .map(|(_, loss)| loss),
        missing_before: distributions.missing_before(&field.name).map_or(0.0, shown),
        missing_after: distributions.missing_after(&field.name).map(shown),
        histogram: distributions
            .histogram(&field.name)
            .map(|counted| histogram(&counted)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hidden_count_of_suppressed_rows_cannot_be_had_by_subtraction() {
        let shown: Vec<u64> = (1..=SMALL_CELL)
            .map(|gone| shown_read(500, &reasons(&[("too small".to_owned(), gone)], gone)))
            .collect();
        assert!(shown.iter().all(|&read| read == shown[0]), "{shown:?}");
        let open = reasons(&[("too small".to_owned(), 40)], 45);
        assert_eq!(open[0].rows, Some(40));
        assert_eq!(open[1].rows, None);
        assert_eq!(shown_read(500, &open), 550);
    }

    #[test]
    fn small_counts_of_missing_cells_look_alike() {
        let shares: Vec<f64> = (1..=11).map(|count| coarse_share(count, 1000)).collect();
        assert!(shares.iter().all(|&share| share == 0.011), "{shares:?}");
        assert_eq!(coarse_share(0, 1000), 0.0);
        assert_eq!(coarse_share(12, 1000), 0.012);
        assert_eq!(coarse_share(3, 3), 1.0);
    }
}
