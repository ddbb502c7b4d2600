//! Whether the library would take a policy, told for the text that people see.

use super::compose::{Composed, Places, compose};
use super::kind::{Policy as PolicyKind, TextKind};
use super::version::{TextVersion, hierarchies_for};
use crate::app::App;
use crate::data::DataVersion;
use crate::db::Sql;
use crate::http::{Call, Json, Nothing, Route, post};
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::rights::{Permit, WriteTexts};
use moretta::Error;
use moretta::io::{Files, MemoryFiles};
use moretta::policy::{Policy, Root, Secrets};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;

pub(super) fn routes() -> Vec<Route> {
    vec![post(
        "/projects/{project}/policies/check",
        "Whether a policy can be used; what is wrong is told with line and column",
        check,
    )]
}

/// A policy that is to be checked.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Draft {
    /// Its text.
    content: String,
    /// The version of the data that it is for; without, a table of CSV is assumed.
    #[serde(default)]
    data: Option<Id>,
}

/// A policy that can be used.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Checked {
    /// The columns that it says something of.
    columns: Vec<Column>,
    /// The levels that it releases, finest first; none of a policy without.
    levels: Vec<String>,
    /// The hierarchies that it names.
    hierarchies: Vec<String>,
}

/// A column of a policy.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Column {
    /// Its name.
    name: String,
    /// Its role.
    role: String,
}

fn check(
    app: &App,
    permit: Permit<WriteTexts>,
    call: Call<Nothing, Json<Draft>>,
) -> Result<Json<Checked>> {
    let (project, draft) = (permit.project()?, &call.body.0);
    PolicyKind::check("", &draft.content)?;
    let (place, hierarchies, secrets) = app.store.read(|sql| {
        let place = match draft.data {
            Some(id) => DataVersion::find(sql, project, id)?.place,
            None => "data.csv".to_owned(),
        };
        let hierarchies = hierarchies_for(app, sql, project, &draft.content, None)?;
        Ok((place, hierarchies, super::secrets_of(sql, project)?))
    })?;
    let policy = read(&draft.content, &place, &hierarchies, secrets)?;
    let columns = policy.plan.columns.iter().map(|column| Column {
        name: column.name.clone(),
        role: column.role.word().to_owned(),
    });
    Ok(Json(Checked {
        columns: columns.collect(),
        levels: policy
            .plan
            .levels
            .iter()
            .map(|level| level.name.clone())
            .collect(),
        hierarchies: hierarchies.into_iter().map(|(name, _)| name).collect(),
    }))
}

/// Reads a policy with hierarchies from memory; no path of it reaches a disk.
fn read(
    written: &str,
    place: &str,
    hierarchies: &[(String, String)],
    secrets: Vec<String>,
) -> Result<Policy> {
    let composed = compose(written, &Places::of_data(place))?;
    let memory = MemoryFiles::default();
    for (name, content) in hierarchies {
        memory.put(Path::new(name), content.clone().into_bytes());
    }
    // Only that there is a key matters here, and not which.
    let known = move |name: &str| {
        secrets
            .iter()
            .any(|own| own == name)
            .then(|| vec![b'0'; 64])
    };
    let root = Root::of_files(Files::provided(memory)).with_secrets(Secrets::by(known).alone());
    let told = |error| told(error, written, &composed);
    let policy = Policy::parse(&composed.text, &root).map_err(told)?;
    policy.loaded_plan().map_err(told)?;
    Ok(policy)
}

/// What the library says, with the place in the text that people see.
pub(crate) fn told(error: Error, written: &str, composed: &Composed) -> Problem {
    let span = match &error {
        Error::Policy(policy) => policy.span.clone(),
        _ => None,
    };
    let place = span.and_then(|span| composed.place(written, span.start));
    let problem = Problem::from(error);
    match problem.code {
        "policy" => problem.at(place),
        // Nothing was read but the policy and what it names.
        "io" => Problem {
            status: 422,
            code: "policy",
            ..problem
        },
        _ => problem,
    }
}

/// A version of a policy as the library reads it, for whoever asks what it says.
///
/// # Errors
/// When there is none, or it cannot be used.
pub fn policy_of(app: &App, sql: &mut dyn Sql, project: Id, id: Id, place: &str) -> Result<Policy> {
    let version = TextVersion::find::<PolicyKind>(app, sql, project, id)?;
    let content = &version.content;
    let hierarchies = hierarchies_for(app, sql, project, content, Some(&version))?;
    read(
        content,
        place,
        &hierarchies,
        super::secrets_of(sql, project)?,
    )
}
