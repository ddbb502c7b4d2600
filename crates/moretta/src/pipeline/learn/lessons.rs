//! From a policy or a file to records and classes that learners can take.

use super::super::domains::domains;
use super::super::progress::{Progress, Stage};
use super::super::read::{Original, read};
use super::super::run::{build, ordered};
use super::super::stream;
use crate::data::{
    Attribute, Batch, Categories, Column, Domain, Encoder, Kind, Numbers, Records, Region, Role,
    Scale, Schema,
};
use crate::error::{Error, Result};
use crate::io::{self, ColumnPlan, ReadAs, ReadOptions};
use crate::learn::{Header, Input};
use crate::policy::{Action, Policy, propose};
use crate::protect::Protector;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// More different texts than this are names rather than categories.
const MOST_VALUES: usize = 1000;

/// More classes than this are no classes.
const MOST_CLASSES: usize = 1000;

/// Which half of the pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Rows as they were read.
    Original,
    /// What is released of them.
    Protected,
}

impl Side {
    /// "original" or "protected".
    pub fn word(self) -> &'static str {
        match self {
            Side::Original => "original",
            Side::Protected => "protected",
        }
    }
}

/// Records in the order of the source, with their classes.
#[derive(Clone, Debug)]
pub struct Lessons {
    original: Taught,
    protected: Option<Taught>,
    /// The original class of each record.
    actual: Vec<u32>,
    /// What was odd about the input.
    pub notes: Vec<String>,
}

/// One side of the records, and the classes that come with them.
#[derive(Clone, Debug)]
struct Taught {
    header: Header,
    records: Records,
    classes: Vec<u32>,
}

impl Lessons {
    /// What the records of a side hold; none where nothing was protected. Mixtures of
    /// columns are other columns than those they were made of.
    pub fn header(&self, side: Side) -> Option<&Header> {
        self.side(side).map(|taught| &taught.header)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.actual.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.actual.is_empty()
    }

    /// Whether something was protected.
    pub fn has(&self, side: Side) -> bool {
        side == Side::Original || self.protected.is_some()
    }

    /// The records of a side in order, each with its original class and the class
    /// that comes with it.
    pub fn of(&self, side: Side) -> impl Iterator<Item = (&[f64], u32, u32)> + '_ {
        self.side(side).into_iter().flat_map(|taught| {
            let classes = self.actual.iter().zip(&taught.classes);
            let pairs = taught.records.iter().zip(classes);
            pairs.map(|(record, (&actual, &class))| (record, actual, class))
        })
    }

    fn side(&self, side: Side) -> Option<&Taught> {
        match side {
            Side::Original => Some(&self.original),
            Side::Protected => self.protected.as_ref(),
        }
    }
}

/// The rows of a policy's source, as they are and as they would be released. The
/// class is the column with that role, or the one named.
pub fn lessons(policy: &Policy, class: Option<&str>, progress: &Progress) -> Result<Lessons> {
    stream::refuse(policy, "learn")?;
    let original = read(policy, progress)?;
    let class = class_of(original.batch.schema(), class)?;
    let released = protect(policy, &original, progress)?;
    lessons_of_release(policy, &original, released, class)
}

/// The rows that were released, as they were and as they are. `class` is the place of
/// the class among the original columns.
pub(super) fn lessons_of_release(
    policy: &Policy,
    original: &Original,
    released: Batch,
    class: usize,
) -> Result<Lessons> {
    let released = with_middles(policy, original, released)?;
    let released = released.take(&in_order_of_ids(&released))?;
    let ids: Option<Vec<u32>> = released
        .rows()
        .iter()
        .map(|id| u32::try_from(id).ok())
        .collect();
    let ids = ids.ok_or_else(|| Error::input("too many rows to learn in memory"))?;
    let kept = original.batch.take(&ids)?;
    let keeps = |name: &str| {
        let column = policy.column(name);
        column.is_none_or(|column| column.action == Action::Keep)
    };
    pair(&kept, Some(&released), class, keeps, original.notes.clone())
}

