//! Every method of tables against every promise. A new method gets a line in
//! [`CASES`] and nothing else; methods of streams are in `stream_conformance.rs`.

#[path = "support/order.rs"]
mod order;
mod support;

use moretta::data::{Batch, Role};
use moretta::guarantee::CombinationChecker;
use moretta::protect::datafly::{Budget, Datafly};
use moretta::protect::generalization::Generalization;
use moretta::protect::lattice::{Lattice, Metric, SearchKind};
use moretta::protect::mondrian::{Mode, Mondrian, Output};
use moretta::protect::mu_argus::MuArgus;
use moretta::protect::recoding::{Bound, Recoding};
use moretta::protect::semantic_grouping::SemanticGrouping;
use moretta::protect::suppression::{Reading, Suppression};
use moretta::protect::{Family, METHODS, Method};
use proptest::prelude::*;
use std::collections::BTreeSet;
use support::{Axis, Row, Table, WORDS, guarantees, lines, modes, mondrian, only_k, tables, told};

/// A method and the ways in which it is tried on a table.
struct Case {
    name: &'static str,
    configurations: fn(&Table) -> Vec<Method>,
    /// The share of rows that it may suppress.
    suppress: fn(&Method) -> f64,
}

const CASES: &[Case] = &[
    Case {
        name: "mondrian",
        configurations: |_| {
            let output = |output| {
                Method::Mondrian(Mondrian {
                    output,
                    ..Mondrian::default()
                })
            };
            let suppressing = |mode| {
                Method::Mondrian(Mondrian {
                    mode,
                    suppress: 0.25,
                    ..Mondrian::default()
                })
            };
            vec![
                mondrian(Mode::Strict),
                mondrian(Mode::Relaxed),
                mondrian(Mode::Balanced),
                output(Output::Interval),
                output(Output::Mode),
                suppressing(Mode::Strict),
                suppressing(Mode::Relaxed),
                Method::Mondrian(Mondrian {
                    refuse: 0.3,
                    ..Mondrian::default()
                }),
            ]
        },
        suppress: |method| match method {
            Method::Mondrian(mondrian) => mondrian.suppress,
            _ => 0.0,
        },
    },
    Case {
        name: "generalization",
        configurations: |table| {
            let to = |level: usize, suppress| {
                let trees = (0..table.axes.len()).filter(|&i| table.axes[i].has_tree());
                Method::Generalization(Generalization {
                    levels: trees.map(|i| (Table::name(i), level)).collect(),
                    suppress,
                })
            };
            vec![to(0, 1.0), to(2, 1.0), to(2, 0.3), to(3, 0.1)]
        },
        suppress: |method| match method {
            Method::Generalization(generalization) => generalization.suppress,
            _ => 0.0,
        },
    },
    Case {
        name: "lattice",
        configurations: |_| {
            let with = |suppress, metric, search| {
                Method::Lattice(Lattice {
                    suppress,
                    metric,
                    search,
                    ..Lattice::default()
                })
            };
            let loss = Lattice::default().metric;
            let cuts = |per_column| SearchKind::Cuts {
                most: 200,
                per_column,
            };
            vec![
                Method::Lattice(Lattice::default()),
                with(1.0, loss, SearchKind::Optimal),
                with(0.2, loss, SearchKind::Heuristic { most: 3 }),
                with(0.1, Metric::Discernibility, SearchKind::Optimal),
                with(0.3, Metric::Entropy, SearchKind::Optimal),
                with(0.2, loss, cuts(None)),
                with(0.0, Metric::Discernibility, cuts(Some(2))),
            ]
        },
        suppress: |method| match method {
            Method::Lattice(lattice) => lattice.suppress,
            _ => 0.0,
        },
    },
    Case {
        name: "datafly",
        configurations: |_| {
            let share = |suppress| {
                Method::Datafly(Datafly {
                    suppress,
                    ..Datafly::default()
                })
            };
            let k_rows = Method::Datafly(Datafly {
                budget: Budget::K,
                suppress: 0.0,
            });
            vec![share(1.0), share(0.3), share(0.0), k_rows]
        },
        suppress: |method| match method {
            Method::Datafly(datafly) if datafly.budget == Budget::Share => datafly.suppress,
            _ => 1.0,
        },
    },
    Case {
        name: "semantic-grouping",
        configurations: |_| {
            let parts = [8192, 1, 7];
            let of = |part| Method::SemanticGrouping(SemanticGrouping { part });
            parts.map(of).to_vec()
        },
        suppress: |_| 0.0,
    },
    Case {
        name: "mu-argus",
        configurations: |_| {
            let of = |k: &[u32], size, recode_until| {
                Method::MuArgus(MuArgus {
                    k: k.to_vec(),
                    size,
                    recode_until,
                    ..MuArgus::default()
                })
            };
            vec![of(&[2], 2, 0.05), of(&[3, 2, 2], 3, 0.3), of(&[3], 1, 1.0)]
        },
        suppress: |_| 0.0,
    },
    Case {
        name: "suppression",
        configurations: |_| {
            let of = |missing| {
                Method::Suppression(Suppression {
                    missing,
                    ..Suppression::default()
                })
            };
            let weighted = Method::Suppression(Suppression {
                weights: [(Table::name(0), 2.0)].into(),
                ..Suppression::default()
            });
            vec![of(Reading::Own), weighted, of(Reading::Wild)]
        },
        suppress: |_| 0.0,
    },
    Case {
        name: "recoding",
        configurations: |table| vec![recoding(table, 2), recoding(table, 3)],
        suppress: |_| 0.0,
    },
];

