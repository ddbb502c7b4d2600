//! MASSC: substitutes values of risky records, releases a sample, and calibrates its weights.
//!
//! The name is that of its four steps.
//!
//! - *Micro agglomeration*: rows are of three risks by how many persons share their identifying
//!   values (`columns`): *unique* alone, *rare* fewer than `rare`, *common* the others.
//! - *Substitution*: with the chance `substitute` of its risk a row gets all identifying values
//!   of a partner, one of the nearest rows of the same risk that differ from it.
//! - *Subsampling*: of each risk the `fraction` is drawn by lot, persons with all of their rows;
//!   a person is of the risk of their riskiest row.
//! - *Calibration*: the column `weight`, of numbers above 0, is divided by the chance of being
//!   drawn and adjusted by a factor that depends on released values alone, so that weighted totals
//!   of the sample are those of the whole table: the sum of weights, and of the columns `totals`
//!   the sums of numbers and the weight of each category. All weights stay above 0. A table
//!   without weights gets a column of ones before.
//!
//! Rates are one number for all rows, or one for each risk; a risk that is not named then is not
//! substituted, or drawn whole. Near is a sum of differences, of numbers as a share of their
//! range, of categories 0 or 1, among the 50 nearest combinations in an order of the values.
//! Missing values are values of their own.
//!
//! **Protects against** an attacker who knows that a person is in the file, by substitution: a
//! row that fits may have the values of another; and against one who does not, by the sample: the
//! person may not be in it. The report measures linkage on the rows that were drawn, as of any mask.
//! **Does not protect against** one who knows more than the identifying values: all other columns
//! leave as they are. With different fractions the weights tell of which risk a row was, and so
//! who was alone: give one `fraction` for all. Weights of the source can be computed back from
//! the new ones. Totals are exact: two releases of tables that differ in a person tell that
//! person's values of `totals`. A risk with one combination of values has no partner in it, and
//! stays as it is. Whoever knows the `seed` and the rows knows who was drawn and substituted. It
//! promises nothing formally.
//!
//! **Costs** a sort of the combinations of values, 50 comparisons a substituted row, and n·t² for
//! t totals in each of about ten rounds of calibration; needs the whole table.
//!
//! **From** Singh, Yu and Dunteman, MASSC: a new data mask for limiting statistical information
//! loss and disclosure, UNECE/Eurostat work session 2003; calibration by Deville and Särndal,
//! Calibration estimators in survey sampling, JASA 1992 (raking). The paper chooses rates by an
//! optimisation under limits on bias and variance; here they are given.
//!
//! ```text
//! [[protect]]
//! method = "massc"
//! substitute = { unique = 0.5, rare = 0.3, common = 0.1 }
//! fraction = 0.8
//! weight = "weight"
//! totals = ["income", "town"]
//! ```

mod calibrate;
mod risk;
mod substitute;
#[cfg(test)]
mod tests;

use super::Setting;
use super::config::MethodConfig;
use super::filter::{Filter, MaskedColumn, Masking, chosen, masked_schema};
use super::parameters::COLUMNS;
use super::sampling::draw::{Units, persons};
use super::table::{Release, TableMethod};
use crate::cancel::Cancel;
use crate::config::{Absent, Accepts, NAMES, POSITIVE, Parameter, Placed, Section, Value, words};
use crate::data::{Batch, Column, Kind, Numbers, Schema};
use crate::error::{Error, Result};
use crate::math::uniform::Uniform;
use calibrate::Calibration;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use risk::Risks;
use std::sync::Arc;
use substitute::Partners;

/// MASSC with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Massc {
    /// The chance that a row of each risk gets the values of a partner.
    pub substitute: Rates,
    /// The share of each risk that is drawn.
    pub fraction: Rates,
    /// Fewer persons than this with the same values are rare.
    pub rare: usize,
    /// The column of weights.
    pub weight: String,
    /// The columns whose weighted totals are kept.
    pub totals: Vec<String>,
    /// The identifying columns; none for all quasi-identifiers.
    pub columns: Option<Vec<String>>,
}

/// How risky rows are, the riskiest first.
pub const RISKS: usize = 3;

/// One rate for each risk: of rows that are alone, of those with few like them, and the others.
pub type Rates = [f64; RISKS];

const RISK_WORDS: &[(&str, usize)] = &[("unique", 0), ("rare", 1), ("common", 2)];

