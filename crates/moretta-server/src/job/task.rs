//! What a worker is told: the policy with its places, sealed inputs with their keys, hierarchies and
//! secrets. Nothing of it is written to a disk.

use super::kind::Kind;
use super::protocol::{LEDGER_KEY, Sealed, Task, Text};
use super::queue::Claimed;
use crate::app::App;
use crate::data::DataVersion;
use crate::db::Sql;
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::release::{Again, LEDGER, Options};
use crate::seal::{Sealer, ZoneKeys};
use crate::secret::hex;
use crate::text::{
    Composed, Places, Policy, TextVersion, compose, hierarchies_for, secret_context,
};
use crate::zone::{Placed, RawZone, ReleaseZone};
use std::path::PathBuf;

/// What a child may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    /// Bytes of memory.
    pub(super) memory: u64,
    /// Threads.
    pub(super) threads: usize,
}

/// A task, and how places in its policy are told to people.
pub(super) struct Composition {
    pub(super) task: Task,
    /// The policy as people wrote it, and with its places.
    pub(super) policy: Option<(String, Composed)>,
}

/// Everything that a worker needs for a job.
///
/// # Errors
/// When the data are deleted, the policy names places, or the store or the keys cannot be read.
pub(super) fn compose_task(
    app: &App,
    job: &Claimed,
    folder: PathBuf,
    share: Share,
) -> Result<Composition> {
    app.store.read(|sql| {
        let mut task = Task {
            job: job.id,
            kind: job.kind,
            policy: String::new(),
            options: job.spec.options.clone(),
            inputs: Vec::new(),
            texts: Vec::new(),
            folder: folder.clone(),
            secrets: Vec::new(),
            date: crate::clock::date(app.clock.now()),
            memory: share.memory,
            threads: share.threads,
        };
        let again = match (job.kind, job.spec.release) {
            (Kind::Verify, Some(release)) => {
                Some(crate::release::again(app, sql, job.project, release)?)
            }
            _ => None,
        };
        let source = match (job.spec.data, &again) {
            (Some(version), _) => {
                let data = data(app, sql, job.project, version)?;
                let name = data.name.clone();
                task.inputs.push(data);
                Some(name)
            }
            (None, Some(again)) => Some(add_released(app, sql, job.project, again, &mut task)?),
            (None, None) => None,
        };
        let policy = again.as_ref().map(|again| again.policy);
        let saved = match job.spec.policy.or(policy) {
            Some(id) => Some(TextVersion::find::<Policy>(app, sql, job.project, id)?),
            None => None,
        };
        let written = saved.as_ref().map(|saved| saved.content.clone());
        let policy = match (written.or_else(|| job.spec.text.clone()), source) {
            (Some(written), Some(source)) => {
                let composed = compose(&written, &places(job.kind, source))?;
                task.policy = composed.text.clone();
                let found = hierarchies_for(app, sql, job.project, &written, saved.as_ref())?;
                let text = |(name, content)| Text { name, content };
                task.texts = found.into_iter().map(text).collect();
                task.secrets = opened_secrets(app, sql, job.project, &written)?;
                if let (Kind::Release, Some(version)) = (job.kind, job.spec.data) {
                    add_ledger(app, sql, version, &mut task)?;
                }
                Some((written, composed))
            }
            _ => None,
        };
        Ok(Composition { task, policy })
    })
}

fn places(kind: Kind, source: String) -> Places {
    let releases = matches!(kind, Kind::Release | Kind::Verify);
    Places {
        source,
        sink: releases.then(|| "release.csv".to_owned()),
        report: releases.then(|| "report.html".to_owned()),
        // The worker enters what a ledger can follow: streams and rows without names have none.
        ledger: None,
    }
}

/// The files of a release that is verified, and the data that it was made of, where they were not
/// deleted meanwhile. Gives the name of the data.
fn add_released(
    app: &App,
    sql: &mut dyn Sql,
    project: Id,
    again: &Again,
    task: &mut Task,
) -> Result<String> {
    let options = serde_json::to_value(&again.options);
    task.options = options.map_err(|_| Problem::bug("options cannot be written"))?;
    for (name, placed) in &again.files {
        task.inputs.push(sealed(name.clone(), placed.clone()));
    }
    let version = DataVersion::find(sql, project, again.data)?;
    if version.object.is_some() {
        task.inputs.push(data(app, sql, project, again.data)?);
    }
    Ok(version.place)
}

/// The file of a version of data, by a name whose ending tells its format.
fn data(app: &App, sql: &mut dyn Sql, project: Id, version: Id) -> Result<Sealed> {
    let version = DataVersion::find(sql, project, version)?;
    let placed = RawZone::of(app)?.place(sql, version.object()?)?;
    Ok(sealed(version.place, placed))
}

fn sealed(name: String, placed: Placed) -> Sealed {
    Sealed {
        name,
        object: placed.object.id,
        key: placed.object.digits().to_string(),
        path: placed.path,
        bytes: placed.bytes,
    }
}

/// The ledger of the data set as it was when the release was asked for, and its key, which follows
/// from the keys of the server.
fn add_ledger(app: &App, sql: &mut dyn Sql, version: Id, task: &mut Task) -> Result<()> {
    let query = "SELECT dataset_id FROM data_versions WHERE id = $1";
    let row = sql.row(query, values![version])?;
    let row = row.ok_or_else(|| Problem::not_found("data"))?;
    let key = ZoneKeys::of(&app.settings)?
        .secrets
        .sum("ledger", row.id(0)?.bytes());
    task.secrets.push((LEDGER_KEY.to_owned(), hex(&key)));
    let options = serde_json::from_value::<Options>(task.options.clone())
        .map_err(|_| Problem::bug("options of a release cannot be read"))?;
    let Some(object) = options.ledger else {
        return Ok(());
    };
    let placed = ReleaseZone::of(app)?.place(sql, object);
    let placed = placed.map_err(|problem| match problem.status {
        404 => Problem::conflict("overtaken", "another release of these data was published")
            .help("run this one again, so that it is held against that one too"),
        _ => problem,
    })?;
    task.inputs.push(sealed(LEDGER.to_owned(), placed));
    Ok(())
}

fn text_of(bytes: &[u8]) -> Result<String> {
    String::from_utf8(bytes.to_vec()).map_err(|_| Problem::bug("a text of the store is no text"))
}

/// The secrets that a policy names as `secret:NAME`.
pub(crate) fn opened_secrets(
    app: &App,
    sql: &mut dyn Sql,
    project: Id,
    policy: &str,
) -> Result<Vec<(String, String)>> {
    let query = "SELECT name, sealed FROM secrets WHERE project_id = $1 ORDER BY name";
    let rows = sql.query(query, values![project])?;
    let mut secrets = Vec::new();
    for row in rows {
        let name = row.text(0)?;
        if policy.contains(&format!("secret:{name}")) {
            let opened = Sealer::of(app)?.open(&secret_context(project, name), row.bytes(1)?)?;
            secrets.push((name.to_owned(), text_of(&opened)?));
        }
    }
    Ok(secrets)
}
