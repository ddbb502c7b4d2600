//! Users as the store has them.

use crate::db::{Row, Sql, Value};
use crate::id::Id;
use crate::name::Name;
use crate::problem::{Problem, Result};
use crate::rights::Role;
use unicode_normalization::UnicodeNormalization;

/// A user. There is no `Debug` of one: what proves who they are stands in it.
pub(super) struct User {
    pub(super) id: Id,
    /// The number under which they stand in the log.
    pub(super) number: i64,
    /// None of a deleted one.
    pub(super) name: Option<String>,
    pub(super) state: State,
    pub(super) admin: bool,
    /// The hash of the password; none of who has not used their invitation.
    pub(super) password: Option<String>,
    /// The sealed second factor.
    pub(super) factor: Option<Vec<u8>>,
    /// The last half minute of which a code was used.
    pub(super) factor_step: i64,
    /// A second factor that is being set up.
    pub(super) new_factor: Option<Vec<u8>>,
    /// Whether they audit everything.
    pub(super) auditor: bool,
    /// Whether they have a role in a project that sees what nobody has approved yet, or level 1.
    pub(super) reads_data: bool,
}

/// What has become of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Invited,
    Active,
    Disabled,
    Deleted,
}

impl State {
    /// As the store and the API write it.
    pub(super) fn word(self) -> &'static str {
        match self {
            State::Invited => "invited",
            State::Active => "active",
            State::Disabled => "disabled",
            State::Deleted => "deleted",
        }
    }

    /// Reads it from the store.
    pub(super) fn parse(word: &str) -> Result<Self> {
        let all = [
            State::Invited,
            State::Active,
            State::Disabled,
            State::Deleted,
        ];
        let found = all.into_iter().find(|state| state.word() == word);
        found.ok_or_else(|| Problem::bug("the store has a state of users that is none"))
    }
}

const COLUMNS: &str = "u.id, u.number, u.name, u.state, u.admin, u.password, u.factor, u.factor_step, \
                       u.new_factor, u.auditor";

impl User {
    fn read(row: &Row) -> Result<Self> {
        Ok(User {
            id: row.id(0)?,
            number: row.integer(1)?,
            name: row.maybe_text(2)?,
            state: State::parse(row.text(3)?)?,
            admin: row.yes(4)?,
            password: row.maybe_text(5)?,
            factor: row.maybe_bytes(6)?,
            factor_step: row.integer(7)?,
            new_factor: row.maybe_bytes(8)?,
            auditor: row.yes(9)?,
            reads_data: row.integer(10)? > 0,
        })
    }

    fn find(sql: &mut dyn Sql, condition: &str, value: Value) -> Result<Option<Self>> {
        let query = format!(
            "SELECT {COLUMNS}, (SELECT count(*) FROM members m WHERE m.user_id = u.id AND {}) \
             FROM users u WHERE {condition}",
            Role::TRUSTED
        );
        let row = sql.row(&query, &[value])?;
        row.as_ref().map(Self::read).transpose()
    }

    /// The user with a name, in the form of [`account_name`].
    pub(super) fn by_name(sql: &mut dyn Sql, name: &str) -> Result<Option<Self>> {
        Self::find(sql, "u.name = $1", name.into())
    }

    /// The user with an id who was not deleted.
    pub(super) fn by_id(sql: &mut dyn Sql, id: Id) -> Result<Self> {
        Self::find(sql, "u.id = $1", id.into())?
            .filter(|user| user.state != State::Deleted)
            .ok_or_else(|| Problem::not_found("user"))
    }

    /// Whether they must have a second factor.
    pub(super) fn needs_factor(&self) -> bool {
        self.admin || self.auditor || self.reads_data
    }
}

/// The one form of the name of an account: however it is typed, it is the same account.
pub(super) fn account_name(name: &Name) -> String {
    let lower = name.text().nfkc().collect::<String>().to_lowercase();
    lower.nfkc().collect()
}

/// Adds a user who has no password yet; gives the number.
pub(super) fn add(sql: &mut dyn Sql, new: &NewUser<'_>) -> Result<i64> {
    let number = sql.number("SELECT coalesce(max(number), 0) + 1 FROM users", values![])?;
    let added = sql.execute(
        "INSERT INTO users (id, number, name, state, admin, auditor, idle_minutes, made_at, made_by) \
         VALUES ($1, $2, $3, 'invited', $4, $5, $6, $7, $8)",
        values![
            new.id,
            number,
            account_name(new.name),
            new.admin,
            new.auditor,
            new.idle_minutes,
            new.at,
            new.by
        ],
    );
    added.map_err(|problem| new.name.taken(problem))?;
    Ok(number)
}

/// Who is added.
pub(super) struct NewUser<'a> {
    pub(super) id: Id,
    pub(super) name: &'a Name,
    pub(super) admin: bool,
    pub(super) auditor: bool,
    pub(super) idle_minutes: i64,
    pub(super) at: i64,
    /// Who invites them; none of those whose link the program has printed.
    pub(super) by: Option<Id>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_account_however_it_is_typed() {
        for (typed, expected) in [
            ("Ana", "ana"),
            ("  ANA ", "ana"),
            ("\u{ff21}na", "ana"),
            ("Zoe\u{308}", "zoë"),
            ("o'neil", "o'neil"),
        ] {
            let name = Name::new(typed).expect("a name");
            assert_eq!(account_name(&name), expected, "{typed}");
        }
    }
}
