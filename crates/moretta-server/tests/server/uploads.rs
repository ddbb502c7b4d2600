//! Uploads: what was answered is kept, whatever happens between two parts.

use crate::ward::{Ward, files, holds, text};
use http::Method;
use moretta_server::id::Id;
use moretta_server::zone::{RawZone, sweep};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::Write;
use std::time::Duration;

/// A step of who uploads, and of the machine.
#[derive(Clone, Debug)]
enum Step {
    /// The next bytes are sent.
    Send(usize),
    /// Bytes are sent at a wrong offset.
    Wrong(i64),
    /// The last part is sent again, as by who has not got the answer.
    Again(usize),
    /// The server is killed after it has written to the file and before it answers.
    Killed(usize),
    /// The server is started again.
    Restarted,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..150_000usize).prop_map(Step::Send),
        1 => prop_oneof![Just(-1i64), Just(1), 2..100_000i64].prop_map(Step::Wrong),
        1 => (1..100_000usize).prop_map(Step::Again),
        2 => (1..150_000usize).prop_map(Step::Killed),
        1 => Just(Step::Restarted),
    ]
}

/// Bytes of a table, which stand nowhere twice.
fn table(length: usize) -> Vec<u8> {
    let mut bytes = b"age,ward\n".to_vec();
    for row in 0.. {
        if bytes.len() >= length {
            break;
        }
        bytes.extend_from_slice(format!("{},{}\n", row * 7919 % 100_003, row).as_bytes());
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn an_upload_is_what_was_sent_whatever_happens(steps in prop::collection::vec(step(), 1..12)) {
        let mut ward = Ward::new();
        let content = table(1_500_000);
        let upload = ward.begin("march.csv");
        let mut sent = 0;
        for step in steps {
            match step {
                Step::Send(length) => {
                    let end = (sent + length).min(content.len());
                    let answered = ward.part(&upload, sent as u64, &content[sent..end]);
                    assert_eq!(answered.expect(200)["received"], json!(end));
                    sent = end;
                }
                Step::Wrong(by) => {
                    let offset = (sent as i64 + by).unsigned_abs();
                    if offset != sent as u64 {
                        ward.part(&upload, offset, b"x").refused(409, "offset");
                    }
                }
                Step::Again(length) if sent > 0 => {
                    let from = sent.saturating_sub(length);
                    ward.part(&upload, from as u64, &content[from..sent]).refused(409, "offset");
                }
                Step::Again(_) => {}
                Step::Killed(length) => {
                    let folder = RawZone::of(&ward.server.app).expect("a zone");
                    for path in files(folder.folder()) {
                        let file = OpenOptions::new().append(true).open(path);
                        file.expect("a file").write_all(&vec![7; length]).expect("written");
                    }
                    ward.restart();
                }
                Step::Restarted => {
                    ward.restart();
                    sweep(&ward.server.app, Duration::ZERO).expect("swept");
                }
            }
            let shown = ward.see(&ward.steward, &format!("/uploads/{upload}")).expect(200);
            assert_eq!(shown["received"], json!(sent));
        }
        ward.part(&upload, sent as u64, &content[sent..]).expect(200);
        let into = json!({ "into": { "new": { "name": "march", "identifiers": [] } } });
        let finish = format!("/uploads/{upload}/finish");
        let version = ward.post(&ward.steward, &finish, &into).expect(201);
        assert_eq!(ward.stored(&version), content);
        assert_eq!(version["bytes"], json!(content.len()));
        assert_eq!(ward.see(&ward.steward, "/uploads").expect(200), json!([]));
        ward.post(&ward.steward, &finish, &into).refused(404, "not-found");
    }
}

#[test]
fn names_of_files_are_data_and_never_paths() {
    let ward = Ward::new();
    let before = files(ward.server.folder.path()).len();
    for (number, name) in [
        "../../etc/cron.csv",
        "/etc/passwd.csv",
        "..\\..\\windows\\a.csv",
        "CON.csv",
        "aux.csv",
        "a;rm -rf.csv",
        "%2e%2e%2fa.csv",
    ]
    .into_iter()
    .enumerate()
    {
        let version = ward.upload(name, b"age\n1\n", &[]);
        assert_eq!(version["file_name"], json!(name));
        assert_eq!(version["place"], json!("data.csv"));
        // A file of the zone for each, named by its object, and no other.
        let raw = RawZone::of(&ward.server.app).expect("a zone");
        let found = files(raw.folder());
        assert_eq!(found.len(), number + 1);
        assert!(found.iter().all(|path| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.and_then(Id::parse).is_some()
        }));
    }
    for name in [
        "a\0.csv",
        "a\r\nset-cookie: x.csv",
        "a\u{202e}vsc.csv",
        "",
        " ",
    ] {
        let refused = ward.post(&ward.steward, "/uploads", &json!({ "name": name }));
        assert_eq!(refused.status, 422, "{name:?}");
    }
    for name in ["passwd", "a.exe", "a.csv/", "a.gz"] {
        let refused = ward.post(&ward.steward, "/uploads", &json!({ "name": name }));
        refused.refused(422, "unusable");
    }
    assert!(files(ward.server.folder.path()).len() <= before + 7 + 3);
}

