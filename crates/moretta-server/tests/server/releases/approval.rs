//! Who approves what, and that exactly those bytes are published.

use super::hospital::{Hospital, POLICY, Run, id_of};
use crate::support::Server;
use moretta_server::app::App;
use moretta_server::audit;
use moretta_server::clock::DAY;
use moretta_server::db::Value as Cell;
use moretta_server::id::Id;
use moretta_server::release::tend;
use moretta_server::start::parse_head;
use moretta_server::zone::{ReleaseZone, StagingZone, sweep};
use serde_json::json;
use std::fs;
use std::path::PathBuf;
use std::sync::Barrier;
use std::time::Duration;

#[test]
fn a_release_goes_from_a_request_to_its_readers() {
    let hospital = Hospital::new();
    let release = hospital.ask();
    assert_eq!(hospital.state(release), "running");
    hospital.run(&Run::default());
    assert_eq!(hospital.state(release), "ready");
    let waiting = hospital.server.see(&hospital.officer, "/inbox").expect(200);
    assert_eq!(waiting[0]["id"], json!(release));
    let decided = hospital.approve(release).expect(200);
    assert_eq!(decided["state"], "published");
    assert_eq!(decided["by_author"], false);
    // The receipt is a head of the log, with which a cut end is seen.
    let receipt = parse_head(decided["receipt"].as_str().expect("a head")).expect("a head");
    let verify = |seen| {
        hospital
            .app()
            .store
            .read(|sql| audit::verify(sql, Some(seen)))
    };
    assert_eq!(verify(&receipt).expect("read").fault, None);
    let later = audit::Head {
        number: receipt.number + 9,
        ..receipt
    };
    assert!(verify(&later).expect("read").fault.is_some());
    assert_eq!(
        hospital.server.see(&hospital.officer, "/inbox").expect(200),
        json!([])
    );
    let listed = hospital.see(&hospital.far, "/releases").expect(200);
    assert_eq!(listed["items"][0]["id"], json!(release));
}

#[test]
fn what_would_not_be_allowed_is_not_even_run() {
    let hospital = Hospital::new();
    let asked = |body: &serde_json::Value| hospital.send(&hospital.steward, "/requests", body);
    let with = |key: &str, value: serde_json::Value| {
        let mut body = hospital.request();
        body[key] = value;
        body
    };
    asked(&with("levels", json!([2, 4]))).refused(422, "unusable");
    asked(&with("levels", json!([1]))).refused(422, "unusable");
    asked(&with("levels", json!([]))).refused(422, "unusable");
    asked(&with("purpose", json!(" "))).refused(422, "unusable");
    asked(&with("ends_at", json!(1))).refused(422, "unusable");
    asked(&with("policy", json!(hospital.data))).refused(404, "not-found");
    asked(&with("data", json!(hospital.policy))).refused(404, "not-found");
    hospital.rules(&json!({ "least_k": { "2": 6 } }));
    asked(&hospital.request()).refused(409, "rules");
    // The coarser level alone keeps them.
    hospital.rules(&json!({ "least_k": { "2": 6, "3": 25 } }));
    asked(&with("levels", json!([3]))).expect(202);
    hospital.rules(&json!({ "methods": ["lattice"] }));
    asked(&hospital.request()).refused(409, "rules");
    hospital
        .send(&hospital.officer, "/requests", &hospital.request())
        .refused(403, "forbidden");
}

#[test]
fn rules_are_held_again_when_a_release_is_approved() {
    let hospital = Hospital::new();
    let release = hospital.ask();
    hospital.run(&Run {
        attack: 0.2,
        ..Run::default()
    });
    for rules in [
        json!({ "attacks_at_most": 0.1 }),
        json!({ "least_k": { "3": 26 } }),
        json!({ "methods": ["lattice"] }),
    ] {
        hospital.rules(&rules);
        hospital.approve(release).refused(409, "rules");
        let path = format!("/requests/{release}");
        let review = hospital.see(&hospital.officer, &path).expect(200);
        assert_eq!(
            review["broken"].as_array().map(Vec::len),
            Some(1),
            "{rules}"
        );
    }
    assert_eq!(hospital.state(release), "ready");
    hospital.rules(&json!({ "attacks_at_most": 0.2 }));
    hospital.approve(release).expect(200);
}

