use super::super::limits::Limits;
use super::*;
use crate::data::hierarchy::Hierarchy;
use proptest::prelude::*;

const PLACES: [&str; 6] = [
    "Barcelona;Spain;Europe;World",
    "Madrid;Spain;Europe;World",
    "London;UK;Europe;World",
    "Manchester;UK;Europe;World",
    "Boston;USA;America;World",
    "NYC;USA;America;World",
];

fn places() -> Taxonomy {
    let chains: Vec<Vec<&str>> = PLACES.iter().map(|row| row.split(';').collect()).collect();
    Taxonomy::of_hierarchy(&Hierarchy::from_chains(&chains).expect("a tree"))
}

fn records(rows: &[(&str, &str)]) -> Records {
    let (places, topics) = (places(), Taxonomy::flat(&["music", "tennis"]));
    let node = |taxonomy: &Taxonomy, text: &str| match text {
        "" => taxonomy.missing(),
        text => taxonomy.find(text).expect("a node"),
    };
    Records {
        columns: vec![
            rows.iter().map(|row| node(&places, row.0)).collect(),
            rows.iter().map(|row| node(&topics, row.1)).collect(),
        ],
        space: SemanticSpace::new(vec![places, topics]),
        rows: rows.len(),
        cancel: Cancel::default(),
    }
}

/// What each group shows, with how many rows.
fn shown(records: &Records, k: usize) -> Vec<(Vec<Option<String>>, usize)> {
    let limits = Limits::rows(k);
    let groups = divide::groups(records, &limits, 8192).expect("groups");
    let taxonomies = records.space.taxonomies();
    let text = |(taxonomy, &node): (&Taxonomy, &u32)| taxonomy.shown(node).map(str::to_owned);
    let groups = groups.into_iter().map(|group| {
        let shown = taxonomies.iter().zip(&group.shown).map(text).collect();
        (shown, group.rows.len())
    });
    groups.collect()
}

fn texts(shown: &[&str]) -> Vec<Option<String>> {
    let text = |text: &&str| (!text.is_empty()).then(|| (*text).to_owned());
    shown.iter().map(text).collect()
}

#[test]
fn the_first_free_row_takes_the_nearest_and_the_last_group_what_is_left() {
    let records = records(&[
        ("Barcelona", "music"),
        ("NYC", "music"),
        ("London", "tennis"),
        ("Madrid", "music"),
        ("Boston", "music"),
        ("Manchester", "tennis"),
        ("London", "tennis"),
    ]);
    let expected = [
        (texts(&["Spain", "music"]), 2),
        (texts(&["USA", "music"]), 2),
        (texts(&["UK", "tennis"]), 3),
    ];
    assert_eq!(shown(&records, 2), expected);
    assert_eq!(shown(&records, 4), [(texts(&["*", "*"]), 7)]);
}

#[test]
fn missing_values_are_a_value_and_go_with_others_under_the_root() {
    let rows = [
        ("", "music"),
        ("", "music"),
        ("NYC", ""),
        ("Boston", "music"),
    ];
    let expected = [(texts(&["", "music"]), 2), (texts(&["USA", "*"]), 2)];
    assert_eq!(shown(&records(&rows), 2), expected);
    assert_eq!(shown(&records(&rows), 3), [(texts(&["*", "*"]), 4)]);
}

/// The rule word for word, with every distance computed anew.
fn reference(space: &SemanticSpace, columns: &[Vec<u32>], k: usize) -> Vec<Vec<u32>> {
    let distance = |a: u32, b: u32| -> u64 {
        let columns = columns.iter().enumerate();
        columns
            .map(|(i, column)| space.parts(i, column[a as usize], column[b as usize]))
            .sum()
    };
    let mut open: Vec<u32> = (0..columns[0].len() as u32).collect();
    let mut groups = Vec::new();
    while open.len() >= 2 * k {
        let seed = open[0];
        let mut near = open.clone();
        near.sort_by_key(|&row| (distance(seed, row), row));
        let mut group = near[..k].to_vec();
        group.sort_unstable();
        open.retain(|row| !group.contains(row));
        groups.push(group);
    }
    if !open.is_empty() {
        groups.push(open);
    }
    groups
}

/// Rows as nodes of any depth, of two columns.
fn random_rows() -> impl Strategy<Value = Vec<(u32, u32)>> {
    let nodes = places().node_count() as u32;
    prop::collection::vec((1..nodes, 1u32..4), 1..60)
}

fn of_nodes(rows: &[(u32, u32)]) -> Records {
    let mut records = records(&[]);
    records.columns = vec![
        rows.iter().map(|row| row.0).collect(),
        rows.iter().map(|row| row.1).collect(),
    ];
    records.rows = rows.len();
    records
}

proptest! {
    #[test]
    fn groups_are_those_of_the_rule_word_for_word(rows in random_rows(), k in 1usize..6) {
        let records = of_nodes(&rows);
        let found = nearest_groups(&records.space, &records.columns, k).expect("groups");
        prop_assert_eq!(found, reference(&records.space, &records.columns, k));
    }

    #[test]
    fn parts_hold_every_row_once_in_groups_of_k_that_cover_it(
        rows in random_rows(),
        k in 1usize..6,
        most in 1usize..20,
    ) {
        let records = of_nodes(&rows);
        prop_assume!(rows.len() >= k);
        let limits = Limits::rows(k);
        let groups = divide::groups(&records, &limits, most).expect("groups");
        let groups = joined::joined(&records, &limits, groups).expect("groups");
        let mut all: Vec<u32> = groups.iter().flat_map(|group| group.rows.clone()).collect();
        all.sort_unstable();
        prop_assert_eq!(all, (0..rows.len() as u32).collect::<Vec<_>>());
        for group in &groups {
            prop_assert!(group.rows.len() >= k);
            for (column, &shown) in group.shown.iter().enumerate() {
                let taxonomy = &records.space.taxonomies()[column];
                let nodes = group.rows.iter().map(|&row| records.columns[column][row as usize]);
                let lowest = nodes.clone().reduce(|a, b| taxonomy.common(a, b));
                prop_assert_eq!(lowest, Some(shown));
            }
        }
    }
}

#[test]
fn equal_rows_of_a_large_table_lose_nothing() {
    let rows = [("Madrid", "music"), ("NYC", "tennis"), ("London", "music")];
    let rows: Vec<(&str, &str)> = rows.iter().copied().cycle().take(20_000).collect();
    let mut shown = shown(&records(&rows), 5);
    shown.sort();
    let expected = [
        (texts(&["London", "music"]), 6_666),
        (texts(&["Madrid", "music"]), 6_667),
        (texts(&["NYC", "tennis"]), 6_667),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn a_cancelled_method_stops() {
    let records = records(&[("Madrid", "music"), ("NYC", "tennis")]);
    records.cancel.cancel();
    assert!(divide::groups(&records, &Limits::rows(1), 8192).is_err());
}
