//! What a release no longer says.
//!
//! | measure | from |
//! |---|---|
//! | [`discernibility`] | Bayardo and Agrawal 2005 |
//! | [`average_class_size`] | LeFevre, DeWitt and Ramakrishnan 2006 |
//! | [`classification`] | Iyengar 2002 |
//! | loss, NCP, GCP of columns ([`ColumnLoss`]) | Iyengar 2002; Xu et al. 2006; Ghinita et al. 2007 |
//!
//! None of them asks what the data is used for; a release that loses little by
//! these may still be useless for one question, and the other way round.

mod column_loss;
mod extent;

pub use column_loss::{ColumnLoss, Lost, geometric_loss};
pub use extent::{Extent, STRETCHED};

use super::Sizes;

/// DM: the sum of squared class sizes, and the number of all rows for each suppressed one.
pub fn discernibility(sizes: &Sizes, suppressed: u64) -> f64 {
    let released: u64 = sizes.rows.iter().map(|&n| u64::from(n)).sum();
    let squares: u128 = sizes.rows.iter().map(|&n| u128::from(n).pow(2)).sum();
    (squares + u128::from(suppressed) * u128::from(suppressed + released)) as f64
}

/// C_AVG: (rows / classes) / k, by LeFevre, DeWitt and Ramakrishnan. Suppressed rows count, so that
/// suppressing all but a class is no gain; without classes it is as if there were one.
pub fn average_class_size(sizes: &Sizes, suppressed: u64, k: u32) -> f64 {
    let released: u64 = sizes.rows.iter().map(|&n| u64::from(n)).sum();
    let classes = sizes.rows.len().max(1) as f64;
    (released + suppressed) as f64 / (classes * f64::from(k.max(1)))
}

/// CM: the share of all rows that are suppressed or not of their class's most frequent label.
pub fn classification(sizes: &Sizes, suppressed: u64) -> f64 {
    let released: u64 = sizes.rows.iter().map(|&n| u64::from(n)).sum();
    let majority: u64 = sizes.majority.iter().map(|&n| u64::from(n)).sum();
    share(suppressed + released - majority, suppressed + released)
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}