#[test]
fn who_uploaded_edited_or_asked_does_not_approve() {
    type Hand = fn(&Hospital);
    let hands: [Hand; 3] = [
        |h| {
            let cells: [Cell; 2] = [h.officer.id.into(), h.data.into()];
            h.change(
                "UPDATE data_versions SET uploaded_by = $1 WHERE id = $2",
                &cells,
            );
        },
        |h| {
            let cells: [Cell; 1] = [h.officer.id.into()];
            h.change(
                "UPDATE text_versions SET author = $1 WHERE number = 1",
                &cells,
            );
        },
        |h| {
            let cells: [Cell; 1] = [h.officer.id.into()];
            let hierarchy = "UPDATE text_versions SET author = $1 WHERE text_id IN \
                             (SELECT id FROM texts WHERE kind = 'hierarchy')";
            h.change(hierarchy, &cells);
        },
    ];
    for hand in hands {
        for four_eyes in [true, false] {
            let mut hospital = Hospital::with(four_eyes);
            let tree = json!({ "name": "wards", "content": "7;*\n9;*\n" });
            hospital
                .send(&hospital.steward, "/hierarchies", &tree)
                .expect(201);
            let named = POLICY.replace(
                "ward = { role = \"plain\" }",
                "ward = { role = \"quasi\", hierarchy = { file = \"wards\" } }",
            );
            hospital.policy = hospital.write_policy("named", &named);
            let release = hospital.ready();
            hand(&hospital);
            let decided = hospital.approve(release);
            match four_eyes {
                true => {
                    decided.refused(403, "second-person");
                    assert_eq!(hospital.state(release), "ready");
                }
                false => {
                    assert_eq!(decided.expect(200)["by_author"], true);
                    let path = format!("/releases/{release}");
                    let shown = hospital.see(&hospital.far, &path).expect(200);
                    assert_eq!(shown["by_author"], true);
                }
            }
        }
    }
}

#[test]
fn who_has_become_an_officer_does_not_approve_what_they_asked_for() {
    let hospital = Hospital::new();
    let release = hospital.ready();
    hospital.join(&hospital.steward, "officer", 0);
    let body = json!({ "manifest": hospital.manifest(release) });
    let path = format!("/requests/{release}/approval");
    hospital
        .send(&hospital.steward, &path, &body)
        .refused(403, "second-person");
}

#[test]
fn an_approval_names_the_manifest_that_was_seen() {
    let hospital = Hospital::new();
    let release = hospital.ready();
    let path = format!("/requests/{release}/approval");
    let other = json!({ "manifest": "ab".repeat(32) });
    hospital
        .send(&hospital.officer, &path, &other)
        .refused(409, "other-manifest");
    hospital
        .send(
            &hospital.steward,
            &path,
            &json!({ "manifest": hospital.manifest(release) }),
        )
        .refused(403, "forbidden");
    assert_eq!(hospital.state(release), "ready");
    // Each release has a hash of its own, whatever its bytes are.
    let again = hospital.ready();
    assert_ne!(hospital.manifest(again), hospital.manifest(release));
}

#[test]
fn of_two_officers_one_decides() {
    let hospital = Hospital::new();
    let second = hospital.server.signed_in("Otto");
    hospital.join(&second, "officer", 0);
    for refusal in [false, true] {
        let release = hospital.ready();
        let barrier = Barrier::new(2);
        let manifest = hospital.manifest(release);
        let approval = format!("/requests/{release}/approval");
        let other = match refusal {
            true => format!("/requests/{release}/refusal"),
            false => approval.clone(),
        };
        let body = json!({ "manifest": manifest });
        let no = match refusal {
            true => json!({ "reason": "no" }),
            false => body.clone(),
        };
        let (one, two) = std::thread::scope(|scope| {
            let one = scope.spawn(|| {
                barrier.wait();
                hospital.send(&hospital.officer, &approval, &body)
            });
            barrier.wait();
            let two = hospital.send(&second, &other, &no);
            (one.join().expect("answered"), two)
        });
        let mut told = [one.status, two.status];
        told.sort_unstable();
        assert_eq!(told, [200, 409], "{} {}", one.code, two.code);
        let cells: [Cell; 1] = [release.into()];
        let decisions = "SELECT count(*) FROM approvals WHERE release_id = $1";
        assert_eq!(hospital.number(decisions, &cells), 1);
        assert!(["published", "refused"].contains(&&*hospital.state(release)));
        if hospital.state(release) == "published" {
            hospital.revoke(release).expect(200);
        }
    }
}

