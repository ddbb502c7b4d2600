//! A file that has arrived whole becomes a version of a data set.

use crate::app::App;
use crate::clock::DAY;
use crate::data::file_kind::{FileKind, HEAD};
use crate::data::set::{self, DataSet};
use crate::data::version::{self, DataVersion};
use crate::db::Sql;
use crate::id::Id;
use crate::job::{self, Kind, Spec};
use crate::name::Name;
use crate::problem::{Problem, Result};
use crate::project::{Rules, check_open};
use crate::rights::{Permit, Upload};
use crate::seal::{SealedReader, Written, problem};
use crate::store::Act;
use crate::zone::{Object, RawZone};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read;

/// The data set that a file becomes a version of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Target {
    /// One that is there.
    Dataset(Id),
    /// A new one.
    New {
        /// Its name.
        name: Name,
        /// The columns that name persons, in all versions; what they hold lies in the vault, and
        /// stands as pseudonyms in the data.
        identifiers: Vec<String>,
    },
}

/// A sealed file that nobody knows of yet.
#[derive(Debug)]
pub(super) struct Arrival {
    /// What who sent it calls it.
    pub(super) name: String,
    /// Its object.
    pub(super) object: Object,
    /// Its length and sum.
    pub(super) written: Written,
}

impl Arrival {
    /// Makes a version of it; `also` is done in the same transaction.
    pub(super) fn enter(
        self,
        app: &App,
        permit: &Permit<Upload>,
        into: &Target,
        also: impl Fn(&mut dyn Sql) -> Result<()>,
    ) -> Result<DataVersion> {
        let (project, at) = (permit.project()?, permit.at());
        let raw = RawZone::of(app)?;
        let kind = FileKind::of(&self.name)?;
        kind.check(&self.head(&raw)?)?;
        app.store.act(|act| {
            check_open(&mut **act, project)?;
            let set = match into {
                Target::Dataset(id) => DataSet::find(&mut **act, project, *id)?,
                Target::New { name, identifiers } => {
                    set::insert(act, permit, project, name, identifiers)?
                }
            };
            raw.record(act, &self.object, &self.written, (project, None), at)?;
            also(&mut **act)?;
            let days = Rules::of(&mut **act, project)?.0.retention_days;
            let new = version::New {
                dataset: set.id,
                file_name: &self.name,
                place: kind.place(),
                object: self.object.id,
                written: self.written,
                by: permit.user()?,
                at,
                delete_after: days.map(|days| at + i64::from(days) * DAY),
            };
            let mut version = new.insert(&mut **act)?;
            version.profile_job = Some(look(act, permit, &version)?);
            let mut entry = permit.entry("data.version");
            entry.subject = Some(version.id);
            entry.facts = vec![
                ("dataset", set.id.to_string()),
                ("number", version.number.to_string()),
                ("sha256", version.sha256.clone()),
            ];
            act.log(&entry)?;
            Ok(version)
        })
    }

    /// The first bytes.
    fn head(&self, raw: &RawZone) -> Result<Vec<u8>> {
        let read = || {
            let file = File::open(raw.path(self.object.id))?;
            let (key, id) = (&self.object.key, self.object.id);
            let reader = SealedReader::new(file, key, id, self.written.bytes)?;
            let mut head = Vec::new();
            reader.take(HEAD as u64).read_to_end(&mut head)?;
            Ok(head)
        };
        read().map_err(|e| problem(&e))
    }
}

/// Has the columns of a version looked at.
fn look(act: &mut Act<'_>, permit: &Permit<Upload>, version: &DataVersion) -> Result<Id> {
    let spec = Spec {
        data: Some(version.id),
        ..Spec::default()
    };
    let by = (permit.project()?, permit.user()?);
    let job = job::enqueue(&mut **act, by, Kind::Profile, &spec, permit.at())?;
    let note = "UPDATE data_versions SET profile_job = $1 WHERE id = $2";
    act.execute_one(note, values![job, version.id])?;
    Ok(job)
}

/// A file that is not there any more, or another one.
pub(super) fn not_there() -> Problem {
    Problem::not_found("file")
}
