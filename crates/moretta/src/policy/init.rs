//! A first policy for a file: guesses, each with its reason, for a person to review.
//!
//! Names of columns and counts of their values are looked at, never shown
//! values. Whatever could be known to an outsider is guessed a
//! quasi-identifier; a column is never guessed plain, since that would
//! publish it unprotected.

use crate::data::hierarchy::{self, DateUnit, HierarchySpec, MaskSide};
use crate::data::{Batch, Column, DateFormat, Kind, Role};
use crate::error::{Error, Result};
use crate::io::{self, ColumnPlan, Format, Header, ReadAs, ReadOptions};
use std::fmt::Write;
use std::path::Path;

/// Rows that are looked at.
const LOOK: usize = 100_000;

/// Cells that often mean missing.
const TOKENS: &[&str] = &[
    "?", "NA", "N/A", "n/a", "NULL", "null", "NaN", "nan", "None",
];

/// The guesses for a file.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The character between cells, when it is not the usual one.
    pub delimiter: Option<u8>,
    /// What is odd about the first line, when it looks like a row and was taken for one.
    pub headless: Option<String>,
    /// The columns have names in the file.
    pub header: bool,
    /// Cells that mean missing.
    pub missing: Vec<String>,
    /// One guess a column, in the order of the file.
    pub columns: Vec<Guess>,
    /// Rows that were looked at.
    pub rows: usize,
}

/// The guess for a column.
#[derive(Clone, Debug)]
pub struct Guess {
    /// Its name.
    pub name: String,
    /// What it seems to mean for privacy.
    pub role: Role,
    /// Why.
    pub why: String,
    /// How it should be read, when that is not obvious.
    pub read: ReadAs,
    /// How its values could generalise.
    pub hierarchy: Option<HierarchySpec>,
    /// The hierarchy is worth a mention only.
    pub optional: bool,
}

/// Looks at the first rows of a file and guesses.
pub fn propose(path: &Path, options: &ReadOptions) -> Result<Proposal> {
    let mut options = options.clone();
    options.batch_rows = Some(LOOK);
    let csv = options
        .format
        .or(Format::from_path(path).map(|(format, _)| format))
        == Some(Format::Csv);
    let delimiter = if csv && options.delimiter.is_none() {
        sniff(path, &options)?
    } else {
        None
    };
    options.delimiter = delimiter.or(options.delimiter);
    let headless = io::header_warning(path, &options)?;
    if headless.is_some() {
        options.header = Header::None;
    }
    let look = look(path, &options)?;
    options.missing = tokens(&look);
    let look = if options.missing.is_empty() {
        look
    } else {
        self::look(path, &options)?
    };
    if look.is_empty() {
        return Err(Error::input("0 rows; there is nothing to guess from").in_file(path));
    }
    let columns = look
        .schema()
        .fields()
        .iter()
        .zip(look.columns())
        .map(|(field, column)| guess(&field.name, &field.kind, column))
        .collect();
    Ok(Proposal {
        delimiter,
        headless,
        header: options.header != Header::None,
        missing: options.missing,
        columns,
        rows: look.len(),
    })
}

/// The first rows, every column read as what it looks like.
fn look(path: &Path, options: &ReadOptions) -> Result<Batch> {
    let plans: Vec<ColumnPlan> = io::names(path, options)?
        .into_iter()
        .map(|name| ColumnPlan {
            name,
            role: Role::Quasi,
            read: ReadAs::Infer,
        })
        .collect();
    let mut source = io::open(path, options, &plans)?;
    let schema = source.schema().clone();
    source.next().unwrap_or_else(|| Ok(Batch::empty(schema)))
}

/// The delimiter that gives the most columns, when it is not the comma.
fn sniff(path: &Path, options: &ReadOptions) -> Result<Option<u8>> {
    let count = |delimiter: u8| {
        let options = ReadOptions {
            delimiter: Some(delimiter),
            ..options.clone()
        };
        io::names(path, &options).map_or(0, |names| names.len())
    };
    let usual = io::names(path, options).map_or(0, |names| names.len());
    let best = [b';', b'\t', b'|'].into_iter().max_by_key(|&d| count(d));
    Ok(best.filter(|&d| count(d) > usual.max(1)))
}

