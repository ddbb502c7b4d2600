//! Social graphs from the command line: nodes, edges and report appear together, keep what is
//! promised, and tell neither a name nor the order of the input.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use support::{CANARY, Folder, Ran, replaced};

const POLICY: &str = r#"version = 1
seed = 7

[source]
path = "users.csv"

[graph]
edges = "follows.csv"
node = "user"
degree_k = 4

[columns]
user     = { role = "identifier" }
location = { role = "quasi", hierarchy = { file = "locations.csv" } }
topic    = { role = "quasi", hierarchy = { file = "topics.csv" } }

[guarantee]
k = 5

[[protect]]
method = "semantic-grouping"

[sink]
path = "out/users.csv"
edges = "out/follows.csv"

[report]
path = "out/report.html"
"#;

const LOCATIONS: &str = "Barcelona;Spain;Europe;World\nMadrid;Spain;Europe;World\n\
                         London;UK;Europe;World\nBoston;USA;America;World\nNYC;USA;America;World\n";
const TOPICS: &str =
    "football;sport;thing\ntennis;sport;thing\nmusic;arts;thing\ncinema;arts;thing\n";

const USERS: usize = 60;

fn passes(ran: &Ran<'_>) {
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
}

fn name(user: usize) -> String {
    format!("{CANARY}-{user}")
}

/// One line a user, in this order.
fn users(order: impl Iterator<Item = usize>) -> String {
    let mut text = "user,location,topic\n".to_owned();
    for user in order {
        let location = ["Barcelona", "Madrid", "London", "Boston", "NYC"][user * 7 % 5];
        let topic = ["football", "tennis", "music", "cinema"][user / 3 % 4];
        writeln!(text, "{},{location},{topic}", name(user)).expect("text");
    }
    text
}

/// A hub, and others with a few neighbours each.
fn pairs() -> Vec<(usize, usize)> {
    let hub = (1..30).map(|user| (0, user));
    let ring = (1..USERS).map(|user| (user, user % (USERS - 1) + 1));
    let more = (0..40).map(|i| (i * 13 % USERS, i * 29 % USERS));
    hub.chain(ring)
        .chain(more)
        .filter(|(a, b)| a != b)
        .collect()
}

fn follows(pairs: &[(usize, usize)]) -> String {
    let mut text = "from,to,since\n".to_owned();
    for &(a, b) in pairs {
        writeln!(text, "{},{},2020", name(a), name(b)).expect("text");
    }
    text
}

fn folder() -> Folder {
    Folder::new()
        .policy(POLICY)
        .file("users.csv", users(0..USERS))
        .file("follows.csv", follows(&pairs()))
        .file("locations.csv", LOCATIONS)
        .file("topics.csv", TOPICS)
}

/// The cells of a file without its header.
fn rows(text: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| line.split(',').map(str::to_owned).collect();
    text.lines().skip(1).map(cells).collect()
}

/// How many nodes have each degree, counted from the files.
fn degrees(nodes: usize, edges: &[Vec<String>]) -> BTreeMap<usize, usize> {
    let mut counts = BTreeMap::new();
    for node in 1..=nodes {
        let node = node.to_string();
        let degree = edges.iter().flatten().filter(|end| **end == node).count();
        *counts.entry(degree).or_insert(0) += 1;
    }
    counts
}

