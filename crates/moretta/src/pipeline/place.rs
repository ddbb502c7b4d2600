//! Files that appear only when all is well.
//!
//! A file is written under a hidden temporary name beside its place, readable
//! by its owner only, and renamed when the run is done. Dropped before that, it
//! is removed, and so are the folders made for it; [`abandon`] does so for all
//! files of a process that is told to end, and what a killed one has left beside
//! the place is swept away.

use super::leftovers::{sweep, temporary_name};
use crate::error::{Error, Result};
use crate::io::Files;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Files on their way, with the folders made for them.
static ON_THEIR_WAY: Mutex<Vec<(PathBuf, Vec<PathBuf>)>> = Mutex::new(Vec::new());

fn on_their_way() -> MutexGuard<'static, Vec<(PathBuf, Vec<PathBuf>)>> {
    ON_THEIR_WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all files that are not in their places yet. A program calls it when it is
/// told to end, and must end then: no file can be begun or put in its place any more.
pub fn abandon() {
    // Files of one run appear together: those that are being put in place are waited for.
    let committing = COMMITTING.lock().unwrap_or_else(|e| e.into_inner());
    let files = on_their_way();
    for (temporary, folders) in files.iter() {
        let _ = fs::remove_file(temporary);
        remove_empty(folders);
    }
    // Whoever would begin another file waits for the end.
    std::mem::forget((files, committing));
}

/// Held while the files of one run are put in their places.
static COMMITTING: Mutex<()> = Mutex::new(());

/// A file that is written in its place and is of no use without its end, so that [`abandon`]
/// removes it.
pub(super) struct Endless(PathBuf);

impl Endless {
    pub(super) fn new(place: &Path) -> Self {
        on_their_way().push((place.to_owned(), Vec::new()));
        Endless(place.to_owned())
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        on_their_way().retain(|(path, _)| *path != self.0);
    }
}

/// A file on its way to its place.
pub(super) struct Pending {
    place: PathBuf,
    temporary: PathBuf,
    made_folders: Vec<PathBuf>,
    standard: bool,
    private: bool,
    /// It takes the place of an older one, whether or not others may, and gives it back when
    /// others cannot be put in theirs.
    replaces: bool,
    /// It is gone on with after a crash, and stays where it is until then.
    stays: bool,
    committed: bool,
    files: Files,
}

impl Pending {
    /// Prepares a temporary name for `place`; `-` is standard output.
    pub(super) fn new(place: &Path, files: &Files) -> Result<Self> {
        if files.are_provided() {
            let name = place.file_name().unwrap_or_default().to_string_lossy();
            let aside = place.with_file_name(format!(".aside-{name}"));
            return Ok(Pending::provided(place, aside, files));
        }
        let standard = place == Path::new("-");
        if !standard {
            refuse_special(place)?;
        }
        let folder = if standard {
            std::env::temp_dir()
        } else {
            folder_of(place).to_owned()
        };
        let made_folders = make_folders(&folder)?;
        let name = match place.file_name() {
            Some(name) if !standard => name.to_string_lossy().into_owned(),
            _ => "release".to_owned(),
        };
        sweep(&folder);
        let temporary = folder.join(temporary_name(&name)?);
        on_their_way().push((temporary.clone(), made_folders.clone()));
        Ok(Pending {
            place: place.to_owned(),
            temporary,
            made_folders,
            standard,
            private: false,
            replaces: false,
            stays: false,
            committed: false,
            files: files.clone(),
        })
    }

    /// The same for a file that the next run goes on with when this one stops: its temporary
    /// name is always the same.
    pub(super) fn resumable(place: &Path, files: &Files) -> Result<Self> {
        if files.are_provided() {
            let mut pending = Pending::provided(place, partial(place), files);
            pending.stays = true;
            return Ok(pending);
        }
        refuse_special(place)?;
        let folder = folder_of(place);
        make_folders(folder)?;
        sweep(folder);
        Ok(Pending {
            place: place.to_owned(),
            temporary: partial(place),
            made_folders: Vec::new(),
            standard: false,
            private: false,
            replaces: false,
            stays: true,
            committed: false,
            files: files.clone(),
        })
    }

    /// A file of a provider, which has no folders and nobody else who writes.
    fn provided(place: &Path, aside: PathBuf, files: &Files) -> Self {
        Pending {
            place: place.to_owned(),
            temporary: aside,
            made_folders: Vec::new(),
            standard: false,
            private: true,
            replaces: false,
            stays: false,
            committed: false,
            files: files.clone(),
        }
    }