/// The rows of a file that no policy describes, with the types that they seem to have.
pub fn lessons_of_file(
    path: &Path,
    options: &ReadOptions,
    class: &str,
    progress: &Progress,
) -> Result<Lessons> {
    progress.enter(Stage::Read);
    let proposal = propose(path, options)?;
    let mut options = options.clone();
    options.delimiter = proposal.delimiter.or(options.delimiter);
    options.missing.extend(proposal.missing);
    options.progress = Some(progress.counter());
    let plan = |guess: crate::policy::Guess| match guess.name == class {
        true => ColumnPlan {
            name: guess.name,
            role: Role::Class,
            read: ReadAs::Category,
        },
        false => ColumnPlan {
            name: guess.name,
            role: Role::Quasi,
            read: guess.read,
        },
    };
    let plans: Vec<ColumnPlan> = proposal.columns.into_iter().map(plan).collect();
    let mut source = io::open(path, &options, &plans)?;
    let schema = Arc::clone(source.schema());
    let place = class_of(&schema, Some(class)).map_err(|error| error.in_file(path))?;
    let batch = Batch::concat(&schema, source.by_ref().collect::<Result<Vec<_>>>()?)?;
    pair(&batch, None, place, |_| true, source.notes())
}

/// The place of the class.
pub(super) fn class_of(schema: &Schema, named: Option<&str>) -> Result<usize> {
    if let Some(name) = named {
        return schema.index_of(name).ok_or_else(|| {
            Error::usage(format!("there is no column `{name}`"))
                .help("give --class the name of a column that is read")
        });
    }
    match schema.with_role(Role::Class)[..] {
        [class] => Ok(class),
        [] => Err(Error::policy("no column has the role class")
            .help("give the column to predict the role class, or name it with --class")),
        _ => Err(Error::policy("several columns have the role class")
            .help("name the one to predict with --class")),
    }
}

/// What would be released, with all columns in their places.
fn protect(policy: &Policy, original: &Original, progress: &Progress) -> Result<Batch> {
    let domains = Arc::new(domains(policy, original)?);
    progress.enter(Stage::Protect);
    let mut chain = build(policy, original.batch.schema(), &domains)?;
    let buffered = policy
        .masking()
        .is_some_and(|masking| masking.buffer().is_some());
    let rows = match buffered {
        true => original.batch.clone(),
        false => ordered(policy, &original.batch)?,
    };
    let parts = vec![chain.protect(rows)?, chain.finish()?];
    Batch::concat(&Arc::clone(chain.schema()), parts)
}

/// Numbers that were generalised, as the middles of their intervals.
fn with_middles(policy: &Policy, original: &Original, released: Batch) -> Result<Batch> {
    let schema = original.batch.schema();
    let domains = domains(policy, original)?.quasi(schema);
    let mut fields = released.schema().fields().to_vec();
    let mut columns = released.columns().to_vec();
    for (name, domain) in &domains {
        let places = (schema.index_of(name), released.schema().index_of(name));
        let (Some(before), Some(place)) = places else {
            continue;
        };
        let number = !matches!(schema.fields()[before].kind, Kind::Category { .. });
        if let (true, Column::Category(texts)) = (number, released.column(place)) {
            columns[place] = Column::Number(middles(texts, domain));
            fields[place].kind = Kind::Number { integer: false };
        }
    }
    Batch::new(
        Arc::new(Schema::new(fields)?),
        released.rows().clone(),
        columns,
    )
}

fn middles(texts: &Categories, domain: &Domain) -> Numbers {
    let levels = texts.levels().iter();
    let middles: Vec<Option<f64>> = levels.map(|text| middle(text, domain)).collect();
    let codes = texts.codes().iter();
    codes
        .map(|&code| middles.get(code as usize).copied().flatten())
        .collect()
}

/// The middle of what a text says of a number; none where it may be any.
fn middle(text: &str, domain: &Domain) -> Option<f64> {
    let between = |low: f64, high: f64| low / 2.0 + high / 2.0;
    match Region::parse(Some(text), domain)? {
        Region::Interval(low, high) => Some(between(low, high)),
        Region::Node(level, node) => {
            let hierarchy = domain.hierarchy.as_ref()?;
            let leaves = hierarchy.leaves_under(level, node);
            let value = |leaf| number(hierarchy.label(0, leaf), domain);
            let last = leaves.end.checked_sub(1)?;
            Some(between(value(leaves.start)?, value(last)?))
        }
        _ => None,
    }
}

