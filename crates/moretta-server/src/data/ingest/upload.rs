//! Uploads that resume: parts come at their offsets, sealed as they come.
//!
//! What was answered is on disk: a server that is killed loses the part that it had not answered
//! yet, and who uploads asks how far it is and goes on from there. Two who send the same upload at
//! once cannot mix: the file is locked from the look at the offset to the note of the new one.

use super::arrival::{Arrival, Target};
use crate::app::App;
use crate::audit::Entry;
use crate::clock::{DAY, Millis};
use crate::data::file_kind::FileKind;
use crate::data::version::DataVersion;
use crate::db::{Row, Sql, Value};
use crate::http::{Call, Created, Done, Json, Nothing, Octets, Route, delete, get, patch, post};
use crate::id::Id;
use crate::name::Name;
use crate::problem::{Problem, Result};
use crate::rights::{Permit, Upload as UploadRight};
use crate::seal::{Paused, problem};
use crate::zone::{Leftover, RawZone, check_quota};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io::Write;

/// How many uploads of a project may be under way.
const MOST: i64 = 100;
/// How long an upload may take.
const WEEK: Millis = 7 * DAY;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "/projects/{project}/uploads",
            "Uploads that are under way",
            list,
        ),
        post("/projects/{project}/uploads", "Begins an upload", begin),
        get(
            "/projects/{project}/uploads/{upload}",
            "How far an upload is",
            show,
        ),
        patch(
            "/projects/{project}/uploads/{upload}",
            "Takes the bytes from an offset on, up to 8 MiB at a time",
            receive,
        ),
        post(
            "/projects/{project}/uploads/{upload}/finish",
            "Makes a version of a data set of an upload",
            finish,
        ),
        delete(
            "/projects/{project}/uploads/{upload}",
            "Gives an upload up",
            abandon,
        ),
    ]
}

/// An upload that is under way.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Upload {
    /// Its id.
    id: Id,
    /// The name of the file.
    name: String,
    /// How many bytes the file has, where that was said.
    bytes: Option<i64>,
    /// How many of them are here: the offset of the next part.
    received: i64,
    /// Who uploads it.
    user: Id,
    /// When it began.
    made_at: Millis,
    #[serde(skip)]
    object: Id,
    #[serde(skip)]
    wrapped: Vec<u8>,
    #[serde(skip)]
    rest: Vec<u8>,
}

const COLUMNS: &str = "id, name, bytes, received, user_id, made_at, object_id, wrapped_key, rest";

impl Upload {
    fn read(row: &Row) -> Result<Self> {
        Ok(Upload {
            id: row.id(0)?,
            name: row.text(1)?.to_owned(),
            bytes: row.maybe_integer(2)?,
            received: row.integer(3)?,
            user: row.id(4)?,
            made_at: row.integer(5)?,
            object: row.id(6)?,
            wrapped: row.bytes(7)?.to_vec(),
            rest: row.bytes(8)?.to_vec(),
        })
    }

    fn find(sql: &mut dyn Sql, project: Id, id: Id) -> Result<Self> {
        let select = format!("SELECT {COLUMNS} FROM uploads WHERE id = $1 AND project_id = $2");
        let row = sql.row(&select, values![id, project])?;
        Upload::read(&row.ok_or_else(|| Problem::not_found("upload"))?)
    }

    fn paused(&self) -> Paused {
        Paused {
            bytes: self.received as u64,
            rest: self.rest.clone(),
        }
    }
}

fn list(
    app: &App,
    permit: Permit<UploadRight>,
    _: Call<Nothing, Nothing>,
) -> Result<Json<Vec<Upload>>> {
    let project = permit.project()?;
    let select =
        format!("SELECT {COLUMNS} FROM uploads WHERE project_id = $1 ORDER BY made_at, id");
    let rows = app.store.read(|sql| sql.query(&select, values![project]))?;
    rows.iter()
        .map(Upload::read)
        .collect::<Result<_>>()
        .map(Json)
}

fn show(
    app: &App,
    permit: Permit<UploadRight>,
    call: Call<Nothing, Nothing>,
) -> Result<Json<Upload>> {
    let (project, id) = (permit.project()?, call.id("upload")?);
    app.store
        .read(|sql| Upload::find(sql, project, id))
        .map(Json)
}