/// Trees at a level, numbers in steps of 2 and from 0 on as one, the first days as one.
fn recoding(table: &Table, level: usize) -> Method {
    let mut recoding = Recoding::default();
    for (i, axis) in table.axes.iter().enumerate() {
        let name = Table::name(i);
        match axis {
            Axis::Tree | Axis::NumberTree => {
                recoding.levels.insert(name, level);
            }
            Axis::Number => {
                recoding.round.insert(name.clone(), 2.0);
                recoding.top.insert(name, Bound::Number(0.0));
            }
            Axis::Date => {
                let bottom = Bound::Text("1970-02-01".to_owned());
                recoding.bottom.insert(name, bottom);
            }
            Axis::Ordered | Axis::Nominal => {}
        }
    }
    Method::Recoding(recoding)
}

/// Mondrian behind a recoding covers the originals, and the checker finds its promises kept.
fn holds_behind_recoding(table: &Table, mode: Mode) -> bool {
    let Method::Recoding(mut recoding) = recoding(table, 1) else {
        unreachable!("it is a recoding");
    };
    for (i, axis) in table.axes.iter().enumerate() {
        if *axis == Axis::Ordered {
            let name = Table::name(i);
            let word = |code: usize| Bound::Text(WORDS[code].to_owned());
            recoding.bottom.insert(name.clone(), word(1));
            recoding.top.insert(name, word(3));
        }
    }
    let method = mondrian(mode);
    let built = method.build_after(&recoding, &table.schema(), &table.setting());
    let mut operator = built.expect("built");
    operator.push(table.batch()).expect("taken");
    let Ok(release) = operator.finish() else {
        return false;
    };
    assert_eq!(table.untruths(&release, &method), [], "{recoding:?}");
    let findings = table.check(&release).expect("it can be checked");
    assert!(findings.passed(), "{recoding:?} {:?}", findings.claims);
    true
}

#[test]
fn mondrian_releases_a_dense_table_behind_a_recoding() {
    for mode in [Mode::Strict, Mode::Relaxed, Mode::Balanced] {
        assert!(holds_behind_recoding(&dense_table(), mode));
    }
}

fn every_method(table: &Table, promise: impl Fn(&Table, &Method)) {
    for case in CASES {
        for method in (case.configurations)(table) {
            assert_eq!(method.name(), case.name);
            promise(table, &method);
        }
    }
}

/// A release, or the error of one that cannot be; either must be the same each time.
fn outcome(table: &Table, method: &Method, at_a_time: usize) -> Result<Vec<Line>, (u8, String)> {
    match table.protect(method, at_a_time) {
        Ok(release) => Ok(lines(&release)),
        Err(error) => Err(told(&error)),
    }
}

type Line = (u64, Vec<Option<String>>);

/// Few values in few columns, so that every method has something to release.
fn dense_table() -> Table {
    let row = |i: usize| Row {
        cells: vec![
            [Some(0), Some(1), Some(2), Some(4), None][i % 5],
            Some((i / 5 % 4) as u8),
            [Some(3), Some(4)][i / 20 % 2],
        ],
        sensitive: [Some(0), Some(1), Some(2), Some(3), None][i % 7 % 5],
        person: (i * 31 % 97) as u8,
    };
    Table {
        axes: vec![Axis::Tree, Axis::NumberTree, Axis::Ordered],
        rows: (0..400).map(row).collect(),
        guarantee: only_k(3),
        subject: false,
    }
}

