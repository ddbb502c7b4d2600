//! The guess for one column: its role, how to read it, how it generalises.
//!
//! Rules are tried in this order, and the first that fits decides:
//!
//! 1. The name says person and values repeat: a *subject*, if it is the best of its kind.
//! 2. The name says person or key and every row has another value: an identifier.
//! 3. Values are e-mail addresses, IBANs, tax numbers and the like: an identifier.
//! 4. Values are text that people wrote freely: an identifier.
//! 5. The name says a role in one of seven languages.
//! 6. Values are dates: a quasi-identifier.
//! 7. Values look like names of persons, or nearly every row or person has another text, or
//!    numbers count the rows: an identifier.
//! 8. Anything else could be known to an outsider: a quasi-identifier.
//!
//! A column is never guessed plain, since that would publish it unprotected.

use super::names::{self, BELONGINGS, FREE_TEXT, KEYS, Name, PERSONS, POSTAL};
use super::{Guess, content, dates};
use crate::data::hierarchy::{self, HierarchySpec, MaskSide};
use crate::data::{Categories, Column, DateFormat, Kind, Numbers, Role};
use crate::io::ReadAs;

/// Rows without which it says little that every one has another value.
pub(super) const FEW: usize = 10;

/// Distinct values for each row from which on a text is taken for an identifier.
pub(super) const NEARLY_ALL: f64 = 0.9;

/// Values that a class may have.
const CLASSES: usize = 100;

const UNSURE: &str = "unsure, so protected: make it plain only if no outsider can know it";

/// A column before it is guessed.
pub(super) struct Look<'a> {
    pub(super) name: &'a str,
    pub(super) kind: &'a Kind,
    /// As it was inferred.
    pub(super) column: &'a Column,
    /// As it is written; none when it has no text form.
    pub(super) texts: Option<&'a Categories>,
}

/// A column, guessed, and what else could become of it.
pub(super) struct Guessed {
    pub(super) guess: Guess,
    /// How well it tells persons, when it could be the subject.
    pub(super) subject: Option<Subject>,
    /// Its values are times of events.
    pub(super) moments: Option<Moments>,
    /// Its distinct texts, when the role is no more than caution.
    pub(super) unsure_texts: Option<usize>,
}

/// How well a column tells persons; larger is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Subject {
    /// Its values name persons, and repeat.
    ByContent { persons: usize },
    /// The name says something that belongs to a person.
    Belonging { persons: usize },
    /// The name says no more than that it is a key.
    Key { persons: usize },
    /// The name says person.
    Person { persons: usize },
}

impl Subject {
    /// Distinct values.
    pub(super) fn persons(self) -> usize {
        match self {
            Subject::ByContent { persons }
            | Subject::Belonging { persons }
            | Subject::Key { persons }
            | Subject::Person { persons } => persons,
        }
    }
}

/// How well a column tells the time of an event; larger is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Moments {
    /// By its values.
    ByContent,
    /// By its values and its name.
    Named,
}

impl<'a> Look<'a> {
    /// The distinct values.
    fn values(&self) -> impl Iterator<Item = &'a str> + Clone + use<'a> {
        let levels = self.texts.map(|texts| texts.levels().as_ref());
        let codes = 0..levels.map_or(0, |levels| levels.len() as u32);
        codes.filter_map(move |code| levels.map(|levels| levels.get(code)))
    }

    fn present(&self) -> usize {
        self.column.len() - self.column.missing_count()
    }

    fn distinct(&self) -> usize {
        match self.texts {
            Some(texts) => texts.levels().len(),
            None => self.present(),
        }
    }

    /// Whether nearly every row has another value.
    fn nearly_all_differ(&self) -> bool {
        self.present() >= FEW && self.distinct() as f64 >= NEARLY_ALL * self.present() as f64
    }

    /// The guess, as if the column were alone.
    pub(super) fn guess(&self) -> Guessed {
        let name = Name::new(self.name);
        let is_text = matches!(self.kind, Kind::Category { .. });
        let dates = match self.kind {
            Kind::Category { .. } | Kind::Date(_) => dates::recognise(self.values()),
            _ => None,
        };
        let content = content::recognise(self.values());
        let (role, why) = self.role(&name, content, dates, is_text);
        let postal = name.says(POSTAL).is_some();
        let read = match (self.kind, dates) {
            (Kind::Number { .. }, _) if postal => ReadAs::Category,
            (_, Some(dates))
                if matches!(role, Role::Quasi)
                    && (dates.timed || dates.format != DateFormat::ISO) =>
            {
                ReadAs::Date(dates.format)
            }
            (Kind::Date(format), _) if *format != DateFormat::ISO => ReadAs::Date(*format),
            _ => ReadAs::Infer,
        };
        let (hierarchy, optional) = match role {
            Role::Quasi => self.hierarchy(postal, dates),
            _ => (None, false),
        };
        let moments =
            dates::are_moments(self.values()).then(|| match name.says(names::TIMES).is_some() {
                true => Moments::Named,
                false => Moments::ByContent,
            });
        let unsure = is_text && why == UNSURE;
        Guessed {
            unsure_texts: unsure.then(|| self.distinct()),
            subject: self.subject(&name, content),
            moments: moments.filter(|_| name.says(names::BIRTH).is_none()),
            guess: Guess {
                name: self.name.to_owned(),
                role,
                why,
                read,
                hierarchy,
                optional,
            },
        }
    }

