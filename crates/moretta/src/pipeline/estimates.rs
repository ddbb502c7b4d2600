//! Frequencies of the original, estimated from files and the matrices of pram.

use super::matrices;
use super::release_columns::{Taken, release_plans};
use crate::data::{Batch, Column, Role};
use crate::error::{Error, Result};
use crate::io::{self, ReadAs, ReadOptions};
use crate::math::matrix::Matrix;
use crate::policy::Policy;
use crate::protect::pram::{TransitionMatrix, two_way};
use crate::protect::{Method, Transition};
use serde::Serialize;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Larger tables are for no reader.
const MOST_CELLS: usize = 2500;

/// A file of a comparison.
pub(super) struct Compare<'a> {
    pub(super) file: &'a Path,
    /// It holds the originals.
    pub(super) is_source: bool,
    pub(super) options: &'a ReadOptions,
}

/// How often each category is in two files, and in the original that they are releases of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EstimatedTable {
    /// The columns: those of one matrix, or of two.
    pub columns: Vec<String>,
    /// The logarithm of the factor by which a release changes the odds of two categories at most,
    /// of a table of one matrix; none where one rules another out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<f64>,
    /// A row for each category.
    pub rows: Vec<EstimatedRow>,
}

/// A category of an [`EstimatedTable`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EstimatedRow {
    /// A text for every column; none where the value is missing.
    pub category: Vec<Option<String>>,
    /// In the first file.
    pub a: Counted,
    /// In the second file.
    pub b: Counted,
}

/// Rows with a category.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Counted {
    /// In the file.
    pub count: f64,
    /// In the original, estimated without bias; none where the file is the original.
    pub estimate: Option<f64>,
    /// The standard error of that.
    pub standard_error: Option<f64>,
}