#[test]
fn every_method_of_the_list_is_tried() {
    let tables = METHODS.iter().filter(|info| info.family == Family::Table);
    let listed: BTreeSet<&str> = tables.map(|info| info.name).collect();
    let tried: BTreeSet<&str> = CASES.iter().map(|case| case.name).collect();
    assert_eq!(listed, tried);
}

#[test]
fn every_method_releases_something_of_a_dense_table() {
    every_method(&dense_table(), |table, method| {
        let release = table.protect(method, usize::MAX);
        let release = release.unwrap_or_else(|error| panic!("{method:?}: {error}"));
        assert!(release.len() > 200, "{method:?}: {}", release.len());
        holds(table, method);
    });
}

/// Rows come out at most once and suppressed ones are counted; the release is
/// true, and the checker, which did not make it, finds every promise kept.
fn holds(table: &Table, method: &Method) {
    let mut operator = table.build(method).expect("built");
    let now = operator.push(table.batch()).expect("taken");
    let Ok(later) = operator.finish() else {
        return;
    };
    let released = operator.schema().clone();
    let parts = vec![now, later].into_iter().filter(|b| !b.is_empty());
    let release = Batch::concat(&released, parts.collect()).expect("joined");
    let ids: BTreeSet<u64> = release.rows().iter().collect();
    assert_eq!(ids.len(), release.len(), "{method:?}: an id came out twice");
    assert!(ids.iter().all(|&id| id < table.rows.len() as u64));
    let gone: u64 = operator.suppressed().iter().map(|(_, rows)| rows).sum();
    assert_eq!(release.len() as u64 + gone, table.rows.len() as u64);
    let case = CASES.iter().find(|case| case.name == method.name());
    let share = (case.expect("a line of the table").suppress)(method);
    assert!(
        gone as f64 <= share * table.rows.len() as f64,
        "{method:?}: {gone}"
    );
    assert_eq!(table.untruths(&release, method), [], "{method:?}");
    let quasi: Vec<String> = (0..table.axes.len()).map(Table::name).collect();
    let quasi: Vec<&str> = quasi.iter().map(String::as_str).collect();
    match method.combinations(&quasi).expect("they fit") {
        None => {
            let findings = table.check(&release).expect("it can be checked");
            assert!(findings.passed(), "{method:?} {:?}", findings.claims);
        }
        // k is promised of combinations, and nothing of all columns.
        Some(combinations) => {
            let mut checker = CombinationChecker::new(combinations);
            let read = table.as_read(&release);
            let subject = table
                .subject
                .then(|| read.schema().with_role(Role::Subject)[0]);
            let subjects = subject.map(|place| read.column(place).as_categories().expect("names"));
            let codes = subjects.map(|subjects| subjects.codes());
            checker.observe(&read, codes).expect("columns");
            for claim in checker.finish() {
                assert!(claim.holds, "{method:?} {claim:?}");
            }
        }
    }
    for (before, after) in table.schema().fields().iter().zip(released.fields()) {
        assert_eq!((&before.name, before.role), (&after.name, after.role));
        assert!(before.role == Role::Quasi || before.kind == after.kind);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn recoded_values_are_covered_whatever_mondrian_makes_of_them(
        table in tables(50, 0.1, guarantees()),
        mode in modes(),
    ) {
        holds_behind_recoding(&table, mode);
    }

    #[test]
    fn ids_truth_and_guarantee_hold(table in tables(50, 0.1, guarantees())) {
        every_method(&table, holds);
    }

    #[test]
    fn batch_size_does_not_matter_and_the_same_seed_gives_the_same(
        table in tables(50, 0.1, guarantees()),
    ) {
        every_method(&table, |table, method| {
            let whole = outcome(table, method, usize::MAX);
            for at_a_time in [1, 7, usize::MAX] {
                assert_eq!(outcome(table, method, at_a_time), whole, "{method:?} {at_a_time}");
            }
        });
    }

    #[test]
    fn fewer_rows_than_k_are_refused(table in tables(9, 0.1, Just(only_k(10)))) {
        every_method(&table, |table, method| {
            let error = table.protect(method, usize::MAX).expect_err("too short");
            assert_eq!(error.exit_code(), 1, "{method:?}: {error}");
        });
    }
}

#[test]
fn thread_count_does_not_matter() {
    let mut table = dense_table();
    table.rows = (0..100).flat_map(|_| table.rows.clone()).collect();
    every_method(&table, |table, method| {
        let in_threads = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let pool = pool.build().expect("threads");
            pool.install(|| outcome(table, method, 1 << 14))
        };
        let alone = in_threads(1);
        assert!(alone.is_ok());
        assert!(
            [2, 8].into_iter().all(|n| in_threads(n) == alone),
            "{method:?}"
        );
    });
}

