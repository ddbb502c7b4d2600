//! Rows held against the rules of their plan.
//!
//! The source is judged before anything is protected, the release as it leaves. A release is read
//! as anybody reads it, from its texts and the policy alone, so that `verify` finds the same.

use super::arrival::SOURCE_SHIFT;
use super::coarse::at_most;
use super::plan::{ColumnPolicy, Plan};
use super::report::RuleFact;
use crate::data::hierarchy::Texts;
use crate::data::{Batch, Kind, Role, Schema};
use crate::error::{Error, Result};
use crate::guarantee::{
    Breach, ClaimFinding, ColumnKind, ColumnRule, Constant, Formula, Labels, Missing, Operand,
    Reading, RuleChecker, RuleCount,
};
use std::slice;
use std::sync::Arc;

/// Rows that are judged between two looks at whether to stop.
pub(crate) const CHUNK: usize = 1 << 18;

/// The columns that rules name, read so.
fn readings(
    plan: &Plan,
    labels: impl Fn(&ColumnPolicy, &ColumnKind) -> Result<Labels>,
) -> Result<Vec<Reading>> {
    let formulas: Vec<Formula> = plan.rules.iter().map(ColumnRule::formula).collect();
    let named = |column: &&ColumnPolicy| {
        let mut formulas = formulas.iter();
        formulas.any(|formula| formula.columns().contains(&column.name.as_str()))
    };
    let reading = |column: &ColumnPolicy| {
        let unfit = || Error::bug("a rule was not checked");
        let kind = plan.rule_kind(&column.name).ok_or_else(unfit)?;
        Ok(Reading {
            labels: labels(column, &kind)?,
            name: column.name.clone(),
            kind,
        })
    };
    plan.columns.iter().filter(named).map(reading).collect()
}

/// Judges rows of the source; `None` without rules.
///
/// # Errors
/// When a column holds something else than rules compare it with.
pub(crate) fn of_source(plan: &Plan, schema: &Schema) -> Result<Option<RuleChecker>> {
    if plan.rules.is_empty() {
        return Ok(None);
    }
    let readings = readings(plan, |_, _| Ok(Labels::Values))?;
    for reading in &readings {
        let field = schema
            .index_of(&reading.name)
            .map(|place| &schema.fields()[place]);
        let holds = match (field.map(|field| &field.kind), &reading.kind) {
            (Some(Kind::Number { .. }), ColumnKind::Text | ColumnKind::Ordered(_)) => "numbers",
            (Some(Kind::Date(_)), ColumnKind::Date(_)) => continue,
            (Some(Kind::Date(_)), _) => "dates",
            (Some(Kind::Category { .. }), ColumnKind::Number { .. }) => "texts",
            _ => continue,
        };
        if !plan.rules_compare(&reading.name) {
            continue;
        }
        let what = format!(
            "column `{}` holds {holds}, and a rule compares it with something else",
            reading.name
        );
        let span = plan.column(&reading.name).map(|column| column.span.clone());
        return Err(Error::policy(what)
            .at(span.unwrap_or(0..0))
            .help("give the column a type, or write the constant as a number, or in quotes"));
    }
    RuleChecker::new(&plan.rules, readings).map(Some)
}

/// Judges rows of a release; `None` without rules.
///
/// # Errors
/// When the file of a hierarchy cannot be read.
pub(crate) fn of_release(plan: &Plan) -> Result<Option<RuleChecker>> {
    if plan.rules.is_empty() {
        return Ok(None);
    }
    let labels = |column: &ColumnPolicy, kind: &ColumnKind| {
        let name = &column.name;
        let covered = plan.covers_quasi() || plan.recodes_in_stream(name);
        if column.role != Role::Quasi || !covered {
            return Ok(Labels::Values);
        }
        let texts = match kind {
            ColumnKind::Number { .. } => Texts::Number,
            ColumnKind::Date(format) => Texts::Date(*format),
            ColumnKind::Ordered(_) | ColumnKind::Text => Texts::Category,
        };
        // A representative is a value, though a node of the tree may be called the same.
        let rule = column.hierarchy.clone().filter(|_| !plan.represents(name));
        let tree = rule.as_ref().map(|rule| rule.declared_tree(texts));
        Ok(Labels::Regions {
            tree: tree.transpose()?.flatten().map(Arc::new),
            rule,
            empty_is_any: plan.reads_missing() != Missing::Own,
        })
    };
    RuleChecker::new(&plan.rules, readings(plan, labels)?).map(Some)
}

/// Judges all rows of a batch; `stop` is asked now and then.
pub(crate) fn judge(
    checker: &mut RuleChecker,
    rows: &Batch,
    stop: impl Fn() -> Result<()>,
) -> Result<()> {
    for start in (0..rows.len()).step_by(CHUNK) {
        stop()?;
        checker.observe(&rows.slice(start, CHUNK.min(rows.len() - start)))?;
    }
    Ok(())
}

/// Fails where rows of the source break a rule that refuses them.
pub(crate) fn refuse_source(plan: &Plan, counts: &[RuleCount]) -> Result<()> {
    let mut rules = plan.rules.iter().zip(counts);
    let broken = rules.find(|(rule, count)| rule.source == Breach::Refuse && count.broken > 0);
    match broken {
        None => Ok(()),
        Some((rule, count)) => Err(Error::input(format!(
            "rule `{}` is broken by {}",
            rule.name,
            told_rows(count)
        ))
        .help(
            "mend or drop these rows, change the rule, or write source = \"warn\" beside it; \
             nothing was protected",
        )),
    }
}

