//! Whether methods can follow each other: what one promises must survive those after it.
//!
//! Each method gets what the one before it releases and nothing else. What each does to its
//! columns and what it promises is said by the method ([`Effect`], [`Claim`]); here it is only
//! put together:
//!
//! - A promise survives a method that does not change the columns it is about. k is about
//!   quasi-identifiers, l, t and p also about sensitive columns, whose values may change
//!   places inside of classes; groups are about the columns that they were made in.
//! - Values that were made different by a mask are not diverse: l, t and p are not promised
//!   of columns that were masked before.
//! - What is released must not tell of rows that are suppressed, so no method mixes records
//!   before rows are suppressed.
//! - Recoding of a stream looks at each value by itself: rows that were alike stay alike, and ε
//!   counts what comes after it. What it shows as text no other method changes again.
//! - A sample is drawn before anything else is done: k, groups and noise are of the rows that
//!   leave, and nothing of the others is mixed into them.
//! - ε counts what one record can change in the values that a method is given. It
//!   survives whatever is done to its noisy values later, since that sees nothing else of
//!   the originals; but no earlier method may have used those values.

use super::{ColumnPolicy, Plan, Stage};
use crate::data::{Role, Schema};
use crate::error::{Error, Result};
use crate::guarantee::ColumnPromise;
use crate::protect::{About, Claim, Effect, Method, recoding_effects};
use std::ops::Range;

/// Fails where methods do not go together, whatever their columns. `spans` tells where each
/// of them stands.
pub(crate) fn check_kinds(methods: &[Method], spans: &[Range<usize>]) -> Result<()> {
    match misfit(methods) {
        Some((step, what, help)) if methods.len() > 1 => {
            Err(at(Error::policy(what), spans, step).help(help))
        }
        _ => Ok(()),
    }
}

/// Fails where a promise does not survive, or a method cannot work behind those before it.
pub(crate) fn check(plan: &Plan, spans: &[Range<usize>]) -> Result<()> {
    let stages = plan.stages();
    let refused = |(place, error)| at(error, spans, place);
    needs_classes(&stages).map_err(refused)?;
    if plan.protect.len() < 2 {
        return Ok(());
    }
    let schema = plan.declared_schema()?;
    let mut steps: Vec<Step<'_>> = Vec::new();
    for stage in stages {
        shows_regions(&stage, &schema).map_err(refused)?;
        let step = Step::new(stage, &schema)?;
        step.follows(plan, &steps).map_err(refused)?;
        steps.push(step);
    }
    Ok(())
}

/// A recoded value stands for several, so none of them can stand for a class.
fn shows_regions(stage: &Stage<'_>, schema: &Schema) -> std::result::Result<(), Refusal> {
    let Some(recoding) = stage.recoding else {
        return Ok(());
    };
    let effects = recoding_effects(recoding, schema);
    let fields = schema.fields().iter().zip(effects);
    let mut recoded = fields.filter(|(_, effect)| *effect != Effect::Kept);
    match recoded.find(|(field, _)| stage.method.represents(&field.name)) {
        None => Ok(()),
        Some((field, _)) => {
            let what = format!(
                "`{}` is recoded, and no value of it can stand for a class",
                field.name
            );
            let help = "show regions of it: output = \"auto\", or leave it out of recoding";
            Err((stage.place, Error::policy(what).help(help)))
        }
    }
}

/// Values swap inside the classes that a step before has made.
fn needs_classes(stages: &[Stage<'_>]) -> std::result::Result<(), Refusal> {
    let swaps = stages.iter().position(|stage| {
        let masking = stage.method.as_masking();
        masking.is_some_and(|masking| masking.inside_classes())
    });
    let classes = stages
        .iter()
        .position(|stage| stage.claim() == Claim::Classes);
    match swaps {
        Some(swaps) if classes.is_none_or(|classes| classes > swaps) => {
            let name = stages[swaps].method.name();
            let what = format!("{name} swaps inside classes, and nothing before it makes any");
            let help = "put mondrian or generalization before it, or take `inside` out";
            Err((stages[swaps].place, Error::policy(what).help(help)))
        }
        _ => Ok(()),
    }
}

/// An error, and the place of the method that it is about.
type Refusal = (usize, Error);

/// A step of the chain and what it does to each column.
struct Step<'a> {
    stage: Stage<'a>,
    effects: Vec<(String, Effect)>,
}

impl<'a> Step<'a> {
    fn new(stage: Stage<'a>, schema: &Schema) -> Result<Self> {
        let names = schema.fields().iter().map(|field| field.name.to_string());
        let effects = names.zip(stage.effects(schema)?).collect();
        Ok(Step { stage, effects })
    }

