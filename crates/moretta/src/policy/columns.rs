//! What a policy says of each column.

use super::paths::Root;
use crate::config::{Placed, Section, Value, unknown};
use crate::data::hierarchy::{DateUnit, HierarchySpec, MaskSide};
use crate::data::{DateFormat, Role, TimeFormat, parse_duration};
use crate::error::{Error, Result};
use crate::io::{ColumnPlan, ReadAs};
use crate::protect::identifiers::Key;
use std::collections::HashSet;
use std::ops::Range;
use std::path::PathBuf;

/// What the policy says of one column.
#[derive(Clone, Debug)]
pub struct ColumnPolicy {
    /// Its name in the data.
    pub name: String,
    /// Where the policy speaks of it.
    pub span: Range<usize>,
    /// What it means for privacy.
    pub role: Role,
    /// What becomes of it, when it names a person.
    pub action: Action,
    /// How to read it.
    pub read: ReadAs,
    /// How its values generalise.
    pub hierarchy: Option<HierarchySpec>,
    /// Latitude and longitude, when it is made from two columns.
    pub from: Option<[String; 2]>,
    /// How its times are written, when the policy says so.
    pub unit: Option<TimeFormat>,
    /// Between what numbers, or days, its values are, when the policy says so.
    pub range: Option<(f64, f64)>,
    /// How much what it loses counts beside other quasi-identifiers.
    pub weight: f64,
}

/// What becomes of a column that names a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// It is released; a subject or a key only when the policy says so, an identifier never.
    Keep,
    /// It is not released.
    Drop,
    /// It is replaced by keyed pseudonyms of this domain.
    Pseudonym {
        /// Separates pseudonyms of different columns.
        domain: String,
        /// Where the key is.
        key: KeyPlace,
        /// Milliseconds after which a person gets another pseudonym.
        rotate: Option<i64>,
    },
}

/// Where a key is; never the key itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyPlace {
    /// In an environment variable.
    Environment(String),
    /// In a file.
    File(PathBuf),
}

impl KeyPlace {
    /// Fetches the key.
    pub fn load(&self) -> Result<Key> {
        match self {
            KeyPlace::Environment(name) => match std::env::var(name) {
                Ok(text) => Key::new(text.trim().as_bytes().to_vec()),
                Err(_) => Err(Error::policy(format!(
                    "the environment variable {name} that holds the key is not set"
                ))
                .help(format!(
                    "export {name}=\"$(openssl rand -hex 32)\" and keep it safe"
                ))),
            },
            KeyPlace::File(path) => {
                let text = std::fs::read(path).map_err(|e| Error::io("read", path, e))?;
                Key::new(text.trim_ascii().to_vec())
            }
        }
    }
}

impl ColumnPolicy {
    /// How a source should read it.
    pub fn plan(&self) -> ColumnPlan {
        ColumnPlan {
            name: self.name.clone(),
            role: self.role,
            read: match self.action {
                // A subject is needed to count persons, also when it is not released.
                Action::Drop if self.role != Role::Subject => ReadAs::Skip,
                Action::Pseudonym { .. } => ReadAs::Category,
                _ => self.read.clone(),
            },
        }
    }
}

/// Reads `[columns]`.
pub(super) fn read(mut section: Section, root: &Root) -> Result<Vec<ColumnPolicy>> {
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
    check_subjects(&columns)?;
    Ok(columns)
}

/// Makes a released pseudonym the subject: equal pseudonyms in a class are one person to a
/// reader, so rows must not be counted. Keys join tables; they name persons only where
/// nothing else does.
pub(super) fn count_pseudonyms(columns: &mut [ColumnPolicy]) -> Result<()> {
    let released = |column: &ColumnPolicy, role| {
        column.role == role && matches!(column.action, Action::Pseudonym { .. })
    };
    let subject = columns.iter().position(|c| c.role == Role::Subject);
    let with_role = |role| {
        let places = 0..columns.len();
        places
            .filter(|&i| released(&columns[i], role))
            .collect::<Vec<usize>>()
    };
    let mut naming = with_role(Role::Identifier);
    if naming.is_empty() && subject.is_none() {
        naming = with_role(Role::Key);
    }
    match (subject.or(naming.first().copied()), naming.last()) {
        (Some(person), Some(&other)) if person != other => {
            let (person, other) = (&columns[person], &columns[other]);
            Err(Error::policy(format!(
                "`{}` is released as a pseudonym and persons are counted by `{}`: a class may show fewer pseudonyms than k",
                other.name, person.name
            ))
            .at(other.span.clone())
            .help(format!(
                "give `{}` action = \"drop\", or let it be the only column that names persons",
                other.name
            )))
        }
        (Some(person), _) => {
            columns[person].role = Role::Subject;
            Ok(())
        }
        (None, _) => Ok(()),
    }
}

