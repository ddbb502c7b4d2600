//! What the numbers of a record stand for: the columns, and the text of each code.
//!
//! A learner sees codes. Another file may have its categories in another order, so a
//! model that is to go on with it must know which text each code was. The texts are
//! cells of the data: they are as confidential as the data, and no error or `Debug`
//! shows them.

use super::bytes::{Reader, Writer, odd};
use crate::data::{Kind, Levels};
use crate::error::Result;
use crate::learn::{Header, Input};
use std::fmt;

/// What the numbers of one column are.
#[derive(Clone, PartialEq, Eq)]
pub enum Meaning {
    /// Numbers.
    Number,
    /// Days since 1970-01-01.
    Date,
    /// Ranks of ordered categories.
    Ordered(Levels),
    /// Codes of categories without an order.
    Nominal(Levels),
}

impl Meaning {
    /// The categories, if it has any.
    pub fn levels(&self) -> Option<&Levels> {
        match self {
            Meaning::Number | Meaning::Date => None,
            Meaning::Ordered(levels) | Meaning::Nominal(levels) => Some(levels),
        }
    }

    /// Whether values of a column of this kind mean the same.
    pub fn fits(&self, kind: &Kind) -> bool {
        matches!(
            (self, kind),
            (Meaning::Number, Kind::Number { .. })
                | (Meaning::Date, Kind::Date(_))
                | (Meaning::Ordered(_), Kind::Category { ordered: true })
                | (Meaning::Nominal(_), Kind::Category { ordered: false })
        )
    }

    /// "number", "date", "ordered category" or "category".
    pub fn word(&self) -> &'static str {
        match self {
            Meaning::Number => "number",
            Meaning::Date => "date",
            Meaning::Ordered(_) => "ordered category",
            Meaning::Nominal(_) => "category",
        }
    }

    fn input(&self) -> Input {
        match self {
            Meaning::Number | Meaning::Date | Meaning::Ordered(_) => Input::Number,
            Meaning::Nominal(levels) => Input::Nominal {
                values: levels.len(),
            },
        }
    }

    fn save(&self, out: &mut Writer) {
        out.byte(match self {
            Meaning::Number => 0,
            Meaning::Date => 1,
            Meaning::Ordered(_) => 2,
            Meaning::Nominal(_) => 3,
        });
        if let Some(levels) = self.levels() {
            save_levels(levels, out);
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        Ok(match from.byte()? {
            0 => Meaning::Number,
            1 => Meaning::Date,
            2 => Meaning::Ordered(load_levels(from)?),
            3 => Meaning::Nominal(load_levels(from)?),
            _ => return Err(odd("a kind of column that there is not")),
        })
    }
}

/// Says how many categories there are and not which.
impl fmt::Debug for Meaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let levels = self.levels().map_or(0, Levels::len);
        write!(f, "{} ({levels} levels)", self.word())
    }
}

/// The columns that a learner sees, and its classes.
#[derive(Clone, PartialEq, Eq)]
pub struct Vocabulary {
    columns: Vec<(String, Meaning)>,
    class: String,
    classes: Levels,
    header: Header,
}

impl Vocabulary {
    /// The columns in the order of a record, the name of the class and its values.
    /// Fails where [`Header::new`] does.
    pub fn new(columns: Vec<(String, Meaning)>, class: String, classes: Levels) -> Result<Self> {
        let inputs = columns.iter().map(|(_, meaning)| meaning.input());
        let header = Header::new(inputs.collect(), classes.len())?;
        Ok(Vocabulary {
            columns,
            class,
            classes,
            header,
        })
    }

    /// What a learner needs to know of the records.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The columns in the order of a record, by name.
    pub fn columns(&self) -> &[(String, Meaning)] {
        &self.columns
    }

    /// What the column of this name means.
    pub fn meaning(&self, name: &str) -> Option<&Meaning> {
        let mut columns = self.columns.iter();
        let column = columns.find(|(column, _)| column == name);
        column.map(|(_, meaning)| meaning)
    }

