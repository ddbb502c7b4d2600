//! Checks a file that is already there, made by this program or another.

use super::no_rows::filled;
use super::read_back::released_names;
use super::release_columns::{Taken, release_plans};
use super::release_values::foreign_values;
use super::stream::{self, StreamVerification};
use super::trial::read;
use crate::data::{Batch, Domain, Domains, Role};
use crate::engine::domains::domains;
use crate::engine::facts::verdict;
use crate::engine::items;
use crate::engine::judge::declared;
use crate::engine::original::Original;
use crate::engine::population;
use crate::engine::report::Verdict;
use crate::engine::rules;
use crate::engine::shown::counted_as_text;
use crate::engine::{Progress, Stage};
use crate::error::{Error, Result};
use crate::guarantee::{
    ClaimFinding, CombinationChecker, CrowdChecker, Fault, FileNesting, Findings, Rule,
    nested_files, plain_check,
};
use crate::io::{self, ReadOptions};
use crate::policy::Policy;
use crate::protect::Method;
use crate::protect::identifiers::looks_like_pseudonym;
use std::path::{Path, PathBuf};
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
    match (policy.plan.stream(), certificate) {
        (Some(config), certificate) => {
            stream::verify(policy, config, file, certificate, options, progress)
        }
        (None, Some(certificate)) if policy.plan.is_stream() => {
            stream::verify_masked(policy, file, certificate, options, progress)
        }
        _ => Err(Error::usage("only a stream has a certificate")
            .help("take --certificate away, or give the policy of a stream")),
    }
}

/// Checks `file` against the guarantee of `policy`: k, l, t and p as anyone could count them,
/// and whether its values are such as the policy's method writes. Of a file without rows nothing
/// can be said, unless the policy may suppress all of them.
pub fn verify(
    policy: &Policy,
    file: &Path,
    options: &ReadOptions,
    progress: &Progress,
) -> Result<Verification> {
    policy.need_one_release("`verify`")?;
    check_promises(policy)?;
    progress.enter(Stage::Check);
    check(policy, &read_release(policy, file, options, progress)?)
}

/// Checks the files of all levels of `policy`, from the least to the most protected, each by
/// itself, and that they are nested.
///
/// # Errors
/// When there are not as many files as levels, or one of them or the source cannot be read.
pub fn verify_levels(
    policy: &Policy,
    files: &[PathBuf],
    options: &ReadOptions,
    progress: &Progress,
) -> Result<LevelsVerification> {
    let policies = policy.of_levels();
    if policies.len() != files.len() {
        let names: Vec<&str> = policy.plan.levels.iter().map(|l| &*l.name).collect();
        return Err(Error::usage(format!(
            "{} files were given, and the policy has {} levels",
            files.len(),
            policies.len()
        ))
        .help(format!(
            "give the file of each, in this order: {}",
            names.join(", ")
        )));
    }
    check_promises(policy)?;
    let original = read(policy, progress)?;
    progress.enter(Stage::Check);
    let (mut releases, mut levels) = (Vec::new(), Vec::new());
    for (level, file) in policies.iter().zip(files) {
        let release = read_release(level, file, options, progress)?;
        levels.push(check(level, &release)?);
        releases.push(release);
    }
    let plan = policy.loaded_plan()?;
    let domains = domains(&plan, &original, None)?;
    let schema = original.batch.schema();
    let quasi = schema.with_role(Role::Quasi);
    let mut quasi: Vec<&str> = quasi.iter().map(|&i| &*schema.fields()[i].name).collect();
    quasi.retain(|name| releases.iter().all(|r| r.column_named(name).is_some()));
    let stands = |name: &&str| plan.represents(name);
    let shown = plan.keeps_guarantee() && !quasi.iter().any(stands);
    let texts = releases.iter().map(counted_as_text);
    let texts = texts.collect::<Result<Vec<Batch>>>()?;
    let pairs = texts.windows(2).filter(|_| shown);
    let nested = pairs.map(|pair| nested_files(&pair[0], &pair[1], &quasi, &domains));
    Ok(LevelsVerification {
        nested: match shown {
            true => Some(nested.collect::<Result<_>>()?),
            false => None,
        },
        same_rows: texts.windows(2).all(|pair| pair[0].len() == pair[1].len()),
        levels,
    })
}

