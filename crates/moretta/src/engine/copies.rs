//! Columns that copy what names a person: a pseudonym beside such a column hides nobody.
//!
//! A column copies the person if each of its values is that of one person and each person has one
//! value, or if it holds the same text. Originals are compared, since a pseudonym may rotate;
//! only columns are looked at that leave as they are. What is told names columns and no value.
//!
//! **Costs** a hash for each cell of the first [`LOOKED_AT`] rows, until a column is found to be
//! none; memory for the first [`REMEMBERED`] persons.

use super::original::originals_of;
use super::plan::{Action, Plan};
use crate::data::{Batch, Column, Role, RowIds, Schema, plain_text, push_number};
use crate::error::Result;
use crate::protect::Effect;
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::sync::Arc;

/// Rows that are looked at.
const LOOKED_AT: usize = 200_000;

/// Persons that are remembered.
const REMEMBERED: usize = 10_000;

/// The least number of persons who show it: of one alone, every constant column is a copy.
const SEVERAL: usize = 2;

/// The share of rows with the text of their person from which on a column holds the same text.
const NEARLY_ALL: f64 = 0.9;

/// Rows after which a column that is no copy is left alone.
const ENOUGH: u64 = 100;

const HASHER: FixedState = FixedState::with_seed(0x636f_7069_6573);

/// Looks for columns that copy the person whose name is replaced by a pseudonym.
pub(crate) struct Copies {
    person: String,
    rotates: bool,
    /// Persons by the hash of their text.
    persons: HashMap<u64, u32, FixedState>,
    suspects: Vec<Suspect>,
    rows: usize,
}

/// A column that may be a copy.
struct Suspect {
    name: String,
    /// The person of each value, and the value of each person.
    person_of: HashMap<u64, u32, FixedState>,
    value_of: HashMap<u32, u64, FixedState>,
    /// Persons who had the same value in several rows.
    again: HashSet<u32, FixedState>,
    /// A value was that of two persons, or a person had two.
    differs: bool,
    /// Rows with a value, those with the text of the person, and who these are.
    rows: u64,
    same: u64,
    same_persons: HashSet<u32, FixedState>,
    /// Enough was seen: it is no copy.
    cleared: bool,
}

impl Copies {
    /// In rows of this schema; none where no name is replaced by a pseudonym.
    pub(crate) fn new(plan: &Plan, schema: &Schema) -> Result<Option<Self>> {
        let mut named: Vec<_> = plan
            .columns
            .iter()
            .filter(|column| matches!(column.action, Action::Pseudonym { .. }))
            .filter(|column| schema.index_of(&column.name).is_some())
            .collect();
        named.sort_by_key(|column| column.role != Role::Subject);
        let Some(person) = named.first() else {
            return Ok(None);
        };
        let mut kept = vec![true; schema.len()];
        for method in &plan.protect {
            for (kept, effect) in kept.iter_mut().zip(method.effects(schema)?) {
                *kept &= effect == Effect::Kept;
            }
        }
        let fields = schema.fields().iter().zip(kept);
        let names = fields.filter(|(field, kept)| *kept && plan.keeps(&field.name));
        let suspects = names.map(|(field, _)| Suspect::new(&field.name));
        Ok(Some(Copies {
            person: person.name.clone(),
            rotates: person.rotates(),
            persons: HashMap::default(),
            suspects: suspects.collect(),
            rows: 0,
        }))
    }

    /// The copies in these rows, of a plan that gives pseudonyms.
    pub(crate) fn warnings_of(plan: &Plan, rows: &Batch) -> Result<Vec<String>> {
        let Some(mut copies) = Copies::new(plan, rows.schema())? else {
            return Ok(Vec::new());
        };
        copies.observe(rows)?;
        Ok(copies.warnings())
    }

    /// The copies among the originals of released rows.
    pub(crate) fn of_release(
        plan: &Plan,
        original: &Batch,
        released: &RowIds,
    ) -> Result<Vec<String>> {
        let Some(mut copies) = Copies::new(plan, original.schema())? else {
            return Ok(Vec::new());
        };
        let first = released.slice(0, released.len().min(LOOKED_AT));
        copies.observe(&originals_of(&copies.compared(original)?, &first)?)?;
        Ok(copies.warnings())
    }

