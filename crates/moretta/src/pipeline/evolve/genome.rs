//! What a search is over, and how what it finds is released.

use super::cells::Cells;
use super::start::start;
use crate::data::Records;
use crate::engine::Context;
use crate::error::Result;
use crate::optimize::evolution::{Individual, TradeOff};
use crate::protect::Method;
use crate::protect::pram::MatrixEquation;
use crate::protect::prepared::Prepared;
use rayon::prelude::*;

/// What a search is over.
pub(super) trait Genome: Sync {
    /// A member of the population.
    type Of: Individual;

    /// What a search that draws from this seed begins with.
    ///
    /// # Errors
    /// When nothing can be made of the cells.
    fn begin(&self, cells: &Cells, seed: u64, context: &Context) -> Result<Begun<Self::Of>>;

    /// The method that releases what was found.
    ///
    /// # Errors
    /// When it is not such as the originals could be.
    fn method(&self, cells: &Cells, genes: &<Self::Of as Individual>::Genes) -> Result<Method>;

    /// How well each column is guessed; none where nothing is drawn by a matrix.
    fn guessed(&self, _: &<Self::Of as Individual>::Genes) -> Vec<Guess> {
        Vec::new()
    }

    /// The equation that was found; none where something else was searched for.
    fn equation(&self, _: &<Self::Of as Individual>::Genes) -> Option<MatrixEquation> {
        None
    }
}

/// Two shares of all rows of a column: what somebody who knows its matrix guesses right, and what
/// stays as it was.
pub(super) type Guess = (f64, f64);

/// What a search begins with.
pub(super) struct Begun<I> {
    /// Members and what they are called.
    pub(super) members: Vec<(String, I)>,
    /// What it is held against and is no member.
    pub(super) designs: Vec<(String, TradeOff)>,
}

/// Files as members: of categories or of numbers.
pub(super) trait FileGenome: Sync {
    /// A file.
    type Of: Individual;

    /// The file of these records, all rows in the order of the source.
    ///
    /// # Errors
    /// When they are not such as the originals could be.
    fn individual(&self, records: &Records) -> Result<Self::Of>;

    /// The records of a file.
    fn records(&self, genes: &<Self::Of as Individual>::Genes) -> Records;
}

/// A search over the cells of the protected file, which begins with what all methods make.
pub(super) struct Files<F>(pub(super) F);

impl<F: FileGenome> Genome for Files<F> {
    type Of = F::Of;

    fn begin(&self, cells: &Cells, seed: u64, context: &Context) -> Result<Begun<F::Of>> {
        let made = start(cells, seed, context)?.into_par_iter();
        let made = made.map(|start| Ok((start.label, self.0.individual(&start.records)?)));
        Ok(Begun {
            members: made.collect::<Result<_>>()?,
            designs: Vec::new(),
        })
    }

    fn method(&self, cells: &Cells, genes: &<F::Of as Individual>::Genes) -> Result<Method> {
        let names = cells.names().map(str::to_owned);
        let columns = names.zip(cells.categories.iter().cloned()).collect();
        let records = self.0.records(genes);
        let prepared = Prepared::new(columns, cells.records.clone(), records)?;
        Ok(Method::own("evolve", prepared))
    }
}
