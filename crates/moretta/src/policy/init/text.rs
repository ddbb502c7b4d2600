//! A proposal as the text of a policy.

use super::{Guess, Proposal};
use crate::config::{Section, Value, key, quoted};
use crate::data::{Role, is_invisible};
use crate::engine::ColumnPolicy;
use crate::error::Result;
use crate::io::{Encoding, ReadOptions};
use crate::policy::columns;
use std::fmt::Write;

impl Proposal {
    /// The policy as text, every guess with its reason.
    pub fn text(&self, source: &str, name: &str) -> String {
        let protect = match self.stream {
            true => STREAM.to_owned(),
            false => self.table_text(),
        };
        [
            format!(
                "# A first policy for {}, guessed from {} rows.\n\
                 # Read it line by line: a wrong role is a leak. Then: moretta check, moretta run.\n\n\
                 version = 1\nname = {}\n",
                source.replace(|c: char| c.is_control() || is_invisible(c), " "),
                self.rows,
                quoted(name)
            ),
            self.source_text(source),
            self.columns_text(),
            protect,
            format!(
                "[sink]\npath = {}\n\n[report]\npath = \"out/report.html\"\n",
                quoted(&format!("out/{name}.csv"))
            ),
        ]
        .join("\n")
    }

    fn source_text(&self, source: &str) -> String {
        let character = |byte: u8| quoted(&char::from(byte).to_string());
        let mut out = format!("[source]\npath = {}\n", quoted(source));
        if let Some(delimiter) = self.delimiter {
            let _ = writeln!(out, "delimiter = {}", character(delimiter));
        }
        if !self.header {
            out.push_str("header = false   # the first line is a row: the columns have no names\n");
        }
        if self.quote != ReadOptions::default().quote {
            let _ = writeln!(out, "quote = {}", character(self.quote));
        }
        if self.encoding == Encoding::Latin1 {
            out.push_str("encoding = \"latin-1\"\n");
        }
        if self.decimal_comma {
            out.push_str("decimal = \",\"\n");
        }
        if !self.missing.is_empty() {
            let tokens: Vec<String> = self.missing.iter().map(|token| quoted(token)).collect();
            let _ = writeln!(out, "missing = [{}]", tokens.join(", "));
        }
        out
    }

    fn columns_text(&self) -> String {
        let mut out = ROLES.to_owned();
        let lengths = self.columns.iter().map(|guess| key(&guess.name).len());
        let width = lengths.max().unwrap_or(0);
        for guess in &self.columns {
            let mut table = guess.table();
            // A stream says of every subject what becomes of it.
            if self.stream && guess.role == Role::Subject {
                table = table.replace(" }", ", action = \"drop\" }");
            }
            let line = format!("{:width$} = {table}", key(&guess.name));
            let _ = writeln!(out, "{line:60} # {}", guess.why);
            if let (Some(spec), true) = (&guess.hierarchy, guess.optional) {
                let _ = writeln!(
                    out,
                    "# {:pad$}   with labels instead of free intervals: hierarchy = {}",
                    "",
                    shown(columns::written_hierarchy(&guess.name, spec)),
                    pad = width.saturating_sub(2)
                );
            }
        }
        out
    }

    /// What is promised of a table, and how.
    fn table_text(&self) -> String {
        let mut out = "[guarantee]\nk = 5  # every combination of quasi-identifiers is shared by at least so many\n".to_owned();
        let sensitive = self.columns.iter().filter(|c| c.role == Role::Sensitive);
        let sensitive: Vec<String> = sensitive.map(|guess| quoted(&guess.name)).collect();
        if !sensitive.is_empty() {
            let _ = writeln!(
                out,
                "l = {{ value = 2, on = [{}] }}  # and at least so many values of each of these among them",
                sensitive.join(", ")
            );
        }
        out.push_str("\n[[protect]]\nmethod = \"mondrian\"\n");
        out
    }
}

const ROLES: &str = "\
# Roles: identifier (never released), quasi (could be known to an outsider), sensitive
# (must not be learnt), class, subject (tells persons), time, key, plain (as it is).
[columns]
";

/// What a stream promises, and how.
const STREAM: &str = "\
# Persons come again over time, so each event is released when enough persons showed the same.
# To release the table as a whole: method = \"mondrian\", [guarantee] with k = 5, the time quasi.
[[protect]]
method = \"z-anonymity\"
z      = 10    # a value is released if so many persons showed it…
window = \"1h\"  # …within this time; a rare one climbs its hierarchy or is held back
";

impl Guess {
    fn table(&self) -> String {
        let column = ColumnPolicy {
            read: self.read.clone(),
            hierarchy: self.hierarchy.clone().filter(|_| !self.optional),
            ..ColumnPolicy::new(&*self.name, self.role)
        };
        shown(columns::written(&column))
    }
}

