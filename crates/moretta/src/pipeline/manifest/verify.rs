//! Holds a release against its manifest, without source and policy.

use super::{FORMAT, PublicKey, canonical, parse};
use crate::error::{Error, Result};
use crate::io::Files;
use crate::pipeline::sha256;
use serde::Serialize;
use serde_json::Value;
use std::path::Path;

/// What was found of a manifest and its files.
#[derive(Clone, Debug, Serialize)]
pub struct Signed {
    /// Signature and release are right, and no other file that is there is wrong.
    pub passed: bool,
    /// The signature is of what the manifest says.
    pub signature: bool,
    /// The id of the key that has signed.
    pub key_id: String,
    /// It is the key that was asked for; none when none was.
    pub expected_key: Option<bool>,
    /// The program that made the release.
    pub program: String,
    /// The day of the release.
    pub date: String,
    /// Entries of the ledger up to this release, and its last sum; none without a ledger.
    pub ledger: Option<(String, String)>,
    /// The files.
    pub files: Vec<SignedFile>,
    /// What was promised, and whether it was found kept.
    pub promises: Vec<(String, String, bool)>,
}

/// A file of a manifest.
#[derive(Clone, Debug, Serialize)]
pub struct SignedFile {
    /// "release", "report", "matrices" or "hierarchy".
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its bytes are those that were signed; none when it was not found beside the manifest.
    pub same: Option<bool>,
}

/// Checks the signature, the release, and such other files as lie beside the manifest. Of `key`
/// it is asked whether the manifest was signed by it; without one, whoever has changed the
/// release could have signed anew with another key.
///
/// # Errors
/// When a file cannot be read, or the manifest is none.
pub fn verify_manifest(release: &Path, manifest: &Path, key: Option<&PublicKey>) -> Result<Signed> {
    let no_manifest = || {
        Error::guarantee(format!(
            "{} is no manifest, or was changed",
            manifest.display()
        ))
        .help("get it again from where it was published; it must be the same to the byte")
    };
    let bytes = std::fs::read(manifest).map_err(|e| Error::io("read", manifest, e))?;
    let whole = String::from_utf8(bytes).ok();
    let whole = whole
        .and_then(|text| parse(&text))
        .ok_or_else(no_manifest)?;
    let (content, signature) = (&whole["manifest"], &whole["signature"]);
    let signer = PublicKey::parse(text(&content["key"])).ok_or_else(no_manifest)?;
    let known = whole.as_object().is_some_and(|whole| whole.len() == 2);
    if !known || content["format"] != FORMAT || text(&content["key_id"]) != signer.id() {
        return Err(no_manifest());
    }
    let signature = signer.has_signed(&canonical(content)?, text(signature));
    let expected_key = key.map(|key| *key == signer);
    let files = list(&content["files"]);
    let files = files.map(|file| check(file, release, manifest));
    let files = files.collect::<Result<Vec<SignedFile>>>()?;
    let wrong = files.iter().any(|file| file.same == Some(false));
    let is_release = |file: &SignedFile| file.kind == "release" && file.same == Some(true);
    let promises: Vec<(String, String, bool)> = list(&content["promises"])
        .map(|promise| {
            let said = |key: &str| text(&promise[key]).to_owned();
            (said("name"), said("promised"), promise["kept"] == true)
        })
        .collect();
    Ok(Signed {
        passed: signature
            && expected_key != Some(false)
            && !wrong
            && files.iter().any(is_release)
            && promises.iter().all(|(.., kept)| *kept),
        signature,
        key_id: signer.id(),
        expected_key,
        program: text(&content["program"]).to_owned(),
        date: text(&content["date"]).to_owned(),
        ledger: content["ledger"].as_object().map(|ledger| {
            let said = |key: &str| ledger.get(key).map_or("", text).to_owned();
            (said("entries"), said("head"))
        }),
        files,
        promises,
    })
}

