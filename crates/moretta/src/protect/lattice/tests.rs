//! The search against worked examples, and against a slow one that looks at every node row by row.

use super::attribute::Attribute;
use super::judge::{Judge, Rows};
use super::metric::{Mean, Measured, Metric};
use super::node::{Node, Shape, nodes};
use super::search::{Evaluation, Found, Search};
use crate::cancel::Cancel;
use crate::data::{Batch, Column, Domains, Field, Kind, Role, RowIds, Schema};
use crate::guarantee::{Diversity, Ground, Guarantee, LDiversity, TCloseness};
use crate::protect::limits::Limits;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A small table: for each column the labels of each value from the value up to the top, and the
/// value of each row; one sensitive letter a row.
#[derive(Clone, Debug)]
struct Toy {
    chains: Vec<Vec<Vec<String>>>,
    values: Vec<Vec<u32>>,
    letters: String,
    weights: Vec<f64>,
}

impl Toy {
    fn attributes(&self) -> Arc<[Attribute]> {
        let columns = self.chains.iter().zip(&self.values).zip(&self.weights);
        let attribute = |((chains, values), &weight): ((&Vec<Vec<String>>, &Vec<u32>), &f64)| {
            let mut rows = vec![0; chains.len()];
            values.iter().for_each(|&value| rows[value as usize] += 1);
            let level = |level: usize| {
                let mut labels: Vec<&str> = Vec::new();
                let (mut nodes, mut leaves) = (Vec::new(), Vec::new());
                for chain in chains {
                    let known = labels.iter().position(|label| *label == chain[level]);
                    let node = known.unwrap_or(labels.len());
                    if known.is_none() {
                        labels.push(&chain[level]);
                        leaves.push(0);
                    }
                    leaves[node] += 1;
                    nodes.push(node as u32);
                }
                (nodes, leaves)
            };
            let levels = (0..chains[0].len()).map(level).collect();
            Attribute::new(chains.len(), levels, &rows, weight)
        };
        columns.map(attribute).collect()
    }

    fn rows(&self) -> usize {
        self.values[0].len()
    }

    fn shape(&self) -> Shape {
        let levels: Vec<(usize, usize)> = self.chains.iter().map(|c| (0, c[0].len() - 1)).collect();
        Shape::new(&levels)
    }

    fn limits(&self, guarantee: &Guarantee) -> Limits {
        let kind = Kind::Category { ordered: false };
        let field = Field::new("s", Role::Sensitive, kind);
        let schema = Arc::new(Schema::new(vec![field]).expect("one name"));
        let letters = self
            .letters
            .chars()
            .map(|c| (c != '-').then(|| c.to_string()));
        let ids = RowIds::Range {
            start: 0,
            len: self.rows(),
        };
        let batch = Batch::new(schema, ids, vec![Column::Category(letters.collect())]);
        Limits::new(guarantee, &batch.expect("fits"), &Domains::default()).expect("limits")
    }
}

/// What is searched for.
#[derive(Clone, Debug)]
struct Task {
    guarantee: Guarantee,
    budget: u64,
    metric: Metric,
    balance: f64,
}

impl Task {
    fn loss(k: u32, budget: u64) -> Self {
        Task {
            guarantee: k_of(k),
            budget,
            metric: LOSS,
            balance: 0.5,
        }
    }

    fn of(self, metric: Metric) -> Self {
        Task { metric, ..self }
    }
}

const LOSS: Metric = Metric::Loss {
    mean: Mean::Geometric,
};

fn k_of(k: u32) -> Guarantee {
    Guarantee {
        k: Some(k),
        ..Guarantee::default()
    }
}

