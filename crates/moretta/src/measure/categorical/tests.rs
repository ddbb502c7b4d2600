//! Figures against the worked examples, and against everything computed again by comparing all
//! pairs of records.

use super::fellegi_sunter::FellegiSunter;
use super::*;
use crate::data::{CategoricalTable, Variable};
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A worked example; without the public data there is none, except under CI.
fn example(name: &str) -> Option<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/worked-examples/mares")
        .join(format!("{name}.json"));
    if !path.exists() {
        assert!(std::env::var_os("CI").is_none(), "CI needs the shared data");
        return None;
    }
    let text = std::fs::read_to_string(path).expect("read");
    Some(serde_json::from_str(&text).expect("JSON"))
}

fn list<T>(value: &Value, item: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().expect("a list").iter().map(item).collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn numbers(value: &Value) -> Vec<f64> {
    list(value, number)
}

fn codes(value: &Value) -> Vec<Vec<u32>> {
    list(value, |row| list(row, |code| number(code) as u32))
}

fn variables(schema: &Value) -> Vec<Variable> {
    list(schema, |column| Variable {
        ordered: column[0] == "ordinal",
        levels: number(&column[1]) as usize,
    })
}

fn table(variables: &[Variable], records: &[Vec<u32>]) -> CategoricalTable {
    let column = |i| records.iter().map(|record| record[i]).collect();
    let columns = (0..variables.len()).map(column).collect();
    CategoricalTable::new(variables.to_vec(), columns).expect("codes of their domains")
}

/// The originals of an example's inputs and its masked file.
fn pair(inputs: &Value) -> (CategoricalTable, CategoricalTable) {
    let variables = variables(&inputs["schema"]);
    (
        table(&variables, &codes(&inputs["original"])),
        table(&variables, &codes(&inputs["masked"])),
    )
}

fn scored(inputs: &Value, settings: ScoreSettings) -> Scored {
    let (original, masked) = pair(inputs);
    let scorer = Scorer::new(original, settings).expect("settings");
    scorer.score(&masked).expect("a masked file")
}

#[track_caller]
fn close(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{found} is not {expected}"
    );
}

#[track_caller]
fn all_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        close(*found, *expected, tolerance);
    }
}

#[test]
fn losses_are_those_of_the_worked_example() {
    let Some(example) = example("il-categorical-a") else {
        return;
    };
    let expected = &example["expected"];
    let figures = scored(&example["inputs"], ScoreSettings::default()).figures();
    close(figures.dbil, number(&expected["DBIL_percent"]), 1e-9);
    close(figures.ctbil, number(&expected["CTBIL"]["percent"]), 1e-9);
    close(figures.ebil, number(&expected["EBIL_percent"]), 1e-9);
    close(
        figures.il(),
        number(&expected["IL_percent_mean_of_three"]),
        1e-9,
    );
}

#[test]
fn entropy_from_a_matrix_is_that_of_the_worked_example() {
    let Some(example) = example("ebil-pram-matrix-a") else {
        return;
    };
    let (inputs, expected) = (&example["inputs"], &example["expected"]);
    let entropy = entropy_given_masked(
        &numbers(&inputs["frequencies"]),
        &list(&inputs["P"], numbers),
    );
    all_close(&entropy, &numbers(&expected["H_given_masked"]), 1e-9);
    let masked = numbers(&inputs["masked_column"]);
    let bits: f64 = masked.iter().map(|&code| entropy[code as usize]).sum();
    close(bits, number(&expected["EBIL_bits"]), 1e-9);
    let most = masked.len() as f64 * (entropy.len() as f64).log2();
    close(100.0 * bits / most, number(&expected["EBIL_percent"]), 1e-9);
}

#[test]
fn interval_disclosure_is_that_of_the_worked_example() {
    let Some(example) = example("interval-disclosure-categorical-a") else {
        return;
    };
    let expected = &example["expected"];
    let percents = list(&example["inputs"]["p_percent"], |p| number(p) as u32);
    let with = |percents: Vec<u32>| {
        let settings = ScoreSettings {
            percents,
            ..ScoreSettings::default()
        };
        scored(&example["inputs"], settings).figures().interval
    };
    for &percent in &percents {
        let expected = number(&expected["percent_by_p"][percent.to_string()]);
        close(with(vec![percent]), expected, 1e-9);
    }
    close(with(percents), number(&expected["mean"]), 1e-9);
}

