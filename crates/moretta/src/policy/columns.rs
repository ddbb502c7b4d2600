//! What a policy says of each column.

use super::paths::Root;
use crate::config::{
    Absent, Accepts, DURATION, Form, Length, POSITIVE, POSITIVE_DURATION, Parameter, Placed,
    Section, Value, unknown, word, words,
};
use crate::data::hierarchy::{DateUnit, HierarchySpec, MaskSide};
use crate::data::{DateFormat, ReadAs, Role, TimeFormat, duration_text};
use crate::engine::{Action, ColumnPolicy, KeyPlace};
use crate::error::{Error, Result};
use std::ops::Range;

/// The keys of a column.
pub(super) const KEYS: &[Parameter] = &[
    ROLE, ACTION, KEY, DOMAIN, ROTATE, TYPE, FORMAT, ORDER, HIERARCHY, SEPARATOR, FROM, UNIT,
    LATENESS, RANGE, WEIGHT, SIZE, COMMON,
];

/// The last of them, which a site of a federation may use, and no release.
#[cfg(test)]
pub(super) const OF_SITES: [&str; 2] = [SIZE.name, COMMON.name];

const ROLE: Parameter = Parameter::new(
    "role",
    Accepts::Word(|| Role::ALL.map(|(_, word)| word).to_vec()),
    Absent::Refused,
    "what the column means for privacy; see `moretta explain roles`",
)
.examples(&["\"quasi\""]);
const ACTION: Parameter = Parameter::new(
    "action",
    Accepts::Word(|| words(ACTIONS)),
    Absent::Means("drop for columns that name persons"),
    "what becomes of an identifier, a subject or a key",
);
pub(super) const KEY: Parameter = Parameter::new(
    "key",
    Accepts::Form(&Form {
        what: "the place of a key: an environment variable, a file, or the name of one that a server keeps",
        example: "env:MORETTA_KEY",
        pattern: "^(env|file|secret):",
        fits: is_place,
    }),
    Absent::Means("none; a pseudonym needs it"),
    "where the key of pseudonyms is, never the key itself",
);
const DOMAIN: Parameter = Parameter::new(
    "domain",
    Accepts::Text,
    Absent::Means("the name of the column"),
    "columns of the same domain and key have the same pseudonyms",
);
const ROTATE: Parameter = Parameter::new(
    "rotate",
    POSITIVE_DURATION,
    Absent::Means("never"),
    "of a stream: after how long a person gets another pseudonym",
)
.examples(&["\"1d\""]);
const TYPE: Parameter = Parameter::new(
    "type",
    Accepts::Word(|| words(TYPES)),
    Absent::Means("guessed from the first rows"),
    "what the cells are read as",
);
const FORMAT: Parameter = Parameter::new(
    "format",
    Accepts::Text,
    Absent::Means("%Y-%m-%d"),
    "how dates are written",
)
.examples(&["\"%d.%m.%Y\""]);
const ORDER: Parameter = Parameter::new(
    "order",
    Accepts::List(
        &Accepts::Text,
        Length {
            least: 1,
            most: usize::MAX,
            distinct: true,
        },
    ),
    Absent::Means("categories have no order"),
    "the categories from the least to the largest",
)
.examples(&["[\"low\", \"high\"]"]);
const HIERARCHY: Parameter = Parameter::new(
    "hierarchy",
    Accepts::One(HIERARCHIES),
    Absent::Means("intervals and sets"),
    "how values generalise; see `moretta explain hierarchies`",
)
.examples(&["{ mask = \"right\" }"]);
const SEPARATOR: Parameter = Parameter::new(
    "separator",
    Accepts::Form(&Form {
        what: "a text that is not blank",
        example: ";",
        pattern: r"\S",
        fits: |text| !text.trim().is_empty(),
    }),
    Absent::Means("a cell holds one item"),
    "what is between the items of a cell that holds all of a person",
)
.examples(&["\";\""]);
const FROM: Parameter = Parameter::new(
    "from",
    Accepts::List(
        &Accepts::Text,
        Length {
            least: 2,
            most: 2,
            distinct: false,
        },
    ),
    Absent::Means("the column itself"),
    "the columns of latitude and longitude that a grid or h3 hierarchy is made from",
)
.examples(&["[\"lat\", \"lon\"]"]);
const UNIT: Parameter = Parameter::new(
    "unit",
    Accepts::Word(|| words(UNITS)),
    Absent::Means("told by the first value"),
    "how times are written",
);
const LATENESS: Parameter = Parameter::new(
    "lateness",
    DURATION,
    Absent::Means("rows go on as they come, file after file"),
    "of a stream of records: how long rows wait for earlier ones, to leave in the order of their times",
)
.examples(&["\"10s\""]);
const RANGE: Parameter = Parameter::new(
    "range",
    Accepts::Ends(&Accepts::OneOf(&[
        Accepts::Number(f64::MIN, f64::MAX),
        Accepts::Text,
    ])),
    Absent::Means("what the release shows"),
    "the least and the largest value, which loss is measured against",
)
.examples(&["[0, 120]"]);
const WEIGHT: Parameter = Parameter::new(
    "weight",
    Accepts::Number(0.001, 1000.0),
    Absent::Means("1"),
    "how much the loss of a quasi-identifier counts",
);

