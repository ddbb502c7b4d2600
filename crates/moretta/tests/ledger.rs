//! Releases of one table, held against each other by code that knows neither ledger nor method:
//! whatever three releases show, everybody stands among k in all of them together.

use moretta::Error;
use moretta::data::{Batch, Categories, Column, Field, Kind, Numbers, Role, RowIds, Schema};
use moretta::engine::ledger::History;
use moretta::engine::{Conflict, Context, LedgerPlan, Plan, Session};
use moretta::protect::identifiers::Key;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const K: usize = 3;

/// Methods on tables that make values coarser, each in a form that may suppress.
const METHODS: &[&str] = &[
    "method = \"mondrian\"\nsuppress = 0.3",
    "method = \"mondrian\"",
    "method = \"generalization\"\nlevels = { x = 1, y = 1 }\nsuppress = 1.0",
];

/// The plan of one release: some columns are quasi-identifiers, others are not released.
fn plan(method: &str, quasi: [bool; 3], on_conflict: Conflict) -> Plan {
    let role = |is_quasi: bool| if is_quasi { "quasi" } else { "drop" };
    let [x, y, c] = quasi.map(role);
    let text = format!(
        "[columns]\nperson = {{ role = \"subject\" }}\ntag = {{ role = \"plain\" }}\n\
         x = {{ role = \"{x}\", hierarchy = {{ intervals = [10, 50] }} }}\n\
         y = {{ role = \"{y}\", hierarchy = {{ intervals = [5, 25] }} }}\n\
         c = {{ role = \"{c}\" }}\n\
         [guarantee]\nk = {K}\n[[protect]]\n{method}\n"
    );
    // A rule for values goes with quasi-identifiers alone.
    let text = text.lines().map(|line| match line.contains("\"drop\"") {
        true => line.split(" = {").next().map_or_else(String::new, |name| {
            format!("{name} = {{ role = \"drop\" }}")
        }),
        false => line.to_owned(),
    });
    let text: Vec<String> = text.collect();
    let mut plan = Plan::parse(
        &text
            .join("\n")
            .replace("levels = { x = 1, y = 1 }", &levels(quasi)),
    )
    .expect("a plan");
    plan.ledger = Some(LedgerPlan {
        on_conflict,
        growth: false,
    });
    plan
}

fn levels(quasi: [bool; 3]) -> String {
    let levels = ["x", "y"]
        .iter()
        .zip(quasi)
        .filter(|(_, is_quasi)| *is_quasi);
    let levels: Vec<String> = levels.map(|(name, _)| format!("{name} = 1")).collect();
    format!("levels = {{ {} }}", levels.join(", "))
}

fn table(rows: &[(u32, u32, u32)]) -> Batch {
    let number = Kind::Number { integer: true };
    let category = Kind::Category { ordered: false };
    let fields = [
        ("person", &category),
        ("tag", &category),
        ("x", &number),
        ("y", &number),
        ("c", &category),
    ];
    let fields = fields.map(|(name, kind)| Field::new(name, Role::Plain, kind.clone()));
    let numbers = |of: fn(&(u32, u32, u32)) -> u32| -> Column {
        let numbers: Numbers = rows.iter().map(|row| Some(f64::from(of(row)))).collect();
        Column::Number(numbers)
    };
    let words = |of: &dyn Fn(usize) -> String| -> Column {
        let words: Categories = (0..rows.len()).map(|row| Some(of(row))).collect();
        Column::Category(words)
    };
    let columns = vec![
        words(&|row| format!("p{row}")),
        words(&|row| format!("t{row}")),
        numbers(|row| row.0),
        numbers(|row| row.1),
        words(&|row| format!("c{}", rows[row].2)),
    ];
    let ids = RowIds::Range {
        start: 0,
        len: rows.len(),
    };
    let schema = Arc::new(Schema::new(fields.to_vec()).expect("names differ"));
    Batch::new(schema, ids, columns).expect("fits")
}

/// What each person, known by the tag that is released, shows besides it.
fn shown(release: &Batch) -> BTreeMap<String, Vec<String>> {
    let text = |column: &Column, row: usize| match column {
        Column::Category(cells) => format!("{:?}", cells.get(row)),
        Column::Number(numbers) => format!("{:?}", numbers.iter().nth(row)),
        Column::Plain(array) => format!("{:?}", array.slice(row, 1)),
    };
    let tag = release
        .schema()
        .index_of("tag")
        .expect("the tag is released");
    let row = |row: usize| {
        let others = (0..release.schema().len()).filter(|&place| place != tag);
        let others = others.map(|place| text(release.column(place), row));
        (text(release.column(tag), row), others.collect())
    };
    (0..release.len()).map(row).collect()
}

/// Persons who are released somewhere and whom fewer than K share all releases with.
fn told_apart(releases: &[BTreeMap<String, Vec<String>>]) -> usize {
    let persons: BTreeSet<&String> = releases.iter().flat_map(BTreeMap::keys).collect();
    let mut cells: BTreeMap<Vec<Option<&Vec<String>>>, usize> = BTreeMap::new();
    for person in persons {
        let seen = releases.iter().map(|release| release.get(person)).collect();
        *cells.entry(seen).or_default() += 1;
    }
    cells.values().filter(|&&size| size < K).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn three_releases_together_leave_nobody_among_fewer_than_k(
        rows in proptest::collection::vec((0u32..60, 0u32..40, 0u32..4), 9..60),
        choices in proptest::collection::vec((0usize..3, 1u8..8), 3),
        coarsens: bool,
    ) {
        let table = table(&rows);
        let conflict = if coarsens { Conflict::Coarsen } else { Conflict::Refuse };
        let key = Key::new(b"a key for tests, not a secret".to_vec()).expect("long enough");
        let mut history = History::new(key);
        let mut releases = Vec::new();
        for (method, quasi) in choices {
            let quasi = [0, 1, 2].map(|bit| quasi & 1 << bit != 0);
            let plan = Arc::new(plan(METHODS[method], quasi, conflict));
            let context = Context {
                ledger: Some(Arc::new(history.clone())),
                ..Context::default()
            };
            let dropped = |name: &str| plan.column(name).is_some_and(|c| c.role == Role::Drop);
            let places = (0..table.schema().len())
                .filter(|&place| !dropped(&table.schema().fields()[place].name));
            let (fields, columns) = places
                .map(|place| (table.schema().fields()[place].clone(), table.column(place).clone()))
                .unzip();
            let schema = Arc::new(Schema::new(fields).expect("names differ"));
            let given = Batch::new(schema.clone(), table.rows().clone(), columns).expect("fits");
            let mut session = Session::open(&plan, &schema, context).expect("a session");
            session.push(given).expect("rows");
            match session.finish() {
                Ok((checked, outcome)) => {
                    releases.push(shown(checked.rows()));
                    history.add(&outcome.recorded.expect("recorded"));
                    prop_assert_eq!(told_apart(&releases), 0, "{:?}", releases);
                }
                // Refused: nothing leaves. With classes that are joined, only where no row is left,
                // or for other promises.
                Err(error @ Error::Budget(_)) => {
                    let empty = error.to_string().contains("no row is left to release");
                    prop_assert!(!coarsens || empty, "{error}");
                }
                Err(Error::Guarantee(_)) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
}
