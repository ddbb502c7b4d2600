//! Puts a release to the checker and the measures, beside the originals.

use super::attacks::attacks;
use super::coarse::reasons;
use super::context::Context;
use super::distributions::Distributions;
use super::original::places_of;
use super::plan::{Action, Plan};
use super::population;
use super::published::{self, Published};
use super::shown::counted_as_text;
use crate::data::{Batch, Domain, Domains, ReadAs, Role, RowIds, Schema};
use crate::error::{Error, Result};
use crate::guarantee::{Checker, CombinationChecker, Declared, Fault, Findings, Missing};
use crate::measure::Measures;
use std::sync::Arc;

/// Rows judged at a time: what is made of them stays in the processor's caches.
const CHUNK: usize = 1 << 16;

/// Rows that a method was given, in the order of their ids, and their domains.
pub(crate) struct Given {
    pub(crate) rows: Batch,
    pub(crate) domains: Arc<Domains>,
}

/// Knows the rows that the method was given which keeps the guarantee, and judges
/// releases of them.
pub(crate) struct Judge<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) given: &'a Given,
}

/// What was made of the originals.
pub(crate) struct Made<'a> {
    /// The rows that leave, as they leave.
    pub(crate) release: &'a Batch,
    /// Why others were suppressed, and how many.
    pub(crate) suppressed: &'a [(String, u64)],
    /// What is untrue in them.
    pub(crate) untruths: Vec<Fault>,
    /// The columns that are masked.
    pub(crate) masked: &'a [String],
    /// What a learner loses, where it was measured.
    pub(crate) accuracy_losses: Vec<(&'static str, f64)>,
}

/// What a release is worth.
pub(crate) struct Judgement {
    /// What the checker found.
    pub(crate) findings: Findings,
    /// What is untrue in it.
    pub(crate) untruths: Vec<Fault>,
    /// Loss and risk, exactly.
    pub(crate) measures: Measures,
    /// What may be told of loss and risk.
    pub(crate) published: Published,
    /// How the values of each column are distributed.
    pub(crate) distributions: Distributions,
}

impl Judge<'_> {
    /// The domains of the quasi-identifiers as measures read a release: a
    /// representative is a value, though a node of the hierarchy may be called the same.
    fn measured_domains(&self) -> Vec<(String, Domain)> {
        let Given { rows, domains } = self.given;
        let domains = domains.quasi(rows.schema()).into_iter();
        domains
            .map(|(name, domain)| match self.plan.represents(&name) {
                true => (name, domain.without_hierarchy()),
                false => (name, domain),
            })
            .collect()
    }

    /// Counts and measures the rows that leave.
    pub(crate) fn judge(&self, made: Made<'_>, context: &Context) -> Result<Judgement> {
        let Given {
            rows: originals,
            domains,
        } = self.given;
        let release = counted_as_text(made.release)?;
        let mut declared = declared(self.plan, domains);
        declared.population = population::declared(context.population.as_ref(), domains);
        let guarantee = self.plan.guarantee_of_classes();
        let mut checker = Checker::new(&guarantee, release.schema(), declared)?;
        let mut combinations = CombinationChecker::new(self.plan.combinations()?);
        let schema = originals.schema();
        let mut measures = published::measures(self.plan, schema, &self.measured_domains());
        measures.tell_accuracy_losses(made.accuracy_losses);
        measures.expect(release.len());
        let subject = schema.with_role(Role::Subject).first().copied();
        let subject = subject.map(|place| &*schema.fields()[place].name);
        let places = places_of(originals, release.rows())?;
        let measured = measured_columns(self.plan, originals)?;
        let mut distributions = Distributions::new(self.plan, originals, domains);
        for start in (0..release.len()).step_by(CHUNK) {
            let released = release.slice(start, CHUNK.min(release.len() - start));
            let original = measured.take(&places[start..start + released.len()])?;
            let subjects = subject.and_then(|name| original.column_named(name)?.as_categories());
            let subjects = subjects.map(|subjects| subjects.codes());
            let (checked, (measured, ())) = rayon::join(
                || {
                    combinations.observe(&released, subjects)?;
                    checker.observe(&released, subjects)
                },
                || {
                    rayon::join(
                        || measures.observe(&original, &released),
                        || distributions.observe(&released),
                    )
                },
            );
            checked.and(measured)?;
            context.progress.add(released.len());
            context.cancel.check()?;
        }
        let persons = subject.and_then(|name| originals.column_named(name)?.as_categories());
        let persons = persons.map(|persons| persons.codes());
        let known = (originals, places.as_slice());
        let attacks = attacks(self.plan, context, &release, known, domains, persons)?;
        measures.tell_attacks(attacks);
        let released: Vec<u64> = release.rows().iter().collect();
        let gone = suppressed(originals.rows(), &released);
        drop((places, released));
        distributions.finish(self.plan, originals, &gone, made.masked)?;
        let reasons = reasons(made.suppressed, gone.len() as u64);
        let published = Published::new(&mut measures, reasons);
        for ids in gone.chunks(CHUNK) {
            measures.suppressed(&measured.take(ids)?)?;
        }
        let mut findings = checker.finish()?;
        findings.tell_combinations(combinations);
        if self.plan.reads_missing() != Missing::Own {
            let places = places_of(originals, release.rows())?;
            let beside = counted_as_text(&measured.take(&places)?)?;
            let claims = self.plan.wild_claims(&release, Some(&beside))?;
            findings.claims.extend(claims);
        }
        Ok(Judgement {
            findings,
            untruths: made.untruths,
            measures,
            published,
            distributions,
        })
    }
}