const SIZE: Parameter = Parameter::new(
    "size",
    Accepts::Whole(1, 1 << 20),
    Absent::Means("1"),
    "of a site of a federation: what the column counts in lengths, such as its size in bytes; records are forwarded less often to trouble nodes over larger columns",
)
.examples(&["2"]);
const COMMON: Parameter = Parameter::new(
    "common",
    Accepts::Form(&Form {
        what: "a text that is not blank",
        example: "pulse",
        pattern: r"\S",
        fits: |text| !text.trim().is_empty(),
    }),
    Absent::Means("no other site has the column"),
    "of a site of a federation: the name by which sites that hold the same column call it alike; it counts once in lengths, and the name never leaves a site",
)
.examples(&["\"pulse\""]);

/// The kinds of hierarchies.
const HIERARCHIES: &[Parameter] = &[FILE, INTERVALS, MASK, DATES, PATH, GRID, H3];

const FILE: Parameter = hierarchy("file", Accepts::Text, "rows such as primary;school;*");
const INTERVALS: Parameter = hierarchy(
    "intervals",
    Accepts::List(&Accepts::Number(f64::MIN, f64::MAX), Length::ANY),
    "widths, each a multiple of the one before",
);
const MASK: Parameter = hierarchy(
    "mask",
    Accepts::Word(|| words(SIDES)),
    "characters are hidden one by one from this side",
);
const DATES: Parameter = hierarchy(
    "dates",
    Accepts::List(&Accepts::Word(|| words(DATE_UNITS)), Length::ANY),
    "units of dates, from the smallest up",
);
const PATH: Parameter = hierarchy(
    "path",
    Accepts::Text,
    "values are paths with this between their parts",
);
const GRID: Parameter = hierarchy(
    "grid",
    Accepts::List(
        &Accepts::OneOf(&[LENGTH, Accepts::Number(POSITIVE, f64::MAX)]),
        Length::ANY,
    ),
    "square cells of these sizes, in metres or with a unit",
)
.examples(&["[\"100m\", \"1km\"]"]);
const H3: Parameter = hierarchy(
    "h3",
    Accepts::List(&Accepts::Whole(0, 15), Length::ANY),
    "H3 cells of these resolutions",
);

const fn hierarchy(name: &'static str, accepts: Accepts, meaning: &'static str) -> Parameter {
    Parameter::new(name, accepts, Absent::Means("another kind"), meaning)
}

const LENGTH: Accepts = Accepts::Form(&Form {
    what: "a length in m or km",
    example: "100m",
    pattern: "^.*[0-9. ]k?m$",
    fits: |text| metres(text).is_some(),
});

const ACTIONS: &[(&str, ActionWord)] = &[
    ("keep", ActionWord::Keep),
    ("drop", ActionWord::Drop),
    ("pseudonym", ActionWord::Pseudonym),
    ("number", ActionWord::Number),
];

