//! What a job is to do, as the store keeps it.

use super::options::About;
use crate::id::Id;
use crate::problem::{Problem, Result};
use serde::{Deserialize, Serialize};

/// What a job is to do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// The version of the data that it reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Id>,
    /// The version of the policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Id>,
    /// The text of a policy that is not saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The release that it makes or holds against its policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<Id>,
    /// What exactly: one of [`options`](super::options), by the kind.
    #[serde(default)]
    pub options: serde_json::Value,
}

impl Spec {
    /// About these data and this policy, with options of its kind.
    pub fn about(about: &About, options: &impl Serialize) -> Self {
        Spec {
            data: Some(about.data),
            policy: about.policy,
            text: about.text.clone(),
            release: None,
            options: serde_json::to_value(options).unwrap_or_default(),
        }
    }

    /// As the store keeps it.
    pub(super) fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads it from the store.
    pub(super) fn parse(text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(|_| Problem::bug("a job of the store cannot be read"))
    }
}
