//! Reads a release back from its file and puts it to the checker, the originals and the measures.

use super::coarse::reasons;
use super::distributions::Distributions;
use super::place::Pending;
use super::progress::{Progress, Stage};
use super::published::{self, Published};
use super::release_columns::{Taken, release_plans};
use crate::data::{Batch, Domain, Domains, Role};
use crate::error::{Error, Result};
use crate::guarantee::{Checker, Declared, Fault, Findings, Treatment, Truth};
use crate::io::{self, ReadAs, ReadOptions};
use crate::measure::Measures;
use crate::policy::{Action, Policy, SinkPolicy};

/// Rows judged at a time.
const CHUNK: usize = 1 << 20;

/// Knows the originals and judges releases of them.
pub(super) struct Judge<'a> {
    policy: &'a Policy,
    original: &'a Batch,
    treatments: Vec<(String, Treatment)>,
    domains: &'a Domains,
}

/// What was made of the originals.
pub(super) struct Made<'a> {
    /// The id of the original of each released row.
    pub(super) order: &'a [u64],
    /// Why others were suppressed, and how many.
    pub(super) suppressed: &'a [(String, u64)],
    /// What a learner loses, where it was measured.
    pub(super) accuracy_losses: Vec<(&'static str, f64)>,
}

/// What a release is worth.
pub(super) struct Judgement {
    /// What the checker found.
    pub(super) findings: Findings,
    /// What is untrue in it.
    pub(super) untruths: Vec<Fault>,
    /// Loss and risk, exactly.
    pub(super) measures: Measures,
    /// What may be told of loss and risk.
    pub(super) published: Published,
    /// How the values of each column are distributed.
    pub(super) distributions: Distributions,
}

impl<'a> Judge<'a> {
    /// Judges releases of `original` under the policy.
    pub(super) fn new(
        policy: &'a Policy,
        original: &'a Batch,
        domains: &'a Domains,
    ) -> Result<Self> {
        let treatments = original
            .schema()
            .fields()
            .iter()
            .map(|field| {
                Ok((
                    field.name.to_string(),
                    treatment(policy, &field.name, field.role, domains)?,
                ))
            })
            .collect::<Result<_>>()?;
        Ok(Judge {
            policy,
            original,
            treatments,
            domains,
        })
    }

    /// The domains of the quasi-identifiers as measures read a release: a
    /// representative is a value, though a node of the hierarchy may be called the same.
    fn measured_domains(&self) -> Vec<(String, Domain)> {
        let domains = self.domains.quasi(self.original.schema()).into_iter();
        domains
            .map(|(name, domain)| {
                if self.policy.represents(&name) {
                    (name, domain.without_hierarchy())
                } else {
                    (name, domain)
                }
            })
            .collect()
    }

    /// Reads the release back; its i-th row was made for the original with the i-th id of `order`.
    pub(super) fn judge(
        &self,
        pending: &Pending,
        sink: &SinkPolicy,
        made: &Made<'_>,
        progress: &Progress,
    ) -> Result<Judgement> {
        let order = made.order;
        progress.enter(Stage::Check);
        let options = reading(self.policy, sink);
        let path = pending.temporary();
        let plans = release_plans(self.policy, path, &options, Taken::Release)?;
        let source = io::open(path, &options, &plans)?;
        let declared = declared(self.policy, self.domains);
        let mut checker = Checker::new(&self.policy.guarantee, source.schema(), declared)?;
        let escapes = sink.options.guard_formulas;
        let missing = io::unmarked_missing(&sink.path, &sink.options)?;
        let mut truth =
            Truth::new(self.original.schema(), &self.treatments, escapes)?.with_missing(missing);
        let schema = self.original.schema();
        let mut measures = published::measures(self.policy, schema, &self.measured_domains());
        measures.tell_accuracy_losses(made.accuracy_losses.clone());
        let subject = self
            .original
            .schema()
            .with_role(Role::Subject)
            .first()
            .copied();
        let mut distributions = Distributions::new(self.policy, self.original, self.domains);
        let mut start = 0;
        for released in source {
            let released = released?;
            let end = start + released.len();
            if end > order.len() {
                return Err(Error::bug("the file holds more rows than were released"));
            }
            let ids: Vec<u32> = order[start..end].iter().map(|&id| id as u32).collect();
            let original = self.original.take(&ids)?;
            let subjects = subject.and_then(|i| original.column(i).as_categories());
            let subjects = subjects.map(|subjects| subjects.codes());
            let (checked, (told, measured)) = rayon::join(
                || checker.observe(&released, subjects),
                || {
                    rayon::join(
                        || truth.observe(&original, &released),
                        || measures.observe(&original, &released),
                    )
                },
            );
            checked.and(told).and(measured)?;
            distributions.observe(&original, &released);
            progress.add(released.len());
            start = end;
        }
        distributions.finish(self.policy, self.original, order);
        let gone = suppressed(self.original.len(), order);
        let reasons = reasons(made.suppressed, gone.len() as u64);
        let published = Published::new(&mut measures, reasons);
        for ids in gone.chunks(CHUNK) {
            measures.suppressed(&self.original.take(ids)?)?;
        }
        Ok(Judgement {
            findings: checker.finish()?,
            untruths: truth.findings(Some(order.len() as u64)),
            measures,
            published,
            distributions,
        })
    }
}

