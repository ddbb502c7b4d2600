//! Both sides of the rows as numbers: those of a model, or new ones.
//!
//! A column that a model knows is found by its name, a category by its text. What the
//! model has never seen counts as missing.

use super::lessons::{Lessons, Side, Taught};
use crate::data::{Batch, Encoder, Field, Kind, Levels, Records, Role, Schema};
use crate::error::{Error, Result};
use crate::learn::{Meaning, Vocabulary};

/// More different texts than this are names rather than categories.
const MOST_VALUES: usize = 1000;

/// More classes than this are no classes.
const MOST_CLASSES: usize = 1000;

/// What becomes of rows whose class a model does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strange {
    /// They are an error, since no answer could be right.
    Refused,
    /// They are left out, as are rows without a class.
    LeftOut,
}

/// Rows, and what is to be learnt of them.
pub(crate) struct Classroom<'a> {
    pub(crate) original: &'a Batch,
    /// The same rows, as they are released.
    pub(crate) released: Option<&'a Batch>,
    /// The place of the class.
    pub(crate) class: usize,
    /// What a model knows of the columns.
    pub(crate) known: Option<&'a Vocabulary>,
    /// Classes that the model does not know.
    pub(crate) strange: Strange,
    /// What is odd so far.
    pub(crate) notes: Vec<String>,
}

/// The rows that have a class on every side, and what it is.
struct Labels {
    rows: Vec<u32>,
    /// The class of each of these rows, on each side.
    sides: Vec<Vec<u32>>,
    names: Levels,
}

