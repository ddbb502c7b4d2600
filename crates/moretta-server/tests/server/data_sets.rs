//! Versions of data, raw rows, the vault, and how data go.

use crate::ward::{Ward, files, holds, text, version_path};
use http::Method;
use moretta_server::clock::{DAY, HOUR};
use moretta_server::data::retention;
use moretta_server::db::Value as Cell;
use moretta_server::zone::{RawZone, VaultZone};
use serde_json::{Value, json};

const PATIENTS: &[u8] = b"patient,name,age\np1,Ada Canary,34\np2,Bob Canary,61\np1,Ada Canary,35\n";

fn rows(value: &Value) -> Vec<Vec<String>> {
    let row = |row: &Value| {
        let cells = row.as_array().expect("a row").iter();
        cells
            .map(|cell| cell.as_str().unwrap_or("-").to_owned())
            .collect()
    };
    value["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .map(row)
        .collect()
}

#[test]
fn versions_are_numbered_and_listed_with_the_newest_first() {
    let ward = Ward::new();
    let first = ward.upload("march.csv", b"age\n1\n", &[]);
    let set = text(&first["dataset"]);
    let into = json!({ "dataset": set });
    let second = ward
        .upload_into("april.csv", b"age\n2\n", &into)
        .expect(201);
    assert_eq!(
        (&first["number"], &second["number"]),
        (&json!(1), &json!(2))
    );
    let listed = ward
        .see(&ward.officer, &format!("/datasets/{set}/versions?limit=1"))
        .expect(200);
    assert_eq!(listed["items"][0]["number"], json!(2));
    let next = text(&listed["next"]);
    let path = format!("/datasets/{set}/versions?limit=1&after={next}");
    let listed = ward.see(&ward.officer, &path).expect(200);
    assert_eq!(listed["items"][0]["number"], json!(1));
    assert_eq!(listed["next"], Value::Null);
    let shown = ward
        .see(&ward.steward, &format!("/datasets/{set}"))
        .expect(200);
    assert_eq!(shown["last"]["id"], second["id"]);
    assert!(shown["last"].get("object").is_none());
    let profile = format!("{}/profile", version_path(&first));
    let profile = ward.see(&ward.officer, &profile).expect(200);
    assert_eq!(profile["state"], json!("waiting"));
    ward.see(&ward.analyst, "/datasets")
        .refused(403, "forbidden");
    // Who reads raw rows has to find them, and sees nothing of profiles.
    for path in ["/datasets", &format!("/datasets/{set}/versions")] {
        ward.see(&ward.clinician, path).expect(200);
    }
    let profile = format!("{}/profile", version_path(&first));
    ward.see(&ward.clinician, &profile)
        .refused(403, "forbidden");
    let taken = json!({ "new": { "name": shown["name"], "identifiers": [] } });
    ward.upload_into("may.csv", b"age\n1\n", &taken)
        .refused(409, "taken");
    let none = json!({ "dataset": first["id"] });
    ward.upload_into("may.csv", b"age\n1\n", &none)
        .refused(404, "not-found");
}

#[test]
fn raw_rows_come_page_by_page_and_each_page_is_logged_first() {
    let ward = Ward::new();
    let mut table = "age,note\n".to_owned();
    for row in 0..25 {
        table += &format!("{row},\"a, \"\"{row}\"\"\"\n");
    }
    for (name, bytes) in [
        ("a.csv", table.clone().into_bytes()),
        ("a.csv.gz", gzip(&table)),
    ] {
        let version = ward.upload(name, &bytes, &[]);
        let path = version_path(&version);
        let mut found = Vec::new();
        let mut after = String::new();
        loop {
            let page = format!("{path}/rows?purpose=round&limit=10{after}");
            let page = ward.see(&ward.clinician, &page).expect(200);
            assert_eq!(page["first"], json!(found.len()));
            assert_eq!(page["columns"], json!(["age", "note"]));
            found.extend(rows(&page));
            let (act, entry) = ward.acts().pop().expect("an entry");
            assert_eq!(act, "data.raw");
            assert_eq!(entry["facts"]["purpose"], json!("round"));
            assert!(!entry.to_string().contains("\\\""), "no cell is logged");
            match page["next"].as_str() {
                Some(next) => after = format!("&after={next}"),
                None => break,
            }
        }
        let expected: Vec<Vec<String>> = (0..25)
            .map(|row| vec![row.to_string(), format!("a, \"{row}\"")])
            .collect();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn readers_do_not_choose_what_the_log_says_of_a_page() {
    let ward = Ward::new();
    let table: String = (0..25).map(|row| format!("{row}\n")).collect();
    let version = ward.upload("a.csv", format!("age\n{table}").as_bytes(), &[]);
    let path = format!("{}/rows?purpose=round&limit=10", version_path(&version));
    let page = ward.see(&ward.clinician, &path).expect(200);
    let next = text(&page["next"]);
    let logged = ward.acts().len();
    // Bytes that the server has not signed, for this row and version.
    let sum = "0".repeat(32);
    for forged in ["0.44", "10.4", "1x", &format!("0.44.{sum}"), "0.44.1.1"] {
        ward.see(&ward.clinician, &format!("{path}&after={forged}"))
            .refused(422, "unusable");
    }
    let pages = ward.acts().into_iter().skip(logged);
    assert_eq!(pages.filter(|(act, _)| act == "data.raw").count(), 0);
    let page = ward
        .see(&ward.clinician, &format!("{path}&after={next}"))
        .expect(200);
    assert_eq!(
        (&page["first"], &rows(&page)[0][0]),
        (&json!(10), &"10".to_owned())
    );
}

#[test]
fn a_look_into_the_vault_is_kept_nowhere_and_logged_each_time() {
    let ward = Ward::new();
    let version = ward.upload("a.csv", PATIENTS, &["patient", "name"]);
    let path = version_path(&version);
    let page = format!("{path}/rows?purpose=round");
    let page = rows(&ward.see(&ward.clinician, &page).expect(200));
    let cookie = ward.clinician.cookie();
    let headers = [
        ("cookie", &*cookie),
        ("x-moretta-token", &*ward.clinician.token),
        ("sec-fetch-site", "same-origin"),
        ("content-type", "application/json"),
        ("idempotency-key", "k1"),
    ];
    let body = json!({ "pseudonym": page[0][1], "purpose": "call back" }).to_string();
    let look = || {
        let path = ward.path(&format!("{path}/identity"));
        ward.server
            .ask(Method::POST, &path, &headers, body.as_bytes())
    };
    for looks in 1..3 {
        look().expect(200);
        let acts = ward.acts();
        let logged = acts.iter().filter(|(act, _)| act == "vault.look");
        assert_eq!(logged.count(), looks);
    }
    let kept = "SELECT count(*) FROM repeats";
    let kept = ward.server.app.store.read(|sql| sql.number(kept, &[]));
    assert_eq!(kept.expect("a number"), 0);
}

fn gzip(text: &str) -> Vec<u8> {
    // Stored blocks of deflate: no packer is needed to test that packed files are read.
    let bytes = text.as_bytes();
    let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    let length = u16::try_from(bytes.len()).expect("a short text");
    packed.extend_from_slice(&length.to_le_bytes());
    packed.extend_from_slice(&(!length).to_le_bytes());
    packed.extend_from_slice(bytes);
    let mut sum = !0u32;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ (0xedb8_8320 & (!(sum & 1)).wrapping_add(1));
        }
    }
    packed.extend_from_slice(&(!sum).to_le_bytes());
    packed.extend_from_slice(&u32::from(length).to_le_bytes());
    packed
}

#[test]
fn raw_rows_need_level_1_a_purpose_and_a_fresh_second_factor() {
    let ward = Ward::new();
    let version = ward.upload("a.csv", b"age\n1\n", &[]);
    let path = format!("{}/rows", version_path(&version));
    let wanted = format!("{path}?purpose=round");
    for person in [&ward.steward, &ward.officer, &ward.analyst, &ward.auditor] {
        ward.see(person, &wanted).refused(403, "forbidden");
    }
    ward.see(&ward.clinician, &path).refused(422, "unusable");
    ward.see(&ward.clinician, &format!("{path}?purpose=%20"))
        .refused(422, "unusable");
    ward.see(&ward.clinician, &format!("{wanted}&limit=501"))
        .refused(422, "unusable");
    ward.see(&ward.clinician, &format!("{wanted}&after=x"))
        .refused(422, "unusable");
    ward.see(&ward.clinician, &wanted).expect(200);
    ward.server.clock.forward(16 * 60 * 1000);
    let later = ward.server.again(ward.clinician.id, "cleo", false);
    ward.see(&later, &wanted).refused(403, "step-up");
}

#[test]
fn what_names_persons_lies_in_the_vault_and_is_looked_up_one_by_one() {
    let ward = Ward::new();
    let version = ward.upload("a.csv", PATIENTS, &["patient", "name"]);
    let stored = String::from_utf8(ward.stored(&version)).expect("text");
    assert!(
        !stored.contains("Canary") && !stored.contains("p1"),
        "{stored}"
    );
    assert!(stored.starts_with("patient,name,age\n"), "{stored}");
    assert!(!holds(ward.server.folder.path(), b"Canary"));
    // The file that came is gone: one object of each zone is left.
    for folder in [
        RawZone::of(&ward.server.app)
            .expect("a zone")
            .folder()
            .to_owned(),
        VaultZone::of(&ward.server.app)
            .expect("a zone")
            .folder()
            .to_owned(),
    ] {
        assert_eq!(files(&folder).len(), 1);
    }
    let path = version_path(&version);
    let page = format!("{path}/rows?purpose=round");
    let page = rows(&ward.see(&ward.clinician, &page).expect(200));
    assert_eq!(page.len(), 3);
    assert_eq!((&page[0][0], &page[0][1]), (&page[2][0], &page[2][1]));
    assert_ne!(page[0][0], page[1][0]);
    assert_ne!(page[0][0], page[0][1]);
    assert_eq!(page[1][2], "61");
    let identity = format!("{path}/identity");
    let look = |pseudonym: &str| json!({ "pseudonym": pseudonym, "purpose": "call back" });
    let found = ward.post(&ward.clinician, &identity, &look(&page[0][1]));
    assert_eq!(
        found.expect(200),
        json!({ "column": "name", "value": "Ada Canary" })
    );
    let (act, entry) = ward.acts().pop().expect("an entry");
    assert_eq!(act, "vault.look");
    let entry = entry.to_string();
    assert!(entry.contains("call back"));
    assert!(!entry.contains("Canary") && !entry.contains(&page[0][1]));
    let none = "0".repeat(32);
    ward.post(&ward.clinician, &identity, &look(&none))
        .refused(404, "not-found");
    assert_eq!(ward.acts().pop().expect("an entry").0, "vault.look");
    ward.post(&ward.clinician, &identity, &look("Ada"))
        .refused(422, "unusable");
    for person in [&ward.steward, &ward.officer, &ward.analyst, &ward.auditor] {
        ward.post(person, &identity, &look(&page[0][1]))
            .refused(403, "forbidden");
    }
}

#[test]
fn pseudonyms_are_the_same_in_all_versions_of_a_data_set_and_in_no_other() {
    let ward = Ward::new();
    let first = ward.upload("a.csv", PATIENTS, &["patient", "name"]);
    let into = json!({ "dataset": first["dataset"] });
    let second = ward.upload_into("b.csv", PATIENTS, &into).expect(201);
    let other = ward.upload("c.csv", PATIENTS, &["patient", "name"]);
    assert_eq!(ward.stored(&first), ward.stored(&second));
    assert_ne!(ward.stored(&first), ward.stored(&other));
    let lacking = ward.upload_into("d.csv", b"patient,age\np1,3\n", &into);
    lacking.refused(422, "unusable");
    let twice = json!({ "new": { "name": "x", "identifiers": ["name", "name"] } });
    ward.upload_into("e.csv", PATIENTS, &twice)
        .refused(422, "unusable");
}

#[test]
fn columns_that_name_persons_can_be_more_later_in_all_versions() {
    let ward = Ward::new();
    let first = ward.upload("a.csv", PATIENTS, &["patient"]);
    let into = json!({ "dataset": first["dataset"] });
    let second = ward.upload_into("b.csv", PATIENTS, &into).expect(201);
    let path = format!("/datasets/{}", text(&first["dataset"]));
    let declare = |seen: &str, columns: &[&str]| {
        let cookie = ward.steward.cookie();
        let headers = [
            ("cookie", &*cookie),
            ("x-moretta-token", &*ward.steward.token),
            ("sec-fetch-site", "same-origin"),
            ("content-type", "application/json"),
            ("if-match", seen),
        ];
        let body = json!({ "identifiers": columns }).to_string();
        let path = ward.path(&format!("{path}/identifiers"));
        ward.server
            .ask(http::Method::PUT, &path, &headers, body.as_bytes())
    };
    declare("\"2\"", &["patient", "name"]).refused(412, "outdated");
    declare("\"1\"", &["name"]).refused(422, "unusable");
    declare("\"1\"", &["patient", "nothing"]).refused(422, "unusable");
    assert_eq!(files(&ward.server.folder.path().join("data/raw")).len(), 2);
    let set = declare("\"1\"", &["patient", "name"]).expect(200);
    assert_eq!(set["identifiers"], json!(["name", "patient"]));
    for zone in ["raw", "vault"] {
        let folder = ward.server.folder.path().join("data").join(zone);
        assert_eq!(files(&folder).len(), 2, "{zone}");
    }
    let shown = ward.see(&ward.officer, &version_path(&second)).expect(200);
    assert_ne!(shown["deleted_at"], Value::Null);
    let last = ward.see(&ward.officer, &path).expect(200)["last"].clone();
    assert_eq!(
        (&last["number"], &last["file_name"]),
        (&json!(4), &json!("b.csv"))
    );
    let stored = String::from_utf8(ward.stored(&last)).expect("text");
    assert!(!stored.contains("Canary"), "{stored}");
    // What was in the vault is there still, beside what has come.
    let page = format!("{}/rows?purpose=round", version_path(&last));
    let page = rows(&ward.see(&ward.clinician, &page).expect(200));
    let identity = format!("{}/identity", version_path(&last));
    for (pseudonym, value) in [(&page[1][0], "p2"), (&page[1][1], "Bob Canary")] {
        let look = json!({ "pseudonym": pseudonym, "purpose": "call back" });
        let found = ward.post(&ward.clinician, &identity, &look).expect(200);
        assert_eq!(found["value"], json!(value));
    }
}

#[test]
fn a_packed_file_is_read_up_to_the_limit_of_what_it_may_unpack_to() {
    let ward = Ward::with(|settings| settings.limits.unpacked_bytes = 100);
    let table = format!("age\n{}", "1\n".repeat(1000));
    let version = ward.upload("a.csv.gz", &gzip(&table), &[]);
    let page = format!("{}/rows?purpose=round&limit=500", version_path(&version));
    ward.see(&ward.clinician, &page).refused(422, "input");
    let into = json!({ "new": { "name": "b", "identifiers": ["age"] } });
    ward.upload_into("b.csv.gz", &gzip(&table), &into)
        .refused(422, "input");
    // Of what was begun nothing is left but the upload itself.
    let raw = ward.server.folder.path().join("data/raw");
    assert_eq!(files(&raw).len(), 2);
    assert!(files(&ward.server.folder.path().join("data/vault")).is_empty());
}

#[test]
fn other_formats_keep_what_they_are() {
    let ward = Ward::new();
    let lines = b"{\"name\":\"Ada Canary\",\"age\":34}\n{\"name\":null,\"age\":61}\n";
    let version = ward.upload("a.jsonl", lines, &["name"]);
    let stored = String::from_utf8(ward.stored(&version)).expect("text");
    assert!(!stored.contains("Canary"), "{stored}");
    assert_eq!(stored.lines().count(), 2);
    let second: Value = serde_json::from_str(stored.lines().nth(1).expect("a line")).expect("JSON");
    assert_eq!(second["age"], json!(61));
    let semicolons = ward.upload("b.csv", b"name;age\nAda;34,5\n=Bob;=1\n", &["name"]);
    let stored = String::from_utf8(ward.stored(&semicolons)).expect("text");
    let cells: Vec<&str> = stored
        .lines()
        .filter_map(|line| line.split(';').nth(1))
        .collect();
    assert_eq!(cells, ["age", "34,5", "=1"]);
}

#[test]
fn two_persons_delete_raw_data_and_nothing_is_left() {
    let ward = Ward::new();
    let version = ward.upload("a.csv", PATIENTS, &["name"]);
    let path = version_path(&version);
    let why = json!({ "reason": "the study is over" });
    let asked = ward.post(&ward.steward, &format!("{path}/deletion"), &why);
    let asked = asked.expect(202);
    assert_eq!(asked["state"], json!("waiting"));
    let decide = format!("/deletions/{}/decision", text(&asked["wish"]));
    let grant = json!({ "grant": true });
    ward.post(&ward.steward, &decide, &grant)
        .refused(403, "second-person");
    ward.post(&ward.steward, &format!("{path}/deletion"), &why)
        .refused(409, "asked");
    let waiting = ward.see(&ward.officer, "/deletions").expect(200);
    assert_eq!(waiting[0]["subject"], version["id"]);
    ward.post(&ward.officer, &decide, &grant).expect(204);
    ward.post(&ward.officer, &decide, &grant)
        .refused(409, "decided");
    for zone in ["raw", "vault"] {
        assert!(files(&ward.server.folder.path().join("data").join(zone)).is_empty());
    }
    let shown = ward.see(&ward.officer, &path).expect(200);
    assert_eq!(shown["deleted_at"], json!(ward.server.clock.now()));
    assert_eq!(shown["sha256"], version["sha256"]);
    let page = format!("{path}/rows?purpose=round");
    ward.see(&ward.clinician, &page).refused(410, "deleted");
    ward.post(&ward.officer, &format!("{path}/deletion"), &why)
        .refused(410, "deleted");
    assert_eq!(ward.acts().pop().expect("an entry").0, "data.delete");
}

#[test]
fn one_person_deletes_alone_where_the_file_of_settings_says_so() {
    let ward = Ward::with(|settings| settings.four_eyes = false);
    let version = ward.upload("a.csv", b"age\n1\n", &[]);
    let path = format!("{}/deletion", version_path(&version));
    let done = ward.post(&ward.steward, &path, &json!({ "reason": "wrong file" }));
    assert_eq!(done.expect(202)["state"], json!("deleted"));
    let (_, entry) = ward.acts().pop().expect("an entry");
    assert_eq!(entry["facts"]["alone"], json!("four_eyes is off"));
}

#[test]
fn an_upload_that_nobody_finishes_goes_after_a_week() {
    let ward = Ward::new();
    let upload = ward.begin("a.csv");
    ward.part(&upload, 0, b"age\n1\n").expect(200);
    ward.server.clock.forward(7 * DAY - HOUR);
    assert_eq!(retention(&ward.server.app).expect("swept"), 0);
    ward.server.clock.forward(HOUR);
    assert_eq!(retention(&ward.server.app).expect("swept"), 1);
    assert!(files(&ward.server.folder.path().join("data/raw")).is_empty());
    assert_eq!(ward.acts().pop().expect("an entry").0, "upload.abandon");
}

#[test]
fn data_go_when_their_time_is_over_by_the_rules_of_now_and_of_then() {
    let ward = Ward::new();
    let rule = |days: &str| {
        let update = "UPDATE projects SET rules = $1";
        let cells = [Cell::from(format!("{{\"retention_days\":{days}}}"))];
        let updated = ward.server.app.store.act(|act| act.execute(update, &cells));
        updated.expect("rules");
    };
    let free = ward.upload("a.csv", b"age\n1\n", &[]);
    rule("10");
    let bound = ward.upload("b.csv", b"age\n1\n", &[]);
    assert_eq!(free["delete_after"], Value::Null);
    assert_eq!(
        bound["delete_after"],
        json!(ward.server.clock.now() + 10 * DAY)
    );
    rule("null");
    let sweep = || retention(&ward.server.app).expect("swept");
    ward.server.clock.forward(10 * DAY - HOUR);
    assert_eq!(sweep(), 0);
    ward.server.clock.forward(HOUR);
    assert_eq!(sweep(), 1);
    assert_eq!(sweep(), 0);
    rule("5");
    assert_eq!(sweep(), 1);
    assert_eq!(ward.acts().pop().expect("an entry").0, "data.retention");
    assert!(files(&ward.server.folder.path().join("data/raw")).is_empty());
}
