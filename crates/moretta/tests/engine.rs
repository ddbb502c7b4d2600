//! Sessions: what programs that embed the library build on.

#[path = "engine/transactions.rs"]
mod transactions;

use moretta::data::hierarchy::HierarchySpec;
use moretta::data::{
    Batch, Categories, Column, DateFormat, Field, Kind, Levels, Numbers, Role, RowIds, Schema,
};
use moretta::engine::{
    self, Action, Cancel, Checked, ColumnPolicy, Context, KeyPlace, Measure, Plan, Resume, Session,
    Sink, Stage,
};
use moretta::io::{self, ReadOptions, WriteOptions};
use moretta::pipeline::{self, Options, Progress};
use moretta::policy::{Policy, Root};
use moretta::protect::identifiers::Key;
use moretta::protect::{Method, MethodConfig, Release, Setting, TableMethod};
use moretta::{Error, Result};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;

/// Plans of each way that rows can go, and whether they leave before the end.
const PLANS: [(&str, bool); 5] = [
    (
        "seed = 7\n[guarantee]\nk = 4\n[[protect]]\nmethod = \"mondrian\"\n",
        false,
    ),
    (
        "seed = 7\n[guarantee]\nk = 4\n[[protect]]\nmethod = \"generalization\"\nlevels = { x = 1, y = 1 }\nsuppress = 0.5\n",
        false,
    ),
    (
        "seed = 7\n[[protect]]\nmethod = \"noise\"\namount = 0.2\n",
        false,
    ),
    (
        "seed = 7\n[[protect]]\nmethod = \"microaggregation\"\nk = 3\nbuffer = 20\n",
        true,
    ),
    (
        "seed = 7\n[[protect]]\nmethod = \"rank-swapping\"\nbuffer = 30\n",
        true,
    ),
];

const COLUMNS: &str = r#"
    [columns]
    x = { role = "quasi", hierarchy = { intervals = [10, 50] } }
    y = { role = "quasi", hierarchy = { intervals = [5, 25] } }
    note = { role = "plain" }
"#;

/// 300 rows as CSV.
fn rows() -> String {
    let row = |n: u32| format!("{},{},n{}\n", n * 37 % 101, n * 53 % 97 % 30, n % 7);
    format!("x,y,note\n{}", (0..300).map(row).collect::<String>())
}

fn plan(text: &str) -> Arc<Plan> {
    // A seed stands before the first table.
    let (seed, rest) = text.split_once('\n').expect("a seed");
    Arc::new(Plan::parse(&format!("{seed}\n{COLUMNS}{rest}")).expect("a plan"))
}

/// What a policy with files releases.
fn released_by_file(folder: &Path, text: &str) -> String {
    let (seed, rest) = text.split_once('\n').expect("a seed");
    let policy = format!(
        "version = 1\n{seed}\nsource = {{ path = \"in.csv\" }}\nsink = {{ path = \"out.csv\" }}\n{COLUMNS}{rest}"
    );
    let root = Root::of_policy(&folder.join("policy.toml"), None).expect("a root");
    let policy = Policy::parse(&policy, &root).expect("a policy");
    let options = Options {
        command: String::new(),
        date: None,
        force: true,
        strict: false,
        render: &|_| String::new(),
        progress: &Progress::default(),
    };
    pipeline::run(&policy, &options).expect("released");
    std::fs::read_to_string(folder.join("out.csv")).expect("a release")
}

/// The rows, so many at a time.
fn batches(folder: &Path, plan: &Plan, size: usize) -> (Arc<Schema>, Vec<Batch>) {
    let options = ReadOptions {
        batch_rows: Some(size),
        ..ReadOptions::default()
    };
    let plans = plan.column_plans().expect("plans");
    let source = io::open(&folder.join("in.csv"), &options, &plans).expect("opened");
    let schema = Arc::clone(source.schema());
    (schema, source.collect::<Result<_>>().expect("rows"))
}

/// Writes what leaves of a session as CSV.
struct Csv<'a> {
    path: &'a Path,
    parts: Vec<Batch>,
    committed: bool,
}