/// A new upload.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewUpload {
    /// The name of the file, whose ending tells its format. It is shown, and never a path.
    name: Name,
    /// How many bytes it has, where that is known.
    bytes: Option<u64>,
}

fn begin(
    app: &App,
    permit: Permit<UploadRight>,
    call: Call<Nothing, Json<NewUpload>>,
) -> Result<Created<Upload>> {
    let (project, new) = (permit.project()?, call.body.0);
    FileKind::of(new.name.text())?;
    let bytes = new.bytes.unwrap_or(0);
    check_length(app, bytes)?;
    let raw = RawZone::of(app)?;
    raw.check_room(bytes)?;
    let (object, writer) = raw.create()?;
    let paused = writer.pause().map_err(|e| problem(&e))?;
    let upload = Upload {
        id: Id::random(),
        name: new.name.text().to_owned(),
        bytes: new.bytes.map(|bytes| bytes as i64),
        received: 0,
        user: permit.user()?,
        made_at: permit.at(),
        object: object.id,
        wrapped: raw.wrapped(&object),
        rest: paused.rest,
    };
    let begun = app.store.act(|act| {
        crate::project::check_open(&mut **act, project)?;
        check_quota(
            &mut **act,
            project,
            bytes,
            app.settings.limits.project_bytes,
        )?;
        let count = "SELECT count(*) FROM uploads WHERE project_id = $1";
        if act.number(count, values![project])? >= MOST {
            let what = format!("{MOST} uploads of the project are under way");
            return Err(Problem::conflict("uploads", what).help("finish some, or give them up"));
        }
        insert(&mut **act, project, &upload)?;
        let mut entry = permit.entry("upload.begin");
        entry.subject = Some(upload.id);
        act.log(&entry)
    });
    if let Err(refused) = begun {
        Leftover::of(raw.path(object.id)).remove(&app.store);
        return Err(refused);
    }
    Ok(Created(upload))
}

fn insert(sql: &mut dyn Sql, project: Id, upload: &Upload) -> Result<()> {
    let insert = "INSERT INTO uploads (id, project_id, user_id, name, object_id, wrapped_key, bytes, received, rest, made_at) \
                  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    let cells = [
        Value::from(upload.id),
        Value::from(project),
        Value::from(upload.user),
        Value::from(&upload.name),
        Value::from(upload.object),
        Value::from(&upload.wrapped[..]),
        Value::from(upload.bytes),
        Value::from(upload.received),
        Value::from(&upload.rest[..]),
        Value::from(upload.made_at),
    ];
    sql.execute(insert, &cells).map(drop)
}

pub(super) fn check_length(app: &App, bytes: u64) -> Result<()> {
    let most = app.settings.limits.file_bytes;
    match bytes > most {
        true => Err(Problem::new(
            413,
            "file-too-long",
            format!("a file has at most {most} bytes"),
        )
        .help("pack it, or upload it in several data sets")),
        false => Ok(()),
    }
}

/// Where a part begins.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct At {
    /// How many bytes of the file come before it.
    offset: u64,
}

fn receive(app: &App, permit: Permit<UploadRight>, call: Call<At, Octets>) -> Result<Json<Upload>> {
    let (project, id) = (permit.project()?, call.id("upload")?);
    let (offset, part) = (call.query.offset, &call.body.0);
    let raw = RawZone::of(app)?;
    let found = app.store.read(|sql| Upload::find(sql, project, id))?;
    let file = raw.lock(found.object)?;
    let mut upload = app.store.read(|sql| Upload::find(sql, project, id))?;
    let (received, more) = (upload.received as u64, part.len() as u64);
    if offset != received {
        let what = format!("the upload is at byte {received}");
        return Err(Problem::conflict("offset", what).help("go on from there"));
    }
    check_length(app, received.saturating_add(more))?;
    if upload
        .bytes
        .is_some_and(|bytes| received + more > bytes as u64)
    {
        return Err(Problem::unusable("the file would be longer than was said"));
    }
    raw.check_room(more)?;
    let most = app.settings.limits.project_bytes;
    app.store
        .read(|sql| check_quota(sql, project, more, most))?;
    let object = raw.unwrapped(upload.object, &upload.wrapped)?;
    let mut writer = raw.resume(file.handle()?, &object, &upload.paused())?;
    let paused = writer.write_all(part).and_then(|()| writer.pause());
    let paused = paused.map_err(|e| problem(&e))?;
    app.store.act(|act| {
        act.execute_one(
            "UPDATE uploads SET received = $1, rest = $2 WHERE id = $3 AND received = $4",
            values![paused.bytes as i64, &paused.rest[..], id, received as i64],
        )
    })?;
    // Until the new offset is noted nobody else sends.
    drop(file);
    upload.received = paused.bytes as i64;
    Ok(Json(upload))
}

