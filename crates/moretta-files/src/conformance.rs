//! Every format of the list × every promise; a new one is held to them by its line in the list.

use super::test_data::{check_round_trip, plan, read_all, read_csv, table};
use super::*;
use moretta_data::data::Role;
use proptest::prelude::*;

/// The formats that were not left out when the tests were built.
fn built() -> impl Iterator<Item = (&'static FormatInfo, &'static FileFormat)> {
    FORMATS
        .iter()
        .filter_map(|info| Some((info, info.format.file_format().ok()?)))
}

#[test]
fn names_and_endings_tell_one_format() {
    let all = || FORMATS.iter().flat_map(|info| info.endings);
    for (i, info) in FORMATS.iter().enumerate() {
        assert_eq!(info.format.name(), info.name);
        assert!(FORMATS[..i].iter().all(|other| other.name != info.name));
        for ending in info.endings {
            assert_eq!(all().filter(|other| *other == ending).count(), 1);
            let upper = ending.to_ascii_uppercase();
            for name in [
                format!("a.{ending}"),
                format!("b.c.{upper}"),
                format!("a.{ending}.gz"),
                format!("a.{ending}.ZST"),
            ] {
                assert_eq!(Format::from_path(Path::new(&name)), Some(info.format));
            }
        }
    }
    for name in ["a.gz", "a", "-", ".csv", "a.csv.xz", "csv"] {
        assert_eq!(Format::from_path(Path::new(name)), None, "{name}");
    }
}

#[test]
fn endings_tell_the_packing() {
    for (name, packing) in [
        ("a.csv", Compression::None),
        ("a.tsv.GZ", Compression::Gzip),
        ("a.zst", Compression::Zstd),
        ("gz", Compression::None),
    ] {
        assert_eq!(Compression::from_path(Path::new(name)), packing, "{name}");
    }
}

#[test]
fn a_format_that_is_left_out_names_its_feature() {
    let features = [
        ("parquet", "parquet", cfg!(feature = "parquet")),
        ("arrow", "ipc", cfg!(feature = "ipc")),
        ("arrows", "ipc", cfg!(feature = "ipc")),
    ];
    for info in FORMATS {
        let feature = features.iter().find(|(name, ..)| *name == info.name);
        let is_on = feature.is_none_or(|(_, _, is_on)| *is_on);
        let name = format!("a.{}", info.endings[0]);
        match writable(Path::new(&name), &WriteOptions::default()) {
            Ok(()) => assert!(is_on, "{name}"),
            Err(error) => {
                assert!(!is_on, "{name}: {error}");
                let help = error.help_text().expect("a way out");
                let (_, feature, _) = feature.expect("a feature");
                assert!(help.contains(&format!("feature `{feature}`")), "{help}");
            }
        }
    }
}

fn batch() -> Batch {
    let plans = ["a", "b"].map(|name| plan(name, Role::Quasi, ReadAs::Category));
    read_csv(b"a,b\n1,x\n2,y\n", &ReadOptions::default(), &plans).expect("reads")
}

#[test]
fn what_says_so_can_be_resumed_unpacked_and_in_a_file_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let (batch, options) = (batch(), WriteOptions::default());
    for (info, own) in built() {
        for packing in ["", ".gz", ".zst"] {
            let name = format!("a.{}{packing}", info.endings[0]);
            let path = folder.path().join(&name);
            let mut sink = create(&path, &options, batch.schema()).expect("creates");
            sink.write(&batch).expect("writes");
            sink.flush().expect("flushes");
            if own.resume.is_some() && packing.is_empty() {
                assert!(resumable(&path, &options).is_ok(), "{name}");
                assert!(sink.sync().is_ok(), "{name}");
                continue;
            }
            let refused = [
                sink.sync().err(),
                resumable(&path, &options).err(),
                resume(&path, &options, batch.schema(), 0).err(),
            ];
            for error in refused {
                let error = error.expect(&name);
                assert_eq!(error.exit_code(), 3, "{name}");
                let help = error.help_text().expect("a way out");
                assert!(help.contains("csv or jsonl, not packed"), "{help}");
            }
            sink.close().expect("closes");
        }
    }
    assert!(resumable(Path::new("-"), &options).is_err());
}

#[test]
fn what_is_written_under_any_name_is_read_again_under_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let plans = ["a", "b"].map(|name| plan(name, Role::Quasi, ReadAs::Category));
    for (info, own) in built() {
        // A packing is told by the last ending alone where the format is given.
        let packings: &[&str] = if own.is_text {
            &["", ".gz", ".zst"]
        } else {
            &[""]
        };
        for packing in packings {
            let path = folder.path().join(format!("{}{packing}", info.name));
            let options = WriteOptions {
                format: Some(info.format),
                ..WriteOptions::default()
            };
            let mut sink = create(&path, &options, batch().schema()).expect("creates");
            sink.write(&batch()).expect("writes");
            sink.close().expect("closes");
            let options = ReadOptions {
                format: Some(info.format),
                ..ReadOptions::default()
            };
            let read = read_all(&path, &options, &plans).expect("reads again");
            assert_eq!(read.len(), 2, "{}", path.display());
        }
    }
}