/// What the files of several levels keep.
pub struct LevelsVerification {
    /// Each level by itself.
    pub levels: Vec<Verification>,
    /// Each level beside the next stricter one; none where values stand for classes, and do not
    /// show in which coarser one a class lies.
    pub nested: Option<Vec<FileNesting>>,
    /// Whether all have as many rows.
    pub same_rows: bool,
}

impl LevelsVerification {
    /// Whether every promise holds, and nothing speaks against nesting.
    pub fn passed(&self) -> bool {
        let fits = |pairs: &Vec<FileNesting>| !pairs.iter().any(FileNesting::is_refuted);
        self.levels.iter().all(|level| level.verdict.passed)
            && self.same_rows
            && self.nested.as_ref().is_none_or(fits)
    }
}

/// Refuses a policy that promises nothing that a file could show.
fn check_promises(policy: &Policy) -> Result<()> {
    if policy.plan.stream().is_some() {
        return Err(Error::bug("a stream was verified as a table"));
    }
    let by_parts = policy
        .plan
        .maskings()
        .any(|masking| masking.parts().is_some());
    if !policy.plan.guarantee.hides_persons()
        && !policy.plan.keeps_guarantee()
        && !by_parts
        && policy.plan.rules.is_empty()
    {
        return Err(
            Error::policy("the method promises nothing that could be seen in a file")
                .help("the report of the release tells risk and loss"),
        );
    }
    Ok(())
}

/// The rows of a file that the policy could have released.
fn read_release(
    policy: &Policy,
    file: &Path,
    options: &ReadOptions,
    progress: &Progress,
) -> Result<Batch> {
    let mut options = options.clone();
    options.progress = Some(progress.counter());
    options.names = released_names(policy);
    let plans = release_plans(policy, file, &options, Taken::Release)?;
    let source = io::open(file, &options, &plans)?;
    let schema = Arc::clone(source.schema());
    let release = Batch::concat(&schema, source.collect::<Result<Vec<_>>>()?)?;
    match policy.plan.protect.iter().all(Method::may_suppress_all) {
        true => Ok(release),
        false => filled(release, file, policy),
    }
}

/// What a release really keeps.
fn check(policy: &Policy, release: &Batch) -> Result<Verification> {
    let mut declared = declared(&policy.plan, &sensitive_domains(policy, release)?);
    if let Some(people) = policy.population()? {
        let original = Original::new(&policy.plan, people.clone(), Vec::new())?;
        let domains = domains(&policy.plan, &original, None)?;
        declared.population = population::declared(Some(&Arc::new(people)), &domains);
    }
    let bare = bare_identifiers(release, &declared.pseudonyms);
    let items = items::labels_a_row(&policy.plan, release)?;
    let rows = items.as_ref().unwrap_or(release);
    let mut findings = plain_check(rows, &policy.plan.guarantee_of_classes(), declared, None)?;
    findings.rows = release.len() as u64;
    findings
        .claims
        .extend(policy.plan.wild_claims(release, None)?);
    findings.claims.extend(claims_of_parts(policy, release)?);
    if let Some(mut checker) = rules::of_release(&policy.plan)? {
        rules::judge(&mut checker, release, || Ok(()))?;
        let claims = rules::claims(&policy.plan, &checker.counts());
        findings.claims.extend(claims);
    }
    let mut combinations = CombinationChecker::new(policy.plan.combinations()?);
    let subject = release.schema().with_role(Role::Subject).first().copied();
    let subjects = subject.and_then(|place| release.column(place).as_categories());
    combinations.observe(release, subjects.map(|subjects| subjects.codes()))?;
    findings.tell_combinations(combinations);
    if let Some(mut itemsets) = policy.plan.itemset_checker() {
        itemsets.observe(release, subjects.map(|subjects| subjects.codes()))?;
        findings.claims.push(itemsets.finish());
    }
    findings.faults.extend(bare);
    findings.faults.extend(foreign_values(policy, release)?);
    let verdict = verdict(&findings, None);
    Ok(Verification { findings, verdict })
}