impl Sink for Csv<'_> {
    fn write(&mut self, rows: &Checked) -> Result<()> {
        self.parts.push(rows.rows().clone());
        Ok(())
    }

    fn commit(&mut self, _: Option<&Resume>) -> Result<()> {
        let mut file = io::create(self.path, &WriteOptions::default(), self.parts[0].schema())?;
        for part in &self.parts {
            file.write(part)?;
        }
        self.committed = true;
        file.close()
    }

    fn abort(&mut self) {
        self.parts.clear();
    }
}

#[test]
fn a_session_releases_what_a_run_with_files_does_however_rows_come() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join("in.csv"), rows()).expect("written");
    for (text, streams) in PLANS {
        let expected = released_by_file(folder, text);
        let plan = plan(text);
        for size in [1, 7, 300] {
            let (schema, rows) = batches(folder, &plan, size);
            let path = folder.join("session.csv");
            let mut sink = Csv {
                path: &path,
                parts: Vec::new(),
                committed: false,
            };
            let rows = rows.into_iter().map(Ok);
            let outcome = engine::run(&plan, &schema, rows, &mut sink, Context::default());
            let outcome = outcome.expect("released");
            let found = std::fs::read_to_string(&path).expect("a release");
            assert_eq!(found, expected, "{text} {size}");
            assert!(outcome.report.verdict.passed);
            let early = sink.parts[..sink.parts.len() - 1]
                .iter()
                .any(|p| !p.is_empty());
            assert_eq!(early, streams, "{text} {size}");
        }
    }
}

/// Counts rows.
struct Rows(Arc<Mutex<u64>>);

impl Measure for Rows {
    fn observe(&mut self, original: &Batch, released: &Batch) -> Result<()> {
        let ids = original.rows().iter().zip(released.rows().iter());
        for (before, after) in ids {
            assert_eq!(before, after, "each beside its original");
        }
        *self.0.lock().expect("unpoisoned") += released.len() as u64;
        Ok(())
    }

    fn value(&self) -> Option<f64> {
        self.0.lock().ok().map(|rows| *rows as f64)
    }
}

#[test]
fn an_added_measure_sees_each_row_that_leaves_beside_its_original() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.csv"), rows()).expect("written");
    for (text, _) in PLANS {
        let plan = plan(text);
        let (schema, rows) = batches(folder.path(), &plan, 50);
        let mut session = Session::open(&plan, &schema, Context::default()).expect("opened");
        session.measure("rows", Box::new(Rows(Arc::default())));
        for batch in rows {
            session.push(batch).expect("taken");
        }
        let (_, outcome) = session.finish().expect("released");
        let released = outcome.report.rows.released;
        assert_eq!(
            outcome.measures,
            [("rows".to_owned(), Some(released as f64))]
        );
        assert!(released > 0);
    }
}

#[test]
fn a_hundred_sessions_side_by_side_do_not_disturb_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.csv"), rows()).expect("written");
    let release = |text: &str| -> (Vec<u64>, u64) {
        let plan = plan(text);
        let (schema, rows) = batches(folder.path(), &plan, 30);
        let context = Context::default();
        let progress = context.progress.clone();
        let mut session = Session::open(&plan, &schema, context).expect("opened");
        let mut left = Vec::new();
        for batch in rows {
            let released = session.push(batch).expect("taken");
            left.extend(released.iter().flat_map(|r| r.rows().rows().iter()));
        }
        let (rest, _) = session.finish().expect("released");
        left.extend(rest.rows().rows().iter());
        (left, progress.rows())
    };
    let alone = PLANS.map(|(text, _)| release(text));
    thread::scope(|scope| {
        let started: Vec<_> = (0..100)
            .map(|n| scope.spawn(move || release(PLANS[n % PLANS.len()].0)))
            .collect();
        for (n, session) in started.into_iter().enumerate() {
            let found = session.join().expect("no panic");
            assert_eq!(found, alone[n % PLANS.len()], "session {n}");
        }
    });
}

#[test]
fn a_cancelled_session_stops_and_its_sink_is_aborted() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.csv"), rows()).expect("written");
    for (text, _) in PLANS {
        let plan = plan(text);
        let (schema, rows) = batches(folder.path(), &plan, 50);
        let context = Context::default();
        let cancel = context.cancel.clone();
        let path = folder.path().join("never.csv");
        let mut sink = Csv {
            path: &path,
            parts: Vec::new(),
            committed: false,
        };
        // The third batch comes with the wish to stop.
        let rows = rows.into_iter().enumerate().map(|(n, batch)| {
            if n == 2 {
                cancel.cancel();
            }
            Ok(batch)
        });
        let stopped = engine::run(&plan, &schema, rows, &mut sink, context);
        assert!(matches!(stopped, Err(Error::Cancelled)), "{text}");
        assert!(!sink.committed && sink.parts.is_empty() && !path.exists());
    }
}

