//! Searches for matrices and equations of a policy, and PRAM with what they find.

use super::Genotype;
use super::Randomizer;
use super::applications::Ground;
use super::matrices::Matrices;
use super::study::begin;
use crate::data::CategoricalTable;
use crate::engine::Context;
use crate::error::Result;
use crate::measure::categorical::ScoreSettings;
use crate::optimize::{EquationRules, MatrixRules};
use crate::pipeline::evolve::categories::coded;
use crate::pipeline::evolve::cells::Cells;
use crate::pipeline::evolve::genome::{Begun, Genome};
use crate::protect::Method;
use crate::protect::pram::{
    Design, Known, MatrixEquation, MissingValues, Pram, Told, TransitionMatrix,
};

/// A search for a matrix of each column.
pub(in crate::pipeline::evolve) struct MatrixGenome {
    originals: CategoricalTable,
    applications: usize,
    rules: MatrixRules,
}

impl MatrixGenome {
    /// For these cells, judged by so many applications.
    ///
    /// # Errors
    /// When the cells hold no categories.
    pub(in crate::pipeline::evolve) fn new(
        cells: &Cells,
        applications: usize,
        rules: MatrixRules,
    ) -> Result<Self> {
        Ok(MatrixGenome {
            originals: coded(cells)?.0,
            applications,
            rules,
        })
    }
}

impl Genome for MatrixGenome {
    type Of = Randomizer<Matrices>;

    fn begin(&self, _: &Cells, seed: u64, context: &Context) -> Result<Begun<Self::Of>> {
        context.cancel.check()?;
        begun(&self.originals, self.applications, self.rules.clone(), seed)
    }

    fn method(&self, cells: &Cells, genes: &Matrices) -> Result<Method> {
        let frequencies = frequencies(&self.originals);
        let known = cells.names().enumerate().map(|(column, name)| {
            let matrix = genes.matrix(column, &frequencies[column], &self.rules);
            known(name, cells, column, &matrix, &frequencies[column])
        });
        let pram = Pram {
            matrices: known.collect::<Result<_>>()?,
            ..pram(Design::ConstantDiagonal(1.0))
        };
        Ok(Method::Pram(pram))
    }
}

/// A search for an equation that makes the matrices of all columns.
pub(in crate::pipeline::evolve) struct EquationGenome {
    originals: CategoricalTable,
    applications: usize,
    rules: EquationRules,
}

impl EquationGenome {
    /// For these cells, judged by so many applications.
    ///
    /// # Errors
    /// When the cells hold no categories.
    pub(in crate::pipeline::evolve) fn new(
        cells: &Cells,
        applications: usize,
        rules: EquationRules,
    ) -> Result<Self> {
        Ok(EquationGenome {
            originals: coded(cells)?.0,
            applications,
            rules,
        })
    }
}

impl Genome for EquationGenome {
    type Of = Randomizer<MatrixEquation>;

    fn begin(&self, _: &Cells, seed: u64, context: &Context) -> Result<Begun<Self::Of>> {
        context.cancel.check()?;
        begun(&self.originals, self.applications, self.rules.clone(), seed)
    }

    fn method(&self, cells: &Cells, genes: &MatrixEquation) -> Result<Method> {
        Ok(Method::Pram(Pram {
            columns: Some(cells.names().map(str::to_owned).collect()),
            ..pram(Design::Equation(genes.clone()))
        }))
    }

    fn equation(&self, genes: &MatrixEquation) -> Option<MatrixEquation> {
        Some(genes.clone())
    }
}

fn begun<G: Genotype>(
    originals: &CategoricalTable,
    applications: usize,
    rules: G::Rules,
    seed: u64,
) -> Result<Begun<Randomizer<G>>> {
    let ground = Ground::new(originals, ScoreSettings::default(), applications, seed)?;
    let begun = begin::<G>(ground, rules, seed)?;
    Ok(Begun {
        members: begun.members,
        designs: begun.designs,
    })
}

fn pram(design: Design) -> Pram {
    Pram {
        design,
        alpha: None,
        columns: None,
        groups: Vec::new(),
        matrices: Vec::new(),
        missing: MissingValues::Category,
        buffer: None,
    }
}

fn frequencies(originals: &CategoricalTable) -> Vec<Vec<f64>> {
    let column = |place: usize| {
        let mut counts = vec![0.0; originals.variables()[place].levels];
        for &code in originals.column(place) {
            counts[code as usize] += 1.0;
        }
        counts
    };
    (0..originals.width()).map(column).collect()
}

/// A matrix as PRAM takes it; a missing value is the last category.
fn known(
    name: &str,
    cells: &Cells,
    column: usize,
    matrix: &TransitionMatrix,
    frequencies: &[f64],
) -> Result<Known> {
    let texts = cells.categories[column].iter().flatten().cloned();
    let texts = texts.chain(std::iter::repeat(String::new()));
    let categories = texts.take(matrix.levels()).map(|text| vec![text]).collect();
    let rows = matrix.rows().map(<[f64]>::to_vec).collect();
    let known = Known::new(vec![name.to_owned()], categories, Told::Matrix(rows))?;
    let present = frequencies.iter().copied().filter(|&count| count > 0.0);
    let fewest = present.fold(f64::INFINITY, f64::min);
    Ok(known.found_from_rows(fewest as u64))
}
