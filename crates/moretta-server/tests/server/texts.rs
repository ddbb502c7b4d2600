//! Hierarchies and policies with versions, and keys of projects.

use crate::support::{Answered, Person};
use crate::ward::{Ward, holds, text};
use http::Method;
use serde_json::{Value, json};

const EDUCATION: &str = "school;low;*\ncollege;high;*\n";

const POLICY: &str = "version = 1\nname = \"ward\"\n\n[columns]\nage = { role = \"quasi\" }\n\
                      education = { role = \"quasi\", hierarchy = { file = \"education.csv\" } }\n\n\
                      [guarantee]\nk = 5\n\n[[protect]]\nmethod = \"mondrian\"\n";

fn put(ward: &Ward, person: &Person, rest: &str, seen: &str, body: &Value) -> Answered {
    let cookie = person.cookie();
    let headers = [
        ("cookie", &*cookie),
        ("x-moretta-token", &*person.token),
        ("sec-fetch-site", "same-origin"),
        ("content-type", "application/json"),
        ("if-match", seen),
    ];
    let method = match rest.ends_with("restoration") {
        true => Method::POST,
        false => Method::PUT,
    };
    let body = if body.is_null() {
        Vec::new()
    } else {
        body.to_string().into_bytes()
    };
    ward.server.ask(method, &ward.path(rest), &headers, &body)
}

fn hierarchy(ward: &Ward) -> Value {
    let new = json!({ "name": "education.csv", "content": EDUCATION.replace(';', ",") });
    ward.post(&ward.steward, "/hierarchies", &new).expect(201)
}

#[test]
fn a_text_is_edited_by_who_has_seen_its_last_version() {
    let ward = Ward::new();
    let made = hierarchy(&ward);
    let path = format!("/hierarchies/{}", text(&made["text"]));
    let edit = json!({ "content": "school,low,*\ncollege,high,*\nnone,low,*\n" });
    put(&ward, &ward.steward, &path, "", &edit).refused(428, "version-needed");
    put(&ward, &ward.steward, &path, "\"7\"", &edit).refused(412, "outdated");
    let second = put(&ward, &ward.steward, &path, "\"1\"", &edit).expect(200);
    assert_eq!(second["number"], json!(2));
    assert_eq!(second["based_on"], made["id"]);
    put(&ward, &ward.steward, &path, "\"1\"", &edit).refused(412, "outdated");
    let back = format!("{path}/versions/{}/restoration", text(&made["id"]));
    let third = put(&ward, &ward.steward, &back, "\"2\"", &Value::Null).expect(200);
    assert_eq!(
        (&third["content"], &third["sha256"]),
        (&made["content"], &made["sha256"])
    );
    assert_eq!(
        (&third["number"], &third["based_on"]),
        (&json!(3), &made["id"])
    );
    let versions = ward
        .see(&ward.officer, &format!("{path}/versions"))
        .expect(200);
    assert_eq!(versions["items"].as_array().map(Vec::len), Some(3));
    assert_eq!(versions["items"][0]["content"], json!(""));
    let old = format!("{path}/versions/{}", text(&made["id"]));
    assert_eq!(
        ward.see(&ward.officer, &old).expect(200)["content"],
        made["content"]
    );
    put(&ward, &ward.officer, &path, "\"3\"", &edit).refused(403, "forbidden");
    ward.see(&ward.analyst, &path).refused(403, "forbidden");
    let as_policy = path.replace("hierarchies", "policies");
    ward.see(&ward.steward, &as_policy)
        .refused(404, "not-found");
}

#[test]
fn a_hierarchy_that_is_no_tree_is_refused_with_its_line() {
    let ward = Ward::new();
    for (name, content) in [
        ("a.csv", "canary,low,*\ncanary,high,*\n"),
        ("a.csv", "canary,low,*\nb,*\n"),
        ("a.csv", ""),
        ("a.csv", "\"canary,low,*\n"),
        ("../a.csv", "a,*\n"),
        ("policy.toml", "a,*\n"),
        ("data.csv", "a,*\n"),
        (".a", "a,*\n"),
    ] {
        let new = json!({ "name": name, "content": content });
        let refused = ward.post(&ward.steward, "/hierarchies", &new);
        assert_eq!(refused.status, 422, "{name} {content:?}");
        let told = String::from_utf8_lossy(&refused.body).into_owned();
        assert!(!told.contains("canary"), "{told}");
    }
    let new = json!({ "name": "a.csv", "content": "x,*\n" });
    ward.post(&ward.steward, "/hierarchies", &new).expect(201);
    ward.post(&ward.steward, "/hierarchies", &new)
        .refused(409, "taken");
}

#[test]
fn labels_of_hierarchies_lie_on_disk_sealed() {
    let ward = Ward::new();
    let new = json!({ "name": "a.csv", "content": "canary-7f3a,*\n" });
    ward.post(&ward.steward, "/hierarchies", &new).expect(201);
    assert!(!holds(ward.server.folder.path(), b"canary-7f3a"));
}

