//! Every method of streams against every promise, in every way it can be set up.

use moretta::data::hierarchy::{HierarchySpec, Ladder, Texts};
use moretta::data::{Batch, Categories, Column, Field, Kind, MISSING, Role, RowIds, Schema, times};
use moretta::guarantee::{Decided, StreamChecker};
use moretta::protect::identifiers::Key;
use moretta::protect::z_anonymity::{
    Fakes, FakesOrder, Group, MADE_UP, Mode, Search, Stream, Tune, ZAnonymity,
};
use moretta::protect::{Family, METHODS, Operator};
use std::collections::HashSet;
use std::sync::Arc;

const WINDOW: i64 = 3_600_000;

fn plain() -> ZAnonymity {
    ZAnonymity::fixed(4, WINDOW)
}

fn tuned(search: Search) -> ZAnonymity {
    ZAnonymity {
        tune: Some(Tune {
            at_least: 1,
            goal: 0.6,
            k: 2,
            every: 1_200_000,
            search,
        }),
        ..plain()
    }
}

fn faking(order: FakesOrder) -> ZAnonymity {
    ZAnonymity {
        z: 8,
        fakes: Some(Fakes {
            at_most: (1, 2),
            order,
            spread: 60_000,
            key: Some("env:PATH".to_owned()),
        }),
        ..plain()
    }
}

/// Every way to set a stream up.
fn configurations() -> Vec<(&'static str, ZAnonymity)> {
    vec![
        ("fixed", plain()),
        (
            "without generalization",
            ZAnonymity {
                generalize: false,
                ..plain()
            },
        ),
        ("minz", tuned(Search::MinZ)),
        ("incremental", tuned(Search::Incremental)),
        ("compat", tuned(Search::Compat)),
        (
            "late rows",
            ZAnonymity {
                lateness: 600_000,
                ..plain()
            },
        ),
        (
            "late rows, tuned",
            ZAnonymity {
                lateness: 600_000,
                ..tuned(Search::MinZ)
            },
        ),
        (
            "exact",
            ZAnonymity {
                mode: Mode::Exact,
                lateness: 600_000,
                ..plain()
            },
        ),
        ("fakes as published", faking(FakesOrder::Thesis)),
        ("hidden fakes", faking(FakesOrder::Hidden)),
        (
            "rare sets held",
            ZAnonymity {
                hold_unique: true,
                ..plain()
            },
        ),
        (
            "groups",
            ZAnonymity {
                group: Some(Group {
                    column: "house".to_owned(),
                    at_most: 1,
                }),
                ..plain()
            },
        ),
    ]
}

fn ladder() -> Ladder {
    let path = HierarchySpec::Path("*".to_owned());
    path.ladder("attribute", Texts::Category).expect("a ladder")
}

/// Visits to a shop, with missing cells and with houses in which users live.
fn events(rows: usize, grouped: bool) -> Batch {
    let source = moretta_generate::ecommerce(rows, 3);
    let schema = Arc::clone(moretta::io::Source::schema(&source));
    let batches: Vec<Batch> = source.map(|batch| batch.expect("rows")).collect();
    let batch = Batch::concat(&schema, batches).expect("one schema");
    let mut fields = schema.fields().to_vec();
    let mut columns = batch.columns().to_vec();
    for (column, every) in [(1, 97), (2, 89)] {
        let categories = columns[column].as_categories().expect("categories");
        let codes = categories.codes().iter().enumerate();
        let codes = codes.map(|(row, &code)| if row % every == 5 { MISSING } else { code });
        columns[column] = Column::Category(Categories::new(
            codes.collect(),
            Arc::clone(categories.levels()),
        ));
    }
    if grouped {
        let users = columns[1].as_categories().expect("users").clone();
        let house = |row: usize| {
            users
                .get(row)
                .map(|user| format!("house {}", &user[user.len() - 2..]))
        };
        let houses = Categories::from_iter((0..batch.len()).map(house));
        fields.push(Field::new(
            "house",
            Role::Key,
            Kind::Category { ordered: false },
        ));
        columns.push(Column::Category(houses));
    }
    let ids = RowIds::Range {
        start: 0,
        len: batch.len(),
    };
    Batch::new(Arc::new(Schema::new(fields).expect("names")), ids, columns).expect("fits")
}

type Line = (u64, Vec<String>);

fn lines(batch: &Batch, lines: &mut Vec<Line>) {
    let Column::Plain(texts) = batch.column(0) else {
        panic!("times pass through");
    };
    let texts = texts
        .as_any()
        .downcast_ref::<arrow_array::StringArray>()
        .expect("text");
    for row in 0..batch.len() {
        let cell = |column: usize| {
            let cells = batch.column(column).as_categories().expect("categories");
            cells.get(row).unwrap_or("missing").to_owned()
        };
        let cells = vec![texts.value(row).to_owned(), cell(1), cell(2)];
        lines.push((batch.rows().get(row), cells));
    }
}

fn stream(config: &ZAnonymity, batch: &Batch, shards: usize) -> Stream {
    let stream = Stream::new(config, batch.schema(), |_| ladder(), None, shards);
    let key = Key::new(b"made-up rows are drawn from this key".to_vec());
    stream
        .expect("a stream")
        .with_fakes_key(key.expect("long enough"))
}

