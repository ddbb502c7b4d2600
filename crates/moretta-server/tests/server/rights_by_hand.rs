//! Who may do what, written down by hand from the design and held against the rights of the routes.
//! The list of rights makes router, documentation and matrix, so that a wrong line of it would be
//! right everywhere but here.

use crate::releases::hospital::Hospital;
use crate::support::{Person, Server, Ward};
use http::Method;
use serde_json::Value;
use std::collections::BTreeSet;

/// The columns: administrator, officer, steward, steward with level 1, analyst, analyst with level 1,
/// operator, auditor of the project, auditor of everything.
const ACTORS: [&str; 9] = ["A", "O", "S", "S1", "N", "N1", "P", "U", "G"];

/// Kinds of act: what each actor may do, and the routes. `y` may, `l` may on the own level and coarser
/// ones, `2` may with a second person, `-` may not. With `!` the second factor was just shown; with
/// `t` a token may do it. Routes without a project are named whole, others by what follows it.
const TABLE: &[(&str, &str, &str, &[&str])] = &[
    (
        "own account",
        "y y y y y y y y y",
        "",
        &[
            "DELETE /me/drafts/{draft}",
            "DELETE /me/sessions/{session}",
            "DELETE /me/tokens/{token}",
            "GET /me/drafts",
            "GET /me/drafts/{draft}",
            "GET /me/sessions",
            "GET /me/tokens",
            "PATCH /me",
            "POST /me/password",
            "POST /me/tokens",
            "PUT /me/drafts/{draft}",
        ],
    ),
    (
        "own session, also a locked one",
        "y y y y y y y y y",
        "",
        &[
            "DELETE /session",
            "GET /session",
            "POST /me/factor",
            "POST /session/factor",
            "POST /session/lock",
            "POST /session/unlock",
            "PUT /me/factor",
        ],
    ),
    (
        "events, explain, catalogue",
        "y y y y y y y y y",
        "t",
        &[
            "GET /catalogue",
            "GET /events",
            "GET /explain/{topic}",
            "GET /inbox",
            "GET /me",
            "GET /policy-schema",
            "GET /projects",
        ],
    ),
    (
        "users: see",
        "y - - - - - - - -",
        "",
        &["GET /users", "GET /users/{user}", "GET /wishes"],
    ),
    (
        "users: invite, change, disable, delete, end sessions",
        "2 - - - - - - - -",
        "!",
        &[
            "DELETE /users/{user}",
            "DELETE /users/{user}/sessions",
            "PATCH /users/{user}",
            "POST /users",
            "POST /users/{user}/disable",
            "POST /users/{user}/enable",
            "POST /users/{user}/factor-removal",
            "POST /users/{user}/link",
            "POST /wishes/{wish}/decision",
        ],
    ),
    (
        "projects, settings, backup",
        "y - - - - - - - -",
        "",
        &[
            "GET /backups",
            "GET /settings",
            "GET /status",
            "PATCH /:",
            "POST /backups",
            "POST /projects",
        ],
    ),
    (
        "members: list",
        "y y - - - - - y y",
        "",
        &["GET /:/members", "GET /:/wishes"],
    ),
    (
        "members: ask for change",
        "y - - - - - - - -",
        "",
        &["DELETE /:/members/{user}", "POST /:/members"],
    ),
    (
        "members: ask for a finer level for oneself",
        "- - - - y y - - -",
        "",
        &["POST /:/members/finer"],
    ),
    (
        "members: confirm",
        "2 2 - - - - - - -",
        "!",
        &["POST /:/wishes/{wish}/decision"],
    ),
    ("rules: read", "- y y y - - y y -", "", &["GET /:/rules"]),
    ("rules: change", "- 2 - - - - - - -", "!", &["PUT /:/rules"]),
    (
        "uploads, identifiers",
        "- - y y - - - - -",
        "t",
        &[
            "DELETE /:/uploads/{upload}",
            "GET /:/inbox",
            "GET /:/uploads",
            "GET /:/uploads/{upload}",
            "PATCH /:/uploads/{upload}",
            "POST /:/inbox/{file}",
            "POST /:/uploads",
            "POST /:/uploads/{upload}/finish",
            "PUT /:/datasets/{dataset}/identifiers",
        ],
    ),
    // Whoever may read a profile or raw rows finds the data by name first.
    (
        "data versions: that they are there",
        "- y y y - y - - -",
        "",
        &[
            "GET /:/datasets",
            "GET /:/datasets/{dataset}",
            "GET /:/datasets/{dataset}/versions",
            "GET /:/datasets/{dataset}/versions/{version}",
        ],
    ),
    (
        "profile",
        "- y y y - - - - -",
        "",
        &[
            "GET /:/datasets/{dataset}/versions/{version}/profile",
            "GET /:/deletions",
            "GET /:/previews",
        ],
    ),
    (
        "raw rows",
        "- - - y - y - - -",
        "!",
        &[
            "GET /:/datasets/{dataset}/versions/{version}/rows",
            "POST /:/datasets/{dataset}/versions/{version}/identity",
        ],
    ),
    (
        "delete raw data",
        "- 2 2 2 - - - - -",
        "!",
        &[
            "POST /:/datasets/{dataset}/versions/{version}/deletion",
            "POST /:/deletions/{wish}/decision",
        ],
    ),
    (
        "hierarchies, policies: read",
        "- y y y - - y y -",
        "",
        &[
            "GET /:/hierarchies",
            "GET /:/hierarchies/{text}",
            "GET /:/hierarchies/{text}/versions",
            "GET /:/hierarchies/{text}/versions/{version}",
            "GET /:/policies",
            "GET /:/policies/{text}",
            "GET /:/policies/{text}/versions",
            "GET /:/policies/{text}/versions/{version}",
            "GET /:/policies/{text}/versions/{version}/bundle",
            "GET /:/secrets",
        ],
    ),
    (
        "hierarchies, policies: write, check",
        "- - y y - - - - -",
        "t",
        &[
            "POST /:/hierarchies",
            "POST /:/hierarchies/{text}/versions/{version}/restoration",
            "POST /:/policies",
            "POST /:/policies/check",
            "POST /:/policies/{text}/versions/{version}/restoration",
            "POST /:/secrets",
            "PUT /:/hierarchies/{text}",
            "PUT /:/policies/{text}",
        ],
    ),
    (
        "jobs preview, plan, explore, tune, learn",
        "- - y y - - - - -",
        "t",
        &[
            "POST /:/jobs/explore",
            "POST /:/jobs/learn",
            "POST /:/jobs/plan",
            "POST /:/jobs/preview",
            "POST /:/jobs/profile",
            "POST /:/jobs/tune",
            "POST /:/jobs/{job}/retry",
        ],
    ),
    (
        "job attack",
        "- y y y - - - - -",
        "t",
        &["POST /:/jobs/attack"],
    ),
    (
        "job verify",
        "- y y y - - - y y",
        "t",
        &["POST /:/jobs/verify"],
    ),
    (
        "releases: ask, withdraw",
        "- - y y - - - - -",
        "",
        &[
            "POST /:/requests",
            "POST /:/requests/{release}/run",
            "POST /:/requests/{release}/withdrawal",
        ],
    ),
    (
        "releases: review",
        "- y y y - - - y y",
        "",
        &[
            "GET /:/requests",
            "GET /:/requests/{release}",
            "GET /:/requests/{release}/levels/{level}/report",
        ],
    ),
    (
        "releases: staged rows",
        "- y y y - - - - -",
        "",
        &["GET /:/requests/{release}/levels/{level}/rows"],
    ),
    (
        "releases: decide, revoke",
        "- 2 - - - - - - -",
        "!",
        &[
            "POST /:/releases/{release}/revocation",
            "POST /:/requests/{release}/approval",
            "POST /:/requests/{release}/refusal",
            "POST /:/streams/{stream}/decision",
        ],
    ),
    (
        "releases: list, dictionary, report",
        "- y y y l l - y y",
        "",
        &[
            "GET /:/releases",
            "GET /:/releases/{release}",
            "GET /:/releases/{release}/levels/{level}/dictionary",
            "GET /:/releases/{release}/levels/{level}/manifest",
            "GET /:/releases/{release}/levels/{level}/report",
        ],
    ),
    (
        "released rows, counts, file",
        "- y y y l l - - -",
        "t",
        &[
            "GET /:/releases/{release}/levels/{level}/counts",
            "GET /:/releases/{release}/levels/{level}/file",
            "GET /:/releases/{release}/levels/{level}/rows",
        ],
    ),
    (
        "streams: read, figures",
        "- y y y - - y y y",
        "",
        &[
            "GET /:/streams",
            "GET /:/streams/{stream}",
            "GET /:/streams/{stream}/figures",
        ],
    ),
    (
        "streams: define",
        "- - y y - - - - -",
        "",
        &[
            "DELETE /:/streams/{stream}/tokens/{token}",
            "GET /:/streams/{stream}/tokens",
            "PATCH /:/streams/{stream}",
            "POST /:/streams",
            "POST /:/streams/{stream}/tokens",
        ],
    ),
    (
        "streams: start, stop, restart",
        "- - - - - - y - -",
        "",
        &["POST /:/streams/{stream}/wanted"],
    ),
    (
        "stream events in: by a token of the stream alone",
        "- - - - - - - - -",
        "",
        &[
            "GET /:/streams/{stream}/events",
            "POST /:/streams/{stream}/events",
        ],
    ),
    (
        "stream released rows",
        "- y y y l l - - -",
        "",
        &["GET /:/released-streams", "GET /:/streams/{stream}/rows"],
    ),
    (
        "ledger; log of a project",
        "- y - - - - - y y",
        "",
        &[
            "GET /:/audit",
            "GET /:/audit/export",
            "GET /:/audit/verification",
            "GET /:/datasets/{dataset}/ledger",
            "GET /:/readers",
        ],
    ),
    (
        "log of everything",
        "- - - - - - - - y",
        "",
        &["GET /audit", "GET /audit/export", "GET /audit/verification"],
    ),
    (
        "log of administrators",
        "y - - - - - - - -",
        "",
        &["GET /audit/admin"],
    ),
    (
        "jobs: see",
        "- y y y y y y y -",
        "",
        &["GET /:/jobs", "GET /:/jobs/{job}"],
    ),
    // Nobody but a steward begins what takes long.
    (
        "jobs: cancel",
        "- - y y - - - - -",
        "",
        &["POST /:/jobs/{job}/cancel"],
    ),
];