fn check(file: &Value, release: &Path, manifest: &Path) -> Result<SignedFile> {
    let (kind, name) = (text(&file["kind"]), text(&file["name"]));
    let beside = manifest.with_file_name(Path::new(name).file_name().unwrap_or_default());
    let path = if kind == "release" { release } else { &beside };
    let same = match kind == "release" || path.is_file() {
        true => Some(sha256::of_file(path, &Files::default())?.0 == text(&file["sha256"])),
        false => None,
    };
    Ok(SignedFile {
        kind: kind.to_owned(),
        name: name.to_owned(),
        same,
    })
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::super::{PrivateKey, signed};
    use super::*;
    use serde_json::json;

    /// A release, a report beside it, and a manifest of both.
    fn published(key: &PrivateKey) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        std::fs::write(place("release.csv"), "age\n1..2\n").expect("written");
        std::fs::write(place("report.html"), "<p>").expect("written");
        let sum = |name: &str| {
            sha256::of_file(&place(name), &Files::default())
                .expect("read")
                .0
        };
        let content = json!({
            "format": FORMAT,
            "program": "moretta",
            "date": "2026-03-01",
            "files": [
                { "kind": "release", "name": "release.csv", "sha256": sum("release.csv") },
                { "kind": "report", "name": "report.html", "sha256": sum("report.html") },
                { "kind": "hierarchy", "name": "zip.csv", "sha256": "00" },
            ],
            "promises": [{ "name": "k-anonymity", "promised": "at least 5", "kept": true }],
            "key": key.public().to_string(),
            "key_id": key.public().id(),
        });
        let text = signed(&content, key).expect("signed");
        std::fs::write(place("manifest.json"), text).expect("written");
        folder
    }

    fn verified(folder: &Path, key: Option<&PublicKey>) -> Result<Signed> {
        let (release, manifest) = (folder.join("release.csv"), folder.join("manifest.json"));
        verify_manifest(&release, &manifest, key)
    }

    #[test]
    fn what_was_signed_passes_and_nothing_else() {
        let (key, other) = (PrivateKey::random(), PrivateKey::random());
        let (key, other) = (key.expect("a key"), other.expect("a key"));
        let folder = published(&key);
        let path = folder.path();
        let found = verified(path, Some(&key.public())).expect("a manifest");
        assert!(found.passed && found.signature, "{found:?}");
        let same: Vec<Option<bool>> = found.files.iter().map(|file| file.same).collect();
        assert_eq!(same, [Some(true), Some(true), None]);
        let by_other = verified(path, Some(&other.public())).expect("a manifest");
        assert_eq!(
            (by_other.passed, by_other.expected_key),
            (false, Some(false))
        );
        std::fs::write(path.join("report.html"), "<p>!").expect("written");
        assert!(!verified(path, None).expect("a manifest").passed);
        std::fs::remove_file(path.join("report.html")).expect("removed");
        assert!(verified(path, None).expect("a manifest").passed);
        std::fs::write(path.join("release.csv"), "age\n1..3\n").expect("written");
        assert!(!verified(path, None).expect("a manifest").passed);
    }

    #[test]
    fn every_byte_of_a_manifest_counts() {
        let key = PrivateKey::random().expect("a key");
        let folder = published(&key);
        let path = folder.path().join("manifest.json");
        let whole = std::fs::read(&path).expect("read");
        let passes = |bytes: &[u8]| {
            std::fs::write(&path, bytes).expect("written");
            verified(folder.path(), Some(&key.public())).is_ok_and(|found| found.passed)
        };
        assert!(passes(&whole));
        for place in 0..whole.len() {
            let mut changed = whole.clone();
            changed[place] ^= 1;
            assert!(!passes(&changed), "a changed byte {place}");
            assert!(!passes(&whole[..place]), "cut at {place}");
            let mut longer = whole.clone();
            longer.insert(place, b' ');
            assert!(!passes(&longer), "a space at {place}");
        }
    }

    #[test]
    fn a_broken_promise_does_not_pass_though_it_is_signed() {
        let key = PrivateKey::random().expect("a key");
        let folder = published(&key);
        let path = folder.path().join("manifest.json");
        let text = std::fs::read_to_string(&path).expect("read");
        let mut whole = parse(&text).expect("a manifest");
        whole["manifest"]["promises"][0]["kept"] = false.into();
        let text = signed(&whole["manifest"], &key).expect("signed");
        std::fs::write(&path, text).expect("written");
        let found = verified(folder.path(), Some(&key.public())).expect("a manifest");
        assert!(found.signature && !found.passed);
    }
}
