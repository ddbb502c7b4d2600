//! Versions of data sets: what was uploaded, when, by whom; never changed.

use super::set::DataSet;
use crate::app::App;
use crate::clock::Millis;
use crate::db::{Row, Sql, Value};
use crate::http::{Call, Json, Nothing, Route, get};
use crate::id::Id;
use crate::page::{Page, PageQuery};
use crate::problem::{Problem, Result};
use crate::rights::{ListData, Permit};
use crate::seal::Written;
use crate::secret::hex;
use schemars::JsonSchema;
use serde::Serialize;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "/projects/{project}/datasets/{dataset}/versions",
            "Versions of a data set, the newest first",
            list,
        ),
        get(
            "/projects/{project}/datasets/{dataset}/versions/{version}",
            "A version of a data set",
            show,
        ),
    ]
}

/// A version of a data set.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DataVersion {
    /// Its id.
    pub id: Id,
    /// Its data set.
    pub dataset: Id,
    /// Its place among the versions of the data set, from 1.
    pub number: i64,
    /// What who sent it called the file.
    pub file_name: String,
    /// The name that the library has for it; its ending tells the format.
    pub place: String,
    /// How many bytes it has.
    pub bytes: i64,
    /// Their SHA-256.
    pub sha256: String,
    /// Who uploaded it.
    pub uploaded_by: Id,
    /// When.
    pub uploaded_at: Millis,
    /// When it is deleted.
    pub delete_after: Option<Millis>,
    /// When it was deleted.
    pub deleted_at: Option<Millis>,
    /// The object with its bytes; none once they are deleted.
    #[serde(skip)]
    pub object: Option<Id>,
    /// The job that looked at its columns.
    pub profile_job: Option<Id>,
}

const COLUMNS: &str = "v.id, v.dataset_id, v.number, v.file_name, v.place, v.bytes, v.sha256, \
                       v.uploaded_by, v.uploaded_at, v.delete_after, v.deleted_at, v.object_id, v.profile_job";

impl DataVersion {
    pub(super) fn read(row: &Row) -> Result<Self> {
        Ok(DataVersion {
            id: row.id(0)?,
            dataset: row.id(1)?,
            number: row.integer(2)?,
            file_name: row.text(3)?.to_owned(),
            place: row.text(4)?.to_owned(),
            bytes: row.integer(5)?,
            sha256: hex(row.bytes(6)?),
            uploaded_by: row.id(7)?,
            uploaded_at: row.integer(8)?,
            delete_after: row.maybe_integer(9)?,
            deleted_at: row.maybe_integer(10)?,
            object: row.maybe_id(11)?,
            profile_job: row.maybe_id(12)?,
        })
    }

    /// A version of any data set of a project.
    ///
    /// # Errors
    /// 404 when there is none.
    pub fn find(sql: &mut dyn Sql, project: Id, id: Id) -> Result<Self> {
        let select = format!(
            "SELECT {COLUMNS} FROM data_versions v JOIN datasets d ON d.id = v.dataset_id \
             WHERE v.id = $1 AND d.project_id = $2"
        );
        let row = sql.row(&select, values![id, project])?;
        DataVersion::read(&row.ok_or_else(not_found)?)
    }

    /// A version of one data set of a project.
    pub(super) fn find_of(sql: &mut dyn Sql, project: Id, dataset: Id, id: Id) -> Result<Self> {
        let found = DataVersion::find(sql, project, id)?;
        match found.dataset == dataset {
            true => Ok(found),
            false => Err(not_found()),
        }
    }

    /// The last version of a data set that was not deleted.
    pub(super) fn last(sql: &mut dyn Sql, dataset: Id) -> Result<Option<Self>> {
        let select = format!(
            "SELECT {COLUMNS} FROM data_versions v WHERE v.dataset_id = $1 AND v.deleted_at IS NULL \
             ORDER BY v.number DESC LIMIT 1"
        );
        let row = sql.row(&select, values![dataset])?;
        row.as_ref().map(DataVersion::read).transpose()
    }

