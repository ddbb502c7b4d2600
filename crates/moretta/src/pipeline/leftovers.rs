//! Names of temporary files, and files that a killed run has left behind.
//!
//! A name tells where and by which process the file was begun, so that the next run that
//! writes beside it knows whether that process is gone. Only files of this machine, since
//! it started, and of this space of process numbers (a container has its own) are taken
//! away; what another machine has begun in a shared folder may be alive.

use crate::error::{Error, Result};
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// What all temporary names start with.
const PREFIX: &str = ".moretta-";

/// A file this young may belong to a process that only looks gone.
const YOUNG: Duration = Duration::from_secs(60);

/// A hidden name for a file that will be called `name`.
pub(super) fn temporary_name(name: &str) -> Result<String> {
    let random =
        getrandom::u64().map_err(|_| Error::bug("the operating system gives no random number"))?;
    let (home, process) = (home(), std::process::id());
    Ok(format!(
        "{PREFIX}{home:016x}-{process}-{random:016x}.{name}"
    ))
}

/// Removes what runs that are gone have left in the folder. What cannot be looked at or
/// removed stays.
pub(super) fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(process) = name.to_str().and_then(begun_here_by) else {
            continue;
        };
        let old = entry
            .metadata()
            .is_ok_and(|metadata| metadata.is_file() && metadata.modified().is_ok_and(is_old));
        if old && is_gone(process) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The process that has begun a file of this name, if that was here.
fn begun_here_by(name: &str) -> Option<u32> {
    let (parts, _) = name.strip_prefix(PREFIX)?.split_once('.')?;
    let mut parts = parts.split('-');
    let (there, process, random) = (parts.next()?, parts.next()?, parts.next()?);
    let whole = parts.next().is_none() && random.len() == 16;
    let here = home();
    (whole && here != 0 && there == format!("{here:016x}"))
        .then(|| process.parse().ok())
        .flatten()
}

fn is_old(modified: SystemTime) -> bool {
    modified.elapsed().is_ok_and(|age| age > YOUNG)
}

/// Whether no process has this number. Only asked where `/proc` told where we are.
fn is_gone(process: u32) -> bool {
    process != std::process::id() && !Path::new("/proc").join(process.to_string()).exists()
}

/// This machine since it started and its space of process numbers, as a number; 0 where
/// the system does not tell.
fn home() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    let boot = fs::read("/proc/sys/kernel/random/boot_id");
    let space = fs::read_link("/proc/self/ns/pid");
    let (Ok(boot), Ok(space)) = (boot, space) else {
        return 0;
    };
    let mut hasher = foldhash::fast::FixedState::with_seed(0).build_hasher();
    hasher.write(&boot);
    hasher.write(space.as_os_str().as_encoded_bytes());
    hasher.finish().max(1)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::fs::File;
    use std::process::Command;

    /// A process that has ended.
    fn gone() -> u32 {
        let mut child = Command::new("true").spawn().expect("starts");
        child.wait().expect("ends");
        child.id()
    }

    #[test]
    fn only_old_files_of_processes_that_are_gone_are_swept() {
        let folder = tempfile::tempdir().expect("a folder");
        let ours = temporary_name("a.csv").expect("a name");
        let id = format!("-{}-", std::process::id());
        let dead = ours.replace(&id, &format!("-{}-", gone()));
        let mut living = Command::new("sleep").arg("60").spawn().expect("starts");
        let cases = [
            (ours.clone(), true, true),
            (dead.clone(), true, false),
            (dead.replace("a.csv", "young.csv"), false, true),
            (ours.replace(&id, &format!("-{}-", living.id())), true, true),
            (
                dead.replace(&format!("{:016x}", home()), &"0".repeat(16)),
                true,
                true,
            ),
            (".moretta-0123456789abcdef.a.csv".to_owned(), true, true),
            (".moretta-notes.txt".to_owned(), true, true),
            ("a.csv".to_owned(), true, true),
        ];
        for (name, old, _) in &cases {
            let file = File::create(folder.path().join(name)).expect("created");
            let age = Duration::from_secs(if *old { 3600 } else { 0 });
            file.set_modified(SystemTime::now() - age).expect("set");
        }
        sweep(folder.path());
        living.kill().expect("ours");
        living.wait().expect("ends");
        for (name, old, stays) in &cases {
            assert_eq!(
                folder.path().join(name).exists(),
                *stays,
                "{name}, old: {old}"
            );
        }
    }
}
