//! `moretta evolve` from the command line: what it prints, and that a search that is killed goes on.

mod support;

use std::process::Stdio;
use std::time::Duration;
use support::{Folder, PROGRAM};

const POLICY: &str = r#"version = 1
name = "survey"
seed = 5

[source]
path = "survey.csv"

[columns]
person  = { role = "identifier" }
savings = { role = "quasi", order = ["low", "mid", "high", "top"] }
job     = { role = "quasi" }

[evolve]
steps = 400
crossover_rate = 0.05
save_every = "1ms"

[sink]
path = "out/release.csv"

[report]
path = "out/report.html"
"#;

fn folder() -> Folder {
    let mut csv = String::from("person,savings,job\n");
    for i in 0..120 {
        let savings = ["low", "mid", "high", "top"][i * i / 5 % 4];
        let job = ["clerk", "cook", "nurse", "smith"][i * 11 / 3 % 4];
        csv.push_str(&format!("canary-7f3a-{i},{savings},{job}\n"));
    }
    Folder::new().file("survey.csv", csv).policy(POLICY)
}

#[test]
fn a_search_releases_lists_and_picks() {
    let folder = folder();
    let run = folder.moretta(&["evolve", "policy.toml"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stdout.contains("released 120 of 120 rows"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("The best score went from"),
        "{}",
        run.stdout
    );
    let page = folder.text("out/report.html");
    assert!(page.contains("<section id=\"evolution\">"));
    assert!(!page.contains("canary"));
    let again = folder.moretta(&["evolve", "policy.toml"]);
    assert_eq!(again.code, Some(2), "what is there is not replaced");
    let listed = folder.moretta(&["evolve", "policy.toml", "--list", "--json"]);
    assert_eq!(listed.code, Some(0), "{}", listed.stderr);
    let facts: serde_json::Value = serde_json::from_str(&listed.stdout).expect("JSON");
    let front = facts["front"].as_array().expect("a front").len();
    assert!(front > 0);
    let shown = folder.moretta(&["evolve", "policy.toml", "--list"]).stdout;
    assert_eq!(
        shown.matches("released without --pick").count(),
        1,
        "{shown}"
    );
    let picked = folder.moretta(&["evolve", "policy.toml", "--pick", "1", "--force"]);
    assert_eq!(picked.code, Some(0), "{}", picked.stderr);
    assert!(picked.stderr.contains(".evolve"), "{}", picked.stderr);
    assert!(folder.path("out/release.csv.evolve").exists());
    let report: serde_json::Value =
        serde_json::from_str(&folder.text("out/report.json")).expect("JSON");
    assert_eq!(report["evolution"]["picked"], 1);
    assert_eq!(report["evolution"]["released"], facts["front"][0]);
    assert!(
        report["command"]
            .as_str()
            .is_some_and(|c| c.contains("--pick 1"))
    );
}

#[test]
fn a_search_that_is_killed_again_and_again_releases_the_same_bytes() {
    let longer = POLICY.replace("steps = 400", "steps = 60000");
    let whole = folder().policy(&longer);
    let run = whole.moretta(&["evolve", "policy.toml"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let folder = folder().policy(&longer);
    let mut kills = 0;
    for milliseconds in [30, 120, 250, 400, 700, 1100] {
        let child = folder
            .command(PROGRAM)
            .args(["evolve", "policy.toml"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let mut child = child.expect("the program starts");
        std::thread::sleep(Duration::from_millis(milliseconds));
        if child.try_wait().expect("a child of ours").is_some() {
            break;
        }
        child.kill().expect("killed");
        child.wait().expect("ended");
        kills += 1;
        assert!(!folder.path("out/release.csv").exists());
    }
    assert!(kills > 0);
    let last = folder.moretta(&["evolve", "policy.toml", "--force"]);
    assert_eq!(last.code, Some(0), "{}", last.stderr);
    assert_eq!(
        folder.text("out/release.csv"),
        whole.text("out/release.csv")
    );
    assert!(!folder.path("out/release.csv.evolve").exists());
}

#[test]
fn an_equation_that_was_found_is_shown_and_makes_a_policy_of_pram() {
    let searched = POLICY.replace("steps = 400", "search = \"equations\"\nsteps = 100");
    let folder = folder().policy(&searched);
    let run = folder.moretta(&["evolve", "policy.toml", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let evolution = &report["evolution"];
    assert_eq!(evolution["designs"].as_array().map(Vec::len), Some(18));
    let equation = &evolution["equation"];
    let [weights, diagonal] = ["weights", "diagonal"].map(|of| equation[of].as_str().expect(of));
    let page = folder.text("out/report.html");
    assert!(page.contains("stays with probability"), "{page}");
    let again = folder.moretta(&["evolve", "policy.toml", "--force"]);
    let told = format!("Found: weight {weights}, stays {diagonal}.");
    assert!(again.stdout.contains(&told), "{told}: {}", again.stdout);
    let section = searched.find("[evolve]").expect("there");
    let end = searched.find("[sink]").expect("there");
    let named = format!(
        "[[protect]]\nmethod = \"pram\"\ndesign = \"equation\"\nequation = \"{weights}\"\np = {diagonal}\n"
    );
    let named = searched[..section].to_owned() + &named + &searched[end..];
    let released = folder.text("out/release.csv");
    let folder = folder.policy(&named);
    let run = folder.moretta(&["run", "policy.toml", "--force"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(
        folder.text("out/release.csv"),
        released,
        "an ordinary run of pram"
    );
    let folder = folder.policy(&searched);
    let attack = folder.moretta(&["attack", "policy.toml"]);
    assert_eq!(attack.code, Some(3), "{}", attack.stderr);
    assert!(
        attack.stderr.contains("under [[protect]] of a copy"),
        "{}",
        attack.stderr
    );
}