#[test]
fn distance_linkage_is_that_of_the_worked_example() {
    let Some(example) = example("dbrl-a") else {
        return;
    };
    let expected = &example["expected"];
    let mut scored = scored(&example["inputs"], ScoreSettings::default());
    let found = scored.figures().distance_linkage;
    close(found, number(&expected["percent_fractional_ties"]), 1e-9);
    let alone = scored.distance_linkage_alone();
    close(alone, number(&expected["percent_strict_unique"]), 1e-9);
}

/// The bits of a pattern, of which a text has a digit for each attribute.
fn bits(text: &str) -> u64 {
    let digits = text.chars().enumerate();
    digits
        .map(|(bit, digit)| u64::from(digit == '1') << bit)
        .sum()
}

#[test]
fn probabilistic_linkage_is_that_of_the_worked_example() {
    let Some(example) = example("prl-a") else {
        return;
    };
    let (inputs, expected) = (&example["inputs"], &example["expected"]);
    let counts = expected["pattern_counts"].as_object().expect("patterns");
    let counts: BTreeMap<u64, f64> = counts
        .iter()
        .map(|(pattern, count)| (bits(pattern), number(count)))
        .collect();
    let patterns: Vec<(u64, f64)> = counts.into_iter().collect();

    let check_model = |model: &FellegiSunter, expected: &Value, tolerance: f64| {
        all_close(&model.m, &numbers(&expected["m"]), tolerance);
        all_close(&model.u, &numbers(&expected["u"]), tolerance);
    };
    let check_weights = |model: &FellegiSunter, expected: &Value, tolerance: f64| {
        for (pattern, weight) in expected.as_object().expect("patterns") {
            close(model.weight(bits(pattern)), number(weight), tolerance);
        }
    };
    let start = FellegiSunter::start(3, 0.125);
    let likelihood = |model: &FellegiSunter| model.log_likelihood(&patterns);
    close(likelihood(&start), number(&expected["loglik_first"]), 1e-6);
    let one = start.clone().improved(&patterns, false, 1);
    check_model(&one, &expected["em_after_1"], 1e-9);
    // The last likelihood is that with which the last round of 50 begins.
    let before_last = (0..49).fold(start, |model, _| model.improved(&patterns, false, 1));
    close(
        likelihood(&before_last),
        number(&expected["loglik_last"]),
        1e-6,
    );
    close(one.pi, number(&expected["em_after_1"]["pi"]), 1e-9);

    for (mode, model_of, weights_of, percent) in [
        (
            LinkageMode::Em,
            &expected["em_after_50"],
            &expected["weights_em"],
            &expected["percent_em"],
        ),
        (
            LinkageMode::EmFixedPi,
            &expected["em_fixed_pi_after_50"],
            &expected["em_fixed_pi_after_50"]["weights"],
            &expected["em_fixed_pi_after_50"]["percent"],
        ),
        (
            LinkageMode::Supervised,
            &expected["supervised"],
            &expected["supervised"]["weights"],
            &expected["supervised"]["percent"],
        ),
    ] {
        let settings = ScoreSettings {
            linkage: mode,
            ..ScoreSettings::default()
        };
        let mut scored = scored(inputs, settings);
        let model = scored.fellegi_sunter();
        check_model(&model, model_of, 1e-6);
        check_weights(&model, weights_of, 1e-5);
        close(
            scored.figures().probabilistic_linkage,
            number(percent),
            1e-9,
        );
        let inverted: Vec<usize> = model.inverted().collect();
        assert_eq!(
            inverted,
            if mode == LinkageMode::Supervised {
                vec![]
            } else {
                vec![2]
            }
        );
        if mode == LinkageMode::Em {
            close(model.pi, number(&model_of["pi"]), 1e-6);
        }
    }
    let fixed = FellegiSunter {
        m: numbers(&inputs["fixed_m"]),
        u: numbers(&inputs["fixed_u"]),
        pi: 0.125,
    };
    check_weights(&fixed, &expected["weights_fixed"], 1e-9);
    let mut scored = scored(inputs, ScoreSettings::default());
    assert_eq!(scored.pattern_counts(), patterns);
    close(
        scored.linked_by(&fixed),
        number(&expected["percent_fixed"]),
        1e-9,
    );
}