const SUBSTITUTE: Parameter = Parameter::new(
    "substitute",
    Accepts::OneOf(&[
        Accepts::Number(0.0, 1.0),
        Accepts::ByWord(|| words(RISK_WORDS), &Accepts::Number(0.0, 1.0)),
    ]),
    Absent::Number(0.2),
    "the chance that a row gets the identifying values of a partner, of all rows or by risk; a larger one hides and loses more",
)
.examples(&["0.2", "{ unique = 0.5, rare = 0.3, common = 0.1 }"]);
const FRACTION: Parameter = Parameter::new(
    "fraction",
    Accepts::OneOf(&[
        Accepts::Number(POSITIVE, 1.0),
        Accepts::ByWord(|| words(RISK_WORDS), &Accepts::Number(POSITIVE, 1.0)),
    ]),
    Absent::Number(0.8),
    "the share of rows or persons that is drawn, of all or by risk; a smaller one hides and loses more",
)
.examples(&["0.8"]);
const RARE: Parameter = Parameter::new(
    "rare",
    Accepts::Whole(2, 1_000_000),
    Absent::Whole(5),
    "fewer persons than this with the same identifying values are rare",
);
const WEIGHT: Parameter = Parameter::new(
    "weight",
    Accepts::Text,
    Absent::Refused,
    "the column of weights, numbers above 0, that are calibrated",
)
.examples(&["\"weight\""]);
const TOTALS: Parameter = Parameter::new(
    "totals",
    NAMES,
    Absent::Means("the sum of weights alone"),
    "columns whose weighted totals stay those of the whole table: sums of numbers, weights of each category",
)
.examples(&["[\"age\"]"]);

impl Massc {
    /// Its parameters in a policy.
    pub const PARAMETERS: &'static [Parameter] =
        &[SUBSTITUTE, FRACTION, RARE, WEIGHT, TOTALS, COLUMNS];

    /// Reads its parameters.
    pub fn read(section: &mut Section) -> Result<Self> {
        let totals = section.optional(&TOTALS, Placed::texts)?;
        Ok(Massc {
            substitute: section.read(&SUBSTITUTE, |placed, name| rates(placed, name, 0.0))?,
            fraction: section.read(&FRACTION, |placed, name| rates(placed, name, 1.0))?,
            rare: section.whole(&RARE)?,
            weight: section.text(&WEIGHT)?,
            totals: totals.unwrap_or_default(),
            columns: section.optional(&COLUMNS, Placed::texts)?,
        })
    }

    /// Writes its parameters as [`Massc::read`] reads them.
    pub fn write(&self, section: &mut Section) {
        section.set(&SUBSTITUTE, written(self.substitute));
        section.set(&FRACTION, written(self.fraction));
        section.set(&RARE, self.rare);
        section.set(&WEIGHT, self.weight.clone());
        let totals = Some(&self.totals).filter(|totals| !totals.is_empty());
        section.set_optional(&TOTALS, totals.cloned());
        section.set_optional(&COLUMNS, self.columns.clone());
    }
}

/// One rate for all risks, or those that are named; of others `absent`.
fn rates(placed: &Placed, name: &str, absent: f64) -> Result<Rates> {
    let Value::Table(table) = &placed.value else {
        return Ok([placed.number(name)?; RISKS]);
    };
    let mut rates = [absent; RISKS];
    for (word, value) in table.values() {
        let risk = RISK_WORDS.iter().find(|(risk, _)| risk == word);
        let (_, risk) = risk.ok_or_else(|| {
            placed
                .error(format!("there is no risk `{word}`"))
                .help("name unique, rare and common")
        })?;
        rates[*risk] = value.number(word)?;
    }
    Ok(rates)
}

fn written(rates: Rates) -> Value {
    if rates.iter().all(|&rate| rate == rates[0]) {
        return Value::Number(rates[0]);
    }
    let named = RISK_WORDS
        .iter()
        .map(|(word, risk)| ((*word).to_owned(), rates[*risk]));
    named
        .collect::<std::collections::BTreeMap<String, f64>>()
        .into()
}

impl MethodConfig for Massc {
    fn is_random(&self) -> bool {
        true
    }

    fn samples(&self) -> bool {
        true
    }

    fn reads(&self) -> Vec<&str> {
        self.totals.iter().map(String::as_str).collect()
    }

    fn remakes(&self) -> Vec<&str> {
        vec![&self.weight]
    }

    fn table(&self, setting: &Setting) -> Option<Box<dyn TableMethod>> {
        Some(Box::new(Steps {
            config: self.clone(),
            seed: setting.seed,
            cancel: setting.cancel.clone(),
        }))
    }

    fn masking(&self) -> Option<&dyn Masking> {
        Some(self)
    }
}

impl Masking for Massc {
    fn buffer(&self) -> Option<usize> {
        None
    }

    fn columns(&self) -> Option<Vec<&str>> {
        chosen(&self.columns)
    }

