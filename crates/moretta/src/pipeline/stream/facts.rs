//! From a stream to its report.

use crate::data::{Role, duration_text};
use crate::error::Result;
use crate::pipeline::facts::{file_facts, reasons, shown_read};
use crate::pipeline::progress::Progress;
use crate::pipeline::report::{
    Claim, ColumnFact, Report, RowFacts, SMALL_CELL, StageFact, StreamFacts, Verdict,
};
use crate::pipeline::sha256;
use crate::policy::{Action, Policy, SinkPolicy};
use crate::protect::Protector;
use crate::protect::z_anonymity::{Mode, Stream, ZAnonymity};

/// Everything a report is made from.
pub(super) struct Facts<'a> {
    pub(super) policy: &'a Policy,
    pub(super) config: &'a ZAnonymity,
    pub(super) sink: &'a SinkPolicy,
    pub(super) stream: &'a Stream,
    pub(super) read: u64,
    pub(super) released: u64,
    pub(super) escaped: u64,
    pub(super) warnings: Vec<String>,
    pub(super) command: &'a str,
    pub(super) progress: &'a Progress,
}

/// The report of a stream.
pub(super) fn report(facts: &Facts<'_>) -> Result<Report> {
    let policy = facts.policy;
    let real = facts.released - facts.stream.tally().fakes;
    let suppressed = reasons(&facts.stream.suppressed(), facts.read - real);
    let read = shown_read(real, &suppressed);
    let source = &policy.source;
    Ok(Report {
        version: 1,
        program: format!("moretta {}", env!("CARGO_PKG_VERSION")),
        name: policy.name.clone(),
        policy: policy.text.clone(),
        policy_sha256: sha256::of_text(&policy.text),
        command: facts.command.to_owned(),
        source: file_facts(&source.path, &source.shown, source.options.format, read)?,
        sink: Some(file_facts(
            &facts.sink.path,
            &facts.sink.shown,
            facts.sink.options.format,
            facts.released,
        )?),
        verdict: verdict(facts),
        rows: RowFacts {
            read,
            read_is_bound: suppressed.iter().any(|reason| reason.rows.is_none()),
            released: facts.released,
            suppressed,
            classes_before: 0,
            classes_after: 0,
            escaped: facts.escaped,
        },
        class_sizes: Vec::new(),
        measures: Vec::new(),
        columns: columns(policy),
        risk: Vec::new(),
        warnings: facts.warnings.clone(),
        stream: Some(stream_facts(facts)),
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

fn verdict(facts: &Facts<'_>) -> Verdict {
    let window = duration_text(facts.config.window);
    Verdict {
        passed: true,
        claims: vec![Claim {
            name: format!("z-anonymity in {window}"),
            promised: String::new(),
            found: String::new(),
            holds: true,
        }],
        unit: "persons".to_owned(),
        truthful: Some(true),
    }
}

fn columns(policy: &Policy) -> Vec<ColumnFact> {
    let treatment = |role: Role, action: &Action| match action {
        Action::Drop => "dropped",
        Action::Pseudonym { .. } => "pseudonym",
        Action::Keep if role == Role::Quasi => "generalised",
        Action::Keep => "kept",
    };
    policy
        .columns
        .iter()
        .map(|column| ColumnFact {
            name: column.name.clone(),
            role: column.role.word().to_owned(),
            treatment: treatment(column.role, &column.action).to_owned(),
            loss: None,
            missing_before: 0.0,
            missing_after: None,
            histogram: None,
        })
        .collect()
}

fn stream_facts(facts: &Facts<'_>) -> StreamFacts {
    let config = facts.config;
    let tally = facts.stream.tally();
    StreamFacts {
        window: config.window,
        mode: match config.mode {
            Mode::Exact => "exact",
            Mode::ZeroDelay => "zero-delay",
        }
        .to_owned(),
        z: facts.stream.z(),
        k: config.tune.map_or(config.k, |tune| tune.k),
        goal: config.tune.map(|tune| tune.goal),
        levels: tally.levels.iter().map(|&count| shown(count)).collect(),
        fakes: shown(tally.fakes),
        p_window: None,
        p_all: None,
        unique_window: None,
        unique_all: None,
        all_time_rows: None,
        entropy_before: None,
        entropy_after: None,
        residual_information: None,
        delay_mean: 0.0,
        delay_max: 0,
        timeline: Vec::new(),
    }
}

/// A count; from 1 to [`SMALL_CELL`] it is hidden.
fn shown(count: u64) -> Option<u64> {
    (count == 0 || count > SMALL_CELL).then_some(count)
}

/// What an operator should know.
pub(super) fn warnings(policy: &Policy, notes: Vec<String>) -> Vec<String> {
    let mut warnings = Vec::new();
    for column in &policy.columns {
        if column.role == Role::Subject && column.action == Action::Keep {
            warnings.push(format!(
                "column `{}` tells persons and is released as it is: whoever knows a few events of one finds the others; \
                 a pseudonym that rotates, or action = \"drop\", is safer",
                column.name
            ));
        }
    }
    warnings.extend(notes);
    warnings
}
