//! Who reads what of a published release, and until when.

use super::hospital::{FAR, Hospital, NEAR, Run, id_of};
use crate::support::Person;
use http::{HeaderMap, HeaderValue, Method};
use moretta_server::clock::DAY;
use moretta_server::db::Value as Cell;
use moretta_server::http::{Download, Given, Head, Request};
use moretta_server::id::Id;
use moretta_server::release::tend;
use serde_json::json;
use std::net::{IpAddr, Ipv4Addr};

#[test]
fn a_level_includes_all_coarser_ones_and_what_is_finer_is_absent() {
    let hospital = Hospital::new();
    let release = hospital.published();
    let path = |level: u32, rest: &str| format!("/releases/{release}/levels/{level}/{rest}");
    for rest in ["rows", "counts", "file", "dictionary", "report"] {
        assert_eq!(
            hospital.see(&hospital.near, &path(2, rest)).status,
            200,
            "{rest}"
        );
        assert_eq!(
            hospital.see(&hospital.near, &path(3, rest)).status,
            200,
            "{rest}"
        );
        assert_eq!(
            hospital.see(&hospital.far, &path(3, rest)).status,
            200,
            "{rest}"
        );
        hospital
            .see(&hospital.far, &path(2, rest))
            .refused(404, "not-found");
        // Raw rows are no release.
        hospital
            .see(&hospital.near, &path(1, rest))
            .refused(404, "not-found");
    }
    assert_eq!(
        hospital.see(&hospital.near, &path(2, "file")).body,
        NEAR.as_bytes()
    );
    assert_eq!(
        hospital.see(&hospital.far, &path(3, "file")).body,
        FAR.as_bytes()
    );
    for told in [
        hospital.see(&hospital.far, "/releases"),
        hospital.see(&hospital.far, &format!("/releases/{release}")),
    ] {
        let text = String::from_utf8(told.body).expect("text");
        assert!(
            !text.contains("\"near\"") && !text.contains("\"level\":2"),
            "{text}"
        );
    }
    // Whose level 1 is raw reads all releases.
    let raw = hospital.server.signed_in("Rea");
    hospital.join(&raw, "analyst", 1);
    assert_eq!(hospital.see(&raw, &path(2, "rows")).status, 200);
    // An auditor sees what was published, and no row.
    let auditor = hospital.server.signed_in("Una");
    hospital.join(&auditor, "auditor", 0);
    assert_eq!(hospital.see(&auditor, &path(2, "report")).status, 200);
    for rest in ["rows", "counts", "file"] {
        hospital
            .see(&auditor, &path(2, rest))
            .refused(403, "forbidden");
    }
}

#[test]
fn a_release_that_has_only_finer_levels_is_unknown() {
    let hospital = Hospital::new();
    let mut body = hospital.request();
    body["levels"] = json!([2]);
    let asked = hospital
        .send(&hospital.steward, "/requests", &body)
        .expect(202);
    let release = id_of(&asked["id"]);
    hospital.run(&Run::default());
    hospital.approve(release).expect(200);
    let listed = hospital.see(&hospital.far, "/releases").expect(200);
    assert_eq!(listed["items"], json!([]));
    hospital
        .see(&hospital.far, &format!("/releases/{release}"))
        .refused(404, "not-found");
    let listed = hospital.see(&hospital.near, "/releases").expect(200);
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(1));
}

#[test]
fn rows_and_counts_are_those_of_the_released_bytes() {
    let hospital = Hospital::new();
    let release = hospital.published();
    let path = format!("/releases/{release}/levels/2/rows");
    let first = hospital
        .see(&hospital.near, &format!("{path}?limit=3"))
        .expect(200);
    assert_eq!(first["columns"], json!(["age", "ward"]));
    assert_eq!(first["items"].as_array().map(Vec::len), Some(3));
    let rest = hospital.see(
        &hospital.near,
        &format!("{path}?limit=3&after={}", first["next"]),
    );
    let rest = rest.expect(200);
    assert_eq!(rest["items"], json!([["20..33", "7"]]));
    assert_eq!(rest["next"], json!(null));
    let conditions = "%5B%7B%22column%22%3A%22age%22%2C%22is%22%3A%22contains%22%2C%22values%22%3A%5B%2260%22%5D%7D%5D";
    let found = hospital
        .see(&hospital.near, &format!("{path}?where={conditions}"))
        .expect(200);
    assert_eq!(found["items"], json!([["57..80", "7"], ["57..80", "7"]]));
    let counts = format!("/releases/{release}/levels/2/counts?by=%5B%22ward%22%5D");
    let counts = hospital.see(&hospital.near, &counts).expect(200);
    assert_eq!(
        counts["items"],
        json!([{ "shows": ["7"], "rows": 3 }, { "shows": ["9"], "rows": 1 }])
    );
    assert_eq!(counts["total"], 4);
    for limit in [0, 501] {
        let page = hospital.see(&hospital.near, &format!("{path}?limit={limit}"));
        page.refused(422, "unusable");
    }
}

