//! What each quasi-identifier adds to the risk, counted from the release alone.
//!
//! Rows that look alike in some columns are a class. An attacker who knows one column sees
//! the classes of that one, an attacker who knows all but one sees those of the others; how
//! much smaller the risk is without a column is what the column adds. Rows are counted, not
//! persons, so that whoever has the release can count the same.
//!
//! Cost: two sorts of the classes for each column; no further pass over the rows.

use crate::measure::groups::keys;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The risk of the rows of a release, by quasi-identifier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RiskByColumn {
    /// Of an attacker who knows all quasi-identifiers.
    pub all: Exposure,
    /// What the columns add, most first.
    pub columns: Vec<ColumnRisk>,
}

/// The risk that one column makes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnRisk {
    /// Its name.
    pub name: String,
    /// Of an attacker who knows nothing else.
    pub alone: Exposure,
    /// Of an attacker who knows all others.
    pub without: Exposure,
}

/// How easily rows are found by some columns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exposure {
    /// One over the rows of the smallest class.
    pub highest: f64,
    /// The mean over the rows: classes over rows.
    pub mean: f64,
    /// Share of rows in classes of fewer than k; of unique rows where no k is promised.
    pub below_k: f64,
}

/// Classes by all quasi-identifiers.
pub(in crate::measure) struct Classes<'a> {
    /// The codes of each column, class by class.
    pub(in crate::measure) columns: Vec<Vec<u32>>,
    /// Rows of each class.
    pub(in crate::measure) rows: &'a [u32],
}

/// Of classes by quasi-identifiers which are called `names`; none without rows.
pub(in crate::measure) fn by_column(
    names: &[&str],
    classes: &Classes<'_>,
    k: u32,
) -> Option<RiskByColumn> {
    let all = exposure(classes, k, |_| true)?;
    let columns = names.par_iter().enumerate().map(|(place, name)| {
        Some(ColumnRisk {
            name: (*name).to_owned(),
            alone: exposure(classes, k, |other| other == place)?,
            without: exposure(classes, k, |other| other != place)?,
        })
    });
    let mut columns: Vec<ColumnRisk> = columns.collect::<Option<_>>()?;
    columns.sort_by(|one, other| one.without.mean.total_cmp(&other.without.mean));
    Some(RiskByColumn { all, columns })
}

/// Of classes by the columns at some places.
fn exposure(classes: &Classes<'_>, k: u32, known: impl Fn(usize) -> bool) -> Option<Exposure> {
    let columns = classes.columns.iter().enumerate();
    let columns = columns.filter(|(place, _)| known(*place));
    let pieces = columns.map(|(_, column)| std::iter::once(column.as_slice()));
    let keys = keys(pieces, classes.rows.len()).into_iter();
    let mut sorted: Vec<(u64, u32)> = keys.zip(classes.rows.iter().copied()).collect();
    sorted.sort_unstable();
    let (mut count, mut all, mut small, mut smallest) = (0u64, 0, 0, None);
    for alike in sorted.chunk_by(|a, b| a.0 == b.0) {
        let size: u64 = alike.iter().map(|&(_, rows)| u64::from(rows)).sum();
        count += 1;
        all += size;
        small += if size < u64::from(k.max(2)) { size } else { 0 };
        smallest = Some(smallest.map_or(size, |least: u64| least.min(size)));
    }
    Some(Exposure {
        highest: 1.0 / smallest? as f64,
        mean: count as f64 / all as f64,
        below_k: small as f64 / all as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of three columns, each a class of its own that others may look like.
    fn classes<'a>(rows: &[[&str; 3]], ones: &'a [u32]) -> Classes<'a> {
        let code = |text: &str| u32::from(text.as_bytes()[0]);
        Classes {
            columns: (0..3)
                .map(|place| rows.iter().map(|row| code(row[place])).collect())
                .collect(),
            rows: &ones[..rows.len()],
        }
    }

    /// Compares each row with each other.
    fn slow(rows: &[[&str; 3]], k: usize, known: &[usize]) -> Exposure {
        let alike = |one: &[&str; 3]| {
            let same = |other: &&[&str; 3]| known.iter().all(|&place| one[place] == other[place]);
            rows.iter().filter(same).count()
        };
        let sizes: Vec<usize> = rows.iter().map(alike).collect();
        let n = rows.len() as f64;
        let risks = sizes.iter().map(|&size| 1.0 / size as f64);
        Exposure {
            highest: risks.clone().fold(0.0, f64::max),
            mean: risks.sum::<f64>() / n,
            below_k: sizes.iter().filter(|&&size| size < k).count() as f64 / n,
        }
    }

    #[test]
    fn risks_are_those_of_rows_compared_one_by_one() {
        let words = ["a", "b", "c", "d", "e"];
        let rows: Vec<[&str; 3]> = (0..60)
            .map(|i| [words[i * i % 5], words[i % 3], words[i * 7 % 11 % 4]])
            .collect();
        let found = by_column(&["x", "y", "z"], &classes(&rows, &[1; 60]), 4).expect("risks");
        let close = |one: Exposure, other: Exposure| {
            let same = |a: f64, b: f64| (a - b).abs() < 1e-12;
            same(one.highest, other.highest)
                && same(one.mean, other.mean)
                && same(one.below_k, other.below_k)
        };
        assert!(close(found.all, slow(&rows, 4, &[0, 1, 2])), "{found:?}");
        assert!(found.all.below_k > 0.0);
        for column in &found.columns {
            let place = "xyz".find(&column.name).expect("a column");
            let others: Vec<usize> = (0..3).filter(|&other| other != place).collect();
            assert!(close(column.alone, slow(&rows, 4, &[place])), "{column:?}");
            assert!(close(column.without, slow(&rows, 4, &others)), "{column:?}");
        }
        let means: Vec<f64> = found.columns.iter().map(|c| c.without.mean).collect();
        assert!(means.is_sorted(), "what adds most comes first: {means:?}");
    }

    #[test]
    fn nothing_released_has_no_risk() {
        assert_eq!(by_column(&["x", "y", "z"], &classes(&[], &[]), 5), None);
    }
}
