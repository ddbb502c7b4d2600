//! Rules of a project: what every release of it must keep, set by its officers.

use crate::app::App;
use crate::db::Sql;
use crate::http::{Accepted, Call, Json, Nothing, Route, Tagged, get, outdated, put};
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::rights::{ChangeRules, Permit, ReadRules};
use crate::store::Act;
use crate::stream;
use crate::wish::{self, Asked, Wish};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "/projects/{project}/rules",
            "What every release of the project must keep",
            read,
        ),
        put(
            "/projects/{project}/rules",
            "Tightens rules at once, or asks a second person to loosen them",
            change,
        )
        .of_version(),
    ]
}

/// The least k where the rules name none.
const USUAL_K: u32 = 5;

/// What every release of a project must keep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// The least k of each level, or z of a stream; of a level that is not named, that of the next finer
    /// one, or 5.
    pub least_k: BTreeMap<u32, u32>,
    /// Whether what is made by a policy without any promise, neither k nor z nor ε, may leave.
    pub unpromised: bool,
    /// The methods that may be used; none for all.
    pub methods: Option<Vec<String>>,
    /// The ε that one data set may spend in a year; none for no limit.
    pub epsilon_a_year: Option<f64>,
    /// Days after which raw data are deleted; none for never.
    pub retention_days: Option<u32>,
    /// The largest share of persons that an attack on a release may find; none for no limit.
    pub attacks_at_most: Option<f64>,
}

impl Rules {
    /// As the store keeps them.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The rules of a project, and the version of the project.
    ///
    /// # Errors
    /// When there is no such project.
    pub fn of(sql: &mut dyn Sql, project: Id) -> Result<(Rules, i64)> {
        let row = sql.row(
            "SELECT rules, version FROM projects WHERE id = $1",
            values![project],
        )?;
        let row = row.ok_or_else(|| Problem::not_found("project"))?;
        let rules = serde_json::from_str(row.text(0)?);
        let rules = rules.map_err(|_| Problem::bug("rules of the store cannot be read"))?;
        Ok((rules, row.integer(1)?))
    }

    /// The least k of a level.
    pub fn least_k_of(&self, level: u32) -> u32 {
        let finer = self.least_k.range(..=level).next_back();
        finer.map_or(USUAL_K, |(_, k)| *k)
    }

    /// Whether the least k of a level is named, and not the usual one.
    pub(super) fn names_k_of(&self, level: u32) -> bool {
        self.least_k.range(..=level).next().is_some()
    }

    /// Whether whatever keeps these rules keeps `other` as well.
    pub fn imply(&self, other: &Rules) -> bool {
        let levels = self.least_k.keys().chain(other.least_k.keys());
        let at_most = |own: Option<f64>, other: Option<f64>| match (own, other) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(own), Some(other)) => own <= other,
        };
        levels.into_iter().all(|level| {
            self.least_k_of(*level) >= other.least_k_of(*level)
                    // A named k is wanted of what promises something else, too.
                    && (self.names_k_of(*level) || !other.names_k_of(*level))
        }) && (other.unpromised || !self.unpromised)
            && match (&self.methods, &other.methods) {
                (_, None) => true,
                (None, Some(_)) => false,
                (Some(own), Some(other)) => own.iter().all(|method| other.contains(method)),
            }
            && at_most(self.epsilon_a_year, other.epsilon_a_year)
            && at_most(
                self.retention_days.map(f64::from),
                other.retention_days.map(f64::from),
            )
            && at_most(self.attacks_at_most, other.attacks_at_most)
    }

    fn check(&self) -> Result<()> {
        let share = |share: f64| (0.0..=1.0).contains(&share);
        let ks: Vec<u32> = self.least_k.values().copied().collect();
        let wrong = if self.least_k.keys().any(|level| !(2..=100).contains(level)) {
            "levels with a least k are 2 to 100"
        } else if ks.iter().any(|k| !(2..=1_000_000).contains(k)) {
            "a least k is 2 to 1,000,000"
        } else if !ks.is_sorted() {
            "a coarser level cannot have a smaller k"
        } else if self
            .epsilon_a_year
            .is_some_and(|epsilon| !(0.0..=1000.0).contains(&epsilon))
        {
            "ε a year is 0 to 1,000"
        } else if self.attacks_at_most.is_some_and(|most| !share(most)) {
            "a share is 0 to 1"
        } else if self.retention_days == Some(0) {
            "raw data are kept for a day at least"
        } else if self.methods.iter().flatten().any(|name| !is_method(name)) {
            "a method has no such name"
        } else {
            return Ok(());
        };
        Err(Problem::unusable(wrong))
    }
}

fn is_method(name: &str) -> bool {
    moretta::protect::METHODS
        .iter()
        .any(|method| method.name == name)
}

