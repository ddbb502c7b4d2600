//! A broker and a database that commit in transactions, and a program between them that is
//! killed at every step: nothing is lost, and nothing is there twice.

use moretta::data::{Batch, Categories, Column, Field, Kind, Numbers, Role, RowIds, Schema};
use moretta::engine::{Checked, Context, Every, Plan, Resume, Sink, Source, run_from};
use moretta::{Error, Result};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

const ROWS: usize = 61;

/// What outlives the program.
#[derive(Default)]
struct World {
    /// The rows of a table, and how far the program was when it committed them.
    table: Vec<String>,
    so_far: Option<String>,
    /// The last transaction was made.
    finished: bool,
}

/// Kills the program at one of its steps.
#[derive(Clone)]
struct Fuse(Rc<Cell<Option<usize>>>);

impl Fuse {
    fn burn(&self) -> Result<()> {
        match self.0.get() {
            Some(0) => Err(Error::usage("killed")),
            left => {
                self.0.set(left.map(|left| left - 1));
                Ok(())
            }
        }
    }
}

/// A log of rows; the position of a row is its offset, which does not begin at 0.
struct Broker {
    next: usize,
    seeks: bool,
    fuse: Fuse,
}

const FIRST_OFFSET: u64 = 7_000;

impl Source for Broker {
    fn next(&mut self) -> Result<Option<Batch>> {
        self.fuse.burn()?;
        let rows = self.next..ROWS.min(self.next + 5);
        self.next = rows.end;
        (!rows.is_empty()).then(|| batch(rows)).transpose()
    }

    fn position(&self) -> Option<u64> {
        self.seeks.then_some(FIRST_OFFSET + self.next as u64)
    }

    fn seek(&mut self, position: u64) -> Result<bool> {
        self.next = (position - FIRST_OFFSET) as usize;
        Ok(true)
    }
}

/// Rows are staged, and appear together with how far the program is.
struct Database<'a> {
    world: &'a RefCell<World>,
    staged: Vec<String>,
    fuse: Fuse,
}

impl Sink for Database<'_> {
    fn write(&mut self, rows: &Checked) -> Result<()> {
        self.fuse.burn()?;
        self.staged.extend(texts(rows.rows()));
        Ok(())
    }

    fn commit(&mut self, so_far: Option<&Resume>) -> Result<()> {
        self.fuse.burn()?;
        let mut world = self.world.borrow_mut();
        world.table.append(&mut self.staged);
        world.finished = so_far.is_none();
        world.so_far = so_far.map(|so_far| serde_json::to_string(so_far).expect("JSON"));
        // Killed after the transaction, before anybody knows.
        self.fuse.burn()
    }

    fn abort(&mut self) {}
}

fn schema() -> Arc<Schema> {
    let text = || Kind::Plain(arrow_schema::DataType::Utf8);
    let category = || Kind::Category { ordered: false };
    let fields = vec![
        Field::new("t", Role::Time, text()),
        Field::new("user", Role::Subject, category()),
        Field::new("place", Role::Quasi, category()),
        Field::new("x", Role::Plain, Kind::Number { integer: false }),
        Field::new("row", Role::Plain, text()),
    ];
    Arc::new(Schema::new(fields).expect("names"))
}

fn batch(rows: std::ops::Range<usize>) -> Result<Batch> {
    let text = |f: &dyn Fn(usize) -> String| -> Column {
        let texts: arrow_array::StringArray = rows.clone().map(|row| Some(f(row))).collect();
        Column::Plain(Arc::new(texts))
    };
    let category = |f: &dyn Fn(usize) -> String| -> Column {
        let texts: Vec<String> = rows.clone().map(f).collect();
        Column::Category(
            texts
                .iter()
                .map(|text| Some(text.as_str()))
                .collect::<Categories>(),
        )
    };
    let columns = vec![
        text(&|row| (1_700_000_000 + 3 * row).to_string()),
        category(&|row| format!("u{}", row * 7 % 11)),
        category(&|row| format!("{}/{}", row % 2, row * 5 % 3)),
        Column::Number(
            rows.clone()
                .map(|row| (row * 37 % 101) as f64)
                .collect::<Numbers>(),
        ),
        text(&|row| row.to_string()),
    ];
    let ids = RowIds::Range {
        start: 0,
        len: rows.len(),
    };
    Batch::new(schema(), ids, columns)
}

fn texts(rows: &Batch) -> Vec<String> {
    let cell = |column: &Column, row: usize| match column {
        Column::Number(numbers) => format!("{:?}", numbers.iter().nth(row).flatten()),
        Column::Category(texts) => format!("{:?}", texts.get(row)),
        Column::Plain(array) => {
            let texts = array.as_any().downcast_ref::<arrow_array::StringArray>();
            texts.expect("texts").value(row).to_owned()
        }
    };
    let row = |row: usize| -> String {
        let cells = rows.columns().iter().map(|column| cell(column, row));
        cells.collect::<Vec<String>>().join(" ")
    };
    (0..rows.len()).map(row).collect()
}