    fn check(&self, columns: &[MaskedColumn<'_>]) -> Result<()> {
        match columns.iter().any(|column| column.name == self.weight) {
            false => Ok(()),
            true => Err(Error::policy(format!(
                "`{}` is the weight, and would be substituted",
                self.weight
            ))
            .help("give it the role plain, or leave it out of `columns`")),
        }
    }

    fn filter(&self, _: &[MaskedColumn<'_>], _seed: u64) -> Result<Box<dyn Filter>> {
        Err(Error::bug("massc works on whole tables"))
    }
}

/// The four steps at work on a table.
struct Steps {
    config: Massc,
    seed: u64,
    cancel: Cancel,
}

impl TableMethod for Steps {
    fn schema(&self, original: &Schema) -> Result<Schema> {
        let mut changed = self.config.places(original)?;
        changed.push(self.weight(original)?);
        masked_schema(original, &changed)
    }

    fn release(&self, table: &Batch) -> Result<Release> {
        let schema = Arc::new(self.schema(table.schema())?);
        let identifying = self.config.places(table.schema())?;
        let columns: Vec<&Column> = identifying.iter().map(|&i| table.column(i)).collect();
        let persons = persons(table)?;
        let risks = Risks::new(&columns, persons, table.len(), self.config.rare);
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        let mut partners = Partners::new(&columns, &risks, &mut generator);
        let from = partners.choose(&self.config.substitute, &mut generator, &self.cancel)?;
        let strata = risks.of_persons(persons);
        let units = Units {
            rows: table.len(),
            persons,
            strata: Some(&strata),
        };
        let mut counts = units.counts()?;
        counts.resize(RISKS, 0);
        let shares = self.shares(&counts, &mut generator)?;
        let drawn = units.draw(counts, shares, &mut generator, &self.cancel)?;
        let place = self.weight(table.schema())?;
        let mut released = table.columns().to_vec();
        for &i in &identifying {
            released[i] = released[i].take(&from)?;
        }
        let substituted = Batch::new(Arc::clone(&schema), table.rows().clone(), released)?;
        let sample = substituted.take(&drawn)?;
        let chances = drawn
            .iter()
            .map(|&row| self.config.fraction[strata[row as usize] as usize]);
        let weights = self.calibrated(table, &sample, place, chances)?;
        let mut columns = sample.columns().to_vec();
        columns[place] = Column::Number(Numbers::new(weights));
        let batch = Batch::new(schema, sample.rows().clone(), columns)?;
        Ok(Release {
            left_out: (table.len() - drawn.len()) as u64,
            ..Release::new(batch, Vec::new())
        })
    }
}

impl Steps {
    /// The place of the weights, which are numbers.
    fn weight(&self, schema: &Schema) -> Result<usize> {
        let name = &self.config.weight;
        let place = schema.index_of(name);
        let is_number = |&place: &usize| matches!(schema.fields()[place].kind, Kind::Number { .. });
        place.filter(is_number).ok_or_else(|| {
            Error::policy(format!(
                "`{name}` is to hold weights, and is no column of numbers"
            ))
            .help("give it the role plain and type = \"number\"; a column of ones will do")
        })
    }

    /// How many units of each risk are drawn: its fraction of them, rounded down or up by lot,
    /// so that the chance of each is the fraction.
    fn shares(&self, counts: &[u64], generator: &mut Xoshiro256PlusPlus) -> Result<Vec<u64>> {
        let share = |(count, fraction): (&u64, f64)| {
            let exact = *count as f64 * fraction;
            let up = generator.draw() < exact.fract();
            (exact as u64 + u64::from(up)).min(*count)
        };
        let shares: Vec<u64> = counts.iter().zip(self.config.fraction).map(share).collect();
        let (drawn, all) = (shares.iter().sum::<u64>(), counts.iter().sum::<u64>());
        match drawn > 0 && drawn < all {
            true => Ok(shares),
            false => Err(Error::guarantee("too few rows to draw a part of them")
                .help("change `fraction`, or release the table by another method")),
        }
    }

    /// The weights of the sample: divided by the chances of being drawn, and with the totals of the table.
    fn calibrated(
        &self,
        table: &Batch,
        sample: &Batch,
        place: usize,
        chances: impl Iterator<Item = f64>,
    ) -> Result<Vec<f64>> {
        let weights = |batch: &Batch| -> Result<Vec<f64>> {
            let numbers = batch.column(place).as_numbers();
            let numbers = numbers.ok_or_else(|| Error::bug("weights are no numbers"))?;
            let positive = |weight: Option<f64>| weight.filter(|weight| *weight > 0.0);
            let weights: Option<Vec<f64>> = numbers.iter().map(positive).collect();
            weights.ok_or_else(|| {
                Error::input("a weight is missing or not above 0")
                    .in_column(&*self.config.weight)
                    .help("give every row a weight; 1 where it stands for itself")
            })
        };
        let mut calibration = Calibration::new(table, sample, &self.config.totals)?;
        calibration.aim(&weights(table)?);
        let drawn = weights(sample)?.into_iter().zip(chances);
        let design: Vec<f64> = drawn.map(|(weight, chance)| weight / chance).collect();
        calibration.solve(design, &self.cancel)
    }
}