/// The files of a part of a release, in staging or published.
fn object(hospital: &Hospital, release: Id, level: i64, part: &str) -> Id {
    let cells: [Cell; 3] = [release.into(), level.into(), part.into()];
    let row = hospital.app().store.read(|sql| {
        let query = "SELECT object_id FROM release_files WHERE release_id = $1 AND level = $2 AND part = $3";
        sql.row(query, &cells)
    });
    row.expect("read").expect("a file").id(0).expect("an id")
}

fn staged(hospital: &Hospital, object: Id) -> PathBuf {
    StagingZone::of(hospital.app())
        .expect("a zone")
        .path(object)
}

fn nothing_is_public(hospital: &Hospital, release: Id) {
    let listed = hospital.see(&hospital.near, "/releases").expect(200);
    assert_eq!(listed["items"], json!([]));
    for rest in [
        "",
        "/levels/3/rows",
        "/levels/3/file",
        "/levels/3/counts",
        "/levels/3/report",
    ] {
        let path = format!("/releases/{release}{rest}");
        hospital
            .see(&hospital.near, &path)
            .refused(404, "not-found");
    }
}

#[test]
fn changed_bytes_in_staging_are_found_and_not_published() {
    for (level, part) in [(2, "rows"), (3, "index"), (2, "page"), (3, "dictionary")] {
        let hospital = Hospital::new();
        let release = hospital.ready();
        let path = staged(&hospital, object(&hospital, release, level, part));
        let bytes = fs::read(&path).expect("a file");
        for place in [0, bytes.len() / 2, bytes.len() - 1] {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            fs::write(&path, changed).expect("written");
            hospital.approve(release).refused(409, "changed-bytes");
        }
        fs::remove_file(&path).expect("removed");
        hospital.approve(release).refused(409, "changed-bytes");
        assert_eq!(hospital.state(release), "ready");
        nothing_is_public(&hospital, release);
        fs::write(&path, bytes).expect("written");
        hospital.approve(release).expect(200);
    }
}

#[test]
fn an_exchanged_file_is_found_by_the_manifest() {
    let hospital = Hospital::new();
    let release = hospital.ready();
    // Sealed and whole, but of the other level: who can write to the store exchanges them.
    let (near, far) = (
        object(&hospital, release, 2, "rows"),
        object(&hospital, release, 3, "rows"),
    );
    let cells: [Cell; 2] = [near.into(), release.into()];
    let exchange = "UPDATE release_files SET object_id = $1 WHERE release_id = $2 AND level = 3 AND part = 'rows'";
    hospital.change(exchange, &cells);
    hospital.approve(release).refused(409, "changed-bytes");
    let cells: [Cell; 2] = [far.into(), release.into()];
    hospital.change(exchange, &cells);
    hospital.approve(release).expect(200);
}

/// Another server on the same store and folder, as after a kill.
fn restarted(hospital: &Hospital) -> App {
    let app = hospital.app();
    App::new(app.store.clone(), app.clock.clone(), app.settings.clone())
}

fn published_files(server: &Server) -> usize {
    let zone = ReleaseZone::of(&server.app).expect("a zone");
    fs::read_dir(zone.folder()).expect("a folder").count()
}

#[test]
fn a_publication_that_is_killed_leaves_nothing_half_visible() {
    // 0: before the approval, 1: after it, 2: some files have their names, 3: all have, 4: all is
    // visible, and names are left in staging.
    for step in 0..=4 {
        let hospital = Hospital::new();
        let release = hospital.ready();
        let to = ReleaseZone::of(hospital.app()).expect("a zone");
        let files: Vec<Id> = [
            (2, "rows"),
            (2, "index"),
            (3, "rows"),
            (3, "index"),
            (3, "page"),
        ]
        .map(|(level, part)| object(&hospital, release, level, part))
        .to_vec();
        let linked = match step {
            2 => 2,
            3 | 4 => files.len(),
            _ => 0,
        };
        let staging = StagingZone::of(hospital.app()).expect("a zone");
        if (1..=3).contains(&step) {
            // The folder of what is published cannot be written to: the server stops there.
            let aside = to.folder().with_extension("aside");
            fs::rename(to.folder(), &aside).expect("renamed");
            fs::write(to.folder(), b"").expect("written");
            assert!(hospital.approve(release).status >= 500);
            fs::remove_file(to.folder()).expect("removed");
            fs::rename(&aside, to.folder()).expect("renamed");
            assert_eq!(hospital.state(release), "approved");
        }
        if step == 4 {
            let kept: Vec<(PathBuf, Vec<u8>)> = files
                .iter()
                .map(|id| {
                    (
                        staging.path(*id),
                        fs::read(staging.path(*id)).expect("a file"),
                    )
                })
                .collect();
            hospital.approve(release).expect(200);
            for (path, bytes) in kept {
                fs::write(path, bytes).expect("written");
            }
        }
        for id in &files[..linked] {
            let _ = fs::hard_link(staging.path(*id), to.path(*id));
        }
        if step < 4 {
            nothing_is_public(&hospital, release);
        }
        let app = restarted(&hospital);
        sweep(&app, Duration::ZERO).expect("swept");
        tend(&app).expect("tended");
        sweep(&app, Duration::ZERO).expect("swept");
        if step == 0 {
            assert_eq!(hospital.state(release), "ready");
            nothing_is_public(&hospital, release);
            hospital.approve(release).expect(200);
        }
        assert_eq!(hospital.state(release), "published");
        let path = format!("/releases/{release}/levels/3/file");
        let file = hospital.see(&hospital.far, &path);
        assert_eq!(file.body, super::hospital::FAR.as_bytes());
        // Five parts of two levels and the ledger, each once, and none in staging.
        assert_eq!(published_files(&hospital.server), 11);
        assert_eq!(fs::read_dir(staging.folder()).expect("a folder").count(), 0);
    }
}

