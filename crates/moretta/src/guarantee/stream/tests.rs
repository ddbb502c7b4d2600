//! The checker against a method that counts by looking at all rows again.

use super::*;
use crate::data::hierarchy::{HierarchySpec, Rungs, Texts};
use crate::data::{Column, Field, Kind, Role, RowIds, Schema};
use arrow_array::Int64Array;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A row of a stream with two attributes.
#[derive(Clone, Debug)]
struct Row {
    time: i64,
    user: Option<u8>,
    group: Option<u8>,
    values: [Option<String>; 2],
}

/// What is released of a row.
#[derive(Clone, Debug)]
struct Shown {
    id: u64,
    labels: [Option<String>; 2],
    z: [u32; 2],
    fakes: u32,
}

#[derive(Clone, Copy, Debug)]
struct Setting {
    window: i64,
    lateness: i64,
    z: u32,
    at_most: Option<u32>,
}

fn ladder() -> Ladder {
    HierarchySpec::Path("*".to_owned())
        .ladder("a", Texts::Category)
        .expect("a ladder")
}

fn labels(value: &str) -> Vec<String> {
    let mut rungs = Rungs::default();
    ladder().climb(value, &mut rungs);
    rungs.iter().map(str::to_owned).collect()
}

/// The users of a label at the last of `rows`, by looking at all of them: those whose
/// last exposure is in its window, and those of whom any is.
fn counts(rows: &[Row], column: usize, label: &str, setting: Setting) -> [u64; 2] {
    let time = rows[rows.len() - 1].time;
    let shows = |row: &&Row| {
        let labels = row.values[column].as_deref().map(labels);
        labels.is_some_and(|labels| labels.iter().any(|other| other == label))
    };
    [i64::MAX, time].map(|until| {
        let mut last: BTreeMap<u8, (i64, Option<u8>)> = BTreeMap::new();
        for row in rows.iter().filter(shows).filter(|row| row.time <= until) {
            if let Some(user) = row.user {
                let known = last.entry(user).or_insert((row.time, row.group));
                if row.time >= known.0 {
                    *known = (row.time, row.group);
                }
            }
        }
        let mut groups: BTreeMap<Option<u8>, u64> = BTreeMap::new();
        for (seen, group) in last.into_values() {
            if (time - setting.window..=time).contains(&seen) {
                *groups.entry(group).or_default() += 1;
            }
        }
        let most = setting.at_most.map_or(u64::MAX, u64::from);
        groups.into_values().map(|users| users.min(most)).sum()
    })
}

/// The most specific label with enough users.
fn decide(rows: &[Row], column: usize, setting: Setting) -> Option<String> {
    let row = &rows[rows.len() - 1];
    let newest = rows.iter().map(|row| row.time).max()?;
    if row.user.is_none() || row.time < newest - setting.lateness {
        return None;
    }
    labels(row.values[column].as_deref()?)
        .into_iter()
        .find(|label| counts(rows, column, label, setting)[0] >= u64::from(setting.z))
}

fn release(rows: &[Row], setting: Setting) -> Vec<Shown> {
    let mut released = Vec::new();
    for row in 0..rows.len() {
        let labels = [0, 1].map(|column| decide(&rows[..=row], column, setting));
        if labels.iter().any(Option::is_some) {
            released.push(Shown {
                id: row as u64,
                z: [0, 1].map(|column| u32::from(labels[column].is_some()) * setting.z),
                labels,
                fakes: 0,
            });
        }
    }
    released
}

fn schema() -> Arc<Schema> {
    let field = |name: &str, role| Field::new(name, role, Kind::Category { ordered: false });
    let fields = vec![
        Field {
            kind: Kind::Plain(arrow_schema::DataType::Int64),
            ..field("t", Role::Time)
        },
        field("user", Role::Subject),
        field("a", Role::Quasi),
        field("b", Role::Quasi),
        field("account", Role::Key),
    ];
    Arc::new(Schema::new(fields).expect("a schema"))
}

