//! The inbox: a folder of the server from which stewards take files.
//!
//! A file is named by an id that only this server can compute and that holds for one state of the
//! file: a name from outside never reaches the file system. Only plain files that lie in the folder
//! itself are seen; links are not followed, folders are not entered.

use super::arrival::{Arrival, Target, not_there};
use super::upload::check_length;
use crate::app::App;
use crate::clock::Millis;
use crate::data::file_kind::FileKind;
use crate::data::version::DataVersion;
use crate::http::{Call, Created, Json, Nothing, Route, get, post};
use crate::id::Id;
use crate::name::Name;
use crate::problem::{Problem, Result};
use crate::rights::{Permit, Upload};
use crate::seal::problem;
use crate::zone::{Leftover, RawZone, check_quota};
use schemars::JsonSchema;
use serde::Serialize;
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// How many files of the inbox are shown.
const MOST: usize = 1000;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "/projects/{project}/inbox",
            "Files of the inbox of the server, which can become data",
            list,
        ),
        post(
            "/projects/{project}/inbox/{file}",
            "Makes a version of a data set of a file of the inbox",
            take,
        ),
    ]
}

/// A file of the inbox.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Waiting {
    /// Its id, as long as it is not changed.
    id: Id,
    /// Its name.
    name: String,
    /// How many bytes it has.
    bytes: u64,
    /// When it was last written to.
    modified: Millis,
    #[serde(skip)]
    entry: OsString,
}

fn list(app: &App, _: Permit<Upload>, _: Call<Nothing, Nothing>) -> Result<Json<Vec<Waiting>>> {
    waiting(app).map(Json)
}

/// Plain files with names that can be shown and endings that tell tables, in the order of their names.
fn waiting(app: &App) -> Result<Vec<Waiting>> {
    let Some(folder) = &app.settings.inbox else {
        return Ok(Vec::new());
    };
    let unreadable =
        |e: io::Error| Problem::unavailable(format!("the inbox cannot be read: {}", e.kind()));
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        // Of a link this tells of the link, which is no file.
        let Ok(told) = entry.metadata() else { continue };
        let name = entry.file_name();
        let shown = name.to_str().and_then(|name| Name::new(name).ok());
        let Some(shown) = shown.filter(|name| FileKind::of(name.text()).is_ok()) else {
            continue;
        };
        if told.is_file() {
            found.push(Waiting {
                id: id_of(app, &name, &told)?,
                name: shown.text().to_owned(),
                bytes: told.len(),
                modified: modified(&told),
                entry: name,
            });
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found.truncate(MOST);
    Ok(found)
}

fn modified(told: &Metadata) -> Millis {
    let since = told
        .modified()
        .ok()
        .and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |since| since.as_millis() as Millis)
}

/// The id of one state of a file.
fn id_of(app: &App, name: &OsString, told: &Metadata) -> Result<Id> {
    let nanos = told
        .modified()
        .ok()
        .and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let state = format!(
        "{} {}",
        told.len(),
        nanos.map_or(0, |since| since.as_nanos())
    );
    let mut bytes = state.into_bytes();
    bytes.push(0);
    bytes.extend_from_slice(name.as_encoded_bytes());
    let sum = app.keys()?.secrets.sum("inbox", &bytes);
    let mut id = [0; 16];
    id.copy_from_slice(&sum[..16]);
    Ok(Id::from_bytes(id))
}

fn take(
    app: &App,
    permit: Permit<Upload>,
    call: Call<Nothing, Json<Target>>,
) -> Result<Created<DataVersion>> {
    let (project, id) = (permit.project()?, call.id("file")?);
    let found = waiting(app)?.into_iter().find(|file| file.id == id);
    let found = found.ok_or_else(not_there)?;
    let folder = app.settings.inbox.as_ref().ok_or_else(not_there)?;
    let mut file = open(&folder.join(&found.entry)).map_err(|_| not_there())?;
    let told = file.metadata().map_err(|_| not_there())?;
    if !told.is_file() || id_of(app, &found.entry, &told)? != id {
        return Err(not_there());
    }
    check_length(app, told.len())?;
    let most = app.settings.limits.project_bytes;
    app.store
        .read(|sql| check_quota(sql, project, told.len(), most))?;
    let raw = RawZone::of(app)?;
    raw.check_room(told.len())?;
    let (object, mut writer) = raw.create()?;
    let path = raw.path(object.id);
    let copied = io::copy(&mut file, &mut writer).and_then(|_| writer.finish());
    let entered = copied.map_err(|e| problem(&e)).and_then(|written| {
        // Half of the old and half of the new table are no table.
        let now = file.metadata().map_err(|_| not_there())?;
        if written.bytes != told.len() || id_of(app, &found.entry, &now)? != id {
            return Err(
                Problem::conflict("changed", "the file was changed while it was read")
                    .help("wait until it is whole, then take it again"),
            );
        }
        let arrival = Arrival {
            name: found.name.clone(),
            object,
            written,
        };
        arrival.enter(app, &permit, &call.body.0, |_| Ok(()))
    });
    if entered.is_err() {
        Leftover::of(path).remove(&app.store);
    }
    entered.map(Created)
}

/// Opens a file that is no link.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

/// Opens a file; one that is a link was not listed.
#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}
