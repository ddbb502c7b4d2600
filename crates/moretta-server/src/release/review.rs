//! What waits for approval, for who reviews it: what changed, who gets it, what was kept and found,
//! and what all releases of the data give away together.

use super::difference::{Line, difference};
use super::facts::Facts;
use super::ledger;
use super::made;
use super::record::Release;
use super::rows::{self, Page as Html, Rows, Wanted};
use super::source;
use super::state::State;
use super::task::Part;
use super::terms::check_made;
use crate::app::App;
use crate::clock::Millis;
use crate::db::Sql;
use crate::http::{Call, Json, Nothing, Route, get};
use crate::id::Id;
use crate::page::{Page, PageQuery};
use crate::problem::{Problem, Result};
use crate::project::Rules;
use crate::rights::{Permit, ReadStaged, ReviewRelease};
use crate::secret::hex;
use schemars::JsonSchema;
use serde::Serialize;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "/projects/{project}/requests",
            "Releases that were asked for, and what has become of them",
            list,
        ),
        get(
            "/projects/{project}/requests/{release}",
            "All that an officer needs to know to decide",
            review,
        ),
        get(
            "/projects/{project}/requests/{release}/levels/{level}/report",
            "The report of a level that waits, as a page in a sandbox",
            report,
        ),
        get(
            "/projects/{project}/requests/{release}/levels/{level}/rows",
            "Rows of a level that waits",
            staged_rows,
        ),
    ]
}

/// A release that was asked for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Listed {
    /// Its id.
    id: Id,
    /// Its name.
    name: String,
    /// What it is for.
    purpose: String,
    /// How far it is.
    state: State,
    /// The data set.
    dataset: Id,
    /// The version of the data.
    data: Id,
    /// The version of the policy.
    policy: Id,
    /// The levels that get it.
    levels: Vec<u32>,
    /// Who asked.
    asked_by: Id,
    /// When.
    asked_at: Millis,
    /// When it ends.
    ends_at: Option<Millis>,
    /// When it was published.
    published_at: Option<Millis>,
    /// When it was decided against, or ended.
    ended_at: Option<Millis>,
    /// The job that makes it.
    job: Option<Id>,
    /// Why its run failed.
    problem: Option<serde_json::Value>,
    /// Whether it says "approved by its author".
    by_author: bool,
}

impl Listed {
    fn of(release: &Release) -> Self {
        let problem = release.problem.as_deref();
        Listed {
            id: release.id,
            name: release.name.clone(),
            purpose: release.purpose.clone(),
            state: release.state,
            dataset: release.dataset,
            data: release.data,
            policy: release.policy,
            levels: release.levels.clone(),
            asked_by: release.asked_by,
            asked_at: release.asked_at,
            ends_at: release.ends_at,
            published_at: release.published_at,
            ended_at: release.ended_at,
            job: release.job,
            problem: problem.and_then(|text| serde_json::from_str(text).ok()),
            by_author: release.alone,
        }
    }
}

fn list(
    app: &App,
    permit: Permit<ReviewRelease>,
    call: Call<PageQuery, Nothing>,
) -> Result<Json<Page<Listed>>> {
    let (project, limit) = (permit.project()?, call.query.limit()?);
    // The mark is time and id: several can be asked for in one millisecond.
    let (before, id) = match call.query.after_text().split_once('-') {
        Some((at, id)) => (at.parse().unwrap_or(0), id.to_owned()),
        None => (Millis::MAX, String::new()),
    };
    let releases = app.store.read(|sql| {
        let page = "project_id = $1 AND (asked_at < $2 OR asked_at = $2 AND id > $3) \
                    ORDER BY asked_at DESC, id LIMIT $4";
        Release::find_where(sql, page, values![project, before, &id, limit + 1])
    })?;
    let listed = releases.iter().map(Listed::of).collect();
    Ok(Json(Page::of(listed, limit, |listed: &Listed| {
        format!("{}-{}", listed.asked_at, listed.id)
    })))
}

