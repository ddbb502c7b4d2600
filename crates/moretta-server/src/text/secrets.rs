//! Secrets of a project: keys by names, made by the server, sealed, shown to nobody.

use crate::app::App;
use crate::clock::Millis;
use crate::db::Sql;
use crate::http::{Call, Created, Json, Nothing, Route, get, post};
use crate::id::{Id, random_bytes};
use crate::name::Name;
use crate::problem::{Problem, Result};
use crate::project::check_open;
use crate::rights::{Permit, ReadTexts, WriteTexts};
use crate::seal::Sealer;
use crate::secret::hex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "/projects/{project}/secrets",
            "Names of the keys of a project, which policies name as `secret:NAME`",
            list,
        ),
        post(
            "/projects/{project}/secrets",
            "Makes a key, which nobody will see",
            make,
        ),
    ]
}

/// A key of a project, without the key.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Listed {
    /// Its name.
    name: String,
    /// When it was made.
    made_at: Millis,
    /// Who had it made.
    made_by: Id,
}

/// What a key of a project is sealed for.
pub fn secret_context(project: Id, name: &str) -> String {
    format!("secret {project} {name}")
}

fn list(
    app: &App,
    permit: Permit<ReadTexts>,
    _: Call<Nothing, Nothing>,
) -> Result<Json<Vec<Listed>>> {
    let project = permit.project()?;
    let select = "SELECT name, made_at, made_by FROM secrets WHERE project_id = $1 ORDER BY name";
    let rows = app.store.read(|sql| sql.query(select, values![project]))?;
    let listed = rows.iter().map(|row| {
        Ok(Listed {
            name: row.text(0)?.to_owned(),
            made_at: row.integer(1)?,
            made_by: row.id(2)?,
        })
    });
    listed.collect::<Result<_>>().map(Json)
}

/// A new key.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewSecret {
    /// Its name, of letters, digits, `-` and `_`.
    name: Name,
}

fn make(
    app: &App,
    permit: Permit<WriteTexts>,
    call: Call<Nothing, Json<NewSecret>>,
) -> Result<Created<Listed>> {
    let (project, name) = (permit.project()?, &call.body.0.name);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !name.text().chars().all(plain) {
        return Err(Problem::unusable(
            "the name of a key has letters, digits, `-` and `_` only",
        ));
    }
    let (by, at) = (permit.user()?, permit.at());
    let key = Zeroizing::new(hex(&*Zeroizing::new(random_bytes::<32>())));
    let sealed = Sealer::of(app)?.seal(&secret_context(project, name.text()), key.as_bytes());
    app.store.act(|act| {
        check_open(&mut **act, project)?;
        let made = act.execute(
            "INSERT INTO secrets (project_id, name, sealed, made_at, made_by) VALUES ($1, $2, $3, $4, $5)",
            values![project, name.text(), &sealed[..], at, by],
        );
        made.map_err(|problem| name.taken(problem))?;
        let mut entry = permit.entry("secret.make");
        entry.facts = vec![("name", name.text().to_owned())];
        act.log(&entry)
    })?;
    Ok(Created(Listed {
        name: name.text().to_owned(),
        made_at: at,
        made_by: by,
    }))
}

/// Names of the keys of a project.
///
/// # Errors
/// When the store does not answer.
pub fn secrets_of(sql: &mut dyn Sql, project: Id) -> Result<Vec<String>> {
    let select = "SELECT name FROM secrets WHERE project_id = $1";
    let rows = sql.query(select, values![project])?;
    rows.iter().map(|row| Ok(row.text(0)?.to_owned())).collect()
}