type Cells = (i64, Option<String>, [Option<String>; 2], Option<String>);

fn batch(ids: Vec<u64>, rows: Vec<Cells>) -> Batch {
    let texts = |text: fn(&Cells) -> Option<String>| {
        Column::Category(rows.iter().map(text).collect::<Categories>())
    };
    let columns = vec![
        Column::Plain(Arc::new(
            rows.iter().map(|row| row.0).collect::<Int64Array>(),
        )),
        texts(|row| row.1.clone()),
        texts(|row| row.2[0].clone()),
        texts(|row| row.2[1].clone()),
        texts(|row| row.3.clone()),
    ];
    Batch::new(schema(), RowIds::List(ids.into()), columns).expect("columns fit")
}

/// Shows the checker `rows` in batches of `size`, each with its releases; those of
/// no row go with the last.
fn check(
    rows: &[Row],
    released: &[Shown],
    setting: Setting,
    size: usize,
) -> Result<StreamFindings> {
    let ladders = vec![ladder(), ladder()];
    let mut checker = StreamChecker::new(setting.window, ladders, setting.at_most)
        .with_lateness(setting.lateness);
    let text = |number: Option<u8>| number.map(|number| number.to_string());
    let mut released = released.iter().peekable();
    for (place, chunk) in rows.chunks(size).enumerate() {
        let first = place * size;
        let ids = (first as u64..).take(chunk.len()).collect();
        let cells = |row: &Row| {
            let group = text(row.group);
            (row.time, text(row.user), row.values.clone(), group)
        };
        let original = batch(ids, chunk.iter().map(cells).collect());
        let end = match first + chunk.len() == rows.len() {
            true => u64::MAX,
            false => (first + chunk.len()) as u64,
        };
        let mine: Vec<&Shown> =
            std::iter::from_fn(|| released.next_if(|shown| shown.id < end)).collect();
        let ids = mine.iter().map(|shown| shown.id).collect();
        let hidden = |label: &Option<String>| Some(label.clone().unwrap_or("*".to_owned()));
        let cells = |shown: &&Shown| (0, None, shown.labels.each_ref().map(hidden), None);
        let times: Vec<i64> = chunk.iter().map(|row| row.time).collect();
        checker.check(&Decided {
            times: &times,
            original: &original,
            released: &batch(ids, mine.iter().map(cells).collect()),
            z: &mine.iter().flat_map(|shown| shown.z).collect::<Vec<_>>(),
            fakes: &mine.iter().map(|shown| shown.fakes).collect::<Vec<_>>(),
            fakes_follow: false,
            subject: 1,
            attributes: &[2, 3],
            group: setting.at_most.map(|_| 4),
        })?;
    }
    Ok(checker.findings())
}

fn any_rows() -> impl Strategy<Value = Vec<Row>> {
    let value = || {
        let part = || prop::sample::select(vec!["a", "b", "c"]);
        let path = prop::collection::vec(part(), 1..4).prop_map(|parts| parts.join("*"));
        prop::option::weighted(0.9, path)
    };
    let row = (
        0..60_i64,
        prop::option::weighted(0.95, 0..8_u8),
        prop::option::weighted(0.8, 0..4_u8),
        [value(), value()],
    );
    let rows = prop::collection::vec(row, 1..60);
    // From wholly ordered to wholly mixed: the times are put in order within so much.
    (rows, prop::sample::select(vec![1_i64, 5, 20, 60])).prop_map(|(rows, mixed)| {
        let mut rows: Vec<Row> = rows
            .into_iter()
            .map(|(time, user, group, values)| Row {
                time,
                user,
                group,
                values,
            })
            .collect();
        rows.sort_by_key(|row| row.time / mixed);
        rows
    })
}

fn any_setting() -> impl Strategy<Value = Setting> {
    let lateness = prop::sample::select(vec![0_i64, 3, 10, 60]);
    let at_most = prop::option::of(1..3_u32);
    (1..40_i64, lateness, 1..5_u32, at_most).prop_map(|(window, lateness, z, at_most)| Setting {
        window,
        lateness,
        z,
        at_most,
    })
}