#[test]
fn nodes_and_edges_keep_what_is_promised_and_name_nobody() {
    let folder = folder();
    let ran = folder.run();
    passes(&ran);
    let told = "k-degree anonymity: promised at least 4";
    assert!(ran.stdout.contains(told), "{}", ran.stdout);
    let nodes = rows(&folder.text("out/users.csv"));
    let edges = folder.text("out/follows.csv");
    assert!(edges.starts_with("from,to\n"), "{edges}");
    let edges = rows(&edges);
    let numbers: Vec<String> = (1..=USERS).map(|number| number.to_string()).collect();
    let given: Vec<String> = nodes.iter().map(|row| row[0].clone()).collect();
    assert_eq!(given, numbers);
    let mut classes: BTreeMap<&[String], usize> = BTreeMap::new();
    nodes
        .iter()
        .for_each(|row| *classes.entry(&row[1..]).or_default() += 1);
    assert!(classes.values().all(|&size| size >= 5), "{classes:?}");
    let degrees = degrees(USERS, &edges);
    assert!(degrees.values().all(|&count| count >= 4), "{degrees:?}");
    let ends = edges.iter().map(|edge| {
        let end = |end: &String| end.parse::<usize>().expect("a number");
        (end(&edge[0]), end(&edge[1]))
    });
    let ends: Vec<(usize, usize)> = ends.collect();
    assert!(ends.is_sorted() && ends.iter().all(|(a, b)| a < b));
    for file in [
        "out/users.csv",
        "out/follows.csv",
        "out/report.json",
        "out/report.html",
    ] {
        assert!(!folder.text(file).contains(CANARY), "{file}");
    }
    let graph = &folder.report()["graph"];
    assert_eq!(graph["nodes"], USERS);
    assert!(graph["semantic"]["risk"].as_f64().expect("a risk") <= 20.0 + 1e-9);
    let verify = ["verify", "out/users.csv", "--policy", "policy.toml"];
    passes(&folder.moretta(&verify));
    passes(&folder.moretta(&["check", "policy.toml"]));
    passes(&folder.moretta(&["plan", "policy.toml"]));
}

/// Without changed edges the release is the original graph under other names.
#[test]
fn edges_follow_their_nodes() {
    let folder = folder().policy(&replaced(POLICY, "degree_k = 4\n", ""));
    passes(&folder.run());
    let edges = rows(&folder.text("out/follows.csv"));
    let distinct: BTreeSet<(usize, usize)> =
        pairs().iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
    assert_eq!(edges.len(), distinct.len());
    let original: Vec<Vec<String>> = distinct
        .iter()
        .map(|&(a, b)| vec![(a + 1).to_string(), (b + 1).to_string()])
        .collect();
    assert_eq!(degrees(USERS, &edges), degrees(USERS, &original));
    // Of each released location, how many edges lie between nodes that show it.
    let nodes = rows(&folder.text("out/users.csv"));
    let shown = |end: &String| nodes[end.parse::<usize>().expect("a number") - 1][1..].to_vec();
    let inside = edges
        .iter()
        .filter(|edge| shown(&edge[0]) == shown(&edge[1]));
    assert!(inside.count() < edges.len());
}

#[test]
fn the_order_of_the_input_leaves_no_trace() {
    let turned = folder().file("users.csv", users((0..USERS).rev())).file(
        "follows.csv",
        follows(&pairs().into_iter().rev().collect::<Vec<_>>()),
    );
    let straight = folder();
    for folder in [&straight, &turned] {
        passes(&folder.run());
    }
    for file in ["out/users.csv", "out/follows.csv"] {
        assert_eq!(straight.text(file), turned.text(file), "{file}");
    }
}

#[test]
fn nodes_that_look_alike_are_numbered_by_chance() {
    let unseeded = replaced(POLICY, "seed = 7\n", "");
    let made = || {
        let folder = folder().policy(&unseeded);
        passes(&folder.run());
        (folder.text("out/users.csv"), folder.text("out/follows.csv"))
    };
    let (one, other) = (made(), made());
    assert_eq!(
        one.0, other.0,
        "the node table is a function of what it shows"
    );
    assert_ne!(one.1, other.1);
}

