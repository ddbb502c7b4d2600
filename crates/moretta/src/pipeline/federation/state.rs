//! The private folder of a party: one run of it, from its beginning to its end.
//!
//! | file | holds |
//! |---|---|
//! | `run` | the version, a sum of what the run was begun with, and its secret |
//! | `journal`, `journal.checkpoint` | what happened to the party |
//! | `answers` | at the consumer: how far the answers are written |
//! | `ended` | that the run is over |
//! | `lock` | held by the process that runs the party |
//!
//! The secret is drawn from the operating system when the folder is made. Masks, projections and
//! noise of a site follow from it, so that the party says the same after a restart, and it is
//! another one in every run: equal pads over other records would tell their differences. Nobody but
//! the owner can read the folder.
//!
//! **Does not protect against** a thief of the folder, who can unmask what a node has recorded of
//! this site in this run. When the run has ended the secret is kept, so that a simulation can
//! repeat the run; remove the folder when that is not wanted.

use super::answer_position::AnswerPosition;
use super::journal_file::FileJournal;
use super::private_file::private;
use crate::error::{Error, Result};
use crate::federate::Mark;
use crate::policy::FederationPolicy;
use sha2::{Digest, Sha256};
use std::fs::{DirBuilder, File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

const TITLE: &str = "moretta federation state 1";
const BEGINS: &str = "moretta federation state ";
/// Files of a run, which beginning anew removes; the secret last.
const FILES: &[&str] = &[
    "journal",
    "journal.checkpoint",
    "journal.new",
    "answers",
    "ended",
    "run.new",
    "run",
];

/// The folder, held by this process alone.
#[derive(Debug)]
pub struct PartyState {
    folder: PathBuf,
    secret: [u8; 32],
    _lock: File,
}

impl PartyState {
    /// Opens the folder of a policy, or makes one. With `force` the run that it holds is dropped.
    ///
    /// # Errors
    /// When another process holds it, its run has ended, it was begun with another policy, or it
    /// cannot be read or written.
    pub fn open(policy: &FederationPolicy, force: bool) -> Result<Self> {
        let folder = &policy.state;
        make(folder).map_err(|error| Error::io("create", folder, error))?;
        let lock = lock(folder)?;
        if force {
            for name in FILES {
                remove(&folder.join(name))?;
            }
        }
        let begun_with = begun_with(policy);
        let secret = match read(folder)? {
            None => begin(folder, &begun_with)?,
            Some((known, _)) if known != begun_with => {
                return Err(Error::policy(format!(
                    "the run in {} was begun with other settings than the policy has now",
                    folder.display()
                ))
                .help("change the policy back, or begin all parties anew with --force"));
            }
            Some((_, secret)) => secret,
        };
        if folder.join("ended").exists() {
            return Err(
                Error::usage(format!("the run of `{}` has ended", policy.id)).help(
                    "--force begins anew, and replaces its answers; then begin all parties anew",
                ),
            );
        }
        Ok(PartyState {
            folder: folder.clone(),
            secret,
            _lock: lock,
        })
    }

    /// The secret of this run, which masks, projections and noise are made from.
    pub fn secret(&self) -> [u8; 32] {
        self.secret
    }

    /// By what others tell this party from one that was begun anew.
    pub fn mark(&self) -> Mark {
        let mut sum = Sha256::new_with_prefix(b"moretta/mark/1");
        sum.update(self.secret);
        let sum = sum.finalize();
        Mark(std::array::from_fn(|at| sum[at]))
    }

    /// Whether something has happened to the party already.
    pub fn is_begun(&self) -> bool {
        let journal = std::fs::metadata(self.folder.join("journal"));
        let entries = journal.is_ok_and(|file| file.len() > FileJournal::EMPTY);
        entries || self.folder.join("journal.checkpoint").exists()
    }

    /// The journal.
    ///
    /// # Errors
    /// When it cannot be read, is damaged or of another version.
    pub fn journal(&self) -> Result<FileJournal> {
        FileJournal::open(self.folder.join("journal"), false)
    }

    /// How far the answers are written.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn answers(&self) -> Result<AnswerPosition> {
        AnswerPosition::open(&self.folder.join("answers"))
    }

    /// Says that the run is over, and drops what was needed to go on with it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn end(self) -> Result<()> {
        let path = self.folder.join("ended");
        let made = private().create_new(true).open(&path);
        made.and_then(|file| file.sync_all())
            .map_err(|error| Error::io("create", &path, error))?;
        for name in ["journal", "journal.checkpoint", "journal.new", "answers"] {
            remove(&self.folder.join(name))?;
        }
        Ok(())
    }
}

/// The secret of the run that a party has begun, for a simulation that repeats it.
///
/// # Errors
/// When it cannot be read.
pub fn secret_of_run(policy: &FederationPolicy) -> Result<Option<[u8; 32]>> {
    Ok(read(&policy.state)?.map(|(_, secret)| secret))
}

/// The sum of what must not change while a run lasts.
fn begun_with(policy: &FederationPolicy) -> String {
    let own = format!(
        "{:?}",
        (
            &policy.id,
            &policy.learner,
            &policy.features,
            &policy.consent,
            &policy.classes
        )
    );
    let mut sum = Sha256::new_with_prefix(policy.terms.sum());
    sum.update(own);
    digits(&sum.finalize())
}

