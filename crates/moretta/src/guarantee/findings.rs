//! What the checker found: numbers, promises kept or broken, and faults; never a value.

use std::collections::BTreeMap;
use std::fmt;

/// What a class is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Distinct persons, because a subject is known.
    Persons,
    /// Rows, because none is.
    Rows,
}

impl Unit {
    /// "persons" or "rows".
    pub fn word(self) -> &'static str {
        match self {
            Unit::Persons => "persons",
            Unit::Rows => "rows",
        }
    }
}

/// What a release really keeps.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// Rows of the release.
    pub rows: u64,
    /// Distinct persons in the release, or rows when no subject is known.
    pub persons: u64,
    /// What `persons` and the class sizes count.
    pub unit: Unit,
    /// Classes of equal quasi-identifiers.
    pub classes: u64,
    /// Size of the smallest class: the k that the release has. None without rows.
    pub smallest_class: Option<u64>,
    /// How many classes have each size.
    pub class_sizes: BTreeMap<u64, u64>,
    /// One line a promise.
    pub claims: Vec<ClaimFinding>,
    /// What may not be in any release.
    pub faults: Vec<Fault>,
}

impl Findings {
    /// Whether every promise holds and nothing is at fault.
    pub fn passed(&self) -> bool {
        self.faults.is_empty() && self.claims.iter().all(|claim| claim.holds)
    }
}

/// One promise and what the release has.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimFinding {
    /// For example "k-anonymity" or "entropy l-diversity of `diagnosis`".
    pub name: String,
    /// For example "at least 5".
    pub promised: String,
    /// The figure in it.
    pub promised_value: f64,
    /// The figure of the worst class; none without classes.
    pub found: Option<f64>,
    /// The same in words, for example "5".
    pub found_text: String,
    /// Whether every class keeps it.
    pub holds: bool,
    /// How many classes do not.
    pub failing_classes: u64,
}

/// Something that may not be in a release, and how often it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The column it is in, when it is in one.
    pub column: Option<String>,
    /// The rule that is broken.
    pub rule: Rule,
    /// In how many rows; for a fault of a whole column or file, how many of those.
    pub count: u64,
}

/// A rule of every release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// An identifying column must not be released.
    IdentifierReleased,
    /// A column that is dropped or not of the original must not be released.
    UnexpectedColumn,
    /// A column that is to be released must be there.
    ColumnAbsent,
    /// Every row belongs to a person.
    SubjectMissing,
    /// A released value must be a value, interval, set or node of the column's domain.
    NotInDomain,
    /// A released value must cover the original one.
    NotCovered,
    /// A column that is not protected must stay as it is.
    Changed,
    /// A pseudonym must look like one and not be the value it stands for.
    NotPseudonymous,
    /// One value has one pseudonym, and no other value has it.
    PseudonymsMixed,
    /// A row must not be released twice.
    ReleasedTwice,
    /// As many rows must be in the file as were released.
    RowsDiffer,
    /// A released value must be as coarse as the method of the policy makes it.
    NotGeneralised,
    /// Every item of a person must be under a label that is released of that person.
    ItemLost,
    /// A sample holds persons with all of their rows, or with none.
    PersonTorn,
    /// An edge links nodes of the node table.
    NoSuchNode,
    /// No edge links a node to itself.
    LinkedToItself,
    /// Two nodes are linked once.
    EdgeTwice,
    /// A node is called by the number of its row.
    NotNumbered,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::IdentifierReleased => "identifying column in the release",
            Rule::UnexpectedColumn => "column that should not be in the release",
            Rule::ColumnAbsent => "column that should be released is absent",
            Rule::SubjectMissing => "row without a person",
            Rule::NotInDomain => "value not in the hierarchy or domain",
            Rule::NotCovered => "value does not cover the original",
            Rule::Changed => "value differs from the original",
            Rule::NotPseudonymous => "value where a pseudonym should be",
            Rule::PseudonymsMixed => "value with two pseudonyms, or pseudonym of two values",
            Rule::ReleasedTwice => "row released twice",
            Rule::RowsDiffer => "rows in the file but not released, or the other way round",
            Rule::NotGeneralised => "value that the method of the policy would not release",
            Rule::ItemLost => "item that no released label of its person covers",
            Rule::PersonTorn => "person with a part of their rows in the sample",
            Rule::NoSuchNode => "edge whose end is no node of the node table",
            Rule::LinkedToItself => "edge from a node to itself",
            Rule::NotNumbered => "node that is not called by the number of its row",
            Rule::EdgeTwice => "edge that is there twice",
        })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(column) = &self.column {
            write!(f, "column `{column}`: ")?;
        }
        write!(f, "{} ({})", self.rule, self.count)
    }
}