fn check_subjects(columns: &[ColumnPolicy]) -> Result<()> {
    match columns.iter().filter(|c| c.role == Role::Subject).nth(1) {
        Some(second) => Err(Error::policy(format!("`{}` is a second subject column", second.name))
            .at(second.span.clone())
            .help("one column tells the person; make the other an identifier or a quasi-identifier")),
        None => Ok(()),
    }
}

fn read_column(
    name: String,
    span: Range<usize>,
    placed: Placed,
    root: &Root,
) -> Result<ColumnPolicy> {
    let Value::Table(mut section) = placed.value else {
        return Err(placed
            .error(format!("column `{name}` needs a table"))
            .help("write { role = \"quasi\" }"));
    };
    let roles: Vec<(&str, Role)> = Role::ALL
        .iter()
        .map(|(role, word)| (*word, *role))
        .collect();
    let role = section.word("role", &roles)?.ok_or_else(|| {
        let mut keys = section.keys().into_iter();
        if let Some((key, span)) =
            keys.find(|(key, _)| strsim::damerau_levenshtein(key, "role") <= 2)
        {
            let what = format!("unknown key `{key}` in {}", section.name());
            return unknown(Error::policy(what).at(span), &key, &["role"]);
        }
        let words: Vec<&str> = roles.iter().map(|(word, _)| *word).collect();
        Error::policy(format!("column `{name}` has no role"))
            .at(span.clone())
            .help(format!("give it one of {}", words.join(", ")))
    })?;
    let action = read_action(&name, role, &mut section, root)?;
    let read = read_type(&name, role, &mut section)?;
    let hierarchy = section
        .table("hierarchy")?
        .map(|h| read_hierarchy(h, root))
        .transpose()?;
    let from = read_from(&name, &mut section, hierarchy.as_ref())?;
    let unit = read_unit(role, &mut section)?;
    let range = read_range(role, &read, &mut section)?;
    let weight = read_weight(role, &mut section)?;
    section.finish()?;
    if hierarchy.is_some() && !matches!(role, Role::Quasi | Role::Sensitive) {
        return Err(Error::policy(format!(
            "column `{name}` has a hierarchy but is {}",
            role.word()
        ))
        .at(span)
        .help("only quasi-identifiers and sensitive columns generalise"));
    }
    Ok(ColumnPolicy {
        name,
        span,
        role,
        action,
        read,
        hierarchy,
        from,
        unit,
        range,
        weight,
    })
}

/// The least and the largest value that loss is measured against.
fn read_range(role: Role, read: &ReadAs, section: &mut Section) -> Result<Option<(f64, f64)>> {
    let Some(placed) = section.take("range") else {
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
        _ => end.number("range").ok(),
    };
    let ends = match &placed.value {
        Value::List(list) => list.iter().map(end).collect::<Option<Vec<f64>>>(),
        _ => None,
    };
    match ends.as_deref() {
        Some(&[low, high]) if low < high => Ok(Some((low, high))),
        _ => Err(placed
            .error("`range` is the least and the largest value")
            .help("for example [0, 120], or [\"1990-01-01\", \"2029-12-31\"]")),
    }
}

/// How the times of a stream are written.
fn read_unit(role: Role, section: &mut Section) -> Result<Option<TimeFormat>> {
    let units = [
        ("s", TimeFormat::Seconds),
        ("ms", TimeFormat::Milliseconds),
        ("iso", TimeFormat::Iso),
    ];
    match section.word("unit", &units)? {
        Some(_) if role != Role::Time => Err(section
            .error("`unit` is for a column with the role time")
            .help("take it out")),
        unit => Ok(unit),
    }
}