#[test]
fn what_is_not_what_its_name_says_is_refused_and_can_be_given_up() {
    let ward = Ward::new();
    let upload = ward.begin("march.parquet");
    ward.part(&upload, 0, b"age,ward\n1,2\n").expect(200);
    let finish = format!("/uploads/{upload}/finish");
    let into = json!({ "into": { "new": { "name": "march", "identifiers": [] } } });
    ward.post(&ward.steward, &finish, &into)
        .refused(422, "unusable");
    let path = ward.path(&format!("/uploads/{upload}"));
    let gone = ward
        .server
        .send(&ward.steward, Method::DELETE, &path, &Value::Null);
    gone.expect(204);
    let raw = RawZone::of(&ward.server.app).expect("a zone");
    assert!(files(raw.folder()).is_empty());
    assert_eq!(
        ward.see(&ward.steward, "/datasets").expect(200)["items"],
        json!([])
    );
}

#[test]
fn what_has_arrived_is_compared_with_what_was_said() {
    let ward = Ward::new();
    let new = json!({ "name": "a.csv", "bytes": 10 });
    let upload = text(&ward.post(&ward.steward, "/uploads", &new).expect(201)["id"]);
    ward.part(&upload, 0, b"age\n1\n2\n3\n4\n")
        .refused(422, "unusable");
    ward.part(&upload, 0, b"age\n1\n").expect(200);
    let finish = format!("/uploads/{upload}/finish");
    let mut body = json!({ "into": { "new": { "name": "a", "identifiers": [] } } });
    ward.post(&ward.steward, &finish, &body)
        .refused(409, "incomplete");
    ward.part(&upload, 6, b"2\n3\n").expect(200);
    body["sha256"] = json!("00");
    ward.post(&ward.steward, &finish, &body)
        .refused(422, "unusable");
    let sum =
        moretta_server::secret::hex(&<sha2::Sha256 as sha2::Digest>::digest(b"age\n1\n2\n3\n"));
    body["sha256"] = json!(sum);
    let version = ward.post(&ward.steward, &finish, &body).expect(201);
    assert_eq!(version["sha256"], json!(sum));
}

#[test]
fn limits_of_file_and_project_hold_while_bytes_come() {
    let ward = Ward::with(|settings| {
        settings.limits.file_bytes = 100;
        settings.limits.project_bytes = 150;
    });
    let new = json!({ "name": "a.csv", "bytes": 101 });
    ward.post(&ward.steward, "/uploads", &new)
        .refused(413, "file-too-long");
    let upload = ward.begin("a.csv");
    ward.part(&upload, 0, &[b'a'; 100]).expect(200);
    ward.part(&upload, 100, b"a").refused(413, "file-too-long");
    let second = ward.begin("b.csv");
    ward.part(&second, 0, &[b'a'; 51])
        .refused(413, "project-full");
    ward.part(&second, 0, &[b'a'; 50]).expect(200);
}

#[test]
fn a_full_disk_stops_uploads_and_lets_give_up_and_delete() {
    let mut ward = Ward::with(|settings| settings.four_eyes = false);
    let version = ward.upload("march.csv", b"age\n34\n", &[]);
    let upload = ward.begin("a.csv");
    ward.part(&upload, 0, b"age\n1\n").expect(200);
    let app = &ward.server.app;
    let mut settings = app.settings.clone();
    settings.limits.reserve_bytes = u64::MAX / 2;
    let store = app.store.clone();
    let full = moretta_server::app::App::new(store, ward.server.clock.clone(), settings);
    ward.server.app = std::sync::Arc::new(full);
    ward.part(&upload, 6, b"2\n").refused(507, "disk-full");
    ward.post(&ward.steward, "/uploads", &json!({ "name": "b.csv" }))
        .refused(507, "disk-full");
    let path = ward.path(&format!("/uploads/{upload}"));
    let gone = ward
        .server
        .send(&ward.steward, Method::DELETE, &path, &Value::Null);
    gone.expect(204);
    // What makes room again works.
    let path = format!(
        "/datasets/{}/versions/{}/deletion",
        text(&version["dataset"]),
        text(&version["id"])
    );
    let deleted = ward.post(&ward.steward, &path, &json!({ "reason": "room" }));
    assert_eq!(deleted.expect(202)["state"], json!("deleted"));
    assert!(files(&ward.server.folder.path().join("data/raw")).is_empty());
}