    fn name(&self) -> &'static str {
        self.stage.method.name()
    }

    fn effect(&self, column: &str) -> Effect {
        let mut effects = self.effects.iter();
        let found = effects.find(|(name, _)| name == column);
        found.map_or(Effect::Kept, |(_, effect)| *effect)
    }

    fn changes(&self, column: &str) -> bool {
        self.effect(column) != Effect::Kept
    }

    fn changed(&self) -> impl Iterator<Item = &str> {
        let changed = self.effects.iter().filter(|(_, e)| *e != Effect::Kept);
        changed.map(|(name, _)| name.as_str())
    }

    fn refuse(&self, what: String, help: &str) -> std::result::Result<(), Refusal> {
        Err((self.stage.place, Error::policy(what).help(help)))
    }

    /// Fails where it cannot follow the steps before.
    fn follows(&self, plan: &Plan, steps: &[Step<'_>]) -> std::result::Result<(), Refusal> {
        if plan.keeps_guarantee() {
            self.keeps_persons(plan)?;
        }
        for before in steps {
            self.needs_values(before)?;
            self.needs_unused_values(before)?;
            self.needs_unmixed_rows(before)?;
            self.counts_values_as_they_were(plan, before)?;
            self.lets_survive(plan, before)?;
        }
        Ok(())
    }

    /// Persons are counted by what names them, so no method masks that.
    fn keeps_persons(&self, plan: &Plan) -> std::result::Result<(), Refusal> {
        let names = |column: &&ColumnPolicy| {
            matches!(column.role, Role::Subject | Role::Key | Role::Identifier)
                && self.changes(&column.name)
        };
        let Some(column) = plan.columns.iter().find(names) else {
            return Ok(());
        };
        let what = format!(
            "{} masks `{}`, by which persons are counted",
            self.name(),
            column.name
        );
        let help = "give it a pseudonym or drop it: action = \"pseudonym\" or \"drop\"";
        self.refuse(what, help)
    }

    /// Recoding of a stream shows quasi-identifiers as texts, as do methods that make them coarser.
    fn needs_values(&self, before: &Step<'_>) -> std::result::Result<(), Refusal> {
        let read = self.stage.method.reads().into_iter();
        if let Some(name) = { read }.find(|name| before.effect(name) == Effect::Covered) {
            return self.refuse(
                format!(
                    "{} looks at `{name}`, which {} shows as text",
                    self.name(),
                    before.name()
                ),
                "put its [[protect]] before the other, or name other columns",
            );
        }
        let shown = |name: &&str| before.effect(name) == Effect::Covered && self.changes(name);
        let mut changed = before.changed();
        match changed.find(shown) {
            Some(name) if before.stage.method.recodes_stream() => self.refuse(
                format!(
                    "recoding shows `{name}` as text, which {} cannot change",
                    self.name()
                ),
                "put recoding behind it, or name other columns",
            ),
            _ => Ok(()),
        }
    }

    /// What is told of classes would be computed from values that are not private yet.
    fn needs_unused_values(&self, before: &Step<'_>) -> std::result::Result<(), Refusal> {
        let by_itself = before.stage.method.recodes_stream();
        // Whom a stratum lets in depends on how many others are in it.
        let read = before.stage.method.reads();
        let masks = before.stage.method.as_masking().is_some();
        let strata = before.stage.method.samples() && (masks || !read.is_empty());
        let looked_at = read.iter().any(|name| self.changes(name));
        let mixed = !by_itself && before.changed().any(|name| self.changes(name));
        let used = mixed || strata || looked_at || before.stage.claim() == Claim::Classes;
        match self.stage.claim() == Claim::Privacy && used {
            false => Ok(()),
            true => self.refuse(
                format!(
                    "{} promises ε, and {} has used its values before it",
                    self.name(),
                    before.name()
                ),
                "make the values private first: put that [[protect]] before the other",
            ),
        }
    }

    fn needs_unmixed_rows(&self, before: &Step<'_>) -> std::result::Result<(), Refusal> {
        let mixed = before.stage.method.mixes_records();
        match self.stage.method.may_suppress() && mixed {
            false => Ok(()),
            true => self.refuse(
                format!(
                    "{} may suppress rows that {} has mixed into others before",
                    self.name(),
                    before.name()
                ),
                "set suppress = 0, or put the mask behind it where it masks no quasi-identifier",
            ),
        }
    }

    fn counts_values_as_they_were(
        &self,
        plan: &Plan,
        before: &Step<'_>,
    ) -> std::result::Result<(), Refusal> {
        let diverse = diverse(plan).find(|name| before.changes(name));
        match (diverse, self.stage.claim()) {
            (Some(name), Claim::Classes) => before.refuse(
                format!(
                    "l, t and p of `{name}` would count values that {} has made different",
                    before.name()
                ),
                "take the column out of its `columns`, or out of l, t and p under [guarantee]",
            ),
            _ => Ok(()),
        }
    }

    /// What the step before promises survives this one.
    fn lets_survive(&self, plan: &Plan, before: &Step<'_>) -> std::result::Result<(), Refusal> {
        let promised = before.promised(plan);
        let broken = promised
            .iter()
            .find(|(name, about)| !about.survives(self.effect(name)))
            // Equal values are recoded to equal ones.
            .filter(|(_, about)| *about != About::Likeness || !self.stage.method.recodes_stream());
        if let Some((name, _)) = broken {
            let what = format!(
                "what {} promises of `{name}` does not survive {}, which changes it again",
                before.name(),
                self.name()
            );
            let help = "put that [[protect]] before the other, or name other `columns` for it";
            return self.refuse(what, help);
        }
        let exchanged = |(name, about): &&(String, About)| {
            *about == About::Values && self.effect(name) == Effect::Exchanged
        };
        let persons = plan.columns.iter().find(|c| c.role == Role::Subject);
        match (promised.iter().find(exchanged), persons) {
            (Some((name, _)), Some(persons)) => self.refuse(
                format!(
                    "l, t and p of `{name}` count the persons of `{}`, and {} would give the \
                     values of one with several rows to others",
                    persons.name,
                    self.name()
                ),
                "take the column out of l, t and p under [guarantee], or do not swap it",
            ),
            _ => Ok(()),
        }
    }

    /// The columns that its promise is about.
    fn promised(&self, plan: &Plan) -> Vec<(String, About)> {
        let like = |name: &str| (name.to_owned(), About::Likeness);
        match self.stage.claim() {
            // ε outlives whatever is done to noisy values.
            Claim::Nothing | Claim::Privacy => Vec::new(),
            // Where k is promised of all quasi-identifiers, groups in some of them are not.
            Claim::Groups if plan.keeps_guarantee() => Vec::new(),
            Claim::Groups => self.changed().map(like).collect(),
            Claim::Classes => {
                let quasi = plan.columns.iter().filter(|c| c.role == Role::Quasi);
                let values = diverse(plan).map(|name| (name.to_owned(), About::Values));
                quasi
                    .map(|column| like(&column.name))
                    .chain(values)
                    .collect()
            }
        }
    }
}

