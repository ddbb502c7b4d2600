//! What a report tells of the run and its files, beside what the session tells of the rows.

use super::sha256;
use crate::engine::Progress;
use crate::engine::report::{FileFacts, Report, RowFacts, StageFact};
use crate::error::Result;
use crate::io::{Files, Format};
use crate::policy::{Policy, SinkPolicy};
use std::path::Path;

/// A run that has written its release.
pub(super) struct Written<'a> {
    pub(super) policy: &'a Policy,
    pub(super) sink: &'a SinkPolicy,
    /// Where the release lies now; `-` when no sum of it is wanted or possible.
    pub(super) path: &'a Path,
    /// Rows in it.
    pub(super) rows: u64,
    /// Cells escaped against formulas.
    pub(super) escaped: u64,
    pub(super) command: &'a str,
    pub(super) progress: &'a Progress,
}

impl Written<'_> {
    /// Fills in what the session does not know.
    pub(super) fn fill(&self, report: Report) -> Result<Report> {
        let (policy, sink) = (self.policy, self.sink);
        let (source, release) = rayon::join(
            || source_facts(policy),
            || {
                let how = (&policy.files, sink.options.format);
                file_facts(self.path, &sink.shown, how, self.rows)
            },
        );
        // The numbers of nodes are drawn, too.
        let text = match policy.plan.draws() || policy.graph.is_some() {
            true => without_seed(&policy.text),
            false => policy.text.clone(),
        };
        Ok(Report {
            name: policy.name.clone(),
            purpose: policy.report_purpose.clone(),
            policy_sha256: sha256::of_text(&text),
            policy: text,
            command: self.command.to_owned(),
            source: FileFacts {
                rows: report.source.rows,
                ..source?
            },
            sink: Some(release?),
            rows: RowFacts {
                escaped: self.escaped,
                ..report.rows
            },
            stages: stages(self.progress),
            ..report
        })
    }
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

/// The stages of a run and the seconds spent in each; it ends the last of them.
fn stages(progress: &Progress) -> Vec<StageFact> {
    let stages = progress.leave().into_iter();
    stages
        .map(|(stage, seconds)| StageFact {
            name: stage.word().to_owned(),
            seconds,
        })
        .collect()
}

/// The source as a report tells of it: neither its size nor an open sum, by which a guess at
/// the originals could be confirmed, but with a key of the policy a sum that its owner can check.
fn source_facts(policy: &Policy) -> Result<FileFacts> {
    let source = &policy.source;
    let mac = match &policy.report_key {
        Some(key) if policy.files.is_file(&source.path) && source.more.is_empty() => {
            let key = policy.load_key(key)?;
            Some(sha256::of_file_with_key(&source.path, &policy.files, &key)?)
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
    let format = format.or_else(|| Format::from_path(path));
    format.unwrap_or(Format::Csv).name().to_owned()
}

/// A file that is published, with its sum.
pub(super) fn file_facts(
    path: &Path,
    shown: &str,
    (files, format): (&Files, Option<Format>),
    rows: u64,
) -> Result<FileFacts> {
    // A pipe cannot be read again.
    let (sha256, bytes) = match files.is_file(path) {
        false => (None, None),
        true => {
            let (sha256, bytes) = sha256::of_file(path, files)?;
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
