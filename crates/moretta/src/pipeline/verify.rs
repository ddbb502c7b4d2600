//! Checks a file that is already there, made by this program or another.

use super::facts::verdict;
use super::judge::{declared, released_names};
use super::progress::{Progress, Stage};
use super::release_columns::{Taken, release_plans};
use super::report::Verdict;
use super::stream::{self, StreamVerification};
use crate::data::{Batch, Domain, Domains, Role};
use crate::error::{Error, Result};
use crate::guarantee::{Fault, Findings, Rule, plain_check};
use crate::io::{self, ReadOptions};
use crate::policy::Policy;
use crate::protect::identifiers::looks_like_pseudonym;
use std::path::Path;
use std::sync::Arc;

/// What a file really keeps.
pub struct Verification {
    /// What the checker found.
    pub findings: Findings,
    /// The same in words.
    pub verdict: Verdict,
}

/// Holds a release of a stream against the source of `policy`, and against its
/// certificate if there is one.
pub fn verify_stream(
    policy: &Policy,
    file: &Path,
    certificate: Option<&Path>,
    options: &ReadOptions,
    progress: &Progress,
) -> Result<StreamVerification> {
    let config = policy.stream().ok_or_else(|| {
        Error::usage("only a stream has a certificate")
            .help("take --certificate away, or give the policy of a stream")
    })?;
    stream::verify(policy, config, file, certificate, options, progress)
}

/// Checks `file` against the guarantee of `policy`: k, l, t and p as anyone could count them.
pub fn verify(
    policy: &Policy,
    file: &Path,
    options: &ReadOptions,
    progress: &Progress,
) -> Result<Verification> {
    if policy.stream().is_some() {
        return Err(Error::bug("a stream was verified as a table"));
    }
    if policy.guarantee.k.is_none() && policy.masking().is_some() {
        return Err(
            Error::policy("the method promises nothing that could be seen in a file")
                .help("the report of `moretta run` tells risk and loss"),
        );
    }
    progress.enter(Stage::Check);
    let mut options = options.clone();
    options.progress = Some(progress.counter());
    options.names = released_names(policy);
    let plans = release_plans(policy, file, &options, Taken::Release)?;
    let source = io::open(file, &options, &plans)?;
    let schema = Arc::clone(source.schema());
    let release = Batch::concat(&schema, source.collect::<Result<Vec<_>>>()?)?;
    let declared = declared(policy, &sensitive_domains(policy, &release)?);
    let bare = bare_identifiers(&release, &declared.pseudonyms);
    let mut findings = plain_check(&release, &policy.guarantee, declared, None)?;
    findings.faults.extend(bare);
    let verdict = verdict(&findings, None);
    Ok(Verification { findings, verdict })
}

/// Columns of pseudonyms that hold something else, such as the names themselves.
fn bare_identifiers(release: &Batch, pseudonyms: &[String]) -> Vec<Fault> {
    let bare = |name: &String| {
        let values = release.column_named(name)?.as_categories()?;
        let is_bare: Vec<bool> = (values.levels().iter())
            .map(|text| !looks_like_pseudonym(text))
            .collect();
        let codes = values.codes().iter();
        let count = codes.filter(|&&code| is_bare.get(code as usize) == Some(&true));
        match count.count() as u64 {
            0 => None,
            count => Some(Fault {
                column: Some(name.clone()),
                rule: Rule::NotPseudonymous,
                count,
            }),
        }
    };
    pseudonyms.iter().filter_map(bare).collect()
}

/// Sensitive values are released as they are, so their trees can be made from the release.
fn sensitive_domains(policy: &Policy, release: &Batch) -> Result<Domains> {
    let mut domains = Vec::new();
    for (field, column) in release.schema().fields().iter().zip(release.columns()) {
        let spec = policy
            .column(&field.name)
            .and_then(|column| column.hierarchy.as_ref());
        if let (Role::Sensitive, Some(spec)) = (field.role, spec) {
            let tree = Arc::new(spec.build_for(field, column)?);
            domains.push((
                field.name.to_string(),
                Domain::of(field, column, Some(tree))?,
            ));
        }
    }
    Ok(Domains::new(domains))
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
    fn a_raw_file_is_never_a_release() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        let root = Root::of_policy(&place("policy.toml"), None).expect("a root");
        let [one, other] = ["0", "1"].map(|digit| digit.repeat(32));
        let record = "record = { role = \"key\", action = \"pseudonym\", key = \"env:KEY\" }";
        let raw = [
            ("Age,ward", false),
            ("alter,ward", false),
            ("age,Ward", false),
        ];
        for (method, record) in [
            (
                "[guarantee]\nk = 2\n[[protect]]\nmethod = \"mondrian\"",
                record,
            ),
            ("[[protect]]\nmethod = \"microaggregation\"\nk = 2", ""),
            (
                "[[protect]]\nmethod = \"microaggregation\"\nk = 2\nbuffer = 10",
                "",
            ),
        ] {
            let text = format!(
                "version = 1\n[source]\npath = \"o.csv\"\n[columns]\n\
                 name = {{ role = \"identifier\" }}\n{record}\n\
                 age = {{ role = \"quasi\", type = \"number\" }}\nward = {{ role = \"plain\" }}\n{method}\n"
            );
            let policy = Policy::parse(&text, &root).expect("a policy");
            let check = |header: &str, rows: [&str; 2], passes: bool| {
                let rows = format!("{header}\n{}1,a\n{}1,b\n", rows[0], rows[1]);
                std::fs::write(place("release.csv"), rows).expect("written");
                let found = verify(
                    &policy,
                    &place("release.csv"),
                    &ReadOptions::default(),
                    &Progress::default(),
                );
                let passed = found.is_ok_and(|found| found.verdict.passed);
                assert_eq!(passed, passes, "{method}: {header}");
            };
            let (first, second) = (format!("{one},"), format!("{other},"));
            let (names, cells) = match record.is_empty() {
                true => ("", ["", ""]),
                false => ("record,", [first.as_str(), second.as_str()]),
            };
            for (header, passes) in raw.into_iter().chain([("age,ward", true)]) {
                check(&format!("{names}{header}"), cells, passes);
            }
            check("name,age,ward", ["Ada,", "Eva,"], false);
            check("Name,age,ward", ["Ada,", "Eva,"], false);
            if !record.is_empty() {
                check("record,age,ward", ["A-17,", "A-18,"], false);
                check("record,age,ward", [&first, &first], false);
            }
        }
    }

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
