//! What is written is read, at any place, after any pauses; what was changed is not.

use super::frame::{position, sealed_length};
use super::*;
use crate::id::Id;
use crate::settings::Settings;
use proptest::prelude::*;
use std::fs::{self, File, OpenOptions};
use std::io::{Cursor, Read, Seek, SeekFrom, Write};

/// Bytes that stand nowhere twice in a frame's distance.
fn bytes(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..length).map(|_| next()).collect()
}

struct Sealed {
    key: Key,
    of: Id,
    written: Written,
    file: Vec<u8>,
}

fn read(sealed: &[u8], key: &Key, of: Id, length: u64) -> std::io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    SealedReader::new(Cursor::new(sealed), key, of, length)?.read_to_end(&mut plain)?;
    Ok(plain)
}

/// Writes `plain`, paused and resumed at each of `pauses`, with rubbish left behind each time.
fn sealed(plain: &[u8], pauses: &[usize]) -> Sealed {
    sealed_under(&Key::random(), Id::random(), plain, pauses)
}

fn sealed_under(key: &Key, of: Id, plain: &[u8], pauses: &[usize]) -> Sealed {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("object");
    let open = || OpenOptions::new().write(true).open(&path).expect("a file");
    let file = File::create(&path).expect("a file");
    let mut writer = SealedWriter::new(file, key, of).expect("begun");
    let mut from = 0;
    for &to in pauses {
        writer.write_all(&plain[from..to]).expect("written");
        let paused = writer.pause().expect("paused");
        assert_eq!(paused.bytes, to as u64);
        let mut rubbish = open();
        rubbish.seek(SeekFrom::End(0)).expect("the end");
        rubbish.write_all(&plain[..to]).expect("written");
        writer = SealedWriter::resume(open(), key, of, &paused).expect("resumed");
        assert_eq!(writer.bytes(), to as u64);
        from = to;
    }
    writer.write_all(&plain[from..]).expect("written");
    let written = writer.finish().expect("finished");
    Sealed {
        key: key.clone(),
        of,
        written,
        file: fs::read(&path).expect("a file"),
    }
}

