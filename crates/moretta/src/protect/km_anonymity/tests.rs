use super::cut::Cut;
use super::search::{Found, Search};
use super::transactions::Transactions;
use super::*;
use crate::cancel::Cancel;
use crate::data::{Domain, Domains, RowIds, Scale};
use crate::guarantee::{Guarantee, KmAnonymous};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn tree(chains: &[&[&str]]) -> Hierarchy {
    let chains: Vec<Vec<&str>> = chains.iter().map(|chain| chain.to_vec()).collect();
    Hierarchy::from_chains(&chains).expect("a tree")
}

/// The hierarchy of the paper's example: two kinds of two items each.
fn ab() -> Hierarchy {
    tree(&[
        &["a1", "A", "*"],
        &["a2", "A", "*"],
        &["b1", "B", "*"],
        &["b2", "B", "*"],
    ])
}

fn search<'a>(
    transactions: &Transactions,
    tree: &'a Hierarchy,
    km: KmAnonymous,
    budget: usize,
) -> Found<'a> {
    let rows = vec![1; transactions.persons()];
    let search = Search {
        transactions,
        tree,
        km,
        budget,
        rows: &rows,
        cancel: &Cancel::default(),
    };
    search.find().expect("found")
}

fn found(tree: &Hierarchy, baskets: &[&[&str]], k: u32, m: u32) -> Vec<String> {
    let pairs = baskets.iter().zip(0..).flat_map(|(basket, person)| {
        let leaves = basket.iter().map(|item| tree.leaf(item).expect("an item"));
        leaves.map(move |leaf| (person, leaf))
    });
    let transactions = Transactions::new(pairs, tree.leaf_count());
    let cut = search(&transactions, tree, KmAnonymous { k, m }, 0).cut;
    let nodes = cut.nodes().into_iter();
    nodes.map(|node| cut.text(node).to_owned()).collect()
}

#[test]
fn the_example_of_the_paper_is_reproduced() {
    // Figure 2 of Terrovitis, Mamoulis and Kalnis: 2^2-anonymity needs A for a1 and a2.
    let baskets: [&[&str]; 4] = [
        &["a1", "b1", "b2"],
        &["a2", "b1"],
        &["a2", "b1", "b2"],
        &["a1", "a2", "b2"],
    ];
    assert_eq!(found(&ab(), &baskets, 2, 2), ["A", "b1", "b2"]);
    assert_eq!(found(&ab(), &baskets, 2, 1), ["a1", "a2", "b1", "b2"]);
}

#[test]
fn nothing_is_raised_where_nothing_is_rare() {
    let baskets: [&[&str]; 4] = [&["a1", "b1"], &["a1", "b1"], &["a2"], &["a2"]];
    assert_eq!(found(&ab(), &baskets, 2, 3), ["a1", "a2", "b1", "b2"]);
    assert_eq!(found(&ab(), &[], 5, 2), ["a1", "a2", "b1", "b2"]);
}

#[test]
fn labels_that_repeat_on_levels_are_one_node() {
    let tree = tree(&[
        &["x", "x", "X", "*"],
        &["y", "Y", "X", "*"],
        &["z", "Y", "X", "*"],
    ]);
    let baskets: [&[&str]; 3] = [&["x"], &["y"], &["x"]];
    // y alone is rare; Y would be as rare, so X it is.
    assert_eq!(found(&tree, &baskets, 2, 2), ["X"]);
    let baskets: [&[&str]; 4] = [&["x"], &["y"], &["x"], &["z"]];
    assert_eq!(found(&tree, &baskets, 2, 2), ["x", "Y"]);
}

/// The fewest persons who show a set of at most `m` labels, counted set by set.
fn slowest(baskets: &[BTreeSet<u32>], m: usize) -> usize {
    let labels: BTreeSet<u32> = baskets.iter().flatten().copied().collect();
    let labels: Vec<u32> = labels.into_iter().collect();
    let sets = (1_u32..1 << labels.len()).filter(|set| set.count_ones() as usize <= m);
    let shown_by = |set: u32| {
        let in_set = |basket: &&BTreeSet<u32>| {
            let members = (0..labels.len()).filter(|place| set >> place & 1 == 1);
            members
                .into_iter()
                .all(|place| basket.contains(&labels[place]))
        };
        baskets.iter().filter(in_set).count()
    };
    sets.map(shown_by)
        .filter(|&persons| persons > 0)
        .min()
        .unwrap_or(usize::MAX)
}