    /// The columns that are compared.
    fn compared(&self, rows: &Batch) -> Result<Batch> {
        let is_compared = |name: &str| {
            name == self.person || self.suspects.iter().any(|suspect| suspect.name == name)
        };
        let columns = rows.schema().fields().iter().zip(rows.columns());
        let (fields, columns) = columns
            .filter(|(field, _)| is_compared(&field.name))
            .map(|(field, column)| (field.clone(), column.clone()))
            .unzip();
        let schema = Arc::new(Schema::new(fields)?);
        Batch::new(schema, rows.rows().clone(), columns)
    }

    /// Takes originals of rows that leave.
    pub(crate) fn observe(&mut self, rows: &Batch) -> Result<()> {
        let rows = rows.slice(0, rows.len().min(LOOKED_AT - self.rows));
        self.rows += rows.len();
        let named = rows.column_named(&self.person);
        let (Some(named), false) = (named, self.suspects.is_empty() || rows.is_empty()) else {
            return Ok(());
        };
        let texts = hashes(named)?;
        let persons: Vec<Option<u32>> = texts.iter().map(|text| self.person((*text)?)).collect();
        for suspect in &mut self.suspects {
            let Some(column) = rows.column_named(&suspect.name) else {
                continue;
            };
            let values = hashes(column)?;
            for ((text, person), value) in texts.iter().zip(&persons).zip(values) {
                if let (Some(text), Some(value)) = (*text, value) {
                    suspect.observe((text, *person), value);
                }
            }
        }
        self.suspects.retain(|suspect| !suspect.cleared);
        Ok(())
    }

    /// The number of a person; none of one that came when enough were known.
    fn person(&mut self, text: u64) -> Option<u32> {
        let next = self.persons.len() as u32;
        match self.persons.len() < REMEMBERED {
            true => Some(*self.persons.entry(text).or_insert(next)),
            false => self.persons.get(&text).copied(),
        }
    }

    /// What a steward should know, for each copy.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let found = self.suspects.iter().filter_map(|suspect| {
            let how = match (suspect.has_same_text(), suspect.tells_persons_apart()) {
                (true, _) => "holds the same text as",
                (false, true) => "tells persons apart just as",
                (false, false) => return None,
            };
            let (name, person) = (&suspect.name, &self.person);
            let vain = match self.rotates {
                true => "whose pseudonym rotates: it links the rows of a person over all rotations",
                false => "which is released as a pseudonym: it names the persons behind these",
            };
            Some(format!(
                "column `{name}` {how} `{person}`, {vain}; leave it out by role = \"drop\""
            ))
        });
        found.collect()
    }
}

impl Suspect {
    fn new(name: &str) -> Self {
        Suspect {
            name: name.to_owned(),
            person_of: HashMap::default(),
            value_of: HashMap::default(),
            again: HashSet::default(),
            differs: false,
            rows: 0,
            same: 0,
            same_persons: HashSet::default(),
            cleared: false,
        }
    }

    /// A row: the text of its person, who that is where they are remembered, and the value.
    fn observe(&mut self, (text, person): (u64, Option<u32>), value: u64) {
        if self.cleared {
            return;
        }
        self.compare((text, person), value);
        self.cleared = self.rows >= ENOUGH && self.differs && !self.is_mostly_same();
    }

    fn compare(&mut self, (text, person): (u64, Option<u32>), value: u64) {
        self.rows += 1;
        if text == value {
            self.same += 1;
            self.same_persons.extend(person);
        }
        if self.differs {
            return;
        }
        let Some(person) = person else {
            // Somebody who is not remembered has the value of somebody who is.
            self.differs |= self.person_of.contains_key(&value);
            return;
        };
        let owner = *self.person_of.entry(value).or_insert(person);
        let before = self.value_of.insert(person, value);
        self.differs |= owner != person || before.is_some_and(|before| before != value);
        if before.is_some() {
            self.again.insert(person);
        }
    }

    fn is_mostly_same(&self) -> bool {
        self.same as f64 >= NEARLY_ALL * self.rows as f64
    }

    fn has_same_text(&self) -> bool {
        self.is_mostly_same() && self.same_persons.len() >= SEVERAL
    }

