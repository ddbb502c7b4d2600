//! Every method that masks records against every promise, as a table and as a
//! stream. A new method gets lines in [`CASES`] and nothing else.

#[path = "support/order.rs"]
mod order;

use moretta::data::{Batch, Categories, Column, Field, Kind, Numbers, Role, RowIds, Schema};
use moretta::policy::{Policy, Root};
use moretta::protect::{Among, Company, Family, METHODS, Masking, Method, Operator, Setting};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// A method and the ways in which it is tried.
struct Case {
    name: &'static str,
    configurations: &'static [&'static str],
    /// The same seed gives the same release; what is drawn in secret never does.
    repeats: bool,
}

const CASES: &[Case] = &[
    Case {
        name: "noise",
        configurations: &[
            "kind = \"uncorrelated\"\namount = 0.5\nclass = 0.2",
            "kind = \"correlated\"",
            "kind = \"transformed\"\nbuffer = 5",
            "kind = \"multiplicative\"\nbuffer = 2",
            "kind = \"log-normal\"\ncolumns = [\"x\"]",
            "kind = \"laplace\"\nbuffer = 20",
            "kind = \"transformed\"\ntransform = \"rank-normal\"\namount = 0.5",
            "kind = \"laplace\"\ntransform = \"rank-normal\"\ncolumns = [\"x\"]",
            "steps = 1.5\ncolumns = [\"grade\", \"word\"]\nbuffer = 3",
        ],
        repeats: true,
    },
    Case {
        name: "microaggregation",
        configurations: &[
            "k = 3",
            "k = 2\ngrouping = \"v-mdav\"\nscale = \"range\"",
            "k = 3\ngrouping = \"mu-approx\"",
            "k = 4\ngrouping = \"projection\"\ncolumns = [\"x\", \"y\", \"grade\"]",
            "k = 3\ngrouping = \"projection\"\naxis = \"sum\"\ncolumns = [\"x\", \"y\"]",
            "k = 3\ngrouping = \"hansen-mukherjee\"\ncolumns = [\"x\"]",
            "k = 3\ndistance = \"sum\"",
            "k = 3\nexact = 10\ngroups = [[\"x\", \"word\"], [\"y\"], [\"grade\"]]",
            "k = 3\nbuffer = 20",
            "k = 5\nbuffer = 10\nscale = \"none\"",
            "k = 4\nbuffer = 12\ngrouping = \"mdav\"",
            "k = 3\nbuffer = 20\ndistance = \"sum\"",
            "k = 4\nbuffer = 9\ndistance = \"sum\"\ngrouping = \"mdav\"\ncolumns = [\"word\", \"grade\"]",
            "k = 2\nbuffer = 30\ngrouping = \"v-mdav\"\ncolumns = [\"x\", \"word\"]",
        ],
        repeats: true,
    },
    Case {
        name: "rank-swapping",
        configurations: &[
            "within = 5",
            "within = \"10%\"\ndirection = \"descending\"",
            "within = 5\nbuffer = 20",
            "within = \"50%\"\nbuffer = 10\ncolumns = [\"y\", \"grade\"]",
        ],
        repeats: true,
    },
    Case {
        name: "resampling",
        configurations: &[
            "columns = [\"x\", \"y\"]",
            "samples = 1\ncolumns = [\"y\"]",
            "samples = 20\nbuffer = 20\ncolumns = [\"x\", \"y\"]",
            "buffer = 2\ncolumns = [\"x\"]",
            "samples = 4\ncolumns = [\"grade\", \"x\"]",
            "columns = [\"grade\"]\nbuffer = 7",
        ],
        repeats: true,
    },
    Case {
        name: "shuffling",
        configurations: &[
            "columns = [\"x\", \"y\"]",
            "columns = [\"x\", \"grade\"]\ngiven = [\"y\", \"row\"]",
            "columns = [\"y\"]\ngiven = [\"x\"]\nbuffer = 20",
            "columns = [\"x\", \"y\", \"grade\"]\nbuffer = 10",
        ],
        repeats: true,
    },
    Case {
        name: "merging",
        configurations: &[
            "rare = { word = 2 }\ntop = { grade = 2 }",
            "rare = { grade = 2 }",
            "bottom = { grade = 2 }\nbuffer = 1",
        ],
        repeats: true,
    },
    Case {
        name: "pram",
        configurations: &[
            "columns = [\"word\", \"grade\"]",
            "design = \"equal-counts\"\ntheta = 0.9\nalpha = 0.7\ncolumns = [\"grade\"]\nmissing = \"stays\"",
            "design = \"random-diagonal\"\np = 0.2\ngroups = [[\"word\", \"grade\"]]",
            "buffer = 1\nmatrices = [{ columns = [\"grade\"], categories = [\"high\", \"low\", \"middle\"], rows = [[0.5, 0.5, 0], [0, 1, 0], [0.2, 0.2, 0.6]] }]",
            "buffer = 3\nmissing = \"stays\"\nmatrices = [{ columns = [\"word\"], categories = [\"ash\", \"birch\", \"cedar\", \"elm\"], counts = [1, 2, 3, 4] }]",
        ],
        repeats: true,
    },
    Case {
        name: "random-projection",
        configurations: &[
            "noise = \"none\"\ncolumns = [\"x\", \"y\"]",
            "noise = \"independent\"\nsigma = 0.25\nk = 1\ncolumns = [\"x\", \"y\"]\nbuffer = 10\ntranslation = 3",
            "noise = \"cumulative\"\nrecords = 100\nreset = 7\ncategories = { word = [\"ash\", \"birch\", \"cedar\", \"elm\"], grade = [\"low\", \"middle\", \"high\"] }",
            "noise = \"cumulative\"\nreset = \"drift\"\ndelta = 0.9\nbuffer = 20\ncolumns = [\"x\", \"y\"]",
            "buffer = 1\ncolumns = [\"x\", \"y\"]\nbounds = { x = [-5, 5], y = [-1, 100] }",
        ],
        repeats: true,
    },
    Case {
        name: "dp-microaggregation",
        configurations: &[
            "k = 3\nepsilon = 1\nbounds = { x = [-5, 5], y = [-1, 1] }",
            "k = 3\nepsilon = 1\nbuffer = 20\nbounds = { x = [-5, 5], y = [-1, 1] }",
            "k = 2\nepsilon = 0.5\nbuffer = 10\norder = \"arrival\"\nbounds = { y = [0, 1] }",
            "k = 4\nepsilon = 9\nbuffer = 12\norder = \"multivariate\"\nw = 3\nclamp = true\nbounds = { x = [-5, 5], y = [-1, 100] }",
        ],
        repeats: false,
    },
    Case {
        name: "local-dp",
        configurations: &[
            "columns = { x = { mechanism = \"laplace\", epsilon = 1, bounds = [-5, 5] }, word = { mechanism = \"k-ary\", epsilon = 1, categories = [\"ash\", \"birch\", \"cedar\", \"elm\"] } }",
            "buffer = 1\ncolumns = { y = { mechanism = \"gaussian\", epsilon = 1, delta = 1e-6, bounds = [0, 1] }, grade = { mechanism = \"exponential\", epsilon = 2, categories = [\"low\", \"middle\", \"high\"] } }",
        ],
        repeats: false,
    },
];