#[test]
fn nothing_of_an_upload_lies_on_disk_in_plain() {
    let ward = Ward::new();
    let upload = ward.begin("a.csv");
    ward.part(&upload, 0, b"name,ward\ncanary-7f3a,7\n")
        .expect(200);
    assert!(!holds(ward.server.folder.path(), b"canary-7f3a"));
    ward.upload("b.csv", b"name,ward\ncanary-7f3a,7\n", &["name"]);
    assert!(!holds(ward.server.folder.path(), b"canary-7f3a"));
}

#[test]
fn a_closed_project_takes_nothing_new() {
    let ward = Ward::new();
    let upload = ward.begin("a.csv");
    ward.part(&upload, 0, b"age\n1\n").expect(200);
    let close = "UPDATE projects SET state = 'closed'";
    let closed = ward.server.app.store.act(|act| act.execute(close, &[]));
    closed.expect("closed");
    ward.post(&ward.steward, "/uploads", &json!({ "name": "b.csv" }))
        .refused(409, "closed");
    let into = json!({ "into": { "new": { "name": "a", "identifiers": [] } } });
    ward.post(&ward.steward, &format!("/uploads/{upload}/finish"), &into)
        .refused(409, "closed");
}

#[test]
fn others_neither_see_nor_send() {
    let ward = Ward::new();
    let upload = ward.begin("a.csv");
    for person in [&ward.officer, &ward.clinician, &ward.auditor] {
        ward.see(person, "/uploads").refused(403, "forbidden");
        ward.post(person, &format!("/uploads/{upload}/finish"), &json!({}))
            .refused(403, "forbidden");
    }
    let stranger = ward.server.signed_in("eve");
    ward.see(&stranger, "/uploads")
        .refused(404, "no-such-project");
}

#[cfg(unix)]
#[test]
fn the_inbox_gives_files_by_ids_and_follows_no_links() {
    let inbox = tempfile::tempdir().expect("a folder");
    let secret = tempfile::tempdir().expect("a folder");
    std::fs::write(secret.path().join("s.csv"), "age\n9\n").expect("written");
    let at = |name: &str| inbox.path().join(name);
    std::fs::write(at("april.csv"), "age\n1\n2\n").expect("written");
    std::fs::write(at("notes.md"), "no table").expect("written");
    std::fs::create_dir(at("folder.csv")).expect("made");
    std::os::unix::fs::symlink(secret.path().join("s.csv"), at("link.csv")).expect("linked");
    std::os::unix::fs::symlink(secret.path(), at("dir.csv")).expect("linked");
    let ward = Ward::with(|settings| settings.inbox = Some(inbox.path().to_owned()));
    let listed = ward.see(&ward.steward, "/inbox").expect(200);
    let names: Vec<&str> = listed
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|file| file["name"].as_str())
        .collect();
    assert_eq!(names, ["april.csv"]);
    let id = text(&listed[0]["id"]);
    let into = json!({ "new": { "name": "april", "identifiers": [] } });
    for other in ["..%2f..%2fetc%2fpasswd", "april.csv", "link.csv"] {
        ward.post(&ward.steward, &format!("/inbox/{other}"), &into)
            .refused(404, "not-found");
    }
    ward.post(&ward.steward, &format!("/inbox/{}", Id::random()), &into)
        .refused(404, "not-found");
    let version = ward
        .post(&ward.steward, &format!("/inbox/{id}"), &into)
        .expect(201);
    assert_eq!(ward.stored(&version), b"age\n1\n2\n");
    // The id was of one state of the file.
    std::fs::write(at("april.csv"), "age\n1\n2\n3\n").expect("written");
    ward.post(&ward.steward, &format!("/inbox/{id}"), &into)
        .refused(404, "not-found");
}
