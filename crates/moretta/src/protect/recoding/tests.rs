use super::*;
use crate::data::{Categories, Column, Levels, LevelsBuilder, MISSING, RowIds};
use crate::guarantee::Guarantee;
use crate::protect::mondrian::Mondrian;

fn field(name: &str, role: Role, kind: Kind) -> Field {
    Field::new(name, role, kind)
}

const WHOLE: Kind = Kind::Number { integer: true };

fn table(fields: Vec<Field>, columns: Vec<Column>) -> Batch {
    let len = columns[0].len();
    let ids = RowIds::Range { start: 0, len };
    let schema = Arc::new(Schema::new(fields).expect("names differ"));
    Batch::new(schema, ids, columns).expect("fits")
}

fn ages(values: &[Option<f64>]) -> Batch {
    let column = Column::Number(values.iter().copied().collect());
    table(vec![field("age", Role::Quasi, WHOLE)], vec![column])
}

fn bounds(name: &str, number: f64) -> BTreeMap<String, Bound> {
    [(name.to_owned(), Bound::Number(number))].into()
}

fn setting(table: &Batch, k: Option<u32>) -> Setting {
    let columns = table.schema().fields().iter().zip(table.columns());
    let domains = columns.filter(|(field, _)| field.role == Role::Quasi);
    let domains = domains.map(|(field, column)| {
        let domain = Domain::of(field, column, None).expect("numbers or categories");
        (field.name.to_string(), domain)
    });
    Setting {
        guarantee: Guarantee {
            k,
            ..Guarantee::default()
        },
        domains: Arc::new(Domains::new(domains)),
        ..Setting::default()
    }
}

fn texts(column: &Column) -> Vec<Option<String>> {
    let text = |row: usize| match column {
        Column::Number(numbers) => numbers.get(row).map(|n| n.to_string()),
        Column::Category(categories) => categories.get(row).map(str::to_owned),
        Column::Plain(_) => None,
    };
    (0..column.len()).map(text).collect()
}

fn released(config: &Recoding, table: &Batch, k: u32) -> Result<Vec<Option<String>>> {
    let method = config.table(&setting(table, Some(k))).expect("for tables");
    Ok(texts(method.release(table)?.batch.column(0)))
}

fn some(texts: &[&str]) -> Vec<Option<String>> {
    texts.iter().map(|text| Some((*text).to_owned())).collect()
}

#[test]
fn steps_and_ends_are_shown_as_what_they_leave_open() {
    let config = Recoding {
        round: [("age".to_owned(), 5.0)].into(),
        bottom: bounds("age", 20.0),
        top: bounds("age", 90.0),
        ..Recoding::default()
    };
    let table = ages(&[33.0, 34.0, 35.0, 3.0, 24.0, 89.0, 90.0, 107.0].map(Some));
    let expected = [
        "30..34", "30..34", "35..39", "..24", "..24", "85..89", "90..", "90..",
    ];
    assert_eq!(
        released(&config, &table, 1).expect("k = 1"),
        some(&expected)
    );
}

#[test]
fn fractions_go_to_decimal_steps() {
    let config = Recoding {
        round: [("age".to_owned(), 0.1)].into(),
        ..Recoding::default()
    };
    let kind = Kind::Number { integer: false };
    let table = |values: &[f64]| {
        let column = Column::Number(values.iter().copied().map(Some).collect());
        table(vec![field("age", Role::Quasi, kind.clone())], vec![column])
    };
    let shown = released(&config, &table(&[0.3, 0.39, -0.05]), 1).expect("k = 1");
    assert_eq!(shown, some(&["0.3..0.4", "0.3..0.4", "-0.1..0"]));
    let refused = released(&config, &table(&[0.3, 1e300]), 1).expect_err("too large");
    assert_eq!(refused.exit_code(), 4, "{refused}");
}

#[test]
fn what_is_missing_stays_missing_and_alone() {
    let config = Recoding {
        top: bounds("age", 50.0),
        ..Recoding::default()
    };
    let table = ages(&[Some(60.0), None, Some(70.0), None]);
    let expected = [Some("50..".to_owned()), None, Some("50..".to_owned()), None];
    assert_eq!(released(&config, &table, 2).expect("pairs"), expected);
    let refused = released(&config, &table, 3).expect_err("pairs");
    assert_eq!(refused.exit_code(), 1, "{refused}");
}

#[test]
fn mondrian_cuts_recoded_values_and_covers_what_they_stand_for() {
    let config = Recoding {
        round: [("age".to_owned(), 5.0)].into(),
        top: bounds("age", 60.0),
        ..Recoding::default()
    };
    let table = ages(&[31.0, 34.0, 37.0, 52.0, 63.0, 99.0].map(Some));
    let exact = Mondrian {
        bounds: crate::protect::mondrian::Bounds::Exact,
        ..Mondrian::default()
    };
    let setting = setting(&table, Some(3));
    let method = config.before(Arc::new(exact), &setting);
    let release = method.release(&table).expect("two classes").batch;
    let expected = ["30..39", "30..39", "30..39", "50..", "50..", "50.."];
    assert_eq!(texts(release.column(0)), some(&expected));
}