const TYPES: &[(&str, TypeWord)] = &[
    ("number", TypeWord::Number),
    ("integer", TypeWord::Integer),
    ("date", TypeWord::Date),
    ("category", TypeWord::Category),
    ("text", TypeWord::Text),
];

const UNITS: &[(&str, TimeFormat)] = &[
    ("s", TimeFormat::Seconds),
    ("ms", TimeFormat::Milliseconds),
    ("iso", TimeFormat::Iso),
];

const SIDES: &[(&str, MaskSide)] = &[("left", MaskSide::Left), ("right", MaskSide::Right)];

const DATE_UNITS: &[(&str, DateUnit)] = &[
    ("month", DateUnit::Month),
    ("quarter", DateUnit::Quarter),
    ("year", DateUnit::Year),
    ("decade", DateUnit::Decade),
];

/// What is said of a column for a federation alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OfSite {
    /// What it counts in lengths, where that is said.
    pub(super) size: Option<u32>,
    /// How all sites that hold it call it.
    pub(super) common: Option<String>,
    /// Where that is said.
    pub(super) span: Range<usize>,
}

impl OfSite {
    fn read(section: &mut Section) -> Result<Self> {
        let key = match section.has(COMMON.name) {
            true => &COMMON,
            false => &SIZE,
        };
        Ok(OfSite {
            span: section.place(key.name),
            size: section.optional(&SIZE, Placed::whole)?,
            common: section.optional(&COMMON, Placed::text)?,
        })
    }

    /// The first key that is used.
    pub(super) fn key(&self) -> Option<&'static str> {
        let common = self.common.is_some().then_some(COMMON.name);
        common.or(self.size.is_some().then_some(SIZE.name))
    }
}

/// Reads `[columns]` of a release.
pub(super) fn read(section: Section, root: &Root) -> Result<Vec<ColumnPolicy>> {
    let columns = read_of_party(section, root)?.into_iter();
    let of_release = |(column, of_site): (ColumnPolicy, OfSite)| match of_site.key() {
        None => Ok(column),
        Some(key) => Err(Error::policy(format!(
            "`{key}` is for columns of a site of a federation"
        ))
        .at(of_site.span)
        .help("take it out")),
    };
    columns.map(of_release).collect()
}

/// Reads `[columns]` of a party of a federation.
pub(super) fn read_of_party(
    mut section: Section,
    root: &Root,
) -> Result<Vec<(ColumnPolicy, OfSite)>> {
    let mut columns = Vec::new();
    for (name, span) in section.keys() {
        let Some(placed) = section.take_named(&name) else {
            continue;
        };
        columns.push(read_column(name, span, placed, root)?);
    }
    if columns.is_empty() {
        return Err(section
            .error("[columns] is empty")
            .help("every column of the data needs a role"));
    }
    Ok(columns)
}

fn read_column(
    name: String,
    span: Range<usize>,
    placed: Placed,
    root: &Root,
) -> Result<(ColumnPolicy, OfSite)> {
    let mut section = placed.table(&name)?.clone();
    if !section.has(ROLE.name) {
        return Err(no_role(&name, span, &section));
    }
    let role = section.word(&ROLE, &Role::ALL.map(|(role, word)| (word, role)))?;
    let action = read_action(&name, role, &mut section, root)?;
    let read = read_type(&name, role, &mut section)?;
    let hierarchy = section.optional_table(&HIERARCHY)?;
    let hierarchy = hierarchy.map(|h| read_hierarchy(h, root)).transpose()?;
    let separator = read_separator(role, &mut section)?;
    let from = read_from(&name, &mut section, hierarchy.as_ref())?;
    let unit = read_unit(role, &mut section)?;
    let lateness = read_lateness(role, &mut section)?;
    let range = read_range(role, &read, &mut section)?;
    let weight = read_weight(role, &mut section)?;
    let of_site = OfSite::read(&mut section)?;
    section.finish()?;
    if hierarchy.is_some() && !matches!(role, Role::Quasi | Role::Sensitive | Role::Items) {
        return Err(Error::policy(format!(
            "column `{name}` has a hierarchy but is {}",
            role.word()
        ))
        .at(span)
        .help("only quasi-identifiers, items and sensitive columns generalise"));
    }
    let column = ColumnPolicy {
        name,
        span,
        role,
        action,
        read,
        hierarchy,
        separator,
        from,
        unit,
        lateness,
        range,
        weight,
    };
    Ok((column, of_site))
}

