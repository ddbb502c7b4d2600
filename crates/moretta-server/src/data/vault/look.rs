//! A look into the vault: one pseudonym, one value, one entry in the log.

use super::pseudonym::{Entry, Pseudonyms};
use crate::app::App;
use crate::data::check_purpose;
use crate::data::version::DataVersion;
use crate::http::{Call, Json, Nothing, Route, post};
use crate::problem::{Problem, Result};
use crate::rights::{Permit, ReadRaw};
use crate::seal::problem;
use crate::zone::VaultZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader, Read};

pub(super) fn routes() -> Vec<Route> {
    vec![post(
        "/projects/{project}/datasets/{dataset}/versions/{version}/identity",
        "What one pseudonym stands for, for a stated purpose",
        look,
    )]
}

/// What is looked for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Look {
    /// The pseudonym.
    pseudonym: String,
    /// What it is needed for; it stands in the log.
    purpose: String,
}

/// What was found.
#[derive(Clone, Serialize, JsonSchema)]
struct Found {
    /// The column.
    column: String,
    /// The value that the pseudonym stands for.
    value: String,
}

fn look(
    app: &App,
    permit: Permit<ReadRaw>,
    call: Call<Nothing, Json<Look>>,
) -> Result<Json<Found>> {
    let (project, dataset, id) = (permit.project()?, call.id("dataset")?, call.id("version")?);
    let look = &call.body.0;
    check_purpose(&look.purpose)?;
    let plain = look
        .pseudonym
        .bytes()
        .all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    if look.pseudonym.len() != 32 || !plain {
        return Err(Problem::unusable("a pseudonym has 32 hexadecimal digits"));
    }
    let vault = app.store.read(|sql| {
        DataVersion::find_of(sql, project, dataset, id)?.object()?;
        let select = "SELECT object_id FROM vaults WHERE data_version_id = $1";
        let row = sql.row(select, values![id])?;
        let row = row.ok_or_else(|| Problem::not_found("vault"))?;
        VaultZone::of(app)?.open(sql, row.id(0)?)
    })?;
    let found = find(vault, &look.pseudonym)?;
    let tag = Pseudonyms::of(app.keys()?, dataset).tag(&look.pseudonym);
    app.store.act(|act| {
        let mut entry = permit.entry("vault.look");
        entry.subject = Some(id);
        entry.facts = vec![
            ("pseudonym", tag.clone()),
            ("found", found.is_some().to_string()),
            ("purpose", look.purpose.clone()),
        ];
        act.log(&entry)
    })?;
    let entry = found.ok_or_else(|| Problem::not_found("pseudonym"))?;
    Ok(Json(Found {
        column: entry.column,
        value: entry.value,
    }))
}

fn find(vault: impl Read, pseudonym: &str) -> Result<Option<Entry>> {
    let begin = format!("{{\"pseudonym\":\"{pseudonym}\"");
    let mut lines = BufReader::with_capacity(1 << 16, vault);
    let mut line = Vec::new();
    loop {
        line.clear();
        if lines
            .read_until(b'\n', &mut line)
            .map_err(|e| problem(&e))?
            == 0
        {
            return Ok(None);
        }
        if line.starts_with(begin.as_bytes()) {
            let entry = serde_json::from_slice(&line);
            return entry
                .map(Some)
                .map_err(|_| Problem::bug("an entry of the vault cannot be read"));
        }
    }
}
