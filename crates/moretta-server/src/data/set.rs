//! Data sets: what has versions.

use super::version::DataVersion;
use crate::app::App;
use crate::clock::Millis;
use crate::db::{Row, Sql};
use crate::http::{Call, Json, Nothing, Route, Tagged, get};
use crate::id::Id;
use crate::name::Name;
use crate::page::{Page, PageQuery};
use crate::problem::{Problem, Result};
use crate::rights::{ListData, Permit, Upload};
use crate::store::Act;
use schemars::JsonSchema;
use serde::Serialize;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "/projects/{project}/datasets",
            "Data sets of a project",
            list,
        ),
        get(
            "/projects/{project}/datasets/{dataset}",
            "A data set and its last version",
            show,
        ),
    ]
}

/// A data set.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DataSet {
    /// Its id.
    pub id: Id,
    /// Its name.
    pub name: String,
    /// The columns that name persons: what they hold lies in the vault.
    pub identifiers: Vec<String>,
    /// When it was made.
    pub made_at: Millis,
    /// Who made it.
    pub made_by: Id,
    /// The version, which an edit names.
    pub version: i64,
    /// Its last version that was not deleted.
    pub last: Option<DataVersion>,
}

const COLUMNS: &str = "id, name, identifiers, made_at, made_by, version";

impl DataSet {
    fn read(row: &Row) -> Result<Self> {
        Ok(DataSet {
            id: row.id(0)?,
            name: row.text(1)?.to_owned(),
            identifiers: serde_json::from_str(row.text(2)?)
                .map_err(|_| Problem::bug("identifiers of the store cannot be read"))?,
            made_at: row.integer(3)?,
            made_by: row.id(4)?,
            version: row.integer(5)?,
            last: None,
        })
    }

    /// A data set of a project, without its last version.
    ///
    /// # Errors
    /// 404 when there is none.
    pub fn find(sql: &mut dyn Sql, project: Id, id: Id) -> Result<Self> {
        let select = format!("SELECT {COLUMNS} FROM datasets WHERE id = $1 AND project_id = $2");
        let row = sql.row(&select, values![id, project])?;
        DataSet::read(&row.ok_or_else(|| Problem::not_found("data set"))?)
    }

    fn with_last(mut self, sql: &mut dyn Sql) -> Result<Self> {
        self.last = DataVersion::last(sql, self.id)?;
        Ok(self)
    }
}

/// Columns that name persons, in order.
pub(super) fn check_identifiers(columns: &[String]) -> Result<Vec<String>> {
    let mut names = columns.to_vec();
    names.sort();
    names.dedup();
    match names.len() == columns.len() && names.len() <= 100 {
        true => Ok(names),
        false => Err(Problem::unusable(
            "identifiers are at most 100 columns, each named once",
        )),
    }
}

/// Makes a data set.
pub(super) fn insert(
    act: &mut Act<'_>,
    permit: &Permit<Upload>,
    (project, id): (Id, Id),
    name: &Name,
    identifiers: &[String],
) -> Result<DataSet> {
    let set = DataSet {
        id,
        name: name.text().to_owned(),
        identifiers: identifiers.to_vec(),
        made_at: permit.at(),
        made_by: permit.user()?,
        version: 1,
        last: None,
    };
    let names = serde_json::to_string(identifiers).unwrap_or_default();
    let made = act.execute(
        "INSERT INTO datasets (id, project_id, name, identifiers, made_at, made_by) VALUES ($1, $2, $3, $4, $5, $6)",
        values![set.id, project, name.text(), names, set.made_at, set.made_by],
    );
    made.map_err(|problem| name.taken(problem))?;
    let mut entry = permit.entry("data.set");
    entry.subject = Some(set.id);
    act.log(&entry)?;
    Ok(set)
}

fn list(
    app: &App,
    permit: Permit<ListData>,
    call: Call<PageQuery, Nothing>,
) -> Result<Json<Page<DataSet>>> {
    let project = permit.project()?;
    let (limit, after) = (call.query.limit()?, call.query.after_text());
    let select = format!(
        "SELECT {COLUMNS} FROM datasets WHERE project_id = $1 AND name > $2 ORDER BY name LIMIT $3"
    );
    let sets = app.store.read(|sql| {
        let rows = sql.query(&select, values![project, after, limit + 1])?;
        let sets = rows.iter().map(|row| DataSet::read(row)?.with_last(sql));
        sets.collect::<Result<Vec<_>>>()
    })?;
    Ok(Json(Page::of(sets, limit, |set| set.name.clone())))
}

fn show(
    app: &App,
    permit: Permit<ListData>,
    call: Call<Nothing, Nothing>,
) -> Result<Tagged<Json<DataSet>>> {
    let (project, id) = (permit.project()?, call.id("dataset")?);
    let set = app
        .store
        .read(|sql| DataSet::find(sql, project, id)?.with_last(sql))?;
    Ok(Tagged(set.version, Json(set)))
}
