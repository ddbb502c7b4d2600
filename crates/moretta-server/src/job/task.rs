//! What a worker is told: the policy with its places, sealed inputs with their keys, hierarchies and
//! secrets. Nothing of it is written to a disk.

use super::kind::Kind;
use super::protocol::{Sealed, Task, Text};
use super::queue::Claimed;
use crate::app::App;
use crate::data::DataVersion;
use crate::db::Sql;
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::seal::Sealer;
use crate::text::{
    Composed, Places, Policy, TextVersion, compose, hierarchies_for, secret_context,
};
use crate::zone::RawZone;
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
        let source = match job.spec.data {
            Some(version) => {
                let data = data(app, sql, job.project, version)?;
                let name = data.name.clone();
                task.inputs.push(data);
                Some(name)
            }
            None => None,
        };
        let saved = match job.spec.policy {
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
                task.secrets = secrets(app, sql, job.project, &written)?;
                Some((written, composed))
            }
            _ => None,
        };
        Ok(Composition { task, policy })
    })
}

fn places(kind: Kind, source: String) -> Places {
    let releases = kind == Kind::Release;
    Places {
        source,
        sink: releases.then(|| "release.csv".to_owned()),
        report: releases.then(|| "report.html".to_owned()),
        ledger: releases.then(|| "ledger".to_owned()),
    }
}

/// The file of a version of data, by a name whose ending tells its format.
fn data(app: &App, sql: &mut dyn Sql, project: Id, version: Id) -> Result<Sealed> {
    let version = DataVersion::find(sql, project, version)?;
    let placed = RawZone::of(app)?.place(sql, version.object()?)?;
    Ok(Sealed {
        name: version.place,
        object: placed.object.id,
        key: placed.object.digits().to_string(),
        path: placed.path,
        bytes: placed.bytes,
    })
}

fn text_of(bytes: &[u8]) -> Result<String> {
    String::from_utf8(bytes.to_vec()).map_err(|_| Problem::bug("a text of the store is no text"))
}

/// The secrets that a policy names as `secret:NAME`.
fn secrets(
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