/// The tokens for missing that occur.
fn tokens(look: &Batch) -> Vec<String> {
    let occurs = |token: &&&str| {
        look.columns()
            .iter()
            .filter_map(Column::as_categories)
            .any(|column| column.levels().iter().any(|text| text == **token))
    };
    TOKENS
        .iter()
        .filter(occurs)
        .map(|token| (*token).to_owned())
        .collect()
}

/// Words in a column's name that tell its role.
const NAMES: &[(Role, &[&str])] = &[
    (
        Role::Identifier,
        &[
            "name",
            "surname",
            "firstname",
            "lastname",
            "email",
            "mail",
            "phone",
            "mobile",
            "ssn",
            "passport",
            "iban",
            "address",
            "street",
            "insurance",
            "mrn",
            "url",
            "ip",
        ],
    ),
    (
        Role::Sensitive,
        &[
            "diagnosis",
            "diagnose",
            "disease",
            "illness",
            "icd",
            "condition",
            "treatment",
            "medication",
            "drug",
            "salary",
            "income",
            "wage",
            "cost",
            "debt",
            "balance",
            "verdict",
            "crime",
            "religion",
            "politics",
            "party",
            "orientation",
            "hiv",
            "result",
        ],
    ),
    (Role::Class, &["class", "label", "target", "outcome"]),
    (
        Role::Quasi,
        &[
            "age",
            "sex",
            "gender",
            "zip",
            "zipcode",
            "postcode",
            "postal",
            "plz",
            "birth",
            "birthday",
            "dob",
            "born",
            "race",
            "ethnicity",
            "nationality",
            "country",
            "city",
            "town",
            "county",
            "region",
            "state",
            "education",
            "degree",
            "marital",
            "occupation",
            "job",
            "profession",
            "workclass",
            "relationship",
            "language",
            "date",
            "admission",
            "discharge",
            "lat",
            "lon",
            "latitude",
            "longitude",
        ],
    ),
];

const PERSONS: &[&str] = &[
    "patient",
    "person",
    "subject",
    "user",
    "customer",
    "client",
    "member",
    "employee",
    "individual",
    "participant",
    "pupil",
    "student",
];

fn guess(name: &str, kind: &Kind, column: &Column) -> Guess {
    let words = words(name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let (distinct, present) = distinct(column);
    let all_differ = present > 50 && distinct == present;
    let postal = has(&["zip", "zipcode", "postcode", "postal", "plz"]);
    let (role, why) = if (has(PERSONS) || has(&["id", "uid", "uuid"])) && !all_differ {
        (
            Role::Subject,
            "the name says it tells persons, and values repeat: k counts them, not rows".to_owned(),
        )
    } else if all_differ
        && (has(PERSONS)
            || has(&["id", "uid", "uuid", "key"])
            || matches!(kind, Kind::Category { .. }))
    {
        (Role::Identifier, "every row has another value".to_owned())
    } else if let Some((role, word)) = named(&words) {
        (role, format!("the name says `{word}`"))
    } else {
        (
            Role::Quasi,
            "unsure, so protected: make it plain only if no outsider can know it".to_owned(),
        )
    };
    let read = match kind {
        Kind::Number { .. } if postal => ReadAs::Category,
        Kind::Date(format) if *format != DateFormat::ISO => ReadAs::Date(*format),
        _ => ReadAs::Infer,
    };
    let (hierarchy, optional) = match (role, kind) {
        (Role::Quasi, Kind::Number { .. }) if postal => {
            (Some(HierarchySpec::Mask(MaskSide::Right)), false)
        }
        (Role::Quasi, Kind::Number { .. }) => (hierarchy::propose(kind, column), true),
        (Role::Quasi, _) => (hierarchy::propose(kind, column), false),
        _ => (None, false),
    };
    Guess {
        name: name.to_owned(),
        role,
        why,
        read,
        hierarchy,
        optional,
    }
}

fn named(words: &[String]) -> Option<(Role, &str)> {
    NAMES.iter().find_map(|(role, list)| {
        words
            .iter()
            .find(|word| list.contains(&word.as_str()))
            .map(|word| (*role, word.as_str()))
    })
}

/// The words of a name such as `patientId`, `zip_code` or `Marital-Status`, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && small) {
            words.push(String::new());
        }
        small = c.is_lowercase();
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Distinct values and values in all.
fn distinct(column: &Column) -> (usize, usize) {
    let present = column.len() - column.missing_count();
    match column {
        Column::Category(categories) => (categories.compact().levels().len(), present),
        Column::Number(numbers) => {
            let mut values: Vec<u64> = numbers.iter().flatten().map(f64::to_bits).collect();
            values.sort_unstable();
            values.dedup();
            (values.len(), present)
        }
        Column::Plain(_) => (present, present),
    }
}