/// Lengths around the ends of frames.
fn length() -> impl Strategy<Value = usize> {
    (0..4usize, -2..=2isize, any::<bool>(), 0..3 * FRAME).prop_map(|(frames, by, near, any)| {
        match near {
            true => (frames * FRAME).saturating_add_signed(by),
            false => any,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_written_is_read_at_any_place(
        length in length(),
        mut pauses in prop::collection::vec(0.0..=1.0f64, 0..4),
        places in prop::collection::vec((0.0..=1.1f64, 0..2 * FRAME), 1..8),
    ) {
        pauses.sort_by(f64::total_cmp);
        let pauses: Vec<usize> = pauses.iter().map(|p| (p * length as f64) as usize).collect();
        let plain = bytes(length, 7);
        let sealed = sealed(&plain, &pauses);
        prop_assert_eq!(sealed.written.bytes, length as u64);
        prop_assert_eq!(sealed.file.len() as u64, sealed_length(length as u64));
        let sum: [u8; 32] = <sha2::Sha256 as sha2::Digest>::digest(&plain).into();
        prop_assert_eq!(sealed.written.sha256, sum);
        let mut reader = SealedReader::new(Cursor::new(&sealed.file), &sealed.key, sealed.of, length as u64).expect("opened");
        for (place, wanted) in places {
            let place = (place * length as f64) as usize;
            reader.seek(SeekFrom::Start(place as u64)).expect("a place");
            let mut found = Vec::new();
            reader.by_ref().take(wanted as u64).read_to_end(&mut found).expect("read");
            let expected = plain.get(place..).unwrap_or_default();
            prop_assert_eq!(&found[..], &expected[..wanted.min(expected.len())]);
        }
    }
}

#[test]
fn every_changed_byte_of_a_small_file_is_found() {
    let plain = bytes(100, 3);
    let sealed = sealed(&plain, &[]);
    for place in 0..sealed.file.len() {
        for bit in 0..8 {
            let mut changed = sealed.file.clone();
            changed[place] ^= 1 << bit;
            assert!(
                read(&changed, &sealed.key, sealed.of, 100).is_err(),
                "byte {place}, bit {bit}"
            );
        }
        assert!(read(&sealed.file[..place], &sealed.key, sealed.of, 100).is_err());
    }
}

#[test]
fn changed_bytes_and_cuts_of_a_large_file_are_found_and_never_read() {
    let length = 3 * FRAME + 17;
    let plain = bytes(length, 5);
    let sealed = sealed(&plain, &[]);
    let all = sealed.file.len();
    let around = (0..4).flat_map(|n| {
        let begin = position(n) as usize;
        begin.saturating_sub(17)..(begin + 14).min(all)
    });
    for place in around.chain((0..all).step_by(4099)) {
        let mut changed = sealed.file.clone();
        changed[place] ^= 0x40;
        let mut found = Vec::new();
        let read = SealedReader::new(Cursor::new(&changed), &sealed.key, sealed.of, length as u64)
            .and_then(|mut reader| reader.read_to_end(&mut found));
        assert!(read.is_err(), "{place}");
        assert!(plain.starts_with(&found), "{place}");
        let cut = &sealed.file[..place];
        assert!(super::tests::read(cut, &sealed.key, sealed.of, length as u64).is_err());
    }
    let longer = [&sealed.file[..], b"x"].concat();
    assert!(super::tests::read(&longer, &sealed.key, sealed.of, length as u64).is_err());
}

#[test]
fn a_file_cut_at_the_end_of_a_frame_is_no_shorter_file() {
    let plain = bytes(3 * FRAME, 5);
    let sealed = sealed(&plain, &[]);
    for frames in 0..3 {
        let cut = &sealed.file[..position(frames) as usize];
        let length = frames * FRAME as u64;
        assert!(
            read(cut, &sealed.key, sealed.of, length).is_err(),
            "{frames}"
        );
    }
}

#[test]
fn frames_have_one_place_in_one_file() {
    let (key, of) = (Key::random(), Id::random());
    let length = 4 * FRAME;
    let frame = |n: u64| position(n) as usize..position(n + 1) as usize;
    let one = sealed_under(&key, of, &bytes(length, 1), &[]);
    // The same key, which no two files have, but another object.
    let other = sealed_under(&key, Id::random(), &bytes(length, 1), &[]);
    let refused = |what: &str, file: &[u8]| {
        assert!(read(file, &key, of, length as u64).is_err(), "{what}");
    };
    for a in 0..4 {
        let mut exchanged = one.file.clone();
        exchanged[frame(a)].copy_from_slice(&other.file[frame(a)]);
        refused("a frame of another file", &exchanged);
        for b in (0..4).filter(|b| *b != a) {
            let mut swapped = one.file.clone();
            swapped[frame(a)].copy_from_slice(&one.file[frame(b)]);
            refused("a repeated frame", &swapped);
            swapped[frame(b)].copy_from_slice(&one.file[frame(a)]);
            refused("swapped frames", &swapped);
        }
    }
    refused("another file", &other.file);
    assert!(read(&one.file, &Key::random(), of, length as u64).is_err());
}

#[test]
fn a_pause_goes_on_in_its_own_file_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("object");
    let open = || {
        OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .expect("a file")
    };
    let (key, of) = (Key::random(), Id::random());
    let mut writer = SealedWriter::new(open(), &key, of).expect("begun");
    writer.write_all(&bytes(FRAME + 9, 1)).expect("written");
    let paused = writer.pause().expect("paused");
    let refused =
        |key: &Key, of, paused: &Paused| SealedWriter::resume(open(), key, of, paused).is_err();
    assert!(refused(&Key::random(), of, &paused));
    assert!(refused(&key, Id::random(), &paused));
    let mut changed = paused.clone();
    changed.bytes += 1;
    assert!(refused(&key, of, &changed));
    let mut changed = paused.clone();
    changed.rest[40] ^= 1;
    assert!(refused(&key, of, &changed));
    open().set_len(FRAME as u64).expect("cut");
    assert!(refused(&key, of, &paused), "a frame is missing");
}

fn settings(folder: &tempfile::TempDir) -> Settings {
    let settings = Settings {
        data: folder.path().join("data"),
        keys: folder.path().join("keys"),
        ..Settings::default()
    };
    fs::create_dir_all(&settings.data).expect("a folder");
    settings
}

#[test]
fn keys_are_made_once_and_belong_to_their_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = settings(&folder);
    let first = ZoneKeys::of(&settings).expect("made");
    let again = ZoneKeys::of(&settings).expect("read");
    assert_eq!(first.raw.bytes(), again.raw.bytes());
    assert_ne!(first.raw.bytes(), first.vault.bytes());
    let shown = format!("{first:?}");
    assert_eq!(shown, "ZoneKeys");
    let text = fs::read_to_string(&settings.keys).expect("a file");
    assert!(text.contains(&crate::secret::hex(first.raw.bytes())));
    let refused = |what: &str| {
        let problem = ZoneKeys::of(&settings).map(drop).expect_err(what);
        assert_eq!(problem.code, "keys", "{what}: {problem}");
        assert!(
            !problem.what.contains(text.lines().nth(1).expect("a key")),
            "{what}"
        );
    };
    fs::remove_file(&settings.keys).expect("removed");
    refused("missing keys are not replaced by new ones");
    let elsewhere = tempfile::tempdir().expect("a folder");
    let other = self::settings(&elsewhere);
    ZoneKeys::of(&other).expect("made");
    fs::copy(&other.keys, &settings.keys).expect("copied");
    refused("keys of another folder");
    fs::write(&settings.keys, "raw = 00\n").expect("written");
    refused("no keys");
}

#[cfg(unix)]
#[test]
fn keys_that_others_can_read_or_that_lie_with_the_data_are_refused() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().expect("a folder");
    let mut settings = settings(&folder);
    ZoneKeys::of(&settings).expect("made");
    let mode = |mode| fs::set_permissions(&settings.keys, PermissionsExt::from_mode(mode));
    let told = fs::metadata(&settings.keys).expect("a file");
    assert_eq!(told.permissions().mode() & 0o777, 0o600);
    for bits in [0o640, 0o604, 0o620, 0o601] {
        mode(bits).expect("changed");
        assert!(ZoneKeys::of(&settings).is_err(), "{bits:o}");
    }
    mode(0o400).expect("changed");
    ZoneKeys::of(&settings).expect("the owner may read them");
    let within = settings.data.join("keys");
    fs::rename(&settings.keys, &within).expect("moved");
    symlink(&within, &settings.keys).expect("a link");
    assert!(ZoneKeys::of(&settings).is_err(), "through a link");
    settings.keys = within;
    assert!(ZoneKeys::of(&settings).is_err());
}

