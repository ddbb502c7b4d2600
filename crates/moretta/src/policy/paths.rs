//! Paths in a policy stay below a folder: a policy from elsewhere cannot reach other files.

use super::Secrets;
use crate::config::Placed;
use crate::error::{Error, Result};
use crate::io::Files;
use std::path::{Component, Path, PathBuf};

/// The folder that relative paths start from, and the folder that no path may leave; or the
/// provider whose files are meant. Who knows keys by their names is said beside it.
#[derive(Clone, Debug)]
pub struct Root {
    base: PathBuf,
    fence: PathBuf,
    files: Files,
    secrets: Secrets,
}

impl Root {
    /// Paths start from the folder of the policy and stay below it, or below `fence` when given.
    pub fn of_policy(policy: &Path, fence: Option<&Path>) -> Result<Self> {
        // Without a folder the paths stay as the policy writes them, and messages show them so.
        let base = policy.parent().unwrap_or(Path::new(""));
        let here = match base.as_os_str().is_empty() {
            true => Path::new("."),
            false => base,
        };
        let fence = fence.unwrap_or(here);
        let fence = fence
            .canonicalize()
            .map_err(|e| Error::io("open", fence, e))?;
        Ok(Root {
            base: base.to_owned(),
            fence,
            files: Files::default(),
            secrets: Secrets::default(),
        })
    }

    /// Paths are names of files that a provider keeps, and stay as the policy writes them.
    pub fn of_files(files: Files) -> Self {
        Root {
            base: PathBuf::new(),
            fence: PathBuf::new(),
            files,
            secrets: Secrets::default(),
        }
    }

    /// The same, with somebody who knows keys by their names.
    pub fn with_secrets(self, secrets: Secrets) -> Self {
        Root { secrets, ..self }
    }

    /// Where files are.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Who knows keys by their names.
    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// The path that a policy means by `text`; `-` stays as it is.
    pub fn resolve(&self, placed: &Placed, text: &str) -> Result<PathBuf> {
        if self.files.are_provided() {
            return name_of(placed, text);
        }
        if text == "-" {
            return Ok(PathBuf::from("-"));
        }
        if text.contains("://") {
            let error = placed
                .error("a path is a file, not an address: no host is allowed")
                .help("fetch the file first and name it here");
            return Err(match text.contains('@') {
                true => error.secret(),
                false => error,
            });
        }
        if text.is_empty() || text.contains('\0') {
            return Err(placed.error("a path cannot be empty or hold a NUL"));
        }
        let path = self.base.join(text);
        if self.holds(&path) {
            Ok(path)
        } else {
            Err(placed
                .error("the path is outside the policy's folder")
                .help("move the file, or allow a wider folder with --root"))
        }
    }

    /// A path beside the policy, of a name that the program gives.
    pub(super) fn beside(&self, name: &str) -> PathBuf {
        self.base.join(name)
    }

    /// Whether the path, symbolic links followed, lies below the fence.
    fn holds(&self, path: &Path) -> bool {
        let mut known = path.to_owned();
        let mut rest = Vec::new();
        loop {
            if let Ok(real) = known.canonicalize() {
                let unresolved = rest
                    .iter()
                    .any(|part| *part == Component::ParentDir.as_os_str());
                return real.starts_with(&self.fence) && !unresolved;
            }
            // A link that points nowhere cannot be followed and so cannot be judged.
            if known.is_symlink() {
                return false;
            }
            let Some(last) = known.components().next_back() else {
                return false;
            };
            rest.push(last.as_os_str().to_owned());
            if !known.pop() {
                return false;
            }
            if known.as_os_str().is_empty() {
                known = PathBuf::from(".");
            }
        }
    }
}

/// The name of a file that a provider keeps: no path leads anywhere.
fn name_of(placed: &Placed, text: &str) -> Result<PathBuf> {
    let mut parts = Path::new(text).components();
    let is_name = matches!(parts.next(), Some(Component::Normal(_))) && parts.next().is_none();
    if is_name && text != "-" && !text.contains('\0') {
        return Ok(PathBuf::from(text));
    }
    Err(placed
        .error("a file is named here by its name alone")
        .help("leave folders, addresses and `-` out"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Value;

    fn resolve(root: &Root, text: &str) -> Result<PathBuf> {
        let value = Value::Text(text.to_owned());
        root.resolve(&Placed { value, span: 0..1 }, text)
    }

    #[test]
    fn paths_stay_as_written_and_inside() {
        let root = Root::of_policy(Path::new("policy.toml"), None).expect("this folder");
        for text in ["a.csv", "new/a.csv", "-"] {
            assert_eq!(resolve(&root, text).expect("inside"), Path::new(text));
        }
        for text in ["../a.csv", "new/../../a.csv", "/etc/passwd", "", "a\0"] {
            assert_eq!(resolve(&root, text).expect_err(text).exit_code(), 3);
        }
    }

    #[test]
    fn an_address_with_a_password_is_not_shown() {
        let root = Root::of_policy(Path::new("policy.toml"), None).expect("this folder");
        for (text, hidden) in [("http://a/b", false), ("https://me:word@a/b", true)] {
            let Err(Error::Policy(error)) = resolve(&root, text) else {
                panic!("an address is refused");
            };
            assert_eq!(error.secret, hidden, "{text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_before_they_are_judged() {
        use std::os::unix::fs::symlink;
        let outer = tempfile::tempdir().expect("a folder");
        let inner = outer.path().join("inner");
        std::fs::create_dir_all(inner.join("sub")).expect("made");
        std::fs::write(outer.path().join("secret.csv"), "").expect("written");
        std::fs::write(inner.join("data.csv"), "").expect("written");
        for (target, link) in [
            (outer.path().join("secret.csv"), "out.csv"),
            (outer.path().to_owned(), "up"),
            (outer.path().join("nowhere.csv"), "dangling.csv"),
            (inner.join("data.csv"), "in.csv"),
            (inner.join("sub"), "down"),
        ] {
            symlink(target, inner.join(link)).expect("linked");
        }
        let policy = inner.join("policy.toml");
        let root = Root::of_policy(&policy, None).expect("a folder");
        for (text, inside) in [
            ("data.csv", true),
            ("in.csv", true),
            ("down/new.csv", true),
            ("new/deep/er.csv", true),
            ("sub/../data.csv", true),
            ("out.csv", false),
            ("up/secret.csv", false),
            ("up/inner/data.csv", true),
            ("up/new.csv", false),
            ("dangling.csv", false),
            ("new/../../secret.csv", false),
        ] {
            assert_eq!(resolve(&root, text).is_ok(), inside, "{text}");
        }
        let wider = Root::of_policy(&policy, Some(outer.path())).expect("a folder");
        for text in ["out.csv", "up/secret.csv", "../secret.csv"] {
            assert!(resolve(&wider, text).is_ok(), "{text}");
        }
        assert!(resolve(&wider, "../../x.csv").is_err());
    }
}