#[test]
fn an_approved_release_whose_publication_was_interrupted_can_be_revoked() {
    let hospital = Hospital::new();
    let release = hospital.ready();
    let to = ReleaseZone::of(hospital.app()).expect("a zone");
    let aside = to.folder().with_extension("aside");
    fs::rename(to.folder(), &aside).expect("renamed");
    fs::write(to.folder(), b"").expect("written");
    assert!(hospital.approve(release).status >= 500);
    fs::remove_file(to.folder()).expect("removed");
    fs::rename(&aside, to.folder()).expect("renamed");
    hospital.revoke(release).expect(200);
    tend(&restarted(&hospital)).expect("tended");
    assert_eq!(hospital.state(release), "revoked");
    nothing_is_public(&hospital, release);
}

#[test]
fn levels_that_nobody_asked_for_are_not_published() {
    let hospital = Hospital::new();
    let mut body = hospital.request();
    body["levels"] = json!([3]);
    let asked = hospital
        .send(&hospital.steward, "/requests", &body)
        .expect(202);
    let release = id_of(&asked["id"]);
    hospital.run(&Run::default());
    hospital.approve(release).expect(200);
    let shown = hospital
        .see(&hospital.officer, &format!("/releases/{release}"))
        .expect(200);
    assert_eq!(shown["levels"].as_array().map(Vec::len), Some(1));
    let path = format!("/releases/{release}/levels/2/rows");
    hospital
        .see(&hospital.near, &path)
        .refused(404, "not-found");
    assert_eq!(published_files(&hospital.server), 6);
}

#[test]
fn a_refusal_has_a_reason_and_its_bytes_are_gone() {
    let hospital = Hospital::new();
    let release = hospital.ready();
    let rows = staged(&hospital, object(&hospital, release, 2, "rows"));
    let path = format!("/requests/{release}/refusal");
    hospital
        .send(&hospital.officer, &path, &json!({ "reason": " " }))
        .refused(422, "unusable");
    let no = json!({ "reason": "cost singles persons out" });
    assert_eq!(
        hospital.send(&hospital.officer, &path, &no).expect(200)["state"],
        "refused"
    );
    assert!(!rows.exists());
    hospital
        .send(&hospital.officer, &path, &no)
        .refused(409, "state");
    let review = hospital
        .see(&hospital.steward, &format!("/requests/{release}"))
        .expect(200);
    assert_eq!(review["decisions"][0]["reason"], "cost singles persons out");
    hospital
        .see(
            &hospital.officer,
            &format!("/requests/{release}/levels/2/rows"),
        )
        .refused(409, "state");
}

