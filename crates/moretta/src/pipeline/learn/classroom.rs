//! Both sides of the rows as numbers: those of a model, or new ones.
//!
//! A column that a model knows is found by its name, a category by its text. What the
//! model has never seen counts as missing; a class that it has never seen is an error,
//! since no answer could be right.

use super::lessons::{Lessons, Taught};
use crate::data::{Batch, Encoder, Field, Kind, Levels, Records, Role};
use crate::error::{Error, Result};
use crate::learn::{Meaning, Vocabulary};

/// More different texts than this are names rather than categories.
const MOST_VALUES: usize = 1000;

/// More classes than this are no classes.
const MOST_CLASSES: usize = 1000;

/// Rows, and what is to be learnt of them.
pub(super) struct Classroom<'a> {
    pub(super) original: &'a Batch,
    /// The same rows, as they are released.
    pub(super) released: Option<&'a Batch>,
    /// The place of the class.
    pub(super) class: usize,
    /// What a model knows of the columns.
    pub(super) known: Option<&'a Vocabulary>,
    /// What is odd so far.
    pub(super) notes: Vec<String>,
}

/// The class of each row on each side, and what the classes are called.
struct Labels {
    sides: Vec<Vec<Option<u32>>>,
    names: Levels,
}

impl Classroom<'_> {
    /// Rows without a class are left out, and so are columns that must not be seen.
    pub(super) fn lessons(mut self, keeps: impl Fn(&str) -> bool) -> Result<Lessons> {
        let labels = self.labels()?;
        let labelled = self.labelled(&labels);
        let places = match self.known {
            None => self.attributes(keeps),
            Some(known) => self.known_attributes(keeps, known)?,
        };
        if places.is_empty() {
            return Err(Error::policy("there is nothing to learn from").help(
                "a learner sees columns with the role quasi, sensitive or plain that have a type",
            ));
        }
        let mut encoder = Encoder::new(self.original.schema(), &places)?;
        self.declare(&mut encoder);
        let mut taught = Vec::new();
        for (batch, labels) in self.sides().zip(&labels.sides) {
            let mut records = Records::new(places.len());
            encoder.encode(&batch.take(&labelled)?, &mut records)?;
            let classes = labelled.iter().filter_map(|&row| labels[row as usize]);
            taught.push(Taught {
                records,
                classes: classes.collect(),
            });
        }
        let vocabulary = match self.known {
            None => self.vocabulary(&encoder, &taught, labels.names)?,
            Some(known) => {
                self.forget_the_unknown(known, &mut taught);
                known.clone()
            }
        };
        Lessons::new(vocabulary, taught, self.notes)
    }

    fn sides(&self) -> impl Iterator<Item = &Batch> {
        [Some(self.original), self.released].into_iter().flatten()
    }

    fn field(&self, place: usize) -> &Field {
        &self.original.schema().fields()[place]
    }

    fn labels(&self) -> Result<Labels> {
        let mut encoder = Encoder::new(self.original.schema(), &[self.class])?;
        let mut codes: Vec<Vec<f64>> = Vec::new();
        for batch in self.sides() {
            let mut records = Records::new(1);
            encoder.encode(batch, &mut records)?;
            // There is one zero, whatever its sign.
            codes.push(records.column(0).map(|code| code + 0.0).collect());
        }
        let mut present: Vec<f64> = codes.iter().flatten().copied().collect();
        present.retain(|code| !code.is_nan());
        present.sort_by(f64::total_cmp);
        present.dedup();
        if present.is_empty() || present.len() > MOST_CLASSES {
            let what = format!("{} different values are no classes", present.len());
            return Err(Error::input(what)
                .in_column(&*self.field(self.class).name)
                .help(format!(
                    "the class has from 1 to {MOST_CLASSES} different values"
                )));
        }
        let texts: Levels = match self.field(self.class).kind {
            Kind::Category { .. } => {
                let levels = encoder.levels(0);
                present
                    .iter()
                    .map(|&code| levels.get(code as u32))
                    .collect()
            }
            _ => present.iter().map(f64::to_string).collect(),
        };
        let numbers = self.classes(&texts)?;
        let label = |code: &f64| {
            let place = present.binary_search_by(|other| other.total_cmp(code));
            place.ok().map(|place| numbers[place])
        };
        let sides = codes.iter().map(|side| side.iter().map(label).collect());
        Ok(Labels {
            sides: sides.collect(),
            names: texts,
        })
    }

    /// The numbers of the classes with these names.
    fn classes(&self, texts: &Levels) -> Result<Vec<u32>> {
        let Some(known) = self.known else {
            return Ok((0..texts.len() as u32).collect());
        };
        let numbers: Vec<u32> = texts
            .iter()
            .filter_map(|text| known.classes().find(text))
            .collect();
        match texts.len() - numbers.len() {
            0 => Ok(numbers),
            unknown => Err(Error::input(format!(
                "the model does not know {unknown} of {} classes",
                texts.len()
            ))
            .in_column(&*self.field(self.class).name)
            .help("leave their rows out, or learn a new model from rows of every class")),
        }
    }

    /// The rows that have a class on every side.
    fn labelled(&mut self, labels: &Labels) -> Vec<u32> {
        let rows = self.original.len();
        let labelled: Vec<u32> = (0..rows as u32)
            .filter(|&row| labels.sides.iter().all(|side| side[row as usize].is_some()))
            .collect();
        if labelled.len() < rows {
            let missing = rows - labelled.len();
            self.notes
                .push(format!("{missing} rows without a class are left out"));
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

    /// The places of the columns that a model sees, in its order.
    fn known_attributes(
        &mut self,
        keeps: impl Fn(&str) -> bool,
        known: &Vocabulary,
    ) -> Result<Vec<usize>> {
        let visible = self.visible(keeps);
        let mut places = Vec::new();
        for (name, meaning) in known.columns() {
            let mut named = visible.iter();
            let place = named.find(|&&place| *self.field(place).name == **name);
            let &place = place.ok_or_else(|| {
                Error::input(format!("the model needs a column `{name}`"))
                    .help("name it so and, in a policy, let it be seen: quasi, sensitive or plain")
            })?;
            if !meaning.fits(&self.field(place).kind) {
                let what = format!("the model knows this column as a {}", meaning.word());
                return Err(Error::input(what)
                    .in_column(name)
                    .help("give it that type in the policy, or learn a new model"));
            }
            places.push(place);
        }
        for place in visible.into_iter().filter(|place| !places.contains(place)) {
            let name = &self.original.schema().fields()[place].name;
            self.notes
                .push(format!("`{name}` is unknown to the model and is left out"));
        }
        Ok(places)
    }

    /// Gives the categories of a model the codes that it knows them by.
    fn declare(&self, encoder: &mut Encoder) {
        let columns = self.known.map_or(&[][..], Vocabulary::columns);
        for (attribute, (_, meaning)) in columns.iter().enumerate() {
            if let Some(levels) = meaning.levels() {
                let levels: Vec<String> = levels.iter().map(str::to_owned).collect();
                encoder.declare(attribute, &levels);
            }
        }
    }

    /// Takes categories that a model does not know for missing.
    fn forget_the_unknown(&mut self, known: &Vocabulary, taught: &mut [Taught]) {
        for (attribute, (name, meaning)) in known.columns().iter().enumerate() {
            let Some(levels) = meaning.levels() else {
                continue;
            };
            let forgotten = taught.iter_mut().map(|side| {
                let mut forgotten = 0;
                for row in 0..side.records.len() {
                    let value = &mut side.records.record_mut(row)[attribute];
                    if *value >= levels.len() as f64 {
                        *value = f64::NAN;
                        forgotten += 1;
                    }
                }
                forgotten
            });
            let most: usize = forgotten.max().unwrap_or(0);
            if most > 0 {
                self.notes.push(format!(
                    "`{name}` has values that the model does not know, in {most} rows: they count as missing"
                ));
            }
        }
    }

    /// What the numbers of the records stand for.
    fn vocabulary(
        &self,
        encoder: &Encoder,
        taught: &[Taught],
        classes: Levels,
    ) -> Result<Vocabulary> {
        let meaning = |(attribute, place): (usize, usize)| {
            let field = self.field(place);
            let levels = encoder.levels(attribute);
            let meaning = match field.kind {
                Kind::Category { ordered: true } => Meaning::Ordered(levels.clone()),
                Kind::Category { ordered: false } => {
                    let codes = taught
                        .iter()
                        .flat_map(|side| side.records.column(attribute));
                    // Those of rows that are left out need no code.
                    let codes = codes.fold(0, |most, code| match code.is_nan() {
                        true => most,
                        false => most.max(code as usize + 1),
                    });
                    Meaning::Nominal(levels.iter().take(codes).collect())
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
