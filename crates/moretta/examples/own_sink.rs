//! A sink of one's own: rows count only once they are committed.
//!
//! `cargo run -p moretta --example own_sink`

#![allow(clippy::print_stdout)]

use moretta::data::{Batch, Column, Field, Kind, Numbers, Role, RowIds, Schema};
use moretta::engine::{self, Checked, Context, Plan, Resume, Sink};
use std::sync::Arc;

#[derive(Default)]
struct Store {
    staged: Vec<f64>,
    public: Vec<f64>,
}

impl Sink for Store {
    fn write(&mut self, rows: &Checked) -> moretta::Result<()> {
        let numbers = rows.rows().columns().iter().filter_map(Column::as_numbers);
        numbers.for_each(|numbers| self.staged.extend(numbers.iter().flatten()));
        Ok(())
    }
    fn commit(&mut self, _: Option<&Resume>) -> moretta::Result<()> {
        self.public.append(&mut self.staged);
        Ok(())
    }
    fn abort(&mut self) {
        self.staged.clear();
    }
}

const PLAN: &str = r#"
    [columns]
    pay = { role = "quasi" }
    [[protect]]
    method = "microaggregation"
    k = 5
"#;

fn main() -> moretta::Result<()> {
    let plan = Arc::new(Plan::parse(PLAN)?);
    let pay = Field::new("pay", Role::Quasi, Kind::Number { integer: false });
    let schema = Arc::new(Schema::new(vec![pay])?);
    let rows = (0..4).map(|part| {
        let numbers =
            Numbers::from_iter((0..25).map(|row| f64::from((part * 25 + row) * 37 % 101)));
        let ids = RowIds::Range {
            start: part as u64 * 25,
            len: 25,
        };
        Batch::new(Arc::clone(&schema), ids, vec![Column::Number(numbers)])
    });
    let mut store = Store::default();
    let outcome = engine::run(&plan, &schema, rows, &mut store, Context::default())?;
    println!("{} numbers are public", store.public.len());
    println!("{} rows were released", outcome.report.rows.released);
    Ok(())
}