#[test]
fn a_policy_is_checked_with_its_hierarchies_and_errors_have_the_place_that_people_see() {
    let ward = Ward::new();
    let check = |content: &str| {
        ward.post(
            &ward.steward,
            "/policies/check",
            &json!({ "content": content }),
        )
    };
    check(POLICY).refused(422, "policy");
    hierarchy(&ward);
    let checked = check(POLICY).expect(200);
    assert_eq!(checked["hierarchies"], json!(["education.csv"]));
    assert_eq!(
        checked["columns"][0],
        json!({ "name": "age", "role": "quasi" })
    );
    for (from, to) in [
        ("role = \"quasi\" }", "role = \"qasi\" }"),
        ("k = 5", "k = 1"),
        ("[guarantee]", "[guarante]"),
        ("mondrian", "mondrain"),
        ("age = {", "age = {{"),
        ("version = 1", "version = 1\n[sink]\npath = \"/etc/passwd\""),
        (
            "{ role = \"quasi\" }",
            "{ role = \"identifier\", action = \"pseudonym\", key = \"env:KEY\" }",
        ),
        (
            "{ role = \"quasi\" }",
            "{ role = \"identifier\", action = \"pseudonym\", key = \"file:/key\" }",
        ),
        ("education.csv", "/etc/passwd"),
    ] {
        let content = POLICY.replacen(from, to, 1);
        let refused = check(&content);
        assert_eq!((refused.status, &*refused.code), (422, "policy"), "{to}");
        let told = String::from_utf8_lossy(&refused.body).into_owned();
        assert!(!told.contains("root:"), "{told}");
    }
}

#[test]
fn a_policy_keeps_the_hierarchies_that_it_was_saved_with() {
    let ward = Ward::new();
    let made = hierarchy(&ward);
    let new = json!({ "name": "ward", "content": POLICY });
    let policy = ward.post(&ward.steward, "/policies", &new).expect(201);
    assert_eq!(policy["uses"]["education.csv"], made["id"]);
    let path = format!("/hierarchies/{}", text(&made["text"]));
    let edit = json!({ "content": "school,other,*\ncollege,high,*\n" });
    put(&ward, &ward.steward, &path, "\"1\"", &edit).expect(200);
    let bundle = format!(
        "/policies/{}/versions/{}/bundle",
        text(&policy["text"]),
        text(&policy["id"])
    );
    let bundle = ward.see(&ward.officer, &bundle).expect(200);
    assert_eq!(bundle["files"][1]["name"], json!("education.csv"));
    assert_eq!(bundle["files"][1]["content"], made["content"]);
    let written = text(&bundle["files"][0]["content"]);
    assert!(written.contains("path = \"data.csv\"") && written.contains("path = \"release.csv\""));
    let path = json!({ "name": "b", "content": "version = 1\n[source]\npath = \"x.csv\"\n" });
    ward.post(&ward.steward, "/policies", &path)
        .refused(422, "policy");
}

#[test]
fn keys_of_a_project_are_made_and_named_and_never_shown() {
    let ward = Ward::new();
    let made = ward.post(&ward.steward, "/secrets", &json!({ "name": "patients" }));
    assert_eq!(made.expect(201)["name"], json!("patients"));
    ward.post(&ward.steward, "/secrets", &json!({ "name": "patients" }))
        .refused(409, "taken");
    for name in ["a b", "a/b", "é", ""] {
        let refused = ward.post(&ward.steward, "/secrets", &json!({ "name": name }));
        assert_eq!(refused.status, 422, "{name}");
    }
    let listed = ward.see(&ward.officer, "/secrets").expect(200);
    let keys: Vec<&String> = listed[0].as_object().expect("a key").keys().collect();
    assert_eq!(keys, ["made_at", "made_by", "name"]);
    let policy = POLICY.replacen(
        "age = { role = \"quasi\" }",
        "age = { role = \"quasi\" }\npatient = { role = \"subject\", action = \"pseudonym\", key = \"secret:patients\" }",
        1,
    );
    hierarchy(&ward);
    ward.post(
        &ward.steward,
        "/policies/check",
        &json!({ "content": policy }),
    )
    .expect(200);
}

#[test]
fn the_catalogue_explains_what_can_be_chosen() {
    let ward = Ward::new();
    let all = ward.server.see(&ward.analyst, "/catalogue").expect(200);
    for kind in ["methods", "measures", "attacks", "learners"] {
        let choices = all[kind].as_array().expect("choices");
        assert!(!choices.is_empty());
        for choice in choices {
            let path = format!("/explain/{}", text(&choice["name"]));
            let page = ward.server.see(&ward.analyst, &path).expect(200);
            assert!(!text(&page["page"]).is_empty());
        }
    }
    ward.server
        .see(&ward.analyst, "/explain/nothing")
        .refused(404, "not-found");
    let schema = ward.server.see(&ward.analyst, "/policy-schema").expect(200);
    assert_eq!(schema["title"], json!("A policy of moretta"));
}
