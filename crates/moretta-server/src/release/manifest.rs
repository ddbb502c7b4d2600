//! What an officer approves: policy, data, audience, end and the sum of every file, in one text with
//! one hash. Whoever reads a level is given the part of that level, whose sum is in the whole: what
//! is finer is absent.

use super::record::Release;
use super::task::Part;
use crate::clock::Millis;
use crate::db::Sql;
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::secret::hex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The version of the layout.
const FORMAT: &str = "moretta server release 1";

/// All of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    format: String,
    release: Id,
    name: String,
    purpose: String,
    policy: Version,
    data: Version,
    asked_by: Id,
    ends_at: Option<Millis>,
    /// The sum of the ledger of the data set with this release in it.
    ledger_sha256: Option<String>,
    /// Sums of the parts of each level.
    levels: Vec<Sum>,
}

/// A version of a policy or of data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Version {
    id: Id,
    sha256: String,
}

/// The sum of the part of a level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Sum {
    level: u32,
    sha256: String,
}

/// What is told to who reads a level. Its text has its keys in this order and no spaces, and its
/// SHA-256 stands in the log beside the approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OfLevel {
    format: String,
    release: Id,
    name: String,
    purpose: String,
    policy_sha256: String,
    ends_at: Option<Millis>,
    pub(super) level: u32,
    level_name: String,
    rows: u64,
    /// The files.
    pub(super) files: Vec<Listed>,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Listed {
    /// What it is.
    pub(super) part: Part,
    /// What it is called.
    pub(super) name: String,
    /// Its bytes.
    pub(super) bytes: u64,
    /// Their SHA-256.
    pub(super) sha256: String,
}

/// The text of anything here, of which sums are taken.
pub(super) fn text(of: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(of).map_err(|_| Problem::bug("a manifest cannot be written"))
}

/// The SHA-256 of a text.
pub(super) fn sum(text: &[u8]) -> Vec<u8> {
    Sha256::digest(text).to_vec()
}

impl Manifest {
    /// That of a release whose files are recorded.
    pub(super) fn of(sql: &mut dyn Sql, release: &Release) -> Result<Self> {
        let mut levels = Vec::new();
        for level in &release.levels {
            let part = OfLevel::of(sql, release, *level)?;
            levels.push(Sum {
                level: *level,
                sha256: hex(&sum(&text(&part)?)),
            });
        }
        let ledger = match release.ledger {
            Some(object) => Some(object_sum(sql, object)?.1),
            None => None,
        };
        Ok(Manifest {
            format: FORMAT.to_owned(),
            release: release.id,
            name: release.name.clone(),
            purpose: release.purpose.clone(),
            policy: Version {
                id: release.policy,
                sha256: version_sum(sql, "text_versions", release.policy)?,
            },
            data: Version {
                id: release.data,
                sha256: version_sum(sql, "data_versions", release.data)?,
            },
            asked_by: release.asked_by,
            ends_at: release.ends_at,
            ledger_sha256: ledger,
            levels,
        })
    }
}

impl OfLevel {
    /// That of a level.
    pub(super) fn of(sql: &mut dyn Sql, release: &Release, level: u32) -> Result<Self> {
        let row = sql.row(
            "SELECT name, rows FROM release_levels WHERE release_id = $1 AND level = $2",
            values![release.id, i64::from(level)],
        )?;
        let row = row.ok_or_else(|| Problem::not_found("level"))?;
        let mut files = Vec::new();
        for part in Part::ALL {
            let Some(object) = release.part(sql, level, part)? else {
                continue;
            };
            let (bytes, sha256) = object_sum(sql, object)?;
            files.push(Listed {
                part,
                name: part.file(level),
                bytes,
                sha256,
            });
        }
        Ok(OfLevel {
            format: FORMAT.to_owned(),
            release: release.id,
            name: release.name.clone(),
            purpose: release.purpose.clone(),
            policy_sha256: version_sum(sql, "text_versions", release.policy)?,
            ends_at: release.ends_at,
            level,
            level_name: row.text(0)?.to_owned(),
            rows: row.integer(1)? as u64,
            files,
        })
    }
}

/// Whether what was approved, or waits for it, is what the store still records: the manifest has its
/// sum, and the parts of each level have theirs. Of the ledger nothing is asked, since later releases
/// of the data set have taken its place.
pub(super) fn is_recorded(sql: &mut dyn Sql, release: &Release) -> Result<bool> {
    let (Some(written), Some(expected)) = (&release.manifest, &release.manifest_sha256) else {
        return Ok(false);
    };
    if sum(written) != *expected {
        return Ok(false);
    }
    let Ok(manifest) = serde_json::from_slice::<Manifest>(written) else {
        return Ok(false);
    };
    for level in &manifest.levels {
        let now = OfLevel::of(sql, release, level.level)?;
        if hex(&sum(&text(&now)?)) != level.sha256 {
            return Ok(false);
        }
    }
    Ok(true)
}

fn object_sum(sql: &mut dyn Sql, object: Id) -> Result<(u64, String)> {
    let row = sql.row(
        "SELECT bytes, sha256 FROM objects WHERE id = $1",
        values![object],
    )?;
    let row = row.ok_or_else(|| Problem::bug("a file of a release is not recorded"))?;
    Ok((row.integer(0)? as u64, hex(row.bytes(1)?)))
}

fn version_sum(sql: &mut dyn Sql, table: &str, id: Id) -> Result<String> {
    let query = format!("SELECT sha256 FROM {table} WHERE id = $1");
    let row = sql.row(&query, values![id])?;
    let row = row.ok_or_else(|| Problem::bug("a version of a release is not recorded"))?;
    Ok(hex(row.bytes(0)?))
}