fn make(folder: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

fn lock(folder: &Path) -> Result<File> {
    let path = folder.join("lock");
    let failed = |error| Error::io("lock", &path, error);
    let file = private().create(true).truncate(false).open(&path);
    let file = file.map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::usage(format!(
            "another process runs the party of {}",
            folder.display()
        ))
        .help("wait until it has ended, or stop it")),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// Draws the secret of a run that begins.
fn begin(folder: &Path, begun_with: &str) -> Result<[u8; 32]> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret)
        .map_err(|_| Error::bug("the operating system gives no random bytes"))?;
    let text = format!("{TITLE}\nbegun {begun_with}\nsecret {}\n", digits(&secret));
    let (aside, path) = (folder.join("run.new"), folder.join("run"));
    remove(&aside)?;
    let written = private()
        .create_new(true)
        .open(&aside)
        .and_then(|mut file| file.write_all(text.as_bytes()).and(file.sync_all()))
        .and_then(|()| std::fs::rename(&aside, &path));
    written.map_err(|error| Error::io("write", &path, error))?;
    Ok(secret)
}

/// What a run was begun with, and its secret.
fn read(folder: &Path) -> Result<Option<(String, [u8; 32])>> {
    let path = folder.join("run");
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io("read", &path, error)),
    };
    let mut lines = text.lines();
    let title = lines.next().unwrap_or_default();
    if title != TITLE && title.starts_with(BEGINS) {
        return Err(Error::input("the state is of another version")
            .in_file(&path)
            .help("go on with the program that wrote it, or begin all parties anew with --force"));
    }
    let begun = lines.next().and_then(|line| line.strip_prefix("begun "));
    let secret = lines.next().and_then(|line| line.strip_prefix("secret "));
    match (title == TITLE, begun, secret.and_then(bytes_of)) {
        (true, Some(begun), Some(secret)) => Ok(Some((begun.to_owned(), secret))),
        _ => Err(Error::input("the state is damaged")
            .in_file(&path)
            .help("begin all parties anew with --force")),
    }
}

fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io("remove", path, error)),
        _ => Ok(()),
    }
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes_of(digits: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if digits.len() != 64 || !digits.is_ascii() {
        return None;
    }
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::federate::Journal;
    use crate::policy::Root;

    const HUB: &str = r#"
        version = 1
        [federation]
        name = "ward-7"
        role = "aggregator"
        id = "hub"
        parties = { hub = "aggregator", desk = "labels", icu = "site" }
        classes = ["stable", "critical"]
    "#;

    fn policy(folder: &Path, text: &str) -> FederationPolicy {
        let root = Root::of_policy(&folder.join("hub.toml"), None).expect("a folder");
        FederationPolicy::parse(text, &root).expect("a policy")
    }

    #[test]
    fn a_run_keeps_its_secret_and_the_next_one_has_another() {
        let folder = tempfile::tempdir().expect("a folder");
        let policy = policy(folder.path(), HUB);
        assert_eq!(secret_of_run(&policy).expect("readable"), None);
        let first = PartyState::open(&policy, false).expect("made").secret();
        let again = PartyState::open(&policy, false).expect("opened");
        assert_eq!(again.secret(), first);
        let error = PartyState::open(&policy, true).expect_err("held");
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains("another process"), "{error}");
        drop(again);
        let anew = PartyState::open(&policy, true).expect("begun anew");
        assert_ne!(anew.secret(), first);
        assert_eq!(secret_of_run(&policy).expect("there"), Some(anew.secret()));
    }

    #[test]
    fn a_run_that_has_ended_is_not_gone_on_with() {
        let folder = tempfile::tempdir().expect("a folder");
        let policy = policy(folder.path(), HUB);
        let state = PartyState::open(&policy, false).expect("made");
        assert!(!state.is_begun());
        let mut journal = state.journal().expect("a journal");
        assert!(!state.is_begun());
        journal.append(b"event").expect("room");
        assert!(state.is_begun());
        state.end().expect("ended");
        let error = PartyState::open(&policy, false).expect_err("ended");
        assert_eq!(error.to_string(), "the run of `hub` has ended");
        assert_eq!(error.exit_code(), 2);
        assert!(!policy.state.join("journal").exists());
        PartyState::open(&policy, true).expect("begun anew");
    }

    #[test]
    fn other_settings_versions_and_damage_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = policy(folder.path(), HUB);
        drop(PartyState::open(&own, false).expect("made"));
        let check = |policy: &FederationPolicy, code: u8, told: &str| {
            let error = PartyState::open(policy, false).expect_err("refused");
            assert!(error.to_string().contains(told), "{error}");
            assert_eq!(error.exit_code(), code);
        };
        let other = HUB.replace("[federation]", "[federation]\nbatch = 7");
        check(&policy(folder.path(), &other), 3, "other settings");
        let run = own.state.join("run");
        let text = std::fs::read_to_string(&run).expect("a text");
        std::fs::write(&run, text.replace("state 1", "state 2")).expect("written");
        check(&own, 4, "another version");
        std::fs::write(&run, text.replace("secret", "secre")).expect("written");
        check(&own, 4, "damaged");
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let policy = policy(folder.path(), HUB);
        let state = PartyState::open(&policy, false).expect("made");
        state.journal().expect("a journal");
        state.answers().expect("a position");
        let mode = |path: &Path| std::fs::metadata(path).expect("there").permissions().mode();
        assert_eq!(mode(&policy.state) & 0o777, 0o700);
        let files = std::fs::read_dir(&policy.state).expect("a folder");
        let files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
        assert_eq!(files.len(), 4);
        files
            .iter()
            .for_each(|file| assert_eq!(mode(file) & 0o777, 0o600));
    }
}
