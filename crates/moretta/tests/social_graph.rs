//! The worked example of a social graph: groups, what they show, what is lost and who is found.

mod support;

use moretta::data::hierarchy::Hierarchy;
use moretta::data::{SemanticSpace, Taxonomy};
use moretta::graph::EdgeList;
use moretta::graph::semantic::Nodes;
use moretta::protect::semantic_grouping::nearest_groups;
use serde_json::Value;

const ATTRIBUTES: [&str; 2] = ["loc", "topic1"];

/// The chains of all leaves below the root that a value leads up to.
fn taxonomy(parents: &Value, some_leaf: &str) -> Taxonomy {
    let parents = parents.as_object().expect("parents");
    let chain = |leaf: &str| -> Vec<String> {
        let above = |label: &String| parents[label].as_str().map(str::to_owned);
        std::iter::successors(Some(leaf.to_owned()), above).collect()
    };
    let root = chain(some_leaf).pop();
    let is_leaf = |label: &&String| !parents.values().any(|parent| *parent == **label);
    let leaves = parents.keys().filter(is_leaf);
    let chains: Vec<Vec<String>> = leaves
        .map(|leaf| chain(leaf))
        .filter(|chain| chain.last() == root.as_ref())
        .collect();
    Taxonomy::of_hierarchy(&Hierarchy::from_chains(&chains).expect("a tree"))
}

fn list<T>(value: &Value, item: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().expect("a list").iter().map(item).collect()
}

fn whole(value: &Value) -> u32 {
    value.as_u64().expect("a whole number") as u32
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn near(found: f64, expected: &Value) {
    let expected = expected.as_f64().expect("a number");
    assert!((found - expected).abs() < 1e-9, "{found} for {expected}");
}

#[test]
fn groups_losses_and_risk_are_those_of_the_worked_example() {
    let Some(folder) = support::shared("worked-examples/mares") else {
        return;
    };
    let file = std::fs::read_to_string(folder.join("social-graph-a.json")).expect("a file");
    let file: Value = serde_json::from_str(&file).expect("JSON");
    let (inputs, expected) = (&file["inputs"], &file["expected"]);
    let taxonomies = ATTRIBUTES.map(|name| {
        let taxonomy = taxonomy(&inputs["parent"], text(&inputs["nodes"][0][name]));
        assert_eq!(taxonomy.height(), whole(&inputs["height"][name]));
        taxonomy
    });
    let column = |rows: &Value| -> Vec<Vec<u32>> {
        let columns = ATTRIBUTES.iter().zip(&taxonomies);
        let column = |(name, taxonomy): (&&str, &Taxonomy)| {
            list(rows, |row| {
                taxonomy.find(text(&row[*name])).expect("a node")
            })
        };
        columns.map(column).collect()
    };
    let space = SemanticSpace::new(taxonomies.to_vec());
    let original = column(&inputs["nodes"]);
    let groups = nearest_groups(&space, &original, whole(&inputs["k"]) as usize).expect("groups");
    assert_eq!(
        groups,
        list(&expected["groups"], |group| list(group, whole))
    );
    let mut released = original.clone();
    for (column, taxonomy) in released.iter_mut().zip(&taxonomies) {
        for group in &groups {
            let nodes = group.iter().map(|&row| column[row as usize]);
            let common = nodes.reduce(|a, b| taxonomy.common(a, b)).expect("a row");
            group.iter().for_each(|&row| column[row as usize] = common);
        }
    }
    assert_eq!(released, column(&expected["protected"]));
    let edge = |edge: &Value| (whole(&edge[0]), whole(&edge[1]));
    let (edges, _) = EdgeList::new(
        original[0].len() as u32,
        list(&inputs["edges"], edge),
        false,
    );
    let nodes = Nodes {
        space,
        original,
        released,
    };
    let loss = nodes.loss(&edges, &edges);
    for (place, name) in ATTRIBUTES.iter().enumerate() {
        let of = &expected["per_attribute"][*name];
        near(loss.links[place], &of["AAMIL_percent"]);
        near(loss.frequencies[place], &of["CDIL_percent"]);
    }
    for (node, expected) in list(&expected["DBIL_per_user"], Value::clone)
        .iter()
        .enumerate()
    {
        near(nodes.distance(node), expected);
    }
    near(loss.aamil(), &expected["AAMIL_percent"]);
    near(loss.cdil(), &expected["CDIL_percent"]);
    near(loss.distance, &expected["DBIL_percent"]);
    near(loss.average(), &expected["average_semantic_IL_percent"]);
    near(
        nodes.risk().expect("nodes"),
        &expected["semantic_DR_percent"],
    );
}
