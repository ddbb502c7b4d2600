//! How the tables came to be: each version once, in order, never back.

use super::{Db, Sql};
use crate::problem::{Problem, Result};

/// A step from one version of the store to the next.
#[derive(Clone, Copy, Debug)]
pub struct Migration {
    /// The version that it makes.
    pub version: i64,
    /// Its statements.
    pub sql: &'static str,
}

/// All steps.
const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    sql: include_str!("version_1.sql"),
}];

/// Brings a store to the version of this program; gives the version that it had.
///
/// # Errors
/// When a later program has written it, which this one would not understand.
pub fn migrate(db: &dyn Db) -> Result<i64> {
    migrate_by(db, MIGRATIONS)
}

fn migrate_by(db: &dyn Db, migrations: &[Migration]) -> Result<i64> {
    let newest = migrations.last().map_or(0, |last| last.version);
    let mut before = 0;
    db.write(&mut |sql| {
        sql.batch("CREATE TABLE IF NOT EXISTS store (name TEXT PRIMARY KEY, value BIGINT NOT NULL) STRICT;")?;
        before = version(sql)?;
        if before > newest {
            let what = format!("the store has version {before}, this program knows {newest}");
            return Err(Problem::unavailable(what).help("start the newer program"));
        }
        for migration in migrations.iter().filter(|step| step.version > before) {
            sql.batch(migration.sql)?;
        }
        let upsert = "INSERT INTO store (name, value) VALUES ('version', $1) \
                      ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        sql.execute(upsert, values![newest]).map(drop)
    })?;
    Ok(before)
}

fn version(sql: &mut dyn Sql) -> Result<i64> {
    let row = sql.row("SELECT value FROM store WHERE name = 'version'", values![])?;
    row.map_or(Ok(0), |row| row.integer(0))
}
