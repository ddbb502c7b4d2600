//! The columns of a stream that matter to z-anonymity.

use super::ZAnonymity;
use crate::data::{Role, Schema};
use crate::error::{Error, Result};

/// Where the columns are that matter.
#[derive(Clone, Debug)]
pub(super) struct Places {
    pub(super) time: usize,
    pub(super) subject: usize,
    pub(super) attributes: Vec<usize>,
    pub(super) group: Option<usize>,
}

impl Places {
    /// Fails when the schema lacks a time, a subject or an attribute.
    pub(super) fn find(config: &ZAnonymity, schema: &Schema) -> Result<Self> {
        let one = |role: Role| match schema.with_role(role)[..] {
            [place] => Ok(place),
            _ => Err(Error::policy(format!(
                "z-anonymity needs one column with the role {}",
                role.word()
            ))
            .help("for example t = { role = \"time\" } and user = { role = \"subject\" }")),
        };
        let attributes = schema.with_role(Role::Quasi);
        if attributes.is_empty() {
            return Err(
                Error::policy("z-anonymity needs a column with the role quasi").help(
                    "for example attribute = { role = \"quasi\", hierarchy = { path = \"*\" } }",
                ),
            );
        }
        let group = match &config.group {
            None => None,
            Some(group) => Some(schema.index_of(&group.column).ok_or_else(|| {
                Error::policy(format!("there is no column `{}` for groups", group.column))
                    .help("name a column under [columns], for example with role = \"key\"")
            })?),
        };
        let places = Places {
            time: one(Role::Time)?,
            subject: one(Role::Subject)?,
            attributes,
            group,
        };
        let known = 2 + places.attributes.len() + usize::from(places.group.is_some());
        if config.fakes.is_some() && (places.attributes.len() > 1 || schema.len() > known) {
            return Err(Error::policy(
                "fakes can be made of a time, a subject and one attribute only",
            )
            .help("leave the other columns out with role = \"drop\", or take `fakes` out"));
        }
        Ok(places)
    }
}