#[test]
fn a_long_method_is_stopped_while_it_works() {
    // MDAV of so many records takes minutes.
    let rows = 60_000;
    let text = "[columns]\nx = { role = \"quasi\" }\ny = { role = \"quasi\" }\n[[protect]]\nmethod = \"microaggregation\"\nk = 3\n";
    for grouping in ["", "grouping = \"v-mdav\"\n"] {
        let plan = Arc::new(Plan::parse(&format!("{text}{grouping}")).expect("a plan"));
        let number = Kind::Number { integer: false };
        let fields = ["x", "y"].map(|name| Field::new(name, Role::Quasi, number.clone()));
        let schema = Arc::new(Schema::new(fields.to_vec()).expect("names"));
        let column = |step: usize| {
            let values = (0..rows).map(|row| (row * step % 100_003) as f64);
            Column::Number(Numbers::from_iter(values))
        };
        let ids = RowIds::Range {
            start: 0,
            len: rows,
        };
        let batch = Batch::new(Arc::clone(&schema), ids, vec![column(37), column(53)]);
        let context = Context::default();
        let (cancel, progress) = (context.cancel.clone(), context.progress.clone());
        let mut session = Session::open(&plan, &schema, context).expect("opened");
        session.push(batch.expect("fits")).expect("taken");
        let work = thread::spawn(move || session.finish().map(drop));
        while progress.stage().0 != Stage::Protect {
            thread::yield_now();
        }
        cancel.cancel();
        let stopped = work.join().expect("no panic");
        assert!(matches!(stopped, Err(Error::Cancelled)), "{grouping}");
    }
}

#[test]
fn what_a_plan_cannot_keep_is_refused_before_a_row_comes() {
    let schema = Arc::new(Schema::new(Vec::new()).expect("no columns"));
    for text in [
        "[guarantee]\nk = 3\n[[protect]]\nmethod = \"noise\"\n",
        "[[protect]]\nmethod = \"noise\"\ncolumns = [\"z\"]\n",
    ] {
        let parsed = Plan::parse(&format!("[columns]\nx = {{ role = \"quasi\" }}\n{text}"));
        let opened = parsed
            .and_then(|plan| Session::open(&Arc::new(plan), &schema, Context::default()).map(drop));
        assert_eq!(opened.expect_err("refused").exit_code(), 3, "{text}");
    }
    let secret = Plan::parse("[columns]\nx = { role = \"key\", key = \"hunter2\" }\n");
    assert!(!secret.expect_err("refused").to_string().contains("hunter2"));
}

#[test]
fn roles_and_numbers_of_rows_are_those_of_the_plan_whatever_they_say() {
    let text = "[columns]\nx = { role = \"quasi\" }\nname = { role = \"identifier\" }\n[guarantee]\nk = 4\n[[protect]]\nmethod = \"mondrian\"\n";
    let plan = Arc::new(Plan::parse(text).expect("a plan"));
    let number = Kind::Number { integer: true };
    let schema = |names: &[&str]| {
        let fields = names.iter();
        let fields = fields.map(|name| Field::new(*name, Role::Plain, number.clone()));
        Arc::new(Schema::new(fields.collect()).expect("names differ"))
    };
    let column = |step: usize| {
        Column::Number(Numbers::from_iter(
            (0..40).map(|row| (row * step % 41) as f64),
        ))
    };
    let batch = |names: &[&str], ids: Vec<u64>| {
        let columns = (1..=names.len()).map(column).collect();
        Batch::new(schema(names), RowIds::List(ids.into()), columns).expect("fits")
    };
    let mut releases = Vec::new();
    for ids in [
        (0..40).collect(),
        vec![7; 40],
        (900..940).rev().collect::<Vec<u64>>(),
    ] {
        let names = ["x", "name"];
        let mut session =
            Session::open(&plan, &schema(&names), Context::default()).expect("opened");
        session.push(batch(&names, ids)).expect("taken");
        let (released, outcome) = session.finish().expect("released");
        // Called plain by the rows, and protected all the same.
        let fields = released.rows().schema().fields();
        assert_eq!((fields.len(), fields[0].role), (1, Role::Quasi));
        assert_eq!(outcome.report.verdict.claims[0].promised_value, Some(4.0));
        let texts = released.rows().column(0).as_categories().expect("regions");
        let texts: Vec<String> = (0..40)
            .filter_map(|row| texts.get(row))
            .map(str::to_owned)
            .collect();
        releases.push(texts);
    }
    assert!(releases.iter().all(|release| *release == releases[0]));
    for names in [&["x"][..], &["x", "y"], &["x", "name", "y"]] {
        let opened = Session::open(&plan, &schema(names), Context::default()).map(drop);
        // What is dropped need not come.
        assert_eq!(opened.is_ok(), names == ["x"], "{names:?}");
    }
    let mut session = Session::open(&plan, &schema(&["x"]), Context::default()).expect("opened");
    let other = session.push(batch(&["name"], (0..40).collect()));
    assert_eq!(other.expect_err("other columns").exit_code(), 2);
}