impl Judgement {
    /// Every promise holds and every row is true.
    pub(super) fn passed(&self) -> bool {
        self.findings.passed() && self.untruths.is_empty()
    }

    /// The value of a measure.
    pub(super) fn measure(&self, name: &str) -> Option<f64> {
        self.measures
            .values()
            .into_iter()
            .find(|value| value.name == name)
            .map(|value| value.after)
    }

    /// Why it does not pass.
    pub(super) fn refusal(&self) -> Error {
        if let Some(fault) = self.untruths.first().or(self.findings.faults.first()) {
            return Error::guarantee(format!("the release is at fault: {fault}"))
                .help("nothing was written. Does the column hold a value that looks like a region (`*`, `a..b`, `{a|b}`), like `missing` of [sink], or like a guarded formula (`'=…`)? Then rename it; if not, please report this");
        }
        let broken: Vec<String> = self
            .findings
            .claims
            .iter()
            .filter(|claim| !claim.holds)
            .map(|claim| {
                format!(
                    "{}: promised {}, found {} ({} classes)",
                    claim.name, claim.promised, claim.found_text, claim.failing_classes
                )
            })
            .collect();
        Error::guarantee(format!(
            "the release misses its guarantee: {}",
            broken.join("; ")
        ))
        .help("nothing was written")
    }
}

fn treatment(policy: &Policy, name: &str, role: Role, domains: &Domains) -> Result<Treatment> {
    Ok(match (policy.column(name).map(|c| &c.action), role) {
        (Some(Action::Drop), _) => Treatment::Dropped,
        (Some(Action::Pseudonym { .. }), _) => Treatment::Pseudonym,
        (_, Role::Quasi) => {
            let domain = domains.require(name)?.clone();
            match policy.represents(name) {
                true => Treatment::Representative(domain),
                false => Treatment::Generalised(domain),
            }
        }
        _ => Treatment::Kept,
    })
}

/// How to read back what was written: with the limits that the table was read with.
pub(super) fn reading(policy: &Policy, sink: &SinkPolicy) -> ReadOptions {
    ReadOptions {
        format: sink.options.format,
        compression: sink.options.compression,
        delimiter: sink.options.delimiter,
        missing: vec![sink.options.missing.clone()],
        batch_rows: Some(CHUNK),
        names: released_names(policy),
        limits: policy.source.options.limits,
        ..ReadOptions::default()
    }
}

/// The columns of a release under the policy.
pub(super) fn released_names(policy: &Policy) -> Vec<String> {
    let columns = policy.columns.iter();
    let released = columns.filter(|column| column.action != Action::Drop);
    released.map(|column| column.name.clone()).collect()
}

/// What the policy declares about columns.
pub(super) fn declared(policy: &Policy, domains: &Domains) -> Declared {
    let mut declared = Declared::default();
    for column in &policy.columns {
        let name = column.name.clone();
        if matches!(column.action, Action::Pseudonym { .. }) {
            declared.pseudonyms.push(name.clone());
        }
        if let ReadAs::Ordered(order) = &column.read {
            declared.orders.insert(name.clone(), order.clone());
        }
        if let Some(tree) = domains
            .get(&name)
            .and_then(|domain| domain.hierarchy.clone())
        {
            declared.trees.insert(name, tree);
        }
    }
    declared
}

/// The rows that are not among the released ids.
fn suppressed(rows: usize, released: &[u64]) -> Vec<u32> {
    let mut gone = vec![true; rows];
    released.iter().for_each(|&id| gone[id as usize] = false);
    (0..rows as u32).filter(|&row| gone[row as usize]).collect()
}