/// Eight leaves under four, two and one node.
fn binary() -> Hierarchy {
    let chain = |leaf: usize| {
        vec![
            format!("l{leaf}"),
            format!("q{}", leaf / 2),
            format!("h{}", leaf / 4),
            "*".to_owned(),
        ]
    };
    Hierarchy::from_chains(&(0..8).map(chain).collect::<Vec<_>>()).expect("a tree")
}

/// All cuts of [`binary`], as the node of each leaf.
fn all_cuts(tree: &Hierarchy) -> Vec<Vec<(usize, u32)>> {
    fn under(tree: &Hierarchy, level: usize, node: u32) -> Vec<Vec<(usize, u32)>> {
        let leaves = tree.leaves_under(level, node).len();
        let mut cuts = vec![vec![(level, node); leaves]];
        if level > 0 {
            let mut parts: Vec<Vec<(usize, u32)>> = vec![Vec::new()];
            for child in tree.children(level, node) {
                let below = under(tree, level - 1, child);
                let joined = parts
                    .iter()
                    .flat_map(|part| below.iter().map(move |cut| [part.as_slice(), cut].concat()));
                parts = joined.collect();
            }
            cuts.extend(parts);
        }
        cuts
    }
    let top = tree.level_count() - 1;
    under(tree, top, 0)
}

fn loss(baskets: &[BTreeSet<u32>], penalty: impl Fn(u32) -> f64) -> f64 {
    baskets.iter().flatten().map(|&leaf| penalty(leaf)).sum()
}

proptest! {
    #[test]
    fn the_promise_holds_and_no_node_could_be_divided(
        baskets in prop::collection::vec(prop::collection::btree_set(0_u32..8, 0..5), 6..24),
        k in 2_u32..5,
        m in 1_u32..4,
    ) {
        let tree = binary();
        let pairs = baskets.iter().zip(0..).flat_map(|(basket, person)| basket.iter().map(move |&leaf| (person, leaf)));
        let transactions = Transactions::new(pairs, 8);
        prop_assume!(transactions.persons() >= k as usize);
        let km = KmAnonymous { k, m };
        let cut = search(&transactions, &tree, km, 0).cut;
        let shown = |cut: &Cut<'_>| -> Vec<BTreeSet<u32>> {
            baskets.iter().map(|basket| basket.iter().map(|&leaf| cut.shown(leaf)).collect()).collect()
        };
        prop_assert!(slowest(&shown(&cut), m as usize) >= k as usize);
        for node in cut.nodes() {
            let mut divided = cut.clone();
            if divided.divide(node) {
                prop_assert!(slowest(&shown(&divided), m as usize) < k as usize, "{}", cut.text(node));
            }
        }
        // Of all cuts none that holds loses much less.
        let ours = loss(&baskets, |leaf| cut.penalty(cut.shown(leaf)));
        let penalty = |(level, node): (usize, u32)| match tree.leaves_under(level, node).len() {
            1 => 0.0,
            leaves => leaves as f64 / 8.0,
        };
        let best = all_cuts(&tree).into_iter().filter(|cut| {
            let label = |leaf: u32| {
                let (level, node) = cut[leaf as usize];
                level as u32 * 8 + node
            };
            let shown: Vec<BTreeSet<u32>> = baskets.iter().map(|basket| basket.iter().map(|&leaf| label(leaf)).collect()).collect();
            slowest(&shown, m as usize) >= k as usize
        });
        let best = best.map(|cut| loss(&baskets, |leaf| penalty(cut[leaf as usize]))).fold(f64::INFINITY, f64::min);
        // With leave to suppress some, no more is lost, and what is left holds.
        let some = search(&transactions, &tree, km, transactions.persons() / 3);
        prop_assert!(some.gone.len() <= transactions.persons() / 3);
        let kept = (0..transactions.persons()).filter(|&p| some.gone.binary_search(&(p as u32)).is_err());
        let kept: Vec<&[u32]> = kept.map(|p| transactions.of(p)).collect();
        let labels: Vec<BTreeSet<u32>> = kept.iter().map(|items| items.iter().map(|&leaf| some.cut.shown(leaf)).collect()).collect();
        prop_assert!(slowest(&labels, m as usize) >= k as usize);
        let left: f64 = kept.iter().flat_map(|items| items.iter()).map(|&leaf| some.cut.penalty(some.cut.shown(leaf))).sum();
        let suppressed: usize = some.gone.iter().map(|&p| transactions.of(p as usize).len()).sum();
        prop_assert!(left + suppressed as f64 <= ours + 1e-9);
        prop_assert!(best <= ours + 1e-9);
        prop_assert!(ours <= 2.0 * best + 1e-9, "{ours} of {best}");
    }
}

