//! Permits: made by [`permit`] alone, once for each request, range and event.

use super::{Right, RightInfo, Role, To};
use crate::app::App;
use crate::audit::Entry;
use crate::clock::{MINUTE, Millis};
use crate::db::Sql;
use crate::http::{Credentials, Head};
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::session::{self, Session};
use crate::token;
use std::marker::PhantomData;

/// How long a second factor counts as just shown.
pub(super) const FRESH: Millis = 15 * MINUTE;

/// Who has been found to have a right.
#[derive(Debug)]
pub struct Permit<R> {
    caller: Caller,
    at: Millis,
    request: Id,
    right: PhantomData<fn() -> R>,
}

/// Who asks.
#[derive(Clone, Debug)]
pub enum Caller {
    /// Nobody that is known.
    Nobody,
    /// A person.
    Person {
        /// Who is signed in, and how.
        signed: Signed,
        /// What they are in the project that the request is about.
        member: Option<Member>,
    },
    /// A token for the events of one stream.
    Ingest {
        /// The project of the stream.
        project: Id,
        /// The stream.
        stream: Id,
        /// The number of who made the token.
        number: i64,
    },
}

/// A person who is signed in.
#[derive(Clone, Debug)]
pub struct Signed {
    /// Who.
    pub user: Id,
    /// Their number in the log.
    pub number: i64,
    /// Whether they administer the server.
    pub admin: bool,
    /// Whether they audit everything.
    pub auditor: bool,
    /// By which session; none by a token.
    pub session: Option<Session>,
}

/// What somebody is in a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The project.
    pub project: Id,
    /// The role; none of an administrator or auditor who is no member.
    pub role: Option<Role>,
    /// The finest level that may be read; none where no row may be.
    pub level: Option<i64>,
}

impl<R> Permit<R> {
    /// The time of the request.
    pub fn at(&self) -> Millis {
        self.at
    }

    /// The id of the request.
    pub fn request(&self) -> Id {
        self.request
    }

    /// Who asks.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Who is signed in.
    ///
    /// # Errors
    /// When nobody is: of rights that everybody has.
    pub fn signed(&self) -> Result<&Signed> {
        match &self.caller {
            Caller::Person { signed, .. } => Ok(signed),
            _ => Err(signed_out()),
        }
    }

    /// The id of who is signed in.
    ///
    /// # Errors
    /// When nobody is.
    pub fn user(&self) -> Result<Id> {
        Ok(self.signed()?.user)
    }

    /// The session of who is signed in.
    ///
    /// # Errors
    /// When there is none.
    pub fn session(&self) -> Result<&Session> {
        let session = self.signed()?.session.as_ref();
        session.ok_or_else(|| Problem::forbidden("tokens have no session"))
    }

    /// What the caller is in the project of the request.
    ///
    /// # Errors
    /// When the request is about none.
    pub fn member(&self) -> Result<Member> {
        match &self.caller {
            Caller::Person {
                member: Some(member),
                ..
            } => Ok(*member),
            _ => Err(Problem::bug("the request is about no project")),
        }
    }

    /// The project of the request.
    ///
    /// # Errors
    /// When there is none.
    pub fn project(&self) -> Result<Id> {
        match &self.caller {
            Caller::Ingest { project, .. } => Ok(*project),
            _ => Ok(self.member()?.project),
        }
    }

    /// An entry for the log of what this permit is used for.
    pub fn entry<'a>(&self, act: &'a str) -> Entry<'a> {
        Entry {
            at: self.at,
            actor: self.caller.number(),
            act,
            project: self.project().ok(),
            ..Entry::default()
        }
    }
}

impl Caller {
    /// The number under which the caller stands in the log.
    pub fn number(&self) -> Option<i64> {
        match self {
            Caller::Nobody => None,
            Caller::Person { signed, .. } => Some(signed.number),
            Caller::Ingest { number, .. } => Some(*number),
        }
    }
}

/// Nobody is signed in.
pub(super) fn signed_out() -> Problem {
    Problem::new(401, "signed-out", "nobody is signed in").help("sign in")
}

/// Looks whether the caller of a request has a right; a refusal of a known person is logged.
///
/// # Errors
/// 401 when nobody is signed in or the session is locked, 404 of who is no member, 403 of a member
/// without the right.
pub fn permit<R: Right>(app: &App, head: &Head) -> Result<Permit<R>> {
    let at = app.clock.now();
    let mut number = None;
    let found = app
        .store
        .read(|sql| decide(&R::INFO, head, at, sql, &mut number));
    match found {
        Ok(caller) => Ok(Permit {
            caller,
            at,
            request: head.request,
            right: PhantomData,
        }),
        Err(problem) => {
            if number.is_some() && matches!(problem.status, 403 | 404) {
                let project = head.project().ok();
                let refused = Refused {
                    number,
                    project,
                    at,
                };
                refused.log(app, &R::INFO, &problem)?;
            }
            Err(problem)
        }
    }
}

/// Whose request was refused, for the log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refused {
    number: Option<i64>,
    project: Option<Id>,
    at: Millis,
}

impl Refused {
    /// Who would have to be entered if what `permit` is used for were refused.
    pub(crate) fn of<R>(permit: &Permit<R>) -> Self {
        Refused {
            number: permit.caller.number(),
            project: permit.project().ok(),
            at: permit.at,
        }
    }

    /// Enters a refusal of somebody who is known.
    ///
    /// # Errors
    /// When the store does not answer.
    pub(crate) fn log(self, app: &App, right: &RightInfo, problem: &Problem) -> Result<()> {
        if self.number.is_none() {
            return Ok(());
        }
        let facts = vec![
            ("code", problem.code.to_owned()),
            ("right", right.name.to_owned()),
        ];
        let entry = Entry {
            at: self.at,
            actor: self.number,
            act: "refused",
            refused: true,
            project: self.project,
            facts,
            ..Entry::default()
        };
        app.store.act(|act| act.log(&entry))
    }
}

