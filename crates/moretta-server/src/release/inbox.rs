//! What waits for a person, in all projects, and the ledger of a data set as its readers see it.

use super::ledger::{self, Charged};
use super::record::Release;
use super::state::State;
use crate::app::App;
use crate::clock::Millis;
use crate::data::DataSet;
use crate::db::Sql;
use crate::http::{Call, Json, Nothing, Route, get};
use crate::id::Id;
use crate::problem::Result;
use crate::project::Rules;
use crate::rights::{Permit, ReadLedger, SignedIn};
use crate::secret::hex;
use crate::stream::alarms::alarms;
use schemars::JsonSchema;
use serde::Serialize;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get("/inbox", "What waits for oneself, in all projects", inbox),
        get(
            "/projects/{project}/datasets/{dataset}/ledger",
            "What was released of a data set, and what jobs were charged",
            read,
        ),
    ]
}

/// What waits.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Waiting {
    /// `release`, `wish`, `stream` or `budget` for officers; `failed` for stewards, about their own
    /// requests; `stream-failed`, `stream-under-goal` or `stream-silent` for operators and officers,
    /// `stream-held` for operators.
    kind: &'static str,
    /// The release, the wish, the stream or the data set.
    id: Id,
    /// The project.
    project: Id,
    /// The name of the release, the stream or the data set, or the kind of the wish.
    name: String,
    /// Since when.
    at: Millis,
}

/// How many are told.
const MOST: i64 = 500;

fn inbox(
    app: &App,
    permit: Permit<SignedIn>,
    _: Call<Nothing, Nothing>,
) -> Result<Json<Vec<Waiting>>> {
    let (user, at) = (permit.user()?, permit.at());
    let of_role = |role: &str| {
        format!(
            "EXISTS (SELECT 1 FROM members m WHERE m.project_id = w.project_id AND m.user_id = $1 \
             AND m.role = '{role}' AND (m.ends_at IS NULL OR m.ends_at > $2))"
        )
    };
    let (officer, steward) = (of_role("officer"), of_role("steward"));
    let queries = [
        (
            "release",
            format!(
                "SELECT w.id, w.project_id, w.name, w.asked_at FROM releases w \
                 WHERE w.state = 'ready' AND {officer} ORDER BY w.asked_at LIMIT $3"
            ),
        ),
        (
            "wish",
            format!(
                "SELECT w.id, w.project_id, w.kind, w.asked_at FROM wishes w \
                 WHERE w.state = 'waiting' AND w.asked_by <> $1 AND w.subject <> $1 AND {officer} \
                 ORDER BY w.asked_at LIMIT $3"
            ),
        ),
        (
            "stream",
            format!(
                "SELECT w.id, w.project_id, w.name, w.made_at FROM streams w \
                 WHERE w.decision = 'waiting' AND w.made_by <> $1 AND {officer} \
                 ORDER BY w.made_at LIMIT $3"
            ),
        ),
        (
            "failed",
            format!(
                "SELECT w.id, w.project_id, w.name, w.asked_at FROM releases w \
                 WHERE w.state = 'draft' AND w.asked_by = $1 AND {steward} \
                 ORDER BY w.asked_at LIMIT $3"
            ),
        ),
    ];
    let waiting = app.store.read(|sql| {
        let mut waiting = Vec::new();
        for (kind, query) in &queries {
            for row in sql.query(query, values![user, at, MOST])? {
                waiting.push(Waiting {
                    kind,
                    id: row.id(0)?,
                    project: row.id(1)?,
                    name: row.text(2)?.to_owned(),
                    at: row.integer(3)?,
                });
            }
        }
        let found = alarms(sql, user, at)?.into_iter();
        waiting.extend(found.map(|alarm| Waiting {
            kind: alarm.kind,
            id: alarm.stream,
            project: alarm.project,
            name: alarm.name,
            at: alarm.at,
        }));
        waiting.extend(budgets(sql, user, at)?);
        waiting.sort_by_key(|one| one.at);
        Ok(waiting)
    })?;
    Ok(Json(waiting))
}

/// The share of the budget of a year from which on its officers are told.
const NEARLY: f64 = 0.9;

/// Data sets whose budget of the year is nearly spent, of the projects whose officer somebody is.
fn budgets(sql: &mut dyn Sql, user: Id, at: Millis) -> Result<Vec<Waiting>> {
    let rows = sql.query(
        "SELECT d.id, d.project_id, d.name, MAX(c.at) FROM datasets d \
         JOIN charges c ON c.dataset_id = d.id JOIN members m ON m.project_id = d.project_id \
         WHERE m.user_id = $1 AND m.role = 'officer' AND (m.ends_at IS NULL OR m.ends_at > $2) \
         AND c.epsilon_nano > 0 GROUP BY d.id, d.project_id, d.name ORDER BY d.name LIMIT $3",
        values![user, at, MOST],
    )?;
    let mut waiting = Vec::new();
    for row in rows {
        let (id, project) = (row.id(0)?, row.id(1)?);
        let Some(allowed) = Rules::of(sql, project)?.0.epsilon_a_year else {
            continue;
        };
        if ledger::spent(sql, id, at)? as f64 / 1e9 >= allowed * NEARLY {
            waiting.push(Waiting {
                kind: "budget",
                id,
                project,
                name: row.text(2)?.to_owned(),
                at: row.integer(3)?,
            });
        }
    }
    Ok(waiting)
}

/// The ledger of a data set.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Ledger {
    /// ε that was charged within a year.
    epsilon: f64,
    /// ε that the rules allow in a year.
    epsilon_a_year: Option<f64>,
    /// What jobs were charged, the oldest first.
    charges: Vec<Charged>,
    /// The sum of the last charge, with which a cut end is seen.
    head: String,
    /// Whether each charge follows from the one before.
    holds: bool,
    /// How many releases are entered with their classes.
    classes: i64,
    /// The releases of the data set, the oldest first.
    releases: Vec<Entered>,
}

/// A release of a data set.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Entered {
    /// Its id.
    id: Id,
    /// Its name.
    name: String,
    /// How far it is.
    state: State,
    /// The levels that got it.
    levels: Vec<u32>,
    /// When it was published.
    published_at: Option<Millis>,
}

fn read(
    app: &App,
    permit: Permit<ReadLedger>,
    call: Call<Nothing, Nothing>,
) -> Result<Json<Ledger>> {
    let (project, id, at) = (permit.project()?, call.id("dataset")?, permit.at());
    app.store
        .read(|sql| {
            DataSet::find(sql, project, id)?;
            let (rules, _) = Rules::of(sql, project)?;
            let (charges, head, holds) = ledger::charges(sql, id)?;
            let releases = "dataset_id = $1 AND published_at IS NOT NULL ORDER BY published_at, id";
            let releases = Release::find_where(sql, releases, values![id])?;
            Ok(Ledger {
                epsilon: ledger::spent(sql, id, at)? as f64 / 1e9,
                epsilon_a_year: rules.epsilon_a_year,
                charges,
                head: hex(&head),
                holds,
                classes: ledger::classes(sql, id)?.1,
                releases: releases
                    .into_iter()
                    .map(|release| Entered {
                        id: release.id,
                        name: release.name,
                        state: release.state,
                        levels: release.levels,
                        published_at: release.published_at,
                    })
                    .collect(),
            })
        })
        .map(Json)
}
