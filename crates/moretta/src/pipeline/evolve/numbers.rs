//! Files of numbers as individuals: each number is a whole step between the least and the greatest
//! original of its column, and the bits of its Gray code are what mutations flip.
//!
//! Loss is the probabilistic information loss, risk half interval disclosure and a quarter each of
//! distance-based and probabilistic linkage, all in percent.
//!
//! **Costs** the measures of the whole file for each mutant: a few hundred a second of 1,000 rows.

use super::cells::Cells;
use super::genome::FileGenome;
use crate::data::{Attribute, Records};
use crate::error::Result;
use crate::measure::{self, PairSettings};
use crate::optimize::evolution::{Crossover, Draws, Exchange, Fixed, Individual, TradeOff};
use std::sync::Arc;

/// What makes files of numbers.
pub struct NumberFiles(Arc<Shared>);

struct Shared {
    originals: Records,
    settings: PairSettings,
    columns: Vec<Fixed>,
}

/// The measures of risk, and how much each counts.
const RISKS: [(&str, f64); 3] = [
    ("rank_interval_disclosure", 0.5),
    ("distance_linkage", 0.25),
    ("probabilistic_linkage", 0.25),
];

/// The measure of loss.
const LOSS: &str = "probabilistic_information_loss";

/// A number that is missing has no code.
const MISSING: u64 = u64::MAX;

impl NumberFiles {
    /// For these cells, with so many bits each.
    pub(super) fn new(cells: &Cells, bits: u32) -> Self {
        let column = |place: usize| {
            let numbers = cells
                .records
                .column(place)
                .filter(|number| !number.is_nan());
            let ends = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| {
                (low.min(number), high.max(number))
            });
            match ends.0 <= ends.1 {
                true => Fixed::new(ends.0, ends.1, bits),
                false => Fixed::new(0.0, 0.0, bits),
            }
        };
        let settings = PairSettings {
            buffer: cells.rows().clamp(1, 1000),
            ..PairSettings::new(vec![Attribute::Number; cells.width()])
        };
        NumberFiles(Arc::new(Shared {
            originals: cells.records.clone(),
            columns: (0..cells.width()).map(column).collect(),
            settings,
        }))
    }

    /// The file of these records, numbers rounded to the steps of their columns.
    pub fn file(&self, records: &Records) -> NumberFile {
        let width = self.0.columns.len();
        let code = |(gene, &number): (usize, &f64)| match number.is_nan() {
            true => MISSING,
            false => self.0.columns[gene % width].code(number),
        };
        let codes: Vec<u64> = records.values().iter().enumerate().map(code).collect();
        let print = codes.iter().enumerate();
        let print = print.fold(0, |print, (gene, &code)| print ^ part(gene, code));
        NumberFile {
            shared: Arc::clone(&self.0),
            codes,
            print,
        }
    }
}

impl FileGenome for NumberFiles {
    type Of = NumberFile;

    fn individual(&self, records: &Records) -> Result<NumberFile> {
        Ok(self.file(records))
    }

    fn records(&self, genes: &Vec<u64>) -> Records {
        self.0.records(genes)
    }
}
impl Shared {
    fn records(&self, codes: &[u64]) -> Records {
        let width = self.columns.len();
        let mut records = Records::new(width);
        let mut record = vec![0.0; width];
        for codes in codes.chunks_exact(width) {
            for ((number, &code), column) in record.iter_mut().zip(codes).zip(&self.columns) {
                *number = match code {
                    MISSING => f64::NAN,
                    code => column.number(code),
                };
            }
            records.push(&record);
        }
        records
    }

    /// A measure of the whole file, in percent; one that cannot be computed counts as the worst.
    fn measured(&self, name: &str, records: &Records) -> f64 {
        let Ok(mut measure) = measure::build(name, &self.settings) else {
            return 100.0;
        };
        measure.prepare(&self.originals);
        for (original, released) in self.originals.iter().zip(records.iter()) {
            measure.observe_record(original, released);
        }
        measure.value().map_or(100.0, |share| 100.0 * share)
    }
}

/// A file of numbers.
#[derive(Clone)]
pub struct NumberFile {
    shared: Arc<Shared>,
    /// Gray codes, row by row.
    codes: Vec<u64>,
    print: u64,
}

/// What was measured of a file of numbers, in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredNumbers {
    /// Loss and risk.
    pub of: TradeOff,
    /// The measure of loss, then those of risk, by name.
    pub parts: [(&'static str, f64); 4],
}

/// What a cell adds to the fingerprint.
fn part(gene: usize, code: u64) -> u64 {
    let number = (gene as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ code;
    let number = (number ^ (number >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number ^ (number >> 29)
}

impl NumberFile {
    /// Loss and risk, and the measures that they are made of.
    pub fn measured(&self) -> MeasuredNumbers {
        let records = self.shared.records(&self.codes);
        let [first, second, third] = RISKS.map(|(name, _)| name);
        let parts = [LOSS, first, second, third];
        let parts = parts.map(|name| (name, self.shared.measured(name, &records)));
        let [(_, loss), risks @ ..] = parts;
        let weighed = risks.iter().zip(&RISKS);
        let of = TradeOff {
            risk: weighed.map(|((_, risk), (_, weight))| weight * risk).sum(),
            loss,
        };
        MeasuredNumbers { of, parts }
    }

    fn set(&mut self, gene: usize, code: u64) -> u64 {
        let before = std::mem::replace(&mut self.codes[gene], code);
        self.print ^= part(gene, before) ^ part(gene, code);
        before
    }
}

impl Individual for NumberFile {
    type Undo = (usize, u64);
    type Genes = Vec<u64>;
    type Exchange = Exchange;

    fn len(&self) -> usize {
        self.codes.len()
    }

    fn trade_off(&mut self) -> TradeOff {
        self.measured().of
    }

    fn mutate(&mut self, gene: usize, draws: &mut Draws) -> Option<Self::Undo> {
        let code = self.codes[gene];
        let column = self.shared.columns[gene % self.shared.columns.len()];
        let bit = draws.below(column.bits() as usize);
        (code != MISSING).then(|| (gene, self.set(gene, code ^ (1 << bit))))
    }

    fn undo(&mut self, (gene, code): Self::Undo) {
        self.set(gene, code);
    }

    fn exchange(&self, _: &Self, crossover: Crossover, draws: &mut Draws) -> [Exchange; 2] {
        crossover.exchange(self.len(), draws).for_both()
    }

    fn crossed(&self, other: &Self, exchange: &Exchange) -> Self {
        let mut child = self.clone();
        for gene in exchange.iter() {
            child.set(gene, other.codes[gene]);
        }
        child
    }

    fn shared(&self, other: &Self) -> usize {
        let pairs = self.codes.iter().zip(&other.codes);
        pairs.filter(|(one, other)| one == other).count()
    }

    fn fingerprint(&self) -> u64 {
        self.print
    }

    fn genes(&self) -> Vec<u64> {
        self.codes.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measure_of_a_file_is_in_the_list() {
        let settings = PairSettings::new(vec![Attribute::Number]);
        for name in RISKS.map(|(name, _)| name).into_iter().chain([LOSS]) {
            assert!(measure::build(name, &settings).is_ok(), "{name}");
        }
    }
}