/// Whether the caller of a request has a right at the time when this is asked, for what leaves piece
/// by piece. While the store does not answer, nobody has any.
pub fn still<R: Right>(app: &App, head: &Head) -> impl Fn() -> bool + Send + use<R> {
    let (store, clock, head) = (app.store.clone(), app.clock.clone(), head.clone());
    move || {
        let at = clock.now();
        let decided = store.read(|sql| decide(&R::INFO, &head, at, sql, &mut None));
        decided.is_ok()
    }
}

/// Decides; `number` becomes that of the person who asks.
fn decide(
    right: &RightInfo,
    head: &Head,
    at: Millis,
    sql: &mut dyn Sql,
    number: &mut Option<i64>,
) -> Result<Caller> {
    let gives = |to| right.to.contains(&to);
    let signed = match &head.credentials {
        _ if gives(To::Anyone) => return Ok(Caller::Nobody),
        Credentials::None => return Err(signed_out()),
        Credentials::Bearer(secret) => {
            return by_token(right, head, at, sql, secret, number);
        }
        Credentials::Cookie(secret) => session::find(sql, secret, at)?.ok_or_else(signed_out)?,
    };
    let session = signed.session.as_ref().ok_or_else(signed_out)?;
    *number = Some(signed.number);
    head.check_origin(session)?;
    if gives(To::Half) {
        return Ok(Caller::Person {
            signed,
            member: None,
        });
    }
    session.check_usable(at)?;
    let member = member(right, head, at, sql, &signed)?;
    if right.fresh && session.factor_at.is_none_or(|shown| at - shown > FRESH) {
        let what = "this needs a second factor that was shown in the last 15 minutes";
        return Err(
            Problem::new(403, "step-up", what).help("show it again, then repeat the request")
        );
    }
    Ok(Caller::Person { signed, member })
}

/// What the person is in the project of the request, which must give them the right.
fn member(
    right: &RightInfo,
    head: &Head,
    at: Millis,
    sql: &mut dyn Sql,
    signed: &Signed,
) -> Result<Option<Member>> {
    let gives = |to| right.to.contains(&to);
    let global = gives(To::Signed)
        || gives(To::Admin) && signed.admin
        || gives(To::Auditor) && signed.auditor;
    if !head.has_project() {
        return match global {
            true => Ok(None),
            false => Err(Problem::forbidden("this is for others").help(whose(right))),
        };
    }
    let member = standing(sql, signed.user, head.project()?, at)?;
    let member = member.ok_or_else(|| Problem::not_found("project"))?;
    match member.role {
        Some(role) if right.has(role, member.level.unwrap_or(0)) => {}
        _ if global => {}
        Some(_) => {
            let what = "your role in this project does not do this";
            return Err(Problem::forbidden(what).help(whose(right)));
        }
        None => return Err(Problem::not_found("project")),
    }
    Ok(Some(member))
}

/// What somebody is in a project at some time; none where there is no such project.
///
/// # Errors
/// When the store does not answer.
pub fn standing(sql: &mut dyn Sql, user: Id, project: Id, at: Millis) -> Result<Option<Member>> {
    let row = sql.row(
        "SELECT m.role, m.level, m.ends_at FROM projects p \
         LEFT JOIN members m ON m.project_id = p.id AND m.user_id = $1 WHERE p.id = $2",
        values![user, project],
    )?;
    let Some(row) = row else { return Ok(None) };
    let ended = row.maybe_integer(2)?.is_some_and(|ends| ends <= at);
    let role = match row.maybe_text(0)? {
        Some(role) if !ended => Some(Role::parse(&role)?),
        _ => None,
    };
    let level = match role {
        Some(_) => row.maybe_integer(1)?.filter(|level| *level > 0),
        None => None,
    };
    Ok(Some(Member {
        project,
        role,
        level,
    }))
}

fn by_token(
    right: &RightInfo,
    head: &Head,
    at: Millis,
    sql: &mut dyn Sql,
    secret: &str,
    number: &mut Option<i64>,
) -> Result<Caller> {
    let found = token::find(sql, secret, at)?.ok_or_else(signed_out)?;
    *number = Some(found.signed.number);
    if let Some((project, stream)) = found.stream {
        // Most routes name no stream, so that there is none to compare.
        let named = (head.project().ok(), head.id("stream").ok());
        let meant = named == (Some(project), Some(stream));
        return match right.to.contains(&To::Ingest) && meant {
            true => Ok(Caller::Ingest {
                project,
                stream,
                number: found.signed.number,
            }),
            false => Err(Problem::forbidden(
                "this token is for the events of one stream",
            )),
        };
    }
    if !right.token || !found.allows(right.name) {
        return Err(Problem::forbidden("this token does not do this")
            .help("make one with the scope that it needs, or sign in"));
    }
    if found.lacks_factor {
        return Err(session::factor_needed());
    }
    let member = member(right, head, at, sql, &found.signed)?;
    Ok(Caller::Person {
        signed: found.signed,
        member,
    })
}

fn whose(right: &RightInfo) -> String {
    let names = right.to.iter().filter_map(|to| match to {
        To::Role(role) => Some(role.word()),
        To::Admin => Some("administrator"),
        To::Auditor => Some("auditor"),
        To::Raw => Some("member with level 1"),
        _ => None,
    });
    let mut names: Vec<&str> = names.collect();
    names.dedup();
    format!("ask one who may: {}", names.join(", "))
}