#[test]
fn likelihood_never_falls_and_thresholds_hold_their_chances() {
    let patterns: Vec<(u64, f64)> = [14.0, 4.0, 8.0, 4.0, 21.0, 4.0, 5.0, 4.0]
        .into_iter()
        .enumerate()
        .map(|(p, c)| (p as u64, c))
        .collect();
    for fixed_pi in [false, true] {
        let mut model = FellegiSunter::start(3, 0.125);
        for _ in 0..50 {
            let next = model.clone().improved(&patterns, fixed_pi, 1);
            assert!(next.log_likelihood(&patterns) >= model.log_likelihood(&patterns) - 1e-9);
            model = next;
        }
    }
    let model = FellegiSunter {
        m: vec![0.9, 0.8, 0.7],
        u: vec![0.2, 0.3, 0.5],
        pi: 0.125,
    };
    // From above: U of 111 is 0.03, of 110 as much; M of 000 is 0.006, of 001 is 0.014.
    let weight = |text| model.weight(bits(text));
    let (links, none) = model.thresholds(0..8, 0.05, 0.01);
    assert_eq!((links, none), (Some(weight("111")), Some(weight("000"))));
    let (links, none) = model.thresholds(0..8, 0.07, 0.03);
    assert_eq!((links, none), (Some(weight("110")), Some(weight("001"))));
    assert_eq!(model.thresholds(0..8, 0.01, 0.001), (None, None));
}

#[test]
fn the_score_is_that_of_the_worked_example() {
    let Some(example) = example("score-a") else {
        return;
    };
    let (inputs, expected) = (&example["inputs"], &example["expected"]);
    let loss = number(&inputs["IL"]);
    let figures = |largest_linkage| Figures {
        dbil: loss,
        ctbil: loss,
        ebil: loss,
        interval: number(&inputs["ID"]),
        distance_linkage: number(&inputs["DBRL"]),
        probabilistic_linkage: number(&inputs["PRL"]),
        combination: Combination {
            largest_linkage,
            ..Combination::default()
        },
    };
    close(figures(false).dr(), number(&expected["DR"]), 1e-9);
    close(
        figures(true).dr(),
        number(&expected["DR_max_linkage"]),
        1e-9,
    );
    close(figures(false).mean(), number(&expected["score_mean"]), 1e-9);
    close(figures(false).max(), number(&expected["score_max"]), 1e-9);
}

#[test]
fn tables_of_two_attributes_are_those_of_the_worked_example() {
    let Some(example) = example("bivariate-a") else {
        return;
    };
    let (inputs, expected) = (&example["inputs"], &example["expected"]);
    let column = |name: &str| list(&inputs[name], |code| number(code) as u32);
    let levels = list(&inputs["shape"], |levels| number(levels) as usize);
    let [first, second] = [levels[0], levels[1]].map(Variable::nominal);
    let mut table = Bivariate::new(first, second).expect("small");
    let (before, after) = (column("B_original"), column("B_masked"));
    for (a, (before, after)) in column("A").into_iter().zip(before.into_iter().zip(after)) {
        table.add((a, before), (a, after), 1);
    }
    let found = [
        table.chi_square()[0],
        table.chi_square()[1],
        table.chi_square_change().expect("not independent"),
        table.difference() as f64,
        table.difference_per_cell(),
        table.cramers_v()[0],
        table.cramers_v()[1],
    ];
    let names = [
        "chi2",
        "chi2_masked",
        "relative_abs_diff_chi2",
        "bivariate_l1",
        "bivariate_mean_abs_per_cell",
        "cramers_v",
        "cramers_v_masked",
    ];
    all_close(&found, &names.map(|name| number(&expected[name])), 1e-9);
}

