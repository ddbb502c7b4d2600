//! What the engine itself costs: a session that is opened for one row, and a chain of methods
//! beside each of them alone. Prints JSON; bench/sessions makes tables of it.
//!
//! ```text
//! cargo run --release --workspace --bin session_cost
//! ```

use moretta::data::{Batch, Column, Field, Kind, Numbers, Role, RowIds, Schema};
use moretta::engine::{Context, Plan, Session};
use moretta_costs::{Outcome, cpu_seconds};
use moretta_generate::hospital;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Instant;

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Sessions of one row.
const SESSIONS: u32 = 2_000;

/// Rows that go through a chain, and how often.
const ROWS: usize = 200_000;
const RUNS: usize = 5;

const COLUMNS: &str = r#"
[columns]
name      = { role = "identifier" }
patient   = { role = "drop" }
age       = { role = "quasi", type = "integer" }
sex       = { role = "quasi" }
zip       = { role = "quasi", type = "category", hierarchy = { mask = "right" } }
education = { role = "drop" }
admission = { role = "quasi" }
ward      = { role = "plain" }
diagnosis = { role = "plain" }
cost      = { role = "plain", type = "number" }
"#;

const NOISE: &str = "[[protect]]\nmethod = \"noise\"\ncolumns = [\"cost\"]\namount = 0.2\n";
const SWAPPING: &str = "[[protect]]\nmethod = \"rank-swapping\"\ncolumns = [\"cost\"]\n";
const MONDRIAN: &str = "[[protect]]\nmethod = \"mondrian\"\n";
const K: &str = "[guarantee]\nk = 10\n";

/// Streams and tables for sessions of one row.
const SINGLE: [(&str, &str); 4] = [
    (
        "noise",
        "[columns]\nx = { role = \"quasi\", type = \"number\" }\n[[protect]]\nmethod = \"noise\"\namount = 0.1\nbuffer = 50\n",
    ),
    (
        "microaggregation",
        "[columns]\nx = { role = \"quasi\", type = \"number\" }\n[[protect]]\nmethod = \"microaggregation\"\nk = 3\nbuffer = 100\n",
    ),
    (
        "local-dp",
        "[columns]\nx = { role = \"quasi\", type = \"number\" }\n[[protect]]\nmethod = \"local-dp\"\ncolumns = { x = { mechanism = \"laplace\", epsilon = 1, bounds = [0, 10] } }\n",
    ),
    (
        "mondrian",
        "[columns]\nx = { role = \"quasi\", type = \"number\" }\n[guarantee]\nk = 2\n[[protect]]\nmethod = \"mondrian\"\n",
    ),
];

#[expect(clippy::print_stdout, reason = "the result is for the caller")]
fn main() -> Outcome<()> {
    let mut single = Map::new();
    for (name, text) in SINGLE {
        single.insert(name.to_owned(), json!(microseconds_of_one_row(text)?));
    }
    let table = hospital(ROWS, 1).into_batch()?;
    let mut chains = Map::new();
    let open = COLUMNS
        .replace("quasi", "plain")
        .replace(", hierarchy = { mask = \"right\" }", "");
    for (name, columns, methods) in [
        ("noise", &*open, NOISE.to_owned()),
        ("rank-swapping", &*open, SWAPPING.to_owned()),
        ("mondrian", COLUMNS, format!("{K}{MONDRIAN}")),
        ("noise + mondrian", COLUMNS, format!("{K}{NOISE}{MONDRIAN}")),
        (
            "rank-swapping + mondrian",
            COLUMNS,
            format!("{K}{SWAPPING}{MONDRIAN}"),
        ),
    ] {
        let text = format!("seed = 1\n{columns}{methods}");
        chains.insert(name.to_owned(), json!(seconds_of_a_chain(&text, &table)?));
    }
    println!(
        "{}",
        json!({"microseconds of one row": single, "rows": ROWS, "seconds": Value::Object(chains)})
    );
    Ok(())
}

/// Wall time of opening a session and pushing one row, in microseconds.
fn microseconds_of_one_row(text: &str) -> Outcome<f64> {
    let plan = Arc::new(Plan::parse(text)?);
    let field = Field::new("x", Role::Quasi, Kind::Number { integer: false });
    let schema = Arc::new(Schema::new(vec![field])?);
    let column = Column::Number(Numbers::from_iter([4.0]));
    let row = Batch::new(schema, RowIds::Range { start: 0, len: 1 }, vec![column])?;
    let started = Instant::now();
    for _ in 0..SESSIONS {
        let mut session = Session::open(&plan, row.schema(), Context::default())?;
        session.push(row.clone())?;
    }
    Ok(started.elapsed().as_secs_f64() * 1e6 / f64::from(SESSIONS))
}

/// CPU time of a table in memory on its way through a chain, checks and measures included; the
/// best of several runs.
fn seconds_of_a_chain(text: &str, table: &Batch) -> Outcome<f64> {
    let plan = Arc::new(Plan::parse(text)?);
    let table = labelled(table, &plan)?;
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let started = cpu_seconds()?;
        let mut session = Session::open(&plan, table.schema(), Context::default())?;
        session.push(table.clone())?;
        session.finish()?;
        best = best.min(cpu_seconds()? - started);
    }
    Ok(best)
}

/// The table with the roles of the plan.
fn labelled(table: &Batch, plan: &Plan) -> Outcome<Batch> {
    let mut fields = table.schema().fields().to_vec();
    for field in &mut fields {
        field.role = plan.column(&field.name).ok_or("a column of no plan")?.role;
    }
    let schema = Arc::new(Schema::new(fields)?);
    Ok(Batch::new(
        schema,
        table.rows().clone(),
        table.columns().to_vec(),
    )?)
}
