//! Whether rules between columns fit a plan.

use super::{Action, ColumnPolicy, Plan};
use crate::data::{ReadAs, Role};
use crate::error::{Error, Result};
use crate::guarantee::{ColumnKind, ColumnRule, Constant, Formula, Operand, check_kinds};
use crate::protect::Effect;

/// A rule on more columns is hard to read, and to decide of coarse cells.
const MOST_COLUMNS: usize = 8;

/// Fails where a rule does not fit the plan.
pub(super) fn check(plan: &Plan) -> Result<()> {
    for (place, rule) in plan.rules.iter().enumerate() {
        let at = |error: Error| error.at(rule.span.clone());
        let before = &plan.rules[..place];
        if rule.name.trim().is_empty() {
            return Err(at(Error::policy("a rule has no name").help("give it one")));
        }
        if before.iter().any(|other| other.name == rule.name) {
            let what = format!("two rules are called `{}`", rule.name);
            return Err(at(Error::policy(what).help("rename one of them")));
        }
        if let Some(other) = before.iter().find(|other| other.says_as(rule)) {
            let what = format!("rules `{}` and `{}` say the same", other.name, rule.name);
            return Err(at(Error::policy(what).help("take one of them out")));
        }
        check_columns(plan, rule).map_err(at)?;
        let formula = rule.formula();
        let fits = check_kinds(&formula, &|name| plan.rule_kind(name));
        fits.map_err(|mismatch| {
            let what = format!("rule `{}`: {}", rule.name, mismatch.what);
            at(Error::policy(what).help(mismatch.help))
        })?;
    }
    match plan.rules.first() {
        Some(rule) if plan.stream().is_some() => Err(Error::policy(
            "[[rules]] are for tables and masked records: z-anonymity decides cells of an event \
             one by one, and may make up rows",
        )
        .at(rule.span.clone())
        .help("take them out, and check the rules before")),
        _ => Ok(()),
    }
}

fn check_columns(plan: &Plan, rule: &ColumnRule) -> Result<()> {
    let formula = rule.formula();
    let names = formula.columns();
    if names.len() > MOST_COLUMNS {
        let what = format!("rule `{}` is about {} columns", rule.name, names.len());
        let help = format!("split it: a rule is about at most {MOST_COLUMNS} columns");
        return Err(Error::policy(what).help(help));
    }
    for name in names {
        let Some(column) = plan.column(name) else {
            let what = format!("rule `{}` is about `{name}`, which is no column", rule.name);
            return Err(Error::policy(what).help(match plan.nearest_column(name) {
                Some(near) => format!("did you mean `{near}`? Texts go into quotes"),
                None => "name a column of the plan".to_owned(),
            }));
        };
        if let Some(why) = unseen(plan, column) {
            let what = format!("rule `{}` is about `{name}`, {why}", rule.name);
            return Err(Error::policy(what).help(
                "name columns that are released under their own name, or check the rule before",
            ));
        }
    }
    Ok(())
}

/// Why a rule about the column could not be seen in a release.
fn unseen(plan: &Plan, column: &ColumnPolicy) -> Option<&'static str> {
    let replaced = || {
        let schema = plan.declared_schema().ok()?;
        let place = schema.index_of(&column.name)?;
        let mut effects = plan.protect.iter().filter_map(|m| m.effects(&schema).ok());
        effects.find(|effects| effects[place] == Effect::Replaced)
    };
    match &column.action {
        Action::Drop => Some("which is not released"),
        Action::Pseudonym { .. } => Some("which is released as a pseudonym"),
        Action::Number => Some("which is released as a number"),
        Action::Keep if column.from.is_some() => Some("which is made from two others"),
        Action::Keep if column.role == Role::Time && plan.reads_times() => {
            Some("whose times are not compared")
        }
        Action::Keep if replaced().is_some() => Some("in whose place other columns are released"),
        Action::Keep => None,
    }
}

/// The kind of the constants that a column is compared with; none where it is compared with
/// other columns alone.
fn compared_kind(plan: &Plan, name: &str) -> Option<ColumnKind> {
    let formulas: Vec<Formula> = plan.rules.iter().map(ColumnRule::formula).collect();
    let mut constants: Vec<&Constant> = Vec::new();
    let mut alone = true;
    for formula in &formulas {
        formula.visit(&mut |atom| match atom {
            Formula::Compare(column, _, Operand::Constant(constant)) if column == name => {
                constants.push(constant);
            }
            Formula::In(column, listed) if column == name => constants.extend(listed),
            Formula::Compare(one, _, Operand::Column(other)) if one == name || other == name => {
                alone = false;
            }
            _ => {}
        });
    }
    match constants.first() {
        Some(Constant::Number(_)) => Some(ColumnKind::Number { whole: false }),
        Some(Constant::Text(_)) => Some(ColumnKind::Text),
        None => alone.then_some(ColumnKind::Text),
    }
}

impl Plan {
    /// What the values of a column are: as it is declared, else as rules compare it with constants.
    pub(crate) fn rule_kind(&self, name: &str) -> Option<ColumnKind> {
        match &self.column(name)?.read {
            ReadAs::Number => Some(ColumnKind::Number { whole: false }),
            ReadAs::Integer => Some(ColumnKind::Number { whole: true }),
            ReadAs::Date(format) => Some(ColumnKind::Date(*format)),
            ReadAs::Ordered(order) => Some(ColumnKind::Ordered(order.clone())),
            ReadAs::Category | ReadAs::Plain => Some(ColumnKind::Text),
            ReadAs::Infer | ReadAs::Skip => compared_kind(self, name),
        }
    }

    /// Whether a rule asks more of the column than whether it is missing.
    pub(crate) fn rules_compare(&self, name: &str) -> bool {
        self.rules.iter().any(|rule| {
            let mut found = false;
            rule.formula().visit(&mut |atom| {
                found |= match atom {
                    Formula::Compare(one, _, Operand::Column(other)) => {
                        one == name || other == name
                    }
                    Formula::Compare(one, ..) | Formula::In(one, _) => one == name,
                    _ => false,
                };
            });
            found
        })
    }
}