/// A column without a role; one that is misspelt is told as such.
fn no_role(name: &str, span: Range<usize>, section: &Section) -> Error {
    let mut keys = section.keys().into_iter();
    if let Some((key, span)) =
        keys.find(|(key, _)| strsim::damerau_levenshtein(key, ROLE.name) <= 2)
    {
        let what = format!("unknown key `{key}` in {}", section.name());
        return unknown(Error::policy(what).at(span), &key, &[ROLE.name]);
    }
    Error::policy(format!("column `{name}` has no role"))
        .at(span)
        .help(format!("give it one of {}", ROLE.values()))
}

/// The least and the largest value that loss is measured against.
fn read_range(role: Role, read: &ReadAs, section: &mut Section) -> Result<Option<(f64, f64)>> {
    let Some(placed) = section.placed(&RANGE)? else {
        return Ok(None);
    };
    let numeric = matches!(
        read,
        ReadAs::Infer | ReadAs::Number | ReadAs::Integer | ReadAs::Date(_)
    );
    if role != Role::Quasi || !numeric {
        return Err(placed
            .error("`range` is for quasi-identifiers that are numbers or dates")
            .help("take it out"));
    }
    let format = match read {
        ReadAs::Date(format) => *format,
        _ => DateFormat::ISO,
    };
    let end = |end: &Placed| match &end.value {
        Value::Text(text) => format.parse(text).map(f64::from),
        _ => end.number(RANGE.name).ok(),
    };
    let ends = placed.list(RANGE.name)?.iter().map(end);
    match ends.collect::<Option<Vec<f64>>>().as_deref() {
        Some(&[low, high]) if low < high => Ok(Some((low, high))),
        _ => Err(placed
            .error("`range` is the least and the largest value")
            .help("for example [0, 120], or [\"1990-01-01\", \"2029-12-31\"]")),
    }
}

/// What is between the items of a cell.
fn read_separator(role: Role, section: &mut Section) -> Result<Option<String>> {
    match section.optional(&SEPARATOR, Placed::text)? {
        Some(_) if role != Role::Items => Err(section
            .error("`separator` is for a column with the role items")
            .help("take it out")),
        separator => Ok(separator),
    }
}

/// How the times of a stream are written.
fn read_unit(role: Role, section: &mut Section) -> Result<Option<TimeFormat>> {
    match section.optional_word(&UNIT, UNITS)? {
        Some(_) if role != Role::Time => Err(section
            .error("`unit` is for a column with the role time")
            .help("take it out")),
        unit => Ok(unit),
    }
}

/// How long rows wait for earlier ones, in milliseconds.
fn read_lateness(role: Role, section: &mut Section) -> Result<Option<i64>> {
    match section.optional(&LATENESS, Placed::duration)? {
        Some(_) if role != Role::Time => Err(section
            .error("`lateness` is for a column with the role time")
            .help("take it out")),
        lateness => Ok(lateness),
    }
}

