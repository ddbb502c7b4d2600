//! Differentially private methods as filters of records.

use super::accountant::{Accountant, Scope};
use super::local::{LocalDp, LocalFilter, Mechanism};
use super::microaggregation::{DpMicroaggregation, DpMicroaggregationFilter};
use super::{Budget, Loss};
use crate::data::Attribute;
use crate::error::{Error, Result};
use crate::protect::config::MethodConfig;
use crate::protect::filter::{Filter, Masked, MaskedColumn, Masking};
use crate::protect::{Among, Company};

impl MethodConfig for DpMicroaggregation {
    fn is_random(&self) -> bool {
        true
    }

    /// Its windows are places of the input: places that follow from the data of others
    /// would make one record matter to all windows.
    fn depends_on_order(&self) -> bool {
        false
    }

    fn masking(&self) -> Option<&dyn Masking> {
        Some(self)
    }
}

impl MethodConfig for LocalDp {
    fn is_random(&self) -> bool {
        true
    }

    fn masking(&self) -> Option<&dyn Masking> {
        Some(self)
    }
}

impl Masking for DpMicroaggregation {
    fn buffer(&self) -> Option<usize> {
        self.is_stream.then_some(self.buffer)
    }

    fn columns(&self) -> Option<Vec<&str>> {
        Some(self.bounds.keys().map(String::as_str).collect())
    }

    fn strength(&self) -> Option<(&'static str, String)> {
        Some((EPSILON, self.epsilon.value().to_string()))
    }

    fn company(&self) -> Company {
        Company::Window
    }

    fn loss(&self) -> Option<String> {
        let records = match self.w {
            1 => "each record".to_owned(),
            w => format!("the records of a person in any {w} successive windows, one in each"),
        };
        Some(format!("ε = {} for {records}", self.epsilon.value()))
    }

    fn epsilon(&self) -> Option<f64> {
        Some(self.epsilon.value())
    }

    fn composition(&self, rows: Option<u64>) -> Vec<String> {
        let each = DpMicroaggregation::loss(self).epsilon().value();
        let mut told = vec![format!(
            "each window of {} rows spends ε = {each}; a record is in one window, and a person with records in several loses that for each of them",
            self.buffer
        )];
        if let Some(rows) = rows {
            let windows = self.windows(rows);
            told.push(format!(
                "{rows} rows are {windows} windows: ε = {} for a person who is in all of them",
                rounded(windows as f64 * each)
            ));
        }
        if let Some(budget) = self.budget {
            let most = self.windows_within(budget);
            let rest = match rows {
                Some(rows) if most < self.windows(rows) => {
                    "; these rows need more, so that a run is refused"
                }
                _ => "",
            };
            told.push(format!(
                "the budget of ε = {} is for a person who is in every window: it pays for {most} windows, {} rows{rest}",
                budget.epsilon.value(),
                most * self.buffer as u64
            ));
        }
        told
    }

    fn filter(&self, columns: &[MaskedColumn<'_>], _seed: u64) -> Result<Box<dyn Filter>> {
        for column in columns {
            require(column, Attribute::Number)?;
        }
        let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
        Ok(Box::new(Windows {
            filter: self.build(&names)?,
            width: names.len(),
            released: Vec::new(),
            buffer: self.buffer as u64,
            left: 0,
        }))
    }
}

/// What private methods are told to spend at most.
const EPSILON: &str = "epsilon";

/// The most windows that are counted ahead.
const LOOKED_AHEAD: u64 = 1_000_000;

impl DpMicroaggregation {
    /// The windows that so many rows fill; a last one of fewer than k rows is suppressed.
    fn windows(&self, rows: u64) -> u64 {
        let (width, k) = (self.buffer as u64, self.k as u64);
        rows / width + u64::from(rows % width >= k)
    }

    /// How many windows the budget pays for.
    fn windows_within(&self, budget: Budget) -> u64 {
        let mut accountant = Accountant::new(budget, Scope::Stream);
        let loss = DpMicroaggregation::loss(self);
        let paid = (0..LOOKED_AHEAD).take_while(|_| accountant.spend(loss).is_ok());
        paid.count() as u64
    }
}

/// Without the last bits of a sum of decimal fractions.
fn rounded(sum: f64) -> f64 {
    (sum * 1e9).round() / 1e9
}

/// A filter of windows, record by record.
struct Windows {
    filter: DpMicroaggregationFilter,
    width: usize,
    released: Vec<f64>,
    /// Records of a window.
    buffer: u64,
    /// Windows that have left.
    left: u64,
}

impl Windows {
    /// Who is in which group of a window is a secret; the window is public.
    fn leave(&mut self, out: &mut Masked) {
        let records = self.released.len() / self.width;
        let among = Among {
            group: Some(self.left),
            records: records as u64,
        };
        for record in self.released.chunks_exact(self.width) {
            out.release_among(record, among);
        }
        self.left += u64::from(records > 0);
        self.released.clear();
    }
}

impl Filter for Windows {
    fn push(&mut self, record: &[f64], out: &mut Masked) -> Result<()> {
        self.filter.push(record, &mut self.released)?;
        self.leave(out);
        Ok(())
    }

