//! Every route × every actor × every situation, against what the documentation says in `x-right`.
//!
//! What is expected is computed here, from the published document alone, by other code than that
//! which decides. A request that is let through goes on to its handler, which may find that its body
//! or what it names is missing; one that is not ends with the code that is expected.

use crate::support::{Answered, Kind, Person, Server};
use http::Method;
use moretta_server::clock::DAY;
use moretta_server::db::{Row, Value};
use moretta_server::id::Id;
use moretta_server::rights::RIGHTS;
use moretta_server::secret::Secret;
use moretta_server::token;
use serde_json::Value as Json;

/// Who asks: what they are in their project, with which level.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Actor {
    name: &'static str,
    role: Option<&'static str>,
    level: i64,
    admin: bool,
    auditor: bool,
}

const fn member(name: &'static str, role: &'static str, level: i64) -> Actor {
    Actor {
        name,
        role: Some(role),
        level,
        admin: false,
        auditor: false,
    }
}

const ACTORS: [Actor; 10] = [
    Actor {
        name: "administrator",
        role: None,
        level: 0,
        admin: true,
        auditor: false,
    },
    member("officer", "officer", 0),
    member("steward", "steward", 2),
    member("steward who reads raw rows", "steward", 1),
    member("analyst", "analyst", 2),
    member("analyst of a coarser level", "analyst", 3),
    member("analyst who reads raw rows", "analyst", 1),
    member("operator", "operator", 0),
    member("auditor of the project", "auditor", 0),
    Actor {
        name: "auditor of everything",
        role: None,
        level: 0,
        admin: false,
        auditor: true,
    },
];

/// How they ask.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Situation {
    Member,
    Stranger,
    EndedMembership,
    EndedSession,
    EndedToken,
    Locked,
    Waiting,
    Disabled,
    NoToken,
    OtherSite,
    NoFreshFactor,
    ByToken,
    Nobody,
}

use Situation::*;

const SITUATIONS: [Situation; 13] = [
    Member,
    Stranger,
    EndedMembership,
    EndedSession,
    EndedToken,
    Locked,
    Waiting,
    Disabled,
    NoToken,
    OtherSite,
    NoFreshFactor,
    ByToken,
    Nobody,
];

/// What has to come of it: `None` where the request is let through.
fn expected(
    right: &Json,
    actor: &Actor,
    situation: Situation,
    method: &Method,
    of_project: bool,
) -> Option<(u16, &'static str)> {
    let to = right["to"].as_array().expect("a list");
    let gives = |kind: &str| to.iter().any(|to| to["kind"] == kind);
    if gives("anyone") {
        return None;
    }
    if matches!(situation, Nobody | Disabled | EndedSession | EndedToken) {
        return Some((401, "signed-out"));
    }
    if matches!(situation, NoToken | OtherSite) && *method != Method::GET {
        return Some((403, "other-origin"));
    }
    if situation == ByToken && right["token"] != true {
        return Some((403, "forbidden"));
    }
    if gives("half") {
        return None;
    }
    match situation {
        Locked => return Some((401, "session-locked")),
        Waiting => return Some((401, "second-factor")),
        _ => {}
    }
    let administers = actor.admin && situation != ByToken;
    let everywhere =
        gives("signed") || gives("admin") && administers || gives("auditor") && actor.auditor;
    let here = actor
        .role
        .filter(|_| !matches!(situation, Stranger | EndedMembership));
    let by_role = here.is_some_and(|role| {
        let raw = actor.level == 1 && ["steward", "analyst"].contains(&role);
        to.iter()
            .any(|to| to["kind"] == "role" && to["of"] == role || to["kind"] == "raw" && raw)
    });
    let has = match of_project {
        true => everywhere || by_role,
        false => everywhere,
    };
    match (has, of_project, here) {
        (false, true, None) => return Some((404, "no-such-project")),
        (false, _, _) => return Some((403, "forbidden")),
        _ => {}
    }
    (right["fresh"] == true && situation == NoFreshFactor).then_some((403, "step-up"))
}

/// Whether a request came to its handler.
fn refusal(answered: &Answered) -> Option<(u16, &str)> {
    let codes = [
        "signed-out",
        "session-locked",
        "second-factor",
        "factor-needed",
        "other-origin",
        "forbidden",
        "step-up",
        "no-such-project",
    ];
    codes
        .contains(&&*answered.code)
        .then_some((answered.status, &*answered.code))
}

/// Who asks in one situation: an account of its own, so that nothing that one request does can
/// change what another one finds.
struct Asker {
    actor: Actor,
    situation: Situation,
    person: Person,
    bearer: Option<String>,
}

struct Matrix {
    server: Server,
    project: Id,
    /// A project that there is, of which nobody is a member.
    other: Id,
    askers: Vec<Asker>,
}

impl Matrix {
    fn new() -> Self {
        // The clock stands, so that rates would end what is asked here.
        let server = Server::with(|settings| settings.limits.calls = (1_000_000, 1_000_000));
        let project = Id::random();
        let other = Id::random();
        for id in [project, other] {
            let insert = "INSERT INTO projects (id, name, rules, state, made_at, made_by) \
                          VALUES ($1, $1, '{}', 'open', 0, '')";
            tell(&server, insert, &[id.into()]);
        }
        let mut matrix = Matrix {
            server,
            project,
            other,
            askers: Vec::new(),
        };
        for actor in ACTORS {
            for situation in SITUATIONS {
                let asker = matrix.asker(actor, situation);
                matrix.askers.push(asker);
            }
        }
        matrix
    }