#[test]
fn first_starts_at_once_make_one_file_of_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = settings(&folder);
    let made: Vec<[u8; 32]> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..16)
            .map(|_| scope.spawn(|| *ZoneKeys::of(&settings).expect("keys").raw.bytes()))
            .collect();
        threads
            .into_iter()
            .map(|t| t.join().expect("ended"))
            .collect()
    });
    assert!(made.iter().all(|key| *key == made[0]));
    let left = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 2, "the folder and the file of keys");
}

#[test]
fn what_is_still_written_can_be_read_at_any_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("object");
    let plain = bytes(3 * FRAME + 17, 5);
    let (key, of) = (Key::random(), Id::random());
    let mut writer =
        SealedWriter::new(File::create(&path).expect("created"), &key, of).expect("begun");
    for end in [0, 1, FRAME - 1, FRAME, FRAME + 1, 2 * FRAME, plain.len()] {
        let from = writer.bytes() as usize;
        writer.write_all(&plain[from..end]).expect("written");
        let mut reader = writer.so_far(File::open(&path).expect("there"), &key);
        let mut read = Vec::new();
        reader.read_to_end(&mut read).expect("read");
        assert!(read == plain[..end], "{end}");
        let middle = end as u64 / 2;
        reader.seek(SeekFrom::Start(middle)).expect("sought");
        read.clear();
        reader.read_to_end(&mut read).expect("read");
        assert!(read == plain[middle as usize..end], "{end}");
    }
}