#[test]
fn a_downloaded_file_has_the_sum_that_the_release_tells_and_the_log_knows_of_it() {
    use sha2::{Digest, Sha256};
    let hospital = Hospital::new();
    let release = hospital.published();
    let shown = hospital
        .see(&hospital.near, &format!("/releases/{release}"))
        .expect(200);
    assert!(
        shown["cite"]
            .as_str()
            .is_some_and(|cite| cite.contains(&release.to_string()))
    );
    let file = hospital.see(
        &hospital.near,
        &format!("/releases/{release}/levels/2/file"),
    );
    let sum: String = Sha256::digest(&file.body)
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    let files = shown["verify"][0]["manifest"]["files"]
        .as_array()
        .expect("files");
    let rows = files
        .iter()
        .find(|file| file["part"] == "rows")
        .expect("rows");
    assert_eq!(rows["sha256"], json!(sum));
    // The sum of what is told is in the manifest that the officer has approved.
    let manifest = &shown["verify"][0]["manifest"];
    let review = hospital
        .see(&hospital.officer, &format!("/requests/{release}"))
        .expect(200);
    assert_eq!(
        review["content"]["levels"][0]["sha256"],
        shown["verify"][0]["sha256"]
    );
    assert_eq!(manifest["level"], 2);
    let downloads = "SELECT count(*) FROM audit WHERE act = 'release.download'";
    assert_eq!(hospital.number(downloads, &[]), 1);
}

#[test]
fn a_revoked_release_is_gone_at_once_and_says_so() {
    let hospital = Hospital::new();
    let release = hospital.published();
    hospital
        .send(
            &hospital.steward,
            &format!("/releases/{release}/revocation"),
            &json!({ "reason": "x" }),
        )
        .refused(403, "forbidden");
    hospital.revoke(release).expect(200);
    let listed = hospital.see(&hospital.near, "/releases").expect(200);
    assert_eq!(listed["items"], json!([]));
    let stranger = hospital.server.signed_in("Stan");
    for rest in [
        "",
        "/levels/3/rows",
        "/levels/3/counts",
        "/levels/3/file",
        "/levels/3/report",
    ] {
        let path = format!("/releases/{release}{rest}");
        hospital.see(&hospital.far, &path).refused(410, "revoked");
        // To others nothing more is told.
        hospital
            .see(&stranger, &path)
            .refused(404, "no-such-project");
    }
    let path = format!("/releases/{release}/levels/2/rows");
    hospital.see(&hospital.far, &path).refused(404, "not-found");
    let listed = hospital.see(&hospital.officer, "/releases").expect(200);
    assert_eq!(listed["items"][0]["state"], "revoked");
    let shown = hospital
        .see(&hospital.officer, &format!("/releases/{release}"))
        .expect(200);
    assert_eq!(shown["reason"], "wrong ward");
    hospital
        .see(&hospital.officer, &path)
        .refused(410, "revoked");
}

#[test]
fn a_release_ends_by_itself() {
    let mut hospital = Hospital::new();
    let mut body = hospital.request();
    body["ends_at"] = json!(hospital.server.clock.now() + DAY);
    let asked = hospital
        .send(&hospital.steward, "/requests", &body)
        .expect(202);
    let release = id_of(&asked["id"]);
    hospital.run(&Run::default());
    hospital.approve(release).expect(200);
    let path = format!("/releases/{release}/levels/3/rows");
    hospital.see(&hospital.far, &path).expect(200);
    hospital.a_day_later();
    // Nobody has tidied up yet, and nobody reads it any more.
    hospital.see(&hospital.far, &path).refused(410, "ended");
    assert_eq!(
        hospital.see(&hospital.far, "/releases").expect(200)["items"],
        json!([])
    );
    tend(hospital.app()).expect("tended");
    assert_eq!(hospital.state(release), "expired");
    hospital.see(&hospital.far, &path).refused(410, "ended");
}