/// All that an officer needs to know.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Review {
    /// The request.
    #[serde(flatten)]
    of: Listed,
    /// The name of the data set.
    data_name: String,
    /// The number of the version.
    data_number: i64,
    /// The hash that an approval names; none before the release is made.
    manifest: Option<String>,
    /// The manifest itself.
    content: Option<serde_json::Value>,
    /// Who gets it, level by level.
    audience: Vec<Audience>,
    /// What changed since the last release of these data that was approved; none of the first one.
    changed: Option<Changed>,
    /// What was kept and found, level by level.
    made: Vec<Facts>,
    /// What else the run has found: `verified`, `attacks` and `ledger`, as the worker tells them.
    run: serde_json::Value,
    /// What all releases of the data give away together.
    together: Together,
    /// The rules that are not kept as they are now.
    broken: Vec<String>,
    /// Who cannot approve it, since they have a hand in it.
    authors: Vec<Id>,
    /// What was decided.
    decisions: Vec<Decision>,
}

/// Who gets a level.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Audience {
    /// The level.
    level: u32,
    /// How many members may read it.
    people: i64,
}

/// What changed since an earlier release.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Changed {
    /// The earlier release.
    since: Id,
    /// Its name.
    name: String,
    /// Whether it was made from another version of the data.
    data: bool,
    /// The policies side by side; empty where they are the same.
    policy: Vec<Line>,
    /// Columns that it did not release.
    new_columns: Vec<String>,
    /// Columns that it released and this does not.
    gone_columns: Vec<String>,
    /// Columns that are treated in another way: name, before, after.
    treatments: Vec<(String, String, String)>,
    /// Levels that it was not for.
    new_levels: Vec<u32>,
    /// Levels that it was for and this is not.
    gone_levels: Vec<u32>,
}

/// What all releases of the data give away together.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Together {
    /// Earlier releases of these data that were published, also those that were taken back: what was
    /// seen cannot be unseen.
    earlier: i64,
    /// Whether this one was held against the classes of earlier ones. Where it was, nobody is in a
    /// smaller cell than was promised; the run fails otherwise.
    held: bool,
    /// Whether another one was published since, so that this one has to be made again.
    overtaken: bool,
    /// ε that was charged within a year, this one included.
    epsilon: f64,
    /// ε that the rules allow in a year.
    epsilon_a_year: Option<f64>,
}

/// A decision.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Decision {
    /// `approved`, `refused` or `revoked`.
    decision: String,
    /// Why.
    reason: String,
    /// Who.
    by: Id,
    /// When.
    at: Millis,
    /// The hash of what was decided on.
    manifest: String,
}

fn review(
    app: &App,
    permit: Permit<ReviewRelease>,
    call: Call<Nothing, Nothing>,
) -> Result<Json<Review>> {
    let (project, id, at) = (permit.project()?, call.id("release")?, permit.at());
    app.store
        .read(|sql| {
            let release = Release::find(sql, project, id)?;
            let row = sql.row(
                "SELECT d.name, v.number FROM data_versions v JOIN datasets d ON d.id = v.dataset_id \
                 WHERE v.id = $1",
                values![release.data],
            )?;
            let row = row.ok_or_else(|| Problem::bug("a release has no data"))?;
            let made = made::facts(sql, &release)?;
            let (rules, _) = Rules::of(sql, project)?;
            let authors = (release.asked_by, release.data, release.policy);
            let content = release.manifest.as_deref();
            Ok(Review {
                data_name: row.text(0)?.to_owned(),
                data_number: row.integer(1)?,
                manifest: release.manifest_sha256.as_deref().map(hex),
                content: content.and_then(|text| serde_json::from_slice(text).ok()),
                audience: audience(sql, &release, at)?,
                changed: changed(app, sql, &release, &made)?,
                run: run(sql, &release)?,
                together: together(sql, &release, &rules, at)?,
                broken: broken(app, sql, &release, (&made, &rules))?,
                authors: source::authors(app, sql, project, authors)?.into_iter().collect(),
                decisions: decisions(sql, &release)?,
                of: Listed::of(&release),
                made,
            })
        })
        .map(Json)
}

