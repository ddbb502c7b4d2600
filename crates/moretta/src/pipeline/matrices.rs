//! Transition matrices as a file that is published with a release.

use super::place::Pending;
use crate::error::{Error, Result};
use crate::io::Files;
use crate::protect::Transition;
use crate::protect::pram::TransitionMatrix;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The version of the layout.
const FORMAT: &str = "moretta matrices 1";

const ABOUT: &str = "matrix[k][l] is the probability that category k was released as category l; \
                     the inverse, transposed, times the released counts estimates the original counts";

/// Counts up to this are told by no file.
const FEW: u64 = 10;

#[derive(Serialize, Deserialize)]
struct Published {
    format: String,
    about: String,
    matrices: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    #[serde(flatten)]
    transition: Transition,
    /// The logarithm of the factor by which a released category changes the odds of two original
    /// ones at most; none where one rules another out.
    epsilon: Option<f64>,
}

/// Writes matrices aside.
///
/// # Errors
/// When one tells how many rows have a category, and these are few, or, where a person may have
/// several rows, perhaps those of few persons.
pub(super) fn write(
    (place, files): (&Path, &Files),
    transitions: &[Transition],
    persons: bool,
) -> Result<Pending> {
    let designed = |transition: &&Transition| transition.fewest.is_some();
    if let Some(transition) = transitions.iter().find(designed).filter(|_| persons) {
        let columns = transition.columns.join("`, `");
        return Err(Error::guarantee(format!(
            "the matrix of `{columns}` that is to be published tells how many rows have a category, and they may be of few persons"
        ))
        .help("give a matrix or counts that do not follow from the rows under `matrices` of [[protect]], or take `matrices` out of [sink]"));
    }
    let tells = |transition: &&Transition| transition.fewest.is_some_and(|fewest| fewest <= FEW);
    if let Some(transition) = transitions.iter().find(tells) {
        let columns = transition.columns.join("`, `");
        return Err(Error::guarantee(format!(
            "a category of `{columns}` has at most {FEW} rows, and the matrix that is to be published tells how many"
        ))
        .help("merge rare categories first, give a matrix or counts that do not follow from the rows under `matrices` of [[protect]], or take `matrices` out of [sink]"));
    }
    if let Some(transition) = transitions.iter().find(|t| t.matrix.is_empty()) {
        let columns = transition.columns.join("`, `");
        let what = format!("no row tells the categories of `{columns}`, so there is no matrix");
        return Err(
            Error::input(what).help("bring a table with rows, or take `matrices` out of [sink]")
        );
    }
    let entry = |transition: &Transition| {
        let epsilon = TransitionMatrix::new(&transition.matrix)?.epsilon();
        Ok(Entry {
            transition: transition.clone(),
            epsilon: epsilon.is_finite().then_some(epsilon),
        })
    };
    let published = Published {
        format: FORMAT.to_owned(),
        about: ABOUT.to_owned(),
        matrices: transitions.iter().map(entry).collect::<Result<_>>()?,
    };
    let text = serde_json::to_string_pretty(&published)
        .map_err(|e| Error::bug(format!("matrices that are no JSON: {e}")))?;
    let pending = Pending::new(place, files)?;
    pending.write(text.as_bytes())?;
    Ok(pending)
}

/// Reads matrices that were published.
///
/// # Errors
/// When the file cannot be read, or holds none.
pub(super) fn read(place: &Path, files: &Files) -> Result<Vec<Transition>> {
    let text = files
        .read_text(place)
        .map_err(|e| Error::io("read", place, e))?;
    let none = || {
        Error::input("the file holds no transition matrices")
            .in_file(place)
            .help("name the file that `matrices` under [sink] has written")
    };
    let published: Published = serde_json::from_str(&text).map_err(|_| none())?;
    let fits = |transition: &Transition| {
        let width = |category: &Vec<Option<String>>| category.len() == transition.columns.len();
        transition.categories.len() == transition.matrix.len()
            && transition.categories.iter().all(width)
    };
    let transitions = published.matrices.into_iter().map(|entry| entry.transition);
    let transitions: Vec<Transition> = transitions.collect();
    match published.format == FORMAT && transitions.iter().all(fits) {
        true => Ok(transitions),
        false => Err(none()),
    }
}