#[test]
fn edges_of_suppressed_nodes_go_with_them() {
    let policy = replaced(
        &replaced(POLICY, "degree_k = 4\n", ""),
        "method = \"semantic-grouping\"",
        "method = \"generalization\"\nlevels = { location = 1 }\nsuppress = 0.5",
    );
    let folder = folder().policy(&policy);
    passes(&folder.run());
    let nodes = rows(&folder.text("out/users.csv"));
    let edges = rows(&folder.text("out/follows.csv"));
    assert!(nodes.len() < USERS && !nodes.is_empty(), "{}", nodes.len());
    let most = nodes.len();
    let known = |end: &String| (1..=most).contains(&end.parse::<usize>().expect("a number"));
    assert!(edges.iter().flatten().all(known));
}

#[test]
fn bad_graphs_are_refused_without_a_name_and_write_nothing() {
    let stranger = format!("{}{CANARY}-nobody,{},2020\n", follows(&pairs()), name(1));
    let twice = format!("{}{},Madrid,music\n", users(0..USERS), name(3));
    let nameless = format!("{},Madrid,music\n", users(0..USERS));
    let endless = format!("{},{},2020\n", follows(&pairs()), name(1));
    for (file, text, code, told) in [
        (
            "follows.csv",
            stranger,
            4,
            "1 edges have an end that is not in the node table",
        ),
        (
            "follows.csv",
            endless,
            4,
            "1 edges have an end that is not in the node table",
        ),
        (
            "follows.csv",
            follows(&[]).replace("to", "target"),
            4,
            "no column `to`",
        ),
        ("users.csv", twice, 4, "1 nodes whose name another one has"),
        ("users.csv", nameless, 4, "1 nodes without a name"),
    ] {
        let folder = folder().file(file, text);
        folder.run().fails(code, told).hides(CANARY);
        assert!(!folder.path("out").exists(), "{told}");
    }
    let few = replaced(POLICY, "degree_k = 4", "degree_k = 61");
    folder()
        .policy(&few)
        .run()
        .fails(1, "60 nodes; degree_k=61");
    let over = folder().policy(&replaced(POLICY, "out/follows.csv", "follows.csv"));
    over.run().fails(2, "is an input");
}

#[test]
fn strangers_loops_and_repetitions_are_told_and_left_out() {
    let text = format!(
        "{0}{CANARY}-nobody,{1},2020\n{1},{1},2020\n{1},{2},2020\n{2},{1},2020\n",
        follows(&pairs()),
        name(1),
        name(2)
    );
    let policy = replaced(POLICY, "degree_k = 4\n", "unknown = \"drop\"\n");
    let folder = folder().file("follows.csv", text).policy(&policy);
    passes(&folder.run());
    let warnings = folder.report()["warnings"].to_string();
    for told in [
        "link a node to itself",
        "more than once",
        "not in the node table",
        "degree_k",
    ] {
        assert!(warnings.contains(told), "{told}: {warnings}");
    }
    let edges = rows(&folder.text("out/follows.csv"));
    assert!(edges.iter().all(|edge| edge[0] != edge[1]));
    assert_eq!(edges.iter().collect::<BTreeSet<_>>().len(), edges.len());
}

#[test]
fn directions_and_other_formats_are_kept() {
    let policy = replaced(POLICY, "degree_k = 4", "directed = true");
    let policy = replaced(&policy, "out/follows.csv", "out/follows.jsonl");
    let folder = folder().policy(&policy);
    passes(&folder.run());
    let edges = folder.text("out/follows.jsonl");
    let distinct: BTreeSet<(usize, usize)> = pairs().into_iter().collect();
    assert_eq!(edges.lines().count(), distinct.len());
    let verify = ["verify", "out/users.csv", "--policy", "policy.toml"];
    passes(&folder.moretta(&verify));
}