#[test]
fn persons_are_counted_also_where_a_plan_is_made_by_hand() {
    let text = "[columns]\nx = { role = \"quasi\" }\nname = { role = \"identifier\", action = \"pseudonym\", key = \"env:K\" }\n[guarantee]\nk = 4\n[[protect]]\nmethod = \"mondrian\"\n";
    let mut plan = Plan::parse(text).expect("a plan");
    // As somebody would write it who does not know that persons must be counted.
    for column in plan
        .columns
        .iter_mut()
        .filter(|column| column.name == "name")
    {
        column.role = Role::Identifier;
    }
    let mut context = Context::default();
    let key = Key::new(b"a key that is long enough for this test".to_vec()).expect("long enough");
    context
        .keys
        .insert(KeyPlace::Environment("K".to_owned()), key);
    let fields = vec![
        Field::new("x", Role::Quasi, Kind::Number { integer: true }),
        Field::new("name", Role::Identifier, Kind::Category { ordered: false }),
    ];
    let schema = Arc::new(Schema::new(fields).expect("names differ"));
    // Eight rows of each of three persons: no class holds four.
    let persons = (0..24).map(|row| Some(["ann", "bea", "cid"][row % 3]));
    let columns = vec![
        Column::Number(Numbers::from_iter((0..24).map(|row| (row % 5) as f64))),
        Column::Category(Categories::from_iter(persons)),
    ];
    let ids = RowIds::Range { start: 0, len: 24 };
    let batch = Batch::new(Arc::clone(&schema), ids, columns).expect("fits");
    let mut session = Session::open(&Arc::new(plan.clone()), &schema, context).expect("opened");
    session.push(batch).expect("taken");
    let refused = session.finish().map(drop);
    assert_eq!(refused.expect_err("three persons").exit_code(), 1);
    // Nor is an identifier released because somebody says so.
    for column in &mut plan.columns {
        column.action = Action::Keep;
    }
    let opened = Session::open(&Arc::new(plan), &schema, Context::default()).map(drop);
    assert_eq!(opened.expect_err("a name").exit_code(), 3);
}

/// Three rows with a column of towns; `people` beside it, if any.
fn towns(people: Option<Column>) -> (Arc<Schema>, Batch) {
    let text = Kind::Category { ordered: false };
    let mut fields = vec![Field::new("town", Role::Quasi, text.clone())];
    let towns = Categories::from_iter([Some("a"), Some("b"), Some("c")]);
    let mut columns = vec![Column::Category(towns)];
    if let Some(people) = people {
        let kind = match people {
            Column::Number(_) => Kind::Number { integer: true },
            _ => text,
        };
        fields.push(Field::new("person", Role::Subject, kind));
        columns.push(people);
    }
    let schema = Arc::new(Schema::new(fields).expect("names differ"));
    let ids = RowIds::Range { start: 0, len: 3 };
    (
        Arc::clone(&schema),
        Batch::new(schema, ids, columns).expect("fits"),
    )
}

/// What a plan for these columns releases of the towns.
fn release(mut plan: Plan, people: Option<Column>) -> Result<Checked> {
    plan.columns = vec![ColumnPolicy::new("town", Role::Quasi)];
    if people.is_some() {
        plan.columns
            .push(ColumnPolicy::new("person", Role::Subject));
    }
    let (schema, batch) = towns(people);
    let mut session = Session::open(&Arc::new(plan), &schema, Context::default())?;
    session.push(batch)?;
    Ok(session.finish()?.0)
}

