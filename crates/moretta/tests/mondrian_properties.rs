//! What every release of Mondrian keeps to, on small random tables of every kind of column.

mod support;

use moretta::data::{Batch, Domain, Region};
use moretta::guarantee::{Ground, Guarantee, TCloseness};
use moretta::protect::mondrian::{Mode, Mondrian, Output};
use moretta::protect::{Chain, Method, Operator};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::{BTreeMap, BTreeSet};
use support::{Axis, Table, exact_mondrian, guarantees, lines, modes, mondrian, only_k, tables};

/// The region that each class shows on each axis, and the rows of the class.
fn classes(table: &Table, release: &Batch) -> Vec<(Vec<Region>, Vec<usize>)> {
    let domains = table.domains();
    let mut classes: BTreeMap<Vec<Option<String>>, Vec<usize>> = BTreeMap::new();
    for (id, mut cells) in lines(release) {
        cells.truncate(table.axes.len());
        classes.entry(cells).or_default().push(id as usize);
    }
    let region = |axis: usize, text: &Option<String>| {
        let domain = domains.require(&Table::name(axis)).expect("a domain");
        Region::parse(text.as_deref(), domain).expect("a region")
    };
    classes
        .into_iter()
        .map(|(texts, rows)| {
            let regions = texts.iter().enumerate().map(|(i, text)| region(i, text));
            (regions.collect(), rows)
        })
        .collect()
}

/// Whether no value lies in both regions.
fn disjoint(a: &Region, b: &Region, domain: &Domain) -> bool {
    match (a, b) {
        (Region::Any, _) | (_, Region::Any) => false,
        (Region::Missing, other) | (other, Region::Missing) => *other != Region::Missing,
        (Region::Interval(low, high), Region::Interval(from, to)) => high < from || to < low,
        (Region::Set(a), Region::Set(b)) => a.iter().all(|code| !b.contains(code)),
        (Region::Node(i, n), Region::Node(j, m)) => {
            let tree = domain.hierarchy.as_ref().expect("a tree");
            let (a, b) = (tree.leaves_under(*i, *n), tree.leaves_under(*j, *m));
            a.end <= b.start || b.end <= a.start
        }
        _ => panic!("regions of two kinds on one axis"),
    }
}

/// Whether the rows could be cut once more along the axis, all equal values on one side.
fn can_be_cut(table: &Table, axis: usize, rows: &[usize], k: usize) -> bool {
    let mut codes: Vec<u8> = rows
        .iter()
        .filter_map(|&r| table.rows[r].cells[axis])
        .collect();
    codes.sort_unstable();
    if table.axes[axis].has_tree() {
        let tree = support::tree(table.axes[axis]);
        let (low, high) = (codes[0], codes[codes.len() - 1]);
        let (level, _) = tree.lowest_common(u32::from(low), u32::from(high));
        if level == 0 {
            return false;
        }
        let mut children: BTreeMap<u32, usize> = BTreeMap::new();
        for code in codes {
            *children
                .entry(tree.node(level - 1, u32::from(code)))
                .or_default() += 1;
        }
        return children.values().all(|&count| count >= k);
    }
    // Nominal values stand in the order of first appearance, so codes are renamed to it.
    if table.axes[axis] == Axis::Nominal {
        let mut order: Vec<u8> = Vec::new();
        for code in table.rows.iter().filter_map(|row| row.cells[axis]) {
            if !order.contains(&code) {
                order.push(code);
            }
        }
        let place =
            |code: &mut u8| *code = order.iter().position(|c| c == code).expect("seen") as u8;
        codes.iter_mut().for_each(place);
        codes.sort_unstable();
    }
    (k..(codes.len() + 1).saturating_sub(k)).any(|place| codes[place - 1] < codes[place])
}

fn check(table: &Table, method: &Method) {
    let Ok(release) = table.protect(method, usize::MAX) else {
        return;
    };
    let ids: BTreeSet<u64> = release.rows().iter().collect();
    assert_eq!(ids.len(), release.len(), "no row comes out twice");
    if let Method::Mondrian(mondrian) = method {
        let gone = (table.rows.len() - release.len()) as f64;
        assert!(gone <= mondrian.suppress * table.rows.len() as f64);
    }
    assert_eq!(table.untruths(&release, method), []);
    let findings = table.check(&release).expect("it can be checked");
    assert!(
        findings.passed(),
        "{:?} {:?}",
        findings.claims,
        findings.faults
    );
}

fn in_threads(threads: usize, work: impl Fn() -> Batch + Send + Sync) -> Batch {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().expect("threads").install(work)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn every_row_comes_out_once_and_true_and_the_checker_agrees(
        table in tables(60, 0.1, guarantees()),
        mode in modes(),
    ) {
        check(&table, &mondrian(mode));
    }

    #[test]
    fn so_it_is_with_free_intervals_and_representatives(
        table in tables(60, 0.1, guarantees()),
        mode in modes(),
        output in prop_oneof![Just(Output::Interval), Just(Output::Mode)],
    ) {
        let config = Mondrian { mode, output, ..Mondrian::default() };
        check(&table, &Method::Mondrian(config));
    }

    #[test]
    fn strict_boxes_never_overlap(table in tables(60, 0.0, (1u32..5).prop_map(only_k))) {
        let release = table.protect(&exact_mondrian(Mode::Strict), usize::MAX);
        let classes = release.map_or_else(|_| Vec::new(), |release| classes(&table, &release));
        let domains = table.domains().quasi(&table.schema());
        for (i, (a, _)) in classes.iter().enumerate() {
            for (b, _) in &classes[..i] {
                let mut axes = a.iter().zip(b).zip(&domains);
                prop_assert!(axes.any(|((a, b), (_, domain))| disjoint(a, b, domain)));
            }
        }
    }

    #[test]
    fn no_class_of_a_strict_release_could_be_cut_again(
        table in tables(60, 0.0, (1u32..5).prop_map(only_k)),
    ) {
        let table = Table { subject: false, ..table };
        let k = table.guarantee.k.unwrap_or(1) as usize;
        let release = table.protect(&exact_mondrian(Mode::Strict), usize::MAX);
        let classes = release.map_or_else(|_| Vec::new(), |release| classes(&table, &release));
        for (_, rows) in &classes {
            for axis in 0..table.axes.len() {
                prop_assert!(!can_be_cut(&table, axis, rows, k), "axis {} of {:?}", axis, rows);
            }
        }
    }
}