#[test]
fn verify_finds_planted_faults() {
    let folder = folder();
    passes(&folder.run());
    let (nodes, edges) = (folder.text("out/users.csv"), folder.text("out/follows.csv"));
    let first = edges.lines().nth(1).expect("an edge").to_owned();
    let linked: BTreeSet<&str> = edges.lines().collect();
    let star = (2..=USERS).map(|node| format!("1,{node}"));
    let star = star.filter(|edge| !linked.contains(edge.as_str()));
    let hub = format!("{edges}{}\n", star.collect::<Vec<_>>().join("\n"));
    let mut lines: Vec<&str> = nodes.lines().collect();
    lines.swap(1, 2);
    for (what, nodes, edges) in [
        (
            "edge that is there twice",
            nodes.clone(),
            format!("{edges}{first}\n"),
        ),
        (
            "edge from a node to itself",
            nodes.clone(),
            format!("{edges}3,3\n"),
        ),
        (
            "edge whose end is no node",
            nodes.clone(),
            format!("{edges}3,61\n"),
        ),
        (
            "edge whose end is no node",
            nodes.clone(),
            format!("{edges}0,3\n"),
        ),
        ("k-degree anonymity", nodes.clone(), hub),
        (
            "not called by the number of its row",
            lines.join("\n") + "\n",
            edges.clone(),
        ),
    ] {
        let folder = folder_with(&nodes, &edges);
        let verify = [
            "verify",
            "u.csv",
            "--edges",
            "f.csv",
            "--policy",
            "policy.toml",
        ];
        let ran = folder.moretta(&verify);
        assert_eq!(ran.code, Some(1), "{what}");
        let told = format!("{}{}", ran.stdout, ran.stderr);
        assert!(told.contains(what), "{what}: {told}");
    }
    let folder = folder_with(&nodes, &edges);
    let verify = [
        "verify",
        "u.csv",
        "--edges",
        "f.csv",
        "--policy",
        "policy.toml",
    ];
    passes(&folder.moretta(&verify));
}

fn folder_with(nodes: &str, edges: &str) -> Folder {
    folder().file("u.csv", nodes).file("f.csv", edges)
}

#[test]
fn a_made_up_graph_is_the_same_each_time_and_can_be_released() {
    let made = |seed: &str| {
        let folder = Folder::new();
        let arguments = [
            "generate",
            "social",
            "--rows",
            "300",
            "--links",
            "1200",
            "--seed",
            seed,
            "--output",
            "users.csv",
            "--edges",
            "follows.csv",
            "--locations",
            "locations.csv",
            "--topics",
            "topics.csv",
        ];
        passes(&folder.moretta(&arguments));
        folder
    };
    let [one, again, other] = ["5", "5", "6"].map(made);
    for file in ["users.csv", "follows.csv"] {
        assert_eq!(one.text(file), again.text(file));
        assert_ne!(one.text(file), other.text(file));
    }
    assert_eq!(one.text("users.csv").lines().count(), 301);
    assert_eq!(one.text("follows.csv").lines().count(), 1201);
    let columns = "topic1 = { role = \"quasi\", hierarchy = { file = \"topics.csv\" } }\n\
                   topic2 = { role = \"drop\" }\ntopic3 = { role = \"drop\" }";
    let topic = "topic    = { role = \"quasi\", hierarchy = { file = \"topics.csv\" } }";
    let folder = one.policy(&replaced(POLICY, topic, columns));
    passes(&folder.run());
    let verify = ["verify", "out/users.csv", "--policy", "policy.toml"];
    passes(&folder.moretta(&verify));
    let again = [
        "generate",
        "social",
        "--edges",
        "follows.csv",
        "--output",
        "x.csv",
    ];
    assert_eq!(folder.moretta(&again).code, Some(2), "a file is there");
}