    fn finish(&mut self, out: &mut Masked) -> Result<()> {
        let suppressed = self.filter.finish(&mut self.released)?;
        self.leave(out);
        (0..suppressed).for_each(|_| out.suppress());
        Ok(())
    }

    fn settles_in(&self) -> Option<u64> {
        Some(self.filter.settles_in())
    }

    fn skip(&mut self, records: u64) -> Result<()> {
        self.left += records / self.buffer;
        self.filter.skip(records)
    }
}

impl Masking for LocalDp {
    fn buffer(&self) -> Option<usize> {
        self.buffer
    }

    fn columns(&self) -> Option<Vec<&str>> {
        Some(self.columns.keys().map(String::as_str).collect())
    }

    fn categories(&self, column: &str) -> Option<&[String]> {
        LocalDp::categories(self, column)
    }

    fn is_row_local(&self) -> bool {
        true
    }

    fn strength(&self) -> Option<(&'static str, String)> {
        let loss = LocalDp::loss(self);
        Some((EPSILON, loss.epsilon().value().to_string()))
    }

    fn loss(&self) -> Option<String> {
        Some(format!("{} for each record", told(LocalDp::loss(self))))
    }

    fn epsilon(&self) -> Option<f64> {
        Some(LocalDp::loss(self).epsilon().value())
    }

    fn composition(&self, _rows: Option<u64>) -> Vec<String> {
        let columns = self.columns.iter();
        let parts = columns.map(|(name, column)| format!("{} of `{name}`", told(column.loss())));
        let parts: Vec<String> = parts.collect();
        let mut sentences = vec![format!(
            "the columns of a record add up: {}; a person with several records loses that for each of them",
            parts.join(" and ")
        )];
        sentences.extend(self.budget.map(|budget| {
            format!(
                "the budget of ε = {} is for one record",
                budget.epsilon.value()
            )
        }));
        sentences
    }

    fn filter(&self, columns: &[MaskedColumn<'_>], _seed: u64) -> Result<Box<dyn Filter>> {
        for column in columns {
            let mechanism = self.columns.get(column.name).map(|c| &c.mechanism);
            match mechanism {
                Some(Mechanism::Exponential(_) | Mechanism::Kary(_)) => {
                    require(column, Attribute::Nominal)?;
                }
                _ => require(column, Attribute::Number)?,
            }
        }
        let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
        Ok(Box::new(Records {
            filter: self.build(&names)?,
            record: Vec::with_capacity(names.len()),
        }))
    }
}

/// A filter of single records.
struct Records {
    filter: LocalFilter,
    record: Vec<f64>,
}

impl Filter for Records {
    fn push(&mut self, record: &[f64], out: &mut Masked) -> Result<()> {
        self.record.clear();
        self.record.extend_from_slice(record);
        self.filter.protect(&mut self.record);
        self.filter.check()?;
        out.release(&self.record);
        Ok(())
    }

    fn finish(&mut self, _: &mut Masked) -> Result<()> {
        Ok(())
    }
}

/// Numbers must be numbers and categories must not be.
fn require(column: &MaskedColumn<'_>, wanted: Attribute) -> Result<()> {
    let is_number = column.attribute == Attribute::Number;
    let name = column.name;
    match (wanted == Attribute::Number, is_number) {
        (true, false) => Err(Error::policy(format!("column `{name}` holds no numbers"))
            .help("use randomised-response, k-ary or exponential of local-dp")),
        (false, true) => Err(Error::policy(format!("column `{name}` holds numbers"))
            .help("give it type = \"category\", or a mechanism for numbers")),
        _ => Ok(()),
    }
}

/// "ε = 1.5" or "ε = 1.5, δ = 0.000001".
fn told(loss: Loss) -> String {
    let delta = match loss.delta() {
        0.0 => String::new(),
        delta => format!(", δ = {delta}"),
    };
    format!("ε = {}{delta}", loss.epsilon().value())
}