fn mondrian(k: u32) -> Plan {
    let text = format!(
        "[columns]\nx = {{ role = \"quasi\" }}\n[guarantee]\nk = {k}\n[[protect]]\nmethod = \"mondrian\"\n"
    );
    Plan::parse(&text).expect("a plan")
}

#[test]
fn a_plan_that_protects_nothing_is_refused() {
    let code = |plan: Plan| {
        release(plan, None)
            .map(drop)
            .expect_err("refused")
            .exit_code()
    };
    let none = Plan {
        protect: Vec::new(),
        ..mondrian(2)
    };
    assert_eq!(code(none), 3);
    for change in [
        (|plan| plan.guarantee.k = Some(1)) as fn(&mut Plan),
        |plan| plan.guarantee.k = None,
        |plan| plan.fail_above = vec![("gcp".to_owned(), f64::NAN)],
    ] {
        let mut plan = mondrian(2);
        change(&mut plan);
        assert_eq!(code(plan), 3);
    }
    let columns = |columns: Vec<ColumnPolicy>| {
        let plan = Plan {
            columns,
            ..mondrian(2)
        };
        let opened = Session::open(&Arc::new(plan), &towns(None).0, Context::default());
        opened.map(drop).expect_err("refused").exit_code()
    };
    let column = |name: &str, role| ColumnPolicy::new(name, role);
    let kept = ColumnPolicy {
        action: Action::Keep,
        ..column("ssn", Role::Drop)
    };
    let town = || column("town", Role::Quasi);
    assert_eq!(columns(vec![town(), kept]), 3);
    assert_eq!(columns(vec![town(), column("town", Role::Plain)]), 3);
    let subjects = [column("a", Role::Subject), column("b", Role::Subject)];
    assert_eq!(columns([vec![town()], subjects.to_vec()].concat()), 3);
}

#[test]
fn a_session_reads_no_hierarchy_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("towns.csv");
    std::fs::write(&path, "a;x;*\nb;x;*\nc;x;*\n").expect("written");
    let rule = HierarchySpec::File(path);
    let column = ColumnPolicy::new("town", Role::Quasi);
    let plan = |rule: HierarchySpec| {
        let columns = vec![column.clone().with_hierarchy(rule)];
        Arc::new(Plan {
            columns,
            ..mondrian(2)
        })
    };
    let (schema, batch) = towns(None);
    let opened = Session::open(&plan(rule.clone()), &schema, Context::default()).map(drop);
    assert_eq!(opened.expect_err("a file").exit_code(), 3);
    let loaded = plan(rule.loaded().expect("read"));
    folder.close().expect("gone");
    let mut session = Session::open(&loaded, &schema, Context::default()).expect("opened");
    session.push(batch).expect("taken");
    assert_eq!(session.finish().expect("released").0.rows().len(), 3);
}

#[test]
fn persons_are_persons_however_they_are_pushed() {
    let released = |people: Column| release(mondrian(2), Some(people)).map(drop);
    let three = Categories::from_iter([Some("p"), Some("q"), Some("r")]);
    released(Column::Category(three)).expect("three persons");
    let one = Numbers::from_iter([7.0, 7.0, 7.0]);
    assert_eq!(
        released(Column::Number(one))
            .expect_err("numbers")
            .exit_code(),
        4
    );
    let levels: Levels = ["7", "7", "7"].into_iter().collect();
    let one = Categories::new(vec![0, 1, 2], Arc::new(levels));
    assert_eq!(
        released(Column::Category(one))
            .expect_err("one")
            .exit_code(),
        4
    );
}

/// A method that gives back what `change` makes of the rows.
struct Liar(fn(&Batch) -> Result<Batch>);

impl MethodConfig for Liar {
    fn is_random(&self) -> bool {
        false
    }

    fn suppress(&self) -> Option<f64> {
        Some(0.0)
    }

    fn table(&self, _setting: &Setting) -> Option<Box<dyn TableMethod>> {
        Some(Box::new(Liar(self.0)))
    }
}

impl TableMethod for Liar {
    fn schema(&self, original: &Schema) -> Result<Schema> {
        (self.0)(&Batch::empty(Arc::new(original.clone()))).map(|batch| (**batch.schema()).clone())
    }

