//! What was published, for who may read its level: what is finer is absent, and what was taken back
//! is gone from that moment on.

use super::facts::Facts;
use super::made;
use super::manifest::{self, OfLevel};
use super::record::Release;
use super::review::level_of;
use super::rows::{self, Counted, Counts, Page as Html, Rows, Wanted};
use super::state::State;
use super::task::Part;
use crate::app::App;
use crate::clock::{Clock, Millis};
use crate::db::Sql;
use crate::http::{Call, Credentials, Csv, Head, Json, Nothing, Route, get};
use crate::id::Id;
use crate::page::{Page, PageQuery};
use crate::problem::{Problem, Result};
use crate::rights::{ListReleases, Member, Permit, ReadReleases, Right, Role, standing};
use crate::secret::hex;
use crate::store::Store;
use crate::{session, token};
use schemars::JsonSchema;
use serde::Serialize;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "/projects/{project}/releases",
            "What was published at one's own level or coarser ones",
            list,
        ),
        get(
            "/projects/{project}/releases/{release}",
            "A release: what was lost, how to cite and to verify it",
            read,
        ),
        get(
            "/projects/{project}/releases/{release}/levels/{level}/dictionary",
            "What the columns of a level and their values mean",
            dictionary,
        ),
        get(
            "/projects/{project}/releases/{release}/levels/{level}/report",
            "The report of a level, as a page in a sandbox",
            report,
        ),
        get(
            "/projects/{project}/releases/{release}/levels/{level}/manifest",
            "The signed manifest of a level, where the project signs",
            signed,
        ),
        get(
            "/projects/{project}/releases/{release}/levels/{level}/rows",
            "Released rows, page by page",
            page,
        ),
        get(
            "/projects/{project}/releases/{release}/levels/{level}/counts",
            "How many released rows show the same in up to three columns",
            counts,
        ),
        get(
            "/projects/{project}/releases/{release}/levels/{level}/file",
            "The released file",
            file,
        ),
    ]
}

/// The first level that is not raw.
const FIRST: i64 = super::terms::FIRST as i64;

/// The finest level that a member may read. Officers, stewards and auditors see what all levels are;
/// level 1 is raw rows, which are no release.
fn finest(member: &Member) -> Result<u32> {
    let level = match member.role {
        Some(Role::Analyst) => member.level.unwrap_or(i64::from(u32::MAX)),
        _ => FIRST,
    };
    u32::try_from(level.max(FIRST)).map_err(|_| Problem::bug("a level is too large"))
}

/// A release, to who may read some level of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Listed {
    /// Its id.
    id: Id,
    /// Its name.
    name: String,
    /// What it is for.
    purpose: String,
    /// `published`; officers, stewards and auditors also see what was `revoked` or is `expired`.
    state: State,
    /// The data set.
    dataset: String,
    /// The number of the version of the data.
    number: i64,
    /// When it was published.
    published_at: Option<Millis>,
    /// When it ends.
    ends_at: Option<Millis>,
    /// When it was taken back, or ended.
    ended_at: Option<Millis>,
    /// The levels that who asks may read.
    levels: Vec<Level>,
    /// Whether its author has approved it: "approved by its author".
    by_author: bool,
}

/// A level of a release.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Level {
    /// Its number.
    level: u32,
    /// Its name.
    name: String,
    /// Its rows.
    rows: u64,
}

fn listed(sql: &mut dyn Sql, release: &Release, finest: u32, at: Millis) -> Result<Listed> {
    let row = sql.row(
        "SELECT d.name, v.number FROM data_versions v JOIN datasets d ON d.id = v.dataset_id \
         WHERE v.id = $1",
        values![release.data],
    )?;
    let row = row.ok_or_else(|| Problem::bug("a release has no data"))?;
    let levels = sql.query(
        "SELECT level, name, rows FROM release_levels WHERE release_id = $1 AND level >= $2 \
         ORDER BY level",
        values![release.id, i64::from(finest)],
    )?;
    let levels = levels.iter().map(|row| {
        Ok(Level {
            level: row.integer(0)? as u32,
            name: row.text(1)?.to_owned(),
            rows: row.integer(2)? as u64,
        })
    });
    let state = match release.state {
        State::Published if !release.is_public(at) => State::Expired,
        state => state,
    };
    Ok(Listed {
        id: release.id,
        name: release.name.clone(),
        purpose: release.purpose.clone(),
        state,
        dataset: row.text(0)?.to_owned(),
        number: row.integer(1)?,
        published_at: release.published_at,
        ends_at: release.ends_at,
        ended_at: release.ended_at,
        levels: levels.collect::<Result<_>>()?,
        by_author: release.alone,
    })
}

