//! The diffs of CONTRIBUTING, by which things are added, apply.

use super::pages::{Page, root};
use std::fs;

#[test]
fn the_diffs_of_contributing_apply() {
    let text = Page::read("CONTRIBUTING.md").text;
    let mut hunks = 0;
    for heading in [
        "A method",
        "A measure",
        "A learner",
        "A format",
        "An attack",
    ] {
        let (_, section) = text
            .split_once(&format!("\n### {heading}\n"))
            .expect(heading);
        let (_, diff) = section.split_once("\n```diff\n").expect(heading);
        let (diff, _) = diff.split_once("\n```").expect(heading);
        // A file of its own, its line in the module above, and the list.
        let files: Vec<&str> = diff.split("--- ").skip(1).collect();
        assert!(
            (2..=3).contains(&files.len()),
            "{heading}: {} files",
            files.len()
        );
        for file in files {
            let (old, rest) = file.split_once("\n+++ b/").expect("two names");
            let (path, changes) = rest.split_once('\n').expect("changes");
            let source = fs::read_to_string(root().join(path));
            if old == "/dev/null" {
                assert!(source.is_err(), "{path} is there already");
                continue;
            }
            let source = source.expect(path);
            for hunk in changes.split("@@\n").skip(1) {
                let kept = hunk.lines().filter(|line| !line.starts_with('+'));
                let kept: String = kept.map(|line| format!("{}\n", &line[1..])).collect();
                assert_eq!(source.matches(&kept).count(), 1, "{path} has once:\n{kept}");
                assert!(!hunk.lines().any(|line| line.starts_with('-')), "{path}");
                hunks += 1;
            }
        }
    }
    assert!(hunks > 10, "{hunks}");
}
