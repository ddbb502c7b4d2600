//! Where a run writes: never over what it reads, nor unasked over what is there.

use super::place::{refuse_special, try_place};
use crate::error::{Error, Result};
use crate::io::Files;
use crate::policy::Policy;
use std::path::{Component, Path, PathBuf};

/// The page of the report and, beside it, its JSON.
pub(super) fn report_places(policy: &Policy) -> Vec<PathBuf> {
    let Some(page) = &policy.report else {
        return Vec::new();
    };
    let json = page.with_extension("json");
    match *page == json {
        true => vec![json],
        false => vec![page.clone(), json],
    }
}

/// Reports, which are written when a run ends, must have a place before it begins; `replaces`
/// says that those that are there may go.
pub(super) fn check_report_places(policy: &Policy, replaces: bool, help: &str) -> Result<()> {
    for place in report_places(policy) {
        if policy.files.exists(&place) && !replaces {
            let what = format!("{} exists already", place.display());
            return Err(Error::usage(what).help(help));
        }
        try_place(&place, &policy.files)?;
    }
    Ok(())
}

/// Outputs must not be inputs, nor each other, nor be there already.
pub(super) fn check_places(policy: &Policy, force: bool) -> Result<()> {
    check_outputs_of(&policy.files, &outputs(policy), &policy.inputs(), force)
}

/// Every file of a policy is another one: no output is an input or another output.
pub(super) fn check_distinct(policy: &Policy) -> Result<()> {
    let outputs = outputs(policy);
    distinct(&policy.files, &files(&outputs), &policy.inputs())
}

/// Where a run of the policy writes.
fn outputs(policy: &Policy) -> Vec<PathBuf> {
    let sink = policy.sink.iter().map(|sink| sink.path.clone());
    let certificate = policy
        .sink
        .iter()
        .filter_map(|sink| sink.certificate.clone());
    let edges = policy.sink.iter().filter_map(|sink| sink.edges.clone());
    let checkpoint = policy.checkpoint.iter().map(|place| place.path.clone());
    let manifest = policy.manifest.iter().map(|place| place.path.clone());
    let matrices = policy.sink.iter().filter_map(|sink| sink.matrices.clone());
    sink.chain(certificate)
        .chain(matrices)
        .chain(edges)
        .chain(checkpoint)
        .chain(manifest)
        .chain(report_places(policy))
        .collect()
}

/// Fails when an output is an input, or another output, or no file, or there already.
/// Nothing is checked of `-`, which is standard output.
pub fn check_outputs<P: AsRef<Path>>(outputs: &[P], inputs: &[&Path], force: bool) -> Result<()> {
    check_outputs_of(&Files::default(), outputs, inputs, force)
}

/// The same with files that a provider may keep.
fn check_outputs_of<P: AsRef<Path>>(
    of: &Files,
    outputs: &[P],
    inputs: &[&Path],
    force: bool,
) -> Result<()> {
    let outputs = files(outputs);
    distinct(of, &outputs, inputs)?;
    let mut outputs = outputs.iter();
    outputs.try_for_each(|path| check_free(of, path, force))
}

/// Without `-`, which is standard output.
fn files<P: AsRef<Path>>(outputs: &[P]) -> Vec<&Path> {
    let outputs = outputs.iter().map(P::as_ref);
    outputs.filter(|path| *path != Path::new("-")).collect()
}

fn distinct(files: &Files, outputs: &[&Path], inputs: &[&Path]) -> Result<()> {
    let same_file = |a: &Path, b: &Path| match files.are_provided() {
        true => a == b,
        false => same_file(a, b),
    };
    for (i, path) in outputs.iter().enumerate() {
        let shown = path.display();
        if inputs.iter().any(|input| same_file(path, input)) {
            return Err(
                Error::usage(format!("{shown} is an input; it would be overwritten"))
                    .help("choose another path for what is written"),
            );
        }
        if outputs[..i].iter().any(|other| same_file(path, other)) {
            return Err(Error::usage(format!("{shown} would be written twice"))
                .help("choose another path for one of them"));
        }
    }
    Ok(())
}

fn check_free(files: &Files, path: &Path, force: bool) -> Result<()> {
    if !files.are_provided() {
        refuse_special(path)?;
    }
    if files.exists(path) && !force {
        let what = format!("{} exists already", path.display());
        return Err(Error::usage(what).help("use --force to replace it"));
    }
    Ok(())
}

/// Whether two paths are names of one file.
pub(super) fn same_file(a: &Path, b: &Path) -> bool {
    let (a, b) = (real(a), real(b));
    a == b || same_inode(&a, &b)
}

/// The path without links and detours, also of a file whose folders are not there yet.
fn real(path: &Path) -> PathBuf {
    let path = Path::new(".").join(path);
    let known = path.ancestors().find_map(|known| {
        let rest = path.strip_prefix(known).ok()?;
        Some((known.canonicalize().ok()?, rest))
    });
    let Some((mut real, rest)) = known else {
        return path;
    };
    for part in rest.components() {
        match part {
            Component::ParentDir => drop(real.pop()),
            Component::Normal(name) => real.push(name),
            _ => {}
        }
    }
    real
}

/// Two names of one file.
#[cfg(unix)]
fn same_inode(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (a.metadata(), b.metadata()) {
        (Ok(a), Ok(b)) => a.dev() == b.dev() && a.ino() == b.ino(),
        _ => false,
    }
}

#[cfg(not(unix))]
fn same_inode(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_neither_an_input_nor_a_folder_nor_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        for name in ["input.csv", "older.csv"] {
            std::fs::write(path(name), "x").expect("written");
        }
        std::fs::create_dir(path("inner")).expect("a folder");
        for (name, force, refused) in [
            ("new.csv", false, None),
            ("older.csv", true, None),
            ("older.csv", false, Some("exists already")),
            ("inner", true, Some("is a folder, not a file")),
            ("inner/../input.csv", true, Some("is an input")),
            #[cfg(unix)]
            ("/dev/null", true, Some("is a device")),
        ] {
            let found = check_outputs(&[path(name)], &[&path("input.csv")], force);
            match (refused, found) {
                (None, Ok(())) => {}
                (Some(what), Err(error)) => {
                    assert!(error.to_string().contains(what), "{error}");
                    assert_eq!(error.exit_code(), 2);
                }
                (_, found) => panic!("{name}: {found:?}"),
            }
        }
    }

    #[test]
    fn two_outputs_are_two_files_even_before_they_are_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("inner")).expect("a folder");
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path(), path("link")).expect("a link");
        for (a, b, twice) in [
            ("a.html", "a.model", false),
            ("a.html", "a.html", true),
            ("a.html", "inner/../a.html", true),
            ("a.html", "./a.html", true),
            ("later/a.html", "later/../later/./a.html", true),
            ("later/a.html", "later/b/../a.html", true),
            ("later/a.html", "a.html", false),
            #[cfg(unix)]
            ("a.html", "link/a.html", true),
            #[cfg(unix)]
            ("later/a.html", "link/later/a.html", true),
        ] {
            let found = check_outputs(&[path(a), path(b)], &[], false);
            assert_eq!(found.is_err(), twice, "{a} {b}");
        }
        check_outputs(&["-", "-"], &[Path::new("-")], false).expect("standard output");
    }
}