impl Classroom<'_> {
    /// Rows without a class are left out, and so are columns that must not be seen.
    /// Mixtures of columns are other columns than those they were made of, so each side
    /// has its own; of two, one may not fit the model.
    pub(crate) fn lessons(mut self, keeps: impl Fn(&str) -> bool) -> Result<Lessons> {
        let labels = self.labels()?;
        let seen = match self.known {
            None => self.attributes(keeps),
            Some(_) => self.visible(keeps),
        };
        let original = self.taught(Side::Original, self.original, &seen, &labels);
        let released = self.released.map(|batch| {
            let places = released_attributes(self.original.schema(), &seen, batch.schema());
            self.taught(Side::Protected, batch, &places, &labels)
        });
        let (original, protected) = match (original, released) {
            (Err(error), Some(Ok(protected))) if self.known.is_some() => {
                self.misfit(Side::Original, &error);
                (None, Some(protected))
            }
            (Ok(original), Some(Err(error))) if self.known.is_some() => {
                self.misfit(Side::Protected, &error);
                (Some(original), None)
            }
            (original, released) => (Some(original?), released.transpose()?),
        };
        let exams = match (&original, &protected, self.known) {
            // What the model does not know is missing already.
            (Some(original), Some(_), Some(_)) => Some(original.records.clone()),
            (Some(original), Some(protected), None) => exams(original, protected),
            _ => None,
        };
        let actual = labels.sides.into_iter().next().unwrap_or_default();
        Ok(Lessons::new(original, protected, exams, actual, self.notes))
    }

    /// A side that cannot be learnt is told, since the other can.
    fn misfit(&mut self, side: Side, error: &Error) {
        let word = side.word();
        self.notes
            .push(format!("the {word} rows do not fit the model: {error}"));
    }

    /// One side, of which a learner may see these places.
    fn taught(
        &mut self,
        side: Side,
        batch: &Batch,
        places: &[usize],
        labels: &Labels,
    ) -> Result<Taught> {
        let places = match self.known {
            None => places.to_vec(),
            Some(known) => self.known_attributes(batch.schema(), places, known)?,
        };
        if places.is_empty() {
            return Err(Error::policy("there is nothing to learn from").help(
                "a learner sees columns with the role quasi, sensitive or plain that have a type",
            ));
        }
        let mut encoder = self.encoder(batch.schema(), &places)?;
        let mut records = Records::new(places.len());
        encoder.encode(&batch.take(&labels.rows)?, &mut records)?;
        let vocabulary = match self.known {
            None => self.vocabulary(batch.schema(), &encoder, &records, labels.names.clone())?,
            Some(known) => {
                self.forget_the_unknown(side, known, &mut records);
                known.clone()
            }
        };
        let place = usize::from(side == Side::Protected);
        Ok(Taught {
            vocabulary,
            records,
            classes: labels.sides.get(place).cloned().unwrap_or_default(),
        })
    }

    fn field(&self, place: usize) -> &Field {
        &self.original.schema().fields()[place]
    }

    /// Categories have the codes that a model knows them by or, without one, the same on
    /// both sides.
    fn encoder(&self, schema: &Schema, places: &[usize]) -> Result<Encoder> {
        let mut encoder = Encoder::new(schema, places)?;
        for (attribute, &place) in places.iter().enumerate() {
            let name = &*schema.fields()[place].name;
            let known = self.known.and_then(|known| known.meaning(name)?.levels());
            let before = self.original.schema().index_of(name);
            let before = before.and_then(|place| self.levels(place));
            if let Some(levels) = known.or(before) {
                let levels: Vec<String> = levels.iter().map(str::to_owned).collect();
                encoder.declare(attribute, &levels);
            }
        }
        Ok(encoder)
    }

    /// The values of a column of the original: as its source declares them, or as they
    /// are held.
    fn levels(&self, place: usize) -> Option<&Levels> {
        let held = self.original.column(place).as_categories()?.levels();
        let field = self.field(place);
        let unordered = field.kind == (Kind::Category { ordered: false });
        let declared = field.declared_values().filter(|_| unordered);
        Some(declared.unwrap_or(held))
    }

    fn labels(&mut self) -> Result<Labels> {
        let name = self.field(self.class).name.to_string();
        let (mut codes, mut levels) = (Vec::new(), Levels::default());
        for batch in [Some(self.original), self.released].into_iter().flatten() {
            let place = batch.schema().index_of(&name).ok_or_else(|| {
                Error::policy(format!("the class `{name}` is not released"))
                    .help("keep it out of the masked columns, or predict another column")
            })?;
            let mut encoder = self.encoder(batch.schema(), &[place])?;
            let mut records = Records::new(1);
            encoder.encode(batch, &mut records)?;
            // There is one zero, whatever its sign.
            codes.push(records.column(0).map(|code| code + 0.0).collect::<Vec<_>>());
            levels = encoder.levels(0).clone();
        }
        let mut present: Vec<f64> = codes.iter().flatten().copied().collect();
        present.retain(|code| !code.is_nan());
        if self.known.is_none()
            && let Some(declared) = self.field(self.class).declared_values()
            && self.levels(self.class).is_some()
        {
            present.extend((0..declared.len()).map(|code| code as f64));
        }
        present.sort_by(f64::total_cmp);
        present.dedup();
        let few = (1..=MOST_CLASSES).contains(&present.len());
        if !few && self.strange == Strange::Refused {
            let what = format!("{} different values are no classes", present.len());
            return Err(Error::input(what).in_column(&name).help(format!(
                "the class has from 1 to {MOST_CLASSES} different values"
            )));
        }
        let names: Levels = match self.field(self.class).kind {
            Kind::Category { .. } => {
                let names = present.iter().map(|&code| levels.get(code as u32));
                names.collect()
            }
            _ => present.iter().map(f64::to_string).collect(),
        };
        let numbers = self.classes(&names)?;
        let label = |code: &f64| {
            let place = present.binary_search_by(|other| other.total_cmp(code));
            place.ok().and_then(|place| numbers[place])
        };
        let mut rows = self.labelled(&codes);
        rows.retain(|&row| {
            codes
                .iter()
                .all(|side| label(&side[row as usize]).is_some())
        });
        self.note_strange(&codes, &rows);
        let sides = codes.iter().map(|side| {
            let labels = rows.iter().map(|&row| label(&side[row as usize]));
            labels.flatten().collect()
        });
        Ok(Labels {
            sides: sides.collect(),
            rows,
            names,
        })
    }

    /// The numbers of the classes with these names; none of one that the model does not know.
    fn classes(&self, texts: &Levels) -> Result<Vec<Option<u32>>> {
        let Some(known) = self.known else {
            return Ok((0..texts.len() as u32).map(Some).collect());
        };
        let numbers = texts.iter().map(|text| known.classes().find(text));
        let numbers: Vec<Option<u32>> = numbers.collect();
        match numbers.iter().filter(|number| number.is_none()).count() {
            unknown if unknown == 0 || self.strange == Strange::LeftOut => Ok(numbers),
            unknown => Err(Error::input(format!(
                "the model does not know {unknown} of {} classes",
                texts.len()
            ))
            .in_column(&*self.field(self.class).name)
            .help("leave their rows out, or learn a new model from rows of every class")),
        }
    }

    /// A masked class may be one that nobody had, as a number with noise is.
    fn note_strange(&mut self, codes: &[Vec<f64>], rows: &[u32]) {
        let [before, after] = codes else {
            return;
        };
        let mut known = before.clone();
        known.sort_by(f64::total_cmp);
        let is_strange = |row: &&u32| {
            let code = after[**row as usize];
            known
                .binary_search_by(|other| other.total_cmp(&code))
                .is_err()
        };
        let strange = rows.iter().filter(is_strange).count();
        if strange > 0 {
            self.notes.push(format!(
                "{strange} of {} protected rows have a class that no original row has: what is learnt from them cannot be right",
                rows.len()
            ));
        }
    }

    /// The rows that have a class on every side.
    fn labelled(&mut self, codes: &[Vec<f64>]) -> Vec<u32> {
        let rows = self.original.len();
        let labelled: Vec<u32> = (0..rows as u32)
            .filter(|&row| codes.iter().all(|side| !side[row as usize].is_nan()))
            .collect();
        if labelled.len() < rows {
            let missing = rows - labelled.len();
            self.notes.push(match missing {
                1 => "1 row without a class is left out".to_owned(),
                _ => format!("{missing} rows without a class are left out"),
            });
        }
        labelled
    }

    /// The places of the columns that a learner may see.
    fn visible(&self, keeps: impl Fn(&str) -> bool) -> Vec<usize> {
        let fields = self.original.schema().fields().iter().enumerate();
        let seen = fields.filter(|(place, field)| {
            let role = matches!(
                field.role,
                Role::Quasi | Role::Sensitive | Role::Plain | Role::Class
            );
            *place != self.class
                && role
                && keeps(&field.name)
                && !matches!(field.kind, Kind::Plain(_))
        });
        seen.map(|(place, _)| place).collect()
    }

    /// The places of the columns that a new learner sees.
    fn attributes(&mut self, keeps: impl Fn(&str) -> bool) -> Vec<usize> {
        for field in self.original.schema().fields() {
            if matches!(field.kind, Kind::Plain(_))
                && field.role == Role::Plain
                && keeps(&field.name)
            {
                let name = &field.name;
                self.notes.push(format!("`{name}` has no type and is left out: type = \"number\" or \"category\" lets learners see it"));
            }
        }
        let mut places = self.visible(keeps);
        places.retain(|&place| {
            let values = self.original.column(place).as_categories();
            let few = values.is_none_or(|column| column.levels().len() <= MOST_VALUES);
            if !few {
                let name = &self.original.schema().fields()[place].name;
                self.notes.push(format!(
                    "`{name}` has more than {MOST_VALUES} different texts and is left out"
                ));
            }
            few
        });
        places
    }

    /// Those of the visible places that a model sees, in its order.
    fn known_attributes(
        &mut self,
        schema: &Schema,
        visible: &[usize],
        known: &Vocabulary,
    ) -> Result<Vec<usize>> {
        let field = |place: usize| &schema.fields()[place];
        let mut places = Vec::new();
        for (name, meaning) in known.columns() {
            let mut named = visible.iter();
            let place = named.find(|&&place| *field(place).name == **name);
            let &place = place.ok_or_else(|| {
                Error::input(format!("the model needs a column `{name}`"))
                    .help("name it so and, in a policy, let it be seen: quasi, sensitive or plain")
            })?;
            if !meaning.fits(&field(place).kind) {
                let what = format!("the model knows this column as a {}", meaning.word());
                return Err(Error::input(what)
                    .in_column(name)
                    .help("give it that type in the policy, or learn a new model"));
            }
            places.push(place);
        }
        for &place in visible.iter().filter(|place| !places.contains(place)) {
            let name = &field(place).name;
            let note = format!("`{name}` is unknown to the model and is left out");
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        Ok(places)
    }

    /// Takes categories that a model does not know for missing.
    fn forget_the_unknown(&mut self, side: Side, known: &Vocabulary, records: &mut Records) {
        for (attribute, (name, meaning)) in known.columns().iter().enumerate() {
            let Some(levels) = meaning.levels() else {
                continue;
            };
            let mut forgotten = 0;
            for row in 0..records.len() {
                let value = &mut records.record_mut(row)[attribute];
                if *value >= levels.len() as f64 {
                    *value = f64::NAN;
                    forgotten += 1;
                }
            }
            if forgotten > 0 {
                let word = side.word();
                self.notes.push(match forgotten {
                    1 => format!("`{name}` has a value that the model does not know, in 1 {word} row: it counts as missing"),
                    _ => format!("`{name}` has values that the model does not know, in {forgotten} {word} rows: they count as missing"),
                });
            }
        }
    }

    /// What the numbers of the records stand for.
    fn vocabulary(
        &self,
        schema: &Schema,
        encoder: &Encoder,
        records: &Records,
        classes: Levels,
    ) -> Result<Vocabulary> {
        let meaning = |(attribute, place): (usize, usize)| {
            let field = &schema.fields()[place];
            let levels = encoder.levels(attribute);
            let meaning = match field.kind {
                Kind::Category { ordered: true } => Meaning::Ordered(levels.clone()),
                Kind::Category { ordered: false } => {
                    // Those of rows that are left out need no code.
                    let codes =
                        records
                            .column(attribute)
                            .fold(0, |most, code| match code.is_nan() {
                                true => most,
                                false => most.max(code as usize + 1),
                            });
                    let declared = field.declared_values().map_or(0, |values| values.len());
                    Meaning::Nominal(levels.iter().take(codes.max(declared)).collect())
                }
                Kind::Date(_) => Meaning::Date,
                Kind::Number { .. } | Kind::Plain(_) => Meaning::Number,
            };
            (field.name.to_string(), meaning)
        };
        let columns = encoder.places().enumerate().map(meaning).collect();
        let class = self.field(self.class).name.to_string();
        Vocabulary::new(columns, class, classes)
    }
}

/// The original records as one can take them who learnt the released ones: a category that
/// was not released is missing. None where these are other columns.
fn exams(original: &Taught, protected: &Taught) -> Option<Records> {
    let [before, after] = [original, protected].map(|side| side.vocabulary.columns());
    let same = |((name, meaning), (other, shown)): (&(String, Meaning), &(String, Meaning))| {
        name == other && meaning.levels().is_some() == shown.levels().is_some()
    };
    if before.len() != after.len() || !before.iter().zip(after).all(same) {
        return None;
    }
    let mut exams = original.records.clone();
    for (attribute, (_, meaning)) in after.iter().enumerate() {
        if let Meaning::Nominal(levels) = meaning {
            let mut released = vec![false; levels.len()];
            for code in protected.records.column(attribute) {
                if let Some(released) = released.get_mut(code as usize) {
                    *released |= !code.is_nan();
                }
            }
            for row in 0..exams.len() {
                let value = &mut exams.record_mut(row)[attribute];
                if released.get(*value as usize) != Some(&true) {
                    *value = f64::NAN;
                }
            }
        }
    }
    Some(exams)
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
