//! Members: asked for by administrators, confirmed by a second person where data could be reached.

use crate::app::App;
use crate::clock::{DAY, Millis};
use crate::db::{Row, Sql};
use crate::http::{Accepted, Call, Done, Json, Nothing, Route, delete, get, post};
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::rights::{AskLevel, AskMembers, ListMembers, Permit, Role};
use crate::store::Act;
use crate::token;
use crate::wish::{self, Asked, Wish};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How long somebody may have level 1.
const RAW_DAYS: Millis = 90 * DAY;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "/projects/{project}/members",
            "Who is a member, as what and until when",
            list,
        ),
        post(
            "/projects/{project}/members",
            "Makes somebody a member, or asks a second person to",
            ask,
        ),
        delete(
            "/projects/{project}/members/{user}",
            "Ends a membership, at once",
            remove,
        ),
        post(
            "/projects/{project}/members/finer",
            "Asks for a finer level for oneself",
            ask_finer,
        ),
    ]
}

/// A member of a project.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Listed {
    /// Who.
    user: Id,
    /// Their name.
    name: Option<String>,
    /// Their role.
    role: Role,
    /// The finest level that they may read.
    level: Option<i64>,
    /// When the membership ends.
    ends_at: Option<Millis>,
    /// Who asked for it.
    asked_by: Id,
    /// Who confirmed it; who asked where no second person was needed.
    confirmed_by: Id,
    /// When it began.
    at: Millis,
}

fn read(row: &Row) -> Result<Listed> {
    Ok(Listed {
        user: row.id(0)?,
        name: row.maybe_text(1)?,
        role: Role::parse(row.text(2)?)?,
        level: row.maybe_integer(3)?.filter(|level| *level > 0),
        ends_at: row.maybe_integer(4)?,
        asked_by: row.id(5)?,
        confirmed_by: row.id(6)?,
        at: row.integer(7)?,
    })
}

fn list(
    app: &App,
    permit: Permit<ListMembers>,
    _: Call<Nothing, Nothing>,
) -> Result<Json<Vec<Listed>>> {
    let project = permit.project()?;
    let rows = app.store.read(|sql| {
        sql.query(
            "SELECT m.user_id, u.name, m.role, m.level, m.ends_at, m.asked_by, m.confirmed_by, m.at \
             FROM members m JOIN users u ON u.id = m.user_id WHERE m.project_id = $1 ORDER BY u.name",
            values![project],
        )
    })?;
    rows.iter().map(read).collect::<Result<_>>().map(Json)
}

/// What somebody is to be in a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Membership {
    /// Who.
    pub(super) user: Id,
    /// As what.
    pub(super) role: Role,
    /// The finest level: of analysts 1 and up, of stewards 1 or none.
    pub(super) level: Option<i64>,
    /// When it ends; at most 90 days from now with level 1.
    pub(super) ends_at: Option<Millis>,
    /// Why.
    pub(super) reason: String,
}

impl Membership {
    /// Whether a second person has to confirm it: it approves, or sees what nobody has approved yet.
    fn needs_second(&self) -> bool {
        self.role.is_trusted() || self.level == Some(1)
    }

    pub(super) fn check(&self, sql: &mut dyn Sql, at: Millis) -> Result<()> {
        match (self.role, self.level) {
            (Role::Analyst, Some(1..=100)) | (Role::Steward, None | Some(1)) => {}
            (Role::Analyst, _) => {
                return Err(Problem::unusable(
                    "an analyst has a level, 1 being raw rows",
                ));
            }
            (Role::Steward, _) => {
                return Err(Problem::unusable("a steward has level 1 or none"));
            }
            (_, None) => {}
            _ => return Err(Problem::unusable("only analysts and stewards have a level")),
        }
        if self.reason.trim().is_empty() || self.reason.chars().count() > 1000 {
            return Err(Problem::unusable("say why, in at most 1,000 characters"));
        }
        if self.ends_at.is_some_and(|ends| ends <= at) {
            return Err(Problem::unusable("the end is in the past"));
        }
        if self.level == Some(1) && self.ends_at.is_none_or(|ends| ends > at + RAW_DAYS) {
            return Err(
                Problem::unusable("level 1 ends after at most 90 days").help("give `ends_at`")
            );
        }
        let row = sql.row(
            "SELECT state, admin FROM users WHERE id = $1",
            values![self.user],
        )?;
        match row {
            Some(row) if row.yes(1)? => Err(Problem::conflict(
                "admin",
                "an administrator is a member of no project",
            )
            .help("give that person a second account, or make somebody else the administrator")),
            Some(row) if row.text(0)? == "active" => Ok(()),
            // Who has the link of an invitation would become what a second person confirms.
            Some(row) if row.text(0)? == "invited" => match self.needs_second() {
                true => Err(Problem::conflict(
                    "invited",
                    "the person has not accepted the invitation yet",
                )
                .help("ask again when they have signed in")),
                false => Ok(()),
            },
            _ => Err(Problem::not_found("user")),
        }
    }

