//! Moves a store from one database to another: SQLite to PostgreSQL when a team grows, and back.

use super::{Db, Row, Sql, Value, tables};
use crate::audit::{self, Head};
use crate::problem::{Problem, Result};
use sha2::{Digest, Sha256};

/// How many rows are read at once.
const PIECE: i64 = 5000;

/// What was copied and compared.
#[derive(Clone, Debug)]
pub struct Copied {
    /// Each table and how many rows it has.
    pub tables: Vec<(&'static str, u64)>,
    /// The head of the log, which both have.
    pub head: Head,
}

/// Copies every row into a store that has none, in one transaction, and compares both.
///
/// # Errors
/// When `to` has rows, when what arrives is not what left, or a database does not answer; nothing is
/// copied then.
pub fn copy(from: &dyn Db, to: &dyn Db) -> Result<Copied> {
    let mut copied = None;
    from.read(&mut |source| {
        to.write(&mut |sink| {
            copied = Some(copy_tables(source, sink)?);
            Ok(())
        })
    })?;
    copied.ok_or_else(|| Problem::bug("a transaction was not carried out"))
}

fn copy_tables(source: &mut dyn Sql, sink: &mut dyn Sql) -> Result<Copied> {
    let tables = tables();
    for table in &tables {
        if sink.number(&format!("SELECT count(*) FROM {table}"), &[])? > 0 {
            let what = format!("the other store is in use: its table `{table}` has rows");
            return Err(Problem::new(409, "usage", what).help("name an empty one"));
        }
    }
    let mut copied = Vec::new();
    for table in tables {
        let mut left = Sums::default();
        rows(source, table, &mut |row| {
            let places: Vec<String> = (1..=row.0.len()).map(|n| format!("${n}")).collect();
            let insert = format!("INSERT INTO {table} VALUES ({})", places.join(", "));
            left.add(&row);
            sink.execute(&insert, &row.0).map(drop)
        })?;
        let mut arrived = Sums::default();
        rows(sink, table, &mut |row| {
            arrived.add(&row);
            Ok(())
        })?;
        let count = left.0.len() as u64;
        if left.sorted() != arrived.sorted() {
            let what = format!("the rows of `{table}` have not arrived as they left");
            return Err(Problem::bug(what));
        }
        copied.push((table, count));
    }
    let head = audit::head(source)?;
    if audit::head(sink)? != head {
        return Err(Problem::bug("the log has not arrived as it left"));
    }
    Ok(Copied {
        tables: copied,
        head,
    })
}

/// Reads every row of a table, a piece at a time.
fn rows(sql: &mut dyn Sql, table: &str, each: &mut dyn FnMut(Row) -> Result<()>) -> Result<()> {
    let first = sql.row(&format!("SELECT * FROM {table} LIMIT 1"), &[])?;
    let Some(first) = first else { return Ok(()) };
    // In the order of all columns, so that no row is met twice.
    let order: Vec<String> = (1..=first.0.len()).map(|n| n.to_string()).collect();
    let query = format!(
        "SELECT * FROM {table} ORDER BY {} LIMIT $1 OFFSET $2",
        order.join(", ")
    );
    let mut met = 0;
    loop {
        let piece = sql.query(&query, values![PIECE, met])?;
        let count = piece.len() as i64;
        piece.into_iter().try_for_each(&mut *each)?;
        met += count;
        if count < PIECE {
            return Ok(());
        }
    }
}

/// Sums of rows, compared whatever the order in which a database gives them.
#[derive(Default)]
struct Sums(Vec<[u8; 32]>);

impl Sums {
    fn add(&mut self, row: &Row) {
        let mut sum = Sha256::new();
        for value in &row.0 {
            let (kind, bytes) = match value {
                Value::Null => (0, Vec::new()),
                Value::Integer(number) => (1, number.to_be_bytes().to_vec()),
                Value::Text(text) => (2, text.clone().into_bytes()),
                Value::Bytes(bytes) => (3, bytes.clone()),
            };
            sum.update([kind]);
            sum.update((bytes.len() as u64).to_be_bytes());
            sum.update(&bytes);
        }
        self.0.push(sum.finalize().into());
    }

    fn sorted(mut self) -> Vec<[u8; 32]> {
        self.0.sort_unstable();
        self.0
    }
}
