//! Finds the original of each released row without a certificate: rows of a
//! release come in the order in which they were decided.

use super::{Fault, Inspection, Rows, Rule};
use crate::error::Result;
use crate::pipeline::certificate::Row;

/// What a cell shows of which nothing may be shown.
pub(super) const HIDDEN: &str = "*";

/// Why a row of the source is not the original of a released row.
enum Misfit {
    /// Another time, person or value.
    Other,
    /// It has the time and the person, but not a label.
    Label(usize),
    /// All fits, but too few users share a label.
    Rare { column: usize, users: u64 },
}

impl Inspection<'_> {
    /// Takes for each released row the first row of the source that fits.
    pub(super) fn match_in_order(&mut self) -> Result<Option<Fault>> {
        let mut nearest = None;
        while !self.released.is_done()
            && let Some(rows) = self.decided.next()?
        {
            for row in 0..rows.len() {
                if !self.expose(&rows, row) {
                    continue;
                }
                match self.fit(&rows, row) {
                    Ok(counts) => {
                        counts.into_iter().for_each(|users| self.note_count(users));
                        self.matched += 1;
                        self.released.advance()?;
                        nearest = None;
                    }
                    Err(Misfit::Other) => {}
                    // Too few users says most about what is wrong.
                    Err(misfit) => match (&nearest, &misfit) {
                        (None, _) | (Some((_, Misfit::Label(_))), Misfit::Rare { .. }) => {
                            nearest = Some((Row::of(rows.id(row)), misfit));
                        }
                        _ => {}
                    },
                }
            }
            self.forget();
        }
        Ok((!self.released.is_done()).then(|| self.explain(nearest)))
    }

    /// Whether a row of the source can be the original of the next released row;
    /// gives the users of its cells.
    fn fit(&mut self, rows: &Rows, row: usize) -> std::result::Result<Vec<u64>, Misfit> {
        if !self.released.is_of(rows, row) {
            return Err(Misfit::Other);
        }
        let mut counts = Vec::new();
        for column in 0..self.names.len() {
            let shown = self.released.label(column).to_owned();
            let guarded = self.released.plain(&shown).map(str::to_owned);
            let mut misfit = Misfit::Label(column);
            let mut found = None;
            for label in guarded.iter().chain([&shown]) {
                match self.users(rows, row, column, label) {
                    Ok(users) => found = Some(users),
                    Err(Misfit::Label(_)) => {}
                    Err(other) => misfit = other,
                }
            }
            match found {
                Some(users) => counts.push(users),
                None if shown == HIDDEN || shown.is_empty() => {}
                None => return Err(misfit),
            }
        }
        Ok(counts)
    }

    /// How many users share a label of a row's value.
    fn users(
        &mut self,
        rows: &Rows,
        row: usize,
        column: usize,
        label: &str,
    ) -> std::result::Result<u64, Misfit> {
        let value = rows.value(row, column).ok_or(Misfit::Label(column))?;
        let level = self.recount.level(column, value, label);
        let allowed = |level: usize| level == 0 || self.config.generalize;
        if !level.is_some_and(allowed) {
            return Err(Misfit::Label(column));
        }
        let z = self.needed();
        let users = self.count(column, label, rows.time(row), z);
        match users < z {
            true => Err(Misfit::Rare { column, users }),
            false => Ok(users),
        }
    }

    /// The users that a cell needs, as far as the policy tells.
    fn needed(&self) -> u64 {
        u64::from(self.config.least_z()).max(1)
    }

    fn explain(&self, nearest: Option<(Row, Misfit)>) -> Fault {
        let number = self.released.number();
        let name = |column: usize| &self.names[column];
        match nearest {
            Some((row, Misfit::Rare { column, users })) => Rule::Users.broken(format!(
                "row {number} of the release, column `{}`: {users} users share what it shows of {row} and {} are needed",
                name(column),
                self.needed(),
            )),
            Some((row, Misfit::Label(column))) => Rule::Rows.broken(format!(
                "row {number} of the release, column `{}`: shows no label of the value in {row}",
                name(column),
            )),
            _ => Rule::Rows.broken(format!(
                "row {number} of the release is no row of the source, or not in its order"
            )),
        }
    }
}
