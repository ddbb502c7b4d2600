//! Node tables and edge lists of what persons write: `moretta graph extract`.

mod support;

use std::collections::BTreeMap;
use support::{CANARY, Folder, Ran};

const LOCATIONS: &str = "Barcelona;Spain;Europe;World\nMadrid;Spain;Europe;World\n\
                         London;UK;Europe;World\nNew York;USA;America;World\n";
const TOPICS: &str = "football;sport;any\ntennis;sport;any\nmusic;arts;any\n";
const ALIASES: &str = "NYC,New York\n\"Ciudad Condal\",Barcelona\n";
const LEXICON: &str =
    "football;football\ngoal;football\n#wimbledon;tennis\nguitar solo;music\nsport;sport\n";

const PROFILES: &str = r#"{"id":"ada","location":"ciudad condal!","name":"Ada","followers":3}
{"id":7,"location":"N.Y.C.","extra":{"deep":[1,2]}}

{"location":"Madríd, SPAIN","id":"cleo"}
{"id":"dora","location":"spain"}
{"id":"eve","location":"Atlantis","name":null}
{"id":"fay","location":"London or Madrid"}
{"id":"gus","name":"=Gus, \"G\""}
"#;
const POSTS: &str = r#"{"author":"ada","text":"GOAL! Goal goal"}
{"author":"ada","text":"a guitar-solo at #Wimbledon"}
{"author":"ada","hashtags":["Wimbledon"]}
{"author":"7","text":"sport & football","hashtags":null}
{"author":"nobody","text":"football"}
{"author":"cleo","text":"wimbledon"}
"#;
const CONNECTIONS: &str = r#"{"from":"ada","to":7}
{"from":"cleo","to":"nobody"}
{"to":"gus","from":"eve","since":2020}
"#;

const EXTRACT: [&str; 20] = [
    "graph",
    "extract",
    "--profiles",
    "profiles.jsonl",
    "--connections",
    "connections.jsonl",
    "--location-taxonomy",
    "places.csv",
    "--location-aliases",
    "aliases.csv",
    "--posts",
    "posts.jsonl",
    "--topic-taxonomy",
    "interests.csv",
    "--topic-lexicon",
    "lexicon.csv",
    "--output",
    "graph",
    "--keep",
    "name",
];

fn folder() -> Folder {
    Folder::new()
        .file("profiles.jsonl", PROFILES)
        .file("posts.jsonl", POSTS)
        .file("connections.jsonl", CONNECTIONS)
        .file("places.csv", LOCATIONS)
        .file("interests.csv", TOPICS)
        .file("aliases.csv", ALIASES)
        .file("lexicon.csv", LEXICON)
}

