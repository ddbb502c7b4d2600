//! A method of one's own: the mean of all ages. The session checks it like all others.
//! `cargo run -p moretta --example own_method`

#![allow(clippy::print_stdout)]

use moretta::data::{Batch, Column, Field, Kind, Numbers, Role, RowIds, Schema};
use moretta::engine::{ColumnPolicy, Context, Plan, Session};
use moretta::protect::{Method, MethodConfig, Release, Setting, TableMethod};
use std::sync::Arc;

struct Mean;

impl MethodConfig for Mean {
    fn is_random(&self) -> bool {
        false
    }
    fn represents(&self, _column: &str) -> bool {
        true
    }
    fn suppress(&self) -> Option<f64> {
        Some(0.0)
    }
    fn table(&self, _setting: &Setting) -> Option<Box<dyn TableMethod>> {
        Some(Box::new(Mean))
    }
}

impl TableMethod for Mean {
    fn schema(&self, original: &Schema) -> moretta::Result<Schema> {
        Ok(original.clone())
    }
    fn release(&self, table: &Batch) -> moretta::Result<Release> {
        let ages = table.column(0).as_numbers();
        let sum: f64 = ages.map_or(0.0, |ages| ages.iter().flatten().sum());
        let mean = Numbers::new(vec![sum / table.len() as f64; table.len()]);
        let (schema, rows) = (Arc::clone(table.schema()), table.rows().clone());
        let batch = Batch::new(schema, rows, vec![Column::Number(mean)])?;
        Ok(Release::new(batch, Vec::new()))
    }
}

fn main() -> moretta::Result<()> {
    let mut plan = Plan {
        columns: vec![ColumnPolicy::new("age", Role::Quasi)],
        protect: vec![Method::own("mean", Mean)],
        ..Plan::default()
    };
    plan.guarantee.k = Some(5);
    let age = Field::new("age", Role::Quasi, Kind::Number { integer: false });
    let schema = Arc::new(Schema::new(vec![age])?);
    let ages = Column::Number(Numbers::new(vec![23.0, 27.0, 31.0, 45.0, 46.0]));
    let mut session = Session::open(&Arc::new(plan), &schema, Context::default())?;
    let ids = RowIds::List([0, 1, 2, 3, 4].into());
    session.push(Batch::new(schema, ids, vec![ages])?)?;
    println!("k = {}", session.finish()?.1.report.verdict.claims[0].found);
    Ok(())
}