/// How much the loss of a quasi-identifier counts; 1 when not given.
fn read_weight(role: Role, section: &mut Section) -> Result<f64> {
    match section.optional(&WEIGHT, Placed::number)? {
        Some(_) if role != Role::Quasi => Err(section
            .error("`weight` is for a column with the role quasi")
            .help("take it out")),
        weight => Ok(weight.unwrap_or(1.0)),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum ActionWord {
    Keep,
    Drop,
    Pseudonym,
    Number,
}

fn read_action(name: &str, role: Role, section: &mut Section, root: &Root) -> Result<Action> {
    let naming = matches!(role, Role::Identifier | Role::Subject | Role::Key);
    let word = section.optional_word(&ACTION, ACTIONS)?;
    if role == Role::Drop && word.is_some() {
        return Err(section
            .error("a column with the role drop is not released")
            .help("take `action` out"));
    }
    let key = section.placed(&KEY)?;
    let domain = section.placed(&DOMAIN)?;
    let rotate = section.placed(&ROTATE)?;
    if !matches!(word, Some(ActionWord::Pseudonym))
        && let Some(placed) = key.as_ref().or(domain.as_ref()).or(rotate.as_ref())
    {
        return Err(placed
            .error("`key`, `domain` and `rotate` go with action = \"pseudonym\"")
            .help("add the action, or take them out"));
    }
    match (word, naming) {
        (Some(ActionWord::Keep), _) if role == Role::Identifier => Err(section
            .error(format!("`{name}` is an identifier and cannot be kept"))
            .help("use action = \"drop\" or \"pseudonym\"")),
        (Some(ActionWord::Number), _) if role != Role::Identifier => Err(section
            .error(format!(
                "`{name}` is {} and cannot be a number",
                role.word()
            ))
            .help("only identifiers are replaced by the number of their row")),
        (Some(ActionWord::Number), _) => Ok(Action::Number),
        (Some(ActionWord::Pseudonym), false) => Err(section
            .error(format!(
                "`{name}` is {} and cannot be a pseudonym",
                role.word()
            ))
            .help("only identifiers, subjects and keys can")),
        (Some(ActionWord::Pseudonym), true) => {
            let key = key.ok_or_else(|| {
                section
                    .error(format!("the pseudonym of `{name}` needs a key"))
                    .help("add key = \"env:MORETTA_KEY\" or \"file:PATH\"")
            })?;
            let key = super::secrets::read_key(&key, KEY.name, root)?;
            let domain = domain.map(|placed| placed.text(DOMAIN.name)).transpose()?;
            let domain = domain.unwrap_or_else(|| name.to_owned());
            let rotate = rotate
                .map(|placed| placed.duration(ROTATE.name))
                .transpose()?;
            Ok(Action::Pseudonym {
                domain,
                key,
                rotate,
            })
        }
        (Some(ActionWord::Drop), false) => Err(section
            .error(format!(
                "`{name}` is {}, and `action` says to drop it",
                role.word()
            ))
            .help("to leave a column out, give it role = \"drop\"")),
        (Some(ActionWord::Drop), true) => Ok(Action::Drop),
        (Some(ActionWord::Keep), _) => Ok(Action::Keep),
        // A person's id is as good as a name: released only when the policy says so.
        (None, true) => Ok(Action::Drop),
        (None, false) if role == Role::Drop => Ok(Action::Drop),
        (None, false) => Ok(Action::Keep),
    }
}

/// Whether a text says where a key is, and is not the key.
pub(super) fn is_place(text: &str) -> bool {
    ["env:", "file:", "secret:"]
        .iter()
        .any(|kind| text.starts_with(kind))
}

#[derive(Clone, Copy, PartialEq)]
enum TypeWord {
    Number,
    Integer,
    Date,
    Category,
    Text,
}

fn read_type(name: &str, role: Role, section: &mut Section) -> Result<ReadAs> {
    let word = section.optional_word(&TYPE, TYPES)?;
    let format = section.placed(&FORMAT)?;
    let order = section.optional(&ORDER, Placed::texts)?;
    match (word, format, order) {
        (Some(TypeWord::Category) | None, None, Some(order)) => Ok(ReadAs::Ordered(order)),
        (_, _, Some(_)) => Err(section
            .error("`order` is for categories")
            .help("take `type` and `format` out, or `order`")),
        (Some(TypeWord::Date) | None, Some(placed), None) => {
            let format = DateFormat::from_pattern(&placed.text(FORMAT.name)?);
            format.map(ReadAs::Date).ok_or_else(|| {
                placed
                    .error("`format` is not a date pattern")
                    .help("for example \"%Y-%m-%d\", \"%d.%m.%Y\", \"%m/%d/%y\", \"%d-%b-%Y\" (Jan, Feb, …) or \"%Y%m%d\"; a time of day may follow")
            })
        }
        (_, Some(placed), None) => Err(placed
            .error("`format` is for dates")
            .help("use type = \"date\", or take `format` out")),
        (Some(TypeWord::Date), None, None) => Ok(ReadAs::Date(DateFormat::ISO)),
        (Some(TypeWord::Number), ..) => Ok(ReadAs::Number),
        (Some(TypeWord::Integer), ..) => Ok(ReadAs::Integer),
        (Some(TypeWord::Category), ..) => Ok(ReadAs::Category),
        (Some(TypeWord::Text), ..)
            if matches!(role, Role::Quasi | Role::Sensitive | Role::Class) =>
        {
            Err(section
                .error(format!(
                    "`{name}` is {} and cannot pass through as text",
                    role.word()
                ))
                .help("use type = \"category\""))
        }
        (Some(TypeWord::Text), ..) => Ok(ReadAs::Plain),
        (None, None, None) => Ok(ReadAs::Infer),
    }
}

fn read_from(
    name: &str,
    section: &mut Section,
    hierarchy: Option<&HierarchySpec>,
) -> Result<Option<[String; 2]>> {
    let from = section.optional(&FROM, Placed::texts)?;
    let geographic = matches!(
        hierarchy,
        Some(HierarchySpec::Grid(_) | HierarchySpec::H3(_))
    );
    match (from, geographic) {
        (None, false) => Ok(None),
        (Some(from), true) => match <[String; 2]>::try_from(from) {
            Ok(pair) => Ok(Some(pair)),
            Err(_) => Err(section.error("`from` names two columns: latitude and longitude")),
        },
        (None, true) => Err(section
            .error(format!("the grid of `{name}` needs latitude and longitude"))
            .help("add from = [\"lat\", \"lon\"]")),
        (Some(_), false) => Err(section
            .error("`from` goes with a grid or h3 hierarchy")
            .help("add hierarchy = { grid = [\"100m\", \"1km\"] }")),
    }
}

fn read_hierarchy(mut section: Section, root: &Root) -> Result<HierarchySpec> {
    let none = section.error(format!(
        "a hierarchy is one of {}",
        words_of(HIERARCHIES).join(", ")
    ));
    let found = [
        section.optional(&FILE, |placed, name| {
            let path = root.resolve(placed, &placed.text(name)?)?;
            Ok(HierarchySpec::File(path))
        })?,
        section
            .optional(&INTERVALS, each(Placed::number))?
            .map(HierarchySpec::Intervals),
        section
            .optional_word(&MASK, SIDES)?
            .map(HierarchySpec::Mask),
        section
            .optional(&DATES, each(|unit, name| unit.word(name, DATE_UNITS)))?
            .map(HierarchySpec::Dates),
        section
            .optional(&PATH, Placed::text)?
            .map(HierarchySpec::Path),
        section
            .optional(&GRID, each(cell_size))?
            .map(HierarchySpec::Grid),
        section
            .optional(&H3, each(Placed::whole))?
            .map(HierarchySpec::H3),
    ];
    section.finish()?;
    let mut found = found.into_iter().flatten();
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        _ => Err(none),
    }
}

fn words_of(keys: &[Parameter]) -> Vec<&'static str> {
    keys.iter().map(|key| key.name).collect()
}

