//! From the first links to a release that was checked by somebody who has not made it.

use crate::canaries::Canaries;
use crate::kills::{STREAM, stream};
use crate::program::{code, run};
use crate::team::{Team, text, until};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The levels that the example has beside its own promises.
const LEVELS: &str = "\n[levels]\nresearcher = { k = 5 }\nexternal = { k = 25 }\n";

/// What they are called, and their numbers.
const NAMES: [(&str, u32); 2] = [("researcher", 2), ("external", 3)];

fn example(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/hospital");
    fs::read_to_string(folder.join(name)).expect("an example")
}

/// The policy of the example without its places, with levels.
fn policy() -> String {
    let text = example("policy.toml");
    let places = ["[source]", "[sink]", "[report]"];
    let mut within = false;
    let mut kept = String::new();
    for line in text.lines() {
        if line.starts_with('[') {
            within = places.contains(&line);
        }
        if !within {
            kept += line;
            kept.push('\n');
        }
    }
    kept + LEVELS
}

/// What the command line makes of the same table and policy.
fn on_the_command_line(folder: &Path, table: &str, policy: &str) -> [String; 2] {
    let own = folder.join("command");
    fs::create_dir(&own).expect("a folder");
    let write = |name: &str, text: &str| fs::write(own.join(name), text).expect("written");
    write("data.csv", table);
    write("education.csv", &example("education.csv"));
    let places = "\n[source]\npath = \"data.csv\"\n[sink]\npath = \"release.csv\"\n\
                  [report]\npath = \"report.html\"\n";
    write("policy.toml", &format!("{policy}{places}"));
    run(&own, &["run", "policy.toml"]);
    NAMES.map(|(name, _)| {
        let file = own.join(format!("release-{name}.csv"));
        fs::read_to_string(file).expect("a release")
    })
}

/// Uploads a table in parts, and gives the version of the data.
fn upload(team: &Team, table: &str) -> Value {
    let new = json!({ "name": "admissions.csv", "bytes": table.len() });
    let upload = text(&team.post("sam", "/uploads", &new).expect(201)["id"]);
    let path = format!("/uploads/{upload}");
    let octets = [("content-type", "application/octet-stream")];
    for (number, part) in table.as_bytes().chunks(100_000).enumerate() {
        let at = format!("{path}?offset={}", number * 100_000);
        team.send("sam", "PATCH", &at, &octets, part).expect(200);
    }
    let into = json!({ "into": { "new": { "name": "march", "identifiers": ["name"] } } });
    let version = team.post("sam", &format!("{path}/finish"), &into);
    version.expect(201)
}

/// Waits for the profile of a version, and gives it.
fn profile(team: &Team, version: &Value) -> Value {
    let path = format!(
        "/datasets/{}/versions/{}/profile",
        text(&version["dataset"]),
        text(&version["id"])
    );
    until("a profile is made", || {
        let profile = team.see("olga", &path).expect(200);
        assert_ne!(profile["state"], "failed", "{profile}");
        (profile["state"] == "done").then_some(profile)
    })
}

/// Has jobs done that tell of raw data, and has their results shown to whoever sees them.
fn asks_for_jobs(team: &Team, kinds: &[&str], about: &Value) {
    for kind in kinds {
        let options = match *kind {
            "explore" => json!({ "k": [5] }),
            "tune" => json!({
                "parameter": "k", "between": [2, 9], "goals": [["gcp", 0.9]], "steps": 2, "bisections": 1,
            }),
            "learn" => json!({ "class": "sex", "learners": ["nb"] }),
            "attack" => json!({ "attacks": 20 }),
            _ => Value::Null,
        };
        let wanted = json!({ "about": about, "options": options });
        let job = team.post("sam", &format!("/jobs/{kind}"), &wanted);
        let job = job.expect(202);
        team.done("sam", &job["id"]);
        let path = format!("/jobs/{}", text(&job["id"]));
        for (name, _) in team.people() {
            team.see(name, &path);
            team.see(name, "/jobs");
        }
    }
}

