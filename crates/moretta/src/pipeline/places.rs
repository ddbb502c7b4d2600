//! Where a run writes: never over what it reads, nor unasked over what is there.

use crate::error::{Error, Result};
use crate::policy::Policy;
use std::path::{Path, PathBuf};

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

/// Outputs must not be inputs, nor each other, nor be there already.
pub(super) fn check_places(policy: &Policy, force: bool) -> Result<()> {
    let sink = policy.sink.iter().map(|sink| sink.path.clone());
    let certificate = policy
        .sink
        .iter()
        .filter_map(|sink| sink.certificate.clone());
    let checkpoint = policy.checkpoint.iter().map(|place| place.path.clone());
    let places: Vec<PathBuf> = sink
        .chain(certificate)
        .chain(checkpoint)
        .chain(report_places(policy))
        .filter(|path| path != Path::new("-"))
        .collect();
    for (i, path) in places.iter().enumerate() {
        check_place(path, &policy.inputs(), force)?;
        if places[..i].iter().any(|other| same_file(path, other)) {
            return Err(
                Error::usage(format!("{} would be written twice", path.display()))
                    .help("choose another path under [report]"),
            );
        }
    }
    Ok(())
}

fn check_place(path: &Path, inputs: &[&Path], force: bool) -> Result<()> {
    let shown = path.display();
    if inputs.iter().any(|input| same_file(path, input)) {
        return Err(
            Error::usage(format!("{shown} is an input; it would be overwritten"))
                .help("choose another path under [sink] or [report]"),
        );
    }
    if path.is_dir() {
        return Err(Error::usage(format!("{shown} is a folder, not a file")));
    }
    if path.exists() && !path.is_file() {
        return Err(
            Error::usage(format!("{shown} is a device or a pipe, not a file"))
                .help("write to `-`, which is standard output, and redirect it"),
        );
    }
    if path.exists() && !force {
        return Err(
            Error::usage(format!("{shown} exists already")).help("use --force to replace it")
        );
    }
    Ok(())
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b || same_inode(&a, &b),
        _ => a == b,
    }
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
            let found = check_place(&path(name), &[&path("input.csv")], force);
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
}