fn passes(ran: &Ran<'_>) {
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn implicit_information_becomes_columns() {
    let folder = folder();
    let ran = folder.moretta(&EXTRACT);
    passes(&ran);
    let expected = "user,location,name,topic1,topic2\n\
                    ada,Barcelona,Ada,tennis,football\n\
                    7,New York,,sport,football\n\
                    cleo,Madrid,,,\n\
                    dora,Spain,,,\n\
                    eve,,,,\n\
                    fay,,,,\n\
                    gus,,\"=Gus, \"\"G\"\"\",,\n";
    assert_eq!(folder.text("graph/nodes.csv"), expected);
    assert_eq!(folder.text("graph/edges.csv"), "from,to\nada,7\neve,gus\n");
    let locations = folder.text("graph/locations.csv");
    assert!(
        locations.contains("Spain;Spain;Europe;World"),
        "{locations}"
    );
    assert!(
        locations.contains("Europe;Europe;Europe;World"),
        "{locations}"
    );
    for told in [
        "7 nodes, 2 edges",
        "4 locations found",
        "1 locations unknown",
        "1 locations that name several",
        "1 persons without a location",
        "1 connections of somebody without a profile",
        "6 posts read",
        "1 posts of somebody without a profile",
        "5 persons without a topic",
    ] {
        assert!(ran.stdout.contains(told), "{told}: {}", ran.stdout);
    }
    assert!(
        ran.stderr.contains("raw data, not a release"),
        "{}",
        ran.stderr
    );
    let again = folder.moretta(&EXTRACT);
    again.fails(2, "exists already");
    passes(&folder.moretta(&[&EXTRACT[..], &["--force"]].concat()));
}

#[test]
fn persons_alone_need_no_posts() {
    let folder = folder();
    passes(&folder.moretta(&[&EXTRACT[..8], &["--output", "graph"]].concat()));
    let nodes = folder.text("graph/nodes.csv");
    assert!(nodes.starts_with("user,location\nada,\n"), "{nodes}");
    assert!(!folder.path("graph/topics.csv").exists());
}

#[test]
fn faults_are_told_by_file_and_line_and_without_a_cell() {
    let canary = format!("{{\"id\":\"{CANARY}\",\"location\":\"{CANARY}\"}}\n");
    let post = |line: &str| format!("{POSTS}{line}\n");
    for (file, text, told) in [
        (
            "profiles.jsonl",
            format!("{PROFILES}{canary}{canary}"),
            "line 10: an id that an earlier",
        ),
        (
            "profiles.jsonl",
            format!("{PROFILES}{{\"location\":\"{CANARY}\"}}"),
            "line 9: an id is missing",
        ),
        (
            "profiles.jsonl",
            format!("{PROFILES}{{\"id\":\"{CANARY}"),
            "line 9: not a JSON object",
        ),
        (
            "profiles.jsonl",
            format!("{{\"id\":{{\"{CANARY}\":1}}}}"),
            "line 1: not an object with fields",
        ),
        ("profiles.jsonl", String::new(), "there is no profile"),
        (
            "posts.jsonl",
            post(&format!("{{\"author\":\"ada\",\"hashtags\":\"{CANARY}\"}}")),
            "line 7: hashtags that are no list",
        ),
        (
            "posts.jsonl",
            post(&format!("{{\"text\":\"{CANARY}\"}}")),
            "line 7: an id is missing",
        ),
        (
            "connections.jsonl",
            format!("{CONNECTIONS}{{\"from\":\"{CANARY}\"}}"),
            "line 4: an id is missing",
        ),
        (
            "aliases.csv",
            format!("{ALIASES}{CANARY},Paris\n"),
            "line 3: the last cell is no label",
        ),
        (
            "lexicon.csv",
            format!("{LEXICON}{CANARY};chess\n"),
            "line 6: the last cell is no label",
        ),
    ] {
        let folder = folder().file(file, text);
        let ran = folder.moretta(&EXTRACT);
        ran.fails(4, told).hides(CANARY);
        assert!(ran.stderr.contains(file), "{told}: {}", ran.stderr);
        assert!(!folder.path("graph").exists(), "{told}");
    }
    let twice = [&EXTRACT[..], &["--keep", "location"]].concat();
    folder()
        .moretta(&twice)
        .fails(2, "two columns would be called `location`");
}

/// What made-up users write gives back the users.
#[test]
fn made_up_users_come_back_from_what_they_write() {
    let folder = Folder::new();
    let generate = [
        "generate",
        "social",
        "--rows",
        "400",
        "--links",
        "1500",
        "--seed",
        "9",
        "--output",
        "users.csv",
        "--edges",
        "follows.csv",
        "--locations",
        "places.csv",
        "--topics",
        "interests.csv",
        "--raw",
        "raw",
    ];
    passes(&folder.moretta(&generate));
    let extract = [
        "graph",
        "extract",
        "--profiles",
        "raw/profiles.jsonl",
        "--connections",
        "raw/connections.jsonl",
        "--location-taxonomy",
        "places.csv",
        "--location-aliases",
        "raw/aliases.csv",
        "--posts",
        "raw/posts.jsonl",
        "--topic-taxonomy",
        "interests.csv",
        "--topic-lexicon",
        "raw/lexicon.csv",
        "--topics",
        "3",
        "--output",
        "graph",
        "--policy",
    ];
    passes(&folder.moretta(&extract));
    assert_eq!(folder.text("graph/nodes.csv"), folder.text("users.csv"));
    assert_eq!(folder.text("graph/edges.csv"), folder.text("follows.csv"));
    let profiles = folder.text("raw/profiles.jsonl");
    let spellings: BTreeMap<&str, u32> = profiles.lines().fold(BTreeMap::new(), |mut all, line| {
        let location = line.split("\"location\":").nth(1).unwrap_or_default();
        *all.entry(location.split("\",").next().unwrap_or_default())
            .or_default() += 1;
        all
    });
    assert!(spellings.len() > 100, "{} spellings", spellings.len());
    // The first policy runs, and what it releases names nobody.
    passes(&folder.moretta(&["run", "graph/policy.toml"]));
    let verify = [
        "verify",
        "graph/out/nodes.csv",
        "--policy",
        "graph/policy.toml",
    ];
    passes(&folder.moretta(&verify));
    let users = folder.text("users.csv");
    let names: Vec<&str> = users
        .lines()
        .skip(1)
        .filter_map(|row| row.split(',').next())
        .collect();
    assert_eq!(names.len(), 400);
    for file in ["nodes.csv", "edges.csv", "report.html", "report.json"] {
        let text = folder.text(&format!("graph/out/{file}"));
        assert!(names.iter().all(|name| !text.contains(name)), "{file}");
    }
}

#[cfg(unix)]
#[test]
fn raw_data_stays_its_owners() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    passes(&folder.moretta(&EXTRACT));
    for file in ["nodes.csv", "edges.csv"] {
        let metadata = folder
            .path(&format!("graph/{file}"))
            .metadata()
            .expect("there");
        assert_eq!(metadata.permissions().mode() & 0o077, 0, "{file}");
    }
}
