//! What groups of microaggregation lose, in the words of classes.
//!
//! A centroid is no interval, so the product measures microaggregation by squared errors. To hold it
//! against Mondrian, each group is shown here as the smallest intervals that hold its records:
//! NCP is their width over the range of the column, and DM counts the groups as classes.

use super::data::Rows;
use super::methods::MICROAGGREGATION;
use super::series::Figures;
use moretta::data::{Attribute, Records};
use moretta::protect::Method;
use moretta::{Error, Result};
use std::collections::HashMap;
use std::time::Instant;

/// Groups of k or more of the rows.
pub(super) fn measure(rows: &Rows, k: u32) -> Result<Figures> {
    let width = rows.table.width();
    let columns = (0..width).map(|column| rows.numbers(column));
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let mut records = Records::new(width);
    for row in 0..rows.len() {
        let record: Vec<f64> = columns.iter().map(|column| column[row]).collect();
        records.push(&record);
    }
    let Method::Microaggregation(mut config) = MICROAGGREGATION.method(rows.table)? else {
        return Err(Error::bug("another method"));
    };
    config.k = k as usize;
    let began = Instant::now();
    let mut masked = records.clone();
    config.mask(&vec![Attribute::Number; width], &mut masked);
    let seconds = began.elapsed().as_secs_f64();
    let (ncp, discernibility) = of_groups(&records, &masked);
    Ok(Figures {
        method: MICROAGGREGATION.name.to_owned(),
        k,
        rows: records.len() as u64,
        released: records.len() as u64,
        ncp: Some(ncp),
        gcp: Some(ncp / (width * records.len()) as f64),
        discernibility: Some(discernibility),
        refused: None,
        seconds,
    })
}

/// The sum of NCP over all cells, and the sum of squared sizes.
fn of_groups(original: &Records, masked: &Records) -> (f64, f64) {
    let hull = |ends: &mut Vec<(f64, f64)>, record: &[f64]| {
        for (end, &x) in ends.iter_mut().zip(record) {
            *end = (end.0.min(x), end.1.max(x));
        }
    };
    let empty = vec![(f64::INFINITY, f64::NEG_INFINITY); original.width()];
    let (mut all, mut groups) = (empty.clone(), HashMap::new());
    for (record, centroid) in original.iter().zip(masked.iter()) {
        hull(&mut all, record);
        let key: Vec<u64> = centroid.iter().map(|x| x.to_bits()).collect();
        let group = groups.entry(key).or_insert((0_u64, empty.clone()));
        group.0 += 1;
        hull(&mut group.1, record);
    }
    let (mut ncp, mut discernibility) = (0.0, 0.0);
    for (size, ends) in groups.values() {
        let size = *size as f64;
        discernibility += size * size;
        for ((low, high), (least, most)) in ends.iter().zip(&all) {
            if most > least {
                ncp += size * (high - low) / (most - least);
            }
        }
    }
    (ncp, discernibility)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(rows: &[[f64; 2]]) -> Records {
        let mut records = Records::new(2);
        rows.iter().for_each(|row| records.push(row));
        records
    }

    #[test]
    fn groups_lose_the_width_of_what_holds_them() {
        let original = records(&[[0.0, 5.0], [2.0, 5.0], [8.0, 5.0], [9.0, 5.0], [10.0, 5.0]]);
        let masked = records(&[[1.0, 5.0], [1.0, 5.0], [9.0, 5.0], [9.0, 5.0], [9.0, 5.0]]);
        // Two rows lose 2 of 10, three lose 2 of 10; the second column never changes.
        let (ncp, discernibility) = of_groups(&original, &masked);
        assert!((ncp - 1.0).abs() < 1e-12, "{ncp}");
        assert_eq!(discernibility, 13.0);
    }

    #[test]
    fn rows_as_they_are_lose_nothing() {
        let original = records(&[[0.0, 1.0], [2.0, 5.0]]);
        assert_eq!(of_groups(&original, &original), (0.0, 2.0));
    }
}