/// The error with the place of a method, where there is a text to point at.
fn at(error: Error, spans: &[Range<usize>], step: usize) -> Error {
    match spans.get(step) {
        Some(span) => error.at(span.clone()),
        None => error,
    }
}

/// The first method that does not go with the others, why, and what to do.
fn misfit(methods: &[Method]) -> Option<(usize, String, &'static str)> {
    let place = |wanted: &dyn Fn(&Method) -> bool| methods.iter().position(wanted);
    if let Some(misfit) = super::events::misfit(methods) {
        return Some(misfit);
    }
    let sampling = methods.iter().skip(1).position(Method::samples);
    if let Some(step) = sampling.map(|place| place + 1) {
        let what = format!(
            "{} would draw from rows of which {} has used those that are not drawn",
            methods[step].name(),
            methods[step - 1].name()
        );
        return Some((
            step,
            what,
            "draw once, and first: put its [[protect]] before the others",
        ));
    }
    let coarse = (0..methods.len()).filter(|&step| methods[step].keeps_guarantee());
    for (first, second) in coarse.clone().zip(coarse.skip(1)) {
        if methods[second].is_recoding() {
            let what = "recoding would recode what another method has made coarser".to_owned();
            return Some((second, what, "keep one, and put it first"));
        }
        if !methods[first].is_recoding() {
            let what = "a second method would generalise what the first one releases".to_owned();
            return Some((second, what, "keep one of them"));
        }
        if first + 1 != second {
            let what = format!(
                "{} stands between recoding and {}",
                methods[first + 1].name(),
                methods[second].name()
            );
            return Some((
                first + 1,
                what,
                "put it before recoding, or behind the other",
            ));
        }
    }
    if let Some(step) = place(&|method| method.as_projection().is_some()) {
        let what = "random-projection replaces columns and stands alone".to_owned();
        return Some((step, what, "keep one [[protect]]"));
    }
    let mut private = (0..methods.len()).filter(|&step| methods[step].claim() == Claim::Privacy);
    if let Some(second) = private.nth(1) {
        let what = "two private methods would add up what each lets a record lose".to_owned();
        return Some((second, what, "keep one; local-dp takes several columns"));
    }
    let is_stream = |method: &Method| method.buffer().is_some() || method.as_stream().is_some();
    match place(&|method| !is_stream(method)) {
        Some(step) if methods.iter().any(is_stream) => {
            let what = format!(
                "{} waits for the whole table and another method makes the rows a stream",
                methods[step].name()
            );
            Some((step, what, "make all of them a stream by `buffer`, or none"))
        }
        _ => None,
    }
}

/// The sensitive columns that something is promised of.
fn diverse(plan: &Plan) -> impl Iterator<Item = &str> {
    plan.guarantee.of_columns().map(ColumnPromise::column)
}
