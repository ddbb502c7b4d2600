//! SQLite, embedded: one writer, several readers, every commit on disk before it is told.

use super::{Db, Row, Sql, UNIQUE, Value};
use crate::id::Id;
use crate::problem::{Problem, Result};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior, params_from_iter};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many connections for reading are kept open.
const READERS: usize = 32;

/// A database in a file.
#[derive(Debug)]
pub struct SqliteDb {
    path: PathBuf,
    // Closed before the writer, which then leaves one file that holds everything.
    readers: Mutex<Vec<Connection>>,
    writer: Mutex<Connection>,
}

impl SqliteDb {
    /// Opens or makes the file, which is its owner's alone.
    ///
    /// # Errors
    /// When it cannot be opened, or is no database.
    pub fn open(path: &Path) -> Result<Self> {
        // SQLite gives files that stand beside this one the same rights.
        if !path.exists() {
            moretta::io::create_private(path).map_err(|e| {
                Problem::unavailable(format!("the store cannot be made: {}", e.kind()))
            })?;
        }
        Ok(SqliteDb {
            path: path.to_owned(),
            writer: Mutex::new(connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?),
            readers: Mutex::default(),
        })
    }

    fn readers(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reader(&self) -> Result<Connection> {
        let kept = self.readers().pop();
        match kept {
            Some(connection) => Ok(connection),
            None => connect(&self.path, OpenFlags::SQLITE_OPEN_READ_ONLY),
        }
    }
}

fn unwritable(error: &std::io::Error) -> Problem {
    Problem::unavailable(format!(
        "no copy of the store can be kept: {}",
        error.kind()
    ))
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(problem)?;
    connection
        .busy_timeout(Duration::from_secs(10))
        .map_err(problem)?;
    connection.set_prepared_statement_cache_capacity(256);
    let settings = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; \
                    PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY;";
    connection.execute_batch(settings).map_err(problem)?;
    Ok(connection)
}

impl Db for SqliteDb {
    fn name(&self) -> &'static str {
        "SQLite"
    }

    fn read(&self, work: &mut dyn FnMut(&mut dyn Sql) -> Result<()>) -> Result<()> {
        let mut connection = self.reader()?;
        let transaction = connection.transaction().map_err(problem)?;
        let worked = work(&mut &*transaction);
        transaction.rollback().map_err(problem)?;
        let mut readers = self.readers();
        if readers.len() < READERS {
            readers.push(connection);
        }
        worked
    }

    fn write(&self, work: &mut dyn FnMut(&mut dyn Sql) -> Result<()>) -> Result<()> {
        let mut connection = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = begun.map_err(problem)?;
        // Dropped without a commit, it changes nothing.
        work(&mut &*transaction)?;
        transaction.commit().map_err(problem)
    }

    fn keep_copy(&self, version: i64) -> Result<()> {
        let copy = self
            .path
            .with_file_name(format!("store-of-version-{version}"));
        if copy.exists() {
            return Ok(());
        }
        // Half a copy never has the name of a whole one.
        let beside = self.path.with_file_name(format!("copy-{}", Id::random()));
        self.copy_to(&beside)?;
        std::fs::rename(&beside, &copy).map_err(|e| unwritable(&e))
    }

    fn copy_to(&self, file: &Path) -> Result<()> {
        moretta::io::create_private(file).map_err(|e| unwritable(&e))?;
        // Who writes meanwhile is not waited for.
        let reader = self.reader()?;
        reader
            .execute("VACUUM INTO ?1", [&*file.to_string_lossy()])
            .map_err(problem)?;
        let synced = std::fs::File::open(file).and_then(|file| file.sync_all());
        synced.map_err(|e| unwritable(&e))
    }

    fn wipe(&self) -> Result<()> {
        // Pages of before the deletion stand in the log beside the file until it is cut off.
        let connection = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .map_err(problem)
    }
}

impl Sql for &Connection {
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64> {
        let mut statement = self.prepare_cached(sql).map_err(problem)?;
        let changed = statement
            .execute(params_from_iter(values))
            .map_err(problem)?;
        Ok(changed as u64)
    }

    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>> {
        let mut statement = self.prepare_cached(sql).map_err(problem)?;
        let columns = statement.column_count();
        let read = |row: &rusqlite::Row<'_>| {
            let values = (0..columns).map(|place| row.get_ref(place).map(read));
            values.collect::<rusqlite::Result<Vec<Value>>>().map(Row)
        };
        let rows = statement.query_map(params_from_iter(values), read);
        rows.and_then(Iterator::collect).map_err(problem)
    }

    fn batch(&mut self, sql: &str) -> Result<()> {
        let sql = sql.replace("BYTEA", "BLOB").replace("BIGINT", "INTEGER");
        self.execute_batch(&sql).map_err(problem)
    }
}

fn read(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Integer(number as i64),
        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
    }
}

impl rusqlite::ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        Ok(rusqlite::types::ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Integer(number) => ValueRef::Integer(*number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

/// Never with a value: messages of the database can hold some.
fn problem(error: rusqlite::Error) -> Problem {
    const UNIQUE_CODES: [i32; 2] = [
        rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE,
        rusqlite::ffi::SQLITE_CONSTRAINT_PRIMARYKEY,
    ];
    let Some(told) = error.sqlite_error() else {
        return Problem::bug("a statement and its values do not go together");
    };
    match told.code {
        ErrorCode::ConstraintViolation if UNIQUE_CODES.contains(&told.extended_code) => {
            Problem::conflict(UNIQUE, "there is one already")
        }
        ErrorCode::DiskFull => Problem::new(507, "disk-full", "the disk of the server is full"),
        ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt => {
            Problem::unavailable("the store is damaged")
        }
        ErrorCode::ConstraintViolation | ErrorCode::Unknown => Problem::bug(format!(
            "SQLite refuses a statement ({})",
            told.extended_code
        )),
        _ => Problem::unavailable(format!(
            "the store does not answer ({})",
            told.extended_code
        )),
    }
}