/// What is guessed is always in the words of a policy.
fn shown(section: Result<Section>) -> String {
    Value::from(section.unwrap_or_default()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::DateFormat;
    use crate::data::hierarchy::{DateUnit, HierarchySpec, MaskSide};
    use crate::io::ReadAs;
    use crate::policy::{Policy, Root};
    use proptest::prelude::*;

    #[test]
    fn texts_are_quoted_as_toml_reads_them() {
        for name in [
            "plain",
            "two words",
            "quote\"",
            "back\\slash",
            "tab\t",
            "ag\u{200b}e",
            "\u{e0061}\u{202e}",
            "",
        ] {
            let line = format!("{} = 1", key(name));
            assert!(!line.contains(is_invisible), "{line:?}");
            let table: toml::Table = line.parse().expect("a key");
            assert!(table.contains_key(name), "{line}");
        }
    }

    /// What a proposal could hold of one column.
    fn guesses() -> impl Strategy<Value = Guess> {
        // Items need a promise that nobody can guess.
        let roles = Role::ALL.iter().map(|(role, _)| *role);
        let roles: Vec<Role> = roles.filter(|role| *role != Role::Items).collect();
        let hierarchies = proptest::sample::select(vec![
            HierarchySpec::Mask(MaskSide::Left),
            HierarchySpec::Mask(MaskSide::Right),
            HierarchySpec::Intervals(vec![0.5, 5.0, 100_000.0]),
            HierarchySpec::Dates(vec![DateUnit::Month, DateUnit::Quarter]),
            HierarchySpec::Dates(vec![DateUnit::Year, DateUnit::Decade]),
            HierarchySpec::Path("\"*\\".to_owned()),
        ]);
        let reads = proptest::sample::select(vec![
            ReadAs::Infer,
            ReadAs::Category,
            ReadAs::Number,
            ReadAs::Date(DateFormat::from_pattern("%d.%m.%Y").expect("a pattern")),
            ReadAs::Date(DateFormat::from_pattern("%m/%d/%y").expect("a pattern")),
        ]);
        let hierarchies = proptest::option::of(hierarchies);
        let roles = proptest::sample::select(roles);
        (".{1,12}", roles, reads, hierarchies, any::<bool>()).prop_map(
            |(name, role, read, hierarchy, optional)| Guess {
                hierarchy: hierarchy.filter(|_| matches!(role, Role::Quasi | Role::Sensitive)),
                name,
                role,
                why: "the name says so".to_owned(),
                read,
                optional,
            },
        )
    }

    proptest! {
        #[test]
        fn a_proposal_is_a_policy_that_loads_again(
            mut columns in proptest::collection::vec(guesses(), 1..8),
            source in "[^/:*?]{1,12}",
            missing in proptest::collection::vec(".{0,4}", 0..3),
            delimiter in proptest::option::of(proptest::sample::select(&b";|\t"[..])),
            quote in proptest::sample::select(&b"\"'"[..]),
            latin1 in any::<bool>(),
            decimal_comma in any::<bool>(),
        ) {
            let mut names = std::collections::HashSet::new();
            let mut subjects = 0;
            columns.retain(|guess| {
                subjects += usize::from(guess.role == Role::Subject);
                names.insert(guess.name.clone()) && (guess.role != Role::Subject || subjects < 2)
            });
            prop_assume!(!columns.is_empty() && !source.contains('\0'));
            prop_assume!(source != "." && source != "..");
            let encoding = if latin1 { Encoding::Latin1 } else { Encoding::Utf8 };
            let proposal = Proposal { delimiter, headless: None, header: true, quote, encoding, decimal_comma, missing, columns, rows: 7, stream: false };
            let text = proposal.text(&source, "name");
            let folder = tempfile::tempdir().expect("a folder");
            let root = Root::of_policy(&folder.path().join("p.toml"), None).expect("it is there");
            let policy = Policy::parse(&text, &root);
            let policy = policy.map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
            prop_assert_eq!(&policy.source.shown, &source);
            prop_assert_eq!(policy.source.options.delimiter, delimiter);
            prop_assert_eq!(policy.source.options.quote, quote);
            prop_assert_eq!(policy.source.options.encoding, encoding);
            prop_assert_eq!(policy.source.options.decimal_comma, decimal_comma);
            prop_assert_eq!(&policy.source.options.missing, &proposal.missing);
            for (guess, column) in proposal.columns.iter().zip(&policy.plan.columns) {
                prop_assert_eq!((&guess.name, guess.role), (&column.name, column.role));
                let shown = guess.hierarchy.as_ref().filter(|_| !guess.optional);
                prop_assert_eq!(shown, column.hierarchy.as_ref());
            }
            prop_assert_eq!(proposal.columns.len(), policy.plan.columns.len());
        }
    }
}