/// What nobody needs to be signed in for.
const OPEN: [&str; 7] = [
    "GET /health",
    "GET /openapi.json",
    "POST /demo/session",
    "POST /links/look",
    "POST /links/use",
    "POST /session",
    "POST /setup",
];

/// Whom a right of the documentation names.
fn named(right: &Value) -> BTreeSet<&'static str> {
    let mut named = BTreeSet::new();
    for to in right["to"].as_array().expect("a list") {
        let kind = to["kind"].as_str().expect("a kind");
        let who: &[&str] = match (kind, to["of"].as_str()) {
            ("signed" | "half", _) => &ACTORS,
            ("admin", _) => &["A"],
            ("auditor", _) => &["G"],
            ("raw", _) => &["S1", "N1"],
            ("ingest", _) => &[],
            ("role", Some("officer")) => &["O"],
            ("role", Some("steward")) => &["S", "S1"],
            ("role", Some("analyst")) => &["N", "N1"],
            ("role", Some("operator")) => &["P"],
            ("role", Some("auditor")) => &["U"],
            _ => panic!("{to} is nobody that is known here"),
        };
        named.extend(who);
    }
    named
}

#[test]
fn rights_of_all_routes_are_those_of_the_table_that_was_written_by_hand() {
    let server = Server::new();
    let document = server
        .ask(Method::GET, "/openapi.json", &[], b"")
        .expect(200);
    let mut left = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        let path = path.strip_prefix("/api/v1").expect("below the interface");
        let path = path.replacen("/projects/{project}", "/:", 1);
        for method in methods.as_object().expect("methods").keys() {
            left.insert(format!("{} {path}", method.to_ascii_uppercase()));
        }
    }
    let right = |route: &str| {
        let (method, path) = route.split_once(' ').expect("a route");
        let path = path.replacen("/:", "/projects/{project}", 1);
        document["paths"][format!("/api/v1{path}")][method.to_ascii_lowercase()]["x-right"].clone()
    };
    for route in OPEN {
        assert!(left.remove(route), "{route} is there");
        assert_eq!(right(route)["to"][0]["kind"], "anyone", "{route}");
    }
    for (act, cells, with, routes) in TABLE {
        let cells: Vec<&str> = cells.split(' ').collect();
        assert_eq!(cells.len(), ACTORS.len(), "{act}");
        let may = ACTORS.into_iter().zip(&cells);
        let may: BTreeSet<&str> = may
            .filter(|(_, cell)| **cell != "-")
            .map(|(a, _)| a)
            .collect();
        assert!(!cells.contains(&"2") || with.contains('!'), "{act}");
        for route in *routes {
            assert!(left.remove(*route), "{route} is there, once");
            let right = right(route);
            assert_eq!(named(&right), may, "{act}: {route}");
            assert_eq!(right["fresh"], with.contains('!'), "{act}: {route}");
            assert_eq!(right["token"], with.contains('t'), "{act}: {route}");
        }
    }
    assert!(left.is_empty(), "not in the table: {left:?}");
}