/// The same cases each time; with `MORETTA_LONG` many others, whose seed is told.
#[expect(clippy::print_stderr, reason = "a campaign tells its seed")]
fn cases(cases: u32) -> ProptestConfig {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let (cases, seed) = match std::env::var_os("MORETTA_LONG") {
        Some(_) => (100 * cases, now.expect("after 1970").as_secs()),
        None => (cases, 11),
    };
    if cases > 1000 {
        eprintln!("seed {seed}");
    }
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// t of every distance, with k and at times with the other promises.
fn closeness() -> impl Strategy<Value = Guarantee> {
    let grounds = [Ground::Equal, Ground::Ordered, Ground::Hierarchical];
    (
        guarantees(),
        0.02..0.8f64,
        proptest::sample::select(grounds.to_vec()),
    )
        .prop_map(|(mut guarantee, t, distance)| {
            guarantee.t = vec![TCloseness {
                column: "s".to_owned(),
                t,
                distance,
            }];
            guarantee
        })
}

/// For each axis one of the outputs that fit it.
fn outputs(axes: &[Axis], picks: &[usize]) -> BTreeMap<String, Output> {
    let fitting = |axis: Axis| match axis {
        Axis::Number | Axis::Date => {
            &[Output::Auto, Output::Mean, Output::Median, Output::Mode][..]
        }
        Axis::Ordered => &[Output::Auto, Output::Median, Output::Mode],
        Axis::Nominal => &[Output::Auto, Output::Mode],
        Axis::Tree => &[Output::Label, Output::Interval, Output::Mode],
        Axis::NumberTree => &[Output::Label, Output::Interval, Output::Mean, Output::Mode],
    };
    let pick = |(place, (&axis, pick)): (usize, (&Axis, &usize))| {
        let fitting = fitting(axis);
        (Table::name(place), fitting[pick % fitting.len()])
    };
    axes.iter().zip(picks).enumerate().map(pick).collect()
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn closeness_is_decided_on_what_is_released(
        table in tables(60, 0.1, closeness()),
        subject in proptest::bool::weighted(0.8),
        mode in modes(),
        picks in proptest::collection::vec(0usize..12, 4),
        suppress in prop_oneof![Just(0.0), Just(0.1), Just(0.4)],
    ) {
        let table = Table { subject, ..table };
        let output_of = outputs(&table.axes, &picks);
        let config = Mondrian { mode, output_of, suppress, ..Mondrian::default() };
        check(&table, &Method::Mondrian(config));
    }
}

/// Enough rows that several threads share the work.
fn large() -> Table {
    let mut state = 1u64;
    let mut next = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    let axes = support::AXES.to_vec();
    let rows = (0..40_000).map(|_| support::Row {
        cells: axes
            .iter()
            .map(|_| Some(next(7) as u8).filter(|&code| code < support::VALUES))
            .collect(),
        sensitive: Some(next(4) as u8),
        person: next(250) as u8,
    });
    Table {
        rows: rows.collect(),
        axes,
        guarantee: only_k(5),
        subject: false,
    }
}

#[test]
fn threads_and_repetition_change_nothing() {
    let table = large();
    for mode in [Mode::Strict, Mode::Relaxed, Mode::Balanced] {
        let protect = || table.protect(&mondrian(mode), 7_001).expect("released");
        let first = lines(&in_threads(1, protect));
        for threads in [1, 2, 8] {
            assert!(
                first == lines(&in_threads(threads, protect)),
                "{threads} threads"
            );
        }
        let whole = table
            .protect(&mondrian(mode), usize::MAX)
            .expect("released");
        assert!(first == lines(&whole), "batches");
    }
}

#[test]
fn a_large_release_passes_the_checker_and_is_true() {
    let table = large();
    let method = mondrian(Mode::Strict);
    let release = table.protect(&method, usize::MAX).expect("released");
    assert_eq!(table.untruths(&release, &method), []);
    let findings = table.check(&release).expect("it can be checked");
    assert!(
        findings.passed() && findings.classes > 1_000,
        "{}",
        findings.classes
    );
}

#[test]
fn two_methods_cannot_generalise_one_column_twice() {
    let table = large();
    let setting = table.setting();
    for method in [mondrian(Mode::Strict), mondrian(Mode::Balanced)] {
        let first = method.build(&table.schema(), &setting).expect("built");
        let second = method.build(first.schema(), &setting).expect("built");
        let mut chain = Chain::new(vec![first, second]).expect("two links");
        chain.push(table.batch()).expect("collected");
        let error = chain.finish().expect_err("refused");
        assert_eq!(error.exit_code(), 3, "{error}");
    }
}

#[test]
fn property_tests_draw_the_same_cases_unless_a_campaign_asks_for_others() {
    use proptest::test_runner::RngSeed;
    let seed = ProptestConfig::default().rng_seed;
    assert!(matches!(seed, RngSeed::Fixed(_)), "{seed:?}");
}
