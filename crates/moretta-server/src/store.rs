//! The store: tables, and acts that cannot happen without an entry in the log.

use crate::audit::{self, Entry};
use crate::bell::Bell;
use crate::db::{Db, Sql, migrate};
use crate::problem::{Problem, Result};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// What the server knows.
#[derive(Clone)]
pub struct Store {
    db: Arc<dyn Db>,
    bell: Arc<Bell>,
}

/// A transaction in which something is done.
pub struct Act<'a> {
    sql: &'a mut dyn Sql,
}

impl Store {
    /// Brings the tables of `db` to this version of the program.
    ///
    /// # Errors
    /// When a later program wrote them, or the database does not answer.
    pub fn open(db: Arc<dyn Db>) -> Result<Self> {
        migrate(&*db)?;
        Ok(Store {
            db,
            bell: Arc::default(),
        })
    }

    /// The database.
    pub fn db(&self) -> &dyn Db {
        &*self.db
    }

    /// The bell that is rung after each act.
    pub fn bell(&self) -> &Bell {
        &self.bell
    }

    /// Reads.
    ///
    /// # Errors
    /// Those of `work`, and when the store does not answer.
    pub fn read<T>(&self, mut work: impl FnMut(&mut dyn Sql) -> Result<T>) -> Result<T> {
        let mut given = None;
        self.db.read(&mut |sql| {
            given = Some(work(sql)?);
            Ok(())
        })?;
        given.ok_or_else(|| Problem::bug("a transaction was not carried out"))
    }

    /// Does something: all of it, with its entries in the log, or nothing.
    ///
    /// # Errors
    /// Those of `work`, and when the store does not answer.
    pub fn act<T>(&self, mut work: impl FnMut(&mut Act<'_>) -> Result<T>) -> Result<T> {
        let mut given = None;
        self.db.write(&mut |sql| {
            given = Some(work(&mut Act { sql })?);
            Ok(())
        })?;
        self.bell.ring();
        given.ok_or_else(|| Problem::bug("a transaction was not carried out"))
    }

    /// Writes what nobody waits for and nobody is told of.
    ///
    /// # Errors
    /// Those of `work`, and when the store does not answer.
    pub(crate) fn note(&self, mut work: impl FnMut(&mut dyn Sql) -> Result<()>) -> Result<()> {
        self.db.write(&mut |sql| work(sql))
    }
}

impl Act<'_> {
    /// Enters in the log what is done.
    ///
    /// # Errors
    /// When the store does not answer; nothing is done then.
    pub fn log(&mut self, entry: &Entry<'_>) -> Result<()> {
        audit::append(self.sql, entry).map(drop)
    }

    /// The head of the log after what was entered so far, for who did it: kept elsewhere, it shows
    /// later that the end of the log was cut off.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn receipt(&mut self) -> Result<String> {
        Ok(audit::head(self.sql)?.text())
    }
}

impl<'a> Deref for Act<'a> {
    type Target = dyn Sql + 'a;

    fn deref(&self) -> &Self::Target {
        self.sql
    }
}

impl DerefMut for Act<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.sql
    }
}