/// One life of the program, from where the last one has committed.
fn live(plan: &Arc<Plan>, world: &RefCell<World>, seeks: bool, fuse: Option<usize>) -> Result<()> {
    if world.borrow().finished {
        return Ok(());
    }
    let fuse = Fuse(Rc::new(Cell::new(fuse)));
    let so_far = world.borrow().so_far.clone();
    let from = so_far.map_or(Resume::start(1), |so_far| {
        serde_json::from_str(&so_far).expect("what was committed")
    });
    let source = Broker {
        next: 0,
        seeks,
        fuse: fuse.clone(),
    };
    let mut sink = Database {
        world,
        staged: Vec::new(),
        fuse,
    };
    let every = Some(Every::Rows(7));
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    run_from(
        plan,
        &schema(),
        sources,
        &mut sink,
        (&from, every),
        Context::default(),
    )
    .map(drop)
}

fn plan(methods: &str, events: bool) -> Arc<Plan> {
    let (user, place) = match events {
        true => ("subject\", action = \"keep", "quasi"),
        false => ("plain", "plain"),
    };
    let text = format!(
        "seed = 3\n[columns]\nt = {{ role = \"time\", unit = \"s\" }}\nuser = {{ role = \"{user}\" }}\n\
         place = {{ role = \"{place}\" }}\nx = {{ role = \"plain\", type = \"number\" }}\n\
         row = {{ role = \"plain\" }}\n{methods}"
    );
    Arc::new(Plan::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}")))
}

/// Kills the program at each of its steps, and once more in its second life; gives the tables.
fn tables(plan: &Arc<Plan>, seeks: bool) -> (Vec<String>, Vec<Vec<String>>) {
    let whole = RefCell::new(World::default());
    live(plan, &whole, seeks, None).expect("undisturbed");
    let mut tables = Vec::new();
    for step in 0.. {
        let world = RefCell::new(World::default());
        if live(plan, &world, seeks, Some(step)).is_ok() {
            assert!(step > 30, "it lived through {step} steps");
            break;
        }
        let _ = live(plan, &world, seeks, Some(step / 2));
        live(plan, &world, seeks, None).expect("the last life");
        tables.push(world.into_inner().table);
    }
    (whole.into_inner().table, tables)
}

const Z: &str = "[[protect]]\nmethod = \"z-anonymity\"\nz = 2\nwindow = \"30s\"\n";
const NOISE: &str =
    "[[protect]]\nmethod = \"noise\"\namount = 0.2\nbuffer = 6\ncolumns = [\"x\"]\n";

const RECODING: &str =
    "[[protect]]\nmethod = \"recoding\"\nbuffer = 1\nround = { x = 10 }\ntop = { x = 80 }\n";

#[test]
fn a_program_that_is_killed_at_every_step_leaves_what_an_undisturbed_one_leaves() {
    let groups =
        "[[protect]]\nmethod = \"microaggregation\"\nk = 3\nbuffer = 9\ncolumns = [\"x\"]\n";
    for (methods, events) in [
        (Z.to_owned(), true),
        (format!("{Z}{NOISE}"), true),
        (NOISE.to_owned(), false),
        (groups.to_owned(), false),
        (RECODING.to_owned(), false),
        (format!("{RECODING}{NOISE}"), false),
        (format!("{NOISE}{RECODING}"), false),
        (format!("{Z}{RECODING}"), true),
        (format!("{RECODING}{Z}{NOISE}"), true),
    ] {
        for seeks in [false, true] {
            let (whole, tables) = tables(&plan(&methods, events), seeks);
            assert!(whole.len() > ROWS / 2, "{methods}");
            for (step, table) in tables.iter().enumerate() {
                assert_eq!(
                    *table, whole,
                    "killed at step {step}, seeks {seeks}\n{methods}"
                );
            }
        }
    }
}

#[test]
fn noise_that_is_a_secret_is_committed_once_for_each_row() {
    let windows = "[[protect]]\nmethod = \"dp-microaggregation\"\nk = 3\nbuffer = 6\nepsilon = 1.0\nbounds = { x = [0, 101] }\n";
    let local = "[[protect]]\nmethod = \"local-dp\"\nbuffer = 1\ncolumns = { x = { mechanism = \"laplace\", epsilon = 1.0, bounds = [0, 101] } }\n";
    for (methods, events) in [
        (windows.to_owned(), false),
        (local.to_owned(), false),
        (format!("{Z}{local}"), true),
    ] {
        for seeks in [false, true] {
            let (whole, tables) = tables(&plan(&methods, events), seeks);
            let rows = |table: &[String]| -> Vec<String> {
                let row = |text: &String| text.rsplit(' ').next().expect("a row").to_owned();
                table.iter().map(row).collect()
            };
            for (step, table) in tables.iter().enumerate() {
                assert_eq!(
                    rows(table),
                    rows(&whole),
                    "step {step}, seeks {seeks}\n{methods}"
                );
            }
        }
    }
}