    /// Versions of a data set that have bytes, the oldest first.
    pub(super) fn with_bytes(sql: &mut dyn Sql, dataset: Id) -> Result<Vec<Self>> {
        let select = format!(
            "SELECT {COLUMNS} FROM data_versions v WHERE v.dataset_id = $1 AND v.object_id IS NOT NULL \
             ORDER BY v.number"
        );
        let rows = sql.query(&select, values![dataset])?;
        rows.iter().map(DataVersion::read).collect()
    }

    /// The object with its bytes.
    ///
    /// # Errors
    /// 410 once they are deleted.
    pub fn object(&self) -> Result<Id> {
        let gone = || Problem::new(410, "deleted", "the data of this version were deleted");
        self.object.ok_or_else(gone)
    }
}

fn not_found() -> Problem {
    Problem::not_found("version")
}

/// A version that is to be made.
pub(super) struct New<'a> {
    pub(super) dataset: Id,
    pub(super) file_name: &'a str,
    pub(super) place: String,
    pub(super) object: Id,
    pub(super) written: Written,
    pub(super) by: Id,
    pub(super) at: Millis,
    pub(super) delete_after: Option<Millis>,
}

impl New<'_> {
    /// Makes it.
    pub(super) fn insert(&self, sql: &mut dyn Sql) -> Result<DataVersion> {
        let next = "SELECT COALESCE(MAX(number), 0) + 1 FROM data_versions WHERE dataset_id = $1";
        let number = sql.number(next, values![self.dataset])?;
        let id = Id::random();
        let insert = "INSERT INTO data_versions (id, dataset_id, number, file_name, place, object_id, bytes, \
                      sha256, uploaded_by, uploaded_at, delete_after) \
                      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
        let cells = [
            Value::from(id),
            Value::from(self.dataset),
            Value::from(number),
            Value::from(self.file_name),
            Value::from(&self.place),
            Value::from(self.object),
            Value::from(self.written.bytes as i64),
            Value::from(&self.written.sha256[..]),
            Value::from(self.by),
            Value::from(self.at),
            Value::from(self.delete_after),
        ];
        sql.execute(insert, &cells)?;
        Ok(DataVersion {
            id,
            dataset: self.dataset,
            number,
            file_name: self.file_name.to_owned(),
            place: self.place.clone(),
            bytes: self.written.bytes as i64,
            sha256: hex(&self.written.sha256),
            uploaded_by: self.by,
            uploaded_at: self.at,
            delete_after: self.delete_after,
            deleted_at: None,
            object: Some(self.object),
            profile_job: None,
        })
    }
}

fn list(
    app: &App,
    permit: Permit<ListData>,
    call: Call<PageQuery, Nothing>,
) -> Result<Json<Page<DataVersion>>> {
    let (project, id) = (permit.project()?, call.id("dataset")?);
    let (limit, before) = (call.query.limit()?, call.query.after_number()?);
    let before = before.unwrap_or(i64::MAX);
    let select = format!(
        "SELECT {COLUMNS} FROM data_versions v WHERE v.dataset_id = $1 AND v.number < $2 \
         ORDER BY v.number DESC LIMIT $3"
    );
    let rows = app.store.read(|sql| {
        DataSet::find(sql, project, id)?;
        sql.query(&select, values![id, before, limit + 1])
    })?;
    let versions = rows
        .iter()
        .map(DataVersion::read)
        .collect::<Result<Vec<_>>>()?;
    Ok(Json(Page::of(versions, limit, |version| {
        version.number.to_string()
    })))
}

fn show(
    app: &App,
    permit: Permit<ListData>,
    call: Call<Nothing, Nothing>,
) -> Result<Json<DataVersion>> {
    let (project, dataset, id) = (permit.project()?, call.id("dataset")?, call.id("version")?);
    app.store
        .read(|sql| DataVersion::find_of(sql, project, dataset, id))
        .map(Json)
}
