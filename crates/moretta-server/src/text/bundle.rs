//! What was clicked, for the command line: the policy with places, its hierarchies, and the command.

use super::compose::{Places, compose};
use super::kind::Policy;
use super::version::{TextVersion, hierarchies_for};
use crate::app::App;
use crate::data::DataVersion;
use crate::http::{Call, Json, Nothing, Route, get};
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::rights::{Permit, ReadTexts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) fn routes() -> Vec<Route> {
    vec![get(
        "/projects/{project}/policies/{text}/versions/{version}/bundle",
        "A policy with all that the command line needs to make the same bytes",
        bundle,
    )]
}

/// For which data.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Of {
    /// The version of the data; without, a table of CSV is assumed.
    data: Option<Id>,
}

/// Files and a command.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Bundle {
    /// The files to put into one folder.
    files: Vec<File>,
    /// The command to run there.
    command: &'static str,
    /// What is needed besides, such as the data and keys: these are not given away.
    needs: Vec<String>,
}

/// A file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct File {
    /// Its name.
    name: String,
    /// What it holds.
    content: String,
}

fn bundle(app: &App, permit: Permit<ReadTexts>, call: Call<Of, Nothing>) -> Result<Json<Bundle>> {
    let (project, text, id) = (permit.project()?, call.id("text")?, call.id("version")?);
    let (version, hierarchies, place, secrets) = app.store.read(|sql| {
        let version = TextVersion::find::<Policy>(app, sql, project, id)?;
        if version.text != text {
            return Err(Problem::not_found("version"));
        }
        let place = match call.query.data {
            Some(id) => DataVersion::find(sql, project, id)?.place,
            None => "data.csv".to_owned(),
        };
        let hierarchies = hierarchies_for(app, sql, project, &version.content, Some(&version))?;
        Ok((
            version,
            hierarchies,
            place,
            super::secrets_of(sql, project)?,
        ))
    })?;
    let places = Places {
        sink: Some("release.csv".to_owned()),
        report: Some("report.html".to_owned()),
        ..Places::of_data(&place)
    };
    let mut policy = compose(&version.content, &places)?.text;
    let mut needs = vec![format!("the data, as {place}")];
    for name in secrets {
        let (named, variable) = (format!("\"secret:{name}\""), variable(&name));
        if policy.contains(&named) {
            policy = policy.replace(&named, &format!("\"env:{variable}\""));
            needs.push(format!(
                "the key `{name}` in the environment variable {variable}; the server shows it to nobody"
            ));
        }
    }
    let mut files = vec![File {
        name: "policy.toml".to_owned(),
        content: policy,
    }];
    let file = |(name, content)| File { name, content };
    files.extend(hierarchies.into_iter().map(file));
    Ok(Json(Bundle {
        files,
        command: "moretta run policy.toml",
        needs,
    }))
}

fn variable(name: &str) -> String {
    format!("MORETTA_{}", name.to_ascii_uppercase().replace('-', "_"))
}
