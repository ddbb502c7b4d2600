//! What administrators see of the server, and copies of its store.

use crate::ward::{Ward, text, version_path};
use http::Method;
use moretta_server::audit::{self, verify};
use moretta_server::db::SqliteDb;
use moretta_server::start::parse_head;
use moretta_server::store::Store;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

fn copies(ward: &Ward) -> Vec<PathBuf> {
    crate::ward::files(&ward.server.app.settings.data.join("backups"))
}

#[test]
fn administrators_see_settings_and_figures_and_no_path_of_the_machine() {
    let ward = Ward::new();
    let admin = ward.server.admin("first");
    let shown = ward.server.see(&admin, "/settings").expect(200);
    assert_eq!(shown["four_eyes"], true);
    assert_eq!(shown["limits"]["file-bytes"], 5_u64 << 30);
    let status = ward.server.see(&admin, "/status").expect(200);
    assert!(status["sessions"].as_i64() >= Some(6), "{status}");
    let head = ward.server.app.store.read(audit::head).expect("a head");
    assert_eq!(status["head"], head.text());
    let folder = ward.server.folder.path().display().to_string();
    for told in [shown, status] {
        assert!(!told.to_string().contains(&folder), "{told}");
    }
    for path in ["/settings", "/status", "/backups"] {
        ward.server
            .see(&ward.officer, path)
            .refused(403, "forbidden");
    }
}

#[test]
fn a_copy_of_the_store_is_made_while_the_server_runs_and_three_are_kept() {
    let ward = Ward::new();
    let admin = ward.server.admin("first");
    for _ in 0..5 {
        ward.server.clock.forward(1000);
        let made = ward
            .server
            .send(&admin, Method::POST, "/backups", &Value::Null);
        let made = made.expect(201);
        let receipt = parse_head(made["receipt"].as_str().expect("a head")).expect("a head");
        let file = ward.server.app.settings.data.join("backups");
        let copy = SqliteDb::open(&file.join(text(&made["name"]))).expect("a store");
        let copy = Store::open(Arc::new(copy)).expect("a store");
        let verified = copy.read(|sql| verify(sql, Some(&receipt))).expect("read");
        assert_eq!(verified.fault, None);
        assert!(verified.head.number >= receipt.number);
        let projects = copy.read(|sql| sql.number("SELECT count(*) FROM projects", &[]));
        assert_eq!(projects, Ok(1));
    }
    let listed = ward.server.see(&admin, "/backups").expect(200);
    let times: Vec<i64> = listed
        .as_array()
        .expect("copies")
        .iter()
        .filter_map(|copy| copy["made_at"].as_i64())
        .collect();
    assert_eq!(times.len(), 3);
    assert!(times.is_sorted_by(|a, b| a > b), "{times:?}");
    assert_eq!(copies(&ward).len(), 3);
    #[cfg(unix)]
    for copy in copies(&ward) {
        use std::os::unix::fs::MetadataExt;
        let mode = std::fs::metadata(&copy).expect("a copy").mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn what_is_deleted_is_in_no_copy_of_the_store() {
    let ward = Ward::with(|settings| settings.four_eyes = false);
    let admin = ward.server.admin("first");
    let version = ward.upload("march.csv", b"age\n34\n", &[]);
    ward.server
        .send(&admin, Method::POST, "/backups", &Value::Null)
        .expect(201);
    assert_eq!(copies(&ward).len(), 1);
    let path = format!("{}/deletion", version_path(&version));
    let deleted = ward.post(&ward.steward, &path, &json!({ "reason": "room" }));
    let deleted = deleted.expect(202);
    assert_eq!(deleted["state"], "deleted");
    assert!(copies(&ward).is_empty());
    // The receipt is the head of the log after the deletion.
    let receipt = parse_head(deleted["receipt"].as_str().expect("a head"));
    let head = ward.server.app.store.read(audit::head).expect("a head");
    assert_eq!(receipt, Some(head));
}

#[test]
fn raw_data_are_deleted_by_who_has_just_shown_a_second_factor() {
    let ward = Ward::new();
    let version = ward.upload("march.csv", b"age\n34\n", &[]);
    let path = format!("{}/deletion", version_path(&version));
    let why = json!({ "reason": "the study is over" });
    let asked = ward.post(&ward.steward, &path, &why).expect(202);
    let decide = format!("/deletions/{}/decision", text(&asked["wish"]));
    let officer = ward.server.again(ward.officer.id, "ola", false);
    let grant = json!({ "grant": true });
    ward.post(&officer, &decide, &grant).refused(403, "step-up");
    ward.see(&officer, "/deletions").expect(200);
    ward.post(&ward.officer, &decide, &grant).expect(204);
}