fn list(
    app: &App,
    permit: Permit<ListReleases>,
    call: Call<PageQuery, Nothing>,
) -> Result<Json<Page<Listed>>> {
    let (member, at, limit) = (permit.member()?, permit.at(), call.query.limit()?);
    let (before, id) = match call.query.after_text().split_once('-') {
        Some((at, id)) => (at.parse().unwrap_or(0), id.to_owned()),
        None => (Millis::MAX, String::new()),
    };
    let finest = finest(&member)?;
    // To analysts there is nothing but what they may read now.
    let all = i64::from(member.role != Some(Role::Analyst));
    let items = app.store.read(|sql| {
        let page = "project_id = $1 AND published_at IS NOT NULL \
             AND (published_at < $2 OR published_at = $2 AND id > $3) \
             AND ($4 = 1 OR state = 'published' AND (ends_at IS NULL OR ends_at > $5)) \
             AND EXISTS (SELECT 1 FROM release_levels l WHERE l.release_id = releases.id AND l.level >= $6) \
             ORDER BY published_at DESC, id LIMIT $7";
        let of = values![member.project, before, &id, all, at, i64::from(finest), limit + 1];
        let found = Release::find_where(sql, page, of)?;
        found
            .iter()
            .map(|release| listed(sql, release, finest, at))
            .collect::<Result<Vec<_>>>()
    })?;
    Ok(Json(Page::of(items, limit, |item: &Listed| {
        format!("{}-{}", item.published_at.unwrap_or(0), item.id)
    })))
}

/// A release in full.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Shown {
    /// What lists say of it.
    #[serde(flatten)]
    of: Listed,
    /// What was promised, kept and lost, level by level.
    made: Vec<Facts>,
    /// How to cite it.
    cite: String,
    /// How to verify it: the files of each level with their sums.
    verify: Vec<Verify>,
    /// Why it was taken back.
    reason: Option<String>,
}

/// How a level is verified.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Verify {
    /// The SHA-256 of `manifest` without spaces, which the log has beside the approval.
    sha256: String,
    /// The files and their sums. `sha256sum` of a downloaded file is the sum here.
    manifest: OfLevel,
}

fn read(
    app: &App,
    permit: Permit<ListReleases>,
    call: Call<Nothing, Nothing>,
) -> Result<Json<Shown>> {
    let (member, at) = (permit.member()?, permit.at());
    let (id, finest) = (call.id("release")?, finest(&member)?);
    app.store
        .read(|sql| {
            let release = found(sql, &member, id, at)?;
            let of = listed(sql, &release, finest, at)?;
            let mut made = made::facts(sql, &release)?;
            made.retain(|level| level.level >= finest);
            let mut verify = Vec::new();
            if release.is_public(at) {
                for level in &of.levels {
                    let manifest = OfLevel::of(sql, &release, level.level)?;
                    verify.push(Verify {
                        sha256: hex(&manifest::sum(&manifest::text(&manifest)?)),
                        manifest,
                    });
                }
            }
            let reason =
                "SELECT reason FROM approvals WHERE release_id = $1 AND decision = 'revoked'";
            let reason = sql.row(reason, values![id])?;
            Ok(Shown {
                cite: cite(&of),
                reason: match reason {
                    Some(row) => Some(row.text(0)?.to_owned()),
                    None => None,
                },
                of,
                made,
                verify,
            })
        })
        .map(Json)
}

/// How a release is cited.
fn cite(of: &Listed) -> String {
    let day = of.published_at.map(crate::clock::date).unwrap_or_default();
    let dataset = &of.dataset;
    format!(
        "{}. Anonymised release of {dataset}, version {}, published {day}. Release {}",
        of.name, of.number, of.id
    )
}

/// A release that a member may know of. One that was published for them and taken back says so.
fn found(sql: &mut dyn Sql, member: &Member, id: Id, at: Millis) -> Result<Release> {
    let release = Release::find(sql, member.project, id)?;
    let known = "SELECT count(*) FROM release_levels WHERE release_id = $1 AND level >= $2";
    let is_known = release.published_at.is_some()
        && sql.number(known, values![id, i64::from(finest(member)?)])? > 0;
    if !is_known {
        // One that nobody may know of yet is withheld as well.
        return Err(Problem::withheld("release"));
    }
    if !release.is_public(at) && member.role == Some(Role::Analyst) {
        return Err(gone(&release));
    }
    Ok(release)
}

fn gone(release: &Release) -> Problem {
    match release.state {
        State::Revoked => Problem::new(410, "revoked", "this release was taken back")
            .help("delete what you have of it, and ask an officer for a newer one"),
        _ => Problem::new(410, "ended", "the end of this release has come")
            .help("ask a steward for a newer one"),
    }
}