/// "2 rows of the source: 3 and 8", counted from 1.
fn told_rows(count: &RuleCount) -> String {
    let place = |&id: &u64| {
        let number = (id & ((1 << SOURCE_SHIFT) - 1)) + 1;
        match id >> SOURCE_SHIFT {
            0 => number.to_string(),
            source => format!("{number} of source {}", source + 1),
        }
    };
    let mut places: Vec<String> = count.first.iter().map(place).collect();
    let more = count.broken.saturating_sub(places.len() as u64);
    if more > 0 {
        places.push(format!("{more} more"));
    }
    let last = places.pop().unwrap_or_default();
    let places = match places.is_empty() {
        true => last,
        false => format!("{} and {last}", places.join(", ")),
    };
    match count.broken {
        1 => format!("row {places} of the source"),
        rows => format!("{rows} rows of the source: {places}"),
    }
}

/// Fails where rows of the release break a rule that refuses them.
pub(crate) fn refuse_release(plan: &Plan, counts: &[RuleCount]) -> Result<()> {
    let rules = plan.rules.iter().zip(counts);
    let broken = rules.filter(|(rule, count)| rule.release == Breach::Refuse && count.broken > 0);
    let broken: Vec<String> = broken
        .map(|(rule, count)| format!("`{}` in {} rows", rule.name, count.broken))
        .collect();
    if broken.is_empty() {
        return Ok(());
    }
    let private = plan.maskings().any(|masking| masking.loss().is_some());
    let again = match private {
        true => ". Running it again draws other noise and costs ε once more",
        false => "",
    };
    Err(
        Error::guarantee(format!("the release breaks rules: {}", broken.join(", "))).help(format!(
            "nothing was written. Use a method that keeps these columns together or makes them \
         coarser, or write release = \"warn\" beside the rule{again}"
        )),
    )
}

/// What a report tells. `source` is about the originals of the released rows; `None` where nothing
/// of them may be told.
pub(crate) fn facts(
    plan: &Plan,
    source: Option<&[RuleCount]>,
    release: &[RuleCount],
) -> Vec<RuleFact> {
    let rules = plan.rules.iter().zip(release).enumerate();
    rules
        .map(|(place, (rule, count))| RuleFact {
            name: rule.name.clone(),
            says: rule.text(),
            broken_in_source: source.map(|counts| at_most(counts[place].broken)),
            kept: count.kept,
            open: count.open,
            broken: count.broken,
        })
        .collect()
}

/// Rules with a text that no row holds: it may be misspelt, and the rule is then about nobody.
/// Nothing is told of the columns that are `hidden`.
pub(crate) fn texts_of_nobody(plan: &Plan, rows: &Batch, hidden: &[String]) -> Vec<String> {
    let mut warnings = Vec::new();
    for rule in &plan.rules {
        let formula = rule.formula();
        formula.visit(&mut |atom| {
            let (name, constants) = match atom {
                Formula::Compare(name, _, Operand::Constant(one)) => (name, slice::from_ref(one)),
                Formula::In(name, constants) => (name, &constants[..]),
                _ => return,
            };
            let cells = rows.column_named(name).and_then(|c| c.as_categories());
            let unknown = |constant: &Constant| match (constant, cells) {
                (Constant::Text(text), Some(cells)) => cells.levels().find(text).is_none(),
                _ => false,
            };
            if !hidden.contains(name) && constants.iter().any(unknown) {
                warnings.push(format!(
                    "rule `{}` names a text that no row has in `{name}`: is it spelt as in the source?",
                    rule.name
                ));
            }
        });
    }
    warnings.dedup();
    warnings
}

/// What a steward should know of rules that do not refuse, or that narrow coarse cells.
pub(crate) fn warnings(plan: &Plan, facts: &[RuleFact]) -> Vec<String> {
    let mut warnings = Vec::new();
    for (rule, fact) in plan.rules.iter().zip(facts) {
        if let Some(broken) = fact.broken_in_source.filter(|&broken| broken > 0) {
            warnings.push(format!(
                "rule `{}`: up to {broken} rows of the source break it",
                rule.name
            ));
        }
        if fact.broken > 0 {
            warnings.push(format!(
                "rule `{}`: {} rows of the release break it",
                rule.name, fact.broken
            ));
        }
        let formula = rule.formula();
        let names = formula.columns();
        let is_quasi = |name: &&&str| {
            let column = plan.column(name);
            column.is_some_and(|column| column.role == Role::Quasi)
        };
        let quasi = names.iter().filter(is_quasi).count();
        if fact.open > 0 && plan.keeps_guarantee() && (1..names.len()).contains(&quasi) {
            warnings.push(format!(
                "rule `{}` joins quasi-identifiers with other columns: who knows it can rule out \
                 values of {} rows of the release, and so tell rows of one class apart",
                rule.name, fact.open
            ));
        }
    }
    warnings
}

/// What a file keeps of the rules.
pub(crate) fn claims(plan: &Plan, counts: &[RuleCount]) -> Vec<ClaimFinding> {
    let rules = plan.rules.iter().zip(counts);
    rules
        .map(|(rule, count)| {
            let warns = rule.release == Breach::Warn;
            let open = match count.open {
                0 => String::new(),
                rows => format!(", left open by {rows}"),
            };
            let allowed = match warns && count.broken > 0 {
                true => " (the policy warns)",
                false => "",
            };
            ClaimFinding {
                name: format!("rule `{}`", rule.name),
                promised: "broken by no row".to_owned(),
                promised_value: 0.0,
                found: Some(count.broken as f64),
                found_text: format!("broken by {} rows{open}{allowed}", count.broken),
                holds: warns || count.broken == 0,
                failing_classes: 0,
            }
        })
        .collect()
}