/// Reads all values of a list.
fn each<T>(
    read: impl Fn(&Placed, &str) -> Result<T>,
) -> impl FnOnce(&Placed, &str) -> Result<Vec<T>> {
    move |placed, name| {
        placed
            .list(name)?
            .iter()
            .map(|one| read(one, name))
            .collect()
    }
}

/// Metres, from a number or a text such as "100m" or "2.5km".
fn cell_size(placed: &Placed, name: &str) -> Result<f64> {
    match &placed.value {
        Value::Text(text) => metres(text).ok_or_else(|| Error::bug("a length is not checked")),
        _ => placed.number(name),
    }
}

fn metres(text: &str) -> Option<f64> {
    let (digits, scale) = match text.strip_suffix("km") {
        Some(digits) => (digits, 1000.0),
        None => (text.strip_suffix('m')?, 1.0),
    };
    let size = digits.trim().parse::<f64>().ok()? * scale;
    (size.is_finite() && size > 0.0).then_some(size)
}

/// A column as [`read`] reads it.
///
/// # Errors
/// When its hierarchy is in no file.
pub(super) fn written(column: &ColumnPolicy) -> Result<Section> {
    let mut section = Section::default();
    section.set(&ROLE, column.role.word());
    write_action(column, &mut section);
    write_type(&column.read, &mut section);
    if let Some(rule) = &column.hierarchy {
        section.set(&HIERARCHY, written_hierarchy(&column.name, rule)?);
    }
    section.set_optional(&SEPARATOR, column.separator.clone());
    section.set_optional(&FROM, column.from.clone().map(Vec::from));
    section.set_optional(&UNIT, column.unit.and_then(|unit| word(UNITS, &unit)));
    section.set_optional(&LATENESS, column.lateness.map(duration_text));
    section.set_optional(&RANGE, column.range.map(|(low, high)| vec![low, high]));
    if column.weight != 1.0 {
        section.set(&WEIGHT, column.weight);
    }
    Ok(section)
}