/// A stream whose users are canaries, and whose places are above what may be released.
fn streams_events(team: &Team, canaries: &mut Canaries) {
    const EVENTS: u64 = 400;
    let policy = STREAM.replace(", action = \"keep\"", "");
    let policy = policy.replace("note = { role = \"plain\" }\n", "");
    assert_ne!(policy, STREAM);
    let (path, shop) = stream(team, &policy);
    let event = |n: u64| {
        let (user, place) = (canaries.text(), canaries.text());
        let t = 1_700_000_000 + n;
        format!(
            "{{\"t\":\"{t}\",\"user\":\"{user}\",\"place\":\"p{}/{place}\"}}\n",
            n % 2
        )
    };
    let events: String = (0..EVENTS).map(event).collect();
    let (status, told) = shop.send("POST", "", &events).expect("an answer");
    assert_eq!(status, 202, "{told}");
    let broken = events.replacen("{\"t\":\"17", "{\"t\":\"x17", 1);
    let (status, told) = shop.send("POST", "", &broken).expect("an answer");
    assert_eq!(status, 422);
    assert_eq!(canaries.count_in(told.to_string().as_bytes()), 0);
    until("events are taken", || {
        let found = team.see("pat", &path).expect(200);
        assert_ne!(found["state"], "failed", "{found}");
        (found["taken"] == EVENTS).then_some(())
    });
    until("rows are released", || {
        let rows = team
            .see("nia", &format!("{path}/rows?limit=500"))
            .expect(200);
        (rows["rows"].as_array()?.len() > 100).then_some(())
    });
    for (name, _) in team.people() {
        for rest in ["", "/figures", "/rows?limit=500"] {
            team.see(name, &format!("{path}{rest}"));
        }
        team.see(name, "/streams");
        team.see(name, "/released-streams");
    }
}

