//! How far a search is, beside the release that it will make: what it draws from, the steps that
//! changed something, and no cell.
//!
//! **Protects against** losing a search that was stopped: the start is made again, the steps are
//! done again, and it goes on as if nothing had happened.
//! **Does not protect against** somebody who has it and the release: the seed tells which cells the
//! last steps have changed. So only its owner can read it, and it is removed with the release in
//! place, or, where one of a front was picked, with the next one that is released without a pick.

use super::cells::Cells;
use crate::error::Result;
use crate::io::Files;
use crate::optimize::evolution::Saved;
use crate::pipeline::bound::Bound;
use crate::pipeline::{sealed, sha256};
use crate::policy::Policy;
use crate::protect::identifiers::Key;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The layout of the file.
const VERSION: u32 = 1;

/// How to begin anew.
const AGAIN: &str = "--restart begins the search anew";

/// How far a search is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    version: u32,
    policy_sha256: String,
    bound: Bound,
    /// All cells of the originals, under a key that follows from the seed.
    cells: String,
    /// What is drawn from.
    pub(super) seed: u64,
    /// Milliseconds that it took so far.
    pub(super) milliseconds: u64,
    /// Why it has ended, if it has.
    pub(super) ended: Option<String>,
    /// The steps; none before the first.
    pub(super) saved: Option<Saved>,
}

/// The place of the checkpoint of a release.
pub(super) fn place(release: &Path) -> PathBuf {
    let mut name = release.file_name().unwrap_or_default().to_owned();
    name.push(".evolve");
    release.with_file_name(name)
}

impl Checkpoint {
    /// That of a search that begins.
    pub(super) fn start(policy: &Policy, cells: &Cells, seed: u64) -> Result<Self> {
        Ok(Checkpoint {
            version: VERSION,
            policy_sha256: sha256::of_text(&policy.text),
            bound: Bound::now(policy)?,
            cells: print(cells, seed),
            seed,
            milliseconds: 0,
            ended: None,
            saved: None,
        })
    }

    /// Reads the checkpoint of this policy, if there is one.
    ///
    /// # Errors
    /// When it is damaged or of another policy or source.
    pub(super) fn load(path: &Path, policy: &Policy, cells: &Cells) -> Result<Option<Self>> {
        let Some(known) = sealed::read::<Checkpoint>(path, &policy.files, AGAIN)? else {
            return Ok(None);
        };
        let refuse = |what: &str| Err(sealed::refused(path, what, AGAIN));
        if known.version != VERSION {
            return refuse("it is of another version of this program");
        }
        if known.policy_sha256 != sha256::of_text(&policy.text) {
            return refuse("it belongs to another policy");
        }
        if let Some(changed) = known.bound.changed(policy)? {
            return refuse(&changed);
        }
        if known.cells != print(cells, known.seed) {
            return refuse("the source is not as it was then");
        }
        Ok(Some(known))
    }

    /// Puts it in place of the one before.
    pub(super) fn save(&self, path: &Path, files: &Files) -> Result<()> {
        sealed::write(path, files, self)
    }

    /// That the steps of it do not fit.
    pub(super) fn misfit(path: &Path) -> crate::error::Error {
        let what = "its steps cannot be done again with this version of the program";
        sealed::refused(path, what, AGAIN)
    }
}

/// A keyed sum of all cells.
fn print(cells: &Cells, seed: u64) -> String {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    let mut bytes = Vec::with_capacity(cells.records.values().len() * 8);
    for value in cells.records.values() {
        bytes.extend_from_slice(&value.to_bits().to_le_bytes());
    }
    let block = Key::derived(key).block(&[b"cells", &bytes]);
    block[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
