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
use crate::pipeline::evolve::genome::{Begun, Genome, Guess};
use crate::pipeline::evolve::making::Making;
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
        let ground = (&self.originals, self.applications, seed);
        begun(ground, self.rules.clone(), context)
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

    fn guessed(&self, genes: &Matrices) -> Vec<Guess> {
        guesses(&self.originals, genes, &self.rules)
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
        let ground = (&self.originals, self.applications, seed);
        begun(ground, self.rules.clone(), context)
    }

    fn method(&self, cells: &Cells, genes: &MatrixEquation) -> Result<Method> {
        Ok(Method::Pram(Pram {
            columns: Some(cells.names().map(str::to_owned).collect()),
            ..pram(Design::Equation(genes.clone()))
        }))
    }

    fn guessed(&self, genes: &MatrixEquation) -> Vec<Guess> {
        guesses(&self.originals, genes, &self.rules)
    }

    fn equation(&self, genes: &MatrixEquation) -> Option<MatrixEquation> {
        Some(genes.clone())
    }
}

fn begun<G: Genotype>(
    (originals, applications, seed): (&CategoricalTable, usize, u64),
    rules: G::Rules,
    context: &Context,
) -> Result<Begun<Randomizer<G>>> {
    let ground = Ground::new(originals, ScoreSettings::default(), applications, seed)?;
    let making = Making::new(&context.progress);
    let begun = begin::<G>(ground, rules, seed, &|all| {
        making.one_of(all);
        context.cancel.check()
    })?;
    Ok(Begun {
        members: begun.members,
        designs: begun.designs,
    })
}

/// How well each column is guessed by its matrix.
fn guesses<G: Genotype>(originals: &CategoricalTable, genes: &G, rules: &G::Rules) -> Vec<Guess> {
    let columns = frequencies(originals).into_iter().enumerate();
    let guess = columns.map(|(column, frequencies)| {
        let matrix = genes.matrix(column, &frequencies, rules);
        (matrix.guessed(&frequencies), matrix.staying(&frequencies))
    });
    guess.collect()
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
