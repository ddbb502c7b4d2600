//! A stream that is pushed batch by batch: each batch gives back what may leave by then.
//!
//! `cargo run -p moretta --example stream`

#![allow(clippy::print_stdout)]

use moretta::data::{Batch, Column, Field, Kind, Numbers, Role, RowIds, Schema};
use moretta::engine::{Context, Plan, Session};
use std::sync::Arc;

const PLAN: &str = r#"
    [columns]
    power = { role = "quasi" }
    voltage = { role = "quasi" }
    [[protect]]
    method = "microaggregation"
    k = 3
    buffer = 12
"#;

fn main() -> moretta::Result<()> {
    let plan = Arc::new(Plan::parse(PLAN)?);
    let number = Kind::Number { integer: false };
    let field = |name: &str| Field::new(name, Role::Quasi, number.clone());
    let schema = Arc::new(Schema::new(vec![field("power"), field("voltage")])?);
    let mut session = Session::open(&plan, &schema, Context::default())?;
    for minute in 0..10 {
        if let Some(released) = session.push(readings(&schema, minute * 4)?)? {
            println!("minute {minute}: {} rows leave", released.rows().len());
        }
    }
    let (rest, outcome) = session.finish()?;
    println!("at the end: {} rows leave", rest.rows().len());
    for claim in outcome.report.verdict.claims {
        println!(
            "{}: promised {}, found {}",
            claim.name, claim.promised, claim.found
        );
    }
    Ok(())
}

/// Four readings.
fn readings(schema: &Arc<Schema>, start: u64) -> moretta::Result<Batch> {
    let values = |scale: f64| {
        let rows = start..start + 4;
        Column::Number(Numbers::from_iter(
            rows.map(|row| (row as f64 * scale).sin()),
        ))
    };
    let columns = vec![values(0.7), values(1.3)];
    Batch::new(Arc::clone(schema), RowIds::Range { start, len: 4 }, columns)
}