/// What an upload becomes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Finish {
    /// The SHA-256 of the whole file, to be compared with what has arrived.
    sha256: Option<String>,
    /// The data set of which it is a version.
    into: Target,
}

fn finish(
    app: &App,
    permit: Permit<UploadRight>,
    call: Call<Nothing, Json<Finish>>,
) -> Result<Created<DataVersion>> {
    let (project, id) = (permit.project()?, call.id("upload")?);
    let raw = RawZone::of(app)?;
    let found = app.store.read(|sql| Upload::find(sql, project, id))?;
    let file = raw.lock(found.object)?;
    let upload = app.store.read(|sql| Upload::find(sql, project, id))?;
    if upload.bytes.is_some_and(|bytes| bytes != upload.received) {
        let what = format!("only {} bytes of the file have arrived", upload.received);
        return Err(Problem::conflict("incomplete", what).help("send the rest"));
    }
    let object = raw.unwrapped(upload.object, &upload.wrapped)?;
    let written = raw
        .resume(file.handle()?, &object, &upload.paused())?
        .finish();
    let arrival = Arrival {
        name: upload.name.clone(),
        object,
        written: written.map_err(|e| problem(&e))?,
    };
    let body = &call.body.0;
    if body
        .sha256
        .as_ref()
        .is_some_and(|sum| *sum != crate::secret::hex(&arrival.written.sha256))
    {
        return Err(
            Problem::unusable("what has arrived has another SHA-256 than was said")
                .help("give the upload up and send the file again"),
        );
    }
    arrival
        .enter(app, &permit, &body.into, |sql| {
            sql.execute_one("DELETE FROM uploads WHERE id = $1", values![id])
        })
        .map(Created)
}

/// Gives up uploads that began a week ago: nobody knows of what they hold. Gives their number.
pub(in crate::data) fn give_up_old(app: &App) -> Result<u64> {
    let at = app.clock.now();
    let old = "SELECT id, project_id, object_id FROM uploads WHERE made_at <= $1";
    let rows = app.store.read(|sql| sql.query(old, values![at - WEEK]))?;
    let raw = RawZone::of(app)?;
    for row in &rows {
        let (id, project) = (row.id(0)?, row.id(1)?);
        app.store.act(|act| {
            act.execute("DELETE FROM uploads WHERE id = $1", values![id])?;
            act.log(&Entry {
                at,
                act: "upload.abandon",
                project: Some(project),
                subject: Some(id),
                ..Entry::default()
            })
        })?;
        Leftover::of(raw.path(row.id(2)?)).remove(&app.store);
    }
    Ok(rows.len() as u64)
}

fn abandon(app: &App, permit: Permit<UploadRight>, call: Call<Nothing, Nothing>) -> Result<Done> {
    let (project, id) = (permit.project()?, call.id("upload")?);
    let raw = RawZone::of(app)?;
    let upload = app.store.act(|act| {
        let upload = Upload::find(&mut **act, project, id)?;
        act.execute_one("DELETE FROM uploads WHERE id = $1", values![id])?;
        let mut entry = permit.entry("upload.abandon");
        entry.subject = Some(id);
        act.log(&entry)?;
        Ok(upload)
    })?;
    Leftover::of(raw.path(upload.object)).remove(&app.store);
    Ok(Done)
}