#[test]
fn a_team_goes_from_a_raw_table_to_a_checked_release() {
    let mut team = Team::new(&[
        ("sam", "steward", None),
        ("olga", "officer", None),
        ("nia", "analyst", Some(2)),
        ("fae", "analyst", Some(3)),
        ("pat", "operator", None),
        ("uma", "auditor", None),
    ]);
    let folder = team.folder.path().to_owned();
    let table = folder.join("generated.csv");
    let place = table.to_str().expect("a text");
    run(
        &folder,
        &[
            "generate", "hospital", "--rows", "5000", "--seed", "7", "--output", place,
        ],
    );
    let generated = fs::read_to_string(&table).expect("a table");
    fs::remove_file(&table).expect("removed");
    let (table, mut canaries) = Canaries::in_table(&generated);
    assert_eq!(canaries.len(), 10_000);

    let version = upload(&team, &table);
    let found = profile(&team, &version);
    assert_eq!(found["found"]["columns"].as_array().map(Vec::len), Some(10));
    let policy = policy();
    let (name, content) = ("education.csv", example("education.csv"));
    let body = json!({ "name": name, "content": content });
    team.post("sam", "/hierarchies", &body).expect(201);
    let body = json!({ "name": "admissions", "content": policy });
    let saved = team.post("sam", "/policies", &body).expect(201);

    let about = json!({ "data": version["id"], "policy": saved["id"] });
    asks_for_jobs(&team, &["preview", "plan"], &about);
    // Searches and attacks are about one level at a time.
    let one = policy.strip_suffix(LEVELS).expect("levels");
    let about = json!({ "data": version["id"], "text": one });
    asks_for_jobs(&team, &["explore", "tune", "learn", "attack"], &about);

    let request = json!({
        "name": "March", "purpose": "study 12", "policy": saved["id"], "data": version["id"],
        "levels": [2, 3], "ends_at": null,
    });
    let asked = team.post("sam", "/requests", &request).expect(202);
    let path = format!("/requests/{}", text(&asked["id"]));
    let job_path = format!("/jobs/{}", text(&asked["job"]));
    until("the job of the release runs", || {
        let job = team.see("sam", &job_path).expect(200);
        assert_ne!(job["state"], "done", "it ends before the server is killed");
        (job["state"] == "running").then_some(())
    });
    team.kill_server();
    let job = team.done("sam", &asked["job"]);
    assert_eq!(job["attempts"], 2);

    let review = team.see("olga", &path).expect(200);
    assert_eq!(review["state"], "ready");
    assert_eq!(review["run"]["verified"]["passed"], true, "{review}");
    for level in [2, 3] {
        let rows = format!("{path}/levels/{level}/rows");
        assert_eq!(team.see("olga", &rows).status, 200);
        assert_eq!(team.see("nia", &rows).status, 403);
    }
    let approval = format!("{path}/approval");
    let manifest = json!({ "manifest": review["manifest"] });
    team.post("sam", &approval, &manifest)
        .refused(403, "forbidden");
    let other = json!({ "manifest": "00".repeat(32) });
    assert_eq!(team.post("olga", &approval, &other).status, 409);
    team.post("olga", &approval, &manifest).expect(200);
    assert_eq!(team.post("olga", &approval, &manifest).status, 409);

    let listed = team.see("nia", "/releases").expect(200);
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(1), "once");
    let release = format!("/releases/{}", text(&asked["id"]));
    let expected = on_the_command_line(&folder, &table, &policy);
    fs::remove_dir_all(folder.join("command")).expect("removed");
    for ((_, level), expected) in NAMES.into_iter().zip(&expected) {
        let path = |what: &str| format!("{release}/levels/{level}/{what}");
        let file = team.see("nia", &path("file"));
        assert_eq!(file.status, 200);
        assert!(
            file.body == expected.as_bytes(),
            "level {level} has the bytes of the command"
        );
        let rows = team.see("nia", &path("rows?limit=500")).expect(200);
        let lines = expected.lines().count() as u64 - 1;
        assert_eq!(rows["total"], lines);
        assert_eq!(rows["items"].as_array().map(Vec::len), Some(500));
        let next = rows["next"].as_u64().expect("another page");
        let rows = team
            .see("nia", &path(&format!("rows?after={next}")))
            .expect(200);
        assert_eq!(rows["items"].as_array().map(Vec::len), Some(100));
        let counted = path("counts?by=%5B%22sex%22%5D");
        assert_eq!(team.see("nia", &counted).expect(200)["total"], lines);
        for what in ["dictionary", "report"] {
            assert_eq!(team.see("nia", &path(what)).status, 200, "{what}");
        }
        let status = if level == 2 { 404 } else { 200 };
        assert_eq!(team.see("fae", &path("file")).status, status);
    }
    assert_eq!(team.person("uma").see("/inbox").status, 200);

    let wanted = json!({ "release": asked["id"] });
    let verify = team.post("olga", "/jobs/verify", &wanted).expect(202);
    let verified = team.done("olga", &verify["id"]);
    assert_eq!(verified["result"]["passed"], true, "{verified}");
    assert_eq!(verified["result"]["same_bytes"], true);
    assert_eq!(
        verified["result"]["levels"].as_array().map(Vec::len),
        Some(2)
    );

    // A second version of the same data set is looked at too, and again when somebody asks.
    let again = json!({ "data": version["id"] });
    let job = team.post("sam", "/jobs/profile", &again).expect(202);
    team.done("sam", &job["id"]);
    assert_eq!(profile(&team, &version)["job"], job["id"]);

    let reason = json!({ "reason": "the wrong ward" });
    team.post("olga", &format!("{release}/revocation"), &reason)
        .expect(200);
    team.see("nia", &format!("{release}/levels/2/file"))
        .refused(410, "revoked");
    team.post("olga", "/jobs/verify", &wanted)
        .refused(409, "state");

    streams_events(&team, &mut canaries);
    let heard = team.people().map(|(_, person)| person.listen());
    let heard: Vec<Vec<u8>> = heard.collect();
    let heard = String::from_utf8_lossy(&heard.concat()).into_owned();
    for kind in ["event: job", "event: release", "event: stream"] {
        assert!(heard.contains(kind), "{kind} is told live");
    }

    let uma = team.person("uma");
    let told = uma.see("/audit/verification").expect(200);
    let export = uma.see("/audit/export");
    assert_eq!(export.status, 200, "{told}");
    fs::write(folder.join("log.txt"), &export.body).expect("written");
    run(&folder, &["audit", "log.txt"]);
    let log = String::from_utf8(export.body).expect("a text");
    for (act, times) in [("release.publish", 1), ("release.revoke", 1)] {
        assert_eq!(log.matches(act).count(), times, "{act}");
    }
    let cut = log.replacen("release.revoke", "release.refuse", 1);
    fs::write(folder.join("log.txt"), cut).expect("written");
    assert_eq!(code(&folder, &["audit", "log.txt"]), Some(1));
    // Also while the server is there, with what it has open.
    canaries.are_not_below(&folder);

    team.end_server();
    assert_eq!(
        canaries.count_in(&team.printed),
        0,
        "what the server prints"
    );
    for (name, person) in team.people() {
        assert_eq!(
            canaries.count_in(&person.heard()),
            0,
            "what {name} is answered"
        );
    }
    assert!(
        canaries.count_in(table.as_bytes()) >= 10_000,
        "canaries can be found"
    );
    let looked = canaries.are_not_below(&folder);
    assert!(looked > table.len(), "{looked} bytes were looked through");
}
