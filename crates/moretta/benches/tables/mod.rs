//! Made-up tables and their releases, for the benches.

use moretta::data::{
    Batch, Categories, Column, Domain, Domains, Field, Kind, Levels, Numbers, Role, RowIds, Schema,
};
use moretta::guarantee::Guarantee;
use moretta::protect::mondrian::{Mode, Mondrian};
use moretta::protect::{Method, Setting};
use std::sync::Arc;

/// Distinct values of age, sex, zip and day of admission in a hospital.
pub(crate) const HOSPITAL: [u64; 4] = [97, 2, 1_200, 730];

/// Distinct values of the sensitive column.
const DIAGNOSES: u64 = 16;

/// Quasi-identifiers with so many distinct values, small ones the more frequent,
/// and a sensitive column. A column of more than 16 values is one of numbers.
pub(crate) fn table(rows: usize, sizes: &[u64]) -> Batch {
    let mut random = Random(42);
    let mut fields = Vec::new();
    let mut columns = Vec::new();
    for (place, &size) in sizes.iter().enumerate() {
        let (kind, column) = random.column(rows, size);
        fields.push(Field::new(format!("q{place}"), Role::Quasi, kind));
        columns.push(column);
    }
    let (kind, column) = random.column(rows, DIAGNOSES);
    fields.push(Field::new("sensitive", Role::Sensitive, kind));
    columns.push(column);
    let schema = Arc::new(Schema::new(fields).expect("names differ"));
    let ids = RowIds::Range {
        start: 0,
        len: rows,
    };
    Batch::new(schema, ids, columns).expect("columns of one length")
}

/// The domains of the quasi-identifiers.
pub(crate) fn domains(table: &Batch) -> Domains {
    let columns = table.schema().fields().iter().zip(table.columns());
    Domains::new(
        columns
            .filter(|(field, _)| field.role == Role::Quasi)
            .map(|(field, column)| {
                let domain = Domain::of(field, column, None).expect("a protected column");
                (field.name.to_string(), domain)
            }),
    )
}

/// Ten persons a class, nothing else.
pub(crate) fn setting(table: &Batch) -> Setting {
    Setting {
        guarantee: Guarantee {
            k: Some(10),
            ..Guarantee::default()
        },
        domains: Arc::new(domains(table)),
        seed: 0,
        ..Setting::default()
    }
}

/// The release of Mondrian.
pub(crate) fn release(table: &Batch, setting: &Setting, mode: Mode) -> Batch {
    let method = Method::Mondrian(Mondrian {
        mode,
        ..Mondrian::default()
    });
    let mut operator = method.build(table.schema(), setting).expect("fits");
    operator.push(table.clone()).expect("waits for the end");
    operator.finish().expect("a release")
}

/// A multiplicative congruential generator: good enough to fill a table.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn column(&mut self, rows: usize, size: u64) -> (Kind, Column) {
        let codes = (0..rows).map(|_| self.below(size).min(self.below(size)) as u32);
        if size > 16 {
            let numbers: Vec<f64> = codes.map(f64::from).collect();
            let kind = Kind::Number { integer: true };
            return (kind, Column::Number(Numbers::new(numbers)));
        }
        let levels: Levels = (0..size).map(|code| format!("value {code}")).collect();
        let categories = Categories::new(codes.collect(), Arc::new(levels));
        let kind = Kind::Category { ordered: false };
        (kind, Column::Category(categories))
    }
}
