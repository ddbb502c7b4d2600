//! The ledger of a data set: every release of it, in one file that shows every change.
//!
//! An entry says which policy made which release when, with which k and ε, and which
//! rows, known by keyed ids alone, were in which class. A run reads the ledger before it reads
//! rows, and puts the longer one in its place together with the release: first the ledger, so
//! that a release never lies there unrecorded; if the release cannot follow, the ledger goes
//! back to what it was. A run that is killed in between leaves an entry without a release,
//! which `moretta ledger revoke` takes out.

mod file;

use super::checkpoint::Lock;
use super::manifest::release_id;
use super::place::Pending;
use crate::data::DateFormat;
use crate::engine::Clock;
use crate::engine::ledger::{History, Recorded, SUPPRESSED};
use crate::engine::report::Report;
use crate::error::{Error, Result};
use crate::io::Files;
use crate::policy::{LedgerPolicy, Policy};
use crate::protect::identifiers::Key;
use file::{Entry, Sum};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// A ledger that nobody else writes to meanwhile.
pub(super) struct Ledger {
    key: Key,
    entries: Vec<Entry>,
    /// When the run began that has opened it, in milliseconds since 1970.
    began: Option<i64>,
    files: Files,
    _lock: Lock,
}

/// An entry, as it is listed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Listed {
    /// What it is called in the ledger, where no other entry is called the same.
    pub id: String,
    /// The release's id in its manifest.
    pub release: String,
    /// The day of the release.
    pub date: String,
    /// The second of the release, in UTC; empty where an older program has entered it.
    pub time: String,
    /// The name of the policy.
    pub name: String,
    /// Which of several nested releases it is; empty of a single one.
    pub level: String,
    /// SHA-256 of the policy.
    pub policy_sha256: String,
    /// SHA-256 of the release.
    pub release_sha256: String,
    /// The k that was promised, if any.
    pub k: Option<u32>,
    /// The ε that was spent, if any.
    pub epsilon: Option<f64>,
    /// Rows that were released.
    pub rows: u64,
    /// It was revoked, and counts no more.
    pub revoked: bool,
}

/// What a ledger holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Listing {
    /// The releases, the oldest first.
    pub releases: Vec<Listed>,
    /// Entries, revocations among them.
    pub entries: u64,
    /// The last sum.
    pub head: String,
    /// The ε that was spent in all.
    pub epsilon: f64,
    /// Rows that it knows.
    pub known_rows: u64,
}

impl Ledger {
    /// Reads it, or begins a new one.
    pub(super) fn open(policy: &Policy, place: &LedgerPolicy) -> Result<Self> {
        let key = policy
            .load_key(&place.key)
            .map_err(|e| e.at(place.span.clone()))?;
        let _lock = Lock::new(&place.path, &policy.files)?;
        let entries = match policy.files.read(&place.path) {
            Ok(bytes) => file::read(&bytes, &key).ok_or_else(|| changed(&place.path))?,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(e) => return Err(Error::io("read", &place.path, e)),
        };
        Ok(Ledger {
            key,
            entries,
            began: None,
            files: policy.files.clone(),
            _lock,
        })
    }

    /// The same for a run that begins now.
    pub(super) fn at(self, clock: &Clock) -> Self {
        Ledger {
            began: Some(clock.now()),
            ..self
        }
    }

    /// What releases that still count have told.
    pub(super) fn history(&self) -> Arc<History> {
        let mut history = History::new(self.key.clone());
        let revoked = self.revoked();
        for entry in &self.entries {
            let id = said(&entry.says, "id");
            if said(&entry.says, "kind") == RELEASE && !revoked.contains(id) {
                history.add(&Recorded {
                    units: entry.units.clone(),
                    k: number(&entry.says, "k"),
                    columns: serde_json::from_value(entry.says["columns"].clone())
                        .unwrap_or_default(),
                    labels: serde_json::from_value(entry.says["labels"].clone())
                        .unwrap_or_default(),
                });
            }
        }
        Arc::new(history)
    }