fn release(config: &ZAnonymity, batch: &Batch, at_a_time: usize, shards: usize) -> Vec<Line> {
    let mut stream = stream(config, batch, shards);
    let mut found = Vec::new();
    for start in (0..batch.len()).step_by(at_a_time) {
        let part = batch.slice(start, at_a_time.min(batch.len() - start));
        lines(&stream.push(part).expect("decided"), &mut found);
    }
    lines(&stream.finish().expect("finished"), &mut found);
    found
}

#[test]
fn every_method_of_streams_is_tried() {
    let streams: Vec<&str> = METHODS
        .iter()
        .filter(|info| info.family == Family::Stream)
        .map(|info| info.name)
        .collect();
    assert_eq!(streams, ["z-anonymity"]);
}

#[test]
fn batches_and_shards_do_not_matter_and_the_same_run_gives_the_same_bytes() {
    for (name, config) in configurations() {
        let batch = events(6_000, config.group.is_some());
        let whole = release(&config, &batch, batch.len(), 1);
        assert!(whole.len() > 1_000, "{name}: {}", whole.len());
        for (at_a_time, shards) in [(1, 1), (37, 3), (1000, 2), (batch.len(), 1)] {
            let other = release(&config, &batch, at_a_time, shards);
            assert!(
                whole == other,
                "{name}: {at_a_time} rows at a time, {shards} shards"
            );
        }
    }
}

/// The rows with users, and houses if there are, written in several ways that look the same.
fn respelled(batch: &Batch) -> Batch {
    let mut columns = batch.columns().to_vec();
    for column in columns.iter_mut().skip(1) {
        let Column::Category(names) = &column else {
            continue;
        };
        let spelling = |row: usize| {
            let name = names.get(row)?;
            Some(match row % 4 {
                0 => name.to_uppercase(),
                1 => format!(" {name}"),
                2 => format!("{name}\u{200b}"),
                _ => name.to_owned(),
            })
        };
        *column = Column::Category((0..names.len()).map(spelling).collect());
    }
    // The attribute is what it was.
    columns[2] = batch.column(2).clone();
    Batch::new(Arc::clone(batch.schema()), batch.rows().clone(), columns).expect("fits")
}

#[test]
fn spellings_of_a_person_are_one_person() {
    for (name, config) in configurations() {
        let batch = events(6_000, config.group.is_some());
        let shown = |batch: &Batch, at_a_time: usize, shards: usize| -> Vec<(u64, String)> {
            let rows = release(&config, batch, at_a_time, shards).into_iter();
            rows.map(|(id, cells)| (id, cells[2].clone())).collect()
        };
        let expected = shown(&batch, 500, 1);
        let found = shown(&respelled(&batch), 37, 3);
        assert!(
            expected == found,
            "{name}: {} and {} rows",
            expected.len(),
            found.len()
        );
    }
}

#[test]
fn rows_come_out_once_and_unchanged_but_for_the_attribute() {
    for (name, config) in configurations() {
        let batch = events(6_000, config.group.is_some());
        let mut originals = Vec::new();
        lines(&batch, &mut originals);
        let mut seen = HashSet::new();
        for (id, cells) in release(&config, &batch, 500, 1) {
            if id >= MADE_UP {
                assert!(config.fakes.is_some(), "{name}");
                continue;
            }
            assert!(seen.insert(id), "{name}: row {id} twice");
            let original = &originals[id as usize].1;
            assert_eq!(cells[..2], original[..2], "{name}: row {id}");
            let beginning = format!("{}*", cells[2]);
            assert!(
                original[2] == cells[2] || original[2].starts_with(&beginning),
                "{name}: row {id}"
            );
            assert!(
                original[1] != "missing" && original[2] != "missing",
                "{name}: row {id}"
            );
        }
    }
}

#[test]
fn the_checker_finds_every_promise_kept() {
    for (name, config) in configurations() {
        let batch = events(6_000, config.group.is_some());
        let mut stream = stream(&config, &batch, 1);
        let most = config.group.as_ref().map(|group| group.at_most);
        let mut checker =
            StreamChecker::new(WINDOW, vec![ladder()], most).with_lateness(config.lateness);
        for start in (0..batch.len()).step_by(700) {
            let part = batch.slice(start, 700.min(batch.len() - start));
            let released = stream.push(part.clone()).expect("decided");
            let follow = stream.decided().is_some();
            let (decided, cells) = stream.decided().unwrap_or((&released, stream.cells()));
            let z: Vec<u32> = cells
                .iter()
                .map(|c| c.level.map_or(0, |_| c.z.max(1)))
                .collect();
            let fakes: Vec<u32> = cells.iter().map(|cell| cell.fakes).collect();
            let seen = Decided {
                times: &times(&part, 0, &mut None).expect("times"),
                original: &part,
                released: decided,
                z: &z,
                fakes: &fakes,
                fakes_follow: follow,
                subject: 1,
                attributes: &[2],
                group: config.group.as_ref().map(|_| 3),
            };
            checker
                .check(&seen)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            if follow {
                checker.settle(&released, 1, 2).expect("owed");
            }
        }
        let left = stream.finish().expect("finished");
        checker.settle(&left, 1, 2).expect("owed");
        checker.finish().expect("all made-up rows are there");
        assert!(checker.findings().cells > 1_000, "{name}");
        assert_eq!(
            checker.findings().made_up > 0,
            config.fakes.is_some(),
            "{name}"
        );
    }
}