/// The graph of the other files as GraphML, as a program that is not ours writes it.
fn graphml(order: impl Iterator<Item = usize>, pairs: &[(usize, usize)]) -> String {
    let table = users(0..USERS);
    let rows: Vec<&str> = table.lines().skip(1).collect();
    let mut text = "<?xml version='1.0' encoding='utf-8'?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n\
        <key id=\"d0\" for=\"node\" attr.name=\"location\" attr.type=\"string\"/>\n\
        <key id=\"d1\" for=\"node\" attr.name=\"topic\" attr.type=\"string\"><default>music</default></key>\n\
        <key id=\"d2\" for=\"edge\" attr.name=\"since\" attr.type=\"int\"/>\n<graph edgedefault=\"undirected\">\n"
        .to_owned();
    for user in order {
        let cells: Vec<&str> = rows[user].split(',').collect();
        write!(
            text,
            "<node id=\"{}\"><data key=\"d0\">{}</data>",
            cells[0], cells[1]
        )
        .expect("text");
        if cells[2] != "music" {
            write!(text, "<data key=\"d1\">{}</data>", cells[2]).expect("text");
        }
        text.push_str("</node>\n");
    }
    for &(a, b) in pairs {
        let (a, b) = (name(a), name(b));
        writeln!(
            text,
            "<edge source=\"{a}\" target=\"{b}\"><data key=\"d2\">2020</data></edge>"
        )
        .expect("text");
    }
    text + "</graph>\n</graphml>\n"
}

fn graphml_policy() -> String {
    let policy = replaced(POLICY, "path = \"users.csv\"", "path = \"graph.graphml\"");
    let policy = replaced(&policy, "edges = \"follows.csv\"\n", "");
    let policy = replaced(&policy, "edges = \"out/follows.csv\"\n", "");
    replaced(
        &policy,
        "path = \"out/users.csv\"",
        "path = \"out/graph.graphml\"",
    )
}

/// What is between two texts, each time they come.
fn between<'a>(text: &'a str, from: &str, to: &str) -> Vec<&'a str> {
    let parts = text.split(from).skip(1);
    parts.filter_map(|part| part.split(to).next()).collect()
}