/// How much the loss of a quasi-identifier counts; 1 when not given.
fn read_weight(role: Role, section: &mut Section) -> Result<f64> {
    match section.number("weight", 0.001..=1000.0)? {
        Some(_) if role != Role::Quasi => Err(section
            .error("`weight` is for a column with the role quasi")
            .help("take it out")),
        weight => Ok(weight.unwrap_or(1.0)),
    }
}

#[derive(Clone, Copy)]
enum ActionWord {
    Keep,
    Drop,
    Pseudonym,
}

fn read_action(name: &str, role: Role, section: &mut Section, root: &Root) -> Result<Action> {
    let words = [
        ("keep", ActionWord::Keep),
        ("drop", ActionWord::Drop),
        ("pseudonym", ActionWord::Pseudonym),
    ];
    let naming = matches!(role, Role::Identifier | Role::Subject | Role::Key);
    let word = section.word("action", &words)?;
    if role == Role::Drop && word.is_some() {
        return Err(section
            .error("a column with the role drop is not released")
            .help("take `action` out"));
    }
    let key = section.text("key")?;
    let domain = section.text("domain")?;
    let rotate = read_rotate(section)?;
    if !matches!(word, Some(ActionWord::Pseudonym))
        && let Some(span) = (key.as_ref().or(domain.as_ref()).map(|(_, span)| span))
            .or(rotate.as_ref().map(|(_, span)| span))
    {
        return Err(
            Error::policy("`key`, `domain` and `rotate` go with action = \"pseudonym\"")
                .at(span.clone())
                .help("add the action, or take them out"),
        );
    }
    match (word, naming) {
        (Some(ActionWord::Keep), _) if role == Role::Identifier => Err(section
            .error(format!("`{name}` is an identifier and cannot be kept"))
            .help("use action = \"drop\" or \"pseudonym\"")),
        (Some(ActionWord::Pseudonym), false) => Err(section
            .error(format!(
                "`{name}` is {} and cannot be a pseudonym",
                role.word()
            ))
            .help("only identifiers, subjects and keys can")),
        (Some(ActionWord::Pseudonym), true) => {
            let (place, span) = key.ok_or_else(|| {
                section
                    .error(format!("the pseudonym of `{name}` needs a key"))
                    .help("add key = \"env:MORETTA_KEY\" or \"file:PATH\"")
            })?;
            let domain = domain.map_or_else(|| name.to_owned(), |(domain, _)| domain);
            let key = read_key(&place, span, root)?;
            let rotate = rotate.map(|(period, _)| period);
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

/// "env:NAME" or "file:PATH".
pub(super) fn read_key(place: &str, span: Range<usize>, root: &Root) -> Result<KeyPlace> {
    let Some(variable) = place.strip_prefix("env:") else {
        let path = place.strip_prefix("file:").unwrap_or(place);
        let placed = Placed {
            value: Value::Text(path.to_owned()),
            span,
        };
        return Ok(KeyPlace::File(root.resolve(&placed, path)?));
    };
    if variable.is_empty() || variable.contains(['=', '\0']) {
        return Err(
            Error::policy("`env:` is not followed by the name of a variable")
                .at(span)
                .help("for example key = \"env:MORETTA_KEY\""),
        );
    }
    Ok(KeyPlace::Environment(variable.to_owned()))
}

fn read_rotate(section: &mut Section) -> Result<Option<(i64, Range<usize>)>> {
    let Some((text, span)) = section.text("rotate")? else {
        return Ok(None);
    };
    match parse_duration(&text) {
        Some(period) if period > 0 => Ok(Some((period, span))),
        _ => Err(Error::policy("`rotate` is a duration")
            .at(span)
            .help("for example \"1h\" or \"1d\"")),
    }
}

#[derive(Clone, Copy)]
enum TypeWord {
    Number,
    Integer,
    Date,
    Category,
    Text,
}

fn read_type(name: &str, role: Role, section: &mut Section) -> Result<ReadAs> {
    let words = [
        ("number", TypeWord::Number),
        ("integer", TypeWord::Integer),
        ("date", TypeWord::Date),
        ("category", TypeWord::Category),
        ("text", TypeWord::Text),
    ];
    let word = section.word("type", &words)?;
    let format = section.text("format")?;
    let order = section.list("order")?;
    match (word, format, order) {
        (Some(TypeWord::Category) | None, None, Some(order)) => {
            read_order(section, &order).map(ReadAs::Ordered)
        }
        (_, _, Some(_)) => Err(section
            .error("`order` is for categories")
            .help("take `type` and `format` out, or `order`")),
        (Some(TypeWord::Date) | None, Some((pattern, span)), None) => {
            DateFormat::from_pattern(&pattern)
                .map(ReadAs::Date)
                .ok_or_else(|| {
                    Error::policy("`format` is not a date pattern")
                        .at(span)
                        .help("for example \"%Y-%m-%d\" or \"%d.%m.%Y\"")
                })
        }
        (_, Some((_, span)), None) => Err(Error::policy("`format` is for dates")
            .at(span)
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

/// The values from least to largest, each once.
fn read_order(section: &Section, list: &[Placed]) -> Result<Vec<String>> {
    let mut order: Vec<String> = Vec::with_capacity(list.len());
    let mut known = HashSet::new();
    for placed in list {
        let value = placed.text("order")?;
        if !known.insert(value.clone()) {
            return Err(placed.error("`order` names this value twice"));
        }
        order.push(value);
    }
    match order.is_empty() {
        true => Err(section.error("`order` names no value")),
        false => Ok(order),
    }
}

fn read_from(
    name: &str,
    section: &mut Section,
    hierarchy: Option<&HierarchySpec>,
) -> Result<Option<[String; 2]>> {
    let from = section.texts("from")?;
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
    let sides = [("left", MaskSide::Left), ("right", MaskSide::Right)];
    let mut found = Vec::new();
    if let Some(placed) = section.take("file") {
        found.push(HierarchySpec::File(
            root.resolve(&placed, &placed.text("file")?)?,
        ));
    }
    if let Some(list) = section.list("intervals")? {
        found.push(HierarchySpec::Intervals(
            list.iter()
                .map(|v| v.number("intervals"))
                .collect::<Result<_>>()?,
        ));
    }
    if let Some(side) = section.word("mask", &sides)? {
        found.push(HierarchySpec::Mask(side));
    }
    if let Some(list) = section.list("dates")? {
        found.push(HierarchySpec::Dates(
            list.iter().map(date_unit).collect::<Result<_>>()?,
        ));
    }
    if let Some((separator, _)) = section.text("path")? {
        found.push(HierarchySpec::Path(separator));
    }
    if let Some(list) = section.list("grid")? {
        found.push(HierarchySpec::Grid(
            list.iter().map(metres).collect::<Result<_>>()?,
        ));
    }
    if let Some(list) = section.list("h3")? {
        let resolution = |v: &Placed| match v.value {
            Value::Whole(n @ 0..=15) => Ok(n as u8),
            _ => Err(v.error("an H3 resolution is a whole number from 0 to 15")),
        };
        found.push(HierarchySpec::H3(
            list.iter().map(resolution).collect::<Result<_>>()?,
        ));
    }
    let none = section.error("a hierarchy is one of file, intervals, mask, dates, path, grid, h3");
    section.finish()?;
    match (found.pop(), found.pop()) {
        (Some(one), None) => Ok(one),
        _ => Err(none),
    }
}

fn date_unit(placed: &Placed) -> Result<DateUnit> {
    match placed.text("dates")?.as_str() {
        "month" => Ok(DateUnit::Month),
        "quarter" => Ok(DateUnit::Quarter),
        "year" => Ok(DateUnit::Year),
        "decade" => Ok(DateUnit::Decade),
        _ => Err(placed.error("a date unit is month, quarter, year or decade")),
    }
}

/// Metres, from a number or a text such as "100m" or "2.5km".
fn metres(placed: &Placed) -> Result<f64> {
    if let Value::Text(text) = &placed.value {
        let (digits, scale) = match (text.strip_suffix("km"), text.strip_suffix('m')) {
            (Some(digits), _) => (digits, 1000.0),
            (None, Some(digits)) => (digits, 1.0),
            _ => (text.as_str(), f64::NAN),
        };
        let size = digits.trim().parse::<f64>().unwrap_or(f64::NAN) * scale;
        return match size.is_finite() && size > 0.0 {
            true => Ok(size),
            false => Err(placed.error("a cell size is like \"100m\" or \"2km\"")),
        };
    }
    match placed.number("grid")? {
        size if size > 0.0 => Ok(size),
        _ => Err(placed.error("a cell size is above 0")),
    }
}
