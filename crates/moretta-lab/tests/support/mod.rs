//! Streams that published figures are known for, as tests want them.

#[path = "../../src/federation/streams.rs"]
mod streams;

use std::path::{Path, PathBuf};

pub(crate) use streams::Stream;

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data")
}

/// A folder of the public data; without it a test is skipped, except under `CI=true`.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub(crate) fn shared(folder: &str) -> Option<PathBuf> {
    let path = data().join(folder);
    if path.exists() {
        return Some(path);
    }
    let in_ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
    assert!(!in_ci, "{folder} is not there");
    eprintln!("skipped: {folder} is not there");
    None
}

/// RBF-F (0.001) and RBF-M (0.0001).
pub(crate) fn moving_rbf(speed: f64) -> Stream {
    streams::moving_rbf(speed).expect("sound")
}

/// SEA-A (1) and SEA-G (10,000).
pub(crate) fn sea(width: f64) -> Stream {
    streams::sea(width).expect("sound")
}

/// WFR.
pub(crate) fn wall_following_robot() -> Option<Stream> {
    shared("wall-following-robot")?;
    Some(streams::wall_following_robot(&data()).expect("a file of numbers"))
}

/// OCC.
pub(crate) fn occupancy() -> Option<Stream> {
    shared("occupancy")?;
    Some(streams::occupancy(&data()).expect("a file of numbers"))
}

/// EEG.
pub(crate) fn eye_states() -> Option<Stream> {
    shared("eeg-eye-state")?;
    Some(streams::eye_states(&data()).expect("a file of numbers"))
}