/// Releases items of persons, and tells label and person of each row that leaves.
fn release(
    rows: &[(&str, &str)],
    separator: Option<&str>,
    k: u32,
    m: u32,
) -> Result<Vec<(String, String)>> {
    let field = |name: &str, role| Field::new(name, role, Kind::Category { ordered: false });
    let schema = Schema::new(vec![
        field("person", Role::Subject),
        field("item", Role::Items),
    ]);
    let column = |cells: Vec<&str>| {
        Column::Category(
            cells
                .into_iter()
                .map(|cell| (!cell.is_empty()).then_some(cell))
                .collect(),
        )
    };
    let (persons, items) = rows.iter().copied().unzip();
    let ids = RowIds::Range {
        start: 0,
        len: rows.len(),
    };
    let table = Batch::new(
        Arc::new(schema.expect("two names")),
        ids,
        vec![column(persons), column(items)],
    )
    .expect("fits");
    let domain = Domain {
        scale: Scale::Category {
            levels: Arc::default(),
            ordered: false,
        },
        hierarchy: Some(Arc::new(ab())),
    };
    let domains = Domains::new([("item".to_owned(), domain)]);
    let listed = separator.map(|separator| ("item".to_owned(), separator.to_owned()));
    let ready = Ready {
        suppress: 0.0,
        setting: Setting {
            guarantee: Guarantee {
                km: Some(KmAnonymous { k, m }),
                ..Guarantee::default()
            },
            domains: Arc::new(domains.listed(listed)),
            ..Setting::default()
        },
    };
    let released = ready.release(&table)?;
    assert_eq!(
        released.batch.len() as u64 + released.left_out,
        rows.len() as u64
    );
    let text = |place: usize, row: usize| {
        let cells = released.batch.categories(place).expect("texts");
        cells.get(row).unwrap_or_default().to_owned()
    };
    Ok((0..released.batch.len())
        .map(|row| (text(0, row), text(1, row)))
        .collect())
}

#[test]
fn a_label_is_shown_once_for_each_person() {
    let rows = [
        ("p", "a1"),
        ("p", "a2"),
        ("q", "a1"),
        ("q", "b1"),
        ("p", "b1"),
        ("q", "b1"),
    ];
    let released = release(&rows, None, 2, 2).expect("released");
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for row in released {
        *counts.entry(row).or_default() += 1;
    }
    let expected = [("p", "A"), ("p", "b1"), ("q", "A"), ("q", "b1")];
    let expected = expected.map(|(person, label)| ((person.to_owned(), label.to_owned()), 1));
    assert_eq!(counts, BTreeMap::from(expected));
}

#[test]
fn lists_show_each_label_once_in_the_order_of_the_hierarchy() {
    let rows = [("p", "b1; a2;a1"), ("q", "b1;a1"), ("r", ""), ("s", " ; ")];
    let released = release(&rows, Some(";"), 2, 2).expect("released");
    let cells: Vec<&str> = released.iter().map(|(_, cell)| cell.as_str()).collect();
    assert_eq!(cells, ["A;b1", "A;b1", "", ""]);
}

#[test]
fn persons_who_cannot_be_told_or_have_two_lists_are_refused() {
    let two = [("p", "a1"), ("p", "b1"), ("q", "a1")];
    let error = release(&two, Some(";"), 2, 2).expect_err("two lists");
    assert_eq!(error.exit_code(), 4);
    let nobody = [("", "a1"), ("q", "a1")];
    assert_eq!(
        release(&nobody, None, 2, 2)
            .expect_err("nobody")
            .exit_code(),
        4
    );
    let few = [("p", "a1"), ("q", "a1")];
    assert_eq!(
        release(&few, None, 3, 1)
            .expect_err("two of three")
            .exit_code(),
        1
    );
    assert_eq!(release(&[], None, 3, 1).expect("nothing").len(), 0);
}