#[test]
fn sources_that_are_not_there_or_have_ended_are_refused() {
    let open = |plan: &Arc<Plan>, sources: usize| {
        let from = Resume::start(sources);
        moretta::engine::Session::resume(plan, &schema(), &from, Context::default())
    };
    let events = plan(Z, true);
    let mut session = open(&events, 2).expect("merged by time");
    assert_eq!(session.next_source(), Some(0));
    session
        .push_from(1, batch(0..5).expect("rows"))
        .expect("taken");
    session.end(0).expect("ended");
    assert_eq!(session.next_source(), Some(1));
    let again = session.push_from(0, batch(5..6).expect("rows"));
    assert!(again.expect_err("ended").to_string().contains("has ended"));
    let mut session = open(&events, 1).expect("one source");
    let none = session.end(3).expect_err("there is none").to_string();
    assert!(none.contains("no source 3"), "{none}");
    let records = open(&plan(NOISE, false), 2).err().expect("not merged");
    assert!(
        records.to_string().contains("merged by their times"),
        "{records}"
    );
}

#[test]
fn what_no_session_has_told_is_not_gone_on_from() {
    let world = RefCell::new(World::default());
    live(&plan(NOISE, false), &world, true, Some(20)).expect_err("killed");
    let told = world.borrow().so_far.clone().expect("committed");
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    let open = |value: serde_json::Value| {
        let from: Resume = serde_json::from_value(value).ok()?;
        let context = Context::default();
        moretta::engine::Session::resume(&plan(NOISE, false), &schema(), &from, context).ok()
    };
    assert!(open(told.clone()).is_some());
    for (key, value) in [
        ("rows", "[]"),
        ("rows", "[18446744073709551615, 2]"),
        ("released", "18446744073709551615"),
        ("last", "[]"),
        ("ended", "[true, false]"),
        ("refused", "{\"stretches\": [[3, 2]]}"),
    ] {
        let mut changed = told.clone();
        changed[key] = serde_json::from_str(value).expect("JSON");
        assert!(open(changed).is_none(), "{key} = {value}");
    }
}

/// The seeded one would draw for other rows what it has drawn for the first.
#[test]
fn private_noise_beside_seeded_noise_is_not_gone_on_with() {
    let local = "[[protect]]\nmethod = \"local-dp\"\nbuffer = 1\ncolumns = { x = { mechanism = \"laplace\", epsilon = 1.0, bounds = [0, 101] } }\n";
    let both = plan(
        &format!("{local}{NOISE}").replace("buffer = 6", "buffer = 2"),
        false,
    );
    let mut session =
        moretta::engine::Session::open(&both, &schema(), Context::default()).expect("opened");
    session.push(batch(0..20).expect("rows")).expect("taken");
    assert!(session.state().expect("it stands").is_none());
    let world = RefCell::new(World::default());
    live(&plan(NOISE, false), &world, true, Some(20)).expect_err("killed");
    let told = world.borrow().so_far.clone().expect("committed");
    let from: Resume = serde_json::from_str(&told).expect("JSON");
    let gone_on = moretta::engine::Session::resume(&both, &schema(), &from, Context::default());
    let refused = gone_on.err().expect("refused").to_string();
    assert!(refused.contains("never drawn again"), "{refused}");
}

#[test]
fn a_pump_has_the_sources_of_its_session() {
    let world = RefCell::new(World::default());
    let mut sink = Database {
        world: &world,
        staged: Vec::new(),
        fuse: Fuse(Rc::new(Cell::new(None))),
    };
    let from = (&Resume::start(2), None);
    let none = run_from(
        &plan(Z, true),
        &schema(),
        Vec::new(),
        &mut sink,
        from,
        Context::default(),
    );
    let refused = none.expect_err("too few").to_string();
    assert!(refused.contains("2 sources"), "{refused}");
}

#[test]
fn events_of_the_wrong_kinds_are_refused() {
    let numbers = schema();
    let mut fields = numbers.fields().to_vec();
    fields[2].kind = Kind::Number { integer: false };
    let places = Arc::new(Schema::new(fields.clone()).expect("names"));
    fields[2].kind = Kind::Category { ordered: false };
    fields[0].kind = Kind::Number { integer: true };
    let times = Arc::new(Schema::new(fields).expect("names"));
    for (schema, why) in [(places, "categories"), (times, "plain cells")] {
        let refused = moretta::engine::Session::open(&plan(Z, true), &schema, Context::default());
        let refused = refused.err().expect("refused").to_string();
        assert!(refused.contains(why), "{refused}");
    }
}
