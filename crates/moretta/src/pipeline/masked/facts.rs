//! From a masked release to its report.

use super::flow::Flow;
use crate::data::{Role, Schema};
use crate::error::Result;
use crate::measure::pairs::PairMeasures;
use crate::pipeline::facts::{Blank, blank, file_facts, reasons, shown_read, stages};
use crate::pipeline::progress::Progress;
use crate::pipeline::report::{Claim, ColumnFact, Report, Verdict};
use crate::pipeline::sha256;
use crate::policy::{Action, Policy, SinkPolicy};
use crate::protect::Masking;
use std::path::Path;

/// What k leaves open.
pub(super) const SENSITIVE: &str = "only k is promised although a sensitive column exists: a group in which all share one value gives it away";

/// Everything a report is made from.
pub(super) struct Facts<'a> {
    pub(super) policy: &'a Policy,
    pub(super) masking: &'a dyn Masking,
    pub(super) sink: &'a SinkPolicy,
    pub(super) flow: &'a Flow,
    pub(super) places: &'a [usize],
    pub(super) schema: &'a Schema,
    /// The smallest crowd, where there must be crowds.
    pub(super) smallest: Option<u64>,
    pub(super) escaped: u64,
    /// Where the release lies now.
    pub(super) path: &'a Path,
    pub(super) notes: Vec<String>,
    pub(super) command: &'a str,
    pub(super) progress: &'a Progress,
}

impl Facts<'_> {
    /// What leaves is differentially private.
    fn is_private(&self) -> bool {
        self.masking.loss().is_some()
    }

    /// The policy asks for measures, which compare with the originals.
    fn is_asked(&self) -> bool {
        !(self.policy.report_measures.is_empty() && self.policy.fail_above.is_empty())
    }
}

/// The report of a masked release.
pub(super) fn report(facts: &Facts<'_>) -> Result<Report> {
    let Facts { policy, flow, .. } = facts;
    let suppressed = reasons(&flow.suppressed(), flow.read - flow.released);
    let read = shown_read(flow.released, &suppressed);
    let source = &policy.source;
    let text = without_seed(&policy.text);
    let told = !facts.is_private() || facts.is_asked();
    // A sum of the originals would confirm a guess of any of them.
    let secret = match facts.is_private() {
        true => Path::new("-"),
        false => source.only_path().unwrap_or(Path::new("-")),
    };
    let blank = blank(&Blank {
        policy,
        command: facts.command,
        source: file_facts(secret, &source.shown, source.options.format, read)?,
        sink: file_facts(
            facts.path,
            &facts.sink.shown,
            facts.sink.options.format,
            flow.released,
        )?,
        released: flow.released,
        suppressed,
        escaped: facts.escaped,
    });
    Ok(Report {
        verdict: verdict(facts),
        columns: columns(facts),
        warnings: warnings(facts),
        pairs: flow.measures().filter(|_| told).map(PairMeasures::facts),
        policy_sha256: sha256::of_text(&text),
        policy: text,
        stages: stages(facts.progress),
        ..blank
    })
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

fn verdict(facts: &Facts<'_>) -> Verdict {
    let found = |smallest: Option<u64>| match smallest {
        None => "nothing released".to_owned(),
        Some(smallest) => smallest.to_string(),
    };
    let claim = facts.masking.k().map(|k| Claim {
        name: "k-anonymity of the masked columns".to_owned(),
        promised: format!("at least {k}"),
        found: found(facts.smallest),
        holds: true,
    });
    // Nobody can read ε off a release: it is kept by how the noise is made.
    let loss = facts.masking.loss().map(|loss| Claim {
        name: "differential privacy of the masked columns".to_owned(),
        promised: loss,
        found: "kept by the accountant".to_owned(),
        holds: true,
    });
    Verdict {
        passed: true,
        claims: claim.into_iter().chain(loss).collect(),
        unit: "rows".to_owned(),
        // A masked value is not the value of anybody.
        truthful: None,
    }
}

fn columns(facts: &Facts<'_>) -> Vec<ColumnFact> {
    let masked = |name: &str| {
        let place = facts.schema.index_of(name);
        place.is_some_and(|place| facts.places.contains(&place))
    };
    let columns = facts.policy.columns.iter();
    columns
        .map(|column| ColumnFact {
            name: column.name.clone(),
            role: column.role.word().to_owned(),
            treatment: match column.action {
                Action::Drop => "dropped",
                Action::Pseudonym { .. } => "pseudonym",
                Action::Keep if masked(&column.name) => "masked",
                Action::Keep => "kept",
            }
            .to_owned(),
            loss: None,
            missing_before: 0.0,
            missing_after: None,
            histogram: None,
        })
        .collect()
}

fn warnings(facts: &Facts<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    let columns = facts.policy.columns.iter();
    let open: Vec<String> = columns
        .filter(|column| column.role == Role::Quasi && column.action == Action::Keep)
        .filter(|column| {
            let place = facts.schema.index_of(&column.name);
            place.is_some_and(|place| !facts.places.contains(&place))
        })
        .map(|column| format!("`{}`", column.name))
        .collect();
    if !open.is_empty() {
        warnings.push(format!(
            "quasi-identifiers are released as they are: {}",
            open.join(", ")
        ));
    }
    if facts.policy.seed.is_some() && facts.masking.loss().is_none() {
        warnings.push(
            "the policy has a seed: whoever knows it can draw the same random numbers and undo them"
                .to_owned(),
        );
    }
    if facts.is_private() && facts.is_asked() {
        warnings.push(
            "measures compare with the originals and are not differentially private: keep the report to yourself"
                .to_owned(),
        );
    }
    // How often a value left as it was is a fact about the originals, too.
    let unchanged = match facts.is_private() {
        true => Vec::new(),
        false => facts.flow.unchanged(),
    };
    for name in unchanged {
        warnings.push(format!("most numbers of column `{name}` left as they were"));
    }
    if facts.policy.seed.is_some() && facts.is_private() {
        warnings.push("the seed is not used: private noise is never drawn again".to_owned());
    }
    let sensitive = facts
        .policy
        .columns
        .iter()
        .any(|c| c.role == Role::Sensitive);
    if sensitive && facts.masking.k().is_some() {
        warnings.push(SENSITIVE.to_owned());
    }
    warnings.extend_from_slice(&facts.notes);
    warnings
}
