//! The columns of a file laid beside those that its policy releases.
//!
//! A promise is about named columns. A quasi-identifier that is not found would be
//! counted as if nobody knew it, and a column that the policy does not know is not
//! protected by anything, so either is an error and not a file that passes.

use crate::data::Role;
use crate::error::{Error, Result};
use crate::io::{self, ColumnPlan, ReadAs, ReadOptions};
use crate::policy::{Action, ColumnPolicy, Policy};
use std::path::Path;

/// What a file is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// A release: it must not hold what the policy does not release.
    Release,
    /// A release or an original, such as one side of a comparison.
    Either,
}

/// How to read every column of the file at `path`.
///
/// # Errors
/// When its columns are not those of the policy.
pub(super) fn release_plans(
    policy: &Policy,
    path: &Path,
    options: &ReadOptions,
    taken: Taken,
) -> Result<Vec<ColumnPlan>> {
    let names = io::names(path, options)?;
    check(policy, &names, taken).map_err(|error| error.in_file(path))?;
    Ok(names.into_iter().map(|name| plan(policy, name)).collect())
}

fn plan(policy: &Policy, name: String) -> ColumnPlan {
    let column = known(policy, &name);
    let role = column.map_or(Role::Plain, |column| match column.action {
        // What names nobody any more.
        Action::Number => Role::Plain,
        _ => column.role,
    });
    let pseudonym = column.is_some_and(|column| matches!(column.action, Action::Pseudonym { .. }));
    let ruled = policy.plan.rules.iter().any(|rule| {
        let formula = rule.formula();
        formula.columns().contains(&name.as_str())
    });
    let read = match role {
        // What is missing is told apart from texts.
        _ if ruled => ReadAs::Category,
        Role::Quasi | Role::Sensitive | Role::Class | Role::Subject => ReadAs::Category,
        _ if pseudonym => ReadAs::Category,
        _ => ReadAs::Plain,
    };
    ColumnPlan { name, role, read }
}

/// What the policy says of the column, or of the one that is made from it.
fn known<'a>(policy: &'a Policy, name: &str) -> Option<&'a ColumnPolicy> {
    policy.plan.column(name).or_else(|| made_from(policy, name))
}

/// The column that is made from this one: a coordinate tells no less than its cell.
fn made_from<'a>(policy: &'a Policy, name: &str) -> Option<&'a ColumnPolicy> {
    let parts = |column: &&ColumnPolicy| column.from.iter().flatten().any(|part| part == name);
    policy.plan.columns.iter().find(parts)
}

fn check(policy: &Policy, names: &[String], taken: Taken) -> Result<()> {
    let has = |name: &str| names.iter().any(|other| other == name);
    let is_there = |column: &ColumnPolicy| match (&column.from, taken) {
        (Some([a, b]), Taken::Either) => has(&column.name) || (has(a) && has(b)),
        _ => has(&column.name),
    };
    let absent = |column: &&ColumnPolicy| is_counted(column, taken) && !is_there(column);
    let absent: Vec<&str> = (policy.plan.columns.iter().filter(absent))
        .map(|column| column.name.as_str())
        .collect();
    let unknown: Vec<&str> = (names.iter().map(String::as_str))
        .filter(|name| known(policy, name).is_none())
        .collect();
    // Then the first line may be a row, and its cells are not to be shown as names.
    let is_header = (policy.plan.columns.iter())
        .any(|column| is_there(column) || unknown.iter().any(|name| same_word(name, &column.name)));
    if !is_header {
        return Err(Error::input("the file has no column of the policy")
            .help("is the first line of the file its header?"));
    }
    if !absent.is_empty() {
        let what = format!("the file lacks columns that are counted: {}", list(&absent));
        return Err(Error::input(what).help(way_out(&absent, &unknown)));
    }
    if !unknown.is_empty() {
        let what = format!(
            "the policy does not know columns of the file: {}",
            list(&unknown)
        );
        let expected: Vec<&str> = policy
            .plan
            .columns
            .iter()
            .map(|c| c.name.as_str())
            .collect();
        return Err(Error::input(what).help(way_out(&unknown, &expected)));
    }
    let open: Vec<&str> = (names.iter().map(String::as_str))
        .filter(|name| taken == Taken::Release && is_withheld(policy, name))
        .collect();
    match open.is_empty() {
        true => Ok(()),
        false => Err(Error::guarantee(format!(
            "the file holds columns that the policy does not release: {}",
            list(&open)
        ))
        .help("is it the original? A release is what `moretta run` wrote")),
    }
}