/// Tables of each matrix, then of each two of them, and why there are none of some columns.
pub(super) fn estimates(
    policy: &Policy,
    files: &[Compare<'_>; 2],
) -> Result<(Vec<EstimatedTable>, Option<String>)> {
    let (transitions, others) = known(policy)?;
    let why = match (&transitions[..], &others[..]) {
        ([], []) => Some(NO_MATRIX.to_owned()),
        (_, []) => None,
        (_, others) => Some(changed_twice(others)),
    };
    if transitions.is_empty() {
        return Ok((Vec::new(), why));
    }
    let [a, b] = files
        .each_ref()
        .map(|of| Ok((of.is_source, read(policy, of, &transitions)?)));
    let files = [a?, b?];
    let count = transitions.len();
    let pairs = (0..count).flat_map(|i| (i + 1..count).map(move |j| vec![i, j]));
    let of = (0..count).map(|i| vec![i]).chain(pairs);
    let small = |of: &Vec<usize>| {
        let sizes = of.iter().map(|&i| transitions[i].categories.len());
        of.len() == 1 || sizes.product::<usize>() <= MOST_CELLS
    };
    of.filter(small)
        .map(|of| table(&transitions, &of, &files))
        .collect::<Result<_>>()
        .map(|tables| (tables, why))
}

const NO_MATRIX: &str = "no transition matrix is known of this release, so that nothing was estimated: add matrices = \"out/matrices.json\" under [sink] and release again, or give matrices under [[protect]]";

fn changed_twice(transitions: &[Transition]) -> String {
    let names = transitions
        .iter()
        .flat_map(|transition| &transition.columns);
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    format!(
        "another method changes {} beside pram, so that its original counts were not estimated",
        names.join(", ")
    )
}

/// The matrices of columns that nothing else changes, as published, or as the policy says; then those
/// of other columns.
fn known(policy: &Policy) -> Result<(Vec<Transition>, Vec<Transition>)> {
    let published = policy.sink.as_ref().and_then(|sink| sink.matrices.as_ref());
    let all = match published {
        Some(place) => matrices::read(place, &policy.files)?,
        None => {
            let methods = policy.plan.protect.iter().filter_map(Method::as_pram);
            let told = methods.map(|pram| pram.transitions());
            told.collect::<Result<Vec<_>>>()?.concat()
        }
    };
    let stays = |transition: &Transition| {
        let mut columns = transition.columns.iter();
        !columns.any(|name| is_changed_otherwise(policy, name))
    };
    Ok(all.into_iter().partition(stays))
}

/// Whether another method than pram changes a column.
fn is_changed_otherwise(policy: &Policy, name: &str) -> bool {
    let methods = policy.plan.protect.iter();
    // What stands in for matrices that are found stands alone.
    let others = methods.filter(|method| method.as_pram().is_none() && !policy.finds_matrices());
    let is_quasi = policy
        .plan
        .column(name)
        .is_some_and(|c| c.role == Role::Quasi);
    let mut changes = others.map(|method| match method.as_masking() {
        Some(masking) => masking
            .columns()
            .map_or(is_quasi, |all| all.contains(&name)),
        None => is_quasi && !method.samples(),
    });
    changes.any(|changes| changes)
}

/// For each matrix, the places of the categories of the rows of a file.
type Categories = Vec<Vec<usize>>;

fn read(policy: &Policy, of: &Compare<'_>, transitions: &[Transition]) -> Result<Categories> {
    let mut plans = release_plans(policy, of.file, of.options, Taken::Either)?;
    let is_changed = |name: &String| transitions.iter().any(|t| t.columns.contains(name));
    for plan in &mut plans {
        plan.read = match is_changed(&plan.name) {
            true => ReadAs::Category,
            false => ReadAs::Skip,
        };
    }
    let source = io::open(of.file, of.options, &plans)?;
    let schema = Arc::clone(source.schema());
    let batch = Batch::concat(&schema, source.collect::<Result<Vec<_>>>()?)?;
    let places = transitions
        .iter()
        .map(|transition| places(&batch, transition));
    let places = places.collect::<Result<_>>();
    places.map_err(|error| error.in_file(of.file))
}

/// The place of the category of each row; that behind the last for rows without one.
fn places(batch: &Batch, transition: &Transition) -> Result<Vec<usize>> {
    let columns = transition.columns.iter().map(|name| {
        let place = batch.schema().index_of(name);
        let place = place.ok_or_else(|| Error::input(format!("there is no column `{name}`")))?;
        match batch.column(place) {
            Column::Category(categories) => Ok(categories),
            _ => Err(Error::bug("a category that was read as something else")),
        }
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let known: HashMap<&Vec<Option<String>>, usize> =
        transition.categories.iter().zip(0..).collect();
    let knows_missing = transition.categories.iter().flatten().any(Option::is_none);
    let mut found: HashMap<Vec<u32>, usize> = HashMap::new();
    let (mut places, mut codes) = (Vec::with_capacity(batch.len()), Vec::new());
    for row in 0..batch.len() {
        codes.clear();
        codes.extend(columns.iter().map(|column| column.codes()[row]));
        if let Some(&place) = found.get(&codes) {
            places.push(place);
            continue;
        }
        let cell: Vec<Option<String>> = columns
            .iter()
            .map(|column| column.get(row).map(str::to_owned))
            .collect();
        let place = match known.get(&cell) {
            Some(&place) => place,
            // Those that took no part are outside of the table.
            None if !knows_missing && cell.iter().any(Option::is_none) => known.len(),
            None => {
                let columns = transition.columns.join(" & ");
                return Err(Error::input("a category that the matrix does not know")
                    .in_column(columns)
                    .help("the file was released with another matrix"));
            }
        };
        found.insert(codes.clone(), place);
        places.push(place);
    }
    Ok(places)
}

/// The table of one matrix or of two, by their places.
fn table(
    transitions: &[Transition],
    of: &[usize],
    files: &[(bool, Categories); 2],
) -> Result<EstimatedTable> {
    let alone = Transition {
        columns: Vec::new(),
        categories: vec![Vec::new()],
        matrix: vec![vec![1.0]],
        fewest: None,
    };
    let first = &transitions[of[0]];
    let second = of.get(1).map_or(&alone, |&place| &transitions[place]);
    let columns = [&first.columns[..], &second.columns].concat();
    let (left, right) = (
        TransitionMatrix::new(&first.matrix)?,
        TransitionMatrix::new(&second.matrix)?,
    );
    let counted = |(is_source, all): &(bool, Categories)| {
        let mut counts = Matrix::zeros(left.levels(), right.levels());
        let second = of.get(1).map(|&of| &all[of]);
        for (row, &i) in all[of[0]].iter().enumerate() {
            let j = second.map_or(0, |places| places[row]);
            if i < left.levels() && j < right.levels() {
                counts.row_mut(i)[j] += 1.0;
            }
        }
        let estimates = two_way(&left, &right, &counts);
        let estimates = estimates.map_err(|error| error.in_column(columns.join(" & ")))?;
        let counted = estimates.into_iter().flatten().map(|estimate| Counted {
            count: estimate.released,
            estimate: (!is_source).then_some(estimate.original),
            standard_error: (!is_source).then_some(estimate.standard_error),
        });
        Ok::<Vec<Counted>, Error>(counted.collect())
    };
    let both = counted(&files[0])?.into_iter().zip(counted(&files[1])?);
    let categories = first.categories.iter().flat_map(|one| {
        let joined = move |two: &Vec<Option<String>>| [&one[..], two].concat();
        second.categories.iter().map(joined)
    });
    let rows = categories.zip(both);
    let rows = rows.map(|(category, (a, b))| EstimatedRow { category, a, b });
    let epsilon = Some(left.epsilon()).filter(|e| of.len() == 1 && e.is_finite());
    Ok(EstimatedTable {
        rows: rows.collect(),
        columns,
        epsilon,
    })
}