/// A download that has begun.
fn begin(hospital: &Hospital, who: &Person, release: Id) -> Download {
    let mut headers = HeaderMap::new();
    headers.append(
        "cookie",
        HeaderValue::from_str(&who.cookie()).expect("a value"),
    );
    let path = hospital.path(&format!("/releases/{release}/levels/3/file"));
    let peer = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let mut head = Head::new(Method::GET, &path, "", headers, peer);
    hospital
        .app()
        .look(&mut head, Some("localhost"))
        .expect("a route");
    let body = Vec::new();
    match hospital
        .app()
        .answer(Request { head, body })
        .expect("an answer")
    {
        Given::Download(download) => download,
        _ => panic!("a file is a download"),
    }
}

#[test]
fn a_running_download_stops_when_the_right_to_it_ends() {
    type End = fn(&Hospital, Id);
    let ends: [End; 5] = [
        |h, release| {
            h.revoke(release).expect(200);
        },
        |h, _| {
            let cells: [Cell; 1] = [h.far.id.into()];
            h.change("DELETE FROM members WHERE user_id = $1", &cells);
        },
        |h, _| h.join(&h.far, "analyst", 4),
        |h, _| {
            let cells: [Cell; 1] = [h.far.id.into()];
            h.change("DELETE FROM sessions WHERE user_id = $1", &cells);
        },
        |h, _| {
            let cells: [Cell; 1] = [h.far.id.into()];
            h.change("UPDATE users SET state = 'disabled' WHERE id = $1", &cells);
        },
    ];
    for (place, end) in ends.into_iter().enumerate() {
        let hospital = Hospital::new();
        let release = hospital.published();
        let download = begin(&hospital, &hospital.far, release);
        assert!((download.still)());
        end(&hospital, release);
        assert!(!(download.still)(), "{place}");
    }
}

#[test]
fn who_reaches_for_more_than_their_level_is_told_nothing_and_the_log_is_told() {
    let hospital = Hospital::new();
    let release = hospital.published();
    let refusals = |code: &str| {
        let query = "SELECT count(*) FROM audit WHERE act = 'refused' AND entry LIKE $1";
        let cells: [Cell; 1] = [format!("%\"code\":\"{code}\"%").into()];
        hospital.number(query, &cells)
    };
    let path = |level: u32| format!("/releases/{release}/levels/{level}/rows");
    for level in [1, 2] {
        let withheld = hospital.see(&hospital.far, &path(level));
        // The same as of what is not there.
        let missing = hospital.see(&hospital.near, &path(1));
        assert_eq!((withheld.status, withheld.body), (404, missing.body));
    }
    assert_eq!(refusals("not-found"), 4);
    // What nobody can know of is not entered.
    let unknown = format!("/releases/{}/levels/3/rows", Id::random());
    hospital
        .see(&hospital.far, &unknown)
        .refused(404, "not-found");
    assert_eq!(refusals("not-found"), 4);
    // A level in the query changes nothing.
    let asked = format!("{}?level=1", path(3));
    hospital.see(&hospital.far, &asked).refused(422, "unusable");
    // What a handler refuses is entered too.
    let again = hospital.ready();
    hospital.join(&hospital.steward, "officer", 0);
    let body = json!({ "manifest": hospital.manifest(again) });
    let approval = format!("/requests/{again}/approval");
    hospital
        .send(&hospital.steward, &approval, &body)
        .refused(403, "second-person");
    assert_eq!(refusals("second-person"), 1);
    // And what pages of others send in the name of somebody.
    let cookie = hospital.steward.cookie();
    let headers = [("cookie", &*cookie), ("sec-fetch-site", "cross-site")];
    let out = hospital
        .server
        .ask(Method::DELETE, "/session", &headers, b"");
    out.refused(403, "other-origin");
    assert_eq!(refusals("other-origin"), 1);
}
