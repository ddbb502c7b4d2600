//! PostgreSQL, for more than one machine or more writes than a file takes.

use super::{Db, Row, Sql, SqliteDb, UNIQUE, Value, copy, migrate};
use crate::problem::{Problem, Result};
use postgres::error::SqlState;
use postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use postgres::{Client, IsolationLevel, NoTls, Transaction};
use std::error::Error;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many connections are kept open.
const KEPT: usize = 8;

/// The lock that everybody who writes holds, so that transactions that write are one after the other.
const WRITERS: i64 = 0x6d6f_7265_7474_6131;

/// A database of a server.
pub struct PostgresDb {
    config: postgres::Config,
    kept: Mutex<Vec<Client>>,
}

impl PostgresDb {
    /// Connects with `postgres://` and what follows.
    ///
    /// # Errors
    /// When the address is none, or nobody answers there.
    pub fn open(address: &str) -> Result<Self> {
        let mut config: postgres::Config = address
            .parse()
            .map_err(|_| Problem::new(500, "usage", "the address of the database is none"))?;
        config.connect_timeout(Duration::from_secs(5));
        config.application_name("moretta");
        let db = PostgresDb {
            config,
            kept: Mutex::default(),
        };
        let client = db.connect()?;
        db.keep(client);
        Ok(db)
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Client>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn connect(&self) -> Result<Client> {
        let kept = self.kept().pop();
        match kept {
            Some(client) if !client.is_closed() => Ok(client),
            _ => self.config.connect(NoTls).map_err(problem),
        }
    }

    fn keep(&self, client: Client) {
        let mut kept = self.kept();
        if kept.len() < KEPT && !client.is_closed() {
            kept.push(client);
        }
    }
}

impl Db for PostgresDb {
    fn name(&self) -> &'static str {
        "PostgreSQL"
    }

    fn read(&self, work: &mut dyn FnMut(&mut dyn Sql) -> Result<()>) -> Result<()> {
        let mut client = self.connect()?;
        let mut transaction = client
            .build_transaction()
            .isolation_level(IsolationLevel::RepeatableRead)
            .read_only(true)
            .start()
            .map_err(problem)?;
        let worked = work(&mut transaction);
        let ended = transaction.rollback().map_err(problem);
        self.keep(client);
        worked.and(ended)
    }

    fn write(&self, work: &mut dyn FnMut(&mut dyn Sql) -> Result<()>) -> Result<()> {
        let mut client = self.connect()?;
        let mut transaction = client.transaction().map_err(problem)?;
        let locked = transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&WRITERS]);
        let worked = locked.map_err(problem).and_then(|_| work(&mut transaction));
        let ended = match worked {
            Ok(()) => transaction.commit().map_err(problem),
            Err(error) => {
                let _ = transaction.rollback();
                Err(error)
            }
        };
        self.keep(client);
        ended
    }

    fn copy_to(&self, file: &Path) -> Result<()> {
        let to = SqliteDb::open(file)?;
        migrate(&to)?;
        copy(self, &to).map(drop)
    }

    fn wipe(&self) -> Result<()> {
        Ok(())
    }
}

impl Sql for Transaction<'_> {
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64> {
        Transaction::execute(self, sql, &borrowed(values)).map_err(problem)
    }

    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>> {
        let rows = Transaction::query(self, sql, &borrowed(values)).map_err(problem)?;
        rows.iter().map(read).collect()
    }

    fn batch(&mut self, sql: &str) -> Result<()> {
        let sql = sql.replace(") STRICT;", ");");
        self.batch_execute(&sql).map_err(problem)
    }
}

fn borrowed(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| value as _).collect()
}

fn read(row: &postgres::Row) -> Result<Row> {
    let value = |(place, column): (usize, &postgres::Column)| {
        let value = match *column.type_() {
            Type::INT8 => row.try_get(place).map(|n: Option<i64>| Value::from(n)),
            Type::INT4 => row
                .try_get(place)
                .map(|n: Option<i32>| Value::from(n.map(i64::from))),
            Type::TEXT => row.try_get(place).map(|t: Option<String>| Value::from(t)),
            Type::BYTEA => row.try_get(place).map(|b: Option<Vec<u8>>| Value::from(b)),
            _ => return Err(Problem::bug("a column of the store has another type")),
        };
        value.map_err(problem)
    };
    let values = row.columns().iter().enumerate().map(value);
    values.collect::<Result<Vec<_>>>().map(Row)
}

impl ToSql for Value {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut bytes::BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Value::Null => Ok(IsNull::Yes),
            Value::Integer(number) if *kind == Type::INT4 => {
                i32::try_from(*number)?.to_sql(kind, out)
            }
            Value::Integer(number) => number.to_sql(kind, out),
            Value::Text(text) => text.to_sql(kind, out),
            Value::Bytes(bytes) => bytes.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        matches!(*kind, Type::INT8 | Type::INT4 | Type::TEXT | Type::BYTEA)
    }

    to_sql_checked!();
}

/// Never with a value: messages of the database can hold some.
fn problem(error: postgres::Error) -> Problem {
    match error.code() {
        Some(code) if *code == SqlState::UNIQUE_VIOLATION => {
            Problem::conflict(UNIQUE, "there is one already")
        }
        Some(code) if *code == SqlState::DISK_FULL => {
            Problem::new(507, "disk-full", "the disk of the database is full")
        }
        Some(code) if error.is_closed() || matches!(&code.code()[..2], "08" | "53" | "57") => {
            Problem::unavailable(format!("the database does not answer ({})", code.code()))
        }
        Some(code) => Problem::bug(format!("PostgreSQL refuses a statement ({})", code.code())),
        None => Problem::unavailable("the database does not answer"),
    }
}