/// A number or date as it stands in the data.
fn number(text: &str, domain: &Domain) -> Option<f64> {
    match domain.scale {
        Scale::Number {
            date: Some(format), ..
        } => format.parse(text).map(f64::from),
        _ => text.parse().ok(),
    }
}

fn in_order_of_ids(batch: &Batch) -> Vec<u32> {
    let mut places: Vec<u32> = (0..batch.len() as u32).collect();
    places.sort_by_key(|&place| batch.rows().get(place as usize));
    places
}

/// Encodes both sides. Rows without a class are left out.
fn pair(
    original: &Batch,
    released: Option<&Batch>,
    class: usize,
    keeps: impl Fn(&str) -> bool,
    mut notes: Vec<String>,
) -> Result<Lessons> {
    let (labels, classes) = labels(original, released, class)?;
    let labelled: Vec<u32> = (0..original.len() as u32)
        .filter(|&row| labels.iter().all(|side| side[row as usize].is_some()))
        .collect();
    if labelled.len() < original.len() {
        let missing = original.len() - labelled.len();
        notes.push(format!("{missing} rows without a class are left out"));
    }
    let seen = attributes(original, class, keeps, &mut notes);
    let taught = |batch: &Batch, places: &[usize], labels: &[Option<u32>]| {
        if places.is_empty() {
            return Err(nothing_to_learn_from());
        }
        let mut encoder = encoder(original, batch.schema(), places)?;
        let mut records = Records::new(places.len());
        encoder.encode(&batch.take(&labelled)?, &mut records)?;
        let labels = labelled.iter().filter_map(|&row| labels[row as usize]);
        Ok(Taught {
            header: header(&encoder.attributes(), &records, classes)?,
            records,
            classes: labels.collect(),
        })
    };
    let sides = released.zip(labels.get(1));
    let protected = sides.map(|(batch, labels)| {
        let places = released_attributes(original.schema(), &seen, batch.schema());
        taught(batch, &places, labels)
    });
    let original = taught(original, &seen, &labels[0])?;
    Ok(Lessons {
        actual: original.classes.clone(),
        original,
        protected: protected.transpose()?,
        notes,
    })
}

fn nothing_to_learn_from() -> Error {
    Error::policy("there is nothing to learn from")
        .help("a learner sees columns with the role quasi, sensitive or plain that have a type")
}

/// Categories that were there before have the same codes on both sides.
fn encoder(original: &Batch, schema: &Schema, places: &[usize]) -> Result<Encoder> {
    let mut encoder = Encoder::new(schema, places)?;
    for (attribute, &place) in places.iter().enumerate() {
        let before = original.column_named(&schema.fields()[place].name);
        if let Some(categories) = before.and_then(Column::as_categories) {
            let texts = categories.levels().iter().map(str::to_owned);
            encoder.declare(attribute, &texts.collect::<Vec<_>>());
        }
    }
    Ok(encoder)
}

/// The class of each row on each side, and how many classes there are.
fn labels(
    original: &Batch,
    released: Option<&Batch>,
    class: usize,
) -> Result<(Vec<Vec<Option<u32>>>, usize)> {
    let name = &*original.schema().fields()[class].name;
    let mut codes: Vec<Vec<f64>> = Vec::new();
    for batch in [Some(original), released].into_iter().flatten() {
        let place = batch.schema().index_of(name).ok_or_else(|| {
            Error::policy(format!("the class `{name}` is not released"))
                .help("keep it out of the masked columns, or predict another column")
        })?;
        let mut encoder = encoder(original, batch.schema(), &[place])?;
        let mut records = Records::new(1);
        encoder.encode(batch, &mut records)?;
        codes.push(records.column(0).collect());
    }
    let mut known: Vec<f64> = codes.iter().flatten().copied().collect();
    known.retain(|code| !code.is_nan());
    known.sort_by(f64::total_cmp);
    known.dedup();
    if known.is_empty() || known.len() > MOST_CLASSES {
        let what = format!("{} different values are no classes", known.len());
        return Err(Error::input(what).in_column(name).help(format!(
            "the class has from 1 to {MOST_CLASSES} different values"
        )));
    }
    let label = |code: &f64| {
        let place = known.binary_search_by(|other| other.total_cmp(code));
        place.ok().map(|place| place as u32)
    };
    let sides = codes.iter().map(|side| side.iter().map(label).collect());
    Ok((sides.collect(), known.len()))
}