fn refused(rows: &[Row], released: &[Shown], setting: Setting, size: usize) -> String {
    match check(rows, released, setting, size) {
        Err(error) => {
            assert_eq!(error.exit_code(), 1, "{error}");
            error.to_string()
        }
        Ok(found) => panic!("a fault was not seen: {found:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn right_releases_pass_in_any_order_and_batch_size(
        rows in any_rows(), setting in any_setting(), size in 1..70_usize,
    ) {
        let released = release(&rows, setting);
        let found = check(&rows, &released, setting, size).expect("all is right");
        let cells = released.iter().flat_map(|shown| &shown.labels).flatten().count();
        prop_assert_eq!(found.cells, cells as u64);
        prop_assert_eq!(found.released, released.len() as u64);
        prop_assert_eq!(found.decided, rows.len() as u64);
        let counted: Vec<[u64; 2]> = released.iter().flat_map(|shown| {
            let rows = &rows[..=shown.id as usize];
            (0..2).filter_map(move |column| {
                let label = shown.labels[column].as_deref()?;
                Some(counts(rows, column, label, setting))
            })
        }).collect();
        let least = |which: usize| counted.iter().map(|counts| counts[which]).min();
        prop_assert!(least(0) <= found.smallest_count);
        prop_assert!(found.smallest_count <= least(1));
    }

    #[test]
    fn a_cell_that_is_one_user_short_is_caught(
        rows in any_rows(), setting in any_setting(), size in 1..70_usize, pick in any::<prop::sample::Index>(),
    ) {
        let mut released = release(&rows, setting);
        prop_assume!(!released.is_empty());
        let place = pick.index(released.len());
        let shown = &mut released[place];
        let column = usize::from(shown.labels[0].is_none());
        let label = shown.labels[column].clone().expect("shown");
        let [least, users] = counts(&rows[..=shown.id as usize], column, &label, setting);
        shown.z[column] = users as u32 + 1;
        let row = shown.id + 1;
        let told = refused(&rows, &released, setting, size);
        let name = ["a", "b"][column];
        let z = users + 1;
        let cell = format!("row {row}, column `{name}`: needs {z} users that share it and has ");
        let found = told.strip_prefix(&cell).and_then(|found| found.parse().ok());
        prop_assert!(found.is_some_and(|found| (least..=users).contains(&found)), "{}", told);
    }

    #[test]
    fn a_label_that_is_too_rare_or_of_another_row_is_caught(
        rows in any_rows(), setting in any_setting(), size in 1..70_usize,
        pick in any::<prop::sample::Index>(), other in any::<prop::sample::Index>(),
    ) {
        let mut released = release(&rows, setting);
        prop_assume!(!released.is_empty());
        let place = pick.index(released.len());
        let row = released[place].id as usize;
        let wrong = rows[other.index(rows.len())].values[1].clone().unwrap_or("z".to_owned());
        let own = rows[row].values[1].as_deref().map(labels).unwrap_or_default();
        let [least, most] = match own.contains(&wrong) {
            true => counts(&rows[..=row], 1, &wrong, setting),
            false => [0, 0],
        };
        released[place].labels[1] = Some(wrong);
        released[place].z[1] = setting.z;
        let found = check(&rows, &released, setting, size);
        let z = u64::from(setting.z);
        prop_assert!(found.is_ok() || least < z);
        prop_assert!(found.is_err() || most >= z);
    }

    #[test]
    fn a_row_twice_or_foreign_or_moved_is_caught(
        rows in any_rows(), setting in any_setting(), size in 1..70_usize,
        pick in any::<prop::sample::Index>(),
    ) {
        let released = release(&rows, setting);
        prop_assume!(!released.is_empty());
        let place = pick.index(released.len());
        let mut twice = released.clone();
        twice.insert(place, released[place].clone());
        let told = refused(&rows, &twice, setting, size);
        prop_assert!(told.contains("released twice"), "{}", told);
        let mut foreign = released.clone();
        foreign[place].id += 1 << 50;
        foreign.sort_by_key(|shown| shown.id);
        let told = refused(&rows, &foreign, setting, size);
        prop_assert!(told.contains("of source 5 was released twice"), "{}", told);
        if released.len() > 1 {
            let mut moved = released.clone();
            moved.rotate_left(1);
            let told = refused(&rows, &moved, setting, rows.len());
            prop_assert!(told.contains("out of its order"), "{}", told);
        }
    }
}

fn row(time: i64, user: u8, value: &str) -> Row {
    Row {
        time,
        user: Some(user),
        group: None,
        values: [Some(value.to_owned()), None],
    }
}

fn shown(id: u64, label: &str, z: u32, fakes: u32) -> Shown {
    Shown {
        id,
        labels: [Some(label.to_owned()), None],
        z: [z, 0],
        fakes,
    }
}

const PLAIN: Setting = Setting {
    window: 10,
    lateness: 0,
    z: 2,
    at_most: None,
};

#[test]
fn made_up_rows_help_only_if_they_are_there_and_show_the_label() {
    let rows = [row(1, 1, "a*x"), row(2, 2, "a*y")];
    let real = shown(1, "a*y", 3, 2);
    let fake = |number: u64, label: &str| shown(MADE_UP + number, label, 3, 0);
    let cases: [(&[Shown], Option<&str>); 4] = [
        (&[fake(0, "a*y"), fake(1, "a*y"), real.clone()], None),
        (&[fake(0, "a*y"), real.clone()], Some("that 1 of them show")),
        (
            &[fake(0, "a*y"), fake(1, "a*x"), real.clone()],
            Some("2 made-up rows are said to have helped a label"),
        ),
        (
            &[fake(0, "a*y"), shown(1, "a*y", 3, 1)],
            Some("has 1 and 1 made-up rows"),
        ),
    ];
    for (released, expected) in cases {
        // The ids of made-up rows are above all others, so they go with the last batch.
        match (check(&rows, released, PLAIN, 2), expected) {
            (Ok(found), None) => assert_eq!((found.made_up, found.faked), (2, 1)),
            (Err(error), Some(part)) => assert!(error.to_string().contains(part), "{error}"),
            (found, _) => panic!("{found:?}"),
        }
    }
}

#[test]
fn a_cell_that_nothing_allows_shows_nothing() {
    let rows = [row(1, 1, "a"), row(2, 2, "a")];
    assert!(check(&rows, &[shown(1, "*", 0, 0)], PLAIN, 2).is_ok());
    let told = refused(&rows, &[shown(1, "a", 0, 0)], PLAIN, 2);
    assert_eq!(told, "row 2, column `a`: shows a value that nothing allows");
}

#[test]
fn what_left_the_window_is_forgotten() {
    let mut checker = StreamChecker::new(10, vec![ladder()], Some(1));
    let mut most = 0;
    for round in 0..40_i64 {
        let cells = |row: i64| {
            let value = [Some(format!("{}*{row}*{round}", row % 7)), None];
            let user = Some(format!("{}", row * 40 + round));
            (0, user.clone(), value, user)
        };
        let ids: Vec<u64> = (0..5000).map(|row| round as u64 * 5000 + row).collect();
        let original = batch(ids, (0..5000).map(cells).collect());
        let times: Vec<i64> = (0..5000).map(|row| round * 10 + row / 500).collect();
        let found = checker.check(&Decided {
            times: &times,
            original: &original,
            released: &batch(Vec::new(), Vec::new()),
            z: &[],
            fakes: &[],
            fakes_follow: false,
            subject: 1,
            attributes: &[2],
            group: Some(4),
        });
        assert!(found.is_ok());
        if round == 20 {
            most = checker.memory();
        }
    }
    assert!(
        checker.memory() <= most * 3 / 2,
        "{} after {most}",
        checker.memory()
    );
    // Without forgetting there would be 205,000 labels.
    assert!(checker.labels.len() < 110_000, "{}", checker.labels.len());
}