impl Proposal {
    /// The policy as text, every guess with its reason.
    pub fn text(&self, source: &str, name: &str) -> String {
        let mut text = String::new();
        let out = &mut text;
        let _ = writeln!(
            out,
            "# A first policy for {}, guessed from {} rows.",
            source.replace(char::is_control, " "),
            self.rows
        );
        let _ = writeln!(
            out,
            "# Read it line by line: a wrong role is a leak. Then: moretta check, moretta run.\n"
        );
        let _ = writeln!(
            out,
            "version = 1\nname = {}\n\n[source]\npath = {}",
            quoted(name),
            quoted(source)
        );
        if let Some(delimiter) = self.delimiter {
            let _ = writeln!(
                out,
                "delimiter = {}",
                quoted(&char::from(delimiter).to_string())
            );
        }
        if !self.header {
            let _ = writeln!(
                out,
                "header = false   # the first line is a row: the columns have no names"
            );
        }
        if !self.missing.is_empty() {
            let tokens: Vec<String> = self.missing.iter().map(|token| quoted(token)).collect();
            let _ = writeln!(out, "missing = [{}]", tokens.join(", "));
        }
        let _ = writeln!(
            out,
            "\n# Roles: identifier (never released), quasi (could be known to an outsider), sensitive"
        );
        let _ = writeln!(
            out,
            "# (must not be learnt), class, subject (tells persons), time, key, plain (as it is).\n[columns]"
        );
        let width = self
            .columns
            .iter()
            .map(|guess| key(&guess.name).len())
            .max()
            .unwrap_or(0);
        for guess in &self.columns {
            let line = format!("{:width$} = {}", key(&guess.name), guess.table());
            let _ = writeln!(out, "{line:60} # {}", guess.why);
            if let (Some(spec), true) = (&guess.hierarchy, guess.optional) {
                let _ = writeln!(
                    out,
                    "# {:pad$}   with labels instead of free intervals: hierarchy = {}",
                    "",
                    spec_text(spec),
                    pad = width.saturating_sub(2)
                );
            }
        }
        let _ = writeln!(
            out,
            "\n[guarantee]\nk = 5  # every combination of quasi-identifiers is shared by at least so many"
        );
        let sensitive = self.columns.iter().filter(|c| c.role == Role::Sensitive);
        let sensitive: Vec<String> = sensitive.map(|guess| quoted(&guess.name)).collect();
        if !sensitive.is_empty() {
            let _ = writeln!(
                out,
                "l = {{ value = 2, on = [{}] }}  # and at least so many values of each of these among them",
                sensitive.join(", ")
            );
        }
        let _ = writeln!(
            out,
            "\n[[protect]]\nmethod = \"mondrian\"\n\n[sink]\npath = {}\n\n[report]\npath = \"out/report.html\"",
            quoted(&format!("out/{name}.csv"))
        );
        text
    }
}

impl Guess {
    fn table(&self) -> String {
        let mut parts = vec![format!("role = {}", quoted(self.role.word()))];
        match &self.read {
            ReadAs::Category => parts.push("type = \"category\"".to_owned()),
            ReadAs::Date(format) => parts.push(format!(
                "type = \"date\", format = {}",
                quoted(&format.pattern())
            )),
            _ => {}
        }
        if let (Some(spec), false) = (&self.hierarchy, self.optional) {
            parts.push(format!("hierarchy = {}", spec_text(spec)));
        }
        format!("{{ {} }}", parts.join(", "))
    }
}