    fn release(&self, table: &Batch) -> Result<Release> {
        Ok(Release::new((self.0)(table)?, Vec::new()))
    }
}

#[test]
fn a_method_that_lies_is_caught() {
    let liars: [fn(&Batch) -> Result<Batch>; 3] = [
        |rows| Ok(rows.clone()),
        // What was a quasi-identifier is called plain.
        |rows| {
            let mut fields = rows.schema().fields().to_vec();
            fields.iter_mut().for_each(|field| field.role = Role::Plain);
            let schema = Arc::new(Schema::new(fields)?);
            Batch::new(schema, rows.rows().clone(), rows.columns().to_vec())
        },
        // What is hidden comes back under another name.
        |rows| {
            let mut fields = rows.schema().fields().to_vec();
            fields.push(Field::new("copy", Role::Plain, fields[0].kind.clone()));
            let hidden = Categories::from_iter(vec![Some("*"); rows.len()]);
            let columns = vec![Column::Category(hidden), rows.column(0).clone()];
            let schema = Arc::new(Schema::new(fields)?);
            Batch::new(schema, rows.rows().clone(), columns)
        },
    ];
    for (number, liar) in liars.into_iter().enumerate() {
        let plan = Plan {
            protect: vec![Method::own("liar", Liar(liar))],
            ..mondrian(2)
        };
        let caught = release(plan, None).map(drop).expect_err("caught");
        assert!([1, 8].contains(&caught.exit_code()), "{number}: {caught}");
    }
}

/// A method that says to draw a sample, and tells how many rows are not in it.
struct Drawing(fn(&Batch) -> Result<(Batch, u64)>, bool);

impl MethodConfig for Drawing {
    fn is_random(&self) -> bool {
        true
    }

    fn samples(&self) -> bool {
        self.1
    }

    fn table(&self, _setting: &Setting) -> Option<Box<dyn TableMethod>> {
        Some(Box::new(Drawing(self.0, self.1)))
    }
}

impl TableMethod for Drawing {
    fn schema(&self, original: &Schema) -> Result<Schema> {
        Ok(original.clone())
    }

    fn release(&self, table: &Batch) -> Result<Release> {
        let (batch, left_out) = (self.0)(table)?;
        Ok(Release {
            left_out,
            ..Release::new(batch, Vec::new())
        })
    }
}

#[test]
fn a_sample_that_is_none_is_caught() {
    let plan = |draw: fn(&Batch) -> Result<(Batch, u64)>, samples: bool| Plan {
        protect: vec![Method::own("draw", Drawing(draw, samples))],
        guarantee: Default::default(),
        ..mondrian(2)
    };
    let drawn = |draw: fn(&Batch) -> Result<(Batch, u64)>, samples: bool| {
        release(plan(draw, samples), None).map(|checked| checked.rows().len())
    };
    let first = |rows: &Batch| Ok((rows.slice(0, 2), 1));
    assert_eq!(drawn(first, true).expect("a sample"), 2);
    let lies: [fn(&Batch) -> Result<(Batch, u64)>; 5] = [
        // Another value than the row had.
        |rows| {
            let two = rows.slice(0, 2);
            let towns = Column::Category(Categories::from_iter([Some("c"), Some("c")]));
            let schema = Arc::clone(two.schema());
            Ok((Batch::new(schema, two.rows().clone(), vec![towns])?, 1))
        },
        // A row that was never read.
        |rows| {
            let two = rows.slice(0, 2);
            let ids = RowIds::Range { start: 7, len: 2 };
            Ok((
                Batch::new(Arc::clone(two.schema()), ids, two.columns().to_vec())?,
                1,
            ))
        },
        // A row twice.
        |rows| Ok((rows.take(&[0, 0])?, 1)),
        // Fewer left out than there are, and more.
        |rows| Ok((rows.slice(0, 2), 0)),
        |rows| Ok((rows.slice(0, 2), 100)),
    ];
    for (number, lie) in lies.into_iter().enumerate() {
        let caught = drawn(lie, true).expect_err("caught");
        assert!([1, 8].contains(&caught.exit_code()), "{number}: {caught}");
    }
    // One person with three rows, two of which are drawn.
    let persons = || Column::Category(Categories::from_iter([Some("p"), Some("p"), Some("p")]));
    let torn = release(plan(first, true), Some(persons())).map(drop);
    let torn = torn.expect_err("caught");
    assert_eq!(torn.exit_code(), 1, "{torn}");
    let told = "person with a part of their rows in the sample (1)";
    assert!(torn.to_string().contains(told), "{torn}");
    // Whoever does not draw cannot call suppressed rows left out.
    assert_eq!(drawn(first, false).expect_err("caught").exit_code(), 8);
}