    /// The role and why, leaving aside whether the column is the subject.
    fn role(
        &self,
        name: &Name,
        content: Option<&'static str>,
        dates: Option<dates::Dates>,
        is_text: bool,
    ) -> (Role, String) {
        let all_differ = self.nearly_all_differ();
        let repeats = self.distinct() * 5 < self.present();
        if all_differ && name.says_only(&[PERSONS, BELONGINGS, KEYS]) {
            return (
                Role::Identifier,
                "nearly every row has another value".to_owned(),
            );
        }
        if let Some(what) = content {
            return (Role::Identifier, format!("the values are {what}"));
        }
        let wrote = name.says(FREE_TEXT).is_some() || content::is_free_text(self.values());
        if is_text && dates.is_none() && !repeats && wrote && self.present() > 1 {
            return (
                Role::Identifier,
                "the values are free text, which may name anybody".to_owned(),
            );
        }
        if let Some((role, word)) = name.role() {
            let generalised = dates.filter(|_| role == Role::Quasi);
            let doubts = generalised.map_or_else(String::new, |dates| dates.doubts());
            return match role {
                Role::Identifier if self.distinct() <= 2 && self.present() >= 2 * FEW => {
                    let why = format!("the name says `{word}`, but two values name nobody");
                    (Role::Quasi, why)
                }
                // A class is released as it is, so it must not single anybody out.
                Role::Class
                    if self.distinct() > CLASSES || self.distinct() * 2 > self.present() =>
                {
                    let why = format!(
                        "the name says `{word}`, but there are too many values for a class"
                    );
                    (Role::Quasi, why)
                }
                _ => (role, format!("the name says `{word}`{doubts}")),
            };
        }
        if let Some(dates) = dates {
            return (
                Role::Quasi,
                format!("the values are dates{}", dates.doubts()),
            );
        }
        // Few values that repeat, such as `New York`, are rather categories.
        let many = !repeats && self.present() > 2 || self.distinct() >= 2 * FEW;
        if is_text && many && content::are_names_of_persons(self.values()) {
            return (
                Role::Identifier,
                "the values look like names of persons".to_owned(),
            );
        }
        if is_text && all_differ {
            return (
                Role::Identifier,
                "nearly every row has another text".to_owned(),
            );
        }
        if self.counts_rows() {
            return (Role::Identifier, "the values number the rows".to_owned());
        }
        (Role::Quasi, UNSURE.to_owned())
    }

    /// Whether the values are whole numbers one after the other, each once, or all of one
    /// length and different, as numbers of files and cases are.
    fn counts_rows(&self) -> bool {
        let (Kind::Number { integer: true }, Column::Number(numbers)) = (self.kind, self.column)
        else {
            return false;
        };
        if self.present() < 5 * FEW || self.distinct() < self.present() {
            return false;
        }
        let bounds = numbers
            .iter()
            .flatten()
            .fold(None, |bounds, n| match bounds {
                None => Some((n, n)),
                Some((low, high)) => Some((n.min(low), n.max(high))),
            });
        let one_after_the_other =
            bounds.is_some_and(|(low, high)| high - low + 1.0 == self.present() as f64);
        let length = self.values().next().map_or(0, str::len);
        let of_one_length = length >= 6 && self.values().all(|value| value.len() == length);
        one_after_the_other || of_one_length
    }

    fn subject(&self, name: &Name, content: Option<&'static str>) -> Option<Subject> {
        let persons = self.distinct();
        if persons < 3 || persons >= self.present() {
            return None;
        }
        if name.says(PERSONS).is_some() && name.says_only(&[PERSONS, KEYS]) {
            return Some(Subject::Person { persons });
        }
        if name.says_only(&[KEYS]) && name.says(&["id", "uid", "uuid", "guid", "pid"]).is_some() {
            return Some(Subject::Key { persons });
        }
        if name.says(BELONGINGS).is_some() && name.says_only(&[BELONGINGS, KEYS]) {
            return Some(Subject::Belonging { persons });
        }
        // Few addresses in many rows are those of staff or of machines.
        let many = persons * 20 >= self.present() && !self.nearly_all_differ();
        (content.is_some() && many).then_some(Subject::ByContent { persons })
    }

    /// The hierarchy that suggests itself, and whether it is worth a mention only.
    fn hierarchy(
        &self,
        postal: bool,
        dates: Option<dates::Dates>,
    ) -> (Option<HierarchySpec>, bool) {
        if postal && !matches!(self.kind, Kind::Plain(_) | Kind::Date(_)) {
            return (Some(HierarchySpec::Mask(MaskSide::Right)), false);
        }
        if let Some(dates) = dates {
            let days = self
                .values()
                .map(|value| dates.format.day_of(value.trim()).map(f64::from));
            let days = Column::Number(Numbers::from_iter(days));
            return (hierarchy::propose(&Kind::Date(dates.format), &days), false);
        }
        let optional = matches!(self.kind, Kind::Number { .. });
        (hierarchy::propose(self.kind, self.column), optional)
    }
}