/// What becomes of it, unless that follows from its role.
fn write_action(column: &ColumnPolicy, section: &mut Section) {
    let usual = ColumnPolicy::new("", column.role).action;
    match &column.action {
        action if *action == usual => {}
        Action::Keep => section.set_word(&ACTION, ACTIONS, ActionWord::Keep),
        Action::Drop => section.set_word(&ACTION, ACTIONS, ActionWord::Drop),
        Action::Number => section.set_word(&ACTION, ACTIONS, ActionWord::Number),
        Action::Pseudonym {
            domain,
            key,
            rotate,
        } => {
            section.set_word(&ACTION, ACTIONS, ActionWord::Pseudonym);
            section.set(
                &KEY,
                match key {
                    KeyPlace::Environment(name) => format!("env:{name}"),
                    KeyPlace::File(path) => format!("file:{}", path.display()),
                    KeyPlace::Secret(name) => format!("secret:{name}"),
                },
            );
            if *domain != column.name {
                section.set(&DOMAIN, domain);
            }
            section.set_optional(&ROTATE, rotate.map(duration_text));
        }
    }
}

fn write_type(read: &ReadAs, section: &mut Section) {
    let word = match read {
        ReadAs::Infer | ReadAs::Skip => return,
        ReadAs::Ordered(order) => return section.set(&ORDER, order.clone()),
        ReadAs::Date(_) => TypeWord::Date,
        ReadAs::Number => TypeWord::Number,
        ReadAs::Integer => TypeWord::Integer,
        ReadAs::Category => TypeWord::Category,
        ReadAs::Plain => TypeWord::Text,
    };
    section.set_word(&TYPE, TYPES, word);
    if let ReadAs::Date(format) = read
        && *format != DateFormat::ISO
    {
        section.set(&FORMAT, format.pattern());
    }
}

pub(super) fn written_hierarchy(column: &str, rule: &HierarchySpec) -> Result<Section> {
    let mut section = Section::default();
    match rule {
        HierarchySpec::File(path) => section.set(&FILE, path.display().to_string()),
        HierarchySpec::Table(table) => {
            let file = HierarchySpec::File(table.name.clone());
            if file.loaded().ok().as_ref() != Some(rule) {
                let what =
                    format!("the hierarchy of `{column}` is in no file that it could be read from");
                return Err(Error::policy(what)
                    .help("write it to a file, and name that: HierarchySpec::File"));
            }
            section.set(&FILE, table.name.display().to_string());
        }
        HierarchySpec::Intervals(widths) => section.set(&INTERVALS, widths.clone()),
        HierarchySpec::Mask(side) => section.set_word(&MASK, SIDES, *side),
        HierarchySpec::Dates(units) => {
            let units = units.iter().filter_map(|unit| word(DATE_UNITS, unit));
            section.set(&DATES, units.collect::<Vec<&str>>());
        }
        HierarchySpec::Path(separator) => section.set(&PATH, separator),
        HierarchySpec::Grid(sizes) => section.set(&GRID, sizes.clone()),
        HierarchySpec::H3(resolutions) => section.set(&H3, resolutions.clone()),
    }
    Ok(section)
}