#[test]
fn a_failed_run_is_a_draft_that_can_be_run_again_or_withdrawn() {
    let hospital = Hospital::new();
    let release = hospital.ask();
    let job = hospital.claim();
    let problem = moretta_server::problem::Problem::new(422, "guarantee", "k does not hold");
    let failed = moretta_server::job::Outcome::Failed(problem.into());
    hospital.end(&job, &failed).expect("ended");
    let path = format!("/requests/{release}");
    let review = hospital.see(&hospital.steward, &path).expect(200);
    assert_eq!(review["state"], "draft");
    assert_eq!(review["problem"]["code"], "guarantee");
    let inbox = hospital.server.see(&hospital.steward, "/inbox").expect(200);
    assert_eq!(inbox[0]["kind"], "failed");
    let again = serde_json::Value::Null;
    hospital
        .send(&hospital.steward, &format!("{path}/run"), &again)
        .expect(202);
    hospital
        .send(&hospital.steward, &format!("{path}/run"), &again)
        .refused(409, "state");
    hospital
        .send(&hospital.steward, &format!("{path}/withdrawal"), &again)
        .expect(204);
    assert_eq!(hospital.state(release), "withdrawn");
    hospital
        .send(&hospital.steward, &format!("{path}/run"), &again)
        .refused(409, "state");
    // Both runs were charged, and stay so.
    let cells: [Cell; 1] = [release.into()];
    assert_eq!(
        hospital.number("SELECT count(*) FROM charges WHERE release_id = $1", &cells),
        2
    );
}

#[test]
fn a_run_that_ends_after_its_release_was_withdrawn_changes_nothing() {
    let hospital = Hospital::new();
    let release = hospital.ask();
    let job = hospital.claim();
    let path = format!("/requests/{release}/withdrawal");
    hospital
        .send(&hospital.steward, &path, &serde_json::Value::Null)
        .expect(204);
    let outcome = hospital.made(&job, &Run::default());
    hospital.end(&job, &outcome).expect("ended");
    assert_eq!(hospital.state(release), "withdrawn");
    sweep(hospital.app(), Duration::ZERO).expect("swept");
    let staging = StagingZone::of(hospital.app()).expect("a zone");
    assert_eq!(fs::read_dir(staging.folder()).expect("a folder").count(), 0);
}

#[test]
fn a_worker_that_has_not_made_what_it_says_makes_no_release() {
    let hospital = Hospital::new();
    let release = hospital.ask();
    let job = hospital.claim();
    let whole = hospital.made(&job, &Run::default());
    let moretta_server::job::Outcome::Done { result, made } = whole else {
        panic!("it is done");
    };
    for missing in 0..made.len() - 1 {
        let mut made = made.clone();
        made.remove(missing);
        let outcome = moretta_server::job::Outcome::Done {
            result: result.clone(),
            made,
        };
        assert_eq!(
            hospital.end(&job, &outcome).expect_err("missing").status,
            500
        );
        assert_eq!(hospital.state(release), "running");
    }
}

#[test]
fn a_review_tells_what_changed_since_the_last_release() {
    let mut hospital = Hospital::new();
    let first = hospital.published();
    hospital.policy = hospital.write_policy("changed", &POLICY.replace("k = 25", "k = 30"));
    let release = hospital.ready();
    let review = hospital
        .see(&hospital.officer, &format!("/requests/{release}"))
        .expect(200);
    let changed = &review["changed"];
    assert_eq!(changed["since"], json!(first));
    let lines: Vec<&serde_json::Value> = changed["policy"]
        .as_array()
        .expect("lines")
        .iter()
        .filter(|line| line["change"] != "same")
        .collect();
    assert_eq!(
        lines,
        [
            &json!({ "change": "gone", "line": "far = { k = 25 }" }),
            &json!({ "change": "new", "line": "far = { k = 30 }" }),
        ]
    );
    assert_eq!(changed["data"], false);
    assert_eq!(review["audience"][0], json!({ "level": 2, "people": 3 }));
    assert_eq!(review["audience"][1], json!({ "level": 3, "people": 4 }));
    assert_eq!(review["together"]["earlier"], 1);
    assert_eq!(review["together"]["held"], true);
    // The smallest class has 7 persons; no count below 11 is told.
    assert_eq!(review["made"][0]["smallest_class"], 5);
    assert_eq!(review["made"][0]["promises"][0]["holds"], true);
    assert_eq!(review["authors"], json!([hospital.steward.id]));
}

#[test]
fn staged_rows_are_for_officers_and_stewards_and_each_look_is_logged() {
    let hospital = Hospital::new();
    let auditor = hospital.server.signed_in("Una");
    hospital.join(&auditor, "auditor", 0);
    let release = hospital.ready();
    let rows = format!("/requests/{release}/levels/2/rows");
    let report = format!("/requests/{release}/levels/2/report");
    let page = hospital.see(&hospital.steward, &rows).expect(200);
    assert_eq!(page["items"][0], json!(["57..80", "7"]));
    hospital.see(&auditor, &rows).refused(403, "forbidden");
    hospital
        .see(&hospital.near, &rows)
        .refused(403, "forbidden");
    hospital
        .see(&hospital.near, &report)
        .refused(403, "forbidden");
    let page = hospital.see(&auditor, &report);
    assert_eq!(page.status, 200);
    let policy = page
        .headers
        .iter()
        .find(|(name, _)| name == "content-security-policy");
    let (_, policy) = policy.expect("a policy");
    assert!(
        policy.starts_with("sandbox;") && !policy.contains("allow-scripts"),
        "{policy}"
    );
    let looks = "SELECT count(*) FROM audit WHERE act = 'release.look'";
    assert_eq!(hospital.number(looks, &[]), 1);
}

