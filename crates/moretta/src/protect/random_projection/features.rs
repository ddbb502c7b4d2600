//! Records as features between 0 and 1.

use super::RandomProjection;
use crate::data::Attribute;
use crate::error::{Error, Result};
use crate::protect::filter::MaskedColumn;

/// How the attributes of a record become features.
#[derive(Clone, Debug)]
pub struct Features {
    columns: Vec<Encoding>,
    names: Vec<String>,
    width: usize,
}

#[derive(Clone, Debug)]
enum Encoding {
    /// A number within its range; a learnt one grows.
    Range { least: f64, most: f64, learnt: bool },
    /// The rank of an ordered category over the highest.
    Rank { levels: usize },
    /// A feature for each category.
    OneHot { levels: usize },
}

impl Features {
    /// Fails on categories that were not declared, and on declarations of columns
    /// that are not there or not of that kind.
    pub fn new(config: &RandomProjection, columns: &[MaskedColumn<'_>]) -> Result<Self> {
        let declared = config.bounds.keys().chain(config.categories.keys());
        for name in declared {
            if !columns.iter().any(|column| column.name == name) {
                let what = format!("`{name}` is declared and not projected");
                return Err(Error::policy(what).help("name it in `columns`, or take it out"));
            }
        }
        let encodings = columns.iter().map(|column| encoding(config, column));
        let encodings: Vec<Encoding> = encodings.collect::<Result<_>>()?;
        Ok(Features {
            width: encodings.iter().map(Encoding::width).sum(),
            columns: encodings,
            names: columns.iter().map(|c| c.name.to_owned()).collect(),
        })
    }

    /// How many there are: m.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Attributes of a record.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Whether ranges must be learnt from rows.
    pub fn are_learnt(&self) -> bool {
        let mut columns = self.columns.iter();
        columns.any(|column| matches!(column, Encoding::Range { learnt: true, .. }))
    }

    /// Widens the ranges that are learnt.
    pub fn observe(&mut self, record: &[f64]) {
        for (column, &value) in self.columns.iter_mut().zip(record) {
            if let Encoding::Range {
                least,
                most,
                learnt: true,
            } = column
            {
                // NaN changes neither.
                *least = least.min(value);
                *most = most.max(value);
            }
        }
    }

    /// Puts the features of a record into `out`, whose content is dropped.
    ///
    /// # Errors
    /// A category that was not declared, or a number whose place in the range of its
    /// column cannot be told.
    pub fn encode(&self, record: &[f64], out: &mut Vec<f64>) -> Result<()> {
        out.clear();
        for (place, (column, &value)) in self.columns.iter().zip(record).enumerate() {
            let pushed = column.push(value, out);
            pushed.map_err(|error| error.in_column(&*self.names[place]))?;
        }
        Ok(())
    }
}

fn encoding(config: &RandomProjection, column: &MaskedColumn<'_>) -> Result<Encoding> {
    let name = column.name;
    let bounds = config.bounds.get(name);
    let levels = config.categories.get(name).map(Vec::len);
    match (column.attribute, bounds, levels) {
        (Attribute::Number, Some(bounds), None) => Ok(Encoding::Range {
            least: bounds.lower(),
            most: bounds.lower() + bounds.width(),
            learnt: false,
        }),
        (Attribute::Number, None, None) => Ok(Encoding::Range {
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
            learnt: true,
        }),
        (Attribute::Nominal, None, Some(levels)) => Ok(Encoding::OneHot { levels }),
        (Attribute::Ordinal { .. }, None, Some(levels)) => Ok(Encoding::Rank { levels }),
        (Attribute::Number, _, Some(_)) => {
            Err(Error::policy(format!("column `{name}` holds numbers"))
                .help("give it type = \"category\", or `bounds` instead of `categories`"))
        }
        _ => Err(Error::policy(format!(
            "column `{name}` holds categories; random projection needs numbers"
        ))
        .help(
            "name its `categories`, each then is a feature of 0 or 1; or leave it out of `columns`",
        )),
    }
}

impl Encoding {
    fn width(&self) -> usize {
        match self {
            Encoding::OneHot { levels } => *levels,
            _ => 1,
        }
    }

    /// Appends the features of a value.
    fn push(&self, value: f64, out: &mut Vec<f64>) -> Result<()> {
        let levels = match *self {
            Encoding::Range { least, most, .. } => {
                out.push(within(least, most, value)?);
                return Ok(());
            }
            Encoding::Rank { levels } => {
                out.push(value / (levels - 1) as f64);
                levels
            }
            Encoding::OneHot { levels } => {
                let feature = |level: usize| match value.is_nan() {
                    true => f64::NAN,
                    false => f64::from(u8::from(value == level as f64)),
                };
                out.extend((0..levels).map(feature));
                levels
            }
        };
        match value.is_nan() || value < levels as f64 {
            true => Ok(()),
            false => Err(Error::input("a category that `categories` does not name")
                .help("name all that the column can be")),
        }
    }
}

/// Where a value lies in a range; a missing one lies nowhere.
fn within(least: f64, most: f64, value: f64) -> Result<f64> {
    let width = most - least;
    if value.is_nan() {
        return Ok(f64::NAN);
    }
    if least > most {
        return Err(Error::input(
            "all rows that waited lacked a number, so its range is not known",
        )
        .help("give the column `bounds`, or let more rows wait by `buffer`"));
    }
    // A column of one value has no spread to keep.
    if width == 0.0 {
        return Ok(0.0);
    }
    let place = (value - least) / width;
    match width.is_finite() && place.is_finite() {
        true => Ok(place),
        false => Err(Error::input("numbers are too far apart to be projected")
            .help("scale the column first, or look for numbers that are wrong")),
    }
}