    /// The same file, which stays its owner's.
    pub(super) fn private(mut self) -> Self {
        self.private = true;
        self
    }

    /// The same file, which takes the place of an older one.
    pub(super) fn replacing(mut self) -> Self {
        self.replaces = true;
        self
    }

    /// Where it will be.
    pub(super) fn place(&self) -> &Path {
        &self.place
    }

    /// Where to write it for now.
    pub(super) fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// Writes the whole file at its temporary place.
    pub(super) fn write(&self, bytes: &[u8]) -> Result<()> {
        use std::io::Write;
        let failed = |e| Error::io("write", &self.place, e);
        if self.files.are_provided() {
            return self.files.write(&self.temporary, bytes).map_err(failed);
        }
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&self.temporary).map_err(failed)?;
        file.write_all(bytes)
            .and_then(|()| file.sync_all())
            .map_err(failed)
    }

    /// Puts the file in its place; one that came there meanwhile is replaced only with `force`.
    fn commit(mut self, force: bool) -> Result<()> {
        let failed = |e| Error::io("write", &self.place, e);
        if let Some(provider) = self.files.provider() {
            let replaces = force || self.replaces;
            let renamed = provider.rename(&self.temporary, &self.place, replaces);
            renamed.map_err(|e| match e.kind() {
                ErrorKind::AlreadyExists => exists(&self.place),
                _ => failed(e),
            })?;
            self.committed = true;
            return Ok(());
        }
        if self.standard {
            let mut file = File::open(&self.temporary).map_err(failed)?;
            std::io::copy(&mut file, &mut std::io::stdout().lock()).map_err(failed)?;
            return Ok(());
        }
        if !self.private {
            open_to_readers(&self.temporary).map_err(failed)?;
        }
        self.move_into_place(force || self.replaces)?;
        self.committed = true;
        File::open(folder_of(&self.place))
            .and_then(|folder| folder.sync_all())
            .map_err(|e| Error::io("write", &self.place, e))
    }
}

/// Where a release lies that the next run goes on with.
pub(super) fn partial(place: &Path) -> PathBuf {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    place.with_file_name(format!(".partial-{name}"))
}

/// Puts all files in their places, or none: when one cannot be put there, those
/// that were new are taken away again. What `force` has replaced is gone.
pub(super) fn commit_all(files: Vec<Pending>, force: bool) -> Result<()> {
    // Nobody waits for what is copied to a pipe.
    let waits = files.iter().all(|file| !file.standard);
    let _committing = waits.then(|| COMMITTING.lock().unwrap_or_else(|e| e.into_inner()));
    let folders: Vec<PathBuf> = files.iter().flat_map(|f| f.made_folders.clone()).collect();
    let mut fresh: Vec<(Files, PathBuf, Option<PathBuf>)> = Vec::new();
    let mut older = Vec::new();
    for file in files {
        let is_fresh = !file.standard && !file.files.exists(&file.place);
        let before = file.stays.then(|| file.temporary.clone());
        let place = is_fresh.then(|| (file.files.clone(), file.place.clone(), before));
        let kept = match file.replaces && !is_fresh {
            true => Older::keep(&file.place, &file.files).map(Some),
            false => Ok(None),
        };
        if let Err(error) = kept.and_then(|kept| {
            older.extend(kept);
            file.commit(force)
        }) {
            for (files, place, before) in fresh {
                // The next run goes on with what stays.
                let _ = match before {
                    Some(before) => files.rename(&place, &before),
                    None => files.remove(&place),
                };
            }
            older.into_iter().for_each(Older::give_back);
            remove_empty(&folders);
            return Err(error);
        }
        fresh.extend(place);
    }
    Ok(())
}

/// What was in a place before, beside it until all files are in theirs.
struct Older {
    place: PathBuf,
    aside: PathBuf,
    files: Files,
}

impl Older {
    fn keep(place: &Path, files: &Files) -> Result<Self> {
        let failed = |e| Error::io("write", place, e);
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        if files.are_provided() {
            let aside = place.with_file_name(format!(".older-{name}"));
            files.rename(place, &aside).map_err(failed)?;
            return Ok(Older {
                place: place.to_owned(),
                aside,
                files: files.clone(),
            });
        }
        let aside = place.with_file_name(temporary_name(&name)?);
        on_their_way().push((aside.clone(), Vec::new()));
        let older = Older {
            place: place.to_owned(),
            aside,
            files: files.clone(),
        };
        fs::hard_link(place, &older.aside)
            .or_else(|_| fs::copy(place, &older.aside).map(drop))
            .map_err(failed)?;
        Ok(older)
    }