#[test]
fn a_release_whose_end_has_come_is_not_approved() {
    let mut hospital = Hospital::new();
    let mut body = hospital.request();
    body["ends_at"] = json!(hospital.server.clock.now() + DAY);
    let asked = hospital
        .send(&hospital.steward, "/requests", &body)
        .expect(202);
    let release = id_of(&asked["id"]);
    hospital.run(&Run::default());
    hospital.a_day_later();
    hospital.approve(release).refused(409, "ended");
    tend(hospital.app()).expect("tended");
    assert_eq!(hospital.state(release), "expired");
}

#[test]
fn a_policy_without_a_promise_leaves_only_where_the_rules_say_so() {
    let mut hospital = Hospital::new();
    let ask = |hospital: &Hospital| {
        let mut body = hospital.request();
        body["levels"] = json!([2]);
        hospital.send(&hospital.steward, "/requests", &body)
    };
    let few = POLICY
        .split("[levels]")
        .next()
        .expect("a policy")
        .to_owned()
        + "[[protect]]\nmethod = \"mondrian\"\n";
    hospital.policy = hospital.write_policy("few", &few);
    ask(&hospital).refused(409, "rules");
    hospital.rules(&json!({ "least_k": { "2": 2 } }));
    ask(&hospital).expect(202);

    let masked = "version = 1\n[columns]\nperson = { role = \"drop\" }\n\
                  age = { role = \"quasi\", type = \"number\" }\nward = { role = \"plain\" }\n\
                  [[protect]]\nmethod = \"noise\"\nkind = \"uncorrelated\"\namount = 0.1\n";
    hospital.policy = hospital.write_policy("masked", masked);
    for (rules, allowed) in [
        (json!({}), false),
        (json!({ "least_k": { "2": 2 } }), false),
        (json!({ "unpromised": true }), true),
    ] {
        hospital.rules(&rules);
        match allowed {
            true => drop(ask(&hospital).expect(202)),
            false => ask(&hospital).refused(409, "rules"),
        }
    }
    let private = masked.replace(
        "method = \"noise\"\nkind = \"uncorrelated\"\namount = 0.1\n",
        "method = \"local-dp\"\n\
         columns.age = { mechanism = \"laplace\", epsilon = 1.0, bounds = [0, 120] }\n",
    );
    hospital.rules(&json!({}));
    hospital.policy = hospital.write_policy("private", &private);
    ask(&hospital).expect(202);
    // So large an ε promises nothing.
    let much = private.replace("epsilon = 1.0", "epsilon = 1000.0");
    hospital.policy = hospital.write_policy("much", &much);
    ask(&hospital).refused(409, "rules");
}

#[test]
fn nothing_is_asked_for_or_approved_in_a_closed_project() {
    let hospital = Hospital::new();
    let release = hospital.ready();
    hospital.change("UPDATE projects SET state = 'closed'", &[]);
    hospital
        .send(&hospital.steward, "/requests", &hospital.request())
        .refused(409, "closed");
    hospital.approve(release).refused(409, "closed");
    let about = json!({ "about": { "data": hospital.data, "policy": hospital.policy } });
    for kind in ["preview", "plan", "explore", "attack"] {
        hospital
            .send(&hospital.steward, &format!("/jobs/{kind}"), &about)
            .refused(409, "closed");
    }
    let path = format!("/requests/{release}/refusal");
    let body = json!({ "reason": "closed" });
    hospital.send(&hospital.officer, &path, &body).expect(200);
}

#[test]
fn an_officer_whom_one_person_has_made_approves_nothing() {
    let hospital = Hospital::new();
    let release = hospital.ready();
    let alone = "UPDATE members SET confirmed_by = asked_by WHERE role = 'officer'";
    hospital.change(alone, &[]);
    hospital.approve(release).refused(403, "second-person");
    let confirmed = "UPDATE members SET confirmed_by = 'another' WHERE role = 'officer'";
    hospital.change(confirmed, &[]);
    hospital.approve(release).expect(200);
}
