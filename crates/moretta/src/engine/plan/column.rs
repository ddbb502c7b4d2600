//! What a plan says of each column.

use crate::data::hierarchy::HierarchySpec;
use crate::data::{ColumnPlan, ReadAs, Role, TimeFormat};
use std::ops::Range;
use std::path::PathBuf;

/// What the policy says of one column.
///
/// Two that say the same are equal, wherever they say it.
#[derive(Clone, Debug)]
pub struct ColumnPolicy {
    /// Its name in the data.
    pub name: String,
    /// Its place in the text of the policy.
    pub span: Range<usize>,
    /// What it means for privacy.
    pub role: Role,
    /// What becomes of it, when it names a person.
    pub action: Action,
    /// How to read it.
    pub read: ReadAs,
    /// How its values generalise.
    pub hierarchy: Option<HierarchySpec>,
    /// What is between the items of a cell, when it holds several.
    pub separator: Option<String>,
    /// Latitude and longitude, when it is made from two columns.
    pub from: Option<[String; 2]>,
    /// How its times are written, when the policy says so.
    pub unit: Option<TimeFormat>,
    /// Milliseconds that records wait for earlier ones, to leave in the order of these times.
    pub lateness: Option<i64>,
    /// Between what numbers, or days, its values are, when the policy says so.
    pub range: Option<(f64, f64)>,
    /// How much what it loses counts beside other quasi-identifiers.
    pub weight: f64,
}

/// What becomes of a column that names a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// It is released; a subject or a key only when the policy says so, an identifier never.
    Keep,
    /// It is not released.
    Drop,
    /// It is replaced by keyed pseudonyms of this domain.
    Pseudonym {
        /// Separates pseudonyms of different columns.
        domain: String,
        /// Where the key is.
        key: KeyPlace,
        /// Milliseconds after which a person gets another pseudonym.
        rotate: Option<i64>,
    },
    /// It is not read; in its place each row of a table shows its number in the release.
    Number,
}

/// Where a key is; never the key itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyPlace {
    /// In an environment variable.
    Environment(String),
    /// In a file.
    File(PathBuf),
    /// Under a name that whoever opens the policy knows.
    Secret(String),
}

impl KeyPlace {
    /// The place that `env:NAME` or `secret:NAME` says.
    pub fn named(text: &str) -> Self {
        match (text.strip_prefix("secret:"), text.strip_prefix("env:")) {
            (Some(name), _) => KeyPlace::Secret(name.to_owned()),
            (None, name) => KeyPlace::Environment(name.unwrap_or(text).to_owned()),
        }
    }
}

impl PartialEq for ColumnPolicy {
    fn eq(&self, other: &Self) -> bool {
        let said = |column: &ColumnPolicy| {
            let ColumnPolicy {
                name,
                span: _,
                role,
                action,
                read,
                hierarchy,
                separator,
                from,
                unit,
                lateness,
                range,
                weight,
            } = column.clone();
            let named = (name, role, action, read, separator);
            (named, hierarchy, from, unit, lateness, range, weight)
        };
        said(self) == said(other)
    }
}

impl ColumnPolicy {
    /// Whether its pseudonyms change with time.
    pub(crate) fn rotates(&self) -> bool {
        let rotate = match &self.action {
            Action::Pseudonym { rotate, .. } => *rotate,
            _ => None,
        };
        rotate.is_some()
    }

    /// A column that is released as its role allows: what names persons is not.
    pub fn new(name: impl Into<String>, role: Role) -> Self {
        ColumnPolicy {
            name: name.into(),
            span: 0..0,
            role,
            action: match role {
                Role::Identifier | Role::Subject | Role::Key | Role::Drop => Action::Drop,
                _ => Action::Keep,
            },
            read: ReadAs::Infer,
            hierarchy: None,
            separator: None,
            from: None,
            unit: None,
            lateness: None,
            range: None,
            weight: 1.0,
        }
    }

    /// The column with a rule by which its values generalise.
    #[must_use]
    pub fn with_hierarchy(self, rule: HierarchySpec) -> Self {
        ColumnPolicy {
            hierarchy: Some(rule),
            ..self
        }
    }

    /// How a source should read it.
    pub fn plan(&self) -> ColumnPlan {
        ColumnPlan {
            name: self.name.clone(),
            role: self.role,
            read: match self.action {
                // A subject is needed to count persons, also when it is not released.
                Action::Drop if self.role != Role::Subject => ReadAs::Skip,
                Action::Number => ReadAs::Skip,
                Action::Pseudonym { .. } => ReadAs::Category,
                _ => self.read.clone(),
            },
        }
    }
}