/// What the job has found besides the files; none before it is done.
fn run(sql: &mut dyn Sql, release: &Release) -> Result<serde_json::Value> {
    let query = "SELECT result FROM jobs WHERE id = $1 AND project_id = $2";
    let row = sql.row(query, values![release.job, release.project])?;
    let text = row.map(|row| row.maybe_text(0)).transpose()?.flatten();
    let mut told: serde_json::Map<String, serde_json::Value> = text
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    told.retain(|name, _| ["verified", "attacks", "ledger"].contains(&&**name));
    Ok(told.into())
}

/// How many members may read each level: officers and stewards, and analysts of this level or a finer
/// one.
fn audience(sql: &mut dyn Sql, release: &Release, at: Millis) -> Result<Vec<Audience>> {
    let count = "SELECT count(*) FROM members m JOIN users u ON u.id = m.user_id \
                 WHERE m.project_id = $1 AND u.state = 'active' AND (m.ends_at IS NULL OR m.ends_at > $2) \
                 AND (m.role IN ('officer', 'steward') OR m.role = 'analyst' AND m.level <= $3)";
    let levels = release.levels.iter();
    levels
        .map(|level| {
            let of = values![release.project, at, i64::from(*level)];
            Ok(Audience {
                level: *level,
                people: sql.number(count, of)?,
            })
        })
        .collect()
}

/// What changed since the last release of these data that was approved before this one was asked for.
fn changed(
    app: &App,
    sql: &mut dyn Sql,
    release: &Release,
    made: &[Facts],
) -> Result<Option<Changed>> {
    let before = "dataset_id = $1 AND published_at IS NOT NULL AND id <> $2 AND asked_at <= $3 \
                  ORDER BY published_at DESC LIMIT 1";
    let of = values![release.dataset, release.id, release.asked_at];
    let found = Release::find_where(sql, before, of)?;
    let Some(before) = found.into_iter().next() else {
        return Ok(None);
    };
    let policy = match before.policy == release.policy {
        true => Vec::new(),
        false => difference(
            &source::policy_text(app, sql, release.project, before.policy)?,
            &source::policy_text(app, sql, release.project, release.policy)?,
        ),
    };
    let (old, new) = (columns(&made::facts(sql, &before)?), columns(made));
    let is_in =
        |name: &str, columns: &[(String, String)]| columns.iter().any(|(column, _)| column == name);
    let only = |these: &[(String, String)], others: &[(String, String)]| {
        let names = these.iter().map(|(name, _)| name.clone());
        names.filter(|name| !is_in(name, others)).collect()
    };
    let treatments = new.iter().filter_map(|(name, after)| {
        let (_, before) = old.iter().find(|(column, _)| column == name)?;
        (before != after).then(|| (name.clone(), before.clone(), after.clone()))
    });
    let lacks = |these: &[u32], others: &[u32]| {
        let levels = these.iter().copied();
        levels.filter(|level| !others.contains(level)).collect()
    };
    Ok(Some(Changed {
        since: before.id,
        name: before.name.clone(),
        data: before.data != release.data,
        policy,
        treatments: treatments.collect(),
        // Before it is made, nothing is known of its columns.
        new_columns: only(&new, &old),
        gone_columns: match made.is_empty() {
            true => Vec::new(),
            false => only(&old, &new),
        },
        new_levels: lacks(&release.levels, &before.levels),
        gone_levels: lacks(&before.levels, &release.levels),
    }))
}