#[test]
fn numbers_that_are_none_are_refused() {
    let text = "[columns]\nx = { role = \"quasi\" }\n[guarantee]\nk = 2\n[[protect]]\nmethod = \"mondrian\"\n";
    let plan = Arc::new(Plan::parse(text).expect("a plan"));
    for (kind, value) in [
        (Kind::Number { integer: false }, f64::INFINITY),
        (Kind::Number { integer: false }, f64::NEG_INFINITY),
        (Kind::Date(DateFormat::ISO), 1.5e300),
    ] {
        let schema =
            Arc::new(Schema::new(vec![Field::new("x", Role::Quasi, kind)]).expect("a name"));
        let mut session = Session::open(&plan, &schema, Context::default()).expect("opened");
        let numbers = Column::Number(Numbers::from_iter([1.0, 2.0, value, 3.0]));
        let ids = RowIds::Range { start: 0, len: 4 };
        let batch = Batch::new(schema, ids, vec![numbers]).expect("fits");
        let refused = session.push(batch).expect_err("refused");
        assert_eq!(
            (refused.exit_code(), refused.to_string().contains("300")),
            (4, false)
        );
        // A session that has failed takes nothing more.
        assert_eq!(session.abandon().expect_err("failed").exit_code(), 2);
        assert_eq!(
            session.finish().map(drop).expect_err("failed").exit_code(),
            2
        );
    }
}

#[test]
fn rows_that_leave_tell_nothing_of_those_that_do_not() {
    // Of five rows the last is alone and suppressed.
    let text = "[columns]\ntown = { role = \"quasi\" }\nnote = { role = \"plain\", type = \"category\" }\n[guarantee]\nk = 2\n[[protect]]\nmethod = \"generalization\"\nsuppress = 0.5\n";
    let plan = Arc::new(Plan::parse(text).expect("a plan"));
    let kind = Kind::Category { ordered: false };
    let fields = vec![
        Field::new("town", Role::Quasi, kind.clone()),
        Field::new("note", Role::Plain, kind),
    ];
    let schema = Arc::new(Schema::new(fields).expect("names differ"));
    let column =
        |texts: [&'static str; 5]| Column::Category(Categories::from_iter(texts.map(Some)));
    let columns = vec![
        column(["a", "a", "b", "b", "c"]),
        column(["1", "2", "3", "4", "5"]),
    ];
    let ids = RowIds::Range { start: 0, len: 5 };
    let mut session = Session::open(&plan, &schema, Context::default()).expect("opened");
    session
        .push(Batch::new(schema, ids, columns).expect("fits"))
        .expect("taken");
    let (released, _) = session.finish().expect("released");
    let rows = released.rows();
    assert_eq!(rows.rows().iter().collect::<Vec<u64>>(), [0, 1, 2, 3]);
    let notes = rows.column(1).as_categories().expect("notes");
    let mut levels: Vec<&str> = notes.levels().iter().collect();
    levels.sort_unstable();
    assert_eq!(levels, ["1", "2", "3", "4"], "none of the suppressed row");
}

#[test]
fn a_cancelled_session_cannot_be_asked_for_the_rest() {
    let plan = plan(PLANS[3].0);
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.csv"), rows()).expect("written");
    let (schema, rows) = batches(folder.path(), &plan, 50);
    let context = Context::default();
    let cancel = context.cancel.clone();
    let mut session = Session::open(&plan, &schema, context).expect("opened");
    session.push(rows[0].clone()).expect("taken");
    cancel.cancel();
    assert!(matches!(session.abandon(), Err(Error::Cancelled)));
}

#[test]
fn cancel_is_shared_by_clones_only() {
    let (one, other) = (Cancel::default(), Cancel::default());
    one.clone().cancel();
    assert!(one.is_cancelled() && !other.is_cancelled());
    assert_eq!(one.check().expect_err("cancelled").exit_code(), 130);
}