/// Shows the checker a stream whose rows wait, and what `change` makes of those that leave.
fn leave(change: impl Fn(Batch) -> Batch) -> moretta::Result<()> {
    let (config, batch) = (faking(FakesOrder::Hidden), events(3_000, false));
    let mut stream = stream(&config, &batch, 1);
    let mut checker = StreamChecker::new(WINDOW, vec![ladder()], None);
    let released = stream.push(batch.clone())?;
    let (decided, cells) = stream.decided().expect("rows wait");
    let z: Vec<u32> = cells.iter().map(|c| c.level.map_or(0, |_| c.z)).collect();
    let fakes: Vec<u32> = cells.iter().map(|cell| cell.fakes).collect();
    checker.check(&Decided {
        times: &times(&batch, 0, &mut None)?,
        original: &batch,
        released: decided,
        z: &z,
        fakes: &fakes,
        fakes_follow: true,
        subject: 1,
        attributes: &[2],
        group: None,
    })?;
    checker.settle(&change(released), 1, 2)?;
    checker.settle(&stream.finish()?, 1, 2)?;
    checker.finish()
}

#[test]
fn rows_that_wait_must_leave_as_they_were_decided() {
    leave(|released| released).expect("as decided");
    let all = |released: &Batch| -> Vec<u32> { (0..released.len() as u32).collect() };
    let without_one = |released: Batch| released.take(&all(&released)[1..]).expect("taken");
    let twice_one = |released: Batch| {
        let rows = [&all(&released)[..], &[7]].concat();
        released.take(&rows).expect("taken")
    };
    let exchanged = |released: Batch| {
        let labels = released.column(2).as_categories().expect("labels");
        let mut rows = all(&released);
        rows.rotate_left(1);
        let mut columns = released.columns().to_vec();
        columns[2] = Column::Category(labels.take(&rows));
        Batch::new(
            Arc::clone(released.schema()),
            released.rows().clone(),
            columns,
        )
        .expect("fits")
    };
    for (name, outcome) in [
        ("a row is lost", leave(without_one)),
        ("a row leaves twice", leave(twice_one)),
        ("labels are exchanged", leave(exchanged)),
    ] {
        assert_eq!(outcome.expect_err(name).exit_code(), 1, "{name}");
    }
}

#[test]
fn every_attribute_is_released_or_counted_as_held_back() {
    for (name, config) in configurations() {
        let batch = events(6_000, config.group.is_some());
        let mut stream = stream(&config, &batch, 1);
        stream.push(batch.clone()).expect("decided");
        stream.finish().expect("finished");
        let tally = stream.tally();
        let released: u64 = tally.levels.iter().sum();
        let held: u64 = stream.suppressed().iter().map(|(_, rows)| rows).sum();
        assert_eq!(released + held, batch.len() as u64, "{name}");
    }
}

#[test]
fn a_stream_of_months_stays_small() {
    // A new user and a new path every second: only those of the window are remembered.
    let schema = Schema::new(vec![
        Field::new("t", Role::Time, Kind::Plain(arrow_schema::DataType::Utf8)),
        Field::new("user", Role::Subject, Kind::Category { ordered: false }),
        Field::new("attribute", Role::Quasi, Kind::Category { ordered: false }),
    ]);
    let schema = Arc::new(schema.expect("names"));
    for config in [
        ZAnonymity {
            window: 60_000,
            ..plain()
        },
        ZAnonymity {
            window: 60_000,
            ..tuned(Search::MinZ)
        },
        ZAnonymity {
            window: 60_000,
            hold_unique: true,
            ..plain()
        },
    ] {
        let mut stream = Stream::new(&config, &schema, |_| ladder(), None, 1).expect("a stream");
        let mut largest = 0;
        // Eighty days.
        for hour in 0..160_u64 {
            let row = |second: u64| hour * 43_200 + second * 43;
            let texts = (0..1000).map(|second| row(second).to_string());
            let users = (0..1000).map(|second| Some(format!("u{}", row(second))));
            let values = (0..1000).map(|second| Some(format!("a*b{}", row(second))));
            let columns = vec![
                Column::Plain(Arc::new(arrow_array::StringArray::from_iter_values(texts))),
                Column::Category(Categories::from_iter(users)),
                Column::Category(Categories::from_iter(values)),
            ];
            let ids = RowIds::Range {
                start: hour * 1000,
                len: 1000,
            };
            let batch = Batch::new(Arc::clone(&schema), ids, columns).expect("fits");
            stream.push(batch).expect("decided");
            let (state, texts) = stream.memory();
            largest = largest.max(state + texts);
        }
        assert!(largest < 24 << 20, "{largest} bytes");
    }
}