/// The release and the level of a path, if who asks may read them now.
fn of_path<R: Right>(app: &App, permit: &Permit<R>, head: &Head) -> Result<(Release, u32)> {
    let (member, at) = (permit.member()?, permit.at());
    let (id, level) = (head.id("release")?, level_of(head)?);
    if level < finest(&member)? {
        return Err(Problem::withheld("level"));
    }
    let release = app.store.read(|sql| found(sql, &member, id, at))?;
    match release.is_public(at) {
        true => Ok((release, level)),
        false => Err(gone(&release)),
    }
}

fn dictionary(
    app: &App,
    permit: Permit<ListReleases>,
    call: Call<Nothing, Nothing>,
) -> Result<Json<serde_json::Value>> {
    let (release, level) = of_path(app, &permit, &call.head)?;
    json(app, &release, level, Part::Dictionary)
}

fn signed(
    app: &App,
    permit: Permit<ListReleases>,
    call: Call<Nothing, Nothing>,
) -> Result<Json<serde_json::Value>> {
    let (release, level) = of_path(app, &permit, &call.head)?;
    json(app, &release, level, Part::Manifest)
}

fn json(app: &App, release: &Release, level: u32, part: Part) -> Result<Json<serde_json::Value>> {
    let bytes = rows::whole(rows::open(app, release, level, part)?)?;
    serde_json::from_slice(&bytes)
        .map(Json)
        .map_err(|_| crate::seal::damaged())
}

fn report(app: &App, permit: Permit<ListReleases>, call: Call<Nothing, Nothing>) -> Result<Html> {
    let (release, level) = of_path(app, &permit, &call.head)?;
    rows::whole(rows::open(app, &release, level, Part::Page)?).map(Html)
}

fn page(
    app: &App,
    permit: Permit<ReadReleases>,
    call: Call<Wanted, Nothing>,
) -> Result<Json<Rows>> {
    let (release, level) = of_path(app, &permit, &call.head)?;
    rows::page(rows::open_table(app, &release, level)?, &call.query).map(Json)
}

fn counts(
    app: &App,
    permit: Permit<ReadReleases>,
    call: Call<Counted, Nothing>,
) -> Result<Json<Counts>> {
    let (release, level) = of_path(app, &permit, &call.head)?;
    rows::count(rows::open_table(app, &release, level)?, &call.query).map(Json)
}

fn file(app: &App, permit: Permit<ReadReleases>, call: Call<Nothing, Nothing>) -> Result<Csv> {
    let (release, level) = of_path(app, &permit, &call.head)?;
    let file = rows::open(app, &release, level, Part::Rows)?;
    // It is in the log before the first byte leaves.
    app.store.act(|act| {
        let mut entry = permit.entry("release.download");
        entry.subject = Some(release.id);
        entry.facts = vec![("level", level.to_string())];
        act.log(&entry)
    })?;
    let reader = Reader {
        store: app.store.clone(),
        clock: app.clock.clone(),
        credentials: call.head.credentials.clone(),
        project: release.project,
        release: release.id,
        level,
    };
    let name = format!("release-{}-{level}.csv", release.id);
    // While the store does not answer, nothing more leaves.
    let still = Box::new(move || reader.may_read().unwrap_or(false));
    Ok(Csv(rows::download(file, name, still)))
}

/// Who downloads a level, to be asked again and again whether they still may.
struct Reader {
    store: Store,
    clock: Clock,
    credentials: Credentials,
    project: Id,
    release: Id,
    level: u32,
}

impl Reader {
    fn may_read(&self) -> Result<bool> {
        let at = self.clock.now();
        self.store.read(|sql| {
            let user = match &self.credentials {
                Credentials::None => None,
                Credentials::Cookie(secret) => session::find(sql, secret, at)?
                    .filter(|signed| {
                        let session = signed.session.as_ref();
                        session.is_some_and(|session| session.check_usable(at).is_ok())
                    })
                    .map(|signed| signed.user),
                Credentials::Bearer(secret) => token::find(sql, secret, at)?
                    .filter(|token| token.allows(ReadReleases::INFO.name) && !token.lacks_factor)
                    .map(|token| token.signed.user),
            };
            let Some(user) = user else { return Ok(false) };
            let Some(member) = standing(sql, user, self.project, at)? else {
                return Ok(false);
            };
            let has = member
                .role
                .is_some_and(|role| ReadReleases::INFO.has(role, member.level.unwrap_or(0)));
            let release = Release::find(sql, self.project, self.release)?;
            Ok(has && self.level >= finest(&member)? && release.is_public(at))
        })
    }
}