fn method(case: &Case, configuration: &str) -> Method {
    let text = format!(
        "version = 1\n[source]\npath = \"a.csv\"\n[columns]\nx = {{ role = \"quasi\" }}\n\
         y = {{ role = \"plain\", type = \"number\" }}\nrow = {{ role = \"plain\", type = \"number\" }}\n\
         [[protect]]\nmethod = \"{}\"\n{configuration}\n",
        case.name
    );
    let root = Root::of_policy(Path::new("policy.toml"), None).expect("a folder");
    let policy = Policy::parse(&text, &root);
    policy.expect("a policy").plan.protect.remove(0)
}

fn every_method(promise: impl Fn(&Method, &dyn Masking, &Case)) {
    for case in CASES {
        for configuration in case.configurations {
            let method = method(case, configuration);
            let masking = method.as_masking().expect("a filter");
            promise(&method, masking, case);
        }
    }
}

#[derive(Clone, Debug)]
struct Row {
    x: Option<f64>,
    y: f64,
    word: Option<u8>,
    grade: u8,
    class: u8,
}

fn any_rows(rows: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Row>> {
    let row = (
        prop::option::weighted(0.9, -5.0..5.0_f64),
        prop_oneof![3 => -1.0..1.0_f64, 1 => Just(0.0), 1 => Just(100.0)],
        prop::option::weighted(0.9, 0..4_u8),
        0..3_u8,
        0..2_u8,
    );
    let row = row.prop_map(|(x, y, word, grade, class)| Row {
        x,
        y,
        word,
        grade,
        class,
    });
    prop::collection::vec(row, rows)
}

fn schema() -> Arc<Schema> {
    let category = |ordered| Kind::Category { ordered };
    let number = || Kind::Number { integer: false };
    let fields = vec![
        Field::new("row", Role::Plain, number()),
        Field::new("x", Role::Quasi, number()),
        Field::new("y", Role::Quasi, number()),
        Field::new("word", Role::Quasi, category(false)),
        Field::new("grade", Role::Quasi, category(true)),
        Field::new("class", Role::Class, category(false)),
    ];
    Arc::new(Schema::new(fields).expect("names differ"))
}

fn batch(start: usize, rows: &[Row]) -> Batch {
    let grades = Arc::new(["low", "middle", "high"].into_iter().collect());
    let word = |code: u8| ["ash", "birch", "cedar", "elm"][code as usize].to_owned();
    let columns = vec![
        Column::Number(
            (start..start + rows.len())
                .map(|row| Some(row as f64))
                .collect(),
        ),
        Column::Number(rows.iter().map(|row| row.x).collect()),
        Column::Number(rows.iter().map(|row| Some(row.y)).collect()),
        Column::Category(rows.iter().map(|row| row.word.map(word)).collect()),
        Column::Category(Categories::new(
            rows.iter().map(|row| u32::from(row.grade)).collect(),
            grades,
        )),
        Column::Category(rows.iter().map(|row| Some(row.class.to_string())).collect()),
    ];
    let ids = RowIds::Range {
        start: start as u64,
        len: rows.len(),
    };
    Batch::new(schema(), ids, columns).expect("fits")
}

/// A method at work on these rows.
fn built(method: &Method) -> Box<dyn Operator> {
    let setting = Setting {
        seed: 7,
        ..Setting::default()
    };
    method.build(&schema(), &setting).expect("built")
}

/// The release of rows that come so many at a time, and how many had left after each.
fn release(method: &Method, rows: &[Row], size: usize) -> (Batch, Vec<(usize, usize)>) {
    let mut filtered = built(method);
    let (mut parts, mut left) = (Vec::new(), Vec::new());
    for (place, chunk) in rows.chunks(size).enumerate() {
        parts.push(filtered.push(batch(place * size, chunk)).expect("taken"));
        let read = place * size + chunk.len();
        left.push((read, parts.iter().map(Batch::len).sum()));
    }
    parts.push(filtered.finish().expect("done"));
    let suppressed: u64 = filtered.suppressed().iter().map(|(_, rows)| rows).sum();
    let parts = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let all = Batch::concat(filtered.schema(), parts).expect("one schema");
    assert_eq!(all.len() + suppressed as usize, rows.len());
    (all, left)
}

/// What a method says of the rows that it releases: among which records each was masked.
fn among(method: &Method, rows: &[Row], size: usize) -> Vec<(u64, Option<Among>)> {
    let mut filtered = built(method);
    assert_eq!(filtered.among(), [[]]);
    let mut notes = Vec::new();
    for (place, chunk) in rows.chunks(size).enumerate() {
        let released = filtered.push(batch(place * size, chunk)).expect("taken");
        let told = filtered.among().remove(0);
        assert!(told.iter().map(|note| note.0).eq(released.rows().iter()));
        notes.extend(told);
    }
    filtered.finish().expect("done");
    notes.extend(filtered.among().remove(0));
    notes
}

fn cell(column: &Column, row: usize) -> Option<String> {
    match column {
        Column::Number(numbers) => numbers.get(row).map(|number| number.to_string()),
        Column::Category(categories) => categories.get(row).map(str::to_owned),
        Column::Plain(_) => None,
    }
}

fn lines(batch: &Batch) -> Vec<Vec<Option<String>>> {
    let line = |row| {
        batch
            .columns()
            .iter()
            .map(|column| cell(column, row))
            .collect()
    };
    (0..batch.len()).map(line).collect()
}

#[test]
fn every_filter_of_the_list_is_tried() {
    let filters = METHODS.iter().filter(|info| info.family == Family::Filter);
    let listed: BTreeSet<&str> = filters.map(|info| info.name).collect();
    let tried: BTreeSet<&str> = CASES.iter().map(|case| case.name).collect();
    assert_eq!(listed, tried);
    for case in CASES {
        let buffered = |text: &&&str| text.contains("buffer");
        let streams = case.configurations.iter().filter(buffered).count();
        let tables = case.configurations.len() - streams;
        assert!(streams > 0 && tables > 0, "{}", case.name);
    }
}

#[test]
fn no_rows_and_one_row_are_no_trouble() {
    let one = Row {
        x: None,
        y: 1.0,
        word: None,
        grade: 0,
        class: 0,
    };
    every_method(|method, masking, _| {
        assert!(release(method, &[], 1).0.is_empty());
        let (released, _) = release(method, std::slice::from_ref(&one), 1);
        assert!(masking.k().is_none() || released.is_empty());
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn rows_leave_once_in_their_order_with_what_is_not_masked(rows in any_rows(1..120), size in 1..50_usize) {
        every_method(|method, masking, _| {
            let (released, _) = release(method, &rows, size);
            let ids: Vec<u64> = released.rows().iter().collect();
            assert!(ids.is_sorted_by(|a, b| a < b), "{method:?}");
            let masked = masking.places(&schema()).expect("places");
            let original = batch(0, &rows);
            for place in (0..schema().len()).filter(|place| !masked.contains(place)) {
                let kept = released.schema().index_of(&schema().fields()[place].name).expect("kept");
                for (row, &id) in ids.iter().enumerate() {
                    assert_eq!(cell(released.column(kept), row), cell(original.column(place), id as usize));
                }
            }
        });
    }

    #[test]
    fn each_record_is_one_of_k_that_look_alike(rows in any_rows(1..150), size in 1..50_usize) {
        every_method(|method, masking, _| {
            let Some(k) = masking.k() else { return };
            let (released, _) = release(method, &rows, size);
            let masked = masking.places(&schema()).expect("places");
            let place = |name: &&str| schema().index_of(name).expect("a column");
            let parts = masking.parts().map(|parts| {
                parts.iter().map(|part| part.iter().map(place).collect()).collect()
            });
            for part in parts.unwrap_or_else(|| vec![masked]) {
                let mut crowds: BTreeMap<Vec<Option<String>>, u32> = BTreeMap::new();
                for line in lines(&released) {
                    *crowds.entry(part.iter().map(|&place: &usize| line[place].clone()).collect()).or_default() += 1;
                }
                assert!(crowds.values().all(|&count| count >= k), "{method:?}");
            }
            assert!(released.len() + k as usize > rows.len(), "{method:?} suppressed {}", rows.len() - released.len());
        });
    }

    #[test]
    fn certificates_say_among_which_records_each_was_masked(
        rows in any_rows(1..120), others in any_rows(120..121), size in 1..50_usize,
    ) {
        every_method(|method, masking, _| {
            let Some(buffer) = masking.buffer() else { return };
            let notes = among(method, &rows, size);
            let (released, _) = release(method, &rows, size);
            assert!(notes.iter().map(|note| note.0).eq(released.rows().iter()), "{method:?}");
            if masking.company() != Company::Group {
                // Nothing that is told depends on a value.
                assert_eq!(notes, among(method, &others[..rows.len()], size), "{method:?}");
            }
            let count = |group: Option<u64>| {
                let of = |note: &&(u64, Option<Among>)| note.1.and_then(|among| among.group) == group;
                notes.iter().filter(of).count() as u64
            };
            for (place, (_, note)) in notes.iter().enumerate() {
                let left = (notes.len() - place) as u64;
                match (masking.company(), note) {
                    (Company::Alone, None) => {}
                    (Company::Group, Some(among)) => {
                        assert_eq!(among.records, count(Some(among.group.expect("a group"))));
                        assert!(among.records >= u64::from(masking.k().expect("a k")));
                    }
                    (Company::Window, Some(among)) => {
                        assert_eq!(among.group, Some((place / buffer) as u64), "{method:?}");
                        assert_eq!(among.records, count(among.group), "{method:?}");
                    }
                    (Company::Held, Some(among)) => {
                        let records = left.min(buffer as u64);
                        assert_eq!(*among, Among { group: None, records }, "{method:?}");
                    }
                    (company, note) => panic!("{method:?}: {company:?} {note:?}"),
                }
            }
        });
    }

    #[test]
    fn at_most_the_buffer_is_held_back(rows in any_rows(1..150), size in 1..10_usize) {
        every_method(|method, masking, _| {
            let Some(buffer) = masking.buffer() else { return };
            let (released, left) = release(method, &rows, size);
            let first = released.rows().iter().next().unwrap_or(rows.len() as u64);
            let suppressed = rows.len() - released.len();
            assert!(first as usize <= suppressed);
            for (read, left) in left {
                assert!(left + suppressed + buffer >= read, "{method:?}: {left} of {read}");
            }
        });
    }

    #[test]
    fn neither_batches_nor_time_change_a_release(rows in any_rows(1..100), size in 1..50_usize) {
        every_method(|method, _, case| {
            if case.repeats {
                let (one, _) = release(method, &rows, rows.len());
                let (other, _) = release(method, &rows, size);
                assert_eq!(lines(&one), lines(&other), "{method:?}");
            }
        });
    }

    #[test]
    fn a_column_of_missing_values_stays_one(rows in any_rows(1..80), size in 1..50_usize) {
        let mut rows = rows;
        rows.iter_mut().for_each(|row| row.x = None);
        every_method(|method, masking, _| {
            let (released, _) = release(method, &rows, size);
            let x: &Numbers = released.column(1).as_numbers().expect("numbers");
            // What is private must not tell who had no value.
            if masking.loss().is_none() {
                assert_eq!(x.missing_count(), released.len());
            }
        });
    }
}

/// A table with every kind of column, the first of them in the order of the rows.
fn whole_table() -> String {
    let mut csv = "row,who,name,x,y,word,grade,class,note,anchor\n".to_owned();
    for i in 0..120 {
        let word = ["ash", "birch", "cedar", "elm"][i * 7 % 4];
        let grade = ["low", "middle", "high"][i / 5 % 3];
        let (x, y) = (f64::from(i as u32 * 37 % 101) / 10.0 - 5.0, i * 3 % 8);
        let (class, cost) = (i % 2, i * 13 % 103);
        csv += &format!("{i},p{i},n{i},{x},0.{y},{word},{grade},{class},note {cost},{cost}.5\n");
    }
    csv
}

/// The policy of [`whole_table`]. Methods that promise k count rows, not persons; of a private
/// method, columns that it does not mask are published knowingly.
fn whole_policy(masking: &dyn Masking) -> String {
    // A pseudonym would make its persons those that are counted.
    let (who, name) = match masking.k() {
        Some(_) => ("identifier", ""),
        None => (
            "subject",
            ", action = \"pseudonym\", key = \"file:key.txt\"",
        ),
    };
    let masked = masking.columns().filter(|_| masking.loss().is_some());
    let role = |name| match &masked {
        Some(masked) if !masked.contains(&name) => "plain",
        _ => "quasi",
    };
    let [x, y, word, grade] = ["x", "y", "word", "grade"].map(role);
    format!(
        "version = 1\n[source]\npath = \"in.csv\"\n[columns]\n\
         row = {{ role = \"plain\" }}\nwho = {{ role = \"{who}\" }}\n\
         name = {{ role = \"identifier\"{name} }}\n\
         x = {{ role = \"{x}\", type = \"number\" }}\ny = {{ role = \"{y}\", type = \"number\" }}\n\
         word = {{ role = \"{word}\", type = \"category\" }}\n\
         grade = {{ role = \"{grade}\", order = [\"low\", \"middle\", \"high\"] }}\n\
         class = {{ role = \"class\", type = \"category\" }}\nnote = {{ role = \"plain\" }}\n\
         anchor = {{ role = \"plain\", type = \"number\" }}\n\
         [[protect]]\nmethod = \"noise\"\n[sink]\npath = \"out.csv\"\n"
    )
}

/// A table leaves in an order that its released rows decide, a stream in its own.
#[test]
fn the_order_of_rows_is_a_function_of_the_released_rows() {
    let folder = order::folder(&whole_table());
    let column = |name: &str| match name {
        "row" | "note" => "{ role = \"plain\" }",
        "name" | "word" | "grade" | "class" => "{ role = \"plain\", type = \"category\" }",
        _ => "{ role = \"plain\", type = \"number\" }",
    };
    for case in CASES {
        let mut tried = BTreeSet::new();
        for configuration in case.configurations {
            let method = method(case, configuration);
            let masking = method.as_masking().expect("a filter");
            let (text, streams) = (whole_policy(masking), masking.buffer().is_some());
            let Ok(released) = order::release(folder.path(), &text, Some(method)) else {
                continue;
            };
            tried.insert(streams);
            if streams {
                let rows = released.lines().skip(1).map(|line| line.split(',').next());
                let rows: Vec<usize> = rows
                    .map(|row| row.expect("a row").parse().expect("its number"))
                    .collect();
                assert!(rows.is_sorted(), "{configuration}");
            } else {
                order::assert_order_is_of_release(&released, column, configuration);
            }
        }
        let expected = case.configurations.iter();
        let expected = expected.map(|configuration| {
            let method = method(case, configuration);
            method.as_masking().expect("a filter").buffer().is_some()
        });
        assert_eq!(tried, expected.collect(), "{}", case.name);
    }
}
