//! Stopping a session from another thread, and watching how far it is.
//!
//! `cargo run -p moretta --example cancel`

#![allow(clippy::print_stdout)]

use moretta::data::{Batch, Column, Field, Kind, Numbers, Role, RowIds, Schema};
use moretta::engine::{Context, Plan, Session, Stage};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

const PLAN: &str = r#"
    [columns]
    x = { role = "quasi" }
    y = { role = "quasi" }
    [[protect]]
    method = "microaggregation"
    k = 3
"#;

/// So many rows would take minutes.
const ROWS: usize = 200_000;

fn main() -> moretta::Result<()> {
    let plan = Arc::new(Plan::parse(PLAN)?);
    let number = Kind::Number { integer: false };
    let fields = ["x", "y"].map(|name| Field::new(name, Role::Quasi, number.clone()));
    let schema = Arc::new(Schema::new(fields.to_vec())?);
    let context = Context::default();
    let (cancel, progress) = (context.cancel.clone(), context.progress.clone());
    let mut session = Session::open(&plan, &schema, context)?;
    let column = |step: usize| {
        let values = (0..ROWS).map(|row| (row * step % 100_003) as f64);
        Column::Number(Numbers::from_iter(values))
    };
    let rows = RowIds::Range {
        start: 0,
        len: ROWS,
    };
    session.push(Batch::new(schema, rows, vec![column(37), column(53)])?)?;
    let work = thread::spawn(move || session.finish().map(|(rows, _)| rows.rows().len()));
    while progress.stage().0 != Stage::Protect {
        thread::sleep(Duration::from_millis(1));
    }
    let asked = Instant::now();
    cancel.cancel();
    match work.join() {
        Ok(Err(error)) => println!("{error} after {:?}", asked.elapsed()),
        _ => println!("it was too fast"),
    }
    Ok(())
}