/// What is missing is shown as missing or as anything, never as a value; a
/// sensitive value that is missing stays so.
#[test]
fn missing_values_survive() {
    let mut table = dense_table();
    for row in &mut table.rows {
        row.cells[1] = None;
    }
    every_method(&table, |table, method| {
        let release = outcome(table, method, usize::MAX).expect("released");
        for (id, shown) in &release {
            let row = &table.rows[*id as usize];
            for (cell, text) in row.cells.iter().zip(shown) {
                let no_value = text.as_deref().is_none_or(|text| text == "*");
                assert!(cell.is_some() || no_value, "{method:?}");
            }
            assert_eq!(row.sensitive.is_none(), shown[3].is_none(), "{method:?}");
        }
    });
}

#[test]
fn an_empty_table_is_refused() {
    let mut table = dense_table();
    table.rows.clear();
    every_method(&table, |table, method| {
        let error = table
            .protect(method, usize::MAX)
            .expect_err("nothing there");
        assert_eq!(error.exit_code(), 1, "{method:?}: {error}");
    });
}

#[test]
fn fewer_persons_than_k_are_refused_however_many_rows_they_have() {
    let mut table = dense_table();
    table.subject = true;
    table.rows.iter_mut().for_each(|row| row.person %= 2);
    every_method(&table, |table, method| {
        let error = table.protect(method, usize::MAX).expect_err("two persons");
        assert_eq!(error.to_string(), "2 persons; k=3 needs at least 3 persons");
        assert_eq!(error.exit_code(), 1, "{method:?}");
    });
}

/// A table of which every kind of column is released, for whole runs.
fn whole_table() -> String {
    let mut csv = format!(
        "who,name,{},{},{},note,anchor,sensitive\n",
        Table::name(0),
        Table::name(1),
        Table::name(2)
    );
    for i in 0..200 {
        let place = ["aab", "aac", "abb", "bab", "bcc"][i % 5];
        let grade = ["low", "middle", "high"][i / 20 % 3];
        let value = ["flu", "cold", "gout", ""][i % 7 % 4];
        let (person, years, cost) = (i * 31 % 997, [3, 8, 13, 27][i / 5 % 4], i * 13 % 101);
        csv += &format!("p{person},n{i},{place},{years},{grade},note {cost},{cost}.5,{value}\n");
    }
    csv
}

#[test]
fn the_order_of_rows_is_a_function_of_the_released_rows() {
    let [place, years, grade] = [0, 1, 2].map(Table::name);
    let text = format!(
        "version = 1\n[source]\npath = \"in.csv\"\n[columns]\n\
         who = {{ role = \"subject\", action = \"pseudonym\", key = \"file:key.txt\" }}\n\
         name = {{ role = \"identifier\" }}\n\
         {place} = {{ role = \"quasi\", hierarchy = {{ mask = \"right\" }} }}\n\
         {years} = {{ role = \"quasi\", hierarchy = {{ intervals = [5, 10, 20] }} }}\n\
         {grade} = {{ role = \"quasi\", order = [\"low\", \"middle\", \"high\"] }}\n\
         note = {{ role = \"plain\" }}\n\
         anchor = {{ role = \"plain\", type = \"number\" }}\n\
         sensitive = {{ role = \"sensitive\" }}\n\
         [guarantee]\nk = 3\n[[protect]]\nmethod = \"mondrian\"\n[sink]\npath = \"out.csv\"\n"
    );
    let folder = order::folder(&whole_table());
    let column = |name: &str| match name {
        "note" => "{ role = \"plain\" }",
        "anchor" => "{ role = \"plain\", type = \"number\" }",
        _ => "{ role = \"plain\", type = \"category\" }",
    };
    let table = dense_table();
    for case in CASES {
        let mut tried = 0;
        for method in (case.configurations)(&table) {
            let why = format!("{method:?}");
            // Of combinations nothing is promised under [guarantee].
            let text = match method.combinations(&[&place, &years, &grade]) {
                Ok(None) => text.clone(),
                _ => text.replace("[guarantee]\nk = 3\n", ""),
            };
            if let Ok(released) = order::release(folder.path(), &text, Some(method)) {
                order::assert_order_is_of_release(&released, column, &why);
                tried += 1;
            }
        }
        assert!(tried > 1, "{} releases nothing", case.name);
    }
}
