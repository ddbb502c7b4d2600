//! Journals and what they bring back.

use super::*;
use crate::data::Records;
use crate::federate::PartyId;
use crate::pipeline::FileJournal;
use std::path::PathBuf;

/// Remembers all that happened, says it again, and cannot go on after a poison.
#[derive(Default)]
struct Diary(Vec<u8>);

impl Party for Diary {
    fn handle(&mut self, event: Event<'_>, now: Time, out: &mut Outbox) -> Result<()> {
        let line = match event {
            Event::Frame { bytes, .. } if bytes == b"poison" => return Err(Error::bug("poison")),
            Event::Frame { from, bytes } => format!("{now} {from} {bytes:?};"),
            Event::Linked(party) => format!("{now} {party};"),
            Event::Rows(rows) => format!("{now} {} {};", rows.batch, rows.records.len()),
            Event::Timer | Event::RowsEnded => format!("{now};"),
        };
        self.0.extend(line.as_bytes());
        out.frames.push((PartyId(0), line.into_bytes()));
        out.wake = Some(now + 7);
        Ok(())
    }

    fn save(&self) -> Result<Vec<u8>> {
        Ok(self.0.clone())
    }
}

fn rows(batch: u64) -> Rows {
    let mut records = Records::new(1);
    records.push(&[0.123_456_789]);
    Rows {
        batch,
        records,
        keys: 5,
        ..Rows::default()
    }
}

fn open<J: Journal>(journal: J, every: u64) -> Result<(Durable<Diary, J>, Outbox)> {
    let make = |saved: Option<&[u8]>| Ok(Diary(saved.unwrap_or_default().to_vec()));
    Durable::open(journal, every, make, &mut |batch| Ok(rows(batch)))
}

/// The event of a number.
fn happen(party: &mut impl Party, number: u64, now: Time, out: &mut Outbox) -> Result<()> {
    let (from, shown) = (PartyId(number as u16), rows(number));
    let bytes = &[number as u8; 3][..];
    let event = match number % 4 {
        0 => Event::Frame { from, bytes },
        1 => Event::Linked(from),
        2 => Event::Rows(&shown),
        _ => Event::Timer,
    };
    party.handle(event, now, out)
}