/// The places of the columns that a learner sees.
fn attributes(
    original: &Batch,
    class: usize,
    keeps: impl Fn(&str) -> bool,
    notes: &mut Vec<String>,
) -> Vec<usize> {
    let fields = original.schema().fields().iter().enumerate();
    let seen = fields.filter(|(place, field)| {
        let role = matches!(
            field.role,
            Role::Quasi | Role::Sensitive | Role::Plain | Role::Class
        );
        *place != class && role && keeps(&field.name) && !matches!(field.kind, Kind::Plain(_))
    });
    let few = seen.filter(|(place, field)| {
        let values = original.column(*place).as_categories();
        let few = values.is_none_or(|column| column.levels().len() <= MOST_VALUES);
        if !few {
            let name = &field.name;
            notes.push(format!(
                "`{name}` has more than {MOST_VALUES} different texts and is left out"
            ));
        }
        few
    });
    few.map(|(place, _)| place).collect()
}

/// The places of the released columns that a learner sees: what became of those that
/// were `seen`, and what the method made of several.
fn released_attributes(original: &Schema, seen: &[usize], released: &Schema) -> Vec<usize> {
    let fields = released.fields().iter().enumerate();
    let shown = fields.filter(|(_, field)| {
        let before = original.index_of(&field.name);
        before.is_none_or(|place| seen.contains(&place)) && !matches!(field.kind, Kind::Plain(_))
    });
    shown.map(|(place, _)| place).collect()
}

