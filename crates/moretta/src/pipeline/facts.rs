//! From a run to its report.

use super::judge::Judgement;
use super::masked::{Masks, Watch};
use super::progress::Progress;
use super::report::{
    Bin, Claim, ColumnFact, FileFacts, Histogram, MeasureFact, Reason, Report, RiskBand, RowFacts,
    SMALL_CELL, SizeCount, StageFact, Verdict,
};
use super::{coarse, sha256};
use crate::data::{Field, Role, Schema};
use crate::error::Result;
use crate::guarantee::Findings;
use crate::io::Format;
use crate::measure::pairs::PairMeasures;
use crate::measure::{self, utility::STRETCHED};
use crate::policy::{Action, Policy, SinkPolicy};
use std::path::Path;

/// Everything a report is made from.
pub(super) struct Facts<'a> {
    pub(super) policy: &'a Policy,
    pub(super) sink: &'a SinkPolicy,
    /// The columns that were read.
    pub(super) schema: &'a Schema,
    /// What was counted and measured of values that were made coarser.
    pub(super) judgement: Option<&'a Judgement>,
    /// What was counted and measured of records that were masked.
    pub(super) masked: Option<Masked<'a>>,
    pub(super) read: u64,
    pub(super) released: u64,
    pub(super) suppressed: &'a [(String, u64)],
    pub(super) escaped: u64,
    pub(super) warnings: Vec<String>,
    pub(super) temporary: &'a Path,
    pub(super) command: &'a str,
    pub(super) progress: &'a Progress,
}

/// Records that were masked.
pub(super) struct Masked<'a> {
    pub(super) masks: &'a Masks<'a>,
    pub(super) watch: &'a Watch,
    /// The smallest of each crowd; none where nothing was released.
    pub(super) crowds: Vec<Option<u64>>,
}

/// The report of a run.
pub(super) fn report(facts: &Facts<'_>) -> Result<Report> {
    let policy = facts.policy;
    let (path, released) = (facts.temporary, facts.released);
    let (shown, format) = (&facts.sink.shown, facts.sink.options.format);
    let (source, sink) = rayon::join(
        || source_facts(policy),
        || file_facts(path, shown, format, released),
    );
    let blank = blank(&Blank {
        policy,
        command: facts.command,
        source: source?,
        sink: sink?,
        released: facts.released,
        suppressed: match facts.judgement {
            Some(judgement) => judgement.published.reasons.clone(),
            None => coarse::reasons(facts.suppressed, facts.read - facts.released),
        },
        escaped: facts.escaped,
    });
    let mut report = Report {
        columns: columns(facts),
        stages: stages(facts.progress),
        ..blank
    };
    if let Some(judgement) = facts.judgement {
        report = of_judgement(facts, judgement, report);
    }
    if let Some(masked) = &facts.masked {
        report = of_masked(facts, masked, report);
    }
    report.warnings.extend_from_slice(&facts.warnings);
    if let Some(judgement) = facts.judgement {
        let stretched = judgement.published.stretched.iter().map(stretched);
        report.warnings.extend(stretched);
    }
    Ok(report)
}

/// Adds what is told of values that were made coarser.
fn of_judgement(facts: &Facts<'_>, judgement: &Judgement, report: Report) -> Report {
    let findings = &judgement.findings;
    Report {
        verdict: verdict(findings, Some(judgement.untruths.is_empty())),
        rows: RowFacts {
            classes_before: judgement.published.classes_before,
            classes_after: findings.classes,
            ..report.rows
        },
        class_sizes: findings
            .class_sizes
            .iter()
            .map(|(&size, &classes)| SizeCount { size, classes })
            .collect(),
        measures: measures(facts.policy, judgement),
        risk: risk(judgement),
        risk_by_column: judgement.published.by_column.clone(),
        ..report
    }
}

/// Adds what is told of records that were masked. A report on what is differentially
/// private tells nothing of the originals unless it is asked to.
fn of_masked(facts: &Facts<'_>, masked: &Masked<'_>, mut report: Report) -> Report {
    let policy = facts.policy;
    let asked = !(policy.report_measures.is_empty() && policy.fail_above.is_empty());
    let told = !masked.masks.is_private() || asked;
    report.verdict.claims.extend(masked_claims(masked));
    // A masked value is not the value of anybody.
    report.verdict.truthful = None;
    report
        .warnings
        .extend(masked_warnings(facts, masked, asked));
    let text = without_seed(&policy.text);
    Report {
        pairs: match told {
            true => masked.watch.measures().map(PairMeasures::facts),
            false => None,
        },
        policy_sha256: sha256::of_text(&text),
        policy: text,
        ..report
    }
}