/// Without this column a promise would be counted as if it were kept.
fn is_counted(column: &ColumnPolicy, taken: Taken) -> bool {
    match column.role {
        Role::Quasi => column.action != Action::Drop,
        Role::Subject => taken == Taken::Release && column.action != Action::Drop,
        _ => false,
    }
}

/// Dropped columns, and the coordinates of which only a cell is released.
fn is_withheld(policy: &Policy, name: &str) -> bool {
    policy
        .plan
        .column(name)
        .is_none_or(|column| column.action == Action::Drop)
}

/// Says how the first of these names is written elsewhere.
fn way_out(names: &[&str], others: &[&str]) -> String {
    let mut alike = names.iter().flat_map(|name| {
        let others = others.iter().filter(move |other| same_word(name, other));
        others.map(move |other| (name, other))
    });
    if let Some((name, other)) = alike.next() {
        return format!("`{other}` and `{name}` differ only in case or spaces: rename the column");
    }
    let near = names.iter().flat_map(|name| {
        let others = others.iter();
        others.map(move |other| (strsim::normalized_damerau_levenshtein(name, other), *other))
    });
    near.filter(|(likeness, _)| *likeness > 0.5)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or_else(
            || "is it a release of this policy?".to_owned(),
            |(_, other)| format!("did you mean `{other}`?"),
        )
}

fn same_word(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

fn list(names: &[&str]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|n| format!("`{n}`")).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
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
        name = { role = "identifier" }
        patient = { role = "subject" }
        record = { role = "key", action = "pseudonym", key = "env:KEY" }
        age = { role = "quasi" }
        place = { role = "quasi", from = ["lat", "lon"], hierarchy = { grid = ["1km", "10km"] } }
        ward = { role = "plain" }
        [guarantee]
        k = 2
        [[protect]]
        method = "mondrian"
    "#;

    /// What is wrong with a file with this header, and the way out.
    fn check_header(header: &str, taken: Taken) -> Option<(String, String, u8)> {
        let folder = tempfile::tempdir().expect("a folder");
        let root = Root::of_policy(&folder.path().join("policy.toml"), None).expect("a root");
        let policy = Policy::parse(POLICY, &root).expect("a policy");
        let names: Vec<String> = header.split(',').map(str::to_owned).collect();
        let error = check(&policy, &names, taken).err()?;
        let help = error.help_text().unwrap_or_default().to_owned();
        Some((error.to_string(), help, error.exit_code()))
    }

    #[test]
    fn only_the_columns_of_the_policy_pass() {
        for header in ["record,age,place,ward", "age,place", "place,ward,age"] {
            assert_eq!(check_header(header, Taken::Release), None, "{header}");
        }
        for (header, what, help, code) in [
            (
                "Age,Place",
                "lacks columns that are counted: `age`, `place`",
                "`Age` and `age` differ only in case",
                4,
            ),
            (
                "age",
                "lacks columns that are counted: `place`",
                "release of this policy",
                4,
            ),
            (
                "agee,place",
                "lacks columns that are counted: `age`",
                "did you mean `agee`?",
                4,
            ),
            (
                "age,place,salary",
                "does not know columns of the file: `salary`",
                "release of this policy",
                4,
            ),
            ("name,age,place", "does not release: `name`", "original", 1),
            (
                "patient,age,place",
                "does not release: `patient`",
                "original",
                1,
            ),
            ("lat,age,place", "does not release: `lat`", "original", 1),
            ("39,Torino", "no column of the policy", "header", 4),
        ] {
            let found = check_header(header, Taken::Release).expect(header);
            assert!(found.0.contains(what), "{header}: {}", found.0);
            assert!(found.1.contains(help), "{header}: {}", found.1);
            assert_eq!(found.2, code, "{header}");
        }
    }

    #[test]
    fn a_line_that_may_be_a_row_is_not_shown() {
        let (what, help, _) = check_header("Ada,39", Taken::Release).expect("refused");
        assert!(!format!("{what}{help}").contains("Ada"));
    }

    #[test]
    fn an_original_may_be_compared() {
        let original = "name,patient,record,age,lat,lon,ward";
        assert_eq!(check_header(original, Taken::Either), None);
        assert_eq!(check_header("age,place", Taken::Either), None);
        for header in ["age", "age,lat", "Age,place", "age,place,salary"] {
            assert!(check_header(header, Taken::Either).is_some(), "{header}");
        }
    }
}