    /// Makes it so.
    pub(super) fn grant(
        &self,
        act: &mut Act<'_>,
        project: Id,
        (asked_by, confirmed_by): (Id, Id),
        at: Millis,
    ) -> Result<()> {
        if self.needs_second() {
            // A link that one person has handed out before would be the account, and so would a token
            // that whoever used one has made.
            token::end_all(&mut **act, self.user)?;
            act.execute(
                "DELETE FROM links WHERE user_id = $1 AND kind <> 'demo'",
                values![self.user],
            )?;
        }
        act.execute(
            "INSERT INTO members (project_id, user_id, role, level, ends_at, asked_by, confirmed_by, at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
             ON CONFLICT (project_id, user_id) DO UPDATE SET role = excluded.role, level = excluded.level, \
             ends_at = excluded.ends_at, asked_by = excluded.asked_by, confirmed_by = excluded.confirmed_by, \
             at = excluded.at",
            values![
                project,
                self.user,
                self.role.word(),
                self.level.unwrap_or(0),
                self.ends_at,
                asked_by,
                confirmed_by,
                at
            ],
        )
        .map(drop)
    }

    /// What the log says of it.
    pub(super) fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = vec![("role", self.role.word().to_owned())];
        facts.extend(self.level.map(|level| ("level", level.to_string())));
        facts.extend(self.ends_at.map(|ends| ("ends_at", ends.to_string())));
        facts
    }
}

/// What has become of a request for a membership.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Outcome {
    /// `granted`, or `waiting` for a second person.
    state: &'static str,
    /// The wish that waits.
    wish: Option<Id>,
}

fn ask(
    app: &App,
    permit: Permit<AskMembers>,
    call: Call<Nothing, Json<Membership>>,
) -> Result<Accepted<Outcome>> {
    let (membership, project) = (&call.body.0, permit.project()?);
    if !membership.needs_second() || !app.settings.four_eyes {
        app.store.act(|act| {
            membership.check(&mut **act, permit.at())?;
            let by = permit.user()?;
            membership.grant(act, project, (by, by), permit.at())?;
            let mut entry = permit.entry("member.grant");
            entry.subject = Some(membership.user);
            entry.facts = membership.facts();
            if membership.needs_second() {
                entry.facts.push(("alone", "four_eyes is off".to_owned()));
            }
            act.log(&entry)
        })?;
        return Ok(Accepted(Outcome {
            state: "granted",
            wish: None,
        }));
    }
    wish_for(app, &permit, project, membership)
}

fn wish_for<R>(
    app: &App,
    permit: &Permit<R>,
    project: Id,
    membership: &Membership,
) -> Result<Accepted<Outcome>> {
    let wish = app.store.act(|act| {
        membership.check(&mut **act, permit.at())?;
        let asked = Asked {
            kind: "member",
            project: Some(project),
            subject: membership.user,
            wish: serde_json::to_string(membership).unwrap_or_default(),
            reason: &membership.reason,
            by: permit.user()?,
            at: permit.at(),
        };
        let wish = wish::ask(&mut **act, &asked)?;
        let mut entry = permit.entry("member.ask");
        entry.subject = Some(membership.user);
        entry.facts = membership.facts();
        act.log(&entry)?;
        Ok(wish)
    })?;
    Ok(Accepted(Outcome {
        state: "waiting",
        wish: Some(wish),
    }))
}

/// A finer level for oneself.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Finer {
    /// The level.
    level: i64,
    /// When it ends.
    ends_at: Millis,
    /// What for.
    reason: String,
}

fn ask_finer(
    app: &App,
    permit: Permit<AskLevel>,
    call: Call<Nothing, Json<Finer>>,
) -> Result<Accepted<Outcome>> {
    let (finer, member) = (call.body.0, permit.member()?);
    if member.level.is_some_and(|level| level <= finer.level) {
        return Err(Problem::conflict("finer", "you have this level already"));
    }
    let membership = Membership {
        user: permit.user()?,
        role: Role::Analyst,
        level: Some(finer.level),
        ends_at: Some(finer.ends_at),
        reason: finer.reason,
    };
    wish_for(app, &permit, member.project, &membership)
}

fn remove(app: &App, permit: Permit<AskMembers>, call: Call<Nothing, Nothing>) -> Result<Done> {
    let (project, user) = (permit.project()?, call.id("user")?);
    app.store.act(|act| {
        let removed = act.execute(
            "DELETE FROM members WHERE project_id = $1 AND user_id = $2",
            values![project, user],
        )?;
        if removed == 0 {
            return Err(Problem::not_found("member"));
        }
        // What waits was asked for of a member.
        wish::refuse_of(&mut **act, (project, user), permit.user()?, permit.at())?;
        let mut entry = permit.entry("member.end");
        entry.subject = Some(user);
        act.log(&entry)
    })?;
    Ok(Done)
}

/// Makes a membership that was wished for.
pub(super) fn granted(
    act: &mut Act<'_>,
    wish: &Wish,
    by: Id,
    at: Millis,
) -> Result<Vec<(&'static str, String)>> {
    let membership: Membership = serde_json::from_str(&wish.wish)
        .map_err(|_| Problem::bug("a wish of the store cannot be read"))?;
    let project = wish
        .project
        .ok_or_else(|| Problem::bug("a wish has no project"))?;
    membership.check(&mut **act, at)?;
    membership.grant(act, project, (wish.asked_by, by), at)?;
    Ok(membership.facts())
}
