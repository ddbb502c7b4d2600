//! Whether the order of a release tells more than the release.

use moretta::Result;
use moretta::pipeline::{self, Options, Progress};
use moretta::policy::{Policy, Root};
use moretta::protect::Method;
use std::path::Path;

/// A folder with the table `csv` and a key for pseudonyms.
pub(crate) fn folder(csv: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text);
    write("in.csv", csv).expect("written");
    write("key.txt", "0123456789abcdef0123456789abcdef").expect("written");
    folder
}

/// What the policy `text` releases of the table in `folder`, by `method` where one is given.
pub(crate) fn release(folder: &Path, text: &str, method: Option<Method>) -> Result<String> {
    let root = Root::of_policy(&folder.join("policy.toml"), None)?;
    let mut policy = Policy::parse(text, &root)?;
    if let Some(method) = method {
        policy.plan.protect = vec![method];
    }
    let options = Options {
        command: String::new(),
        date: None,
        force: true,
        strict: false,
        render: &|_| String::new(),
        progress: &Progress::default(),
    };
    pipeline::run(&policy, &options)?;
    Ok(std::fs::read_to_string(folder.join("out.csv")).expect("a release"))
}

/// Two inputs that release the same rows release them in the same order: the rows of
/// `released`, read as `column` says of each name and released once more as they are, have
/// the order that they had, in whatever order they are read.
pub(crate) fn assert_order_is_of_release(
    released: &str,
    column: impl Fn(&str) -> &'static str,
    why: &str,
) {
    let mut lines: Vec<&str> = released.lines().collect();
    let header = lines.remove(0);
    assert!(lines.len() > 20, "{why}: {} rows", lines.len());
    let columns = header.split(',');
    let columns: String = columns
        .map(|name| format!("{name} = {}\n", column(name)))
        .collect();
    let text = format!(
        "version = 1\n[source]\npath = \"in.csv\"\n[columns]\n{columns}[[protect]]\n\
         method = \"noise\"\namount = 0\ncolumns = [\"anchor\"]\n[sink]\npath = \"out.csv\"\n"
    );
    for turned in [false, true] {
        if turned {
            lines.reverse();
        }
        let folder = folder(&format!("{header}\n{}\n", lines.join("\n")));
        let again = release(folder.path(), &text, None).expect("released as they are");
        assert!(
            again == released,
            "{why}: the order tells more than the rows"
        );
    }
}