fn read(
    app: &App,
    permit: Permit<ReadRules>,
    _: Call<Nothing, Nothing>,
) -> Result<Tagged<Json<Rules>>> {
    let (rules, version) = app.store.read(|sql| Rules::of(sql, permit.project()?))?;
    Ok(Tagged(version, Json(rules)))
}

/// What has become of changed rules.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Outcome {
    /// `changed`, or `waiting` for a second person.
    state: &'static str,
    /// The wish that waits.
    wish: Option<Id>,
}

fn change(
    app: &App,
    permit: Permit<ChangeRules>,
    call: Call<Nothing, Json<Rules>>,
) -> Result<Accepted<Outcome>> {
    let (project, seen) = (permit.project()?, call.seen_version()?);
    let rules = &call.body.0;
    rules.check()?;
    app.store
        .act(|act| {
            let (before, version) = Rules::of(&mut **act, project)?;
            if version != seen {
                return Err(outdated());
            }
            let tighter = rules.imply(&before);
            let mut entry = permit.entry(if tighter {
                "rules.tighten"
            } else {
                "rules.loosen"
            });
            entry.facts = vec![("rules", rules.text())];
            if tighter || !app.settings.four_eyes {
                if !tighter {
                    entry.facts.push(("alone", "four_eyes is off".to_owned()));
                }
                act.log(&entry)?;
                set(app, act, &permit, rules)?;
                return Ok(Outcome {
                    state: "changed",
                    wish: None,
                });
            }
            let asked = Asked {
                kind: "rules",
                project: Some(project),
                subject: project,
                wish: wished(rules, &before),
                reason: "",
                by: permit.user()?,
                at: permit.at(),
            };
            let wish = wish::ask(&mut **act, &asked)?;
            entry.act = "rules.ask";
            act.log(&entry)?;
            Ok(Outcome {
                state: "waiting",
                wish: Some(wish),
            })
        })
        .map(Accepted)
}

/// Sets the rules; approved streams that do not keep them are held.
fn set<R>(app: &App, act: &mut Act<'_>, permit: &Permit<R>, rules: &Rules) -> Result<()> {
    act.execute_one(
        "UPDATE projects SET rules = $1, version = version + 1 WHERE id = $2",
        values![rules.text(), permit.project()?],
    )?;
    stream::hold_to_rules(app, act, permit)
}

/// A wish for rules, with those that it was made from.
fn wished(rules: &Rules, from: &Rules) -> String {
    let mut wish = serde_json::to_value(rules).unwrap_or_default();
    wish["from"] = serde_json::to_value(from).unwrap_or_default();
    wish.to_string()
}

/// Loosens rules as it was wished for, where they are still those that the wish was made from.
pub(super) fn granted<R>(
    app: &App,
    act: &mut Act<'_>,
    permit: &Permit<R>,
    wish: &Wish,
) -> Result<Vec<(&'static str, String)>> {
    let unreadable = |_| Problem::bug("a wish of the store cannot be read");
    let mut wished: serde_json::Value = serde_json::from_str(&wish.wish).map_err(unreadable)?;
    let from = wished.as_object_mut().and_then(|all| all.remove("from"));
    let from: Option<Rules> = serde_json::from_value(from.into()).map_err(unreadable)?;
    let rules: Rules = serde_json::from_value(wished).map_err(unreadable)?;
    let (now, _) = Rules::of(&mut **act, permit.project()?)?;
    if from != Some(now) {
        let what = "the rules were changed since this was asked for";
        return Err(Problem::conflict("rules-changed", what)
            .help("refuse it, and have it asked for again from the rules of now"));
    }
    set(app, act, permit, &rules)?;
    Ok(vec![("rules", rules.text())])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(least_k: &[(u32, u32)], retention_days: Option<u32>) -> Rules {
        Rules {
            least_k: least_k.iter().copied().collect(),
            retention_days,
            ..Rules::default()
        }
    }

    #[test]
    fn rules_are_tighter_when_whatever_keeps_them_keeps_the_others() {
        let none = Rules::default();
        for (own, other, expected) in [
            (none.clone(), none.clone(), true),
            (rules(&[(2, 5)], None), none.clone(), true),
            (none.clone(), rules(&[(2, 5)], None), false),
            (rules(&[(2, 5)], None), rules(&[(3, 5)], None), true),
            (rules(&[(3, 5)], None), rules(&[(2, 5)], None), false),
            (
                rules(&[(2, 5), (3, 25)], None),
                rules(&[(2, 5), (3, 20)], None),
                true,
            ),
            (rules(&[], Some(10)), rules(&[], Some(20)), true),
            (rules(&[], None), rules(&[], Some(20)), false),
            (rules(&[], Some(10)), none, true),
        ] {
            assert_eq!(own.imply(&other), expected, "{own:?} {other:?}");
        }
    }
}
