//! Signed manifests: made beside a release, and checked without its policy and its source.

mod support;

use serde_json::Value;
use support::{Folder, POLICY, Ran, Table};

const MANIFEST: &str =
    "seed = 20260301\n[manifest]\npath = \"out/manifest.json\"\nkey = \"file:steward.key\"\n";

fn signing() -> Folder {
    let (seed, section) = MANIFEST.split_once('\n').expect("two parts");
    let policy = POLICY.replacen("version = 1\n", &format!("version = 1\n{seed}\n"), 1) + section;
    let folder = Folder::with_table(&Table::of(60)).policy(&policy);
    well(&folder.moretta(&["key", "new", "steward.key"]));
    folder
}

fn well(ran: &Ran<'_>) {
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

fn verified(folder: &Folder, more: &[&str]) -> (bool, Value) {
    let mut arguments = vec![
        "verify",
        "out/release.csv",
        "--manifest",
        "out/manifest.json",
    ];
    arguments.extend(more);
    arguments.push("--json");
    let output = folder.command(support::PROGRAM).args(arguments).output();
    let output = output.expect("the program starts");
    let json = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.success(), json)
}

#[test]
fn a_signed_release_is_checked_without_its_policy_and_its_source() {
    let folder = signing();
    well(&folder.run());
    for gone in ["policy.toml", "admissions.csv"] {
        std::fs::remove_file(folder.path(gone)).expect("removed");
    }
    let public = folder.command(support::PROGRAM);
    let public = { public }.args(["key", "public", "steward.key"]).output();
    let public = String::from_utf8(public.expect("it starts").stdout).expect("text");
    std::fs::write(folder.path("steward.pub"), &public).expect("written");
    for key in [public.trim(), "steward.pub"] {
        let (passed, found) = verified(&folder, &["--public-key", key]);
        assert!(passed, "{found}");
        assert_eq!(found["expected_key"], true);
        assert_eq!(found["files"].as_array().expect("files").len(), 3);
    }
    let (passed, found) = verified(&folder, &[]);
    assert!(passed && found["expected_key"].is_null(), "{found}");
}

#[test]
fn a_manifest_holds_no_seed_no_key_no_place_and_no_finer_figure() {
    let folder = signing();
    well(&folder.run());
    let manifest = folder.text("out/manifest.json");
    let key = folder.text("steward.key");
    for secret in ["20260301", key.trim(), "admissions.csv", "out/", "canary"] {
        assert!(!manifest.contains(secret), "{secret} in {manifest}");
    }
    let whole: Value = serde_json::from_str(&manifest).expect("JSON");
    let content = &whole["manifest"];
    assert_eq!(content["promises"][0]["promised"], "at least 5");
    assert!(content["promises"][0].get("found").is_none());
    assert!(content["seed_commitment"].is_string());
    assert_eq!(content["date"], "2024-03-01");
    let report = folder.report();
    assert_eq!(content["policy_sha256"], report["policy_sha256"]);
    assert_eq!(content["files"][0]["sha256"], report["sink"]["sha256"]);
}

#[test]
fn another_release_another_report_and_another_key_are_found() {
    let folder = signing();
    well(&folder.run());
    well(&folder.moretta(&["key", "new", "other.key"]));
    let other = { folder.command(support::PROGRAM) }
        .args(["key", "public", "other.key"])
        .output();
    let other = String::from_utf8(other.expect("it starts").stdout).expect("text");
    let (passed, found) = verified(&folder, &["--public-key", other.trim()]);
    assert!(!passed && found["signature"] == true, "{found}");
    let manifest = [
        "--manifest",
        "out/manifest.json",
        "--public-key",
        other.trim(),
    ];
    let told = folder.moretta(&[&["verify", "out/release.csv"][..], &manifest].concat());
    assert_eq!(told.code, Some(1));
    let told = &told.stdout;
    assert!(
        told.contains("NOT signed by the key that you gave"),
        "{told}"
    );
    assert!(!told.contains("NOT what was signed"), "{told}");
    for name in ["out/release.csv", "out/report.html"] {
        let whole = std::fs::read(folder.path(name)).expect("read");
        let mut changed = whole.clone();
        changed.push(b'\n');
        std::fs::write(folder.path(name), changed).expect("written");
        assert!(!verified(&folder, &[]).0, "{name} was changed");
        std::fs::write(folder.path(name), whole).expect("written");
        assert!(verified(&folder, &[]).0);
    }
}

#[test]
fn a_stream_is_signed_when_it_ends() {
    let policy = "version = 1\n[source]\npath = \"admissions.csv\"\n[columns]\n\
        user = { role = \"subject\", action = \"keep\" }\ntime = { role = \"time\" }\n\
        page = { role = \"quasi\" }\n\
        [[protect]]\nmethod = \"z-anonymity\"\nz = 2\nwindow = \"1h\"\n\
        [sink]\npath = \"out/release.csv\"\n\
        [manifest]\npath = \"out/manifest.json\"\nkey = \"file:steward.key\"\n";
    let rows: String = (0..40)
        .map(|i| format!("u{},{},p{}\n", i % 7, i * 1000, i % 3))
        .collect();
    let folder = Folder::new()
        .policy(policy)
        .data(format!("user,time,page\n{rows}"));
    well(&folder.moretta(&["key", "new", "steward.key"]));
    well(&folder.run());
    let (passed, found) = verified(&folder, &[]);
    assert!(passed, "{found}");
}

#[test]
fn without_a_key_nothing_is_released() {
    let folder = signing();
    std::fs::remove_file(folder.path("steward.key")).expect("removed");
    folder.run().fails(5, "steward.key");
    std::fs::write(folder.path("steward.key"), "too short").expect("written");
    folder
        .run()
        .fails(3, "a signing key is 64 hexadecimal digits");
    assert!(!folder.path("out/release.csv").exists());
    let again = folder.moretta(&["key", "new", "steward.key"]);
    // What is there may be somebody's only key.
    again.fails(2, "is there already");
}
