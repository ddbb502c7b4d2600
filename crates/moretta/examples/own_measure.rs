//! A measure of one's own: the largest change of any number.
//!
//! `cargo run -p moretta --example own_measure`

#![allow(clippy::print_stdout)]

use moretta::data::{Batch, Column, Field, Kind, Numbers, Role, RowIds, Schema};
use moretta::engine::{Context, Measure, Plan, Session};
use std::sync::Arc;

#[derive(Default)]
struct LargestChange(Option<f64>);

impl Measure for LargestChange {
    fn observe(&mut self, original: &Batch, released: &Batch) -> moretta::Result<()> {
        for (before, after) in original.columns().iter().zip(released.columns()) {
            let (Some(before), Some(after)) = (before.as_numbers(), after.as_numbers()) else {
                continue;
            };
            for (before, after) in before.iter().flatten().zip(after.iter().flatten()) {
                self.0 = Some(self.0.unwrap_or(0.0).max((before - after).abs()));
            }
        }
        Ok(())
    }
    fn value(&self) -> Option<f64> {
        self.0
    }
}

const PLAN: &str = r#"
    seed = 1
    [columns]
    pay = { role = "quasi" }
    [[protect]]
    method = "noise"
    amount = 0.5
"#;

fn main() -> moretta::Result<()> {
    let plan = Arc::new(Plan::parse(PLAN)?);
    let pay = Field::new("pay", Role::Quasi, Kind::Number { integer: false });
    let schema = Arc::new(Schema::new(vec![pay])?);
    let mut session = Session::open(&plan, &schema, Context::default())?;
    session.measure("largest change", Box::<LargestChange>::default());
    let pay = Numbers::from_iter((0..1000).map(|row| f64::from(row * 37 % 101)));
    let rows = RowIds::Range {
        start: 0,
        len: 1000,
    };
    session.push(Batch::new(schema, rows, vec![Column::Number(pay)])?)?;
    let (_, outcome) = session.finish()?;
    println!("{:?}", outcome.measures);
    Ok(())
}
