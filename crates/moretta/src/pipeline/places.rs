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
    let places: Vec<PathBuf> = sink
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
    if path.exists() && !force {
        return Err(
            Error::usage(format!("{shown} exists already")).help("use --force to replace it")
        );
    }
    Ok(())
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}