fn spec_text(spec: &HierarchySpec) -> String {
    let list = |items: Vec<String>| format!("[{}]", items.join(", "));
    match spec {
        HierarchySpec::Intervals(widths) => format!(
            "{{ intervals = {} }}",
            list(widths.iter().map(f64::to_string).collect())
        ),
        HierarchySpec::Mask(MaskSide::Left) => "{ mask = \"left\" }".to_owned(),
        HierarchySpec::Mask(MaskSide::Right) => "{ mask = \"right\" }".to_owned(),
        HierarchySpec::Dates(units) => format!(
            "{{ dates = {} }}",
            list(units.iter().map(|unit| quoted(unit_word(*unit))).collect())
        ),
        HierarchySpec::Path(separator) => format!("{{ path = {} }}", quoted(separator)),
        HierarchySpec::File(path) => format!("{{ file = {} }}", quoted(&path.to_string_lossy())),
        HierarchySpec::Grid(sizes) => format!(
            "{{ grid = {} }}",
            list(sizes.iter().map(f64::to_string).collect())
        ),
        HierarchySpec::H3(resolutions) => format!(
            "{{ h3 = {} }}",
            list(resolutions.iter().map(u8::to_string).collect())
        ),
    }
}

fn unit_word(unit: DateUnit) -> &'static str {
    match unit {
        DateUnit::Month => "month",
        DateUnit::Quarter => "quarter",
        DateUnit::Year => "year",
        DateUnit::Decade => "decade",
    }
}

/// A TOML key, quoted when it is not a bare one.
fn key(name: &str) -> String {
    let bare = !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if bare { name.to_owned() } else { quoted(name) }
}

/// A TOML text.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::super::{Policy, Root};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_fall_into_words() {
        for (name, expected) in [
            ("patientId", &["patient", "id"][..]),
            ("Marital-Status", &["marital", "status"]),
            ("ZIP code", &["zip", "code"]),
            ("dob", &["dob"]),
        ] {
            assert_eq!(words(name), expected, "{name}");
        }
    }

    #[test]
    fn texts_are_quoted_as_toml_reads_them() {
        for name in ["plain", "two words", "quote\"", "back\\slash", "tab\t", ""] {
            let line = format!("{} = 1", key(name));
            let table: toml::Table = line.parse().expect("a key");
            assert!(table.contains_key(name), "{line}");
        }
    }

    /// What a proposal could hold of one column.
    fn guesses() -> impl Strategy<Value = Guess> {
        let roles: Vec<Role> = Role::ALL.iter().map(|(role, _)| *role).collect();
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
            ReadAs::Date(DateFormat::from_pattern("%d.%m.%Y").expect("a pattern")),
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
            source in "[^/:]{1,12}",
            missing in proptest::collection::vec(".{0,4}", 0..3),
            delimiter in proptest::option::of(proptest::sample::select(&b";|\t"[..])),
        ) {
            let mut names = std::collections::HashSet::new();
            let mut subjects = 0;
            columns.retain(|guess| {
                subjects += usize::from(guess.role == Role::Subject);
                names.insert(guess.name.clone()) && (guess.role != Role::Subject || subjects < 2)
            });
            prop_assume!(!columns.is_empty() && !source.contains('\0'));
            let proposal = Proposal {
                delimiter,
                headless: None,
                header: true,
                missing,
                columns,
                rows: 7,
            };
            let text = proposal.text(&source, "name");
            let folder = tempfile::tempdir().expect("a folder");
            let root = Root::of_policy(&folder.path().join("p.toml"), None).expect("it is there");
            let policy = Policy::parse(&text, &root);
            let policy = policy.map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
            prop_assert_eq!(&policy.source.shown, &source);
            prop_assert_eq!(policy.source.options.delimiter, delimiter);
            prop_assert_eq!(&policy.source.options.missing, &proposal.missing);
            for (guess, column) in proposal.columns.iter().zip(&policy.columns) {
                prop_assert_eq!((&guess.name, guess.role), (&column.name, column.role));
                let shown = guess.hierarchy.as_ref().filter(|_| !guess.optional);
                prop_assert_eq!(shown, column.hierarchy.as_ref());
            }
            prop_assert_eq!(proposal.columns.len(), policy.columns.len());
        }
    }
}