/// A path in a folder of its own.
fn place(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("moretta-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.join("journal")
}

fn remove(path: &std::path::Path) {
    let folder = path.parent().expect("a folder");
    std::fs::remove_dir_all(folder).expect("a folder of ours");
}

/// Kills after every event; state and frames are those without kills.
fn check_replay<J: Journal>(mut journal: J, every: u64, back: impl Fn(J) -> J) {
    let mut whole = Diary::default();
    let mut said = Outbox::default();
    for number in 0..30 {
        let (mut durable, again) = open(journal, every).expect("whole");
        assert_eq!(durable.party().0, whole.0, "before event {number}");
        let since = said.frames.len() - again.frames.len();
        assert_eq!(again.frames, said.frames[since..]);
        assert!(again.frames.len() as u64 <= every * 8);
        happen(&mut durable, number, number * 10, &mut Outbox::default()).expect("room");
        // The driver's clock begins anew at each start, that of the party stands still.
        let last = durable.last;
        journal = back(durable.into_journal());
        happen(&mut whole, number, last, &mut said).expect("no poison");
    }
}

#[test]
fn a_party_that_is_killed_after_every_event_says_the_same() {
    for every in [1, 3, 100] {
        check_replay(MemoryJournal::default(), every, |journal| journal);
        let path = place(&format!("replay-{every}"));
        let reopen = |path: &PathBuf| FileJournal::open(path, every == 3).expect("a journal");
        check_replay(reopen(&path), every, |journal| {
            drop(journal);
            reopen(&path)
        });
        remove(&path);
    }
}

#[test]
fn rows_leave_a_mark_alone_and_others_are_refused() {
    let (mut durable, _) = open(MemoryJournal::default(), 100).expect("empty");
    happen(&mut durable, 2, 2, &mut Outbox::default()).expect("room");
    let journal = durable.into_journal();
    let value = 0.123_456_789_f64.to_le_bytes();
    let mut entries = journal.entries();
    assert!(!entries.any(|entry| entry.windows(8).any(|bytes| bytes == value)));
    drop(entries);
    let make = |_: Option<&[u8]>| Ok(Diary::default());
    let mut others = |batch| {
        Ok(Rows {
            keys: 6,
            ..rows(batch)
        })
    };
    let error = Durable::open(journal, 100, make, &mut others).err();
    assert_eq!(error.map(|error| error.exit_code()), Some(4));
}

#[test]
fn a_full_disk_stops_a_party_before_anything_is_applied() {
    for every in [2, 100] {
        let (mut durable, _) = open(MemoryJournal::with_limit(200), every).expect("empty");
        let mut error = None;
        for number in 0..1000 {
            let before = durable.party().0.clone();
            let mut out = Outbox::default();
            if let Err(full) = happen(&mut durable, number, number, &mut out) {
                assert!(out.frames.is_empty() && durable.party().0 == before);
                error = Some(full);
                break;
            }
        }
        assert_eq!(error.map(|error| error.exit_code()), Some(5));
        let again = happen(&mut durable, 3, 3, &mut Outbox::default());
        assert_eq!(again.err().map(|error| error.exit_code()), Some(5));
    }
}

#[test]
fn what_a_party_cannot_go_on_with_is_not_replayed() {
    let (mut durable, _) = open(MemoryJournal::default(), 100).expect("empty");
    happen(&mut durable, 0, 0, &mut Outbox::default()).expect("room");
    let poison = Event::Frame {
        from: PartyId(1),
        bytes: b"poison",
    };
    let failed = durable.handle(poison, 20, &mut Outbox::default());
    assert!(failed.is_err());
    let (durable, _) = open(durable.into_journal(), 100).expect("no poison");
    assert_eq!(durable.party().0, b"0 site 0 [0, 0, 0];");
}

#[test]
fn time_goes_on_after_a_restart_and_never_back() {
    let (mut durable, _) = open(MemoryJournal::default(), 100).expect("empty");
    let mut at = |now: Time, expected: &str, wake: Time| {
        let mut out = Outbox::default();
        durable.handle(Event::Timer, now, &mut out).expect("room");
        assert_eq!(
            (&out.frames[0].1[..], out.wake),
            (expected.as_bytes(), Some(wake))
        );
    };
    at(1000, "0;", 1007);
    at(1050, "50;", 1057);
    at(1020, "50;", 1057);
    let (mut durable, _) = open(durable.into_journal(), 100).expect("whole");
    let mut out = Outbox::default();
    durable.handle(Event::Timer, 3, &mut out).expect("room");
    durable.handle(Event::Timer, 5, &mut out).expect("room");
    assert_eq!((&out.frames[1].1[..], out.wake), (&b"52;"[..], Some(12)));
}

/// A file with three entries, the first in a checkpoint.
fn written(name: &str) -> PathBuf {
    let path = place(name);
    let mut journal = FileJournal::open(&path, false).expect("a journal");
    journal.append(b"zero").expect("room");
    journal.checkpoint(b"state").expect("room");
    journal.append(b"one").expect("room");
    journal.append(b"two").expect("room");
    path
}

fn entries(path: &PathBuf) -> Result<Vec<Vec<u8>>> {
    let stored = FileJournal::open(path, false)?.read()?;
    assert_eq!(stored.checkpoint.as_deref(), Some(&b"state"[..]));
    Ok(stored.entries)
}

#[test]
fn a_torn_tail_is_cut_and_the_journal_goes_on() {
    let path = written("torn");
    let bytes = std::fs::read(&path).expect("a file");
    for length in bytes.len() - 22..bytes.len() {
        std::fs::write(&path, &bytes[..length]).expect("a file");
        assert_eq!(entries(&path).expect("cut"), [b"one"], "{length}");
        let mut journal = FileJournal::open(&path, false).expect("a journal");
        journal.append(b"three").expect("room");
        assert_eq!(entries(&path).expect("whole"), [&b"one"[..], b"three"]);
    }
    remove(&path);
}

#[test]
fn damage_and_other_versions_are_refused() {
    let path = written("damage");
    let bytes = std::fs::read(&path).expect("a file");
    let (start, first) = (16, 16 + 20);
    for (at, name) in [
        (0, "damaged"),
        (4, "version"),
        (start + 5, "damaged"),
        (first, "damaged"),
    ] {
        let mut other = bytes.clone();
        other[at] ^= 1;
        std::fs::write(&path, &other).expect("a file");
        let error = entries(&path).expect_err("refused");
        assert!(format!("{error}").contains(name), "{at}: {error}");
        assert_eq!(error.exit_code(), 4);
    }
    remove(&path);
}

#[test]
fn a_kill_between_checkpoint_and_cut_does_no_harm() {
    let path = written("between");
    let before = std::fs::read(&path).expect("a file");
    let mut journal = FileJournal::open(&path, false).expect("a journal");
    journal.checkpoint(b"state").expect("room");
    drop(journal);
    std::fs::write(&path, before).expect("the entries of before the checkpoint");
    assert!(entries(&path).expect("covered").is_empty());
    let mut journal = FileJournal::open(&path, false).expect("a journal");
    journal.append(b"three").expect("room");
    assert_eq!(entries(&path).expect("whole"), [b"three"]);
    remove(&path);
}

#[cfg(unix)]
#[test]
fn files_can_be_read_by_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let path = written("owner");
    let folder = path.parent().expect("a folder");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let of = entry.expect("a file").metadata().expect("a file");
        assert_eq!(of.permissions().mode() & 0o777, 0o600);
        files += 1;
    }
    assert_eq!(files, 2);
    remove(&path);
}
