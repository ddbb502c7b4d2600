//! A file that has arrived whole becomes a version of a data set.

use crate::app::App;
use crate::clock::DAY;
use crate::data::file_kind::{FileKind, HEAD};
use crate::data::profile::look;
use crate::data::set::{self, DataSet};
use crate::data::vault::{Parts, split};
use crate::data::version::{self, DataVersion};
use crate::db::Sql;
use crate::id::Id;
use crate::name::Name;
use crate::problem::{Problem, Result};
use crate::project::{Rules, check_open};
use crate::rights::{Permit, Upload};
use crate::seal::{SealedReader, Written, problem};
use crate::secret::hex;
use crate::store::Act;
use crate::zone::{Leftover, Object, Placed, RawZone};
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

impl Target {
    /// Its id, which that of a new one will be, and the columns that name persons.
    fn set(&self, app: &App, project: Id) -> Result<(Id, Vec<String>)> {
        match self {
            Target::Dataset(id) => {
                let set = app.store.read(|sql| DataSet::find(sql, project, *id))?;
                Ok((set.id, set.identifiers))
            }
            Target::New { identifiers, .. } => {
                Ok((Id::random(), set::check_identifiers(identifiers)?))
            }
        }
    }
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
    /// Makes a version of it, without what names persons, which goes to the vault; `also` is done in
    /// the same transaction.
    pub(super) fn enter(
        self,
        app: &App,
        permit: &Permit<Upload>,
        into: &Target,
        also: impl Fn(&mut dyn Sql) -> Result<()>,
    ) -> Result<DataVersion> {
        let project = permit.project()?;
        let raw = RawZone::of(app)?;
        let kind = FileKind::of(&self.name)?;
        kind.check(&self.head(&raw)?)?;
        let (set, identifiers) = into.set(app, project)?;
        let came = raw.path(self.object.id);
        let parts = match identifiers.is_empty() {
            true => None,
            false => {
                let placed = Placed {
                    object: self.object.clone(),
                    path: came.clone(),
                    bytes: self.written.bytes,
                    sha256: self.written.sha256,
                };
                Some(split(
                    app,
                    placed,
                    &kind.place(),
                    (set, &identifiers),
                    None,
                )?)
            }
        };
        let entered = app.store.act(|act| {
            check_open(&mut **act, project)?;
            if let Target::New { name, .. } = into {
                set::insert(act, permit, (project, set), name, &identifiers)?;
            }
            also(&mut **act)?;
            self.record(app, act, permit, (set, kind.place()), parts.as_ref())
        });
        let mut leftover = Leftover::default();
        match (&parts, &entered) {
            (Some(_), Ok(_)) => leftover = Leftover::of(came),
            (Some(parts), Err(_)) => leftover = parts.leftover(app)?,
            (None, _) => {}
        }
        leftover.remove(&app.store);
        entered
    }

    /// Records objects and version.
    fn record(
        &self,
        app: &App,
        act: &mut Act<'_>,
        permit: &Permit<Upload>,
        (set, place): (Id, String),
        parts: Option<&Parts>,
    ) -> Result<DataVersion> {
        let (project, at) = (permit.project()?, permit.at());
        let (object, written) = match parts {
            Some(parts) => (&parts.data.0, &parts.data.1),
            None => (&self.object, &self.written),
        };
        RawZone::of(app)?.record(act, object, written, (project, None), at)?;
        let days = Rules::of(&mut **act, project)?.0.retention_days;
        let new = version::New {
            dataset: set,
            file_name: &self.name,
            place,
            object: object.id,
            written: *written,
            by: permit.user()?,
            at,
            delete_after: days.map(|days| at + i64::from(days) * DAY),
        };
        let mut version = new.insert(&mut **act)?;
        if let Some(parts) = parts {
            parts.keep(app, act, &version, (project, at))?;
        }
        version.profile_job = Some(look(act, permit, &version)?);
        let mut entry = permit.entry("data.version");
        entry.subject = Some(version.id);
        entry.facts = vec![
            ("dataset", set.to_string()),
            ("number", version.number.to_string()),
            ("sha256", version.sha256.clone()),
            ("arrived", hex(&self.written.sha256)),
        ];
        act.log(&entry)?;
        Ok(version)
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

/// A file that is not there any more, or another one.
pub(super) fn not_there() -> Problem {
    Problem::not_found("file")
}