#[test]
fn partitions_are_those_of_the_worked_example() {
    let Some(example) = example("partition-indices-a") else {
        return;
    };
    let (inputs, expected) = (&example["inputs"], &example["expected"]);
    let labels = |name: &str| list(&inputs[name], |label| number(label) as u32);
    let pairs = PartitionPairs::new(&labels("p"), &labels("q"));
    let found = [
        pairs.both as f64,
        pairs.first as f64,
        pairs.second as f64,
        pairs.neither as f64,
        pairs.rand(),
        pairs.jaccard(),
        pairs.fowlkes_mallows(),
        pairs.wallace()[0],
        pairs.wallace()[1],
        pairs.adjusted_rand(),
        2.0 * (pairs.first + pairs.second) as f64,
        1.0 - (1.0 + pairs.adjusted_rand()) / 2.0,
    ];
    let names = [
        "N11",
        "N10",
        "N01",
        "N00",
        "rand",
        "jaccard",
        "fowlkes_mallows",
        "wallace_1",
        "wallace_2",
        "adjusted_rand",
        "mirkin",
        "dist_ari",
    ];
    all_close(&found, &names.map(|name| number(&expected[name])), 1e-9);
}

#[test]
fn figures_of_german_credit_are_those_of_the_worked_example() {
    let Some(example) = example("pipeline-real-data-a") else {
        return;
    };
    for (method, expected) in example["expected"].as_object().expect("methods") {
        let mut inputs = example["inputs"].clone();
        inputs["masked"] = expected["masked"].clone();
        let mut scored = scored(&inputs, ScoreSettings::default());
        let figures = scored.figures();
        let check = |name: &str, found: f64| {
            let expected = number(&expected[name]);
            assert!(
                (found - expected).abs() < 1e-9,
                "{method} {name}: {found} {expected}"
            );
        };
        check("DBIL_percent", figures.dbil);
        check("CTBIL_percent", figures.ctbil);
        check("EBIL_percent", figures.ebil);
        check("IL", figures.il());
        check("ID_mean_p1_10", figures.interval);
        check("DBRL_percent", figures.distance_linkage);
        check("DBRL_strict", scored.distance_linkage_alone());
        check("PRL_fixed_pi_percent", figures.probabilistic_linkage);
        check("DR", figures.dr());
        check("score_mean", figures.mean());
        check("score_max", figures.max());
        let model = scored.fellegi_sunter();
        all_close(&model.m, &numbers(&expected["em"]["m"]), 1e-6);
        all_close(&model.u, &numbers(&expected["em"]["u"]), 1e-6);
    }
}

/// Everything again from the two files alone.
mod slow {
    use super::*;

    pub(super) fn figures(
        variables: &[Variable],
        original: &[Vec<u32>],
        masked: &[Vec<u32>],
        settings: &ScoreSettings,
        model: &FellegiSunter,
    ) -> Figures {
        let (n, width) = (original.len() as f64, variables.len());
        let rows = 0..original.len();
        let distance = |a: &[u32], b: &[u32]| -> f64 {
            (0..width).map(|i| variables[i].distance(a[i], b[i])).sum()
        };
        let dbil: f64 = rows
            .clone()
            .map(|r| distance(&original[r], &masked[r]))
            .sum();
        let bits: f64 = variables.iter().map(|v| (v.levels as f64).log2()).sum();
        let ebil: f64 = (0..width).map(|i| entropy(original, masked, i)).sum();
        let hits: f64 = (0..width)
            .flat_map(|i| settings.percents.iter().map(move |&p| (i, p)))
            .map(|(i, p)| hits(variables[i], original, masked, i, f64::from(p)))
            .sum();
        let by_distance = |r: usize| {
            let all: Vec<f64> = original.iter().map(|o| distance(o, &masked[r])).collect();
            let least = all.iter().copied().fold(f64::INFINITY, f64::min);
            let near = all.iter().filter(|d| **d < least + 1e-9).count();
            if all[r] < least + 1e-9 {
                1.0 / near as f64
            } else {
                0.0
            }
        };
        Figures {
            dbil: 100.0 * dbil / (n * width as f64),
            ctbil: ctbil(original, masked, width, settings.order),
            ebil: if bits > 0.0 {
                100.0 * ebil / (n * bits)
            } else {
                0.0
            },
            interval: 100.0 * hits / (n * width as f64 * settings.percents.len() as f64),
            distance_linkage: 100.0 * rows.map(by_distance).sum::<f64>() / n,
            probabilistic_linkage: probabilistic(original, masked, model),
            combination: settings.combination,
        }
    }