/// What masks promise: k by what was counted, ε by how the noise is made.
fn masked_claims(masked: &Masked<'_>) -> Vec<Claim> {
    let found = |smallest: Option<u64>| match smallest {
        None => "nothing released".to_owned(),
        Some(smallest) => smallest.to_string(),
    };
    let crowds = masked.masks.crowds.iter().zip(&masked.crowds);
    let crowds = crowds.map(|(crowd, &smallest)| Claim {
        name: "k-anonymity of the masked columns".to_owned(),
        promised: format!("at least {}", crowd.k),
        promised_value: Some(f64::from(crowd.k)),
        found: found(smallest),
        found_value: smallest.map(|smallest| smallest as f64),
        holds: true,
    });
    // Nobody can read ε off a release: it is kept by how the noise is made.
    let losses = masked.masks.losses().map(|loss| Claim {
        name: "differential privacy of the masked columns".to_owned(),
        promised: loss,
        promised_value: None,
        found: "kept by the accountant".to_owned(),
        found_value: None,
        holds: true,
    });
    crowds.chain(losses).collect()
}

/// What k leaves open.
pub(super) const SENSITIVE: &str = "only k is promised although a sensitive column exists: a group in which all share one value gives it away";

fn masked_warnings(facts: &Facts<'_>, masked: &Masked<'_>, asked: bool) -> Vec<String> {
    let (policy, masks) = (facts.policy, masked.masks);
    let (private, covered) = (masks.is_private(), policy.keeps_guarantee());
    let mut warnings = Vec::new();
    let open: Vec<String> = policy
        .columns
        .iter()
        .filter(|column| column.role == Role::Quasi && column.action == Action::Keep)
        .filter(|column| facts.schema.index_of(&column.name).is_some())
        .filter(|column| !covered && !masks.has(&column.name))
        .map(|column| format!("`{}`", column.name))
        .collect();
    if !open.is_empty() {
        warnings.push(format!(
            "quasi-identifiers are released as they are: {}",
            open.join(", ")
        ));
    }
    if policy.seed.is_some() && masks.uses_seed() {
        warnings.push(
            "the policy has a seed: whoever knows it can draw the same random numbers and undo them"
                .to_owned(),
        );
    }
    if private && asked {
        warnings.push(
            "measures compare with the originals and are not differentially private: keep the report to yourself"
                .to_owned(),
        );
    }
    // How often a value left as it was is a fact about the originals, too.
    let unchanged = match private {
        true => Vec::new(),
        false => masked.watch.unchanged(),
    };
    for name in unchanged {
        warnings.push(format!("most numbers of column `{name}` left as they were"));
    }
    if policy.seed.is_some() && private {
        warnings.push("the seed is not used: private noise is never drawn again".to_owned());
    }
    let sensitive = policy.columns.iter().any(|c| c.role == Role::Sensitive);
    if sensitive && !covered && !masks.crowds.is_empty() {
        warnings.push(SENSITIVE.to_owned());
    }
    warnings
}