/// Runs `work` with the judge of a toy.
fn judged<T>(toy: &Toy, task: &Task, work: impl FnOnce(&Measured, &mut Judge<'_, 1>) -> T) -> T {
    let attributes = toy.attributes();
    let sizes = (toy.rows() as u64, task.budget);
    let measured = Measured::new(task.metric, Arc::clone(&attributes), sizes, task.balance);
    let limits = toy.limits(&task.guarantee);
    let rows = Rows {
        attributes: &attributes,
        values: &toy.values,
        population: None,
        limits: &limits,
        measured: &measured,
        budget: task.budget,
        bottom: toy.shape().bottom,
    };
    let (fields, words) = rows.layout();
    assert_eq!(words, 1);
    work(&measured, &mut Judge::new(&rows, &fields))
}

fn search(toy: &Toy, task: &Task, most: Option<usize>) -> Found {
    judged(toy, task, |measured, judge| {
        let mut search = Search {
            lattice: &toy.shape(),
            measured,
            evaluate: |node| Ok(judge.evaluate(node)),
            most,
            cancel: &Cancel::default(),
        };
        search.run(|_, _, _| {}).expect("not stopped")
    })
}

/// Ages 20 to 39 in fives, tens and all; sex; a sensitive letter.
fn t8() -> Toy {
    let ages = (20..40).map(|age| {
        vec![
            age.to_string(),
            format!("{}-", age / 5 * 5),
            format!("{}s", age / 10 * 10),
            "*".to_owned(),
        ]
    });
    let sexes = ["F", "M"].map(|sex| vec![sex.to_owned(), "*".to_owned()]);
    Toy {
        chains: vec![ages.collect(), sexes.to_vec()],
        values: vec![
            [21, 23, 25, 28, 32, 34, 36, 39]
                .map(|age| age - 20)
                .to_vec(),
            vec![0, 0, 1, 1, 0, 1, 1, 0],
        ],
        letters: "ffhfufhf".to_owned(),
        weights: vec![1.0, 1.0],
    }
}

fn assert_near(found: f64, expected: f64, what: &str) {
    let tolerance = 1e-9 * expected.abs().max(1.0);
    let rounded = (found - expected).abs() <= tolerance.max(0.5e-9);
    assert!(rounded, "{what}: {found}, not {expected}");
}

#[test]
fn nodes_of_the_worked_example_lose_what_they_should() {
    // Node, suppressed, classes; loss, bound, DM, AECS, precision, entropy, ambiguity.
    type Line = ([usize; 2], u64, u64, [f64; 7]);
    let lines: [Line; 3] = [
        (
            [1, 0],
            4,
            2,
            [
                0.551739262,
                0.100239208,
                40.0,
                8.0 / 3.0,
                0.583333333,
                16.0,
                180.0,
            ],
        ),
        (
            [1, 1],
            0,
            4,
            [0.555973210, 0.555973210, 16.0, 2.0, 0.666666667, 16.0, 80.0],
        ),
        (
            [2, 0],
            0,
            4,
            [0.213953957, 0.213953957, 16.0, 2.0, 0.333333333, 16.0, 80.0],
        ),
    ];
    let metrics = [
        LOSS,
        Metric::Discernibility,
        Metric::AverageClassSize,
        Metric::Precision,
        Metric::Entropy,
        Metric::Ambiguity,
    ];
    for (levels, suppressed, classes, figures) in lines {
        let node = Node::new(levels);
        let values = [0, 2, 3, 4, 5, 6].map(|place| figures[place]);
        for (metric, expected) in metrics.into_iter().zip(values) {
            let task = Task::loss(2, 8).of(metric);
            let found = judged(&t8(), &task, |_, judge| judge.evaluate(node));
            assert_eq!((found.suppressed, found.classes), (suppressed, classes));
            assert_near(found.value, expected, &format!("{metric:?} of {levels:?}"));
            if metric == LOSS {
                assert_near(found.bound, figures[1], "bound");
            }
        }
    }
}

#[test]
fn weights_and_means_are_those_of_the_worked_example() {
    let toy = Toy {
        weights: vec![2.0, 1.0],
        ..t8()
    };
    for (mean, expected) in [
        (Mean::Geometric, 0.416537662),
        (Mean::Arithmetic, 0.427631579),
    ] {
        let task = Task::loss(2, 8).of(Metric::Loss { mean });
        let found = judged(&toy, &task, |_, judge| judge.evaluate(Node::new([1, 0])));
        assert_near(found.value, expected, &format!("{mean:?}"));
    }
}

#[test]
fn the_best_node_of_the_worked_example_is_found_and_proven() {
    let found = search(&t8(), &Task::loss(2, 0), None);
    let (node, evaluation) = found.best.expect("a node");
    assert_eq!(node.levels(2), [2, 0]);
    assert_near(evaluation.value, 0.213953957, "loss");
    assert_eq!(found.gap(), 0.0);
}

/// {x, y} passes and {x} fails, but {x, x, y} fails as a whole: one row becomes three.
#[test]
fn suppression_may_grow_upwards_where_promises_do_not() {
    let chains = ["a", "b"].map(|text| vec![text.to_owned(), "*".to_owned()]);
    let toy = Toy {
        chains: vec![chains.to_vec()],
        values: vec![vec![0, 0, 1]],
        letters: "xyx".to_owned(),
        weights: vec![1.0],
    };
    let diverse = Guarantee {
        l: vec![LDiversity {
            column: "s".to_owned(),
            l: 2.0,
            kind: Diversity::Entropy,
        }],
        ..Guarantee::default()
    };
    let task = Task {
        guarantee: diverse,
        ..Task::loss(1, 1)
    };
    let (low, high) = judged(&toy, &task, |_, judge| {
        (
            judge.evaluate(Node::new([0])),
            judge.evaluate(Node::new([1])),
        )
    });
    assert_eq!(
        (low.suppressed, low.holds, low.frees_above),
        (1, true, false)
    );
    assert_eq!(
        (high.suppressed, high.holds, high.bars_below),
        (3, false, false)
    );
    assert_eq!(
        search(&toy, &task, None)
            .best
            .map(|(node, _)| node.levels(1)),
        Some(vec![0])
    );
}

/// Each node by itself, row by row, as the definitions say it.
fn slow(toy: &Toy, task: &Task, levels: &[usize]) -> Option<f64> {
    let rows = toy.rows();
    let label = |column: usize, row: usize| {
        let chain = &toy.chains[column][toy.values[column][row] as usize];
        chain[levels[column]].as_str()
    };
    let mut classes: BTreeMap<Vec<&str>, Vec<u32>> = BTreeMap::new();
    for row in 0..rows {
        let labels = (0..levels.len()).map(|column| label(column, row)).collect();
        classes.entry(labels).or_default().push(row as u32);
    }
    let limits = toy.limits(&task.guarantee);
    let (kept, gone): (Vec<_>, Vec<_>) =
        classes.into_values().partition(|class| limits.hold(class));
    let suppressed: Vec<u32> = gone.iter().flatten().copied().collect();
    if suppressed.len() as u64 > task.budget {
        return None;
    }
    let (n, columns) = (rows as f64, levels.len() as f64);
    let is_gone = |row: usize| suppressed.contains(&(row as u32));
    let share = |column: usize, row: usize| {
        let chains = &toy.chains[column];
        let under = chains
            .iter()
            .filter(|chain| chain[levels[column]] == label(column, row));
        under.count() as f64 / chains.len() as f64
    };
    let (s, g) = (
        (2.0 * task.balance).min(1.0),
        (2.0 - 2.0 * task.balance).min(1.0),
    );
    Some(match task.metric {
        Metric::Loss { mean } => {
            let heaviest = toy.weights.iter().copied().fold(0.0, f64::max);
            let lost: Vec<f64> = (0..levels.len())
                .map(|column| {
                    let size = toy.chains[column].len() as f64;
                    let sum: f64 = (0..rows)
                        .map(|row| match (is_gone(row), share(column, row)) {
                            (true, share) => share + s * (1.0 - share),
                            (false, share) => g * share,
                        })
                        .sum();
                    let least = g * n / size;
                    let lost = if size > 1.0 {
                        (sum - least) / (n - least)
                    } else {
                        0.0
                    };
                    lost.max(0.0) * toy.weights[column] / heaviest
                })
                .collect();
            match mean {
                Mean::Arithmetic => lost.iter().sum::<f64>() / columns,
                Mean::Geometric => {
                    let product: f64 = lost.iter().map(|lost| 1.0 + lost).product();
                    product.powf(1.0 / columns) - 1.0
                }
            }
        }
        Metric::Precision => {
            let gone = suppressed.len() as f64;
            let lost = (0..levels.len()).map(|column| {
                let height = (toy.chains[column][0].len() - 1) as f64;
                ((n - gone) * g * levels[column] as f64 / height + gone * s) / n
            });
            lost.sum::<f64>() / columns
        }
        Metric::Discernibility => {
            let squares = kept.iter().map(|class| (class.len() * class.len()) as f64);
            squares.sum::<f64>() + suppressed.len() as f64 * n
        }
        Metric::AverageClassSize => {
            n / (kept.len() + usize::from(!suppressed.is_empty())).max(1) as f64
        }
        Metric::Entropy => {
            let count =
                |of: &dyn Fn(usize) -> bool| (0..rows).filter(|&row| of(row)).count() as f64;
            let mut bits = 0.0;
            for column in 0..levels.len() {
                for row in 0..rows {
                    let values = &toy.values[column];
                    let same = count(&|other| values[other] == values[row]);
                    let alike = count(&|other| label(column, other) == label(column, row));
                    bits -= (same / alike).log2();
                    if is_gone(row) {
                        let beside = count(&|other| {
                            is_gone(other) && label(column, other) == label(column, row)
                        });
                        bits -= (beside / suppressed.len() as f64).log2();
                    }
                }
            }
            bits
        }
        Metric::Ambiguity => {
            let all: f64 = toy
                .chains
                .iter()
                .map(|chains| chains.len() as f64)
                .product();
            let of_row = |row: usize| -> f64 {
                let sizes = (0..levels.len())
                    .map(|column| share(column, row) * toy.chains[column].len() as f64);
                if is_gone(row) { all } else { sizes.product() }
            };
            (0..rows).map(of_row).sum()
        }
    })
}

/// A column of up to six values in pairs, triples and all, not all levels of which differ.
fn chains() -> impl Strategy<Value = Vec<Vec<String>>> {
    (1..7usize, 0..3usize).prop_map(|(values, inner)| {
        let label = |value: usize, level: usize| match level {
            0 => format!("v{value}"),
            level => format!("{level}n{}", value / (level + 1) / level),
        };
        let chain = |value: usize| {
            let below = (0..=inner).map(|level| label(value, level));
            below.chain(["*".to_owned()]).collect()
        };
        (0..values).map(chain).collect()
    })
}

fn toys() -> impl Strategy<Value = Toy> {
    let columns = proptest::collection::vec(chains(), 1..4);
    (columns, 1..30usize).prop_flat_map(|(chains, rows)| {
        let values = chains
            .iter()
            .map(|chains| proptest::collection::vec(0..chains.len() as u32, rows));
        let values: Vec<_> = values.collect();
        let letters = proptest::collection::vec("[abc-]", rows);
        let weights = proptest::collection::vec(prop_oneof![Just(1.0), 0.1..4.0], chains.len());
        (Just(chains), values, letters, weights).prop_map(|(chains, values, letters, weights)| {
            Toy {
                chains,
                values,
                letters: letters.concat(),
                weights,
            }
        })
    })
}

fn guarantees() -> impl Strategy<Value = Guarantee> {
    let kinds = prop_oneof![
        Just(Diversity::Distinct),
        Just(Diversity::Entropy),
        Just(Diversity::Recursive { c: 2.0 }),
    ];
    let l = proptest::option::of((1..3u32, kinds));
    let t = proptest::option::of(0.1..0.9f64);
    (1..6u32, l, t).prop_map(|(k, l, t)| Guarantee {
        k: Some(k),
        l: l.into_iter()
            .map(|(l, kind)| LDiversity {
                column: "s".to_owned(),
                l: f64::from(l),
                kind,
            })
            .collect(),
        t: t.into_iter()
            .map(|t| TCloseness {
                column: "s".to_owned(),
                t,
                distance: Ground::Equal,
            })
            .collect(),
        ..Guarantee::default()
    })
}

fn tasks() -> impl Strategy<Value = Task> {
    let metrics = prop_oneof![
        Just(LOSS),
        Just(Metric::Loss {
            mean: Mean::Arithmetic
        }),
        Just(Metric::Precision),
        Just(Metric::Discernibility),
        Just(Metric::AverageClassSize),
        Just(Metric::Entropy),
        Just(Metric::Ambiguity),
    ];
    let budget = prop_oneof![Just(0), 0..10u64];
    let balance = prop_oneof![Just(0.5), 0.0..1.0f64];
    (guarantees(), budget, metrics, balance).prop_map(|(guarantee, budget, metric, balance)| Task {
        guarantee,
        budget,
        metric,
        balance,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_search_finds_what_looking_at_every_node_finds(toy in toys(), task in tasks()) {
        let columns = toy.chains.len();
        let mut best: Option<f64> = None;
        for node in nodes(&toy.shape()) {
            let value = slow(&toy, &task, &node.levels(columns));
            best = [best, value].into_iter().flatten().reduce(f64::min);
        }
        let found = search(&toy, &task, None);
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs().max(1.0);
        match (best, found.best) {
            (None, None) => {}
            (Some(best), Some((node, evaluation))) => {
                prop_assert!(close(evaluation.value, best), "{} at {node:?}, not {best}", evaluation.value);
                let again = slow(&toy, &task, &node.levels(columns));
                prop_assert!(again.is_some_and(|again| close(again, best)));
            }
            (best, found) => prop_assert!(false, "{best:?} and {found:?}"),
        }
        prop_assert_eq!(found.gap(), 0.0);
    }

    #[test]
    fn every_node_is_judged_as_row_by_row_and_no_bound_is_too_high(toy in toys(), task in tasks()) {
        let columns = toy.chains.len();
        let nodes = nodes(&toy.shape());
        let found: Vec<Evaluation> = judged(&toy, &task, |_, judge| {
            nodes.iter().map(|&node| judge.evaluate(node)).collect()
        });
        for (node, evaluation) in nodes.iter().zip(&found) {
            let slow = slow(&toy, &task, &node.levels(columns));
            prop_assert_eq!(evaluation.holds, slow.is_some(), "{:?}", node);
            for (other, above) in nodes.iter().zip(&found).filter(|(other, _)| node.is_below(other)) {
                let slack = 1e-9 * above.value.abs().max(1.0);
                prop_assert!(evaluation.bound <= above.value + slack, "{node:?} bounds {other:?}");
                prop_assert!(!evaluation.frees_above || above.holds);
                prop_assert!(!above.bars_below || !evaluation.holds);
            }
        }
    }

    #[test]
    fn a_search_that_stops_early_gives_a_bound_that_holds(toy in toys(), task in tasks(), most in 1..6usize) {
        let whole = search(&toy, &task, None).best;
        let part = search(&toy, &task, Some(most));
        let open = part.open.unwrap_or(f64::INFINITY);
        let found = part.best.map_or(f64::INFINITY, |(_, best)| best.value);
        if let Some((_, best)) = whole {
            let slack = 1e-9 * best.value.abs().max(1.0);
            prop_assert!(found.min(open) <= best.value + slack);
            prop_assert!(found >= best.value - slack);
        }
    }
}
