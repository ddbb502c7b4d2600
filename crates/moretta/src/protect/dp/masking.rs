//! Differentially private methods as filters of records.

use super::Loss;
use super::local::{LocalDp, LocalFilter, Mechanism};
use super::microaggregation::{DpMicroaggregation, DpMicroaggregationFilter};
use crate::data::Attribute;
use crate::error::{Error, Result};
use crate::protect::filter::{Filter, Masked, MaskedColumn, Masking};
use crate::protect::method::MethodConfig;

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

    fn loss(&self) -> Option<String> {
        let records = match self.w {
            1 => "each record".to_owned(),
            w => format!("the records of a person in any {w} successive windows, one in each"),
        };
        Some(format!("ε = {} for {records}", self.epsilon.value()))
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
        }))
    }
}

/// A filter of windows, record by record.
struct Windows {
    filter: DpMicroaggregationFilter,
    width: usize,
    released: Vec<f64>,
}

impl Windows {
    fn leave(&mut self, out: &mut Masked) {
        for record in self.released.chunks_exact(self.width) {
            out.release(record);
        }
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

    fn loss(&self) -> Option<String> {
        Some(format!("{} for each record", told(LocalDp::loss(self))))
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
