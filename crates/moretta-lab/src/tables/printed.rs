//! The figures that the source study printed, beside ours.
//!
//! A study of anonymization for big data prints a GCP of 15 % at k = 25 and of 30 % at k = 100
//! for Mondrian on age and sampling weight of Adult. We lose a tenth of that or less, in every
//! mode. Classes of k of n records are boxes of k/n of the area, so loss falls about as √n
//! grows: the printed figures are those of far fewer rows than Adult has. How many that would be
//! is searched here (about 800 for k = 25, 1,500 for k = 100). That the table was cut into parts of
//! about such a size before each was anonymized, as is usual where data are large, would explain
//! both; what we have of the study does not say so, and the two numbers of rows are not the same.

use super::data::{AGE_AND_WEIGHT, Rows};
use super::methods::{Contender, OF_NUMBERS};
use super::series::{Figures, compare, figures};
use moretta::Result;
use std::path::Path;

/// A printed figure.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Printed {
    pub(super) k: u32,
    /// GCP as it was printed.
    pub(super) gcp: f64,
    /// Ours, method by method.
    pub(super) ours: Vec<Figures>,
    /// Of how many rows strict Mondrian loses about as much; none where it loses less of any.
    pub(super) like_rows: Option<u64>,
}

const PRINTED: [(u32, f64); 2] = [(25, 0.15), (100, 0.30)];

/// Ours beside what was printed.
pub(super) fn compute(data: &Path, most: usize) -> Result<Vec<Printed>> {
    let rows = AGE_AND_WEIGHT.read(data, most)?;
    let methods = Contender::named(OF_NUMBERS, &AGE_AND_WEIGHT)?;
    let of = |&(k, gcp): &(u32, f64)| {
        let compared = compare(&rows, methods.clone(), &[k], data)?;
        let ours = compared.tried.iter().map(|tried| figures(&compared, tried));
        Ok(Printed {
            k,
            gcp,
            ours: ours.collect(),
            like_rows: like_rows(&rows, k, gcp, data)?,
        })
    };
    PRINTED.iter().map(of).collect()
}

/// The most rows, to 2 %, of which strict Mondrian still loses so much: loss falls with the
/// rows, so the interval is halved.
fn like_rows(rows: &Rows, k: u32, gcp: f64, data: &Path) -> Result<Option<u64>> {
    let strict = Contender::named(&OF_NUMBERS[..1], rows.table)?;
    let loses_more = |count: usize| -> Result<bool> {
        let compared = compare(&rows.taken(count), strict.clone(), &[k], data)?;
        let lost = figures(&compared, &compared.tried[0]).gcp;
        Ok(lost.is_none_or(|lost| lost > gcp))
    };
    let (mut more, mut less) = (k as usize, rows.len());
    if less < more || loses_more(less)? || !loses_more(more)? {
        return Ok(None);
    }
    while less - more > (more / 50).max(1) {
        let middle = usize::midpoint(more, less);
        match loses_more(middle)? {
            true => more = middle,
            false => less = middle,
        }
    }
    Ok(Some(less as u64))
}