    fn entropy(original: &[Vec<u32>], masked: &[Vec<u32>], i: usize) -> f64 {
        let of_row = |r: usize| {
            let same: Vec<usize> = (0..masked.len())
                .filter(|&s| masked[s][i] == masked[r][i])
                .collect();
            let own = same
                .iter()
                .filter(|&&s| original[s][i] == original[r][i])
                .count();
            -(own as f64 / same.len() as f64).log2()
        };
        (0..masked.len()).map(of_row).sum()
    }

    fn hits(
        variable: Variable,
        original: &[Vec<u32>],
        masked: &[Vec<u32>],
        i: usize,
        p: f64,
    ) -> f64 {
        let rank = |v: u32| {
            let below = masked.iter().filter(|row| row[i] < v).count() as f64;
            let upto = masked.iter().filter(|row| row[i] <= v).count() as f64;
            (below + upto + 1.0) / 2.0
        };
        let hit = |(o, m): (&Vec<u32>, &Vec<u32>)| {
            if variable.ordered {
                (rank(o[i]) - rank(m[i])).abs() <= p * masked.len() as f64 / 200.0
            } else {
                o[i] == m[i]
            }
        };
        original
            .iter()
            .zip(masked)
            .filter(|&pair| hit(pair))
            .count() as f64
    }

    fn ctbil(original: &[Vec<u32>], masked: &[Vec<u32>], width: usize, order: usize) -> f64 {
        let (mut sum, mut tables) = (0, 0);
        for set in 1_u32..1 << width {
            if set.count_ones() as usize > order {
                continue;
            }
            tables += 1;
            let mut counts: BTreeMap<Vec<u32>, i64> = BTreeMap::new();
            for (rows, one) in [(original, 1), (masked, -1)] {
                for row in rows {
                    let key = (0..width).filter(|i| set >> i & 1 == 1).map(|i| row[i]);
                    *counts.entry(key.collect()).or_default() += one;
                }
            }
            sum += counts.values().map(|count| count.abs()).sum::<i64>();
        }
        100.0 * sum as f64 / (2.0 * original.len() as f64 * f64::from(tables))
    }

    /// The share of records that these chances link to their own.
    fn probabilistic(
        original: &[Vec<u32>],
        masked: &[Vec<u32>],
        FellegiSunter { m, u, .. }: &FellegiSunter,
    ) -> f64 {
        let n = original.len();
        let weight = |a: usize, b: usize| -> f64 {
            let of = |k: usize| match original[a][k] == masked[b][k] {
                true => (m[k] / u[k]).log2(),
                false => ((1.0 - m[k]) / (1.0 - u[k])).log2(),
            };
            (0..m.len()).map(of).sum()
        };
        let found = |b: usize| {
            let all: Vec<f64> = (0..n).map(|a| weight(a, b)).collect();
            let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let equal = all.iter().filter(|w| **w >= most - 1e-6).count();
            if all[b] >= most - 1e-6 {
                1.0 / equal as f64
            } else {
                0.0
            }
        };
        100.0 * (0..n).map(found).sum::<f64>() / n as f64
    }

    /// One round of EM over all pairs, one by one.
    pub(super) fn round(
        original: &[Vec<u32>],
        masked: &[Vec<u32>],
        FellegiSunter { m, u, pi }: &FellegiSunter,
    ) -> FellegiSunter {
        let n = original.len();
        let agree = |a: usize, b: usize, k: usize| original[a][k] == masked[b][k];
        let chance = |c: &[f64], a: usize, b: usize| -> f64 {
            let of = |k: usize| if agree(a, b, k) { c[k] } else { 1.0 - c[k] };
            (0..m.len()).map(of).product()
        };
        let (mut all, mut others) = (0.0, 0.0);
        let mut sums = vec![(0.0, 0.0); m.len()];
        for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))) {
            let (of_m, of_u) = (pi * chance(m, a, b), (1.0 - pi) * chance(u, a, b));
            let g = of_m / (of_m + of_u);
            all += g;
            others += 1.0 - g;
            for (k, sum) in sums.iter_mut().enumerate() {
                if agree(a, b, k) {
                    *sum = (sum.0 + g, sum.1 + 1.0 - g);
                }
            }
        }
        let clamp = |x: f64| x.clamp(1e-6, 1.0 - 1e-6);
        FellegiSunter {
            m: sums.iter().map(|sum| clamp(sum.0 / all)).collect(),
            u: sums.iter().map(|sum| clamp(sum.1 / others)).collect(),
            pi: clamp(all / (n * n) as f64),
        }
    }

    /// The chances that the protector sees.
    pub(super) fn supervised(
        original: &[Vec<u32>],
        masked: &[Vec<u32>],
        width: usize,
    ) -> FellegiSunter {
        let n = original.len();
        let share = |k: usize, own: bool| {
            let pairs = (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
            let of: Vec<_> = pairs.filter(|(a, b)| (a == b) == own).collect();
            let agree = of.iter().filter(|(a, b)| original[*a][k] == masked[*b][k]);
            (agree.count() as f64 / of.len() as f64).clamp(1e-6, 1.0 - 1e-6)
        };
        FellegiSunter {
            m: (0..width).map(|k| share(k, true)).collect(),
            u: (0..width).map(|k| share(k, false)).collect(),
            pi: 1.0 / n as f64,
        }
    }
}

