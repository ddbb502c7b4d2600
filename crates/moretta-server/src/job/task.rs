//! What a worker is told: the policy with its places, sealed inputs with their keys, hierarchies and
//! secrets. Nothing of it is written to a disk.

use super::kind::Kind;
use super::protocol::{Sealed, Task, Text};
use super::queue::Claimed;
use crate::app::App;
use crate::db::Sql;
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::seal::{Key, Sealer, ZoneKeys};
use crate::text::{Composed, Places, compose};
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

/// What a secret of a project is sealed for.
pub fn secret_context(project: Id, name: &str) -> String {
    format!("secret {project} {name}")
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
    let keys = ZoneKeys::of(&app.settings)?;
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
                let data = data(app, sql, &keys, job.project, version)?;
                let name = data.name.clone();
                task.inputs.push(data);
                Some(name)
            }
            None => None,
        };
        let policy = match (policy(sql, job)?, source) {
            (Some(written), Some(source)) => {
                let composed = compose(&written, &places(job.kind, source))?;
                task.policy = composed.text.clone();
                task.texts = hierarchies(sql, job.project)?;
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
fn data(app: &App, sql: &mut dyn Sql, keys: &ZoneKeys, project: Id, version: Id) -> Result<Sealed> {
    let row = sql.row(
        "SELECT v.file_name, v.object_id FROM data_versions v JOIN datasets d ON d.id = v.dataset_id \
         WHERE v.id = $1 AND d.project_id = $2",
        values![version, project],
    )?;
    let row = row.ok_or_else(|| Problem::not_found("data"))?;
    let object = row.maybe_id(1)?.ok_or_else(|| {
        Problem::conflict("deleted", "these data were deleted").help("take another version")
    })?;
    let name = format!("data{}", ending(row.text(0)?));
    sealed(app, sql, keys, object, name)
}

/// The endings of a name that tell the format, such as `.csv.gz`.
fn ending(name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or_default();
    let endings = last.find('.').map_or("", |at| &last[at..]);
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'.';
    match endings.len() <= 16 && endings.bytes().all(plain) {
        true => endings.to_ascii_lowercase(),
        false => String::new(),
    }
}

/// A sealed file and what opens it.
fn sealed(
    app: &App,
    sql: &mut dyn Sql,
    keys: &ZoneKeys,
    object: Id,
    name: String,
) -> Result<Sealed> {
    let row = sql.row(
        "SELECT zone, wrapped_key, bytes FROM objects WHERE id = $1",
        values![object],
    )?;
    let row = row.ok_or_else(|| Problem::not_found("object"))?;
    let zone = row.text(0)?;
    let key: &Key = match zone {
        "raw" => &keys.raw,
        "staging" => &keys.staging,
        "release" => &keys.release,
        _ => return Err(Problem::bug("an object is in no zone")),
    };
    let key = key.unwrap(zone, object, row.bytes(1)?);
    let key = key.ok_or_else(crate::seal::damaged)?;
    Ok(Sealed {
        name,
        object,
        path: app.settings.data.join(zone).join(object.to_string()),
        key: key.digits().to_string(),
        bytes: u64::try_from(row.integer(2)?).unwrap_or_default(),
    })
}

/// The policy as people wrote it.
fn policy(sql: &mut dyn Sql, job: &Claimed) -> Result<Option<String>> {
    let Some(version) = job.spec.policy else {
        return Ok(job.spec.text.clone());
    };
    let row = sql.row(
        "SELECT v.content FROM text_versions v JOIN texts t ON t.id = v.text_id \
         WHERE v.id = $1 AND t.project_id = $2 AND t.kind = 'policy'",
        values![version, job.project],
    )?;
    let row = row.ok_or_else(|| Problem::not_found("policy"))?;
    Ok(Some(text_of(row.bytes(0)?)?))
}

/// The last version of each hierarchy of a project.
fn hierarchies(sql: &mut dyn Sql, project: Id) -> Result<Vec<Text>> {
    let rows = sql.query(
        "SELECT t.name, v.content FROM texts t JOIN text_versions v ON v.text_id = t.id \
         WHERE t.project_id = $1 AND t.kind = 'hierarchy' \
         AND v.number = (SELECT MAX(w.number) FROM text_versions w WHERE w.text_id = t.id) ORDER BY t.name",
        values![project],
    )?;
    let text = |row: &crate::db::Row| {
        Ok(Text {
            name: row.text(0)?.to_owned(),
            content: text_of(row.bytes(1)?)?,
        })
    };
    rows.iter().map(text).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_of_a_name_is_all_that_is_taken_of_it() {
        for (name, expected) in [
            ("march.csv", ".csv"),
            ("March.CSV.gz", ".csv.gz"),
            ("../../etc/passwd", ""),
            ("a.b/../c.csv", ".csv"),
            ("x.\"\n[sink]", ""),
            ("none", ""),
            ("x.aaaaaaaaaaaaaaaaaaaaaaaa", ""),
        ] {
            assert_eq!(ending(name), expected, "{name}");
        }
    }
}
