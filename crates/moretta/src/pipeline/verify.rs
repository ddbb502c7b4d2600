//! Checks a file that is already there, made by this program or another.

use super::facts::verdict;
use super::judge::{declared, release_plans};
use super::progress::{Progress, Stage};
use super::report::Verdict;
use crate::data::hierarchy::{Hierarchy, HierarchySpec, read_file};
use crate::data::{Domains, Role};
use crate::error::Result;
use crate::guarantee::{Checker, Declared, Findings};
use crate::io::{self, ReadOptions};
use crate::policy::Policy;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// What a file really keeps.
pub struct Verification {
    /// What the checker found.
    pub findings: Findings,
    /// The same in words.
    pub verdict: Verdict,
}

/// Checks `file` against the guarantee of `policy`: k, l, t and p as anyone could count them.
pub fn verify(
    policy: &Policy,
    file: &Path,
    options: &ReadOptions,
    progress: &Progress,
) -> Result<Verification> {
    progress.enter(Stage::Check);
    let mut options = options.clone();
    options.progress = Some(progress.counter());
    let source = io::open(file, &options, &release_plans(policy, file, &options)?)?;
    let declared = Declared {
        trees: trees(policy)?,
        ..declared(policy, &Domains::default())
    };
    let mut checker = Checker::new(&policy.guarantee, source.schema(), declared)?;
    for batch in source {
        checker.observe(&batch?, None)?;
    }
    let findings = checker.finish()?;
    let verdict = verdict(&findings, None);
    Ok(Verification { findings, verdict })
}

/// Trees of sensitive columns that stand in files; others cannot be known without the original.
fn trees(policy: &Policy) -> Result<HashMap<String, Arc<Hierarchy>>> {
    let mut trees = HashMap::new();
    for column in &policy.columns {
        if let (Role::Sensitive, Some(HierarchySpec::File(path))) = (column.role, &column.hierarchy)
        {
            let tree = Hierarchy::from_chains(&read_file(path)?)?;
            trees.insert(column.name.clone(), Arc::new(tree));
        }
    }
    Ok(trees)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Root;

    const POLICY: &str = r#"
        version = 1
        [source]
        path = "original.csv"
        [columns]
        age = { role = "quasi" }
        school = { role = "sensitive", hierarchy = { file = "schools.csv" } }
        [guarantee]
        k = 2
        t = { value = 0.25, distance = "hierarchical" }
        [[protect]]
        method = "mondrian"
    "#;

    #[test]
    fn hierarchical_closeness_is_checked_with_the_tree_in_its_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        let write = |name: &str, text: &str| std::fs::write(place(name), text).expect("written");
        write("schools.csv", "a;low;*\nb;low;*\nc;high;*\nd;high;*\n");
        // Half of each class lies under each child of the root: only the leaves differ.
        write("near.csv", "age,school\n1..2,a\n1..2,c\n3..4,b\n3..4,d\n");
        write("far.csv", "age,school\n1..2,a\n1..2,b\n3..4,c\n3..4,d\n");
        let root = Root::of_policy(&place("policy.toml"), None).expect("a root");
        let policy = Policy::parse(POLICY, &root).expect("a policy");
        for (file, holds) in [("near.csv", true), ("far.csv", false)] {
            let options = ReadOptions::default();
            let found = verify(&policy, &place(file), &options, &Progress::default());
            assert_eq!(found.expect("checked").verdict.passed, holds, "{file}");
        }
    }
}