fn same(found: &Figures, expected: &Figures) -> std::result::Result<(), TestCaseError> {
    for (name, found, expected) in [
        ("dbil", found.dbil, expected.dbil),
        ("ctbil", found.ctbil, expected.ctbil),
        ("ebil", found.ebil, expected.ebil),
        ("interval", found.interval, expected.interval),
        (
            "distance",
            found.distance_linkage,
            expected.distance_linkage,
        ),
        (
            "probabilistic",
            found.probabilistic_linkage,
            expected.probabilistic_linkage,
        ),
    ] {
        prop_assert!(
            (found - expected).abs() < 1e-9,
            "{name}: {found} {expected}"
        );
    }
    Ok(())
}

const MODES: [LinkageMode; 3] = [
    LinkageMode::Em,
    LinkageMode::EmFixedPi,
    LinkageMode::Supervised,
];

/// A file of categories, a masked one and changes to it.
#[derive(Clone, Debug)]
struct Case {
    variables: Vec<Variable>,
    original: Vec<Vec<u32>>,
    masked: Vec<Vec<u32>>,
    changes: Vec<(usize, usize, u32)>,
}

fn any_case(most: usize, widths: std::ops::Range<usize>) -> impl Strategy<Value = Case> {
    let variable =
        (any::<bool>(), 1_usize..7).prop_map(|(ordered, levels)| Variable { ordered, levels });
    let cell = any::<u32>();
    (prop::collection::vec(variable, widths), 1..most).prop_flat_map(move |(variables, rows)| {
        let width = variables.len();
        let cells = || prop::collection::vec(prop::collection::vec(cell, width), rows);
        let change = (0..rows, 0..width, cell);
        let changes = prop::collection::vec(change, 0..12);
        (
            cells(),
            cells(),
            prop::collection::vec(any::<bool>(), rows),
            changes,
        )
            .prop_map(move |(original, masked, kept, changes)| {
                let code = |attribute: usize, cell: u32| cell % variables[attribute].levels as u32;
                let coded = |rows: Vec<Vec<u32>>| -> Vec<Vec<u32>> {
                    let coded = |row: Vec<u32>| {
                        row.into_iter()
                            .enumerate()
                            .map(|(i, c)| code(i, c))
                            .collect()
                    };
                    rows.into_iter().map(coded).collect()
                };
                let (original, mut masked) = (coded(original), coded(masked));
                for (row, kept) in kept.iter().enumerate() {
                    if *kept {
                        masked[row].clone_from(&original[row]);
                    }
                }
                Case {
                    changes: changes
                        .into_iter()
                        .map(|(r, a, c)| (r, a, code(a, c)))
                        .collect(),
                    variables: variables.clone(),
                    original,
                    masked,
                }
            })
    })
}

fn check_case(case: Case, settings: ScoreSettings) -> std::result::Result<(), TestCaseError> {
    let Case {
        variables,
        original,
        mut masked,
        changes,
    } = case;
    let scorer = Scorer::new(table(&variables, &original), settings.clone()).expect("settings");
    let mut scored = scorer.score(&table(&variables, &masked)).expect("scored");
    check_figures(&mut scored, &original, &masked, &settings)?;
    for (row, attribute, code) in changes {
        masked[row][attribute] = code;
        scored.replace(row, attribute, code);
        // Not after each change, so that several can come together.
        if code % 2 == 0 {
            let now = table(&variables, &masked);
            prop_assert_eq!(scored.masked(), &now);
            let anew = scorer.score(&now).expect("scored").figures();
            prop_assert_eq!(scored.figures(), anew);
            check_figures(&mut scored, &original, &masked, &settings)?;
        }
    }
    Ok(())
}