/// The columns of the originals that measures look at.
fn measured_columns(plan: &Plan, originals: &Batch) -> Result<Batch> {
    let fields = originals.schema().fields().iter();
    let columns = fields.zip(originals.columns());
    let watched = columns.filter(|(field, _)| {
        let watched = matches!(field.role, Role::Quasi | Role::Subject | Role::Class);
        watched || plan.risk.columns().any(|name| *name == *field.name)
    });
    let (fields, columns) = watched
        .map(|(field, column)| (field.clone(), column.clone()))
        .unzip();
    let schema = Arc::new(Schema::new(fields)?);
    Batch::new(schema, originals.rows().clone(), columns)
}

impl Judgement {
    /// Every promise holds and every row is true.
    pub(crate) fn passed(&self) -> bool {
        self.findings.passed() && self.untruths.is_empty()
    }

    /// The value of a measure.
    pub(crate) fn measure(&self, name: &str) -> Option<f64> {
        self.measures.value(name).map(|value| value.after)
    }

    /// Why it does not pass.
    pub(crate) fn refusal(&self) -> Error {
        if let Some(fault) = self.untruths.first().or(self.findings.faults.first()) {
            return refused(fault);
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

/// A release that is not true, or not what was checked.
pub(crate) fn refused(fault: &Fault) -> Error {
    Error::guarantee(format!("the release is at fault: {fault}"))
        .help("nothing was written. Does the column hold a value that looks like a region (`*`, `a..b`, `{a|b}`), like `missing` of [sink], or like a guarded formula (`'=…`)? Then rename it; if not, please report this")
}

/// What the policy declares about columns.
pub(crate) fn declared(plan: &Plan, domains: &Domains) -> Declared {
    let mut declared = Declared::default();
    for column in &plan.columns {
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

/// The places of rows that are not among the released ids.
fn suppressed(rows: &RowIds, released: &[u64]) -> Vec<u32> {
    let last = rows.iter().last();
    let mut gone = vec![true; last.map_or(0, |last| last as usize + 1)];
    released.iter().for_each(|&id| gone[id as usize] = false);
    let places = rows.iter().zip(0..);
    places
        .filter_map(|(id, place)| gone[id as usize].then_some(place))
        .collect()
}