    /// The column of the class.
    pub fn class(&self) -> &str {
        &self.class
    }

    /// What the classes are called.
    pub fn classes(&self) -> &Levels {
        &self.classes
    }

    pub(crate) fn save(&self, out: &mut Writer) {
        out.size(self.columns.len());
        for (name, meaning) in &self.columns {
            out.text(name);
            meaning.save(out);
        }
        out.text(&self.class);
        save_levels(&self.classes, out);
    }

    pub(crate) fn load(from: &mut Reader<'_>) -> Result<Self> {
        let length = from.size()?;
        let column = |from: &mut Reader<'_>| Ok((from.text()?.to_owned(), Meaning::load(from)?));
        let columns = from.many(length, column)?;
        let (class, classes) = (from.text()?.to_owned(), load_levels(from)?);
        Vocabulary::new(columns, class, classes).map_err(|_| odd("too many values to count"))
    }
}

/// Says how much there is and not what.
impl fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (columns, classes) = (self.columns.len(), self.classes.len());
        write!(f, "{columns} columns, {classes} classes")
    }
}

fn save_levels(levels: &Levels, out: &mut Writer) {
    out.size(levels.len());
    levels.iter().for_each(|level| out.text(level));
}

/// Texts that differ, so that each has one code.
fn load_levels(from: &mut Reader<'_>) -> Result<Levels> {
    let length = from.length()?;
    let mut levels = Levels::default();
    for _ in 0..length {
        levels.push(from.text()?);
    }
    match each_once(&levels) {
        true => Ok(levels),
        false => Err(odd("one category under two codes")),
    }
}

fn each_once(levels: &Levels) -> bool {
    let mut codes = (0..).zip(levels.iter());
    codes.all(|(code, text)| levels.find(text) == Some(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(texts: &[&str]) -> Levels {
        texts.iter().collect()
    }

    fn vocabulary(texts: &[&str]) -> Vocabulary {
        let columns = vec![
            ("age".to_owned(), Meaning::Number),
            ("born".to_owned(), Meaning::Date),
            ("size".to_owned(), Meaning::Ordered(levels(&["s", "m"]))),
            ("colour".to_owned(), Meaning::Nominal(levels(texts))),
        ];
        Vocabulary::new(columns, "kind".to_owned(), levels(&["a", "b", ""])).expect("small")
    }

    #[test]
    fn a_vocabulary_comes_back_and_shows_no_cell() {
        let before = vocabulary(&["rosso", "", "verde"]);
        let mut out = Writer::default();
        before.save(&mut out);
        let bytes = out.into_bytes();
        let mut reader = Reader::new(&bytes);
        let after = Vocabulary::load(&mut reader).expect("as saved");
        reader.end().expect("nothing is left");
        assert!(before == after);
        let inputs = [Input::Number; 3].into_iter();
        let inputs: Vec<Input> = inputs.chain([Input::Nominal { values: 3 }]).collect();
        assert_eq!(after.header().attributes(), inputs);
        assert_eq!(after.header().classes(), 3);
        let shown = format!("{after:?} {:?}", after.columns()[3].1);
        assert!(
            !shown.contains("rosso") && shown.contains("3 levels"),
            "{shown}"
        );
    }

    #[test]
    fn categories_with_two_codes_are_refused() {
        let mut out = Writer::default();
        vocabulary(&["rosso", "rosso"]).save(&mut out);
        let bytes = out.into_bytes();
        let error = Vocabulary::load(&mut Reader::new(&bytes)).expect_err("twice");
        assert!(error.to_string().contains("two codes"), "{error}");
    }

    #[test]
    fn kinds_fit_their_like_only() {
        let number = Kind::Number { integer: true };
        let category = Kind::Category { ordered: false };
        let nominal = Meaning::Nominal(levels(&["a"]));
        assert!(Meaning::Number.fits(&number) && !Meaning::Number.fits(&category));
        assert!(nominal.fits(&category) && !nominal.fits(&number));
        assert!(!nominal.fits(&Kind::Category { ordered: true }));
    }
}
