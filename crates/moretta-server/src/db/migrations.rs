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
pub const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    sql: include_str!("version_1.sql"),
}];

/// The names of all tables of a store.
pub fn tables() -> Vec<&'static str> {
    let lines = MIGRATIONS.iter().flat_map(|step| step.sql.lines());
    lines
        .filter_map(|line| line.strip_prefix("CREATE TABLE ")?.strip_suffix(" ("))
        .collect()
}

/// Brings a store to the version of this program; gives the version that it had.
///
/// # Errors
/// When a later program has written it, which this one would not understand.
pub fn migrate(db: &dyn Db) -> Result<i64> {
    migrate_by(db, MIGRATIONS)
}

/// Brings a store to the version of the last of these steps; gives the version that it had.
///
/// # Errors
/// When a later program has written it.
pub fn migrate_by(db: &dyn Db, migrations: &[Migration]) -> Result<i64> {
    let newest = migrations.last().map_or(0, |last| last.version);
    let mut before = 0;
    db.write(&mut |sql| {
        sql.batch("CREATE TABLE IF NOT EXISTS store (name TEXT PRIMARY KEY, value BIGINT NOT NULL) STRICT;")?;
        before = version(sql)?;
        Ok(())
    })?;
    if (1..newest).contains(&before) {
        db.keep_copy(before)?;
    }
    db.write(&mut |sql| {
        // Another server may have been faster.
        before = version(sql)?;
        if before > newest {
            let what = format!("the store has version {before}, this program knows {newest}");
            return Err(Problem::new(503, "newer-store", what).help("start the newer program"));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::SqliteDb;

    const FIRST: Migration = Migration {
        version: 1,
        sql: "CREATE TABLE a (n BIGINT) STRICT;",
    };
    const SECOND: Migration = Migration {
        version: 2,
        sql: "ALTER TABLE a ADD COLUMN m BIGINT; UPDATE a SET m = n;",
    };

    #[test]
    fn a_store_is_migrated_forward_and_a_copy_of_it_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("store");
        let db = SqliteDb::open(&path).expect("a store");
        assert_eq!(migrate_by(&db, &[FIRST]), Ok(0));
        db.write(&mut |sql| sql.execute("INSERT INTO a (n) VALUES (7)", &[]).map(drop))
            .expect("written");
        assert_eq!(migrate_by(&db, &[FIRST, SECOND]), Ok(1));
        let read = |db: &SqliteDb, query: &str| {
            let mut number = None;
            let read = db.read(&mut |sql| {
                number = Some(sql.number(query, &[])?);
                Ok(())
            });
            read.map(|()| number)
        };
        assert_eq!(read(&db, "SELECT m FROM a"), Ok(Some(7)));
        let copy = folder.path().join("store-of-version-1");
        #[cfg(unix)]
        {
            let mode = std::os::unix::fs::MetadataExt::mode(&copy.metadata().expect("kept"));
            assert_eq!(mode & 0o777, 0o600);
        }
        let copy = SqliteDb::open(&copy).expect("a store");
        assert_eq!(read(&copy, "SELECT n FROM a"), Ok(Some(7)));
        assert!(read(&copy, "SELECT m FROM a").is_err());
        assert_eq!(migrate_by(&db, &[FIRST, SECOND]), Ok(2));
        // A copy that is there is not lost to another try.
        drop(copy);
        db.keep_copy(1).expect("kept");
        let copy = SqliteDb::open(&folder.path().join("store-of-version-1")).expect("a store");
        assert!(read(&copy, "SELECT m FROM a").is_err());
    }

    #[test]
    fn a_migration_that_fails_changes_nothing_and_a_newer_store_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let db = SqliteDb::open(&folder.path().join("store")).expect("a store");
        migrate_by(&db, &[FIRST]).expect("the first");
        let broken = Migration {
            version: 2,
            sql: "CREATE TABLE b (n BIGINT) STRICT; INSERT INTO nowhere VALUES (1);",
        };
        assert!(migrate_by(&db, &[FIRST, broken]).is_err());
        assert_eq!(migrate_by(&db, &[FIRST, SECOND]), Ok(1));
        let refused = migrate_by(&db, &[FIRST]).expect_err("it is newer");
        assert_eq!(refused.code, "newer-store");
    }

    #[test]
    fn all_tables_are_named() {
        let tables = tables();
        assert!(tables.contains(&"users") && tables.contains(&"audit"));
        let made = include_str!("version_1.sql")
            .matches("CREATE TABLE")
            .count();
        assert_eq!(tables.len(), made);
    }
}