    fn revoked(&self) -> BTreeSet<&str> {
        let revocations = self.entries.iter().map(|entry| &entry.says);
        let revocations = revocations.filter(|says| said(says, "kind") == REVOCATION);
        revocations.map(|says| said(says, "of")).collect()
    }

    /// The ε that releases which still count have spent.
    fn epsilon(&self) -> f64 {
        let releases = self.list().into_iter().filter(|release| !release.revoked);
        let spent = releases.filter_map(|release| release.epsilon);
        // The sum of no numbers is -0.
        spent.fold(0.0, |sum, epsilon| sum + epsilon)
    }

    /// Whether one more release may spend what it does.
    pub(super) fn check_budget(&self, policy: &Policy, place: &LedgerPolicy) -> Result<()> {
        let spent = self.epsilon();
        match (place.epsilon, epsilon(policy)) {
            // Sums of decimal fractions are off by a few last bits.
            (Some(budget), Some(next)) if spent + next > budget * (1.0 + 1e-12) => {
                Err(Error::budget(format!(
                    "the ledger allows ε = {budget} for this data set; {spent} are spent, and this release would spend {next}"
                ))
                .help("nothing was read. Spend less, or raise `epsilon` under [ledger] if you may"))
            }
            _ => Ok(()),
        }
    }

    /// Enters a release; gives how long the ledger is then and its last sum.
    pub(super) fn enter(
        &mut self,
        policy: &Policy,
        recorded: &Recorded,
        (report, date): (&Report, Option<&str>),
    ) -> Result<(u64, String)> {
        let text = |value: Option<String>| value.unwrap_or_default();
        let release = text(report.sink.as_ref().and_then(|sink| sink.sha256.clone()));
        let id = super::sha256::of_text(&format!("{} {release}", show(&self.last())));
        let day = date.unwrap_or_default();
        let mut says = json!({
            "kind": RELEASE,
            "id": id[..16],
            "release": release_id(&release, &report.policy_sha256, day),
            "date": day,
            "time": self.began.map(second).unwrap_or_default(),
            "name": policy.name,
            "level": policy.level.as_deref().unwrap_or_default(),
            "policy_sha256": report.policy_sha256,
            "release_sha256": release,
            "program": report.program,
            "k": text(recorded.k.map(|k| k.to_string())),
            "epsilon": text(epsilon(policy).map(|epsilon| epsilon.to_string())),
        });
        if !recorded.labels.is_empty() {
            // What the release shows to anybody, so that the next one can show the same.
            says["columns"] = json!(recorded.columns);
            says["labels"] = json!(recorded.labels);
        }
        self.append(says, recorded.units.clone())?;
        Ok((self.entries.len() as u64, show(&self.last())))
    }

    /// Writes the longer ledger aside.
    pub(super) fn write(&self, place: &LedgerPolicy) -> Result<Pending> {
        let pending = Pending::new(&place.path, &self.files)?;
        let pending = pending.private().replacing();
        pending.write(&file::write(&self.entries, &self.key)?)?;
        Ok(pending)
    }

    fn append(&mut self, says: Value, units: Vec<crate::engine::ledger::Unit>) -> Result<()> {
        self.entries.push(file::entry(&self.last(), says, units)?);
        Ok(())
    }

    fn last(&self) -> Sum {
        self.entries
            .last()
            .map_or_else(file::first, |entry| entry.sum)
    }

    fn list(&self) -> Vec<Listed> {
        let revoked = self.revoked();
        let releases = self.entries.iter();
        let releases = releases.filter(|entry| said(&entry.says, "kind") == RELEASE);
        releases
            .map(|Entry { says, units, .. }| Listed {
                id: said(says, "id").to_owned(),
                release: said(says, "release").to_owned(),
                date: said(says, "date").to_owned(),
                time: said(says, "time").to_owned(),
                name: said(says, "name").to_owned(),
                level: said(says, "level").to_owned(),
                policy_sha256: said(says, "policy_sha256").to_owned(),
                release_sha256: said(says, "release_sha256").to_owned(),
                k: number(says, "k"),
                epsilon: number(says, "epsilon"),
                rows: units.iter().filter(|unit| unit.class != SUPPRESSED).count() as u64,
                revoked: revoked.contains(said(says, "id")),
            })
            .collect()
    }