#[test]
fn ordered_categories_have_ends_and_sensitive_numbers_stay_numbers() {
    let levels: Arc<Levels> = Arc::new(["a", "b", "c", "d"].iter().collect());
    let codes = vec![0, 3, 2, MISSING];
    let grades = Column::Category(Categories::new(codes, Arc::clone(&levels)));
    let incomes = Column::Number(
        [Some(1234.0), Some(99_999.0), None, Some(0.0)]
            .into_iter()
            .collect(),
    );
    let table = table(
        vec![
            field("grade", Role::Quasi, Kind::Category { ordered: true }),
            field("income", Role::Sensitive, WHOLE),
        ],
        vec![grades, incomes],
    );
    let config = Recoding {
        round: [("income".to_owned(), 500.0)].into(),
        top: [
            ("income".to_owned(), Bound::Number(5000.0)),
            ("grade".to_owned(), Bound::Text("c".to_owned())),
        ]
        .into(),
        ..Recoding::default()
    };
    let method = config.table(&setting(&table, Some(1))).expect("for tables");
    let release = method.release(&table).expect("k = 1").batch;
    let grades = [Some("a"), Some("c..d"), Some("c..d"), None];
    assert_eq!(
        texts(release.column(0)),
        grades.map(|t| t.map(str::to_owned))
    );
    let incomes = [Some("1000"), Some("5000"), None, Some("0")];
    assert_eq!(
        texts(release.column(1)),
        incomes.map(|t| t.map(str::to_owned))
    );
    assert_eq!(release.schema().fields()[1].kind, WHOLE);
}

/// A tree over tens, hundreds.
fn zips() -> (Batch, Setting) {
    let mut levels = LevelsBuilder::default();
    let codes = ["101", "102", "111", "205"]
        .map(|zip| levels.intern(zip))
        .to_vec();
    let column = Column::Category(Categories::new(codes, Arc::new(levels.finish())));
    let zip = field("zip", Role::Quasi, Kind::Category { ordered: false });
    let table = table(vec![zip.clone()], vec![column]);
    let chain = |zip: &str| {
        let masked = |kept: usize| format!("{}{}", &zip[..kept], "*".repeat(3 - kept));
        vec![zip.to_owned(), masked(2), masked(1), "*".to_owned()]
    };
    let chains: Vec<Vec<String>> = ["101", "102", "111", "205"].map(chain).to_vec();
    let tree = Arc::new(Hierarchy::from_chains(&chains).expect("a tree"));
    let domain = Domain::of(&zip, table.column(0), Some(tree)).expect("categories");
    let domains = Domains::new([("zip".to_owned(), domain)]);
    let setting = Setting {
        domains: Arc::new(domains),
        ..setting(&table, Some(1))
    };
    (table, setting)
}

#[test]
fn a_level_leaves_the_tree_above_it_to_the_next_method() {
    let (table, setting) = zips();
    let config = Recoding {
        levels: [("zip".to_owned(), 1)].into(),
        ..Recoding::default()
    };
    let alone = config.table(&setting).expect("for tables");
    let shown = texts(alone.release(&table).expect("k = 1").batch.column(0));
    assert_eq!(shown, some(&["10*", "10*", "11*", "20*"]));
    let mut pairs = setting.clone();
    pairs.guarantee.k = Some(3);
    let mondrian = config.before(Arc::new(Mondrian::default()), &pairs);
    let shown = texts(mondrian.release(&table).expect("one class").batch.column(0));
    assert_eq!(shown, some(&["*"; 4]));
    let top = Recoding {
        levels: [("zip".to_owned(), 3)].into(),
        ..Recoding::default()
    };
    let mondrian = top.before(Arc::new(Mondrian::default()), &pairs);
    let shown = texts(mondrian.release(&table).expect("one class").batch.column(0));
    assert_eq!(shown, some(&["*"; 4]));
}

#[test]
fn rules_that_do_not_fit_their_column_are_refused() {
    let kinds = [
        (WHOLE, Bound::Text("x".to_owned()), "of another kind"),
        (WHOLE, Bound::Number(12.0), "no multiple of its step 5"),
        (
            Kind::Category { ordered: false },
            Bound::Text("x".to_owned()),
            "no numbers to round",
        ),
    ];
    for (kind, top, message) in kinds {
        let config = Recoding {
            round: [("age".to_owned(), 5.0)].into(),
            top: [("age".to_owned(), top)].into(),
            ..Recoding::default()
        };
        let refused = config
            .coding(&field("age", Role::Quasi, kind))
            .expect_err(message);
        assert!(refused.to_string().contains(message), "{refused}");
        assert_eq!(refused.exit_code(), 3);
    }
    let crossed = Recoding {
        bottom: bounds("age", 20.0),
        top: bounds("age", 20.0),
        ..Recoding::default()
    };
    let refused = crossed
        .coding(&field("age", Role::Plain, WHOLE))
        .expect_err("nothing between");
    assert!(
        refused.to_string().contains("not below its `top`"),
        "{refused}"
    );
}