    fn give_back(self) {
        let _ = self.files.rename(&self.aside, &self.place);
    }
}

impl Drop for Older {
    fn drop(&mut self) {
        on_their_way().retain(|(aside, _)| *aside != self.aside);
        let _ = self.files.remove(&self.aside);
    }
}

/// Files of one call: all of them appear, or none.
#[derive(Default)]
pub struct Outputs(Vec<Pending>);

impl Outputs {
    /// Writes a file aside; `-` is standard output.
    pub fn add(&mut self, place: &Path, bytes: &[u8]) -> Result<()> {
        self.write(Pending::new(place, &Files::default())?, bytes)
    }

    /// The same with a file that only its owner may read.
    pub fn add_private(&mut self, place: &Path, bytes: &[u8]) -> Result<()> {
        self.write(Pending::new(place, &Files::default())?.private(), bytes)
    }

    fn write(&mut self, pending: Pending, bytes: &[u8]) -> Result<()> {
        pending.write(bytes)?;
        self.0.push(pending);
        Ok(())
    }

    /// Puts them in their places; those that are there are replaced only with `force`.
    pub fn commit(self, force: bool) -> Result<()> {
        commit_all(self.0, force)
    }
}

/// A rename would put a file where a folder, a device or a pipe is.
pub(super) fn refuse_special(place: &Path) -> Result<()> {
    let shown = place.display();
    if place.is_dir() {
        return Err(Error::usage(format!("{shown} is a folder, not a file")));
    }
    if place.exists() && !place.is_file() {
        return Err(
            Error::usage(format!("{shown} is a device or a pipe, not a file"))
                .help("name a file; rows can also go to `-`, which is standard output"),
        );
    }
    Ok(())
}

/// Removes the folders that hold nothing, innermost first.
pub(super) fn remove_empty(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        let _ = fs::remove_dir(folder);
    }
}

impl Pending {
    /// A link, unlike a rename, fails where there is a file already.
    fn move_into_place(&self, force: bool) -> Result<()> {
        let failed = |e| Error::io("write", &self.place, e);
        if !force {
            match fs::hard_link(&self.temporary, &self.place) {
                Ok(()) => return fs::remove_file(&self.temporary).map_err(failed),
                Err(e) if e.kind() == ErrorKind::AlreadyExists => {
                    return Err(exists(&self.place));
                }
                // Not every file system has links.
                Err(_) => {}
            }
        }
        refuse_special(&self.place)?;
        fs::rename(&self.temporary, &self.place).map_err(failed)
    }
}

/// Somebody has put a file there meanwhile.
fn exists(place: &Path) -> Error {
    Error::usage(format!("{} exists already", place.display()))
        .help("another run may have made it; use --force to replace it")
}

/// Fails when no file can be made beside a place.
pub(super) fn try_place(place: &Path, files: &Files) -> Result<()> {
    Pending::new(place, files)?.write(b"")
}

/// Gives the file the permissions that a new file of this user has.
pub(super) fn open_to_readers(path: &Path) -> std::io::Result<()> {
    let name = temporary_name("mode").map_err(|_| std::io::Error::other("no random number"))?;
    let sample = path.with_file_name(name);
    let permissions = File::create_new(&sample)?.metadata()?.permissions();
    fs::remove_file(&sample)?;
    fs::set_permissions(path, permissions)
}

impl Drop for Pending {
    fn drop(&mut self) {
        on_their_way().retain(|(temporary, _)| *temporary != self.temporary);
        if self.committed || self.stays {
            return;
        }
        let _ = self.files.remove(&self.temporary);
        remove_empty(&self.made_folders);
    }
}

pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Makes the folder and those above it; gives the new ones, outermost first.
pub(super) fn make_folders(folder: &Path) -> Result<Vec<PathBuf>> {
    let missing: Vec<PathBuf> = folder
        .ancestors()
        .take_while(|f| !f.as_os_str().is_empty() && !f.exists())
        .map(Path::to_owned)
        .collect();
    fs::create_dir_all(folder).map_err(|e| Error::io("create", folder, e))?;
    Ok(missing.into_iter().rev().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_file_leaves_nothing_behind() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("a/b/out.csv");
        let pending = Pending::new(&place, &Files::default()).expect("prepared");
        pending.write(b"x").expect("written");
        assert!(pending.temporary().exists());
        drop(pending);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }

    #[test]
    fn a_file_that_came_meanwhile_is_replaced_only_by_force() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("out.csv");
        for (force, expected) in [(false, b"theirs"), (true, b"ours!!")] {
            let pending = Pending::new(&place, &Files::default()).expect("prepared");
            pending.write(b"ours!!").expect("written");
            fs::write(&place, b"theirs").expect("written");
            let code = pending.commit(force).err().map(|error| error.exit_code());
            assert_eq!(code, (!force).then_some(2));
            assert_eq!(fs::read(&place).expect("there"), expected);
            assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        }
    }

    #[test]
    fn all_files_come_into_place_or_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join("out").join(name);
        let pending = |name: &str| {
            let pending = Pending::new(&place(name), &Files::default()).expect("prepared");
            pending.write(b"x").expect("written");
            pending
        };
        let files = vec![pending("release.csv"), pending("report.html")];
        // A folder in the place of the second file: it can be neither linked nor renamed there.
        fs::create_dir(place("report.html")).expect("in the way");
        assert!(commit_all(files, true).is_err());
        assert!(!place("release.csv").exists());
        fs::remove_dir(place("report.html")).expect("out of the way");
        assert_eq!(
            fs::read_dir(folder.path().join("out"))
                .expect("there")
                .count(),
            0
        );
        let files = vec![pending("release.csv"), pending("report.html")];
        commit_all(files, false).expect("in place");
        assert_eq!(
            fs::read_dir(folder.path().join("out"))
                .expect("there")
                .count(),
            2
        );
    }

    #[test]
    fn what_replaces_an_older_file_gives_it_back_when_others_fail() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        let pending = |name: &str| {
            let pending = Pending::new(&place(name), &Files::default()).expect("prepared");
            pending.write(b"new").expect("written");
            pending
        };
        fs::write(place("ledger"), "old").expect("written");
        fs::write(place("release"), "theirs").expect("written");
        let files = || vec![pending("ledger").replacing(), pending("release")];
        assert!(commit_all(files(), false).is_err(), "a release is there");
        assert_eq!(fs::read(place("ledger")).expect("there"), b"old");
        assert_eq!(fs::read(place("release")).expect("there"), b"theirs");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
        fs::remove_file(place("release")).expect("removed");
        commit_all(files(), false).expect("in place");
        assert_eq!(fs::read(place("ledger")).expect("there"), b"new");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_folders_are_not_replaced() {
        use std::os::unix::fs::FileTypeExt;
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        let made = std::process::Command::new("mkfifo")
            .arg(place("pipe"))
            .status();
        assert!(made.expect("mkfifo").success());
        fs::create_dir(place("inner")).expect("a folder");
        for (name, told) in [("pipe", "a pipe, not a file"), ("inner", "is a folder")] {
            let error = Outputs::default().add(&place(name), b"x").err();
            let error = error.expect("refused");
            assert!(error.to_string().contains(told), "{error}");
            assert_eq!(error.exit_code(), 2);
        }
        let late = Pending::new(&place("late"), &Files::default()).expect("prepared");
        late.write(b"x").expect("written");
        fs::rename(place("pipe"), place("late")).expect("a pipe came meanwhile");
        assert_eq!(late.commit(true).expect_err("refused").exit_code(), 2);
        let kind = fs::metadata(place("late")).expect("there").file_type();
        assert!(kind.is_fifo());
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn a_private_file_stays_its_owners_beside_others() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        let mut outputs = Outputs::default();
        outputs.add_private(&place("m.model"), b"x").expect("aside");
        outputs.add(&place("page.html"), b"x").expect("aside");
        assert!(!place("m.model").exists() && !place("page.html").exists());
        outputs.commit(false).expect("in place");
        let mode = |name: &str| {
            let metadata = fs::metadata(place(name)).expect("there");
            metadata.permissions().mode() & 0o777
        };
        assert_eq!(mode("m.model"), 0o600);
        fs::write(place("sample"), "").expect("written");
        assert_eq!(mode("page.html"), mode("sample"));
    }

    #[test]
    fn a_committed_file_is_in_its_place_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("a/out.csv");
        let pending = Pending::new(&place, &Files::default()).expect("prepared");
        pending.write(b"x").expect("written");
        pending.commit(false).expect("in place");
        assert_eq!(fs::read(&place).expect("there"), b"x");
        assert_eq!(
            fs::read_dir(folder.path().join("a"))
                .expect("a folder")
                .count(),
            1
        );
    }
}
