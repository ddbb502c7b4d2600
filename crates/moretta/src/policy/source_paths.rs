//! The files that `path` under [source] means: one, a list, a pattern or a folder.
//!
//! A pattern has `*` for any characters and `?` for one, in the name of the file alone;
//! a folder means all files in it whose ending tells a format. Both are taken in the order of
//! names, and files that begin with a point are left out.

use super::paths::Root;
use crate::config::{Placed, Value};
use crate::error::{Error, Result};
use crate::io::Format;
use std::path::{Path, PathBuf};

/// The files, and how the policy writes them.
pub(super) fn read(placed: &Placed, root: &Root) -> Result<(Vec<PathBuf>, String)> {
    let items = match &placed.value {
        Value::List(list) => list.iter().collect(),
        _ => vec![placed],
    };
    let (mut paths, mut shown) = (Vec::new(), Vec::new());
    for item in items {
        let text = item.text("path")?;
        paths.extend(files(item, &text, root)?);
        shown.push(text);
    }
    if let Some(twice) = (1..paths.len()).find(|&i| paths[..i].contains(&paths[i])) {
        let what = format!("`path` names {} twice", paths[twice].display());
        return Err(placed.error(what));
    }
    Ok((paths, shown.join(", ")))
}

fn files(placed: &Placed, text: &str, root: &Root) -> Result<Vec<PathBuf>> {
    let path = root.resolve(placed, text)?;
    if root.files().are_provided() {
        return Ok(vec![path]);
    }
    // A folder that is called like a file is meant as a folder only with a slash behind it.
    let is_folder = path.is_dir() && (text.ends_with('/') || Format::from_path(&path).is_none());
    let (folder, pattern) = match (is_folder, path.file_name().and_then(|n| n.to_str())) {
        (true, _) => (path.clone(), None),
        // A file may really be called so.
        (false, Some(name)) if name.contains(['*', '?']) && !path.exists() => {
            let folder = path.parent().unwrap_or(Path::new(""));
            (folder.to_owned(), Some(name))
        }
        _ => return Ok(vec![path]),
    };
    let fits = |name: &str| match pattern {
        Some(pattern) => matches(pattern.as_bytes(), name.as_bytes()),
        None => Format::from_path(Path::new(name)).is_some(),
    };
    let here = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => &folder,
    };
    let entries = std::fs::read_dir(here).map_err(|e| Error::io("read", here, e))?;
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|e| Error::io("read", here, e))?;
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|n| !n.starts_with('.') && fits(n)) else {
            continue;
        };
        // A link in the folder must not lead out of it.
        let below = Path::new(text);
        let below = match pattern {
            Some(_) => below.with_file_name(name),
            None => below.join(name),
        };
        let path = root.resolve(placed, &below.to_string_lossy())?;
        if path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    match found.is_empty() {
        true => Err(placed
            .error("`path` means no file")
            .help("a folder needs files such as a.csv, a pattern is like \"parts/*.csv\"")),
        false => Ok(found),
    }
}

/// Whether a name fits a pattern of `*` and `?`.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    // After a `*`: where the pattern goes on, and how much of the name it has taken.
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p + 1, n));
                p += 1;
            }
            Some(&c) if c == b'?' || c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((after, taken)) => {
                    star = Some((after, taken + 1));
                    (p, n) = (after, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&c| c == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_have_stars_and_question_marks() {
        for (pattern, name, fits) in [
            ("*.csv", "a.csv", true),
            ("*.csv", "a.csv.gz", false),
            ("part-?.csv", "part-7.csv", true),
            ("part-?.csv", "part-17.csv", false),
            ("a*b*c", "axxbxxbc", true),
            ("a*b*c", "axxc", false),
            ("*", "", true),
            ("?", "", false),
            ("a", "a", true),
        ] {
            let found = matches(pattern.as_bytes(), name.as_bytes());
            assert_eq!(found, fits, "{pattern} {name}");
        }
    }
}