fn header(attributes: &[Attribute], records: &Records, classes: usize) -> Result<Header> {
    let input = |(place, kind): (usize, &Attribute)| match kind {
        Attribute::Nominal => Input::Nominal {
            values: records.column(place).fold(0.0, f64::max) as usize + 1,
        },
        Attribute::Number | Attribute::Ordinal { .. } => Input::Number,
    };
    Header::new(attributes.iter().enumerate().map(input).collect(), classes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Root;

    const HEAD: &str = r#"
        version = 1
        seed = 7
        [source]
        path = "rows.csv"
        [columns]
        name = { role = "identifier" }
        x = { role = "quasi" }
        colour = { role = "quasi" }
        kind = { role = "class" }
    "#;

    /// 40 rows with names that no learner may see; the class is told by `x`.
    fn rows() -> String {
        let mut text = "name,x,colour,kind\n".to_owned();
        for n in 0..40 {
            let x = n * 17 % 40;
            let colour = ["red", "green", "blue"][n % 3];
            let kind = if x < 20 { "low" } else { "high" };
            text += &format!("person-{n},{x},{colour},{kind}\n");
        }
        text
    }

    fn of_policy(rows: &str, rest: &str, class: Option<&str>) -> Result<Lessons> {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("rows.csv"), rows).expect("written");
        let root = Root::of_policy(&folder.path().join("policy.toml"), None)?;
        let policy = Policy::parse(&format!("{HEAD}{rest}"), &root)?;
        lessons(&policy, class, &Progress::default())
    }

    fn values(lessons: &Lessons, side: Side) -> Vec<(Vec<f64>, u32, u32)> {
        let records = lessons.of(side);
        let owned = records.map(|(record, actual, class)| (record.to_vec(), actual, class));
        owned.collect()
    }

    #[test]
    fn both_sides_are_in_the_order_of_the_source_whatever_the_method() {
        for method in [
            "[[protect]]\nmethod = \"noise\"\namount = 0.1\n",
            "[[protect]]\nmethod = \"microaggregation\"\nk = 4\n",
            "[[protect]]\nmethod = \"microaggregation\"\nk = 2\nbuffer = 20\n",
            "[guarantee]\nk = 4\n[[protect]]\nmethod = \"mondrian\"\n",
        ] {
            let lessons = of_policy(&rows(), method, None).expect("lessons");
            assert_eq!(lessons.len(), 40, "{method}");
            for side in [Side::Original, Side::Protected] {
                let header = lessons.header(side).expect("both sides");
                assert_eq!((header.attributes().len(), header.classes()), (2, 2));
            }
            let (before, after) = (
                values(&lessons, Side::Original),
                values(&lessons, Side::Protected),
            );
            let (mut changed, mut moved) = (0, 0.0);
            for (n, (before, after)) in before.iter().zip(&after).enumerate() {
                let x = (n * 17 % 40) as f64;
                // Codes are in the order of the texts: high, low.
                let class = u32::from(x < 20.0);
                assert_eq!((before.0[0], before.1, before.2), (x, class, class));
                assert_eq!(after.1, class, "judged by the original class");
                moved += (after.0[0] - x).abs() / 40.0;
                changed += usize::from(before.0 != after.0);
            }
            assert!(changed > 20, "{method}: {changed}");
            // In a wrong order values would differ by 13 on average.
            assert!(moved < 8.0, "{method}: {moved}");
        }
    }

    #[test]
    fn a_projection_is_learnt_from_its_mixtures_and_from_what_stayed() {
        let method = "[[protect]]\nmethod = \"random-projection\"\ncolumns = [\"x\"]\n";
        let lessons = of_policy(&rows(), method, None).expect("lessons");
        let inputs = |side| lessons.header(side).expect("a side").attributes().to_vec();
        let nominal = Input::Nominal { values: 3 };
        assert_eq!(inputs(Side::Original), [Input::Number, nominal]);
        assert_eq!(inputs(Side::Protected), [Input::Number, nominal]);
        let sides = [Side::Original, Side::Protected].map(|side| values(&lessons, side));
        for (before, after) in sides[0].iter().zip(&sides[1]) {
            assert_eq!((before.0[1], before.1), (after.0[1], after.1));
            assert!(before.0[0] != after.0[0], "a mixture is no value");
        }
    }

    #[test]
    fn rows_without_a_class_are_left_out_and_counted() {
        let rows = rows().replace(",low\n", ",\n");
        let method = "[[protect]]\nmethod = \"noise\"\n";
        let lessons = of_policy(&rows, method, None).expect("lessons");
        let header = lessons.header(Side::Protected).expect("protected");
        assert_eq!((lessons.len(), header.classes()), (20, 1));
        assert_eq!(lessons.notes, ["20 rows without a class are left out"]);
    }

    #[test]
    fn a_class_that_is_none_is_refused_without_showing_it() {
        let method = "[[protect]]\nmethod = \"noise\"\n";
        let error = of_policy(&rows(), method, Some("size")).expect_err("no column");
        assert_eq!(error.exit_code(), 2);
        let rows = rows().replace(",low\n", ",\n").replace(",high\n", ",\n");
        let error = of_policy(&rows, method, None).expect_err("no classes");
        assert!(error.to_string().contains("0 different values"), "{error}");
    }

    #[test]
    fn a_file_is_read_as_what_it_looks_like() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows.csv");
        let many: String = (0..1500)
            .map(|n| format!("text {n};{n};{}\n", n % 2))
            .collect();
        std::fs::write(&path, format!("id;x;kind\n{many}")).expect("written");
        let progress = Progress::default();
        let options = ReadOptions::default();
        let lessons = lessons_of_file(&path, &options, "kind", &progress).expect("lessons");
        let header = lessons.header(Side::Original).expect("a header");
        assert_eq!(header.attributes(), [Input::Number]);
        assert_eq!(lessons.notes.len(), 1, "the texts are left out");
        assert!(!lessons.has(Side::Protected));
        let error = lessons_of_file(&path, &options, "class", &progress).expect_err("no column");
        assert_eq!(error.exit_code(), 2);
    }
}