/// EM may go either way from where it stands still, so its rounds are compared one by one, and
/// links by the chances that it has found.
fn check_figures(
    scored: &mut Scored,
    original: &[Vec<u32>],
    masked: &[Vec<u32>],
    settings: &ScoreSettings,
) -> std::result::Result<(), TestCaseError> {
    let variables = scored.masked().variables().to_vec();
    let model = scored.fellegi_sunter();
    let expected = slow::figures(&variables, original, masked, settings, &model);
    same(&scored.figures(), &expected)?;
    let alike = |a: &FellegiSunter, b: &FellegiSunter| {
        let pairs = a.m.iter().chain(&a.u).zip(b.m.iter().chain(&b.u));
        pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-9)
    };
    if settings.linkage == LinkageMode::Supervised {
        // Of one record there are no false pairs.
        let expected = slow::supervised(original, masked, variables.len());
        prop_assert!(original.len() < 2 || alike(&model, &expected));
        return Ok(());
    }
    let patterns = scored.pattern_counts();
    let mut state = FellegiSunter::start(variables.len(), 1.0 / original.len() as f64);
    for _ in 0..3 {
        let next = state.clone().improved(&patterns, false, 1);
        let expected = slow::round(original, masked, &state);
        // Where all pairs are sure to be of one kind, the chances of the other are 0 over 0.
        let is_sure = [next.pi, state.pi]
            .iter()
            .any(|pi| !(1e-3..0.999).contains(pi));
        prop_assert!(is_sure || alike(&next, &expected), "{next:?} {expected:?}");
        state = next;
    }
    Ok(())
}

proptest! {
    #[test]
    fn after_any_changes_figures_are_those_of_comparing_all_pairs(
        case in any_case(20, 1..5),
        order in 1_usize..4,
        mode in 0_usize..3,
        percents in prop::collection::vec(0_u32..101, 1..5),
    ) {
        let settings = ScoreSettings {
            order,
            linkage: MODES[mode],
            percents,
            combination: Combination::default(),
        };
        check_case(case, settings)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn many_attributes_are_compared_as_few_are(case in any_case(12, 7..10), mode in 0_usize..3) {
        let settings = ScoreSettings {
            linkage: MODES[mode],
            ..ScoreSettings::default()
        };
        check_case(case, settings)?;
    }
}

#[test]
fn no_rows_no_attributes_and_odd_settings_are_no_trouble() {
    for width in [0, 2] {
        let empty = table(&vec![Variable::ordinal(3); width], &[]);
        let scorer = Scorer::new(empty.clone(), ScoreSettings::default()).expect("settings");
        let figures = scorer.score(&empty).expect("scored").figures();
        assert_eq!((figures.mean(), figures.max()), (0.0, 0.0));
    }
    let one = table(&[Variable::ordinal(2)], &[vec![0]]);
    for order in [0, 4] {
        let settings = ScoreSettings {
            order,
            ..ScoreSettings::default()
        };
        assert!(Scorer::new(one.clone(), settings).is_err());
    }
    let scorer = Scorer::new(one, ScoreSettings::default()).expect("settings");
    let other = table(&[Variable::ordinal(2)], &[vec![0], vec![1]]);
    assert!(scorer.score(&other).is_err());
}

#[test]
fn large_domains_are_scored_as_small_ones() {
    let code = |n: u32| n * 7919 % 20_000;
    let records =
        |shift: u32| -> Vec<Vec<u32>> { (0..40).map(|n| vec![code(n), code(n + shift)]).collect() };
    let variables = [Variable::ordinal(20_000), Variable::nominal(20_000)];
    let (original, masked) = (records(1), records(2));
    let settings = ScoreSettings::default();
    let scorer = Scorer::new(table(&variables, &original), settings.clone()).expect("settings");
    let mut scored = scorer.score(&table(&variables, &masked)).expect("scored");
    let model = scored.fellegi_sunter();
    let figures = scored.figures();
    let expected = slow::figures(&variables, &original, &masked, &settings, &model);
    same(&figures, &expected).expect("the same");
}
