//! A table in memory: record batches in, a checked record batch out.
//!
//! `cargo run -p moretta --example table`

#![allow(clippy::print_stdout)]

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use moretta::engine::{Context, Plan, Session};
use moretta::io::{from_record_batches, to_record_batch};
use std::error::Error;
use std::sync::Arc;

const PLAN: &str = r#"
    [columns]
    age = { role = "quasi" }
    town = { role = "quasi" }
    illness = { role = "sensitive" }
    [guarantee]
    k = 3
    l = { value = 2, on = ["illness"] }
    [[protect]]
    method = "mondrian"
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let plan = Arc::new(Plan::parse(PLAN)?);
    let table = table()?;
    let schema = table.schema();
    let source = from_record_batches(&schema, [Ok(table)].into_iter(), &plan.column_plans()?)?;
    let mut session = Session::open(&plan, source.schema(), Context::default())?;
    for batch in source {
        session.push(batch?)?;
    }
    let (released, outcome) = session.finish()?;
    let released = to_record_batch(released.rows())?;
    println!("{} rows", released.num_rows());
    for claim in outcome.report.verdict.claims {
        println!(
            "{}: promised {}, found {}",
            claim.name, claim.promised, claim.found
        );
    }
    Ok(())
}

/// Sixty made-up persons.
fn table() -> Result<RecordBatch, Box<dyn Error>> {
    let pick = |words: [&'static str; 3], step: usize| {
        StringArray::from_iter_values((0..60).map(move |row| words[row * step % 7 % 3]))
    };
    let ages = Int64Array::from_iter_values((0..60).map(|row| 20 + row * 37 % 50));
    Ok(RecordBatch::try_from_iter([
        ("age", Arc::new(ages) as ArrayRef),
        ("town", Arc::new(pick(["Graz", "Linz", "Wels"], 1))),
        ("illness", Arc::new(pick(["flu", "asthma", "gout"], 3))),
    ])?)
}