/// The released columns of the finest level and what was done to them.
fn columns(made: &[Facts]) -> Vec<(String, String)> {
    let columns = made.first().into_iter().flat_map(|level| &level.columns);
    columns
        .filter(|column| column.treatment != "dropped")
        .map(|column| (column.name.clone(), column.treatment.clone()))
        .collect()
}

fn together(sql: &mut dyn Sql, release: &Release, rules: &Rules, at: Millis) -> Result<Together> {
    let earlier = "SELECT count(*) FROM releases WHERE dataset_id = $1 AND published_at IS NOT NULL \
                   AND id <> $2";
    let (_, version) = ledger::classes(sql, release.dataset)?;
    Ok(Together {
        earlier: sql.number(earlier, values![release.dataset, release.id])?,
        held: release.ledger.is_some(),
        overtaken: release.state == State::Ready
            && release.ledger.is_some()
            && version != release.ledger_version,
        epsilon: ledger::spent(sql, release.dataset, at)? as f64 / 1e9,
        epsilon_a_year: rules.epsilon_a_year,
    })
}

/// What is not kept of the rules of today.
fn broken(
    app: &App,
    sql: &mut dyn Sql,
    release: &Release,
    (made, rules): (&[Facts], &Rules),
) -> Result<Vec<String>> {
    let made_of = (release.data, release.policy);
    let terms = match source::terms(app, sql, release.project, made_of) {
        Ok(terms) => terms,
        // What cannot be read any more is told as such, and cannot be approved.
        Err(problem) if problem.status < 500 => return Ok(vec![problem.what]),
        Err(problem) => return Err(problem),
    };
    let checks = [terms.check(&release.levels, rules), check_made(made, rules)];
    Ok(checks
        .into_iter()
        .filter_map(|check| check.err().map(|problem| problem.what))
        .collect())
}

fn decisions(sql: &mut dyn Sql, release: &Release) -> Result<Vec<Decision>> {
    let rows = sql.query(
        "SELECT decision, reason, decided_by, at, manifest_sha256 FROM approvals \
         WHERE release_id = $1 ORDER BY at, id",
        values![release.id],
    )?;
    rows.iter()
        .map(|row| {
            Ok(Decision {
                decision: row.text(0)?.to_owned(),
                reason: row.text(1)?.to_owned(),
                by: row.id(2)?,
                at: row.integer(3)?,
                manifest: hex(row.bytes(4)?),
            })
        })
        .collect()
}

/// A release whose files wait in staging.
fn staged(app: &App, project: Id, id: Id) -> Result<Release> {
    let release = app.store.read(|sql| Release::find(sql, project, id))?;
    match release.state.is_staged() {
        true => Ok(release),
        false => Err(
            Problem::conflict("state", "this release does not wait for approval")
                .help("what was published is read under releases"),
        ),
    }
}

/// The level that a path names.
pub(super) fn level_of(head: &crate::http::Head) -> Result<u32> {
    let level = head.part("level")?.parse().ok();
    level.ok_or_else(|| Problem::not_found("level"))
}

fn report(app: &App, permit: Permit<ReviewRelease>, call: Call<Nothing, Nothing>) -> Result<Html> {
    let release = staged(app, permit.project()?, call.id("release")?)?;
    let file = rows::open(app, &release, level_of(&call.head)?, Part::Page)?;
    rows::whole(file).map(Html)
}

fn staged_rows(
    app: &App,
    permit: Permit<ReadStaged>,
    call: Call<Wanted, Nothing>,
) -> Result<Json<Rows>> {
    let release = staged(app, permit.project()?, call.id("release")?)?;
    let level = level_of(&call.head)?;
    let table = rows::open_table(app, &release, level)?;
    let page = rows::page(table, &call.query)?;
    app.store.act(|act| {
        let mut entry = permit.entry("release.look");
        entry.subject = Some(release.id);
        entry.facts = vec![("level", level.to_string())];
        act.log(&entry)
    })?;
    Ok(Json(page))
}