/// What a reader of a level is answered who asks for one; what is finer is absent, raw rows are never
/// a release.
fn status(reader: i64, asked: i64, highest: i64) -> u16 {
    match (reader.max(2)..=highest).contains(&asked) {
        true => 200,
        false => 404,
    }
}

#[test]
fn every_level_is_read_by_itself_and_finer_ones_and_by_no_coarser_one() {
    let hospital = Hospital::new();
    let release = hospital.published();
    let readers: Vec<(i64, Person)> = (1..=4)
        .map(|level| {
            let person = hospital.server.signed_in(&format!("reader {level}"));
            hospital.join(&person, "analyst", level);
            (level, person)
        })
        .collect();
    for (level, reader) in &readers {
        for asked in 0..=5 {
            for rest in ["rows", "counts", "file", "dictionary", "report"] {
                let path = format!("/releases/{release}/levels/{asked}/{rest}");
                let found = hospital.see(reader, &path).status;
                assert_eq!(
                    found,
                    status(*level, asked, 3),
                    "{level} asks for {asked}: {rest}"
                );
                hospital.server.clock.forward(1000);
            }
        }
        let raw = format!(
            "/datasets/{}/versions/{}/rows",
            hospital.dataset, hospital.data
        );
        let raw = hospital.see(reader, &raw);
        assert_eq!(
            raw.code == "forbidden",
            *level != 1,
            "{level}: {}",
            raw.status
        );
    }
}

#[test]
fn every_level_of_a_stream_is_read_by_itself_and_finer_ones_and_by_no_coarser_one() {
    let ward = Ward::new();
    let streams: Vec<(i64, Value)> = (2..=4)
        .map(|level| {
            let name = format!("visits {level}");
            let stream = ward.define(&name, &ward.policy, level).expect(201);
            (level, ward.decide(&ward.officer, &stream, true).expect(200))
        })
        .collect();
    for level in 1..=5 {
        let reader = ward.reader(&format!("reader {level}"), level);
        for (asked, stream) in &streams {
            let found = ward.server.see(&reader, &ward.path(stream, "/rows")).status;
            assert_eq!(found, status(level, *asked, 4), "{level} asks for {asked}");
        }
    }
}
