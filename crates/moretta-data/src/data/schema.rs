//! Names, roles and kinds of the columns of a batch.

use super::date::DateFormat;
use super::levels::Levels;
use crate::error::{Error, Result};
use arrow_schema::DataType;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a column means for privacy. Every column has one; nobody publishes a
/// column by forgetting it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Names a person outright: dropped, or replaced by a keyed pseudonym.
    Identifier,
    /// Could be known to an attacker and single a person out in combination.
    Quasi,
    /// What must not be learnt about a person.
    Sensitive,
    /// One of the items of a person, or all of them: baskets, diagnoses.
    Items,
    /// The label a learner predicts.
    Class,
    /// The person; many rows may share one.
    Subject,
    /// When the event happened.
    Time,
    /// Joins rows of several sites.
    Key,
    /// Passes through untouched.
    Plain,
    /// Neither read nor released.
    Drop,
}

impl Role {
    /// All roles, with the word used in a policy.
    pub const ALL: [(Role, &'static str); 10] = [
        (Role::Identifier, "identifier"),
        (Role::Quasi, "quasi"),
        (Role::Sensitive, "sensitive"),
        (Role::Items, "items"),
        (Role::Class, "class"),
        (Role::Subject, "subject"),
        (Role::Time, "time"),
        (Role::Key, "key"),
        (Role::Plain, "plain"),
        (Role::Drop, "drop"),
    ];

    /// The word used in a policy.
    pub fn word(self) -> &'static str {
        Role::ALL
            .iter()
            .find(|(role, _)| *role == self)
            .map_or("plain", |(_, word)| word)
    }
}

/// How a column is held.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Numbers; `integer` when every one is whole.
    Number {
        /// Written without a fraction and, in typed formats, as a 64-bit integer.
        integer: bool,
    },
    /// Days since 1970-01-01 held as numbers, written in this format.
    Date(DateFormat),
    /// Codes into levels; `ordered` when the level order means something.
    Category {
        /// The levels have an order (declared in the policy).
        ordered: bool,
    },
    /// An Arrow array that only passes through.
    Plain(DataType),
}

/// What a source says of a column before its rows, as the header of an ARFF file does.
#[derive(Clone, Debug, PartialEq)]
pub enum Declared {
    /// Numbers; `integer` when all are whole.
    Number {
        /// Every number is whole.
        integer: bool,
    },
    /// These values in this order, whether or not a row has them.
    Nominal(Arc<Levels>),
    /// Values in the order of the dictionary that holds them.
    Ordered,
}

/// A column's name, role and kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// As in the header.
    pub name: Arc<str>,
    /// What it means for privacy.
    pub role: Role,
    /// How it is held.
    pub kind: Kind,
    /// What the source declares, for learners and for formats that declare, too. What
    /// is released may be something else, so it binds nobody.
    pub declared: Option<Declared>,
}

impl Field {
    /// A field.
    pub fn new(name: impl Into<Arc<str>>, role: Role, kind: Kind) -> Self {
        Field {
            name: name.into(),
            role,
            kind,
            declared: None,
        }
    }

    /// The declared values, in their order.
    pub fn declared_values(&self) -> Option<&Arc<Levels>> {
        match &self.declared {
            Some(Declared::Nominal(values)) => Some(values),
            _ => None,
        }
    }
}

/// The columns of a batch, in order; names are distinct.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    fields: Vec<Field>,
}

impl Schema {
    /// Fails when two columns share a name.
    pub fn new(fields: Vec<Field>) -> Result<Self> {
        let mut names: Vec<&str> = fields.iter().map(|f| &*f.name).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::input(format!("two columns are named `{}`", pair[0])));
        }
        Ok(Schema { fields })
    }

    /// The fields in order.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// How many columns there are.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The place of the column named `name`.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|f| &*f.name == name)
    }

    /// The places of the columns with `role`, in order.
    pub fn with_role(&self, role: Role) -> Vec<usize> {
        (0..self.len())
            .filter(|&i| self.fields[i].role == role)
            .collect()
    }
}