#[test]
fn graphml_in_and_out_is_the_graph_of_the_tables() {
    let folder = folder()
        .policy(&graphml_policy())
        .file("graph.graphml", graphml(0..USERS, &pairs()));
    passes(&folder.moretta(&["check", "policy.toml"]));
    let ran = folder.run();
    passes(&ran);
    assert!(
        ran.stdout
            .contains("k-degree anonymity: promised at least 4"),
        "{}",
        ran.stdout
    );
    let text = folder.text("out/graph.graphml");
    assert_eq!(between(&text, "<node id=\"", "\"").len(), USERS);
    // The same seed, names and values: the release of the tables.
    let tables = self::folder();
    passes(&tables.run());
    let nodes: Vec<Vec<String>> = between(&text, "<node ", "</node>")
        .iter()
        .map(|node| {
            let id = between(node, "id=\"", "\"");
            let cells = between(node, "<data key=\"d", "</data>");
            let cell = |cell: &&str| cell.split('>').nth(1).unwrap_or_default().to_owned();
            id.iter()
                .map(|id| (*id).to_owned())
                .chain(cells.iter().map(cell))
                .collect()
        })
        .collect();
    assert_eq!(nodes, rows(&tables.text("out/users.csv")));
    let edges: Vec<Vec<String>> = between(&text, "<edge ", "/>")
        .iter()
        .map(|edge| {
            between(edge, "=\"", "\"")
                .iter()
                .map(|end| (*end).to_owned())
                .collect()
        })
        .collect();
    assert_eq!(edges, rows(&tables.text("out/follows.csv")));
    for file in ["out/graph.graphml", "out/report.json", "out/report.html"] {
        assert!(!folder.text(file).contains(CANARY), "{file}");
    }
    let verify = ["verify", "out/graph.graphml", "--policy", "policy.toml"];
    passes(&folder.moretta(&verify));
    // A hub that was not there.
    let star: String = (2..=USERS)
        .map(|node| format!("<edge source=\"1\" target=\"{node}\"/>\n"))
        .collect();
    let first = text.find("<edge").expect("an edge");
    let hub = format!("{}{star}</graph>\n</graphml>\n", &text[..first]);
    let folder = folder.file("hub.graphml", hub);
    let ran = folder.moretta(&["verify", "hub.graphml", "--policy", "policy.toml"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn the_order_of_graphml_leaves_no_trace_and_formats_mix() {
    let straight = folder()
        .policy(&graphml_policy())
        .file("graph.graphml", graphml(0..USERS, &pairs()));
    let turned = folder().policy(&graphml_policy()).file(
        "graph.graphml",
        graphml(
            (0..USERS).rev(),
            &pairs().into_iter().rev().collect::<Vec<_>>(),
        ),
    );
    for folder in [&straight, &turned] {
        passes(&folder.run());
    }
    assert_eq!(
        straight.text("out/graph.graphml"),
        turned.text("out/graph.graphml")
    );
    // GraphML in, tables out.
    let policy = replaced(
        &graphml_policy(),
        "path = \"out/graph.graphml\"",
        "path = \"out/users.csv\"\nedges = \"out/follows.csv\"",
    );
    let mixed = folder()
        .policy(&policy)
        .file("graph.graphml", graphml(0..USERS, &pairs()));
    passes(&mixed.run());
    let tables = folder();
    passes(&tables.run());
    assert_eq!(mixed.text("out/users.csv"), tables.text("out/users.csv"));
    assert_eq!(
        mixed.text("out/follows.csv"),
        tables.text("out/follows.csv")
    );
}

#[test]
fn bad_graphml_is_refused_without_a_name_and_writes_nothing() {
    let good = graphml(0..USERS, &pairs());
    let end = "</graph>\n</graphml>\n";
    let more = |inside: &str| good.replace(end, &format!("{inside}{end}"));
    let bomb = format!("<!DOCTYPE g [<!ENTITY a \"{CANARY}\"><!ENTITY b \"&a;&a;\">]>\n");
    for (text, told) in [
        (
            more(&format!(
                "<edge source=\"{}\" target=\"{CANARY}-x\"/>",
                name(1)
            )),
            "1 edges have an end that is not",
        ),
        (
            more(&format!("<node id=\"{}\"/>", name(1))),
            "1 nodes whose name another one has",
        ),
        (good[..good.len() / 2].to_owned(), "the file ends within"),
        (
            good.replacen("<graphml", &format!("{bomb}<graphml"), 1),
            "a document type",
        ),
        (
            good.replacen(
                "<data key=\"d0\">",
                &format!("<data key=\"d0\">{}", "x".repeat(2 << 20)),
                1,
            ),
            "a tag or text over",
        ),
        (
            good.replacen("<node id=", &format!("<node name=\"{CANARY}\" idx="), 1),
            "a node without an id",
        ),
    ] {
        let folder = folder()
            .policy(&graphml_policy())
            .file("graph.graphml", text);
        folder.run().fails(4, told).hides(CANARY);
        assert!(!folder.path("out").exists(), "{told}");
    }
    for (from, to, told) in [
        (
            "out/graph.graphml\"",
            "out/graph.graphml\"\nedges = \"e.csv\"",
            "holds the edges itself",
        ),
        (
            "out/graph.graphml",
            "out/graph.graphml.gz",
            "written unpacked",
        ),
        (
            "graph.graphml\"",
            "users.csv\"",
            "nothing says where the edges are",
        ),
    ] {
        let folder = folder()
            .policy(&replaced(&graphml_policy(), from, to))
            .file("graph.graphml", &good);
        folder.run().fails(3, told);
    }
}

#[test]
fn microdata_are_the_nodes_without_names_and_edges() {
    let folder = folder();
    let extract = [
        "graph",
        "microdata",
        "policy.toml",
        "--output",
        "micro.csv",
        "--degree-bands",
        "1,3,5,20",
    ];
    let ran = folder.moretta(&extract);
    passes(&ran);
    assert!(
        ran.stdout.contains("60 records (location, topic, degree)"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stderr.contains("raw data, not a release"),
        "{}",
        ran.stderr
    );
    let text = folder.text("micro.csv");
    assert!(
        !text.contains(CANARY) && text.starts_with("location,topic,degree\n"),
        "{text}"
    );
    let distinct: BTreeSet<(usize, usize)> =
        pairs().iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
    for (user, row) in rows(&text).iter().enumerate() {
        let degree = distinct
            .iter()
            .filter(|(a, b)| *a == user || *b == user)
            .count();
        let band = match degree {
            0 => "0",
            1..=2 => "1..2",
            3..=4 => "3..4",
            5..=19 => "5..19",
            _ => "20..",
        };
        assert_eq!(row[2], band, "{user}");
    }
    folder.moretta(&extract).fails(2, "exists already");
    let bad = [&extract[..5], &["--degree-bands", "3,1"]].concat();
    folder.moretta(&bad).fails(2, "rising whole numbers");
    // An ordinary policy protects it.
    let policy = "version = 1\n[source]\npath = \"micro.csv\"\n[columns]\n\
        location = { role = \"quasi\", hierarchy = { file = \"locations.csv\" } }\n\
        topic = { role = \"quasi\", hierarchy = { file = \"topics.csv\" } }\ndegree = { role = \"quasi\" }\n\
        [guarantee]\nk = 3\n[[protect]]\nmethod = \"semantic-grouping\"\n[sink]\npath = \"out/micro.csv\"\n";
    let folder = folder.file("micro.toml", policy);
    passes(&folder.moretta(&["run", "micro.toml"]));
}

#[test]
fn attacks_on_written_files_tell_what_no_promise_covers() {
    let folder = folder();
    folder
        .moretta(&["attack", "policy.toml"])
        .fails(2, "written files, and there are none");
    passes(&folder.run());
    let ran = folder.moretta(&["attack", "policy.toml", "--json"]);
    passes(&ran);
    let found: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let attack = |knows: &str| {
        let attacks = found["attacks"].as_array().expect("attacks");
        let attack = attacks.iter().find(|attack| attack["knows"] == knows);
        attack.cloned().expect(knows)
    };
    let figure = |knows: &str, name: &str| attack(knows)[name].as_u64().expect("a number");
    for (knows, k) in [("the attributes", 5), ("the degree", 4)] {
        assert_eq!(attack(knows)["promised"], k, "{knows}");
        assert_eq!(figure(knows, "below"), 0, "{knows}");
        assert!(figure(knows, "least") >= k, "{knows}");
    }
    // Counted again from the files.
    let nodes = rows(&folder.text("out/users.csv"));
    let edges = rows(&folder.text("out/follows.csv"));
    let degree = |number: &String| edges.iter().flatten().filter(|end| *end == number).count();
    let look = |row: &Vec<String>| (row[1..].to_vec(), degree(&row[0]));
    let mut sizes: BTreeMap<(Vec<String>, usize), u64> = BTreeMap::new();
    nodes
        .iter()
        .for_each(|row| *sizes.entry(look(row)).or_default() += 1);
    let alone = sizes.values().filter(|&&size| size == 1).count() as u64;
    assert!(alone > 0, "an easy case");
    assert_eq!(figure("attributes and degree", "alone"), alone);
    assert!(attack("attributes and degree")["promised"].is_null());
    assert!(figure("the values", "least") >= 5);
    assert!(
        ran.stderr
            .contains("nothing is promised against somebody who knows attributes and degree"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stdout.contains(CANARY));
    let files = [
        "attack",
        "out/users.csv",
        "--edges",
        "out/follows.csv",
        "--policy",
        "policy.toml",
    ];
    let ran = folder.moretta(&files);
    passes(&ran);
    assert!(
        ran.stdout.contains("attributes and neighbours' degrees"),
        "{}",
        ran.stdout
    );
    // Edges of another release.
    let folder = folder.file("other.csv", "from,to\n1,99\n");
    let other = [
        "attack",
        "out/users.csv",
        "--edges",
        "other.csv",
        "--policy",
        "policy.toml",
    ];
    folder.moretta(&other).fails(4, "end is no node");
}