/// The policy without its seed, which would undo what chance has hidden.
fn without_seed(text: &str) -> String {
    let is_seed = |line: &str| {
        let key = line.split('=').next().unwrap_or_default();
        line.contains('=') && key.trim().trim_matches(['"', '\'']) == "seed"
    };
    let line = |line: &str| match is_seed(line) {
        true => "# seed = (not shown)\n".to_owned(),
        false => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// Few rows hold absurd values, or the column has a very long tail.
fn stretched(column: &String) -> String {
    format!(
        "few rows stretch the range of column `{column}` to more than {STRETCHED} times that of the others, so they are left out of what loss is measured against; write range = [least, largest] beside the column if that is wrong"
    )
}

/// What every report begins with.
pub(super) struct Blank<'a> {
    pub(super) policy: &'a Policy,
    pub(super) command: &'a str,
    /// Its rows are told by those that were released and suppressed.
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
    let gone = coarse::suppressed(suppressed);
    let read = facts.released + gone;
    Report {
        version: 1,
        program: format!("moretta {}", env!("CARGO_PKG_VERSION")),
        name: policy.name.clone(),
        purpose: policy.report_purpose.clone(),
        date: None,
        policy: policy.text.clone(),
        policy_sha256: sha256::of_text(&policy.text),
        command: facts.command.to_owned(),
        source: FileFacts {
            rows: read,
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
            read,
            read_is_bound: gone > 0,
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
        risk_by_column: None,
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
        promised_value: finite(claim.promised_value),
        found: claim.found_text.clone(),
        found_value: claim.found.and_then(finite),
        holds: claim.holds,
    });
    Verdict {
        passed: findings.passed() && truthful != Some(false),
        claims: claims.collect(),
        unit: findings.unit.word().to_owned(),
        truthful,
    }
}

/// A recursive figure may have no bound, which JSON has no number for.
fn finite(figure: f64) -> Option<f64> {
    figure.is_finite().then_some(figure)
}

/// The source as a report tells of it: neither its size nor an open sum, by which a guess at
/// the originals could be confirmed, but with a key of the policy a sum that its owner can check.
pub(super) fn source_facts(policy: &Policy) -> Result<FileFacts> {
    let source = &policy.source;
    let mac = match &policy.report_key {
        Some(key) if source.path.is_file() && source.more.is_empty() => {
            Some(sha256::of_file_with_key(&source.path, &key.load()?)?)
        }
        _ => None,
    };
    Ok(FileFacts {
        path: source.shown.clone(),
        format: format_word(source.options.format, &source.path),
        rows: 0,
        bytes: None,
        sha256: None,
        hmac_sha256: mac,
    })
}

fn format_word(format: Option<Format>, path: &Path) -> String {
    let format = format
        .or(Format::from_path(path).map(|(format, _)| format))
        .unwrap_or(Format::Csv);
    let word = serde_json::to_value(format).ok();
    let word = word.and_then(|v| v.as_str().map(str::to_owned));
    word.unwrap_or_default()
}

/// A file that is published, with its sum.
pub(super) fn file_facts(
    path: &Path,
    shown: &str,
    format: Option<Format>,
    rows: u64,
) -> Result<FileFacts> {
    // A pipe cannot be read again.
    let (sha256, bytes) = match path.is_file() {
        false => (None, None),
        true => {
            let (sha256, bytes) = sha256::of_file(path)?;
            (Some(sha256), Some(bytes))
        }
    };
    Ok(FileFacts {
        path: shown.to_owned(),
        format: format_word(format, path),
        rows,
        bytes,
        sha256,
        hmac_sha256: None,
    })
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
    let persons = judgement.published.persons_before;
    let mut bands: Vec<RiskBand> = judgement
        .published
        .bands
        .iter()
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

/// Whether a share stands for 1 to [`SMALL_CELL`] persons.
fn is_small(share: f64, persons: u64) -> bool {
    let count = (share * persons as f64).round();
    (1.0..=SMALL_CELL as f64).contains(&count)
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
    let persons = judgement.published.persons_before;
    let mut values = judgement.published.values.clone();
    values.sort_by_key(|value| place(value.name));
    values
        .into_iter()
        .filter_map(|value| {
            let info = measure::info(value.name)?;
            let limits = policy.fail_above.iter();
            let limit = limits.clone().find(|(name, _)| name == info.name);
            let limit = limit.map(|(_, limit)| *limit);
            Some(MeasureFact {
                name: info.name.to_owned(),
                meaning: info.meaning.to_owned(),
                family: info.family.word().to_owned(),
                before: value
                    .before
                    .filter(|&share| value.name != "uniques" || !is_small(share, persons)),
                // The run was accepted, so what it may be at most is not above the limit.
                after: limit.map_or(value.after, |limit| value.after.min(limit)),
                percent: info.percent,
                limit,
            })
        })
        .collect()
}

/// Every column of the file, also those that were never read.
fn columns(facts: &Facts<'_>) -> Vec<ColumnFact> {
    let unread = facts
        .policy
        .columns
        .iter()
        .filter(|column| facts.schema.index_of(&column.name).is_none());
    let unread = unread.map(|column| ColumnFact {
        name: column.name.clone(),
        role: column.role.word().to_owned(),
        treatment: "dropped".to_owned(),
        loss: None,
        missing_before: 0.0,
        missing_after: None,
        histogram: None,
    });
    let read = facts.schema.fields().iter();
    unread
        .chain(read.map(|field| column_fact(facts, field)))
        .collect()
}

fn column_fact(facts: &Facts<'_>, field: &Field) -> ColumnFact {
    let blank = ColumnFact {
        name: field.name.to_string(),
        role: field.role.word().to_owned(),
        treatment: treatment(facts, field).to_owned(),
        loss: None,
        missing_before: 0.0,
        missing_after: None,
        histogram: None,
    };
    let Some(judgement) = facts.judgement else {
        return blank;
    };
    let mut losses = judgement.published.column_loss.iter();
    let rows = judgement.findings.rows as usize;
    let shown = |missing: u64| coarse_share(missing as usize, rows);
    let distributions = &judgement.distributions;
    ColumnFact {
        loss: losses
            .find(|(name, _)| !facts.policy.represents(name) && **name == *field.name)
            .map(|(_, loss)| *loss),
        missing_before: distributions.missing_before(&field.name).map_or(0.0, shown),
        missing_after: distributions.missing_after(&field.name).map(shown),
        histogram: distributions.histogram(&field.name).map(histogram),
        ..blank
    }
}

fn treatment(facts: &Facts<'_>, field: &Field) -> &'static str {
    let policy = facts.policy;
    let action = policy.column(&field.name).map(|column| &column.action);
    let masked = facts.masked.as_ref();
    match (action, field.role) {
        (Some(Action::Drop), _) => "dropped",
        (Some(Action::Pseudonym { .. }), _) => "pseudonym",
        _ if masked.is_some_and(|m| m.masks.has(&field.name)) => "masked",
        (_, Role::Quasi) if policy.represents(&field.name) => "representative",
        (_, Role::Quasi) if policy.keeps_guarantee() => "generalised",
        _ => "kept",
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
    fn small_counts_of_missing_cells_look_alike() {
        let shares: Vec<f64> = (1..=11).map(|count| coarse_share(count, 1000)).collect();
        assert!(shares.iter().all(|&share| share == 0.011), "{shares:?}");
        assert_eq!(coarse_share(0, 1000), 0.0);
        assert_eq!(coarse_share(12, 1000), 0.012);
        assert_eq!(coarse_share(3, 3), 1.0);
    }
}