/// Whether records are alike in each list of columns that were masked by themselves.
fn claims_of_parts(policy: &Policy, release: &Batch) -> Result<Vec<ClaimFinding>> {
    let persons = release.schema().with_role(Role::Subject).first().copied();
    let mut claims = Vec::new();
    for masking in policy.plan.maskings() {
        let (Some(k), Some(parts)) = (masking.k(), masking.parts()) else {
            continue;
        };
        for part in parts.iter().filter(|_| parts.len() > 1) {
            let places = part
                .iter()
                .filter_map(|name| release.schema().index_of(name));
            let places: Vec<usize> = places.collect();
            // Any crowd passes here: how large the smallest is decides.
            let mut checker = CrowdChecker::new(1, None);
            match persons {
                None => checker.observe(release, &places)?,
                Some(who) => checker.observe_persons(release, &places, release.column(who))?,
            }
            let smallest = checker.finish()?;
            claims.push(ClaimFinding {
                name: format!("k-anonymity of {}", part.join(", ")),
                promised: format!("at least {k}"),
                promised_value: f64::from(k),
                found: smallest.map(|smallest| smallest as f64),
                found_text: smallest.map_or("nothing released".to_owned(), |n| n.to_string()),
                holds: smallest.is_none_or(|smallest| smallest >= u64::from(k)),
                failing_classes: 0,
            });
        }
    }
    Ok(claims)
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
            .plan
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

    /// Whether a file with these rows passes under a policy with these columns and this method.
    fn passes(columns: &str, method: &str, file: &str) -> bool {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        let write = |name: &str, text: &str| std::fs::write(place(name), text).expect("written");
        write(
            "schools.csv",
            "primary;school;*\nlyceum;school;*\nmaster;university;*\n",
        );
        write("release.csv", file);
        let root = Root::of_policy(&place("policy.toml"), None).expect("a root");
        let text = format!(
            "version = 1\n[source]\npath = \"o.csv\"\n[columns]\n{columns}\n\
             [guarantee]\nk = 2\n{method}\n"
        );
        let policy = Policy::parse(&text, &root).expect("a policy");
        let options = ReadOptions::default();
        let found = verify(
            &policy,
            &place("release.csv"),
            &options,
            &Progress::default(),
        );
        match found {
            Ok(found) => found.verdict.passed,
            Err(error) => {
                assert!(error.to_string().starts_with("0 rows; k=2"), "{error}");
                false
            }
        }
    }

    #[test]
    fn a_file_without_rows_passes_only_where_all_may_be_suppressed() {
        let columns = "age = { role = \"quasi\" }";
        for method in ["mondrian", "generalization"] {
            for (suppress, passed) in [
                ("", false),
                ("suppress = 0.5", false),
                ("suppress = 1", true),
            ] {
                let method = format!("[[protect]]\nmethod = \"{method}\"\n{suppress}");
                assert_eq!(passes(columns, &method, "age\n"), passed, "{method}");
                assert!(passes(columns, &method, "age\n1\n1\n"));
            }
        }
    }

    #[test]
    fn values_that_look_alike_and_suppressed_ones_are_not_diverse() {
        let columns = "age = { role = \"quasi\" }\nill = { role = \"sensitive\" }";
        let method = "[[protect]]\nmethod = \"mondrian\"";
        for promise in [
            "l = { value = 2, on = [\"ill\"] }",
            "l = { value = 2, kind = \"entropy\", on = [\"ill\"] }",
            "p = { value = 2, on = [\"ill\"] }",
        ] {
            for (values, diverse) in [
                (["flu", "cold"], true),
                (["flu", "Flu"], false),
                (["flu", "flu "], false),
                (["flu", "fl\u{200b}u"], false),
                (["flu", "*"], false),
                (["flu", ""], false),
            ] {
                let file = format!("age,ill\n1,{}\n1,{}\n", values[0], values[1]);
                let method = format!("{promise}\n{method}");
                assert_eq!(
                    passes(columns, &method, &file),
                    diverse,
                    "{promise}: {values:?}"
                );
            }
        }
    }

    /// k holds by luck, and yet nothing was made coarser.
    #[test]
    fn values_that_the_method_would_not_write_do_not_pass() {
        let column = |hierarchy: &str| format!("c = {{ role = \"quasi\", {hierarchy} }}");
        let levels = |level: usize| {
            format!("[[protect]]\nmethod = \"generalization\"\nlevels = {{ c = {level} }}")
        };
        let labels = "[[protect]]\nmethod = \"mondrian\"".to_owned();
        for (hierarchy, method, value, passed) in [
            (
                "hierarchy = { file = \"schools.csv\" }",
                levels(1),
                "school",
                true,
            ),
            (
                "hierarchy = { file = \"schools.csv\" }",
                levels(1),
                "*",
                true,
            ),
            (
                "hierarchy = { file = \"schools.csv\" }",
                levels(1),
                "lyceum",
                false,
            ),
            (
                "hierarchy = { file = \"schools.csv\" }",
                labels.clone(),
                "lyceum",
                true,
            ),
            (
                "hierarchy = { file = \"schools.csv\" }",
                labels.clone(),
                "nursery",
                false,
            ),
            (
                "hierarchy = { intervals = [5, 10] }",
                levels(2),
                "30..39",
                true,
            ),
            (
                "hierarchy = { intervals = [5, 10] }",
                levels(2),
                "30..34",
                false,
            ),
            (
                "hierarchy = { intervals = [5, 10] }",
                levels(1),
                "33",
                false,
            ),
            (
                "hierarchy = { intervals = [5, 10] }",
                labels.clone(),
                "33",
                true,
            ),
            (
                "hierarchy = { intervals = [5, 10] }",
                labels.clone(),
                "31..37",
                false,
            ),
            ("hierarchy = { mask = \"right\" }", levels(2), "40**", true),
            ("hierarchy = { mask = \"right\" }", levels(2), "404*", false),
            ("hierarchy = { mask = \"right\" }", levels(2), "4041", false),
            (
                "hierarchy = { dates = [\"month\"] }",
                levels(1),
                "2024-03",
                true,
            ),
            (
                "hierarchy = { dates = [\"month\"] }",
                levels(1),
                "2024-03-07",
                false,
            ),
            (
                "hierarchy = { dates = [\"month\"] }",
                labels.clone(),
                "07/03/2024",
                true,
            ),
            ("type = \"number\"", labels.clone(), "33", true),
            (
                "type = \"number\"",
                labels.clone() + "\nbounds = 5",
                "33",
                false,
            ),
            (
                "type = \"number\"",
                labels.clone() + "\nbounds = 5",
                "30..34",
                true,
            ),
        ] {
            let file = format!("c\n{value}\n{value}\n");
            let found = passes(&column(hierarchy), &method, &file);
            assert_eq!(found, passed, "{hierarchy} {method}: {value}");
        }
        let raw: String = (0..40).map(|age| format!("{age}\n{age}\n")).collect();
        for declared in ["type = \"number\"", "weight = 1"] {
            assert!(!passes(&column(declared), &labels, &format!("c\n{raw}")));
            let exact = format!("{labels}\nbounds = \"exact\"");
            assert!(passes(&column(declared), &exact, &format!("c\n{raw}")));
        }
        for word in ["word", "007"] {
            let words = format!("c\n{raw}{word}\n{word}\n");
            assert!(passes(&column("weight = 1"), &labels, &words), "categories");
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