    fn tells_persons_apart(&self) -> bool {
        !self.differs && self.again.len() >= SEVERAL
    }
}

/// The hash of each cell's text; none of a missing one.
fn hashes(column: &Column) -> Result<Vec<Option<u64>>> {
    Ok(match column {
        Column::Category(categories) => {
            let levels: Vec<u64> = categories.levels().iter().map(of_text).collect();
            let codes = categories.codes().iter();
            codes
                .map(|&code| levels.get(code as usize).copied())
                .collect()
        }
        Column::Number(numbers) => {
            let mut text = Vec::new();
            let mut hash = |number: f64| {
                text.clear();
                push_number(&mut text, number);
                of_text(std::str::from_utf8(&text).unwrap_or_default())
            };
            numbers.iter().map(|number| number.map(&mut hash)).collect()
        }
        Column::Plain(array) => {
            let texts = plain_text::shown(array)?;
            texts.iter().map(|text| text.map(of_text)).collect()
        }
    })
}

fn of_text(text: &str) -> u64 {
    HASHER.hash_one(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "[columns]\nt = { role = \"time\" }\n\
        user = { role = \"subject\", action = \"pseudonym\", key = \"env:K\"ROTATE }\n\
        page = { role = \"quasi\" }\nload = { role = \"plain\", type = \"category\" }\n\
        [[protect]]\nmethod = \"z-anonymity\"\nz = 2\nwindow = \"1h\"\n";

    /// What is told of rows with these users and loads.
    fn told(rotate: &str, rows: &[(&str, Option<&str>)]) -> Vec<String> {
        let plan = Plan::parse(&HEAD.replace("ROTATE", rotate)).expect("a plan");
        let column = |texts: Vec<Option<&str>>| Column::Category(texts.into_iter().collect());
        let users = column(rows.iter().map(|row| Some(row.0)).collect());
        let loads = column(rows.iter().map(|row| row.1).collect());
        let fields = [("user", Role::Subject), ("load", Role::Plain)].map(|(name, role)| {
            let kind = crate::data::Kind::Category { ordered: false };
            crate::data::Field::new(name, role, kind)
        });
        let schema = Arc::new(Schema::new(fields.to_vec()).expect("two names"));
        let ids = RowIds::Range {
            start: 0,
            len: rows.len(),
        };
        let rows = Batch::new(schema, ids, vec![users, loads]).expect("fits");
        let mut copies = Copies::new(&plan, rows.schema())
            .expect("a plan")
            .expect("a pseudonym");
        for row in 0..rows.len() {
            copies.observe(&rows.slice(row, 1)).expect("rows");
        }
        let in_one = Copies::warnings_of(&plan, &rows).expect("rows");
        assert_eq!(copies.warnings(), in_one, "batches do not matter");
        in_one
    }

    #[test]
    fn a_column_that_tells_persons_apart_as_the_subject_does_is_a_copy() {
        let copy = [("ann", "x1"), ("bob", "x2"), ("ann", "x1"), ("bob", "x2")];
        let copy = copy.map(|(user, load)| (user, Some(load)));
        for (rotate, why) in [(", rotate = \"1h\"", "rotates"), ("", "names the persons")] {
            let found = told(rotate, &copy);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].contains("`load` tells persons apart just as `user`"));
            assert!(found[0].contains(why), "{found:?}");
            assert!(!found[0].contains("x1") && !found[0].contains("ann"));
        }
        let mut with_gaps = copy.to_vec();
        with_gaps.push(("ann", None));
        assert_eq!(told("", &with_gaps).len(), 1, "missing cells tell nothing");
        let mut shared = copy.to_vec();
        shared.push(("cleo", Some("x1")));
        assert_eq!(told("", &shared), [""; 0], "two persons share a value");
        let mut changing = copy.to_vec();
        changing.push(("ann", Some("x3")));
        assert_eq!(told("", &changing), [""; 0], "a person has two values");
    }

    #[test]
    fn persons_with_one_row_each_show_it_by_equal_texts_alone() {
        let rows: Vec<String> = (0..40).map(|n| format!("user-{n}")).collect();
        let other: Vec<String> = (0..40).map(|n| format!("{n} kWh")).collect();
        let rows = |loads: &'_ [String]| {
            let rows: Vec<(String, String)> = rows.iter().cloned().zip(loads.to_vec()).collect();
            let rows: Vec<_> = rows.iter().map(|(u, l)| (&**u, Some(&**l))).collect();
            told("", &rows)
        };
        assert_eq!(rows(&other), [""; 0]);
        let same: Vec<String> = (0..40).map(|n| format!("user-{n}")).collect();
        let found = rows(&same);
        assert!(
            found[0].contains("holds the same text as `user`"),
            "{found:?}"
        );
    }

    /// The warnings of a whole session on 60 rows of six users, whose loads are as said.
    fn told_by_a_session(methods: &str, load: impl Fn(usize) -> String) -> Vec<String> {
        use crate::data::{Field, Kind};
        use crate::engine::{Context, KeyPlace, Session};
        use crate::protect::identifiers::Key;
        let plan = Plan::parse(methods).unwrap_or_else(|error| panic!("{error}\n{methods}"));
        let category = || Kind::Category { ordered: false };
        let fields = vec![
            Field::new("t", Role::Time, Kind::Plain(arrow_schema::DataType::Utf8)),
            Field::new("user", Role::Subject, category()),
            Field::new("page", Role::Quasi, category()),
            Field::new("load", Role::Plain, category()),
        ];
        let schema = Arc::new(Schema::new(fields).expect("names"));
        let texts = |of: &dyn Fn(usize) -> String| {
            let texts: Vec<String> = (0..60).map(of).collect();
            Column::Category(texts.iter().map(|text| Some(text.as_str())).collect())
        };
        let times = (0..60).map(|row| Some((1_700_000_000 + 60 * row).to_string()));
        let columns = vec![
            Column::Plain(Arc::new(times.collect::<arrow_array::StringArray>())),
            texts(&|row| format!("u{}", row % 6)),
            texts(&|_| "home".to_owned()),
            texts(&load),
        ];
        let ids = RowIds::Range { start: 0, len: 60 };
        let rows = Batch::new(Arc::clone(&schema), ids, columns).expect("fits");
        let mut context = Context::default();
        let key = Key::new(vec![7; 32]).expect("long enough");
        context
            .keys
            .insert(KeyPlace::Environment("K".to_owned()), key);
        let plan = Arc::new(plan);
        let mut session = Session::open(&plan, &schema, context).expect("opened");
        session.push(rows).expect("taken");
        let (_, outcome) = session.finish().expect("finished");
        let mut warnings = outcome.report.warnings;
        warnings.retain(|warning| warning.contains("`load`") && warning.contains("`user`,"));
        warnings
    }

    #[test]
    fn sessions_of_tables_events_and_records_warn_of_copies() {
        let columns = |rotate: &str, unit: &str| {
            HEAD.replace("ROTATE", rotate)
                .replace("role = \"time\"", &format!("role = \"time\"{unit}"))
                .split("[[protect]]")
                .next()
                .expect("columns")
                .to_owned()
        };
        let events = columns(", rotate = \"10m\"", ", unit = \"s\"");
        let table = columns("", "");
        let mask = "[[protect]]\nmethod = \"noise\"\nreplace = 0.5\ncolumns = [\"page\"]\n";
        for methods in [
            format!("{events}[[protect]]\nmethod = \"z-anonymity\"\nz = 2\nwindow = \"1h\"\n"),
            format!("{events}{mask}buffer = 5\n"),
            format!("{table}[guarantee]\nk = 2\n[[protect]]\nmethod = \"mondrian\"\n"),
            format!("{table}{mask}"),
        ] {
            let copied = told_by_a_session(&methods, |row| format!("meter {}", row % 6));
            assert_eq!(copied.len(), 1, "{copied:?}\n{methods}");
            let rotates = methods.contains("rotate");
            assert_eq!(copied[0].contains("rotates"), rotates, "{copied:?}");
            let shared = told_by_a_session(&methods, |row| format!("meter {}", row % 3));
            assert_eq!(shared, [""; 0], "{methods}");
        }
    }

    #[test]
    fn one_person_alone_is_no_evidence() {
        let rows = [("ann", Some("x1")); 30];
        assert_eq!(told("", &rows), [""; 0]);
    }
}