    fn asker(&self, actor: Actor, situation: Situation) -> Asker {
        let server = &self.server;
        let kind = Kind {
            admin: actor.admin,
            auditor: actor.auditor,
            factor: true,
        };
        let person = server.person(&format!("{} {situation:?}", actor.name), kind);
        let ends = (situation == EndedMembership).then(|| server.clock.now() - 1);
        if let Some(role) = actor.role {
            let insert = "INSERT INTO members (project_id, user_id, role, level, ends_at, asked_by, confirmed_by, at) \
                          VALUES ($1, $2, $3, $4, $5, $2, $1, 0)";
            let cells = [
                self.project.into(),
                person.id.into(),
                role.into(),
                actor.level.into(),
                ends.into(),
            ];
            tell(server, insert, &cells);
        }
        if situation == Disabled {
            let disable = "UPDATE users SET state = 'disabled' WHERE id = $1";
            tell(server, disable, &[person.id.into()]);
        }
        if situation == EndedSession {
            let end = "UPDATE sessions SET ends_at = $1 WHERE user_id = $2";
            let cells = [(server.clock.now() - 1).into(), person.id.into()];
            tell(server, end, &cells);
        }
        let bearer = matches!(situation, ByToken | EndedToken).then(|| {
            let rights = RIGHTS.iter().filter(|right| right.token);
            let scope: Vec<String> = rights.map(|right| right.name.to_owned()).collect();
            let at = server.clock.now();
            let made = server
                .app
                .store
                .act(|act| token::make(&mut **act, person.id, "all", &scope, at + DAY, at));
            if situation == EndedToken {
                let end = "UPDATE tokens SET ends_at = $1 WHERE user_id = $2";
                tell(server, end, &[(at - 1).into(), person.id.into()]);
            }
            format!("Bearer {}", made.expect("a token").1.show())
        });
        Asker {
            actor,
            situation,
            person,
            bearer,
        }
    }

    /// Puts the session into its state; a request that was let through may have ended it.
    fn prepare(&self, asker: &Asker) -> Person {
        let person = &asker.person;
        if asker.situation == EndedSession {
            return person.clone();
        }
        let find = "SELECT state, factor_at FROM sessions WHERE secret = $1";
        let sum = Secret::new(person.secret.clone()).sum();
        let found = self
            .server
            .app
            .store
            .read(|sql| sql.row(find, &[sum[..].into()]));
        let (state, fresh) = match asker.situation {
            Locked => ("locked", true),
            Waiting => ("waiting", true),
            NoFreshFactor => ("full", false),
            _ => ("full", true),
        };
        let is_so = |row: &Row| {
            let shown = row.maybe_integer(1).expect("a time").is_some();
            row.text(0).expect("a state") == state && shown == fresh
        };
        if found
            .expect("the store answers")
            .as_ref()
            .is_some_and(is_so)
        {
            return person.clone();
        }
        let again = self.server.again(person.id, &person.name, fresh);
        let sum = Secret::new(again.secret.clone()).sum();
        let update = "UPDATE sessions SET state = $1 WHERE secret = $2";
        tell(&self.server, update, &[state.into(), sum[..].into()]);
        again
    }

    fn ask(&mut self, place: usize, method: &Method, path: &str) -> Answered {
        self.askers[place].person = self.prepare(&self.askers[place]);
        let asker = &self.askers[place];
        let situation = asker.situation;
        let project = match situation {
            Stranger => self.other,
            _ => self.project,
        };
        let path: Vec<String> = path
            .split('/')
            .map(|part| match part {
                "{project}" => project.to_string(),
                part if part.starts_with('{') => Id::random().to_string(),
                part => part.to_owned(),
            })
            .collect();
        let cookie = asker.person.cookie();
        let site = match situation {
            OtherSite => "cross-site",
            _ => "same-origin",
        };
        let mut headers = vec![("sec-fetch-site", site)];
        match &asker.bearer {
            Some(bearer) => headers.push(("authorization", bearer)),
            None if situation != Nobody => headers.push(("cookie", &cookie)),
            None => {}
        }
        if situation != NoToken {
            headers.push(("x-moretta-token", &asker.person.token));
        }
        self.server
            .ask(method.clone(), &path.join("/"), &headers, b"")
    }
}

fn tell(server: &Server, statement: &str, cells: &[Value]) {
    let told = server.app.store.act(|act| act.execute(statement, cells));
    told.expect("the store does it");
}

#[test]
fn every_route_answers_those_whom_the_documentation_names_and_nobody_else() {
    let mut matrix = Matrix::new();
    let document = matrix.server.ask(Method::GET, "/openapi.json", &[], b"");
    let document = document.expect(200);
    let mut asked = 0;
    let mut let_through = 0;
    let mut unexpected = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        let path = path.strip_prefix("/api/v1").expect("below the interface");
        for (method, operation) in methods.as_object().expect("methods") {
            let method: Method = method.to_ascii_uppercase().parse().expect("a method");
            let right = &operation["x-right"];
            let of_project = path.contains("{project}");
            let is_open = right["to"][0]["kind"] == "anyone";
            for place in 0..matrix.askers.len() {
                let (actor, situation) =
                    (matrix.askers[place].actor, matrix.askers[place].situation);
                if is_open && situation == OtherSite {
                    // Whether pages of others may ask is for the handler to say.
                    continue;
                }
                let expected = expected(right, &actor, situation, &method, of_project);
                let answered = matrix.ask(place, &method, path);
                let found = refusal(&answered);
                asked += 1;
                let_through += u32::from(found.is_none());
                if found != expected && !is_open {
                    let who = actor.name;
                    unexpected.push(format!(
                        "{method} {path} {who} {situation:?}: {found:?} for {expected:?}"
                    ));
                }
            }
        }
    }
    assert!(unexpected.is_empty(), "{}", unexpected.join("\n"));
    assert!(
        let_through > 0 && let_through < asked,
        "{let_through} of {asked}"
    );
}