    fn listing(&self) -> Listing {
        Listing {
            releases: self.list(),
            entries: self.entries.len() as u64,
            head: show(&self.last()),
            epsilon: self.epsilon(),
            known_rows: self.history().rows() as u64,
        }
    }
}

const RELEASE: &str = "release";
const REVOCATION: &str = "revocation";

/// What the ledger of a policy holds. It was checked to the last byte; with `head`, the sum
/// that somebody kept elsewhere, whether it still holds the entry that ended with it.
///
/// # Errors
/// When there is none, it was changed, or the head is not in it.
pub fn list_ledger(policy: &Policy, head: Option<&str>) -> Result<Listing> {
    let place = place_of(policy)?;
    if !place.path.exists() {
        let gone = std::io::Error::from(std::io::ErrorKind::NotFound);
        return Err(Error::io("read", &place.path, gone));
    }
    let ledger = Ledger::open(policy, place)?;
    let holds = |head: &str| ledger.entries.iter().any(|entry| show(&entry.sum) == head);
    match head {
        Some(head) if !holds(head) => Err(Error::budget(format!(
            "{} does not hold the entry that ended with this head",
            place.path.display()
        ))
        .help("an older ledger was put in its place, or this head is of another one")),
        _ => Ok(ledger.listing()),
    }
}

/// Takes a release out of the count: it was never handed to anybody. What was seen cannot be
/// unseen.
///
/// # Errors
/// When there is no such release, or it was revoked before.
pub fn revoke(policy: &Policy, id: &str, date: Option<&str>) -> Result<Listing> {
    let place = place_of(policy)?;
    let mut ledger = Ledger::open(policy, place)?;
    let counts = |release: &Listed| release.id == id && !release.revoked;
    if !ledger.list().iter().any(counts) {
        return Err(Error::usage(format!(
            "the ledger has no release `{id}` that still counts"
        ))
        .help("`moretta ledger list` shows their names"));
    }
    let says = json!({ "kind": REVOCATION, "of": id, "date": date.unwrap_or_default() });
    ledger.append(says, Vec::new())?;
    super::place::commit_all(vec![ledger.write(place)?], false)?;
    Ok(ledger.listing())
}

fn place_of(policy: &Policy) -> Result<&LedgerPolicy> {
    policy.ledger.as_ref().ok_or_else(|| {
        Error::policy("the policy has no [ledger]")
            .help("add [ledger] with `path` and `key`; the next release is its first entry")
    })
}

/// The ε that a release of a policy spends on a record; none when nothing is private.
fn epsilon(policy: &Policy) -> Option<f64> {
    let losses = policy
        .plan
        .maskings()
        .filter_map(|masking| masking.epsilon());
    let loss = losses.reduce(|sum, epsilon| sum + epsilon);
    // Budgets are kept in binary fractions; a ledger is read by people.
    loss.map(|loss| (loss * 1e6).ceil() / 1e6)
}

fn changed(path: &Path) -> Error {
    Error::budget(format!(
        "the ledger {} was changed, cut off, or is of another key",
        path.display()
    ))
    .help("restore it from a copy; without it nobody knows what was released of these persons")
}

fn said<'a>(says: &'a Value, key: &str) -> &'a str {
    says[key].as_str().unwrap_or_default()
}

fn number<T: std::str::FromStr>(says: &Value, key: &str) -> Option<T> {
    said(says, key).parse().ok()
}

/// A time in UTC, to the second: `2026-03-01T09:05:00Z`.
fn second(milliseconds: i64) -> String {
    let seconds = milliseconds.div_euclid(1000);
    let day = i32::try_from(seconds.div_euclid(86_400)).unwrap_or_default();
    let second = seconds.rem_euclid(86_400);
    let (hour, minute) = (second / 3_600, second / 60 % 60);
    let day = DateFormat::ISO.format(day);
    format!("{day}T{hour:02}:{minute:02}:{:02}Z", second % 60)
}

fn show(sum: &Sum) -> String {
    sum.iter().map(|byte| format!("{byte:02x}")).collect()
}