#[test]
fn a_provider_gets_the_bytes_of_the_file_system_and_gives_the_rows_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let plans = ["a", "b"].map(|name| plan(name, Role::Quasi, ReadAs::Category));
    let memory = MemoryFiles::default();
    let files = Files::provided(memory.clone());
    let write = |path: &Path, files: &Files| {
        let options = WriteOptions {
            files: files.clone(),
            ..WriteOptions::default()
        };
        let mut sink = create(path, &options, batch().schema()).expect("creates");
        sink.write(&batch()).expect("writes");
        sink.close().expect("closes");
    };
    for (info, own) in built() {
        for packing in ["", ".gz", ".zst"] {
            if !packing.is_empty() && !own.is_packed_whole {
                continue;
            }
            let name = format!("a.{}{packing}", info.endings[0]);
            let (here, there) = (folder.path().join(&name), Path::new(&name));
            write(&here, &Files::default());
            write(there, &files);
            let bytes = std::fs::read(&here).expect("reads");
            assert!(memory.get(there) == Some(bytes), "{name}");
            let options = ReadOptions {
                files: files.clone(),
                ..ReadOptions::default()
            };
            assert_eq!(names(there, &options).expect("names"), ["a", "b"]);
            let read = read_all(there, &options, &plans).expect("reads again");
            assert_eq!(read.len(), 2, "{name}");
            let cut = memory.get(there).expect("there");
            memory.put(there, cut[..cut.len() / 2].to_vec());
            let _ = read_all(there, &options, &plans);
            assert!(!Path::new(&name).exists(), "{name} is in no folder");
        }
    }
    let gone = Path::new("gone.csv");
    let options = ReadOptions {
        files,
        ..ReadOptions::default()
    };
    assert_eq!(names(gone, &options).expect_err("none").exit_code(), 5);
}

#[test]
fn a_file_of_a_provider_is_gone_on_with_where_a_line_ends() {
    let memory = MemoryFiles::default();
    let options = WriteOptions {
        files: Files::provided(memory.clone()),
        ..WriteOptions::default()
    };
    let path = Path::new("a.csv");
    let mut sink = create(path, &options, batch().schema()).expect("creates");
    sink.write(&batch().slice(0, 1)).expect("writes");
    let bytes = sink.sync().expect("synced");
    sink.write(&batch()).expect("writes");
    sink.close().expect("closes");
    assert!(resume(path, &options, batch().schema(), bytes - 1).is_err());
    assert!(resume(path, &options, batch().schema(), 1 << 20).is_err());
    let mut sink = resume(path, &options, batch().schema(), bytes).expect("resumes");
    sink.write(&batch().slice(1, 1)).expect("writes");
    sink.close().expect("closes");
    let text = memory.get(path).expect("there");
    assert_eq!(text, b"a,b\n1,x\n2,y\n");
    let reading = ReadOptions {
        files: options.files,
        ..ReadOptions::default()
    };
    let plans = ["a", "b"].map(|name| plan(name, Role::Quasi, ReadAs::Category));
    let mut source = open(path, &reading, &plans).expect("opens");
    assert!(source.seek(bytes).expect("sought"));
    let rest: Vec<Batch> = source.collect::<Result<_>>().expect("reads");
    assert_eq!(rest.iter().map(Batch::len).sum::<usize>(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_written_is_read_again(
        rows in prop::collection::vec(
            (prop::option::of("[a-e\"é]{1,3}"), prop::option::of(-1e6f64..1e6), "[x\", =]{1,3}"),
            1..30,
        ),
    ) {
        let (text, plans) = table(&rows);
        for (info, own) in built() {
            check_round_trip(&format!("a.{}", info.endings[0]), &text, &plans, !own.is_text);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..80), at in any::<usize>(), with in any::<u8>()) {
        let folder = tempfile::tempdir().expect("a folder");
        let plans = ["a", "b"].map(|name| plan(name, Role::Quasi, ReadAs::Infer));
        for (info, _) in built() {
            let path = folder.path().join(format!("a.{}", info.endings[0]));
            std::fs::write(&path, &bytes).expect("writes");
            let _ = open(&path, &ReadOptions::default(), &plans).map(Iterator::count);
            // A file of its own with one byte changed.
            let mut sink = create(&path, &WriteOptions::default(), batch().schema()).expect("creates");
            sink.write(&batch()).expect("writes");
            sink.close().expect("closes");
            let mut bytes = std::fs::read(&path).expect("reads");
            let at = at % bytes.len();
            bytes[at] = with;
            std::fs::write(&path, &bytes).expect("writes");
            let _ = open(&path, &ReadOptions::default(), &plans).map(Iterator::count);
        }
    }
}
