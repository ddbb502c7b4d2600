//! The manifest of a release: what was published, what was promised of it, by whom it is signed.
//!
//! A small JSON file that anybody checks who has the release and the public key, without
//! source and policy. It holds sums of files, the columns with roles and treatments, the promises
//! and that they were found kept, and the program; no value of the data, no count finer than a
//! promise, no key and no seed. What was found is told as the promise itself: a release is
//! only signed when it keeps its promises, and "k = 7 where 5 was promised" is nobody's business.

mod canonical;
mod signing;
mod verify;

pub(crate) use canonical::{canonical, parse};
pub use signing::{PrivateKey, PublicKey};
pub use verify::{Signed, SignedFile, verify_manifest};

use super::place::Pending;
use super::sha256;
use crate::data::hierarchy::HierarchySpec;
use crate::engine::report::Report;
use crate::error::{Error, Result};
use crate::policy::{ManifestPolicy, Policy};
use serde_json::{Map, Value, json};
use std::path::Path;

/// The version of the layout.
const FORMAT: &str = "moretta manifest 1";

/// What a manifest is about.
pub(super) struct About<'a> {
    pub(super) policy: &'a Policy,
    pub(super) report: &'a Report,
    /// The day of the run.
    pub(super) date: Option<&'a str>,
    /// The reports, which are written aside.
    pub(super) reports: &'a [Pending],
    /// The transition matrices, where they are published, written aside.
    pub(super) matrices: Option<&'a Pending>,
    /// How long the ledger is with this release, and its last sum; none without a ledger.
    pub(super) ledger: Option<(u64, String)>,
}

/// Writes the manifest aside.
pub(super) fn write(place: &ManifestPolicy, about: &About<'_>) -> Result<Pending> {
    let key = about.policy.load_text(&place.key);
    let key = key.and_then(|text| PrivateKey::of_text(&text));
    let key = key.map_err(|e| e.at(place.span.clone()))?;
    let pending = Pending::new(&place.path, &about.policy.files)?;
    pending.write(signed(&content(about, &key)?, &key)?.as_bytes())?;
    Ok(pending)
}

/// The text of a manifest with its signature.
fn signed(content: &Value, key: &PrivateKey) -> Result<String> {
    let signature = key.sign(&canonical(content)?);
    let whole = json!({ "manifest": content, "signature": signature });
    Ok(canonical(&whole)? + "\n")
}

fn content(about: &About<'_>, key: &PrivateKey) -> Result<Value> {
    let About { policy, report, .. } = about;
    let release = report.sink.as_ref().and_then(|sink| sink.sha256.clone());
    let release = release.ok_or_else(|| {
        Error::policy("a manifest needs a release that is a file")
            .help("give [sink] a path, or take [manifest] out")
    })?;
    let sink = policy.sink.as_ref().map(|sink| sink.path.as_path());
    let mut files = vec![file("release", sink.unwrap_or(Path::new("")), &release)];
    for pending in about.reports {
        let (sum, _) = sha256::of_file(pending.temporary(), &policy.files)?;
        files.push(file("report", pending.place(), &sum));
    }
    if let Some(pending) = about.matrices {
        let (sum, _) = sha256::of_file(pending.temporary(), &policy.files)?;
        files.push(file("matrices", pending.place(), &sum));
    }
    for column in &policy.plan.columns {
        match &column.hierarchy {
            Some(HierarchySpec::File(path)) => {
                let (sum, _) = sha256::of_file(path, &policy.files)?;
                files.push(file("hierarchy", path, &sum));
            }
            // Read with the policy.
            Some(HierarchySpec::Table(table)) => {
                let sum = sha256::of_text(&table.text);
                files.push(file("hierarchy", &table.name, &sum));
            }
            _ => {}
        }
    }
    let day = about.date.unwrap_or_default();
    let public = key.public();
    let mut content = json!({
        "format": FORMAT,
        "program": report.program,
        "release": release_id(&release, &report.policy_sha256, day),
        "name": policy.name,
        "date": day,
        "files": files,
        "policy_sha256": report.policy_sha256,
        "columns": columns(report),
        "promises": promises(report),
        "key": public.to_string(),
        "key_id": public.id(),
    });
    if let (Some(level), Some(content)) = (&policy.level, content.as_object_mut()) {
        content.insert("level".to_owned(), level.clone().into());
    }
    if let (Some(seed), Some(content)) = (policy.plan.seed, content.as_object_mut()) {
        let commitment = key.commitment("seed", &seed.to_string());
        content.insert("seed_commitment".to_owned(), commitment.into());
    }
    if let (Some((count, head)), Some(content)) = (&about.ledger, content.as_object_mut()) {
        let head = json!({ "entries": count.to_string(), "head": head });
        content.insert("ledger".to_owned(), head);
    }
    Ok(content)
}

/// What a release of a day is called, by the sums of its file and of its policy.
pub(super) fn release_id(release: &str, policy: &str, day: &str) -> String {
    let mut id = sha256::of_text(&format!("{release}\n{policy}\n{day}"));
    id.truncate(32);
    id
}

/// A file by its name alone: where it lies is nobody's business.
fn file(kind: &str, path: &Path, sum: &str) -> Value {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    json!({ "kind": kind, "name": name, "sha256": sum })
}

fn columns(report: &Report) -> Vec<Value> {
    let columns = report.columns.iter();
    columns
        .map(|c| json!({ "name": c.name, "role": c.role, "treatment": c.treatment }))
        .collect()
}

/// What was promised, and whether it was found; nothing finer.
fn promises(report: &Report) -> Vec<Value> {
    let claims = report.verdict.claims.iter();
    claims
        .map(|claim| {
            let mut told = Map::new();
            told.insert("name".to_owned(), claim.name.clone().into());
            told.insert("promised".to_owned(), claim.promised.clone().into());
            told.insert("kept".to_owned(), claim.holds.into());
            Value::Object(told)
        })
        .collect()
}
