//! The store's database: one trait, SQL written once in the subset that SQLite and PostgreSQL share.
//!
//! Placeholders are `$1`, `$2`, … in the order of their first appearance. Types are `TEXT`,
//! `BIGINT` and `BYTEA`; what is true is 1. A transaction that writes is alone: acts and the log
//! of acts grow together, and two acts never see the same head of the log.

/// `values![a, b]`: what stands for `$1`, `$2`, …
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::db::Value::from($value)),*] };
}

mod copy;
mod migrations;
mod postgres;
mod sqlite;
mod value;

pub use self::postgres::PostgresDb;
pub use copy::{Copied, copy};
pub use migrations::{MIGRATIONS, Migration, migrate, migrate_by, tables};
pub use sqlite::SqliteDb;
pub use value::{Row, Value};

use crate::problem::{Problem, Result};
use std::path::Path;

/// A database. Calls block; they belong on a thread that may wait.
pub trait Db: Send + Sync {
    /// What it is, for messages: `SQLite` or `PostgreSQL`.
    fn name(&self) -> &'static str;

    /// Lets `work` read one state of the database.
    ///
    /// # Errors
    /// Those of `work`, and when the database does not answer.
    fn read(&self, work: &mut dyn FnMut(&mut dyn Sql) -> Result<()>) -> Result<()>;

    /// Lets `work` write, alone; all of it or, when `work` fails, nothing.
    ///
    /// # Errors
    /// Those of `work`, and when the database does not answer.
    fn write(&self, work: &mut dyn FnMut(&mut dyn Sql) -> Result<()>) -> Result<()>;

    /// Keeps a copy of a database of this version beside it, before it is migrated. Who runs a
    /// database server backs it up by its own means.
    ///
    /// # Errors
    /// When there is no room for it.
    fn keep_copy(&self, _version: i64) -> Result<()> {
        Ok(())
    }

    /// Writes one state of the database into a new file of SQLite, which is its owner's alone.
    ///
    /// # Errors
    /// When there is no room for it, or the database does not answer.
    fn copy_to(&self, file: &Path) -> Result<()>;

    /// Wipes what deleted rows have left behind in files of ours. A database of its own keeps
    /// deleted rows in its files and logs until it writes over them: that is for who runs it.
    ///
    /// # Errors
    /// When the database does not answer.
    fn wipe(&self) -> Result<()>;
}

/// A transaction.
pub trait Sql {
    /// Changes rows; gives their number.
    ///
    /// # Errors
    /// [`UNIQUE`] when a value is there already that may be there once.
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64>;

    /// Reads rows.
    ///
    /// # Errors
    /// When the database does not answer.
    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>>;

    /// Several statements without values, as migrations have them.
    ///
    /// # Errors
    /// When one fails.
    fn batch(&mut self, sql: &str) -> Result<()>;
}

/// The code of the problem that a value is there already that may be there once.
pub const UNIQUE: &str = "taken";

impl dyn Sql + '_ {
    /// Reads the one row that there may be.
    ///
    /// # Errors
    /// When the database does not answer.
    pub fn row(&mut self, sql: &str, values: &[Value]) -> Result<Option<Row>> {
        Ok(self.query(sql, values)?.into_iter().next())
    }

    /// Reads the one number of the one row, as `count(*)` gives it.
    ///
    /// # Errors
    /// When there is none.
    pub fn number(&mut self, sql: &str, values: &[Value]) -> Result<i64> {
        let row = self.row(sql, values)?;
        row.ok_or_else(|| Problem::bug("a row is missing"))?
            .integer(0)
    }

    /// Changes exactly one row.
    ///
    /// # Errors
    /// When it changes none, because somebody else was faster, or several.
    pub fn execute_one(&mut self, sql: &str, values: &[Value]) -> Result<()> {
        match self.execute(sql, values)? {
            1 => Ok(()),
            0 => {
                Err(Problem::conflict("changed", "it was changed meanwhile").help("read it again"))
            }
            _ => Err(Problem::bug("one row was to be changed")),
        }
    }
}
